/* SPDX-License-Identifier: MIT */
/*
 * renewal.c - hold a lock as long as the work takes.
 *
 *     make && build/examples/redlock/renewal URL URL URL URL URL
 *
 * prints:
 *
 *     watchdog: done, renewed 3 times
 *     leader: to the end, renewed 3 times
 *
 * Two patterns that other libraries have built in, each in ten lines with rdl_renewal. The watchdog renews
 * the lease during the work. With the continued lock, one of many processes is the leader.
 */
#include <stdio.h>

#include "redlock/redlock.h"

/* GRACE_MS: two attempts of 150 ms, the longest time of an extend, and ten times a piece of work. */
enum { TTL_MS = 3000, GRACE_MS = 400, WORK_MS = 4000 };

static const struct rdl_redlock_options opt = {
    .lease = {.ttl_ms = TTL_MS, .wait_ms = 5000, .retry_ms = 50},
    .max_ttl_ms = TTL_MS,
    .guard = RDL_GUARD_OFF, /* these servers lose nothing: appendfsync always */
};

static struct rdl_posix posix;
static struct rdl_platform platform;
static struct rdl_redlock lock;

static uint64_t now(void)
{
    return rdl_now(&platform);
}

/* Extends the lease, and reports the result to the renewal timer. */
static void renew(struct rdl_renewal *k)
{
    if (rdl_redlock_extend(&lock, &platform, TTL_MS) >= 0 || rdl_redlock_until_ms(&lock) == 0)
        rdl_renewal_renewed(k, TTL_MS, GRACE_MS, rdl_redlock_until_ms(&lock), now());
    else
        rdl_renewal_failed(k, now()); /* no reply: the lease lasts as long as before */
}

/* ---------------------------------------------------------------- the watchdog */

/*
 * Works in small pieces while the lock is held. Returns 0 if it cannot be renewed: then the work has stopped
 * before the lease ended, although this thread also waits for the servers.
 */
static int watch_over(int (*work)(void))
{
    struct rdl_renewal k;
    uint64_t at_ms;

    rdl_renewal_renewed(&k, TTL_MS, GRACE_MS, rdl_redlock_until_ms(&lock), now());
    for (;;) {
        enum rdl_renewal_action action = rdl_renewal_next(&k, now(), &at_ms);
        if (action == RDL_RENEWAL_STOP || action == RDL_RENEWAL_LOST)
            return 0;
        if (action == RDL_RENEWAL_RENEW)
            renew(&k);
        else if (!work())
            return 1;
    }
}

/* ---------------------------------------------------------------- the continued lock */

/* Acquires or renews the lock. Returns 1 if this process is the leader; call it before each piece of work. */
static int continue_lock(struct rdl_renewal *k)
{
    uint64_t at_ms;
    enum rdl_renewal_action action = rdl_renewal_next(k, now(), &at_ms);

    if (action == RDL_RENEWAL_RENEW)
        renew(k);
    else if (action == RDL_RENEWAL_LOST && rdl_redlock_acquire(&lock, &platform) >= 0)
        rdl_renewal_renewed(k, TTL_MS, GRACE_MS, rdl_redlock_until_ms(&lock), now());
    return rdl_renewal_next(k, now(), &at_ms) < RDL_RENEWAL_STOP;
}

/* ---------------------------------------------------------------- a program */

static struct rdl_posix_conn conns[5];
static uint64_t work_ends_ms;

/* Does a piece of work of 10 ms. Returns 0 when all is done. */
static int work(void)
{
    platform.poll(platform.ctx, NULL, 0, now() + 10, 0);
    return now() < work_ends_ms;
}

static int connect_to(char **urls)
{
    static struct rdl_server servers[5];

    for (size_t i = 0; i < 5; i++) {
        if (rdl_posix_conn_init(&conns[i], urls[i], NULL) != RDL_OK)
            return -1;
        servers[i].conn = &conns[i].conn;
    }
    rdl_posix_init(&posix, &platform);
    rdl_redlock_init(&lock, &opt, servers, 5, RDL_NAME("nightly"));
    return 0;
}

int main(int argc, char **argv)
{
    struct rdl_renewal k = {0, 0, 0, 0};
    int is_done;
    int rc;

    if (argc != 6 || connect_to(argv + 1) != 0) {
        fprintf(stderr, "usage: renewal URL URL URL URL URL, each redis://ADDRESS:PORT\n");
        return 2;
    }
    rc = rdl_redlock_acquire(&lock, &platform);
    if (rc < 0) {
        fprintf(stderr, "%s\n", rdl_strerror(rc));
        return 1;
    }
    work_ends_ms = now() + WORK_MS;
    is_done = watch_over(work);
    printf("watchdog: %s, renewed %u times\n", is_done ? "done" : "lost", (unsigned)lock.extensions);
    rdl_redlock_release(&lock, &platform);

    work_ends_ms = now() + WORK_MS;
    while ((is_done = continue_lock(&k)) != 0 && work()) {
    }
    printf("leader: %s, renewed %u times\n", is_done ? "to the end" : "no more", (unsigned)lock.extensions);
    rdl_redlock_release(&lock, &platform);
    rdl_redlock_drain(&lock, &platform, now() + 1000);
    return is_done ? 0 : 1;
}
