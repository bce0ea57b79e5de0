/* SPDX-License-Identifier: MIT */
/* rules.c - what must hold for every handle, whatever was called and whatever the servers sent. */
#include "fuzz/api/handle.h"

#include "lock/lock_lease.h"
#include "lock/lock_op.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- time */

/* The time of one attempt, however far the servers are; some operations may take two. */
static uint64_t attempt_ms(const struct handle *h, enum doing what)
{
    const struct rdl_lock_options *opt = handle_lease(h);
    uint64_t ms = opt->attempt_ms != 0 ? opt->attempt_ms : opt->ttl_ms / 4;
    int has_more = h->redlock != NULL && (what == EXTEND || (what == ACQUIRE && h->opt->fencing != NULL));

    if (opt->attempt_ms == 0 && ms < RDL_ATTEMPT_MAX_MS)
        ms = RDL_ATTEMPT_MAX_MS;
    return has_more ? 2 * ms : ms;
}

static uint64_t connect_ms(const struct handle *h)
{
    uint64_t most = 0;
    unsigned i;

    for (i = 0; i < PEERS; i++) {
        uint64_t ms = world.peer[i].cfg->connect_ms;
        ms = ms == 0 ? RDL_CONNECT_MS : ms;
        if ((h->redlock != NULL || i == h->peer) && ms > most)
            most = ms;
    }
    return most + 10;
}

void rules_begin(struct handle *h, enum doing what, uint32_t ttl_ms)
{
    const struct rdl_lock_options *opt = handle_lease(h);
    uint64_t ms = attempt_ms(h, what);

    if (what == ACQUIRE && opt->wait_ms != 0 && opt->retry_ms != 0)
        ms = opt->wait_ms == RDL_WAIT_FOREVER ? UINT32_MAX * 1000ull : ms + opt->wait_ms + connect_ms(h);
    else if (what != EXTEND || h->is_adopted)
        ms += connect_ms(h);
    h->doing = what;
    h->ttl_ms = ttl_ms;
    h->most_ms = ttl_ms;
    if (what == EXTEND && h->reach_ms > world.now + ttl_ms)
        h->most_ms = h->reach_ms - world.now;
    h->begun_ms = world.now;
    h->limit_ms = world.now + ms;
}

/*
 * After a time without steps it has its time again. A function that blocks reads the clock itself, after a
 * poll: what it had passed there was before its operation began.
 */
void rules_pending(struct handle *h)
{
    uint64_t again_ms = world.late + attempt_ms(h, h->doing) + connect_ms(h);

    if (world.polls > 0)
        again_ms = world.late + (h->limit_ms - h->begun_ms);
    else if (world.slept > world.late)
        again_ms += world.slept - world.late;
    if (h->doing == EXTEND && world.now + h->most_ms > h->reach_ms) /* it may be granted already */
        h->reach_ms = world.now + h->most_ms;
    must(world.now <= (again_ms > h->limit_ms ? again_ms : h->limit_ms) + 1);
}

/* ---------------------------------------------------------------- results */

static void acquired(const struct handle *h, int result, uint64_t until_ms)
{
    must(result >= 0 ? handle_left(h) > 0 : until_ms == 0);
    must(h->set_up == RDL_OK || result == h->set_up || result == RDL_E_RANDOM);
    if (h->kind == FENCED && result >= 0) {
        uint64_t fence = rdl_lock_fence((const struct rdl_lock_fenced *)h->lock);
        must(fence >= 1 && fence <= RDL_FENCE_MAX);
    }
    if (h->redlock != NULL && h->opt->fencing != NULL && result >= 0)
        must(rdl_redlock_fence(h->redlock) >= 1 && rdl_redlock_fence(h->redlock) <= RDL_FENCE_MAX &&
             rdl_redlock_fence_holders(h->redlock) > world.servers / 2);
}

/* A poll that failed may have canceled it. */
static void extended(const struct handle *h, int result, uint64_t until_ms)
{
    int is_canceled = result == RDL_E_SYSTEM || result == RDL_E_FORKED;

    if (result >= 0) {
        must(handle_left(h) > 0 && until_ms >= h->until_ms);
        must(h->is_adopted || until_ms >= h->begun_ms + h->ttl_ms - rdl_drift_ms(h->ttl_ms));
    } else if (result == RDL_LOST || result == RDL_E_GAP) {
        must(until_ms == 0);
    } else {
        must(until_ms == h->until_ms || (is_canceled && until_ms == 0));
    }
}

void rules_ended(struct handle *h, int result)
{
    uint64_t until_ms = handle_until(h);
    uint64_t reach_ms = world.now + h->most_ms;

    must(strcmp(rdl_strerror(result), "unknown result") != 0);
    if (h->doing == ACQUIRE || (h->doing == EXTEND && reach_ms > h->reach_ms))
        h->reach_ms = reach_ms;
    if (h->doing == ACQUIRE && result != RDL_E_SHARED)
        acquired(h, result, until_ms);
    if (h->doing == EXTEND)
        extended(h, result, until_ms);
    if (h->doing == RELEASE)
        must(until_ms == 0);
    if (h->doing == EXTEND && result >= 0)
        h->is_adopted = 0;
    h->doing = NOTHING;
}

