/* SPDX-License-Identifier: MIT */
/* grammar.c - compares a parser with an expected verdict; see grammar.h. */
#include "tests/resp/grammar.h"
#include "tests/fixtures/flash.h"

#include <string.h>

void grammar_begin(struct grammar *g, const char *expected)
{
    memset(g, 0, sizeof *g);
    rdl_resp_init(&g->parser);
    g->expected = expected;
    g->result = RDL_PENDING;
}

static void must(struct grammar *g, int holds, const char *what)
{
    if (!holds && g->broken == NULL)
        g->broken = what;
}

static void show_char(struct grammar *g, char c)
{
    if (!g->differs && flash_char(g->expected + g->at) == c)
        g->at++;
    else
        g->differs = 1;
}

static void show(struct grammar *g, const char *text)
{
    while (*text != '\0')
        show_char(g, *text++);
}

static void show_text(struct grammar *g, const uint8_t *data, size_t len)
{
    static const char hex[] = "0123456789abcdef";

    for (; len > 0; data++, len--) {
        if (*data < 0x20 || *data > 0x7e) {
            show(g, "\\x");
            show_char(g, hex[*data >> 4]);
            show_char(g, hex[*data & 15]);
        } else {
            show(g, *data == '"' || *data == '\\' ? "\\" : "");
            show_char(g, (char)*data);
        }
    }
}

static void show_number(struct grammar *g, int64_t value)
{
    char digits[20];
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + (char)(left % 10));
        left /= 10;
    } while (left > 0);
    show(g, value < 0 ? "-" : "");
    while (n > 0)
        show_char(g, digits[--n]);
}

static void show_event(struct grammar *g, const struct rdl_resp_event *ev)
{
    static const char *const names[] = {"status\"", "err\"", "int ", "bulk\"", "nil", "array["};

    if (ev->first) {
        show(g, g->depth > 0 ? " " : g->ended > 0 ? " ; " : "");
        show(g, names[ev->kind]);
    }
    if (ev->kind == RDL_RESP_INT)
        show_number(g, ev->value);
    else if (ev->kind == RDL_RESP_NIL)
        show(g, ev->type == '*' ? "array" : "");
    else if (ev->kind != RDL_RESP_ARRAY) {
        show_text(g, ev->data, ev->len);
        show(g, ev->last ? "\"" : "");
    }
}

/* No row has more values than `due` can count. */
static void open_array(struct grammar *g, int64_t values)
{
    must(g, g->depth < GRAMMAR_DEPTH, "an array deeper than any row has");
    if (g->depth < GRAMMAR_DEPTH)
        g->due[g->depth++] = values < UINT16_MAX ? (uint16_t)values : UINT16_MAX;
}

/* Ends a value: opens its array or counts it, and closes the arrays that it completes. */
static void end_value(struct grammar *g, const struct rdl_resp_event *ev)
{
    if (ev->kind == RDL_RESP_ARRAY)
        open_array(g, ev->value);
    else if (g->depth > 0)
        g->due[g->depth - 1]--;
    while (g->depth > 0 && g->due[g->depth - 1] == 0) {
        show(g, " ]");
        g->depth--;
        if (g->depth > 0)
            g->due[g->depth - 1]--;
    }
    must(g, ev->end == (g->depth == 0), "`end` is not where the reply ends");
    if (ev->end) {
        must(g, !g->differs, "a reply is another one");
        g->shown = g->at;
        g->ended = g->offset;
    }
}

void grammar_feed(struct grammar *g, const uint8_t *data, size_t len)
{
    do {
        struct rdl_resp_event ev;
        size_t used = len + 1;

        g->result = rdl_resp_next(&g->parser, data, len, &used, &ev);
        must(g, used <= len, "more is used than there is");
        if (used > len)
            return;
        data += used;
        len -= used;
        g->offset += used;
        if (g->result == RDL_OK) {
            must(g, used >= 1, "an event without a byte");
            show_event(g, &ev);
            if (ev.last)
                end_value(g, &ev);
        }
    } while (g->result == RDL_OK);
    must(g, g->result != RDL_PENDING || len == 0, "pending, and not all used");
}

/* Compares with the table: the complete replies, then the result for the rest. */
int grammar_holds(struct grammar *g)
{
    const char *rest = g->result == RDL_E_SYNTAX  ? "error"
                       : g->result == RDL_E_LIMIT ? "limit"
                       : g->offset > g->ended     ? "need-more"
                                                  : "";

    g->at = g->shown;
    g->differs = 0;
    show(g, g->shown > 0 && *rest != '\0' ? " ; " : "");
    show(g, rest);
    show_char(g, '\0');
    must(g, !g->differs, "another verdict");
    return g->broken == NULL;
}
