/* SPDX-License-Identifier: MIT */
/* Progress lines of a wait, on a terminal and elsewhere: with real servers, and a terminal. */
#define _GNU_SOURCE
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/terminal.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct live_server server;
static struct command c;
static char url[LIVE_PATH_MAX];
static int master, slave;

static void setup(void)
{
    live_start(&server);
    live_url(&server, LIVE_V4, url, sizeof url);
    live_command(&server, "SET nightly other PX 60000");
    master = terminal_open(&slave);
}

static void teardown(void)
{
    live_remove(&server);
}

/* The visible text begins like this in the end, and no progress line is left. */
static void assert_screen(const char *expected)
{
    const char *screen = terminal_screen();

    ck_assert_msg(strncmp(screen, expected, strlen(expected)) == 0, "%s", screen);
    assert_lacks(screen, "waiting");
}

/* ---------------------------------------------------------------- on a terminal */

START_TEST(a_progress_line_counts_and_vanishes_with_the_lock)
{
    pid_t shell = terminal_start(slave, (const char *const[]){"run", "-u", url, "--ttl=8s", "--attempt=2s",
                                                              "nightly", "--", "echo", "ran", NULL});

    terminal_expect(master, "\rredlock: waiting for nightly: ");
    terminal_expect(master, " s so far; its lease expires in ");
    terminal_expect(master, "\rredlock: waiting for nightly: ");
    terminal_expect(master, " s so far; its lease expires in ");
    live_command(&server, "DEL nightly");
    terminal_expect(master, "shell: exit 0");
    live_reap(shell);
    assert_screen("ran\nshell: exit 0\n");
}
END_TEST

START_TEST(a_progress_line_vanishes_when_the_wait_is_over)
{
    pid_t shell = terminal_start(slave, (const char *const[]){"acquire", "-u", url, "-w", "7", "--ttl=8s",
                                                              "--attempt=2s", "nightly", NULL});

    terminal_expect(master, " s left; its lease expires in ");
    terminal_expect(master, "shell: exit 1");
    live_reap(shell);
    assert_screen(
        "redlock: nightly is held by another client"); /* only an attempt in time reports how long */
}
END_TEST

START_TEST(a_progress_line_vanishes_after_a_signal)
{
    pid_t shell = terminal_start(slave, (const char *const[]){"hold", "-u", url, "nightly", NULL});

    terminal_expect(master, "waiting for nightly: ");
    terminal_type(master, "\003");
    terminal_expect(master, "shell: signal 2");
    live_reap(shell);
    ck_assert_ptr_null(strstr(terminal_screen(), "waiting"));
}
END_TEST

/* No piece between two carriage returns is wider. */
START_TEST(a_progress_line_is_no_wider_than_the_terminal)
{
    const struct winsize narrow = {25, 40, 0, 0};
    size_t most = 0;

    ck_assert_int_eq(ioctl(master, TIOCSWINSZ, &narrow), 0);
    pid_t shell = terminal_start(
        slave, (const char *const[]){"run", "-u", url, "-qw1.5", "--attempt=5s", "nightly", "true", NULL});
    terminal_expect(master, "shell: exit 1");
    live_reap(shell);
    ck_assert_ptr_null(strstr(terminal_written(), "redlock")); /* with -q there is nothing */
    shell = terminal_start(slave,
                           (const char *const[]){"run", "-u", url, "--attempt=5s", "nightly", "true", NULL});
    terminal_expect(master, "redlock: waiting for nightly: ");
    live_command(&server, "DEL nightly");
    terminal_expect(master, "shell: exit 0");
    live_reap(shell);
    for (const char *p = terminal_written(); *p != '\0'; p += strspn(p, "\r\n")) {
        most = strcspn(p, "\r\n") > most ? strcspn(p, "\r\n") : most;
        p += strcspn(p, "\r\n");
    }
    ck_assert_uint_eq(most, 39);
}
END_TEST

/* ---------------------------------------------------------------- without a terminal */

