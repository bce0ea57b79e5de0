/* SPDX-License-Identifier: MIT */
/*
 * check_lock_hint.c - waiting with a hint: it shortens pauses; if it fails in any way, the usual pauses
 * remain.
 *
 * Rule R32.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_hint.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

/* With a ttl as short as the longest wait, each attempt requests the holder's time. */
enum { TTL = RDL_HINT_CAP_MS, NOW = 1000 };
/* A client to which hints have come waits for the next for minutes, before it polls. */
enum { HINTS_COME = 600000 };

#define TAKEN(ms)  "$-1\r\n:" ms "\r\n"
#define CAME       "*2\r\n$8\r\n{k}:wake\r\n$1\r\n1\r\n"
#define NONE_CAME  "*-1\r\n"
#define WAIT(text) "*3\r\n$5\r\nBLPOP\r\n$8\r\n{k}:wake\r\n" text "\r\n"
#define WAIT_1     WAIT("$1\r\n1")

static struct scripted s, second;
static struct rdl_lock l;
static struct rdl_hint hint;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_init(&second);
    opt = (struct rdl_lock_options){.ttl_ms = TTL, .wait_ms = 5000, .retry_ms = 50};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
    rdl_hint_init(&hint, &second.conn);
    hint.patience_ms = HINTS_COME;
    rdl_lock_set_hint(&l, &hint);
    scripted_open(&s, NOW);
    scripted_open(&second, NOW);
}

/* Sends an attempt that is refused: the lock pauses from NOW on. */
static void refused(const char *reply)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    ck_assert_str_ne(scripted_sent(&s), "");
    scripted_reply(&s, reply);
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING);
}

/* The lock tries again at `now` and is refused again. */
static void refused_again(const char *reply, uint64_t now)
{
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    ck_assert_str_ne(scripted_sent(&s), "");
    scripted_reply(&s, reply);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
}

static uint64_t pause_ms(uint64_t now)
{
    return rdl_lock_wake_ms(&l) - now;
}

/* ---------------------------------------------------------------- how long it waits */

static const struct {
    const char *taken;
    const char *sent;
    unsigned pause;
} waits[] = {
    {TAKEN("5000"), WAIT_1, 1000}, {TAKEN("249"), WAIT("$5\r\n0.250"), 250},
    {TAKEN("999"), WAIT_1, 1000},  {TAKEN("0"), WAIT("$5\r\n0.002"), 1},
    {TAKEN("-1"), WAIT_1, 1000}, /* a foreign holder without expiry */
    {TAKEN("-2"), WAIT_1, 1000}, /* gone in between: the hint is already there */
};

START_TEST(hint_wait_is_the_holders_time_up_to_a_cap)
{
    refused(waits[_i].taken);
    ck_assert_str_eq(scripted_sent(&second), waits[_i].sent);
    ck_assert_uint_eq(pause_ms(NOW), waits[_i].pause);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + waits[_i].pause - 1), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

START_TEST(hint_wait_ends_at_the_callers_deadline)
{
    opt.wait_ms = 300;
    refused(TAKEN("5000"));
    ck_assert_str_eq(scripted_sent(&second), WAIT("$5\r\n0.300"));
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), NOW + 300);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 300), RDL_BUSY);
    ck_assert_int_eq(scripted_close_failed(&second),
                     RDL_E_TIMEOUT); /* otherwise the next hint would be lost */
    ck_assert(!hint.req.is_queued);
}
END_TEST

/* ---------------------------------------------------------------- what ends the wait */

START_TEST(hint_ends_the_pause_with_an_attempt)
{
    refused(TAKEN("5000"));
    scripted_sent(&second);
    scripted_reply(&second, CAME);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 7), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(2), TTL));
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 8), RDL_OK);
    ck_assert_str_eq(scripted_sent(&second), "");
    ck_assert(rdl_conn_is_idle(&second.conn)); /* ready for the next time */
    ck_assert_int_eq(rdl_conn_state(&second.conn), RDL_CONN_READY);
}
END_TEST

START_TEST(hint_does_not_grant_the_lock)
{
    refused(TAKEN("5000"));
    scripted_sent(&second);
    scripted_reply(&second, CAME);
    refused_again(TAKEN("9000"), NOW + 7);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, NOW + 7), 0);
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
    ck_assert_uint_eq(pause_ms(NOW + 7), 1000);
}
END_TEST

START_TEST(wait_without_a_hint_ends_with_an_attempt)
{
    refused(TAKEN("5000"));
    scripted_sent(&second);
    scripted_reply(&second, NONE_CAME);
    refused_again(TAKEN("4000"), NOW + 1000);
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
}
END_TEST

START_TEST(late_hint_server_gets_no_second_request)
{
    refused(TAKEN("249"));
    scripted_sent(&second);
    refused_again(TAKEN("8000"), NOW + 250);
    ck_assert_str_eq(scripted_sent(&second), ""); /* the earlier wait continues */
    ck_assert_uint_eq(pause_ms(NOW + 250), 1000);
    scripted_reply(&second, CAME);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 300), RDL_PENDING);
    ck_assert_str_ne(scripted_sent(&s), "");
}
END_TEST

