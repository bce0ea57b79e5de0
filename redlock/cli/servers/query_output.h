/* SPDX-License-Identifier: MIT */
/* query_output.h - the state of a lock by its keys, as text and as JSON. */
#ifndef RDL_CLI_SERVERS_QUERY_OUTPUT_H
#define RDL_CLI_SERVERS_QUERY_OUTPUT_H

#include "lock/lock_owner.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/query.h"

/* Returns 1 if the key lives longer than --max-ttl. */
int rdl_cli_seen_is_long(const struct rdl_cli_options *o, const struct rdl_cli_seen *s);
enum rdl_cli_kind rdl_cli_seen_kind(const struct rdl_cli_seen *s);

/* Writes the owner of a lock's value; "": it has none, or is not a lock's. */
void rdl_cli_seen_owner(const struct rdl_cli_seen *s, char out[RDL_OWNER_MAX + 1]);

/* Returns what an ODD value is: "not a string". */
const char *rdl_cli_seen_odd(const struct rdl_cli_seen *s);

enum rdl_cli_state { RDL_CLI_FREE, RDL_CLI_HELD, RDL_CLI_SPLIT, RDL_CLI_UNKNOWN };

/* The state of a lock, from all servers together. */
struct rdl_cli_verdict {
    enum rdl_cli_state what;
    unsigned of, quorum;
    unsigned refused, silent; /* servers without a result */
    unsigned young;           /* servers in quarantine: they may have lost locks */
    unsigned voteless;        /* servers that have no vote for `redlock run` with the same options either */
    uint32_t id;              /* held: the holder's id */
    unsigned on;              /* and the number of servers that have it */
    uint64_t ends_ms;         /* and when fewer than a majority have it at the latest; UINT64_MAX: never */
    enum rdl_cli_kind key;
    int is_odd;                    /* held: by keys that are no lock's, without an id */
    char owner[RDL_OWNER_MAX + 1]; /* held: the holder's owner; "": none */
    uint32_t other_id;             /* the id of another token, */
    char other_owner[RDL_OWNER_MAX + 1];
    unsigned other_on; /* and the number of servers that have it; 0: there is none */
};

/* Which servers have a vote: the same that have one for `redlock run`. */
enum rdl_cli_standing {
    RDL_CLI_QUARANTINED, /* it may have lost locks */
    RDL_CLI_VOTES,
    RDL_CLI_VOTELESS /* a replica, a cluster node, a Sentinel, or its INFO is refused and needed */
};

/* Computes the state. standing is an enum rdl_cli_standing for each server. */
void rdl_cli_verdict(const struct rdl_cli_seen *seen, const unsigned char *standing, size_t n,
                     struct rdl_cli_verdict *v);
void rdl_cli_query_verdict(const struct rdl_cli_query *l, struct rdl_cli_verdict *v);

/*
 * Returns for how long a server is still in quarantine: it does not count until max_ttl + 1 s after its
 * start, because it may have lost locks in the restart.
 */
uint64_t rdl_cli_quarantine_ms(const struct rdl_cli_options *o, const struct rdl_cli_host *h);

enum rdl_cli_standing rdl_cli_query_standing(const struct rdl_cli_query *l, size_t i);

/* Returns the exit status if a majority gave no reply to the last query. */
int rdl_cli_query_status(const struct rdl_cli_query *l);

/* Returns the exit status for several locks: a lock that is held outweighs an unknown one. */
int rdl_cli_worse(const struct rdl_cli_query *l, int status, enum rdl_cli_state state);

/* Writes why there is no result from server i. */
void rdl_cli_query_error(const struct rdl_cli_query *l, size_t i, char *out, size_t cap);

/* Prints the lock's state in one line. Returns 0 or an exit status. */
int rdl_cli_verdict_show(const struct rdl_cli_verdict *v, const char *name);

/* Prints a line for each server, and one for all. Returns 0 or an exit status. */
int rdl_cli_query_show(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);

/* Prints the same as one JSON object of a list. Returns 0 or an exit status. */
int rdl_cli_query_json(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                       int is_first);

/* Adds a server's info, such as "redis 7.0.15, master, up 3 days". */
void rdl_cli_host_words(struct rdl_cli_text *t, const struct rdl_cli_host *h);
void rdl_cli_host_json(struct rdl_cli_json *j, const struct rdl_cli_options *o, const struct rdl_cli_host *h);

/* Prints the warnings of host_differences.h about one lock. */
void rdl_cli_query_apart(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);

#endif
