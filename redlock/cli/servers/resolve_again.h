/* SPDX-License-Identifier: MIT */
/* resolve_again.h - resolving names again after a connection is lost. */
#ifndef RDL_CLI_SERVERS_RESOLVE_AGAIN_H
#define RDL_CLI_SERVERS_RESOLVE_AGAIN_H

#include "redlock/cli/servers/connections.h"

#include <sys/types.h>

/*
 * Resolves the names of servers again that were lost or never reached. Call it in every turn of the loop; it
 * never waits. If a server has moved, it prints that and uses the new address from then on. It does not if
 * another server of the list has that address, or if the name has no address or several; it prints that, too.
 * Returns when to call it again at the latest. SIGCHLD signals that a result has arrived.
 */
uint64_t rdl_cli_lookup_turn(struct rdl_cli_servers *s, uint64_t now_ms);

/* Reports a child that was reaped elsewhere. */
void rdl_cli_lookup_reaped(pid_t pid);

/* Ends the lookups that are under way. */
void rdl_cli_lookup_end(void);

#endif
