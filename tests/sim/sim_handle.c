/* SPDX-License-Identifier: MIT */
/*
 * One interface for a lock on one server and a lock on N, so that users and oracles need not distinguish
 * them.
 */
#include "lock/lock_multi.h"
#include "net/net_op.h"
#include "redlock/redlock_private.h"
#include "tests/sim/sim.h"

#include <string.h>

const char *lock_name(unsigned i)
{
    static const char *const names[NAMES_END] = {"nightly",     "{nightly}:2", "apart",      "{nightly}#0",
                                                 "{nightly}#1", "{nightly}#2", "{nightly}#3"};
    return names[i];
}

unsigned handle_name(const struct handle *h)
{
    if (h->slots && !h->is_free)
        return SLOT + h->m->slots.slot;
    return h->is_apart ? (unsigned)APART : h->name;
}

unsigned handle_names(const struct handle *h)
{
    return h->is_multi ? (1u << NAMES) - 1 : 1u << handle_name(h);
}

static struct client *client_of(struct world *w, const struct handle *h)
{
    return &w->client[h->client];
}

/* ---------------------------------------------------------------- its memory */

enum { FREED = 0x5a };

static int is_untouched(const struct memory *m)
{
    const unsigned char *bytes = (const unsigned char *)m;
    size_t i = 0;

    while (i < sizeof *m && bytes[i] == FREED)
        i++;
    return i == sizeof *m;
}

/* May this memory still be written to? */
static int is_referenced(const struct world *w, const struct handle *h)
{
    const struct client *c = &w->client[h->client];
    int n = 0;
    for (int s = 0; s < w->conns; s++)
        n += rdl_conn_refers_to(&c->conn[s], h->m, sizeof *h->m);
    return n != 0;
}

unsigned handle_room(const struct handle *h)
{
    unsigned room = h->is_single ? h->m->own.lock.req.room : 0;
    for (int s = 0; !h->is_single && s < h->m->redlock.n; s++)
        room += h->m->servers[s].req.room;
    return room;
}

void handle_done(struct world *w, struct handle *h)
{
    if (is_referenced(w, h))
        world_violation(w, "lifetime", "c%u.%u is in use after its last call has returned", h->client,
                        h->index);
    if (h->keeps)
        return;
    memset(h->m, FREED, sizeof *h->m);
    h->is_free = 1;
    h->has_stale = 0;
}

void handle_move(struct handle *h)
{
    struct memory *next = h->m == h->memory ? h->memory + 1 : h->memory;
    memcpy(next, h->m, sizeof *next);
    memset(h->m, FREED, sizeof *h->m);
    h->m = next;
}

/* Other memory than the last time. Nothing was written to it since it was freed. */
static void move(struct world *w, struct handle *h)
{
    struct memory *next = h->m == h->memory ? h->memory + 1 : h->memory;
    if (h->is_free && !is_untouched(h->m))
        world_violation(w, "lifetime", "c%u.%u: something was written to memory that was freed", h->client,
                        h->index);
    memset(next, FREED, sizeof *next); /* leftovers of another use must not help */
    h->m = next;
    h->is_free = 0;
}

/* ---------------------------------------------------------------- operations */

