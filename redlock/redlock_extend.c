/* SPDX-License-Identifier: MIT */
/*
 * redlock_extend.c - extends a lease that a majority has held without a gap.
 *
 * Where the key is gone it is put back, but only after a majority has confirmed in this same extend that it
 * has the key. Until then another client may hold the lock. A key that was put back counts from the next
 * extend that is confirmed without it. Otherwise this could happen: we hold A, B and C, and C loses its data.
 * Another client takes C, D and E and releases them. We put the key back on D, and A, B, D look like a lease
 * without a gap.
 */
#include "redlock/redlock_private.h"

int rdl_redlock_check_extend(const struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms)
{
    const struct rdl_redlock_options *opt = r->opt;

    if (ttl_ms > rdl_redlock_max_ttl_ms(r))
        return RDL_E_TTL;
    if (opt->max_extensions != 0 && r->extensions >= opt->max_extensions)
        return RDL_E_CAP;
    if (opt->max_hold_ms != 0 && !rdl_is_never(r->until_ms) &&
        now_ms + ttl_ms > r->since_ms + opt->max_hold_ms)
        return RDL_E_CAP;
    return rdl_ttl_check(&opt->lease, ttl_ms);
}

int rdl_redlock_lease_ended(struct rdl_redlock *r, int result, uint64_t now_ms)
{
    rdl_votes_release(r, 0, now_ms);
    return rdl_redlock_finish(r, result);
}

static int is_adopting(const struct rdl_redlock *r)
{
    return rdl_is_never(r->until_ms);
}

/* Sets the end of the extended lease. Keys of at least this certainty are continuous from now on. */
static void extend_lease(struct rdl_redlock *r, unsigned least)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        if (r->servers[i].certainty >= least)
            r->servers[i].certainty = CERTAINTY_CONTINUOUS;
    }
    if (is_adopting(r)) {
        r->since_ms = r->sent_ms;
        r->until_ms = 0;
    }
    if (rdl_redlock_validity_end(r) > r->until_ms)
        r->until_ms = rdl_redlock_validity_end(r);
    r->abort_below_ms = 0;
    r->extensions++;
}

/* Waits for replies about keys that were put back, within an attempt's time: the extend itself is done. */
static int evaluate_repair(struct rdl_redlock *r, uint64_t now_ms)
{
    int is_repaired = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        const struct rdl_server *s = &r->servers[i];
        if (s->is_repair && s->vote == RDL_VOTE_PENDING && now_ms < r->wake_ms)
            return RDL_PENDING;
        is_repaired |= s->is_repair && s->vote == RDL_VOTE_GRANTED;
    }
    return rdl_redlock_finish(r, is_repaired ? RDL_REPAIRED : RDL_OK);
}

void rdl_redlock_follow_up(struct rdl_redlock *r, uint64_t now_ms)
{
    int is_confirmed = r->result == RDL_OK || r->result == RDL_REPAIRED;

    if (!is_confirmed || r->until_ms <= now_ms)
        return;
    if (r->action == RDL_EXTEND)
        rdl_votes_repair(r, now_ms);
    else if (r->action == RDL_ACQUIRE && now_ms < r->sent_ms + rdl_redlock_attempt_ms(r))
        rdl_votes_ask(r, now_ms);
    if (r->number != 0)
        r->opt->fencing->spread(r, now_ms);
}

static int confirmed(struct rdl_redlock *r, uint64_t now_ms)
{
    extend_lease(r, CERTAINTY_CONFIRMING);
    if (rdl_votes_repair(r, now_ms) == 0)
        return rdl_redlock_finish(r, RDL_OK);
    r->state = REDLOCK_REPAIR;
    r->wake_ms = now_ms + rdl_redlock_attempt_ms(r);
    return RDL_PENDING;
}

/* Returns 1 if no missing reply could change the result. */
static int is_answered(const struct rdl_redlock *r)
{
    return rdl_votes_count(r, rdl_is_holding) + rdl_votes_count(r, rdl_is_impossible) >= r->n;
}

/* Ends an extend if no majority is known to have held the key without a gap, and no reply changes that. */
static int unconfirmed(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned quorum = rdl_redlock_quorum(r);

    rdl_votes_set_pending_errors(r, now_ms);
    if (rdl_votes_count(r, rdl_is_holding) < quorum)
        return rdl_redlock_finish(r, RDL_UNKNOWN);
    if (r->opt->accept_gap) {
        extend_lease(r, CERTAINTY_RESTORED);
        r->number = 0; /* another client may have got a greater one */
        return rdl_redlock_finish(r, RDL_HELD_WITH_GAP);
    }
    /* Servers that did not reply may still have held it without a gap: UNKNOWN, not E_GAP. */
    if (rdl_votes_count(r, rdl_is_continuous) >= quorum)
        return rdl_redlock_finish(r, RDL_UNKNOWN);
    return rdl_redlock_lease_ended(r, RDL_E_GAP, now_ms);
}

int rdl_redlock_evaluate_extend(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned quorum = rdl_redlock_quorum(r);
    unsigned gone = rdl_redlock_count(r, RDL_VOTE_DENIED) + rdl_redlock_count(r, RDL_VOTE_ABSENT);

    if (now_ms >= r->until_ms)
        return rdl_redlock_lease_ended(r, RDL_LOST, now_ms);
    if (r->state == REDLOCK_REPAIR)
        return evaluate_repair(r, now_ms);
    if (gone > r->n - quorum)
        return rdl_redlock_lease_ended(r, RDL_LOST, now_ms);
    if (is_adopting(r) && rdl_votes_count(r, rdl_is_holding) >= quorum) {
        if (now_ms >= rdl_redlock_validity_end(r))
            return rdl_redlock_lease_ended(r, RDL_LOST, now_ms);
        extend_lease(r, CERTAINTY_RESTORED);
        return rdl_redlock_finish(r, RDL_ADOPTED);
    }
    if (rdl_votes_count(r, rdl_is_yes) >= quorum)
        return confirmed(r, now_ms);
    /* Certainly no majority. But whether the lease is lost may depend on the missing replies. */
    if (now_ms < r->wake_ms && gone + rdl_redlock_count(r, RDL_VOTE_PENDING) > r->n - quorum)
        return RDL_PENDING;
    if (now_ms >= r->wake_ms || rdl_votes_count(r, rdl_is_impossible) > r->n - quorum || is_answered(r))
        return unconfirmed(r, now_ms);
    return RDL_PENDING;
}
