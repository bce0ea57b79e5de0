/* SPDX-License-Identifier: MIT */
/* string.h - the functions that libredlock needs, for a compiler without a C library. See mem.c. */
#ifndef FIRMWARE_STRING_H
#define FIRMWARE_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *one, const void *other, size_t n);
size_t strlen(const char *text);

#endif
