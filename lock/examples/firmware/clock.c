/* SPDX-License-Identifier: MIT */
/* clock.c - 64 bits of milliseconds from 32 bits of ticks. */
#include "board.h"

/*
 * Only differences are used, so a tick that wraps is nothing special. One that goes back by a driver's
 * mistake makes time leap ahead, by a wrap: leases end too early then, and none is believed for too long.
 */
uint64_t clock_ms(void)
{
    static uint64_t now_ms = 1; /* 0 stands for "never" in the library */
    static uint32_t last;       /* the tick at now_ms */
    uint32_t passed_ms = (tick() - last) / ticks_per_ms;

    last += passed_ms * ticks_per_ms;
    now_ms += passed_ms;
    return now_ms;
}
