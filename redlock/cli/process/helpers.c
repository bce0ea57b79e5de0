/* SPDX-License-Identifier: MIT */
/* Helper processes, made by fork without exec: what they reset, and how redlock ends them. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

long syscall(long number, ...); /* unistd.h has it, but not for POSIX alone */
#endif

/* ---------------------------------------------------------------- its beginning */

/* The last helpers. A session exists while any process is in it, so its id is not reused until then. */
static pid_t helpers[256];
static size_t n_helpers;

pid_t rdl_cli_process_fork(void)
{
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        rdl_cli_forget_kept();
    else
        sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid > 0)
        helpers[n_helpers++ % (sizeof helpers / sizeof helpers[0])] = pid;
    return pid;
}

int rdl_cli_process_is_helper(pid_t pid)
{
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++)
        if (pid > 0 && helpers[i] == pid)
            return 1;
    return 0;
}

/* The name is set first, so that a process in the new session always has it. */
void rdl_cli_process_lead(const char *name)
{
#ifdef __linux__
    prctl(PR_SET_NAME, name, 0L, 0L, 0L);
#else
    (void)name;
#endif
    setsid();
}

void rdl_cli_process_ends_with(pid_t parent, const char *name)
{
    struct sigaction act;
    sigset_t none;

    rdl_cli_process_lead(name);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L);
#endif
    rdl_cli_signals_restore();
    memset(&act, 0, sizeof act);
    act.sa_handler = SIG_DFL;
    sigaction(SIGALRM, &act, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (getppid() != parent)
        _exit(0);
}

/* Uses the system call, because musl's sched_setscheduler does nothing. */
void rdl_cli_process_goes_first(void)
{
#ifdef __linux__
    struct sched_param lowest;

    memset(&lowest, 0, sizeof lowest);
    lowest.sched_priority = 1;
    (void)syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &lowest);
#endif
}

/* ---------------------------------------------------------------- others */

int rdl_cli_process_open(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

int rdl_cli_process_signal(int fd, pid_t pid, int sig)
{
#ifdef SYS_pidfd_send_signal
    if (fd >= 0)
        return (int)syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
#endif
    (void)fd;
    return kill(pid, sig);
}

/* ---------------------------------------------------------------- timers */

int rdl_cli_timer_open(void)
{
#ifdef __linux__
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
#else
    return -1;
#endif
}

int rdl_cli_timer_set(int fd, uint64_t at_ms)
{
#ifdef __linux__
    struct itimerspec at;

    memset(&at, 0, sizeof at);
    at.it_value.tv_sec = (time_t)(at_ms / 1000);
    at.it_value.tv_nsec = (long)(at_ms % 1000) * 1000000;
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
#else
    (void)fd, (void)at_ms;
    return -1;
#endif
}

/* ---------------------------------------------------------------- its end */

enum { GONE_MS = 100 }; /* how long to wait for a killed process */

void rdl_cli_process_pause_1_ms(void)
{
    const struct timespec pause = {0, 1000000};

    nanosleep(&pause, NULL);
}

void rdl_cli_process_reap(pid_t *pid)
{
    if (*pid > 0 && waitpid(*pid, NULL, WNOHANG) != 0)
        *pid = 0;
}

void rdl_cli_process_kill(pid_t *pid)
{
    if (*pid > 0) {
        if (kill(-*pid, SIGKILL) != 0) /* it may be new and have no group of its own yet */
            kill(*pid, SIGKILL);
    }
    rdl_cli_process_reap(pid);
}

void rdl_cli_process_end(pid_t *pid)
{
    rdl_cli_process_kill(pid);
    for (int ms = 0; *pid > 0 && ms < GONE_MS; ms++) {
        rdl_cli_process_pause_1_ms();
        rdl_cli_process_reap(pid);
    }
}
