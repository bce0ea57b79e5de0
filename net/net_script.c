/* SPDX-License-Identifier: MIT */
/* net_script.c - requests that are one call of a script of ours, and the keys beside a lock. */
#include <string.h>

#include "net/net_private.h"

static int has_brace(struct rdl_bytes name)
{
    const char *text = name.data;
    size_t i;

    for (i = 0; i < name.len; i++) {
        if (text[i] == '}')
            return 1;
    }
    return 0;
}

size_t rdl_side_key(char out[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX], struct rdl_bytes name, const char *suffix)
{
    int is_tagged = has_brace(name);
    size_t n = 0;

    if (!is_tagged)
        out[n++] = '{';
    memcpy(out + n, name.data, name.len);
    n += name.len;
    if (!is_tagged)
        out[n++] = '}';
    while (*suffix != '\0')
        out[n++] = *suffix++;
    return n;
}

/* rdl_conn.scripts: a bit for each whose text was sent, and this one where EVALSHA is refused as such. */
enum { SHA_BARRED = 1 << RDL_SCRIPTS };

int rdl_script_draw(struct rdl_conn *c, const struct rdl_script *s)
{
    uint16_t bit = (uint16_t)(1u << s->number);
    int is_known = (c->scripts & (SHA_BARRED | bit)) == bit;

    c->scripts |= bit;
    return is_known;
}

/* Which one does not matter: a server that has forgotten one has forgotten all. */
void rdl_script_forget(struct rdl_conn *c, int is_noscript)
{
    c->scripts = is_noscript ? 0 : SHA_BARRED;
}

int rdl_script_judge(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    if (c->reply_value == 1)
        r->verdict = RDL_ANSWER_YES;
    else
        r->verdict = c->reply_value == 0 ? RDL_ANSWER_NO : RDL_ANSWER_ABSENT;
    return c->reply_value >= -1 && c->reply_value <= 1 ? RDL_OK : RDL_E_UNASKED;
}

int rdl_script_judge_grant(struct rdl_conn *c, struct rdl_record *r, const struct rdl_request *q)
{
    (void)q;
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || c->reply_value < 0 || c->reply_value > 1)
        return RDL_E_UNASKED;
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    rdl_record_tell(r, c->reply_second);
    return RDL_OK;
}
