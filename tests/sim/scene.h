/* SPDX-License-Identifier: MIT */
/* scene.h - directed scenarios: a still world and the words to act in it. */
#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include "tests/sim/sim.h"

enum scenario_kind {
    SCENE,   /* must hold */
    CONTROL, /* outside the assumptions: exclusion must break */
    OPEN     /* shows a bug that is known and not yet mended; must fail until it is */
};

struct scenario {
    const char *name; /* the property it shows */
    void (*run)(void);
    int kind; /* enum scenario_kind */
};

extern const struct scenario scenarios_lease[], scenarios_quorum[], scenarios_net[], scenarios_guard[],
    scenarios_certainty[], scenarios_canary[], scenarios_adopt[], scenarios_hint[], scenarios_control[],
    scenarios_self[], scenarios_stalled[], scenarios_memory[], scenarios_again[];

/* Run those whose name contains the text (NULL: all); how many failed. */
int scenarios_run(const char *text);

/* For scenarios: a still world, 100 us away from everything, in which nobody acts by himself. */
struct world *scene(int clients, int servers, uint32_t ttl_ms);
extern int scene_trace;
extern const char *scene_plot; /* where the picture of the last one goes; NULL: nowhere */
struct handle *scene_lock(struct world *w, int client);
/* With single the locks are those of lock/, on the first server. */
void scene_one_server(struct world *w, int single);
/* All wait with hints and tell. */
void scene_hints(struct world *w);
/* All have this restart guard. */
void scene_guard(struct world *w, enum rdl_guard guard, uint32_t max_ttl_ms);
/* Begin it, and let the world go on until it is over, at most for so long; the result. */
int scene_do(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms);
void scene_begin(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms);
int scene_wait(struct world *w, struct handle *h);
/* Every client is connected to every server and knows its ways. */
void scene_ready(struct world *w);
/* Reset the connection between them. */
void scene_cut(struct world *w, int client, int server);
void scene_go(struct world *w, uint32_t ms);
/* What server s holds under the first name: the client that set it, or -1; and its PTTL. */
int scene_owner(struct world *w, int s);
int64_t scene_pttl(struct world *w, int s);
uint32_t scene_left(struct world *w, const struct handle *h);
/* Nobody wants anything any more: all is idle and nothing remains. */
void scene_rest(struct world *w);
#define EXPECT(w, cond)                                                                                      \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            world_violation(w, "scenario", "%s:%d: %s", __FILE__, __LINE__, #cond);                          \
    } while (0)

/* A script cache that is full forgets the oldest, one by one. */
void scene_forget_script(struct world *w, int s, const struct rdl_script *script);

#endif
