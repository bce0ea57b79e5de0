/* SPDX-License-Identifier: MIT */
/* minimal.c - hold a lock on one server while there is work: minimal redis://127.0.0.1:6379 */
#include <stdio.h>

#include "lock/lock.h"

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
    uint8_t queue[RDL_QUEUE_MIN];
    uint8_t tx[RDL_TX_MIN];
    uint8_t rx[256];
    char text[256];
    struct rdl_endpoint server;
    const struct rdl_conn_config config = {.endpoint = &server,
                                           .queue = queue,
                                           .queue_len = sizeof queue,
                                           .tx = tx,
                                           .tx_len = sizeof tx,
                                           .rx = rx,
                                           .rx_len = sizeof rx};
    struct rdl_posix posix;
    struct rdl_net net;
    struct rdl_conn conn;
    struct rdl_lock lock;
    static const struct rdl_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};

    if (argc != 2 || rdl_url_parse(&server, argv[1], text, sizeof text, NULL) != RDL_OK) {
        fprintf(stderr, "usage: minimal redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_posix_init(&posix, &net);
    rdl_conn_init(&conn, &config);

    rdl_lock_init(&lock, &rdl_lock_px, &opt, &conn, "nightly", 7);
    int rc = rdl_lock_acquire(&lock, &net);
    if (rc < 0) {
        fprintf(stderr, "%s\n", rdl_lock_strerror(rc));
        return 1;
    }
    while (work_is_left() && rdl_lock_remaining_ms(&lock, net.now_ms(net.ctx)) > 1000)
        do_a_little();
    rdl_lock_release(&lock, &net);
    return 0;
}
