/* SPDX-License-Identifier: MIT */
/* resp_decimal.c - decimal numbers. */
#include "resp/resp_decimal_private.h"

static const uint32_t ten_to_the[RDL_DEC_MAX] = {1,      10,      100,      1000,      10000,
                                                 100000, 1000000, 10000000, 100000000, 1000000000};

/*@ assigns \nothing;
    ensures 1 <= \result <= RDL_DEC_MAX && \result == decimals(v);
    ensures \result < RDL_DEC_MAX ==> v < ten_to_the[\result];
    ensures \result > 1 ==> v >= ten_to_the[\result - 1]; */
static size_t dec_len(uint32_t v)
{
    size_t n = 1;

    /*@ loop invariant 1 <= n <= RDL_DEC_MAX && (n > 1 ==> v >= ten_to_the[n - 1]);
        loop assigns n;
        loop variant RDL_DEC_MAX - n; */
    while (n < RDL_DEC_MAX && v >= ten_to_the[n])
        n++;
    /*@ assert one_of: n == 1 || n == 2 || n == 3 || n == 4 || n == 5 || n == 6 || n == 7 || n == 8 ||
            n == 9 || n == 10; */
    return n;
}

/* It subtracts, because the smallest processors cannot divide; our numbers have one to five digits. */
size_t rdl_dec_u32(char out[RDL_DEC_MAX], uint32_t v)
{
    size_t len = dec_len(v);
    size_t n = 0;
    size_t i;

    /*@ loop invariant 0 <= i <= len - 1 && n == len - 1 - i && (i < 9 ==> v < ten_to_the[i + 1]);
        loop invariant \forall integer k; 0 <= k < n ==> '0' <= out[k] <= '9';
        loop assigns i, n, v, out[0 .. len - 1];
        loop variant i; */
    for (i = len - 1; i > 0; i--) {
        uint32_t power = ten_to_the[i];
        uint32_t digit = 0;

        /*@ assert one_of: i == 1 || i == 2 || i == 3 || i == 4 || i == 5 || i == 6 || i == 7 || i == 8 ||
                i == 9; */
        //@ assert decade: v < 10 * power;
        /*@ loop invariant digit <= 9 && v < (10 - digit) * power;
            loop assigns v, digit;
            loop variant v; */
        while (v >= power) {
            v -= power;
            digit++;
        }
        //@ assert one_digit: digit <= 9;
        out[n] = (char)('0' + digit);
        n++;
    }
    //@ assert rest: v <= 9;
    out[n] = (char)('0' + v);
    return len;
}
