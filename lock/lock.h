/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief lock.h - one lock on one server, in steps that do not block.
 *
 * You hold a lease: it expires after the ttl, whatever you do. So there is rdl_lock_remaining_ms(), which
 * depends on the time, and deliberately no "is it locked". A server that restarts without its data grants the
 * lock a second time: redlock.h has a restart guard and canaries against that. If correctness depends on the
 * lock, use fencing tokens as well (lock_fenced.h).
 *
 * A _begin function begins an operation, and rdl_lock_step() continues it (lock/examples/event_loop.c).
 * lock_io.h has functions that block until it has ended. Call each function between operations only, unless
 * its comment says more. Functions that only read the lock may be called in any state.
 */
#ifndef RDL_LOCK_H
#define RDL_LOCK_H

#include "lock/lock_limits.h"
#include "lock/lock_results.h"
#include "lock/lock_state.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Options of a lock: valid as long as the lock is used, and changed only between its operations. Many locks
 * may share them. 0 is the default of each.
 */
struct rdl_lock_options {
    uint32_t ttl_ms;  /**< the ttl of the key, in ms: 4 x attempt_ms to RDL_TTL_MAX; 0: RDL_TTL_DEFAULT_MS */
    uint32_t wait_ms; /**< for how long to retry an acquire, in ms; 0: once; RDL_WAIT_FOREVER: no limit */
    /**
     * Bound of the first pause between two attempts, in ms. Each pause is random. The bound doubles with
     * each attempt, up to RDL_RETRY_CAP_MS. On one server it begins again if the lock changed hands. 0: once.
     */
    uint32_t retry_ms;
    /**
     * How long an attempt, an extend or a release waits for the reply, in ms, up to ttl_ms / 4.
     *
     * 0: ttl_ms / 20, within RDL_ATTEMPT_MIN_MS to RDL_ATTEMPT_MAX_MS, or three round trips if that is
     * longer; at most ttl_ms / 4. A round trip is the longest step of the connection's login: connecting,
     * AUTH, the checks. (Over N servers: that of the nearest majority.) A step that no operation waited for
     * is a bound until the next reply. Without a login only connecting is timed: set it near a proxy.
     *
     * The shortest ttl, also of an extend, is 4 x attempt_ms. If attempt_ms is 0, it is 4 x the default
     * without the round trips, which is computed from ttl_ms of these options.
     */
    uint32_t attempt_ms;
    uint32_t fence_expiry_ms; /**< for how long to keep a fencing token, in ms (lock_fenced.h); 0: forever */
};

/**
 * Sets up a plain lock (SET NX PX), not held. Sends nothing.
 *
 * Call it before any other function of the lock, and again only if the lock is not in use: debug builds
 * assert this. After an error acquire returns the same, and adopt, too, if it is RDL_E_NAME.
 *
 * The lock and its hint are in use while an operation is RDL_PENDING, and after an acquire or adopt that
 * succeeded. They are no longer in use when a release has ended with any result, an extend has ended with
 * RDL_LOST or was canceled (rdl_lock_extend()), or rdl_lock_cancel() has returned. Expiry does not end the
 * use: release or cancel an expired lease, too. At all other times nothing in the library refers to their
 * memory: free, copy or move it. A copy of a lock in use is none: debug builds assert when it is used.
 * Pending releases are in the conn's queue, and are sent while you service the conn.
 *
 * @param l         the lock; it holds no resources, so there is nothing to free
 * @param opt       its options
 * @param conn      the connection, which was set up before and stays valid as long as the lock is used
 * @param name      the key: bytes of any value; not copied: keep them valid as long as the lock is used
 * @param name_len  their number, 1 to RDL_NAME_MAX (see RDL_NAME())
 * @return RDL_OK. RDL_E_NAME: name_len is out of range. RDL_E_TTL: opt->ttl_ms is out of range.
 */
int rdl_lock_init(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                  const void *name, size_t name_len);

/**
 * Begins to acquire the lock.
 *
 * It is a programming error to call it while the lease is valid, or while an adopted token is not confirmed:
 * debug builds assert this. An expired lease that is not released yet is released first.
 *
 * The attempt begins when the conn is ready, within connect_ms. This includes a pause after an earlier
 * failure. If the conn is refused then, the attempt fails at once. RDL_E_TIMEOUT: the connection was not
 * ready in time, or it is stalled (rdl_lock_extend_begin()); nothing was sent.
 *
 * @param l        the lock
 * @param entropy  RDL_ENTROPY_LEN bytes that no other acquire of this name gets (struct rdl_token); copied
 * @param now_ms   the current time in ms
 * @return RDL_PENDING, or a result at once: RDL_E_NAME, RDL_E_TTL, RDL_E_FENCE_RANGE, or an error of the
 *         conn. Nothing was sent then.
 */
int rdl_lock_acquire_begin(struct rdl_lock *l, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);

/**
 * Begins to extend the lease: the key then expires ttl_ms from now at the earliest.
 *
 * It never shortens a lease and never revives an expired one. rdl_lock_remaining_ms() is then at least ttl_ms
 * less the drift, counted from the sending. It ends after one attempt, or with the lease, even if the conn is
 * still connecting (RDL_E_TIMEOUT): a later extend uses that connection. With an adopted token the attempt
 * begins when the conn is ready, within connect_ms.
 *
 * A reply is overdue if the server has sent nothing for the longest attempt time of the locks that wait on
 * the connection. The connection is then stalled: an extend sends nothing, and returns RDL_E_TIMEOUT. Let R
 * be the lease time left when the first failed extend began. When less than R/2 is left, an extend closes the
 * stalled connection, even if other locks use it, and uses a new one; R is then the time left. Until the
 * server sends something, replies are overdue after this lock's own attempt time. A success ends this.
 *
 * @param l       the lock
 * @param ttl_ms  the new ttl in ms, 4 x attempt_ms (rdl_lock_options) to RDL_TTL_MAX
 * @param now_ms  the current time in ms
 * @return RDL_PENDING, or a result at once.
 *         RDL_E_TTL: ttl_ms is out of range. Nothing was sent or changed.
 *         RDL_LOST: the lease is over or was released. What an extend may have left is released.
 */
