/* SPDX-License-Identifier: MIT */
/*
 * check_lock_far.c - one lock on a distant server: replies that take longer than the default attempt.
 * Rules R18 and R22.
 */
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 30000, LEAST = 250 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;
static uint64_t now;

static const uint32_t trips[] = {260, 1000};

static void setup(void)
{
    scripted_init(&s);
    s.cfg.connect_ms = 5000;
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    now = 1000;
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

/* Returns the result one round trip later. */
static int get_reply(const char *reply, uint32_t trip_ms)
{
    scripted_sent(&s);
    now += trip_ms;
    scripted_reply(&s, reply);
    return rdl_lock_step(&l, now);
}

/* The first acquire up to its SET: connecting and, if the endpoint needs it, login take one trip each. */
static void connect_and_acquire(uint32_t trip_ms)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    now += trip_ms;
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    if (s.endpoint.password.len > 0)
        ck_assert_int_eq(get_reply("+OK\r\n", trip_ms), RDL_PENDING);
    if (s.endpoint.db != 0)
        ck_assert_int_eq(get_reply("+OK\r\n", trip_ms), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}

static void log_in(int all)
{
    s.endpoint.password.data = "pw";
    s.endpoint.password.len = all ? 2 : 0;
    s.endpoint.db = (uint32_t)all;
}

START_TEST(lock_works_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    log_in(_i % 2);
    connect_and_acquire(ms);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * (ms + 1));
    ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", ms), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(get_reply(":1\r\n", ms), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(get_reply(":1\r\n", ms), RDL_OK);
}
END_TEST

/* A handle of a lock that another process acquired: nothing is connected yet. */
static int begin_adopted(enum rdl_action op)
{
    ck_assert_int_eq(rdl_lock_adopt(&l, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    return op == RDL_EXTEND ? rdl_lock_extend_begin(&l, TTL, now) : rdl_lock_release_begin(&l, now);
}

/* Connecting and login take one trip each; then the operation is sent. */
static void log_in_adopted(uint32_t trip_ms)
{
    now += trip_ms;
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    if (s.endpoint.password.len > 0) {
        ck_assert_int_eq(get_reply("+OK\r\n", trip_ms), RDL_PENDING);
        ck_assert_int_eq(get_reply("+OK\r\n", trip_ms), RDL_PENDING);
    }
}

START_TEST(adopted_lock_is_extended_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    log_in(_i % 2);
    ck_assert_int_eq(begin_adopted(RDL_EXTEND), RDL_PENDING);
    log_in_adopted(ms);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * (ms + 1));
    ck_assert_int_eq(get_reply(":1\r\n", ms), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, now), TTL - (TTL / 100 + 2) - ms); /* counted from its send */
}
END_TEST

START_TEST(adopted_lock_is_released_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    log_in(_i % 2);
    ck_assert_int_eq(begin_adopted(RDL_RELEASE), RDL_PENDING);
    log_in_adopted(ms);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * (ms + 1));
    ck_assert_int_eq(get_reply(":1\r\n", ms), RDL_OK);
}
END_TEST

/* After a refused connection the wait is not longer than for a reply. */
START_TEST(refused_connection_does_not_prolong_the_wait)
{
    enum rdl_action op = _i ? RDL_RELEASE : RDL_EXTEND;

    ck_assert_int_eq(begin_adopted(op), RDL_PENDING);
    now += 260;
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + LEAST - 1), RDL_PENDING);
    ck_assert_int_lt(rdl_lock_step(&l, now + LEAST), RDL_PENDING);
    if (op == RDL_RELEASE) { /* pending: it is sent when the server is there */
        scripted_open(&s, now + LEAST + 2000);
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(7)));
    }
}
END_TEST

START_TEST(cancelled_release_stays_pending)
{
    ck_assert_int_eq(begin_adopted(RDL_RELEASE), RDL_PENDING);
    rdl_lock_cancel(&l);
    scripted_open(&s, now);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(7)));
}
END_TEST

