/* SPDX-License-Identifier: MIT */
/* verb_table.h - every verb, once. */
#ifndef RDL_CLI_OPTIONS_VERB_TABLE_H
#define RDL_CLI_OPTIONS_VERB_TABLE_H

#include "redlock/cli/output/output.h"

enum rdl_cli_verb {
    RDL_CLI_RUN = 1,
    RDL_CLI_ACQUIRE = 2,
    RDL_CLI_EXTEND = 4,
    RDL_CLI_RELEASE = 8,
    RDL_CLI_HOLD = 16,
    RDL_CLI_STATUS = 32,
    RDL_CLI_BREAK = 64,
    RDL_CLI_LIST = 128,
    RDL_CLI_DOCTOR = 256
};

enum {
    RDL_CLI_GETTING = RDL_CLI_RUN | RDL_CLI_ACQUIRE | RDL_CLI_HOLD, /* they wait for a lock and take it */
    RDL_CLI_ALL = 511
};

struct rdl_cli_verb_row {
    enum rdl_cli_verb verb;
    const char *word;
    const char *operands; /* as --help shows them */
    const char *forms[3]; /* as the manual's SYNOPSIS shows them; the rest are NULL */
    const char *brief;    /* for the list of verbs */
    const char *purpose;
    const char *example;
};

enum { RDL_CLI_VERBS = 9 };
extern const struct rdl_cli_verb_row rdl_cli_verb_table[RDL_CLI_VERBS];

/* Returns the row of a verb. */
const struct rdl_cli_verb_row *rdl_cli_verb_row(unsigned verb);
const char *rdl_cli_verb_word(enum rdl_cli_verb verb);
/* Returns the verb with this word; 0: there is none. */
unsigned rdl_cli_verb_of(const char *word);
/* Returns the word of the verb with a similar word; NULL: none is similar. */
const char *rdl_cli_verb_like(const char *word);
/* Adds the words of the verbs in this set, with `between` between two. */
void rdl_cli_add_verbs_of(struct rdl_cli_text *t, unsigned verbs, const char *between);
/* Adds "run, acquire, ... or doctor". */
void rdl_cli_add_verbs(struct rdl_cli_text *t);
/* Prints one line of usage after a syntax error; verb 0: of redlock itself. Returns the exit status. */
int rdl_cli_usage(unsigned verb);

#endif
