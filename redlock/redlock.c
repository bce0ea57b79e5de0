/* SPDX-License-Identifier: MIT */
/*
 * redlock.c - one lock on N servers: its operations and their states.
 *
 * All servers get each request at once, and only their votes decide. A server that is not connected when an
 * operation begins gets the request when it is, while the operation lasts. Each SET that may have been
 * granted needs a release after it. That release is queued when an attempt fails or the lease ends, and then
 * no longer depends on the handle.
 */
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

/* Returns 1 for the canary's name: clients that check canaries would overwrite a lock with this name. */
static int is_canary_key(const struct rdl_redlock *r)
{
    return r->name_len == sizeof RDL_CANARY_KEY - 1 && rdl_is_same(r->name, RDL_CANARY_KEY, r->name_len);
}

/* Checks the handle's set-up, before anything is sent. */
static int check_but_ttl(const struct rdl_redlock *r)
{
    if (r->n < 1)
        return r->result;
    if (rdl_guard_requires_info(r->opt->guard) < 0)
        return RDL_E_CONFIG;
    return r->name_len < 1 || is_canary_key(r) ? RDL_E_NAME : RDL_OK;
}

static int check(const struct rdl_redlock *r)
{
    uint32_t ttl_ms = rdl_first_ttl_ms(&r->opt->lease);
    int rc = check_but_ttl(r);

    if (rc == RDL_OK && ttl_ms > rdl_redlock_max_ttl_ms(r))
        return RDL_E_TTL;
    return rc != RDL_OK ? rc : rdl_ttl_check(&r->opt->lease, ttl_ms);
}

int rdl_redlock_init(struct rdl_redlock *r, const struct rdl_redlock_options *opt, struct rdl_server *servers,
                     size_t n, const void *name, size_t name_len)
{
    size_t i;

    rdl_zero(r, sizeof *r);
    r->opt = opt;
    r->servers = servers;
    r->name = name;
    r->name_len = (uint8_t)(name_len > RDL_NAME_MAX ? 0 : name_len);
    r->n = (uint8_t)(n > RDL_SERVERS_MAX ? 0 : n);
    r->result = r->n > 0 ? RDL_OK : RDL_E_CONFIG; /* why n is 0: acquire reports it */
    for (i = 0; i < r->n; i++) {
        struct rdl_conn *conn = servers[i].conn;
        int rc = rdl_guard_conn(conn);
        RDL_ASSERT(!rdl_conn_refers_to(conn, servers, n * sizeof *servers)); /* they are in use */
        rdl_zero(&servers[i], sizeof servers[i]);
        servers[i].conn = conn;
        servers[i].counts = 1;
        if (rc != RDL_OK) {
            r->n = 0;
            r->result = (int16_t)rc;
            return rc;
        }
        if (rdl_guard_requires_info(opt->guard) > 0)
            conn->cfg->server_info->needs_info = 1;
    }
    if (r->n > 0)
        r->user = servers->user = (uint16_t)((uintptr_t)r >> 3);
    return check(r);
}

static int is_in_use(const struct rdl_redlock *r)
{
    return r->until_ms != 0 || r->state != REDLOCK_IDLE;
}

/*
 * Returns 1 if another redlock was set up with these servers, or is a copy of this one that was used since,
 * or if this one is a copy of one in use. Then no call touches the servers.
 */
static int servers_are_taken(const struct rdl_redlock *r)
{
    return r->n > 0 && (r->servers->user != r->user || (is_in_use(r) && r->self != r));
}

/* Begins a use: from now on the copies of this redlock are none. Without servers (n is 0) no use begins. */
static void take_servers(struct rdl_redlock *r)
{
    r->self = r;
    r->user = (uint16_t)(r->user + (r->seed | 1));
    r->servers->user = r->user;
}

/*
 * Ends the use of one whose servers are taken. A copy would otherwise count as moved from then on; its
 * canaries and its hint are those of the original.
 */
static int leave_servers(struct rdl_redlock *r)
{
    int is_own = is_in_use(r) && r->self == r;

    r->until_ms = 0;
    r->state = REDLOCK_IDLE;
    if (is_own)
        rdl_redlock_end_waits(r);
    r->user = (uint16_t)~r->servers->user;
    return RDL_E_SHARED;
}

/* Ends the operation of one whose servers are taken; a lease stays until it is released or canceled. */
static int end_on_taken_servers(struct rdl_redlock *r)
{
    if (r->state != REDLOCK_IDLE && r->until_ms == 0)
        return leave_servers(r);
    r->state = REDLOCK_IDLE;
    return RDL_E_SHARED;
}

void rdl_redlock_set_hint(struct rdl_redlock *r, struct rdl_hint *hint)
{
    RDL_ASSERT(r->state == REDLOCK_IDLE);
    r->hint = hint;
}

