/* SPDX-License-Identifier: MIT */
/*
 * resp.h - RESP2 bytes in, and the scripts; what goes out is in resp_template.h.
 *
 * Conventions of all of libredlock, said once:
 *
 *   - A structure is complete in its header so that you can place it anywhere (static memory, the
 *     stack, inside your own structure); its members are private. Nothing is allocated, so there is
 *     nothing to free.
 *   - The first parameter is the object, then inputs, then the time, then durations. Units are part
 *     of a name: _ms, _s, _bytes, _max, _len.
 *   - Absolute times are uint64_t milliseconds of a clock that goes on while the host sleeps and
 *     never wraps; durations are uint32_t milliseconds.
 *   - A function that can fail returns 0 (RDL_OK), 1 (RDL_PENDING: not finished, call again), a number
 *     from 2 up for a success with news, or a negative error. Each layer has its own range: resp -1..,
 *     platform -10.., lock -40.., redlock -50.. A layer hands on the errors of the layer below unchanged.
 *   - Mistakes of the program (NULL, an object that was not initialised) are assertions. Whatever comes
 *     from a server, a user or a configuration file is answered with a result and never with one.
 *   - No function blocks, sleeps, prints, exits or reads a clock, unless its comment says so.
 *   - Distinct objects are independent. One object belongs to one thread at a time.
 */
#ifndef RDL_RESP_H
#define RDL_RESP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RDL_ASSERT
#include <assert.h>
#define RDL_ASSERT(x) assert(x)
#endif

#define RDL_VERSION_MAJOR 0
#define RDL_VERSION_MINOR 1
#define RDL_VERSION_PATCH 0
#define RDL_VERSION       "0.1.0"

/* The version of the library that was linked, "x.y.z"; static storage. */
const char *rdl_version(void);

enum {
    RDL_OK = 0,      /* done */
    RDL_PENDING = 1, /* not finished; call again when there is more, or later */

    RDL_E_SYNTAX = -1, /* the server does not speak RESP2 (the Redis protocol) */
    RDL_E_LIMIT = -2,  /* well-formed, but larger than we accept */
    RDL_E_SPACE = -3   /* a buffer of the caller's is too small; nothing was written */
};

/* Bytes that belong to somebody else: borrowed, any values, not terminated. */
struct rdl_bytes {
    const void *data;
    size_t len;
};

/* ---------------------------------------------------------------- parser */

#define RDL_BULK_MAX   536870912 /* bytes of one bulk string (the servers' own limit) */
#define RDL_VALUES_MAX 1048576   /* values announced by all arrays of one reply */

enum rdl_resp_kind {
    RDL_RESP_STATUS, /* +text */
    RDL_RESP_ERROR,  /* -text */
    RDL_RESP_INT,    /* :number */
    RDL_RESP_BULK,   /* $length, bytes */
    RDL_RESP_NIL,    /* $-1 or *-1 (see `type`) */
    RDL_RESP_ARRAY   /* *count; the values follow as events of their own, in preorder */
};

/*
 * One event. Texts and bulks come in one or more fragments, in order: `first` on the first, `last` on
 * the last one (which may be empty). All other kinds are `first` and `last` at once.
 */
struct rdl_resp_event {
    const uint8_t *data; /* fragment: a slice of the buffer given to rdl_resp_next; valid as long as that */
    size_t len;          /* bytes at data; may be 0 */
    int64_t value;       /* INT: the number; ARRAY: how many values follow; BULK: its whole length */
    uint8_t kind;        /* enum rdl_resp_kind */
    uint8_t type;        /* the type byte itself: + - : $ * */
    uint8_t first;
    uint8_t last;
    uint8_t end; /* with `last`: the reply as a whole is complete */
};

/* Parser state: no pointer in it, may be copied. */
struct rdl_resp {
    uint64_t acc;
    uint32_t due;
    uint32_t announced;
    uint32_t left;
    uint8_t state;
    uint8_t type;
    uint8_t first;
    uint8_t neg;
};

/* At the beginning of a connection: nothing of a reply was read. Never fails. */
int rdl_resp_init(struct rdl_resp *p);

/*
 * Take the next event out of buf[0..len). Call it in a loop, moving on by *used, until it says
 * RDL_PENDING; then all of buf was used and the next call takes the bytes that come after it.
 * Cutting the input differently gives the same verdicts.
 *
 * RDL_OK: *ev is set and *used >= 1. RDL_PENDING: *used == len. RDL_E_SYNTAX, RDL_E_LIMIT: *used is
 * the offset of the offending byte; the parser stays in that error (drop the connection) until
 * rdl_resp_init.
 */
int rdl_resp_next(struct rdl_resp *p, const uint8_t *buf, size_t len, size_t *used,
                  struct rdl_resp_event *ev);

/* ---------------------------------------------------------------- scripts */

/*
 * A Lua script of ours. Texts and SHA1s are constants in flash. Templates of resp_template.h call it.
 */
struct rdl_script {
    const char *text;
    uint16_t text_len;
    uint8_t number; /* 0..RDL_SCRIPTS - 1: which of ours it is */
    char sha[41];   /* hex of the SHA1 of text */
};

enum { RDL_SCRIPTS = 10 };

/* KEYS[1] the lock, ARGV[1] the token: 1 deleted, 0 somebody else's, -1 no such key. */
extern const struct rdl_script rdl_script_release;
/* KEYS[1] the lock, ARGV[1] the token, ARGV[2] ttl in ms: 1 lives at least ttl from now; 0, -1 as above. */
extern const struct rdl_script rdl_script_extend;
/* KEYS[1] the lock, ARGV[1] the value to find, ARGV[2] what to put there, without expiry: 1 done; 0, -1. */
extern const struct rdl_script rdl_script_replace;
/*
 * As rdl_script_release, and tells one waiter: KEYS[2] the list of hints, ARGV[2] the ttl of a hint in ms.
 * A list that is there already, or a key of another type, is left alone.
 */
extern const struct rdl_script rdl_script_release_hint;
/*
 * KEYS[1] the lock, KEYS[2] its fence, ARGV[1] the token, ARGV[2] ttl, ARGV[3] the least fence number,
 * ARGV[4] how long the fence is kept in ms, 0: for ever. {1, number}: granted, or granted before to this
 * token. {0, PTTL}: somebody else's.
 */
extern const struct rdl_script rdl_script_acquire;
/*
 * As rdl_script_extend (ttl 0: it only looks), and the fence is raised: KEYS[2] the fence, ARGV[3] a number,
 * ARGV[4] as of rdl_script_acquire. 1: the lock is ours, and the fence is at least that number.
 */
extern const struct rdl_script rdl_script_extend_fenced;

/*
 * Several locks as one: any number of KEYS, the rest as above; acquire as
 * rdl_script_acquire, with {1, 0} for granted. Release deletes those that are ours: 1 all were; 0 one is
 * somebody else's; else -1: one was gone.
 */
extern const struct rdl_script rdl_script_acquire_multi;
extern const struct rdl_script rdl_script_extend_multi;
extern const struct rdl_script rdl_script_release_multi;

/*
 * KEYS[1] the canary, ARGV[1] what stands before its time, which is the server's clock in s: 1 made; 0 there
 * is one. Before Redis 5 an error: no script may write what it has from the clock.
 */
extern const struct rdl_script rdl_script_canary;

/* What a result of any layer means, in a few words; never NULL. */
const char *rdl_strerror(int result);

#ifdef __cplusplus
}
#endif

#endif
