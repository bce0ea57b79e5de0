/* SPDX-License-Identifier: MIT */
/* Directed scenarios: fencing tokens, and servers that lose their counters. Rule R31. */
#include "lock/lock_op.h"
#include "tests/sim/scene.h"

/*
 * The server refuses the script when its release has followed already: if it were resent, its key would stay.
 */
static void refused_script_is_not_sent_again(int single)
{
    struct world *w = scene(1, 1, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    h->opt.fencing = &rdl_fencing;
    h->mode = MODE_FENCED;
    handle_init(w, h);
    w->is_fenced = 1;
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_forget_script(w, 0, &rdl_script_acquire); /* the release's script is still known */
    w->host[0].is_frozen = 1;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    scene_go(w, 10);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* The next token as another client gets it, which never had the last one. */
static void as_another_client(struct handle *h)
{
    h->m->redlock.fence = 0;
    rdl_redlock_set_min_fence(&h->m->redlock, 1);
}

/* One server is down, with its data; the client knows no token. */
static void all_but(struct world *w, int without)
{
    for (int s = 0; s < w->servers; s++) {
        if (s == without && !w->host[s].is_down)
            host_crash(w, (unsigned)s, 1);
        if (s != without && w->host[s].is_down)
            host_start(w, (unsigned)s, 1);
    }
    as_another_client(scene_lock(w, 0));
    scene_go(w, 2100); /* longer than any pause before the next connect */
}

static uint64_t acquire_fenced(struct world *w, int without)
{
    struct handle *h = scene_lock(w, 0);
    all_but(w, without);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    uint64_t fence = rdl_redlock_fence(&h->m->redlock);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 50);
    return fence;
}

/* Each server counts for itself: 0 and 1 have counted further than 2. */
static struct world *counters_out_of_step(void)
{
    struct world *w = scene(1, 3, 2000);
    scene_lock(w, 0)->opt.fencing = &rdl_fencing;
    w->is_fenced = 1;
    for (int i = 0; i < 5 && !w->violation; i++)
        acquire_fenced(w, 2);
    return w;
}

/* The servers lose their counters. A minimum below the last token does not make the holder forget it. */
static void low_floor_keeps_the_token(int single)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    w->is_fenced = 1;
    h->mode = MODE_FENCED;
    h->opt.fencing = &rdl_fencing;
    handle_init(w, h);
    for (int i = 0; i < 5; i++) {
        if (single)
            rdl_lock_set_min_fence(&h->m->own.fenced, i == 0 ? 41 : (uint64_t)i);
        else
            rdl_redlock_set_min_fence(&h->m->redlock, i == 0 ? 41 : (uint64_t)i);
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, handle_fence(h) == 41 + (uint64_t)i);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        for (int s = 0; s < 3; s++)
            host_command(w, (unsigned)s, "DEL {nightly}:fence\r\n");
        scene_go(w, 5);
    }
}

/* Two clients count in turn, up to the scripts' limit: the last token is granted once, and then no lock. */
static void tokens_end(int single)
{
    struct world *w = scene(2, 3, 2000);
    scene_one_server(w, single);
    w->is_fenced = 1;
    for (int c = 0; c < 2; c++) {
        scene_lock(w, c)->mode = MODE_FENCED;
        scene_lock(w, c)->opt.fencing = &rdl_fencing;
        handle_init(w, scene_lock(w, c));
    }
    for (int s = 0; s < 3; s++)
        host_command(w, (unsigned)s, "SET {nightly}:fence 9007199254740989\r\n");
    for (int i = 0; i < 6; i++) {
        struct handle *h = scene_lock(w, i % 2);
        int rc = scene_do(w, h, ACQUIRING, 0);
        EXPECT(w, rc == (i < 2 ? RDL_OK : RDL_E_FENCE_RANGE));
        EXPECT(w, handle_fence(h) == (i < 2 ? RDL_FENCE_MAX - 1 + (unsigned)i : 0));
        if (i < 2)
            EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        scene_go(w, 5);
        EXPECT(w, scene_pttl(w, 0) == -2);
    }
}

static void tokens_grow_over_any_majority(void)
{
    static const int without[] = {0, 1, 2, 1, 0, 0, 2, 0, 1};
    struct world *w = counters_out_of_step();
    uint64_t last = 0;
    for (int i = 0; i < 9 && !w->violation; i++) {
        uint64_t fence = acquire_fenced(w, without[i]);
        EXPECT(w, fence > last);
        last = fence;
    }
}

/* A granted a great token, B a small one. Before B has the great one too, no client holds it. */
static void token_counts_when_a_majority_holds_it(void)
{
    struct world *w = counters_out_of_step();
    struct handle *h = scene_lock(w, 0);
    all_but(w, 0);
    scene_do(w, h, ACQUIRING, 0); /* the two are connected */
    scene_do(w, h, RELEASING, 0);
    acquire_fenced(w, 2);
    acquire_fenced(w, 2);
    all_but(w, 0);
    scene_begin(w, h, ACQUIRING, 0);
    while (scene_owner(w, 2) != 0 && handle_is_pending(h))
        world_run_until(w, w->now + 50);
    w->link[0][2].up_blocked = w->now + 300 * MS; /* the raise is in flight to it */
    EXPECT(w, scene_wait(w, h) == RDL_NO_QUORUM);
    uint64_t last = 0;
    for (int i = 0; i < 3 && !w->violation; i++)
        last = acquire_fenced(w, 1);
    EXPECT(w, acquire_fenced(w, 0) > last);
}

