/* SPDX-License-Identifier: MIT */
/* query_output.h - the state of a lock by its keys, as text and as JSON. */
#ifndef RDL_CLI_SERVERS_QUERY_OUTPUT_H
#define RDL_CLI_SERVERS_QUERY_OUTPUT_H

#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/query.h"

/* Returns 1 if both have the same value, or none. */
int rdl_cli_seen_is_same(const struct rdl_cli_seen *a, const struct rdl_cli_seen *b);
enum rdl_cli_kind rdl_cli_seen_kind(const struct rdl_cli_seen *s);

/* Returns what an ODD value is: "not a string". */
const char *rdl_cli_seen_odd(const struct rdl_cli_seen *s);

enum rdl_cli_state { RDL_CLI_FREE, RDL_CLI_HELD, RDL_CLI_SPLIT, RDL_CLI_UNKNOWN };

/* The state of a lock, from all servers together. */
struct rdl_cli_verdict {
    enum rdl_cli_state what;
    unsigned of, quorum;
    /* servers without a result, because they refused or did not reply; servers that may have lost locks */
    unsigned refused, silent, young;
    /* held: the id, on how many, and when fewer than a majority have it at the latest; UINT64_MAX: never */
    uint32_t id;
    unsigned on;
    uint64_t ends_ms;
    enum rdl_cli_kind key;
    int is_odd; /* held: by keys that are no lock's, without an id */
    /* how many servers have another token, and its id */
    unsigned other_on;
    uint32_t other_id;
};

/* Computes the state. counts is 0 for a server that may have lost locks. */
void rdl_cli_verdict(const struct rdl_cli_seen *seen, const unsigned char *counts, size_t n,
                     struct rdl_cli_verdict *v);
void rdl_cli_query_verdict(const struct rdl_cli_query *l, struct rdl_cli_verdict *v);

/* Returns for how long a server does not count that started less than max_ttl ago and may have lost locks. */
uint64_t rdl_cli_quarantine_ms(const struct rdl_cli_options *o, const struct rdl_cli_host *h);

/* Returns 1 if the server did not start so recently that it may have lost locks. */
int rdl_cli_query_counts(const struct rdl_cli_query *l, size_t i);

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

/* Warns of all that query->seen shows about one lock. */
void rdl_cli_query_apart(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);

#endif
