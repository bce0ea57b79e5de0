/* SPDX-License-Identifier: MIT */
/*
 * resp_parse.c - the RESP2 parser.
 *
 * A value is a type byte, followed by a number or a text. The number of a bulk string is followed by a text
 * of that length. The type and the number are read byte by byte (step), a text as far as it has arrived
 * (text). A call returns when an event is complete, when the input ends, or at a wrong byte.
 *
 * Arrays need no stack, however deep they nest. RESP2 writes them in preorder, so one counter of the missing
 * values shows where a reply ends.
 */
#include "resp/resp_private.h"

#include "resp/resp_arithmetic.h"

/* The largest number that another digit may follow: INT64_MAX / 10. */
#define ACC_MAX UINT64_C(922337203685477580)

void rdl_resp_init(struct rdl_resp *p)
{
    p->acc = 0;
    p->due = 0;
    p->announced = 0;
    p->left = 0;
    p->state = ST_TYPE;
    p->type = 0;
    p->first = 0;
    p->neg = 0;
}

/*@ requires \valid(p) && (state == ST_SYNTAX || state == ST_LIMIT); assigns p->state;
    ensures p->state == state && \result == (state == ST_SYNTAX ? RDL_E_SYNTAX : RDL_E_LIMIT); */
static int fail(struct rdl_resp *p, uint8_t state)
{
    p->state = state;
    return state == ST_SYNTAX ? RDL_E_SYNTAX : RDL_E_LIMIT;
}

/* Reads a type byte. */
/*@ requires \valid(p) && shape(p); assigns p->type, p->first, p->neg, p->acc, p->state;
    ensures shape(p) && number(p) && p->type == c && p->neg == 0 && p->acc == 0;
    ensures text: c == '+' || c == '-' ==> \result == GO_ON && p->state == ST_TEXT;
    ensures number: c == ':' || c == '$' || c == '*' ==> \result == GO_ON && p->state == ST_SIGN;
    ensures other: c != '+' && c != '-' && c != ':' && c != '$' && c != '*' ==>
        \result == RDL_E_SYNTAX && p->state == ST_SYNTAX; */
static int start(struct rdl_resp *p, uint8_t c)
{
    p->type = c;
    p->first = 1;
    p->neg = 0;
    p->acc = 0;
    p->state = ST_SIGN;
    if (c == ':' || c == '$' || c == '*')
        return GO_ON;
    p->state = ST_TEXT;
    if (c == '+' || c == '-')
        return GO_ON;
    return fail(p, ST_SYNTAX);
}

/* Returns 0..9 for a digit, more for any other byte. */
// Bits are not arithmetic: all 256 cases are shown by Eva (tests/proofs/eva_digit.c), not by WP.
/*@ assigns \nothing; ensures is_digit(c) ==> \result == c - '0'; ensures !is_digit(c) ==> \result > 9; */
static uint32_t digit(uint8_t c)
{
    return c ^ UINT32_C(0x30);
}

/* Returns the state after the first digit: 0 is alone, -0 is invalid, -1 is the only negative length. */
/*@ requires \valid_read(p) && shape(p); assigns \nothing;
    ensures \result == ST_SYNTAX || \result == ST_CR || \result == ST_DIGITS;
    ensures alone: \result == ST_CR <==> (p->neg == 0 && d == 0) || (p->neg == 1 && p->type != ':' && d == 1);
    ensures more: \result == ST_DIGITS <==> 1 <= d <= 9 && (p->neg == 0 || p->type == ':'); */
static uint8_t after_first(const struct rdl_resp *p, uint32_t d)
{
    if (d > 9)
        return ST_SYNTAX;
    if (p->neg == 0)
        return d == 0 ? ST_CR : ST_DIGITS;
    if (p->type == ':')
        return d == 0 ? ST_SYNTAX : ST_DIGITS;
    return d == 1 ? ST_CR : ST_SYNTAX;
}

