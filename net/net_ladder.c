/* SPDX-License-Identifier: MIT */
/*
 * net_ladder.c - the ways a release or an extend can be done, and which of them this server takes.
 *
 * Both compare the token on the server. Which way works here is found by asking, told by the answer and
 * never by a version, remembered for the life of the connection and forgotten with it:
 *
 *     release   DELEX, DELIFEQ, EVALSHA, EVAL, WATCH..EXEC
 *     extend    EVALSHA, EVAL, SET IFEQ PX, WATCH..EXEC       (EVAL is not refused under OOM, SET is)
 *
 * A release that nobody waits for goes a way already proven on this connection, else by EVAL with its
 * full text, which all servers since 2.6 know: whoever owed it may be gone before a refusal comes back.
 */
#include "net/net_private.h"

static const uint8_t release_ladder[] = {RUNG_DELEX, RUNG_DELIFEQ, RUNG_SHA,
                                         RUNG_EVAL,  RUNG_WATCH,   RUNG_NONE};
static const uint8_t extend_ladder[] = {RUNG_SHA, RUNG_EVAL, RUNG_IFEQ, RUNG_WATCH, RUNG_NONE};

/* What was refused, one bit a rung; and two bits more. */
enum { PROVEN = 1 << RUNG_NONE, SHA_BARRED = 2 << RUNG_NONE };

static uint8_t *known(struct rdl_conn *c, uint8_t op)
{
    return &c->refused[op == RDL_OP_RELEASE];
}

static int is_refused(const struct rdl_conn *c, uint8_t op, enum rdl_rung rung)
{
    return (c->refused[op == RDL_OP_RELEASE] >> rung & 1) != 0;
}

/* The first way that was not refused. */
static enum rdl_rung best(const struct rdl_conn *c, uint8_t op)
{
    const uint8_t *rung = op == RDL_OP_RELEASE ? release_ladder : extend_ladder;

    while (*rung != RUNG_NONE && is_refused(c, op, (enum rdl_rung) * rung))
        rung++;
    return (enum rdl_rung) * rung;
}

enum rdl_rung rdl_ladder_choose(const struct rdl_conn *c, const struct rdl_record *r)
{
    int is_proven = (c->refused[r->op == RDL_OP_RELEASE] & PROVEN) != 0;

    if (r->op == RDL_OP_ACQUIRE)
        return RUNG_SET;
    if (r->req == NULL && !is_proven && !is_refused(c, r->op, RUNG_EVAL))
        return RUNG_EVAL;
    return best(c, r->op);
}

void rdl_ladder_worked(struct rdl_conn *c, const struct rdl_record *r)
{
    uint8_t *bits = known(c, r->op);

    if (best(c, r->op) == (enum rdl_rung)r->rung)
        *bits |= PROVEN;
    if (r->rung == RUNG_EVAL && (*bits & SHA_BARRED) == 0) /* now the server has the script */
        *bits = (uint8_t)(*bits & ~(1 << RUNG_SHA));
}

void rdl_ladder_refuse(struct rdl_conn *c, const struct rdl_record *r, int is_noscript)
{
    uint8_t *bits = known(c, r->op);

    *bits = (uint8_t)((*bits | 1 << r->rung) & ~PROVEN);
    if (r->rung == RUNG_SHA && !is_noscript)
        *bits |= SHA_BARRED;
}

int rdl_rung_is_exclusive(uint8_t rung)
{
    return rung == RUNG_IFEQ || rung == RUNG_WATCH;
}
