/* SPDX-License-Identifier: MIT */
/*
 * rdl_easy.c - the sources of the lock in four calls (easy.h), with host names and threads. The Makefile
 * reads this list; `make amalgam` writes it as one file. It needs rdl.c and rdl_posix.c.
 */
#include "net/net_posix_resolve.c"
#include "redlock/easy/easy.c"
#include "redlock/easy/easy_report.c"
#include "redlock/easy/easy_sentinel.c"
#include "redlock/easy/easy_thread.c"
#include "redlock/easy/sentinel.c"
#include "redlock/easy/sentinel_commands.c"
#include "redlock/easy/sentinel_url.c"