/* The lease ends while connecting: a value that the last extend may have left is released. */
START_TEST(extend_does_not_connect_past_the_lease)
{
    uint64_t until_ms;

    connect_and_acquire(1);
    ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", 1), RDL_OK);
    until_ms = now + rdl_lock_remaining_ms(&l, now);
    s.cfg.connect_ms = 2 * TTL;
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    now = until_ms - LEAST + 1;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), until_ms);
    ck_assert_int_eq(rdl_lock_step(&l, until_ms - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, until_ms), RDL_LOST);
    scripted_open(&s, until_ms);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

START_TEST(acquire_ends_after_three_round_trips)
{
    uint32_t ms = trips[_i];
    uint64_t end_ms;

    connect_and_acquire(ms);
    scripted_sent(&s);
    end_ms = now + 3 * (ms + 1);
    ck_assert_int_eq(rdl_lock_step(&l, end_ms - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, end_ms), RDL_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

/* The connection stalls only when an attempt is over. */
START_TEST(distant_server_is_not_stalled)
{
    uint32_t ms = trips[_i];

    connect_and_acquire(ms);
    scripted_sent(&s);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, now + 3 * (ms + 1) - 1), now + 3 * (ms + 1));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    rdl_conn_tick(&s.conn, now + 3 * (ms + 1));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
}
END_TEST

START_TEST(nearby_server_gets_the_default_attempt)
{
    log_in(_i);
    connect_and_acquire(1);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + LEAST);
}
END_TEST

START_TEST(configured_attempt_applies_at_any_distance)
{
    opt.attempt_ms = 40;
    connect_and_acquire(1000);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 40);
}
END_TEST

/* A nearby proxy accepts the connection: only the login shows the server's round trip. */
START_TEST(nearby_proxy_does_not_hide_the_round_trip)
{
    s.endpoint.db = 3;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    ck_assert_int_eq(get_reply("+OK\r\n", 260), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * 261);
    ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", 260), RDL_OK);
}
END_TEST

/* ---------------------------------------------------------------- a login that is read late */

enum { PAUSE = 1500 };

/* The server is up after the first acquire has ended, and the program comes back after a while. */
static void be_granted_after_a_pause(void)
{
    log_in(1);
    s.endpoint.password.len = 0;
    opt.wait_ms = opt.retry_ms = 20;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now + 20), RDL_E_TIMEOUT);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    now += 20 + PAUSE;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    ck_assert_uint_eq(s.conn.rtt_ms, PAUSE + 1);
}

START_TEST(pause_of_the_program_is_no_round_trip)
{
    be_granted_after_a_pause();
    ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", 5), RDL_OK);
    ck_assert_uint_eq(s.conn.rtt_ms, 6);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_uint_eq(l.deadline_ms, now + LEAST);
}
END_TEST

/* The reply, too, may be read late: a time above the bound contains a pause. The next one replaces it. */
START_TEST(late_reply_does_not_replace_the_bound)
{
    be_granted_after_a_pause();
    ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", PAUSE + 1), RDL_OK);
    ck_assert_uint_eq(s.conn.rtt_ms, PAUSE + 1);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_int_eq(get_reply(":1\r\n", 5), RDL_OK);
    ck_assert_uint_eq(s.conn.rtt_ms, 6);
}
END_TEST

/* A distant server behind a nearby proxy still has the time that it may need. */
START_TEST(error_does_not_replace_the_bound)
{
    be_granted_after_a_pause();
    opt.wait_ms = 0;
    ck_assert_int_eq(get_reply("-LOADING x\r\n", 5), RDL_E_TRY_LATER);
    ck_assert_uint_eq(s.conn.rtt_ms, PAUSE + 1);
}
END_TEST

/* When a release was sent is not known. */
START_TEST(release_does_not_replace_the_bound)
{
    be_granted_after_a_pause();
    ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", 5), RDL_OK);
    s.conn.rtt_is_bound = 1;
    now += 9000;
    ck_assert_int_eq(rdl_lock_release_begin(&l, now), RDL_PENDING);
    ck_assert_int_eq(get_reply(":1\r\n", 5), RDL_OK);
    ck_assert_uint_eq(s.conn.rtt_ms, 6);
}
END_TEST