START_TEST(hint_during_an_attempt_is_not_lost)
{
    refused(TAKEN("249"));
    scripted_sent(&second);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 250), RDL_PENDING); /* the wait is over: the next attempt */
    scripted_sent(&s);
    scripted_reply(&second, CAME);
    scripted_reply(&s, TAKEN("8000")); /* this was executed before */
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 251), RDL_PENDING);
    ck_assert_uint_eq(pause_ms(NOW + 251), 0);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 251), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(3), TTL));
}
END_TEST

START_TEST(server_that_never_ends_the_wait_is_disconnected)
{
    uint64_t now = NOW;

    opt.wait_ms = RDL_WAIT_FOREVER;
    refused(TAKEN("-1"));
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
    while (rdl_conn_state(&second.conn) == RDL_CONN_READY) {
        now = rdl_lock_wake_ms(&l);
        ck_assert_uint_le(now, NOW + 6000);
        refused_again(TAKEN("-1"), now);
        ck_assert_str_eq(scripted_sent(&second), "");
    }
    ck_assert_uint_le(pause_ms(now), RDL_RETRY_CAP_MS);
    scripted_close_failed(&second);
}
END_TEST

/* ---------------------------------------------------------------- without a hint */

START_TEST(pauses_are_normal_without_a_second_connection)
{
    if (_i == 0) {
        rdl_hint_init(&hint, NULL);
    } else {
        scripted_break(&second);
        rdl_conn_tick(&second.conn, NOW); /* pausing or connecting: not ready */
    }
    refused(TAKEN("-1"));
    ck_assert_uint_le(pause_ms(NOW), 50);
    ck_assert_str_eq(scripted_sent(&second), "");
}
END_TEST

START_TEST(pauses_are_normal_if_the_second_connection_has_no_room)
{
    second.cfg.queue_len = RDL_REQUEST_SIZE(1);
    refused(TAKEN("5000"));
    ck_assert_uint_le(pause_ms(NOW), 50);
    ck_assert_str_eq(scripted_sent(&second), "");
}
END_TEST

START_TEST(waiting_opens_the_second_connection)
{
    scripted_init(&second);
    refused(TAKEN("-1"));
    ck_assert_int_eq(rdl_conn_state(&second.conn), RDL_CONN_OPENING);
    ck_assert_uint_le(pause_ms(NOW), 50);
    rdl_conn_opened(&second.conn);
    refused_again(TAKEN("-1"), NOW + 50);
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
}
END_TEST

START_TEST(refused_wait_pauses_until_the_next_connection)
{
    uint64_t now = NOW;
    int i;

    refused(TAKEN("-1"));
    scripted_sent(&second);
    scripted_reply(&second, "-NOPERM this user has no permissions to run the 'blpop' command\r\n");
    scripted_sent(&second);
    scripted_reply(&second, "-NOPERM this user has no permissions to run the 'blpop' command\r\n");
    for (i = 0; i < 4; i++) {
        refused_again(TAKEN("-1"), now);
        ck_assert_str_eq(scripted_sent(&second), "");
        ck_assert_uint_le(pause_ms(now), RDL_RETRY_CAP_MS);
        now = rdl_lock_wake_ms(&l);
    }
    scripted_break(&second);
    refused_again(TAKEN("-1"), now);
    now = rdl_lock_wake_ms(&l);
    scripted_open(&second, now);
    refused_again(TAKEN("-1"), now);
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
}
END_TEST

START_TEST(lost_hint_connection_ends_the_wait_with_an_attempt)
{
    refused(TAKEN("-1"));
    scripted_sent(&second);
    scripted_break(&second);
    refused_again(TAKEN("-1"), NOW + 5);
    ck_assert_uint_ge(pause_ms(NOW + 5), 1);
    ck_assert_uint_le(pause_ms(NOW + 5), 100);
}
END_TEST

START_TEST(temporary_error_costs_one_normal_pause)
{
    refused(TAKEN("-1"));
    scripted_sent(&second);
    scripted_reply(&second, "-LOADING Redis is loading the dataset in memory\r\n");
    refused_again(TAKEN("-1"), NOW + 5);
    ck_assert_uint_le(pause_ms(NOW + 5), 100);
    ck_assert_str_eq(scripted_sent(&second), "");
    refused_again(TAKEN("-1"), rdl_lock_wake_ms(&l));
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
}
END_TEST

START_TEST(list_filled_by_others_causes_no_busy_loop)
{
    uint64_t now = NOW;
    unsigned waits_begun = 0;
    unsigned pauses = 0;
    int i;

    opt.wait_ms = RDL_WAIT_FOREVER;
    refused(TAKEN("-1"));
    for (i = 0; i < 100; i++) {
        if (scripted_sent(&second)[0] != '\0') {
            waits_begun++;
            scripted_reply(&second, CAME);
        } else {
            pauses++;
            ck_assert_uint_ge(pause_ms(now), 1);
            ck_assert_uint_le(pause_ms(now), 100);
            now = rdl_lock_wake_ms(&l);
        }
        refused_again(TAKEN("-1"), now);
    }
    ck_assert_uint_ge(pauses, 100 / 17);
    ck_assert_uint_ge(waits_begun, 90); /* a lock that loses to others must not look like this */
}
END_TEST

