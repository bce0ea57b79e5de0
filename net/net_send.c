/* SPDX-License-Identifier: MIT */
/* net_send.c - the commands of a request, by the rung it goes. */
#include "net/net_private.h"

/* What all commands of one request have in common. */
struct request {
    struct rdl_bytes key;
    struct rdl_bytes token;
    uint32_t ttl_ms;
};

static void hex(char *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    for (i = 0; i < n; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

void rdl_token_hex(char out[2 * RDL_TOKEN_LEN], const uint8_t token[RDL_TOKEN_LEN])
{
    hex(out, token, RDL_TOKEN_LEN);
}

/* One script's text at a time; the next when this one is out. */
static void write_eval(struct rdl_conn *c, const struct rdl_script *s, const struct rdl_bytes *argv,
                       struct rdl_writer *w)
{
    if (c->script != NULL || rdl_cmd_eval_head(w, s) != RDL_OK) {
        w->error = RDL_E_SPACE;
        return;
    }
    c->script_at = (uint32_t)w->len;
    if (rdl_cmd_eval_tail(w, s, argv) != RDL_OK)
        return;
    c->script = s;
    c->script_sent = 0;
}

static void write_script(struct rdl_conn *c, const struct rdl_record *r, const struct request *q,
                         struct rdl_writer *w)
{
    const struct rdl_script *s = r->op == RDL_OP_RELEASE ? &rdl_script_release : &rdl_script_extend;
    char ttl[RDL_DEC_MAX];
    struct rdl_bytes argv[3];

    argv[0] = q->key;
    argv[1] = q->token;
    argv[2].data = ttl;
    argv[2].len = rdl_dec_u32(ttl, q->ttl_ms);
    if (r->rung == RUNG_SHA)
        rdl_cmd_evalsha(w, s, argv);
    else
        write_eval(c, s, argv, w);
}

/*
 * MULTI is answered before anything is changed: were it refused behind our back, the DEL would run by
 * itself, on whatever the key holds by then.
 */
static void write_watch(const struct rdl_record *r, const struct request *q, struct rdl_writer *w)
{
    if (r->round == ROUND_LOOK) {
        rdl_cmd_watch(w, q->key);
        rdl_cmd_get(w, q->key);
        rdl_cmd_pttl(w, q->key);
        rdl_cmd_multi(w);
        return;
    }
    if (r->round == ROUND_DISCARD) {
        rdl_cmd_discard(w);
        return;
    }
    if (r->op == RDL_OP_RELEASE)
        rdl_cmd_del(w, q->key);
    else
        rdl_cmd_pexpire(w, q->key, q->ttl_ms);
    rdl_cmd_exec(w);
}

static void write_rung(struct rdl_conn *c, const struct rdl_record *r, const struct request *q,
                       struct rdl_writer *w)
{
    switch ((enum rdl_rung)r->rung) {
    case RUNG_SET: /* the PTTL says how long a holder has left; it costs no round trip of its own */
        rdl_cmd_set_nx_px(w, q->key, q->token, q->ttl_ms);
        rdl_cmd_pttl(w, q->key);
        break;
    case RUNG_DELEX: /* here it tells "gone" from "somebody else's" */
        rdl_cmd_delex(w, q->key, q->token);
        rdl_cmd_pttl(w, q->key);
        break;
    case RUNG_DELIFEQ:
        rdl_cmd_delifeq(w, q->key, q->token);
        rdl_cmd_pttl(w, q->key);
        break;
    case RUNG_SHA:
    case RUNG_EVAL:
        write_script(c, r, q, w);
        break;
    case RUNG_IFEQ: /* never shorten: how long does it live anyway? */
        if (r->round == ROUND_LOOK)
            rdl_cmd_pttl(w, q->key);
        else
            rdl_cmd_set_ifeq(w, q->key, q->token, r->is_long ? 0 : q->ttl_ms);
        break;
    case RUNG_WATCH:
        write_watch(r, q, w);
        break;
    case RUNG_NONE:
        break;
    }
}

int rdl_request_write(struct rdl_conn *c, const struct rdl_record *r, const uint8_t *name,
                      struct rdl_writer *w)
{
    char token[2 * RDL_TOKEN_LEN];
    struct request q;
    size_t len = w->len;

    rdl_token_hex(token, r->token);
    q.key.data = name;
    q.key.len = r->name_len;
    q.token.data = token;
    q.token.len = sizeof token;
    q.ttl_ms = r->ttl_ms;
    write_rung(c, r, &q, w);
    if (w->error == RDL_OK)
        return RDL_OK;
    w->error = RDL_OK; /* all of it or nothing: it goes out in the next round */
    w->len = len;
    return RDL_E_SPACE;
}

unsigned rdl_request_replies(const struct rdl_record *r)
{
    switch ((enum rdl_rung)r->rung) {
    case RUNG_SET:
    case RUNG_DELEX:
    case RUNG_DELIFEQ:
        return 2;
    case RUNG_WATCH:
        return r->round == ROUND_LOOK ? 4 : r->round == ROUND_ACT ? 2 : 1;
    case RUNG_SHA:
    case RUNG_EVAL:
    case RUNG_IFEQ:
    case RUNG_NONE:
        break;
    }
    return 1;
}
