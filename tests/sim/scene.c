/* SPDX-License-Identifier: MIT */
/* What directed scenarios have in common, and the function that runs them. */
#include "tests/sim/scene.h"

#include <stdio.h>
#include <string.h>

int scene_trace;
int scene_first;
const char *scene_plot;

struct world *scene(int clients, int servers, uint32_t ttl_ms)
{
    struct options o = options_default;
    o.seed = 1;
    o.faults = 0;
    o.clients = clients;
    o.servers = servers;
    o.ttl_ms = (int)ttl_ms;
    o.is_single = 0;
    o.is_scripted = 1;
    o.trace = scene_trace;
    o.is_plotted = scene_plot != NULL;
    struct world *w = world_make(&o);
    w->ttl_ms = w->max_ttl_ms = ttl_ms;
    for (int c = 0; c < clients; c++) {
        for (int s = 0; s < servers; s++) {
            w->link[c][s] = (struct link){.delay_us = 100};
            w->client[c].cfg[s].connect_ms = 0;
        }
        w->client[c].handle[0].opt.max_ttl_ms = UINT32_MAX;
        w->client[c].handle[0].opt.lease = (struct rdl_lock_options){.ttl_ms = ttl_ms};
    }
    if (o.trace)
        report_world(w);
    return w;
}

struct handle *scene_lock(struct world *w, int client)
{
    return &w->client[client].handle[0];
}

void scene_one_server(struct world *w, int single)
{
    w->is_single = single;
    for (int c = 0; single && c < w->clients; c++) {
        scene_lock(w, c)->is_single = 1;
        handle_init(w, scene_lock(w, c));
    }
}

void scene_hints(struct world *w)
{
    w->conns = w->servers + 1;
    for (int c = 0; c < w->clients; c++) {
        client_conn(w, &w->client[c], (unsigned)w->servers);
        w->client[c].tcp[w->servers] = NULL;
        w->client[c].cfg[w->servers].connect_ms = 0;
        scene_lock(w, c)->hint_use = HINT_WAITS;
        handle_init(w, scene_lock(w, c));
    }
}

void scene_guard(struct world *w, enum rdl_guard guard, uint32_t max_ttl_ms)
{
    w->guard = (uint8_t)guard;
    w->max_ttl_ms = max_ttl_ms;
    for (int c = 0; c < w->clients; c++) {
        scene_lock(w, c)->opt.guard = (uint8_t)guard;
        scene_lock(w, c)->opt.max_ttl_ms = max_ttl_ms;
    }
}

void scene_features(struct world *w, const struct sim_features *features)
{
    for (int s = 0; s < w->servers; s++)
        w->host[s].model.features = features;
}

void scene_begin(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms)
{
    world_run_until(w, w->now); /* what is due now comes first */
    if (w->violation || handle_is_pending(h))
        return; /* the scenario has failed already */
    user_begin(w, h, op, ttl_ms);
    world_run_until(w, w->now);
}

int scene_wait(struct world *w, struct handle *h)
{
    uint64_t limit = w->now + 60 * SECOND;
    while (handle_is_pending(h) && w->now < limit && !w->violation)
        world_run_until(w, w->now + 50);
    EXPECT(w, !handle_is_pending(h));
    return h->result;
}

int scene_do(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms)
{
    scene_begin(w, h, op, ttl_ms);
    return scene_wait(w, h);
}

void scene_ready(struct world *w)
{
    for (int c = 0; c < w->clients; c++)
        for (int i = 0; i < 3; i++) {
            EXPECT(w, scene_do(w, scene_lock(w, c), ACQUIRING, 0) == RDL_OK);
            scene_go(w, 50);
            EXPECT(w, scene_do(w, scene_lock(w, c), EXTENDING, w->ttl_ms) == RDL_OK);
            scene_go(w, 50);
            EXPECT(w, scene_do(w, scene_lock(w, c), RELEASING, 0) == RDL_OK);
            scene_go(w, 50);
        }
}

