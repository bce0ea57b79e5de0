/* SPDX-License-Identifier: MIT */
/* check_renewal.c - the renewal timer's table of times. Rule R33. */

#include "redlock/redlock.h"
#include "tests/suite.h"

enum { TTL = 9000 };

static const uint64_t starts[] = {0, 1000, UINT32_MAX - 4000u, UINT32_MAX, (uint64_t)UINT32_MAX * 9};

static struct rdl_renewal k;

static void expect(uint64_t now_ms, enum rdl_renewal_action action, uint64_t at_ms)
{
    uint64_t at = 0;

    ck_assert_int_eq(rdl_renewal_next(&k, now_ms, &at), action);
    if (action == RDL_RENEWAL_SLEEP)
        ck_assert_uint_eq(at, at_ms);
}

START_TEST(renewal_is_due_at_a_third_of_the_ttl)
{
    uint64_t t = starts[_i];
    uint64_t end = t + TTL - 92;

    rdl_renewal_renewed(&k, TTL, 0, end, t);
    expect(t, RDL_RENEWAL_SLEEP, t + 3000);
    expect(t + 2999, RDL_RENEWAL_SLEEP, t + 3000);
    expect(t + 3000, RDL_RENEWAL_RENEW, 0);
    expect(end - 1, RDL_RENEWAL_RENEW, 0);
    expect(end, RDL_RENEWAL_LOST, 0);
    expect(UINT64_MAX, RDL_RENEWAL_LOST, 0);
}
END_TEST

START_TEST(failed_renewal_is_retried_soon_and_often)
{
    uint64_t t = starts[_i];
    uint64_t end = t + TTL - 92;
    uint64_t now = t + 3000;
    int tries = 0;

    rdl_renewal_renewed(&k, TTL, 0, end, t);
    while (now < end) {
        uint64_t at;
        ck_assert_int_eq(rdl_renewal_next(&k, now, &at), RDL_RENEWAL_RENEW);
        rdl_renewal_failed(&k, now);
        tries++;
        ck_assert_int_eq(rdl_renewal_next(&k, now, &at),
                         RDL_RENEWAL_SLEEP); /* never at once: the server needs a break */
        ck_assert_uint_gt(at, now);
        ck_assert_uint_le(at, end); /* it never sleeps past the end */
        now = at;
    }
    ck_assert_int_ge(tries, 9);
    ck_assert_int_le(tries, 90); /* 27 of them until a sixth of the ttl is left */
    expect(now, RDL_RENEWAL_LOST, 0);
}
END_TEST

START_TEST(failed_renewal_is_retried_sooner_near_the_end)
{
    uint64_t at;

    rdl_renewal_renewed(&k, TTL, 0, 9000, 0);
    rdl_renewal_failed(&k, 3000);
    expect(3000, RDL_RENEWAL_SLEEP, 3301);
    rdl_renewal_failed(&k, 7000);
    expect(7000, RDL_RENEWAL_SLEEP, 7101);
    rdl_renewal_failed(&k, 8900); /* a twentieth would be no pause any more */
    expect(8900, RDL_RENEWAL_SLEEP, 8911);
    rdl_renewal_failed(&k, 9000);
    ck_assert_int_eq(rdl_renewal_next(&k, 9000, &at), RDL_RENEWAL_LOST);
}
END_TEST

START_TEST(renewal_restarts_the_table)
{
    rdl_renewal_renewed(&k, TTL, 0, 9000, 0);
    rdl_renewal_failed(&k, 3000);
    rdl_renewal_renewed(&k, TTL, 0, 12300, 3500);
    expect(3500, RDL_RENEWAL_SLEEP, 6500);
    expect(6500, RDL_RENEWAL_RENEW, 0);
    expect(12300, RDL_RENEWAL_LOST, 0);
}
END_TEST

/* The reply arrived, or was read, so late that a third from now is too late. */
START_TEST(short_remaining_lease_is_renewed_before_its_end)
{
    rdl_renewal_renewed(&k, TTL, 0, 1000, 0);
    expect(0, RDL_RENEWAL_SLEEP, 500);
    expect(500, RDL_RENEWAL_RENEW, 0);
    expect(1000, RDL_RENEWAL_LOST, 0);
    rdl_renewal_renewed(&k, TTL, 0, 1000, 999);
    expect(999, RDL_RENEWAL_RENEW, 0);
    rdl_renewal_renewed(&k, TTL, 0, 1000, 1000);
    expect(1000, RDL_RENEWAL_LOST, 0);
}
END_TEST

/* The host slept: whatever was planned, the lease has ended. */
START_TEST(lease_is_lost_after_a_clock_leap_past_its_end)
{
    rdl_renewal_renewed(&k, TTL, 0, 8908, 0);
    expect(1000000, RDL_RENEWAL_LOST, 0);
    rdl_renewal_failed(&k, 8907);
    expect(8908, RDL_RENEWAL_LOST, 0);
}
END_TEST

START_TEST(shortest_and_longest_ttl_work)
{
    uint64_t at;

    rdl_renewal_renewed(&k, 20, 0, 17, 0);
    expect(0, RDL_RENEWAL_SLEEP, 6);
    rdl_renewal_failed(&k, 6);
    ck_assert_int_eq(rdl_renewal_next(&k, 6, &at), RDL_RENEWAL_SLEEP);
    ck_assert_uint_eq(at, 8);
    rdl_renewal_renewed(&k, 199, 0, 190, 0);
    rdl_renewal_failed(&k, 100);
    expect(100, RDL_RENEWAL_SLEEP, 110);
    rdl_renewal_renewed(&k, RDL_TTL_MAX, 0, RDL_TTL_MAX, 0);
    expect(0, RDL_RENEWAL_SLEEP, 715827882);
}
END_TEST

