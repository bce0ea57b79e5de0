/* SPDX-License-Identifier: MIT */
/*
 * net_error.c - the meaning of a server's error reply, by its prefix. The rest of the line differs between
 * servers and versions, and may contain arguments.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/*
 * They follow "ERR ", if the reply has it: before Redis 7 errors from inside a script lack it. They are in
 * the order of the codes, from RDL_E_AUTH to RDL_E_SERVER. An empty prefix ends those of a code.
 */
static const char prefixes[] =
    /* RDL_E_AUTH */
    "NOAUTH\0WRONGPASS\0"
    "invalid pass\0" /* ...word: Redis 5 and older */
    "operation n\0"  /* ...ot permitted: Redis 2.6 and older, for NOAUTH */
    "AUTH\0"         /* ... <password> called without any configured */
    "Client s\0"     /* ...ent AUTH, but no password is set: Redis 5 and older */
    "DENIED\0\0"     /* ... protected mode: no password, and not from this host */
    /* RDL_E_PERM */
    "NOPERM\0"
    "ACL\0"        /* ... failure in script */
    "The user\0\0" /* ... executing the script can't: Redis 7.0 */
    /* RDL_E_READONLY */
    "READONLY\0\0"
    /* RDL_E_TRY_LATER */
    "LOADING\0BUSY \0OOM\0MISCONF\0CLUSTERD\0" /* ...OWN */
    "TRYAG\0\0"                                /* ...AIN */
    /* RDL_E_CLUSTER */
    "MOVED\0ASK \0CROSSSLOT\0"
    "Script att\0"  /* ...empted to access a non local key, a slot not served */
    "Attempted\0\0" /* the same: Valkey 9 */
    /* RDL_E_WRONGTYPE */
    "WRONGTYPE\0"
    "Operation a\0"  /* ...gainst a key holding the wrong kind: Redis 2.6 and older */
    "Key should\0\0" /* ... be of string type: DELEX, Redis 8.4 */
    /* RDL_E_UNSUPPORTED */
    "unknown\0"  /* ... command, subcommand */
    "Unknown\0"  /* ... command called from script */
    "Error c\0"  /* ...ompiling script */
    "Protocol\0" /* ... error; then it closes the connection */
    "syntax\0"
    "wrong n\0"  /* ...umber of arguments */
    "NOSCRIPT\0" /* after an EVALSHA the text is sent; after an EVAL it is a refusal */
    /* the same: scripts are switched off */
    "Could not find s\0"    /* ...cripting engine 'lua': Valkey 9.1 without its module */
    "This instance has L\0" /* ...ua scripting support disabled: Garnet */
    "command eval\0"        /* ... not support for normal user: hosted */
    "Command is not available: 'EVAL\0"
    "bad lua\0\0" /* ... script for redis cluster: hosted */
    /* RDL_E_DB */
    "DB index\0"
    "invalid DB\0" /* Redis 3.2 and older */
    "SELECT\0\0"   /* ... is not allowed in cluster mode */
    /* RDL_E_SERVER: temporary errors */
    "MASTERD\0"   /* ...OWN */
    "NOREPL\0"    /* ...ICAS */
    "Error r\0"   /* ...unning script: Redis 6 and older; the reason follows */
    "max n\0"     /* ...umber of clients reached; then it closes the connection */
    "Script k\0"; /* ...illed by user */

int rdl_error_class(const char *text)
{
    const char *p = prefixes;
    int code = RDL_E_AUTH;

    if (rdl_has_prefix(text, "ERR "))
        text += 4;
    while (code >= RDL_E_SERVER) {
        if (*p == '\0')
            code--;
        else if (rdl_has_prefix(text, p))
            return code;
        while (*p != '\0')
            p++;
        p++;
    }
    return RDL_OTHER;
}

int rdl_error_code(const char *text)
{
    int class = rdl_error_class(text);

    return class == RDL_OTHER ? RDL_E_SERVER : class;
}

int rdl_is_permanent(int code)
{
    static const signed char codes[] = {RDL_E_SYNTAX,  RDL_E_SPACE,     RDL_E_URL,         RDL_E_FORKED,
                                        RDL_E_CONFIG,  RDL_E_TLS,       RDL_E_AUTH,        RDL_E_PERM,
                                        RDL_E_CLUSTER, RDL_E_WRONGTYPE, RDL_E_UNSUPPORTED, RDL_E_DB};
    size_t i;

    for (i = 0; i < sizeof codes; i++) {
        if (codes[i] == code)
            return 1;
    }
    return 0;
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
