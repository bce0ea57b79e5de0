/* SPDX-License-Identifier: MIT */
/*
 * net_posix_poll.c - how the driver for sockets waits.
 *
 * Only poll(2) blocks, never past the caller's until_ms, and recv(2) for RDL_POSIX_RECV_MS when it waits for
 * a single conn. An exchange then takes two system calls, send and recv, without a poll between them. A poll
 * that sends goes on to wait for the reply.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "net/net_posix_private.h"
#include "net/net_posix_process.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/timerfd.h>)
#include <sys/timerfd.h>
#define HAS_TIMER 1
#endif
#endif

enum {
    SLICE_MS = 2 * RDL_POSIX_RECV_MS, /* a suspend stops poll's timeout but not a lease: check the clock */
    RETRY_MS = 10                     /* until the next try of a unix socket whose queue is full */
};

/* Returns how long the next poll may sleep, in ms; -1: until an event. */
static int slice(uint64_t now_ms, uint64_t until_ms)
{
    if (until_ms == UINT64_MAX)
        return -1;
    if (now_ms >= until_ms)
        return 0;
    return until_ms - now_ms < SLICE_MS ? (int)(until_ms - now_ms) : SLICE_MS;
}

uint64_t rdl_posix_until_retry_ms(struct rdl_conn *const *conns, size_t n, uint64_t until_ms)
{
    uint64_t retry_ms = UINT64_MAX;
    size_t i;

    for (i = 0; i < n; i++)
        if ((rdl_conn_wants(conns[i]) & RDL_WANT_OPEN) && conns[i]->fd < 0)
            retry_ms = rdl_posix_now_ms() + RETRY_MS;
    return retry_ms < until_ms ? retry_ms : until_ms;
}

/* Makes the timer readable at at_ms. Returns 1, or 0 if it is none. */
static int set_timer(int fd, uint64_t at_ms)
{
#ifdef HAS_TIMER
    struct itimerspec at;

    memset(&at, 0, sizeof at);
    at.it_value.tv_sec = (time_t)(at_ms / 1000);
    at.it_value.tv_nsec = (long)(at_ms % 1000) * 1000000;
    return fd >= 0 && timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL) == 0;
#else
    (void)fd, (void)at_ms;
    return 0;
#endif
}

/* Returns how long poll may sleep when the timer ends the wait: longer, in case the timer fails. */
static int beyond(uint64_t now_ms, uint64_t until_ms)
{
    return until_ms - now_ms < INT_MAX - SLICE_MS ? (int)(until_ms - now_ms) + SLICE_MS : INT_MAX;
}

/*
 * Calls poll(2) until something is ready, a signal comes or until_ms. Returns the last result of poll.
 *
 * The first slice needs no timer: most replies come sooner. fds has room for the timer after its n entries.
 */
static int wait_ready(struct pollfd *fds, unsigned n, uint64_t until_ms, int timer_fd)
{
    unsigned with_timer = 0;

    for (;;) {
        uint64_t now_ms = rdl_posix_now_ms();
        int ms = slice(now_ms, until_ms);
        int ready = poll(fds, n + with_timer, with_timer && ms > 0 ? beyond(now_ms, until_ms) : ms);
        if (ready != 0 || ms == 0)
            return ready;
        if (!with_timer && until_ms > now_ms + (uint64_t)2 * SLICE_MS && set_timer(timer_fd, until_ms)) {
            fds[n].fd = timer_fd;
            fds[n].events = POLLIN;
            fds[n].revents = 0;
            with_timer = 1;
        }
    }
}

/*
 * Waits in recv for a single conn. Returns 1 if something came, or a signal. Returns 0 if poll has to wait
 * instead: until_ms is too near, or the socket does not block because the program made it non-blocking again.
 */
static int wait_in_recv(struct rdl_conn *c, uint64_t until_ms)
{
    uint64_t begun_ms = 0;
    uint64_t now_ms = rdl_posix_now_ms();

    while (rdl_conn_wants(c) == RDL_WANT_READ && now_ms != begun_ms && slice(now_ms, until_ms) == SLICE_MS) {
        struct rdl_posix_turn turn = {.revents = POLLIN};

        begun_ms = now_ms;
        if (rdl_posix_run(c, &turn) || turn.is_interrupted)
            return 1;
        now_ms = rdl_posix_now_ms();
    }
    return 0;
}

static int posix_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    const struct rdl_posix *p = ctx;
    struct pollfd fds[RDL_POSIX_CONNS_MAX + 2]; /* with wake_fd and timer_fd */
    int wake_fd = (flags & RDL_POLL_CAN_WAKE) ? p->wake_fd : -1;
    uint32_t process = rdl_posix_process();
    int did = 0;
    int is_stalled = 0;
    struct rdl_posix_turn turn = {.is_one_of_many = n > 1};
    size_t i;
    int ready;

    if (n > RDL_POSIX_CONNS_MAX)
        return RDL_E_SYSTEM;
    for (i = 0; i < n; i++)
        did |= rdl_posix_is_of_another(conns[i], process);
    if (did)
        return RDL_E_FORKED;
    for (i = 0; i < n; i++) {
        did |= rdl_posix_advance(conns[i], turn);
        is_stalled |= rdl_conn_state(conns[i]) == RDL_CONN_STALLED;
    }
    if (did & RDL_STREAM_DID)
        until_ms = 0;
    /* A stalled conn is read before it returns, because the next step may close it. */
    if (did != 0 && until_ms == 0 && !is_stalled)
        return RDL_OK;
    if (n == 1 && wake_fd < 0 && rdl_posix_may_wait(conns[0]) && wait_in_recv(conns[0], until_ms))
        return RDL_OK;
    for (i = 0; i < n; i++) {
        fds[i].events = rdl_posix_events(conns[i]);
        fds[i].fd = fds[i].events != 0 ? conns[i]->fd : -1;
        fds[i].revents = 0;
    }
    fds[n].fd = wake_fd;
    fds[n].events = POLLIN;
    fds[n].revents = 0;
    ready = wait_ready(fds, (unsigned)n + 1, rdl_posix_until_retry_ms(conns, n, until_ms), p->timer_fd);
    if (ready < 0)
        return errno == EINTR ? RDL_OK : RDL_E_SYSTEM;
    for (i = 0; ready > 0 && i < n; i++) {
        turn.revents = fds[i].revents;
        if (turn.revents != 0)
            (void)rdl_posix_advance(conns[i], turn);
    }
    if (fds[n].revents == 0)
        return RDL_OK;
    return (fds[n].revents & POLLNVAL) ? RDL_E_SYSTEM : RDL_E_INTERRUPTED;
}

uint64_t rdl_posix_platform_now_ms(void *ctx)
{
    (void)ctx;
    return rdl_posix_now_ms();
}

int rdl_posix_platform_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    return rdl_posix_random(buf, len);
}

void rdl_posix_init(struct rdl_posix *p, struct rdl_platform *platform)
{
    p->wake_fd = -1;
    p->timer_fd = -1;
    platform->poll = posix_poll;
    platform->now_ms = rdl_posix_platform_now_ms;
    platform->random = rdl_posix_platform_random;
    platform->ctx = p;
}
