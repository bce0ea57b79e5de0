/* SPDX-License-Identifier: MIT */
/* `redlock run`: waits for the lock, runs a command while it renews the lock, and releases it. */
#include "redlock/cli/child/child.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"

int rdl_cli_run(int argc, char **argv)
{
    static struct rdl_cli_options options; /* the lock borrows them */
    static struct rdl_cli_lock lock;
    static char slot[RDL_CLI_SLOT_MAX];
    int rc;

    if (!rdl_cli_options_read(&options, RDL_CLI_RUN, argc, argv, &rc))
        return rc;
    rc = rdl_cli_start(&lock, &options);
    if (rc != 0)
        return rc;
    rdl_cli_child_check_program(&options);
    if (!rdl_cli_wait(&lock, &rc))
        return rc;
    if (options.slots != 0) { /* from now on the slot's lock is ours */
        rdl_cli_slot_name(options.lock, lock.slots.slot, slot);
        options.lock = slot;
    }
    return rdl_cli_supervise(&lock);
}
