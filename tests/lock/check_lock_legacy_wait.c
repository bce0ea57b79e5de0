/* SPDX-License-Identifier: MIT */
/* The old SETNX protocol: how long to wait, and what is owed when an answer does not come. */
#include <check.h>
#include <string.h>

#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "tests/fixtures/legacy_holder.h"

enum { START = LEGACY_START };

/* A deadline is past in the next second only: until then there is no sense in asking every millisecond. */
START_TEST(the_holder_has_time_until_it_can_be_taken_over)
{
    static const long ahead_s[] = {0, 1, 7};
    static const int64_t left_ms[] = {600, 1600, 7600};

    ck_assert_int_eq(legacy_begin_at("400000", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000000 + ahead_s[_i]), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), left_ms[_i]);
}
END_TEST

/* TIME alone changes nothing: there is nothing to give back, and no value yet that could be compared. */
START_TEST(while_only_the_time_was_asked_for_nothing_is_owed)
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

/* The same after a lease that was ours: its value is over. */
START_TEST(the_value_of_the_lease_before_is_not_given_back_again)
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

/* The last attempt was cut short by the deadline, before anything was answered, behind the TIME, or by it. */
START_TEST(an_attempt_that_was_cut_short_leaves_what_the_one_before_has_found)
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

/* What an attempt found is not taken for what the next one finds. */
START_TEST(every_attempt_looks_for_itself)
{
    legacy.opt.wait_ms = 60000;
    legacy.opt.retry_ms = 1;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(_i ? 1699999999 : 1700000007), START), RDL_PENDING);
    if (_i) { /* somebody was faster */
        scripted_sent(&legacy.s);
        ck_assert_int_eq(legacy_answer(":0\r\n", START), RDL_PENDING);
    }
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 100), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", START + 100), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":0\r\n", START + 2600),
                     RDL_PENDING); /* no value comes: a pause, nothing sent */
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

/* What comes at the end of the attempt begins nothing that could not be waited for. */
START_TEST(an_answer_at_the_end_asks_for_nothing_more)
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

/* The clock is old, so it is asked for; by the answer the lease is over. */
START_TEST(a_lease_that_ends_while_the_time_is_asked_for_is_lost)
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

/* No answer comes: its time is up, or nobody waits for it any more. */
static void give_up(int by_cancel)
{
    if (by_cancel)
        rdl_lock_cancel(&legacy.lock.lock);
    else
        ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 2500), RDL_UNKNOWN);
}

/* No answer to SETNX: what it may have left is released. With whole numbers it may be another's as well. */
START_TEST(an_unanswered_setnx_is_released_if_its_value_tells_us_apart)
{
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1,
                         _i & 1 ? RDL_LEGACY : RDL_LEGACY_INTEGER);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    give_up(_i & 2);
    if (_i & 1)
        ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), "EVAL"));
    else
        ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* No server says so to GET. That something was in the way is certain all the same. */
START_TEST(a_value_of_a_kind_that_cannot_be_ends_the_connection)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    scripted_reply(&legacy.s, ":0\r\n:-1\r\n+OK\r\n");
    ck_assert_int_eq(scripted_close_failed(&legacy.s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

/* Nothing more fits into the conn's queue. */
static void fill(void)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};

    while (rdl_conn_submit(&legacy.s.conn, NULL, &other) == RDL_OK) {
    }
}

/* At the first request, at a later one, at an extend: nothing was sent, and nothing is owed. */
START_TEST(a_full_queue_is_said)
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
        do { /* it waits for room, as long as for an answer */
            rc = rdl_lock_step(&legacy.lock.lock, rdl_lock_wake_ms(&legacy.lock.lock));
        } while (rc == RDL_PENDING);
        ck_assert_int_eq(rc, RDL_E_FULL);
        ck_assert_uint_gt(rdl_lock_remaining_ms(&legacy.lock.lock, START), 0); /* the lease goes on */
    }
    ck_assert_ptr_null(strstr(scripted_sent(&legacy.s), "SETNX"));
}
END_TEST

