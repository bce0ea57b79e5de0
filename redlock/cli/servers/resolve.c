/* SPDX-License-Identifier: MIT */
/* resolve.c - addresses of servers: their text, and which of them are this host. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/resolve.h"
#include "redlock/cli/output/output.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

void rdl_cli_address_words(const struct rdl_endpoint *ep, char out[RDL_CLI_ADDRESS_MAX])
{
    char ip[INET6_ADDRSTRLEN] = "none";

    if (ep->family == RDL_INET || ep->family == RDL_INET6)
        inet_ntop(ep->family == RDL_INET ? AF_INET : AF_INET6, ep->ip, ip, sizeof ip);
    snprintf(out, RDL_CLI_ADDRESS_MAX, ep->scope != 0 ? "%s%%%lu" : "%s", ip, (unsigned long)ep->scope);
}

int rdl_cli_address_is_own(const struct rdl_endpoint *ep, int by_name)
{
    static const uint8_t six[16] = {[15] = 1}, mapped[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};

    static const uint8_t any[16]; /* 0.0.0.0 and :: lead to this host, too */
    char name[256] = "";

    if (by_name && gethostname(name, sizeof name - 1) == 0 && strcmp(ep->host, name) == 0)
        return 1;
    if (ep->family == RDL_INET6)
        return memcmp(ep->ip, six, sizeof six) == 0 || memcmp(ep->ip, mapped, sizeof mapped) == 0 ||
               memcmp(ep->ip, any, sizeof any) == 0;
    return ep->family == RDL_UNIX ||
           (ep->family == RDL_INET && (ep->ip[0] == 127 || memcmp(ep->ip, any, 4) == 0));
}

enum rdl_resolved rdl_cli_address_find(struct rdl_endpoint *ep, int any, const char **why,
                                       char all[RDL_ADDRESSES_MAX])
{
    enum rdl_resolved found = rdl_posix_resolve(ep, any, why, all);

    if (found == RDL_RESOLVED && ep->family == RDL_INET && strchr(all, ':') != NULL)
        rdl_cli_print_verbose("%s: its IPv4 address is used, not its IPv6 address", ep->host);
    return found;
}
