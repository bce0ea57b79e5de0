/* SPDX-License-Identifier: MIT */
/* Directed scenarios: what is put back, limits of a hold, who is asked first, numbers over N servers. */
#include "lock/lock_op.h"
#include "tests/sim/scene.h"

#include <string.h>

static void flush_servers(struct world *w, int from, int to)
{
    for (int s = from; s < to; s++)
        sim_server_flush(&w->host[s].model);
}

/* ---------------------------------------------------------------- repair */

/* Three of five have it, the fourth had not; one extend later it has. */
static struct world *fourth_is_repaired(int accepts_gap)
{
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    h->opt.accept_gap = (uint8_t)accepts_gap;
    w->accepts_gap = accepts_gap;
    host_crash(w, 3, 1);
    host_crash(w, 4, 1);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 200); /* too late for the acquire */
    host_start(w, 3, 0);
    scene_go(w, 600); /* it connects again */
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) >= 0);
    scene_go(w, 10);
    EXPECT(w, scene_owner(w, 3) == 0);
    return w;
}

static void repaired_vote_counts_later(void)
{
    struct world *w = fourth_is_repaired(0);
    struct handle *h = scene_lock(w, 0);
    flush_servers(w, 2, 3); /* 0, 1 and 3 have it, and it may have been another's in between */
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_E_GAP);
    EXPECT(w, scene_left(w, h) == 0);
    scene_go(w, 10);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 3) == -2);
    if (w->violation)
        return;

    w = fourth_is_repaired(0);
    h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK); /* 0, 1 and 2 vouch for the time between */
    flush_servers(w, 2, 3);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) >= 0);
    EXPECT(w, scene_left(w, h) > 1900);
}

static void gap_may_be_accepted(void)
{
    struct world *w = fourth_is_repaired(1);
    struct handle *h = scene_lock(w, 0);
    flush_servers(w, 2, 3);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_HELD_WITH_GAP);
    EXPECT(w, scene_left(w, h) > 1900);
}

/* Two have lost it, three are silent: who knows whose it is now. */
static void nothing_is_restored_unconfirmed(void)
{
    struct world *w = scene(1, 5, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    flush_servers(w, 0, 2);
    for (int s = 2; s < 5; s++)
        w->host[s].is_frozen = 1;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_UNKNOWN);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2);
}

static void straggler_is_repaired_afterwards(void)
{
    struct world *w = scene(1, 5, 4000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 100);
    flush_servers(w, 4, 5);
    w->link[0][4].delay_us = 15 * MS;
    EXPECT(w, scene_do(w, h, EXTENDING, 4000) == RDL_OK);
    EXPECT(w, scene_pttl(w, 4) == -2);
    scene_go(w, 200);
    EXPECT(w, scene_owner(w, 4) == 0);
}

/* Two of three have granted it and one forgets it; that the third has it too is heard behind its release. */
static void unanswered_grant_is_waited_for(void)
{
    struct world *w = scene(1, 3, 4000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    w->link[0][2].delay_us = 15 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    flush_servers(w, 1, 2);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* Confirmed late; what is put back on a silent server is waited for, but no longer than the lease lasts. */
static void extend_ends_with_its_lease(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    h->opt.lease.attempt_ms = 250;
    scene_ready(w);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 100);
    sim_server_flush(&w->host[2].model);
    uint64_t over = w->now + 1000 * MS;
    scene_begin(w, h, EXTENDING, 1000);
    w->client[0].paused_until = w->now + 850 * MS; /* what it reads then came before */
    scene_go(w, 10);
    w->host[2].is_frozen = 1;
    scene_wait(w, h);
    EXPECT(w, w->now < over);
}

/* The fifth connects when four have granted already: it is asked too. */
static void late_connection_gets_its_set(void)
{
    struct world *w = scene(1, 5, 4000);
    struct handle *h = scene_lock(w, 0);
    w->link[0][4].delay_us = 20 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_pttl(w, 4) == -2);
    scene_go(w, 300);
    EXPECT(w, scene_owner(w, 4) == 0);
}

/* ---------------------------------------------------------------- limits */

static void limits_are_enforced(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    h->opt.max_hold_ms = 2500;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int i = 0; i < 2; i++) {
        scene_go(w, 700);
        EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    }
    scene_go(w, 700);
    uint64_t until = handle_until_ms(h);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_E_CAP);
    EXPECT(w, handle_until_ms(h) == until);
    scene_do(w, h, RELEASING, 0);
    if (w->violation)
        return;

    w = scene(1, 3, 1000);
    h = scene_lock(w, 0);
    h->opt.max_extensions = 2;
    h->opt.max_ttl_ms = 1000;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1001) == RDL_E_TTL); /* the guards of all count on it */
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_E_CAP);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
}

