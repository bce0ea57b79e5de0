/* SPDX-License-Identifier: MIT */
/*
 * Warnings of problems that never pass by themselves, although the lock is held or waited for. Without a
 * warning, users would notice them too late. Each is printed once.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/warnings.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/host_differences.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/replies.h"
#include "redlock/cli/servers/server_info.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"

static int is_first(unsigned *warned, size_t i)
{
    unsigned bit = 1u << i;
    int is_new = (*warned & bit) == 0;

    *warned |= bit;
    return is_new;
}

/* ---------------------------------------------------------------- servers that are not used */

static void warn_failures(const struct rdl_cli_lock *l)
{
    static unsigned warned;

    for (size_t i = 0; i < l->servers->n; i++)
        if (rdl_cli_lock_is_final(l, i) && is_first(&warned, i))
            rdl_cli_print_warning("a server is not used for %s and will not recover without intervention: %s",
                                  l->o->lock, rdl_cli_lock_report(l, i));
}

/* ---------------------------------------------------------------- missing server info */

enum lack { NOTHING, ALL, UPTIME, RUN_ID };

/* With --restart-guard=off the user knows; with =required such a server is not used. */
static enum lack lack_of(const struct rdl_cli_lock *l, size_t i)
{
    const struct rdl_conn *c = l->servers->server[i].conn;
    const struct rdl_server_info *f = rdl_guard_server_info(c);

    if (l->o->legacy != RDL_CLI_LEGACY_NEVER || rdl_conn_state(c) != RDL_CONN_READY)
        return NOTHING;
    if (f != NULL)
        return f->run == RDL_RUN_UNNAMED && l->servers->n > 1 ? RUN_ID : NOTHING;
    if (l->o->guard != RDL_GUARD_IF_PERMITTED)
        return NOTHING;
    return c->cfg->server_info->needs_info ? UPTIME : ALL;
}

/* Returns the servers that lack it and were not named before; "": none. */
static const char *those_without(const struct rdl_cli_lock *l, enum lack lack, unsigned *warned)
{
    static char all[RDL_SERVERS_MAX * (RDL_CLI_WHERE_MAX + 2)];
    struct rdl_cli_text t = {all, sizeof all, 0};

    all[0] = '\0';
    for (size_t i = 0; i < l->servers->n; i++)
        if (lack_of(l, i) == lack && is_first(warned, i))
            rdl_cli_add(&t, "%s%s", t.len > 0 ? ", " : "", rdl_cli_where(l->servers, i));
    return all;
}

static void warn_lacks(const struct rdl_cli_lock *l)
{
    static unsigned warned[RUN_ID + 1];
    const char *all = those_without(l, ALL, &warned[ALL]);

    if (all[0] != '\0')
        rdl_cli_print_warning_always(
            "INFO is refused by %s, so redlock does not notice a restart, a replica, a server that "
            "is listed twice or that deletes keys when its memory is full; grant the user +info, or "
            "give --restart-guard=off",
            all);
    all = those_without(l, UPTIME, &warned[UPTIME]);
    if (all[0] != '\0')
        rdl_cli_print_warning_always("INFO on %s shows no uptime, so redlock does not notice a restart: give "
                                     "--restart-guard=off if a restart loses no data",
                                     all);
    all = those_without(l, RUN_ID, &warned[RUN_ID]);
    if (all[0] != '\0')
        rdl_cli_print_verbose(
            "INFO on %s shows no run_id, so redlock does not notice if a server is listed twice", all);
}

/* ---------------------------------------------------------------- a canary that the user may not use */

/*
 * Returns 1 if the user may not read the canary of a server that granted the lock. It counts all the same if
 * the restart guard does not require INFO.
 */
static int is_blind(const struct rdl_cli_lock *l, size_t i)
{
    const struct rdl_canary *c = &l->canaries[i];

    return l->o->canary && l->servers->server[i].vote == RDL_VOTE_GRANTED && c->answer == RDL_ANSWER_ERROR &&
           c->error == RDL_E_PERM;
}

