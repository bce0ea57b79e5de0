/* SPDX-License-Identifier: MIT */
/* wait.h - waiting for the lock, for connections, and for an operation. */
#ifndef RDL_CLI_SERVERS_WAIT_H
#define RDL_CLI_SERVERS_WAIT_H

#include "redlock/cli/servers/lock.h"

/*
 * Acquires the lock within o->wait_ms. Returns 1 if it is held. Returns 0 if not, after it printed the
 * reason, with the exit status in *status (which may be 0, by -E). Ends the process on a signal.
 */
int rdl_cli_wait(struct rdl_cli_lock *l, int *status);

/*
 * Waits until a majority is connected or cannot be any more; the others have an attempt's time. A signal ends
 * the process.
 */
void rdl_cli_wait_connected(struct rdl_cli_lock *l);

/*
 * Waits for an operation that began with rc. Returns its result. A signal ends the process; the lease then
 * stays until it expires.
 */
int rdl_cli_wait_for(struct rdl_cli_lock *l, int rc);

#endif
