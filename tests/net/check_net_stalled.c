/* SPDX-License-Identifier: MIT */
/*
 * check_net_stalled.c - a READY connection that stalls: when it gets no more requests, when it is closed, and
 * which releases stay pending. The time is an argument; check_lock_stalled.c and check_redlock_stalled.c
 * check what locks do then.
 *
 * Rules R15, R16 and R18.
 */
#include <string.h>

#include "redlock/redlock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 5000, TIMEOUT = 250, TTL = 10000 };

static struct scripted s;
static struct rdl_req req;

static void setup(void)
{
    scripted_init(&s);
    memset(&req, 0, sizeof req);
    scripted_open(&s, NOW);
    rdl_conn_set_timeout(&s.conn, TIMEOUT);
}

static int submit(const struct rdl_op *op, struct rdl_req *r, unsigned token, uint64_t now_ms)
{
    struct rdl_command cmd;

    memset(&cmd, 0, sizeof cmd);
    cmd.op = op;
    cmd.name.data = "k";
    cmd.name.len = 1;
    cmd.value.data = token_hex(token);
    cmd.value.len = RDL_VALUE_MAX;
    cmd.until_ms = now_ms + TTL;
    cmd.ttl_ms = TTL;
    return rdl_conn_submit(&s.conn, r, &cmd);
}

static void request(const struct rdl_op *op, uint64_t now_ms)
{
    ck_assert_int_eq(submit(op, &req, 1, now_ms), RDL_OK);
    rdl_conn_tick(&s.conn, now_ms);
    scripted_sent(&s);
}

/* Ends the attempt: abandons the request and queues a release. */
static void abandon(uint64_t now_ms)
{
    rdl_conn_tick(&s.conn, now_ms);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(submit(&rdl_op_release, NULL, 1, now_ms - TIMEOUT), RDL_OK);
    scripted_sent(&s);
}

static enum rdl_conn_phase state_at(uint64_t now_ms)
{
    rdl_conn_tick(&s.conn, now_ms);
    return rdl_conn_state(&s.conn);
}

START_TEST(connection_with_an_overdue_reply_is_stalled)
{
    request(&rdl_op_acquire, NOW);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW), NOW + TIMEOUT);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TIMEOUT - 1), NOW + TIMEOUT);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TIMEOUT), NOW + TTL); /* then it fails */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_TIMEOUT);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
}
END_TEST

START_TEST(due_connection_is_one_that_the_next_tick_would_stall)
{
    request(&rdl_op_acquire, NOW);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TIMEOUT - 1), 0);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TIMEOUT), 1);
    rdl_conn_abort_if_stalled(&s.conn, 100);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + 99), 0);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + 100), 1);
    scripted_reply(&s, "+OK\r\n:1\r\n");
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TTL), 0); /* nothing is awaited */
}
END_TEST

START_TEST(due_connection_is_one_that_the_next_tick_would_close)
{
    request(&rdl_op_acquire, NOW);
    ck_assert_int_eq(state_at(NOW + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TTL - 1), 0); /* it is kept for its SET */
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TTL), 1);
    ck_assert_int_eq(state_at(NOW + TTL), RDL_CONN_FAILED);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TTL), 0);
    rdl_conn_closed(&s.conn, RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + TTL), 0);
    rdl_conn_tick(&s.conn, NOW + TTL);
    rdl_conn_tick(&s.conn, NOW + 2 * TTL); /* after a pause */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    ck_assert_int_eq(rdl_conn_is_due(&s.conn, NOW + 2 * TTL), 1); /* it may be open by now */
}
END_TEST

static const struct rdl_op *const requests[] = {&rdl_op_acquire,     &rdl_op_extend,      &rdl_op_raise_fence,
                                                &rdl_op_canary_make, &rdl_op_canary_look, &rdl_op_time};

START_TEST(stalled_connection_gets_only_releases)
{
    struct rdl_req another = {0};

    request(&rdl_op_acquire, NOW);
    abandon(NOW + TIMEOUT);
    ck_assert_int_eq(submit(requests[_i], &another, 2, NOW + TIMEOUT), RDL_E_TIMEOUT);
    ck_assert(!another.is_queued);
    ck_assert_int_eq(submit(&rdl_op_release, NULL, 3, NOW + TIMEOUT), RDL_OK);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), token_hex(3)));
    ck_assert_uint_eq(rdl_conn_waiting(&s.conn), 3);
}
END_TEST