static void warn_blind(const struct rdl_cli_lock *l)
{
    static unsigned warned;

    for (size_t i = 0; i < l->servers->n; i++) {
        if (!is_blind(l, i) || !is_first(&warned, i))
            continue;
        rdl_cli_print_warning_always(
            "%s does not watch %s: the user may not get and set the key " RDL_CANARY_KEY " there",
            rdl_cli_canary_word(l->o), rdl_cli_where(l->servers, i));
    }
}

/* A server that has not replied yet may have a canary. */
int rdl_cli_lock_is_watched(const struct rdl_cli_lock *l)
{
    size_t blind = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        blind += is_blind(l, i) != 0;
    return blind <= (l->servers->n - 1) / 2;
}

/* ---------------------------------------------------------------- this host's clock */

static void warn_clock(const struct rdl_cli_lock *l)
{
    static int warned;
    int64_t ahead_ms;

    for (size_t i = 0; i < l->servers->n && !warned; i++) {
        warned = rdl_cli_info_ahead(i, &ahead_ms) &&
                 rdl_cli_host_differences_clock(rdl_cli_where(l->servers, i), ahead_ms);
    }
}

/* ---------------------------------------------------------------- another host's options */

/* One server is enough: on the others it usually is as long. */
void rdl_cli_warn_long(const struct rdl_cli_lock *l)
{
    static int warned;

    for (size_t i = 0; i < l->servers->n && !warned; i++) {
        const struct rdl_server *s = &l->servers->server[i];
        if (s->vote != RDL_VOTE_DENIED || !rdl_cli_host_differences_is_long(l->o, s->value))
            continue;
        warned = 1;
        rdl_cli_host_differences_lease(l->o, rdl_cli_where(l->servers, i), s->value);
    }
}

/* A waiting client's key exists for a moment or, after a crash, for a ttl: not for three renewals. */
void rdl_cli_warn_rival(const struct rdl_cli_lock *l)
{
    enum { RENEWALS = 3 };
    static unsigned in_a_row[RDL_SERVERS_MAX];

    for (size_t i = 0; i < l->servers->n && l->servers->n > 1; i++) {
        uint8_t vote = l->servers->server[i].vote;
        if (vote == RDL_VOTE_PENDING || vote == RDL_VOTE_UNKNOWN)
            continue;
        in_a_row[i] = vote == RDL_VOTE_DENIED ? in_a_row[i] + 1 : 0;
        if (in_a_row[i] != RENEWALS)
            continue;
        rdl_cli_print_warning_always(
            "%s has been held by another client on %s for %d renewals of this lease: a host with "
            "another list of servers may hold it, too; give all hosts the same list",
            l->o->lock, rdl_cli_where(l->servers, i), RENEWALS);
    }
}

/* ---------------------------------------------------------------- all of them */

void rdl_cli_warn_servers(const struct rdl_cli_lock *l)
{
    warn_failures(l);
    warn_lacks(l);
    warn_blind(l);
    rdl_cli_warn_long(l);
    warn_clock(l);
}

/* ---------------------------------------------------------------- a key that stays */

static int is_endless(const struct rdl_cli_lock *l, size_t i)
{
    const struct rdl_server *s = &l->servers->server[i];

    return s->vote == RDL_VOTE_DENIED && s->value == -1;
}

void rdl_cli_warn_endless(const struct rdl_cli_lock *l)
{
    static int warned;
    size_t i = 0;

    while (i < l->servers->n && !is_endless(l, i))
        i++;
    if (i == l->servers->n || warned)
        return;
    warned = 1;
    rdl_cli_print_warning("%s%s on %s %s", rdl_cli_one_of(l->o), l->o->lock, rdl_cli_where(l->servers, i),
                          rdl_cli_lease_endless(l));
}
