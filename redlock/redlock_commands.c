/* SPDX-License-Identifier: MIT */
/* redlock_commands.c - the templates of the connection checks and of slots, and the script of the canary. */
#include "redlock/redlock_commands.h"

const char rdl_wire_info_server[] = "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n";
const char rdl_wire_info_replication[] = "*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n";
const char rdl_wire_info_memory[] = "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n";

static const char canary_text[] = "return redis.call('SETNX',KEYS[1],ARGV[1]..redis.call('TIME')[1])";

const struct rdl_script rdl_script_canary = {canary_text, sizeof canary_text - 1, RDL_SCRIPT_CANARY,
                                             "cd7d5901b0f22567ebc704edf87ed3edc382b7b6"};
