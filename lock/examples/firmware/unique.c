/* SPDX-License-Identifier: MIT */
/* unique.c - 16 bytes that never come twice: the board's serial number, its boots, its calls in this boot. */
#include "board.h"

#include <string.h>

/* What the maker burnt in, never the same on two boards; its address is in the linker script. */
extern const uint8_t serial[8];

static uint32_t boots, calls;

/* Stored before it is used: a board that is reset now has skipped a number, and not used one twice. */
void unique_start(void)
{
    boots = store_read("boots") + 1;
    store_write("boots", boots);
    if (store_read("boots") != boots)
        halt(3); /* a store that forgets would give the same bytes again */
}

void unique_bytes(uint8_t bytes[RDL_ENTROPY_LEN])
{
    calls++;
    memcpy(bytes, serial, 8);
    memcpy(bytes + 8, &boots, 4);
    memcpy(bytes + 12, &calls, 4);
}
