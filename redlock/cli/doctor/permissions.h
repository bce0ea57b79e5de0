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
    RDL_CLI_NEED_TIME = 256     /* the server's clock: --legacy without --clock-error */
};
unsigned rdl_cli_needs(const struct rdl_cli_options *o, const struct rdl_cli_servers *s);

/* Rights to use commands; a set of them is bits 1 << right. */
enum rdl_cli_right {
    RDL_CLI_RIGHT_SET,
    RDL_CLI_RIGHT_GET,
    RDL_CLI_RIGHT_GETRANGE, /* only for status, list and break */
    RDL_CLI_RIGHT_DEL,
    RDL_CLI_RIGHT_EVAL,
    RDL_CLI_RIGHT_EVALSHA,
    RDL_CLI_RIGHT_WATCH, /* these four: only without scripts */
    RDL_CLI_RIGHT_MULTI,
    RDL_CLI_RIGHT_EXEC,
    RDL_CLI_RIGHT_DISCARD,
    RDL_CLI_RIGHT_PTTL,
    RDL_CLI_RIGHT_PEXPIRE,
    RDL_CLI_RIGHT_PSETEX,
    RDL_CLI_RIGHT_TYPE,
    RDL_CLI_RIGHT_RPUSH,
    RDL_CLI_RIGHT_BLPOP,
    RDL_CLI_RIGHT_SETNX,
    RDL_CLI_RIGHT_TIME,
    RDL_CLI_RIGHT_INFO,
    RDL_CLI_RIGHT_SELECT,
    RDL_CLI_RIGHTS
};

enum rdl_cli_key {
    RDL_CLI_KEY_LOCK,
    RDL_CLI_KEY_TRIAL,
    RDL_CLI_KEY_FENCE,
    RDL_CLI_KEY_TRIAL_FENCE,
    RDL_CLI_KEY_WAKE,
    RDL_CLI_KEY_TRIAL_WAKE,
    RDL_CLI_KEY_CANARY,
    RDL_CLI_KEY_OTHER, /* the second of several locks; the rest follow it */
    RDL_CLI_KEYS = RDL_CLI_KEY_OTHER + RDL_MULTI_MAX - 1
};

/* Returns the name of the lock that a key belongs to; for the test keys of several locks, the first. */
const char *rdl_cli_name_of(const struct rdl_cli_options *o, enum rdl_cli_key key);

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

/* Most bytes of the line: a byte of a name may take four, and a name occurs six times. */
enum { RDL_CLI_PERMISSIONS_MAX = 16384 };

/* Adds "ACL SETUSER ...": exactly what the options need on these servers. */
void rdl_cli_permissions_line(struct rdl_cli_text *t, const struct rdl_cli_options *o,
                              const struct rdl_cli_servers *s,
                              const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

#endif
