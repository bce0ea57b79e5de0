/* SPDX-License-Identifier: MIT */
/* image_redlock.c - a firmware with a lock over five servers and a driver of its own; measured, never run. */
#include "redlock/redlock.h"
#include "tests/house/images/image.h"

static struct rdl_server_info server_info;
static const struct rdl_conn_config config = {
    .endpoint = &endpoint,
    .methods = &rdl_methods_script,
    .login = &rdl_login,
    .queue = queue,
    .queue_len = sizeof queue,
    .server_info = &server_info,
};
static struct rdl_server servers[5];

void _start(void)
{
    static const struct rdl_redlock_options options = {
        .lease = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50}, .max_ttl_ms = 10000};
    static const uint8_t entropy[RDL_ENTROPY_LEN];
    static struct rdl_redlock lock;
    size_t i;

    rdl_conn_init(&conn, &config);
    for (i = 0; i < 5; i++)
        servers[i].conn = &conn;
    rdl_redlock_init(&lock, &options, servers, 5, RDL_NAME("job"));
    rdl_redlock_acquire_begin(&lock, entropy, device);
    rdl_redlock_extend_begin(&lock, 10000, device);
    rdl_redlock_release_begin(&lock, device);
    for (;;) {
        drive();
        rdl_redlock_step(&lock, device);
        device = rdl_redlock_remaining_ms(&lock, device) + (uint32_t)rdl_redlock_wake_ms(&lock);
    }
}
