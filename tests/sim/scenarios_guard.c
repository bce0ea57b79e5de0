/* SPDX-License-Identifier: MIT */
/*
 * Directed scenarios: servers that restarted recently, and the checks of a new connection.
 * Rules R26 and R27.
 */
#include "tests/sim/scene.h"

#include <string.h>

static const struct sim_features no_info = {.version = "7.0.15", .denied = " info "};

/* They lose all data and restart at once. */
static void restart_empty(struct world *w, int from, int to)
{
    for (int s = from; s < to; s++)
        host_crash(w, (unsigned)s, 1);
    for (int s = from; s < to; s++)
        host_start(w, (unsigned)s, 0);
}

static void kill_for_good(struct world *w, int from, int to)
{
    for (int s = from; s < to; s++)
        host_crash(w, (unsigned)s, 1);
}

/* Servers without a run_id: their start time replaces it. */
static void hide_run_ids(struct world *w, int is_unnamed)
{
    for (int s = 0; s < w->servers; s++)
        w->host[s].model.is_unnamed = (uint8_t)is_unnamed;
}

/* A proxy in front of each replies to INFO with this error; NULL: the server replies. */
static void all_answer_info(struct world *w, const char *text)
{
    for (int s = 0; s < w->servers; s++)
        w->host[s].model.info_error = text;
}

/* A holds all five; the other client knows the servers already. */
static struct world *held_on(enum rdl_guard guard, uint32_t ttl_ms, int is_unnamed)
{
    struct world *w = scene(2, 5, ttl_ms);
    hide_run_ids(w, is_unnamed);
    scene_guard(w, guard, ttl_ms);
    if (guard == RDL_GUARD_STRICT) { /* a client that knows no run waits */
        for (int c = 0; c < 2; c++)
            EXPECT(w, scene_do(w, scene_lock(w, c), ACQUIRING, 0) == RDL_E_QUARANTINE);
        scene_go(w, ttl_ms + 2000);
    }
    scene_held(w, scene_lock(w, 0));
    scene_go(w, 10);
    return w;
}

static struct world *held_by_a(enum rdl_guard guard, uint32_t ttl_ms)
{
    return held_on(guard, ttl_ms, 0);
}

static void majority_restarts_on(int is_unnamed)
{
    for (int guard = RDL_GUARD_IF_PERMITTED; guard < RDL_GUARD_OFF; guard++) {
        struct world *w = held_on((enum rdl_guard)guard, 3000, is_unnamed);
        struct handle *b = scene_lock(w, 1);
        restart_empty(w, 0, 3);
        scene_go(w, 600);
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
        EXPECT(w, rdl_redlock_counts_at(&b->m->redlock, 0) > clock_ms(&w->client[1].clock, w->now));
        EXPECT(w, scene_pttl(w, 0) == -2);
        scene_go(w, 2200); /* A's lease still lasts */
        EXPECT(w, scene_left(w, scene_lock(w, 0)) > 0);
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
        scene_go(w, 1800);
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
        if (w->violation)
            return;
    }
}

static void majority_restarts(void)
{
    majority_restarts_on(0);
}

static void unnamed_majority_restarts(void)
{
    majority_restarts_on(1);
}

/* Options with nothing set: leases of 30 s, and the default guard. */
static void zeroed_options_are_guarded(void)
{
    struct world *w = scene(2, 5, RDL_TTL_DEFAULT_MS);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_guard(w, RDL_GUARD_IF_PERMITTED, RDL_TTL_DEFAULT_MS);
    memset(&a->opt, 0, sizeof a->opt);
    memset(&b->opt, 0, sizeof b->opt);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_left(w, a) > RDL_TTL_DEFAULT_MS - 400);
    scene_go(w, 10);
    restart_empty(w, 0, 3);
    scene_go(w, 28000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, scene_left(w, a) > 0);
    scene_go(w, 4000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
}

