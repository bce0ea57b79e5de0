/* SPDX-License-Identifier: MIT */
/* check_redlock_wait.c - waiting and cancelling on N servers. */
#include <string.h>

#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static void set_wait(void)
{
    fleet.opt.lease.wait_ms = 5000;
    fleet.opt.lease.retry_ms = 50;
}

/* The pause after an attempt that was refused after took_ms. */
static uint64_t pause_after(uint32_t took_ms, uint32_t seed)
{
    size_t i;

    fleet_init(3, 1000);
    set_wait();
    fleet.opt.lease.retry_ms = 1;
    for (i = 0; i < 3; i++)
        fleet_command(i, "SET k other\r\n", 1000);
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING);
    lock->seed = seed;
    fleet_serve_all(1000 + took_ms);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000 + took_ms), RDL_PENDING);
    return lock->wake_ms - 1000 - took_ms;
}

/* Two clients that collided return at different times, at least the length of the attempt apart. */
START_TEST(pause_is_random_up_to_twice_the_attempt)
{
    const uint32_t took_ms = _i ? 300 : 100, most_ms = _i ? RDL_RETRY_CAP_MS : 200;
    uint64_t shortest = UINT64_MAX, longest = 0;
    uint32_t seed;

    for (seed = 1; seed <= 100; seed++) {
        uint64_t pause = pause_after(took_ms, seed * 2654435761u);
        shortest = pause < shortest ? pause : shortest;
        longest = pause > longest ? pause : longest;
        ck_assert_uint_le(pause_after(0, seed), 2);
    }
    ck_assert_uint_lt(shortest, took_ms / 2);
    ck_assert_uint_gt(longest, most_ms - most_ms / 4);
    ck_assert_uint_le(longest, most_ms);
}
END_TEST

/* No attempt has begun: the connections were refused after 400 ms. */
START_TEST(pause_does_not_depend_on_the_time_to_connect)
{
    size_t i;

    fleet_init(3, 1000);
    set_wait();
    fleet.opt.lease.retry_ms = 1;
    fleet_down(0);
    fleet_down(1);
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING);
    for (i = 0; i < 2; i++)
        rdl_conn_closed(&fleet.s[i].conn, RDL_E_CONNECT);
    ck_assert_int_eq(rdl_redlock_step(lock, 1400), RDL_PENDING);
    ck_assert_int_eq(lock->result, RDL_NO_QUORUM);
    ck_assert_uint_le(lock->wake_ms, 1402);
}
END_TEST

START_TEST(lock_of_a_dead_holder_is_acquired_after_its_ttl)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, 1000);
    set_wait();
    for (i = 0; i < 5; i++)
        fleet_command(i, "SET k other PX 1500\r\n", 1000);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_gt(now, 2500);
    ck_assert_uint_le(now, 2550); /* clients that wait for it spread over 50 ms */
}
END_TEST

/*
 * On one server the pauses stay short while the lock changes hands. On several servers short pauses split the
 * votes of a crowd, and a key without a ttl shows no new holder: then the backoff continues.
 */
START_TEST(pauses_stay_short_on_one_server_while_the_lock_changes_hands)
{
    size_t n = _i == 1 ? 3 : 1;
    uint64_t now = 1000, longest = 0;

    fleet_init(n, now);
    fleet.opt.lease.wait_ms = RDL_WAIT_FOREVER;
    fleet.opt.lease.retry_ms = 50;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (int attempt = 0; attempt < 100; attempt++) {
        for (size_t i = 0; i < n; i++)
            fleet_command(i, _i == 2 ? "SET k other\r\n" : "SET k other PX 10000\r\n", now);
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
        fleet_serve_all(now);
        if (lock->wake_ms - now > longest)
            longest = lock->wake_ms - now;
        now = lock->wake_ms;
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    if (_i == 0)
        ck_assert_uint_le(longest, 100); /* a pause of 2 ms does not show a new holder */
    else
        ck_assert_uint_gt(longest, 400);
    ck_assert_uint_le(longest, RDL_RETRY_CAP_MS);
}
END_TEST

START_TEST(reconnecting_causes_no_busy_loop)
{
    uint64_t now = 1000;
    int rc;

    fleet_init(1, 1000);
    set_wait();
    fleet.opt.lease.wait_ms = 20000;
    fleet_down(0);
    rc = fleet_acquire(now);
    while (rc == RDL_PENDING) { /* a black hole: only its deadline ends the connect */
        if (rdl_conn_wants(&fleet.s[0].conn) & RDL_WANT_CLOSE) {
            rdl_conn_closed(&fleet.s[0].conn, rdl_conn_error(&fleet.s[0].conn));
        } else {
            ck_assert_uint_gt(rdl_redlock_wake_ms(lock), now);
            now = rdl_redlock_wake_ms(lock);
        }
        rc = rdl_redlock_step(lock, now);
    }
    ck_assert_int_eq(rc, RDL_NO_QUORUM);
    ck_assert_uint_eq(now, 21000);
}
END_TEST

START_TEST(permanent_errors_of_a_majority_end_the_wait)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, 1000);
    set_wait();
    for (i = 0; i < 3; i++) { /* their users have lost all permissions */
        fleet.mood[i] = MOOD_FROZEN;
        scripted_reply(&fleet.s[i], "");
    }
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (i = 0; i < 3; i++) {
        scripted_sent(&fleet.s[i]);
        scripted_reply(&fleet.s[i], _i ? "-NOPERM x\r\n-NOPERM x\r\n" : "-LOADING x\r\n-LOADING x\r\n");
    }
    ck_assert_int_eq(rdl_redlock_step(lock, now), _i ? RDL_NO_QUORUM : RDL_PENDING);
}
END_TEST

