/* SPDX-License-Identifier: MIT */
/* check_net_bounds.c - a conn where something is empty, over, or not there. */
#include <string.h>

#include "lock/lock_op.h"
#include "net/net_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 30000 };

#define BUSY "-BUSY Redis is busy running a script\r\n"

static struct scripted s;
static struct rdl_req req, other;

static void submit(const struct rdl_op *op, struct rdl_req *r, const char *name, uint64_t until_ms)
{
    const struct rdl_command cmd = {
        op, {name, strlen(name)}, {token_hex(1), RDL_VALUE_MAX}, {NULL, 0}, until_ms, TTL};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, r, &cmd), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
}

static void setup(void)
{
    memset(&req, 0, sizeof req);
    memset(&other, 0, sizeof other);
    scripted_init(&s);
}

static unsigned traced;

static void count_trace(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t n)
{
    (void)ctx, (void)c, (void)dir, (void)data;
    ck_assert_uint_gt(n, 0);
    traced++;
}

START_TEST(a_trace_has_no_empty_pieces)
{
    uint8_t buf[8];

    s.cfg.trace = count_trace;
    scripted_open(&s, NOW);
    submit(&rdl_op_acquire, &req, "k", NOW + TTL);
    rdl_conn_tx(&s.conn, buf, sizeof buf);
    traced = 0;
    rdl_conn_tx_done(&s.conn, 0);
    rdl_conn_rx(&s.conn, buf, 0);
    ck_assert_uint_eq(traced, 0);
    rdl_conn_tx_done(&s.conn, 1);
    ck_assert_uint_eq(traced, 1);
}
END_TEST

START_TEST(a_conn_that_was_set_up_has_no_text)
{
    strcpy(s.text, "of another use of this memory");
    rdl_conn_init(&s.conn, &s.cfg);
    ck_assert_str_eq(rdl_conn_text(&s.conn), "");
}
END_TEST

/* The middle one of three requests that are next to each other in memory. */
START_TEST(a_conn_refers_to_the_memory_of_its_requests_only)
{
    static struct rdl_req reqs[3];

    ck_assert(!rdl_conn_refers_to(&s.conn, reqs, sizeof reqs));
    submit(&rdl_op_acquire, &reqs[1], "k", NOW + TTL);
    ck_assert(rdl_conn_refers_to(&s.conn, &reqs[1], sizeof reqs[1]));
    ck_assert(rdl_conn_refers_to(&s.conn, reqs, sizeof reqs));
    ck_assert(!rdl_conn_refers_to(&s.conn, &reqs[0], sizeof reqs[0]));
    ck_assert(!rdl_conn_refers_to(&s.conn, &reqs[2], sizeof reqs[2]));
    rdl_conn_abandon(&s.conn, &reqs[1]);
    ck_assert(!rdl_conn_refers_to(&s.conn, reqs, sizeof reqs));
}
END_TEST

START_TEST(a_request_that_must_not_be_sent_again_and_was_not_sent_is_abandoned)
{
    submit(&rdl_op_acquire, &req, "k", NOW + TTL);
    rdl_conn_forbid_retry(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNSENT);
    ck_assert(rdl_conn_is_idle(&s.conn));
    rdl_conn_forbid_retry(&s.conn, &req); /* it is not queued any more */
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNSENT);
}
END_TEST

