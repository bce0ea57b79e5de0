/* SPDX-License-Identifier: MIT */
/*
 * Problems and risks of the servers, each with its fix, from the results of the checks alone. A status of 1
 * is a warning: locks work, but are less safe or more expensive than they could be. 0 is a note: with these
 * options nothing is to be done.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/doctor/findings.h"
#include "lock/lock_lease.h"
#include "lock/lock_line.h"
#include "redlock/cli/doctor/checks.h"
#include "redlock/cli/doctor/permissions.h"
#include "redlock/cli/doctor/sentinels.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NOTE = 0, WARNING = 1, APART_MS = 1000, CLOCK_MAX = 20 };

static const struct rdl_cli_query *query;
static const struct rdl_cli_checks *exams;
static const struct rdl_cli_sentinels *watchers;
static struct rdl_cli_findings *found;

/* Begins a finding. server is n for all servers. Findings for which there is no room share the last place. */
static struct rdl_cli_finding *begin(const char *id, int status, size_t server)
{
    struct rdl_cli_finding *f = &found->at[found->n < RDL_CLI_FINDINGS_MAX ? found->n++ : found->n - 1];

    f->id = id;
    f->status = status;
    f->server = server < query->servers->n ? (int)server : -1;
    return f;
}

static struct rdl_cli_finding *last(void)
{
    return &found->at[found->n - 1];
}

/* ---------------------------------------------------------------- servers without a reply */

#define CLOSED_BY_SERVER                                                                                     \
    "the server closed the connection; if it requires a client certificate: openssl's -cert FILE -key FILE"

/*
 * Errors of connect commands about TLS, in OpenSSL's words, and their fixes. In TLS 1.3 the client ends its
 * side of the handshake before the server has checked the client's certificate (RFC 8446, section 2). If the
 * server then closes the connection, openssl may fail at its next read or write. It then has not read the
 * alert "certificate required".
 */
static const struct {
    const char *says, *remedy;
} tls_remedies[] = {
    {"certificate has expired", "give the server a new certificate"},
    {"not yet valid", "check this host's clock; if it is right, give the server another certificate"},
    {"hostname mismatch", "use the name or address in the certificate as the URL's, or another certificate"},
    {"IP address mismatch",
     "use the name or address in the certificate as the URL's, or another certificate"},
    {"self-signed certificate", "name the authority that you trust: openssl's -CAfile FILE"},
    {"unable to get local issuer", "name the authority that you trust: openssl's -CAfile FILE"},
    {"certificate required", "it requires a client certificate: openssl's -cert FILE -key FILE"},
    {"write:errno=", CLOSED_BY_SERVER},
    {"read:errno=", CLOSED_BY_SERVER},
    {"wrong version number", "that port does not use TLS: give a redis:// URL, or the server's tls-port"},
    {": not found", "install that program, or give its full path"},
};

/*
 * If the port speaks another protocol, there may be no error: the server waits for more, and so does the
 * command.
 */
static const char *unreachable_remedy(size_t i, const char *why)
{
    if (rdl_cli_may_be_tls(query->servers, i, query->seen[i].error))
        return RDL_CLI_TLS_HINT "; if it is a proxy, connect to the server itself";
    if (query->seen[i].lacks_info)
        return "if it is a proxy, connect to the server itself";
    if (rdl_cli_is_gateway(query->seen[i].error, query->seen[i].said))
        return RDL_CLI_GATEWAY_HINT;
    if (!query->servers->is_tls[i])
        return "check that it is running, and that this host can connect to it";
    for (size_t k = 0; k < sizeof tls_remedies / sizeof tls_remedies[0]; k++)
        if (strstr(why, tls_remedies[k].says) != NULL)
            return tls_remedies[k].remedy;
    return "check that it is running, that the port uses TLS, and that the connect command works by itself";
}

static const char grant[] = "paste the last line into redis-cli on that server";

/* The ACLs of Valkey 9.1 may restrict a user to some databases. */
static void find_database(size_t i)
{
    rdl_cli_report(begin("permission", RDL_EXIT_NOPERM, i), grant, "the user may not use database %u",
                   (unsigned)query->servers->endpoint[i].db);
}

