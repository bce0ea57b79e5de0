/* SPDX-License-Identifier: MIT */
/* Directed scenarios: majorities, contention, and the releases that follow. Rules R24 and R25. */
#include "tests/sim/scene.h"

static void down(struct world *w, int from, int to)
{
    for (int s = from; s < to; s++)
        host_crash(w, (unsigned)s, 1);
}

static void majority_of_the_configured(void)
{
    struct world *w = scene(1, 5, 1000);
    down(w, 2, 5);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_NO_QUORUM);
    scene_go(w, 100);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2);
}

/* For every N: a majority is enough, one fewer is not. */
static void exact_majority(int i)
{
    const int n = 1 + i / 2, missing = i % 2;
    struct world *w = scene(1, n, 1000);
    down(w, n / 2 + 1 - missing, n);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == (missing ? RDL_NO_QUORUM : RDL_OK));
}

/* Half of an even number holds the lock already: as soon as that is known the acquire fails. */
static void even_n_fails_at_once(int i)
{
    const int n = 2 + 2 * i;
    struct world *w = scene(2, n, 10000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    scene_do(w, b, ACQUIRING, 0); /* opens the conns */
    for (int s = n / 2; s < n; s++)
        w->host[s].is_frozen = 1;
    uint64_t start = w->now;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, w->now - start < 5 * MS); /* it did not wait for the frozen half */
}

static void stalled_minority_costs_nothing(void)
{
    struct world *w = scene(1, 5, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 10);
    w->host[3].is_frozen = w->host[4].is_frozen = 1;
    const struct tcp *kept = w->client[0].tcp[4];
    for (int i = 0; i < 10; i++) {
        uint64_t start = w->now;
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, EXTENDING, 10000) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        EXPECT(w, w->now - start < 5 * MS);
    }
    EXPECT(w, w->client[0].tcp[4] == kept); /* closing it would lose its pending releases */
    w->host[3].is_frozen = w->host[4].is_frozen = 0;
    host_serve_all(w, 3);
    host_serve_all(w, 4);
    scene_go(w, 50);
    EXPECT(w, scene_pttl(w, 3) == -2 && scene_pttl(w, 4) == -2);
    scene_rest(w);
}

/* An attempt fails while SETs are unanswered: a release follows each on the same connection. */
static void release_follows_every_set(void)
{
    struct world *w = scene(2, 5, 2000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_do(w, b, ACQUIRING, 0);
    scene_do(w, b, RELEASING, 0);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    host_flush(w, 3); /* b gets these two, and no majority */
    host_flush(w, 4);
    w->host[3].is_frozen = 1;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_BUSY);
    scene_go(w, 1);
    EXPECT(w, scene_pttl(w, 4) == -2);
    w->host[3].is_frozen = 0;
    host_serve_all(w, 3);
    EXPECT(w, scene_pttl(w, 3) == -2); /* at once: the release had arrived already */
    scene_go(w, 5);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

static void single_release_follows_unknown(void)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, 1);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    w->host[0].is_frozen = 1;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_UNKNOWN);
    scene_go(w, 1);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/*
 * A frozen server has the release when the client is gone for good. The release must use a method that this
 * server is sure to know, because no client would read the refusal.
 */
static void last_release_needs_no_reply(int i)
{
    static const struct sim_features no_load = {.version = "7.0.15", .denied = " script "};
    struct world *w = scene(1, 1, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, i % 2);
    if (i >= 2) /* the connection checks do not tell */
        w->host[0].model.features = &no_load;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    w->host[0].is_frozen = 1;
    user_cancel(w, h);
    scene_go(w, 1);
    w->client[0].is_dead = 1;
    if (w->client[0].tcp[0])
        tcp_close(w, w->client[0].tcp[0]);
    scene_go(w, 10);
    w->host[0].is_frozen = 0;
    host_serve_all(w, 0);
    scene_go(w, 1);
    EXPECT(w, scene_pttl(w, 0) == -2);
}

/*
 * A grant that arrives when the lock is held is one more vote: its key is kept, and extended with the others.
 */
