/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief lock_results.h - the results of lock/, and their texts.
 */
#ifndef RDL_LOCK_RESULTS_H
#define RDL_LOCK_RESULTS_H

/**
 * @addtogroup libredlock_lock
 * @{
 */

/** Results of this layer. */
enum {
    RDL_RECOVERED = 2, /**< acquire, legacy: taken over from a holder whose lease had expired */
    RDL_REPAIRED = 3,  /**< extend, redlock: extended, and restored on servers that had lost the key */
    RDL_ADOPTED = 4,   /**< extend: this handle now holds the adopted token */
    RDL_REMOVED = 6,   /**< release, legacy: deleted the value that a waiting client had written over ours */

    RDL_E_NAME = -40,  /**< a lock's name must have 1 to 128 bytes */
    RDL_E_TTL = -41,   /**< the ttl is under four attempts (attempt_ms), above RDL_TTL_MAX or max_ttl */
    RDL_BUSY = -42,    /**< another client holds the lock; over N servers: see rdl_redlock_step() */
    RDL_LOST = -43,    /**< it was held and no longer is */
    RDL_EXPIRED = -44, /**< the lease had expired: granted too late, or gone before the release */
    RDL_UNKNOWN = -45, /**< no conclusive reply: the outcome is unknown */
    RDL_E_FOREIGN_VALUE = -46, /**< legacy: the key holds no lock of this kind; it is never taken over */
    RDL_E_FENCE = -47,         /**< fencing tokens need scripts, which the server does not support */
    RDL_E_MULTI = -48,         /**< several locks at once need scripts, which the server does not support */
    RDL_OVERWRITTEN = -49,     /**< legacy: a waiting client overwrote our value; no client can hold it yet */

    RDL_E_FENCE_RANGE = -60, /**< the server's fencing token, or the least one set, is out of range */
    RDL_E_TOKEN = -61        /**< not 40 hex digits; or a legacy lock, which has no token */
};

/** @cond private */
/* The texts of rdl_strerror(). */
#define RDL_LOCK_TEXTS(X)                                                                                    \
    X(RDL_REMOVED, "released; the value that a waiting client had written was deleted")                      \
    X(RDL_ADOPTED, "adopted")                                                                                \
    X(RDL_REPAIRED, "extended, and restored on servers that had lost it")                                    \
    X(RDL_RECOVERED, "taken over from a holder whose lease had expired")                                     \
    X(RDL_E_NAME, "a lock's name must have 1 to 128 bytes")                                                  \
    X(RDL_E_TTL, "invalid ttl: must be at least 4 x attempt_ms, at most RDL_TTL_MAX")                        \
    X(RDL_BUSY, "the lock is held by another client")                                                        \
    X(RDL_LOST, "the lock is lost")                                                                          \
    X(RDL_EXPIRED, "the lease has expired")                                                                  \
    X(RDL_UNKNOWN, "no reply: outcome unknown")                                                              \
    X(RDL_E_FOREIGN_VALUE, "the key holds a value that is not a lock of this kind")                          \
    X(RDL_E_FENCE, "fencing tokens need scripts, which the server refuses")                                  \
    X(RDL_E_MULTI, "several locks at once need scripts, which the server refuses")                           \
    X(RDL_OVERWRITTEN, "a waiting client overwrote the key; it stays until its value expires")               \
    X(RDL_E_FENCE_RANGE, "the fencing token is too large for scripts (2^53 or more)")                        \
    X(RDL_E_TOKEN, "not a token (40 hex digits); locks of the old protocol have none")
/** @endcond */

/** @} */

#endif
