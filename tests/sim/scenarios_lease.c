/* SPDX-License-Identifier: MIT */
/* Directed scenarios: the length of a lease, and its end. Rules R1, R2 and R3. */
#include "lock/lock_lease.h"
#include "tests/sim/scene.h"

#include <stdio.h>
#include <string.h>

/* The calculation to the millisecond: from before the first send, less ceil(ttl/100) + 2. */
static void exact_validity(int i)
{
    static const uint32_t ttls[] = {100, 101, 199, 1000, 1001, 60000};
    struct world *w = scene(1, 3, ttls[i]);
    struct handle *h = scene_lock(w, 0);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK); /* the conns are open now: sent at once */
    EXPECT(w, handle_until_ms(h) == h->op_ms + ttls[i] - (ttls[i] + 99) / 100 - 2);
    EXPECT(w, scene_do(w, h, EXTENDING, ttls[i]) == RDL_OK);
    EXPECT(w, handle_until_ms(h) == h->op_ms + ttls[i] - (ttls[i] + 99) / 100 - 2);
}

static void slow_connect_costs_no_validity(void)
{
    struct world *w = scene(1, 5, 1000);
    struct handle *h = scene_lock(w, 0);
    for (int s = 0; s < 5; s++)
        w->link[0][s].up_blocked = 900 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_left(w, h) > 950);
    scene_rest(w);
}

/* The grants are read when the lease is nearly over: of no use, and released at once. */
static void late_grant_is_expired(int single)
{
    struct world *w = scene(1, 3, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 10);
    scene_begin(w, h, ACQUIRING, 0);
    w->client[0].paused_until = w->now + 9920 * MS; /* the drift is 102 ms */
    EXPECT(w, scene_wait(w, h) == RDL_EXPIRED);
    EXPECT(w, scene_left(w, h) == 0);
    EXPECT(w, scene_pttl(w, 0) > 50);
    scene_go(w, 1);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* The slowest clock at the client, the fastest at the servers: the key must outlive the lease. */
static void drift_covers_the_clocks(void)
{
    struct world *w = scene(1, 3, 30000);
    struct handle *h = scene_lock(w, 0);
    w->client[0].clock.ppm = -4900;
    for (int s = 0; s < 3; s++)
        w->host[s].clock.ppm = 4900;
    scene_held(w, h);
    uint64_t end = clock_when(&w->client[0].clock, handle_until_ms(h));
    world_run_until(w, end - 1);
    EXPECT(w, scene_left(w, h) > 0);
    for (int s = 0; s < 3; s++)
        EXPECT(w, scene_owner(w, s) == 0);
}

static void extend_never_shortens(void)
{
    struct world *w = scene(1, 5, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    uint64_t until = handle_until_ms(h);
    EXPECT(w, scene_do(w, h, EXTENDING, 300) == RDL_OK);
    EXPECT(w, handle_until_ms(h) == until);
    for (int s = 0; s < 5; s++)
        EXPECT(w, scene_pttl(w, s) > 900);
    scene_rest(w);
}

static void extend_lengthens(void)
{
    struct world *w = scene(1, 5, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    scene_go(w, 700);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_left(w, h) > 950);
    for (int s = 0; s < 5; s++)
        EXPECT(w, scene_pttl(w, s) > 950);
    scene_rest(w);
}

static void expired_lease_is_not_revived(void)
{
    struct world *w = scene(2, 5, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    w->client[0].paused_until = w->now + 989 * MS; /* the keys are still there */
    scene_go(w, 990);
    EXPECT(w, scene_owner(w, 0) == 0);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_LOST);
    EXPECT(w, scene_left(w, h) == 0);
    scene_rest(w);
}

/* The extend is executed in time, and its replies arrive when the old lease has expired. */
static void late_extend_is_lost(int single)
{
    struct world *w = scene(1, single ? 1 : 3, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 960);
    scene_begin(w, h, EXTENDING, 1000);
    w->client[0].paused_until = w->now + 40 * MS;
    EXPECT(w, scene_wait(w, h) == RDL_LOST);
    EXPECT(w, scene_left(w, h) == 0);
    scene_rest(w);
}

static void taken_lease_is_lost(int single)
{
    struct world *w = scene(2, 3, 1000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < 2; s++)
        sim_server_flush(&w->host[s].model);
    scene_begin(w, b, ACQUIRING, 0);
    scene_go(w, 2);
    w->violation = NULL; /* FLUSHALL is outside the assumptions; here the result is of interest */
    w->client[1].is_dead = 1;
    EXPECT(w, scene_do(w, a, EXTENDING, 1000) == RDL_LOST);
    EXPECT(w, scene_left(w, a) == 0);
    EXPECT(w, scene_owner(w, 0) == 1); /* and A's release left B's keys alone */
}

/*
 * Another program's value under the name is not a deadline: it is never overwritten, whatever time it might
 * mean.
 */
static void foreign_value_is_left_alone(int i)
{
    static const char *const values[] = {"worker-17",
                                         "1",
                                         "1700000000000",
                                         "-5",
                                         "17000000000",
                                         "1600000000x",
                                         "4c92707606fb6f01e8be00225fb0a01900000001"};
    struct world *w = scene(1, 1, 1000);
    struct handle *h = scene_lock(w, 0);
    struct sim_session by_hand = {0};
    uint8_t reply[SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};
    char command[128];
    h->mode = MODE_LEGACY;
    scene_one_server(w, 1);
    int n = snprintf(command, sizeof command, "SET %s %s\r\n", lock_name(0), values[i]);
    w->host[0].model.note = NULL;
    sim_server_input(&w->host[0].model, &by_hand, (const uint8_t *)command, (size_t)n, 1, &out);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_E_FOREIGN_VALUE);
    n = snprintf(command, sizeof command, "GET %s\r\n", lock_name(0));
    out.len = 0;
    sim_server_input(&w->host[0].model, &by_hand, (const uint8_t *)command, (size_t)n, 1, &out);
    n = snprintf(command, sizeof command, "$%u\r\n%s\r\n", (unsigned)strlen(values[i]), values[i]);
    EXPECT(w, out.len == (size_t)n && memcmp(reply, command, out.len) == 0);
}

/* Another lock of the client uses the connection: it is opened again if it was cut. */
static void reconnect(struct world *w)
{
    struct handle *other = &w->client[0].handle[1];
    w->handles = 2;
    other->is_single = other->name = 1;
    other->act_at = NEVER;
    other->mode = MODE_PLAIN;
    other->opt.lease = (struct rdl_lock_options){.ttl_ms = w->ttl_ms};
    handle_init(w, other);
    EXPECT(w, scene_do(w, other, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, other, RELEASING, 0) == RDL_OK);
}

/*
 * The reply to an extend is lost, and the key has the old value or the new one, both our own. What follows,
 * maybe after a second lost reply: another extend, a release, or a cancel.
 */
static void two_values_are_both_ours(int i)
{
    int next = i % 3, is_lost_twice = i / 3 % 2, is_done = i / 6;
    struct world *w = scene(1, 1, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, 1);
    h->mode = MODE_LEGACY;
    handle_init(w, h);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK); /* the server has the script now */
    for (int lost = 0; lost <= is_lost_twice; lost++) {
        reconnect(w);
        uint64_t *blocked = is_done ? &w->link[0][0].down_blocked : &w->link[0][0].up_blocked;
        *blocked = w->now + 70 * MS;
        EXPECT(w, scene_do(w, h, EXTENDING, 1000) < 0);
        if (lost || !is_done)
            scene_cut(w, 0, 0);
        scene_go(w, 100);
    }
    if (next == 0)
        EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK && scene_left(w, h) > 900);
    if (next < 2)
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    else
        user_cancel(w, h);
    scene_go(w, 100);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

