/* SPDX-License-Identifier: MIT */
/*
 * check_lock_methods.c - which method a release or an extend uses on this server, in exact bytes.
 * check_net_request.c tests what the replies mean.
 *
 * Rules R3, R4 and R20.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define UNKNOWN_COMMAND "-ERR unknown command 'X', with args beginning with: 'k' \r\n"
#define NOSCRIPT        "-NOSCRIPT No matching script. Please use EVAL.\r\n"
#define NOPERM          "-NOPERM User lk has no permissions to run the 'x' command\r\n"
#define GONE            ":-2\r\n"

static struct scripted s;
static struct rdl_req a, b;

static int submit(struct rdl_req *req, const struct rdl_op *op, const char *name)
{
    struct rdl_command cmd = {op,   {name, strlen(name)}, {token_hex(0xab), RDL_VALUE_MAX}, {NULL, 0}, 60000,
                              30000};

    return rdl_conn_submit(&s.conn, req, &cmd);
}

/* For request `a`. "\001k" is the packed name of one lock; the other operations take any name. */
static int submit_any(const struct rdl_op *op)
{
    struct rdl_command cmd = {op, {"\001k", 2}, {token_hex(0xab), RDL_VALUE_MAX}, {"1", 1}, 60000, 30000};

    return rdl_conn_submit(&s.conn, &a, &cmd);
}

static void setup(void)
{
    scripted_init(&s);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    scripted_open(&s, 1000);
}

static const char *token(void)
{
    return token_hex(0xab);
}

/* The bytes of each method for the key k. */
static const char *delex(void)
{
    return wire_join("*4\r\n$5\r\nDELEX\r\n$1\r\nk\r\n$4\r\nIFEQ\r\n$40\r\n", token(),
                     "\r\n*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n", NULL);
}

static const char *delifeq(void)
{
    return wire_join("*3\r\n$7\r\nDELIFEQ\r\n$1\r\nk\r\n$40\r\n", token(),
                     "\r\n*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n", NULL);
}

static const char watch[] = "*2\r\n$5\r\nWATCH\r\n$1\r\nk\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
                            "*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n*1\r\n$5\r\nMULTI\r\n";

static const char *release_by(int i)
{
    const char *methods[] = {wire_release_text("k", token()), delex(), delifeq(), watch};

    return methods[i];
}

static const char *extend_by(int i)
{
    const char *methods[] = {wire_extend_text("k", token(), 30000), watch};

    return methods[i];
}

/* What a server without a method replies to it, for all of its commands. */
static const char *const release_refusals[] = {UNKNOWN_COMMAND, UNKNOWN_COMMAND GONE, UNKNOWN_COMMAND GONE,
                                               NOPERM NOPERM NOPERM "-NOPERM\r\n"};

/* Gets the first i methods of the release refused. */
static void refuse_release_methods(int i)
{
    int k;

    ck_assert_int_eq(submit(&a, &rdl_op_release, "k"), RDL_OK);
    for (k = 0; k < i; k++) {
        ck_assert_str_eq(scripted_sent(&s), release_by(k));
        ck_assert_int_eq(a.answer, RDL_ANSWER_NONE);
        scripted_reply(&s, release_refusals[k]);
    }
    ck_assert_str_eq(scripted_sent(&s), release_by(i));
}

static const char *const release_answers[] = {":1\r\n", ":1\r\n:-2\r\n", ":1\r\n:-2\r\n", ":1\r\n"};

START_TEST(release_tries_methods_until_one_is_accepted)
{
    refuse_release_methods(_i);
    scripted_reply(&s, release_answers[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(a.error, RDL_OK);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/*
 * The script was sent, so EVALSHA is next; otherwise the method that worked. The next connection starts
 * afresh.
 */
START_TEST(method_is_remembered_for_the_connection)
{
    char next[256];
    int i;

    strcpy(next, _i == 0 ? wire_release_sha("k", token()) : release_by(_i));
    refuse_release_methods(_i);
    scripted_reply(&s, release_answers[_i]);
    for (i = 0; i < 2; i++) {
        submit(&a, &rdl_op_release, "k");
        ck_assert_str_eq(scripted_sent(&s), next);
        scripted_reply(&s, release_answers[_i]);
    }
    submit(NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), next);
    scripted_break(&s);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token()));
}
END_TEST

