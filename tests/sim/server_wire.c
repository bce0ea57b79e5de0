/* SPDX-License-Identifier: MIT */
/* The model server's own parser of requests and writer of replies. */
#include "tests/sim/server.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static long any_header(const uint8_t *in, size_t len, int64_t *v)
{
    const uint8_t *nl = memchr(in, '\n', len);
    if (!nl)
        return len > 64 ? -1 : 0;
    size_t n = (size_t)(nl - in);
    if (n < 1 || in[n - 1] != '\r' || !sim_arg_int((struct sim_arg){in, n - 1}, v))
        return -1;
    return (long)n + 1;
}

/* The number after a '*' or '$' up to its CR LF: > 0 bytes used, 0 incomplete, -1 not a number. */
static inline long header(const uint8_t *in, size_t len, int64_t *v)
{
    unsigned ten = len > 3 ? (unsigned)in[0] - '0' : 10, one = ten < 10 ? (unsigned)in[1] - '0' : 10;
    if (ten < 10 && in[1] == '\r' && in[2] == '\n') { /* the most frequent case: one digit or two */
        *v = ten;
        return 3;
    }
    if (ten > 0 && one < 10 && in[2] == '\r' && in[3] == '\n') {
        *v = ten * 10 + one;
        return 4;
    }
    return any_header(in, len, v);
}

static long inline_parse(const uint8_t *in, size_t len, struct sim_arg argv[SIM_ARGS], int *argc,
                         const char **why)
{
    const uint8_t *nl = memchr(in, '\n', len);
    if (!nl) {
        *why = "Protocol error: too big inline request";
        return len > SIM_COMMAND_MAX ? -1 : 0;
    }
    size_t n = (size_t)(nl - in);
    for (size_t i = 0; i < n;) {
        while (i < n && isspace(in[i]))
            i++;
        size_t start = i;
        while (i < n && !isspace(in[i]))
            i++;
        if (i > start && *argc < SIM_ARGS)
            argv[(*argc)++] = (struct sim_arg){in + start, i - start};
    }
    return (long)n + 1;
}

long sim_request_parse(const uint8_t *in, size_t len, struct sim_arg argv[SIM_ARGS], int *argc,
                       const char **why)
{
    static char expected[48];
    *argc = 0;
    if (len == 0)
        return 0;
    if (in[0] != '*')
        return inline_parse(in, len, argv, argc, why);
    int64_t count;
    long n = header(in + 1, len - 1, &count);
    if (n <= 0 || count > SIM_ARGS) {
        *why = "Protocol error: invalid multibulk length";
        return n == 0 ? 0 : -1;
    }
    size_t at = 1 + (size_t)n;
    for (int64_t i = 0; i < count; i++) {
        if (at >= len)
            return 0;
        if (in[at] != '$') {
            snprintf(expected, sizeof expected, "Protocol error: expected '$', got '%c'", in[at]);
            *why = expected;
            return -1;
        }
        int64_t size;
        n = header(in + at + 1, len - at - 1, &size);
        if (n < 0 || (n > 0 && (size < 0 || size > SIM_COMMAND_MAX))) {
            *why = "Protocol error: invalid bulk length";
            return -1;
        }
        if (n == 0 || len - at - 1 - (size_t)n < (size_t)size + 2)
            return 0;
        at += 1 + (size_t)n;
        argv[i] = (struct sim_arg){in + at, (size_t)size};
        at += (size_t)size + 2;
    }
    *argc = count > 0 ? (int)count : 0;
    return (long)at;
}

void sim_out_raw(struct sim_out *o, const void *data, size_t len)
{
    if (len > o->cap - o->len)
        len = o->cap - o->len;
    memcpy(o->buf + o->len, data, len);
    o->len += len;
}

void sim_out_text(struct sim_out *o, const char *text)
{
    sim_out_raw(o, text, strlen(text));
}

/* type, number, CR LF; printf is too slow for a simulator that answers millions of these. */
static void number(struct sim_out *o, char type, int64_t v)
{
    char b[24];
    size_t at = sizeof b;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    b[--at] = '\n';
    b[--at] = '\r';
    do {
        b[--at] = (char)('0' + u % 10);
        u /= 10;
    } while (u > 0);
    if (v < 0)
        b[--at] = '-';
    b[--at] = type;
    sim_out_raw(o, b + at, sizeof b - at);
}

void sim_out_digits(struct sim_out *o, uint64_t v)
{
    char b[20];
    size_t at = sizeof b;
    do {
        b[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0);
    sim_out_raw(o, b + at, sizeof b - at);
}

void sim_out_int(struct sim_out *o, int64_t v)
{
    number(o, ':', v);
}

void sim_out_bulk(struct sim_out *o, const void *data, size_t len)
{
    if (!data) {
        sim_out_text(o, "$-1\r\n");
        return;
    }
    number(o, '$', (int64_t)len);
    sim_out_raw(o, data, len);
    sim_out_raw(o, "\r\n", 2);
}

static void blank(uint8_t *text, size_t len, int what)
{
    for (uint8_t *p = text; (p = memchr(p, what, (size_t)(text + len - p))) != NULL;)
        *p = ' ';
}

void sim_out_error(struct sim_out *o, const char *fmt, ...)
{
    size_t from = o->len;
    va_list ap;
    va_start(ap, fmt);
    sim_out_raw(o, "-", 1);
    while (*fmt) {
        const char *percent = strchr(fmt, '%');
        size_t n = percent ? (size_t)(percent - fmt) : strlen(fmt);
        sim_out_raw(o, fmt, n);
        fmt += n;
        if (strncmp(fmt, "%.*s", 4) == 0) {
            size_t most = (size_t)va_arg(ap, int);
            const char *text = va_arg(ap, const char *), *nul = memchr(text, '\0', most);
            sim_out_raw(o, text, nul ? (size_t)(nul - text) : most);
            fmt += 4;
        } else if (fmt[0] == '%') {
            sim_out_text(o, va_arg(ap, const char *));
            fmt += 2;
        }
    }
    va_end(ap);
    blank(o->buf + from, o->len - from, '\r');
    blank(o->buf + from, o->len - from, '\n');
    sim_out_raw(o, "\r\n", 2);
}

static unsigned lower(unsigned c)
{
    return c - 'A' < 26u ? c | 0x20 : c;
}

int sim_arg_is(struct sim_arg a, const char *word)
{
    if (a.len == 0 || ((a.data[0] ^ (unsigned char)word[0]) & ~0x20) != 0) /* most often it differs */
        return a.len == 0 && word[0] == '\0';
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.data[i]) != lower((unsigned char)word[i]))
            return 0;
    return word[a.len] == '\0';
}

int sim_arg_int(struct sim_arg a, int64_t *v)
{
    size_t i = a.len > 0 && a.data[0] == '-';
    uint64_t limit = (uint64_t)INT64_MAX + (i ? 1 : 0), u = 0;
    if (i == a.len || (a.data[i] == '0' && a.len > 1))
        return 0;
    for (size_t k = i; k < a.len; k++) {
        unsigned d = (unsigned)a.data[k] - '0';
        if (d > 9 || (k > 17 && u > (limit - d) / 10)) /* 18 digits always fit */
            return 0;
        u = u * 10 + d;
    }
    *v = i ? (int64_t)(0 - u) : (int64_t)u;
    return 1;
}