void handle_init(struct world *w, struct handle *h)
{
    struct client *c = client_of(w, h);
    if (h->is_free || h->m == NULL)
        move(w, h);
    const char *name = lock_name(h->is_apart ? (unsigned)APART : h->name), *other = lock_name(1u - h->name);
    h->has_stale = 0;
    const struct rdl_bytes both[NAMES] = {{name, strlen(name)}, {other, strlen(other)}};
    rdl_hint_init(&h->m->hint, h->hint_use == HINT_WAITS ? &c->conn[w->servers] : NULL);
    if (h->is_multi) {
        rdl_lock_init_multi(&h->m->own.lock, &h->opt.lease, &c->conn[h->single_server], both, NAMES,
                            h->m->packed);
        return;
    }
    if (h->is_single) {
        any_lock_init(&h->m->own, h->mode, &h->opt.lease, &c->conn[h->single_server], name, strlen(name));
        if (h->hint_use != HINT_NONE)
            rdl_lock_set_hint(&h->m->own.lock, &h->m->hint);
        return;
    }
    for (int s = 0; s < w->servers; s++)
        h->m->servers[s].conn = &c->conn[s];
    rdl_redlock_init(&h->m->redlock, &h->opt, h->m->servers, (size_t)w->servers, name, strlen(name));
    if (w->has_canary)
        rdl_redlock_set_canary(&h->m->redlock, h->m->canaries);
    if (h->hint_use != HINT_NONE)
        rdl_redlock_set_hint(&h->m->redlock, &h->m->hint);
    if (h->slots)
        rdl_slots_init(&h->m->slots, &h->m->redlock, h->slots);
}

/* The client's wall clock, at which fencing tokens start. */
static uint64_t floor_ms(struct world *w, const struct handle *h)
{
    return (uint64_t)((int64_t)(1700000000000 + w->now / MS) + client_of(w, h)->wall_skew_ms);
}

/* A scenario sets its own. */
static void set_floor(struct world *w, struct handle *h)
{
    if (!w->is_fenced || w->opt.is_scripted || h->is_apart)
        return;
    uint64_t floor = w->has_floors ? floor_ms(w, h) : 0;
    h->set_us = w->has_floors ? w->now : NEVER;
    if (h->is_single && h->mode == MODE_FENCED)
        rdl_lock_set_min_fence(&h->m->own.fenced, floor);
    else if (!h->is_single)
        rdl_redlock_set_min_fence(&h->m->redlock, floor);
}

/* Another token: another attempt has begun. */
static void note_attempt(const struct world *w, struct handle *h, const struct rdl_token *before)
{
    if (memcmp(before, handle_token(h), sizeof *before) == 0)
        return;
    h->asked_us = w->now;
    h->floor_us = w->opt.is_scripted ? NEVER : h->set_us;
}

int handle_acquire(struct world *w, struct handle *h)
{
    if (h->is_free)
        handle_init(w, h);
    struct rdl_token before = *handle_token(h);
    int rc;
    uint8_t entropy[RDL_ENTROPY_LEN];
    uint64_t now_ms = blocking_begin_ms(w, h, RDL_ACQUIRE);
    for (size_t i = 0; i < sizeof entropy; i += 8) {
        uint64_t v = rng_next(&w->stream[STREAM_LIBRARY]);
        for (size_t k = 0; k < 8; k++)
            entropy[i + k] = (uint8_t)(v >> (8 * k));
    }
    set_floor(w, h);
    h->state = ACQUIRING;
    h->ttl_ms = rdl_first_ttl_ms(&h->opt.lease);
    oracle_begin(w, h, now_ms);
    rc = h->is_single ? rdl_lock_acquire_begin(&h->m->own.lock, entropy, now_ms)
         : h->slots   ? rdl_slots_acquire_begin(&h->m->slots, entropy, now_ms)
                      : rdl_redlock_acquire_begin(&h->m->redlock, entropy, now_ms);
    note_attempt(w, h, &before);
    return rc;
}

int handle_extend(struct world *w, struct handle *h, uint32_t ttl_ms)
{
    oracle_spread(w, h);
    uint64_t now_ms = blocking_begin_ms(w, h, RDL_EXTEND);
    int rc;
    h->state = EXTENDING;
    oracle_begin(w, h, now_ms);
    rc = h->is_single ? rdl_lock_extend_begin(&h->m->own.lock, ttl_ms, now_ms)
                      : rdl_redlock_extend_begin(&h->m->redlock, ttl_ms, now_ms);
    oracle_begun(w, h);
    oracle_spread_begun(w, h);
    h->ttl_ms = h->is_single ? h->m->own.lock.ttl_ms : h->m->redlock.ttl_ms; /* it requests at least this */
    return rc;
}

