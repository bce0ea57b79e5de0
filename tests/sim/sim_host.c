/* SPDX-License-Identifier: MIT */
/* Kinds of servers; what happens to a server's data: lost, old, replaced, changed by a foreign client. */
#include "tests/sim/sim.h"

#include <stdio.h>
#include <string.h>

/* Servers that differ for wake hints: whole seconds, as before Redis 6.0, or BLPOP refused. */
static const struct sim_features *kind_for_hints(struct world *w, const struct sim_features *usual)
{
    static const struct sim_features others[] = {{.version = "5.0.14", .whole_timeouts = 1},
                                                 {.version = "7.0.15", .denied = " blpop "}};
    uint64_t drawn = rng_below(&w->stream[FAULT_HINT], 10);
    return drawn < 2 ? &others[drawn] : usual;
}

const struct sim_features *host_kind(struct world *w, unsigned s, unsigned drawn)
{
    static const struct sim_features kinds[HOST_KINDS] = {
        {.version = "7.0.15"},
        {.version = "7.0.15", .no_scripts = 1},
        {.version = "8.6.3", .has_delex = 1, .has_msetex = 1},
        {.version = "7.2.4", .has_delifeq = 1, .no_scripts = 1},
        {.version = "8.6.3", .has_delex = 1, .has_msetex = 1, .no_scripts = 1},
    };
    static const struct sim_features old = {
        .version = "2.4.18", .no_scripts = 1, .no_set_options = 1, .no_pttl = 1, .whole_timeouts = 1};
    if (w->has_legacy == 1 && s == 0 && rng_chance(&w->stream[STREAM_MORE], 300)) /* enough for legacy */
        return &old;
    int has_multi = w->is_single && !w->has_legacy && (w->faults & FAULT_BIT(FAULT_MULTI));
    if (w->is_fenced) /* it needs scripts */
        drawn = drawn % 2 * 2;
    else if (has_multi) /* they need scripts or MSETEX */
        drawn = drawn % 3 * 2;
    w->has_other_servers |=
        drawn != 0 ||
        (w->faults & (FAULT_BIT(FAULT_PROXY) | FAULT_BIT(FAULT_ACL) | FAULT_BIT(FAULT_REPLIES))) != 0;
    return s == 0 && drawn == 0 && (w->faults & FAULT_BIT(FAULT_HINT)) ? kind_for_hints(w, &kinds[0])
                                                                       : &kinds[drawn];
}

/* A command of a client that does not belong to this world. */
static void run(struct host *h, const char *command, size_t len)
{
    struct sim_session by_hand = {0};
    uint8_t reply[SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};
    sim_note_fn *note = h->model.note;
    h->model.note = NULL;
    sim_server_input(&h->model, &by_hand, (const uint8_t *)command, len, clock_ms(&h->clock, h->world->now),
                     &out);
    h->model.note = note;
}

void host_command(struct world *w, unsigned s, const char *inline_command)
{
    run(&w->host[s], inline_command, strlen(inline_command));
}

void host_canary(struct world *w, unsigned s, uint32_t age_s, int is_foreign)
{
    struct host *h = &w->host[s];
    char command[128], value[64];
    int len = snprintf(value, sizeof value, "%.16s %llu", is_foreign ? "0123456789abcdef" : h->model.run_id,
                       (unsigned long long)(clock_ms(&h->clock, w->now) / 1000 - age_s));
    int n = snprintf(command, sizeof command, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n",
                     (int)sizeof RDL_CANARY_KEY - 1, RDL_CANARY_KEY, len, value);
    run(h, command, (size_t)n);
}

void host_flush(struct world *w, unsigned s)
{
    sim_server_flush(&w->host[s].model);
    world_trace(w, "s%u: FLUSHALL", s);
}

void host_promote(struct world *w, unsigned s)
{
    sim_server_flush(&w->host[s].model);
    host_canary(w, s, 3600, 1);
    world_trace(w, "s%u was demoted and promoted again: its data is another's", s);
}

void host_save(struct world *w, unsigned s)
{
    if (!w->host[s].is_down)
        sim_server_save(&w->host[s].model, &w->host[s].disk);
}

void host_lag(struct world *w, unsigned s)
{
    if (w->host[s].is_down)
        return;
    sim_server_load(&w->host[s].model, &w->host[s].disk);
    world_trace(w, "s%u: a replica that was behind is promoted", s);
}

void host_evict(struct world *w, unsigned s)
{
    sim_server_evict(&w->host[s].model);
    world_trace(w, "s%u is full and deletes what has a ttl", s);
}

uint64_t host_lock_left_us(struct world *w, unsigned s, unsigned name)
{
    struct host *h = &w->host[s];
    struct sim_arg key = {(const uint8_t *)lock_name(name), strlen(lock_name(name))};
    uint64_t now_ms = clock_ms(&h->clock, w->now);
    const struct sim_key *k = sim_server_find(&h->model, 0, key, now_ms);
    return k && k->expire_ms > now_ms ? (k->expire_ms - now_ms) * MS : 0;
}

void host_hint(struct world *w, unsigned s, unsigned name, unsigned what)
{
    const char *list = name == 0 ? "{nightly}:wake" : "{nightly}:2:wake";
    char command[160];
    int n;
    if (what % 3 == 2)
        n = snprintf(command, sizeof command, "SET %s foreign PX 1500\r\n", list);
    else
        n = snprintf(command, sizeof command, "RPUSH %s 1%s\r\n", list,
                     what % 3 == 0 ? "" : " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20");
    if (w->host[s].is_down || w->host[s].is_frozen)
        return;
    run(&w->host[s], command, (size_t)n);
    host_wake(w, &w->host[s]);
    world_trace(w, "s%u: a foreign client writes into the hints of \"%s\"", s, lock_name(name));
}
