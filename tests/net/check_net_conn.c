/* SPDX-License-Identifier: MIT */
/*
 * check_net_conn.c - the conn as a byte machine: what it wants in each state, its bytes split everywhere, and
 * how it ends.
 *
 * Rules R19 and R21.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static struct scripted s;
static struct rdl_req a, b, c;

static int submit(struct rdl_req *req, const struct rdl_op *op, const char *name)
{
    struct rdl_command cmd = {op,   {name, strlen(name)}, {token_hex(0xab), RDL_VALUE_MAX}, {NULL, 0}, 60000,
                              30000};

    return rdl_conn_submit(&s.conn, req, &cmd);
}

static void setup(void)
{
    scripted_init(&s);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(&c, 0, sizeof c);
}

/* The replies to three requests: YES, NO with 77 ms left, and YES. */
static const char three_replies[] = "+OK\r\n:29999\r\n$-1\r\n:77\r\n:1\r\n";

static void submit_three(void)
{
    ck_assert_int_eq(submit(&a, &rdl_op_acquire, "k1"), RDL_OK);
    ck_assert_int_eq(submit(&b, &rdl_op_acquire, "k2"), RDL_OK);
    ck_assert_int_eq(submit(&c, &rdl_op_extend, "k3"), RDL_OK);
}

static const char *three_requests(void)
{
    return wire_join(wire_acquire("k1", token_hex(0xab), 30000), wire_acquire("k2", token_hex(0xab), 30000),
                     wire_extend_text("k3", token_hex(0xab), 30000), NULL);
}

static void check_three(void)
{
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(b.answer, RDL_ANSWER_NO);
    ck_assert_int_eq(b.value, 77);
    ck_assert_int_eq(c.answer, RDL_ANSWER_YES);
    ck_assert(!a.is_queued && !b.is_queued && !c.is_queued);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_uint_eq(rdl_conn_replies(&s.conn), 5);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}

/* ---------------------------------------------------------------- states */

START_TEST(new_conn_wants_nothing_and_has_no_error)
{
    uint8_t chunk[16];

    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), 0);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_OK);
    ck_assert_int_eq(s.conn.fd, -1);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_uint_eq(rdl_conn_tx(&s.conn, chunk, sizeof chunk), 0);
    submit(&a, &rdl_op_acquire, "k");
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), 0);
    ck_assert_uint_eq(rdl_conn_tx(&s.conn, chunk, sizeof chunk), 0);
    ck_assert(!rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(conn_wants_write_only_with_bytes_to_send)
{
    scripted_open(&s, 1000);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
    submit(&a, &rdl_op_acquire, "k");
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ | RDL_WANT_WRITE);
    scripted_sent(&s);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
    ck_assert(!rdl_conn_is_idle(&s.conn));
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert(!rdl_conn_is_idle(&s.conn));
    scripted_reply(&s, ":30000\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(error_is_kept_until_the_conn_is_ready_again)
{
    scripted_open(&s, 1000);
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_CLOSED);
    s.endpoint.db = 1;
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_HANDSHAKE);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_CLOSED);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_OK);
    s.endpoint.db = 0;
    rdl_conn_closed(&s.conn, RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SYSTEM);
    scripted_open(&s, 9000);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_OK);
}
END_TEST

START_TEST(first_failure_is_the_error_of_the_connection)
{
    scripted_open(&s, 1000);
    scripted_reply(&s, "HTTP/1.1 400 Bad Request\r\n\r\n");
    rdl_conn_closed(&s.conn, RDL_E_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_SYNTAX);
}
END_TEST

