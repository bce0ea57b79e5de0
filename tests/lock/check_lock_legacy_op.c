/* SPDX-License-Identifier: MIT */
/* check_lock_legacy_op.c - the requests of the old protocol, and what every reply to them means. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_legacy.h"
#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define REFUSED   "-ERR unknown command 'X', with args beginning with: 'k' \r\n"
#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"

static struct scripted s;
static struct rdl_req req;
static char peer[RDL_PEER_MAX];

static void submit(const struct rdl_op *op)
{
    static const struct rdl_command base = {.name = {"k", 1},
                                            .value = {"1700000011", 10},
                                            .extra = {"1699999999", 10},
                                            .until_ms = 60000,
                                            .ttl_ms = 10000};
    struct rdl_command cmd = base;

    cmd.op = op;
    memset(&req, 0, sizeof req);
    memset(peer, '#', sizeof peer);
    req.text = peer;
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
}

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
}

struct reply {
    const char *text;
    enum rdl_answer answer;
    int error;
    int64_t value;
    const char *kept; /* NULL: nothing */
};

static void check_reply(const struct rdl_op *op, const struct reply *r)
{
    submit(op);
    scripted_sent(&s);
    scripted_reply(&s, r->text);
    ck_assert_int_eq(req.answer, r->answer);
    ck_assert_int_eq(req.error, r->error);
    ck_assert_int_eq(req.value, r->value);
    if (r->kept != NULL) {
        ck_assert_uint_eq(req.text_len, strlen(r->kept));
        ck_assert_mem_eq(peer, r->kept, strlen(r->kept));
    }
    ck_assert(rdl_conn_is_idle(&s.conn));
}

/* ---------------------------------------------------------------- TIME */

