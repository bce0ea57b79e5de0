/* SPDX-License-Identifier: MIT */
/* easy_report.c - why a call of easy.h failed, as a text for people. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/easy/easy_private.h"

#include "lock/lock_line.h"
#include "net/net_op.h"

#include <string.h>

/* ---------------------------------------------------------------- words */

/* Adds text, then "28 s", rounded up. */
static void add_seconds(struct rdl_line *line, const char *text, uint64_t ms)
{
    rdl_line_add_number(line, text, (uint32_t)((ms + 999) / 1000)); /* enough for 136 years */
    rdl_line_add(line, " s");
}

/* Replaces the control bytes, which are not for a terminal or a log. The rest may be UTF-8. */
static void hide_controls(struct rdl_line *line)
{
    size_t i;

    for (i = 0; i < line->len; i++)
        if ((uint8_t)line->out[i] < ' ' || line->out[i] == '\x7f')
            line->out[i] = '?';
}

/* Begins with the lock's name. */
static void begin(struct rdl_easy *e, struct rdl_line *line)
{
    rdl_line_begin(line, e->error, sizeof e->error);
    if (e->name_len == 0)
        return;
    rdl_line_add(line, "lock \"");
    rdl_line_add(line, e->name);
    hide_controls(line);
    rdl_line_add(line, "\": ");
}

/* ---------------------------------------------------------------- servers */

/* Adds the server as its URL names it, with the database if that is not 0. */
static void add_where(struct rdl_line *line, const struct rdl_easy *e, size_t i)
{
    const struct rdl_easy_sentinel *groups = e->options.sentinel;
    const struct rdl_endpoint *ep = &e->conns[i].endpoint;

    if (groups == NULL || !groups->ops->add_where(line, e, i))
        rdl_line_add_where(line, ep, ep->host);
    hide_controls(line);
}

/* Returns why the master of server i is not known, if it is a Sentinel group; "" otherwise. */
static const char *sentinel_text(const struct rdl_easy *e, size_t i)
{
    const struct rdl_easy_sentinel *groups = e->options.sentinel;

    return groups != NULL ? groups->ops->text(e, i) : "";
}

/*
 * Adds when a server in quarantine counts: "started 3 s ago, counts in 28 s". When it started does not matter
 * if its canary is missing, or if another server was at this address before.
 */
static void add_quarantine_end(struct rdl_line *line, const struct rdl_easy *e, size_t i, uint64_t now_ms)
{
    const struct rdl_server_info *info = &e->conns[i].server_info;
    uint64_t at_ms = rdl_redlock_counts_at(&e->lock, i);

    if (!info->is_other && !(e->options.flags & RDL_EASY_CANARY)) {
        add_seconds(line, "started ", now_ms - (uint64_t)info->up_ms);
        rdl_line_add(line, " ago, ");
    }
    add_seconds(line, "counts in ", at_ms - now_ms);
}

static void add_system_error(struct rdl_line *line, int err)
{
    char text[64];

    if (strerror_r(err, text, sizeof text) != 0)
        return;
    rdl_line_add(line, ": ");
    rdl_line_add(line, text);
}

/* Returns 1 if server i has no address. After a lookup that failed it still has an earlier one. */
static int has_no_address(const struct rdl_easy *e, size_t i)
{
    return e->unresolved[i] != NULL && e->conns[i].endpoint.family == RDL_UNRESOLVED;
}

/* Adds an advice if server i hung up before any reply: a port that uses TLS does. */
static void add_tls_advice(struct rdl_line *line, const struct rdl_easy *e, size_t i)
{
    const struct rdl_conn *c = &e->conns[i].conn;

    if (rdl_conn_error(c) == RDL_E_CLOSED && rdl_conn_replies(c) == 0 && !e->is_tls[i] &&
        e->conns[i].endpoint.family != RDL_UNIX)
        rdl_line_add(line, " (check the port; if it uses TLS, its URL must begin with rediss://)");
}

/* Why a server gave no vote that counts. */
enum reason {
    REASON_AWAY, /* it may be down or unreachable */
    REASON_NO_ADDRESS,
    REASON_NO_MASTER, /* no sentinel of the group named it */
    REASON_TWICE,     /* another address in the list leads to it */
    REASON_QUARANTINE,
    REASON_REFUSED, /* for good: the server's words say why */
    REASONS
};

