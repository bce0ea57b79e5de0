/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_room.c - a release for which a server's queue has no room yet.
 *
 * Rules R10 and R13.
 */

#include "lock/lock_op.h"
#include "net/net_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static uint64_t now;

static void settle(void)
{
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
}

/* Servers from n - late on reply to the acquire only later. */
static void hold(size_t n, size_t late)
{
    now = 1000;
    fleet_init(n, now);
    for (; late > 0; late--)
        fleet.mood[n - late] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    settle();
}

/* Other requests take all the room on server i. */
static void fill(size_t i)
{
    static const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1},
                                             {NULL, 0},       UINT64_MAX,   0};
    int n;

    for (n = 0; rdl_conn_submit(&fleet.s[i].conn, NULL, &other) == RDL_OK; n++)
        ck_assert_int_lt(n, 1000);
}

/* A SET that is sent before the release would find our own key. */
START_TEST(next_acquire_waits_until_the_old_key_is_released)
{
    hold(1, 0);
    fill(0);
    rdl_redlock_cancel(lock);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), now + RDL_QUEUE_RETRY_MS);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 1);
}
END_TEST

/* Then the first attempt begins, or earlier if the caller does not wait that long. */
START_TEST(next_acquire_waits_two_attempts_for_the_old_release)
{
    const uint32_t most_ms = _i ? 100 : 2 * FLEET_ATTEMPT;

    hold(3, 0);
    fleet.mood[2] = MOOD_FROZEN;
    fill(2);
    rdl_redlock_cancel(lock);
    now += 5000;
    if (_i)
        fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = most_ms;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    settle();
    now += most_ms - 1;
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_stats(lock).attempts, 0);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), now + 1);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 1), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_stats(lock).attempts, 2);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
}
END_TEST

START_TEST(redlock_release_waits_for_room_in_a_full_queue)
{
    hold(1, 0);
    fill(0);
    if (_i == 0)
        fleet.mood[0] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), _i ? RDL_OK : RDL_UNKNOWN);
    ck_assert_uint_eq(now, _i ? 1000 : 1000 + FLEET_ATTEMPT);
    ck_assert_uint_eq(fleet_keys(now), !_i);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), _i ? RDL_OK : RDL_E_FULL);
    if (_i)
        return;
    fleet.mood[0] = MOOD_UP;
    fleet_serve_all(now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* A server that has refused it needs no release. */
START_TEST(waiting_acquire_reserves_no_room)
{
    hold(1, 0);
    rdl_redlock_cancel(lock);
    fleet_serve_all(now);
    fleet_steal(0, now);
    fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = 5000;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    settle();
    settle();
    ck_assert_uint_gt(rdl_redlock_wake_ms(lock), now);
    ck_assert_uint_eq(fleet.s[0].conn.reserved, 0);
}
END_TEST

/* Its handle is stepped, though no operation is pending. */
START_TEST(cancelled_lock_is_released_when_there_is_room)
{
    hold(1, 0);
    fill(0);
    rdl_redlock_cancel(lock);
    fleet_serve_all(now);
    ck_assert(!rdl_redlock_is_idle(lock));
    rdl_redlock_step(lock, now);
    ck_assert(!rdl_conn_refers_to(&fleet.s[0].conn, fleet.servers, sizeof fleet.servers));
    settle();
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

/* Server 0 gets only the release: a majority of the others is down. */
START_TEST(release_of_an_old_key_is_no_vote_in_an_acquire)
{
    hold(3, 0);
    fill(0);
    rdl_redlock_cancel(lock);
    fleet_down(1);
    fleet_down(2);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
    ck_assert_uint_eq(fleet.servers[0].vote, RDL_VOTE_NONE);
    ck_assert(!scripted_has_key(&fleet.s[0], "k", now));
}
END_TEST

/* The release was to be sent before; the token is the same. */
START_TEST(adopt_sends_a_pending_release)
{
    char token[RDL_TOKEN_TEXT_MAX];

    hold(1, 0);
    rdl_redlock_token(lock, token);
    fill(0);
    rdl_redlock_cancel(lock);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, RDL_VALUE_MAX), RDL_OK);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

static void release_waits_for_server_2(void)
{
    ck_assert_int_eq(rdl_redlock_release_begin(lock, now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet.mood[2] = MOOD_UP;
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
}

/* Server 1 has not replied, and server 2 has no room for the request. */
START_TEST(release_waits_for_replies_and_for_room)
{
    hold(3, 0);
    fleet_befall(".ff", now);
    fill(2);
    release_waits_for_server_2();
}
END_TEST

/* Server 2 may have granted the lock, but its queue has no room for the release; server 1 lost the key. */
START_TEST(release_without_room_may_still_find_the_key)
{
    hold(3, 1);
    fill(2);
    fleet_delete(1, now);
    release_waits_for_server_2();
}
END_TEST

Suite *suite_redlock_room(void)
{
    Suite *suite = suite_create("redlock_room");
    TCase *tc = suite_case(suite, "room", NULL, NULL);

    tcase_add_test(tc, next_acquire_waits_until_the_old_key_is_released);
    tcase_add_loop_test(tc, next_acquire_waits_two_attempts_for_the_old_release, 0, 2);
    tcase_add_loop_test(tc, redlock_release_waits_for_room_in_a_full_queue, 0, 2);
    tcase_add_test(tc, release_of_an_old_key_is_no_vote_in_an_acquire);
    tcase_add_test(tc, adopt_sends_a_pending_release);
    tcase_add_test(tc, release_waits_for_replies_and_for_room);
    tcase_add_test(tc, release_without_room_may_still_find_the_key);
    tcase_add_test(tc, waiting_acquire_reserves_no_room);
    tcase_add_test(tc, cancelled_lock_is_released_when_there_is_room);
    return suite;
}
