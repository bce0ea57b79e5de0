/* SPDX-License-Identifier: MIT */
/*
 * The fenced acquire: its bytes, its methods, and the meaning of every reply; and the script on a real
 * server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define NOSCRIPT "-NOSCRIPT No matching script. Please use EVAL.\r\n"
#define REFUSED  "-ERR unknown command 'X', with args beginning with: 'k' \r\n"

static struct scripted s;
static struct rdl_req req;

static void submit_op(const struct rdl_op *op, const char *name, uint32_t ttl_ms, const char *extra)
{
    struct rdl_command cmd = {.op = op,
                              .name = {name, strlen(name)},
                              .value = {token_hex(0xab), RDL_VALUE_MAX},
                              .extra = {extra, strlen(extra)},
                              .until_ms = 60000,
                              .ttl_ms = ttl_ms};

    rdl_conn_free_room(&s.conn, &req);
    memset(&req, 0, sizeof req);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
}

static void submit(const char *name, uint32_t ttl_ms)
{
    submit_op(&rdl_op_acquire_fenced, name, ttl_ms, "1700000000000");
}

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
}

static const char *call(const char *command, const char *script, const char *tail)
{
    static char out[2][2048];
    static unsigned n;

    n = (n + 1) % 2;
    snprintf(out[n], sizeof out[n], "*9\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n$1\r\n2\r\n%s", strlen(command),
             command, strlen(script), script, tail);
    return out[n];
}

static const char *tail(void)
{
    return wire_join("$1\r\nk\r\n$9\r\n{k}:fence\r\n$40\r\n", token_hex(0xab),
                     "\r\n$5\r\n10000\r\n$13\r\n1700000000000\r\n$1\r\n0\r\n", NULL);
}

START_TEST(a_fenced_acquire_sends_the_whole_script_if_unknown)
{
    submit("k", 10000);
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_acquire.text, tail()));
    scripted_reply(&s, "*2\r\n:1\r\n:7\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit("k", 10000); /* now it has the script */
    ck_assert_str_eq(scripted_sent(&s), call("EVALSHA", rdl_script_acquire.sha, tail()));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_acquire.text, tail()));
}
END_TEST

/* Its release has been sent: sent again, the acquire would come after that, and stay. */
START_TEST(an_abandoned_acquire_is_not_sent_again)
{
    struct rdl_command release = {.op = &rdl_op_release,
                                  .name = {"k", 1},
                                  .value = {token_hex(0xab), RDL_VALUE_MAX},
                                  .until_ms = 60000};

    submit("k", 10000);
    scripted_sent(&s);
    scripted_reply(&s, "*2\r\n:1\r\n:7\r\n");
    submit("k", 10000);
    ck_assert_str_eq(scripted_sent(&s), call("EVALSHA", rdl_script_acquire.sha, tail()));
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, NULL, &release), RDL_OK);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release.text));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), "");
    scripted_reply(&s, ":-1\r\n");
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(the_fence_expiry_is_that_of_the_request)
{
    static const char *const extras[] = {"7", "7 86400000", "18446744073709551615 4294967295"};
    static const char *const ends[] = {"$1\r\n7\r\n$1\r\n0\r\n", "$1\r\n7\r\n$8\r\n86400000\r\n",
                                       "$20\r\n18446744073709551615\r\n$10\r\n4294967295\r\n"};

    submit_op(&rdl_op_acquire_fenced, "k", 10000, extras[_i]);
    ck_assert_str_eq(strstr(scripted_sent(&s), "10000\r\n") + 7, ends[_i]);
}
END_TEST

/* One script, and a raise is an extend by 0; a server that knows it for one knows it for the other. */
START_TEST(extend_and_raise_share_a_script_and_send_the_fence)
{
    static const char *const ttls[] = {"$5\r\n10000\r\n", "$1\r\n0\r\n"};
    const struct rdl_op *ops[] = {&rdl_op_extend_fenced, &rdl_op_raise_fence};
    const char *before = wire_join("$1\r\nk\r\n$9\r\n{k}:fence\r\n$40\r\n", token_hex(0xab), "\r\n", NULL);
    const char *args = wire_join(before, ttls[_i], "$1\r\n7\r\n$4\r\n5000\r\n", NULL);
    const char *other = wire_join(before, ttls[1 - _i], "$1\r\n8\r\n$1\r\n0\r\n", NULL);

    submit_op(ops[_i], "k", 10000, "7 5000");
    ck_assert_str_eq(scripted_sent(&s), call("EVAL", rdl_script_extend_fenced.text, args));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit_op(ops[1 - _i], "k", 10000, "8");
    ck_assert_str_eq(scripted_sent(&s), call("EVALSHA", rdl_script_extend_fenced.sha, other));
    scripted_reply(&s, _i ? ":0\r\n" : ":-1\r\n");
    ck_assert_int_eq(req.answer, _i ? RDL_ANSWER_NO : RDL_ANSWER_ABSENT);
}
END_TEST

