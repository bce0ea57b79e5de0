/* SPDX-License-Identifier: MIT */
/* suite.h - for a file with suites: Check, and the prototypes of all suites. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdio.h>

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

/* Runs a test case in this process, for programs that need fixtures. Returns the number of failures. */
static inline int suite_run_here(TCase *tc)
{
    Suite *suite = suite_create("here");
    SRunner *runner;

    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    if (srunner_ntests_failed(runner) > 0)
        srunner_print(runner, CK_NORMAL);
    fflush(stdout);
    return srunner_ntests_failed(runner);
}

#endif
