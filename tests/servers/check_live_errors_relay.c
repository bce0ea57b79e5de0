/* SPDX-License-Identifier: MIT */
/*
 * Replies of real servers to bytes that the library never sends: a relay replaces some of its bytes. Protocol
 * errors, scripts that were killed or fail, transactions that are aborted, commands of administrators.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/asking.h"
#include "tests/fixtures/relay.h"
#include "tests/suite.h"

static struct relay relay;
static pid_t background;
static char received[8192]; /* all that the client received */

static void setup(void)
{
    memset(&asked, 0, sizeof asked);
    memset(&relay, 0, sizeof relay);
}

static void teardown(void)
{
    relay_stop(&relay);
    live_remove(&asked);
}

static void note(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    size_t used = strlen(received);

    (void)ctx;
    (void)c;
    if (dir == '<' && data != NULL && used + len < sizeof received)
        memcpy(received + used, data, len);
}

/* A client whose bytes go through the relay; the server runs, and knows the user lk. */
static void begin(const char *login, const char *find, const char *put)
{
    char url[128];

    asking_begin("");
    relay.find = find;
    relay.put = put;
    relay_start(&relay, asked.port, 0);
    snprintf(url, sizeof url, "redis://%s127.0.0.1:%d", login, relay.port);
    client_init(&asking, url);
    asking.cfg.trace = note;
}

static void assert_class(int code, int is_for_good, const char *words)
{
    ck_assert_int_eq(rdl_is_permanent(code), is_for_good);
    ck_assert_str_eq(rdl_strerror(code), words);
}

/* The lock, with so much time to live that an extend must have changed it. */
static void plant(void)
{
    live_command(&asked, "SET k %.*s PX 20000", (int)sizeof asking.token, asking.token);
    ck_assert_str_eq(asked.reply, "+OK\r\n");
}

static long pttl(void)
{
    return strtol(live_command(&asked, "PTTL k") + 1, NULL, 10);
}

/* ---------------------------------------------------------------- protocol errors */

static const struct {
    const char *find;
    const char *put;
    const char *text; /* NULL: it hangs up without a reply */
    const char *password;
} broken[] = {
    {"$3\r\nSET", "x3\r\nSET", "ERR Protocol error: expected '$', got 'x'", NULL},
    {"*6\r\n", "*9999999999\r\n", "ERR Protocol error: invalid multibulk length", NULL},
    {"$3\r\nSET", "$9999999999\r\nSET", "ERR Protocol error: invalid bulk length", NULL},
    {"*6\r\n", "*11\r\n", "ERR Protocol error: unauthenticated multibulk length", "pw"},
    {"$3\r\nSET", "$16385\r\nSET", "ERR Protocol error: unauthenticated bulk length", "pw"},
    {"*6\r\n", "POST / HTTP/1.1\r\nHost: x\r\n", NULL, NULL},
};

/* It is permanent, and the connection ends with it; the next connection works. */
START_TEST(a_protocol_error_is_permanent_and_ends_the_connection)
{
    asked.password = broken[_i].password;
    begin("", broken[_i].find, broken[_i].put);
    if (broken[_i].text != NULL) {
        asking_refused(&rdl_op_acquire, "k", RDL_E_UNSUPPORTED, broken[_i].text);
        assert_class(RDL_E_UNSUPPORTED, 1, "the server does not support the command");
    } else {
        ck_assert_int_eq(asking_ask(&rdl_op_acquire, "k"), RDL_ANSWER_UNKNOWN);
        ck_assert_int_eq(asking.req.error, RDL_E_CLOSED);
        assert_class(RDL_E_CLOSED, 0, "the connection was closed before the reply");
    }
    client_wait_closed(&asking);
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
    if (asked.password == NULL)
        ck_assert_int_eq(asking_ask(&rdl_op_acquire, "k"), RDL_ANSWER_YES);
}
END_TEST

