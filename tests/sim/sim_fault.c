/* SPDX-License-Identifier: MIT */
/* Faults that have a time: planned when the world is made, each class from its own stream. */
#include "tests/sim/sim.h"

const char *fault_name(unsigned f)
{
    static const char *const names[FAULT_CLASSES] = {
        "tail",    "cut",     "reset",   "stall",    "partition",   "refuse",      "crash",
        "reboot",  "freeze",  "pause",   "kill",     "clock",       "spurious",    "errors",
        "scripts", "cancel",  "flush",   "restart",  "step-client", "step-server", "rate",
        "promote", "lag",     "evict",   "everysec", "adopt",       "hint",        "multi",
        "half",    "wall",    "between", "swallow",  "proxy",       "copy",        "shared",
        "remade",  "options", "acl",     "full",     "replies",     "fork"};
    return f < FAULT_CLASSES ? names[f] : "?";
}

static void add(struct world *w, struct planned p)
{
    if (w->planned_len == FAULTS) {
        world_violation(w, "simulator", "more than %d faults", FAULTS);
        return;
    }
    w->planned[w->planned_len] = p;
    event_push(w, p.at, EVENT_FAULT, 0, 0, (uint32_t)w->planned_len++);
}

/* The duration of a fault of this class, in us. */
static uint64_t duration(struct world *w, unsigned fault, struct rng *r)
{
    uint64_t ttl = w->ttl_ms * MS;
    switch (fault) {
    case FAULT_CRASH:
    case FAULT_EVERYSEC: /* the operators' rule without a guard: down for longer than any lease */
        return (w->guard == RDL_GUARD_OFF ? ttl + SECOND : 0) + rng_below(r, ttl);
    case FAULT_REBOOT:
    case FAULT_RESTART:
        return rng_below(r, 200 * MS);
    case FAULT_PAUSE:
    case FAULT_FREEZE:
    case FAULT_STALL:
    case FAULT_PARTITION:
        return rng_chance(r, 300) ? rng_below(r, 3 * ttl) : rng_below(r, ttl / 2);
    case FAULT_KILL:
        return rng_below(r, ttl);
    case FAULT_ADOPT: /* most often before the lease is over */
        return rng_below(r, rng_chance(r, 300) ? 2 * ttl : ttl / 2);
    default:
        return rng_below(r, 2 * ttl);
    }
}

/* Later writes are not on the disk. */
static void plan_save(struct world *w, struct planned p, uint64_t most_us)
{
    uint64_t lag = rng_below(&w->stream[p.fault], most_us);
    p.at = p.at > w->plan_from_us + lag ? p.at - lag : w->plan_from_us;
    p.is_save = 1;
    add(w, p);
}

/* With a guard several may lose the last second at once, as when the power fails. */
static void plan_more_crashes(struct world *w, struct planned end)
{
    struct rng *r = &w->stream[end.fault];
    if (!rng_chance(r, 300))
        return;
    for (int k = 0; k < w->servers; k++) {
        struct planned p = end;
        if (k == end.server || !rng_chance(r, 700))
            continue;
        p.server = (uint8_t)k;
        p.is_end = 0;
        p.at = end.until - rng_below(r, end.until < 200 * MS ? end.until : 200 * MS);
        if (p.at < w->plan_from_us)
            continue;
        plan_save(w, p, SECOND);
        add(w, p);
        p.is_end = 1;
        p.at = p.until;
        add(w, p);
    }
}

static const uint64_t has_end = FAULT_BIT(FAULT_CRASH) | FAULT_BIT(FAULT_REBOOT) | FAULT_BIT(FAULT_RESTART) |
                                FAULT_BIT(FAULT_FREEZE) | FAULT_BIT(FAULT_KILL) | FAULT_BIT(FAULT_ERRORS) |
                                FAULT_BIT(FAULT_EVERYSEC) | FAULT_BIT(FAULT_ADOPT) | FAULT_BIT(FAULT_PROXY) |
                                FAULT_BIT(FAULT_ACL);

