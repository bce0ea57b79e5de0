/* SPDX-License-Identifier: MIT */
/*
 * net_ladder.c - how a request is put to this server, and what its replies mean.
 *
 * Release and extend compare the token on the server. There is more than one way to do that; which one
 * works here is found by asking, remembered for the life of the connection, and forgotten with it:
 *
 *     EVALSHA   the script by its SHA1, if the server has it
 *     EVAL      the script itself, when it said NOSCRIPT
 *
 * A release that nobody waits for is sent by a way already proven on this connection, else with the
 * full text: its caller may be gone before a refusal comes back.
 */
#include <string.h>

#include "net/net_private.h"

enum rung { RUNG_SHA, RUNG_TEXT };

/* rdl_conn.caps: two bits a script */
enum { CAP_PROVEN = 1, CAP_MISSING = 2, CAP_BITS = 2 };

static const struct rdl_script *script_of(uint8_t op)
{
    return op == RDL_OP_RELEASE ? &rdl_script_release : &rdl_script_extend;
}

static unsigned cap_shift(uint8_t op)
{
    return op == RDL_OP_RELEASE ? 0 : CAP_BITS;
}

static int has_cap(const struct rdl_conn *c, uint8_t op, unsigned cap)
{
    return ((unsigned)c->caps >> cap_shift(op) & cap) != 0;
}

static void set_cap(struct rdl_conn *c, uint8_t op, unsigned cap)
{
    unsigned both = (unsigned)(CAP_PROVEN | CAP_MISSING) << cap_shift(op);

    c->caps = (uint8_t)((c->caps & ~both) | cap << cap_shift(op));
}

/* ---------------------------------------------------------------- out */

