/* SPDX-License-Identifier: MIT */
/* What every verb begins with: from its options to a lock that can be asked for. */
#include "redlock/cli/cli.h"

int rdl_cli_start(struct rdl_cli_lock *l, const struct rdl_cli_options *o)
{
    static struct rdl_cli_servers servers; /* the lock borrows them */

    int rc = rdl_cli_servers_init(&servers, o);
    if (rc == 0 && o->trace)
        rc = rdl_cli_trace_open(&servers, o->trace_file);
    rdl_posix_init(&l->posix, &l->net);
    if (rc == 0)
        rc = rdl_cli_signals_open(&l->posix.wake_fd);
    if (rc != 0)
        return rc;
    l->o = o;
    l->servers = &servers;
    l->opt.lease.ttl_ms = o->ttl_ms;
    l->opt.lease.attempt_ms = o->attempt_ms;
    l->opt.max_ttl_ms = o->max_ttl_ms;
    l->opt.max_hold_ms = o->max_hold_ms;
    l->opt.guard = (uint8_t)o->guard;
    rdl_cli_lease_init(l);
    return 0;
}
