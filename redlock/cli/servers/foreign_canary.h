/* SPDX-License-Identifier: MIT */
/* foreign_canary.h - a canary's key that holds something else. */
#ifndef RDL_CLI_SERVERS_FOREIGN_CANARY_H
#define RDL_CLI_SERVERS_FOREIGN_CANARY_H

#include "redlock/cli/servers/lock.h"
#include "redlock/redlock.h"

/*
 * Returns 1 if, with --canary, so many servers have a foreign value at the canary's key that no majority can
 * count. Warns of each of these servers once.
 */
int rdl_cli_canary_is_foreign(const struct rdl_cli_lock *l);

/* The query of that key. Its answer is NO if the value is no canary; redlock leaves that value there. */
extern const struct rdl_op rdl_cli_op_canary;

#endif
