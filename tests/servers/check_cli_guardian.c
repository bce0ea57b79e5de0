/* SPDX-License-Identifier: MIT */
/* check_cli_guardian.c - the process that kills the command if redlock dies. Rule R36. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/child/guardian.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/heard.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct live_server server;
static struct command c;

/* The command's process id, one line of a child in the background, and then stamps from both. */
#define STAMPS "while read -r up rest </proc/uptime; do echo $up; sleep 0.01; done"
static const char family[] = "trap '' TERM HUP INT; exec >&9; echo $$; (echo child; " STAMPS ") & " STAMPS;

static void start(void)
{
    live_start(&server);
}

static void stop(void)
{
    live_remove(&server);
}

/* A child of the command with the guardian's name, which it sets itself; 0: not yet. */
static pid_t search_guardian(pid_t parent)
{
    DIR *proc = opendir("/proc");
    struct dirent *d;
    pid_t found = 0;

    ck_assert_ptr_nonnull(proc);
    while ((d = readdir(proc)) != NULL) {
        char path[300], line[256] = "";
        snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
        FILE *f = d->d_name[0] >= '1' && d->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (f == NULL)
            continue;
        char *name = fgets(line, sizeof line, f) != NULL ? strstr(line, "(lock-guardian) ") : NULL;
        if (name != NULL && strtol(name + strlen("(lock-guardian) S "), NULL, 10) == parent)
            found = (pid_t)strtol(d->d_name, NULL, 10);
        fclose(f);
    }
    closedir(proc);
    return found;
}

static pid_t find_guardian(void)
{
    const struct timespec pause = {0, 5000000};
    for (int i = 0; i < 4000; i++) {
        pid_t found = search_guardian(c.pid);
        if (found != 0)
            return found;
        nanosleep(&pause, NULL);
    }
    ck_abort_msg("no guardian");
    return 0;
}

/* It sets its name before it closes inherited descriptors, and closes them before it waits. */
static void await_watching(pid_t guardian)
{
    const struct timespec pause = {0, 5000000};

    for (int i = 0; i < 4000 && live_count_fds_of(guardian) > 2; i++)
        nanosleep(&pause, NULL);
    ck_assert_int_le(live_count_fds_of(guardian), 2); /* its pipe and its timer */
}

static pid_t child; /* of the command: the leader of the group */

static void begin(const char *ttl)
{
    command_set(&c, (const char *const[]){"--ttl", ttl, NULL}, &server, 1, "nightly", family);
    command_start(&c);
    child = (pid_t)strtol(command_note(&c), NULL, 10);
    ck_assert_int_gt(child, 0);
    while (strcmp(command_note(&c), "child") != 0)
        continue;
}

START_TEST(the_commands_group_dies_when_redlock_is_killed)
{
    begin("5m");
    kill(c.pid, SIGKILL);
    ck_assert_int_eq(command_end(&c), 128 + SIGKILL);
    command_last_note(&c); /* comes to its end only when the whole group is gone */
}
END_TEST

/* As a shell does to its job, or timeout -s KILL to its command. */
START_TEST(the_guardian_survives_a_kill_of_redlocks_group)
{
    begin("5m");
    pid_t guardian = find_guardian();
    await_watching(guardian);
    ck_assert_int_eq(getpgid(c.pid), c.pid);
    ck_assert_int_ne(getpgid(guardian), c.pid);
    kill(-c.pid, SIGKILL);
    ck_assert_int_eq(command_end(&c), 128 + SIGKILL);
    command_last_note(&c); /* comes to its end only when the whole group is gone */
}
END_TEST

START_TEST(the_commands_group_dies_in_time_when_redlock_is_stopped)
{
    begin("10s"); /* the margin is 250 ms */
    kill(c.pid, SIGSTOP);
    double deadline = (double)(rdl_posix_now_ms() + 10000);
    double last = strtod(command_last_note_of(&c, child), NULL) * 1000;
    ck_assert_double_gt(last, 0);
    ck_assert_double_le(last, deadline);
    kill(c.pid, SIGCONT);
    ck_assert_int_eq(command_end(&c), 75);
    assert_has(c.err, "nightly is lost");
}
END_TEST

