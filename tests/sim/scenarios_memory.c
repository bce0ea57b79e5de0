/* SPDX-License-Identifier: MIT */
/*
 * Directed scenarios: how long a handle's memory is in use, and the room for its releases in the queues.
 * Rule R23.
 */
#include "lock/lock_op.h"
#include "tests/sim/scene.h"

/* Its program frees it when the last call has returned. */
static struct handle *freed(struct world *w, int client)
{
    struct handle *h = scene_lock(w, client);
    h->keeps = 0;
    return h;
}

/* ---------------------------------------------------------------- how it ends */

static int refused(struct world *w, struct handle *h)
{
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    return scene_do(w, h, ACQUIRING, 0) == RDL_BUSY;
}

static int released(struct world *w, struct handle *h)
{
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    return scene_do(w, h, RELEASING, 0) == RDL_OK;
}

static int cancelled(struct world *w, struct handle *h)
{
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_begin(w, h, EXTENDING, 2000);
    user_cancel(w, h);
    return 1;
}

static int lost(struct world *w, struct handle *h)
{
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < w->servers; s++)
        sim_server_flush(&w->host[s].model);
    w->faults |= FAULT_BIT(FAULT_FLUSH);
    return scene_do(w, h, EXTENDING, 2000) == RDL_LOST;
}

static int lost_by_time(struct world *w, struct handle *h)
{
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 2500);
    return scene_do(w, h, EXTENDING, 2000) == RDL_LOST;
}

/* The last server replies late. After each last call the oracle checks what still refers to the handle. */
static void freed_after_the_last_call(void)
{
    static int (*const ends[])(struct world *, struct handle *) = {refused, released, cancelled, lost,
                                                                   lost_by_time};
    for (unsigned i = 0; i < 3 * sizeof ends / sizeof ends[0]; i++) {
        struct world *w = scene(2, i % 3 ? 5 : 1, 2000);
        struct handle *h = freed(w, 0);
        scene_one_server(w, i % 3 == 0);
        if (i % 3 == 2) {
            scene_guard(w, RDL_GUARD_REQUIRED, 2000);
            w->has_canary = 1;
            for (unsigned s = 0; s < 5; s++)
                host_canary(w, s, 3600, 0);
            for (int c = 0; c < 2; c++)
                handle_init(w, scene_lock(w, c));
        }
        scene_ready(w);
        w->link[0][w->servers - 1].delay_us = 20 * MS;
        EXPECT(w, ends[i / 3](w, h) && h->is_free);
        scene_rest(w);
        if (w->violation)
            return;
    }
}

/*
 * The next acquire takes the same memory. Another client holds the majority, and a server has not yet
 * confirmed that it deleted the previous key.
 */
static void old_release_is_no_grant(void)
{
    struct world *w = scene(2, 3, 5000);
    struct handle *a = freed(w, 0);
    scene_ready(w);
    w->link[0][2].delay_us = 20 * MS;
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_BUSY);
    scene_rest(w);
}

/*
 * A program initializes a second redlock with the servers[] of the first. The first one then holds nothing,
 * and its calls report the error. It does not release what it held before.
 */
static void servers_have_one_redlock(int i)
{
    static struct rdl_redlock second;
    struct world *w = scene(1, 3, 2000);
    struct handle *a = scene_lock(w, 0);
    scene_ready(w);
    if (i)
        EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    rdl_redlock_init(&second, &a->opt, a->m->servers, 3, "second", 6);
    if (i)
        EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_E_SHARED);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_SHARED);
    scene_go(w, 10);
    EXPECT(w, (scene_pttl(w, 0) > 0) == i);
    scene_go(w, 2000);
    scene_rest(w);
}

/* Two of five grant it, three will refuse. Before that is known, other locks fill the queues of the two. */
static void granted_minority_has_room(void)
{
    struct world *w = scene(2, 5, 5000);
    struct handle *h = freed(w, 0);
    scene_held(w, scene_lock(w, 1));
    scene_go(w, 10);
    for (int s = 0; s < 2; s++)
        sim_server_flush(&w->host[s].model);
    for (int s = 2; s < 5; s++)
        w->link[0][s].delay_us = 20 * MS;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 5);
    EXPECT(w, scene_owner(w, 0) == 0 && scene_owner(w, 1) == 0);
    for (int s = 0; s < 2; s++) {
        w->link[0][s].up_blocked = w->now + 100 * MS;
        scene_fill(w, s);
    }
    EXPECT(w, scene_wait(w, h) == RDL_BUSY);
    scene_go(w, 200);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2);
    scene_rest(w);
}

/*
 * On one server: after the grant is read and before the step, the program is stopped until the lease expires.
 */
static void late_grant_has_room(void)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = freed(w, 0);
    char hex[2 * RDL_TOKEN_LEN];
    scene_one_server(w, 1);
    scene_ready(w);
    scene_begin(w, h, ACQUIRING, 0);
    w->client[0].paused_until = w->now + 1999 * MS; /* the key is still there */
    scene_go(w, 10);
    client_read(w, 0);
    token_hex(handle_token(h), hex);
    scene_fill(w, 0);
    EXPECT(w, scene_wait(w, h) == RDL_EXPIRED);
    scene_go(w, 1);
    const struct token *t = token_find(w, hex, 0);
    EXPECT(w, t && t->granted && t->deleted);
    scene_rest(w);
}

/* A shorter extend waits for its connection and is canceled: the release is pending until the key expires. */
static void short_extend_shortens_nothing(int single)
{
    struct world *w = scene(1, 1, 20000);
    struct handle *h = freed(w, 0);
    scene_one_server(w, single);
    scene_held(w, h);
    uint64_t held_us = w->now;
    scene_go(w, 8000);
    w->host[0].blackhole_until = NEVER / 2;
    scene_cut(w, 0, 0);
    scene_go(w, 50);
    scene_begin(w, h, EXTENDING, 1000);
    EXPECT(w, handle_is_pending(h));
    user_cancel(w, h);
    w->host[0].blackhole_until = 0;
    w->host[0].refuse_until = held_us + 13 * SECOND;
    world_run_until(w, held_us + 16 * SECOND); /* the longest pause is over, the ttl is not */
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

const struct scenario scenarios_memory[] = {
    {.name = "a handle can be freed once its last call returns", .run = freed_after_the_last_call},
    {.name = "the reply to an old release is not a grant", .run = old_release_is_no_grant},
    {.name = "servers[] shared by two redlocks is an error",
     .run_each = servers_have_one_redlock,
     .times = 2},
    {.name = "a granted minority has room for its releases", .run = granted_minority_has_room},
    {.name = "a late grant has room for its release", .run = late_grant_has_room},
    {.name = "an extend that was never sent shortens no pending release",
     .run_each = short_extend_shortens_nothing,
     .times = 2},
    {.name = NULL},
};
