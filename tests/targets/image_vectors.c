/* SPDX-License-Identifier: MIT */
/* image_vectors.c - every row of vectors/resp2.tsv gives its verdict, in pieces of 1, 7 and 64 bytes. */
#include "tests/resp/grammar.h"
#include "tests/targets/image.h"
#include "tests/targets/vectors.h"

#include <stdio.h>

enum { PIECE_MAX = 64 };

static int holds(const struct row *row, size_t piece)
{
    static struct grammar g;
    uint8_t bytes[PIECE_MAX];
    size_t at = 0;

    grammar_begin(&g, row->expected);
    while (at < row->bytes && g.result == RDL_PENDING) {
        size_t n = piece < row->bytes - at ? piece : row->bytes - at;

        flash_copy(bytes, row->input + at, n);
        grammar_feed(&g, bytes, n);
        at += n;
    }
    if (grammar_holds(&g))
        return 1;
    printf("resp2.tsv:%u in pieces of %u: %s\n", (unsigned)row->line, (unsigned)piece, g.broken);
    return 0;
}

int image_vectors(void)
{
    static const uint8_t pieces[] = {1, 7, PIECE_MAX};
    int failed = 0;

    for (uint8_t i = 0; i < rows_n; i++)
        for (size_t p = 0; p < sizeof pieces; p++)
            failed += !holds(&rows[i], pieces[p]);
    printf("vectors: %u\n", (unsigned)rows_n);
    return failed;
}