/* Its descriptors: the one pipe that it reads, and no more. */
static unsigned descriptors_of(pid_t pid)
{
    char path[40];
    unsigned n = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir))
        n += d->d_name[0] != '.';
    closedir(dir);
    return n;
}

START_TEST(a_started_guardian_is_ready)
{
    struct rdl_cli_guardian g;

    ck_assert_int_eq(rdl_cli_guardian_start(&g, 30000, 0, 0), 0);
    rdl_cli_guardian_wait(&g, UINT64_MAX);
    ck_assert_int_eq(search_guardian(getpid()), g.pid);
    ck_assert_uint_eq(descriptors_of(g.pid), 1);
    rdl_cli_guardian_stop(&g);
}
END_TEST

/* The test has the guardian's end of that pipe. */
START_TEST(the_wait_for_a_guardian_ends_when_ready_or_late)
{
    struct rdl_cli_guardian g;
    int end[2];
    uint64_t until_ms = rdl_posix_now_ms() + 30;

    memset(&g, 0, sizeof g);
    ck_assert_int_eq(pipe(end), 0);
    g.ready_fd = end[0];
    rdl_cli_guardian_wait(&g, until_ms);
    ck_assert_uint_ge(rdl_posix_now_ms(), until_ms);
    close(end[1]);
    ck_assert_int_eq(pipe(end), 0);
    g.ready_fd = end[0];
    close(end[1]);
    rdl_cli_guardian_wait(&g, UINT64_MAX);
}
END_TEST

