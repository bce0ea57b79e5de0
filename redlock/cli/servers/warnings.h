/* SPDX-License-Identifier: MIT */
/* warnings.h - warnings while the lock is waited for or held. Each is printed once. */
#ifndef RDL_CLI_SERVERS_WARNINGS_H
#define RDL_CLI_SERVERS_WARNINGS_H

#include "redlock/cli/servers/lock.h"

/* Warns of servers that are permanently not used though a majority is, and of servers that refuse INFO. */
void rdl_cli_warn_servers(const struct rdl_cli_lock *l);

/* Returns 1 if, with --canary, the canary of a majority can be read. */
int rdl_cli_lock_is_watched(const struct rdl_cli_lock *l);

/* Warns that the key in the way never expires. */
void rdl_cli_warn_endless(const struct rdl_cli_lock *l);

/* Warns after a renewal if another client holds the lock on one of the servers, again and again. */
void rdl_cli_warn_rival(const struct rdl_cli_lock *l);

/* Warns if the lease in the way shows that another host has other options. */
void rdl_cli_warn_long(const struct rdl_cli_lock *l);

#endif