START_TEST(the_fence_key_has_the_hash_tag_of_the_name)
{
    static const char *const names[] = {"k", "{a}", "{a}b", "x{a}", "a{b", "a}b"};
    static const char *const keys[] = {"\r\n{k}:fence\r\n",  "\r\n{a}:fence\r\n",   "\r\n{a}b:fence\r\n",
                                       "\r\nx{a}:fence\r\n", "\r\n{a{b}:fence\r\n", "\r\na}b:fence\r\n"};

    submit(names[_i], 10000);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), keys[_i]));
}
END_TEST

static const struct {
    const char *reply;
    enum rdl_answer answer;
    int error;
    int64_t value;
} replies[] = {
    {"*2\r\n:1\r\n:7\r\n", RDL_ANSWER_YES, 0, 7},
    {"*2\r\n:1\r\n:9007199254740991\r\n", RDL_ANSWER_YES, 0, 9007199254740991},
    {"*2\r\n:0\r\n:1234\r\n", RDL_ANSWER_NO, 0, 1234},
    {"*2\r\n:0\r\n:-1\r\n", RDL_ANSWER_NO, 0, -1},
    {"-OOM command not allowed\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0},
    {"-WRONGTYPE Operation against a key script: 379f\r\n", RDL_ANSWER_ERROR, RDL_E_WRONGTYPE, 0},
    {"-CROSSSLOT Keys in request don't hash to the same slot\r\n", RDL_ANSWER_ERROR, RDL_E_CLUSTER, 0},
    {"-ERR user_script:1: attempt to perform arithmetic on a nil value\r\n", RDL_ANSWER_ERROR, RDL_E_SERVER,
     0},
};

START_TEST(a_reply_is_the_fence_or_the_holders_remaining_time)
{
    submit("k", 10000);
    scripted_sent(&s);
    scripted_reply(&s, replies[_i].reply);
    ck_assert_int_eq(req.answer, replies[_i].answer);
    ck_assert_int_eq(req.error, replies[_i].error);
    ck_assert_int_eq(req.value, replies[_i].value);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(a_fenced_acquire_has_no_method_but_scripts)
{
    static const char *const texts[] = {REFUSED, "-NOPERM no\r\n"};

    submit("k", 10000);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_acquire.text));
    scripted_reply(&s, texts[_i]);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, _i ? RDL_E_PERM : RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* Refused without a byte, it has queue space only for its release. */
START_TEST(refused_requests_free_their_queue_space)
{
    struct rdl_command other = {.op = &rdl_op_acquire,
                                .name = {"other", 5},
                                .value = {token_hex(1), RDL_VALUE_MAX},
                                .until_ms = 60000,
                                .ttl_ms = 10000};
    struct rdl_req last = {0};
    int i;

    for (i = 0; i < 100; i++) {
        submit("k", 10000);
        while (scripted_sent(&s)[0] != '\0')
            scripted_reply(&s, REFUSED);
        ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    }
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &last, &other), RDL_OK);
}
END_TEST

