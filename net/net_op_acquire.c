/* SPDX-License-Identifier: MIT */
/* net_op_acquire.c - SET NX PX; the PTTL behind it tells how long a holder has left, with no extra trip. */
#include "net/net_private.h"

static int judge_pttl(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->verdict == RDL_ANSWER_NO)
        rdl_record_tell(r, c->reply_kind == RDL_RESP_INT ? c->reply_value : -2);
    return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNASKED;
}

static int acquire_judge(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = RDL_OK;

    if (r->replies == 1)
        return judge_pttl(c, r);
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_NO;
        return RDL_OK;
    }
    if (rdl_reply_is_ok(c)) /* QUEUED, say, grants nothing */
        r->verdict = RDL_ANSWER_YES;
    else
        rc = rdl_reply_error(c, r);
    if (rc == RDL_OK)
        rdl_record_tell(r, 0);
    return rc;
}

static const char *const commands[] = {rdl_wire_set_nx_px, rdl_wire_pttl, NULL};
static const struct rdl_way way = {.commands = commands, .judge = acquire_judge};
static const struct rdl_way *const ways[] = {&way, NULL};

const struct rdl_op rdl_op_acquire = {ways, NULL, FAMILY_DIRECT, 1, OWED_NOT};
