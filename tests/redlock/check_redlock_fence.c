/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_fence.c - fencing tokens of N servers: unique, growing, and without needless round trips.
 * Rule R31.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static uint64_t now;

static void fenced(size_t n)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.fencing = &rdl_fencing;
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

/* Forgets the last fencing token, which another client would not know. */
static void another_client(void)
{
    lock->fence = 0;
    rdl_redlock_set_min_fence(lock, 0);
}

/* The counter of server i; 0: none. */
static uint64_t counted(size_t i)
{
    const struct sim_arg name = {(const uint8_t *)"{k}:fence", 9};
    const struct sim_key *k = sim_server_find(&fleet.s[i].model, 0, name, now);
    uint64_t n = 0;
    size_t d;

    for (d = 0; k != NULL && d < k->value_len; d++)
        n = 10 * n + (uint64_t)(k->value[d] - '0');
    return n;
}

/* Messages in flight arrive, and are read between operations. */
static void settle(void)
{
    int i;

    for (i = 0; i < 4; i++) {
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
}

START_TEST(token_costs_one_round_trip_if_the_counters_agree)
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

/* The counter-example to taking only the greatest: 11 by the first two, then 3 by the last two. */
START_TEST(second_holder_has_the_greater_fencing_token)
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

START_TEST(lock_without_a_stored_fencing_token_is_not_held)
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

/* They know the script, their counters differ, and they get the request. */
static void send_to_three_that_differ(void)
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

/* All three granted it; two of them are gone before they can store the greatest token. */
START_TEST(majority_without_the_fencing_token_is_no_quorum)
{
    send_to_three_that_differ();
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

START_TEST(failed_raise_has_its_reason)
{
    send_to_three_that_differ();
    fleet_befall(".ee", now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_NO_QUORUM);
    ck_assert_int_eq(rdl_redlock_error(lock, 1), RDL_E_TRY_LATER);
}
END_TEST

START_TEST(fencing_token_does_not_need_a_lost_server)
{
    send_to_three_that_differ();
    fleet_down(2);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve(1, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
}
END_TEST

START_TEST(min_fence_is_the_least_fencing_token)
{
    fenced(3);
    rdl_redlock_set_min_fence(lock, 1700000000000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1700000000000);
    release();
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1700000000001);
}
END_TEST

START_TEST(min_fence_below_the_last_token_is_ignored)
{
    size_t i;

    fenced(3);
    rdl_redlock_set_min_fence(lock, 41);
    ck_assert_int_eq(acquire(), RDL_OK);
    rdl_redlock_set_min_fence(lock, (uint64_t)_i * 40);
    release();
    for (i = 0; i < 3; i++)
        fleet_command(i, "DEL {k}:fence\r\n", now);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 42);
}
END_TEST

START_TEST(min_fence_beyond_the_range_of_scripts_is_refused)
{
    fenced(3);
    rdl_redlock_set_min_fence(lock, _i ? UINT64_MAX : RDL_FENCE_MAX + 1);
    ck_assert_int_eq(acquire(), RDL_E_FENCE_RANGE);
    ck_assert_uint_eq(fleet_keys(now), 0);
    rdl_redlock_set_min_fence(lock, RDL_FENCE_MAX);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), RDL_FENCE_MAX);
    release();
    ck_assert_int_eq(acquire(), RDL_E_FENCE_RANGE);
}
END_TEST

/* A majority stores the last token; so if only one server has such a number it was never issued. */
START_TEST(server_with_the_greatest_counter_has_no_vote)
{
    const char *const stored[] = {"9007199254740991", "9007199254740992"};
    size_t bad = (size_t)_i / 2 + 1;
    char command[64];
    size_t i;

    fenced(3);
    fleet.opt.lease.wait_ms = 60000;
    fleet.opt.lease.retry_ms = 50;
    for (i = 0; i < bad; i++) {
        snprintf(command, sizeof command, "SET {k}:fence %s\r\n", stored[_i % 2]);
        fleet_command(i, command, now);
    }
    ck_assert_int_eq(acquire(), bad == 1 ? RDL_OK : RDL_E_FENCE_RANGE);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_FENCE_RANGE);
    ck_assert_uint_eq(rdl_redlock_fence(lock), bad == 1);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), bad == 1 ? 3 : 0);
}
END_TEST

