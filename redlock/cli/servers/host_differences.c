/* SPDX-License-Identifier: MIT */
/*
 * Warnings of settings that let two hosts hold one lock, as far as one host can see them. Each is printed
 * once for each server; its text is in risks.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/host_differences.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/risks.h"
#include "redlock/redlock.h"

#include <string.h>

/* ---------------------------------------------------------------- leases above --max-ttl */

/* Without the restart guard, no client relies on it. */
int rdl_cli_apart_is_long(const struct rdl_cli_options *o, int64_t pttl_ms)
{
    return o->guard != RDL_GUARD_OFF && o->legacy == RDL_CLI_LEGACY_NEVER && pttl_ms > (int64_t)o->max_ttl_ms;
}

void rdl_cli_apart_lease(const struct rdl_cli_options *o, const char *where, int64_t pttl_ms)
{
    struct rdl_cli_finding f;

    rdl_cli_risk_lease(&f, where, o, pttl_ms);
    rdl_cli_warn_of(&f);
}

/* ---------------------------------------------------------------- servers of this host alone */

static void warn_own(const char *where)
{
    struct rdl_cli_finding f;

    rdl_cli_risk_own(&f, where);
    rdl_cli_warn_of(&f);
}

void rdl_cli_apart_own(const struct rdl_cli_servers *s)
{
    char where[RDL_CLI_WHERE_MAX];
    int is_mixed = rdl_cli_servers_remote(s) > 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!rdl_cli_servers_is_own(s, i))
            continue;
        rdl_cli_servers_where(s, i, where);
        if (is_mixed)
            warn_own(where);
        else
            rdl_cli_print_verbose(
                "%s is on this host: other hosts do not see its locks (unless it is a tunnel to a "
                "common server)",
                where);
    }
}

/* ---------------------------------------------------------------- clocks */

/* A reply may have been delayed for long, or this process may have been stopped. */
enum { FAR_OFF_MS = 60000 };

int rdl_cli_apart_clock(const char *where, int64_t ahead_ms)
{
    struct rdl_cli_finding f;

    if (ahead_ms <= FAR_OFF_MS && ahead_ms >= -FAR_OFF_MS)
        return 0;
    rdl_cli_risk_clock(&f, where, ahead_ms);
    rdl_cli_warn_of(&f);
    return 1;
}
