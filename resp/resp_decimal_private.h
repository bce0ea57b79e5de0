/* SPDX-License-Identifier: MIT */
/* resp_decimal_private.h - decimal numbers, and their contracts. */
#ifndef RDL_RESP_DECIMAL_PRIVATE_H
#define RDL_RESP_DECIMAL_PRIVATE_H

#include "resp/resp_template.h"

/* decimals(v) is the number of digits of v. */
/*@ logic integer decimals(integer v) = v < 10 ? 1 : v < 100 ? 2 : v < 1000 ? 3 : v < 10000 ? 4 :
        v < 100000 ? 5 : v < 1000000 ? 6 : v < 10000000 ? 7 : v < 100000000 ? 8 : v < 1000000000 ? 9 : 10;
*/
/*@ requires \valid(out + (0 .. decimals(v) - 1));
    assigns out[0 .. decimals(v) - 1];
    ensures 1 <= \result <= RDL_DEC_MAX && \result == decimals(v);
    ensures \forall integer k; 0 <= k < \result ==> '0' <= out[k] <= '9'; */
size_t rdl_dec_u32(char out[RDL_DEC_MAX], uint32_t v);

#endif
