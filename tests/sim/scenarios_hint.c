/* SPDX-License-Identifier: MIT */
/* Directed scenarios: waiting with wake hints, and what can happen to hints. Rule R32. */
#include "tests/sim/scene.h"

/* A holds the lock. The others know the servers and wait, with long pauses if they have no hint. */
static struct world *waiting_for_a(int clients, int single, uint32_t ttl_ms)
{
    struct world *w = scene(clients, 3, ttl_ms);
    scene_one_server(w, single);
    scene_hints(w);
    scene_held(w, scene_lock(w, 0));
    for (int c = 1; c < clients; c++) {
        struct handle *h = scene_lock(w, c);
        h->opt.lease.wait_ms = 8000;
        h->opt.lease.retry_ms = 500;
        scene_begin(w, h, ACQUIRING, 0);
        scene_go(w, 20);
    }
    scene_go(w, 250); /* the first try of each has no hint: its conn was not up yet */
    return w;
}

static void a_release_wakes(int single)
{
    struct world *w = waiting_for_a(2, single, 10000);
    struct handle *b = scene_lock(w, 1);
    scene_go(w, 900);
    EXPECT(w, w->host[0].model.waiters == 1);
    uint64_t before = w->now;
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_wait(w, b) == RDL_OK);
    EXPECT(w, w->now < before + 5 * MS);
    EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
    scene_go(w, 100);
    EXPECT(w, w->host[0].model.waiters == 0);
}

/* The client that gets the next hint. */
static unsigned first_in_line(const struct world *w)
{
    uint32_t ticket = w->host[0].model.waiter[0].ticket;
    unsigned c = 0;
    for (int i = 0; i < TCPS; i++)
        if (w->tcp[i].used && w->tcp[i].server == 0 && w->tcp[i].session.ticket == ticket)
            c = w->tcp[i].client;
    return c;
}

/* The first waiter in the list is dead, and the server has not noticed: it gets the hint. */
static void a_lost_hint_costs_the_cap(int single)
{
    struct world *w = waiting_for_a(3, single, 10000);
    scene_go(w, 900);
    EXPECT(w, w->host[0].model.waiters == 2);
    unsigned first = first_in_line(w);
    EXPECT(w, first == 1 || first == 2);
    client_die(w, first, 1);
    uint64_t before = w->now;
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_wait(w, scene_lock(w, first == 1 ? 2 : 1)) == RDL_OK);
    EXPECT(w, w->now > before + 5 * MS && w->now < before + (RDL_HINT_CAP_MS + 50) * MS);
}

/* The first waiter in the list cancels, and the other one gets the hint. */
static void canceled_waiter_takes_none(int single)
{
    struct world *w = waiting_for_a(3, single, 10000);
    scene_go(w, 900);
    EXPECT(w, w->host[0].model.waiters == 2);
    unsigned first = first_in_line(w);
    EXPECT(w, first == 1 || first == 2);
    user_cancel(w, scene_lock(w, (int)first));
    scene_go(w, 10);
    uint64_t before = w->now;
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_wait(w, scene_lock(w, first == 1 ? 2 : 1)) == RDL_OK);
    EXPECT(w, w->now < before + 5 * MS);
}

/* A foreign client fills the list: the attempts stay few. */
static void foreign_hints(int single)
{
    struct world *w = waiting_for_a(2, single, 10000);
    scene_go(w, 500);
    uint64_t before = w->counts.commands, tries;
    for (int i = 0; i < 100; i++) {
        host_hint(w, 0, 0, 0);
        scene_go(w, 5);
    }
    tries = w->counts.commands - before;
    EXPECT(w, tries > 5 && tries < (single ? 40 : 160));
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_wait(w, scene_lock(w, 1)) == RDL_OK);
}

/* A stranger takes the lock again and again, and sends no hints: the waiter polls. */
static void strangers_send_no_hints(int single)
{
    struct world *w = scene(2, 3, 10000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    uint64_t before;

    scene_one_server(w, single);
    scene_hints(w);
    a->hint_use = HINT_NONE;
    handle_init(w, a);
    scene_held(w, a);
    b->opt.lease.wait_ms = 8000;
    b->opt.lease.retry_ms = 50;
    scene_begin(w, b, ACQUIRING, 0);
    before = w->now;
    while (b->state == ACQUIRING && w->now < before + 8000 * MS) {
        scene_go(w, 25);
        EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
        scene_go(w, 5);
        if (scene_do(w, a, ACQUIRING, 0) != RDL_OK)
            break;
    }
    EXPECT(w, scene_wait(w, b) == RDL_OK);
    EXPECT(w, w->now < before + 2 * RDL_HINT_CAP_MS * MS);
}

static void not_a_list(int single)
{
    struct world *w = waiting_for_a(2, single, 10000);
    scene_go(w, 900);
    host_hint(w, 0, 0, 2);
    scene_go(w, 1000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_wait(w, scene_lock(w, 1)) == RDL_OK);
}

/*
 * The lease has expired and another client holds the lock: a late release sends no hint and deletes nothing.
 */
static void a_late_release_deletes_nothing(void)
{
    struct world *w = scene(2, 1, 1000);
    scene_one_server(w, 1);
    scene_hints(w);
    scene_held(w, scene_lock(w, 0));
    scene_go(w, 1010);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_LOST);
    EXPECT(w, scene_owner(w, 0) == 1);
}

const struct scenario scenarios_hint[] = {
    {.name = "a release wakes a waiting client", .run_each = a_release_wakes, .times = 2},
    {.name = "a lost hint delays a waiter by at most the cap",
     .run_each = a_lost_hint_costs_the_cap,
     .times = 2},
    {.name = "a canceled waiter takes no hint", .run_each = canceled_waiter_takes_none, .times = 2},
    {.name = "foreign hints cause few extra attempts", .run_each = foreign_hints, .times = 2},
    {.name = "a waiter polls beside strangers that send no hints",
     .run_each = strangers_send_no_hints,
     .times = 2},
    {.name = "a hint key that is not a list does no harm", .run_each = not_a_list, .times = 2},
    {.name = "a late release with a hint deletes nothing", .run = a_late_release_deletes_nothing},
    {.name = NULL},
};