/* These servers lose their data while no client holds the lock. */
static void lose_data(struct world *w, unsigned servers)
{
    for (int s = 0; s < w->servers; s++)
        if (servers >> s & 1) {
            host_crash(w, (unsigned)s, 1);
            host_start(w, (unsigned)s, 0);
        }
    scene_go(w, 2100);
}

/*
 * 3 and 4 were down, have counted less, and grant late. Returns the token, and how many servers came to hold
 * it.
 */
static uint64_t grant_late(struct world *w, uint32_t stays_ms, unsigned *holders)
{
    struct handle *h = scene_lock(w, 0);
    h->opt.fencing = &rdl_fencing;
    w->is_fenced = 1;
    scene_ready(w);
    for (unsigned s = 3; s < 5; s++)
        host_crash(w, s, 1);
    rdl_redlock_set_min_fence(&h->m->redlock, 41);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    for (unsigned s = 3; s < 5; s++)
        host_start(w, s, HOST_ALL);
    scene_go(w, 2100);
    as_another_client(h);
    w->link[0][3].delay_us = w->link[0][4].delay_us = 200; /* the others: 100 */
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, rdl_redlock_fence_holders(&h->m->redlock) == 3);
    scene_go(w, stays_ms);
    *holders = rdl_redlock_fence_holders(&h->m->redlock);
    uint64_t fence = rdl_redlock_fence(&h->m->redlock);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    return fence;
}

static uint64_t next_without(struct world *w, int one, int other)
{
    struct handle *h = scene_lock(w, 0);
    host_crash(w, (unsigned)one, 1);
    host_crash(w, (unsigned)other, 1);
    as_another_client(h);
    scene_go(w, 2100);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    return rdl_redlock_fence(&h->m->redlock);
}

static void late_grants_are_raised(void)
{
    struct world *w = scene(1, 5, 2000);
    unsigned holders;
    uint64_t last = grant_late(w, 100, &holders);
    EXPECT(w, holders == 5);
    lose_data(w, 1u << 1 | 1u << 2); /* 5 + 3 - 5 - 1 */
    EXPECT(w, next_without(w, 0, 3) > last);
}

/* Outside the guarantee: three hold it, and the one in both majorities loses it. */
static void token_may_fall_where_too_few_hold_it(void)
{
    struct world *w = scene(1, 5, 2000);
    unsigned holders;
    uint64_t last = grant_late(w, 0, &holders);
    EXPECT(w, holders == 3);
    lose_data(w, 1u << 2);
    EXPECT(w, next_without(w, 0, 1) < last);
}

static void adopt_own(struct world *w, struct handle *h)
{
    char hex[RDL_VALUE_MAX];
    token_hex(handle_token(h), hex);
    handle_init(w, h);
    user_adopt(w, h, hex);
    h->hold_until = h->act_at = NEVER;
}

/* By a client that acquired the lock, or that adopted its token. */
static void expiring_fence_outlives_a_hold(int k)
{
    int single = k % 2, is_adopted = k / 2;
    struct world *w = scene(2, single ? 1 : 3, 1000);
    uint64_t fences[2];
    w->is_fenced = 1;
    for (int c = 0; c < 2; c++) {
        struct handle *h = scene_lock(w, c);
        h->opt.fencing = &rdl_fencing;
        h->mode = MODE_FENCED;
        h->opt.lease.fence_expiry_ms = 1500;
    }
    scene_one_server(w, single);
    for (int c = 0; c < 2; c++) {
        struct handle *h = scene_lock(w, c);
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        fences[c] = handle_fence(h);
        if (is_adopted)
            adopt_own(w, h);
        for (int i = 0; i < 10; i++) {
            scene_go(w, 500);
            EXPECT(w, scene_do(w, h, EXTENDING, 1000) >= 0);
        }
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        scene_go(w, 1400);
    }
    EXPECT(w, fences[1] > fences[0]);
}

const struct scenario scenarios_fence[] = {
    {.name = "a refused script is not resent after its release",
     .run_each = refused_script_is_not_sent_again,
     .times = 2},
    {.name = "fencing tokens grow over any majority", .run = tokens_grow_over_any_majority},
    {.name = "a low floor does not lower the fencing token",
     .run_each = low_floor_keeps_the_token,
     .times = 2},
    {.name = "fencing tokens end where scripts cannot count further", .run_each = tokens_end, .times = 2},
    {.name = "a fencing token counts once a majority holds it", .run = token_counts_when_a_majority_holds_it},
    {.name = "servers that grant late are raised to the fencing token", .run = late_grants_are_raised},
    {.name = "a fencing token may fall if too few servers hold it",
     .run = token_may_fall_where_too_few_hold_it},
    {.name = "a counter with an expiry outlives the hold",
     .run_each = expiring_fence_outlives_a_hold,
     .times = 4},
    {.name = NULL},
};
