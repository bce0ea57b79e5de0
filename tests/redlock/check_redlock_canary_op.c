/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_canary_op.c - reading a canary and writing one: their bytes, and what every reply means.
 * Rule R28.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define TEXT    "return redis.call('SETNX',KEYS[1],ARGV[1]..redis.call('TIME')[1])"
#define SUM     "cd7d5901b0f22567ebc704edf87ed3edc382b7b6"
#define EVAL    "*5\r\n$4\r\nEVAL\r\n$65\r\n" TEXT "\r\n$1\r\n1\r\n$1\r\nk\r\n$17\r\n"
#define UNKNOWN "-ERR unknown command 'EVAL', with args beginning with: \r\n"
#define RUN     "00c0ffee12345678 \r\n"
#define SETNX   "*3\r\n$5\r\nSETNX\r\n$1\r\nk\r\n$27\r\n" MADE "\r\n"

#define CHECK "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nTIME\r\n"
#define MADE  "00c0ffee12345678 1700000000"
#define CLOCK "*2\r\n$10\r\n1700000005\r\n$6\r\n999999\r\n"

static struct scripted s;
static struct rdl_req req;

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
    s.conn.cfg->server_info->run = 0x00c0ffee12345678u;
    s.conn.cfg->server_info->has = RDL_INFO_RUN;
    memset(&req, 0, sizeof req);
}

static void submit(const struct rdl_op *op, uint32_t clock_s)
{
    struct rdl_command cmd = {.op = op, .name = {"k", 1}, .until_ms = 60000, .ttl_ms = clock_s};

    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
}

static const struct {
    const char *value;
    enum rdl_answer answer;
} values[] = {
    {"$27\r\n" MADE "\r\n", RDL_ANSWER_YES},
    {"$-1\r\n", RDL_ANSWER_ABSENT},
    {"$27\r\n10c0ffee12345678 1700000000\r\n", RDL_ANSWER_NO}, /* another run */
    {"$0\r\n\r\n", RDL_ANSWER_NO},
    {"$1\r\nx\r\n", RDL_ANSWER_NO},
    {"$16\r\n00c0ffee12345678\r\n", RDL_ANSWER_NO},
    {"$17\r\n00c0ffee12345678 \r\n", RDL_ANSWER_NO},
    {"$18\r\n00c0ffee12345678 0\r\n", RDL_ANSWER_NO},
    {"$28\r\n00c0ffee12345678 01700000000\r\n", RDL_ANSWER_NO},
    {"$27\r\n00c0ffee12345678 170000000x\r\n", RDL_ANSWER_NO},
    {"$27\r\n00C0FFEE12345678 1700000000\r\n", RDL_ANSWER_NO},
    {"$28\r\n00c0ffee12345678 17000000000\r\n", RDL_ANSWER_NO}, /* more than 32 bits */
    {"$40\r\n0123456789012345678901234567890123456789\r\n", RDL_ANSWER_NO},
    {"$41\r\n01234567890123456789012345678901234567890\r\n", RDL_ANSWER_ERROR},
    {"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n", RDL_ANSWER_ERROR},
};

