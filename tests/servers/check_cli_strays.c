/* SPDX-License-Identifier: MIT */
/* check_cli_strays.c - processes of the command that left its process group. Rule R36. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

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

/* It prints its process id, and lives until it is killed. */
#define JOB "sh -c 'echo $$ >&9; exec sleep 600 9>&-'"

/* Processes that leave the group, each with a job below it. */
static const char *const escapes[] = {
    "timeout 999 " JOB, "setsid " JOB, "setsid " JOB " & wait",
    "bash -c \"set -m; sh -c 'echo \\$\\$ >&9; exec sleep 600 9>&-' & wait\""};
enum { ESCAPES = sizeof escapes / sizeof escapes[0] };

/* A long grace: however busy the host is, redlock finds and stops all before the lease ends. */
#define MAX_HOLD "--max-hold=8s", "--grace=3900ms", "--attempt=2s"

static pid_t job;

/* The job runs. */
static void begin(const char *options[], const char *script)
{
    command_set(&c, options, &server, 1, "nightly", script);
    command_start(&c);
    job = (pid_t)strtol(command_note(&c), NULL, 10);
    ck_assert_int_gt(job, 0);
    ck_assert_int_eq(kill(job, 0), 0);
}

START_TEST(processes_that_left_the_group_are_stopped_too)
{
    begin((const char *[]){MAX_HOLD, NULL}, escapes[_i]);
    ck_assert_int_eq(command_end(&c), 124);
    command_await_gone(job);
    assert_has(c.err, "also stopping processes that left the command's process group: ");
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* The shell dies at once; its children live on and become orphans of redlock. */
START_TEST(a_stray_process_is_killed_after_the_grace)
{
    begin((const char *[]){MAX_HOLD, NULL},
          "setsid sh -c 'trap \"echo term >&9\" TERM; echo $$ >&9; while :; do sleep 0.01; done'");
    ck_assert_str_eq(command_note(&c), "term");
    command_end(&c);
    /* 75: a busy host sees the end of the job only after the lease. */
    ck_assert_msg(c.status == 124 || c.status == 75, "%d: %s", c.status, c.err);
    command_await_gone(job);
    ck_assert_ptr_null(command_last_note(&c)); /* one signal */
}
END_TEST

/* Returns 1 if redlock found and stopped it. */
static int stops_when_frozen(const char *options[])
{
    begin(options, escapes[0]);
    live_freeze(&server);
    ck_assert_int_eq(command_end(&c), 75);
    live_thaw(&server);
    close(c.note_fd);
    if (strstr(c.err, "also stopping") == NULL) {
        kill(job, SIGKILL);
        return 0;
    }
    command_await_gone(job);
    return 1;
}

/*
 * Also without a grace, when the kill comes first. Then redlock has half a second to read /proc, and on a
 * busy host that may be too short.
 */
START_TEST(a_stray_process_is_stopped_when_the_server_freezes)
{
    int tries = 0;

    if (_i == 0)
        ck_assert_int_eq(stops_when_frozen((const char *[]){"--ttl=8s", "--grace=3900ms", NULL}), 1);
    else
        while (!stops_when_frozen((const char *[]){"--ttl=5s", "--grace=10ms", NULL}))
            ck_assert_int_lt(++tries, 4);
}
END_TEST

/* Returns 1 if redlock found and stopped its own stray process. It never stops the script's. */
static int stops_only_its_own(const char *times)
{
    static const char script[] =
        "sleep 600 9>&- & echo 0 $! >&9; (setsid sleep 600 9>&- & echo 1 $! >&9; sleep 1) & "
        "exec \"$RDL_COMMAND\" run --ttl=10s %s nightly -c "
        "\"setsid sh -c 'echo 2 \\$\\$ >&9; exec sleep 600 9>&-' & wait\"";
    char full[500];
    pid_t of[3];

    snprintf(full, sizeof full, script, times);
    command_set_script(&c, &server, 1, full);
    command_start(&c);
    for (int i = 0; i < 3; i++) {
        const char *line = command_note(&c); /* in any order */
        of[line[0] - '0'] = (pid_t)strtol(line + 2, NULL, 10);
    }
    command_end(&c);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(kill(of[i], SIGKILL), 0);
    if (strstr(c.err, "also stopping") == NULL) {
        kill(of[2], SIGKILL);
        return 0;
    }
    ck_assert_msg(c.status == 124, "%d: %s", c.status, c.err);
    command_await_gone(of[2]);
    return 1;
}

/*
 * The script's own job is not the command's, nor is an orphan of that job. With 10 ms of grace, redlock has
 * half a second to read /proc, and on a busy host that may be too short.
 */
START_TEST(children_from_before_the_command_are_not_stopped)
{
    const char *times = _i == 0 ? "--max-hold=8s --grace=3900ms" : "--max-hold=5s --grace=10ms";
    int tries = 0;

    while (!stops_only_its_own(times))
        ck_assert_int_lt(++tries, 4);
}
END_TEST

/* Their arguments may hold secrets. */
START_TEST(a_job_that_outlives_the_command_is_reported_and_lives)
{
    char message[200];

    /* the command ends when the job has started */
    command_set(&c, (const char *const[]){"--attempt=5s", NULL}, &server, 1, "nightly",
                "setsid sh -c 'exec sleep 601 9>&-' & job=$!; echo $job >&9; "
                "while [ \"$(cat /proc/$job/comm)\" != sleep ]; do :; done");
    command_start(&c);
    job = (pid_t)strtol(command_note(&c), NULL, 10);
    ck_assert_int_eq(command_end(&c), 0);
    snprintf(
        message, sizeof message,
        "redlock: warning: the command has ended, but processes that left its process group continue without "
        "nightly: %ld (sleep); let the command wait for them\n",
        (long)job);
    ck_assert_str_eq(c.err, message);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
    ck_assert_int_eq(kill(job, SIGKILL), 0);
}
END_TEST

/* If it were one of them, nothing could be released. */
START_TEST(connect_commands_are_not_stray_processes)
{
    static const char relay[] = "bash --norc -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & setsid cat >&3'";
    char url[80], message[120];

    memset(&c, 0, sizeof c);
    snprintf(url, sizeof url, "rediss://127.0.0.1:%d", server.port);
    command_add_all(&c, (const char *const[]){"run", MAX_HOLD, "--connect-command", relay, "-u", url,
                                              "nightly", "-c", escapes[1], NULL});
    command_start(&c);
    job = (pid_t)strtol(command_note(&c), NULL, 10);
    ck_assert_int_eq(command_end(&c), 124);
    command_await_gone(job);
    snprintf(message, sizeof message, "left the command's process group: %ld (sleep)\n", (long)job);
    assert_has(c.err, message);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(a_command_without_stray_processes_is_no_warning)
{
    command_set(&c, (const char *const[]){"--attempt=5s", NULL}, &server, 1, "nightly",
                "setsid true; timeout 9 true");
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, "");
}
END_TEST

/*
 * In a new PID namespace /proc is still the host's. There redlock is process 2, and the host's children of
 * its
 * process 2 are kernel threads. Their numbers are those of the script's own jobs.
 */
START_TEST(processes_in_a_foreign_proc_get_no_signal)
{
    static const char script[] =
        "test $(id -u) = 0 && user= || user=-r; exec unshare $user -pf bash -c '"
        "\"$RDL_COMMAND\" run -q --max-hold=8s --grace=3900ms nightly -c \"sleep 600 9>&-\" & run=$!; "
        "all=; alive=0; for i in {1..60}; do sleep 600 9>&- & all=\"$all $!\"; done; wait $run; status=$?; "
        "for job in $all; do kill -0 $job && alive=$((alive + 1)); done 2>/dev/null; "
        "echo $status $alive; kill $all'";

    command_set_script(&c, &server, 1, script);
    ck_assert_msg(command_run(&c) == 0, "%s", c.err);
    ck_assert_str_eq(c.out, "124 60\n");
    assert_has(c.err, "warning: /proc is that of another PID namespace: ");
    ck_assert_uint_eq(command_count(c.err, "another PID namespace"), 1);
    assert_lacks(c.err, "also stopping");
}
END_TEST

Suite *suite_cli_strays(void)
{
    Suite *s = suite_create("cli_strays");
    TCase *t = suite_case(s, "one server", start, stop);

    tcase_add_loop_test(t, processes_that_left_the_group_are_stopped_too, 0, ESCAPES);
    tcase_add_test(t, a_stray_process_is_killed_after_the_grace);
    tcase_add_loop_test(t, a_stray_process_is_stopped_when_the_server_freezes, 0, 2);
    tcase_add_loop_test(t, children_from_before_the_command_are_not_stopped, 0, 2);
    tcase_add_test(t, a_job_that_outlives_the_command_is_reported_and_lives);
    tcase_add_test(t, connect_commands_are_not_stray_processes);
    tcase_add_test(t, a_command_without_stray_processes_is_no_warning);
    tcase_add_test(t, processes_in_a_foreign_proc_get_no_signal);
    return s;
}
