/* SPDX-License-Identifier: MIT */
/* tokens.h - reading and writing tokens. */
#ifndef RDL_CLI_SERVERS_TOKENS_H
#define RDL_CLI_SERVERS_TOKENS_H

#include "redlock/cli/options/options.h"
#include "redlock/redlock.h"

/*
 * Reads the token from --token-file, --token-fd or $REDLOCK_TOKEN: 40 hex digits, and '@' and its owner, if
 * it has one. A fencing token or the names of several locks may follow; the command line must have the same
 * names. Returns 0, or an exit status after it printed the reason. No message contains the digits.
 */
int rdl_cli_token_read(const struct rdl_cli_options *o, char token[RDL_TOKEN_TEXT_MAX]);

/* Creates the file of --token-file, which must not exist. It is deleted again unless the token is written. */
int rdl_cli_token_create(const char *file);

/*
 * Writes the token, and a fence other than 0 or the names of several locks. It writes to that file, or to
 * standard output if there is none, until until_ms at most. Returns 0. If it fails, it prints the reason and
 * that the lock is released; it then returns RDL_EXIT_CANTCREAT, or 128 plus the number of a signal.
 */
int rdl_cli_token_write(const char token[RDL_TOKEN_TEXT_MAX], uint64_t fence, uint64_t until_ms,
                        const struct rdl_cli_options *o);

/* Deletes the file that was created, unless the token is in it. */
void rdl_cli_token_drop(void);

#endif
