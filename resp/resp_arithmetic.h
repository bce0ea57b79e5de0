/* SPDX-License-Identifier: MIT */
/* resp_arithmetic.h - arithmetic that small processors lack, and times that never come. */
#ifndef RDL_RESP_ARITHMETIC_H
#define RDL_RESP_ARITHMETIC_H

#include <stdint.h>

/* Return n / d and 10 * n. ARMv6-M lacks the instructions: libgcc's functions take 370 bytes of an image. */
#ifdef __ARM_ARCH_6M__
uint32_t rdl_quotient(uint32_t n, uint32_t d);
uint64_t rdl_ten_times(uint64_t n);
#else
/*@ requires d > 0;
    assigns \nothing;
    ensures \result == n / d; */
inline uint32_t rdl_quotient(uint32_t n, uint32_t d)
{
    return n / d;
}

/*@ requires 10 * n <= UINT64_MAX;
    assigns \nothing;
    ensures \result == 10 * n; */
inline uint64_t rdl_ten_times(uint64_t n)
{
    return n * 10;
}
#endif

/* Returns whether a time is UINT64_MAX: never. No clock comes near it, so the upper half alone decides. */
inline int rdl_is_never(uint64_t ms)
{
    return (uint32_t)(ms >> 32) == UINT32_MAX;
}

#endif
