/* SPDX-License-Identifier: MIT */
/*
 * Directed scenarios: connections that break, logins that fail, queues that fill.
 * Rules R9, R10, R11 and R20.
 */
#include "lock/lock_op.h"
#include "tests/sim/scene.h"
#include <string.h>

/* The SET was executed and the connection broke: the release is sent first on the next one. */
static void pending_release_survives_its_connection(int single)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 10);
    scene_begin(w, h, ACQUIRING, 0);
    w->link[0][0].down_blocked = w->now + 5 * MS;
    scene_go(w, 1);
    EXPECT(w, scene_owner(w, 0) == 0);
    w->link[0][0].down_blocked = 0;
    scene_cut(w, 0, 0);
    EXPECT(w, scene_wait(w, h) < 0);
    scene_go(w, 300); /* the pause before it connects again, and not the 2 s of the ttl */
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* The socket takes nothing until the attempt has ended: nothing of it is sent afterwards. */
static void abandoned_is_never_sent(int single)
{
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_ready(w);
    struct tcp *t = w->client[0].tcp[0];
    uint64_t commands = w->host[0].model.commands;
    EXPECT(w, t != NULL);
    if (!t)
        return;
    t->up.len = FIFO; /* the socket's buffer is full */
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
    t->up.len = 0;
    client_wake(w, 0, w->now);
    scene_go(w, 100);
    EXPECT(w, w->host[0].model.commands == commands);
    scene_rest(w);
}

/* The release was in flight when the connection broke. */
static void sent_release_is_sent_again(int single)
{
    struct world *w = scene(1, 1, 5000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 10);
    scene_begin(w, h, ACQUIRING, 0);
    w->link[0][0].down_blocked = w->now + 2000 * MS;
    scene_go(w, 1);
    w->link[0][0].up_blocked = w->now + 2000 * MS;
    EXPECT(w, scene_wait(w, h) < 0);
    scene_go(w, 1);
    EXPECT(w, scene_owner(w, 0) == 0);
    w->link[0][0].up_blocked = w->link[0][0].down_blocked = 0;
    scene_cut(w, 0, 0);
    scene_go(w, 300);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* No caller waits for that release, and the server has forgotten the script. */
static void pending_release_survives_script_flush(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < 3; s++)
        w->host[s].model.scripts = 0;
    user_cancel(w, h);
    scene_go(w, 5);
    for (int s = 0; s < 3; s++)
        EXPECT(w, scene_pttl(w, s) == -2);
    scene_rest(w);
}

static void extend_and_release_without_memory(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < 3; s++)
        w->host[s].model.oom = 1;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

static struct sim_features with_password = {.version = "7.0.15", .password = "secret"};

/* A wrong password, a database that does not exist: no lock command is sent. */
static void failed_login_sends_no_lock(int is_db)
{
    struct world *w = scene(1, 3, 1000);
    if (!is_db) {
        scene_features(w, &with_password);
        EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) < 0);
    }
    for (int s = 0; s < 3; s++)
        if (is_db)
            w->client[0].endpoint[s].db = 99;
        else
            w->client[0].endpoint[s].password = (struct rdl_bytes){"wrong", 5};
    scene_go(w, 100);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) < 0);
    scene_go(w, 100);
    for (int s = 0; s < 3; s++)
        EXPECT(w, w->host[s].model.keys == 0);
}

