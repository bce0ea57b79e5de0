/* SPDX-License-Identifier: MIT */
/*
 * check_lock_legacy_wait.c - the old SETNX protocol: how long to wait, and what is pending without a reply.
 */
#include <string.h>

#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "tests/fixtures/legacy_holder.h"
#include "tests/suite.h"

enum { START = LEGACY_START };

/* A deadline is past only in the next second: until then, trying every millisecond is useless. */
START_TEST(holder_time_lasts_until_the_takeover)
{
    static const long ahead_s[] = {0, 1, 7};
    static const int64_t left_ms[] = {600, 1600, 7600};

    ck_assert_int_eq(legacy_begin_at("400000", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000000 + ahead_s[_i]), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), left_ms[_i]);
}
END_TEST

/* The parts of a second that TIME told and that have passed since add up to more than one. */
START_TEST(holder_time_counts_from_the_earliest_possible_time)
{
    ck_assert_int_eq(legacy_begin_at("900000", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000001), START + 200), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), 1000 - 98); /* 1 % slower */
}
END_TEST

/* A day, or a hundredth of our own ttl if that is more: in seconds, a hundred times our lease. */
START_TEST(deadline_further_ahead_than_a_lease_can_be_is_foreign)
{
    static const struct {
        uint32_t ttl_ms;
        long ahead_s;
        int result;
    } cases[] = {{LEGACY_TTL, 86400, RDL_BUSY},
                 {LEGACY_TTL, 86401, RDL_E_FOREIGN_VALUE},
                 {10000000, 100000, RDL_BUSY},
                 {10000000, 100001, RDL_E_FOREIGN_VALUE}};

    legacy.opt.ttl_ms = cases[_i].ttl_ms;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000000 + cases[_i].ahead_s), START), cases[_i].result);
}
END_TEST

START_TEST(zeroed_options_acquire_a_legacy_lease_of_30_s)
{
    memset(&legacy.opt, 0, sizeof legacy.opt);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_uint_eq(rdl_lock_until_ms(&legacy.lock.lock), START + RDL_TTL_DEFAULT_MS - 302);
}
END_TEST

/* TIME alone changes nothing: there is nothing to release, and no value to compare yet. */
START_TEST(nothing_is_pending_after_time_alone)
{
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    if (_i) {
        rdl_lock_cancel(&legacy.lock.lock);
        ck_assert_str_eq(scripted_sent(&legacy.s), "");
        scripted_reply(&legacy.s, "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n");
    } else {
        ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 2500), RDL_UNKNOWN);
        ck_assert_str_eq(scripted_sent(&legacy.s), "");
        rdl_conn_tick(&legacy.s.conn, START + 2501);
        ck_assert_int_eq(scripted_close_failed(&legacy.s), RDL_E_TIMEOUT);
    }
    ck_assert(rdl_conn_is_idle(&legacy.s.conn));
}
END_TEST

/* The same after a lease that was ours: its value is no longer used. */
START_TEST(earlier_value_is_not_released_again)
{
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock.lock, START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n", START), RDL_OK);
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 2500), RDL_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* The deadline cuts the last attempt short: before any reply, after the TIME, or with it. */
START_TEST(attempt_cut_short_keeps_the_earlier_result)
{
    legacy.opt.wait_ms = 10000;
    legacy.opt.retry_ms = 1;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":0\r\n:-1\r\n$12\r\n2147483649.0\r\n", START), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -1);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 9000), RDL_PENDING);
    ck_assert_str_ne(scripted_sent(&legacy.s), "");
    if (_i == 1) {
        ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000009\r\n$1\r\n0\r\n", START + 9000), RDL_PENDING);
        scripted_sent(&legacy.s);
    } else if (_i == 2) {
        scripted_reply(&legacy.s, "*2\r\n$10\r\n1700000009\r\n$1\r\n0\r\n");
    }
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 10000), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -1);
}
END_TEST

/* An attempt does not use what an earlier one found. */
START_TEST(attempt_does_not_use_an_earlier_value)
{
    legacy.opt.wait_ms = 60000;
    legacy.opt.retry_ms = 1;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(_i ? 1699999999 : 1700000007), START), RDL_PENDING);
    if (_i) { /* another client was faster */
        scripted_sent(&legacy.s);
        ck_assert_int_eq(legacy_answer(":0\r\n", START), RDL_PENDING);
    }
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 100), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", START + 100), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":0\r\n", START + 2600),
                     RDL_PENDING); /* no value arrives: a pause, nothing sent */
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

