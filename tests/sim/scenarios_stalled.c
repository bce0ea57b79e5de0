/* SPDX-License-Identifier: MIT */
/*
 * Directed scenarios: connections that are up and swallow everything for ever, while new ones work.
 * Rules R15, R16 and R17.
 */
#include "lock/lock_op.h"
#include "tests/sim/scene.h"

#include <string.h>

enum { UP = 1, DOWN = 2, BOTH = 3 };

/* From now on all connections of this client swallow everything. */
static void stall(struct world *w, unsigned c, unsigned directions)
{
    for (unsigned s = 0; s < (unsigned)w->servers; s++)
        link_swallow(w, c, s, directions);
}

static uint32_t waiting(const struct world *w, int s)
{
    return rdl_conn_waiting(&w->client[0].conn[s]);
}

/* One way, the other, or both; on one server, and on five. */
static void waiter_gets_the_lock(int k)
{
    struct world *w = scene(1, k / 3 ? 5 : 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, k / 3 == 0);
    scene_ready(w);
    h->opt.lease.wait_ms = RDL_WAIT_FOREVER;
    h->opt.lease.retry_ms = 50;
    uint64_t begun = w->now;
    stall(w, 0, (unsigned)k % 3 + 1);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, w->now <= begun + (2000 + 2 * RDL_RETRY_CAP_MS) * MS);
    scene_rest(w);
}

/* The keys are there, and no SET is in flight: the next extend uses new connections. */
static void lease_is_saved(int k)
{
    struct world *w = scene(1, k / 3 ? 5 : 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, k / 3 == 0);
    scene_held(w, h);
    scene_go(w, 300);
    stall(w, 0, (unsigned)k % 3 + 1);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_UNKNOWN);
    scene_go(w, 300);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, scene_left(w, h) > 1900);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* The timeout was longer before, over the same connection: that does not count any more. */
static void timeout_ends_with_the_reply(int single)
{
    struct world *w = scene(1, single ? 1 : 3, 20000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_ready(w);
    for (int i = 0; i < 2; i++) {
        enum handle_state op = i ? RELEASING : EXTENDING;
        h->opt.lease.attempt_ms = 4000;
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        h->opt.lease.attempt_ms = 200;
        scene_go(w, 300);
        stall(w, 0, UP);
        EXPECT(w, scene_do(w, h, op, 20000) == RDL_UNKNOWN);
        scene_go(w, 300);
        if (op == EXTENDING) {
            EXPECT(w, scene_do(w, h, EXTENDING, 20000) == RDL_OK);
            EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        }
        scene_go(w, 100);
        EXPECT(w, scene_pttl(w, 0) == -2);
    }
    scene_rest(w);
}

/* The timeout was longer over the previous connection, which left this one a pending release. */
static void timeout_ends_with_the_connection(void)
{
    struct world *w = scene(1, 1, 20000);
    struct handle *h = scene_lock(w, 0);
    struct rdl_conn *c = &w->client[0].conn[0];
    scene_ready(w);
    h->opt.lease.attempt_ms = 4000;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    stall(w, 0, UP);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_UNKNOWN);
    while (rdl_conn_state(c) != RDL_CONN_READY && !w->violation)
        world_run_until(w, w->now + 50);
    h->opt.lease.attempt_ms = 200;
    w->link[0][0].gap_before = "SET"; /* after the release, which is in flight */
    w->link[0][0].gap_until = NEVER;
    EXPECT(w, waiting(w, 0) == 1);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
    scene_go(w, 50);
    EXPECT(w, rdl_conn_state(c) == RDL_CONN_STALLED);
}

/* It only releases other clients' locks, over connections that stall after the first release. */
static void releases_alone_detect_a_stall(int single)
{
    struct world *w = scene(1, single ? 1 : 3, 5000);
    struct handle *h = scene_lock(w, 0);
    char hex[RDL_VALUE_MAX];
    scene_one_server(w, single);
    memset(hex, 'a', sizeof hex);
    for (int i = 0; i < 3; i++) {
        handle_init(w, h);
        user_adopt(w, h, hex);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == (i == 1 ? RDL_UNKNOWN : RDL_EXPIRED));
        scene_go(w, 1000);
        if (i == 0)
            stall(w, 0, BOTH);
    }
    scene_rest(w);
}

