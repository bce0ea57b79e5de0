/* SPDX-License-Identifier: MIT */
/* Fencing numbers over N servers: unique, growing, and no more round trips than they need. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/fleet.h"

#define lock (&fleet.lock)

static uint64_t now;

static void fenced(size_t n)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.fencing = &rdl_redlock_fenced;
}

static void counters(const unsigned *c)
{
    char command[64];
    size_t i;

    for (i = 0; i < fleet.n; i++) {
        snprintf(command, sizeof command, "SET {k}:fence %u\r\n", c[i]);
        fleet_command(i, command, now);
    }
}

static int acquire(void)
{
    int rc = fleet_run(fleet_acquire(now), &now);

    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    return rc;
}

static void release(void)
{
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}

/* Forget the last number, as another client would never have known it. */
static void another_client(void)
{
    rdl_redlock_set_floor(lock, 0);
}

START_TEST(numbers_grow_and_cost_one_round_trip_when_the_counters_agree)
{
    uint64_t last = 0;
    int i;

    fenced(5);
    acquire(); /* the scripts are known from now on */
    release();
    for (i = 0; i < 3; i++) {
        another_client();
        ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
        ck_assert_uint_gt(rdl_redlock_fence(lock), last);
        last = rdl_redlock_fence(lock);
        release();
    }
}
END_TEST

/* The counter-example to taking the greatest alone: 11 by the first two, then 3 by the last two. */
START_TEST(the_second_holder_has_the_greater_number)
{
    const unsigned c[] = {10, 1, 1};
    uint64_t first;

    fenced(3);
    counters(c);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    first = rdl_redlock_fence(lock);
    ck_assert_uint_eq(first, 11);
    release();
    fleet.mood[2] = MOOD_UP;
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet.mood[0] = MOOD_FROZEN;
    another_client();
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_gt(rdl_redlock_fence(lock), first);
}
END_TEST

START_TEST(what_cannot_be_written_back_is_not_held)
{
    const unsigned c[] = {10, 1, 1};

    fenced(3);
    counters(c);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now); /* 11, 2, 2 */
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet.mood[1] = fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_NO_QUORUM);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
    now += FLEET_ATTEMPT;
    fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* They know the script; their counters differ, and they are asked. */
static void ask_three_that_differ(void)
{
    const unsigned c[] = {10, 1, 1};

    fenced(3);
    acquire();
    release();
    counters(c);
    another_client();
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
}

/* All three granted it; two of them are gone before the greatest number can be told to one. */
START_TEST(a_majority_that_does_not_come_to_hold_the_number_is_none)
{
    ask_three_that_differ();
    fleet_down(1);
    fleet_down(2);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_NO_QUORUM);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
    fleet_mend(now + FLEET_ATTEMPT);
    ck_assert_uint_eq(fleet_keys(now + FLEET_ATTEMPT), 0);
}
END_TEST

START_TEST(who_granted_it_and_is_gone_is_not_needed_for_the_number)
{
    ask_three_that_differ();
    fleet_down(2);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve(1, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
}
END_TEST

START_TEST(a_floor_is_the_least_number)
{
    fenced(3);
    rdl_redlock_set_floor(lock, 1700000000000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1700000000000);
    release();
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1700000000001);
}
END_TEST

/* The server knows none, or the user may run none. */
START_TEST(without_scripts_it_is_refused_and_not_faked)
{
    static struct sim_features none;
    size_t i;

    fenced(3);
    none = *fleet.s[0].model.features;
    none.no_scripts = _i == 0;
    none.denied = _i == 0 ? NULL : " eval evalsha ";
    for (i = 0; i < 2; i++)
        fleet.s[i].model.features = &none;
    ck_assert_int_eq(acquire(), RDL_E_FENCE);
}
END_TEST

START_TEST(a_server_in_quarantine_gives_no_number)
{
    const unsigned c[] = {1, 1, 90};
    size_t i;

    fenced(3);
    counters(c);
    fleet.opt.guard = RDL_GUARD_REQUIRED;
    for (i = 0; i < 3; i++)
        rdl_conn_upkeep(&fleet.s[i].conn, now);
    now += FLEET_TTL + 1000;
    fleet.s[2].conn.facts.up_ms = (int64_t)now;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 2);
}
END_TEST

START_TEST(a_gap_voids_the_number)
{
    fenced(5);
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_delete(3, now);
    fleet_delete(4, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_REPAIRED);
    ck_assert_uint_gt(rdl_redlock_fence(lock), 0);
    fleet_steal(1, now);
    fleet_steal(2, now);
    fleet.opt.accept_gap = 1;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_RESUMED);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}
END_TEST

/* Any minority freezes and thaws, counters start anywhere: one holder after the other. 10,000 schedules. */
START_TEST(random_schedules_give_unique_growing_numbers)
{
    uint32_t seed = 12345u + (uint32_t)_i;
    int round, holders;

    for (round = 0; round < 200; round++) {
        size_t n = 3 + 2 * ((unsigned)round % 3), i;
        unsigned c[7] = {0};
        uint64_t last = 0;
        fenced(n);
        for (i = 0; i < n; i++)
            c[i] = rdl_backoff_ms(&seed, 20, 20, 0) - 1;
        counters(c);
        for (holders = 0; holders < (round % 25 ? 2 : 8); holders++) {
            for (i = 0; i < n; i++)
                fleet.mood[i] = MOOD_UP;
            for (i = 0; i < n / 2; i++)
                fleet.mood[(rdl_backoff_ms(&seed, 7, 7, 0) - 1) % n] = MOOD_FROZEN;
            another_client();
            ck_assert_int_eq(acquire(), RDL_OK);
            ck_assert_uint_gt(rdl_redlock_fence(lock), last);
            last = rdl_redlock_fence(lock);
            release();
            now += 2 * FLEET_TTL; /* whoever was frozen has nothing left of it */
            for (i = 0; i < n; i++)
                fleet.mood[i] = MOOD_UP;
            fleet_serve_all(now);
            rdl_redlock_step(lock, now);
            fleet_serve_all(now);
        }
    }
}
END_TEST

Suite *suite_redlock_fence(void);

Suite *suite_redlock_fence(void)
{
    Suite *suite = suite_create("redlock_fence");
    TCase *tc = tcase_create("fence");

    tcase_add_test(tc, numbers_grow_and_cost_one_round_trip_when_the_counters_agree);
    tcase_add_test(tc, the_second_holder_has_the_greater_number);
    tcase_add_test(tc, what_cannot_be_written_back_is_not_held);
    tcase_add_test(tc, a_majority_that_does_not_come_to_hold_the_number_is_none);
    tcase_add_test(tc, who_granted_it_and_is_gone_is_not_needed_for_the_number);
    tcase_add_test(tc, a_floor_is_the_least_number);
    tcase_add_loop_test(tc, without_scripts_it_is_refused_and_not_faked, 0, 2);
    tcase_add_test(tc, a_server_in_quarantine_gives_no_number);
    tcase_add_test(tc, a_gap_voids_the_number);
    tcase_add_loop_test(tc, random_schedules_give_unique_growing_numbers, 0, 50);
    suite_add_tcase(suite, tc);
    return suite;
}