static void plan_one(struct world *w, unsigned fault)
{
    struct rng *r = &w->stream[fault];
    struct planned p = {.fault = (uint8_t)fault};
    uint64_t lasts = duration(w, fault, r), latest = w->opt.heal_us;
    if ((fault == FAULT_CRASH || fault == FAULT_EVERYSEC) && w->guard != RDL_GUARD_OFF)
        latest -= w->max_ttl_ms * MS; /* half of the quarantine */
    if (lasts > latest - 1)
        lasts = latest - 1;
    p.at = rng_below(r, latest - lasts);
    p.until = p.at + lasts;
    p.client = (uint8_t)rng_below(r, (uint64_t)w->clients);
    p.server = (uint8_t)rng_below(r, (uint64_t)w->servers);
    p.what = (uint8_t)rng_next(r);
    if (p.at < w->plan_from_us)
        return;
    if (fault == FAULT_EVERYSEC)
        plan_save(w, p, SECOND);
    add(w, p);
    if (has_end & FAULT_BIT(fault)) {
        p.is_end = 1;
        p.at = p.until;
        add(w, p);
    }
    if (fault == FAULT_EVERYSEC && w->guard != RDL_GUARD_OFF)
        plan_more_crashes(w, p);
}

/*
 * A fault that breaks the assumptions affects a majority at once: an operator's mistake, a bad time server.
 */
static void plan_outside(struct world *w, unsigned fault)
{
    struct rng *r = &w->stream[fault];
    uint64_t at = SECOND + rng_below(r, w->opt.heal_us - 2 * SECOND);
    if (fault == FAULT_RATE)
        return;
    for (int k = 0; k < w->servers; k++) {
        struct planned p = {.fault = (uint8_t)fault, .server = (uint8_t)k, .at = at + rng_below(r, MS)};
        p.client = (uint8_t)rng_below(r, (uint64_t)w->clients);
        p.until = p.at + rng_below(r, 50 * MS);
        if (p.at < w->plan_from_us)
            continue;
        if (fault == FAULT_LAG)
            plan_save(w, p, 300 * MS);
        add(w, p);
        if (fault == FAULT_RESTART) {
            p.is_end = 1;
            p.at = p.until;
            add(w, p);
        }
    }
}

void faults_plan(struct world *w)
{
    static const uint64_t timed =
        FAULT_BIT(FAULT_STALL) | FAULT_BIT(FAULT_PARTITION) | FAULT_BIT(FAULT_REFUSE) |
        FAULT_BIT(FAULT_CRASH) | FAULT_BIT(FAULT_REBOOT) | FAULT_BIT(FAULT_FREEZE) | FAULT_BIT(FAULT_PAUSE) |
        FAULT_BIT(FAULT_KILL) | FAULT_BIT(FAULT_ERRORS) | FAULT_BIT(FAULT_SCRIPTS) |
        FAULT_BIT(FAULT_EVERYSEC) | FAULT_BIT(FAULT_ADOPT) | FAULT_BIT(FAULT_HINT) | FAULT_BIT(FAULT_HALF) |
        FAULT_BIT(FAULT_WALL) | FAULT_BIT(FAULT_SWALLOW) | FAULT_BIT(FAULT_PROXY) | FAULT_BIT(FAULT_ACL);
    for (unsigned f = 0; f < FAULT_CLASSES; f++) {
        if (!(w->faults & FAULT_BIT(f)))
            continue;
        if (timed & FAULT_BIT(f))
            for (uint64_t n = rng_between(&w->stream[f], 1,
                                          f == FAULT_ADOPT || f == FAULT_HALF || f == FAULT_ACL ? 10 : 4);
                 n > 0; n--)
                plan_one(w, f);
        if (f == FAULT_REPLIES && w->opt.heal_us >= w->plan_from_us)
            add(w, (struct planned){.fault = FAULT_REPLIES, .at = w->opt.heal_us});
        if (FAULTS_OUTSIDE & FAULT_BIT(f))
            for (int n = 0; n < 3; n++)
                plan_outside(w, f);
    }
}

void faults_plan_anew(struct world *w)
{
    for (int n = 0; n < w->planned_len; n++)
        if (!w->planned[n].is_end && w->planned[n].at > w->now)
            w->planned[n].is_dropped = 1;
    w->plan_from_us = w->now + 1;
    faults_plan(w);
}

static void block(struct link *l, unsigned directions, uint64_t until)
{
    if ((directions & 1) && l->up_blocked < until)
        l->up_blocked = until;
    if ((directions & 2) && l->down_blocked < until)
        l->down_blocked = until;
}