START_TEST(min_fence_may_be_set_while_an_acquire_waits)
{
    int rc;

    fenced(3);
    fleet.opt.lease.wait_ms = 60000;
    fleet.opt.lease.retry_ms = 50;
    fleet_steal(0, now);
    fleet_steal(1, now);
    rdl_redlock_set_min_fence(lock, 1000 + now);
    for (rc = fleet_acquire(now); rc == RDL_PENDING; rc = rdl_redlock_step(lock, now)) {
        fleet_serve_all(now++);
        rdl_redlock_set_min_fence(lock, 1000 + now);
    }
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert_uint_gt(now, 5000);
    ck_assert_uint_ge(rdl_redlock_fence(lock) + 10, 1000 + now);
    ck_assert_uint_le(rdl_redlock_fence(lock), 1000 + now);
}
END_TEST

/* The servers support no scripts, or the user may run none, or one server each. */
START_TEST(fencing_without_scripts_is_refused)
{
    static struct sim_features none, forbidden;
    size_t i;

    fenced(3);
    none = forbidden = *fleet.s[0].model.features;
    none.no_scripts = 1;
    forbidden.denied = " eval evalsha ";
    for (i = 0; i < 2; i++)
        fleet.s[i].model.features = _i == 0 || (_i == 2 && i == 0) ? &none : &forbidden;
    ck_assert_int_eq(acquire(), _i == 0 ? RDL_E_UNSUPPORTED : RDL_NO_QUORUM);
    ck_assert_int_eq(rdl_redlock_error(lock, 1), _i == 0 ? RDL_E_UNSUPPORTED : RDL_E_PERM);
}
END_TEST

/*
 * One of an even number is cut off: no majority any more, so the others are released, and their EVALSHA is a
 * last try. One of them has forgotten the script, which does not mean that it supports none: the acquire
 * waits on.
 */
START_TEST(forgotten_script_at_the_last_try_is_not_permanent)
{
    size_t n = _i ? 4 : 2;
    size_t i;
    int rc;

    fenced(n);
    fleet.opt.lease.wait_ms = 60000;
    fleet.opt.lease.retry_ms = 50;
    ck_assert_int_eq(acquire(), RDL_OK);
    release();
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    if (n == 4)
        fleet_steal(1, now);
    for (i = n / 2; i < n; i++)
        fleet_command(i, "SCRIPT FLUSH\r\n", now);
    now += 100;
    ck_assert_int_eq(rdl_redlock_acquire_begin(lock, entropy_bytes(), now), RDL_PENDING);
    for (i = 0; i < n; i++)
        scripted_sent(&fleet.s[i]); /* in flight */
    fleet_down(0);
    if (n == 4)
        fleet_serve(1, now);
    now += 2;
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    for (i = n / 2; i < n; i++)
        fleet_serve(i, now);
    now += 2;
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_up(0);
    if (n == 4)
        fleet_delete(1, now);
    rc = fleet_run(RDL_PENDING, &now);
    ck_assert_int_eq(rc, RDL_OK);
}
END_TEST

/* Three servers with these counters; the last one is in quarantine. */
static void fenced_and_guarded(const unsigned c[3])
{
    size_t i;

    fenced(3);
    counters(c);
    fleet.opt.guard = RDL_GUARD_REQUIRED;
    for (i = 0; i < 3; i++)
        rdl_conn_tick(&fleet.s[i].conn, now);
    now += FLEET_TTL + 1000;
    fleet.s[2].conn.cfg->server_info->up_ms = (int64_t)now;
}

START_TEST(server_in_quarantine_gives_no_fencing_token)
{
    const unsigned c[] = {1, 1, 90};

    fenced_and_guarded(c);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 2);
}
END_TEST

START_TEST(gap_invalidates_the_fencing_token)
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
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_HELD_WITH_GAP);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}
END_TEST

/* ---------------------------------------------------------------- which servers store the last token */

static char longest[RDL_NAME_MAX];

/* Three servers that know the script and have these counters have replied to an acquire. */
static void replies_arrive(const unsigned *c)
{
    fenced(3);
    acquire(); /* the script is known from now on */
    release();
    counters(c);
    another_client();
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
}

