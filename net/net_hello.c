/* SPDX-License-Identifier: MIT */
/*
 * net_hello.c - login: AUTH, SELECT, CLIENT SETNAME, as far as the endpoint asks for them; then the
 * preflight.
 *
 * No lock command is sent before all are answered: pipelined behind a SELECT that is refused, it would
 * run in database 0. Error texts of AUTH are not kept: a server where AUTH was renamed repeats its
 * arguments, that is, the password.
 */
#include <string.h>

#include "net/net_private.h"

enum hello_command { HELLO_AUTH, HELLO_SELECT, HELLO_SETNAME, HELLO_COMMANDS };

static int is_wanted(const struct rdl_endpoint *ep, enum hello_command cmd)
{
    switch (cmd) {
    case HELLO_AUTH:
        return ep->password.len > 0 || ep->user.len > 0;
    case HELLO_SELECT:
        return ep->db != 0;
    case HELLO_SETNAME:
        return ep->client_name.len > 0;
    case HELLO_COMMANDS:
        break;
    }
    return 0;
}

/* The index-th command that is wanted; from HELLO_COMMANDS on: the steps of the preflight. */
static unsigned command_at(const struct rdl_conn *c, unsigned index)
{
    unsigned cmd;

    for (cmd = HELLO_AUTH; cmd < HELLO_COMMANDS; cmd++) {
        if (!is_wanted(c->cfg->endpoint, (enum hello_command)cmd))
            continue;
        if (index == 0)
            return cmd;
        index--;
    }
    return HELLO_COMMANDS + index;
}

/* Behind the last command. */
static unsigned end(const struct rdl_conn *c)
{
    return HELLO_COMMANDS + (c->preflight != NULL ? c->preflight->steps : 0);
}

int rdl_hello_is_complete(const struct rdl_conn *c)
{
    return command_at(c, c->hello_done) == end(c);
}

int rdl_hello_has_more(const struct rdl_conn *c)
{
    return command_at(c, c->hello_sent) != end(c) &&
           (c->hello_sent == c->hello_done || !rdl_hello_is_secret(c));
}

int rdl_hello_is_secret(const struct rdl_conn *c)
{
    return c->state == RDL_CONN_HELLO && command_at(c, c->hello_done) == HELLO_AUTH;
}

static int write_command(struct rdl_conn *c, unsigned cmd, struct rdl_writer *w)
{
    const struct rdl_endpoint *ep = c->cfg->endpoint;

    if (cmd >= HELLO_COMMANDS)
        return c->preflight->write(c, cmd - HELLO_COMMANDS, w);
    if (cmd == HELLO_AUTH)
        return rdl_cmd_auth(w, ep->user, ep->password);
    if (cmd == HELLO_SELECT)
        return rdl_cmd_select(w, ep->db);
    return rdl_cmd_client_setname(w, ep->client_name);
}

int rdl_hello_write(struct rdl_conn *c, struct rdl_writer *w)
{
    unsigned cmd;

    while ((cmd = command_at(c, c->hello_sent)) != end(c)) {
        if (write_command(c, cmd, w) != RDL_OK)
            return w->len > 0 ? RDL_OK : RDL_E_SPACE;
        c->hello_sent++;
        if (cmd == HELLO_AUTH) { /* alone, so that the trace can leave out just this */
            c->tx_secret = 1;
            return RDL_OK;
        }
    }
    return RDL_OK;
}

/* Only what we know by heart is repeated of an answer to AUTH. */
static void say_auth_refused(struct rdl_conn *c)
{
    if (rdl_has_prefix(c->reply, "WRONGPASS") || rdl_has_prefix(c->reply, "ERR invalid password"))
        rdl_conn_say(c, "WRONGPASS: wrong user or password");
    else if (rdl_has_prefix(c->reply, "ERR AUTH") || rdl_has_prefix(c->reply, "ERR Client sent"))
        rdl_conn_say(c, "AUTH refused: the server has no password set");
    else
        rdl_conn_say(c, "AUTH refused");
}

/* What a server says to a connection it does not want, in the place of the first answer. */
static int is_turned_away(struct rdl_conn *c)
{
    static const char *const words[] = {"ERR max number of clients", "DENIED: protected mode"};
    int i = rdl_has_prefix(c->reply, "DENIED");

    if (!i && !rdl_has_prefix(c->reply, words[0]))
        return 0;
    rdl_conn_say(c, words[i]); /* not the rest: it may stand where the answer to AUTH does */
    return 1;
}

int rdl_hello_reply(struct rdl_conn *c)
{
    unsigned cmd = command_at(c, c->hello_done);
    int code;

    if (c->hello_done >= c->hello_sent)
        return rdl_unasked_reply(c);
    c->hello_done++;
    if (c->reply_kind == RDL_RESP_ERROR && is_turned_away(c))
        return rdl_error_code(c->reply);
    if (cmd >= HELLO_COMMANDS)
        return c->preflight->judge(c, cmd - HELLO_COMMANDS);
    if (c->reply_kind == RDL_RESP_STATUS)
        return RDL_OK;
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNASKED;
    if (cmd == HELLO_SETNAME) /* a courtesy to whoever looks at CLIENT LIST */
        return RDL_OK;
    code = rdl_error_code(c->reply);
    if (cmd == HELLO_AUTH) {
        say_auth_refused(c);
        return code == RDL_E_SERVER || code == RDL_E_UNSUPPORTED ? RDL_E_AUTH : code;
    }
    rdl_conn_say(c, c->reply);
    return code == RDL_E_SERVER ? RDL_E_DB : code;
}