/* Reads the first byte of a number: a digit, or one '-'. */
/*@ requires \valid(p) && shape(p) && number(p);
    requires p->state == ST_SIGN && p->neg == 0 || p->state == ST_NEG;
    assigns p->acc, p->neg, p->state; ensures shape(p) && number(p);
    ensures minus: \old(p->state) == ST_SIGN && c == '-' ==> p->state == ST_NEG && p->neg == 1;
    ensures sign: \old(p->state) != ST_SIGN || c != '-' ==> p->neg == \old(p->neg) && p->state != ST_NEG;
    ensures digit: p->state == ST_CR || p->state == ST_DIGITS ==> is_digit(c) && p->acc == c - '0';
    ensures state: p->state == ST_NEG || p->state == ST_CR || p->state == ST_DIGITS || p->state == ST_SYNTAX;
    ensures \result == (p->state == ST_SYNTAX ? RDL_E_SYNTAX : GO_ON); */
static int first_of_number(struct rdl_resp *p, uint8_t c)
{
    if (p->state == ST_SIGN && c == '-') {
        p->neg = 1;
        p->state = ST_NEG;
        return GO_ON;
    }
    p->acc = digit(c);
    p->state = after_first(p, digit(c));
    return p->state == ST_SYNTAX ? RDL_E_SYNTAX : GO_ON;
}

/* Reads another digit. RDL_E_SYNTAX: the number would not fit into int64_t. */
/*@ requires \valid(p) && shape(p) && number(p) && d <= 9 && p->state == ST_DIGITS;
    assigns p->acc, p->state; ensures shape(p) && number(p);
    ensures fits: 10 * \old(p->acc) + d <= 9223372036854775807 + p->neg <==> \result == GO_ON;
    ensures ok: \result == GO_ON ==> p->acc == 10 * \old(p->acc) + d && p->state == ST_DIGITS;
    ensures error: \result != GO_ON ==> \result == RDL_E_SYNTAX && p->state == ST_SYNTAX; */
static int next_digit(struct rdl_resp *p, uint32_t d)
{
    uint64_t max = (uint64_t)INT64_MAX + p->neg;

    if (p->acc > ACC_MAX || rdl_ten_times(p->acc) + d > max)
        return fail(p, ST_SYNTAX);
    p->acc = rdl_ten_times(p->acc) + d;
    return GO_ON;
}

/* Ends a value. The whole reply is complete when no more values are missing. */
/*@ requires \valid(p) && \valid(ev) && \separated(p, ev) && counts(p);
    assigns p->state, p->due, p->announced, ev->last, ev->end;
    ensures counts(p) && p->state == ST_TYPE && ev->last == 1;
    ensures end: ev->end == (\old(p->due) == 0 ? 1 : 0);
    ensures due: p->due == (\old(p->due) == 0 ? 0 : \old(p->due) - 1); */
static void complete(struct rdl_resp *p, struct rdl_resp_event *ev)
{
    uint32_t due = p->due;

    p->state = ST_TYPE;
    ev->last = 1;
    ev->end = due == 0;
    if (due == 0)
        p->announced = 0;
    else
        p->due = due - 1;
}

/* Returns the number in acc and neg. */
/*@ requires \valid_read(p) && shape(p) && number(p); assigns \nothing;
    ensures \result == (p->neg == 1 ? -p->acc : p->acc); */
static int64_t signed_value(const struct rdl_resp *p)
{
    uint64_t acc = p->acc;

    if (p->neg == 0)
        return (int64_t)acc;
    return acc > INT64_MAX ? INT64_MIN : -(int64_t)acc;
}

/* Begins an array of acc values. RDL_E_LIMIT: all arrays of the reply announce too many. */
/*@ requires \valid(p) && counts(p); assigns p->state, p->announced, p->due; ensures counts(p);
    ensures fits: \old(p->announced) + p->acc <= RDL_VALUES_MAX <==> \result == RDL_OK;
    ensures ok: \result == RDL_OK ==> p->due == \old(p->due) + p->acc && p->state == \old(p->state);
    ensures limit: \result != RDL_OK ==> \result == RDL_E_LIMIT && p->state == ST_LIMIT; */
