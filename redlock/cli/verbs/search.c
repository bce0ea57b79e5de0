/* SPDX-License-Identifier: MIT */
/* The search for locks under a prefix, for list and break, and why its result may be incomplete. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/verbs/search.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"

#include <stdio.h>
#include <string.h>

enum { PATIENCE_MS = 60000, WHY_MAX = RDL_CLI_GAP_MAX };

static const char too_long[] = "time ran out; give a longer prefix or --wait";
static struct rdl_cli_names names;

void rdl_cli_gap_add(struct rdl_cli_gaps *g, int status, const char *why)
{
    if (g->status == 0)
        snprintf(g->why, sizeof g->why, "%s", why);
    if (g->status == 0 || status == RDL_EXIT_NOPERM)
        g->status = status;
}

static int status_of(int error)
{
    return error == RDL_E_PERM || error == RDL_E_AUTH ? RDL_EXIT_NOPERM : RDL_EXIT_UNAVAILABLE;
}

/* ---------------------------------------------------------------- the search */

static void warn_unsearched(const struct rdl_cli_query *l, size_t i)
{
    char why[WHY_MAX];

    rdl_cli_query_error(l, i, why, sizeof why);
    rdl_cli_print_warning("%s was not searched: %s%s", rdl_cli_where(l->servers, i), why,
                          rdl_cli_may_be_tls(l->servers, i, l->seen[i].error) ? " (" RDL_CLI_TLS_HINT ")"
                                                                              : "");
}

/* Returns the advice for the first server that refused the login or SCAN; "": none did. */
static const char *search_advice(const struct rdl_cli_query *l)
{
    static char text[120];

    text[0] = '\0';
    for (size_t i = 0; i < l->servers->n && text[0] == '\0'; i++) {
        if (l->searched[i])
            continue;
        if (l->seen[i].error == RDL_E_AUTH)
            snprintf(text, sizeof text, " (%s)", rdl_cli_login_advice(l->seen[i].said));
        else if (l->seen[i].error == RDL_E_PERM && l->req[i].answer == RDL_ANSWER_ERROR)
            snprintf(text, sizeof text, " (the user needs +scan +getrange +pttl)");
    }
    return text;
}

/* A lock is on a majority, so a majority must be searched, of servers that cannot have lost locks. */
static void check_search(const struct rdl_cli_query *l, struct rdl_cli_gaps *g)
{
    unsigned searched = 0, counting = 0, young = 0, n = (unsigned)l->servers->n, quorum = n / 2 + 1;
    int status = rdl_cli_query_status(l);
    char why[WHY_MAX];

    for (size_t i = 0; i < n; i++) {
        searched += l->searched[i] != 0;
        counting += l->searched[i] && rdl_cli_query_standing(l, i) == RDL_CLI_VOTES;
        young += l->searched[i] && rdl_cli_query_standing(l, i) == RDL_CLI_QUARANTINED;
        if (!l->searched[i] && !l->is_cut)
            warn_unsearched(l, i);
    }
    if (names.is_full) {
        snprintf(why, sizeof why, "more than %d keys have this prefix; give a longer one", RDL_CLI_NAMES_MAX);
        rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, why);
    } else if (l->is_cut) {
        rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, too_long);
    } else if (searched < quorum) {
        snprintf(why, sizeof why, "%u of %u servers were searched, which is not a majority%s", searched, n,
                 search_advice(l));
        rdl_cli_gap_add(g, status, why);
    } else if (counting + young < quorum) {
        snprintf(why, sizeof why,
                 "%u of %u servers have no vote (a replica, a cluster node, or INFO is refused)",
                 searched - counting - young, n);
        rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, why);
    } else if (counting < quorum) {
        snprintf(why, sizeof why, "%u of %u servers started less than --max-ttl ago and may have lost locks",
                 young, n);
        rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, why);
    }
    if (names.has_nul)
        rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, "some names have a NUL byte and cannot be checked");
}

/* ---------------------------------------------------------------- a name */

/* Returns 1 for a key that belongs to a lock: a fencing token may look like a deadline. */
static int is_side_key(const char *name)
{
    return rdl_cli_name_is_counter(name) || rdl_cli_name_is_list(name);
}

static int is_lock(const struct rdl_cli_query *l, const char *name)
{
    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_cli_seen *s = &l->seen[i];
        if (s->what != RDL_CLI_SEEN_KEY)
            continue;
        enum rdl_cli_kind kind = rdl_cli_seen_kind(s);
        if (kind == RDL_CLI_KIND_TOKEN ||
            (kind == RDL_CLI_KIND_DEADLINE && l->o->with_legacy && !is_side_key(name)))
            return 1;
    }
    return 0;
}

/* Records a gap if it is unknown whether the key is a lock. */
static void check_seen(const struct rdl_cli_query *l, const char *name, struct rdl_cli_gaps *g)
{
    char error[WHY_MAX / 2], why[WHY_MAX];
    size_t answers = 0, silent = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        answers += l->seen[i].what != RDL_CLI_SEEN_NOTHING;
        silent = l->seen[i].what == RDL_CLI_SEEN_NOTHING ? i : silent;
    }
    if (answers > l->servers->n / 2)
        return;
    rdl_cli_query_error(l, silent, error, sizeof error);
    snprintf(why, sizeof why, "%s could not be checked: %s", name, error);
    rdl_cli_gap_add(g, status_of(l->seen[silent].error), why);
}

/* ---------------------------------------------------------------- one lock after the other */

/* * is any text, ? any byte. (fnmatch would bring 20 KB of tables to the static binary.) */
static int matches(const char *glob, const char *text)
{
    const char *star = NULL, *from = text;

    while (*text != '\0') {
        if (*glob == '*') {
            star = ++glob;
            from = text;
        } else if (*glob == '?' || *glob == *text) {
            glob++;
            text++;
        } else if (star != NULL) { /* the text of the last * has one byte more */
            glob = star;
            text = ++from;
        } else {
            return 0;
        }
    }
    glob += strspn(glob, "*");
    return *glob == '\0';
}

/* Returns 1 if --owner is not given, or a holder's owner matches it. A lock without an owner never does. */
static int is_wanted(const struct rdl_cli_query *l)
{
    int is_owned = l->o->owner == NULL;

    for (size_t i = 0; i < l->servers->n; i++)
        is_owned |= rdl_cli_owner_matches(l, i);
    return is_owned;
}

int rdl_cli_owner_matches(const struct rdl_cli_query *l, size_t i)
{
    char owner[RDL_OWNER_MAX + 1];

    rdl_cli_seen_owner(&l->seen[i], owner);
    return l->o->owner != NULL && owner[0] != '\0' && matches(l->o->owner, owner);
}

void rdl_cli_search(struct rdl_cli_query *l, struct rdl_cli_gaps *g)
{
    if (l->o->wait_ms == RDL_CLI_FOREVER)
        l->until_ms = rdl_now(&l->platform) + PATIENCE_MS;
    rdl_cli_query_search(l, l->o->lock, &names);
    check_search(l, g);
    rdl_cli_names_sort(&names);
}

const char *rdl_cli_search_next(struct rdl_cli_query *l, struct rdl_cli_gaps *g)
{
    static size_t next;

    while (next < names.n) {
        const char *name = names.name[next++];
        rdl_cli_query_at(l, name);
        if (rdl_now(&l->platform) >= l->until_ms) { /* some may have had no time to reply */
            rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, too_long);
            return NULL;
        }
        if (!is_lock(l, name))
            check_seen(l, name, g);
        else if (is_wanted(l))
            return name;
    }
    return NULL;
}