/* The second of two releases that wait to be sent again. */
START_TEST(a_release_that_is_over_leaves_those_before_it)
{
    scripted_open(&s, NOW);
    submit(&rdl_op_release, NULL, "long", NOW + TTL);
    submit(&rdl_op_release, NULL, "short", NOW + 100);
    scripted_sent(&s);
    scripted_reply(&s, BUSY BUSY);
    rdl_conn_tick(&s.conn, NOW + 101);
    ck_assert(!rdl_conn_is_idle(&s.conn));
    rdl_conn_tick(&s.conn, NOW + 1000);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("long", token_hex(1)));
    scripted_reply(&s, ":1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* "QUEUED" must not be taken for +OK, nor any other status. */
START_TEST(only_ok_is_ok)
{
    static const char *const replies[] = {"+OX\r\n:1\r\n", "+XK\r\n:1\r\n", "+OKAY\r\n:1\r\n",
                                          "+O\r\n:1\r\n"};

    scripted_open(&s, NOW);
    submit(&rdl_op_acquire, &req, "k", NOW + TTL);
    scripted_sent(&s);
    scripted_reply(&s, replies[_i]);
    ck_assert_int_ne(req.answer, RDL_ANSWER_YES);
}
END_TEST

/* The server is before 2.6 in disguise: it knows no scripts. */
static const char unknown[] = "-ERR unknown command\r\n";

START_TEST(a_request_behind_another_fails_if_the_server_supports_none_of_its_methods)
{
    scripted_open(&s, NOW);
    submit(&rdl_op_acquire_fenced, &req, "k", NOW + TTL);
    while (req.answer == RDL_ANSWER_NONE) {
        scripted_sent(&s);
        scripted_reply(&s, unknown);
    }
    ck_assert_int_eq(req.error, RDL_E_UNSUPPORTED);
    submit(&rdl_op_acquire, &req, "k", NOW + TTL);
    submit(&rdl_op_acquire_fenced, &other, "k", NOW + TTL);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", token_hex(1), TTL));
    ck_assert_int_eq(other.error, RDL_E_UNSUPPORTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
}
END_TEST

START_TEST(a_watched_request_that_must_not_be_sent_again_is_abandoned)
{
    scripted_open(&s, NOW);
    submit(&rdl_op_release, &req, "k", NOW + TTL);
    while (strstr(scripted_sent(&s), "WATCH") == NULL)
        scripted_reply(&s, unknown);
    rdl_conn_forbid_retry(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    ck_assert(!rdl_conn_refers_to(&s.conn, &req, sizeof req));
}
END_TEST

START_TEST(only_the_first_two_numbers_of_a_reply_are_read)
{
    scripted_open(&s, NOW);
    submit(&rdl_op_time, &req, "k", NOW + TTL);
    scripted_sent(&s);
    scripted_reply(&s, "*3\r\n$1\r\n1\r\n$4\r\n2000\r\n$1\r\n9\r\n");
    ck_assert_int_eq(s.conn.reply_value, 1);
    ck_assert_int_eq(s.conn.reply_second, 2000);
}
END_TEST

/* The rest comes after the request was sent. Both numbers together would grant it. */
START_TEST(a_reply_that_begins_before_its_request_is_sent_grants_nothing)
{
    scripted_open(&s, NOW);
    submit(&rdl_op_acquire_fenced, &req, "k", NOW + TTL);
    scripted_reply(&s, "*2\r\n:1\r\n");
    scripted_sent(&s);
    scripted_reply(&s, ":7\r\n");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

START_TEST(the_shortest_timeout_of_the_leases_in_danger_counts)
{
    rdl_conn_abort_if_stalled(&s.conn, 200);
    rdl_conn_abort_if_stalled(&s.conn, 100);
    ck_assert_uint_eq(s.conn.lease_timeout_ms, 100);
    rdl_conn_abort_if_stalled(&s.conn, 300);
    ck_assert_uint_eq(s.conn.lease_timeout_ms, 100);
}
END_TEST

Suite *suite_net_bounds(void)
{
    Suite *suite = suite_create("net_bounds");
    TCase *tc = suite_case(suite, "bounds", setup, NULL);

    tcase_add_test(tc, a_trace_has_no_empty_pieces);
    tcase_add_test(tc, a_conn_that_was_set_up_has_no_text);
    tcase_add_test(tc, a_conn_refers_to_the_memory_of_its_requests_only);
    tcase_add_test(tc, a_request_that_must_not_be_sent_again_and_was_not_sent_is_abandoned);
    tcase_add_test(tc, a_release_that_is_over_leaves_those_before_it);
    tcase_add_loop_test(tc, only_ok_is_ok, 0, 4);
    tcase_add_test(tc, a_request_behind_another_fails_if_the_server_supports_none_of_its_methods);
    tcase_add_test(tc, a_watched_request_that_must_not_be_sent_again_is_abandoned);
    tcase_add_test(tc, only_the_first_two_numbers_of_a_reply_are_read);
    tcase_add_test(tc, a_reply_that_begins_before_its_request_is_sent_grants_nothing);
    tcase_add_test(tc, the_shortest_timeout_of_the_leases_in_danger_counts);
    return suite;
}
