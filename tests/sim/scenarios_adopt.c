/* SPDX-License-Identifier: MIT */
/* Directed scenarios: adopted locks, and several locks held as one. Rule R8. */
#include "tests/sim/scene.h"

static void adopt(struct world *w, struct handle *h, const char *hex)
{
    handle_init(w, h);
    user_adopt(w, h, hex);
}

/* A client dies and comes back; its token was in a file. */
static struct handle *back_with_its_token(struct world *w, int c, uint32_t after_ms)
{
    char hex[RDL_VALUE_MAX];
    token_hex(handle_token(scene_lock(w, c)), hex);
    client_die(w, (unsigned)c, 0);
    scene_go(w, after_ms);
    client_return(w, (unsigned)c);
    adopt(w, scene_lock(w, c), hex);
    scene_lock(w, c)->hold_until = scene_lock(w, c)->act_at = NEVER;
    return scene_lock(w, c);
}

static void returning_client_continues(int single)
{
    struct world *w = scene(2, 3, 2000);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    struct handle *h = back_with_its_token(w, 0, 500);
    EXPECT(w, scene_left(w, h) == 0);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_ADOPTED);
    EXPECT(w, scene_left(w, h) > 1900);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
}

/* A new process has no connection yet. To open one takes longer than an attempt does by default. */
static void over_far_servers(int i)
{
    static const uint32_t trips_ms[] = {260, 1000};
    enum handle_state op = i & 2 ? EXTENDING : RELEASING;
    int single = i & 1;
    struct world *w = scene(2, 3, 30000);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    struct handle *h = back_with_its_token(w, 0, 100);
    for (int s = 0; s < 3; s++) {
        w->link[0][s].delay_us = trips_ms[i >> 2] / 2 * MS;
        w->client[0].cfg[s].connect_ms = 5000;
    }
    EXPECT(w, scene_do(w, h, op, 30000) == (op == EXTENDING ? RDL_ADOPTED : RDL_OK));
    if (op == EXTENDING)
        EXPECT(w, scene_left(w, h) >= 30000 - 302 - trips_ms[i >> 2] - 1); /* from its send */
    scene_go(w, 1000);
    EXPECT(w, (scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK) == (op == RELEASING));
}

static void released_at_once(int single)
{
    struct world *w = scene(2, 3, 2000);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    struct handle *h = back_with_its_token(w, 0, 100);
    if (single)
        scene_do(w, h, RELEASING, 0);
    else
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
}

/* Its lease has expired, and another client holds the lock. */
static void too_late(int single)
{
    struct world *w = scene(2, 3, 500);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    struct handle *h = back_with_its_token(w, 0, 510);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 500) == RDL_LOST);
    scene_go(w, 50);
    EXPECT(w, scene_owner(w, 0) == 1 && scene_left(w, scene_lock(w, 1)) > 400);
}

/* The reply is a grant, and it arrives when that lease has expired. */
static void late_reply(int single)
{
    struct world *w = scene(2, 3, 1000);
    scene_one_server(w, single);
    scene_held(w, scene_lock(w, 0));
    struct handle *h = scene_lock(w, 0);
    char hex[RDL_VALUE_MAX];
    token_hex(handle_token(h), hex);
    adopt(w, h, hex);
    h->hold_until = h->act_at = NEVER;
    scene_begin(w, h, EXTENDING, 1000);
    w->client[0].paused_until = w->now + 1005 * MS;
    EXPECT(w, scene_wait(w, h) == RDL_LOST);
    EXPECT(w, scene_left(w, h) == 0 && !handle_is_adopting(h));
    h->state = IDLE;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK); /* it is a normal lock again */
}

/* Two of five have lost the key: until a majority confirms it, it is not restored. */
static void not_restored(void)
{
    struct world *w = scene(1, 5, 2000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (int s = 3; s < 5; s++)
        host_flush(w, (unsigned)s);
    struct handle *h = back_with_its_token(w, 0, 100);
    while (scene_do(w, h, EXTENDING, 2000) == RDL_UNKNOWN && !w->violation)
        scene_go(w, 10);
    EXPECT(w, h->result == RDL_ADOPTED);
    scene_go(w, 20);
    EXPECT(w, scene_pttl(w, 3) == -2 && scene_pttl(w, 4) == -2);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) >= 0);
    scene_go(w, 10);
    EXPECT(w, scene_pttl(w, 3) > 0 && scene_pttl(w, 4) > 0);
}

/* A minority has the key: no client holds the lock by that. */
static void by_a_minority(void)
{
    struct world *w = scene(1, 5, 2000);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    for (int s = 2; s < 5; s++)
        host_flush(w, (unsigned)s);
    struct handle *h = back_with_its_token(w, 0, 100);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_LOST);
    scene_go(w, 20);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2);
}

