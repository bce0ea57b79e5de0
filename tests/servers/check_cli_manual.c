/* SPDX-License-Identifier: MIT */
/*
 * redlock.1: its EXAMPLES run as they are, except for the hosts a to e and the password file. SYNOPSIS and
 * the items of OPTIONS are what the tables of verbs and options make of them, word for word. EXIT STATUS has
 * each exit status. And --help fits on a screen.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/text.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/shown.h"
#include "tests/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    assert_has(c.out, text);
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

/* Is "--word" in the text, and not as the beginning of another option? */
static int names_option(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = strstr(text, "--"); p != NULL; p = strstr(p + 2, "--"))
        if (strncmp(p + 2, word, len) == 0 && strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-") == len)
            return 1;
    return 0;
}

static const struct rdl_cli_option *shown_option(size_t k)
{
    const struct rdl_cli_option *opt = &rdl_cli_option_table[k];

    return opt->group < RDL_CLI_GROUPS ? opt : NULL;
}

START_TEST(help_all_lists_exactly_the_options_of_its_verb)
{
    static char help[COMMAND_TEXT];
    char word[40], flag[10];
    size_t n = 0;

    snprintf(help, sizeof help, "%s", help_of(verbs[_i], "all"));
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = shown_option(k);
        if (opt == NULL)
            continue;
        int is_named = names_option(help, opt->word);
        ck_assert_msg(is_named == is_accepted(verbs[_i], opt->word), "--%s of %s: %s", opt->word, verbs[_i],
                      is_named ? "named, and not accepted" : "accepted, and not named");
        n += is_named != 0;
        snprintf(flag, sizeof flag, "\n  -%c, --", opt->letter);
        ck_assert_msg(!is_named || opt->letter == 0 || strstr(help, flag) != NULL, "no -%c", opt->letter);
    }
    ck_assert_uint_ge(n, 10);
    for (const char *p = strstr(help, "--"); p != NULL; p = strstr(p + 2, "--"))
        if (sscanf(p, "--%39[a-z-]", word) == 1)
            ck_assert_msg(is_accepted(verbs[_i], word), "%s names --%s", verbs[_i], word);
}
END_TEST

/* What the tables make of the page, line by line, and its next line. */
static size_t next_line;

static void has_line(const char *expected)
{
    ck_assert_msg(next_line < items.n, "no line %s", expected);
    ck_assert_str_eq(items.line[next_line++], expected);
}

static void add_lower(struct rdl_cli_text *t, const char *word, size_t len)
{
    for (size_t i = 0; i < len; i++)
        rdl_cli_add(t, "%c", tolower((unsigned char)word[i]));
}

/* Adds the verbs of an option as the page has them: " Pq run hold", " Pq all but list". */
static void add_verbs_of(struct rdl_cli_text *t, unsigned accepting)
{
    unsigned missing = RDL_CLI_ALL & ~accepting;
    int is_all_but_one = (missing & (missing - 1)) == 0;

    if (missing == 0)
        return;
    rdl_cli_add(t, is_all_but_one ? " Pq all but" : " Pq");
    for (size_t k = 0; k < RDL_CLI_VERBS; k++)
        if (rdl_cli_verb_table[k].verb & (is_all_but_one ? missing : accepting))
            rdl_cli_add(t, " %s", rdl_cli_verb_table[k].word);
}

static void add_value(struct rdl_cli_text *t, const struct rdl_cli_option *opt)
{
    const char *metavar = opt->metavar;

    if (metavar == NULL)
        return;
    if (metavar[0] == '[') { /* a word, not a name for a value */
        rdl_cli_add(t, " Op Cm %.*s", (int)strcspn(metavar + 1, "]"), metavar + 1);
        return;
    }
    rdl_cli_add(t, opt->is_optional ? " Ns Op = Ns Ar " : " Ar ");
    add_lower(t, metavar, strlen(metavar));
}

static unsigned verbs_of(const struct rdl_cli_option *opt)
{
    unsigned all = 0;

    for (size_t k = 0; k < RDL_CLI_TEXTS; k++) {
        ck_assert_msg((all & opt->texts[k].verbs) == 0, "two texts for one verb: --%s", opt->word);
        all |= opt->texts[k].verbs;
    }
    return all;
}

START_TEST(the_manuals_options_are_those_of_the_table_word_for_word)
{
    int group = -1;

    read_lines("redlock/cli/redlock.1", "OPTIONS", ".It Fl ", &items);
    next_line = 0;
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = shown_option(k);
        char line[LINE_CAP];
        struct rdl_cli_text t = {line, sizeof line, 0};
        if (opt == NULL)
            continue;
        ck_assert_int_ge((int)opt->group, group); /* in the order of the page */
        group = (int)opt->group;
        rdl_cli_add(&t, ".It ");
        if (opt->letter != 0)
            rdl_cli_add(&t, "Fl %c , ", opt->letter);
        rdl_cli_add(&t, "Fl -%s", opt->word);
        if (opt->alias != NULL)
            rdl_cli_add(&t, " , Fl -%s", opt->alias);
        add_value(&t, opt);
        add_verbs_of(&t, verbs_of(opt));
        has_line(line);
    }
    ck_assert_uint_eq(next_line, items.n);
}
END_TEST

