/* SPDX-License-Identifier: MIT */
/*
 * lock_op.c - the operations of a plain lock.
 *
 * SET NX PX acquires. The PTTL after it reports how long the holder has left, without another round trip.
 * Extend and release use the methods that the conn's configuration names.
 */
#include "lock/lock_op.h"
#include "resp/resp_bytes.h"

static int on_pttl_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->verdict == RDL_ANSWER_NO)
        rdl_record_complete(r, c->reply_kind == RDL_RESP_INT ? c->reply_value : -2);
    return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNEXPECTED;
}

static int acquire_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = RDL_OK;

    if (r->replies == 1)
        return on_pttl_reply(c, r);
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_NO;
        return RDL_OK;
    }
    if (rdl_reply_is_ok(c)) /* "QUEUED", for example, grants nothing */
        r->verdict = RDL_ANSWER_YES;
    else
        rc = rdl_reply_error(c, r);
    if (rc == RDL_OK)
        rdl_record_complete(r, 0);
    return rc;
}

static const char *const acquire_commands[] = {rdl_wire_set_nx_px, rdl_wire_pttl, NULL};
static const struct rdl_method acquire_method = {.commands = acquire_commands, .on_reply = acquire_on_reply};
static const struct rdl_method *const acquire_methods[] = {&acquire_method, NULL};

const struct rdl_op rdl_op_acquire = {acquire_methods, NULL, RDL_FAMILY_DIRECT, 1, RDL_SEND_IF_AWAITED, 0};
const struct rdl_op rdl_op_extend = {
    NULL, NULL, RDL_FAMILY_EXTEND, 0, RDL_SEND_IF_AWAITED, RDL_FAMILY_EXTEND};
const struct rdl_op rdl_op_release = {NULL, NULL, RDL_FAMILY_RELEASE, 0, RDL_SEND_ALWAYS, RDL_FAMILY_RELEASE};
const struct rdl_op rdl_op_release_strict = {NULL, NULL, RDL_FAMILY_RELEASE, 0, RDL_SEND_ALWAYS, 0};

const struct rdl_op *const rdl_plain_ops[] = {&rdl_op_acquire, &rdl_op_extend, &rdl_op_release};

/* ---------------------------------------------------------------- the keys next to a lock's */

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

size_t rdl_side_key(char *out, struct rdl_bytes name, const char *suffix)
{
    int is_tagged = has_brace(name);
    size_t n = 0;

    if (!is_tagged)
        out[n++] = '{';
    rdl_copy(out + n, name.data, name.len);
    n += name.len;
    if (!is_tagged)
        out[n++] = '}';
    while (*suffix != '\0')
        out[n++] = *suffix++;
    return n;
}
