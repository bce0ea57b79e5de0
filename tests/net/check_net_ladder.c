/* SPDX-License-Identifier: MIT */
/*
 * The ladder: which way a release or an extend goes on this server, in exact bytes. What is on a rung is
 * the business of check_net_request.c.
 */
#include <check.h>
#include <string.h>

#include "tests/fixtures/scripted.h"

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

/* The bytes of each rung for the key k. */
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

static const char *release_rung(int i)
{
    const char *rungs[] = {delex(), delifeq(), wire_release_sha("k", token()),
                           wire_release_text("k", token()), watch};

    return rungs[i];
}

static const char *extend_rung(int i)
{
    const char *rungs[] = {wire_extend_sha("k", token(), 30000), wire_extend_text("k", token(), 30000),
                           watch};

    return rungs[i];
}

/* What the server says to a rung it does not take; the replies of all its commands. */
static const char *const release_refusals[] = {UNKNOWN_COMMAND GONE, UNKNOWN_COMMAND GONE, NOSCRIPT,
                                               UNKNOWN_COMMAND, NOPERM NOPERM NOPERM "-NOPERM\r\n"};

/* Make the release script's first `i` rungs known as refused. */
static void climb_down_release(int i)
{
    int k;

    ck_assert_int_eq(submit(&a, &rdl_op_release, "k"), RDL_OK);
    for (k = 0; k < i; k++) {
        ck_assert_str_eq(scripted_sent(&s), release_rung(k));
        ck_assert_int_eq(a.answer, RDL_ANSWER_NONE);
        scripted_reply(&s, release_refusals[k]);
    }
    ck_assert_str_eq(scripted_sent(&s), release_rung(i));
}

static const char *const release_answers[] = {":1\r\n:-2\r\n", ":1\r\n:-2\r\n", ":1\r\n", ":1\r\n"};

START_TEST(a_release_climbs_down_until_the_server_takes_it)
{
    climb_down_release(_i);
    scripted_reply(&s, release_answers[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(a.error, RDL_OK);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* After EVAL the server has the script, so EVALSHA is next; else what worked. */
START_TEST(what_was_learned_holds_for_the_life_of_the_connection)
{
    static const int next[] = {0, 1, 2, 2};

    climb_down_release(_i);
    scripted_reply(&s, release_answers[_i]);
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_rung(next[_i]));
    scripted_reply(&s, release_answers[next[_i]]);
    submit(NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_rung(next[_i]));
    scripted_break(&s);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), release_rung(3));
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), release_rung(0));
}
END_TEST

START_TEST(a_release_nobody_waits_for_is_sent_whole_until_a_way_is_proven)
{
    int i;

    for (i = 0; i < 3; i++) {
        submit(NULL, &rdl_op_release, "k");
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
        scripted_reply(&s, ":1\r\n");
    }
    submit(&a, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, ":0\r\n:100\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_NO);
    submit(NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), delex());
}
END_TEST

START_TEST(a_release_nobody_waits_for_climbs_down_too)
{
    submit(NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    ck_assert_str_eq(scripted_sent(&s), delifeq());
    scripted_reply(&s, UNKNOWN_COMMAND GONE);
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token()));
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), watch);
}
END_TEST

START_TEST(a_script_that_is_flushed_is_sent_again)
{
    climb_down_release(3);
    scripted_reply(&s, ":1\r\n");
    submit(NULL, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", token()));
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token()));
    scripted_reply(&s, ":1\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* NOSCRIPT may change, but a user who may not run EVALSHA stays so: it is not tried again after EVAL. */
START_TEST(a_forbidden_evalsha_is_not_tried_again)
{
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_rung(0));
    scripted_reply(&s, NOPERM);
    ck_assert_str_eq(scripted_sent(&s), extend_rung(1));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_rung(1));
}
END_TEST

/* The last refusal is the reason, then and for all who ask later; on the next connection all is open. */
START_TEST(an_extend_climbs_down_to_the_end_and_then_says_why)
{
    static const char *const refusals[] = {NOSCRIPT, NOPERM};
    static const char *const last[] = {NOPERM NOPERM NOPERM NOPERM,
                                       UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND UNKNOWN_COMMAND};
    static const int codes[] = {RDL_E_PERM, RDL_E_UNSUPPORTED};
    int i;

    submit(&a, &rdl_op_extend, "k");
    for (i = 0; i < 3; i++) {
        ck_assert_int_eq(a.answer, RDL_ANSWER_NONE);
        ck_assert_str_eq(scripted_sent(&s), extend_rung(i));
        if (i < 2)
            scripted_reply(&s, refusals[i]);
    }
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
    ck_assert_str_eq(scripted_sent(&s), extend_rung(0));
}
END_TEST

/*
 * What was proven is no word on why nothing is left: the reason told to the next is that of the last refusal.
 */
