/* SPDX-License-Identifier: MIT */
/* child.h - running the command while the lock is held, and the guardian. */
#ifndef RDL_CLI_CHILD_CHILD_H
#define RDL_CLI_CHILD_CHILD_H

#include "redlock/cli/child/guardian.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/servers.h"

/* Warns of a program that may switch to another user, or gives its work away: it could not be stopped. */
void rdl_cli_child_check_program(const struct rdl_cli_options *o);

/* Runs the command while the lock is held, and releases it. Returns the exit status of redlock. */
int rdl_cli_supervise(struct rdl_cli_lock *l);

#endif
