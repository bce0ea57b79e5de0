/* SPDX-License-Identifier: MIT */
/*
 * redlock.1: its EXAMPLES run as they are, except for the hosts a to e and the password file. OPTIONS has
 * each option once, with the verbs that accept it, and EXIT STATUS has each exit status. And --help fits on a
 * screen.
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

enum { N = 5, LINES = 24, WIDTH = 80 };

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

/* The k-th example, or 0. */
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

/* The lines that begin like this, of a section of the page, or of a whole source file. */
enum { LINES_MAX = 64, LINE_CAP = 300 };
struct lines {
    size_t n;
    char line[LINES_MAX][LINE_CAP];
};
static struct lines items, sources;

static void read_lines(const char *path, const char *section, const char *begin, struct lines *out)
{
    char line[LINE_CAP];
    int is_there = section == NULL;
    FILE *file = fopen(path, "re");

    ck_assert_ptr_nonnull(file);
    out->n = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (section != NULL && strncmp(line, ".Sh ", 4) == 0)
            is_there = strcmp(line + 4, section) == 0;
        if (!is_there || strncmp(line, begin, strlen(begin)) != 0)
            continue;
        ck_assert_uint_lt(out->n, LINES_MAX);
        memcpy(out->line[out->n++], line, sizeof line);
    }
    fclose(file);
}

/* The output of their commands. */
static const char *const runs[] = {
    "backup\nbackup\n", "backup\n", "backup\n",        "backup\n", "first-half\nsecond-half\n",
    "backup\n",         "backup\n", "nightly: free\n", "",         ""};
enum { EXAMPLES = sizeof runs / sizeof runs[0] };

START_TEST(the_manuals_examples_run_unchanged)
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
    ck_assert_str_eq(c.err, "");
    for (int i = 0; i < N; i++)
        held += strcmp(live_command(&server[i], "EXISTS nightly"), ":1\r\n") == 0;
    ck_assert(strstr(shown, "--keep") != NULL ? held > N / 2 : held == 0);
}
END_TEST

START_TEST(the_manual_has_no_more_examples)
{
    char shown[SHOWN_TEXT];

    ck_assert(!example(EXAMPLES, shown));
}
END_TEST

static const char *const verbs[] = {"",     "run",    "acquire", "extend", "release",
                                    "hold", "status", "list",    "break",  "doctor"};

static const char *help_of(const char *verb, const char *all)
{
    memset(&c, 0, sizeof c);
    if (verb[0] != '\0')
        command_add(&c, verb);
    command_add_all(&c, (const char *const[]){"--help", all, NULL});
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, "");
    return c.out;
}

START_TEST(help_fits_on_a_screen_and_points_to_help_all)
{
    size_t lines = 0;
    char text[40], last[80];

    for (const char *p = help_of(verbs[_i], NULL); *p != '\0'; p += strcspn(p, "\n") + 1, lines++)
        ck_assert_msg(strcspn(p, "\n") <= WIDTH, "%.90s", p);
    snprintf(text, sizeof text, "redlock %s", verbs[_i]);
    ck_assert_ptr_nonnull(strstr(c.out, text));
    snprintf(last, sizeof last, "\nredlock %s --help all prints all options.\n", verbs[_i]);
    const char *end = strstr(c.out, last);
    ck_assert(_i == 0 || (end != NULL && end[strlen(last)] == '\0'));
    ck_assert_msg(lines <= LINES, "%s has %lu lines", text, (unsigned long)lines);
    for (const char *p = help_of(verbs[_i], "all"); *p != '\0'; p += strcspn(p, "\n") + 1)
        ck_assert_msg(strcspn(p, "\n") <= WIDTH, "%.90s", p);
}
END_TEST

/* It stops at the URL: all words before were accepted. */
START_TEST(the_example_in_help_is_accepted)
{
    static const char token[] = "0123456789012345678901234567890123456789";
    const char *example = strstr(help_of(verbs[_i], NULL), "\nExample: ");
    char script[400], word[20];

    ck_assert_ptr_nonnull(example);
    example = strstr(example, "redlock ");
    ck_assert_ptr_nonnull(example);
    ck_assert_int_eq(sscanf(example, "redlock %19[a-z]", word), 1);
    ck_assert_str_eq(word, verbs[_i]);
    int n = snprintf(
        script, sizeof script,
        "R=$(realpath $RDL_COMMAND); d=$(mktemp -d); cd $d; trap 'rm -r $d' EXIT; umask 077; "
        "[ %s = acquire ] || echo %s >token; export REDLOCK_URLS=nonsense; redlock() { $R \"$@\"; }; "
        "exec 7<> <(:); %.*s <&7",
        verbs[_i], token, (int)strcspn(example, "\n"), example);
    ck_assert(n > 0 && (size_t)n < sizeof script);
    command_set_script(&c, NULL, 0, script);
    ck_assert_msg(command_run(&c) == 65, "%d: %s", c.status, c.err);
    ck_assert_int_eq(strncmp(c.err, "redlock: $REDLOCK_URLS: the URL must begin with redis://", 56), 0);
}
END_TEST

