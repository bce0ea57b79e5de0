/* SPDX-License-Identifier: MIT */
/* image_cost.c - how many instructions an acquire and its release take, without the wire. */
#include "lock/lock.h"
#include "tests/targets/image.h"

#include <stdio.h>

/* Enough calls for a clock that is read in steps of some ten instructions. */
enum { PAIRS = 1000, CHUNK = 256 };

static const struct rdl_endpoint endpoint; /* no login */
static uint64_t queue[RDL_QUEUE_FOR(1, 7) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint, .methods = &rdl_methods_script, .queue = queue, .queue_len = sizeof queue};
static struct rdl_conn conn;
static struct rdl_lock lock;

/* A driver's part: passes the bytes on as they come. */
static int exchange(const char *reply, size_t len, uint64_t now_ms)
{
    static uint8_t chunk[CHUNK];

    while (rdl_conn_wants(&conn) & RDL_WANT_WRITE)
        rdl_conn_tx_done(&conn, rdl_conn_tx(&conn, chunk, sizeof chunk));
    rdl_conn_rx(&conn, (const uint8_t *)reply, len);
    return rdl_lock_step(&lock, now_ms);
}

static int pair(uint64_t now_ms)
{
    static const uint8_t entropy[RDL_ENTROPY_LEN] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const char granted[] = "+OK\r\n:10000\r\n", deleted[] = ":1\r\n";
    int failed = rdl_lock_acquire_begin(&lock, entropy, now_ms) != RDL_PENDING;

    failed += exchange(granted, sizeof granted - 1, now_ms + 1) != RDL_OK;
    failed += rdl_lock_release_begin(&lock, now_ms + 2) != RDL_PENDING;
    failed += exchange(deleted, sizeof deleted - 1, now_ms + 3) != RDL_OK;
    return failed;
}

int image_cost(void)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000};
    uint64_t now_ms = 1000;
    uint32_t began;
    int failed;

    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &opt, &conn, "nightly", 7);
    rdl_conn_tick(&conn, now_ms);
    rdl_conn_opened(&conn);
    failed = pair(now_ms); /* sends the script's text; from then on its hash */
    began = board_instructions();
    for (int i = 0; i < PAIRS; i++)
        failed += pair(now_ms += 10);
    printf("instructions: %lu\n", (unsigned long)((board_instructions() - began) / PAIRS));
    return failed;
}