static void login_comes_first(void)
{
    struct world *w = scene(1, 3, 1000);
    for (int s = 0; s < 3; s++) {
        w->host[s].model.features = &with_password;
        w->client[0].endpoint[s].password = (struct rdl_bytes){"secret", 6};
        w->client[0].endpoint[s].db = 5;
        w->client[0].endpoint[s].client_name = (struct rdl_bytes){"sim", 3};
    }
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < 3; s++) {
        EXPECT(w, scene_pttl(w, s) == -2); /* nothing in database 0 */
        EXPECT(w, w->host[s].model.keys == 1 && w->host[s].model.key[0].db == 5);
    }
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* The user may use only one lock's key, and another lock shares its connections. */
static void forbidden_key_blocks_no_other_lock(int i)
{
    static const struct sim_features one_key[] = {
        {.version = "7.0.15", .only_key = "nightly"},
        {.version = "8.6.3", .texts = SIM_REDIS84, .only_key = "nightly"}};
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0), *other = &w->client[0].handle[1];
    scene_one_server(w, i & 1);
    scene_features(w, &one_key[i >> 2]);
    w->handles = 2;
    other->opt = h->opt;
    other->mode = MODE_PLAIN;
    other->hint_use = HINT_NONE;
    other->is_multi = 0;
    other->is_single = h->is_single;
    other->name = 1;
    handle_init(w, other);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    if (i & 2)
        EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK); /* by EVALSHA from then on */
    EXPECT(w, handle_adopt(w, other, "00112233445566778899aabbccddeeff00000001") == RDL_OK);
    EXPECT(w, scene_do(w, other, EXTENDING, 2000) < 0);
    for (int k = 0; k < 3; k++) {
        scene_go(w, 500);
        EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    }
    EXPECT(w, scene_do(w, other, RELEASING, 0) < 0);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_go(w, 5);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* The user may not use the hint list: the lock is released without a hint. */
static void forbidden_hint_is_a_plain_release(int single)
{
    static const struct sim_features one_key = {.version = "7.0.15", .only_key = "nightly"};
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_features(w, &one_key);
    scene_hints(w);
    for (int i = 0; i < 3; i++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        scene_go(w, 5);
        EXPECT(w, scene_pttl(w, 0) == -2);
    }
    scene_rest(w);
}

/* DELEX finds another value or no key, and the PTTL that would distinguish them is refused. */
static void without_pttl_not_gone(int i)
{
    const struct sim_features no_pttl = {
        .version = "7.0.15", .has_delex = i >= 2, .has_delifeq = i < 2, .denied = " pttl eval evalsha "};
    struct world *w = scene(2, 3, 2000);
    scene_one_server(w, i & 1);
    scene_features(w, &no_pttl);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    scene_go(w, 2050);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_UNKNOWN);
    EXPECT(w, scene_do(w, scene_lock(w, 1), RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* Whatever error text means that a server has no scripts: its other methods extend and release. */
static void no_scripts_in_other_words(int i)
{
    static const char *const texts[] = {"ERR Could not find scripting engine 'lua'",
                                        "ERR This instance has Lua scripting support disabled",
                                        "ERR command eval not support for normal user",
                                        "ERR Command is not available: 'EVAL'",
                                        "ERR bad lua script for redis cluster",
                                        "ERR what is that?",
                                        "NOTHERE this product has no scripts"};
    int kind = i / 2 % 3;
    const struct sim_features features = {
        .version = "7.0.15", .eval_off = texts[i / 6], .has_delex = kind == 1, .has_delifeq = kind == 2};
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, i & 1);
    scene_features(w, &features);
    for (int k = 0; k < 2; k++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        scene_go(w, 500);
        EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
        EXPECT(w, scene_left(w, h) > 1900);
        uint64_t commands = w->host[0].model.commands;
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        scene_go(w, 5);
        EXPECT(w, scene_pttl(w, 0) == -2);
        if (k > 0) /* by now the method is known: DELEX or DELIFEQ and a PTTL, or WATCH to EXEC */
            EXPECT(w, w->host[0].model.commands - commands == (kind == 0 ? 7 : 2));
    }
    scene_rest(w);
}

/*
 * A proxy has the command executed and replies with an error. The next method finds it done. An extend then
 * succeeds. A release does, too, if the same run of the server replies; else the result is unknown.
 */
static void proxy_error_after_execution(int single)
{
    struct world *w = scene(2, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    if (!single)
        scene_guard(w, RDL_GUARD_REQUIRED, 2000);
    scene_held(w, h);
    for (int s = 0; s < 3; s++)
        w->host[s].proxy = PROXY_SCRIPTS;
    scene_go(w, 500);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, scene_left(w, h) > 1900);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == (single ? RDL_UNKNOWN : RDL_OK));
    scene_go(w, 5);
    EXPECT(w, scene_pttl(w, 0) == -2);
    scene_rest(w);
}

