/* SPDX-License-Identifier: MIT */
/* check_redlock_leap.c - the host slept: the clock leaps, and an earlier lease has expired. */
#include <string.h>

#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 1000, UNTIL = NOW + FLEET_TTL - FLEET_DRIFT };

static struct rdl_renewal renewal;

/* Five servers grant it at NOW, and a renewal timer watches over it. */
static void held(void)
{
    uint64_t now = NOW;

    fleet_init(5, NOW);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(now, NOW);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), UNTIL);
    rdl_renewal_renewed(&renewal, FLEET_TTL, 0, UNTIL, NOW);
}

static enum rdl_renewal_action renewal_says(uint64_t now)
{
    uint64_t at;

    return rdl_renewal_next(&renewal, now, &at);
}

static void nothing_is_left(uint64_t now)
{
    int i;

    for (i = 0; i < 3; i++) {
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert(rdl_redlock_is_idle(lock));
}

/* No request is needed: not a step, not a byte. */
START_TEST(redlock_leap_past_the_end_ends_the_lease)
{
    static const uint64_t leaps[] = {UNTIL, UNTIL + 1, NOW + 86400000u, UINT64_MAX};

    held();
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, leaps[_i]), 0);
    ck_assert_int_eq(renewal_says(leaps[_i]), RDL_RENEWAL_LOST);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, UNTIL - 1), 1);
    ck_assert_int_eq(renewal_says(UNTIL - 1), RDL_RENEWAL_RENEW);
}
END_TEST

/* The servers' clocks continued, or did not: even if they still have the keys. */
START_TEST(redlock_extend_after_a_leap_is_lost)
{
    uint64_t server_now = _i ? UNTIL + 5000 : NOW;
    size_t i;

    held();
    for (i = 0; i < 5; i++)
        scripted_sent(&fleet.s[i]);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, UNTIL + 5000), RDL_LOST);
    for (i = 0; i < 5; i++) /* a release, not an extend */
        ck_assert_str_eq(scripted_sent(&fleet.s[i]), wire_release_text("k", entropy_token(1)));
    nothing_is_left(server_now);
}
END_TEST

START_TEST(leap_during_extend_loses_a_confirmed_redlock)
{
    held();
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, UNTIL - 500), RDL_PENDING);
    fleet_serve_all(UNTIL - 500);
    ck_assert_int_eq(rdl_redlock_step(lock, UNTIL), RDL_LOST);
    nothing_is_left(UNTIL);
}
END_TEST

START_TEST(leap_during_acquire_invalidates_the_grants)
{
    fleet_init(5, NOW);
    ck_assert_int_eq(fleet_acquire(NOW), RDL_PENDING);
    fleet_serve_all(NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, UNTIL), RDL_EXPIRED);
    nothing_is_left(NOW + 100);
}
END_TEST

START_TEST(redlock_leap_while_waiting_ends_the_wait)
{
    size_t i;

    fleet_init(5, NOW);
    fleet.opt.lease.wait_ms = 5000;
    fleet.opt.lease.retry_ms = 50;
    for (i = 0; i < 5; i++)
        fleet_steal(i, NOW);
    ck_assert_int_eq(fleet_acquire(NOW), RDL_PENDING);
    fleet_serve_all(NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW + 5000), RDL_BUSY);
}
END_TEST

START_TEST(redlock_can_be_acquired_again_after_a_leap)
{
    uint64_t now = NOW + 86400000u;

    held();
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), FLEET_TTL - FLEET_DRIFT);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    nothing_is_left(now);
}
END_TEST

START_TEST(redlock_leap_within_the_lease_keeps_the_lock)
{
    uint64_t now = UNTIL - 600;

    held();
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 600);
    ck_assert_int_eq(renewal_says(now), RDL_RENEWAL_RENEW);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), now + FLEET_TTL - FLEET_DRIFT);
}
END_TEST

Suite *suite_redlock_leap(void)
{
    Suite *suite = suite_create("redlock_leap");
    TCase *tc = suite_case(suite, "leap", NULL, NULL);

    tcase_add_loop_test(tc, redlock_leap_past_the_end_ends_the_lease, 0, 4);
    tcase_add_loop_test(tc, redlock_extend_after_a_leap_is_lost, 0, 2);
    tcase_add_test(tc, leap_during_extend_loses_a_confirmed_redlock);
    tcase_add_test(tc, leap_during_acquire_invalidates_the_grants);
    tcase_add_test(tc, redlock_leap_while_waiting_ends_the_wait);
    tcase_add_test(tc, redlock_can_be_acquired_again_after_a_leap);
    tcase_add_test(tc, redlock_leap_within_the_lease_keeps_the_lock);
    return suite;
}
