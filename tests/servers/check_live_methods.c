/* SPDX-License-Identifier: MIT */
/*
 * Every method of releasing and extending, on a real server: a user who may not use the methods above it uses
 * this one. The server's counters show which command it ran; the key shows that the result is right.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_multi.h"
#include "net/net.h"
#include "redlock/redlock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;
static struct client client;

static const struct method {
    const char *command; /* that does it */
    const char *above;   /* commands the user lacks, so that this method is left */
} releases[] =
    {
        {"evalsha", ""},
        {"eval", "-evalsha"},
        {"delex", "-evalsha -eval"},
        {"delifeq", "-evalsha -eval -delex"},
        {"exec", "-evalsha -eval -delex -delifeq"},
},
  extends[] = {
      {"evalsha", ""},
      {"eval", "-evalsha"},
      {"exec", "-evalsha -eval"},
};

enum { RELEASES = 5, EXTENDS = 3 };

static long before, after;

/* Before 7.0 WRONGTYPE follows "ERR Error running script (call to f_...": see check_live_errors.c. */
static int is_wrapped(const char *command)
{
    const char *at = strstr(live_command(&server, "INFO server"), "redis_version:");

    return strncmp(command, "eval", 4) == 0 && at != NULL && strtol(at + 14, NULL, 10) < 7;
}

/* Output for a run on servers of many versions; `make check` has only one. */
static void print_result(const char *what, const char *command)
{
    if (getenv("RDL_SERVER"))
        printf("  %s %s\n", what, command);
}

/* Queries the server itself, not the library: does it know this command? */
static int has(const char *command)
{
    return strstr(live_command(&server, "%s", command), "wrong number of arguments") != NULL ||
           strncmp(server.reply, "-ERR EXEC without", 17) == 0;
}

static long calls(const char *command)
{
    char field[32];
    const char *at;

    snprintf(field, sizeof field, "\ncmdstat_%s:calls=", command);
    at = strstr(live_command(&server, "INFO commandstats"), field);
    return at == NULL ? 0 : strtol(at + strlen(field), NULL, 10);
}

/* A client whose user may do all but these; unknown commands do not matter. */
static void meet(const char *taken)
{
    char url[256], rules[128], *rest = NULL;

    ck_assert_str_eq(live_command(&server, "ACL SETUSER lk on >secret ~* +@all"), "+OK\r\n");
    snprintf(rules, sizeof rules, "%s", taken);
    for (char *word = strtok_r(rules, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        live_command(&server, "ACL SETUSER lk %s", word);
    snprintf(url, sizeof url, "redis://lk:secret@127.0.0.1:%d", server.port);
    client_init(&client, url);
}

static void setup(void)
{
    client_setup();
    memset(&server, 0, sizeof server);
    live_start(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

static void acquire(const char *name)
{
    live_command(&server, "DEL %s", name);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, name), RDL_ANSWER_YES);
}

START_TEST(each_release_method_deletes_only_our_key)
{
    const struct method *method = &releases[_i];

    if (!has(method->command)) { /* DELEX or DELIFEQ: then the server uses the next method */
        ck_assert(_i == 2 || _i == 3);
        print_result("no", method->command);
        return;
    }
    meet(method->above);
    acquire("k");
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
    acquire("k");
    before = calls(method->command);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_YES);
    after = calls(method->command);
    ck_assert_int_eq(after - before, 1);
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_ABSENT);
    live_command(&server, "SET k foreign");
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_NO);
    ck_assert_str_eq(live_command(&server, "GET k"), "$7\r\nforeign\r\n");
    live_command(&server, "DEL k");
    live_command(&server, "LPUSH k x");
    if (is_wrapped(method->command))
        ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_ERROR);
    else
        ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_NO);
    ck_assert_str_eq(live_command(&server, "TYPE k"), "+list\r\n");
}
END_TEST

static long pttl(void)
{
    return strtol(live_command(&server, "PTTL k") + 1, NULL, 10);
}

/* The key was given these ms a moment ago. */
static void expect_pttl(long ms)
{
    ck_assert_int_gt(pttl(), ms - 10000);
    ck_assert_int_le(pttl(), ms);
}

START_TEST(each_extend_method_lengthens_our_key_and_never_shortens_it)
{
    const struct method *method = &extends[_i];

    meet("");
    acquire("k");
    meet(method->above);
    client.token[0] = '0'; /* the client that acquired, with fewer rights */
    live_command(&server, "SET k %.*s PX 20000", (int)sizeof client.token, client.token);
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "k"), RDL_ANSWER_YES);
    expect_pttl(60000);
    live_command(&server, "PEXPIRE k 20000");
    before = calls(method->command);
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "k"), RDL_ANSWER_YES);
    after = calls(method->command);
    ck_assert_int_eq(after - before, 1);
    expect_pttl(60000);
    live_command(&server, "PEXPIRE k 600000");
    before = calls(method->command);
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "k"), RDL_ANSWER_YES);
    ck_assert_int_eq(calls(method->command) - before, 1); /* by WATCH too: no yes without an EXEC */
    expect_pttl(600000);
    live_command(&server, "SET k foreign PX 20000");
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "k"), RDL_ANSWER_NO);
    ck_assert_int_le(pttl(), 20000);
    live_command(&server, "DEL k");
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "k"), RDL_ANSWER_ABSENT);
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
}
END_TEST

