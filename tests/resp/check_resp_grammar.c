/* SPDX-License-Identifier: MIT */
/* check_resp_grammar.c - which bytes are RESP2: the table of vectors/resp2.tsv, under every cutting. */
#include "resp/resp.h"
#include "tests/fixtures/guard_page.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- replies, written as in the table */

enum { DEPTH_MAX = 2000, TEXT_MAX = 1 << 15 };

struct transcript {
    struct rdl_resp parser;
    char text[TEXT_MAX];
    size_t size;
    size_t shown;           /* bytes of text up to the last complete reply */
    int result;             /* of the last call */
    size_t offset;          /* bytes taken in all; after an error, where it is */
    size_t ended;           /* offset where the last complete reply ended */
    int64_t due[DEPTH_MAX]; /* values in each open array */
    size_t depth;
};

static void begin(struct transcript *t)
{
    rdl_resp_init(&t->parser);
    t->size = 0;
    t->shown = 0;
    t->result = RDL_PENDING;
    t->offset = 0;
    t->ended = 0;
    t->depth = 0;
}

static void show(struct transcript *t, const char *text)
{
    size_t n = strlen(text);

    must(t->size + n < TEXT_MAX, "text too long");
    memcpy(t->text + t->size, text, n + 1);
    t->size += n;
}

static void show_text(struct transcript *t, const uint8_t *data, size_t len)
{
    char shown[8];
    size_t i;

    for (i = 0; i < len; i++) {
        if (data[i] < 0x20 || data[i] > 0x7e)
            sprintf(shown, "\\x%02x", data[i]);
        else
            sprintf(shown, "%s%c", data[i] == '"' || data[i] == '\\' ? "\\" : "", data[i]);
        show(t, shown);
    }
}

static void show_event(struct transcript *t, const struct rdl_resp_event *ev)
{
    static const char *const names[] = {"status\"", "err\"", "int ", "bulk\"", "nil", "array["};
    char number[24];

    if (ev->first) {
        show(t, t->depth > 0 ? " " : t->ended > 0 ? " ; " : "");
        show(t, names[ev->kind]);
    }
    if (ev->kind == RDL_RESP_INT) {
        sprintf(number, "%lld", (long long)ev->value);
        show(t, number);
    } else if (ev->kind == RDL_RESP_NIL)
        show(t, ev->type == '*' ? "array" : "");
    else if (ev->kind != RDL_RESP_ARRAY) {
        show_text(t, ev->data, ev->len);
        show(t, ev->last ? "\"" : "");
    }
}

/* A value is complete: open its array or count it off; close the arrays that it completes. */
static void end_value(struct transcript *t, const struct rdl_resp_event *ev)
{
    if (ev->kind == RDL_RESP_ARRAY) {
        must(t->depth < DEPTH_MAX, "too deep");
        t->due[t->depth++] = ev->value;
    } else if (t->depth > 0)
        t->due[t->depth - 1]--;
    while (t->depth > 0 && t->due[t->depth - 1] == 0) {
        show(t, " ]");
        t->depth--;
        if (t->depth > 0)
            t->due[t->depth - 1]--;
    }
    must(ev->end == (t->depth == 0), "end");
    if (ev->end) {
        t->shown = t->size;
        t->ended = t->offset;
    }
}

static void feed(struct transcript *t, const void *data, size_t len)
{
    const uint8_t *p = at_the_edge(data, len);

    do {
        struct rdl_resp_event ev;
        size_t used = len + 1;

        t->result = rdl_resp_next(&t->parser, p, len, &used, &ev);
        must(used <= len, "used > len");
        p += used;
        len -= used;
        t->offset += used;
        if (t->result == RDL_OK) {
            must(used >= 1, "an event without a byte");
            show_event(t, &ev);
            if (ev.last)
                end_value(t, &ev);
        }
    } while (t->result == RDL_OK);
    if (t->result == RDL_PENDING)
        must(len == 0, "pending, and not all used");
}

/* What the table says: the complete replies, then what became of the rest. */
static const char *finish(struct transcript *t)
{
    const char *rest = t->result == RDL_E_SYNTAX  ? "error"
                       : t->result == RDL_E_LIMIT ? "limit"
                       : t->offset > t->ended     ? "need-more"
                                                  : "";

    t->size = t->shown;
    show(t, t->shown > 0 && *rest != '\0' ? " ; " : "");
    show(t, rest);
    return t->text;
}

/* ---------------------------------------------------------------- the table */

struct row {
    char id[64];
    uint8_t input[16384];
    size_t len;
    char expected[16384];
};

static size_t unescape(uint8_t *out, const char *s, size_t n)
{
    size_t len = 0;
    size_t i;

    for (i = 0; i < n; i++, len++) {
        unsigned byte;

        if (s[i] != '\\')
            out[len] = (uint8_t)s[i];
        else if (s[++i] == 'x') {
            ck_assert_int_eq(sscanf(s + i + 1, "%2x", &byte), 1);
            out[len] = (uint8_t)byte;
            i += 2;
        } else
            out[len] = s[i] == 'r' ? '\r' : s[i] == 'n' ? '\n' : s[i] == 't' ? '\t' : '\\';
    }
    return len;
}

