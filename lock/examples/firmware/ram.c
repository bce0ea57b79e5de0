/* SPDX-License-Identifier: MIT */
/* ram.c - set up memory for C, and paint the stack to measure how much of it was ever used. */
#include "board.h"

#include <string.h>

enum { PAINT = 0x5a, OWN = 64 /* bytes of stack for ram_start itself */ };

/* Addresses from the linker script. */
extern char data_load[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

static size_t bytes_between(const char *begin, const char *end)
{
    return (size_t)(end - begin);
}

void ram_start(void)
{
    const char *here = __builtin_frame_address(0);

    memcpy(data_begin, data_load, bytes_between(data_begin, data_end));
    memset(bss_begin, 0, bytes_between(bss_begin, bss_end));
    memset(bss_end, PAINT, bytes_between(bss_end, here) - OWN);
}

uint32_t stack_used(void)
{
    size_t unused = 0;

    while (bss_end[unused] == PAINT) /* the stack of our callers is in use */
        unused++;
    return (uint32_t)(bytes_between(bss_end, stack_top) - unused);
}
