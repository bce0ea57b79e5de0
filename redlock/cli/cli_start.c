/* SPDX-License-Identifier: MIT */
/* What every verb begins with: its options, connections, and a lock that can be asked for. */
#include "redlock/cli/cli.h"

int rdl_cli_options_read(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv,
                         int *status)
{
    *status = rdl_cli_options_parse(o, verb, argc, argv);
    if (*status == 0 && o->help) {
        *status = rdl_cli_help(verb);
        return 0;
    }
    if (*status == 0)
        *status = rdl_cli_options_settle(o);
    return *status == 0;
}

int rdl_cli_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o, struct rdl_posix *posix,
                 struct rdl_net *net)
{
    int rc = rdl_cli_servers_init(s, o);

    if (rc == 0 && o->trace)
        rc = rdl_cli_trace_open(s, o->trace_file);
    rdl_posix_init(posix, net);
    return rc == 0 ? rdl_cli_signals_open(&posix->wake_fd) : rc;
}

int rdl_cli_start(struct rdl_cli_lock *l, const struct rdl_cli_options *o)
{
    static struct rdl_cli_servers servers; /* the lock borrows them */

    int rc = rdl_cli_open(&servers, o, &l->posix, &l->net);
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
