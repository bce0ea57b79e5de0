/* SPDX-License-Identifier: MIT */
/*
 * check_net_again.c - a release that gets a temporary error is sent again after a pause; others overtake it.
 *
 * Rules R10 and R13.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 30000, PAUSE_MS = 256 };

#define BUSY "-BUSY Redis is busy running a script\r\n"

static struct scripted s;
static struct rdl_req req;
static uint64_t now;

static int submit(const struct rdl_op *op, struct rdl_req *r, const char *name, uint64_t until_ms,
                  uint32_t ttl_ms)
{
    const struct rdl_command cmd = {
        op, {name, strlen(name)}, {token_hex(1), RDL_VALUE_MAX}, {NULL, 0}, until_ms, ttl_ms};

    return rdl_conn_submit(&s.conn, r, &cmd);
}

static void setup(void)
{
    now = NOW;
    scripted_init(&s);
    scripted_open(&s, now);
    memset(&req, 0, sizeof req);
    ck_assert_int_eq(submit(&rdl_op_release, &req, "k", NOW + TTL, TTL), RDL_OK);
    rdl_conn_tick(&s.conn, now);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(1)));
}

/* Ends the pause and returns what is sent then. */
static const char *after_the_pause(void)
{
    uint64_t at_ms = rdl_conn_tick(&s.conn, now);

    ck_assert_uint_gt(at_ms, now);
    ck_assert_uint_le(at_ms, now + PAUSE_MS);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, at_ms - 1), at_ms);
    ck_assert_str_eq(scripted_sent(&s), "");
    now = at_ms;
    rdl_conn_tick(&s.conn, now);
    return scripted_sent(&s);
}

static const struct {
    const char *text;
    int code;
} passing[] = {{"-LOADING Redis is loading the dataset in memory\r\n", RDL_E_TRY_LATER},
               {BUSY, RDL_E_TRY_LATER},
               {"-MISCONF Redis is configured to save RDB snapshots\r\n", RDL_E_TRY_LATER},
               {"-OOM command not allowed\r\n", RDL_E_TRY_LATER},
               {"-CLUSTERDOWN The cluster is down\r\n", RDL_E_TRY_LATER},
               {"-MASTERDOWN Link with MASTER is down\r\n", RDL_E_SERVER}};

START_TEST(release_is_sent_again_after_a_temporary_error)
{
    scripted_reply(&s, passing[_i].text);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, passing[_i].code);
    ck_assert(!rdl_conn_is_idle(&s.conn));
    ck_assert(!rdl_conn_refers_to(&s.conn, &req, sizeof req));
    ck_assert_str_eq(after_the_pause(), wire_release_text("k", token_hex(1)));
    scripted_reply(&s, passing[_i].text);
    ck_assert_str_eq(after_the_pause(), wire_release_text("k", token_hex(1)));
    scripted_reply(&s, ":1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, now), UINT64_MAX);
}
END_TEST

/* Clients that connected at different times do not all come back at the same time. */
START_TEST(pauses_end_at_multiples_of_256_ms_since_the_login)
{
    now = NOW + 2 * PAUSE_MS + 10;
    rdl_conn_tick(&s.conn, now);
    scripted_reply(&s, BUSY);
    after_the_pause();
    ck_assert_uint_eq(now, NOW + 3 * PAUSE_MS);
}
END_TEST

START_TEST(permanent_error_ends_a_release)
{
    static const char *const texts[] = {"-MOVED 1 127.0.0.1:7000\r\n", "-CROSSSLOT x\r\n",
                                        "-WRONGTYPE x\r\n"};

    scripted_reply(&s, texts[_i]);
    ck_assert_int_ne(req.answer, RDL_ANSWER_NONE);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The caller retries an extend or a SET; a delete that compares nothing else must not arrive late. */
START_TEST(only_releases_are_sent_again)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire, &rdl_op_extend, &rdl_op_delete,
                                               &rdl_op_release_once};

    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(submit(ops[_i], &req, "k", NOW + TTL, TTL), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, _i == 0 ? BUSY BUSY : BUSY);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The command has no ttl if other clients may have written the same value. */