/* ---------------------------------------------------------------- connecting */

/* Returns the longest connect_ms of the conns. */
static uint32_t connect_ms(const struct rdl_redlock *r)
{
    uint32_t longest_ms = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        uint32_t ms = rdl_conn_connect_ms(r->servers[i].conn);
        if (ms > longest_ms)
            longest_ms = ms;
    }
    return longest_ms;
}

/* Returns when an operation stops waiting; an extend also stops when its lease ends. */
RDL_NOINLINE static uint64_t due_ms(const struct rdl_redlock *r)
{
    return r->action == RDL_EXTEND && r->until_ms < r->wake_ms ? r->until_ms : r->wake_ms;
}

/* Returns 1 if a majority is not connected but may be soon. A stalled conn counts as connected. */
static int is_connecting(const struct rdl_redlock *r)
{
    unsigned quorum = rdl_redlock_quorum(r);
    unsigned there = rdl_votes_count_conns(r, RDL_CONN_READY) + rdl_votes_count_conns(r, RDL_CONN_STALLED);

    return there < quorum && rdl_votes_count_conns(r, RDL_CONN_CLOSED) <= r->n - quorum;
}

/* Makes an extend or a release wait for a majority of the conns first, until end_ms at the latest. */
static void start_connecting(struct rdl_redlock *r, uint64_t end_ms, uint64_t now_ms)
{
    r->state = REDLOCK_CONNECT;
    r->wake_ms = now_ms + connect_ms(r);
    rdl_redlock_wake_by(r, end_ms);
}

/* Begins the attempt when a majority is connected, or when the wait is over. */
static int step_connecting(struct rdl_redlock *r, uint64_t now_ms)
{
    int rc = RDL_OK;

    if (now_ms < due_ms(r) && is_connecting(r))
        return RDL_PENDING;
    if (r->action == RDL_EXTEND)
        rc = rdl_redlock_check_extend(r, r->ttl_ms, now_ms);
    if (rc != RDL_OK) /* the lease would now outlast the longest hold */
        return rdl_redlock_finish(r, rc);
    rdl_redlock_start_asking(r, now_ms);
    if (r->action == RDL_EXTEND)
        rdl_redlock_wake_by(r, r->deadline_ms);
    return RDL_OK;
}

/* ---------------------------------------------------------------- release */

/*
 * Decides whether a majority held the lock until now. A pending reply may still change that. A server that
 * does not reply is assumed to be unchanged since its last reply.
 */
static int evaluate_release(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned quorum = rdl_redlock_quorum(r);
    unsigned released = rdl_redlock_count(r, RDL_VOTE_GRANTED);
    unsigned stolen = rdl_redlock_count(r, RDL_VOTE_DENIED);
    unsigned gone = released + rdl_redlock_count(r, RDL_VOTE_ABSENT) + stolen;
    unsigned had = rdl_votes_count(r, rdl_was_held);

    if (stolen >= quorum)
        return rdl_redlock_finish(r, RDL_LOST);
    if (gone >= quorum && had + rdl_votes_count(r, rdl_was_maybe_held) < quorum)
        return rdl_redlock_finish(r, RDL_EXPIRED);
    if (released >= quorum)
        return rdl_redlock_finish(r, RDL_OK);
    if (rdl_redlock_count(r, RDL_VOTE_PENDING) + rdl_votes_count(r, rdl_is_unreleased) > 0 &&
        now_ms < r->wake_ms)
        return RDL_PENDING;
    rdl_votes_abandon(r, now_ms);
    if (gone + rdl_votes_count(r, rdl_is_untouched) < quorum)
        return rdl_redlock_finish(r, RDL_UNKNOWN);
    return rdl_redlock_finish(r, had < quorum ? RDL_EXPIRED : RDL_OK);
}

/* ---------------------------------------------------------------- operations */

static int redlock_step_asked(struct rdl_redlock *r, uint64_t now_ms)
{
    if (r->action == RDL_RELEASE) {
        rdl_votes_flush_releases(r, 1, now_ms);
        return evaluate_release(r, now_ms);
    }
    rdl_votes_ask(r, now_ms);
    return r->action == RDL_ACQUIRE ? rdl_redlock_evaluate_acquire(r, now_ms)
                                    : rdl_redlock_evaluate_extend(r, now_ms);
}

/*
 * Ends a pause. Keys that the last attempt left would block the next one, so it waits until their releases
 * are queued, but no longer than two attempt times after the last attempt began.
 */
