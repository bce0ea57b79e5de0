/* SPDX-License-Identifier: MIT */
/* A lock's keys on its servers, as text and JSON, and the state of the lock that follows from them. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/query_output.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/host_differences.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/servers/query.h"
#include "redlock/cli/servers/risks.h"
#include "redlock/cli/servers/sentinel_groups.h"
#include "redlock/cli/servers/server_info.h"
#include "redlock/redlock_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_LEN = 1024, JSON_MAX = 65536 };

/* ---------------------------------------------------------------- what a key is */

/* A token, and the owner that may follow. */
static int is_token(const char *value, size_t len)
{
    struct rdl_token token;

    return rdl_token_from_hex(&token, value, rdl_owner_token_len(value, len)) == RDL_OK;
}

void rdl_cli_seen_owner(const struct rdl_cli_seen *s, char out[RDL_OWNER_MAX + 1])
{
    int len = (int)s->len - (RDL_VALUE_MAX + 1);

    out[0] = '\0';
    if (s->what == RDL_CLI_SEEN_KEY && len > 0 && is_token(s->value, s->len))
        snprintf(out, RDL_OWNER_MAX + 1, "%.*s", len, s->value + RDL_VALUE_MAX + 1);
}

enum rdl_cli_kind rdl_cli_seen_kind(const struct rdl_cli_seen *s)
{
    if (s->what == RDL_CLI_SEEN_ODD)
        return RDL_CLI_KIND_FOREIGN;
    if (rdl_legacy_seconds(s->value, s->len) >= RDL_PLAUSIBLE_S)
        return RDL_CLI_KIND_DEADLINE;
    return is_token(s->value, s->len) ? RDL_CLI_KIND_TOKEN : RDL_CLI_KIND_FOREIGN;
}

const char *rdl_cli_seen_odd(const struct rdl_cli_seen *s)
{
    return s->len == 0 ? "not a string" : "a string of more than 128 bytes"; /* RDL_NAME_MAX */
}

/* ---------------------------------------------------------------- the majority */

/* Returns 1 if the server replied, though with an error. */
static int is_answer(const struct rdl_cli_seen *s)
{
    return rdl_cli_is_refusal(s->error, s->said) || s->error == RDL_E_SYNTAX || s->error == RDL_E_LIMIT ||
           s->error == RDL_E_UNEXPECTED;
}

uint64_t rdl_cli_quarantine_ms(const struct rdl_cli_options *o, const struct rdl_cli_host *h)
{
    uint64_t least_ms = (uint64_t)o->max_ttl_ms + 1000;
    uint64_t up_s = h->uptime_s > 0 ? (uint64_t)h->uptime_s : 0; /* negative: 0, as for the restart guard */

    if (o->guard == RDL_GUARD_OFF || !h->has_uptime || up_s > least_ms / 1000)
        return 0;
    return up_s * 1000 < least_ms ? least_ms - up_s * 1000 : 0;
}

static int is_key(const struct rdl_cli_seen *s)
{
    return s->what == RDL_CLI_SEEN_KEY || s->what == RDL_CLI_SEEN_ODD;
}

/* Returns the time after which fewer than a majority have it. */
static uint64_t ends_in(const struct rdl_cli_seen *const held[], unsigned n, unsigned quorum)
{
    uint64_t ends = 0;

    for (unsigned i = 0; i < n; i++) {
        uint64_t ms = held[i]->pttl_ms < 0 ? UINT64_MAX : (uint64_t)held[i]->pttl_ms;
        unsigned longer = 0;
        for (unsigned k = 0; k < n; k++)
            longer += held[k]->pttl_ms < 0 || (uint64_t)held[k]->pttl_ms >= ms;
        if (longer >= quorum && ms > ends)
            ends = ms;
    }
    return ends;
}

/* Counts the servers with the same value as server i. */
static unsigned sharers(const struct rdl_cli_seen *seen, const unsigned char *standing, size_t n, size_t i,
                        const struct rdl_cli_seen *held[RDL_SERVERS_MAX])
{
    unsigned found = 0;

    for (size_t k = 0; k < n; k++)
        if (standing[k] == RDL_CLI_VOTES && is_key(&seen[i]) && rdl_cli_seen_is_same(&seen[k], &seen[i]))
            held[found++] = &seen[k];
    return found;
}

/* Finds the first other token, also on a server that may have lost locks. */
static void find_other(const struct rdl_cli_seen *seen, size_t n, struct rdl_cli_verdict *v)
{
    for (size_t i = 0; i < n; i++) {
        if (seen[i].what != RDL_CLI_SEEN_KEY || rdl_cli_seen_kind(&seen[i]) != RDL_CLI_KIND_TOKEN ||
            seen[i].id == v->id)
            continue;
        if (v->other_on == 0) {
            v->other_id = seen[i].id;
            rdl_cli_seen_owner(&seen[i], v->other_owner);
        }
        v->other_on += seen[i].id == v->other_id;
    }
}

