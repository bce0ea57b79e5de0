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

static const char *template_at(const struct rdl_conn *c, unsigned index)
{
    static const char *const commands[HELLO_COMMANDS] = {rdl_wire_auth_user, rdl_wire_select,
                                                         rdl_wire_client_setname};
    unsigned cmd = command_at(c, index);

    if (cmd >= HELLO_COMMANDS)
        return c->preflight->commands[cmd - HELLO_COMMANDS];
    return cmd == HELLO_AUTH && c->cfg->endpoint->user.len == 0 ? rdl_wire_auth : commands[cmd];
}

/* Is it to be sent before another reply has come? A secret goes alone: a trace leaves out just that. */
static int is_next(const struct rdl_conn *c, unsigned index)
{
    if (command_at(c, index) == end(c))
        return 0;
    return index == c->hello_done ||
           !(rdl_hello_is_secret(c) || rdl_template_is_secret(template_at(c, index)));
}

int rdl_hello_has_more(const struct rdl_conn *c)
{
    return is_next(c, c->hello_sent);
}

int rdl_hello_is_secret(const struct rdl_conn *c)
{
    return c->state == RDL_CONN_HELLO && !rdl_hello_is_complete(c) &&
           rdl_template_is_secret(template_at(c, c->hello_done));
}

static void put_command(const struct rdl_conn *c, unsigned index, struct rdl_window *w)
{
    const struct rdl_endpoint *ep = c->cfg->endpoint;
    char db[RDL_DEC_MAX];
    const struct rdl_bytes all[] = {ep->user, ep->password, ep->client_name, {db, rdl_dec_u32(db, ep->db)}};
    const struct rdl_args args = {"uPnd", all, 4};

    rdl_window_command(w, template_at(c, index), &args);
}

void rdl_hello_put(const struct rdl_conn *c, struct rdl_window *w)
{
    unsigned i;

    for (i = c->hello_sent; w->room > 0 && is_next(c, i); i++)
        put_command(c, i, w);
}

void rdl_hello_sent(struct rdl_conn *c)
{
    while (c->tx_sent > 0) {
        struct rdl_window w;

        rdl_window_init(&w, NULL, 0, 0); /* nothing has room: it counts */
        put_command(c, c->hello_sent, &w);
        if (c->tx_sent < w.total)
            return;
        c->tx_sent -= (uint32_t)w.total;
        c->hello_sent++;
    }
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
        return c->preflight->judge(c);
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
