/* SPDX-License-Identifier: MIT */
/* sentinels.h - what the sentinels of a group report about it. */
#ifndef RDL_CLI_DOCTOR_SENTINELS_H
#define RDL_CLI_DOCTOR_SENTINELS_H

#include "redlock/cli/servers/servers.h"

/* One sentinel. */
struct rdl_cli_sentinel {
    int replies; /* it has replied, and knows the group */
    unsigned long quorum, replicas, others;
    char why[RDL_SENTINEL_TEXT_MAX]; /* why it has not */
};

struct rdl_cli_sentinels {
    size_t n; /* 0: the server is no group */
    struct rdl_cli_sentinel at[RDL_SENTINELS_MAX];
    const struct rdl_cli_sentinel *first; /* that replies; NULL: none */
};

/* Asks each sentinel of server i. Ends the process on a signal. */
void rdl_cli_ask_sentinels(struct rdl_cli_query *l, size_t i, struct rdl_cli_sentinels *s);

#endif
