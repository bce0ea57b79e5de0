/* SPDX-License-Identifier: MIT */
/* suite.h - for a file with suites: Check, and the prototypes of all suites. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

#define SUITE(folder, name) Suite *suite_##name(void);
#include "tests/suites.inc"
#undef SUITE

/* The elements of an array, for a loop test. */
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* A test case of the suite. setup and teardown run before and after each test; NULL: none. */
static inline TCase *suite_case(Suite *suite, const char *name, void (*setup)(void), void (*teardown)(void))
{
    TCase *tc = tcase_create(name);

    tcase_add_checked_fixture(tc, setup, teardown);
    suite_add_tcase(suite, tc);
    return tc;
}

#endif