void rdl_cli_verdict(const struct rdl_cli_seen *seen, const unsigned char *standing, size_t n,
                     struct rdl_cli_verdict *v)
{
    unsigned free_on = 0, unknown;

    memset(v, 0, sizeof *v);
    v->of = (unsigned)n;
    v->quorum = (unsigned)n / 2 + 1;
    for (size_t i = 0; i < n; i++) {
        const struct rdl_cli_seen *held[RDL_SERVERS_MAX];
        if (seen[i].what == RDL_CLI_SEEN_NOTHING && is_answer(&seen[i]))
            v->refused++;
        else
            v->silent += seen[i].what == RDL_CLI_SEEN_NOTHING;
        v->young += seen[i].what != RDL_CLI_SEEN_NOTHING && standing[i] == RDL_CLI_QUARANTINED;
        v->voteless += seen[i].what != RDL_CLI_SEEN_NOTHING && standing[i] == RDL_CLI_VOTELESS;
        if (standing[i] != RDL_CLI_VOTES || seen[i].what == RDL_CLI_SEEN_NOTHING)
            continue;
        free_on += seen[i].what == RDL_CLI_SEEN_FREE;
        unsigned on = sharers(seen, standing, n, i, held);
        if (on <= v->on)
            continue;
        v->on = on;
        v->id = seen[i].id;
        rdl_cli_seen_owner(&seen[i], v->owner);
        v->key = rdl_cli_seen_kind(&seen[i]);
        v->is_odd = seen[i].what == RDL_CLI_SEEN_ODD;
        v->ends_ms = ends_in(held, on, v->quorum);
    }
    if (v->on > 0 && v->key == RDL_CLI_KIND_TOKEN)
        find_other(seen, n, v);
    unknown = v->refused + v->silent + v->young + v->voteless;
    if (free_on >= v->quorum)
        v->what = RDL_CLI_FREE;
    else if (v->on >= v->quorum)
        v->what = RDL_CLI_HELD;
    else if (v->on + unknown >= v->quorum || free_on + unknown >= v->quorum)
        v->what = RDL_CLI_UNKNOWN;
    else
        v->what = RDL_CLI_SPLIT;
}

int rdl_cli_query_status(const struct rdl_cli_query *l)
{
    struct rdl_cli_troubles t = {l->servers->n, 0, {0}};

    for (size_t i = 0; i < t.n; i++) {
        if (l->seen[i].what != RDL_CLI_SEEN_NOTHING)
            t.useful++;
        else
            t.of[rdl_cli_trouble_of(&l->servers->conn[i], l->seen[i].error)]++;
    }
    int status = rdl_cli_trouble_status(&t);
    return status != 0 ? status : RDL_EXIT_UNAVAILABLE;
}

int rdl_cli_worse(const struct rdl_cli_query *l, int status, enum rdl_cli_state state)
{
    if (status == RDL_EXIT_CONFLICT || state == RDL_CLI_HELD || state == RDL_CLI_SPLIT)
        return RDL_EXIT_CONFLICT;
    return state == RDL_CLI_UNKNOWN ? rdl_cli_query_status(l) : status;
}

enum rdl_cli_standing rdl_cli_query_standing(const struct rdl_cli_query *l, size_t i)
{
    const struct rdl_cli_host *h = &l->host[i];
    int is_age_needed = rdl_guard_requires_info((unsigned)l->o->guard);

    if (!rdl_cli_host_holds_locks(h) || (is_age_needed && !h->has_uptime))
        return RDL_CLI_VOTELESS;
    return rdl_cli_quarantine_ms(l->o, h) == 0 ? RDL_CLI_VOTES : RDL_CLI_QUARANTINED;
}

void rdl_cli_query_verdict(const struct rdl_cli_query *l, struct rdl_cli_verdict *v)
{
    unsigned char standing[RDL_SERVERS_MAX];

    for (size_t i = 0; i < l->servers->n; i++)
        standing[i] = (unsigned char)rdl_cli_query_standing(l, i);
    rdl_cli_verdict(l->seen, standing, l->servers->n, v);
}

/* ---------------------------------------------------------------- words */

