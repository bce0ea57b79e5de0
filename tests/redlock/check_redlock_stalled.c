/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_stalled.c - one redlock on servers whose connections swallow everything from some moment on,
 * while new ones work: a stalled server gets no request and has no vote, and no queue fills. check_contract.c
 * tests for all kinds that new connections bring the lock back.
 *
 * Rules R17 and R18.
 */
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

static struct rdl_redlock *const lock = &fleet.lock;
static uint64_t now;

static void fleet_of(size_t n)
{
    now = 1000;
    fleet_init(n, now);
}

static void hold(size_t n)
{
    fleet_of(n);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
}

/* A SET and its release for each server, whatever happened. */
static void assert_little_is_queued(void)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        ck_assert_uint_le(rdl_conn_waiting(&fleet.s[i].conn), 2);
}

/* For longer than any queue could hold. */
START_TEST(single_attempts_on_stalled_servers_report_a_timeout)
{
    uint64_t begun;
    char line[100];
    int i;

    fleet_of(3);
    fleet_befall("www", now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_UNKNOWN), 3);
    for (i = 0; i < 4; i++) {
        begun = now;
        ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
        ck_assert_uint_le(now, begun + RDL_CONNECT_MS);
        ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_NONE), 3);
        ck_assert_int_eq(rdl_redlock_error(lock, 1), RDL_E_TIMEOUT);
        rdl_redlock_report(lock, 1, now, line, sizeof line);
        ck_assert_str_eq(line, rdl_strerror(RDL_E_TIMEOUT));
        assert_little_is_queued();
    }
}
END_TEST

START_TEST(stalled_minority_gets_no_requests)
{
    int i;

    fleet_of(5);
    fleet_befall("w...w", now);
    for (i = 0; i < 100; i++) {
        ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
        ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
        now += FLEET_ATTEMPT;
        ck_assert_int_eq(rdl_conn_state(&fleet.s[1].conn), RDL_CONN_READY);
        if (fleet.mood[0] == MOOD_DEAF)
            assert_little_is_queued();
    }
    ck_assert_uint_eq(now, 1000 + 100 * FLEET_ATTEMPT);
    ck_assert_int_eq(fleet.mood[0], MOOD_UP); /* and in the end they are back */
    ck_assert_int_eq(fleet.mood[4], MOOD_UP);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 5);
}
END_TEST

/* In the next lease a lost connection is retried after the usual pause, not a shorter one. */
START_TEST(unconfirmed_extend_is_forgotten_with_its_lease)
{
    hold(3);
    fleet_befall("fff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    ck_assert_uint_ne(lock->abort_below_ms, 0);
    fleet_mend(now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(lock->abort_below_ms, 0);
}
END_TEST

/* Its SET may still be executed, so the connection is kept; an extend is not sent on it. */
START_TEST(connection_kept_for_a_set_has_no_vote_in_an_extend)
{
    fleet_of(3);
    fleet_befall("..w", now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    now += 3000;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    rdl_redlock_step(lock, now);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[2].conn), RDL_CONN_STALLED);
    ck_assert_int_eq(fleet.servers[2].vote, RDL_VOTE_NONE);
    ck_assert_uint_eq(rdl_conn_waiting(&fleet.s[2].conn), 1);
    fleet_befall(".d.", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    ck_assert_uint_eq(now, 1000 + 3000 + FLEET_ATTEMPT);
    ck_assert_uint_eq(rdl_conn_waiting(&fleet.s[2].conn), 1);
}
END_TEST

/* It only releases locks of other clients: no acquire and no extend has set the reply timeout. */
START_TEST(connections_with_only_releases_stall_too)
{
    int i;

    fleet_of(3);
    for (i = 0; i < 3; i++) {
        ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex((unsigned)i + 1), RDL_VALUE_MAX), RDL_OK);
        ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now),
                         i == 1 ? RDL_UNKNOWN : RDL_EXPIRED);
        if (i == 0)
            fleet_befall("www", now);
        else
            ck_assert_uint_le(now, 1000 + 2 * (FLEET_ATTEMPT + RDL_CONNECT_MS));
        now += 50;
        rdl_redlock_step(lock, now);
    }
    ck_assert_int_eq(fleet.mood[0], MOOD_UP);
}
END_TEST

