/* SPDX-License-Identifier: MIT */
/* net_stream.c - what every driver does: it opens, receives, sends and closes by the functions of a stream. */
#include "net/net_stream.h"
#include "net/net_private.h"

/* Buffers received from one conn in a row: a peer that never stops sending must not delay the others. */
enum { READS_MAX = 16 };

void rdl_stream_end(struct rdl_conn *c, const struct rdl_stream *s, int error)
{
    if (c->stream != RDL_STREAM_NONE)
        s->ops->close(s->ctx, c);
    c->stream = RDL_STREAM_NONE;
    rdl_conn_closed(c, error);
}

int rdl_stream_continue(struct rdl_conn *c, const struct rdl_stream *s, int state)
{
    if (state > RDL_STREAM_READY) {
        c->stream = (unsigned)state & RDL_STREAM_OPEN;
        return 0;
    }
    c->stream = RDL_STREAM_OPEN;
    if (state == RDL_STREAM_READY)
        rdl_conn_opened(c);
    else
        rdl_stream_end(c, s, state);
    return 1;
}

/* A read that does not fill the buffer has emptied the stream, unless it is known to be the last call. */
static int stream_receive(struct rdl_conn *c, const struct rdl_stream *s, int is_last)
{
    int i;

    for (i = 0; i < READS_MAX && (rdl_conn_wants(c) & RDL_WANT_READ); i++) {
        int n = s->ops->recv(s->ctx, c, s->buf, s->cap);

        if (n == 0)
            return i > 0;
        if (n < 0)
            rdl_stream_end(c, s, n);
        else
            rdl_conn_rx(c, s->buf, (size_t)n);
        if (n > 0 && (size_t)n < s->cap && !is_last)
            return 1;
    }
    return i > 0;
}

/*
 * Sends until there is nothing to send or no room. If the connection has ended, it reads first: the server
 * may have sent the reason (too many clients, ...).
 */
static int stream_send(struct rdl_conn *c, const struct rdl_stream *s)
{
    int did = 0;

    while (rdl_conn_wants(c) & RDL_WANT_WRITE) {
        size_t len = rdl_conn_tx(c, s->buf, s->cap);
        int n;

        if (len == 0) /* the request may have failed instead of being sent */
            return did || !(rdl_conn_wants(c) & RDL_WANT_WRITE);
        n = s->ops->send(s->ctx, c, s->buf, len);
        if (n == 0)
            return did;
        did = 1;
        if (n > 0) {
            rdl_conn_tx_done(c, (size_t)n);
            continue;
        }
        (void)stream_receive(c, s, 1);
        if (rdl_conn_wants(c) & RDL_WANT_READ)
            rdl_stream_end(c, s, n);
    }
    return did;
}

int rdl_stream_run(struct rdl_conn *c, const struct rdl_stream *s)
{
    int did = 0;

    if (rdl_conn_wants(c) & RDL_WANT_OPEN) {
        if (c->stream == RDL_STREAM_NONE)
            c->stream = RDL_STREAM_WAIT_WRITE; /* from now on it must be closed */
        did = rdl_stream_continue(c, s, s->ops->open(s->ctx, c));
    }
    did |= stream_receive(c, s, 0);
    did |= stream_send(c, s);
    if (rdl_conn_wants(c) & RDL_WANT_CLOSE) {
        rdl_stream_end(c, s, rdl_conn_error(c));
        did = 1;
    }
    return did;
}

int rdl_stream_drive(struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    const struct rdl_stream s = {c->cfg->stream, c->cfg->stream_ctx, buf, cap};

    return rdl_stream_run(c, &s);
}
