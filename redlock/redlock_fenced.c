/* SPDX-License-Identifier: MIT */
/*
 * redlock_fenced.c - fencing numbers over N servers: unique, and growing in the order of the holders.
 *
 * Each server counts for itself, so what they give may differ. The number is the greatest that a server gave
 * with its vote, and it is ours only when a majority holds it: those who gave less are raised to it, if the
 * lock there is still ours. Of two holders' majorities one server is in both. When the first holder left it,
 * it had that holder's number or more; so it gave the second more than that, and the second's number is the
 * greatest that it was given. (The greatest alone is not enough: of counters 10, 1, 1 the first holder is
 * given 11 and 2, takes 11, and the next, by the last two servers, 3.)
 *
 * If the counters agree, as they do while all answer, no further round trip is needed.
 *
 * A majority of an odd N has just one server in common with another: should that one lose its counter, the
 * next number may be a smaller one. So every other server that says it is ours is raised too, without
 * waiting: whoever granted it late, also from quarantine, and where it was put back. h that hold it and a
 * majority q of N have h + q - N servers in common at least, and one of those is enough.
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

/* The number was just found. */
static void fence_begin(struct rdl_redlock *r)
{
    size_t i;

    r->number = greatest(r);
    for (i = 0; i < r->n; i++)
        r->servers[i].numbered = 0;
}

/* An acquire is answered with the number there; an extend sees to it that it is ours at least. */
static int holds(const struct rdl_redlock *r, const struct rdl_server *s)
{
    int is_extended = r->action == RDL_EXTEND && !s->is_repair;

    if (s->vote != RDL_VOTE_GRANTED)
        return s->numbered;
    return is_extended || (uint64_t)s->value >= r->number;
}

/* It waits for room, and is not tried twice in one operation. */
static void ask_to_hold(struct rdl_redlock *r, struct rdl_server *s)
{
    if (s->raise != RAISE_NONE || rdl_conn_state(s->conn) != RDL_CONN_READY ||
        rdl_conn_waiting(s->conn) >= RDL_WAITING_MAX)
        return;
    if (rdl_votes_submit(r, s, &rdl_op_raise_fence, &s->req, r->keys_end_ms) == RDL_OK)
        s->raise = RAISE_OUT;
}

static void fence_spread(struct rdl_redlock *r, uint64_t now_ms)
{
    size_t i;

    (void)now_ms;
    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        s->numbered = (uint8_t)holds(r, s);
        if (s->vote == RDL_VOTE_GRANTED && !s->numbered)
            ask_to_hold(r, s);
    }
}

/* What the vote of those is that were asked to hold the number, until they answer. */
static void mark(struct rdl_redlock *r, enum rdl_vote vote)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        if (r->servers[i].raise == RAISE_OUT)
            r->servers[i].vote = (uint8_t)vote;
    }
}

static int fence_settle(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned n = 0;
    size_t i;

    if (r->state != REDLOCK_FENCE)
        fence_begin(r);
    fence_spread(r, now_ms);
    for (i = 0; i < r->n; i++)
        n += r->servers[i].vote == RDL_VOTE_GRANTED && r->servers[i].counts && r->servers[i].numbered;
    mark(r, n >= rdl_redlock_quorum(r) ? RDL_VOTE_GRANTED : RDL_VOTE_PENDING);
    if (n >= rdl_redlock_quorum(r)) {
        r->fence = r->number;
        return RDL_OK;
    }
    if (r->state != REDLOCK_FENCE) {
        r->state = REDLOCK_FENCE;
        r->wake_ms = now_ms + rdl_redlock_attempt_ms(r);
        if (r->tries > 0)
            rdl_redlock_wake_by(r, r->deadline_ms);
    }
    return RDL_PENDING;
}

/* A lease that is held goes on; one that a majority has not numbered yet has a vote less. */
static void fence_raised(struct rdl_redlock *r, struct rdl_server *s, enum rdl_vote vote, int error)
{
    s->raise = RAISE_DONE;
    if (vote == RDL_VOTE_GRANTED) {
        s->vote = RDL_VOTE_GRANTED;
        s->value = (int64_t)r->number;
        return;
    }
    if (vote == RDL_VOTE_DENIED || vote == RDL_VOTE_ABSENT)
        s->certainty = CERTAINTY_GONE; /* it did not hold the number, or would not have been asked */
    else if (r->state != REDLOCK_FENCE)
        return;
    s->vote = (uint8_t)vote;
    s->error = (int16_t)error;
    s->value = -2;
}

/* The number that goes with a request: the least for an acquire, else the one to hold. */
static size_t fence_extra(const struct rdl_redlock *r, const struct rdl_op *op, char out[RDL_EXTRA_MAX])
{
    if (op == &rdl_op_acquire_fenced)
        return rdl_fence_extra(out, rdl_fence_next(r->fence, r->least), &r->opt->lease, r->ttl_ms);
    if (op == &rdl_op_extend_fenced || op == &rdl_op_raise_fence)
        return rdl_fence_extra(out, r->number, &r->opt->lease, r->ttl_ms);
    return 0;
}

const struct rdl_fencing_ops rdl_fencing = {&rdl_op_acquire_fenced, &rdl_op_extend_fenced, fence_settle,
                                            fence_spread,           fence_raised,          fence_extra};

void rdl_redlock_set_min_fence(struct rdl_redlock *r, uint64_t min)
{
    r->least = min;
}

uint64_t rdl_redlock_fence(const struct rdl_redlock *r)
{
    return r->until_ms != 0 && r->until_ms != UINT64_MAX ? r->number : 0;
}

unsigned rdl_redlock_fence_holders(const struct rdl_redlock *r)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; rdl_redlock_fence(r) != 0 && i < r->n; i++)
        n += holds(r, &r->servers[i]) != 0;
    return n;
}
