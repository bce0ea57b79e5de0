/* SPDX-License-Identifier: MIT */
/*
 * superloop.c - a lock on five servers in a loop that never waits.
 *
 *     make && build/examples/redlock/superloop URL URL URL URL URL
 *
 * prints:
 *
 *     pumped: done
 *
 * This is how it works on a small processor: each turn of the loop checks everything, and never sleeps.
 * Instead of platform.poll, a small processor calls the driver of its network chip.
 */
#include <stdio.h>

#include "redlock/redlock.h"

static const struct rdl_redlock_options opt = {
    .lease = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50, .attempt_ms = 1000}, /* a turn may be slow */
    .max_ttl_ms = 10000,
    .guard = RDL_GUARD_OFF, /* these servers lose nothing: appendfsync always */
};

static struct rdl_posix_conn conns[5];
static struct rdl_redlock lock;
static unsigned long turns;

static int connect_to(char **urls)
{
    static struct rdl_server servers[5];

    for (size_t i = 0; i < 5; i++) {
        if (rdl_posix_conn_init(&conns[i], urls[i], NULL) != RDL_OK)
            return -1;
        servers[i].conn = &conns[i].conn;
    }
    rdl_redlock_init(&lock, &opt, servers, 5, RDL_NAME("pump"));
    return 0;
}

/* Runs the rest of the device, which pumps while it may. Returns 1 when it is done. */
static int run_pump(int may_run)
{
    static unsigned strokes;

    strokes += may_run != 0;
    return strokes == 1000;
}

int main(int argc, char **argv)
{
    struct rdl_conn *all[5] = {&conns[0].conn, &conns[1].conn, &conns[2].conn, &conns[3].conn,
                               &conns[4].conn};
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_posix posix;
    struct rdl_platform platform;
    int is_done = 0;
    int rc;

    if (argc != 6 || connect_to(argv + 1) != 0) {
        fprintf(stderr, "usage: superloop URL URL URL URL URL, each redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_posix_init(&posix, &platform);
    if (platform.random(platform.ctx, entropy, sizeof entropy) != RDL_OK)
        return 1;
    rc = rdl_redlock_acquire_begin(&lock, entropy, rdl_now(&platform));
    while (!is_done && rc >= 0) {
        uint64_t now_ms;

        platform.poll(platform.ctx, all, 5, 0, 0); /* sends and receives without waiting */
        now_ms = rdl_now(&platform); /* after reading, or a reply that has arrived may seem overdue */
        rc = rdl_redlock_step(&lock, now_ms);
        is_done = run_pump(rdl_redlock_remaining_ms(&lock, now_ms) > 0);
        turns++;
    }
    printf("%s: %s\n", is_done ? "pumped" : "not pumped", rdl_strerror(rc));
    if (is_done)
        rdl_redlock_release_begin(&lock, rdl_now(&platform));
    for (uint64_t end_ms = rdl_now(&platform) + 1000; !rdl_redlock_is_idle(&lock); turns++) {
        uint64_t now_ms;

        platform.poll(platform.ctx, all, 5, 0, 0);
        now_ms = rdl_now(&platform);
        rdl_redlock_step(&lock, now_ms);
        if (now_ms >= end_ms)
            break; /* on servers that are down, the ttl ends the lock */
    }
    return is_done ? 0 : 1;
}
