/* SPDX-License-Identifier: MIT */
/*
 * check_lock_hint_op.c - the release with a hint, and waiting for one: their bytes, their methods, what every
 * reply means.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define NOSCRIPT "-NOSCRIPT No matching script. Please use EVAL.\r\n"
#define REFUSED  "-ERR unknown command 'X', with args beginning with: 'k' \r\n"
#define OLD      "-ERR timeout is not an integer or out of range\r\n"
#define WAIT_250 "*3\r\n$5\r\nBLPOP\r\n$8\r\n{k}:wake\r\n$5\r\n0.250\r\n"
#define WAIT_1   "*3\r\n$5\r\nBLPOP\r\n$8\r\n{k}:wake\r\n$1\r\n1\r\n"

static struct scripted s;
static struct rdl_req req;

static void submit_for(const struct rdl_op *op, const char *name, struct rdl_req *r, uint32_t ttl_ms)
{
    struct rdl_command cmd = {.op = op,
                              .name = {name, strlen(name)},
                              .value = {token_hex(0xab), RDL_VALUE_MAX},
                              .until_ms = 60000,
                              .ttl_ms = ttl_ms};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, r, &cmd), RDL_OK);
}

static void submit_as(const struct rdl_op *op, const char *name, struct rdl_req *r)
{
    submit_for(op, name, r, 250);
}

static void submit(const struct rdl_op *op, const char *name)
{
    memset(&req, 0, sizeof req);
    submit_as(op, name, &req);
}

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
}

static const char *call(const char *command, const char *script)
{
    char head[64];

    snprintf(head, sizeof head, "*7\r\n$%zu\r\n%s\r\n$%zu\r\n", strlen(command), command, strlen(script));
    return wire_join(head, script, "\r\n$1\r\n2\r\n$1\r\nk\r\n$8\r\n{k}:wake\r\n$40\r\n", token_hex(0xab),
                     "\r\n$4\r\n1000\r\n", NULL);
}

/* ---------------------------------------------------------------- sending a hint */

START_TEST(server_without_the_hint_script_gets_its_text)
{
    submit(&rdl_op_release_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_release_hint.text));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit(&rdl_op_release_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), call("EVALSHA", rdl_script_release_hint.sha));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_release_hint.text));
}
END_TEST

START_TEST(hint_release_works_without_scripts)
{
    submit(&rdl_op_release_hint, "k");
    scripted_sent(&s);
    scripted_reply(&s, REFUSED);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(0xab)));
    scripted_reply(&s, REFUSED);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELEX"));
    scripted_reply(&s, REFUSED ":1\r\n");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELIFEQ"));
    scripted_reply(&s, ":1\r\n:-2\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit(&rdl_op_release_hint, "k");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELIFEQ"));
}
END_TEST

START_TEST(plain_release_keeps_its_own_method)
{
    submit(&rdl_op_release, "k");
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    submit(&rdl_op_release_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_release_hint.text));
    scripted_reply(&s, ":0\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
    submit(&rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token_hex(0xab)));
}
END_TEST

