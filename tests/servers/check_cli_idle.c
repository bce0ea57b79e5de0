/* SPDX-License-Identifier: MIT */
/* check_cli_idle.c - a `redlock run` that has nothing to do sleeps, also where the host has no timers. Rule R36. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

Suite *suite_cli_idle(void);

enum { WINDOW_S = 2, WINDOWS = 5, NO_TIMERS_WINDOWS = 2 };

static struct live_server server;
static struct command c;

static void start(void)
{
    live_start(&server);
}

static void stop(void)
{
    live_remove(&server);
}

static void start_without_timers(void)
{
    start();
    refuse_call(SYS_timerfd_create, ENOSYS);
}

/* A number in /proc/PID/status. */
static unsigned long status_of(pid_t pid, const char *name)
{
    char path[40], line[200];
    unsigned long n = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            n = strtoul(line + strlen(name), NULL, 10);
    fclose(f);
    return n;
}

/* How often the process has gone to sleep so far. */
static unsigned long sleeps_of(pid_t pid)
{
    return status_of(pid, "voluntary_ctxt_switches:");
}

static pid_t command, guardian;

static void begin(const char *ttl, const char *script)
{
    command_set(&c, (const char *const[]){"-v", "--ttl", ttl, NULL}, &server, 1, "nightly", script);
    command_start(&c);
    command = (pid_t)strtol(command_note(&c), NULL, 10);
    guardian = (pid_t)strtol(command_note(&c), NULL, 10);
    ck_assert_int_gt(command, 0);
    ck_assert_int_gt(guardian, 0);
}

/* Scripts that print their process id, and the guardian's. */
#define PIDS "echo $$ >&9; grep -hs \"(lock-guardian) . $PPID \" /proc/[0-9]*/stat | cut -d ' ' -f 1 >&9; "
static const char idle[] = PIDS "exec sleep 600 9>&-";
static const char stamps[] = PIDS "while read -r up rest </proc/uptime; do echo $up >&9; sleep 0.01; done";

static void end(void)
{
    kill(c.pid, SIGTERM);
    ck_assert_int_eq(command_end(&c), 128 + SIGTERM);
}

/* Returns 1 if the process did not wake up at all in one of the windows. */
static int is_quiet(pid_t pid, int windows)
{
    const struct timespec window = {WINDOW_S, 0};

    for (int i = 0; i < windows; i++) {
        unsigned long before = sleeps_of(pid);
        nanosleep(&window, NULL);
        if (sleeps_of(pid) == before)
            return 1;
    }
    return 0;
}

/* The first renewal is due after 100 s. */
START_TEST(an_idle_run_does_not_wake_up)
{
    begin("5m", idle);
    ck_assert_int_eq(is_quiet(_i == 0 ? c.pid : guardian, WINDOWS), 1);
    end();
}
END_TEST

/* Without timers, redlock checks the clock every 100 ms, and the guardian every second. */
START_TEST(without_timers_an_idle_run_checks_the_clock)
{
    begin("5m", idle);
    ck_assert_int_eq(is_quiet(_i == 0 ? c.pid : guardian, NO_TIMERS_WINDOWS), 0);
    end();
}
END_TEST

/* The first renewal is due after 1 s. */
START_TEST(an_idle_run_renews_the_lease)
{
    begin("3s", idle);
    command_await_times(&c, "nightly renewed", 4); /* longer than a lease lasts */
    ck_assert_ptr_null(strstr(command_err_so_far(&c), "not renewed"));
    end();
}
END_TEST

/* As in cli_guardian; the margin is 200 ms. */
START_TEST(the_group_dies_in_time_when_redlock_is_stopped)
{
    begin("4s", stamps);
    kill(c.pid, SIGSTOP);
    double deadline = (double)(rdl_posix_now_ms() + 4000);
    double last = strtod(command_last_note_of(&c, command), NULL) * 1000;
    ck_assert_double_gt(last, 0);
    ck_assert_double_le(last, deadline);
    kill(c.pid, SIGCONT);
    ck_assert_int_eq(command_end(&c), 75);
}
END_TEST

Suite *suite_cli_idle(void)
{
    Suite *s = suite_create("cli_idle");
    TCase *t = tcase_create("timers");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_loop_test(t, an_idle_run_does_not_wake_up, 0, 2);
    tcase_add_test(t, an_idle_run_renews_the_lease);
    suite_add_tcase(s, t);
    t = tcase_create("no timers");
    tcase_add_checked_fixture(t, start_without_timers, stop);
    tcase_add_loop_test(t, without_timers_an_idle_run_checks_the_clock, 0, 2);
    tcase_add_test(t, an_idle_run_renews_the_lease);
    tcase_add_test(t, the_group_dies_in_time_when_redlock_is_stopped);
    suite_add_tcase(s, t);
    return s;
}
