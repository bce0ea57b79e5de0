/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_edges.c - where two limits meet: the deadline, the end of the lease, the end of an attempt.
 */
#include <stdio.h>
#include <string.h>

#include "tests/fixtures/fleet.h"
#include "tests/fixtures/guard_page.h"
#include "tests/suite.h"

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

/* Its server is silent, and the program is delayed until the deadline. Before, the lock was busy. */
START_TEST(attempt_that_had_its_time_has_its_own_result)
{
    begin(1, 1000);
    fleet_steal(0, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    next_attempt();
    freeze(0, 1);
    ck_assert_uint_le(now + FLEET_ATTEMPT, 2000);
    if (_i)
        lock->deadline_ms = now + FLEET_ATTEMPT;
    ck_assert_int_eq(rdl_redlock_step(lock, lock->deadline_ms), RDL_NO_QUORUM);
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
    ck_assert_uint_eq(lock->number, 11);
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

/* ---------------------------------------------------------------- replies and results */

static void hold(size_t n)
{
    begin(n, 0);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
}

static int extend(uint32_t ttl_ms)
{
    return fleet_run(rdl_redlock_extend_begin(lock, ttl_ms, now), &now);
}

static int release(void)
{
    return fleet_run(rdl_redlock_release_begin(lock, now), &now);
}

/* What the servers report, and what a release returns at once: no other reply could change it. */
START_TEST(release_ends_when_its_result_is_certain)
{
    static const struct {
        const char *fates;
        int result;
    } cases[] = {{".fggg", RDL_EXPIRED},
                 {".ee", RDL_UNKNOWN},
                 {".ss", RDL_LOST},
                 {"..f", RDL_OK},
                 {"ffggg", RDL_EXPIRED}};

    hold(strlen(cases[_i].fates));
    fleet_befall(cases[_i].fates, now);
    ck_assert_int_eq(release(), cases[_i].result);
    ck_assert_uint_eq(now, 1000);
}
END_TEST

/* Two servers refused the acquire; another client gets a third one later. */
START_TEST(release_does_not_count_the_votes_of_the_acquire)
{
    begin(5, 0);
    fleet_befall("...ss", now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_steal(0, now);
    ck_assert_int_eq(release(), RDL_EXPIRED);
}
END_TEST

/* Server 1 does not reply: it may have held the key, as the token says. */
START_TEST(adopted_key_counts_as_held_until_a_server_reports_otherwise)
{
    char token[RDL_TOKEN_TEXT_MAX];

    hold(3);
    rdl_redlock_token(lock, token);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, strlen(token)), RDL_OK);
    fleet_befall(".fg", now);
    ck_assert_int_eq(release(), RDL_OK);
}
END_TEST

/* Server 1 had lost the key, and reported that late; then a delayed SET put it back. */
START_TEST(extend_counts_replies_that_arrived_before)
{
    char token[RDL_TOKEN_TEXT_MAX];
    char set[128];

    hold(3);
    fleet_delete(1, now);
    fleet.mood[1] = MOOD_FROZEN;
    ck_assert_int_eq(extend(FLEET_TTL), RDL_OK);
    fleet.mood[1] = MOOD_UP;
    fleet_serve(1, now);
    rdl_redlock_token(lock, token);
    snprintf(set, sizeof set, "SET k %s PX 10000\r\n", token);
    fleet_command(1, set, now);
    fleet_steal(2, now);
    ck_assert_int_eq(extend(FLEET_TTL), RDL_E_GAP);
}
END_TEST

/* Server 4 does not reply, but only 3 gets its key back. */
START_TEST(repair_does_not_wait_for_other_replies)
{
    hold(5);
    fleet_befall("...gf", now);
    ck_assert_int_eq(extend(FLEET_TTL), RDL_REPAIRED);
    ck_assert_uint_eq(now, 1000);
}
END_TEST

/* The servers may have executed the longer one, so a shorter one confirms that. */
START_TEST(extend_after_an_unanswered_longer_one_is_as_long)
{
    hold(1);
    fleet.opt.max_ttl_ms = 30000;
    fleet.mood[0] = MOOD_FROZEN;
    now = 2000;
    ck_assert_int_eq(extend(30000), RDL_UNKNOWN);
    fleet.mood[0] = MOOD_UP;
    now = 3000;
    ck_assert_int_eq(extend(FLEET_TTL), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 3000 + 29000 - 292);
}
END_TEST

/* Servers 1 and 2 are not certain yet: 1 replied with an error, 2 is far away and has more time. */
START_TEST(repeated_release_is_sent_to_a_server_that_may_still_reply)
{
    hold(3);
    fleet.s[2].conn.rtt_ms = 1000;
    fleet_befall(".ef", now);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_redlock_error(lock, 2), RDL_E_ABANDONED);
    fleet.mood[2] = MOOD_UP;
    ck_assert_int_eq(release(), RDL_OK);
}
END_TEST

