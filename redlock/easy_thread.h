/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief easy_thread.h - a thread that renews a lock of easy.h while the program works.
 *
 *     static struct rdl_easy lock;
 *     static struct rdl_easy_thread thread;
 *
 *     if (rdl_easy_open(&lock, urls, "nightly", NULL) < 0 || rdl_easy_acquire(&lock, 5000) < 0 ||
 *         rdl_easy_start_thread(&lock, &thread, 1000) < 0) { // the work needs at most 1 s to stop
 *         fprintf(stderr, "%s\n", rdl_easy_error(&lock));
 *         rdl_easy_close(&lock);
 *         return 1;
 *     }
 *     while (work_left() && rdl_easy_remaining_ms(&lock) > 0) // or poll rdl_easy_lost_fd(&thread)
 *         do_some();
 *     rdl_easy_release(&lock);
 *     rdl_easy_close(&lock);
 *
 * redlock/examples/easy_thread.c is the whole program. It needs POSIX threads (cc -pthread).
 */
#ifndef RDL_EASY_THREAD_H
#define RDL_EASY_THREAD_H

#include "redlock/easy.h"

#include <pthread.h>

/** @addtogroup libredlock_easy
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A thread that renews one lock: use a struct for each lock. Its members are private.
 *
 * The memory is the caller's, static or allocated, and in use from rdl_easy_start_thread() until one of these
 * has returned: rdl_easy_release(), rdl_easy_close(), or a rdl_easy_acquire() with any result but RDL_E_HELD.
 */
struct rdl_easy_thread {
    /** @cond private */
    struct rdl_easy *easy;
    pthread_t id;
    uint32_t process; /* the mark of the process that has the thread; a child after fork has another */
    uint32_t grace_ms;
    int is_running; /* 1: it must be joined */
    int lost[2];    /* a pipe with a byte once the work must stop */
    int end[2];     /* a pipe with a byte once the thread must end */
    /** @endcond */
};

/**
 * Starts a thread that renews a held lock, until rdl_easy_release() or rdl_easy_close().
 *
 * It renews when a third of the ttl has passed. The ttl is that of the options; for another one, call
 * rdl_easy_extend() before. If it cannot renew the lock, it stops trying at least grace_ms before the lease
 * ends. Then rdl_easy_remaining_ms() is 0 and rdl_easy_lost_fd() is readable: stop the work, and call
 * rdl_easy_release(), which returns RDL_OK if the lease had not ended.
 *
 * The thread that called this function may end. Do not cancel a thread (pthread_cancel) inside the functions
 * of the lock. The new thread gets no signals. A forked child does not have it, and there
 * rdl_easy_remaining_ms() is 0. Never blocks.
 *
 * @param e         the lock, held
 * @param t         the thread, set up here, and in use until it is ended (struct rdl_easy_thread). After an
 *                  error it is not in use. Its descriptors are closed on exec
 * @param grace_ms  how long the work may take to stop, in ms: 0 to a third of the ttl
 * @return RDL_OK. Otherwise no thread was started, the lock is as before, and rdl_easy_error() says why.
 *         RDL_EXPIRED: the lock is not held. RDL_E_HELD: a thread renews it already. RDL_E_TTL: grace_ms is
 *         above a third of the ttl. RDL_E_SYSTEM: the system has no more threads or descriptors. Or the error
 *         of rdl_easy_open().
 */
int rdl_easy_start_thread(struct rdl_easy *e, struct rdl_easy_thread *t, uint32_t grace_ms);

/**
 * Returns a descriptor that becomes readable when the work must stop: for poll, select or an event loop.
 *
 * Do not read from it, and do not close it. Never blocks. Call it while the thread is in use.
 *
 * @param t  the thread
 * @return the descriptor; -1: the struct is all zero, or the thread was ended
 */
int rdl_easy_lost_fd(const struct rdl_easy_thread *t);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
