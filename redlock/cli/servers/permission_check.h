/* SPDX-License-Identifier: MIT */
/* permission_check.h - the check that the user may release and extend the lock. */
#ifndef RDL_CLI_SERVERS_PERMISSION_CHECK_H
#define RDL_CLI_SERVERS_PERMISSION_CHECK_H

#include "redlock/cli/servers/lock.h"

/* Warns if the user may not release or extend the granted lock. Takes an attempt's time at most. */
void rdl_cli_probe(struct rdl_cli_lock *l);

#endif
