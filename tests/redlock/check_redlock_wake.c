/* SPDX-License-Identifier: MIT */
/* check_redlock_wake.c - the blocking calls of a redlock and a driver that is woken from outside. */
#include "redlock/redlock.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NEVER = 1000, BOUND = 5000 };

static uint64_t now;
static int polls, wakes_from, serves_from;
static int result; /* of a poll that is woken */

static int poll_fleet(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns;
    if (++polls >= wakes_from && ((flags & RDL_POLL_CAN_WAKE) || result == RDL_E_SYSTEM))
        return result;
    if (polls >= serves_from)
        fleet_serve_all(now);
    else
        for (size_t i = 0; i < n; i++)
            scripted_sent(&fleet.s[i]);
    if (polls % 3 == 0 && until_ms > now && until_ms != UINT64_MAX)
        now = until_ms;
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_fleet, scripted_clock, scripted_random, &now};

static void setup(void)
{
    now = 100000;
    polls = serves_from = 0;
    wakes_from = NEVER;
    result = RDL_E_INTERRUPTED;
    fleet_init(3, now);
    fleet.opt.lease.wait_ms = BOUND;
    fleet.opt.lease.retry_ms = 50;
}

/* One of three is free: it grants each attempt, which then releases it. */
START_TEST(waiting_redlock_acquire_ends_when_woken)
{
    fleet_steal(0, now);
    fleet_steal(1, now);
    wakes_from = _i;
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_E_INTERRUPTED);
    ck_assert_int_eq(rdl_redlock_drain(lock, &platform, now + BOUND), RDL_OK);
    ck_assert_uint_lt(now, 100000 + BOUND);
    ck_assert(!scripted_has_key(&fleet.s[2], "k", now));
    ck_assert_uint_eq(fleet_keys(now), 2);
}
END_TEST

/* The SETs are sent and have no reply: without drain, too, the driver got the releases. */
START_TEST(woken_acquire_passes_all_releases_to_the_driver)
{
    result = _i ? RDL_E_SYSTEM : RDL_E_INTERRUPTED;
    wakes_from = serves_from = 3; /* the first reads what came before, the second sends */
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), result);
    if (_i == 1) { /* a failing driver takes nothing */
        ck_assert_int_eq(rdl_redlock_drain(lock, &platform, now + BOUND), RDL_E_SYSTEM);
        return;
    }
    ck_assert(rdl_redlock_is_idle(lock));
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(wake_does_not_end_extend_release_or_drain)
{
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_OK);
    wakes_from = 0;
    ck_assert_int_ge(rdl_redlock_extend(lock, &platform, FLEET_TTL), RDL_OK);
    ck_assert_int_eq(rdl_redlock_release(lock, &platform), RDL_OK);
    ck_assert_int_eq(rdl_redlock_drain(lock, &platform, now + BOUND), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

Suite *suite_redlock_wake(void)
{
    Suite *suite = suite_create("redlock_wake");
    TCase *tc = suite_case(suite, "wake", setup, NULL);

    tcase_add_loop_test(tc, waiting_redlock_acquire_ends_when_woken, 0, 12);
    tcase_add_loop_test(tc, woken_acquire_passes_all_releases_to_the_driver, 0, 2);
    tcase_add_test(tc, wake_does_not_end_extend_release_or_drain);
    return suite;
}
