/* SPDX-License-Identifier: MIT */
/* net_op_multi.c - several locks as one: a script takes, extends, releases all of them. */
#include "net/net_private.h"

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

static void multi_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
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

static void acquire_multi_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                                struct rdl_writer *w)
{
    multi_write(c, r, q, &rdl_script_acquire_multi, w);
}

static void extend_multi_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                               struct rdl_writer *w)
{
    multi_write(c, r, q, &rdl_script_extend_multi, w);
}

static void release_multi_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                                struct rdl_writer *w)
{
    multi_write(c, r, q, &rdl_script_release_multi, w);
}

static const struct rdl_way acquire_way = {
    acquire_multi_write, rdl_script_judge_grant, &rdl_script_acquire_multi, {1}, 0};
static const struct rdl_way *const acquire[] = {&acquire_way, NULL};
static const struct rdl_way extend_way = {
    extend_multi_write, rdl_script_judge, &rdl_script_extend_multi, {1}, 0};
static const struct rdl_way *const extend[] = {&extend_way, NULL};
static const struct rdl_way release_way = {
    release_multi_write, rdl_script_judge, &rdl_script_release_multi, {1}, 0};
static const struct rdl_way *const release[] = {&release_way, NULL};

const struct rdl_op rdl_op_acquire_multi = {acquire, NULL, FAMILY_MULTI, 1, OWED_NOT};
const struct rdl_op rdl_op_extend_multi = {extend, NULL, FAMILY_MULTI, 0, OWED_NOT};
const struct rdl_op rdl_op_release_multi = {release, NULL, FAMILY_RELEASE_MULTI, 0, OWED_ALWAYS};
