/* SPDX-License-Identifier: MIT */
/*
 * check_net_timers.c - when a conn is opened, aborted and retried; the time is an argument.
 * Rules R10 and R22.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { CAP_MS = 2000 };

static struct scripted s;

static void setup(void)
{
    scripted_init(&s);
}

static void queue_release(uint64_t until_ms, const char *name)
{
    struct rdl_command cmd = {
        &rdl_op_release, {name, strlen(name)}, {token_hex(1), RDL_VALUE_MAX}, {NULL, 0}, until_ms, 30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, NULL, &cmd), RDL_OK);
}

static const uint64_t times[] = {
    0, 1, 1000, UINT32_MAX - 1000u, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX / 2};

START_TEST(the_first_connection_is_tried_at_once)
{
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, times[_i]), times[_i] + RDL_CONNECT_MS);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_OPEN);
}
END_TEST

START_TEST(connect_deadline_includes_the_login)
{
    uint64_t t = times[_i];

    s.cfg.connect_ms = 300;
    s.endpoint.db = 1;
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, t), t + 300);
    rdl_conn_opened(&s.conn);
    scripted_sent(&s);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, t + 299), t + 300);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_HANDSHAKE);
    rdl_conn_tick(&s.conn, t + 300);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
}
END_TEST

START_TEST(hanging_connect_is_aborted)
{
    rdl_conn_tick(&s.conn, 5000);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, 5000 + RDL_CONNECT_MS - 1), 5000 + RDL_CONNECT_MS);
    rdl_conn_tick(&s.conn, 5000 + RDL_CONNECT_MS);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
}
END_TEST

START_TEST(ready_conn_has_no_timer)
{
    scripted_open(&s, 1000);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, 1000 + 10 * RDL_CONNECT_MS), UINT64_MAX);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    rdl_conn_shut(&s.conn, RDL_E_CLOSED);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, 99999), UINT64_MAX);
}
END_TEST

/* One request and its reply: the connection was useful. */
static void use(void)
{
    struct rdl_req req = {0};
    struct rdl_command cmd = {&rdl_op_acquire, {"k", 1}, {token_hex(1), RDL_VALUE_MAX},
                              {NULL, 0},       60000,    30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:30000\r\n");
}

START_TEST(useful_connection_is_reopened_at_once)
{
    int i;

    for (i = 0; i < 20; i++) {
        ck_assert_uint_eq(rdl_conn_tick(&s.conn, 1000), 1000 + RDL_CONNECT_MS);
        rdl_conn_opened(&s.conn);
        use();
        scripted_break(&s);
    }
}
END_TEST

/* Ends the pause of a closed conn, so that it opens again; returns the length of the pause. */
static uint64_t pause_ms(uint64_t now_ms)
{
    uint64_t at_ms;

    s.conn.is_awaited = 1; /* it ended just now */
    at_ms = rdl_conn_tick(&s.conn, now_ms);
    if (rdl_conn_state(&s.conn) != RDL_CONN_CLOSED)
        return 0;
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, at_ms - 1), at_ms);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    rdl_conn_tick(&s.conn, at_ms);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    return at_ms - now_ms;
}

/* Kinds of failures; none of them may cause a storm of connects. */
static void break_by(int kind)
{
    static const char *const greetings[] = {"-ERR max number of clients reached\r\n", "+hello\r\n",
                                            "HTTP/1.1 400 Bad Request\r\n"};

    if (kind == 0) {
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        return;
    }
    rdl_conn_opened(&s.conn);
    if (kind == 1) {
        rdl_conn_closed(&s.conn, RDL_E_CLOSED);
        return;
    }
    scripted_sent(&s);
    scripted_reply(&s, greetings[kind - 2]);
    scripted_close_failed(&s);
}

START_TEST(pauses_grow_with_failures_up_to_a_cap)
{
    uint64_t now = 1000;
    uint64_t longest = 0;
    uint64_t sum = 0;
    int i;

    rdl_conn_tick(&s.conn, now);
    for (i = 1; i <= 300; i++) {
        uint64_t most = i < 7 ? 20u << i : CAP_MS;
        uint64_t ms;
        break_by(_i);
        ms = pause_ms(now);
        ck_assert_uint_ge(ms, 1);
        ck_assert_uint_le(ms, most);
        longest = ms > longest ? ms : longest;
        sum += ms;
        now += ms + 1;
    }
    ck_assert_uint_gt(longest, CAP_MS * 9 / 10);
    ck_assert_uint_gt(sum / 300, CAP_MS / 3); /* full jitter: half of it on average */
    ck_assert_uint_lt(sum / 300, CAP_MS * 2 / 3);
}
END_TEST

