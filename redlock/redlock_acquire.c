/* SPDX-License-Identifier: MIT */
/*
 * redlock_acquire.c - the attempts to get a majority: which server is asked first, when an attempt has
 * failed, and how long to wait before the next.
 */
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

/*
 * Chooses the probe server, which is asked alone before the others: the first whose vote counts, which is
 * connected then. Clients that ask all servers at once split the votes, and none gets a majority; so all
 * clients wait at the same server. After each refusal there, all servers are asked, so that a key on that
 * server alone locks out no client.
 */
static uint8_t choose_probe_server(const struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; r->probe_server_next && i < r->n; i++) {
        if (r->servers[i].counts && (r->probe_server_skip >> i & 1) == 0)
            return (uint8_t)(i + 1);
    }
    return 0;
}

/* Decides, after an attempt, whether the next begins with a probe server; never with a dead server. */
static void plan_probe_server(struct rdl_redlock *r, int result)
{
    const struct rdl_server *s = r->probe_server != 0 ? &r->servers[r->probe_server - 1] : NULL;

    if (s != NULL && (s->vote != RDL_VOTE_DENIED || s->value < 0))
        r->probe_server_skip = (uint8_t)(r->probe_server_skip | 1u << (r->probe_server - 1));
    r->probe_server_next = result == RDL_BUSY && !r->by_probe_server && r->n > 1;
    r->probe_server = r->by_probe_server = 0;
}

/*
 * Waits for a hint if server 0 refused: a release there wakes one waiting client, which may be this one.
 * Returns for how long to pause, which without a hint is usual_ms.
 */
static uint64_t wait_for_hint(struct rdl_redlock *r, uint32_t usual_ms, uint64_t now_ms)
{
    const struct rdl_bytes name = {r->name, r->name_len};
    const struct rdl_server *first = &r->servers[0];
    uint32_t holder_ms = (uint64_t)first->value < UINT32_MAX ? (uint32_t)first->value : UINT32_MAX;

    if (r->hint == NULL || first->vote != RDL_VOTE_DENIED)
        return usual_ms;
    return r->hint->ops->begin(r->hint, name, holder_ms, usual_ms, r->deadline_ms, now_ms);
}

/*
 * Returns the pause in ms: that of the hint; otherwise a random one that ends soon after enough of the other
 * clients' keys have expired, at the latest.
 */
static uint64_t redlock_pause_of(struct rdl_redlock *r, int result, uint64_t now_ms)
{
    uint64_t twice_ms = 2 * (now_ms - r->sent_ms);
    uint32_t keys_ms = rdl_votes_free_in_ms(r);
    uint32_t base_ms = r->opt->lease.retry_ms;
    uint32_t pause_ms;

    /* Up to twice as long as the attempt took, or two clients that collide keep splitting the votes. */
    if (twice_ms > RDL_RETRY_CAP_MS)
        twice_ms = RDL_RETRY_CAP_MS;
    if (r->state != REDLOCK_CONNECT && twice_ms > base_ms)
        base_ms = (uint32_t)twice_ms;
    if (r->n == 1 && result == RDL_BUSY && keys_ms != UINT32_MAX && /* several: that would split the votes */
        rdl_has_changed_hands(&r->holder_ends_ms, keys_ms, rdl_votes_quorum_rtt_ms(r), now_ms))
        r->tries = 0;
    if (r->hint != NULL && r->hint->is_awake) { /* a wake-up resets the backoff */
        r->hint->is_awake = 0;
        r->tries = 0;
    }
    pause_ms = rdl_pause_ms(&r->seed, base_ms, r->tries, keys_ms);
    return result == RDL_BUSY ? wait_for_hint(r, pause_ms, now_ms) : pause_ms;
}

/* Returns 1 if too few servers begin to count before the acquire ends: waiting for them changes nothing. */
static int is_quarantine_too_long(const struct rdl_redlock *r)
{
    unsigned late = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        int is_there = rdl_conn_state(r->servers[i].conn) == RDL_CONN_READY;
        late += is_there && !r->servers[i].counts && rdl_redlock_counts_at(r, i) >= r->deadline_ms;
    }
    return late > r->n - rdl_redlock_quorum(r);
}