static void straggler_is_one_more_vote(void)
{
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    w->link[0][4].delay_us = 15 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 200);
    EXPECT(w, scene_owner(w, 4) == 0);
    host_crash(w, 0, 1);
    host_crash(w, 1, 1); /* now its vote is needed */
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 200);
    EXPECT(w, scene_pttl(w, 4) == -2);
}

/* Every other client can acquire the lock within one attempt after a release. */
static void released_key_is_acquirable(void)
{
    struct world *w = scene(3, 5, 1000);
    for (int i = 0; i < 30; i++) {
        struct handle *h = scene_lock(w, i % 3);
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    }
    for (int i = 0; i < 30; i++) {
        struct handle *h = scene_lock(w, i % 3);
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        user_cancel(w, h);
        scene_go(w, 1);
    }
    scene_rest(w);
}

/* Half of an even number is not a majority: no client holds it, so it is no loss. */
static void half_is_taken(int i)
{
    const int stolen = 1 + i;
    struct world *w = scene(2, 4, 1000);
    struct handle *a = scene_lock(w, 0);
    scene_held(w, a);
    scene_go(w, 10);
    for (int s = 0; s < stolen; s++)
        host_flush(w, (unsigned)s);
    scene_begin(w, scene_lock(w, 1), ACQUIRING, 0);
    world_run_until(w, w->now + 150); /* its SETs have arrived, and it has no reply yet */
    EXPECT(w, scene_owner(w, 0) == 1 && scene_owner(w, 3) == 0);
    static const int results[] = {0, RDL_OK, RDL_EXPIRED, RDL_LOST};
    w->client[1].paused_until = w->now + 20 * MS;
    EXPECT(w, scene_do(w, a, RELEASING, 0) == results[stolen]);
}

static void cancel_at_every_moment(int i)
{
    const uint32_t us = (uint32_t)(10 * i);
    struct world *w = scene(2, 3, 1000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_one_server(w, i % 2);
    scene_begin(w, a, ACQUIRING, 0);
    world_run_until(w, w->now + us);
    user_cancel(w, a);
    EXPECT(w, scene_left(w, a) == 0);
    scene_go(w, 5);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2 && scene_pttl(w, 2) == -2);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
    scene_rest(w);
}

static void refusal_is_reported_at_once(void)
{
    struct world *w = scene(2, 5, 10000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
    uint64_t start = w->now;
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, w->now - start < 1 * MS);
}

/* The dead servers refuse connections at once, or are frozen. */
static void dead_minority(struct world *w, int n, int dead, int are_frozen)
{
    for (int s = n - dead; s < n; s++)
        if (are_frozen)
            w->host[s].is_frozen = 1;
        else
            host_crash(w, (unsigned)s, 1);
    scene_go(w, 5);
}

/* Whatever N and the order of the replies: busy, not "too few servers could be reached". */
static void busy_though_a_minority_is_dead(void)
{
    for (int n = 3; n <= 7; n++)
        for (int dead = 1; dead < n - n / 2; dead++)
            for (int are_frozen = 0; are_frozen < 2; are_frozen++) {
                struct world *w = scene(2, n, 10000);
                scene_ready(w);
                for (int s = 0; s < n; s++)
                    w->link[1][s].delay_us = 100 + 50 * (uint32_t)s;
                EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
                scene_go(w, 10);
                dead_minority(w, n, dead, are_frozen);
                uint64_t start = w->now;
                for (int i = 0; i < 20; i++)
                    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
                EXPECT(w, w->now - start < 20 * MS * 2); /* no wait for the dead */
                if (w->violation)
                    return;
            }
}

