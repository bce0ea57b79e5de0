/* SPDX-License-Identifier: MIT */
/* `redlock list`: lists the locks and their holders. It writes nothing to the servers. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

#include <stdio.h>

enum { PATIENCE_MS = 60000, WHY_MAX = 400 };

/* Why the list may be incomplete: the first reason. */
struct gaps {
    int status; /* 0: the list is complete */
    char why[WHY_MAX];
};

static const char too_long[] = "time ran out; give a longer prefix or --wait";
static struct rdl_cli_names names;

/* Records a gap. The first one is printed, at the end. */
static void add_gap(struct gaps *g, int status, const char *why)
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
static void check_search(const struct rdl_cli_query *l, struct gaps *g)
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
        add_gap(g, RDL_EXIT_UNAVAILABLE, why);
    } else if (l->is_cut) {
        add_gap(g, RDL_EXIT_UNAVAILABLE, too_long);
    } else if (searched < quorum) {
        snprintf(why, sizeof why, "%u of %u servers were searched, which is not a majority%s", searched, n,
                 search_advice(l));
        add_gap(g, status, why);
    } else if (counting + young < quorum) {
        snprintf(why, sizeof why,
                 "%u of %u servers have no vote (a replica, a cluster node, or INFO is refused)",
                 searched - counting - young, n);
        add_gap(g, RDL_EXIT_UNAVAILABLE, why);
    } else if (counting < quorum) {
        snprintf(why, sizeof why, "%u of %u servers started less than --max-ttl ago and may have lost locks",
                 young, n);
        add_gap(g, RDL_EXIT_UNAVAILABLE, why);
    }
    if (names.has_nul)
        add_gap(g, RDL_EXIT_UNAVAILABLE, "some names have a NUL byte and cannot be checked");
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

/* Records a gap if metrics cannot show the lock's state. Lines and JSON show it as unknown. */
static void check_state(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                        struct gaps *g)
{
    char why[WHY_MAX];

    if (l->o->format != RDL_CLI_FORMAT_PROMETHEUS || v->what != RDL_CLI_UNKNOWN)
        return;
    snprintf(why, sizeof why, "it is unknown whether %s is held: see redlock status", name);
    add_gap(g, RDL_EXIT_UNAVAILABLE, why);
}

/* Records a gap if it is unknown whether the key is a lock. */
static void check_seen(const struct rdl_cli_query *l, const char *name, struct gaps *g)
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
    add_gap(g, status_of(l->seen[silent].error), why);
}

static int show(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                int is_first)
{
    if (l->o->format == RDL_CLI_FORMAT_JSON)
        return rdl_cli_query_json(l, v, name, is_first);
    if (l->o->format == RDL_CLI_FORMAT_PROMETHEUS) {
        rdl_cli_metrics_add(l, v, name);
        return 0;
    }
    return rdl_cli_is_verbose() ? rdl_cli_query_show(l, v, name) : rdl_cli_verdict_show(v, name);
}

static int look_at_all(struct rdl_cli_query *l, struct gaps *g, int *status)
{
    size_t shown = 0;

    for (size_t k = 0; k < names.n; k++) {
        const char *name = names.name[k];
        struct rdl_cli_verdict v;
        rdl_cli_query_at(l, name);
        if (rdl_now(&l->platform) >= l->until_ms) { /* some may have had no time to reply */
            add_gap(g, RDL_EXIT_UNAVAILABLE, too_long);
            break;
        }
        if (!is_lock(l, name)) {
            check_seen(l, name, g);
            continue;
        }
        rdl_cli_query_verdict(l, &v);
        check_state(l, &v, name, g);
        int rc = show(l, &v, name, shown++ == 0);
        if (rc != 0)
            return rc;
        *status = rdl_cli_worse(l, *status, v.what);
    }
    if (shown == 0)
        rdl_cli_print_verbose("no lock begins with \"%s\"", l->o->lock);
    return 0;
}

static int list(struct rdl_cli_query *l)
{
    struct gaps gaps = {0, ""};
    int is_json = l->o->format == RDL_CLI_FORMAT_JSON;
    int is_prometheus = l->o->format == RDL_CLI_FORMAT_PROMETHEUS, status = 0, rc = 0;

    if (l->o->wait_ms == RDL_CLI_FOREVER)
        l->until_ms = rdl_now(&l->platform) + PATIENCE_MS;
    rdl_cli_query_search(l, l->o->lock, &names);
    check_search(l, &gaps);
    rdl_cli_names_sort(&names);
    if (is_json)
        rc = rdl_cli_print("{\"locks\":[");
    if (rc == 0)
        rc = look_at_all(l, &gaps, &status);
    if (rc == 0 && is_json)
        rc = rdl_cli_print(gaps.status == 0 ? "],\"complete\":true}\n" : "],\"complete\":false}\n");
    if (rc == 0 && is_prometheus)
        rc = rdl_cli_metrics_print(l, gaps.status == 0);
    if (gaps.status != 0)
        rdl_cli_print_error("the list may be incomplete: %s", gaps.why);
    if (rc != 0)
        return rc;
    if (is_prometheus)
        return gaps.status == 0 ? 0 : RDL_EXIT_UNAVAILABLE;
    return status == RDL_EXIT_CONFLICT || gaps.status == 0 ? status : gaps.status;
}

int rdl_cli_list(int argc, char **argv)
{
    return rdl_cli_look(RDL_CLI_LIST, argc, argv, list);
}
