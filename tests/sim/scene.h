/* SPDX-License-Identifier: MIT */
/* scene.h - directed scenarios: a world without faults, and functions to act in it. */
#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include "lock/lock_commands.h"
#include "tests/sim/sim.h"

enum scenario_kind {
    SCENE,   /* must hold */
    CONTROL, /* outside the assumptions: exclusion must break */
    OPEN     /* shows a known bug that is not fixed yet; must fail until it is */
};

struct scenario {
    const char *name; /* the property it shows */
    void (*run)(void);
    int kind;                /* enum scenario_kind */
    void (*run_each)(int k); /* instead of run, until one breaks the property */
    int times;               /* so often, with k from 0 */
};

extern const struct scenario scenarios_lease[], scenarios_quorum[], scenarios_net[], scenarios_guard[],
    scenarios_certainty[], scenarios_fence[], scenarios_canary[], scenarios_adopt[], scenarios_hint[],
    scenarios_control[], scenarios_self[], scenarios_stalled[], scenarios_memory[], scenarios_again[],
    scenarios_misuse[], scenarios_branch[], scenarios_long[], scenarios_blocking[], scenarios_slots[];

/* Run those whose name contains the text (NULL: all). Returns how many failed. */
int scenarios_run(const char *text);

/* For scenarios: a world without faults, all links 100 us long, in which no user acts by itself. */
struct world *scene(int clients, int servers, uint32_t ttl_ms);
extern int scene_trace;
extern int scene_first;        /* 1: end with the first scenario that fails */
extern const char *scene_plot; /* file for the picture of the last scenario; NULL: none */
struct handle *scene_lock(struct world *w, int client);
/* If single, the locks are those of lock/, on the first server. */
void scene_one_server(struct world *w, int single);
/* All clients wait with hints and send hints. */
void scene_hints(struct world *w);
/* All clients use this restart guard. */
void scene_guard(struct world *w, enum rdl_guard guard, uint32_t max_ttl_ms);
/* All servers are of this kind. */
void scene_features(struct world *w, const struct sim_features *features);
/* Begin the operation and run the world until it ends, at most this long. Returns the result. */
int scene_do(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms);
void scene_begin(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms);
int scene_wait(struct world *w, struct handle *h);
/* Every client is connected to every server and knows its methods. */
void scene_ready(struct world *w);
/* As scene_ready; then this handle acquires its lock. */
void scene_held(struct world *w, struct handle *h);
/* Reset the connection between them. */
void scene_cut(struct world *w, int client, int server);
void scene_go(struct world *w, uint32_t ms);
/* Other locks take all the room in this queue of the first client. */
void scene_fill(struct world *w, int server);
/* The key with the first name on server s: the client that set it, or -1; and its PTTL. */
int scene_owner(struct world *w, int s);
int64_t scene_pttl(struct world *w, int s);
uint32_t scene_left(struct world *w, const struct handle *h);
/* No client wants anything any more: all connections are idle and no key is left. */
void scene_rest(struct world *w);
#define EXPECT(w, cond)                                                                                      \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            world_violation(w, "scenario", "%s:%d: %s", __FILE__, __LINE__, #cond);                          \
    } while (0)

/* A script cache that is full forgets the oldest, one by one. */
void scene_forget_script(struct world *w, int s, const struct rdl_script *script);

#endif