START_TEST(shut_fails_the_conn_in_every_state)
{
    static const int errors[] = {RDL_OK, RDL_E_TIMEOUT, RDL_E_CLUSTER};
    static const int expected[] = {RDL_E_CLOSED, RDL_E_TIMEOUT, RDL_E_CLUSTER};

    rdl_conn_shut(&s.conn, errors[_i]);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_CLOSED);
    rdl_conn_tick(&s.conn, 1000);
    submit(&a, &rdl_op_acquire, "k");
    rdl_conn_shut(&s.conn, errors[_i]);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_CLOSE);
    rdl_conn_opened(&s.conn); /* too late */
    rdl_conn_shut(&s.conn, RDL_E_PERM);
    ck_assert_int_eq(scripted_close_failed(&s), expected[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(a.error, expected[_i]);
}
END_TEST

START_TEST(failed_conn_sends_and_reads_nothing)
{
    uint8_t chunk[16];

    scripted_open(&s, 1000);
    submit(&a, &rdl_op_acquire, "k");
    scripted_sent(&s);
    submit(&b, &rdl_op_acquire, "k");
    submit(NULL, &rdl_op_release, "k"); /* for the next connection */
    scripted_reply(&s, "nonsense\r\n+OK\r\n:1\r\n");
    rdl_conn_rx(&s.conn, (const uint8_t *)"+OK\r\n", 5);
    ck_assert_uint_eq(rdl_conn_tx(&s.conn, chunk, sizeof chunk), 0);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(a.error, RDL_E_SYNTAX);
    ck_assert_int_eq(b.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_SYNTAX);
}
END_TEST

/* The driver has not closed the failed connection yet: its failure does not answer later requests. */
START_TEST(request_after_a_failure_uses_the_next_connection)
{
    scripted_open(&s, 1000);
    rdl_conn_shut(&s.conn, RDL_E_TIMEOUT);
    submit(&a, &rdl_op_acquire, "k");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    ck_assert_int_eq(a.answer, RDL_ANSWER_NONE);
    scripted_open(&s, 5000);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", token_hex(0xab), 30000));
}
END_TEST

/* ---------------------------------------------------------------- cutting */

START_TEST(replies_may_be_split_anywhere)
{
    size_t len = sizeof three_replies - 1;
    size_t cut = (size_t)_i;

    scripted_open(&s, 1000);
    submit_three();
    ck_assert_str_eq(scripted_sent(&s), three_requests());
    scripted_feed(&s, three_replies, cut);
    scripted_feed(&s, three_replies + cut, len - cut);
    check_three();
}
END_TEST

START_TEST(replies_may_arrive_byte_by_byte)
{
    size_t i;

    scripted_open(&s, 1000);
    submit_three();
    scripted_sent(&s);
    for (i = 0; i < sizeof three_replies - 1; i++)
        scripted_feed(&s, three_replies + i, 1);
    check_three();
}
END_TEST

START_TEST(sending_in_any_pieces_sends_the_same_bytes)
{
    static char sent[4000];
    size_t len = 0;
    size_t piece = (size_t)_i;

    submit(NULL, &rdl_op_release, "k0");
    submit_three();
    scripted_open(&s, 1000);
    while (rdl_conn_wants(&s.conn) & RDL_WANT_WRITE) {
        size_t n = rdl_conn_tx(&s.conn, (uint8_t *)sent + len, 64);
        ck_assert_uint_gt(n, 0);
        rdl_conn_tx_done(&s.conn, 0); /* nothing was accepted: the same bytes come again */
        memset(sent + len, '?', n);
        ck_assert_uint_eq(rdl_conn_tx(&s.conn, (uint8_t *)sent + len, 64), n);
        if (n > piece)
            n = piece;
        len += n;
        rdl_conn_tx_done(&s.conn, n);
    }
    sent[len] = '\0';
    ck_assert_str_eq(sent, wire_join(wire_release_text("k0", token_hex(0xab)), three_requests(), NULL));
    scripted_reply(&s, ":1\r\n");
    ck_assert_uint_eq(rdl_conn_replies(&s.conn), 1);
    scripted_reply(&s, three_replies);
    ck_assert_int_eq(c.answer, RDL_ANSWER_YES);
}
END_TEST

START_TEST(bytes_given_to_the_driver_count_as_sent)
{
    uint8_t chunk[1];

    scripted_open(&s, 1000);
    submit(&a, &rdl_op_acquire, "k1");
    ck_assert_uint_eq(rdl_conn_tx(&s.conn, chunk, sizeof chunk), 1);
    rdl_conn_tx_done(&s.conn, 0);
    submit(&b, &rdl_op_acquire, "k2");
    rdl_conn_abandon(&s.conn, &a);
    rdl_conn_abandon(&s.conn, &b);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(b.answer, RDL_ANSWER_UNSENT);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k1", token_hex(0xab), 30000));
}
END_TEST

START_TEST(partial_command_never_continues_on_another_connection)
{
    uint8_t chunk[50];

    submit(NULL, &rdl_op_release, "k");
    scripted_open(&s, 1000);
    ck_assert_uint_eq(rdl_conn_tx(&s.conn, chunk, sizeof chunk), sizeof chunk);
    rdl_conn_tx_done(&s.conn, sizeof chunk - 3); /* ten bytes of the script */
    scripted_break(&s);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(0xab)));
}
END_TEST

/* Sends n bytes; scripted_sent returns them together with the next ones. */
static void send_some(size_t n)
{
    ck_assert_uint_eq(rdl_conn_tx(&s.conn, (uint8_t *)s.out + s.len, n), n);
    rdl_conn_tx_done(&s.conn, n);
    s.len += n;
}