/* For a lease that could not be extended: with jitter, and never longer than the pause before. */
START_TEST(pause_is_at_most_a_twentieth_of_the_remaining_lease)
{
    static const uint32_t left[] = {4000, 200, 100, 1}, most[] = {200, 10, 10, 10};
    uint64_t now = 1000, longest = 0;
    int i;

    rdl_conn_tick(&s.conn, now);
    for (i = 0; i < 300; i++) {
        uint64_t due, at;
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        due = rdl_conn_tick(&s.conn, now);
        ck_assert_uint_eq(rdl_conn_tick_for_lease(&s.conn, 0, now), due); /* no lease is in danger */
        at = rdl_conn_tick_for_lease(&s.conn, left[_i], now);
        ck_assert_uint_gt(at, now);
        ck_assert_uint_le(at, now + most[_i]);
        ck_assert_uint_le(at, due);
        ck_assert_uint_eq(rdl_conn_tick_for_lease(&s.conn, left[_i], now),
                          at); /* a second call changes nothing */
        longest = at - now > longest ? at - now : longest;
        now = at;
        ck_assert_uint_eq(rdl_conn_tick_for_lease(&s.conn, left[_i], now), now + RDL_CONNECT_MS);
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    }
    ck_assert_uint_ge(longest, most[_i] * 9 / 10);
}
END_TEST

START_TEST(pause_of_exactly_a_twentieth_stays)
{
    uint64_t now = 1000, due;
    uint32_t pause_ms;

    do {
        rdl_conn_tick(&s.conn, now);
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        due = rdl_conn_tick(&s.conn, now);
        pause_ms = (uint32_t)(due - now);
        ck_assert_uint_eq(rdl_conn_tick_for_lease(&s.conn, pause_ms * 20, now), due);
        if (pause_ms > 10)
            ck_assert_uint_lt(rdl_conn_tick_for_lease(&s.conn, pause_ms * 20 - 1, now), due);
        now = due;
        rdl_conn_tick(&s.conn, now);
        ck_assert_uint_eq(s.conn.waits, 0); /* no trace of the pause, where a stream has its state */
    } while (pause_ms < 300);
}
END_TEST

/* A connection that always ends in the middle of the same request is useless, whatever it replied. */
START_TEST(useless_connection_is_reopened_after_a_pause)
{
    struct rdl_command cmd = {&rdl_op_release, {"k", 1}, {token_hex(1), RDL_VALUE_MAX},
                              {NULL, 0},       60000,    30000};
    uint64_t now = 1000, began = now;
    int i;

    ck_assert_int_eq(rdl_conn_submit(&s.conn, NULL, &cmd), RDL_OK);
    rdl_conn_tick(&s.conn, now);
    for (i = 0; i < 20; i++) {
        rdl_conn_opened(&s.conn);
        scripted_sent(&s);
        scripted_reply(&s, "-NOPERM this user has no permissions to run the 'eval' command\r\n");
        scripted_sent(&s);
        scripted_reply(&s, "-NOPERM\r\n:-2\r\n");
        scripted_break(&s);
        now += pause_ms(now);
    }
    ck_assert_uint_gt(now, began + CAP_MS);
    ck_assert_uint_le(now, began + 20 * CAP_MS);
}
END_TEST

