/* SPDX-License-Identifier: MIT */
/*
 * libuv.c - a lock in a libuv loop.
 *
 *     make build/examples/lock/loops/libuv && build/examples/lock/loops/libuv redis://127.0.0.1:6379
 *
 * prints:
 *
 *     acquire: done
 *     extend: done
 *     release: done
 *
 * A poll handle is bound to one descriptor. Each connection has another descriptor, so it needs its own
 * handle. A handle must be closed before its descriptor is used for something else.
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "lock/lock_io.h"

struct watched {
    uv_poll_t handle; /* first */
    int fd;
};

static struct watched *watched; /* the connection's socket; NULL if it has none */

static void gone(uv_handle_t *handle)
{
    free(handle);
}

static void unwatch(void)
{
    if (watched != NULL)
        uv_close((uv_handle_t *)&watched->handle, gone);
    watched = NULL;
}

static void ready(uv_poll_t *handle, int status, int events)
{
    struct rdl_conn *conn = handle->data;

    (void)status; /* after an error the call below reports what is wrong */
    (void)events; /* if it is not ready, the call takes no time */
    rdl_posix_ready(conn, POLLIN | POLLOUT);
    if (watched != NULL && rdl_posix_fd(conn) != watched->fd)
        unwatch();
}

static void watch(uv_loop_t *loop, struct rdl_conn *conn)
{
    int reads = (rdl_posix_events(conn) & POLLIN) ? UV_READABLE : 0;
    int writes = (rdl_posix_events(conn) & POLLOUT) ? UV_WRITABLE : 0;
    int fd = rdl_posix_fd(conn);

    if (watched != NULL && watched->fd != fd)
        unwatch();
    if (fd < 0)
        return;
    if (watched == NULL && (watched = malloc(sizeof *watched)) != NULL) {
        uv_poll_init(loop, &watched->handle, fd);
        watched->handle.data = conn;
        watched->fd = fd;
    }
    if (watched != NULL)
        uv_poll_start(&watched->handle, reads | writes, ready);
}

static void wake(uv_timer_t *timer)
{
    (void)timer; /* only makes uv_run return */
}

/* One turn of the loop. All else that is in the loop runs, too. */
static int turn(uv_timer_t *timer, struct rdl_conn *conn, struct rdl_lock *lock)
{
    uint64_t now_ms = rdl_posix_now_ms(), wake_ms = rdl_lock_wake_ms(lock);

    rdl_posix_ready(conn, 0); /* opens or closes the socket, if that is due */
    watch(timer->loop, conn);
    uv_timer_start(timer, wake, wake_ms > now_ms ? wake_ms - now_ms : 0, 0);
    uv_run(timer->loop, UV_RUN_ONCE);
    return rdl_lock_step(lock, rdl_posix_now_ms());
}

/* Runs until the operation that returned rc is done. A real loop would do its other work meanwhile. */
static int finish(uv_timer_t *timer, struct rdl_conn *conn, struct rdl_lock *lock, int rc)
{
    while (rc == RDL_PENDING)
        rc = turn(timer, conn, lock);
    return rc;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_lock lock;
    uv_timer_t timer;
    int rc;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: libuv redis://ADDRESS:PORT\n");
        return 2;
    }
    uv_timer_init(uv_default_loop(), &timer);
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    rc = rdl_posix_random(entropy, sizeof entropy);
    if (rc == RDL_OK)
        rc = finish(&timer, &server.conn, &lock, rdl_lock_acquire_begin(&lock, entropy, rdl_posix_now_ms()));
    printf("acquire: %s\n", rdl_strerror(rc));
    if (rc >= 0) {
        rc = finish(&timer, &server.conn, &lock, rdl_lock_extend_begin(&lock, 20000, rdl_posix_now_ms()));
        printf("extend: %s\n", rdl_strerror(rc));
        rc = finish(&timer, &server.conn, &lock, rdl_lock_release_begin(&lock, rdl_posix_now_ms()));
        printf("release: %s\n", rdl_strerror(rc));
    }
    unwatch();
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    return rc < 0;
}
