/* SPDX-License-Identifier: MIT */
/*
 * The parser of the command line. It is our own. getopt_long accepts abbreviations, which new options would
 * make ambiguous, and repeats "--password=..." in its error messages.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/numbers.h"
#include "redlock/cli/options/operands.h"
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"
#include "redlock/redlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_MAX = 40 /* bytes of an option's name, with its dashes */ };

/* ---------------------------------------------------------------- values */

/* name: "--ttl", or the variable. */
static int take_duration(const char *name, const char *text, uint64_t least_ms, uint64_t most_ms,
                         uint64_t *ms)
{
    if (rdl_cli_duration(text, UINT64_MAX, ms) != 0)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "%s %s: give seconds, or a number and ms, s, m or h (30, 1.5s, 500ms)", name,
                            text);
    if (*ms < least_ms)
        return rdl_cli_fail(RDL_EXIT_USAGE, "%s %s is too short: give at least %lums", name, text,
                            (unsigned long)least_ms);
    if (*ms > most_ms)
        return rdl_cli_fail(RDL_EXIT_USAGE, "%s %s is too long: give at most %lus", name, text,
                            (unsigned long)(most_ms / 1000));
    return 0;
}

static int take_ms(const char *name, const char *text, uint32_t least_ms, uint32_t *out)
{
    uint64_t ms;
    int rc = take_duration(name, text, least_ms, RDL_TTL_MAX, &ms);

    if (rc == 0)
        *out = (uint32_t)ms;
    return rc;
}

static int take_number(const char *word, const char *text, int max, int *out)
{
    if (rdl_cli_number(text, max, out) == 0)
        return 0;
    return rdl_cli_fail(RDL_EXIT_USAGE, "--%s %s: give a number from 0 to %d", word, text, max);
}

/*
 * Users may give the secret instead of a number, so the text is not repeated, and is erased from the
 * arguments.
 */
static int take_descriptor(const char *word, char *text, int max, int *out)
{
    if (rdl_cli_number(text, max, out) == 0)
        return 0;
    memset(text, '*', strlen(text));
    return rdl_cli_fail(RDL_EXIT_USAGE, "--%s: give the number of an open descriptor, from 0 to %d", word,
                        max);
}

/* Adds "a, b or c" for the choices "a b c". */
static void add_choices(struct rdl_cli_text *t, const char *choices)
{
    while (*choices != '\0') {
        size_t len = strcspn(choices, " ");
        int is_last_but_one = choices[len] != '\0' && strchr(choices + len + 1, ' ') == NULL;
        const char *after = choices[len] == '\0' ? "" : is_last_but_one ? " or " : ", ";
        rdl_cli_add(t, "%.*s%s", (int)len, choices, after);
        choices += len + (choices[len] != '\0');
    }
}

/* Sets *out to first for the first choice, to first + 1 for the second, and so on. name: "--log". */
static int take_choice(const char *name, const char *text, const char *choices, int first, int *out)
{
    char all[80];
    struct rdl_cli_text t = {all, sizeof all, 0};
    size_t len = strlen(text);
    int k = first;

    for (const char *p = choices; *p != '\0'; p += strcspn(p, " ") + (strchr(p, ' ') != NULL), k++) {
        if (strcspn(p, " ") == len && memcmp(p, text, len) == 0) {
            *out = k;
            return 0;
        }
    }
    add_choices(&t, choices);
    return rdl_cli_fail(RDL_EXIT_USAGE, "%s %s: give %s", name, text, all);
}

static uint64_t bit_of(const struct rdl_cli_option *opt)
{
    return UINT64_C(1) << (opt - rdl_cli_option_table);
}

const char *rdl_cli_options_origin(const struct rdl_cli_options *o, const char *option)
{
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        if ((o->from_variables & bit_of(opt)) != 0 && strcmp(opt->word, option + strlen("--")) == 0)
            return opt->source;
    }
    return option;
}

/* Returns "--WORD". */
static const char *option_name(const char *word, char out[OPTION_MAX])
{
    snprintf(out, OPTION_MAX, "--%s", word);
    return out;
}

static char nothing[1]; /* the value of an option without one */

/* Sets an option, which the user gave by this word. */
static int take(struct rdl_cli_options *o, const struct rdl_cli_option *opt, const char *word, char *value)
{
    void *at = (char *)o + opt->at;
    char name[OPTION_MAX];

    o->from_variables &= ~bit_of(opt);
    switch (opt->kind) {
    case RDL_CLI_CALL:
        return opt->call(o, value);
    case RDL_CLI_FLAG:
        *(int *)at = 1;
        return 0;
    case RDL_CLI_TEXT:
        *(const char **)at = value;
        return 0;
    case RDL_CLI_NUMBER:
        return take_number(word, value, (int)opt->limit, at);
    case RDL_CLI_DESCRIPTOR:
        return take_descriptor(word, value, (int)opt->limit, at);
    case RDL_CLI_CHOICE:
        return take_choice(option_name(word, name), value == nothing ? "on" : value, opt->choices,
                           (int)opt->limit, at);
    case RDL_CLI_MS:
        return take_ms(option_name(word, name), value, opt->limit, at);
    case RDL_CLI_LONG_MS:
        break;
    }
    return take_duration(option_name(word, name), value, 0, RDL_CLI_FOREVER - 1, at);
}