/* Server 0 has released the lock, has lost it, or lost it to another client. */
START_TEST(repeated_release_is_sent_to_no_server_that_has_replied)
{
    static const char *const fates[] = {".ff", "gff", "sff"};

    hold(3);
    fleet_befall(fates[_i], now);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    scripted_sent(&fleet.s[0]);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&fleet.s[0]), "");
}
END_TEST

START_TEST(no_extend_is_sent_at_the_end_of_the_lease)
{
    hold(1);
    scripted_sent(&fleet.s[0]);
    now = rdl_redlock_until_ms(lock);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_LOST);
    ck_assert_str_eq(scripted_sent(&fleet.s[0]), wire_release_text("k", entropy_token(1)));
    ck_assert_uint_eq(fleet.servers[0].vote, RDL_VOTE_GRANTED); /* that of the acquire */
}
END_TEST

START_TEST(no_attempt_begins_at_the_deadline)
{
    begin(1, 60);
    fleet_steal(0, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 60), RDL_BUSY);
    ck_assert_uint_eq(rdl_redlock_stats(lock).attempts, 1);
}
END_TEST

/* ---------------------------------------------------------------- one operation after another */

START_TEST(longest_hold_of_an_adopted_lease_begins_with_its_first_extend)
{
    char token[RDL_TOKEN_TEXT_MAX];

    hold(1);
    fleet.opt.max_hold_ms = 2 * FLEET_TTL;
    rdl_redlock_token(lock, token);
    now += 9000;
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(extend(FLEET_TTL), RDL_ADOPTED);
    now += 6000;
    ck_assert_int_eq(extend(FLEET_TTL), RDL_OK);
    now += 6000;
    ck_assert_int_eq(extend(FLEET_TTL), RDL_E_CAP);
}
END_TEST

/* The one before ended at its deadline. */
START_TEST(first_attempt_of_every_acquire_has_its_time)
{
    begin(1, 60);
    fleet_steal(0, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_BUSY);
    fleet.mood[0] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_NO_QUORUM);
}
END_TEST

START_TEST(lock_without_fencing_keeps_no_token_of_an_earlier_lease)
{
    begin(1, 0);
    fleet.opt.fencing = &rdl_fencing;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1);
    ck_assert_int_eq(release(), RDL_OK);
    fleet.opt.fencing = NULL;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}
END_TEST

/* So that clients do not pause for the same times. */
START_TEST(pauses_depend_on_the_random_bytes)
{
    uint8_t entropy[RDL_ENTROPY_LEN] = {0};
    uint64_t wakes[8];
    size_t i;

    for (i = 0; i < 8; i++) {
        begin(1, 60000);
        fleet.opt.lease.retry_ms = 2000;
        fleet_steal(0, now);
        entropy[0] = (uint8_t)i;
        ck_assert_int_eq(rdl_redlock_acquire_begin(lock, entropy, now), RDL_PENDING);
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
        wakes[i] = rdl_redlock_wake_ms(lock);
    }
    for (i = 1; i < 8 && wakes[i] == wakes[0]; i++) {
    }
    ck_assert_uint_lt(i, 8);
}
END_TEST