static int step_pause(struct rdl_redlock *r, uint64_t now_ms)
{
    uint64_t wait_end_ms = r->sent_ms + 2 * (uint64_t)rdl_redlock_attempt_ms(r);

    if (wait_end_ms > r->deadline_ms)
        wait_end_ms = r->deadline_ms;
    rdl_votes_flush_releases(r, 0, now_ms);
    if (now_ms < r->wake_ms && (r->hint == NULL || !r->hint->ops->fired(r->hint, now_ms)))
        return RDL_PENDING;
    if (r->tries > 0 && now_ms >= r->deadline_ms)
        return rdl_redlock_finish(r, r->result);
    if (rdl_votes_count(r, rdl_is_unreleased) > 0 && now_ms < wait_end_ms) {
        r->wake_ms = now_ms + RDL_QUEUE_RETRY_MS;
        rdl_redlock_wake_by(r, wait_end_ms);
        return RDL_PENDING;
    }
    r->state = REDLOCK_CONNECT;
    return rdl_redlock_connect(r, now_ms);
}

int rdl_redlock_step(struct rdl_redlock *r, uint64_t now_ms)
{
    int rc;

    if (servers_are_taken(r))
        return end_on_taken_servers(r);
    if (r->state != REDLOCK_IDLE && r->action == RDL_ACQUIRE)
        r->stepped_ms = (uint32_t)now_ms;
    r->tick_ms = rdl_votes_take_replies(r, now_ms);
    if (r->state == REDLOCK_CONNECT && r->action != RDL_ACQUIRE) {
        rc = step_connecting(r, now_ms);
        if (rc != RDL_OK)
            return rc;
    }
    switch ((enum redlock_state)r->state) {
    case REDLOCK_CONNECT:
        return rdl_redlock_connect(r, now_ms);
    case REDLOCK_ASKED:
    case REDLOCK_FENCE:
        return redlock_step_asked(r, now_ms);
    case REDLOCK_VERDICT:
        return rdl_redlock_evaluate_acquire(r, now_ms);
    case REDLOCK_REPAIR:
        return rdl_redlock_evaluate_extend(r, now_ms);
    case REDLOCK_PAUSE:
        return step_pause(r, now_ms);
    case REDLOCK_IDLE:
        if (r->until_ms == 0)
            rdl_votes_flush_releases(r, 0, now_ms);
        rdl_redlock_follow_up(r, now_ms);
        break;
    }
    return r->result;
}

static void seed_conns(const struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; i < r->n; i++)
        rdl_conn_seed(r->servers[i].conn, r->seed + (uint32_t)i);
}

/* Returns 1 if the last operation was a release that failed, and repeats it where the key may still exist. */
static int release_again(struct rdl_redlock *r)
{
    size_t i;

    if (r->result != RDL_UNKNOWN || r->until_ms != 0)
        return 0;
    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        s->req.may_be_second = s->vote == RDL_VOTE_PENDING || s->vote > RDL_VOTE_ABSENT;
        s->needs_release |= s->req.may_be_second;
    }
    return 1;
}

int rdl_redlock_acquire_begin(struct rdl_redlock *r, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms)
{
    int rc = check(r);

    RDL_ASSERT(r->state == REDLOCK_IDLE && (r->until_ms <= now_ms || r->until_ms == UINT64_MAX));
    if (servers_are_taken(r))
        return RDL_E_SHARED;
    (void)release_again(r);
    rdl_votes_release(r, 0, now_ms); /* also a lease that expired and was never released */
    if (rc != RDL_OK)
        return rdl_redlock_finish(r, rc);
    rdl_copy(r->entropy, entropy, sizeof r->entropy);
    r->has_new_entropy = 1;
    r->seed = rdl_token_seed(entropy);
    r->attempts = r->refused = 0;
    r->begun_ms = (uint32_t)now_ms;
    seed_conns(r);
    take_servers(r);
    r->action = RDL_ACQUIRE;
    r->ttl_ms = rdl_first_ttl_ms(&r->opt->lease);
    r->deadline_ms = rdl_give_up_ms(&r->opt->lease, connect_ms(r), now_ms);
    r->tries = 0;
    r->number = 0;
    r->probe_server_next = r->probe_server_skip = r->probe_server = r->by_probe_server = 0;
    r->state = REDLOCK_PAUSE;
    r->wake_ms = now_ms;
    r->sent_ms = now_ms;
    rdl_votes_clear(r);
    return rdl_redlock_step(r, now_ms);
}