static int redlock_attempt_failed(struct rdl_redlock *r, int result, uint64_t now_ms)
{
    uint64_t pause_ms;

    if (result == RDL_BUSY)
        rdl_count_up(&r->refused);
    rdl_votes_release(r, 0, now_ms);
    plan_probe_server(r, result);
    if (rdl_is_one_attempt(&r->opt->lease) || now_ms >= r->deadline_ms || rdl_votes_failed_for_good(r) ||
        (result == RDL_E_QUARANTINE && is_quarantine_too_long(r)))
        return rdl_redlock_finish(r, result);
    pause_ms = redlock_pause_of(r, result, now_ms);
    if (r->tries < UINT8_MAX)
        r->tries++;
    r->result = (int16_t)result;
    r->state = REDLOCK_PAUSE;
    r->wake_ms = now_ms + pause_ms;
    rdl_redlock_wake_by(r, r->deadline_ms);
    return RDL_PENDING;
}

/*
 * Returns 1 if the lock is busy: those that refused make a majority impossible, or are a majority together
 * with those that granted it.
 */
static int is_busy(const struct rdl_redlock *r, unsigned denied)
{
    unsigned yes = rdl_redlock_count(r, RDL_VOTE_GRANTED);
    unsigned quorum = rdl_redlock_quorum(r);

    return denied > r->n - quorum || (denied > 0 && denied + yes >= quorum);
}

/* Returns 1 if enough servers granted it, or may still do, but too few of them count. */
static int is_quarantined(const struct rdl_redlock *r)
{
    unsigned yes = rdl_redlock_count(r, RDL_VOTE_GRANTED);
    unsigned quorum = rdl_redlock_quorum(r);

    return yes >= quorum || yes - rdl_votes_count(r, rdl_is_yes) > r->n - quorum;
}

/*
 * Returns 1 if the missing replies decide whether the lock is busy, and no other reason is certain. Also if
 * exactly half of the servers granted it and are in quarantine. It waits for the other half, so that their
 * canaries are checked now: then all quarantines run in parallel.
 */
static int is_undecided(const struct rdl_redlock *r)
{
    unsigned denied = rdl_redlock_count(r, RDL_VOTE_DENIED);
    unsigned pending = rdl_redlock_count(r, RDL_VOTE_PENDING);

    if (is_quarantined(r))
        return r->canaries != NULL && pending > 0 &&
               rdl_redlock_count(r, RDL_VOTE_GRANTED) < rdl_redlock_quorum(r);
    return !is_busy(r, denied) && is_busy(r, denied + pending);
}

/*
 * Returns why an attempt without a majority failed. An attempt that the deadline cut short says no more than
 * the one before it.
 */
static int refusal(const struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned denied = rdl_redlock_count(r, RDL_VOTE_DENIED);
    unsigned spare = r->n - rdl_redlock_quorum(r);

    if (denied > spare)
        return RDL_BUSY;
    if (r->opt->fencing != NULL && rdl_votes_count_errors(r, RDL_E_UNSUPPORTED) > spare)
        return RDL_E_UNSUPPORTED;
    if (rdl_votes_count_errors(r, RDL_E_FENCE_RANGE) > spare)
        return RDL_E_FENCE_RANGE;
    if (is_busy(r, denied))
        return RDL_BUSY;
    if (is_quarantined(r))
        return RDL_E_QUARANTINE;
    if (r->tries > 0 && now_ms >= r->deadline_ms && now_ms - r->sent_ms < rdl_redlock_attempt_ms(r))
        return r->result;
    return RDL_NO_QUORUM;
}

static int granted(struct rdl_redlock *r, uint64_t now_ms)
{
    if (now_ms >= rdl_redlock_validity_end(r))
        return redlock_attempt_failed(r, RDL_EXPIRED, now_ms);
    if (r->opt->fencing != NULL && r->opt->fencing->settle(r, now_ms) == RDL_PENDING)
        return now_ms < r->wake_ms ? RDL_PENDING : redlock_attempt_failed(r, RDL_NO_QUORUM, now_ms);
    r->until_ms = rdl_redlock_validity_end(r);
    r->since_ms = r->sent_ms;
    r->extensions = 0;
    return rdl_redlock_finish(r, RDL_OK);
}

/*
 * Ends an attempt that cannot get a majority any more. What was or may have been granted is released now.
 * Only the result waits, within the attempt's time, until it is certain whether the lock is busy.
 */
static int redlock_not_granted(struct rdl_redlock *r, uint64_t now_ms)
{
    if (now_ms < r->wake_ms && is_undecided(r)) {
        if (r->state != REDLOCK_VERDICT)
            rdl_votes_release_granted(r, now_ms);
        r->state = REDLOCK_VERDICT;
        if (is_undecided(r))
            return RDL_PENDING;
    }
    /* Before refusal(): an abandoned vote becomes DENIED if SET was refused and only the PTTL is missing. */
    rdl_votes_release(r, 0, now_ms);
    return redlock_attempt_failed(r, refusal(r, now_ms), now_ms);
}

