/* SPDX-License-Identifier: MIT */
/*
 * net_ladder.c - which of the ways a request can be put this server takes.
 *
 * It is found by asking, told by the answer and never by a version, remembered for the life of the
 * connection and forgotten with it. An op says in which order its ways are tried.
 *
 * A request that nobody waits for goes a way already proven on this connection, else by EVAL with its
 * full text, which all servers since 2.6 know: whoever owed it may be gone before a refusal comes back.
 */
#include <string.h>

#include "net/net_private.h"

/* What was refused, one bit a rung. PROVEN and FORBIDDEN_LAST share a bit: with no way left none is proven */
enum { PROVEN = 1 << RUNG_NONE, FORBIDDEN_LAST = PROVEN, SHA_BARRED = 2 << RUNG_NONE };

static int is_refused(const struct rdl_conn *c, const struct rdl_record *r, unsigned rung)
{
    return (c->refused[r->op->memory] >> rung & 1) != 0;
}

/* The first way that was not refused. */
static enum rdl_rung best(const struct rdl_conn *c, const struct rdl_record *r)
{
    const uint8_t *rung = r->op->ladder;

    while (*rung < RUNG_NONE && is_refused(c, r, *rung))
        rung++;
    return (enum rdl_rung) * rung;
}

enum rdl_rung rdl_ladder_choose(const struct rdl_conn *c, const struct rdl_record *r)
{
    int is_proven = (c->refused[r->op->memory] & PROVEN) != 0;

    if (r->op->is_owed == OWED_ALWAYS && r->req == NULL && !is_proven && !is_refused(c, r, RUNG_EVAL))
        return RUNG_EVAL;
    return best(c, r);
}

void rdl_ladder_worked(struct rdl_conn *c, const struct rdl_record *r)
{
    uint8_t *bits = &c->refused[r->op->memory];

    if (r->rung == RUNG_DIRECT)
        return;
    if (best(c, r) == (enum rdl_rung)r->rung)
        *bits |= PROVEN;
    if (r->rung == RUNG_EVAL && (*bits & SHA_BARRED) == 0) /* now the server has the script */
        *bits = (uint8_t)(*bits & ~(1u << RUNG_SHA));
}

void rdl_ladder_refuse(struct rdl_conn *c, const struct rdl_record *r, int is_noscript)
{
    uint8_t *bits = &c->refused[r->op->memory];

    *bits = (uint8_t)((*bits | 1u << r->rung) & ~(unsigned)PROVEN);
    if (r->rung == RUNG_SHA && !is_noscript)
        *bits |= SHA_BARRED;
    if (best(c, r) == RUNG_NONE && r->error == RDL_E_PERM)
        *bits |= FORBIDDEN_LAST;
}

int rdl_ladder_error(const struct rdl_conn *c, const struct rdl_record *r)
{
    return (c->refused[r->op->memory] & FORBIDDEN_LAST) != 0 ? RDL_E_PERM : RDL_E_UNSUPPORTED;
}

void rdl_ladder_learn(struct rdl_conn *c, const struct rdl_op *op, enum rdl_rung rung, int is_known)
{
    struct rdl_record r;

    memset(&r, 0, sizeof r);
    r.op = op;
    r.rung = (uint8_t)rung;
    if (is_known)
        rdl_ladder_worked(c, &r);
    else
        c->refused[op->memory] |= (uint8_t)(1u << rung);
}

int rdl_rung_is_exclusive(uint8_t rung)
{
    return rung == RUNG_WATCH;
}
