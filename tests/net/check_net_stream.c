/* SPDX-License-Identifier: MIT */
/*
 * check_net_stream.c - a conn over a stream of four functions that the test controls: what they are called
 * for, and in which order. Rules R19 and R21.
 */
#include <poll.h>
#include <string.h>

#include "lock/lock_op.h"
#include "net/net_stream.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { CHUNK = 64, GRANTED_LEN = 13 };

/* The reply to an acquire. */
static const char granted[] = "+OK\r\n:30000\r\n";

/* What the functions of the stream return, and which of them were called: "osrc". */
static struct {
    int open, send_error, recv_error, late_error;
    size_t room, piece;  /* bytes that send takes in all, and most that send and recv move at a time */
    const char *in;      /* bytes that have arrived; NULL: a peer that never stops */
    const char *arrives; /* when send fails */
    char out[2048];
    size_t len;
    char calls[512];
    size_t n_calls;
    int never_stops;   /* the peer, once send fails */
    const char *words; /* why it cannot be opened */
} stream;

static struct scripted s;
static struct rdl_req req;
static uint8_t buf[CHUNK];

static void called(void *ctx, const struct rdl_conn *c, char what)
{
    ck_assert_ptr_eq(ctx, &stream);
    ck_assert_ptr_eq(c, &s.conn);
    if (stream.n_calls + 1 < sizeof stream.calls)
        stream.calls[stream.n_calls++] = what;
    stream.calls[stream.n_calls] = '\0';
}

static int fake_open(void *ctx, struct rdl_conn *c)
{
    called(ctx, c, 'o');
    if (stream.words != NULL)
        rdl_conn_set_text(c, stream.words);
    return stream.open;
}

static int fake_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    size_t n = len < stream.piece ? len : stream.piece;

    called(ctx, c, 's');
    ck_assert_uint_ge(len, 1);
    if (stream.send_error != 0) {
        stream.in = stream.arrives != NULL || stream.never_stops ? stream.arrives : stream.in;
        stream.recv_error = stream.late_error;
        return stream.send_error;
    }
    if (n > stream.room)
        n = stream.room;
    memcpy(stream.out + stream.len, bytes, n);
    stream.len += n;
    stream.room -= n;
    return (int)n;
}

static int fake_recv(void *ctx, struct rdl_conn *c, uint8_t *to, size_t cap)
{
    size_t n = 0;

    called(ctx, c, 'r');
    ck_assert_uint_ge(cap, 1);
    if (stream.in == NULL) {
        memset(to, '-', cap); /* the beginning of an error, and its text */
        return (int)cap;
    }
    while (n < cap && n < stream.piece && stream.in[n] != '\0') {
        to[n] = (uint8_t)stream.in[n];
        n++;
    }
    stream.in += n;
    return n > 0 ? (int)n : stream.recv_error;
}

static void fake_close(void *ctx, struct rdl_conn *c)
{
    called(ctx, c, 'c');
}

static const struct rdl_stream_ops ops = {fake_open, fake_send, fake_recv, fake_close};

static void setup(void)
{
    memset(&stream, 0, sizeof stream);
    memset(&req, 0, sizeof req);
    stream.room = sizeof stream.out - 1;
    stream.piece = sizeof stream.out;
    stream.in = "";
    scripted_init(&s);
    s.cfg.stream = &ops;
    s.cfg.stream_ctx = &stream;
}

static int drive(void)
{
    return rdl_stream_drive(&s.conn, buf, sizeof buf);
}

static void ask_for(struct rdl_req *of, const struct rdl_op *op)
{
    const struct rdl_command cmd = {op, {"k", 1}, {token_hex(0xab), RDL_VALUE_MAX}, {NULL, 0}, 60000, 30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, of, &cmd), RDL_OK);
}

static void ask(const struct rdl_op *op)
{
    ask_for(&req, op);
}

/* The functions that were called since the last time. */
static const char *calls(void)
{
    static char seen[sizeof stream.calls];

    memcpy(seen, stream.calls, sizeof seen);
    stream.n_calls = 0;
    stream.calls[0] = '\0';
    return seen;
}

static void open_it(void)
{
    rdl_conn_tick(&s.conn, 1000);
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    calls();
}

/* A request is queued, and goes to a stream that takes nothing now. */
static void open_and_ask(void)
{
    open_it();
    ask(&rdl_op_acquire);
}