/* Their addresses lead to other servers, which have been up for long and have never had A's key. */
static void addresses_lead_elsewhere_on(int is_unnamed)
{
    for (int guard = RDL_GUARD_IF_PERMITTED; guard < RDL_GUARD_OFF; guard++) {
        struct world *w = held_on((enum rdl_guard)guard, 3000, is_unnamed);
        struct handle *b = scene_lock(w, 1);
        restart_empty(w, 0, 3);
        for (int s = 0; s < 3; s++)
            w->host[s].clock.step_us += 7200 * (int64_t)SECOND;
        scene_go(w, 600);
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
        EXPECT(w, scene_left(w, scene_lock(w, 0)) > 0);
        scene_go(w, 4000);
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
        if (w->violation)
            return;
    }
}

static void addresses_lead_elsewhere(void)
{
    addresses_lead_elsewhere_on(0);
}

static void addresses_lead_to_unnamed(void)
{
    addresses_lead_elsewhere_on(1);
}

/*
 * The picture in redlock/DESIGN.md: A reaches 0, 1 and 2, and holds the lock there. 2 crashes and restarts
 * empty. B is granted 2, 3 and 4 again and again, and 2 does not count.
 */
static void hold_while_one_restarts_empty(enum rdl_guard guard)
{
    struct world *w = scene(2, 5, 3000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_guard(w, guard, 3000);
    for (int s = 0; s < 5; s++)
        w->link[1][s].delay_us = 15 * MS;
    w->link[0][3].up_blocked = w->link[0][4].up_blocked = NEVER / 2;
    scene_go(w, 200);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 700);
    host_crash(w, 2, 1);
    scene_go(w, 300);
    host_start(w, 2, 0);
    scene_go(w, 300);
    b->opt.lease.wait_ms = 5000;
    b->opt.lease.retry_ms = 200;
    scene_begin(w, b, ACQUIRING, 0);
    scene_go(w, 1200);
    EXPECT(w, scene_left(w, a) > 0 && scene_left(w, b) == 0);
    scene_do(w, a, RELEASING, 0); /* it reports that a majority lost the key */
    EXPECT(w, scene_wait(w, b) == RDL_OK);
    scene_go(w, 800);
    EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
    scene_go(w, 300);
}

static void guard_saves_a_lease(void)
{
    hold_while_one_restarts_empty(RDL_GUARD_REQUIRED);
}

static void without_the_guard_two_hold(void)
{
    hold_while_one_restarts_empty(RDL_GUARD_OFF);
}

/* A majority restarts with old data: it has B's key, which was released, and not A's. */
static void last_second_is_lost(void)
{
    struct world *w = scene(2, 5, 3000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_guard(w, RDL_GUARD_REQUIRED, 3000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (unsigned s = 0; s < 3; s++)
        host_save(w, s);
    EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (unsigned s = 0; s < 3; s++) {
        host_crash(w, s, 1);
        host_start(w, s, HOST_SAVED);
    }
    scene_go(w, 600);
    EXPECT(w, scene_owner(w, 0) == 1); /* the deleted key is back */
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, scene_left(w, a) > 0);
    scene_go(w, 4000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
}

/* Fewer than a majority lose all data. */
static void minority_restarts(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 2000);
    restart_empty(w, 0, 2);
    scene_go(w, 100);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, scene_lock(w, 0), EXTENDING, 2000) >= 0);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
}

/*
 * Up since 0.998 s of their clock and queried at 2.005 s, they report 2 s, but it was only a little more than
 * 1 s. A's grant from just before lasts until 2.96 s, or 2.86 s.
 */
static void held_until_3_s(uint32_t max_ttl_ms)
{
    struct world *w = scene(2, 5, max_ttl_ms);
    struct handle *b = scene_lock(w, 1);
    scene_guard(w, RDL_GUARD_REQUIRED, max_ttl_ms);
    for (int s = 0; s < 5; s++) {
        w->host[s].clock.offset_us = 1700000000 * SECOND;
        w->host[s].model.start_ms = (1700000000 - 3600) * 1000ull;
    }
    scene_go(w, 990);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    world_run_until(w, 998 * MS);
    restart_empty(w, 0, 3);
    world_run_until(w, 2005 * MS);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) > 800);
    scene_go(w, 1010);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) == 0);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
}