static void partition(struct world *w, const struct planned *p)
{
    unsigned directions = p->what % 3 + 1;
    for (int c = 0; c < w->clients; c++)
        for (int s = 0; s < w->servers; s++)
            if (rng_chance(&w->stream[FAULT_PARTITION], 400))
                block(&w->link[c][s], directions, p->until);
    world_trace(w, "partition (%s) until %llu ms",
                directions == 1   ? "to the servers"
                : directions == 2 ? "from them"
                                  : "both ways",
                (unsigned long long)(p->until / MS));
}

/* It affects a client that holds something, if there is one. */
static void choose_holder(struct world *w, uint32_t n)
{
    for (int k = 0; k < w->clients; k++) {
        unsigned c = (w->planned[n].client + (unsigned)k) % (unsigned)w->clients;
        for (int i = 0; i < w->handles; i++)
            if (!w->client[c].is_dead && w->client[c].handle[i].state == HELD) {
                w->planned[n].client = w->planned[n + 1].client = (uint8_t)c;
                return;
            }
    }
}

static void kill_client(struct world *w, const struct planned *p)
{
    int is_dead = w->client[p->client].is_dead;
    if (p->is_end && is_dead)
        client_return(w, p->client);
    else if (!p->is_end && !is_dead)
        client_die(w, p->client, p->what & 1);
}

static void set_error(struct world *w, const struct planned *p)
{
    struct sim_server *m = &w->host[p->server].model;
    uint8_t *const condition[] = {&m->oom, &m->loading, &m->readonly, &m->busy, &m->misconf};
    static const char *const name[] = {"out of memory", "loading", "a replica", "busy with a script",
                                       "unable to save"};
    *condition[p->what % 5] = !p->is_end;
    world_trace(w, "s%u is %s%s", p->server, name[p->what % 5], p->is_end ? " no more" : "");
}

static void crash(struct world *w, const struct planned *p)
{
    static const enum host_data data[FAULT_CLASSES] = {
        [FAULT_REBOOT] = HOST_ALL, [FAULT_EVERYSEC] = HOST_SAVED};
    struct host *h = &w->host[p->server];
    if (!p->is_end) {
        if (h->is_down)
            return;
        h->is_frozen = 0;
        h->up_at = p->until;
        world_trace(w, "s%u crashes%s", p->server, p->what & 1 ? "" : " silently");
        host_crash(w, p->server, p->what & 1);
    } else if (h->is_down && h->up_at == p->until) {
        host_start(w, p->server, data[p->fault]);
    }
}

static void freeze(struct world *w, const struct planned *p)
{
    struct host *h = &w->host[p->server];
    if (h->is_down)
        return;
    world_trace(w, "s%u %s", p->server, p->is_end ? "goes on" : "freezes");
    h->is_frozen = !p->is_end;
    if (p->is_end)
        host_serve_all(w, p->server);
}

static void refuse(struct world *w, const struct planned *p)
{
    struct host *h = &w->host[p->server];
    *(p->what & 1 ? &h->refuse_until : &h->blackhole_until) = p->until;
    world_trace(w, "s%u %s connections until %llu ms", p->server, p->what & 1 ? "refuses" : "does not answer",
                (unsigned long long)(p->until / MS));
}

static void pause_client(struct world *w, const struct planned *p)
{
    struct client *c = &w->client[p->client];
    if (c->paused_until >= p->until || c->is_dead)
        return;
    c->paused_until = p->until;
    world_trace(w, "c%u is stopped until %llu ms", p->client, (unsigned long long)(p->until / MS));
    client_wake(w, p->client, p->until);
}

static void step_clock(struct world *w, const struct planned *p)
{
    int64_t ttl = (int64_t)(w->ttl_ms * MS);
    if (p->fault == FAULT_STEP_CLIENT) {
        w->client[p->client].clock.step_us -= ttl / 2;
        world_trace(w, "c%u's clock goes back by %lld ms (outside the assumptions)", p->client,
                    (long long)ttl / 2000);
        client_wake(w, p->client, w->now + 1);
        oracle_holders(w, &w->client[p->client], clock_ms(&w->client[p->client].clock, w->now));
    } else {
        w->host[p->server].clock.step_us += ttl;
        world_trace(w, "s%u's clock steps ahead by %lld ms (outside the assumptions)", p->server,
                    (long long)ttl / 1000);
    }
}

static void stall(struct world *w, const struct planned *p)
{
    block(&w->link[p->client][p->server], p->what % 3 + 1, p->until);
    world_trace(w, "link c%u-s%u loses everything until %llu ms", p->client, p->server,
                (unsigned long long)(p->until / MS));
}

