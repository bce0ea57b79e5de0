/* SPDX-License-Identifier: MIT */
/*
 * check_slots_crowd.c - many clients want a few slots: never more than N hold one, and each gets its share.
 * The test sets time and chance; a message takes a few ms. No client reaches all of three servers: this lets
 * too many in where semaphores count in one key of each server.
 *
 * Rule R24.
 */
#include <string.h>

#include "redlock/slots.h"
#include "tests/fixtures/crowd.h"
#include "tests/suite.h"

enum {
    N = 5,
    CLIENTS = 64,
    SERVERS = 3,
    TTL_MS = 400,
    ROUNDS = 10000,
    LEAST_JAIN = 950, /* of 1000 */
    END_MS = 2000000
};

static struct client {
    struct crowd_link links[SERVERS];
    struct rdl_server servers[SERVERS];
    struct rdl_redlock lock;
    struct rdl_slots slots;
    uint64_t until;  /* when it releases its slot; 0: it wants one, or is releasing it */
    uint64_t paused; /* it does nothing before */
    unsigned times;
} clients[CLIENTS];

static struct rdl_redlock_options opt;
static uint64_t now, down_until;
static unsigned n_clients, n_servers, down, rounds;
static int has_faults;

/* With faults each client lacks one server for good. */
static int is_reached(unsigned client, unsigned server)
{
    return !has_faults || (client % n_servers != server && !(down_until > now && server == down));
}

/* Half of the connections deliver their bytes this time, in any order. */
static void deliver_some(void)
{
    unsigned links = n_clients * n_servers, first = crowd_below(links), k;

    for (k = 0; k < links; k++) {
        unsigned i = (first + 7 * k) % links / n_servers, s = (first + 7 * k) % links % n_servers;
        struct crowd_link *l = &clients[i].links[s];
        if (!is_reached(i, s))
            continue;
        crowd_connect(l, now);
        if (crowd_below(2) == 0)
            crowd_deliver(l, now);
    }
}

/* A server loses all keys, and is down for the longest ttl: within the assumptions. */
static void lose_a_server(void)
{
    unsigned i;

    down = crowd_below(n_servers);
    down_until = now + TTL_MS + 1000;
    sim_server_flush(crowd_server(down));
    for (i = 0; i < n_clients; i++)
        crowd_break(&clients[i].links[down]);
}

static void disturb(void)
{
    if (crowd_below(3000) == 0 && down_until + 3 * TTL_MS < now)
        lose_a_server();
    if (crowd_below(200) == 0)
        clients[crowd_below(n_clients)].paused = now + crowd_below(2 * TTL_MS);
}

static void want(struct client *c)
{
    rdl_slots_acquire_begin(&c->slots, crowd_entropy(), now);
}

static void act(struct client *c)
{
    int rc;

    if (now < c->paused)
        return;
    rc = rdl_slots_step(&c->slots, now);
    if (rc == RDL_PENDING)
        return;
    if (c->until != 0) {
        if (now < c->until)
            return;
        c->until = 0;
        rdl_redlock_release_begin(&c->lock, now);
    } else if (rc >= 0 && rdl_redlock_remaining_ms(&c->lock, now) > 0) {
        c->until = now + 1 + crowd_below(20);
        c->times++;
        rounds++;
    } else {
        want(c);
    }
}

static void check_holders(void)
{
    unsigned held = 0, i;
    int is_taken[N] = {0};

    for (i = 0; i < n_clients; i++) {
        const struct client *c = &clients[i];
        if (rdl_redlock_remaining_ms(&c->lock, now) == 0)
            continue;
        ck_assert_uint_lt(c->slots.slot, N);
        ck_assert_int_eq(is_taken[c->slots.slot]++, 0);
        held++;
    }
    ck_assert_uint_le(held, N);
}

static void begin(unsigned clients_wanted, unsigned servers)
{
    unsigned i, k;

    n_clients = clients_wanted;
    n_servers = servers;
    opt = (struct rdl_redlock_options){
        .lease = {.ttl_ms = TTL_MS, .wait_ms = 20000, .retry_ms = 5, .attempt_ms = 50},
        .max_ttl_ms = TTL_MS,
        .guard = RDL_GUARD_OFF};
    now = 1000000;
    down_until = rounds = 0;
    memset(clients, 0, sizeof clients);
    crowd_begin(1, now);
    for (i = 0; i < n_clients; i++) {
        struct client *c = &clients[i];
        for (k = 0; k < n_servers; k++) {
            crowd_link_init(&c->links[k], k);
            c->servers[k].conn = &c->links[k].conn;
        }
        rdl_redlock_init(&c->lock, &opt, c->servers, n_servers, "k", 1);
        ck_assert_int_eq(rdl_slots_init(&c->slots, &c->lock, N), RDL_OK);
        want(c);
    }
}

static void run(unsigned until)
{
    uint64_t end = now + END_MS;
    unsigned i;

    for (; rounds < until; now++) {
        unsigned first = crowd_below(n_clients);
        if (has_faults)
            disturb();
        deliver_some();
        for (i = 0; i < n_clients; i++)
            act(&clients[(first + i) % n_clients]);
        check_holders();
        ck_assert_uint_lt(now, end);
    }
}

/* Jain's index of the acquisitions, in thousandths: 1000 if all clients got the same number. */
static unsigned jain(void)
{
    uint64_t sum = 0, squares = 0;
    unsigned i;

    for (i = 0; i < n_clients; i++) {
        sum += clients[i].times;
        squares += (uint64_t)clients[i].times * clients[i].times;
    }
    return (unsigned)(1000 * sum * sum / (n_clients * squares));
}

START_TEST(no_more_than_n_hold_a_slot_without_one_of_three_servers)
{
    has_faults = 1;
    begin(N + 10, 3);
    run(ROUNDS);
}
END_TEST

START_TEST(every_client_gets_its_share_of_the_slots)
{
    has_faults = 0;
    begin(CLIENTS, 1);
    run(ROUNDS);
    ck_assert_uint_gt(jain(), LEAST_JAIN);
}
END_TEST

Suite *suite_slots_crowd(void)
{
    Suite *suite = suite_create("slots_crowd");
    TCase *tc = suite_case(suite, "crowd", NULL, NULL);

    tcase_add_test(tc, no_more_than_n_hold_a_slot_without_one_of_three_servers);
    tcase_add_test(tc, every_client_gets_its_share_of_the_slots);
    return suite;
}