/* Its grant is a vote also while it has not stored the token yet. */
START_TEST(server_that_is_raised_has_its_vote)
{
    const unsigned c[] = {10, 10, 1};

    replies_arrive(c);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 2);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 3);
}
END_TEST

/*
 * Two servers are raised. Before that, another client gets the key on one of them. The other one completes
 * the majority.
 */
START_TEST(server_that_loses_the_lock_before_its_raise_is_denied)
{
    const unsigned c[] = {1, 1, 10};

    replies_arrive(c);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_steal(0, now);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
    ck_assert_int_eq(fleet.servers[0].vote, RDL_VOTE_DENIED);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 2);
}
END_TEST

/* Two of five stall until the token is issued; they know the script or not. */
START_TEST(late_server_is_raised_to_the_fencing_token)
{
    const unsigned c[] = {10, 10, 10, 1, 40};
    size_t i;

    fenced(5);
    for (i = 0; _i && i < 2; i++) {
        acquire();
        settle();
        release();
    }
    counters(c);
    another_client();
    fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
    fleet.mood[3] = fleet.mood[4] = MOOD_UP;
    settle();
    ck_assert_uint_eq(counted(3), 11);
    ck_assert_uint_eq(counted(4), 41); /* more is enough */
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 5);
    ck_assert(rdl_redlock_is_idle(lock));
    release();
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 0);
}
END_TEST

/* So many requests of other locks are unanswered, or such long ones. The program need not notice. */
START_TEST(late_server_is_raised_when_there_is_room)
{
    static const struct rdl_command others[] = {
        {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0},
        {&rdl_op_release, {longest, sizeof longest}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0}};
    const unsigned c[] = {10, 10, 1};
    struct rdl_conn *conn = &fleet.s[2].conn;
    uint32_t waiting = 0;

    fenced(3);
    counters(c);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet.mood[2] = MOOD_UP;
    fleet_serve(2, now);
    while (waiting < RDL_WAITING_MAX && rdl_conn_submit(conn, NULL, &others[_i]) == RDL_OK)
        waiting = rdl_conn_waiting(conn);
    ck_assert_int_eq(waiting == RDL_WAITING_MAX, _i == 0);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_conn_waiting(conn), waiting);
    settle();
    ck_assert_uint_eq(counted(2), 11);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
}
END_TEST

/* The lock is ours there, although the server does not count yet. */
START_TEST(server_in_quarantine_is_raised_too)
{
    const unsigned c[] = {10, 10, 1};

    fenced_and_guarded(c);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
    settle();
    ck_assert_uint_eq(counted(2), 11);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
}
END_TEST

/* One server that stores the token does not count: the third is raised before the token is reported. */
START_TEST(fencing_token_needs_a_majority_that_counts)
{
    const unsigned c[] = {9, 11, 11};

    fenced_and_guarded(c);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 12);
    ck_assert_uint_eq(counted(0), 12);
}
END_TEST

START_TEST(server_that_lost_the_lock_stores_no_token)
{
    fenced(3);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
    fleet_steal(0, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 2);
}
END_TEST

START_TEST(repair_restores_the_fencing_token_too)
{
    fenced(5);
    rdl_redlock_set_min_fence(lock, 41);
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_command(1, "FLUSHALL\r\n", now);
    fleet_command(2, "DEL {k}:fence\r\n", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_REPAIRED);
    ck_assert_uint_eq(counted(2), 41); /* by the extend itself */
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 4);
    settle();
    ck_assert_uint_eq(counted(1), 41);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
}
END_TEST

/* It was gone again when the server got the request to store the token. */
START_TEST(second_repair_restores_the_fencing_token_too)
{
    fenced(5);
    rdl_redlock_set_min_fence(lock, 41);
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_command(1, "FLUSHALL\r\n", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_REPAIRED);
    rdl_redlock_step(lock, now);
    fleet_command(1, "FLUSHALL\r\n", now);
    settle();
    settle();
    ck_assert_uint_eq(counted(1), 41);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
}
END_TEST

/* Without a step in between: an extend raises every server that is behind. */
START_TEST(extend_raises_every_server_that_replies)
{
    const unsigned c[] = {10, 10, 10, 10, 1};

    fenced(5);
    acquire(); /* the script is known from now on: a forgotten one is not sent again */
    release();
    counters(c);
    another_client();
    fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet.mood[4] = MOOD_UP;
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 4);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    ck_assert_uint_eq(counted(4), 11);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
}
END_TEST

