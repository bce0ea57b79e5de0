/* SPDX-License-Identifier: MIT */
/* sentinel_commands.h - the commands that are sent to sentinels. Letter k is the group's name. */
#ifndef RDL_EASY_SENTINEL_COMMANDS_H
#define RDL_EASY_SENTINEL_COMMANDS_H

/* The master's address; and, for the doctor, all that the sentinel knows of the group. */
extern const char rdl_wire_sentinel_address[], rdl_wire_sentinel_master[];

#endif
