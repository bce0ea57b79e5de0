/* SPDX-License-Identifier: MIT */
/* What is printed during a wait, and when: time is an argument, and standard error is a pipe. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/messages.h"
#include "redlock/cli/output/progress.h"
#include "redlock/redlock.h"
#include "tests/fixtures/heard.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static const char *show_at(uint64_t waited_ms)
{
    const struct rdl_cli_progress p = {"nightly", "", waited_ms, RDL_CLI_FOREVER, 1, 30000, ""};

    rdl_cli_progress_show(&p);
    return heard_since();
}

#define LINE(SO_FAR)                                                                                         \
    "redlock: nightly is held by another client; waiting: " SO_FAR                                           \
    " so far; its lease expires in 30 s unless renewed\n"

START_TEST(without_a_terminal_progress_is_printed_once_a_minute)
{
    static const struct {
        uint64_t waited_ms;
        const char *line;
    } times[] = {{0, ""},
                 {999, ""},
                 {1004, LINE("1 s")},
                 {1005, ""},
                 {30000, ""},
                 {61003, ""},
                 {61010, LINE("61 s")},
                 {61011, ""},
                 {90000, ""},
                 {121009, ""},
                 {121010, LINE("2 min 1 s")},
                 {180000, ""},
                 {900000, LINE("15 min 0 s")}};

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        ck_assert_str_eq(show_at(times[i].waited_ms), times[i].line);
    ck_assert_uint_eq(rdl_cli_progress_due_ms(), 960000);
}
END_TEST

START_TEST(no_progress_is_printed_with_q_or_after_the_wait)
{
    struct rdl_cli_progress over = {"nightly", "", 1000, 0, 1, 30000, ""};

    rdl_cli_progress_show(&over);
    over.waited_ms = 61000;
    over.left_ms = 999; /* the result of the wait would follow right after it */
    rdl_cli_progress_show(&over);
    ck_assert_str_eq(heard_since(), "");
    over.waited_ms = 121000;
    over.left_ms = 1000;
    rdl_cli_progress_show(&over);
    ck_assert_ptr_nonnull(strstr(heard_since(), "2 min 1 s so far, 1 s left"));
    rdl_cli_set_verbosity(RDL_CLI_QUIET);
    ck_assert_str_eq(show_at(181000), "");
    ck_assert_uint_eq(rdl_cli_progress_due_ms(), 241000); /* no repeated wake-ups for it */
}
END_TEST

/* The remaining time is rounded up: it is not over yet. */
START_TEST(progress_omits_unknown_values)
{
    static const struct {
        struct rdl_cli_progress p;
        const char *here, *there;
    } lines[] = {
        {{"x", "", 1999, RDL_CLI_FOREVER, 1, -1, "not said"},
         "waiting for x: 1 s so far",
         "x is held by another client; waiting: 1 s so far"},
        {{"x", "", 99999, 1, 1, 1, ""},
         "waiting for x: 99 s so far, 1 s left; its lease expires in 1 s unless renewed",
         "x is held by another client; waiting: 99 s so far, 1 s left; its lease expires in 1 s unless "
         "renewed"},
        {{"x", "one of ", 60000, RDL_CLI_FOREVER, 1, 0, ""},
         "waiting for x: 60 s so far",
         "one of x is held by another client; waiting: 60 s so far"},
        {{"x", "one of ", 100000, 5999000, 0, 0, "a:1: timed out"},
         "waiting for x: 1 min 40 s so far, 99 min 59 s left; a:1: timed out",
         "no lock on x yet; waiting: 1 min 40 s so far, 99 min 59 s left; a:1: timed out"},
        {{"x", "", 12345678, 6000000, 0, 86400000, ""},
         "waiting for x: 3 h 25 min so far, 1 h 40 min left; its lease expires in 24 h 0 min unless renewed",
         "no lock on x yet; waiting: 3 h 25 min so far, 1 h 40 min left; its lease expires in 24 h 0 min "
         "unless renewed"},
    };
    char text[RDL_CLI_PROGRESS_MAX];

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        rdl_cli_progress_text(&lines[i].p, 1, text);
        ck_assert_str_eq(text, lines[i].here);
        rdl_cli_progress_text(&lines[i].p, 0, text);
        ck_assert_str_eq(text, lines[i].there);
    }
}
END_TEST

/* The longest name and the longest times. */
START_TEST(the_longest_progress_line_fits)
{
    char name[RDL_NAME_MAX + 1], text[RDL_CLI_PROGRESS_MAX];
    const struct rdl_cli_progress p = {name,      "one of ", UINT64_MAX - 1000, UINT64_MAX - 1000, 1,
                                       INT64_MAX, ""};

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    rdl_cli_progress_text(&p, 0, text);
    ck_assert_str_eq(text + strlen(text) - 15, " unless renewed");
}
END_TEST

/* ---------------------------------------------------------------- a line that is overwritten */

START_TEST(a_progress_line_is_overwritten_and_erased_for_messages)
{
    rdl_cli_show("long", 79);
    ck_assert_str_eq(heard_since(), "\rredlock: long");
    rdl_cli_show("s", 79);
    ck_assert_str_eq(heard_since(), "\rredlock: s   ");
    rdl_cli_print_warning("w");
    ck_assert_str_eq(heard_since(), "\r          \rredlock: warning: w\n");
    rdl_cli_unshow();
    ck_assert_str_eq(heard_since(), "");
    rdl_cli_show("a\tb", 79);
    ck_assert_str_eq(heard_since(), "\rredlock: a?b");
    rdl_cli_unshow();
    ck_assert_str_eq(heard_since(), "\r            \r");
}
END_TEST

START_TEST(a_progress_line_is_cut_between_characters)
{
    rdl_cli_show("\xc3\xa9\xc3\xa9\xc3\xa9", 9 + 3);
    ck_assert_str_eq(heard_since(), "\rredlock: \xc3\xa9");
    rdl_cli_show("\xc3\xa9\xc3\xa9\xc3\xa9", 9 + 4);
    ck_assert_str_eq(heard_since(), "\rredlock: \xc3\xa9\xc3\xa9");
    rdl_cli_show("x", 3);
    ck_assert_str_eq(heard_since(), "\rred          ");
}
END_TEST

Suite *suite_cli_waiting(void)
{
    Suite *suite = suite_create("cli_waiting");
    TCase *tc = suite_case(suite, "lines", heard_begin, NULL);

    tcase_add_test(tc, without_a_terminal_progress_is_printed_once_a_minute);
    tcase_add_test(tc, no_progress_is_printed_with_q_or_after_the_wait);
    tcase_add_test(tc, progress_omits_unknown_values);
    tcase_add_test(tc, the_longest_progress_line_fits);
    tcase_add_test(tc, a_progress_line_is_overwritten_and_erased_for_messages);
    tcase_add_test(tc, a_progress_line_is_cut_between_characters);
    return suite;
}
