/* SPDX-License-Identifier: MIT */
/* `redlock status`: shows the holders of these locks, and how long they last at most. It writes nothing. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"

static int look_at_all(struct rdl_cli_query *l)
{
    int is_json = l->o->format == RDL_CLI_FORMAT_JSON, status = 0;

    rdl_cli_host_differences_own(l->servers, l->o);
    if (is_json && rdl_cli_print("{\"locks\":[") != 0)
        return RDL_EXIT_OS;
    for (size_t k = 0; k < l->o->n_looked_at; k++) {
        const char *name = l->o->looked_at[k];
        struct rdl_cli_verdict v;
        rdl_cli_query_at(l, name);
        rdl_cli_query_verdict(l, &v);
        int rc = is_json ? rdl_cli_query_json(l, &v, name, k == 0) : rdl_cli_query_show(l, &v, name);
        if (rc != 0)
            return rc;
        rdl_cli_query_apart(l, &v, name);
        status = rdl_cli_worse(l, status, v.what);
    }
    return is_json && rdl_cli_print("]}\n") != 0 ? RDL_EXIT_OS : status;
}

int rdl_cli_status(int argc, char **argv)
{
    return rdl_cli_look(RDL_CLI_STATUS, argc, argv, look_at_all);
}
