/* SPDX-License-Identifier: MIT */
/*
 * resp_parse.c - the RESP2 reader.
 *
 * A value is a type byte, then a number or a text; the number of a bulk is followed by a text of that
 * length. So one call walks down at most once, type -> number -> text, and leaves where an event is
 * complete, where the input ends, or at a wrong byte. Arrays need no stack: RESP2 writes them in
 * preorder, so one counter of the values still due says where a reply ends, however deep they nest.
 */
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

/* The largest number that another digit may follow, INT64_MAX / 10. */
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

static int fail(struct rdl_resp *p, uint8_t state)
{
    p->state = state;
    return state == ST_SYNTAX ? RDL_E_SYNTAX : RDL_E_LIMIT;
}

/* Take a type byte. */
static int start(struct rdl_resp *p, uint8_t c)
{
    p->type = c;
    p->first = 1;
    p->neg = 0;
    p->acc = 0;
    p->state = ST_SIGN;
    if (c == ':' || c == '$' || c == '*')
        return RDL_OK;
    p->state = ST_TEXT;
    if (c == '+' || c == '-')
        return RDL_OK;
    return fail(p, ST_SYNTAX);
}

/* 0..9 for a digit, more for all else. */
static uint32_t digit(uint8_t c)
{
    return c ^ UINT32_C(0x30);
}

/* The state after the first digit: a zero stands alone, "-0" is nothing, the only negative length is -1. */
static uint8_t first_digit(const struct rdl_resp *p, uint32_t d)
{
    if (d > 9)
        return ST_SYNTAX;
    if (p->neg == 0)
        return d == 0 ? ST_CR : ST_DIGITS;
    if (p->type == ':')
        return d == 0 ? ST_SYNTAX : ST_DIGITS;
    return d == 1 ? ST_CR : ST_SYNTAX;
}

/* Take further digits out of buf[*at..len). ST_SYNTAX: the one at *at would leave int64_t. */
static uint8_t digits(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *at)
{
    uint64_t acc = p->acc;
    uint64_t max = (uint64_t)INT64_MAX + p->neg;
    uint8_t state = ST_DIGITS;
    size_t i;

    for (i = *at; i < len; i++) {
        uint32_t d = digit(buf[i]);

        if (d > 9)
            break;
        if (acc > ACC_MAX || acc * 10 + d > max) {
            state = ST_SYNTAX;
            break;
        }
        acc = acc * 10 + d;
    }
    *at = i;
    p->acc = acc;
    return state;
}

/* Take a number and its CR out of buf[*at..len). RDL_OK: at *at stands the LF that completes its line. */
static int number(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *at)
{
    uint8_t state = p->state;
    size_t i = *at;

    if (state == ST_SIGN && i < len && buf[i] == '-') {
        p->neg = 1;
        state = ST_NEG;
        i++;
    }
    if (state <= ST_NEG && i < len) {
        uint32_t d = digit(buf[i]);

        p->acc = d;
        state = first_digit(p, d);
        if (state != ST_SYNTAX)
            i++;
    }
    if (state == ST_DIGITS)
        state = digits(p, buf, len, &i);
    if (state <= ST_CR && i < len) {
        if (buf[i] == '\r') {
            state = ST_NUM_LF;
            i++;
        } else
            state = ST_SYNTAX;
    }
    *at = i;
    p->state = state;
    if (state == ST_SYNTAX)
        return RDL_E_SYNTAX;
    if (i >= len)
        return RDL_PENDING;
    return buf[i] == '\n' ? RDL_OK : fail(p, ST_SYNTAX);
}

/* A value is complete; the reply as a whole is when no more are due. */
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

/* The number that acc and neg stand for. */
static int64_t signed_value(const struct rdl_resp *p)
{
    uint64_t acc = p->acc;

    if (p->neg == 0)
        return (int64_t)acc;
    return acc > INT64_MAX ? INT64_MIN : -(int64_t)acc;
}

/* An array of acc values: RDL_E_LIMIT when the reply announces too many in all. */
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

/* The line of a number is complete. RDL_PENDING: it was the length of a bulk, whose bytes follow. */
static int number_done(struct rdl_resp *p, struct rdl_resp_event *ev)
{
    ev->data = NULL;
    ev->len = 0;
    ev->value = signed_value(p);
    ev->kind = RDL_RESP_INT;
    ev->type = p->type;
    ev->first = 1;
    if (p->type != ':') {
        if (p->neg == 1) {
            ev->kind = RDL_RESP_NIL;
        } else if (p->type == '$') {
            if (p->acc > RDL_BULK_MAX)
                return fail(p, ST_LIMIT);
            p->left = (uint32_t)p->acc;
            p->state = ST_TEXT;
            return RDL_PENDING;
        } else {
            ev->kind = RDL_RESP_ARRAY;
            if (array(p) != RDL_OK)
                return RDL_E_LIMIT;
        }
    }
    complete(p, ev);
    return RDL_OK;
}

/* How many bytes of the text that goes on at buf[at] are there. */
static size_t text_len(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at)
{
    size_t n = at < len ? len - at : 0;
    size_t left = p->left;
    size_t i;

    if (p->type == '$') {
        if (n >= left) {
            n = left;
            left = 0;
        } else
            left -= n;
        p->left = (uint32_t)left;
        return n;
    }
    for (i = at; i < len; i++)
        if (buf[i] == '\r' || buf[i] == '\n')
            break;
    return i - at;
}

/* Take a text from buf[at..len), and the CR LF behind it. */
static int text(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at, size_t *used,
                struct rdl_resp_event *ev)
{
    size_t n = 0;
    size_t i = at;

    if (p->state == ST_TEXT) {
        n = text_len(p, buf, len, at);
        i = at + n;
        if (i < len) {
            *used = i;
            if (buf[i] != '\r')
                return fail(p, ST_SYNTAX);
            p->state = ST_TEXT_LF;
            i++;
        }
    }
    *used = i;
    ev->last = 0;
    ev->end = 0;
    if (i < len) {
        if (buf[i] != '\n')
            return fail(p, ST_SYNTAX);
        *used = i + 1;
        complete(p, ev);
    } else if (n == 0)
        return RDL_PENDING;
    ev->data = buf + at;
    ev->len = n;
    ev->value = (int64_t)p->acc;
    ev->kind = p->type == '$' ? RDL_RESP_BULK : p->type == '+' ? RDL_RESP_STATUS : RDL_RESP_ERROR;
    ev->type = p->type;
    ev->first = p->first;
    p->first = 0;
    return RDL_OK;
}

int rdl_resp_next(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used, struct rdl_resp_event *ev)
{
    size_t at = 0;
    int result;

    *used = 0;
    if (p->state >= ST_SYNTAX)
        return fail(p, p->state);
    if (len == 0)
        return RDL_PENDING;
    if (p->state == ST_TYPE) {
        result = start(p, buf[0]);
        if (result != RDL_OK)
            return result;
        at = 1;
    }
    if (p->state < ST_TEXT) {
        result = number(p, buf, len, &at);
        *used = at;
        if (result != RDL_OK)
            return result;
        result = number_done(p, ev);
        if (result == RDL_E_LIMIT)
            return result;
        at++;
        *used = at;
        if (result == RDL_OK)
            return result;
    }
    return text(p, buf, len, at, used, ev);
}
