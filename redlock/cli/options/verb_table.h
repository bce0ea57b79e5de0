/* SPDX-License-Identifier: MIT */
/* verb_table.h - every verb, once. */
#ifndef RDL_CLI_OPTIONS_VERB_TABLE_H
#define RDL_CLI_OPTIONS_VERB_TABLE_H

#include "redlock/cli/output/output.h"

/* The verbs, in the order of --help. `make static VERBS=...` sets both lists; a verb left out has no bit. */
#ifndef RDL_CLI_EACH_VERB
#define RDL_CLI_EACH_VERB(X)                                                                                 \
    X(run, RUN) X(acquire, ACQUIRE) X(extend, EXTEND) X(release, RELEASE) X(hold, HOLD) X(status, STATUS)    \
    X(list, LIST) X(break, BREAK) X(doctor, DOCTOR)
#define RDL_CLI_EACH_VERB_LEFT_OUT(X)
#endif

#define RDL_CLI_VERB_NUMBER(word, verb) RDL_CLI_NUMBER_##verb,
#define RDL_CLI_VERB_BIT(word, verb)    RDL_CLI_##verb = 1 << RDL_CLI_NUMBER_##verb,
#define RDL_CLI_VERB_NO_BIT(word, verb) RDL_CLI_##verb = 0,
enum { RDL_CLI_EACH_VERB(RDL_CLI_VERB_NUMBER) RDL_CLI_VERBS };
enum rdl_cli_verb { RDL_CLI_EACH_VERB(RDL_CLI_VERB_BIT) RDL_CLI_EACH_VERB_LEFT_OUT(RDL_CLI_VERB_NO_BIT) };

enum {
    RDL_CLI_GETTING = RDL_CLI_RUN | RDL_CLI_ACQUIRE | RDL_CLI_HOLD, /* they wait for a lock and take it */
    RDL_CLI_ALL = (1 << RDL_CLI_VERBS) - 1
};

/* What follows the options. */
enum rdl_cli_takes {
    RDL_CLI_TAKES_LOCK,
    RDL_CLI_TAKES_COMMAND, /* a lock and a command */
    RDL_CLI_TAKES_LOCKS,
    RDL_CLI_TAKES_LOCK_OR_NONE,
    RDL_CLI_TAKES_PREFIX
};

struct rdl_cli_verb_row {
    enum rdl_cli_verb verb;
    const char *word;
    enum rdl_cli_takes takes;
    const char *operands; /* as --help shows them */
    const char *forms[3]; /* as the manual's SYNOPSIS shows them; the rest are NULL */
    const char *brief;    /* for the list of verbs */
    const char *purpose;
    const char *example;
};

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
/* Prints an error, and one line of usage; verb 0: of redlock itself. Returns the exit status. */
int rdl_cli_misuse(unsigned verb, const char *format, ...) RDL_CLI_PRINTF(2, 3);

#endif
