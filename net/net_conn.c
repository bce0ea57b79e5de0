/* SPDX-License-Identifier: MIT */
/* net_conn.c - the conn: bytes to send and received, from opened to closed. No system call, no clock. */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

int rdl_conn_init(struct rdl_conn *c, const struct rdl_conn_config *cfg)
{
    RDL_ASSERT(cfg->queue_len <= UINT32_MAX / 2);
    rdl_zero(c, sizeof *c);
    c->cfg = cfg;
    c->fd = -1;
    rdl_resp_init(&c->parser);
    rdl_conn_set_text(c, "");
    return rdl_config_check(cfg);
}

extern inline enum rdl_conn_phase rdl_conn_state(const struct rdl_conn *c);
extern inline int rdl_conn_error(const struct rdl_conn *c);
extern inline uint64_t rdl_now(const struct rdl_platform *platform);

const char *rdl_conn_text(const struct rdl_conn *c)
{
    return c->cfg->text != NULL ? c->cfg->text : "";
}

uint32_t rdl_conn_replies(const struct rdl_conn *c)
{
    return c->replies;
}

/*
 * Ends the connection and answers the requests that wait. A release that was sent and that a caller awaits is
 * answered over the next connection instead, unless it is repeated already (rdl_req.may_be_second). Requests
 * queued from now on are for the next connection.
 */
RDL_NOINLINE static void conn_fail(struct rdl_conn *c, int error)
{
    c->error = (int8_t)error;
    c->state = RDL_CONN_FAILED;
    rdl_requests_disconnected(c);
}

void rdl_conn_shut(struct rdl_conn *c, int error)
{
    if (c->state != RDL_CONN_CLOSED && c->state != RDL_CONN_FAILED)
        conn_fail(c, error != RDL_OK ? error : RDL_E_CLOSED);
}

void rdl_conn_heard(struct rdl_conn *c)
{
    c->state = RDL_CONN_READY;
    c->error = RDL_OK;
    c->lease_timeout_ms = 0;
    c->timer_ms = 0;
}

/* Returns the functions for the login and the connection checks; NULL: there is neither. */
RDL_NOINLINE static const struct rdl_handshake_ops *handshake_or_null(const struct rdl_conn *c)
{
    if (c->checks != NULL)
        return c->checks->handshake;
    return c->cfg->login != NULL ? c->cfg->login->handshake : NULL;
}

/* The state is RDL_CONN_HANDSHAKE. */
static const struct rdl_handshake_ops *handshake_of(const struct rdl_conn *c)
{
    const struct rdl_handshake_ops *handshake = handshake_or_null(c);

    RDL_ASSERT(handshake != NULL);
    return handshake;
}

/* ---------------------------------------------------------------- out */

unsigned rdl_conn_wants(const struct rdl_conn *c)
{
    int has_more;

    if (c->state == RDL_CONN_CLOSED)
        return 0;
    if (c->state == RDL_CONN_OPENING)
        return RDL_WANT_OPEN;
    if (c->state == RDL_CONN_FAILED)
        return RDL_WANT_CLOSE;
    has_more = c->state == RDL_CONN_HANDSHAKE ? handshake_of(c)->has_more(c) : rdl_queue_has_more(c);
    return has_more ? RDL_WANT_READ | RDL_WANT_WRITE : RDL_WANT_READ;
}

size_t rdl_conn_tx(struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct rdl_slice w;

    if (c->state < RDL_CONN_HANDSHAKE || c->state > RDL_CONN_STALLED)
        return 0;
    c->tx = buf;
    rdl_slice_init(&w, buf, cap, (size_t)c->tx_sent);
    if (c->state == RDL_CONN_HANDSHAKE)
        handshake_of(c)->write(c, &w);
    else
        rdl_queue_write(c, &w);
    return cap - w.room;
}

static void trace(const struct rdl_conn *c, char dir, const uint8_t *data, size_t n)
{
    const struct rdl_handshake_ops *handshake;

    if (c->cfg->trace == NULL || n == 0)
        return;
    handshake = handshake_or_null(c);
    if (handshake != NULL && handshake->is_secret(c))
        data = NULL;
    c->cfg->trace(c->cfg->trace_ctx, c, dir, data, n);
}