START_TEST(release_without_a_waiter_tries_all_methods_too)
{
    submit(NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    ck_assert_str_eq(scripted_sent(&s), delifeq());
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    ck_assert_str_eq(scripted_sent(&s), watch);
}
END_TEST

/* The PTTL after it only says more about a refusal. */
START_TEST(release_by_delete_is_complete_with_its_first_reply)
{
    submit(&a, &rdl_op_release, "k");
    scripted_sent(&s);
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    scripted_reply(&s, GONE);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- EVAL once, then EVALSHA */

START_TEST(two_releases_send_the_script_text_once)
{
    submit(&a, &rdl_op_release, "k");
    submit(&b, &rdl_op_release, "j");
    ck_assert_str_eq(scripted_sent(&s),
                     wire_join(wire_release_text("k", token()), wire_release_sha("j", token()), NULL));
    scripted_reply(&s, ":1\r\n:0\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(b.answer, RDL_ANSWER_NO);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(flushed_script_is_sent_again)
{
    struct rdl_req *req = _i ? &a : NULL;

    refuse_release_methods(0);
    scripted_reply(&s, ":1\r\n");
    submit(req, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token()));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    submit(&b, &rdl_op_release, "j");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("j", token()));
    scripted_reply(&s, ":1\r\n:1\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(b.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* A caller with a further request after it, the canary, checks again, but not the next time. */
START_TEST(repetition_is_reported_only_for_its_request)
{
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(a.was_reordered, 0);
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, NOSCRIPT);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(a.was_reordered, 1);
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(a.was_reordered, 0);
}
END_TEST

/* A release follows: a request that is not sent yet would come after it. */
START_TEST(last_try_withdraws_an_unsent_request)
{
    submit(&a, &rdl_op_acquire, "k");
    if (_i)
        scripted_sent(&s);
    rdl_conn_forbid_retry(&s.conn, &a);
    ck_assert_int_eq(a.answer, _i ? RDL_ANSWER_NONE : RDL_ANSWER_UNSENT);
    ck_assert_int_eq(rdl_conn_is_idle(&s.conn), !_i);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_uint_ne(s.conn.reserved, 0); /* for the release, until that is submitted */
}
END_TEST

/* No server replies like this to an EVAL, but a proxy may. */
START_TEST(noscript_in_reply_to_eval_is_a_refusal)
{
    submit(_i ? &a : NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_int_eq(a.answer, _i ? RDL_ANSWER_YES : RDL_ANSWER_NONE);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The same for EVALSHA: it says that the script is unknown, and then the script is refused. */
START_TEST(noscript_to_evalsha_and_eval_leads_to_the_next_method)
{
    refuse_release_methods(0);
    scripted_reply(&s, ":1\r\n");
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token()));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), delex());
}
END_TEST

/* EVAL would have followed: that it must not be sent any more says nothing about the server. */
START_TEST(refused_evalsha_is_temporary_at_the_last_try)
{
    static const char *const refusals[] = {NOSCRIPT, NOPERM, UNKNOWN_COMMAND,
                                           "-NOPERM No permissions to access a key\r\n"};

    ck_assert_int_eq(submit_any(&rdl_op_acquire_fenced), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, "*2\r\n:1\r\n:5\r\n");
    ck_assert_int_eq(submit_any(&rdl_op_acquire_fenced), RDL_OK);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "\r\nEVALSHA\r\n"));
    rdl_conn_forbid_retry(&s.conn, &a);
    scripted_reply(&s, refusals[_i]);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_SERVER);
    ck_assert(!rdl_is_permanent(a.error));
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_acquire_fenced), RDL_OK);
}
END_TEST

/* For EVAL it is what the server can do. */
START_TEST(refused_eval_is_reported_at_the_last_try_too)
{
    ck_assert_int_eq(submit_any(&rdl_op_acquire_fenced), RDL_OK);
    scripted_sent(&s);
    rdl_conn_forbid_retry(&s.conn, &a);
    scripted_reply(&s, _i ? NOPERM : UNKNOWN_COMMAND);
    ck_assert_int_eq(a.error, _i ? RDL_E_PERM : RDL_E_UNSUPPORTED);
}
END_TEST

START_TEST(noscript_to_eval_without_another_method_is_reported)
{
    int i;

    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(submit_any(&rdl_op_acquire_fenced), RDL_OK);
        scripted_sent(&s);
        if (i == 0)
            scripted_reply(&s, NOSCRIPT);
        ck_assert_str_eq(scripted_sent(&s), "");
        ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(a.error, RDL_E_UNSUPPORTED);
        ck_assert(rdl_conn_is_idle(&s.conn));
    }
}
END_TEST

/* EVAL was refused for now before the server read the script: the next request sends it. */
START_TEST(evalsha_after_a_temporarily_refused_eval_recovers)
{
    static const char *const troubles[] = {"-BUSY Redis is busy running a script.\r\n", "-OOM command\r\n",
                                           "-LOADING Redis is loading the dataset in memory\r\n"};

    submit(&a, &rdl_op_release, "k");
    submit(&b, &rdl_op_release, "j");
    scripted_sent(&s);
    scripted_reply(&s, troubles[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("j", token()));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(b.answer, RDL_ANSWER_YES);
}
END_TEST

/* NOSCRIPT may change, but a missing permission for EVALSHA stays: EVAL every time. */
START_TEST(forbidden_evalsha_is_not_tried_again)
{
    int i;

    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_by(0));
    scripted_reply(&s, ":1\r\n");
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_extend_sha("k", token(), 30000));
    scripted_reply(&s, _i ? UNKNOWN_COMMAND : NOPERM);
    for (i = 0; i < 3; i++) {
        ck_assert_str_eq(scripted_sent(&s), extend_by(0));
        scripted_reply(&s, ":1\r\n");
        ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
        submit(&a, &rdl_op_extend, "k");
    }
    submit(&b, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_join(extend_by(0), wire_release_text("k", token()), NULL));
}
END_TEST

