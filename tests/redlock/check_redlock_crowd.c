/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_crowd.c - many clients want one lock on five servers at once and split the votes: one of them
 * always gets it. The test sets time and chance; a message takes a few ms. Without the random pauses, 64
 * clients make no progress.
 *
 * Rule R30.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "redlock/redlock.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { N = 5, CLIENTS = 64, BYTES = 4096, GAP_MS = 200, END_MS = 30000, LINKS = N * CLIENTS };

/* A connection, and the bytes in flight to the server. */
struct link {
    struct rdl_conn conn;
    struct rdl_conn_config cfg;
    struct sim_session session;
    uint64_t queue[512 / 8];
    struct rdl_server_info server_info;
    uint8_t bytes[BYTES];
    size_t len;
};

static struct client {
    struct link links[N];
    struct rdl_server servers[N];
    struct rdl_redlock lock;
    uint64_t until; /* when it releases the lock; 0: it wants the lock, or is releasing it */
    int is_releasing;
    unsigned times;
} clients[CLIENTS];

static struct scripted hosts[N]; /* only their models are used */
static struct rdl_redlock_options opt;
static uint32_t seed;
static uint64_t now, last;
static int holders;

static uint32_t below(uint32_t n)
{
    return rdl_random(&seed) % n;
}

/* ---------------------------------------------------------------- the network */

static void deliver(struct link *l, struct sim_server *server)
{
    static uint8_t replies[4 * SIM_REPLY_MAX];
    struct sim_out out = {replies, sizeof replies, 0};
    size_t n, used, at;

    while ((n = rdl_conn_tx(&l->conn, l->bytes + l->len, sizeof l->bytes - l->len)) > 0) {
        l->len += n;
        rdl_conn_tx_done(&l->conn, n);
    }
    used = sim_server_input(server, &l->session, l->bytes, l->len, now, &out);
    memmove(l->bytes, l->bytes + used, l->len - used);
    l->len -= used;
    for (at = 0; at < out.len; at += n) {
        n = out.len - at < SCRIPTED_PIECE ? out.len - at : SCRIPTED_PIECE;
        rdl_conn_rx(&l->conn, replies + at, n);
    }
}

/* Half of the connections deliver their bytes this time, in any order. */
static void deliver_some(void)
{
    unsigned first = below(LINKS), k;

    for (k = 0; k < LINKS; k++) {
        unsigned i = (first + 7 * k) % LINKS;
        if (below(2) == 0)
            deliver(&clients[i / N].links[i % N], &hosts[i % N].model);
    }
}

/* ---------------------------------------------------------------- the clients */

static void want(struct client *c)
{
    uint8_t entropy[RDL_ENTROPY_LEN];
    size_t i;

    for (i = 0; i < sizeof entropy; i++)
        entropy[i] = (uint8_t)below(256);
    c->is_releasing = 0;
    rdl_redlock_acquire_begin(&c->lock, entropy, now);
}

static void act(struct client *c)
{
    int rc = rdl_redlock_step(&c->lock, now);

    if (rc == RDL_PENDING)
        return;
    if (c->until != 0) {
        if (now < c->until)
            return;
        ck_assert_uint_gt(rdl_redlock_remaining_ms(&c->lock, now), 0);
        c->until = 0;
        c->is_releasing = 1;
        holders--;
        rdl_redlock_release_begin(&c->lock, now);
    } else if (c->is_releasing || rc < 0) {
        want(c);
    } else {
        ck_assert_int_eq(rc, RDL_OK);
        ck_assert_int_eq(holders++, 0);
        c->until = now + below(3);
        c->until += c->until == 0;
        c->times++;
        last = now;
    }
}

static void begin(unsigned n)
{
    static struct rdl_endpoint endpoint;
    unsigned i, k;

    for (k = 0; k < N; k++) {
        scripted_init(&hosts[k]);
        scripted_model(&hosts[k], now);
    }
    memset(clients, 0, sizeof clients);
    for (i = 0; i < n; i++) {
        struct client *c = &clients[i];
        for (k = 0; k < N; k++) {
            struct link *l = &c->links[k];
            l->cfg = (struct rdl_conn_config){
                .endpoint = &endpoint, .methods = &rdl_methods_all, .login = &rdl_login, .queue = l->queue};
            l->cfg.queue_len = sizeof l->queue;
            l->cfg.server_info = &l->server_info;
            rdl_conn_init(&l->conn, &l->cfg);
            c->servers[k].conn = &l->conn;
        }
        rdl_redlock_init(&c->lock, &opt, c->servers, N, "k", 1);
        for (k = 0; k < N; k++) {
            rdl_conn_tick(&c->links[k].conn, now);
            rdl_conn_opened(&c->links[k].conn);
        }
        want(c);
    }
}

/* How many clients have held it. */
static unsigned served(unsigned n)
{
    unsigned some = 0, i;

    for (i = 0; i < n; i++)
        some += clients[i].times > 0;
    return some;
}

static const unsigned crowds[] = {2, 3, 8, CLIENTS};

START_TEST(every_client_of_a_crowd_gets_the_lock)
{
    unsigned n = crowds[_i], i;

    opt = (struct rdl_redlock_options){.lease = {.ttl_ms = 10000, .wait_ms = 20000, .retry_ms = 5},
                                       .max_ttl_ms = 10000,
                                       .guard = RDL_GUARD_OFF};
    seed = 1u + (uint32_t)_i;
    now = last = 1000;
    holders = 0;
    begin(n);
    for (; served(n) < n; now++) {
        unsigned first = below(n);
        deliver_some();
        for (i = 0; i < n; i++)
            act(&clients[(first + i) % n]);
        ck_assert_uint_lt(now - last, GAP_MS);
        ck_assert_uint_lt(now, END_MS);
    }
}
END_TEST

Suite *suite_redlock_crowd(void)
{
    Suite *suite = suite_create("redlock_crowd");
    TCase *tc = suite_case(suite, "crowd", NULL, NULL);

    tcase_add_loop_test(tc, every_client_of_a_crowd_gets_the_lock, 0, sizeof crowds / sizeof crowds[0]);
    return suite;
}
