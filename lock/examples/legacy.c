/* SPDX-License-Identifier: MIT */
/*
 * legacy.c - a lock shared with programs that still use SETNX and GETSET. A second argument is its name.
 *
 *     make && build/examples/lock/legacy redis://127.0.0.1:6379
 *
 * prints:
 *
 *     taken
 *     ours for 59 s
 *     release: done
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lock/lock_io.h"
#include "lock/lock_legacy.h"

/* Prints why there is no lock among old clients, and what to do about it. */
static void explain(int rc, const struct rdl_lock *lock)
{
    fprintf(stderr, "no lock: %s\n", rdl_strerror(rc));
    if (rc == RDL_BUSY && rdl_lock_holder_ms(lock) >= 0)
        fprintf(stderr, "free in %ld s at the latest\n", (long)(rdl_lock_holder_ms(lock) / 1000) + 1);
    if (rc == RDL_BUSY && rdl_lock_holder_ms(lock) == -1)
        fprintf(stderr, "the holder set no expiry: the lock is free when it releases it\n");
    if (rc == RDL_E_FOREIGN_VALUE)
        fprintf(stderr, "the key holds no deadline in Unix seconds: check it, and delete it by hand\n");
}

/* A waiting client's GETSET overwrote our lock: no client holds it now, or can take it for a while. */
static void explain_release(int rc, const struct rdl_lock *lock)
{
    printf("release: %s\n", rdl_strerror(rc));
    if (rc == RDL_OVERWRITTEN && rdl_lock_holder_ms(lock) == -1)
        printf("the waiting client set no expiry: delete the key when no client holds the lock\n");
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    /* Old clients count in seconds, and take over a second later; an old server may be slow. */
    static const struct rdl_lock_options opt = {
        .ttl_ms = 30000, .wait_ms = 2000, .retry_ms = 100, .attempt_ms = 2000};
    const char *name = argc == 3 ? argv[2] : "lock.foo";
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock_legacy legacy;
    struct rdl_lock *lock = &legacy.lock;
    int rc;

    if (argc < 2 || argc > 3 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: legacy redis://ADDRESS:PORT [NAME]\n");
        return 2;
    }
    rdl_posix_init(&posix, &platform);
    rdl_lock_init_legacy(&legacy, &opt, &server.conn, name, strlen(name), RDL_LEGACY);
    /* Servers before 2.6 have no TIME. Then our own clock is used, which may be off by 2 s. */
    rdl_lock_set_clock(&legacy, (uint32_t)time(NULL), 2000, rdl_now(&platform));

    rc = rdl_lock_acquire(lock, &platform);
    if (rc < 0) {
        explain(rc, lock);
        return 1;
    }
    printf(rc == RDL_RECOVERED ? "taken over from a holder whose lease had expired\n" : "taken\n");
    rc = rdl_lock_extend(lock, &platform, 60000);
    printf("ours for %u s\n", (unsigned)rdl_lock_remaining_ms(lock, rdl_now(&platform)) / 1000);
    if (rc == RDL_LOST)
        return 1;
    rc = rdl_lock_release(lock, &platform);
    explain_release(rc, lock);
    return rc < 0;
}
