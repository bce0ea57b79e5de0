/* SPDX-License-Identifier: MIT */
/*
 * check_net_request.c - what each reply to each request means, method by method, and which replies are
 * impossible.
 *
 * Rules R11, R19 and R20.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

#define REFUSE_DELEX   "-ERR unknown command 'DELEX'\r\n:-2\r\n"
#define REFUSE_DELIFEQ "-ERR unknown command 'DELIFEQ'\r\n:-2\r\n"
#define REFUSE_SCRIPT  "-NOPERM this user has no permissions to run the 'eval' command\r\n"
#define OURS           "$40\r\nabababababababababababababababababababab\r\n"
#define THEIRS         "$40\r\nabababababababababababababababababababac\r\n"

static struct scripted s;
static struct rdl_req req;

enum method { SET, RELEASE_SCRIPT, DELEX, DELIFEQ, RELEASE_WATCH, EXTEND_SCRIPT, EXTEND_WATCH };

/* The refusals that lead to each method. */
static const struct {
    const struct rdl_op *op;
    const char *refusals[5];
} methods[] = {
    {&rdl_op_acquire, {NULL}},
    {&rdl_op_release, {NULL}},
    {&rdl_op_release, {REFUSE_SCRIPT}},
    {&rdl_op_release, {REFUSE_SCRIPT, REFUSE_DELEX}},
    {&rdl_op_release, {REFUSE_SCRIPT, REFUSE_DELEX, REFUSE_DELIFEQ}},
    {&rdl_op_extend, {NULL}},
    {&rdl_op_extend, {REFUSE_SCRIPT}},
};

/* Sends a request by this method; its replies are still to come. */
static void go(enum method method)
{
    struct rdl_command cmd = {methods[method].op, {"k", 1}, {token_hex(0xab), RDL_VALUE_MAX},
                              {NULL, 0},          60000,    30000};
    int i;

    scripted_init(&s);
    memset(&req, 0, sizeof req);
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
    for (i = 0; methods[method].refusals[i] != NULL; i++) {
        scripted_sent(&s);
        scripted_reply(&s, methods[method].refusals[i]);
    }
    scripted_sent(&s);
}

#define PTTL_K     "*2\r\n$4\r\nPTTL\r\n$1\r\nk\r\n"
#define HEX        "abababababababababababababababababababab"
#define CHECK_OURS "+OK\r\n" OURS ":29000\r\n+OK\r\n"
#define CHECK_LONG "+OK\r\n" OURS ":30000\r\n+OK\r\n"
#define DEL_EXEC   "*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n*1\r\n$4\r\nEXEC\r\n"
#define PEX_EXEC   "*3\r\n$7\r\nPEXPIRE\r\n$1\r\nk\r\n$5\r\n30000\r\n*1\r\n$4\r\nEXEC\r\n"
#define PTTL_EXEC  PTTL_K "*1\r\n$4\r\nEXEC\r\n"
#define DISCARD    "*1\r\n$7\r\nDISCARD\r\n"

