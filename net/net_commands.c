/* SPDX-License-Identifier: MIT */
/* net_commands.c - the templates of the login, and the arguments that call a script. */
#include "net/net_commands.h"

const char rdl_wire_auth[] = "*2\r\n$4\r\nAUTH\r\n$P";
const char rdl_wire_auth_user[] = "*3\r\n$4\r\nAUTH\r\n$u$P";
const char rdl_wire_select[] = "*2\r\n$6\r\nSELECT\r\n$d";
const char rdl_wire_client_setname[] = "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$n";

void rdl_script_call(const struct rdl_script *s, int is_known, struct rdl_bytes *c, struct rdl_bytes *text)
{
    static const char name[] = "EVALSHA";

    c->data = name;
    c->len = is_known ? sizeof name - 1 : 4; /* its first 4 bytes are EVAL */
    text->data = is_known ? s->sha : s->text;
    text->len = is_known ? sizeof s->sha - 1 : s->text_len;
}
