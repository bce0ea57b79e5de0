/* SPDX-License-Identifier: MIT */
/* Directed scenarios: programs that use only the blocking calls, and step nothing between. Rule R29. */
#include "tests/sim/scene.h"

/* The last server is so far away that it answers after each call. */
static struct world *with_a_far_server(void)
{
    struct world *w = scene(1, 3, 1000);
    w->opt.is_blocking = 1;
    w->link[0][2].delay_us = 15 * MS;
    return w;
}

static void renew(struct world *w, struct handle *h)
{
    scene_go(w, 200);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
}

/* The first extend lets it connect, the second queries its key, the third puts the key there. */
static void last_server_gets_the_key(void)
{
    struct world *w = with_a_far_server();
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int i = 0; i < 3; i++) {
        EXPECT(w, scene_owner(w, 2) == -1);
        renew(w, h);
    }
    scene_go(w, 100);
    EXPECT(w, scene_owner(w, 2) == 0);
    for (int i = 0; i < 2; i++)
        renew(w, h);
    EXPECT(w, w->client[0].conn[2].rtt_is_bound); /* no call has waited for it: it is read by the next one */
    host_crash(w, 0, 1);                          /* the lease goes on with the two others */
    for (int i = 0; i < 4; i++) {
        scene_go(w, 200);
        scene_do(w, h, EXTENDING, 1000);
    }
    EXPECT(w, scene_left(w, h) > 900);
    EXPECT(w, !w->client[0].conn[2].rtt_is_bound && w->client[0].conn[2].rtt_ms < 40);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

static void lost_key_is_put_back_by_the_second_extend(void)
{
    struct world *w = with_a_far_server();
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    scene_go(w, 100);
    EXPECT(w, scene_owner(w, 2) == 0);
    host_command(w, 2, "DEL nightly\r\n");
    renew(w, h);
    scene_go(w, 100);
    EXPECT(w, scene_owner(w, 2) == -1);
    renew(w, h);
    scene_go(w, 100);
    EXPECT(w, scene_owner(w, 2) == 0);
    scene_rest(w);
}

/* The last extend was not confirmed: the lock may be another client's. */
static void nothing_is_put_back_without_a_majority(void)
{
    struct world *w = with_a_far_server();
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    scene_go(w, 100);
    host_command(w, 2, "DEL nightly\r\n");
    w->link[0][0].down_blocked = w->now + 700 * MS;
    for (int i = 0; i < 2; i++) {
        scene_go(w, 200);
        EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_UNKNOWN);
    }
    scene_go(w, 50);
    EXPECT(w, scene_owner(w, 2) == -1);
    scene_rest(w);
}

/* The program is stopped while its connections open. The replies to its next request are measured. */
static void a_pause_is_no_round_trip(int single)
{
    struct world *w = scene(1, 3, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    for (int s = 0; s < 3; s++)
        rdl_conn_tick(&w->client[0].conn[s], clock_ms(&w->client[0].clock, w->now));
    client_wake(w, 0, w->now);
    scene_go(w, 1);
    w->client[0].paused_until = w->now + 1500 * MS;
    scene_go(w, 1500);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, w->client[0].conn[0].rtt_ms < 10 && !w->client[0].conn[0].rtt_is_bound);
    scene_rest(w);
}

