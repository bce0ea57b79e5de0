/* SPDX-License-Identifier: MIT */
/* The old SETNX protocol: how long to wait, and what is owed when an answer does not come. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/scripted.h"

enum { TTL = 10000, START = 5000 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_options opt;

static void setup(void)
{
    const struct rdl_options once = {.ttl_ms = TTL, .attempt_ms = 2500};

    scripted_init(&s);
    scripted_open(&s, START);
    opt = once;
    rdl_lock_init(&l, &rdl_lock_legacy_integer, &opt, &s.conn, "k", 1);
}

static int begin(uint64_t now_ms)
{
    int rc = rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);

    scripted_sent(&s);
    return rc;
}

static int answer(const char *text, uint64_t now_ms)
{
    scripted_reply(&s, text);
    return rdl_lock_step(&l, now_ms);
}

static const char *peer_reply(const char *value, const char *pttl)
{
    static char text[256];

    snprintf(text, sizeof text, ":0\r\n%s$%zu\r\n%s\r\n", pttl, strlen(value), value);
    return text;
}

static const char *peer_number(long value)
{
    static char text[32];

    snprintf(text, sizeof text, "%ld", value);
    return peer_reply(text, ":-1\r\n");
}

/* TIME answered at once: 1700000000 and usec behind it. */
static int at_once(const char *usec, uint64_t now_ms)
{
    char text[64];

    snprintf(text, sizeof text, "*2\r\n$10\r\n1700000000\r\n$%zu\r\n%s\r\n", strlen(usec), usec);
    ck_assert_int_eq(begin(now_ms), RDL_PENDING);
    return answer(text, now_ms);
}

/* A deadline is past in the next second only: until then there is no sense in asking every millisecond. */
START_TEST(the_holder_has_time_until_it_can_be_taken_over)
{
    static const long ahead_s[] = {0, 1, 7};
    static const int64_t left_ms[] = {600, 1600, 7600};

    ck_assert_int_eq(at_once("400000", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_number(1700000000 + ahead_s[_i]), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&l), left_ms[_i]);
}
END_TEST

/* TIME alone changes nothing: there is nothing to give back, and no value yet that could be compared. */
START_TEST(while_only_the_time_was_asked_for_nothing_is_owed)
{
    ck_assert_int_eq(begin(START), RDL_PENDING);
    if (_i)
        rdl_lock_cancel(&l);
    else
        ck_assert_int_eq(rdl_lock_step(&l, START + 2500), RDL_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&s), "");
    scripted_reply(&s, "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The same after a lease that was ours: its value is over. */
START_TEST(the_value_of_the_lease_before_is_not_given_back_again)
{
    rdl_lock_init(&l, &rdl_lock_legacy, &opt, &s.conn, "k", 1);
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(":1\r\n:-2\r\n", START), RDL_OK);
    ck_assert_int_eq(begin(START), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, START + 2500), RDL_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* What an attempt found is not taken for what the next one finds. */
START_TEST(every_attempt_looks_for_itself)
{
    opt.wait_ms = 60000;
    opt.retry_ms = 1;
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_number(_i ? 1699999999 : 1700000007), START), RDL_PENDING);
    if (_i) { /* somebody was faster */
        scripted_sent(&s);
        ck_assert_int_eq(answer(":0\r\n", START), RDL_PENDING);
    }
    ck_assert_int_eq(rdl_lock_step(&l, START + 100), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer("*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", START + 100), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(":0\r\n", START + 2600), RDL_PENDING); /* no value comes: a pause, nothing sent */
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(rdl_lock_holder_ms(&l), -2);
}
END_TEST

/* The clock is old, so it is asked for; by the answer the lease is over. */
START_TEST(a_lease_that_ends_while_the_time_is_asked_for_is_lost)
{
    uint64_t end_ms = START + 700000 - 7002;

    opt.ttl_ms = 700000;
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, 700000, end_ms - 1), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), "*1\r\n$4\r\nTIME\r\n");
    ck_assert_int_eq(answer("*2\r\n$10\r\n1700000693\r\n$1\r\n0\r\n", end_ms), RDL_LOST);
    ck_assert_ptr_null(strstr(scripted_sent(&s), rdl_script_replace.sha));
}
END_TEST

/* No answer to SETNX: what it may have left is released. With whole numbers it may be another's as well. */
START_TEST(an_unanswered_setnx_is_released_if_its_value_tells_us_apart)
{
    rdl_lock_init(&l, _i ? &rdl_lock_legacy : &rdl_lock_legacy_integer, &opt, &s.conn, "k", 1);
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&l, START + 2500), RDL_UNKNOWN);
    if (_i)
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "EVAL"));
    else
        ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* A lease that ended is there to be taken over; the request for that is on its way. */
static void take_over(int by_getset)
{
    rdl_lock_init(&l, &rdl_lock_legacy, &opt, &s.conn, "k", 1);
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_number(1699999999), START), RDL_PENDING);
    if (by_getset) {
        scripted_sent(&s);
        scripted_reply(&s, "-NOPERM no\r\n"); /* EVALSHA, EVAL, WATCH */
        scripted_sent(&s);
        scripted_reply(&s, "-NOPERM no\r\n");
        scripted_sent(&s);
        ck_assert_int_eq(answer("-NOPERM no\r\n-NOPERM no\r\n:-1\r\n-NOPERM no\r\n", START), RDL_PENDING);
    }
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), by_getset ? "GETSET" : rdl_script_replace.sha));
}

START_TEST(an_unanswered_take_over_is_released)
{
    const char *sent;

    take_over(_i);
    ck_assert_int_eq(rdl_lock_step(&l, START + 2500), RDL_UNKNOWN);
    sent = scripted_sent(&s);
    ck_assert_ptr_nonnull(strstr(sent, "EVAL\r\n"));
    ck_assert_ptr_nonnull(strstr(sent, "1700000011."));
}
END_TEST

START_TEST(a_take_over_that_meets_another_type_is_foreign)
{
    take_over(_i);
    ck_assert_int_eq(answer("-WRONGTYPE Operation against a key\r\n", START), RDL_E_FOREIGN_VALUE);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

Suite *suite_lock_legacy_wait(void);

Suite *suite_lock_legacy_wait(void)
{
    Suite *suite = suite_create("lock_legacy_wait");
    TCase *tc = tcase_create("wait");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, the_holder_has_time_until_it_can_be_taken_over, 0, 3);
    tcase_add_loop_test(tc, while_only_the_time_was_asked_for_nothing_is_owed, 0, 2);
    tcase_add_test(tc, the_value_of_the_lease_before_is_not_given_back_again);
    tcase_add_loop_test(tc, every_attempt_looks_for_itself, 0, 2);
    tcase_add_test(tc, a_lease_that_ends_while_the_time_is_asked_for_is_lost);
    tcase_add_loop_test(tc, an_unanswered_setnx_is_released_if_its_value_tells_us_apart, 0, 2);
    tcase_add_loop_test(tc, an_unanswered_take_over_is_released, 0, 2);
    tcase_add_loop_test(tc, a_take_over_that_meets_another_type_is_foreign, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