/* servers[] is at the end of memory. */
START_TEST(nothing_beyond_the_last_server_is_used)
{
    static const struct rdl_server none[3];
    struct rdl_server *servers = (void *)at_the_edge(none, sizeof none);
    char token[RDL_TOKEN_TEXT_MAX];
    size_t i;

    begin(3, 0);
    for (i = 0; i < 3; i++)
        servers[i].conn = &fleet.s[i].conn;
    fleet.opt.fencing = &rdl_fencing;
    ck_assert_int_eq(rdl_redlock_init(lock, &fleet.opt, servers, 3, "k", 1), RDL_OK);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_delete(1, now);
    ck_assert_int_eq(extend(FLEET_TTL), RDL_REPAIRED);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 2);
    rdl_redlock_token(lock, token);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(extend(FLEET_TTL), RDL_ADOPTED);
    fleet_befall(".ss", now);
    ck_assert_int_eq(extend(FLEET_TTL), RDL_LOST);
    fleet_command(0, "SET k other\r\n", now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_BUSY);
    ck_assert_int_eq(rdl_redlock_holder_ms(lock), 5000);
    for (i = 0; i < 3; i++)
        fleet_delete(i, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_befall("eee", now);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
}
END_TEST

Suite *suite_redlock_edges(void)
{
    Suite *suite = suite_create("redlock_edges");
    TCase *tc = suite_case(suite, "edges", NULL, NULL);
    TCase *memory = suite_case(suite, "memory", edge_setup, edge_teardown);

    tcase_add_test(tc, attempt_cut_short_has_the_result_of_the_one_before);
    tcase_add_loop_test(tc, attempt_that_had_its_time_has_its_own_result, 0, 2);
    tcase_add_test(tc, servers_after_the_probe_server_share_the_deadline);
    tcase_add_test(tc, raising_the_token_ends_at_the_deadline);
    tcase_add_test(tc, repair_ends_with_the_lease);
    tcase_add_test(tc, connection_closed_before_the_reply_is_reported);
    tcase_add_test(tc, single_attempt_waits_for_the_slowest_connect);
    tcase_add_test(tc, missing_key_on_a_lost_connection_is_not_restored);
    tcase_add_test(tc, release_counts_replies_that_arrived_after_the_extend);
    tcase_add_loop_test(tc, release_ends_when_its_result_is_certain, 0, 5);
    tcase_add_test(tc, release_does_not_count_the_votes_of_the_acquire);
    tcase_add_test(tc, adopted_key_counts_as_held_until_a_server_reports_otherwise);
    tcase_add_test(tc, extend_counts_replies_that_arrived_before);
    tcase_add_test(tc, repair_does_not_wait_for_other_replies);
    tcase_add_test(tc, extend_after_an_unanswered_longer_one_is_as_long);
    tcase_add_test(tc, repeated_release_is_sent_to_a_server_that_may_still_reply);
    tcase_add_loop_test(tc, repeated_release_is_sent_to_no_server_that_has_replied, 0, 3);
    tcase_add_test(tc, no_extend_is_sent_at_the_end_of_the_lease);
    tcase_add_test(tc, no_attempt_begins_at_the_deadline);
    tcase_add_test(tc, longest_hold_of_an_adopted_lease_begins_with_its_first_extend);
    tcase_add_test(tc, first_attempt_of_every_acquire_has_its_time);
    tcase_add_test(tc, lock_without_fencing_keeps_no_token_of_an_earlier_lease);
    tcase_add_test(tc, pauses_depend_on_the_random_bytes);
    tcase_add_test(memory, nothing_beyond_the_last_server_is_used);
    return suite;
}
