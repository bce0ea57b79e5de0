/* SPDX-License-Identifier: MIT */
/*
 * event_loop.c - a lock in a poll loop that also does other work.
 *
 *     make && build/examples/lock/event_loop redis://127.0.0.1:6379
 *
 * prints:
 *
 *     acquire: done
 *     extend: done, for 19 s
 *     release: done, after 4 turns
 */
#include <poll.h>
#include <stdio.h>

#include "lock/lock_io.h"

static unsigned turns; /* the loop's other work */

/* One turn of the loop: waits for the socket, or until the lock's next step is due. */
static int turn(struct rdl_conn *conn, struct rdl_lock *lock)
{
    uint64_t now_ms = rdl_posix_now_ms();
    uint64_t wake_ms = rdl_lock_wake_ms(lock);
    struct pollfd p;
    int wait_ms = 0;

    rdl_posix_ready(conn, 0); /* opens or closes the socket, if that is due */
    p.fd = rdl_posix_fd(conn);
    p.events = rdl_posix_events(conn);
    p.revents = 0;
    if (wake_ms > now_ms)
        wait_ms = wake_ms - now_ms < 1000 ? (int)(wake_ms - now_ms) : 1000;
    if (poll(&p, 1, wait_ms) > 0)
        rdl_posix_ready(conn, p.revents);
    turns++;
    return rdl_lock_step(lock, rdl_posix_now_ms());
}

/* Runs until the operation that returned rc is done. A real loop would do its other work meanwhile. */
static int finish(struct rdl_conn *conn, struct rdl_lock *lock, int rc)
{
    while (rc == RDL_PENDING)
        rc = turn(conn, lock);
    return rc;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    struct rdl_conn *conn = &server.conn;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_lock lock;
    int rc;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: event_loop redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_lock_init(&lock, &opt, conn, RDL_NAME("nightly"));
    rc = rdl_posix_random(entropy, sizeof entropy);
    if (rc == RDL_OK)
        rc = finish(conn, &lock, rdl_lock_acquire_begin(&lock, entropy, rdl_posix_now_ms()));
    printf("acquire: %s\n", rdl_strerror(rc));
    if (rc < 0)
        return 1;
    rc = finish(conn, &lock, rdl_lock_extend_begin(&lock, 20000, rdl_posix_now_ms()));
    printf("extend: %s, for %u s\n", rdl_strerror(rc),
           (unsigned)rdl_lock_remaining_ms(&lock, rdl_posix_now_ms()) / 1000);
    rc = finish(conn, &lock, rdl_lock_release_begin(&lock, rdl_posix_now_ms()));
    printf("release: %s, after %u turns\n", rdl_strerror(rc), turns);
    return rc < 0;
}
