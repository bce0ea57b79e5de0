/* SPDX-License-Identifier: MIT */
/*
 * sentinel.h - a Sentinel group as a server, for easy.h and for the command. No system call, no resolver.
 *
 * A group has two conns: one to the master, which locks use like that of any server, and one to a sentinel.
 * When the first wants to connect, the group asks the sentinels in turn, over the second, one connection at a
 * time. Only then the driver connects. If the server has stalled, they are asked, too.
 *
 *     for each turn of a loop
 *         at_ms = rdl_sentinel_step(g, now_ms);
 *         poll both conns, until at_ms at the latest (rdl_sentinel_poll does both)
 */
#ifndef RDL_EASY_SENTINEL_PRIVATE_H
#define RDL_EASY_SENTINEL_PRIVATE_H

#include "redlock/easy_sentinel.h"

enum { RDL_SENTINEL_CONNECT_MS = 1000 }; /* connect_ms of a conn to a sentinel */

/*
 * Returns the length of a group's scheme, such as "redis-sentinel://"; 0: it is another URL, or none.
 * *is_tls: as in rdl_line_scheme.
 */
size_t rdl_sentinel_scheme(const char *url, int *is_tls);

/*
 * Parses redis-sentinel://[[user]:password@]h1[:port],h2[:port].../NAME[/db][?sentinel-tls=no] into g->list,
 * g->name and g->url, and *master, which gets user, password and database, and a host that is "". A sentinel
 * whose host is a name has no address yet. The port is 26379 if it is left out. *why as in rdl_url_parse.
 */
int rdl_sentinel_parse(struct rdl_sentinel *g, struct rdl_endpoint *master, const char *url,
                       const char **why);

/*
 * Joins a parsed group with its conns: to the master, and to the sentinels. Both are set up and closed, and
 * the endpoint of the first is the one that was parsed.
 */
void rdl_sentinel_begin(struct rdl_sentinel *g, struct rdl_conn *server, struct rdl_endpoint *master,
                        struct rdl_conn *conn, struct rdl_endpoint *at);

/*
 * Asks a sentinel if there is a reason to, or takes its reply. Returns when to call it again at the latest;
 * now_ms: the master has another address, so step what uses `server`.
 */
uint64_t rdl_sentinel_step(struct rdl_sentinel *g, uint64_t now_ms);

/* Returns 1 if a sentinel has named the master by a host name that is not resolved yet. */
int rdl_sentinel_needs_address(const struct rdl_sentinel *g);

/*
 * Returns 1 if a driver may service g->server: its address is known if it has to connect, and a sentinel
 * named it just now if it has an acquire or extend to send.
 */
int rdl_sentinel_may_run(const struct rdl_sentinel *g);

/* Returns 1 if a driver has to service g->conn. */
int rdl_sentinel_is_asking(const struct rdl_sentinel *g);

/*
 * The same as a platform's poll over groups: steps those whose server is among conns, adds their connections
 * to the sentinels, and leaves out servers that must wait for a sentinel.
 */
int rdl_sentinel_poll(const struct rdl_platform *inner, struct rdl_sentinel *const *groups, size_t n_groups,
                      struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags);

/* Returns why no sentinel has named the master, a text for people; "": one has, or none was asked yet. */
const char *rdl_sentinel_text(const struct rdl_sentinel *g);

/* Adds "mymaster (10.0.0.2:6379)", or the name alone if no sentinel has named a master yet. */
struct rdl_line;
void rdl_sentinel_add_where(struct rdl_line *line, const struct rdl_sentinel *g);

#endif
