/* SPDX-License-Identifier: MIT */
/*
 * check_lock_leap.c - the host slept and its clock leaps: what that does to a lock on one server that did not
 * sleep.
 *
 * Rule R2.
 */

#include "lock/lock.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 10000, UNTIL = NOW + TTL - 102 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, NOW);
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

static int acquire(uint64_t now_ms)
{
    return rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);
}

static void held(void)
{
    ck_assert_int_eq(acquire(NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
}

/* No request is needed: not a step, not a byte. */
START_TEST(clock_leap_past_the_end_ends_the_lease)
{
    static const uint64_t leaps[] = {UNTIL, UNTIL + 1, NOW + 86400000u, UINT64_MAX};

    held();
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, leaps[_i]), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, UNTIL - 1), 1);
}
END_TEST

START_TEST(leap_past_the_end_makes_extend_release_the_lock)
{
    held();
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, UNTIL), RDL_LOST);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

/*
 * The server agreed, but it is unknown for how long the lock was ours: anything may have happened in between.
 */
START_TEST(leap_during_extend_loses_a_confirmed_lock)
{
    held();
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, UNTIL - 500), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, UNTIL), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, UNTIL), 0);
}
END_TEST

START_TEST(leap_during_acquire_releases_the_grant)
{
    ck_assert_int_eq(acquire(NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, UNTIL), RDL_EXPIRED);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

START_TEST(clock_leap_while_waiting_ends_the_wait)
{
    opt.wait_ms = 5000;
    opt.retry_ms = 50;
    ck_assert_int_eq(acquire(NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "$-1\r\n:9000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 5000), RDL_BUSY);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* What may be left of the old lease is released first. */
START_TEST(lock_can_be_acquired_again_after_a_leap)
{
    uint64_t now_ms = NOW + 86400000u;

    held();
    ck_assert_int_eq(acquire(now_ms), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_release_text("k", entropy_token(1)),
                                                  wire_acquire("k", entropy_token(2), TTL), NULL));
    scripted_reply(&s, ":-1\r\n+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, now_ms), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, now_ms), TTL - 102);
}
END_TEST

START_TEST(clock_leap_within_the_lease_keeps_the_lock)
{
    held();
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, UNTIL - 600), 600);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, UNTIL - 600), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, UNTIL - 600), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, UNTIL - 600), TTL - 102);
}
END_TEST

Suite *suite_lock_leap(void)
{
    Suite *suite = suite_create("lock_leap");
    TCase *tc = suite_case(suite, "leap", setup, NULL);

    tcase_add_loop_test(tc, clock_leap_past_the_end_ends_the_lease, 0, 4);
    tcase_add_test(tc, leap_past_the_end_makes_extend_release_the_lock);
    tcase_add_test(tc, leap_during_extend_loses_a_confirmed_lock);
    tcase_add_test(tc, leap_during_acquire_releases_the_grant);
    tcase_add_test(tc, clock_leap_while_waiting_ends_the_wait);
    tcase_add_test(tc, lock_can_be_acquired_again_after_a_leap);
    tcase_add_test(tc, clock_leap_within_the_lease_keeps_the_lock);
    return suite;
}
