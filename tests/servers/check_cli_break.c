/* SPDX-License-Identifier: MIT */
/* `redlock break` on real servers: it deletes what it was asked to, and nothing else. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Suite *suite_cli_break(void);

enum { N = 3 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define ID    "98f34076"
#define OTHER "00112233445566778899aabbccddeeff00000002"

static struct live_server server[N];
static struct command a, b;

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

/* It stands there for ten minutes. */
static void set(int i, const char *value)
{
    live_command(&server[i], "SET nightly %s PX 600000", value);
}

/* redlock break OPTIONS... SERVERS... nightly */
static int break_it(const char *const options[], size_t n)
{
    memset(&a, 0, sizeof a);
    command_add(&a, "break");
    command_add_all(&a, options);
    command_add_servers(&a, server, n);
    command_add(&a, "nightly");
    return command_run(&a);
}

static const char *const of_it[] = {"--restart-guard=off", "--held-by", ID, NULL};
static const char *const asks[] = {"--restart-guard=off", NULL};

START_TEST(what_its_holder_left_behind_is_deleted_where_it_stands)
{
    set(0, TOKEN);
    set(2, TOKEN);
    ck_assert_int_eq(break_it(of_it, N), 0);
    ck_assert_ptr_nonnull(strstr(a.out, "nightly: held by " ID " on 2 of 3, "));
    ck_assert_str_eq(
        a.err, "redlock: nightly of " ID
               " is gone from 3 of 3 servers; should its holder live, it hears that at its next renewal\n");
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* Whoever has it now keeps it, also where the other's value is a minority. */
START_TEST(another_holders_keys_are_left_alone)
{
    set(0, OTHER);
    set(1, OTHER);
    ck_assert_int_eq(break_it(of_it, N), 1);
    ck_assert_str_eq(a.err, "redlock: nightly is not held by " ID " any more: it is left as it is\n");
    set(2, TOKEN);
    ck_assert_int_eq(break_it(of_it, N), 0);
    ck_assert_str_eq(live_command(&server[2], "EXISTS nightly"), ":0\r\n");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$40\r\n" OTHER "\r\n");
    ck_assert_str_eq(live_command(&server[1], "GET nightly"), "$40\r\n" OTHER "\r\n");
}
END_TEST

START_TEST(without_a_terminal_it_is_to_be_said_whose)
{
    for (int i = 0; i < N; i++)
        set(i, TOKEN);
    ck_assert_int_eq(break_it(asks, N), 64);
    ck_assert_str_eq(a.err,
                     "redlock: there is no terminal to ask on: say --held-by " ID " if its holder is gone\n");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
    live_command(&server[1], "DEL nightly");
    set(2, OTHER);
    ck_assert_int_eq(break_it(asks, N), 64);
    ck_assert_ptr_nonnull(strstr(
        a.err, "nightly is not held by one on a majority: say whose keys are to go, by --held-by ID\n"));
}
END_TEST

/* The answers, what becomes of the key, and the exit status. */
static const struct {
    const char *answer;
    int status;
    const char *exists;
} answers[] = {
    {"y", 0, ":0\r\n"}, {"yes", 0, ":0\r\n"}, {"n", 1, ":1\r\n"}, {"", 1, ":1\r\n"}, {"yo", 1, ":1\r\n"}};

START_TEST(on_a_terminal_it_asks)
{
    char script[256];

    for (int i = 0; i < N; i++)
        set(i, TOKEN);
    snprintf(script, sizeof script,
             "echo '%s' | script -qec \"$RDL_COMMAND break --restart-guard=off nightly\" /dev/null",
             answers[_i].answer);
    command_set_script(&a, server, N, script);
    ck_assert_int_eq(command_run(&a), answers[_i].status);
    ck_assert_ptr_nonnull(
        strstr(a.out, "redlock: delete nightly of " ID "? Only if its holder is gone [y/N] "));
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), answers[_i].exists);
}
END_TEST

START_TEST(what_nobody_holds_needs_no_breaking)
{
    ck_assert_int_eq(break_it(asks, N), 0);
    ck_assert_str_eq(a.err, "redlock: nobody holds nightly: there is nothing to break\n");
    ck_assert_int_eq(break_it(of_it, N), 0);
}
END_TEST

/* Of three, two: else its holder could put the third back to what it has. */
START_TEST(too_few_servers_are_told)
{
    for (int i = 0; i < N; i++)
        set(i, TOKEN);
    live_kill(&server[0]);
    ck_assert_int_eq(break_it(of_it, N), 0);
    live_restart(&server[0]);
    for (int i = 0; i < N; i++)
        set(i, TOKEN);
    live_kill(&server[0]);
    live_kill(&server[1]);
    ck_assert_int_eq(break_it(of_it, N), 69);
    ck_assert_str_eq(a.err, "redlock: nightly of " ID
                            " is gone from 1 of 3 servers, and 2 are needed: its holder may have it still\n");
}
END_TEST

/* A token, and the longest value that is deleted at all. */
static const struct {
    int len;
    const char *id;
} lengths[] = {{40, "84ae4e65"}, {63, "3511893f"}, {64, "d19b1ac5"}, {128, "2f5e97c5"}};

