/* SPDX-License-Identifier: MIT */
/*
 * epoll.c - a lock in an epoll loop: epoll redis://127.0.0.1:6379
 *
 * When a connection ends, its descriptor is closed, which removes it from the set. The next connection may
 * have the same number. So the program does not remember what is in the set: each turn of the loop sets the
 * descriptor again.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lock/lock_io.h"

/* How long the loop may sleep: until the lock's next step is due. */
static int sleep_ms(const struct rdl_lock *lock)
{
    uint64_t now_ms = rdl_posix_now_ms();
    uint64_t wake_ms = rdl_lock_wake_ms(lock);

    if (wake_ms <= now_ms)
        return 0;
    return wake_ms - now_ms < 1000 ? (int)(wake_ms - now_ms) : 1000;
}

static void watch(int set, struct rdl_conn *conn)
{
    struct epoll_event e = {0};
    int fd = rdl_posix_fd(conn);

    e.events =
        (uint32_t)rdl_posix_events(conn); /* EPOLLIN and EPOLLOUT have the values of POLLIN and POLLOUT */
    e.data.ptr = conn;
    if (fd >= 0 && epoll_ctl(set, EPOLL_CTL_MOD, fd, &e) != 0 && errno == ENOENT)
        (void)epoll_ctl(set, EPOLL_CTL_ADD, fd, &e);
}

/* One turn of the loop: waits for the sockets, or until the lock's next step is due. */
static int turn(int set, struct rdl_conn *conn, struct rdl_lock *lock)
{
    struct epoll_event ready[8]; /* of all sockets in the set */
    int n;

    rdl_posix_ready(conn, 0); /* opens or closes the socket, if that is due */
    watch(set, conn);
    n = epoll_wait(set, ready, 8, sleep_ms(lock));
    for (int i = 0; i < n; i++)
        rdl_posix_ready(ready[i].data.ptr, (short)ready[i].events);
    return rdl_lock_step(lock, rdl_posix_now_ms());
}

/* Runs until the operation that returned rc is done. A real loop would do its other work meanwhile. */
static int finish(int set, struct rdl_conn *conn, struct rdl_lock *lock, int rc)
{
    while (rc == RDL_PENDING)
        rc = turn(set, conn, lock);
    return rc;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_lock lock;
    int set = epoll_create1(EPOLL_CLOEXEC);
    int rc;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: epoll redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    rc = rdl_posix_random(entropy, sizeof entropy);
    if (rc == RDL_OK)
        rc = finish(set, &server.conn, &lock, rdl_lock_acquire_begin(&lock, entropy, rdl_posix_now_ms()));
    printf("acquire: %s\n", rdl_strerror(rc));
    if (rc >= 0) {
        rc = finish(set, &server.conn, &lock, rdl_lock_extend_begin(&lock, 20000, rdl_posix_now_ms()));
        printf("extend: %s\n", rdl_strerror(rc));
        rc = finish(set, &server.conn, &lock, rdl_lock_release_begin(&lock, rdl_posix_now_ms()));
        printf("release: %s\n", rdl_strerror(rc));
    }
    close(set);
    return rc < 0;
}
