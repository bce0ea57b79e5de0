/* SPDX-License-Identifier: MIT */
/*
 * TCP as far as a lock can notice it: bytes arrive in order or not at all, a lost packet is a delay, a close
 * arrives after the bytes, a reset destroys bytes in flight. A connection that the client has closed remains
 * until the server has read all that was sent.
 */
#include "lock/lock_commands.h"
#include "tests/sim/sim.h"

#include <string.h>

static unsigned index_of(const struct world *w, const struct tcp *t)
{
    return (unsigned)(t - w->tcp);
}

static void push(struct world *w, const struct tcp *t, uint64_t at, enum event_kind kind, uint32_t n)
{
    event_push(w, at, kind, index_of(w, t), t->gen, n);
}

uint64_t travel_us(struct world *w, unsigned client, unsigned server)
{
    struct link *l = &w->link[client][server];
    uint64_t us = l->delay_us + rng_below(&l->delays, l->jitter_us + 1u);
    if (w->tail_permille && rng_chance(&w->stream[FAULT_TAIL], w->tail_permille) && w->now < w->opt.heal_us)
        us += rng_below(&w->stream[FAULT_TAIL], w->ttl_ms * 1500ull);
    return us;
}

/* ---------------------------------------------------------------- bytes */

static void fifo_put(struct fifo *f, const uint8_t *data, size_t n)
{
    if (f->len == 0)
        f->head = 0;
    if (f->head + f->len + n > FIFO) {
        memmove(f->data, f->data + f->head, f->len);
        f->head = 0;
    }
    memcpy(f->data + f->head + f->len, data, n);
    f->len += (uint32_t)n;
}

static void fifo_drop(struct fifo *f, size_t n)
{
    f->head += (uint32_t)n;
    f->len -= (uint32_t)n;
    f->ready -= (uint32_t)n;
}

static void fifo_arrive(struct fifo *f, uint32_t n)
{
    f->ready = n < f->len - f->ready ? f->ready + n : f->len;
}

/* Send n bytes of the fifo that are in flight, in one piece or several. */
static void depart(struct world *w, struct tcp *t, enum event_kind kind, uint64_t *last, size_t n)
{
    while (n > 0) {
        size_t piece = n;
        if (w->cut_permille && rng_chance(&w->stream[FAULT_CUT], w->cut_permille))
            piece = rng_between(&w->stream[FAULT_CUT], 1, n);
        uint64_t at = w->now + travel_us(w, t->client, t->server);
        if (at < *last)
            at = *last;
        *last = at;
        push(w, t, at, kind, (uint32_t)piece);
        n -= piece;
    }
}

/* ---------------------------------------------------------------- the client's side */

struct tcp *tcp_open(struct world *w, unsigned client, unsigned server)
{
    int i = 0;
    while (i < TCPS && w->tcp[i].used)
        i++;
    if (i == TCPS) {
        world_violation(w, "simulator", "more than %d connections at once", TCPS);
        return NULL;
    }
    struct tcp *t = &w->tcp[i];
    uint32_t gen = t->gen + 1;
    memset(t, 0, offsetof(struct tcp, bytes));
    t->up.data = t->bytes[0];
    t->down.data = t->bytes[1];
    t->gen = gen;
    t->used = 1;
    t->client = (uint8_t)client;
    t->server = (uint8_t)server;
    t->client_open = 1;
    push(w, t, w->now + travel_us(w, client, server) + travel_us(w, client, server), EVENT_OPENED, 0);
    return t;
}

size_t tcp_room(const struct tcp *t)
{
    return FIFO - t->up.len;
}

void tcp_write(struct world *w, struct tcp *t, const uint8_t *data, size_t n)
{
    if (t->down_ended || (t->swallows & 1)) /* the other side is gone already: these bytes are lost */
        return;
    fifo_put(&t->up, data, n);
    depart(w, t, EVENT_UP, &t->up_last, n);
}

