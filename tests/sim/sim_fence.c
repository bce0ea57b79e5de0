/* SPDX-License-Identifier: MIT */
/* Fencing tokens: which server holds which, which lost one, and what is guaranteed for the next. */
#include "tests/sim/sim.h"

#include <stdio.h>
#include <string.h>

/* The counter of server s for this lock; 0: none. */
static uint64_t counted(struct world *w, int s, unsigned name)
{
    const char *lock = lock_name(name);
    struct host *h = &w->host[s];
    char key[64];
    int64_t n = 0;
    int len = snprintf(key, sizeof key, strchr(lock, '}') ? "%s:fence" : "{%s}:fence", lock);
    struct sim_arg arg = {(const uint8_t *)key, (size_t)len};
    struct sim_key *k = sim_server_find(&h->model, 0, arg, clock_ms(&h->clock, w->now));
    if (!k || k->is_list || !sim_arg_int((struct sim_arg){k->value, k->value_len}, &n))
        return 0;
    return (uint64_t)n;
}

void oracle_counted(struct world *w, int s, struct sim_arg token)
{
    for (unsigned name = 0; name < NAMES; name++) {
        struct last_fence *f = &w->last[name];
        uint64_t n = counted(w, s, name);
        if (n > f->most[s])
            f->most[s] = n;
        if (n >= f->number && token.len == sizeof f->token && memcmp(token.data, f->token, token.len) == 0)
            f->held |= (uint8_t)(1u << s);
    }
}

/* The number of servers that have ever counted so far. */
static unsigned counted_to(const struct world *w, const struct last_fence *f, uint64_t number)
{
    unsigned n = 0;
    for (int s = 0; s < w->servers; s++)
        n += f->most[s] >= number;
    return n;
}

void oracle_fences_lost(struct world *w)
{
    for (unsigned name = 0; name < NAMES; name++)
        for (int s = 0; s < w->servers; s++)
            if ((w->last[name].held >> s & 1) && counted(w, s, name) < w->last[name].number)
                w->last[name].lost |= (uint8_t)(1u << s);
}

static int bits_below(unsigned v, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += (int)(v >> i & 1u);
    return count;
}

/* Do the servers alone ensure that the next token is greater? */
static int is_kept(const struct world *w, const struct handle *h)
{
    const struct last_fence *f = &w->last[h->name];
    int n = h->is_single ? 1 : w->servers, quorum = n / 2 + 1;
    return f->number != 0 && !w->has_expiring_fences &&
           bits_below(f->lost, n) <= bits_below(f->held, n) + quorum - n - 1;
}

static int may_lose(const struct world *w)
{
    return (w->faults & FAULTS_LOSING) || w->has_expiring_fences || w->opt.is_scripted;
}

/* If counters get lost, a minimum helps if it is not older than half a ttl at the grant. */
static int has_floor(const struct world *w, const struct handle *h)
{
    return h->floor_us != NEVER && w->now - h->floor_us <= (uint64_t)w->ttl_ms / 2 * MS;
}

/*
 * A token is granted once. It is greater than all that were granted before its request, if the minimum
 * ensures that. It is greater than the last one as long as no more of its holders than allowed lost it.
 */
void oracle_fenced(struct world *w, struct handle *h)
{
    uint64_t number = handle_fence(h);
    struct last_fence *last = &w->last[h->name];
    unsigned n = w->fences[h->name]++;
    oracle_fences_lost(w);
    if (is_kept(w, h) && last->done_us < h->asked_us && number <= last->number)
        world_violation(w, "fence", "c%u.%u was given %llu after %llu, which enough servers still hold",
                        h->client, h->index, (unsigned long long)number, (unsigned long long)last->number);
    for (unsigned i = 0; i < n && i < FENCES; i++) {
        const struct fence *f = &w->fence[h->name][i];
        int must_differ = !may_lose(w) || (w->has_floors && !w->opt.is_scripted);
        int must_grow = (!may_lose(w) || has_floor(w, h)) && f->done_us < h->asked_us;
        if ((must_differ && number == f->number) || (must_grow && number < f->number))
            world_violation(w, "fence", "c%u.%u was given %llu after %llu", h->client, h->index,
                            (unsigned long long)number, (unsigned long long)f->number);
    }
    w->fence[h->name][n % FENCES] = (struct fence){number, w->now};
    last->number = number;
    last->done_us = w->now;
    last->held = last->lost = 0;
    token_hex(handle_token(h), last->token);
    for (int s = 0; s < w->servers; s++)
        last->held |= (uint8_t)((last->most[s] >= number) << s);
    oracle_fences_lost(w);
}

/* A server that is reported to hold the token has held it. */
void oracle_fence_holders(struct world *w, const struct handle *h)
{
    if (h->is_single || !h->opt.fencing || handle_fence(h) == 0)
        return;
    unsigned said = rdl_redlock_fence_holders(&h->m->redlock);
    unsigned held = counted_to(w, &w->last[h->name], handle_fence(h));
    if (said > held)
        world_violation(w, "fence", "c%u.%u says that %u servers hold its number, and %u have", h->client,
                        h->index, said, held);
}
