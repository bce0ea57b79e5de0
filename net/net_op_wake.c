/* SPDX-License-Identifier: MIT */
/*
 * net_op_wake.c - the wake hint: a release that puts an element into {name}:wake, and the wait for it.
 *
 * The list says "try now", never "it is yours". Redis serves those who wait in the order in which they came,
 * one for each element, so a release wakes one waiter and not the herd.
 */
#include "net/net_private.h"

enum {
    WAKE_TTL_MS = 1000, /* of an element nobody took: whoever waits later than that has seen the lock free */
    RELEASE_MEMORY = 4,
    WAIT_MEMORY = 3 /* with another op, which has no use for the conn or these rungs */
};

/* ---------------------------------------------------------------- telling */

static void release_wake_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                               struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    char ttl[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {
        q->name, {key, rdl_side_key(key, q->name, ":wake")}, q->value, {ttl, rdl_dec_u32(ttl, WAKE_TTL_MS)}};

    if (r->rung == RUNG_SCRIPT)
        rdl_script_write(c, r, &rdl_script_release_wake, argv, w);
    else
        rdl_op_release.write(c, r, q, w);
}

static unsigned release_wake_count(const struct rdl_record *r)
{
    return rdl_op_release.count(r);
}

static int release_wake_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    return rdl_op_release.judge(c, r, q);
}

/* Only a script can tell and delete in one; where there is none the lock is at least released. */
static const uint8_t release_ladder[] = {RUNG_SCRIPT, RUNG_DELEX, RUNG_DELIFEQ, RUNG_WATCH, RUNG_NONE};

const struct rdl_op rdl_op_release_wake = {release_ladder,     RELEASE_MEMORY,    0, 1, release_wake_write,
                                           release_wake_count, release_wake_judge};

/* ---------------------------------------------------------------- waiting */

static void wait_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                       struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    const struct rdl_bytes list = {key, rdl_side_key(key, q->name, ":wake")};

    (void)c;
    rdl_cmd_blpop(w, list, r->ttl_ms, r->rung == RUNG_WHOLE);
}

static unsigned wait_count(const struct rdl_record *r)
{
    (void)r;
    return 1;
}

static int wait_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    int rc;

    (void)q;
    if (c->reply_kind == RDL_RESP_ARRAY || c->reply_kind == RDL_RESP_NIL) {
        r->verdict = c->reply_kind == RDL_RESP_ARRAY ? RDL_ANSWER_YES : RDL_ANSWER_NO;
        return RDL_OK;
    }
    rc = rdl_reply_error(c, r);
    if (rc == RDL_OK && rdl_has_prefix(c->reply, "ERR timeout")) { /* ... is not an integer: before 6.0 */
        rdl_ladder_refuse(c, r);
        r->is_refused = 1;
    }
    if (r->verdict == RDL_ANSWER_NO) { /* the list is none: there will be no hint */
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_WRONGTYPE;
    }
    return rc;
}

static const uint8_t wait_ladder[] = {RUNG_PARTS, RUNG_WHOLE, RUNG_NONE};

const struct rdl_op rdl_op_wait = {wait_ladder, WAIT_MEMORY, 0, 0, wait_write, wait_count, wait_judge};
