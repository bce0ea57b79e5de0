/* SPDX-License-Identifier: MIT */
/* What an extend makes of keys that are gone, and how long it may go on. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"

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

START_TEST(what_is_gone_is_put_back_with_the_same_token)
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

START_TEST(nothing_is_put_back_without_a_majority)
{
    hold(3);
    fleet_delete(1, now);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(extend_at(2000), RDL_UNKNOWN);
    ck_assert_uint_eq(fleet_keys(now), 2); /* 0, and the frozen one */
}
END_TEST

START_TEST(a_straggler_that_says_gone_is_mended_between_operations)
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

START_TEST(nothing_is_mended_when_the_lease_is_over_or_the_extend_was_not_confirmed)
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

START_TEST(what_somebody_else_has_by_now_is_left_alone)
{
    hold(3);
    fleet_steal(2, 2000);
    ck_assert_int_eq(extend_at(2000), RDL_OK);
    settle();
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_DENIED), 1);
}
END_TEST

/* A frozen server costs what is put back on another no more than an attempt. */
START_TEST(putting_back_is_waited_for_as_long_as_an_attempt_lasts)
{
    hold(3);
    fleet_delete(2, now);
    now = 2000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING); /* confirmed; the SET is out */
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 2000 + FLEET_TTL - FLEET_DRIFT);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + FLEET_ATTEMPT), RDL_OK);
    now += FLEET_ATTEMPT;
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    fleet.mood[2] = MOOD_UP; /* it executes the SET now, and the release behind it */
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* We hold 0, 1, 2; 2 forgets and is stolen, 3 and 4 were somebody's in between and are put back. */
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

START_TEST(what_was_put_back_does_not_count_at_once)
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

START_TEST(a_gap_is_accepted_by_option_only)
{
    hold_by_what_was_put_back();
    fleet.opt.accept_gap = 1;
    ck_assert_int_eq(extend_at(3000), RDL_HELD_WITH_GAP);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 3000 + FLEET_TTL - FLEET_DRIFT);
    fleet.opt.accept_gap = 0;
    ck_assert_int_eq(extend_at(4000), RDL_OK); /* from now on there is no gap */
}
END_TEST

START_TEST(what_was_put_back_counts_after_a_majority_without_it)
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

/* Two of those we held all the time are silent, not gone: the old lease lasts, and no longer. */
START_TEST(the_silence_of_those_who_had_it_is_no_proof_of_a_gap)
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

START_TEST(a_late_grant_of_the_acquire_counts_at_once)
{
    now = 1000;
    fleet_init(5, now);
    fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet.mood[3] = fleet.mood[4] = MOOD_UP;
    now = 3000;
    if (_i)
        settle(); /* else the extend finds it out */
    fleet_down(0);
    fleet_down(1);
    ck_assert_int_eq(extend_at(3000), RDL_OK);
}
END_TEST

/*
 * Two connect when a majority has granted it: in the time of the attempt they are asked as the others were.
 */
START_TEST(who_connects_a_little_late_is_one_more_vote)
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

START_TEST(a_hold_ends_by_its_limits)
{
    hold(3);
    fleet.opt.max_extensions = _i ? 0 : 2;
    fleet.opt.max_hold_ms = _i ? FLEET_TTL + 3500 : 0;
    ck_assert_int_eq(extend_at(2000), RDL_OK);
    ck_assert_int_eq(extend_at(3000), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, 5000), RDL_E_CAP);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock),
                      3000 + FLEET_TTL - FLEET_DRIFT); /* what there is, is ours */
    if (_i)                                            /* a shorter one fits */
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 9500, 5000), &now), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, 5000), &now), RDL_OK);
    ck_assert_int_eq(fleet_run(fleet_acquire(6000), &now), RDL_OK); /* counted from anew */
    ck_assert_int_eq(extend_at(7000), RDL_OK);
}
END_TEST

START_TEST(a_release_may_come_while_an_extend_is_out)
{
    hold(3);
    now = 2000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    if (_i) {
        fleet_delete(2, now);
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING); /* it is being put back */
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

START_TEST(an_adopted_lock_is_extended_by_a_majority_that_has_the_token)
{
    hand_over();
    fleet_delete(4, now);
    fleet_delete(3, now);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 0); /* it may be nobody's by now */
    ck_assert_uint_eq(rdl_redlock_fence(lock), 0);
    fleet.opt.max_hold_ms = 1; /* of the hold that begins now */
    ck_assert_int_eq(extend_at(2000), RDL_ADOPTED);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, 2001), RDL_E_CAP);
    fleet.opt.max_hold_ms = 0;
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 2000 + FLEET_TTL - FLEET_DRIFT);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 3); /* nothing is put back by who does not hold it yet */
    ck_assert_int_eq(extend_at(3000), RDL_REPAIRED);
}
END_TEST

