/* SPDX-License-Identifier: MIT */
/* net_op_legacy.c - what the old SETNX/GETSET protocol asks of a server. */
#include <string.h>

#include "net/net_private.h"

static const uint8_t direct[] = {RUNG_DIRECT};

static unsigned one_reply(const struct rdl_record *r)
{
    (void)r;
    return 1;
}

/* The value in the way, for the lock to judge. */
static void keep_text(const struct rdl_conn *c, struct rdl_record *r)
{
    size_t n = c->reply_len < RDL_PEER_MAX ? c->reply_len : RDL_PEER_MAX;

    if (r->req == NULL || r->req->text == NULL)
        return;
    memcpy(r->req->text, c->reply, n);
    r->req->text_len = (uint8_t)n;
}

/* ---------------------------------------------------------------- TIME */

static void time_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                       struct rdl_writer *w)
{
    (void)c;
    (void)r;
    (void)q;
    rdl_cmd_time(w);
}

static int time_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || c->reply_value < 0 || c->reply_second < 0 || c->reply_second > 999999)
        return RDL_E_UNASKED;
    r->verdict = RDL_ANSWER_YES;
    rdl_record_tell(r, (int64_t)((uint64_t)c->reply_value << 10 | (uint32_t)c->reply_second / 1000u));
    return RDL_OK;
}

const struct rdl_op rdl_op_time = {direct, 0, 0, 0, time_write, one_reply, time_judge};

/* ---------------------------------------------------------------- SETNX, PTTL, GET */

static void setnx_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                        struct rdl_writer *w)
{
    (void)c;
    (void)r;
    rdl_cmd_setnx(w, q->name, q->value);
    rdl_cmd_pttl(w, q->name);
    rdl_cmd_get(w, q->name);
}

static unsigned setnx_count(const struct rdl_record *r)
{
    (void)r;
    return 3;
}

/* How long the key in the way lives; unknown before 2.6. */
static void setnx_judge_pttl(const struct rdl_conn *c, const struct rdl_record *r)
{
    if (r->req != NULL)
        r->req->value = c->reply_kind == RDL_RESP_INT ? c->reply_value : -1;
}

/* The last: whoever waits knows all then. */
static int setnx_judge_get(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = RDL_OK;

    if (r->verdict != RDL_ANSWER_NO)
        return RDL_OK;
    if (c->reply_kind == RDL_RESP_NIL)
        r->verdict = RDL_ANSWER_ABSENT;
    else if (c->reply_kind == RDL_RESP_BULK)
        keep_text(c, r);
    else
        rc = rdl_reply_error(c, r);
    if (rc == RDL_OK)
        rdl_record_tell(r, r->req != NULL ? r->req->value : 0);
    return rc;
}

static int setnx_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    enum { SETNX, PTTL, GET };

    (void)q;
    if (r->replies == PTTL) {
        setnx_judge_pttl(c, r);
        return RDL_OK;
    }
    if (r->replies == GET)
        return setnx_judge_get(c, r);
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_tell(r, 0);
    return RDL_OK;
}

const struct rdl_op rdl_op_setnx = {direct, 0, 1, 0, setnx_write, setnx_count, setnx_judge};

/* ---------------------------------------------------------------- compare and set */

static void replace_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                          struct rdl_writer *w)
{
    const struct rdl_bytes argv[] = {q->name, q->extra, q->value};

    if (r->rung != RUNG_WATCH) {
        rdl_script_write(c, r, &rdl_script_replace, argv, w);
    } else if (rdl_watch_write(r, q, w)) {
        rdl_cmd_set(w, q->name, q->value);
        rdl_cmd_exec(w);
    }
}

static unsigned replace_count(const struct rdl_record *r)
{
    return r->rung == RUNG_WATCH ? rdl_watch_count(r) : 1;
}

static int replace_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    return r->rung == RUNG_WATCH ? rdl_watch_judge(c, r, q->extra) : rdl_script_judge(c, r);
}

static const uint8_t replace_ladder[] = {RUNG_SCRIPT, RUNG_WATCH, RUNG_NONE};

const struct rdl_op rdl_op_replace = {replace_ladder, 3, 1, 0, replace_write, replace_count, replace_judge};

/* ---------------------------------------------------------------- GET */

static void found_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                        struct rdl_writer *w)
{
    (void)c;
    (void)r;
    rdl_cmd_get(w, q->name);
}

static int found_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind == RDL_RESP_NIL)
        r->verdict = RDL_ANSWER_ABSENT;
    else if (c->reply_kind == RDL_RESP_BULK)
        r->verdict = RDL_ANSWER_YES;
    else
        return rdl_reply_error(c, r);
    if (r->verdict == RDL_ANSWER_YES)
        keep_text(c, r);
    return RDL_OK;
}

const struct rdl_op rdl_op_found = {direct, 0, 0, 0, found_write, one_reply, found_judge};

/* ---------------------------------------------------------------- GETSET, DEL: where nothing compares */

static void getset_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    (void)c;
    (void)r;
    rdl_cmd_getset(w, q->name, q->value);
}

static int getset_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_YES;
    } else if (c->reply_kind == RDL_RESP_BULK) {
        r->verdict = RDL_ANSWER_NO;
        keep_text(c, r);
    } else {
        return rdl_reply_error(c, r);
    }
    return RDL_OK;
}

const struct rdl_op rdl_op_getset = {direct, 0, 1, 0, getset_write, one_reply, getset_judge};

static void delete_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    (void)c;
    (void)r;
    rdl_cmd_del(w, q->name);
}

static int delete_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_ABSENT;
    return RDL_OK;
}

const struct rdl_op rdl_op_delete = {direct, 0, 0, 0, delete_write, one_reply, delete_judge};
