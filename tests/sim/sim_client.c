/* SPDX-License-Identifier: MIT */
/*
 * A client's process: the event loop of any program that uses the library (bytes in, steps, the user, bytes
 * out), and where it may be stopped in the middle.
 */
#include "lock/lock_lease.h"
#include "net/net_op.h"
#include "tests/sim/sim.h"

#include <string.h>

/* Where a pause stopped the loop, and so where it resumes. */
enum { SPINS_MAX = 50 };
enum resume { RESUME_TOP, RESUME_STEP, RESUME_OUT };

uint64_t client_now_ms(const struct world *w, const struct client *c)
{
    return c->stale_ms ? c->stale_ms : clock_ms(&c->clock, w->now);
}

/* Enough time for any operation if nothing goes wrong. A canary is checked after a script. */
uint32_t client_least_attempt_ms(const struct world *w)
{
    uint32_t trips = w->has_legacy ? 12 : w->has_canary && w->is_fenced ? 5 : 3;
    return trips * w->slowest_us / 1000 + 2;
}

/* Settings that only the later classes of faults and use need. */
static void init_more(struct world *w, struct handle *h)
{
    struct rng *hints = &w->stream[FAULT_HINT], *several = &w->stream[FAULT_MULTI];
    int is_plain = !h->is_single || h->mode == MODE_PLAIN;
    if ((w->faults & FAULT_BIT(FAULT_MULTI)) && w->is_single && is_plain)
        h->is_multi = (uint8_t)rng_chance(several, 500);
    if ((w->faults & FAULT_BIT(FAULT_HINT)) && h->mode != MODE_LEGACY) {
        enum hint_use drawn = rng_chance(hints, 900) ? HINT_WAITS : HINT_SENDS;
        h->hint_use = rng_chance(hints, 800) && !h->is_multi ? drawn : HINT_NONE;
    }
}

void client_draw_lease(const struct world *w, struct rng *r, struct rdl_lock_options *lease)
{
    lease->ttl_ms = rng_chance(r, 700) ? w->ttl_ms : (uint32_t)rng_between(r, w->ttl_ms / 2, w->ttl_ms);
    lease->wait_ms = rng_chance(r, 500) ? 0 : (uint32_t)rng_between(r, 1, 2ull * w->ttl_ms);
    lease->retry_ms = rng_chance(r, 300) ? 0 : (uint32_t)rng_between(r, 20, 250);
    /* An attempt has time for a round trip and a half; one of the legacy mode may need five. */
    uint32_t least = client_least_attempt_ms(w);
    lease->attempt_ms = rng_chance(r, 600) ? 0 : (uint32_t)rng_between(r, least, least + lease->ttl_ms / 16);
    if (rdl_attempt_ms(lease) < least)
        lease->attempt_ms = least;
    if (lease->ttl_ms < 4 * lease->attempt_ms)
        lease->ttl_ms = 4 * lease->attempt_ms;
}

static void init_handle(struct world *w, struct client *c, unsigned i)
{
    struct rng *r = &w->stream[STREAM_SETUP];
    struct handle *h = &c->handle[i];
    memset(h, 0, sizeof *h);
    h->client = c->index;
    h->index = (uint8_t)i;
    h->is_single = (uint8_t)w->is_single;
    h->mode = w->is_fenced ? MODE_FENCED : MODE_PLAIN;
    if (w->has_legacy == 1 || (w->has_legacy == 2 && rng_chance(r, 500)))
        h->mode = MODE_LEGACY;
    h->single_server = 0;
    h->name = (uint8_t)(rng_chance(r, 200) ? 1 : 0);
    h->slots = (uint8_t)w->opt.slots;
    if (h->slots)
        h->name = 0;
    h->opt.max_ttl_ms = w->max_ttl_ms;
    h->opt.guard = w->guard;
    h->opt.accept_gap = (uint8_t)w->accepts_gap;
    h->opt.fencing = w->is_fenced ? &rdl_fencing : NULL;
    client_draw_lease(w, r, &h->opt.lease);
    if (w->opt.is_scripted) {
        h->name = 0;
        h->opt.lease = (struct rdl_lock_options){.ttl_ms = w->ttl_ms};
    }
    if (w->has_expiring_fences)
        h->opt.lease.fence_expiry_ms = w->ttl_ms;
    uint64_t first = w->opt.is_scripted ? NEVER : user_next(w, r);
    h->act_at = w->opt.idle >> (h->client * HANDLES_MAX + i) & 1 ? NEVER : first;
    h->cancel_at = NEVER;
    init_more(w, h);
    misuse_apart(w, h);
    /* Every fourth program keeps its handles; all do if a canary counts from when it was first seen. */
    h->keeps = w->opt.is_scripted || (w->opt.seed + c->index + i) % 4 == 0 ||
               (w->has_canary && w->guard == RDL_GUARD_STRICT);
    handle_init(w, h);
}

