/* SPDX-License-Identifier: MIT */
/* foreign_canary.h - a canary's key that holds something else. */
#ifndef RDL_CLI_SERVERS_FOREIGN_CANARY_H
#define RDL_CLI_SERVERS_FOREIGN_CANARY_H

#include "redlock/cli/servers/lock.h"
#include "redlock/redlock.h"

/*
 * Returns 1 if, with --canary, the canary's key holds something else on so many servers that no majority can
 * count. Warns of each of these servers once. Where the library found no canary, it queries the server, for
 * an attempt's time at most.
 */
int rdl_cli_canary_is_foreign(struct rdl_cli_lock *l);

/* The query of that key. NO: what it holds is no canary, and is not replaced. */
extern const struct rdl_op rdl_cli_op_canary;

#endif