/* The low 32 bits of the time are 0 after 2^32 ms, 49.7 days. */
START_TEST(pause_ends_after_the_32_bit_wrap_too)
{
    uint64_t turn = (uint64_t)UINT32_MAX + 1, due;

    ck_assert_uint_gt(rdl_conn_tick(&s.conn, turn - 101), turn);
    s.conn.is_awaited = 1;
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    due = rdl_conn_tick(&s.conn, turn - 61);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_uint_lt(due, turn);
    rdl_conn_tick(&s.conn, turn + 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    s.conn.is_awaited = 1;
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    due = rdl_conn_tick(&s.conn, 2 * turn - 1); /* and a pause that begins just before it */
    ck_assert_uint_ge(due, 2 * turn);
    ck_assert_uint_le(due, 2 * turn - 1 + 80);
    rdl_conn_tick(&s.conn, due - 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    rdl_conn_tick(&s.conn, due);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
}
END_TEST

START_TEST(one_success_resets_the_pauses)
{
    int i;

    rdl_conn_tick(&s.conn, 1000);
    for (i = 0; i < 12; i++) {
        break_by(0);
        pause_ms(1000);
    }
    rdl_conn_opened(&s.conn);
    use();
    scripted_break(&s);
    ck_assert_uint_eq(pause_ms(2000), 0);
    break_by(0);
    ck_assert_uint_le(pause_ms(2000), 40);
}
END_TEST

/* Its address is known now. */
START_TEST(an_ended_pause_opens_at_once_and_keeps_the_queue)
{
    queue_release(60000, "k");
    for (int failures = 0; failures < 8; failures++) {
        pause_ms(1000);
        rdl_conn_closed(&s.conn, RDL_E_NO_ADDRESS);
    }
    ck_assert_uint_gt(rdl_conn_tick(&s.conn, 1000), 1000); /* the pause has begun */
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_NO_ADDRESS);
    rdl_conn_end_pause(&s.conn);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_OK);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, 1000), 1000 + RDL_CONNECT_MS);
    rdl_conn_end_pause(&s.conn); /* it opens: there is no pause */
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_OPEN);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_uint_le(pause_ms(1000), 40); /* the first failure at this address */
    rdl_conn_opened(&s.conn);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "EVAL"));
}
END_TEST

START_TEST(conns_that_break_1_ms_apart_pause_differently)
{
    static struct scripted other;
    int differ = 0;
    int i;

    scripted_init(&other);
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_tick(&other.conn, 1001);
    for (i = 0; i < 20; i++) {
        s.conn.is_awaited = other.conn.is_awaited = 1;
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        rdl_conn_closed(&other.conn, RDL_E_CONNECT);
        differ += rdl_conn_tick(&s.conn, 9000) != rdl_conn_tick(&other.conn, 9001) - 1;
        rdl_conn_tick(&s.conn, 20000);
        rdl_conn_tick(&other.conn, 20000);
    }
    ck_assert_int_gt(differ, 10);
}
END_TEST

START_TEST(seeded_conns_that_break_together_pause_differently)
{
    static struct scripted other;
    int differ = 0;
    int i;

    scripted_init(&other);
    rdl_conn_seed(&other.conn, 0x12345678);
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_tick(&other.conn, 1000);
    for (i = 0; i < 20; i++) {
        s.conn.is_awaited = other.conn.is_awaited = 1;
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        rdl_conn_closed(&other.conn, RDL_E_CONNECT);
        differ += rdl_conn_tick(&s.conn, 9000) != rdl_conn_tick(&other.conn, 9000);
        rdl_conn_tick(&s.conn, 20000);
        rdl_conn_tick(&other.conn, 20000);
    }
    ck_assert_int_gt(differ, 10);
}
END_TEST

/* No operation waits, so it may have ended just after its last tick. */
START_TEST(pause_counts_from_the_last_open_tick)
{
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_tick(&s.conn, 1500);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    if (_i == 0) {
        uint64_t due = rdl_conn_tick(&s.conn, 1500);
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
        ck_assert_uint_gt(due, 1500);
        ck_assert_uint_le(due, 1540);
        rdl_conn_tick(&s.conn, due);
    } else {
        rdl_conn_tick(&s.conn, 1540);
    }
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
}
END_TEST

START_TEST(pause_counts_from_now_while_an_operation_waits)
{
    rdl_conn_tick(&s.conn, 1000);
    s.conn.is_awaited = 1;
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert_uint_gt(rdl_conn_tick(&s.conn, 1900), 1900);
    ck_assert_uint_le(rdl_conn_tick(&s.conn, 1900), 1940);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
}
END_TEST

/* For longer than half of 2^32 ms, and longer than that. */
START_TEST(pause_of_weeks_ago_is_over)
{
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    rdl_conn_tick(&s.conn, 1000 + (_i ? 0x100001000 : 0x80001000));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
}
END_TEST

/* ---------------------------------------------------------------- round-trip time */

