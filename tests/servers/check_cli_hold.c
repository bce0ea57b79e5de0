/* SPDX-License-Identifier: MIT */
/* `redlock hold`: the lock for as long as a script needs it. Real servers, and bash. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 3, TOKEN = 42 /* 40 digits, "@o" */ };

static struct live_server server[N];
static struct command a, b;

static void setup(void)
{
    setenv("REDLOCK_OWNER", "o", 1);
    memset(server, 0, sizeof server);
    live_start_all(server, N);
}

static void teardown(void)
{
    live_remove_all(server, N);
}

static void start(struct command *c, const char *script)
{
    command_set_script(c, server, N, script);
    command_start(c);
}

static long left_ms(void)
{
    return strtol(live_command(&server[0], "PTTL nightly") + 1, NULL, 10);
}

/* Until the key's remaining time has grown. */
static void await_renewal(void)
{
    const struct timespec pause = {0, 20000000};
    long last, next = 0;

    do {
        last = next;
        nanosleep(&pause, NULL);
        next = left_ms();
    } while (last <= 0 || next <= last);
}

static void assert_free(void)
{
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}

/*
 * How a script uses hold: it reads the token, works, closes hold's input, and reads the exit status. It
 * writes hold's process id and the token to fd 9; it closes hold's input at SIGUSR1, writes to it at SIGUSR2,
 * and exits like hold. Hold starts when the script has saved what bash forgets as soon as hold ends.
 */
#define COPROC(OPTIONS)                                                                                      \
    "coproc { read -r go; exec \"$RDL_COMMAND\" hold " OPTIONS " nightly; }; pid=$COPROC_PID;"               \
    " exec 6<&${COPROC[0]} 7>&${COPROC[1]}; eval \"exec ${COPROC[0]}<&- ${COPROC[1]}>&-\";"                  \
    " echo $pid >&9; echo go >&7;"                                                                           \
    " trap 'exec 7>&-' USR1; trap 'echo hello >&7; echo said >&9' USR2;"                                     \
    " if read -r token fence <&6; then echo \"$token $fence\" >&9; fi;"                                      \
    " while wait $pid; s=$?; [ $s -eq 138 ] || [ $s -eq 140 ]; do :; done; exit $s"

static pid_t holder; /* its process id, once it holds the lock */
static char value[64];

/* Until it holds the lock. */
static void await_held(struct command *c)
{
    holder = (pid_t)strtol(command_note(c), NULL, 10);
    snprintf(value, sizeof value, "$42\r\n%.42s\r\n", command_note(c));
    for (int i = 0; i < N; i++)
        live_await(&server[i], "GET nightly", value); /* hold writes the token when a majority has it */
}

/* Another client has the lock on the first n servers. */
static void occupy(int n)
{
    for (int i = 0; i < n; i++)
        live_command(&server[i], "SET nightly other PX 60000");
}

static void vacate(void)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "DEL nightly");
}

/* ---------------------------------------------------------------- normal use */

START_TEST(a_coprocess_holds_the_lock_until_its_input_closes)
{
    start(&a, COPROC("--ttl=6s --attempt=1s -v"));
    await_held(&a);
    command_await_times(&a, "redlock: nightly renewed\n", 4); /* longer than a lease lasts */
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    assert_has(a.err, "redlock: standard input is closed: releasing nightly\n");
    assert_has(a.err, "redlock: nightly released\n");
    assert_free();
}
END_TEST

START_TEST(hold_prints_the_fencing_token_with_fence)
{
    unsigned long long number = 0;

    start(&a, COPROC("--fence --attempt=5s"));
    holder = (pid_t)strtol(command_note(&a), NULL, 10);
    ck_assert_int_eq(sscanf(command_note(&a) + TOKEN, " %llu", &number), 1);
    ck_assert(number > 0);
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_str_eq(a.err, "");
}
END_TEST

static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};

START_TEST(a_signal_ends_hold)
{
    start(&a, COPROC("--attempt=2s -v"));
    await_held(&a);
    kill(holder, signals[_i]);
    ck_assert_int_eq(command_end(&a), 0);
    assert_has(a.err, "redlock: a signal came: releasing nightly\n");
    assert_free();
}
END_TEST

