/* SPDX-License-Identifier: MIT */
/*
 * redlock_fenced.c - fencing tokens over N servers: unique, and growing in the order of the holders.
 *
 * Each server has its own counter, so their fencing tokens may differ. The lock's fencing token (here: the
 * token) is the greatest that a server gave with its vote. It is ours only when a majority holds it: servers
 * that gave less are raised to it, if the lock there is still ours. The majorities of two holders have a
 * server in common. When the first holder released, that server held at least its token. So it gave the
 * second holder a greater one, and the second holder's token is the greatest that it received. (The greatest
 * alone is not enough: with counters 10, 1, 1 the first holder gets 11 and 2, and takes 11. The next gets 3
 * from the last two servers.)
 *
 * If the counters agree, as they do while all servers reply, no further round trip is needed.
 *
 * With an odd N, two majorities may have just one server in common. If it loses its counter, the next token
 * may be smaller. So all other servers that hold the lock are raised, too, without waiting: those that
 * granted it late, also from quarantine, and those where it was put back. If h servers hold the token, any
 * majority q of N contains at least h + q - N of them, and one of these is enough.
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

/* Sets the lease's fencing token. No server is known to hold it yet. */
static void fence_begin(struct rdl_redlock *r)
{
    size_t i;

    r->number = greatest(r);
    for (i = 0; i < r->n; i++)
        r->servers[i].numbered = 0;
}

/*
 * Returns 1 if s holds the fencing token, or a greater one. The reply to an acquire is the one there; an
 * extend raises the server's counter to ours.
 */
static int holds(const struct rdl_redlock *r, const struct rdl_server *s)
{
    int is_extended = r->action == RDL_EXTEND && !s->is_repair;

    if (s->vote != RDL_VOTE_GRANTED)
        return s->numbered;
    return is_extended || (uint64_t)s->value >= r->number;
}

/* Requests s to hold the fencing token, when there is room, and once in an operation. */
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

/* Sets the vote of the servers that have not replied to the request to hold the fencing token. */
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

/* A held lease goes on. While no majority holds the fencing token, a refusal costs the acquire this vote. */
static void fence_raised(struct rdl_redlock *r, struct rdl_server *s, enum rdl_vote vote, int error)
{
    s->raise = RAISE_DONE;
    if (vote == RDL_VOTE_GRANTED) {
        s->vote = RDL_VOTE_GRANTED;
        s->value = (int64_t)r->number;
        return;
    }
    if (vote == RDL_VOTE_DENIED || vote == RDL_VOTE_ABSENT)
        s->certainty = CERTAINTY_GONE; /* numbered is 0: only such servers get this request */
    else if (r->state != REDLOCK_FENCE)
        return;
    s->vote = (uint8_t)vote;
    s->error = (int16_t)error;
    s->value = -2;
}

/* Writes the fencing token of a request: the least for an acquire, otherwise the one to hold. */
static size_t fence_extra(const struct rdl_redlock *r, const struct rdl_op *op, char out[RDL_EXTRA_MAX])
{
    if (op == &rdl_op_acquire_fenced)
        return rdl_fence_extra(out, rdl_fence_next(r->fence, r->least), &r->opt->lease, r->ttl_ms);
    if (op == &rdl_op_extend_fenced || op == &rdl_op_raise_fence)
        return rdl_fence_extra(out, r->number, &r->opt->lease, r->ttl_ms);
    return 0;
}

/* A fencing token out of range may go to two holders. */
static enum rdl_vote fence_confirm(const struct rdl_server *s, int *error)
{
    if (RDL_IS_FENCE(s->req.value))
        return RDL_VOTE_GRANTED;
    *error = RDL_E_FENCE_RANGE;
    return RDL_VOTE_ERROR;
}

const struct rdl_fencing_ops rdl_fencing = {
    &rdl_op_acquire_fenced, &rdl_op_extend_fenced, fence_settle, fence_spread,
    fence_raised,           fence_confirm,         fence_extra};

void rdl_redlock_set_min_fence(struct rdl_redlock *r, uint64_t min)
{
    r->least = min;
}

uint64_t rdl_redlock_fence(const struct rdl_redlock *r)
{
    return r->until_ms != 0 && !rdl_is_never(r->until_ms) ? r->number : 0;
}

unsigned rdl_redlock_fence_holders(const struct rdl_redlock *r)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; rdl_redlock_fence(r) != 0 && i < r->n; i++)
        n += holds(r, &r->servers[i]) != 0;
    return n;
}