/* No method works for a while, with an unknown error. Then all work as before. */
static void unknown_errors_rule_out_nothing(int single)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    scene_held(w, h);
    for (int s = 0; s < 3; s++)
        w->host[s].proxy = PROXY_SCRIPTS | PROXY_DELETES | PROXY_WATCH;
    for (int k = 0; k < 3; k++) {
        scene_go(w, 200);
        EXPECT(w, scene_do(w, h, EXTENDING, 2000) < 0 && scene_left(w, h) > 0);
    }
    for (int s = 0; s < 3; s++)
        w->host[s].proxy = 0;
    uint64_t commands = w->host[0].model.commands;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, w->host[0].model.commands - commands <= 4); /* the script, with what it calls */
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* A temporary error proves nothing about the method. */
static void temporary_error_rules_out_nothing(int i)
{
    static const char *const texts[] = {"MASTERDOWN Link with MASTER is down",
                                        "NOREPLICAS Not enough good replicas",
                                        "ERR max number of clients reached",
                                        "ERR Script killed by user",
                                        "ERR Error running script (call to f_0a): -OOM",
                                        "BUSY Redis is busy running a script."};
    const struct sim_features passing = {.version = "7.0.15", .eval_off = texts[i / 2]};
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    const struct sim_features *usual = w->host[0].model.features;
    scene_one_server(w, i & 1);
    scene_held(w, h);
    scene_features(w, &passing);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) < 0 && scene_left(w, h) > 0);
    scene_features(w, usual);
    uint64_t commands = w->host[0].model.commands;
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, w->host[0].model.commands - commands <= 4); /* the script, with what it calls */
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/* Old protocol, scripts are disabled: it compares by WATCH. If that is forbidden, it takes nothing over. */
static void takeover_always_compares(int i)
{
    static const struct sim_features off[] = {
        {.version = "7.0.15", .eval_off = "ERR This instance has Lua scripting support disabled"},
        {.version = "7.0.15",
         .eval_off = "ERR This instance has Lua scripting support disabled",
         .denied = " watch "}};
    struct world *w = scene(2, 1, 1000);
    w->has_legacy = 1;
    w->host[0].model.features = &off[i];
    scene_one_server(w, 1);
    for (int c = 0; c < 2; c++) {
        scene_lock(w, c)->mode = MODE_LEGACY;
        handle_init(w, scene_lock(w, c));
    }
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    client_die(w, 0, 0);
    scene_go(w, 3500);
    int rc = scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
    EXPECT(w, i == 0 ? rc == RDL_RECOVERED : rc == RDL_E_PERM);
}

static void readonly_closes_the_connection(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    w->host[0].model.readonly = 1; /* demoted, and its connections stay open */
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 1);
    EXPECT(w, rdl_conn_error(&w->client[0].conn[0]) == RDL_E_READONLY);
    EXPECT(w, rdl_conn_state(&w->client[0].conn[0]) != RDL_CONN_READY);
}

static void refused_connections_end_the_attempt(void)
{
    struct world *w = scene(1, 5, 1000);
    for (int s = 0; s < 5; s++)
        w->host[s].refuse_until = NEVER;
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_NO_QUORUM);
    EXPECT(w, w->now < 10 * MS);
}

static void unreachable_servers_end_the_attempt(void)
{
    struct world *w = scene(1, 5, 1000);
    for (int s = 0; s < 5; s++)
        w->host[s].blackhole_until = NEVER / 2;
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_NO_QUORUM);
    EXPECT(w, w->now <= (RDL_CONNECT_MS + 10) * MS);
}