static enum reason reason_of(const struct rdl_easy *e, size_t i)
{
    int is_ready = rdl_conn_state(&e->conns[i].conn) == RDL_CONN_READY;
    int error = rdl_redlock_error(&e->lock, i);

    if (sentinel_text(e, i)[0] != '\0' && !is_ready)
        return REASON_NO_MASTER;
    if (has_no_address(e, i))
        return REASON_NO_ADDRESS;
    if (error == RDL_E_DUPLICATE)
        return REASON_TWICE;
    if (is_ready && error == RDL_OK && !e->servers[i].counts)
        return REASON_QUARANTINE;
    return rdl_is_permanent(error) ? REASON_REFUSED : REASON_AWAY;
}

/* Adds its part in the last operation, with the system's reason if it has one. */
static void add_report(struct rdl_line *line, const struct rdl_easy *e, size_t i, uint64_t now_ms)
{
    const struct rdl_conn *c = &e->conns[i].conn;
    int err = rdl_posix_errno(c);

    line->len += rdl_redlock_report(&e->lock, i, now_ms, line->out + line->len, line->cap - line->len);
    if (err != 0 && rdl_conn_error(c) == rdl_redlock_error(&e->lock, i))
        add_system_error(line, err);
    add_tls_advice(line, e, i);
}

/* Adds why the server gave no vote that counts. */
static void add_part(struct rdl_line *line, const struct rdl_easy *e, size_t i, uint64_t now_ms)
{
    enum reason reason = reason_of(e, i);

    if (reason == REASON_NO_MASTER) {
        rdl_line_add(line, sentinel_text(e, i));
    } else if (reason == REASON_NO_ADDRESS) {
        rdl_line_add(line, "no address: ");
        rdl_line_add(line, e->unresolved[i]);
    } else if (reason == REASON_QUARANTINE && rdl_redlock_counts_at(&e->lock, i) > now_ms) {
        add_quarantine_end(line, e, i, now_ms);
    } else {
        add_report(line, e, i, now_ms);
    }
}

/* Returns 1 if the operation ended before server i could connect or reply. */
static int was_not_waited_for(const struct rdl_easy *e, size_t i)
{
    int error = rdl_redlock_error(&e->lock, i);

    if (e->servers[i].vote == RDL_VOTE_NONE && error == RDL_OK)
        return rdl_conn_state(&e->conns[i].conn) != RDL_CONN_READY;
    return error == RDL_E_ABANDONED;
}

static int has_failed(const struct rdl_easy *e, size_t i)
{
    const struct rdl_server *s = &e->servers[i];

    if (was_not_waited_for(e, i) || s->vote == RDL_VOTE_DENIED || s->vote == RDL_VOTE_ABSENT)
        return 0;
    if (s->vote == RDL_VOTE_GRANTED || (s->vote == RDL_VOTE_NONE && rdl_redlock_error(&e->lock, i) == RDL_OK))
        return !s->counts;
    return 1;
}

/*
 * Returns 1 if server i is a reason for the result. One that was not waited for is a reason if those that
 * failed are too few to be the whole reason: then the caller did not wait long enough for it.
 */
static int is_to_blame(const struct rdl_easy *e, size_t i)
{
    size_t failed = 0;
    size_t k;

    for (k = 0; k < e->n; k++)
        failed += (size_t)has_failed(e, k);
    return has_failed(e, i) || (failed <= (e->n - 1u) / 2 && was_not_waited_for(e, i));
}

/* Counts the servers that are a reason for the result, by theirs. Returns how many there are. */
static uint32_t count_reasons(const struct rdl_easy *e, uint32_t of[REASONS])
{
    uint32_t n = 0;
    size_t i;

    memset(of, 0, REASONS * sizeof *of);
    for (i = 0; i < e->n; i++) {
        if (!is_to_blame(e, i))
            continue;
        of[reason_of(e, i)]++;
        n++;
    }
    return n;
}

