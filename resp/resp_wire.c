/* SPDX-License-Identifier: MIT */
/* resp_wire.c - the templates: everything that is ever sent, except the texts of the scripts. */
#include "resp/resp_template.h"

const char rdl_wire_auth[] = "*2\r\n$4\r\nAUTH\r\n$P";
const char rdl_wire_auth_user[] = "*3\r\n$4\r\nAUTH\r\n$u$P";
const char rdl_wire_select[] = "*2\r\n$6\r\nSELECT\r\n$d";
const char rdl_wire_client_setname[] = "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$n";

const char rdl_wire_info_server[] = "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n";
const char rdl_wire_info_replication[] = "*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n";
const char rdl_wire_info_memory[] = "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n";
const char rdl_wire_info_persistence[] = "*2\r\n$4\r\nINFO\r\n$11\r\npersistence\r\n";

const char rdl_wire_config_get[] = "*3\r\n$6\r\nCONFIG\r\n$3\r\nGET\r\n$p";
/* It reads one byte more than a lock value may have, which reveals a longer value. */
const char rdl_wire_getrange[] = "*4\r\n$8\r\nGETRANGE\r\n$k$1\r\n0\r\n$3\r\n128\r\n";
const char rdl_wire_strlen[] = "*2\r\n$6\r\nSTRLEN\r\n$k";
/* A server is blocked for 0.15 ms by 250, and for 0.6 ms by 1000. */
const char rdl_wire_scan[] = "*6\r\n$4\r\nSCAN\r\n$g$5\r\nMATCH\r\n$p$5\r\nCOUNT\r\n$3\r\n250\r\n";

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
const char rdl_wire_call_multi[] = "*a$c$s$y$k$v$m";
const char rdl_wire_call_release_multi[] = "*a$c$s$y$k$v";
