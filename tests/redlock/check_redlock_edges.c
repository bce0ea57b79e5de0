/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_edges.c - where two limits meet: the deadline, the end of the lease, the end of an attempt.
 */
#include <check.h>
#include <string.h>

#include "tests/fixtures/fleet.h"

#define lock (&fleet.lock)

static uint64_t now;

static void begin(size_t n, uint32_t wait_ms)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.lease.wait_ms = wait_ms;
    fleet.opt.lease.retry_ms = 50;
}

static void freeze(size_t from, size_t to)
{
    for (; from < to; from++)
        fleet.mood[from] = MOOD_FROZEN;
}

/* All servers reply until this attempt has failed; then the next one begins, at `now`. */
static void next_attempt(void)
{
    int i;

    for (i = 0; i < 2; i++) {
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    now = rdl_redlock_wake_ms(lock);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
}

/* ---------------------------------------------------------------- the deadline */

/*
 * The first attempt uses all servers and so does the third, which gets neither a reply nor the time for one.
 */
START_TEST(attempt_cut_short_has_the_result_of_the_one_before)
{
    size_t i;

    begin(5, 200);
    for (i = 0; i < 5; i++)
        fleet_command(i, "SET k other\r\n", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    next_attempt();
    next_attempt();
    freeze(0, 5);
    ck_assert_uint_gt(now + FLEET_ATTEMPT, 1200);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), 1200);
    ck_assert_int_eq(rdl_redlock_step(lock, 1199), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, 1200), RDL_BUSY);
}
END_TEST

START_TEST(servers_after_the_probe_server_share_the_deadline)
{
    size_t i;

    begin(5, 200);
    for (i = 0; i < 5; i++)
        fleet_command(i, "SET k other\r\n", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    next_attempt();
    fleet_delete(0, now);
    fleet_serve(0, now);
    freeze(1, 5);
    ck_assert_int_eq(rdl_redlock_step(lock, now),
                     RDL_PENDING); /* it is granted there; the others get the request */
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), 1200);
    ck_assert_int_lt(rdl_redlock_step(lock, 1200), 0);
}
END_TEST

START_TEST(raising_the_token_ends_at_the_deadline)
{

    begin(3, 200);
    fleet.opt.fencing = &rdl_fencing;
    fleet_command(0, "SET {k}:fence 10\r\n", now);
    fleet_steal(0, now);
    fleet_steal(1, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    while (lock->tries == 0) { /* until they know the script */
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    fleet_serve_all(now);
    fleet_delete(0, now);
    fleet_delete(1, now);
    now = rdl_redlock_wake_ms(lock);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    while (lock->number == 0) {
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    ck_assert_uint_ge(lock->number, 11);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), 1200);
    freeze(0, 3);
    ck_assert_int_eq(rdl_redlock_step(lock, 1200), RDL_BUSY); /* as it was before */
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}
END_TEST

/* ---------------------------------------------------------------- the end of the lease */

/* The replies were there in time but are read late: the wait for the repair ends with the new lease. */
START_TEST(repair_ends_with_the_lease)
{
    uint64_t until;

    begin(5, 0);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_delete(4, now);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now + 1), RDL_PENDING);
    fleet_serve_all(now + 1);
    fleet_serve_all(now + 1);
    freeze(4, 5);
    until = now + 1 + FLEET_TTL - FLEET_DRIFT;
    ck_assert_int_eq(rdl_redlock_step(lock, until - 50), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), until);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), until);
    ck_assert_int_eq(rdl_redlock_step(lock, until), RDL_LOST);
}
END_TEST

/* ---------------------------------------------------------------- other limits */

/* No connection is established: one attempt lasts as long as the slowest may take. */
START_TEST(single_attempt_waits_for_the_slowest_connect)
{
    size_t i;

    begin(3, 0);
    fleet.opt.lease.retry_ms = 0;
    for (i = 0; i < 3; i++) {
        fleet.s[i].cfg.connect_ms = i == 1 ? 900 : 400;
        fleet_down(i);
        fleet_up(i);
        rdl_conn_tick(&fleet.s[i].conn, now);
    }
    now += 4000; /* their pauses are over */
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_uint_eq(lock->deadline_ms, now + 900);
}
END_TEST

/* The key is gone on a server that is then gone, too: nothing is restored there, and nothing is missing. */
START_TEST(missing_key_on_a_lost_connection_is_not_restored)
{
    begin(5, 0);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_delete(4, now);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve_all(now);
    fleet_serve_all(now);
    fleet_down(4);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_int_eq(fleet.servers[4].vote, RDL_VOTE_ABSENT);
}
END_TEST

START_TEST(connection_closed_before_the_reply_is_reported)
{
    char line[128];

    begin(3, 0);
    freeze(0, 1);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    fleet_down(0);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    rdl_redlock_report(lock, 0, now, line, sizeof line);
    ck_assert_str_eq(line, "no reply: the connection was closed before the reply");
}
END_TEST

/*
 * Server 1 had lost the key, and reported that after the extend had ended. It says nothing more; the key on
 * server 2 is another client's. So no majority held the lock until the release.
 */
START_TEST(release_counts_replies_that_arrived_after_the_extend)
{
    begin(3, 0);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_delete(1, now);
    fleet.mood[1] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    fleet.mood[1] = MOOD_UP;
    fleet_serve(1, now);
    fleet.mood[1] = MOOD_FROZEN;
    fleet_steal(2, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_EXPIRED);
}
END_TEST

Suite *suite_redlock_edges(void);

Suite *suite_redlock_edges(void)
{
    Suite *suite = suite_create("redlock_edges");
    TCase *tc = tcase_create("edges");

    tcase_add_test(tc, attempt_cut_short_has_the_result_of_the_one_before);
    tcase_add_test(tc, servers_after_the_probe_server_share_the_deadline);
    tcase_add_test(tc, raising_the_token_ends_at_the_deadline);
    tcase_add_test(tc, repair_ends_with_the_lease);
    tcase_add_test(tc, connection_closed_before_the_reply_is_reported);
    tcase_add_test(tc, single_attempt_waits_for_the_slowest_connect);
    tcase_add_test(tc, missing_key_on_a_lost_connection_is_not_restored);
    tcase_add_test(tc, release_counts_replies_that_arrived_after_the_extend);
    suite_add_tcase(suite, tc);
    return suite;
}