/*
 * The last refusal is the reason, for this request and all later ones; the next connection tries everything
 * again.
 */
START_TEST(extend_without_a_method_reports_the_last_refusal)
{
    static const char *const last[] = {NOPERM NOPERM NOPERM NOPERM,
                                       UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND};
    static const int codes[] = {RDL_E_PERM, RDL_E_UNSUPPORTED};
    int i;

    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_by(0));
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), extend_by(1));
    scripted_reply(&s, last[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, codes[_i]);
    ck_assert(rdl_conn_is_idle(&s.conn));
    for (i = 0; i < 2; i++) {
        submit(&a, &rdl_op_extend, "k");
        ck_assert_str_eq(scripted_sent(&s), ""); /* it is not tried again */
        ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(a.error, codes[_i]);
        ck_assert(rdl_conn_is_idle(&s.conn));
    }
    scripted_break(&s);
    scripted_open(&s, 2000);
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_by(0));
}
END_TEST

/* That it worked is no reason for the failure: the next request gets the reason of the last refusal. */
START_TEST(method_refused_later_reports_its_refusal)
{
    const struct rdl_op *op = &rdl_op_acquire_fenced;
    const char *refusal = _i == 0 ? UNKNOWN_COMMAND : NOPERM;
    int code = _i == 0 ? RDL_E_UNSUPPORTED : RDL_E_PERM;
    int i;

    ck_assert_int_eq(submit_any(op), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, "*2\r\n:1\r\n:5\r\n"); /* EVAL works */
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    for (i = 0; i < 2; i++) { /* the operator forbids both; later requests get the same result */
        ck_assert_int_eq(submit_any(op), RDL_OK);
        scripted_sent(&s);
        if (i == 0) {
            scripted_reply(&s, refusal);
            scripted_sent(&s);
            scripted_reply(&s, refusal);
        }
        ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(a.error, code);
    }
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(release_without_a_method_reports_the_last_refusal)
{
    refuse_release_methods(3);
    scripted_reply(&s, release_refusals[3]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_PERM);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/*
 * A program with scripts as its only method gets the reason of the refusal, each time; pending releases are
 * dropped.
 */
START_TEST(refusal_of_the_only_method_is_reported)
{
    static const char *const refusals[] = {
        NOPERM, UNKNOWN_COMMAND, NOSCRIPT,
        "-ERR Error compiling script (new function): user_script:1: x\r\n"};
    static const struct rdl_op *const ops[] = {&rdl_op_extend, &rdl_op_release, &rdl_op_release_hint};
    int code = _i % 4 == 0 ? RDL_E_PERM : RDL_E_UNSUPPORTED;
    int i;

    s.cfg.methods = &rdl_methods_script;
    for (i = 0; i < 3; i++) {
        ck_assert_int_eq(submit(&a, ops[_i / 4], "k"), RDL_OK);
        ck_assert_int_eq(scripted_sent(&s)[0] == '*', i == 0);
        if (i == 0) {
            scripted_reply(&s, refusals[_i % 4]);
            if (_i / 4 == 2) { /* it continues as a plain release */
                ck_assert_str_eq(scripted_sent(&s), release_by(0));
                scripted_reply(&s, refusals[_i % 4]);
            }
        }
        ck_assert_str_eq(scripted_sent(&s), "");
        ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(a.error, code);
        ck_assert(rdl_is_permanent(a.error));
        ck_assert(rdl_conn_is_idle(&s.conn));
    }
    submit(NULL, &rdl_op_release, "k");
    if (_i / 4 == 0) { /* the extend's refusal does not affect the release */
        ck_assert_str_eq(scripted_sent(&s), release_by(0));
        scripted_reply(&s, NOPERM);
    }
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* It can be queried before there is something to do: extend and release are remembered separately. */
START_TEST(connection_reports_why_every_method_was_refused)
{
    s.cfg.methods = _i ? &rdl_methods_script : &rdl_methods_all;
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_release), RDL_OK);
    refuse_release_methods(_i ? 0 : 3);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_release), RDL_OK);
    scripted_reply(&s, release_refusals[_i ? 0 : 3]);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_release), _i ? RDL_E_UNSUPPORTED : RDL_E_PERM);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_extend), RDL_OK);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_acquire), RDL_OK);
    scripted_break(&s);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_release), RDL_OK);
}
END_TEST

