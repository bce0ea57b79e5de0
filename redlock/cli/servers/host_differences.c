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

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- leases above --max-ttl */

/* Without the restart guard, no client relies on it. */
int rdl_cli_host_differences_is_long(const struct rdl_cli_options *o, int64_t pttl_ms)
{
    return o->guard != RDL_GUARD_OFF && o->legacy == RDL_CLI_LEGACY_NEVER && pttl_ms > (int64_t)o->max_ttl_ms;
}

void rdl_cli_host_differences_lease(const struct rdl_cli_options *o, const char *where, int64_t pttl_ms)
{
    struct rdl_cli_finding f;

    rdl_cli_risk_lease(&f, where, o, pttl_ms);
    rdl_cli_warn_always_of(&f);
}

/* ---------------------------------------------------------------- servers of this host alone */

static void warn_own(const char *where)
{
    struct rdl_cli_finding f;

    rdl_cli_risk_own(&f, where);
    rdl_cli_warn_always_of(&f);
}

/*
 * Servers that other hosts do not see. $REDIS_URL is often an application's, which has its own server on each
 * host. With -u they were named on purpose. A run around us has printed this.
 */
static void report_own(const struct rdl_cli_options *o, const char *where, int is_first)
{
    int is_meant = o->urls_from == NULL || getenv("REDLOCK_LOCK") != NULL || (o->verb & RDL_CLI_GETTING) == 0;

    if (is_meant)
        rdl_cli_print_verbose(
            "%s is on this host: other hosts do not see its locks (unless it is a tunnel to a common server)",
            where);
    else if (is_first)
        rdl_cli_say(
            strcmp(o->urls_from, "$REDIS_URL") == 0 ? RDL_CLI_WARNING_ALWAYS : RDL_CLI_WARNING,
            "%s names this host alone (%s): other hosts do not see its locks, unless it is a tunnel; name "
            "servers that all hosts reach, or give -u if you want this",
            o->urls_from, where);
}

void rdl_cli_host_differences_own(const struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    /* $REDIS_URL is one URL. Another host, with its own name there, may have its own server, too. */
    int by_name = o->urls_from != NULL && strcmp(o->urls_from, "$REDIS_URL") == 0;
    int is_named = by_name && rdl_cli_address_is_own(&s->endpoint[0], 1);
    int is_mixed = !is_named && rdl_cli_servers_remote(s) > 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!is_named && !rdl_cli_servers_is_own(s, i))
            continue;
        if (is_mixed)
            warn_own(rdl_cli_where(s, i));
        else
            report_own(o, rdl_cli_where(s, i), n++ == 0);
    }
}

size_t rdl_cli_host_differences_database(const struct rdl_cli_servers *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (s->endpoint[i].db != s->endpoint[0].db)
            return i;
    return 0;
}

void rdl_cli_host_differences_databases(const struct rdl_cli_servers *s)
{
    size_t i = rdl_cli_host_differences_database(s);
    struct rdl_cli_finding f;

    if (i == 0)
        return;
    rdl_cli_risk_databases(&f, s->endpoint[0].db, s->endpoint[i].db);
    rdl_cli_warn_of(&f);
}

/* ---------------------------------------------------------------- clocks */

/* A reply may have been delayed for long, or this process may have been stopped. */
enum { FAR_OFF_MS = 60000 };

int rdl_cli_host_differences_clock(const char *where, int64_t ahead_ms)
{
    struct rdl_cli_finding f;

    if (ahead_ms <= FAR_OFF_MS && ahead_ms >= -FAR_OFF_MS)
        return 0;
    rdl_cli_risk_clock(&f, where, ahead_ms);
    rdl_cli_warn_of(&f);
    return 1;
}
