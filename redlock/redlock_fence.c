/* SPDX-License-Identifier: MIT */
/*
 * redlock_fence.c - fencing numbers over N servers: unique, and growing in the order of the holders.
 *
 * Each server counts for itself, so what they give may differ. The number is the greatest that a server gave
 * with its vote, and it is ours only when a majority holds it: those who gave less are raised to it, if the
 * lock there is still ours. Of two holders' majorities one server is in both. When the first holder left it,
 * it had that holder's number or more; so it gave the second more than that, and the second's number is the
 * greatest that it was given. (The greatest alone is not enough: of counters 10, 1, 1 the first holder is
 * given 11 and 2, takes 11, and the next, by the last two servers, 3.)
 *
 * If the counters agree, as they do while all answer, no further round trip is needed.
 */
#include "redlock/redlock_private.h"

static uint64_t greatest(const struct rdl_redlock *r)
{
    uint64_t most = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        const struct rdl_server *s = &r->servers[i];
        if (s->vote == RDL_VOTE_GRANTED && s->counts && (uint64_t)s->value > most)
            most = (uint64_t)s->value;
    }
    return most;
}

/* Who holds just that number; the others that are ours, and hold less, are asked to. */
static unsigned settled(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        if (s->vote != RDL_VOTE_GRANTED || !s->counts)
            continue;
        n += (uint64_t)s->value == r->number;
        if ((uint64_t)s->value < r->number && rdl_conn_state(s->conn) == RDL_CONN_READY)
            rdl_votes_send(r, s, &rdl_op_raise_fence, now_ms);
    }
    return n;
}

static int fence_settle(struct rdl_redlock *r, uint64_t now_ms)
{
    if (r->state != REDLOCK_FENCE)
        r->number = greatest(r);
    if (settled(r, now_ms) >= rdl_redlock_quorum(r)) {
        r->fence = r->number;
        return RDL_OK;
    }
    if (r->state != REDLOCK_FENCE) {
        r->state = REDLOCK_FENCE;
        r->wake_ms = now_ms + rdl_attempt_ms(&r->opt->lease);
        if (r->tries > 0 && r->wake_ms > r->deadline_ms)
            r->wake_ms = r->deadline_ms;
    }
    return RDL_PENDING;
}

/* The number that goes with a request: the least for an acquire, the one to hold for raising. */
static size_t fence_digits(const struct rdl_redlock *r, const struct rdl_op *op, char out[RDL_DEC64_MAX])
{
    return rdl_dec_u64(out, op == &rdl_op_raise_fence ? r->number : r->fence + 1);
}

const struct rdl_redlock_fencing rdl_redlock_fenced = {&rdl_op_acquire_fenced, &rdl_op_raise_fence,
                                                       fence_settle, fence_digits};

void rdl_redlock_set_floor(struct rdl_redlock *r, uint64_t floor_ms)
{
    r->fence = floor_ms > 0 ? floor_ms - 1 : 0;
}

uint64_t rdl_redlock_fence(const struct rdl_redlock *r)
{
    return r->until_ms != 0 && r->until_ms != UINT64_MAX ? r->number : 0;
}