START_TEST(unsent_set_keeps_no_stalled_connection)
{
    struct rdl_req set = {0};

    request(&rdl_op_extend, NOW);
    ck_assert_int_eq(submit(&rdl_op_acquire, &set, 2, NOW), RDL_OK);
    if (_i)
        scripted_sent(&s);
    ck_assert_int_eq(state_at(NOW + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + TIMEOUT + 1), _i ? RDL_CONN_STALLED : RDL_CONN_FAILED);
}
END_TEST

START_TEST(any_byte_ends_the_stall_and_restarts_the_timeout)
{
    request(&rdl_op_acquire, NOW);
    ck_assert_int_eq(state_at(NOW + 700), RDL_CONN_STALLED);
    scripted_feed(&s, NULL, 0);
    rdl_conn_rx(&s.conn, NULL, 0); /* no byte at all */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    scripted_reply(&s, "+");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_OK);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 800), NOW + 800 + TIMEOUT);
    ck_assert_int_eq(state_at(NOW + 800 + TIMEOUT), RDL_CONN_STALLED);
    scripted_reply(&s, "OK\r\n:10000\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 60000), UINT64_MAX);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* Each reply restarts the timeout, however many requests are pending. */
START_TEST(each_reply_restarts_the_timeout)
{
    struct rdl_req reqs[10];
    unsigned i;

    memset(reqs, 0, sizeof reqs);
    for (i = 0; i < 10; i++)
        ck_assert_int_eq(submit(&rdl_op_acquire, &reqs[i], i + 1, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    scripted_sent(&s);
    for (i = 0; i < 10; i++) {
        ck_assert_int_eq(state_at(NOW + (i + 1) * (TIMEOUT - 1)), RDL_CONN_READY);
        scripted_reply(&s, "+OK\r\n:10000\r\n");
        rdl_conn_tick(&s.conn, NOW + (i + 1) * (TIMEOUT - 1));
    }
}
END_TEST

START_TEST(stalled_connection_ends_when_its_sets_have_expired)
{
    struct rdl_req later = {0};

    request(&rdl_op_acquire, NOW);
    ck_assert_int_eq(submit(&rdl_op_acquire, &later, 2, NOW + 100), RDL_OK);
    scripted_sent(&s);
    abandon(NOW + TIMEOUT); /* abandoned requests count as well */
    rdl_conn_abandon(&s.conn, &later);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TTL), NOW + 100 + TTL);
    ck_assert_int_eq(state_at(NOW + 100 + TTL - 1), RDL_CONN_STALLED);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 100 + TTL), UINT64_MAX);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
}
END_TEST

