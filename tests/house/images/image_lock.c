/* SPDX-License-Identifier: MIT */
/* image_lock.c - a firmware with one plain lock, one conn and its own driver; measured, never run. */
#include "lock/lock.h"
#include "tests/house/images/image.h"

#ifndef LOGIN
#define LOGIN &rdl_login
#endif
#ifndef WAYS
#define WAYS rdl_methods_script
#endif

static const struct rdl_conn_config config = {
    .endpoint = &endpoint,
    .methods = &WAYS,
    .login = LOGIN,
    .queue = queue,
    .queue_len = sizeof queue,
};

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
