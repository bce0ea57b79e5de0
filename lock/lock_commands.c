/* SPDX-License-Identifier: MIT */
/* lock_commands.c - the templates of locks. */
#include "lock/lock_commands.h"

const char rdl_wire_set_nx_px[] = "*6\r\n$3\r\nSET\r\n$k$v$2\r\nNX\r\n$2\r\nPX\r\n$m";
const char rdl_wire_pttl[] = "*2\r\n$4\r\nPTTL\r\n$k";
const char rdl_wire_delex[] = "*4\r\n$5\r\nDELEX\r\n$k$4\r\nIFEQ\r\n$v";
const char rdl_wire_delifeq[] = "*3\r\n$7\r\nDELIFEQ\r\n$k$v";

const char rdl_wire_watch[] = "*2\r\n$5\r\nWATCH\r\n$k";
const char rdl_wire_get[] = "*2\r\n$3\r\nGET\r\n$k";
const char rdl_wire_multi[] = "*1\r\n$5\r\nMULTI\r\n";
const char rdl_wire_del[] = "*2\r\n$3\r\nDEL\r\n$k";
const char rdl_wire_pexpire[] = "*3\r\n$7\r\nPEXPIRE\r\n$k$m";
const char rdl_wire_set[] = "*3\r\n$3\r\nSET\r\n$k$v";
const char rdl_wire_exec[] = "*1\r\n$4\r\nEXEC\r\n";
const char rdl_wire_discard[] = "*1\r\n$7\r\nDISCARD\r\n";

const char rdl_wire_time[] = "*1\r\n$4\r\nTIME\r\n";
const char rdl_wire_setnx[] = "*3\r\n$5\r\nSETNX\r\n$k$v";
const char rdl_wire_getset[] = "*3\r\n$6\r\nGETSET\r\n$k$v";
const char rdl_wire_blpop[] = "*3\r\n$5\r\nBLPOP\r\n$b$t";

const char rdl_wire_call_release[] = "*5\r\n$c$s$1\r\n1\r\n$k$v";
const char rdl_wire_call_extend[] = "*6\r\n$c$s$1\r\n1\r\n$k$v$m";
const char rdl_wire_call_replace[] = "*6\r\n$c$s$1\r\n1\r\n$k$x$v";
const char rdl_wire_call_release_hint[] = "*7\r\n$c$s$1\r\n2\r\n$k$b$v$h";
const char rdl_wire_call_fenced[] = "*9\r\n$c$s$1\r\n2\r\n$k$b$v$m$f$h";
const char rdl_wire_watch_all[] = "*a$5\r\nWATCH\r\n$k";
const char rdl_wire_mget[] = "*a$4\r\nMGET\r\n$k";
const char rdl_wire_msetex[] = "*a$6\r\nMSETEX\r\n$y$k$x$2\r\nPX\r\n$m";
const char rdl_wire_call_multi[] = "*a$c$s$y$k$v$m";
const char rdl_wire_call_release_multi[] = "*a$c$s$y$k$v";
