/* SPDX-License-Identifier: MIT */
/*
 * net_reply.c - what the replies to a request mean.
 *
 * Each reply adds to the record's verdict. When the last of a round is in, the record is answered, or has
 * a second round, or goes the next way: the server said that it does not take this one.
 */
#include <string.h>

#include "net/net_private.h"

void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value)
{
    if (req == NULL)
        return;
    req->value = value;
    req->error = (int16_t)error;
    req->answer = (uint8_t)answer;
    req->is_queued = 0;
}

/* The verdict is certain: who waits need not wait for the replies that only have to be counted off. */
static void tell(struct rdl_record *r, int64_t value)
{
    int error = r->verdict == RDL_ANSWER_ERROR ? r->error : RDL_OK; /* not that of a way that was left */

    rdl_req_answer(r->req, (enum rdl_answer)r->verdict, error, value);
    r->req = NULL;
}

static int is_int(const struct rdl_conn *c, int64_t value)
{
    return c->reply_kind == RDL_RESP_INT && c->reply_value == value;
}

static int is_ok(const struct rdl_conn *c)
{
    return c->reply_kind == RDL_RESP_STATUS && c->reply_len == 2 && rdl_has_prefix(c->reply, "OK");
}

/* An error reply: does this server not take this way at all, or is it a refusal as such? */
static int judge_error(struct rdl_conn *c, struct rdl_record *r)
{
    int code = rdl_error_code(c->reply);
    int is_noscript = rdl_has_prefix(c->reply, "NOSCRIPT");

    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNASKED;
    if (r->is_refused) /* said before */
        return RDL_OK;
    if (code == RDL_E_WRONGTYPE && r->op != RDL_OP_ACQUIRE) {
        r->verdict = RDL_ANSWER_NO; /* the key was replaced by something that is no lock */
        return RDL_OK;
    }
    rdl_conn_say(c, c->reply);
    r->verdict = RDL_ANSWER_ERROR;
    r->error = (int8_t)code;
    if (code == RDL_E_READONLY) { /* a replica stays one as long as we stay connected to it */
        tell(r, 0);
        return code;
    }
    if (r->op != RDL_OP_ACQUIRE && (is_noscript || code == RDL_E_UNSUPPORTED || code == RDL_E_PERM)) {
        rdl_ladder_refuse(c, r, is_noscript);
        r->is_refused = 1;
    }
    return RDL_OK;
}

static int judge_set(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->replies == 1) { /* the PTTL, of use after a refusal */
        if (r->verdict == RDL_ANSWER_NO)
            tell(r, c->reply_kind == RDL_RESP_INT ? c->reply_value : -2);
        return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNASKED;
    }
    if (r->req != NULL)
        c->reserved -= rdl_record_size(r);
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_NO;
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_STATUS) {
        int rc = judge_error(c, r);
        if (rc == RDL_OK)
            tell(r, 0);
        return rc;
    }
    if (!is_ok(c)) /* QUEUED, say: that grants nothing */
        return RDL_E_UNASKED;
    r->verdict = RDL_ANSWER_YES;
    tell(r, 0);
    return RDL_OK;
}

/* DELEX, DELIFEQ: 0 is "gone" or "somebody else's"; the PTTL behind it tells. */
static int judge_delete(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->replies == 1) {
        if (r->verdict == RDL_ANSWER_NO && (c->reply_kind == RDL_RESP_ERROR || is_int(c, -2)))
            r->verdict = RDL_ANSWER_ABSENT;
        return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNASKED;
    }
    if (c->reply_kind != RDL_RESP_INT)
        return judge_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        tell(r, 0);
    return RDL_OK;
}

static int judge_script(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT)
        return judge_error(c, r);
    r->verdict = c->reply_value == 1   ? RDL_ANSWER_YES
                 : c->reply_value == 0 ? RDL_ANSWER_NO
                                       : RDL_ANSWER_ABSENT;
    return c->reply_value >= -1 && c->reply_value <= 1 ? RDL_OK : RDL_E_UNASKED;
}

/* Does the key live for the ttl anyway? Also -1: for ever, which we do not leave so. */
static int lives_long(const struct rdl_conn *c, const struct rdl_record *r)
{
    return c->reply_kind == RDL_RESP_INT && c->reply_value >= (int64_t)r->ttl_ms;
}

static int judge_ifeq(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->round == ROUND_LOOK) {
        if (c->reply_kind != RDL_RESP_INT)
            return judge_error(c, r);
        r->verdict = is_int(c, -2) ? RDL_ANSWER_ABSENT : RDL_ANSWER_NONE;
        r->is_long = lives_long(c, r) ? 1 : 0;
        return RDL_OK;
    }
    if (!is_ok(c) && c->reply_kind != RDL_RESP_NIL)
        return judge_error(c, r);
    r->verdict = c->reply_kind == RDL_RESP_STATUS ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

static int is_our_token(const struct rdl_conn *c, const struct rdl_record *r)
{
    char token[2 * RDL_TOKEN_LEN];

    rdl_token_hex(token, r->token);
    return c->reply_len == sizeof token && memcmp(c->reply, token, sizeof token) == 0;
}

