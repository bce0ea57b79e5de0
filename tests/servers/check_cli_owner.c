/* SPDX-License-Identifier: MIT */
/* --owner: who holds a lock, in its value, in status, list and the log. A token has its owner. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define ID    "98f34076"

static struct live_server server[N];
static struct command c;

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

/* A script, with these words after `redlock VERB` for the three servers. */
static int run(const char *script)
{
    char all[2000];

    snprintf(all, sizeof all,
             "export REDLOCK_RESTART_GUARD=off; r() { verb=$1; shift;"
             " $RDL_COMMAND $verb --attempt=5s \"$@\"; };\n%s",
             script);
    memset(&c, 0, sizeof c);
    command_set_script(&c, server, N, all);
    return command_run(&c);
}

/* ---------------------------------------------------------------- which owner */

static const struct {
    const char *words, *owner;
} owners[] = {
    {"r acquire --owner web-3 nightly", "@web-3"},
    {"REDLOCK_OWNER=db_1 r acquire nightly", "@db_1"},
    {"REDLOCK_OWNER=db_1 r acquire --owner web-3 nightly", "@web-3"},
    {"REDLOCK_OWNER=db_1 r acquire --no-owner nightly", ""},
    {"r acquire -l nightly -l weekly -u \"${REDLOCK_URLS%% *}\" --owner web-3",
     "@web-3 -l nightly -l weekly"},
    {"r acquire --fence --owner web-3 nightly", "@web-3 1"},
};
enum { OWNERS = sizeof owners / sizeof owners[0] };

START_TEST(owner_follows_the_token)
{
    char line[100], out[200];

    run(owners[_i].words);
    ck_assert_msg(c.status == 0, "%s", c.err);
    snprintf(line, sizeof line, "%.40s%s", c.out, owners[_i].owner);
    c.out[strcspn(c.out, "\n")] = '\0';
    if (strncmp(owners[_i].owner, "@web-3 1", 8) == 0)
        c.out[strlen(line) - 1] = '1'; /* any fencing token */
    ck_assert_msg(strncmp(c.out, line, strlen(line)) == 0, "%s", c.out);
    snprintf(out, sizeof out, "%s", live_command(&server[0], "GET nightly"));
    line[strcspn(line, " ")] = '\0';
    assert_has(out, line);
}
END_TEST

/* Of acquire, which ends at once, the script's pid; of run its own. */
START_TEST(default_owner_is_the_host_and_the_process)
{
    char host[256] = "", *at = host;

    gethostname(host, sizeof host - 1);
    for (; *at != '\0'; at++)
        if (strchr("_@%+=:./-", *at) == NULL && (*at | 0x20) < 'a' && (*at < '0' || *at > '9'))
            *at = '_';
    run("echo $$ >&2; $RDL_COMMAND acquire --attempt=5s nightly; exit $?"); /* bash would exec the last one */
    ck_assert_int_eq(c.status, 0);
    char want[100], number[24];
    int len = snprintf(number, sizeof number, ":%ld\n", strtol(c.err, NULL, 10));
    snprintf(want, sizeof want, "@%.*s%s", 41 - len, host, number);
    ck_assert_str_eq(c.out + 40, want);
    run("r run --owner x other -- sh -c '$RDL_COMMAND status --attempt=5s other | tail -1'; r run other -- "
        "sh -c 'ps -o ppid= -p $$ >&2;"
        " $RDL_COMMAND status --attempt=5s other | tail -1'");
    ck_assert_msg(c.status == 0, "%s", c.err);
    assert_has(c.out, "other: held by x (");
    ck_assert_msg(strstr(c.out, "held by ") != NULL, "%s", c.out);
    snprintf(want, sizeof want, ":%ld (", strtol(c.err, NULL, 10));
    assert_has(c.out, want);
}
END_TEST

