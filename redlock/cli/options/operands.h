/* SPDX-License-Identifier: MIT */
/* operands.h - what follows the options on the command line: the names of locks, and the command. */
#ifndef RDL_CLI_OPTIONS_OPERANDS_H
#define RDL_CLI_OPTIONS_OPERANDS_H

#include "redlock/cli/options/options.h"

/*
 * Reads the operands from argv[i] on, after the options. Returns 0, or an exit status after it printed the
 * reason.
 */
int rdl_cli_operands_take(struct rdl_cli_options *o, int argc, char **argv, int i);
/* Adds a lock's name. Returns 0, or an exit status after it printed the reason. */
int rdl_cli_operands_add_lock(struct rdl_cli_options *o, const char *name);
/*
 * Refuses a word that begins with '-' as a lock's name: it is an option in the wrong place, or it follows an
 * unset variable. Returns 0, or an exit status after it printed the reason.
 */
int rdl_cli_operands_check_word(const struct rdl_cli_options *o, const char *word);
/* Sets the command to `/bin/sh -c string`. Returns 0. */
int rdl_cli_operands_set_shell(struct rdl_cli_options *o, char *string);
/*
 * Refuses a token as an argument, and overwrites it: all users see arguments, and any process with the token
 * can release the lock. Returns the exit status.
 */
int rdl_cli_refuse_token(char *token);

#endif
