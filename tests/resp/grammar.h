/* SPDX-License-Identifier: MIT */
/*
 * grammar.h - what a parser makes of bytes, against the column `expected` of vectors/resp2.tsv: as it comes,
 * so that it also runs where there is no memory to write it down.
 */
#ifndef RDL_TESTS_GRAMMAR_H
#define RDL_TESTS_GRAMMAR_H

#include "resp/resp.h"

enum { GRAMMAR_DEPTH = 1100 }; /* open arrays; the deepest row has 1025 */

struct grammar {
    struct rdl_resp parser;
    const char *expected; /* in flash (tests/fixtures/flash.h) */
    size_t at;            /* so much of it was met */
    size_t shown;         /* the same when the last complete reply ended */
    size_t offset;        /* bytes taken in all; after an error, where it is */
    size_t ended;         /* offset where the last complete reply ended */
    const char *broken;   /* a promise of resp.h that the parser broke, or NULL */
    int result;           /* of the last call */
    uint8_t differs;      /* behind `at` */
    uint16_t depth;
    uint16_t due[GRAMMAR_DEPTH]; /* values in each open array */
};

void grammar_begin(struct grammar *g, const char *expected);
void grammar_feed(struct grammar *g, const uint8_t *data, size_t len);
/* All was fed: 1 if the verdict is the expected one, and nothing was broken. */
int grammar_holds(struct grammar *g);

#endif
