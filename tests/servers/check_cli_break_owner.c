/* SPDX-License-Identifier: MIT */
/* `redlock break --owner`: it deletes the values that it listed, and reports what may remain. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/terminal.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

enum { N = 3, MANY = 200 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define OTHER "00112233445566778899aabbccddeeff00000002"

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

static void set(int i, const char *name, const char *value)
{
    live_command(&server[i], "SET %s %s PX 600000", name, value);
}

static void set_all(const char *name, const char *value)
{
    for (int i = 0; i < N; i++)
        set(i, name, value);
}

static int exists(const char *name)
{
    int n = 0;

    for (int i = 0; i < N; i++)
        n += strcmp(live_command(&server[i], "EXISTS %s", name), ":1\r\n") == 0;
    return n;
}

/* redlock break --owner GLOB OPTION SERVERS... PREFIX */
static int break_all(const char *glob, const char *option, const char *prefix)
{
    memset(&c, 0, sizeof c);
    command_add(&c, "break");
    command_add_all(&c, (const char *const[]){"--restart-guard=off", "--attempt=10s", "--owner", glob, NULL});
    if (option != NULL)
        command_add(&c, option);
    command_add_servers(&c, server, N);
    if (prefix != NULL)
        command_add(&c, prefix);
    return command_run(&c);
}

START_TEST(all_locks_of_an_owner_are_deleted_and_no_others)
{
    set_all("jobs:a", TOKEN "@web-3:1");
    set_all("jobs:b", TOKEN "@web-3:2");
    set(1, "jobs:c", TOKEN "@web-3:2"); /* on a minority */
    set_all("jobs:d", TOKEN "@web-33:2");
    set_all("jobs:e", TOKEN);
    set_all("jobs:f", "x@web-3:1");
    set_all("mail:a", TOKEN "@web-3:1");
    ck_assert_msg(break_all("web-3:*", "--yes", "jobs:") == 0, "%s", c.err);
    ck_assert_uint_eq(command_count(c.out, "\n"), 3);
    assert_has(c.out, "jobs:a: held by web-3:1 (");
    assert_has(c.out, "jobs:b: held by web-3:2 (");
    assert_has(c.out, ") on 1 of 3, expires in 5");
    ck_assert_str_eq(
        c.err, "redlock: 3 locks are gone; a holder that is alive learns at its next renewal that the lock "
               "is lost\n");
    ck_assert_int_eq(exists("jobs:a") + exists("jobs:b") + exists("jobs:c"), 0);
    ck_assert_int_eq(exists("jobs:d") + exists("jobs:e") + exists("jobs:f") + exists("mail:a"), 4 * N);
}
END_TEST

/* Each server has a value of its own; those that match are deleted. */
START_TEST(only_the_listed_values_are_deleted)
{
    set(0, "a", TOKEN "@web-3:1");
    set(1, "a", OTHER "@web-3:1");
    set(2, "a", OTHER "@db:1");
    ck_assert_int_eq(break_all("web-*", "--yes", NULL), 0);
    ck_assert_uint_eq(command_count(c.out, "a: held by web-3:1 ("), 2);
    ck_assert_int_eq(exists("a"), 1);
    assert_has(live_command(&server[2], "GET a"), "@db:1");
}
END_TEST

/* By WATCH alone, the value longer than what a connection keeps; and another client took it meanwhile. */
START_TEST(values_are_compared_in_full)
{
    static const char owner[] = "@aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";
    char value[100];

    snprintf(value, sizeof value, "%s%s", TOKEN, owner);
    for (int i = 0; i < N; i++)
        live_command(&server[i], "ACL SETUSER default -eval -evalsha");
    set_all("a", value);
    value[80] = 'e';
    set_all("b", value);
    ck_assert_msg(break_all("a*d", "--yes", NULL) == 0, "%s", c.err);
    ck_assert_int_eq(exists("a"), 0);
    ck_assert_int_eq(exists("b"), N);
}
END_TEST

START_TEST(nothing_is_found)
{
    set_all("a", TOKEN);
    ck_assert_int_eq(break_all("*", "--yes", NULL), 0);
    ck_assert_str_eq(c.out, "");
    ck_assert_str_eq(c.err, "redlock: no lock has an owner like \"*\": there is nothing to break\n");
    ck_assert_int_eq(exists("a"), N);
}
END_TEST

