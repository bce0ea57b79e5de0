/* SPDX-License-Identifier: MIT */
/* What must hold, one function each. They know what the servers really did; the library does not. */
#include "redlock/redlock_private.h"
#include "tests/sim/sim.h"

#include <stdlib.h>
#include <string.h>

static struct token *token_of(struct world *w, const struct handle *h)
{
    char hex[2 * RDL_TOKEN_LEN];
    token_hex(handle_token(h), hex);
    return token_find(w, hex, 0);
}

static int bits(unsigned v)
{
    int n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

static int asked(const struct world *w, const struct handle *h)
{
    return h->is_single ? 1 : w->servers;
}

static int quorum(const struct world *w, const struct handle *h)
{
    return asked(w, h) / 2 + 1;
}

/* ceil(ttl / 100) + 2 ms, written independently of the library on purpose. */
static uint64_t drift_ms(uint32_t ttl_ms)
{
    return (ttl_ms + 99) / 100 + 2;
}

/* ---------------------------------------------------------------- exclusion */

static void exclude(struct world *w, const struct handle *a, uint32_t left_a, const struct handle *b)
{
    uint32_t left_b = handle_remaining_ms(b, clock_ms(&w->client[b->client].clock, w->now));
    if (left_b > 0)
        world_violation(w, "exclusion", "c%u.%u (%u ms left) and c%u.%u (%u ms left) hold \"%s\"", a->client,
                        a->index, left_a, b->client, b->index, left_b, lock_name(handle_name(a)));
}

/* Counts the holders themselves, whatever the names of their slots are. */
static void oracle_slots(struct world *w)
{
    int held = 0;
    for (int k = 0; k < w->clients; k++)
        for (int j = 0; j < w->handles && !w->client[k].is_dead; j++) {
            const struct client *c = &w->client[k];
            held += handle_remaining_ms(&c->handle[j], clock_ms(&c->clock, w->now)) > 0;
        }
    if (w->opt.slots && held > w->opt.slots)
        world_violation(w, "slots", "%d clients hold one of %d slots", held, w->opt.slots);
}

void oracle_holders(struct world *w, struct client *c, uint64_t now_ms)
{
    oracle_slots(w);
    for (int i = 0; i < w->handles && !c->is_dead; i++) {
        const struct handle *mine = &c->handle[i];
        uint32_t left = handle_remaining_ms(mine, now_ms);
        unsigned names = handle_names(mine);
        if (left == 0)
            continue;
        oracle_fence_holders(w, mine);
        for (int k = 0; k < w->clients; k++)
            for (int j = 0; j < w->handles; j++) {
                const struct handle *other = &w->client[k].handle[j];
                if (other != mine && (names & handle_names(other)) && !w->client[k].is_dead)
                    exclude(w, mine, left, other);
            }
    }
}

/* ---------------------------------------------------------------- buffers */

int oracle_zone(const uint8_t *zone)
{
    static const uint8_t whole[ZONE] = {ZONE_BYTE, ZONE_BYTE, ZONE_BYTE, ZONE_BYTE,
                                        ZONE_BYTE, ZONE_BYTE, ZONE_BYTE, ZONE_BYTE};
    return memcmp(zone, whole, ZONE) == 0;
}

/* Without an operation a lock reserves nothing, held or not. */
void oracle_room(struct world *w, const struct handle *h)
{
    if (handle_room(h) != 0)
        world_violation(w, "lifetime", "c%u.%u still reserves room", h->client, h->index);
}

/* The queue's records are in order and keep the room that releases need; no buffer is exceeded. */
void oracle_bounds(struct world *w, const struct client *c, unsigned s)
{
    const struct rdl_conn *conn = &c->conn[s];
    const struct rdl_conn_config *cfg = &c->cfg[s];
    if (conn->base > conn->head || conn->head > conn->next_to_send || conn->next_to_send > conn->tail ||
        conn->tail > cfg->queue_len)
        world_violation(w, "bounds", "conn c%u-s%u: the queue is in disorder", c->index, s);
    if (conn->tail - conn->base + conn->reserved > cfg->queue_len)
        world_violation(w, "bounds", "conn c%u-s%u: a release may have no room", c->index, s);
    if (conn->reply_len > RDL_TEXT_MAX)
        world_violation(w, "bounds", "conn c%u-s%u: more in a buffer than it can hold", c->index, s);
    if (!oracle_zone((const uint8_t *)c->queue[s] + cfg->queue_len))
        world_violation(w, "bounds", "conn c%u-s%u: something was written behind a buffer", c->index, s);
}

/* ---------------------------------------------------------------- operations */

/* The time that an extend may take; twice that for restored keys and for raising a counter. */
static uint32_t longest_ms(const struct handle *h)
{
    const struct rdl_lock_options *opt = &h->opt.lease;
    uint32_t least_ms = rdl_attempt_ms(opt), far_ms = opt->attempt_ms == 0 ? opt->ttl_ms / 4 : 0;
    int has_more = !h->is_single && (h->state == EXTENDING || (h->state == ACQUIRING && h->opt.fencing));
    return (far_ms > least_ms ? far_ms : least_ms) * (has_more ? 2u : 1u);
}

/*
 * A command executed before the extend was sent belongs to an earlier extend, and proves nothing about this
 * one.
 */
static void oracle_extending(struct world *w, struct handle *h)
{
    struct token *t = token_of(w, h);
    if (h->is_out)
        return;
    h->is_out = h->is_single ? h->m->own.lock.req.is_queued : h->m->redlock.state == REDLOCK_ASKED;
    if (!t)
        return;
    t->extended = t->missed = 0;
    t->extend_us = NEVER;
}

void oracle_begin(struct world *w, struct handle *h, uint64_t now_ms)
{
    int waits = h->opt.lease.retry_ms != 0 && h->opt.lease.wait_ms != 0;
    h->op_us = w->now;
    h->op_ms = now_ms;
    h->until_ms = handle_until_ms(h);
    h->was_confirmed = h->was_voting = 0;
    if (h->state != EXTENDING)
        h->failed_ms = 0;
    else if (h->failed_ms == 0)
        h->failed_ms = now_ms;
    h->limit_ms = now_ms + longest_ms(h);
    if (h->state == ACQUIRING) { /* it connects from now on, even if the time it read is old */
        uint64_t true_ms = clock_ms(&w->client[h->client].clock, w->now);
        h->limit_ms = true_ms + longest_ms(h) * (h->slots ? 2u : 1u) +
                      (waits ? h->opt.lease.wait_ms : RDL_CONNECT_MS + 10);
    }
    if (h->state != EXTENDING) /* an acquire drops an expired lease */
        oracle_released(w, h);
    h->is_out = 0;
    if (h->state == EXTENDING)
        oracle_extending(w, h);
}

/* A majority of its connections is up, so a request is sent at once. */
static int is_connected(const struct world *w, const struct handle *h)
{
    int n = h->is_single ? 1 : w->servers, there = 0;
    for (int s = 0; s < n; s++) {
        enum rdl_conn_phase state = rdl_conn_state(&w->client[h->client].conn[s]);
        there += state == RDL_CONN_READY || state == RDL_CONN_STALLED;
    }
    return there > n / 2;
}

void oracle_begun(struct world *w, struct handle *h)
{
    /* The extend of a lease that is held has one time for connecting and for its request. */
    if (!is_connected(w, h) && (h->state != EXTENDING || handle_is_adopting(h)))
        h->limit_ms += RDL_CONNECT_MS + 10;
    if (h->state == EXTENDING)
        oracle_extending(w, h);
}

/* The stall came in the middle of a login. A login has its connect_ms, whatever the lease has left. */
static int in_login(const struct rdl_conn *conn, uint64_t since_ms)
{
    enum rdl_conn_phase state = rdl_conn_state(conn);
    return (state == RDL_CONN_OPENING || state == RDL_CONN_HANDSHAKE) &&
           (int32_t)((uint32_t)since_ms - conn->mark_ms) >= 0;
}

/*
 * If connections swallow everything and new ones work, a renewal timer loses no lease. The condition: the
 * following fits into the second half of the time that remained at the first failed extend. One attempt goes
 * into the stall, one finds the connection closed, one uses the new connection; and the timer's pauses
 * between them, and a login.
 */
void oracle_lost(struct world *w, const struct handle *h, uint64_t until_ms)
{
    const uint64_t harmless = FAULT_BIT(FAULT_SWALLOW) | FAULT_BIT(FAULT_HINT) | FAULT_BIT(FAULT_MULTI) |
                              FAULT_BIT(FAULT_WALL) | FAULT_BIT(FAULT_SCRIPTS);
    const struct client *c = &w->client[h->client];
    uint64_t abort_below_ms = h->failed_ms + (until_ms - h->failed_ms) / 2;
    uint64_t attempt_ms = rdl_attempt_ms(&h->opt.lease);
    int silent = 0;
    if ((w->faults & ~harmless) || w->has_canary || !h->uses_renewal || h->failed_ms == 0 ||
        h->mode == MODE_LEGACY)
        return;
    for (int s = 0; s < asked(w, h); s++) {
        uint64_t since_ms = clock_ms(&c->clock, w->link[h->client][s].swallows_since);
        if (since_ms >= abort_below_ms || in_login(&c->conn[s], since_ms))
            return; /* the new ones, too */
        silent += w->link[h->client][s].swallows_since != 0;
        uint64_t reply_timeout_ms = (uint64_t)llabs(c->conn[s].signed_timeout_ms);
        if (attempt_ms < reply_timeout_ms)
            attempt_ms = reply_timeout_ms;
    }
    if (silent > asked(w, h) - quorum(w, h) &&
        until_ms - abort_below_ms >= 3 * attempt_ms + 2 * (h->ttl_ms / 20 + 1) + 10 * w->slowest_us / MS)
        world_violation(w, "liveness", "c%u.%u lost its lease to a silence", h->client, h->index);
}

/*
 * The user stops its work because of the renewal timer: grace_ms before the lease ends, or up to two attempts
 * later if an extend was pending, and so before its end. Unless its client did not run in this time.
 */
void oracle_stopped(struct world *w, const struct handle *h, int is_lost, uint64_t now_ms)
{
    const struct client *c = &w->client[h->client];
    const struct rdl_renewal *k = &h->renewal;
    uint64_t late_us = c->paused_until > c->late_until ? c->paused_until : c->late_until;
    if (now_ms + k->grace_ms < k->until_ms)
        world_violation(w, "liveness", "c%u.%u stops too early", h->client, h->index);
    if (is_lost != (now_ms >= k->until_ms))
        world_violation(w, "truth", "c%u.%u: the renewal timer is wrong about the end", h->client, h->index);
    if (k->grace_ms != 0 && now_ms >= k->until_ms && clock_ms(&c->clock, late_us) + k->grace_ms < k->until_ms)
        world_violation(w, "work", "c%u.%u works to the end of its lease", h->client, h->index);
}

/* Every operation ends by its deadline. This is checked after each iteration of its client. */
void oracle_pending(struct world *w, struct handle *h, uint64_t now_ms)
{
    const struct client *c = &w->client[h->client];
    uint64_t late_us = c->paused_until > c->late_until ? c->paused_until : c->late_until;
    uint64_t resumed_ms = clock_ms(&c->clock, late_us) + longest_ms(h);
    uint64_t limit_ms =
        h->limit_ms > resumed_ms ? h->limit_ms : resumed_ms; /* the first attempt has its full time */
    if (h->state == EXTENDING && handle_until_ms(h) > h->until_ms && client_now_ms(w, c) < h->until_ms)
        h->was_confirmed = 1;
    if (h->state == EXTENDING)
        oracle_extending(w, h);
    h->was_voting = h->state == ACQUIRING && !h->is_single &&
                    (h->m->redlock.state == REDLOCK_ASKED || h->m->redlock.state == REDLOCK_VERDICT);
    if (now_ms > limit_ms + 1 && !c->stale_ms)
        world_violation(w, "deadline", "c%u.%u: an operation that began at %llu ms is not over", h->client,
                        h->index, (unsigned long long)(h->op_us / MS));
}

void oracle_released(struct world *w, struct handle *h)
{
    struct token *t = token_of(w, h);
    if (!t || !t->is_held)
        return;
    t->is_held = 0;
    t->ended_us = w->now;
}

void oracle_adopted(struct world *w, struct handle *h)
{
    char hex[2 * RDL_TOKEN_LEN];
    token_hex(handle_token(h), hex);
    struct token *t = token_find(w, hex, 1);
    if (t)
        t->is_adopted = 1;
}

/* No lease is longer than the grant of the first server that executed the command, less the drift. */
static void validity(struct world *w, const struct handle *h, uint64_t executed_us, uint64_t at_least_ms)
{
    const struct client *c = &w->client[h->client];
    uint64_t most = clock_ms(&c->clock, executed_us) + h->ttl_ms - drift_ms(h->ttl_ms);
    uint64_t until = handle_until_ms(h);
    if (w->faults & FAULT_BIT(FAULT_STEP_CLIENT))
        return;
    if (until > most && until > at_least_ms)
        world_violation(w, "validity", "c%u.%u believes in %llu ms more than it was given", h->client,
                        h->index, (unsigned long long)(until - (most > at_least_ms ? most : at_least_ms)));
}

static int is_calm(const struct world *w, const struct handle *h)
{
    return w->guard != RDL_GUARD_STRICT && !w->opt.is_scripted && w->faults == 0 &&
           8 * w->slowest_us < rdl_attempt_ms(&h->opt.lease) * MS;
}

/*
 * Did any attempt of this operation end like this, as far as the servers know? If the last attempt was cut
 * off, the result may be an earlier attempt's. Attempts count up in the token.
 */
static int was_ever(struct world *w, const struct handle *h, int result)
{
    struct rdl_token token = *handle_token(h);
    int n = asked(w, h), q = quorum(w, h);
    for (int tries = 0; tries < 256; tries++) {
        char hex[2 * RDL_TOKEN_LEN];
        token_hex(&token, hex);
        const struct token *t = token_find(w, hex, 0);
        int refused = t ? bits(t->refused) : 0, granted = t ? bits(t->granted) : 0;
        if (result == RDL_EXPIRED ? granted >= q : refused > n - q || (refused > 0 && refused + granted >= q))
            return 1;
        for (int i = RDL_TOKEN_LEN; --i >= RDL_ENTROPY_LEN && token.bytes[i]-- == 0;) {
        }
    }
    return 0;
}

/*
 * The reply of server s to this token's SET reaches its client by then, if the connection lasts. A reset
 * destroys bytes in flight at once, and the client may learn of it much later. Bytes that a partition held up
 * arrive when it ends.
 */
static int is_answered_by(const struct world *w, const struct handle *h, const struct token *t, int s,
                          uint64_t by_ms)
{
    const struct client *c = &w->client[h->client];
    const struct tcp *tcp = &w->tcp[t->via[s].tcp];
    uint64_t blocked = w->link[h->client][s].down_blocked;
    uint64_t arrives = tcp->down_last > blocked ? tcp->down_last : blocked;
    if (!((t->granted | t->refused) >> s & 1) || c->cfg[s].queue_len < QUEUE_BYTES)
        return 0; /* a small queue may have no room for the reply beside the release */
    return tcp->gen == t->via[s].gen && tcp == c->tcp[s] && !tcp->down_ended && !tcp->down_lost &&
           !(tcp->swallows & 2) && blocked <= w->now && clock_ms(&c->clock, arrives) < by_ms;
}

/* No quorum: the replies within the attempt's time must not show that the lock is busy. */
static void unreachable(struct world *w, const struct handle *h, const struct token *t)
{
    const struct rdl_lock_options *lease = &h->opt.lease;
    uint64_t by_ms = h->m->redlock.sent_ms + rdl_attempt_ms(lease);
    int refused = 0, granted = 0, n = asked(w, h), q = quorum(w, h);
    if (!t || !h->was_voting || w->client[h->client].stale_ms)
        return;
    /*
     * A majority granted it, but the fencing token was not held by a majority in time. A client that was
     * stopped until the deadline reads those votes and ends in one step, so it was never seen raising
     * counters.
     */
    if (h->opt.fencing && bits(t->granted) >= q)
        return;
    if (lease->wait_ms && lease->retry_ms && by_ms > h->op_ms + lease->wait_ms)
        by_ms = h->op_ms + lease->wait_ms;
    for (int s = 0; s < n; s++)
        if (is_answered_by(w, h, t, s, by_ms)) {
            refused += t->refused >> s & 1;
            granted += t->granted >> s & 1 && !w->has_canary; /* which may make it void */
        }
    if (refused > n - q || (refused > 0 && refused + granted >= q))
        world_violation(w, "truth", "no quorum, but %d servers refused and %d granted it, in time", refused,
                        granted);
}

static void acquired(struct world *w, struct handle *h, int result, uint64_t now_ms)
{
    struct token *t = token_of(w, h);
    int granted = t ? bits(t->granted) : 0;
    if (result == RDL_OK) {
        if (!t || granted < quorum(w, h)) {
            world_violation(w, "truth", "acquired with %d of %d servers", granted, asked(w, h));
            return;
        }
        if (handle_until_ms(h) <= now_ms)
            world_violation(w, "truth", "acquired a lease that is over already");
        validity(w, h, t->first_us, 0);
        t->is_held = t->was_held = 1;
        t->client = h->client;
        t->handle = h->index;
        return;
    }
    if (handle_remaining_ms(h, h->op_ms) != 0)
        world_violation(w, "truth", "not acquired, and yet something remains");
    if (result == RDL_BUSY && !h->slots && !was_ever(w, h, result)) /* slots: reads may say so */
        world_violation(w, "truth", "busy, but no attempt was refused by enough servers");
    if (result == RDL_EXPIRED && !was_ever(w, h, result))
        world_violation(w, "truth", "expired, but no attempt was granted by a majority");
    if (result == RDL_NO_QUORUM)
        unreachable(w, h, t);
    if (result == RDL_E_QUARANTINE && w->guard == RDL_GUARD_OFF)
        world_violation(w, "truth", "quarantine without a guard");
    int was_cut = clock_ms(&w->client[h->client].clock, w->now) >= h->op_ms + h->opt.lease.wait_ms;
    if (result != RDL_BUSY && is_calm(w, h) && !(h->opt.lease.wait_ms && h->opt.lease.retry_ms && was_cut))
        world_violation(w, "truth", "result %d though nothing was wrong", result);
}

/* The first conclusive extend makes the lock its own. */
static void adopted(struct world *w, const struct handle *h, struct token *t, int result)
{
    if (result >= 0 && result != RDL_ADOPTED)
        world_violation(w, "truth", "adopted, and the result is %d", result);
    if (result == RDL_E_GAP)
        world_violation(w, "truth", "there is a gap in what was not held");
    if (result != RDL_ADOPTED)
        return;
    t->is_adopted = 0;
    t->is_held = t->was_held = 1;
    t->client = h->client;
    t->handle = h->index;
}

static void extended(struct world *w, struct handle *h, int result, uint64_t now_ms)
{
    struct token *t = token_of(w, h);
    int yes = t ? bits(t->extended) : 0, gone = t ? bits(t->missed) : 0;
    uint64_t until = handle_until_ms(h), hopes_until = h->until_ms;
    if (t && t->is_adopted) {
        hopes_until = h->op_ms + h->ttl_ms - drift_ms(h->ttl_ms);
        adopted(w, h, t, result);
    }
    if (result == RDL_OK || result == RDL_REPAIRED || result == RDL_HELD_WITH_GAP || result == RDL_ADOPTED) {
        if (!t || yes < quorum(w, h))
            world_violation(w, "truth", "extended with %d of %d servers", yes, asked(w, h));
        else
            validity(w, h, t->extend_us, h->until_ms);
        if (result != RDL_ADOPTED && now_ms >= h->until_ms && !h->was_confirmed)
            world_violation(w, "truth", "an expired lease was revived");
        if (until < h->until_ms)
            world_violation(w, "truth", "an extension shortened the lease");
        if (result == RDL_HELD_WITH_GAP && (!w->accepts_gap || handle_fence(h) != 0))
            world_violation(w, "truth", "held again after a gap, and all as before");
    } else if (result == RDL_LOST) {
        if (handle_remaining_ms(h, now_ms) != 0)
            world_violation(w, "truth", "lost, and yet something remains");
        if (now_ms < hopes_until && gone <= asked(w, h) - quorum(w, h) && !w->has_other_servers)
            world_violation(w, "truth", "lost, but only %d servers had it no more", gone);
        if (t)
            t->is_held = 0;
    } else if (result == RDL_E_GAP) {
        if (handle_remaining_ms(h, now_ms) != 0 || now_ms >= h->until_ms)
            world_violation(w, "truth", "not without a gap, and yet something remains, or the time was up");
        if (!w->has_other_servers && (!t || t->ever_missed == 0))
            world_violation(w, "truth", "not without a gap, but no server had ever lost it");
        if (t)
            t->is_held = 0;
    } else if (until != h->until_ms) {
        world_violation(w, "truth", "an extension without a result changed the lease");
    } else if (result == RDL_EXPIRED || result == RDL_BUSY || result == RDL_NO_QUORUM) {
        world_violation(w, "truth", "no extension ends with %d", result);
    }
}

static int is_restarted_since(const struct host *host, uint64_t us)
{
    return host->model.start_ms > clock_ms(&host->clock, us);
}

/*
 * The number of queried servers that still have this lock's key. A command over a connection that was left
 * may be executed after the release, which went over another one; then the ttl ends the key. The same holds
 * if the server deleted it and crashed before that was on its disk: the key is back.
 */
static int still_there(struct world *w, const struct handle *h, const struct token *t)
{
    unsigned left = t ? t->left : 0, deleted = t ? t->deleted : 0;
    struct sim_arg name = {(const uint8_t *)lock_name(handle_name(h)), strlen(lock_name(handle_name(h)))};
    char hex[2 * RDL_TOKEN_LEN];
    int n = 0;
    token_hex(handle_token(h), hex);
    if (!(w->faults & FAULT_BIT(FAULT_EVERYSEC)))
        deleted = 0;
    for (int s = 0; s < asked(w, h); s++) {
        struct host *host = &w->host[s];
        struct sim_key *k = sim_server_find(&host->model, 0, name, clock_ms(&host->clock, w->now));
        int is_back = (deleted >> s & 1u) && is_restarted_since(host, h->op_us);
        n += !(left >> s & 1u) && !is_back &&
             sim_key_is(k, (struct sim_arg){(const uint8_t *)hex, sizeof hex});
    }
    return n;
}

/* Servers that may have lost it in the same run: the resent release then counts as the first. */
static int lost_since(const struct world *w, const struct handle *h)
{
    int n = 0;
    for (int s = 0; s < asked(w, h); s++) {
        const struct rdl_req *req = h->is_single ? &h->m->own.lock.req : &h->m->servers[s].req;
        n += req->may_be_second && (w->faults & FAULTS_OUTSIDE);
    }
    return n;
}

/*
 * Servers that released it, and one with a reply from another run than the one that granted it: accepted
 * (redlock.h).
 */
static int answered_by_another_run(const struct world *w, const struct handle *h)
{
    int n = 0;
    for (int s = 0; s < asked(w, h) && !h->is_single; s++) {
        const struct rdl_server_info *server_info = rdl_guard_server_info(h->m->servers[s].conn);
        int is_another =
            h->m->servers[s].is_past || (server_info && server_info->seen_ms >= h->m->servers[s].asked_ms);
        n += h->m->servers[s].req.may_be_second && is_another;
    }
    return n;
}

static void released(struct world *w, struct handle *h, int result, uint64_t now_ms)
{
    struct token *t = token_of(w, h);
    int deleted = t ? bits(t->deleted) : 0;
    int still = still_there(w, h, t);
    if (handle_remaining_ms(h, h->op_ms) != 0)
        world_violation(w, "truth", "released, and yet something remains");
    if ((result == RDL_EXPIRED || result == RDL_LOST) && now_ms < h->until_ms &&
        deleted - answered_by_another_run(w, h) >= quorum(w, h) && !(w->faults & FAULTS_LOSING))
        world_violation(w, "truth", "called lost, but %d servers deleted it for its holder", deleted);
    if (result == RDL_OK && deleted + lost_since(w, h) < 2 * quorum(w, h) - asked(w, h))
        world_violation(w, "truth", "released, but only %d servers deleted it", deleted);
    if (result == RDL_OK && still > asked(w, h) - quorum(w, h))
        world_violation(w, "released", "released, but %d servers still have it", still);
}

/*
 * The values of legacy locks are not tokens. So exclusion, overwriting and deadlines are checked. As long as
 * no server loses data, no other client gets the lock before the lease is over.
 */
static void legacy_result(struct world *w, const struct handle *h, int result, uint64_t now_ms)
{
    int is_gone = result == RDL_LOST || result == RDL_OVERWRITTEN;
    if (h->state == ACQUIRING && result >= 0 && handle_until_ms(h) <= now_ms)
        world_violation(w, "truth", "acquired a lease that is over already");
    if (h->state != ACQUIRING && is_gone && now_ms < h->until_ms && !(w->faults & FAULTS_LOSING))
        world_violation(w, "truth", "%d before the lease was over", result);
}

/*
 * A server is reported late although no attempt waited for its full time. A connection that was closed
 * because other locks' replies were overdue proves as much.
 */
static void blamed(struct world *w, const struct handle *h, uint64_t now_ms)
{
    for (int s = 0; s < w->servers && !h->is_single; s++) {
        const struct rdl_server *v = &h->m->servers[s];
        uint64_t waited_ms = now_ms - v->asked_ms;
        int is_late =
            v->error == RDL_E_TIMEOUT && (v->vote == RDL_VOTE_UNKNOWN || v->vote == RDL_VOTE_PENDING);
        int is_same_connection =
            rdl_conn_state(v->conn) == RDL_CONN_READY && (uint32_t)now_ms - v->conn->mark_ms > waited_ms;
        if (is_late && is_same_connection && waited_ms < rdl_attempt_ms(&h->opt.lease))
            world_violation(w, "blame", "s%d is called late %u ms after it was asked", s,
                            (unsigned)waited_ms);
    }
}

void oracle_result(struct world *w, struct handle *h, int result, uint64_t now_ms)
{
    blamed(w, h, now_ms);
    oracle_spread_result(h, result);
    oracle_measured(w, &w->client[h->client]);
    if (w->is_fenced && !h->is_apart && h->state == ACQUIRING && result == RDL_OK)
        oracle_fenced(w, h);
    if (h->state == EXTENDING && result == RDL_LOST && now_ms >= h->until_ms)
        oracle_lost(w, h, h->until_ms);
    if (result >= 0)
        h->failed_ms = 0;
    if (h->m->hint.req.is_queued)
        world_violation(w, "hint", "c%u.%u still waits for one", h->client, h->index);
    if (h->mode >= MODE_LEGACY) {
        legacy_result(w, h, result, now_ms);
        return;
    }
    if (now_ms > h->limit_ms + 1 && result == RDL_OK && h->state == EXTENDING && now_ms >= h->until_ms &&
        !h->was_confirmed)
        world_violation(w, "deadline", "an answer was believed after the deadline");
    if (h->state == ACQUIRING)
        acquired(w, h, result, now_ms);
    else if (h->state == EXTENDING)
        extended(w, h, result, now_ms);
    else
        released(w, h, result, now_ms);
}

/* ---------------------------------------------------------------- at the end */

static void end_of_server(struct world *w, struct host *h)
{
    for (unsigned i = 0; i < NAMES_END; i++) {
        struct sim_arg name = {(const uint8_t *)lock_name(i), strlen(lock_name(i))};
        struct sim_key *k = sim_server_find(&h->model, 0, name, clock_ms(&h->clock, w->now));
        if (k && !w->has_legacy) /* a legacy deadline has no ttl: it is taken over */
            world_violation(w, "orphan", "s%u still has \"%s\", held by no client", h->index, lock_name(i));
    }
}

void oracle_orphans(struct world *w)
{
    for (int s = 0; s < w->servers; s++)
        end_of_server(w, &w->host[s]);
}

void oracle_rest(struct world *w)
{
    oracle_orphans(w);
    for (int c = 0; c < w->clients; c++) {
        for (int s = 0; s < w->conns; s++)
            if (!rdl_conn_is_idle(&w->client[c].conn[s]))
                world_violation(w, "idle", "conn c%d-s%d is not idle at the end", c, s);
        for (int i = 0; i < w->handles; i++)
            if (w->client[c].handle[i].state != IDLE)
                world_violation(w, "idle", "c%d.%d still does something at the end", c, i);
    }
}

void oracle_end(struct world *w)
{
    oracle_rest(w);
    if (w->acquired_after_heal == 0 &&
        w->has_legacy != 2) /* a plain lock waits for ever for a dead legacy holder */
        world_violation(w, "liveness", "no client acquired a lock in %llu ms without faults",
                        (unsigned long long)((w->stop_us - w->opt.heal_us) / MS));
}
