/* SPDX-License-Identifier: MIT */
/*
 * `redlock doctor`: checks the servers and suggests a fix for each problem. At the end it prints the line
 * that gives a user the permissions which the options need. It changes nothing but its own test keys, which
 * are gone afterwards.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/doctor/doctor.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/* A JSON string has up to six bytes for one byte of the text. */
enum {
    LINE_MAX_LEN = 2048,
    JSON_MAX = 6 * (RDL_CLI_PERMISSIONS_MAX + RDL_CLI_FINDINGS_MAX * (2 * RDL_CLI_FINDING_MAX + 200)) + 16384
};

static struct rdl_cli_options options;
static struct rdl_cli_query query;
static struct rdl_cli_checks checks[RDL_SERVERS_MAX];
static struct rdl_cli_sentinels sentinels[RDL_SERVERS_MAX];
static struct rdl_cli_findings findings;

static int worst(void)
{
    int status = 0;

    for (size_t k = 0; k < findings.n; k++)
        status = findings.at[k].status > status ? findings.at[k].status : status;
    return status;
}

/* Returns "127.0.0.1:6379", or the text for all servers together. */
static const char *where_of(const struct rdl_cli_finding *f)
{
    if (f->server < 0)
        return "all";
    return rdl_cli_where(query.servers, (size_t)f->server);
}

/* ---------------------------------------------------------------- text */

static void add_methods(struct rdl_cli_text *t, const char *what, unsigned bits)
{
    const char *before = "";

    rdl_cli_add(t, bits != 0 ? "; can %s by " : "; cannot %s", what);
    for (size_t k = 0; k < RDL_CLI_METHODS; k++) {
        if ((bits & 1u << k) == 0)
            continue;
        rdl_cli_add(t, "%s%s", before, rdl_cli_method_words[k]);
        before = ", ";
    }
}

static int show_server(size_t i)
{
    char line[LINE_MAX_LEN];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_add(&t, "%s: ", rdl_cli_where(query.servers, i));
    if (query.host[i].has_info)
        rdl_cli_host_words(&t, &query.host[i]);
    else
        rdl_cli_add(&t, "%s", query.host[i].is_ancient ? "redis before 2.6" : "it replies");
    if (checks[i].has_clock)
        rdl_cli_add(&t, ", round trip %" PRIu32 " ms", checks[i].rtt_ms);
    if (checks[i].is_tried) {
        add_methods(&t, "release", checks[i].releases);
        add_methods(&t, "extend", checks[i].extends);
    }
    if (sentinels[i].first != NULL)
        rdl_cli_add(&t, "; a Sentinel group: %lu sentinels, quorum %lu, replicas: %lu",
                    sentinels[i].first->others + 1, sentinels[i].first->quorum, sentinels[i].first->replicas);
    return rdl_cli_print_line(t.out);
}

static int show_finding(const struct rdl_cli_finding *f)
{
    char line[LINE_MAX_LEN];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_add(&t, "%s: ", f->status == 0 ? "note" : f->status == 1 ? "warning" : "error");
    if (f->server >= 0)
        rdl_cli_add(&t, "%s: ", where_of(f));
    rdl_cli_add(&t, "%s; %s%s", f->what, f->status == 0 ? "" : "remedy: ", f->remedy);
    return rdl_cli_print_line(t.out);
}

/* Shows the findings with these statuses. */
static int show_from(int least, int most)
{
    int rc = 0;

    for (size_t k = 0; k < findings.n && rc == 0; k++)
        if (findings.at[k].status >= least && findings.at[k].status <= most)
            rc = show_finding(&findings.at[k]);
    return rc;
}

/* Errors before warnings, notes last. */
static int show_findings(void)
{
    int rc = show_from(2, INT_MAX);

    if (rc == 0)
        rc = show_from(1, 1);
    if (rc == 0 && worst() == 0)
        rc = rdl_cli_print("no problems found\n");
    return rc == 0 ? show_from(0, 0) : rc;
}

static int show_acl(void)
{
    char line[RDL_CLI_PERMISSIONS_MAX];
    struct rdl_cli_text t = {line, sizeof line, 0};

    if (!rdl_cli_permissions_is_known(&query, checks))
        return rdl_cli_print("no ACL rule: before Redis 6 every user may do everything\n");
    rdl_cli_permissions_line(&t, &options, query.servers, checks);
    int rc = rdl_cli_print(
        "Optional: an ACL rule with no more than redlock needs, for redis-cli (new user: add >PASSWORD):\n");
    return rc == 0 ? rdl_cli_print_line(t.out) : rc;
}

/* ---------------------------------------------------------------- JSON */

static void add_list(struct rdl_cli_json *j, const char *what, unsigned bits)
{
    rdl_cli_json_open(j, what, '[');
    for (size_t k = 0; k < RDL_CLI_METHODS; k++)
        if (bits & 1u << k)
            rdl_cli_json_string(j, NULL, rdl_cli_method_words[k]);
    rdl_cli_json_close(j);
}

static void add_group(struct rdl_cli_json *j, size_t i)
{
    const struct rdl_cli_sentinel *s = sentinels[i].first;

    rdl_cli_json_open(j, "sentinel", '{');
    rdl_cli_json_string(j, "name", query.servers->group[i]->name);
    if (s != NULL) {
        rdl_cli_json_number(j, "sentinels", (int64_t)s->others + 1);
        rdl_cli_json_number(j, "quorum", (int64_t)s->quorum);
        rdl_cli_json_number(j, "replicas", (int64_t)s->replicas);
    }
    rdl_cli_json_close(j);
}