static const char *request(void)
{
    return wire_acquire("k", token_hex(0xab), 30000);
}

/* ---------------------------------------------------------------- opening */

START_TEST(a_closed_conn_calls_nothing)
{
    ck_assert_int_eq(drive(), 0);
    ck_assert_str_eq(calls(), "");
}
END_TEST

START_TEST(open_is_called_until_the_stream_is_ready)
{
    rdl_conn_tick(&s.conn, 1000);
    stream.open = RDL_STREAM_WAIT_WRITE;
    ck_assert_int_eq(drive(), 0);
    ck_assert_int_eq(rdl_posix_events(&s.conn), POLLOUT);
    stream.open = RDL_STREAM_WAIT_READ;
    ck_assert_int_eq(drive(), 0);
    ck_assert_int_eq(rdl_posix_events(&s.conn), POLLIN);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    ck_assert_str_eq(calls(), "oo");
    stream.open = RDL_STREAM_READY;
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_str_eq(calls(), "or");
    ck_assert_int_eq(drive(), 0);
    ck_assert_str_eq(calls(), "r");
}
END_TEST

START_TEST(a_stream_that_cannot_be_opened_is_closed_once)
{
    rdl_conn_tick(&s.conn, 1000);
    stream.open = RDL_E_CONNECT;
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_CONNECT);
    ck_assert_int_eq(drive(), 0);
    ck_assert_str_eq(calls(), "oc");
}
END_TEST

START_TEST(a_conn_that_aborts_while_it_opens_closes_the_stream)
{
    rdl_conn_tick(&s.conn, 1000);
    stream.open = _i == 0 ? RDL_STREAM_WAIT_WRITE : RDL_STREAM_WAIT_READ;
    ck_assert_int_eq(drive(), 0);
    rdl_conn_shut(&s.conn, RDL_E_TIMEOUT);
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_TIMEOUT);
    ck_assert_str_eq(calls(), "oc");
}
END_TEST

START_TEST(a_stream_that_never_began_to_open_is_not_closed)
{
    rdl_conn_tick(&s.conn, 1000);
    rdl_conn_shut(&s.conn, RDL_E_TIMEOUT);
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_str_eq(calls(), "");
}
END_TEST

/* ---------------------------------------------------------------- bytes */

START_TEST(all_bytes_are_sent_in_order_whatever_the_stream_takes)
{
    size_t cap = _i < CHUNK ? (size_t)_i + 1 : sizeof buf;

    open_and_ask();
    stream.piece = _i < CHUNK ? sizeof stream.out : (size_t)(_i - CHUNK) + 1;
    ck_assert_int_eq(rdl_stream_drive(&s.conn, buf, cap), RDL_STREAM_SENT);
    ck_assert_str_eq(stream.out, request());
    ck_assert_int_eq(rdl_stream_drive(&s.conn, buf, cap), 0);
    ck_assert_str_eq(stream.out, request());
}
END_TEST

START_TEST(bytes_without_room_are_offered_again)
{
    open_and_ask();
    stream.room = 0;
    ck_assert_int_eq(drive(), 0);
    ck_assert_str_eq(calls(), "rs");
    for (size_t n = 0; n < strlen(request()); n++) {
        ck_assert_uint_eq(stream.len, n);
        stream.room = 1;
        ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    }
    ck_assert_str_eq(stream.out, request());
}
END_TEST

/* An earlier request has been answered, so this one is not the first in the queue's memory. */
/* Its descriptor is writable, and a loop that waits for that would spin. */
START_TEST(a_stream_that_must_read_first_is_not_polled_for_writing)
{
    open_and_ask();
    stream.send_error = RDL_STREAM_READ_FIRST;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(drive(), 0);
        ck_assert_str_eq(calls(), "rs");
        ck_assert_int_eq(rdl_posix_events(&s.conn), POLLIN);
    }
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    stream.send_error = 0;
    stream.room = 1;
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    ck_assert_int_eq(rdl_posix_events(&s.conn), POLLIN | POLLOUT);
    stream.room = sizeof stream.out - 1 - stream.len;
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    ck_assert_str_eq(stream.out, request());
    ck_assert_int_eq(rdl_posix_events(&s.conn), POLLIN);
}
END_TEST