/* Earlier replies are valid; later requests were not done, which the client cannot know. */
START_TEST(only_replies_before_a_protocol_error_are_valid)
{
    static const char *const names[] = {"a", "b", "c"};
    struct rdl_req reqs[3];
    int i;

    begin("", "$1\r\nb\r\n", "x1\r\nb\r\n");
    memset(reqs, 0, sizeof reqs);
    for (i = 0; i < 3; i++) {
        const struct rdl_command cmd = {.op = &rdl_op_acquire,
                                        .name = {names[i], 1},
                                        .value = {asking.token, sizeof asking.token},
                                        .until_ms = UINT64_MAX,
                                        .ttl_ms = 60000};
        ck_assert_int_eq(rdl_conn_submit(&asking.conn, &reqs[i], &cmd), RDL_OK);
    }
    while (reqs[2].answer == RDL_ANSWER_NONE)
        client_step(&asking, client_now() + 20);
    ck_assert_int_eq(reqs[0].answer, RDL_ANSWER_YES);
    ck_assert_int_eq(reqs[1].answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(reqs[1].error, RDL_E_UNSUPPORTED);
    ck_assert_int_eq(reqs[2].answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(reqs[2].error, RDL_E_CLOSED);
    ck_assert_str_eq(live_command(&asked, "EXISTS a"), ":1\r\n");
    ck_assert_str_eq(live_command(&asked, "EXISTS b c"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- scripts */

/* The beginning of all our scripts; its replacement is as long, and makes the rest a comment. */
#define HEAD "local v=redis.call('GET',KEYS[1])"

static const char *const quick[] = {"--lua-time-limit", "20", NULL};

START_TEST(a_killed_script_is_sent_again)
{
    asked.args = quick;
    begin("", HEAD, "while true do end              --");
    plant();
    client_submit(&asking, &rdl_op_extend, "k");
    while (strncmp(live_command(&asked, "PING"), "-BUSY", 5) != 0)
        client_step(&asking, client_now() + 20);
    ck_assert_str_eq(live_command(&asked, "SCRIPT KILL"), "+OK\r\n");
    ck_assert_int_eq(client_wait(&asking), RDL_ANSWER_ERROR);
    ck_assert_int_eq(asking.req.error, RDL_E_SERVER);
    assert_class(RDL_E_SERVER, 0, "the server replied with an error");
    ck_assert_ptr_nonnull(strstr(received, "Script killed by user with SCRIPT KILL"));
    ck_assert_int_eq(strncmp(rdl_conn_text(&asking.conn),
                             asking_major() < 7 ? "ERR Error running script" : "ERR Script killed by user",
                             24),
                     0);
    ck_assert_int_le(pttl(), 20000);
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_int_gt(pttl(), 20000);
}
END_TEST

/* Then scripts are excluded, and the next method is used. */
START_TEST(a_script_that_does_not_compile_is_avoided)
{
    begin("", HEAD, "((                             --");
    plant();
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_ptr_nonnull(strstr(received, "-ERR Error compiling script"));
    ck_assert_int_eq(strncmp(rdl_conn_text(&asking.conn), "ERR ", 4), 0);
    ck_assert_int_gt(pttl(), 20000);
}
END_TEST

/* Unless the server has MSETEX. */
START_TEST(a_multi_lock_whose_script_does_not_compile_is_refused)
{
    begin("", "for i=1,#KEYS do", "((              ");
    if (strstr(live_command(&asked, "MSETEX"), "wrong number of arguments") != NULL) {
        ck_assert_int_eq(asking_ask(&rdl_op_acquire_multi, "\001k"), RDL_ANSWER_YES);
        return;
    }
    asking_refused(&rdl_op_acquire_multi, "\001k", RDL_E_UNSUPPORTED, "ERR Error compiling script");
    assert_class(RDL_E_UNSUPPORTED, 1, "the server does not support the command");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
}
END_TEST

static void serve_slot_of_k(void)
{
    live_command(&asked, "CLUSTER KEYSLOT k");
    live_command(&asked, "CLUSTER ADDSLOTS %ld", strtol(asked.reply + 1, NULL, 10));
    live_await(&asked, "CLUSTER INFO", "cluster_state:ok");
}

/* A key that none of our scripts names, outside the node's slots. Three texts of the error since 7.0. */
static int is_astray(const char *text)
{
    static const char *const ways[] = {"ERR Script attempted to access a non local key",
                                       "ERR Script attempted to access a slot not served",
                                       "ERR Attempted to access a non local key"};
    size_t i;

    for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strncmp(text, ways[i], strlen(ways[i])) == 0)
            return 1;
    }
    return 0;
}

START_TEST(a_cluster_node_refuses_a_script_outside_its_slot)
{
    static const char *const cluster[] = {"--cluster-enabled", "yes", "--cluster-require-full-coverage", "no",
                                          NULL};

    asked.args = cluster;
    begin("", HEAD, "redis.call('SET','other','xyz')--");
    serve_slot_of_k();
    plant();
    if (asking_major() < 7) {
        asking_refused(&rdl_op_extend, "k", RDL_E_SERVER, "ERR Error running script");
    } else {
        asking_refused(&rdl_op_extend, "k", RDL_E_CLUSTER, "ERR ");
        ck_assert_msg(is_astray(rdl_conn_text(&asking.conn)), "%s", rdl_conn_text(&asking.conn));
        assert_class(RDL_E_CLUSTER, 1, "the server is a cluster node");
    }
    ck_assert_ptr_nonnull(strstr(received, "ttempted to access a "));
    ck_assert_str_eq(live_command(&asked, "DBSIZE"), ":1\r\n");
    ck_assert_int_le(pttl(), 20000);
}
END_TEST

/* ---------------------------------------------------------------- transactions */

/* This user may use no method but WATCH. */
static void begin_with_watch(const char *find, const char *put)
{
    begin("lk:secret@", find, put);
    ck_assert_str_eq(live_command(&asked, "ACL SETUSER lk on >secret ~* +@all -eval -evalsha -set"),
                     "+OK\r\n");
    plant();
}

START_TEST(a_transaction_with_an_error_in_it_is_aborted)
{
    begin_with_watch("$7\r\nPEXPIRE", "$7\r\nPEXPIR1");
    asking_refused(&rdl_op_extend, "k", RDL_E_UNSUPPORTED, "ERR unknown command");
    ck_assert_ptr_nonnull(strstr(received, "\r\n-ERR unknown command"));
    ck_assert_ptr_nonnull(
        strstr(received, "\r\n-EXECABORT Transaction discarded because of previous errors."));
    ck_assert_int_le(pttl(), 20000);
    ck_assert_int_eq(rdl_conn_state(&asking.conn), RDL_CONN_READY);
}
END_TEST

/* The key changes under WATCH, before MULTI: EXEC does nothing and replies nil. */
#define MULTI "*1\r\n$5\r\nMULTI\r\n"
#define CHANGE                                                                                               \
    "*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nSKIP\r\n*3\r\n$7\r\nPEXPIRE\r\n$1\r\nk\r\n$5\r\n19999\r\n"

START_TEST(a_transaction_that_lost_a_race_is_retried)
{
    begin_with_watch(MULTI, CHANGE MULTI);
    ck_assert_int_eq(asking_ask(&rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_ptr_nonnull(strstr(received, "*-1\r\n"));
    ck_assert_int_gt(pttl(), 20000);
}
END_TEST

/* ---------------------------------------------------------------- commands of administrators */

#define TIME        "*1\r\n$4\r\nTIME\r\n"
#define SCRIPT_KILL "*2\r\n$6\r\nSCRIPT\r\n$4\r\nKILL\r\n"

START_TEST(script_kill_without_a_script_replies_notbusy)
{
    begin("", TIME, SCRIPT_KILL);
    asking_refused(&rdl_op_time, "k", RDL_E_SERVER, "NOTBUSY No scripts in execution right now.");
    assert_class(RDL_E_SERVER, 0, "the server replied with an error");
    ck_assert_int_eq(asking_ask(&rdl_op_time, "k"), RDL_ANSWER_YES);
}
END_TEST

START_TEST(a_script_that_has_written_cannot_be_killed)
{
    asked.args = quick;
    begin("", TIME, SCRIPT_KILL);
    background = live_fork();
    if (background == 0) {
        live_command(&asked, "EVAL \"redis.call('SET','x',1) while true do end\" 0");
        _exit(0);
    }
    live_await(&asked, "PING", "-BUSY");
    asking_refused(&rdl_op_time, "k", RDL_E_SERVER, "UNKILLABLE Sorry the script already executed write");
    assert_class(RDL_E_SERVER, 0, "the server replied with an error");
    kill(background, SIGKILL);
    live_reap(background);
}
END_TEST

START_TEST(an_unknown_subcommand_counts_as_unsupported)
{
    begin("", TIME, "*2\r\n$6\r\nCLIENT\r\n$6\r\nNOSUCH\r\n");
    ck_assert_int_eq(asking_ask(&rdl_op_time, "k"), RDL_ANSWER_ERROR);
    ck_assert_int_eq(asking.req.error, RDL_E_UNSUPPORTED);
    ck_assert_msg(strncmp(rdl_conn_text(&asking.conn) + 5, "nknown subcommand", 17) == 0, "%s",
                  rdl_conn_text(&asking.conn));
}
END_TEST

START_TEST(a_wrong_number_of_arguments_counts_as_unsupported)
{
    begin("", TIME, "*2\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    asking_refused(&rdl_op_time, "k", RDL_E_UNSUPPORTED, "ERR wrong number of arguments for 'set' command");
    ck_assert_str_eq(live_command(&asked, "EXISTS k"), ":0\r\n");
}
END_TEST

Suite *suite_live_errors_relay(void)
{
    Suite *suite = suite_create("live_errors_relay");
    TCase *tc = suite_case(suite, "errors of real servers to other requests", setup, teardown);

    tcase_add_loop_test(tc, a_protocol_error_is_permanent_and_ends_the_connection, 0,
                        sizeof broken / sizeof broken[0]);
    tcase_add_test(tc, only_replies_before_a_protocol_error_are_valid);
    tcase_add_test(tc, a_killed_script_is_sent_again);
    tcase_add_test(tc, a_script_that_does_not_compile_is_avoided);
    tcase_add_test(tc, a_multi_lock_whose_script_does_not_compile_is_refused);
    tcase_add_test(tc, a_cluster_node_refuses_a_script_outside_its_slot);
    tcase_add_test(tc, a_transaction_with_an_error_in_it_is_aborted);
    tcase_add_test(tc, a_transaction_that_lost_a_race_is_retried);
    tcase_add_test(tc, script_kill_without_a_script_replies_notbusy);
    tcase_add_test(tc, a_script_that_has_written_cannot_be_killed);
    tcase_add_test(tc, an_unknown_subcommand_counts_as_unsupported);
    tcase_add_test(tc, a_wrong_number_of_arguments_counts_as_unsupported);
    return suite;
}
