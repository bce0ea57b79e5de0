/* SPDX-License-Identifier: MIT */
/*
 * The guardian. It has only the reading end of a pipe. From it, it learns which process group, or which
 * `redlock hold`, holds the lock, and until when. The other end is open in the supervisor or hold and, until
 * its exec, in the child. So at any moment when the command runs, the guardian knows of it.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/child/guardian.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/*
 * poll's timeout does not run while the host sleeps. Without a timer that does, read the clock this often.
 * With one, poll waits for that much longer, in case it fails.
 */
enum { LOOK_MS = 1000 };

struct order {
    int64_t target; /* 0: goodbye */
    uint64_t until_ms;
};

/* Closes the inherited descriptors, and leaves the working directory. */
static void hold_nothing_but(int fd)
{
    rdl_cli_process_holds_only(fd);
    if (chdir("/") != 0)
        return;
}

static int timeout_ms(uint64_t until_ms)
{
    uint64_t now = rdl_posix_now_ms();
    if (until_ms <= now)
        return 0;
    return until_ms - now < LOOK_MS ? (int)(until_ms - now) : LOOK_MS;
}

/* Returns how long poll may wait. With the timer set, that only matters if the timer fails. */
static int watch_ms(int is_set, uint64_t until_ms)
{
    uint64_t now = rdl_posix_now_ms();

    if (!is_set || until_ms <= now)
        return timeout_ms(until_ms);
    return until_ms - now < INT_MAX - LOOK_MS ? (int)(until_ms - now) + LOOK_MS : INT_MAX;
}

/* Returns what to kill, or 0 after a goodbye. */
static pid_t watch(int fd)
{
    struct order o = {0, UINT64_MAX}, next;
    struct pollfd p[2] = {{fd, POLLIN, 0}, {-1, POLLIN, 0}};
    int timer = -1, is_set = 0;

    for (;;) {
        p[1].fd = is_set ? timer : -1;
        int n = poll(p, 2, watch_ms(is_set, o.until_ms));
        if (n >= 0 && p[0].revents == 0 && rdl_posix_now_ms() >= o.until_ms)
            return (pid_t)o.target;
        if (n <= 0 || p[0].revents == 0)
            continue;
        ssize_t got = read(fd, &next, sizeof next);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got != (ssize_t)sizeof next)
            return (pid_t)o.target;
        if (next.target == 0)
            return 0;
        o = next;
        if (timer < 0)
            timer = rdl_cli_timer_open();
        is_set = rdl_cli_timer_set(timer, o.until_ms) == 0;
    }
}

/* A `redlock hold` that has ended is no longer our parent, and its number may be another process's. */
static int is_there(pid_t target)
{
    return target < 0 || (target > 0 && target == getppid());
}

/*
 * All signals stay blocked, as rdl_cli_process_fork left them: a signal to all processes, to end the
 * supervisor, must not end the guardian.
 */
static void guard(int fd)
{
    rdl_cli_process_goes_first(); /* on a busy host, other processes run for longer than its margin */
    rdl_cli_process_lead("lock-guardian"); /* `pkill redlock` must not end it as well */
    hold_nothing_but(fd);
    pid_t target = watch(fd);
    if (is_there(target))
        kill(target, SIGKILL);
    _exit(0);
}

uint32_t rdl_cli_margin_ms(uint32_t ttl_ms)
{
    uint32_t ms = ttl_ms / 20;
    return ms < 20 ? 20 : ms > 250 ? 250 : ms;
}

int rdl_cli_guardian_start(struct rdl_cli_guardian *g, uint32_t ttl_ms, pid_t target, uint64_t until_ms)
{
    int order[2], ready[2];

    /*
     * The pipe of a stopped guardian would fill. The supervisor must stop the command in time, so it does not
     * wait.
     */
    if (rdl_cli_process_pipe(order, O_NONBLOCK) != 0)
        return -1;
    if (rdl_cli_process_pipe(ready, 0) != 0) {
        close(order[0]);
        close(order[1]);
        return -1;
    }
    g->fd = order[1];
    g->early_ms = rdl_cli_margin_ms(ttl_ms) / 2;
    if (target != 0) /* it is in the pipe before there is a guardian, so we may be killed at any moment */
        rdl_cli_guardian_update(g, target, until_ms);
    g->pid = rdl_cli_process_fork();
    if (g->pid == 0)
        guard(order[0]);
    close(order[0]);
    close(ready[1]);
    if (g->pid < 0) {
        close(order[1]);
        close(ready[0]);
        return -1;
    }
    g->ready_fd = ready[0];
    return 0;
}

/* Nothing is written to this pipe: it closes when the guardian has closed all that it inherited. */
void rdl_cli_guardian_wait(struct rdl_cli_guardian *g, uint64_t until_ms)
{
    struct pollfd p = {g->ready_fd, POLLIN, 0};
    int n = 0;

    while (n <= 0 && rdl_posix_now_ms() < until_ms)
        n = poll(&p, 1, timeout_ms(until_ms));
    close(g->ready_fd);
    g->ready_fd = -1;
}

void rdl_cli_guardian_update(const struct rdl_cli_guardian *g, pid_t target, uint64_t until_ms)
{
    const struct order o = {target, until_ms > g->early_ms ? until_ms - g->early_ms : 0};
    ssize_t n;

    do /* less than PIPE_BUF: whole or not at all */
        n = write(g->fd, &o, sizeof o);
    while (n < 0 && errno == EINTR);
}

void rdl_cli_guardian_replace(struct rdl_cli_guardian *g, uint32_t ttl_ms, pid_t target, uint64_t until_ms)
{
    struct rdl_cli_guardian next;

    if (rdl_posix_now_ms() >= until_ms)
        return;
    rdl_cli_print_warning("the guardian process was killed; starting another");
    if (rdl_cli_guardian_start(&next, ttl_ms, target, until_ms) != 0) {
        rdl_cli_print_warning_always(
            "cannot start another guardian (%s): if redlock is killed or stopped now, the work may continue "
            "without the lock",
            strerror(errno));
        return;
    }
    close(g->fd);
    *g = next;
    rdl_cli_guardian_wait(g, 0); /* redlock itself guards meanwhile */
}

/* A guardian that was stopped would not read the goodbye. */
void rdl_cli_guardian_stop(struct rdl_cli_guardian *g)
{
    rdl_cli_guardian_update(g, 0, 0);
    close(g->fd);
    rdl_cli_process_end(&g->pid);
}