int rdl_lock_extend_begin(struct rdl_lock *l, uint32_t ttl_ms, uint64_t now_ms);

/**
 * Begins to release the lock. From now on it is not held, whatever the server replies (lock_results.h).
 *
 * You may release a lease that has expired, and release again after RDL_UNKNOWN or RDL_E_.... From now on no
 * client may extend or adopt the token: a pending release could delete the key under its new holder. If the
 * connection closes before the reply, the release is sent again on the next one, and waits as long again.
 *
 * @param l       the lock
 * @param now_ms  the current time in ms
 * @return RDL_PENDING, or at once RDL_EXPIRED: this handle never acquired the lock, or released or lost it
 *         already, and nothing is sent. A lease that has only expired is still released.
 */
int rdl_lock_release_begin(struct rdl_lock *l, uint64_t now_ms);

/**
 * Continues the operation that was begun.
 *
 * Call it whenever the conn did something, and at rdl_lock_wake_ms(). In each loop iteration: read, get the
 * time once, then step. A reply that has arrived and was not read counts as none.
 *
 * @param l       the lock
 * @param now_ms  the current time in ms
 * @return RDL_PENDING, or the result (lock_results.h), which is repeated until the next operation begins
 */
int rdl_lock_step(struct rdl_lock *l, uint64_t now_ms);

/**
 * Returns when rdl_lock_step() must be called again, even if the conn did nothing.
 *
 * @param l  the lock
 * @return the time in ms; UINT64_MAX: no operation is pending
 */
uint64_t rdl_lock_wake_ms(const struct rdl_lock *l);

/**
 * Cancels the operation, if one is pending, and drops the lock.
 *
 * What was granted, or may have been, is released while you service the conn, if its queue has room.
 *
 * @param l  the lock; not held and not in use afterwards
 */
void rdl_lock_cancel(struct rdl_lock *l);

/**
 * Adopts the token of a lock that was acquired elsewhere: by another handle, process or host.
 *
 * Then release it, or extend it: the extend returns RDL_ADOPTED, and validity counts from that request. The
 * previous owner must not extend the lock any more, and must not have begun to release it. What this handle
 * held before, under another token, is released if the conn's queue has room for it.
 *
 * @param l          the lock, of any kind but legacy
 * @param token_hex  40 hex digits in lower case, from rdl_lock_token(); copied; no NUL is needed
 * @param len        their number, 40
 * @return RDL_OK. Nothing changed: RDL_E_TOKEN (other digits, a legacy lock), RDL_E_NAME (it has none).
 */
int rdl_lock_adopt(struct rdl_lock *l, const char *token_hex, size_t len);

/**
 * Writes the token of a lock that is held or adopted as text, for rdl_lock_adopt().
 *
 * @param l    the lock, of any kind but legacy; no release of it has begun
 * @param out  receives 40 hex digits in lower case, an owner (lock_owner.h), a NUL; RDL_TOKEN_TEXT_MAX bytes
 */
void rdl_lock_token(const struct rdl_lock *l, char out[RDL_TOKEN_TEXT_MAX]);

/**
 * Returns how long the lease is still held, by our own clock.
 *
 * The lease counts from before the request was sent. It is shorter than the ttl by the drift, for clocks that
 * run at different rates: 1 % of the ttl, rounded up, and 2 ms.
 *
 * @param l       the lock
 * @param now_ms  the current time in ms
 * @return the time in ms; 0: not held, expired, or adopted and not confirmed by an extend
 */
uint32_t rdl_lock_remaining_ms(const struct rdl_lock *l, uint64_t now_ms);

/**
 * Returns when the lease expires, by our own clock.
 *
 * @param l  the lock
 * @return the time in ms, which may have passed; 0: not held, or adopted and not extended yet
 */
uint64_t rdl_lock_until_ms(const struct rdl_lock *l);

/**
 * Returns whether the lock's connection, also for other locks, has nothing to send and no reply outstanding.
 *
 * @param l  the lock
 * @return 1: it is idle; 0: it is not
 */
int rdl_lock_is_idle(const struct rdl_lock *l);

/**
 * Returns for how long the key in the way still exists: after RDL_BUSY, and after RDL_OVERWRITTEN.
 *
 * @param l  the lock
 * @return a duration in ms, counted from the reply.
 *         -1: it has no expiry. To a plain lock the holder is then a legacy lock or a foreign program; to a
 *         legacy lock it is a holder without a timeout. -2: not known.
 */
int64_t rdl_lock_holder_ms(const struct rdl_lock *l);

/**
 * Returns what the last acquire cost. One that was refused at once for its arguments does not count.
 *
 * @param l  the lock
 * @return the counts, until the next acquire begins; while it is pending, so far
 */
struct rdl_stats rdl_lock_stats(const struct rdl_lock *l);

/**
 * Returns why the server gave no useful reply in the last operation.
 *
 * @param l  the lock
 * @return RDL_OK: there is no such reason. Otherwise the error: after RDL_UNKNOWN the connection's
 *         (RDL_E_CLOSED if it closed), RDL_E_TIMEOUT, or the error reply to PTTL.
 */
int rdl_lock_error(const struct rdl_lock *l);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
