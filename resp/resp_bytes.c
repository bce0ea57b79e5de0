/* SPDX-License-Identifier: MIT */
/*
 * resp_bytes.c - copying, clearing, comparing: with the C library, or byte by byte if that is smaller. Also
 * hashes, prefixes and hex digits.
 */
#include "resp/resp_bytes.h"

#include "resp/resp_arithmetic.h"

#ifdef RDL_SMALL_BYTES

void *rdl_copy(void *to, const void *from, size_t len)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    const uint8_t *end = out + len;

    if (len > 0) /* once, and not for each byte: a fifth of the instructions */
        do {
            *out++ = *in++;
            __asm__ volatile(""); /* without it a compiler recognizes the loop and calls memcpy */
        } while (out != end);
    return out;
}

void rdl_zero(void *to, size_t len)
{
    volatile uint8_t *out = to;

    while (len-- > 0)
        *out++ = 0;
}

int rdl_is_same(const void *a, const void *b, size_t len)
{
    const uint8_t *x = a;
    const uint8_t *y = b;

    for (; len > 0 && *x == *y; len--) {
        x++;
        y++;
    }
    return len == 0;
}

#else

void rdl_zero(void *to, size_t len)
{
    memset(to, 0, len);
}

int rdl_is_same(const void *a, const void *b, size_t len)
{
    return len == 0 || memcmp(a, b, len) == 0;
}

#endif

extern inline int rdl_is_never(uint64_t ms);

#ifdef __ARM_ARCH_6M__

uint32_t rdl_quotient(uint32_t n, uint32_t d)
{
    uint32_t quotient = 0;
    uint32_t bit = 1;

    for (; d <= n && d <= INT32_MAX; d <<= 1)
        bit <<= 1;
    for (; bit != 0; bit >>= 1, d >>= 1) {
        if (n >= d) {
            n -= d;
            quotient += bit;
        }
    }
    return quotient;
}

/* Without these a compiler recognizes the sum and calls the multiplication of libgcc. */
#define OPAQUE(n) __asm__("" : "+r"(n))

uint64_t rdl_ten_times(uint64_t n)
{
    uint64_t sum = n + n;

    OPAQUE(sum);
    n = sum + sum;
    OPAQUE(n);
    n += n;
    OPAQUE(n);
    return n + sum;
}

#else

extern inline uint32_t rdl_quotient(uint32_t n, uint32_t d);
extern inline uint64_t rdl_ten_times(uint64_t n);

#endif

uint32_t rdl_hash(uint32_t so_far, const void *data, size_t len)
{
    const uint8_t *p = data;

    while (len-- > 0)
        so_far = (so_far ^ *p++) * 16777619u;
    return so_far;
}

int rdl_has_prefix(const char *text, const char *prefix)
{
    int i;

    for (i = 0; prefix[i] != '\0'; i++) {
        if (text[i] != prefix[i])
            return 0;
    }
    return i;
}

int rdl_hex_value(char c)
{
    int letter = c | ('a' - 'A');

    if (rdl_is_digit(c))
        return c - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}