START_TEST(an_adopted_lock_is_released_at_once)
{
    hand_over();
    fleet_delete(4, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(a_token_that_a_majority_has_not_is_lost)
{
    hand_over();
    fleet_delete(4, now);
    fleet_delete(3, now);
    fleet_steal(2, 2000);
    ck_assert_int_eq(extend_at(2000), RDL_LOST);
    settle();
    ck_assert_uint_eq(fleet_keys(now), 1); /* the other's; ours are gone */
}
END_TEST

/*
 * By WATCH, and on a majority somebody takes the lock, for longer, between the GET that finds the token and
 * the PTTL.
 */
START_TEST(what_came_between_two_commands_of_a_majority_is_not_believed)
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
    ck_assert_uint_eq(fleet_keys(now), 3); /* the other's */
}
END_TEST

/*
 * Of what it asked for before it hears nothing any more: a release of the old key is no word on the new one.
 */
START_TEST(late_answers_to_the_old_lease_say_nothing_of_the_adopted_one)
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
    settle(); /* absent, they say */
    snprintf(set, sizeof set, "SET k %.40s NX PX 60000\r\n", token_hex(7));
    for (i = 0; i < 3; i++)
        fleet_command(i, set, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
}
END_TEST

/* A shorter extend puts a key back for no less than what is believed. */
START_TEST(what_is_put_back_of_an_adopted_lock_lasts_as_long_as_the_lease)
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

/* Nor is more asked for than is said, an old number told, or counted what was done in the old lease. */
START_TEST(a_handle_that_was_used_before_begins_anew_with_what_it_adopts)
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
 * Adopted by 0, 1, 2; on 3 it was gone. Then 2 is away, and a SET of the one who died comes late to 3: there
 * it was gone in between, whatever 3 says now.
 */
START_TEST(a_late_set_is_no_proof_where_it_was_gone_when_it_was_adopted)
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
    for (i = 4; i-- > 0;) /* 3 is heard first */
        fleet_serve(i, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_ADOPTED);
    fleet_command(3, set, now);
    fleet_down(2);
    ck_assert_int_eq(extend_at(now), RDL_UNKNOWN);
}
END_TEST

Suite *suite_redlock_extend(void);

Suite *suite_redlock_extend(void)
{
    Suite *suite = suite_create("redlock_extend");
    TCase *tc = tcase_create("repair");
    TCase *adopt = tcase_create("adopt");

    tcase_add_test(tc, what_is_gone_is_put_back_with_the_same_token);
    tcase_add_test(tc, nothing_is_put_back_without_a_majority);
    tcase_add_test(tc, a_straggler_that_says_gone_is_mended_between_operations);
    tcase_add_loop_test(tc, nothing_is_mended_when_the_lease_is_over_or_the_extend_was_not_confirmed, 0, 2);
    tcase_add_test(tc, what_somebody_else_has_by_now_is_left_alone);
    tcase_add_test(tc, putting_back_is_waited_for_as_long_as_an_attempt_lasts);
    tcase_add_test(tc, what_was_put_back_does_not_count_at_once);
    tcase_add_test(tc, a_gap_is_accepted_by_option_only);
    tcase_add_test(tc, what_was_put_back_counts_after_a_majority_without_it);
    tcase_add_test(tc, the_silence_of_those_who_had_it_is_no_proof_of_a_gap);
    tcase_add_loop_test(tc, a_late_grant_of_the_acquire_counts_at_once, 0, 2);
    tcase_add_loop_test(tc, who_connects_a_little_late_is_one_more_vote, 0, 2);
    tcase_add_loop_test(tc, a_hold_ends_by_its_limits, 0, 2);
    tcase_add_loop_test(tc, a_release_may_come_while_an_extend_is_out, 0, 2);
    suite_add_tcase(suite, tc);
    tcase_add_test(adopt, an_adopted_lock_is_extended_by_a_majority_that_has_the_token);
    tcase_add_test(adopt, an_adopted_lock_is_released_at_once);
    tcase_add_test(adopt, a_token_that_a_majority_has_not_is_lost);
    tcase_add_loop_test(adopt, what_came_between_two_commands_of_a_majority_is_not_believed, 0, 2);
    tcase_add_test(adopt, late_answers_to_the_old_lease_say_nothing_of_the_adopted_one);
    tcase_add_test(adopt, what_is_put_back_of_an_adopted_lock_lasts_as_long_as_the_lease);
    tcase_add_test(adopt, a_handle_that_was_used_before_begins_anew_with_what_it_adopts);
    tcase_add_test(adopt, a_late_set_is_no_proof_where_it_was_gone_when_it_was_adopted);
    suite_add_tcase(suite, adopt);
    return suite;
}
