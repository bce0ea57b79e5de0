/* SPDX-License-Identifier: MIT */
/* `redlock extend`: extends the lease of a token to one ttl from now. */
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

static int extend(struct rdl_cli_lock *l, const char token[RDL_TOKEN_TEXT_MAX])
{
    int rc, status;

    rdl_cli_lease_adopt(l, token);
    rdl_cli_wait_connected(l);
    rc = rdl_cli_wait_for(l, rdl_cli_lease_extend(l, rdl_cli_now(l)));
    if (rc < RDL_OK) {
        status = rdl_cli_lock_not_done(l, rc, "extended");
        rdl_cli_event(l, RDL_CLI_FAILED, rdl_strerror(rc), status);
        return status;
    }
    rdl_cli_lease_finish(l);
    rdl_cli_event(l, RDL_CLI_RENEWED, NULL, -1);
    rdl_cli_print_verbose("%s extended: it lasts for at least %.1f s", l->o->lock,
                          (double)(rdl_cli_lease_until_ms(l) - rdl_cli_now(l)) / 1000);
    rdl_cli_lock_note_servers(l);
    rdl_cli_warn_servers(l);
    return 0;
}

int rdl_cli_extend(int argc, char **argv)
{
    return rdl_cli_adopt(RDL_CLI_EXTEND, argc, argv, extend);
}
