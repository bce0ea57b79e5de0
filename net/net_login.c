/* SPDX-License-Identifier: MIT */
/*
 * net_login.c - the login: AUTH, SELECT and CLIENT SETNAME, as far as the endpoint needs them. A program that
 * does not name it does not link it.
 *
 * Error texts of AUTH are not kept: a server on which AUTH was renamed repeats its arguments, that is, the
 * password.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

static const char *login_command_at(const struct rdl_endpoint *ep, unsigned *index)
{
    unsigned left = *index;

    if ((ep->user.len | ep->password.len) != 0 && left-- == 0)
        return ep->user.len > 0 ? rdl_wire_auth_user : rdl_wire_auth;
    if (ep->db != 0 && left-- == 0)
        return rdl_wire_select;
    if (ep->client_name.len > 0 && left-- == 0)
        return rdl_wire_client_setname;
    *index = left;
    return NULL;
}

/* Returns a text of our own for a reply to AUTH, because the reply may contain the password. */
static const char *auth_text(const char *reply)
{
    static const char *const texts[] = {"WRONGPASS: wrong user or password",
                                        "AUTH refused: the server has no password set", "AUTH refused"};

    return texts[rdl_prefix_group(reply, "WRONGPASS\0invalid password\0\0AUTH\0Client sent\0", 2)];
}

static int login_on_reply(struct rdl_conn *c, const char *command)
{
    const char *text = c->reply;
    int code;

    if (c->reply_kind == RDL_RESP_STATUS)
        return RDL_OK;
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    code = rdl_error_code(text);
    if (rdl_handshake_is_turned_away(c))
        return code;
    if (command == rdl_wire_client_setname) /* the name is only for people who read CLIENT LIST */
        return RDL_OK;
    if (command == rdl_wire_select) {
        code = code == RDL_E_SERVER ? RDL_E_DB : code;
    } else {
        text = auth_text(text);
        code = code == RDL_E_SERVER || code == RDL_E_UNSUPPORTED ? RDL_E_AUTH : code;
    }
    rdl_conn_set_text(c, text);
    return code;
}

const struct rdl_login_ops rdl_login = {&rdl_handshake, NULL, login_command_at, login_on_reply};
