/* SPDX-License-Identifier: MIT */
/* redlock_report.c - what one server did in the last operation, in a line for people. */
#include "net/net_op.h"
#include "redlock/redlock.h"
#include "resp/resp_template.h"

struct line {
    char *out;
    size_t cap;
    size_t len;
};

static void add(struct line *l, const char *text)
{
    for (; *text != '\0' && l->len + 1 < l->cap; text++)
        l->out[l->len++] = *text;
    l->out[l->len] = '\0';
}

static void add_ms(struct line *l, const char *text, uint32_t ms)
{
    char digits[RDL_DEC_MAX + 1];

    digits[rdl_dec_u32(digits, ms)] = '\0';
    add(l, text);
    add(l, digits);
    add(l, " ms");
}

/* Its vote did not count, and when it will. */
static void add_quarantine(struct line *l, const struct rdl_redlock *r, size_t i, uint64_t now_ms)
{
    uint64_t at_ms = rdl_redlock_counts_at(r, i);

    add(l, r->canaries == NULL ? "restarted" : "restarted or lost its data");
    add(l, " too recently to be used");
    if (at_ms > now_ms && at_ms - now_ms <= UINT32_MAX)
        add_ms(l, " for another ", (uint32_t)(at_ms - now_ms));
}

/* What went wrong, and what the server itself said if this is from it. */
static void add_error(struct line *l, const struct rdl_conn *c, int error)
{
    int is_servers_word = error <= RDL_E_AUTH && error >= RDL_E_SERVER;

    add(l, rdl_strerror(error == rdl_conn_error(c) ? rdl_conn_cause(c) : error));
    if (!is_servers_word || rdl_conn_text(c)[0] == '\0')
        return;
    add(l, ": ");
    add(l, rdl_conn_text(c));
}

static void add_denied(struct line *l, const struct rdl_server *s)
{
    add(l, "held by another client");
    if (s->value >= 0 && s->value <= UINT32_MAX)
        add_ms(l, " for another ", (uint32_t)s->value);
    else if (s->value == -1)
        add(l, ", never expires: another program or an old client wrote it");
}

static void add_not_asked(struct line *l, const struct rdl_redlock *r, size_t i, uint64_t now_ms)
{
    const struct rdl_server *s = &r->servers[i];
    int error = rdl_redlock_error(r, i);

    if (error != RDL_OK)
        add_error(l, s->conn, error);
    else if (rdl_conn_state(s->conn) == RDL_CONN_HANDSHAKE)
        add(l, "connected, but no reply yet");
    else if (rdl_conn_state(s->conn) != RDL_CONN_READY)
        add(l, "not connected yet");
    else if (s->counts)
        add(l, "no request was sent");
    else
        add_quarantine(l, r, i, now_ms);
}

size_t rdl_redlock_report(const struct rdl_redlock *r, size_t i, uint64_t now_ms, char *out, size_t cap)
{
    const struct rdl_server *s = &r->servers[i];
    struct line l = {out, cap, 0};

    RDL_ASSERT(i < r->n && cap > 0);
    out[0] = '\0';
    switch ((enum rdl_vote)s->vote) {
    case RDL_VOTE_GRANTED:
        add_ms(&l, "confirmed in ", s->took_ms);
        if (!s->counts && r->action != RDL_RELEASE) {
            add(&l, ", but ");
            add_quarantine(&l, r, i, now_ms);
        }
        break;
    case RDL_VOTE_DENIED:
        add_denied(&l, s);
        break;
    case RDL_VOTE_ABSENT:
        add(&l, "the key does not exist");
        break;
    case RDL_VOTE_PENDING: /* late, or not waited for */
        add(&l, s->error != RDL_OK ? rdl_strerror(s->error) : "no reply yet");
        break;
    case RDL_VOTE_UNKNOWN:
        add(&l, s->error == RDL_E_TIMEOUT ? rdl_strerror(RDL_E_TIMEOUT) : "no reply");
        if (s->error != RDL_OK && s->error != RDL_E_TIMEOUT) {
            add(&l, ": ");
            add_error(&l, s->conn, s->error);
        }
        break;
    case RDL_VOTE_ERROR:
        add_error(&l, s->conn, s->error);
        break;
    case RDL_VOTE_NONE:
        add_not_asked(&l, r, i, now_ms);
        break;
    }
    return l.len;
}
