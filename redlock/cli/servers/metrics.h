/* SPDX-License-Identifier: MIT */
/* metrics.h - the locks that are held, as metrics for Prometheus. */
#ifndef RDL_CLI_SERVERS_METRICS_H
#define RDL_CLI_SERVERS_METRICS_H

#include "redlock/cli/servers/query.h"
#include "redlock/cli/servers/query_output.h"

/* Keeps what the servers have of a lock, if it is held. name is borrowed. RDL_CLI_NAMES_MAX calls at most. */
void rdl_cli_metrics_add(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);

/* Prints metrics of the locks that were kept, and of the servers. Returns 0, or RDL_EXIT_OS. */
int rdl_cli_metrics_print(const struct rdl_cli_query *l, int complete);

#endif