static void forget_scripts(struct world *w, const struct planned *p)
{
    w->host[p->server].model.scripts = 0;
    world_trace(w, "s%u: SCRIPT FLUSH", p->server);
}

static void flush(struct world *w, const struct planned *p)
{
    host_flush(w, p->server);
}

static void promote(struct world *w, const struct planned *p)
{
    host_promote(w, p->server);
}

static void lag(struct world *w, const struct planned *p)
{
    host_lag(w, p->server);
}

static void evict(struct world *w, const struct planned *p)
{
    host_evict(w, p->server);
}

static void hint(struct world *w, const struct planned *p)
{
    host_hint(w, 0, p->what / 3 % NAMES, p->what);
}

static void half(struct world *w, const struct planned *p)
{
    struct tcp *t = w->client[p->client].tcp[p->server];
    if (t && t->client_open == 2 && t->server_open)
        tcp_half(w, t);
}

/* By up to an hour. If counters may get lost, the clients' minimums may not differ by more (lock.h). */
static void step_wall(struct world *w, const struct planned *p)
{
    struct client *c = &w->client[p->client];
    int may_lose = (w->faults & FAULTS_LOSING) || w->has_expiring_fences;
    uint32_t most_ms = may_lose ? w->ttl_ms / 4 : 3600000;
    c->wall_skew_ms = (int32_t)rng_between(&w->stream[FAULT_WALL], 0, 2 * most_ms) - (int32_t)most_ms;
    world_trace(w, "c%u's wall clock steps to %+d ms", p->client, c->wall_skew_ms);
}

/* One link, all of one client, or all: as when a firewall or a NAT loses its connection table. */
static void swallow(struct world *w, const struct planned *p)
{
    unsigned directions = p->what % 3u + 1, reach = p->what / 3 % 3;
    for (unsigned c = 0; c < (unsigned)w->clients; c++)
        for (unsigned s = 0; s < (unsigned)w->servers; s++)
            if (reach == 2 || (c == p->client && (reach == 1 || s == p->server)))
                link_swallow(w, c, s, directions);
}

static void proxy(struct world *w, const struct planned *p)
{
    uint8_t what = p->what % 7u + 1;
    w->host[p->server].proxy = p->is_end ? 0 : what;
    world_trace(
        w, "s%u: a proxy answers %s%s%s%s", p->server, p->is_end ? "no more for itself" : "for itself:",
        what & PROXY_SCRIPTS && !p->is_end ? " scripts" : "",
        what & PROXY_DELETES && !p->is_end ? " DELEX" : "", what & PROXY_WATCH && !p->is_end ? " WATCH" : "");
}

/* The classes whose faults have a time. */
static void (*const strike[FAULT_CLASSES])(struct world *w, const struct planned *p) = {
    [FAULT_STALL] = stall,
    [FAULT_PARTITION] = partition,
    [FAULT_REFUSE] = refuse,
    [FAULT_CRASH] = crash,
    [FAULT_REBOOT] = crash,
    [FAULT_RESTART] = crash,
    [FAULT_EVERYSEC] = crash,
    [FAULT_FREEZE] = freeze,
    [FAULT_PAUSE] = pause_client,
    [FAULT_KILL] = kill_client,
    [FAULT_ADOPT] = kill_client,
    [FAULT_ERRORS] = set_error,
    [FAULT_SCRIPTS] = forget_scripts,
    [FAULT_FLUSH] = flush,
    [FAULT_PROMOTE] = promote,
    [FAULT_LAG] = lag,
    [FAULT_EVICT] = evict,
    [FAULT_HINT] = hint,
    [FAULT_HALF] = half,
    [FAULT_WALL] = step_wall,
    [FAULT_SWALLOW] = swallow,
    [FAULT_PROXY] = proxy,
    [FAULT_ACL] = refuse_by_acl,
    [FAULT_REPLIES] = refuse_no_more,
    [FAULT_STEP_CLIENT] = step_clock,
    [FAULT_STEP_SERVER] = step_clock,
};

void fault_event(struct world *w, uint32_t n)
{
    const struct planned *p = &w->planned[n];
    if (w->opt.left_out[n] || p->is_dropped)
        return;
    if (p->fault == FAULT_ADOPT && !p->is_end)
        choose_holder(w, n);
    if (p->is_save)
        host_save(w, p->server);
    else if (strike[p->fault])
        strike[p->fault](w, p);
    if (w->is_fenced)
        oracle_fences_lost(w);
}
