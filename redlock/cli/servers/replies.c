/* SPDX-License-Identifier: MIT */
/* The servers' replies as text for people, and the exit status for them. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/replies.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/cli/servers/sentinel_groups.h"
#include "redlock/cli/servers/server_info.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    SILENCE_MS = 500,
    TLS_TRIPS = 4 /* round trips of a connect command before the server's first reply */
};

/* Returns 1 if so many servers failed that the others are no majority. */
static int is_settled(const struct rdl_cli_lock *l)
{
    size_t failed = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        failed += rdl_cli_lease_error(l, i) != RDL_OK;
    return failed > (l->servers->n - 1) / 2;
}

/*
 * Returns 1 for a server that got no request, or was not waited for, because the result was certain without
 * it.
 */
static int is_bystander(const struct rdl_cli_lock *l, size_t i)
{
    const struct rdl_server *s = &l->servers->server[i];

    if (rdl_cli_lease_error(l, i) != RDL_OK)
        return 0;
    return s->vote == RDL_VOTE_PENDING ||
           (s->vote == RDL_VOTE_NONE && (rdl_conn_state(s->conn) == RDL_CONN_READY || is_settled(l)));
}

static int is_useful(const struct rdl_cli_lock *l, size_t i)
{
    uint8_t vote = l->servers->server[i].vote;
    return vote == RDL_VOTE_GRANTED || vote == RDL_VOTE_DENIED;
}

int rdl_cli_lock_is_denied(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++)
        if (l->servers->server[i].vote == RDL_VOTE_DENIED)
            return 1;
    return 0;
}

int rdl_cli_lock_is_unanswered(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++) {
        uint8_t vote = l->servers->server[i].vote;
        if (vote == RDL_VOTE_PENDING || vote == RDL_VOTE_UNKNOWN)
            return 1;
    }
    return 0;
}

uint64_t rdl_cli_lock_heard_ms(const struct rdl_cli_lock *l)
{
    uint64_t last_ms = 0;
    size_t useful = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_server *s = &l->servers->server[i];
        if (!is_useful(l, i))
            continue;
        useful++;
        last_ms = s->asked_ms + s->took_ms > last_ms ? s->asked_ms + s->took_ms : last_ms;
    }
    return useful > l->servers->n / 2 ? last_ms : 0;
}

/*
 * Removes the script's name from an error. Since Redis 7 an error in a script ends with "script: <40 hex>,
 * on @user_script:1.", or as much of that as fits, which helps no user. "ERR ACL failure in script: User
 * ..." is not such a text.
 */
static void drop_script(char *text)
{
    static const char what[] = " script:";

    for (char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        if (strncmp(at + sizeof what - 1, " User", 5) != 0) {
            *at = '\0';
            return;
        }
    }
}

static int is_gateway(const struct rdl_cli_lock *l, size_t i)
{
    return rdl_cli_is_gateway(rdl_cli_lease_error(l, i), rdl_conn_text(l->servers->server[i].conn));
}

void rdl_cli_lock_said(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap)
{
    const struct rdl_cli_servers *s = l->servers;
    char raw[260], words[sizeof raw];
    const char *said = rdl_conn_text(s->server[i].conn);
    const char *cause = rdl_cli_cause(s, i, rdl_cli_lease_error(l, i));
    struct rdl_bytes password = s->endpoint[i].password;

    if (rdl_cli_group_said(s, i)[0] != '\0')
        snprintf(raw, sizeof raw, "%s", rdl_cli_group_said(s, i));
    else if (s->unresolved[i] != NULL)
        snprintf(raw, sizeof raw, "no address: %s", s->unresolved[i]);
    else if (rdl_cli_info_is_sentinel(i))
        snprintf(raw, sizeof raw, "%s", rdl_cli_sentinel);
    else if (s->server[i].vote == RDL_VOTE_UNKNOWN && s->server[i].error != RDL_OK)
        snprintf(raw, sizeof raw, "%s%s%s", rdl_cli_error_text(s->server[i].error, said),
                 is_gateway(l, i) ? ": " : "", is_gateway(l, i) ? said : "");
    else
        rdl_cli_lease_report(l, i, raw, sizeof raw);
    if (s->unresolved[i] == NULL && !rdl_cli_info_is_sentinel(i) && cause[0] != '\0')
        snprintf(raw + strlen(raw), sizeof raw - strlen(raw), ": %s", cause);
    char *from = said[0] != '\0' ? strstr(raw, said) : NULL;
    snprintf(words, sizeof words, "%s", said);
    drop_script(words); /* our own text may have "script:", too */
    if (from != NULL && strlen(words) < strlen(said))
        from[strlen(words)] = '\0';
    int is_cut = strlen(raw) + 1 == sizeof raw; /* both texts were */
    rdl_cli_secret_scrub(raw, is_cut ? raw : words, password, out, cap);
}

