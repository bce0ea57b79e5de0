/* SPDX-License-Identifier: MIT */
/* resp_bytes.c - copying, clearing, comparing: by the C library, or byte by byte where that is smaller. */
#include "resp/resp_bytes.h"

#include <string.h>

#ifdef __OPTIMIZE_SIZE__

void rdl_copy(void *to, const void *from, size_t len)
{
    volatile uint8_t *out = to; /* else a compiler knows the loop, and calls memcpy */
    const uint8_t *in = from;

    while (len-- > 0)
        *out++ = *in++;
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

void rdl_copy(void *to, const void *from, size_t len)
{
    if (len > 0)
        memmove(to, from, len);
}

void rdl_zero(void *to, size_t len)
{
    memset(to, 0, len);
}

int rdl_is_same(const void *a, const void *b, size_t len)
{
    return len == 0 || memcmp(a, b, len) == 0;
}

#endif
