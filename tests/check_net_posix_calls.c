/* SPDX-License-Identifier: MIT */
/* check_net_posix_calls.c - what a request costs: its system calls, counted from outside. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net.h"
#include "tests/live/client.h"
#include "tests/live/servers.h"

enum { CYCLES = 30, CALLS_MAX = 10000 };

static struct live_server server;
static struct client client;

static void setup(void)
{
    client_setup();
    live_start(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

static void mark(void)
{
    syscall(SYS_getppid);
}

/* One request and its answer. No ck_assert: it writes to a pipe. */
static void ask(const struct rdl_op *op)
{
    const struct rdl_command cmd = {
        .name = {"a", 1},
        .value = {client.token, sizeof client.token},
        .until_ms = UINT64_MAX,
        .ttl_ms = 60000,
        .op = op,
    };
    struct rdl_conn *conns[] = {&client.conn};

    (void)rdl_conn_submit(&client.conn, &client.req, &cmd);
    while (client.req.answer == RDL_ANSWER_NONE) {
        rdl_conn_upkeep(&client.conn, client_now());
        (void)client_net.poll(client_net.ctx, conns, 1, client_now() + CLIENT_PATIENCE_MS);
    }
    if (client.req.answer != RDL_ANSWER_YES)
        _exit(1);
}

/* The traced child: take and release a lock again and again, with a mark before and after each time. */
static void run_cycles(void)
{
    int i;

    ask(&rdl_op_acquire);
    ask(&rdl_op_release); /* from now on the script is known */
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    for (i = 0; i < CYCLES; i++) {
        mark();
        ask(&rdl_op_acquire);
        ask(&rdl_op_release);
        mark();
    }
    _exit(0);
}

/* One letter for a call; none for the clock, which is no system call where the kernel maps it in. */
static const char *letter(uint64_t number)
{
    switch (number) {
    case SYS_sendto:
        return "s";
    case SYS_recvfrom:
        return "r";
#ifdef SYS_poll
    case SYS_poll:
#endif
    case SYS_ppoll:
        return "p";
    case SYS_getppid:
        return "|";
    case SYS_clock_gettime:
        return "";
    default:
        return "?";
    }
}

/* Let the child run to its next stop at a system call; 0 when it has ended in good order. */
static int next_stop(pid_t child)
{
    int status = 0;

    ck_assert_int_eq(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSTOPPED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0), "status %d", status);
    return WIFSTOPPED(status);
}

static const char *trace(pid_t child)
{
    static char calls[CALLS_MAX + 1];
    int status = 0;
    size_t n = 0;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSTOPPED(status), "status %d", status);
    ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
    while (next_stop(child)) {
        struct __ptrace_syscall_info info;
        memset(&info, 0, sizeof info);
        ck_assert_int_gt(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info), 0);
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY && n < CALLS_MAX)
            n += (size_t)(stpcpy(calls + n, letter(info.entry.nr)) - (calls + n));
    }
    return calls;
}

/*
 * A cycle may wait for more than one slice when the machine is busy, so not every one need be perfect; but
 * none may contain anything else than these calls.
 */
START_TEST(test_a_lock_cycle_costs_send_poll_recv_twice)
{
    char url[256];
    const char *calls;
    const char *end;
    pid_t child;

    client_init(&client, live_url(&server, (enum live_way)_i, url, sizeof url));
    child = live_fork();
    if (child == 0)
        run_cycles();
    calls = trace(child);
    ck_assert_msg(strstr(calls, "|sprspr|") != NULL, "%s", calls);
    end = strrchr(calls, '|');
    ck_assert_msg(strspn(calls, "|spr") >= (size_t)(end - calls), "%s", calls);
}
END_TEST

Suite *suite_net_posix_calls(void);

Suite *suite_net_posix_calls(void)
{
    Suite *suite = suite_create("net_posix_calls");
    TCase *tc = tcase_create("calls");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_a_lock_cycle_costs_send_poll_recv_twice, LIVE_V4, LIVE_UNIX + 1);
    suite_add_tcase(suite, tc);
    return suite;
}
