/* SPDX-License-Identifier: MIT */
/* command.h - the command: its process group, environment and terminal. */
#ifndef RDL_CLI_CHILD_COMMAND_H
#define RDL_CLI_CHILD_COMMAND_H

#include "redlock/cli/child/guardian.h"
#include "redlock/cli/servers/servers.h"

#include <sys/types.h>

/* Starts the command in a process group of its own; the lock is held. Returns its pid, or -1 with errno. */
pid_t rdl_cli_child_start(const struct rdl_cli_lock *l, struct rdl_cli_guardian *g);

/* Call it after the command has exited. Returns 0 if exec failed, otherwise 1. */
int rdl_cli_child_was_run(void);

/* Signals the group. Returns 0 if none of its processes is ours to signal (sudo switched the user). */
int rdl_cli_child_kill(pid_t group, int sig);
int rdl_cli_child_group_is_empty(pid_t group);

/*
 * Passes the terminal to a command that was stopped because it needs it (SIGTTIN, SIGTTOU), if redlock has
 * it. Otherwise takes the terminal back.
 */
void rdl_cli_child_stopped(pid_t group, int sig);
void rdl_cli_child_take_terminal(pid_t group);

#endif
