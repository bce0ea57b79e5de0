/* SPDX-License-Identifier: MIT */
/* What happens to the data of a server: lost, of a moment ago, another's; and what strangers put there. */
#include "tests/sim/sim.h"

#include <stdio.h>
#include <string.h>

/* A command of somebody who is no client of this world. */
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

void host_canary(struct world *w, unsigned s, uint32_t age_s, int is_foreign)
{
    struct host *h = &w->host[s];
    char command[128], value[64];
    int len = snprintf(value, sizeof value, "%.16s %llu", is_foreign ? "0123456789abcdef" : h->model.run_id,
                       (unsigned long long)(clock_ms(&h->clock, w->now) / 1000 - age_s));
    int n = snprintf(command, sizeof command, "*3\r\n$3\r\nSET\r\n$%zu\r\n%s\r\n$%d\r\n%s\r\n",
                     sizeof RDL_CANARY_KEY - 1, RDL_CANARY_KEY, len, value);
    run(h, command, (size_t)n);
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
    world_trace(w, "s%u: somebody writes into the hints of \"%s\"", s, lock_name(name));
}
