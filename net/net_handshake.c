/* SPDX-License-Identifier: MIT */
/*
 * net_handshake.c - what a new connection sends first: the login, as far as the endpoint needs one, then the
 * connection checks.
 *
 * No lock command is sent before all replies: after a SELECT that was refused, a pipelined command would run
 * in database 0.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/* Returns the index-th command of the login. NULL: there are fewer; *index is a connection check's then. */
static const char *login_at(const struct rdl_conn *c, unsigned *index)
{
    return c->cfg->login != NULL ? c->cfg->login->command_at(c->cfg->endpoint, index) : NULL;
}

/* Returns the index-th command. NULL: there are fewer. */
static const char *command_at(const struct rdl_conn *c, unsigned index)
{
    const char *command = login_at(c, &index);

    if (command == NULL && c->checks != NULL && index < c->checks->steps)
        command = c->checks->commands[index];
    return command;
}

int rdl_conn_lacks_info(const struct rdl_conn *c)
{
    unsigned index = c->handshake_sent - 1u; /* login_at is NULL if the last command is not of the login */

    return c->error == RDL_E_CLOSED && c->checks != NULL && c->handshake_sent > c->handshake_done &&
           login_at(c, &index) == NULL;
}

/* Returns whether the next reply is that to AUTH, which is the first command if the endpoint needs it. */
static int handshake_is_secret(const struct rdl_conn *c)
{
    const struct rdl_endpoint *ep = c->cfg->endpoint;

    return c->handshake_done == 0 && c->cfg->login != NULL && (ep->user.len | ep->password.len) != 0;
}

/*
 * Returns whether it may be sent before the next reply. AUTH goes alone: a trace leaves out only that, and
 * its reply.
 */
static int is_next(const struct rdl_conn *c, unsigned index)
{
    return command_at(c, index) != NULL && (index == c->handshake_done || !handshake_is_secret(c));
}

static int handshake_has_more(const struct rdl_conn *c)
{
    return is_next(c, c->handshake_sent);
}

static void write_command(const struct rdl_conn *c, unsigned index, struct rdl_slice *w)
{
    const struct rdl_endpoint *ep = c->cfg->endpoint;
    char db[RDL_DEC_MAX];
    const struct rdl_bytes all[] = {ep->user, ep->password, ep->client_name, {db, rdl_dec_u32(db, ep->db)}};
    const struct rdl_args args = {"uPnd", all, 4};

    rdl_slice_write(w, command_at(c, index), &args);
}

static void handshake_write(const struct rdl_conn *c, struct rdl_slice *w)
{
    unsigned i;

    for (i = c->handshake_sent; w->room > 0 && is_next(c, i); i++)
        write_command(c, i, w);
}

static void handshake_sent(struct rdl_conn *c)
{
    while (c->tx_sent > 0) {
        struct rdl_slice w;

        rdl_slice_init(&w, NULL, 0, 0); /* no room, so it only counts */
        write_command(c, c->handshake_sent, &w);
        if (c->tx_sent < w.total)
            return;
        c->tx_sent -= (uint32_t)w.total;
        c->handshake_sent++;
    }
}

int rdl_handshake_is_turned_away(struct rdl_conn *c)
{
    const char *words = "ERR max number of clients";

    if (rdl_has_prefix(c->reply, "DENIED"))
        words = "DENIED: protected mode";
    else if (!rdl_has_prefix(c->reply, words))
        return 0;
    rdl_conn_set_text(c, words); /* not the rest: it may be the reply to AUTH */
    return 1;
}

static int handshake_reply(struct rdl_conn *c)
{
    unsigned index = c->handshake_done;
    const char *command = login_at(c, &index);
    int rc;

    if (c->handshake_done >= c->handshake_sent)
        return rdl_unexpected_reply(c);
    c->handshake_done++;
    rc = command != NULL ? c->cfg->login->on_reply(c, command) : c->checks->on_reply(c);
    if (rc == RDL_OK && command_at(c, c->handshake_done) == NULL)
        rdl_conn_heard(c);
    return rc;
}

const struct rdl_handshake_ops rdl_handshake = {handshake_is_secret, handshake_has_more, handshake_write,
                                                handshake_sent, handshake_reply};
