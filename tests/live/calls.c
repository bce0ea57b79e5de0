/* SPDX-License-Identifier: MIT */
/* calls.c - which system calls a piece of code makes; see calls.h. */
#define _GNU_SOURCE
#include "tests/live/calls.h"

#include <check.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/live/servers.h"

enum { CALLS_MAX = 10000 };

int calls_longest_ms;
int calls_is_endless;

void calls_mark(void)
{
    syscall(SYS_getppid);
}

static void note_timeout(int ms)
{
    if (ms < 0)
        calls_is_endless = 1;
    else if (ms > calls_longest_ms)
        calls_longest_ms = ms;
}

/* The letter of a call; '.' for one that is left out. */
static char letter(uint64_t number, const uint64_t *args)
{
    switch (number) {
    case SYS_sendto:
        return (args[3] & MSG_MORE) != 0 ? 'S' : 's';
    case SYS_recvfrom:
        return 'r';
#ifdef SYS_poll
    case SYS_poll:
        note_timeout((int)args[2]);
        return 'p';
#endif
    case SYS_getppid:
        return '|';
    case SYS_getrandom:
        return 'g';
    case SYS_ppoll:
    case SYS_clock_gettime:
        return '.';
    default:
        return '?';
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

const char *calls_of(void (*scenario)(void))
{
    static char calls[CALLS_MAX + 1];
    pid_t child = live_fork();
    int status = 0;
    size_t n = 0;

    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        scenario();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSTOPPED(status), "status %d", status);
    ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
    while (next_stop(child)) {
        struct __ptrace_syscall_info info;
        memset(&info, 0, sizeof info);
        ck_assert_int_gt(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info), 0);
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY && n < CALLS_MAX) {
            calls[n] = letter(info.entry.nr, info.entry.args);
            n += calls[n] != '.';
        }
    }
    while (n > 0 && calls[n - 1] != '|') /* how a process ends is its own business */
        n--;
    calls[n] = '\0';
    return calls;
}