START_TEST(canary_value_must_be_of_this_run)
{
    submit(&rdl_op_canary_look, 0);
    ck_assert_str_eq(scripted_sent(&s), CHECK);
    scripted_reply(&s, values[_i].value);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    scripted_reply(&s, CLOCK);
    ck_assert_int_eq(req.answer, values[_i].answer);
    ck_assert_int_eq(req.error, req.answer == RDL_ANSWER_ERROR ? RDL_E_WRONGTYPE : RDL_OK);
    if (req.answer == RDL_ANSWER_YES)
        ck_assert_int_eq(req.value, (INT64_C(1700000000) << RDL_CANARY_AGE_BITS) + 5);
    else
        ck_assert_int_eq(req.value, 1700000005);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* INFO is refused: the run is unknown. */
START_TEST(any_canary_is_accepted_if_the_run_is_unknown)
{
    s.conn.cfg->server_info->has = 0;
    submit(&rdl_op_canary_look, 0);
    scripted_sent(&s);
    scripted_reply(&s, values[_i].value);
    scripted_reply(&s, CLOCK);
    ck_assert_int_eq(req.answer, _i == 2 ? RDL_ANSWER_YES : values[_i].answer);
    if (req.answer == RDL_ANSWER_YES)
        ck_assert_int_eq(req.value, (INT64_C(1700000000) << RDL_CANARY_AGE_BITS) + 5);
}
END_TEST

START_TEST(canary_has_no_run_id_if_the_run_is_unknown)
{
    s.conn.cfg->server_info->has = 0;
    submit(&rdl_op_canary_make, 1700000000);
    ck_assert_str_eq(scripted_sent(&s), EVAL "0000000000000000 \r\n");
    scripted_reply(&s, UNKNOWN);
    ck_assert_str_eq(scripted_sent(&s), "*3\r\n$5\r\nSETNX\r\n$1\r\nk\r\n$27\r\n"
                                        "0000000000000000 1700000000\r\n");
}
END_TEST

/* It is sent although no caller waits; but not on the next connection, where its time may be wrong. */
START_TEST(canary_is_written_without_a_waiter)
{
    submit(&rdl_op_canary_make, 1700000000);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert(!req.is_queued);
    if (_i == 0) {
        ck_assert_str_eq(scripted_sent(&s), EVAL RUN);
        scripted_reply(&s, ":1\r\n");
    } else {
        scripted_break(&s);
        scripted_open(&s, 2000);
        ck_assert_str_eq(scripted_sent(&s), "");
    }
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

static const struct {
    const char *clock;
    int64_t age;
} ages[] = {
    {"*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n", 0},
    {"*2\r\n$10\r\n1699999999\r\n$1\r\n0\r\n", 0}, /* the clock was set back */
    {"*2\r\n$10\r\n1800000000\r\n$1\r\n0\r\n", RDL_CANARY_AGE_MAX},
    {"*2\r\n$10\r\n4294967295\r\n$1\r\n0\r\n", RDL_CANARY_AGE_MAX}, /* the first and the last second */
    {"*2\r\n$1\r\n1\r\n$1\r\n0\r\n", 0},
};

START_TEST(canary_age_is_within_bounds)
{
    submit(&rdl_op_canary_look, 0);
    scripted_sent(&s);
    scripted_reply(&s, "$27\r\n" MADE "\r\n");
    scripted_reply(&s, ages[_i].clock);
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(req.value & RDL_CANARY_AGE_MAX, ages[_i].age);
}
END_TEST

static const char *const refusals[][2] = {
    {"-NOPERM this user has no permissions to run the 'get' command\r\n", CLOCK},
    {"$27\r\n" MADE "\r\n", "-NOPERM this user has no permissions to run the 'time' command\r\n"},
};

START_TEST(unreadable_canary_or_time_is_an_error)
{
    submit(&rdl_op_canary_look, 0);
    scripted_sent(&s);
    scripted_reply(&s, refusals[_i][0]);
    scripted_reply(&s, refusals[_i][1]);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_PERM);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

static const char *const nonsense[][2] = {
    {":1\r\n", NULL},
    {"+OK\r\n", NULL},
    {"$-1\r\n", ":1\r\n"},
    {"$-1\r\n", "*1\r\n$10\r\n1700000000\r\n"},
};

START_TEST(impossible_canary_reply_ends_the_connection)
{
    submit(&rdl_op_canary_look, 0);
    scripted_sent(&s);
    scripted_reply(&s, nonsense[_i][0]);
    if (nonsense[_i][1] != NULL)
        scripted_reply(&s, nonsense[_i][1]);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

static const char *const odd_clocks[] = {
    "*2\r\n$1\r\n0\r\n$1\r\n0\r\n",
    "*2\r\n$2\r\n-1\r\n$1\r\n0\r\n",
    "*2\r\n$10\r\n4294967296\r\n$1\r\n0\r\n",
};

START_TEST(invalid_digits_in_the_time_end_only_the_request)
{
    submit(&rdl_op_canary_look, 0);
    scripted_sent(&s);
    scripted_reply(&s, _i % 2 ? "$27\r\n" MADE "\r\n" : "$-1\r\n");
    scripted_reply(&s, odd_clocks[_i / 2]);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_UNEXPECTED);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* The script reads the time when it writes the canary. It is sent in full each time, because that is rare. */
START_TEST(canary_is_written_by_a_script_that_reads_the_clock)
{
    int i;

    for (i = 0; i < 2; i++) {
        submit(&rdl_op_canary_make, 1700000000);
        ck_assert_str_eq(scripted_sent(&s), EVAL RUN);
        scripted_reply(&s, i ? ":0\r\n" : ":1\r\n"); /* another client was faster */
        ck_assert_int_eq(req.answer, i ? RDL_ANSWER_NO : RDL_ANSWER_YES);
        ck_assert(rdl_conn_is_idle(&s.conn));
    }
}
END_TEST

/* Redis 2.6 to 4. */
static const char too_old[] =
    "-ERR Error running script (call to f_" SUM "): @user_script:1: @user_script: 1: "
    "Write commands not allowed after non deterministic commands\r\n";

static const char *const refusals_to_make[] = {
    UNKNOWN,
    "-NOSCRIPT No matching script. Please use EVAL.\r\n", /* in reply to an EVAL: scripts are forbidden */
    "-NOPERM this user has no permissions to run the 'eval' command\r\n",
    too_old,
    "-ERR @user_script: 1: Unknown Redis command called from Lua script\r\n",
    "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
};

/* With a waiter and without one. The reply to SETNX is final. */
START_TEST(canary_without_scripts_has_the_time_of_the_check)
{
    submit(&rdl_op_canary_make, 1700000000);
    if (_i % 2)
        rdl_conn_abandon(&s.conn, &req);
    scripted_sent(&s);
    scripted_reply(&s, refusals_to_make[_i / 2]);
    ck_assert_str_eq(scripted_sent(&s), SETNX);
    scripted_reply(&s, _i < 4 ? refusals_to_make[_i / 2] : ":1\r\n");
    if (_i % 2 == 0)
        ck_assert_int_eq(req.answer, _i < 4 ? RDL_ANSWER_ERROR : RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The reply ends the connection, and the canary is not written elsewhere. */
START_TEST(replica_gets_no_canary)
{
    submit(&rdl_op_canary_make, 1700000000);
    scripted_sent(&s);
    scripted_reply(&s, "-READONLY You can't write against a read only replica.\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_READONLY);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* Kept for the removal, which compares it with the key. */
static const struct {
    const char *reply;
    const char *text;
} kept[] = {
    {"$27\r\n10c0ffee12345678 1700000000\r\n", "10c0ffee12345678 1700000000"},
    {"$40\r\n0123456789012345678901234567890123456789\r\n", "0123456789012345678901234567890123456789"},
    {"$0\r\n\r\n", ""},
};

START_TEST(text_of_a_foreign_canary_is_kept)
{
    char text[RDL_VALUE_MAX];

    memset(text, 0x5a, sizeof text);
    req.text = text;
    submit(&rdl_op_canary_look, 0);
    scripted_sent(&s);
    scripted_reply(&s, kept[_i].reply);
    scripted_reply(&s, CLOCK);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
    ck_assert_uint_eq(req.text_len, strlen(kept[_i].text));
    ck_assert_mem_eq(text, kept[_i].text, req.text_len);
}
END_TEST

Suite *suite_redlock_canary_op(void)
{
    Suite *suite = suite_create("redlock_canary_op");
    TCase *tc = suite_case(suite, "canary", setup, NULL);

    tcase_add_loop_test(tc, canary_value_must_be_of_this_run, 0, sizeof values / sizeof *values);
    tcase_add_loop_test(tc, any_canary_is_accepted_if_the_run_is_unknown, 0, sizeof values / sizeof *values);
    tcase_add_test(tc, canary_has_no_run_id_if_the_run_is_unknown);
    tcase_add_loop_test(tc, canary_is_written_without_a_waiter, 0, 2);
    tcase_add_loop_test(tc, canary_age_is_within_bounds, 0, sizeof ages / sizeof *ages);
    tcase_add_loop_test(tc, unreadable_canary_or_time_is_an_error, 0, 2);
    tcase_add_loop_test(tc, impossible_canary_reply_ends_the_connection, 0,
                        sizeof nonsense / sizeof *nonsense);
    tcase_add_loop_test(tc, invalid_digits_in_the_time_end_only_the_request, 0,
                        2 * sizeof odd_clocks / sizeof *odd_clocks);
    tcase_add_test(tc, canary_is_written_by_a_script_that_reads_the_clock);
    tcase_add_loop_test(tc, canary_without_scripts_has_the_time_of_the_check, 0,
                        2 * sizeof refusals_to_make / sizeof *refusals_to_make);
    tcase_add_test(tc, replica_gets_no_canary);
    tcase_add_loop_test(tc, text_of_a_foreign_canary_is_kept, 0, sizeof kept / sizeof *kept);
    return suite;
}
