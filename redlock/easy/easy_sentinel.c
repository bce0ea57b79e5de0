/* SPDX-License-Identifier: MIT */
/* easy_sentinel.c - Sentinel groups as servers of easy.h. */
#include "lock/lock_line.h"
#include "net/net_posix_resolve.h"
#include "redlock/easy/easy_private.h"
#include "redlock/easy/sentinel.h"
#include "redlock/redlock_op.h"

#include <string.h>

enum { MASTER_RESOLVE_MS = 1000 }; /* the least time from one query of the resolver to the next */

/* Any URL without a name: the endpoint is set afterwards. */
static const char no_server[] = "redis://0.0.0.0";

/* Returns the group that is server i; NULL: it is none. */
static struct rdl_easy_group *group_at(const struct rdl_easy *e, size_t i)
{
    const struct rdl_easy_sentinel *s = e->options.sentinel;
    size_t k;

    for (k = 0; k < s->used; k++)
        if (s->groups[k].sentinel.server == &e->conns[i].conn)
            return &s->groups[k];
    return NULL;
}

/* ---------------------------------------------------------------- the poll */

/*
 * From now on easy.c resolves the host name that a sentinel reported like one in a URL, between the attempts.
 * The first time it is resolved here, if this is an acquire, which may block for it.
 */
static void resolve_master(struct rdl_easy *e, size_t i, struct rdl_easy_group *group)
{
    uint64_t now_ms = rdl_posix_now_ms();

    e->is_name[i] = group->sentinel.is_host_name;
    if (!e->is_name[i])
        e->unresolved[i] = NULL;
    if (!rdl_sentinel_needs_address(&group->sentinel))
        return;
    if (e->options.flags & RDL_EASY_RESOLVE_ONCE) {
        e->unresolved[i] = "a sentinel named it, and RDL_EASY_RESOLVE_ONCE is set";
    } else if (e->lock.action == RDL_ACQUIRE &&
               (group->resolved_ms == 0 || now_ms >= group->resolved_ms + MASTER_RESOLVE_MS)) {
        group->resolved_ms = now_ms;
        rdl_easy_resolve(e, i);
    }
}

static int poll_with_sentinels(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                               unsigned flags)
{
    struct rdl_sentinel *groups[RDL_SERVERS_MAX];
    struct rdl_easy *e = ctx;
    const struct rdl_easy_sentinel *s = e->options.sentinel;
    size_t k;
    int rc;

    for (k = 0; k < s->used; k++)
        groups[k] = &s->groups[k].sentinel;
    rc = rdl_sentinel_poll(&s->inner, groups, s->used, conns, n, until_ms, flags);
    for (k = 0; k < e->n; k++)
        if (group_at(e, k) != NULL)
            resolve_master(e, k, group_at(e, k));
    return rc;
}

/* ---------------------------------------------------------------- set-up */

/* Any address of a sentinel will do. If there is none now, it keeps the one that it had. */
static void resolve_sentinels(struct rdl_sentinel *g)
{
    const char *why;
    size_t i;

    for (i = 0; i < g->n; i++)
        if ((unsigned)g->names >> i & 1u)
            (void)rdl_posix_resolve(&g->list[i], 1, &why, NULL);
}

/* Sets up the connection to the sentinels. */
static void set_sentinels(struct rdl_easy *e, struct rdl_easy_group *group, size_t k)
{
    const char *password = e->options.sentinel->password;
    struct rdl_sentinel *g = &group->sentinel;
    struct rdl_posix_conn *asks = &group->asks;
    size_t i;

    (void)rdl_posix_conn_init(asks, no_server, NULL);
    asks->config.connect_ms = RDL_SENTINEL_CONNECT_MS;
    for (i = 0; i < g->n && password != NULL; i++)
        g->list[i].password = (struct rdl_bytes){password, strlen(password)};
    if (g->is_sentinel_tls)
        rdl_easy_set_stream(e, asks, RDL_EASY_STREAMS + k);
    rdl_sentinel_begin(g, g->server, g->master, &asks->conn, &asks->endpoint);
    resolve_sentinels(g);
}

