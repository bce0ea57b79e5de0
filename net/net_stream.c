/* SPDX-License-Identifier: MIT */
/* net_stream.c - what every driver does: it opens, receives, sends and closes, by a stream's functions. */
#include "net/net_stream.h"
#include "net/net_private.h"

/* Buffers received from one conn in a row: a peer that never stops sending must not delay the others. */
enum { READS_MAX = 16 };

/*
 * Reads what has arrived. Returns 0 if that is all for now, an error at the end of the stream, else 1 or
 * more.
 */
static int receive(struct rdl_conn *c, const struct rdl_stream *s, int *did)
{
    uint64_t overdue_ms;
    int reads = 0, n = 1;

    while (reads < READS_MAX && (rdl_conn_wants(c) & RDL_WANT_READ)) {
        n = s->ops->recv(s->ctx, c, s->buf, s->cap);
        if (n <= 0)
            break;
        overdue_ms = c->timer_ms;
        rdl_conn_rx(c, s->buf, (size_t)n);
        if (c->send_result < 0 &&
            c->state == RDL_CONN_READY) /* the peer may never stop: no reply is awaited longer */
            c->timer_ms = overdue_ms;
        reads++;
        *did |= RDL_STREAM_DID;
    }
    return n;
}

/* Sends while there is room. Returns 1 if an error ended that. */
static int transmit(struct rdl_conn *c, const struct rdl_stream *s, int *did)
{
    while (c->send_result >= 0 && (rdl_conn_wants(c) & RDL_WANT_WRITE)) {
        uint32_t queued = rdl_queue_len(c);
        size_t len = rdl_conn_tx(c, s->buf, s->cap);
        int n;

        if (len == 0 || rdl_queue_len(c) != queued) /* a request failed instead of being sent */
            *did |= RDL_STREAM_DID;
        if (len == 0)
            break;
        n = s->ops->send(s->ctx, c, s->buf, len);
        if (n <= 0) {
            c->send_result = (int16_t)(n == RDL_STREAM_READ_FIRST ? 1 : n);
            return c->send_result < 0;
        }
        rdl_conn_tx_done(c, (size_t)n);
        *did |= RDL_STREAM_SENT;
    }
    return 0;
}

/*
 * Reads what has arrived, then sends while there is room. After an error of send it only reads, also in the
 * next calls, until nothing is left or the reply is overdue: the server may have sent the reason why it ended
 * the connection (too many clients, ...).
 */
int rdl_stream_run(struct rdl_conn *c, const struct rdl_stream *s)
{
    int n = c->state == RDL_CONN_STALLED ? c->send_result : 0, did = 0;

    if (rdl_conn_wants(c) & RDL_WANT_OPEN) {
        n = s->ops->open(s->ctx, c);
        c->waits = (uint8_t)(n | RDL_STREAM_BEGUN);
        if (n > RDL_STREAM_READY)
            return 0;
        if (n == RDL_STREAM_READY)
            rdl_conn_opened(c);
        did = RDL_STREAM_DID;
    }
    do {
        if (n >= 0)
            n = receive(c, s, &did);
        if (n == 0)
            n = c->send_result;
        if (n < 0)
            rdl_conn_shut(c, n);
    } while (transmit(c, s, &did));
    if (rdl_conn_wants(c) & RDL_WANT_CLOSE) {
        if (c->waits != RDL_STREAM_NONE)
            s->ops->close(s->ctx, c);
        c->send_result = 0;
        rdl_conn_closed(c, rdl_conn_error(c));
        did |= RDL_STREAM_DID;
    }
    return did;
}

int rdl_stream_drive(struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    const struct rdl_stream s = {c->cfg->stream, c->cfg->stream_ctx, buf, cap};

    return rdl_stream_run(c, &s);
}
