/* SPDX-License-Identifier: MIT */
/* cli_trouble.c - why servers gave no useful reply, and the exit status if no majority did. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <errno.h>

enum rdl_cli_trouble rdl_cli_trouble_of(const struct rdl_conn *c, int error)
{
    switch (error) {
    case RDL_E_AUTH:
    case RDL_E_PERM:
        return RDL_CLI_REFUSED;
    case RDL_E_SYNTAX: /* if a server replied before, something else may reply in its place now */
        return rdl_conn_replies(c) > 0 ? RDL_CLI_SILENT : RDL_CLI_FOREIGN;
    case RDL_E_LIMIT:
    case RDL_E_UNEXPECTED:
        return RDL_CLI_FOREIGN;
    case RDL_E_URL:
    case RDL_E_UNSUPPORTED:
    case RDL_E_DB:
    case RDL_E_CLUSTER:
    case RDL_E_DUPLICATE:
        return RDL_CLI_HOPELESS;
    case RDL_E_SYSTEM: /* our own limit; a shortage of the whole host may pass */
        return rdl_posix_errno(c) == EMFILE ? RDL_CLI_OURS : RDL_CLI_SILENT;
    default:
        return RDL_CLI_SILENT;
    }
}

int rdl_cli_trouble_status(const struct rdl_cli_troubles *t)
{
    size_t quorum = t->n / 2 + 1, most = t->useful + t->of[RDL_CLI_SILENT];

    if (most >= quorum)
        return 0;
    if (most + t->of[RDL_CLI_OURS] >= quorum)
        return RDL_EXIT_OS;
    if (most + t->of[RDL_CLI_REFUSED] >= quorum || t->of[RDL_CLI_REFUSED] > t->of[RDL_CLI_FOREIGN])
        return RDL_EXIT_NOPERM;
    return t->of[RDL_CLI_FOREIGN] > 0 ? RDL_EXIT_PROTOCOL : RDL_EXIT_UNAVAILABLE;
}
