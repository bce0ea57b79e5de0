/* SPDX-License-Identifier: MIT */
/** @file
 * @brief redlock_results.h - the results of redlock/, and their texts. */
#ifndef RDL_REDLOCK_RESULTS_H
#define RDL_REDLOCK_RESULTS_H

/** @addtogroup libredlock_redlock
 * @{ */

/** Results of this layer. 2 and more is a success with additional information. */
enum {
    RDL_NO_QUORUM = -50,    /**< no majority of the servers gave a useful reply */
    RDL_E_SERVERS = -51,    /**< the number of servers is not from 1 to RDL_SERVERS_MAX */
    RDL_E_GUARD = -52,      /**< rdl_redlock_options.guard is not set */
    RDL_E_QUARANTINE = -53, /**< too few servers count now: the restart guard or the canary excludes others */
    RDL_E_DUPLICATE = -54,  /**< of one server: it is also in the list under another address */
    RDL_E_GAP = -55,        /**< not held: there may have been a gap, in which another client held it */
    RDL_E_CAP = -56,        /**< extend refused: max_extensions or max_hold_ms; the lease is unchanged */
    RDL_E_SERVER_INFO = -57, /**< rdl_conn_config.server_info of a conn is not set */
    RDL_E_SHARED = -58,      /**< another redlock was set up with these servers[] */
    RDL_E_GUARD_LATE = -59,  /**< a conn was opened before its redlock was set up (rdl_guard_conn()) */
    RDL_E_HELD = -62,        /**< easy.h: the lock is held or adopted, or has a thread; nothing was done */

    RDL_HELD_WITH_GAP = 5 /**< held: as RDL_E_GAP, but the options accept a gap (accept_gap) */
};

/** @cond private */
/* The texts of rdl_strerror(). */
#define RDL_REDLOCK_TEXTS(X)                                                                                 \
    X(RDL_HELD_WITH_GAP, "held again after a gap")                                                           \
    X(RDL_NO_QUORUM, "too few servers gave a useful reply")                                                  \
    X(RDL_E_SERVERS, "a lock must have 1 to 7 servers")                                                      \
    X(RDL_E_GUARD, "rdl_redlock_options.guard is not set")                                                   \
    X(RDL_E_QUARANTINE, "too many servers restarted recently and may have lost locks")                       \
    X(RDL_E_DUPLICATE, "another address leads to the same server")                                           \
    X(RDL_E_GAP, "the lock is lost: another client may have held it in between")                             \
    X(RDL_E_CAP, "max_hold_ms or max_extensions would be exceeded")                                          \
    X(RDL_E_SERVER_INFO, "rdl_conn_config.server_info is not set")                                           \
    X(RDL_E_SHARED, "another lock was set up with the same servers[] (rdl_redlock_init)")                    \
    X(RDL_E_GUARD_LATE, "the connection was opened before rdl_redlock_init (rdl_guard_conn)")                \
    X(RDL_E_HELD, "the lock is already held: release it first")
/** @endcond */

/** @} */

#endif
