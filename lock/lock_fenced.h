/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_fenced.h - a lock with a fencing token (lock_fenced.c). */
#ifndef RDL_LOCK_FENCED_H
#define RDL_LOCK_FENCED_H

#include "lock/lock.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

#define RDL_FENCE_MAX 9007199254740991uLL /**< greatest fencing token: 2^53 - 1 */

/** Sizes of a fenced lock's requests. */
enum {
    RDL_EXTRA_MAX = 40 /**< bytes of the additional argument: a token and an expiry */
};

/**
 * Computes the same as RDL_QUEUE_FOR() for locks with a fencing token.
 *
 * @param locks  number of locks that acquire, extend or release at the same time; held leases need no room
 * @param name   bytes of the longest name
 */
#define RDL_QUEUE_FOR_FENCED(locks, name) RDL_QUEUE_FOR(locks, (name) + RDL_EXTRA_MAX)

/**
 * A plain lock with a fencing token, a number that grows with every holder.
 *
 *     struct rdl_lock_fenced store;
 *     rdl_lock_init_fenced(&store, &opt, &server.conn, RDL_NAME("store"));
 *     int rc = rdl_lock_acquire(&store.lock, &platform);
 *     ...
 *     write_with(rdl_lock_fence(&store));
 *
 * It needs scripts: without scripts acquire returns RDL_E_UNSUPPORTED, or RDL_E_PERM if the user may not use
 * them or the key.
 *
 * The counter is in the key {name}:fence. If the name contains '}', it is name:fence. So on a cluster node
 * such a name needs a hash tag of its own, for example job{1}: if the counter is in another hash slot than
 * the lock, acquire returns RDL_E_CLUSTER.
 *
 * The number grows as long as the server keeps the counter: forever, or for rdl_lock_options.fence_expiry_ms
 * (up to RDL_TTL_MAX) after the lease. If no client holds the lock for that long, the next token is 1, or the
 * minimum that rdl_lock_set_min_fence() sets. Forever is safe, and each name that was ever locked keeps a
 * small key. All clients of a lock must use the same value; otherwise the latest holder's applies. If the
 * server may lose the counter, see rdl_lock_set_min_fence().
 *
 * Older versions of this library set an expiry of a day on the counter, which breaks this promise. If an
 * acquire without fence_expiry_ms gets the lock, it removes that expiry, not the key.
 */
struct rdl_lock_fenced {
    struct rdl_lock lock; /**< use it with all functions of a lock, in its place: a copy is not a lock */
    /** @cond private */
    uint64_t fence; /* the last fencing token; the next is greater */
    uint64_t least; /* the least that the next may be; 0: not set */
    /** @endcond */
};

/**
 * Sets up a fenced lock, not held, as rdl_lock_init() does.
 *
 * @param l         the lock
 * @param opt       as for rdl_lock_init(), like the others
 * @param conn      the connection
 * @param name      the key
 * @param name_len  its bytes
 * @return as rdl_lock_init()
 */
int rdl_lock_init_fenced(struct rdl_lock_fenced *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len);

/**
 * Sets the least fencing token that the next acquire may get, for example the wall clock in ms.
 *
 * A token is always greater than the last one of this lock. If min is above RDL_FENCE_MAX, acquire returns
 * RDL_E_FENCE_RANGE. It returns the same if the server's next token would be above RDL_FENCE_MAX. Then
 * {name}:fence cannot grow any more: delete it by hand once no resource remembers a token of this lock.
 *
 * Let T be the longest ttl of any client. With wall clocks in ms, tokens grow even if the server loses
 * {name}:fence, on three conditions:
 *
 *   1. After the loss, no client reaches the server for at least T.
 *   2. The clients' clocks agree within T/2.
 *   3. Each client's last call of this function was less than T/2 before the grant. So call it before each
 *      rdl_lock_step() while you wait. With the blocking functions, use a short wait_ms, and call it before
 *      each acquire.
 *
 * During an acquire it applies from the next attempt on.
 *
 * @param l    the lock
 * @param min  the least token, 1 to RDL_FENCE_MAX; 0: none
 */
void rdl_lock_set_min_fence(struct rdl_lock_fenced *l, uint64_t min);

/**
 * Returns the fencing token of the lease.
 *
 * Pass it to the resource with every write. The resource must remember the greatest token and reject smaller
 * ones. A lease that expired and was not released keeps its token.
 *
 * @param l  the lock
 * @return 1 to RDL_FENCE_MAX; 0: not held, or adopted (only the client that acquired the lock got the token)
 */
uint64_t rdl_lock_fence(const struct rdl_lock_fenced *l);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
