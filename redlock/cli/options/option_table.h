/* SPDX-License-Identifier: MIT */
/* option_table.h - every option, once. The parser, --help, completion and the test of the manual read it. */
#ifndef RDL_CLI_OPTIONS_OPTION_TABLE_H
#define RDL_CLI_OPTIONS_OPTION_TABLE_H

#include "redlock/cli/options/options.h"

#include <stddef.h>

/* What an option does with its value. */
enum rdl_cli_kind_of_option {
    RDL_CLI_FLAG,       /* takes none: sets an int to 1 */
    RDL_CLI_CALL,       /* calls a function; takes a value if it has a metavar */
    RDL_CLI_TEXT,       /* const char * */
    RDL_CLI_NUMBER,     /* int, from 0 to limit */
    RDL_CLI_DESCRIPTOR, /* int; the value may be a secret by mistake */
    RDL_CLI_CHOICE,     /* int, of an enum in the order of the choices; limit: the value of the first */
    RDL_CLI_MS,         /* uint32_t, from limit to RDL_TTL_MAX */
    RDL_CLI_LONG_MS     /* uint64_t */
};

/* The headings of --help and of the manual. */
enum rdl_cli_group {
    RDL_CLI_SERVERS,
    RDL_CLI_LOCKS,
    RDL_CLI_TIMEOUTS,
    RDL_CLI_SAFETY,
    RDL_CLI_OUTPUT,
    RDL_CLI_GROUPS,
    RDL_CLI_HIDDEN = RDL_CLI_GROUPS /* neither in --help nor in the manual */
};

/* What an option does in these verbs. Up to the first ';' or ':', it also describes the option in shells. */
enum { RDL_CLI_TEXTS = 3 };
struct rdl_cli_option_text {
    unsigned verbs;
    const char *text;
};

/* One option. Two options of different verbs may have the same word. */
struct rdl_cli_option {
    char letter; /* 0: none */
    const char *word;
    const char *alias;   /* another word for it, or NULL */
    const char *metavar; /* the value's name in texts; NULL: it takes none. FILE and URL can be completed */
    const char *choices; /* CHOICE: the values, a space between two */
    int is_optional;     /* the value is given as --word=VALUE, or not at all: "", or "on" of a CHOICE */
    enum rdl_cli_kind_of_option kind;
    size_t at; /* where it is stored: offsetof(struct rdl_cli_options, ...) */
    uint32_t limit;
    int (*call)(struct rdl_cli_options *o, char *value);
    unsigned common; /* the verbs whose short help shows it, if they accept it */
    enum rdl_cli_group group;
    struct rdl_cli_option_text texts[RDL_CLI_TEXTS]; /* for each verb that accepts it, one */
    const char *brief;                               /* the text of the first screen; NULL: the same */
    const char
        *source; /* where the value comes from if it is not given. CHOICE: "$VARIABLE", which is parsed */
};

extern const struct rdl_cli_option rdl_cli_option_table[];
extern const size_t rdl_cli_option_rows;
extern const char *const rdl_cli_group_words[RDL_CLI_GROUPS];

/* Returns the text for the first of these verbs that accepts the option; NULL: none does. */
const char *rdl_cli_option_text(const struct rdl_cli_option *opt, unsigned verbs);

/* Returns whether a word is an option, or letters of some; "--" ends them. */
int rdl_cli_is_option(const char *word);

/*
 * Steps from the option argv[*i] over the value that may follow it. Returns the option, of a group of letters
 * the last, or NULL. *value is its value, or NULL.
 */
const struct rdl_cli_option *rdl_cli_option_step_over(unsigned verb, char **argv, int *i, const char **value);
int rdl_cli_option_takes_value(const struct rdl_cli_option *opt);

#endif
