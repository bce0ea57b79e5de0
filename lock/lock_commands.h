/* SPDX-License-Identifier: MIT */
/*
 * lock_commands.h - the commands and scripts of locks. redlock/ and the command send some of them, too.
 *
 * Each template and each script is its own object, so that a static link drops those that are not used.
 * resp/WIRE.md shows all of them, and resp_template.h explains the templates.
 */
#ifndef RDL_LOCK_COMMANDS_H
#define RDL_LOCK_COMMANDS_H

#include "net/net_commands.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Their letters, with those of a call (c, s):
 *
 *     k  a lock's name, or another key     v  the lock value: a token    x  the expected lock value
 *     m  a ttl in ms                       b  a second key: {name}:fence or {name}:wake
 *     y  number of keys                    a  number of bulk strings     f  the least fencing token
 *     h  how long b is kept, in ms         t  seconds to wait
 */
extern const char rdl_wire_set_nx_px[], rdl_wire_pttl[], rdl_wire_delex[], rdl_wire_delifeq[];
extern const char rdl_wire_watch[], rdl_wire_get[], rdl_wire_multi[], rdl_wire_exec[], rdl_wire_discard[];
extern const char rdl_wire_del[], rdl_wire_pexpire[], rdl_wire_set[];
/* Of several keys. MSETEX sets k to v for each; its x is NX or XX: none of them exists, or all do. */
extern const char rdl_wire_watch_all[], rdl_wire_mget[], rdl_wire_msetex[];
extern const char rdl_wire_time[], rdl_wire_setnx[], rdl_wire_getset[], rdl_wire_blpop[];

/* Calls of the scripts. Scripts with the same arguments share a template. */
extern const char rdl_wire_call_release[]; /* also rdl_script_canary of redlock/ */
extern const char rdl_wire_call_extend[], rdl_wire_call_replace[], rdl_wire_call_release_hint[];
extern const char rdl_wire_call_fenced[]; /* rdl_script_acquire, rdl_script_extend_fenced */
extern const char rdl_wire_call_multi[];  /* rdl_script_acquire_multi, rdl_script_extend_multi */
extern const char rdl_wire_call_release_multi[];

/* -------------------------------------------------- scripts */

/* rdl_script.number. Those of redlock/ follow, from RDL_LOCK_SCRIPTS on. */
enum {
    RDL_SCRIPT_RELEASE,
    RDL_SCRIPT_EXTEND,
    RDL_SCRIPT_REPLACE,
    RDL_SCRIPT_ACQUIRE,
    RDL_SCRIPT_EXTEND_FENCED,
    RDL_SCRIPT_RELEASE_HINT,
    RDL_SCRIPT_ACQUIRE_MULTI,
    RDL_SCRIPT_EXTEND_MULTI,
    RDL_SCRIPT_RELEASE_MULTI,
    RDL_LOCK_SCRIPTS
};
/* Checks at compile time that rdl_conn.scripts has a bit for each. */
RDL_STATIC_ASSERT((int)RDL_LOCK_SCRIPTS <= (int)RDL_SCRIPTS_MAX, rdl_lock_scripts_fit);

/* KEYS[1] is the lock, ARGV[1] the lock value, ARGV[2] the ttl in ms, if nothing else is said. */

/* Deletes a lock that holds our value. Reply: 1: deleted; 0: held by another client; -1: no such key. */
extern const struct rdl_script rdl_script_release;
/*
 * Extends a lock that holds our value, and never shortens it. Reply: 1: the key lives for at least the ttl
 * from now; 0: held by another client; -1: no such key.
 */
extern const struct rdl_script rdl_script_extend;
/*
 * Replaces the value of a key, ARGV[1], by ARGV[2]. The key has no expiry afterwards: the old protocol has
 * the deadline in the value. Reply: 1: replaced; 0: another value; -1: no such key.
 */
extern const struct rdl_script rdl_script_replace;
/*
 * Does what rdl_script_release does, and wakes one waiting client. KEYS[2] is the list of wake hints
 * ({name}:wake), ARGV[2] the ttl of a hint in ms. An existing list, or a key of another type, is left alone.
 */
extern const struct rdl_script rdl_script_release_hint;
/*
 * Takes a lock and increments its fencing counter, KEYS[2]. ARGV[3] is the least fencing token, ARGV[4] how
 * long the counter is kept in ms (0: for ever). Reply: {1, fencing token}: granted now, or to the same value
 * before; {0, PTTL in ms}: held by another client.
 */
extern const struct rdl_script rdl_script_acquire;
/*
 * Does what rdl_script_extend does (with ttl 0 it changes no expiry), and raises the fencing counter,
 * KEYS[2], to ARGV[3]; ARGV[4] as of rdl_script_acquire. Reply 1: the lock is ours and the counter is at
 * least ARGV[3].
 */
extern const struct rdl_script rdl_script_extend_fenced;
/*
 * Takes several locks, KEYS, all or none. Reply: {1, 0}: granted; {0, PTTL in ms}: one of them is held by
 * another client.
 */
extern const struct rdl_script rdl_script_acquire_multi;
/* Extends several locks, KEYS, all or none. Replies as of rdl_script_extend. */
extern const struct rdl_script rdl_script_extend_multi;
/*
 * Deletes those of several locks, KEYS, that hold our value. Reply: 1: all were ours; 0: another client holds
 * at least one; otherwise -1: at least one was gone.
 */
extern const struct rdl_script rdl_script_release_multi;

#ifdef __cplusplus
}
#endif

#endif