const char *rdl_cli_lock_report(const struct rdl_cli_lock *l, size_t i)
{
    static char text[RDL_CLI_WHERE_MAX + 300];
    char said[290];

    rdl_cli_lock_said(l, i, said, sizeof said);
    snprintf(text, sizeof text, "%s: %s", rdl_cli_where(l->servers, i), said);
    return text;
}

static int denies(const struct rdl_cli_lock *l, size_t i)
{
    uint8_t vote = l->servers->server[i].vote;
    return vote == RDL_VOTE_DENIED || vote == RDL_VOTE_ABSENT;
}

/*
 * Returns 1 if server i is a reason why the operation ended with rc. For a lost lease, these are the servers
 * where the key is gone or another client's. For a release, not the servers that never had a key.
 */
static int is_to_blame(const struct rdl_cli_lock *l, size_t i, int rc)
{
    size_t denied = 0;
    uint8_t vote = l->servers->server[i].vote;

    if (rc == RDL_NO_QUORUM)
        return !is_useful(l, i) && !is_bystander(l, i);
    for (size_t k = 0; k < l->servers->n; k++)
        denied += denies(l, k) != 0;
    if (denied > 0 && (rc == RDL_LOST || rc == RDL_EXPIRED))
        return denies(l, i);
    if (rdl_cli_lease_is_releasing(l) && vote == RDL_VOTE_NONE)
        return l->servers->server[i].error != RDL_OK;
    return vote != RDL_VOTE_GRANTED && !is_bystander(l, i);
}

void rdl_cli_lock_first_report(const struct rdl_cli_lock *l, char *out, size_t cap)
{
    out[0] = '\0';
    for (size_t i = 0; i < l->servers->n; i++) {
        if (!is_to_blame(l, i, RDL_NO_QUORUM) || rdl_cli_lease_error(l, i) == RDL_OK)
            continue;
        snprintf(out, cap, "%s", rdl_cli_lock_report(l, i));
        return;
    }
}

void rdl_cli_lock_reports(const struct rdl_cli_lock *l, int rc, char *out, size_t cap)
{
    struct rdl_cli_text t = {out, cap, 0};

    out[0] = '\0';
    for (size_t i = 0; i < l->servers->n; i++)
        if (is_to_blame(l, i, rc))
            rdl_cli_add(&t, "%s%s", t.len > 0 ? "; " : "", rdl_cli_lock_report(l, i));
}

/* Returns 1 if its name has no address because no name server replied. */
static int is_to_be_looked_up(const struct rdl_cli_lock *l, size_t i)
{
    return l->servers->unresolved[i] != NULL && l->servers->may_resolve[i];
}

static enum rdl_cli_trouble trouble_with(const struct rdl_cli_lock *l, size_t i)
{
    if (l->servers->is_name[i] && l->servers->group[i] != NULL)
        return RDL_CLI_SILENT; /* the master's name is being resolved */
    if (l->servers->unresolved[i] != NULL)
        return is_to_be_looked_up(l, i) ? RDL_CLI_SILENT : RDL_CLI_HOPELESS;
    return rdl_cli_trouble_of(&l->servers->conn[i], rdl_cli_lease_error(l, i));
}