/* The key was gone at the end of the second attempt: how long its first holder had left says nothing. */
START_TEST(attempt_forgets_how_long_an_earlier_holder_had)
{
    legacy.opt.wait_ms = 60000;
    legacy.opt.retry_ms = 1;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000007), START), RDL_PENDING);
    ck_assert_int_gt(rdl_lock_holder_ms(&legacy.lock.lock), 0);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 100), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", START + 100), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":0\r\n:-2\r\n$-1\r\n", START + 2600), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

/* A reply at the end of the attempt starts nothing that could not be waited for. */
START_TEST(reply_at_the_deadline_starts_no_request)
{
    uint64_t end_ms = START + rdl_attempt_ms(&legacy.opt);

    if (_i == 0) {
        ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
        ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", end_ms), RDL_E_TIMEOUT);
    } else {
        ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
        scripted_sent(&legacy.s);
        ck_assert_int_eq(legacy_answer(peer_number(1699999999), end_ms), RDL_BUSY);
    }
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert(rdl_conn_is_idle(&legacy.s.conn));
}
END_TEST

/* The clock is old, so TIME is sent; when its reply arrives the lease is over. */
START_TEST(lease_that_ends_during_time_is_lost)
{
    uint64_t end_ms = START + 700000 - 7002;

    legacy.opt.ttl_ms = 700000;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, 700000, end_ms - 1), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), "*1\r\n$4\r\nTIME\r\n");
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000693\r\n$1\r\n0\r\n", end_ms), RDL_LOST);
    ck_assert_ptr_null(strstr(scripted_sent(&legacy.s), rdl_script_replace.text));
}
END_TEST

/* No reply arrives: the time is up, or the caller stops waiting. */
static void end_without_reply(int by_cancel)
{
    if (by_cancel)
        rdl_lock_cancel(&legacy.lock.lock);
    else
        ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 2500), RDL_UNKNOWN);
}

/*
 * Without a reply to SETNX, a value that it may have left is released. A whole number may be another
 * client's.
 */
START_TEST(unanswered_setnx_is_released_if_its_value_is_unique)
{
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1,
                         _i & 1 ? RDL_LEGACY : RDL_LEGACY_INTEGER);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    end_without_reply(_i & 2);
    if (_i & 1)
        ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), "EVAL"));
    else
        ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* No server replies like this to GET. It is still certain that the lock is taken. */
START_TEST(impossible_type_of_value_ends_the_connection)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    scripted_reply(&legacy.s, ":0\r\n:-1\r\n+OK\r\n");
    ck_assert_int_eq(scripted_close_failed(&legacy.s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

/* Fills the conn's queue. */
static void fill(void)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};

    while (rdl_conn_submit(&legacy.s.conn, NULL, &other) == RDL_OK) {
    }
}

/* At the first request, at a later one, at an extend: nothing was sent, and nothing is pending. */
START_TEST(legacy_requests_with_a_full_queue_fail)
{
    int rc;

    if (_i == 0) {
        fill();
        ck_assert_int_eq(rdl_lock_acquire_begin(&legacy.lock.lock, entropy_bytes(), START), RDL_E_FULL);
    } else {
        ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
        if (_i == 1)
            fill();
        scripted_reply(&legacy.s, "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n");
        ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START), _i == 1 ? RDL_E_FULL : RDL_PENDING);
    }
    if (_i == 2) {
        scripted_sent(&legacy.s);
        ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
        fill();
        ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, LEGACY_TTL, START), RDL_PENDING);
        do { /* it waits for room, as long as for a reply */
            rc = rdl_lock_step(&legacy.lock.lock, rdl_lock_wake_ms(&legacy.lock.lock));
        } while (rc == RDL_PENDING);
        ck_assert_int_eq(rc, RDL_E_FULL);
        ck_assert_uint_gt(rdl_lock_remaining_ms(&legacy.lock.lock, START), 0); /* the lease continues */
    }
    ck_assert_ptr_null(strstr(scripted_sent(&legacy.s), "SETNX"));
}
END_TEST

/* An expired lease can be taken over; the request for that is in flight. */
static void take_over(int by_getset)
{
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1699999999), START), RDL_PENDING);
    if (by_getset) {
        scripted_sent(&legacy.s);
        scripted_reply(&legacy.s, "-NOPERM no\r\n"); /* EVAL, WATCH */
        scripted_sent(&legacy.s);
        ck_assert_int_eq(legacy_answer("-NOPERM no\r\n-NOPERM no\r\n:-1\r\n-NOPERM no\r\n", START),
                         RDL_PENDING);
    }
    ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), by_getset ? "GETSET" : rdl_script_replace.text));
}

