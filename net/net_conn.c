/* SPDX-License-Identifier: MIT */
/* net_conn.c - the conn: requests in, bytes out, bytes in, answers out. No system call, no clock. */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

void rdl_conn_init(struct rdl_conn *c, const struct rdl_conn_config *cfg)
{
    RDL_ASSERT(cfg->queue_len <= UINT32_MAX / 2);
    RDL_ASSERT(sizeof(struct rdl_record) <= RDL_REQUEST_SIZE(0));
    rdl_zero(c, sizeof *c);
    c->cfg = cfg;
    c->fd = -1;
    rdl_resp_init(&c->parser);
}

extern inline enum rdl_conn_state rdl_conn_state(const struct rdl_conn *c);

int rdl_conn_error(const struct rdl_conn *c)
{
    return c->error;
}

const char *rdl_conn_text(const struct rdl_conn *c)
{
    return c->text;
}

uint32_t rdl_conn_replies(const struct rdl_conn *c)
{
    return c->replies;
}

uint32_t rdl_conn_waiting(const struct rdl_conn *c)
{
    return c->waiting;
}

int rdl_conn_is_idle(const struct rdl_conn *c)
{
    return c->head == c->tail && c->tx_sent == 0;
}

/* Who waits is told at once: what is queued from now on is for the next connection. */
static void fail(struct rdl_conn *c, int error)
{
    c->error = (int8_t)error;
    c->state = RDL_CONN_FAILED;
    rdl_queue_disconnected(c);
}

void rdl_conn_shut(struct rdl_conn *c, int error)
{
    if (c->state != RDL_CONN_CLOSED && c->state != RDL_CONN_FAILED)
        fail(c, error != RDL_OK ? error : RDL_E_CLOSED);
}

/* ---------------------------------------------------------------- requests */

/* A client name is a courtesy. */
static int lacks_login(const struct rdl_conn_config *cfg)
{
    const struct rdl_endpoint *ep = cfg->endpoint;

    return cfg->login == NULL && (ep->user.len | ep->password.len | ep->db) != 0;
}

int rdl_conn_submit(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd)
{
    uint32_t own;
    int rc;

    RDL_ASSERT(cmd->name.len >= 1 && cmd->name.len <= RDL_NAME_MAX);
    RDL_ASSERT(cmd->value.len <= RDL_VALUE_MAX && cmd->extra.len <= RDL_EXTRA_MAX);
    RDL_ASSERT(req == NULL || !req->is_queued);
    RDL_ASSERT(req != NULL || cmd->op->is_owed);
    if (c->cfg->ways == NULL) /* what it grants could not be given back */
        return RDL_E_WAYS;
    if (lacks_login(c->cfg)) /* in database 0 it would exclude nobody */
        return RDL_E_LOGIN;
    if (c->state == RDL_CONN_SILENT && cmd->op->is_owed != OWED_ALWAYS)
        return RDL_E_TIMEOUT;
    /* Behind whatever is asked for a lock its release fits; a SET keeps that room until it is answered. */
    own = cmd->op->is_owed ? 0 : rdl_command_size(cmd);
    if (rdl_command_size(cmd) + own > c->cfg->queue_len)
        return RDL_E_QUEUE;
    rc = rdl_queue_push(c, req, cmd, c->reserved + own);
    if (rc != RDL_OK)
        return rc;
    c->reserved += cmd->op->may_grant ? own : 0;
    if (req != NULL) {
        rdl_req_answer(req, RDL_ANSWER_NONE, RDL_OK, 0);
        req->is_queued = 1;
        req->is_repeated = req->is_again = 0;
    }
    return RDL_OK;
}

void rdl_conn_forget(struct rdl_conn *c, struct rdl_req *req)
{
    struct rdl_record *r;
    uint32_t at;
    int was_sent;

    if (!req->is_queued)
        return;
    at = rdl_queue_find(c, req);
    r = rdl_record_at(c, at);
    was_sent = rdl_record_was_sent(r);
    if (rdl_record_keeps_room(r))
        c->reserved -= rdl_record_size(r);
    rdl_req_disconnected(r, was_sent, RDL_E_TIMEOUT);
    r->req = NULL;
    if (!was_sent && !r->op->is_owed)
        rdl_queue_remove(c, at);
}

