/* SPDX-License-Identifier: MIT */
/* check_redlock_cost.c - what an acquire on N servers cost: SETs to all of them, refusals, time. */

#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static void set_wait(void)
{
    fleet.opt.lease.wait_ms = 5000;
    fleet.opt.lease.retry_ms = 50;
}

static void assert_cost(unsigned sets, unsigned busy, uint64_t took_ms)
{
    struct rdl_stats cost = rdl_redlock_stats(lock);

    ck_assert_uint_eq(cost.attempts, sets);
    ck_assert_uint_eq(cost.refused, busy);
    ck_assert_uint_eq(cost.took_ms, took_ms);
}

START_TEST(every_request_to_a_server_counts_as_a_set)
{
    uint64_t now = 1000;

    fleet_init(5, 1000);
    fleet_down(4);
    assert_cost(0, 0, 0);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    assert_cost(4, 0, now - 1000);
}
END_TEST

/* The second attempt goes to one server first, and to all when that one grants it. */
START_TEST(every_refused_attempt_counts_as_a_refusal)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, 1000);
    set_wait();
    for (i = 0; i < 5; i++)
        fleet_command(i, "SET k other PX 40\r\n", 1000);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    assert_cost(5, 1, 0);
    now = 1041;
    for (i = 0; i < 5; i++)
        fleet_command(i, "DEL k\r\n", now);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    assert_cost(10, 1, now - 1000);
}
END_TEST

START_TEST(missing_servers_are_not_a_refusal)
{
    uint64_t now = 1000;

    fleet_init(3, 1000);
    fleet.mood[0] = fleet.mood[1] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
    assert_cost(3, 0, FLEET_ATTEMPT);
}
END_TEST

/* Extends restore keys by a SET: these do not count for the acquire. */
START_TEST(redlock_cost_stays_unchanged_until_the_next_acquire)
{
    uint64_t now = 1000;

    fleet_init(3, 1000);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    now = 2000;
    fleet_delete(0, now);
    rdl_redlock_step(lock, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_REPAIRED);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    assert_cost(3, 0, 0);
    ck_assert_int_eq(fleet_acquire(now + 5), RDL_PENDING);
    assert_cost(3, 0, 0);
    rdl_redlock_cancel(lock);
    fleet.opt.guard = RDL_GUARD_OFF + 1;
    ck_assert_int_eq(fleet_acquire(now + 9), RDL_E_CONFIG);
    assert_cost(3, 0, 0);
}
END_TEST

START_TEST(request_sent_after_the_grant_counts)
{
    uint64_t now = 1000;

    fleet_init(3, 1000);
    fleet_down(2);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    assert_cost(2, 0, 0);
    fleet_up(2);
    fleet_connect(2, 1100);
    rdl_redlock_step(lock, 1100);
    assert_cost(3, 0, 0);
}
END_TEST

START_TEST(redlock_cost_counters_stop_at_65535)
{
    size_t i;

    fleet_init(3, 1000);
    set_wait();
    for (i = 0; i < 3; i++)
        fleet_command(i, "SET k other PX 40\r\n", 1000);
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING);
    lock->attempts = UINT16_MAX - 1;
    lock->refused = UINT16_MAX;
    fleet_serve_all(1000);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, 1500), RDL_PENDING);
    assert_cost(UINT16_MAX, UINT16_MAX, 500);
}
END_TEST

Suite *suite_redlock_cost(void)
{
    Suite *suite = suite_create("redlock_cost");
    TCase *tc = suite_case(suite, "all", NULL, NULL);

    tcase_add_test(tc, every_request_to_a_server_counts_as_a_set);
    tcase_add_test(tc, every_refused_attempt_counts_as_a_refusal);
    tcase_add_test(tc, missing_servers_are_not_a_refusal);
    tcase_add_test(tc, redlock_cost_stays_unchanged_until_the_next_acquire);
    tcase_add_test(tc, request_sent_after_the_grant_counts);
    tcase_add_test(tc, redlock_cost_counters_stop_at_65535);
    return suite;
}