static void uptime_is_cut_to_seconds(void)
{
    held_until_3_s(2000);
}

static void max_ttl_is_rounded_up(void)
{
    held_until_3_s(1900);
}

/*
 * Three of five are near, but one of them does not count. The third that counts is far, and the client waits
 * for it.
 */
static void far_server_is_awaited(void)
{
    struct world *w = scene(1, 5, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_guard(w, RDL_GUARD_REQUIRED, 10000);
    w->link[0][3].delay_us = w->link[0][4].delay_us = 200 * MS;
    restart_empty(w, 0, 1);
    h->opt.lease.wait_ms = 4000;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
}

/* B's own leases are short; A's is not. */
static void longest_of_any_client(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 5000);
    struct handle *b = scene_lock(w, 1);
    restart_empty(w, 0, 3);
    b->opt.lease.ttl_ms = 500;
    scene_go(w, 600);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE); /* it has seen them now */
    scene_go(w, 2900);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) > 1000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    b->opt.lease.ttl_ms = 5001;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_TTL);
}

/* Three count, two do not. One of the three is frozen, and the two that do not count grant. */
static void grant_in_quarantine_does_not_count(void)
{
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_guard(w, RDL_GUARD_REQUIRED, 2000);
    scene_ready(w);
    restart_empty(w, 3, 5);
    scene_go(w, 600);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 50);
    w->host[2].is_frozen = 1;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 5);
    EXPECT(w, scene_owner(w, 3) == 0 && scene_owner(w, 4) == 0); /* they get a SET nevertheless */
    EXPECT(w, scene_wait(w, h) == RDL_E_QUARANTINE);
    scene_go(w, 5);
    EXPECT(w, scene_pttl(w, 3) == -2 && scene_pttl(w, 4) == -2); /* and a release */
    w->host[2].is_frozen = 0;
    host_serve_all(w, 2);
    scene_go(w, 3000);
    w->host[2].is_frozen = 1;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK); /* now they count */
}

/* Four of five confirm the token, and two of them may have lost another client's key before. */
static void adopted_with_one_in_quarantine(void)
{
    struct world *w = scene(1, 5, 3000);
    struct handle *h = scene_lock(w, 0);
    char hex[RDL_TOKEN_TEXT_MAX];
    scene_guard(w, RDL_GUARD_REQUIRED, 3000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    rdl_redlock_token(&h->m->redlock, hex);
    for (unsigned s = 2; s < 4; s++) {
        host_crash(w, s, 1);
        host_start(w, s, 1);
    }
    scene_go(w, 600);
    w->host[4].is_frozen = 1;
    handle_init(w, h);
    EXPECT(w, rdl_redlock_adopt(&h->m->redlock, hex, strlen(hex)) == RDL_OK);
    h->state = HELD;
    EXPECT(w, scene_do(w, h, EXTENDING, 3000) == RDL_UNKNOWN);
    EXPECT(w, scene_owner(w, 2) == 0 && scene_left(w, h) == 0);
}

/* One has restarted with its data: its vote does not count, and arrives before that of a slow one. */
static void extend_waits_for_those_that_count(void)
{
    struct world *w = scene(1, 3, 3000);
    struct handle *h = scene_lock(w, 0);
    scene_guard(w, RDL_GUARD_REQUIRED, 3000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    host_crash(w, 1, 1);
    host_start(w, 1, 1);
    scene_go(w, 600);
    w->link[0][2].delay_us = 10 * MS;
    EXPECT(w, scene_do(w, h, EXTENDING, 3000) == RDL_OK);
    EXPECT(w, scene_left(w, h) > 2900);
}

static void one_server_has_one_vote(int k)
{
    const enum rdl_guard guard = (enum rdl_guard)k;
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_guard(w, guard, 2000);
    memcpy(w->host[1].model.run_id, w->host[0].model.run_id, sizeof w->host[1].model.run_id);
    for (int i = 0; i < 2; i++) { /* they are seen, and then the quarantine of STRICT ends */
        scene_do(w, h, ACQUIRING, 0);
        scene_do(w, h, RELEASING, 0);
        scene_go(w, i == 0 ? 10 : 4000);
    }
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_pttl(w, 0) > 0 && scene_pttl(w, 1) == -2 && scene_pttl(w, 2) > 0);
    EXPECT(w, rdl_redlock_error(&h->m->redlock, 1) == RDL_E_DUPLICATE);
    scene_do(w, h, RELEASING, 0);
    kill_for_good(w, 2, 3);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
}

/* A replica that accepts writes: they are gone after the next synchronization. */
static void replica_has_no_vote(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    w->host[1].model.is_replica = w->host[2].model.is_replica = 1;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
    EXPECT(w, rdl_redlock_error(&h->m->redlock, 1) == RDL_E_READONLY);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2 && scene_pttl(w, 2) == -2);
    w->host[1].model.is_replica = 0;
    scene_go(w, 3000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_pttl(w, 2) == -2);
}

