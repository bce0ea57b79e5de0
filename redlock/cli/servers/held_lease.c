/* SPDX-License-Identifier: MIT */
/* A lease that is held: its renewals, its loss, its release, and leaving it with --keep. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/held_lease.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/log_events.h"
#include "redlock/cli/servers/replies.h"
#include "redlock/cli/servers/warnings.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <string.h>

/* ---------------------------------------------------------------- renewing */

void rdl_cli_held_lose(struct rdl_cli_held *h, const char *why)
{
    if (!h->lost) {
        if (rdl_cli_is_quiet() && h->reason[0] != '\0') /* that warning was not printed */
            rdl_cli_print_error("%s is lost: %s (the last renewal: %s)", h->lock->o->lock, why, h->reason);
        else
            rdl_cli_print_error("%s is lost: %s", h->lock->o->lock, why);
        rdl_cli_event(h->lock, RDL_CLI_LOSING, why, -1);
    }
    h->lost = 1;
}

static void renewed(struct rdl_cli_held *h, uint64_t now)
{
    uint32_t ttl_ms = h->lock->o->ttl_ms;

    h->until_ms = rdl_cli_lease_until_ms(h->lock);
    /* With --keep more than a ttl may be left, and a renewal would not extend it. */
    rdl_renewal_renewed(&h->renewal, ttl_ms, h->lock->o->grace_ms, h->until_ms,
                        h->until_ms > now + ttl_ms ? h->until_ms - ttl_ms : now);
}

void rdl_cli_held_begin(struct rdl_cli_held *h, struct rdl_cli_lock *l)
{
    h->lock = l;
    l->posix.timer_fd = rdl_cli_timer_open(); /* kept until the process ends */
    renewed(h, rdl_cli_now(l));
}

static void print_failed_renewal(struct rdl_cli_held *h, int rc)
{
    const char *lock = h->lock->o->lock;
    enum rdl_cli_message kind = h->failures++ == 0 ? RDL_CLI_WARNING : RDL_CLI_NOTE;
    char *why = h->reason;

    rdl_cli_lock_reports(h->lock, rc, why, sizeof h->reason);
    if (rc == RDL_UNKNOWN) /* each of these errors has its own message */
        rdl_cli_say(kind, "%s was not renewed: %s", lock, why);
    else
        rdl_cli_say(kind, "%s was not renewed (%s): %s", lock, rdl_strerror(rc), why);
}

/* Ends a renewal. Returns 1 if the lease ends later now. */
static int renewal_ended(struct rdl_cli_held *h, int rc, uint64_t now)
{
    h->renewing = 0;
    if (rc >= RDL_OK) {
        renewed(h, now);
        rdl_cli_say(h->failures > 0 ? RDL_CLI_INFO : RDL_CLI_NOTE, "%s renewed%s", h->lock->o->lock,
                    rc == RDL_REPAIRED ? ", and restored where missing" : "");
        rdl_cli_lock_note_servers(h->lock);
        if (h->failures > 0 || rdl_cli_is_very_verbose())
            rdl_cli_event(h->lock, RDL_CLI_RENEWED, NULL, -1);
        h->failures = 0;
        return 1;
    }
    if (rc == RDL_E_CAP) {
        if (!h->is_refused)
            rdl_cli_print_verbose("%s is not renewed any more, because of --max-hold", h->lock->o->lock);
        h->is_refused = 1;
        rdl_renewal_failed(&h->renewal, now);
        return 0;
    }
    if (h->until_ms != 0) /* otherwise it is lost already, and that was its last event */
        rdl_cli_event(h->lock, RDL_CLI_RENEW_FAILED, rdl_strerror(rc), -1);
    print_failed_renewal(h, rc);
    if (rc == RDL_LOST || rc == RDL_E_GAP)
        h->until_ms = 0;
    else
        rdl_renewal_failed(&h->renewal, now);
    return 0;
}

int rdl_cli_held_renew(struct rdl_cli_held *h)
{
    uint64_t now = rdl_cli_now(h->lock), at;
    int rc = rdl_cli_lease_step(h->lock), is_later = 0;

    if (h->renewing && rc != RDL_PENDING)
        is_later = renewal_ended(h, rc, now);
    if (h->renewing || h->lost || rdl_renewal_next(&h->renewal, now, &at) != RDL_RENEWAL_RENEW)
        return is_later;
    if (h->is_renewed) /* by now slow servers have replied, too */
        rdl_cli_warn_rival(h->lock);
    h->renewing = h->is_renewed = 1;
    rc = rdl_cli_lease_extend(h->lock, now);
    return rc == RDL_PENDING ? is_later : renewal_ended(h, rc, now);
}

