/* SPDX-License-Identifier: MIT */
/*
 * net_op_fenced.c - acquire with a number that grows: lock and counter in one script, so no number is
 * given without the lock and no lock without its number.
 */
#include <string.h>

#include "net/net_private.h"

enum { FENCE_TTL_MS = 86400000 /* a fence outlives every lease by far: a day, or four of them */ };

static int has_brace(struct rdl_bytes name)
{
    const char *text = name.data;
    size_t i;

    for (i = 0; i < name.len; i++) {
        if (text[i] == '}')
            return 1;
    }
    return 0;
}

/* {name}:fence, in the name's own hash slot; a name with a brace keeps its own tag. */
static size_t fence_key(char out[RDL_NAME_MAX + 8], struct rdl_bytes name)
{
    int is_tagged = has_brace(name);
    size_t n = 0;

    if (!is_tagged)
        out[n++] = '{';
    memcpy(out + n, name.data, name.len);
    n += name.len;
    if (!is_tagged)
        out[n++] = '}';
    memcpy(out + n, ":fence", 6);
    return n + 6;
}

static uint32_t fence_ttl(uint32_t ttl_ms)
{
    uint32_t four = ttl_ms > UINT32_MAX / 4 ? UINT32_MAX : ttl_ms * 4;

    return four > FENCE_TTL_MS ? four : FENCE_TTL_MS;
}

static void fenced_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 8];
    char ttl[RDL_DEC_MAX];
    char until[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {q->name,  {key, fence_key(key, q->name)},
                                     q->value, {ttl, rdl_dec_u32(ttl, r->ttl_ms)},
                                     q->extra, {until, rdl_dec_u32(until, fence_ttl(r->ttl_ms))}};

    rdl_script_write(c, r, &rdl_script_acquire, argv, w);
}

static unsigned fenced_count(const struct rdl_record *r)
{
    (void)r;
    return 1;
}

static int fenced_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || c->reply_value < 0 || c->reply_value > 1)
        return RDL_E_UNASKED;
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    rdl_record_tell(r, c->reply_second);
    return RDL_OK;
}

static const uint8_t ladder[] = {RUNG_SHA, RUNG_EVAL, RUNG_NONE};

const struct rdl_op rdl_op_acquire_fenced = {ladder, 2, 1, 0, fenced_write, fenced_count, fenced_judge};
