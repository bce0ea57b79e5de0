/* SPDX-License-Identifier: MIT */
/*
 * resp_private.h - the parser's states, and the predicates of its contracts in resp_parse.c. To a compiler
 * contracts are comments; `make prove` proves them (tests/proofs/README.md).
 */
#ifndef RDL_RESP_PRIVATE_H
#define RDL_RESP_PRIVATE_H

#include "resp/resp.h"

enum { GO_ON = 2 /* in addition to the public results: more bytes of this value follow */ };

enum state {
    ST_TYPE,    /* before the type byte of a value */
    ST_SIGN,    /* before the first character of a number */
    ST_NEG,     /* after its '-' */
    ST_DIGITS,  /* after a digit; more may follow */
    ST_CR,      /* after its last digit: no other digit can follow */
    ST_NUM_LF,  /* after its CR */
    ST_TEXT,    /* in a text or bulk string, or before the CR that ends it */
    ST_TEXT_LF, /* after that CR */
    ST_SYNTAX,  /* failed until rdl_resp_init, as the next one */
    ST_LIMIT
};

/* These hold between two calls. */
/*@ predicate shape{L}(struct rdl_resp *p) = p->state <= ST_LIMIT && (p->first == 0 || p->first == 1) &&
        (p->neg == 0 || p->neg == 1) && p->left <= RDL_BULK_MAX;
    predicate counts{L}(struct rdl_resp *p) = p->due <= p->announced <= RDL_VALUES_MAX;
    predicate number{L}(struct rdl_resp *p) = p->acc <= 9223372036854775807 + p->neg;
    predicate inv{L}(struct rdl_resp *p) = shape(p) && counts(p) && number(p);
*/

/*@ predicate is_digit(integer c) = '0' <= c <= '9'; */

/*@ requires \valid(p); assigns *p;
    ensures inv(p) && p->state == ST_TYPE && p->due == 0; */
void rdl_resp_init(struct rdl_resp *p);

/* What one call ensures for any bytes in any number. The other contracts are in resp_parse.c. */
/*@ requires \valid(p) && \valid(used) && \valid(ev) && \valid_read(buf + (0 .. len - 1));
    requires \separated(p, used, ev, buf + (0 .. len - 1));
    requires inv(p) && (p->state == ST_SIGN ==> p->neg == 0); assigns *p, *used, *ev;
    ensures state: p->state <= ST_LIMIT; ensures left: p->left <= RDL_BULK_MAX;
    ensures first: p->first == 0 || p->first == 1; ensures neg: p->neg == 0 || p->neg == 1;
    ensures counts: counts(p); ensures number: number(p); ensures minus: p->state == ST_SIGN ==> p->neg == 0;
    ensures results: \result == RDL_OK || \result == RDL_PENDING || \result == RDL_E_SYNTAX ||
        \result == RDL_E_LIMIT;
    ensures used: *used <= len; ensures progress: \result == RDL_OK ==> *used >= 1;
    ensures pending: \result == RDL_PENDING ==> *used == len;
    ensures syntax: \result == RDL_E_SYNTAX ==> p->state == ST_SYNTAX;
    ensures syntax_only: p->state == ST_SYNTAX ==> \result == RDL_E_SYNTAX;
    ensures limit: \result == RDL_E_LIMIT ==> p->state == ST_LIMIT;
    ensures limit_only: p->state == ST_LIMIT ==> \result == RDL_E_LIMIT;
    ensures sticky: \old(p->state) >= ST_SYNTAX ==> p->state == \old(p->state) && *used == 0;
    ensures offender: \result < 0 && \old(p->state) < ST_SYNTAX ==> *used < len;
    ensures last: \result == RDL_OK ==> (ev->last == 1 <==> p->state == ST_TYPE);
    ensures slice: \result == RDL_OK && ev->len > 0 ==>
        buf <= ev->data && ev->data + ev->len <= buf + *used &&
        buf + *used <= ev->data + ev->len + 2; */
int rdl_resp_next(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used,
                  struct rdl_resp_event *ev);

/* Its two halves, in resp_parse.c. */
/*@ requires \valid(p) && \valid(used) && \valid(ev) && at <= len && \valid_read(buf + (0 .. len - 1));
    requires \separated(p, used, ev, buf + (0 .. len - 1)) && inv(p);
    requires p->state == ST_TEXT || p->state == ST_TEXT_LF;
    assigns p->left, p->state, p->first, p->due, p->announced, *used, *ev;
    ensures counts: counts(p); ensures number: number(p);
    ensures shape: p->left <= RDL_BULK_MAX && (p->first == 0 || p->first == 1);
    ensures used: at <= *used <= len;
    ensures results: \result == RDL_OK || \result == RDL_PENDING || \result == RDL_E_SYNTAX;
    ensures ok: \result == RDL_OK ==> *used > at && ev->data == buf + at &&
        at + ev->len <= *used <= at + ev->len + 2;
    ensures pending: \result == RDL_PENDING ==> *used == len;
    ensures error: \result == RDL_E_SYNTAX ==> *used < len;
    ensures syntax: \result == RDL_E_SYNTAX <==> p->state == ST_SYNTAX; ensures limit: p->state != ST_LIMIT;
    ensures going: \result >= 0 ==> p->state == ST_TYPE || p->state == ST_TEXT || p->state == ST_TEXT_LF;
    ensures last: \result == RDL_OK ==> (ev->last == 1 <==> p->state == ST_TYPE); */
static int text(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at, size_t *used,
                struct rdl_resp_event *ev);

/*@ requires \valid(p) && \valid(ev) && \separated(p, ev) && inv(p) && p->state < ST_TEXT;
    requires p->state == ST_SIGN ==> p->neg == 0; assigns *p, *ev;
    ensures shape: shape(p); ensures counts: counts(p); ensures number: number(p);
    ensures minus: p->state == ST_SIGN ==> p->neg == 0;
    ensures value: \old(p->state) == ST_DIGITS && is_digit(c) ==>
        (\result == GO_ON <==> 10 * \old(p->acc) + (c - '0') <= 9223372036854775807 + p->neg) &&
        (\result == GO_ON ==> p->acc == 10 * \old(p->acc) + (c - '0') && p->state == ST_DIGITS);
    ensures ok: \result == RDL_OK ==> p->state == ST_TYPE && ev->last == 1 && ev->len == 0;
    ensures syntax: \result == RDL_E_SYNTAX <==> p->state == ST_SYNTAX;
    ensures limit: \result == RDL_E_LIMIT <==> p->state == ST_LIMIT;
    ensures on: \result == GO_ON ==> ST_SIGN <= p->state <= ST_TEXT;
    ensures results: \result == RDL_OK || \result == GO_ON || \result == RDL_E_SYNTAX ||
        \result == RDL_E_LIMIT; */
static int step(struct rdl_resp *p, uint8_t c, struct rdl_resp_event *ev);

#endif