/* Counts the servers whose name does not exist. */
static size_t nameless(const struct rdl_cli_lock *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += l->servers->unresolved[i] != NULL && !is_to_be_looked_up(l, i);
    return n;
}

/*
 * Returns the exit status for a missing majority, by the failures that prevent it. 0: all of them may pass,
 * so a retry may succeed.
 */
int rdl_cli_lock_verdict(const struct rdl_cli_lock *l)
{
    struct rdl_cli_troubles t = {l->servers->n, 0, {0}};

    for (size_t i = 0; i < t.n; i++) {
        if (is_useful(l, i))
            t.useful++;
        else
            t.of[trouble_with(l, i)]++;
    }
    return nameless(l) > t.n - (t.n / 2 + 1) ? RDL_EXIT_NOHOST : rdl_cli_trouble_status(&t);
}

int rdl_cli_lock_is_starved(const struct rdl_cli_lock *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += !is_useful(l, i) && trouble_with(l, i) == RDL_CLI_OURS;
    return n > (l->servers->n - 1) / 2;
}

/* Counts the servers that refuse connections. Returns 0 if any other server fails differently. */
static size_t refused(const struct rdl_cli_lock *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        int error = rdl_cli_lease_error(l, i);
        if (is_useful(l, i) || error == RDL_OK)
            continue;
        if (error != RDL_E_CONNECT || rdl_posix_errno(l->servers->server[i].conn) != ECONNREFUSED)
            return 0;
        n++;
    }
    return n;
}

/* Returns the advice for the first server that refused the login; NULL: none did. */
static const char *login_advice(const struct rdl_cli_lock *l)
{
    static char text[120];

    for (size_t i = 0; i < l->servers->n; i++) {
        if (is_useful(l, i) || rdl_cli_lease_error(l, i) != RDL_E_AUTH)
            continue;
        snprintf(text, sizeof text, " (%s)", rdl_cli_login_advice(rdl_conn_text(&l->servers->conn[i])));
        return text;
    }
    return NULL;
}

/* Returns 1 if a server does not know SET NX PX, or not in this form. */
static int is_one_too_old(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_server *s = &l->servers->server[i];
        if (s->vote == RDL_VOTE_ERROR && s->error == RDL_E_UNSUPPORTED && !rdl_cli_info_is_sentinel(i))
            return l->o->legacy == RDL_CLI_LEGACY_NEVER;
    }
    return 0;
}

/* Key patterns for the locks alone do not match the other keys of a lock. */
static const char *commands(const struct rdl_cli_options *o)
{
    static char text[400];
    char fence[200] = "", canary[100] = "", key[RDL_NAME_MAX + 9];

    rdl_cli_side_key(o->lock, ":fence", key, sizeof key);
    if (o->fence)
        snprintf(fence, sizeof fence, "; --fence needs eval, evalsha and the key %s", key);
    if (o->canary)
        snprintf(canary, sizeof canary, "; %s needs get, set, time and the key " RDL_CANARY_KEY,
                 rdl_cli_canary_word(o));
    snprintf(text, sizeof text, " (check the user's permissions%s%s%s%s)", fence, canary,
             o->has_group ? "; a Sentinel group needs info" : "",
             o->n_names > 1 ? "; several locks need eval, evalsha, psetex and the key of each" : "");
    return text;
}

/* Returns what the user lacks: the database, if a server reports that; otherwise the commands. */
static const char *permissions(const struct rdl_cli_lock *l)
{
    static char text[100];

    for (size_t i = 0; i < l->servers->n; i++) {
        unsigned db = (unsigned)l->servers->endpoint[i].db;
        if (is_useful(l, i) || !rdl_cli_is_database_refused(rdl_conn_text(&l->servers->conn[i])))
            continue;
        snprintf(text, sizeof text, " (the user may not use database %u: grant db=%u)", db, db);
        return text;
    }
    return commands(l->o);
}

