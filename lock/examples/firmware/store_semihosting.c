/* SPDX-License-Identifier: MIT */
/*
 * store_semihosting.c - each number is a file of 4 bytes on the machine that emulates the board, in the
 * folder where the emulator was started. A product uses a page of flash or an EEPROM instead.
 */
#include "board.h"

#include <string.h>

enum { OPEN = 1, CLOSE = 2, WRITE = 5, READ = 6, EXIT = 0x20, TO_READ = 1, TO_WRITE = 5, ENDED = 0x20026 };

uintptr_t semihosting(uintptr_t call, const void *arguments); /* calls_*.S */

/* Returns how many of the 4 bytes were not transferred: all, if there is no such file. */
static uintptr_t transfer(uintptr_t call, uintptr_t mode, const char *name, uint32_t *number)
{
    const uintptr_t file[] = {(uintptr_t)name, mode, strlen(name)};
    const uintptr_t bytes[] = {semihosting(OPEN, file), (uintptr_t)number, sizeof *number};
    uintptr_t rest = sizeof *number;

    if (bytes[0] != UINTPTR_MAX) {
        rest = semihosting(call, bytes);
        semihosting(CLOSE, bytes);
    }
    return rest;
}

uint32_t store_read(const char *name)
{
    uint32_t number = 0;

    transfer(READ, TO_READ, name, &number);
    return number;
}

void store_write(const char *name, uint32_t number)
{
    if (transfer(WRITE, TO_WRITE, name, &number) != 0)
        halt(2);
}

void halt(int status)
{
    const uintptr_t how[] = {ENDED, (uintptr_t)status};

    for (;;)
        semihosting(EXIT, how);
}
