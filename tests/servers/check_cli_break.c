/* SPDX-License-Identifier: MIT */
/* `redlock break` on real servers: it deletes what it was asked to delete, and nothing else. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/terminal.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* The key lives for ten minutes. */
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

static const char *const of_it[] = {"--restart-guard=off", "--attempt=10s", "--held-by", ID, NULL};
static const char *const without_id[] = {"--restart-guard=off", "--attempt=10s", NULL};

START_TEST(break_deletes_the_holders_key_on_every_server)
{
    set(0, TOKEN);
    set(2, TOKEN);
    ck_assert_int_eq(break_it(of_it, N), 0);
    assert_has(a.out, "nightly: held by " ID " on 2 of 3, ");
    ck_assert_str_eq(a.err,
                     "redlock: nightly, held by " ID ", is gone from 3 of 3 servers; if that client is "
                     "alive, it learns at its next renewal that the lock is lost\n");
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* The current holder keeps the lock, even if the other value is a minority. */
START_TEST(break_leaves_another_holders_keys_alone)
{
    set(0, OTHER);
    set(1, OTHER);
    ck_assert_int_eq(break_it(of_it, N), 1);
    ck_assert_str_eq(a.err, "redlock: nightly is not held by " ID ": nothing was deleted\n");
    set(2, TOKEN);
    ck_assert_int_eq(break_it(of_it, N), 0);
    ck_assert_str_eq(live_command(&server[2], "EXISTS nightly"), ":0\r\n");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$40\r\n" OTHER "\r\n");
    ck_assert_str_eq(live_command(&server[1], "GET nightly"), "$40\r\n" OTHER "\r\n");
}
END_TEST

START_TEST(break_requires_the_holders_id_without_a_terminal)
{
    for (int i = 0; i < N; i++)
        set(i, TOKEN);
    ck_assert_int_eq(break_it(without_id, N), 64);
    ck_assert_str_eq(a.err,
                     "redlock: cannot ask without a terminal: give --held-by " ID " if the holder is gone\n");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
    live_command(&server[1], "DEL nightly");
    set(2, OTHER);
    ck_assert_int_eq(break_it(without_id, N), 64);
    assert_has(a.err, "no client holds nightly on a majority of the servers: say whose keys to "
                      "delete by --held-by ID\n");
}
END_TEST

/* ---------------------------------------------------------------- on a terminal */

static int master, slave;

/* redlock break NAME, on the first server, until the question appears. */
static pid_t start_question_of(const char *name, const char *id)
{
    static char url[64];
    char text[64];

    live_url(&server[0], LIVE_V4, url, sizeof url);
    snprintf(text, sizeof text, ", held by %s? Only if that client is gone [y/N] ", id);
    pid_t shell =
        terminal_start(slave, (const char *const[]){"break", "--attempt=10s", "-u", url, name, NULL});
    terminal_expect(master, text);
    return shell;
}

static pid_t start_question(const char *name)
{
    return start_question_of(name, ID);
}

static void expect_end(pid_t shell, const char *how)
{
    char text[40];

    snprintf(text, sizeof text, "shell: %s", how);
    terminal_expect(master, text);
    live_reap(shell);
}

/* The input, the fate of the key, and the exit status. */
static const struct {
    const char *answer, *how, *exists;
} answers[] = {{"y\n", "exit 0", ":0\r\n"},     {"yes\n", "exit 0", ":0\r\n"}, {"n\n", "exit 1", ":1\r\n"},
               {"\n", "exit 1", ":1\r\n"},      {"yo\n", "exit 1", ":1\r\n"},  {"\004", "exit 1", ":1\r\n"},
               {"yesyes\n", "exit 1", ":1\r\n"}};

START_TEST(break_asks_on_a_terminal)
{
    set(0, TOKEN);
    master = terminal_open(&slave);
    pid_t shell = start_question("nightly");
    ck_assert_ptr_nonnull(strstr(terminal_written(), "\nredlock: delete nightly, held by " ID "? "));
    terminal_type(master, answers[_i].answer);
    expect_end(shell, answers[_i].how);
    int is_kept = strstr(terminal_written(), "redlock: nightly was not deleted") != NULL;
    ck_assert_int_eq(is_kept, strcmp(answers[_i].how, "exit 1") == 0);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), answers[_i].exists);
}
END_TEST

