/* SPDX-License-Identifier: MIT */
/*
 * A READY connection that goes silent: when it is asked nothing more, when it is ended, and what stays owed.
 * The time is an argument; lock_silent and redlock_silent have what locks make of it.
 */
#include <check.h>
#include <string.h>

#include "redlock/redlock_op.h"
#include "tests/fixtures/scripted.h"

enum { NOW = 5000, PATIENCE = 250, TTL = 10000 };

static struct scripted s;
static struct rdl_req req;

static void setup(void)
{
    scripted_init(&s);
    memset(&req, 0, sizeof req);
    scripted_open(&s, NOW);
    rdl_conn_set_timeout(&s.conn, PATIENCE);
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

static void ask(const struct rdl_op *op, uint64_t now_ms)
{
    ck_assert_int_eq(submit(op, &req, 1, now_ms), RDL_OK);
    rdl_conn_tick(&s.conn, now_ms);
    scripted_sent(&s);
}

/* Its attempt is over: nobody waits for it any more, and it is owed a release. */
static void give_up(uint64_t now_ms)
{
    rdl_conn_tick(&s.conn, now_ms);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(submit(&rdl_op_release, NULL, 1, now_ms - PATIENCE), RDL_OK);
    scripted_sent(&s);
}

static enum rdl_conn_state state_at(uint64_t now_ms)
{
    rdl_conn_tick(&s.conn, now_ms);
    return rdl_conn_state(&s.conn);
}

START_TEST(a_connection_whose_oldest_answer_is_overdue_is_silent)
{
    ask(&rdl_op_acquire, NOW);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW), NOW + PATIENCE);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + PATIENCE - 1), NOW + PATIENCE);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + PATIENCE), NOW + TTL); /* then it ends */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_TIMEOUT);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
}
END_TEST

static const struct rdl_op *const asking[] = {&rdl_op_acquire,     &rdl_op_extend,      &rdl_op_raise_fence,
                                              &rdl_op_canary_make, &rdl_op_canary_look, &rdl_op_time};

START_TEST(a_silent_connection_is_asked_nothing_and_only_releases_are_sent)
{
    struct rdl_req another = {0};

    ask(&rdl_op_acquire, NOW);
    give_up(NOW + PATIENCE);
    ck_assert_int_eq(submit(asking[_i], &another, 2, NOW + PATIENCE), RDL_E_TIMEOUT);
    ck_assert(!another.is_queued);
    ck_assert_int_eq(submit(&rdl_op_release, NULL, 3, NOW + PATIENCE), RDL_OK);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), token_hex(3)));
    ck_assert_uint_eq(rdl_conn_waiting(&s.conn), 3);
}
END_TEST

START_TEST(a_set_that_was_not_sent_keeps_no_silent_connection)
{
    struct rdl_req set = {0};

    ask(&rdl_op_extend, NOW);
    ck_assert_int_eq(submit(&rdl_op_acquire, &set, 2, NOW), RDL_OK);
    if (_i)
        scripted_sent(&s);
    ck_assert_int_eq(state_at(NOW + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + PATIENCE + 1), _i ? RDL_CONN_STALLED : RDL_CONN_FAILED);
}
END_TEST

START_TEST(any_byte_ends_the_silence_and_the_wait_begins_anew)
{
    ask(&rdl_op_acquire, NOW);
    ck_assert_int_eq(state_at(NOW + 700), RDL_CONN_STALLED);
    scripted_feed(&s, NULL, 0);
    rdl_conn_rx(&s.conn, NULL, 0); /* that is none */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    scripted_reply(&s, "+");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_OK);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 800), NOW + 800 + PATIENCE);
    ck_assert_int_eq(state_at(NOW + 800 + PATIENCE), RDL_CONN_STALLED);
    scripted_reply(&s, "OK\r\n:10000\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 60000), UINT64_MAX);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* However many were asked in the meantime: each answer gives the next its time. */
START_TEST(answers_that_come_one_by_one_are_no_silence)
{
    struct rdl_req reqs[10];
    unsigned i;

    memset(reqs, 0, sizeof reqs);
    for (i = 0; i < 10; i++)
        ck_assert_int_eq(submit(&rdl_op_acquire, &reqs[i], i + 1, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    scripted_sent(&s);
    for (i = 0; i < 10; i++) {
        ck_assert_int_eq(state_at(NOW + (i + 1) * (PATIENCE - 1)), RDL_CONN_READY);
        scripted_reply(&s, "+OK\r\n:10000\r\n");
        rdl_conn_tick(&s.conn, NOW + (i + 1) * (PATIENCE - 1));
    }
}
END_TEST

START_TEST(it_is_ended_when_the_keys_of_all_its_sets_are_gone)
{
    struct rdl_req later = {0};

    ask(&rdl_op_acquire, NOW);
    ck_assert_int_eq(submit(&rdl_op_acquire, &later, 2, NOW + 100), RDL_OK);
    scripted_sent(&s);
    give_up(NOW + PATIENCE); /* what nobody waits for counts as well */
    rdl_conn_abandon(&s.conn, &later);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + TTL), NOW + 100 + TTL);
    ck_assert_int_eq(state_at(NOW + 100 + TTL - 1), RDL_CONN_STALLED);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 100 + TTL), UINT64_MAX);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
}
END_TEST

