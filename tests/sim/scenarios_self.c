/* SPDX-License-Identifier: MIT */
/* Properties of the simulator itself. */
#include "tests/sim/scene.h"

#include <string.h>

/* ---------------------------------------------------------------- streams */

static uint64_t add(uint64_t digest, uint64_t value)
{
    return (digest ^ value) * 0x9e3779b97f4a7c15u;
}

static uint64_t of_handle(const struct handle *h, uint64_t digest)
{
    digest = add(digest, h->act_at);
    digest = add(digest, h->name);
    digest = add(digest, h->opt.lease.ttl_ms);
    digest = add(digest, h->opt.lease.wait_ms);
    digest = add(digest, h->opt.lease.retry_ms);
    return add(digest, h->opt.lease.attempt_ms);
}

/* All properties of a world that this class of faults does not influence. */
static uint64_t digest_without(const struct world *w, unsigned fault)
{
    uint64_t digest = add(add(w->ttl_ms, w->hold_us), w->think_us);
    digest = add(digest, (uint64_t)w->clients << 16 | (uint64_t)w->servers << 8 | w->guard);
    for (int c = 0; c < w->clients; c++) {
        digest = add(digest, w->client[c].clock.offset_us);
        for (int s = 0; s < w->servers; s++)
            digest = add(add(digest, w->link[c][s].delay_us), w->client[c].cfg[s].connect_ms);
        for (int i = 0; i < w->handles; i++)
            digest = of_handle(&w->client[c].handle[i], digest);
    }
    for (int s = 0; s < w->servers; s++)
        digest = add(digest, w->host[s].clock.offset_us);
    for (int n = 0; n < w->planned_len; n++) {
        const struct planned *p = &w->planned[n];
        if (p->fault != fault)
            digest = add(add(digest, p->at), ((uint64_t)p->fault << 8 | p->server) << 8 | p->client);
    }
    if (fault != FAULT_TAIL)
        digest = add(digest, w->tail_permille);
    if (fault != FAULT_CUT)
        digest = add(digest, w->cut_permille);
    return fault == FAULT_RESET ? digest : add(digest, w->resets_in);
}

static void a_class_off_moves_nothing_else(void)
{
    struct options o = options_default;
    for (o.seed = 1; o.seed <= 100; o.seed++)
        for (unsigned f = 0; f < FAULT_CLASSES; f++) {
            o.faults = FAULTS_INSIDE | FAULTS_MISUSE;
            uint64_t all = digest_without(world_make(&o), f);
            o.faults = (FAULTS_INSIDE | FAULTS_MISUSE) & ~FAULT_BIT(f);
            struct world *w = world_make(&o);
            if (digest_without(w, f) != all) {
                world_violation(w, "scenario", "seed %llu without %s is another world",
                                (unsigned long long)o.seed, fault_name(f));
                return;
            }
        }
}

/* ---------------------------------------------------------------- the oracles of the end */

/* It must report a violation, by this oracle. */
static int complains(struct world *w, const char *oracle)
{
    oracle_rest(w);
    int does = w->violation && strcmp(w->violation, oracle) == 0;
    w->violation = NULL;
    return does;
}

static void leftovers_are_found(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, complains(w, "orphan"));
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, !complains(w, "idle"));
    for (int s = 0; s < 3; s++)
        w->host[s].is_frozen = 1;
    scene_begin(w, h, ACQUIRING, 0);
    EXPECT(w, complains(w, "idle"));
}

/* ---------------------------------------------------------------- the oracle of no quorum */

/* Returns 1 if the oracle of results reports a violation, 0 if it reports none. */
static int is_doubted(struct world *w, struct handle *h)
{
    if (w->violation) /* the scenario has failed already */
        return 0;
    oracle_result(w, h, RDL_NO_QUORUM, clock_ms(&w->client[h->client].clock, w->now));
    int is = w->violation && strcmp(w->violation, "truth") == 0;
    w->violation = NULL;
    return is;
}

static void refusals_in_flight_count(void)
{
    struct world *w = scene(2, 3, 1000);
    struct handle *b = scene_lock(w, 1);
    scene_held(w, scene_lock(w, 0));
    for (int s = 0; s < 3; s++)
        w->link[1][s].delay_us = 5 * MS;
    scene_begin(w, b, ACQUIRING, 0);
    EXPECT(w, !is_doubted(w, b)); /* no server has seen it yet */
    scene_go(w, 7);
    EXPECT(w, handle_is_pending(b) && is_doubted(w, b));
    for (int s = 0; s < 3; s++)
        w->link[1][s].delay_us = SECOND; /* the client learns of the reset itself long after the attempt */
    scene_cut(w, 1, 2);
    EXPECT(w, is_doubted(w, b)); /* two are still in flight */
    scene_cut(w, 1, 1);
    EXPECT(w, !is_doubted(w, b));
    scene_cut(w, 1, 0);
    EXPECT(w, scene_wait(w, b) == RDL_NO_QUORUM);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* A majority grants it, and one refuses. */
static void a_missing_token_is_another_reason(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    char hex[2 * RDL_TOKEN_LEN];
    scene_ready(w);
    scene_begin(w, h, ACQUIRING, 0);
    world_run_until(w, w->now + 150); /* executed, and the replies are in flight */
    token_hex(handle_token(h), hex);
    struct token *t = token_find(w, hex, 0);
    EXPECT(w, t && t->granted == 7 && !is_doubted(w, h));
    if (!t)
        return;
    t->granted = 6;
    t->refused = 1;
    EXPECT(w, is_doubted(w, h));
    h->opt.fencing = &rdl_fencing;
    EXPECT(w, !is_doubted(w, h));
    t->granted = 2;
    t->refused = 5;
    EXPECT(w, is_doubted(w, h)); /* without a majority no fencing token can be missing */
}

const struct scenario scenarios_self[] = {
    {.name = "disabling a class of faults changes nothing else", .run = a_class_off_moves_nothing_else},
    {.name = "the oracle finds leftover keys and busy connections", .run = leftovers_are_found},
    {.name = "the oracle doubts NO_QUORUM while refusals are in flight", .run = refusals_in_flight_count},
    {.name = "the oracle accepts NO_QUORUM for a missing fencing token",
     .run = a_missing_token_is_another_reason},
    {.name = NULL},
};
