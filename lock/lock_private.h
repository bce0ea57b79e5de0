/* SPDX-License-Identifier: MIT */
/* lock_private.h - what the modes share. */
#ifndef RDL_LOCK_PRIVATE_H
#define RDL_LOCK_PRIVATE_H

#include "lock/lock_lease.h"
#include "lock/lock_op.h"

/* For a function whose calls would take more room than it if each of them contained it. */
#ifdef __GNUC__
#define RDL_NOINLINE __attribute__((noinline))
#else
#define RDL_NOINLINE
#endif

/* A mode is an object, so that a static link drops those that are not used. */
struct rdl_lock_mode {
    /* Queue the operation's first request. */
    int (*send)(struct rdl_lock *l, uint64_t now_ms);
    /* Judge an answer; RDL_PENDING: another request is out. */
    int (*answer)(struct rdl_lock *l, uint64_t now_ms);
    /* What marks the key as ours. */
    size_t (*value)(const struct rdl_lock *l, char out[RDL_VALUE_MAX]);
    /* By enum rdl_action; NULL: the mode asks by itself. */
    const struct rdl_op *const *ops;
    /* From now on the other value marks it that the key may have; 0: there is no other. NULL: never is. */
    int (*next)(struct rdl_lock *l);
};
/* Those of plain: SET NX PX. */
int rdl_plain_send(struct rdl_lock *l, uint64_t now_ms);
int rdl_plain_answer(struct rdl_lock *l, uint64_t now_ms);
size_t rdl_plain_value(const struct rdl_lock *l, char out[RDL_VALUE_MAX]);

/* Set up a lock of this mode, not held. */
int rdl_lock_init_mode(struct rdl_lock *l, const struct rdl_lock_mode *mode,
                       const struct rdl_lock_options *opt, struct rdl_conn *conn, const void *name,
                       size_t name_len);
/*
 * Queue a request for the lock's key, with its value. RDL_OK or RDL_E_FULL. A release that nobody waits for
 * (req NULL) is not queued if there is no value yet.
 */
int rdl_lock_submit(struct rdl_lock *l, const struct rdl_op *op, struct rdl_req *req, struct rdl_bytes extra);
/* What the action is for this mode; with a hint a release also tells one waiter. */
const struct rdl_op *rdl_lock_op(const struct rdl_lock *l, enum rdl_action action);
/* The key may have another value than the one that was known (legacy): that is the one now. 0: it has not. */
int rdl_lock_next(struct rdl_lock *l);
/* Queue the release that the key is owed, for every value it may have; nobody waits for it. */
void rdl_lock_queue_release(struct rdl_lock *l);

/* The server says yes: the lease is ours if there is time left of it (news), else it is given back. */
int rdl_lock_granted(struct rdl_lock *l, int news, uint64_t now_ms);
/* It says anything else. */
int rdl_lock_not_granted(struct rdl_lock *l);
/* The answer to an extend, to a release. */
int rdl_lock_extended(struct rdl_lock *l, uint64_t now_ms);
int rdl_lock_released(const struct rdl_lock *l, uint64_t now_ms);

#endif
