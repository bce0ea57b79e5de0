/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_extend.c - what an extend does with keys that are gone, and how long a lock may be extended.
 *
 * Rules R2, R8 and R29.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static uint64_t now;

static void settle(void)
{
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
}

static void hold(size_t n)
{
    now = 1000;
    fleet_init(n, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    settle();
    ck_assert_uint_eq(fleet_keys(now), n);
}

static int extend_at(uint64_t at)
{
    now = at;
    return fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now);
}

START_TEST(missing_key_is_restored_with_the_same_token)
{
    hold(3);
    fleet_delete(2, now);
    ck_assert_int_eq(extend_at(2000), RDL_REPAIRED);
    ck_assert_uint_eq(fleet_keys(now), 3);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 2000 + FLEET_TTL - FLEET_DRIFT);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(no_key_is_restored_without_a_majority)
{
    hold(3);
    fleet_delete(1, now);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(extend_at(2000), RDL_UNKNOWN);
    ck_assert_uint_eq(fleet_keys(now), 2); /* 0, and the frozen one */
}
END_TEST

START_TEST(straggler_without_the_key_is_repaired_between_operations)
{
    hold(3);
    fleet_delete(2, now);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(extend_at(2000), RDL_OK);
    fleet.mood[2] = MOOD_UP;
    settle();
    ck_assert_uint_eq(fleet_keys(now), 3);
}
END_TEST

START_TEST(no_key_is_restored_without_a_confirmed_lease)
{
    hold(3);
    fleet_delete(2, now);
    fleet.mood[2] = MOOD_FROZEN;
    if (_i == 1)
        fleet.mood[1] = MOOD_FROZEN;
    ck_assert_int_eq(extend_at(2000), _i ? RDL_UNKNOWN : RDL_OK);
    if (_i == 0)
        now = 2000 + FLEET_TTL;
    fleet.mood[2] = MOOD_UP;
    settle();
    ck_assert(!scripted_has_key(&fleet.s[2], "k", now));
}
END_TEST

START_TEST(key_of_another_client_is_left_unchanged)
{
    hold(3);
    fleet_steal(2, 2000);
    ck_assert_int_eq(extend_at(2000), RDL_OK);
    settle();
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_DENIED), 1);
}
END_TEST

/* At 2000 the extend is confirmed, and the SET that restores the key is in flight to the third. */
static void repair_in_flight(void)
{
    hold(3);
    fleet_delete(2, now);
    now = 2000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
}

/* A frozen server delays the repair of another key by one attempt at most. */
START_TEST(repair_takes_no_longer_than_an_attempt)
{
    repair_in_flight();
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 2000 + FLEET_TTL - FLEET_DRIFT);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_OK);
    now += FLEET_ATTEMPT;
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    fleet.mood[2] = MOOD_UP; /* it executes the SET now, and then the release */
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/*
 * We hold 0, 1, 2; another client takes 1 and 2; 3 and 4 may have been another client's before they were
 * restored.
 */
static void hold_by_what_was_put_back(void)
{
    hold(5);
    fleet_delete(3, now);
    fleet_delete(4, now);
    ck_assert_int_eq(extend_at(2000), RDL_REPAIRED);
    ck_assert_int_eq(fleet.servers[3].certainty, CERTAINTY_RESTORED);
    fleet_steal(1, now);
    fleet_steal(2, now);
}

START_TEST(restored_key_does_not_count_at_once)
{
    hold_by_what_was_put_back();
    ck_assert_int_eq(extend_at(3000), RDL_E_GAP);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 0);
    settle();
    ck_assert(!scripted_has_key(&fleet.s[0], "k", now));
    ck_assert(!scripted_has_key(&fleet.s[3], "k", now));
    ck_assert(scripted_has_key(&fleet.s[1], "k", now)); /* not ours */
}
END_TEST

