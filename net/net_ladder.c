/* SPDX-License-Identifier: MIT */
/*
 * net_ladder.c - which of the ways a request can be put this server takes.
 *
 * It is found by asking, told by the answer and never by a version, remembered for the life of the
 * connection and forgotten with it. An op says in which order its ways are tried. A script comes first: all
 * servers since 2.6 know it, and whoever owes a release may be gone before a refusal comes back.
 */
#include "net/net_private.h"

/* What was refused, one bit a rung, and whether the last of them was by want of permission. */
enum { FORBIDDEN_LAST = 1 << RUNG_NONE };

enum rdl_rung rdl_ladder_choose(const struct rdl_conn *c, const struct rdl_record *r)
{
    const uint8_t *rung = r->op->ladder;

    while (*rung < RUNG_NONE && (c->refused[r->op->memory] >> *rung & 1))
        rung++;
    return (enum rdl_rung) * rung;
}

void rdl_ladder_refuse(struct rdl_conn *c, const struct rdl_record *r)
{
    uint8_t *bits = &c->refused[r->op->memory];

    *bits = (uint8_t)((*bits | 1u << r->rung) & ~(unsigned)FORBIDDEN_LAST);
    if (r->error == RDL_E_PERM)
        *bits |= FORBIDDEN_LAST;
}

int rdl_ladder_error(const struct rdl_conn *c, const struct rdl_record *r)
{
    return (c->refused[r->op->memory] & FORBIDDEN_LAST) != 0 ? RDL_E_PERM : RDL_E_UNSUPPORTED;
}

int rdl_rung_is_exclusive(uint8_t rung)
{
    return rung == RUNG_WATCH;
}
