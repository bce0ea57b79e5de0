/* SPDX-License-Identifier: MIT */
/* --help: one screen with the options that most users need; with "all" every option. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"

#include <string.h>

static const char statuses[] = "Exit status (of run: that of COMMAND, or 128+N if signal N ended it)\n"
                               "   0  success\n"
                               "   1  held by another client; doctor: only warnings\n"
                               "  64  wrong usage\n"
                               "  65  invalid URL, lock name or token\n"
                               "  66  the password or token file cannot be read\n"
                               "  68  a host is unknown, or has several addresses\n"
                               "  69  too few servers could be used\n"
                               "  71  system error\n"
                               "  73  the token could not be written\n"
                               "  75  the lock was lost\n"
                               "  76  not a Redis server\n"
                               "  77  password or permission refused\n"
                               "  78  unsuitable server (doctor)\n"
                               " 124  the longest hold time was reached\n"
                               " 126  COMMAND cannot be run\n"
                               " 127  COMMAND was not found\n";

enum { COLUMN = 24, VERB_COLUMN = 34, WIDTH = 80, LINE_MAX_BYTES = 960 };

/* Adds words from the column of texts on, broken at the last space that fits. */
static void add_text(struct rdl_cli_text *t, const char *text)
{
    while (strlen(text) > WIDTH - COLUMN) {
        size_t len = WIDTH - COLUMN;
        while (text[len] != ' ')
            len--;
        rdl_cli_add(t, "%.*s\n%*s", (int)len, text, COLUMN, "");
        text += len + 1;
    }
    rdl_cli_add(t, "%s\n", text);
}

/* Adds the verbs that accept an option, if not all do. */
static void add_accepting(struct rdl_cli_text *t, unsigned accepting)
{
    unsigned missing = RDL_CLI_ALL & ~accepting;
    int is_all_but_one = (missing & (missing - 1)) == 0;

    if (missing == 0)
        return;
    rdl_cli_add(t, is_all_but_one ? " [all but " : " [");
    rdl_cli_add_verbs_of(t, is_all_but_one ? missing : accepting, " ");
    rdl_cli_add(t, "]");
}

/* Adds "  -w, --wait TIME". */
static void add_words(struct rdl_cli_text *t, const struct rdl_cli_option *opt)
{
    char letter[] = "-x, ";

    letter[1] = opt->letter;
    rdl_cli_add(t, "  %s--%s", opt->letter != 0 ? letter : "", opt->word);
    if (opt->metavar != NULL)
        rdl_cli_add(t, opt->is_optional ? "[=%s]" : " %s", opt->metavar);
}

/* with_verbs: prints the verbs that accept it. */
static int print_option(const struct rdl_cli_option *opt, const struct rdl_cli_option_text *what, int all,
                        int with_verbs)
{
    char line[LINE_MAX_BYTES], text[LINE_MAX_BYTES / 2];
    struct rdl_cli_text t = {line, sizeof line, 0}, words = {text, sizeof text, 0};
    int is_brief = !all && opt->brief != NULL;

    add_words(&t, opt);
    int pad = COLUMN - (int)t.len;
    rdl_cli_add(&t, "%s%*s", pad < 2 ? "\n" : "", pad < 2 ? COLUMN : pad, "");
    rdl_cli_add(&words, "%s", is_brief ? opt->brief : what->text);
    if (opt->source != NULL && !is_brief)
        rdl_cli_add(&words, ". Default: %s", opt->source);
    if (opt->alias != NULL)
        rdl_cli_add(&words, ". Also --%s", opt->alias);
    if (with_verbs)
        add_accepting(&words, what->verbs);
    add_text(&t, text);
    return rdl_cli_print(line);
}

