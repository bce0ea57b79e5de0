/* SPDX-License-Identifier: MIT */
/* redlock_op.h - the requests of redlock/, the server info and times, for its own files and the command. */
#ifndef RDL_REDLOCK_OP_H
#define RDL_REDLOCK_OP_H

#include "lock/lock_op.h"
#include "redlock/redlock.h"
#include "redlock/redlock_commands.h"

/* Returns how long an attempt, an extend or a release that begins now waits for replies. */
uint32_t rdl_redlock_attempt_ms(const struct rdl_redlock *r);
/* Returns when an acquire ends that pauses between two attempts; 0: it does not. */
uint64_t rdl_redlock_pause_deadline(const struct rdl_redlock *r);
/* Returns the server info of a conn, valid until the next step; NULL: not connected, or INFO was refused. */
const struct rdl_server_info *rdl_guard_server_info(const struct rdl_conn *c);
/* Returns 1 if this mode never counts a server that refuses INFO, otherwise 0. -1: there is no such mode. */
int rdl_guard_requires_info(unsigned guard);
/*
 * Makes a conn with connection checks (rdl_guard_conn, which undoes it) fail with RDL_E_PERM or another error
 * if its server refuses INFO: without its role, it may be a replica.
 */
void rdl_guard_require_info(struct rdl_conn *c);
/* Returns 1 if an error reply to INFO, of this code, is a refusal. Any other error ends the connection. */
int rdl_guard_is_refusal(const struct rdl_conn *c, int code);

/*
 * The requests of the canary, the key `name`.
 *
 * look reads it. YES: the run that the connection checks saw has created it (where INFO is refused: any run).
 * The reply's value is then the server's clock at that time, in s, << RDL_CANARY_AGE_BITS | its age in s.
 * With NO and ABSENT, the value is the server's clock in s. The text is what was found, cut to RDL_VALUE_MAX.
 *
 * make creates it, if there is none, with the server's clock of that moment. Where no script may read the
 * clock, it writes ttl_ms, which is a clock in s.
 */
extern const struct rdl_op rdl_op_canary_look, rdl_op_canary_make;
#define RDL_CANARY_AGE_BITS 24
#define RDL_CANARY_AGE_MAX  ((INT32_C(1) << RDL_CANARY_AGE_BITS) - 1)

/*
 * Reads which slots are free (slots.h). The name is that of a slot. ttl_ms is the number of slots, the length
 * of the name without its number << 8, and a random byte << 16. YES: value is a free slot, chosen by that
 * byte. NO: all are held, and value is the PTTL of the named one in ms (-1 no expiry, -2 none or unknown).
 */
extern const struct rdl_op rdl_op_read_slots;

#endif
