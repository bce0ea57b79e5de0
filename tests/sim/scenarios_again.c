/* SPDX-License-Identifier: MIT */
/* Directed scenarios: releases that get a temporary error. Rules R10 and R14. */
#include "net/net_op.h"
#include "tests/sim/scene.h"

static void all_busy(struct world *w, int is_busy)
{
    for (int s = 0; s < w->servers; s++)
        w->host[s].model.busy = is_busy != 0;
}

static int is_unreleased(int rc)
{
    return rc == RDL_UNKNOWN || (rc < 0 && rc > RDL_E_NAME);
}

static uint64_t commands(const struct world *w)
{
    uint64_t n = 0;
    for (int s = 0; s < w->servers; s++)
        n += w->host[s].model.commands;
    return n;
}

/* The program has freed its handle, and the key would live for another 20 s. */
static void sent_again_after_the_error(int i)
{
    struct world *w = scene(1, i % 2 ? 1 : 3, 20000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, i % 2);
    scene_held(w, h);
    scene_go(w, 10);
    h->keeps = 0;
    for (int s = 0; s < w->servers; s++) {
        w->host[s].model.loading = i / 2 == 0;
        w->host[s].model.busy = i / 2 == 1;
        w->host[s].model.misconf = i / 2 == 2;
        w->host[s].model.readonly = i / 2 == 3;
    }
    EXPECT(w, is_unreleased(scene_do(w, h, RELEASING, 0)) && h->is_free);
    uint64_t before = commands(w);
    scene_go(w, 2000);
    EXPECT(w, commands(w) > before); /* once in a while */
    EXPECT(w, commands(w) < before + 100);
    for (int s = 0; s < w->servers; s++) {
        struct sim_server *m = &w->host[s].model;
        m->loading = m->busy = m->misconf = m->readonly = 0;
    }
    scene_go(w, i / 2 == 3 ? 3000 : 600); /* a replica's connection is closed, and the next one pauses */
    for (int s = 0; s < w->servers; s++)
        EXPECT(w, scene_pttl(w, s) == -2);
    scene_rest(w);
}

/* A server that is busy for longer than the key could live gets no more requests. */
static void not_after_the_key_expired(int single)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_held(w, h);
    all_busy(w, 1);
    EXPECT(w, is_unreleased(scene_do(w, h, RELEASING, 0)));
    scene_go(w, 2600);
    uint64_t before = commands(w);
    scene_go(w, 2000);
    EXPECT(w, commands(w) == before);
    scene_rest(w);
}

/* Requests on this connection still get their replies, and the connection is not stalled. */
static void pause_is_no_stall(void)
{
    struct world *w = scene(1, 1, 20000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, 1);
    h->opt.lease.attempt_ms = 20;
    scene_held(w, h);
    const struct tcp *before = w->client[0].tcp[0];
    all_busy(w, 1);
    EXPECT(w, is_unreleased(scene_do(w, h, RELEASING, 0)));
    for (int i = 0; i < 100; i++) {
        scene_go(w, 20);
        EXPECT(w, rdl_conn_state(&w->client[0].conn[0]) == RDL_CONN_READY);
    }
    EXPECT(w, w->client[0].tcp[0] == before && !rdl_conn_is_idle(&w->client[0].conn[0]));
    all_busy(w, 0);
    scene_rest(w);
}

/* The next acquire of this handle would be refused by the key that its failed release left. */
static void sent_before_the_next_acquire(int i)
{
    int single = i % 2;
    struct world *w = scene(1, single ? 1 : 3, 20000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    if (i < 2) /* else the refused text is sent, and is unknown afterwards */
        scene_ready(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    all_busy(w, 1);
    EXPECT(w, is_unreleased(scene_do(w, h, RELEASING, 0)));
    all_busy(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_rest(w);
}

/* The handle retries the release: done now, or done meanwhile by the connection, which is no loss. */
static void tried_again(int i)
{
    struct world *w = scene(1, i % 2 ? 1 : 3, 20000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, i % 2);
    scene_held(w, h);
    scene_go(w, 10);
    all_busy(w, 1);
    EXPECT(w, is_unreleased(scene_do(w, h, RELEASING, 0)));
    all_busy(w, 0);
    if (i / 2)
        scene_go(w, 600);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == (i == 3 ? RDL_UNKNOWN : RDL_OK)); /* one server: the run_id
                                                                              * is not queried */
    scene_rest(w);
}

/* A value in whole seconds may be the next holder's by the time of a resent release. */
static void whole_seconds_are_released_once(void)
{
    struct world *w = scene(1, 1, 5000);
    struct handle *h = scene_lock(w, 0);
    w->has_legacy = 1;
    h->mode = MODE_LEGACY_INTEGER;
    scene_one_server(w, 1);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    all_busy(w, 1);
    EXPECT(w, is_unreleased(scene_do(w, h, RELEASING, 0)));
    EXPECT(w, rdl_conn_is_idle(&w->client[0].conn[0]));
}

/*
 * A SET that was refused with an error has set nothing, unless a proxy made the error up. So its release is
 * sent once.
 */
static void refused_set_is_released_once(void)
{
    struct world *w = scene(1, 3, 20000);
    scene_ready(w);
    all_busy(w, 1);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_NO_QUORUM);
    scene_go(w, 10);
    int idle = 0;
    for (int s = 0; s < 3; s++)
        idle += rdl_conn_is_idle(&w->client[0].conn[s]);
    EXPECT(w, idle >= 2); /* the attempt had failed before the third reply */
    all_busy(w, 0);
    scene_rest(w);
}

const struct scenario scenarios_again[] = {
    {.name = "a release is sent again after a temporary error",
     .run_each = sent_again_after_the_error,
     .times = 8},
    {.name = "a release is not sent again after its key expired",
     .run_each = not_after_the_key_expired,
     .times = 2},
    {.name = "a release that pauses does not stall its connection", .run = pause_is_no_stall},
    {.name = "a failed release is sent before the next acquire",
     .run_each = sent_before_the_next_acquire,
     .times = 4},
    {.name = "a failed release can be retried", .run_each = tried_again, .times = 4},
    {.name = "a value in whole seconds is released only once", .run = whole_seconds_are_released_once},
    {.name = "a SET refused with an error is released only once", .run = refused_set_is_released_once},
    {.name = NULL},
};