/* Who adopts a lease does not know how long it is; it may be longer than what he asks for. */
static void adopting_does_not_shorten(void)
{
    static const struct sim_features kinds[] = {{.version = "7.0.15"},
                                                {.version = "7.0.15", .no_scripts = 1}};
    for (int i = 0; i < 2; i++) {
        struct world *w = scene(1, 3, 5000);
        struct handle *h = scene_lock(w, 0);
        char hex[RDL_TOKEN_TEXT_MAX];
        for (int s = 0; s < 3; s++)
            w->host[s].model.features = &kinds[i];
        w->has_other_servers = i > 0;
        h->opt.lease.attempt_ms = 50;
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        scene_go(w, 50);
        rdl_redlock_token(&h->m->redlock, hex);
        handle_init(w, h);
        EXPECT(w, rdl_redlock_adopt(&h->m->redlock, hex, strlen(hex)) == RDL_OK);
        h->state = HELD;
        EXPECT(w, scene_do(w, h, EXTENDING, 400) == RDL_ADOPTED);
        EXPECT(w, scene_left(w, h) > 350 && scene_left(w, h) < 400);
        scene_go(w, 10);
        for (int s = 0; s < 3; s++)
            EXPECT(w, scene_pttl(w, s) > 4800);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        if (w->violation)
            return;
    }
}

static void waiting_requests_are_bounded(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    w->host[2].is_frozen = 1;
    for (int i = 0; i < 100; i++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        EXPECT(w, rdl_conn_waiting(&w->client[0].conn[2]) <= 65); /* the release of the last one */
    }
    w->host[2].is_frozen = 0;
    host_serve_all(w, 2);
    scene_go(w, 100);
    EXPECT(w, scene_pttl(w, 2) == -2);
    scene_rest(w);
}

/* ---------------------------------------------------------------- the probe server */

static struct world *b_waits(uint32_t ttl_ms)
{
    struct world *w = scene(2, 5, ttl_ms);
    struct handle *b = scene_lock(w, 1);
    scene_ready(w);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    b->opt.lease.wait_ms = 20000;
    b->opt.lease.retry_ms = 30;
    scene_begin(w, b, ACQUIRING, 0);
    return w;
}

/* It is asked alone; when it has granted the others are. */
static void probe_server_leads(void)
{
    int led = 0;
    for (uint32_t ms = 100; ms < 2000; ms += 100) {
        struct world *w = b_waits(10000);
        struct handle *b = scene_lock(w, 1);
        scene_go(w, ms);
        EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
        uint64_t start = w->now;
        EXPECT(w, scene_wait(w, b) == RDL_OK);
        EXPECT(w, w->now - start < 1200 * MS);
        led += b->m->redlock.by_probe_server;
        scene_go(w, 5);
        for (int s = 0; s < 5; s++)
            EXPECT(w, scene_owner(w, s) == 1);
        if (w->violation)
            return;
    }
    struct world *w = world_get();
    EXPECT(w, led > 0);
}

/* The key remains on the probe server alone: that must keep nobody out. */
static void probe_server_has_no_veto(void)
{
    struct world *w = b_waits(10000);
    scene_go(w, 300);
    w->client[0].is_dead = 1;
    flush_servers(w, 1, 5);
    uint64_t start = w->now;
    EXPECT(w, scene_wait(w, scene_lock(w, 1)) == RDL_OK);
    EXPECT(w, w->now - start < 2000 * MS && scene_owner(w, 0) == 0);
}

/* ---------------------------------------------------------------- numbers */

/* The server refuses the script when its release is behind it already: sent again it would stay. */
static void refused_script_is_not_sent_again(void)
{
    for (int single = 0; single < 2; single++) {
        struct world *w = scene(1, 1, 5000);
        struct handle *h = scene_lock(w, 0);
        scene_one_server(w, single);
        h->opt.fencing = &rdl_fencing;
        h->mode = MODE_FENCED;
        handle_init(w, h);
        w->is_fenced = 1;
        scene_do(w, h, ACQUIRING, 0);
        scene_do(w, h, RELEASING, 0);
        scene_forget_script(w, 0, &rdl_script_acquire); /* the release's is known still */
        w->host[0].is_frozen = 1;
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
        w->host[0].is_frozen = 0;
        host_serve_all(w, 0);
        scene_go(w, 10);
        EXPECT(w, scene_pttl(w, 0) == -2);
        scene_rest(w);
        if (w->violation)
            return;
    }
}

/* The next number as another client would get it, which never had the last one. */
static void as_another_client(struct handle *h)
{
    h->m->redlock.fence = 0;
    rdl_redlock_set_min_fence(&h->m->redlock, 1);
}

/* One server is down, with its data; whoever asks knows of no number. */
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
    uint64_t number = rdl_redlock_fence(&h->m->redlock);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 50);
    return number;
}

/* Each counts for itself: 0 and 1 have counted further than 2. */
static struct world *counters_out_of_step(void)
{
    struct world *w = scene(1, 3, 2000);
    scene_lock(w, 0)->opt.fencing = &rdl_fencing;
    w->is_fenced = 1;
    for (int i = 0; i < 5 && !w->violation; i++)
        acquire_fenced(w, 2);
    return w;
}

