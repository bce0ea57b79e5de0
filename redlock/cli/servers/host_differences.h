/* SPDX-License-Identifier: MIT */
/* host_differences.h - signs that two hosts do not exclude each other. */
#ifndef RDL_CLI_SERVERS_HOST_DIFFERENCES_H
#define RDL_CLI_SERVERS_HOST_DIFFERENCES_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/connections.h"

/*
 * Returns 1 if a key lives longer than --max-ttl: another host has a longer ttl. 0 without a restart guard.
 */
int rdl_cli_host_differences_is_long(const struct rdl_cli_options *o, int64_t pttl_ms);

/* Warns of such a key. */
void rdl_cli_host_differences_lease(const struct rdl_cli_options *o, const char *where, int64_t pttl_ms);

/*
 * Warns if some servers are on this host, or if a variable named only such servers; with -v also if -u did.
 */
void rdl_cli_host_differences_own(const struct rdl_cli_servers *s, const struct rdl_cli_options *o);

/* Returns the first server that has another database than server 0; 0: none has. */
size_t rdl_cli_host_differences_database(const struct rdl_cli_servers *s);

/* Warns of such a server. */
void rdl_cli_host_differences_databases(const struct rdl_cli_servers *s);

/* Warns if a server's clock differs from this host's by more than a minute. Returns 1 if it does. */
int rdl_cli_host_differences_clock(const char *where, int64_t ahead_ms);

#endif
