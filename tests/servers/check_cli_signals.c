/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SIGWINCH, SIGPWR */
#include "redlock/cli/process/process.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct live_server server;
static struct command c;

static const char *const no_options[] = {NULL};
static const char trap_script[] =
    "for s in HUP INT QUIT TERM USR1 USR2 CONT; do trap \"echo $s >&9\" $s; done; "
    "sleep 1000 & echo in >&9; while :; do wait; done";

static void start(void)
{
    live_start(&server);
}

static void stop(void)
{
    live_remove(&server);
}

START_TEST(signals_are_forwarded_to_the_command)
{
    static const struct {
        int sig;
        const char *name;
    } all[] = {{SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGTERM, "TERM"},
               {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}, {SIGCONT, "CONT"}};
    command_set(&c, no_options, &server, 1, "nightly", trap_script);
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "in");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        kill(c.pid, all[i].sig);
        ck_assert_str_eq(command_note(&c), all[i].name);
    }
    kill(c.pid, SIGTSTP);
    command_await_err(&c, "is stopped and still holds the lock");
    kill(c.pid, SIGTERM); /* has no effect on a stopped process: it is continued */
    const char *first = command_note(&c);
    ck_assert_msg(strcmp(first, "TERM") == 0 || strcmp(first, "CONT") == 0, "%s", first);
    kill(c.pid, SIGKILL);
    command_end(&c);
}
END_TEST

/* Any of them may be the stop signal of a container or a service. Signals of real time have numbers only. */
START_TEST(stop_signals_are_forwarded_to_the_command)
{
    const int stop_signals[] = {SIGWINCH,  SIGALRM, SIGPWR,   SIGIO,        SIGPROF,
                                SIGVTALRM, SIGXCPU, SIGRTMIN, SIGRTMIN + 3, SIGRTMAX};
    char script[200];
    int sig = stop_signals[_i];

    snprintf(script, sizeof script,
             "trap 'echo heard; exit 7' %d; sleep 1000 & echo in >&9; while :; do wait; done", sig);
    command_set(&c, no_options, &server, 1, "nightly", script);
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "in");
    kill(c.pid, sig);
    ck_assert_int_eq(command_end(&c), 7);
    ck_assert_str_eq(c.out, "heard\n");
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* While nothing is held, a signal does what it does to any program. */
START_TEST(a_signal_while_waiting_has_its_default_action)
{
    live_command(&server, "SET nightly other PX 600000");
    command_set(&c, (const char *const[]){"-v", NULL}, &server, 1, "nightly", "exit 5");
    command_start(&c);
    command_await_err(&c, "waiting");
    kill(c.pid, SIGWINCH);
    kill(c.pid, _i == 0 ? SIGALRM : SIGRTMIN + 3);
    ck_assert_int_eq(command_end(&c), 128 + (_i == 0 ? SIGALRM : SIGRTMIN + 3));
}
END_TEST

START_TEST(signals_reach_the_commands_children_too)
{
    command_set(&c, no_options, &server, 1, "nightly",
                "trap 'wait; exit 8' TERM; "
                "(trap 'echo child >&9; exit' TERM; echo in >&9; while :; do sleep 0.01; done) & wait");
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "in");
    kill(c.pid, SIGTERM);
    ck_assert_str_eq(command_note(&c), "child");
    ck_assert_int_eq(command_end(&c), 8);
}
END_TEST

START_TEST(signals_that_our_parent_ignores_are_not_forwarded)
{
    command_set(&c, no_options, &server, 1, "nightly", trap_script);
    c.is_started_badly = 1; /* nohup */
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "in");
    kill(c.pid, SIGHUP);
    kill(c.pid, SIGUSR2);
    ck_assert_str_eq(command_note(&c), "USR2");
    kill(c.pid, SIGKILL);
    command_end(&c);
}
END_TEST

/* --legacy: a lock on one server, which has its own loop. */
START_TEST(a_wait_continues_after_it_was_stopped)
{
    static struct command holder;
    static const char *const legacy[] = {"--legacy=always", "-v", NULL};
    const char *const *options = _i ? legacy : legacy + 1;

    command_set(&holder, options, &server, 1, "nightly",
                "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    command_start(&holder);
    ck_assert_str_eq(command_note(&holder), "in");
    command_set(&c, options, &server, 1, "nightly", "exit 5");
    command_start(&c);
    command_await_err(&c, "waiting");
    for (int i = 0; i < 3; i++) {
        int status;
        kill(c.pid, SIGTSTP);
        ck_assert_int_eq(waitpid(c.pid, &status, WUNTRACED), c.pid);
        ck_assert(WIFSTOPPED(status));
        kill(c.pid, SIGCONT);
    }
    kill(holder.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&holder), 0);
    ck_assert_int_eq(command_end(&c), 5);
}
END_TEST

