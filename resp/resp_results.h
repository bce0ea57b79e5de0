/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief resp_results.h - the results of all layers: one list of numbers. rdl_strerror() has their texts.
 *
 * Each layer returns those of its own section and of the sections before it, unchanged. The headers of the
 * layers say which results an operation has. What to do about each: redlock(3).
 */
#ifndef RDL_RESP_RESULTS_H
#define RDL_RESP_RESULTS_H

/** @addtogroup libredlock_resp
 * @{ */

/** Results. 2 and more: a success with additional information. Negative: an error. */
enum {
    RDL_OK = 0,            /**< done */
    RDL_PENDING = 1,       /**< not finished: call again with more input, or later */
    RDL_RECOVERED = 2,     /**< acquire, legacy: taken over from a holder whose lease had expired */
    RDL_REPAIRED = 3,      /**< extend, redlock: extended, and restored on servers that had lost the key */
    RDL_ADOPTED = 4,       /**< extend: this handle now holds the adopted token */
    RDL_HELD_WITH_GAP = 5, /**< extend, redlock: as RDL_E_GAP, but the options accept a gap: still held */
    RDL_REMOVED = 6, /**< release, legacy: deleted the value that a waiting client had written over ours */

    /* resp: bytes */
    RDL_E_SYNTAX = -1, /**< the server does not speak RESP2 (the Redis protocol) */
    RDL_E_LIMIT = -2,  /**< well-formed, but larger than the library accepts */
    RDL_E_SPACE = -3,  /**< the caller's buffer is too small; nothing was written */

    /* net: the connection, the system, the program */
    RDL_E_URL = -4,          /**< an invalid URL, or an address that the system cannot use */
    RDL_E_NO_ADDRESS = -5,   /**< the host name has no address yet; trying again may help once it has one */
    RDL_E_CONNECT = -6,      /**< cannot reach the server: refused, no route, no such socket */
    RDL_E_CLOSED = -7,       /**< the connection closed before the reply */
    RDL_E_TIMEOUT = -8,      /**< timed out: no reply in time */
    RDL_E_UNEXPECTED = -9,   /**< a reply without a request, or of an impossible kind */
    RDL_E_SYSTEM = -10,      /**< a system call failed: descriptors, memory, poll */
    RDL_E_RANDOM = -11,      /**< no source of random numbers; there is no weak fallback */
    RDL_E_FORKED = -12,      /**< a forked child must not use its parent's connection, nor its handles */
    RDL_E_INTERRUPTED = -13, /**< a blocking acquire was ended from outside (rdl_posix.wake_fd) */
    RDL_E_ABANDONED = -14,   /**< the operation ended and no longer waits for this reply */
    RDL_E_FULL = -15,        /**< no room in the request queue; nothing was queued */
    /** A mistake of the program, which rdl_conn_config_fault() or rdl_redlock_config_fault() names. */
    RDL_E_CONFIG = -16,

    /* net: what a server or its transport refuses; rdl_conn_text() says why */
    RDL_E_TLS = -17,      /**< the TLS handshake failed */
    RDL_E_AUTH = -18,     /**< password or user refused or missing, or given where none is set */
    RDL_E_PERM = -19,     /**< the user lacks permission for a command or a key (ACL) */
    RDL_E_READONLY = -20, /**< the server is a read-only replica; use its master */
    /**
     * The server cannot do this now: it is loading its data, runs a script (BUSY), is out of memory (OOM) or
     * cannot save (MISCONF), its cluster is down, or a load balancer has no server. Only rdl_conn_text() says
     * which of these, if rdl_conn_config.text has room for it.
     */
    RDL_E_TRY_LATER = -21,
    RDL_E_CLUSTER = -22,     /**< a cluster node that does not serve the key: MOVED, ASK, CROSSSLOT */
    RDL_E_WRONGTYPE = -23,   /**< a key of the lock, or rdl:canary, holds another program's value */
    RDL_E_UNSUPPORTED = -24, /**< unknown command or option, or no scripts: too old, renamed or disabled */
    RDL_E_DB = -25,          /**< the server refused the database number */
    RDL_E_SERVER = -26,      /**< any other error reply */

    /* lock */
    RDL_E_NAME = -27,  /**< a lock's name must have 1 to 128 bytes */
    RDL_E_TTL = -28,   /**< the ttl is under four attempts (attempt_ms), above RDL_TTL_MAX or max_ttl */
    RDL_BUSY = -29,    /**< another client holds the lock; over N servers: see rdl_redlock_step() */
    RDL_LOST = -30,    /**< it was held and no longer is */
    RDL_EXPIRED = -31, /**< the lease had expired: granted too late, or gone before the release */
    RDL_UNKNOWN = -32, /**< no conclusive reply: the outcome is unknown */
    RDL_E_FOREIGN_VALUE = -33, /**< legacy: the key holds no lock of this kind; it is never taken over */
    RDL_OVERWRITTEN = -34,     /**< legacy: a waiting client overwrote our value (lock_legacy.h) */
    RDL_E_FENCE_RANGE = -35,   /**< the server's fencing token, or the least one set, is out of range */
    RDL_E_TOKEN = -36,         /**< not 40 hex digits in lower case; or a legacy lock, which has no token */

    /* redlock */
    RDL_NO_QUORUM = -37,    /**< no majority of the servers gave a useful reply */
    RDL_E_QUARANTINE = -38, /**< too few servers count now: the restart guard or the canary excludes others */
    RDL_E_DUPLICATE = -39,  /**< of one server: it is also in the list under another address */
    RDL_E_GAP = -40,        /**< not held: there may have been a gap, in which another client held it */
    RDL_E_CAP = -41,        /**< extend refused: max_extensions or max_hold_ms; the lease is unchanged */
    RDL_E_SHARED = -42,     /**< another redlock was set up with these servers[] */
    RDL_E_HELD = -43        /**< easy.h: the lock is held or adopted, or has a thread; nothing was done */
};

/** @} */

#endif
