/* SPDX-License-Identifier: MIT */
/* From URLs to connections. Names are looked up here, once, before there is a lock to lose. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROBE_MS = 250 };

void rdl_cli_servers_where(const struct rdl_cli_servers *s, size_t i, char out[RDL_CLI_WHERE_MAX])
{
    const struct rdl_endpoint *ep = &s->endpoint[i];
    int is_v6 = strchr(ep->host, ':') != NULL;

    if (ep->family == RDL_UNIX)
        snprintf(out, RDL_CLI_WHERE_MAX, "%s", ep->host);
    else
        snprintf(out, RDL_CLI_WHERE_MAX, "%s%s%s:%u", is_v6 ? "[" : "", ep->host, is_v6 ? "]" : "",
                 (unsigned)ep->port);
}

static int parse(struct rdl_endpoint *ep, const char *url, size_t i)
{
    const char *why = NULL;
    size_t cap = strlen(url) + 1;
    char *text = malloc(cap); /* lives as long as the process */

    if (text == NULL) {
        rdl_cli_fail("out of memory");
        return RDL_EXIT_OS;
    }
    if (rdl_url_parse(ep, url, text, cap, &why) == RDL_OK)
        return 0;
    /* never the URL itself: it may hold a password */
    rdl_cli_fail("URL number %zu: %s (redis://[[user]:password@]host[:port][/db] or unix:///path)", i + 1,
                 why != NULL ? why : "it cannot be read");
    return RDL_EXIT_DATA;
}

static void take_address(struct rdl_endpoint *ep, const struct addrinfo *a)
{
    if (a->ai_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, a->ai_addr, sizeof in);
        memcpy(ep->ip, &in.sin_addr, 4);
        ep->family = RDL_INET;
    } else {
        struct sockaddr_in6 in6;
        memcpy(&in6, a->ai_addr, sizeof in6);
        memcpy(ep->ip, &in6.sin6_addr, 16);
        ep->scope = in6.sin6_scope_id;
        ep->family = RDL_INET6;
    }
}

static int is_usable(const struct addrinfo *a)
{
    return a->ai_family == AF_INET || a->ai_family == AF_INET6;
}

/* Somebody listens there. */
static int probe(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM, 0);
    int error = -1;
    socklen_t len = sizeof error;
    struct pollfd p = {fd, POLLOUT, 0};

    if (fd < 0)
        return 0;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
        if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
            error = 0;
        else if (errno == EINPROGRESS && poll(&p, 1, PROBE_MS) == 1)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
    }
    close(fd);
    return error == 0;
}

/*
 * The first address of a name; of several, the first where somebody listens: "localhost" is ::1 first on
 * most hosts, and many servers listen on 127.0.0.1 alone.
 */
static const char *resolve(struct rdl_endpoint *ep)
{
    struct addrinfo hints, *list = NULL, *first = NULL;
    char service[8];

    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    snprintf(service, sizeof service, "%u", (unsigned)ep->port);
    int rc = getaddrinfo(ep->host, service, &hints, &list);
    if (rc != 0)
        return rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc);
    unsigned count = 0;
    for (struct addrinfo *a = list; a != NULL; a = a->ai_next) {
        if (first == NULL && is_usable(a))
            first = a;
        count += (unsigned)is_usable(a);
    }
    struct addrinfo *pick = count > 1 ? list : NULL;
    while (pick != NULL && !(is_usable(pick) && probe(pick)))
        pick = pick->ai_next;
    if (first != NULL)
        take_address(ep, pick != NULL ? pick : first);
    freeaddrinfo(list);
    return first == NULL ? "it has no address" : NULL;
}

/* A few names without an address are a few servers that are down; a majority of them is hopeless. */
static int resolve_all(struct rdl_cli_servers *s)
{
    char where[RDL_CLI_WHERE_MAX];
    size_t bad = 0, last = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (s->endpoint[i].family != RDL_UNRESOLVED)
            continue;
        s->unresolved[i] = resolve(&s->endpoint[i]);
        if (s->unresolved[i] != NULL) {
            bad++;
            last = i;
        }
    }
    if (bad == 0)
        return 0;
    rdl_cli_servers_where(s, last, where);
    if (s->n - bad >= s->n / 2 + 1) {
        rdl_cli_warn("no address for %s: %s; counted as down (%zu of %zu)", where, s->unresolved[last], bad,
                     s->n);
        return 0;
    }
    rdl_cli_fail("no address for %s: %s%s", where, s->unresolved[last],
                 s->n > 1 ? "; without it no majority of the servers is left" : "");
    return RDL_EXIT_NOHOST;
}

static int is_same(const struct rdl_endpoint *a, const struct rdl_endpoint *b)
{
    size_t len = a->family == RDL_INET ? 4 : 16;

    if (a->family != b->family || a->family == RDL_UNRESOLVED)
        return 0;
    if (a->family == RDL_UNIX)
        return strcmp(a->host, b->host) == 0;
    return a->port == b->port && a->scope == b->scope && memcmp(a->ip, b->ip, len) == 0;
}

/* One server under two URLs would have two votes. */
static int check_distinct(const struct rdl_cli_servers *s)
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!is_same(&s->endpoint[k], &s->endpoint[i]))
                continue;
            rdl_cli_fail("URL number %zu and number %zu are the same server: it would have two votes", k + 1,
                         i + 1);
            return RDL_EXIT_DATA;
        }
    }
    return 0;
}

static void connect_later(struct rdl_cli_servers *s, size_t i)
{
    struct rdl_conn_config *cfg = &s->config[i];

    cfg->endpoint = &s->endpoint[i];
    cfg->queue = s->queue[i];
    cfg->queue_len = sizeof s->queue[i];
    cfg->tx = s->tx[i];
    cfg->tx_len = sizeof s->tx[i];
    cfg->rx = s->rx;
    cfg->rx_len = sizeof s->rx;
    rdl_conn_init(&s->conn[i], cfg);
    s->conns[i] = &s->conn[i];
    if (i < s->n)
        s->server[i].conn = &s->conn[i];
}

void rdl_cli_servers_second(struct rdl_cli_servers *s)
{
    s->config[s->n] = s->config[0];
    s->endpoint[s->n] = s->endpoint[0];
    connect_later(s, s->n);
}

int rdl_cli_servers_init(struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    struct rdl_bytes password = {NULL, 0};
    int rc = rdl_cli_secret_read(o, &password);

    memset(s, 0, sizeof *s);
    s->n = o->n_urls;
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        struct rdl_endpoint *ep = &s->endpoint[i];
        rc = parse(ep, o->urls[i], i);
        if (password.len > 0)
            ep->password = password;
        if (rc == 0 && ep->password.len > RDL_CLI_SECRET_MAX) {
            rdl_cli_fail("URL number %zu: its password is longer than %d bytes", i + 1, RDL_CLI_SECRET_MAX);
            rc = RDL_EXIT_DATA;
        }
        if (ep->password.len > 0)
            rdl_cli_harden();
    }
    rdl_cli_secret_clean_env();
    if (rc == 0)
        rc = resolve_all(s);
    if (rc == 0)
        rc = check_distinct(s);
    for (size_t i = 0; i < s->n && rc == 0; i++)
        connect_later(s, i);
    return rc;
}