START_TEST(pending_release_sends_the_hint_too)
{
    submit_as(&rdl_op_release_hint, "k", NULL);
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_release_hint.text));
    scripted_break(&s);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_release_hint.text));
    scripted_reply(&s, ":-1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- waiting */

static const struct {
    const char *reply;
    enum rdl_answer answer;
    int error;
} replies[] = {
    {"*2\r\n$8\r\n{k}:wake\r\n$1\r\n1\r\n", RDL_ANSWER_YES, 0},
    {"*2\r\n$8\r\n{k}:wake\r\n$11\r\nlong live u\r\n", RDL_ANSWER_YES, 0},
    {"*-1\r\n", RDL_ANSWER_NO, 0},
    {"$-1\r\n", RDL_ANSWER_NO, 0},
    {"-WRONGTYPE Operation against a key\r\n", RDL_ANSWER_ERROR, RDL_E_WRONGTYPE},
    {"-LOADING Redis is loading\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER},
    {"-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n", RDL_ANSWER_ERROR, RDL_E_SERVER},
};

START_TEST(hint_wait_reply_has_its_meaning)
{
    submit(&rdl_op_wait_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), WAIT_250);
    scripted_reply(&s, replies[_i].reply);
    ck_assert_int_eq(req.answer, replies[_i].answer);
    ck_assert_int_eq(req.error, replies[_i].error);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(hint_wait_before_6_0_uses_whole_seconds)
{
    submit(&rdl_op_wait_hint, "k");
    scripted_sent(&s);
    scripted_reply(&s, OLD);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    ck_assert_str_eq(scripted_sent(&s), WAIT_1);
    scripted_reply(&s, "*-1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
    submit(&rdl_op_wait_hint, "k"); /* from now on at once */
    ck_assert_str_eq(scripted_sent(&s), WAIT_1);
    scripted_break(&s);
    scripted_open(&s, 2000); /* it may be another server */
    submit(&rdl_op_wait_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), WAIT_250);
}
END_TEST

static const struct {
    uint32_t ms;
    int is_whole;
    const char *text;
} waits[] = {
    {0, 0, "0.002"},
    {1, 0, "0.002"},
    {42, 0, "0.042"},
    {999, 0, "0.999"},
    {1000, 0, "1"},
    {1001, 0, "1.001"},
    {59900, 0, "59.900"},
    {4294967295u, 0, "4294967.295"},
    {0, 1, "1"},
    {1, 1, "1"},
    {999, 1, "1"},
    {1000, 1, "1"},
    {1001, 1, "2"},
    {60000, 1, "60"},
    {4294967295u, 1, "4294968"},
};

START_TEST(hint_wait_is_seconds_rounded_up_and_never_0)
{
    char want[64];

    snprintf(want, sizeof want, "*3\r\n$5\r\nBLPOP\r\n$8\r\n{k}:wake\r\n$%zu\r\n%s\r\n",
             strlen(waits[_i].text), waits[_i].text);
    memset(&req, 0, sizeof req);
    submit_for(&rdl_op_wait_hint, "k", &req, waits[_i].ms);
    if (waits[_i].is_whole) {
        scripted_sent(&s);
        scripted_reply(&s, OLD);
    }
    ck_assert_str_eq(scripted_sent(&s), want);
}
END_TEST

START_TEST(refused_hint_wait_is_not_sent_again_on_the_connection)
{
    static const char *const texts[] = {
        REFUSED, "-NOPERM this user has no permissions to run the 'blpop' command\r\n"};

    submit(&rdl_op_wait_hint, "k");
    scripted_sent(&s);
    scripted_reply(&s, texts[_i]);
    scripted_sent(&s);
    scripted_reply(&s, texts[_i]);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, _i ? RDL_E_PERM : RDL_E_UNSUPPORTED);
    submit(&rdl_op_wait_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
}
END_TEST

START_TEST(impossible_hint_reply_ends_the_connection)
{
    static const char *const texts[] = {":1\r\n", "+OK\r\n", "$1\r\n1\r\n"};

    submit(&rdl_op_wait_hint, "k");
    scripted_sent(&s);
    scripted_reply(&s, texts[_i]);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

Suite *suite_lock_hint_op(void)
{
    Suite *suite = suite_create("lock_hint_op");
    TCase *tc = suite_case(suite, "lock_hint_op", setup, NULL);

    tcase_add_test(tc, server_without_the_hint_script_gets_its_text);
    tcase_add_test(tc, hint_release_works_without_scripts);
    tcase_add_test(tc, plain_release_keeps_its_own_method);
    tcase_add_test(tc, pending_release_sends_the_hint_too);
    tcase_add_loop_test(tc, hint_wait_reply_has_its_meaning, 0, (int)(sizeof replies / sizeof replies[0]));
    tcase_add_test(tc, hint_wait_before_6_0_uses_whole_seconds);
    tcase_add_loop_test(tc, hint_wait_is_seconds_rounded_up_and_never_0, 0,
                        (int)(sizeof waits / sizeof waits[0]));
    tcase_add_loop_test(tc, refused_hint_wait_is_not_sent_again_on_the_connection, 0, 2);
    tcase_add_loop_test(tc, impossible_hint_reply_ends_the_connection, 0, 3);
    return suite;
}
