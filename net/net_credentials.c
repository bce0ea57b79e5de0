/* SPDX-License-Identifier: MIT */
/* net_credentials.c - before each login, user and password come from a function of the program. */
#include "net/net_credentials.h"
#include "net/net_private.h"

static void begin(struct rdl_conn *c)
{
    const struct rdl_credentials *cr = (const void *)c->cfg->login; /* its first member */
    struct rdl_bytes user = cr->endpoint->user, password = cr->endpoint->password;
    const char *why = cr->get(cr->ctx, cr->endpoint, &user, &password);

    if (why == NULL && (user.len > RDL_CREDENTIAL_MAX || password.len > RDL_CREDENTIAL_MAX))
        why = "user or password is longer than 8192 bytes";
    if (why != NULL) {
        rdl_conn_set_text(c, why);
        rdl_conn_shut(c, RDL_E_AUTH);
        return;
    }
    cr->endpoint->user = user;
    cr->endpoint->password = password;
}

void rdl_credentials_init(struct rdl_credentials *cr, struct rdl_endpoint *ep, rdl_credentials_fn *fn,
                          void *ctx)
{
    cr->login = rdl_login;
    cr->login.begin = begin;
    cr->endpoint = ep;
    cr->get = fn;
    cr->ctx = ctx;
}