static void renewal_renews_in_time(void)
{
    struct world *w = scene(1, 5, 900);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    h->uses_renewal = 1;
    client_wake(w, 0, w->now);
    for (int i = 0; i < 200 && !w->violation; i++) {
        scene_go(w, 45);
        EXPECT(w, scene_left(w, h) > 400); /* time for two more tries */
    }
    EXPECT(w, w->counts.extended >= 20 && w->counts.extended <= 66);
    scene_rest(w);
}

/* A renewal fails. The renewal timer retries while there is time, and reports the loss when there is none. */
static void renewal_retries_until_lost(void)
{
    struct world *w = scene(1, 3, 900);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    h->uses_renewal = 1;
    client_wake(w, 0, w->now);
    for (int s = 0; s < 3; s++)
        w->link[0][s].up_blocked = w->now + 600 * MS;
    scene_go(w, 700);
    EXPECT(w, scene_left(w, h) > 500);
    uint64_t end = clock_when(&w->client[0].clock, handle_until_ms(h));
    for (int s = 0; s < 3; s++)
        w->link[0][s].up_blocked = w->now + 5000 * MS;
    world_run_until(w, end + 1 * MS);
    EXPECT(w, scene_left(w, h) == 0);
    EXPECT(w, h->state != HELD); /* reported at once */
}

/* As in redlock run: the remaining lease time when the command gets its signal (check_cli_guide_ttl.c). */
static uint32_t grace_ms(uint32_t ttl_ms)
{
    return ttl_ms / 6 < 5000 ? ttl_ms / 6 : 5000;
}

/*
 * The servers go down just before a renewal is due, and are up again after 95 % of the time in the guide. The
 * lease is renewed before the command would get its signal.
 */
