/* SPDX-License-Identifier: MIT */
/*
 * resp_private.h - the parser's states, and what its contracts in resp_parse.c are written in. Contracts are
 * comments to a compiler; `make prove` has them proved (tests/proofs/README.md).
 */
#ifndef RDL_RESP_PRIVATE_H
#define RDL_RESP_PRIVATE_H

#include "resp/resp.h"

enum state {
    ST_TYPE,    /* before the type byte of a value */
    ST_SIGN,    /* before the first character of a number */
    ST_NEG,     /* after its '-' */
    ST_DIGITS,  /* after a digit; more may follow */
    ST_CR,      /* after its last digit: no other can follow */
    ST_NUM_LF,  /* after its CR */
    ST_TEXT,    /* in a text or bulk, or before the CR that ends it */
    ST_TEXT_LF, /* after that CR */
    ST_SYNTAX,  /* failed for good, as all that follow */
    ST_LIMIT
};

/* What holds between two calls. */
/*@ predicate shape{L}(struct rdl_resp *p) = p->state <= ST_LIMIT && (p->first == 0 || p->first == 1) &&
        (p->neg == 0 || p->neg == 1) && p->left <= RDL_BULK_MAX;
    predicate counts{L}(struct rdl_resp *p) = p->due <= p->announced <= RDL_VALUES_MAX;
    predicate number{L}(struct rdl_resp *p) = p->acc <= 9223372036854775807 + p->neg;
    predicate inv{L}(struct rdl_resp *p) = shape(p) && counts(p) && number(p);
*/

/* What decimal digits mean: dec is the number whose digits are those of `from` and then s[a..b). */
/*@ predicate is_digit(integer c) = '0' <= c <= '9';
    predicate all_digits{L}(uint8_t *s, integer a, integer b) = \forall integer k; a <= k < b ==> is_digit(s[k]);
    axiomatic Decimal {
        logic integer dec{L}(integer from, uint8_t *s, integer a, integer b) reads s[a .. b-1];
        axiom dec_none{L}: \forall integer from, a, b; \forall uint8_t *s; b <= a ==> dec(from, s, a, b) == from;
        axiom dec_push{L}: \forall integer from, a, b; \forall uint8_t *s; b > a ==>
            dec(from, s, a, b) == 10 * dec(from, s, a, b - 1) + (s[b - 1] - '0');
    }
*/

#endif
