/* SPDX-License-Identifier: MIT */
/* world.c - the clock, the platform of functions that block, and the calls that are not a handle's. */
#include "fuzz/api/peer.h"

#include <stdlib.h>
#include <string.h>

struct world world;

static struct sim_features features[SERVERS];

void must(int holds)
{
    if (!holds)
        abort();
}

void *make(size_t size)
{
    void *memory = malloc(size);

    must(memory != NULL);
    return memset(memory, 0, size);
}

void world_lies(void)
{
    world.is_true = 0;
}

/* ---------------------------------------------------------------- time */

static void pass(uint64_t ms)
{
    world.now += ms;
    world.late = world.slept = world.now;
}

/* A loop that does what is due. */
static void run_for(uint64_t ms)
{
    uint64_t end = world.now + ms;
    int rounds;

    for (rounds = 0; rounds < 100; rounds++) {
        int did = world_drive_all();
        uint64_t next = handles_step();
        uint64_t at;

        did |= world_drive_all();
        at = world_tick_all();
        did |= world_drive_all();
        next = at < next ? at : next;
        next = next < end ? next : end;
        handles_check();
        if (did) /* a connection did something: each handle is stepped before time goes on */
            continue;
        if (world.now >= end)
            return;
        world.now = next > world.now ? next : world.now + 1;
    }
}

static int poll_world(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    enum { POLLS = 150 }; /* it may be asked to wait for ever */
    struct record r;
    uint64_t next = until_ms;
    int error = world.poll_error;
    size_t i;

    must(ctx == &world && n >= 1 && n <= PEERS);
    for (i = 0; i < n; i++)
        (void)rdl_conn_wants(conns[i]);
    world.poll_error = RDL_OK;
    if (++world.polls > POLLS)
        error = RDL_E_SYSTEM;
    if (error != RDL_OK && (error != RDL_E_INTERRUPTED || (flags & RDL_POLL_CAN_WAKE)))
        return error;
    if (world_next(&r, 1)) {
        world_do(r);
        return RDL_OK;
    }
    if (world_drive_all() || until_ms <= world.now)
        return RDL_OK;
    for (i = 0; i < PEERS; i++) {
        uint64_t at = peer_wakes(&world.peer[i]);
        next = at < next ? at : next;
    }
    if (next == UINT64_MAX || next <= world.now)
        next = world.now + 1;
    world.now = world.slept = next;
    return RDL_OK;
}

static uint64_t now_world(void *ctx)
{
    return ((struct world *)ctx)->now;
}

/* No two calls return the same bytes. */
static int random_world(void *ctx, void *buf, size_t len)
{
    struct world *w = ctx;
    int error = w->random_error;

    w->random_error = RDL_OK;
    if (error != RDL_OK)
        return error;
    must(len >= sizeof w->entropies);
    memset(buf, 0x11, len);
    w->entropies++;
    memcpy(buf, &w->entropies, sizeof w->entropies);
    return RDL_OK;
}

const struct rdl_platform world_platform = {poll_world, now_world, random_world, &world};

/* ---------------------------------------------------------------- records */

int world_next(struct record *r, int is_world)
{
    const uint8_t *at = world.at;

    if (world.end - at < RECORD || (is_world && at[0] % OPS >= WORLD_OPS))
        return 0;
    r->op = at[0] % OPS;
    r->who = at[1];
    r->a = at[2];
    r->b = at[3];
    world.at += RECORD;
    return 1;
}

static void cut(struct peer *p, struct record r)
{
    static const int errors[] = {RDL_E_CLOSED, RDL_E_SYSTEM, RDL_E_TLS, RDL_E_CONNECT};

    if (p->is_up && (r.a & 1))
        (void)peer_serves(p, (size_t)r.b * 4, 0);
    else if (p->is_up)
        (void)peer_receives(p, r.b, r.b);
    if (p->is_up || (rdl_conn_wants(p->conn) & RDL_WANT_OPEN))
        peer_closed(p, errors[r.a >> 1 & 3]);
    p->is_down = r.a >> 3 & 1;
    p->is_quiet = r.a >> 4 & 1;
}

static void make_conn(struct peer *p, struct record r)
{
    if (world.polls != 0 || handles_leave(p->conn)) /* a function that blocks may use it */
        return;
    if (p->is_up || (rdl_conn_wants(p->conn) & (RDL_WANT_OPEN | RDL_WANT_CLOSE)))
        peer_closed(p, RDL_E_CLOSED);
    peer_free(p);
    peer_make(p, r.a, r.b);
}

static void transfer(struct peer *p, struct record r)
{
    uint8_t raw[] = {r.a, r.b};

    switch (r.op) {
    case DO_OPEN:
        (void)peer_opens(p, r.a & 1);
        p->is_down = r.a >> 1 & 1;
        break;
    case DO_SEND:
        (void)peer_sends(p, 1u + r.a, r.b);
        break;
    case DO_SERVE:
        (void)peer_serves(p, r.a == 0 ? sizeof p->up : r.a, 1);
        p->is_quiet = r.b & 1;
        break;
    case DO_RECEIVE:
        (void)peer_receives(p, r.a == 0 ? sizeof p->down : r.a, 1u + r.b);
        break;
    case DO_RAW:
        world_lies();
        server_forge(p, raw, 1u + (r.who >> 3 & 1));
        break;
    default:
        cut(p, r);
        break;
    }
}

