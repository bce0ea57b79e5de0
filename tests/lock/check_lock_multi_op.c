/* SPDX-License-Identifier: MIT */
/*
 * check_lock_multi_op.c - several locks in one request: their bytes, their methods, what every reply means.
 *
 * Rule R5.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_multi.h"
#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define NOSCRIPT "-NOSCRIPT No matching script. Please use EVAL.\r\n"
#define REFUSED  "-ERR unknown command 'X', with args beginning with: 'k' \r\n"

static struct scripted s;
static struct rdl_req req;

static void submit(const struct rdl_op *op, const char *packed, size_t len, struct rdl_req *r)
{
    struct rdl_command cmd = {.op = op,
                              .name = {packed, len},
                              .value = {token_hex(0xab), RDL_VALUE_MAX},
                              .until_ms = 60000,
                              .ttl_ms = 10000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, r, &cmd), RDL_OK);
}

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
    memset(&req, 0, sizeof req);
}

static const char *call(const char *command, const char *script, const char *tail)
{
    char head[64];

    snprintf(head, sizeof head, "\r\n$%zu\r\n%s\r\n$%zu\r\n", strlen(command), command, strlen(script));
    return wire_join(head, script, "\r\n$1\r\n2\r\n$1\r\na\r\n$2\r\nbc\r\n$40\r\n", token_hex(0xab), "\r\n",
                     tail, NULL);
}

static const struct {
    const struct rdl_op *op;
    const struct rdl_script *script;
    const char *count, *tail, *yes;
} ops[] = {
    {&rdl_op_acquire_multi, &rdl_script_acquire_multi, "*7", "$5\r\n10000\r\n", "*2\r\n:1\r\n:0\r\n"},
    {&rdl_op_extend_multi, &rdl_script_extend_multi, "*7", "$5\r\n10000\r\n", ":1\r\n"},
    {&rdl_op_release_multi, &rdl_script_release_multi, "*6", "", ":1\r\n"},
};

START_TEST(multi_script_names_each_key_and_then_uses_its_sha)
{
    const char *sha, *text;

    submit(ops[_i].op, "\1a\2bc", 5, &req);
    sha = wire_join(ops[_i].count, call("EVALSHA", ops[_i].script->sha, ops[_i].tail), NULL);
    text = wire_join(ops[_i].count, call("EVAL", ops[_i].script->text, ops[_i].tail), NULL);
    ck_assert_str_eq(scripted_sent(&s), text);
    scripted_reply(&s, ops[_i].yes);
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit(ops[_i].op, "\1a\2bc", 5, &req);
    ck_assert_str_eq(scripted_sent(&s), sha);
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), text);
}
END_TEST

START_TEST(eight_names_of_the_greatest_length_fit)
{
    char packed[RDL_NAME_MAX];
    size_t i;

    memset(packed, 'n', sizeof packed);
    for (i = 0; i < RDL_MULTI_MAX; i++)
        packed[i * 16] = 15;
    s.chunk = 7;
    submit(ops[_i].op, packed, sizeof packed, &req);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "\r\n$1\r\n8\r\n$15\r\nnnnnnnnnnnnnnnn\r\n"));
    ck_assert_ptr_nonnull(strstr(s.out, ops[_i].script->text));
    scripted_reply(&s, ops[_i].yes);
    submit(ops[_i].op, packed, sizeof packed, &req);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), ops[_i].script->sha));
}
END_TEST

/* RDL_NAME_MAX - n bytes: one byte is the length of each name. */
START_TEST(names_may_fill_the_buffer_to_the_last_byte)
{
    static const char x[RDL_NAME_MAX] = "x", y[RDL_NAME_MAX] = "y";
    const struct rdl_lock_options opt = {.ttl_ms = 10000};
    const int n = _i / 2 + 1;
    const size_t last = (n == 1 ? RDL_NAME_MAX - 1 : RDL_NAME_MAX - 2 - 100) + (size_t)(_i % 2);
    const struct rdl_bytes names[] = {{x, n == 1 ? last : 100}, {y, last}};
    uint8_t packed[RDL_NAME_MAX];
    struct rdl_lock lock;

    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &s.conn, names, (size_t)n, packed),
                     _i % 2 ? RDL_E_NAME : RDL_OK);
}
END_TEST