/* Two refuse, the fourth is down: a grant of the others is released before its reply arrives. */
static void released_before_the_result(void)
{
    struct world *w = scene(2, 5, 10000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_held(w, a);
    scene_go(w, 10);
    dead_minority(w, 5, 1, 0);
    host_flush(w, 2);
    host_flush(w, 3); /* b would get these two */
    w->link[1][2].delay_us = w->link[1][3].delay_us = 20 * MS;
    scene_begin(w, b, ACQUIRING, 0);
    scene_go(w, 25);
    EXPECT(w, handle_is_pending(b));
    EXPECT(w, scene_owner(w, 2) == -1 && scene_owner(w, 3) == -1);
    EXPECT(w, scene_wait(w, b) == RDL_BUSY);
}

/* A script that was unknown is not sent again after the release of its attempt. */
static void failed_attempt_resends_nothing(void)
{
    struct world *w = scene(2, 5, 10000);
    struct handle *b = scene_lock(w, 1);
    scene_ready(w);
    b->opt.fencing = &rdl_fencing;
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_BUSY); /* by EVALSHA from here on */
    scene_go(w, 10);
    for (int s = 0; s < 5; s++)
        scene_forget_script(w, s, &rdl_script_acquire); /* the release's script is still known */
    dead_minority(w, 5, 1, 0);
    host_flush(w, 3);
    w->link[1][2].delay_us = 30 * MS;
    w->link[1][3].delay_us = 20 * MS;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) < 0);
    scene_go(w, 200);
    EXPECT(w, scene_owner(w, 3) == -1);
}

/*
 * One of two is cut off, the other has forgotten the script: that does not make it a server without scripts.
 */
static void noscript_at_the_last_try(int i)
{
    const int n = 2 + 2 * i;
    struct world *w = scene(2, n, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    h->opt.fencing = scene_lock(w, 1)->opt.fencing = &rdl_fencing;
    w->is_fenced = 1;
    h->opt.lease.wait_ms = 5000;
    h->opt.lease.retry_ms = 50;
    for (int k = 0; k < 2; k++) { /* by EVALSHA from here on */
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        scene_go(w, 10);
    }
    for (int s = n / 2; s < n; s++) {
        w->host[s].model.scripts = 0;
        w->link[0][s].delay_us = 20 * MS;
    }
    if (n == 4)
        EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    for (int s = 2; s < n; s++)
        host_flush(w, (unsigned)s);
    scene_begin(w, h, ACQUIRING, 0);
    scene_cut(w, 0, 0);
    scene_go(w, 60);
    EXPECT(w, handle_is_pending(h)); /* and not RDL_E_UNSUPPORTED */
    if (n == 4)
        EXPECT(w, scene_do(w, scene_lock(w, 1), RELEASING, 0) != RDL_PENDING);
    EXPECT(w, scene_wait(w, h) == RDL_OK);
}

/* The clients want it all the time. Returns how often it was acquired in this time. */
static int turns(struct world *w, uint32_t ms)
{
    uint64_t end = w->now + ms * MS;
    int n = 0;
    while (w->now < end && !w->violation) {
        for (int c = 0; c < w->clients; c++) {
            struct handle *h = scene_lock(w, c);
            if (handle_is_pending(h))
                continue;
            n += h->state == HELD;
            EXPECT(w, h->state == HELD || h->result == RDL_OK); /* no acquire fails */
            user_begin(w, h, h->state == HELD ? RELEASING : ACQUIRING, 0);
        }
        world_run_until(w, w->now + MS);
    }
    return n;
}

/* Their votes split, and a minority is dead: they get majorities nevertheless. */
static void dead_minority_and_contention(int i)
{
    int n = i < 2 ? 3 : 5, are_frozen = i % 2;
    struct world *w = scene(6, n, 10000);
    scene_ready(w);
    for (int c = 0; c < 6; c++) {
        scene_lock(w, c)->opt.lease.wait_ms = 60000;
        scene_lock(w, c)->opt.lease.retry_ms = 4;
        for (int s = 0; s < n; s++) /* each client has another nearest server */
            w->link[c][s].delay_us = 100 + 100 * (uint32_t)((s + c) % n);
    }
    int before = turns(w, 1000);
    dead_minority(w, n, n / 2, are_frozen);
    int after = turns(w, 1000);
    EXPECT(w, before > 100 && after > (are_frozen ? 20 : before / 4));
}

/* Waiting for a lock takes little longer than the holder's remaining time. */
static void waiting_uses_what_the_holder_has_left(void)
{
    struct world *w = scene(2, 5, 400);
    struct handle *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    w->client[0].is_dead = 1;
    b->opt.lease.wait_ms = 5000;
    b->opt.lease.retry_ms = 400;
    uint64_t start = w->now;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, w->now - start < 460 * MS); /* clients that wait for it spread over 50 ms */
}

