/* SPDX-License-Identifier: MIT */
/* port_stream.c - the stream of net/PORTING.md, called by the driver for sockets, for check-port. */
#include "net/net_stream.h"
#include "tests/port/port.h"

/* Made from net/PORTING.md (port.mk). */
extern const struct rdl_stream_ops *const port_example;

static struct rdl_platform sockets;

/* The conns of check-port have no stream. */
static int poll_streams(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    for (size_t i = 0; i < n; i++)
        ((struct rdl_conn_config *)conns[i]->cfg)->stream = port_example;
    return sockets.poll(ctx, conns, n, until_ms, flags);
}

void port_driver(struct rdl_platform *platform)
{
    static struct rdl_posix posix;

    rdl_posix_init(&posix, &sockets);
    *platform = sockets;
    platform->poll = poll_streams;
}
