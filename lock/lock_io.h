/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief lock_io.h - a lock whose operations block until they have ended, and a connection from a URL.
 *
 *     rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
 *     int rc = rdl_lock_acquire(&lock, &platform);
 *     ...
 *     while (work_is_left() && rdl_lock_remaining_ms(&lock, rdl_now(&platform)) > 1000)
 *         do_a_little();
 *     rdl_lock_release(&lock, &platform);
 *
 * lock/examples/minimal.c is the whole program. The functions need a driver for the connection (struct
 * rdl_platform): net_posix.c for sockets, or your own.
 */
#ifndef RDL_LOCK_IO_H
#define RDL_LOCK_IO_H

#include "lock/lock.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Acquires the lock. Blocks until it is acquired or refused.
 *
 * Without wait_ms or retry_ms there is one attempt: it blocks for the conn's connect_ms and one attempt at
 * most. Otherwise it blocks for wait_ms and one attempt at most, because the first attempt always has its
 * full time. Call it when you may call rdl_lock_acquire_begin().
 *
 * It reads first if a request is pending, if the conn is connecting, or if no lock used the conn in the last
 * 20 ms. So, before it sends, it notices that the connection has ended. (An event loop has read already.)
 *
 * A release that is pending at the end was written to the socket, if the connection is up and the socket had
 * room. Service the conn (rdl_conn_tick()) to send the rest, and call rdl_lock_drain() before the program
 * exits.
 *
 * In a child after fork, the first call that uses a connection its parent opened fails with RDL_E_FORKED, and
 * so does each later one. Nothing is sent, and the library closes the child's copy of the socket. A lease
 * that was held at the fork stays the parent's.
 *
 * From the fork on, treat every copied handle as not held. Set up the conn again (rdl_conn_init(),
 * rdl_posix_conn_init()), and then its locks, before you use them. To hand a lock on to the child, give it
 * the token (rdl_lock_adopt()).
 *
 * @param l         the lock
 * @param platform  waits, reads the clock and supplies the unique bytes
 * @return the results of an acquire (lock_results.h), RDL_E_RANDOM (platform->random failed; nothing was
 *         done), or canceled, so this handle holds nothing:
 *         RDL_E_INTERRUPTED: a wake-up from outside (rdl_posix.wake_fd) came before the lock was held. What
 *         may have been granted is released, as above.
 *         RDL_E_SYSTEM: platform->poll failed.
 *         RDL_E_FORKED: the connection is the parent's, whose lease is unaffected.
 */
int rdl_lock_acquire(struct rdl_lock *l, const struct rdl_platform *platform);

/**
 * Extends the lease: the key then expires ttl_ms from now at the earliest.
 *
 * Blocks for one attempt and 1 ms at most (rdl_lock_options.attempt_ms), and not beyond the lease. This
 * includes the wait for a conn that is connecting (rdl_lock_extend_begin()). With an adopted token it first
 * waits for the conn, for connect_ms at most. It ignores wake-ups from outside, and reads first as
 * rdl_lock_acquire() does. Call it when you may call rdl_lock_extend_begin().
 *
 * @param l         the lock
 * @param platform  waits, and reads the clock
 * @param ttl_ms    the new ttl in ms, from four attempts (rdl_lock_options.attempt_ms) to RDL_TTL_MAX
 * @return the results of an extend (lock_results.h), or RDL_E_SYSTEM or RDL_E_FORKED, as of
 *         rdl_lock_acquire(). If only the connection failed with RDL_E_SYSTEM, the lease continues:
 *         rdl_lock_remaining_ms() is above 0
 */
int rdl_lock_extend(struct rdl_lock *l, const struct rdl_platform *platform, uint32_t ttl_ms);

/**
 * Releases the lock.
 *
 * Blocks for the conn's connect_ms at most, if it is still connecting, and then for one attempt at most. It
 * ignores wake-ups from outside, and reads first as rdl_lock_acquire() does: a release that is sent twice may
 * return RDL_UNKNOWN. If it is still pending at the end, see rdl_lock_acquire(). Call it when you may call
 * rdl_lock_release_begin().
 *
 * To release without waiting, call rdl_lock_cancel() on the held lock instead. The release is then sent
 * before the next request on this conn, such as the SET of the next acquire. rdl_lock_drain() with until_ms
 * 1 sends it at once, and does not wait. You give up the result: whether the lease had ended before, and
 * whether the server was reached at all. Until the release is sent, other clients wait. A program that exits
 * must drain first, or the key stays until its ttl ends. On one server, acquire and release then take about
 * 0.8 of the CPU time and 0.7 of the time.
 *
 * @param l         the lock; not held afterwards
 * @param platform  waits, and reads the clock
 * @return the results of a release (lock_results.h), or RDL_E_SYSTEM or RDL_E_FORKED, as of
 *         rdl_lock_acquire()
 */
int rdl_lock_release(struct rdl_lock *l, const struct rdl_platform *platform);

/**
 * Waits until all pending releases are sent and answered: call it before the program exits.
 *
 * Blocks until until_ms at most. It ignores wake-ups from outside.
 *
 * @param l         the lock
 * @param platform  waits, and reads the clock
 * @param until_ms  the deadline: a time of the platform's clock, in ms; UINT64_MAX: no limit
 * @return RDL_OK: the connection is idle. RDL_E_TIMEOUT: not idle by until_ms. Or an error of platform->poll
 */
int rdl_lock_drain(struct rdl_lock *l, const struct rdl_platform *platform, uint64_t until_ms);

/** @} */
/** @addtogroup libredlock_posix
 * @{ */
/** Sizes of struct rdl_posix_conn, in bytes. */
enum {
    RDL_POSIX_URL_MAX = 256, /**< texts of the URL, with their NULs */
    RDL_POSIX_QUEUE = 768    /**< its queue */
};

/**
 * A conn with all its memory, so that a program needs only a URL.
 *
 *     static struct rdl_posix_conn server;
 *     rdl_posix_conn_init(&server, "redis://127.0.0.1:6379", NULL);
 *     rdl_lock_init(&lock, &options, &server.conn, RDL_NAME("nightly"));
 *
 * It has room for three locks with names of 48 bytes, or for one fenced lock with any name. For more locks at
 * a time, set up a struct rdl_conn with a queue of your own (RDL_QUEUE_FOR()).
 */
struct rdl_posix_conn {
    struct rdl_conn conn; /**< the connection, for locks; the other members are private */
    /** @cond private */
    struct rdl_conn_config config;
    struct rdl_endpoint endpoint;
    struct rdl_server_info server_info;
    uint64_t queue[RDL_POSIX_QUEUE / 8];
    char text[RDL_TEXT_MAX];
    char url[RDL_POSIX_URL_MAX]; /* texts of the URL, including the password */
    /** @endcond */
};

/**
 * Sets up a conn from a URL, closed. It opens when it is first needed.
 *
 * Never blocks, resolves no names. Call it before any other function of the conn, and again only if the conn
 * is closed; requests and pending releases in its queue are lost.
 *
 * @param p    the conn, which must stay valid as long as a lock uses it
 * @param url  see rdl_url_parse(); the host must be a numeric address or a socket path; copied
 * @param why  NULL, or receives what is wrong: a constant that repeats no part of the URL, or NULL with
 *             RDL_OK
 * @return RDL_OK: the conn is set up. RDL_E_NO_ADDRESS: it is, but the host is a name: resolve it
 *         (rdl_posix_resolve()). RDL_E_URL: the URL is invalid. RDL_E_SPACE: the URL is too long.
 */
int rdl_posix_conn_init(struct rdl_posix_conn *p, const char *url, const char **why);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