/* They write no key that would be left: the server may as well do them never, or behind its release. */
START_TEST(extends_and_releases_keep_no_connection_alive)
{
    ask(_i ? &rdl_op_extend : &rdl_op_release, NOW);
    ck_assert_int_eq(state_at(NOW + PATIENCE - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + PATIENCE + 1), RDL_CONN_FAILED);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    ck_assert_int_eq(req.is_queued, _i == 0); /* a release is heard over the next one */
    ck_assert_int_eq(req.answer, _i == 0 ? RDL_ANSWER_NONE : RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(req.error, _i == 0 ? RDL_OK : RDL_E_TIMEOUT);
}
END_TEST

/* A loop that was busy steps before it reads, and all its locks with it. Later is what a later turn says. */
START_TEST(an_answer_that_was_not_read_yet_ends_no_connection)
{
    uint64_t late = NOW + 20 * PATIENCE;
    int i;

    ask(&rdl_op_extend, NOW);
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

/* An answered SET was executed: what undoes it may go over another connection. */
START_TEST(a_set_that_was_answered_keeps_no_connection_alive)
{
    struct rdl_req extend = {0};

    ask(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(submit(&rdl_op_extend, &extend, 1, NOW + 1000), RDL_OK);
    rdl_conn_tick(&s.conn, NOW + 1000);
    scripted_sent(&s);
    ck_assert_int_eq(state_at(NOW + 1000 + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + 1000 + PATIENCE + 1), RDL_CONN_FAILED);
}
END_TEST

/* The end of the silent connection is at NOW + TTL; the server may still execute the SET then. */
START_TEST(what_was_owed_stays_owed_on_the_next_for_one_ttl_more)
{
    uint64_t later = NOW + 2 * TTL + (_i ? 1 : 0);

    ask(&rdl_op_acquire, NOW);
    give_up(NOW + PATIENCE);
    rdl_conn_tick(&s.conn, NOW + TTL);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    rdl_conn_tick(&s.conn, NOW + TTL); /* it pauses first: none of its requests was ever answered */
    rdl_conn_tick(&s.conn, later);
    rdl_conn_opened(&s.conn);
    ck_assert_str_eq(scripted_sent(&s), _i ? "" : wire_release_text("k", token_hex(1)));
}
END_TEST

/* Of whoever asked: the SET is another's, and so is the release. Not in the turn in which it fell silent. */
START_TEST(one_that_is_given_up_is_not_kept_for_its_sets)
{
    uint64_t later = NOW + PATIENCE + 1 + TTL + (_i ? 1 : 0);

    ask(&rdl_op_acquire, NOW);
    give_up(NOW + PATIENCE);
    rdl_conn_abort_if_stalled(&s.conn, PATIENCE);
    ck_assert_int_eq(state_at(NOW + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + PATIENCE + 1), RDL_CONN_FAILED);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    rdl_conn_tick(&s.conn, NOW + PATIENCE + 1);
    rdl_conn_tick(&s.conn, later);
    rdl_conn_opened(&s.conn);
    ck_assert_str_eq(scripted_sent(&s), _i ? "" : wire_release_text("k", token_hex(1)));
}
END_TEST

START_TEST(a_byte_shows_that_it_was_given_up_too_soon)
{
    struct rdl_req later = {0};

    ask(&rdl_op_acquire, NOW);
    rdl_conn_abort_if_stalled(&s.conn, PATIENCE);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(submit(&rdl_op_acquire, &later, 2, NOW + 100), RDL_OK);
    rdl_conn_tick(&s.conn, NOW + 100);
    scripted_sent(&s);
    ck_assert_int_eq(state_at(NOW + 100 + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + 100 + TTL - 1), RDL_CONN_STALLED);
}
END_TEST

START_TEST(a_connection_that_waits_for_nothing_is_never_silent)
{
    ask(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 1), UINT64_MAX);
    ck_assert_int_eq(state_at(NOW + 3600000), RDL_CONN_READY);
    ask(&rdl_op_extend, NOW + 3600000); /* and its next answer has its whole time */
    ck_assert_int_eq(state_at(NOW + 3600000 + PATIENCE - 1), RDL_CONN_READY);
}
END_TEST

/* Never sent, and taken back: that was no silence of the server's. */
START_TEST(a_request_taken_back_leaves_no_silence_behind)
{
    ck_assert_int_eq(submit(&rdl_op_acquire, &req, 1, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(state_at(NOW + 2 * PATIENCE), RDL_CONN_READY);
}
END_TEST

START_TEST(the_most_patient_lock_counts)
{
    struct rdl_req another = {0};

    rdl_conn_set_timeout(&s.conn, _i ? PATIENCE : 4 * PATIENCE);
    ck_assert_int_eq(submit(&rdl_op_extend, &another, 2, NOW), RDL_OK);
    rdl_conn_set_timeout(&s.conn, _i ? 4 * PATIENCE : PATIENCE);
    ask(&rdl_op_extend, NOW);
    ck_assert_int_eq(state_at(NOW + 4 * PATIENCE - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 4 * PATIENCE), RDL_CONN_STALLED);
}
END_TEST

/* From when the oldest answer is waited for, also if it was asked for by one that is less patient. */
START_TEST(a_more_patient_lock_that_comes_later_is_waited_for)
{
    struct rdl_req another = {0};

    ask(&rdl_op_extend, NOW);
    rdl_conn_set_timeout(&s.conn, 4 * PATIENCE);
    ck_assert_int_eq(submit(&rdl_op_extend, &another, 2, NOW + PATIENCE - 1), RDL_OK);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + PATIENCE - 1), NOW + 4 * PATIENCE);
    rdl_conn_set_timeout(&s.conn, 2 * PATIENCE);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + PATIENCE), NOW + 4 * PATIENCE);
    ck_assert_int_eq(state_at(NOW + 4 * PATIENCE - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 4 * PATIENCE), RDL_CONN_STALLED);
}
END_TEST