/* Signals that are for a command, or would stop it, have no effect. */
START_TEST(hold_ignores_other_signals_and_its_input)
{
    start(&a, COPROC("--ttl=8s --attempt=2s"));
    await_held(&a);
    kill(holder, SIGTSTP);
    kill(holder, SIGUSR1);
    kill(holder, SIGUSR2);
    kill(a.pid, SIGUSR2);
    ck_assert_str_eq(command_note(&a), "said");
    await_renewal();
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_str_eq(a.err, "");
    assert_free();
}
END_TEST

/* Extended or released by its token, like any other. */
START_TEST(a_token_from_hold_works_for_release)
{
    char entry[80];

    start(&a, COPROC("--ttl=8s --attempt=2s"));
    await_held(&a);
    snprintf(entry, sizeof entry, "REDLOCK_TOKEN=%.42s", value + 5);
    command_set_script(&b, server, N, "\"$RDL_COMMAND\" release --attempt=2s nightly");
    command_setenv(&b, entry);
    ck_assert_int_eq(command_run(&b), 0);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "redlock: nightly is lost: ");
    assert_free();
}
END_TEST

/* ---------------------------------------------------------------- failures */

START_TEST(hold_with_closed_input_fails_with_64_before_any_request)
{
    static const char *const scripts[] = {"\"$RDL_COMMAND\" hold nightly </dev/null",
                                          "\"$RDL_COMMAND\" hold nightly <&-",
                                          ": | { read -r end; \"$RDL_COMMAND\" hold nightly; }"};

    command_set_script(&a, server, N, scripts[_i]);
    ck_assert_int_eq(command_run(&a), 64);
    ck_assert_str_eq(
        a.err, "redlock: standard input is already closed, so the lock would be released immediately: start "
               "redlock hold as a coprocess or with a pipe\n");
    ck_assert_str_eq(a.out, "");
    assert_free();
}
END_TEST

START_TEST(hold_without_the_lock_prints_a_message_and_no_token)
{
    occupy(N);
    start(&a, COPROC("-n --attempt=5s"));
    command_note(&a);
    ck_assert_int_eq(command_end(&a), 1);
    ck_assert_ptr_null(command_last_note(&a));
    assert_has(a.err, "redlock: nightly is held by another client; its lease expires in ");
}
END_TEST

/* A hold that cannot renew its lease, to its end. */
static int end_unrenewed(const char *script)
{
    start(&a, script);
    await_held(&a);
    for (int i = 0; i < N - 1; i++)
        live_freeze(&server[i]);
    command_end(&a);
    close(a.note_fd);
    for (int i = 0; i < N - 1; i++)
        live_thaw(&server[i]);
    return a.status;
}

/*
 * The script sees its end while the grace is not over; with a short one, before the guardian kills it. On a
 * busy host the guardian may be first, but not each time.
 */
START_TEST(hold_fails_with_75_if_the_lease_cannot_be_renewed)
{
    int tries = 0;

    if (_i == 0)
        end_unrenewed(COPROC("--ttl=6s --attempt=1s --grace=2s"));
    else
        while (end_unrenewed(COPROC("--ttl=5s --attempt=500ms --grace=1ms")) == 128 + SIGKILL)
            ck_assert_int_lt(++tries, 4);
    ck_assert_int_eq(a.status, 75);
    assert_has(a.err, "redlock: warning: nightly was not renewed: 127.0.0.1:");
    assert_has(a.err, "redlock: nightly is lost: the lease could not be renewed\n");
}
END_TEST

