/* SPDX-License-Identifier: MIT */
/*
 * net_way.c - which of the ways to put a request this server takes, and which scripts it has.
 *
 * The server's answer tells, never its version; what it refused is remembered for the life of the connection
 * and forgotten with it. Ways are tried in order and replies come in order, so what is refused is always the
 * first way that was not refused before: to remember how many were is enough. How many a request has passed
 * over that were refused to it alone, because of its key, is in its record.
 */
#include "net/net_private.h"

/* rdl_conn.refused: how many of the ways were, and whether the last of them was by want of permission. */
enum { FORBIDDEN = 0x80, COUNT = 0x7f };

const struct rdl_way *rdl_way_of(const struct rdl_conn *c, const struct rdl_record *r)
{
    const struct rdl_way *const *ways = r->op->ways;

    if (ways == NULL)
        ways = c->cfg->ways->of[r->op->family - 1];
    return ways[r->way];
}

const struct rdl_way *rdl_way_choose(const struct rdl_conn *c, struct rdl_record *r)
{
    const struct rdl_way *way;

    for (;;) {
        uint8_t n = c->refused[r->op->family] & COUNT;
        if (r->way < n)
            r->way = n;
        way = rdl_way_of(c, r);
        if (way != NULL || r->op->then == NULL)
            return way;
        r->op = r->op->then;
        r->way = 0;
    }
}

/* Not one behind others that this request alone has passed over: they would count as refused, too. */
void rdl_way_refuse(struct rdl_conn *c, const struct rdl_record *r)
{
    uint8_t *n = &c->refused[r->op->family];

    if ((*n & COUNT) == r->way)
        *n = (uint8_t)((r->way + 1u) | (r->error == RDL_E_PERM ? FORBIDDEN : 0u));
}

int rdl_way_error(const struct rdl_conn *c, const struct rdl_record *r)
{
    return (c->refused[r->op->family] & FORBIDDEN) != 0 ? RDL_E_PERM : RDL_E_UNSUPPORTED;
}

int rdl_conn_refuses(const struct rdl_conn *c, const struct rdl_op *op)
{
    struct rdl_record r;

    if (c->cfg->ways == NULL)
        return RDL_E_WAYS;
    r.op = op;
    r.way = 0;
    return rdl_way_choose(c, &r) != NULL ? RDL_OK : rdl_way_error(c, &r);
}

/* ---------------------------------------------------------------- and by EVAL or EVALSHA */

/* rdl_conn.scripts: a bit for each whose text was sent, and this one where EVALSHA is refused as such. */
enum { SHA_BARRED = 1 << RDL_SCRIPTS };

int rdl_sha_draw(struct rdl_conn *c, const struct rdl_script *s)
{
    uint16_t bit = (uint16_t)(1u << s->number);
    int is_known = (c->scripts & (SHA_BARRED | bit)) == bit;

    c->scripts |= bit;
    return is_known;
}

/* Which one does not matter: a server that has forgotten one has forgotten all. */
void rdl_sha_forget(struct rdl_conn *c, int is_noscript)
{
    c->scripts = is_noscript ? 0 : SHA_BARRED;
}
