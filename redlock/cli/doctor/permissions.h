/* SPDX-License-Identifier: MIT */
/* permissions.h - the permissions that a user needs. */
#ifndef RDL_CLI_DOCTOR_PERMISSIONS_H
#define RDL_CLI_DOCTOR_PERMISSIONS_H

#include "lock/lock_multi.h"
#include "redlock/cli/doctor/checks.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"

/* Features of a command line for which a server's user needs permissions. */
enum {
    RDL_CLI_NEED_PX = 1, /* a lock of the current protocol */
    RDL_CLI_NEED_FENCE = 2,
    RDL_CLI_NEED_HINT = 4,
    RDL_CLI_NEED_CANARY = 8,
    RDL_CLI_NEED_LEGACY = 16,
    RDL_CLI_NEED_INFO = 32,
    RDL_CLI_NEED_DB = 64,
    RDL_CLI_NEED_SEVERAL = 128, /* several locks at once */
    RDL_CLI_NEED_TIME = 256,    /* the server's clock: --legacy without --clock-error */
    RDL_CLI_NEED_ONCE = 512,
    RDL_CLI_NEED_SLOTS = 1024 /* at most N at a time */
};
unsigned rdl_cli_needs(const struct rdl_cli_options *o, const struct rdl_cli_servers *s);

/*
 * Rights to use commands: the command, and the options that need it, by the names in permissions.c. GETRANGE
 * is only for status, list and break; WATCH and the three after it, MSETEX, DELEX and DELIFEQ, only without
 * scripts.
 */
/* clang-format off: a table */
#define RDL_CLI_EACH_RIGHT(X)                                                                                \
    X(SET, "set", LOCK)                                                                                      \
    X(GET, "get", LOCK | SEVERAL)                                                                            \
    X(GETRANGE, "getrange", LOCK | SEVERAL)                                                                  \
    X(DEL, "del", LOCK | SEVERAL)                                                                            \
    X(EVAL, "eval", LOCK | SEVERAL)                                                                          \
    X(EVALSHA, "evalsha", LOCK | SEVERAL)                                                                    \
    X(WATCH, "watch", 0)                                                                                     \
    X(MULTI, "multi", 0)                                                                                     \
    X(EXEC, "exec", 0)                                                                                       \
    X(DISCARD, "discard", 0)                                                                                 \
    X(PTTL, "pttl", PX | SEVERAL)                                                                            \
    X(PEXPIRE, "pexpire", PX | SEVERAL)                                                                      \
    X(MGET, "mget", SLOTS)                                                                                   \
    X(MSETEX, "msetex", 0)                                                                                   \
    X(DELEX, "delex", 0)                                                                                     \
    X(DELIFEQ, "delifeq", 0)                                                                                 \
    X(PSETEX, "psetex", FENCE | SEVERAL)                                                                     \
    X(TYPE, "type", HINT)                                                                                    \
    X(RPUSH, "rpush", HINT)                                                                                  \
    X(BLPOP, "blpop", HINT)                                                                                  \
    X(SETNX, "setnx", CANARY | LEGACY)                                                                       \
    X(TIME, "time", CANARY | TIME)                                                                           \
    X(INFO, "info", INFO)                                                                                    \
    X(SELECT, "select", DB)
/* clang-format on */

#define RDL_CLI_RIGHT_NUMBER(name, word, needs) RDL_CLI_RIGHT_##name,
enum rdl_cli_right { RDL_CLI_EACH_RIGHT(RDL_CLI_RIGHT_NUMBER) RDL_CLI_RIGHTS };

/* Sets of rights. */
#define RIGHT(name) (1u << RDL_CLI_RIGHT_##name)
#define BY_EVAL     (RIGHT(EVAL) | RIGHT(EVALSHA))
#define BY_WATCH    (RIGHT(WATCH) | RIGHT(MULTI) | RIGHT(EXEC) | RIGHT(DISCARD))

enum rdl_cli_key {
    RDL_CLI_KEY_LOCK,
    RDL_CLI_KEY_TRIAL,
    RDL_CLI_KEY_FENCE,
    RDL_CLI_KEY_TRIAL_FENCE,
    RDL_CLI_KEY_WAKE,
    RDL_CLI_KEY_TRIAL_WAKE,
    RDL_CLI_KEY_CANARY,
    RDL_CLI_KEY_TICK,  /* --once: of all ticks */
    RDL_CLI_KEY_OTHER, /* the second of several locks; the rest follow it */
    RDL_CLI_KEYS = RDL_CLI_KEY_OTHER + RDL_MULTI_MAX - 1
};

/* Returns the name of the lock that a key belongs to; for the test keys of several locks, the first. */
const char *rdl_cli_name_of(const struct rdl_cli_options *o, enum rdl_cli_key key);

/* Writes the name of a key. trial is that of the lock's test key, which begins with the lock's name. */
void rdl_cli_key(enum rdl_cli_key key, const char *lock, const char *trial, char *out, size_t cap);

/* Adds " ~KEY +COMMAND ..." for these rights and keys. */
void rdl_cli_permissions_words(struct rdl_cli_text *t, const struct rdl_cli_options *o, unsigned rights,
                               unsigned keys);

/* Methods to release and to extend, as bits, in the order in which the library tries them. */
enum {
    RDL_CLI_BY_SCRIPT = 1,
    RDL_CLI_BY_DELEX = 2,
    RDL_CLI_BY_DELIFEQ = 4,
    RDL_CLI_BY_WATCH = 8,
    RDL_CLI_BY_DEL = 16,
    RDL_CLI_METHODS = 5
};
extern const char *const rdl_cli_method_words[RDL_CLI_METHODS];

/* Returns 1 if it runs no scripts, and the options (rdl_cli_needs) work without them. */
int rdl_cli_is_scriptless(const struct rdl_cli_checks *x, unsigned needs);

/* Returns the rights that those options need on this server. */
unsigned rdl_cli_rights_on(const struct rdl_cli_checks *x, unsigned needs);

/* Returns 1 if one of the servers that reply may have ACLs, or if none replies. */
int rdl_cli_permissions_is_known(const struct rdl_cli_query *l,
                                 const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

/* Most bytes of the line: a byte of a name may take four, and a name occurs seven times. */
enum { RDL_CLI_PERMISSIONS_MAX = 16384 };

/* Adds "ACL SETUSER ...": exactly what the options need on these servers. */
void rdl_cli_permissions_line(struct rdl_cli_text *t, const struct rdl_cli_options *o,
                              const struct rdl_cli_servers *s,
                              const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

#endif
