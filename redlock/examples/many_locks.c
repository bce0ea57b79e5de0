/* SPDX-License-Identifier: MIT */
/*
 * many_locks.c - a hundred orders at once, each under its own lock, over the same five connections.
 *
 *     make && build/examples/redlock/many_locks URL URL URL URL URL
 *
 * prints:
 *
 *     100 of 100 orders done
 *
 * A lock takes a few hundred bytes and no connection. If a connection's queue is full, the lock waits for
 * room.
 */
#include <stdio.h>

#include "redlock/redlock.h"

enum { ORDERS = 100 };

static const struct rdl_redlock_options opt = {
    .lease = {.ttl_ms = 20000, .wait_ms = 5000, .retry_ms = 50, .attempt_ms = 2000}, /* requests queue up */
    .max_ttl_ms = 20000,
    .guard = RDL_GUARD_OFF, /* these servers lose nothing: appendfsync always */
};

static struct order {
    struct rdl_redlock lock;
    struct rdl_server servers[5];
    char name[12];
    enum { WAITING, WORKING, RELEASING, DONE, FAILED } state;
} orders[ORDERS];

static struct rdl_posix_conn conns[5];
static struct rdl_posix posix;
static struct rdl_platform platform;

static int connect_to(char **urls)
{
    for (size_t i = 0; i < 5; i++) {
        if (rdl_posix_conn_init(&conns[i], urls[i], NULL) != RDL_OK)
            return -1;
    }
    rdl_posix_init(&posix, &platform);
    return 0;
}

static int begin(struct order *o, int number)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    for (size_t i = 0; i < 5; i++)
        o->servers[i].conn = &conns[i].conn;
    rdl_redlock_init(&o->lock, &opt, o->servers, 5, o->name,
                     (size_t)snprintf(o->name, sizeof o->name, "order %d", number));
    if (platform.random(platform.ctx, entropy, sizeof entropy) != RDL_OK)
        return -1;
    rdl_redlock_acquire_begin(&o->lock, entropy, rdl_now(&platform));
    return 0;
}

/* Continues one order, without waiting. */
static void go_on(struct order *o, uint64_t now_ms)
{
    int rc = rdl_redlock_step(&o->lock, now_ms);

    if (rc == RDL_PENDING || o->state >= DONE)
        return;
    if (o->state == WAITING) {
        o->state = rc >= 0 ? WORKING : FAILED;
    } else if (o->state == WORKING) { /* work here while remaining_ms is not 0 */
        o->state = RELEASING;
        rdl_redlock_release_begin(&o->lock, now_ms);
    } else {
        o->state = rc == RDL_OK ? DONE : FAILED;
    }
}

/* Continues all orders until each is done and has no key on the servers. Returns how many are done. */
static int go_on_with_all(void)
{
    struct rdl_conn *all[5] = {&conns[0].conn, &conns[1].conn, &conns[2].conn, &conns[3].conn,
                               &conns[4].conn};
    uint64_t end_ms = rdl_now(&platform) + 10000;
    uint64_t now_ms = 0;
    int busy = 1;
    int done = 0;

    while (busy > 0 && now_ms < end_ms) {
        now_ms = rdl_now(&platform);
        busy = done = 0;
        for (int i = 0; i < ORDERS; i++) {
            go_on(&orders[i], now_ms);
            busy += orders[i].state < DONE || !rdl_redlock_is_idle(&orders[i].lock);
            done += orders[i].state == DONE;
        }
        if (busy > 0)
            platform.poll(platform.ctx, all, 5, now_ms + 10, 0);
    }
    return done;
}

int main(int argc, char **argv)
{
    int done;

    if (argc != 6 || connect_to(argv + 1) != 0) {
        fprintf(stderr, "usage: many_locks URL URL URL URL URL, each redis://ADDRESS:PORT\n");
        return 2;
    }
    for (int i = 0; i < ORDERS; i++) {
        if (begin(&orders[i], i) != 0)
            return 1;
    }
    done = go_on_with_all();
    printf("%d of %d orders done\n", done, ORDERS);
    return done == ORDERS ? 0 : 1;
}
