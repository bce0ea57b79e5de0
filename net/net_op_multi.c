/* SPDX-License-Identifier: MIT */
/* net_op_multi.c - several locks as one: a script takes, extends, releases all of them. */
#include "net/net_private.h"

enum { MEMORY = 5, RELEASE_MEMORY = 7 };

/* The names, each behind a byte that is its length; how many. */
static uint8_t unpack(struct rdl_bytes packed, struct rdl_bytes argv[RDL_MULTI_MAX])
{
    const uint8_t *at = packed.data;
    size_t left = packed.len;
    uint8_t n = 0;

    while (left > 0 && n < RDL_MULTI_MAX) {
        size_t len = at[0];

        RDL_ASSERT(len < left);
        argv[n].data = at + 1;
        argv[n].len = len;
        left -= 1 + len;
        at += 1 + len;
        n++;
    }
    return n;
}

static void multi_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                        const struct rdl_script *script, struct rdl_writer *w)
{
    struct rdl_bytes argv[RDL_MULTI_MAX + 2];
    struct rdl_script call = *script;
    char ttl[RDL_DEC_MAX];

    call.keys = unpack(q->name, argv);
    argv[call.keys] = q->value;
    argv[call.keys + 1].data = ttl;
    argv[call.keys + 1].len = rdl_dec_u32(ttl, r->ttl_ms);
    rdl_script_write(c, r, &call, argv, w);
    if (c->script == &call) /* the text is sent later, and is the same */
        c->script = script;
}

static unsigned multi_count(const struct rdl_record *r)
{
    (void)r;
    return 1;
}

static void acquire_multi_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                                struct rdl_writer *w)
{
    multi_write(c, r, q, &rdl_script_acquire_multi, w);
}

static int acquire_multi_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    return rdl_script_judge_grant(c, r);
}

static void extend_multi_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                               struct rdl_writer *w)
{
    multi_write(c, r, q, &rdl_script_extend_multi, w);
}

static void release_multi_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                                struct rdl_writer *w)
{
    multi_write(c, r, q, &rdl_script_release_multi, w);
}

static int multi_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    return rdl_script_judge(c, r);
}

static const uint8_t ladder[] = {RUNG_SCRIPT, RUNG_NONE};

const struct rdl_op rdl_op_acquire_multi = {
    ladder, MEMORY, 1, 0, acquire_multi_write, multi_count, acquire_multi_judge};
const struct rdl_op rdl_op_extend_multi = {ladder,      MEMORY,     0, 0, extend_multi_write,
                                           multi_count, multi_judge};
const struct rdl_op rdl_op_release_multi = {ladder,      RELEASE_MEMORY, 0, 1, release_multi_write,
                                            multi_count, multi_judge};