/* An unanswered connect is aborted and retried, while an acquire waits for longer than that. */
static void unanswered_connect_is_aborted(void)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    h->opt.lease.wait_ms = 5000;
    h->opt.lease.retry_ms = 100;
    for (int s = 0; s < 3; s++)
        w->host[s].blackhole_until = NEVER / 2;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) < 0);
    for (int s = 0; s < 3; s++)
        EXPECT(w, rdl_conn_error(&w->client[0].conn[s]) == RDL_E_TIMEOUT);
}

/* A frozen server's queue fills. What was accepted is undone, the rest was never sent. */
static void full_queue_loses_nothing(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    w->host[2].is_frozen = 1;
    for (int i = 0; i < 150; i++) {
        EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    }
    w->host[2].is_frozen = 0;
    host_serve_all(w, 2);
    scene_go(w, 100);
    EXPECT(w, scene_pttl(w, 2) == -2);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_owner(w, 2) == 0); /* and its vote counts again */
    scene_rest(w);
}

/* Connections fail one after the other, never enough of them at once: one attempt ends nevertheless. */
static void one_attempt_has_an_end(void)
{
    struct world *w = scene(1, 5, 1000);
    struct handle *h = scene_lock(w, 0);
    for (int s = 2; s < 5; s++)
        w->client[0].endpoint[s].client_name = (struct rdl_bytes){"sim", 3}; /* so that there is a login */
    w->host[2].blackhole_until = NEVER / 2;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 0);
    for (int s = 3; s < 5; s++)
        w->host[s].is_frozen = 1; /* the login gets no reply */
    for (int s = 3; s < 5; s++) {
        scene_go(w, 700);
        w->host[s].blackhole_until = NEVER / 2;
        if (w->client[0].tcp[s] != NULL)
            scene_cut(w, 0, s);
    }
    EXPECT(w, scene_wait(w, h) == RDL_NO_QUORUM);
    EXPECT(w, w->now <= (RDL_CONNECT_MS + 100) * MS);
}

/*
 * One is down, two refuse, two are frozen: no majority, and the result waits for the two. Only the room that
 * the sent SET reserved is left: its release uses it and follows at once.
 */
static void reserved_room_is_used(void)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};
    struct world *w = scene(2, 5, 5000);
    struct handle *h = scene_lock(w, 0);
    struct rdl_conn *c = &w->client[0].conn[3];
    scene_held(w, scene_lock(w, 1));
    scene_go(w, 10);
    host_crash(w, 0, 1);
    for (int s = 3; s < 5; s++) {
        sim_server_flush(&w->host[s].model);
        w->host[s].is_frozen = 1;
    }
    scene_go(w, 10);
    scene_begin(w, h, ACQUIRING, 0);
    while (rdl_conn_submit(c, NULL, &other) == RDL_OK)
        ;
    uint32_t waiting = rdl_conn_waiting(c);
    scene_go(w, 5);
    EXPECT(w, handle_is_pending(h) && rdl_conn_waiting(c) == waiting + 1);
}

/* The first login was slow: on the next connection, replies are awaited for less time than on that one. */
static void round_trip_of_this_connection(void)
{
    struct world *w = scene(1, 1, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, 1);
    w->link[0][0].delay_us = 300 * MS;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    w->link[0][0].delay_us = 100;
    scene_go(w, 1000);
    scene_cut(w, 0, 0);
    scene_go(w, 3000);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    w->host[0].is_frozen = 1;
    uint64_t begun = w->now;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_UNKNOWN);
    EXPECT(w, w->now <= begun + 300 * MS);
}