/* Keys of the terminal, or a signal from elsewhere, and the input after it. */
static const struct {
    const char *key;
    int sig;
    const char *how;
} ends[] = {
    {"\003", 0, "signal 2"}, {"\034", 0, "signal 3"}, {"", SIGTERM, "signal 15"}, {"", SIGHUP, "signal 1"}};

START_TEST(a_signal_at_the_question_ends_break_and_deletes_nothing)
{
    set(0, TOKEN);
    master = terminal_open(&slave);
    pid_t shell = start_question("nightly");
    if (ends[_i].sig != 0)
        ck_assert_int_eq(kill(tcgetpgrp(master), ends[_i].sig), 0);
    terminal_type(master, ends[_i].key);
    terminal_type(master, "y\n");
    expect_end(shell, ends[_i].how);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
}
END_TEST

static void await_stopped(pid_t pid)
{
    const struct timespec pause = {0, 5000000};
    char path[64], text[256] = "";

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    while (strstr(text, ") T ") == NULL) {
        nanosleep(&pause, NULL);
        FILE *f = fopen(path, "re");
        ck_assert_ptr_nonnull(f);
        ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
        fclose(f);
    }
}

START_TEST(break_asks_again_after_it_was_stopped)
{
    set(0, TOKEN);
    master = terminal_open(&slave);
    pid_t shell = start_question("nightly");
    pid_t job = tcgetpgrp(master);
    terminal_type(master, "\032");
    await_stopped(job);
    terminal_type(master, "y\n");
    terminal_expect(master, "y\r\n");
    ck_assert_int_eq(kill(job, SIGCONT), 0);
    terminal_expect(master, "redlock: delete nightly, held by " ID "? Only if that client is gone [y/N] ");
    terminal_type(master, "n\n");
    expect_end(shell, "exit 1");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
}
END_TEST

START_TEST(input_typed_before_the_question_is_ignored)
{
    set(0, TOKEN);
    master = terminal_open(&slave);
    terminal_type(master, "y\n");
    terminal_expect(master, "y\r\n");
    pid_t shell = start_question("nightly");
    terminal_type(master, "n\n");
    expect_end(shell, "exit 1");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
}
END_TEST

START_TEST(the_question_escapes_control_bytes_of_a_name)
{
    live_command(&server[0], "SET \"a\\x1b[2J\" " TOKEN);
    master = terminal_open(&slave);
    pid_t shell = start_question("a\033[2J");
    ck_assert_ptr_nonnull(strstr(terminal_written(), "redlock: delete a?[2J, held by "));
    ck_assert_ptr_null(strchr(terminal_written(), '\033'));
    terminal_type(master, "n\n");
    expect_end(shell, "exit 1");
}
END_TEST

