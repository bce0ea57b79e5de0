/* SPDX-License-Identifier: MIT */
/* connections.h - the servers and their connections. */
#ifndef RDL_CLI_SERVERS_CONNECTIONS_H
#define RDL_CLI_SERVERS_CONNECTIONS_H

#include "net/net_credentials.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/resolve.h"
#include "redlock/easy/sentinel.h"
#include "redlock/redlock.h"

/*
 * The connections: of the servers; with --wake-hint one more, to the first server, after them; and, from
 * RDL_CLI_SENTINEL_CONN on, one of each server that is a Sentinel group, to its sentinels.
 */
enum { RDL_CLI_SENTINEL_CONN = RDL_SERVERS_MAX + 1, RDL_CLI_CONNS = RDL_CLI_SENTINEL_CONN + RDL_SERVERS_MAX };

struct rdl_cli_servers {
    size_t n;
    struct rdl_server server[RDL_SERVERS_MAX];
    struct rdl_conn conn[RDL_CLI_CONNS];
    struct rdl_conn *conns[RDL_SERVERS_MAX + 1];
    struct rdl_conn_config config[RDL_CLI_CONNS];
    struct rdl_endpoint endpoint[RDL_CLI_CONNS];
    struct rdl_credentials credentials[RDL_CLI_CONNS];
    struct rdl_sentinel *group[RDL_SERVERS_MAX]; /* NULL: it is none */
    unsigned char is_name[RDL_SERVERS_MAX];      /* its URL has a name instead of an address */
    /* rediss://: its endpoint has no address; the connect command opens its connections */
    unsigned char is_tls[RDL_CLI_CONNS];
    struct rdl_cli_ip tls_ip[RDL_SERVERS_MAX];  /* its address, as far as it is known here */
    int any_address;                            /* options.any_address */
    const char *password_file;                  /* and its password_file, */
    const char *sentinel_password_file;         /* and that */
    const char *unresolved[RDL_SERVERS_MAX];    /* why the name has no address, or NULL */
    unsigned char may_resolve[RDL_SERVERS_MAX]; /* a temporary failure: no name server replied */
    unsigned char is_new_name[RDL_SERVERS_MAX]; /* a sentinel has named its master by another name */
    char *several[RDL_SERVERS_MAX];             /* doctor: the addresses of a name that has more than one */
    uint64_t queue[RDL_CLI_CONNS][1024 / 8];
    struct rdl_server_info server_info[RDL_CLI_CONNS];
    char text[RDL_CLI_CONNS][RDL_TEXT_MAX]; /* the text of each server's last error reply */
};

/*
 * Parses the URLs and resolves the names. Returns 0, or an exit status after it printed the reason. The
 * doctor continues despite problems with addresses.
 */
int rdl_cli_servers_init(struct rdl_cli_servers *s, const struct rdl_cli_options *o);

/*
 * Returns 1 if a login was refused whose password has changed since in --password-file: the next one has the
 * new one. Call it in every turn of the loop.
 */
int rdl_cli_servers_log_in_again(const struct rdl_cli_servers *s);

/* Sets up a second connection to the first server, as conn[n]. */
void rdl_cli_servers_second(struct rdl_cli_servers *s);

/* Returns 1 if both servers have the same address. */
int rdl_cli_servers_is_same(const struct rdl_cli_servers *s, size_t i, size_t k);

/* Returns 1 if the server is on this host. The others count such servers, and those known to be elsewhere. */
int rdl_cli_servers_is_own(const struct rdl_cli_servers *s, size_t i);
size_t rdl_cli_servers_own(const struct rdl_cli_servers *s);
size_t rdl_cli_servers_remote(const struct rdl_cli_servers *s);

/*
 * Returns "host:port[/database]" of server i, or its socket's path, or "mymaster (host:port)" of a Sentinel
 * group, until the next call for i.
 */
const char *rdl_cli_where(const struct rdl_cli_servers *s, size_t i);

/*
 * Sets $REDLOCK_URLS for the command to the servers that this process uses, without passwords; and
 * $REDIS_URL, if it named them. Returns 0, or -1: no memory.
 */
int rdl_cli_servers_set_urls(const struct rdl_cli_servers *s, const struct rdl_cli_options *o);

/*
 * Sends a request with only a name to server i, if it is connected. The reply arrives in req as the
 * connections are serviced; UNSENT at once if nothing was sent. Never blocks. name and req remain the
 * caller's.
 */
void rdl_cli_servers_ask(struct rdl_cli_servers *s, size_t i, const struct rdl_op *op, const char *name,
                         struct rdl_req *req);

/*
 * Sets up the servers, --trace and signals, and posix and platform for them. Returns 0, or an exit status
 * after it printed the reason.
 */
int rdl_cli_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o, struct rdl_posix *posix,
                 struct rdl_platform *platform);

#endif