START_TEST(gap_is_accepted_only_by_option)
{
    hold_by_what_was_put_back();
    fleet.opt.accept_gap = 1;
    ck_assert_int_eq(extend_at(3000), RDL_HELD_WITH_GAP);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 3000 + FLEET_TTL - FLEET_DRIFT);
    fleet.opt.accept_gap = 0;
    ck_assert_int_eq(extend_at(4000), RDL_OK); /* from now on there is no gap */
}
END_TEST

START_TEST(restored_key_counts_after_a_majority_without_it)
{
    hold(5);
    fleet_delete(3, now);
    fleet_delete(4, now);
    ck_assert_int_eq(extend_at(2000), RDL_REPAIRED);
    ck_assert_int_eq(extend_at(3000), RDL_OK);
    ck_assert_int_eq(fleet.servers[3].certainty, CERTAINTY_CONTINUOUS);
    fleet_steal(1, now);
    fleet_steal(2, now);
    ck_assert_int_eq(extend_at(4000), RDL_OK);
}
END_TEST

/* The SET that restored it had no reply, so the next extend is the first to find the key. */
START_TEST(key_found_again_counts_after_a_later_extend)
{
    repair_in_flight();
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    fleet.mood[2] = MOOD_UP;
    now = 3000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve(2, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    fleet_steal(1, now);
    ck_assert_int_eq(extend_at(4000), RDL_E_GAP);
}
END_TEST

/*
 * Two of the servers that held it continuously stall, but still have it: the old lease lasts, and no longer.
 */
START_TEST(missing_replies_are_no_proof_of_a_gap)
{
    hold(5);
    fleet_delete(3, now);
    fleet_delete(4, now);
    ck_assert_int_eq(extend_at(2000), RDL_REPAIRED);
    fleet.mood[1] = fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(extend_at(3000), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 2000 + FLEET_TTL - FLEET_DRIFT);
}
END_TEST

START_TEST(late_grant_of_the_acquire_counts_at_once)
{
    now = 1000;
    fleet_init(5, now);
    fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet.mood[3] = fleet.mood[4] = MOOD_UP;
    now = 3000;
    if (_i)
        settle(); /* otherwise the extend finds it */
    fleet_down(0);
    fleet_down(1);
    ck_assert_int_eq(extend_at(3000), RDL_OK);
}
END_TEST

/* Two servers connect after a majority has granted it: within the attempt they get the request, too. */
START_TEST(late_connection_is_one_more_vote)
{
    size_t i;

    now = 1000;
    fleet_init(5, now);
    for (i = 3; i < 5; i++) {
        fleet_down(i);
        fleet_up(i);
    }
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (i = 0; i < 3; i++)
        fleet_serve(i, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    now += _i ? FLEET_ATTEMPT : FLEET_ATTEMPT - 1;
    settle();
    settle();
    ck_assert_uint_eq(fleet_keys(now), _i ? 3 : 5);
    fleet_down(0);
    fleet_down(1);
    ck_assert_int_eq(extend_at(3000), _i ? RDL_UNKNOWN : RDL_OK);
}
END_TEST

START_TEST(extend_is_limited_by_count_and_time)
{
    hold(3);
    fleet.opt.max_extensions = _i ? 0 : 2;
    fleet.opt.max_hold_ms = _i ? FLEET_TTL + 3500 : 0;
    ck_assert_int_eq(extend_at(2000), RDL_OK);
    ck_assert_int_eq(extend_at(3000), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, 5000), RDL_E_CAP);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock),
                      3000 + FLEET_TTL - FLEET_DRIFT); /* the current lease stays */
    if (_i)                                            /* a shorter one fits */
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 9500, 5000), &now), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, 5000), &now), RDL_OK);
    ck_assert_int_eq(fleet_run(fleet_acquire(6000), &now), RDL_OK); /* counted from the start again */
    ck_assert_int_eq(extend_at(7000), RDL_OK);
}
END_TEST

START_TEST(release_is_allowed_during_an_extend)
{
    hold(3);
    now = 2000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    if (_i) {
        fleet_delete(2, now);
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING); /* it is being restored */
    }
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* ---------------------------------------------------------------- adopt */

