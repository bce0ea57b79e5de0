/* SPDX-License-Identifier: MIT */
/*
 * net_posix_resolve.c - the address of a server's host name.
 *
 * The choice must not depend on the order of the addresses, which resolvers rotate and each host sorts
 * differently. It must not depend on which address replies at the moment either, unless all are this host.
 */
#define _POSIX_C_SOURCE 200809L
#include "net/net_posix_resolve.h"
#include "net/net_posix_process.h"
#include "resp/resp_template.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROBE_MS = 250 };

int rdl_posix_is_same_address(const struct rdl_endpoint *a, const struct rdl_endpoint *b)
{
    size_t len = a->family == RDL_INET ? 4 : 16;

    if (a->family != b->family || a->family == RDL_UNRESOLVED)
        return 0;
    if (a->family == RDL_UNIX)
        return strcmp(a->host, b->host) == 0;
    return a->port == b->port && a->scope == b->scope && memcmp(a->ip, b->ip, len) == 0;
}

/* Copies an address into the endpoint. */
static void take_address(struct rdl_endpoint *ep, const struct addrinfo *a)
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
static int is_same_address(const struct addrinfo *a, const struct addrinfo *b)
{
    struct rdl_endpoint one = {0}, other = {0};

    take_address(&one, a);
    take_address(&other, b);
    return rdl_posix_is_same_address(&one, &other);
}

/* Returns the next new address of this family after a (NULL: the first in the list). */
static const struct addrinfo *next_address(const struct addrinfo *list, const struct addrinfo *a, int family)
{
    for (a = a == NULL ? list : a->ai_next; a != NULL; a = a->ai_next) {
        const struct addrinfo *b = list;
        if (a->ai_family != family)
            continue;
        while (b != a && (b->ai_family != family || !is_same_address(a, b)))
            b = b->ai_next;
        if (b == a)
            return a;
    }
    return NULL;
}

static int is_loopback_address(const struct addrinfo *a)
{
    static const uint8_t one[16] = {[15] = 1};
    struct rdl_endpoint ep = {0};

    take_address(&ep, a);
    return ep.family == RDL_INET ? ep.ip[0] == 127 : memcmp(ep.ip, one, 16) == 0;
}

/* Returns 1 if a server listens at this address. */
static int listens_at(const struct addrinfo *a)
{
    int fd = rdl_posix_socket(a->ai_family);
    int error = -1;
    socklen_t len = sizeof error;
    struct pollfd p = {fd, POLLOUT, 0};

    if (fd < 0)
        return 0;
    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
        error = 0;
    else if (errno == EINPROGRESS && poll(&p, 1, PROBE_MS) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
    close(fd);
    return error == 0;
}

static const struct addrinfo *first_that_listens(const struct addrinfo *list, int family)
{
    const struct addrinfo *a = next_address(list, NULL, family);

    while (a != NULL && !listens_at(a))
        a = next_address(list, a, family);
    return a;
}

/* Returns this address in the list, or NULL. */
static const struct addrinfo *find_address(const struct addrinfo *list, const struct rdl_endpoint *had)
{
    struct rdl_endpoint ep = *had;

    for (; list != NULL; list = list->ai_next) {
        if (list->ai_family != AF_INET && list->ai_family != AF_INET6)
            continue;
        take_address(&ep, list);
        if (rdl_posix_is_same_address(&ep, had))
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
    return a != NULL ? a : find_address(list, had);
}

static const struct addrinfo *choose_address(const struct addrinfo *list, const struct rdl_endpoint *had,
                                             int any)
{
    const struct addrinfo *v4 = next_address(list, NULL, AF_INET), *v6 = next_address(list, NULL, AF_INET6);
    const struct addrinfo *first = v4 != NULL ? v4 : v6, *a = NULL;
    int is_several =
        (v4 != NULL && next_address(list, v4, AF_INET)) || (v6 != NULL && next_address(list, v6, AF_INET6));

    if (is_several && !any)
        return NULL;
    /* "localhost": many servers listen on one of its two addresses only, and both are this host */
    if (any || (v4 != NULL && v6 != NULL && is_loopback_address(v4) && is_loopback_address(v6)))
        a = choose_listening(list, had);
    return a != NULL ? a : first;
}

/* Writes all addresses: "192.0.2.1, 192.0.2.2"; those that do not fit are left out. */
static void write_addresses(const struct addrinfo *list, char *out, size_t cap)
{
    static const int families[] = {AF_INET, AF_INET6};
    char text[64];
    size_t n = 0, i;

    for (i = 0; i < 2; i++) {
        const struct addrinfo *a = NULL;
        while ((a = next_address(list, a, families[i])) != NULL) {
            const char *comma = n > 0 ? ", " : "";
            if (getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0 ||
                n + strlen(comma) + strlen(text) >= cap)
                continue;
            n = (size_t)(stpcpy(stpcpy(out + n, comma), text) - out);
        }
    }
    out[n] = '\0';
}

enum rdl_resolved rdl_posix_resolve(struct rdl_endpoint *ep, int any, const char **why, char *all)
{
    struct addrinfo hints, *list = NULL;
    const struct addrinfo *a = NULL;
    char port[RDL_DEC_MAX + 1];
    int rc, is_none;

    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    port[rdl_dec_u32(port, ep->port)] = '\0';
    rc = getaddrinfo(ep->host, port, &hints, &list);
    if (rc != 0) {
        *why = gai_strerror(rc);
        return rc == EAI_AGAIN ? RDL_RESOLVED_LATER : RDL_RESOLVED_NONE;
    }
    is_none = next_address(list, NULL, AF_INET) == NULL && next_address(list, NULL, AF_INET6) == NULL;
    if (!is_none)
        a = choose_address(list, ep, any);
    if (all != NULL)
        write_addresses(list, all, RDL_ADDRESSES_MAX);
    if (a != NULL)
        take_address(ep, a);
    freeaddrinfo(list);
    *why = "it has neither IPv4 nor IPv6";
    return is_none ? RDL_RESOLVED_NONE : a == NULL ? RDL_RESOLVED_SEVERAL : RDL_RESOLVED;
}