/* Opens a connection at t whose three round trips (connect, AUTH, SELECT) take trips[] ms. */
static void log_in(uint64_t t, const uint32_t trips[3])
{
    s.endpoint.password.data = "pw";
    s.endpoint.password.len = 2;
    s.endpoint.db = 1;
    rdl_conn_tick(&s.conn, t);
    t += trips[0];
    rdl_conn_opened(&s.conn);
    scripted_sent(&s); /* a driver may send before the next tick */
    rdl_conn_tick(&s.conn, t);
    t += trips[1];
    scripted_reply(&s, "+OK\r\n");
    scripted_sent(&s);
    rdl_conn_tick(&s.conn, t);
    t += trips[2];
    scripted_reply(&s, "+OK\r\n");
    rdl_conn_tick(&s.conn, t);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}

START_TEST(round_trip_is_the_longest_of_the_login_rounded_up)
{
    static const uint32_t all[3] = {260, 260, 260};
    uint32_t trips[3] = {0, 0, 0};

    log_in(times[_i], all);
    ck_assert_uint_eq(s.conn.rtt_ms, 261);
    scripted_init(&s);
    trips[_i % 3] = 400;
    log_in(times[_i], trips);
    ck_assert_uint_eq(s.conn.rtt_ms, 401);
}
END_TEST

/* Other conns in the loop and spurious wake-ups cause ticks; only bytes are news from the server. */
START_TEST(tick_without_login_progress_ends_no_round_trip)
{
    uint64_t t;

    s.endpoint.db = 1;
    for (t = 1000; t < 1300; t++)
        rdl_conn_tick(&s.conn, t);
    rdl_conn_opened(&s.conn);
    for (; t < 1700; t++) {
        rdl_conn_tick(&s.conn, t);
        scripted_sent(&s);
    }
    scripted_reply(&s, "+OK\r\n");
    for (; t < 9000; t++)
        rdl_conn_tick(&s.conn, t);
    ck_assert_uint_eq(s.conn.rtt_ms, 401);
}
END_TEST

START_TEST(connect_time_is_the_round_trip_without_login)
{
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_tick(&s.conn, 1100);
    rdl_conn_opened(&s.conn);
    rdl_conn_tick(&s.conn, 1260);
    rdl_conn_tick(&s.conn, 9000);
    ck_assert_uint_eq(s.conn.rtt_ms, 261);
}
END_TEST

START_TEST(each_connection_is_timed_again)
{
    static const uint32_t far[3] = {900, 900, 900};
    static const uint32_t near[3] = {1, 1, 1};

    log_in(1000, far);
    scripted_break(&s);
    rdl_conn_tick(&s.conn, 60000);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    rdl_conn_tick(&s.conn, 60000); /* it pauses: nothing to be timed */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_uint_eq(s.conn.rtt_ms, 901); /* the last known one, until the next is open */
    log_in(90000, near);
    ck_assert_uint_eq(s.conn.rtt_ms, 2);
}
END_TEST

/* An operation waits (lock/lock.c, redlock/redlock_vote.c). */
static void awaited_tick(uint64_t t)
{
    s.conn.is_awaited = 1;
    rdl_conn_tick(&s.conn, t);
}

/* Opening takes 30 ms, and the reply to SELECT comes at `replied`. */
static void open_and_reply(int is_awaited, uint64_t replied)
{
    s.endpoint.db = 1;
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_opened(&s.conn);
    awaited_tick(1030);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    s.conn.is_awaited = (uint8_t)is_awaited;
    rdl_conn_tick(&s.conn, replied);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}

/* However long it takes. */
START_TEST(step_that_an_operation_waited_for_is_a_round_trip)
{
    s.cfg.connect_ms = 20000;
    open_and_reply(1, 9000);
    ck_assert_uint_eq(s.conn.rtt_ms, 9000 - 1030 + 1);
    ck_assert(!s.conn.rtt_is_bound);
}
END_TEST

START_TEST(step_without_an_operation_is_a_bound)
{
    open_and_reply(0, 1500);
    ck_assert_uint_eq(s.conn.rtt_ms, 471);
    ck_assert(s.conn.rtt_is_bound);
}
END_TEST

