/* SPDX-License-Identifier: MIT */
/** @file
 * @brief lock_state.h - the memory of a lock. All members are private. */
#ifndef RDL_LOCK_STATE_H
#define RDL_LOCK_STATE_H

#include "lock/lock_limits.h"

/** @addtogroup libredlock_lock
 * @{ */

struct rdl_hint;
struct rdl_lock_options;

/** What differs between the locks that rdl_lock_init(), _fenced, _multi and _legacy set up. Private. */
struct rdl_lock_mode;

/**
 * A lock token: 16 bytes that the caller gives to an acquire, and a counter. Every attempt has its own.
 *
 * The caller guarantees that the 16 bytes are unique to this acquire of the name, by any handle, on any host.
 * Two handles with the same bytes can each release what the other holds. So generate them for every acquire,
 * not once per handle: a fork or a VM snapshot would duplicate them. They need not be secret:
 * rdl_platform.random has a source for boards.
 *
 * The counter is never reset. It continues from acquire to acquire, and from an adopted token. So a handle
 * that gets the same bytes again, or those of its adopted token, still uses a new token. A pending release
 * then cannot delete the new lease.
 */
struct rdl_token {
    uint8_t bytes[RDL_TOKEN_LEN]; /**< the RDL_ENTROPY_LEN bytes, then the counter, big-endian */
};

/**
 * A lock on one server. Its members are private.
 *
 * It is complete here, so that you can place it anywhere. rdl_lock_init() says when it is in use.
 */
struct rdl_lock {
    /** @cond private */
    /* Small members come first: Cortex-M instructions reach the first 32 bytes of a struct more cheaply. */
    struct rdl_req req;
    int16_t result;
    int8_t cause;
    uint8_t is_adopted; /* 1: only the client that took it knows when the key expires */
    uint8_t name_len;
    uint8_t state;
    uint8_t action;
    uint8_t tries;
    const struct rdl_lock_mode *mode;
    const struct rdl_lock_options *opt;
    struct rdl_conn *conn;
    struct rdl_hint *hint; /* or NULL */
    const void *name;
    uint32_t ttl_ms; /* of this operation */
    /* of the last acquire, for rdl_stats; the times are the low 32 bits of begin and last step */
    uint16_t attempts;
    uint16_t refused;
    uint32_t begun_ms;
    uint32_t stepped_ms;
    uint32_t abort_below_ms; /* half of what was left at the first failed extend, or last abort; 0: none */
    uint64_t sent_ms;        /* t1: before the request was queued */
    uint64_t until_ms;       /* end of validity; 0: not held */
    uint64_t deadline_ms;    /* of the whole operation */
    uint64_t wake_ms;        /* when the current state ends */
    union {
        const struct rdl_lock *self; /* from acquire or adopt until the release: a copy is elsewhere */
        uint64_t ended_ms;           /* afterwards: until_ms before the release */
    } use;
    int64_t holder_ms; /* PTTL of the lock when it was refused; below 0: see rdl_lock_holder_ms() */
    struct rdl_token token;
    uint32_t seed;
    uint32_t holder_ends_ms; /* rdl_has_changed_hands */
    /** @endcond */
};

/** @} */

#endif
