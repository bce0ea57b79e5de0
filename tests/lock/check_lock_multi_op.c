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

/* The most names, of the greatest length. */
static void pack_eight(char packed[RDL_NAME_MAX])
{
    memset(packed, 'n', RDL_NAME_MAX);
    for (size_t i = 0; i < RDL_MULTI_MAX; i++)
        packed[i * 16] = 15;
}

START_TEST(eight_names_of_the_greatest_length_fit)
{
    char packed[RDL_NAME_MAX];

    pack_eight(packed);
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

/* ---------------------------------------------------------------- without scripts */

#define OURS    "$40\r\nabababababababababababababababababababab\r\n"
#define BOTH    "$1\r\na\r\n$2\r\nbc\r\n"
#define CHECK   "*3\r\n$5\r\nWATCH\r\n" BOTH "*3\r\n$4\r\nMGET\r\n" BOTH PTTL "*1\r\n$5\r\nMULTI\r\n"
#define PTTL    "*2\r\n$4\r\nPTTL\r\n$1\r\na\r\n"
#define EXEC    "*1\r\n$4\r\nEXEC\r\n"
#define DISCARD "*1\r\n$7\r\nDISCARD\r\n"
#define MSETEX(how)                                                                                          \
    "*9\r\n$6\r\nMSETEX\r\n$1\r\n2\r\n$1\r\na\r\n" OURS "$2\r\nbc\r\n" OURS "$2\r\n" how                     \
    "\r\n$2\r\nPX\r\n$5\r\n10000\r\n"
#define FREE  "*2\r\n$-1\r\n$-1\r\n"
#define HELD  "*2\r\n" OURS OURS
#define OTHER "$5\r\nother\r\n"

static void without_scripts(const struct rdl_op *op)
{
    submit(op, "\1a\2bc", 5, &req);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "\r\nEVAL\r\n"));
    scripted_reply(&s, REFUSED);
}

/* An acquire needs the commands of an extend: a lock that cannot be extended is not granted. */
START_TEST(msetex_acquires_and_extends_what_watch_has_checked)
{
    without_scripts(&rdl_op_acquire_multi);
    ck_assert_str_eq(scripted_sent(&s), CHECK);
    scripted_reply(&s, "+OK\r\n" FREE ":-2\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), MSETEX("NX") EXEC);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n:1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit(&rdl_op_extend_multi, "\1a\2bc", 5, &req); /* that scripts are refused is known */
    ck_assert_str_eq(scripted_sent(&s), CHECK);
    scripted_reply(&s, "+OK\r\n" HELD ":9999\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), MSETEX("XX") EXEC);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n:1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    submit(&rdl_op_extend_multi, "\1a\2bc", 5, &req); /* never shortens */
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n" HELD ":10000\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), PTTL EXEC);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n:10000\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* To MGET a list is as good as no key. PTTL finds it: that it lives for long grants nothing. */
START_TEST(a_list_that_lives_for_long_is_not_ours)
{
    without_scripts(&rdl_op_acquire_multi);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n" FREE ":60000\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), MSETEX("NX") EXEC);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n:0\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
}
END_TEST

static const struct {
    const char *found;
    enum rdl_answer acquire, extend; /* NONE: it goes on */
} found[] = {
    {FREE, RDL_ANSWER_NONE, RDL_ANSWER_ABSENT},
    {HELD, RDL_ANSWER_UNKNOWN, RDL_ANSWER_NONE},
    {"*2\r\n" OURS OTHER, RDL_ANSWER_UNKNOWN, RDL_ANSWER_NO},
    {"*2\r\n" OTHER OURS, RDL_ANSWER_UNKNOWN, RDL_ANSWER_NO},
    {"*2\r\n$-1\r\n" OTHER, RDL_ANSWER_NO, RDL_ANSWER_NO},
    {"*2\r\n" OTHER "$-1\r\n", RDL_ANSWER_NO, RDL_ANSWER_NO},
    {"*2\r\n" OURS "$-1\r\n", RDL_ANSWER_UNKNOWN, RDL_ANSWER_ABSENT},
    {"*2\r\n" OURS "$0\r\n\r\n", RDL_ANSWER_UNKNOWN, RDL_ANSWER_NO},
    {"*2\r\n" OURS "$39\r\nabababababababababababababababababababa\r\n", RDL_ANSWER_UNKNOWN, RDL_ANSWER_NO},
    {"*2\r\n$41\r\nabababababababababababababababababababab1\r\n" OURS, RDL_ANSWER_UNKNOWN, RDL_ANSWER_NO},
    {"*2\r\n$80\r\nabababababababababababababababababababababababababababababababababababababababab\r\n$"
     "0\r\n\r\n",
     RDL_ANSWER_NO, RDL_ANSWER_NO},
    {"*0\r\n", RDL_ANSWER_NO, RDL_ANSWER_ABSENT},
};
enum { FOUND = sizeof found / sizeof found[0] };

