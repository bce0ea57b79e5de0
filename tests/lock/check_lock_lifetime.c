/* SPDX-License-Identifier: MIT */
/*
 * check_lock_lifetime.c - how long the memory of a lock on one server is in use, in every mode, and the room
 * for its release in the conn's queue meanwhile.
 *
 * Rule R23.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_hint.h"
#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/sim/any_lock.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 10000, ATTEMPT = 250, MODES = MODE_LEGACY_SHORTEST + 1 };

static struct scripted s;
static struct scripted hints;
static const struct rdl_lock_options opt = {.ttl_ms = TTL, .attempt_ms = ATTEMPT};
static const struct rdl_lock_options waiting = {
    .ttl_ms = TTL, .attempt_ms = ATTEMPT, .wait_ms = 60000, .retry_ms = 50};

static struct memory {
    union any_lock own;
    struct rdl_hint hint;
} * m;

static void begin(enum any_mode mode, const struct rdl_lock_options *o)
{
    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
    scripted_init(&hints);
    scripted_model(&hints, NOW);
    scripted_open(&hints, NOW);
    m = malloc(sizeof *m);
    ck_assert_ptr_nonnull(m);
    memset(m, 0x5a, sizeof *m);
    any_lock_init(&m->own, mode, o, &s.conn, "k", 1);
    rdl_hint_init(&m->hint, &hints.conn);
    rdl_lock_set_hint(&m->own.lock, &m->hint);
}

static void hold(void)
{
    int rc = rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW);
    int i;

    for (i = 0; rc == RDL_PENDING && i < 5; i++) {
        scripted_serve(&s, NOW);
        rc = rdl_lock_step(&m->own.lock, NOW);
    }
    ck_assert_int_eq(rc, RDL_OK);
    scripted_serve(&s, NOW);
}

/* ---------------------------------------------------------------- how it ends while a reply is pending */

static void acquire_without_an_answer(void)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW + ATTEMPT), RDL_UNKNOWN);
}

static void cancel_of_an_acquire(void)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    rdl_lock_cancel(&m->own.lock);
}

static void release_without_an_answer(void)
{
    hold();
    ck_assert_int_eq(rdl_lock_release_begin(&m->own.lock, NOW), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW + ATTEMPT), RDL_UNKNOWN);
}

static void cancel_of_a_release(void)
{
    hold();
    ck_assert_int_eq(rdl_lock_release_begin(&m->own.lock, NOW), RDL_PENDING);
    scripted_sent(&s);
    rdl_lock_cancel(&m->own.lock);
}

static void extend_that_comes_too_late(void)
{
    hold();
    ck_assert_int_eq(rdl_lock_extend_begin(&m->own.lock, TTL, NOW), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW + TTL), RDL_LOST);
}

static void extend_of_what_is_over(void)
{
    hold();
    ck_assert_int_eq(rdl_lock_extend_begin(&m->own.lock, TTL, NOW), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW + ATTEMPT), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_extend_begin(&m->own.lock, TTL, NOW + TTL), RDL_LOST);
}

static void wait_for_a_hint(void)
{
    scripted_other(&s, "SET k other PX 60000\r\n", NOW);
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_serve(&s, NOW);
    rdl_lock_step(&m->own.lock, NOW);
    scripted_serve(&s, NOW);
    rdl_lock_step(&m->own.lock, NOW);
    rdl_lock_cancel(&m->own.lock);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&m->own.lock, NOW), 0);
}

static void (*const ends[])(void) = {acquire_without_an_answer,
                                     cancel_of_an_acquire,
                                     release_without_an_answer,
                                     cancel_of_a_release,
                                     extend_that_comes_too_late,
                                     extend_of_what_is_over,
                                     wait_for_a_hint};

START_TEST(nothing_refers_to_a_lock_after_its_last_call)
{
    void (*end)(void) = ends[_i / MODES];

    begin((enum any_mode)(_i % MODES), end == wait_for_a_hint ? &waiting : &opt);
    end();
    ck_assert(!rdl_conn_refers_to(&s.conn, m, sizeof *m));
    ck_assert(!rdl_conn_refers_to(&hints.conn, m, sizeof *m));
    ck_assert_uint_eq(s.conn.reserved, 0);
    free(m);
    scripted_serve(&s, NOW + ATTEMPT);
    scripted_serve(&s, NOW + ATTEMPT);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- too early */

START_TEST(init_of_a_pending_lock_aborts)
{
    begin(MODE_PLAIN, &opt);
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    rdl_lock_init(&m->own.lock, &opt, &s.conn, "b", 1);
}
END_TEST

START_TEST(init_of_a_pending_hint_aborts)
{
    begin(MODE_PLAIN, &waiting);
    scripted_other(&s, "SET k other PX 60000\r\n", NOW);
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_serve(&s, NOW);
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW), RDL_PENDING);
    ck_assert(m->hint.req.is_queued);
    rdl_hint_init(&m->hint, &hints.conn);
}
END_TEST

/* ---------------------------------------------------------------- room for the release */

/* Other requests take all the room. */
static void fill(void)
{
    static const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1},
                                             {NULL, 0},       UINT64_MAX,   0};
    int n;

    for (n = 0; rdl_conn_submit(&s.conn, NULL, &other) == RDL_OK; n++)
        ck_assert_int_lt(n, 1000);
}