/* The server closes idle connections. */
START_TEST(a_connection_lost_during_the_question_is_reopened)
{
    set(0, TOKEN);
    master = terminal_open(&slave);
    pid_t shell = start_question("nightly");
    ck_assert_str_eq(live_command(&server[0], "CLIENT KILL TYPE normal SKIPME yes"), ":1\r\n");
    terminal_type(master, "y\n");
    terminal_expect(master, "redlock: nightly, held by " ID ", is gone from 1 of 1 servers; ");
    expect_end(shell, "exit 0");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(a_free_lock_needs_no_break)
{
    ck_assert_int_eq(break_it(without_id, N), 0);
    ck_assert_str_eq(a.err, "redlock: nightly is not held: there is nothing to break\n");
    ck_assert_int_eq(break_it(of_it, N), 0);
    ck_assert_str_eq(a.err, "redlock: nightly is not held: there is nothing to break\n");
}
END_TEST

/* No server replied, or too few did; or they may have lost the lock. */
START_TEST(break_does_not_call_a_lock_free_without_a_majority)
{
    static const char *const guarded[] = {"--restart-guard=if-permitted", "--max-ttl=60m", NULL};
    static const char text[] = "redlock: nothing was deleted: it is unknown whether nightly is held, because "
                               "too few servers replied or "
                               "have a vote; check them with redlock doctor\n";

    ck_assert_int_eq(break_it(guarded, N), 69);
    ck_assert_str_eq(a.err, text);
    live_kill(&server[1]);
    live_kill(&server[2]);
    ck_assert_int_eq(break_it(without_id, N), 69);
    ck_assert_str_eq(a.err, text);
    ck_assert_int_eq(break_it(of_it, N), 69);
    ck_assert_str_eq(a.err, text);
    live_command(&server[0], "CONFIG SET requirepass secret");
    ck_assert_int_eq(break_it(without_id, 1), 77);
    ck_assert_str_eq(a.err, text);
}
END_TEST

/* Two of three: otherwise its holder could restore the third. */
START_TEST(break_reports_too_few_servers)
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
    ck_assert_str_eq(a.err, "redlock: nightly, held by " ID ", is gone from 1 of 3 servers (2 needed): that "
                            "client may still hold it; try again\n");
}
END_TEST

/* A token, and the longest value that break deletes. */
static const struct {
    int len;
    const char *id;
} lengths[] = {{40, "84ae4e65"}, {63, "3511893f"}, {64, "d19b1ac5"}, {128, "2f5e97c5"}};

/* Without scripts, only WATCH compares. */
START_TEST(break_reports_why_a_server_refused_to_delete)
{
    char text[120];

    for (int i = 0; i < N; i++) {
        set(i, TOKEN);
        live_command(&server[i], "ACL SETUSER default -eval -evalsha -watch");
    }
    ck_assert_int_ne(break_it(of_it, N), 0);
    snprintf(text, sizeof text, "that client may still hold it; 127.0.0.1:%d did not delete it (",
             server[0].port);
    ck_assert_msg(strstr(a.err, text) != NULL && strstr(a.err, "NOPERM") != NULL, "%s", a.err);
}
END_TEST

START_TEST(break_works_without_scripts)
{
    static const char *const args[] = {LIVE_WITHOUT_SCRIPTS, NULL};
    struct live_server bare = {.args = args};
    char value[130];

    memset(value, 'x', sizeof value);
    live_start(&bare);
    live_command(&bare, "SET nightly %.*s", lengths[_i].len, value);
    command_add_all(&a, (const char *const[]){"break", "--attempt=10s", "--held-by", lengths[_i].id, NULL});
    command_add_servers(&a, &bare, 1);
    command_add(&a, "nightly");
    ck_assert_msg(command_run(&a) == 0, "%s%s", a.out, a.err);
    ck_assert_str_eq(live_command(&bare, "EXISTS nightly"), ":0\r\n");
    live_remove(&bare);
}
END_TEST

/* It changed while the answer was awaited, and begins as before: by scripts, and by WATCH. */
START_TEST(break_leaves_a_value_that_grew_alone)
{
    char value[71];

    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    if (_i)
        live_command(&server[0], "ACL SETUSER default -eval -evalsha");
    live_command(&server[0], "SET nightly %.63s", value);
    master = terminal_open(&slave);
    pid_t shell = start_question_of("nightly", "3511893f");
    live_command(&server[0], "SET nightly %s", value);
    terminal_type(master, "y\n");
    terminal_expect(master, "redlock: nightly changed while it was being deleted");
    expect_end(shell, "exit 1");
    ck_assert_str_eq(live_command(&server[0], "STRLEN nightly"), ":70\r\n");
}
END_TEST

