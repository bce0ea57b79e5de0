/* SPDX-License-Identifier: MIT */
/*
 * net_op_wake.c - the wake hint: a release that puts an element into {name}:wake, and the wait for it.
 *
 * The list says "try now", never "it is yours". Redis serves those who wait in the order in which they came,
 * one for each element, so a release wakes one waiter and not the herd.
 */
#include "net/net_private.h"

enum {
    WAKE_TTL_MS = 1000
}; /* of an element nobody took: whoever waits later than that has seen the lock free */

/* ---------------------------------------------------------------- telling */

static void release_wake_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                               struct rdl_writer *w)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    char ttl[RDL_DEC_MAX];
    const struct rdl_bytes argv[] = {
        q->name, {key, rdl_side_key(key, q->name, ":wake")}, q->value, {ttl, rdl_dec_u32(ttl, WAKE_TTL_MS)}};

    rdl_script_write(c, r, &rdl_script_release_wake, argv, w);
}

static const struct rdl_way release_way = {
    release_wake_write, rdl_script_judge, &rdl_script_release_wake, {1}, 0};
static const struct rdl_way *const release[] = {&release_way, NULL};

/* Only a script can tell and delete in one; where it is refused the lock is at least released. */
const struct rdl_op rdl_op_release_wake = {release, &rdl_op_release, FAMILY_WAKE, 0, OWED_ALWAYS};

/* ---------------------------------------------------------------- waiting */

static void wait_write(const struct rdl_record *r, const struct rdl_request *q, struct rdl_writer *w,
                       int is_whole)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    const struct rdl_bytes list = {key, rdl_side_key(key, q->name, ":wake")};

    rdl_cmd_blpop(w, list, r->ttl_ms, is_whole);
}

static void parts_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                        struct rdl_writer *w)
{
    (void)c;
    wait_write(r, q, w, 0);
}

static void whole_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                        struct rdl_writer *w)
{
    (void)c;
    wait_write(r, q, w, 1);
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
        rdl_way_refuse(c, r);
        r->is_refused = 1;
    }
    if (r->verdict == RDL_ANSWER_NO) { /* the list is none: there will be no hint */
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_WRONGTYPE;
    }
    return rc;
}

/* The timeout in parts of a second; in whole ones. */
static const struct rdl_way parts_way = {parts_write, wait_judge, NULL, {1}, 0};
static const struct rdl_way whole_way = {whole_write, wait_judge, NULL, {1}, 0};
static const struct rdl_way *const wait[] = {&parts_way, &whole_way, NULL};

const struct rdl_op rdl_op_wait = {wait, NULL, FAMILY_WAIT, 0, OWED_NOT};
