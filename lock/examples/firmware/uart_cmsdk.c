/* SPDX-License-Identifier: MIT */
/* uart_cmsdk.c - the UART of Arm's MPS2 boards (CMSDK APB UART). */
#include "board.h"

enum { TX_FULL = 1, RX_FULL = 2, RX_LOST = 8, TX_ENABLE = 1, RX_ENABLE = 2, INTERRUPTS = 12, WOKE = 3 };
enum { CLOCK = 25000000, BAUD = 57600 };

/* Its address is in the board's linker script. */
extern volatile struct {
    uint32_t data, state, control, interrupt, divider;
} uart0;

void uart_start(void)
{
    uart0.divider = CLOCK / BAUD;
    uart0.control = TX_ENABLE | RX_ENABLE | INTERRUPTS;
}

void uart_woke(void)
{
    uart0.interrupt = WOKE;
}

int uart_put(uint8_t byte)
{
    if (uart0.state & TX_FULL)
        return 0;
    uart0.data = byte;
    return 1;
}

int uart_get(uint8_t *byte)
{
    if (uart0.state & RX_LOST) {
        uart0.state = RX_LOST; /* writing it clears it */
        return -1;
    }
    if (!(uart0.state & RX_FULL))
        return 0;
    *byte = (uint8_t)uart0.data;
    return 1;
}
