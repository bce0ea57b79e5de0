/* SPDX-License-Identifier: MIT */
/*
 * Programs that use only the blocking calls, and the oracle for what they lose without steps between
 * operations: the servers that answer last.
 */
#include "net/net_op.h"
#include "redlock/redlock_private.h"
#include "tests/sim/sim.h"

#include <string.h>

int blocking_is_asleep(const struct world *w, const struct client *c)
{
    const struct handle *h = &c->handle[0];
    if (!w->opt.is_blocking || handle_is_pending(h))
        return 0;
    for (int s = 0; s < w->conns && h->state == IDLE; s++)
        if (!rdl_conn_is_idle(&c->conn[s]))
            return 0; /* it drains */
    return h->state == HELD || handle_is_idle(h);
}

/* ---------------------------------------------------------------- the beginning of a call */

static int poll_now(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)conns, (void)n, (void)until_ms, (void)flags;
    client_poll(world_get(), ctx);
    return RDL_OK;
}

static uint64_t now_ms_of(void *ctx)
{
    return client_now_ms(world_get(), ctx);
}

uint64_t blocking_begin_ms(struct world *w, struct handle *h, enum rdl_action action)
{
    struct client *c = &w->client[h->client];
    const struct rdl_platform platform = {poll_now, now_ms_of, NULL, c};
    if (!w->opt.is_blocking)
        return client_now_ms(w, c);
    return rdl_redlock_begin_ms(&h->m->redlock, &platform, action);
}

/* ---------------------------------------------------------------- the oracle */

/* The library may not know why a server of these worlds has no key. */
static int is_exempt(const struct world *w)
{
    const uint64_t errors = FAULT_BIT(FAULT_ERRORS) | FAULT_BIT(FAULT_SCRIPTS) | FAULT_BIT(FAULT_PROXY);
    return (w->faults & (errors | FAULTS_OUTSIDE | FAULTS_MISUSE)) || w->has_other_servers;
}

/* All that was sent to s over this connection was answered, and the answers have arrived. */
static int has_answered(const struct client *c, const struct handle *h, int s)
{
    const struct tcp *t = c->tcp[s];
    return t && t->gen == h->renewed_over[s] && t->client_open == 2 && t->server_open && !t->swallows &&
           !t->down_ended && !t->down_lost && t->up.len == 0 && t->down.len == t->down.ready;
}

static int has_key(struct world *w, const struct handle *h, int s)
{
    struct host *host = &w->host[s];
    struct sim_arg name = {(const uint8_t *)lock_name(handle_name(h)), strlen(lock_name(handle_name(h)))};
    return sim_server_find(&host->model, 0, name, clock_ms(&host->clock, w->now)) != NULL;
}

void oracle_spread(struct world *w, struct handle *h)
{
    const struct client *c = &w->client[h->client];
    char hex[2 * RDL_TOKEN_LEN];
    token_hex(handle_token(h), hex);
    const struct token *t = token_find(w, hex, 0);
    if (!w->opt.is_blocking || !t || handle_remaining_ms(h, client_now_ms(w, c)) == 0)
        return;
    for (int s = 0; s < w->servers; s++) {
        if (!has_answered(c, h, s) || (t->foreign >> s & 1))
            h->renewed[s] = 0;
        if (h->renewed[s] >= 2 && !is_exempt(w) && !has_key(w, h, s))
            world_violation(w, "spread", "c%u.%u was renewed twice, and s%d has no key", h->client, h->index,
                            s);
    }
}

/* A server that is connected now gets the extend. */
void oracle_spread_begun(const struct world *w, struct handle *h)
{
    const struct client *c = &w->client[h->client];
    for (int s = 0; s < w->servers && w->opt.is_blocking; s++) {
        int is_ready = c->tcp[s] && rdl_conn_state(&c->conn[s]) == RDL_CONN_READY;
        if (!is_ready || c->cfg[s].queue_len < QUEUE_BYTES || h->renewed_over[s] != c->tcp[s]->gen)
            h->renewed[s] = 0;
        h->renewed_over[s] = is_ready ? c->tcp[s]->gen : 0;
    }
}

/* A round trip of an acquire may include the check of a canary, and a second server's replies. */
void oracle_measured(struct world *w, const struct client *c)
{
    if (!w->opt.is_blocking || w->opt.is_scripted || w->faults != 0)
        return;
    for (int s = 0; s < w->servers; s++)
        if (!c->conn[s].rtt_is_bound && c->conn[s].rtt_ms > 6 * w->slowest_us / MS + 3)
            world_violation(w, "round trip", "c%u-s%d is said to take %u ms", c->index, s,
                            (unsigned)c->conn[s].rtt_ms);
}

void oracle_spread_result(struct handle *h, int result)
{
    int is_confirmed = h->state == EXTENDING && (result == RDL_OK || result == RDL_REPAIRED);
    for (int s = 0; s < SERVERS_MAX; s++)
        h->renewed[s] = is_confirmed && h->renewed_over[s] != 0 ? (uint8_t)(h->renewed[s] + 1) : 0;
}
