/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief net_uring.h - a driver for sockets over io_uring: Linux 6.1 or later, where io_uring is allowed.
 *
 * Use it instead of rdl_posix_init(). A program that does not call rdl_uring_init() links nothing of it.
 *
 * It pays on a host where system calls are slow. A lock on five servers takes 4 of them instead of 23, but a
 * request through the ring has a cost of its own. The CPU time of a lock, over that with rdl_posix_init():
 *
 *     an empty system call takes          five servers   one server
 *     1.3 us (page-table isolation)       0.63           0.87
 *     0.13 us                             1.04           1.07
 *
 * Measure before you use it (`make bench`).
 */
#ifndef RDL_NET_URING_H
#define RDL_NET_URING_H

#include "net/net.h"

/** @addtogroup libredlock_posix
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of the driver. */
enum {
    RDL_URING_CONNS_MAX = 64 /**< most conns of a driver that are connected at a time */
};

/** The driver: call rdl_uring_init(), then set wake_fd if you have one. */
struct rdl_uring {
    /** As rdl_posix.wake_fd. Keep it open until a poll has run with another one, or rdl_uring_end(). */
    int wake_fd;
    /** @cond private */
    int fd;              /* the ring's; -1: none */
    void *memory;        /* what belongs to the connections, and is empty in a child after fork */
    void *ring;          /* the queues, which the kernel shares */
    void *requests;      /* the entries of the first one */
    size_t ring_len;     /* bytes of the ring */
    size_t requests_len; /* bytes of the requests */
    /** @endcond */
};

/**
 * Sets up the driver, without a wake_fd, and a platform that uses it.
 *
 * It tries the parts of the kernel that it needs, so nothing of this is refused later. After RDL_E_SYSTEM use
 * rdl_posix_init() with the same platform.
 *
 * The driver belongs to the thread that calls this. In a child after fork, poll returns RDL_E_FORKED: call
 * rdl_uring_end(), then rdl_uring_init(), and rdl_conn_init() for the conns. Its conns are those of sockets:
 * their addresses, rdl_posix_errno() and streams (rdl_conn_config.stream) are as with rdl_posix_init(). Do
 * not call rdl_posix_ready() or rdl_posix_close() for them.
 *
 * @param u         the driver; it must stay where it is, and valid as long as the platform is used
 * @param platform  receives the functions of the driver, and u as its ctx; unchanged after an error
 * @param why       NULL, or receives the reason for RDL_E_SYSTEM, a constant text; after RDL_OK NULL
 * @return RDL_OK. RDL_E_SYSTEM: there is no io_uring here; nothing is left of the driver.
 */
int rdl_uring_init(struct rdl_uring *u, struct rdl_platform *platform, const char **why);

/**
 * Closes the connection of a conn, if it has one, as rdl_posix_close() does. Call it before you free a conn.
 *
 * @param u  the driver
 * @param c  one of its conns
 */
void rdl_uring_close(struct rdl_uring *u, struct rdl_conn *c);

/**
 * Frees what belongs to the driver, if anything does. Call rdl_uring_close() for its conns before.
 * Soon after, the kernel may interrupt one blocking call of this thread (EINTR), as a signal does.
 *
 * @param u  the driver
 */
void rdl_uring_end(struct rdl_uring *u);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
