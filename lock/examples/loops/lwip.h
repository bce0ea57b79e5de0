/* SPDX-License-Identifier: MIT */
/*
 * lwip.h - a stream over lwIP's raw API, in the main loop of a board without threads. One connection serves
 * as many locks as fit into its queue:
 *
 *     static uint64_t queue[RDL_QUEUE_FOR(8, 5) / 8];
 *     static struct lwip_link link;
 *     static const struct rdl_conn_config config = {..., .stream = &lwip_stream, .stream_ctx = &link};
 *     static struct rdl_lock lock[8];
 *     ...
 *     for (;;) {
 *         ethernetif_input(&netif);       // moves the packets on your board
 *         sys_check_timeouts();
 *         rdl_stream_drive(&conn, chunk, sizeof chunk);
 *         for (i = 0; i < 8; i++)
 *             rc[i] = rdl_lock_step(&lock[i], now_ms);
 *     }
 *
 * A test has such a loop, with a library as its network: tests/servers/lwip_main.c with tests/port/slirp.c.
 */
#ifndef LWIP_DRIVER_H
#define LWIP_DRIVER_H

#include "net/net_stream.h"

/* The state of one connection, all zero at first: its stream_ctx. */
struct lwip_link {
    struct tcp_pcb *pcb; /* NULL: none */
    struct pbuf *in;     /* received, not yet passed on; NULL: nothing */
    int is_open;
    int error; /* why lwIP ended the connection, or RDL_OK */
};

/* Its endpoints must be IPv4. It uses no member of the conn. */
extern const struct rdl_stream_ops lwip_stream;

#endif