static int group_add(struct rdl_easy *e, size_t i, const char **urls)
{
    struct rdl_easy_sentinel *s = e->options.sentinel;
    struct rdl_posix_conn *p = &e->conns[i];
    struct rdl_easy_group *group = &s->groups[s->used];
    char url[RDL_SENTINEL_URL_MAX];
    size_t len = strcspn(*urls, " \t\r\n");
    const char *why = NULL;
    int rc;

    if (s->used == s->n)
        return rdl_easy_refuse_url(e, RDL_E_CONFIG, i,
                                   "it is one Sentinel group more than n in struct rdl_easy_sentinel");
    if (len >= sizeof url)
        return rdl_easy_refuse_url(e, RDL_E_SPACE, i, "the URL is too long");
    memcpy(url, *urls, len);
    url[len] = '\0';
    *urls += len;
    (void)rdl_posix_conn_init(p, no_server, NULL);
    rc = rdl_sentinel_parse(&group->sentinel, &p->endpoint, url, &why);
    if (rc != RDL_OK)
        return rdl_easy_refuse_url(e, rc, i, why);
    group->sentinel.server = &p->conn;
    group->sentinel.master = &p->endpoint;
    if (i == 0)
        group->sentinel.second = &e->hint_conn.endpoint;
    e->is_tls[i] = group->sentinel.is_tls;
    group->sentinel.is_tls = 0; /* a stream connects to an address, like a socket */
    rc = rdl_easy_set_server(e, i);
    if (rc != RDL_OK)
        return rc;
    set_sentinels(e, group, s->used++);
    if ((e->options.flags & RDL_EASY_NO_RESTART_GUARD) == 0)
        e->options.flags |= RDL_EASY_CANARY;
    return 1;
}

static void groups_begin(struct rdl_easy *e)
{
    struct rdl_easy_sentinel *s = e->options.sentinel;
    size_t k;

    for (k = 0; k < s->used; k++) {
        struct rdl_sentinel *g = &s->groups[k].sentinel;
        if (g->server->checks != NULL) /* it has none if the lock's set-up failed */
            rdl_guard_require_info(g->server);
        g->action = &e->lock.action;
        g->has_canary = (e->options.flags & RDL_EASY_CANARY) != 0;
    }
    s->inner = e->sockets;
    e->sockets.poll = poll_with_sentinels;
    e->sockets.ctx = e;
}

/* ---------------------------------------------------------------- the other functions */

static void groups_resolve(struct rdl_easy *e)
{
    const struct rdl_easy_sentinel *s = e->options.sentinel;
    size_t k;

    for (k = 0; k < s->used; k++)
        if (rdl_sentinel_text(&s->groups[k].sentinel)[0] != '\0')
            resolve_sentinels(&s->groups[k].sentinel);
}

static void groups_close(struct rdl_easy *e)
{
    struct rdl_easy_sentinel *s = e->options.sentinel;
    size_t k;

    for (k = 0; k < s->used; k++)
        rdl_posix_close(&s->groups[k].asks.conn);
    s->used = 0;
}

static int group_add_where(struct rdl_line *line, const struct rdl_easy *e, size_t i)
{
    const struct rdl_easy_group *group = group_at(e, i);

    if (group == NULL)
        return 0;
    rdl_sentinel_add_where(line, &group->sentinel);
    return 1;
}

static const char *group_text(const struct rdl_easy *e, size_t i)
{
    const struct rdl_easy_group *group = group_at(e, i);

    return group != NULL ? rdl_sentinel_text(&group->sentinel) : "";
}

const struct rdl_easy_sentinel_ops rdl_easy_sentinel = {group_add,    groups_begin,    groups_resolve,
                                                        groups_close, group_add_where, group_text};