int rdl_redlock_extend_begin(struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms)
{
    int rc = rdl_redlock_check_extend(r, ttl_ms, now_ms);
    uint64_t end_ms;

    RDL_ASSERT(r->state == REDLOCK_IDLE);
    if (rc != RDL_OK)
        return rc;
    if (servers_are_taken(r))
        return RDL_E_SHARED;
    rdl_votes_take_replies(r, now_ms);
    if (r->until_ms <= now_ms)
        return rdl_redlock_lease_ended(r, RDL_LOST, now_ms);
    if (r->abort_below_ms <= 1) /* no extend is unconfirmed, or it was aborted already */
        r->abort_below_ms = rdl_redlock_remaining_ms(r, now_ms) / 2;
    r->action = RDL_EXTEND;
    end_ms = rdl_is_never(r->keys_end_ms) ? r->until_ms : r->keys_end_ms; /* adopted: as far as we know */
    r->ttl_ms = rdl_ttl_longest(ttl_ms, rdl_is_never(end_ms) ? 0 : end_ms, now_ms);
    /* One attempt: the holder learns of a loss in time. Nothing depends on an adopted lease yet. */
    r->deadline_ms = rdl_is_never(r->until_ms) ? UINT64_MAX : now_ms + rdl_redlock_attempt_ms(r);
    rdl_votes_clear(r);
    start_connecting(r, r->deadline_ms, now_ms);
    return rdl_redlock_step(r, now_ms);
}

/* Also while an extend is pending: its replies are not waited for any more. */
int rdl_redlock_release_begin(struct rdl_redlock *r, uint64_t now_ms)
{
    RDL_ASSERT(r->state == REDLOCK_IDLE || r->action == RDL_EXTEND);
    if (servers_are_taken(r))
        return leave_servers(r);
    if (r->until_ms != 0) {
        rdl_votes_take_replies(r, now_ms);
        rdl_votes_clear(r);
        r->deadline_ms = rdl_is_never(r->until_ms) ? 0 : r->until_ms;
    } else if (!release_again(r)) {
        return rdl_redlock_finish(r, RDL_EXPIRED);
    }
    take_servers(r);
    start_connecting(r, UINT64_MAX, now_ms);
    rdl_votes_release(r, 1, now_ms);
    r->action = RDL_RELEASE;
    return rdl_redlock_step(r, now_ms);
}

/* First releases what it held, unless that has the same lock token. These replies are not counted. */
int rdl_redlock_adopt(struct rdl_redlock *r, const char *token_hex, size_t len)
{
    struct rdl_token token;
    int rc = check_but_ttl(r); /* a release has no ttl, and an extend has its own */
    size_t i;

    RDL_ASSERT(r->state == REDLOCK_IDLE);
    if (rc != RDL_OK)
        return rc;
    if (servers_are_taken(r))
        return RDL_E_SHARED;
    if (rdl_token_from_hex(&token, token_hex, len) != RDL_OK)
        return RDL_E_TOKEN;
    for (i = 0; r->until_ms != 0 && i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        s->needs_release = s->needs_release && !rdl_is_same(&token, &r->token, sizeof token);
    }
    rdl_votes_release(r, 0, r->sent_ms);
    rdl_votes_clear(r);
    r->token = token;
    rdl_copy(r->value, token_hex, sizeof r->value);
    r->action = RDL_RELEASE; /* not an acquire: nothing is sent to servers that connect later */
    r->until_ms = UINT64_MAX;
    r->keys_end_ms = UINT64_MAX; /* only the client that acquired it knows */
    r->number = 0;
    r->extensions = 0;
    take_servers(r);
    for (i = 0; i < r->n; i++) {
        r->servers[i].needs_release = 1;
        r->servers[i].certainty = CERTAINTY_RESTORED;
    }
    return RDL_OK;
}

void rdl_redlock_token(const struct rdl_redlock *r, char out[RDL_TOKEN_TEXT_MAX])
{
    struct rdl_bytes value = {out, RDL_VALUE_MAX};

    rdl_token_hex(&r->token, out); /* also before the first acquire */
    if (r->owner != NULL)
        r->owner->redlock_value(r, &value);
    rdl_copy(out, value.data, value.len);
    out[value.len] = '\0';
}

void rdl_redlock_cancel(struct rdl_redlock *r)
{
    if (servers_are_taken(r)) {
        (void)leave_servers(r);
        return;
    }
    rdl_votes_release(r, 0, r->sent_ms);
    rdl_redlock_finish(r, RDL_EXPIRED);
}

uint64_t rdl_redlock_wake_ms(const struct rdl_redlock *r)
{
    return r->state == REDLOCK_IDLE || r->tick_ms < due_ms(r) ? r->tick_ms : due_ms(r);
}

uint64_t rdl_redlock_until_ms(const struct rdl_redlock *r)
{
    return !rdl_is_never(r->until_ms) && r->self == r ? r->until_ms : 0;
}

struct rdl_stats rdl_redlock_stats(const struct rdl_redlock *r)
{
    return (struct rdl_stats){r->attempts, r->refused, r->stepped_ms - r->begun_ms};
}

int rdl_redlock_is_idle(const struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        if (!rdl_conn_is_idle(r->servers[i].conn))
            return 0;
    }
    return r->until_ms != 0 || rdl_votes_count(r, rdl_is_unreleased) == 0;
}
