/* SPDX-License-Identifier: MIT */
/* Makes connections from URLs. Names are resolved here before a lock is held; later, in resolve_again.c. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/connections.h"
#include "lock/lock_line.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/connect_command.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/cli/servers/resolve.h"
#include "redlock/cli/servers/sentinel_groups.h"
#include "redlock/redlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ORIGIN_MAX = 64,
    FAR_MS = 5000,
    HOST_MAX = 256,
    URL_MORE = 48 /* what a URL has beside user and host */
};

void rdl_cli_servers_ask(struct rdl_cli_servers *s, size_t i, const struct rdl_op *op, const char *name,
                         struct rdl_req *req)
{
    struct rdl_command cmd;

    memset(&cmd, 0, sizeof cmd);
    cmd.op = op;
    cmd.name.data = name;
    cmd.name.len = strlen(name);
    memset(req, 0, sizeof *req);
    if (rdl_conn_state(&s->conn[i]) != RDL_CONN_READY || rdl_conn_submit(&s->conn[i], req, &cmd) != RDL_OK)
        req->answer = RDL_ANSWER_UNSENT;
}

const char *rdl_cli_where(const struct rdl_cli_servers *s, size_t i)
{
    static char where[RDL_CLI_CONNS][RDL_CLI_WHERE_MAX];
    struct rdl_line line;

    rdl_line_begin(&line, where[i], RDL_CLI_WHERE_MAX);
    if (i < s->n && s->group[i] != NULL)
        rdl_sentinel_add_where(&line, s->group[i]);
    else
        rdl_line_add_where(&line, &s->endpoint[i], s->endpoint[i].host);
    return where[i];
}

/* Adds bytes as a URL has them. `also` are characters that need no escape there. */
static void add_escaped(struct rdl_cli_text *t, const char *bytes, size_t len, const char *also)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        int is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       (c != '\0' && strchr("-._~", c) != NULL) || (c != '\0' && strchr(also, c) != NULL);
        rdl_cli_add(t, is_plain ? "%c" : "%%%02X", c);
    }
}

static void add_host(const struct rdl_endpoint *ep, struct rdl_cli_text *t)
{
    char host[3 * HOST_MAX];
    struct rdl_cli_text escaped = {host, sizeof host, 0};
    struct rdl_line where;

    add_escaped(&escaped, ep->host, strlen(ep->host), ep->family == RDL_UNIX ? "/" : ":");
    rdl_line_begin(&where, t->out + t->len, t->cap - t->len);
    rdl_line_add_where(&where, ep, host);
    t->len += where.len;
}

/* Adds what follows the login in a Sentinel group's URL. */
static void add_group(const struct rdl_sentinel *g, const struct rdl_endpoint *ep, struct rdl_cli_text *t)
{
    for (size_t k = 0; k < g->n; k++) {
        rdl_cli_add(t, "%s", k > 0 ? "," : "");
        add_host(&g->list[k], t);
    }
    rdl_cli_add(t, "/%s", g->name);
    if (ep->db != 0)
        rdl_cli_add(t, "/%lu", (unsigned long)ep->db);
    rdl_cli_add(t, "%s", g->is_tls && !g->is_sentinel_tls ? "?sentinel-tls=no" : "");
}

static void add_url(const struct rdl_cli_servers *s, size_t i, struct rdl_cli_text *t)
{
    const struct rdl_endpoint *ep = &s->endpoint[i];

    rdl_cli_add(t, "%s%s%s://", t->len > 0 ? " " : "",
                ep->family == RDL_UNIX ? "unix"
                : s->is_tls[i]         ? "rediss"
                                       : "redis",
                s->group[i] != NULL ? "-sentinel" : "");
    add_escaped(t, ep->user.data, ep->user.len, "");
    rdl_cli_add(t, "%s", ep->user.len > 0 ? ":@" : "");
    if (s->group[i] != NULL)
        add_group(s->group[i], ep, t);
    else
        add_host(ep, t);
}

