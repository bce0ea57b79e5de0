/* SPDX-License-Identifier: MIT */
/*
 * board_cortexm.c - qemu's Cortex-M: what newlib does not provide. qemu loads .data to its place, and newlib
 * starts the image and ends it, by semihosting.
 */
#include "tests/targets/image.h"

extern void _start(void);

/* What a Cortex-M reads first: its stack, and the code to run. */
extern const struct board_vectors {
    uintptr_t stack;
    void (*reset)(void);
} board_vectors;
__attribute__((section(".vectors"))) const struct board_vectors board_vectors = {BOARD_STACK, _start};

/* SysTick counts down 24 bits, at BOARD_MHZ; with -icount shift=0 an instruction takes 1 ns. */
static volatile uint32_t *const systick = (volatile uint32_t *)0xe000e010;

void board_init(void)
{
    systick[1] = 0xffffff;
    systick[2] = 0;
    systick[0] = 5;
}

uint32_t board_instructions(void)
{
    return (0xffffff - systick[2]) * 1000 / BOARD_MHZ;
}

void board_end(void)
{
}
