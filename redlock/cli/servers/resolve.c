/* SPDX-License-Identifier: MIT */
/*
 * resolve.c - resolves a server's name to its address.
 *
 * A lock is on a server, and a name only leads to it. If a name leads two hosts to two servers, both get the
 * lock. So the choice must not depend on the order of the addresses, which resolvers rotate and each host
 * sorts differently. It must not depend on which address replies at the moment either.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/resolve.h"
#include "redlock/cli/output/output.h"
#include "redlock/redlock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROBE_MS = 250 };

struct rdl_cli_ip rdl_cli_address_of(const struct rdl_endpoint *ep)
{
    struct rdl_cli_ip ip = {ep->scope, ep->family, {0}};

    memcpy(ip.ip, ep->ip, sizeof ip.ip);
    return ip;
}

void rdl_cli_address_take(struct rdl_endpoint *ep, const struct rdl_cli_ip *ip)
{
    ep->scope = ip->scope;
    ep->family = ip->family;
    memcpy(ep->ip, ip->ip, sizeof ep->ip);
}

int rdl_cli_address_is_same(const struct rdl_endpoint *a, const struct rdl_endpoint *b)
{
    size_t len = a->family == RDL_INET ? 4 : 16;

    if (a->family != b->family || a->family == RDL_UNRESOLVED)
        return 0;
    if (a->family == RDL_UNIX)
        return strcmp(a->host, b->host) == 0;
    return a->port == b->port && a->scope == b->scope && memcmp(a->ip, b->ip, len) == 0;
}

void rdl_cli_address_words(const struct rdl_endpoint *ep, char out[RDL_CLI_ADDRESS_MAX])
{
    char ip[INET6_ADDRSTRLEN] = "none";

    if (ep->family == RDL_INET || ep->family == RDL_INET6)
        inet_ntop(ep->family == RDL_INET ? AF_INET : AF_INET6, ep->ip, ip, sizeof ip);
    snprintf(out, RDL_CLI_ADDRESS_MAX, ep->scope != 0 ? "%s%%%lu" : "%s", ip, (unsigned long)ep->scope);
}

/* Copies an address into the endpoint. */
static void take(struct rdl_endpoint *ep, const struct addrinfo *a)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    memset(ep->ip, 0, sizeof ep->ip);
    ep->scope = 0;
    if (a->ai_family == AF_INET) {
        memcpy(&in, a->ai_addr, sizeof in);
        memcpy(ep->ip, &in.sin_addr, 4);
        ep->family = RDL_INET;
    } else {
        memcpy(&in6, a->ai_addr, sizeof in6);
        memcpy(ep->ip, &in6.sin6_addr, 16);
        ep->scope = in6.sin6_scope_id;
        ep->family = RDL_INET6;
    }
}

/* Resolvers repeat addresses: for each kind of socket, or if two sources have the name. */
static int is_same(const struct addrinfo *a, const struct addrinfo *b)
{
    struct rdl_endpoint one = {0}, other = {0};

    take(&one, a);
    take(&other, b);
    return rdl_cli_address_is_same(&one, &other);
}

/* Returns the next new address of this family after a (NULL: the first in the list). */
static const struct addrinfo *next(const struct addrinfo *list, const struct addrinfo *a, int family)
{
    for (a = a == NULL ? list : a->ai_next; a != NULL; a = a->ai_next) {
        const struct addrinfo *b = list;
        if (a->ai_family != family)
            continue;
        while (b != a && !(b->ai_family == family && is_same(a, b)))
            b = b->ai_next;
        if (b == a)
            return a;
    }
    return NULL;
}

static int is_loopback(const struct addrinfo *a)
{
    static const uint8_t one[16] = {[15] = 1};
    struct rdl_endpoint ep = {0};

    take(&ep, a);
    return ep.family == RDL_INET ? ep.ip[0] == 127 : memcmp(ep.ip, one, 16) == 0;
}

/* Returns 1 if a server listens at this address. */
static int listens(const struct addrinfo *a)
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

static const struct addrinfo *first_that_listens(const struct addrinfo *list, int family)
{
    const struct addrinfo *a = next(list, NULL, family);

    while (a != NULL && !listens(a))
        a = next(list, a, family);
    return a;
}

