/* SPDX-License-Identifier: MIT */
/*
 * rdl.c - the library as one file, from the lowest layer up. You can compile it as it is, with -I at the top
 * of the tree. `make amalgam` writes it with all included text. Sockets and the system's clock are in
 * rdl_posix.c; leave that out if you have your own driver.
 */

/* ---------------------------------------------------------------- resp: the bytes of the protocol */
#include "resp/resp_bytes.c"
#include "resp/resp_decimal.c"
#include "resp/resp_parse.c"
#include "resp/resp_slice.c"
#include "resp/resp_strerror.c"

/* ---------------------------------------------------------------- net: one connection to a server */
#include "net/net_commands.c"
#include "net/net_url.c"
#include "net/net_error.c"
#include "net/net_method.c"
#include "net/net_queue.c"
#include "net/net_request.c"
#include "net/net_login.c"
#include "net/net_handshake.c"
#include "net/net_timers.c"
#include "net/net_conn.c"

/* ---------------------------------------------------------------- lock: a lock on one server */
#include "lock/lock_commands.c"
#include "lock/lock_scripts.c"
#include "lock/lock_lease.c"
#include "lock/lock_op.c"
#include "lock/lock_script.c"
#include "lock/lock_delete.c"
#include "lock/lock_watch.c"
#include "lock/lock_methods.c"
#include "lock/lock.c"
#include "lock/lock_io.c"
#include "lock/lock_report.c"
#include "lock/lock_fenced.c"
#include "lock/lock_hint.c"
#include "lock/lock_multi.c"
#include "lock/lock_legacy_op.c"
#include "lock/lock_legacy.c"

/* ---------------------------------------------------------------- redlock: on a majority of servers */
#include "redlock/redlock_commands.c"
#include "redlock/redlock_state.c"
#include "redlock/redlock_count.c"
#include "redlock/redlock_vote.c"
#include "redlock/redlock_guard.c"
#include "redlock/redlock_canary.c"
#include "redlock/redlock_fenced.c"
#include "redlock/redlock_acquire.c"
#include "redlock/redlock_extend.c"
#include "redlock/redlock.c"
#include "redlock/redlock_io.c"
#include "redlock/redlock_report.c"
#include "redlock/renewal.c"