static const struct reply times[] = {
    {"*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n", RDL_ANSWER_YES, 0, (int64_t)1700000000 << 10 | 500, NULL},
    {"*2\r\n$10\r\n1700000000\r\n$1\r\n7\r\n", RDL_ANSWER_YES, 0, (int64_t)1700000000 << 10, NULL},
    {"*2\r\n$10\r\n4294967295\r\n$6\r\n999999\r\n", RDL_ANSWER_YES, 0, (int64_t)4294967295 << 10 | 999, NULL},
    {"*2\r\n:1700000000\r\n:1000\r\n", RDL_ANSWER_YES, 0, (int64_t)1700000000 << 10 | 1, NULL},
    {REFUSED, RDL_ANSWER_ERROR, RDL_E_UNSUPPORTED, 0, NULL},
    {"-NOPERM no\r\n", RDL_ANSWER_ERROR, RDL_E_PERM, 0, NULL},
    {"-LOADING Redis is loading\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0, NULL},
};

/* A longer value was there before. */
START_TEST(value_ends_where_its_length_says)
{
    ck_assert_uint_eq(rdl_legacy_seconds("17000000009", 10), 1700000000);
    ck_assert_uint_eq(rdl_legacy_seconds("1700000000.5x", 12), 1700000000);
}
END_TEST

/* The six largest 32-bit numbers are refused, too. They are in 2106, when no lease ends. */
START_TEST(seconds_above_4294967289_are_no_time)
{
    ck_assert_uint_eq(rdl_legacy_seconds("4294967289", 10), 4294967289u);
    ck_assert_uint_eq(rdl_legacy_seconds("4294967290", 10), 0);
    ck_assert_uint_eq(rdl_legacy_seconds("4294967300", 10), 0);
    ck_assert_uint_eq(rdl_legacy_seconds("42949672890", 11), 0);
}
END_TEST

START_TEST(time_is_seconds_and_milliseconds)
{
    check_reply(&rdl_op_time, &times[_i]);
}
END_TEST

START_TEST(impossible_reply_to_time_ends_the_connection)
{
    static const char *const texts[] = {"*1\r\n$10\r\n1700000000\r\n", "*0\r\n", "+OK\r\n", ":1700000000\r\n",
                                        "$-1\r\n"};

    submit(&rdl_op_time);
    ck_assert_str_eq(scripted_sent(&s), "*1\r\n$4\r\nTIME\r\n");
    scripted_reply(&s, texts[_i]);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

/* Other locks on the same connection are not affected. */
START_TEST(invalid_digits_of_time_end_only_that_request)
{
    static const char *const texts[] = {
        "*2\r\n$4\r\nnoon\r\n$1\r\n0\r\n",
        "*2\r\n$10\r\n1700000000\r\n$7\r\n1000000\r\n",
        "*2\r\n$10\r\n1700000000\r\n$2\r\n-1\r\n",
        "*2\r\n$21\r\n170000000000000000000\r\n$1\r\n0\r\n",
    };

    submit(&rdl_op_time);
    scripted_sent(&s);
    scripted_reply(&s, texts[_i]);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_UNEXPECTED);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- SETNX, PTTL, GET */

static const struct reply setnxs[] = {
    {":1\r\n:-1\r\n$10\r\n1700000011\r\n", RDL_ANSWER_YES, 0, 0, NULL},
    {":1\r\n" REFUSED REFUSED, RDL_ANSWER_YES, 0, 0, NULL},
    {":0\r\n:-1\r\n$10\r\n1700000007\r\n", RDL_ANSWER_NO, 0, -1, "1700000007"},
    {":0\r\n:1234\r\n$0\r\n\r\n", RDL_ANSWER_NO, 0, 1234, ""},
    {":0\r\n:5\r\n$26\r\nabcdefghijklmnopqrstuvwxyz\r\n", RDL_ANSWER_NO, 0, 5, "abcdefghijklmnopqrstuvwx"},
    {":0\r\n" REFUSED "$1\r\nx\r\n", RDL_ANSWER_NO, 0, -1, "x"}, /* no PTTL before 2.6 */
    {":0\r\n:-2\r\n$-1\r\n", RDL_ANSWER_ABSENT, 0, -2, NULL},
    {":0\r\n:-1\r\n" WRONGTYPE, RDL_ANSWER_ERROR, RDL_E_WRONGTYPE, -1, NULL},
    {":0\r\n:-1\r\n-NOPERM no\r\n", RDL_ANSWER_ERROR, RDL_E_PERM, -1, NULL},
    {REFUSED ":-2\r\n$-1\r\n", RDL_ANSWER_ERROR, RDL_E_UNSUPPORTED, 0, NULL},
    {"-OOM command not allowed\r\n:-2\r\n$-1\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0, NULL},
};

START_TEST(setnx_reply_reports_the_holders_value)
{
    check_reply(&rdl_op_setnx, &setnxs[_i]);
}
END_TEST

/* A winner need not wait for the other two replies. */
START_TEST(setnx_is_granted_by_its_first_reply)
{
    submit(&rdl_op_setnx);
    ck_assert_str_eq(scripted_sent(&s), "*3\r\n$5\r\nSETNX\r\n$1\r\nk\r\n$10\r\n1700000011\r\n"
                                        "*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert(!rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(setnx_cut_off_has_the_result_of_its_replies_so_far)
{
    static const char *const replies[] = {"", ":0\r\n", ":0\r\n:7\r\n", ":1\r\n"};
    static const enum rdl_answer answers[] = {RDL_ANSWER_UNKNOWN, RDL_ANSWER_NO, RDL_ANSWER_NO,
                                              RDL_ANSWER_YES};

    submit(&rdl_op_setnx);
    scripted_sent(&s);
    scripted_reply(&s, replies[_i]);
    scripted_break(&s);
    ck_assert_int_eq(req.answer, answers[_i]);
    ck_assert_uint_eq(req.text_len, 0);
}
END_TEST

/* A caller that does not want the value gets the answer alone. */
START_TEST(value_without_a_buffer_is_not_kept)
{
    submit(&rdl_op_setnx);
    req.text = NULL;
    scripted_sent(&s);
    scripted_reply(&s, ":0\r\n:7\r\n$10\r\n1700000007\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
    ck_assert_int_eq(req.value, 7);
    ck_assert_uint_eq(req.text_len, 0);
    submit(&rdl_op_setnx);
    scripted_sent(&s);
    rdl_conn_abandon(&s.conn, &req); /* here no caller waits, either */
    scripted_reply(&s, ":0\r\n:7\r\n$10\r\n1700000007\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_mem_eq(peer, "##########", 10);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- compare and set */

static const struct reply scripts[] = {
    {":1\r\n", RDL_ANSWER_YES, 0, 0, NULL},
    {":0\r\n", RDL_ANSWER_NO, 0, 0, NULL},
    {":-1\r\n", RDL_ANSWER_ABSENT, 0, 0, NULL},
    {"-WRONGTYPE Operation script: abf4\r\n", RDL_ANSWER_ERROR, RDL_E_WRONGTYPE, 0, NULL},
    {"-OOM command not allowed\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0, NULL},
};

START_TEST(replace_by_script_has_the_result_of_its_reply)
{
    check_reply(&rdl_op_replace, &scripts[_i]);
}
END_TEST

/* No scripts: the next method is WATCH. */
static void replace_by_watch(void)
{
    submit(&rdl_op_replace);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_replace.text));
    scripted_reply(&s, REFUSED);
    ck_assert_str_eq(scripted_sent(&s), "*2\r\n$5\r\nWATCH\r\n$1\r\nk\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
                                        "*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n*1\r\n$5\r\nMULTI\r\n");
}

static const char discard[] = "*1\r\n$7\r\nDISCARD\r\n";
static const char act[] = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$10\r\n1700000011\r\n*1\r\n$4\r\nEXEC\r\n";
#define FOUND "+OK\r\n$10\r\n1699999999\r\n"

static const struct {
    const char *first;
    const char *sent;
    const char *replies;
    enum rdl_answer answer;
    int error;
} watches[] = {
    {FOUND ":-1\r\n+OK\r\n", act, "+QUEUED\r\n*1\r\n+OK\r\n", RDL_ANSWER_YES, 0},
    {FOUND REFUSED "+OK\r\n", act, "+QUEUED\r\n*1\r\n+OK\r\n", RDL_ANSWER_YES, 0}, /* before 2.6 */
    {"+OK\r\n$10\r\n1699999998\r\n:-1\r\n+OK\r\n", discard, "+OK\r\n", RDL_ANSWER_NO, 0},
    {"+OK\r\n$-1\r\n:-2\r\n+OK\r\n", discard, "+OK\r\n", RDL_ANSWER_ABSENT, 0},
    {"+OK\r\n" WRONGTYPE ":-1\r\n+OK\r\n", discard, "+OK\r\n", RDL_ANSWER_ERROR, RDL_E_WRONGTYPE},
    {FOUND ":-1\r\n+OK\r\n", act, "-OOM command not allowed\r\n-EXECABORT Transaction discarded\r\n",
     RDL_ANSWER_ERROR, RDL_E_TRY_LATER},
    {FOUND ":-1\r\n" REFUSED, "", "", RDL_ANSWER_ERROR, RDL_E_UNSUPPORTED},
    {REFUSED "$10\r\n1699999999\r\n:-1\r\n+OK\r\n", discard, "+OK\r\n", RDL_ANSWER_ERROR, RDL_E_UNSUPPORTED},
};

START_TEST(replace_by_watch_uses_the_value_it_found)
{
    replace_by_watch();
    scripted_reply(&s, watches[_i].first);
    ck_assert_str_eq(scripted_sent(&s), watches[_i].sent);
    scripted_reply(&s, watches[_i].replies);
    ck_assert_int_eq(req.answer, watches[_i].answer);
    ck_assert_int_eq(req.error, watches[_i].error);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(key_that_changed_before_exec_is_checked_again)
{
    replace_by_watch();
    scripted_reply(&s, FOUND ":-1\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), act);
    scripted_reply(&s, "+QUEUED\r\n*-1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "WATCH"));
    scripted_reply(&s, "+OK\r\n$10\r\n1700000042\r\n:-1\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), discard);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
}
END_TEST

static void fill_with_others(void)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};

    while (rdl_conn_submit(&s.conn, NULL, &other) == RDL_OK) {
    }
}

/* The change is sent in the second round: its room for a release is kept until the reply. */
START_TEST(unanswered_change_under_watch_can_be_released)
{
    const struct rdl_command release = {&rdl_op_release, {"k", 1},   {"1700000011", 10},
                                        {NULL, 0},       UINT64_MAX, 0};

    replace_by_watch();
    scripted_reply(&s, FOUND ":-1\r\n+OK\r\n");
    ck_assert_str_eq(scripted_sent(&s), act);
    if (_i == 1) { /* and in the third round */
        scripted_reply(&s, "+QUEUED\r\n*-1\r\n");
        scripted_sent(&s);
        scripted_reply(&s, FOUND ":-1\r\n+OK\r\n");
        ck_assert_str_eq(scripted_sent(&s), act);
    }
    fill_with_others();
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    rdl_conn_free_room(&s.conn, &req);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, NULL, &release), RDL_OK);
}
END_TEST

/*
 * However it ends, and whatever is sent again meanwhile: it has room for one release, which
 * rdl_conn_free_room frees.
 */
START_TEST(change_under_watch_has_room_for_one_release)
{
    static const char *const ends[] = {"*1\r\n+OK\r\n", "-EXECABORT x\r\n", "*-1\r\n"};
    struct rdl_command other = {&rdl_op_acquire, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 10000};
    struct rdl_req last = {0};
    uint32_t room;
    int i;

    replace_by_watch();
    room = s.conn.reserved;
    for (i = 0; i < 100; i++) {
        scripted_reply(&s, FOUND ":-1\r\n+OK\r\n");
        ck_assert_str_eq(scripted_sent(&s), act);
        scripted_reply(&s, "+QUEUED\r\n");
        scripted_reply(&s, ends[_i]);
        ck_assert_uint_eq(s.conn.reserved, room);
        if (_i < 2) {
            rdl_conn_free_room(&s.conn, &req);
            submit(&rdl_op_replace);
        }
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "WATCH"));
    }
    rdl_conn_abandon(&s.conn, &req);
    scripted_reply(&s, FOUND ":-1\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n+OK\r\n");
    ck_assert(rdl_conn_is_idle(&s.conn));
    rdl_conn_free_room(&s.conn, &req);
    ck_assert_uint_eq(s.conn.reserved, 0);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &last, &other), RDL_OK);
}
END_TEST

/* A method that is refused for this op may still work for another. */
START_TEST(refusal_is_remembered_only_for_its_op)
{
    int i;

    replace_by_watch();
    for (i = 0; i < 2; i++) {
        scripted_reply(&s, "+OK\r\n$-1\r\n:-2\r\n+OK\r\n");
        scripted_sent(&s);
        scripted_reply(&s, "+OK\r\n");
        ck_assert_int_eq(req.answer, RDL_ANSWER_ABSENT);
        submit(i == 0 ? &rdl_op_replace : &rdl_op_release);
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), i == 0 ? "WATCH" : rdl_script_release.text));
    }
}
END_TEST