/* Returns this address in the list, or NULL. */
static const struct addrinfo *among(const struct addrinfo *list, const struct rdl_endpoint *had)
{
    struct rdl_endpoint ep = *had;

    for (; list != NULL; list = list->ai_next) {
        if (list->ai_family != AF_INET && list->ai_family != AF_INET6)
            continue;
        take(&ep, list);
        if (rdl_cli_address_is_same(&ep, had))
            return list;
    }
    return NULL;
}

/* A server that comes back has its old address, even if no server listens there at the moment. */
static const struct addrinfo *choose_listening(const struct addrinfo *list, const struct rdl_endpoint *had)
{
    const struct addrinfo *a = first_that_listens(list, AF_INET);

    if (a == NULL)
        a = first_that_listens(list, AF_INET6);
    return a != NULL ? a : among(list, had);
}

static const struct addrinfo *choose(const struct addrinfo *list, const struct rdl_endpoint *had, int any)
{
    const struct addrinfo *v4 = next(list, NULL, AF_INET), *v6 = next(list, NULL, AF_INET6);
    const struct addrinfo *first = v4 != NULL ? v4 : v6, *a = NULL;
    int is_several = (v4 != NULL && next(list, v4, AF_INET)) || (v6 != NULL && next(list, v6, AF_INET6));

    if (is_several && !any)
        return NULL;
    /* "localhost": many servers listen on one of its two addresses only, and both are this host */
    if (any || (v4 != NULL && v6 != NULL && is_loopback(v4) && is_loopback(v6)))
        a = choose_listening(list, had);
    return a != NULL ? a : first;
}

int rdl_cli_address_is_own(const struct rdl_endpoint *ep)
{
    static const uint8_t six[16] = {[15] = 1}, mapped[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};

    if (ep->family == RDL_INET6)
        return memcmp(ep->ip, six, sizeof six) == 0 || memcmp(ep->ip, mapped, sizeof mapped) == 0;
    return ep->family == RDL_UNIX || (ep->family == RDL_INET && ep->ip[0] == 127);
}

/* Writes all addresses: "192.0.2.1, 192.0.2.2". */
static void write_all(const struct addrinfo *list, char *out, size_t cap)
{
    static const int families[] = {AF_INET, AF_INET6};
    char text[64];
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < 2; i++) {
        for (const struct addrinfo *a = next(list, NULL, families[i]); a != NULL;
             a = next(list, a, families[i])) {
            if (getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0 ||
                n + strlen(text) + 3 > cap)
                continue;
            n += (size_t)snprintf(out + n, cap - n, "%s%s", n > 0 ? ", " : "", text);
        }
    }
}

static void note_unused(const struct rdl_endpoint *ep, const struct addrinfo *list)
{
    if (ep->family == RDL_INET && next(list, NULL, AF_INET6) != NULL)
        rdl_cli_print_verbose("%s: its IPv4 address is used, not its IPv6 address", ep->host);
}

enum rdl_cli_address rdl_cli_address_find(struct rdl_endpoint *ep, int any, const char **why,
                                          char all[RDL_CLI_ADDRESSES_MAX])
{
    struct addrinfo hints, *list = NULL;
    const struct addrinfo *a = NULL;
    char service[8];
    int is_none = 1;

    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    snprintf(service, sizeof service, "%u", (unsigned)ep->port);
    int rc = getaddrinfo(ep->host, service, &hints, &list);
    if (rc != 0) {
        *why = rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc);
        return rc == EAI_AGAIN ? RDL_CLI_ADDRESS_LATER : RDL_CLI_ADDRESS_NONE;
    }
    is_none = next(list, NULL, AF_INET) == NULL && next(list, NULL, AF_INET6) == NULL;
    if (!is_none)
        a = choose(list, ep, any);
    write_all(list, all, RDL_CLI_ADDRESSES_MAX);
    if (a != NULL) {
        take(ep, a);
        note_unused(ep, list);
    }
    freeaddrinfo(list);
    *why = "it has neither IPv4 nor IPv6";
    return is_none ? RDL_CLI_ADDRESS_NONE : a == NULL ? RDL_CLI_ADDRESS_SEVERAL : RDL_CLI_ADDRESS_FOUND;
}
