/* SPDX-License-Identifier: MIT */
/* vectors.h - vectors/resp2.tsv as a table of C, which vectors.awk writes when the image is built. */
#ifndef RDL_TESTS_VECTORS_H
#define RDL_TESTS_VECTORS_H

#include <stdint.h>

#include "tests/fixtures/flash.h"

struct row {
    uint16_t line;                /* of the table */
    uint16_t bytes;               /* of the input */
    const char *input, *expected; /* in flash */
};

extern const struct row rows[];
extern const uint8_t rows_n;

#endif
