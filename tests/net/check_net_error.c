/* SPDX-License-Identifier: MIT */
/*
 * check_net_error.c - what error replies mean. The texts are from servers of Redis 2.4 to 8.6 and Valkey 8.1
 * and 9.1.
 *
 * Rule R20.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "net/net_private.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static const struct {
    const char *text;
    int code;
} seen[] = {
    {"NOAUTH Authentication required.", RDL_E_AUTH},
    {"NOAUTH HELLO must be called with the client already authenticated, otherwise ...", RDL_E_AUTH},
    {"ERR operation not permitted", RDL_E_AUTH},
    {"DENIED Redis is running in protected mode because protected mode is enabled and no password",
     RDL_E_AUTH},
    {"NOPERM this user has no permissions to run the 'set' command", RDL_E_PERM},
    {"NOPERM User lk has no permissions to run the 'set' command", RDL_E_PERM},
    {"NOPERM this user has no permissions to access one of the keys used as arguments", RDL_E_PERM},
    {"NOPERM No permissions to access a key", RDL_E_PERM},
    {"ERR The user executing the script can't run this command or subcommand script: 0a1b, on "
     "@user_script:1.",
     RDL_E_PERM},
    {"ERR ACL failure in script: User lk has no permissions to run the 'del' command script: 0a1b, on "
     "@user_script:1.",
     RDL_E_PERM},
    {"READONLY You can't write against a read only replica.", RDL_E_READONLY},
    {"READONLY You can't write against a read only replica. script: on @user_script:1.", RDL_E_READONLY},
    {"LOADING Redis is loading the dataset in memory", RDL_E_TRY_LATER},
    {"LOADING Valkey is loading the dataset in memory", RDL_E_TRY_LATER},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
     RDL_E_TRY_LATER},
    {"BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
     RDL_E_TRY_LATER},
    {"BUSYGROUP Consumer Group name already exists", RDL_E_SERVER},
    {"OOM command not allowed when used memory > 'maxmemory'.", RDL_E_TRY_LATER},
    {"OOM command not allowed when used memory > 'maxmemory'. script: 0a1b, on @user_script:1.",
     RDL_E_TRY_LATER},
    {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
     RDL_E_TRY_LATER},
    {"MISCONF Errors writing to the AOF file: No space left on device", RDL_E_TRY_LATER},
    {"MOVED 3999 127.0.0.1:6381", RDL_E_CLUSTER},
    {"ASK 3999 127.0.0.1:6381", RDL_E_CLUSTER},
    {"CLUSTERDOWN The cluster is down", RDL_E_TRY_LATER},
    {"CLUSTERDOWN Hash slot not served", RDL_E_TRY_LATER},
    {"CROSSSLOT Keys in request don't hash to the same slot", RDL_E_CLUSTER},
    {"TRYAGAIN Multiple keys request during rehashing of slot", RDL_E_TRY_LATER},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", RDL_E_WRONGTYPE},
    {"WRONGTYPE Operation against a key holding the wrong kind of value script: on @user_script:1.",
     RDL_E_WRONGTYPE},
    {"ERR Operation against a key holding the wrong kind of value", RDL_E_WRONGTYPE},
    {"ERR Key should be of string type if conditions are specified", RDL_E_WRONGTYPE},
    {"ERR unknown command 'EVAL'", RDL_E_UNSUPPORTED},
    {"ERR unknown command 'DELEX', with args beginning with: 'k' 'IFEQ' 'tok' ", RDL_E_UNSUPPORTED},
    {"ERR unknown command `X`, with args beginning with: ", RDL_E_UNSUPPORTED},
    {"ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.", RDL_E_UNSUPPORTED},
    {"ERR Unknown Redis command called from script script: 0a1b, on @user_script:1.", RDL_E_UNSUPPORTED},
    {"ERR Unknown command called from script script: on @user_script:1.", RDL_E_UNSUPPORTED},
    {"ERR syntax error", RDL_E_UNSUPPORTED},
    {"ERR wrong number of arguments for 'set' command", RDL_E_UNSUPPORTED},
    {"ERR max number of clients reached", RDL_E_SERVER},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", RDL_E_SERVER},
    {"NOREPLICAS Not enough good replicas to write.", RDL_E_SERVER},
    {"ERR invalid expire time in 'set' command", RDL_E_SERVER},
    {"ERR value is not an integer or out of range", RDL_E_SERVER},
    {"ERR Script killed by user with SCRIPT KILL... script: 0a1b, on @user_script:1.", RDL_E_SERVER},
    {"NOSCRIPT No matching script. Please use EVAL.", RDL_E_UNSUPPORTED},
    {"ERR Protocol error: expected '$', got '+'", RDL_E_UNSUPPORTED},
    {"ERR Protocol error: unauthenticated multibulk length", RDL_E_UNSUPPORTED},
    {"ERR Error compiling script (new function): user_script:1: unexpected symbol near '@'",
     RDL_E_UNSUPPORTED},
    {"ERR Could not find scripting engine 'lua'", RDL_E_UNSUPPORTED},
    {"ERR This instance has Lua scripting support disabled", RDL_E_UNSUPPORTED},
    {"ERR command eval not support for normal user", RDL_E_UNSUPPORTED},
    {"ERR command evalsha not support for normal user", RDL_E_UNSUPPORTED},
    {"ERR Command is not available: 'EVAL'", RDL_E_UNSUPPORTED},
    {"ERR Command is not available: 'EVALSHA'", RDL_E_UNSUPPORTED},
    {"ERR Command is not available: 'SET'", RDL_E_SERVER},
    {"ERR bad lua script for redis cluster, all the keys that the script uses should be passed",
     RDL_E_UNSUPPORTED},
    {"ERR Could not find master", RDL_E_SERVER},
    {"ERR This instance is being moved", RDL_E_SERVER},
    {"ERR Script attempted to access a non local key in a cluster node script: 0a1b, on @user_script:1.",
     RDL_E_CLUSTER},
    {"ERR Script attempted to access a slot not served script: 0a1b, on @user_script:1.", RDL_E_CLUSTER},
    {"ERR Attempted to access a non local key in a cluster node script: on @user_script:1.", RDL_E_CLUSTER},
    {"EXECABORT Transaction discarded because of previous errors.", RDL_E_SERVER},
    {"NOTBUSY No scripts in execution right now.", RDL_E_SERVER},
    {"UNKILLABLE Sorry the script already executed write commands against the dataset.", RDL_E_SERVER},
    {"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
     RDL_E_SERVER},
    {"", RDL_E_SERVER},
    {"E", RDL_E_SERVER},
    {"NOAUT", RDL_E_SERVER},
    {"noauth lower case is not it", RDL_E_SERVER},
};

START_TEST(observed_error_text_has_its_code)
{
    ck_assert_msg(rdl_error_code(seen[_i].text) == seen[_i].code, "%s: %d, not %d", seen[_i].text,
                  rdl_error_code(seen[_i].text), seen[_i].code);
}
END_TEST

/* The code of an error does not depend on the rest of its line. */
START_TEST(truncated_error_text_keeps_its_code)
{
    char text[RDL_TEXT_MAX];
    size_t i;

    for (i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        strncpy(text, seen[i].text, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        ck_assert_int_eq(rdl_error_code(text), seen[i].code);
    }
}
END_TEST

/* Temporary errors have their own row in WIRE.md and are no reason to try another method. */
START_TEST(temporary_errors_differ_from_unknown_errors)
{
    static const char *const passing[] = {
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "NOREPLICAS Not enough good replicas to write.",
        "ERR max number of clients reached",
        "ERR Script killed by user with SCRIPT KILL... script: 0a1b, on @user_script:1.",
        "Script killed by user with SCRIPT KILL...",
        "ERR Error running script (call to f_0a1b): @user_script:1: Script killed by user",
    };
    static const char *const other[] = {"ERR value is not an integer or out of range", "upstream failure", "",
                                        "ERR "};
    size_t i;

    for (i = 0; i < sizeof passing / sizeof passing[0]; i++)
        ck_assert_int_eq(rdl_error_class(passing[i]), RDL_E_SERVER);
    for (i = 0; i < sizeof other / sizeof other[0]; i++) {
        ck_assert_int_eq(rdl_error_class(other[i]), RDL_OTHER);
        ck_assert_int_eq(rdl_error_code(other[i]), RDL_E_SERVER);
    }
}
END_TEST

START_TEST(exactly_these_errors_are_permanent)
{
    static const int permanent[] = {RDL_E_SYNTAX, RDL_E_SPACE,   RDL_E_URL,       RDL_E_AUTH,
                                    RDL_E_PERM,   RDL_E_CLUSTER, RDL_E_WRONGTYPE, RDL_E_UNSUPPORTED,
                                    RDL_E_DB,     RDL_E_CONFIG,  RDL_E_FORKED,    RDL_E_TLS};
    unsigned n = 0;
    size_t i;
    int code;

    for (code = -128; code <= 128; code++)
        n += rdl_is_permanent(code) != 0;
    ck_assert_uint_eq(n, sizeof permanent / sizeof permanent[0]);
    for (i = 0; i < n; i++)
        ck_assert(rdl_is_permanent(permanent[i]));
}
END_TEST

static struct scripted s;

START_TEST(error_text_is_bounded_and_printable)
{
    char text[RDL_TEXT_MAX + 2];

    scripted_init(&s);
    rdl_conn_set_text(&s.conn, "tab\there, bell\a, e-acute \xc3\xa9, DEL \x7f~ ");
    ck_assert_str_eq(rdl_conn_text(&s.conn), "tab?here, bell?, e-acute ??, DEL ?~ ");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    rdl_conn_set_text(&s.conn, text);
    ck_assert_uint_eq(strlen(rdl_conn_text(&s.conn)), RDL_TEXT_MAX - 1);
    rdl_conn_set_text(&s.conn, "");
    ck_assert_str_eq(rdl_conn_text(&s.conn), "");
}
END_TEST

START_TEST(no_error_text_is_kept_without_a_buffer)
{
    scripted_init(&s);
    s.cfg.text = NULL;
    rdl_conn_init(&s.conn, &s.cfg);
    rdl_conn_set_text(&s.conn, "ERR something");
    ck_assert_str_eq(rdl_conn_text(&s.conn), "");
    ck_assert_str_eq(s.text, "");
}
END_TEST

/* Replies to an acquire from servers that are too old to test with. */
static const struct {
    const char *text;
    int code;
} old[] = {
    {"ERR operation not permitted", RDL_E_AUTH},
    {"ERR unknown command 'SET'", RDL_E_UNSUPPORTED},
    {"ERR unknown command `SET`, with args beginning with: `k`, `x`, ", RDL_E_UNSUPPORTED},
    {"ERR wrong number of arguments for 'set' command", RDL_E_UNSUPPORTED},
    {"ERR syntax error", RDL_E_UNSUPPORTED},
};

START_TEST(refusal_by_an_old_server_is_permanent)
{
    struct rdl_req req = {0};
    const struct rdl_command cmd = {.op = &rdl_op_acquire,
                                    .name = {"k", 1},
                                    .value = {token_hex(1), RDL_VALUE_MAX},
                                    .until_ms = 61000,
                                    .ttl_ms = 60000};
    char reply[128];

    scripted_init(&s);
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_submit(&s.conn, &req, &cmd), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", token_hex(1), 60000));
    snprintf(reply, sizeof reply, "-%s\r\n:-2\r\n", old[_i].text);
    scripted_reply(&s, reply);
    ck_assert_int_eq(req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(req.error, old[_i].code);
    ck_assert_int_eq(rdl_is_permanent(req.error), 1);
    ck_assert_str_eq(rdl_conn_text(&s.conn), old[_i].text);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

static const struct {
    const char *bytes;
    int code;
    const char *text;
} unexpected[] = {
    {"+OK\r\n", RDL_E_UNEXPECTED, ""},
    {":1\r\n", RDL_E_UNEXPECTED, ""},
    {"$3\r\nabc\r\n", RDL_E_UNEXPECTED, ""},
    {"$-1\r\n", RDL_E_UNEXPECTED, ""},
    {"*2\r\n:1\r\n:2\r\n", RDL_E_UNEXPECTED, ""},
    {"-ERR max number of clients reached\r\n", RDL_E_SERVER, "ERR max number of clients reached"},
    {"-NOAUTH Authentication required.\r\n", RDL_E_AUTH, "NOAUTH Authentication required."},
    {"HTTP/1.1 400 Bad Request\r\n", RDL_E_SYNTAX, ""},
    {"SSH-2.0-OpenSSH_9.2p1\r\n", RDL_E_SYNTAX, ""},
    {"\x16\x03\x01", RDL_E_SYNTAX, ""},
    {"$536870913\r\n", RDL_E_LIMIT, ""},
    {"*1048577\r\n", RDL_E_LIMIT, ""},
};

START_TEST(unexpected_reply_ends_the_connection)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
    scripted_reply(&s, unexpected[_i].bytes);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_FAILED);
    ck_assert_uint_eq(rdl_conn_wants(&s.conn), RDL_WANT_CLOSE);
    ck_assert_int_eq(rdl_conn_error(&s.conn), unexpected[_i].code);
    ck_assert_str_eq(rdl_conn_text(&s.conn), unexpected[_i].text);
}
END_TEST

Suite *suite_net_error(void)
{
    Suite *suite = suite_create("net_error");
    TCase *tc = suite_case(suite, "error", NULL, NULL);

    tcase_add_loop_test(tc, observed_error_text_has_its_code, 0, sizeof seen / sizeof seen[0]);
    tcase_add_test(tc, truncated_error_text_keeps_its_code);
    tcase_add_test(tc, temporary_errors_differ_from_unknown_errors);
    tcase_add_test(tc, exactly_these_errors_are_permanent);
    tcase_add_test(tc, error_text_is_bounded_and_printable);
    tcase_add_test(tc, no_error_text_is_kept_without_a_buffer);
    tcase_add_loop_test(tc, refusal_by_an_old_server_is_permanent, 0, sizeof old / sizeof old[0]);
    tcase_add_loop_test(tc, unexpected_reply_ends_the_connection, 0,
                        sizeof unexpected / sizeof unexpected[0]);
    return suite;
}
