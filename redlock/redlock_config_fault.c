/* SPDX-License-Identifier: MIT */
/* redlock_config_fault.c - what is wrong with a redlock's set-up. Linked only if a program calls it. */
#include "redlock/redlock_private.h"

const char *rdl_redlock_config_fault(const struct rdl_redlock_options *opt, const struct rdl_server *servers,
                                     size_t n)
{
    size_t i;

    if (n < 1 || n > RDL_SERVERS_MAX)
        return "a lock must have 1 to 7 servers";
    if (rdl_guard_requires_info(opt->guard) < 0)
        return "rdl_redlock_options.guard is invalid";
    for (i = 0; i < n; i++) {
        if (servers[i].conn->cfg->server_info == NULL)
            return "rdl_conn_config.server_info is not set";
        if (rdl_guard_is_late(servers[i].conn))
            return "a connection was opened before rdl_redlock_init (rdl_guard_conn)";
    }
    return NULL;
}