void scene_held(struct world *w, struct handle *h)
{
    scene_ready(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
}

void scene_cut(struct world *w, int client, int server)
{
    struct tcp *t = w->client[client].tcp[server];
    EXPECT(w, t != NULL);
    if (t)
        tcp_reset(w, t);
}

void scene_go(struct world *w, uint32_t ms)
{
    world_run_until(w, w->now + ms * MS);
}

void scene_fill(struct world *w, int server)
{
    static const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1},
                                             {NULL, 0},       UINT64_MAX,   0};
    while (rdl_conn_submit(&w->client[0].conn[server], NULL, &other) == RDL_OK) {
    }
}

static struct sim_key *key_on(struct world *w, int s)
{
    struct sim_arg name = {(const uint8_t *)lock_name(0), strlen(lock_name(0))};
    struct host *h = &w->host[s];
    return sim_server_find(&h->model, 0, name, clock_ms(&h->clock, w->now));
}

int scene_owner(struct world *w, int s)
{
    struct sim_key *k = key_on(w, s);
    for (int c = 0; k && c < w->clients; c++) {
        char hex[2 * RDL_TOKEN_LEN];
        token_hex(handle_token(scene_lock(w, c)), hex);
        if (k->value_len == sizeof hex && memcmp(k->value, hex, sizeof hex - 8) == 0)
            return c; /* whichever attempt set it */
    }
    return -1;
}

int64_t scene_pttl(struct world *w, int s)
{
    struct sim_key *k = key_on(w, s);
    if (!k)
        return -2;
    return k->expire_ms == 0 ? -1 : (int64_t)(k->expire_ms - clock_ms(&w->host[s].clock, w->now));
}

uint32_t scene_left(struct world *w, const struct handle *h)
{
    return handle_remaining_ms(h, clock_ms(&w->client[h->client].clock, w->now));
}

void scene_rest(struct world *w)
{
    scene_go(w, 100);
    for (int c = 0; c < w->clients; c++)
        if (scene_lock(w, c)->state != IDLE)
            user_cancel(w, scene_lock(w, c));
    scene_go(w, 3000);
    if (!w->violation)
        oracle_rest(w);
}

static int run(const struct scenario *s)
{
    struct world *w = world_get();
    if (scene_trace)
        printf("---- %s\n", s->name);
    if (s->run != NULL)
        s->run();
    for (int k = 0; k < s->times && (k == 0 || !w->violation); k++)
        s->run_each(k);
    if (scene_plot && plot_write(w, s->name, scene_plot) != 0)
        return 1;
    int is_expected = s->kind == SCENE  ? !w->violation
                      : s->kind == OPEN ? w->violation != NULL
                                        : w->violation && strcmp(w->violation, "exclusion") == 0;
    if (!is_expected) {
        printf("FAIL %s: %s: %s\n", s->name, w->violation ? w->violation : "no violation",
               w->violation      ? w->violation_text
               : s->kind == OPEN ? "fixed? make it a SCENE"
                                 : "but one had to be shown");
        return 1;
    }
    static const char *const head[] = {"ok   ",
                                       "ok   must break, and does: ", "OPEN known and not fixed yet: "};
    printf("%s%s\n", head[s->kind], s->name);
    return 0;
}

int scenarios_run(const char *text)
{
    const struct scenario *const lists[] = {
        scenarios_lease,  scenarios_quorum,  scenarios_net,      scenarios_guard, scenarios_certainty,
        scenarios_fence,  scenarios_canary,  scenarios_adopt,    scenarios_hint,  scenarios_control,
        scenarios_self,   scenarios_stalled, scenarios_memory,   scenarios_again, scenarios_misuse,
        scenarios_branch, scenarios_long,    scenarios_blocking, scenarios_slots};
    int failed = 0, n = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const struct scenario *s = lists[i]; s->name; s++)
            if ((!text || strstr(s->name, text)) && !(scene_first && failed)) {
                failed += run(s);
                n++;
            }
    printf("%d scenarios, %d failed\n", n, failed);
    return failed + (n == 0);
}

void scene_forget_script(struct world *w, int s, const struct rdl_script *script)
{
    struct sim_server *m = &w->host[s].model;
    int kept = 0;
    for (int i = 0; i < m->scripts; i++)
        if (memcmp(m->script[i]->sha, script->sha, 40) != 0)
            m->script[kept++] = m->script[i];
    m->scripts = (uint8_t)kept;
}
