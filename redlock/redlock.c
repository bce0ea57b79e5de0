/* SPDX-License-Identifier: MIT */
/*
 * redlock.c - one lock on N servers: whom to ask, how to count, what is owed.
 *
 * All servers are asked at once and judged by their votes alone. A server that is not connected when an
 * operation begins is asked as soon as it is, while the operation lasts. What every server is owed in the
 * end, a release behind each SET that may have been granted, is queued the moment an attempt fails or the
 * lease ends; it then goes out with or without us.
 */
#include <string.h>

#include "redlock/redlock_private.h"

enum redlock_state {
    REDLOCK_IDLE,    /* no operation */
    REDLOCK_CONNECT, /* waiting for a majority of the conns */
    REDLOCK_ASKED,   /* counting votes */
    REDLOCK_PAUSE    /* between two attempts */
};

void rdl_redlock_init(struct rdl_redlock *r, const struct rdl_redlock_options *opt,
                      struct rdl_server *servers, size_t n, const void *name, size_t name_len)
{
    size_t i;

    memset(r, 0, sizeof *r);
    r->opt = opt;
    r->servers = servers;
    r->name = name;
    r->name_len = name_len > RDL_NAME_MAX ? 0 : (uint8_t)name_len;
    r->n = n > RDL_SERVERS_MAX ? 0 : (uint8_t)n;
    for (i = 0; i < r->n; i++) {
        struct rdl_conn *conn = servers[i].conn;
        memset(&servers[i], 0, sizeof servers[i]);
        servers[i].conn = conn;
    }
}

static int finish(struct rdl_redlock *r, int result)
{
    r->state = REDLOCK_IDLE;
    r->result = (int16_t)result;
    return result;
}

/* ---------------------------------------------------------------- acquire */

static int attempt_failed(struct rdl_redlock *r, int result, uint64_t now_ms)
{
    uint64_t took_ms = now_ms - r->sent_ms;
    uint64_t hint_ms = rdl_votes_hint_ms(r);
    uint64_t pause_ms;
    uint32_t base_ms = r->opt->lease.retry_ms;

    rdl_votes_release(r, 0, now_ms);
    if (rdl_is_one_attempt(&r->opt->lease) || now_ms >= r->deadline_ms || rdl_votes_are_permanent(r))
        return finish(r, result);
    /* Comparably greater than the attempt took, or two who collide keep splitting the votes. */
    if (r->state == REDLOCK_ASKED && took_ms * 2 > base_ms)
        base_ms = took_ms * 2 < RDL_RETRY_CAP_MS ? (uint32_t)took_ms * 2 : RDL_RETRY_CAP_MS;
    pause_ms = rdl_backoff_ms(&r->seed, base_ms, RDL_RETRY_CAP_MS, r->tries);
    if (pause_ms > hint_ms)
        pause_ms = hint_ms + 1;
    if (r->tries < UINT8_MAX)
        r->tries++;
    r->result = (int16_t)result;
    r->state = REDLOCK_PAUSE;
    r->wake_ms = now_ms + pause_ms < r->deadline_ms ? now_ms + pause_ms : r->deadline_ms;
    return RDL_PENDING;
}

/*
 * Why an attempt without a majority failed: the lock is busy if refusals alone rule a majority out, or if
 * a majority of the servers answered. An attempt that the deadline cut short says no more than the one
 * before it.
 */
static int refusal(const struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned denied = rdl_redlock_count(r, RDL_VOTE_DENIED);
    unsigned quorum = rdl_redlock_quorum(r);

    if (denied > r->n - quorum)
        return RDL_BUSY;
    if (denied > 0 && denied + rdl_redlock_count(r, RDL_VOTE_GRANTED) >= quorum)
        return RDL_BUSY;
    if (r->tries > 0 && now_ms >= r->deadline_ms && now_ms - r->sent_ms < rdl_attempt_ms(&r->opt->lease))
        return r->result;
    return RDL_NO_QUORUM;
}

/* Validity runs from before the first send: whatever the way took, the servers' clocks started later. */
static uint64_t validity_end(const struct rdl_redlock *r)
{
    return r->sent_ms + r->ttl_ms - rdl_drift_ms(r->ttl_ms);
}

static int judge_acquire(struct rdl_redlock *r, uint64_t now_ms)
{
    if (rdl_redlock_count(r, RDL_VOTE_GRANTED) >= rdl_redlock_quorum(r)) {
        if (now_ms >= validity_end(r))
            return attempt_failed(r, RDL_EXPIRED, now_ms);
        r->until_ms = validity_end(r);
        return finish(r, RDL_OK);
    }
    if (rdl_votes_noes(r) > r->n - rdl_redlock_quorum(r) || now_ms >= r->wake_ms)
        return attempt_failed(r, refusal(r, now_ms), now_ms);
    return RDL_PENDING;
}

