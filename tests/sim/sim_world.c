/* SPDX-License-Identifier: MIT */
/* The world itself: its events in order of time, its clocks, how it is made and how it ends. */
#include "lock/lock_lease.h"
#include "tests/sim/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct world the_world;

struct world *world_get(void)
{
    return &the_world;
}

/* ---------------------------------------------------------------- random numbers (splitmix64) */

uint64_t rng_next(struct rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    uint64_t v = rng_next(r);
    if (n <= UINT32_MAX) /* a multiplication instead of a division */
        return (v >> 32) * n >> 32;
    return v % n;
}

uint64_t rng_between(struct rng *r, uint64_t lo, uint64_t hi)
{
    return lo + rng_below(r, hi - lo + 1);
}

int rng_chance(struct rng *r, uint32_t permille)
{
    return permille > 0 && rng_below(r, 1000) < permille;
}

/* ---------------------------------------------------------------- events: a binary heap */

/*
 * One number to compare, in us since base_us. An event more than 35 minutes ahead never happens: only in the
 * long run does a world last longer, and it moves base_us.
 */
static uint64_t key_of(const struct world *w, uint64_t at, uint32_t seq)
{
    uint64_t us = at - w->base_us;
    return (us < UINT32_MAX ? us : UINT32_MAX) << 32 | seq;
}

static uint64_t event_at(const struct world *w, const struct event *e)
{
    return w->base_us + (e->key >> 32);
}

/* The order of the events stays as it is. */
static void move_base(struct world *w)
{
    uint64_t by = w->now - w->base_us;
    if (by <= UINT32_MAX / 2)
        return;
    for (uint32_t i = 0; i < w->events; i++)
        if (w->heap[i].key >> 32 != UINT32_MAX)
            w->heap[i].key -= by << 32;
    w->base_us = w->now;
}

void event_push(struct world *w, uint64_t at, enum event_kind kind, unsigned who, uint32_t gen, uint32_t n)
{
    if (w->events == EVENTS) {
        world_violation(w, "simulator", "more than %d events at once", EVENTS);
        return;
    }
    struct event e = {key_of(w, at, w->seq++), n, gen, (uint16_t)who, (uint8_t)kind};
    uint32_t i = w->events++;
    while (i > 0) {
        uint32_t parent = (i - 1) / 2;
        if (e.key > w->heap[parent].key)
            break;
        w->heap[i] = w->heap[parent];
        i = parent;
    }
    w->heap[i] = e;
}

static struct event event_pop(struct world *w)
{
    struct event top = w->heap[0];
    struct event last = w->heap[--w->events];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= w->events)
            break;
        child += child + 1 < w->events && w->heap[child + 1].key < w->heap[child].key;
        if (w->heap[child].key > last.key)
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

/* ---------------------------------------------------------------- clocks */

uint64_t clock_us(const struct clock *c, uint64_t now)
{
    int64_t drift = c->ppm == 0 ? 0 : (int64_t)now * c->ppm / 1000000;
    return c->offset_us + (uint64_t)((int64_t)now + drift + c->step_us);
}

uint64_t clock_ms(const struct clock *c, uint64_t now)
{
    return clock_us(c, now) / 1000;
}

uint64_t clock_when(const struct clock *c, uint64_t ms)
{
    int64_t local = (int64_t)(ms * 1000 - c->offset_us) - c->step_us;
    if (ms > UINT64_MAX / 4000)
        return NEVER;
    if (local <= 0)
        return 0;
    uint64_t at = c->ppm == 0 ? (uint64_t)local : (uint64_t)(local * 1000000 / (1000000 + c->ppm));
    while (clock_ms(c, at) < ms)
        at++;
    return at;
}

/* ---------------------------------------------------------------- what is told */

void world_hash(struct world *w, uint64_t value)
{
    w->hash = (w->hash ^ value) * 0x100000001b3u;
    w->hash ^= w->hash >> 29;
}

