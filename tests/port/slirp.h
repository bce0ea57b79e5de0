/* SPDX-License-Identifier: MIT */
/*
 * slirp.h - a board for lwIP on this machine, whose Ethernet ends in libslirp. So it reaches a real server
 * without a device and without root. It sees 127.0.0.1 of this machine as 10.0.2.2.
 */
#ifndef RDL_TESTS_SLIRP_H
#define RDL_TESTS_SLIRP_H

#include <stdint.h>

/* lwIP and its interface are up. */
void board_begin(void);
/* Moves frames and lwIP's timers, after a wait of wait_ms at most. */
void board_turn(uint32_t wait_ms);

#endif