int rdl_cli_servers_set_urls(const struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    size_t cap = 1;

    for (size_t i = 0; i < s->n; i++)
        cap += 3 * (s->endpoint[i].user.len + strlen(s->endpoint[i].host)) + URL_MORE +
               (s->group[i] != NULL ? sizeof s->group[i]->url : 0);
    char *urls = malloc(cap);
    if (urls == NULL)
        return -1;
    struct rdl_cli_text t = {urls, cap, 0};
    urls[0] = '\0';
    for (size_t i = 0; i < s->n; i++)
        add_url(s, i, &t);
    int rc = setenv("REDLOCK_URLS", urls, 1);
    if (rc == 0 && o->urls_from != NULL && strcmp(o->urls_from, "$REDIS_URL") == 0)
        rc = setenv("REDIS_URL", urls, 1);
    free(urls);
    return rc;
}

/*
 * Writes the source of a URL: "-u number 2", "$REDIS_URL". URLs are never printed: they may contain a
 * password.
 */
static const char *origin(const struct rdl_cli_options *o, size_t i, char out[ORIGIN_MAX])
{
    if (o->urls_from != NULL && o->n_urls == 1)
        snprintf(out, ORIGIN_MAX, "%s", o->urls_from);
    else
        snprintf(out, ORIGIN_MAX, "%s number %zu", o->urls_from != NULL ? o->urls_from : "-u", i + 1);
    return out;
}

/*
 * Marks a server as rediss://. The host becomes a word of the connect command, which a shell may read. The
 * parser refuses hosts with a shell's special characters, or with a dash at the start.
 */
static void become_tls(struct rdl_cli_servers *s, size_t i)
{
    struct rdl_endpoint *ep = &s->endpoint[i];

    s->is_tls[i] = 1;
    s->tls_ip[i] = rdl_cli_address_of(ep);
    ep->family = RDL_UNRESOLVED;
}

/*
 * Sets the name that CLIENT LIST on the server shows: redlock:VERB:HOST:PID. It is sent together with the
 * first INFO, and any reply will do. So it costs no time and fails nowhere. The old protocol sends no INFO.
 *
 * Over TLS the reply also shows that the connect command has reached the server, before an acquire waits for
 * it.
 */
static void name_us(struct rdl_cli_servers *s, size_t i, const struct rdl_cli_options *o)
{
    static char us[HOST_MAX + 64];
    char host[HOST_MAX] = "";

    if (o->legacy != RDL_CLI_LEGACY_NEVER && !s->is_tls[i])
        return;
    if (us[0] == '\0') {
        gethostname(host, sizeof host - 1);
        for (char *p = host; *p != '\0'; p++)
            *p = *p > ' ' && *p <= '~' ? *p : '_'; /* the server accepts no others */
        snprintf(us, sizeof us, "redlock:%s:%s:%ld", rdl_cli_verb_word(o->verb), host, (long)getpid());
    }
    s->endpoint[i].client_name = (struct rdl_bytes){us, strlen(us)};
}

/* Parses the URL of one server. Returns RDL_OK or an error, and *why as rdl_url_parse. */
static int parse_server(struct rdl_cli_servers *s, size_t i, const char *url, int is_tls, const char **why)
{
    size_t cap = strlen(url) + 1;
    char *text = malloc(cap); /* the endpoint refers to it until the process ends */
    int rc;

    *why = "there is no memory for it";
    if (text == NULL)
        return RDL_E_SPACE;
    rc = rdl_url_parse(&s->endpoint[i], url, text, cap, why);
    if (rc != RDL_OK)
        free(text);
    else if (is_tls)
        become_tls(s, i);
    return rc;
}

static int parse(struct rdl_cli_servers *s, const struct rdl_cli_options *o, size_t i)
{
    char from[ORIGIN_MAX];
    const char *why = NULL;
    int is_tls = rdl_cli_url_is_tls(o->urls[i]);
    char *url = rdl_cli_url_plain(o->urls[i]);
    int rc = rdl_cli_url_is_group(url) ? rdl_cli_group_parse(s, i, url, &why)
                                       : parse_server(s, i, url, is_tls, &why);

    if (rc == RDL_OK) {
        name_us(s, i, o);
        return 0;
    }
    why = rdl_cli_url_mistake(url) != NULL ? rdl_cli_url_mistake(url) : why;
    return rdl_cli_fail(RDL_EXIT_DATA, "%s: %s (example of a URL: redis://user:password@cache.example:6379)",
                        origin(o, i, from), why != NULL ? why : "it is not a URL");
}

