/* SPDX-License-Identifier: MIT */
/*
 * What redlock.1 shows under EXAMPLES is run as it stands; only the hosts a to e and the password file are
 * others. And --help fits on a screen.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/shown.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_cli_manual(void);

enum { N = 5, LINES = 50, WIDTH = 80 };

static struct live_server server[N];
static struct command c;
static char dir[SHOWN_DIR];

static void setup(void)
{
    shown_open(server, N, "manual", dir);
}

static void teardown(void)
{
    shown_close(server, N, dir);
}

/* The k-th of them, or 0. */
static int example(int k, char text[SHOWN_TEXT])
{
    char line[300];
    int is_there = 0, is_shown = 0, n = 0;
    FILE *manual = fopen("redlock/cli/redlock.1", "re");

    ck_assert_ptr_nonnull(manual);
    text[0] = '\0';
    while (fgets(line, sizeof line, manual) != NULL) {
        if (strncmp(line, ".Sh ", 4) == 0)
            is_there = strcmp(line, ".Sh EXAMPLES\n") == 0;
        else if (strncmp(line, ".Bd ", 4) == 0)
            is_shown = is_there && n++ == k;
        else if (strcmp(line, ".Ed\n") == 0)
            is_shown = 0;
        else if (is_shown)
            shown_add(text, line, server, N);
    }
    fclose(manual);
    return text[0] != '\0';
}

/* What its programs say. */
static const char *const runs[] = {"backup\nbackup\n",
                                   "backup\n",
                                   "backup\n",
                                   "backup\n",
                                   "first-half\nsecond-half\n",
                                   "backup\n",
                                   "backup\n",
                                   "nightly: free\n",
                                   "",
                                   "",
                                   ""};
enum { EXAMPLES = sizeof runs / sizeof runs[0] };

START_TEST(the_examples_run_as_they_stand)
{
    char shown[SHOWN_TEXT], script[2 * SHOWN_TEXT];
    int held = 0;

    ck_assert(example(_i, shown));
    size_t n = shown_begin(script, sizeof script, dir);
    snprintf(script + n, sizeof script - n, "%s\nstatus=$?; trap - DEBUG; cat ran; exit $status\n", shown);
    command_set_script(&c, server, N, script);
    for (int i = 0; i < N && strstr(shown, "--password-file") != NULL; i++) {
        live_command(&server[i], "CONFIG SET requirepass pw");
        server[i].password = "pw";
    }
    ck_assert_msg(command_run(&c) == 0, "%d: %s\n%s", c.status, shown, c.err);
    ck_assert_msg(strcmp(c.out, runs[_i]) == 0, "%s\n%s%s", shown, c.out, c.err);
    if (strstr(shown, "--trace") == NULL)
        ck_assert_str_eq(c.err, "");
    for (int i = 0; i < N; i++)
        held += strcmp(live_command(&server[i], "EXISTS nightly"), ":1\r\n") == 0;
    ck_assert(strstr(shown, "--keep") != NULL ? held > N / 2 : held == 0);
}
END_TEST

START_TEST(there_are_no_more_examples)
{
    char shown[SHOWN_TEXT];

    ck_assert(!example(EXAMPLES, shown));
}
END_TEST

static const char *const verbs[] = {"",     "run",    "acquire", "extend", "release",
                                    "hold", "status", "list",    "break",  "doctor"};

START_TEST(help_is_a_screen_and_names_what_it_is_for)
{
    size_t lines = 0, most = 0;
    char text[40];

    memset(&c, 0, sizeof c);
    if (verbs[_i][0] != '\0')
        command_add(&c, verbs[_i]);
    command_add(&c, "--help");
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, "");
    for (const char *p = c.out; *p != '\0'; p += strcspn(p, "\n") + 1, lines++)
        most = strcspn(p, "\n") > most ? strcspn(p, "\n") : most;
    ck_assert_uint_le(most, WIDTH);
    snprintf(text, sizeof text, "redlock %s", verbs[_i]);
    ck_assert_ptr_nonnull(strstr(c.out, text));
    ck_assert(_i > 0 || lines <= LINES);
}
END_TEST

START_TEST(help_of_who_looks_at_locks_names_what_makes_a_server_count)
{
    static const char *const look[] = {"status", "list", "break"};

    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){look[_i], "--help", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_ptr_nonnull(strstr(c.out, "  --max-ttl TIME  "));
    ck_assert_ptr_nonnull(strstr(c.out, "  --restart-guard off "));
}
END_TEST

Suite *suite_cli_manual(void)
{
    Suite *suite = suite_create("cli_manual");
    TCase *examples = tcase_create("examples"), *help = tcase_create("help");

    tcase_add_checked_fixture(examples, setup, teardown);
    tcase_add_loop_test(examples, the_examples_run_as_they_stand, 0, EXAMPLES);
    tcase_add_test(examples, there_are_no_more_examples);
    tcase_add_loop_test(help, help_is_a_screen_and_names_what_it_is_for, 0,
                        (int)(sizeof verbs / sizeof verbs[0]));
    tcase_add_loop_test(help, help_of_who_looks_at_locks_names_what_makes_a_server_count, 0, 3);
    suite_add_tcase(suite, examples);
    suite_add_tcase(suite, help);
    return suite;
}
