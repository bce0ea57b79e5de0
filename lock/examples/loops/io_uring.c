/* SPDX-License-Identifier: MIT */
/*
 * io_uring.c - a lock in an io_uring loop.
 *
 *     make build/examples/lock/loops/io_uring && build/examples/lock/loops/io_uring redis://127.0.0.1:6379
 *
 * prints:
 *
 *     acquire: done
 *     extend: done
 *     release: done
 *
 * Each turn of the loop submits two requests: until the socket is ready, and a timeout. Both end in the same
 * turn, so none is left when the socket is closed.
 */
#define _GNU_SOURCE
#include <liburing.h>
#include <poll.h>
#include <string.h>
#include <stdio.h>

#include "lock/lock_io.h"

/* How long the loop may sleep: until the lock's next step is due. */
static unsigned sleep_ms(const struct rdl_lock *lock)
{
    uint64_t now_ms = rdl_posix_now_ms();
    uint64_t wake_ms = rdl_lock_wake_ms(lock);

    if (wake_ms <= now_ms)
        return 0;
    return wake_ms - now_ms < 1000 ? (unsigned)(wake_ms - now_ms) : 1000;
}

/* Requests the socket's readiness, if there is a socket, and a timeout. Returns the number of requests. */
static unsigned ask(struct io_uring *ring, struct rdl_conn *conn, struct __kernel_timespec *time)
{
    int fd = rdl_posix_fd(conn);
    struct io_uring_sqe *ready = fd >= 0 ? io_uring_get_sqe(ring) : NULL;
    struct io_uring_sqe *clock = io_uring_get_sqe(ring);

    if (clock == NULL)
        return 0;
    if (ready == NULL) {
        io_uring_prep_timeout(clock, time, 0, 0);
    } else {
        io_uring_prep_poll_add(ready, fd, (unsigned)rdl_posix_events(conn));
        io_uring_sqe_set_data(ready, conn);
        io_uring_sqe_set_flags(ready, IOSQE_IO_LINK); /* the request that ends first ends the other */
        io_uring_prep_link_timeout(clock, time, 0);
    }
    io_uring_sqe_set_data(clock, NULL);
    return ready != NULL ? 2 : 1;
}

/* One turn of the loop: waits for the socket, or until the lock's next step is due. */
static int turn(struct io_uring *ring, struct rdl_conn *conn, struct rdl_lock *lock)
{
    struct __kernel_timespec time = {0, 0};
    struct io_uring_cqe *cqe;
    unsigned ms = sleep_ms(lock), answers;

    rdl_posix_ready(conn, 0); /* opens or closes the socket, if that is due */
    time.tv_sec = ms / 1000;
    time.tv_nsec = ms % 1000 * 1000000L;
    answers = ask(ring, conn, &time);
    io_uring_submit_and_wait(ring, answers);
    while (answers > 0 && io_uring_wait_cqe(ring, &cqe) == 0) {
        if (io_uring_cqe_get_data(cqe) == conn && cqe->res > 0)
            rdl_posix_ready(conn, (short)cqe->res);
        io_uring_cqe_seen(ring, cqe);
        answers--;
    }
    return rdl_lock_step(lock, rdl_posix_now_ms());
}

/* Runs until the operation that returned rc is done. A real loop would do its other work meanwhile. */
static int finish(struct io_uring *ring, struct rdl_conn *conn, struct rdl_lock *lock, int rc)
{
    while (rc == RDL_PENDING)
        rc = turn(ring, conn, lock);
    return rc;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_lock lock;
    struct io_uring ring;
    int rc;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: io_uring redis://ADDRESS:PORT\n");
        return 2;
    }
    rc = io_uring_queue_init(8, &ring, 0);
    if (rc < 0) {
        fprintf(stderr, "io_uring: no ring: %s\n", strerror(-rc));
        return 2;
    }
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    rc = rdl_posix_random(entropy, sizeof entropy);
    if (rc == RDL_OK)
        rc = finish(&ring, &server.conn, &lock, rdl_lock_acquire_begin(&lock, entropy, rdl_posix_now_ms()));
    printf("acquire: %s\n", rdl_strerror(rc));
    if (rc >= 0) {
        rc = finish(&ring, &server.conn, &lock, rdl_lock_extend_begin(&lock, 20000, rdl_posix_now_ms()));
        printf("extend: %s\n", rdl_strerror(rc));
        rc = finish(&ring, &server.conn, &lock, rdl_lock_release_begin(&lock, rdl_posix_now_ms()));
        printf("release: %s\n", rdl_strerror(rc));
    }
    io_uring_queue_exit(&ring);
    return rc < 0;
}