/* Adds what to do about each reason, the safe remedies first. What is refused for good has its own text. */
static void add_remedies(struct rdl_line *line, const struct rdl_easy *e, int rc)
{
    uint32_t of[REASONS];
    uint32_t n = count_reasons(e, of);

    if (of[REASON_AWAY] > 0 && e->n == 1)
        rdl_line_add(line, ". Check that it runs and can be reached");
    else if (of[REASON_AWAY] > 0)
        rdl_line_add(line, of[REASON_AWAY] == n ? ". Check that they run and can be reached"
                                                : ". Check that those that failed run and can be reached");
    if (of[REASON_NO_ADDRESS] > 0)
        rdl_line_add(line, of[REASON_NO_ADDRESS] == 1 ? ". Check the host name" : ". Check the host names");
    if (of[REASON_NO_MASTER] > 0)
        rdl_line_add(line, ". Check the group's URL, and that its sentinels run and can be reached");
    if (of[REASON_TWICE] > 0)
        rdl_line_add(line, ". List each server once");
    if (of[REASON_QUARANTINE] == 0 || rc == RDL_UNKNOWN)
        return;
    rdl_line_add(line, ". Wait longer");
    /* Without the guard a server whose canary is missing does not count either. */
    if ((e->options.flags & (RDL_EASY_NO_RESTART_GUARD | RDL_EASY_CANARY)) == 0)
        rdl_line_add(line, ", or, if the server is new or loses nothing in a restart, set"
                           " RDL_EASY_NO_RESTART_GUARD");
}

/* Adds " (a:6379: timed out; b:6379: ...)". */
static void add_parts(struct rdl_line *line, const struct rdl_easy *e)
{
    const char *separator = " (";
    size_t i;

    for (i = 0; i < e->n; i++) {
        if (!is_to_blame(e, i))
            continue;
        rdl_line_add(line, separator);
        add_where(line, e, i);
        rdl_line_add(line, ": ");
        add_part(line, e, i, rdl_posix_now_ms());
        separator = "; ";
    }
    rdl_line_add(line, separator[0] == ';' ? ")" : "");
}

/* Adds "the server", or "2 of 3 servers". */
static void add_count(struct rdl_line *line, const struct rdl_easy *e, uint32_t n)
{
    if (e->n == 1) {
        rdl_line_add(line, "the server");
        return;
    }
    rdl_line_add_number(line, "", n);
    rdl_line_add_number(line, " of ", (uint32_t)e->n);
    rdl_line_add(line, " servers");
}

/* Adds which servers kept the lock from a majority, why, and what to do. */
static void add_explanation(struct rdl_line *line, const struct rdl_easy *e, int rc)
{
    uint32_t of[REASONS];
    uint32_t n = count_reasons(e, of);

    add_count(line, e, n);
    if (n == 0 || of[REASON_QUARANTINE] != n)
        rdl_line_add(line, " gave no useful reply");
    else
        rdl_line_add(line, e->options.sentinel != NULL ? " may have lost locks in a restart or a failover"
                                                       : " may have lost locks in a restart");
    add_parts(line, e);
    add_remedies(line, e, rc);
}

/* ---------------------------------------------------------------- results */

static void explain_operation(struct rdl_line *line, const struct rdl_easy *e, int rc)
{
    const char *fault;

    switch (rc) {
    case RDL_BUSY:
        rdl_line_add_holder(line, rdl_redlock_holder_ms(&e->lock));
        break;
    case RDL_E_QUARANTINE:
    case RDL_NO_QUORUM:
    case RDL_UNKNOWN:
        add_explanation(line, e, rc);
        break;
    case RDL_E_UNSUPPORTED:
        rdl_line_add(line, "fencing tokens need scripts, which the server refuses");
        break;
    case RDL_E_CONFIG:
        fault = rdl_redlock_config_fault(&e->opt, e->servers, e->n);
        rdl_line_add(line, fault != NULL ? fault : rdl_strerror(rc));
        break;
    default:
        rdl_line_add(line, rdl_strerror(rc));
        break;
    }
}

int rdl_easy_explain(struct rdl_easy *e, int rc)
{
    struct rdl_line line;

    begin(e, &line);
    if (rc < 0)
        explain_operation(&line, e, rc);
    else
        e->error[0] = '\0';
    return rc;
}

int rdl_easy_refuse(struct rdl_easy *e, int rc, const char *what)
{
    struct rdl_line line;

    begin(e, &line);
    rdl_line_add(&line, what);
    return rc;
}

int rdl_easy_refuse_url(struct rdl_easy *e, int rc, size_t i, const char *why)
{
    struct rdl_line line;

    begin(e, &line);
    rdl_line_add_number(&line, "URL ", (uint32_t)i + 1);
    rdl_line_add(&line, ": ");
    rdl_line_add(&line, why);
    return rc;
}
