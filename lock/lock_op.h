/* SPDX-License-Identifier: MIT */
/*
 * lock_op.h - the operations of a lock: the requests to a server, and what they share.
 *
 * For lock/, redlock/ and programs that send requests of their own. A program does not need it to take locks.
 * An operation is an object, so that a static link drops those that are not named.
 */
#ifndef RDL_LOCK_OP_H
#define RDL_LOCK_OP_H

#include "lock/lock_commands.h"
#include "lock/lock_fenced.h"
#include "net/net_op.h"

/* The commands of a method, and the methods of an operation that has one. */
#define RDL_COMMANDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define RDL_METHOD(one)   ((const struct rdl_method *const[]){one, NULL})

/* -------------------------------------------------- the operations */

extern const struct rdl_op rdl_op_acquire; /* SET name value NX PX ttl, then PTTL */
extern const struct rdl_op rdl_op_extend; /* to ttl or more from now, if the value is there; never shortens */
extern const struct rdl_op rdl_op_release; /* deletes the key, if the value is there */
/* The same for a value that is not a token: no other method is tried after an unknown error. */
extern const struct rdl_op rdl_op_release_strict;

/*
 * Acquires with a fencing token: the same script increments {name}:fence. extra: rdl_fence_extra(), with the
 * least token. With the answer YES, value is the token. Without scripts the server refuses it with an error.
 */
extern const struct rdl_op rdl_op_acquire_fenced;
/* If the lock is still ours, raise {name}:fence to the token in extra. The second one also extends. */
extern const struct rdl_op rdl_op_raise_fence, rdl_op_extend_fenced;
/*
 * The wake hint: the list {name}:wake. release_hint also adds an element there if the key does not exist; if
 * scripts are refused, it only releases. wait_hint takes an element, and waits for ttl_ms at most (2 or
 * more). YES: it took one. NO: none came in time. It blocks the conn, so use that conn for nothing else.
 */
extern const struct rdl_op rdl_op_release_hint;
extern const struct rdl_op rdl_op_wait_hint;
/*
 * Several locks as one: all of them or none. The name of the command is all their names, each after a byte
 * with its length: at most RDL_NAME_MAX bytes in all. They need scripts or MSETEX.
 */
extern const struct rdl_op rdl_op_acquire_multi, rdl_op_extend_multi, rdl_op_release_multi;
/*
 * The old protocol (lock_legacy_op.c): the value is the time of the expiry, and the key has none. A text is
 * cut to RDL_PEER_MAX bytes: one with so many is too long to be a lock's.
 */
extern const struct rdl_op rdl_op_time;  /* YES: value is the server's clock, seconds << 10 | milliseconds */
extern const struct rdl_op rdl_op_setnx; /* NO: text is the value that is there, value the key's PTTL */
extern const struct rdl_op rdl_op_replace;      /* replaces extra with value: compares and sets in one step */
extern const struct rdl_op rdl_op_getset;       /* YES: there was no key; NO: text is the overwritten value */
extern const struct rdl_op rdl_op_delete;       /* DEL, whatever the value is */
extern const struct rdl_op rdl_op_found;        /* GET. YES: text is the value; NO: not a string */
extern const struct rdl_op rdl_op_release_once; /* rdl_op_release, sent once or never: not pending */
/* Returns the seconds of a value that is digits, maybe with a fraction; 0: anything else. */
uint32_t rdl_legacy_seconds(const char *text, size_t len);
#define RDL_PLAUSIBLE_S 1000000000 /* the year 2001: no deadline is older, nor a clock that was set */

/* Operations of a lock. */
enum rdl_action { RDL_ACQUIRE, RDL_EXTEND, RDL_RELEASE };
/* The operations of a plain lock, by enum rdl_action. */
extern const struct rdl_op *const rdl_plain_ops[];

/* -------------------------------------------------- command families */

/* Methods whose refusals are remembered together. The conn's configuration names those of the first two. */
enum rdl_command_family {
    RDL_FAMILY_EXTEND = 1,
    RDL_FAMILY_RELEASE,
    RDL_FAMILY_FENCED,
    RDL_FAMILY_RAISE_FENCE,
    RDL_FAMILY_REPLACE,
    RDL_FAMILY_WAIT_HINT = RDL_FAMILY_REPLACE, /* a conn that waits for hints sends nothing else */
    RDL_FAMILY_HINT,
    RDL_FAMILY_MULTI,
    RDL_FAMILY_RELEASE_MULTI,
    RDL_FAMILY_END
};
/* Checks at compile time that rdl_conn.refused has room for all families. */
RDL_STATIC_ASSERT((int)RDL_FAMILY_END <= (int)RDL_FAMILIES, rdl_families_fit);
/* Checks the same of the texts of a request, and of those of a reply. */
#define RDL_FITS(bytes) ((int)(bytes) <= (int)RDL_ARGUMENT_MAX)
RDL_STATIC_ASSERT(RDL_FITS(RDL_NAME_MAX) && RDL_FITS(RDL_VALUE_MAX) && RDL_FITS(RDL_EXTRA_MAX),
                  rdl_texts_fit);