/* The program is stopped again, for longer, while the reply to that request arrives. */
static void a_longer_pause_is_no_round_trip_either(int single)
{
    struct world *w = scene(1, 3, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    struct client *c = &w->client[0];
    for (int s = 0; s < 3; s++)
        rdl_conn_tick(&c->conn[s], clock_ms(&c->clock, w->now));
    client_wake(w, 0, w->now);
    scene_go(w, 1);
    c->paused_until = w->now + 500 * MS;
    scene_go(w, 500);
    EXPECT(w, handle_acquire(w, h) == RDL_PENDING && c->conn[0].rtt_is_bound);
    uint32_t bound_ms = c->conn[0].rtt_ms;
    c->paused_until = w->now + 1000 * MS;
    scene_go(w, 1100);
    EXPECT(w, c->conn[0].rtt_is_bound && c->conn[0].rtt_ms == bound_ms);
    for (int i = 0; i < 3; i++) /* a reply that comes after those of a majority is not waited for */
        EXPECT(w, scene_do(w, h, EXTENDING, 10000) == RDL_OK);
    EXPECT(w, c->conn[0].rtt_ms < 10 && !c->conn[0].rtt_is_bound);
    scene_rest(w);
}

/* An operation ends before anything is sent. Only the next one opens the connections, after a pause. */
static void a_step_that_spans_two_operations_is_no_round_trip(int single)
{
    struct world *w = scene(1, 3, 10000);
    scene_one_server(w, single);
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, handle_acquire(w, h) == RDL_PENDING);
    handle_cancel(w, h);
    w->client[0].paused_until = w->now + 1500 * MS;
    scene_go(w, 1500);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, w->client[0].conn[0].rtt_ms < 10 && !w->client[0].conn[0].rtt_is_bound);
    scene_rest(w);
}

static struct handle *one_attempt(struct world *w, int single)
{
    scene_one_server(w, single);
    w->opt.is_blocking = !single;
    return scene_lock(w, 0);
}

/* The servers end the connections during the handshake, and between two calls. */
static void lost_handshake_is_tried_again(int single)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = one_attempt(w, single);
    h->opt.lease.wait_ms = h->opt.lease.retry_ms = 20;
    for (int s = 0; s < 3; s++)
        w->host[s].is_frozen = 1;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
    for (int s = 0; s < (single ? 1 : 3); s++) {
        scene_cut(w, 0, s);
        w->host[s].is_frozen = 0;
    }
    scene_go(w, 3000);
    h->opt.lease.wait_ms = 0;
    uint64_t begun = w->now;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, w->now - begun < MS); /* the pause was over */
    scene_rest(w);
}

/* All servers were down for a while, so the connections pause for long; then they are up. */
static void one_attempt_waits_for_a_pause(int single)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = one_attempt(w, single);
    for (int s = 0; s < 3; s++)
        host_crash(w, (unsigned)s, 1);
    for (int i = 0; i < 12; i++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0); /* each tries to connect */
        scene_go(w, 1);
    }
    for (int s = 0; s < 3; s++)
        host_start(w, (unsigned)s, HOST_ALL);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_rest(w);
}

/* Both servers restarted, and one replies late. */
static void quarantines_begin_together(void)
{
    struct world *w = scene(1, 2, 1000);
    struct handle *h = one_attempt(w, 0);
    scene_guard(w, RDL_GUARD_REQUIRED, 3000);
    for (unsigned s = 0; s < 2; s++) {
        host_crash(w, s, 1);
        host_start(w, s, HOST_ALL);
    }
    w->host[1].is_frozen = 1;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 300);
    w->host[1].is_frozen = 0;
    EXPECT(w, scene_wait(w, h) == RDL_E_QUARANTINE);
    scene_go(w, 4000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_rest(w);
}

const struct scenario scenarios_blocking[] = {
    {.name = "blocking extends put the key on the server that answers last", .run = last_server_gets_the_key},
    {.name = "a lost key is put back by the second blocking extend",
     .run = lost_key_is_put_back_by_the_second_extend},
    {.name = "a blocking extend puts nothing back without a majority",
     .run = nothing_is_put_back_without_a_majority},
    {.name = "a pause of the program is no round trip", .run_each = a_pause_is_no_round_trip, .times = 2},
    {.name = "nor is a longer one that follows",
     .run_each = a_longer_pause_is_no_round_trip_either,
     .times = 2},
    {.name = "a login step that spans two operations is no round trip",
     .run_each = a_step_that_spans_two_operations_is_no_round_trip,
     .times = 2},
    {.name = "a handshake that was lost between two calls is tried again",
     .run_each = lost_handshake_is_tried_again,
     .times = 2},
    {.name = "one attempt waits for the rest of a pause",
     .run_each = one_attempt_waits_for_a_pause,
     .times = 2},
    {.name = "the quarantines of two servers begin with one call", .run = quarantines_begin_together},
    {.name = NULL}};