/* Not every user may set a realtime priority. */
static int may_go_first(void)
{
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(sched_setscheduler(0, SCHED_FIFO, &lowest) == 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

START_TEST(only_the_guardian_has_realtime_priority)
{
    int expected = may_go_first() ? SCHED_FIFO : SCHED_OTHER, policy = -1;
    const struct timespec pause = {0, 5000000};

    begin("5m");
    pid_t guardian = find_guardian();
    for (int i = 0; i < 4000 && policy != expected; i++) { /* it has its name a little earlier */
        policy = sched_getscheduler(guardian);
        nanosleep(&pause, NULL);
    }
    ck_assert_int_eq(policy, expected);
    ck_assert_int_eq(sched_getscheduler(c.pid), SCHED_OTHER);
    ck_assert_int_eq(sched_getscheduler(child), SCHED_OTHER);
    kill(c.pid, SIGKILL);
    command_end(&c);
    command_last_note(&c);
}
END_TEST

/* hold, which writes its token to the note. */
static void begin_hold(void)
{
    command_set_script(&c, &server, 1, "exec 7<> <(:); exec \"$RDL_COMMAND\" hold --ttl=5m nightly <&7 >&9");
    command_start(&c);
    command_note(&c);
}

START_TEST(a_killed_guardian_is_replaced)
{
    if (_i == 0)
        begin("5m");
    else
        begin_hold();
    pid_t first = find_guardian();
    kill(first, SIGTERM); /* it ignores this */
    kill(first, SIGKILL);
    command_await_err(&c, "starting another");
    pid_t second = find_guardian();
    ck_assert_int_ne(first, second);
    kill(c.pid, SIGKILL);
    command_end(&c);
    command_last_note(&c);
    command_await_gone(second);
}
END_TEST

/* Not even if redlock inherited many descriptors, which it passes on. */
START_TEST(the_guardian_ends_with_the_run_and_keeps_no_pipe_open)
{
    for (int i = 0; i < 200 * _i; i++)
        ck_assert_int_ge(dup(STDERR_FILENO), 0);
    command_set(&c, (const char *const[]){NULL}, &server, 1, "nightly", "echo in >&9; read -r x </dev/zero");
    command_start(&c);
    command_note(&c);
    pid_t guardian = find_guardian();
    await_watching(guardian);
    kill(c.pid, SIGTERM);
    ck_assert_int_eq(command_end(&c), 128 + SIGTERM);
    command_await_gone(guardian);
}
END_TEST

START_TEST(a_stopped_guardian_does_not_delay_the_release)
{
    command_set(&c, (const char *const[]){NULL}, &server, 1, "nightly",
                "trap 'exit 3' USR1; echo in >&9; while :; do sleep 0.01; done");
    command_start(&c);
    command_note(&c);
    pid_t guardian = find_guardian();
    kill(guardian, SIGSTOP);
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 3);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
    command_await_gone(guardian);
}
END_TEST

/* A guardian that was stopped reads no orders: the sender must not wait for it. */
START_TEST(a_guardian_that_does_not_read_blocks_nothing)
{
    struct rdl_cli_guardian g;

    ck_assert_int_eq(rdl_cli_guardian_start(&g, 10000, 0, 0), 0);
    signal(SIGPIPE, SIG_IGN); /* as the command does */
    kill(g.pid, SIGSTOP);
    for (int i = 0; i < 100000; i++)
        rdl_cli_guardian_update(&g, g.pid, UINT64_MAX);
    kill(g.pid, SIGKILL);
    rdl_cli_guardian_stop(&g);
}
END_TEST

/* The number of a `redlock hold` that has ended may be that of another process. */
START_TEST(the_guardian_kills_no_process_but_its_parent)
{
    struct rdl_cli_guardian g;
    int status;
    pid_t other = fork();

    if (other == 0)
        for (;;)
            pause();
    ck_assert_int_eq(rdl_cli_guardian_start(&g, 10000, 0, 0), 0);
    rdl_cli_guardian_update(&g, other, 0);
    ck_assert_int_eq(waitpid(g.pid, &status, 0), g.pid);
    ck_assert_int_eq(waitpid(other, &status, WNOHANG), 0);
    kill(other, SIGUSR1);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(WTERMSIG(status), SIGUSR1);
}
END_TEST

/* Else a redlock that is killed while it replaces its guardian leaves the command running. */
START_TEST(a_guardian_has_its_target_before_it_starts)
{
    struct rdl_cli_guardian g;
    int status;
    pid_t work = fork();

    if (work == 0) {
        setpgid(0, 0);
        signal(SIGALRM, SIG_DFL);
        alarm(20); /* if nothing kills it */
        for (;;)
            pause();
    }
    setpgid(work, work);
    pid_t redlock = fork();
    if (redlock == 0)
        _exit(rdl_cli_guardian_start(&g, 30000, -work, rdl_posix_now_ms() + 30000) != 0);
    ck_assert_int_eq(waitpid(redlock, &status, 0), redlock);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(waitpid(work, &status, 0), work);
    ck_assert_int_eq(WTERMSIG(status), SIGKILL);
}
END_TEST

/* As they come when a host shuts down, or from `kill -TERM -1`. */
START_TEST(the_guardian_ignores_signals_sent_to_every_process)
{
    static const int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE};
    struct rdl_cli_guardian g;
    int status;

    signal(SIGPIPE, SIG_IGN); /* as the command does */
    ck_assert_int_eq(rdl_cli_guardian_start(&g, 10000, 0, 0), 0);
    await_watching(g.pid);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        kill(g.pid, all[i]);
    rdl_cli_guardian_update(&g, 0, 0);
    ck_assert_int_eq(waitpid(g.pid, &status, 0), g.pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* A process takes a moment to die; redlock itself kills a whole margin before the end. */
START_TEST(the_guardian_kills_half_a_margin_before_the_lease_ends)
{
    static const struct {
        uint32_t ttl_ms, early_ms;
    } rows[] = {{100, 10}, {300, 10}, {1000, 25}, {30000, 125}};
    struct rdl_cli_guardian g;
    int64_t order[2]; /* the group, and until when */
    int fd[2];

    ck_assert_int_eq(rdl_cli_guardian_start(&g, rows[_i].ttl_ms, 0, 0), 0);
    rdl_cli_guardian_stop(&g);
    ck_assert_int_eq(pipe(fd), 0);
    g.fd = fd[1];
    rdl_cli_guardian_update(&g, 4711, 1000000);
    ck_assert_int_eq(read(fd[0], order, sizeof order), sizeof order);
    ck_assert_int_eq(order[0], 4711);
    ck_assert_int_eq(order[1], 1000000 - rows[_i].early_ms);
}
END_TEST

/* ---------------------------------------------------------------- late wake-ups */

/* Wait until it has stopped: otherwise it may start another guardian. */
static void stop_supervisor(void)
{
    int status;

    kill(c.pid, SIGSTOP);
    ck_assert_int_eq(waitpid(c.pid, &status, WUNTRACED), c.pid);
}

/*
 * The supervisor sleeps for longer than the lease, and so does the guardian (0, 1), or it is dead (2, 3). The
 * command continues and ends before they wake up: even if its status is 0, another client may have had the
 * lock. The moment at which the supervisor fell asleep decides what it sees first, the end of the lease or
 * that of the command. It starts no other guardian for a lease that has ended.
 */
START_TEST(waking_after_the_lease_is_not_reported_as_success)
{
    command_set(&c, (const char *const[]){"--ttl", "4s", _i % 2 ? "-q" : "-v", NULL}, &server, 1, "nightly",
                "trap 'exit 0' USR1; echo $$ >&9; while :; do sleep 0.01; done");
    command_start(&c);
    child = (pid_t)strtol(command_note(&c), NULL, 10);
    pid_t guardian = find_guardian();
    stop_supervisor();
    kill(guardian, _i < 2 ? SIGSTOP : SIGKILL);
    live_await(&server, "EXISTS nightly", ":0\r\n");
    kill(child, SIGUSR1);
    command_await_gone(child);
    kill(c.pid, SIGCONT);
    ck_assert_int_eq(command_end(&c), 75);
    ck_assert_msg(strstr(c.err, "nightly is lost: its lease expired before the command was seen to end") !=
                          NULL ||
                      strstr(c.err, "nightly is lost: the lease could not be renewed") != NULL,
                  "%s", c.err);
    assert_lacks(c.err, "starting another");
}
END_TEST

/*
 * The guardian kills the group half a margin before the lease ends (100 ms; 42 ms are for clocks). A
 * supervisor that wakes up just then may see that the command was killed before it sees which process did it.
 */
START_TEST(waking_before_the_guardian_ends_reports_the_loss)
{
    command_set(&c, (const char *const[]){"--ttl", "4s", NULL}, &server, 1, "nightly",
                "echo $$ >&9; while :; do sleep 0.01; done");
    command_start(&c);
    child = (pid_t)strtol(command_note(&c), NULL, 10);
    pid_t guardian = find_guardian();
    stop_supervisor();
    kill(guardian, SIGSTOP); /* otherwise it is as quick as the test */
    while (strtol(live_command(&server, "PTTL nightly") + 1, NULL, 10) > 130)
        continue;
    kill(-child, SIGKILL); /* as the guardian does */
    command_await_gone(child);
    kill(c.pid, SIGCONT);
    ck_assert_int_eq(command_end(&c), 75);
    assert_has(c.err, "nightly is lost: ");
}
END_TEST

enum { LEADER_FD = 8 }; /* where the leader of the command's group writes its process id */

/*
 * Runs the command, and adds a process to its group. Killed, that process stays in the group until we reap
 * it,
 * and by then the guardian has ended.
 */
static int with_a_late_member(int argc, char **argv)
{
    const struct timespec pause = {0, 5000000};
    char line[20] = "";
    int status;
    int order[2];
    pid_t redlock, member, leader;

    (void)argc;
    if (pipe(order) != 0 || dup2(order[1], LEADER_FD) != LEADER_FD)
        return 1;
    redlock = fork();
    if (redlock == 0) {
        execv(getenv("RDL_COMMAND"), argv);
        _exit(1);
    }
    close(order[1]);
    close(LEADER_FD);
    if (read(order[0], line, sizeof line - 1) <= 0)
        return 1;
    leader = (pid_t)strtol(line, NULL, 10);
    member = fork();
    if (member == 0) {
        signal(SIGTERM, SIG_IGN);
        for (;;)
            nanosleep(&pause, NULL);
    }
    if (setpgid(member, leader) != 0)
        return 2;
    while (search_guardian(redlock) != 0)
        nanosleep(&pause, NULL);
    waitpid(member, &status, 0);
    waitpid(redlock, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

/*
 * With --max-hold nothing renews the lease, so the guardian ends half a margin before it does. redlock has
 * killed the group by then. 75: a busy host sees the end of the group only after the lease. On such a host
 * the guardian may even come first, but not each time.
 */
START_TEST(a_guardian_that_ends_after_the_kill_is_no_loss)
{
    int tries = 0;

    do {
        ck_assert_msg(tries++ < 4, "%d: %s", c.status, c.err);
        command_set(&c, (const char *const[]){"--max-hold=5s", "--grace=2s", NULL}, &server, 1, "nightly",
                    "trap '' TERM; echo $$ >&8; while :; do sleep 0.01; done");
        c.inside = with_a_late_member;
        command_run(&c);
    } while (strstr(c.err, "its lease has expired") != NULL);
    ck_assert_msg(c.status == 124 || c.status == 75, "%d: %s", c.status, c.err);
    ck_assert_msg((c.status == 75) == (strstr(c.err, "expired before the command was seen to end") != NULL),
                  "%d: %s", c.status, c.err);
    assert_has(c.err, "nightly has reached --max-hold (5s): stopping the command\n");
}
END_TEST

/*
 * The signal also reaches the guardian before it ignores signals: a Ctrl-Z that counts twice would stop the
 * command and continue it.
 */
/* The process has no descriptor left. */
START_TEST(a_guardian_that_cannot_be_replaced_is_a_warning)
{
    struct rdl_cli_guardian g = {.fd = -1};

    rdl_cli_set_verbosity(RDL_CLI_QUIET);
    heard_begin();
    int lowest = dup(0);
    ck_assert_int_eq(close(lowest), 0);
    const struct rlimit none = {(rlim_t)lowest, (rlim_t)lowest};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    rdl_cli_guardian_replace(&g, 30000, 0, rdl_posix_now_ms() + 30000);
    ck_assert_str_eq(heard_since(),
                     "redlock: warning: cannot start another guardian (Too many open files): if redlock is "
                     "killed or stopped now, the work may continue without the lock\n");
}
END_TEST

START_TEST(a_signal_while_the_guardian_starts_counts_once)
{
    struct rdl_cli_guardian g;
    int wake_fd, status;

    ck_assert_int_eq(rdl_cli_signals_open(&wake_fd, 1), 0);
    setpgid(0, 0);
    for (int i = 0; i < 100; i++) {
        int n = 0;
        ck_assert_int_eq(rdl_cli_guardian_start(&g, 10000, 0, 0), 0);
        kill(0, SIGTSTP);
        rdl_cli_guardian_update(&g, 0, 0);
        ck_assert_int_eq(waitpid(g.pid, &status, 0), g.pid);
        ck_assert_int_eq(status, 0);
        close(g.fd);
        for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next())
            n += sig == SIGTSTP;
        ck_assert_int_eq(n, 1);
    }
}
END_TEST

Suite *suite_cli_guardian(void)
{
    Suite *s = suite_create("cli_guardian");
    TCase *t = suite_case(s, "no server", NULL, NULL);
    tcase_add_test(t, a_guardian_that_cannot_be_replaced_is_a_warning);
    tcase_add_test(t, a_signal_while_the_guardian_starts_counts_once);
    tcase_add_test(t, the_guardian_ignores_signals_sent_to_every_process);
    tcase_add_test(t, the_guardian_kills_no_process_but_its_parent);
    tcase_add_test(t, a_guardian_has_its_target_before_it_starts);
    t = suite_case(s, "one server", start, stop);
    tcase_add_test(t, the_commands_group_dies_when_redlock_is_killed);
    tcase_add_test(t, the_guardian_survives_a_kill_of_redlocks_group);
    tcase_add_test(t, the_commands_group_dies_in_time_when_redlock_is_stopped);
    tcase_add_test(t, a_started_guardian_is_ready);
    tcase_add_test(t, the_wait_for_a_guardian_ends_when_ready_or_late);
    tcase_add_test(t, only_the_guardian_has_realtime_priority);
    tcase_add_loop_test(t, a_killed_guardian_is_replaced, 0, 2);
    tcase_add_loop_test(t, the_guardian_ends_with_the_run_and_keeps_no_pipe_open, 0, 2);
    tcase_add_test(t, a_stopped_guardian_does_not_delay_the_release);
    tcase_add_test(t, a_guardian_that_does_not_read_blocks_nothing);
    tcase_add_loop_test(t, the_guardian_kills_half_a_margin_before_the_lease_ends, 0, 4);
    tcase_add_loop_test(t, waking_after_the_lease_is_not_reported_as_success, 0, 4);
    tcase_add_test(t, waking_before_the_guardian_ends_reports_the_loss);
    tcase_add_test(t, a_guardian_that_ends_after_the_kill_is_no_loss);
    return s;
}
