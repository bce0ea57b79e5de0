/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_hint.h - the wake hint: waiting clients are notified, instead of polling (lock_hint.c). */
#ifndef RDL_LOCK_HINT_H
#define RDL_LOCK_HINT_H

#include "lock/lock.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Times of the wake hint. */
enum {
    RDL_HINT_CAP_MS = 1000, /**< longest pause with a hint, in ms: the cost of a lost hint */
    RDL_HINT_FIRST_MS = 250 /**< how long a client that got no hint so far waits before it polls, in ms */
};

struct rdl_hint;

/** @cond private */
/* Functions of the wake hint: an object, so that a static link drops them where they are not used. */
struct rdl_hint_ops {
    /*
     * Begins to wait for a hint, until deadline_ms at most, and for holder_ms at most, the rest of the
     * holder's ttl (UINT32_MAX: not known). Returns the pause in ms: usual_ms, that of a client without a
     * hint, if it polls or cannot wait.
     */
    uint64_t (*begin)(struct rdl_hint *h, struct rdl_bytes name, uint32_t holder_ms, uint32_t usual_ms,
                      uint64_t deadline_ms, uint64_t now_ms);
    /* returns 1, once, when the wait has ended: try now */
    int (*fired)(struct rdl_hint *h, uint64_t now_ms);
    void (*end)(struct rdl_hint *h, int is_held); /* ends the wait: the caller no longer needs it */
    /* Returns how the next attempt of a plain lock acquires: rdl_op_acquire, or the same without the PTTL. */
    const struct rdl_op *(*acquire)(const struct rdl_hint *h, const struct rdl_lock_options *opt,
                                    int is_first, uint64_t deadline_ms, uint64_t now_ms);
    const struct rdl_op *release;        /* releases, and wakes a waiter */
    const struct rdl_op *release_strict; /* the same for a lock of the old protocol */
};
/** @endcond */

/**
 * A wake hint. Its members are private. Its memory is in use while its lock is in use (rdl_lock_init()).
 *
 * A release also adds an element to the list {name}:wake (name:wake, if the name contains '}'). Each waiting
 * client blocks (BLPOP) on a second connection, which the caller supplies. One release wakes one client, in
 * the order in which they began to wait. Use one hint per lock. If several locks share the hint connection,
 * only one can wait on it; the others pause as usual.
 *
 *     struct rdl_hint hint;
 *     rdl_hint_init(&hint, &second_conn);
 *     rdl_lock_set_hint(&lock, &hint);
 *
 * It is only a hint: the request to acquire alone decides who holds the lock, so clients with and without
 * hints can share a lock. If no hint comes in the time that earlier hints took, and the lock was released
 * meanwhile, a client polls: it retries as often as one without hints, until a hint comes.
 *
 * A holder may die or release without a hint, and a waiter may take a hint and die. Then the others retry
 * after RDL_HINT_CAP_MS at the latest. A client that has waited for this time once also retries when the
 * holder's ttl is over. If BLPOP is refused (ACL), or the second connection is down, the pauses are the usual
 * ones. If scripts are refused, a release wakes no client.
 *
 * Before Redis 6.0 BLPOP waits for whole seconds. The pause still ends on time, without waiting for its
 * reply. If the list is in another hash slot than the lock, a release returns RDL_E_CLUSTER. The lease then
 * ends with its ttl.
 */
struct rdl_hint {
    /** @cond private */
    const struct rdl_hint_ops *ops;
    struct rdl_conn *conn;
    uint8_t fruitless;  /* hints in a row that did not bring the lock */
    uint8_t is_refused; /* 1: by this server, until the connection ends */
    uint8_t is_awake;   /* 1: the last wait ended with a hint */
    uint8_t is_waiting; /* 1: it has waited since begun_ms, and no hint came */
    uint8_t has_ends;   /* 1: holder_ends_ms was set in this wait */
    uint8_t is_overdue; /* 1: this wait takes longer than patience_ms */
    uint8_t changes;    /* of the key's expiry, from attempt to attempt */
    uint8_t is_polling; /* 1: the lock changed hands without a hint, and none has come since */
    struct rdl_req req;
    uint32_t begun_ms;       /* the low 32 bits */
    uint32_t patience_ms;    /* for how long to wait before polling */
    uint32_t holder_ends_ms; /* of the holder's key, for rdl_has_changed_hands() */
    uint64_t ends_ms;        /* when the server should end the wait */
    /** @endcond */
};

/**
 * Sets up a wake hint.
 *
 * Call it before rdl_lock_set_hint(), and again only if no lock waits with it: debug builds assert this.
 *
 * @param h     the hint; it must stay valid as long as a lock uses it
 * @param conn  a connection that is used for nothing else, and stays valid as long as the hint. The blocking
 *              functions poll it; in an event loop you poll it like any other. NULL: wake other clients, but
 *              do not wait with a hint
 */
void rdl_hint_init(struct rdl_hint *h, struct rdl_conn *conn);

/**
 * Sets the wake hint of a lock, from the next operation on: it waits with the hint and wakes others.
 *
 * @param l     the lock; with several locks as one the call does nothing
 * @param hint  the hint, which was set up before and stays valid as long as the lock is used; NULL: none
 */
void rdl_lock_set_hint(struct rdl_lock *l, struct rdl_hint *hint);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
