/* SPDX-License-Identifier: MIT */
/* redlock_count.c - counts the votes of N servers; the times of an operation and of the lease. */
#include "redlock/redlock_private.h"

extern inline unsigned rdl_redlock_quorum(const struct rdl_redlock *r);

unsigned rdl_votes_count(const struct rdl_redlock *r, rdl_server_is *is)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++)
        n += is(r, &r->servers[i]) != 0;
    return n;
}

unsigned rdl_redlock_count(const struct rdl_redlock *r, enum rdl_vote vote)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++)
        n += r->servers[i].vote == vote;
    return n;
}

/* Returns the round trip to a server whose vote counts; all others are infinitely far away. */
static uint32_t distance_ms(const struct rdl_server *s)
{
    return s->counts && rdl_conn_state(s->conn) == RDL_CONN_READY ? s->conn->rtt_ms : UINT32_MAX;
}

/* Inserts a time into ms[0..n), which is in ascending order. */
static void insert_sorted(uint32_t *ms, size_t n, uint32_t new_ms)
{
    for (; n > 0 && ms[n - 1] > new_ms; n--)
        ms[n] = ms[n - 1];
    ms[n] = new_ms;
}

/*
 * A majority is as far away as its farthest server. So a slow minority does not make attempts longer. While
 * no majority is ready, the round trips of the last connections count.
 */
uint32_t rdl_votes_quorum_rtt_ms(const struct rdl_redlock *r)
{
    unsigned last = rdl_redlock_quorum(r) - 1;
    uint32_t ms[RDL_SERVERS_MAX];
    size_t i;

    ms[0] = UINT32_MAX; /* without servers */
    for (i = 0; i < r->n; i++)
        insert_sorted(ms, i, distance_ms(&r->servers[i]));
    if (ms[last] == UINT32_MAX) {
        for (i = 0; i < r->n; i++)
            insert_sorted(ms, i, r->servers[i].conn->rtt_ms);
    }
    return ms[last];
}

uint32_t rdl_redlock_attempt_ms(const struct rdl_redlock *r)
{
    return rdl_attempt_ms_for_rtt(&r->opt->lease, rdl_votes_quorum_rtt_ms(r));
}

void rdl_redlock_start_asking(struct rdl_redlock *r, uint64_t now_ms)
{
    r->sent_ms = now_ms;
    r->wake_ms = now_ms + rdl_redlock_attempt_ms(r);
    r->state = REDLOCK_ASKED;
}

void rdl_redlock_wake_by(struct rdl_redlock *r, uint64_t most_ms)
{
    if (r->wake_ms > most_ms)
        r->wake_ms = most_ms;
}

/*@ requires \valid_read(r) && r->sent_ms <= UINT64_MAX / 2 && 3 <= r->ttl_ms;
    assigns \nothing;
    ensures r->sent_ms <= \result && \result < r->sent_ms + r->ttl_ms;
    ensures 100 * (r->sent_ms + r->ttl_ms - \result - 2) >= r->ttl_ms; */
uint64_t rdl_redlock_validity_end(const struct rdl_redlock *r)
{
    return r->sent_ms + r->ttl_ms - rdl_drift_ms(r->ttl_ms);
}

uint64_t rdl_redlock_pause_deadline(const struct rdl_redlock *r)
{
    return r->state == REDLOCK_PAUSE ? r->deadline_ms : 0;
}

/*@ requires \valid_read(r) && (r->until_ms <= now_ms + UINT32_MAX || r->until_ms == UINT64_MAX);
    assigns \nothing;
    ensures \result == 0 || now_ms + \result == r->until_ms;
    ensures r->until_ms <= now_ms || r->until_ms == UINT64_MAX ==> \result == 0; */
uint32_t rdl_redlock_remaining_ms(const struct rdl_redlock *r, uint64_t now_ms)
{
    int is_held = r->self == r && r->until_ms > now_ms && r->until_ms != UINT64_MAX;

    return is_held ? (uint32_t)(r->until_ms - now_ms) : 0;
}

unsigned rdl_votes_count_conns(const struct rdl_redlock *r, enum rdl_conn_phase state)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++)
        n += rdl_conn_state(r->servers[i].conn) == state;
    return n;
}

int rdl_was_refused(const struct rdl_redlock *r, const struct rdl_server *s)
{
    return rdl_conn_state(s->conn) == RDL_CONN_CLOSED && (int32_t)(s->conn->open_ms - r->begun_ms) >= 0;
}