uint64_t rdl_cli_held_wake_ms(const struct rdl_cli_held *h, uint64_t now)
{
    uint64_t at;

    if (h->lost || h->renewing || rdl_renewal_next(&h->renewal, now, &at) != RDL_RENEWAL_SLEEP)
        return UINT64_MAX;
    return at;
}

/* ---------------------------------------------------------------- keep or release */

int rdl_cli_keep(struct rdl_cli_lock *l, const char *why)
{
    uint64_t now = rdl_cli_now(l), until_ms = rdl_cli_lease_until_ms(l), end_ms = rdl_cli_lease_keep_ms(l);

    if (now >= end_ms || now >= until_ms)
        return 0;
    end_ms = until_ms > end_ms ? until_ms : end_ms;
    rdl_cli_print_verbose("%s: %s is kept for another %.1f s", why, l->o->lock,
                          (double)(end_ms - now) / 1000);
    rdl_cli_lease_finish(l);
    rdl_cli_event(l, RDL_CLI_KEPT, why, -1);
    return 1;
}

static enum rdl_cli_event given_back(int rc, int lost)
{
    if (lost || rc == RDL_LOST || rc == RDL_EXPIRED)
        return RDL_CLI_LOST;
    return rc == RDL_OK || rc == RDL_OVERWRITTEN ? RDL_CLI_RELEASED : RDL_CLI_FAILED;
}

int rdl_cli_give_back(struct rdl_cli_lock *l, int lost)
{
    char why[1500];
    int rc = RDL_OK, stolen = 0;

    if (!lost) {                                     /* signals no longer matter */
        while (rdl_cli_lease_step(l) == RDL_PENDING) /* a renewal is under way: one operation at a time */
            rdl_cli_lease_turn(l, UINT64_MAX, 0);
        uint64_t until_ms = rdl_cli_lease_until_ms(l);
        rc = rdl_cli_lease_release(l, rdl_cli_now(l));
        while (rc == RDL_PENDING)
            rc = rdl_cli_lease_turn(l, UINT64_MAX, 0);
        /* EXPIRED: the first new holder is enough; no other reply is waited for */
        stolen =
            (rc == RDL_LOST || (rc == RDL_EXPIRED && rdl_cli_lock_is_denied(l))) && rdl_cli_now(l) < until_ms;
    }
    rdl_cli_lock_reports(l, rc, why, sizeof why);
    rdl_cli_event(l, given_back(rc, lost), rc != RDL_OK ? rdl_strerror(rc) : NULL, -1);
    if (rc == RDL_OK && !lost)
        rdl_cli_print_verbose("%s released", l->o->lock);
    else if (stolen)
        rdl_cli_print_error("%s is lost: another client held it before it was released (%s)", l->o->lock,
                            why);
    else if (rc == RDL_OVERWRITTEN)
        rdl_cli_lease_overwritten(l);
    else if (rc == RDL_EXPIRED || rc == RDL_LOST)
        rdl_cli_print_warning_always(
            "%s was gone from a majority of the servers before it was released: another client may "
            "have held it at the same time (%s)",
            l->o->lock, why);
    else if (rc == RDL_UNKNOWN && rdl_cli_lock_is_unanswered(l))
        rdl_cli_print_warning(
            "%s: release not confirmed (%s); it is free when its lease expires, at the latest", l->o->lock,
            why[0] != '\0' ? why : rdl_strerror(rc));
    else if (rc != RDL_OK)
        rdl_cli_print_warning("%s could not be released (%s): it is free when its lease expires", l->o->lock,
                              why[0] != '\0' ? why : rdl_strerror(rc));
    rdl_cli_lease_cancel(l);
    return stolen;
}

int rdl_cli_give_back_refused(struct rdl_cli_lock *l, const char *what)
{
    rdl_cli_print_error("cannot %s: %s", what, strerror(errno));
    rdl_cli_give_back(l, 0);
    return RDL_EXIT_OS;
}

int rdl_cli_give_back_unread(struct rdl_cli_lock *l, int status)
{
    rdl_cli_give_back(l, 0);
    if (status > 128)
        rdl_cli_signals_die(status - 128);
    return status;
}