static void pending_release_is_sent(int single)
{
    struct world *w = scene(1, 1, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_held(w, h);
    stall(w, 0, UP);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_UNKNOWN);
    scene_go(w, 500);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* It was busy for longer than an attempt and steps before it reads: the replies are there. */
static void step_before_read_keeps_connections(int single)
{
    struct world *w = scene(1, single ? 1 : 5, 5000);
    struct handle *h = scene_lock(w, 0);
    struct client *c = &w->client[0];
    struct tcp *before[SERVERS_MAX];
    scene_one_server(w, single);
    scene_ready(w);
    memcpy(before, c->tcp, sizeof before);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_begin(w, h, EXTENDING, 5000);
    c->paused_until = w->now + 300 * MS;
    scene_go(w, 299);
    user_result(w, h, handle_step(w, h, client_now_ms(w, c)), client_now_ms(w, c));
    EXPECT(w, h->result == RDL_UNKNOWN);
    scene_go(w, 100);
    EXPECT(w, scene_do(w, h, EXTENDING, 5000) == RDL_OK);
    for (int s = 0; s < w->servers; s++)
        EXPECT(w, c->tcp[s] == before[s]);
    scene_rest(w);
}

/* Nineteen more locks on the first client's connections; they share a name, and none is held for long. */
enum { OTHERS = 19 };
static struct handle other[OTHERS];

static void others_init(struct world *w)
{
    for (int i = 0; i < OTHERS; i++) {
        other[i] = *scene_lock(w, 0);
        other[i].m = other[i].memory;
        other[i].name = 1;
        handle_init(w, &other[i]);
    }
}

static void other_goes_on(struct handle *h, int rc)
{
    if (rc != RDL_PENDING && handle_is_pending(h))
        h->state = h->state == ACQUIRING && rc == RDL_OK ? HELD : IDLE;
}

/* Every millisecond all are stepped; every 50 ms one of them begins an operation. */
static void others_go(struct world *w, uint32_t ms)
{
    static unsigned turn;
    uint64_t end = w->now + ms * MS;
    while (w->now < end && !w->violation) {
        struct handle *h = &other[++turn / 50 % OTHERS];
        for (int i = 0; i < OTHERS; i++)
            if (handle_is_pending(&other[i]) || !handle_is_idle(&other[i]))
                other_goes_on(&other[i], handle_step(w, &other[i], client_now_ms(w, &w->client[0])));
        if (turn % 50 == 0 && !handle_is_pending(h))
            other_goes_on(h, h->state == HELD ? handle_release(w, h) : handle_acquire(w, h));
        client_wake(w, 0, w->now);
        scene_go(w, 1);
    }
}

static void others_rest(struct world *w)
{
    for (int i = 0; i < OTHERS; i++)
        handle_cancel(w, &other[i]);
    client_wake(w, 0, w->now);
    scene_rest(w);
}

/* The other lock waits 100 ms and sends first. The replies take 200 ms, for which this lock waits. */
static void long_timeout_is_not_cut_short(int single)
{
    struct world *w = scene(1, single ? 1 : 3, 20000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_ready(w);
    others_init(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, handle_acquire(w, &other[0]) == RDL_PENDING);
    others_go(w, 40);
    for (int s = 0; s < w->servers; s++)
        w->link[0][s].delay_us = 100 * MS;
    other[0].opt.lease.attempt_ms = 100;
    h->opt.lease.attempt_ms = 400;
    handle_extend(w, &other[0], 20000);
    scene_go(w, 5);
    EXPECT(w, scene_do(w, h, EXTENDING, 20000) == RDL_OK);
    others_rest(w);
}

/*
 * The lock with the long timeout waits for an extend, which keeps no connection open; neither does its
 * timeout.
 */
static void lease_in_danger_waits_its_own_time(int single)
{
    struct world *w = scene(1, single ? 1 : 3, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_ready(w);
    others_init(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, handle_acquire(w, &other[0]) == RDL_PENDING);
    others_go(w, 40);
    stall(w, 0, BOTH);
    other[0].opt.lease.ttl_ms = other[0].opt.max_ttl_ms = 60000;
    other[0].opt.lease.attempt_ms = 15000;
    handle_extend(w, &other[0], 60000);
    scene_go(w, 5);
    while (scene_do(w, h, EXTENDING, 5000) < 0 && scene_left(w, h) > 0 && !w->violation)
        scene_go(w, 50);
    EXPECT(w, scene_left(w, h) > 4000);
    others_rest(w);
}

/*
 * Other locks always have requests in flight when the connections stall, and those keep the connections. The
 * renewal timer saves the lease nevertheless.
 */
static void lease_survives_others_sets(int k)
{
    struct world *w = scene(1, k / 3 ? 5 : 1, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, k / 3 == 0);
    scene_ready(w);
    others_init(w);
    others_go(w, 1000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    h->uses_renewal = 1;
    for (int i = 0; i < 4; i++) {
        others_go(w, 500);
        stall(w, 0, (unsigned)k % 3 + 1);
        others_go(w, 9000);
        EXPECT(w, scene_left(w, h) > 0 && (h->state == HELD || h->state == EXTENDING));
    }
    others_rest(w);
}

/*
 * Another lock's SET keeps the connections until half of the remaining time is over, each time again. Then
 * the extends, which are retried again and again, use new ones.
 */
static void stall_lasts_for_half_of_what_was_left(int single)
{
    struct world *w = scene(1, single ? 1 : 5, 5000);
    struct handle *h = scene_lock(w, 0);
    struct client *c = &w->client[0];
    scene_one_server(w, single);
    scene_ready(w);
    others_init(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int i = 0; i < 2 && !w->violation; i++) {
        struct tcp *before = c->tcp[0];
        EXPECT(w, scene_do(w, h, EXTENDING, 5000) == RDL_OK);
        uint64_t half = w->now + scene_left(w, h) / 2 * MS;
        stall(w, 0, BOTH);
        handle_acquire(w, &other[i]);
        while (w->now < half - 300 * MS && !w->violation) {
            EXPECT(w, scene_do(w, h, EXTENDING, 5000) < 0);
            scene_go(w, 50);
            EXPECT(w, c->tcp[0] == before);
        }
        while (scene_do(w, h, EXTENDING, 5000) < 0 && scene_left(w, h) > 0 && !w->violation)
            scene_go(w, 50);
        EXPECT(w, scene_left(w, h) > 4000 && w->now < half + 400 * MS);
    }
    others_rest(w);
}

/* The lease is not in danger: the other lock's release stays after its SET. */
static void extended_lease_aborts_nothing(void)
{
    struct world *w = scene(1, 5, 5000);
    struct handle *h = scene_lock(w, 0);
    struct client *c = &w->client[0];
    scene_ready(w);
    others_init(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    struct tcp *before = c->tcp[0];
    link_swallow(w, 0, 0, BOTH);
    link_swallow(w, 0, 3, BOTH);
    handle_acquire(w, &other[0]);
    EXPECT(w, scene_do(w, h, EXTENDING, 5000) == RDL_OK);
    scene_go(w, 3500);
    EXPECT(w, scene_do(w, h, EXTENDING, 5000) == RDL_OK);
    scene_go(w, 1000);
    EXPECT(w, c->tcp[0] == before && rdl_conn_state(&c->conn[0]) == RDL_CONN_STALLED);
    others_rest(w);
}

/* Two of five swallow. They get the requests of one attempt and no more, and no SET is postponed for them. */
static void minority_is_sent_nothing(void)
{
    struct world *w = scene(1, 5, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    link_swallow(w, 0, 0, UP);
    link_swallow(w, 0, 4, DOWN);
    for (int i = 0; i < 14; i++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        scene_go(w, 300);
        EXPECT(w, waiting(w, 0) == 2 && waiting(w, 4) == 2);
    }
    scene_go(w, 1000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 100);
    EXPECT(w, scene_pttl(w, 0) > 0 && scene_pttl(w, 4) > 0); /* their votes count again */
    scene_rest(w);
}

static void replying_server_is_used(int single)
{
    struct world *w = scene(1, 1, 8000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_ready(w);
    h->opt.lease.wait_ms = 6000;
    h->opt.lease.retry_ms = 50;
    w->host[0].is_frozen = 1;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 1500);
    EXPECT(w, rdl_conn_state(&w->client[0].conn[0]) == RDL_CONN_STALLED);
    EXPECT(w, waiting(w, 0) == 2);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    uint64_t thawed = w->now;
    EXPECT(w, scene_wait(w, h) == RDL_OK);
    EXPECT(w, w->now < thawed + 600 * MS);
    scene_rest(w);
}

static const struct sim_features by_watch = {.version = "7.0.15", .no_scripts = 1};

/*
 * A slow link, and a release that cannot follow the SET at once: the connection is kept until that is done.
 */
static void stalled_is_not_closed_early(void)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    w->host[0].model.features = &by_watch;
    w->has_other_servers = 1;
    scene_one_server(w, 1);
    scene_ready(w);
    w->link[0][0].up_blocked = w->now + 1000 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_UNKNOWN);
    scene_go(w, 1000);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/*
 * The SET arrives late and its release never, and the next connection takes its time. The release is pending
 * there for as long as the key may live.
 */
static void late_set_is_released(void)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, 1);
    scene_ready(w);
    struct tcp *t = w->client[0].tcp[0];
    w->link[0][0].up_blocked = w->now + 1800 * MS;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 1);
    t->swallows = BOTH; /* the release, not yet sent */
    EXPECT(w, scene_wait(w, h) == RDL_UNKNOWN);
    scene_go(w, 500);
    t->swallows = DOWN;
    scene_go(w, 1250);
    EXPECT(w, scene_owner(w, 0) == 0);
    t->swallows = BOTH;
    w->host[0].refuse_until = w->now + 400 * MS;
    scene_go(w, 1600);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/*
 * Frozen for longer than the connection was kept: its requests are executed nevertheless. If no release could
 * follow the SET, the key stays for one ttl. No longer, and no client counts on it.
 */
static void late_thaw_costs_a_ttl(void)
{
    struct world *w = scene(2, 1, 2000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    w->host[0].model.features = &by_watch;
    w->has_other_servers = 1;
    scene_one_server(w, 1);
    scene_ready(w);
    w->host[0].is_frozen = 1;
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_UNKNOWN);
    scene_go(w, 7000);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    uint64_t thawed = w->now;
    EXPECT(w, scene_left(w, a) == 0);
    b->opt.lease.wait_ms = RDL_WAIT_FOREVER;
    b->opt.lease.retry_ms = 50;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, w->now <= thawed + (2000 + RDL_RETRY_CAP_MS) * MS);
    scene_rest(w);
}

/*
 * Of five servers with an adopted lock one has lost the key, reports it, and swallows the SET that restores
 * it.
 */
static void restored_into_the_stall(void)
{
    char hex[RDL_VALUE_MAX];
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    token_hex(handle_token(h), hex);
    scene_go(w, 10);
    handle_init(w, h);
    user_adopt(w, h, hex);
    h->hold_until = h->act_at = NEVER;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_ADOPTED);
    scene_go(w, 10);
    w->faults |= FAULT_BIT(FAULT_FLUSH);
    sim_server_flush(&w->host[4].model);
    w->link[0][4].delay_us = 2000;
    w->link[0][4].jitter_us = 0;
    scene_begin(w, h, EXTENDING, 2000);
    scene_go(w, 3);
    link_swallow(w, 0, 4, UP);
    EXPECT(w, scene_wait(w, h) == RDL_OK);
    EXPECT(w, scene_pttl(w, 4) == -2);
    for (int i = 0; i < 6; i++) {
        scene_go(w, 500);
        scene_do(w, h, EXTENDING, 2000);
    }
    EXPECT(w, scene_pttl(w, 4) > 0); /* over the next connection */
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

const struct scenario scenarios_stalled[] = {
    {.name = "after a stall new connections get the lock", .run_each = waiter_gets_the_lock, .times = 6},
    {.name = "after a stall new connections save the lease", .run_each = lease_is_saved, .times = 6},
    {.name = "a lease survives a stall with other locks' SETs in flight",
     .run_each = lease_survives_others_sets,
     .times = 6},
    {.name = "a stall is aborted when half the remaining lease is over",
     .run_each = stall_lasts_for_half_of_what_was_left,
     .times = 2},
    {.name = "a lease that a majority extends aborts no connection", .run = extended_lease_aborts_nothing},
    {.name = "the reply timeout is that of the current waiters",
     .run_each = timeout_ends_with_the_reply,
     .times = 2},
    {.name = "the reply timeout is forgotten with the connection", .run = timeout_ends_with_the_connection},
    {.name = "a client that only releases detects a stall",
     .run_each = releases_alone_detect_a_stall,
     .times = 2},
    {.name = "a longer reply timeout is not cut short by another lock",
     .run_each = long_timeout_is_not_cut_short,
     .times = 2},
    {.name = "a lease in danger uses its own reply timeout",
     .run_each = lease_in_danger_waits_its_own_time,
     .times = 2},
    {.name = "after a stall the pending release is sent", .run_each = pending_release_is_sent, .times = 2},
    {.name = "a client that steps before it reads keeps its connections",
     .run_each = step_before_read_keeps_connections,
     .times = 2},
    {.name = "a stalled minority is sent nothing more", .run = minority_is_sent_nothing},
    {.name = "a server that replies again is used again", .run_each = replying_server_is_used, .times = 2},
    {.name = "a stalled connection is kept until its SETs expire", .run = stalled_is_not_closed_early},
    {.name = "a late SET is released over the next connection", .run = late_set_is_released},
    {.name = "a server that thaws late keeps a key for one ttl", .run = late_thaw_costs_a_ttl},
    {.name = "a lost SET that restores an adopted key is repeated", .run = restored_into_the_stall},
    {.name = NULL},
};