START_TEST(unanswered_takeover_is_released)
{
    const char *sent;

    take_over(_i & 1);
    end_without_reply(_i & 2);
    sent = scripted_sent(&legacy.s);
    ck_assert_ptr_nonnull(strstr(sent, "EVAL\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "1700000011."));
}
END_TEST

START_TEST(takeover_of_another_type_is_foreign)
{
    take_over(_i);
    ck_assert_int_eq(legacy_answer("-WRONGTYPE Operation against a key\r\n", START), RDL_E_FOREIGN_VALUE);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* A server without scripts has WATCH: nothing is overwritten or deleted without a comparison. */
static const char *const off_texts[] = {
    "-ERR Could not find scripting engine 'lua'\r\n",
    "-ERR This instance has Lua scripting support disabled\r\n",
    "-ERR command eval not support for normal user\r\n",
    "-ERR Command is not available: 'EVAL'\r\n",
    "-ERR bad lua script for redis cluster\r\n",
};
enum { OFF_TEXTS = sizeof off_texts / sizeof off_texts[0] };
#define REFUSED "-ERR unknown command 'X'\r\n"

START_TEST(takeover_without_scripts_uses_watch_not_getset)
{
    take_over(0);
    scripted_reply(&legacy.s, off_texts[_i]);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), "WATCH"));
    ck_assert_int_eq(legacy_answer(REFUSED REFUSED ":-1\r\n" REFUSED, START), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING); /* also when the refusal is remembered */
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1699999999), START), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* A program that does not link WATCH for releases has nothing that compares. */
START_TEST(release_without_scripts_is_never_a_del)
{
    int i;

    legacy.s.cfg.methods = &rdl_methods_script;
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, RDL_LEGACY);
    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
        scripted_sent(&legacy.s);
        ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
        ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock.lock, START), RDL_PENDING);
        ck_assert_int_eq(strstr(scripted_sent(&legacy.s), "EVAL") != NULL, i == 0);
        ck_assert_int_eq(i == 0 ? legacy_answer(off_texts[_i], START)
                                : rdl_lock_step(&legacy.lock.lock, START),
                         RDL_E_UNSUPPORTED);
        ck_assert_str_eq(scripted_sent(&legacy.s), "");
    }
}
END_TEST

/*
 * The error may be a proxy's, after the request was executed; by then a whole number may be another client's.
 */
START_TEST(unknown_error_ends_a_takeover_and_a_release)
{
    take_over(0);
    ck_assert_int_eq(legacy_answer("-ERR what?\r\n", START), RDL_E_SERVER);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1,
                         _i ? RDL_LEGACY : RDL_LEGACY_INTEGER);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock.lock, START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("-ERR what?\r\n", START), RDL_E_SERVER);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

Suite *suite_lock_legacy_wait(void)
{
    Suite *suite = suite_create("lock_legacy_wait");
    TCase *tc = suite_case(suite, "wait", legacy_setup, NULL);

    tcase_add_loop_test(tc, holder_time_lasts_until_the_takeover, 0, 3);
    tcase_add_test(tc, holder_time_counts_from_the_earliest_possible_time);
    tcase_add_loop_test(tc, deadline_further_ahead_than_a_lease_can_be_is_foreign, 0, 4);
    tcase_add_test(tc, zeroed_options_acquire_a_legacy_lease_of_30_s);
    tcase_add_loop_test(tc, nothing_is_pending_after_time_alone, 0, 2);
    tcase_add_loop_test(tc, attempt_cut_short_keeps_the_earlier_result, 0, 3);
    tcase_add_test(tc, earlier_value_is_not_released_again);
    tcase_add_loop_test(tc, attempt_does_not_use_an_earlier_value, 0, 2);
    tcase_add_test(tc, attempt_forgets_how_long_an_earlier_holder_had);
    tcase_add_loop_test(tc, reply_at_the_deadline_starts_no_request, 0, 2);
    tcase_add_test(tc, lease_that_ends_during_time_is_lost);
    tcase_add_loop_test(tc, unanswered_setnx_is_released_if_its_value_is_unique, 0, 4);
    tcase_add_test(tc, impossible_type_of_value_ends_the_connection);
    tcase_add_loop_test(tc, legacy_requests_with_a_full_queue_fail, 0, 3);
    tcase_add_loop_test(tc, unanswered_takeover_is_released, 0, 4);
    tcase_add_loop_test(tc, takeover_of_another_type_is_foreign, 0, 2);
    tcase_add_loop_test(tc, takeover_without_scripts_uses_watch_not_getset, 0, OFF_TEXTS);
    tcase_add_loop_test(tc, release_without_scripts_is_never_a_del, 0, OFF_TEXTS);
    tcase_add_loop_test(tc, unknown_error_ends_a_takeover_and_a_release, 0, 2);
    return suite;
}
