/* SPDX-License-Identifier: MIT */
/*
 * minimal.c - hold a lock on a majority of five servers. Each URL is redis://ADDRESS:PORT.
 *
 *     make && build/examples/redlock/minimal URL URL URL URL URL
 *
 * prints:
 *
 *     ours on 3 of 5 for 1978 ms
 */
#include <stdio.h>

#include "redlock/redlock.h"

int main(int argc, char **argv)
{
    static struct rdl_posix_conn conns[5];
    struct rdl_server servers[5];
    struct rdl_redlock lock;
    static const struct rdl_redlock_options opt = {
        .lease = {.ttl_ms = 2000, .wait_ms = 5000, .retry_ms = 50},
        .max_ttl_ms = 2000,
    };
    struct rdl_posix posix;
    struct rdl_platform platform;
    size_t i;

    for (i = 0; i < 5; i++) {
        if (argc != 6 || rdl_posix_conn_init(&conns[i], argv[i + 1], NULL) != RDL_OK) {
            fprintf(stderr, "usage: minimal URL URL URL URL URL, each redis://ADDRESS:PORT\n");
            return 2;
        }
    }
    rdl_posix_init(&posix, &platform);

    for (i = 0; i < 5; i++)
        servers[i].conn = &conns[i].conn;
    rdl_redlock_init(&lock, &opt, servers, 5, RDL_NAME("nightly"));
    int rc = rdl_redlock_acquire(&lock, &platform);
    if (rc < 0) {
        fprintf(stderr, "%s\n", rdl_strerror(rc));
        return 1;
    }
    printf("ours on %u of 5 for %u ms\n", rdl_redlock_count(&lock, RDL_VOTE_GRANTED),
           (unsigned)rdl_redlock_remaining_ms(&lock, rdl_now(&platform)));
    rdl_redlock_release(&lock, &platform);
    rdl_redlock_drain(&lock, &platform, rdl_now(&platform) + 1000); /* also on slow servers */
    return 0;
}
