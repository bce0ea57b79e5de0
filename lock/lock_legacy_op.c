/* SPDX-License-Identifier: MIT */
/* lock_legacy_op.c - the operations of the old SETNX/GETSET protocol. */
#include "lock/lock_legacy.h"

#include "lock/lock_op.h"
#include "resp/resp_bytes.h"

/* Compiles only if a conn keeps that much of a reply. */
RDL_STATIC_ASSERT((int)RDL_PEER_MAX < (int)RDL_TEXT_MAX, replies_have_room);

/* ---------------------------------------------------------------- values */

uint32_t rdl_legacy_seconds(const char *text, size_t len)
{
    uint32_t s = 0;
    size_t i;

    if (len >= RDL_PEER_MAX)
        return 0;
    for (i = 0; i < len && rdl_is_digit(text[i]); i++) {
        if (i >= RDL_DEC_MAX - 1 && s > (UINT32_MAX - 9) / 10)
            return 0;
        s = s * 10 + (uint32_t)(text[i] - '0');
    }
    if (i == 0 || (i < len && text[i] != '.'))
        return 0;
    for (i++; i < len; i++) {
        if (!rdl_is_digit(text[i]))
            return 0;
    }
    return s;
}

/* ---------------------------------------------------------------- TIME */

/* Reads the reply to TIME. If it is not a time, only this request fails, not the connection. */
static int time_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int is_time = c->reply_value >= 0 && c->reply_second >= 0 && c->reply_second <= 999999;

    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2)
        return RDL_E_UNEXPECTED;
    r->verdict = is_time ? RDL_ANSWER_YES : RDL_ANSWER_ERROR;
    r->error = RDL_E_UNEXPECTED;
    rdl_record_complete(r, (int64_t)((uint64_t)c->reply_value << 10 | (uint32_t)c->reply_second / 1000u));
    return RDL_OK;
}

static const struct rdl_method clock = {
    .commands = RDL_COMMANDS(rdl_wire_time), .on_reply = time_on_reply, .take = rdl_take_numbers};
const struct rdl_op rdl_op_time = {.methods = RDL_METHOD(&clock)};

/* ---------------------------------------------------------------- SETNX, PTTL, GET */

/* Reads the last reply: the request is complete then. */
static int setnx_on_get_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = RDL_OK;

    if (r->verdict != RDL_ANSWER_NO)
        return RDL_OK;
    if (c->reply_kind == RDL_RESP_NIL)
        r->verdict = RDL_ANSWER_ABSENT;
    else if (c->reply_kind == RDL_RESP_BULK)
        rdl_record_copy_text(c, r, RDL_PEER_MAX);
    else
        rc = rdl_reply_error(c, r);
    if (rc == RDL_OK)
        rdl_record_complete(r, r->req != NULL ? r->req->value : 0);
    return rc;
}

static int setnx_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    enum { OF_SETNX, OF_PTTL, OF_GET };

    if (r->replies == OF_PTTL) { /* how long the key lives that refused SETNX; unknown before 2.6 */
        if (r->req != NULL)
            r->req->value = c->reply_kind == RDL_RESP_INT ? c->reply_value : -1;
        return RDL_OK;
    }
    if (r->replies == OF_GET)
        return setnx_on_get_reply(c, r);
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_complete(r, 0);
    return RDL_OK;
}

static const struct rdl_method setnx = {.commands = RDL_COMMANDS(rdl_wire_setnx, rdl_wire_pttl, rdl_wire_get),
                                        .on_reply = setnx_on_reply};
const struct rdl_op rdl_op_setnx = {.methods = RDL_METHOD(&setnx), .may_grant = 1};

/* ---------------------------------------------------------------- compare and set */

static int replace_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    struct rdl_bytes own[RDL_TEXTS];

    rdl_record_texts(r, own);
    return rdl_watch_on_reply(c, r, rdl_reply_is_text(c, own[RDL_LETTER_X]));
}

static const struct rdl_method script_method = {.commands = RDL_COMMANDS(rdl_wire_call_replace),
                                                .on_reply = rdl_script_on_reply,
                                                .script = &rdl_script_replace};
static const char *const set_commands[] = RDL_WATCH_COMMANDS(rdl_wire_set, rdl_wire_set);
static const struct rdl_method watch_method = {.commands = set_commands,
                                               .next_phase = rdl_watch_next,
                                               .on_reply = replace_on_reply,
                                               .take = rdl_take_numbers};
static const struct rdl_method *const replace[] = {&script_method, &watch_method, NULL};
RDL_METHODS_FIT(replace);

const struct rdl_op rdl_op_replace = {.methods = replace, .family = RDL_FAMILY_REPLACE, .may_grant = 1};

/* ---------------------------------------------------------------- GET */

static int found_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_NIL)
        r->verdict = RDL_ANSWER_ABSENT;
    else if (c->reply_kind == RDL_RESP_BULK)
        r->verdict = RDL_ANSWER_YES;
    else
        return rdl_reply_error(c, r);
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_copy_text(c, r, RDL_PEER_MAX);
    return RDL_OK;
}

static const struct rdl_method look_found = {.commands = RDL_COMMANDS(rdl_wire_get),
                                             .on_reply = found_on_reply};
const struct rdl_op rdl_op_found = {.methods = RDL_METHOD(&look_found)};

/* ---------------------------------------------------------------- GETSET, DEL: without a comparison */

static int getset_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_YES;
    } else if (c->reply_kind == RDL_RESP_BULK) {
        r->verdict = RDL_ANSWER_NO;
        rdl_record_copy_text(c, r, RDL_PEER_MAX);
    } else {
        return rdl_reply_error(c, r);
    }
    return RDL_OK;
}

static const struct rdl_method getset = {.commands = RDL_COMMANDS(rdl_wire_getset),
                                         .on_reply = getset_on_reply};
const struct rdl_op rdl_op_getset = {.methods = RDL_METHOD(&getset), .may_grant = 1};

static int delete_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_ABSENT;
    return RDL_OK;
}

static const struct rdl_method del = {.commands = RDL_COMMANDS(rdl_wire_del), .on_reply = delete_on_reply};
const struct rdl_op rdl_op_delete = {.methods = RDL_METHOD(&del)};

/* ---------------------------------------------------------------- a release that is never pending */

const struct rdl_op rdl_op_release_once = {.family = RDL_FAMILY_RELEASE};