/* Server 3 grants late, gets the request to store the token, and has this fate then. */
static void fail_to_raise(int fate)
{
    const unsigned c[] = {10, 10, 10, 1, 10};

    fenced(5);
    counters(c);
    fleet.mood[3] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet.mood[3] = MOOD_UP;
    fleet_serve(3, now);
    rdl_redlock_step(lock, now);
    if (fate == 0)
        fleet_down(3);
    else
        fleet_befall(fate == 1 ? "...e" : fate == 2 ? "...s" : "...g", now);
    settle();
}

START_TEST(failed_raise_is_not_sent_again_in_the_operation)
{
    uint64_t commands;

    fail_to_raise(1);
    commands = fleet.s[3].model.commands;
    settle();
    ck_assert_uint_eq(fleet.s[3].model.commands, commands);
    fleet_mend(now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    settle();
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
}
END_TEST

/* The lease continues: the raise is an extra request. */
START_TEST(failed_raise_costs_no_vote)
{
    fail_to_raise(_i);
    if (_i >= 2)
        ck_assert_int_eq(fleet.servers[3].value, -2);
    ck_assert_int_eq(fleet.servers[3].vote, _i < 2    ? RDL_VOTE_GRANTED
                                            : _i == 2 ? RDL_VOTE_DENIED
                                                      : RDL_VOTE_ABSENT);
    ck_assert_int_eq(fleet.servers[3].certainty == CERTAINTY_GONE, _i >= 2);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 4);
    fleet_mend(now);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(lock, now), 0);
    release();
    fleet_mend(now);
    ck_assert_uint_eq(fleet_keys(now), _i == 2); /* the other client's */
}
END_TEST

/* Three of five store it: two majorities share only one server, and that one lost it. */
START_TEST(one_loss_too_many_lowers_the_fencing_token)
{
    size_t i;

    fenced(5);
    rdl_redlock_set_min_fence(lock, 41);
    for (i = 3; i < 5; i++)
        fleet.mood[i] = MOOD_DOWN;
    fleet_down(3);
    fleet_down(4);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
    release();
    fleet_command(2, "DEL {k}:fence\r\n", now);
    fleet_up(3);
    fleet_up(4);
    now += 5000;
    settle();
    fleet_down(0);
    fleet_down(1);
    another_client();
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1);
}
END_TEST

START_TEST(fence_expires_only_by_option)
{
    const struct sim_arg name = {(const uint8_t *)"{k}:fence", 9};
    const struct sim_key *k;

    fenced(3);
    fleet.opt.lease.fence_expiry_ms = _i ? 60000 : 0;
    ck_assert_int_eq(acquire(), RDL_OK);
    k = sim_server_find(&fleet.s[0].model, 0, name, now);
    ck_assert_uint_eq(k->expire_ms, _i ? now + 60000 + FLEET_TTL : 0);
    now += 5000;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    k = sim_server_find(&fleet.s[0].model, 0, name, now);
    ck_assert_uint_eq(k->expire_ms, _i ? now + 60000 + FLEET_TTL : 0);
}
END_TEST

/*
 * Every server that stores less loses its counter, and as many of those with the last token as it promises to
 * survive.
 */
static void lose(uint64_t last, unsigned h, uint32_t *seed)
{
    unsigned left = h + rdl_redlock_quorum(lock) - (unsigned)fleet.n - 1, holders = 0;
    size_t first = rdl_random(seed) % 7, i;

    for (i = 0; i < fleet.n; i++)
        holders += counted(i) >= last;
    ck_assert_uint_ge(holders, h);
    for (i = 0; i < fleet.n; i++) {
        size_t s = (first + i) % fleet.n;
        int is_holder = counted(s) >= last;
        if (is_holder && left == 0)
            continue;
        left -= is_holder != 0;
        fleet_command(s, first % 2 ? "DEL {k}:fence\r\n" : "SET {k}:fence 1\r\n", now);
    }
}

