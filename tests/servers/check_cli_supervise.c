/* SPDX-License-Identifier: MIT */
/* check_cli_supervise.c - `redlock run`: the command is stopped before its lease expires. Rule R36. */
#define _POSIX_C_SOURCE 200809L
#include "lock/lock_lease.h"
#include "redlock/cli/child/guardian.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 5, TTL_MS = 10000 };

static struct live_server server[N];
static struct command c;

/* Writes the host's uptime, in hundredths of a second, over and over; the time of a stamp has passed then. */
#define STAMPS "while read -r up rest </proc/uptime; do echo $up; sleep 0.01; done >&9"

static const char hold[] = "trap 'exit 5' USR1; echo in >&9; while :; do sleep 0.01; done";

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

static void no_key_anywhere(void)
{
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}

/* ---------------------------------------------------------------- the lease continues */

/* How many servers have the key, with a ttl. */
static int holding(void)
{
    int n = 0;
    for (int i = 0; i < N; i++)
        n += strtol(live_command(&server[i], "PTTL nightly") + 1, NULL, 10) > 0;
    return n;
}

/* No stall of a busy machine ends the lease. */
static const char *const renewed_often[] = {"--ttl", "8s", "--attempt", "2s", "-v", NULL};

START_TEST(the_lease_is_renewed_as_long_as_the_command_runs)
{
    command_set(&c, renewed_often, server, N, "nightly", hold);
    command_start(&c);
    command_note(&c);
    for (int i = 1; i <= 4; i++) { /* longer than a lease lasts, each seen on a majority */
        command_await_times(&c, "nightly renewed", i);
        ck_assert_int_gt(holding(), N / 2);
    }
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 5);
    assert_lacks(c.err, "not renewed");
    no_key_anywhere();
}
END_TEST

/* The command starts when a majority has granted the lock: wait for the other servers. */
static void await_everywhere(void)
{
    for (int i = 0; i < N; i++)
        live_await(&server[i], "EXISTS nightly", ":1\r\n");
}

START_TEST(the_lease_is_renewed_with_two_of_five_servers_down)
{
    command_set(&c, renewed_often, server, N, "nightly", hold);
    command_start(&c);
    command_note(&c);
    await_everywhere();
    live_kill(&server[1]);
    live_freeze(&server[2]);
    command_await_times(&c, "nightly renewed",
                        command_times(&c, "nightly renewed") + 2); /* one was in flight */
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 5);
    live_thaw(&server[2]);
}
END_TEST

/* ---------------------------------------------------------------- the lease ends */

static double last_stamp_ms(void)
{
    const char *last = command_last_note(&c);
    ck_assert_ptr_nonnull(last);
    return strtod(last, NULL) * 1000;
}

/* Requests sent before the freeze give a lease until then at most. */
static void freeze_and_expect_death(const char *script)
{
    command_set(&c, (const char *const[]){"--ttl", "10s", NULL}, server, N, "nightly", script);
    command_start(&c);
    command_note(&c);
    for (int i = 0; i < N; i++)
        live_freeze(&server[i]);
    double deadline = (double)(rdl_posix_now_ms() + TTL_MS - rdl_drift_ms(TTL_MS));
    double last = last_stamp_ms();
    ck_assert_msg(last <= deadline, "ran for %.0f ms without the lock", last - deadline);
    ck_assert_int_eq(command_end(&c), 75);
    assert_has(c.err, "nightly is lost");
    for (int i = 0; i < N; i++)
        live_thaw(&server[i]);
}

START_TEST(the_command_ends_before_the_lease_if_all_servers_freeze)
{
    freeze_and_expect_death(STAMPS);
}
END_TEST

/* With -q the warnings of the renewals are hidden, so the error has what they would have printed. */
START_TEST(a_quiet_run_reports_why_the_lock_is_lost)
{
    char where[80];

    command_set(&c, (const char *const[]){"-q", "--ttl", "4s", "--attempt", "1s", NULL}, server, N, "nightly",
                "echo in >&9; exec sleep 60");
    command_start(&c);
    command_note(&c);
    for (int i = 0; i < N; i++)
        live_kill(&server[i]);
    ck_assert_int_eq(command_end(&c), 75);
    snprintf(where, sizeof where, " (the last renewal: 127.0.0.1:%d: ", server[0].port);
    ck_assert_msg(strstr(c.err, "nightly is lost: the lease could not be renewed; stopping the command (") !=
                          NULL &&
                      strstr(c.err, where) != NULL,
                  "%s", c.err);
}
END_TEST

START_TEST(a_command_that_ignores_sigterm_ends_before_the_lease)
{
    freeze_and_expect_death("trap '' TERM; (" STAMPS ") & " STAMPS);
}
END_TEST

