/* SPDX-License-Identifier: MIT */
/* lock_posix.c - a conn with all its memory, from a URL: the start of a program with sockets. */
#include "lock/lock_io.h"

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
