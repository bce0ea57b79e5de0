/* SPDX-License-Identifier: MIT */
/*
 * resp_parse.c - the RESP2 reader.
 *
 * A value is a type byte, then a text or a number; the number of a bulk is followed by a text of known
 * length. So one call walks down at most once: type -> number -> text, and leaves where an event is
 * complete, the input ends or a byte is wrong. Arrays need no stack: RESP2 writes them in preorder, so
 * one counter of the values still due says where the reply ends, however deep they nest.
 */
#include "resp/resp.h"

enum state {
    ST_TYPE,    /* before the type byte of a value */
    ST_SIGN,    /* before the first character of a number */
    ST_NEG,     /* after its '-' */
    ST_DIGITS,  /* after its first digit */
    ST_NUM_LF,  /* after its CR */
    ST_TEXT,    /* in a text or bulk, or before the CR that ends it */
    ST_TEXT_LF, /* after that CR */
    ST_SYNTAX,  /* failed for good, as all that follow */
    ST_LIMIT
};

enum {
    FIRST = 1, /* no fragment of this text was handed out yet */
    NEG = 2    /* the number is negative */
};

/* The largest number that may be followed by another digit, INT64_MAX / 10. */
#define ACC_MAX UINT64_C(922337203685477580)

void rdl_resp_init(struct rdl_resp *p)
{
    p->acc = 0;
    p->due = 0;
    p->announced = 0;
    p->left = 0;
    p->state = ST_TYPE;
    p->type = 0;
    p->kind = 0;
    p->flags = 0;
}

static int fail(struct rdl_resp *p, uint8_t state)
{
    p->state = state;
    return state == ST_SYNTAX ? RDL_E_SYNTAX : RDL_E_LIMIT;
}

/* Take a type byte; the state says what must follow. */
static void start(struct rdl_resp *p, uint8_t c)
{
    p->acc = 0;
    p->type = c;
    p->flags = FIRST;
    p->state = ST_SIGN;
    switch (c) {
    case '+':
        p->kind = RDL_RESP_STATUS;
        p->state = ST_TEXT;
        break;
    case '-':
        p->kind = RDL_RESP_ERROR;
        p->state = ST_TEXT;
        break;
    case ':':
        p->kind = RDL_RESP_INT;
        break;
    case '$':
        p->kind = RDL_RESP_BULK;
        break;
    case '*':
        p->kind = RDL_RESP_ARRAY;
        break;
    default:
        p->state = ST_SYNTAX;
        break;
    }
}

/* The first digit: "-0" is not canonical, and the only negative length is -1. */
static enum state first_digit(const struct rdl_resp *p, uint32_t d)
{
    if (d > 9)
        return ST_SYNTAX;
    if (p->state == ST_NEG && (d == 0 || (d != 1 && p->type != ':')))
        return ST_SYNTAX;
    return ST_DIGITS;
}

/* A further digit of acc: no leading zero, nothing after a length of -1, nothing beyond int64_t. */
static enum state next_digit(const struct rdl_resp *p, uint64_t *acc, uint32_t d)
{
    uint64_t a = *acc;
    uint32_t neg = p->flags >> 1;

    if (d > 9 || a == 0 || a > ACC_MAX || (neg && p->type != ':'))
        return ST_SYNTAX;
    a = a * 10 + d;
    *acc = a;
    return (a - neg) >> 63 ? ST_SYNTAX : ST_DIGITS;
}

/* Take one byte of a number; ST_TYPE: it was the last one. */
static enum state number_step(struct rdl_resp *p, uint64_t *acc, uint8_t c)
{
    uint32_t d = c ^ UINT32_C(0x30); /* 0..9 for a digit, more for all else */

    if (p->state == ST_DIGITS)
        return c == '\r' ? ST_NUM_LF : next_digit(p, acc, d);
    if (p->state == ST_NUM_LF)
        return c == '\n' ? ST_TYPE : ST_SYNTAX;
    if (c == '-' && p->state == ST_SIGN) {
        p->flags |= NEG;
        return ST_NEG;
    }
    *acc = d;
    return first_digit(p, d);
}