/* of: one verb, or several; then the verbs that accept an option follow it. */
static int print_group(unsigned of, int all, enum rdl_cli_group group)
{
    int rc = 0, is_begun = 0;

    for (size_t i = 0; i < RDL_CLI_TEXTS * rdl_cli_option_rows && rc == 0; i++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[i / RDL_CLI_TEXTS];
        const struct rdl_cli_option_text *what = &opt->texts[i % RDL_CLI_TEXTS];
        if (opt->group != group || !(what->verbs & of) || !(all || (opt->common & of)))
            continue;
        if (!is_begun) {
            rc = rdl_cli_print(rdl_cli_group_words[group]);
            rc = rc == 0 ? rdl_cli_print("\n") : rc;
        }
        is_begun = 1;
        rc = rc == 0 ? print_option(opt, what, all, of == RDL_CLI_ALL) : rc;
    }
    return rc;
}

static int print_groups(unsigned of, int all)
{
    int rc = 0;

    for (int g = 0; g < RDL_CLI_GROUPS && rc == 0; g++)
        rc = print_group(of, all, (enum rdl_cli_group)g);
    return rc == 0 && all ? rdl_cli_print(statuses) : rc;
}

int rdl_cli_help(enum rdl_cli_verb verb, int all)
{
    char line[LINE_MAX_BYTES];
    struct rdl_cli_text t = {line, sizeof line, 0};
    const struct rdl_cli_verb_row *row = rdl_cli_verb_row(verb);

    rdl_cli_add(&t, "redlock %s [options] %s\n%s", row->word, row->operands, row->purpose);
    int rc = rdl_cli_print(line);
    rc = rc == 0 ? print_groups(verb, all) : rc;
    t.len = 0;
    rdl_cli_add(&t, "Example: %s\n", row->example);
    if (!all)
        rdl_cli_add(&t, "redlock %s --help all prints all options.\n", row->word);
    return rc == 0 ? rdl_cli_print(line) : rc;
}

int rdl_cli_help_of_all(void)
{
    int rc = rdl_cli_print("\nAll options, each with the verbs that accept it in brackets, unless all do\n");

    return rc == 0 ? print_groups(RDL_CLI_ALL, 1) : rc;
}

static const char summary[] =
    "redlock runs a command, or a part of a script, while it holds a lock on Redis or\n"
    "Valkey servers.\n";

static const char rest_of_summary[] =
    "  redlock [VERB] --help [all]     print the most used options of a verb, or all\n"
    "  redlock completion SHELL        print a script for bash, zsh or fish\n"
    "  redlock --version               print the version\n"
    "Name the same servers on every host, by $REDLOCK_URLS or -u; by default the lock\n"
    "is on redis://127.0.0.1:6379, and other hosts are not locked out.\n"
    "Examples\n"
    "  redlock run nightly -- ./backup.sh      wait for the lock\n"
    "  redlock run -n nightly -- ./backup.sh   do not wait for it\n"
    "  redlock run -u redis://a -u redis://b -u redis://c nightly -- ./backup.sh\n"
    "Exit status: that of COMMAND; 0 success, 1 held by another client, 64 usage,\n"
    "69 too few usable servers, 75 the lock was lost; for all of them: man redlock\n";

int rdl_cli_help_of_verbs(void)
{
    char line[160];
    int rc = rdl_cli_print(summary);

    for (size_t k = 0; k < RDL_CLI_VERBS && rc == 0; k++) {
        struct rdl_cli_text t = {line, sizeof line, 0};
        rdl_cli_add(&t, "  redlock %s [options] %s", rdl_cli_verb_table[k].word,
                    rdl_cli_verb_table[k].operands);
        int pad = VERB_COLUMN - (int)t.len;
        rdl_cli_add(&t, "%s%*s%s\n", pad < 1 ? "\n" : "", pad < 1 ? VERB_COLUMN : pad, "",
                    rdl_cli_verb_table[k].brief);
        rc = rdl_cli_print(line);
    }
    return rc == 0 ? rdl_cli_print(rest_of_summary) : rc;
}
