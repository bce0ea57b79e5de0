/* SPDX-License-Identifier: MIT */
/* Directed scenarios: slots, of which each is a lock. Rules R6, R9, R24. */
#include "tests/sim/scene.h"

#include <string.h>

static struct world *with_slots(int clients, unsigned slots)
{
    struct world *w = scene(clients, 3, 60000);
    w->opt.slots = (int)slots;
    for (int c = 0; c < clients; c++) {
        scene_lock(w, c)->slots = (uint8_t)slots;
        handle_init(w, scene_lock(w, c));
    }
    return w;
}

/* Each client lacks one of three servers. A count in one key of each server lets all of them in. */
static void no_more_hold_one_than_there_are(void)
{
    struct world *w = with_slots(6, 3);
    int held = 0;
    for (int c = 0; c < 6; c++)
        w->link[c][c % 3].up_blocked = w->link[c][c % 3].down_blocked = 3600 * SECOND;
    for (int round = 0; round < 3; round++)
        for (int c = 0; c < 6; c++) {
            struct handle *h = scene_lock(w, c);
            if (h->state != HELD)
                held += scene_do(w, h, ACQUIRING, 0) == RDL_OK;
        }
    EXPECT(w, held == 3);
}

static void all_are_used_and_given_back(void)
{
    struct world *w = with_slots(4, 3);
    for (int c = 0; c < 3; c++)
        EXPECT(w, scene_do(w, scene_lock(w, c), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 3), ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, scene_lock(w, 1), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 3), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_lock(w, 3)->m->slots.slot == scene_lock(w, 1)->m->slots.slot);
    for (int c = 0; c < 4; c++)
        if (c != 1)
            EXPECT(w, scene_do(w, scene_lock(w, c), RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

static void a_canceled_read_refers_to_nothing(void)
{
    struct world *w = with_slots(1, 2);
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    h->keeps = 0;
    scene_begin(w, h, ACQUIRING, 0);
    user_cancel(w, h);
    scene_go(w, 100);
    scene_rest(w);
}

enum { SEEDS = 150 };

/* The worlds of seeds, with all faults inside the assumptions. In the first a client stops during a read. */
static void world_of_slots(int k)
{
    struct options o = options_default;
    o.seed = k == 0 ? 917 : (uint64_t)k;
    o.slots = 1 + (k + 1) % 3;
    world_live(world_make(&o));
}

const struct scenario scenarios_slots[] = {
    {.name = "no more clients hold a slot than there are, if each lacks a server",
     .run = no_more_hold_one_than_there_are},
    {.name = "all slots are used, and given back", .run = all_are_used_and_given_back},
    {.name = "a read of slots that is canceled refers to nothing", .run = a_canceled_read_refers_to_nothing},
    {.name = "worlds of slots", .run_each = world_of_slots, .times = SEEDS},
    {.name = NULL}};
