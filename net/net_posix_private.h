/* SPDX-License-Identifier: MIT */
/* net_posix_private.h - what net_posix.c shares with other drivers for its sockets (net_uring.c). */
#ifndef RDL_NET_POSIX_PRIVATE_H
#define RDL_NET_POSIX_PRIVATE_H

#include "net/net_op.h"
#include "net/net_stream.h"

/*
 * Evaluates a recv that returned n bytes, or 0 or -1 and this errno. Returns n, or the error that ends the
 * connection. Not for EAGAIN.
 */
int rdl_posix_received(struct rdl_conn *c, const uint8_t *bytes, int n, int err);

/*
 * Returns 1 if another process opened the conn's socket: this is a child after fork. The conn fails with
 * RDL_E_FORKED then, and the child's copy of its socket is closed.
 */
int rdl_posix_is_forked(struct rdl_conn *c);

/* Returns until_ms, or earlier if the queue of a unix socket was full: it is tried again. */
uint64_t rdl_posix_until_retry_ms(struct rdl_conn *const *conns, size_t n, uint64_t until_ms);

/* What rdl_platform has for the clock and for random bytes. */
uint64_t rdl_posix_platform_now_ms(void *ctx);
int rdl_posix_platform_random(void *ctx, void *buf, size_t len);

#endif