/* Parses all URLs, and prints every error. password: the one for all servers, or none. */
static int parse_all(struct rdl_cli_servers *s, const struct rdl_cli_options *o, struct rdl_bytes password)
{
    char from[ORIGIN_MAX];
    int status = 0;

    for (size_t i = 0; i < s->n; i++) {
        struct rdl_endpoint *ep = &s->endpoint[i];
        int rc = parse(s, o, i);
        if (password.len > 0)
            ep->password = password;
        if (rc == 0 && ep->password.len > RDL_CLI_SECRET_MAX) {
            rdl_cli_print_error("%s: its password is longer than %d bytes", origin(o, i, from),
                                RDL_CLI_SECRET_MAX);
            rc = RDL_EXIT_DATA;
        }
        if (ep->password.len > 0)
            rdl_cli_harden();
        status = status != 0 ? status : rc;
    }
    return status;
}

/* Refuses a name with several addresses: other hosts may use another one. */
static void refuse_several(const char *where, const char *all)
{
    rdl_cli_print_error(
        "%s has more than one address (%s): if they are different servers, several clients could "
        "hold the lock; name one address, or give --any-address if all lead to the same server",
        where, all);
}

/*
 * Resolves a name for a connect command. The command itself connects, so a name without an address here does
 * no harm. A name with several addresses may lead to several servers.
 */
static int resolve_tls(struct rdl_cli_servers *s, const struct rdl_cli_options *o, size_t i)
{
    struct rdl_endpoint ep = s->endpoint[i];
    char all[RDL_ADDRESSES_MAX];
    const char *why = NULL;

    if (s->tls_ip[i].family != RDL_UNRESOLVED)
        return 0;
    switch (rdl_cli_address_find(&ep, o->any_address, &why, all)) {
    case RDL_RESOLVED:
        s->tls_ip[i] = rdl_cli_address_of(&ep);
        return 0;
    case RDL_RESOLVED_NONE:
    case RDL_RESOLVED_LATER:
        rdl_cli_print_verbose("no address for %s (%s): the connect command has to find it",
                              rdl_cli_where(s, i), why);
        return 0;
    case RDL_RESOLVED_SEVERAL:
        break;
    }
    if (o->verb == RDL_CLI_DOCTOR) {
        s->several[i] = strdup(all); /* kept until the process ends; NULL: no memory */
        return 0;
    }
    refuse_several(rdl_cli_where(s, i), all);
    return RDL_EXIT_NOHOST;
}

/* Resolves names. s->unresolved has the reason if there is no address; `list` gets the names without one. */
static int resolve_each(struct rdl_cli_servers *s, const struct rdl_cli_options *o, char *list, size_t cap)
{
    int is_lenient = o->verb == RDL_CLI_DOCTOR;
    char all[RDL_ADDRESSES_MAX];
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < s->n; i++) {
        const char *why = NULL;
        if (s->group[i] != NULL) {
            rdl_cli_group_resolve(s, i);
            continue;
        }
        int tls = s->is_tls[i] ? resolve_tls(s, o, i) : 0;
        rc = tls != 0 ? tls : rc;
        if (s->is_tls[i] || s->endpoint[i].family != RDL_UNRESOLVED)
            continue;
        s->is_name[i] = 1;
        enum rdl_resolved found = rdl_cli_address_find(&s->endpoint[i], o->any_address, &why, all);
        if (found == RDL_RESOLVED_SEVERAL && is_lenient) {
            s->several[i] = strdup(all); /* kept until the process ends; NULL: no memory */
            s->unresolved[i] = "it has several";
        } else if (found == RDL_RESOLVED_SEVERAL) {
            refuse_several(rdl_cli_where(s, i), all);
            rc = RDL_EXIT_NOHOST;
        } else if (found == RDL_RESOLVED_LATER) {
            s->unresolved[i] = why;
            s->may_resolve[i] = 1;
            if (!is_lenient)
                rdl_cli_print_warning(
                    "cannot look up %s now (%s): the server counts as down until this works",
                    rdl_cli_where(s, i), why);
        } else if (found == RDL_RESOLVED_NONE) {
            s->unresolved[i] = why;
            int len = snprintf(list + n, cap - n, "%s%s (%s)", n > 0 ? ", " : "", rdl_cli_where(s, i), why);
            n = len > 0 && (size_t)len < cap - n ? n + (size_t)len : n;
        }
    }
    return rc;
}