/* From the top, on any server: the first that it knows. */
START_TEST(the_first_supported_method_is_used)
{
    int i = 0;

    while (!has(releases[i].command))
        i++;
    meet("");
    acquire("k");
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_YES);
    acquire("k");
    before = calls(releases[i].command);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_YES);
    ck_assert_int_eq(calls(releases[i].command) - before, 1);
    print_result("releases by", releases[i].command);
}
END_TEST

/* All of {k}1 and {k}2 are acquired, extended and released, or none. */
static void expect_msetex(struct rdl_lock *several)
{
    for (int k = 0; k < 2; k++) {
        before = calls("msetex");
        ck_assert_int_eq(rdl_lock_acquire(several, &client_platform), RDL_OK);
        live_command(&server, "PEXPIRE {k}1 5000");
        live_command(&server, "PEXPIRE {k}2 5000");
        ck_assert_int_eq(rdl_lock_extend(several, &client_platform, 10000), RDL_OK);
        ck_assert_int_gt(strtol(live_command(&server, "PTTL {k}2") + 1, NULL, 10), 5000);
        ck_assert_int_eq(calls("msetex") - before, 2);
        live_command(&server, "PEXPIRE {k}1 60000");
        ck_assert_int_eq(rdl_lock_extend(several, &client_platform, 10000), RDL_OK);
        ck_assert_int_eq(calls("msetex") - before, 2); /* it is never shortened: by EXEC alone */
        ck_assert_int_eq(rdl_lock_release(several, &client_platform), RDL_OK);
        ck_assert_str_eq(live_command(&server, "EXISTS {k}1 {k}2"), ":0\r\n");
    }
    live_command(&server, "LPUSH {k}1 x");
    live_command(&server, "PEXPIRE {k}1 60000"); /* it lives for long, and MGET does not find it */
    ck_assert_int_eq(rdl_lock_acquire(several, &client_platform), RDL_BUSY);
    live_command(&server, "DEL {k}1");
    live_command(&server, "SET {k}2 foreign");
    ck_assert_int_eq(rdl_lock_acquire(several, &client_platform), RDL_BUSY);
    ck_assert_str_eq(live_command(&server, "EXISTS {k}1"), ":0\r\n");
    live_command(&server, "DEL {k}2");
    ck_assert_int_eq(rdl_lock_acquire(several, &client_platform), RDL_OK);
    live_command(&server, "SET {k}2 foreign");
    ck_assert_int_eq(rdl_lock_extend(several, &client_platform, 10000), RDL_LOST);
    live_await(&server, "EXISTS {k}1", ":0"); /* the rest is released */
    ck_assert_str_eq(live_command(&server, "GET {k}2"), "$7\r\nforeign\r\n");
    print_result("several locks by", "msetex");
}

/*
 * Scripts are renamed; or, from Valkey 9.1 on, the module that runs them is unloaded, and EVAL replies with
 * an error that no other server has.
 */
START_TEST(without_scripts_locks_are_extended_and_released)
{
    static const char *const renamed[] = {LIVE_WITHOUT_SCRIPTS, NULL};
    static const char *const modules[] = {"--enable-module-command", "yes", NULL};
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .attempt_ms = 2000};
    static const struct rdl_bytes names[] = {{"{k}1", 4}, {"{k}2", 4}};
    uint8_t packed[RDL_NAME_MAX];
    struct rdl_lock_fenced fenced;
    struct rdl_lock several;

    if (_i && strstr(live_command(&server, "INFO modules"), "name=lua") == NULL) {
        print_result("no module", "lua");
        return;
    }
    live_remove(&server);
    memset(&server, 0, sizeof server);
    server.args = _i ? modules : renamed;
    live_start(&server);
    if (_i)
        ck_assert_str_eq(live_command(&server, "MODULE UNLOAD lua"), "+OK\r\n");
    meet("");
    for (int k = 0; k < 2; k++) {
        acquire("k");
        live_command(&server, "PEXPIRE k 20000");
        ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "k"), RDL_ANSWER_YES);
        expect_pttl(60000);
        ck_assert_int_eq(client_ask(&client, &rdl_op_release, "k"), RDL_ANSWER_YES);
        ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
    }
    rdl_lock_init_fenced(&fenced, &opt, &client.conn, "k", 1);
    ck_assert_int_eq(rdl_lock_acquire(&fenced.lock, &client_platform), RDL_E_UNSUPPORTED);
    ck_assert_int_eq(rdl_lock_init_multi(&several, &opt, &client.conn, names, 2, packed), RDL_OK);
    if (has("MSETEX")) {
        expect_msetex(&several);
        return;
    }
    ck_assert_int_eq(rdl_lock_acquire(&several, &client_platform), RDL_E_UNSUPPORTED);
    if (_i)
        ck_assert_str_eq(rdl_conn_text(&client.conn), "ERR Could not find scripting engine 'lua'");
}
END_TEST

