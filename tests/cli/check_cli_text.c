/* SPDX-License-Identifier: MIT */
/* Strings as JSON has them, whatever bytes they are made of. */
#include "redlock/cli/cli.h"

#include <check.h>
#include <stdio.h>

Suite *suite_cli_text(void);

static char out[64];

static const char *json(const char *s)
{
    struct rdl_cli_text t = {out, sizeof out, 0};

    rdl_cli_add_json(&t, s);
    return out;
}

START_TEST(pieces_follow_each_other_and_what_does_not_fit_is_cut)
{
    struct rdl_cli_text t = {out, 8, 0};

    rdl_cli_add(&t, "%d-", 12);
    rdl_cli_add(&t, "%s", "ab");
    rdl_cli_add(&t, "%s", "");
    ck_assert_str_eq(out, "12-ab");
    rdl_cli_add(&t, "%s", "cdefg");
    ck_assert_str_eq(out, "12-abcd");
    rdl_cli_add(&t, "h");
    ck_assert_str_eq(out, "12-abcd");
}
END_TEST

START_TEST(quotes_backslashes_and_control_characters_are_escaped)
{
    ck_assert_str_eq(json("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000a\\u007f\"");
    ck_assert_str_eq(json(""), "\"\"");
}
END_TEST

/* The first and the last of each length, and around the surrogates. */
START_TEST(utf8_stays_as_it_is)
{
    static const char *const good[] = {"\xc2\x80",         "\xdf\xbf",        "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",     "\xee\x80\x80",    "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    char expected[8];

    snprintf(expected, sizeof expected, "\"%s\"", good[_i]);
    ck_assert_str_eq(json(good[_i]), expected);
}
END_TEST

/* Alone, cut short, in too long a form, a surrogate, above U+10FFFF. */
START_TEST(each_byte_that_is_none_becomes_the_replacement_character)
{
    static const char *const bad[] = {"\xff",
                                      "\x80",
                                      "\xc3",
                                      "\xc1\xbf",
                                      "\xe2\x82",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80"};
    static const unsigned bytes[] = {1, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    char expected[64] = "\"";
    size_t n = 1;

    for (unsigned i = 0; i < bytes[_i]; i++)
        n += (size_t)snprintf(expected + n, sizeof expected - n, "\\ufffd");
    snprintf(expected + n, sizeof expected - n, "\"");
    ck_assert_str_eq(json(bad[_i]), expected);
}
END_TEST

Suite *suite_cli_text(void)
{
    Suite *suite = suite_create("cli_text");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, pieces_follow_each_other_and_what_does_not_fit_is_cut);
    tcase_add_test(tc, quotes_backslashes_and_control_characters_are_escaped);
    tcase_add_loop_test(tc, utf8_stays_as_it_is, 0, 8);
    tcase_add_loop_test(tc, each_byte_that_is_none_becomes_the_replacement_character, 0, 10);
    suite_add_tcase(suite, tc);
    return suite;
}
