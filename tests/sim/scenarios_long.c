/* SPDX-License-Identifier: MIT */
/*
 * The long run: 60 days of holding, with restarts and cuts. 32 bits of ms wrap after 49.7 days. At its end no
 * room in a queue, no record and no connection is in use that was not after the first hour.
 * Rules R1, R12, R22, R23.
 */
#include "tests/sim/scene.h"

#include <string.h>

enum {
    TTL_S = 1800,
    TURN_S = 600,
    DAY = 86400 / TURN_S,
    QUARTER = DAY / 4,
    DAYS = 60,
    CLIENTS = 3,
    SERVERS = 3
};

/* What a leak would add to. */
struct stock {
    uint32_t queued, reserved, tcps, events, keys;
};

static struct stock count(const struct world *w)
{
    struct stock n = {0, 0, 0, w->events, 0};
    for (int c = 0; c < w->clients; c++)
        for (int s = 0; s < w->conns; s++) {
            n.queued += w->client[c].conn[s].tail - w->client[c].conn[s].base;
            n.reserved += w->client[c].conn[s].reserved;
        }
    for (int i = 0; i < TCPS; i++)
        n.tcps += w->tcp[i].used;
    for (int s = 0; s < w->servers; s++)
        for (uint32_t k = 0; k < w->host[s].model.keys; k++)
            n.keys += w->host[s].model.key[k].used;
    return n;
}

static void is_as_before(struct world *w, const struct stock *first)
{
    struct stock now = count(w);
    EXPECT(w, now.queued == first->queued && now.reserved == first->reserved);
    EXPECT(w, now.tcps <= (uint32_t)(w->clients * w->conns)); /* one connection for each conn */
    EXPECT(w, now.events <= first->events + 8);               /* some wake-ups are due only later */
    EXPECT(w, now.keys <= first->keys);
}

/*
 * In each quarter of a day one server's connections are reset, it restarts with its data, and its connections
 * swallow everything: so far apart that the lease lasts.
 */
static void strike(struct world *w, unsigned turn)
{
    unsigned quarter = turn / QUARTER, s = quarter / 2 % (unsigned)w->servers;
    if (turn % QUARTER == 10)
        for (int c = 0; c < CLIENTS; c++)
            if (w->client[c].tcp[s])
                tcp_reset(w, w->client[c].tcp[s]);
    if (turn % QUARTER == 16) {
        host_crash(w, s, quarter % 2);
        scene_go(w, 50);
        host_start(w, s, HOST_ALL);
    }
    if (turn % QUARTER == 26)
        for (unsigned c = 0; c < CLIENTS; c++)
            link_swallow(w, c, s, quarter % 3 + 1);
}

/* Until it succeeds: a broken connection is noticed, and a new one opened. */
static int renew(struct world *w, struct handle *h)
{
    int rc = RDL_UNKNOWN;
    for (int tries = 0; rc < 0 && tries < 5 && h->state == HELD; tries++) {
        rc = scene_do(w, h, EXTENDING, w->ttl_ms);
        scene_go(w, 2500);
    }
    return rc;
}

/*
 * One client holds the lock for a quarter of a day, and renews it each turn; then it is the next one's turn.
 * That one may have to wait for a quarantine: it has not seen the restarts in between.
 */
static void turn(struct world *w, unsigned n, unsigned *failed)
{
    struct handle *h = scene_lock(w, (int)(n / QUARTER % CLIENTS));
    strike(w, n);
    if (h->state == HELD) {
        EXPECT(w, renew(w, h) >= 0 && scene_left(w, h) > TTL_S * 900);
    } else {
        *failed = scene_do(w, h, ACQUIRING, 0) < 0 ? *failed + 1 : 0;
        EXPECT(w, *failed <= 4 * TTL_S / TURN_S);
    }
    if ((n + 1) % QUARTER == 0 && h->state == HELD)
        (void)scene_do(w, h, RELEASING, 0);
    scene_go(w, TURN_S * 1000 - 20000);
}

static void days(int is_single)
{
    struct world *w = scene(CLIENTS, is_single ? 1 : SERVERS, TTL_S * 1000);
    struct stock first = {0, 0, 0, 0, 0};
    unsigned failed = 0;
    scene_one_server(w, is_single);
    if (!is_single)
        scene_guard(w, RDL_GUARD_REQUIRED, TTL_S * 1000);
    for (unsigned n = 0; n < DAYS * DAY && !w->violation; n++) {
        turn(w, n, &failed);
        if (n == DAY - 1)
            first = count(w);
        if (n > DAY && (n + 1) % DAY == 0)
            is_as_before(w, &first);
    }
    EXPECT(w, w->now > 50ull * 86400 * SECOND);
    scene_rest(w);
}

static void sixty_days_on_three_servers(void)
{
    days(0);
}

static void sixty_days_on_one_server(void)
{
    days(1);
}

const struct scenario scenarios_long[] = {
    {.name = "60 days of holding on three servers use up nothing", .run = sixty_days_on_three_servers},
    {.name = "60 days of holding on one server use up nothing", .run = sixty_days_on_one_server},
    {.name = NULL},
};