static void waiting_ends_by_its_deadline(void)
{
    struct world *w = scene(2, 3, 2000);
    struct handle *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    b->opt.lease.wait_ms = 300;
    b->opt.lease.retry_ms = 20;
    uint64_t start = w->now;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, w->now - start >= 280 * MS && w->now - start <= 301 * MS);
    for (int s = 0; s < 3; s++)
        w->host[s].is_frozen = 1;
    start = w->now;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) < 0);
    EXPECT(w, w->now - start <= 301 * MS);
}

/* The pause is over and no server is connected: it waits for the conns and does not poll. */
static void waiting_for_conns_does_not_spin(void)
{
    struct world *w = scene(2, 3, 5000);
    struct handle *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    b->opt.lease.wait_ms = 2000;
    b->opt.lease.retry_ms = 50;
    scene_begin(w, b, ACQUIRING, 0);
    scene_go(w, 5);
    for (int s = 0; s < 3; s++) {
        w->host[s].blackhole_until = NEVER / 2;
        scene_cut(w, 1, s);
    }
    uint64_t events = w->counts.events;
    EXPECT(w, scene_wait(w, b) < 0);
    EXPECT(w, w->counts.events - events < 300);
}

/* The handle is reused right after it was canceled: the conns alone release what it held. */
static void cancelled_and_reused(void)
{
    struct world *w = scene(1, 3, 5000);
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    user_cancel(w, h);
    handle_init(w, h);
    scene_go(w, 10);
    for (int s = 0; s < 3; s++)
        EXPECT(w, scene_pttl(w, s) == -2);
    scene_rest(w);
}

const struct scenario scenarios_quorum[] = {
    {.name = "a majority of the connected is not a majority", .run = majority_of_the_configured},
    {.name = "a majority is N/2 + 1 for every N", .run_each = exact_majority, .times = 14},
    {.name = "an acquire fails at once if half of an even N refuses",
     .run_each = even_n_fails_at_once,
     .times = 3},
    {.name = "a stalled minority costs nothing and keeps its connection",
     .run = stalled_minority_costs_nothing},
    {.name = "a release follows every SET of a failed attempt", .run = release_follows_every_set},
    {.name = "a release follows an unanswered SET (one server)", .run = single_release_follows_unknown},
    {.name = "the last release needs no reply", .run_each = last_release_needs_no_reply, .times = 4},
    {.name = "a straggler is one more vote", .run = straggler_is_one_more_vote},
    {.name = "a released lock can be acquired within one attempt", .run = released_key_is_acquirable},
    {.name = "a lock is not lost if another client has half of N", .run_each = half_is_taken, .times = 3},
    {.name = "cancel leaves no key, whenever it is called", .run_each = cancel_at_every_moment, .times = 140},
    {.name = "cancel releases even if the handle is reused at once", .run = cancelled_and_reused},
    {.name = "a refusal is reported at once", .run = refusal_is_reported_at_once},
    {.name = "a held lock is busy though a minority is down", .run = busy_though_a_minority_is_dead},
    {.name = "an attempt that cannot win releases before it returns", .run = released_before_the_result},
    {.name = "nothing is resent while an attempt waits for its result",
     .run = failed_attempt_resends_nothing},
    {.name = "NOSCRIPT at the last try does not mean no scripts",
     .run_each = noscript_at_the_last_try,
     .times = 2},
    {.name = "contending clients make progress with a dead minority",
     .run_each = dead_minority_and_contention,
     .times = 4},
    {.name = "waiting uses the time that the holder has left", .run = waiting_uses_what_the_holder_has_left},
    {.name = "waiting for connections does not spin", .run = waiting_for_conns_does_not_spin},
    {.name = "waiting ends by its deadline", .run = waiting_ends_by_its_deadline},
    {.name = NULL},
};