uint32_t rdl_cli_silence_ms(const struct rdl_cli_lock *l)
{
    uint32_t ms = 2 * rdl_attempt_ms(&l->opt.lease);
    int is_tls = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        is_tls |= l->servers->is_tls[i];
    ms = ms < SILENCE_MS ? SILENCE_MS : ms;
    ms = l->o->has_group ? 2 * ms : ms; /* a sentinel is asked first */
    return is_tls ? TLS_TRIPS * ms : ms;
}

/* Servers that did not reply in time: whether that is the only problem, and what is known about them. */
struct late {
    size_t servers;
    uint32_t replies; /* 0: none of them has ever replied */
    uint64_t trip_ms; /* the longest round trip of their logins */
};

static struct late late_ones(const struct rdl_cli_lock *l)
{
    static const struct late none;
    struct late late = none;

    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_conn *c = &l->servers->conn[i];
        int error = rdl_cli_lease_error(l, i);
        if (is_useful(l, i) || error == RDL_OK)
            continue;
        if (error != RDL_E_TIMEOUT)
            return none;
        late.servers++;
        late.replies += rdl_conn_replies(c);
        late.trip_ms = c->rtt_ms > late.trip_ms ? c->rtt_ms : late.trip_ms;
    }
    return late;
}

/* Converts to seconds, rounded up to tenths. */
static double tenths(uint64_t ms)
{
    uint64_t up = ms + 99;

    return (double)(up - up % 100) / 1000;
}

void rdl_cli_attempt_remedy(uint64_t trip_ms, uint32_t ttl_ms, char *out, size_t cap)
{
    char ttl[40] = "";

    if (2 * trip_ms > ttl_ms / 4)
        snprintf(ttl, sizeof ttl, " --ttl %.1fs", 4 * tenths(2 * trip_ms));
    snprintf(out, cap, "give --attempt %.1fs%s", tenths(2 * trip_ms), ttl);
}

/* Returns advice if an attempt was, or may have been, shorter than the round trip; otherwise "". */
static const char *too_far(const struct rdl_cli_lock *l)
{
    static char text[200];
    struct late late = late_ones(l);
    uint32_t attempt_ms = l->o->attempt_ms;
    char remedy[80];

    if (attempt_ms == 0)
        attempt_ms = rdl_attempt_ms_for_rtt(&l->opt.lease, (uint32_t)late.trip_ms);
    text[0] = '\0';
    if (late.servers > 0 && late.replies == 0 && l->o->wait_ms == 0) {
        uint32_t silence_ms = rdl_cli_silence_ms(l), connect_ms = rdl_conn_connect_ms(l->servers->conns[0]);
        uint32_t ms = silence_ms < connect_ms ? silence_ms : connect_ms; /* that ended first */
        rdl_cli_attempt_remedy(ms, l->o->ttl_ms, remedy, sizeof remedy);
        snprintf(text, sizeof text, " (no reply within %.1f s; if the network is that slow, %s)",
                 (double)ms / 1000, remedy);
    } else if (late.trip_ms >= attempt_ms) {
        rdl_cli_attempt_remedy(late.trip_ms, l->o->ttl_ms, remedy, sizeof remedy);
        snprintf(text, sizeof text, " (a round trip took %.2f s, an attempt waits only %.2f s: %s)",
                 (double)late.trip_ms / 1000, (double)attempt_ms / 1000, remedy);
    }
    return text;
}

/* The old protocol works with one server, and only run uses it. */
static const char *too_old(const struct rdl_cli_lock *l)
{
    if (l->o->verb == RDL_CLI_EXTEND || l->o->verb == RDL_CLI_RELEASE)
        return " (the server must run EVAL, or WATCH and what belongs to it: redlock doctor prints what it "
               "lacks)";
    if (l->servers->n > 1)
        return " (Redis 2.6.12 or newer is needed)";
    if (l->o->verb == RDL_CLI_RUN)
        return " (Redis 2.6.12 or newer is needed; --legacy auto supports older ones)";
    return " (Redis 2.6.12 or newer is needed; redlock run --legacy auto supports older ones)";
}