static void add_uptime(struct rdl_cli_text *t, int64_t s)
{
    if (s >= 2 * 86400LL)
        rdl_cli_add(t, "up %" PRId64 " days", s / 86400);
    else if (s >= 2 * 3600LL)
        rdl_cli_add(t, "up %" PRId64 " hours", s / 3600);
    else if (s >= 120)
        rdl_cli_add(t, "up %" PRId64 " minutes", s / 60);
    else
        rdl_cli_add(t, "up %" PRId64 " s%s", s, s < 0 ? " (its clock was set back)" : "");
}

void rdl_cli_host_words(struct rdl_cli_text *t, const struct rdl_cli_host *h)
{
    rdl_cli_add(t, "%s %s, %s, ", h->product, h->version, h->role);
    add_uptime(t, h->uptime_s);
}

static void add_host(struct rdl_cli_text *t, const struct rdl_cli_query *l, size_t i)
{
    const struct rdl_cli_host *h = &l->host[i];
    uint64_t wait_ms = rdl_cli_quarantine_ms(l->o, h);
    char ttl[RDL_CLI_DURATION_MAX];

    if (!h->has_info)
        return;
    rdl_cli_add(t, " (");
    rdl_cli_host_words(t, h);
    if (wait_ms > 0)
        rdl_cli_add(t, "; restart guard: usable in %lu s, by --max-ttl %s",
                    (unsigned long)((wait_ms + 999) / 1000), rdl_cli_duration_text(l->o->max_ttl_ms, ttl));
    rdl_cli_add(t, ")");
}

static void add_error(struct rdl_cli_text *t, const struct rdl_cli_query *l, size_t i)
{
    const struct rdl_cli_seen *s = &l->seen[i];
    const char *words = s->said[0] != '\0' ? s->said : rdl_cli_cause(l->servers, i, s->error);

    if (rdl_cli_group_said(l->servers, i)[0] != '\0')
        rdl_cli_add(t, "%s", rdl_cli_group_said(l->servers, i));
    else if (l->servers->unresolved[i] != NULL)
        rdl_cli_add(t, "no address: %s", l->servers->unresolved[i]);
    else if (l->host[i].is_sentinel)
        rdl_cli_add(t, "%s", rdl_cli_sentinel);
    else if (s->is_unreadable)
        rdl_cli_add(t, "cannot be read: grant +getrange");
    else if (s->error == RDL_OK)
        rdl_cli_add(t, "it changed at every read");
    else
        rdl_cli_add(t, "%s%s%s%s", rdl_cli_error_text(s->error, s->said),
                    s->lacks_info ? " to INFO (is it a proxy?)" : "", words[0] != '\0' ? ": " : "", words);
}

static void add_error_and_hint(struct rdl_cli_text *t, const struct rdl_cli_query *l, size_t i)
{
    add_error(t, l, i);
    if (rdl_cli_may_be_tls(l->servers, i, l->seen[i].error))
        rdl_cli_add(t, " (" RDL_CLI_TLS_HINT ")");
}

void rdl_cli_query_error(const struct rdl_cli_query *l, size_t i, char *out, size_t cap)
{
    struct rdl_cli_text t = {out, cap, 0};

    add_error(&t, l, i);
}

static void add_held_by(struct rdl_cli_text *t, uint32_t id, const char *owner)
{
    rdl_cli_add(t, "held by ");
    rdl_cli_add_holder(t, id, owner);
}

static void add_key(struct rdl_cli_text *t, const struct rdl_cli_seen *s)
{
    enum rdl_cli_kind kind = rdl_cli_seen_kind(s);
    char owner[RDL_OWNER_MAX + 1];

    rdl_cli_seen_owner(s, owner);
    if (s->what == RDL_CLI_SEEN_ODD)
        rdl_cli_add(t, "%s, so not a lock", rdl_cli_seen_odd(s));
    else if (kind == RDL_CLI_KIND_DEADLINE)
        rdl_cli_add(t, "old protocol: held by %08" PRIx32 " until %.*s (Unix time)", s->id, (int)s->len,
                    s->value);
    else if (kind == RDL_CLI_KIND_TOKEN)
        add_held_by(t, s->id, owner);
    else
        rdl_cli_add(t, "the value is not a redlock token (id %08" PRIx32 ")", s->id);
    if (s->pttl_ms >= 0) {
        rdl_cli_add(t, ", expires in ");
        rdl_cli_add_seconds(t, (uint64_t)s->pttl_ms);
    } else if (kind != RDL_CLI_KIND_DEADLINE) {
        rdl_cli_add(t, ", never expires");
    }
}

