/* SPDX-License-Identifier: MIT */
/*
 * easy_thread.c - a thread that renews a lock.
 *
 * While it runs, the connections and the handle are its own. The other threads see two numbers: when the work
 * must stop, and the fencing token (rdl_easy_publish()).
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/easy_thread.h"
#include "net/net_posix_process.h"
#include "redlock/easy/easy_private.h"
#include "redlock/redlock_op.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A suspend stops poll's timeout, but not a lease: the clock is checked this often. */
enum { SLICE_MS = 100 };

/* ---------------------------------------------------------------- the thread */

/* Makes the descriptor readable. A pipe that is empty has room for a byte. */
static void put_byte(int fd)
{
    const char byte = 0;
    ssize_t n = write(fd, &byte, 1);

    RDL_ASSERT(n == 1);
    (void)n;
}

/* The work must be over grace_ms before the lease ends. 0: the lock is lost. */
static void publish_lease(struct rdl_easy_thread *t, uint64_t until_ms)
{
    int is_held = until_ms > t->grace_ms;

    rdl_easy_publish(t->easy, is_held ? until_ms - t->grace_ms : 0,
                     is_held ? rdl_redlock_fence(&t->easy->lock) : 0, t->process);
}

/*
 * Starts the timer after a renewal. An extend may block for an attempt, and for another one if keys are put
 * back. So the last one begins that much earlier.
 */
static void renewed(struct rdl_easy_thread *t, struct rdl_renewal *k)
{
    const struct rdl_redlock *r = &t->easy->lock;
    uint64_t until_ms = rdl_redlock_until_ms(r);

    rdl_renewal_renewed(k, t->easy->opt.lease.ttl_ms, t->grace_ms + 2 * rdl_redlock_attempt_ms(r), until_ms,
                        rdl_posix_now_ms());
    publish_lease(t, until_ms);
}

static void renew(struct rdl_easy_thread *t, struct rdl_renewal *k)
{
    struct rdl_easy *e = t->easy;
    int rc = rdl_redlock_extend(&e->lock, &e->platform, e->opt.lease.ttl_ms);

    if (rc >= 0 || rdl_redlock_until_ms(&e->lock) == 0)
        renewed(t, k);
    else
        rdl_renewal_failed(k, rdl_posix_now_ms());
}

/* Waits until at_ms. Returns 1 if the thread must end. */
static int is_over(const struct rdl_easy_thread *t, uint64_t at_ms)
{
    struct pollfd p = {t->end[0], POLLIN, 0};
    uint64_t now_ms;

    while ((now_ms = rdl_posix_now_ms()) < at_ms) {
        uint64_t left_ms = at_ms - now_ms;
        if (poll(&p, 1, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS) > 0)
            return 1;
    }
    return 0;
}

static void *keep(void *arg)
{
    struct rdl_easy_thread *t = arg;
    struct rdl_renewal k;
    enum rdl_renewal_action action;
    uint64_t at_ms;

    renewed(t, &k);
    while ((action = rdl_renewal_next(&k, rdl_posix_now_ms(), &at_ms)) < RDL_RENEWAL_STOP) {
        if (action == RDL_RENEWAL_RENEW)
            renew(t, &k);
        else if (is_over(t, at_ms))
            return NULL;
    }
    publish_lease(t, 0);
    put_byte(t->lost[1]);
    return NULL;
}

/* ---------------------------------------------------------------- starting and ending it */

static void close_pipe(int fd[2])
{
    close(fd[0]);
    close(fd[1]);
}

/* It cannot be canceled: the thread would never be joined. A forked child has no thread to end. */
static void thread_end(struct rdl_easy_thread *t)
{
    int state;

    if (t->process != rdl_posix_process())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    put_byte(t->end[1]);
    pthread_join(t->id, NULL);
    close_pipe(t->end);
    close_pipe(t->lost);
    t->is_running = 0;
    pthread_setcancelstate(state, NULL);
}

/* Signals are for the program's own threads. */
static int start_thread(struct rdl_easy_thread *t)
{
    sigset_t all, before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&t->id, NULL, keep, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0 ? 0 : -1;
}

static int start(struct rdl_easy_thread *t)
{
    if (rdl_posix_pipe(t->lost) != 0)
        return -1;
    if (rdl_posix_pipe(t->end) == 0) {
        if (start_thread(t) == 0)
            return 0;
        close_pipe(t->end);
    }
    close_pipe(t->lost);
    return -1;
}

int rdl_easy_start_thread(struct rdl_easy *e, struct rdl_easy_thread *t, uint32_t grace_ms)
{
    int rc = rdl_easy_check_open(e);

    if (rc != RDL_OK)
        return rc;
    if (e->thread != NULL)
        return rdl_easy_refuse(e, RDL_E_HELD, "a thread renews the lock already");
    if (rdl_easy_remaining_ms(e) == 0)
        return rdl_easy_refuse(e, RDL_EXPIRED, "the lock is not held, so no thread can renew it");
    if (grace_ms > e->opt.lease.ttl_ms / 3)
        return rdl_easy_refuse(e, RDL_E_TTL, "grace_ms is above a third of the ttl");
    memset(t, 0, sizeof *t);
    t->easy = e;
    t->grace_ms = grace_ms;
    t->process = rdl_posix_process();
    publish_lease(t, rdl_redlock_until_ms(&e->lock));
    if (start(t) != 0) {
        rdl_easy_publish(e, rdl_redlock_until_ms(&e->lock), rdl_redlock_fence(&e->lock), 0);
        return rdl_easy_refuse(e, RDL_E_SYSTEM, "the system has no thread or no descriptors left");
    }
    t->is_running = 1;
    e->end_thread = thread_end;
    e->thread = t;
    return rdl_easy_explain(e, RDL_OK);
}

int rdl_easy_lost_fd(const struct rdl_easy_thread *t)
{
    return t->is_running ? t->lost[0] : -1;
}