static const struct {
    const char *words, *err;
} refused[] = {
    {"r acquire --owner 'web 3' nightly", "--owner: give 1 to 40 letters, digits and _@%+=:./-\n"},
    {"r acquire --owner '' nightly", "--owner: give 1 to 40 letters, digits and _@%+=:./-\n"},
    {"REDLOCK_OWNER='web 3' r acquire nightly", "$REDLOCK_OWNER: give 1 to 40 letters"},
    {"r acquire --owner aaaaaaaaaabbbbbbbbbbccccccccccddddddddddx nightly", "--owner: give 1 to 40 letters"},
    {"r acquire --owner x --no-owner nightly", "give either --owner or --no-owner, not both\n"},
    {"r run -u \"${REDLOCK_URLS%% *}\" --legacy auto --owner x nightly true",
     "--owner does not work with --legacy"},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

START_TEST(bad_owner_is_refused)
{
    run(refused[_i].words);
    ck_assert_msg(c.status == 64, "%d %s", c.status, c.err);
    assert_has(c.err, refused[_i].err);
}
END_TEST

/* ---------------------------------------------------------------- tokens */

/* By the file, the variable and the descriptor; what follows the token is kept. */
START_TEST(token_with_its_owner_extends_and_releases)
{
    run("t=$(r acquire --owner web-3:4711 nightly) && r extend --token-fd 3 nightly 3<<<\"$t\" &&"
        " REDLOCK_TOKEN=$t r release nightly && r acquire --token-file token.$$ --fence --owner=x nightly &&"
        " r extend --token-file token.$$ nightly && r release --token-file token.$$ nightly; s=$?;"
        " rm -f token.$$; exit $s");
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* The 40 digits alone are another value, and so is another owner. */
static const char *const other_tokens[] = {"${t%@*}", "${t%@*}@web-4", "${t}1"};

START_TEST(token_without_its_owner_is_another)
{
    char script[300];

    snprintf(script, sizeof script,
             "t=$(r acquire --owner web-3 nightly) && REDLOCK_TOKEN=%s r release nightly 2>/dev/null",
             other_tokens[_i]);
    run(script);
    ck_assert_int_eq(c.status, 1);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
}
END_TEST

START_TEST(bad_owner_in_a_token_is_no_token)
{
    run("REDLOCK_TOKEN=" TOKEN "@'a$b' r release nightly");
    ck_assert_int_eq(c.status, 65);
    assert_has(c.err, "it must be what redlock acquire printed: 40 hex digits and the owner");
    assert_lacks(c.err, TOKEN);
}
END_TEST

/* ---------------------------------------------------------------- what is printed */

static void set_all(const char *name, const char *value)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET %s %s PX 600000", name, value);
}

START_TEST(status_and_list_print_the_owner)
{
    set_all("nightly", TOKEN "@web-3:4711");
    run("r status nightly; r status --json nightly; r list; r list --json; true");
    ck_assert_uint_eq(command_count(c.out, "nightly at 127.0.0.1:"), 3);
    ck_assert_uint_eq(command_count(c.out, ": held by web-3:4711 ("), 5);
    ck_assert_uint_eq(command_count(c.out, ") on 3 of 3, expires in "), 2);
    ck_assert_uint_eq(command_count(c.out, "\"owner\":\"web-3:4711\""), 8);
}
END_TEST

START_TEST(two_holders_are_printed_with_their_owners)
{
    set_all("nightly", TOKEN "@web-3");
    live_command(&server[2], "SET nightly 00112233445566778899aabbccddeeff00000002@db PX 600000");
    run("r status nightly");
    assert_has(c.out, "nightly: held by web-3 (");
    assert_has(c.out, "; db (");
    assert_has(c.err, "nightly has two holders, web-3 (");
}
END_TEST

/* Other libraries' values: nothing in them is an owner. */
static const char *const foreign[] = {"0f2e6a6f-8d0c-4b3e-9d6f-web@3", "a@b", TOKEN "@", TOKEN "-web",
                                      TOKEN "@a$"};

START_TEST(other_values_are_foreign)
{
    set_all("nightly", foreign[_i]);
    run("r status nightly; r list; true");
    assert_has(c.out, "the value is not a redlock token (id ");
    ck_assert_uint_eq(command_count(c.out, "nightly: held by "), 1);
}
END_TEST

START_TEST(list_selects_by_owner)
{
    set_all("a", TOKEN "@web-3:1");
    set_all("b", TOKEN "@web-4:1");
    set_all("c", TOKEN);
    live_command(&server[1], "SET b " TOKEN "@x/web-3:2 PX 600000");
    run("REDLOCK_OWNER=none r list --owner '*web-3:?'; r list --owner '*' | wc -l; r list --owner 'web-3:'; "
        "r list "
        "--owner 'web-3:1?'; r list --owner '*3*:2*1'; r list -v --owner none; r "
        "list | wc -l");
    ck_assert_ptr_eq(strstr(c.out, "a: held by web-3:1 ("), c.out);
    assert_has(c.out, "b: held by web-4:1 (");
    assert_has(c.out, "unless renewed; x/web-3:2 (");
    assert_has(c.out, "\n2\n3\n");
    assert_has(c.err, "no lock that begins with \"\" has an owner like \"none\"");
}
END_TEST

START_TEST(log_has_the_owner)
{
    run("r run --owner web-3 --log json nightly true; r run --no-owner --log text nightly true");
    assert_has(c.err, "\"event\":\"acquired\"");
    ck_assert_uint_eq(command_count(c.err, "\"owner\":\"web-3\""), 3);
    assert_lacks(c.err, "owner=");
}
END_TEST

/* The value is longer than what a connection keeps of a reply. */
START_TEST(nested_run_is_noticed_with_a_long_owner)
{
    run("r run --owner aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd nightly -- sh -c '$RDL_COMMAND run nightly "
        "true'");
    ck_assert_int_eq(c.status, 1);
    assert_has(c.err, "is held by the `redlock run` that started this");
}
END_TEST

Suite *suite_cli_owner(void)
{
    Suite *s = suite_create("cli_owner");
    TCase *t = suite_case(s, "cli_owner", start, stop);

    tcase_add_loop_test(t, owner_follows_the_token, 0, OWNERS);
    tcase_add_test(t, default_owner_is_the_host_and_the_process);
    tcase_add_loop_test(t, bad_owner_is_refused, 0, REFUSED);
    tcase_add_test(t, token_with_its_owner_extends_and_releases);
    tcase_add_loop_test(t, token_without_its_owner_is_another, 0, 3);
    tcase_add_test(t, bad_owner_in_a_token_is_no_token);
    tcase_add_test(t, status_and_list_print_the_owner);
    tcase_add_test(t, two_holders_are_printed_with_their_owners);
    tcase_add_loop_test(t, other_values_are_foreign, 0, 5);
    tcase_add_test(t, list_selects_by_owner);
    tcase_add_test(t, log_has_the_owner);
    tcase_add_test(t, nested_run_is_noticed_with_a_long_owner);
    return s;
}
