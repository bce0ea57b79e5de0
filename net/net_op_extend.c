/* SPDX-License-Identifier: MIT */
/*
 * net_op_extend.c - live at least ttl from now on, if the value is ours: EVALSHA, EVAL, WATCH.
 *
 * EVAL comes first: it is not refused under OOM. No way shortens a life: a script compares on the server, and
 * WATCH looks at the PTTL before it acts, and EXEC fails if the key has changed since.
 */
#include "net/net_private.h"

static void write_script(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
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

static void extend_write(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q,
                         struct rdl_writer *w)
{
    if (r->rung == RUNG_WATCH)
        write_watch(r, q, w);
    else
        write_script(c, r, q, w);
}

static unsigned extend_count(const struct rdl_record *r)
{
    return r->rung == RUNG_WATCH ? rdl_watch_count(r) : 1;
}

static int extend_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    return r->rung == RUNG_WATCH ? rdl_watch_judge(c, r, q->value) : rdl_script_judge(c, r);
}

static const uint8_t ladder[] = {RUNG_SCRIPT, RUNG_WATCH, RUNG_NONE};

const struct rdl_op rdl_op_extend = {ladder, 0, 0, 0, extend_write, extend_count, extend_judge};