size_t tcp_read(struct world *w, struct tcp *t, uint8_t *to, size_t n)
{
    if (n > t->down.ready)
        n = t->down.ready;
    memcpy(to, t->down.data + t->down.head, n);
    fifo_drop(&t->down, n);
    if (n > 0 && t->up.ready > 0) /* the server may have waited for room */
        push(w, t, w->now, EVENT_SERVE, 0);
    return n;
}

static void release_if_over(struct tcp *t)
{
    if (t->client_open == 0 && !t->server_open)
        t->used = 0;
}

/* The server has no session for it any more. */
static void leave(struct world *w, struct tcp *t)
{
    t->server_open = 0;
    if (t->session.ticket != 0)
        sim_server_leave(&w->host[t->server].model, &t->session);
}

void tcp_close(struct world *w, struct tcp *t)
{
    w->link[t->client][t->server].last_break = w->now;
    t->client_open = 0;
    if (t->server_open) {
        uint64_t at = w->now + travel_us(w, t->client, t->server);
        push(w, t, at > t->up_last ? at : t->up_last, EVENT_UP_FIN, 0);
    }
    release_if_over(t);
}

void tcp_abandon(struct world *w, struct tcp *t)
{
    w->link[t->client][t->server].last_break = w->now;
    t->client_open = 0;
    if (t->server_open)
        push(w, t, w->now + 2 * SECOND, EVENT_UP_FIN, 0);
    release_if_over(t);
}

/* Bytes in flight to the client never arrive. */
static void lose_down(struct tcp *t)
{
    t->down_lost |= t->down.len > t->down.ready;
    t->down.len = t->down.ready;
}

void tcp_reset(struct world *w, struct tcp *t)
{
    w->link[t->client][t->server].last_break = w->now;
    world_trace(w, "link c%u-s%u is reset", t->client, t->server);
    leave(w, t);
    t->up.len = t->up.ready = 0;
    lose_down(t);
    if (t->client_open)
        push(w, t, w->now + travel_us(w, t->client, t->server), EVENT_DOWN_FIN, 1);
    release_if_over(t);
}

void tcp_half(struct world *w, struct tcp *t)
{
    world_trace(w, "link c%u-s%u is reset, as the client sees it", t->client, t->server);
    lose_down(t);
    push(w, t, w->now, EVENT_DOWN_FIN, 1);
}

/* ---------------------------------------------------------------- the server's side */

static void server_end(struct world *w, struct tcp *t, int is_reset)
{
    leave(w, t);
    t->up.len = t->up.ready = 0;
    if (t->client_open && !t->fin_sent) {
        uint64_t at = w->now + travel_us(w, t->client, t->server);
        t->fin_sent = 1;
        push(w, t, at > t->down_last ? at : t->down_last, EVENT_DOWN_FIN, (uint32_t)is_reset);
    }
    release_if_over(t);
}

/* A client that was given an element continues at once; one that has begun to wait, when its wait ends. */
void host_wake(struct world *w, struct host *h)
{
    for (unsigned i = 0; i < TCPS; i++) {
        struct tcp *t = &w->tcp[i];
        if (!t->used || t->server != h->index || t->session.ticket == 0)
            continue;
        uint64_t wakes_ms = sim_server_wakes(&h->model, &t->session);
        if (wakes_ms != 0 && t->waits)
            continue;
        w->counts.hinted += wakes_ms == 0;
        t->waits = 1;
        uint64_t at = clock_when(&h->clock, wakes_ms);
        push(w, t, at > w->now ? at : w->now, EVENT_SERVE, 0);
    }
}

/*
 * How long other clients have their turn: often until the lock there has just expired, so that they can take
 * it.
 */