/* Nothing is acquired that could not be released. */
START_TEST(configuration_without_methods_is_an_error)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire, &rdl_op_extend, &rdl_op_release};

    s.cfg.methods = NULL;
    ck_assert_int_eq(submit(&a, ops[_i], "k"), RDL_E_CONFIG);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, ops[_i]), RDL_E_CONFIG);
    ck_assert_str_eq(rdl_conn_config_fault(&s.cfg, 0), "rdl_conn_config.methods is not set");
}
END_TEST

/* The operator forbids it in between: the next method is used, and no key is left. */
START_TEST(script_refused_later_leads_to_the_next_method)
{
    submit(&a, &rdl_op_release, "k");
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    submit(_i ? &a : NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token()));
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), release_by(0)); /* perhaps only EVALSHA was refused */
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(temporary_error_does_not_change_the_method)
{
    static const char *const troubles[] = {
        "-BUSY Redis is busy running a script.\r\n",
        "-OOM command\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-MISCONF Redis is\r\n",
        "-MASTERDOWN Link with MASTER is down\r\n",
        "-NOREPLICAS Not enough good replicas to write.\r\n",
        "-ERR max number of clients reached\r\n",
        "-ERR Script killed by user with SCRIPT KILL...\r\n",
        "-ERR Error running script (call to f_0a): @user_script:1: -OOM\r\n"};
    static const int codes[] = {RDL_E_TRY_LATER, RDL_E_TRY_LATER, RDL_E_TRY_LATER,
                                RDL_E_TRY_LATER, RDL_E_SERVER,    RDL_E_SERVER,
                                RDL_E_SERVER,    RDL_E_SERVER,    RDL_E_SERVER};

    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, troubles[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, codes[_i]);
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_extend_sha("k", token(), 30000));
}
END_TEST

START_TEST(methods_of_release_and_extend_are_separate)
{
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), extend_by(1));
    scripted_reply(&s, "+OK\r\n$-1\r\n:-2\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_ABSENT);
    submit(&b, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
}
END_TEST

/* ---------------------------------------------------------------- NOPERM: a command, a key, or not said */

/* As written by Redis 6, 7.0, 7.2 and later, and Valkey; with a name of over 25 bytes "to run" is cut off. */
static const char *const command_texts[] = {
    "-NOPERM this user has no permissions to run the 'eval' command or its subcommand\r\n",
    "-NOPERM this user has no permissions to run the 'eval' command\r\n",
    "-NOPERM User abcdefghijklmnopqrstuvwxy has no permissions to run the 'eval' command\r\n",
    "-ERR The user executing the script can't run this command or subcommand\r\n",
    "-ERR The user executing the script can't access at least one of the keys mentioned\r\n",
    "-ERR ACL failure in script: No permissions to access a key script: 0a\r\n",
};
/* A key: up to Redis 7.0, from 7.2 on and Valkey. A database (Valkey 9.1). Neither. */
static const char *const key_texts[] = {
    "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n",
    "-NOPERM No permissions to access a key\r\n",
    "-NOPERM No permissions to access database\r\n",
    "-NOPERM User abcdefghijklmnopqrstuvwxyz has no permissions to run the 'eval' command\r\n",
    "-NOPERM\r\n",
};
enum { COMMAND_TEXTS = sizeof command_texts / sizeof command_texts[0] };
enum { KEY_TEXTS = sizeof key_texts / sizeof key_texts[0] };

START_TEST(forbidden_command_is_remembered)
{
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_by(0));
    scripted_reply(&s, command_texts[_i]);
    ck_assert_str_eq(scripted_sent(&s), extend_by(1));
    scripted_reply(&s, "+OK\r\n$-1\r\n:-2\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_by(1));
}
END_TEST

/* The next request, for an allowed key, starts with the first method again. */
START_TEST(forbidden_key_is_not_remembered)
{
    const char *refusal = key_texts[_i];
    char refusals[400];

    snprintf(refusals, sizeof refusals, "%s%s%s%s", refusal, refusal, refusal, "-ERR MULTI\r\n");
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, refusal);
    ck_assert_str_eq(scripted_sent(&s), extend_by(1));
    scripted_reply(&s, refusals);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_PERM);
    ck_assert(rdl_conn_is_idle(&s.conn));
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    scripted_reply(&s, refusal);
    ck_assert_str_eq(scripted_sent(&s), release_by(1));
    scripted_reply(&s, UNKNOWN_COMMAND ":-2\r\n");
    ck_assert_str_eq(scripted_sent(&s), release_by(2));
    scripted_reply(&s, UNKNOWN_COMMAND ":-2\r\n");
    ck_assert_str_eq(scripted_sent(&s), release_by(3));
    scripted_reply(&s, UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_PERM); /* and not that a method is unknown */
    ck_assert_int_eq(strncmp(rdl_conn_text(&s.conn), refusal + 1, 6), 0);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_extend), RDL_OK);
    ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_release), RDL_OK);
    submit(&b, &rdl_op_extend, "other");
    submit(&a, &rdl_op_release, "other");
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_extend_sha("other", token(), 30000),
                                                  wire_release_sha("other", token()), NULL));
    scripted_reply(&s, ":1\r\n:1\r\n");
    ck_assert_int_eq(b.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
}
END_TEST