static int is_released(const char *sent)
{
    return strstr(sent, "\r\n$1\r\nk\r\n") != NULL;
}

/* Granted, but the program was delayed: the reply was there in time, but it is read after the lease. */
START_TEST(late_grant_has_room_for_its_release)
{
    begin((enum any_mode)_i, &opt);
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_serve(&s, NOW);
    if (_i >= MODE_LEGACY) { /* the first reply was the server's clock */
        ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW), RDL_PENDING);
        scripted_serve(&s, NOW);
    }
    ck_assert(scripted_has_key(&s, "k", NOW));
    fill();
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW + TTL), RDL_EXPIRED);
    ck_assert(is_released(scripted_sent(&s)));
    free(m);
}
END_TEST

/* The connection ended, and other requests fill the freed room before the lock is stepped. */
START_TEST(acquire_that_was_cut_off_has_room_for_its_release)
{
    begin(MODE_PLAIN, &opt);
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    fill();
    ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW), RDL_UNKNOWN);
    scripted_open(&s, NOW + 3000);
    ck_assert(is_released(scripted_sent(&s)));
    free(m);
}
END_TEST

/* The lock is held by another client, or the server is loading. */
START_TEST(pausing_lock_reserves_no_room)
{
    begin((enum any_mode)(_i / 2), &waiting);
    scripted_other(&s, "SET k 4000000000 PX 60000\r\n", NOW);
    s.model.busy = _i % 2 != 0;
    ck_assert_int_eq(rdl_lock_acquire_begin(&m->own.lock, entropy_bytes(), NOW), RDL_PENDING);
    for (int i = 0; i < 3; i++) {
        scripted_serve(&s, NOW);
        ck_assert_int_eq(rdl_lock_step(&m->own.lock, NOW), RDL_PENDING);
    }
    ck_assert_uint_eq(s.conn.reserved, 0);
    rdl_lock_cancel(&m->own.lock);
    free(m);
}
END_TEST

START_TEST(held_lease_reserves_no_room)
{
    begin((enum any_mode)_i, &opt);
    hold();
    ck_assert_uint_eq(s.conn.reserved, 0);
    free(m);
}
END_TEST

/* ---------------------------------------------------------------- how long a release stays pending */

/* The lease was for 10 s; an extend by less waits for its connection and is cancelled. */
START_TEST(unsent_extend_shortens_no_pending_release)
{
    begin(MODE_PLAIN, &opt);
    hold();
    scripted_break(&s);
    rdl_conn_tick(&s.conn, NOW + 5000);
    while (rdl_conn_state(&s.conn) == RDL_CONN_CLOSED)
        rdl_conn_tick(&s.conn, NOW + 5000);
    ck_assert_int_eq(rdl_lock_extend_begin(&m->own.lock, 1000, NOW + 5000), RDL_PENDING);
    rdl_lock_cancel(&m->own.lock);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    scripted_open(&s, NOW + TTL - 1 - 2000); /* after a pause of 2 s at most */
    scripted_serve(&s, NOW + TTL - 1);
    ck_assert(!scripted_has_key(&s, "k", NOW + TTL - 1));
    free(m);
}
END_TEST

/* Not from the release on: the key has expired by then, and another client may hold the lock. */
START_TEST(release_stays_pending_for_the_ttl_of_the_last_set)
{
    begin(MODE_PLAIN, &opt);
    hold();
    ck_assert_int_eq(rdl_lock_release_begin(&m->own.lock, NOW + 5000), RDL_PENDING);
    rdl_lock_cancel(&m->own.lock);
    scripted_sent(&s);
    scripted_break(&s);
    scripted_open(&s, _i ? NOW + TTL + 1 : NOW + TTL - 2000); /* after a pause of 2 s at most */
    ck_assert_int_eq(is_released(scripted_sent(&s)), !_i);
    free(m);
}
END_TEST

Suite *suite_lock_lifetime(void)
{
    Suite *suite = suite_create("lock_lifetime");
    TCase *tc = suite_case(suite, "lifetime", NULL, NULL);
    TCase *asserted = suite_case(suite, "assertions", NULL, NULL);

    tcase_add_loop_test(tc, nothing_refers_to_a_lock_after_its_last_call, 0,
                        MODES * (int)(sizeof ends / sizeof ends[0]));
    tcase_add_loop_test(tc, late_grant_has_room_for_its_release, 0, MODES);
    tcase_add_test(tc, acquire_that_was_cut_off_has_room_for_its_release);
    tcase_add_loop_test(tc, pausing_lock_reserves_no_room, 0, 2 * MODES);
    tcase_add_loop_test(tc, held_lease_reserves_no_room, 0, MODES);
    tcase_add_test(tc, unsent_extend_shortens_no_pending_release);
    tcase_add_loop_test(tc, release_stays_pending_for_the_ttl_of_the_last_set, 0, 2);
    tcase_set_tags(asserted, "assertions");
    tcase_add_test_raise_signal(asserted, init_of_a_pending_lock_aborts, SIGABRT);
    tcase_add_test_raise_signal(asserted, init_of_a_pending_hint_aborts, SIGABRT);
    return suite;
}