static const struct {
    int op;
    const char *reply;
    enum rdl_answer answer;
    int error;
    int64_t value;
} replies[] = {
    {0, "*2\r\n:0\r\n:1234\r\n", RDL_ANSWER_NO, 0, 1234},
    {0, "*2\r\n:0\r\n:-1\r\n", RDL_ANSWER_NO, 0, -1},
    {0, "*3\r\n:0\r\n:1234\r\n:99\r\n", RDL_ANSWER_NO, 0, 1234}, /* a later version may add one */
    {0, "-CROSSSLOT Keys in request don't hash to the same slot\r\n", RDL_ANSWER_ERROR, RDL_E_CLUSTER, 0},
    {0, "-OOM command not allowed\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 1}, /* inside the script */
    {0, "-LOADING Redis is loading the dataset in memory\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0},
    {0, "-WRONGTYPE Operation\r\n", RDL_ANSWER_ERROR, RDL_E_WRONGTYPE, 0},
    {1, ":0\r\n", RDL_ANSWER_NO, 0, 0},
    {1, ":-1\r\n", RDL_ANSWER_ABSENT, 0, 0},
    {2, ":0\r\n", RDL_ANSWER_NO, 0, 0},
    {2, ":-1\r\n", RDL_ANSWER_ABSENT, 0, 0},
};

START_TEST(multi_reply_has_the_meaning_of_a_single_one)
{
    submit(ops[replies[_i].op].op, "\1a\2bc", 5, &req);
    scripted_sent(&s);
    scripted_reply(&s, replies[_i].reply);
    ck_assert_int_eq(req.answer, replies[_i].answer);
    ck_assert_int_eq(req.error, replies[_i].error);
    ck_assert_int_eq(req.value, replies[_i].value);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* An error that is not known says nothing about scripts. */
START_TEST(unknown_error_ends_a_multi_request)
{
    submit(ops[_i].op, "\1a\2bc", 5, &req);
    scripted_sent(&s);
    scripted_reply(&s, "-WEIRD x\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_SERVER);
}
END_TEST

START_TEST(impossible_multi_reply_ends_the_connection)
{
    static const char *const texts[] = {"*2\r\n:2\r\n:0\r\n", "*2\r\n:-1\r\n:0\r\n", "*1\r\n:1\r\n", ":1\r\n",
                                        "+OK\r\n"};

    submit(&rdl_op_acquire_multi, "\1a\2bc", 5, &req);
    scripted_sent(&s);
    scripted_reply(&s, texts[_i]);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

START_TEST(multi_requests_need_scripts)
{
    submit(ops[_i].op, "\1a\2bc", 5, &req);
    scripted_sent(&s);
    scripted_reply(&s, REFUSED);
    scripted_sent(&s);
    scripted_reply(&s, REFUSED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_UNSUPPORTED);
}
END_TEST

START_TEST(pending_multi_release_survives_its_connection)
{
    const char *text = wire_join("*6", call("EVAL", rdl_script_release_multi.text, ""), NULL);

    submit(&rdl_op_release_multi, "\1a\2bc", 5, NULL);
    ck_assert_str_eq(scripted_sent(&s), text);
    scripted_break(&s);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), text);
}
END_TEST

static const struct {
    const char *reply;
    int result;
    int is_released; /* some of the keys may be set */
} failed[] = {
    {"-NOPERM No permissions to access a key\r\n", RDL_E_PERM, 1},
    {"-ERR The user executing the script can't access at least one of the keys mentioned in the command "
     "arguments script: 671a89ef, on @user_script:1.\r\n",
     RDL_E_PERM, 1},
    {"-OOM command not allowed when used memory > 'maxmemory'.\r\n", RDL_E_TRY_LATER, 1},
    {"-ERR what is that?\r\n", RDL_E_SERVER, 1},
    {"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n", RDL_E_WRONGTYPE, 0},
    {"-LOADING Redis is loading the dataset in memory\r\n", RDL_E_TRY_LATER, 0},
    {"-BUSY Redis is busy running a script.\r\n", RDL_E_TRY_LATER, 0},
    {"*2\r\n:0\r\n:1234\r\n", RDL_BUSY, 0},
};

START_TEST(multi_acquire_that_may_have_failed_halfway_is_released)
{
    const struct rdl_lock_options once = {.ttl_ms = 10000, .attempt_ms = 250};
    const struct rdl_bytes names[] = {{"a", 1}, {"bc", 2}};
    const char *release;
    uint8_t packed[RDL_NAME_MAX];
    struct rdl_lock lock;

    ck_assert_int_eq(rdl_lock_init_multi(&lock, &once, &s.conn, names, 2, packed), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire_begin(&lock, entropy_bytes(), 1000), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, failed[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&lock, 1000), failed[_i].result);
    release = scripted_sent(&s);
    ck_assert_int_eq(strstr(release, rdl_script_release_multi.text) != NULL, failed[_i].is_released);
    ck_assert_int_eq(release[0] != '\0', failed[_i].is_released);
}
END_TEST

START_TEST(same_name_twice_is_refused)
{
    const struct rdl_bytes names[][3] = {{{"a", 1}, {"a", 1}, {"b", 1}}, {{"a", 1}, {"b", 1}, {"b", 1}}};
    static const struct rdl_lock_options once = {.ttl_ms = 30000};
    uint8_t packed[RDL_NAME_MAX];
    struct rdl_lock lock;

    ck_assert_int_eq(rdl_lock_init_multi(&lock, &once, &s.conn, names[_i], 3, packed), RDL_E_NAME);
}
END_TEST

Suite *suite_lock_multi_op(void)
{
    Suite *suite = suite_create("lock_multi_op");
    TCase *tc = suite_case(suite, "lock_multi_op", setup, NULL);

    tcase_add_loop_test(tc, multi_script_names_each_key_and_then_uses_its_sha, 0, 3);
    tcase_add_loop_test(tc, eight_names_of_the_greatest_length_fit, 0, 3);
    tcase_add_loop_test(tc, names_may_fill_the_buffer_to_the_last_byte, 0, 4);
    tcase_add_loop_test(tc, multi_reply_has_the_meaning_of_a_single_one, 0,
                        (int)(sizeof replies / sizeof replies[0]));
    tcase_add_loop_test(tc, unknown_error_ends_a_multi_request, 0, 3);
    tcase_add_loop_test(tc, impossible_multi_reply_ends_the_connection, 0, 5);
    tcase_add_loop_test(tc, multi_requests_need_scripts, 0, 3);
    tcase_add_test(tc, pending_multi_release_survives_its_connection);
    tcase_add_loop_test(tc, multi_acquire_that_may_have_failed_halfway_is_released, 0,
                        (int)(sizeof failed / sizeof failed[0]));
    tcase_add_loop_test(tc, same_name_twice_is_refused, 0, 2);
    return suite;
}
