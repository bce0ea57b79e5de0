/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_owner.h - a lock whose value names its owner, for people who search for it (lock_owner.c). */
#ifndef RDL_LOCK_OWNER_H
#define RDL_LOCK_OWNER_H

#include "lock/lock.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes of owners. */
enum {
    RDL_OWNER_MAX = 40 /**< bytes of an owner */
};

/**
 * Computes the queue size, like RDL_QUEUE_FOR(), for locks with an owner. For fenced locks, use
 * RDL_QUEUE_FOR_FENCED(), and add 1 + RDL_OWNER_MAX to the name.
 *
 * @param locks  number of locks that acquire, extend or release at the same time; held leases need no room
 * @param name   bytes of the longest name
 */
#define RDL_QUEUE_FOR_OWNER(locks, name) RDL_QUEUE_FOR(locks, (name) + 1 + RDL_OWNER_MAX)

/** @cond private */
struct rdl_command;
struct rdl_redlock;

/* The functions of a mode: an object, so that a static link drops the modes that are not used. */
struct rdl_lock_mode {
    /* Queues the first request of an operation. Returns RDL_OK or an error. */
    int (*send)(struct rdl_lock *l, uint64_t now_ms);
    /* Evaluates the reply. Returns the result; RDL_PENDING: another request was queued. */
    int (*answer)(struct rdl_lock *l, uint64_t now_ms);
    /*
     * Sets the lock value of a request, all else of which is set: in room, of RDL_VALUE_MAX bytes, or in
     * memory of its own. It is empty if there is none yet.
     */
    void (*value)(const struct rdl_lock *l, struct rdl_command *cmd, char room[]);
    /* By enum rdl_action; NULL: the mode sends its own requests. */
    const struct rdl_op *const *ops;
    /*
     * Takes the other value that the key may have as the lock value. Returns 1, or 0 if there is no other.
     * NULL: there never is.
     */
    int (*take_other)(struct rdl_lock *l);
};
/** @endcond */

/**
 * The owner of a lock: a label in its value, such as host:pid, by which people see who holds it. Its members
 * are private.
 *
 * The lock value is the token, then '@' and the owner: 1 to RDL_OWNER_MAX letters, digits and _@%+=:./-.
 * The owner gives no right to the lock: every comparison is of the whole value. All who can read the keys see
 * the owner.
 *
 * Use one object for each handle, valid as long as the handle is used. If a lock has an owner,
 * rdl_lock_token() and rdl_redlock_token() write the whole value.
 */
struct rdl_owner {
    /** @cond private */
    struct rdl_lock_mode mode; /* of a rdl_lock: its own mode, with another value */
    void (*redlock_value)(const struct rdl_redlock *r, struct rdl_bytes *out); /* of a rdl_redlock */
    struct rdl_token token; /* the adopted one that `adopted` belongs to */
    uint8_t own_len;
    uint8_t adopted_len;
    char own[1 + RDL_OWNER_MAX]; /* '@' and the owner of the locks that are acquired; or nothing */
    char adopted[1 + RDL_OWNER_MAX];
    char value[RDL_VALUE_MAX + 1 + RDL_OWNER_MAX];
    /** @endcond */
};

/**
 * Gives a lock an owner, from the next acquire on.
 *
 * Call it after the init function of the lock (rdl_lock_init(), _fenced, _multi), and whenever the lock is
 * not in use.
 *
 * @param l      the lock, of any kind but legacy
 * @param o      receives the owner; it must stay valid as long as the lock is used
 * @param owner  the owner; copied; no NUL is needed
 * @param len    its bytes; 0: none
 * @return RDL_OK. Nothing changed: RDL_E_CONFIG (the owner is too long or has other bytes, or a legacy lock).
 */
int rdl_lock_set_owner(struct rdl_lock *l, struct rdl_owner *o, const char *owner, size_t len);

/**
 * Adopts a lock by its whole value: a token, or a token and its owner (rdl_lock_adopt()).
 *
 * Use it for a lock that has an owner. rdl_lock_adopt() accepts only a token without an owner.
 *
 * @param l     the lock, of any kind but legacy
 * @param o     the object of rdl_lock_set_owner(), whose owner later acquires write; or a new one, which must
 *              stay valid as long as the lock is used: then they write none
 * @param text  as rdl_lock_token() writes it; copied; no NUL is needed
 * @param len   its bytes
 * @return as rdl_lock_adopt()
 */
int rdl_lock_adopt_owner(struct rdl_lock *l, struct rdl_owner *o, const char *text, size_t len);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