/* The key, its description, and whether --held-by has its id or that of its beginning. */
static const struct {
    const char *set, *id, *what;
} odd[] = {{"SETRANGE nightly 128 x", "1b58c59e", "a string of more than 128 bytes"},
           {"LPUSH nightly 1", "00000000", "not a string"}};

START_TEST(break_leaves_a_key_that_is_not_a_lock_alone)
{
    const char *const held_by[] = {"--attempt=10s", "--held-by", odd[_i].id, NULL};
    char text[200];

    live_command(&server[0], "%s", odd[_i].set);
    snprintf(text, sizeof text,
             "redlock: nightly on 127.0.0.1:%d is %s, not a lock: if nothing needs it, delete it by hand\n",
             server[0].port, odd[_i].what);
    ck_assert_int_eq(break_it(held_by, 1), 65);
    ck_assert_str_eq(a.err, text);
    ck_assert_int_eq(break_it(without_id, 1), 65);
    ck_assert_str_eq(a.err, text);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":1\r\n");
}
END_TEST

/* The other two no longer have the lock. */
START_TEST(break_deletes_a_lock_next_to_a_foreign_key)
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

/* The holder is alive after all: it learns of the loss and stops. */
START_TEST(a_renewing_holder_learns_that_its_lock_was_broken)
{
    command_set(&b, (const char *const[]){"--restart-guard=off", "--ttl=6s", "--attempt=1500ms", NULL},
                server, N, "nightly", "echo held >&9; sleep 60");
    command_start(&b);
    ck_assert_str_eq(command_note(&b), "held");
    command_set_script(
        &a, server, N,
        "$RDL_COMMAND break --attempt=5s --held-by $($RDL_COMMAND status --attempt=5s nightly |"
        " sed -n 's/^nightly: held by \\([^ ]* (\\)\\{0,1\\}\\([0-9a-f]*\\).*/\\2/p') nightly");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_int_eq(command_end(&b), 75);
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

Suite *suite_cli_break(void)
{
    Suite *suite = suite_create("cli_break");
    TCase *tc = suite_case(suite, "cli_break", start, stop);

    tcase_add_test(tc, break_deletes_the_holders_key_on_every_server);
    tcase_add_test(tc, break_leaves_another_holders_keys_alone);
    tcase_add_test(tc, break_requires_the_holders_id_without_a_terminal);
    tcase_add_loop_test(tc, break_asks_on_a_terminal, 0, sizeof answers / sizeof answers[0]);
    tcase_add_loop_test(tc, a_signal_at_the_question_ends_break_and_deletes_nothing, 0,
                        sizeof ends / sizeof ends[0]);
    tcase_add_test(tc, break_asks_again_after_it_was_stopped);
    tcase_add_test(tc, input_typed_before_the_question_is_ignored);
    tcase_add_test(tc, the_question_escapes_control_bytes_of_a_name);
    tcase_add_test(tc, a_connection_lost_during_the_question_is_reopened);
    tcase_add_test(tc, a_free_lock_needs_no_break);
    tcase_add_test(tc, break_does_not_call_a_lock_free_without_a_majority);
    tcase_add_test(tc, break_reports_too_few_servers);
    tcase_add_loop_test(tc, break_works_without_scripts, 0, sizeof lengths / sizeof lengths[0]);
    tcase_add_test(tc, break_reports_why_a_server_refused_to_delete);
    tcase_add_loop_test(tc, break_leaves_a_value_that_grew_alone, 0, 2);
    tcase_add_loop_test(tc, break_leaves_a_key_that_is_not_a_lock_alone, 0, sizeof odd / sizeof odd[0]);
    tcase_add_test(tc, break_deletes_a_lock_next_to_a_foreign_key);
    tcase_add_test(tc, a_renewing_holder_learns_that_its_lock_was_broken);
    return suite;
}
