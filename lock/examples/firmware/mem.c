/* SPDX-License-Identifier: MIT */
/* mem.c - the four functions of the C library that libredlock calls, and strlen, in few bytes. */
#if __STDC_HOSTED__
#error "compile with -ffreestanding: otherwise gcc makes strlen and memset call themselves"
#endif

#include <stdint.h>
#include <string.h>

void *memcpy(void *to, const void *from, size_t n)
{
    uint8_t *d = to;
    const uint8_t *s = from;

    while (n-- > 0)
        *d++ = *s++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    uint8_t *d = to;
    const uint8_t *s = from;

    if (d < s)
        return memcpy(to, from, n); /* ours copies upwards */
    while (n-- > 0)
        d[n] = s[n];
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    uint8_t *d = to;

    while (n-- > 0)
        *d++ = (uint8_t)byte;
    return to;
}

int memcmp(const void *one, const void *other, size_t n)
{
    const uint8_t *a = one;
    const uint8_t *b = other;

    for (; n > 0; n--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}

size_t strlen(const char *text)
{
    size_t n = 0;

    while (text[n] != '\0')
        n++;
    return n;
}
