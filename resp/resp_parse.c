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

enum {
    FIRST = 1, /* no fragment of this value was handed out yet */
    NEG = 2    /* its number is negative */
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
    p->flags = 0;
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
    p->flags = FIRST;
    p->acc = 0;
    p->state = ST_SIGN;
    if (c == ':' || c == '$' || c == '*')
        return RDL_OK;
    p->state = ST_TEXT;
    if (c == '+' || c == '-')
        return RDL_OK;
    return fail(p, ST_SYNTAX);
}

/* The state after the first digit: a zero stands alone, "-0" is nothing, the only negative length is -1. */
static uint8_t first_digit(uint8_t type, uint8_t state, uint32_t d)
{
    if (d > 9)
        return ST_SYNTAX;
    if (state == ST_SIGN)
        return d == 0 ? ST_CR : ST_DIGITS;
    if (type == ':')
        return d == 0 ? ST_SYNTAX : ST_DIGITS;
    return d == 1 ? ST_CR : ST_SYNTAX;
}

/* Take further digits out of buf[*at..len). ST_SYNTAX: the one at *at would leave int64_t. */
static uint8_t digits(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *at)
{
    uint64_t acc = p->acc;
    uint64_t max = (uint64_t)INT64_MAX + (p->flags >> 1); /* NEG: one more */
    uint8_t state = ST_DIGITS;
    size_t i;

    for (i = *at; i < len; i++) {
        uint32_t d = buf[i] ^ UINT32_C(0x30); /* 0..9 for a digit, more for all else */

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

/* Take a number and its CR LF out of buf[*at..len): RDL_OK when its line is complete. */
static int number(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *at)
{
    uint8_t state = p->state;
    size_t i = *at;

    if (state == ST_SIGN && i < len && buf[i] == '-') {
        p->flags |= NEG;
        state = ST_NEG;
        i++;
    }
    if (state <= ST_NEG && i < len) {
        uint32_t d = buf[i] ^ UINT32_C(0x30);

        p->acc = d;
        state = first_digit(p->type, state, d);
        i += state != ST_SYNTAX;
    }
    if (state == ST_DIGITS)
        state = digits(p, buf, len, &i);
    if (state <= ST_CR && i < len) {
        state = buf[i] == '\r' ? ST_NUM_LF : ST_SYNTAX;
        i += state != ST_SYNTAX;
    }
    *at = i;
    p->state = state;
    if (state == ST_SYNTAX)
        return RDL_E_SYNTAX;
    if (i == len)
        return RDL_PENDING;
    if (buf[i] != '\n')
        return fail(p, ST_SYNTAX);
    *at = i + 1;
    return RDL_OK;
}

/* A value is complete; the reply as a whole is when no more are due. */
static int complete(struct rdl_resp *p, struct rdl_resp_event *ev)
{
    uint32_t due = p->due;

    p->state = ST_TYPE;
    ev->last = 1;
    ev->end = due == 0;
    if (due == 0)
        p->announced = 0;
    else
        p->due = due - 1;
    return RDL_OK;
}

/* The line of a number is complete. RDL_PENDING: it was the length of a bulk, whose bytes follow. */
static int number_done(struct rdl_resp *p, struct rdl_resp_event *ev)
{
    uint64_t acc = p->acc;

    ev->data = NULL;
    ev->len = 0;
    ev->value = (int64_t)acc;
    ev->kind = RDL_RESP_INT;
    ev->type = p->type;
    ev->first = 1;
    if (p->flags & NEG) {
        ev->value = -(int64_t)(acc - 1) - 1;
        if (p->type != ':')
            ev->kind = RDL_RESP_NIL;
    } else if (p->type == '$') {
        if (acc > RDL_BULK_MAX)
            return fail(p, ST_LIMIT);
        p->left = (uint32_t)acc;
        p->state = ST_TEXT;
        return RDL_PENDING;
    } else if (p->type == '*') {
        if (acc > RDL_VALUES_MAX - p->announced)
            return fail(p, ST_LIMIT);
        p->announced += (uint32_t)acc;
        p->due += (uint32_t)acc;
        ev->kind = RDL_RESP_ARRAY;
    }
    return complete(p, ev);
}

/* Where the text that goes on at buf[i] ends or is cut: the offset of its CR, or len. */
static size_t text_end(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t i)
{
    if (p->type == '$') {
        size_t n = len - i;

        if (n > p->left)
            n = p->left;
        p->left -= (uint32_t)n;
        return i + n;
    }
    while (i < len && buf[i] != '\r' && buf[i] != '\n')
        i++;
    return i;
}

/* Take a text from buf[at..len), and the CR LF behind it. */
static int text(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t at, size_t *used,
                struct rdl_resp_event *ev)
{
    size_t end = at;
    size_t i = at;

    if (p->state == ST_TEXT) {
        end = text_end(p, buf, len, at);
        i = end;
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
    } else if (end == at)
        return RDL_PENDING;
    ev->data = buf + at;
    ev->len = end - at;
    ev->value = (int64_t)p->acc;
    ev->type = p->type;
    ev->kind = p->type == '$' ? RDL_RESP_BULK : p->type == '+' ? RDL_RESP_STATUS : RDL_RESP_ERROR;
    ev->first = p->flags;
    p->flags = 0;
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
            *used = at - 1;
        if (result != RDL_PENDING)
            return result;
    }
    return text(p, buf, len, at, used, ev);
}