/* And it leaves no key of its own to the end of its time. */
START_TEST(hold_loses_a_taken_lock_at_the_next_renewal)
{
    start(&a, COPROC("--ttl=8s --attempt=2s"));
    await_held(&a);
    occupy(N - 1);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "redlock: nightly is lost: ");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$5\r\nother\r\n");
    ck_assert_str_eq(live_command(&server[N - 1], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(hold_reports_a_lock_that_was_taken_before_its_release)
{
    start(&a, COPROC("--ttl=60s --attempt=5s"));
    await_held(&a);
    occupy(N);
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "redlock: nightly is lost: another client held it before it was released (");
}
END_TEST

/* ---------------------------------------------------------------- SIGSTOP */

/* Returns 1 if the script has read the end of hold's output before the other client works. */
static int ends_before_other(void)
{
    int is_first;

    start(&a, "coproc { exec \"$RDL_COMMAND\" hold --ttl=6s --attempt=1s nightly; }; hold=$COPROC_PID;"
              " exec 6<&${COPROC[0]}; read -r token <&6; kill -STOP $hold;"
              " { \"$RDL_COMMAND\" run nightly -- sh -c 'echo other works >&9'; kill -KILL $hold; } &"
              " read -r token <&6; echo hold has ended >&9; wait $!; wait $hold");
    is_first = strcmp(command_note(&a), "hold has ended") == 0;
    ck_assert_str_eq(command_note(&a), is_first ? "other works" : "hold has ended");
    ck_assert_int_eq(command_end(&a), 128 + SIGKILL);
    close(a.note_fd);
    return is_first;
}

/*
 * Stopped, hold cannot end by itself. Its script reads the end of its output before the other works. On a
 * busy host the script may read it later, but not each time.
 */
START_TEST(a_stopped_hold_ends_before_another_client_works)
{
    int tries = 0;

    while (!ends_before_other())
        ck_assert_int_lt(++tries, 3);
}
END_TEST

/* ---------------------------------------------------------------- endless input */

enum { PIPE = 1 << 20 };

/* Becomes hold, with a pipe as input that a child keeps full. Notes the child's process id and the token. */
static int fed(int argc, char **argv)
{
    static const char data[65536];
    int fd[2];

    (void)argc;
    if (pipe(fd) != 0 || fcntl(fd[1], F_SETPIPE_SZ, PIPE) != PIPE)
        return 1;
    pid_t feeder = fork();
    if (feeder == 0) {
        close(fd[0]);
        while (write(fd[1], data, sizeof data) > 0)
            continue;
        _exit(0);
    }
    dprintf(COMMAND_NOTE_FD, "%ld\n", (long)feeder);
    close(fd[1]);
    dup2(fd[0], STDIN_FILENO);
    dup2(COMMAND_NOTE_FD, STDOUT_FILENO);
    return execv(argv[0], argv);
}

static pid_t begin_fed(const char *ttl)
{
    a.inside = fed;
    command_add_all(&a, (const char *const[]){"hold", "-v", ttl, "--attempt=1s", NULL});
    command_add(&a, "--restart-guard=off");
    command_add_servers(&a, server, N);
    command_add(&a, "nightly");
    command_start(&a);
    pid_t feeder = (pid_t)strtol(command_note(&a), NULL, 10);
    ck_assert_int_gt(feeder, 1);
    command_note(&a);
    return feeder;
}

/* The calls of read(2) of the process so far. */
static unsigned long reads_of(pid_t pid)
{
    char path[40];
    unsigned long n = 0;

    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *f = fopen(path, "re");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "rchar: %*u wchar: %*u syscr: %lu", &n), 1);
    fclose(f);
    return n;
}

/* In the 4 s of two renewals, it looks 40 times; without a pause, it reads thousands of times in 1 s. */
START_TEST(endless_input_is_read_a_few_times_a_second)
{
    pid_t feeder = begin_fed("--ttl=6s");
    unsigned long before = reads_of(a.pid);

    command_await_times(&a, "redlock: nightly renewed\n", 2);
    unsigned long n = reads_of(a.pid) - before;
    kill(feeder, SIGKILL);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_uint_gt(n, 10);
    ck_assert_uint_lt(n, 2000);
}
END_TEST

/* 1 MB is left to read when its writer ends; a renewal is due every 4 s. */
START_TEST(the_end_of_endless_input_is_seen_before_a_renewal)
{
    pid_t feeder = begin_fed("--ttl=12s");

    command_await_err(&a, "redlock: nightly renewed\n");
    kill(feeder, SIGKILL);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_uint_eq(command_count(a.err, "redlock: nightly renewed\n"), 1);
    assert_has(a.err, "redlock: standard input is closed: releasing nightly\n");
}
END_TEST

/* ---------------------------------------------------------------- kill -9 */

/* It waits, or holds, or was just told to end: no process is left, and the lease ends by itself. */
START_TEST(a_killed_hold_leaves_at_most_its_lease)
{
    if (_i == 0)
        occupy(N);
    start(&a, COPROC("--ttl=5s --attempt=1s -v"));
    if (_i == 0) {
        holder = (pid_t)strtol(command_note(&a), NULL, 10);
        command_await_err(&a, "waiting");
    } else {
        await_held(&a);
    }
    if (_i == 2)
        kill(a.pid, SIGUSR1);
    kill(holder, SIGKILL);
    command_end(&a);
    command_await_gone(holder);
    if (_i == 0)
        vacate();
    live_await(&server[0], "EXISTS nightly", ":0\r\n");
    live_await(&server[1], "EXISTS nightly", ":0\r\n");
}
END_TEST

