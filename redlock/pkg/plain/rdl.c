/* SPDX-License-Identifier: MIT */
/*
 * rdl.c - the sources of a lock on one server, without fencing tokens, hints, several names or the old
 * protocol, from the lowest layer up. The Makefile reads this list. The larger list, redlock/pkg/rdl.c,
 * begins with it; you can use it alone in the same way.
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
#include "net/net_config_fault.c"
#include "net/net_request.c"
#include "net/net_login.c"
#include "net/net_credentials.c"
#include "net/net_handshake.c"
#include "net/net_timers.c"
#include "net/net_conn.c"
#include "net/net_stream.c"

/* ---------------------------------------------------------------- lock: a lock on one server */
#include "lock/lock_commands.c"
#include "lock/lock_scripts.c"
#include "lock/lock_lease.c"
#include "lock/lock_requests.c"
#include "lock/lock.c"
#include "lock/lock_io.c"
#include "lock/lock_report.c"