/* Locks that share the connection keep their method. */
START_TEST(a_forbidden_key_blocks_no_other_lock)
{
    meet("resetkeys ~jobs:*");
    acquire("jobs:1");
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "jobs:1"), RDL_ANSWER_YES);
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "other"), RDL_ANSWER_ERROR);
    ck_assert_int_eq(client.req.error, RDL_E_PERM);
    ck_assert_int_eq(strncmp(rdl_conn_text(&client.conn), "NOPERM ", 7), 0);
    before = calls("evalsha");
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "jobs:1"), RDL_ANSWER_YES);
    ck_assert_int_eq(calls("evalsha") - before, 1);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "other"), RDL_ANSWER_ERROR);
    ck_assert_int_eq(client.req.error, RDL_E_PERM);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "jobs:1"), RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&server, "EXISTS jobs:1"), ":0\r\n");
}
END_TEST

static long clock_s(void)
{
    const char *at = strchr(live_command(&server, "TIME") + 4, '$'); /* after "*2\r\n" */

    return strtol(strchr(at, '\n') + 1, NULL, 10);
}

/* By the script: the current time; without scripts: the time in the request. An existing canary stays. */
START_TEST(a_canary_has_the_servers_time)
{
    char made[64];
    long from_s;
    long at_s;

    meet(_i ? "-evalsha -eval" : "");
    from_s = clock_s();
    client_submit(&client, &rdl_op_canary_make, "k");
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_YES);
    snprintf(made, sizeof made, "%s", live_command(&server, "GET k"));
    ck_assert_ptr_eq(strstr(made, "0000000000000000 "), strchr(made, '\n') + 1); /* there was no INFO */
    at_s = strtol(strchr(made, ' '), NULL, 10);
    if (_i)
        ck_assert_int_eq(at_s, 60000); /* client_submit's */
    else
        ck_assert(from_s <= at_s && at_s <= clock_s());
    ck_assert_str_eq(live_command(&server, "PTTL k"), ":-1\r\n");
    client_submit(&client, &rdl_op_canary_make, "k");
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_NO);
    ck_assert_str_eq(live_command(&server, "GET k"), made);
    live_command(&server, "DEL k");
    live_command(&server, "LPUSH k x");
    client_submit(&client, &rdl_op_canary_make, "k");
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_NO);
    ck_assert_str_eq(live_command(&server, "TYPE k"), "+list\r\n");
}
END_TEST

/* The library's SHA1 of each script is also the server's. */
START_TEST(the_sha1_of_each_script_is_that_of_the_server)
{
    static const struct rdl_script *const scripts[] = {
        &rdl_script_release,       &rdl_script_extend,        &rdl_script_replace,
        &rdl_script_acquire,       &rdl_script_extend_fenced, &rdl_script_release_hint,
        &rdl_script_acquire_multi, &rdl_script_extend_multi,  &rdl_script_release_multi,
        &rdl_script_canary,
    };
    char expected[64];

    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        snprintf(expected, sizeof expected, "$40\r\n%s\r\n", scripts[i]->sha);
        ck_assert_str_eq(live_command(&server, "SCRIPT LOAD \"%s\"", scripts[i]->text), expected);
        ck_assert_uint_eq(strlen(scripts[i]->text), scripts[i]->text_len);
    }
}
END_TEST

Suite *suite_live_methods(void)
{
    Suite *suite = suite_create("live_methods");
    TCase *tc = suite_case(suite, "methods", setup, teardown);

    tcase_add_loop_test(tc, each_release_method_deletes_only_our_key, 0, RELEASES);
    tcase_add_loop_test(tc, each_extend_method_lengthens_our_key_and_never_shortens_it, 0, EXTENDS);
    tcase_add_test(tc, the_first_supported_method_is_used);
    tcase_add_loop_test(tc, without_scripts_locks_are_extended_and_released, 0, 2);
    tcase_add_test(tc, a_forbidden_key_blocks_no_other_lock);
    tcase_add_loop_test(tc, a_canary_has_the_servers_time, 0, 2);
    tcase_add_test(tc, the_sha1_of_each_script_is_that_of_the_server);
    return suite;
}
