/* SPDX-License-Identifier: MIT */
/* Why servers gave no useful reply, and the exit status if no majority did. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/failures.h"
#include "lock/lock_op.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connect_command.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <string.h>

int rdl_cli_has_words(int error)
{
    return error <= RDL_E_AUTH && error >= RDL_E_SERVER;
}

int rdl_cli_is_gateway(int error, const char *said)
{
    return error == RDL_E_TRY_LATER && strncmp(said, "HTTP/", 5) == 0;
}

int rdl_cli_is_refusal(int error, const char *said)
{
    return rdl_cli_has_words(error) && !rdl_cli_is_gateway(error, said);
}

/* Returns 1 for errors with which the driver closes a connection for the system's reason, or for none. */
static int is_of_the_system(int error)
{
    return error == RDL_E_CONNECT || error == RDL_E_CLOSED || error == RDL_E_SYSTEM;
}

const char *rdl_cli_cause(const struct rdl_cli_servers *s, size_t i, int error)
{
    const struct rdl_conn *c = s->server[i].conn;
    int err = rdl_posix_errno(c);

    if (error == RDL_OK || rdl_conn_error(c) != error)
        return ""; /* the connection ended for another reason, since then or before */
    if (rdl_cli_connect_said(i)[0] != '\0')
        return rdl_cli_connect_said(i);
    return err != 0 && is_of_the_system(error) ? strerror(err) : "";
}

/* Returns 1 if the server may speak only TLS: it then closes the connection without a byte. */
int rdl_cli_may_be_tls(const struct rdl_cli_servers *s, size_t i, int error)
{
    return error == RDL_E_CLOSED && !s->is_tls[i] && s->endpoint[i].family != RDL_UNIX &&
           rdl_conn_replies(s->server[i].conn) == 0;
}

const char *rdl_cli_login_advice(const char *said)
{
    if (strstr(said, "NOAUTH") != NULL)
        return "the server needs a password: set $REDLOCK_PASSWORD, or use --password-file";
    if (strstr(said, "has no password set") != NULL)
        return "do not give a password";
    if (strstr(said, "protected mode") != NULL)
        return "set a password there; without one it accepts only its own host";
    return "check user and password";
}

#define BUSY      "the server is busy running a script"
#define NODE_DOWN "the cluster node cannot serve the key now"

/* Servers say the same in all versions, and the end of a long text is cut. */
static const struct {
    const char *says, *remedy;
    const char *means; /* of RDL_E_TRY_LATER; NULL: of another error */
} remedies[] = {
    {"only call FUNCTION", "wait until the function ends, or end it by FUNCTION KILL", BUSY},
    {"a module command", "wait until that command ends", BUSY},
    {"BUSY ", "wait until the script ends, or end it by SCRIPT KILL", BUSY},
    {"max number of clients", "close connections to it, or raise its maxclients", NULL},
    {"OOM ", "raise its maxmemory, or delete what fills it", "the server is out of memory (maxmemory)"},
    {"MISCONF ", "repair what its log says about saving, such as a full disk",
     "the server cannot save its data and refuses writes"},
    {"LOADING ", "wait until it has loaded its data", "the server is still loading its data"},
    {"NOREPLICAS ", "connect its replicas again, or set min-replicas-to-write 0", NULL},
    {"MASTERDOWN ", "it is a replica: name its master", NULL},
    {"READONLY ", "it is a replica: name its master", NULL},
    {"CLUSTERDOWN ", "use standalone servers (cluster-enabled no)", NODE_DOWN},
    {"TRYAGAIN ", "see its log", NODE_DOWN},
    {"HTTP/", RDL_CLI_GATEWAY_HINT, "a load balancer has no server"},
};

const char *rdl_cli_refusal_advice(const char *said)
{
    for (size_t k = 0; k < sizeof remedies / sizeof remedies[0]; k++)
        if (strstr(said, remedies[k].says) != NULL)
            return remedies[k].remedy;
    return "see its log";
}

const char *rdl_cli_error_text(int error, const char *said)
{
    for (size_t k = 0; error == RDL_E_TRY_LATER && k < sizeof remedies / sizeof remedies[0]; k++)
        if (remedies[k].means != NULL && strstr(said, remedies[k].says) != NULL)
            return remedies[k].means;
    return rdl_strerror(error);
}

int rdl_cli_is_database_refused(const char *text)
{
    return strstr(text, "NOPERM") != NULL && strstr(text, " access database") != NULL;
}

enum rdl_cli_trouble rdl_cli_trouble_of(const struct rdl_conn *c, int error)
{
    switch (error) {
    case RDL_E_AUTH:
    case RDL_E_PERM:
        return RDL_CLI_REFUSED;
    case RDL_E_SYNTAX: /* if a server replied before, something else may reply in its place now */
        return rdl_conn_replies(c) > 0 ? RDL_CLI_SILENT : RDL_CLI_FOREIGN;
    case RDL_E_LIMIT:
    case RDL_E_UNEXPECTED:
        return RDL_CLI_FOREIGN;
    case RDL_E_URL:
    case RDL_E_NO_ADDRESS:
    case RDL_E_UNSUPPORTED:
    case RDL_E_DB:
    case RDL_E_CLUSTER:
    case RDL_E_DUPLICATE:
        return RDL_CLI_HOPELESS;
    case RDL_E_SYSTEM: /* our own limit; a shortage of the whole host may pass */
        return rdl_posix_errno(c) == EMFILE ? RDL_CLI_OURS : RDL_CLI_SILENT;
    default:
        return RDL_CLI_SILENT;
    }
}

int rdl_cli_trouble_status(const struct rdl_cli_troubles *t)
{
    size_t quorum = t->n / 2 + 1, most = t->useful + t->of[RDL_CLI_SILENT];

    if (most >= quorum)
        return 0;
    if (most + t->of[RDL_CLI_OURS] >= quorum)
        return RDL_EXIT_OS;
    if (most + t->of[RDL_CLI_REFUSED] >= quorum || t->of[RDL_CLI_REFUSED] > t->of[RDL_CLI_FOREIGN])
        return RDL_EXIT_NOPERM;
    return t->of[RDL_CLI_FOREIGN] > 0 ? RDL_EXIT_PROTOCOL : RDL_EXIT_UNAVAILABLE;
}
