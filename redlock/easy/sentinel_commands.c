/* SPDX-License-Identifier: MIT */
/* sentinel_commands.c - the templates of what is sent to sentinels. */
#include "redlock/easy/sentinel_commands.h"

const char rdl_wire_sentinel_address[] = "*3\r\n$8\r\nSENTINEL\r\n$23\r\nget-master-addr-by-name\r\n$k";
const char rdl_wire_sentinel_master[] = "*3\r\n$8\r\nSENTINEL\r\n$6\r\nmaster\r\n$k";