static void hex(char *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    for (i = 0; i < n; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

/* The PTTL says how long a holder has left; it costs no round trip of its own. */
static int write_acquire(const struct rdl_record *r, struct rdl_bytes name, struct rdl_bytes token,
                         struct rdl_writer *w)
{
    size_t len = w->len;

    if (rdl_cmd_set_nx_px(w, name, token, r->ttl_ms) == RDL_OK && rdl_cmd_pttl(w, name) == RDL_OK)
        return RDL_OK;
    w->len = len;
    return RDL_E_SPACE;
}

static int write_eval(struct rdl_conn *c, const struct rdl_script *s, const struct rdl_bytes *argv,
                      struct rdl_writer *w)
{
    size_t len = w->len;
    size_t script_at;

    if (c->script != NULL) /* one text at a time; the next when this one is out */
        return RDL_E_SPACE;
    if (rdl_cmd_eval_head(w, s) != RDL_OK)
        return RDL_E_SPACE;
    script_at = w->len;
    if (rdl_cmd_eval_tail(w, s, argv) != RDL_OK) {
        w->len = len;
        return RDL_E_SPACE;
    }
    c->script = s;
    c->script_at = (uint32_t)script_at;
    c->script_sent = 0;
    return RDL_OK;
}

static int write_script(struct rdl_conn *c, struct rdl_record *r, struct rdl_bytes name,
                        struct rdl_bytes token, struct rdl_writer *w)
{
    const struct rdl_script *s = script_of(r->op);
    char ttl[RDL_DEC_MAX];
    struct rdl_bytes argv[3];
    int by_sha = has_cap(c, r->op, CAP_PROVEN) || (r->req != NULL && !has_cap(c, r->op, CAP_MISSING));

    argv[0] = name;
    argv[1] = token;
    argv[2].data = ttl;
    argv[2].len = rdl_dec_u32(ttl, r->ttl_ms);
    r->step = by_sha ? RUNG_SHA : RUNG_TEXT;
    return by_sha ? rdl_cmd_evalsha(w, s, argv) : write_eval(c, s, argv, w);
}

int rdl_ladder_write(struct rdl_conn *c, struct rdl_record *r, const uint8_t *name, struct rdl_writer *w)
{
    char token_hex[2 * RDL_TOKEN_LEN];
    struct rdl_bytes key;
    struct rdl_bytes token;
    int rc;

    hex(token_hex, r->token, RDL_TOKEN_LEN);
    key.data = name;
    key.len = r->name_len;
    token.data = token_hex;
    token.len = sizeof token_hex;
    rc = r->op == RDL_OP_ACQUIRE ? write_acquire(r, key, token, w) : write_script(c, r, key, token, w);
    w->error = RDL_OK; /* no room now: the rest goes out in the next round */
    return rc;
}

/* ---------------------------------------------------------------- in */

void rdl_req_answer(struct rdl_req *req, enum rdl_answer answer, int error, int64_t value)
{
    if (req == NULL)
        return;
    req->value = value;
    req->error = (int16_t)error;
    req->answer = (uint8_t)answer;
    req->is_queued = 0;
}

/* The head is done with: tell who waits. */
static int answer_head(struct rdl_conn *c, const struct rdl_record *r, enum rdl_answer answer, int error,
                       int64_t value)
{
    rdl_queue_remove(c, c->head);
    rdl_req_answer(r->req, answer, error, value);
    return RDL_OK;
}

/* An error reply: its class is the answer. A replica stays one as long as we stay connected to it. */
static int answer_error(struct rdl_conn *c, const struct rdl_record *r)
{
    int code = rdl_error_code(c->reply);

    rdl_conn_say(c, c->reply);
    answer_head(c, r, RDL_ANSWER_ERROR, code, 0);
    return code == RDL_E_READONLY ? RDL_E_READONLY : RDL_OK;
}

/* The SET's reply came; the PTTL's is still to come, and counts only after a refusal. */
static int reply_set(struct rdl_conn *c, struct rdl_record *r)
{
    int end = RDL_OK;

    if (r->req != NULL)
        c->reserved -= rdl_record_size(r);
    r->step = 1;
    if (c->reply_kind == RDL_RESP_STATUS) {
        rdl_req_answer(r->req, RDL_ANSWER_YES, RDL_OK, 0);
        r->req = NULL;
    } else if (c->reply_kind == RDL_RESP_ERROR) {
        int code = rdl_error_code(c->reply);
        rdl_conn_say(c, c->reply);
        rdl_req_answer(r->req, RDL_ANSWER_ERROR, code, 0);
        r->req = NULL;
        end = code == RDL_E_READONLY ? code : RDL_OK;
    } else if (c->reply_kind != RDL_RESP_NIL) {
        end = RDL_E_UNASKED;
    }
    rdl_record_store(c, c->head, r);
    return end;
}

static int reply_pttl(struct rdl_conn *c, const struct rdl_record *r)
{
    int64_t ms = c->reply_kind == RDL_RESP_INT ? c->reply_value : -2;

    if (c->reply_kind != RDL_RESP_INT && c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNASKED;
    return answer_head(c, r, RDL_ANSWER_NO, RDL_OK, ms);
}

static int reply_script_value(struct rdl_conn *c, const struct rdl_record *r)
{
    set_cap(c, r->op, CAP_PROVEN);
    if (c->reply_value == 1)
        return answer_head(c, r, RDL_ANSWER_YES, RDL_OK, 0);
    if (c->reply_value == 0)
        return answer_head(c, r, RDL_ANSWER_NO, RDL_OK, 0);
    return answer_head(c, r, RDL_ANSWER_ABSENT, RDL_OK, 0);
}

static int reply_script(struct rdl_conn *c, const struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_INT)
        return reply_script_value(c, r);
    if (c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNASKED;
    if (r->step == RUNG_SHA && rdl_has_prefix(c->reply, "NOSCRIPT")) {
        set_cap(c, r->op, CAP_MISSING);
        rdl_queue_repeat_head(c);
        return RDL_OK;
    }
    if (rdl_error_code(c->reply) == RDL_E_WRONGTYPE) /* the key was replaced by something that is no lock */
        return answer_head(c, r, RDL_ANSWER_NO, RDL_OK, 0);
    return answer_error(c, r);
}

int rdl_ladder_reply(struct rdl_conn *c)
{
    struct rdl_record r;

    if (c->head == c->draw)
        return rdl_unasked_reply(c);
    rdl_record_load(c, c->head, &r);
    if (r.op != RDL_OP_ACQUIRE)
        return reply_script(c, &r);
    return r.step == 0 ? reply_set(c, &r) : reply_pttl(c, &r);
}