/* After the conns to the servers comes the one that waits for hints, to the first server. */
static unsigned server_of(const struct world *w, unsigned conn)
{
    return conn < (unsigned)w->servers ? conn : 0;
}

void client_zones(struct client *c, unsigned s)
{
    memset((uint8_t *)c->queue[s] + c->cfg[s].queue_len, ZONE_BYTE, ZONE);
}

void client_conn(struct world *w, struct client *c, unsigned s)
{
    const char *word = w->host[server_of(w, s)].model.features->password;
    struct rng *r = &w->stream[s < (unsigned)w->servers ? (unsigned)STREAM_SETUP : (unsigned)FAULT_HINT];
    int is_small = rng_chance(r, 300) && (w->faults & FAULT_BIT(FAULT_CUT));
    memset(&c->endpoint[s], 0, sizeof c->endpoint[s]);
    memset(&c->server_info[s], 0, sizeof c->server_info[s]);
    c->endpoint[s].host = "model";
    if (word)
        c->endpoint[s].password = (struct rdl_bytes){word, strlen(word)};
    if (rng_chance(r, 300))
        c->endpoint[s].client_name = (struct rdl_bytes){"sim", 3};
    c->cfg[s] =
        (struct rdl_conn_config){.endpoint = &c->endpoint[s],
                                 .methods = &rdl_methods_all,
                                 .login = &rdl_login,
                                 .queue = c->queue[s],
                                 .queue_len = is_small && !w->opt.is_roomy ? QUEUE_LEAST : QUEUE_BYTES,
                                 .server_info = &c->server_info[s],
                                 .connect_ms = rng_chance(r, 500) ? 0 : 200};
    c->rx_len[s] = is_small ? RX_LEAST : RX_BYTES;
    c->tx_len[s] = is_small ? TX_LEAST : TX_BYTES;
    if (w->opt.chunk)
        c->rx_len[s] = c->tx_len[s] = (uint16_t)w->opt.chunk;
    client_zones(c, s);
    rdl_conn_init(&c->conn[s], &c->cfg[s]);
}

void client_init(struct world *w, unsigned i)
{
    struct client *c = &w->client[i];
    c->index = (uint8_t)i;
    c->is_dead = c->is_running = c->spins = c->is_remade = 0;
    c->resume = RESUME_TOP;
    c->paused_until = c->late_until = c->stale_ms = 0;
    c->wake_at = NEVER;
    c->last_run = w->now;
    c->wall_skew_ms = (int32_t)rng_below(&w->stream[STREAM_SETUP], w->ttl_ms / 2) - (int32_t)w->ttl_ms / 4;
    for (int s = 0; s < w->conns; s++) {
        c->tcp[s] = NULL;
        client_conn(w, c, (unsigned)s);
    }
    for (int k = 0; k < w->handles; k++)
        init_handle(w, c, (unsigned)k);
    client_wake(w, i, w->now);
}

void client_wake(struct world *w, unsigned i, uint64_t at)
{
    struct client *c = &w->client[i];
    if (at >= c->wake_at || at == NEVER)
        return;
    c->wake_at = at;
    event_push(w, at, EVENT_WAKE, i, 0, 0);
}

/* ---------------------------------------------------------------- the driver */

static void lose(struct world *w, struct client *c, unsigned s, int error)
{
    struct tcp *t = c->tcp[s];
    c->tcp[s] = NULL;
    rdl_conn_closed(&c->conn[s], error);
    if (t)
        tcp_close(w, t);
}

static void bytes_in(struct world *w, struct client *c, unsigned s)
{
    struct tcp *t = c->tcp[s];
    struct rdl_conn *conn = &c->conn[s];
    if (!t || t->client_open != 2)
        return;
    if (rdl_conn_state(conn) == RDL_CONN_OPENING) {
        if (t->refused) {
            lose(w, c, s, RDL_E_CONNECT);
            return;
        }
        rdl_conn_opened(conn);
    }
    if (t->down.ready > 0)
        while (t->down.ready > 0 && rdl_conn_state(conn) != RDL_CONN_FAILED) {
            uint8_t bytes[RX_BYTES];
            size_t room = c->rx_len[s];
            if (w->cut_permille && room > 1 && rng_chance(&w->stream[FAULT_CUT], w->cut_permille))
                room = rng_between(&w->stream[FAULT_CUT], 1, room);
            rdl_conn_rx(conn, bytes, tcp_read(w, t, bytes, room));
        }
    if (t->down_ended && t->down.ready == 0)
        lose(w, c, s, RDL_E_CLOSED);
}