RDL_STATIC_ASSERT((int)RDL_VALUE_MAX < (int)RDL_TEXT_MAX, rdl_replies_fit);

/* -------------------------------------------------- the methods to extend and to release */

extern const struct rdl_method rdl_method_extend_script, rdl_method_release_script;
extern const struct rdl_method rdl_method_delex, rdl_method_delifeq;
extern const struct rdl_method rdl_method_extend_watch, rdl_method_release_watch;

/* -------------------------------------------------- owners (lock_owner.c) */

struct rdl_owner;
/* Checks an owner. Returns RDL_OK or RDL_E_CONFIG. */
int rdl_owner_check(const char *owner, size_t len);
/* Returns the bytes of the token in an adopted text: 40 if an owner follows; 0: that is not a valid one. */
size_t rdl_owner_token_len(const char *text, size_t len);
/* Sets the owner of what is acquired. Returns RDL_OK or RDL_E_CONFIG. */
int rdl_owner_set(struct rdl_owner *o, const char *owner, size_t len);
/* Returns the lock value of a token, which is in o. */
struct rdl_bytes rdl_owner_value(struct rdl_owner *o, const struct rdl_token *t, int is_adopted);
/* Sets the owner of this adopted token: what follows it in the text. */
void rdl_owner_adopt(struct rdl_owner *o, const struct rdl_token *t, const char *text, size_t len);

/* -------------------------------------------------- what methods share */

/* Returns the least token that an acquire may get: above the last one, and no less than `least`. */
uint64_t rdl_fence_next(uint64_t last, uint64_t least);
/* Checks that a number is a valid fencing token: 1 to RDL_FENCE_MAX. */
#define RDL_IS_FENCE(number) ((uint64_t)(number)-1 < RDL_FENCE_MAX)
/* Writes the extra of a fenced request: the token, and the counter's expiry, if any. Returns its length. */
size_t rdl_fence_extra(char out[RDL_EXTRA_MAX], uint64_t number, const struct rdl_lock_options *opt,
                       uint32_t ttl_ms);

enum { RDL_SUFFIX_MAX = 6 };
/*
 * Writes the name of a key next to a lock's: {name}, which has the hash slot of the name, and a suffix of
 * RDL_SUFFIX_MAX bytes at most. A name with a brace keeps its own tag. out has room for name.len + 2 bytes
 * and the suffix. Returns the length.
 */
size_t rdl_side_key(char *out, struct rdl_bytes name, const char *suffix);

/* Reads the reply to SET NX, then that to PTTL. A nil is NO, but is complete only with the PTTL. */
int rdl_set_on_reply(struct rdl_conn *c, struct rdl_record *r);
/* Reads the reply of a script: 1, 0, -1 is yes, no, absent. */
int rdl_script_on_reply(struct rdl_conn *c, struct rdl_record *r);
/* Reads the reply of a script that grants: {1, n} or {0, n} is yes or no; n goes to the request. */
int rdl_script_on_grant_reply(struct rdl_conn *c, struct rdl_record *r);

/*
 * The phases of a method that watches: it checks. Then it applies the change, or only verifies a key that
 * lives long enough, or aborts. Each value is the index of its first command in RDL_WATCH_COMMANDS.
 */
enum { RDL_PHASE_APPLY = 5, RDL_PHASE_VERIFY = 8, RDL_PHASE_ABORT = 11 };
#define RDL_WATCH_COMMANDS(act, keep)                                                                        \
    {                                                                                                        \
        rdl_wire_watch, rdl_wire_get, rdl_wire_pttl, rdl_wire_multi, NULL, act, rdl_wire_exec, NULL, keep,   \
            rdl_wire_exec, NULL, rdl_wire_discard, NULL                                                      \
    }
/* Returns the phase that follows. */
uint8_t rdl_watch_next(const struct rdl_record *r);
/* Reads a reply. is_same: it is the value that the key must hold, if it is that to GET: then apply. */
int rdl_watch_on_reply(struct rdl_conn *c, struct rdl_record *r, int is_same);

#endif
