/* SPDX-License-Identifier: MIT */
/* query.h - reading the keys on the servers, for verbs that take no lock: status, list, break, doctor. */
#ifndef RDL_CLI_SERVERS_QUERY_H
#define RDL_CLI_SERVERS_QUERY_H

#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/redlock.h"

enum rdl_cli_what {
    RDL_CLI_SEEN_NOTHING,
    RDL_CLI_SEEN_FREE,
    RDL_CLI_SEEN_KEY,
    RDL_CLI_SEEN_ODD /* no lock: not a string, or a string too long for a lock */
};

/* Kinds of values: a lock's token; a deadline of the old protocol; neither, or a token without expiry. */
enum rdl_cli_kind { RDL_CLI_KIND_TOKEN, RDL_CLI_KIND_DEADLINE, RDL_CLI_KIND_FOREIGN };

/* A lock's key on one server. */
struct rdl_cli_seen {
    enum rdl_cli_what what;
    char value[RDL_NAME_MAX];
    size_t len;        /* its length; above RDL_NAME_MAX: at least this long; 0 and ODD: not a string */
    uint32_t id;       /* KEY: the holder's id for people: a hash of the whole value */
    int64_t pttl_ms;   /* -1: no expiry */
    int error;         /* NOTHING: why; RDL_OK: it changed while it was read */
    int lacks_info;    /* RDL_E_CLOSED: before the reply to INFO */
    int is_unreadable; /* NOTHING: the user may not read values */
    char said[RDL_CLI_SAID_MAX];
};

/* What INFO reports, if it is permitted. */
struct rdl_cli_host {
    int has_info;
    int is_info_forbidden; /* the user may not use INFO */
    int has_clock;
    int64_t ahead_ms;    /* how far its clock is ahead of this host's */
    int is_ancient;      /* INFO accepts no section: before Redis 2.6 */
    const char *product; /* such as "redis": the one that INFO names */
    int has_own_version;
    char version[24];          /* of the product */
    unsigned long redis_major; /* of the Redis that it resembles; 0: unknown */
    char role[24];
    int is_sentinel; /* it watches servers, and holds no keys */
    int has_uptime;
    int64_t uptime_s; /* negative: its clock was set back after it started */
    char run_id[41];
    int is_cluster;
    char master[64]; /* of a replica */
    unsigned master_port;
    /* for the doctor alone */
    int is_bounded; /* maxmemory is set, */
    char policy[24];
    int has_log; /* AOF */
};

/* Returns 1 if both have the same value, or none. */
int rdl_cli_seen_is_same(const struct rdl_cli_seen *a, const struct rdl_cli_seen *b);

/* Returns 1 if its role is that of a replica; so is that of KeyDB's active-replica. */
int rdl_cli_host_is_replica(const struct rdl_cli_host *h);

/* Returns 0 for a replica, a cluster node and a Sentinel: they have no vote with any restart guard. */
int rdl_cli_host_holds_locks(const struct rdl_cli_host *h);

struct rdl_cli_query {
    const struct rdl_cli_options *o;
    struct rdl_cli_servers *servers;
    uint64_t until_ms; /* when to stop waiting */
    struct rdl_cli_host host[RDL_SERVERS_MAX];
    struct rdl_cli_seen seen[RDL_SERVERS_MAX];
    struct rdl_req req[RDL_SERVERS_MAX];
    unsigned char is_out[RDL_SERVERS_MAX]; /* it gets no more requests */
    /* for a search */
    struct rdl_bytes pattern;
    struct rdl_cli_names *names;
    unsigned char searched[RDL_SERVERS_MAX]; /* completely */
    int is_cut;                              /* there was no time, or no memory, for the rest */
    struct rdl_posix posix;
    struct rdl_platform platform;
};

/*
 * Connects: waits until a majority is connected or cannot be any more; the others have one attempt's time.
 * Returns 0, or an exit status after it printed the reason. Ends the process on a signal.
 */
int rdl_cli_query_begin(struct rdl_cli_query *l, const struct rdl_cli_options *o);

/* Sets up the query, without connecting: the first part of rdl_cli_query_begin. */
int rdl_cli_query_open(struct rdl_cli_query *l, const struct rdl_cli_options *o);
/* Connects: its second part, which may be called again after a disconnect. */
void rdl_cli_query_connect(struct rdl_cli_query *l);

/* Sends a request to server i; l->req[i] is idle or answered. UNSENT: the server is out or not connected. */
void rdl_cli_query_ask(struct rdl_cli_query *l, size_t i, const struct rdl_command *cmd);

/* Waits until all requests are answered or their time is over. Ends the process on a signal. */
void rdl_cli_query_await(void);

/* Waits for this time. Ends the process on a signal. */
void rdl_cli_query_pause(struct rdl_cli_query *l, uint32_t ms);

/* Records in l->seen why server i gave no reply. */
void rdl_cli_query_unseen(struct rdl_cli_query *l, size_t i);

/* Reads this lock's key on each server into l->seen. Ends the process on a signal. */
void rdl_cli_query_at(struct rdl_cli_query *l, const char *name);

/*
 * Collects the names of all keys with this prefix, from every server. If a server could not be searched
 * completely, l->seen has the reason, unless is_cut is set. Ends the process on a signal.
 */
void rdl_cli_query_search(struct rdl_cli_query *l, const char *prefix, struct rdl_cli_names *names);

/* Deletes the keys with this id, if they are unchanged. Returns 1 if one of them had another value. */
int rdl_cli_query_break(struct rdl_cli_query *l, const char *name, uint32_t id);

#endif
