/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_multi.h - several locks on one server that are held as one (lock_multi.c). */
#ifndef RDL_LOCK_MULTI_H
#define RDL_LOCK_MULTI_H

#include "lock/lock.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of several locks. */
enum {
    RDL_MULTI_MAX = 8 /**< most locks that are taken as one */
};

/**
 * Sets up several locks that are held as one: all of them are taken, or none (lock_multi.c). So clients that
 * name the same locks in another order cannot deadlock.
 *
 * They have one token and one ttl, and are extended and released together. If one of them is lost, all are:
 * extend returns RDL_LOST and releases the others.
 *
 *     static const struct rdl_bytes accounts[] = {{"anna", 4}, {"berta", 5}};
 *     static uint8_t packed[RDL_NAME_MAX];
 *     rdl_lock_init_multi(&lock, &opt, &conn, accounts, 2, packed);
 *
 * Each of them excludes a plain lock of its name. The server needs scripts or MSETEX (Redis 8.4, Valkey 9.1).
 * Without both, acquire returns RDL_E_UNSUPPORTED (RDL_E_PERM: scripts are not permitted). If a call inside
 * the script may have failed, acquire releases the keys that were set before it. On a cluster node the names
 * need a common hash tag; otherwise acquire returns RDL_E_CLUSTER. Hints are ignored.
 *
 * All else is as with rdl_lock_init().
 *
 * @param l       the lock
 * @param opt     its options
 * @param conn    the connection
 * @param names   the names, all different, of RDL_NAME_MAX - n bytes at most together; not needed afterwards
 * @param n       number of names, 1 to RDL_MULTI_MAX
 * @param packed  receives the names; it must stay valid and unchanged as long as the lock is used
 * @return as rdl_lock_init(). RDL_E_NAME: the names are invalid
 */
int rdl_lock_init_multi(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                        const struct rdl_bytes *names, size_t n, uint8_t packed[RDL_NAME_MAX]);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