/* ---------------------------------------------------------------- GETSET, DEL */

static const struct reply getsets[] = {
    {"$-1\r\n", RDL_ANSWER_YES, 0, 0, NULL},
    {"$10\r\n1699999999\r\n", RDL_ANSWER_NO, 0, 0, "1699999999"},
    {"$0\r\n\r\n", RDL_ANSWER_NO, 0, 0, ""},
    {"$26\r\nabcdefghijklmnopqrstuvwxyz\r\n", RDL_ANSWER_NO, 0, 0, "abcdefghijklmnopqrstuvwx"},
    {WRONGTYPE, RDL_ANSWER_ERROR, RDL_E_WRONGTYPE, 0, NULL},
    {REFUSED, RDL_ANSWER_ERROR, RDL_E_UNSUPPORTED, 0, NULL},
};

START_TEST(getset_reports_the_overwritten_value)
{
    check_reply(&rdl_op_getset, &getsets[_i]);
}
END_TEST

static const struct reply deletes[] = {
    {":1\r\n", RDL_ANSWER_YES, 0, 0, NULL},
    {":0\r\n", RDL_ANSWER_ABSENT, 0, 0, NULL},
    {REFUSED, RDL_ANSWER_ERROR, RDL_E_UNSUPPORTED, 0, NULL},
};