/* The expiry of an adopted key is unknown, but a restored key expires after its ttl. */
START_TEST(adopted_lock_replaces_a_connection_that_swallows_sets)
{
    char hex[RDL_TOKEN_TEXT_MAX];
    int rc;
    int i;

    hold(3);
    rdl_redlock_token(lock, hex);
    ck_assert_int_eq(rdl_redlock_adopt(lock, hex, strlen(hex)), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_ADOPTED);
    fleet_delete(2, now);
    rc = rdl_redlock_extend_begin(lock, FLEET_TTL, now);
    for (i = 0; i < 3; i++)
        fleet_serve((size_t)i, now);
    fleet_befall("..w", now); /* it has replied that the key is gone */
    ck_assert_int_eq(fleet_run(rc, &now), RDL_OK);
    now += FLEET_ATTEMPT;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    now += FLEET_ATTEMPT;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[2].conn), RDL_CONN_STALLED);
    now += FLEET_TTL - 3 * FLEET_ATTEMPT;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    now += 2 * FLEET_ATTEMPT;
    for (i = 0; i < 4; i++) {
        rdl_redlock_step(lock, now);
        fleet_serve_all(now);
    }
    ck_assert_int_eq(rdl_conn_state(&fleet.s[2].conn), RDL_CONN_READY);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_REPAIRED);
}
END_TEST

static unsigned conns_in(enum rdl_conn_phase state)
{
    return rdl_votes_count_conns(lock, state);
}

/* We hold it, and another lock's SETs were swallowed by these servers. */
static void hold_beside_sets(const char *fates)
{
    static struct rdl_server servers[5];
    static struct rdl_redlock other;
    size_t i;

    hold(5);
    fleet_befall(fates, now);
    for (i = 0; i < 5; i++)
        servers[i].conn = &fleet.s[i].conn;
    rdl_redlock_init(&other, &fleet.opt, servers, 5, "other", 5);
    rdl_redlock_acquire_begin(&other, token_bytes(9), now);
    fleet_serve_all(now);
}

/*
 * Another lock's SETs keep the stalled connections. Without a majority of replies they are aborted when half
 * of the time that was left at the first failed extend has passed; the lock wakes for that, also between its
 * operations.
 */
START_TEST(redlock_aborts_stalled_connections_at_half_time)
{
    enum { LEFT = FLEET_TTL - FLEET_DRIFT };
    uint64_t half = 1000 + LEFT - LEFT / 2;

    hold_beside_sets("wwwww");
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), half + 1);
    rdl_redlock_step(lock, half);
    ck_assert_uint_eq(conns_in(RDL_CONN_STALLED), 5);
    now = half + 1;
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(conns_in(RDL_CONN_FAILED), 5);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_gt(rdl_redlock_wake_ms(lock), half + 1);
    fleet_serve_all(now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
}
END_TEST

/* They fail at once: the servers that are not stalled refuse them. */
START_TEST(repeated_extends_do_not_move_half_time)
{
    const uint32_t left_ms = _i ? 101 : 5;
    uint64_t until;

    hold_beside_sets("ww...");
    until = rdl_redlock_until_ms(lock);
    rdl_redlock_step(lock, until - left_ms);
    fleet_befall("..eee", now);
    for (now = until - left_ms; now < until - left_ms / 2; now++) {
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
        ck_assert_uint_eq(conns_in(RDL_CONN_STALLED), 2);
    }
    rdl_redlock_step(lock, now + 1);
    ck_assert_uint_eq(conns_in(RDL_CONN_FAILED), 2);
}
END_TEST

