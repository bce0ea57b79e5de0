/* SPDX-License-Identifier: MIT */
/* board.h - the interfaces between the files of the port; replace any file by one for your board. */
#ifndef FIRMWARE_BOARD_H
#define FIRMWARE_BOARD_H

#include "lock/lock.h"
#include "net/net_stream.h"

/* start_*: the processor. */
uint32_t tick(void); /* always counts up, by ticks_per_ms in each ms, and wraps */
extern const uint32_t ticks_per_ms;
void idle(void); /* sleeps for 1 ms at most, and no longer than the UART can store received bytes */

/* ram.c: ram_start comes before all else; stack_used returns how many bytes of stack were ever used. */
void ram_start(void);
uint32_t stack_used(void);

/* uart_*: the line. They never wait. 1: done; 0: not now; -1: received bytes were lost. */
void uart_start(void);
int uart_put(uint8_t byte);
int uart_get(uint8_t *byte);
void uart_woke(void); /* called by an interrupt of the UART, which ends a sleep */

/* conn_uart.c: the stream of the connection's configuration. */
extern const struct rdl_stream_ops line_stream;

/* clock.c: ms since the start; never goes back. Call it at least once before the tick wraps again. */
uint64_t clock_ms(void);

/* unique.c: bytes that no other call returns, on any board, at any time. */
void unique_start(void);
void unique_bytes(uint8_t bytes[RDL_ENTROPY_LEN]);

/* store_*: numbers that survive a reset. 0: it was never written. */
uint32_t store_read(const char *name);
void store_write(const char *name, uint32_t number);
void halt(int status);

/* app.c: the firmware's work. */
void app(void);

#endif
