/* SPDX-License-Identifier: MIT */
/* lock_private.h - what the modes share. */
#ifndef RDL_LOCK_PRIVATE_H
#define RDL_LOCK_PRIVATE_H

#include "lock/lock_lease.h"
#include "lock/lock_op.h"

/* Queue a request for the lock's key, with its value. RDL_OK or RDL_E_FULL. */
int rdl_lock_submit(struct rdl_lock *l, const struct rdl_op *op, struct rdl_req *req, struct rdl_bytes extra);
/* What the action is for this mode; with a hint a release also tells one waiter. */
const struct rdl_op *rdl_lock_op(const struct rdl_lock *l, enum rdl_action action);
/* The key may have another value than the one that was known (legacy): that is the one now. 0: it has not. */
int rdl_lock_next(struct rdl_lock *l);
/* Queue the release that the key is owed, for every value it may have; nobody waits for it. */
void rdl_lock_owe(struct rdl_lock *l);

/* The server says yes: the lease is ours if there is time left of it (news), else it is given back. */
int rdl_lock_granted(struct rdl_lock *l, int news, uint64_t now_ms);
/* It says anything else. */
int rdl_lock_not_granted(struct rdl_lock *l);
/* The answer to an extend, to a release. */
int rdl_lock_extended(struct rdl_lock *l, uint64_t now_ms);
int rdl_lock_released(const struct rdl_lock *l, uint64_t now_ms);

#endif