/* Resolves all names. A minority without an address is like servers that are down; a majority is an error. */
static int resolve_all(struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    char list[RDL_SERVERS_MAX * (RDL_CLI_WHERE_MAX + 100)];
    size_t bad = 0;
    int rc = resolve_each(s, o, list, sizeof list);

    for (size_t i = 0; i < s->n; i++)
        bad += s->unresolved[i] != NULL && !s->may_resolve[i];
    if (rc != 0 || bad == 0 || o->verb == RDL_CLI_DOCTOR)
        return rc;
    if (s->n - bad >= s->n / 2 + 1) {
        rdl_cli_print_warning("no address for %s; counted as down (%zu of %zu servers)", list, bad, s->n);
        return 0;
    }
    return rdl_cli_fail(RDL_EXIT_NOHOST, "no address for %s%s", list,
                        s->n > 1 ? "; no majority of the servers is left" : "");
}

/* Returns the endpoint, with the address that a connect command will use; of a group, its first sentinel. */
static struct rdl_endpoint place_of(const struct rdl_cli_servers *s, size_t i)
{
    struct rdl_endpoint ep = s->endpoint[i];

    if (s->group[i] != NULL)
        return s->group[i]->list[0]; /* its master may be anywhere */
    if (s->is_tls[i])
        rdl_cli_address_take(&ep, &s->tls_ip[i]);
    return ep;
}

int rdl_cli_servers_is_same(const struct rdl_cli_servers *s, size_t i, size_t k)
{
    const struct rdl_endpoint a = place_of(s, i), b = place_of(s, k);

    if (s->group[i] != NULL || s->group[k] != NULL)
        return rdl_cli_group_is_same(s->group[i], s->group[k]);
    if (s->is_tls[i] && s->is_tls[k] && a.port == b.port && strcmp(a.host, b.host) == 0)
        return 1;
    return rdl_posix_is_same_address(&a, &b);
}

int rdl_cli_servers_is_own(const struct rdl_cli_servers *s, size_t i)
{
    const struct rdl_endpoint ep = place_of(s, i);

    return rdl_cli_address_is_own(&ep, 0);
}

size_t rdl_cli_servers_own(const struct rdl_cli_servers *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += rdl_cli_servers_is_own(s, i) != 0;
    return n;
}

size_t rdl_cli_servers_remote(const struct rdl_cli_servers *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += place_of(s, i).family != RDL_UNRESOLVED && !rdl_cli_servers_is_own(s, i);
    return n;
}

/* Refuses two URLs of one server, which would have two votes. */
static int check_distinct(const struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    char from[ORIGIN_MAX];

    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!rdl_cli_servers_is_same(s, k, i))
                continue;
            return rdl_cli_fail(
                RDL_EXIT_DATA,
                "%s and number %zu are the same server, which would have two votes: name it once",
                origin(o, k, from), i + 1);
        }
    }
    return 0;
}

/*
 * Returns the connect timeout. Connecting, AUTH and the connection checks take one round trip each, and each
 * may take more than 1 s; or as long as an attempt, if that was given. (With -n, an attempt ends earlier if
 * no server replies at all.)
 */
static uint32_t connect_ms(const struct rdl_cli_options *o)
{
    uint32_t ms = o->attempt_ms != 0 ? 3 * o->attempt_ms : FAR_MS;

    if (ms > o->ttl_ms / 2)
        ms = o->ttl_ms / 2;
    return ms > RDL_CONNECT_MS ? ms : RDL_CONNECT_MS;
}

/* Reads the password file for a login. If it cannot be read now, the last password stays. */
static const char *read_password(void *ctx, const struct rdl_endpoint *ep, struct rdl_bytes *user,
                                 struct rdl_bytes *password)
{
    static char buffers[RDL_CLI_CONNS][RDL_CLI_SECRET_MAX];
    const struct rdl_cli_servers *s = ctx;
    size_t i = (size_t)(ep - s->endpoint);
    const char *file = i < RDL_CLI_SENTINEL_CONN ? s->password_file : s->sentinel_password_file;

    (void)user;
    if (rdl_cli_secret_reread(file, password, buffers[i]))
        rdl_cli_print_verbose("%s: logging in with the new password of %s", rdl_cli_where(s, i), file);
    return NULL;
}