int rdl_is_ineligible(const struct rdl_redlock *r, const struct rdl_server *s)
{
    int why;

    rdl_guard_counts_at(r, s, &why);
    return rdl_conn_state(s->conn) == RDL_CONN_READY && why != RDL_OK;
}

int rdl_is_holding(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->vote == RDL_VOTE_GRANTED && s->counts;
}

int rdl_is_yes(const struct rdl_redlock *r, const struct rdl_server *s)
{
    int is_continuous = r->action == RDL_ACQUIRE || s->certainty == CERTAINTY_CONTINUOUS;

    return rdl_is_holding(r, s) && is_continuous;
}

int rdl_is_impossible(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    if (s->vote != RDL_VOTE_NONE)
        return s->vote > RDL_VOTE_GRANTED || !s->counts;
    return (s->error != RDL_OK && s->error != RDL_E_FULL) || rdl_conn_state(s->conn) == RDL_CONN_CLOSED;
}

/* Enough: so many that the servers without another client's key are a majority. */
uint32_t rdl_votes_free_in_ms(const struct rdl_redlock *r)
{
    unsigned others = r->n - rdl_redlock_count(r, RDL_VOTE_DENIED);
    unsigned needed = rdl_redlock_quorum(r) > others ? rdl_redlock_quorum(r) - others : 1;
    uint32_t ms[RDL_SERVERS_MAX];
    size_t i;

    ms[0] = UINT32_MAX; /* without servers */
    for (i = 0; i < r->n; i++) {
        const struct rdl_server *s = &r->servers[i];
        int is_known = s->vote == RDL_VOTE_DENIED && s->value >= 0 && s->value < UINT32_MAX;
        insert_sorted(ms, i, is_known ? (uint32_t)s->value : UINT32_MAX);
    }
    return ms[needed - 1];
}

/* A key without expiry never ends. If such keys leave no majority, the lock is never free. */
int64_t rdl_redlock_holder_ms(const struct rdl_redlock *r)
{
    unsigned endless = 0;
    uint32_t ms;
    size_t i;

    if (r->result != RDL_BUSY)
        return -2;
    ms = rdl_votes_free_in_ms(r);
    if (ms != UINT32_MAX)
        return ms;
    for (i = 0; i < r->n; i++)
        endless += r->servers[i].vote == RDL_VOTE_DENIED && r->servers[i].value == -1;
    return endless > r->n - rdl_redlock_quorum(r) ? -1 : -2;
}

int rdl_redlock_error(const struct rdl_redlock *r, size_t i)
{
    const struct rdl_server *s = &r->servers[i];
    int why;

    RDL_ASSERT(i < r->n);
    if (s->vote != RDL_VOTE_NONE || s->error != RDL_OK)
        return s->error;
    if (rdl_conn_state(s->conn) != RDL_CONN_READY)
        return rdl_conn_error(s->conn);
    rdl_guard_counts_at(r, s, &why);
    return why;
}

unsigned rdl_votes_count_errors(const struct rdl_redlock *r, int error)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        const struct rdl_server *s = &r->servers[i];
        n += s->vote == RDL_VOTE_ERROR && s->error == error;
    }
    return n;
}

static int failed_for_good(const struct rdl_redlock *r, const struct rdl_server *s)
{
    int error = rdl_redlock_error(r, (size_t)(s - r->servers));
    int is_final = error == RDL_E_DUPLICATE || error == RDL_E_FENCE_RANGE || rdl_is_permanent(error);

    return s->vote != RDL_VOTE_GRANTED && is_final;
}

int rdl_votes_failed_for_good(const struct rdl_redlock *r)
{
    return rdl_votes_count(r, failed_for_good) > r->n - rdl_redlock_quorum(r);
}

int rdl_is_continuous(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->certainty == CERTAINTY_CONTINUOUS;
}

int rdl_was_held(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->certainty >= CERTAINTY_RESTORED || s->vote == RDL_VOTE_GRANTED;
}

int rdl_was_maybe_held(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->certainty < CERTAINTY_RESTORED && (s->vote == RDL_VOTE_PENDING || s->needs_release);
}

int rdl_is_untouched(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->vote == RDL_VOTE_NONE && s->error == RDL_OK;
}

int rdl_is_unreleased(const struct rdl_redlock *r, const struct rdl_server *s)
{
    (void)r;
    return s->needs_release;
}
