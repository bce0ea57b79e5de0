/* SPDX-License-Identifier: MIT */
/* once_output.h - whether a tick (--once) is done, as text and as JSON. */
#ifndef RDL_CLI_SERVERS_ONCE_OUTPUT_H
#define RDL_CLI_SERVERS_ONCE_OUTPUT_H

#include "redlock/cli/servers/query_output.h"

/*
 * Reads the tick's key on each server, and prints what is there: a line for each server and one for all, or
 * an object of a JSON list. *state is HELD for a tick that is done, FREE for one that is open, or UNKNOWN.
 * Returns 0 or an exit status. Ends the process on a signal.
 */
int rdl_cli_tick_show(struct rdl_cli_query *l, const char *lock, int is_first, enum rdl_cli_state *state);

#endif