START_TEST(a_way_that_worked_before_it_was_refused_leaves_no_other_reason)
{
    static const char *const grants[] = {"*2\r\n:1\r\n:5\r\n", "*2\r\n:1\r\n:0\r\n"};
    static const char names[] = "\001k";
    struct rdl_command cmd = {_i % 2 ? &rdl_op_acquire_multi : &rdl_op_acquire_fenced,
                              {names, 2},
                              {token(), RDL_VALUE_MAX},
                              {"1", 1},
                              60000,
                              30000};
    const char *refusal = _i < 2 ? UNKNOWN_COMMAND : NOPERM;
    int code = _i < 2 ? RDL_E_UNSUPPORTED : RDL_E_PERM;
    int i;

    ck_assert_int_eq(rdl_conn_submit(&s.conn, &a, &cmd), RDL_OK);
    scripted_sent(&s);
    scripted_reply(&s, grants[_i % 2]); /* EVALSHA works */
    ck_assert_int_eq(a.answer, RDL_ANSWER_YES);
    for (i = 0; i < 2; i++) { /* the operator takes both away, and whoever comes later hears the same */
        ck_assert_int_eq(rdl_conn_submit(&s.conn, &a, &cmd), RDL_OK);
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

START_TEST(a_release_that_nothing_can_do_ends_with_the_last_refusal)
{
    climb_down_release(4);
    scripted_reply(&s, release_refusals[4]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, RDL_E_PERM);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(trouble_of_the_moment_is_no_reason_to_climb_down)
{
    static const char *const troubles[] = {"-BUSY Redis is busy running a script.\r\n", "-OOM command\r\n",
                                           "-LOADING Redis is loading the dataset in memory\r\n",
                                           "-MISCONF Redis is\r\n", "-ERR something else\r\n"};
    static const int codes[] = {RDL_E_SCRIPTING, RDL_E_OOM, RDL_E_LOADING, RDL_E_MISCONF, RDL_E_SERVER};

    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, troubles[_i]);
    ck_assert_int_eq(a.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(a.error, codes[_i]);
    submit(&a, &rdl_op_extend, "k");
    ck_assert_str_eq(scripted_sent(&s), extend_rung(0));
}
END_TEST

START_TEST(release_and_extend_are_learned_apart)
{
    submit(&a, &rdl_op_extend, "k");
    scripted_sent(&s);
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), extend_rung(1));
    submit(&b, &rdl_op_release, "k");
    ck_assert_str_eq(scripted_sent(&s), delex());
}
END_TEST

/* It would be carried out behind the release that was queued for it, and undone by nobody. */
START_TEST(what_was_given_up_is_not_sent_another_way)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire_fenced, &rdl_op_acquire_multi, &rdl_op_replace,
                                               &rdl_op_extend};
    static const char names[] = "\001k"; /* packed, for several; for the others as good as any */
    struct rdl_command cmd = {ops[_i], {names, 2}, {token(), RDL_VALUE_MAX}, {"1", 1}, 60000, 30000};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, &a, &cmd), RDL_OK);
    scripted_sent(&s);
    rdl_conn_forget(&s.conn, &a);
    ck_assert_int_eq(a.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(submit(&b, &rdl_op_release, "k"), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), delex());
    scripted_reply(&s, NOSCRIPT);
    ck_assert_str_eq(scripted_sent(&s), "");
    scripted_reply(&s, ":1\r\n" GONE);
    ck_assert_int_eq(b.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_uint_eq(s.conn.reserved, 0);
}
END_TEST

Suite *suite_net_ladder(void);

Suite *suite_net_ladder(void)
{
    Suite *suite = suite_create("net_ladder");
    TCase *tc = tcase_create("ladder");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, a_release_climbs_down_until_the_server_takes_it, 0, 4);
    tcase_add_loop_test(tc, what_was_learned_holds_for_the_life_of_the_connection, 0, 4);
    tcase_add_test(tc, a_release_nobody_waits_for_is_sent_whole_until_a_way_is_proven);
    tcase_add_test(tc, a_release_nobody_waits_for_climbs_down_too);
    tcase_add_test(tc, a_script_that_is_flushed_is_sent_again);
    tcase_add_test(tc, a_forbidden_evalsha_is_not_tried_again);
    tcase_add_loop_test(tc, an_extend_climbs_down_to_the_end_and_then_says_why, 0, 2);
    tcase_add_loop_test(tc, a_way_that_worked_before_it_was_refused_leaves_no_other_reason, 0, 4);
    tcase_add_test(tc, a_release_that_nothing_can_do_ends_with_the_last_refusal);
    tcase_add_loop_test(tc, trouble_of_the_moment_is_no_reason_to_climb_down, 0, 5);
    tcase_add_test(tc, release_and_extend_are_learned_apart);
    tcase_add_loop_test(tc, what_was_given_up_is_not_sent_another_way, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
