/* SPDX-License-Identifier: MIT */
/*
 * Checks that the user may release and extend the granted lock. A user who may use SET and nothing else
 * leaves every key there, and the command is stopped when the lease ends. That is better reported before
 * the command starts.
 *
 * Each server that granted the lock gets both requests, with a value that no client has. It replies that
 * another client holds the key, which changes nothing, or that the user may not do this. That costs one
 * round trip. So it is only done for users with a name, and for users who may not use INFO; all others
 * usually have all permissions. Commands that are forbidden inside a script (del, pexpire) are not found: a
 * script stops if the value differs. A fenced lock was taken by a script, and several locks by a
 * script or by WATCH, so they need no check of it.
 *
 * A lock of the old protocol is checked for extends on every server, because some servers have no method to
 * compare. It is released in any case.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/permission_check.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/cli/servers/risks.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"

#include <stdio.h>
#include <string.h>

struct probe {
    struct rdl_req release, extend;
    const struct rdl_op *release_by, *extend_by; /* release_by NULL: not checked */
    char text[RDL_TEXT_MAX];                     /* the server's text about it */
    int is_out;
};

static struct probe probes[RDL_SERVERS_MAX];

static int is_doubtful(const struct rdl_cli_lock *l, size_t i)
{
    if (l->o->fence || l->o->n_names > 1 || l->is_legacy)
        return l->is_legacy;
    return l->servers->endpoint[i].user.len > 0 ||
           (!l->is_single && rdl_guard_server_info(&l->servers->conn[i]) == NULL);
}

static void ask(struct rdl_cli_lock *l, size_t i, uint64_t until_ms)
{
    struct rdl_conn *c = &l->servers->conn[i];
    struct probe *p = &probes[i];
    struct rdl_token token = {{0}};
    struct rdl_command cmd;
    char value[RDL_VALUE_MAX];
    uint8_t entropy[RDL_ENTROPY_LEN];

    if (l->platform.random(l->platform.ctx, entropy, sizeof entropy) != RDL_OK)
        return;
    rdl_token_begin(&token, entropy);
    rdl_token_hex(&token, value);
    memset(&cmd, 0, sizeof cmd);
    p->extend_by = l->is_legacy ? &rdl_op_replace : &rdl_op_extend;
    p->release_by = l->is_legacy ? NULL : l->o->wake_hint && i == 0 ? &rdl_op_release_hint : &rdl_op_release;
    cmd.name.data = l->is_single ? l->o->lock : l->redlock.name; /* with --slots that of the slot */
    cmd.name.len = l->is_single ? strlen(l->o->lock) : l->redlock.name_len;
    cmd.value.data = value;
    cmd.value.len = sizeof value;
    cmd.until_ms = until_ms;
    cmd.ttl_ms = l->o->ttl_ms;
    cmd.op = p->release_by;
    p->release.answer = RDL_ANSWER_UNSENT;
    p->is_out = cmd.op == NULL || rdl_conn_submit(c, &p->release, &cmd) == RDL_OK;
    cmd.op = p->extend_by;
    if (l->is_legacy)
        cmd.extra = cmd.value;
    if (p->is_out && rdl_conn_submit(c, &p->extend, &cmd) != RDL_OK)
        p->extend.answer = RDL_ANSWER_UNSENT;
}

/* Also if only GET was permitted, and found another value: then there is no method for our own value. */
static int is_refused(const struct rdl_conn *c, const struct rdl_req *req, const struct rdl_op *op)
{
    return rdl_conn_refuses(c, op) != RDL_OK ||
           (req->answer == RDL_ANSWER_ERROR && (req->error == RDL_E_PERM || req->error == RDL_E_UNSUPPORTED));
}

static int is_release_refused(const struct rdl_cli_lock *l, size_t i)
{
    const struct probe *p = &probes[i];

    return p->release_by != NULL && is_refused(&l->servers->conn[i], &p->release, p->release_by);
}

static int is_extend_refused(const struct rdl_cli_lock *l, size_t i)
{
    return is_refused(&l->servers->conn[i], &probes[i].extend, probes[i].extend_by);
}

/* Copies the text before the next error replaces it. Returns 1 if a reply is still to come. */
static int take(const struct rdl_cli_lock *l, size_t i)
{
    struct probe *p = &probes[i];

    if (!p->is_out)
        return 0;
    if (p->text[0] == '\0' && (is_release_refused(l, i) || is_extend_refused(l, i)))
        snprintf(p->text, sizeof p->text, "%s", rdl_conn_text(&l->servers->conn[i]));
    return p->release.answer == RDL_ANSWER_NONE || p->extend.answer == RDL_ANSWER_NONE;
}

static void warn_permissions(const struct rdl_cli_lock *l, size_t i)
{
    const struct probe *p = &probes[i];
    int no_release = is_release_refused(l, i), no_extend = is_extend_refused(l, i);
    char said[3 * RDL_TEXT_MAX];
    struct rdl_cli_finding f;

    if (!no_release && !no_extend)
        return;
    if (l->is_legacy && rdl_conn_refuses(&l->servers->conn[i], p->extend_by) == RDL_E_UNSUPPORTED) {
        rdl_cli_risk_renewal(&f, rdl_cli_where(l->servers, i),
                             l->o->ttl_ms); /* no user may: the server does not support it */
        rdl_cli_warn_of(&f);
        return;
    }
    rdl_cli_secret_scrub(p->text, p->text, l->servers->endpoint[i].password, said, sizeof said);
    rdl_cli_print_warning("the user may not %s the lock on %s%s; grant +eval +evalsha +get %s (%s)",
                          no_release && no_extend ? "release or extend"
                          : no_release            ? "release"
                                                  : "extend",
                          rdl_cli_where(l->servers, i),
                          no_release && no_extend ? ": it expires after one ttl, neither later nor earlier"
                          : no_release            ? ": its key stays until it expires"
                                                  : ": it expires after one ttl",
                          l->is_legacy ? "+set" : "+del +pttl +pexpire", said);
}

void rdl_cli_probe(struct rdl_cli_lock *l)
{
    uint64_t now = rdl_cli_now(l), until_ms = now;
    int is_pending = 1;

    for (size_t i = 0; i < l->servers->n; i++) {
        uint64_t end_ms = now + rdl_attempt_ms_for_rtt(&l->opt.lease, l->servers->conn[i].rtt_ms);
        if (l->servers->server[i].vote != RDL_VOTE_GRANTED || !is_doubtful(l, i))
            continue;
        ask(l, i, end_ms);
        until_ms = end_ms > until_ms ? end_ms : until_ms;
    }
    while (is_pending) { /* a signal is for the command */
        is_pending = 0;
        for (size_t i = 0; i < l->servers->n; i++)
            is_pending |= take(l, i);
        is_pending = is_pending && rdl_cli_now(l) < until_ms;
        if (is_pending)
            rdl_cli_lease_turn(l, until_ms, 0);
    }
    for (size_t i = 0; i < l->servers->n; i++) {
        if (!probes[i].is_out)
            continue;
        warn_permissions(l, i);
        rdl_conn_abandon(&l->servers->conn[i], &probes[i].release);
        rdl_conn_abandon(&l->servers->conn[i], &probes[i].extend);
        rdl_conn_free_room(&l->servers->conn[i], &probes[i].extend); /* it granted nothing */
    }
}
