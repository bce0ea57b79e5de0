/* SPDX-License-Identifier: MIT */
/*
 * Checks whether the `redlock run` around us holds the lock that we wait for. Its command finds the
 * name and the holder's id in its environment. If a majority of the servers has that id, it is the same
 * lock, and the wait would never end. A lock with only the same name may be another one, on other servers.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/self_deadlock.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/redlock.h"
#include "resp/resp_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_MS = 1000 };

static uint32_t outer_id;
static struct rdl_req reqs[RDL_SERVERS_MAX];
static uint32_t ids[RDL_SERVERS_MAX]; /* of the values as they arrive: a conn may keep only the beginning */
static const struct rdl_conn *conns;

/* ---------------------------------------------------------------- queries */

static void id_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    uint32_t *id = &ids[c - conns];

    (void)r;
    *id = rdl_hash(ev->first ? RDL_HASH_BASE : *id, ev->data, ev->len);
}

/* YES: that id; NO: another id, or no key. */
static int id_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_ERROR)
        return rdl_reply_error(c, r);
    if (c->reply_kind != RDL_RESP_BULK && c->reply_kind != RDL_RESP_NIL)
        return RDL_E_UNEXPECTED;
    int is_ours = c->reply_kind == RDL_RESP_BULK && ids[c - conns] == outer_id;
    r->verdict = is_ours ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

static const struct rdl_method id_method = {
    .commands = RDL_COMMANDS(rdl_wire_get), .on_reply = id_on_reply, .take = id_take};
static const struct rdl_op op_id = {.methods = RDL_METHOD(&id_method)};

static size_t count(const struct rdl_cli_lock *l, enum rdl_answer answer)
{
    size_t n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += reqs[i].answer == answer;
    return n;
}

/* Returns the time for a reply. */
static uint32_t reply_timeout_ms(const struct rdl_cli_lock *l)
{
    uint32_t slowest_ms = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        slowest_ms = l->servers->conn[i].rtt_ms > slowest_ms ? l->servers->conn[i].rtt_ms : slowest_ms;
    uint32_t ms = rdl_attempt_ms_for_rtt(&l->opt.lease, slowest_ms);
    return ms > LEAST_MS ? ms : LEAST_MS;
}

/* Queries all servers. The acquire goes on meanwhile. */
static void ask_all(struct rdl_cli_lock *l, const char *name)
{
    uint64_t until_ms = rdl_cli_now(l) + reply_timeout_ms(l);

    conns = l->servers->conn;
    for (size_t i = 0; i < l->servers->n; i++)
        rdl_cli_servers_ask(l->servers, i, &op_id, name, &reqs[i]);
    while (count(l, RDL_ANSWER_NONE) > 0 && rdl_cli_now(l) < until_ms)
        rdl_cli_lease_turn(l, until_ms, 0);
    for (size_t i = 0; i < l->servers->n; i++)
        rdl_conn_abandon(&l->servers->conn[i], &reqs[i]);
}

/* ---------------------------------------------------------------- the environment */

static int is_id(const char *text)
{
    return text != NULL && strlen(text) == 8 && strspn(text, "0123456789abcdef") == 8;
}

/* Returns 1 if `outer` contains the name, alone or among several names. */
static int is_named(const char *outer, const char *name)
{
    char words[RDL_CLI_LOCKS_MAX];
    struct rdl_cli_text t = {words, sizeof words, 0};
    const char *at = outer;

    if (strcmp(outer, name) == 0)
        return 1;
    rdl_cli_add_lock(&t, name);
    for (; (at = strstr(at, words)) != NULL; at++)
        if ((at == outer || at[-1] == ' ') && (at[t.len] == '\0' || at[t.len] == ' '))
            return 1;
    return 0;
}

/* Returns a lock that both use, or NULL. Locks that are held together have the same id. */
static const char *in_common(const char *outer, const struct rdl_cli_options *o)
{
    for (size_t k = 0; k < o->n_names && outer != NULL; k++)
        if (is_named(outer, o->names[k]))
            return o->names[k];
    return NULL;
}

enum rdl_cli_self_deadlock rdl_cli_self_deadlock(struct rdl_cli_lock *l)
{
    const char *name = in_common(getenv("REDLOCK_LOCK"), l->o), *id = getenv("REDLOCK_ID");
    size_t quorum = l->servers->n / 2 + 1, others;

    if (name == NULL)
        return RDL_CLI_SELF_DEADLOCK_NOT;
    if (!is_id(id))
        return RDL_CLI_SELF_DEADLOCK_MAYBE;
    outer_id = (uint32_t)strtoul(id, NULL, 16);
    ask_all(l, name);
    others = count(l, RDL_ANSWER_NO);
    if (count(l, RDL_ANSWER_YES) >= quorum)
        return RDL_CLI_SELF_DEADLOCK;
    if (others > l->servers->n - quorum)
        return RDL_CLI_SELF_DEADLOCK_NOT;
    return others + count(l, RDL_ANSWER_YES) + count(l, RDL_ANSWER_ERROR) < l->servers->n
               ? RDL_CLI_SELF_DEADLOCK_UNANSWERED
               : RDL_CLI_SELF_DEADLOCK_MAYBE;
}