static int array(struct rdl_resp *p)
{
    uint32_t total;

    if (p->acc > RDL_VALUES_MAX)
        return fail(p, ST_LIMIT);
    total = p->announced + (uint32_t)p->acc;
    if (total > RDL_VALUES_MAX)
        return fail(p, ST_LIMIT);
    p->announced = total;
    p->due += (uint32_t)p->acc;
    return RDL_OK;
}

/* Ends the line of a number. GO_ON: it was the length of a bulk string, whose bytes follow. */
/*@ requires \valid(p) && \valid(ev) && \separated(p, ev) && inv(p);
    assigns p->state, p->left, p->announced, p->due, *ev; ensures counts: counts(p);
    ensures left: p->left <= RDL_BULK_MAX;
    ensures results: \result == RDL_OK || \result == GO_ON || \result == RDL_E_LIMIT;
    ensures ok: \result == RDL_OK ==> p->state == ST_TYPE && ev->first == 1 && ev->last == 1 && ev->len == 0;
    ensures value: \result == RDL_OK ==> ev->value == (p->neg == 1 ? -p->acc : p->acc);
    ensures pending: \result == GO_ON ==> p->state == ST_TEXT && p->type == '$' && p->left == p->acc;
    ensures limit: \result == RDL_E_LIMIT ==> p->state == ST_LIMIT; */
static int number_done(struct rdl_resp *p, struct rdl_resp_event *ev)
{
    uint8_t kind = RDL_RESP_INT;

    if (p->type != ':') {
        if (p->neg == 1) {
            kind = RDL_RESP_NIL;
        } else if (p->type == '$') {
            if (p->acc > RDL_BULK_MAX)
                return fail(p, ST_LIMIT);
            p->left = (uint32_t)p->acc;
            p->state = ST_TEXT;
            return GO_ON;
        } else {
            kind = RDL_RESP_ARRAY;
            if (array(p) != RDL_OK)
                return RDL_E_LIMIT;
        }
    }
    ev->data = NULL;
    ev->len = 0;
    ev->value = signed_value(p);
    ev->kind = kind;
    ev->type = p->type;
    ev->first = 1;
    complete(p, ev);
    return RDL_OK;
}

/* Returns how many bytes of the text at buf[at] have arrived. */
/*@ requires \valid(p) && p->left <= RDL_BULK_MAX && at <= len && \valid_read(buf + (0 .. len - 1));
    requires \separated(p, buf + (0 .. len - 1)); assigns p->left;
    ensures \result <= len - at && p->left <= RDL_BULK_MAX;
    ensures bulk: p->type == '$' ==> \result == \min(len - at, \old(p->left)) &&
        p->left == \old(p->left) - \result;
    ensures line: p->type != '$' ==> \forall integer k; at <= k < at + \result ==>
        buf[k] != '\r' && buf[k] != '\n';
    ensures cut: p->type != '$' ==> at + \result == len || buf[at + \result] == '\r' ||
        buf[at + \result] == '\n';
*/
static size_t text_len(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at)
{
    size_t n = len - at;
    uint32_t left = p->left; /* may be too large for a size_t of 16 bits */
    size_t i;

    if (p->type == '$') {
        if (n > left)
            n = (size_t)left;
        p->left = left - (uint32_t)n;
        return n;
    }
    /*@ loop invariant at <= i <= len;
        loop invariant \forall integer k; at <= k < i ==> buf[k] != '\r' && buf[k] != '\n';
        loop assigns i;
        loop variant len - i;
    */
    for (i = at; i < len; i++)
        if (buf[i] == '\r' || buf[i] == '\n')
            break;
    return i - at;
}

/*@ assigns \nothing; */
static uint8_t text_kind(uint8_t type)
{
    if (type == '$')
        return RDL_RESP_BULK;
    return type == '+' ? RDL_RESP_STATUS : RDL_RESP_ERROR;
}