/* EVAL follows a refused EVALSHA, also if its key was the reason. */
START_TEST(forbidden_key_of_evalsha_does_not_affect_other_keys)
{
    submit(&a, &rdl_op_release, "j");
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    submit(&a, &rdl_op_release, "k");
    submit(&b, &rdl_op_release, "j");
    ck_assert_str_eq(scripted_sent(&s),
                     wire_join(wire_release_sha("k", token()), wire_release_sha("j", token()), NULL));
    scripted_reply(&s, key_texts[_i]);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(b.answer, RDL_ANSWER_YES);
    scripted_reply(&s, key_texts[_i]);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    submit(&a, &rdl_op_release, "j");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("j", token()));
}
END_TEST

/* An operation with one method ends with the error, each time, and the next key works. */
START_TEST(forbidden_key_without_another_method_is_the_error)
{
    const struct rdl_op *op = _i ? &rdl_op_extend_fenced : &rdl_op_acquire_fenced;
    int i;

    for (i = 0; i < 2; i++) {
        ck_assert_int_eq(submit_any(op), RDL_OK);
        scripted_sent(&s);
        scripted_reply(&s, key_texts[0]);
        if (i > 0) {
            ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "\r\nEVAL\r\n"));
            scripted_reply(&s, key_texts[0]);
        }
        ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(a.error, RDL_E_PERM);
        ck_assert(rdl_conn_is_idle(&s.conn));
        rdl_conn_free_room(&s.conn, &a);
        ck_assert_uint_eq(s.conn.reserved, 0);
    }
    ck_assert_int_eq(submit_any(op), RDL_OK);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "\r\nEVALSHA\r\n"));
    scripted_reply(&s, _i ? ":1\r\n" : "*2\r\n:1\r\n:5\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
}
END_TEST

/* A user without access to the list of hints releases the lock without a hint. */
START_TEST(forbidden_list_of_hints_causes_a_plain_release)
{
    int i;

    for (i = 0; i < 2; i++) {
        submit(_i ? &a : NULL, &rdl_op_release_hint, "k");
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "{k}:wake")); /* the next one is tried again */
        scripted_reply(&s, key_texts[0]);
        if (i > 0) {
            ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "{k}:wake")); /* by EVAL */
            scripted_reply(&s, key_texts[0]);
        }
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
        scripted_reply(&s, ":1\r\n");
        ck_assert_int_eq(a.answer, _i ? RDL_ANSWER_YES : RDL_ANSWER_NONE);
        ck_assert(rdl_conn_is_idle(&s.conn));
    }
}
END_TEST

/* A refusal of a single request applies only to the connection that has ended. */
START_TEST(next_connection_starts_with_the_first_method)
{
    submit(_i ? &a : NULL, &rdl_op_release, "k");
    scripted_sent(&s);
    scripted_reply(&s, key_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_break(&s);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    scripted_reply(&s, UNKNOWN_COMMAND);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    scripted_sent(&s);
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    scripted_sent(&s);
    scripted_reply(&s, UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND);
    ck_assert_int_eq(a.answer, _i ? RDL_ANSWER_ERROR : RDL_ANSWER_NONE);
    ck_assert_int_eq(a.error, _i ? RDL_E_UNSUPPORTED : RDL_OK); /* the error of this connection */
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- unknown errors */

static const char *const other_texts[] = {"-ERR something else\r\n", "-upstream failure\r\n", "-ERR\r\n",
                                          "-ERR Command is not available: 'SET'\r\n"};
enum { OTHER_TEXTS = sizeof other_texts / sizeof other_texts[0] };

/* The reply to the next method is the result; from then on it is the method of this connection. */
START_TEST(unknown_error_leads_to_the_next_method)
{
    submit(_i % 2 ? &a : NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    scripted_reply(&s, other_texts[_i / 2]);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_int_eq(a.answer, _i % 2 ? RDL_ANSWER_YES : RDL_ANSWER_NONE);
    ck_assert_int_eq(a.error, RDL_OK);
    ck_assert_int_eq(a.may_be_second,
                     _i % 2); /* the error may be a proxy's, after the request was executed */
    a.may_be_second = 0;
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), delex());
    ck_assert_int_eq(a.may_be_second, 0);
    submit(&b, &rdl_op_extend, "k"); /* of the extend nothing is known yet */
    ck_assert_str_eq(scripted_sent(&s), extend_by(0));
}
END_TEST

/* The unknown error may be over, too. */
START_TEST(release_sent_again_starts_with_the_first_method)
{
    submit(&a, &rdl_op_release, "k");
    scripted_sent(&s);
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, "-LOADING Redis is loading the dataset in memory\r\n" GONE);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_str_eq(scripted_sent(&s), "");
    rdl_conn_tick(&s.conn, rdl_conn_tick(&s.conn, 1000));
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
}
END_TEST