/* A majority was searched or not; or a server refuses to delete. */
START_TEST(locks_that_may_remain_are_reported)
{
    set_all("a", TOKEN "@web-3:1");
    live_kill(&server[0]);
    if (_i == 1)
        live_kill(&server[1]);
    if (_i == 2)
        live_command(&server[2], "ACL SETUSER default -del -eval -evalsha");
    ck_assert_int_eq(break_all("web-3:*", "--yes", NULL), _i == 0 ? 0 : 69);
    if (_i == 0)
        assert_lacks(c.err, "remain");
    if (_i == 1)
        assert_has(c.err,
                   "the list may be incomplete, so some locks may remain: 1 of 3 servers were searched");
    if (_i == 2)
        assert_has(c.err, "0 of 1 locks are gone, and the others may remain: ");
}
END_TEST

/* All that was found is deleted, but there is a name that cannot be checked. */
START_TEST(an_incomplete_list_is_never_all_cleared)
{
    set_all("a", TOKEN "@web-3:1");
    live_command(&server[0], "SET \"j\\x00b\" x");
    ck_assert_int_eq(break_all("web-3:*", "--yes", NULL), 69);
    assert_has(c.err, "so some locks may remain: some names have a NUL byte");
    assert_has(c.err, "1 lock is gone; ");
    ck_assert_int_eq(exists("a"), 0);
}
END_TEST

START_TEST(break_by_owner_requires_yes_without_a_terminal)
{
    set_all("a", TOKEN "@web-3:1");
    ck_assert_int_eq(break_all("web-3:*", NULL, NULL), 64);
    assert_has(c.out, "a: held by web-3:1 (");
    ck_assert_str_eq(c.err, "redlock: cannot ask without a terminal: give --yes if the holders are gone\n");
    ck_assert_int_eq(exists("a"), N);
}
END_TEST

START_TEST(break_by_owner_asks_on_a_terminal)
{
    static const char *const lines[] = {"y\n", "n\n"};
    static char url[512];
    int slave, master = terminal_open(&slave);

    set(0, "a", TOKEN "@web-3:1");
    live_url(&server[0], LIVE_V4, url, sizeof url);
    pid_t shell =
        terminal_start(slave, (const char *const[]){"break", "--attempt=10s", "--owner=w*", "-u", url, NULL});
    terminal_expect(master, "delete this lock? Only if their holders are gone [y/N] ");
    terminal_type(master, lines[_i]);
    terminal_expect(master, _i == 0 ? "1 lock is gone" : "nothing was deleted");
    terminal_expect(master, _i == 0 ? "shell: exit 0" : "shell: exit 1");
    live_reap(shell);
    ck_assert_int_eq(exists("a"), _i);
}
END_TEST

static const struct {
    const char *words[3], *err;
} misuses[] = {
    {{"--owner=x", "--held-by", "98f34076"}, "give either --owner or --held-by, not both"},
    {{"--owner=x", "-l", "a"}, "--owner searches for locks: give a prefix of their names, not -l"},
    {{"--yes", "-l", "a"}, "--yes works only with --owner: for one lock, give --held-by"},
};

START_TEST(owner_does_not_go_with_a_lock_or_an_id)
{
    memset(&c, 0, sizeof c);
    command_add(&c, "break");
    for (int i = 0; i < 3; i++)
        command_add(&c, misuses[_i].words[i]);
    command_add_servers(&c, server, N);
    ck_assert_int_eq(command_run(&c), 64);
    assert_has(c.err, misuses[_i].err);
}
END_TEST

Suite *suite_cli_break_owner(void)
{
    Suite *s = suite_create("cli_break_owner");
    TCase *t = suite_case(s, "cli_break_owner", start, stop);

    tcase_add_test(t, all_locks_of_an_owner_are_deleted_and_no_others);
    tcase_add_test(t, only_the_listed_values_are_deleted);
    tcase_add_test(t, values_are_compared_in_full);
    tcase_add_test(t, nothing_is_found);
    tcase_add_loop_test(t, locks_that_may_remain_are_reported, 0, 3);
    tcase_add_test(t, an_incomplete_list_is_never_all_cleared);
    tcase_add_test(t, break_by_owner_requires_yes_without_a_terminal);
    tcase_add_loop_test(t, break_by_owner_asks_on_a_terminal, 0, 2);
    tcase_add_loop_test(t, owner_does_not_go_with_a_lock_or_an_id, 0, 3);
    return s;
}
