/* SPDX-License-Identifier: MIT */
/*
 * check_cli_idle.c - a `redlock run` that has nothing to do sleeps, and a short one makes few system calls.
 * Also on hosts without timers. Rule R36.
 */
#define _GNU_SOURCE
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/*
 * Becomes the command, without calls that came with later kernels. Assertions would write to the note's pipe.
 */
static int on_old_kernel(int argc, char **argv)
{
    int note = fcntl(COMMAND_NOTE_FD, F_DUPFD_CLOEXEC, 0);

    (void)argc;
    close(COMMAND_NOTE_FD);
    refuse_call_with(SYS_pipe2, 1, O_CLOEXEC, ENOSYS);
    refuse_call_with(SYS_pipe2, 1, O_CLOEXEC | O_NONBLOCK, ENOSYS);
    refuse_call(SYS_close_range, ENOSYS);
    refuse_call(SYS_timerfd_create, ENOSYS);
    dup2(note, COMMAND_NOTE_FD);
    return execv(argv[0], argv);
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

static void begin_inside(int (*inside)(int argc, char **argv), const char *ttl, const char *script)
{
    command_set(&c, (const char *const[]){"-v", "--ttl", ttl, NULL}, &server, 1, "nightly", script);
    c.inside = inside;
    command_start(&c);
    command = (pid_t)strtol(command_note(&c), NULL, 10);
    guardian = (pid_t)strtol(command_note(&c), NULL, 10);
    ck_assert_int_gt(command, 0);
    ck_assert_int_gt(guardian, 0);
}

static void begin(const char *ttl, const char *script)
{
    begin_inside(NULL, ttl, script);
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

/* The first renewal is due after a third of it. */
START_TEST(an_idle_run_renews_the_lease)
{
    begin("5s", idle);
    command_await_times(&c, "nightly renewed", 4); /* longer than a lease lasts */
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

START_TEST(on_an_old_kernel_the_guardian_keeps_no_pipe_open)
{
    const struct timespec pause = {0, 5000000};

    begin_inside(on_old_kernel, "5m", idle);
    for (int i = 0; i < 4000 && live_count_fds_of(guardian) != 1; i++)
        nanosleep(&pause, NULL);
    ck_assert_int_eq(live_count_fds_of(guardian), 1);
    end();
    command_await_gone(guardian);
}
END_TEST

/* ---------------------------------------------------------------- system calls */

/* Those of redlock itself: its children are not traced. */
struct count {
    int all, directories, actions;
};

static void count_call(struct count *n, pid_t pid)
{
    struct __ptrace_syscall_info info;

    memset(&info, 0, sizeof info);
    ck_assert_int_gt(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info), 0);
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return;
    n->all++;
    n->directories += info.entry.nr == SYS_getdents64;
    n->actions += info.entry.nr == SYS_rt_sigaction;
}

/* Becomes the command, stopped until the test traces it. */
static int traced(int argc, char **argv)
{
    (void)argc;
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    return execv(argv[0], argv);
}

static struct count calls_of_a_short_run(void)
{
    struct count n = {0, 0, 0};
    int status, sig = 0;

    command_set(&c, (const char *const[]){"--attempt=5s", NULL}, &server, 1, "nightly", ":");
    c.inside = traced;
    command_start(&c);
    ck_assert_int_eq(waitpid(c.pid, &status, 0), c.pid);
    ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, c.pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
    for (;;) {
        ck_assert_int_eq(ptrace(PTRACE_SYSCALL, c.pid, NULL, (long)sig), 0);
        ck_assert_int_eq(waitpid(c.pid, &status, 0), c.pid);
        if (!WIFSTOPPED(status))
            break;
        sig = WSTOPSIG(status) == (SIGTRAP | 0x80) || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            count_call(&n, c.pid);
    }
    ck_assert_int_eq(status, 0);
    return n;
}

/*
 * 30 are made by the loader. It reads no /proc, because the command left no process, and sets each signal
 * that it catches or ignores once. On a busy machine replies come one by one: 118 to 128 calls were seen, and
 * one for each of the other signals.
 */
START_TEST(a_short_run_makes_few_system_calls)
{
    struct count n = calls_of_a_short_run();

    ck_assert_int_eq(n.directories, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const int others = 7 + SIGRTMAX - SIGRTMIN + 1; /* any of them may be a stop signal */
    ck_assert_int_eq(n.actions, 12 + others);
    ck_assert_int_le(n.all, 130 + others);
#endif
}
END_TEST

static const char *descriptors_of_the_command(int (*inside)(int argc, char **argv))
{
    command_set(&c, (const char *const[]){NULL}, &server, 1, "nightly", "ls /proc/$$/fd");
    c.inside = inside;
    ck_assert_int_eq(command_run(&c), 0);
    return c.out;
}

START_TEST(on_an_old_kernel_the_command_gets_no_pipe_of_ours)
{
    char usual[COMMAND_TEXT];

    strcpy(usual, descriptors_of_the_command(NULL));
    ck_assert_str_ne(usual, "");
    ck_assert_str_eq(descriptors_of_the_command(on_old_kernel), usual);
}
END_TEST

Suite *suite_cli_idle(void)
{
    Suite *s = suite_create("cli_idle");
    TCase *t = suite_case(s, "timers", start, stop);
    tcase_add_loop_test(t, an_idle_run_does_not_wake_up, 0, 2);
    tcase_add_test(t, an_idle_run_renews_the_lease);
    tcase_add_test(t, a_short_run_makes_few_system_calls);
    tcase_add_test(t, on_an_old_kernel_the_command_gets_no_pipe_of_ours);
    tcase_add_test(t, on_an_old_kernel_the_guardian_keeps_no_pipe_open);
    return s;
}

Suite *suite_cli_idle_no_timers(void)
{
    Suite *s = suite_create("cli_idle_no_timers");
    TCase *t = suite_case(s, "no timers", start_without_timers, stop);
    tcase_add_loop_test(t, without_timers_an_idle_run_checks_the_clock, 0, 2);
    tcase_add_test(t, an_idle_run_renews_the_lease);
    tcase_add_test(t, the_group_dies_in_time_when_redlock_is_stopped);
    return s;
}