void world_trace(struct world *w, const char *fmt, ...)
{
    if (!w->opt.trace)
        return;
    va_list ap;
    printf("%5u.%06u  ", (unsigned)(w->now / SECOND), (unsigned)(w->now % SECOND));
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

void world_violation(struct world *w, const char *oracle, const char *fmt, ...)
{
    va_list ap;
    if (w->violation)
        return;
    w->violation = oracle;
    w->violation_at = w->now;
    va_start(ap, fmt);
    vsnprintf(w->violation_text, sizeof w->violation_text, fmt, ap);
    va_end(ap);
    world_trace(w, "VIOLATION %s: %s", oracle, w->violation_text);
}

/* ---------------------------------------------------------------- making it */

const struct options options_default = {
    .faults = -1, .is_single = -1, .end_us = 12 * SECOND, .heal_us = 6 * SECOND};

enum { REST_US = 1500000 };      /* no user wants a lock: for the last releases and expiries */
enum { UP_BEFORE_MS = 3600000 }; /* servers have been running for an hour when a world begins */

/* Each class with even chances; in one world of eight none. */
static uint64_t draw_faults(struct rng *r, struct rng *later)
{
    uint64_t more = rng_next(later) & FAULTS_LATER;
    uint64_t bits = rng_next(r) & FAULTS_FIRST;
    return rng_chance(r, 125) ? 0 : bits | more;
}

static int32_t draw_rate(struct world *w)
{
    /* Two hosts differ by less than 1 % of the time that passes: the allowance of rdl_drift_ms. */
    struct rng *r = &w->stream[FAULT_CLOCK];
    if (w->faults & FAULT_BIT(FAULT_RATE))
        return rng_chance(r, 500) ? 60000 : -60000;
    if (!(w->faults & FAULT_BIT(FAULT_CLOCK)))
        return 0;
    if (rng_chance(r, 500))
        return rng_chance(r, 500) ? 4900 : -4900;
    return (int32_t)rng_between(r, 0, 9800) - 4900;
}

static void make_links(struct world *w)
{
    static const uint32_t mean[] = {60, 150, 600, 2500, 8000};
    struct rng *r = &w->stream[STREAM_SETUP];
    uint32_t near = mean[rng_below(r, 5)], far = rng_chance(r, 300) ? mean[rng_below(r, 5)] : near;
    for (int c = 0; c < w->clients; c++)
        for (int s = 0; s < w->servers; s++) {
            struct link *l = &w->link[c][s];
            memset(l, 0, sizeof *l);
            l->delay_us = rng_chance(r, 800) ? near : far;
            l->jitter_us = l->delay_us;
            l->delays.state = rng_next(&w->stream[STREAM_DELAY]);
            if (2 * l->delay_us > w->slowest_us)
                w->slowest_us = 2 * l->delay_us;
        }
}

static void make_hosts(struct world *w)
{
    struct rng *r = &w->stream[STREAM_SETUP];
    int mixed = rng_chance(r, 400) && !w->opt.is_scripted;
    for (int s = 0; s < w->servers; s++) {
        struct host *h = &w->host[s];
        memset(h, 0, offsetof(struct host, model));
        h->clock = (struct clock){1700000000 * SECOND + rng_below(r, 1000000 * SECOND), draw_rate(w), 0};
        h->index = (uint8_t)s;
        h->is_down = h->is_frozen = h->proxy = 0;
        memset(h->acl, 0, sizeof h->acl);
        h->refuse_until = h->blackhole_until = h->up_at = 0;
        h->serving = NULL;
        h->world = w;
        const struct sim_features *kind =
            host_kind(w, (unsigned)s, mixed ? (unsigned)rng_below(r, HOST_KINDS) : 0);
        sim_server_start(&h->model, kind, rng_next(r), clock_ms(&h->clock, 0) - UP_BEFORE_MS);
        h->model.is_unnamed = (uint8_t)w->is_unnamed;
        h->model.note = oracle_note;
        h->model.note_ctx = h;
        if (w->has_canary)
            host_canary(w, (unsigned)s, UP_BEFORE_MS / 1000, 0);
        host_save(w, (unsigned)s);
    }
}

static uint64_t quarantine_us(const struct world *w)
{
    return (w->max_ttl_ms / 1000 + 2) * SECOND;
}

/* The guard is a promise of all clients: one client without it voids it for the others. */
static void make_guard(struct world *w)
{
    static const uint8_t guards[] = {RDL_GUARD_OFF, RDL_GUARD_REQUIRED, RDL_GUARD_REQUIRED,
                                     RDL_GUARD_IF_PERMITTED, RDL_GUARD_STRICT};
    struct rng *r = &w->stream[STREAM_GUARD];
    uint64_t drawn = rng_below(r, sizeof guards);
    w->guard = w->opt.guard > 0 ? (uint8_t)(w->opt.guard - 1) : guards[drawn];
    if (w->is_single || w->opt.is_scripted)
        w->guard = RDL_GUARD_OFF;
    int is_guarded = w->guard != RDL_GUARD_OFF, restarts = rng_chance(r, 300);
    uint64_t losses = rng_next(r) & (FAULT_BIT(FAULT_FLUSH) | FAULT_BIT(FAULT_PROMOTE));
    if (w->is_unnamed) /* a canary of another server cannot be distinguished from its own */
        losses &= ~FAULT_BIT(FAULT_PROMOTE);
    w->has_canary = (uint8_t)(rng_chance(r, 300) && is_guarded);
    w->accepts_gap = rng_chance(r, 200) && !w->is_single && !w->opt.is_scripted;
    if (w->opt.faults < 0 && w->faults != 0) { /* what is within the assumptions now */
        w->faults |= is_guarded && restarts ? FAULT_BIT(FAULT_RESTART) : 0;
        w->faults |= w->has_canary ? losses : 0;
    }
    uint32_t wait_end_ms = 4 * (client_least_attempt_ms(w) + w->ttl_ms / 16);
    w->max_ttl_ms = w->ttl_ms > wait_end_ms ? w->ttl_ms : wait_end_ms;
    /*
     * A client that comes back knows no run and no canary; a canary is checked when the quarantine is over.
     */
    int quarantines = 2 * w->has_canary + (w->guard == RDL_GUARD_STRICT);
    w->stop_us = w->opt.end_us - REST_US + (uint64_t)quarantines * quarantine_us(w);
    if (is_guarded && quarantines == 0) /* a restart is noticed when a lock is wanted next */
        w->stop_us += 1500 * MS;
    w->end_us = w->stop_us + REST_US;
    if (!(w->faults & FAULT_BIT(FAULT_SWALLOW)))
        return;
    /*
     * A stall is found by the next request, and the connection is closed when its SETs have expired. No
     * request is sent while too few servers count. So a restart behind it is noticed when the others'
     * quarantine is over, and this run counts one quarantine later.
     */
    if (is_guarded)
        w->stop_us += w->max_ttl_ms * MS + quarantine_us(w);
    /*
     * A stall found by the last release: the SETs, then the longest pause before the next connection. The
     * check that no key is left is not delayed.
     */
    w->end_us = w->stop_us + REST_US + w->max_ttl_ms * MS + 2 * SECOND;
}

static void make_shape(struct world *w)
{
    static const uint8_t sizes[] = {5, 5, 5, 5, 3, 3, 7, 1, 2, 4};
    struct rng *r = &w->stream[STREAM_SETUP];
    int clients = (int)rng_between(r, 2, 5), servers = sizes[rng_below(r, 10)];
    int handles = rng_chance(r, 300) ? (int)rng_between(r, 2, HANDLES_MAX) : 1;
    uint32_t ttl = (uint32_t)rng_between(r, 4, 28) * 50;
    uint64_t faults = draw_faults(r, &w->stream[STREAM_MORE]);
    w->clients = w->opt.clients > 0 ? w->opt.clients : clients;
    w->servers = w->opt.servers > 0 ? w->opt.servers : servers;
    w->is_single = rng_chance(r, w->servers == 1 ? 700 : 100);
    if (w->opt.is_single >= 0)
        w->is_single = w->opt.is_single;
    if (w->opt.is_blocking || w->opt.slots)
        w->is_single = 0;
    uint64_t mode = rng_below(r, 6);
    if (w->is_single && !w->opt.is_scripted) {
        w->is_fenced = mode == 1 || mode == 2;
        w->has_legacy = mode == 3 ? 1 : mode == 4 ? 2 : 0;
    } else if (!w->opt.is_scripted) {
        w->is_fenced = mode < 2 && !w->opt.slots;
    }
    w->has_expiring_fences = w->is_fenced && w->opt.seed % 4 == 0;
    w->has_floors = w->opt.seed / 4 % 2 == 0;
    w->is_unnamed = w->opt.is_unnamed || (w->opt.seed / 8 % 8 == 7 && !w->opt.is_scripted);
    w->handles = w->opt.is_scripted || w->opt.is_blocking ? 1 : handles;
    w->ttl_ms = w->opt.ttl_ms > 0 ? (uint32_t)w->opt.ttl_ms : ttl;
    w->faults = w->opt.faults >= 0 ? (uint64_t)w->opt.faults : faults;
    uint64_t misuse = rng_next(&w->stream[FAULT_COPY]) & FAULTS_MISUSE;
    if (w->opt.faults < 0 && w->opt.has_misuse)
        w->faults |= misuse;
    if (w->opt.slots)
        w->faults &=
            ~(FAULT_BIT(FAULT_ADOPT) | FAULT_BIT(FAULT_HINT) | FAULT_BIT(FAULT_MULTI) | FAULTS_MISUSE);
    w->hold_us = (uint64_t)w->ttl_ms * rng_between(r, 100, 1500);
    w->think_us = (uint64_t)w->ttl_ms * rng_between(r, 1000, 6000);
    uint32_t tail = (uint32_t)rng_between(r, 1, 50), cut = (uint32_t)rng_between(r, 1, 300);
    w->tail_permille = w->faults & FAULT_BIT(FAULT_TAIL) ? tail : 0;
    w->cut_permille = w->faults & FAULT_BIT(FAULT_CUT) ? cut : 0;
    uint32_t between = (uint32_t)rng_between(&w->stream[FAULT_BETWEEN], 5, 300);
    w->between_permille = w->faults & FAULT_BIT(FAULT_BETWEEN) ? between : 0;
    uint32_t replies = (uint32_t)rng_between(&w->stream[FAULT_REPLIES], 5, 150);
    w->replies_permille = w->faults & FAULT_BIT(FAULT_REPLIES) ? replies : 0;
    w->resets_in = w->faults & FAULT_BIT(FAULT_RESET)
                       ? (uint32_t)rng_between(&w->stream[FAULT_RESET], 10, 400)
                       : UINT32_MAX;
}

/* The stream that gets the n-th seed. Later streams come last, so that older worlds stay the same. */
static int stream_drawn(int n)
{
    static const uint8_t later[] = {
        STREAM_SETUP,  STREAM_DELAY, STREAM_USER,    STREAM_LIBRARY, STREAM_GUARD,
        FAULT_LAG,     FAULT_EVICT,  FAULT_EVERYSEC, FAULT_ADOPT,    FAULT_HINT,
        FAULT_MULTI,   STREAM_MORE,  FAULT_HALF,     FAULT_WALL,     FAULT_BETWEEN,
        FAULT_SWALLOW, FAULT_PROXY,  FAULT_COPY,     FAULT_SHARED,   FAULT_REMADE,
        FAULT_OPTIONS, FAULT_ACL,    FAULT_FULL,     FAULT_REPLIES,  FAULT_FORK};
    return n < FAULT_LAG ? n : later[n - FAULT_LAG];
}

struct world *world_make(const struct options *o)
{
    struct world *w = &the_world;
    uint32_t run = w->run + 1;
    if (run == 0) { /* the marks of 2^32 runs ago would match */
        memset(w->token, 0, sizeof w->token);
        run = 1;
    }
    memset(w, 0, offsetof(struct world, planned));
    w->run = run;
    w->opt = *o;
    struct rng seeds = {o->seed};
    for (int n = 0; n < STREAMS; n++)
        w->stream[stream_drawn(n)].state = rng_next(&seeds) ^ (uint64_t)n << 56;
    w->last_acquired = w->acquired_after_heal = 0;
    memset(&w->counts, 0, sizeof w->counts);
    for (int i = 0; i < TCPS; i++)
        w->tcp[i].used = 0;
    make_shape(w);
    make_links(w);
    uint32_t least_ms = w->has_legacy  ? w->slowest_us / 14 + 12
                        : w->is_fenced ? w->slowest_us / 36 + 12
                                       : w->slowest_us / 40;
    if (w->ttl_ms < least_ms)
        w->ttl_ms = least_ms;
    make_guard(w);
    make_hosts(w);
    w->conns = w->servers + ((w->faults & FAULT_BIT(FAULT_HINT)) != 0);
    for (int c = 0; c < w->clients; c++) {
        w->client[c].clock =
            (struct clock){rng_below(&w->stream[STREAM_SETUP], 1000000 * SECOND), draw_rate(w), 0};
        memset(w->client[c].kept, 0, sizeof w->client[c].kept);
        for (int i = 0; i < HANDLES_MAX; i++)
            w->client[c].dice[i].state = rng_next(&w->stream[STREAM_USER]);
        client_init(w, (unsigned)c);
    }
    if (!o->is_scripted)
        faults_plan(w);
    return w;
}

/* ---------------------------------------------------------------- living */

static void dispatch(struct world *w, const struct event *e)
{
    w->counts.events++;
    world_hash(w, event_at(w, e) ^ (uint64_t)e->kind << 60 ^ (uint64_t)e->who << 48 ^ (uint64_t)e->n << 40);
    switch ((enum event_kind)e->kind) {
    case EVENT_WAKE:
        if (w->client[e->who].wake_at == event_at(w, e))
            w->client[e->who].wake_at = NEVER;
        client_run(w, e->who);
        break;
    case EVENT_FAULT:
        fault_event(w, e->n);
        break;
    case EVENT_OPENED:
    case EVENT_UP:
    case EVENT_UP_FIN:
    case EVENT_SERVE:
    case EVENT_DOWN:
    case EVENT_DOWN_FIN:
        tcp_event(w, e);
        break;
    }
}

void world_run_until(struct world *w, uint64_t until)
{
    while (w->events > 0 && event_at(w, &w->heap[0]) <= until && !w->violation) {
        struct event e = event_pop(w);
        w->now = event_at(w, &e);
        if (w->opt.is_plotted)
            plot_sample(w);
        dispatch(w, &e);
        move_base(w);
        if (w->opt.branches > 0 || w->forked < w->opt.forks)
            branch_event(w, &e);
    }
    if (w->now < until)
        w->now = until;
    move_base(w);
    if (w->opt.is_plotted)
        plot_sample(w);
}

int world_live(struct world *w)
{
    world_run_until(w, w->stop_us + REST_US);
    if (!w->violation)
        oracle_orphans(w);
    world_run_until(w, w->end_us);
    if (!w->violation)
        oracle_end(w);
    return w->violation != NULL;
}
