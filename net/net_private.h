/* SPDX-License-Identifier: MIT */
/* net_private.h - declarations that the files of net/ share and that no other layer may use. */
#ifndef RDL_NET_PRIVATE_H
#define RDL_NET_PRIVATE_H

#include "net/net_credentials.h"
#include "net/net_op.h"

/*
 * Who writes the members of struct rdl_conn:
 *
 *     base, head, next_to_send, tail, reserved   net_request.c
 *     refused, scripts                           net_request.c; net_conn.c resets them with the connection
 *     reply, reply_..., parser                   net_conn.c; net_request.c the numbers of an array
 *     tx_sent, handshake_sent, handshake_done    net_conn.c, net_handshake.c; tx_sent also net_request.c
 *     state, error                               net_conn.c, net_timers.c
 *     the times (under rdl_conn_tick)            net_timers.c, and, as a call takes 8 bytes of an image:
 *         waits                                  net_conn.c when it closes, and net_stream.c while it opens
 *         signed_timeout_ms                      net_conn.c its sign
 *         timer_ms, failures                     net_stream.c after an error of send; net_request.c a 0
 *         rtt_ms, rtt_is_bound, is_awaited       the operations of locks
 */

/* -------------------------------------------------- net_request.c: the queue of request records */

/* Returns the bytes of a record with its texts. */
uint32_t rdl_record_size(const struct rdl_record *r);
/* Returns the record at this offset. Inline, because a call would take more code. */
static inline struct rdl_record *rdl_record_at(const struct rdl_conn *c, uint32_t at)
{
    RDL_ASSERT(at < c->tail && at % 8 == 0);
    return (struct rdl_record *)(void *)((uint8_t *)c->cfg->queue + at);
}
/* Returns how many bytes of the queue are in use. */
static inline uint32_t rdl_queue_len(const struct rdl_conn *c)
{
    return c->tail - c->base;
}
/* Returns whether there are requests other than paused ones; their replies are awaited. */
static inline int rdl_queue_is_awaited(const struct rdl_conn *c)
{
    return c->head != c->tail;
}
/* Returns whether requests pause, to be sent again (rdl_queue_resume). */
static inline int rdl_queue_has_paused(const struct rdl_conn *c)
{
    return c->base != c->head;
}
/* Moves the paused records after all others, to be sent again. */
void rdl_queue_resume(struct rdl_conn *c);
/* Drops releases whose key must have expired. */
void rdl_queue_drop_stale(struct rdl_conn *c, uint64_t now_ms);
/* Returns when a stalled conn may be closed, no earlier than c->timer_ms. */
uint64_t rdl_queue_stalled_end(struct rdl_conn *c, uint64_t now_ms);
/* Returns whether there is a request that may be sent now. */
int rdl_queue_has_more(const struct rdl_conn *c);
/* Writes the requests that may be sent now. */
void rdl_queue_write(struct rdl_conn *c, struct rdl_slice *w);
/* Counts the requests that were sent whole, after c->tx_sent has grown. */
void rdl_queue_sent(struct rdl_conn *c);

/* -------------------------------------------------- net_request.c: a request from queue to answer */

/*
 * Checks the configuration: RDL_OK, or RDL_E_CONFIG, which rdl_conn_submit then returns for
 * every request.
 */
int rdl_config_check(const struct rdl_conn_config *cfg);

/* Passes an event of an array or a bulk string to the method whose reply it is. */
void rdl_request_take(struct rdl_conn *c, const struct rdl_resp_event *ev);
/* Evaluates the reply in c for the head of the queue. RDL_OK, or the error that ends the connection. */
int rdl_request_reply(struct rdl_conn *c);
/*
 * Answers the requests after the connection ended, and keeps the releases, to be sent first on the next one.
 * A caller that waits for a release that was sent gets its answer there, once (rdl_req.may_be_second).
 */
void rdl_requests_disconnected(struct rdl_conn *c);

/* -------------------------------------------------- net_handshake.c: login, then connection checks */

/*
 * Functions that send the commands of the login and of the connection checks. A conn reaches them only
 * through these two, so a program that uses neither does not link them.
 */
struct rdl_handshake_ops {
    /* Returns whether a command with a secret is being sent or answered. It is the only one then. */
    int (*is_secret)(const struct rdl_conn *c);
    /* Returns whether there is a command that may be sent now. */
    int (*has_more)(const struct rdl_conn *c);
    /* Writes the commands that may be sent now. */
    void (*write)(const struct rdl_conn *c, struct rdl_slice *w);
    /* Counts the commands that were sent whole, after c->tx_sent has grown. */
    void (*sent)(struct rdl_conn *c);
    /* Evaluates the reply in c; after the last one c is READY. Returns the error that ends the connection. */
    int (*reply)(struct rdl_conn *c);
};

/* -------------------------------------------------- net_error.c: what error replies mean */

/* Returns the code of an error reply. RDL_OTHER is RDL_E_SERVER in words that no row of resp/WIRE.md has. */
enum { RDL_OTHER = RDL_E_SERVER - 1 };
int rdl_error_class(const char *text);
/*
 * Returns the number of the group that has a prefix with which text begins, from 0; `groups`: none has.
 * "ERR " at the beginning of text is skipped. A prefix ends with NUL, and a group with an empty prefix.
 */
int rdl_prefix_group(const char *text, const char *prefixes, int groups);

/* Returns the error for a reply without a request; an error reply says more (too many clients, ...). */
int rdl_unexpected_reply(struct rdl_conn *c);

/* -------------------------------------------------- net_conn.c, net_timers.c */

/* Makes the conn READY: the handshake is complete, a byte came, or no reply is awaited any more. */
void rdl_conn_heard(struct rdl_conn *c);

/* rdl_conn.waits, while it is closed; net_stream.h has its other values */
enum { RDL_PAUSE_NONE, RDL_PAUSE_DUE, RDL_PAUSE_RUNNING };

#endif