START_TEST(abandoned_request_is_sent_to_its_end)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire, &rdl_op_acquire_fenced, &rdl_op_extend};
    static const struct rdl_bytes token = {"0123456789abcdef0123456789abcdef01234567", RDL_VALUE_MAX};
    struct rdl_command cmd = {ops[_i], {"k", 1}, token, {"17", 2}, 90000, 30000};
    const char *whole;
    size_t at;

    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &a, &cmd), RDL_OK);
    whole = scripted_sent(&s);
    for (at = 1; at < strlen(whole); at++) {
        const char *copy = wire_join(whole, NULL);

        scripted_break(&s);
        s.len = s.seen = 0;
        scripted_open(&s, 2000);
        ck_assert_int_eq(rdl_conn_submit(&s.conn, &a, &cmd), RDL_OK);
        send_some(at);
        rdl_conn_abandon(&s.conn, &a);
        ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
        ck_assert_str_eq(scripted_sent(&s), copy);
        whole = s.out;
    }
}
END_TEST

START_TEST(half_sent_script_is_finished_before_its_sha_is_used)
{
    scripted_open(&s, 1000);
    submit(&a, &rdl_op_extend, "k1");
    submit(&b, &rdl_op_extend, "k2");
    send_some(
        60); /* in the middle of the first script's text: no method is selected yet for the second request */
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_extend_text("k1", token_hex(0xab), 30000),
                                                  wire_extend_sha("k2", token_hex(0xab), 30000), NULL));
}
END_TEST

/* SET and PTTL have one reply each, which may arrive as soon as that command was sent completely. */
START_TEST(reply_to_a_sent_command_counts_while_the_rest_waits)
{
    const char *whole = wire_acquire("k", token_hex(0xab), 30000);

    scripted_open(&s, 1000);
    submit(&a, &rdl_op_acquire, "k");
    send_some((size_t)(strstr(whole, "*2\r\n") - whole));
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert_str_eq(scripted_sent(&s), whole);
    scripted_reply(&s, ":30000\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

START_TEST(reply_before_its_command_is_sent_is_unexpected)
{
    const char *whole = wire_acquire("k", token_hex(0xab), 30000);
    size_t set = (size_t)(strstr(whole, "*2\r\n") - whole);
    size_t at;

    for (at = 1; at < strlen(whole); at++) {
        int is_set_sent = at >= set;

        scripted_init(&s);
        memset(&a, 0, sizeof a);
        scripted_open(&s, 1000);
        submit(&a, &rdl_op_acquire, "k");
        send_some(at);
        scripted_reply(&s, is_set_sent ? "+OK\r\n:30000\r\n" : "+OK\r\n");
        ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
        ck_assert_int_eq(a.answer, is_set_sent ? RDL_ANSWER_YES : RDL_ANSWER_UNKNOWN);
    }
}
END_TEST

START_TEST(partial_reply_never_continues_on_another_connection)
{
    scripted_open(&s, 1000);
    submit(&a, &rdl_op_acquire, "k");
    scripted_sent(&s);
    scripted_reply(&s, "+O");
    scripted_break(&s);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
    scripted_open(&s, 2000);
    submit(&b, &rdl_op_acquire, "k");
    scripted_sent(&s);
    scripted_reply(&s, "K\r\n");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_SYNTAX);
    ck_assert_int_eq(b.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

START_TEST(only_the_start_of_a_long_error_is_kept)
{
    static char reply[20000];

    memset(reply, 'x', sizeof reply - 1);
    memcpy(reply, "-OOM ", 5);
    memcpy(reply + sizeof reply - 3, "\r\n", 3);
    scripted_open(&s, 1000);
    submit(&a, &rdl_op_acquire, "k");
    scripted_sent(&s);
    scripted_reply(&s, reply);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_TRY_LATER);
    ck_assert_uint_eq(strlen(rdl_conn_text(&s.conn)), RDL_TEXT_MAX - 1);
    ck_assert_int_eq(memcmp(rdl_conn_text(&s.conn), "OOM xxxx", 8), 0);
}
END_TEST

/* ---------------------------------------------------------------- the trace */

static char traced[2][4000];
static size_t traced_len[2];

static void trace(void *ctx, const struct rdl_conn *conn, char dir, const uint8_t *data, size_t len)
{
    size_t d = dir == '<';

    ck_assert(ctx == &a && conn == &s.conn && data != NULL && len > 0);
    memcpy(traced[d] + traced_len[d], data, len);
    traced_len[d] += len;
}

START_TEST(trace_shows_every_byte_sent_and_received)
{
    s.cfg.trace = trace;
    s.cfg.trace_ctx = &a;
    submit(NULL, &rdl_op_release, "k0");
    submit_three();
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s),
                     wire_join(wire_release_text("k0", token_hex(0xab)), three_requests(), NULL));
    scripted_reply(&s, ":1\r\n");
    scripted_reply(&s, three_replies);
    ck_assert_str_eq(traced[0], wire_join(wire_release_text("k0", token_hex(0xab)), three_requests(), NULL));
    ck_assert_str_eq(traced[1], wire_join(":1\r\n", three_replies, NULL));
}
END_TEST

