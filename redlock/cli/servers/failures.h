/* SPDX-License-Identifier: MIT */
/* failures.h - why servers gave no useful reply. */
#ifndef RDL_CLI_SERVERS_FAILURES_H
#define RDL_CLI_SERVERS_FAILURES_H

#include "redlock/cli/servers/connections.h"
#include "redlock/redlock.h"

enum { RDL_CLI_SAID_MAX = 3 * RDL_TEXT_MAX + 8 }; /* bytes of a server's text, with stars for passwords */

enum rdl_cli_trouble {
    RDL_CLI_SILENT,   /* no reply: another try may help */
    RDL_CLI_REFUSED,  /* it refused the login or a permission */
    RDL_CLI_FOREIGN,  /* it does not speak the Redis protocol */
    RDL_CLI_HOPELESS, /* it cannot hold locks, or its URL is wrong */
    RDL_CLI_OURS,     /* we may open no more descriptors */
    RDL_CLI_TROUBLE_KINDS
};

/* Counts n servers: those that gave a useful reply, and the others by kind of failure. */
struct rdl_cli_troubles {
    size_t n, useful, of[RDL_CLI_TROUBLE_KINDS];
};

/* Returns 1 if the error is in words that rdl_conn_text() has. */
int rdl_cli_has_words(int error);
/* Returns 1 if these are a load balancer's words, which has no server. */
int rdl_cli_is_gateway(int error, const char *said);
/* Returns 1 if the error is an error reply, so that the server did reply. */
int rdl_cli_is_refusal(int error, const char *said);

/* Returns why server i gave no reply, in the words of the connect command or the system; "": neither. */
const char *rdl_cli_cause(const struct rdl_cli_servers *s, size_t i, int error);
#define RDL_CLI_CLUSTER_RISK "in a cluster, a key that was moved looks like one that a failover lost"
#define RDL_CLI_TLS_HINT     "check the port; if it uses TLS, its URL must begin with rediss://"
#define RDL_CLI_GATEWAY_HINT "a load balancer or proxy replied: check the server behind it"

/* Returns what to do about a refused login; `said` is the server's text. */
const char *rdl_cli_login_advice(const char *said);

/* Returns what to do about an error reply that no permission fixes; `said` has the server's text. */
const char *rdl_cli_refusal_advice(const char *said);
/* Returns rdl_strerror(error); for RDL_E_TRY_LATER what the server's text means. */
const char *rdl_cli_error_text(int error, const char *said);
int rdl_cli_may_be_tls(const struct rdl_cli_servers *s, size_t i, int error);

enum rdl_cli_trouble rdl_cli_trouble_of(const struct rdl_conn *c, int error);

/* Returns the exit status if failures that no retry can fix prevent a majority; otherwise 0. */
int rdl_cli_trouble_status(const struct rdl_cli_troubles *t);

/* Returns 1 if the text of an error means that the user may not use the database. */
int rdl_cli_is_database_refused(const char *text);

#endif
