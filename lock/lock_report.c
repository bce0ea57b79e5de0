/* SPDX-License-Identifier: MIT */
/* lock_report.c - the last operation of one lock as a line for people, and the phrases of such lines. */
#include "lock/lock_line.h"
#include "lock/lock_private.h"
#include "resp/resp_bytes.h"
#include "resp/resp_template.h"

void rdl_line_begin(struct rdl_line *line, char *out, size_t cap)
{
    RDL_ASSERT(cap > 0);
    line->out = out;
    line->cap = cap;
    line->len = 0;
    out[0] = '\0';
}

void rdl_line_add(struct rdl_line *line, const char *text)
{
    for (; *text != '\0' && line->len + 1 < line->cap; text++)
        line->out[line->len++] = *text;
    line->out[line->len] = '\0';
}

void rdl_line_add_number(struct rdl_line *line, const char *text, uint32_t n)
{
    char digits[RDL_DEC_MAX + 1];

    digits[rdl_dec_u32(digits, n)] = '\0';
    rdl_line_add(line, text);
    rdl_line_add(line, digits);
}

void rdl_line_add_ms(struct rdl_line *line, const char *text, uint32_t ms)
{
    rdl_line_add_number(line, text, ms);
    rdl_line_add(line, " ms");
}

int rdl_line_is_own_text(const char *text)
{
    static const char *const own[] = {"WRONGPASS: wrong user or password",
                                      "AUTH refused: the server has no password set",
                                      "AUTH refused",
                                      "ERR max number of clients",
                                      "DENIED: protected mode",
                                      "cluster mode is on",
                                      "use its master"};
    size_t i;

    for (i = 0; i < sizeof own / sizeof own[0]; i++)
        if (rdl_has_prefix(text, own[i]) && rdl_has_prefix(own[i], text))
            return 1;
    return 0;
}

/*
 * Returns how many bytes of the server's text, from here on, are the secret as rdl_conn_text() shows it. A
 * text that was cut may end inside it; less than four bytes are no matter.
 */
static size_t secret_at(const char *text, struct rdl_bytes secret)
{
    const char *word = secret.data;
    size_t i;

    for (i = 0; i < secret.len && text[i] != '\0'; i++)
        if (text[i] != (word[i] < ' ' || word[i] > '~' ? '?' : word[i]))
            return 0;
    return i == secret.len || i >= 4 ? i : 0;
}

/* Adds the server's text without the password: any error may repeat what was sent. */
static void add_text(struct rdl_line *line, const struct rdl_conn *c, int is_own)
{
    const char *text = rdl_conn_text(c);

    while (*text != '\0') {
        size_t n = is_own ? 0 : secret_at(text, c->cfg->endpoint->password);
        const char byte[2] = {*text, '\0'};

        rdl_line_add(line, n > 0 ? "***" : byte);
        text += n > 0 ? n : 1;
    }
}

void rdl_line_add_error(struct rdl_line *line, const struct rdl_conn *c, int error)
{
    int has_text = error <= RDL_E_TLS && error >= RDL_E_SERVER;

    rdl_line_add(line, rdl_strerror(error));
    if (error == RDL_E_CLOSED && rdl_conn_lacks_info(c))
        rdl_line_add(line, " to INFO (is it a proxy?)");
    if (!has_text || rdl_conn_text(c)[0] == '\0')
        return;
    rdl_line_add(line, ": ");
    add_text(line, c, error == RDL_E_TLS || rdl_line_is_own_text(rdl_conn_text(c)));
}

void rdl_line_add_no_reply(struct rdl_line *line, const struct rdl_conn *c, int error)
{
    rdl_line_add(line, error == RDL_E_TIMEOUT ? rdl_strerror(RDL_E_TIMEOUT) : "no reply");
    if (error == RDL_OK || error == RDL_E_TIMEOUT)
        return;
    rdl_line_add(line, ": ");
    rdl_line_add_error(line, c, error);
}

void rdl_line_add_holder(struct rdl_line *line, int64_t holder_ms)
{
    rdl_line_add(line, "held by another client");
    if (holder_ms >= 0 && holder_ms <= UINT32_MAX)
        rdl_line_add_ms(line, " for another ", (uint32_t)holder_ms);
    else if (holder_ms == -1)
        rdl_line_add(line, ", never expires: another program or an old client wrote it");
}

void rdl_line_add_connecting(struct rdl_line *line, const struct rdl_conn *c)
{
    rdl_line_add(line, rdl_conn_state(c) == RDL_CONN_HANDSHAKE ? "connected, but no reply yet"
                                                               : "not connected yet");
}

/* ---------------------------------------------------------------- one lock */

static void add_pending(struct rdl_line *line, const struct rdl_lock *l)
{
    enum rdl_conn_phase state = rdl_conn_state(l->conn);

    if (state != RDL_CONN_READY && state != RDL_CONN_STALLED)
        rdl_line_add_connecting(line, l->conn);
    else
        rdl_line_add(line, l->req.is_queued ? "no reply yet" : "no request was sent");
}

size_t rdl_lock_report(const struct rdl_lock *l, char *out, size_t cap)
{
    struct rdl_line line;

    rdl_line_begin(&line, out, cap);
    if (l->state != 0) /* an operation is pending */
        add_pending(&line, l);
    else if (l->result == RDL_BUSY)
        rdl_line_add_holder(&line, l->holder_ms);
    else if (l->result == RDL_UNKNOWN)
        rdl_line_add_no_reply(&line, l->conn, rdl_lock_error(l));
    else if (rdl_lock_error(l) != RDL_OK)
        rdl_line_add_error(&line, l->conn, l->result);
    else if (l->result < 0)
        rdl_line_add(&line, rdl_strerror(l->result));
    else if (l->attempts == 0 && !l->is_adopted)
        rdl_line_add(&line, "no request was sent");
    else if (l->action == RDL_ACQUIRE)
        rdl_line_add_ms(&line, "confirmed in ", rdl_lock_stats(l).took_ms);
    else
        rdl_line_add(&line, "confirmed");
    return line.len;
}