static void add_server(struct rdl_cli_json *j, size_t i)
{
    const struct rdl_cli_host *h = &query.host[i];

    rdl_cli_json_open(j, NULL, '{');
    rdl_cli_json_string(j, "server", rdl_cli_where(query.servers, i));
    rdl_cli_json_bool(j, "answers", checks[i].is_there);
    rdl_cli_json_bool(j, "own_host", rdl_cli_servers_is_own(query.servers, i));
    if (checks[i].is_there && h->has_info)
        rdl_cli_host_json(j, &options, h);
    if (checks[i].has_clock)
        rdl_cli_json_number(j, "round_trip_ms", checks[i].rtt_ms);
    if (checks[i].is_tried) {
        add_list(j, "releases", checks[i].releases);
        add_list(j, "extends", checks[i].extends);
    }
    if (sentinels[i].n > 0)
        add_group(j, i);
    rdl_cli_json_close(j);
}

static void add_finding(struct rdl_cli_json *j, const struct rdl_cli_finding *f)
{
    rdl_cli_json_open(j, NULL, '{');
    rdl_cli_json_string(j, "id", f->id);
    rdl_cli_json_number(j, "status", f->status);
    if (f->server >= 0)
        rdl_cli_json_string(j, "server", where_of(f));
    else
        rdl_cli_json_null(j, "server");
    rdl_cli_json_string(j, "what", f->what);
    rdl_cli_json_string(j, "remedy", f->remedy);
    rdl_cli_json_close(j);
}

static int show_json(void)
{
    static char out[JSON_MAX];
    char line[RDL_CLI_PERMISSIONS_MAX];
    struct rdl_cli_text acl = {line, sizeof line, 0};
    struct rdl_cli_json j;

    rdl_cli_json_begin(&j, out, sizeof out);
    rdl_cli_json_number(&j, "status", worst());
    rdl_cli_json_open(&j, "servers", '[');
    for (size_t i = 0; i < query.servers->n; i++)
        add_server(&j, i);
    rdl_cli_json_close(&j);
    rdl_cli_json_open(&j, "findings", '[');
    for (size_t k = 0; k < findings.n; k++)
        add_finding(&j, &findings.at[k]);
    rdl_cli_json_close(&j);
    rdl_cli_permissions_line(&acl, &options, query.servers, checks);
    if (rdl_cli_permissions_is_known(&query, checks))
        rdl_cli_json_string(&j, "acl", line);
    else
        rdl_cli_json_null(&j, "acl");
    rdl_cli_json_end(&j);
    rdl_cli_add(&j.text, "\n");
    return rdl_cli_print(out);
}

/* ---------------------------------------------------------------- everything together */

/* Returns 1 if all servers are on this host. That is fine if no other host uses the locks. */
static int is_local(void)
{
    return rdl_cli_servers_own(query.servers) == query.servers->n;
}

static int show(void)
{
    int rc = 0;

    for (size_t i = 0; i < query.servers->n && rc == 0; i++)
        if (checks[i].is_there)
            rc = show_server(i);
    if (rc == 0)
        rc = show_findings();
    if (rc == 0 && is_local())
        rc = rdl_cli_print("note: these servers are on this host: other hosts do not see their locks (unless "
                           "they are tunnels to common servers)\n");
    return rc == 0 ? show_acl() : rc;
}

/* A user for locks does not need this permission, so this is no finding. */
static void note_unseen(size_t i)
{
    rdl_cli_print_verbose("%s: appendfsync was not checked: the user may not run CONFIG GET",
                          rdl_cli_where(query.servers, i));
}

/* Checks as run does with --legacy auto: the current protocol first, then the old one. */
static void examine(void)
{
    rdl_cli_run_checks(&query, checks);
    if (options.legacy != RDL_CLI_LEGACY_AUTO || (checks[0].unknown & RIGHT(SET)) == 0)
        return;
    options.legacy = RDL_CLI_LEGACY_ALWAYS;
    memset(checks, 0, sizeof checks);
    rdl_cli_run_checks(&query, checks);
}

/* Prints who holds the lock, and for how long. Why a server does not reply was printed before. */
static void look_at_lock(void)
{
    static struct rdl_cli_seen before[RDL_SERVERS_MAX];

    memcpy(before, query.seen, sizeof before);
    rdl_cli_query_at(&query, options.lock);
    for (size_t i = 0; i < query.servers->n; i++)
        if (!checks[i].is_there)
            query.seen[i] = before[i];
}

int rdl_cli_doctor(int argc, char **argv)
{
    int rc;

    if (!rdl_cli_options_read(&options, RDL_CLI_DOCTOR, argc, argv, &rc))
        return rc;
    rc = rdl_cli_query_begin(&query, &options);
    if (rc != 0)
        return rc;
    examine();
    if (options.n_names == 1 && options.legacy == RDL_CLI_LEGACY_NEVER)
        look_at_lock();
    for (size_t i = 0; i < query.servers->n; i++)
        if (checks[i].is_there && !checks[i].has_fsync)
            note_unseen(i);
    for (size_t i = 0; i < query.servers->n; i++)
        rdl_cli_ask_sentinels(&query, i, &sentinels[i]);
    rdl_cli_findings(&query, checks, sentinels, &findings);
    rc = options.format == RDL_CLI_FORMAT_JSON ? show_json() : show();
    return rc == 0 ? worst() : rc;
}
