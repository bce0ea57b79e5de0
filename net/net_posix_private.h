/* SPDX-License-Identifier: MIT */
/* net_posix_private.h - what net_posix.c shares with net_posix_poll.c and net_uring.c. */
#ifndef RDL_NET_POSIX_PRIVATE_H
#define RDL_NET_POSIX_PRIVATE_H

#ifdef ESP_PLATFORM
#include <sys/poll.h>
#else
#include <poll.h>
#endif
#include <sys/socket.h>

#include "net/net_op.h"
#include "net/net_stream.h"

/* A socket's timeout is not exact: recv waits only if until_ms is at least twice this away. */
enum { RDL_POSIX_RECV_MS = 50 };

/* What poll reported for a conn, and how recv may wait; the ctx of rdl_posix_stream. NULL: no one polled. */
struct rdl_posix_turn {
    short revents;  /* 0 also after a recv that emptied the socket */
    int recv_flags; /* of the first recv */
    int is_interrupted;
    int is_one_of_many; /* the poll is for several conns, so none waits in recv */
};

/* Returns whether recv may wait for this conn: not if another stream is on top of the socket. */
int rdl_posix_may_wait(const struct rdl_conn *c);

/* The stream of a conn runs, with what poll reported. Returns what was done, as rdl_stream_run. */
int rdl_posix_run(struct rdl_conn *c, struct rdl_posix_turn *turn);

/* Does for one conn what can be done without waiting. Returns what was done, as rdl_stream_drive. */
int rdl_posix_advance(struct rdl_conn *c, struct rdl_posix_turn turn);

/*
 * Evaluates a recv that returned n bytes, or 0 or -1 and this errno. Returns n, or the error that ends the
 * connection. Not for EAGAIN.
 */
int rdl_posix_received(struct rdl_conn *c, const uint8_t *bytes, int n, int err);

/*
 * Returns 1 if another process than this one opened the conn's socket: this is a child after fork. The conn
 * fails with RDL_E_FORKED then, and the child's copy of its socket is closed: child and parent would read
 * replies to each other's requests.
 */
int rdl_posix_is_of_another(struct rdl_conn *c, uint32_t process);
int rdl_posix_is_forked(struct rdl_conn *c);

/* Returns until_ms, or earlier if the queue of a unix socket was full: it is tried again. */
uint64_t rdl_posix_until_retry_ms(struct rdl_conn *const *conns, size_t n, uint64_t until_ms);

/* What rdl_platform has for the clock and for random bytes. */
uint64_t rdl_posix_platform_now_ms(void *ctx);
int rdl_posix_platform_random(void *ctx, void *buf, size_t len);

#endif
