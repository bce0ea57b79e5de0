/* SPDX-License-Identifier: MIT */
/*
 * net_op_fenced.c - acquire with a number that grows: lock and counter in one script, so no number is
 * given without the lock and no lock without its number. Extend sees to it that the counter is there still;
 * the same script raises the counter of one of several servers to the number that another gave, while the
 * lock is ours.
 */
#include "net/net_private.h"

/* The record's extra, the number and perhaps for how long it is kept, goes into argv[0] and argv[1]. */
static void split(struct rdl_bytes extra, struct rdl_bytes argv[2])
{
    const char *text = extra.data;
    size_t n = 0;

    while (n < extra.len && text[n] != ' ')
        n++;
    argv[0].data = text;
    argv[0].len = n;
    argv[1].data = n < extra.len ? text + n + 1 : "0";
    argv[1].len = n < extra.len ? extra.len - n - 1 : 1;
}

static void write_script(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                         const struct rdl_script *script, uint32_t ttl_ms, struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    char ttl[RDL_DEC_MAX];
    struct rdl_bytes argv[6];

    argv[0] = q->name;
    argv[1].data = key;
    argv[1].len = rdl_side_key(key, q->name, ":fence");
    argv[2] = q->value;
    argv[3].data = ttl;
    argv[3].len = rdl_dec_u32(ttl, ttl_ms);
    split(q->extra, argv + 4);
    rdl_script_write(c, r, script, argv, w);
}

static void fenced_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    write_script(c, r, q, &rdl_script_acquire, r->ttl_ms, w);
}

static void extend_fenced_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                                struct rdl_writer *w)
{
    write_script(c, r, q, &rdl_script_extend_fenced, r->ttl_ms, w);
}

static void raise_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                        struct rdl_writer *w)
{
    write_script(c, r, q, &rdl_script_extend_fenced, 0, w);
}

static const struct rdl_way fenced_way = {fenced_write, rdl_script_judge_grant, &rdl_script_acquire, {1}, 0};
static const struct rdl_way *const fenced[] = {&fenced_way, NULL};
static const struct rdl_way extend_way = {
    extend_fenced_write, rdl_script_judge, &rdl_script_extend_fenced, {1}, 0};
static const struct rdl_way *const extend[] = {&extend_way, NULL};
static const struct rdl_way raise_way = {raise_write, rdl_script_judge, &rdl_script_extend_fenced, {1}, 0};
static const struct rdl_way *const raise[] = {&raise_way, NULL};

const struct rdl_op rdl_op_acquire_fenced = {fenced, NULL, FAMILY_FENCED, 1, OWED_NOT};
const struct rdl_op rdl_op_extend_fenced = {extend, NULL, FAMILY_HOLD, 0, OWED_NOT};
const struct rdl_op rdl_op_raise_fence = {raise, NULL, FAMILY_HOLD, 0, OWED_NOT};
