/* SPDX-License-Identifier: MIT */
/*
 * Events of the lock, for --log. All events and their fields are in one table, which redlock.1 repeats. A
 * new event is a row here, a row there, and a call where it happens. Three events are not about a lock:
 * `message` (output/messages.c), `moved` (resolve_again.c) and `default_server` (verbs/start.c).
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/log_events.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/replies.h"
#include "redlock/redlock.h"

#include <inttypes.h>
#include <stdio.h>

/* Fields; a field without a value is omitted. */
enum {
    OURS = 1,   /* id, owner, slot, fence */
    WAITED = 2, /* waited_ms, sets, busy */
    HELD = 4,   /* held_ms */
    LEFT = 8,   /* left_ms */
    SERVERS = 16,
    TICK = 32
};

static const struct {
    const char *name;
    unsigned fields;
} events[] = {
    [RDL_CLI_WAITING] = {"waiting", WAITED | SERVERS},
    [RDL_CLI_ACQUIRED] = {"acquired", OURS | WAITED | LEFT | SERVERS},
    [RDL_CLI_RENEWED] = {"renewed", OURS | HELD | LEFT | SERVERS},
    [RDL_CLI_RENEW_FAILED] = {"renew_failed", OURS | HELD | LEFT | SERVERS},
    [RDL_CLI_LOSING] = {"losing", OURS | HELD | LEFT},
    [RDL_CLI_LOST] = {"lost", OURS | HELD | SERVERS},
    [RDL_CLI_RELEASED] = {"released", OURS | HELD | SERVERS},
    [RDL_CLI_KEPT] = {"kept", OURS | HELD | LEFT | SERVERS},
    [RDL_CLI_ALREADY_DONE] = {"already_done", OURS | HELD | TICK},
    [RDL_CLI_NOT_RECORDED] = {"not_recorded", OURS | HELD | TICK},
    [RDL_CLI_CHILD_EXIT] = {"child_exit", OURS | HELD | LEFT},
    [RDL_CLI_FAILED] = {"failed", WAITED | HELD | SERVERS},
};

/* enum rdl_vote */
static const char *const votes[] = {"none", "pending", "granted", "denied", "absent", "error", "unknown"};

static int has_failed(const struct rdl_cli_lock *l, size_t i)
{
    return l->servers->server[i].vote != RDL_VOTE_GRANTED &&
           (l->servers->unresolved[i] != NULL || rdl_cli_lease_error(l, i) != RDL_OK);
}

/* A single lock does not record how long a reply took. */
static int is_timed(const struct rdl_cli_lock *l, size_t i)
{
    return !l->is_single && l->servers->server[i].vote > RDL_VOTE_PENDING;
}

static void add_server_json(struct rdl_cli_json *j, const struct rdl_cli_lock *l, size_t i, const char *where,
                            const char *error)
{
    const struct rdl_server *s = &l->servers->server[i];

    rdl_cli_json_open(j, NULL, '{');
    rdl_cli_json_string(j, "where", where);
    rdl_cli_json_string(j, "vote", votes[s->vote]);
    if (is_timed(l, i))
        rdl_cli_json_number(j, "ms", s->took_ms);
    if (s->vote == RDL_VOTE_DENIED && s->value >= 0)
        rdl_cli_json_number(j, "left_ms", s->value);
    if (error[0] != '\0')
        rdl_cli_json_string(j, "error", error);
    rdl_cli_json_close(j);
}

static void add_server_text(struct rdl_cli_json *j, const struct rdl_cli_lock *l, size_t i, const char *where,
                            const char *error)
{
    const struct rdl_server *s = &l->servers->server[i];
    char words[RDL_CLI_WHERE_MAX + 300];
    struct rdl_cli_text w = {words, sizeof words, 0};

    rdl_cli_add(&w, "%s %s", where, votes[s->vote]);
    if (is_timed(l, i))
        rdl_cli_add(&w, " in %" PRIu32 " ms", s->took_ms);
    if (s->vote == RDL_VOTE_DENIED && s->value >= 0)
        rdl_cli_add(&w, " for %" PRId64 " ms", s->value);
    if (error[0] != '\0')
        rdl_cli_add(&w, ": %s", error);
    rdl_cli_json_string(j, "server", words);
}

static void add_servers(struct rdl_cli_json *j, const struct rdl_cli_lock *l)
{
    int is_json = rdl_cli_log_is_json();

    if (is_json)
        rdl_cli_json_open(j, "servers", '[');
    for (size_t i = 0; i < l->servers->n; i++) {
        char error[300] = "";
        if (has_failed(l, i))
            rdl_cli_lock_said(l, i, error, sizeof error);
        (is_json ? add_server_json : add_server_text)(j, l, i, rdl_cli_where(l->servers, i), error);
    }
    if (is_json)
        rdl_cli_json_close(j);
}

static void add_ours(struct rdl_cli_json *j, const struct rdl_cli_lock *l)
{
    uint64_t fence = rdl_cli_lease_fence(l);
    char id[16];

    snprintf(id, sizeof id, "%08" PRIx32, rdl_cli_lease_id(l));
    rdl_cli_json_string(j, "id", id);
    if (!l->is_legacy && rdl_cli_lease_owner(l)[0] != '\0')
        rdl_cli_json_string(j, "owner", rdl_cli_lease_owner(l));
    if (l->o->slots != 0)
        rdl_cli_json_number(j, "slot", l->slots.slot);
    if (fence != 0)
        rdl_cli_json_number(j, "fence", (int64_t)fence);
}

static void add_waited(struct rdl_cli_json *j, const struct rdl_cli_lock *l, uint64_t now)
{
    struct rdl_cli_stats stats = rdl_cli_lease_stats(l);

    rdl_cli_json_number(j, "waited_ms", (int64_t)((l->got_ms != 0 ? l->got_ms : now) - l->asked_ms));
    rdl_cli_json_number(j, "sets", stats.attempts);
    rdl_cli_json_number(j, "busy", stats.refused);
}

void rdl_cli_event(const struct rdl_cli_lock *l, enum rdl_cli_event event, const char *reason, int status)
{
    static char line[RDL_CLI_LOG_MAX];
    struct rdl_cli_json j;
    unsigned fields = events[event].fields;
    uint64_t now = rdl_cli_now(l), until_ms = rdl_cli_lease_until_ms(l);

    if (rdl_cli_log_fd() < 0)
        return;
    rdl_cli_log_begin(&j, line, sizeof line, events[event].name);
    if (fields & OURS)
        add_ours(&j, l);
    if ((fields & WAITED) && l->asked_ms != 0)
        add_waited(&j, l, now);
    if ((fields & HELD) && l->got_ms != 0)
        rdl_cli_json_number(&j, "held_ms", (int64_t)(now - l->got_ms));
    if (fields & LEFT)
        rdl_cli_json_number(&j, "left_ms", until_ms > now ? (int64_t)(until_ms - now) : 0);
    if (fields & TICK)
        rdl_cli_json_string(&j, "tick", l->o->once);
    if (reason != NULL)
        rdl_cli_json_string(&j, "reason", reason);
    if (status >= 0)
        rdl_cli_json_number(&j, "status", status);
    if (fields & SERVERS)
        add_servers(&j, l);
    rdl_cli_log_put(&j);
}
