/* SPDX-License-Identifier: MIT */
/*
 * resp_bytes.h - copying, clearing, comparing, hashing, counting up and digits, for the library's own files.
 * The functions of a C library are made to be fast: with newlib on a Cortex-M they take 700 bytes. A build
 * for size (-Os) uses smaller ones.
 */
#ifndef RDL_RESP_BYTES_H
#define RDL_RESP_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* RDL_NOINLINE keeps a function out of line in a build for size: inlined, it would take more room. */
#if defined(__OPTIMIZE_SIZE__) && defined(__GNUC__)
#define RDL_SMALL_BYTES
#define RDL_NOINLINE __attribute__((noinline))
#else
#define RDL_NOINLINE
#include <string.h>
#endif

/*
 * Copies len bytes, and returns to + len. The two may overlap if `to` is not after `from`. With len 0 both
 * may be NULL.
 */
#ifdef RDL_SMALL_BYTES
void *rdl_copy(void *to, const void *from, size_t len);
#else
static inline void *rdl_copy(void *to, const void *from, size_t len)
{
    if (len > 0)
        memmove(to, from, len);
    return (uint8_t *)to + len;
}
#endif
/* Sets len bytes to 0. */
void rdl_zero(void *to, size_t len);
/* Returns whether a and b have the same len bytes. With len 0 both may be NULL. */
int rdl_is_same(const void *a, const void *b, size_t len);
/* Continues a hash (FNV-1a, 32 bits), which begins with RDL_HASH_BASE. It is the same on every machine. */
#define RDL_HASH_BASE 2166136261u
uint32_t rdl_hash(uint32_t so_far, const void *data, size_t len);

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

/* Returns the length of prefix if text begins with it, else 0. */
int rdl_has_prefix(const char *text, const char *prefix);

/* Returns the hex digit, in lower case, of the lowest four bits. */
static inline char rdl_hex_digit(unsigned bits)
{
    return "0123456789abcdef"[bits & 15];
}

/* Returns the value of a hex digit in lower or upper case; -1: it is none. */
int rdl_hex_value(char c);

#endif