/* An extend in danger: who is more patient, before or afterwards, does not keep the conn for it. */
START_TEST(who_would_lose_a_lease_waits_no_longer_than_its_own_time)
{
    rdl_conn_set_timeout(&s.conn, 4 * PATIENCE);
    ask(&rdl_op_acquire, NOW);
    rdl_conn_abort_if_stalled(&s.conn, PATIENCE);
    rdl_conn_abort_if_stalled(&s.conn, 2 * PATIENCE);
    rdl_conn_set_timeout(&s.conn, _i ? 8 * PATIENCE : PATIENCE);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 1), NOW + PATIENCE);
    ck_assert_int_eq(state_at(NOW + PATIENCE - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + PATIENCE + 1), RDL_CONN_FAILED);
}
END_TEST

START_TEST(a_byte_ends_that_and_the_most_patient_counts_again)
{
    rdl_conn_set_timeout(&s.conn, 4 * PATIENCE);
    ask(&rdl_op_acquire, NOW);
    rdl_conn_abort_if_stalled(&s.conn, PATIENCE);
    scripted_reply(&s, "+");
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 10), NOW + 10 + 4 * PATIENCE);
    rdl_conn_abort_if_stalled(&s.conn, 8 * PATIENCE); /* that is no shorter */
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 10), NOW + 10 + 4 * PATIENCE);
}
END_TEST

/* What was to be sent was forgotten: the time of the next one begins when it is asked. */
START_TEST(the_time_of_what_was_forgotten_is_not_that_of_the_next)
{
    struct rdl_req another = {0};

    ck_assert_int_eq(submit(&rdl_op_extend, &another, 2, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    rdl_conn_abandon(&s.conn, &another);
    rdl_conn_set_timeout(&s.conn, PATIENCE);
    ask(&rdl_op_extend, NOW + PATIENCE);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + PATIENCE), NOW + 2 * PATIENCE);
}
END_TEST

/* Those who were more patient have their answers: they wait no more. */
START_TEST(how_patient_its_locks_are_is_told_anew_when_nothing_is_waited_for)
{
    rdl_conn_set_timeout(&s.conn, 4 * PATIENCE);
    ask(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    rdl_conn_tick(&s.conn, NOW + 1);
    rdl_conn_set_timeout(&s.conn, PATIENCE);
    ask(&rdl_op_extend, NOW + 1);
    ck_assert_int_eq(state_at(NOW + 1 + PATIENCE - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 1 + PATIENCE), RDL_CONN_STALLED);
}
END_TEST

/* A release that is owed alone: it is overdue all the same. */
START_TEST(who_says_nothing_is_as_patient_as_the_last_who_did)
{
    ask(&rdl_op_acquire, NOW);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    rdl_conn_tick(&s.conn, NOW + 1);
    rdl_conn_tick(&s.conn, NOW + 2);
    ask(&rdl_op_release, NOW + 2);
    ck_assert_int_eq(state_at(NOW + 2 + PATIENCE - 1), RDL_CONN_READY);
    ck_assert_int_eq(state_at(NOW + 2 + PATIENCE), RDL_CONN_STALLED);
}
END_TEST

/* The next connection may be a faster one, also while there is always something that is waited for. */
START_TEST(how_patient_its_locks_are_is_told_anew_when_the_connection_ends)
{
    uint64_t later = NOW + 10000;
    struct rdl_req extend = {0};

    rdl_conn_set_timeout(&s.conn, 4 * PATIENCE);
    ask(&rdl_op_release, NOW); /* it stays queued */
    scripted_break(&s);
    if (_i == 1) { /* told before it is open: this is of the next one already */
        rdl_conn_set_timeout(&s.conn, 2 * PATIENCE);
        ck_assert_int_eq(submit(&rdl_op_extend, &extend, 1, later), RDL_OK);
    }
    scripted_open(&s, later);
    if (_i > 0)
        rdl_conn_set_timeout(&s.conn, PATIENCE);
    scripted_sent(&s);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, later), later + (_i == 0 ? 4u : _i == 1 ? 2u : 1u) * PATIENCE);
}
END_TEST

