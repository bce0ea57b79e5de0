/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "redlock/cli/child/command.h"
#include "redlock/cli/child/guardian.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/exit.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/heard.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/terminal.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct live_server server;
static struct command c;

static const char *const patient[] = {"--attempt=5s", NULL}; /* on a busy machine too */

static void start(void)
{
    live_start(&server);
}

static void stop(void)
{
    live_remove(&server);
}

static int run(const char *script)
{
    command_set(&c, patient, &server, 1, "nightly", script);
    return command_run(&c);
}

START_TEST(run_exits_with_the_status_of_the_command)
{
    ck_assert_int_eq(run("exit 0"), 0);
    ck_assert_int_eq(run("exit 1"), 1);
    ck_assert_int_eq(run("exit 255"), 255);
    ck_assert_int_eq(run("kill -KILL $$"), 128 + SIGKILL);
    ck_assert_int_eq(run("kill -SEGV $$"), 128 + SIGSEGV);
    ck_assert_int_eq(run("kill -INT $$"), 128 + SIGINT);
    ck_assert_str_eq(c.err, "");
}
END_TEST

static int run_program(const char *program)
{
    memset(&c, 0, sizeof c);
    command_add(&c, "run");
    command_add_servers(&c, &server, 1);
    command_add_all(&c, (const char *const[]){"--attempt=5s", "nightly", "--", program, "-x", NULL});
    return command_run(&c);
}

START_TEST(a_command_that_cannot_start_is_127_or_126)
{
    ck_assert_int_eq(run_program("no-such-program"), 127);
    ck_assert_str_eq(
        c.err, "redlock: cannot run the command no-such-program (the lock is nightly): command not found\n");
    ck_assert_int_eq(run_program("/no/such/program"), 127);
    ck_assert_int_eq(run_program("/etc/passwd"), 126);
    ck_assert_int_eq(run_program("/"), 126);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* redlock may have been stopped since the lock was granted. */
START_TEST(a_command_is_not_started_after_its_lease_expired)
{
    static char *command[] = {"sh", "-c", "exit 3", NULL};
    static struct rdl_cli_options o = {.lock = "nightly", .legacy = RDL_CLI_LEGACY_AUTO};
    static struct rdl_cli_servers servers;  /* none */
    static struct rdl_cli_lock l;           /* without a lease */
    struct rdl_cli_guardian g = {.fd = -1}; /* a pipe that nothing reads, so nothing kills it */
    int fd[2], status;

    o.command = command;
    l.o = &o;
    l.servers = &servers;
    heard_begin();
    rdl_posix_init(&l.posix, &l.platform);
    ck_assert_int_eq(pipe(fd), 0);
    g.fd = fd[1];
    pid_t pid = rdl_cli_child_start(&l, &g);
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), RDL_EXIT_LOST);
    ck_assert_str_eq(heard_since(),
                     "redlock: nightly is lost: its lease expired before the command could be started\n");
}
END_TEST

START_TEST(the_command_gets_the_lock_and_the_ttl)
{
    command_set(&c, (const char *const[]){"--ttl", "8500ms", NULL}, &server, 1, "nightly", "env");
    command_setenv(&c, "REDLOCK_LOCK=inherited");
    command_setenv(&c, "REDLOCK_TTL_MS=1");
    ck_assert_int_eq(command_run(&c), 0);
    assert_has(c.out, "REDLOCK_LOCK=nightly\n");
    assert_has(c.out, "REDLOCK_TTL_MS=8500\n");
    assert_lacks(c.out, "inherited");
}
END_TEST

