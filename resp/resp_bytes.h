/* SPDX-License-Identifier: MIT */
/*
 * resp_bytes.h - copying, clearing, comparing, counting up and digits, for the library's own files. A C
 * library's own are made to be fast: with newlib on a Cortex-M they take 700 bytes. What is built to be small
 * (-Os) has these instead.
 */
#ifndef RDL_RESP_BYTES_H
#define RDL_RESP_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* to and from may overlap where `to` is not behind `from`. With len 0 nothing needs an address. */
void rdl_copy(void *to, const void *from, size_t len);
void rdl_zero(void *to, size_t len);
int rdl_is_same(const void *a, const void *b, size_t len);

/* One more, up to 65535. It stands here as a call of it would be longer than it is. */
static inline void rdl_count_up(uint16_t *n)
{
    uint32_t more = *n + 1u;

    *n = (uint16_t)(more - (more >> 16));
}

/* A C library's depends on a locale. */
static inline int rdl_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#endif
