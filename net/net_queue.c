/* SPDX-License-Identifier: MIT */
/*
 * net_queue.c - the queue of request records: [base, head) deferred until the next beat (net_timers.c),
 * [head, next_to_send) sent, [next_to_send, tail) not sent whole.
 *
 * A record contains its whole request. So a queued release outlives the lock that queued it, and the
 * connection that it was meant for.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/* Compiles only if RDL_REQUEST_SIZE assumes enough bytes for a record. */
typedef char requests_have_room[sizeof(struct rdl_record) <= RDL_RECORD_SIZE ? 1 : -1];

static uint8_t *bytes_at(const struct rdl_conn *c, uint32_t at)
{
    return (uint8_t *)c->cfg->queue + at;
}

/* Returns the size of a record with texts of this length; it keeps the next record aligned. */
static uint32_t size_with(size_t texts)
{
    return (uint32_t)((sizeof(struct rdl_record) + texts + 7) & ~(size_t)7);
}

uint32_t rdl_record_size(const struct rdl_record *r)
{
    return size_with((size_t)r->name_len + r->value_len + r->extra_len);
}

uint32_t rdl_command_size(const struct rdl_command *cmd)
{
    return size_with(cmd->name.len + cmd->value.len + cmd->extra.len);
}

void rdl_record_texts(const struct rdl_record *r, struct rdl_bytes own[RDL_TEXTS])
{
    const uint8_t *texts = (const uint8_t *)(r + 1);

    own[RDL_LETTER_K].data = texts;
    own[RDL_LETTER_K].len = r->name_len;
    own[RDL_LETTER_V].data = texts + r->name_len;
    own[RDL_LETTER_V].len = r->value_len;
    own[RDL_LETTER_X].data = texts + r->name_len + r->value_len;
    own[RDL_LETTER_X].len = r->extra_len;
}

/* Moves all records to the front, so that the free room is in one piece. */
static void compact(struct rdl_conn *c)
{
    rdl_copy(c->cfg->queue, bytes_at(c, c->base), (size_t)(c->tail - c->base));
    c->head -= c->base;
    c->next_to_send -= c->base;
    c->tail -= c->base;
    c->base = 0;
}

static uint8_t *copy_text(uint8_t *to, struct rdl_bytes text)
{
    rdl_copy(to, text.data, text.len);
    return to + text.len;
}

void rdl_queue_push(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd, uint32_t size)
{
    struct rdl_record *r;

    if (c->tail + size > c->cfg->queue_len)
        compact(c);
    c->tail += size;
    r = rdl_record_at(c, c->tail - size);
    rdl_record_reset(r);
    r->req = req;
    r->op = cmd->op;
    r->until_ms = cmd->until_ms;
    r->ttl_ms = cmd->ttl_ms;
    r->name_len = (uint8_t)cmd->name.len;
    r->value_len = (uint8_t)cmd->value.len;
    r->extra_len = (uint8_t)cmd->extra.len;
    copy_text(copy_text(copy_text((uint8_t *)(r + 1), cmd->name), cmd->value), cmd->extra);
}

uint32_t rdl_queue_remove(struct rdl_conn *c, uint32_t at)
{
    uint32_t size = rdl_record_size(rdl_record_at(c, at));

    if (at == c->base) {
        at = c->base += size;
        if (c->head < at)
            c->head = at;
        if (c->next_to_send < at)
            c->next_to_send = at;
    } else {
        rdl_copy(bytes_at(c, at), bytes_at(c, at + size), (size_t)(c->tail - at - size));
        c->tail -= size;
        if (at < c->next_to_send)
            c->next_to_send -= size;
        if (at < c->head)
            c->head -= size;
    }
    if (c->base == c->tail)
        c->base = c->head = c->next_to_send = c->tail = at = 0;
    return at;
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

/* Moves [from, from + size) after the others without a copy: it reverses each part, then all of it. */
static void rotate(struct rdl_conn *c, uint32_t from, uint32_t size)
{
    uint8_t *queue = bytes_at(c, from);
    size_t all = (size_t)(c->tail - from);

    reverse(queue, (size_t)size);
    reverse(queue + size, all - (size_t)size);
    reverse(queue, all);
    c->next_to_send -= size;
}

void rdl_queue_repeat_head(struct rdl_conn *c)
{
    rotate(c, c->head, rdl_record_size(rdl_record_at(c, c->head)));
}

void rdl_queue_resume(struct rdl_conn *c)
{
    rotate(c, c->base, c->head - c->base);
    c->head = c->base;
}

uint32_t rdl_queue_find(const struct rdl_conn *c, const struct rdl_req *req)
{
    uint32_t at = c->head;

    while (rdl_record_at(c, at)->req != req)
        at += rdl_record_size(rdl_record_at(c, at));
    return at;
}

int rdl_conn_refers_to(const struct rdl_conn *c, const void *memory, size_t len)
{
    uint32_t at = c->head;

    while (at < c->tail) {
        const struct rdl_record *r = rdl_record_at(c, at);
        if (r->req != NULL && (uintptr_t)r->req - (uintptr_t)memory < len)
            return 1;
        at += rdl_record_size(r);
    }
    return 0;
}

void rdl_record_reset_phase(struct rdl_record *r)
{
    r->len = 0;
    r->phase = RDL_PHASE_CHECK;
    r->replies = 0;
    r->verdict = RDL_ANSWER_NONE;
    r->is_refused = r->is_long = r->in_multi = r->is_exclusive = 0;
}

void rdl_record_reset(struct rdl_record *r)
{
    rdl_record_reset_phase(r);
    r->method = r->skipped = 0;
    r->error = RDL_OK;
    r->is_sha = r->no_retry = 0;
}

/* It is in this file, because in net_request.c compilers inline it into each caller. */
void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value)
{
    if (req == NULL)
        return;
    req->value = value;
    req->error = (int16_t)error;
    req->answer = (uint8_t)answer;
    req->is_queued = 0;
}