/*
 * Sets an option by its variable, which is not empty. Those of servers, passwords and tokens are read later.
 */
static int take_variable(struct rdl_cli_options *o, const struct rdl_cli_option *opt, const char *text)
{
    void *at = (char *)o + opt->at;

    if (opt->kind == RDL_CLI_CHOICE)
        return take_choice(opt->source, text, opt->choices, (int)opt->limit, at);
    if (opt->kind == RDL_CLI_MS)
        return take_ms(opt->source, text, opt->limit, at);
    return 0;
}

static int is_accepted(const struct rdl_cli_option *opt, unsigned verb)
{
    return rdl_cli_option_text(opt, verb) != NULL;
}

/* Sets the options that variables of the environment set, before the options. */
static int take_variables(struct rdl_cli_options *o)
{
    int rc = 0;

    for (size_t k = 0; k < rdl_cli_option_rows && rc == 0; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        const char *text = opt->source != NULL && is_accepted(opt, o->verb) ? getenv(opt->source + 1) : NULL;
        if (text == NULL || text[0] == '\0')
            continue;
        rc = take_variable(o, opt, text);
        o->from_variables |= bit_of(opt);
    }
    return rc;
}

/* ---------------------------------------------------------------- options */

static int needs_value(const struct rdl_cli_options *o, const char *word)
{
    return rdl_cli_misuse(o->verb, "--%s needs a value", word);
}

/* Returns the option of this verb with a similar name, or NULL; never --token, which is always refused. */
static const char *similar(unsigned verb, const char *word, size_t len)
{
    const char *nearest = NULL;
    size_t least = (size_t)-1;

    for (size_t k = 0; k < 2 * rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k / 2];
        const char *name = k % 2 == 0 ? opt->word : opt->alias;
        if (name == NULL || !is_accepted(opt, verb) || opt->group == RDL_CLI_HIDDEN)
            continue;
        size_t d = rdl_cli_distance(word, len, name);
        if (d < least && d <= (strlen(name) + 2) / 3) {
            least = d;
            nearest = name;
        }
    }
    return nearest;
}

/* Prints only the option's name: the text after '=' may be a secret. */
static int unknown(const struct rdl_cli_options *o, const char *name, size_t len)
{
    const char *word = name[1] == '-' ? similar(o->verb, name + 2, len - 2) : NULL;

    if (word != NULL)
        return rdl_cli_misuse(o->verb, "unknown option %.*s: did you mean --%s?", (int)len, name, word);
    return rdl_cli_misuse(o->verb, "unknown option %.*s", (int)len, name);
}

/* Checks that the verb accepts the option. */
static int check_verb(const struct rdl_cli_options *o, const struct rdl_cli_option *opt, const char *word)
{
    if (is_accepted(opt, o->verb))
        return 0;
    return rdl_cli_misuse(o->verb, "--%s is not an option of redlock %s", word, rdl_cli_verb_word(o->verb));
}

static int is_word(const char *name, const char *word, size_t len)
{
    return name != NULL && strlen(name) == len && memcmp(name, word, len) == 0;
}

/* Returns the option with this word or, without a word, this letter: this verb's, or else another verb's. */
static const struct rdl_cli_option *option_of(unsigned verb, const char *word, size_t len, char letter)
{
    const struct rdl_cli_option *found = NULL;

    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        int is_it = word != NULL ? is_word(opt->word, word, len) || is_word(opt->alias, word, len)
                                 : opt->letter == letter;
        if (is_it && (found == NULL || is_accepted(opt, verb)))
            found = opt;
    }
    return found;
}

int rdl_cli_option_takes_value(const struct rdl_cli_option *opt)
{
    return opt->metavar != NULL && opt->kind != RDL_CLI_FLAG;
}

static int long_option(struct rdl_cli_options *o, char **argv, int *i)
{
    char *arg = argv[*i];
    size_t len = strcspn(arg + 2, "=");
    char *value = arg[2 + len] == '=' ? arg + 2 + len + 1 : NULL;
    const struct rdl_cli_option *opt = option_of(o->verb, arg + 2, len, 0);

    if (opt == NULL)
        return unknown(o, arg, 2 + len);
    const char *word = is_word(opt->alias, arg + 2, len) ? opt->alias : opt->word;
    if (check_verb(o, opt, word) != 0)
        return RDL_EXIT_USAGE;
    if (!rdl_cli_option_takes_value(opt) && value != NULL)
        return rdl_cli_misuse(o->verb, "--%s takes no value", word);
    if (rdl_cli_option_takes_value(opt) && !opt->is_optional && value == NULL) {
        value = argv[*i + 1];
        if (value == NULL)
            return needs_value(o, word);
        if (strcmp(word, "lock") == 0 && rdl_cli_operands_check_word(o, value) != 0)
            return RDL_EXIT_USAGE;
        (*i)++;
    }
    return take(o, opt, word, value != NULL ? value : nothing);
}

