/* SPDX-License-Identifier: MIT */
/*
 * Directed scenarios: programs that use handles and connections as few programs do. sim_misuse.c has the same
 * in schedules, tests/redlock/check_misuse.c what an assertion refuses.
 * Rules R12, R18, R20, R23, R26, R27.
 */
#include "lock/lock_op.h"
#include "tests/sim/scene.h"

#include <string.h>

static struct rdl_redlock copy;

static uint64_t now_of(const struct world *w, const struct handle *h)
{
    return clock_ms(&w->client[h->client].clock, w->now);
}

/* Each kind of call with the copy is refused. */
static void refuses(struct world *w, const struct handle *h)
{
    uint64_t now_ms = now_of(w, h);
    EXPECT(w, rdl_redlock_remaining_ms(&copy, now_ms) == 0 && rdl_redlock_until_ms(&copy) == 0);
    EXPECT(w, rdl_redlock_extend_begin(&copy, 1000, now_ms) == RDL_E_SHARED);
    EXPECT(w, rdl_redlock_step(&copy, now_ms) == RDL_E_SHARED);
    EXPECT(w, rdl_redlock_release_begin(&copy, now_ms) == RDL_E_SHARED);
    EXPECT(w, rdl_redlock_acquire_begin(&copy, (const uint8_t *)"0123456789abcdef", now_ms) == RDL_E_SHARED);
    rdl_redlock_cancel(&copy);
}

static void copies_hold_nothing(void)
{
    struct world *w = scene(2, 3, 2000);
    struct handle *a = scene_lock(w, 0);
    scene_held(w, a);
    copy = a->m->redlock;
    refuses(w, a);
    copy = a->m->redlock;
    scene_begin(w, a, EXTENDING, 2000);
    EXPECT(w, rdl_redlock_step(&copy, now_of(w, a)) == RDL_E_SHARED);
    EXPECT(w, scene_wait(w, a) == RDL_OK);
    copy = a->m->redlock;
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    refuses(w, a);
    EXPECT(w, scene_do(w, scene_lock(w, 1), RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* The copy was made when nothing referred to the handle. The original is used first. */
static void first_used_has_the_servers(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *a = scene_lock(w, 0);
    scene_ready(w);
    copy = a->m->redlock;
    scene_begin(w, a, ACQUIRING, 0);
    refuses(w, a);
    EXPECT(w, scene_wait(w, a) == RDL_OK);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* ---------------------------------------------------------------- connections */

/* The first client holds the lock; two servers lose it, and the second one's program sets up their conns. */
static void remade_conns_do_not_count(int i)
{
    const enum rdl_guard guard = (enum rdl_guard)i;
    struct world *w = scene(2, 3, 1000);
    struct handle *b = scene_lock(w, 1);
    scene_guard(w, guard, 1000);
    scene_go(w, 3000);
    for (int c = 0; c < 2; c++)
        EXPECT(w, scene_do(w, scene_lock(w, c), ACQUIRING, 0) < 0 || guard != RDL_GUARD_STRICT);
    for (int c = 0; c < 2; c++)
        user_cancel(w, scene_lock(w, c));
    scene_go(w, 3000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < 2; s++) {
        misuse_remake(w, &w->client[1], s);
        host_crash(w, (unsigned)s, 1);
        host_start(w, (unsigned)s, HOST_NOTHING);
    }
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) < 0);
    EXPECT(w, rdl_redlock_error(&b->m->redlock, 0) == RDL_E_CONFIG);
    misuse_remake(w, &w->client[1], 0); /* with its redlock, all is as at the beginning */
    misuse_remake(w, &w->client[1], 1);
    handle_init(w, b);
    scene_go(w, 3000);
    user_cancel(w, scene_lock(w, 0));
    (void)scene_do(w, b, ACQUIRING, 0); /* strict: it sees these runs for the first time */
    user_cancel(w, b);
    scene_go(w, 3000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* All clients list the first server twice. It has two votes, or one if its run_id is known. */
static void a_conn_listed_twice_is_safe(void)
{
    struct world *w = scene(2, 3, 1000);
    for (int c = 0; c < 2; c++) {
        struct handle *h = scene_lock(w, c);
        for (int s = 0; s < 3; s++)
            h->m->servers[s].conn = &w->client[c].conn[s / 2];
        rdl_redlock_init(&h->m->redlock, &h->opt, h->m->servers, 3, lock_name(0), strlen(lock_name(0)));
    }
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, rdl_redlock_error(&scene_lock(w, 0)->m->redlock, 1) == RDL_E_DUPLICATE);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) != RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 0), EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 1), RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* ---------------------------------------------------------------- options */

static void options_count_from_the_next_operation(int is_single)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *a = scene_lock(w, 0);
    scene_one_server(w, is_single);
    scene_held(w, a);
    a->opt.lease.ttl_ms = 1500;
    a->opt.lease.attempt_ms = 100;
    EXPECT(w, scene_left(w, a) > 1900);
    EXPECT(w, scene_do(w, a, EXTENDING, 399) == RDL_E_TTL); /* shorter than four attempts */
    EXPECT(w, scene_do(w, a, EXTENDING, 2000) == RDL_OK && scene_left(w, a) > 1900);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_left(w, a) < 1500 && scene_left(w, a) > 1400 && scene_pttl(w, 0) <= 1500);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    a->opt.lease.attempt_ms = 400;
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_TTL && scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* ---------------------------------------------------------------- rights, queues */