void world_do(struct record r)
{
    struct peer *p = &world.peer[(r.who & 7) % PEERS];
    static const int poll_errors[] = {RDL_E_SYSTEM, RDL_E_INTERRUPTED, RDL_E_FORKED, RDL_OK};

    switch (r.op) {
    case DO_NOTHING:
        break;
    case DO_PASS:
        pass((uint64_t)r.b << r.a % 25);
        break;
    case DO_RUN:
        if (world.polls != 0) /* a function that blocks runs already */
            pass(r.b);
        else
            run_for((uint64_t)r.b << r.a % 12);
        break;
    case DO_DRIVE:
        (void)peer_drives(p);
        break;
    case DO_DRIVE_ALL:
        (void)world_drive_all();
        break;
    case DO_TICK:
        (void)rdl_conn_tick(p->conn, world.now);
        must(strlen(rdl_conn_text(p->conn)) < RDL_TEXT_MAX);
        if (r.a == 1)
            (void)rdl_guard_conn(p->conn);
        break;
    case DO_WORD:
        server_word(p, r.a);
        break;
    case DO_ERROR:
        server_refuse(p, r.a);
        break;
    case DO_CONDITION:
        server_condition(p->server, r.a);
        break;
    case DO_RESTART:
        server_restart(p->server, r.a);
        break;
    case DO_MAKE_CONN:
        make_conn(p, r);
        break;
    case DO_OTHER:
        server_other(p->server, r);
        break;
    case DO_FAIL_POLL:
        world.poll_error = poll_errors[r.a & 3];
        world.random_error = r.a & 4 ? RDL_E_RANDOM : RDL_OK;
        break;
    default:
        transfer(p, r);
        break;
    }
}

/* ---------------------------------------------------------------- from start to end */

void world_start(struct record r)
{
    static const uint64_t starts[] = {1000, 0xfffff000u, 1, 0xffffffffffull};
    static const struct sim_features kinds[] = {
        {.version = "7.0.15"},
        {.version = "2.4.18", .no_scripts = 1, .no_set_options = 1, .no_pttl = 1, .whole_timeouts = 1},
        {.version = "8.4.0", .texts = SIM_REDIS84, .has_delex = 1, .denied = " eval evalsha script "},
        {.version = "9.0.0", .texts = SIM_VALKEY9, .has_delifeq = 1, .no_scripts = 1},
        {.version = "6.2.14", .texts = SIM_REDIS6, .denied = " info blpop time "},
        {.version = "7.2.0", .is_cluster = 1, .policy = "allkeys-lru"},
        {.version = "8.0.0", .texts = SIM_REDIS8, .eval_off = "ERR EVAL is switched off"},
        {.version = "5.0.7", .no_scripts = 1, .whole_timeouts = 1, .denied = " multi watch pttl delex "},
    };
    int i;

    memset(&world, 0, offsetof(struct world, at));
    world.now = starts[r.op & 3];
    world.is_true = 1;
    world.servers = 1u + (r.op >> 2 & 7) % SERVERS;
    world.has_password = r.op >> 5 & 1;
    world.db = r.op >> 6 & 1 ? 3 : 0;
    for (i = 0; i < SERVERS; i++) {
        features[i] = kinds[((r.who & 7) + (unsigned)i * (r.who >> 3 & 3)) & 7];
        features[i].password = world.has_password ? "secret" : NULL;
        sim_server_start(&world.server[i], &features[i], ++world.entropies, server_ms(world.now));
    }
    for (i = 0; i < PEERS; i++) {
        struct peer *p = &world.peer[i];
        memset(p, 0, offsetof(struct peer, up));
        p->up_len = p->down_len = 0;
        p->is_up = p->is_down = p->is_quiet = 0;
        p->server = &world.server[i == HINT_PEER || (i == 1 && r.op >> 7) ? 0 : i];
        peer_make(p, r.a, r.b);
    }
}

static int is_drained(void)
{
    int i;

    for (i = 0; i < PEERS; i++) {
        const struct rdl_conn *c = world.peer[i].conn;
        if (!rdl_conn_is_idle(c) || c->reserved != 0 || c->base != c->tail)
            return 0;
    }
    return 1;
}

/* Nothing that was queued stays for ever: the servers are well, and each lease ends. */
void world_drain(void)
{
    int rounds;
    int i;

    for (i = 0; i < PEERS; i++) {
        server_be_well(&world.peer[i]);
        if (world.peer[i].is_up)
            peer_closed(&world.peer[i], RDL_E_CLOSED);
    }
    for (rounds = 0; rounds < 60 && !is_drained(); rounds++) {
        uint64_t next;
        if (rounds % 20 == 19) /* longer than any ttl: a release that is refused is not repeated any more */
            world.now += 1ull << 33;
        (void)world_drive_all();
        next = world_tick_all();
        if (next > world.now)
            world.now = next < world.now + 1000 ? next : world.now + 1000;
    }
    for (i = 0; i < PEERS; i++) {
        const struct rdl_conn *c = world.peer[i].conn;
        if (rdl_conn_state(c) != RDL_CONN_READY) /* this server never accepts its login */
            continue;
        must(rdl_conn_is_idle(c) && c->reserved == 0 && c->base == c->tail);
    }
}

void world_free(void)
{
    int i;

    for (i = 0; i < PEERS; i++)
        peer_free(&world.peer[i]);
}
