/* SPDX-License-Identifier: MIT */
/* net_script.c - requests that are one call of a script of ours. */
#include "net/net_private.h"

void rdl_script_write(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_script *s,
                      const struct rdl_bytes *argv, struct rdl_writer *w)
{
    if (r->rung == RUNG_SHA) {
        rdl_cmd_evalsha(w, s, argv);
        return;
    }
    if (c->script != NULL || rdl_cmd_eval_head(w, s) != RDL_OK) {
        w->error = RDL_E_SPACE; /* one text at a time; the next when this one is out */
        return;
    }
    c->script_at = (uint32_t)w->len;
    if (rdl_cmd_eval_tail(w, s, argv) != RDL_OK)
        return;
    c->script = s;
    c->script_sent = 0;
}

int rdl_script_judge(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    if (c->reply_value == 1)
        r->verdict = RDL_ANSWER_YES;
    else
        r->verdict = c->reply_value == 0 ? RDL_ANSWER_NO : RDL_ANSWER_ABSENT;
    return c->reply_value >= -1 && c->reply_value <= 1 ? RDL_OK : RDL_E_UNASKED;
}
