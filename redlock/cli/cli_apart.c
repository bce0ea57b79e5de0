/* SPDX-License-Identifier: MIT */
/*
 * What lets two hosts hold one lock, as far as one of them can see it. Each is a warning, said once for each
 * server. The doctor has words of its own for the same.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <string.h>

/* ---------------------------------------------------------------- leases above --max-ttl */

/* Without the restart guard nobody counts on it. */
int rdl_cli_apart_is_long(const struct rdl_cli_options *o, int64_t pttl_ms)
{
    return o->guard != RDL_GUARD_OFF && o->legacy == RDL_CLI_LEGACY_NEVER && pttl_ms > (int64_t)o->max_ttl_ms;
}

const char *rdl_cli_apart_least(int64_t pttl_ms, char out[RDL_CLI_DURATION_MAX])
{
    return rdl_cli_duration_text(((uint64_t)pttl_ms + 999) / 1000 * 1000, out);
}

void rdl_cli_apart_lease(const struct rdl_cli_options *o, const char *where, int64_t pttl_ms)
{
    char own[RDL_CLI_DURATION_MAX], other[RDL_CLI_DURATION_MAX];

    rdl_cli_warn(
        "a lease on %s has %.1f s left, more than --max-ttl (%s): after a restart this host would count the "
        "server before that lease expires, and two hosts could hold the lock; give all hosts the "
        "same --max-ttl, %s or more",
        where, (double)pttl_ms / 1000, rdl_cli_duration_text(o->max_ttl_ms, own),
        rdl_cli_apart_least(pttl_ms, other));
}

/* ---------------------------------------------------------------- servers of this host alone */

void rdl_cli_apart_own(const struct rdl_cli_servers *s)
{
    char where[RDL_CLI_WHERE_MAX];
    int is_mixed = rdl_cli_servers_remote(s) > 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!rdl_cli_servers_is_own(s, i))
            continue;
        rdl_cli_servers_where(s, i, where);
        if (is_mixed)
            rdl_cli_warn(
                "%s is local to this host, unless it is a tunnel: other hosts reach a different server at "
                "that address, so two hosts may each get a majority; name it by an address that is the same "
                "for all hosts",
                where);
        else
            rdl_cli_note("%s is local to this host, unless it is a tunnel: its locks hold on this host only",
                         where);
    }
}

/* ---------------------------------------------------------------- clocks */

/* An answer may have been on its way for long, or this process stopped. */
enum { FAR_OFF_MS = 60000 };

int rdl_cli_apart_clock(const char *where, int64_t ahead_ms)
{
    int64_t off_ms = ahead_ms < 0 ? -ahead_ms : ahead_ms;

    if (off_ms <= FAR_OFF_MS)
        return 0;
    rdl_cli_warn(
        "this host's clock is %.0f s %s that of %s: a job that timers start may run here after it has "
        "run on another host; set the clocks (NTP), or give --keep for longer than that",
        (double)off_ms / 1000, ahead_ms > 0 ? "behind" : "ahead of", where);
    return 1;
}