/* It may not use the key on two servers. Its lease continues, and its other requests still work. */
static void a_user_loses_and_regains_a_key(void)
{
    struct world *w = scene(2, 3, 2000);
    struct handle *a = scene_lock(w, 0);
    struct planned p = {.fault = FAULT_ACL, .client = 0};
    scene_held(w, a);
    for (p.server = 0; p.server < 2; p.server++)
        refuse_by_acl(w, &p);
    EXPECT(w, scene_do(w, a, EXTENDING, 2000) == RDL_UNKNOWN && scene_left(w, a) > 1800);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_UNKNOWN && scene_left(w, a) == 0);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
    scene_go(w, 2100);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_NO_QUORUM);
    p.is_end = 1;
    for (p.server = 0; p.server < 2; p.server++)
        refuse_by_acl(w, &p);
    scene_go(w, 100);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* The server does not read, and the queue is full, at each step. */
static void a_full_queue_refuses_each_operation(void)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *a = scene_lock(w, 0);
    scene_one_server(w, 1);
    scene_ready(w);
    w->host[0].is_frozen = 1;
    scene_fill(w, 0);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_FULL);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    scene_go(w, 100);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    w->host[0].is_frozen = 1;
    scene_fill(w, 0);
    EXPECT(w, scene_do(w, a, EXTENDING, 2000) < 0 && scene_left(w, a) > 1500);
    EXPECT(w, scene_do(w, a, RELEASING, 0) < 0 && scene_left(w, a) == 0);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    scene_rest(w);
}

/*
 * The program opens its connections, and does nothing for a minute when they are ready. That minute is no
 * round trip: the next attempt waits no longer than a login may take.
 */
static void an_idle_login_is_no_round_trip(void)
{
    struct world *w = scene(1, 3, 100000);
    struct handle *a = scene_lock(w, 0);
    scene_ready(w);
    for (int s = 0; s < 3; s++)
        scene_cut(w, 0, s);
    scene_go(w, 10);
    for (int s = 0; s < 3; s++)
        rdl_conn_tick(&w->client[0].conn[s], now_of(w, a));
    client_wake(w, 0, w->now);
    scene_go(w, 60000);
    w->host[0].is_frozen = w->host[1].is_frozen = 1;
    uint64_t begun = w->now;
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_NO_QUORUM);
    EXPECT(w, w->now - begun < (3 * RDL_CONNECT_MS + 1000) * MS);
    w->host[0].is_frozen = w->host[1].is_frozen = 0;
    host_serve_all(w, 0);
    host_serve_all(w, 1);
    scene_rest(w);
}

const struct scenario scenarios_misuse[] = {
    {.name = "a copy of a redlock in use holds nothing", .run = copies_hold_nothing},
    {.name = "of two copies the first that is used has the servers", .run = first_used_has_the_servers},
    {.name = "a conn set up again under a guard does not count",
     .run_each = remade_conns_do_not_count,
     .times = 3},
    {.name = "a conn that is listed twice gives no lock to two clients", .run = a_conn_listed_twice_is_safe},
    {.name = "changed options count from the next operation",
     .run_each = options_count_from_the_next_operation,
     .times = 2},
    {.name = "a user who may not use the key keeps its lease", .run = a_user_loses_and_regains_a_key},
    {.name = "a full queue refuses each operation", .run = a_full_queue_refuses_each_operation},
    {.name = "a login whose replies are read late is no round trip", .run = an_idle_login_is_no_round_trip},
    {.name = NULL},
};
