/* SPDX-License-Identifier: MIT */
/* cli_reason.c - the reason of the connect command or the system, if there was no reply because of it. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <string.h>

int rdl_cli_is_refusal(int error)
{
    return error <= RDL_E_AUTH && error >= RDL_E_SERVER;
}

/* Returns 1 for errors with which the driver closes a connection for the system's reason, or for none. */
static int is_of_the_system(int error)
{
    return error == RDL_E_CONNECT || error == RDL_E_CLOSED || error == RDL_E_NO_INFO || error == RDL_E_SYSTEM;
}

const char *rdl_cli_cause(const struct rdl_cli_servers *s, size_t i, int error)
{
    const struct rdl_conn *c = s->server[i].conn;
    int err = rdl_posix_errno(c);

    if (error == RDL_OK || (rdl_conn_error(c) != error && rdl_conn_cause(c) != error))
        return ""; /* the connection ended for another reason, since then or before */
    if (rdl_cli_connect_said(i)[0] != '\0')
        return rdl_cli_connect_said(i);
    return err != 0 && is_of_the_system(error) ? strerror(err) : "";
}

/* Returns 1 if the server may speak only TLS: it then closes the connection without a byte. */
int rdl_cli_may_be_tls(const struct rdl_cli_servers *s, size_t i, int error)
{
    return (error == RDL_E_CLOSED || error == RDL_E_NO_INFO) && !s->is_tls[i] &&
           s->endpoint[i].family != RDL_UNIX && rdl_conn_replies(s->server[i].conn) == 0;
}

const char *rdl_cli_login_advice(const char *said)
{
    if (strstr(said, "NOAUTH") != NULL)
        return "the server needs a password: set $REDLOCK_PASSWORD, or use --password-file";
    if (strstr(said, "has no password set") != NULL)
        return "do not give a password";
    return "check user and password";
}