START_TEST(server_error_starts_no_wait_for_a_hint)
{
    refused("-LOADING x\r\n:-2\r\n");
    ck_assert_str_eq(scripted_sent(&second), "");
    ck_assert_uint_le(pause_ms(NOW), 50);
}
END_TEST

START_TEST(single_attempt_does_not_wait_for_a_hint)
{
    opt.wait_ms = 0;
    rdl_lock_acquire_begin(&l, entropy_bytes(), NOW);
    scripted_sent(&s);
    scripted_reply(&s, TAKEN("-1"));
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_BUSY);
    ck_assert_str_eq(scripted_sent(&second), "");
}
END_TEST

START_TEST(locks_sharing_a_hint_connection_do_not_block)
{
    struct rdl_lock other;
    struct rdl_hint others;

    rdl_lock_init(&other, &opt, &s.conn, "o", 1);
    rdl_hint_init(&others, &second.conn);
    rdl_lock_set_hint(&other, &others);
    refused(TAKEN("-1"));
    ck_assert_str_eq(scripted_sent(&second), WAIT_1);
    rdl_lock_acquire_begin(&other, entropy_bytes(), NOW);
    scripted_sent(&s);
    scripted_reply(&s, TAKEN("-1"));
    ck_assert_int_eq(rdl_lock_step(&other, NOW), RDL_PENDING);
    ck_assert_uint_le(rdl_lock_wake_ms(&other), NOW + 50);
    ck_assert_str_eq(scripted_sent(&second), "");
    scripted_reply(&s, "");
    rdl_lock_cancel(&other);
    ck_assert_int_eq(rdl_conn_state(&second.conn), RDL_CONN_READY);
}
END_TEST

/* ---------------------------------------------------------------- the end of waiting */

START_TEST(cancelled_wait_consumes_no_hint)
{
    refused(TAKEN("249"));
    if (_i == 1) /* before it was sent there is nothing to undo */
        scripted_sent(&second);
    rdl_lock_cancel(&l);
    ck_assert_int_eq(rdl_conn_state(&second.conn), _i == 1 ? RDL_CONN_FAILED : RDL_CONN_READY);
    ck_assert_str_eq(scripted_sent(&second), "");
    ck_assert(!hint.req.is_queued);
    ck_assert_uint_eq(hint.fruitless, 0);
    if (_i == 1)
        return;
    refused(TAKEN("249")); /* the next one waits for a hint again */
    ck_assert_str_ne(scripted_sent(&second), "");
}
END_TEST

START_TEST(grant_without_a_hint_ends_the_wait)
{
    refused(TAKEN("249"));
    scripted_sent(&second);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 250), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n"); /* the holder died */
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 251), RDL_OK);
    scripted_close_failed(&second);
}
END_TEST

static void add_waiting(TCase *tc)
{
    tcase_add_loop_test(tc, hint_wait_is_the_holders_time_up_to_a_cap, 0,
                        (int)(sizeof waits / sizeof waits[0]));
    tcase_add_test(tc, hint_wait_ends_at_the_callers_deadline);
    tcase_add_test(tc, hint_ends_the_pause_with_an_attempt);
    tcase_add_test(tc, hint_does_not_grant_the_lock);
    tcase_add_test(tc, wait_without_a_hint_ends_with_an_attempt);
    tcase_add_test(tc, late_hint_server_gets_no_second_request);
    tcase_add_test(tc, hint_during_an_attempt_is_not_lost);
    tcase_add_test(tc, server_that_never_ends_the_wait_is_disconnected);
}

Suite *suite_lock_hint(void)
{
    Suite *suite = suite_create("lock_hint");
    TCase *tc = suite_case(suite, "lock_hint", setup, NULL);

    add_waiting(tc);
    tcase_add_loop_test(tc, pauses_are_normal_without_a_second_connection, 0, 2);
    tcase_add_test(tc, pauses_are_normal_if_the_second_connection_has_no_room);
    tcase_add_test(tc, waiting_opens_the_second_connection);
    tcase_add_test(tc, refused_wait_pauses_until_the_next_connection);
    tcase_add_test(tc, lost_hint_connection_ends_the_wait_with_an_attempt);
    tcase_add_test(tc, temporary_error_costs_one_normal_pause);
    tcase_add_test(tc, list_filled_by_others_causes_no_busy_loop);
    tcase_add_test(tc, server_error_starts_no_wait_for_a_hint);
    tcase_add_test(tc, single_attempt_does_not_wait_for_a_hint);
    tcase_add_test(tc, locks_sharing_a_hint_connection_do_not_block);
    tcase_add_loop_test(tc, cancelled_wait_consumes_no_hint, 0, 2);
    tcase_add_test(tc, grant_without_a_hint_ends_the_wait);
    return suite;
}