START_TEST(a_stopped_command_ends_before_the_lease)
{
    command_set(&c, (const char *const[]){"--ttl", "4s", "--attempt", "1s", NULL}, server, N, "nightly",
                "echo in >&9; exec 9>&-; kill -STOP $$");
    command_start(&c);
    command_note(&c);
    command_await_err(&c, "is stopped");
    for (int i = 0; i < N; i++)
        live_freeze(&server[i]);
    ck_assert_int_eq(command_end(&c), 75);
    for (int i = 0; i < N; i++)
        live_thaw(&server[i]);
}
END_TEST

START_TEST(the_command_has_a_grace_period_to_end_cleanly)
{
    command_set(&c, (const char *const[]){"--ttl", "9s", "--grace", "4s", NULL}, server, N, "nightly",
                "trap 'echo tidy >&9; exit 0' TERM; echo in >&9; while :; do sleep 0.01; done");
    command_start(&c);
    command_note(&c);
    for (int i = 0; i < N; i++)
        live_kill(&server[i]);
    ck_assert_str_eq(command_note(&c), "tidy");
    ck_assert_int_eq(command_end(&c), 75); /* not 0: it was cut short */
}
END_TEST

START_TEST(a_lock_taken_by_another_client_stops_the_command)
{
    command_set(&c, renewed_often, server, N, "nightly", "echo in >&9; while :; do sleep 0.01; done");
    command_start(&c);
    command_note(&c);
    await_everywhere();
    for (int i = 0; i < 3; i++)
        live_command(&server[i], "SET nightly thief");
    ck_assert_int_eq(command_end(&c), 75);
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$5\r\nthief\r\n");
    ck_assert_str_eq(live_command(&server[4], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(a_lock_deleted_before_its_release_is_a_warning)
{
    command_set(&c, (const char *const[]){"--ttl", "60s", "--attempt", "5s", NULL}, server, N, "nightly",
                hold);
    command_start(&c);
    command_note(&c);
    await_everywhere();
    for (int i = 0; i < N; i++)
        live_command(&server[i], "DEL nightly");
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 5);
    assert_has(c.err, "the key does not exist");
}
END_TEST

START_TEST(a_lock_held_by_another_client_at_the_end_is_lost)
{
    command_set(&c, (const char *const[]){_i ? "-q" : "-v", "--ttl", "60s", "--attempt", "5s", NULL}, server,
                N, "nightly", hold);
    command_start(&c);
    command_note(&c);
    await_everywhere();
    for (int i = 0; i < 3; i++)
        live_command(&server[i], "SET nightly thief");
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 75);
    assert_has(c.err, "nightly is lost: another client held it before it was released");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$5\r\nthief\r\n");
}
END_TEST

/* ---------------------------------------------------------------- unread messages */

/* RDL_COMMAND OPTIONS... as a program whose standard error is a full pipe that nothing reads. */
static void start_unread(const char *const options[], const char *script)
{
    const char *program = getenv("RDL_COMMAND");
    int fd[2];

    ck_assert_int_eq(pipe(fd), 0);
    ck_assert_int_ge(fcntl(fd[0], F_DUPFD, 20), 20); /* its number may be the one below */
    close(fd[0]);
    ck_assert_int_eq(fcntl(fd[1], F_SETFL, O_NONBLOCK), 0);
    while (write(fd[1], "....", 4) > 0)
        continue;
    ck_assert_int_eq(fcntl(fd[1], F_SETFL, 0), 0);
    ck_assert_int_eq(dup2(fd[1], 8), 8);
    memset(&c, 0, sizeof c);
    setenv("RDL_COMMAND", "/bin/sh", 1);
    command_add_all(&c, (const char *const[]){"-c", "exec \"$0\" \"$@\" 2>&8", program, "run", NULL});
    command_add_all(&c, options);
    command_add_servers(&c, server, N);
    command_add_all(&c, (const char *const[]){"nightly", "-c", script, NULL});
    command_start(&c);
    command_note(&c);
}

START_TEST(unread_messages_do_not_delay_stopping_the_command)
{
    start_unread((const char *const[]){"--ttl", "10s", "-v", "--trace", NULL}, STAMPS);
    for (int i = 0; i < N; i++)
        live_freeze(&server[i]);
    double deadline = (double)(rdl_posix_now_ms() + TTL_MS - rdl_drift_ms(TTL_MS));
    ck_assert_double_le(last_stamp_ms(), deadline);
    ck_assert_int_eq(command_end(&c), 75);
    for (int i = 0; i < N; i++)
        live_thaw(&server[i]);
}
END_TEST

static long pttl(void)
{
    return strtol(live_command(&server[0], "PTTL nightly") + 1, NULL, 10);
}

/* Until the key's remaining time has grown. It may not be there yet if three others granted first. */
static void await_renewal(void)
{
    enum { PAUSES = 1000 }; /* 20 s */
    const struct timespec pause = {0, 20000000};
    long last = 0, next = pttl();
    int i;

    for (i = 0; i < PAUSES && (last <= 0 || next <= last); i++) {
        nanosleep(&pause, NULL);
        last = next;
        next = pttl();
    }
    ck_assert_msg(i < PAUSES, "not renewed for 20 s; PTTL %ld", next);
}

START_TEST(unread_messages_do_not_delay_renewal_or_release)
{
    start_unread((const char *const[]){"--ttl", "8s", "--attempt", "2s", "-v", "--trace", NULL},
                 "exec 2>/dev/null; trap 'exit 3' USR1; echo in >&9; while :; do sleep 0.01; done");
    for (int i = 0; i < 2; i++)
        await_renewal();
    ck_assert_int_gt(holding(), N / 2);
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 3);
    no_key_anywhere();
}
END_TEST