static void hand_over(void)
{
    char token[RDL_TOKEN_TEXT_MAX];

    hold(5);
    rdl_redlock_token(lock, token);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 5, "k", 1);
    ck_assert_int_eq(rdl_redlock_adopt(lock, "nonsense", 8), RDL_E_TOKEN);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, strlen(token)), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
}

START_TEST(adopted_lock_is_extended_by_a_majority_with_the_token)
{
    hand_over();
    fleet_delete(4, now);
    fleet_delete(3, now);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 0); /* it may have expired */
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
    fleet.opt.max_hold_ms = 1; /* of the time that begins now */
    ck_assert_int_eq(extend_at(2000), RDL_ADOPTED);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, 2001), RDL_E_CAP);
    fleet.opt.max_hold_ms = 0;
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 2000 + FLEET_TTL - FLEET_DRIFT);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 3); /* a lock that is not held yet restores no key */
    ck_assert_int_eq(extend_at(3000), RDL_REPAIRED);
}
END_TEST

START_TEST(adopted_redlock_can_be_released_without_an_extend)
{
    hand_over();
    fleet_delete(4, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(token_without_a_majority_is_lost)
{
    hand_over();
    fleet_delete(4, now);
    fleet_delete(3, now);
    fleet_steal(2, 2000);
    ck_assert_int_eq(extend_at(2000), RDL_LOST);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 1); /* the other client's; ours are gone */
}
END_TEST

/*
 * By WATCH: on a majority another client acquires the lock, for longer, between the GET that finds the token
 * and the PTTL.
 */
START_TEST(change_between_two_commands_is_noticed)
{
    static const struct sim_features no_scripts = {.version = "7.0.15", .no_scripts = 1};
    char set[80];
    size_t i;
    int rc;

    now = 1000;
    fleet_init(5, now);
    snprintf(set, sizeof set, "SET k %.40s NX PX 1000\r\n", token_hex(7));
    for (i = 0; i < 5; i++) {
        fleet.s[i].model.features = &no_scripts;
        fleet_command(i, set, now);
    }
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    rc = rdl_redlock_extend_begin(lock, FLEET_TTL, 1950);
    for (i = 0; i < 3; i++)
        ck_assert(scripted_serve_before(&fleet.s[i], _i ? "PTTL" : "PEXPIRE", 1990));
    for (i = 0; i < 3; i++)
        fleet_command(i, "SET k other NX PX 60000\r\n", 2010);
    now = 2011;
    ck_assert_int_eq(fleet_run(rc, &now), RDL_LOST);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 3); /* the other client's */
}
END_TEST

/* Replies to earlier requests are ignored: a release of the old key says nothing about the new one. */
START_TEST(late_replies_to_the_old_lease_do_not_affect_the_adopted)
{
    char set[80];
    size_t i;

    hold(3);
    for (i = 0; i < 3; i++) {
        fleet_delete(i, now);
        fleet.mood[i] = MOOD_FROZEN;
    }
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    for (i = 0; i < 3; i++)
        fleet.mood[i] = MOOD_UP;
    settle(); /* they reply that it is absent */
    snprintf(set, sizeof set, "SET k %.40s NX PX 60000\r\n", token_hex(7));
    for (i = 0; i < 3; i++)
        fleet_command(i, set, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
}
END_TEST

/* A shorter extend restores a key for at least the current lease. */
START_TEST(restored_key_of_an_adopted_lock_lasts_for_the_lease)
{
    uint64_t until_ms;

    hand_over();
    ck_assert_int_eq(extend_at(2000), RDL_ADOPTED);
    until_ms = rdl_redlock_until_ms(lock);
    fleet_delete(4, now);
    now = 3000;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 2000, now), &now), RDL_REPAIRED);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), until_ms);
    ck_assert(scripted_has_key(&fleet.s[4], "k", until_ms));
}
END_TEST

/*
 * Nor does it request more than the given ttl, report an old fencing token, or count extensions of the old
 * lease.
 */
