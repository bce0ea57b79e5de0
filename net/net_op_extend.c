/* SPDX-License-Identifier: MIT */
/*
 * net_op_extend.c - live at least ttl from now on, if the value is ours: EVALSHA, EVAL, WATCH, SET IFEQ PX.
 *
 * EVAL comes first: it is not refused under OOM, SET is. No way shortens a life; those that cannot compare
 * on the server look at the PTTL before they act. Between the look and SET IFEQ another connection may have
 * made it longer: what a dead process had sent, or we on a connection that is gone, would cut it short again
 * when it arrives late. EXEC fails then. So SET IFEQ comes last, for who may not WATCH.
 */
#include "net/net_private.h"

static void write_script(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    char ttl[RDL_DEC_MAX];
    struct rdl_bytes argv[3];

    argv[0] = q->name;
    argv[1] = q->value;
    argv[2].data = ttl;
    argv[2].len = rdl_dec_u32(ttl, r->ttl_ms);
    rdl_script_write(c, r, &rdl_script_extend, argv, w);
}

static void write_ifeq(const struct rdl_record *r, const struct rdl_request *q, struct rdl_writer *w)
{
    if (r->round == ROUND_LOOK)
        rdl_cmd_pttl(w, q->name);
    else
        rdl_cmd_set_ifeq(w, q->name, q->value, r->is_long ? 0 : r->ttl_ms);
}

/*
 * What lives long enough anyway is looked at again and not lengthened: the PTTL of the look may have been
 * that of another's key already, set behind our GET. EXEC answers only if nothing has changed since.
 */
static void write_watch(const struct rdl_record *r, const struct rdl_request *q, struct rdl_writer *w)
{
    if (!rdl_watch_write(r, q, w))
        return;
    if (r->is_long)
        rdl_cmd_pttl(w, q->name);
    else
        rdl_cmd_pexpire(w, q->name, r->ttl_ms);
    rdl_cmd_exec(w);
}

static void extend_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    if (r->rung == RUNG_IFEQ)
        write_ifeq(r, q, w);
    else if (r->rung == RUNG_WATCH)
        write_watch(r, q, w);
    else
        write_script(c, r, q, w);
}

static unsigned extend_count(const struct rdl_record *r)
{
    return r->rung == RUNG_WATCH ? rdl_watch_count(r) : 1;
}

static int judge_ifeq(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->round == ROUND_LOOK) {
        if (c->reply_kind != RDL_RESP_INT)
            return rdl_reply_error(c, r);
        r->is_long = rdl_lives_long(c, r) ? 1 : 0;
        if (rdl_reply_is_int(c, -2))
            r->verdict = RDL_ANSWER_ABSENT;
        return RDL_OK;
    }
    if (!rdl_reply_is_ok(c) && c->reply_kind != RDL_RESP_NIL)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_kind != RDL_RESP_NIL ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

static int extend_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    if (r->rung == RUNG_IFEQ)
        return judge_ifeq(c, r);
    return r->rung == RUNG_WATCH ? rdl_watch_judge(c, r, q->value) : rdl_script_judge(c, r);
}

static const uint8_t ladder[] = {RUNG_SHA, RUNG_EVAL, RUNG_WATCH, RUNG_IFEQ, RUNG_NONE};

const struct rdl_op rdl_op_extend = {ladder, 0, 0, 0, extend_write, extend_count, extend_judge};
