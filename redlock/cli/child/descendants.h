/* SPDX-License-Identifier: MIT */
/* descendants.h - the command's processes that left its process group. */
#ifndef RDL_CLI_CHILD_DESCENDANTS_H
#define RDL_CLI_CHILD_DESCENDANTS_H

#include "redlock/cli/output/output.h"

#include <sys/types.h>

/*
 * The command's processes that left its process group, read from /proc if that exists. Call begin before the
 * guardian and the command are started. From then on orphans become our children, and redlock reaps them.
 */
void rdl_cli_descendants_begin(void);

/*
 * Reads which processes are descendants of the command, or came to us as orphans. It reads until two readings
 * agree, `most` times and until until_ms at most.
 */
void rdl_cli_descendants_read(pid_t group, int most, uint64_t until_ms);

/* Signals those outside the group that did not get this signal yet. Returns how many. */
size_t rdl_cli_descendants_signal(int sig);

/* Returns how many were outside the group at the last reading, without those of another user. */
size_t rdl_cli_descendants_left(void);

/* Adds their names: "1234 (timeout), 1235 (sleep)". Returns 0 if there are none. */
int rdl_cli_descendants_names(struct rdl_cli_text *t);

#endif
