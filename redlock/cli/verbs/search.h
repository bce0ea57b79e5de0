/* SPDX-License-Identifier: MIT */
/* search.h - the search for locks under a prefix, for list and break. */
#ifndef RDL_CLI_VERBS_SEARCH_H
#define RDL_CLI_VERBS_SEARCH_H

#include "redlock/cli/servers/servers.h"

enum { RDL_CLI_GAP_MAX = 400 };

/* Why the result may be incomplete: the first reason. */
struct rdl_cli_gaps {
    int status; /* 0: it is complete */
    char why[RDL_CLI_GAP_MAX];
};

/* Records a gap. The first one is printed, at the end. */
void rdl_cli_gap_add(struct rdl_cli_gaps *g, int status, const char *why);

/* Collects the names under the prefix. It may be called once in a process. */
void rdl_cli_search(struct rdl_cli_query *l, struct rdl_cli_gaps *g);

/* Reads the next lock (with --owner, that has it) into l->seen. Returns its name; NULL: there is none. */
const char *rdl_cli_search_next(struct rdl_cli_query *l, struct rdl_cli_gaps *g);

/* Returns 1 if the value on server i has an owner that matches --owner. */
int rdl_cli_owner_matches(const struct rdl_cli_query *l, size_t i);

#endif