START_TEST(a_request_behind_an_answered_one_is_mere_sending)
{
    struct rdl_req second = {0};

    open_and_ask();
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    stream.room = 0;
    ask_for(&second, &rdl_op_extend);
    stream.in = granted;
    ck_assert_int_eq(drive(), RDL_STREAM_DID);
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    stream.room = sizeof stream.out - stream.len;
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
}
END_TEST

/* Its waiter gets the result at once, although other bytes were sent. */
START_TEST(a_request_that_fails_unsent_is_no_mere_sending)
{
    struct rdl_req second = {0};

    open_and_ask();
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    stream.in = "+OK\r\n:1\r\n";
    drive();
    s.conn.refused[rdl_op_raise_fence.family] = 1;
    ask(&rdl_op_raise_fence);
    ask_for(&second, &rdl_op_extend);
    stream.len = 0;
    ck_assert_int_eq(drive(), RDL_STREAM_DID | RDL_STREAM_SENT);
    ck_assert_uint_gt(stream.len, 0);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
}
END_TEST

START_TEST(all_bytes_are_received_in_order_in_any_pieces)
{
    open_and_ask();
    drive();
    stream.in = granted;
    stream.piece = _i < GRANTED_LEN ? (size_t)_i + 1 : sizeof stream.out;
    for (int i = 0; i < GRANTED_LEN; i++)
        rdl_stream_drive(&s.conn, buf, _i < GRANTED_LEN ? sizeof buf : (size_t)(_i - GRANTED_LEN) + 1);
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(drive(), 0);
}
END_TEST

START_TEST(a_request_that_is_not_sent_after_all_is_progress)
{
    s.cfg.methods = &rdl_methods_script;
    open_it();
    ask(&rdl_op_extend);
    drive();
    stream.in = "-ERR unknown command 'EVAL'\r\n";
    drive();
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ask(&rdl_op_extend);
    calls();
    ck_assert_int_eq(drive(), 1);
    ck_assert_str_eq(calls(), "r");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(drive(), 0);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

START_TEST(a_peer_that_never_stops_does_not_keep_the_caller)
{
    open_and_ask();
    drive();
    calls();
    stream.in = NULL;
    ck_assert_int_eq(drive(), 1);
    ck_assert_str_eq(calls(), "rrrrrrrrrrrrrrrr");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* ---------------------------------------------------------------- the end */

START_TEST(an_end_is_reported_once_and_after_all_bytes)
{
    open_and_ask();
    drive();
    calls();
    stream.in = granted;
    stream.recv_error = RDL_E_CLOSED;
    while (rdl_conn_state(&s.conn) == RDL_CONN_READY)
        ck_assert_int_eq(rdl_stream_drive(&s.conn, buf, (size_t)_i), 1);
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_CLOSED);
    ck_assert_int_eq(drive(), 0);
    ck_assert_ptr_eq(strchr(stream.calls, 'c'), stream.calls + stream.n_calls - 1);
}
END_TEST

/* The reason arrives between the read and the send, in pieces, of which each is less than the buffer. */
START_TEST(after_a_send_error_the_reason_is_read_first)
{
    open_and_ask();
    stream.piece = 5;
    stream.send_error = RDL_E_CLOSED;
    stream.late_error = _i == 0 ? 0 : RDL_E_CLOSED;
    stream.arrives = "-ERR max number of clients reached\r\n";
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SERVER);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "ERR max number of clients reached");
    ck_assert_ptr_eq(strchr(stream.calls, 'c'), stream.calls + stream.n_calls - 1);
}
END_TEST

enum { LAST_WORDS = 3000 };

/* Drives the conn until it is closed. */
static void drive_to_the_end(size_t cap)
{
    unsigned calls_made = 0;

    while (rdl_conn_state(&s.conn) != RDL_CONN_CLOSED) {
        ck_assert_uint_lt(calls_made++, LAST_WORDS);
        ck_assert_int_eq(rdl_stream_drive(&s.conn, buf, cap), RDL_STREAM_DID);
    }
}

