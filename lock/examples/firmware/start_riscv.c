/* SPDX-License-Identifier: MIT */
/* start_riscv.c - from reset to app on an RV32. The tick is the machine timer, whose alarm ends a sleep. */
#include "board.h"

void start(void);              /* called by reset, in calls_riscv.S */
void wait_for_interrupt(void); /* also there */

/* Addresses from the linker script: 64 bits each, the lower half first. */
extern volatile uint32_t timer[2], timer_compare[2];

const uint32_t ticks_per_ms = 10000;

uint32_t tick(void)
{
    return timer[0];
}

/* In the ms in which the lower half of the timer wraps, it does not sleep. */
void idle(void)
{
    timer_compare[1] = UINT32_MAX; /* no alarm while it is half written */
    timer_compare[0] = timer[0] + ticks_per_ms;
    timer_compare[1] = timer[1];
    wait_for_interrupt();
}

void start(void)
{
    ram_start();
    uart_start();
    unique_start();
    app();
    halt(0);
}