/* In pieces of any size. "Unknown" is followed by a release: a script had set some of the keys. */
START_TEST(each_value_that_mget_finds_is_compared)
{
    int row = _i % FOUND, is_acquire = _i / FOUND % 2;
    enum rdl_answer want = is_acquire ? found[row].acquire : found[row].extend;
    char text[250];
    size_t at, len, size = (size_t)(_i / FOUND / 2 + 1);

    without_scripts(is_acquire ? &rdl_op_acquire_multi : &rdl_op_extend_multi);
    scripted_sent(&s);
    len = (size_t)snprintf(text, sizeof text, "+OK\r\n%s:5\r\n+OK\r\n", found[row].found);
    for (at = 0; at < len; at += size)
        scripted_feed(&s, text + at, size < len - at ? size : len - at);
    if (want == RDL_ANSWER_NONE) {
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "MSETEX"));
        return;
    }
    ck_assert_str_eq(scripted_sent(&s), DISCARD);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(req.answer, want);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(keys_that_changed_after_the_check_are_checked_again)
{
    without_scripts(_i ? &rdl_op_acquire_multi : &rdl_op_extend_multi);
    scripted_sent(&s);
    scripted_reply(&s, _i ? "+OK\r\n" FREE ":-2\r\n+OK\r\n" : "+OK\r\n" HELD ":5\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "+QUEUED\r\n*-1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    ck_assert_str_eq(scripted_sent(&s), CHECK);
}
END_TEST

/* A server without MSETEX, such as Redis 8.2, lacks nothing if scripts are permitted. */
START_TEST(the_reason_is_that_of_the_scripts)
{
    const char *refusal =
        _i < 2 ? REFUSED : "-NOPERM this user has no permissions to run the 'eval' command\r\n";
    const struct rdl_op *op = _i % 2 ? &rdl_op_acquire_multi : &rdl_op_extend_multi;
    int i;

    submit(op, "\1a\2bc", 5, &req);
    scripted_sent(&s);
    scripted_reply(&s, refusal);
    ck_assert_str_eq(scripted_sent(&s), CHECK);
    scripted_reply(&s, "+OK\r\n");
    scripted_reply(&s, _i % 2 ? FREE : HELD);
    scripted_reply(&s, ":5\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "-ERR unknown command 'MSETEX', with args beginning with: '2' \r\n-EXECABORT x\r\n");
    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(req.error, _i < 2 ? RDL_E_UNSUPPORTED : RDL_E_PERM);
        ck_assert_ptr_null(strstr(rdl_conn_text(&s.conn), "MSETEX"));
        submit(op, "\1a\2bc", 5, &req);
        ck_assert_str_eq(scripted_sent(&s), "");
    }
}
END_TEST

#define DELEX_A   "*4\r\n$5\r\nDELEX\r\n$1\r\na\r\n$4\r\nIFEQ\r\n" OURS
#define DELEX_BC  "*4\r\n$5\r\nDELEX\r\n$2\r\nbc\r\n$4\r\nIFEQ\r\n" OURS
#define DELIFEQ_A "*3\r\n$7\r\nDELIFEQ\r\n$1\r\na\r\n" OURS
#define DELIFEQ_B "*3\r\n$7\r\nDELIFEQ\r\n$2\r\nbc\r\n" OURS

static const struct {
    const char *replies;
    enum rdl_answer answer;
} deleted[] = {
    {":1\r\n:1\r\n", RDL_ANSWER_YES},
    {":1\r\n:0\r\n", RDL_ANSWER_NO},
    {":0\r\n:1\r\n", RDL_ANSWER_NO},
    {":0\r\n:0\r\n", RDL_ANSWER_NO},
    {"-WRONGTYPE x\r\n:1\r\n", RDL_ANSWER_NO},
    {":1\r\n-READONLY x\r\n", RDL_ANSWER_ERROR},
    {"-NOPERM No permissions to access a key\r\n:1\r\n", RDL_ANSWER_NONE}, /* DELIFEQ is next */
};

/* So a key that is lost does not keep the others. */
START_TEST(release_deletes_each_key_that_is_ours)
{
    without_scripts(&rdl_op_release_multi);
    ck_assert_str_eq(scripted_sent(&s), DELEX_A DELEX_BC);
    scripted_reply(&s, deleted[_i].replies);
    ck_assert_int_eq(req.answer, deleted[_i].answer);
}
END_TEST

START_TEST(delifeq_follows_a_refused_delex)
{
    int i;

    without_scripts(&rdl_op_release_multi);
    for (i = 0; i < 2; i++) {
        ck_assert_str_eq(scripted_sent(&s), i == 0 ? DELEX_A DELEX_BC : DELIFEQ_A DELIFEQ_B);
        ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
        scripted_reply(&s, REFUSED REFUSED);
    }
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_UNSUPPORTED);
}
END_TEST

