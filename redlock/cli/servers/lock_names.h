/* SPDX-License-Identifier: MIT */
/* lock_names.h - the names of locks under a prefix. */
#ifndef RDL_CLI_SERVERS_LOCK_NAMES_H
#define RDL_CLI_SERVERS_LOCK_NAMES_H

#include "redlock/redlock.h"

/* The names of locks under a prefix, each once; RDL_CLI_NAMES_MAX at most. */
enum { RDL_CLI_NAMES_MAX = 10000, RDL_CLI_PATTERN_MAX = 2 * RDL_NAME_MAX + 1 };
struct rdl_cli_names {
    char *name[RDL_CLI_NAMES_MAX];
    size_t n;
    int is_full; /* there are more */
    int has_nul; /* some contain a NUL, so they cannot be an argument */
};

/* Writes the pattern, as for KEYS, of all names with this prefix (RDL_NAME_MAX bytes). Returns its length. */
size_t rdl_cli_pattern(const char *prefix, char out[RDL_CLI_PATTERN_MAX]);

/* Returns 1 if it may be the counter of a lock's fencing tokens, or the list of its wake hint. */
int rdl_cli_name_is_counter(const char *name);
int rdl_cli_name_is_list(const char *name);

/* Returns 1 if it is the key of a tick (--once): {LOCK}:once:TICK. */
int rdl_cli_name_is_tick(const char *name);

/*
 * Adds a name, NUL-terminated, unless no lock has it: that of the canary, or of a tick. One that is longer
 * than any lock's may be cut. One set for each process.
 */
void rdl_cli_names_add(struct rdl_cli_names *s, const char *name, size_t len);
void rdl_cli_names_sort(struct rdl_cli_names *s);

#endif
