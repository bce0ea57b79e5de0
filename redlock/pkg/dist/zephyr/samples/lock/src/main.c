/* SPDX-License-Identifier: MIT */
/* main.c - takes a lock on one server, works, and releases it. */
#include "redlock/redlock.h"

#include <stdio.h>

int main(void)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    static struct rdl_posix_conn server; /* the connection and its buffers */
    static struct rdl_posix posix;
    static struct rdl_lock lock;
    struct rdl_platform platform; /* sockets, clock and random numbers */
    int rc = rdl_posix_conn_init(&server, CONFIG_SAMPLE_SERVER, NULL);

    if (rc == RDL_OK) {
        rdl_posix_init(&posix, &platform);
        rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
        rc = rdl_lock_acquire(&lock, &platform);
    }
    if (rc < 0) {
        printf("acquire: %s\n", rdl_strerror(rc));
        return 0;
    }
    printf("the lock lasts for %u ms\n", (unsigned)rdl_lock_remaining_ms(&lock, rdl_now(&platform)));
    /* the work; if it takes longer: rdl_lock_extend */
    printf("release: %s\n", rdl_strerror(rdl_lock_release(&lock, &platform)));
    return 0;
}