static void connect_later(struct rdl_cli_servers *s, size_t i)
{
    enum rdl_cli_secret which = i < RDL_CLI_SENTINEL_CONN ? RDL_CLI_OF_SERVERS : RDL_CLI_OF_SENTINELS;
    struct rdl_conn_config *cfg = &s->config[i];

    cfg->endpoint = &s->endpoint[i];
    cfg->methods = &rdl_methods_all;
    rdl_credentials_init(&s->credentials[i], &s->endpoint[i], read_password, s);
    cfg->login = rdl_cli_secret_is_file(which) ? &s->credentials[i].login : &rdl_login;
    cfg->queue = s->queue[i];
    cfg->queue_len = sizeof s->queue[i];
    cfg->server_info = &s->server_info[i];
    cfg->text = s->text[i];
    rdl_conn_init(&s->conn[i], cfg);
    if (i < RDL_CLI_SENTINEL_CONN)
        s->conns[i] = &s->conn[i];
    if (i < s->n)
        s->server[i].conn = &s->conn[i];
}

void rdl_cli_servers_second(struct rdl_cli_servers *s)
{
    s->config[s->n] = s->config[0];
    s->endpoint[s->n] = s->endpoint[0];
    s->is_tls[s->n] = s->is_tls[0];
    connect_later(s, s->n);
}

int rdl_cli_servers_init(struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    struct rdl_bytes password = {NULL, 0};
    int rc = rdl_cli_secret_read(o, RDL_CLI_OF_SERVERS, &password);

    memset(s, 0, sizeof *s);
    s->n = o->n_urls;
    s->any_address = o->any_address;
    s->password_file = o->password_file;
    s->sentinel_password_file = o->sentinel_password_file;
    if (rc == 0)
        rc = parse_all(s, o, password);
    if (rc == 0 && o->has_group)
        rc = rdl_cli_groups_log_in(s, o);
    rdl_cli_secret_clean_env(o);
    if (rc == 0)
        rc = resolve_all(s, o);
    if (rc == 0 && o->verb != RDL_CLI_DOCTOR)
        rc = check_distinct(s, o);
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        s->config[i].connect_ms = connect_ms(o);
        connect_later(s, i);
        if (s->group[i] == NULL)
            continue;
        s->config[RDL_CLI_SENTINEL_CONN + i].connect_ms = RDL_SENTINEL_CONNECT_MS;
        connect_later(s, RDL_CLI_SENTINEL_CONN + i);
    }
    if (rc == 0)
        rdl_cli_groups_begin(s);
    return rc;
}

/* A refused login of a conn: its number of replies then, and whether the password has changed since. */
struct refusal {
    uint32_t replies;
    int is_outdated;
};

int rdl_cli_servers_log_in_again(const struct rdl_cli_servers *s)
{
    static struct refusal refusals[RDL_SERVERS_MAX + 1];
    int is_to_come = 0;

    for (size_t i = 0; i <= s->n && rdl_cli_secret_is_file(RDL_CLI_OF_SERVERS); i++) {
        const struct rdl_conn *c = &s->conn[i];
        struct rdl_bytes password = s->endpoint[i].password;
        if (rdl_conn_error(c) != RDL_E_AUTH)
            continue;
        if (rdl_conn_replies(c) != refusals[i].replies) {
            refusals[i].replies = rdl_conn_replies(c);
            refusals[i].is_outdated = rdl_cli_secret_reread(s->password_file, &password, NULL);
        }
        is_to_come |= refusals[i].is_outdated;
    }
    return is_to_come;
}

static void trace_bytes(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    const struct rdl_cli_servers *s = ctx;
    size_t i = (size_t)(c - s->conn);

    rdl_cli_trace_bytes(i, s->endpoint[i].password, dir, data, len);
}

static int open_trace(struct rdl_cli_servers *s, const struct rdl_cli_options *o)
{
    for (size_t i = 0; i < RDL_CLI_CONNS; i++) {
        s->config[i].trace = trace_bytes;
        s->config[i].trace_ctx = s;
    }
    return rdl_cli_trace_open(o->trace_file, rdl_cli_options_fifo_until_ms(o));
}

int rdl_cli_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o, struct rdl_posix *posix,
                 struct rdl_platform *platform)
{
    int rc = rdl_cli_servers_init(s, o);

    if (rc == 0 && o->trace_file != NULL)
        rc = open_trace(s, o);
    rdl_posix_init(posix, platform);
    rdl_cli_connect_open(s, o, platform);
    rdl_cli_groups_open(s, o, platform);
    return rc == 0 ? rdl_cli_signals_open(&posix->wake_fd, (o->verb & RDL_CLI_GETTING) != 0) : rc;
}
