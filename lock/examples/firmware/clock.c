/* SPDX-License-Identifier: MIT */
/* clock.c - 64 bits of milliseconds from 32 bits of ticks. */
#include "board.h"

/*
 * Only differences are used, so a tick may wrap. A tick that goes back, by a bug in a driver, makes time jump
 * ahead by a wrap: leases then end too early, never too late.
 */
uint64_t clock_ms(void)
{
    static uint64_t now_ms = 1; /* 0 means "never" in the library */
    static uint32_t last;       /* the tick at now_ms */
    uint32_t passed_ms = (tick() - last) / ticks_per_ms;

    last += passed_ms * ticks_per_ms;
    now_ms += passed_ms;
    return now_ms;
}
