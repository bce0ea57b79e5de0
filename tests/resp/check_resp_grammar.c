/* SPDX-License-Identifier: MIT */
/*
 * check_resp_grammar.c - which bytes are RESP2: the table vectors/resp2.tsv, with its input split everywhere.
 */
#include "tests/fixtures/guard_page.h"
#include "tests/resp/grammar.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

/* Places the input at the end of readable memory. */
static void feed(struct grammar *g, const void *data, size_t len)
{
    grammar_feed(g, at_the_edge(data, len), len);
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

/*
 * Reads the next row; 0 at the end. Columns: id, input, chunking (a hint for other readers), expected, note.
 */
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

/* Feeds a row in pieces of `piece` bytes; the first piece has `cut`. */
static void check_row(const struct row *row, size_t cut, size_t piece)
{
    static struct grammar g;
    size_t at = 0;
    size_t n = cut;

    grammar_begin(&g, row->expected);
    do {
        n = n < row->len - at ? n : row->len - at;
        feed(&g, row->input + at, n);
        at += n;
        n = piece;
    } while (at < row->len && g.result == RDL_PENDING);
    if (!grammar_holds(&g))
        ck_abort_msg("%s cut at %zu, pieces of %zu: %s; met: %.*s", row->id, cut, piece, g.broken, (int)g.at,
                     row->expected);
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
    ck_assert_int_ge(rows, 127);
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

/* An error is final: no further input turns refused input into accepted input. */
static void check_refused(const struct row *row)
{
    static struct grammar g;
    size_t offset;
    int result;

    grammar_begin(&g, row->expected);
    feed(&g, row->input, row->len);
    result = g.result;
    offset = g.offset;
    if (result < 0) {
        feed(&g, "+OK\r\n", 5);
        ck_assert_int_eq(g.result, result);
        feed(&g, "", 0);
        ck_assert_int_eq(g.result, result);
        ck_assert_uint_eq(g.offset, offset);
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
        static struct grammar g;

        grammar_begin(&g, "need-more");
        feed(&g, row->input, n);
        if (!grammar_holds(&g))
            ck_abort_msg("%s, first %zu bytes: %s", row->id, n, g.broken);
    }
}

START_TEST(every_prefix_of_a_reply_needs_more)
{
    for_each_row(check_prefixes);
}
END_TEST

Suite *suite_resp_grammar(void)
{
    Suite *s = suite_create("resp_grammar");
    TCase *t = suite_case(s, "resp_grammar", edge_setup, edge_teardown);

    tcase_add_test(t, every_vector_gives_its_verdict_whole);
    tcase_add_test(t, every_vector_gives_its_verdict_byte_by_byte);
    tcase_add_test(t, every_vector_gives_its_verdict_at_every_two_way_split);
    tcase_add_test(t, no_refused_input_becomes_accepted);
    tcase_add_test(t, every_prefix_of_a_reply_needs_more);
    return s;
}
