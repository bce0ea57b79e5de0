/* SPDX-License-Identifier: MIT */
/*
 * lock_op.h - what a server is asked for a lock: the ops, and what those share that make more of them.
 * Nobody needs this to take locks; it is for lock/, redlock/ and who asks a server something of his own.
 * An op is an object, so that a static link drops those that nobody names.
 */
#ifndef RDL_LOCK_OP_H
#define RDL_LOCK_OP_H

#include "lock/lock.h"
#include "net/net_op.h"

/* -------------------------------------------------- the ops */

extern const struct rdl_op rdl_op_acquire; /* SET name value NX PX ttl, with a PTTL behind it */
extern const struct rdl_op rdl_op_extend; /* at least ttl from now on, if the value is there; never shorter */
extern const struct rdl_op rdl_op_release; /* delete, if the value is there */
/* The same for a value that is not a token: an unknown error ends it. */
extern const struct rdl_op rdl_op_release_strict;

/*
 * With a fence number: {name}:fence counts in the same script. extra: the least number in decimal; where the
 * fence is not to be kept for ever, a blank and for how many ms. The answer YES has the number in value.
 * Needs scripts; refused with an error where there are none.
 */
extern const struct rdl_op rdl_op_acquire_fenced;
/* If the lock is ours still: raise {name}:fence to the number in extra, keep it as that says; and extend. */
extern const struct rdl_op rdl_op_raise_fence, rdl_op_extend_fenced;
/*
 * The wake hint: the list {name}:wake. release_hint also puts an element there if the key does not exist
 * (where scripts are refused it only releases). wait_hint takes one, ttl_ms at most (2 at least): YES; NO:
 * none came in time. It blocks the conn, so that one is for nothing else.
 */
extern const struct rdl_op rdl_op_release_hint;
extern const struct rdl_op rdl_op_wait_hint;
/*
 * Several locks as one; all of them or none. The command's name is their names, each behind a byte that is
 * its length: to RDL_NAME_MAX bytes in all. Needs scripts.
 */
extern const struct rdl_op rdl_op_acquire_multi, rdl_op_extend_multi, rdl_op_release_multi;
/* The old protocol (lock_legacy_op.c): values that say when they end, keys without expiry. */
extern const struct rdl_op rdl_op_time;  /* YES: value is the server's clock, seconds << 10 | milliseconds */
extern const struct rdl_op rdl_op_setnx; /* NO: text is the value in the way, value the key's PTTL */
extern const struct rdl_op rdl_op_replace;      /* value in the place of extra: compared and set in one */
extern const struct rdl_op rdl_op_getset;       /* YES: there was none; NO: text is the value overwritten */
extern const struct rdl_op rdl_op_delete;       /* DEL, whatever the value is */
extern const struct rdl_op rdl_op_found;        /* GET. YES: text is the value; NO: it is none of this kind */
extern const struct rdl_op rdl_op_release_once; /* rdl_op_release that is not owed: asked once, or never */

/* Those of a plain lock, by enum rdl_action. */
extern const struct rdl_op *const rdl_plain_ops[];

/* -------------------------------------------------- families: their refusals are remembered together */

/* The methods of the first two stand in the conn's configuration. */
enum rdl_command_family {
    RDL_FAMILY_EXTEND = 1,
    RDL_FAMILY_RELEASE,
    RDL_FAMILY_FENCED,
    RDL_FAMILY_RAISE_FENCE,
    RDL_FAMILY_REPLACE,
    RDL_FAMILY_WAIT_HINT = RDL_FAMILY_REPLACE, /* a conn that waits for hints asks nothing else */
    RDL_FAMILY_HINT,
    RDL_FAMILY_MULTI,
    RDL_FAMILY_RELEASE_MULTI,
    RDL_FAMILY_END
};
/* Else this does not compile: rdl_conn.refused has room for them all. */
typedef char rdl_families_fit[(int)RDL_FAMILY_END <= RDL_FAMILIES ? 1 : -1];

/* -------------------------------------------------- the methods to extend and to release */

extern const struct rdl_method rdl_method_extend_script, rdl_method_release_script; /* lock_script.c */
extern const struct rdl_method rdl_method_delex, rdl_method_delifeq;                /* lock_delete.c */
extern const struct rdl_method rdl_method_extend_watch, rdl_method_release_watch;   /* lock_watch.c */

/* -------------------------------------------------- what methods share */

/* The least that an acquire may be given, after the number given last and with what was set. */
uint64_t rdl_fence_next(uint64_t last, uint64_t least);
#define RDL_IS_FENCE(number) ((uint64_t)(number)-1 < RDL_FENCE_MAX)
/* Fenced: what goes with a request as its extra, the number and for how long the fence is kept. */
size_t rdl_fence_extra(char out[RDL_EXTRA_MAX], uint64_t number, const struct rdl_lock_options *opt,
                       uint32_t ttl_ms);

/*
 * The key that stands beside a lock's: {name}, in the name's own hash slot, and the suffix of at most
 * RDL_SUFFIX_MAX bytes; a name with a brace keeps its own tag. Its length.
 */
enum { RDL_SUFFIX_MAX = 6 };
size_t rdl_side_key(char out[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX], struct rdl_bytes name, const char *suffix);

/* 1, 0, -1 of our scripts: yes, no, absent. */
int rdl_script_on_reply(struct rdl_conn *c, struct rdl_record *r);
/* {1, n} or {0, n} of those that grant: yes or no, and n goes to the request. */
int rdl_script_on_grant_reply(struct rdl_conn *c, struct rdl_record *r);

/*
 * The rounds of a method that watches: it looks; then it acts, or keeps what lives long enough anyway, or
 * discards. Each is where its commands begin in RDL_WATCH_COMMANDS.
 */
enum { RDL_PHASE_APPLY = 5, RDL_PHASE_VERIFY = 8, RDL_PHASE_ABORT = 11 };
#define RDL_WATCH_COMMANDS(act, keep)                                                                        \
    {                                                                                                        \
        rdl_wire_watch, rdl_wire_get, rdl_wire_pttl, rdl_wire_multi, NULL, act, rdl_wire_exec, NULL, keep,   \
            rdl_wire_exec, NULL, rdl_wire_discard, NULL                                                      \
    }
uint8_t rdl_watch_next(const struct rdl_record *r);
/* `expected` is the text to find, of the record; without another verdict the next phase applies it. */
int rdl_watch_on_reply(struct rdl_conn *c, struct rdl_record *r, enum rdl_letter expected);

#endif