START_TEST(adopt_resets_the_limits_of_the_handle)
{
    char set[80];
    size_t i;

    now = 1000;
    fleet_init(3, now);
    fleet.opt.fencing = &rdl_fencing;
    fleet.opt.max_extensions = 1;
    fleet.opt.max_hold_ms = 2 * FLEET_TTL;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_gt(rdl_redlock_fence(lock), 0);
    ck_assert_int_eq(extend_at(now), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    settle();
    snprintf(set, sizeof set, "SET k %.40s NX PX 60000\r\n", token_hex(7));
    for (i = 0; i < 3; i++)
        fleet_command(i, set, now);
    now += FLEET_TTL / 2;
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 1000, now), &now), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), now + 1000 - 12);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
}
END_TEST

/*
 * Adopted by 0, 1, 2; on 3 it was gone. Then 2 is down, and a SET of the dead client arrives late at 3: it
 * was gone there in between, whatever 3 says now.
 */
START_TEST(late_set_is_no_proof_after_a_missing_key)
{
    char set[80];
    size_t i;
    int rc;

    now = 1000;
    fleet_init(5, now);
    snprintf(set, sizeof set, "SET k %.40s NX PX 10000\r\n", token_hex(7));
    for (i = 0; i < 3; i++)
        fleet_command(i, set, now);
    fleet_down(4);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    rc = rdl_redlock_extend_begin(lock, FLEET_TTL, now);
    ck_assert_int_eq(rc, RDL_PENDING);
    for (i = 4; i-- > 0;) /* 3 replies first */
        fleet_serve(i, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_ADOPTED);
    fleet_command(3, set, now);
    fleet_down(2);
    ck_assert_int_eq(extend_at(now), RDL_UNKNOWN);
}
END_TEST

Suite *suite_redlock_extend(void)
{
    Suite *suite = suite_create("redlock_extend");
    TCase *tc = suite_case(suite, "repair", NULL, NULL);
    TCase *adopt = suite_case(suite, "adopt", NULL, NULL);

    tcase_add_test(tc, missing_key_is_restored_with_the_same_token);
    tcase_add_test(tc, no_key_is_restored_without_a_majority);
    tcase_add_test(tc, straggler_without_the_key_is_repaired_between_operations);
    tcase_add_loop_test(tc, no_key_is_restored_without_a_confirmed_lease, 0, 2);
    tcase_add_test(tc, key_of_another_client_is_left_unchanged);
    tcase_add_test(tc, repair_takes_no_longer_than_an_attempt);
    tcase_add_test(tc, restored_key_does_not_count_at_once);
    tcase_add_test(tc, gap_is_accepted_only_by_option);
    tcase_add_test(tc, restored_key_counts_after_a_majority_without_it);
    tcase_add_test(tc, key_found_again_counts_after_a_later_extend);
    tcase_add_test(tc, missing_replies_are_no_proof_of_a_gap);
    tcase_add_loop_test(tc, late_grant_of_the_acquire_counts_at_once, 0, 2);
    tcase_add_loop_test(tc, late_connection_is_one_more_vote, 0, 2);
    tcase_add_loop_test(tc, extend_is_limited_by_count_and_time, 0, 2);
    tcase_add_loop_test(tc, release_is_allowed_during_an_extend, 0, 2);
    tcase_add_test(adopt, adopted_lock_is_extended_by_a_majority_with_the_token);
    tcase_add_test(adopt, adopted_redlock_can_be_released_without_an_extend);
    tcase_add_test(adopt, token_without_a_majority_is_lost);
    tcase_add_loop_test(adopt, change_between_two_commands_is_noticed, 0, 2);
    tcase_add_test(adopt, late_replies_to_the_old_lease_do_not_affect_the_adopted);
    tcase_add_test(adopt, restored_key_of_an_adopted_lock_lasts_for_the_lease);
    tcase_add_test(adopt, adopt_resets_the_limits_of_the_handle);
    tcase_add_test(adopt, late_set_is_no_proof_after_a_missing_key);
    return suite;
}