static const struct {
    const char *replies;
    const char *more; /* after what the first round leads to */
    enum rdl_answer answer;
} watch_answers[] = {
    {"+OK\r\n$40\r\nabababababababababababababababababababab\r\n:5\r\n+OK\r\n", "+QUEUED\r\n*1\r\n:1\r\n",
     RDL_ANSWER_YES},
    {"+OK\r\n$1\r\nx\r\n:5\r\n+OK\r\n", "+OK\r\n", RDL_ANSWER_NO},
    {"+OK\r\n$-1\r\n:-2\r\n+OK\r\n", "+OK\r\n", RDL_ANSWER_ABSENT},
};

START_TEST(any_reply_to_a_later_method_selects_it)
{
    const struct rdl_op *op = _i / 3 % 2 ? &rdl_op_release : &rdl_op_extend;
    int last = op == &rdl_op_extend ? 1 : 3;
    int k;

    submit(&a, op, "k");
    for (k = 0; k < last; k++) {
        ck_assert_str_eq(scripted_sent(&s), last == 1 ? extend_by(k) : release_by(k));
        scripted_reply(&s, k == 0 ? other_texts[0] : UNKNOWN_COMMAND GONE);
    }
    scripted_sent(&s);
    scripted_reply(&s, watch_answers[_i % 3].replies);
    scripted_sent(&s);
    scripted_reply(&s, watch_answers[_i % 3].more);
    ck_assert_int_eq(a.answer, watch_answers[_i % 3].answer);
    submit(&a, op, "k");
    ck_assert_str_eq(scripted_sent(&s), watch);
}
END_TEST

/* The first of them is reported, whatever the others are, and all are tried again the next time. */
START_TEST(first_unknown_error_is_reported_if_no_method_works)
{
    static const char *const last[] = {"-ERR another\r\n", UNKNOWN_COMMAND, NOPERM, "-LOADING x\r\n",
                                       "-NOPERM No permissions to access a key\r\n"};
    char replies[400];
    int i;

    snprintf(replies, sizeof replies, "%s%s%s%s", last[_i], last[_i], last[_i], last[_i]);
    for (i = 0; i < 2; i++) {
        submit(&a, &rdl_op_extend, "k");
        ck_assert_str_eq(scripted_sent(&s), i == 0 ? extend_by(0) : wire_extend_sha("k", token(), 30000));
        scripted_reply(&s, other_texts[0]);
        if (_i != 1 && _i != 2) {
            ck_assert_str_eq(scripted_sent(&s), extend_by(1));
            scripted_reply(&s, replies);
        } else if (i == 0) { /* a refused command is remembered as always */
            ck_assert_str_eq(scripted_sent(&s), extend_by(1));
            scripted_reply(&s, replies);
        }
        ck_assert_str_eq(scripted_sent(&s), "");
        ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
        ck_assert_int_eq(a.error, RDL_E_SERVER);
        ck_assert(!rdl_is_permanent(a.error));
        ck_assert_str_eq(rdl_conn_text(&s.conn), "ERR something else");
        ck_assert(rdl_conn_is_idle(&s.conn));
        ck_assert_int_eq(rdl_conn_refuses(&s.conn, &rdl_op_extend), RDL_OK);
    }
}
END_TEST

/* The other request's refusal of the next method came in between. */
START_TEST(unknown_error_is_reported_if_the_rest_was_refused)
{
    submit(&a, &rdl_op_extend, "k");
    submit(&b, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, other_texts[0]);
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), watch);
    scripted_reply(&s, UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(a.error, RDL_E_SERVER);
    ck_assert_int_eq(b.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(b.error, RDL_E_SERVER);
}
END_TEST

/* A method that was skipped because of the key says nothing about the method. */
START_TEST(forbidden_key_among_unknown_errors_is_not_remembered)
{
    submit(&a, &rdl_op_release, "k");
    scripted_sent(&s);
    scripted_reply(&s, _i ? other_texts[0] : key_texts[0]);
    scripted_sent(&s);
    scripted_reply(&s, _i ? "-NOPERM No permissions to access a key\r\n:5\r\n" : "-ERR what?\r\n:5\r\n");
    ck_assert_str_eq(scripted_sent(&s), delifeq());
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    submit(&a, &rdl_op_release, "j");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("j", token()));
}
END_TEST

/* The plain release works: the hint's script is not tried again. Nor is EVAL, if it failed as well. */
START_TEST(unknown_error_turns_a_hint_release_into_a_plain_one)
{
    submit(&a, &rdl_op_release_hint, "k");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "{k}:wake"));
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    if (_i) {
        scripted_reply(&s, other_texts[0]);
        ck_assert_str_eq(scripted_sent(&s), delex());
    }
    scripted_reply(&s, _i ? ":1\r\n" GONE : ":1\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    submit(&a, &rdl_op_release_hint, "k");
    ck_assert_str_eq(scripted_sent(&s), _i ? delex() : wire_release_sha("k", token()));
    submit(&b, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), _i ? delex() : wire_release_sha("k", token()));
}
END_TEST

