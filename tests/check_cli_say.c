/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

Suite *suite_cli_say(void);

static int fd[2];
static char said[8192];

static void catch_stderr(void)
{
    ck_assert_int_eq(pipe(fd), 0);
    dup2(fd[1], STDERR_FILENO);
}

/* What was said since the last time; a mark behind it, so that nothing said is something to read, too. */
static const char *heard(void)
{
    ck_assert_int_eq((int)write(fd[1], "|", 1), 1);
    ssize_t n = read(fd[0], said, sizeof said - 1);
    ck_assert_int_ge((int)n, 1);
    said[n - 1] = '\0';
    return said;
}

START_TEST(loudness_decides_what_is_said)
{
    static const int levels[] = {RDL_CLI_QUIET, RDL_CLI_NORMAL, RDL_CLI_VERBOSE};
    static const char *const expected[] = {"redlock: f\n", "redlock: f\nredlock: w\n",
                                           "redlock: f\nredlock: w\nredlock: n\n"};
    for (int i = 0; i < 3; i++) {
        rdl_cli_loudness(levels[i]);
        rdl_cli_fail("%s", "f");
        rdl_cli_warn("%s", "w");
        rdl_cli_note("%s", "n");
        ck_assert_str_eq(heard(), expected[i]);
    }
}
END_TEST

START_TEST(a_message_is_one_line_without_control_characters)
{
    rdl_cli_loudness(RDL_CLI_NORMAL);
    rdl_cli_fail("a\nb\r\033[31m\177\tc\xc3\xa9");
    ck_assert_str_eq(heard(), "redlock: a?b??[31m??c\xc3\xa9\n");
}
END_TEST

START_TEST(a_long_message_is_cut_and_still_ends_its_line)
{
    static char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    rdl_cli_fail("%s", longer);
    heard();
    size_t len = strlen(said);
    ck_assert_uint_gt(len, 2000);
    ck_assert_uint_lt(len, 2100);
    ck_assert_int_eq(said[len - 1], '\n');
    ck_assert_ptr_eq(strchr(said, '\n'), said + len - 1);
}
END_TEST

Suite *suite_cli_say(void)
{
    Suite *s = suite_create("cli_say");
    TCase *t = tcase_create("messages");
    tcase_add_checked_fixture(t, catch_stderr, NULL);
    tcase_add_test(t, loudness_decides_what_is_said);
    tcase_add_test(t, a_message_is_one_line_without_control_characters);
    tcase_add_test(t, a_long_message_is_cut_and_still_ends_its_line);
    suite_add_tcase(s, t);
    return s;
}
