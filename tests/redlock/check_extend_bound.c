/* SPDX-License-Identifier: MIT */
/*
 * check_extend_bound.c - the extend of a held lease, of every kind of lock, lasts one attempt at most:
 * waiting for connections included. One that opens later serves a later extend.
 *
 * Rules R17 and R22.
 */
#include <string.h>

#include "tests/fixtures/subject.h"
#include "tests/suite.h"

enum { TTL = SUBJECT_TTL, DRIFT = SUBJECT_DRIFT, ATTEMPT = SUBJECT_ATTEMPT };
enum { START = 1000, END = START + TTL - DRIFT };

static uint64_t now;

static void begin_held(int kind)
{
    now = START;
    subject_init((enum subject_kind)kind, now);
    subject_hold(&now);
    ck_assert_uint_eq(subject_remaining_ms(now), END - now);
}

/* The connections to the affected servers end. */
static void cut(void)
{
    size_t i;

    for (i = 0; i < subject.hit; i++)
        rdl_conn_closed(&subject.s[i].conn, RDL_E_CLOSED);
}

/* Nothing reaches a server any more, and no connection opens: time passes until the operation ends. */
static int run_in_a_black_hole(int rc)
{
    int rounds = 0;

    while (rc == RDL_PENDING) {
        size_t i;
        for (i = 0; i < subject.n; i++) {
            scripted_sent(&subject.s[i]);
            if (rdl_conn_wants(&subject.s[i].conn) & RDL_WANT_CLOSE)
                rdl_conn_closed(&subject.s[i].conn, rdl_conn_error(&subject.s[i].conn));
        }
        ck_assert_uint_ne(subject_wake_ms(), UINT64_MAX);
        if (subject_wake_ms() > now) {
            now = subject_wake_ms();
            rounds = 0;
        }
        ck_assert_int_lt(rounds++, 5);
        rc = subject_step(now);
    }
    return rc;
}

/*
 * Extends that fail, each a pause after the one before, until the lease is lost. The connections stall, are
 * aborted, and the new ones do not open. None outlasts its attempt or the lease, and some take all of it.
 */
START_TEST(unanswered_extend_ends_after_one_attempt)
{
    static const uint32_t pauses[] = {1, 40, 900};
    uint32_t pause = pauses[_i / KINDS % 3];
    int is_cut = _i / KINDS / 3;
    unsigned full = 0;
    int rc;

    begin_held(_i % KINDS);
    now += 3000;
    if (is_cut)
        cut();
    do {
        uint64_t begun = now;
        uint64_t end = begun + ATTEMPT < END ? begun + ATTEMPT : END;
        rc = run_in_a_black_hole(subject_extend_begin(TTL, now));
        ck_assert(now <= end || begun >= END);
        ck_assert(rc < 0 && (rc == RDL_LOST) == (now >= END));
        full += now == begun + ATTEMPT;
        now += pause;
    } while (rc != RDL_LOST);
    ck_assert_uint_gt(full, 2);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
}
END_TEST

/* All connections are opened, and all servers execute what they get, and reply. */
static void open_and_serve(void)
{
    subject_befall(SUBJECT_UP);
    subject_serve(now);
}

/*
 * A connection takes three attempts to open. The extends in between fail and leave it alone: no other one is
 * begun. The extend after it has opened succeeds.
 */
START_TEST(slow_connection_serves_a_later_extend)
{
    uint64_t until, opens_ms;
    size_t i;
    int rc;

    begin_held(_i);
    now += 3000;
    opens_ms = now + 3 * ATTEMPT;
    cut();
    while (now < opens_ms) {
        rc = run_in_a_black_hole(subject_extend_begin(TTL, now));
        ck_assert(rc == RDL_E_TIMEOUT || rc == RDL_UNKNOWN);
        ck_assert_uint_eq(subject_remaining_ms(now), END - now);
        for (i = 0; i < subject.hit; i++)
            ck_assert_int_eq(rdl_conn_state(&subject.s[i].conn), RDL_CONN_OPENING);
        now += 10;
    }
    until = now + TTL - DRIFT;
    rc = subject_extend_begin(TTL, now);
    open_and_serve();
    ck_assert_int_eq(subject_run(rc, &now), RDL_OK);
    ck_assert_uint_eq(now + subject_remaining_ms(now), until);
}
END_TEST