/* More than one call reads, and the stream has no second send. A board has a small buffer. */
START_TEST(after_a_send_error_all_that_the_server_sent_is_read)
{
    static const size_t caps[] = {1, 16, CHUNK};
    static char words[LAST_WORDS + 1];

    memset(words, '-', LAST_WORDS);
    memcpy(words, "-ERR ", 5);
    memcpy(words + LAST_WORDS - 2, "\r\n", 3);
    open_and_ask();
    stream.send_error = RDL_E_CLOSED;
    stream.arrives = words;
    drive_to_the_end(caps[_i]);
    ck_assert_uint_eq(strlen(stream.in), 0);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SERVER);
    ck_assert_ptr_eq(strchr(stream.calls, 's'), strrchr(stream.calls, 's'));
}
END_TEST

/* They are no error, so the reason is that of send. */
START_TEST(after_a_send_error_the_last_replies_count)
{
    enum { N = 5 };
    static struct rdl_req sent[N], unsent;
    static char replies[N * GRANTED_LEN + 1];

    memset(sent, 0, sizeof sent);
    memset(&unsent, 0, sizeof unsent);
    open_it();
    for (int i = 0; i < N; i++) {
        ask_for(&sent[i], &rdl_op_acquire);
        memcpy(replies + i * GRANTED_LEN, granted, GRANTED_LEN + 1);
    }
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    ask_for(&unsent, &rdl_op_acquire);
    stream.send_error = RDL_E_SYSTEM;
    stream.arrives = replies;
    drive_to_the_end(1);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(sent[i].answer, RDL_ANSWER_YES);
    ck_assert_int_eq(unsent.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SYSTEM);
}
END_TEST

/* Nothing of the error is left. */
START_TEST(after_a_send_error_the_next_connection_sends)
{
    open_and_ask();
    stream.send_error = RDL_E_CLOSED;
    drive_to_the_end(16);
    stream.send_error = 0;
    s.conn.is_awaited = 1;
    rdl_conn_tick(&s.conn, rdl_conn_tick(&s.conn, 2000));
    ck_assert_int_eq(drive(), RDL_STREAM_DID);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ask(&rdl_op_acquire);
    ck_assert_int_eq(drive(), RDL_STREAM_SENT);
    ck_assert_str_eq(stream.out, request());
}
END_TEST

/* Each byte of it would start the time again while the connection is whole. */
START_TEST(a_peer_that_never_stops_after_a_send_error_is_ended_in_time)
{
    uint64_t now_ms = 1000;

    open_and_ask();
    rdl_conn_set_timeout(&s.conn, 500);
    rdl_conn_tick(&s.conn, now_ms);
    stream.send_error = RDL_E_CLOSED;
    stream.never_stops = 1;
    for (; rdl_conn_state(&s.conn) != RDL_CONN_CLOSED; now_ms += 100) {
        ck_assert_uint_le(now_ms, 1600);
        rdl_conn_tick(&s.conn, now_ms);
        drive();
    }
    ck_assert_uint_ge(now_ms, 1500);
}
END_TEST

START_TEST(a_send_error_ends_the_connection)
{
    open_and_ask();
    stream.send_error = RDL_E_SYSTEM;
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(drive(), 0);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SYSTEM);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_str_eq(calls(), "rsrc");
}
END_TEST

/* The server refuses its only method, and the next request is sent. Its caller does not wait for that. */
START_TEST(a_request_that_fails_before_others_are_sent_is_reported)
{
    static struct rdl_req failing;
    const struct rdl_command cmd = {&rdl_op_release, {"k", 1}, {token_hex(0xab), RDL_VALUE_MAX},
                                    {NULL, 0},       60000,    30000};

    unsigned n = 0;

    open_it();
    memset(&failing, 0, sizeof failing);
    while (s.cfg.methods->of[rdl_op_release.family - 1][n] != NULL)
        s.conn.refused[rdl_op_release.family] |= (uint8_t)(1u << n++);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &failing, &cmd), RDL_OK);
    ask(&rdl_op_acquire);
    ck_assert_int_eq(drive(), RDL_STREAM_DID | RDL_STREAM_SENT);
    ck_assert_int_eq(failing.answer, RDL_ANSWER_ERROR);
    ck_assert_str_eq(stream.out, request());
}
END_TEST

START_TEST(a_conn_that_fails_closes_the_stream_once)
{
    open_it();
    stream.in = "HTTP/1.1 400 Bad Request\r\n\r\n";
    ck_assert_int_eq(drive(), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SYNTAX);
    ck_assert_int_eq(drive(), 0);
    ck_assert_str_eq(calls(), "rc");
}
END_TEST

