/* SPDX-License-Identifier: MIT */
/*
 * grammar.h - compares what a parser reports with the column `expected` of vectors/resp2.tsv, event by event,
 * so that it also runs where there is no memory to store the events.
 */
#ifndef RDL_TESTS_GRAMMAR_H
#define RDL_TESTS_GRAMMAR_H

#include "resp/resp.h"

enum { GRAMMAR_DEPTH = 1100 }; /* open arrays; the deepest row has 1025 */

struct grammar {
    struct rdl_resp parser;
    const char *expected; /* in flash (tests/fixtures/flash.h) */
    size_t at;            /* how much of it has matched */
    size_t shown;         /* `at` when the last complete reply ended */
    size_t offset;        /* bytes read in all; after an error, its offset */
    size_t ended;         /* offset where the last complete reply ended */
    const char *broken;   /* a promise of resp.h that the parser broke, or NULL */
    int result;           /* of the last call */
    uint8_t differs;      /* something after `at` differs */
    uint16_t depth;
    uint16_t due[GRAMMAR_DEPTH]; /* values in each open array */
};

void grammar_begin(struct grammar *g, const char *expected);
void grammar_feed(struct grammar *g, const uint8_t *data, size_t len);
/* Call it when all was fed. Returns 1 if the verdict is the expected one and no promise was broken. */
int grammar_holds(struct grammar *g);

#endif