/* After their restart the servers' clocks step ahead by an hour. */
static void strict_withstands_a_clock_step(void)
{
    struct world *w = held_by_a(RDL_GUARD_STRICT, 2000);
    restart_empty(w, 0, 3);
    for (int s = 0; s < 3; s++)
        w->host[s].clock.step_us += 3600 * (int64_t)SECOND;
    scene_go(w, 600);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_E_QUARANTINE);
    scene_go(w, 3100);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
}

/* A known run is recognized on the next connection, too. */
static void strict_recognizes_a_run(int is_unnamed)
{
    struct world *w = held_on(RDL_GUARD_STRICT, 2000, is_unnamed);
    struct handle *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    for (int s = 0; s < 5; s++)
        scene_cut(w, 1, s);
    scene_go(w, 300);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
}

/*
 * Another client's script is running at the INFO request, and the servers have restarted without their data.
 */
static void busy_is_no_refusal(void)
{
    struct world *w = held_by_a(RDL_GUARD_IF_PERMITTED, 3000);
    struct handle *b = scene_lock(w, 1);
    restart_empty(w, 0, 3);
    for (int s = 0; s < 3; s++)
        w->host[s].model.busy = 1;
    scene_go(w, 100);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) < 0);
    for (int s = 0; s < 3; s++)
        w->host[s].model.busy = 0;
    scene_go(w, 600);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) > 0);
}

/* The proxies use their own error texts, while their servers restart without their data. */
static void proxy_lifts_nothing(const char *text, enum rdl_guard guard, int is_known)
{
    struct world *w = scene(2, 3, 3000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_guard(w, guard, 3000);
    handle_init(w, b);
    if (is_known) {
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
    }
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    restart_empty(w, 0, 3);
    all_answer_info(w, text);
    scene_go(w, 600);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_NO_QUORUM);
    EXPECT(w, rdl_redlock_error(&b->m->redlock, 0) == RDL_E_SERVER);
    EXPECT(w, scene_left(w, a) > 0);
    all_answer_info(w, NULL);
    scene_go(w, 4000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == (is_known ? RDL_E_QUARANTINE : RDL_OK)); /* another run */
}

static void upstream_failure_lifts_nothing(void)
{
    proxy_lifts_nothing("upstream failure", RDL_GUARD_IF_PERMITTED, 0);
}

static void info_refused_later_lifts_nothing(void)
{
    proxy_lifts_nothing("ERR unsupported command: INFO", RDL_GUARD_IF_PERMITTED, 1);
}

static void required_takes_no_refusal(void)
{
    proxy_lifts_nothing("ERR unsupported command: INFO", RDL_GUARD_REQUIRED, 0);
}

/* The proxy never passes INFO on: the servers count at once, like those that forbid it. */
static void proxy_refuses_info(int i)
{
    const enum rdl_guard guard = i == 0 ? RDL_GUARD_IF_PERMITTED : RDL_GUARD_OFF;
    struct world *w = scene(1, 3, 2000);
    scene_guard(w, guard, 2000);
    all_answer_info(w, "ERR unsupported command: info");
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
}