START_TEST(unknown_errors_to_every_method_are_not_remembered)
{
    s.cfg.methods = &rdl_methods_script;
    submit(&a, &rdl_op_release_hint, "k");
    scripted_sent(&s);
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    scripted_reply(&s, "-ERR what?\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_SERVER);
    submit(&a, &rdl_op_release_hint, "k");
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "{k}:wake"));
}
END_TEST

/* Nor do acquires, nor the releases of the old protocol and of the canary. */
START_TEST(unknown_error_ends_requests_of_other_kinds)
{
    static const struct rdl_op *const ops[] = {
        &rdl_op_acquire_fenced, &rdl_op_acquire_multi, &rdl_op_extend_fenced,  &rdl_op_extend_multi,
        &rdl_op_release_multi,  &rdl_op_replace,       &rdl_op_release_strict, &rdl_op_release_once};

    ck_assert_int_eq(submit_any(ops[_i]), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_SERVER);
    ck_assert_int_ne(rdl_conn_is_idle(&s.conn), _i == 4 || _i == 6); /* those releases are sent again later */
    rdl_conn_free_room(&s.conn, &a);
    ck_assert_uint_eq(s.conn.reserved, 0);
}
END_TEST

/* The connection ends between the two methods: the first may have been executed. */
START_TEST(disconnect_after_an_unknown_error_is_unknown)
{
    submit(&a, _i / 2 ? &rdl_op_release : &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, other_texts[0]);
    if (_i % 2)
        scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(rdl_conn_is_idle(&s.conn), _i / 2 == 0); /* the release is still sent */
}
END_TEST

/* The reply to the later GET is valid; but nothing has worked, so nothing is remembered. */
START_TEST(watch_with_unknown_errors_is_not_remembered)
{
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), watch);
    scripted_reply(&s, "-ERR what?\r\n$-1\r\n:-2\r\n-ERR what?\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_ABSENT);
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_extend_sha("k", token(), 30000));
}
END_TEST

/* As after a refusal: neither an abandoned request nor one that a release follows is sent again. */
START_TEST(unknown_error_after_abandon_leads_to_no_method)
{
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    if (_i)
        rdl_conn_forbid_retry(&s.conn, &a);
    else
        rdl_conn_abandon(&s.conn, &a);
    scripted_reply(&s, other_texts[0]);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_int_eq(a.answer, _i ? RDL_ANSWER_ERROR : RDL_ANSWER_UNKNOWN);
    ck_assert(rdl_conn_is_idle(&s.conn));
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_extend_sha("k", token(), 30000));
}
END_TEST

/* ---------------------------------------------------------------- scripts that are switched off */

static const char *const off_texts[] = {
    "-ERR Could not find scripting engine 'lua'\r\n",
    "-ERR This instance has Lua scripting support disabled\r\n",
    "-ERR command eval not support for normal user\r\n",
    "-ERR Command is not available: 'EVAL'\r\n",
    "-ERR bad lua script for redis cluster, all the keys that the script uses should be passed\r\n",
};

START_TEST(disabled_scripts_count_as_refused)
{
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_by(0));
    scripted_reply(&s, off_texts[_i]);
    ck_assert_str_eq(scripted_sent(&s), watch);
    scripted_reply(&s, UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND);
    ck_assert_int_eq(a.error, RDL_E_UNSUPPORTED);
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    scripted_reply(&s, off_texts[_i]);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    ck_assert_str_eq(scripted_sent(&s), delifeq()); /* nothing works yet, and it is remembered */
    submit(&b, &rdl_op_release, "j");
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "DELIFEQ"));
}
END_TEST

/* It would be executed after the release that was queued for it, and nothing would undo it. */
START_TEST(abandoned_request_tries_no_other_method)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire_fenced, &rdl_op_acquire_multi, &rdl_op_replace,
                                               &rdl_op_extend};
    const struct rdl_op *op = ops[_i / 3];
    static const char *const refusals[] = {NOPERM, NOSCRIPT, NOSCRIPT};

    if (_i % 3 == 2) { /* by EVALSHA */
        ck_assert_int_eq(submit_any(op), RDL_OK);
        scripted_sent(&s);
        scripted_reply(&s, _i / 3 < 2 ? "*2\r\n:1\r\n:5\r\n" : ":1\r\n");
    }
    ck_assert_int_eq(submit_any(op), RDL_OK);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), _i % 3 == 2 ? "\r\nEVALSHA\r\n" : "\r\nEVAL\r\n"));
    rdl_conn_abandon(&s.conn, &a);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(submit(&b, &rdl_op_release, "k"), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), release_by(0));
    scripted_reply(&s, refusals[_i % 3]);
    ck_assert_str_eq(scripted_sent(&s), "");
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(b.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
    rdl_conn_free_room(&s.conn, &a);
    ck_assert_uint_eq(s.conn.reserved, 0);
}
END_TEST