/* Any minority freezes and thaws, counters start anywhere and get lost: 10,000 schedules. */
START_TEST(random_schedules_give_unique_growing_tokens)
{
    uint32_t seed = 12345u + (uint32_t)_i;
    int round, holders;

    for (round = 0; round < 200; round++) {
        size_t n = 3 + 2 * ((unsigned)round % 3), i;
        unsigned c[7] = {0}, h;
        uint64_t last = 0;
        fenced(n);
        for (i = 0; i < n; i++)
            c[i] = rdl_random(&seed) % 20;
        counters(c);
        for (holders = 0; holders < (round % 25 ? 2 : 8); holders++) {
            for (i = 0; i < n; i++)
                fleet.mood[i] = MOOD_UP;
            for (i = 0; i < n / 2; i++)
                fleet.mood[rdl_random(&seed) % 7 % n] = MOOD_FROZEN;
            another_client();
            ck_assert_int_eq(acquire(), RDL_OK);
            ck_assert_uint_gt(rdl_redlock_fence(lock), last);
            last = rdl_redlock_fence(lock);
            if (round % 3 == 0)
                fleet.mood[(unsigned)round % n] = MOOD_UP;
            if (round % 2)
                settle();
            h = rdl_redlock_fence_holders(lock);
            ck_assert_uint_ge(h, rdl_redlock_quorum(lock));
            release();
            now += 2 * FLEET_TTL; /* frozen servers have no key of it left */
            for (i = 0; i < n; i++)
                fleet.mood[i] = MOOD_UP;
            fleet_serve_all(now);
            rdl_redlock_step(lock, now);
            fleet_serve_all(now);
            lose(last, h, &seed);
        }
    }
}
END_TEST

Suite *suite_redlock_fence(void)
{
    Suite *suite = suite_create("redlock_fence");
    TCase *tc = suite_case(suite, "fence", NULL, NULL);

    tcase_add_test(tc, token_costs_one_round_trip_if_the_counters_agree);
    tcase_add_test(tc, second_holder_has_the_greater_fencing_token);
    tcase_add_test(tc, lock_without_a_stored_fencing_token_is_not_held);
    tcase_add_test(tc, majority_without_the_fencing_token_is_no_quorum);
    tcase_add_test(tc, failed_raise_has_its_reason);
    tcase_add_test(tc, fencing_token_does_not_need_a_lost_server);
    tcase_add_test(tc, min_fence_is_the_least_fencing_token);
    tcase_add_loop_test(tc, min_fence_below_the_last_token_is_ignored, 0, 2);
    tcase_add_loop_test(tc, min_fence_beyond_the_range_of_scripts_is_refused, 0, 2);
    tcase_add_loop_test(tc, server_with_the_greatest_counter_has_no_vote, 0, 6);
    tcase_add_test(tc, min_fence_may_be_set_while_an_acquire_waits);
    tcase_add_loop_test(tc, fencing_without_scripts_is_refused, 0, 3);
    tcase_add_loop_test(tc, forgotten_script_at_the_last_try_is_not_permanent, 0, 2);
    tcase_add_test(tc, server_in_quarantine_gives_no_fencing_token);
    tcase_add_test(tc, gap_invalidates_the_fencing_token);
    tcase_add_test(tc, server_that_is_raised_has_its_vote);
    tcase_add_test(tc, server_that_loses_the_lock_before_its_raise_is_denied);
    tcase_add_loop_test(tc, late_server_is_raised_to_the_fencing_token, 0, 2);
    tcase_add_loop_test(tc, late_server_is_raised_when_there_is_room, 0, 2);
    tcase_add_test(tc, server_in_quarantine_is_raised_too);
    tcase_add_test(tc, fencing_token_needs_a_majority_that_counts);
    tcase_add_test(tc, server_that_lost_the_lock_stores_no_token);
    tcase_add_test(tc, repair_restores_the_fencing_token_too);
    tcase_add_test(tc, second_repair_restores_the_fencing_token_too);
    tcase_add_test(tc, extend_raises_every_server_that_replies);
    tcase_add_test(tc, failed_raise_is_not_sent_again_in_the_operation);
    tcase_add_loop_test(tc, failed_raise_costs_no_vote, 0, 4);
    tcase_add_test(tc, one_loss_too_many_lowers_the_fencing_token);
    tcase_add_loop_test(tc, fence_expires_only_by_option, 0, 2);
    tcase_add_loop_test(tc, random_schedules_give_unique_growing_tokens, 0, 50);
    return suite;
}
