/* SPDX-License-Identifier: MIT */
/*
 * redlock_guard.c - the restart guard: from when on a server's word counts.
 *
 * A server that lost its memory when it restarted may grant again what somebody holds. It is therefore left
 * out of every count until every lease granted before the restart has expired: max_ttl and a second, because
 * uptime_in_seconds is the difference of two clocks that were cut to seconds.
 */
#include "redlock/redlock_private.h"

/* That it was asked in this operation; then how surely we hold the lock over it. */
static unsigned rank(const struct rdl_server *s)
{
    return (s->vote != RDL_VOTE_NONE ? HOLD_SURE + 1u : 0) + s->hold;
}

/*
 * It is another one of them, behind a second address, and that one counts: its vote may have been counted
 * before, and a lease goes on where it was granted; else it is the first. Also while it is not connected.
 */
static int is_twice(const struct rdl_redlock *r, const struct rdl_server *s, uint64_t run)
{
    const struct rdl_server *other;

    for (other = r->servers; other < r->servers + r->n; other++) {
        int is_before = rank(other) != rank(s) ? rank(other) > rank(s) : other < s;
        if (is_before && other->conn->facts.run == run)
            return 1;
    }
    return 0;
}

uint64_t rdl_guard_quarantine_end(const struct rdl_redlock *r, int64_t since_ms)
{
    uint32_t max_ttl_s = r->opt->max_ttl_ms / 1000 + (r->opt->max_ttl_ms % 1000 != 0);
    int64_t end_ms = since_ms + ((int64_t)max_ttl_s + 1) * 1000;

    return end_ms > 0 ? (uint64_t)end_ms : 0;
}

/*
 * By what the server said of itself. Where another run was before it may be another server, which the address
 * now leads to: it knows nothing of the leases, however long it is up.
 */
static uint64_t restart_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *error)
{
    const struct rdl_facts *f = rdl_conn_facts(s->conn);
    int is_believed;

    *error = RDL_OK;
    if (f == NULL) {
        if (r->opt->guard >= RDL_GUARD_IF_PERMITTED)
            return 0;
        *error = RDL_E_PERM;
        return UINT64_MAX;
    }
    if (is_twice(r, s, f->run)) {
        *error = RDL_E_TWICE;
        return UINT64_MAX;
    }
    if (r->opt->guard == RDL_GUARD_OFF)
        return 0;
    is_believed = r->opt->guard != RDL_GUARD_STRICT && !f->is_other;
    return rdl_guard_quarantine_end(r, is_believed ? f->up_ms : (int64_t)f->seen_ms);
}

uint64_t rdl_guard_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *error)
{
    uint64_t at_ms = restart_counts_at(r, s, error);
    uint64_t canary_ms = 0;

    if (r->canaries != NULL)
        canary_ms = r->canaries->way->counts_at(r, (size_t)(s - r->servers));
    return at_ms > canary_ms ? at_ms : canary_ms;
}

uint64_t rdl_redlock_counts_at(const struct rdl_redlock *r, size_t i)
{
    int error;

    RDL_ASSERT(i < r->n);
    return rdl_guard_counts_at(r, &r->servers[i], &error);
}

int rdl_redlock_may_evict(const struct rdl_redlock *r, size_t i)
{
    const struct rdl_facts *f = rdl_conn_facts(r->servers[i].conn);
    unsigned both = RDL_FACT_BOUNDED | RDL_FACT_EVICTS;

    return f != NULL && (f->has & both) == both;
}
