/* SPDX-License-Identifier: MIT */
/* The names under a prefix: the pattern of the query, and which replies are kept. */
#include "redlock/cli/servers/lock_names.h"
#include "redlock/redlock.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *prefix, *pattern;
} patterns[] = {
    {"", "*"},
    {"nightly", "nightly*"},
    {"a*b?c", "a\\*b\\?c*"},
    {"[a-z]^\\", "\\[a\\-z\\]\\^\\\\*"},
    {"{x}:\xff\n", "{x}:\xff\n*"},
};

START_TEST(pattern_characters_in_a_prefix_are_escaped)
{
    char out[RDL_CLI_PATTERN_MAX];
    size_t len = rdl_cli_pattern(patterns[_i].prefix, out);

    ck_assert_uint_eq(len, strlen(patterns[_i].pattern));
    ck_assert_mem_eq(out, patterns[_i].pattern, len);
}
END_TEST

START_TEST(the_longest_prefix_fits)
{
    char prefix[RDL_NAME_MAX + 1], out[RDL_CLI_PATTERN_MAX];

    memset(prefix, '*', RDL_NAME_MAX);
    prefix[RDL_NAME_MAX] = '\0';
    ck_assert_uint_eq(rdl_cli_pattern(prefix, out), RDL_CLI_PATTERN_MAX);
    ck_assert_mem_eq(out + RDL_CLI_PATTERN_MAX - 3, "\\**", 3);
}
END_TEST

static struct rdl_cli_names names;

static void add(const char *name)
{
    rdl_cli_names_add(&names, name, strlen(name));
}

START_TEST(names_are_sorted_and_unique)
{
    static const char *const sorted[] = {"a", "a:1", "b", "\xff"};

    for (int again = 0; again < 3; again++)
        for (int i = 3; i >= 0; i--)
            add(sorted[i]);
    rdl_cli_names_sort(&names);
    ck_assert_uint_eq(names.n, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(names.name[i], sorted[i]);
    ck_assert(!names.is_full && !names.has_nul);
}
END_TEST

START_TEST(names_that_cannot_be_locks_are_skipped)
{
    char name[RDL_NAME_MAX + 1];

    memset(name, 'x', RDL_NAME_MAX);
    name[RDL_NAME_MAX] = '\0';
    add("");
    add("rdl:canary");
    rdl_cli_names_add(&names, name, RDL_NAME_MAX + 1);
    ck_assert_uint_eq(names.n, 0);
    ck_assert(!names.has_nul);
    rdl_cli_names_add(&names, "a\0b", 3);
    ck_assert_uint_eq(names.n, 0);
    ck_assert(names.has_nul);
    add(name);
    add("rdl:canary2");
    ck_assert_uint_eq(names.n, 2);
}
END_TEST

/* A lock's name may have either part, but not both in this order. */
START_TEST(keys_of_ticks_are_skipped)
{
    static const char *const ticks[] = {"{nightly}:once:2026-11-29", "{x}y:once:T", "{a}:once:~!:once:b"};
    static const char *const locks[] = {"nightly:once:T",     "{nightly}:once", "{nightly}:once:",
                                        "{nightly}:once:a b", ":once:{x}",      "{nightly}:fence"};

    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
        add(ticks[i]);
    ck_assert_uint_eq(names.n, 0);
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++)
        add(locks[i]);
    ck_assert_uint_eq(names.n, sizeof locks / sizeof locks[0]);
}
END_TEST

START_TEST(one_name_too_many_is_reported)
{
    char name[16];

    for (int i = 0; i < RDL_CLI_NAMES_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        add(name);
        add("0");
    }
    ck_assert_uint_eq(names.n, RDL_CLI_NAMES_MAX);
    ck_assert(!names.is_full);
    add("more");
    ck_assert(names.is_full);
    ck_assert_uint_eq(names.n, RDL_CLI_NAMES_MAX);
}
END_TEST

Suite *suite_cli_names(void)
{
    Suite *suite = suite_create("cli_names");
    TCase *tc = suite_case(suite, "cli_names", NULL, NULL);

    tcase_add_loop_test(tc, pattern_characters_in_a_prefix_are_escaped, 0,
                        (int)(sizeof patterns / sizeof patterns[0]));
    tcase_add_test(tc, the_longest_prefix_fits);
    tcase_add_test(tc, names_are_sorted_and_unique);
    tcase_add_test(tc, names_that_cannot_be_locks_are_skipped);
    tcase_add_test(tc, keys_of_ticks_are_skipped);
    tcase_add_test(tc, one_name_too_many_is_reported);
    return suite;
}
