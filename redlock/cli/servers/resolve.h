/* SPDX-License-Identifier: MIT */
/* resolve.h - resolving names to addresses. */
#ifndef RDL_CLI_SERVERS_RESOLVE_H
#define RDL_CLI_SERVERS_RESOLVE_H

#include "net/net_posix_resolve.h"
#include "redlock/redlock.h"

enum { RDL_CLI_ADDRESS_MAX = 64 /* bytes of an address without a port */ };

/* The part of an endpoint that resolving its name changes. */
struct rdl_cli_ip {
    uint32_t scope;
    uint8_t family;
    uint8_t ip[16];
};

/* Resolves ep->host (rdl_posix_resolve). With --verbose it prints which address is not used. */
enum rdl_resolved rdl_cli_address_find(struct rdl_endpoint *ep, int any, const char **why,
                                       char all[RDL_ADDRESSES_MAX]);
struct rdl_cli_ip rdl_cli_address_of(const struct rdl_endpoint *ep);
void rdl_cli_address_take(struct rdl_endpoint *ep, const struct rdl_cli_ip *ip);

/*
 * Returns 1 for a unix socket or a loopback address: on each host it usually is another server. by_name: also
 * for the name of this host.
 */
int rdl_cli_address_is_own(const struct rdl_endpoint *ep, int by_name);

/* Writes the address, such as "192.0.2.1". */
void rdl_cli_address_words(const struct rdl_endpoint *ep, char out[RDL_CLI_ADDRESS_MAX]);

#endif
