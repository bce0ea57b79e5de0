/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_again.c - releases that fail on some servers for now: they are sent again until the keys
 * expire, and by the handle when it retries.
 *
 * Rules R10 and R14.
 */
#include <stdio.h>
#include <string.h>

#include "net/net_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 10000000, PAUSE_MS = 256 };

static uint64_t now;

static void hold(size_t n)
{
    now = NOW;
    fleet_guarded(n, RDL_GUARD_REQUIRED, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(fleet_keys(now), n);
}

static void busy(size_t n, int is_busy)
{
    size_t i;

    for (i = 0; i < n; i++)
        fleet.s[i].model.busy = is_busy != 0;
}

static int release(void)
{
    return fleet_run(rdl_redlock_release_begin(lock, now), &now);
}

static void step_until_idle(void)
{
    int rounds;

    for (rounds = 0; !rdl_redlock_is_idle(lock) && rounds < 200; rounds++) {
        now = rdl_redlock_wake_ms(lock);
        rdl_redlock_step(lock, now);
        fleet_serve_all(now);
    }
}

/* A majority is busy at the release. */
static void failed(void)
{
    hold(3);
    busy(2, 1);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_TRY_LATER);
    ck_assert_uint_eq(fleet_keys(now), 2);
    ck_assert(!rdl_redlock_is_idle(lock));
}

START_TEST(release_is_sent_when_the_servers_recover)
{
    failed();
    now += PAUSE_MS;
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 2);
    busy(2, 0);
    now += PAUSE_MS;
    ck_assert_uint_le(rdl_redlock_wake_ms(lock), now);
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(failed_redlock_release_can_be_retried)
{
    failed();
    if (_i == 0) { /* still busy */
        ck_assert_int_eq(release(), RDL_UNKNOWN);
        return;
    }
    busy(2, 0);
    if (_i == 2) { /* it was done meanwhile: by us, or the server would have lost it in a restart */
        now += PAUSE_MS;
        rdl_redlock_step(lock, now);
        fleet_serve_all(now);
        ck_assert_uint_eq(fleet_keys(now), 0);
    }
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert_int_eq(release(), RDL_EXPIRED);
}
END_TEST

/* Frozen servers have not replied; when they thaw they execute both releases. */
START_TEST(unanswered_redlock_release_can_be_retried)
{
    hold(3);
    fleet_befall("ff.", now);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    fleet_mend(now);
    fleet.mood[0] = fleet.mood[1] = MOOD_UP;
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(next_redlock_acquire_sends_pending_releases_first)
{
    failed();
    busy(2, 0);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now),
                     RDL_OK); /* otherwise our old keys would make two refuse it */
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 3);
    ck_assert_int_eq(release(), RDL_OK);
}
END_TEST

START_TEST(redlock_with_a_pending_release_is_not_extended)
{
    failed();
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_LOST);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
}
END_TEST

/*
 * A SET that was refused with an error has set nothing, unless a proxy made up the error: its release is sent
 * once.
 */
START_TEST(release_after_an_error_is_sent_once)
{
    now = NOW;
    fleet_guarded(3, RDL_GUARD_REQUIRED, now);
    busy(3, 1);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
    fleet_serve_all(now);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

/* The expiry of an adopted key is unknown, but no ttl is longer than max_ttl. */
START_TEST(adopted_key_release_is_retried_for_max_ttl)
{
    char hex[RDL_TOKEN_TEXT_MAX];

    hold(1);
    fleet.opt.max_ttl_ms = 2 * FLEET_TTL;
    rdl_redlock_token(lock, hex);
    ck_assert_int_eq(rdl_redlock_adopt(lock, hex, strlen(hex)), RDL_OK);
    fleet_command(0, "SET k x\r\n", now);
    busy(1, 1);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    step_until_idle();
    ck_assert_uint_gt(now, NOW + 2 * FLEET_TTL + 1000 - 2 * PAUSE_MS);
    ck_assert_uint_lt(now, NOW + 2 * FLEET_TTL + 1000 + 3 * PAUSE_MS);
}
END_TEST

START_TEST(extended_key_release_is_retried_until_the_new_expiry)
{
    hold(1);
    now += 9000;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    busy(1, 1);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    step_until_idle();
    ck_assert_uint_gt(now, NOW + 9000 + FLEET_TTL - 2 * PAUSE_MS);
    ck_assert_uint_lt(now, NOW + 9000 + FLEET_TTL + 3 * PAUSE_MS);
}
END_TEST

/* Server 0 gets a second release of the earlier lock. That of the adopted one, which it never had, is new. */
START_TEST(release_of_an_adopted_lock_is_no_repeated_one)
{
    size_t i;

    failed();
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    busy(2, 0);
    now += PAUSE_MS;
    rdl_redlock_step(lock, now);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
    for (i = 1; i < 3; i++)
        scripted_other(&fleet.s[i], wire_acquire("k", token_hex(7), FLEET_TTL), now);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    fleet_down(0);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_ADOPTED);
    fleet_connect(0, now);
    ck_assert_int_eq(release(), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(fleet.servers[0].vote, RDL_VOTE_ABSENT);
}
END_TEST

Suite *suite_redlock_again(void)
{
    Suite *suite = suite_create("redlock_again");
    TCase *tc = suite_case(suite, "again", NULL, NULL);

    tcase_add_test(tc, release_is_sent_when_the_servers_recover);
    tcase_add_loop_test(tc, failed_redlock_release_can_be_retried, 0, 3);
    tcase_add_test(tc, unanswered_redlock_release_can_be_retried);
    tcase_add_test(tc, next_redlock_acquire_sends_pending_releases_first);
    tcase_add_test(tc, redlock_with_a_pending_release_is_not_extended);
    tcase_add_test(tc, release_after_an_error_is_sent_once);
    tcase_add_test(tc, adopted_key_release_is_retried_for_max_ttl);
    tcase_add_test(tc, extended_key_release_is_retried_until_the_new_expiry);
    tcase_add_test(tc, release_of_an_adopted_lock_is_no_repeated_one);
    return suite;
}