/* The id is for --held-by of break, and lets other users see which client is the holder. */
START_TEST(the_command_gets_the_id_that_status_prints)
{
    char id[32], shown[64], url[LIVE_PATH_MAX], env[LIVE_PATH_MAX + 20];

    command_set(&c, patient, &server, 1, "nightly",
                "echo id $REDLOCK_ID; \"$RDL_COMMAND\" status --attempt=5s nightly; :");
    command_setenv(&c, "REDLOCK_ID=inherited");
    snprintf(env, sizeof env, "REDLOCK_URLS=%s", live_url(&server, LIVE_V4, url, sizeof url));
    command_setenv(&c, env);
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_int_eq(sscanf(c.out, "id %31s", id), 1);
    snprintf(shown, sizeof shown, " (%s), expires in ", id);
    ck_assert_uint_eq(strlen(id), 8);
    assert_has(c.out, shown);
    command_set(&c, (const char *const[]){"--legacy=always", NULL}, &server, 1, "weekly",
                "echo ${REDLOCK_ID-none}");
    command_setenv(&c, "REDLOCK_ID=inherited");
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.out, "none\n");
}
END_TEST

START_TEST(the_command_leads_its_own_process_group)
{
    ck_assert_int_eq(run("set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $5 != $PPID ]"), 0);
}
END_TEST

static const char list_fds[] = "cd /proc/$$/fd; for f in *; do [ $f -lt 3 ] || readlink $f; done; true";

/* The same without redlock, for comparison. */
START_TEST(the_command_inherits_none_of_our_descriptors)
{
    char with[COMMAND_TEXT];

    ck_assert_int_eq(run(list_fds), 0);
    memcpy(with, c.out, sizeof with);
    memset(&c, 0, sizeof c);
    setenv("RDL_COMMAND", "/bin/sh", 1);
    command_add_all(&c, (const char *const[]){"-c", list_fds, NULL});
    ck_assert_int_eq(command_run(&c), 0);
    int n[2] = {0, 0};
    for (const char *p = with; *p != '\0'; p++)
        n[0] += *p == '\n';
    for (const char *p = c.out; *p != '\0'; p++)
        n[1] += *p == '\n';
    ck_assert_msg(n[0] == n[1], "%s-- without:\n%s", with, c.out);
}
END_TEST

START_TEST(the_command_uses_our_standard_input_and_output)
{
    int fd[2];
    int was = dup(STDIN_FILENO);

    ck_assert_int_eq(pipe(fd), 0);
    ck_assert_int_eq((int)write(fd[1], "through\n", 8), 8);
    close(fd[1]);
    dup2(fd[0], STDIN_FILENO);
    ck_assert_int_eq(run("cat; echo err >&2"), 0);
    dup2(was, STDIN_FILENO);
    ck_assert_str_eq(c.out, "through\n");
    ck_assert_str_eq(c.err, "err\n");
}
END_TEST

/* The signal mask in a line of /proc/PID/status. */
static unsigned long long mask(const char *name)
{
    char *p = strstr(c.out, name);
    ck_assert_ptr_nonnull(p);
    return strtoull(p + strlen(name), NULL, 16);
}

START_TEST(the_command_gets_default_signals_except_ignored_ones)
{
    command_set(&c, patient, &server, 1, "nightly", "exec cat /proc/self/status");
    c.is_started_badly = 1;
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_uint_eq(mask("SigBlk:"), 0);
    ck_assert_uint_eq(mask("SigCgt:"), 0);
    /* nohup; SIGPIPE is not. 32 and 33 belong to the C library: under make they are ignored. */
    ck_assert_uint_eq(mask("SigIgn:") & 0x7fffffff, 1ull << (SIGHUP - 1));
}
END_TEST

/* ---------------------------------------------------------------- a lock inside a lock */

/* A redlock as the command of a redlock: the same program, with options and the server at that port. */
static void nest(const char *outer, const char *inner, int port, const char *const options[])
{
    static char url[64];

    snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
    memset(&c, 0, sizeof c);
    command_add(&c, "run");
    command_add_servers(&c, &server, 1);
    command_add_all(&c, (const char *const[]){"--attempt=5s", outer, "--", getenv("RDL_COMMAND"), "run", "-u",
                                              url, NULL});
    command_add_all(&c, options);
    command_add_all(&c, (const char *const[]){inner, "true", NULL});
    command_run(&c);
}

static const char around[] =
    "redlock: nightly is held by the `redlock run` that started this: waiting for it would never end\n";