/* However long the queue is, a SET is sent only if its release will fit. */
static void release_fits(int extensions)
{
    for (uint32_t extra = 0; extra < QUEUE_LEAST; extra += 29) {
        struct world *w = scene(1, 3, 2000);
        struct handle *h = scene_lock(w, 0);
        w->client[0].cfg[2].queue_len = QUEUE_LEAST + extra;
        w->client[0].tx_len[2] = TX_LEAST;
        client_zones(&w->client[0], 2);
        for (int i = 0; i < 2; i++) { /* all are connected, and know how to release */
            scene_do(w, h, ACQUIRING, 0);
            scene_do(w, h, RELEASING, 0);
            scene_go(w, 10);
        }
        w->host[2].is_frozen = 1;
        for (int i = 0; i < 12; i++) {
            EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
            for (int k = 0; k < extensions; k++)
                EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
            EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
        }
        scene_go(w, 10);
        w->host[2].is_frozen = 0;
        if (extra % 2 == 1) /* and all of them at once, over a new connection */
            scene_cut(w, 0, 2);
        host_serve_all(w, 2);
        scene_go(w, 10);
        EXPECT(w, scene_pttl(w, 2) == -2);
        scene_rest(w);
        if (w->violation)
            return;
    }
}

/* With every method: deleted, gone and taken by another client are distinguished. */
static void every_method_distinguishes(int k)
{
    static const struct sim_features kinds[] = {{.version = "7.0.15"},
                                                {.version = "7.0.15", .no_scripts = 1},
                                                {.version = "8.6.3", .has_delex = 1},
                                                {.version = "8.6.3", .has_delex = 1, .no_scripts = 1},
                                                {.version = "9.1.2", .has_delifeq = 1, .no_scripts = 1}};
    struct world *w = scene(2, 3, 1000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    scene_features(w, &kinds[k / 2]);
    w->has_other_servers = 1;
    scene_one_server(w, k % 2);
    scene_go(w, 10);
    for (int i = 0; i < 2; i++) { /* on a new connection, and on one that knows its method */
        EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
        scene_go(w, 500);
        EXPECT(w, scene_do(w, a, EXTENDING, 1000) == RDL_OK);
        EXPECT(w, scene_left(w, a) > 950 && scene_pttl(w, 0) > 950);
        EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
        EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
        w->client[0].paused_until = w->now + 1100 * MS;
        scene_go(w, 1100);
        EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_EXPIRED);
        EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
        w->client[0].paused_until = w->now + 1100 * MS;
        scene_go(w, 1050);
        EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
        scene_go(w, 100);
        EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_LOST);
        EXPECT(w, scene_owner(w, 0) == 1);
        EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
    }
    scene_rest(w);
}

static void release_always_fits(void)
{
    release_fits(0);
}

static void release_fits_after_extends(void)
{
    release_fits(19);
}

static void unexpected_reply_closes(int i)
{
    static const char *const garbage[] = {"+OK\r\n", "!what\r\n", ":1\r\n", "$999999999999\r\n",
                                          "*1\r\n+OK\r\n"};
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_do(w, h, ACQUIRING, 0);
    scene_do(w, h, RELEASING, 0);
    scene_go(w, 10);
    struct tcp *t = w->client[0].tcp[0];
    size_t n = strlen(garbage[i]);
    EXPECT(w, t != NULL);
    if (!t)
        return;
    memcpy(t->down.data, garbage[i], n);
    t->down.head = 0;
    t->down.len = t->down.ready = (uint32_t)n;
    client_run(w, 0);
    scene_go(w, 1);
    EXPECT(w, w->client[0].tcp[0] != t || rdl_conn_state(&w->client[0].conn[0]) != RDL_CONN_READY);
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_rest(w);
}

/* Another lock sends a request first, with a longer timeout. */
static void other_lock(struct rdl_conn *c)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};
    rdl_conn_set_timeout(c, 1000);
    rdl_conn_submit(c, NULL, &other);
}