/* Its parent is killed while it waits, or holds the lock: it ends too, and the lock is free. */
START_TEST(hold_ends_with_its_parent_process)
{
    if (_i == 0)
        occupy(N);
    /* open for writing too: its input does not end; hold starts after its process id is written */
    start(&a, "exec 7<> <(:);"
              " { read -r go; exec \"$RDL_COMMAND\" hold --ttl=60s -v nightly; } <&7 >&9 &"
              " echo $! >&9; echo go >&7; wait");
    holder = (pid_t)strtol(command_note(&a), NULL, 10);
    if (_i == 0)
        command_await_err(&a, "waiting");
    else
        command_note(&a);
    kill(a.pid, SIGKILL);
    ck_assert_int_eq(command_end(&a), 128 + SIGKILL);
    command_await_gone(holder);
    if (_i == 0) {
        ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$5\r\nother\r\n");
        vacate();
    }
    assert_free();
}
END_TEST

/* A worker of a pool starts it, reads the token, and ends; its program continues. */
static int to_hold[2], from_hold[2];
static char token_read[TOKEN + 1];

static void *start_hold(void *arg)
{
    pid_t *pid = arg;

    *pid = fork();
    if (*pid == 0) {
        char urls[3 * 40] = "";
        for (int i = 0; i < N; i++)
            snprintf(urls + strlen(urls), sizeof urls - strlen(urls), "redis://127.0.0.1:%d ",
                     server[i].port);
        setenv("REDLOCK_URLS", urls, 1);
        dup2(to_hold[0], STDIN_FILENO);
        dup2(from_hold[1], STDOUT_FILENO);
        close(to_hold[1]);
        execl(getenv("RDL_COMMAND"), "redlock", "hold", "--ttl=5s", "--attempt=1s", "--restart-guard=off",
              "nightly", (char *)NULL);
        _exit(127);
    }
    return read(from_hold[0], token_read, sizeof token_read) == (ssize_t)sizeof token_read ? arg : NULL;
}

START_TEST(hold_survives_the_thread_that_started_it)
{
    pthread_t worker;
    void *has_token = NULL;
    pid_t pid = 0;
    int status = 0;

    ck_assert(pipe(to_hold) == 0 && pipe(from_hold) == 0);
    ck_assert_int_eq(pthread_create(&worker, NULL, start_hold, &pid), 0);
    ck_assert_int_eq(pthread_join(worker, &has_token), 0);
    ck_assert_ptr_nonnull(has_token);
    await_renewal();
    await_renewal();
    ck_assert_int_eq(waitpid(pid, &status, WNOHANG), 0);
    close(to_hold[0]);
    close(to_hold[1]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    assert_free();
}
END_TEST

Suite *suite_cli_hold(void)
{
    Suite *suite = suite_create("cli_hold");
    TCase *tc = suite_case(suite, "cli_hold", setup, teardown);

    tcase_add_test(tc, a_coprocess_holds_the_lock_until_its_input_closes);
    tcase_add_test(tc, hold_prints_the_fencing_token_with_fence);
    tcase_add_loop_test(tc, a_signal_ends_hold, 0, 4);
    tcase_add_test(tc, hold_ignores_other_signals_and_its_input);
    tcase_add_test(tc, a_token_from_hold_works_for_release);
    tcase_add_loop_test(tc, hold_with_closed_input_fails_with_64_before_any_request, 0, 3);
    tcase_add_test(tc, hold_without_the_lock_prints_a_message_and_no_token);
    tcase_add_loop_test(tc, hold_fails_with_75_if_the_lease_cannot_be_renewed, 0, 2);
    tcase_add_test(tc, hold_loses_a_taken_lock_at_the_next_renewal);
    tcase_add_test(tc, hold_reports_a_lock_that_was_taken_before_its_release);
    tcase_add_test(tc, a_stopped_hold_ends_before_another_client_works);
    tcase_add_test(tc, endless_input_is_read_a_few_times_a_second);
    tcase_add_test(tc, the_end_of_endless_input_is_seen_before_a_renewal);
    tcase_add_loop_test(tc, a_killed_hold_leaves_at_most_its_lease, 0, 3);
    tcase_add_loop_test(tc, hold_ends_with_its_parent_process, 0, 2);
    tcase_add_test(tc, hold_survives_the_thread_that_started_it);
    return suite;
}