/* ---------------------------------------------------------------- out */

/* Is the next request to be sent now? One that needs the conn to itself waits for the others, they for it. */
static int may_draw(const struct rdl_conn *c, uint32_t at)
{
    const struct rdl_way *way;
    struct rdl_record next; /* it takes its way when it is drawn */

    if (at == c->head)
        return 1;
    if (rdl_record_at(c, c->head)->is_exclusive)
        return 0;
    next.op = rdl_record_at(c, at)->op;
    way = rdl_way_choose(c, &next);
    return way == NULL || way->rounds == NULL;
}

static int has_more(const struct rdl_conn *c)
{
    return c->draw != c->tail && (rdl_record_at(c, c->draw)->len != 0 || may_draw(c, c->draw));
}

unsigned rdl_conn_wants(const struct rdl_conn *c)
{
    switch ((enum rdl_conn_state)c->state) {
    case RDL_CONN_OPENING:
        return RDL_WANT_OPEN;
    case RDL_CONN_HELLO:
        return RDL_WANT_READ | (rdl_hello_has_more(c) ? RDL_WANT_WRITE : 0u);
    case RDL_CONN_READY:
    case RDL_CONN_SILENT:
        return RDL_WANT_READ | (has_more(c) ? RDL_WANT_WRITE : 0u);
    case RDL_CONN_FAILED:
        return RDL_WANT_CLOSE;
    case RDL_CONN_CLOSED:
        break;
    }
    return 0;
}

/*
 * The way it is put, and EVAL or EVALSHA, is chosen once: the chunks that it goes out in must join. 0: every
 * way was refused to others already; it is answered and gone.
 */
static int draw(struct rdl_conn *c, uint32_t at)
{
    struct rdl_record *r = rdl_record_at(c, at);
    const struct rdl_way *way = r->round == ROUND_LOOK ? rdl_way_choose(c, r) : rdl_way_of(c, r);

    if (way == NULL) {
        if (r->op->may_grant)
            c->reserved -= rdl_record_size(r);
        rdl_req_answer(r->req, RDL_ANSWER_ERROR, rdl_way_error(c, r), 0);
        rdl_queue_remove(c, at);
        return 0;
    }
    r->is_exclusive = way->rounds != NULL;
    r->is_sha = way->script != NULL && rdl_script_draw(c, way->script);
    return 1;
}

/* What is left of those that were drawn, then as many more as there is room for. */
static void put_requests(struct rdl_conn *c, struct rdl_window *w)
{
    uint32_t at = c->draw;

    while (at < c->tail && w->room > 0) {
        struct rdl_record *r = rdl_record_at(c, at);

        if (r->len == 0 && !may_draw(c, at))
            return;
        if (r->len == 0 && !draw(c, at)) {
            at = at < c->head ? c->head : at;
            continue;
        }
        w->total = 0;
        rdl_request_put(c, r, 0, w);
        r->len = (uint16_t)w->total;
        at += rdl_record_size(r);
    }
}

size_t rdl_conn_tx(struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct rdl_window w;

    if (c->state < RDL_CONN_HELLO || c->state > RDL_CONN_SILENT)
        return 0;
    c->tx = buf;
    rdl_window_init(&w, buf, cap, c->tx_sent);
    if (c->state == RDL_CONN_HELLO)
        rdl_hello_put(c, &w);
    else
        put_requests(c, &w);
    return cap - w.room;
}

static void trace(const struct rdl_conn *c, char dir, const uint8_t *data, size_t n)
{
    if (c->cfg->trace != NULL && n > 0)
        c->cfg->trace(c->cfg->trace_ctx, c, dir, rdl_hello_is_secret(c) ? NULL : data, n);
}