static int print_query(const struct rdl_cli_query *l, size_t i, const char *name)
{
    char line[LINE_MAX_LEN];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_add(&t, "%s at %s: ", name, rdl_cli_where(l->servers, i));
    if (l->seen[i].what == RDL_CLI_SEEN_NOTHING)
        add_error_and_hint(&t, l, i);
    else if (l->seen[i].what == RDL_CLI_SEEN_FREE)
        rdl_cli_add(&t, "free");
    else
        add_key(&t, &l->seen[i]);
    add_host(&t, l, i);
    return rdl_cli_print_line(t.out);
}

static void add_end(struct rdl_cli_text *t, uint64_t ms)
{
    rdl_cli_add(t, ", expires in ");
    rdl_cli_add_seconds(t, ms);
    rdl_cli_add(t, " unless renewed");
}

static void add_endless(struct rdl_cli_text *t, const struct rdl_cli_verdict *v, const char *name)
{
    if (rdl_cli_name_is_counter(name))
        rdl_cli_add(t, ", never expires: it is a fencing counter, which must stay");
    else
        rdl_cli_add(t, ", never expires%s; DEL it if nothing needs it",
                    v->is_odd ? "" : ": another program or an old client wrote it");
}

static void add_unknown(struct rdl_cli_text *t, const struct rdl_cli_verdict *v)
{
    if (v->silent > 0)
        rdl_cli_add(t, "%u of %u servers did not reply", v->silent, v->of);
    if (v->refused > 0)
        rdl_cli_add(t, "%s%u of %u servers gave no usable reply", v->silent > 0 ? ", " : "", v->refused,
                    v->of);
    if (v->young > 0)
        rdl_cli_add(
            t,
            "%s%u of %u servers started less than --max-ttl ago and may have lost the lock in a restart "
            "(--restart-guard=off uses them)",
            v->silent + v->refused > 0 ? ", " : "", v->young, v->of);
    if (v->voteless > 0)
        rdl_cli_add(t, "%s%u of %u servers have no vote (a replica, a cluster node, or INFO is refused)",
                    v->silent + v->refused + v->young > 0 ? ", " : "", v->voteless, v->of);
}

static void add_has_it(struct rdl_cli_text *t, const char *before, uint32_t id, const char *owner,
                       unsigned on)
{
    rdl_cli_add(t, "%s", before);
    rdl_cli_add_holder(t, id, owner);
    rdl_cli_add(t, " has it on %u", on);
}

int rdl_cli_verdict_show(const struct rdl_cli_verdict *v, const char *name)
{
    char line[LINE_MAX_LEN];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_add(&t, "%s: ", name);
    if (v->what == RDL_CLI_FREE) {
        rdl_cli_add(&t, "free");
    } else if (v->what == RDL_CLI_SPLIT) {
        rdl_cli_add(&t, "split: no client holds it on %u of %u", v->quorum, v->of);
    } else if (v->what == RDL_CLI_UNKNOWN) {
        rdl_cli_add(&t, "unknown: ");
        add_unknown(&t, v);
    } else {
        if (v->is_odd)
            rdl_cli_add(&t, "taken by a key that is not a lock");
        else
            add_held_by(&t, v->id, v->owner);
        rdl_cli_add(&t, " on %u of %u", v->on, v->of);
        if (v->key == RDL_CLI_KIND_DEADLINE)
            rdl_cli_add(&t, ", by the old protocol");
        else if (v->ends_ms == UINT64_MAX)
            add_endless(&t, v, name);
        else
            add_end(&t, v->ends_ms);
    }
    if (v->other_on > 0 && v->what == RDL_CLI_SPLIT)
        add_has_it(&t, " (", v->id, v->owner, v->on);
    if (v->other_on > 0)
        add_has_it(&t, v->what == RDL_CLI_SPLIT ? ", " : "; ", v->other_id, v->other_owner, v->other_on);
    if (v->other_on > 0 && v->what == RDL_CLI_SPLIT)
        rdl_cli_add(&t, ")");
    return rdl_cli_print_line(t.out);
}

int rdl_cli_query_show(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name)
{
    for (size_t i = 0; i < l->servers->n; i++)
        if (print_query(l, i, name) != 0)
            return RDL_EXIT_OS;
    return rdl_cli_verdict_show(v, name);
}

/* ---------------------------------------------------------------- two hosts */

int rdl_cli_seen_is_long(const struct rdl_cli_options *o, const struct rdl_cli_seen *s)
{
    return s->what == RDL_CLI_SEEN_KEY && rdl_cli_seen_kind(s) == RDL_CLI_KIND_TOKEN &&
           rdl_cli_host_differences_is_long(o, s->pttl_ms);
}