/* The first replies come while the last names are not sent yet. */
START_TEST(eight_names_fit_without_scripts)
{
    static const struct rdl_op *const all[] = {&rdl_op_acquire_multi, &rdl_op_release_multi};
    char packed[RDL_NAME_MAX];
    size_t i;

    pack_eight(packed);
    s.chunk = 7;
    submit(all[_i], packed, sizeof packed, &req);
    scripted_sent(&s);
    scripted_reply(&s, REFUSED);
    if (_i == 1) {
        while (!rdl_conn_is_idle(&s.conn)) {
            ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELEX"));
            for (i = 0; i < RDL_MULTI_MAX; i++) {
                ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
                scripted_reply(&s, ":1\r\n");
            }
        }
    } else {
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "*9\r\n$4\r\nMGET\r\n$15\r\nn"));
        scripted_reply(&s,
                       "+OK\r\n*8\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n$-1\r\n:-2\r\n+OK\r\n");
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "*21\r\n$6\r\nMSETEX\r\n$1\r\n8\r\n$15\r\nn"));
        scripted_reply(&s, "+QUEUED\r\n*1\r\n:1\r\n");
    }
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
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
    char token[RDL_TOKEN_TEXT_MAX];
    uint8_t packed[RDL_NAME_MAX];
    struct rdl_lock lock;

    ck_assert_int_eq(rdl_lock_init_multi(&lock, &once, &s.conn, names, 2, packed), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire_begin(&lock, entropy_bytes(), 1000), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, failed[_i].reply);
    if (failed[_i].result == RDL_E_PERM) { /* a key alone is refused: MSETEX is tried, and finds the first */
        scripted_sent(&s);
        scripted_reply(&s, _i == 0 ? "+OK\r\n*2\r\n" : "-NOPERM No permissions to access a key\r\n*2\r\n");
        rdl_lock_token(&lock, token);
        scripted_reply(&s, wire_join("$40\r\n", token, "\r\n$-1\r\n:5\r\n+OK\r\n", NULL));
        ck_assert_str_eq(scripted_sent(&s), DISCARD);
        scripted_reply(&s, "+OK\r\n");
    }
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
    tcase_add_test(tc, msetex_acquires_and_extends_what_watch_has_checked);
    tcase_add_test(tc, a_list_that_lives_for_long_is_not_ours);
    tcase_add_loop_test(tc, each_value_that_mget_finds_is_compared, 0, 2 * FOUND * 7);
    tcase_add_loop_test(tc, keys_that_changed_after_the_check_are_checked_again, 0, 2);
    tcase_add_loop_test(tc, the_reason_is_that_of_the_scripts, 0, 4);
    tcase_add_loop_test(tc, release_deletes_each_key_that_is_ours, 0, 7);
    tcase_add_test(tc, delifeq_follows_a_refused_delex);
    tcase_add_loop_test(tc, eight_names_fit_without_scripts, 0, 2);
    tcase_add_test(tc, pending_multi_release_survives_its_connection);
    tcase_add_loop_test(tc, multi_acquire_that_may_have_failed_halfway_is_released, 0,
                        (int)(sizeof failed / sizeof failed[0]));
    tcase_add_loop_test(tc, same_name_twice_is_refused, 0, 2);
    return suite;
}
