/* SPDX-License-Identifier: MIT */
/*
 * minimal.c - hold a lock on one server during some work.
 *
 *     make && build/examples/lock/minimal redis://127.0.0.1:6379
 *
 * prints:
 *
 *     2 to go
 *     1 to go
 *     0 to go
 */
#include <stdio.h>

#include "lock/lock_io.h"

static int steps = 3;

static int work_is_left(void)
{
    return steps > 0;
}

static void do_a_little(void)
{
    printf("%d to go\n", --steps);
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock lock;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: minimal redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_posix_init(&posix, &platform);
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    int rc = rdl_lock_acquire(&lock, &platform);
    if (rc < 0) {
        fprintf(stderr, "%s\n", rdl_strerror(rc));
        return 1;
    }
    while (work_is_left() && rdl_lock_remaining_ms(&lock, rdl_now(&platform)) > 1000)
        do_a_little();
    rdl_lock_release(&lock, &platform);
    return 0;
}