START_TEST(release_without_ttl_is_sent_once)
{
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(submit(&rdl_op_release, NULL, "k", NOW + TTL, 0), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, BUSY);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(other_requests_overtake_a_pausing_release)
{
    struct rdl_req other = {0}, third = {0};

    scripted_reply(&s, BUSY);
    ck_assert_int_eq(submit(&rdl_op_release, NULL, "k2", NOW + TTL, TTL), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, BUSY);
    ck_assert_int_eq(submit(&rdl_op_acquire, &other, "other", NOW + TTL, TTL), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("other", token_hex(1), TTL));
    scripted_reply(&s, "+OK\r\n:30000\r\n");
    ck_assert_int_eq(other.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(submit(&rdl_op_extend, &other, "other", NOW + TTL, TTL), RDL_OK);
    ck_assert_int_eq(submit(&rdl_op_extend, &third, "third", NOW + TTL, TTL), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_extend_text("other", token_hex(1), TTL),
                                                  wire_extend_sha("third", token_hex(1), TTL), NULL));
    scripted_reply(&s, ":1\r\n:1\r\n");
    ck_assert_int_eq(third.answer, RDL_ANSWER_YES);
    ck_assert_str_eq(after_the_pause(), wire_join(wire_release_text("k", token_hex(1)),
                                                  wire_release_sha("k2", token_hex(1)), NULL));
}
END_TEST

/* A pause does not count into the reply timeout, so the connection does not stall. */
START_TEST(pausing_release_is_not_overdue)
{
    rdl_conn_set_timeout(&s.conn, 1);
    rdl_conn_tick(&s.conn, now);
    scripted_reply(&s, BUSY);
    ck_assert_str_eq(after_the_pause(), wire_release_text("k", token_hex(1)));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    rdl_conn_tick(&s.conn, now + 1); /* this reply is overdue */
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
}
END_TEST

START_TEST(release_is_retried_until_its_key_expires)
{
    scripted_reply(&s, BUSY);
    rdl_conn_tick(&s.conn, NOW + TTL - PAUSE_MS);
    rdl_conn_tick(&s.conn, NOW + TTL);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(1)));
    scripted_reply(&s, BUSY);
    rdl_conn_tick(&s.conn, NOW + TTL);
    rdl_conn_tick(&s.conn, NOW + TTL + PAUSE_MS);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* It is neither the first in the queue nor the last: "k" pauses, too, and "other" is being answered. */
START_TEST(expired_release_leaves_the_other_requests)
{
    struct rdl_req other = {0};

    scripted_reply(&s, BUSY);
    ck_assert_int_eq(submit(&rdl_op_release, NULL, "k2", NOW + 1, TTL), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, BUSY);
    ck_assert_int_eq(submit(&rdl_op_extend, &other, "other", NOW + TTL, TTL), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), wire_extend_text("other", token_hex(1), TTL));
    ck_assert_str_eq(after_the_pause(), wire_release_text("k", token_hex(1)));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(other.answer, RDL_ANSWER_YES);
    scripted_reply(&s, ":1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The expiry of an adopted key is unknown: the release is retried for one ttl after the first error. */
START_TEST(adopted_key_release_is_retried_for_one_ttl)
{
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(submit(&rdl_op_release, NULL, "k", UINT64_MAX, TTL), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, BUSY);
    after_the_pause();
    scripted_reply(&s, BUSY);
    rdl_conn_tick(&s.conn, now + TTL - PAUSE_MS);
    rdl_conn_tick(&s.conn, now + TTL);
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token_hex(1)));
    scripted_reply(&s, BUSY);
    rdl_conn_tick(&s.conn, now + TTL + 1);
    rdl_conn_tick(&s.conn, now + TTL + 1 + PAUSE_MS);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* A refusal by a replica ends the connection; the release goes first on the next one. */
START_TEST(release_refused_by_a_replica_uses_next_connection)
{
    struct rdl_req next = {0};

    scripted_reply(&s, "-READONLY You can't write against a read only replica.\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_READONLY);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_READONLY);
    ck_assert_int_eq(submit(&rdl_op_extend, &next, "next", NOW + TTL, TTL), RDL_OK);
    scripted_open(&s, now);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_release_text("k", token_hex(1)),
                                                  wire_extend_text("next", token_hex(1), TTL), NULL));
}
END_TEST

/* A pausing release is sent at once when the next connection is open. */
START_TEST(pausing_release_survives_its_connection)
{
    scripted_reply(&s, BUSY);
    scripted_break(&s);
    scripted_open(&s, now);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(1)));
    scripted_reply(&s, ":1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, now), UINT64_MAX);
}
END_TEST

Suite *suite_net_again(void)
{
    Suite *suite = suite_create("net_again");
    TCase *tc = suite_case(suite, "again", setup, NULL);

    tcase_add_loop_test(tc, release_is_sent_again_after_a_temporary_error, 0,
                        (int)(sizeof passing / sizeof passing[0]));
    tcase_add_test(tc, pauses_end_at_multiples_of_256_ms_since_the_login);
    tcase_add_loop_test(tc, permanent_error_ends_a_release, 0, 3);
    tcase_add_loop_test(tc, only_releases_are_sent_again, 0, 4);
    tcase_add_test(tc, release_without_ttl_is_sent_once);
    tcase_add_test(tc, other_requests_overtake_a_pausing_release);
    tcase_add_test(tc, pausing_release_is_not_overdue);
    tcase_add_test(tc, release_is_retried_until_its_key_expires);
    tcase_add_test(tc, expired_release_leaves_the_other_requests);
    tcase_add_test(tc, adopted_key_release_is_retried_for_one_ttl);
    tcase_add_test(tc, release_refused_by_a_replica_uses_next_connection);
    tcase_add_test(tc, pausing_release_survives_its_connection);
    return suite;
}