/* ---------------------------------------------------------------- programming errors */

static const struct rdl_script no_script = {.number = RDL_SCRIPTS_MAX, .sha = "x"};
static const char *const no_commands[] = {"1 s", NULL};
static const struct rdl_method no_method = {.commands = no_commands, .script = &no_script};
static const struct rdl_method *const no_methods[] = {&no_method, NULL};
static const struct rdl_op odd_ops[] = {
    {.methods = no_methods, .family = RDL_FAMILIES},
    {.methods = no_methods + 1, .then = &odd_ops[0], .family = RDL_FAMILIES - 1},
    {.family = RDL_METHOD_FAMILIES + 1},
    {.family = RDL_FAMILY_DIRECT},
    {.methods = no_methods, .family = RDL_FAMILY_DIRECT},
};

START_TEST(invalid_request_aborts_the_program)
{
    static char name[RDL_ARGUMENT_MAX + 2];

    if (_i >= 4) {
        ck_assert_int_eq(submit(&b, &odd_ops[_i - 4], "k"), RDL_OK);
        scripted_open(&s, 1000);
        scripted_sent(&s);
        return;
    }

    memset(name, 'n', RDL_ARGUMENT_MAX + 1);
    ck_assert_int_eq(submit(&a, &rdl_op_acquire, name + 1), RDL_OK);
    if (_i == 0)
        submit(&b, &rdl_op_acquire, "");
    else if (_i == 1)
        submit(&b, &rdl_op_acquire, name);
    else if (_i == 2)
        submit(&a, &rdl_op_extend, "k"); /* it is queued already */
    else
        submit(NULL, &rdl_op_acquire, "k");
}
END_TEST

Suite *suite_net_conn(void)
{
    Suite *suite = suite_create("net_conn");
    TCase *tc = suite_case(suite, "conn", setup, NULL);
    TCase *asserted = suite_case(suite, "assertions", setup, NULL);

    tcase_add_test(tc, new_conn_wants_nothing_and_has_no_error);
    tcase_add_test(tc, conn_wants_write_only_with_bytes_to_send);
    tcase_add_test(tc, error_is_kept_until_the_conn_is_ready_again);
    tcase_add_test(tc, first_failure_is_the_error_of_the_connection);
    tcase_add_loop_test(tc, shut_fails_the_conn_in_every_state, 0, 3);
    tcase_add_test(tc, failed_conn_sends_and_reads_nothing);
    tcase_add_test(tc, request_after_a_failure_uses_the_next_connection);
    tcase_add_loop_test(tc, replies_may_be_split_anywhere, 0, sizeof three_replies);
    tcase_add_test(tc, replies_may_arrive_byte_by_byte);
    tcase_add_loop_test(tc, sending_in_any_pieces_sends_the_same_bytes, 1, 80);
    tcase_add_test(tc, bytes_given_to_the_driver_count_as_sent);
    tcase_add_test(tc, partial_command_never_continues_on_another_connection);
    tcase_add_loop_test(tc, abandoned_request_is_sent_to_its_end, 0, 3);
    tcase_add_test(tc, half_sent_script_is_finished_before_its_sha_is_used);
    tcase_add_test(tc, reply_to_a_sent_command_counts_while_the_rest_waits);
    tcase_add_test(tc, reply_before_its_command_is_sent_is_unexpected);
    tcase_add_test(tc, partial_reply_never_continues_on_another_connection);
    tcase_add_test(tc, only_the_start_of_a_long_error_is_kept);
    tcase_add_test(tc, trace_shows_every_byte_sent_and_received);
    tcase_set_tags(asserted, "assertions");
    tcase_add_loop_test_raise_signal(asserted, invalid_request_aborts_the_program, SIGABRT, 0,
                                     4 + sizeof odd_ops / sizeof *odd_ops);
    return suite;
}