/* They leave no key: it does not matter if the server executes them never, or after the release. */
START_TEST(extends_and_releases_keep_no_stalled_connection)
{
    request(_i ? &rdl_op_extend : &rdl_op_release, NOW);
    ck_assert_int_eq(state_at(NOW + TIMEOUT - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + TIMEOUT + 1), RDL_CONN_FAILED);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    ck_assert_int_eq(req.is_queued, _i == 0); /* a release gets its reply on the next connection */
    ck_assert_int_eq(req.answer, _i == 0 ? RDL_ANSWER_NONE : RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(req.error, _i == 0 ? RDL_OK : RDL_E_TIMEOUT);
}
END_TEST

/* A busy loop steps all its locks before it reads. Only a call with a later time fails the connection. */
START_TEST(unread_reply_does_not_end_the_connection)
{
    uint64_t late = NOW + 20 * TIMEOUT;
    int i;

    request(&rdl_op_extend, NOW);
    for (i = 0; i < 20; i++) {
        ck_assert_uint_eq(rdl_conn_tick(&s.conn, late), late + 1);
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    }
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
    if (_i) {
        scripted_reply(&s, ":1\r\n");
        ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    }
    ck_assert_int_eq(state_at(late + 1), _i ? RDL_CONN_READY : RDL_CONN_FAILED);
}
END_TEST

/* An answered SET was executed: its release may go over another connection. */
START_TEST(answered_set_keeps_no_stalled_connection)
{
    struct rdl_req extend = {0};

    request(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(submit(&rdl_op_extend, &extend, 1, NOW + 1000), RDL_OK);
    rdl_conn_tick(&s.conn, NOW + 1000);
    scripted_sent(&s);
    ck_assert_int_eq(state_at(NOW + 1000 + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + 1000 + TIMEOUT + 1), RDL_CONN_FAILED);
}
END_TEST

/* The stalled connection fails at NOW + TTL; the server may still execute the SET then. */
START_TEST(release_stays_pending_for_one_ttl_after_a_stall)
{
    uint64_t later = NOW + 2 * TTL + (_i ? 1 : 0);

    request(&rdl_op_acquire, NOW);
    abandon(NOW + TIMEOUT);
    rdl_conn_tick(&s.conn, NOW + TTL);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    rdl_conn_tick(&s.conn, NOW + TTL); /* it pauses first: none of its requests was ever answered */
    rdl_conn_tick(&s.conn, later);
    rdl_conn_opened(&s.conn);
    ck_assert_str_eq(scripted_sent(&s), _i ? "" : wire_release_text("k", token_hex(1)));
}
END_TEST

/* Also if the SET and its release are another lock's, but not in the turn in which it stalled. */
START_TEST(aborted_connection_is_not_kept_for_its_sets)
{
    uint64_t later = NOW + TIMEOUT + 1 + TTL + (_i ? 1 : 0);

    request(&rdl_op_acquire, NOW);
    abandon(NOW + TIMEOUT);
    rdl_conn_abort_if_stalled(&s.conn, TIMEOUT);
    ck_assert_int_eq(state_at(NOW + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + TIMEOUT + 1), RDL_CONN_FAILED);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    rdl_conn_tick(&s.conn, NOW + TIMEOUT + 1);
    rdl_conn_tick(&s.conn, later);
    rdl_conn_opened(&s.conn);
    ck_assert_str_eq(scripted_sent(&s), _i ? "" : wire_release_text("k", token_hex(1)));
}
END_TEST

START_TEST(any_byte_cancels_the_abort)
{
    struct rdl_req later = {0};

    request(&rdl_op_acquire, NOW);
    rdl_conn_abort_if_stalled(&s.conn, TIMEOUT);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(submit(&rdl_op_acquire, &later, 2, NOW + 100), RDL_OK);
    rdl_conn_tick(&s.conn, NOW + 100);
    scripted_sent(&s);
    ck_assert_int_eq(state_at(NOW + 100 + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + 100 + TTL - 1), RDL_CONN_STALLED);
}
END_TEST

START_TEST(idle_connection_never_stalls)
{
    request(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 1), UINT64_MAX);
    ck_assert_int_eq(state_at(NOW + 3600000), RDL_CONN_READY);
    request(&rdl_op_extend, NOW + 3600000); /* and the next reply has the full timeout */
    ck_assert_int_eq(state_at(NOW + 3600000 + TIMEOUT - 1), RDL_CONN_READY);
}
END_TEST

/* It was never sent, so no reply is overdue. */
START_TEST(withdrawn_request_does_not_stall_the_connection)
{
    ck_assert_int_eq(submit(&rdl_op_acquire, &req, 1, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(state_at(NOW + 2 * TIMEOUT), RDL_CONN_READY);
}
END_TEST

START_TEST(longest_reply_timeout_applies)
{
    struct rdl_req another = {0};

    rdl_conn_set_timeout(&s.conn, _i ? TIMEOUT : 4 * TIMEOUT);
    ck_assert_int_eq(submit(&rdl_op_extend, &another, 2, NOW), RDL_OK);
    rdl_conn_set_timeout(&s.conn, _i ? 4 * TIMEOUT : TIMEOUT);
    request(&rdl_op_extend, NOW);
    ck_assert_int_eq(state_at(NOW + 4 * TIMEOUT - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 4 * TIMEOUT), RDL_CONN_STALLED);
}
END_TEST

/* Counted from the oldest unanswered request, also if its lock has a shorter timeout. */
START_TEST(later_longer_timeout_applies_too)
{
    struct rdl_req another = {0};

    request(&rdl_op_extend, NOW);
    rdl_conn_set_timeout(&s.conn, 4 * TIMEOUT);
    ck_assert_int_eq(submit(&rdl_op_extend, &another, 2, NOW + TIMEOUT - 1), RDL_OK);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TIMEOUT - 1), NOW + 4 * TIMEOUT);
    rdl_conn_set_timeout(&s.conn, 2 * TIMEOUT);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TIMEOUT), NOW + 4 * TIMEOUT);
    ck_assert_int_eq(state_at(NOW + 4 * TIMEOUT - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 4 * TIMEOUT), RDL_CONN_STALLED);
}
END_TEST

