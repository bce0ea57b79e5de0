/* SPDX-License-Identifier: MIT */
/* edge.h - input that ends where memory ends: who reads a byte too many is killed. */
#ifndef RDL_TESTS_EDGE_H
#define RDL_TESTS_EDGE_H

#include <stddef.h>
#include <stdint.h>

enum { EDGE_MAX = 1 << 16 };

/* Fixtures of a case. */
void edge_setup(void);
void edge_teardown(void);
/* A copy of data, EDGE_MAX bytes at most, behind whose last byte nobody may read; until the next one. */
const uint8_t *at_the_edge(const void *data, size_t len);
/* ck_assert notes each of its calls in a file: too slow where this is called a million times. */
void must(int holds, const char *what);

#endif
