/* SPDX-License-Identifier: MIT */
/* lwip_main.c - eight locks over one connection of lwIP, to a server here: lwip redis://10.0.2.2:PORT */
#define _POSIX_C_SOURCE 200809L /* lwIP has a ssize_t of its own without */
#include "lock/examples/loops/lwip.h"
#include "lock/lock_io.h"
#include "tests/port/slirp.h"

#include <lwip/priv/tcp_priv.h>
#include <stdio.h>

enum { LOCKS = 8 };

static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(LOCKS, 5) / 8];
static struct lwip_link link_to_server;
static const struct rdl_conn_config config = {.endpoint = &endpoint,
                                              .methods = &rdl_methods_script,
                                              .queue = queue,
                                              .queue_len = sizeof queue,
                                              .stream = &lwip_stream,
                                              .stream_ctx = &link_to_server};
static struct rdl_conn conn;
static struct rdl_lock lock[LOCKS];

/* Until no operation is pending. Returns how many succeeded; *rc: the last result. */
static int finish(int *rc)
{
    uint8_t chunk[256];
    int pending, done, did;

    do {
        uint64_t now_ms = rdl_posix_now_ms(), wake_ms = now_ms + 1000;

        pending = done = 0;
        did = rdl_stream_drive(&conn, chunk, sizeof chunk);
        for (int i = 0; i < LOCKS; i++) {
            *rc = rdl_lock_step(&lock[i], now_ms);
            pending += *rc == RDL_PENDING;
            done += *rc == RDL_OK;
            if (rdl_lock_wake_ms(&lock[i]) < wake_ms)
                wake_ms = rdl_lock_wake_ms(&lock[i]);
        }
        if (did || (rdl_conn_wants(&conn) & RDL_WANT_WRITE))
            wake_ms = now_ms;
        board_turn(wake_ms > now_ms ? (uint32_t)(wake_ms - now_ms) : 0);
    } while (pending > 0);
    return done;
}

/* The connections of lwIP. */
static int connections(void)
{
    int n = 0;

    for (struct tcp_pcb *pcb = tcp_active_pcbs; pcb != NULL; pcb = pcb->next)
        n++;
    return n;
}

int main(int argc, char **argv)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    static char text[RDL_POSIX_URL_MAX], name[LOCKS][6];
    uint8_t entropy[RDL_ENTROPY_LEN];
    int rc = RDL_OK;

    if (argc != 2 || rdl_url_parse(&endpoint, argv[1], text, sizeof text, NULL) != RDL_OK)
        return 2;
    board_begin();
    rdl_conn_init(&conn, &config);
    for (int i = 0; i < LOCKS && rc >= 0; i++) {
        rdl_lock_init(&lock[i], &opt, &conn, name[i], (size_t)snprintf(name[i], sizeof name[i], "job %d", i));
        rc = rdl_posix_random(entropy, sizeof entropy);
        if (rc == RDL_OK)
            rdl_lock_acquire_begin(&lock[i], entropy, rdl_posix_now_ms());
    }
    printf("acquired: %d\n", finish(&rc));
    if (rc < 0)
        printf("the last: %s\n", rdl_strerror(rc));
    for (int i = 0; i < LOCKS; i++)
        rdl_lock_release_begin(&lock[i], rdl_posix_now_ms());
    printf("released: %d\n", finish(&rc));
    printf("connections: %d\n", connections());
    return rc < 0;
}
