/* SPDX-License-Identifier: MIT */
/*
 * one_test.c - linked with --wrap=_tcase_add_test: runs only the test $RDL_TEST of a suite; without that
 * variable, all of them.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The linker makes these names. */
void __real__tcase_add_test(TCase *tc, const TTest *test, int sig, int allowed_exit, int from, int to);
void __wrap__tcase_add_test(TCase *tc, const TTest *test, int sig, int allowed_exit, int from, int to);

void __wrap__tcase_add_test(TCase *tc, const TTest *test, int sig, int allowed_exit, int from, int to)
{
    const char *only = getenv("RDL_TEST");

    if (only == NULL || strcmp(only, test->name) == 0)
        __real__tcase_add_test(tc, test, sig, allowed_exit, from, to);
}