/* why ends with the server's text, which names the fix. */
static void find_refused(size_t i, const char *why)
{
    rdl_cli_report(begin("refused", RDL_EXIT_UNAVAILABLE, i), rdl_cli_refusal_advice(why),
                   "it grants no locks now: %s", why);
}

static int find_cluster(size_t i)
{
    return rdl_cli_report(begin("cluster", RDL_EXIT_CONFIG, i),
                          "use three independent servers (cluster-enabled no), without a proxy",
                          "it is a node of a cluster, or a proxy like Envoy; " RDL_CLI_CLUSTER_RISK);
}

static void find_absent(size_t i)
{
    int error = query->seen[i].error;
    char why[400];

    rdl_cli_query_error(query, i, why, sizeof why);
    if (rdl_cli_trouble_of(&query->servers->conn[i], error) == RDL_CLI_OURS)
        rdl_cli_report(begin("descriptors", RDL_EXIT_OS, i), "raise ulimit -n", "%s", why);
    else if (error == RDL_E_AUTH)
        rdl_cli_report(begin("login", RDL_EXIT_NOPERM, i), rdl_cli_login_advice(why), "%s", why);
    else if (exams[i].is_db_refused)
        find_database(i);
    else if (error == RDL_E_PERM)
        rdl_cli_report(begin("permission", RDL_EXIT_NOPERM, i), grant, "%s", why);
    else if (error == RDL_E_DB && strstr(why, "cluster mode") != NULL)
        find_cluster(i);
    else if (error == RDL_E_DB)
        rdl_cli_report(begin("database", RDL_EXIT_CONFIG, i),
                       "give the number of a database that exists there", "%s", why);
    else if (error == RDL_E_SYNTAX || error == RDL_E_LIMIT || error == RDL_E_UNEXPECTED)
        rdl_cli_report(begin("protocol", RDL_EXIT_PROTOCOL, i),
                       query->servers->is_tls[i]
                           ? "check that the connect command prints only what the server sends"
                           : "check that this is the server's port",
                       "%s", why);
    else if (rdl_cli_is_refusal(error, query->seen[i].said))
        find_refused(i, why);
    else
        rdl_cli_report(begin("unreachable", RDL_EXIT_UNAVAILABLE, i), unreachable_remedy(i, why), "%s", why);
}

static void find_address(size_t i)
{
    if (query->servers->several[i] != NULL)
        rdl_cli_report(begin("addresses", RDL_EXIT_CONFIG, i),
                       "give one of them, or --any-address if all lead to the same server",
                       "the name has more than one address (%s)", query->servers->several[i]);
    else
        rdl_cli_report(begin("unreachable", RDL_EXIT_UNAVAILABLE, i),
                       query->servers->may_resolve[i] ? "check this host's name servers (/etc/resolv.conf)"
                                                      : "check the name",
                       "no address: %s", query->servers->unresolved[i]);
}

/* ---------------------------------------------------------------- servers that cannot hold locks */

/* Returns 1 if the server cannot hold locks, so that no other finding matters. */
static int find_role(size_t i)
{
    const struct rdl_cli_host *h = &query->host[i];

    if (h->is_cluster || exams[i].error == RDL_E_CLUSTER)
        return find_cluster(i);
    if (h->is_sentinel)
        return rdl_cli_report(begin("sentinel", RDL_EXIT_CONFIG, i), "name the servers that it watches",
                              "it is a Sentinel, which holds no locks");
    if (strcmp(h->role, "active-replica") == 0)
        return rdl_cli_report(
            begin("replica", RDL_EXIT_CONFIG, i), "use standalone servers (replicaof no one)",
            "it is an active replica (KeyDB): it and its master write to each other, so both may grant a "
            "lock");
    if (rdl_cli_host_is_replica(h) || exams[i].error == RDL_E_READONLY) {
        rdl_cli_report(begin("replica", RDL_EXIT_CONFIG, i), "name its master",
                       "it is a replica, which grants no locks");
        if (h->master[0] != '\0')
            rdl_cli_advise(last(), "name its master, %s port %u", h->master, h->master_port);
        return 1;
    }
    return 0;
}