/* For an extend whose lease is in danger: longer timeouts, set before or afterwards, do not apply. */
START_TEST(abort_timeout_overrides_longer_reply_timeouts)
{
    rdl_conn_set_timeout(&s.conn, 4 * TIMEOUT);
    request(&rdl_op_acquire, NOW);
    rdl_conn_abort_if_stalled(&s.conn, TIMEOUT);
    rdl_conn_abort_if_stalled(&s.conn, 2 * TIMEOUT);
    rdl_conn_set_timeout(&s.conn, _i ? 8 * TIMEOUT : TIMEOUT);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 1), NOW + TIMEOUT);
    ck_assert_int_eq(state_at(NOW + TIMEOUT - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + TIMEOUT + 1), RDL_CONN_FAILED);
}
END_TEST

START_TEST(any_byte_restores_the_longest_reply_timeout)
{
    rdl_conn_set_timeout(&s.conn, 4 * TIMEOUT);
    request(&rdl_op_acquire, NOW);
    rdl_conn_abort_if_stalled(&s.conn, TIMEOUT);
    scripted_reply(&s, "+");
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 10), NOW + 10 + 4 * TIMEOUT);
    rdl_conn_abort_if_stalled(&s.conn, 8 * TIMEOUT); /* not shorter */
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 10), NOW + 10 + 4 * TIMEOUT);
}
END_TEST

/* The first request was abandoned unsent: the timeout of the next one starts when it is submitted. */
START_TEST(request_after_an_abandoned_one_has_its_full_timeout)
{
    struct rdl_req another = {0};

    ck_assert_int_eq(submit(&rdl_op_extend, &another, 2, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    rdl_conn_abandon(&s.conn, &another);
    rdl_conn_set_timeout(&s.conn, TIMEOUT);
    request(&rdl_op_extend, NOW + TIMEOUT);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TIMEOUT), NOW + 2 * TIMEOUT);
}
END_TEST

/* The locks with longer timeouts have their replies and wait no more. */
START_TEST(reply_timeout_is_reset_when_nothing_is_pending)
{
    rdl_conn_set_timeout(&s.conn, 4 * TIMEOUT);
    request(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    rdl_conn_tick(&s.conn, NOW + 1);
    rdl_conn_set_timeout(&s.conn, TIMEOUT);
    request(&rdl_op_extend, NOW + 1);
    ck_assert_int_eq(state_at(NOW + 1 + TIMEOUT - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 1 + TIMEOUT), RDL_CONN_STALLED);
}
END_TEST

/* A pending release without a waiter can be overdue, too. */
START_TEST(last_reply_timeout_stays_until_another_is_set)
{
    request(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    rdl_conn_tick(&s.conn, NOW + 1);
    rdl_conn_tick(&s.conn, NOW + 2);
    request(&rdl_op_release, NOW + 2);
    ck_assert_int_eq(state_at(NOW + 2 + TIMEOUT - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 2 + TIMEOUT), RDL_CONN_STALLED);
}
END_TEST

/* The next connection may be faster, also if requests are pending all the time. */
START_TEST(reply_timeout_is_reset_on_the_next_connection)
{
    uint64_t later = NOW + 10000;
    struct rdl_req extend = {0};

    rdl_conn_set_timeout(&s.conn, 4 * TIMEOUT);
    request(&rdl_op_release, NOW); /* it stays queued */
    scripted_break(&s);
    if (_i == 1) { /* set before it is open: it applies to the next connection already */
        rdl_conn_set_timeout(&s.conn, 2 * TIMEOUT);
        ck_assert_int_eq(submit(&rdl_op_extend, &extend, 1, later), RDL_OK);
    }
    scripted_open(&s, later);
    if (_i > 0)
        rdl_conn_set_timeout(&s.conn, TIMEOUT);
    scripted_sent(&s);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, later), later + (_i == 0 ? 4u : _i == 1 ? 2u : 1u) * TIMEOUT);
}
END_TEST