/* The next row; 0 at the end. Columns: id, input, chunking (a hint for other readers), expected, note. */
static int next_row(FILE *f, struct row *row)
{
    static char line[65536];

    while (fgets(line, sizeof line, f) != NULL) {
        char *column[4];
        char *p = line;
        int i;

        if (line[0] == '#' || strncmp(line, "id\t", 3) == 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        for (i = 0; i < 4; i++) {
            column[i] = p;
            p += strcspn(p, "\t");
            if (*p == '\t')
                *p++ = '\0';
        }
        snprintf(row->id, sizeof row->id, "%s", column[0]);
        ck_assert_uint_lt(strlen(column[1]), sizeof row->input);
        row->len = unescape(row->input, column[1], strlen(column[1]));
        ck_assert_uint_lt(strlen(column[3]), sizeof row->expected);
        strcpy(row->expected, column[3]);
        return 1;
    }
    return 0;
}

/* Feed a row in pieces of `piece` bytes, the first of `cut`. */
static void check_row(const struct row *row, size_t cut, size_t piece)
{
    static struct transcript t;
    size_t at = 0;
    size_t n = cut;

    begin(&t);
    do {
        n = n < row->len - at ? n : row->len - at;
        feed(&t, row->input + at, n);
        at += n;
        n = piece;
    } while (at < row->len && t.result == RDL_PENDING);
    finish(&t);
    if (strcmp(t.text, row->expected) != 0)
        ck_abort_msg("%s cut at %zu, pieces of %zu: %s", row->id, cut, piece, t.text);
}

static void for_each_row(void (*check)(const struct row *))
{
    static struct row row;
    FILE *f = fopen("tests/vectors/resp2.tsv", "r");
    int rows = 0;

    ck_assert_msg(f != NULL, "run from the top of the tree");
    while (next_row(f, &row)) {
        check(&row);
        rows++;
    }
    fclose(f);
    ck_assert_int_ge(rows, 126);
}

static void check_whole(const struct row *row)
{
    check_row(row, row->len, row->len);
}

START_TEST(every_vector_gives_its_verdict_whole)
{
    for_each_row(check_whole);
}
END_TEST

static void check_bytewise(const struct row *row)
{
    check_row(row, 1, 1);
}

START_TEST(every_vector_gives_its_verdict_byte_by_byte)
{
    for_each_row(check_bytewise);
}
END_TEST

static void check_splits(const struct row *row)
{
    size_t step = row->len < 1500 ? 1 : row->len / 200 + 1; /* quadratic: sample the long ones */
    size_t cut;

    for (cut = 0; cut <= row->len; cut += cut < 40 || cut + 40 > row->len ? 1 : step)
        check_row(row, cut, row->len);
}

START_TEST(every_vector_gives_its_verdict_at_every_two_way_split)
{
    for_each_row(check_splits);
}
END_TEST

/* An error stays, whatever follows; so a longer input cannot make a refused one good. */
static void check_refused(const struct row *row)
{
    static struct transcript t;
    size_t offset;
    int result;

    begin(&t);
    feed(&t, row->input, row->len);
    result = t.result;
    offset = t.offset;
    if (result < 0) {
        feed(&t, "+OK\r\n", 5);
        ck_assert_int_eq(t.result, result);
        feed(&t, "", 0);
        ck_assert_int_eq(t.result, result);
        ck_assert_uint_eq(t.offset, offset);
    }
}

START_TEST(no_refused_input_becomes_accepted)
{
    for_each_row(check_refused);
}
END_TEST

static void check_prefixes(const struct row *row)
{
    size_t step = row->len / 500 + 1; /* quadratic: sample the long ones */
    size_t n;

    if (strstr(row->expected, "need-more") != NULL || strstr(row->expected, "error") != NULL ||
        strstr(row->expected, "limit") != NULL || strchr(row->expected, ';') != NULL)
        return;
    for (n = 1; n < row->len; n += step) {
        static struct transcript t;

        begin(&t);
        feed(&t, row->input, n);
        if (strcmp(finish(&t), "need-more") != 0)
            ck_abort_msg("%s, first %zu bytes: %s", row->id, n, t.text);
    }
}

START_TEST(every_prefix_of_a_reply_needs_more)
{
    for_each_row(check_prefixes);
}
END_TEST

Suite *suite_resp_grammar(void);
Suite *suite_resp_grammar(void)
{
    Suite *s = suite_create("resp_grammar");
    TCase *t = tcase_create("resp_grammar");

    tcase_add_checked_fixture(t, edge_setup, edge_teardown);
    tcase_add_test(t, every_vector_gives_its_verdict_whole);
    tcase_add_test(t, every_vector_gives_its_verdict_byte_by_byte);
    tcase_add_test(t, every_vector_gives_its_verdict_at_every_two_way_split);
    tcase_add_test(t, no_refused_input_becomes_accepted);
    tcase_add_test(t, every_prefix_of_a_reply_needs_more);
    suite_add_tcase(s, t);
    return s;
}
