/* SPDX-License-Identifier: MIT */
/*
 * rdl.c - the sources of the library from the lowest layer up, as one file. The Makefile reads this list. You
 * can compile it as it is, with -I at the top of the tree. `make amalgam` writes it with all included text.
 * Sockets and the system's clock are in rdl_posix.c; leave that out if you have your own driver.
 */

/* ---------------------------------------------------------------- resp, net, a lock on one server */
#include "redlock/pkg/plain/rdl.c"

/* ---------------------------------------------------------------- lock: its other kinds */
#include "lock/lock_fenced.c"
#include "lock/lock_hint.c"
#include "lock/lock_multi.c"
#include "lock/lock_owner.c"
#include "lock/lock_legacy_op.c"
#include "lock/lock_legacy.c"

/* ---------------------------------------------------------------- redlock: on a majority of servers */
#include "redlock/redlock_commands.c"
#include "redlock/redlock_count.c"
#include "redlock/redlock_vote.c"
#include "redlock/redlock_guard.c"
#include "redlock/redlock_config_fault.c"
#include "redlock/redlock_canary.c"
#include "redlock/redlock_fenced.c"
#include "redlock/redlock_acquire.c"
#include "redlock/redlock_extend.c"
#include "redlock/redlock.c"
#include "redlock/redlock_owner.c"
#include "redlock/redlock_io.c"
#include "redlock/redlock_report.c"
#include "redlock/renewal.c"
#include "redlock/slots.c"