/* Where scripts are not known, where only WATCH compares. */
START_TEST(it_is_deleted_without_scripts_too)
{
    static const char *const args[] = {"--rename-command", "EVAL", "",  "--rename-command",
                                       "EVALSHA",          "",     NULL};
    struct live_server bare = {.args = args};
    char value[130];

    memset(value, 'x', sizeof value);
    live_start(&bare);
    live_command(&bare, "SET nightly %.*s", lengths[_i].len, value);
    command_add_all(&a, (const char *const[]){"break", "--held-by", lengths[_i].id, NULL});
    command_add_servers(&a, &bare, 1);
    command_add(&a, "nightly");
    ck_assert_msg(command_run(&a) == 0, "%s%s", a.out, a.err);
    ck_assert_str_eq(live_command(&bare, "EXISTS nightly"), ":0\r\n");
    live_remove(&bare);
}
END_TEST

/* It changed while the answer was awaited, and begins as it did: by scripts, and by WATCH. */
START_TEST(what_is_longer_now_is_another_value)
{
    static const char *const args[] = {"--rename-command", "EVAL", "",  "--rename-command",
                                       "EVALSHA",          "",     NULL};
    struct live_server bare = {.args = _i ? args : NULL};
    char value[71], go[64], script[300];

    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    snprintf(go, sizeof go, "build/go.%ld", (long)getpid());
    unlink(go);
    live_start(&bare);
    live_command(&bare, "SET nightly %.63s", value);
    snprintf(script, sizeof script,
             "{ until [ -e %s ]; do sleep .1; done; echo y; } |"
             " script -qec \"$RDL_COMMAND break --restart-guard=off nightly\" /dev/null",
             go);
    command_set_script(&a, &bare, 1, script);
    command_start(&a);
    live_await(&bare, "INFO commandstats", "cmdstat_getrange:calls=2,");
    live_command(&bare, "SET nightly %s", value);
    FILE *f = fopen(go, "we");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    ck_assert_msg(command_end(&a) == 1, "%d: %s%s", a.status, a.out, a.err);
    ck_assert_ptr_nonnull(strstr(a.out, "redlock: nightly changed while it was broken"));
    ck_assert_str_eq(live_command(&bare, "STRLEN nightly"), ":70\r\n");
    unlink(go);
    live_remove(&bare);
}
END_TEST

/* What is there, what it is called, and whether it goes by --held-by its id, or that of its beginning. */
static const struct {
    const char *set, *id, *what;
} odd[] = {{"SETRANGE nightly 128 x", "1b58c59e", "a string of more than 128 bytes"},
           {"LPUSH nightly 1", "00000000", "no string"}};

START_TEST(a_key_that_is_no_lock_is_left_to_people)
{
    const char *const held_by[] = {"--held-by", odd[_i].id, NULL};
    char text[200];

    live_command(&server[0], "%s", odd[_i].set);
    snprintf(text, sizeof text,
             "redlock: nightly at 127.0.0.1:%d is %s, so no lock: delete it by hand if it is to go\n",
             server[0].port, odd[_i].what);
    ck_assert_int_eq(break_it(held_by, 1), 65);
    ck_assert_str_eq(a.err, text);
    ck_assert_int_eq(break_it(asks, 1), 65);
    ck_assert_str_eq(a.err, text);
    ck_assert_int_eq(break_it(asks, N), 65);
    ck_assert_str_eq(a.err, text);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
}
END_TEST

/* The other two have it no more. */
START_TEST(beside_a_key_that_is_no_lock_the_lock_is_deleted)
{
    live_command(&server[0], "LPUSH nightly 1");
    set(1, TOKEN);
    set(2, TOKEN);
    ck_assert_int_eq(break_it(of_it, N), 0);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
    ck_assert_str_eq(live_command(&server[1], "EXISTS nightly"), ":0\r\n");
    ck_assert_str_eq(live_command(&server[2], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* It lives after all: it is told, and does not go on without the lock. */
START_TEST(a_holder_who_renews_hears_that_it_is_lost)
{
    command_set(&b, (const char *const[]){"--restart-guard=off", "--ttl=6s", "--attempt=1500ms", NULL},
                server, N, "nightly", "echo held >&9; sleep 60");
    command_start(&b);
    ck_assert_str_eq(command_note(&b), "held");
    command_set_script(
        &a, server, N,
        "$RDL_COMMAND break --restart-guard=off --held-by $($RDL_COMMAND status --restart-guard=off nightly |"
        " sed -n 's/^nightly: held by \\([0-9a-f]*\\) .*/\\1/p') nightly");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_int_eq(command_end(&b), 75);
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

Suite *suite_cli_break(void)
{
    Suite *suite = suite_create("cli_break");
    TCase *tc = tcase_create("cli_break");

    tcase_add_checked_fixture(tc, start, stop);
    tcase_add_test(tc, what_its_holder_left_behind_is_deleted_where_it_stands);
    tcase_add_test(tc, another_holders_keys_are_left_alone);
    tcase_add_test(tc, without_a_terminal_it_is_to_be_said_whose);
    tcase_add_loop_test(tc, on_a_terminal_it_asks, 0, sizeof answers / sizeof answers[0]);
    tcase_add_test(tc, what_nobody_holds_needs_no_breaking);
    tcase_add_test(tc, too_few_servers_are_told);
    tcase_add_loop_test(tc, it_is_deleted_without_scripts_too, 0, sizeof lengths / sizeof lengths[0]);
    tcase_add_loop_test(tc, what_is_longer_now_is_another_value, 0, 2);
    tcase_add_loop_test(tc, a_key_that_is_no_lock_is_left_to_people, 0, sizeof odd / sizeof odd[0]);
    tcase_add_test(tc, beside_a_key_that_is_no_lock_the_lock_is_deleted);
    tcase_add_test(tc, a_holder_who_renews_hears_that_it_is_lost);
    suite_add_tcase(suite, tc);
    return suite;
}