/* A chunk of the bytes to send. Nothing may be written after it. */
static size_t fill(struct world *w, struct client *c, unsigned s, uint8_t *chunk, size_t cap)
{
    memset(chunk + cap, ZONE_BYTE, ZONE);
    uint32_t waiting = rdl_conn_waiting(&c->conn[s]);
    size_t n = rdl_conn_tx(&c->conn[s], chunk, cap);
    if (rdl_conn_waiting(&c->conn[s]) < waiting) /* a request failed instead of being sent */
        if (n > cap || !oracle_zone(chunk + cap))
            world_violation(w, "bounds", "conn c%u-s%u: something was written behind a chunk", c->index, s);
    return n;
}

/* Take chunks until the conn has no more or the network takes no more, then send them as one piece. */
static void write_out(struct world *w, struct client *c, unsigned s)
{
    for (size_t room; (room = tcp_room(c->tcp[s])) > 0;) { /* bytes returned count as sent */
        uint8_t bytes[TX_BYTES + ZONE];
        size_t most = room < TX_BYTES ? room : TX_BYTES, len = 0, n;
        int is_short = 0;
        while (len < most && !is_short) {
            size_t cap = most - len < c->tx_len[s] ? most - len : c->tx_len[s];
            if ((n = fill(w, c, s, bytes + len, cap)) == 0)
                break;
            if (len == 0)
                is_short = w->cut_permille && rng_chance(&w->stream[FAULT_CUT], w->cut_permille);
            if (is_short)
                n = rng_between(&w->stream[FAULT_CUT], 1, n);
            rdl_conn_tx_done(&c->conn[s], n);
            len += n;
        }
        if (len == 0)
            return;
        tcp_write(w, c->tcp[s], bytes, len);
        if (is_short) { /* the socket takes more later */
            client_wake(w, c->index, w->now + 100);
            return;
        }
    }
}

void client_read(struct world *w, unsigned c)
{
    for (int s = 0; s < w->conns; s++)
        bytes_in(w, &w->client[c], (unsigned)s);
}

/* Do what the conn wants. Returns 0 if its connection has ended. */
static int drive_conn(struct world *w, struct client *c, unsigned s)
{
    struct rdl_conn *conn = &c->conn[s];
    unsigned wants = rdl_conn_wants(conn);
    if (wants & RDL_WANT_CLOSE) {
        lose(w, c, s, rdl_conn_error(conn));
        client_wake(w, c->index, w->now + 10);
        return 0;
    }
    if ((wants & RDL_WANT_OPEN) && !c->tcp[s])
        c->tcp[s] = tcp_open(w, c->index, server_of(w, s));
    if ((wants & RDL_WANT_WRITE) && c->tcp[s] && c->tcp[s]->client_open == 2)
        write_out(w, c, s);
    if (rdl_conn_state(conn) == RDL_CONN_FAILED)
        client_wake(w, c->index, w->now + 10);
    oracle_bounds(w, c, s);
    return 1;
}

/* Service the conn. Returns when it must be serviced next (client's clock, ms). */
static uint64_t serve_conn(struct world *w, struct client *c, unsigned s, uint64_t now_ms)
{
    struct rdl_conn *conn = &c->conn[s];
    uint64_t at = NEVER;
    if (rdl_conn_state(conn) == RDL_CONN_READY && rdl_conn_is_idle(conn)) /* it only wants to read */
        return NEVER;
    int is_ticked = w->opt.is_blocking && handle_is_pending(&c->handle[0]); /* by the call itself */
    if (!is_ticked && (!rdl_conn_is_idle(conn) || rdl_conn_state(conn) == RDL_CONN_OPENING ||
                       rdl_conn_state(conn) == RDL_CONN_HANDSHAKE))
        at = rdl_conn_tick(conn, now_ms);
    return drive_conn(w, c, s) ? at : NEVER;
}

void client_poll(struct world *w, struct client *c)
{
    for (unsigned s = 0; s < (unsigned)w->conns; s++) {
        bytes_in(w, c, s);
        drive_conn(w, c, s);
    }
}

/* ---------------------------------------------------------------- the loop */

/* Every second program also steps a lease between its operations. */
static int is_tended(const struct world *w, const struct handle *h)
{
    if (w->opt.is_blocking && h->state == HELD)
        return 0;
    return (h->state == HELD && (h->client % 2 == 1 || w->opt.is_scripted)) || !handle_is_idle(h);
}

/* Half of the programs cancel after reading and before the step. */
static int is_cancelled_unstepped(const struct world *w, const struct handle *h)
{
    return handle_is_pending(h) && w->now >= h->cancel_at && (h->client + h->index) % 2 == 1;
}