/* Waiting for a wake hint takes long on purpose and sets no reply timeout. */
START_TEST(waiting_for_a_hint_is_not_a_stall)
{
    scripted_break(&s);
    scripted_init(&s);
    scripted_open(&s, NOW);
    request(&rdl_op_wait_hint, NOW);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 3600000), UINT64_MAX);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* The transport accepts no more bytes: a partly sent request stalls like a fully sent one. */
START_TEST(blocked_transport_counts_as_stalled)
{
    uint8_t chunk[16];

    ck_assert_int_eq(submit(&rdl_op_extend, &req, 1, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    ck_assert_uint_gt(rdl_conn_tx(&s.conn, chunk, sizeof chunk), 1);
    rdl_conn_tx_done(&s.conn, 1);
    ck_assert_int_eq(state_at(NOW + TIMEOUT), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + TIMEOUT + 1), RDL_CONN_FAILED);
}
END_TEST

Suite *suite_net_stalled(void)
{
    Suite *suite = suite_create("net_stalled");
    TCase *tc = suite_case(suite, "stalled", setup, NULL);

    tcase_add_test(tc, connection_with_an_overdue_reply_is_stalled);
    tcase_add_test(tc, due_connection_is_one_that_the_next_tick_would_stall);
    tcase_add_test(tc, due_connection_is_one_that_the_next_tick_would_close);
    tcase_add_loop_test(tc, stalled_connection_gets_only_releases, 0, sizeof requests / sizeof requests[0]);
    tcase_add_loop_test(tc, unsent_set_keeps_no_stalled_connection, 0, 2);
    tcase_add_test(tc, any_byte_ends_the_stall_and_restarts_the_timeout);
    tcase_add_test(tc, each_reply_restarts_the_timeout);
    tcase_add_test(tc, stalled_connection_ends_when_its_sets_have_expired);
    tcase_add_loop_test(tc, extends_and_releases_keep_no_stalled_connection, 0, 2);
    tcase_add_loop_test(tc, unread_reply_does_not_end_the_connection, 0, 2);
    tcase_add_test(tc, answered_set_keeps_no_stalled_connection);
    tcase_add_loop_test(tc, release_stays_pending_for_one_ttl_after_a_stall, 0, 2);
    tcase_add_loop_test(tc, aborted_connection_is_not_kept_for_its_sets, 0, 2);
    tcase_add_test(tc, any_byte_cancels_the_abort);
    tcase_add_test(tc, idle_connection_never_stalls);
    tcase_add_test(tc, withdrawn_request_does_not_stall_the_connection);
    tcase_add_loop_test(tc, longest_reply_timeout_applies, 0, 2);
    tcase_add_test(tc, later_longer_timeout_applies_too);
    tcase_add_loop_test(tc, abort_timeout_overrides_longer_reply_timeouts, 0, 2);
    tcase_add_test(tc, any_byte_restores_the_longest_reply_timeout);
    tcase_add_test(tc, request_after_an_abandoned_one_has_its_full_timeout);
    tcase_add_test(tc, reply_timeout_is_reset_when_nothing_is_pending);
    tcase_add_test(tc, last_reply_timeout_stays_until_another_is_set);
    tcase_add_loop_test(tc, reply_timeout_is_reset_on_the_next_connection, 0, 3);
    tcase_add_test(tc, waiting_for_a_hint_is_not_a_stall);
    tcase_add_test(tc, blocked_transport_counts_as_stalled);
    return suite;
}
