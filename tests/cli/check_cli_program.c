/* SPDX-License-Identifier: MIT */
/* The text of --connect-command: words, quotes, %h and %p, and when a shell reads it. */
#include "redlock/cli/options/connect_program.h"
#include "tests/suite.h"

#include <string.h>

static struct rdl_cli_program p;

static const struct {
    const char *text;
    const char *words[6];
} texts[] = {
    {"openssl s_client -connect %h:%p", {"openssl", "s_client", "-connect", "db.example:6380"}},
    {"  a\tb  ", {"a", "b"}},
    {"a 'b c' \"d e\"f g\\ h", {"a", "b c", "d ef", "g h"}},
    {"a '' \"\"", {"a", "", ""}},
    {"a '%h' \"%p\" 100%% \\%h", {"a", "db.example", "6380", "100%", "%h"}},
    {"a 'b\\' \"c\\\"d\\\\e\\f\" '\"' \"'\"", {"a", "b\\", "c\"d\\e\\f", "\"", "'"}},
    {"a [%h]:%p", {"a", "[db.example]:6380"}},
    {"a ';$|*' \";|*\" \\; b=c", {"a", ";$|*", ";|*", ";", "b=c"}},
};

START_TEST(a_connect_command_is_split_as_by_a_shell)
{
    size_t n = 0;

    ck_assert_ptr_null(rdl_cli_program_make(&p, texts[_i].text, "db.example", 6380));
    ck_assert(!p.is_shell);
    for (; texts[_i].words[n] != NULL; n++)
        ck_assert_pstr_eq(p.argv[n], texts[_i].words[n]);
    ck_assert_ptr_null(p.argv[n]);
    ck_assert_str_eq(rdl_cli_program_name(&p), texts[_i].words[0]);
}
END_TEST

static const char *const shells[] = {"a | b", "a; b",  "a $B", "a \"$B\"", "a `b`",
                                     "a >b",  "A=b c", "a *",  "a & b",    "a \"`b`\""};

START_TEST(shell_syntax_is_left_to_a_shell)
{
    ck_assert_ptr_null(rdl_cli_program_make(&p, shells[_i], "h", 1));
    ck_assert(p.is_shell);
    ck_assert_str_eq(p.argv[0], "/bin/sh");
    ck_assert_str_eq(p.argv[1], "-c");
    ck_assert_str_eq(p.argv[2], shells[_i]);
    ck_assert_ptr_null(p.argv[3]);
    ck_assert_str_eq(rdl_cli_program_name(&p), "sh");
}
END_TEST

START_TEST(a_shell_gets_the_host_and_port_too)
{
    ck_assert_ptr_null(rdl_cli_program_make(&p, "nc %h %p | cat %%", "::1", 7));
    ck_assert_str_eq(p.argv[2], "nc ::1 7 | cat %");
}
END_TEST

/* The largest number of words and the greatest length, and one more. */
START_TEST(a_connect_command_that_is_too_long_is_refused)
{
    static char words[2 * RDL_CLI_WORDS_MAX + 4], text[RDL_CLI_PROGRAM_MAX + 2];

    for (size_t i = 0; i < RDL_CLI_WORDS_MAX; i++)
        memcpy(words + 2 * i, "a ", 2);
    ck_assert_ptr_null(rdl_cli_program_make(&p, words, "h", 1));
    ck_assert_ptr_null(p.argv[RDL_CLI_WORDS_MAX]);
    words[2 * RDL_CLI_WORDS_MAX] = 'a';
    ck_assert_str_eq(rdl_cli_program_make(&p, words, "h", 1), "it has too many words");
    memset(text, 'a', RDL_CLI_PROGRAM_MAX - 2);
    ck_assert_ptr_null(rdl_cli_program_make(&p, text, "h", 1));
    text[RDL_CLI_PROGRAM_MAX - 2] = 'a';
    text[RDL_CLI_PROGRAM_MAX - 1] = 'a';
    ck_assert_str_eq(rdl_cli_program_make(&p, text, "h", 1), "it is too long");
    text[0] = '|';
    ck_assert_str_eq(rdl_cli_program_make(&p, text, "h", 1), "it is too long");
}
END_TEST

Suite *suite_cli_program(void)
{
    Suite *s = suite_create("cli_program");
    TCase *tc = suite_case(s, "texts", NULL, NULL);

    tcase_add_loop_test(tc, a_connect_command_is_split_as_by_a_shell, 0,
                        (int)(sizeof texts / sizeof texts[0]));
    tcase_add_loop_test(tc, shell_syntax_is_left_to_a_shell, 0, (int)(sizeof shells / sizeof shells[0]));
    tcase_add_test(tc, a_shell_gets_the_host_and_port_too);
    tcase_add_test(tc, a_connect_command_that_is_too_long_is_refused);
    return s;
}
