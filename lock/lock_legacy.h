/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_legacy.h - locks of the old protocol, SETNX and GETSET: for a migration (lock/LEGACY.md). */
#ifndef RDL_LOCK_LEGACY_H
#define RDL_LOCK_LEGACY_H

#include "lock/lock.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes of the old protocol. */
enum {
    RDL_PEER_MAX = 24 /**< bytes kept of a value that another client wrote */
};

/**
 * Kinds of locks of the old protocol: the value is the Unix time of the expiry.
 *
 * The protocol is unsafe. LEGACY.md says why, which clients can share a lock, and how to leave the protocol.
 * Do not mix legacy locks with plain locks of the same name.
 *
 * The results are those of a plain lock, and RDL_RECOVERED. If another client holds the lock without an end
 * (redis-py without a timeout), acquire returns RDL_BUSY, and rdl_lock_holder_ms() is -1. If a waiting client
 * overwrote our value:
 *
 *     extend   RDL_LOST         the lease is over
 *     release  RDL_OVERWRITTEN  our lease is not over, and the value's time is no earlier than ours, or
 *                               could not be read; the key stays until that time (rdl_lock_holder_ms();
 *                               -1: for ever, delete it by hand when no client holds the lock)
 *              RDL_LOST         any other value, or no key
 *              RDL_UNKNOWN      the release was sent again on a new connection: the value may be the next
 *                               holder's
 */
enum rdl_legacy {
    RDL_LEGACY, /**< SECONDS.FRACTION: the fraction, nine digits, identifies the holder */
    /**
     * Whole seconds, for clients that read nothing else. The value does not identify the holder. So no
     * release follows an acquire without a reply, and no release is sent again after an error. After an
     * extend without a reply the key may hold a newer value of ours. A release deletes that value only if
     * more than two attempts' time of the lease is left.
     */
    RDL_LEGACY_INTEGER,
    /**
     * As RDL_LEGACY, if you know two things about all other clients: none uses a shorter ttl, and none
     * deletes a lock that it does not hold.
     *
     * Then a value that overwrote ours is a waiting client's until our lease ends, unless a client is delayed
     * between reading its clock and its GETSET. An extend returns RDL_OVERWRITTEN: the lease continues to its
     * end, with remaining_ms as before, but cannot be extended. A release deletes the value that it finds,
     * and returns RDL_REMOVED. It sends this request once and never again. It returns RDL_OVERWRITTEN, as
     * above, if less than two attempts' time remains of the lease, or if the value changed again.
     */
    RDL_LEGACY_SHORTEST
};

/** A lock of the old protocol. */
struct rdl_lock_legacy {
    struct rdl_lock lock; /**< use it with all functions of a lock, in its place: a copy is not a lock */
    /** @cond private */
    /* The server's clock (_s, _ms) as read at clock_at_ms; too early by clock_error_ms at most. */
    uint64_t clock_at_ms;
    uint32_t clock_s;
    uint32_t clock_error_ms;
    uint16_t clock_ms;
    uint8_t kind; /* enum rdl_legacy */
    uint8_t phase;
    uint8_t value_len;
    uint8_t other_len;        /* of other, while that may be ours: after an extend without a reply */
    char other[RDL_PEER_MAX]; /* the value in the way, or the next one of our own */
    /** @endcond */
};

/**
 * Sets up a legacy lock, not held, as rdl_lock_init() does.
 *
 * @param l         the lock
 * @param opt       as for rdl_lock_init(), like the others
 * @param conn      the connection
 * @param name      the key
 * @param name_len  its bytes
 * @param kind      the kind of value, the same for all clients of the lock
 * @return as rdl_lock_init()
 */
int rdl_lock_init_legacy(struct rdl_lock_legacy *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len, enum rdl_legacy kind);

/**
 * Sets this host's wall clock, for servers that refuse TIME (before Redis 2.6 there is none).
 *
 * On other servers it is not used. Without it, acquire on such servers returns RDL_E_UNSUPPORTED or
 * RDL_E_PERM. Set it again at least once a day: an older setting is ignored. Its error grows by 1 % of its
 * age.
 *
 * @param l            the lock
 * @param wall_s       the Unix time in seconds at now_ms; below 1000000000 (the year 2001) it was never
 *                     set: forgets the clock
 * @param max_skew_ms  by how much it may be wrong, in ms
 * @param now_ms       the current time in ms; 0: forgets the clock
 */
void rdl_lock_set_clock(struct rdl_lock_legacy *l, uint32_t wall_s, uint32_t max_skew_ms, uint64_t now_ms);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