/* The first operation ends before the step does: the program pauses, and the next operation waits on. */
START_TEST(step_that_spans_two_operations_is_a_bound)
{
    uint64_t t = 1030;

    open_and_reply(1, t + 1);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    rdl_conn_end_pause(&s.conn);
    awaited_tick(t += 100); /* it opens */
    s.conn.is_awaited = (uint8_t)_i;
    rdl_conn_tick(&s.conn, t += 300);
    rdl_conn_opened(&s.conn);
    awaited_tick(t += 20);
    ck_assert_uint_eq(s.conn.rtt_ms, 321);
    ck_assert_int_eq(s.conn.rtt_is_bound, !_i);
}
END_TEST

START_TEST(bound_is_no_longer_than_a_login)
{
    open_and_reply(0, 90000);
    ck_assert_uint_eq(s.conn.rtt_ms, RDL_CONNECT_MS);
    ck_assert(s.conn.rtt_is_bound);
}
END_TEST

/* It took longer than a login may. */
START_TEST(step_that_ends_in_a_late_tick_is_a_bound)
{
    s.cfg.connect_ms = 500;
    open_and_reply(1, 1030 + 499 + (unsigned)_i);
    ck_assert_uint_eq(s.conn.rtt_ms, 500);
    ck_assert_int_eq(s.conn.rtt_is_bound, _i);
}
END_TEST

START_TEST(bound_is_not_below_a_measured_step)
{
    open_and_reply(0, 1040);
    ck_assert_uint_eq(s.conn.rtt_ms, 31);
    ck_assert(!s.conn.rtt_is_bound);
}
END_TEST

START_TEST(measured_step_replaces_a_bound)
{
    s.endpoint.db = 1;
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_opened(&s.conn);
    rdl_conn_tick(&s.conn, 2500);
    ck_assert_uint_eq(s.conn.rtt_ms, 1501);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    awaited_tick(2520);
    ck_assert_uint_eq(s.conn.rtt_ms, 21);
    ck_assert(!s.conn.rtt_is_bound);
}
END_TEST

/* ---------------------------------------------------------------- releases that are no longer needed */

START_TEST(expired_releases_are_dropped_on_reconnect)
{
    queue_release(4999, "k1");
    queue_release(5000, "k2");
    queue_release(1, "k3");
    queue_release(9000, "k4");
    queue_release(4999, "k5");
    scripted_open(&s, 5000);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_release_text("k2", token_hex(1)),
                                                  wire_release_sha("k4", token_hex(1)), NULL));
    scripted_reply(&s, ":1\r\n:1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(conn_is_idle_if_all_releases_have_expired)
{
    queue_release(10, "k1");
    queue_release(20, "k2");
    scripted_open(&s, 5000);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* On an open connection the earlier SET may still be executed late, by a frozen server that thaws. */
START_TEST(expired_release_is_still_sent_on_an_open_connection)
{
    scripted_open(&s, 1000);
    queue_release(2000, "k");
    rdl_conn_tick(&s.conn, 99999);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(1)));
}
END_TEST