/* A lease that ended is there to be taken over; the request for that is on its way. */
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

START_TEST(an_unanswered_take_over_is_released)
{
    const char *sent;

    take_over(_i & 1);
    give_up(_i & 2);
    sent = scripted_sent(&legacy.s);
    ck_assert_ptr_nonnull(strstr(sent, "EVAL\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "1700000011."));
}
END_TEST

START_TEST(a_take_over_that_meets_another_type_is_foreign)
{
    take_over(_i);
    ck_assert_int_eq(legacy_answer("-WRONGTYPE Operation against a key\r\n", START), RDL_E_FOREIGN_VALUE);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* A server whose scripts are switched off has WATCH: nothing is overwritten or deleted without comparing. */
static const char *const off_texts[] = {
    "-ERR Could not find scripting engine 'lua'\r\n",
    "-ERR This instance has Lua scripting support disabled\r\n",
    "-ERR command eval not support for normal user\r\n",
    "-ERR Command is not available: 'EVAL'\r\n",
    "-ERR bad lua script for redis cluster\r\n",
};
enum { OFF_TEXTS = sizeof off_texts / sizeof off_texts[0] };
#define REFUSED "-ERR unknown command 'X'\r\n"

START_TEST(without_scripts_a_take_over_goes_by_watch_and_never_by_getset)
{
    take_over(0);
    scripted_reply(&legacy.s, off_texts[_i]);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), "WATCH"));
    ck_assert_int_eq(legacy_answer(REFUSED REFUSED ":-1\r\n" REFUSED, START), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    rdl_lock_init_legacy(&legacy.lock, &legacy.opt, &legacy.s.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING); /* nor where it is remembered */
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1699999999), START), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* A program that links no WATCH for releases has nothing that compares. */
START_TEST(without_scripts_no_release_is_a_del)
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

/* The words may be a proxy's, and it was done; a whole number may be another's by then. */
START_TEST(unknown_errors_end_a_take_over_and_a_release)
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

Suite *suite_lock_legacy_wait(void);

Suite *suite_lock_legacy_wait(void)
{
    Suite *suite = suite_create("lock_legacy_wait");
    TCase *tc = tcase_create("wait");

    tcase_add_checked_fixture(tc, legacy_setup, NULL);
    tcase_add_loop_test(tc, the_holder_has_time_until_it_can_be_taken_over, 0, 3);
    tcase_add_loop_test(tc, while_only_the_time_was_asked_for_nothing_is_owed, 0, 2);
    tcase_add_loop_test(tc, an_attempt_that_was_cut_short_leaves_what_the_one_before_has_found, 0, 3);
    tcase_add_test(tc, the_value_of_the_lease_before_is_not_given_back_again);
    tcase_add_loop_test(tc, every_attempt_looks_for_itself, 0, 2);
    tcase_add_loop_test(tc, an_answer_at_the_end_asks_for_nothing_more, 0, 2);
    tcase_add_test(tc, a_lease_that_ends_while_the_time_is_asked_for_is_lost);
    tcase_add_loop_test(tc, an_unanswered_setnx_is_released_if_its_value_tells_us_apart, 0, 4);
    tcase_add_test(tc, a_value_of_a_kind_that_cannot_be_ends_the_connection);
    tcase_add_loop_test(tc, a_full_queue_is_said, 0, 3);
    tcase_add_loop_test(tc, an_unanswered_take_over_is_released, 0, 4);
    tcase_add_loop_test(tc, a_take_over_that_meets_another_type_is_foreign, 0, 2);
    tcase_add_loop_test(tc, without_scripts_a_take_over_goes_by_watch_and_never_by_getset, 0, OFF_TEXTS);
    tcase_add_loop_test(tc, without_scripts_no_release_is_a_del, 0, OFF_TEXTS);
    tcase_add_loop_test(tc, unknown_errors_end_a_take_over_and_a_release, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