static uint64_t gap_us(struct world *w, unsigned s)
{
    struct rng *r = &w->stream[FAULT_BETWEEN];
    uint64_t way = rng_below(r, 3), left_us = host_lock_left_us(w, s, 0);
    if (way == 0 && left_us > 0)
        return left_us + rng_below(r, 20 * MS);
    return rng_below(r, way == 1 ? w->ttl_ms * MS / 8 : 5 * MS);
}

/* When the command at offset `at` is to be executed; 0: now. */
static uint64_t gap_at(struct world *w, const struct tcp *t, size_t at, struct sim_arg command)
{
    const struct link *l = &w->link[t->client][t->server];
    struct rng *r = &w->stream[FAULT_BETWEEN];
    if (l->gap_before && w->now < l->gap_until && sim_arg_is(command, l->gap_before))
        return l->gap_until;
    if (w->between_permille == 0 || w->now >= w->opt.heal_us || at == 0 ||
        !rng_chance(r, w->between_permille))
        return 0;
    return w->now + 1 + gap_us(w, t->server);
}

/*
 * How many of the arrived bytes are executed at once: all, or those of a few commands. Then other clients
 * have their turn, as if the rest had come in a packet of its own.
 */
static size_t to_the_gap(struct world *w, struct tcp *t)
{
    size_t at = 0;
    if (w->between_permille == 0 && !w->link[t->client][t->server].gap_before)
        return t->up.ready;
    while (at < t->up.ready) {
        struct sim_arg argv[SIM_ARGS];
        const char *why;
        int argc;
        long used = sim_request_parse(t->up.data + t->up.head + at, t->up.ready - at, argv, &argc, &why);
        if (used <= 0)
            break;
        uint64_t until = argc > 0 ? gap_at(w, t, at, argv[0]) : 0;
        if (until > 0) {
            world_trace(w, "        s%u turns to others before the %.*s of c%u", t->server, (int)argv[0].len,
                        (const char *)argv[0].data, t->client);
            t->gap_until = until;
            push(w, t, until, EVENT_SERVE, 0);
            return at;
        }
        at += (size_t)used;
    }
    return t->up.ready;
}

static int is_script(struct sim_arg a, const struct rdl_script *script)
{
    return (a.len == 40 && memcmp(a.data, script->sha, 40) == 0) ||
           (a.len == script->text_len && memcmp(a.data, script->text, a.len) == 0);
}

/* The proxy replies to this command with an error of its own; never to one that grants. */
static int is_proxied(const struct host *h, const struct sim_arg *argv)
{
    int what = 0;
    if (sim_arg_is(argv[0], "EVAL") || sim_arg_is(argv[0], "EVALSHA"))
        what = is_script(argv[1], &rdl_script_extend) || is_script(argv[1], &rdl_script_release)
                   ? PROXY_SCRIPTS
                   : 0;
    else if (sim_arg_is(argv[0], "DELEX") || sim_arg_is(argv[0], "DELIFEQ"))
        what = PROXY_DELETES;
    else if (sim_arg_is(argv[0], "WATCH"))
        what = PROXY_WATCH;
    return h->proxy & what;
}

/* The server's replies; through a proxy, or with refusals, one by one. Returns the number of bytes used. */
static size_t execute(struct host *h, struct tcp *t, size_t len, struct sim_out *out)
{
    uint64_t now_ms = clock_ms(&h->clock, h->world->now);
    const uint8_t *in = t->up.data + t->up.head;
    const struct sim_features *features = h->model.features;
    int is_single = h->proxy || refuse_is_met(h, t->client);
    size_t at = 0, used;
    do { /* also without bytes: a wait may be over */
        struct sim_arg argv[SIM_ARGS];
        int argc = 0;
        const char *why;
        long n = is_single ? sim_request_parse(in + at, len - at, argv, &argc, &why) : 0;
        size_t before = out->len;
        if (n > 0 && argc > 0 && refuse_command(h, t, argv, out)) {
            used = t->session.closing ? len - at : (size_t)n;
            at += used;
            continue;
        }
        h->model.features = refuse_features(h, t->client);
        used = sim_server_input(&h->model, &t->session, in + at, n > 0 ? (size_t)n : len - at, now_ms, out);
        h->model.features = features;
        at += used;
        if (n > 0 && argc > 1 && used > 0 && is_proxied(h, argv)) {
            out->len = before;
            sim_out_text(out, "-ERR upstream failure\r\n");
        }
    } while (is_single && used > 0 && at < len);
    return at;
}