static void start_asking(struct rdl_redlock *r, uint64_t now_ms)
{
    r->sent_ms = now_ms;
    r->wake_ms = now_ms + rdl_attempt_ms(&r->opt->lease);
    r->state = REDLOCK_ASKED;
    rdl_votes_clear(r);
}

/* An attempt, and with it validity, begins when a majority of the conns is ready. */
static int step_connect(struct rdl_redlock *r, uint64_t now_ms)
{
    if (rdl_votes_conns(r, RDL_CONN_READY) >= rdl_redlock_quorum(r)) {
        start_asking(r, now_ms);
        if (r->tries > 0 && r->wake_ms > r->deadline_ms) /* the first attempt always has its time */
            r->wake_ms = r->deadline_ms;
        rdl_token_next(&r->token);
        rdl_votes_ask(r, now_ms);
        return judge_acquire(r, now_ms);
    }
    if (rdl_votes_conns(r, RDL_CONN_CLOSED) > r->n - rdl_redlock_quorum(r) || now_ms >= r->deadline_ms)
        return attempt_failed(r, RDL_NO_QUORUM, now_ms);
    return RDL_PENDING;
}

/* ---------------------------------------------------------------- extend and release */

static int lost(struct rdl_redlock *r, uint64_t now_ms)
{
    rdl_votes_release(r, 0, now_ms);
    return finish(r, RDL_LOST);
}

static int judge_extend(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned gone = rdl_redlock_count(r, RDL_VOTE_DENIED) + rdl_redlock_count(r, RDL_VOTE_ABSENT);
    unsigned spare = r->n - rdl_redlock_quorum(r);

    if (now_ms >= r->until_ms || gone > spare)
        return lost(r, now_ms);
    if (rdl_redlock_count(r, RDL_VOTE_GRANTED) >= rdl_redlock_quorum(r)) {
        if (validity_end(r) > r->until_ms)
            r->until_ms = validity_end(r);
        return finish(r, RDL_OK);
    }
    if (rdl_votes_noes(r) > spare || now_ms >= r->wake_ms)
        return finish(r, RDL_UNKNOWN);
    return RDL_PENDING;
}

/*
 * Was it still the lock of a majority until now? Who has not answered yet may be the one to tell; whoever
 * never does is believed to have what he had when he was last heard.
 */
static int judge_release(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned quorum = rdl_redlock_quorum(r);
    unsigned stolen = rdl_redlock_count(r, RDL_VOTE_DENIED);
    unsigned gone = rdl_redlock_count(r, RDL_VOTE_GRANTED) + rdl_redlock_count(r, RDL_VOTE_ABSENT) + stolen;

    if (stolen >= quorum)
        return finish(r, RDL_LOST);
    if (gone >= quorum && rdl_votes_held(r) < quorum)
        return finish(r, RDL_EXPIRED);
    if (rdl_votes_let_go(r) >= quorum)
        return finish(r, RDL_OK);
    if (rdl_redlock_count(r, RDL_VOTE_PENDING) == 0 || now_ms >= r->wake_ms)
        return finish(r, gone >= quorum ? RDL_OK : RDL_UNKNOWN);
    return RDL_PENDING;
}

/* ---------------------------------------------------------------- operations */

static int step_asked(struct rdl_redlock *r, uint64_t now_ms)
{
    if (r->op == RDL_RELEASE)
        return judge_release(r, now_ms);
    rdl_votes_ask(r, now_ms);
    return r->op == RDL_ACQUIRE ? judge_acquire(r, now_ms) : judge_extend(r, now_ms);
}

int rdl_redlock_step(struct rdl_redlock *r, uint64_t now_ms)
{
    r->upkeep_ms = rdl_votes_tend(r, now_ms);
    switch ((enum redlock_state)r->state) {
    case REDLOCK_CONNECT:
        return step_connect(r, now_ms);
    case REDLOCK_ASKED:
        return step_asked(r, now_ms);
    case REDLOCK_PAUSE:
        if (now_ms < r->wake_ms)
            return RDL_PENDING;
        if (now_ms >= r->deadline_ms)
            return finish(r, r->result);
        r->state = REDLOCK_CONNECT;
        r->wake_ms = r->deadline_ms;
        return step_connect(r, now_ms);
    case REDLOCK_IDLE:
        break;
    }
    return r->result;
}