START_TEST(del_reports_whether_the_key_existed)
{
    check_reply(&rdl_op_delete, &deletes[_i]);
}
END_TEST

static const struct reply founds[] = {
    {"$10\r\n1700000007\r\n", RDL_ANSWER_YES, 0, 0, "1700000007"},
    {"$0\r\n\r\n", RDL_ANSWER_YES, 0, 0, ""},
    {"$26\r\nabcdefghijklmnopqrstuvwxyz\r\n", RDL_ANSWER_YES, 0, 0, "abcdefghijklmnopqrstuvwx"},
    {"$-1\r\n", RDL_ANSWER_ABSENT, 0, 0, NULL},
    {WRONGTYPE, RDL_ANSWER_NO, 0, 0, NULL}, /* for a release: another client's */
    {"-ERR Operation against a key holding the wrong kind of value\r\n", RDL_ANSWER_NO, 0, 0, NULL},
    {"-NOPERM no\r\n", RDL_ANSWER_ERROR, RDL_E_PERM, 0, NULL},
};

START_TEST(get_reports_the_value)
{
    submit(&rdl_op_found);
    ck_assert_str_eq(scripted_sent(&s), "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    scripted_reply(&s, "$-1\r\n");
    check_reply(&rdl_op_found, &founds[_i]);
}
END_TEST

/* Like rdl_op_release, but an unanswered one is not sent again. */
START_TEST(release_once_does_not_survive_its_connection)
{
    submit(&rdl_op_release_once);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release.text));
    if (_i == 1)
        rdl_conn_abandon(&s.conn, &req);
    scripted_break(&s);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(getset_and_del_are_plain_commands)
{
    submit(_i ? &rdl_op_delete : &rdl_op_getset);
    ck_assert_str_eq(scripted_sent(&s), _i ? "*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n"
                                           : "*3\r\n$6\r\nGETSET\r\n$1\r\nk\r\n$10\r\n1700000011\r\n");
    scripted_reply(&s, "+QUEUED\r\n"); /* a type that is impossible here */
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
}
END_TEST

