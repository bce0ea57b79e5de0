/* SPDX-License-Identifier: MIT */
/* redlock_report.c - a line for people about one server's part in the last operation. */
#include "lock/lock_line.h"
#include "lock/lock_op.h"
#include "redlock/redlock.h"

/* Adds that the server's vote did not count, and when it will. */
static void add_quarantine(struct rdl_line *l, const struct rdl_redlock *r, size_t i, uint64_t now_ms)
{
    uint64_t at_ms = rdl_redlock_counts_at(r, i);

    rdl_line_add(l, r->canaries == NULL ? "restarted" : "restarted or lost its data");
    rdl_line_add(l, " too recently to be used");
    if (at_ms > now_ms && at_ms - now_ms <= UINT32_MAX)
        rdl_line_add_ms(l, " for another ", (uint32_t)(at_ms - now_ms));
}

static void add_not_asked(struct rdl_line *l, const struct rdl_redlock *r, size_t i, uint64_t now_ms)
{
    const struct rdl_server *s = &r->servers[i];
    int error = rdl_redlock_error(r, i);

    if (error != RDL_OK)
        rdl_line_add_error(l, s->conn, error);
    else if (rdl_conn_state(s->conn) != RDL_CONN_READY)
        rdl_line_add_connecting(l, s->conn);
    else if (s->counts)
        rdl_line_add(l, "no request was sent");
    else
        add_quarantine(l, r, i, now_ms);
}

size_t rdl_redlock_report(const struct rdl_redlock *r, size_t i, uint64_t now_ms, char *out, size_t cap)
{
    const struct rdl_server *s = &r->servers[i];
    struct rdl_line l;

    RDL_ASSERT(i < r->n);
    rdl_line_begin(&l, out, cap);
    switch ((enum rdl_vote)s->vote) {
    case RDL_VOTE_GRANTED:
        rdl_line_add_ms(&l, "confirmed in ", s->took_ms);
        if (!s->counts && r->action != RDL_RELEASE) {
            rdl_line_add(&l, ", but ");
            add_quarantine(&l, r, i, now_ms);
        }
        break;
    case RDL_VOTE_DENIED:
        rdl_line_add_holder(&l, s->value);
        break;
    case RDL_VOTE_ABSENT:
        rdl_line_add(&l, "the key does not exist");
        break;
    case RDL_VOTE_PENDING: /* late, or not waited for */
        rdl_line_add(&l, s->error != RDL_OK ? rdl_strerror(s->error) : "no reply yet");
        break;
    case RDL_VOTE_UNKNOWN:
        rdl_line_add_no_reply(&l, s->conn, s->error);
        break;
    case RDL_VOTE_ERROR:
        rdl_line_add_error(&l, s->conn, s->error);
        break;
    case RDL_VOTE_NONE:
        add_not_asked(&l, r, i, now_ms);
        break;
    }
    return l.len;
}
