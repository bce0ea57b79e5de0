/* SPDX-License-Identifier: MIT */
/* Strings of any bytes, as JSON and as words of the shell. */
#include "redlock/cli/output/text.h"
#include "redlock/redlock.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static char out[64];

static const char *json(const char *s)
{
    struct rdl_cli_text t = {out, sizeof out, 0};

    rdl_cli_add_json(&t, s);
    return out;
}

START_TEST(text_is_appended_and_cut_at_the_capacity)
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

/* The first and the last of each length, and the neighbours of the surrogates. */
START_TEST(valid_utf8_is_unchanged)
{
    static const char *const good[] = {"\xc2\xa0",         "\xdf\xbf",        "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",     "\xee\x80\x80",    "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    char expected[8];

    snprintf(expected, sizeof expected, "\"%s\"", good[_i]);
    ck_assert_str_eq(json(good[_i]), expected);
}
END_TEST

/* Alone, cut short, overlong, a surrogate, above U+10FFFF. */
START_TEST(each_invalid_byte_becomes_the_replacement_character)
{
    static const char *const bad[] = {
        /* clang-format off */
        "\xff", "\x80", "\xc3", "\xc1\xbf", "\xe2\x82", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        /* clang-format on */
    };
    static const unsigned bytes[] = {1, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    char expected[64] = "\"";
    size_t n = 1;

    for (unsigned i = 0; i < bytes[_i]; i++)
        n += (size_t)snprintf(expected + n, sizeof expected - n, "\\ufffd");
    snprintf(expected + n, sizeof expected - n, "\"");
    ck_assert_str_eq(json(bad[_i]), expected);
}
END_TEST

/* Code points below 2^16: those of 1 to 3 bytes. */
static const char *utf8(unsigned code)
{
    static char text[4];

    memset(text, 0, sizeof text);
    if (code < 0x80) {
        text[0] = (char)code;
    } else if (code < 0x800) {
        text[0] = (char)(0xc0 | code >> 6);
        text[1] = (char)(0x80 | (code & 0x3f));
    } else {
        text[0] = (char)(0xe0 | code >> 12);
        text[1] = (char)(0x80 | (code >> 6 & 0x3f));
        text[2] = (char)(0x80 | (code & 0x3f));
    }
    return text;
}

/* Controls of C0 and C1, line separators, direction marks: the first and the last of each row. */
static const unsigned acting[] = {1,      0x1f,   0x7f,   0x80,   0x9b,   0x9f,  0x61c,
                                  0x200e, 0x200f, 0x2028, 0x202e, 0x2066, 0x2069};

START_TEST(characters_that_control_a_terminal_are_escaped)
{
    char escaped[16];

    snprintf(escaped, sizeof escaped, "\"\\u%04x\"", acting[_i]);
    ck_assert_uint_eq(rdl_cli_acting_len(utf8(acting[_i])), strlen(utf8(acting[_i])));
    ck_assert_str_eq(json(utf8(acting[_i])), escaped);
}
END_TEST

/* Their neighbours, and letters whose bytes are controls elsewhere. */
START_TEST(printable_characters_are_not_escaped)
{
    static const unsigned shown[] = {' ',    '~',    0xa0,   0xdb,   0x61b,  0x61d, 0x200d,
                                     0x2010, 0x2027, 0x202f, 0x2065, 0x206a, 0xffff};

    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        ck_assert_uint_eq(rdl_cli_acting_len(utf8(shown[i])), 0);
    ck_assert_uint_eq(rdl_cli_acting_len("\xa0"), 0); /* bytes that are not UTF-8 */
    ck_assert_uint_eq(rdl_cli_acting_len("\xff"), 0);
    ck_assert_uint_eq(rdl_cli_acting_len("\x80"), 1);
    ck_assert_uint_eq(rdl_cli_acting_len("\x9b[2J"), 1);
}
END_TEST

START_TEST(a_shell_word_is_quoted_where_needed)
{
    static const struct {
        const char *word, *shown;
    } words[] = {
        {"anna", "anna"},         {"a-1_@%+=:./", "a-1_@%+=:./"},
        {"{a,b}", "'{a,b}'"},     {"a{b", "'a{b'"},
        {"a}", "'a}'"},           {"=ls", "'=ls'"},
        {"a=ls", "a=ls"},         {"-x", "-x"},
        {"\xc3\xa4", "\xc3\xa4"}, {"", "''"},
        {"a b", "'a b'"},         {"$x", "'$x'"},
        {"a\nb", "'a\nb'"},       {"*", "'*'"},
        {"#a", "'#a'"},           {"~a", "'~a'"},
        {"a,b", "'a,b'"},         {"a;b", "'a;b'"},
        {"a\\b", "'a\\b'"},       {"'a", "''\\''a'"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct rdl_cli_text t = {out, sizeof out, 0};
        rdl_cli_add_word(&t, words[i].word);
        ck_assert_str_eq(out, words[i].shown);
    }
}
END_TEST

/* Names of quotes only, of the greatest length: nothing is cut. */
START_TEST(the_quoted_names_of_all_locks_fit)
{
    char words[RDL_CLI_LOCKS_MAX], name[RDL_NAME_MAX / RDL_MULTI_MAX];
    struct rdl_cli_text t = {words, sizeof words, 0};

    memset(name, '\'', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int k = 0; k < RDL_MULTI_MAX; k++)
        rdl_cli_add_lock(&t, name);
    ck_assert_uint_lt(t.len, sizeof words - 1);
    ck_assert_str_eq(words + t.len - 5, "'\\'''");
}
END_TEST

Suite *suite_cli_text(void)
{
    Suite *suite = suite_create("cli_text");
    TCase *tc = suite_case(suite, "all", NULL, NULL);

    tcase_add_test(tc, text_is_appended_and_cut_at_the_capacity);
    tcase_add_test(tc, quotes_backslashes_and_control_characters_are_escaped);
    tcase_add_loop_test(tc, valid_utf8_is_unchanged, 0, 8);
    tcase_add_loop_test(tc, each_invalid_byte_becomes_the_replacement_character, 0, 10);
    tcase_add_loop_test(tc, characters_that_control_a_terminal_are_escaped, 0,
                        sizeof acting / sizeof acting[0]);
    tcase_add_test(tc, printable_characters_are_not_escaped);
    tcase_add_test(tc, a_shell_word_is_quoted_where_needed);
    tcase_add_test(tc, the_quoted_names_of_all_locks_fit);
    return suite;
}
