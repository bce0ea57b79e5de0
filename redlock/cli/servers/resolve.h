/* SPDX-License-Identifier: MIT */
/* resolve.h - resolving names to addresses. */
#ifndef RDL_CLI_SERVERS_RESOLVE_H
#define RDL_CLI_SERVERS_RESOLVE_H

#include "redlock/redlock.h"

enum {
    RDL_CLI_ADDRESS_MAX = 64,   /* bytes of an address without a port */
    RDL_CLI_ADDRESSES_MAX = 400 /* bytes of all addresses of a name; below any PIPE_BUF */
};

/* The part of an endpoint that resolving its name changes. */
struct rdl_cli_ip {
    uint32_t scope;
    uint8_t family;
    uint8_t ip[16];
};

enum rdl_cli_address {
    RDL_CLI_ADDRESS_FOUND,
    RDL_CLI_ADDRESS_NONE,
    RDL_CLI_ADDRESS_LATER,
    RDL_CLI_ADDRESS_SEVERAL
};

/*
 * Resolves ep->host. FOUND: ep has the address. NONE: *why has the reason. LATER: the same, but the next try
 * may succeed. SEVERAL: the name has several addresses of one family, which `all` lists.
 *
 * All hosts must get the same result. So if a name has both families, IPv4 is used; for loopback, IPv6 is
 * used if no server listens on the IPv4 address. With `any`, the first address that replies is used, or else
 * the one that ep had.
 */
enum rdl_cli_address rdl_cli_address_find(struct rdl_endpoint *ep, int any, const char **why,
                                          char all[RDL_CLI_ADDRESSES_MAX]);
struct rdl_cli_ip rdl_cli_address_of(const struct rdl_endpoint *ep);
void rdl_cli_address_take(struct rdl_endpoint *ep, const struct rdl_cli_ip *ip);

/* Returns 1 for the same address and port. Two unknown addresses are not the same. */
int rdl_cli_address_is_same(const struct rdl_endpoint *a, const struct rdl_endpoint *b);

/* Returns 1 for a unix socket or a loopback address: on each host it usually is another server. */
int rdl_cli_address_is_own(const struct rdl_endpoint *ep);

/* Writes the address, such as "192.0.2.1". */
void rdl_cli_address_words(const struct rdl_endpoint *ep, char out[RDL_CLI_ADDRESS_MAX]);

#endif
