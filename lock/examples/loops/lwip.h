/* SPDX-License-Identifier: MIT */
/*
 * lwip.h - a driver for lwIP's raw API, in the main loop of a board without threads. One connection serves as
 * many locks as fit into its queue:
 *
 *     static uint64_t queue[RDL_QUEUE_FOR(8, 5) / 8];
 *     static struct rdl_lock lock[8];
 *     ...
 *     for (;;) {
 *         ethernetif_input(&netif);       // moves the packets on your board
 *         sys_check_timeouts();
 *         lwip_drive(&conn);
 *         for (i = 0; i < 8; i++)
 *             rc[i] = rdl_lock_step(&lock[i], now_ms);
 *     }
 *
 * A test has such a loop, with a library as its network: tests/servers/lwip_main.c with tests/port/slirp.c.
 */
#ifndef LWIP_DRIVER_H
#define LWIP_DRIVER_H

#include "net/net.h"

/* Does what the connection wants, once; never waits. Its endpoint must be IPv4. Uses its `transport`. */
void lwip_drive(struct rdl_conn *conn);

#endif
