/* SPDX-License-Identifier: MIT */
/* `redlock status --once`: a tick's key on its servers. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/once_output.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/once.h"
#include "redlock/cli/servers/query.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINE_MAX_LEN = 1024, JSON_MAX = 65536, HOUR_MS = 3600000 };

/* Returns 1 if the server has the record. `redlock run` believes any string. */
static int is_done(const struct rdl_cli_seen *s)
{
    return s->what == RDL_CLI_SEEN_KEY || (s->what == RDL_CLI_SEEN_ODD && s->len > 0);
}

static unsigned count_done(const struct rdl_cli_query *l)
{
    unsigned n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += is_done(&l->seen[i]) != 0;
    return n;
}

/* Decides as `redlock run` does: one server may say that it is done, and a majority that it is open. */
static enum rdl_cli_state state_of(const struct rdl_cli_query *l)
{
    size_t open = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        open += l->seen[i].what == RDL_CLI_SEEN_FREE && rdl_cli_query_standing(l, i) == RDL_CLI_VOTES;
    if (count_done(l) > 0)
        return RDL_CLI_HELD;
    return open > l->servers->n / 2 ? RDL_CLI_FREE : RDL_CLI_UNKNOWN;
}

/* ---------------------------------------------------------------- text */

static int print_server(const struct rdl_cli_query *l, size_t i, const char *lock)
{
    const struct rdl_cli_seen *s = &l->seen[i];
    char line[LINE_MAX_LEN], error[400];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_add(&t, "%s, tick %s at %s: ", lock, l->o->once, rdl_cli_where(l->servers, i));
    if (is_done(s))
        rdl_cli_add(&t, "done (%.*s)", (int)(s->len < sizeof s->value ? s->len : sizeof s->value), s->value);
    else if (s->what == RDL_CLI_SEEN_FREE)
        rdl_cli_add(&t, "open");
    else if (s->what == RDL_CLI_SEEN_ODD)
        rdl_cli_add(&t, "%s, so not a record", rdl_cli_seen_odd(s));
    if (is_done(s) && s->pttl_ms >= 0)
        rdl_cli_add(&t, ", remembered for %" PRId64 ".%" PRId64 " h", s->pttl_ms / HOUR_MS,
                    s->pttl_ms % HOUR_MS / (HOUR_MS / 10));
    else if (is_done(s))
        rdl_cli_add(&t, ", remembered for ever");
    if (s->what == RDL_CLI_SEEN_NOTHING) {
        rdl_cli_query_error(l, i, error, sizeof error);
        rdl_cli_add(&t, "%s", error);
    }
    if (l->host[i].has_info) {
        rdl_cli_add(&t, " (");
        rdl_cli_host_words(&t, &l->host[i]);
        rdl_cli_add(&t, ")");
    }
    return rdl_cli_print_line(t.out);
}

static int print_all(const struct rdl_cli_query *l, const char *lock, enum rdl_cli_state state)
{
    char line[LINE_MAX_LEN];
    struct rdl_cli_text t = {line, sizeof line, 0};

    for (size_t i = 0; i < l->servers->n; i++) {
        int rc = print_server(l, i, lock);
        if (rc != 0)
            return rc;
    }
    rdl_cli_add(&t, "%s, tick %s: ", lock, l->o->once);
    if (state == RDL_CLI_HELD)
        rdl_cli_add(&t, "done, recorded by %u of %zu", count_done(l), l->servers->n);
    else if (state == RDL_CLI_FREE)
        rdl_cli_add(&t, "open");
    else
        rdl_cli_add(&t, "unknown: no majority of the servers replied and has a vote");
    return rdl_cli_print_line(t.out);
}

/* ---------------------------------------------------------------- JSON */

static void add_server(struct rdl_cli_json *j, const struct rdl_cli_query *l, size_t i)
{
    const struct rdl_cli_seen *s = &l->seen[i];
    char text[400];

    rdl_cli_json_open(j, NULL, '{');
    rdl_cli_json_string(j, "server", rdl_cli_where(l->servers, i));
    if (s->what == RDL_CLI_SEEN_NOTHING) {
        rdl_cli_query_error(l, i, text, sizeof text);
        rdl_cli_json_null(j, "tick");
        rdl_cli_json_string(j, "error", text);
    } else {
        rdl_cli_json_string(j, "tick",
                            is_done(s)                     ? "done"
                            : s->what == RDL_CLI_SEEN_FREE ? "open"
                                                           : "foreign");
    }
    if (is_done(s)) {
        snprintf(text, sizeof text, "%.*s", (int)(s->len < sizeof s->value ? s->len : sizeof s->value),
                 s->value);
        rdl_cli_json_string(j, "value", text);
        rdl_cli_json_number(j, "ttl_ms", s->pttl_ms);
    }
    if (l->host[i].has_info)
        rdl_cli_host_json(j, l->o, &l->host[i]);
    rdl_cli_json_close(j);
}

static int print_json(const struct rdl_cli_query *l, const char *lock, enum rdl_cli_state state, int is_first)
{
    static char out[JSON_MAX];
    struct rdl_cli_json j;
    int rc = is_first ? 0 : rdl_cli_print(",");

    rdl_cli_json_begin(&j, out, sizeof out);
    rdl_cli_json_string(&j, "lock", lock);
    rdl_cli_json_string(&j, "tick", l->o->once);
    rdl_cli_json_string(&j, "verdict",
                        state == RDL_CLI_HELD   ? "done"
                        : state == RDL_CLI_FREE ? "open"
                                                : "unknown");
    rdl_cli_json_number(&j, "on", count_done(l));
    rdl_cli_json_number(&j, "of", (int64_t)l->servers->n);
    rdl_cli_json_open(&j, "servers", '[');
    for (size_t i = 0; i < l->servers->n; i++)
        add_server(&j, l, i);
    rdl_cli_json_end(&j);
    return rc == 0 ? rdl_cli_print(out) : rc;
}

int rdl_cli_tick_show(struct rdl_cli_query *l, const char *lock, int is_first, enum rdl_cli_state *state)
{
    char key[RDL_CLI_ONCE_KEY_MAX];

    rdl_cli_once_key(lock, l->o->once, key);
    rdl_cli_query_at(l, key);
    *state = state_of(l);
    return l->o->format == RDL_CLI_FORMAT_JSON ? print_json(l, lock, *state, is_first)
                                               : print_all(l, lock, *state);
}