/* The key lives longer than the adopting extend requested, and the servers are unreachable for a while. */
static void pending_until_the_key_expires(int i)
{
    int single = i % 2, is_answered = i / 2;
    struct world *w = scene(1, 3, 2000);
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 0), EXTENDING, 9000) == RDL_OK);
    struct handle *h = back_with_its_token(w, 0, 100);
    if (is_answered)
        EXPECT(w, scene_do(w, h, EXTENDING, 500) == RDL_ADOPTED);
    for (int s = 0; s < 3; s++) {
        w->host[s].refuse_until = w->now + 2000 * MS;
        if (w->client[0].tcp[s])
            scene_cut(w, 0, s);
    }
    if (!is_answered)
        EXPECT(w, scene_do(w, h, EXTENDING, 500) < 0);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_UNKNOWN);
    scene_go(w, 5000);
    EXPECT(w, scene_pttl(w, 0) == -2 && scene_pttl(w, 1) == -2);
}

/* Adopting releases the lock that was held before. */
static void releases_what_it_held(int single)
{
    static const char other[] = "0707070707070707070707070707070707070707";
    struct world *w = scene(2, 3, 2000);
    scene_one_server(w, single);
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    user_adopt(w, h, other);
    h->hold_until = h->act_at = NEVER;
    client_wake(w, 0, w->now);
    EXPECT(w, scene_left(w, h) == 0);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_LOST);
}

/*
 * Server 3 executes the dead client's SET after the adoption: it had no key, and any client could have taken
 * it. Then server 2 is down, and the vote of server 3 would be needed.
 */
static void dead_clients_late_set(void)
{
    struct world *w = scene(1, 5, 2000);
    w->link[0][3] = (struct link){.delay_us = 50, .gap_before = "SET", .gap_until = 400 * MS};
    host_crash(w, 4, 1);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    struct handle *h = back_with_its_token(w, 0, 50);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_ADOPTED);
    EXPECT(w, scene_pttl(w, 3) == -2);
    scene_go(w, 500);
    EXPECT(w, scene_pttl(w, 3) > 0);
    host_crash(w, 2, 1);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_UNKNOWN);
}

/* ---------------------------------------------------------------- several locks as one */

/* A takes both, B the first and C the second. */
static struct world *both_and_each(void)
{
    struct world *w = scene(3, 1, 2000);
    scene_one_server(w, 1);
    scene_lock(w, 0)->is_multi = 1;
    scene_lock(w, 2)->name = 1;
    for (int c = 0; c < 3; c++)
        handle_init(w, scene_lock(w, c));
    return w;
}

static void all_or_none(void)
{
    struct world *w = both_and_each();
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1), *c = scene_lock(w, 2);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, c, ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, a, EXTENDING, 2000) == RDL_OK);
    scene_go(w, 1500);
    EXPECT(w, scene_do(w, c, ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, c, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_BUSY);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK); /* A has acquired nothing */
}

static void one_lost_is_all_lost(void)
{
    struct world *w = both_and_each();
    struct handle *a = scene_lock(w, 0);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    struct sim_arg second = {(const uint8_t *)lock_name(1), 11};
    uint64_t now_ms = clock_ms(&w->host[0].clock, w->now);
    struct sim_key *k = sim_server_find(&w->host[0].model, 0, second, now_ms);
    EXPECT(w, k != NULL);
    if (k)
        sim_key_delete(&w->host[0].model, k, now_ms);
    EXPECT(w, scene_do(w, a, EXTENDING, 2000) == RDL_LOST);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
}

/*
 * The server refuses the second key in the script's own calls, when the first one is set already. MSETEX is
 * tried next: MGET finds that key, or is refused, too.
 */
static void halfway_is_released(int no_mget)
{
    static const struct sim_features one_key[] = {
        {.version = "7.0.15", .only_key = "nightly", .key_by_call = 1},
        {.version = "7.0.15", .only_key = "nightly", .key_by_call = 1, .denied = " watch mget "}};
    struct world *w = both_and_each();
    w->host[0].model.features = &one_key[no_mget];
    for (int i = 0; i < 3; i++) {
        EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) < 0);
        scene_go(w, 10);
        EXPECT(w, scene_pttl(w, 0) == -2);
        EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, scene_lock(w, 1), RELEASING, 0) == RDL_OK);
    }
}

/* To MGET it is as good as no key. */
static void list_is_not_acquired(void)
{
    static const struct sim_features by_msetex = {
        .version = "8.6.3", .no_scripts = 1, .has_delex = 1, .has_msetex = 1};
    struct world *w = both_and_each();
    w->host[0].model.features = &by_msetex;
    host_command(w, 0, "RPUSH nightly x\r\n");
    host_command(w, 0, "PEXPIRE nightly 60000\r\n");
    for (int i = 0; i < 2; i++)
        EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_BUSY);
    host_command(w, 0, "DEL nightly\r\n");
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
}

