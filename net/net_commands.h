/* SPDX-License-Identifier: MIT */
/*
 * net_commands.h - the commands of the login, and how a script is called. What else is sent belongs to the
 * layers above.
 */
#ifndef RDL_NET_COMMANDS_H
#define RDL_NET_COMMANDS_H

#include "resp/resp_template.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The letters of these templates:
 *
 *     u  a user    P  the password    d  a database    n  the client name
 */
extern const char rdl_wire_auth[], rdl_wire_auth_user[], rdl_wire_select[], rdl_wire_client_setname[];

/* -------------------------------------------------- calls of scripts */

/* Most scripts that a conn can remember (rdl_conn.scripts). */
enum { RDL_SCRIPTS_MAX = 14 };

/* A Lua script of a layer above. Its data is constant. */
struct rdl_script {
    const char *text;  /* the Lua text */
    uint16_t text_len; /* its length in bytes */
    uint8_t number;    /* index of the script, below RDL_SCRIPTS_MAX; no other script has it */
    char sha[41];      /* SHA1 of the text, 40 hex digits and a NUL */
};

/*
 * Sets the first two arguments of a call: of letter c the command, of letter s the text. If the server knows
 * the script, they are EVALSHA and the SHA1, else EVAL and the Lua text.
 */
void rdl_script_call(const struct rdl_script *s, int is_known, struct rdl_bytes *c, struct rdl_bytes *text);

#ifdef __cplusplus
}
#endif

#endif