/* Only the scripts of fencing tokens and of several locks read such a key. */
static const char *wrong_type(const struct rdl_cli_lock *l)
{
    static char text[4 * RDL_NAME_MAX];
    char key[RDL_NAME_MAX + 9];

    rdl_cli_side_key(l->o->lock, ":fence", key, sizeof key);
    if (l->o->fence)
        snprintf(text, sizeof text,
                 " (--fence needs strings at %s and %s: redlock doctor --fence says which one is not)",
                 l->o->lock, key);
    else
        snprintf(text, sizeof text,
                 " (each lock is a string: redlock doctor, with these locks, says which key is not)");
    return text;
}

/* Returns 1 if a server failed with this error. */
static int is_one_with(const struct rdl_cli_lock *l, int error)
{
    for (size_t i = 0; i < l->servers->n; i++)
        if (rdl_cli_lease_error(l, i) == error)
            return 1;
    return 0;
}

/* Returns 1 if no name server replied about the name of a server. */
static int is_one_to_be_looked_up(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++)
        if (is_to_be_looked_up(l, i))
            return 1;
    return 0;
}

static int is_one_of_gateway(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++)
        if (is_gateway(l, i))
            return 1;
    return 0;
}

static int is_one_of_tls(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++)
        if (!is_useful(l, i) && rdl_cli_may_be_tls(l->servers, i, rdl_cli_lease_error(l, i)))
            return 1;
    return 0;
}

static const char *advice(const struct rdl_cli_lock *l, int status)
{
    const char *login = login_advice(l);

    if (status == RDL_EXIT_NOPERM)
        return login != NULL ? login : permissions(l);
    if (status == RDL_EXIT_OS)
        return " (too few file descriptors: raise ulimit -n)";
    if (status == RDL_EXIT_PROTOCOL)
        return " (check that this is the server's port)";
    if (is_one_to_be_looked_up(l))
        return " (no name server replied: check /etc/resolv.conf)";
    if (is_one_of_gateway(l))
        return " (" RDL_CLI_GATEWAY_HINT ")";
    if (is_one_of_tls(l))
        return " (" RDL_CLI_TLS_HINT ")";
    if (is_one_with(l, RDL_E_CLUSTER))
        return " (" RDL_CLI_CLUSTER_RISK ": use three independent servers)";
    if (is_one_with(l, RDL_E_WRONGTYPE))
        return wrong_type(l);
    if (is_one_too_old(l))
        return too_old(l);
    size_t n = refused(l);
    return n == 0 ? too_far(l) : n == 1 ? " (is the server running?)" : " (are the servers running?)";
}

/* Prints what failed, the reason of each server, and what to do. */
static void print_no_majority(const struct rdl_cli_lock *l, int status, const char *what, int rc)
{
    char all[1500], majority[80] = "";

    rdl_cli_lock_reports(l, rc, all, sizeof all);
    if (l->servers->n > 1)
        snprintf(majority, sizeof majority, ": %u of %zu servers are needed",
                 (unsigned)(l->servers->n / 2 + 1), l->servers->n);
    rdl_cli_print_error("%s%s: %s%s", what, majority, all[0] != '\0' ? all : rdl_strerror(rc),
                        advice(l, status));
}

int rdl_cli_lock_no_quorum(const struct rdl_cli_lock *l, int status, uint64_t waited_ms)
{
    char what[60] = "no lock";

    if (l->o->wait_ms > 0)
        snprintf(what, sizeof what, "no lock after %.1f s", (double)waited_ms / 1000);
    print_no_majority(l, status, what, RDL_NO_QUORUM);
    return status;
}