/* ---------------------------------------------------------------- servers in messages */

static int names(int i)
{
    char where[32];

    snprintf(where, sizeof where, "127.0.0.1:%d: ", server[i].port);
    return strstr(c.err, where) != NULL;
}

/* Three have it taken; a fourth is dead and is not the cause. */
START_TEST(only_servers_that_refuse_are_named)
{
    command_set(&c, (const char *const[]){"--ttl", "8s", "--attempt", "2s", NULL}, server, N, "nightly",
                "echo in >&9; sleep 1000");
    command_start(&c);
    command_note(&c);
    await_everywhere();
    live_kill(&server[3]);
    for (int i = 0; i < 3; i++)
        live_command(&server[i], "SET nightly another PX 60000");
    ck_assert_int_eq(command_end(&c), 75);
    assert_has(c.err, "not renewed");
    assert_has(c.err, "held by another client; ");
    for (int i = 0; i < N; i++)
        ck_assert_msg(names(i) == (i < 3), "server %d: %s", i, c.err);
}
END_TEST

START_TEST(a_deleted_lock_is_reported_with_its_servers)
{
    command_set(&c, (const char *const[]){"--ttl", "60s", "--attempt", "5s", NULL}, server, N, "nightly",
                hold);
    command_start(&c);
    command_note(&c);
    await_everywhere();
    for (int i = 0; i < 3; i++)
        live_command(&server[i], "DEL nightly");
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 5);
    for (int i = 0; i < N; i++)
        ck_assert_msg(names(i) == (i < 3), "server %d: %s", i, c.err);
}
END_TEST

/*
 * The three servers that were up granted it. One of them is frozen at the end: another client can get the
 * lock.
 */
START_TEST(a_lock_that_is_free_on_four_of_five_is_released)
{
    live_kill(&server[3]);
    live_kill(&server[4]);
    command_set(&c, (const char *const[]){"-v", "--ttl", "60s", "--attempt", "2s", NULL}, server, N,
                "nightly", hold);
    command_start(&c);
    command_note(&c);
    live_freeze(&server[2]);
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 5);
    assert_has(c.err, "nightly released");
    assert_lacks(c.err, "not confirmed");
    live_thaw(&server[2]);
}
END_TEST

/* Two of the servers that have it are frozen: they are named, and the two that never had it are not. */
START_TEST(an_unanswered_release_reports_where_the_lock_may_remain)
{
    live_kill(&server[3]);
    live_kill(&server[4]);
    command_set(&c, (const char *const[]){"--ttl", "60s", "--attempt", "2s", NULL}, server, N, "nightly",
                hold);
    command_start(&c);
    command_note(&c);
    for (int i = 0; i < 3; i++)
        live_freeze(&server[i]);
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 5);
    assert_has(c.err, "nightly: release not confirmed (");
    assert_has(c.err, "); it is free when its lease expires, at the latest\n");
    for (int i = 0; i < N; i++)
        ck_assert_msg(names(i) == (i < 3), "server %d: %s", i, c.err);
    for (int i = 0; i < 3; i++)
        live_thaw(&server[i]);
}
END_TEST

/* ---------------------------------------------------------------- the command ends */