/* now_ms: the time that it read; true_ms: the actual time. */
static uint64_t step_handle(struct world *w, struct client *c, struct handle *h, uint64_t now_ms,
                            uint64_t true_ms)
{
    uint64_t at;
    if (is_cancelled_unstepped(w, h)) {
        user_cancel(w, h);
    } else if (handle_is_pending(h)) {
        int rc = handle_step(w, h, now_ms);
        if (rc != RDL_PENDING)
            user_result(w, h, rc, now_ms);
    } else if (is_tended(w, h)) {
        handle_step(w, h, now_ms);
    }
    at = user_act(w, h, now_ms);
    if (handle_is_pending(h)) {
        oracle_pending(w, h, true_ms);
    }
    if (handle_is_pending(h) || is_tended(w, h)) {
        uint64_t wake = clock_when(&c->clock, handle_wake_ms(h));
        at = wake < at ? wake : at;
    }
    return at;
}

/* Returns 1 if the client stops here for a while; it resumes at this place. */
static int pause_here(struct world *w, struct client *c, enum resume where)
{
    struct rng *r = &w->stream[FAULT_PAUSE];
    if (!(w->faults & FAULT_BIT(FAULT_PAUSE)) || w->now >= w->opt.heal_us || !rng_chance(r, 1))
        return 0;
    c->paused_until = w->now + rng_below(r, rng_chance(r, 500) ? w->ttl_ms * 200 : w->ttl_ms * 3000ull);
    c->resume = (uint8_t)where;
    if (where == RESUME_STEP)
        c->stale_ms = clock_ms(&c->clock, w->now);
    world_trace(w, "c%u is stopped %s until %llu ms", c->index,
                where == RESUME_STEP ? "after it read the clock" : "before it sends",
                (unsigned long long)(c->paused_until / MS));
    client_wake(w, c->index, c->paused_until);
    return 1;
}

static void oversleep(struct world *w, struct client *c, uint64_t *at)
{
    struct rng *r = &w->stream[FAULT_SPURIOUS];
    if (!(w->faults & FAULT_BIT(FAULT_SPURIOUS)) || w->now >= w->opt.heal_us || *at == NEVER)
        return;
    if (rng_chance(r, 20))
        c->late_until = *at = *at + rng_below(r, 20 * MS);
    else if (rng_chance(r, 20) && *at > w->now)
        *at = w->now + rng_below(r, *at - w->now);
}

static void steps(struct world *w, struct client *c, uint64_t true_ms, uint64_t *at)
{
    uint64_t now_ms = c->stale_ms ? c->stale_ms : true_ms;
    misuse_act(w, c, now_ms);
    for (int i = 0; i < w->handles; i++) {
        uint64_t t = step_handle(w, c, &c->handle[i], now_ms, true_ms);
        *at = t < *at ? t : *at;
    }
}

void client_run(struct world *w, unsigned i)
{
    struct client *c = &w->client[i];
    uint64_t at = NEVER, wake_ms = NEVER;
    if (c->is_dead || c->is_running)
        return;
    if (c->paused_until > w->now) {
        client_wake(w, i, c->paused_until);
        return;
    }
    c->is_running = 1;
    uint64_t now_ms = clock_ms(&c->clock, w->now);
    enum resume from = (enum resume)c->resume;
    int was_asleep = blocking_is_asleep(w, c);
    c->resume = RESUME_TOP;
    if (from == RESUME_TOP && !was_asleep) {
        client_read(w, i);
        if (pause_here(w, c, RESUME_STEP)) {
            c->is_running = 0;
            return;
        }
    }
    if (from != RESUME_OUT)
        steps(w, c, now_ms, &at);
    c->stale_ms = 0;
    if (from != RESUME_OUT && pause_here(w, c, RESUME_OUT)) {
        c->is_running = 0;
        oracle_holders(w, c, now_ms);
        return;
    }
    int is_held = w->opt.is_blocking && c->handle[0].state == HELD; /* what the call sends at its end */
    for (unsigned s = 0; s < (unsigned)w->conns && is_held && !was_asleep; s++)
        drive_conn(w, c, s);
    for (int s = 0; s < w->conns && !is_held && !(was_asleep && blocking_is_asleep(w, c)); s++) {
        uint64_t t = serve_conn(w, c, (unsigned)s, now_ms);
        wake_ms = t < wake_ms ? t : wake_ms;
    }
    c->is_running = 0;
    c->last_run = w->now;
    oracle_holders(w, c, now_ms);
    if (from != RESUME_TOP) { /* bytes may have arrived meanwhile */
        client_wake(w, i, w->now + 1);
        return;
    }
    uint64_t t = clock_when(&c->clock, wake_ms);
    at = t < at ? t : at;
    c->spins = at <= w->now ? c->spins + 1 : 0;
    if (c->spins > SPINS_MAX)
        world_violation(w, "spinning", "c%u never waits: its next step is always due", i);
    oversleep(w, c, &at);
    if (at != NEVER)
        client_wake(w, i, at > w->now ? at : w->now + 1);
}