START_TEST(a_nested_run_of_the_same_lock_is_refused)
{
    static const char *const w5[] = {"-w5", "--attempt=5s", NULL};
    static const char *const w1[] = {"-w1", "--attempt=5s", NULL};
    struct live_server other = {0};

    nest("nightly", "nightly", server.port, w5);
    ck_assert_int_eq(c.status, 1);
    ck_assert_str_eq(c.err, around);
    nest("nightly", "weekly", server.port, w5);
    ck_assert_int_eq(c.status, 0);
    ck_assert_str_eq(c.err, "");
    live_start(&other); /* where it is another lock */
    nest("nightly", "nightly", other.port, w5);
    ck_assert_int_eq(c.status, 0);
    ck_assert_str_eq(c.err, "");
    live_command(&other, "SET nightly another PX 60000");
    nest("nightly", "nightly", other.port, w1);
    ck_assert_int_eq(c.status, 1);
    assert_lacks(c.err, "around");
    assert_lacks(c.err, "inside");
    live_remove(&other);
}
END_TEST

/* A server that is too slow once to report the holder reports it a little later. */
START_TEST(an_unanswered_holder_check_is_repeated)
{
    struct relay line = {.mute = "*2\r\n$3\r\nGET\r\n$7\r\nnightly\r\n"};

    relay_start(&line, server.port, 0);
    nest("nightly", "nightly", line.port, (const char *const[]){"-w60", "--ttl=3s", NULL});
    ck_assert_int_eq(c.status, 1);
    assert_has(c.err, around);
    relay_stop(&line);
}
END_TEST

/* With any options, and also while one of the servers is frozen. */
#define LONG_OPTIONS "--ttl=8s --attempt=2s -E75 nightly"
static const char *const askers[] = {"run " LONG_OPTIONS " -- true", "run -qn " LONG_OPTIONS " -- true",
                                     "acquire " LONG_OPTIONS, "hold " LONG_OPTIONS,
                                     "run --wake-hint --fence " LONG_OPTIONS " -- true"};

enum { ASKERS = sizeof askers / sizeof askers[0] };

START_TEST(a_self_deadlock_is_refused_at_once)
{
    static struct live_server more[2];
    char script[300], urls[3][LIVE_PATH_MAX], env[700];
    const struct live_server *all[] = {&server, &more[0], &more[1]};

    for (int i = 0; i < 2; i++)
        live_start(&more[i]);
    for (int i = 0; i < 3; i++)
        live_url(all[i], LIVE_V4, urls[i], sizeof urls[i]);
    snprintf(script, sizeof script, "\"$RDL_COMMAND\" %s </dev/zero", askers[_i % ASKERS]);
    snprintf(env, sizeof env, "REDLOCK_URLS=%s %s %s", urls[0], urls[1], urls[2]);
    memset(&c, 0, sizeof c);
    command_add_all(&c,
                    (const char *const[]){"run", "--ttl=8s", "--attempt=2s", "nightly", "-c", script, NULL});
    command_setenv(&c, env);
    if (_i >= ASKERS)
        live_freeze(&more[1]);
    ck_assert_int_eq(command_run(&c), 75);
    assert_has(c.err, around);
    for (int i = 0; i < 2; i++)
        live_remove(&more[i]);
}
END_TEST

/* Without an id, as under --legacy, there is a warning. */
START_TEST(a_possible_self_deadlock_is_a_warning)
{
    static const char warning[] = "redlock: warning: this runs inside `redlock run nightly`";

    live_command(&server, "SET nightly another PX 60000");
    command_set(&c, (const char *const[]){"-w0.2", "--attempt=5s", NULL}, &server, 1, "nightly", "echo ran");
    command_setenv(&c, "REDLOCK_LOCK=nightly");
    if (_i > 0)
        command_setenv(&c, _i == 1 ? "REDLOCK_ID=0123456" : "REDLOCK_ID=0123456g");
    ck_assert_int_eq(command_run(&c), 1);
    ck_assert_int_eq(strncmp(c.err, warning, strlen(warning)), 0);
    ck_assert_ptr_null(strstr(c.err + 1, warning)); /* once */
}
END_TEST

/* ---------------------------------------------------------------- commands of another user */

