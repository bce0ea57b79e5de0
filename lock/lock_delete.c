/* SPDX-License-Identifier: MIT */
/*
 * lock_delete.c - release by a command that compares: DELEX (Redis 8.4), DELIFEQ (Valkey 9). The PTTL after
 * it shows whether the key is gone or held by another client.
 */
#include "lock/lock_op.h"

/* Reads the reply to PTTL. If it is refused, the key may be gone or held by another client. */
static int by_delete_on_pttl_reply(const struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT && c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    if (r->verdict != RDL_ANSWER_NO)
        return RDL_OK;
    if (c->reply_kind == RDL_RESP_ERROR) {
        r->verdict = RDL_ANSWER_UNKNOWN;
        r->error = (int8_t)rdl_error_code(c->reply);
    } else if (c->reply_value == -2) {
        r->verdict = RDL_ANSWER_ABSENT;
    }
    return RDL_OK;
}

static int by_delete_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->replies == 1)
        return by_delete_on_pttl_reply(c, r);
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_complete(r, 0);
    return RDL_OK;
}

static const char *const delex[] = {rdl_wire_delex, rdl_wire_pttl, NULL};
const struct rdl_method rdl_method_delex = {.commands = delex, .on_reply = by_delete_on_reply};

static const char *const delifeq[] = {rdl_wire_delifeq, rdl_wire_pttl, NULL};
const struct rdl_method rdl_method_delifeq = {.commands = delifeq, .on_reply = by_delete_on_reply};
