/* SPDX-License-Identifier: MIT */
/* lock_private.h - what the modes of a lock (plain, fenced, several as one, legacy) share. */
#ifndef RDL_LOCK_PRIVATE_H
#define RDL_LOCK_PRIVATE_H

#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "lock/lock_owner.h"

/* The functions of the plain mode: SET NX PX. */
int rdl_plain_send(struct rdl_lock *l, uint64_t now_ms);
int rdl_plain_answer(struct rdl_lock *l, uint64_t now_ms);
void rdl_plain_value(const struct rdl_lock *l, struct rdl_command *cmd, char room[]);

/* Sets up a lock of a mode, not held. Returns RDL_OK, RDL_E_NAME or RDL_E_TTL. */
int rdl_lock_init_mode(struct rdl_lock *l, const struct rdl_lock_mode *mode,
                       const struct rdl_lock_options *opt, struct rdl_conn *conn, const void *name,
                       size_t name_len);
/*
 * Queues a request for the lock's key, with its value. Returns RDL_OK or an error, for example RDL_E_FULL. A
 * release that no caller waits for (req NULL) is not queued if there is no value yet.
 */
int rdl_lock_submit(struct rdl_lock *l, const struct rdl_op *op, struct rdl_req *req,
                    const struct rdl_bytes *extra);
/* Returns the operation of an action in this mode. With a hint, a release also wakes a waiter. */
const struct rdl_op *rdl_lock_op(const struct rdl_lock *l, enum rdl_action action);
/* Takes the other value that the key may have (legacy) as the lock value. Returns 0 if there is none. */
int rdl_lock_take_other(struct rdl_lock *l);
/* Queues a release for every value that the key may have. No caller waits for it. */
void rdl_lock_queue_release(struct rdl_lock *l);

/* Evaluates a grant: returns `result` if there is time left, else releases it and returns RDL_EXPIRED. */
int rdl_lock_granted(struct rdl_lock *l, int result, uint64_t now_ms);
/* Evaluates any other reply to an acquire. */
int rdl_lock_not_granted(struct rdl_lock *l);
/* Evaluates the reply to an extend. */
int rdl_lock_extended(struct rdl_lock *l, uint64_t now_ms);
/* Evaluates the reply to a release. */
int rdl_lock_released(const struct rdl_lock *l, uint64_t now_ms);

#endif
