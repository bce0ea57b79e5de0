/* SPDX-License-Identifier: MIT */
/*
 * net_op_release.c - delete the key if the value is ours: DELEX (Redis 8.4), DELIFEQ (Valkey 9), EVALSHA,
 * EVAL, WATCH. Behind the first two a PTTL tells "gone" from "somebody else's".
 */
#include "net/net_private.h"

static void write_watch(const struct rdl_record *r, const struct rdl_request *q, struct rdl_writer *w)
{
    if (rdl_watch_write(r, q, w)) {
        rdl_cmd_del(w, q->name);
        rdl_cmd_exec(w);
    }
}

static int is_delete(const struct rdl_record *r)
{
    return r->rung == RUNG_DELEX || r->rung == RUNG_DELIFEQ;
}

static void release_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                          struct rdl_writer *w)
{
    struct rdl_bytes argv[2];

    argv[0] = q->name;
    argv[1] = q->value;
    if (r->rung == RUNG_WATCH)
        write_watch(r, q, w);
    else if (r->rung == RUNG_DELEX)
        rdl_cmd_delex(w, q->name, q->value);
    else if (r->rung == RUNG_DELIFEQ)
        rdl_cmd_delifeq(w, q->name, q->value);
    else
        rdl_script_write(c, r, &rdl_script_release, argv, w);
    if (is_delete(r))
        rdl_cmd_pttl(w, q->name);
}

static unsigned release_count(const struct rdl_record *r)
{
    return r->rung == RUNG_WATCH ? rdl_watch_count(r) : is_delete(r) ? 2 : 1;
}

static int judge_delete(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->replies == 1) {
        if (r->verdict == RDL_ANSWER_NO && (c->reply_kind == RDL_RESP_ERROR || rdl_reply_is_int(c, -2)))
            r->verdict = RDL_ANSWER_ABSENT;
        return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNASKED;
    }
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_tell(r, 0);
    return RDL_OK;
}

static int release_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    if (is_delete(r))
        return judge_delete(c, r);
    return r->rung == RUNG_WATCH ? rdl_watch_judge(c, r, q->value) : rdl_script_judge(c, r);
}

static const uint8_t ladder[] = {RUNG_SCRIPT, RUNG_DELEX, RUNG_DELIFEQ, RUNG_WATCH, RUNG_NONE};

const struct rdl_op rdl_op_release = {ladder, 1, 0, 1, release_write, release_count, release_judge};
const struct rdl_op rdl_op_release_once = {ladder, 1, 0, 0, release_write, release_count, release_judge};
