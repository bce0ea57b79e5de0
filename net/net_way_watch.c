/* SPDX-License-Identifier: MIT */
/* net_way_watch.c - extend and release for servers without scripts: WATCH..EXEC (net_watch.c). */
#include "net/net_private.h"

/*
 * What lives long enough anyway is looked at again and not lengthened: the PTTL of the look may have been
 * that of another's key already, set behind our GET. EXEC answers only if nothing has changed since.
 */
static void extend_by_watch(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                            struct rdl_writer *w)
{
    (void)c;
    if (!rdl_watch_write(r, q, w))
        return;
    if (r->is_long)
        rdl_cmd_pttl(w, q->name);
    else
        rdl_cmd_pexpire(w, q->name, r->ttl_ms);
    rdl_cmd_exec(w);
}

static void release_by_watch(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_request *q,
                             struct rdl_writer *w)
{
    (void)c;
    if (!rdl_watch_write(r, q, w))
        return;
    rdl_cmd_del(w, q->name);
    rdl_cmd_exec(w);
}

static int by_watch_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    return rdl_watch_judge(c, r, q->value);
}

const struct rdl_way rdl_way_extend_watch = {extend_by_watch, by_watch_judge, NULL, {4, 2, 1}, 1};
const struct rdl_way rdl_way_release_watch = {release_by_watch, by_watch_judge, NULL, {4, 2, 1}, 1};
