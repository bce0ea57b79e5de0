/* SPDX-License-Identifier: MIT */
/*
 * `redlock status`: shows the holders of these locks, and how long they last at most; with --once, whether
 * the tick of each lock is done. It writes nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"

/* Shows one lock, or its tick. Returns 0 or an exit status; *state is what `status` exits with. */
static int look_at(struct rdl_cli_query *l, const char *name, int is_first, enum rdl_cli_state *state)
{
    struct rdl_cli_verdict v;

    if (l->o->once != NULL)
        return rdl_cli_tick_show(l, name, is_first, state);
    rdl_cli_query_at(l, name);
    rdl_cli_query_verdict(l, &v);
    int rc = l->o->format == RDL_CLI_FORMAT_JSON ? rdl_cli_query_json(l, &v, name, is_first)
                                                 : rdl_cli_query_show(l, &v, name);
    if (rc == 0)
        rdl_cli_query_apart(l, &v, name);
    *state = v.what;
    return rc;
}

static int look_at_all(struct rdl_cli_query *l)
{
    int is_json = l->o->format == RDL_CLI_FORMAT_JSON, status = 0;

    rdl_cli_host_differences_own(l->servers, l->o);
    if (is_json && rdl_cli_print("{\"locks\":[") != 0)
        return RDL_EXIT_OS;
    for (size_t k = 0; k < l->o->n_looked_at; k++) {
        enum rdl_cli_state state;
        int rc = look_at(l, l->o->looked_at[k], k == 0, &state);
        if (rc != 0)
            return rc;
        status = rdl_cli_worse(l, status, state);
    }
    return is_json && rdl_cli_print("]}\n") != 0 ? RDL_EXIT_OS : status;
}

int rdl_cli_status(int argc, char **argv)
{
    return rdl_cli_look(RDL_CLI_STATUS, argc, argv, look_at_all);
}
