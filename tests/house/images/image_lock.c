/* SPDX-License-Identifier: MIT */
/* image_lock.c - a firmware with one plain lock, one conn and its own driver; measured, never run. */
#include "lock/lock.h"

#ifndef LOGIN
#define LOGIN &rdl_login
#endif
#ifndef WAYS
#define WAYS rdl_methods_script
#endif

void _start(void);

volatile uint32_t device; /* stands for clock and wire */

static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(1, 16) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint,
    .methods = &WAYS,
    .login = LOGIN,
    .queue = queue,
    .queue_len = sizeof queue,
};
static struct rdl_conn conn;

static void drive(void)
{
    uint8_t chunk[16];

    device = rdl_conn_wants(&conn);
    rdl_conn_opened(&conn);
    device = (uint32_t)rdl_conn_tx(&conn, chunk, sizeof chunk);
    rdl_conn_tx_done(&conn, device);
    rdl_conn_rx(&conn, chunk, device);
    rdl_conn_closed(&conn, (int)device);
}

void _start(void)
{
    static const struct rdl_lock_options options = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    static const uint8_t entropy[RDL_ENTROPY_LEN];
    static struct rdl_lock lock;

    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &options, &conn, RDL_NAME("job"));
    rdl_lock_acquire_begin(&lock, entropy, device);
    rdl_lock_extend_begin(&lock, 10000, device);
    rdl_lock_release_begin(&lock, device);
    for (;;) {
        drive();
        rdl_lock_step(&lock, device);
        device = rdl_lock_remaining_ms(&lock, device) + (uint32_t)rdl_lock_wake_ms(&lock);
    }
}
