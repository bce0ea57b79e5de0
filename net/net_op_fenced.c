/* SPDX-License-Identifier: MIT */
/*
 * net_op_fenced.c - acquire with a number that grows: lock and counter in one script, so no number is
 * given without the lock and no lock without its number. And, for several servers, raising the counter of one
 * to the number that another gave, while the lock is ours.
 */
#include "net/net_private.h"

enum {
    FENCE_TTL_MS = 86400000, /* a fence outlives every lease by far: a day, or four of them */
    RAISE_MEMORY = 6
};

static uint32_t fence_ttl(uint32_t ttl_ms)
{
    uint32_t four = ttl_ms > UINT32_MAX / 4 ? UINT32_MAX : ttl_ms * 4;

    return four > FENCE_TTL_MS ? four : FENCE_TTL_MS;
}

static void fenced_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    char ttl[RDL_DEC_MAX];
    char until[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {q->name,  {key, rdl_side_key(key, q->name, ":fence")},
                                     q->value, {ttl, rdl_dec_u32(ttl, r->ttl_ms)},
                                     q->extra, {until, rdl_dec_u32(until, fence_ttl(r->ttl_ms))}};

    rdl_script_write(c, r, &rdl_script_acquire, argv, w);
}

static void raise_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                        struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    char until[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {q->name,
                                     {key, rdl_side_key(key, q->name, ":fence")},
                                     q->value,
                                     q->extra,
                                     {until, rdl_dec_u32(until, fence_ttl(r->ttl_ms))}};

    rdl_script_write(c, r, &rdl_script_raise, argv, w);
}

static unsigned fenced_count(const struct rdl_record *r)
{
    (void)r;
    return 1;
}

static int fenced_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    return rdl_script_judge_grant(c, r);
}

static int raise_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    return rdl_script_judge(c, r);
}

static const uint8_t ladder[] = {RUNG_SHA, RUNG_EVAL, RUNG_NONE};

const struct rdl_op rdl_op_acquire_fenced = {ladder, 2, 1, 0, fenced_write, fenced_count, fenced_judge};
const struct rdl_op rdl_op_raise_fence = {ladder, RAISE_MEMORY, 0, 0, raise_write, fenced_count, raise_judge};
