/* SPDX-License-Identifier: MIT */
/* connect_command.h - processes that connect to rediss:// servers. */
#ifndef RDL_CLI_SERVERS_CONNECT_COMMAND_H
#define RDL_CLI_SERVERS_CONNECT_COMMAND_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/redlock.h"

#include <sys/types.h>

/*
 * Makes platform->poll open connections to rediss:// servers, each by a process of o->connect_command. It is
 * killed and reaped with its connection. Borrows s and o.
 */
void rdl_cli_connect_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o,
                          struct rdl_platform *platform);

/* Returns why the last connection to server i ended, in its process's words: "openssl: ..."; "": unknown. */
const char *rdl_cli_connect_said(size_t i);

/* Reports a child that was reaped elsewhere, and its status. */
void rdl_cli_connect_reaped(pid_t pid, int status);

/* Ends all of these processes. */
void rdl_cli_connect_end(void);

#endif
