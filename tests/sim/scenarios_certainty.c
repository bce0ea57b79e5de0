/* SPDX-License-Identifier: MIT */
/* Directed scenarios: restored keys, limits of a hold, the probe server. Rules R29, R30 and R34. */
#include "net/net_op.h"
#include "tests/sim/scene.h"

#include <string.h>

static void flush_servers(struct world *w, int from, int to)
{
    for (int s = from; s < to; s++)
        host_flush(w, (unsigned)s);
}

/* ---------------------------------------------------------------- repair */

/* Three of five have the key and the fourth does not; after one extend it has. */
static struct world *fourth_is_repaired(int accepts_gap)
{
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    h->opt.accept_gap = (uint8_t)accepts_gap;
    w->accepts_gap = accepts_gap;
    host_crash(w, 3, 1);
    host_crash(w, 4, 1);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 200); /* too late for the acquire */
    host_start(w, 3, 0);
    scene_go(w, 600); /* it connects again */
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) >= 0);
    scene_go(w, 10);
    EXPECT(w, scene_owner(w, 3) == 0);
    return w;
}

static void repaired_vote_counts_later(void)
{
    struct world *w = fourth_is_repaired(0);
    struct handle *h = scene_lock(w, 0);
    flush_servers(w, 2, 3); /* 0, 1 and 3 have it, and another client may have held it in between */
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_E_GAP);
    EXPECT(w, scene_left(w, h) == 0);
    scene_go(w, 10);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 3) == -2);
    if (w->violation)
        return;

    w = fourth_is_repaired(0);
    h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK); /* 0, 1 and 2 confirm the time between */
    flush_servers(w, 2, 3);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) >= 0);
    EXPECT(w, scene_left(w, h) > 1900);
}

static void gap_may_be_accepted(void)
{
    struct world *w = fourth_is_repaired(1);
    struct handle *h = scene_lock(w, 0);
    flush_servers(w, 2, 3);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_HELD_WITH_GAP);
    EXPECT(w, scene_left(w, h) > 1900);
}

/* Two have lost the key, three are frozen: the present holder is unknown. */
static void nothing_is_restored_unconfirmed(void)
{
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    scene_go(w, 10);
    flush_servers(w, 0, 2);
    for (int s = 2; s < 5; s++)
        w->host[s].is_frozen = 1;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_UNKNOWN);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2);
}

static void straggler_is_repaired_afterwards(void)
{
    struct world *w = scene(1, 5, 4000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    scene_go(w, 100);
    flush_servers(w, 4, 5);
    w->link[0][4].delay_us = 15 * MS;
    EXPECT(w, scene_do(w, h, EXTENDING, 4000) == RDL_OK);
    EXPECT(w, scene_pttl(w, 4) == -2);
    scene_go(w, 200);
    EXPECT(w, scene_owner(w, 4) == 0);
}

/*
 * Two of three have granted it and one loses it. The third server's grant is received after the release was
 * sent.
 */
static void unanswered_grant_is_waited_for(void)
{
    struct world *w = scene(1, 3, 4000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    w->link[0][2].delay_us = 15 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    flush_servers(w, 1, 2);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/*
 * The extend is confirmed late. It waits for a key restored on a frozen server, but no longer than the lease
 * lasts.
 */
static void extend_ends_with_its_lease(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    h->opt.lease.attempt_ms = 250;
    scene_held(w, h);
    scene_go(w, 100);
    host_flush(w, 2);
    uint64_t over = w->now + 1000 * MS;
    scene_begin(w, h, EXTENDING, 1000);
    w->client[0].paused_until = w->now + 850 * MS; /* the replies that it reads then came before */
    scene_go(w, 10);
    w->host[2].is_frozen = 1;
    scene_wait(w, h);
    EXPECT(w, w->now < over);
}

/* The fifth connects when four have granted already: it gets its SET, too. */
static void late_connection_gets_its_set(void)
{
    struct world *w = scene(1, 5, 4000);
    struct handle *h = scene_lock(w, 0);
    w->link[0][4].delay_us = 20 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_pttl(w, 4) == -2);
    scene_go(w, 300);
    EXPECT(w, scene_owner(w, 4) == 0);
}

/* ---------------------------------------------------------------- limits */

static void limits_are_enforced(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    h->opt.max_hold_ms = 2500;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int i = 0; i < 2; i++) {
        scene_go(w, 700);
        EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    }
    scene_go(w, 700);
    uint64_t until = handle_until_ms(h);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_E_CAP);
    EXPECT(w, handle_until_ms(h) == until);
    scene_do(w, h, RELEASING, 0);
    if (w->violation)
        return;

    w = scene(1, 3, 1000);
    h = scene_lock(w, 0);
    h->opt.max_extensions = 2;
    h->opt.max_ttl_ms = 1000;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1001) == RDL_E_TTL); /* the guards of all clients rely on it */
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_E_CAP);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
}