enum { GRACE = 600 };

START_TEST(work_stops_a_grace_before_the_lease_ends)
{
    uint64_t t = starts[_i];
    uint64_t end = t + TTL - 92;
    uint64_t at;

    rdl_renewal_renewed(&k, TTL, GRACE, end, t);
    expect(t, RDL_RENEWAL_SLEEP, t + 3000);
    expect(t + 3000, RDL_RENEWAL_RENEW, 0);
    expect(end - GRACE - 1, RDL_RENEWAL_RENEW, 0);
    expect(end - GRACE, RDL_RENEWAL_STOP, 0);
    ck_assert_int_eq(rdl_renewal_next(&k, end - 1, &at), RDL_RENEWAL_STOP);
    ck_assert_uint_eq(at, end);
    expect(end, RDL_RENEWAL_LOST, 0);
}
END_TEST

/* Whatever failed: it wakes at the time to stop, and retries so often that it is not the first. */
START_TEST(failed_renewals_wake_in_time_to_stop)
{
    uint32_t grace = (uint32_t)_i * 100;
    uint64_t stop = TTL - 92 - grace;
    uint64_t now = 3000, at = now;
    int tries = 0;

    rdl_renewal_renewed(&k, TTL, grace, TTL - 92, 0);
    if (k.renew_ms < now)
        now = k.renew_ms;
    while (rdl_renewal_next(&k, now, &at) == RDL_RENEWAL_RENEW) {
        rdl_renewal_failed(&k, now);
        tries++;
        ck_assert_int_eq(rdl_renewal_next(&k, now, &at), RDL_RENEWAL_SLEEP);
        ck_assert_uint_le(at, stop);
        now = at;
    }
    ck_assert_uint_eq(now, stop);
    ck_assert_int_eq(rdl_renewal_next(&k, now, &at), grace > 0 ? RDL_RENEWAL_STOP : RDL_RENEWAL_LOST);
    ck_assert_int_ge(tries, 20);
    ck_assert_int_le(tries, 90);
}
END_TEST

/* The grace is most of the lease: half of the time to work is left for retries. */
START_TEST(long_grace_is_renewed_well_before_it_begins)
{
    rdl_renewal_renewed(&k, TTL, 5000, 9000, 0);
    expect(0, RDL_RENEWAL_SLEEP, 2000);
    expect(2000, RDL_RENEWAL_RENEW, 0);
    rdl_renewal_failed(&k, 2000);
    expect(2000, RDL_RENEWAL_SLEEP, 2101);
    expect(4000, RDL_RENEWAL_STOP, 0);
}
END_TEST

START_TEST(grace_of_all_that_is_left_stops_at_once)
{
    static const uint32_t graces[] = {8908, 8909, 20000, UINT32_MAX};

    rdl_renewal_renewed(&k, TTL, graces[_i], 8908, 0);
    expect(0, RDL_RENEWAL_STOP, 0);
    rdl_renewal_failed(&k, 0);
    expect(1, RDL_RENEWAL_STOP, 0);
    expect(8908, RDL_RENEWAL_LOST, 0);
    rdl_renewal_renewed(&k, TTL, graces[_i], 0, 0); /* it is lost already */
    expect(0, RDL_RENEWAL_LOST, 0);
}
END_TEST

/* A renewal that was under way succeeds after the time to stop. */
START_TEST(renewal_during_the_grace_ends_it)
{
    rdl_renewal_renewed(&k, TTL, GRACE, 8908, 0);
    expect(8400, RDL_RENEWAL_STOP, 0);
    rdl_renewal_renewed(&k, TTL, GRACE, 17208, 8400);
    expect(8400, RDL_RENEWAL_SLEEP, 11400);
    expect(17208 - GRACE, RDL_RENEWAL_STOP, 0);
}
END_TEST

START_TEST(timer_that_is_all_zero_is_lost)
{
    const struct rdl_renewal zero = {0, 0, 0, 0};

    k = zero;
    expect(0, RDL_RENEWAL_LOST, 0);
    expect(1, RDL_RENEWAL_LOST, 0);
}
END_TEST

Suite *suite_renewal(void)
{
    Suite *suite = suite_create("renewal");
    TCase *tc = suite_case(suite, "renewal", NULL, NULL);

    tcase_add_loop_test(tc, renewal_is_due_at_a_third_of_the_ttl, 0, 5);
    tcase_add_loop_test(tc, failed_renewal_is_retried_soon_and_often, 0, 5);
    tcase_add_test(tc, failed_renewal_is_retried_sooner_near_the_end);
    tcase_add_test(tc, renewal_restarts_the_table);
    tcase_add_test(tc, short_remaining_lease_is_renewed_before_its_end);
    tcase_add_test(tc, lease_is_lost_after_a_clock_leap_past_its_end);
    tcase_add_test(tc, shortest_and_longest_ttl_work);
    tcase_add_loop_test(tc, work_stops_a_grace_before_the_lease_ends, 0, 5);
    tcase_add_loop_test(tc, failed_renewals_wake_in_time_to_stop, 0, 61);
    tcase_add_test(tc, long_grace_is_renewed_well_before_it_begins);
    tcase_add_loop_test(tc, grace_of_all_that_is_left_stops_at_once, 0, 4);
    tcase_add_test(tc, renewal_during_the_grace_ends_it);
    tcase_add_test(tc, timer_that_is_all_zero_is_lost);
    return suite;
}
