/* SPDX-License-Identifier: MIT */
/*
 * net_way_script.c - extend and release by a script: compared on the server, in one step. It is not refused
 * under OOM, and no life is shortened.
 */
#include "net/net_private.h"

static void extend_by_script(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                             struct rdl_writer *w)
{
    char ttl[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {q->name, q->value, {ttl, rdl_dec_u32(ttl, r->ttl_ms)}};

    rdl_script_write(c, r, &rdl_script_extend, argv, w);
}

static void release_by_script(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                              struct rdl_writer *w)
{
    const struct rdl_bytes argv[] = {q->name, q->value};

    rdl_script_write(c, r, &rdl_script_release, argv, w);
}

const struct rdl_way rdl_way_extend_script = {extend_by_script, rdl_script_judge, &rdl_script_extend, {1}, 0};
const struct rdl_way rdl_way_release_script = {
    release_by_script, rdl_script_judge, &rdl_script_release, {1}, 0};

static const struct rdl_way *const extend[] = {&rdl_way_extend_script, NULL};
static const struct rdl_way *const release[] = {&rdl_way_release_script, NULL};

const struct rdl_ways rdl_ways_script = {{extend, release}};
