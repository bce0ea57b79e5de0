/* SPDX-License-Identifier: MIT */
/* net_script.c - requests that are one call of a script of ours, and the keys beside a lock. */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

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
    rdl_copy(out + n, name.data, name.len);
    n += name.len;
    if (!is_tagged)
        out[n++] = '}';
    while (*suffix != '\0')
        out[n++] = *suffix++;
    return n;
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

/* Of an array its first two numbers; a bulk of digits (TIME) is one, an OK (of EXEC) counts as 1. */
void rdl_take_numbers(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    int64_t *item = c->reply_items == 0 ? &c->reply_value : &c->reply_second;
    size_t i;

    if (ev->kind == RDL_RESP_ARRAY || ev->kind == RDL_RESP_ERROR || c->reply_items > 1)
        return;
    if (ev->first)
        *item = ev->kind == RDL_RESP_INT ? ev->value : ev->kind == RDL_RESP_STATUS;
    for (i = 0; ev->kind == RDL_RESP_BULK && i < ev->len; i++) {
        if (ev->data[i] < '0' || ev->data[i] > '9' || *item > INT32_MAX)
            *item = -1;
        else if (*item >= 0)
            *item = *item * 10 + (ev->data[i] - '0');
    }
    if (ev->last)
        c->reply_items++;
}

int rdl_script_judge_grant(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || c->reply_value < 0 || c->reply_value > 1)
        return RDL_E_UNASKED;
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    rdl_record_tell(r, c->reply_second);
    return RDL_OK;
}
