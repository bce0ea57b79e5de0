/* SPDX-License-Identifier: MIT */
/*
 * bench_lock.c - a plain lock acquired and released through the lock and the conn, with no socket and no
 * clock.
 *
 * Under callgrind: some cycles to warm up, then CYCLES, whose instructions are all that is counted. The
 * driver is the smallest possible: one chunk out, a canned reply in.
 */
#include "lock/lock.h"

#include <stdio.h>
#include <string.h>

#if defined __has_include /* the linters read this file also where valgrind is not installed */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_TOGGLE_COLLECT
#endif

enum { CYCLES = 1000, WARM = 10, TURNS = 10 };

static const char name[] = "lock:orders:0017"; /* 16 bytes */
static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(1, sizeof name - 1) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint, .methods = &rdl_methods_script, .queue = queue, .queue_len = sizeof queue};
static struct rdl_conn conn;
static struct rdl_lock lock;
static unsigned long sent_bytes;

static int finish(int rc, const char *reply)
{
    uint8_t window[256];

    for (int turn = 0; rc == RDL_PENDING && turn < TURNS; turn++) {
        unsigned wants = rdl_conn_wants(&conn);
        size_t n;

        if (wants & RDL_WANT_OPEN)
            rdl_conn_opened(&conn);
        n = rdl_conn_tx(&conn, window, sizeof window);
        if (n > 0) {
            rdl_conn_tx_done(&conn, n);
            rdl_conn_rx(&conn, (const uint8_t *)reply, strlen(reply));
            sent_bytes += n;
        }
        rc = rdl_lock_step(&lock, 0);
    }
    return rc;
}

static int cycle(void)
{
    static const uint8_t entropy[RDL_ENTROPY_LEN] = {1, 2, 3};
    int rc = finish(rdl_lock_acquire_begin(&lock, entropy, 0), "+OK\r\n:30000\r\n");

    return rc == RDL_OK ? finish(rdl_lock_release_begin(&lock, 0), ":1\r\n") : rc;
}

int main(void)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 30000, .wait_ms = 5000, .retry_ms = 50};
    int rc = RDL_OK;
    int i;

    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &opt, &conn, name, sizeof name - 1);
    for (i = 0; i < WARM && rc == RDL_OK; i++)
        rc = cycle();
    sent_bytes = 0;
    CALLGRIND_TOGGLE_COLLECT;
    for (i = 0; i < CYCLES && rc == RDL_OK; i++)
        rc = cycle();
    CALLGRIND_TOGGLE_COLLECT;
    printf("%d cycles, %lu bytes sent in each: %s\n", CYCLES, sent_bytes / CYCLES, rdl_strerror(rc));
    return rc != RDL_OK;
}