/* Execute what has arrived. */
static void serve(struct world *w, struct tcp *t)
{
    struct host *h = &w->host[t->server];
    if (!t->server_open || h->is_frozen || h->is_down || w->now < t->gap_until)
        return;
    uint8_t buf[FIFO];
    struct sim_out out = {buf, FIFO - t->down.len, 0};
    h->serving = t;
    size_t used = execute(h, t, to_the_gap(w, t), &out);
    h->serving = NULL;
    fifo_drop(&t->up, used);
    if (out.len > 0 && t->client_open && !(t->swallows & 2)) {
        fifo_put(&t->down, buf, out.len);
        depart(w, t, EVENT_DOWN, &t->down_last, out.len);
    }
    int is_all = t->up.len == t->up.ready && w->now >= t->gap_until;
    if (t->session.closing || (t->fin_came && is_all))
        server_end(w, t, 0);
    if (h->model.waiters > 0)
        host_wake(w, h);
}

void host_serve_all(struct world *w, unsigned s)
{
    /* The order in which a server reads its sockets after a pause is its own. */
    uint64_t first = rng_below(&w->stream[FAULT_FREEZE], TCPS);
    for (unsigned i = 0; i < TCPS; i++) {
        struct tcp *t = &w->tcp[(first + i) % TCPS];
        if (t->used && t->server == s)
            serve(w, t);
    }
}

void host_crash(struct world *w, unsigned s, int notify_clients)
{
    w->host[s].is_down = 1;
    for (int i = 0; i < TCPS; i++) {
        struct tcp *t = &w->tcp[i];
        if (!t->used || t->server != s)
            continue;
        w->link[t->client][s].last_break = w->now;
        if (notify_clients)
            server_end(w, t, 1);
        leave(w, t);
        t->up.len = t->up.ready = 0;
        release_if_over(t);
    }
}

void host_start(struct world *w, unsigned s, enum host_data data)
{
    static const char *const words[] = {"without data", "with its data", "with the data of a moment ago"};
    struct host *h = &w->host[s];
    h->is_down = 0;
    sim_server_restart(&h->model, w->opt.seed ^ w->now << 8 ^ s, clock_ms(&h->clock, w->now),
                       data == HOST_ALL);
    if (data == HOST_SAVED)
        sim_server_load(&h->model, &h->disk);
    sim_server_save(&h->model, &h->disk);
    world_trace(w, "s%u is up again, %s", s, words[data]);
    for (int i = 0; i < TCPS; i++) { /* a client that still trusts an old connection learns of it at last */
        struct tcp *t = &w->tcp[i];
        if (t->used && t->server == s && t->client_open == 2 && !t->server_open)
            server_end(w, t, 1);
    }
}

/* ---------------------------------------------------------------- events */

static void opened(struct world *w, struct tcp *t)
{
    const struct link *l = &w->link[t->client][t->server];
    struct host *h = &w->host[t->server];
    uint64_t blocked = l->up_blocked > l->down_blocked ? l->up_blocked : l->down_blocked;
    if (h->blackhole_until > blocked)
        blocked = h->blackhole_until;
    if (!t->client_open) {
        release_if_over(t);
        return;
    }
    if (blocked > w->now) { /* the first packet is sent again later */
        push(w, t, blocked + travel_us(w, t->client, t->server), EVENT_OPENED, 0);
        return;
    }
    t->client_open = 2;
    t->refused = h->is_down || h->refuse_until > w->now;
    t->server_open = !t->refused;
    client_run(w, t->client);
}

