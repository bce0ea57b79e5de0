/* SPDX-License-Identifier: MIT */
/* One lock on a server that is far away: answers that take longer than an attempt does by default. */
#include <check.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/fixtures/scripted.h"

enum { TTL = 30000, LEAST = 250 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;
static uint64_t now;

static const uint32_t trips[] = {260, 1000};

static void setup(void)
{
    const struct rdl_lock_options once = {.ttl_ms = TTL};

    scripted_init(&s);
    s.cfg.connect_ms = 5000;
    opt = once;
    now = 1000;
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

/* A round trip later. */
static int hear(const char *reply, uint32_t trip_ms)
{
    scripted_sent(&s);
    now += trip_ms;
    scripted_reply(&s, reply);
    return rdl_lock_step(&l, now);
}

/* The first acquire up to its SET: connecting and, if the endpoint asks for it, login take so long each. */
static void ask(uint32_t trip_ms)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    now += trip_ms;
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    if (s.endpoint.password.len > 0)
        ck_assert_int_eq(hear("+OK\r\n", trip_ms), RDL_PENDING);
    if (s.endpoint.db != 0)
        ck_assert_int_eq(hear("+OK\r\n", trip_ms), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}

static void log_in(int all)
{
    s.endpoint.password.data = "pw";
    s.endpoint.password.len = all ? 2 : 0;
    s.endpoint.db = (uint32_t)all;
}

START_TEST(a_lock_is_had_renewed_and_released_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    log_in(_i % 2);
    ask(ms);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * (ms + 1));
    ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(hear("+OK\r\n:30000\r\n", ms), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(hear(":1\r\n", ms), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(hear(":1\r\n", ms), RDL_OK);
}
END_TEST

/* A handle of a lock that another process took: nothing is connected yet. */
static int begin_adopted(enum rdl_action op)
{
    ck_assert_int_eq(rdl_lock_adopt(&l, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    return op == RDL_EXTEND ? rdl_lock_extend_begin(&l, TTL, now) : rdl_lock_release_begin(&l, now);
}

/* Connecting and login take so long each; the operation is out then. */
static void log_in_adopted(uint32_t trip_ms)
{
    now += trip_ms;
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    if (s.endpoint.password.len > 0) {
        ck_assert_int_eq(hear("+OK\r\n", trip_ms), RDL_PENDING);
        ck_assert_int_eq(hear("+OK\r\n", trip_ms), RDL_PENDING);
    }
}

START_TEST(an_adopted_lock_is_extended_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    log_in(_i % 2);
    ck_assert_int_eq(begin_adopted(RDL_EXTEND), RDL_PENDING);
    log_in_adopted(ms);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * (ms + 1));
    ck_assert_int_eq(hear(":1\r\n", ms), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, now), TTL - (TTL / 100 + 2) - ms); /* from its send */
}
END_TEST

START_TEST(an_adopted_lock_is_released_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    log_in(_i % 2);
    ck_assert_int_eq(begin_adopted(RDL_RELEASE), RDL_PENDING);
    log_in_adopted(ms);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * (ms + 1));
    ck_assert_int_eq(hear(":1\r\n", ms), RDL_OK);
}
END_TEST

/* Nobody waits for a connection that was refused for longer than for an answer. */
START_TEST(a_refused_connection_is_not_waited_for)
{
    enum rdl_action op = _i ? RDL_RELEASE : RDL_EXTEND;

    ck_assert_int_eq(begin_adopted(op), RDL_PENDING);
    now += 260;
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now + LEAST - 1), RDL_PENDING);
    ck_assert_int_lt(rdl_lock_step(&l, now + LEAST), RDL_PENDING);
    if (op == RDL_RELEASE) { /* owed, and sent when the server is there */
        scripted_open(&s, now + LEAST + 2000);
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(7)));
    }
}
END_TEST

START_TEST(a_release_that_is_given_up_while_it_waits_is_owed)
{
    ck_assert_int_eq(begin_adopted(RDL_RELEASE), RDL_PENDING);
    rdl_lock_cancel(&l);
    scripted_open(&s, now);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(7)));
}
END_TEST

/* The lease ends while the connection is made: what the last extend may have left there is given back. */
START_TEST(an_extend_does_not_wait_for_longer_than_the_lease_lasts)
{
    uint64_t until_ms;

    ask(1);
    ck_assert_int_eq(hear("+OK\r\n:30000\r\n", 1), RDL_OK);
    until_ms = now + rdl_lock_remaining_ms(&l, now);
    s.cfg.connect_ms = 2 * TTL;
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    now = until_ms - 300;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), until_ms);
    ck_assert_int_eq(rdl_lock_step(&l, until_ms - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, until_ms), RDL_LOST);
    scripted_open(&s, until_ms);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

START_TEST(three_round_trips_later_nobody_waits_any_more)
{
    uint32_t ms = trips[_i];
    uint64_t end_ms;

    ask(ms);
    scripted_sent(&s);
    end_ms = now + 3 * (ms + 1);
    ck_assert_int_eq(rdl_lock_step(&l, end_ms - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, end_ms), RDL_UNKNOWN);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

/* Not before an attempt is over; then it is. */
START_TEST(who_is_far_is_not_silent)
{
    uint32_t ms = trips[_i];

    ask(ms);
    scripted_sent(&s);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, now + 3 * (ms + 1) - 1), now + 3 * (ms + 1));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    rdl_conn_tick(&s.conn, now + 3 * (ms + 1));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
}
END_TEST

START_TEST(near_by_an_attempt_is_what_it_was)
{
    log_in(_i);
    ask(1);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + LEAST);
}
END_TEST

START_TEST(the_callers_attempt_is_kept_to_however_far_the_server_is)
{
    opt.attempt_ms = 40;
    ask(1000);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 40);
}
END_TEST

/* Somebody who is near opens the connection for the server: what is said over it takes its time. */
START_TEST(a_proxy_that_is_near_hides_no_login)
{
    s.endpoint.db = 3;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    ck_assert_int_eq(hear("+OK\r\n", 260), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), now + 3 * 261);
    ck_assert_int_eq(hear("+OK\r\n:30000\r\n", 260), RDL_OK);
}
END_TEST

Suite *suite_lock_far(void);

Suite *suite_lock_far(void)
{
    Suite *suite = suite_create("lock_far");
    TCase *tc = tcase_create("one server");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, a_lock_is_had_renewed_and_released_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, an_adopted_lock_is_extended_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, an_adopted_lock_is_released_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, a_refused_connection_is_not_waited_for, 0, 2);
    tcase_add_test(tc, a_release_that_is_given_up_while_it_waits_is_owed);
    tcase_add_test(tc, an_extend_does_not_wait_for_longer_than_the_lease_lasts);
    tcase_add_loop_test(tc, three_round_trips_later_nobody_waits_any_more, 0, 2);
    tcase_add_loop_test(tc, who_is_far_is_not_silent, 0, 2);
    tcase_add_loop_test(tc, near_by_an_attempt_is_what_it_was, 0, 2);
    tcase_add_test(tc, the_callers_attempt_is_kept_to_however_far_the_server_is);
    tcase_add_test(tc, a_proxy_that_is_near_hides_no_login);
    suite_add_tcase(suite, tc);
    return suite;
}