static void warn_of_leases(const struct rdl_cli_query *l)
{
    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_cli_seen *s = &l->seen[i];
        if (!rdl_cli_seen_is_long(l->o, s))
            continue;
        rdl_cli_host_differences_lease(l->o, rdl_cli_where(l->servers, i), s->pttl_ms);
        return; /* on the others it usually is as long */
    }
}

static void warn_of_clocks(const struct rdl_cli_query *l)
{
    static int warned;

    for (size_t i = 0; i < l->servers->n && !warned; i++) {
        warned = l->host[i].has_clock &&
                 rdl_cli_host_differences_clock(rdl_cli_where(l->servers, i), l->host[i].ahead_ms);
    }
}

void rdl_cli_query_apart(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name)
{
    struct rdl_cli_finding f;

    if (v->other_on > 0) {
        rdl_cli_risk_holders(&f, name, v);
        rdl_cli_warn_of(&f);
    }
    warn_of_leases(l);
    warn_of_clocks(l);
}

/* ---------------------------------------------------------------- JSON */

static void add_id(struct rdl_cli_json *j, uint32_t id, const char *owner, int is_odd)
{
    char text[16];
    struct rdl_cli_text t = {text, sizeof text, 0};

    rdl_cli_add(&t, "%08" PRIx32, id);
    if (is_odd)
        rdl_cli_json_null(j, "id");
    else
        rdl_cli_json_string(j, "id", text);
    if (owner[0] != '\0')
        rdl_cli_json_string(j, "owner", owner);
}

void rdl_cli_host_json(struct rdl_cli_json *j, const struct rdl_cli_options *o, const struct rdl_cli_host *h)
{
    rdl_cli_json_string(j, "product", h->product);
    rdl_cli_json_string(j, "version", h->version);
    rdl_cli_json_string(j, "role", h->role);
    rdl_cli_json_number(j, "uptime_s", h->uptime_s);
    rdl_cli_json_number(j, "quarantine_ms", (int64_t)rdl_cli_quarantine_ms(o, h));
}

static void add_server(struct rdl_cli_json *j, const struct rdl_cli_query *l, size_t i)
{
    static const char *const kinds[] = {"token", "deadline", "foreign"};
    const struct rdl_cli_seen *s = &l->seen[i];
    char error[400], owner[RDL_OWNER_MAX + 1];
    struct rdl_cli_text e = {error, sizeof error, 0};

    rdl_cli_json_open(j, NULL, '{');
    rdl_cli_json_string(j, "server", rdl_cli_where(l->servers, i));
    if (s->what == RDL_CLI_SEEN_NOTHING) {
        add_error(&e, l, i);
        rdl_cli_json_null(j, "key");
        rdl_cli_json_string(j, "error", error);
    } else if (s->what == RDL_CLI_SEEN_FREE) {
        rdl_cli_json_string(j, "key", "free");
    } else {
        rdl_cli_json_string(j, "key", kinds[rdl_cli_seen_kind(s)]);
        rdl_cli_seen_owner(s, owner);
        add_id(j, s->id, owner, s->what == RDL_CLI_SEEN_ODD);
        rdl_cli_json_number(j, "ttl_ms", s->pttl_ms);
    }
    if (l->host[i].has_info)
        rdl_cli_host_json(j, l->o, &l->host[i]);
    rdl_cli_json_close(j);
}

int rdl_cli_query_json(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                       int is_first)
{
    static const char *const words[] = {"free", "held", "split", "unknown"};
    static char out[JSON_MAX];
    struct rdl_cli_json j;
    int rc = is_first ? 0 : rdl_cli_print(",");

    rdl_cli_json_begin(&j, out, sizeof out);
    rdl_cli_json_string(&j, "lock", name);
    rdl_cli_json_string(&j, "verdict", words[v->what]);
    if (v->what == RDL_CLI_HELD) {
        add_id(&j, v->id, v->owner, v->is_odd);
        rdl_cli_json_number(&j, "on", v->on);
    }
    if (v->what == RDL_CLI_HELD && v->ends_ms != UINT64_MAX)
        rdl_cli_json_number(&j, "ends_ms", (int64_t)v->ends_ms);
    if (v->other_on > 0) {
        rdl_cli_json_open(&j, "other", '{');
        add_id(&j, v->other_id, v->other_owner, 0);
        rdl_cli_json_number(&j, "on", v->other_on);
        rdl_cli_json_close(&j);
    }
    rdl_cli_json_number(&j, "of", v->of);
    rdl_cli_json_number(&j, "quorum", v->quorum);
    rdl_cli_json_open(&j, "servers", '[');
    for (size_t i = 0; i < l->servers->n; i++)
        add_server(&j, l, i);
    rdl_cli_json_end(&j);
    return rc == 0 ? rdl_cli_print(out) : rc;
}
