/* SPDX-License-Identifier: MIT */
/*
 * net_error.c - the meaning of a server's error reply, by its prefix. The rest of the line differs between
 * servers and versions, and may contain arguments.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/*
 * They follow "ERR ", if the reply has it: before Redis 7 errors from inside a script lack it. They are in
 * the order of the codes, from RDL_E_AUTH to RDL_E_SERVER. An empty prefix ends those of a code. Each
 * is just long enough to differ from other texts. Errors that only AUTH and SELECT return: net_login.c.
 */
static const char prefixes[] =
    /* RDL_E_AUTH */
    "NOAUTH\0"
    "operation\0" /* ... not permitted: Redis 2.6 and older, for NOAUTH */
    "DENIED\0\0"  /* ... protected mode: no password, and not from this host */
    /* RDL_E_PERM */
    "NOPERM\0"
    "ACL\0"        /* ... failure in script */
    "The user\0\0" /* ... executing the script can't: Redis 7.0 */
    /* RDL_E_READONLY */
    "READO\0\0" /* ...NLY */
    /* RDL_E_TRY_LATER: LOADING, MISCONF, CLUSTERDOWN, TRYAGAIN */
    "LOADI\0BUSY \0OOM\0MISCO\0CLUSTERD\0TRYAG\0\0"
    /* RDL_E_CLUSTER */
    "MOVED\0ASK \0CROSS\0" /* ...SLOT */
    "Script a\0"           /* ...ttempted to access a non local key, a slot not served */
    "Attempt\0\0"          /* ...ed: the same: Valkey 9 */
    /* RDL_E_WRONGTYPE */
    "WRONGT\0"       /* ...YPE */
    "Operation\0"    /* ... against a key holding the wrong kind: Redis 2.6 and older */
    "Key should\0\0" /* ... be of string type: DELEX, Redis 8.4 */
    /* RDL_E_UNSUPPORTED */
    "unknown\0" /* ... command, subcommand */
    "Unknown\0" /* ... command called from script */
    "Error c\0" /* ...ompiling script */
    "Protoc\0"  /* ...ol error; then it closes the connection */
    "syntax\0"
    "wrong n\0" /* ...umber of arguments */
    "NOSCR\0"   /* ...IPT after an EVALSHA: the text is sent; after an EVAL it is a refusal */
    /* the same: scripts are switched off */
    "Could not find s\0" /* ...cripting engine 'lua': Valkey 9.1 without its module */
    "This instance h\0"  /* ...as Lua scripting support disabled: Garnet */
    "command eval\0"     /* ... not support for normal user: hosted */
    "Command is not available: 'EVAL\0"
    "bad l\0\0" /* ...ua script for redis cluster: hosted */
    "\0"        /* RDL_E_DB */
    /* RDL_E_SERVER: temporary errors */
    "MASTERD\0"   /* ...OWN */
    "NOREPL\0"    /* ...ICAS */
    "Error r\0"   /* ...unning script: Redis 6 and older; the reason follows */
    "max n\0"     /* ...umber of clients reached; then it closes the connection */
    "Script k\0"; /* ...illed by user */

int rdl_prefix_group(const char *text, const char *p, int groups)
{
    int group = 0;

    if (rdl_has_prefix(text, "ERR "))
        text += 4;
    while (group < groups) {
        if (*p == '\0')
            group++;
        else if (rdl_has_prefix(text, p))
            break;
        while (*p != '\0')
            p++;
        p++;
    }
    return group;
}

int rdl_error_class(const char *text)
{
    return RDL_E_AUTH - rdl_prefix_group(text, prefixes, RDL_E_AUTH - RDL_OTHER);
}

int rdl_error_code(const char *text)
{
    int class = rdl_error_class(text);

    return class == RDL_OTHER ? RDL_E_SERVER : class;
}

#define BIT(code) (UINT32_C(1) << -(code))

int rdl_is_permanent(int code)
{
    const uint32_t permanent = BIT(RDL_E_SYNTAX) | BIT(RDL_E_SPACE) | BIT(RDL_E_URL) | BIT(RDL_E_FORKED) |
                               BIT(RDL_E_CONFIG) | BIT(RDL_E_TLS) | BIT(RDL_E_AUTH) | BIT(RDL_E_PERM) |
                               BIT(RDL_E_CLUSTER) | BIT(RDL_E_WRONGTYPE) | BIT(RDL_E_UNSUPPORTED) |
                               BIT(RDL_E_DB);
    unsigned bit = 0u - (unsigned)code;

    return bit <= (unsigned)-RDL_E_DB && (permanent >> bit & 1) != 0;
}

void rdl_conn_set_text(struct rdl_conn *c, const char *text)
{
    char *kept = c->cfg->text;
    size_t i;

    if (kept == NULL)
        return;
    for (i = 0; i + 1 < RDL_TEXT_MAX && text[i] != '\0'; i++)
        kept[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    kept[i] = '\0';
}

int rdl_unexpected_reply(struct rdl_conn *c)
{
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    rdl_conn_set_text(c, c->reply);
    return rdl_error_code(c->reply);
}