Suite *suite_lock_methods(void)
{
    Suite *suite = suite_create("lock_methods");
    TCase *tc = suite_case(suite, "methods", setup, NULL);

    tcase_add_loop_test(tc, release_tries_methods_until_one_is_accepted, 0, 3);
    tcase_add_loop_test(tc, method_is_remembered_for_the_connection, 0, 3);
    tcase_add_test(tc, release_without_a_waiter_tries_all_methods_too);
    tcase_add_test(tc, release_by_delete_is_complete_with_its_first_reply);
    tcase_add_test(tc, two_releases_send_the_script_text_once);
    tcase_add_loop_test(tc, flushed_script_is_sent_again, 0, 2);
    tcase_add_test(tc, repetition_is_reported_only_for_its_request);
    tcase_add_loop_test(tc, last_try_withdraws_an_unsent_request, 0, 2);
    tcase_add_loop_test(tc, noscript_in_reply_to_eval_is_a_refusal, 0, 2);
    tcase_add_test(tc, noscript_to_evalsha_and_eval_leads_to_the_next_method);
    tcase_add_loop_test(tc, refused_evalsha_is_temporary_at_the_last_try, 0, 4);
    tcase_add_loop_test(tc, refused_eval_is_reported_at_the_last_try_too, 0, 2);
    tcase_add_test(tc, noscript_to_eval_without_another_method_is_reported);
    tcase_add_loop_test(tc, evalsha_after_a_temporarily_refused_eval_recovers, 0, 3);
    tcase_add_loop_test(tc, forbidden_evalsha_is_not_tried_again, 0, 2);
    tcase_add_loop_test(tc, extend_without_a_method_reports_the_last_refusal, 0, 2);
    tcase_add_loop_test(tc, method_refused_later_reports_its_refusal, 0, 2);
    tcase_add_test(tc, release_without_a_method_reports_the_last_refusal);
    tcase_add_loop_test(tc, refusal_of_the_only_method_is_reported, 0, 12);
    tcase_add_loop_test(tc, connection_reports_why_every_method_was_refused, 0, 2);
    tcase_add_loop_test(tc, configuration_without_methods_is_an_error, 0, 3);
    tcase_add_loop_test(tc, script_refused_later_leads_to_the_next_method, 0, 2);
    tcase_add_loop_test(tc, temporary_error_does_not_change_the_method, 0, 9);
    tcase_add_test(tc, methods_of_release_and_extend_are_separate);
    tcase_add_loop_test(tc, forbidden_command_is_remembered, 0, COMMAND_TEXTS);
    tcase_add_loop_test(tc, forbidden_key_is_not_remembered, 0, KEY_TEXTS);
    tcase_add_loop_test(tc, forbidden_key_of_evalsha_does_not_affect_other_keys, 0, KEY_TEXTS);
    tcase_add_loop_test(tc, forbidden_key_without_another_method_is_the_error, 0, 2);
    tcase_add_loop_test(tc, forbidden_list_of_hints_causes_a_plain_release, 0, 2);
    tcase_add_loop_test(tc, next_connection_starts_with_the_first_method, 0, 2);
    tcase_add_loop_test(tc, unknown_error_leads_to_the_next_method, 0, 2 * OTHER_TEXTS);
    tcase_add_test(tc, release_sent_again_starts_with_the_first_method);
    tcase_add_loop_test(tc, any_reply_to_a_later_method_selects_it, 0, 6);
    tcase_add_loop_test(tc, first_unknown_error_is_reported_if_no_method_works, 0, 5);
    tcase_add_test(tc, unknown_error_is_reported_if_the_rest_was_refused);
    tcase_add_loop_test(tc, forbidden_key_among_unknown_errors_is_not_remembered, 0, 2);
    tcase_add_loop_test(tc, unknown_error_turns_a_hint_release_into_a_plain_one, 0, 2);
    tcase_add_test(tc, unknown_errors_to_every_method_are_not_remembered);
    tcase_add_loop_test(tc, unknown_error_ends_requests_of_other_kinds, 0, 8);
    tcase_add_loop_test(tc, disconnect_after_an_unknown_error_is_unknown, 0, 4);
    tcase_add_test(tc, watch_with_unknown_errors_is_not_remembered);
    tcase_add_loop_test(tc, unknown_error_after_abandon_leads_to_no_method, 0, 2);
    tcase_add_loop_test(tc, disabled_scripts_count_as_refused, 0, sizeof off_texts / sizeof off_texts[0]);
    tcase_add_loop_test(tc, abandoned_request_tries_no_other_method, 0, 12);
    return suite;
}
