/* SPDX-License-Identifier: MIT */
/* risks.c - risks that the doctor reports and other verbs warn of, with the same text. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/risks.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/query_output.h"
#include "redlock/redlock.h"

#include <stdarg.h>
#include <stdio.h>

const char rdl_cli_counter_remedy[] =
    "find out which program wrote it, then SET it to a number above all tokens that were used";

int rdl_cli_report(struct rdl_cli_finding *f, const char *remedy, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(f->what, sizeof f->what, format, args);
    va_end(args);
    snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
    return 1;
}

void rdl_cli_advise(struct rdl_cli_finding *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(f->remedy, sizeof f->remedy, format, args);
    va_end(args);
}

void rdl_cli_warn_of(const struct rdl_cli_finding *f)
{
    rdl_cli_print_warning("%s; %s", f->what, f->remedy);
}

void rdl_cli_warn_always_of(const struct rdl_cli_finding *f)
{
    rdl_cli_print_warning_always("%s; %s", f->what, f->remedy);
}

void rdl_cli_risk_own(struct rdl_cli_finding *f, const char *where)
{
    rdl_cli_report(f, "give an address that is the same for all hosts",
                   "%s is on this host, unless it is a tunnel: other hosts reach a different server at this "
                   "address, so two hosts may each get a majority",
                   where);
}

void rdl_cli_risk_databases(struct rdl_cli_finding *f, uint32_t one, uint32_t other)
{
    rdl_cli_report(f, "give all hosts the same URLs, best with one database",
                   "the URLs of the servers have different databases (%lu and %lu): a lock is in the "
                   "database that its URL names",
                   (unsigned long)one, (unsigned long)other);
}

void rdl_cli_risk_holders(struct rdl_cli_finding *f, const char *name, const struct rdl_cli_verdict *v)
{
    char holders[2][RDL_OWNER_MAX + 16];
    struct rdl_cli_text a = {holders[0], sizeof holders[0], 0}, b = {holders[1], sizeof holders[1], 0};

    rdl_cli_add_holder(&a, v->id, v->owner);
    rdl_cli_add_holder(&b, v->other_id, v->other_owner);
    rdl_cli_report(f, "give all hosts the same list",
                   "%s has two holders, %s and %s: if this persists and neither is still acquiring it, two "
                   "hosts use different servers "
                   "and both hold the lock",
                   name, holders[0], holders[1]);
}

void rdl_cli_risk_lease(struct rdl_cli_finding *f, const char *where, const struct rdl_cli_options *o,
                        int64_t pttl_ms)
{
    char own[RDL_CLI_DURATION_MAX], least[RDL_CLI_DURATION_MAX];

    rdl_cli_report(f, "",
                   "%s has a lease with %.1f s left, more than --max-ttl (%s): after a restart it would "
                   "count before that lease expires, and two hosts could hold the lock",
                   where, (double)pttl_ms / 1000, rdl_cli_duration_text(o->max_ttl_ms, own));
    rdl_cli_duration_text(((uint64_t)pttl_ms + 999) / 1000 * 1000, least);
    rdl_cli_advise(f, "give all hosts the same --max-ttl, %s or more", least);
}

void rdl_cli_risk_clock(struct rdl_cli_finding *f, const char *where, int64_t ahead_ms)
{
    int64_t off_ms = ahead_ms < 0 ? -ahead_ms : ahead_ms;

    rdl_cli_report(f, "set the clocks (NTP), or make --keep longer than the difference",
                   "this host's clock is %.1f s %s that of %s: a job that several hosts start by their "
                   "clocks may run twice",
                   (double)off_ms / 1000, ahead_ms > 0 ? "behind" : "ahead of", where);
}

void rdl_cli_risk_canary(struct rdl_cli_finding *f, const char *where)
{
    rdl_cli_report(f, "find out which program wrote that key, then DEL it",
                   "%s has a key " RDL_CANARY_KEY " that is not a canary (another type, or a long string): "
                   "with --canary the server is never used",
                   where);
}

void rdl_cli_risk_renewal(struct rdl_cli_finding *f, const char *where, uint32_t ttl_ms)
{
    char ttl[RDL_CLI_DURATION_MAX];

    rdl_cli_report(f, "give a --ttl that is long enough for the command",
                   "%s supports neither scripts (since Redis 2.6) nor WATCH (since 2.2), so no lease can be "
                   "renewed: the command is stopped after one --ttl (%s)",
                   where, rdl_cli_duration_text(ttl_ms, ttl));
}
