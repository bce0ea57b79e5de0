/* SPDX-License-Identifier: MIT */
/*
 * net_queue.c - the queue of request records: [head, draw) sent, [draw, tail) not yet.
 *
 * A record holds all that is needed to send its request, or the release that undoes it, again: so a
 * release outlives the lock that owed it and the connection it was to go over.
 */
#include <string.h>

#include "net/net_private.h"

uint32_t rdl_record_size(const struct rdl_record *r)
{
    return (uint32_t)sizeof *r + r->name_len + r->value_len + r->extra_len;
}

int rdl_record_keeps_room(const struct rdl_record *r)
{
    return r->op->may_grant && r->req != NULL && (r->replies == 0 || r->is_exclusive);
}

void rdl_record_load(const struct rdl_conn *c, uint32_t at, struct rdl_record *r)
{
    RDL_ASSERT(at < c->tail);
    memcpy(r, c->cfg->queue + at, sizeof *r);
}

void rdl_record_store(struct rdl_conn *c, uint32_t at, const struct rdl_record *r)
{
    RDL_ASSERT(at < c->tail);
    memcpy(c->cfg->queue + at, r, sizeof *r);
}

void rdl_record_request(const struct rdl_conn *c, uint32_t at, struct rdl_request *q)
{
    const uint8_t *texts = c->cfg->queue + at + sizeof(struct rdl_record);
    struct rdl_record r;

    rdl_record_load(c, at, &r);
    q->name.data = texts;
    q->name.len = r.name_len;
    q->value.data = texts + r.name_len;
    q->value.len = r.value_len;
    q->extra.data = texts + r.name_len + r.value_len;
    q->extra.len = r.extra_len;
}

/* Move all records to the front, so that the free room is in one piece. */
static void compact(struct rdl_conn *c)
{
    memmove(c->cfg->queue, c->cfg->queue + c->head, c->tail - c->head);
    c->draw -= c->head;
    c->tail -= c->head;
    c->head = 0;
}

static uint8_t *put_text(uint8_t *to, struct rdl_bytes text)
{
    if (text.len > 0) /* data may be NULL then */
        memcpy(to, text.data, text.len);
    return to + text.len;
}

int rdl_queue_push(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q, uint32_t keep)
{
    uint32_t size = rdl_record_size(r);
    uint32_t used = c->tail - c->head;
    uint8_t *to;

    if (used + size + keep > c->cfg->queue_len)
        return RDL_E_FULL;
    if (c->tail + size > c->cfg->queue_len)
        compact(c);
    c->tail += size;
    rdl_record_store(c, c->tail - size, r);
    to = c->cfg->queue + c->tail - size + sizeof *r;
    put_text(put_text(put_text(to, q->name), q->value), q->extra);
    c->waiting++;
    return RDL_OK;
}

void rdl_queue_remove(struct rdl_conn *c, uint32_t at)
{
    struct rdl_record r;
    uint32_t size;

    rdl_record_load(c, at, &r);
    size = rdl_record_size(&r);
    if (at == c->head) {
        if (c->draw == c->head)
            c->draw += size;
        c->head += size;
    } else {
        memmove(c->cfg->queue + at, c->cfg->queue + at + size, c->tail - at - size);
        c->tail -= size;
        if (at < c->draw)
            c->draw -= size;
    }
    c->waiting--;
    if (c->head == c->tail)
        c->head = c->draw = c->tail = 0;
}

static void reverse(uint8_t *bytes, size_t n)
{
    size_t i;

    for (i = 0; i < n / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[n - 1 - i];
        bytes[n - 1 - i] = byte;
    }
}

/* The head goes behind the others where it is, without a copy: each part reversed, then all of it. */
void rdl_queue_repeat_head(struct rdl_conn *c)
{
    uint8_t *queue = c->cfg->queue + c->head;
    size_t all = c->tail - c->head;
    struct rdl_record r;
    uint32_t size;

    rdl_record_load(c, c->head, &r);
    size = rdl_record_size(&r);
    reverse(queue, size);
    reverse(queue + size, all - size);
    reverse(queue, all);
    c->draw -= size;
}

uint32_t rdl_queue_find(const struct rdl_conn *c, const struct rdl_req *req)
{
    struct rdl_record r;
    uint32_t at = c->head;

    for (;;) {
        rdl_record_load(c, at, &r);
        if (r.req == req)
            return at;
        at += rdl_record_size(&r);
    }
}

void rdl_record_restart(struct rdl_record *r)
{
    r->round = ROUND_LOOK;
    r->replies = 0;
    r->verdict = RDL_ANSWER_NONE;
    r->is_refused = r->is_long = r->in_multi = r->is_exclusive = 0;
}

void rdl_req_disconnected(const struct rdl_record *r, int was_sent, int error)
{
    if (!was_sent && (r->req == NULL || !r->req->is_again))
        rdl_req_answer(r->req, RDL_ANSWER_UNSENT, error, 0);
    else if (r->op->may_grant && r->verdict == RDL_ANSWER_NO) /* only how long is missing */
        rdl_req_answer(r->req, RDL_ANSWER_NO, RDL_OK, -2);
    else
        rdl_req_answer(r->req, RDL_ANSWER_UNKNOWN, error, 0);
}

void rdl_queue_disconnected(struct rdl_conn *c)
{
    struct rdl_record r;
    uint32_t at = c->head;

    while (at < c->tail) {
        int was_sent = at < c->draw;
        rdl_record_load(c, at, &r);
        was_sent |= r.round != ROUND_LOOK;
        if (r.op->is_owed == OWED_ALWAYS && was_sent && r.req != NULL && !r.req->is_again) {
            r.req->is_again = 1; /* the answer comes over the next connection */
        } else {
            rdl_req_disconnected(&r, was_sent, c->error);
            r.req = NULL;
        }
        if (r.op->is_owed == OWED_ALWAYS) {
            rdl_record_restart(&r);
            rdl_record_store(c, at, &r);
            at += rdl_record_size(&r);
        } else if (at == c->head) {
            rdl_queue_remove(c, at);
            at = c->head;
        } else {
            rdl_queue_remove(c, at);
        }
    }
    c->draw = c->head;
    c->reserved = 0;
}