/* Reads "-n", "-qn", "-w5", "-w 5", "-qw5". */
static int short_options(struct rdl_cli_options *o, char **argv, int *i)
{
    for (char *p = argv[*i] + 1; *p != '\0'; p++) {
        const struct rdl_cli_option *opt = option_of(o->verb, NULL, 0, *p);
        if (opt == NULL) {
            char name[3] = {'-', *p, 0};
            return unknown(o, name, 2);
        }
        if (check_verb(o, opt, opt->word) != 0)
            return RDL_EXIT_USAGE;
        char *value = NULL;
        if (rdl_cli_option_takes_value(opt)) {
            value = p[1] != '\0' ? p + 1 : argv[++*i];
            if (value == NULL)
                return needs_value(o, opt->word);
            if (*p == 'l' && value != p + 1 && rdl_cli_operands_check_word(o, value) != 0)
                return RDL_EXIT_USAGE;
        }
        int rc = take(o, opt, opt->word, value != NULL ? value : nothing);
        if (rc != 0 || value != NULL)
            return rc;
    }
    return 0;
}

/* Prints help. word is the argument after --help, or NULL. Other options are ignored. */
static int take_help(struct rdl_cli_options *o, const char *word)
{
    o->help_all = word != NULL && strcmp(word, "all") == 0;
    if (word == NULL || o->help_all || word[0] == '-')
        return 0;
    return rdl_cli_misuse(o->verb, "--help: give nothing or \"all\" after it");
}

static int accepts(unsigned verb, const char *word)
{
    const struct rdl_cli_option *opt = option_of(verb, word, strlen(word), 0);

    return opt != NULL && is_accepted(opt, verb);
}

int rdl_cli_is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
}

const struct rdl_cli_option *rdl_cli_option_step_over(unsigned verb, char **argv, int *i, const char **value)
{
    const char *p = argv[*i] + 1;
    const struct rdl_cli_option *opt = NULL;

    *value = NULL;
    if (*p == '-') {
        size_t len = strcspn(++p, "=");
        opt = option_of(verb, p, len, 0);
        if (p[len] == '=')
            *value = p + len + 1;
        else if (opt != NULL && rdl_cli_option_takes_value(opt) && !opt->is_optional)
            *value = argv[++*i];
        return opt;
    }
    while (*p != '\0' && (opt == NULL || !rdl_cli_option_takes_value(opt)))
        opt = option_of(verb, NULL, 0, *p++);
    if (opt != NULL && rdl_cli_option_takes_value(opt))
        *value = *p != '\0' ? p : argv[++*i];
    return opt;
}

void rdl_cli_options_find_log(unsigned verb, int argc, char **argv)
{
    int is_json = 0, fd = STDERR_FILENO;

    for (int i = 0; i < argc && rdl_cli_is_option(argv[i]); i++) {
        const char *value;
        const struct rdl_cli_option *opt = rdl_cli_option_step_over(verb, argv, &i, &value);
        if (opt == NULL || value == NULL || !is_accepted(opt, verb))
            continue;
        if (strcmp(opt->word, "log") == 0)
            is_json = strcmp(value, "json") == 0;
        if (strcmp(opt->word, "log-fd") == 0 && rdl_cli_number(value, (int)opt->limit, &fd) != 0)
            fd = -1;
    }
    if (is_json && fd == STDERR_FILENO)
        rdl_cli_log_open(fd, RDL_CLI_LOG_JSON, NULL);
}

int rdl_cli_options_parse(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv)
{
    int rc, i = 0;

    memset(o, 0, sizeof *o);
    o->verb = verb;
    o->token_fd = -1;
    o->wait_ms = RDL_CLI_FOREVER;
    o->has_ttl = accepts(verb, "ttl");
    o->conflict_status = RDL_EXIT_CONFLICT;
    o->password_fd = -1;
    o->log_fd = -1;
    o->once_at = -1;
    o->once_keep_ms = RDL_CLI_FOREVER;
    o->guard = RDL_GUARD_IF_PERMITTED;
    rc = take_variables(o);
    for (; rc == 0 && i < argc && rdl_cli_is_option(argv[i]); i++) {
        rc = argv[i][1] == '-' ? long_option(o, argv, &i) : short_options(o, argv, &i);
        if (o->help)
            return take_help(o, argv[i + 1]);
    }
    if (rc == 0 && i < argc && strcmp(argv[i], "--") == 0)
        i += verb != RDL_CLI_RUN; /* otherwise it belongs to the command, and follows the lock name */
    return rc == 0 ? rdl_cli_operands_take(o, argc, argv, i) : rc;
}