static void servers_are_away(uint32_t ttl_ms, int servers, int is_single, uint32_t late_ms)
{
    struct world *w = scene(1, servers, ttl_ms);
    struct handle *h = scene_lock(w, 0);
    uint32_t lasts_ms = ttl_ms - rdl_drift_ms(ttl_ms), away_ms = lasts_ms - ttl_ms / 3 - grace_ms(ttl_ms);
    scene_one_server(w, is_single);
    scene_go(w, 100 + late_ms);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, h, EXTENDING, ttl_ms) == RDL_OK); /* of all of them */
    h->uses_renewal = 1;
    client_wake(w, 0, w->now);
    uint64_t until = handle_until_ms(h), begun = w->now;
    scene_go(w, ttl_ms / 3 - 2);
    for (int s = 0; s < servers; s++) {
        w->host[s].refuse_until = w->now + (uint64_t)away_ms * 950;
        scene_cut(w, 0, s);
    }
    world_run_until(w, begun + (uint64_t)(lasts_ms - grace_ms(ttl_ms)) * MS);
    EXPECT(w, handle_until_ms(h) > until);
}

static void servers_away_as_in_the_guide(int i)
{
    static const uint32_t ttls[] = {10000, 30000, 60000, 300000};
    servers_are_away(ttls[i % 4], i / 4 % 3 == 2 ? 3 : 1, i / 4 % 3 == 0, 7u * (unsigned)(i / 12));
}

/* The reply to an extend was lost, and the lease expired here; the server keeps the key for longer. */
static void not_locked_out_by_own_key(int single)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 900);
    for (int s = 0; s < 3; s++)
        w->link[0][s].down_blocked = w->now + 150 * MS;
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_UNKNOWN);
    scene_go(w, 200);
    EXPECT(w, scene_left(w, h) == 0 && scene_pttl(w, 0) > 500);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
}

/*
 * Round trips longer than an attempt by default: to all servers, or to one, which does not slow the others.
 */
static void far_servers(int i)
{
    static const uint32_t trips_ms[] = {260, 1000};
    int servers = i & 1 ? 5 : 1, is_one = i >> 2 & 1;
    struct world *w = scene(1, servers, 30000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, i >= 8);
    for (int s = 0; s < servers; s++) {
        w->client[0].cfg[s].connect_ms = 5000;
        if (!is_one || s == 4)
            w->link[0][s].delay_us = trips_ms[i >> 1 & 1] / 2 * MS;
    }
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 5000);
    const struct tcp *far = w->client[0].tcp[i >= 8 ? 0 : servers - 1];
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 1100);
    EXPECT(w, scene_do(w, h, EXTENDING, 30000) == RDL_OK);
    scene_go(w, 600); /* a single far server has not replied to that yet */
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    EXPECT(w, far && w->client[0].tcp[i >= 8 ? 0 : servers - 1] == far); /* it is not stalled */
    if (is_one && servers == 5) { /* the others are frozen: no wait for the slow one */
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        for (int k = 0; k < servers; k++)
            w->host[k].is_frozen = 1;
        uint64_t begun = w->now;
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_UNKNOWN);
        EXPECT(w, w->now - begun < 260 * MS);
    }
}

const struct scenario scenarios_lease[] = {
    {.name = "a lock is acquired over round trips of 260 ms and 1 s", .run_each = far_servers, .times = 10},
    {.name = "validity is exact to the millisecond", .run_each = exact_validity, .times = 6},
    {.name = "a slow connect costs no validity", .run = slow_connect_costs_no_validity},
    {.name = "a grant after the validity ends is released", .run_each = late_grant_is_expired, .times = 2},
    {.name = "a key outlives its lease at the extremes of clock rates", .run = drift_covers_the_clocks},
    {.name = "an extend never shortens a lease", .run = extend_never_shortens},
    {.name = "an extend lengthens a lease", .run = extend_lengthens},
    {.name = "an expired lease is not revived", .run = expired_lease_is_not_revived},
    {.name = "an extend answered after the expiry reports the lock lost",
     .run_each = late_extend_is_lost,
     .times = 2},
    {.name = "a lock that another client took is lost and left alone",
     .run_each = taken_lease_is_lost,
     .times = 2},
    {.name = "a foreign value is left alone (legacy)", .run_each = foreign_value_is_left_alone, .times = 7},
    {.name = "an extend without a reply leaves two own values (legacy)",
     .run_each = two_values_are_both_ours,
     .times = 12},
    {.name = "the renewal timer leaves time for two more tries", .run = renewal_renews_in_time},
    {.name = "servers may be away for as long as the guide says",
     .run_each = servers_away_as_in_the_guide,
     .times = 4 * 3 * 20},
    {.name = "the renewal timer retries, then reports the loss in time", .run = renewal_retries_until_lost},
    {.name = "a client is not locked out by its own key", .run_each = not_locked_out_by_own_key, .times = 2},
    {.name = NULL},
};
