/* SPDX-License-Identifier: MIT */
/* Fencing numbers over N servers: unique, growing, and no more round trips than they need. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"

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

/* Forget the last number, as another client would never have known it. */
static void another_client(void)
{
    lock->fence = 0;
    rdl_redlock_set_min_fence(lock, 0);
}

/* What server i counts; 0: nothing. */
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

/* What is on its way arrives, and is taken in between operations. */
static void go_on(void)
{
    int i;

    for (i = 0; i < 4; i++) {
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
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
    rdl_redlock_set_min_fence(lock, 1700000000000);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1700000000000);
    release();
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1700000000001);
}
END_TEST

START_TEST(a_floor_below_the_last_number_does_not_forget_the_last)
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

START_TEST(a_floor_above_what_scripts_can_count_is_refused)
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

/* By a majority the last number is held; so if one server alone has such a number it was never given. */
START_TEST(a_number_that_can_no_longer_grow_is_no_vote)
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

START_TEST(a_floor_may_be_set_while_an_acquire_waits)
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

/* The server knows none, or the user may run none, or that is so of one server each. */
START_TEST(without_scripts_it_is_refused_and_not_faked)
{
    static struct sim_features none, forbidden;
    size_t i;

    fenced(3);
    none = forbidden = *fleet.s[0].model.features;
    none.no_scripts = 1;
    forbidden.denied = " eval evalsha ";
    for (i = 0; i < 2; i++)
        fleet.s[i].model.features = _i == 0 || (_i == 2 && i == 0) ? &none : &forbidden;
    ck_assert_int_eq(acquire(), _i == 0 ? RDL_E_FENCE : RDL_NO_QUORUM);
    ck_assert_int_eq(rdl_redlock_error(lock, 1), _i == 0 ? RDL_E_UNSUPPORTED : RDL_E_PERM);
}
END_TEST

/*
 * One of an even number is cut off: no majority any more, so the others are released, and their EVALSHA is a
 * last try. That one of them had forgotten the script is no want of scripts: the acquire waits on.
 */
START_TEST(a_script_that_was_forgotten_at_a_last_try_is_no_want_of_scripts)
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
        scripted_sent(&fleet.s[i]); /* on their way */
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

/* Three, with counters; the last is in quarantine. */
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

START_TEST(a_server_in_quarantine_gives_no_number)
{
    const unsigned c[] = {1, 1, 90};

    fenced_and_guarded(c);
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
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_HELD_WITH_GAP);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}
END_TEST

/* ---------------------------------------------------------------- who holds the last number */

/* Two of five are silent until the number is given; they know the script or not. */
START_TEST(who_grants_it_late_is_raised_too)
{
    const unsigned c[] = {10, 10, 10, 1, 40};
    size_t i;

    fenced(5);
    for (i = 0; _i && i < 2; i++) {
        acquire();
        go_on();
        release();
    }
    counters(c);
    another_client();
    fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
    fleet.mood[3] = fleet.mood[4] = MOOD_UP;
    go_on();
    ck_assert_uint_eq(counted(3), 11);
    ck_assert_uint_eq(counted(4), 41); /* more is enough */
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 5);
    ck_assert(rdl_redlock_is_idle(lock));
    release();
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 0);
}
END_TEST

/* It is ours there, though it does not count yet. */
START_TEST(who_is_in_quarantine_is_raised_too)
{
    const unsigned c[] = {10, 10, 1};

    fenced_and_guarded(c);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
    go_on();
    ck_assert_uint_eq(counted(2), 11);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
}
END_TEST

/* One of those that hold the number does not count: the third is raised before the number is told. */
START_TEST(a_number_is_told_when_a_majority_that_counts_holds_it)
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

START_TEST(who_lost_the_lock_holds_no_number)
{
    fenced(3);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 3);
    fleet_steal(0, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 2);
}
END_TEST

START_TEST(where_it_is_put_back_the_number_is_too)
{
    fenced(5);
    rdl_redlock_set_min_fence(lock, 41);
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_command(1, "FLUSHALL\r\n", now);
    fleet_command(2, "DEL {k}:fence\r\n", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_REPAIRED);
    ck_assert_uint_eq(counted(2), 41); /* by the extend itself */
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 4);
    go_on();
    ck_assert_uint_eq(counted(1), 41);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 5);
}
END_TEST