void rdl_conn_tx_done(struct rdl_conn *c, size_t n)
{
    trace(c, '>', c->tx, n);
    c->tx_sent += (uint32_t)n;
    if (c->state == RDL_CONN_HELLO) {
        rdl_hello_sent(c);
        return;
    }
    while (c->tx_sent > 0) {
        const struct rdl_record *r = rdl_record_at(c, c->draw);

        RDL_ASSERT(r->len != 0); /* more than there was */
        if (c->tx_sent < r->len)
            return;
        c->tx_sent -= r->len;
        c->draw += rdl_record_size(r);
    }
}

/* ---------------------------------------------------------------- in */

/* Of an array what the way has a use for whose reply it is. */
static void take_item(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    const struct rdl_record *r;

    if (c->state != RDL_CONN_READY || c->head == c->tail)
        return;
    r = rdl_record_at(c, c->head);
    if (r->len != 0 && rdl_way_of(c, r)->take != NULL)
        rdl_way_of(c, r)->take(c, ev);
}

/* Keep of the reply what an answer needs: kind, numbers, the beginning of its text. */
static void take_event(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t n = ev->len;

    if (!c->reply_open) {
        c->reply_open = 1;
        c->reply_kind = ev->kind;
        c->reply_value = ev->kind == RDL_RESP_ARRAY ? -1 : ev->value;
        c->reply_second = -1;
        c->reply_items = 0;
        c->reply_len = 0;
    }
    if (c->preflight != NULL && c->preflight->take(c, ev))
        return;
    if (c->reply_kind == RDL_RESP_ARRAY) {
        take_item(c, ev);
        return;
    }
    if (n > (size_t)(RDL_TEXT_MAX - 1 - c->reply_len))
        n = (size_t)(RDL_TEXT_MAX - 1 - c->reply_len);
    rdl_copy(c->reply + c->reply_len, ev->data, n);
    c->reply_len = (uint8_t)(c->reply_len + n);
    c->reply[c->reply_len] = '\0';
}

static void begin(struct rdl_conn *c)
{
    if (rdl_hello_is_complete(c))
        rdl_conn_heard(c);
}

static int take_reply(struct rdl_conn *c)
{
    int rc;

    c->reply_open = 0;
    c->replies++;
    if (c->state == RDL_CONN_READY)
        return rdl_request_reply(c);
    rc = rdl_hello_reply(c);
    if (rc == RDL_OK)
        begin(c);
    return rc;
}

void rdl_conn_rx(struct rdl_conn *c, const uint8_t *data, size_t n)
{
    struct rdl_resp_event ev;
    size_t at = 0;

    trace(c, '<', data, n);
    if (n > 0 && (c->state == RDL_CONN_READY || c->state == RDL_CONN_SILENT))
        rdl_conn_heard(c);
    while (c->state == RDL_CONN_READY || c->state == RDL_CONN_HELLO) {
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
            fail(c, rc);
    }
}

/* ---------------------------------------------------------------- begin and end */

/* All that belongs to one connection; the queue outlives it. */
static void reset(struct rdl_conn *c)
{
    rdl_resp_init(&c->parser);
    c->hello_sent = c->hello_done = 0;
    c->reply_open = 0;
    rdl_zero(c->refused, sizeof c->refused);
    c->scripts = 0;
    c->facts.has = 0;
}

void rdl_conn_opened(struct rdl_conn *c)
{
    if (c->state != RDL_CONN_OPENING) /* given up meanwhile */
        return;
    reset(c);
    c->state = RDL_CONN_HELLO;
    begin(c);
}

void rdl_conn_closed(struct rdl_conn *c, int error)
{
    if (c->state != RDL_CONN_FAILED)
        fail(c, error);
    reset(c);
    c->state = RDL_CONN_CLOSED;
    c->pause = RDL_PAUSE_DUE;
    if (c->patience_ms > 0) /* the next one may be faster; what is told before it is open is told for it */
        c->patience_ms = -c->patience_ms;
}