START_TEST(awaited_release_is_not_dropped)
{
    struct rdl_req req = {0};
    struct rdl_command cmd = {&rdl_op_release, {"k", 1}, {token_hex(1), RDL_VALUE_MAX}, {NULL, 0}, 10, 30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
    scripted_open(&s, 5000);
    ck_assert(!rdl_conn_is_idle(&s.conn));
    ck_assert(req.is_queued);
}
END_TEST

/* ---------------------------------------------------------------- rdl_random, rdl_backoff_ms */

/* The shifts and the seed of: G. Marsaglia, Xorshift RNGs, J. of Statistical Software 8 (2003), no. 14. */
START_TEST(random_numbers_are_those_of_xorshift)
{
    uint32_t seed = 2463534242u;

    ck_assert_uint_eq(rdl_random(&seed), 723471715u);
    ck_assert_uint_eq(rdl_random(&seed), 2497366906u);
    ck_assert_uint_eq(rdl_random(&seed), 2064144800u);
}
END_TEST

START_TEST(backoff_is_between_1_and_its_limit)
{
    static const uint32_t bases[] = {0, 1, 2, 20, 50, 499, 500, 501, UINT32_MAX};
    static const uint32_t caps[] = {1, 500, 2000, UINT32_MAX};
    uint32_t seed = 0;
    unsigned tries;
    size_t b, c;

    for (b = 0; b < sizeof bases / sizeof bases[0]; b++) {
        for (c = 0; c < sizeof caps / sizeof caps[0]; c++) {
            for (tries = 0; tries < 300; tries++) {
                uint64_t most = (uint64_t)bases[b] << (tries < 16 ? tries : 16);
                uint32_t ms = rdl_backoff_ms(&seed, bases[b], caps[c], tries);
                most = most > caps[c] ? caps[c] : most;
                if (ms < 1 || ms > (most == 0 ? 1 : most))
                    ck_abort_msg("%u of %u", (unsigned)ms, (unsigned)most);
            }
        }
    }
}
END_TEST

/* Also if the seed is 0, which the generator alone would keep. */
START_TEST(backoff_uses_its_whole_range)
{
    unsigned hits[10] = {0};
    uint32_t seed = _i == 0 ? 0 : 12345;
    int i;

    for (i = 0; i < 10000; i++)
        hits[rdl_backoff_ms(&seed, 10, 1000, 0) - 1]++;
    for (i = 0; i < 10; i++)
        ck_assert_uint_gt(hits[i], 800);
}
END_TEST

Suite *suite_net_timers(void)
{
    Suite *suite = suite_create("net_timers");
    TCase *tc = suite_case(suite, "timers", setup, NULL);

    tcase_add_loop_test(tc, the_first_connection_is_tried_at_once, 0, 7);
    tcase_add_loop_test(tc, connect_deadline_includes_the_login, 0, 7);
    tcase_add_test(tc, hanging_connect_is_aborted);
    tcase_add_test(tc, ready_conn_has_no_timer);
    tcase_add_test(tc, useful_connection_is_reopened_at_once);
    tcase_add_loop_test(tc, pauses_grow_with_failures_up_to_a_cap, 0, 5);
    tcase_add_loop_test(tc, pause_is_at_most_a_twentieth_of_the_remaining_lease, 0, 4);
    tcase_add_test(tc, pause_of_exactly_a_twentieth_stays);
    tcase_add_test(tc, useless_connection_is_reopened_after_a_pause);
    tcase_add_test(tc, pause_ends_after_the_32_bit_wrap_too);
    tcase_add_test(tc, one_success_resets_the_pauses);
    tcase_add_test(tc, an_ended_pause_opens_at_once_and_keeps_the_queue);
    tcase_add_test(tc, conns_that_break_1_ms_apart_pause_differently);
    tcase_add_loop_test(tc, pause_counts_from_the_last_open_tick, 0, 2);
    tcase_add_test(tc, pause_counts_from_now_while_an_operation_waits);
    tcase_add_loop_test(tc, pause_of_weeks_ago_is_over, 0, 2);
    tcase_add_test(tc, seeded_conns_that_break_together_pause_differently);
    tcase_add_loop_test(tc, round_trip_is_the_longest_of_the_login_rounded_up, 0, 7);
    tcase_add_test(tc, tick_without_login_progress_ends_no_round_trip);
    tcase_add_test(tc, connect_time_is_the_round_trip_without_login);
    tcase_add_test(tc, each_connection_is_timed_again);
    tcase_add_test(tc, step_that_an_operation_waited_for_is_a_round_trip);
    tcase_add_test(tc, step_without_an_operation_is_a_bound);
    tcase_add_loop_test(tc, step_that_spans_two_operations_is_a_bound, 0, 2);
    tcase_add_test(tc, bound_is_no_longer_than_a_login);
    tcase_add_loop_test(tc, step_that_ends_in_a_late_tick_is_a_bound, 0, 2);
    tcase_add_test(tc, bound_is_not_below_a_measured_step);
    tcase_add_test(tc, measured_step_replaces_a_bound);
    tcase_add_test(tc, expired_releases_are_dropped_on_reconnect);
    tcase_add_test(tc, conn_is_idle_if_all_releases_have_expired);
    tcase_add_test(tc, expired_release_is_still_sent_on_an_open_connection);
    tcase_add_test(tc, awaited_release_is_not_dropped);
    tcase_add_test(tc, random_numbers_are_those_of_xorshift);
    tcase_add_test(tc, backoff_is_between_1_and_its_limit);
    tcase_add_loop_test(tc, backoff_uses_its_whole_range, 0, 2);
    return suite;
}
