/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief resp.h - the conventions and the RESP2 parser.
 *
 * These conventions hold in all headers of libredlock:
 *
 *   - A structure is complete in its header, so you can place it anywhere: in static memory, on the
 *     stack, or inside your own structure. Its members are private unless a comment describes them.
 *     The library allocates nothing, so there is nothing to free.
 *   - The first parameter is the object, if there is one. Inputs follow, then the time (now_ms), then
 *     outputs. The unit is part of a name: _ms, _s. _max is a limit, _len a length in bytes.
 *   - Absolute times are uint64_t milliseconds of a clock that keeps running while the host sleeps
 *     and never wraps. Durations are uint32_t milliseconds.
 *   - A function that can fail returns 0 (RDL_OK), 1 (RDL_PENDING: not finished, call it again), 2 or
 *     more for success with additional information, or a negative error (resp_results.h).
 *     A layer returns the errors of the layer below unchanged.
 *   - Programming errors are assertions: a NULL pointer, an object that was not initialized. Bad input
 *     from a server, a user or a configuration file yields an error code, never an assertion.
 *   - A pointer must not be NULL unless its comment allows it.
 *   - No function blocks, sleeps, prints, exits or reads a clock, unless its comment says so. You may call
 *     a function in any state of its object, unless its comment names the state.
 *   - Distinct objects are independent. One object belongs to one thread at a time.
 */
#ifndef RDL_RESP_H
#define RDL_RESP_H

#include "resp/resp_results.h"

#include <stddef.h>
#include <stdint.h>

/** @addtogroup libredlock_resp
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RDL_ASSERT
#include <assert.h>
/**
 * Checks a condition that only a programming error breaks. Define it before the include to replace assert().
 *
 * @param x  the condition, without side effects
 */
#define RDL_ASSERT(x) assert(x)
#endif

/**
 * Fails to compile unless a constant condition holds.
 *
 * @param condition  the condition
 * @param name       a name that says it, unique in the program
 */
#define RDL_STATIC_ASSERT(condition, name) typedef char(name)[(condition) ? 1 : -1]

#define RDL_VERSION_MAJOR 0 /**< major version of this header */
#define RDL_VERSION_MINOR 1 /**< minor version */
#define RDL_VERSION_PATCH 0 /**< patch level */
/** Version of this header: the three as a text. */
#define RDL_VERSION "0.1.0"

/**
 * Returns the version of the library that is linked, which may differ from the header's RDL_VERSION.
 *
 * @return "x.y.z", a constant in static memory
 */
const char *rdl_version(void);

/** Bytes that the structure does not own: any values, without a terminating NUL. */
struct rdl_bytes {
    const void *data; /**< the first byte; may be NULL if len is 0 */
    size_t len;       /**< number of bytes */
};

/* ---------------------------------------------------------------- parser */

#define RDL_BULK_MAX   536870912 /**< largest bulk string in bytes; the servers have the same limit */
#define RDL_VALUES_MAX 1048576   /**< most values that all arrays of one reply may announce */

/** Kinds of values in a reply. */
enum rdl_resp_kind {
    RDL_RESP_STATUS, /**< +text */
    RDL_RESP_ERROR,  /**< -text */
    RDL_RESP_INT,    /**< :number */
    RDL_RESP_BULK,   /**< $length, then the bytes */
    RDL_RESP_NIL,    /**< $-1 or *-1; rdl_resp_event.type says which */
    RDL_RESP_ARRAY   /**< *count; the values follow as their own events, in preorder */
};

/**
 * One event of the parser.
 *
 * Texts and bulk strings come in one or more fragments, in order. The last fragment may be empty.
 * Values of any other kind are one event, with `first` and `last` both 1.
 */
struct rdl_resp_event {
    const uint8_t
        *data;     /**< the fragment: part of the buffer given to rdl_resp_next(), valid as long as it is */
    size_t len;    /**< number of bytes at data; may be 0 */
    int64_t value; /**< INT: the number; ARRAY: how many values follow; BULK: its whole length in bytes */
    uint8_t kind;  /**< enum rdl_resp_kind */
    uint8_t type;  /**< the type byte itself: one of + - : $ * */
    uint8_t first; /**< 1: the first fragment of the value */
    uint8_t last;  /**< 1: the last fragment of the value */
    uint8_t end;   /**< 1, only together with `last`: the whole reply is complete */
};

/** The state of a parser. Its members are private. It contains no pointer, so you may copy it. */
struct rdl_resp {
    /** @cond private */
    uint64_t acc;
    uint32_t due;
    uint32_t announced;
    uint32_t left;
    uint8_t state;
    uint8_t type;
    uint8_t first;
    uint8_t neg;
    /** @endcond */
};

/**
 * Sets up a parser for the start of each new connection, with no part of a reply read.
 *
 * @param p  the parser; it holds no resources, so you may drop it at any time
 */
void rdl_resp_init(struct rdl_resp *p);

/**
 * Parses the next event from received bytes.
 *
 * Call it in a loop and advance by *used, until it returns RDL_PENDING. All bytes are used then, and the next
 * call continues with the bytes that follow them. The results do not depend on how the input is split. Call
 * it after rdl_resp_init().
 *
 * @param p     the parser
 * @param buf   the received bytes; they stay yours and must stay valid while you use ev->data
 * @param len   number of bytes at buf; may be 0
 * @param used  receives the number of bytes used, 0 to len
 * @param ev    receives the event; set only with RDL_OK
 * @return RDL_OK: *ev is set, and *used is 1 or more.
 *         RDL_PENDING: the input ended before the event did; *used is len.
 *         RDL_E_SYNTAX: not RESP2; *used is the offset of the offending byte.
 *         RDL_E_LIMIT: larger than RDL_BULK_MAX or RDL_VALUES_MAX; *used likewise.
 *         After an error, close the connection: until rdl_resp_init() every call returns the same
 *         error, with *used 0.
 */
int rdl_resp_next(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used,
                  struct rdl_resp_event *ev);

/* ---------------------------------------------------------------- texts of results */

/**
 * Describes a result of any layer in a few words.
 *
 * @param result  a result of any function of the library; any other number is allowed
 * @return a constant in static memory, never NULL; "unknown result" for a number that is no result
 */
const char *rdl_strerror(int result);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
