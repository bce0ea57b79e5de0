/* SPDX-License-Identifier: MIT */
/* start.h - what verbs begin with: their options, then a lock. */
#ifndef RDL_CLI_VERBS_START_H
#define RDL_CLI_VERBS_START_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/servers.h"

/*
 * Reads a verb's options and sets their defaults. Returns 1 to continue. Returns 0 to exit with *status,
 * after --help or after it printed the reason.
 */
int rdl_cli_options_read(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv,
                         int *status);

/*
 * Opens the connections for these options, and sets up the lock. Returns 0, or an exit status after it
 * printed the reason.
 */
int rdl_cli_start(struct rdl_cli_lock *l, const struct rdl_cli_options *o);

/* Run a verb for a token, or for a query: they read the options and begin. Return the exit status. */
int rdl_cli_adopt(enum rdl_cli_verb verb, int argc, char **argv,
                  int (*use)(struct rdl_cli_lock *l, const char token[RDL_TOKEN_TEXT_MAX]));
int rdl_cli_look(enum rdl_cli_verb verb, int argc, char **argv, int (*use)(struct rdl_cli_query *l));

#endif
