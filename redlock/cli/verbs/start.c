/* SPDX-License-Identifier: MIT */
/* The start of every verb: options, connections, and a lock. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"

#include <fcntl.h>
#include <unistd.h>

/* Returns why the log may not go to fd; NULL: it may. */
static const char *misplaced(const struct rdl_cli_options *o, int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return "is not open for writing: redirect it, as in 9>>FILE";
    if (fd == o->password_fd || fd == o->token_fd)
        return "is where the password or the token is read from: use another";
    if (fd == STDOUT_FILENO && (o->verb & (RDL_CLI_ACQUIRE | RDL_CLI_HOLD)) && o->token_file == NULL)
        return "is where the token is written: use another";
    return NULL;
}

static int is_trace_on_stderr(const struct rdl_cli_options *o)
{
    return o->trace_file != NULL && o->trace_file[0] == '\0';
}

/* Opens the log. The command does not inherit it, unless it is standard output or error. */
static int open_log(const struct rdl_cli_options *o)
{
    int fd = o->log_fd >= 0 ? o->log_fd : STDERR_FILENO;
    const char *why = o->log_fd >= 0 ? misplaced(o, fd) : NULL;

    if (o->log == RDL_CLI_LOG_NONE && o->log_fd >= 0)
        return rdl_cli_fail(RDL_EXIT_USAGE, "--log-fd works only with --log: add --log text or --log json");
    if (why != NULL)
        return rdl_cli_fail(RDL_EXIT_USAGE, "--log-fd %d %s", fd, why);
    if (o->log == RDL_CLI_LOG_JSON && fd == STDERR_FILENO && is_trace_on_stderr(o))
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "--trace and --log json cannot both use standard error: give --trace=FILE, or --log-fd");
    if (fd > STDERR_FILENO)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (o->log != RDL_CLI_LOG_NONE)
        rdl_cli_log_open(fd, (enum rdl_cli_log)o->log, o->lock);
    rdl_cli_log_several(o->names, o->n_names);
    return 0;
}

/* Warns of the default server: each host has its own at this address, so hosts do not exclude each other. */
static void warn_of_default_server(void)
{
    static char line[RDL_CLI_LOG_MAX];
    struct rdl_cli_json j;

    rdl_cli_print_warning_always(
        "no server was named (-u, $REDLOCK_URLS, $REDIS_URL): using 127.0.0.1:6379, so the lock holds on "
        "this host only; name your servers, or give -u redis://127.0.0.1:6379 if you want that");
    if (rdl_cli_log_fd() < 0)
        return;
    rdl_cli_log_begin(&j, line, sizeof line, "default_server");
    rdl_cli_json_string(&j, "where", "127.0.0.1:6379");
    rdl_cli_log_put(&j);
}

/* Warns of a long lease: clients without --max-ttl count a restarted server again after 30 s. */
static void warn_of_long_lease(const struct rdl_cli_options *o)
{
    char lease[RDL_CLI_DURATION_MAX], usual[RDL_CLI_DURATION_MAX];
    const char *option = o->keep_ms > o->ttl_ms ? "--keep" : "--ttl";

    if (o->max_ttl_ms <= RDL_CLI_MAX_TTL_MS)
        return;
    rdl_cli_duration_text(o->max_ttl_ms, lease);
    rdl_cli_duration_text(RDL_CLI_MAX_TTL_MS, usual);
    rdl_cli_print_warning_always(
        "%s (%s) is longer than %s: give all clients --max-ttl=%s, which this one uses now; the "
        "others could get this "
        "lock after a server restart, while it is held",
        option, lease, usual, lease);
}

/* Warns of what a lock with these options does not protect. */
static void warn_of_defaults(const struct rdl_cli_options *o)
{
    if (o->is_default_server)
        warn_of_default_server();
    if (o->is_default_max_ttl && o->legacy == RDL_CLI_LEGACY_NEVER)
        warn_of_long_lease(o);
}

int rdl_cli_options_read(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv,
                         int *status)
{
    *status = rdl_cli_options_parse(o, verb, argc, argv);
    if (*status == 0 && o->help) {
        *status = rdl_cli_help(verb, o->help_all);
        return 0;
    }
    if (*status == 0)
        *status = open_log(o);
    if (*status == 0)
        *status = rdl_cli_options_settle(o);
    if (*status == 0 && (verb & RDL_CLI_GETTING))
        warn_of_defaults(o);
    return *status == 0;
}

int rdl_cli_start(struct rdl_cli_lock *l, const struct rdl_cli_options *o)
{
    static struct rdl_cli_servers servers; /* the lock borrows them */

    int rc = rdl_cli_open(&servers, o, &l->posix, &l->platform);
    if (rc != 0)
        return rc;
    l->o = o;
    l->servers = &servers;
    l->opt.lease.ttl_ms = o->ttl_ms;
    l->opt.lease.attempt_ms = o->attempt_ms;
    l->opt.max_ttl_ms = o->max_ttl_ms;
    l->opt.max_hold_ms = o->max_hold_ms;
    l->opt.guard = (uint8_t)o->guard;
    if (!o->is_default_server && (o->verb & RDL_CLI_GETTING))
        rdl_cli_host_differences_own(&servers, o);
    rdl_cli_host_differences_databases(&servers);
    rdl_cli_lease_init(l);
    return 0;
}

int rdl_cli_adopt(enum rdl_cli_verb verb, int argc, char **argv,
                  int (*use)(struct rdl_cli_lock *l, const char token[RDL_TOKEN_TEXT_MAX]))
{
    static struct rdl_cli_options options; /* the lock borrows them */
    static struct rdl_cli_lock lock;
    char token[RDL_TOKEN_TEXT_MAX];
    int rc;

    if (!rdl_cli_options_read(&options, verb, argc, argv, &rc))
        return rc;
    rc = rdl_cli_token_read(&options, token);
    if (rc == 0)
        rc = rdl_cli_start(&lock, &options);
    return rc == 0 ? use(&lock, token) : rc;
}

int rdl_cli_look(enum rdl_cli_verb verb, int argc, char **argv, int (*use)(struct rdl_cli_query *l))
{
    static struct rdl_cli_options options;
    static struct rdl_cli_query query;
    int rc;

    if (!rdl_cli_options_read(&options, verb, argc, argv, &rc))
        return rc;
    rc = rdl_cli_query_begin(&query, &options);
    if (rc != 0)
        return rc;
    rdl_cli_host_differences_databases(query.servers);
    return use(&query);
}
