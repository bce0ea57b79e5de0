/* SPDX-License-Identifier: MIT */
/*
 * Controls: outside the assumptions exclusion must break, and the oracle must see it. A fault that breaks
 * nothing here was not tested by the other scenarios either.
 */
#include "tests/sim/scene.h"

static struct world *held_by_a(void)
{
    struct world *w = scene(2, 5, 2000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    return w;
}

static void restart_without_delay(void)
{
    struct world *w = held_by_a();
    for (int s = 0; s < 3; s++)
        host_crash(w, (unsigned)s, 1);
    for (int s = 0; s < 3; s++)
        host_start(w, (unsigned)s, 0);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

static void flushall(void)
{
    struct world *w = held_by_a();
    for (int s = 0; s < 3; s++)
        sim_server_flush(&w->host[s].model);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

static void client_clock_goes_back(void)
{
    struct world *w = held_by_a();
    scene_go(w, 1500);
    w->client[0].clock.step_us -= 1000 * (int64_t)MS;
    scene_go(w, 600); /* the keys have expired, but not by this client's clock */
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

static void server_clocks_step_ahead(void)
{
    struct world *w = held_by_a();
    for (int s = 0; s < 3; s++)
        w->host[s].clock.step_us += 3000 * (int64_t)MS;
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

/* The guard reads the servers' uptime, which is wrong. STRICT does not use it (scenarios_guard.c). */
static void clocks_hide_a_restart(void)
{
    struct world *w = scene(2, 5, 2000);
    scene_guard(w, RDL_GUARD_REQUIRED, 2000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (int s = 0; s < 3; s++) {
        host_crash(w, (unsigned)s, 1);
        host_start(w, (unsigned)s, 0);
        w->host[s].clock.step_us += 3600 * (int64_t)SECOND;
    }
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

static struct world *guarded(void)
{
    struct world *w = scene(2, 5, 2000);
    scene_guard(w, RDL_GUARD_REQUIRED, 2000);
    w->has_canary = 1;
    for (unsigned s = 0; s < 5; s++)
        host_canary(w, s, 3600, 0);
    for (int c = 0; c < 2; c++)
        handle_init(w, scene_lock(w, c));
    scene_ready(w);
    return w;
}

/* The run, its uptime and the canary are unchanged; the last locks are missing. */
static void lagging_replicas(void)
{
    struct world *w = guarded();
    for (unsigned s = 0; s < 3; s++)
        host_save(w, s);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (unsigned s = 0; s < 3; s++)
        host_lag(w, s);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

/* The servers report that they may evict. */
static void eviction(void)
{
    static const struct sim_features full = {.version = "7.0.15", .policy = "volatile-lru"};
    struct world *w = scene(2, 5, 2000);
    scene_features(w, &full);
    scene_guard(w, RDL_GUARD_REQUIRED, 2000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (unsigned s = 0; s < 3; s++) {
        if (!rdl_redlock_may_evict(&scene_lock(w, 0)->m->redlock, s))
            return;
        host_evict(w, s);
    }
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

/*
 * appendfsync everysec: the writes of the last second are lost, and the restart does not wait until they
 * expire.
 */
static void last_second_is_lost(void)
{
    struct world *w = scene(2, 5, 2000);
    for (unsigned s = 0; s < 3; s++)
        host_save(w, s);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (unsigned s = 0; s < 3; s++) {
        host_crash(w, s, 1);
        host_start(w, s, HOST_SAVED);
    }
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

/*
 * A server without scripts: an extend of A is still in flight when A has died, come back, and adopted and
 * extended the lease. Or its connection broke, and the next extend requested more. Then the first one
 * arrives. What was sent from from_us after its begin on is in flight.
 */
static struct world *late_extend(const struct sim_features *kind, int dies, uint64_t from_us)
{
    struct world *w = scene(2, 1, 600);
    struct handle *a = scene_lock(w, 0);
    char hex[RDL_TOKEN_TEXT_MAX];
    w->host[0].model.features = kind;
    w->has_other_servers = 1;
    scene_one_server(w, 1);
    w->ttl_ms = 1200;
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, EXTENDING, 600) == RDL_OK); /* it knows the server's methods */
    scene_go(w, 50);
    scene_begin(w, a, EXTENDING, 600);
    world_run_until(w, w->now + from_us);
    w->link[0][0].delay_us = 300 * MS;
    world_run_until(w, w->now + 150);
    w->link[0][0].delay_us = 100;
    rdl_lock_token(&a->m->own.lock, hex);
    if (dies) {
        client_die(w, 0, 0);
        client_return(w, 0);
        user_adopt(w, a, hex);
        a->hold_until = a->act_at = NEVER;
    } else {
        tcp_half(w, w->client[0].tcp[0]);
        scene_wait(w, a);
    }
    a->opt.lease.attempt_ms = 50;
    EXPECT(w, scene_do(w, a, EXTENDING, 1200) == (dies ? RDL_ADOPTED : RDL_OK));
    return w;
}

/* The commands after the check are late, or EXEC is. */
static void late_exec(int i)
{
    static const struct sim_features no_scripts = {.version = "7.0.15", .no_scripts = 1};
    struct world *w = late_extend(&no_scripts, i % 2, i < 2 ? 150 : 350);
    scene_go(w, 900);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) > 0);
}

static void slow_client_clock(void)
{
    struct world *w = scene(2, 5, 2000);
    w->client[0].clock.ppm = -60000;
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 2010);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

const struct scenario scenarios_control[] = {
    {.name = "a majority restarts empty, without a guard", .run = restart_without_delay, .kind = CONTROL},
    {.name = "server clocks step ahead and hide a restart", .run = clocks_hide_a_restart, .kind = CONTROL},
    {.name = "FLUSHALL on a majority", .run = flushall, .kind = CONTROL},
    {.name = "a client's clock is set back", .run = client_clock_goes_back, .kind = CONTROL},
    {.name = "the clocks of a majority step ahead", .run = server_clocks_step_ahead, .kind = CONTROL},
    {.name = "a client's clock is slower than the drift allows", .run = slow_client_clock, .kind = CONTROL},
    {.name = "a majority fails over to replicas that lag", .run = lagging_replicas, .kind = CONTROL},
    {.name = "a late extend by WATCH shortens nothing", .run_each = late_exec, .times = 4},
    {.name = "a majority evicts locks", .run = eviction, .kind = CONTROL},
    {.name = "a majority loses its last second, without a guard",
     .run = last_second_is_lost,
     .kind = CONTROL},
    {.name = NULL},
};
