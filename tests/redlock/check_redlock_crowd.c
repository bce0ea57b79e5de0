/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_crowd.c - many clients want one lock on five servers at once and split the votes: one of them
 * always gets it. The test sets time and chance; a message takes a few ms. Without the random pauses, 64
 * clients make no progress.
 *
 * Rule R30.
 */
#include <string.h>

#include "tests/fixtures/crowd.h"
#include "tests/suite.h"

enum { N = CROWD_SERVERS, CLIENTS = 64, GAP_MS = 200, END_MS = 30000, LINKS = N * CLIENTS };

static struct client {
    struct crowd_link links[N];
    struct rdl_server servers[N];
    struct rdl_redlock lock;
    uint64_t until; /* when it releases the lock; 0: it wants the lock, or is releasing it */
    int is_releasing;
    unsigned times;
} clients[CLIENTS];

static struct rdl_redlock_options opt;
static uint64_t now, last;
static int holders;

/* ---------------------------------------------------------------- the network */

/* Half of the connections deliver their bytes this time, in any order. */
static void deliver_some(void)
{
    unsigned first = crowd_below(LINKS), k;

    for (k = 0; k < LINKS; k++) {
        unsigned i = (first + 7 * k) % LINKS;
        if (crowd_below(2) == 0)
            crowd_deliver(&clients[i / N].links[i % N], now);
    }
}

/* ---------------------------------------------------------------- the clients */

static void want(struct client *c)
{
    c->is_releasing = 0;
    rdl_redlock_acquire_begin(&c->lock, crowd_entropy(), now);
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
        c->until = now + crowd_below(3);
        c->until += c->until == 0;
        c->times++;
        last = now;
    }
}

static void begin(unsigned n)
{
    unsigned i, k;

    memset(clients, 0, sizeof clients);
    for (i = 0; i < n; i++) {
        struct client *c = &clients[i];
        for (k = 0; k < N; k++) {
            crowd_link_init(&c->links[k], k);
            c->servers[k].conn = &c->links[k].conn;
        }
        rdl_redlock_init(&c->lock, &opt, c->servers, N, "k", 1);
        for (k = 0; k < N; k++)
            crowd_connect(&c->links[k], now);
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
    now = last = 1000;
    crowd_begin(1u + (uint32_t)_i, now);
    holders = 0;
    begin(n);
    for (; served(n) < n; now++) {
        unsigned first = crowd_below(n);
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
