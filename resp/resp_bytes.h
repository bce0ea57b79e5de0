/* SPDX-License-Identifier: MIT */
/*
 * resp_bytes.h - copying, clearing, comparing, counting up and digits, for the library's own files. The
 * functions of a C library are made to be fast: with newlib on a Cortex-M they take 700 bytes. A build for
 * size (-Os) uses smaller ones.
 */
#ifndef RDL_RESP_BYTES_H
#define RDL_RESP_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Copies len bytes. They may overlap if `to` is not after `from`. With len 0 both may be NULL. */
void rdl_copy(void *to, const void *from, size_t len);
/* Sets len bytes to 0. */
void rdl_zero(void *to, size_t len);
/* Returns whether a and b have the same len bytes. With len 0 both may be NULL. */
int rdl_is_same(const void *a, const void *b, size_t len);

/* Adds 1, up to 65535. Inline, because a call would take more code. */
static inline void rdl_count_up(uint16_t *n)
{
    uint32_t more = *n + 1u;

    *n = (uint16_t)(more - (more >> 16));
}

/* Returns whether c is a decimal digit; isdigit depends on a locale. */
static inline int rdl_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#endif
