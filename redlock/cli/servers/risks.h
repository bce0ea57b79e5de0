/* SPDX-License-Identifier: MIT */
/*
 * risks.h - risks that the doctor reports and other verbs warn of.
 *
 * A finding is a problem with its fix. The doctor lists findings; other verbs print them as warnings.
 */
#ifndef RDL_CLI_SERVERS_RISKS_H
#define RDL_CLI_SERVERS_RISKS_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/query_output.h"

enum { RDL_CLI_FINDING_MAX = 640 };

/* A warning of another verb has only the last two members. */
struct rdl_cli_finding {
    const char *id; /* for programs, such as "replica" */
    int status;     /* RDL_EXIT_*; 1: a warning; 0: a note */
    int server;     /* -1: all servers together */
    char what[RDL_CLI_FINDING_MAX];
    char remedy[RDL_CLI_FINDING_MAX];
};

/* Describes a finding. Returns 1. rdl_cli_advise replaces its remedy. */
int rdl_cli_report(struct rdl_cli_finding *f, const char *remedy, const char *format, ...)
    RDL_CLI_PRINTF(3, 4);
void rdl_cli_advise(struct rdl_cli_finding *f, const char *format, ...) RDL_CLI_PRINTF(2, 3);
void rdl_cli_warn_of(const struct rdl_cli_finding *f);

/* The same with -q, too: two clients could hold the lock. */
void rdl_cli_warn_always_of(const struct rdl_cli_finding *f);

/* Describe a risk. where: the server, or "it" if the line names it already. */
void rdl_cli_risk_own(struct rdl_cli_finding *f, const char *where);
void rdl_cli_risk_databases(struct rdl_cli_finding *f, uint32_t one, uint32_t other);
void rdl_cli_risk_canary(struct rdl_cli_finding *f, const char *where);
void rdl_cli_risk_renewal(struct rdl_cli_finding *f, const char *where, uint32_t ttl_ms);
void rdl_cli_risk_lease(struct rdl_cli_finding *f, const char *where, const struct rdl_cli_options *o,
                        int64_t pttl_ms);

/* ahead_ms: how far the server's clock is ahead of this host's. */
void rdl_cli_risk_clock(struct rdl_cli_finding *f, const char *where, int64_t ahead_ms);
void rdl_cli_risk_holders(struct rdl_cli_finding *f, const char *name, const struct rdl_cli_verdict *v);

/* What to do if the key of a fencing counter holds something else. */
extern const char rdl_cli_counter_remedy[];

#endif
