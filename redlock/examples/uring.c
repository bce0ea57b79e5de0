/* SPDX-License-Identifier: MIT */
/*
 * uring.c - a lock on a majority of the servers, over io_uring where it is allowed. Each URL is
 * redis://ADDRESS:PORT.
 *
 *     make && build/examples/redlock/uring URL URL URL
 *
 * prints:
 *
 *     ours for 1978 ms
 *     released
 *
 * Where io_uring is refused, as in most containers, it reports why on stderr and uses poll(2) instead.
 */
#include <stdio.h>

#include "net/net_uring.h"
#include "redlock/redlock.h"

int main(int argc, char **argv)
{
    static struct rdl_posix_conn conns[RDL_SERVERS_MAX];
    struct rdl_server servers[RDL_SERVERS_MAX];
    struct rdl_redlock lock;
    static const struct rdl_redlock_options opt = {
        .lease = {.ttl_ms = 2000, .wait_ms = 5000, .retry_ms = 50},
        .max_ttl_ms = 2000,
    };
    struct rdl_platform platform;
    struct rdl_posix posix;
    struct rdl_uring uring;
    const char *why;
    int n = argc - 1, i, rc;

    for (i = 0; i < n && n <= RDL_SERVERS_MAX; i++) {
        servers[i].conn = &conns[i].conn;
        if (rdl_posix_conn_init(&conns[i], argv[i + 1], NULL) != RDL_OK)
            n = 0;
    }
    if (n < 1 || n > RDL_SERVERS_MAX) {
        fprintf(stderr, "usage: uring URL..., 1 to 7 of redis://ADDRESS:PORT\n");
        return 2;
    }
    if (rdl_uring_init(&uring, &platform, &why) != RDL_OK) {
        fprintf(stderr, "no io_uring, so poll: %s\n", why);
        rdl_posix_init(&posix, &platform);
    }
    rdl_redlock_init(&lock, &opt, servers, (size_t)n, RDL_NAME("nightly"));
    rc = rdl_redlock_acquire(&lock, &platform);
    if (rc == RDL_OK) {
        printf("ours for %u ms\n", (unsigned)rdl_redlock_remaining_ms(&lock, rdl_now(&platform)));
        rc = rdl_redlock_release(&lock, &platform);
    }
    printf("%s\n", rc == RDL_OK ? "released" : rdl_strerror(rc));
    rdl_redlock_drain(&lock, &platform, rdl_now(&platform) + 1000); /* also on slow servers */
    for (i = 0; i < n; i++)
        rdl_uring_close(&uring, &conns[i].conn); /* after a refusal, too */
    rdl_uring_end(&uring);
    return rc != RDL_OK;
}
