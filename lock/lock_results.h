/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief lock_results.h - what each operation of a lock returns, and a line about the last one for people.
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
