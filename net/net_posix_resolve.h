/* SPDX-License-Identifier: MIT */
/** @file
 * @brief net_posix_resolve.h - the address of a server's host name, on POSIX hosts. */
#ifndef RDL_NET_POSIX_RESOLVE_H
#define RDL_NET_POSIX_RESOLVE_H

#include "net/net.h"

/** @addtogroup libredlock_posix
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** What rdl_posix_resolve() found. */
enum rdl_resolved {
    RDL_RESOLVED,        /**< the endpoint has the address */
    RDL_RESOLVED_NONE,   /**< the name has no address */
    RDL_RESOLVED_LATER,  /**< no name server replied; the next call may succeed */
    RDL_RESOLVED_SEVERAL /**< the name has several addresses, which may be several servers */
};

/** Sizes. */
enum {
    RDL_ADDRESSES_MAX = 400 /**< bytes for the addresses of a name, as text */
};

/**
 * Resolves the host name of an endpoint (getaddrinfo).
 *
 * A lock is on a server, and a name only leads to it. If a name leads two hosts to two servers, both get the
 * lock. So all hosts must get the same result, whatever the order of the addresses. If a name has IPv4 and
 * IPv6 addresses, the IPv4 address is used. A name with several addresses of one kind has no result, unless
 * you accept any of them. For `localhost`, the IPv6 address is used if no server listens on the IPv4 address.
 *
 * This is the only call of the library that may block without a limit of its own: for as long as the system's
 * resolver takes, and for 250 ms for each address that it tries to connect to. Call it between operations.
 *
 * @param ep   an endpoint with a host; its address, family and scope are replaced if one was found
 * @param any  1: of several addresses, take the first where a server listens, or else the one that the
 *             endpoint had; 0: do not choose
 * @param why  receives the reason if the name has no address: a constant text
 * @param all  NULL, or receives all addresses, as "192.0.2.1, 192.0.2.2"; RDL_ADDRESSES_MAX bytes
 * @return what was found; except with RDL_RESOLVED the endpoint is unchanged
 */
enum rdl_resolved rdl_posix_resolve(struct rdl_endpoint *ep, int any, const char **why, char *all);

/**
 * Returns whether two endpoints have the same address and port. Two names without an address do not.
 *
 * @param a  an endpoint
 * @param b  another one
 * @return 1: the same server, as far as the address shows; 0: it is not
 */
int rdl_posix_is_same_address(const struct rdl_endpoint *a, const struct rdl_endpoint *b);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
