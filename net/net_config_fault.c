/* SPDX-License-Identifier: MIT */
/* net_config_fault.c - what is wrong with the configuration of a conn. Linked only if a program calls it. */
#include "net/net_private.h"

const char *rdl_conn_config_fault(const struct rdl_conn_config *cfg, size_t queue_len)
{
    if (cfg->methods == NULL)
        return "rdl_conn_config.methods is not set";
    if (rdl_config_check(cfg) != RDL_OK)
        return "the endpoint needs a login, but rdl_conn_config.login is not set";
    return cfg->queue_len < queue_len ? "rdl_conn_config.queue is too short for the lock (RDL_QUEUE_FOR)"
                                      : NULL;
}
