/* SPDX-License-Identifier: MIT */
/* commands.h - the commands that only the command sends. It sends those of the layers below, too. */
#ifndef RDL_CLI_SERVERS_COMMANDS_H
#define RDL_CLI_SERVERS_COMMANDS_H

#include "redlock/redlock_commands.h"

/*
 * Their letters, with those of lock/lock_commands.h:
 *
 *     g  the cursor of a search            p  a pattern of names or of settings
 */
extern const char rdl_wire_info_persistence[], rdl_wire_config_get[];
extern const char rdl_wire_getrange[], rdl_wire_strlen[], rdl_wire_type[], rdl_wire_scan[];

#endif