START_TEST(the_next_connection_opens_the_stream_again)
{
    open_it();
    stream.recv_error = RDL_E_CLOSED;
    drive();
    ck_assert_str_eq(calls(), "rc");
    stream.recv_error = 0;
    s.conn.is_awaited = 1;
    rdl_conn_tick(&s.conn, rdl_conn_tick(&s.conn, 2000));
    ck_assert_int_eq(drive(), 1);
    ck_assert_str_eq(calls(), "or");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

START_TEST(a_platform_may_name_a_stream_of_its_own)
{
    const struct rdl_stream own = {&ops, &stream, buf, sizeof buf};

    s.cfg.stream = NULL;
    s.cfg.stream_ctx = NULL;
    rdl_conn_tick(&s.conn, 1000);
    ck_assert_int_eq(rdl_stream_run(&s.conn, &own), 1);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* ---------------------------------------------------------------- TLS */

START_TEST(a_failed_tls_handshake_is_reported_in_its_words)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    struct rdl_lock lock;
    char line[200];

    rdl_lock_init(&lock, &opt, &s.conn, "k", 1);
    stream.open = RDL_E_TLS;
    stream.words = "certificate has expired";
    ck_assert_int_eq(rdl_lock_acquire_begin(&lock, entropy_bytes(), 1000), RDL_PENDING);
    drive();
    ck_assert_int_eq(rdl_lock_step(&lock, 1000), RDL_E_TLS); /* it does not wait: the error is permanent */
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_TLS);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "certificate has expired");
    rdl_lock_report(&lock, line, sizeof line);
    ck_assert_str_eq(line, "the TLS handshake failed: certificate has expired");
    s.cfg.text = NULL; /* no room for words */
    rdl_conn_tick(&s.conn, 3000);
    drive();
    ck_assert_str_eq(rdl_conn_text(&s.conn), "");
}
END_TEST

Suite *suite_net_stream(void)
{
    Suite *suite = suite_create("net_stream");
    TCase *tc = suite_case(suite, "stream", setup, NULL);

    tcase_add_test(tc, a_closed_conn_calls_nothing);
    tcase_add_test(tc, open_is_called_until_the_stream_is_ready);
    tcase_add_test(tc, a_stream_that_cannot_be_opened_is_closed_once);
    tcase_add_loop_test(tc, a_conn_that_aborts_while_it_opens_closes_the_stream, 0, 2);
    tcase_add_test(tc, a_stream_that_never_began_to_open_is_not_closed);
    tcase_add_loop_test(tc, all_bytes_are_sent_in_order_whatever_the_stream_takes, 0, 2 * CHUNK);
    tcase_add_test(tc, bytes_without_room_are_offered_again);
    tcase_add_test(tc, a_stream_that_must_read_first_is_not_polled_for_writing);
    tcase_add_test(tc, a_request_behind_an_answered_one_is_mere_sending);
    tcase_add_test(tc, a_request_that_fails_unsent_is_no_mere_sending);
    tcase_add_loop_test(tc, all_bytes_are_received_in_order_in_any_pieces, 0, 2 * GRANTED_LEN);
    tcase_add_test(tc, a_request_that_is_not_sent_after_all_is_progress);
    tcase_add_test(tc, a_peer_that_never_stops_does_not_keep_the_caller);
    tcase_add_loop_test(tc, an_end_is_reported_once_and_after_all_bytes, 1, GRANTED_LEN + 2);
    tcase_add_loop_test(tc, after_a_send_error_the_reason_is_read_first, 0, 2);
    tcase_add_loop_test(tc, after_a_send_error_all_that_the_server_sent_is_read, 0, 3);
    tcase_add_test(tc, after_a_send_error_the_last_replies_count);
    tcase_add_test(tc, after_a_send_error_the_next_connection_sends);
    tcase_add_test(tc, a_peer_that_never_stops_after_a_send_error_is_ended_in_time);
    tcase_add_test(tc, a_send_error_ends_the_connection);
    tcase_add_test(tc, a_request_that_fails_before_others_are_sent_is_reported);
    tcase_add_test(tc, a_conn_that_fails_closes_the_stream_once);
    tcase_add_test(tc, the_next_connection_opens_the_stream_again);
    tcase_add_test(tc, a_platform_may_name_a_stream_of_its_own);
    tcase_add_test(tc, a_failed_tls_handshake_is_reported_in_its_words);
    return suite;
}