/* Who waits for a wake hint waits long on purpose, and tells the conn no time. */
START_TEST(a_wait_for_a_hint_is_no_silence)
{
    scripted_break(&s);
    scripted_init(&s);
    scripted_open(&s, NOW);
    ask(&rdl_op_wait_hint, NOW);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, NOW + 3600000), UINT64_MAX);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* The transport takes nothing any more: what it took half of is as silent as what it took whole. */
START_TEST(a_transport_that_takes_nothing_is_silent_too)
{
    uint8_t chunk[16];

    ck_assert_int_eq(submit(&rdl_op_extend, &req, 1, NOW), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    ck_assert_uint_gt(rdl_conn_tx(&s.conn, chunk, sizeof chunk), 1);
    rdl_conn_tx_done(&s.conn, 1);
    ck_assert_int_eq(state_at(NOW + PATIENCE), RDL_CONN_STALLED);
    ck_assert_int_eq(state_at(NOW + PATIENCE + 1), RDL_CONN_FAILED);
}
END_TEST

Suite *suite_net_silent(void);

Suite *suite_net_silent(void)
{
    Suite *suite = suite_create("net_silent");
    TCase *tc = tcase_create("silent");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, a_connection_whose_oldest_answer_is_overdue_is_silent);
    tcase_add_loop_test(tc, a_silent_connection_is_asked_nothing_and_only_releases_are_sent, 0,
                        sizeof asking / sizeof asking[0]);
    tcase_add_loop_test(tc, a_set_that_was_not_sent_keeps_no_silent_connection, 0, 2);
    tcase_add_test(tc, any_byte_ends_the_silence_and_the_wait_begins_anew);
    tcase_add_test(tc, answers_that_come_one_by_one_are_no_silence);
    tcase_add_test(tc, it_is_ended_when_the_keys_of_all_its_sets_are_gone);
    tcase_add_loop_test(tc, extends_and_releases_keep_no_connection_alive, 0, 2);
    tcase_add_loop_test(tc, an_answer_that_was_not_read_yet_ends_no_connection, 0, 2);
    tcase_add_test(tc, a_set_that_was_answered_keeps_no_connection_alive);
    tcase_add_loop_test(tc, what_was_owed_stays_owed_on_the_next_for_one_ttl_more, 0, 2);
    tcase_add_loop_test(tc, one_that_is_given_up_is_not_kept_for_its_sets, 0, 2);
    tcase_add_test(tc, a_byte_shows_that_it_was_given_up_too_soon);
    tcase_add_test(tc, a_connection_that_waits_for_nothing_is_never_silent);
    tcase_add_test(tc, a_request_taken_back_leaves_no_silence_behind);
    tcase_add_loop_test(tc, the_most_patient_lock_counts, 0, 2);
    tcase_add_test(tc, a_more_patient_lock_that_comes_later_is_waited_for);
    tcase_add_loop_test(tc, who_would_lose_a_lease_waits_no_longer_than_its_own_time, 0, 2);
    tcase_add_test(tc, a_byte_ends_that_and_the_most_patient_counts_again);
    tcase_add_test(tc, the_time_of_what_was_forgotten_is_not_that_of_the_next);
    tcase_add_test(tc, how_patient_its_locks_are_is_told_anew_when_nothing_is_waited_for);
    tcase_add_test(tc, who_says_nothing_is_as_patient_as_the_last_who_did);
    tcase_add_loop_test(tc, how_patient_its_locks_are_is_told_anew_when_the_connection_ends, 0, 3);
    tcase_add_test(tc, a_wait_for_a_hint_is_no_silence);
    tcase_add_test(tc, a_transport_that_takes_nothing_is_silent_too);
    suite_add_tcase(suite, tc);
    return suite;
}
