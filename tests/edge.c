/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/edge.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>

static uint8_t *edge; /* the first byte that nobody may read */

void must(int holds, const char *what)
{
    if (!holds)
        ck_abort_msg("%s", what);
}

void edge_setup(void)
{
    uint8_t *area = mmap(NULL, EDGE_MAX * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(area, MAP_FAILED);
    edge = area + EDGE_MAX;
    ck_assert_int_eq(mprotect(edge, EDGE_MAX, PROT_NONE), 0);
}

void edge_teardown(void)
{
    munmap(edge - EDGE_MAX, EDGE_MAX * 2);
}

const uint8_t *at_the_edge(const void *data, size_t len)
{
    must(len <= EDGE_MAX, "input too long");
    return memcpy(edge - len, data, len);
}
