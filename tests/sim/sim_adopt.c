/* SPDX-License-Identifier: MIT */
/* Clients that die and come back, have the token of their lock in a file, and continue with it. */
#include "tests/sim/sim.h"

#include <string.h>

/* The file's content when the client dies. A lock that was released on all servers may still be in it. */
static void keep(struct world *w, struct client *c, unsigned i)
{
    struct rng *r = &w->stream[FAULT_ADOPT];
    struct handle *h = &c->handle[i];
    struct keepsake *kept = &c->kept[i];
    int is_held = (h->state == HELD || h->state == EXTENDING) && h->mode != MODE_LEGACY;
    if (!(w->faults & FAULT_BIT(FAULT_ADOPT)) || !rng_chance(r, is_held ? 800 : 200)) {
        kept->what = KEPT_NOTHING;
    } else if (is_held) {
        kept->what = KEPT_HELD;
        token_hex(handle_token(h), kept->hex);
    }
}

void client_die(struct world *w, unsigned n, int silently)
{
    struct client *c = &w->client[n];
    world_trace(w, "c%u dies", n);
    c->is_dead = 1;
    for (int i = 0; i < w->handles; i++) {
        keep(w, c, (unsigned)i);
        oracle_released(w, &c->handle[i]);
        c->handle[i].state = IDLE;
    }
    for (int s = 0; s < w->conns; s++) {
        struct tcp *t = c->tcp[s];
        c->tcp[s] = NULL;
        if (t && silently)
            tcp_abandon(w, t);
        else if (t)
            tcp_close(w, t);
    }
}

void client_return(struct world *w, unsigned n)
{
    struct client *c = &w->client[n];
    world_trace(w, "c%u lives again", n);
    client_init(w, n);
    for (int i = 0; i < w->handles; i++) {
        if (c->kept[i].what != KEPT_NOTHING && c->handle[i].mode != MODE_LEGACY) /* legacy: no token */
            user_adopt(w, &c->handle[i], c->kept[i].hex);
        c->kept[i].what = KEPT_NOTHING;
    }
}
