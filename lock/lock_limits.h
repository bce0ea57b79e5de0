/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_limits.h - names, sizes and times of locks, and what they need of a conn's configuration. */
#ifndef RDL_LOCK_LIMITS_H
#define RDL_LOCK_LIMITS_H

#include "net/net.h"

/** @addtogroup libredlock_lock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

#define RDL_TTL_MAX      2147483647u /**< longest ttl, in ms */
#define RDL_WAIT_FOREVER 4294967295u /**< rdl_lock_options.wait_ms: no limit */

/**
 * Expands to a name and its length: rdl_lock_init(&lock, &opt, &conn, RDL_NAME("nightly")).
 *
 * @param literal  a string literal; anything else does not compile
 */
#define RDL_NAME(literal) ("" literal), (sizeof(literal) - 1)

/** Sizes and times. */
enum {
    RDL_TTL_DEFAULT_MS = 30000,        /**< default of a ttl, and of rdl_redlock_options.max_ttl_ms */
    RDL_NAME_MAX = 128,                /**< bytes of a lock's name, at least 1 */
    RDL_TOKEN_LEN = 20,                /**< bytes of a token; on the wire in hex */
    RDL_VALUE_MAX = 2 * RDL_TOKEN_LEN, /**< bytes of a lock value without an owner: a token in hex */
    RDL_TOKEN_TEXT_MAX = 82,           /**< bytes of a token as text, with its owner and NUL */
    RDL_ENTROPY_LEN = 16,              /**< bytes that an acquire needs: rdl_lock_acquire_begin() */
    RDL_ATTEMPT_MIN_MS = 5,            /**< shortest default of rdl_lock_options.attempt_ms */
    RDL_ATTEMPT_MAX_MS = 250,          /**< longest default, unless round trips are longer */
    RDL_QUEUE_RETRY_MS = 5,            /**< pause before a request that found the queue full tries again */
    RDL_RETRY_CAP_MS = 500             /**< longest pause between two attempts, without a wake hint */
};

/**
 * Computes the least queue_len of a conn: room for each lock's request and for the release that follows it.
 *
 * With several locks as one, the name is all their names and one byte for each. A longer queue has room for
 * more requests while a server does not reply.
 *
 * @param locks  number of locks that acquire, extend or release at the same time; held leases need no room
 * @param name   bytes of the longest name
 */
#define RDL_QUEUE_FOR(locks, name) ((size_t)(locks)*2 * RDL_REQUEST_SIZE((name) + RDL_VALUE_MAX))

/**
 * The method that extends and releases by script, which all servers since Redis 2.6 support.
 *
 * Use it or rdl_methods_all as rdl_conn_config.methods. A static link has only the methods of the list that
 * it names.
 */
extern const struct rdl_methods rdl_methods_script;

/**
 * All methods. To extend: script, WATCH..EXEC. To release: script, DELEX, DELIFEQ, WATCH..EXEC.
 *
 * They are tried in this order. A command that the server refuses (unknown, renamed, forbidden) is remembered
 * until the connection ends. A key that the user may not access concerns its lock alone. After an unknown
 * error (resp/WIRE.md) the next method is tried as well; if that works, the refusal is remembered, too.
 */
extern const struct rdl_methods rdl_methods_all;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