enum { NOBODY = 65534 };

START_TEST(run_warns_before_it_starts_a_set_user_id_program)
{
    memset(&c, 0, sizeof c);
    c.uid = geteuid() == 0 ? NOBODY : 0;
    command_add(&c, "run");
    command_add_servers(&c, &server, 1);
    command_add_all(&c, (const char *const[]){"nightly", "su", "--version", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_msg(strncmp(c.err, "redlock: warning: su is set-user-ID: ", 37) == 0, "%s", c.err);
    c.uid = geteuid() == 0 ? NOBODY : 0;
    ck_assert_int_eq(run("exit 0"), 0);
    ck_assert_str_eq(c.err, "");
    if (geteuid() == 0) { /* root may signal every process */
        ck_assert_int_eq(run_program("su"), 1);
        assert_lacks(c.err, "set-user-ID");
    }
}
END_TEST

/* What docker or ssh start elsewhere is not reached by any signal. */
START_TEST(run_notes_that_a_program_gives_its_work_away)
{
    static const char script[] =
        "d=$(mktemp -d) && echo '#!/bin/sh' >$d/docker && chmod +x $d/docker && for q in '' -q; do "
        "\"$RDL_COMMAND\" run $q nightly -- $d/docker run job; done; rm -r $d";

    command_set_script(&c, &server, 1, script);
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_msg(command_count(c.err, "redlock: docker gives the work to another process or host, ") == 1,
                  "%s", c.err);
}
END_TEST

/* A copy of setpriv(1) that belongs to root and is set-user-ID: it does what sudo does, without asking. */
static const char *become_root(void)
{
    static char dir[] = "build/suid.XXXXXX", path[64], copy[256];

    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(chmod(dir, 0755), 0);
    snprintf(path, sizeof path, "%s/setpriv", dir);
    snprintf(copy, sizeof copy, "cp \"$(command -v setpriv)\" %s && chmod 4755 %s", path, path);
    ck_assert_int_eq(system(copy), 0);
    return path;
}

static void forget_root(const char *path)
{
    char dir[64];

    ck_assert_int_eq(unlink(path), 0);
    snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path), path);
    ck_assert_int_eq(rmdir(dir), 0);
}

static void start_as_nobody(const char *script)
{
    command_set(&c, (const char *const[]){"--ttl", "5s", NULL}, &server, 1, "nightly", script);
    c.uid = NOBODY;
    command_start(&c);
}

/*
 * The command is the shell itself, replaced by sudo (0), a child of it (1), or one that left the group (2).
 * kill() reports the first at once, the second only when the shell is gone. The command works until another
 * client has the lock, and ends when a pipe closes.
 */
START_TEST(run_reports_a_command_that_it_may_not_signal)
{
    static const char *const before[] = {"exec", "", "setsid"};
    static const char *const message[] = {
        "cannot stop the command: it runs as another user",
        "cannot stop processes that the command started: they run as another user",
        "cannot stop processes that left the command's process group; they continue without nightly: "};
    char script[256], pid[32];
    int fd[2];

    if (geteuid() != 0) {
        fprintf(stderr, "not tested: only root can make a program set-user-ID root\n");
        return;
    }
    const char *path = become_root();
    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    int end = fcntl(fd[1], F_DUPFD_CLOEXEC, 20); /* 7 may be one of the two */
    close(fd[1]);
    if (fd[0] != 7)
        ck_assert_int_eq(dup2(fd[0], 7), 7);
    fcntl(7, F_SETFD, 0);
    snprintf(script, sizeof script, "%s %s --reuid 0 sh -c 'echo $$ >&9; read -r line <&7'%s", before[_i],
             path, _i == 0 ? "" : "; true");
    start_as_nobody(script);
    snprintf(pid, sizeof pid, "%.31s", command_note(&c));
    live_freeze(&server);
    command_await_err(&c, message[_i]);
    ck_assert_int_eq(kill((pid_t)strtol(pid, NULL, 10), 0), 0); /* it is still alive */
    close(end);
    ck_assert_int_eq(command_end(&c), 75);
    live_thaw(&server);
    forget_root(path);
}
END_TEST