/* An adopting client does not know the length of the lease; it may be longer than the request. */
static void adopting_does_not_shorten(int i)
{
    static const struct sim_features kinds[] = {{.version = "7.0.15"},
                                                {.version = "7.0.15", .no_scripts = 1}};
    struct world *w = scene(1, 3, 5000);
    struct handle *h = scene_lock(w, 0);
    char hex[RDL_TOKEN_TEXT_MAX];
    scene_features(w, &kinds[i]);
    w->has_other_servers = i > 0;
    h->opt.lease.attempt_ms = 50;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 50);
    rdl_redlock_token(&h->m->redlock, hex);
    handle_init(w, h);
    EXPECT(w, rdl_redlock_adopt(&h->m->redlock, hex, strlen(hex)) == RDL_OK);
    h->state = HELD;
    EXPECT(w, scene_do(w, h, EXTENDING, 400) == RDL_ADOPTED);
    EXPECT(w, scene_left(w, h) > 350 && scene_left(w, h) < 400);
    scene_go(w, 10);
    for (int s = 0; s < 3; s++)
        EXPECT(w, scene_pttl(w, s) > 4800);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
}

static void waiting_requests_are_bounded(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    w->host[2].is_frozen = 1;
    for (int i = 0; i < 100; i++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        EXPECT(w, rdl_conn_waiting(&w->client[0].conn[2]) <= 65); /* includes the release of the last one */
    }
    w->host[2].is_frozen = 0;
    host_serve_all(w, 2);
    scene_go(w, 100);
    EXPECT(w, scene_pttl(w, 2) == -2);
    scene_rest(w);
}

/* ---------------------------------------------------------------- the probe server */

static struct world *b_waits(uint32_t ttl_ms)
{
    struct world *w = scene(2, 5, ttl_ms);
    struct handle *b = scene_lock(w, 1);
    scene_held(w, scene_lock(w, 0));
    scene_go(w, 10);
    b->opt.lease.wait_ms = 20000;
    b->opt.lease.retry_ms = 30;
    scene_begin(w, b, ACQUIRING, 0);
    return w;
}

/* It gets the first SET alone; after its grant the others get theirs. */
static void probe_server_leads(void)
{
    int led = 0;
    for (uint32_t ms = 100; ms < 2000; ms += 100) {
        struct world *w = b_waits(10000);
        struct handle *b = scene_lock(w, 1);
        scene_go(w, ms);
        EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
        uint64_t start = w->now;
        EXPECT(w, scene_wait(w, b) == RDL_OK);
        EXPECT(w, w->now - start < 1200 * MS);
        led += b->m->redlock.by_probe_server;
        scene_go(w, 5);
        for (int s = 0; s < 5; s++)
            EXPECT(w, scene_owner(w, s) == 1);
        if (w->violation)
            return;
    }
    struct world *w = world_get();
    EXPECT(w, led > 0);
}

/* The key remains on the probe server alone: that must not lock out any client. */
static void probe_server_has_no_veto(void)
{
    struct world *w = b_waits(10000);
    scene_go(w, 300);
    w->client[0].is_dead = 1;
    flush_servers(w, 1, 5);
    uint64_t start = w->now;
    EXPECT(w, scene_wait(w, scene_lock(w, 1)) == RDL_OK);
    EXPECT(w, w->now - start < 2000 * MS && scene_owner(w, 0) == 0);
}

const struct scenario scenarios_certainty[] = {
    {.name = "a restored key counts once a majority without it confirms", .run = repaired_vote_counts_later},
    {.name = "accept_gap keeps a lock across a gap", .run = gap_may_be_accepted},
    {.name = "no key is restored before a majority confirms", .run = nothing_is_restored_unconfirmed},
    {.name = "a straggler's lost key is restored", .run = straggler_is_repaired_afterwards},
    {.name = "a release waits for a server whose grant is unanswered", .run = unanswered_grant_is_waited_for},
    {.name = "an extend ends with its lease", .run = extend_ends_with_its_lease},
    {.name = "a server that connects late still gets its SET", .run = late_connection_gets_its_set},
    {.name = "max_hold_ms, max_extensions and max_ttl_ms are enforced", .run = limits_are_enforced},
    {.name = "adopting does not shorten a lease", .run_each = adopting_does_not_shorten, .times = 2},
    {.name = "requests to a frozen server are bounded", .run = waiting_requests_are_bounded},
    {.name = "after the probe server's grant the others get a SET", .run = probe_server_leads},
    {.name = "the probe server has no veto", .run = probe_server_has_no_veto},
    {.name = NULL},
};
