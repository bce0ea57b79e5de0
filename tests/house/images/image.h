/* SPDX-License-Identifier: MIT */
/* image.h - what the measured firmwares have in common: one conn and a driver of their own. */
#ifndef RDL_TESTS_IMAGE_H
#define RDL_TESTS_IMAGE_H

#include "net/net.h"

void _start(void);

volatile uint32_t device; /* in place of clock and wire */

static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(1, 16) / 8];
static struct rdl_conn conn;

static void drive(void)
{
    uint8_t chunk[16];

    device = rdl_conn_wants(&conn);
    rdl_conn_opened(&conn);
    device = (uint32_t)rdl_conn_tx(&conn, chunk, sizeof chunk);
    rdl_conn_tx_done(&conn, device);
    rdl_conn_rx(&conn, chunk, device);
    rdl_conn_closed(&conn, (int)device);
}

#endif