/* It opens in the last ms of an extend: the request is sent, and the next extend finds the key extended. */
START_TEST(connection_that_opens_late_is_used)
{
    int rc;

    begin_held(_i);
    now += 3000;
    cut();
    rc = subject_extend_begin(TTL, now);
    ck_assert_int_eq(rc, RDL_PENDING);
    now += ATTEMPT - 1;
    open_and_serve();
    ck_assert_int_eq(subject_run(subject_step(now), &now), RDL_OK);
    ck_assert_uint_gt(subject_remaining_ms(now), (uint32_t)(END - now));
}
END_TEST

/* Nothing depends on a token before it is confirmed: its extend waits for connections, as a release does. */
START_TEST(adopting_extend_waits_for_its_connection)
{
    const char *token;
    int rc;

    begin_held(_i);
    token = subject_token();
    subject_turn(1);
    ck_assert_int_eq(subject_adopt(token, strlen(token)), RDL_OK);
    cut();
    rc = subject_extend_begin(TTL, now);
    now += RDL_CONNECT_MS - 1;
    ck_assert_int_eq(rc, RDL_PENDING);
    ck_assert_int_eq(subject_step(now), RDL_PENDING);
    open_and_serve();
    ck_assert_int_eq(subject_run(subject_step(now), &now), RDL_ADOPTED);
}
END_TEST

static uint64_t opens_at;
static int polls;

static int poll_servers(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns, (void)n, (void)flags;
    ck_assert_int_lt(polls++, 100);
    if (now >= opens_at)
        subject_serve(now);
    else if (until_ms > now)
        now = until_ms;
    return RDL_OK;
}

static int extend_blocking(void)
{
    static const struct rdl_platform platform = {poll_servers, scripted_clock, NULL, &now};

    return subject_is_redlock() ? rdl_redlock_extend(&subject.h->redlock, &platform, TTL)
                                : rdl_lock_extend(&subject.h->own.lock, &platform, TTL);
}

/*
 * Nothing drives a connection between two blocking calls. One that opened there in time is used, although
 * connect_ms is over when the second call begins.
 */
START_TEST(connection_that_opened_between_calls_is_used)
{
    uint64_t begun;

    begin_held(_i);
    now += 3000;
    begun = now;
    opens_at = begun + 1500;
    polls = 0;
    cut();
    ck_assert_int_lt(extend_blocking(), 0);
    ck_assert_uint_eq(now, begun + ATTEMPT);
    now = begun + RDL_CONNECT_MS - 990;
    ck_assert_int_lt(extend_blocking(), 0);
    now = begun + RDL_CONNECT_MS; /* so soon after the last call that it is not read for that reason */
    ck_assert_int_eq(extend_blocking(), RDL_OK);
    ck_assert_uint_eq(now, begun + RDL_CONNECT_MS);
}
END_TEST

Suite *suite_extend_bound(void)
{
    Suite *suite = suite_create("extend_bound");
    TCase *tc = suite_case(suite, "every kind", NULL, NULL);

    tcase_add_loop_test(tc, unanswered_extend_ends_after_one_attempt, 0, 6 * KINDS);
    tcase_add_loop_test(tc, slow_connection_serves_a_later_extend, 0, KINDS);
    tcase_add_loop_test(tc, connection_that_opens_late_is_used, 0, KINDS);
    tcase_add_loop_test(tc, adopting_extend_waits_for_its_connection, 0, KINDS);
    tcase_add_loop_test(tc, connection_that_opened_between_calls_is_used, 0, KINDS);
    return suite;
}