/* Without a step between: an extend raises whoever is behind. */
START_TEST(an_extend_raises_all_that_answer)
{
    const unsigned c[] = {10, 10, 10, 10, 1};

    fenced(5);
    acquire(); /* the script is known from now on: one that is forgotten is not sent again */
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

/* The lease stands; what is asked besides is not missed by anybody. */
START_TEST(a_raise_that_fails_costs_no_vote)
{
    const unsigned c[] = {10, 10, 10, 1, 10};

    fenced(5);
    counters(c);
    fleet.mood[3] = MOOD_FROZEN;
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet.mood[3] = MOOD_UP;
    fleet_serve(3, now);
    rdl_redlock_step(lock, now); /* it has granted, and is asked to hold the number */
    if (_i == 0)
        fleet_down(3);
    else
        fleet_befall(_i == 1 ? "...e" : _i == 2 ? "...s" : "...g", now);
    go_on();
    ck_assert_int_eq(fleet.servers[3].vote, _i < 2    ? RDL_VOTE_GRANTED
                                            : _i == 2 ? RDL_VOTE_DENIED
                                                      : RDL_VOTE_ABSENT);
    ck_assert_int_eq(fleet.servers[3].certainty == CERTAINTY_GONE, _i >= 2);
    ck_assert_uint_eq(rdl_redlock_fence_holders(lock), 4);
    fleet_mend(now);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(lock, now), 0);
    release();
    fleet_mend(now);
    ck_assert_uint_eq(fleet_keys(now), _i == 2); /* the other's */
}
END_TEST

/* Three of five hold it: of two majorities one server is in both, and that one lost it. */
START_TEST(one_loss_more_than_promised_and_the_number_falls)
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
    go_on();
    fleet_down(0);
    fleet_down(1);
    another_client();
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 1);
}
END_TEST

START_TEST(a_fence_expires_where_that_is_wanted)
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

/* All that hold less lose it, and as many of those who hold the last number as it is promised to survive. */
static void lose(uint64_t last, unsigned h, uint32_t *seed)
{
    unsigned left = h + rdl_redlock_quorum(lock) - (unsigned)fleet.n - 1, holders = 0;
    size_t first = rdl_backoff_ms(seed, 7, 7, 0), i;

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
START_TEST(random_schedules_give_unique_growing_numbers)
{
    uint32_t seed = 12345u + (uint32_t)_i;
    int round, holders;

    for (round = 0; round < 200; round++) {
        size_t n = 3 + 2 * ((unsigned)round % 3), i;
        unsigned c[7] = {0}, h;
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
            if (round % 3 == 0)
                fleet.mood[(unsigned)round % n] = MOOD_UP;
            if (round % 2)
                go_on();
            h = rdl_redlock_fence_holders(lock);
            ck_assert_uint_ge(h, rdl_redlock_quorum(lock));
            release();
            now += 2 * FLEET_TTL; /* whoever was frozen has nothing left of it */
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
    tcase_add_loop_test(tc, a_floor_below_the_last_number_does_not_forget_the_last, 0, 2);
    tcase_add_loop_test(tc, a_floor_above_what_scripts_can_count_is_refused, 0, 2);
    tcase_add_loop_test(tc, a_number_that_can_no_longer_grow_is_no_vote, 0, 6);
    tcase_add_test(tc, a_floor_may_be_set_while_an_acquire_waits);
    tcase_add_loop_test(tc, without_scripts_it_is_refused_and_not_faked, 0, 3);
    tcase_add_loop_test(tc, a_script_that_was_forgotten_at_a_last_try_is_no_want_of_scripts, 0, 2);
    tcase_add_test(tc, a_server_in_quarantine_gives_no_number);
    tcase_add_test(tc, a_gap_voids_the_number);
    tcase_add_loop_test(tc, who_grants_it_late_is_raised_too, 0, 2);
    tcase_add_test(tc, who_is_in_quarantine_is_raised_too);
    tcase_add_test(tc, a_number_is_told_when_a_majority_that_counts_holds_it);
    tcase_add_test(tc, who_lost_the_lock_holds_no_number);
    tcase_add_test(tc, where_it_is_put_back_the_number_is_too);
    tcase_add_test(tc, an_extend_raises_all_that_answer);
    tcase_add_loop_test(tc, a_raise_that_fails_costs_no_vote, 0, 4);
    tcase_add_test(tc, one_loss_more_than_promised_and_the_number_falls);
    tcase_add_loop_test(tc, a_fence_expires_where_that_is_wanted, 0, 2);
    tcase_add_loop_test(tc, random_schedules_give_unique_growing_numbers, 0, 50);
    suite_add_tcase(suite, tc);
    return suite;
}
