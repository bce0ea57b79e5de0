/* SPDX-License-Identifier: MIT */
/*
 * lock_script.c - extend and release by script: the server compares and changes in one step. It works when
 * the server is out of memory, and never shortens a lease.
 */
#include "lock/lock_op.h"

int rdl_script_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    if (c->reply_value == 1)
        r->verdict = RDL_ANSWER_YES;
    else
        r->verdict = c->reply_value == 0 ? RDL_ANSWER_NO : RDL_ANSWER_ABSENT;
    return c->reply_value >= -1 && c->reply_value <= 1 ? RDL_OK : RDL_E_UNEXPECTED;
}

int rdl_script_on_grant_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || c->reply_value < 0 || c->reply_value > 1)
        return RDL_E_UNEXPECTED;
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    rdl_record_complete(r, c->reply_second);
    return RDL_OK;
}

static const char *const extend_call[] = {rdl_wire_call_extend, NULL};
const struct rdl_method rdl_method_extend_script = {
    .commands = extend_call, .on_reply = rdl_script_on_reply, .script = &rdl_script_extend};

static const char *const release_script_call[] = {rdl_wire_call_release, NULL};
const struct rdl_method rdl_method_release_script = {
    .commands = release_script_call, .on_reply = rdl_script_on_reply, .script = &rdl_script_release};

static const struct rdl_method *const extend_script[] = {&rdl_method_extend_script, NULL};
static const struct rdl_method *const release_script[] = {&rdl_method_release_script, NULL};

const struct rdl_methods rdl_methods_script = {{extend_script, release_script}};