START_TEST(the_manual_has_the_options_under_the_headings_of_help)
{
    read_lines("redlock/cli/redlock.1", "OPTIONS", ".Ss ", &items);
    ck_assert_uint_eq(items.n, RDL_CLI_GROUPS);
    for (size_t k = 0; k < items.n; k++) {
        size_t len = strlen(items.line[k] + 4);
        ck_assert_int_eq(strncmp(rdl_cli_group_words[k], items.line[k] + 4, len), 0);
        ck_assert_ptr_nonnull(strchr(" ", rdl_cli_group_words[k][len]));
    }
}
END_TEST

/* Adds an operand as the page has it: "[ARG...]" is " Op Ar arg ...". */
static void add_operand(struct rdl_cli_text *t, const char *word, size_t len)
{
    int is_optional = word[0] == '[';
    size_t begin = (size_t)is_optional, end = len - begin;
    int is_repeated = end >= 3 && strncmp(word + end - 3, "...", 3) == 0;

    if (is_optional)
        rdl_cli_add(t, word[1] == '-' ? " Oo" : " Op");
    if (word[begin] == '-') {
        rdl_cli_add(t, " Fl %.*s%s", (int)(end - begin - 1), word + begin + 1, is_optional ? " Oc" : "");
        return;
    }
    rdl_cli_add(t, " Ar ");
    add_lower(t, word + begin, end - begin - (is_repeated ? 3 : 0));
    rdl_cli_add(t, is_repeated ? " ..." : "");
}

START_TEST(the_manuals_synopsis_is_that_of_the_table_word_for_word)
{
    read_lines("redlock/cli/redlock.1", "SYNOPSIS", ".", &items);
    next_line = 1; /* after its heading */
    for (size_t k = 0; k < RDL_CLI_VERBS; k++) {
        const struct rdl_cli_verb_row *row = &rdl_cli_verb_table[k];
        for (size_t form = 0; form < 3 && row->forms[form] != NULL; form++) {
            char line[LINE_CAP];
            struct rdl_cli_text t = {line, sizeof line, 0};
            has_line(".Nm");
            rdl_cli_add(&t, ".Cm %s Oo Ar options Oc", row->word);
            for (const char *p = row->forms[form]; *p != '\0'; p += strcspn(p, " "), p += *p == ' ')
                add_operand(&t, p, strcspn(p, " "));
            has_line(line);
        }
    }
    ck_assert_uint_gt(items.n, next_line); /* after the verbs: help, completion, --version */
}
END_TEST

START_TEST(no_word_or_letter_means_two_options_to_a_verb)
{
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *a = &rdl_cli_option_table[k];
        for (size_t i = 0; i < k; i++) {
            const struct rdl_cli_option *b = &rdl_cli_option_table[i];
            ck_assert_msg((verbs_of(a) & verbs_of(b)) == 0 || strcmp(a->word, b->word) != 0, "--%s", a->word);
            ck_assert_msg(a->letter == 0 || a->letter != b->letter || strcmp(a->word, b->word) == 0, "-%c",
                          a->letter);
        }
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

    snprintf(help, sizeof help, "%s", help_of("", "all"));
    for (size_t k = 0; k < rdl_cli_option_rows; k++)
        if (shown_option(k) != NULL)
            ck_assert_msg(names_option(help, rdl_cli_option_table[k].word), "--%s",
                          rdl_cli_option_table[k].word);
    assert_has(help, "  --held-by ID          delete the lock of this holder, as status printed "
                     "it,\n                        without asking [break]\n");
    assert_has(help, "server is not used for this time and 1 s. Default:\n                 "
                     "       $REDLOCK_MAX_TTL [all but release]\n");
    assert_has(help, "  -q, --quiet           print only results, errors, and risks of two holders\n");
}
END_TEST

Suite *suite_cli_manual(void)
{
    Suite *suite = suite_create("cli_manual");
    TCase *examples = suite_case(suite, "examples", setup, teardown);
    TCase *help = suite_case(suite, "help", NULL, NULL), *page = suite_case(suite, "page", NULL, NULL);

    tcase_add_loop_test(examples, the_manuals_examples_run_unchanged, 0, EXAMPLES);
    tcase_add_test(examples, the_manual_has_no_more_examples);
    tcase_add_loop_test(help, help_fits_on_a_screen_and_points_to_help_all, 0, COUNT(verbs));
    tcase_add_loop_test(help, the_example_in_help_is_accepted, 1, COUNT(verbs));
    tcase_add_loop_test(help, help_all_lists_exactly_the_options_of_its_verb, 1, COUNT(verbs));
    tcase_add_test(help, redlock_help_all_lists_every_option_with_its_verbs);
    tcase_add_test(page, the_manuals_options_are_those_of_the_table_word_for_word);
    tcase_add_test(page, the_manual_has_the_options_under_the_headings_of_help);
    tcase_add_test(page, the_manuals_synopsis_is_that_of_the_table_word_for_word);
    tcase_add_test(page, no_word_or_letter_means_two_options_to_a_verb);
    tcase_add_test(page, the_manuals_exit_statuses_are_those_of_the_code);
    return suite;
}