int rdl_cli_lock_is_final(const struct rdl_cli_lock *l, size_t i)
{
    int error = rdl_cli_lease_error(l, i);

    if (is_useful(l, i) || is_bystander(l, i) || l->servers->unresolved[i] != NULL)
        return 0;
    if (error == RDL_E_SYNTAX)
        return trouble_with(l, i) != RDL_CLI_SILENT;
    return rdl_is_permanent(error) || trouble_with(l, i) != RDL_CLI_SILENT || error == RDL_E_READONLY;
}

void rdl_cli_lock_note_servers(const struct rdl_cli_lock *l)
{
    for (size_t i = 0; rdl_cli_is_verbose() && i < l->servers->n; i++)
        rdl_cli_print_verbose("  %s", rdl_cli_lock_report(l, i));
}

uint64_t rdl_cli_lock_quarantine_ms(const struct rdl_cli_lock *l)
{
    uint64_t now = rdl_cli_now(l), at[RDL_SERVERS_MAX] = {0};
    size_t n = l->servers->n;

    for (size_t i = 0; i < n; i++) { /* sorted: the last server of a majority decides */
        int is_there = rdl_conn_state(l->redlock.servers[i].conn) == RDL_CONN_READY;
        uint64_t ms = is_there ? rdl_redlock_counts_at(&l->redlock, i) : UINT64_MAX;
        size_t k = i;
        for (; k > 0 && at[k - 1] > ms; k--)
            at[k] = at[k - 1];
        at[k] = ms;
    }
    return at[n / 2] > now && at[n / 2] != UINT64_MAX ? at[n / 2] - now : 0;
}

/* Servers with --canary may lose their data, so they get no advice to switch the guard off. */
const char *rdl_cli_lock_remedy(const struct rdl_cli_lock *l)
{
    if (l->o->has_group)
        return "";
    if (l->o->canary)
        return ". --restart-guard=off does not shorten this";
    return l->servers->n == 1 ? ". Until then, add --restart-guard=off if it is new. Always add it if it "
                                "loses nothing in a restart"
                              : ". Until then, add --restart-guard=off if they are new. Always add it if "
                                "they lose nothing in a "
                                "restart";
}

unsigned long rdl_cli_lock_quarantine_s(const struct rdl_cli_lock *l)
{
    return (unsigned long)((rdl_cli_lock_quarantine_ms(l) + 999) / 1000);
}

/* Adds how long ago the server started or, if that does not count, was first seen. */
static void add_start(struct rdl_cli_text *t, const struct rdl_cli_lock *l, const struct rdl_server_info *f,
                      const char *max_ttl)
{
    int is_seen = l->o->guard == RDL_GUARD_STRICT || f->is_other;
    uint64_t now = rdl_cli_now(l);
    int64_t since_ms = is_seen ? (int64_t)f->seen_ms : f->up_ms;

    rdl_cli_add(t, "the server %s %lu s ago, less than --max-ttl (%s),",
                is_seen ? "was first seen" : "started", (unsigned long)(((int64_t)now - since_ms) / 1000),
                max_ttl);
}

/* Adds the canary's age, if only the canary delays the server. Returns 0 if a restart does, or if unknown. */
static int add_canary(struct rdl_cli_text *t, const struct rdl_cli_lock *l, const struct rdl_server_info *f,
                      const char *max_ttl)
{
    int64_t now = (int64_t)rdl_cli_now(l), made_ms = l->canaries[0].since_ms;

    if (f == NULL || now - f->up_ms <= (int64_t)l->o->max_ttl_ms + 1000 || made_ms < now - INT32_MAX)
        return 0;
    rdl_cli_add(t,
                "the key " RDL_CANARY_KEY
                " was made %lu s ago, less than --max-ttl (%s), because --canary is new "
                "there or the data was lost",
                (unsigned long)((now - made_ms) / 1000), max_ttl);
    return 1;
}

