/* SPDX-License-Identifier: MIT */
/* once.h - --once: the key {LOCK}:once:TICK, which records that a tick is done. */
#ifndef RDL_CLI_SERVERS_ONCE_H
#define RDL_CLI_SERVERS_ONCE_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/held_lease.h"

/* The value: RDL_CLI_ONCE_MARK, the 8 hex digits that identify the lease (REDLOCK_ID), its owner, if any. */
#define RDL_CLI_ONCE_MARK "once "

/* Writes the name of the key of this tick, NUL-terminated. */
void rdl_cli_once_key(const char *lock, const char *tick, char out[RDL_CLI_ONCE_KEY_MAX]);

/*
 * read: ABSENT: no such key. YES: there is one; the text is its value, the reply's value its PTTL.
 * record: creates it with a ttl of ttl_ms. YES: it exists now. Neither is a lock's request: no release
 * follows, and an unanswered one keeps no connection open.
 */
extern const struct rdl_op rdl_cli_op_once_read, rdl_cli_op_once_record;

/*
 * Reads whether the tick is done; with --once-at start, also records it. The lock is held, and is renewed
 * meanwhile. Returns 1 if the command may start. Returns 0 after it has released the lock and printed the
 * reason, with the exit status in *status. A signal ends the process.
 */
int rdl_cli_once_may_start(struct rdl_cli_held *h, int *status);

/*
 * Records the tick after the command has succeeded, until a majority confirms it, the lease ends, or a signal
 * comes that ends programs. Returns 1 if a majority has it. Returns 0 after it printed the reason.
 */
int rdl_cli_once_record(struct rdl_cli_held *h);

#endif
