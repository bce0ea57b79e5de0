/* SPDX-License-Identifier: MIT */
/* redlock_op.h - what redlock/ asks a server, for its own files and the command. */
#ifndef RDL_REDLOCK_OP_H
#define RDL_REDLOCK_OP_H

#include "lock/lock_op.h"
#include "redlock/redlock.h"

/* What this connection's server said of itself, until the next step; NULL: not connected, or it would not. */
const struct rdl_server_info *rdl_guard_server_info(const struct rdl_conn *c);
/* 1: the error reply to INFO, of this code, says that it is not permitted; else the connection ends by it. */
int rdl_guard_is_refusal(const struct rdl_conn *c, int code);

/*
 * The canary, the key `name`. look: YES if it was made by the run that the connection checks saw (where INFO
 * is refused: by any); value is then when, in seconds of the server's clock << RDL_CANARY_AGE_BITS | its age
 * in s; NO, ABSENT: value is the server's clock in s. text is what was found, cut to RDL_VALUE_MAX. make: if
 * there is none, with the server's clock of that moment; ttl_ms is the clock to write, in s, where no script
 * may do that.
 */
extern const struct rdl_op rdl_op_canary_look, rdl_op_canary_make;
#define RDL_CANARY_AGE_BITS 24
#define RDL_CANARY_AGE_MAX  ((INT32_C(1) << RDL_CANARY_AGE_BITS) - 1)

#endif
