/* SPDX-License-Identifier: MIT */
/*
 * net_error.c - what a server's error reply means, told by its prefix: the rest of the line differs
 * between servers and versions, and may carry arguments.
 */
#include <string.h>

#include "net/net_private.h"

struct error_prefix {
    const char *prefix;
    int code;
};

static const struct error_prefix error_prefixes[] = {
    {"NOAUTH", RDL_E_AUTH},
    {"WRONGPASS", RDL_E_AUTH},
    {"ERR invalid password", RDL_E_AUTH},        /* Redis 5 and older */
    {"ERR operation not permitted", RDL_E_AUTH}, /* Redis 2.6 and older, for NOAUTH */
    {"ERR AUTH <password> called", RDL_E_AUTH},  /* a password given where none is set */
    {"ERR Client sent AUTH", RDL_E_AUTH},        /* the same, Redis 5 and older */
    {"NOPERM", RDL_E_PERM},
    {"ERR ACL failure in script", RDL_E_PERM},
    {"ERR The user executing the script", RDL_E_PERM}, /* Redis 7.0 */
    {"READONLY", RDL_E_READONLY},
    {"LOADING", RDL_E_LOADING},
    {"BUSY ", RDL_E_SCRIPTING},
    {"OOM", RDL_E_OOM},
    {"MISCONF", RDL_E_MISCONF},
    {"MOVED", RDL_E_CLUSTER},
    {"ASK ", RDL_E_CLUSTER},
    {"CLUSTERDOWN", RDL_E_CLUSTER},
    {"CROSSSLOT", RDL_E_CLUSTER},
    {"TRYAGAIN", RDL_E_CLUSTER},
    {"WRONGTYPE", RDL_E_WRONGTYPE},
    {"ERR Key should be of string type", RDL_E_WRONGTYPE}, /* DELEX, Redis 8.4 */
    {"ERR unknown command", RDL_E_UNSUPPORTED},
    {"ERR unknown subcommand", RDL_E_UNSUPPORTED},
    {"ERR syntax error", RDL_E_UNSUPPORTED},
    {"ERR wrong number of arguments", RDL_E_UNSUPPORTED},
    {"ERR DB index", RDL_E_DB},
    {"ERR invalid DB index", RDL_E_DB}, /* Redis 3.2 and older */
    {"ERR SELECT is not allowed", RDL_E_DB},
};

int rdl_has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

int rdl_error_code(const char *text)
{
    size_t i;

    for (i = 0; i < sizeof error_prefixes / sizeof error_prefixes[0]; i++) {
        if (rdl_has_prefix(text, error_prefixes[i].prefix))
            return error_prefixes[i].code;
    }
    return RDL_E_SERVER;
}

int rdl_is_permanent(int code)
{
    switch (code) {
    case RDL_E_SYNTAX:
    case RDL_E_SPACE:
    case RDL_E_URL:
    case RDL_E_AUTH:
    case RDL_E_PERM:
    case RDL_E_CLUSTER:
    case RDL_E_WRONGTYPE:
    case RDL_E_UNSUPPORTED:
    case RDL_E_DB:
        return 1;
    default:
        return 0;
    }
}

void rdl_conn_say(struct rdl_conn *c, const char *text)
{
    size_t i;

    for (i = 0; i + 1 < RDL_TEXT_MAX && text[i] != '\0'; i++)
        c->text[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    c->text[i] = '\0';
}

int rdl_unasked_reply(struct rdl_conn *c)
{
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNASKED;
    rdl_conn_say(c, c->reply);
    return rdl_error_code(c->reply);
}