Suite *suite_lock_legacy_op(void)
{
    Suite *suite = suite_create("lock_legacy_op");
    TCase *tc = suite_case(suite, "replies", setup, NULL);

    tcase_add_loop_test(tc, time_is_seconds_and_milliseconds, 0, sizeof times / sizeof times[0]);
    tcase_add_loop_test(tc, impossible_reply_to_time_ends_the_connection, 0, 5);
    tcase_add_loop_test(tc, invalid_digits_of_time_end_only_that_request, 0, 4);
    tcase_add_loop_test(tc, setnx_reply_reports_the_holders_value, 0, sizeof setnxs / sizeof setnxs[0]);
    tcase_add_test(tc, setnx_is_granted_by_its_first_reply);
    tcase_add_loop_test(tc, setnx_cut_off_has_the_result_of_its_replies_so_far, 0, 4);
    tcase_add_test(tc, value_without_a_buffer_is_not_kept);
    tcase_add_loop_test(tc, replace_by_script_has_the_result_of_its_reply, 0,
                        sizeof scripts / sizeof scripts[0]);
    tcase_add_loop_test(tc, replace_by_watch_uses_the_value_it_found, 0, sizeof watches / sizeof watches[0]);
    tcase_add_test(tc, key_that_changed_before_exec_is_checked_again);
    tcase_add_loop_test(tc, unanswered_change_under_watch_can_be_released, 0, 2);
    tcase_add_loop_test(tc, change_under_watch_has_room_for_one_release, 0, 3);
    tcase_add_test(tc, refusal_is_remembered_only_for_its_op);
    tcase_add_loop_test(tc, getset_reports_the_overwritten_value, 0, sizeof getsets / sizeof getsets[0]);
    tcase_add_loop_test(tc, del_reports_whether_the_key_existed, 0, sizeof deletes / sizeof deletes[0]);
    tcase_add_loop_test(tc, get_reports_the_value, 0, sizeof founds / sizeof founds[0]);
    tcase_add_loop_test(tc, release_once_does_not_survive_its_connection, 0, 2);
    tcase_add_loop_test(tc, getset_and_del_are_plain_commands, 0, 2);
    tcase_add_test(tc, value_ends_where_its_length_says);
    tcase_add_test(tc, seconds_above_4294967289_are_no_time);
    return suite;
}
