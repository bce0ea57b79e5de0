/* SPDX-License-Identifier: MIT */
/*
 * port_small.c - the stream of net/PORTING.md with a buffer of PORT_BUFFER bytes (16), and a poll of its
 * own as on a
 * board, for check-port.
 */
#include <poll.h>

#include "net/net_stream.h"
#include "tests/port/port.h"

#ifndef PORT_BUFFER
#define PORT_BUFFER 16
#endif

enum { CONNS = 8, SLICE_MS = 100 };

/* Made from net/PORTING.md (port.mk). */
extern const struct rdl_stream_ops *const port_example;

static struct rdl_platform sockets;

/* The conns of check-port have no stream. */
static int drive_all(struct rdl_conn *const *conns, size_t n)
{
    uint8_t chunk[PORT_BUFFER];
    int did = 0;

    for (size_t i = 0; i < n; i++) {
        ((struct rdl_conn_config *)conns[i]->cfg)->stream = port_example;
        did |= rdl_stream_drive(conns[i], chunk, sizeof chunk);
    }
    return did;
}

static int poll_small(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    struct pollfd fds[CONNS];
    uint64_t now_ms;

    (void)ctx, (void)flags;
    while (!drive_all(conns, n) && (now_ms = rdl_posix_now_ms()) < until_ms) {
        uint64_t left_ms = until_ms - now_ms;
        for (size_t i = 0; i < n; i++) {
            fds[i].events = rdl_posix_events(conns[i]);
            fds[i].fd = fds[i].events != 0 ? conns[i]->fd : -1;
            fds[i].revents = 0;
        }
        (void)poll(fds, (nfds_t)n, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);
    }
    return RDL_OK;
}

void port_driver(struct rdl_platform *platform)
{
    static struct rdl_posix posix;

    rdl_posix_init(&posix, &sockets);
    *platform = sockets;
    platform->poll = poll_small;
}
