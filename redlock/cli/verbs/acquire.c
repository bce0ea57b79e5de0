/* SPDX-License-Identifier: MIT */
/* `redlock acquire`: waits for the lock, prints its token, and keeps the lease. */
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

static int acquire(struct rdl_cli_lock *l)
{
    char token[RDL_TOKEN_TEXT_MAX];
    int status;

    if (!rdl_cli_wait(l, &status))
        return status;
    rdl_cli_lease_token(l, token);
    status = rdl_cli_token_write(token, rdl_cli_lease_fence(l), rdl_cli_lease_until_ms(l), l->o);
    if (status != 0)
        return rdl_cli_give_back_unread(l, status);
    rdl_cli_lease_finish(l);
    return 0;
}

int rdl_cli_acquire(int argc, char **argv)
{
    static struct rdl_cli_options options; /* the lock borrows them */
    static struct rdl_cli_lock lock;
    int rc;

    if (!rdl_cli_options_read(&options, RDL_CLI_ACQUIRE, argc, argv, &rc))
        return rc;
    if (options.token_file != NULL)
        rc = rdl_cli_token_create(options.token_file);
    if (rc == 0)
        rc = rdl_cli_start(&lock, &options);
    if (rc == 0)
        rc = acquire(&lock);
    rdl_cli_token_drop();
    return rc;
}