/* Take the bytes of a number from buf[*used..len): RDL_OK when its line is complete. */
static int number(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used)
{
    uint64_t acc = p->acc;
    size_t i;

    for (i = *used; i < len; i++) {
        enum state s = number_step(p, &acc, buf[i]);

        p->state = (uint8_t)s;
        if (s == ST_SYNTAX) {
            *used = i;
            return RDL_E_SYNTAX;
        }
        if (s == ST_TYPE) {
            *used = i + 1;
            p->acc = acc;
            return RDL_OK;
        }
    }
    *used = len;
    p->acc = acc;
    return RDL_PENDING;
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

/* What all events have. */
static void describe(struct rdl_resp *p, struct rdl_resp_event *ev, const uint8_t *data, size_t n)
{
    ev->data = data;
    ev->len = n;
    ev->value = (int64_t)p->acc;
    ev->kind = p->kind;
    ev->type = p->type;
    ev->first = p->flags & FIRST;
    p->flags &= (uint8_t)~FIRST;
}

/* The line of a number is complete. RDL_PENDING: it was the length of a bulk, whose bytes follow. */
static int number_done(struct rdl_resp *p, struct rdl_resp_event *ev)
{
    uint64_t acc = p->acc;

    if (p->flags & NEG) {
        describe(p, ev, NULL, 0);
        ev->value = -(int64_t)(acc - 1) - 1;
        if (p->type != ':')
            ev->kind = RDL_RESP_NIL;
    } else {
        if (p->type == '$') {
            if (acc > RDL_BULK_MAX)
                return fail(p, ST_LIMIT);
            p->left = (uint32_t)acc;
            p->state = ST_TEXT;
            return RDL_PENDING;
        }
        if (p->type == '*') {
            if (acc > RDL_VALUES_MAX - p->announced)
                return fail(p, ST_LIMIT);
            p->announced += (uint32_t)acc;
            p->due += (uint32_t)acc;
        }
        describe(p, ev, NULL, 0);
    }
    complete(p, ev);
    return RDL_OK;
}

/* Where the text that goes on at buf[i] ends or is cut: the offset of its CR, or len. */
static size_t text_end(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t i)
{
    size_t k = len - i;

    if (p->type == '$') {
        if (k > p->left)
            k = p->left;
        p->left -= (uint32_t)k;
        return i + k;
    }
    for (k = i; k < len; k++)
        if (buf[k] == '\r' || buf[k] == '\n')
            break;
    return k;
}

/* Take a text from buf[i..len), and the CR LF behind it. */
static int text(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t i, size_t *used,
                struct rdl_resp_event *ev)
{
    size_t k = i;
    size_t n = 0;

    if (p->state == ST_TEXT) {
        k = text_end(p, buf, len, i);
        n = k - i;
        *used = k;
        if (k < len) {
            if (buf[k] != '\r')
                return fail(p, ST_SYNTAX);
            k++;
            p->state = ST_TEXT_LF;
        }
    }
    *used = k;
    if (k == len && n == 0)
        return RDL_PENDING;
    if (k < len && buf[k] != '\n')
        return fail(p, ST_SYNTAX);
    describe(p, ev, buf + i, n);
    ev->last = 0;
    ev->end = 0;
    if (k < len) {
        *used = k + 1;
        complete(p, ev);
    }
    return RDL_OK;
}

int rdl_resp_next(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used,
                  struct rdl_resp_event *ev)
{
    *used = 0;
    if (p->state >= ST_SYNTAX)
        return fail(p, p->state);
    if (len == 0)
        return RDL_PENDING;
    if (p->state == ST_TYPE) {
        start(p, buf[0]);
        if (p->state == ST_SYNTAX)
            return RDL_E_SYNTAX;
        *used = 1;
    }
    if (p->state < ST_TEXT) {
        int result = number(p, buf, len, used);

        if (result == RDL_OK)
            result = number_done(p, ev);
        if (result == RDL_E_LIMIT)
            *used -= 1;
        if (result != RDL_PENDING || p->state != ST_TEXT)
            return result;
    }
    return text(p, buf, len, *used, used, ev);
}
