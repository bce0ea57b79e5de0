/* SPDX-License-Identifier: MIT */
/* minimal.c - hold a lock on a majority of five servers: minimal URL URL URL URL URL */
#include <stdio.h>

#include "redlock/redlock.h"

int main(int argc, char **argv)
{
    static uint8_t queues[5][RDL_QUEUE_MIN];
    static uint8_t tx[5][RDL_TX_MIN];
    static uint8_t rx[256]; /* one for all */
    static char texts[5][256];
    struct rdl_endpoint endpoints[5];
    struct rdl_conn_config configs[5];
    struct rdl_conn conns[5];
    struct rdl_posix posix;
    struct rdl_net net;
    struct rdl_server servers[5];
    struct rdl_redlock lock;
    static const struct rdl_redlock_options opt = {
        .lease = {.ttl_ms = 2000, .wait_ms = 5000, .retry_ms = 50},
        .max_ttl_ms = 2000,
        .guard = RDL_GUARD_IF_PERMITTED,
    };
    size_t i;

    for (i = 0; i < 5; i++) {
        const struct rdl_conn_config config = {
            &endpoints[i], queues[i], sizeof queues[i], tx[i], sizeof tx[i], rx, sizeof rx, 0, NULL, NULL};
        if (argc != 6 ||
            rdl_url_parse(&endpoints[i], argv[i + 1], texts[i], sizeof texts[i], NULL) != RDL_OK) {
            fprintf(stderr, "usage: minimal URL URL URL URL URL, each redis://ADDRESS:PORT\n");
            return 2;
        }
        configs[i] = config;
        rdl_conn_init(&conns[i], &configs[i]);
    }
    rdl_posix_init(&posix, &net);

    for (i = 0; i < 5; i++)
        servers[i].conn = &conns[i];
    rdl_redlock_init(&lock, &opt, servers, 5, "nightly", 7);
    int rc = rdl_redlock_acquire(&lock, &net);
    if (rc < 0) {
        fprintf(stderr, "%s\n", rdl_strerror(rc));
        return 1;
    }
    printf("ours on %u of 5 for %u ms\n", rdl_redlock_count(&lock, RDL_VOTE_GRANTED),
           (unsigned)rdl_redlock_remaining_ms(&lock, net.now_ms(net.ctx)));
    rdl_redlock_release(&lock, &net);
    rdl_redlock_drain(&lock, &net, net.now_ms(net.ctx) + 1000); /* the slow ones too */
    return 0;
}