void rdl_conn_tx_done(struct rdl_conn *c, size_t n)
{
    trace(c, '>', c->tx, n);
    c->tx_sent += (uint32_t)n;
    if (c->state == RDL_CONN_HANDSHAKE)
        handshake_of(c)->sent(c);
    else
        rdl_queue_sent(c);
}

/* ---------------------------------------------------------------- in */

/* Keeps the parts of the reply that an answer needs: kind, numbers, the start of its text. */
static void take_event(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t n;
    char *end;

    if (!c->reply_open) {
        c->reply_open = 1;
        c->reply_kind = ev->kind;
        c->reply_value = ev->value;
        if (ev->kind == RDL_RESP_ARRAY)
            c->reply_value = -1;
        c->reply_items = 0;
        c->reply_len = 0;
    }
    if (c->checks != NULL && c->checks->take(c, ev))
        return;
    if (c->reply_kind >= RDL_RESP_BULK) {
        rdl_request_take(c, ev);
        if (c->reply_kind == RDL_RESP_ARRAY)
            return;
    }
    n = (size_t)RDL_TEXT_MAX - 1 - c->reply_len;
    if (n > ev->len)
        n = ev->len;
    end = rdl_copy(c->reply + c->reply_len, ev->data, n);
    *end = '\0';
    c->reply_len = (uint8_t)(c->reply_len + n);
}

static int take_reply(struct rdl_conn *c)
{
    c->reply_open = 0;
    c->replies++;
    return c->state == RDL_CONN_READY ? rdl_request_reply(c) : handshake_of(c)->reply(c);
}

void rdl_conn_rx(struct rdl_conn *c, const uint8_t *data, size_t n)
{
    struct rdl_resp_event ev;
    size_t at = 0;

    trace(c, '<', data, n);
    if (n > 0 && (c->state == RDL_CONN_READY || c->state == RDL_CONN_STALLED))
        rdl_conn_heard(c);
    while (c->state == RDL_CONN_READY || c->state == RDL_CONN_HANDSHAKE) {
        size_t used = 0;
        int rc = rdl_resp_next(&c->parser, data + at, n - at, &used, &ev);
        at += used;
        if (rc == RDL_PENDING)
            return;
        if (rc == RDL_OK) {
            take_event(c, &ev);
            if (ev.last && ev.end)
                rc = take_reply(c);
        }
        if (rc != RDL_OK)
            conn_fail(c, rc);
    }
}

/* ---------------------------------------------------------------- begin and end */

/* Resets all that belongs to one connection; the queue outlives it. */
static void reset(struct rdl_conn *c)
{
    rdl_resp_init(&c->parser);
    c->reply_open = 0;
    rdl_zero(c->refused, sizeof c->refused);
    c->scripts = 0;
    if (c->cfg->server_info != NULL)
        c->cfg->server_info->has = 0;
}

void rdl_conn_opened(struct rdl_conn *c)
{
    const struct rdl_handshake_ops *handshake;

    if (c->cfg->login != NULL && c->cfg->login->begin != NULL)
        c->cfg->login->begin(c);
    if (c->state != RDL_CONN_OPENING) /* aborted meanwhile, or the login cannot begin */
        return;
    reset(c);
    c->handshake_sent = c->handshake_done = 0;
    c->state = RDL_CONN_HANDSHAKE;
    handshake = handshake_or_null(c);
    if (handshake == NULL || !handshake->has_more(c))
        rdl_conn_heard(c);
}

void rdl_conn_closed(struct rdl_conn *c, int error)
{
    if (c->state != RDL_CONN_FAILED)
        conn_fail(c, error);
    reset(c);
    c->state = RDL_CONN_CLOSED;
    c->waits = RDL_PAUSE_DUE;
    /* Negative: left from this connection. A new call replaces it, because the next one may be faster. */
    if (c->signed_timeout_ms > 0)
        c->signed_timeout_ms = -c->signed_timeout_ms;
}
