/* SPDX-License-Identifier: MIT */
/* Helper processes, made by fork without exec: what they close and reset, and how redlock ends them. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* ---------------------------------------------------------------- descriptors */

static int set_flags(int fd, int flags)
{
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return -1;
    return (flags & O_NONBLOCK) != 0 ? fcntl(fd, F_SETFL, O_NONBLOCK) : 0;
}

int rdl_cli_process_pipe(int fd[2], int flags)
{
#ifdef SYS_pipe2
    if (syscall(SYS_pipe2, fd, O_CLOEXEC | flags) == 0)
        return 0;
    if (errno != ENOSYS)
        return -1;
#endif
    if (pipe(fd) != 0)
        return -1;
    if (set_flags(fd[0], flags) == 0 && set_flags(fd[1], flags) == 0)
        return 0;
    close(fd[0]);
    close(fd[1]);
    return -1;
}

/* Closes all possible descriptors from this one on, but fd. */
static void close_each_but(int from, int fd)
{
    struct rlimit files;
    int most = 65536;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < (rlim_t)most)
        most = (int)files.rlim_cur;
    for (int i = from; i < most; i++)
        if (i != fd)
            close(i);
}

/* Closes the open descriptors, until the list has none to close. Returns 0 if the system has no such list. */
static int close_listed_but(int from, int fd, const char *list)
{
    int open[64], n = 1;

    while (n > 0) {
        DIR *dir = opendir(list);
        if (dir == NULL)
            return 0;
        n = 0;
        for (struct dirent *d = readdir(dir); d != NULL && n < (int)(sizeof open / sizeof open[0]);
             d = readdir(dir)) {
            int i = d->d_name[0] >= '0' && d->d_name[0] <= '9' ? (int)strtol(d->d_name, NULL, 10) : -1;
            if (i >= from && i != fd && i != dirfd(dir))
                open[n++] = i;
        }
        closedir(dir);
        for (int i = 0; i < n; i++)
            close(open[i]);
    }
    return 1;
}

/* Closes all in two calls. Returns 0 if the system cannot. */
static int close_ranges_but(int from, int fd)
{
#ifdef SYS_close_range
    if (fd > from && syscall(SYS_close_range, (unsigned)from, (unsigned)fd - 1, 0) != 0)
        return 0;
    return syscall(SYS_close_range, fd >= from ? (unsigned)fd + 1 : (unsigned)from, ~0U, 0) == 0;
#else
    (void)from, (void)fd;
    return 0;
#endif
}

static void close_all_but(int from, int fd)
{
#ifdef __linux__
    static const char list[] = "/proc/self/fd"; /* on other systems /dev/fd may list only the first three */
#else
    static const char list[] = "";
#endif
    if (!close_ranges_but(from, fd) && !close_listed_but(from, fd, list))
        close_each_but(from, fd);
}

void rdl_cli_process_holds_only(int fd)
{
    close_all_but(0, fd);
}

void rdl_cli_process_holds_stdio(void)
{
    close_all_but(STDERR_FILENO + 1, -1);
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
