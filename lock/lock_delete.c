/* SPDX-License-Identifier: MIT */
/*
 * lock_delete.c - release by a command of its own: DELEX (Redis 8.4), DELIFEQ (Valkey 9). A PTTL behind it
 * tells "gone" from "somebody else's".
 */
#include "lock/lock_op.h"

static int by_delete_judge(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->replies == 1) {
        if (r->verdict == RDL_ANSWER_NO && (c->reply_kind == RDL_RESP_ERROR || rdl_reply_is_int(c, -2)))
            r->verdict = RDL_ANSWER_ABSENT;
        return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNEXPECTED;
    }
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_tell(r, 0);
    return RDL_OK;
}

static const char *const delex[] = {rdl_wire_delex, rdl_wire_pttl, NULL};
const struct rdl_way rdl_way_delex = {.commands = delex, .judge = by_delete_judge};

static const char *const delifeq[] = {rdl_wire_delifeq, rdl_wire_pttl, NULL};
const struct rdl_way rdl_way_delifeq = {.commands = delifeq, .judge = by_delete_judge};