static const char begun[] = "redlock: nightly is held by another client; waiting: ";

START_TEST(without_a_terminal_progress_starts_after_a_second)
{
    command_set(&c, (const char *const[]){"-w7", "--ttl=8s", "--attempt=2s", NULL}, &server, 1, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&c), 1);
    ck_assert_msg(strncmp(c.err, begun, strlen(begun)) == 0, "%s", c.err);
    ck_assert_uint_eq(command_count(c.err, "redlock: "), 2);
    ck_assert_uint_eq(command_count(c.err, "waiting"), 1);
    ck_assert_ptr_null(strchr(c.err, '\r'));
}
END_TEST

START_TEST(progress_is_printed_with_a_wake_hint_too)
{
    command_set(&c, (const char *const[]){"--wake-hint", "--ttl=8s", "--attempt=2s", NULL}, &server, 1,
                "nightly", "echo ran");
    command_start(&c);
    command_await_err(&c, begun);
    live_command(&server, "DEL nightly");
    live_command(&server, "RPUSH {nightly}:wake 1");
    ck_assert_int_eq(command_end(&c), 0);
    ck_assert_str_eq(c.out, "ran\n");
}
END_TEST

/* Not at once: the servers may just be far away. */
START_TEST(progress_reports_that_no_server_answers)
{
    live_freeze(&server);
    command_set(&c, (const char *const[]){"-w60", "--ttl=8s", "--attempt=2s", NULL}, &server, 1, "nightly",
                "echo ran");
    command_start(&c);
    command_await_err(&c, "redlock: no lock on nightly yet; waiting: ");
    live_thaw(&server);
    live_command(&server, "DEL nightly");
    ck_assert_int_eq(command_end(&c), 0);
}
END_TEST

/* A failure is the reason for the wait, so it is printed with the first line. */
START_TEST(progress_gives_the_reason_of_a_failed_connection)
{
    live_kill(&server);
    command_set(&c, (const char *const[]){"-w7", NULL}, &server, 1, "nightly", "echo ran");
    ck_assert_int_eq(command_run(&c), 69);
    assert_has(c.err, "redlock: no lock on nightly yet; waiting: ");
    assert_has(c.err, " s so far, ");
    assert_lacks(c.err, "waiting: 0 s");
    ck_assert_uint_eq(command_count(c.err, ": cannot connect: Connection refused\n"), 1);
    ck_assert_uint_eq(command_count(c.err, ": cannot connect: Connection refused (is the server running?)\n"),
                      1);
}
END_TEST

START_TEST(a_short_wait_or_q_prints_no_progress)
{
    command_set(&c, (const char *const[]){"-qw1.5", "--attempt=5s", NULL}, &server, 1, "nightly", "echo ran");
    ck_assert_int_eq(command_run(&c), 1);
    ck_assert_str_eq(c.err, "");
    command_set(&c, (const char *const[]){"-w0.5", "--attempt=5s", NULL}, &server, 1, "nightly", "echo ran");
    ck_assert_int_eq(command_run(&c), 1);
    assert_lacks(c.err, "waiting");
}
END_TEST

Suite *suite_cli_progress(void)
{
    Suite *suite = suite_create("cli_progress");
    TCase *tc = suite_case(suite, "one server", setup, teardown);

    tcase_add_test(tc, a_progress_line_counts_and_vanishes_with_the_lock);
    tcase_add_test(tc, a_progress_line_vanishes_when_the_wait_is_over);
    tcase_add_test(tc, a_progress_line_vanishes_after_a_signal);
    tcase_add_test(tc, a_progress_line_is_no_wider_than_the_terminal);
    tcase_add_test(tc, without_a_terminal_progress_starts_after_a_second);
    tcase_add_test(tc, progress_is_printed_with_a_wake_hint_too);
    tcase_add_test(tc, progress_reports_that_no_server_answers);
    tcase_add_test(tc, progress_gives_the_reason_of_a_failed_connection);
    tcase_add_test(tc, a_short_wait_or_q_prints_no_progress);
    return suite;
}