/* ---------------------------------------------------------------- between the calls */

static unsigned has_key(const struct handle *h, struct sim_server *s, const char *value, size_t len)
{
    size_t i;

    for (i = 0; i < NAMES_OF && h->names[i].len != 0; i++) {
        struct sim_arg name = {(const uint8_t *)h->names[i].data, h->names[i].len};
        const struct sim_key *key = sim_server_find(s, world.db, name, server_ms(world.now));

        if (key == NULL || key->is_list || key->value_len != len || memcmp(key->value, value, len) != 0)
            return 0;
        if (key->expire_ms != 0 && key->expire_ms < server_ms(h->until_ms))
            return 0;
    }
    return 1;
}

/*
 * A lease is as good as the keys behind it: they have its token, and live as long. A key has one value, so no
 * two handles hold the same name.
 */
static void check_keys(const struct handle *h)
{
    char value[RDL_TOKEN_TEXT_MAX];
    unsigned keys = 0;
    unsigned i;

    if (h->redlock == NULL) {
        size_t len = rdl_lock_value(h->lock, value);
        must(has_key(h, world.peer[h->peer].server, value, len) != 0);
        return;
    }
    rdl_token_hex(&h->redlock->token, value);
    for (i = 0; i < world.servers; i++)
        keys += has_key(h, world.peer[i].server, value, RDL_VALUE_MAX);
    must(keys > world.servers / 2);
}

/* Between operations it reserves no room in a queue. */
static void check_room(const struct handle *h)
{
    size_t i;

    if (h->lock != NULL)
        must(h->lock->req.room == 0);
    for (i = 0; h->redlock != NULL && !h->is_taken && i < h->redlock->n; i++)
        must(h->servers[i].req.room == 0);
}

void rules_check(struct handle *h)
{
    int is_legacy = h->kind >= LEGACY && h->kind <= LEGACY_SHORTEST;

    must(handle_until(h) == h->until_ms); /* only its own calls change its lease */
    must(h->doing == ACQUIRE || h->until_ms == 0 || h->until_ms + 3 <= h->reach_ms); /* 3: the drift */
    if (h->doing == NOTHING)
        check_room(h);
    if (!h->is_in_use)
        must(handle_left(h) == 0 && !handle_is_referenced(h));
    if (world.is_true && handle_left(h) > 0 && !is_legacy && !h->is_given)
        check_keys(h);
}

/* ---------------------------------------------------------------- functions that only read */

static void query_redlock(const struct handle *h, char *out, size_t cap)
{
    const struct rdl_redlock *r = h->redlock;
    size_t i;

    (void)rdl_redlock_wake_ms(r);
    (void)rdl_redlock_stats(r);
    (void)rdl_redlock_holder_ms(r);
    must(rdl_redlock_fence_holders(r) <= r->n && rdl_redlock_fence(r) <= RDL_FENCE_MAX);
    (void)rdl_redlock_is_idle(r);
    if (h->is_taken)
        return;
    must(rdl_redlock_count(r, RDL_VOTE_GRANTED) + rdl_redlock_count(r, RDL_VOTE_DENIED) <= r->n);
    for (i = 0; i < r->n; i++) {
        must(rdl_redlock_may_evict(r, i) <= 1);
        (void)rdl_redlock_counts_at(r, i);
        must(strcmp(rdl_strerror(rdl_redlock_error(r, i)), "unknown result") != 0);
        must(rdl_redlock_report(r, i, world.now, out, cap) == strlen(out));
    }
}

static void query_lock(const struct handle *h, char *out, size_t cap)
{
    const struct rdl_lock *l = h->lock;

    must((rdl_lock_wake_ms(l) == UINT64_MAX) == (h->doing == NOTHING) || h->doing != NOTHING);
    (void)rdl_lock_stats(l);
    must(rdl_lock_holder_ms(l) >= -2);
    must(strcmp(rdl_strerror(rdl_lock_error(l)), "unknown result") != 0);
    (void)rdl_lock_is_idle(l);
    must(rdl_lock_report(l, out, cap) == strlen(out));
    if (h->kind == FENCED)
        must(rdl_lock_fence((const struct rdl_lock_fenced *)l) <= RDL_FENCE_MAX);
}

void rules_query(const struct handle *h, struct record r)
{
    size_t cap = 1u + r.a % 128;
    char *out = make(cap);

    if (h->redlock != NULL)
        query_redlock(h, out, cap);
    else
        query_lock(h, out, cap);
    free(out);
}
