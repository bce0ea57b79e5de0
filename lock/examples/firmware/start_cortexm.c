/* SPDX-License-Identifier: MIT */
/* start_cortexm.c - from reset to app on a Cortex-M. The tick is a counter of the board. */
#include "board.h"

enum { CPU_KHZ = 25000, RUN_AND_INTERRUPT = 7 };

/* Addresses from the linker script. */
extern char stack_top[];
extern volatile const uint32_t counter;
extern volatile struct {
    uint32_t control, reload, value;
} systick;
extern volatile uint32_t nvic_enable;

/* Not counted by an interrupt: a delayed one would lose a ms, and a lease would seem to last longer. */
const uint32_t ticks_per_ms = CPU_KHZ;

uint32_t tick(void)
{
    return counter;
}

static void on_fault(void)
{
    halt(99);
}

static void on_reset(void)
{
    ram_start();
    systick.reload = CPU_KHZ - 1;
    systick.control = RUN_AND_INTERRUPT;
    nvic_enable = 3; /* the UART's two: receive and send */
    uart_start();
    unique_start();
    app();
    halt(0);
}

union vector {
    void (*handler)(void);
    char *stack;
};

/* The last three: 1 ms is over, the UART has a byte, or room for one. Each ends the sleep in idle. */
extern const union vector vectors[18];
__attribute__((section(".vectors"))) const union vector vectors[18] = {
    {.stack = stack_top}, {on_reset}, {on_fault}, {on_fault},  {on_fault},  {on_fault},
    {on_fault},           {on_fault}, {on_fault}, {on_fault},  {on_fault},  {on_fault},
    {on_fault},           {on_fault}, {on_fault}, {uart_woke}, {uart_woke}, {uart_woke},
};