int handle_release(struct world *w, struct handle *h)
{
    oracle_spread(w, h);
    uint64_t now_ms = blocking_begin_ms(w, h, RDL_RELEASE);
    int rc;
    h->state = RELEASING;
    oracle_begin(w, h, now_ms);
    rc = h->is_single ? rdl_lock_release_begin(&h->m->own.lock, now_ms)
                      : rdl_redlock_release_begin(&h->m->redlock, now_ms);
    oracle_begun(w, h);
    return rc;
}

void handle_cancel(struct world *w, struct handle *h)
{
    oracle_released(w, h);
    if (h->is_single)
        rdl_lock_cancel(&h->m->own.lock);
    else if (h->slots)
        rdl_slots_cancel(&h->m->slots);
    else
        rdl_redlock_cancel(&h->m->redlock);
    h->state = IDLE;
}

int handle_step(struct world *w, struct handle *h, uint64_t now_ms)
{
    struct rdl_token before = *handle_token(h);
    if (h->state == ACQUIRING &&
        (h->client + h->index) % 2 == 0) /* half of them keep it fresh while they wait */
        set_floor(w, h);
    int rc = h->is_single ? rdl_lock_step(&h->m->own.lock, now_ms)
             : h->slots   ? rdl_slots_step(&h->m->slots, now_ms)
                          : rdl_redlock_step(&h->m->redlock, now_ms);
    note_attempt(w, h, &before);
    if (!handle_is_pending(h))
        oracle_room(w, h);
    return rc;
}

uint64_t handle_wake_ms(const struct handle *h)
{
    if (h->slots)
        return rdl_slots_wake_ms(&h->m->slots);
    return h->is_single ? rdl_lock_wake_ms(&h->m->own.lock) : rdl_redlock_wake_ms(&h->m->redlock);
}

uint32_t handle_remaining_ms(const struct handle *h, uint64_t now_ms)
{
    if (h->is_free)
        return 0;
    return h->is_single ? rdl_lock_remaining_ms(&h->m->own.lock, now_ms)
                        : rdl_redlock_remaining_ms(&h->m->redlock, now_ms);
}

uint64_t handle_until_ms(const struct handle *h)
{
    if (h->is_free || handle_is_adopting(h))
        return 0;
    return h->is_single ? h->m->own.lock.until_ms : rdl_redlock_until_ms(&h->m->redlock);
}

int handle_is_adopting(const struct handle *h)
{
    if (h->is_free)
        return 0;
    return (h->is_single ? h->m->own.lock.until_ms : h->m->redlock.until_ms) == UINT64_MAX;
}

int handle_adopt(struct world *w, struct handle *h, const char *hex)
{
    if (h->is_free)
        handle_init(w, h);
    return h->is_single ? rdl_lock_adopt(&h->m->own.lock, hex, RDL_VALUE_MAX)
                        : rdl_redlock_adopt(&h->m->redlock, hex, RDL_VALUE_MAX);
}

uint64_t handle_fence(const struct handle *h)
{
    if (h->is_free)
        return 0;
    if (!h->is_single)
        return h->opt.fencing ? rdl_redlock_fence(&h->m->redlock) : 0;
    return h->mode == MODE_FENCED ? rdl_lock_fence(&h->m->own.fenced) : 0;
}

int handle_is_pending(const struct handle *h)
{
    return h->state == ACQUIRING || h->state == EXTENDING || h->state == RELEASING;
}

int handle_is_idle(const struct handle *h)
{
    return h->is_single || h->is_free || rdl_redlock_is_idle(&h->m->redlock);
}

const struct rdl_token *handle_token(const struct handle *h)
{
    static const struct rdl_token none;
    if (h->is_free)
        return &none;
    return h->is_single ? &h->m->own.lock.token : &h->m->redlock.token;
}