START_TEST(redlock_uses_a_new_token_for_every_attempt)
{
    const char *sent;
    int attempts = 0;
    uint64_t now = 1000;
    int rc;

    fleet_init(2, 1000);
    set_wait();
    fleet_command(1, "SET k other\r\n", 1000);
    rc = fleet_acquire(now);
    while (attempts < 6 && rc == RDL_PENDING) { /* each is released before the next attempt */
        sent = scripted_sent(&fleet.s[0]);
        if (strstr(sent, "SET") != NULL) {
            attempts++;
            ck_assert_ptr_nonnull(strstr(sent, entropy_token((unsigned)attempts)));
        }
        fleet_serve_all(now);
        rc = rdl_redlock_step(lock, now);
        now = rdl_redlock_wake_ms(lock);
    }
    ck_assert_int_eq(attempts, 6);
}
END_TEST

/* ---------------------------------------------------------------- cancel */

START_TEST(cancel_leaves_no_key_and_frees_the_memory)
{
    const char *fates = _i % 2 ? "..fdf" : ".....";
    uint64_t now = 1000;
    size_t i;
    int place = _i / 2;

    fleet_init(5, 1000);
    fleet_befall(fates, now);
    set_wait();
    if (place == 5)
        fleet_steal(0, now), fleet_steal(1, now), fleet_steal(2, now);
    fleet_acquire(now);
    if (place >= 1)
        fleet_serve(0, now);
    if (place >= 2)
        rdl_redlock_step(lock, now);
    if (place >= 3) {
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
    if (place == 4 && lock->until_ms != 0)
        rdl_redlock_extend_begin(lock, FLEET_TTL, now);
    if (place == 6 && lock->until_ms != 0)
        rdl_redlock_release_begin(lock, now);
    rdl_redlock_cancel(lock);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    memset(lock, 0xee, sizeof *lock);
    memset(fleet.servers, 0xee, sizeof fleet.servers);
    for (i = 0; i < 5; i++) {
        fleet_up(i);
        now = 1500;
        if (rdl_conn_state(&fleet.s[i].conn) == RDL_CONN_CLOSED)
            rdl_conn_tick(&fleet.s[i].conn, rdl_conn_tick(&fleet.s[i].conn, now));
    }
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), place == 5 ? 3 : 0);
}
END_TEST

Suite *suite_redlock_wait(void)
{
    Suite *suite = suite_create("redlock_wait");
    TCase *tc = suite_case(suite, "wait", NULL, NULL);

    tcase_add_loop_test(tc, pauses_stay_short_on_one_server_while_the_lock_changes_hands, 0, 3);
    tcase_add_test(tc, reconnecting_causes_no_busy_loop);
    tcase_add_loop_test(tc, pause_is_random_up_to_twice_the_attempt, 0, 2);
    tcase_add_test(tc, pause_does_not_depend_on_the_time_to_connect);
    tcase_add_test(tc, lock_of_a_dead_holder_is_acquired_after_its_ttl);
    tcase_add_loop_test(tc, permanent_errors_of_a_majority_end_the_wait, 0, 2);
    tcase_add_test(tc, redlock_uses_a_new_token_for_every_attempt);
    tcase_add_loop_test(tc, cancel_leaves_no_key_and_frees_the_memory, 0, 14);
    return suite;
}
