/* SPDX-License-Identifier: MIT */
/*
 * sim_planted.c - a fault for the simulator itself to find (planted=1). It needs three rare events of one
 * redlock with one server: the server grants a vote soon after a restart; a repair puts the key back there; a
 * release is executed there after the connection has ended. Then the redlock must lose a lease, and get the
 * next one.
 *
 * All of this is seen from outside: the servers' commands, the links and the results. The pool of
 * sim_branch.c knows the library's state instead.
 */
#include "tests/sim/sim.h"

#include <string.h>

enum { PLANTED_RESTART = 1, PLANTED_REPAIR = 2, PLANTED_RELEASE = 4, PLANTED_ALL = 7, PLANTED_LOSS = 8 };

/* The loss must come after the three. */
static void note(struct world *w, struct handle *h, unsigned s, unsigned event)
{
    int is_early = event == PLANTED_LOSS && h->planted[s] != PLANTED_ALL;
    if (h->is_single || is_early || (h->planted[s] & event))
        return;
    h->planted[s] |= (uint8_t)event;
    world_trace(w, "        planted: c%u.%u has %u on s%u", h->client, h->index, h->planted[s], s);
}

/* The lock of this client that has this token now. */
static struct handle *asker(struct world *w, unsigned client, const struct token *t)
{
    struct client *c = &w->client[client];
    for (int i = 0; i < w->handles; i++) {
        char hex[2 * RDL_TOKEN_LEN];
        token_hex(handle_token(&c->handle[i]), hex);
        if (memcmp(hex, t->hex, sizeof hex) == 0)
            return &c->handle[i];
    }
    return NULL;
}

void planted_set(struct world *w, const struct host *h, const struct token *t)
{
    if (!w->opt.is_planted || !h->serving)
        return;
    struct handle *by = asker(w, h->serving->client, t);
    uint64_t up_ms = clock_ms(&h->clock, w->now) - h->model.start_ms;
    if (!by)
        return;
    if (t->was_held)
        note(w, by, h->index, PLANTED_REPAIR);
    else if (up_ms < w->max_ttl_ms && w->guard != RDL_GUARD_OFF)
        note(w, by, h->index, PLANTED_RESTART);
}

void planted_delete(struct world *w, const struct host *h, const struct token *t)
{
    if (!w->opt.is_planted || !h->serving || !t->was_held)
        return;
    if (w->link[t->client][h->index].last_break > t->ended_us)
        note(w, &w->client[t->client].handle[t->handle], h->index, PLANTED_RELEASE);
}

void planted_result(struct world *w, struct handle *h, int state, int result)
{
    if (!w->opt.is_planted)
        return;
    for (unsigned s = 0; s < (unsigned)w->servers; s++) {
        if (state == ACQUIRING && result >= 0 && h->planted[s] == (PLANTED_ALL | PLANTED_LOSS))
            world_violation(w, "planted", "c%u.%u lost a lease after three rare events on s%u", h->client,
                            h->index, s);
        if (result == RDL_LOST || result == RDL_E_GAP)
            note(w, h, s, PLANTED_LOSS);
    }
}