/* Counts the servers that reply, and do not count yet. */
static size_t young(const struct rdl_cli_lock *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += rdl_conn_state(&l->servers->conn[i]) == RDL_CONN_READY &&
             rdl_redlock_counts_at(&l->redlock, i) > rdl_cli_now(l);
    return n;
}

/* Adds the servers that are missing for another reason. */
static void add_failed(struct rdl_cli_text *t, const struct rdl_cli_lock *l)
{
    for (size_t i = 0; i < l->servers->n; i++) {
        int error = rdl_cli_lease_error(l, i);
        if (!is_useful(l, i) && error != RDL_OK && error != RDL_E_QUARANTINE)
            rdl_cli_add(t, "; %s", rdl_cli_lock_report(l, i));
    }
}

const char *rdl_cli_lock_too_recently(const struct rdl_cli_lock *l)
{
    static char text[1200];
    const struct rdl_server_info *f = rdl_guard_server_info(&l->servers->conn[0]);
    struct rdl_cli_text t = {text, sizeof text, 0};
    char ttl[RDL_CLI_DURATION_MAX];
    int is_one = l->servers->n == 1;
    char who[40] = "the server";

    if (!is_one)
        snprintf(who, sizeof who, "%zu of %zu servers", young(l), l->servers->n);
    rdl_cli_duration_text(l->o->max_ttl_ms, ttl);
    if (is_one && l->servers->group[0] != NULL) {
        rdl_cli_add(
            &t,
            "%s is new, was restarted or had a failover less than --max-ttl (%s) ago, and may have lost "
            "locks: until it can be used, no client gets a lock of it, and a command that holds one is "
            "stopped",
            rdl_cli_where(l->servers, 0), ttl);
        return text;
    }
    if (is_one && l->o->canary && add_canary(&t, l, f, ttl))
        return text;
    if (is_one && f != NULL)
        add_start(&t, l, f, ttl);
    else
        rdl_cli_add(&t, "%s started%s less than --max-ttl (%s) ago", who,
                    l->o->canary ? ", or their key " RDL_CANARY_KEY " was made," : "", ttl);
    rdl_cli_add(&t, " and may have lost locks%s", l->o->canary ? "" : " in a restart");
    add_failed(&t, l);
    return text;
}

void rdl_cli_lock_quarantined(const struct rdl_cli_lock *l, const char *what)
{
    if (rdl_cli_lock_quarantine_s(l) == 0) {
        rdl_cli_print_error("%s: %s; check the others", what, rdl_cli_lock_too_recently(l));
        return;
    }
    rdl_cli_print_error("%s: %s; %s in %lu s%s", what, rdl_cli_lock_too_recently(l),
                        l->servers->n == 1 ? "it can be used" : "a majority can be used",
                        rdl_cli_lock_quarantine_s(l), rdl_cli_lock_remedy(l));
}

int rdl_cli_lock_not_done(const struct rdl_cli_lock *l, int rc, const char *done)
{
    char all[1500], what[RDL_CLI_LOCKS_MAX + 40];
    int status = rdl_cli_lock_verdict(l);

    if (status == 0)
        status = RDL_EXIT_UNAVAILABLE;
    if (rc == RDL_LOST || rc == RDL_EXPIRED || rc == RDL_E_GAP) {
        rdl_cli_lock_reports(l, rc, all, sizeof all);
        rdl_cli_print_info("%s is not %s: this token does not hold it, or holds it no longer (%s)",
                           l->o->lock, done, all);
        status = RDL_EXIT_CONFLICT;
    } else if (l->o->verb != RDL_CLI_RELEASE && !is_settled(l) && rdl_cli_lock_quarantine_s(l) > 0) {
        snprintf(what, sizeof what, "%s is not %s", l->o->lock, done);
        rdl_cli_lock_quarantined(l, what);
    } else {
        snprintf(what, sizeof what, "cannot %s %s", rdl_cli_verb_word(l->o->verb), l->o->lock);
        print_no_majority(l, status, what, rc);
    }
    rdl_cli_lock_note_servers(l);
    return status;
}
