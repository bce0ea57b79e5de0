/* SPDX-License-Identifier: MIT */
/* redlock_commands.h - the connection checks, and the script of the canary. The rest is in lock/. */
#ifndef RDL_REDLOCK_COMMANDS_H
#define RDL_REDLOCK_COMMANDS_H

#include "lock/lock_commands.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char rdl_wire_info_server[], rdl_wire_info_replication[], rdl_wire_info_memory[];

/* rdl_script.number, after those of lock/. */
enum { RDL_SCRIPT_CANARY = RDL_LOCK_SCRIPTS, RDL_REDLOCK_SCRIPTS };
/* Checks at compile time that rdl_conn.scripts has a bit for each. */
RDL_STATIC_ASSERT((int)RDL_REDLOCK_SCRIPTS <= (int)RDL_SCRIPTS_MAX, rdl_redlock_scripts_fit);

/*
 * Creates the canary of a server that has none.
 *
 * KEYS[1] is the canary, ARGV[1] the part of its value before the time. The time is the server's clock in
 * seconds. Its reply is 1: created; 0: there is one already. Before Redis 5 it is an error: a script
 * must not write what it read from the clock.
 */
extern const struct rdl_script rdl_script_canary;

#ifdef __cplusplus
}
#endif

#endif