/* A client queries the PTTL and dies while the rest is in flight; meanwhile the lease is extended. */
static void dead_clients_late_extend(int i)
{
    static const struct sim_features without_scripts = {.version = "7.0.15", .no_scripts = 1};
    struct world *w = scene(2, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_features(w, &without_scripts);
    w->has_other_servers = 1;
    scene_one_server(w, i % 2);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK); /* the method is known from here on */
    scene_go(w, 1700);
    uint64_t begun = w->now;
    scene_begin(w, h, EXTENDING, 500);
    world_run_until(w, begun + 150);
    for (int s = 0; s < 3; s++)
        w->link[0][s].up_blocked = begun + 200 * MS;
    world_run_until(w, begun + 1 * MS);
    h = back_with_its_token(w, 0, 0);
    for (int s = 0; s < 3; s++)
        w->link[0][s].up_blocked = 0;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_ADOPTED);
    scene_go(w, 300);
    for (int s = 0; s < (i % 2 ? 1 : 3); s++)
        EXPECT(w, scene_pttl(w, s) > 1600);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
}

/*
 * By WATCH: the GET finds the token, then the key expires. At the PTTL it is another client's key, with a
 * longer ttl than the request's.
 */
static void between_get_and_pttl(int i)
{
    static const struct sim_features without_scripts = {.version = "7.0.15", .no_scripts = 1};
    static const char *const before[] = {"PTTL", "MULTI", "EXEC"};
    int single = i % 2;
    struct world *w = scene(2, 5, 2000);
    scene_features(w, &without_scripts);
    w->has_other_servers = 1;
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    uint64_t begun = w->now;
    struct handle *h = back_with_its_token(w, 0, 1980);
    h->opt.lease.attempt_ms = 200;
    for (int s = 0; s < 5; s++)
        w->link[0][s] =
            (struct link){.delay_us = 100, .gap_before = before[i / 2], .gap_until = begun + 2080 * MS};
    scene_begin(w, h, EXTENDING, 1000);
    scene_go(w, 30);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_wait(w, h) == RDL_LOST);
    EXPECT(w, scene_left(w, h) == 0 && scene_left(w, scene_lock(w, 1)) > 1800);
    EXPECT(w, scene_owner(w, 0) == 1);
}

/* The next acquire gets the same random bytes, and a release of the first one is late. */
static void same_bytes_again(int i)
{
    int single = i & 1, is_adopted = i & 2;
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    struct rng before = w->stream[STREAM_LIBRARY];
    scene_one_server(w, single);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    if (is_adopted)
        h = back_with_its_token(w, 0, 100);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 10);
    w->stream[STREAM_LIBRARY] = before;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK); /* the oracle knows all tokens that were used */
}

const struct scenario scenarios_adopt[] = {
    {.name = "a client that returns with its token continues the lease",
     .run_each = returning_client_continues,
     .times = 2},
    {.name = "an adopted lock can be released at once", .run_each = released_at_once, .times = 2},
    {.name = "an adopted lock works over round trips of 260 ms and 1 s",
     .run_each = over_far_servers,
     .times = 8},
    {.name = "a client that returns too late has lost the lock", .run_each = too_late, .times = 2},
    {.name = "a reply after the ttl adopts nothing", .run_each = late_reply, .times = 2},
    {.name = "an adopted key is not restored before it is confirmed", .run = not_restored},
    {.name = "a minority adopts nothing", .run = by_a_minority},
    {.name = "an adopted key's release is pending until the key expires",
     .run_each = pending_until_the_key_expires,
     .times = 4},
    {.name = "adopting releases the lock that was held before",
     .run_each = releases_what_it_held,
     .times = 2},
    {.name = "the same random bytes again make another token", .run_each = same_bytes_again, .times = 4},
    {.name = "a dead client's late SET proves nothing", .run = dead_clients_late_set},
    {.name = "a dead client's late extend shortens nothing",
     .run_each = dead_clients_late_extend,
     .times = 2},
    {.name = "WATCH detects changes between its commands", .run_each = between_get_and_pttl, .times = 6},
    {.name = "several locks are acquired all or none", .run = all_or_none},
    {.name = "one lost lock of several loses all", .run = one_lost_is_all_lost},
    {.name = "a list is not acquired as one of several locks", .run = list_is_not_acquired},
    {.name = "a partial acquire of several locks is released", .run_each = halfway_is_released, .times = 2},
    {.name = NULL},
};
