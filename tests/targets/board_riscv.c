/* SPDX-License-Identifier: MIT */
/* board_riscv.c - qemu's board "virt": picolibc starts the image and ends it. */
#include "tests/targets/image.h"

/* The clock of the interrupt controller, 10 MHz; with -icount shift=0 an instruction takes 1 ns. */
static const volatile uint32_t *const mtime = (const volatile uint32_t *)0x0200bff8;

void board_init(void)
{
}

uint32_t board_instructions(void)
{
    return *mtime * 100;
}

void board_end(void)
{
}
