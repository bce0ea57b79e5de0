/* SPDX-License-Identifier: MIT */
/* suite.h - for a file with suites: Check, and the prototypes of all suites. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

#define SUITE(folder, name) Suite *suite_##name(void);
#include "tests/suites.inc"
#undef SUITE

#endif