/* Asks the other servers after the probe server has granted; they have the time of a whole attempt. */
static void follow_probe_server(struct rdl_redlock *r, uint64_t now_ms)
{
    r->probe_server = 0;
    r->wake_ms = now_ms + rdl_redlock_attempt_ms(r);
    rdl_redlock_wake_by(r, r->deadline_ms);
    rdl_votes_ask(r, now_ms);
}

int rdl_redlock_evaluate_acquire(struct rdl_redlock *r, uint64_t now_ms)
{
    if (r->state == REDLOCK_VERDICT)
        return redlock_not_granted(r, now_ms);
    /* If the probe server fails, the result is the previous attempt's, BUSY, even if it only timed out. */
    if (r->probe_server != 0) {
        uint8_t vote = r->servers[r->probe_server - 1].vote;
        if (vote == RDL_VOTE_GRANTED)
            follow_probe_server(r, now_ms);
        else if (vote > RDL_VOTE_GRANTED || now_ms >= r->wake_ms)
            return redlock_attempt_failed(r, RDL_BUSY, now_ms);
        else
            return RDL_PENDING;
    }
    if (rdl_votes_count(r, rdl_is_yes) >= rdl_redlock_quorum(r))
        return granted(r, now_ms);
    if (rdl_votes_count(r, rdl_is_impossible) > r->n - rdl_redlock_quorum(r) || now_ms >= r->wake_ms)
        return redlock_not_granted(r, now_ms);
    return RDL_PENDING;
}

/* Returns when the next connected server begins to count; the deadline at the latest. */
static uint64_t next_to_count(const struct rdl_redlock *r)
{
    uint64_t next_ms = r->deadline_ms;
    size_t i;

    for (i = 0; i < r->n; i++) {
        uint64_t at_ms = rdl_redlock_counts_at(r, i);
        int is_there = rdl_conn_state(r->servers[i].conn) == RDL_CONN_READY;
        if (is_there && !r->servers[i].counts && at_ms < next_ms)
            next_ms = at_ms;
    }
    return next_ms;
}

/* Waits or ends the attempt: too few servers are connected and count (admitted). */
static int too_few_servers(struct rdl_redlock *r, unsigned admitted, uint64_t now_ms)
{
    unsigned spare = r->n - rdl_redlock_quorum(r);
    unsigned closed = rdl_votes_count(r, rdl_was_refused);
    unsigned hopeless = closed + rdl_votes_count(r, rdl_is_ineligible);
    unsigned ready = rdl_votes_count_conns(r, RDL_CONN_READY);
    unsigned barred = ready - admitted; /* for a time, or permanently */
    int is_known = closed + ready == r->n || now_ms >= r->deadline_ms;

    /* a quarantine begins with the reply to INFO: without the others' replies, one would follow another */
    if (hopeless <= spare && closed + barred > spare && is_known)
        return redlock_attempt_failed(r, RDL_E_QUARANTINE, now_ms);
    if (hopeless > spare || now_ms >= r->deadline_ms)
        return redlock_attempt_failed(r, RDL_NO_QUORUM, now_ms);
    r->wake_ms = next_to_count(r);
    return RDL_PENDING;
}

static void next_token(struct rdl_redlock *r)
{
    if (r->has_new_entropy) {
        rdl_token_begin(&r->token, r->entropy);
        r->keys_end_ms = 0;
    }
    r->has_new_entropy = 0;
    rdl_token_next(&r->token);
    rdl_token_hex(&r->token, r->value);
}

/* Validity begins with the attempt: when a majority of the servers is ready and counts. */
int rdl_redlock_connect(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned admitted = rdl_votes_mark_eligible(r, now_ms);

    if (r->fence >= RDL_FENCE_MAX || r->least > RDL_FENCE_MAX)
        return rdl_redlock_finish(r, RDL_E_FENCE_RANGE);
    if (admitted < rdl_redlock_quorum(r))
        return too_few_servers(r, admitted, now_ms);
    rdl_votes_clear(r);
    rdl_redlock_start_asking(r, now_ms);
    if (r->tries > 0) /* the first attempt always has its time */
        rdl_redlock_wake_by(r, r->deadline_ms);
    r->probe_server = choose_probe_server(r);
    r->by_probe_server = r->probe_server != 0;
    next_token(r);
    rdl_votes_ask(r, now_ms);
    return rdl_redlock_evaluate_acquire(r, now_ms);
}