/* The next connections stall, too, under the same lease: half of the time that is left then. */
START_TEST(redlock_aborts_connections_that_stall_again)
{
    static struct rdl_server servers[5];
    static struct rdl_redlock other;
    size_t i;

    hold_beside_sets("wwwww");
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    rdl_redlock_step(lock, now);
    now = rdl_redlock_wake_ms(lock);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(conns_in(RDL_CONN_FAILED), 5);
    for (i = 0; i < 3; i++) { /* all are connected again, and swallow another client's SETs again */
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
    ck_assert_uint_eq(conns_in(RDL_CONN_READY), 5);
    fleet_befall("wwwww", now);
    for (i = 0; i < 5; i++)
        servers[i].conn = &fleet.s[i].conn;
    rdl_redlock_init(&other, &fleet.opt, servers, 5, "third", 5);
    rdl_redlock_acquire_begin(&other, token_bytes(8), now);
    fleet_serve_all(now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(conns_in(RDL_CONN_STALLED), 5);
    now += rdl_redlock_remaining_ms(lock, now) / 2 + FLEET_ATTEMPT;
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(conns_in(RDL_CONN_FAILED), 5);
}
END_TEST

/*
 * Nothing is in danger: stalled servers keep their connection, and on it the other lock's release after its
 * SET.
 */
START_TEST(stalled_minority_keeps_its_connections)
{
    int i;

    hold_beside_sets(_i ? ".w.w." : "ww...");
    for (i = 0; i < 30; i++) {
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
        ck_assert_uint_eq(conns_in(RDL_CONN_STALLED), i == 0 ? 0 : 2);
        now += FLEET_ATTEMPT + 50;
        rdl_redlock_step(lock, now);
    }
}
END_TEST

/* Without a majority, a twentieth of the time that is left. That goes on after half time. */
START_TEST(connections_pause_as_usual_unless_the_lease_is_in_danger)
{
    uint64_t longest_ms = 0;
    int i;

    hold(3);
    if (_i == 1) {
        fleet_befall("eee", now);
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
        now += FLEET_TTL / 2;
        rdl_redlock_step(lock, now);
    }
    if (_i == 2)
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    fleet_down(2);
    for (i = 0; i < 10; i++) {
        uint64_t begun_ms = now;
        rdl_redlock_step(lock, now); /* it connects, and is refused */
        fleet_serve(2, now);
        rdl_redlock_step(lock, now);
        now = rdl_redlock_wake_ms(lock);
        if (now - begun_ms > longest_ms)
            longest_ms = now - begun_ms;
    }
    ck_assert_uint_gt(rdl_redlock_remaining_ms(lock, now), 0);
    ck_assert_int_eq(longest_ms > FLEET_TTL / 20, _i != 1);
}
END_TEST

static int fleet_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns, (void)n, (void)flags;
    fleet_serve_all(now);
    if (until_ms > now)
        now = until_ms;
    return RDL_OK;
}

/* The replies arrived long ago; the last step, before that, found them overdue. */
START_TEST(drain_reads_before_it_checks_timeouts)
{
    const struct rdl_platform platform = {fleet_poll, scripted_clock, NULL, &now};
    size_t i;

    hold(5);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    for (i = 0; i < 5; i++)
        scripted_sent(&fleet.s[i]);
    now += FLEET_ATTEMPT;
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_UNKNOWN);
    now += FLEET_ATTEMPT;
    ck_assert_int_eq(rdl_redlock_drain(lock, &platform, now + 1000), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 5);
}
END_TEST

Suite *suite_redlock_stalled(void)
{
    Suite *suite = suite_create("redlock_stalled");
    TCase *tc = suite_case(suite, "stalled", NULL, NULL);

    tcase_add_test(tc, single_attempts_on_stalled_servers_report_a_timeout);
    tcase_add_test(tc, stalled_minority_gets_no_requests);
    tcase_add_test(tc, unconfirmed_extend_is_forgotten_with_its_lease);
    tcase_add_test(tc, connection_kept_for_a_set_has_no_vote_in_an_extend);
    tcase_add_test(tc, adopted_lock_replaces_a_connection_that_swallows_sets);
    tcase_add_test(tc, connections_with_only_releases_stall_too);
    tcase_add_test(tc, redlock_aborts_stalled_connections_at_half_time);
    tcase_add_loop_test(tc, repeated_extends_do_not_move_half_time, 0, 2);
    tcase_add_test(tc, redlock_aborts_connections_that_stall_again);
    tcase_add_loop_test(tc, stalled_minority_keeps_its_connections, 0, 2);
    tcase_add_loop_test(tc, connections_pause_as_usual_unless_the_lease_is_in_danger, 0, 3);
    tcase_add_test(tc, drain_reads_before_it_checks_timeouts);
    return suite;
}