static const struct {
    enum method method;
    const char *replies;
    const char *then; /* sent next, if there is a second round */
    const char *more; /* and its replies */
    int answer;
    int error;
    int64_t value;
} meanings[] = {
    {SET, "+OK\r\n:30000\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {SET, "+OK\r\n-ERR any\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {SET, "$-1\r\n:1234\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 1234},
    {SET, "$-1\r\n:-1\r\n", "", "", RDL_ANSWER_NO, RDL_OK, -1},
    {SET, "$-1\r\n:-2\r\n", "", "", RDL_ANSWER_NO, RDL_OK, -2},
    {SET, "$-1\r\n-NOPERM no PTTL\r\n", "", "", RDL_ANSWER_NO, RDL_OK, -2},
    {SET, "*-1\r\n:5\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 5},
    {SET, "-OOM x\r\n:-2\r\n", "", "", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0},
    {SET, "-WRONGTYPE x\r\n:-2\r\n", "", "", RDL_ANSWER_ERROR, RDL_E_WRONGTYPE, 0},
    {SET, "-NOPERM x\r\n-NOPERM y\r\n", "", "", RDL_ANSWER_ERROR, RDL_E_PERM, 0},
    {DELEX, ":1\r\n:-2\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {DELEX, ":0\r\n:-2\r\n", "", "", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {DELEX, ":0\r\n-NOPERM no PTTL\r\n", "", "", RDL_ANSWER_UNKNOWN, RDL_E_PERM,
     0}, /* gone, or another client's */
    {DELEX, ":0\r\n-LOADING x\r\n", "", "", RDL_ANSWER_UNKNOWN, RDL_E_TRY_LATER, 0},
    {DELEX, ":1\r\n-NOPERM no PTTL\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {DELIFEQ, ":0\r\n-NOPERM no PTTL\r\n", "", "", RDL_ANSWER_UNKNOWN, RDL_E_PERM, 0},
    {DELEX, ":0\r\n:20\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {DELEX, ":0\r\n:-1\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {DELEX, "-ERR Key should be of string type if conditions are specified\r\n:-1\r\n", "", "", RDL_ANSWER_NO,
     RDL_OK, 0},
    {DELEX, "-LOADING x\r\n-LOADING x\r\n", "", "", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0},
    {DELIFEQ, ":1\r\n:-2\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {DELIFEQ, ":0\r\n:-2\r\n", "", "", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {DELIFEQ, ":0\r\n:9\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {DELIFEQ, "-WRONGTYPE x\r\n:-1\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {RELEASE_SCRIPT, ":1\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {RELEASE_SCRIPT, ":0\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {RELEASE_SCRIPT, ":-1\r\n", "", "", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {RELEASE_SCRIPT, "-WRONGTYPE x script: 0a\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {RELEASE_WATCH, CHECK_OURS, DEL_EXEC, "+QUEUED\r\n*1\r\n:1\r\n", RDL_ANSWER_YES, RDL_OK, 0},
    {RELEASE_WATCH, CHECK_OURS, DEL_EXEC, "+QUEUED\r\n*1\r\n:0\r\n", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {RELEASE_WATCH, CHECK_OURS, DEL_EXEC, "+QUEUED\r\n*1\r\n-NOPERM now\r\n", RDL_ANSWER_ERROR, RDL_E_SERVER,
     0},
    {RELEASE_WATCH, CHECK_OURS, DEL_EXEC, "-OOM x\r\n-EXECABORT x\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0},
    {RELEASE_WATCH, CHECK_OURS, DEL_EXEC, "-ERR x\r\n*0\r\n", RDL_ANSWER_ERROR, RDL_E_SERVER, 0}, /* 2.4 */
    {RELEASE_WATCH, "+OK\r\n$-1\r\n:-2\r\n+OK\r\n", DISCARD, "+OK\r\n", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {RELEASE_WATCH, "+OK\r\n" THEIRS ":5\r\n+OK\r\n", DISCARD, "+OK\r\n", RDL_ANSWER_NO, RDL_OK, 0},
    {RELEASE_WATCH, "+OK\r\n$0\r\n\r\n:5\r\n+OK\r\n", DISCARD, "+OK\r\n", RDL_ANSWER_NO, RDL_OK, 0},
    {RELEASE_WATCH, "+OK\r\n-WRONGTYPE x\r\n:5\r\n+OK\r\n", DISCARD, "+OK\r\n", RDL_ANSWER_NO, RDL_OK, 0},
    {EXTEND_SCRIPT, ":1\r\n", "", "", RDL_ANSWER_YES, RDL_OK, 0},
    {EXTEND_SCRIPT, ":0\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {EXTEND_SCRIPT, ":-1\r\n", "", "", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {EXTEND_SCRIPT, "-WRONGTYPE x\r\n", "", "", RDL_ANSWER_NO, RDL_OK, 0},
    {EXTEND_WATCH, CHECK_OURS, PEX_EXEC, "+QUEUED\r\n*1\r\n:1\r\n", RDL_ANSWER_YES, RDL_OK, 0},
    {EXTEND_WATCH, CHECK_OURS, PEX_EXEC, "+QUEUED\r\n*1\r\n:0\r\n", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {EXTEND_WATCH, CHECK_OURS, PEX_EXEC, "+QUEUED\r\n*1\r\n-ERR x\r\n", RDL_ANSWER_ERROR, RDL_E_SERVER, 0},
    {EXTEND_WATCH, CHECK_LONG, PTTL_EXEC, "+QUEUED\r\n*1\r\n:29990\r\n", RDL_ANSWER_YES, RDL_OK, 0},
    {EXTEND_WATCH, CHECK_LONG, PTTL_EXEC, "+QUEUED\r\n*1\r\n:-2\r\n", RDL_ANSWER_ABSENT, RDL_OK, 0},
    {EXTEND_WATCH, CHECK_LONG, PTTL_EXEC, "+QUEUED\r\n*1\r\n-ERR x\r\n", RDL_ANSWER_ERROR, RDL_E_SERVER, 0},
    {EXTEND_WATCH, CHECK_LONG, PTTL_EXEC, "-OOM x\r\n-EXECABORT x\r\n", RDL_ANSWER_ERROR, RDL_E_TRY_LATER, 0},
    {EXTEND_WATCH, "+OK\r\n" THEIRS ":30000\r\n+OK\r\n", DISCARD, "+OK\r\n", RDL_ANSWER_NO, RDL_OK, 0},
    {EXTEND_WATCH, "+OK\r\n$-1\r\n:-2\r\n+OK\r\n", DISCARD, "+OK\r\n", RDL_ANSWER_ABSENT, RDL_OK, 0},
};

/* A release with a temporary error stays queued. */
static int is_pending(enum method method)
{
    return methods[method].op == &rdl_op_release && req.answer == RDL_ANSWER_ERROR &&
           !rdl_is_permanent(req.error);
}

START_TEST(every_reply_has_its_meaning)
{
    go(meanings[_i].method);
    scripted_reply(&s, meanings[_i].replies);
    ck_assert_str_eq(scripted_sent(&s), meanings[_i].then);
    scripted_reply(&s, meanings[_i].more);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_int_eq(req.answer, meanings[_i].answer);
    ck_assert_int_eq(req.error, meanings[_i].error);
    ck_assert_int_eq(req.value, meanings[_i].value);
    ck_assert_int_eq(rdl_conn_is_idle(&s.conn), !is_pending(meanings[_i].method));
}
END_TEST

static const struct {
    enum method method;
    const char *replies;
} impossible[] = {
    {SET, "+QUEUED\r\n"},
    {SET, "+OX\r\n"},
    {SET, "+XK\r\n"},
    {SET, "+OKAY\r\n"},
    {SET, "+O\r\n"},
    {SET, "+\r\n"},
    {SET, "+ok\r\n"},
    {SET, "$2\r\nOK\r\n"},
    {SET, ":1\r\n"},
    {SET, "*1\r\n+OK\r\n"},
    {SET, "*0\r\n"},
    {SET, "+OK\r\n+OK\r\n"},
    {SET, "$-1\r\n$1\r\n5\r\n"},
    {DELEX, "+OK\r\n"},
    {DELEX, "$-1\r\n"},
    {DELEX, ":0\r\n$-1\r\n"},
    {DELEX, ":1\r\n+OK\r\n"},
    {DELIFEQ, "*1\r\n:1\r\n"},
    {RELEASE_SCRIPT, "+OK\r\n"},
    {RELEASE_SCRIPT, "$1\r\n1\r\n"},
    {RELEASE_SCRIPT, "$-1\r\n"},
    {RELEASE_SCRIPT, "*1\r\n:1\r\n"},
    {RELEASE_SCRIPT, ":2\r\n"},
    {RELEASE_SCRIPT, ":-2\r\n"},
    {EXTEND_SCRIPT, "+OK\r\n"},
    {EXTEND_SCRIPT, ":7\r\n"},
    {RELEASE_WATCH, ":1\r\n"},
    {RELEASE_WATCH, "+OK\r\n:1\r\n"},
    {RELEASE_WATCH, "+OK\r\n" OURS "+OK\r\n"},
    {RELEASE_WATCH, "+OK\r\n" OURS ":5\r\n:1\r\n"},
    {RELEASE_WATCH, "+OK\r\n" THEIRS ":5\r\n+OK\r\n|-ERR DISCARD without MULTI\r\n"},
    {RELEASE_WATCH, CHECK_OURS "|:1\r\n"},
    {RELEASE_WATCH, CHECK_OURS "|+QUEUED\r\n:1\r\n"},
};

START_TEST(impossible_reply_ends_the_connection)
{
    char replies[200];
    char *second;

    strcpy(replies, impossible[_i].replies);
    second = strchr(replies, '|');
    if (second != NULL)
        *second++ = '\0';
    go(impossible[_i].method);
    scripted_reply(&s, replies);
    if (second != NULL) {
        scripted_sent(&s);
        scripted_reply(&s, second);
    }
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_UNEXPECTED);
    ck_assert(req.answer != RDL_ANSWER_NONE || req.may_be_second); /* a release waits once more */
}
END_TEST

/* Longest name, smallest chunk: the commands of every method are sent completely, in both rounds. */
START_TEST(longest_request_can_be_sent_byte_by_byte)
{
    static char name[RDL_NAME_MAX];
    static const char *const checks[] = {"", "", "", "", CHECK_OURS, "", CHECK_OURS};
    struct rdl_command cmd = {
        methods[_i].op, {name, sizeof name}, {token_hex(0xab), RDL_VALUE_MAX}, {NULL, 0}, 60000, UINT32_MAX};
    int i = 0;

    memset(name, 'n', sizeof name);
    memset(&req, 0, sizeof req);
    scripted_init(&s);
    s.chunk = 1;
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
    do {
        ck_assert_int_eq(scripted_sent(&s)[0], '*');
        ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
        if (methods[_i].refusals[i] == NULL)
            break;
        scripted_reply(&s, methods[_i].refusals[i++]);
    } while (i < 5);
    scripted_reply(&s, checks[_i]);
    ck_assert_int_eq(scripted_sent(&s)[0], checks[_i][0] == '\0' ? '\0' : '*');
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
}
END_TEST

START_TEST(granted_set_stays_granted_after_a_protocol_error)
{
    go(SET);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    scripted_reply(&s, "nonsense");
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_SYNTAX);
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
}
END_TEST

START_TEST(a_refused_set_stays_refused_when_its_pttl_is_lost)
{
    go(SET);
    scripted_reply(&s, "$-1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    scripted_break(&s);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
    ck_assert_int_eq(req.value, -2);
    ck_assert_int_eq(req.error, RDL_OK);
}
END_TEST

static const enum method writers[] = {SET,           DELEX,         DELIFEQ,     RELEASE_SCRIPT,
                                      EXTEND_SCRIPT, RELEASE_WATCH, EXTEND_WATCH};

START_TEST(readonly_reply_ends_the_connection)
{
    go(writers[_i]);
    scripted_reply(&s, "-READONLY You can't write against a read only replica.\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, RDL_E_READONLY);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_READONLY);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    /* only a release is tried again, on the next connection */
    ck_assert_int_eq(rdl_conn_is_idle(&s.conn), !is_pending(writers[_i]));
}
END_TEST

/* Also if nothing has to change because the key lasts long enough: its owner is still unknown. */
START_TEST(watch_checks_a_changed_key_again)
{
    static const char *const checks[] = {CHECK_OURS, CHECK_OURS, CHECK_LONG};
    static const char *const acts[] = {DEL_EXEC, PEX_EXEC, PTTL_EXEC};
    int i;

    go(_i == 0 ? RELEASE_WATCH : EXTEND_WATCH);
    for (i = 0; i < 5; i++) {
        scripted_reply(&s, checks[_i]);
        ck_assert_str_eq(scripted_sent(&s), acts[_i]);
        scripted_reply(&s, "+QUEUED\r\n*-1\r\n");
        ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
        ck_assert_int_eq(strncmp(scripted_sent(&s), "*2\r\n$5\r\nWATCH", 13), 0);
    }
    scripted_reply(&s, "+OK\r\n" THEIRS ":30000\r\n+OK\r\n");
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_NO);
}
END_TEST

START_TEST(watch_has_the_connection_to_itself)
{
    struct rdl_req other = {0};
    struct rdl_command set = {&rdl_op_acquire, {"k2", 2}, {token_hex(2), RDL_VALUE_MAX},
                              {NULL, 0},       60000,     30000};

    go(RELEASE_WATCH);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &other, &set), RDL_OK);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_READ);
    scripted_reply(&s, CHECK_OURS);
    ck_assert_str_eq(scripted_sent(&s), DEL_EXEC);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n:1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k2", token_hex(2), 30000));
    set.op = &rdl_op_release; /* and it does not begin while other requests are unanswered */
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &set), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), "");
    scripted_reply(&s, "$-1\r\n:5\r\n");
    ck_assert_int_eq(strncmp(scripted_sent(&s), "*2\r\n$5\r\nWATCH", 13), 0);
}
END_TEST

/*
 * Before or after the reply to MULTI, when the change is not sent yet: MULTI must not queue what comes next
 * on the connection.
 */
START_TEST(watch_abandoned_between_rounds_leaves_multi)
{
    static const enum method which[] = {RELEASE_WATCH, EXTEND_WATCH, EXTEND_WATCH};
    static const char *const checks[] = {CHECK_OURS, CHECK_OURS, CHECK_LONG};
    static const char *const acts[] = {DEL_EXEC, PEX_EXEC, PTTL_EXEC};
    struct rdl_req other = {0};
    struct rdl_command set = {&rdl_op_acquire, {"k2", 2}, {token_hex(2), RDL_VALUE_MAX},
                              {NULL, 0},       60000,     30000};

    go(which[_i % 3]);
    if (_i < 3)
        scripted_reply(&s, checks[_i % 3]);
    rdl_conn_abandon(&s.conn, &req);
    ck_assert_int_eq(req.answer, RDL_ANSWER_UNKNOWN);
    if (_i >= 3)
        scripted_reply(&s, checks[_i % 3]);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &other, &set), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), acts[_i % 3]);
    scripted_reply(&s, "+QUEUED\r\n*1\r\n:1\r\n");
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k2", token_hex(2), 30000));
    scripted_reply(&s, "+OK\r\n:30000\r\n");
    ck_assert_int_eq(other.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(interrupted_watch_leaves_nothing_on_the_next_connection)
{
    go(RELEASE_WATCH);
    scripted_reply(&s, CHECK_OURS);
    if (_i)
        scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(req.answer, RDL_ANSWER_NONE);
    scripted_open(&s, 2000);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", HEX));
    scripted_reply(&s, ":-1\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_ABSENT);
    ck_assert(req.may_be_second);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

Suite *suite_net_request(void)
{
    Suite *suite = suite_create("net_request");
    TCase *tc = suite_case(suite, "request", NULL, NULL);

    tcase_add_loop_test(tc, every_reply_has_its_meaning, 0, sizeof meanings / sizeof meanings[0]);
    tcase_add_loop_test(tc, impossible_reply_ends_the_connection, 0,
                        sizeof impossible / sizeof impossible[0]);
    tcase_add_loop_test(tc, longest_request_can_be_sent_byte_by_byte, 0, sizeof methods / sizeof methods[0]);
    tcase_add_test(tc, granted_set_stays_granted_after_a_protocol_error);
    tcase_add_test(tc, a_refused_set_stays_refused_when_its_pttl_is_lost);
    tcase_add_loop_test(tc, readonly_reply_ends_the_connection, 0, sizeof writers / sizeof writers[0]);
    tcase_add_loop_test(tc, watch_checks_a_changed_key_again, 0, 3);
    tcase_add_test(tc, watch_has_the_connection_to_itself);
    tcase_add_loop_test(tc, watch_abandoned_between_rounds_leaves_multi, 0, 6);
    tcase_add_loop_test(tc, interrupted_watch_leaves_nothing_on_the_next_connection, 0, 2);
    return suite;
}