/* Returns 1 if the server was listed before, with all its findings. */
static int find_twice(size_t i)
{
    for (size_t k = 0; k < i; k++) {
        int is_one =
            query->host[i].run_id[0] != '\0' && strcmp(query->host[i].run_id, query->host[k].run_id) == 0;
        if (!is_one && !rdl_cli_servers_is_same(query->servers, i, k))
            continue;
        return rdl_cli_report(begin("twice", RDL_EXIT_CONFIG, i), "list it once",
                              "it is the same server as %s: it would have two votes",
                              rdl_cli_where(query->servers, k));
    }
    return 0;
}

/* Only with several servers can one be listed twice. */
static void find_unnamed(size_t i)
{
    const struct rdl_cli_host *h = &query->host[i];

    if (query->servers->n == 1 || !h->has_info || h->run_id[0] != '\0')
        return;
    rdl_cli_report(begin("run-id", WARNING, i), "check that each URL leads to a different server",
                   "INFO shows no run_id, so redlock cannot check whether the server is listed twice");
}

/* ---------------------------------------------------------------- data that it may lose */

/* The old protocol has no guard. */
static int is_guarded(void)
{
    return query->o->guard != RDL_GUARD_OFF && query->o->legacy == RDL_CLI_LEGACY_NEVER;
}