/* Nothing waited after it. */
START_TEST(canceled_acquire_waits_no_longer)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    rdl_lock_cancel(&l);
    rdl_conn_opened(&s.conn);
    now += PAUSE;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    ck_assert_uint_eq(s.conn.rtt_ms, PAUSE + 1);
    ck_assert(s.conn.rtt_is_bound);
}
END_TEST

/* ---------------------------------------------------------------- connections that ended between calls */

/* It was refused so often that it pauses for a while from now on. Returns the end of the pause. */
static uint64_t pause(void)
{
    int i;

    for (i = 0; i < 12; i++) {
        uint64_t end = rdl_conn_tick(&s.conn, now);
        if (rdl_conn_state(&s.conn) == RDL_CONN_CLOSED) {
            now = end;
            rdl_conn_tick(&s.conn, now);
        }
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    }
    return rdl_conn_tick(&s.conn, now);
}

START_TEST(acquire_after_a_lost_handshake_connects)
{
    log_in(1);
    opt.wait_ms = opt.retry_ms = 50;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now + 50), RDL_E_TIMEOUT);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    opt.wait_ms = 0;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now + 4000), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
}
END_TEST

START_TEST(one_attempt_waits_for_the_rest_of_a_pause)
{
    uint64_t end = pause();

    now = end - 1;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), end);
    ck_assert_int_eq(rdl_lock_step(&l, end), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    if (_i == 0) {
        rdl_conn_opened(&s.conn);
        ck_assert_int_eq(rdl_lock_step(&l, end), RDL_PENDING);
        now = end;
        ck_assert_int_eq(get_reply("+OK\r\n:30000\r\n", 1), RDL_OK);
    } else { /* it has tried to connect */
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        ck_assert_int_eq(rdl_lock_step(&l, end), RDL_E_CONNECT);
    }
}
END_TEST

/* The wait is over in the pause: the server is unreachable, not slow. */
START_TEST(pause_that_outlasts_the_wait_reports_its_cause)
{
    uint64_t end = pause();

    opt.wait_ms = opt.retry_ms = 1;
    now = end - 2;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + 1), RDL_E_CONNECT);
}
END_TEST

/* The pause and the connect together take no longer than connect_ms. */
START_TEST(pause_before_one_attempt_is_part_of_connecting)
{
    uint64_t end = pause();

    s.cfg.connect_ms = 300;
    now = end - 200 * (unsigned)_i;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, end), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + 299), RDL_PENDING);
    ck_assert_int_lt(rdl_lock_step(&l, now + 300), RDL_PENDING);
}
END_TEST

Suite *suite_lock_far(void)
{
    Suite *suite = suite_create("lock_far");
    TCase *tc = suite_case(suite, "one server", setup, NULL);

    tcase_add_loop_test(tc, lock_works_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, adopted_lock_is_extended_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, adopted_lock_is_released_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, refused_connection_does_not_prolong_the_wait, 0, 2);
    tcase_add_test(tc, cancelled_release_stays_pending);
    tcase_add_test(tc, extend_does_not_connect_past_the_lease);
    tcase_add_loop_test(tc, acquire_ends_after_three_round_trips, 0, 2);
    tcase_add_loop_test(tc, distant_server_is_not_stalled, 0, 2);
    tcase_add_loop_test(tc, nearby_server_gets_the_default_attempt, 0, 2);
    tcase_add_test(tc, configured_attempt_applies_at_any_distance);
    tcase_add_test(tc, nearby_proxy_does_not_hide_the_round_trip);
    tcase_add_test(tc, pause_of_the_program_is_no_round_trip);
    tcase_add_test(tc, late_reply_does_not_replace_the_bound);
    tcase_add_test(tc, error_does_not_replace_the_bound);
    tcase_add_test(tc, release_does_not_replace_the_bound);
    tcase_add_test(tc, canceled_acquire_waits_no_longer);
    tcase_add_test(tc, acquire_after_a_lost_handshake_connects);
    tcase_add_loop_test(tc, one_attempt_waits_for_the_rest_of_a_pause, 0, 2);
    tcase_add_test(tc, pause_that_outlasts_the_wait_reports_its_cause);
    tcase_add_loop_test(tc, pause_before_one_attempt_is_part_of_connecting, 0, 2);
    return suite;
}
