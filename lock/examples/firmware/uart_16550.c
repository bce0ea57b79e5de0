/* SPDX-License-Identifier: MIT */
/* uart_16550.c - a 16550, as on qemu's riscv32 virt and many PCs. */
#include "board.h"

enum { DATA = 0, FIFO = 2, LINE = 3, STATUS = 5, RX_READY = 1, RX_LOST = 2, TX_EMPTY = 32 };

extern volatile uint8_t uart0[8]; /* its address is in the board's linker script */

void uart_start(void)
{
    uart0[LINE] = 3; /* 8 bits, no parity; the rate is the emulator's own */
    uart0[FIFO] = 1;
}

int uart_put(uint8_t byte)
{
    if (!(uart0[STATUS] & TX_EMPTY))
        return 0;
    uart0[DATA] = byte;
    return 1;
}

int uart_get(uint8_t *byte)
{
    uint8_t status = uart0[STATUS]; /* reading it clears RX_LOST */

    if (status & RX_LOST)
        return -1;
    if (!(status & RX_READY))
        return 0;
    *byte = uart0[DATA];
    return 1;
}