/* Reads a text and the CR LF after it from buf[at..len). Returns where it stopped; *n bytes are text. */
/*@ requires \valid(p) && \valid(n) && at <= len && \valid_read(buf + (0 .. len - 1));
    requires \separated(p, n, buf + (0 .. len - 1)) && p->left <= RDL_BULK_MAX;
    requires p->state == ST_TEXT || p->state == ST_TEXT_LF; assigns p->left, p->state, *n;
    ensures left: p->left <= RDL_BULK_MAX; ensures used: at + *n <= \result <= len && \result <= at + *n + 2;
    ensures state: p->state == ST_TEXT || p->state == ST_TEXT_LF || p->state == ST_TYPE ||
        p->state == ST_SYNTAX;
    ensures going: p->state == ST_TEXT || p->state == ST_TEXT_LF ==> \result == len;
    ensures bad: p->state == ST_SYNTAX ==> \result < len; ensures done: p->state == ST_TYPE ==> \result > at;
*/
static size_t take_text(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at, size_t *n)
{
    size_t i = at;
    size_t k;

    *n = 0;
    if (p->state == ST_TEXT) {
        k = text_len(p, buf, len, at);
        *n = k;
        i = at + k;
        if (i < len) {
            if (buf[i] != '\r') {
                p->state = ST_SYNTAX;
                return i;
            }
            p->state = ST_TEXT_LF;
            i++;
        }
    }
    if (i < len) {
        if (buf[i] != '\n') {
            p->state = ST_SYNTAX;
            return i;
        }
        p->state = ST_TYPE;
        i++;
    }
    return i;
}

/* Reads a text, and returns what has arrived of it as an event. */
static int text(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at, size_t *used,
                struct rdl_resp_event *ev)
{
    size_t n;

    *used = take_text(p, buf, len, at, &n);
    if (p->state == ST_SYNTAX)
        return RDL_E_SYNTAX;
    ev->last = 0;
    ev->end = 0;
    if (p->state == ST_TYPE)
        complete(p, ev);
    else if (n == 0)
        return RDL_PENDING;
    ev->data = buf + at;
    ev->len = n;
    ev->value = (int64_t)p->acc;
    ev->kind = text_kind(p->type);
    ev->type = p->type;
    ev->first = p->first;
    p->first = 0;
    return RDL_OK;
}

/* Reads one byte before a text. GO_ON: more bytes or the text follow. RDL_OK: the value is complete. */
static int step(struct rdl_resp *p, uint8_t c, struct rdl_resp_event *ev)
{
    if (p->state == ST_TYPE)
        return start(p, c);
    if (p->state <= ST_NEG)
        return first_of_number(p, c);
    if (p->state == ST_DIGITS && digit(c) <= 9)
        return next_digit(p, digit(c));
    if (c != (p->state == ST_NUM_LF ? '\n' : '\r'))
        return fail(p, ST_SYNTAX);
    if (p->state == ST_NUM_LF)
        return number_done(p, ev);
    p->state = ST_NUM_LF;
    return GO_ON;
}

int rdl_resp_next(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used, struct rdl_resp_event *ev)
{
    size_t at = 0;

    *used = 0;
    if (p->state >= ST_SYNTAX)
        return fail(p, p->state);
    /*@ loop invariant 0 <= at <= len && *used == at && inv(p) && p->state <= ST_TEXT_LF;
        loop invariant minus: p->state == ST_SIGN ==> p->neg == 0;
        loop assigns at, *p, *used, *ev;
        loop variant len - at;
    */
    while (at < len && p->state < ST_TEXT) {
        int result = step(p, buf[at], ev);
        //@ split result;

        if (result >= 0)
            at++;
        *used = at;
        if (result != GO_ON)
            return result;
    }
    return at < len ? text(p, buf, len, at, used, ev) : RDL_PENDING;
}