static void up_arrived(struct world *w, struct tcp *t, uint32_t n)
{
    if (!t->server_open)
        return;
    if (w->resets_in != UINT32_MAX && w->now < w->opt.heal_us && --w->resets_in == 0) {
        struct rng *r = &w->stream[FAULT_RESET];
        w->resets_in = (uint32_t)rng_between(r, 10, 400);
        fifo_arrive(&t->up, n);
        if (rng_chance(r, 500)) /* after it was applied, before the answer arrives */
            serve(w, t);
        if (t->used)
            tcp_reset(w, t);
        return;
    }
    fifo_arrive(&t->up, n);
    serve(w, t);
}

void link_swallow(struct world *w, unsigned client, unsigned server, unsigned directions)
{
    w->link[client][server].swallows_since = w->now;
    for (unsigned i = 0; i < TCPS; i++) {
        struct tcp *t = &w->tcp[i];
        if (!t->used || t->client != client || t->server != server || t->client_open != 2)
            continue;
        t->swallows |= (uint8_t)directions;
        world_trace(w, "link c%u-s%u swallows everything%s from now on", client, server,
                    directions == 1   ? " to the server"
                    : directions == 2 ? " from the server"
                                      : "");
    }
}

/* A close that is swallowed: the server's keepalive ends the session when it has nothing more to do. */
static void swallowed(struct world *w, struct tcp *t, const struct event *e)
{
    if (e->kind != EVENT_UP_FIN)
        return;
    if (w->host[t->server].is_frozen) {
        push(w, t, w->now + SECOND, EVENT_UP_FIN, 0);
        return;
    }
    leave(w, t);
    release_if_over(t);
}

void tcp_event(struct world *w, const struct event *e)
{
    struct tcp *t = &w->tcp[e->who];
    if (!t->used || t->gen != e->gen)
        return;
    const struct link *l = &w->link[t->client][t->server];
    int is_up = e->kind == EVENT_UP || e->kind == EVENT_UP_FIN;
    int is_down = e->kind == EVENT_DOWN || e->kind == EVENT_DOWN_FIN;
    if ((is_up && (t->swallows & 1)) || (is_down && (t->swallows & 2))) {
        swallowed(w, t, e);
        return;
    }
    uint64_t blocked = e->kind == EVENT_SERVE || e->kind == EVENT_OPENED ? 0
                       : is_up                                           ? l->up_blocked
                                                                         : l->down_blocked;
    if (blocked > w->now) {
        push(w, t, blocked, (enum event_kind)e->kind, e->n);
        return;
    }
    if (e->kind == EVENT_OPENED) {
        opened(w, t);
    } else if (e->kind == EVENT_UP) {
        up_arrived(w, t, e->n);
    } else if (e->kind == EVENT_SERVE) {
        t->waits = 0;
        serve(w, t);
    } else if (e->kind == EVENT_UP_FIN) {
        if (t->up.len > t->up.ready || w->now < t->gap_until) { /* after the bytes */
            uint64_t at = t->up_last > t->gap_until ? t->up_last : t->gap_until;
            push(w, t, at > w->now ? at : w->now + MS, EVENT_UP_FIN, 0);
            return;
        }
        t->fin_came = 1;
        serve(w, t);
        if (!w->host[t->server].is_frozen && t->used && t->server_open && w->now >= t->gap_until)
            server_end(w, t, 0);
    } else if (e->kind == EVENT_DOWN) {
        if (!t->client_open)
            return;
        fifo_arrive(&t->down, e->n);
        client_run(w, t->client);
    } else {
        if (e->n == 0 && t->down.len > t->down.ready) {
            push(w, t, t->down_last > w->now ? t->down_last : w->now + MS, EVENT_DOWN_FIN, 0);
            return;
        }
        t->down_ended = (uint8_t)(e->n + 1);
        if (t->client_open)
            client_run(w, t->client);
    }
}
