/* SPDX-License-Identifier: MIT */
/* findings.h - problems of servers, and their fixes. */
#ifndef RDL_CLI_DOCTOR_FINDINGS_H
#define RDL_CLI_DOCTOR_FINDINGS_H

#include "redlock/cli/doctor/checks.h"
#include "redlock/cli/doctor/sentinels.h"
#include "redlock/cli/servers/servers.h"

enum { RDL_CLI_FINDINGS_MAX = 100 };

struct rdl_cli_findings {
    size_t n;
    struct rdl_cli_finding at[RDL_CLI_FINDINGS_MAX];
};

void rdl_cli_findings(const struct rdl_cli_query *l, const struct rdl_cli_checks *checks,
                      const struct rdl_cli_sentinels *sentinels, struct rdl_cli_findings *f);

#endif
