/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief lock_results.h - the results of a lock: what each means, their texts, and a line for people.
 *
 * Results (2 or more: success with additional information; negative: failed; the last column says whether
 * the lease continues):
 *
 *     operation  result       what happened                                         remaining_ms
 *     acquire    RDL_OK       granted                                               more than 0
 *                RDL_BUSY     held by another client                                0
 *                RDL_EXPIRED  granted, but the reply came too late to be of use     0
 *                RDL_UNKNOWN  no conclusive reply; a release follows if it was sent 0
 *                RDL_E_...    an error of the server or the connection              0
 *     extend     RDL_OK       at least ttl_ms from the moment of sending            never less than before
 *                RDL_ADOPTED  this handle now holds the adopted token               more than 0
 *                RDL_LOST     expired, or held by another client                    0
 *                RDL_UNKNOWN  no reply in time; the lease continues                 as before the call
 *                RDL_E_...    refused; the lease continues                          as before the call
 *     release    RDL_OK       deleted                                               0
 *                RDL_EXPIRED  it was already gone (a warning)                       0
 *                RDL_LOST     another client holds it now                           0
 *                RDL_UNKNOWN  no conclusive reply: see below                        0
 *                RDL_E_...    refused: see below                                    0
 *
 * A blocking extend that is canceled ends the lease (rdl_lock_extend()). Legacy locks: lock_legacy.h.
 *
 * A release with RDL_UNKNOWN stays pending if no reply came. If a reply came that does not show what
 * happened, nothing more is sent. There are two such replies:
 *
 *   1. The release was sent again and found no key of ours, while the lease was valid. Either the first one
 *      was executed, or the server lost the key in a restart. After a restart another client may have got the
 *      lock before our release.
 *   2. The key is gone or held by another client, and the server permits no PTTL to find out which.
 *
 * A release with RDL_E_...: a temporary error ("again" in resp/WIRE.md) leaves it pending. While you service
 * the conn (rdl_conn_tick()) it is sent again after a pause, until the key must have expired. The handle of
 * an adopted token does not know when the key expires. So its release is sent until a conclusive reply, but
 * for at most the ttl after a first temporary error. (That is the ttl of the options, or of the last extend.)
 * You may reuse the memory of the lock meanwhile. After any other error the lease ends with its ttl.
 *
 * A release with RDL_LOST may come from a replica, and then does not describe its master. It can happen on a
 * connection that does not check the server's role (rdl_guard_conn() in redlock.h).
 */
#ifndef RDL_LOCK_RESULTS_H
#define RDL_LOCK_RESULTS_H

#include "resp/resp.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

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
    RDL_OVERWRITTEN = -49,     /**< legacy: a waiting client overwrote our value (lock_legacy.h) */

    RDL_E_FENCE_RANGE = -60, /**< the server's fencing token, or the least one set, is out of range */
    RDL_E_TOKEN = -61        /**< not 40 hex digits in lower case; or a legacy lock, which has no token */
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

/** What an acquire cost, whatever its result: for logs and metrics. Both counts stop at 65535. */
struct rdl_stats {
    uint16_t attempts; /**< acquire requests sent, up to N for each attempt over N servers */
    uint16_t refused;  /**< attempts that ended with RDL_BUSY; do not divide it by attempts if N > 1 */
    uint32_t took_ms;  /**< from begin to the last step of the acquire, in ms */
};

struct rdl_lock;

/**
 * Describes the last operation in one line for people.
 *
 * For example: "confirmed in 3 ms", "held by another client for another 800 ms", "timed out".
 *
 * @param l    the lock
 * @param out  receives the text, cut to cap - 1 bytes, and a NUL
 * @param cap  its size in bytes, 1 or more; 128 is enough
 * @return the length of the text in bytes, without the NUL
 */
size_t rdl_lock_report(const struct rdl_lock *l, char *out, size_t cap);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
