/* SPDX-License-Identifier: MIT */
/* The templates of what only the command sends: it searches for keys, and reads settings. */
#include "redlock/cli/servers/commands.h"

const char rdl_wire_info_persistence[] = "*2\r\n$4\r\nINFO\r\n$11\r\npersistence\r\n";
const char rdl_wire_config_get[] = "*3\r\n$6\r\nCONFIG\r\n$3\r\nGET\r\n$p";
/* It reads one byte more than a lock value may have, which reveals a longer value. */
const char rdl_wire_getrange[] = "*4\r\n$8\r\nGETRANGE\r\n$k$1\r\n0\r\n$3\r\n128\r\n";
const char rdl_wire_strlen[] = "*2\r\n$6\r\nSTRLEN\r\n$k";
const char rdl_wire_type[] = "*2\r\n$4\r\nTYPE\r\n$k";
/* A server is blocked for 0.15 ms by 250, and for 0.6 ms by 1000. */
const char rdl_wire_scan[] = "*6\r\n$4\r\nSCAN\r\n$g$5\r\nMATCH\r\n$p$5\r\nCOUNT\r\n$3\r\n250\r\n";