/* Does an item of OPTIONS have this flag: ".It Fl w , Fl -wait Ar time Pq run list" has "w" and "-wait"? */
static int has_flag(const char *item, const char *flag)
{
    char text[60];

    snprintf(text, sizeof text, " Fl %s", flag);
    const char *p = strstr(item, text);
    return p != NULL && strchr(" ", p[strlen(text)]) != NULL;
}

static int is_for_verb(const char *item, const char *verb)
{
    const char *some = strstr(item, " Pq "), *all_but = strstr(item, " Pq all but ");

    if (all_but != NULL)
        return strstr(all_but, verb) == NULL;
    return some == NULL || strstr(some, verb) != NULL;
}

/* It stops at the option, or later at the URL. */
static int is_accepted(const char *verb, const char *word)
{
    char option[60];

    snprintf(option, sizeof option, "--%s", word);
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){verb, option, NULL});
    command_setenv(&c, "REDLOCK_URLS=nonsense");
    command_run(&c);
    return strstr(c.err, "unknown option") == NULL && strstr(c.err, "is not an option") == NULL;
}

/* A row of the parser's table, {'w', "wait", OPT_...: its word, and its letter or 0. Else NULL. */
static const char *option_of(const char *row, char *letter, char word[40])
{
    *letter = '\0';
    if (sscanf(row, " {'%c', \"%39[a-z-]\", OPT_", letter, word) == 2 ||
        sscanf(row, " {0, \"%39[a-z-]\", OPT_", word) == 1)
        return word;
    return NULL;
}

/* Is "--word" in the text, and not as the beginning of another option? */
static int names_option(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = strstr(text, "--"); p != NULL; p = strstr(p + 2, "--"))
        if (strncmp(p + 2, word, len) == 0 && strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-") == len)
            return 1;
    return 0;
}

START_TEST(help_all_lists_exactly_the_options_of_its_verb)
{
    static char help[COMMAND_TEXT];
    char letter, word[40], flag[10];
    size_t n = 0;

    snprintf(help, sizeof help, "%s", help_of(verbs[_i], "all"));
    read_lines("redlock/cli/options/parse.c", NULL, "    {", &sources);
    for (size_t k = 0; k < sources.n; k++) {
        if (option_of(sources.line[k], &letter, word) == NULL || strcmp(word, "token") == 0)
            continue; /* --token exists only to be refused */
        int is_named = names_option(help, word);
        ck_assert_msg(is_named == is_accepted(verbs[_i], word), "--%s of %s: %s", word, verbs[_i],
                      is_named ? "named, and not accepted" : "accepted, and not named");
        n += is_named != 0;
        snprintf(flag, sizeof flag, "\n  -%c, --", letter);
        ck_assert_msg(!is_named || letter == '\0' || strstr(help, flag) != NULL, "no -%c", letter);
    }
    ck_assert_uint_ge(n, 10);
    for (const char *p = strstr(help, "--"); p != NULL; p = strstr(p + 2, "--"))
        if (sscanf(p, "--%39[a-z-]", word) == 1)
            ck_assert_msg(is_accepted(verbs[_i], word), "%s names --%s", verbs[_i], word);
}
END_TEST

START_TEST(the_manuals_options_are_those_of_the_parser)
{
    size_t flags = 0, n = 0;
    char letter, word[40], flag[42];

    read_lines("redlock/cli/redlock.1", "OPTIONS", ".It Fl ", &items);
    read_lines("redlock/cli/options/parse.c", NULL, "    {", &sources);
    for (size_t i = 0; i < items.n; i++)
        flags += command_count(items.line[i], "Fl -");
    for (size_t k = 0; k < sources.n; k++) {
        if (option_of(sources.line[k], &letter, word) == NULL || strcmp(word, "token") == 0)
            continue; /* --token exists only to be refused */
        n++;
        snprintf(flag, sizeof flag, "-%s", word);
        size_t i = 0;
        while (i < items.n && !has_flag(items.line[i], flag))
            i++;
        ck_assert_msg(i < items.n, "--%s is not under OPTIONS", word);
        snprintf(flag, sizeof flag, "%c", letter);
        ck_assert_msg(letter == '\0' || has_flag(items.line[i], flag), "not -%c: %s", letter, items.line[i]);
    }
    ck_assert_uint_gt(n, 30);
    ck_assert_uint_eq(flags, n);
}
END_TEST