/* Writes the time of day this long from now, or "" if it is unknown. */
static void write_clock(uint64_t ms, char out[CLOCK_MAX])
{
    time_t end = time(NULL) + (time_t)((ms + 999) / 1000);
    struct rdl_cli_text clock = {out, CLOCK_MAX, 0};
    struct tm tm;

    out[0] = '\0';
    if (localtime_r(&end, &tm) != NULL)
        rdl_cli_add(&clock, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void find_quarantine(size_t i)
{
    uint64_t ms = rdl_cli_quarantine_ms(query->o, &query->host[i]);
    char clock[CLOCK_MAX];

    if (ms == 0 || !is_guarded())
        return;
    if (query->host[i].uptime_s < 0) {
        rdl_cli_report(
            begin("quarantine", WARNING, i),
            "restart it while no lock is held; if it loses nothing in a restart: --restart-guard=off",
            "its uptime is negative, because its clock was set back: each run waits %lu s for it, as after a "
            "restart",
            (unsigned long)((ms + 999) / 1000));
        return;
    }
    write_clock(ms, clock);
    rdl_cli_report(
        begin("quarantine", WARNING, i),
        "wait, or use --restart-guard=off until then if it is new; always use it if it loses nothing in a "
        "restart",
        "it started %" PRId64
        " s ago, less than --max-ttl, and may have lost locks in a restart: it can be used from %s on",
        query->host[i].uptime_s, clock);
}

/* Returns 1 if a restart or a crash of the server loses locks. */
static int is_forgetful(size_t i)
{
    const struct rdl_cli_checks *x = &exams[i];

    if (!query->host[i].has_info || !query->host[i].has_log)
        return query->host[i].has_info;
    return x->has_fsync && strcmp(x->fsync, "always") != 0;
}

static void find_persistence(size_t i)
{
    const struct rdl_cli_checks *x = &exams[i];
    int has_log = query->host[i].has_log;
    const char *remedy =
        query->o->guard == RDL_GUARD_OFF
            ? "set appendonly yes and appendfsync always, or do not use --restart-guard=off: "
              "another client could get a lock that is still held"
            : "set appendonly yes and appendfsync always: another client could get a lock that is "
              "still held";

    if (is_guarded() || !is_forgetful(i))
        return;
    if (has_log)
        rdl_cli_report(begin("appendfsync", WARNING, i), remedy,
                       "appendfsync is %s: a crash loses the locks of the last %s", x->fsync,
                       strcmp(x->fsync, "everysec") == 0 ? "second" : "30 s or so");
    else
        rdl_cli_report(
            begin("persistence", WARNING, i), remedy,
            x->has_save && x->save[0] == '\0'
                ? "it keeps nothing on disk: a restart loses all locks"
                : "it keeps no log (appendonly no): a crash loses the locks since its last snapshot");
}

/* The restart guard makes a loss safe: one note for all servers. */
static void note_forgetful(const unsigned char is_one[RDL_SERVERS_MAX])
{
    char who[RDL_CLI_FINDING_MAX / 2] = "";
    struct rdl_cli_text t = {who, sizeof who, 0};

    for (size_t i = 0; i < query->servers->n; i++) {
        if (!is_one[i])
            continue;
        rdl_cli_add(&t, "%s%s", t.len > 0 ? ", " : "", rdl_cli_where(query->servers, i));
    }
    if (t.len == 0)
        return;
    rdl_cli_mark_cut(&t);
    rdl_cli_report(begin("persistence", NOTE, query->servers->n),
                   "the restart guard makes that safe; if a client uses --restart-guard=off, or has "
                   "no guard, set appendonly yes and appendfsync always",
                   "not every lock is kept on disk (appendonly, appendfsync) by %s: a restart or a crash may "
                   "lose locks",
                   who);
}

static void find_eviction(size_t i)
{
    const struct rdl_cli_host *h = &query->host[i];

    if (!h->is_bounded || h->policy[0] == '\0' || h->policy[0] == 'n')
        return;
    rdl_cli_report(begin("eviction", WARNING, i), "set maxmemory-policy noeviction",
                   "when its memory is full it deletes keys, including locks (maxmemory-policy %s)",
                   h->policy);
}

/* If there is none, the first lock creates one, and its time begins then. */
static void find_canary(size_t i)
{
    const struct rdl_cli_checks *x = &exams[i];
    uint64_t least_s = (query->o->max_ttl_ms + 999) / 1000 + 1;
    int is_group = query->servers->group[i] != NULL;
    char clock[CLOCK_MAX];

    if (x->has_foreign_canary) {
        rdl_cli_risk_canary(begin("canary", RDL_EXIT_CONFIG, i), "it");
    } else if (x->canary == RDL_ANSWER_ABSENT || x->canary == RDL_ANSWER_NO) {
        rdl_cli_report(
            begin("canary", WARNING, i),
            is_group ? "take a lock before you need it: redlock run -n LOCK true"
                     : "take a lock with --canary before you need it: redlock run --canary -n LOCK true",
            "it has no canary, because it %s has lost its data: the next run%s makes one, and the server can "
            "be "
            "used %lu s later",
            is_group ? "is a new Sentinel group, had a failover or" : "is new to --canary or",
            is_group ? "" : " with --canary", (unsigned long)least_s);
    } else if (x->canary == RDL_ANSWER_YES && x->canary_age_s < least_s) {
        write_clock((least_s - x->canary_age_s) * 1000, clock);
        rdl_cli_report(begin("canary", WARNING, i), "wait until then",
                       "its canary was made %lu s ago, less than --max-ttl, perhaps after a %s: it can be "
                       "used from %s on",
                       (unsigned long)x->canary_age_s, is_group ? "failover" : "loss of data", clock);
    }
}

/* ------------------------------------------- two hosts that do not exclude each other */

/* If all servers are on this host, the locks may be for this host only: a note, no finding. */
static void find_own(size_t i)
{
    if (!rdl_cli_servers_is_own(query->servers, i) || rdl_cli_servers_remote(query->servers) == 0)
        return;
    rdl_cli_risk_own(begin("own-host", WARNING, i), "it");
}

static void find_databases(void)
{
    const struct rdl_cli_servers *s = query->servers;
    size_t i = rdl_cli_host_differences_database(s);

    if (i > 0)
        rdl_cli_risk_databases(begin("databases", WARNING, s->n), s->endpoint[0].db, s->endpoint[i].db);
}

static void find_holders(void)
{
    struct rdl_cli_verdict v;

    rdl_cli_query_verdict(query, &v);
    if (v.other_on == 0)
        return;
    rdl_cli_risk_holders(begin("holders", WARNING, query->servers->n), query->o->lock, &v);
}

/* One server is enough: on the others it usually is as long. */
static void find_lease(void)
{
    for (size_t i = 0; i < query->servers->n; i++) {
        const struct rdl_cli_seen *s = &query->seen[i];
        if (!rdl_cli_seen_is_long(query->o, s))
            continue;
        rdl_cli_risk_lease(begin("lease", WARNING, i), "it", query->o, s->pttl_ms);
        return;
    }
}

/* Describes a value in the lock's way that no client of redlock wrote. */
static void find_stray_key(size_t i)
{
    const struct rdl_cli_seen *s = &query->seen[i];
    const char *lock = query->o->lock;
    const char *remedy = rdl_cli_name_is_counter(lock)
                             ? "leave it if it is a fencing counter; name the lock itself"
                             : "DEL it if nothing needs it";

    if (s->what == RDL_CLI_SEEN_ODD)
        rdl_cli_report(begin("key", WARNING, i), remedy,
                       "its key %s is %s, so not a lock: another program wrote it", lock,
                       rdl_cli_seen_odd(s));
    else
        rdl_cli_report(begin("key", WARNING, i), remedy,
                       "its key %s never expires: another program or an old client wrote it", lock);
}

static void find_stray_keys(void)
{
    for (size_t i = 0; i < query->servers->n; i++) {
        const struct rdl_cli_seen *s = &query->seen[i];
        if (s->what != RDL_CLI_SEEN_ODD && (s->what != RDL_CLI_SEEN_KEY || s->pttl_ms != -1))
            continue;
        find_stray_key(i);
    }
}

/* A single lock's key is among the stray keys, which are not searched for with the old protocol. */
static void find_odd_keys(size_t i)
{
    int is_stray = query->o->n_names == 1 && query->o->legacy == RDL_CLI_LEGACY_NEVER;
    char key[RDL_NAME_MAX + 9];

    for (int k = 0; k < RDL_CLI_KEYS; k++) {
        if ((exams[i].odd & 1u << k) == 0 || (k == RDL_CLI_KEY_LOCK && is_stray))
            continue;
        rdl_cli_key((enum rdl_cli_key)k, rdl_cli_name_of(query->o, (enum rdl_cli_key)k), "", key, sizeof key);
        rdl_cli_report(begin("key", k == RDL_CLI_KEY_WAKE ? WARNING : RDL_EXIT_CONFIG, i),
                       k == RDL_CLI_KEY_FENCE ? rdl_cli_counter_remedy
                                              : "find out which program wrote it, then DEL it",
                       "its key %s is not %s", key,
                       k == RDL_CLI_KEY_WAKE    ? "a list, which --wake-hint needs: no client is woken"
                       : k == RDL_CLI_KEY_FENCE ? "a number, which --fence needs: no client gets the lock"
                                                : "a string, which a lock is: no client gets the lock");
    }
}

/* ---------------------------------------------------------------- time */

static void find_trip(size_t i)
{
    const struct rdl_lock_options lease = {.ttl_ms = query->o->ttl_ms, .attempt_ms = query->o->attempt_ms};
    uint32_t trip_ms = exams[i].rtt_ms, attempt_ms = rdl_attempt_ms_for_rtt(&lease, trip_ms);
    char remedy[80];

    if (!exams[i].has_clock || 2 * (uint64_t)trip_ms <= attempt_ms)
        return;
    rdl_cli_attempt_remedy(trip_ms, query->o->ttl_ms, remedy, sizeof remedy);
    rdl_cli_report(begin("round-trip", WARNING, i), remedy,
                   "a round trip takes %.2f s, an attempt waits %.2f s: some attempts will time out",
                   (double)trip_ms / 1000, (double)attempt_ms / 1000);
}

/* A clock that does not move is no measure for the others. */
static int has_time(size_t i)
{
    return exams[i].has_clock && exams[i].is_ticking;
}

static void find_still_clock(size_t i)
{
    if (!exams[i].has_clock || exams[i].is_ticking)
        return;
    rdl_cli_report(begin("clock", WARNING, i), "fix that host's clock, then restart the server",
                   "its clock has stopped: locks on it never expire");
}

/* Orders all clocks; equal ones by their index. */
static int is_before(size_t k, size_t i)
{
    if (exams[k].clock_ms == exams[i].clock_ms)
        return k < i;
    return exams[k].clock_ms < exams[i].clock_ms;
}

/* Returns the server with the median clock, of those that report the time. */
static size_t middle_clock(size_t n_clocks)
{
    for (size_t i = 0; i < query->servers->n; i++) {
        size_t before = 0;
        for (size_t k = 0; k < query->servers->n; k++)
            before += has_time(k) && is_before(k, i);
        if (has_time(i) && before == n_clocks / 2)
            return i;
    }
    return 0;
}

/* Compares this host's clock with the median: with one server it is not known which clock is right. */
static void find_own_clock(size_t middle)
{
    struct timespec wall;
    int64_t ahead_ms, off_ms;

    if (clock_gettime(CLOCK_REALTIME, &wall) != 0)
        return;
    ahead_ms = exams[middle].clock_ms + (int64_t)rdl_now(&query->platform) -
               (int64_t)rdl_cli_wall_ms(wall.tv_sec, wall.tv_nsec);
    off_ms = ahead_ms < 0 ? -ahead_ms : ahead_ms;
    if (off_ms <= APART_MS + exams[middle].rtt_ms / 2)
        return;
    rdl_cli_risk_clock(begin("host-clock", WARNING, query->servers->n), rdl_cli_where(query->servers, middle),
                       ahead_ms);
}

static void find_clocks(void)
{
    size_t n = 0, middle;

    for (size_t i = 0; i < query->servers->n; i++)
        n += has_time(i) != 0;
    middle = middle_clock(n);
    if (n > 0)
        find_own_clock(middle);
    for (size_t i = 0; i < query->servers->n && n > 1; i++) {
        int64_t ms = exams[i].clock_ms - exams[middle].clock_ms;
        int64_t off_ms = ms < 0 ? -ms : ms;
        if (!has_time(i) || off_ms <= APART_MS + exams[i].rtt_ms / 2 + exams[middle].rtt_ms / 2)
            continue;
        rdl_cli_report(begin("clock", WARNING, i),
                       "adjust it slowly (NTP): if it jumps forward, locks expire early",
                       "its clock is %.1f s %s that of %s", (double)off_ms / 1000,
                       ms < 0 ? "behind" : "ahead of", rdl_cli_where(query->servers, middle));
    }
}

/* ---------------------------------------------------------------- rights */

static const char *words_of(unsigned rights, unsigned keys)
{
    static char out[RDL_CLI_FINDING_MAX - 100]; /* without the text around it */
    struct rdl_cli_text t = {out, sizeof out, 0};

    out[0] = '\0';
    rdl_cli_permissions_words(&t, query->o, rights, keys);
    rdl_cli_mark_cut(&t);
    return out;
}

/* Returns the missing rights that the server does not need. */
static unsigned dispensable(const struct rdl_cli_checks *x, unsigned needs)
{
    unsigned rights = RIGHT(EVALSHA) | RIGHT(GETRANGE);
    int is_done_otherwise = x->releases != 0 && x->extends != 0;

    if (!rdl_guard_requires_info((unsigned)query->o->guard))
        rights |= RIGHT(INFO);
    if (is_done_otherwise && (needs & (RDL_CLI_NEED_FENCE | RDL_CLI_NEED_HINT)) == 0)
        rights |= RIGHT(EVAL);
    return rights;
}

/* Reports what is unknown without INFO. */
static void find_blind(const char *id, int status, size_t i, const char *why, const char *what_to_do)
{
    rdl_cli_report(
        begin(id, status, i), "",
        "%s: redlock cannot notice a restart, a replica, a server that is listed twice or that deletes keys",
        why);
    rdl_cli_advise(last(), "%s, or give --restart-guard=off", what_to_do);
}

static void find_rights(size_t i)
{
    const struct rdl_cli_checks *x = &exams[i];
    unsigned needs = rdl_cli_needs(query->o, query->servers), rights = rdl_cli_rights_on(x, needs);
    unsigned missing = x->missing & rights, spared = missing & dispensable(x, needs);
    unsigned unanswered = query->host[i].is_info_forbidden ? 0 : missing & RIGHT(INFO);
    unsigned trials = 1u << RDL_CLI_KEY_TRIAL | 1u << RDL_CLI_KEY_TRIAL_FENCE | 1u << RDL_CLI_KEY_TRIAL_WAKE;
    unsigned keys = x->keys & (query->o->lock != NULL ? ~trials : ~0u);

    if ((missing & ~spared & ~unanswered) != 0 || keys != 0) {
        rdl_cli_report(begin("permission", RDL_EXIT_NOPERM, i),
                       query->o->lock != NULL || keys == 0
                           ? grant
                           : "name the lock that the user needs: redlock doctor LOCK",
                       "the user lacks%s", words_of(missing & ~spared & ~unanswered, keys));
    }
    if (keys == 0 && x->keys != 0) {
        rdl_cli_report(begin("untried", WARNING, i), grant, "permissions were not tested: the user lacks%s",
                       words_of(0, x->keys));
    }
    if (unanswered != 0)
        find_blind("info", (spared & RIGHT(INFO)) ? WARNING : RDL_EXIT_CONFIG, i,
                   "it does not reply to INFO, like some proxies", "connect to the server itself");
    else if (spared & RIGHT(INFO))
        find_blind("permission", WARNING, i, "the user lacks +info", grant);
    if (spared & RIGHT(GETRANGE)) {
        rdl_cli_report(begin("permission", WARNING, i), grant,
                       "the user lacks +getrange: locks work, but redlock list cannot read their keys");
    }
    spared &= ~(RIGHT(INFO) | RIGHT(GETRANGE));
    if (spared != 0) {
        rdl_cli_report(begin("permission", WARNING, i), grant,
                       "the user lacks%s: locks work without, in more round trips", words_of(spared, 0));
    }
}

/* Reports what no user may do on this server. */
static void find_refusals(size_t i)
{
    const struct rdl_cli_checks *x = &exams[i];
    unsigned needs = rdl_cli_needs(query->o, query->servers);
    unsigned rights = rdl_cli_rights_on(x, needs) & ~RIGHT(GETRANGE); /* locks work without it */
    char why[RDL_CLI_SAID_MAX + 100];

    if (rdl_cli_is_scriptless(x, needs)) {
        rdl_cli_report(begin("scripts", WARNING, i),
                       "none; but --fence and --wake-hint need a server that runs scripts, several locks at "
                       "once scripts or MSETEX",
                       "it runs no scripts: locks work without, in more round trips");
    }
    if ((needs & RDL_CLI_NEED_LEGACY) && x->extends == 0 && (x->unknown & RIGHT(EVAL)) &&
        (x->unknown & RIGHT(WATCH))) {
        rights &= ~(RIGHT(EVAL) | RIGHT(EVALSHA));
        rdl_cli_risk_renewal(begin("renewal", WARNING, i), "it", query->o->ttl_ms);
    }
    if ((needs & RDL_CLI_NEED_TIME) && (x->unknown & RIGHT(TIME))) {
        rights &= ~RIGHT(TIME);
        rdl_cli_report(begin("time", RDL_EXIT_CONFIG, i),
                       "give --clock-error, the most that this host's clock may be off",
                       "it does not support TIME, which the old protocol needs");
    }
    if (x->unknown & rights) {
        rdl_cli_report(begin("unknown", RDL_EXIT_CONFIG, i), "enable them, or use another server",
                       "it does not support%s: they were renamed or disabled, or the server is too old",
                       words_of(x->unknown & rights, 0));
    }
    if (x->error != RDL_OK && x->error != RDL_E_READONLY && x->error != RDL_E_CLUSTER) {
        snprintf(why, sizeof why, "%s%s%s", rdl_cli_error_text(x->error, x->said),
                 x->said[0] != '\0' ? ": " : "", x->said);
        find_refused(i, why);
    }
}

/* Neither INFO nor CONFIG shows whether Garnet runs scripts as transactions. */
static void find_garnet_scripts(size_t i)
{
    const char *product = query->host[i].product;
    int runs_scripts = (exams[i].releases & 1u) != 0; /* the first of rdl_cli_method_words */

    if (product == NULL || strcmp(product, "garnet") != 0 || !runs_scripts)
        return;
    rdl_cli_report(begin("atomicity", WARNING, i),
                   "make sure that it has --lua-transaction-mode, or start it without --lua",
                   "Garnet runs scripts, which are atomic only with --lua-transaction-mode: without, two "
                   "clients may hold a lock");
}

/* Redis 8.4.0 to 8.4.3 */
static void find_msetex(size_t i)
{
    const struct rdl_cli_host *h = &query->host[i];

    if (h->product == NULL || strcmp(h->product, "redis") != 0 || strncmp(h->version, "8.4.", 4) != 0 ||
        h->version[4] > '3' || h->version[5] != '\0')
        return;
    rdl_cli_report(begin("msetex", WARNING, i), "use Redis 8.4.4 or newer, or take MSETEX from all users",
                   "its MSETEX ignores key permissions: a user can write keys that it may not, also locks");
}

/* ---------------------------------------------------------------- Sentinel groups */

static void find_sentinel(size_t i, const struct rdl_endpoint *ep, const char *why)
{
    char where[RDL_CLI_WHERE_MAX];
    struct rdl_line line;

    rdl_line_begin(&line, where, sizeof where);
    rdl_line_add_where(&line, ep, ep->host);
    rdl_cli_report(begin("sentinel-down", WARNING, i),
                   "check that it is running, and that this host can connect to it",
                   "its sentinel %s gives no answer: %s", where, why);
}

/* What a failover costs, and what remains possible. */
static void find_group(size_t i)
{
    const struct rdl_sentinel *group = query->servers->group[i];
    const struct rdl_cli_sentinel *s = watchers[i].first;
    char ttl[RDL_CLI_DURATION_MAX];

    if (group == NULL)
        return;
    for (size_t k = 0; k < group->n; k++)
        if (!watchers[i].at[k].replies)
            find_sentinel(i, &group->list[k], watchers[i].at[k].why);
    if (s == NULL)
        return;
    if (s->others + 1 < 3 || s->quorum < 2)
        rdl_cli_report(
            begin("sentinel-quorum", WARNING, i), "run three sentinels on three hosts, quorum 2",
            "%lu sentinels with a quorum of %lu watch it: one of them alone may start a failover, or "
            "none can",
            s->others + 1, s->quorum);
    if (s->replicas == 0)
        rdl_cli_report(begin("replicas", WARNING, i), "connect a replica",
                       "it has no replica: if its master is down, no client gets a lock of this group");
    rdl_cli_duration_text(query->o->max_ttl_ms + 1000, ttl);
    if (query->o->guard == RDL_GUARD_OFF)
        rdl_cli_report(
            begin("failover", WARNING, i), "do not use --restart-guard=off with a Sentinel group",
            "a failover may lose locks: a second client may then get the lock while the first still "
            "holds it");
    else
        rdl_cli_report(
            begin("failover", NOTE, i),
            "three groups or servers bridge the failover of one; what redlock cannot detect are two "
            "failovers within that time, and a master that is cut off together with a client",
            "after a failover no client gets a lock of %s for %s%s", group->name, ttl,
            query->servers->n > 1 ? "" : ", and a command that runs under such a lock is stopped");
}

/* ---------------------------------------------------------------- everything together */

static void find_number(void)
{
    size_t n = query->servers->n;

    if (n % 2 != 0)
        return;
    rdl_cli_report(begin("even", WARNING, n), "use an odd number",
                   "%zu servers tolerate no more failures than %zu", n, n - 1);
}

/* Returns 1 if the server may hold locks. */
static int find_all_of(size_t i)
{
    if (find_twice(i))
        return 0;
    find_own(i);
    find_group(i);
    if (query->servers->several[i] != NULL || query->servers->unresolved[i] != NULL) {
        find_address(i);
        return 0;
    }
    if (!exams[i].is_there) {
        find_absent(i);
        return 0;
    }
    if (find_role(i))
        return 0;
    find_unnamed(i);
    find_quarantine(i);
    if (exams[i].is_db_refused)
        find_database(i);
    find_rights(i);
    find_refusals(i);
    find_msetex(i);
    find_garnet_scripts(i);
    find_odd_keys(i);
    find_persistence(i);
    find_eviction(i);
    find_canary(i);
    find_still_clock(i);
    find_trip(i);
    return 1;
}

void rdl_cli_findings(const struct rdl_cli_query *l, const struct rdl_cli_checks *checks,
                      const struct rdl_cli_sentinels *sentinels, struct rdl_cli_findings *f)
{
    unsigned char forgetful[RDL_SERVERS_MAX] = {0};

    query = l;
    exams = checks;
    watchers = sentinels;
    found = f;
    f->n = 0;
    for (size_t i = 0; i < l->servers->n; i++)
        forgetful[i] = find_all_of(i) && is_forgetful(i);
    find_databases();
    find_holders();
    find_lease();
    find_stray_keys();
    find_clocks();
    find_number();
    if (is_guarded())
        note_forgetful(forgetful);
}
