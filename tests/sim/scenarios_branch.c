/* SPDX-License-Identifier: MIT */
/* Properties of the schedules that go on from rare states (sim_branch.c). */
#include "tests/sim/scene.h"

#include <string.h>

enum { SEEDS = 6, EACH = 2, MOST = SEEDS * (1 + EACH) };

/* Some schedules of seeds, and some that go on from what those reached. */
static struct options lived[MOST];
static uint64_t hash[MOST];

static uint64_t live(struct options o)
{
    struct world *w = world_make(&o);
    world_live(w);
    return w->hash;
}

/* Returns how many. */
static int live_all(void)
{
    struct options o = options_default;
    int n = 0;
    o.branches = EACH;
    branch_begin(1);
    for (o.seed = 1; o.seed <= SEEDS; o.seed++) {
        lived[n] = o;
        hash[n++] = live(o);
        for (int i = 0; i < EACH && branch_next(&lived[n]); i++, n++)
            hash[n] = live(lived[n]);
    }
    return n;
}

/* A world without violations, for what is found. */
static struct world *result(void)
{
    return scene(1, 1, 1000);
}

static void each_repeats_exactly(void)
{
    int n = live_all(), same = 0;
    for (int i = n; --i >= 0;) { /* in another order: nothing of a schedule is left in the next */
        lived[i].branches = 0;
        same += live(lived[i]) == hash[i];
    }
    struct world *w = result();
    EXPECT(w, n > SEEDS && same == n);
}

static void the_same_start_lives_the_same(void)
{
    static uint64_t before[MOST];
    int n = live_all();
    memcpy(before, hash, sizeof before);
    int again = live_all();
    struct world *w = result();
    EXPECT(w, n == again && memcmp(before, hash, (size_t)n * sizeof hash[0]) == 0);
}

/* The hash of the first events. */
static uint64_t hash_at(struct options o, uint64_t events)
{
    struct world *w = world_make(&o);
    while (w->counts.events < events && !w->violation)
        world_run_until(w, w->base_us + (w->heap[0].key >> 32));
    return w->hash;
}

/* Up to the rare state it is the schedule it comes from, and then it is not. */
static void each_begins_as_an_earlier_one(void)
{
    int n = live_all(), begins = 0, differs = 0, branches = 0;
    for (int i = 0; i < n; i++) {
        struct options from = lived[i];
        from.branches = 0;
        if (from.forks == 0)
            continue;
        struct fork last = from.path[--from.forks];
        branches++;
        begins += hash_at(from, last.events) == hash_at(lived[i], last.events);
        differs += live(from) != hash[i];
    }
    struct world *w = result();
    EXPECT(w, branches > 0 && begins == branches && differs == branches);
}

const struct scenario scenarios_branch[] = {
    {.name = "a schedule that goes on from a rare state repeats exactly", .run = each_repeats_exactly},
    {.name = "the same seed goes on from the same rare states", .run = the_same_start_lives_the_same},
    {.name = "a schedule that goes on begins as an earlier one", .run = each_begins_as_an_earlier_one},
    {.name = NULL},
};
