/* SPDX-License-Identifier: MIT */
/* unique.c - 16 bytes that are never used twice: serial number, number of boots, number of calls. */
#include "board.h"

#include <string.h>

/* Set by the manufacturer, different on each board; its address is in the linker script. */
extern const uint8_t serial[8];

static uint32_t boots, calls;

/* Stored before it is used: after a reset the board has skipped a number, not used one twice. */
void unique_start(void)
{
    boots = store_read("boots") + 1;
    store_write("boots", boots);
    if (store_read("boots") != boots)
        halt(3); /* a store that loses data would give the same bytes again */
}

void unique_bytes(uint8_t bytes[RDL_ENTROPY_LEN])
{
    calls++;
    memcpy(bytes, serial, 8);
    memcpy(bytes + 8, &boots, 4);
    memcpy(bytes + 12, &calls, 4);
}