/* The servers lose their fences; a floor that is below the last number does not make the holder forget it. */
static void low_floor_keeps_the_token(void)
{
    for (int single = 0; single < 2; single++) {
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
        if (w->violation)
            return;
    }
}

/* Two count by turns, up to where scripts cannot: the last number is had once, and then no lock. */
static void tokens_end(void)
{
    for (int single = 0; single < 2; single++) {
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
        if (w->violation)
            return;
    }
}

static void tokens_grow_over_any_majority(void)
{
    static const int without[] = {0, 1, 2, 1, 0, 0, 2, 0, 1};
    struct world *w = counters_out_of_step();
    uint64_t last = 0;
    for (int i = 0; i < 9 && !w->violation; i++) {
        uint64_t number = acquire_fenced(w, without[i]);
        EXPECT(w, number > last);
        last = number;
    }
}

/* A granted a great number, B a small one; before B has the great one too it is nobody's. */
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
    w->link[0][2].up_blocked = w->now + 300 * MS; /* the number is on its way to it */
    EXPECT(w, scene_wait(w, h) == RDL_NO_QUORUM);
    uint64_t last = 0;
    for (int i = 0; i < 3 && !w->violation; i++)
        last = acquire_fenced(w, 1);
    EXPECT(w, acquire_fenced(w, 0) > last);
}

/* The data of these servers is lost while nobody holds the lock. */
static void lose_data(struct world *w, unsigned servers)
{
    for (int s = 0; s < w->servers; s++)
        if (servers >> s & 1) {
            host_crash(w, (unsigned)s, 1);
            host_start(w, (unsigned)s, 0);
        }
    scene_go(w, 2100);
}

/* 3 and 4 were away, have counted less, and grant late. The number, and how many came to hold it. */
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
    w->link[0][3].delay_us = w->link[0][4].delay_us = 200; /* of the others: 100 */
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, rdl_redlock_fence_holders(&h->m->redlock) == 3);
    scene_go(w, stays_ms);
    *holders = rdl_redlock_fence_holders(&h->m->redlock);
    uint64_t number = rdl_redlock_fence(&h->m->redlock);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    return number;
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

/* Outside of what is promised: three hold it, and the one that is in both majorities loses it. */
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

/* By who took the lock, or who adopted its token. */
static void expiring_fence_outlives_a_hold(void)
{
    for (int k = 0; k < 4; k++) {
        int single = k % 2, is_adopted = k / 2;
        struct world *w = scene(2, single ? 1 : 3, 1000);
        uint64_t number[2];
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
            number[c] = handle_fence(h);
            if (is_adopted)
                adopt_own(w, h);
            for (int i = 0; i < 10; i++) {
                scene_go(w, 500);
                EXPECT(w, scene_do(w, h, EXTENDING, 1000) >= 0);
            }
            EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
            scene_go(w, 1400);
        }
        EXPECT(w, number[1] > number[0]);
        if (w->violation)
            return;
    }
}

const struct scenario scenarios_certainty[] = {
    {"a restored key counts once a majority without it confirms", repaired_vote_counts_later, SCENE},
    {"accept_gap keeps a lock across a gap", gap_may_be_accepted, SCENE},
    {"no key is restored before a majority confirms", nothing_is_restored_unconfirmed, SCENE},
    {"a straggler's lost key is restored", straggler_is_repaired_afterwards, SCENE},
    {"a release waits for a server whose grant is unanswered", unanswered_grant_is_waited_for, SCENE},
    {"an extend ends with its lease", extend_ends_with_its_lease, SCENE},
    {"a server that connects late still gets its SET", late_connection_gets_its_set, SCENE},
    {"max_hold_ms, max_extensions and max_ttl_ms are enforced", limits_are_enforced, SCENE},
    {"adopting does not shorten a lease", adopting_does_not_shorten, SCENE},
    {"requests to a frozen server are bounded", waiting_requests_are_bounded, SCENE},
    {"after the probe server's grant the others get a SET", probe_server_leads, SCENE},
    {"the probe server has no veto", probe_server_has_no_veto, SCENE},
    {"a refused script is not resent after its release", refused_script_is_not_sent_again, SCENE},
    {"fencing tokens grow over any majority", tokens_grow_over_any_majority, SCENE},
    {"a low floor does not lower the fencing token", low_floor_keeps_the_token, SCENE},
    {"fencing tokens end where scripts cannot count further", tokens_end, SCENE},
    {"a fencing token counts once a majority holds it", token_counts_when_a_majority_holds_it, SCENE},
    {"servers that grant late are raised to the fencing token", late_grants_are_raised, SCENE},
    {"a fencing token may fall if too few servers hold it", token_may_fall_where_too_few_hold_it, SCENE},
    {"a counter with an expiry outlives the hold", expiring_fence_outlives_a_hold, SCENE},
    {NULL, NULL, SCENE},
};