/* An extend by WATCH is abandoned when MULTI has been answered: the next request must not be queued by it. */
static void multi_is_left(int i)
{
    static const struct sim_features without_scripts = {.version = "7.0.15", .no_scripts = 1};
    struct world *w = scene(1, 1, 2000);
    struct handle *h = scene_lock(w, 0);
    w->host[0].model.features = &without_scripts;
    w->has_other_servers = 1;
    scene_one_server(w, i % 2);
    scene_held(w, h);
    const struct tcp *t = w->client[0].tcp[0];
    other_lock(&w->client[0].conn[0]);
    scene_begin(w, h, EXTENDING, 2000);
    while (rdl_conn_waiting(&w->client[0].conn[0]) > 1 && !w->violation)
        world_run_until(w, w->now + 50);
    *(i < 2 ? &w->link[0][0].down_blocked : &w->client[0].paused_until) = w->now + 150 * MS;
    scene_go(w, 120);
    EXPECT(w, t->session.in_multi);
    EXPECT(w, scene_wait(w, h) == RDL_UNKNOWN); /* before the reply comes, or in the same moment */
    scene_go(w, 60);
    EXPECT(w, w->client[0].tcp[0] == t && !t->session.in_multi);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    EXPECT(w, w->client[0].tcp[0] == t);
}

/* The client's clock passes 2^32 ms, 49.7 days, while it is stopped and a pause has begun. */
static void clock_passes_49_days(int single)
{
    struct world *w = scene(1, 3, 1000);
    struct handle *h = scene_lock(w, 0);
    scene_one_server(w, single);
    w->client[0].clock.offset_us = (((uint64_t)UINT32_MAX + 1) - 300) * MS;
    h->opt.lease.wait_ms = 3000;
    h->opt.lease.retry_ms = 50;
    for (int s = 0; s < 3; s++)
        w->host[s].refuse_until = 250 * MS;
    scene_begin(w, h, ACQUIRING, 0);
    scene_go(w, 200); /* refused, more than once */
    w->client[0].paused_until = 500 * MS;
    EXPECT(w, scene_wait(w, h) == RDL_OK);
    EXPECT(w, scene_do(w, h, EXTENDING, 1000) == RDL_OK);
    EXPECT(w, scene_left(w, h) > 900);
    EXPECT(w, scene_do(w, h, RELEASING, 0) == RDL_OK);
    scene_rest(w);
}

/*
 * The server executed it, but the connection broke before the reply. Another client may hold the lock by
 * then.
 */
static void resent_release_finds_no_key(int i)
{
    struct world *w = scene(2, i % 2 ? 1 : 3, 10000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    int is_taken = i >= 2, is_legacy = i == 5;
    for (int s = 0; s < w->servers; s++) /* its start time identifies the run */
        w->host[s].model.is_unnamed = i == 4;
    scene_one_server(w, i % 2);
    if (is_legacy) {
        a->mode = b->mode = MODE_LEGACY;
        handle_init(w, a);
        handle_init(w, b);
    }
    scene_ready(w);
    b->opt.lease.wait_ms = 1000;
    b->opt.lease.retry_ms = 1;
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    if (is_taken)
        scene_begin(w, b, ACQUIRING, 0);
    scene_begin(w, a, RELEASING, 0);
    world_run_until(w, w->now + 150);
    for (int s = 0; s < w->servers; s++) {
        EXPECT(w, scene_owner(w, s) == -1);
        w->link[0][s].up_blocked = w->now + 60 * MS;
        scene_cut(w, 0, s);
    }
    scene_go(w, 50);
    EXPECT(w, scene_left(w, b) > 0 || !is_taken);
    EXPECT(w, scene_wait(w, a) == (i % 2 ? RDL_UNKNOWN : RDL_OK)); /* 1: no run_id */
    EXPECT(w, scene_left(w, b) > 0 || !is_taken);
}

/* The key was gone before the release, and no connection broke: the release reports that. */
static void release_reports_what_was_gone(int i)
{
    struct world *w = scene(1, i ? 1 : 3, 10000);
    scene_one_server(w, i);
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    for (int s = 0; s < w->servers; s++)
        sim_server_flush(&w->host[s].model);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_EXPIRED);
}

