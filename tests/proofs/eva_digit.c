/* SPDX-License-Identifier: MIT */
/* eva_digit.c - the one contract about bits: all its 256 cases. WP takes it as proved from here. */
#include "resp/resp_parse.c"

int main(void)
{
    unsigned c;

    //@ loop unroll 256;
    for (c = 0; c < 256; c++) {
        uint32_t d = digit((uint8_t)c);
        //@ assert digit: ('0' <= c <= '9' ==> d == c - '0') && (!('0' <= c <= '9') ==> d > 9);
    }
    return 0;
}
