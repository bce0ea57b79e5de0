/* SPDX-License-Identifier: MIT */
/* sentinel_groups.c - servers that are Sentinel groups: their set-up, and the poll that asks sentinels. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/sentinel_groups.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/cli/servers/resolve.h"
#include "redlock/redlock_op.h"

#include <stdlib.h>
#include <string.h>

static struct rdl_cli_servers *servers;
static struct rdl_platform inner;               /* the platform that does not know of groups */
static int is_leasing;                          /* a lock may be held meanwhile */
static unsigned char is_named[RDL_SERVERS_MAX]; /* by a host name, whose address is not known */

/* Returns the number of the connection to the sentinels of server i. */
static size_t asks(size_t i)
{
    return RDL_CLI_SENTINEL_CONN + i;
}

/* ---------------------------------------------------------------- set-up */

int rdl_cli_group_parse(struct rdl_cli_servers *s, size_t i, const char *url, const char **why)
{
    struct rdl_sentinel *g = calloc(1, sizeof *g); /* kept until the process ends */

    *why = "there is no memory for it";
    if (g == NULL)
        return RDL_E_SPACE;
    int rc = rdl_sentinel_parse(g, &s->endpoint[i], url, why);
    if (rc != RDL_OK) {
        free(g);
        return rc;
    }
    s->group[i] = g;
    s->is_tls[i] = g->is_tls;
    s->is_tls[asks(i)] = g->is_sentinel_tls;
    return RDL_OK;
}

void rdl_cli_group_resolve(const struct rdl_cli_servers *s, size_t i)
{
    struct rdl_sentinel *g = s->group[i];
    char all[RDL_ADDRESSES_MAX];
    const char *why;

    for (size_t k = 0; k < g->n && !g->is_sentinel_tls; k++) {
        if (g->list[k].family != RDL_UNRESOLVED)
            continue;
        enum rdl_resolved found = rdl_cli_address_find(&g->list[k], 1, &why, all); /* any sentinel will do */
        if (found != RDL_RESOLVED)
            rdl_cli_print_warning("no address for sentinel %s (%s): the master of %s is not looked up there",
                                  g->list[k].host, why, g->name);
    }
}

static int has_sentinel(const struct rdl_sentinel *g, const struct rdl_endpoint *ep)
{
    for (size_t k = 0; k < g->n; k++)
        if (rdl_posix_is_same_address(&g->list[k], ep) ||
            (g->list[k].port == ep->port && strcmp(g->list[k].host, ep->host) == 0))
            return 1;
    return 0;
}

int rdl_cli_group_is_same(const struct rdl_sentinel *a, const struct rdl_sentinel *b)
{
    if (a == NULL || b == NULL || strcmp(a->name, b->name) != 0)
        return 0;
    for (size_t k = 0; k < a->n; k++)
        if (has_sentinel(b, &a->list[k]))
            return 1;
    return 0;
}

int rdl_cli_groups_log_in(struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    struct rdl_bytes password = {NULL, 0};
    int rc = rdl_cli_secret_read(o, RDL_CLI_OF_SENTINELS, &password);

    if (password.len > 0)
        rdl_cli_harden();
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; s->group[i] != NULL && k < s->group[i]->n; k++)
            s->group[i]->list[k].password = password;
    return rc;
}

void rdl_cli_groups_begin(struct rdl_cli_servers *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->group[i] == NULL)
            continue;
        rdl_sentinel_begin(s->group[i], &s->conn[i], &s->endpoint[i], &s->conn[asks(i)],
                           &s->endpoint[asks(i)]);
    }
    if (s->group[0] != NULL)
        s->group[0]->second = &s->endpoint[s->n];
}

/* ---------------------------------------------------------------- the poll */

/*
 * Resolves a master's host name. The first time no lock is held, so this may block. Later it is looked up as
 * the name in a URL is.
 */
static void resolve_master(struct rdl_cli_servers *s, size_t i)
{
    char all[RDL_ADDRESSES_MAX];
    const char *why = "it has several";

    if (s->is_name[i] && is_leasing) {
        s->is_new_name[i] = 1;
        return;
    }
    s->is_name[i] = s->may_resolve[i] = 1;
    if (rdl_cli_address_find(&s->endpoint[i], s->any_address, &why, all) == RDL_RESOLVED)
        s->unresolved[i] = NULL;
    else
        s->unresolved[i] = why;
    if (i == 0 && s->group[i]->second != NULL) {
        struct rdl_cli_ip ip = rdl_cli_address_of(&s->endpoint[i]);
        rdl_cli_address_take(s->group[i]->second, &ip);
    }
}

static int poll_groups(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    struct rdl_sentinel *groups[RDL_SERVERS_MAX];
    size_t n_groups = 0;

    (void)ctx;
    for (size_t i = 0; i < servers->n; i++)
        if (servers->group[i] != NULL)
            groups[n_groups++] = servers->group[i];
    int rc = rdl_sentinel_poll(&inner, groups, n_groups, conns, n, until_ms, flags);
    for (size_t i = 0; i < servers->n; i++) {
        int needs_address = servers->group[i] != NULL && rdl_sentinel_needs_address(servers->group[i]);
        if (needs_address && !is_named[i])
            resolve_master(servers, i);
        is_named[i] = (unsigned char)needs_address;
    }
    return rc;
}

void rdl_cli_groups_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o,
                         struct rdl_platform *platform)
{
    if (!o->has_group)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (s->group[i] != NULL && o->guard == RDL_GUARD_OFF && (o->verb & RDL_CLI_GETTING))
            rdl_cli_print_warning_always("--restart-guard=off with the Sentinel group %s: after a failover a "
                                         "second client may get the "
                                         "lock while the first still holds it",
                                         s->group[i]->name);
    servers = s;
    is_leasing = (o->verb & RDL_CLI_GETTING) != 0;
    inner = *platform;
    platform->poll = poll_groups;
}

const char *rdl_cli_group_said(const struct rdl_cli_servers *s, size_t i)
{
    int is_unknown = s->group[i] != NULL && rdl_conn_state(&s->conn[i]) != RDL_CONN_READY;

    return is_unknown ? rdl_sentinel_text(s->group[i]) : "";
}