static int check_ttl(const struct rdl_redlock *r, uint32_t ttl_ms)
{
    return ttl_ms > r->opt->max_ttl_ms ? RDL_E_TTL : rdl_ttl_check(&r->opt->lease, ttl_ms);
}

static int check(const struct rdl_redlock *r)
{
    if (r->n < 1)
        return RDL_E_SERVERS;
    if (r->opt->guard < RDL_GUARD_STRICT || r->opt->guard > RDL_GUARD_OFF)
        return RDL_E_GUARD;
    if (r->name_len < 1)
        return RDL_E_NAME;
    return check_ttl(r, r->opt->lease.ttl_ms);
}

/* One attempt does not wait for more than connecting, however often a conn fails and is tried again. */
static uint64_t give_up_ms(const struct rdl_redlock *r, uint64_t now_ms)
{
    uint32_t longest_ms = 0;
    size_t i;

    if (!rdl_is_one_attempt(&r->opt->lease))
        return rdl_give_up_ms(&r->opt->lease, now_ms);
    for (i = 0; i < r->n; i++) {
        uint32_t ms = r->servers[i].conn->cfg->connect_ms;
        if (ms == 0)
            ms = RDL_CONNECT_MS;
        if (ms > longest_ms)
            longest_ms = ms;
    }
    return now_ms + longest_ms;
}

static void stir_conns(const struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; i < r->n; i++)
        rdl_conn_stir(r->servers[i].conn, r->seed + (uint32_t)i);
}

int rdl_redlock_acquire_begin(struct rdl_redlock *r, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms)
{
    int rc = check(r);

    RDL_ASSERT(r->state == REDLOCK_IDLE && r->until_ms <= now_ms);
    if (rc != RDL_OK)
        return finish(r, rc);
    rdl_votes_release(r, 0, now_ms); /* of a lease that ran out and was never released */
    rdl_token_init(&r->token, entropy);
    r->seed = rdl_token_seed(&r->token);
    stir_conns(r);
    r->op = RDL_ACQUIRE;
    r->ttl_ms = r->opt->lease.ttl_ms;
    r->deadline_ms = give_up_ms(r, now_ms);
    r->tries = 0;
    r->state = REDLOCK_CONNECT;
    r->wake_ms = r->deadline_ms;
    r->sent_ms = now_ms;
    rdl_votes_clear(r);
    return rdl_redlock_step(r, now_ms);
}

int rdl_redlock_extend_begin(struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms)
{
    RDL_ASSERT(r->state == REDLOCK_IDLE);
    if (check_ttl(r, ttl_ms) != RDL_OK)
        return RDL_E_TTL;
    rdl_votes_tend(r, now_ms);
    if (r->until_ms <= now_ms)
        return lost(r, now_ms);
    r->op = RDL_EXTEND;
    r->ttl_ms = rdl_ttl_longest(ttl_ms, r->sent_ms + r->ttl_ms, now_ms);
    start_asking(r, now_ms);
    if (r->wake_ms > r->until_ms)
        r->wake_ms = r->until_ms;
    return rdl_redlock_step(r, now_ms);
}

int rdl_redlock_release_begin(struct rdl_redlock *r, uint64_t now_ms)
{
    uint64_t sent_ms = r->sent_ms;

    RDL_ASSERT(r->state == REDLOCK_IDLE);
    if (r->until_ms == 0)
        return finish(r, RDL_EXPIRED);
    rdl_votes_tend(r, now_ms);
    start_asking(r, now_ms);
    r->sent_ms = sent_ms; /* a release is of use until the keys end that the last send set */
    rdl_votes_release(r, 1, now_ms);
    r->op = RDL_RELEASE;
    return rdl_redlock_step(r, now_ms);
}

void rdl_redlock_cancel(struct rdl_redlock *r)
{
    rdl_votes_release(r, 0, r->sent_ms);
    finish(r, RDL_EXPIRED);
}

uint64_t rdl_redlock_wake_ms(const struct rdl_redlock *r)
{
    if (r->state == REDLOCK_IDLE || r->upkeep_ms < r->wake_ms)
        return r->upkeep_ms;
    return r->wake_ms;
}

uint32_t rdl_redlock_remaining_ms(const struct rdl_redlock *r, uint64_t now_ms)
{
    return r->until_ms > now_ms ? (uint32_t)(r->until_ms - now_ms) : 0;
}

uint64_t rdl_redlock_until_ms(const struct rdl_redlock *r)
{
    return r->until_ms;
}

int rdl_redlock_is_idle(const struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        if (!rdl_conn_is_idle(r->servers[i].conn))
            return 0;
    }
    return 1;
}