/*
 * The server lost the key in a restart, before the release and before the client noticed: that does not count
 * as a release. Without the run it is not a loss either: on one server, and if INFO is refused.
 */
static void release_finds_another_run(int i)
{
    static const struct sim_features no_info = {.version = "7.0.15", .denied = " info "};
    struct world *w = scene(1, i == 1 ? 1 : 3, 10000);
    if (i == 2)
        scene_features(w, &no_info);
    for (int s = 0; s < w->servers; s++) /* its start time identifies the run */
        w->host[s].model.is_unnamed = i == 3;
    scene_one_server(w, i == 1);
    scene_held(w, scene_lock(w, 0));
    scene_go(w, 1000);
    for (int s = 0; s < w->servers; s++) {
        host_crash(w, (unsigned)s, 0);
        host_start(w, (unsigned)s, HOST_NOTHING);
    }
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == (i % 3 == 0 ? RDL_EXPIRED : RDL_UNKNOWN));
}

/* Or the client had noticed, and the reply to the release was cut off: that does not count either. */
static void release_finds_a_known_run(void)
{
    struct world *w = scene(1, 3, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    for (unsigned s = 0; s < 2; s++) {
        host_crash(w, s, 1);
        host_start(w, s, HOST_NOTHING);
    }
    scene_go(w, 1000); /* it connects again */
    w->link[0][2].up_blocked = w->now + 2000 * MS;
    w->link[0][0].down_blocked = w->link[0][1].down_blocked = w->now + 60 * MS;
    scene_begin(w, h, RELEASING, 0);
    scene_go(w, 20);
    scene_cut(w, 0, 0);
    scene_cut(w, 0, 1);
    EXPECT(w, scene_wait(w, h) == RDL_EXPIRED);
}

/* The reply of server 2 to the release is cut off. The release is sent again and finds nothing. */
static int release_cut_off(struct world *w, struct handle *h)
{
    scene_begin(w, h, RELEASING, 0);
    world_run_until(w, w->now + 150);
    scene_cut(w, 0, 2);
    return scene_wait(w, h);
}

/*
 * The client knew that the key was gone there and could not restore it. Another server loses it before the
 * release.
 */
static void release_finds_what_was_gone(void)
{
    struct world *w = scene(1, 3, 10000);
    struct handle *h = scene_lock(w, 0);
    scene_held(w, h);
    scene_go(w, 10);
    sim_server_flush(&w->host[2].model);
    w->host[2].model.oom = 1;
    EXPECT(w, scene_do(w, h, EXTENDING, 10000) == RDL_OK);
    scene_go(w, 10);
    w->host[2].model.oom = 0;
    sim_server_flush(&w->host[1].model);
    EXPECT(w, release_cut_off(w, h) == RDL_EXPIRED);
}

/* The server was unreachable until its key expired. Another server loses the key before the release. */
static void release_finds_what_had_ended(void)
{
    struct world *w = scene(1, 3, 2000);
    struct handle *h = scene_lock(w, 0);
    scene_ready(w);
    h->opt.lease.attempt_ms = 500; /* with room for another connection */
    h->opt.max_ttl_ms = 2000;
    EXPECT(w, scene_do(w, h, ACQUIRING, 0) == RDL_OK);
    scene_go(w, 1200);
    w->host[2].refuse_until = w->now + 100 * MS; /* any longer, and a pause might outlast the lease */
    scene_cut(w, 0, 2);
    scene_go(w, 1);
    EXPECT(w, scene_do(w, h, EXTENDING, 2000) == RDL_OK);
    scene_go(w, 810);
    EXPECT(w, scene_pttl(w, 2) == -2);
    scene_go(w, 400);
    other_lock(&w->client[0].conn[2]);
    client_wake(w, 0, w->now);
    scene_go(w, 10); /* the connection was of use: the next one opens at once */
    sim_server_flush(&w->host[1].model);
    EXPECT(w, release_cut_off(w, h) == RDL_EXPIRED);
}

const struct scenario scenarios_net[] = {
    {.name = "a pending release survives its connection",
     .run_each = pending_release_survives_its_connection,
     .times = 2},
    {.name = "a request abandoned before it was sent is never sent",
     .run_each = abandoned_is_never_sent,
     .times = 2},
    {.name = "a release in flight is sent again on the next connection",
     .run_each = sent_release_is_sent_again,
     .times = 2},
    {.name = "a release always fits into the queue", .run = release_always_fits},
    {.name = "a release fits after any number of extends", .run = release_fits_after_extends},
    {.name = "every method distinguishes gone from taken",
     .run_each = every_method_distinguishes,
     .times = 10},
    {.name = "a pending release survives SCRIPT FLUSH", .run = pending_release_survives_script_flush},
    {.name = "extend and release work when the server is out of memory",
     .run = extend_and_release_without_memory},
    {.name = "after a failed login no lock command is sent",
     .run_each = failed_login_sends_no_lock,
     .times = 2},
    {.name = "a login comes before the first lock command", .run = login_comes_first},
    {.name = "a resent release that finds no key is not a loss",
     .run_each = resent_release_finds_no_key,
     .times = 6},
    {.name = "a release reports that the key was gone",
     .run_each = release_reports_what_was_gone,
     .times = 2},
    {.name = "a release on a restarted server does not count",
     .run_each = release_finds_another_run,
     .times = 4},
    {.name = "a resent release on a restarted server does not count", .run = release_finds_a_known_run},
    {.name = "a resent release of a key known to be gone does not count", .run = release_finds_what_was_gone},
    {.name = "a resent release of an expired key does not count", .run = release_finds_what_had_ended},
    {.name = "a forbidden key does not affect other locks",
     .run_each = forbidden_key_blocks_no_other_lock,
     .times = 8},
    {.name = "without PTTL a key is not reported as gone", .run_each = without_pttl_not_gone, .times = 4},
    {.name = "any wording of no-scripts errors leads to another method",
     .run_each = no_scripts_in_other_words,
     .times = 7 * 6},
    {.name = "a proxy's error does not mean the command was refused",
     .run_each = proxy_error_after_execution,
     .times = 2},
    {.name = "without scripts a takeover still compares (legacy)",
     .run_each = takeover_always_compares,
     .times = 2},
    {.name = "a temporary error does not rule out a method",
     .run_each = temporary_error_rules_out_nothing,
     .times = 12},
    {.name = "unknown errors from every method rule out none",
     .run_each = unknown_errors_rule_out_nothing,
     .times = 2},
    {.name = "a forbidden hint list does not prevent the release",
     .run_each = forbidden_hint_is_a_plain_release,
     .times = 2},
    {.name = "a READONLY reply closes the connection", .run = readonly_closes_the_connection},
    {.name = "refused connections end the attempt at once", .run = refused_connections_end_the_attempt},
    {.name = "unreachable servers end the attempt by the connect timeout",
     .run = unreachable_servers_end_the_attempt},
    {.name = "one attempt ends within one connect timeout and its own", .run = one_attempt_has_an_end},
    {.name = "an unanswered connect is aborted and retried", .run = unanswered_connect_is_aborted},
    {.name = "a release uses the room that its SET reserved", .run = reserved_room_is_used},
    {.name = "the round trip is measured for each connection", .run = round_trip_of_this_connection},
    {.name = "a full queue loses no accepted request", .run = full_queue_loses_nothing},
    {.name = "an abandoned request leaves MULTI", .run_each = multi_is_left, .times = 4},
    {.name = "a clock may pass 2^32 ms (49 days)", .run_each = clock_passes_49_days, .times = 2},
    {.name = "an unexpected reply closes the connection", .run_each = unexpected_reply_closes, .times = 5},
    {.name = NULL},
};
