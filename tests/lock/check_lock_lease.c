/* SPDX-License-Identifier: MIT */
/*
 * check_lock_lease.c - a held lock: extend and release, with replies in exact bytes. check_contract.c tests
 * what all kinds have in common.
 *
 * Rules R1, R2, R3 and R14.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000, DRIFT = 102, ATTEMPT = 250 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

static int acquire(uint64_t now_ms)
{
    return rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);
}

/* Holds the lock since t1, with the replies to SET and PTTL read. */
static void hold(uint64_t t1_ms)
{
    ck_assert_int_eq(acquire(t1_ms), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, t1_ms), RDL_OK);
}

/* ---------------------------------------------------------------- extend */

/* A lost connection that could not be reopened at once is tried again within the attempt. */
START_TEST(lost_connection_is_reopened_within_the_attempt)
{
    uint64_t wake;

    hold(1000);
    scripted_break(&s);
    rdl_conn_tick(&s.conn, 2000);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(_i ? rdl_lock_release_begin(&l, 2000) : rdl_lock_extend_begin(&l, TTL, 2000),
                     RDL_PENDING);
    wake = rdl_lock_wake_ms(&l);
    ck_assert_uint_gt(wake, 2000);
    ck_assert_uint_le(wake, 2040);
    ck_assert_int_eq(rdl_lock_step(&l, wake), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2000 + ATTEMPT);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT - 1), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2000 + ATTEMPT);
    ck_assert_str_ne(scripted_sent(&s), "");
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), RDL_OK);
}
END_TEST

static const struct {
    const char *reply; /* NULL: none; "x": the connection breaks */
    int result;
    int is_kept;
} extends[] = {
    {":0\r\n", RDL_LOST, 0},
    {":-1\r\n", RDL_LOST, 0},
    {"-BUSY Redis is busy\r\n", RDL_E_TRY_LATER, 1},
    {NULL, RDL_UNKNOWN, 1},
    {"x", RDL_UNKNOWN, 1},
    {"-READONLY x\r\n", RDL_E_READONLY, 1},
    {"-WRONGTYPE x\r\n", RDL_LOST, 0},
};

START_TEST(failed_extend_keeps_the_lease_or_ends_it)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, 2000), RDL_PENDING);
    scripted_sent(&s);
    if (extends[_i].reply != NULL && extends[_i].reply[0] == 'x')
        scripted_break(&s);
    else if (extends[_i].reply != NULL)
        scripted_reply(&s, extends[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), extends[_i].result);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 3000), extends[_i].is_kept ? TTL - DRIFT - 2000 : 0);
    if (!extends[_i].is_kept)
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

/* ---------------------------------------------------------------- release */

static const struct {
    const char *reply;
    int result;
} releases[] = {
    {":1\r\n", RDL_OK},
    {":-1\r\n", RDL_EXPIRED},
    {":0\r\n", RDL_LOST},
    {"-WRONGTYPE Operation against a key holding the wrong kind of value script: 405f\r\n", RDL_LOST},
    {"-BUSY Redis is busy\r\n", RDL_E_TRY_LATER},
    {NULL, RDL_UNKNOWN},
};

START_TEST(release_result_distinguishes_expired_and_lost)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 2000), 0); /* from here on, whatever the result is */
    scripted_sent(&s);
    if (releases[_i].reply != NULL)
        scripted_reply(&s, releases[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), releases[_i].result);
    if (releases[_i].result == RDL_E_TRY_LATER) { /* a temporary error: it is sent again a little later */
        rdl_conn_tick(&s.conn, 2000 + ATTEMPT + 256);
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
    }
    ck_assert_str_eq(scripted_sent(&s), ""); /* no other release is */
}
END_TEST

/* No reply can arrive any more: there is no need to wait. */
START_TEST(release_is_unknown_if_reconnecting_fails)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, 2001), RDL_PENDING);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(rdl_lock_step(&l, 2002), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_error(&l), RDL_E_CONNECT);
    ck_assert_uint_eq(rdl_conn_waiting(&s.conn), 1); /* it is still pending */
}
END_TEST

/*
 * The connection ended because the server was killed. It is back without its data, and the release finds no
 * key, or the key of another client. It may also have succeeded the first time: the two cannot be
 * distinguished.
 */
START_TEST(release_after_a_restart_is_unknown)
{
    scripted_model(&s, 1000);
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_lock_step(&l, 1000), RDL_OK);
    scripted_model(&s, 2000);
    if (_i)
        scripted_other(&s, "SET k other PX 60000\r\n", 2500);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 3000), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, 3001), RDL_PENDING);
    scripted_open(&s, 3002);
    scripted_serve(&s, 3002);
    ck_assert_int_eq(rdl_lock_step(&l, 3002), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_error(&l), RDL_E_CLOSED);
    ck_assert(rdl_conn_is_idle(&s.conn)); /* nothing stays pending */
    ck_assert_int_eq(scripted_has_key(&s, "k", 3002), _i);
}
END_TEST

Suite *suite_lock_lease(void)
{
    Suite *suite = suite_create("lock_lease");
    TCase *tc = suite_case(suite, "lease", setup, NULL);

    tcase_add_loop_test(tc, lost_connection_is_reopened_within_the_attempt, 0, 2);
    tcase_add_loop_test(tc, failed_extend_keeps_the_lease_or_ends_it, 0, sizeof extends / sizeof extends[0]);
    tcase_add_loop_test(tc, release_result_distinguishes_expired_and_lost, 0,
                        sizeof releases / sizeof releases[0]);
    tcase_add_test(tc, release_is_unknown_if_reconnecting_fails);
    tcase_add_loop_test(tc, release_after_a_restart_is_unknown, 0, 2);
    return suite;
}