START_TEST(an_impossible_fenced_reply_closes_the_connection)
{
    static const char *const texts[] = {
        ":1\r\n",  "*1\r\n:1\r\n", "*2\r\n:2\r\n:7\r\n", "*2\r\n:-1\r\n:7\r\n", "*0\r\n", "*-1\r\n",
        "$-1\r\n", "+OK\r\n",      "*2\r\n+OK\r\n"};

    submit("k", 10000);
    scripted_sent(&s);
    scripted_reply(&s, texts[_i]);
    if (_i == 8) { /* half of one is none */
        ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
        scripted_break(&s);
    } else {
        ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    }
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

/* ---------------------------------------------------------------- the script itself */

static struct live_server server;
static struct client client;

static void setup_live(void)
{
    static char url[256];

    client_setup();
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
}

static void teardown_live(void)
{
    live_remove(&server);
}

static enum rdl_answer ask_op(const struct rdl_op *op, const char *extra)
{
    struct rdl_command cmd = {.op = op,
                              .name = {"k", 1},
                              .value = {client.token, sizeof client.token},
                              .extra = {extra, strlen(extra)},
                              .until_ms = client_now() + 60000,
                              .ttl_ms = 60000};

    ck_assert_int_eq(rdl_conn_submit(&client.conn, &client.req, &cmd), RDL_OK);
    return client_wait(&client);
}

static enum rdl_answer ask(const char *floor)
{
    return ask_op(&rdl_op_acquire_fenced, floor);
}

/* A retry that finds our own token is not a new holder. */
START_TEST(the_same_token_gets_the_same_fence_again)
{
    ck_assert_int_eq(ask("41"), RDL_ANSWER_YES);
    ck_assert_int_eq(client.req.value, 41);
    live_command(&server, "PEXPIRE k 5000");
    ck_assert_int_eq(ask("1700000000000"), RDL_ANSWER_YES);
    ck_assert_int_eq(client.req.value, 41);
    ck_assert_int_le(atoi(live_command(&server, "PTTL k") + 1), 5000); /* nor is the lease longer */
}
END_TEST

START_TEST(another_token_is_refused_and_does_not_raise_the_fence)
{
    ck_assert_int_eq(ask("41"), RDL_ANSWER_YES);
    client.token[0] = client.token[0] == 'a' ? 'b' : 'a';
    ck_assert_int_eq(ask("1700000000000"), RDL_ANSWER_NO);
    ck_assert_int_gt(client.req.value, 0);
    ck_assert_int_le(client.req.value, 60000);
    ck_assert_str_eq(live_command(&server, "GET {k}:fence"), "$2\r\n41\r\n");
}
END_TEST

static void ck_reply(const char *command, const char *reply)
{
    ck_assert_str_eq(live_command(&server, "%s", command), reply);
}

START_TEST(raising_the_fence_changes_nothing_else)
{
    ck_assert_int_eq(ask("41"), RDL_ANSWER_YES);
    live_command(&server, "PEXPIRE k 30000");
    ck_assert_int_eq(ask_op(&rdl_op_raise_fence, "7"), RDL_ANSWER_YES);
    ck_reply("GET {k}:fence", "$2\r\n41\r\n");
    ck_assert_int_eq(ask_op(&rdl_op_raise_fence, "1700000000007"), RDL_ANSWER_YES);
    ck_reply("GET {k}:fence", "$13\r\n1700000000007\r\n");
    ck_reply("PTTL {k}:fence", ":-1\r\n");
    ck_assert_int_le(atoi(live_command(&server, "PTTL k") + 1), 30000);
    ck_assert_int_eq(ask_op(&rdl_op_extend_fenced, "1700000000008 9000"), RDL_ANSWER_YES);
    ck_assert_int_gt(atoi(live_command(&server, "PTTL k") + 1), 30000);
    ck_assert_int_le(atoi(live_command(&server, "PTTL k") + 1), 60000);
    ck_assert_int_gt(atoi(live_command(&server, "PTTL {k}:fence") + 1), 0);
    ck_assert_int_le(atoi(live_command(&server, "PTTL {k}:fence") + 1), 9000);
    live_command(&server, "PEXPIRE k 90000");
    ck_assert_int_eq(ask_op(&rdl_op_extend_fenced, "0"), RDL_ANSWER_YES);
    ck_assert_int_gt(atoi(live_command(&server, "PTTL k") + 1), 60000); /* never shorter */
    ck_reply("GET {k}:fence", "$13\r\n1700000000008\r\n");
}
END_TEST

START_TEST(another_clients_lock_is_neither_raised_nor_extended)
{
    const struct rdl_op *ops[] = {&rdl_op_extend_fenced, &rdl_op_raise_fence};

    ck_assert_int_eq(ask("41"), RDL_ANSWER_YES);
    live_command(&server, _i / 2 ? "DEL k" : "SET k other PX 5000");
    ck_assert_int_eq(ask_op(ops[_i % 2], "99 1000"), _i / 2 ? RDL_ANSWER_ABSENT : RDL_ANSWER_NO);
    ck_reply("GET {k}:fence", "$2\r\n41\r\n");
    ck_reply("PTTL {k}:fence", ":-1\r\n");
    ck_assert_int_le(atoi(live_command(&server, "PTTL k") + 1), 5000);
}
END_TEST

/* The fence is written first: if that is forbidden, no lock is left. */
START_TEST(a_lock_is_not_taken_without_its_fence)
{
    live_command(&server, "ACL SETUSER default resetkeys ~k %%R~{k}:fence");
    ck_assert_int_eq(ask("41"), RDL_ANSWER_ERROR);
    live_command(&server, "ACL SETUSER default allkeys");
    ck_reply("DBSIZE", ":0\r\n");
}
END_TEST

Suite *suite_lock_fenced_op(void)
{
    Suite *suite = suite_create("lock_fenced_op");
    TCase *tc = suite_case(suite, "replies", setup, NULL);
    TCase *live = suite_case(suite, "script", setup_live, teardown_live);

    tcase_add_test(tc, a_fenced_acquire_sends_the_whole_script_if_unknown);
    tcase_add_test(tc, an_abandoned_acquire_is_not_sent_again);
    tcase_add_loop_test(tc, the_fence_expiry_is_that_of_the_request, 0, 3);
    tcase_add_loop_test(tc, extend_and_raise_share_a_script_and_send_the_fence, 0, 2);
    tcase_add_loop_test(tc, the_fence_key_has_the_hash_tag_of_the_name, 0, 6);
    tcase_add_loop_test(tc, a_reply_is_the_fence_or_the_holders_remaining_time, 0,
                        sizeof replies / sizeof replies[0]);
    tcase_add_loop_test(tc, a_fenced_acquire_has_no_method_but_scripts, 0, 2);
    tcase_add_test(tc, refused_requests_free_their_queue_space);
    tcase_add_loop_test(tc, an_impossible_fenced_reply_closes_the_connection, 0, 9);
    tcase_add_test(live, the_same_token_gets_the_same_fence_again);
    tcase_add_test(live, another_token_is_refused_and_does_not_raise_the_fence);
    tcase_add_test(live, raising_the_fence_changes_nothing_else);
    tcase_add_loop_test(live, another_clients_lock_is_neither_raised_nor_extended, 0, 4);
    tcase_add_test(live, a_lock_is_not_taken_without_its_fence);
    return suite;
}
