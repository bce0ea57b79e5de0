/* SPDX-License-Identifier: MIT */
/* `redlock list`: lists the locks and their holders. It writes nothing to the servers. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/search.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

#include <stdio.h>

/* Records a gap if metrics cannot show the lock's state. Lines and JSON show it as unknown. */
static void check_state(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                        struct rdl_cli_gaps *g)
{
    char why[RDL_CLI_GAP_MAX];

    if (l->o->format != RDL_CLI_FORMAT_PROMETHEUS || v->what != RDL_CLI_UNKNOWN)
        return;
    snprintf(why, sizeof why, "it is unknown whether %s is held: see redlock status", name);
    rdl_cli_gap_add(g, RDL_EXIT_UNAVAILABLE, why);
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

static int look_at_all(struct rdl_cli_query *l, struct rdl_cli_gaps *g, int *status)
{
    size_t shown = 0;

    for (const char *name; (name = rdl_cli_search_next(l, g)) != NULL;) {
        struct rdl_cli_verdict v;
        rdl_cli_query_verdict(l, &v);
        check_state(l, &v, name, g);
        int rc = show(l, &v, name, shown++ == 0);
        if (rc != 0)
            return rc;
        *status = rdl_cli_worse(l, *status, v.what);
    }
    if (shown == 0 && l->o->owner != NULL)
        rdl_cli_print_verbose("no lock that begins with \"%s\" has an owner like \"%s\"", l->o->lock,
                              l->o->owner);
    else if (shown == 0)
        rdl_cli_print_verbose("no lock begins with \"%s\"", l->o->lock);
    return 0;
}

static int list(struct rdl_cli_query *l)
{
    struct rdl_cli_gaps gaps = {0, ""};
    int is_json = l->o->format == RDL_CLI_FORMAT_JSON;
    int is_prometheus = l->o->format == RDL_CLI_FORMAT_PROMETHEUS, status = 0, rc = 0;

    rdl_cli_search(l, &gaps);
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
