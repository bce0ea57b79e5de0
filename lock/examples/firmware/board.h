/* SPDX-License-Identifier: MIT */
/* board.h - what the files of the port give each other; each of them can be replaced by your board's. */
#ifndef FIRMWARE_BOARD_H
#define FIRMWARE_BOARD_H

#include "lock/lock.h"

/* start_*: the processor. */
uint32_t tick(void); /* counts up by ticks_per_ms, whatever is going on, and wraps */
extern const uint32_t ticks_per_ms;
void idle(void); /* sleep for a millisecond at most, and no longer than the UART stores what comes */

/* ram.c: before all else; then how many bytes the stack ever took. */
void ram_start(void);
uint32_t stack_used(void);

/* uart_*: the line. Neither waits. 1: done; 0: not now; -1: bytes that came were lost. */
void uart_start(void);
int uart_put(uint8_t byte);
int uart_get(uint8_t *byte);
void uart_woke(void); /* where it has an interrupt: which has ended a sleep */

/* conn_uart.c: what the conn wants of the line and can be done at once. In each turn of the main loop. */
void conn_drive(struct rdl_conn *c);

/* clock.c: ms since the start; never goes back. Call it at least once in each wrap of the tick. */
uint64_t clock_ms(void);

/* unique.c: bytes that no other call gives, on any board or ever again. */
void unique_start(void);
void unique_bytes(uint8_t bytes[RDL_ENTROPY_LEN]);

/* store_*: numbers that outlive a reset. 0: it was never written. */
uint32_t store_read(const char *name);
void store_write(const char *name, uint32_t number);
void halt(int status);

/* app.c: what the firmware is for. */
void app(void);

#endif