START_TEST(the_manual_lists_the_options_of_each_verb)
{
    char letter, word[40], flag[42];

    read_lines("redlock/cli/redlock.1", "OPTIONS", ".It Fl ", &items);
    read_lines("redlock/cli/options/parse.c", NULL, "    {", &sources);
    for (size_t k = 0; k < sources.n; k++) {
        if (option_of(sources.line[k], &letter, word) == NULL || strcmp(word, "token") == 0)
            continue;
        int is_listed = 0; /* by one of them: list has its own --legacy */
        snprintf(flag, sizeof flag, "-%s", word);
        for (size_t i = 0; i < items.n; i++)
            is_listed |= has_flag(items.line[i], flag) && is_for_verb(items.line[i], verbs[_i]);
        ck_assert_msg(is_listed == is_accepted(verbs[_i], word), "--%s of %s: %s", word, verbs[_i],
                      is_listed ? "not accepted" : "accepted, and the page does not say so");
    }
}
END_TEST

START_TEST(the_manuals_exit_statuses_are_those_of_the_code)
{
    int status, shown;
    size_t n = 0;

    read_lines("redlock/cli/redlock.1", "EXIT STATUS", ".It ", &items);
    read_lines("redlock/cli/output/exit.h", NULL, "    RDL_EXIT_", &sources);
    for (size_t k = 0; k < sources.n; k++) {
        if (sscanf(sources.line[k], " %*[A-Z_] = %d", &status) != 1)
            continue;
        size_t times = 0;
        for (size_t i = 0; i < items.n; i++)
            times += sscanf(items.line[i], ".It %d", &shown) == 1 && shown == status;
        ck_assert_msg(times == 1, "%d is %zu times under EXIT STATUS", status, times);
        n++;
    }
    ck_assert_uint_eq(items.n, n);
}
END_TEST

START_TEST(redlock_help_all_lists_every_option_with_its_verbs)
{
    static char help[COMMAND_TEXT];
    char letter, word[40];

    snprintf(help, sizeof help, "%s", help_of("", "all"));
    read_lines("redlock/cli/options/parse.c", NULL, "    {", &sources);
    for (size_t k = 0; k < sources.n; k++)
        if (option_of(sources.line[k], &letter, word) != NULL && strcmp(word, "token") != 0)
            ck_assert_msg(names_option(help, word), "--%s", word);
    ck_assert_ptr_nonnull(strstr(help,
                                 "  --held-by ID          delete the lock of this holder, as status printed "
                                 "it,\n                        without asking [break]\n"));
    ck_assert_ptr_nonnull(strstr(help, "this long [all but release]\n"));
    ck_assert_ptr_nonnull(strstr(help, "  -q, --quiet           print only results and errors\n"));
}
END_TEST

Suite *suite_cli_manual(void)
{
    Suite *suite = suite_create("cli_manual");
    TCase *examples = tcase_create("examples"), *help = tcase_create("help"), *page = tcase_create("page");

    tcase_add_checked_fixture(examples, setup, teardown);
    tcase_add_loop_test(examples, the_manuals_examples_run_unchanged, 0, EXAMPLES);
    tcase_add_test(examples, the_manual_has_no_more_examples);
    tcase_add_loop_test(help, help_fits_on_a_screen_and_points_to_help_all, 0,
                        (int)(sizeof verbs / sizeof verbs[0]));
    tcase_add_loop_test(help, the_example_in_help_is_accepted, 1, (int)(sizeof verbs / sizeof verbs[0]));
    tcase_add_loop_test(help, help_all_lists_exactly_the_options_of_its_verb, 1,
                        (int)(sizeof verbs / sizeof verbs[0]));
    tcase_add_test(help, redlock_help_all_lists_every_option_with_its_verbs);
    tcase_add_test(page, the_manuals_options_are_those_of_the_parser);
    tcase_add_loop_test(page, the_manual_lists_the_options_of_each_verb, 1,
                        (int)(sizeof verbs / sizeof verbs[0]));
    tcase_add_test(page, the_manuals_exit_statuses_are_those_of_the_code);
    suite_add_tcase(suite, examples);
    suite_add_tcase(suite, page);
    suite_add_tcase(suite, help);
    return suite;
}