/* A closed descriptor is not confused with another one: messages once went to the signal pipe. */
START_TEST(run_works_with_closed_standard_descriptors)
{
    static const char *const scripts[] = {
        "\"$RDL_COMMAND\" run -v inner -c 'sleep 0.1; exit 3' 0<&- 1>&- 2>&-",
        "\"$RDL_COMMAND\" run -v inner -c 'sleep 0.1; exit 3' 1>&- 2>&-",
        "\"$RDL_COMMAND\" run -v inner -c 'sleep 0.1; exit 3' 2>&-"};
    char url[256], entry[300];

    snprintf(entry, sizeof entry, "REDLOCK_URLS=%s", live_url(&server, LIVE_V4, url, sizeof url));
    command_set(&c, no_options, &server, 1, "outer", scripts[_i]);
    command_setenv(&c, entry);
    ck_assert_int_eq(command_run(&c), 3);
}
END_TEST

/* As in a chroot. Only redlock itself opens a file in this mode. */
static int without_dev_null(int argc, char **argv)
{
    (void)argc;
    refuse_call_with(SYS_openat, 2, O_WRONLY | O_CLOEXEC, ENOENT);
    close(STDIN_FILENO);
    return execv(argv[0], argv);
}

START_TEST(closed_input_without_dev_null_fails_with_a_message)
{
    command_set(&c, no_options, &server, 1, "nightly", ":");
    c.inside = without_dev_null;
    ck_assert_int_eq(command_run(&c), 71);
    ck_assert_str_eq(
        c.err, "redlock: standard input is closed, and /dev/null cannot be opened instead (No such file "
               "or directory): start redlock with standard input, output and error open, or create "
               "/dev/null\n");
}
END_TEST

/* A release that is waited for costs almost no processor time: 20 s here. A start under a sanitizer does. */
START_TEST(an_unread_signal_does_not_spin)
{
    struct rusage used;

    command_set(&c, (const char *const[]){"--ttl", "100s", "--attempt", "20s", NULL}, &server, 1, "nightly",
                "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.1; done");
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "in");
    live_freeze(&server);
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 0);
    live_thaw(&server);
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    ck_assert_int_lt(used.ru_utime.tv_sec + used.ru_stime.tv_sec, 2);
}
END_TEST

/* Without SIGCHLD redlock would not see the command end. Other signals stay ignored, as by nohup. */
START_TEST(an_ignored_sigchld_is_caught_and_reset_for_the_command)
{
    struct sigaction act;
    int wake_fd;

    signal(SIGCHLD, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    ck_assert_int_eq(rdl_cli_signals_open(&wake_fd, 1), 0);
    ck_assert_int_eq(sigaction(SIGCHLD, NULL, &act), 0);
    ck_assert(act.sa_handler != SIG_IGN && act.sa_handler != SIG_DFL);
    ck_assert_int_eq(sigaction(SIGHUP, NULL, &act), 0);
    ck_assert(act.sa_handler == SIG_IGN);
    raise(SIGCHLD);
    ck_assert_int_eq(rdl_cli_signals_next(), SIGCHLD);
    rdl_cli_signals_restore();
    ck_assert_int_eq(sigaction(SIGCHLD, NULL, &act), 0);
    ck_assert(act.sa_handler == SIG_DFL);
    ck_assert_int_eq(sigaction(SIGHUP, NULL, &act), 0);
    ck_assert(act.sa_handler == SIG_IGN);
}
END_TEST

Suite *suite_cli_signals(void)
{
    Suite *s = suite_create("cli_signals");
    TCase *t = suite_case(s, "no server", NULL, NULL);
    tcase_add_test(t, an_ignored_sigchld_is_caught_and_reset_for_the_command);
    t = suite_case(s, "one server", start, stop);
    tcase_add_test(t, signals_are_forwarded_to_the_command);
    tcase_add_loop_test(t, stop_signals_are_forwarded_to_the_command, 0, 10);
    tcase_add_loop_test(t, a_signal_while_waiting_has_its_default_action, 0, 2);
    tcase_add_test(t, signals_reach_the_commands_children_too);
    tcase_add_test(t, signals_that_our_parent_ignores_are_not_forwarded);
    tcase_add_loop_test(t, a_wait_continues_after_it_was_stopped, 0, 2);
    tcase_add_loop_test(t, run_works_with_closed_standard_descriptors, 0, 3);
    tcase_add_test(t, closed_input_without_dev_null_fails_with_a_message);
    tcase_add_test(t, an_unread_signal_does_not_spin);
    return s;
}
