/* SPDX-License-Identifier: MIT */
/* lock_posix.c - for programs with sockets: a conn with all its memory, from a URL; a server as a text. */
#include "lock/lock_io.h"
#include "lock/lock_line.h"

#include <string.h>

int rdl_posix_conn_init(struct rdl_posix_conn *p, const char *url, const char **why)
{
    int rc;

    memset(p, 0, sizeof *p);
    rc = rdl_url_parse(&p->endpoint, url, p->url, sizeof p->url, why);
    if (rc == RDL_OK && p->endpoint.family == RDL_UNRESOLVED) {
        rc = RDL_E_NO_ADDRESS;
        if (why != NULL)
            *why = "names are not looked up here: give a numeric address, or a socket's path";
    }
    p->config.endpoint = &p->endpoint;
    p->config.methods = &rdl_methods_all;
    p->config.login = &rdl_login;
    p->config.queue = p->queue;
    p->config.queue_len = sizeof p->queue;
    p->config.server_info = &p->server_info;
    p->config.text = p->text;
    rdl_conn_init(&p->conn, &p->config);
    return rc;
}

void rdl_line_add_where(struct rdl_line *line, const struct rdl_endpoint *ep, const char *host)
{
    int is_unix = ep->family == RDL_UNIX;
    int is_v6 = ep->family == RDL_INET6;

    rdl_line_add(line, is_v6 ? "[" : "");
    rdl_line_add(line, host);
    rdl_line_add(line, is_v6 ? "]" : "");
    if (!is_unix)
        rdl_line_add_number(line, ":", ep->port);
    if (ep->db != 0) /* another database has other locks */
        rdl_line_add_number(line, is_unix ? "?db=" : "/", ep->db);
}

size_t rdl_line_scheme(const char *url, int *is_tls)
{
    static const char *const schemes[] = {"redis://", "valkey://", "rediss://", "valkeys://"};
    size_t i, n;

    for (i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        for (n = 0; schemes[i][n] != '\0' && schemes[i][n] == url[n];)
            n++;
        *is_tls = i >= 2;
        if (schemes[i][n] == '\0')
            return n;
    }
    *is_tls = 0;
    return 0;
}
