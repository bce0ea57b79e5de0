/* SPDX-License-Identifier: MIT */
/*
 * check_resp_exhaustive.c - parses every string of up to six symbols, whole and byte by byte, and compares
 * the results with a specification that is written differently.
 */
#include "resp/resp.h"
#include "tests/fixtures/guard_page.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the specification */

static const char alphabet[] = "+-:$*019\r\nx";

struct verdict {
    int result;
    size_t offset;
    int replies;
};

/* Returns whether these characters may be between the type and the CR of a number, as far as they go. */
static int number_may_begin(char type, const char *s, size_t n)
{
    if (n > 0 && *s == '-')
        return n == 1 ||
               (type == ':' ? s[1] != '0' && strspn(s + 1, "0123456789") >= n - 1 : n == 2 && s[1] == '1');
    return n == 0 || (strspn(s, "0123456789") >= n && (*s != '0' || n == 1));
}

/* Expects CR LF at s[*i], after a line or a body; *i is then its end, or the offset of the error. */
static int ends(const char *s, size_t n, size_t *i)
{
    if (*i < n && s[*i] == '\r')
        ++*i;
    else
        return *i < n ? RDL_E_SYNTAX : RDL_PENDING;
    if (*i < n && s[*i] == '\n')
        ++*i;
    else
        return *i < n ? RDL_E_SYNTAX : RDL_PENDING;
    return RDL_OK;
}

static int number_spec(const char *s, size_t n, size_t *i, long long *value)
{
    char type = s[*i - 1];
    size_t start = *i;

    while (*i < n && s[*i] != '\r') {
        if (!number_may_begin(type, s + start, *i - start + 1))
            return RDL_E_SYNTAX;
        ++*i;
    }
    if (*i == start || (*i == start + 1 && s[start] == '-'))
        return *i < n ? RDL_E_SYNTAX : RDL_PENDING;
    *value = strtoll(s + start, NULL, 10);
    return ends(s, n, i);
}

static int value_spec(const char *s, size_t n, size_t *i, long long *due)
{
    char type = s[(*i)++];
    long long value = 0;
    int result;

    if (type == '+' || type == '-') {
        *i += strcspn(s + *i, "\r\n");
        return ends(s, n, i);
    }
    if (type != ':' && type != '$' && type != '*') {
        --*i;
        return RDL_E_SYNTAX;
    }
    result = number_spec(s, n, i, &value);
    if (result != RDL_OK)
        return result;
    if (type == '*' && value > 0)
        *due += value;
    if (type != '$' || value < 0)
        return RDL_OK;
    if ((size_t)value > n - *i) {
        *i = n;
        return RDL_PENDING;
    }
    *i += (size_t)value;
    return ends(s, n, i);
}

static struct verdict spec(const char *s, size_t n)
{
    struct verdict v = {RDL_PENDING, 0, 0};
    long long due = 0;

    while (v.offset < n) {
        if (due == 0)
            due = 1;
        v.result = value_spec(s, n, &v.offset, &due);
        if (v.result != RDL_OK)
            break;
        v.result = RDL_PENDING;
        due--;
        if (due == 0)
            v.replies++;
    }
    return v;
}

/* What a caller sees, in a form that does not depend on how the input is split. */
struct digest {
    struct rdl_resp parser;
    struct verdict verdict;
    uint32_t hash;
    uint32_t shown; /* hash at the last complete reply */
};

static void mix(struct digest *d, uint64_t x)
{
    d->hash = (d->hash ^ (uint32_t)x ^ (uint32_t)(x >> 32)) * 16777619u;
}

static void digest_feed(struct digest *d, const char *s, size_t n)
{
    const uint8_t *p = at_the_edge(s, n);
    struct rdl_resp_event ev;
    size_t used;
    size_t i;

    while ((d->verdict.result = rdl_resp_next(&d->parser, p, n, &used, &ev)) == RDL_OK) {
        p += used;
        n -= used;
        d->verdict.offset += used;
        if (ev.first) {
            mix(d, ev.kind);
            mix(d, ev.type);
        }
        for (i = 0; i < ev.len; i++)
            mix(d, ev.data[i]);
        if (ev.last)
            mix(d, (uint64_t)ev.value);
        if (ev.end) {
            d->verdict.replies++;
            d->shown = d->hash;
        }
    }
    d->verdict.offset += used;
}

static int same_verdict(struct verdict a, struct verdict b)
{
    return a.result == b.result && a.offset == b.offset && a.replies == b.replies;
}

static int same_state(const struct rdl_resp *a, const struct rdl_resp *b)
{
    return a->state == b->state && a->type == b->type && a->first == b->first && a->neg == b->neg &&
           a->acc == b->acc && a->left == b->left && a->due == b->due && a->announced == b->announced;
}

/* Checks all strings that begin with s[0..n); `bytewise` has already read these n bytes one by one. */
static unsigned long every_string(char *s, size_t n, size_t max, const struct digest *bytewise)
{
    unsigned long strings = 1;
    struct digest whole = {{0}, {RDL_PENDING, 0, 0}, 0, 0};
    size_t i;

    s[n] = '\0';
    rdl_resp_init(&whole.parser);
    digest_feed(&whole, s, n);
    if (!same_verdict(whole.verdict, bytewise->verdict) || !same_verdict(whole.verdict, spec(s, n)) ||
        whole.shown != bytewise->shown)
        ck_abort_msg("string %s", s);
    if (whole.verdict.result == RDL_PENDING)
        must(whole.hash == bytewise->hash && same_state(&whole.parser, &bytewise->parser), s);
    for (i = 0; n < max && i < sizeof alphabet - 1; i++) {
        struct digest next = *bytewise;

        s[n] = alphabet[i];
        digest_feed(&next, s + n, 1);
        strings += every_string(s, n + 1, max, &next);
    }
    return strings;
}

START_TEST(every_short_string_parses_as_specified)
{
    struct digest none = {{0}, {RDL_PENDING, 0, 0}, 0, 0};
    char s[8];

    rdl_resp_init(&none.parser);
    ck_assert_uint_eq(every_string(s, 0, 6, &none), 1948717);
}
END_TEST

Suite *suite_resp_exhaustive(void)
{
    Suite *s = suite_create("resp_exhaustive");
    TCase *t = suite_case(s, "resp_exhaustive", edge_setup, edge_teardown);

    tcase_add_test(t, every_short_string_parses_as_specified);
    return s;
}