/* WATCH, GET, PTTL, MULTI. No verdict in the end: ours, and the next round acts. */
static int judge_look(struct rdl_conn *c, struct rdl_record *r)
{
    enum { WATCH, GET, PTTL, MULTI };

    if (c->reply_kind == RDL_RESP_ERROR)
        return judge_error(c, r);
    if (r->replies == WATCH || r->replies == MULTI) {
        r->in_multi = r->replies == MULTI ? 1 : 0;
        return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNASKED;
    }
    if (r->replies == GET) {
        if (c->reply_kind == RDL_RESP_NIL)
            r->verdict = RDL_ANSWER_ABSENT;
        else if (c->reply_kind == RDL_RESP_BULK && !is_our_token(c, r))
            r->verdict = RDL_ANSWER_NO;
        return c->reply_kind == RDL_RESP_BULK || c->reply_kind == RDL_RESP_NIL ? RDL_OK : RDL_E_UNASKED;
    }
    if (r->verdict == RDL_ANSWER_NONE && r->op == RDL_OP_EXTEND && lives_long(c, r))
        r->verdict = RDL_ANSWER_YES;
    return c->reply_kind == RDL_RESP_INT ? RDL_OK : RDL_E_UNASKED;
}

/* DEL or PEXPIRE, EXEC. A nil EXEC: the key changed since we looked, so look again. */
static int judge_act(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_ERROR)
        return r->verdict == RDL_ANSWER_ERROR ? RDL_OK : judge_error(c, r);
    if (r->replies == 0)
        return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNASKED;
    if (c->reply_kind == RDL_RESP_ARRAY && r->verdict == RDL_ANSWER_NONE) {
        r->verdict = c->reply_value == 1   ? RDL_ANSWER_YES
                     : c->reply_value == 0 ? RDL_ANSWER_ABSENT
                                           : RDL_ANSWER_ERROR;
        r->error = r->verdict == RDL_ANSWER_ERROR ? RDL_E_SERVER : RDL_OK;
    }
    return c->reply_kind == RDL_RESP_ARRAY || c->reply_kind == RDL_RESP_NIL ? RDL_OK : RDL_E_UNASKED;
}

static int judge_watch(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->round == ROUND_LOOK)
        return judge_look(c, r);
    if (r->round == ROUND_ACT)
        return judge_act(c, r);
    return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNASKED;
}

static int judge(struct rdl_conn *c, struct rdl_record *r)
{
    switch ((enum rdl_rung)r->rung) {
    case RUNG_SET:
        return judge_set(c, r);
    case RUNG_DELEX:
    case RUNG_DELIFEQ:
        return judge_delete(c, r);
    case RUNG_SHA:
    case RUNG_EVAL:
        return judge_script(c, r);
    case RUNG_IFEQ:
        return judge_ifeq(c, r);
    case RUNG_WATCH:
        return judge_watch(c, r);
    case RUNG_NONE:
        break;
    }
    return RDL_E_UNASKED;
}

/* Once more from the start: the next way, or the same one after the key changed under it. */
static void start_over(struct rdl_conn *c, struct rdl_record *r)
{
    rdl_record_restart(r);
    rdl_record_store(c, c->head, r);
    rdl_queue_repeat_head(c);
}

/* The round that follows, ROUND_LOOK for none. Nothing was sent behind an exclusive rung, so it is next. */
static uint8_t next_round(const struct rdl_record *r)
{
    int is_open = r->verdict == RDL_ANSWER_NONE && !r->is_refused;

    if (r->round != ROUND_LOOK || !rdl_rung_is_exclusive(r->rung))
        return ROUND_LOOK;
    if (is_open)
        return ROUND_ACT;
    return r->in_multi ? ROUND_DISCARD : ROUND_LOOK;
}

static void end_round(struct rdl_conn *c, struct rdl_record *r)
{
    uint8_t next = next_round(r);

    if (next != ROUND_LOOK) {
        r->round = next;
        r->replies = 0;
        rdl_record_store(c, c->head, r);
        c->draw = c->head;
    } else if (r->verdict == RDL_ANSWER_NONE || (r->is_refused && rdl_ladder_choose(c, r) != RUNG_NONE)) {
        start_over(c, r);
    } else {
        if (r->op != RDL_OP_ACQUIRE && r->verdict != RDL_ANSWER_ERROR)
            rdl_ladder_worked(c, r);
        rdl_queue_remove(c, c->head);
        tell(r, 0);
    }
}

int rdl_request_reply(struct rdl_conn *c)
{
    struct rdl_record r;
    int rc;

    if (c->head == c->draw)
        return rdl_unasked_reply(c);
    rdl_record_load(c, c->head, &r);
    rc = judge(c, &r);
    r.replies++;
    rdl_record_store(c, c->head, &r);
    if (rc == RDL_E_READONLY) /* the connection ends, and so does what it refused */
        rdl_queue_remove(c, c->head);
    else if (rc == RDL_OK && r.replies == rdl_request_replies(&r))
        end_round(c, &r);
    return rc;
}
