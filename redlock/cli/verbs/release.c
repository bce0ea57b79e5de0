/* SPDX-License-Identifier: MIT */
/* `redlock release`: releases the lock of a token. */
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

static int release(struct rdl_cli_lock *l, const char token[RDL_TOKEN_TEXT_MAX])
{
    int rc, status = 0;

    rdl_cli_lease_adopt(l, token);
    rdl_cli_wait_connected(l);
    rc = rdl_cli_wait_for(l, rdl_cli_lease_release(l, rdl_cli_now(l)));
    if (rc != RDL_OK) {
        status = rdl_cli_lock_not_done(l, rc, "released");
        rdl_cli_event(l, RDL_CLI_FAILED, rdl_strerror(rc), status);
    }
    rdl_cli_lease_finish(l);
    if (rc == RDL_OK) {
        rdl_cli_event(l, RDL_CLI_RELEASED, NULL, -1);
        rdl_cli_print_verbose("%s released", l->o->lock);
        rdl_cli_lock_note_servers(l);
    }
    return status;
}

int rdl_cli_release(int argc, char **argv)
{
    return rdl_cli_adopt(RDL_CLI_RELEASE, argc, argv, release);
}