/* With three servers frozen a renewal is in progress half of the time: of twelve ends some fall into one. */
START_TEST(the_command_may_end_during_a_renewal)
{
    enum { MANY = 12 };
    static struct command many[MANY];
    static const char names[MANY][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

    for (int i = 0; i < MANY; i++) {
        command_set(&many[i], (const char *const[]){"--ttl=12s", "--attempt=1s", "--grace=250ms", NULL},
                    server, N, names[i], "trap 'exit 3' USR1; sleep 1000 & echo in >&9; wait");
        command_start(&many[i]);
        command_note(&many[i]);
    }
    for (int i = 0; i < 3; i++)
        live_freeze(&server[i]);
    command_await_err(&many[MANY - 1], "not renewed");
    for (int i = 0; i < MANY; i++)
        kill(many[i].pid, SIGUSR1);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(command_end(&many[i]), 3);
    for (int i = 0; i < 3; i++)
        live_thaw(&server[i]);
}
END_TEST

START_TEST(the_commands_group_ends_before_the_release)
{
    command_set(&c, (const char *const[]){"--ttl", "8s", NULL}, server, N, "nightly",
                "trap 'exit 4' USR1; (trap '' TERM; echo child >&9; kill -USR1 $$; "
                "while :; do sleep 0.01; done) & while :; do wait; done");
    command_start(&c);
    command_note(&c);
    ck_assert_int_eq(command_end(&c), 4);
    ck_assert_ptr_null(command_last_note(&c)); /* no process has the pipe any more */
    assert_has(c.err, "the command has ended, but not all its processes: ");
    no_key_anywhere();
}
END_TEST

/* Even if it would end cleanly: SIGTERM comes first. */
START_TEST(the_rest_of_the_commands_group_gets_sigterm)
{
    command_set(&c, (const char *const[]){NULL}, server, N, "nightly",
                "trap 'exit 4' USR1; (trap 'echo term >&9; exit' TERM; trap '' USR1; kill -USR1 $$; "
                "while :; do sleep 0.01; done) & while :; do wait; done");
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "term");
    ck_assert_int_eq(command_end(&c), 4);
}
END_TEST

START_TEST(the_lock_is_free_as_soon_as_run_ends)
{
    for (int i = 0; i < 3; i++) {
        command_set(&c, (const char *const[]){"-n", "--ttl=5m", "--max-ttl=5m", "--attempt=5s", NULL}, server,
                    N, "nightly", "exit 0");
        ck_assert_int_eq(command_run(&c), 0);
        ck_assert_str_eq(c.err, "");
    }
    no_key_anywhere();
}
END_TEST

START_TEST(the_kill_margin_is_a_twentieth_of_the_ttl_within_bounds)
{
    ck_assert_uint_eq(rdl_cli_margin_ms(100), 20);
    ck_assert_uint_eq(rdl_cli_margin_ms(2000), 100);
    ck_assert_uint_eq(rdl_cli_margin_ms(5000), 250);
    ck_assert_uint_eq(rdl_cli_margin_ms(RDL_TTL_MAX), 250);
}
END_TEST

Suite *suite_cli_supervise(void)
{
    Suite *s = suite_create("cli_supervise");
    TCase *t = suite_case(s, "five servers", start, stop);
    tcase_add_test(t, the_lease_is_renewed_as_long_as_the_command_runs);
    tcase_add_test(t, the_lease_is_renewed_with_two_of_five_servers_down);
    tcase_add_test(t, a_lock_deleted_before_its_release_is_a_warning);
    tcase_add_loop_test(t, a_lock_held_by_another_client_at_the_end_is_lost, 0, 2);
    tcase_add_test(t, unread_messages_do_not_delay_renewal_or_release);
    tcase_add_test(t, only_servers_that_refuse_are_named);
    tcase_add_test(t, a_deleted_lock_is_reported_with_its_servers);
    tcase_add_test(t, a_lock_that_is_free_on_four_of_five_is_released);
    tcase_add_test(t, an_unanswered_release_reports_where_the_lock_may_remain);
    tcase_add_test(t, the_command_may_end_during_a_renewal);
    tcase_add_test(t, the_commands_group_ends_before_the_release);
    tcase_add_test(t, the_rest_of_the_commands_group_gets_sigterm);
    tcase_add_test(t, the_lock_is_free_as_soon_as_run_ends);
    t = suite_case(s, "times", NULL, NULL);
    tcase_add_test(t, the_kill_margin_is_a_twentieth_of_the_ttl_within_bounds);
    return s;
}

/* It ends because the lease does. */
Suite *suite_cli_supervise_stops(void)
{
    Suite *s = suite_create("cli_supervise_stops");
    TCase *t = suite_case(s, "five servers", start, stop);
    tcase_add_test(t, the_command_ends_before_the_lease_if_all_servers_freeze);
    tcase_add_test(t, a_quiet_run_reports_why_the_lock_is_lost);
    tcase_add_test(t, a_command_that_ignores_sigterm_ends_before_the_lease);
    tcase_add_test(t, a_stopped_command_ends_before_the_lease);
    tcase_add_test(t, the_command_has_a_grace_period_to_end_cleanly);
    tcase_add_test(t, a_lock_taken_by_another_client_stops_the_command);
    tcase_add_test(t, unread_messages_do_not_delay_stopping_the_command);
    return s;
}