/* A plain lock has opened the connection: the server's uptime is unknown. */
static void guard_without_checks(void)
{
    struct world *w = scene(2, 1, 3000);
    struct handle *h = scene_lock(w, 0), *a = scene_lock(w, 1);
    scene_guard(w, RDL_GUARD_IF_PERMITTED, 3000);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    restart_empty(w, 0, 1);
    h->is_single = 1;
    h->name = 1;
    client_conn(w, &w->client[0], 0);
    handle_init(w, h);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    h->is_single = 0;
    h->name = 0;
    handle_init(w, h);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_E_CONFIG);
    EXPECT(w, scene_left(w, a) > 0);
    scene_cut(w, 0, 0);
    scene_go(w, 10);
    handle_init(w, h);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_E_QUARANTINE);
}

static void info_is_forbidden(int i)
{
    const enum rdl_guard guard = (enum rdl_guard)i;
    int is_permitted = guard == RDL_GUARD_IF_PERMITTED || guard == RDL_GUARD_OFF;
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_guard(w, guard, 2000);
    scene_features(w, &no_info);
    int rc = scene_do(w, h, ACQUIRING, 0);
    EXPECT(w, is_permitted ? rc == RDL_OK : rc < 0);
    EXPECT(w, is_permitted || rdl_redlock_error(&h->m->redlock, 1) == RDL_E_PERM);
}

const struct scenario scenarios_guard[] = {
    {.name = "a restarted majority is in quarantine for max_ttl", .run = majority_restarts},
    {.name = "zeroed options are guarded for the default max_ttl", .run = zeroed_options_are_guarded},
    {.name = "an address that leads to another server is in quarantine", .run = addresses_lead_elsewhere},
    {.name = "restarted servers without a run_id are in quarantine", .run = unnamed_majority_restarts},
    {.name = "another server without a run_id is in quarantine", .run = addresses_lead_to_unnamed},
    {.name = "INFO refused with BUSY is requested again", .run = busy_is_no_refusal},
    {.name = "an upstream failure does not lift the restart guard", .run = upstream_failure_lifts_nothing},
    {.name = "INFO refused after it worked does not lift the guard", .run = info_refused_later_lifts_nothing},
    {.name = "a proxy does not lift a guard that requires INFO", .run = required_takes_no_refusal},
    {.name = "a proxy without INFO counts if the guard permits it",
     .run_each = proxy_refuses_info,
     .times = 2},
    {.name = "the restart guard saves a lease", .run = guard_saves_a_lease},
    {.name = "without the restart guard two clients hold the lock",
     .run = without_the_guard_two_hold,
     .kind = CONTROL},
    {.name = "a majority that lost its last second is in quarantine", .run = last_second_is_lost},
    {.name = "a restarted minority costs nothing", .run = minority_restarts},
    {.name = "the quarantine adds 1 s for the rounded uptime", .run = uptime_is_cut_to_seconds},
    {.name = "max_ttl is rounded up to seconds", .run = max_ttl_is_rounded_up},
    {.name = "a far server is awaited if a near one is ineligible", .run = far_server_is_awaited},
    {.name = "the quarantine covers the longest lease of any client", .run = longest_of_any_client},
    {.name = "a grant in quarantine does not count", .run = grant_in_quarantine_does_not_count},
    {.name = "a server in quarantine does not count for an adopted lease",
     .run = adopted_with_one_in_quarantine},
    {.name = "a server behind two addresses has one vote", .run_each = one_server_has_one_vote, .times = 4},
    {.name = "a replica has no vote", .run = replica_has_no_vote},
    {.name = "STRICT withstands a clock that steps ahead", .run = strict_withstands_a_clock_step},
    {.name = "STRICT recognizes a run on the next connection",
     .run_each = strict_recognizes_a_run,
     .times = 2},
    {.name = "a guard on a connection without checks is refused", .run = guard_without_checks},
    {.name = "a server that refuses INFO counts if the guard permits it",
     .run_each = info_is_forbidden,
     .times = 4},
    {.name = "an extend waits for the servers that count", .run = extend_waits_for_those_that_count},
    {.name = NULL},
};