/* ---------------------------------------------------------------- the terminal */

static pid_t start_on_terminal(int slave, const char *script)
{
    char url[64];

    snprintf(url, sizeof url, "redis://127.0.0.1:%d", server.port);
    return terminal_start(slave, (const char *const[]){"run", "-u", url, "nightly", "-c", script, NULL});
}

START_TEST(the_command_gets_the_terminal_and_run_takes_it_back)
{
    int slave, master = terminal_open(&slave);
    pid_t shell = start_on_terminal(slave, "echo ready; read -r line; echo got $line; exit 6");

    terminal_expect(master, "ready");
    terminal_type(master, "typed\n");
    terminal_expect(master, "got typed");
    terminal_expect(master, "shell: exit 6\r\nshell: terminal back");
    live_reap(shell);
}
END_TEST

/* A shell that is starting a process may lose a signal; one that waits does not. */
static const char dies_by_int[] = "trap 'trap - INT; kill -INT $$' INT; sleep 1000 & echo ready; wait";

START_TEST(ctrl_c_ends_the_command_and_redlock)
{
    int slave, master = terminal_open(&slave);
    pid_t shell = start_on_terminal(slave, "echo ready; read -r line");
    terminal_expect(master, "ready");
    terminal_type(master, "\003");
    terminal_expect(master, "shell: signal 2\r\nshell: terminal back");
    live_reap(shell);
    shell = start_on_terminal(slave, dies_by_int); /* it never needs the terminal */
    terminal_expect(master, "ready");
    terminal_type(master, "\003");
    terminal_expect(master, "shell: signal 2\r\nshell: terminal back");
    live_reap(shell);
}
END_TEST

START_TEST(ctrl_z_stops_only_the_command_and_then_continues_it)
{
    int slave, master = terminal_open(&slave);
    pid_t shell = start_on_terminal(slave, "trap 'echo went on; exit 7' CONT; sleep 1000 & echo ready; wait");
    terminal_expect(master, "ready");
    terminal_type(master, "\032");
    terminal_expect(master, "still holds the lock");
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":1\r\n");
    terminal_type(master, "\032");
    terminal_expect(master, "went on");
    terminal_expect(master, "shell: exit 7");
    live_reap(shell);
}
END_TEST

Suite *suite_cli_child(void)
{
    Suite *s = suite_create("cli_child");
    TCase *t = suite_case(s, "one server", start, stop);
    tcase_add_test(t, run_exits_with_the_status_of_the_command);
    tcase_add_test(t, a_command_is_not_started_after_its_lease_expired);
    tcase_add_test(t, a_command_that_cannot_start_is_127_or_126);
    tcase_add_test(t, the_command_gets_the_lock_and_the_ttl);
    tcase_add_test(t, the_command_gets_the_id_that_status_prints);
    tcase_add_test(t, the_command_leads_its_own_process_group);
    tcase_add_test(t, the_command_inherits_none_of_our_descriptors);
    tcase_add_test(t, the_command_uses_our_standard_input_and_output);
    tcase_add_test(t, the_command_gets_default_signals_except_ignored_ones);
    tcase_add_test(t, a_nested_run_of_the_same_lock_is_refused);
    tcase_add_test(t, an_unanswered_holder_check_is_repeated);
    tcase_add_loop_test(t, a_self_deadlock_is_refused_at_once, 0, 2 * ASKERS);
    tcase_add_loop_test(t, a_possible_self_deadlock_is_a_warning, 0, 3);
    tcase_add_test(t, run_warns_before_it_starts_a_set_user_id_program);
    tcase_add_test(t, run_notes_that_a_program_gives_its_work_away);
    tcase_add_loop_test(t, run_reports_a_command_that_it_may_not_signal, 0, 3);
    tcase_add_test(t, the_command_gets_the_terminal_and_run_takes_it_back);
    tcase_add_test(t, ctrl_c_ends_the_command_and_redlock);
    tcase_add_test(t, ctrl_z_stops_only_the_command_and_then_continues_it);
    return s;
}
