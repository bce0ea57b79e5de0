/* SPDX-License-Identifier: MIT */
/*
 * app.c - take the lock, extend it and release it, again and again. The lock protects a number, which is read
 * and written back one larger: if two clients held the lock at once, an update would be lost. The program
 * ends when the number has reached "goal".
 */
#include "board.h"

enum { CHUNK = 16, NAME_LEN = 5, TTL_MS = 3000, SPARE_MS = 2000 };

static struct rdl_endpoint endpoint; /* empty: the line leads to the server, without a login */
static uint64_t queue[RDL_QUEUE_FOR(1, NAME_LEN) / 8];
static const struct rdl_conn_config config = {.endpoint = &endpoint,
                                              .methods = &rdl_methods_script,
                                              .queue = queue,
                                              .queue_len = sizeof queue,
                                              .stream = &line_stream};
static const struct rdl_lock_options options = {.ttl_ms = TTL_MS, .wait_ms = 200, .retry_ms = 10};
static struct rdl_conn conn;
static struct rdl_lock lock;

/* The main loop during an operation; do other work here. */
static int finish(int rc)
{
    uint8_t chunk[CHUNK];

    while (rc == RDL_PENDING) {
        idle();
        rdl_stream_drive(&conn, chunk, sizeof chunk);
        rc = rdl_lock_step(&lock, clock_ms());
    }
    return rc;
}

/* Returns 1 if the number was written. Checking the lease and writing take less than SPARE_MS together. */
static int update(uint32_t goal)
{
    uint32_t number = store_read("number");

    if (number >= goal)
        return 0;
    finish(rdl_lock_extend_begin(&lock, TTL_MS, clock_ms())); /* as if the work took long */
    if (rdl_lock_remaining_ms(&lock, clock_ms()) < SPARE_MS)
        return 0;
    store_write("number", number + 1);
    return 1;
}

void app(void)
{
    uint8_t unique[RDL_ENTROPY_LEN];
    uint32_t goal = store_read("goal");
    uint32_t updates = 0;

    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &options, &conn, "board", NAME_LEN);
    while (store_read("number") < goal) {
        unique_bytes(unique);
        if (finish(rdl_lock_acquire_begin(&lock, unique, clock_ms())) == RDL_OK)
            updates += (uint32_t)update(goal);
        finish(rdl_lock_release_begin(&lock, clock_ms()));
    }
    store_write("updates", updates);
    store_write("stack", stack_used());
}
