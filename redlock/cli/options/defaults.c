/* SPDX-License-Identifier: MIT */
/* Default options, and options that exclude each other. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/connect_program.h"
#include "redlock/cli/options/numbers.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/urls.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"
#include "redlock/redlock_op.h"
#include "redlock/redlock_owner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char blanks[] = " \t\r\n"; /* $REDLOCK_URLS may have several lines, or come from a file */

/* Returns $REDLOCK_URLS, or $REDIS_URL; NULL: neither is set. */
static char *urls_of_environment(struct rdl_cli_options *o)
{
    char *urls = getenv("REDLOCK_URLS");

    o->urls_from = "$REDLOCK_URLS";
    if (urls == NULL) {
        o->urls_from = "$REDIS_URL";
        urls = getenv("REDIS_URL");
    }
    return urls;
}

/*
 * A variable that is set but empty is a mistake: a missing secret, or a typo in a unit. With the default
 * server, each host would use a lock of its own.
 */
static int default_urls(struct rdl_cli_options *o)
{
    static char local[] = RDL_CLI_DEFAULT_URL;
    char *urls = urls_of_environment(o);
    int rc = 0;

    if (urls == NULL && getenv("REDLOCK_LOCK") != NULL)
        return rdl_cli_fail(
            RDL_EXIT_DATA,
            "no server is named inside `redlock run %s`, which sets $REDLOCK_URLS, and the default "
            "server would be another one: keep that variable, or use -u",
            getenv("REDLOCK_LOCK"));
    if (urls == NULL) {
        o->urls_from = NULL;
        o->is_default_server = 1;
        return rdl_cli_options_add_url(o, local);
    }
    if (urls[strspn(urls, blanks)] == '\0')
        return rdl_cli_fail(RDL_EXIT_DATA,
                            "%s is set but empty: set it to the URLs of the servers, unset it, or use -u",
                            o->urls_from);
    if (strcmp(o->urls_from, "$REDIS_URL") == 0)
        return rdl_cli_options_add_url(o, urls);
    char *copy = strdup(urls);
    if (copy == NULL)
        return rdl_cli_fail(RDL_EXIT_OS, "out of memory");
    for (char *p = strtok(copy, blanks); p != NULL && rc == 0; p = strtok(NULL, blanks))
        rc = rdl_cli_options_add_url(o, p);
    memset(copy, 0, strlen(urls));
    free(copy);
    return rc;
}

static int refuse(const char *text)
{
    return rdl_cli_fail(RDL_EXIT_USAGE, "%s", text);
}

/*
 * rediss:// needs a connect command, and the option needs rediss://. The variable may be set for other
 * command lines.
 */
static int check_connect(struct rdl_cli_options *o)
{
    static const char *const openssl[] = {
        "openssl s_client -quiet -verify_return_error -verify_hostname %h -connect %h:%p",
        "openssl s_client -quiet -verify_return_error -verify_ip %h -connect %h:%p"};
    static struct rdl_cli_program trial;
    const char *from = "--connect-command", *why;
    int has_address = 0;
    size_t n = 0;

    for (size_t i = 0; i < o->n_urls; i++) {
        if (!rdl_cli_url_is_tls(o->urls[i]))
            continue;
        n++;
        has_address |= rdl_cli_url_has_address(o->urls[i]);
    }
    if (o->connect_command != NULL && n == 0)
        return refuse("--connect-command works only with rediss:// URLs, and there is none");
    if (n == 0)
        return 0;
    if (o->connect_command == NULL) {
        from = "$REDLOCK_CONNECT_COMMAND";
        o->connect_command = getenv("REDLOCK_CONNECT_COMMAND");
    }
    if (o->connect_command == NULL)
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "rediss:// needs a program that speaks TLS: give its command by --connect-command or "
            "$REDLOCK_CONNECT_COMMAND, for example '%s'",
            openssl[has_address]);
    why = rdl_cli_program_make(&trial, o->connect_command, "host", 1);
    if (why == NULL)
        return 0;
    return rdl_cli_fail(RDL_EXIT_USAGE, "%s is invalid: %s", from, why);
}

/* A promoted replica is detected by its canary. What does not check it cannot use a group. */
static int check_group(struct rdl_cli_options *o)
{
    for (size_t i = 0; i < o->n_urls; i++)
        o->has_group |= rdl_cli_url_is_group(o->urls[i]);
    if (!o->has_group)
        return 0;
    if (o->legacy != RDL_CLI_LEGACY_NEVER)
        return refuse("--legacy does not work with a Sentinel group: the old protocol does not detect a "
                      "failover; name its master, and do not fail over while a lock is held");
    if (o->n_names > 1 && (o->verb & RDL_CLI_GETTING))
        return refuse("several locks (-l) do not work with a Sentinel group: the script that takes them does "
                      "not detect a failover; nest the locks: redlock run A -- redlock run B -- COMMAND");
    if (o->guard != RDL_GUARD_OFF && (o->verb & (RDL_CLI_GETTING | RDL_CLI_EXTEND | RDL_CLI_DOCTOR)))
        o->canary = 1;
    return 0;
}

/* A lock of the old protocol has one server, and no feature that needs more. */
static int check_legacy(const struct rdl_cli_options *o)
{
    int is_legacy = o->legacy != RDL_CLI_LEGACY_NEVER;

    if (!is_legacy && o->clock_error_ms != 0)
        return refuse("--clock-error works only with --legacy: other locks use no wall clock");
    if (!is_legacy && o->shortest_ttl)
        return refuse("--legacy-shortest-ttl works only with --legacy: other locks are never overwritten");
    if (!is_legacy)
        return 0;
    if (o->n_urls > 1)
        return rdl_cli_fail(RDL_EXIT_USAGE, "--legacy works with one server only, and %zu are named",
                            o->n_urls);
    if (o->fence)
        return refuse("--fence does not work with --legacy: the old protocol has no fencing token");
    if (o->max_hold_ms != 0)
        return refuse("--max-hold does not work with --legacy");
    if (o->keep_ms != 0)
        return refuse("--keep does not work with --legacy");
    if (o->canary)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "%s does not work with --legacy: leave it out, or give --canary=off",
                            rdl_cli_options_origin(o, "--canary"));
    if (rdl_guard_requires_info((unsigned)o->guard))
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "%s of required or strict does not work with --legacy: leave it out, or give "
                            "--restart-guard=if-permitted",
                            rdl_cli_options_origin(o, "--restart-guard"));
    return 0;
}

/* One script takes several locks on one server. It does not use the keys that belong to a lock. */
static int check_several(const struct rdl_cli_options *o)
{
    if (o->n_names < 2 || o->verb == RDL_CLI_STATUS)
        return 0;
    if (o->verb == RDL_CLI_BREAK)
        return refuse("redlock break takes one lock: break several one by one");
    if (o->n_urls > 1)
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "%zu locks at once need a single server, and %zu are named: name one, or nest the "
            "locks, in the same order on all hosts: redlock run A -- redlock run B -- COMMAND",
            o->n_names, o->n_urls);
    if (o->legacy != RDL_CLI_LEGACY_NEVER)
        return refuse("--legacy does not work with several locks (-l): take them one at a time");
    if (o->fence)
        return refuse("--fence does not work with several locks (-l): each lock has its own fencing token");
    if (o->wake_hint)
        return refuse("--wake-hint does not work with several locks (-l): clients that wait for one of them "
                      "could not be notified");
    if (o->canary)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "%s does not work with several locks (-l): the script that takes them does not "
                            "check the canary; leave it out, or give --canary=off",
                            rdl_cli_options_origin(o, "--canary"));
    return 0;
}

/* A slot is a lock of its own. The doctor examines the first one. */
static int check_slots(struct rdl_cli_options *o)
{
    static char first[RDL_CLI_SLOT_MAX];

    if (o->slots == 0)
        return 0;
    if (o->n_names > 1 && o->verb != RDL_CLI_STATUS)
        return refuse("--slots works with one lock: it does not work with several (-l)");
    if (o->legacy != RDL_CLI_LEGACY_NEVER)
        return refuse("--slots does not work with --legacy");
    if (o->fence)
        return refuse("--slots does not work with --fence: each slot would have its own fencing token");
    if (o->once != NULL)
        return refuse("--slots does not work with --once: a tick belongs to one lock");
    if (o->keep_ms != 0)
        return refuse("--slots does not work with --keep");
    if (o->wake_hint)
        return refuse("--slots does not work with --wake-hint: a release notifies the clients of one slot");
    for (size_t k = 0; k < (o->n_names > 0 ? o->n_names : o->n_looked_at); k++) {
        const char *name = o->n_names > 0 ? o->names[k] : o->looked_at[k];
        if (strlen(name) > RDL_SLOTS_NAME_MAX)
            return rdl_cli_fail(RDL_EXIT_DATA,
                                "the lock name has %lu bytes: with --slots it must have at most %d",
                                (unsigned long)strlen(name), (int)RDL_SLOTS_NAME_MAX);
    }
    if (o->verb != RDL_CLI_DOCTOR || o->n_names == 0)
        return 0;
    rdl_cli_slot_name(o->names[0], 0, first);
    o->lock = o->names[0] = first;
    return 0;
}

/* The first lease lasts for --keep, so a client that waits out a restart must know of it. */
static int check_keep(const struct rdl_cli_options *o)
{
    char keep[RDL_CLI_DURATION_MAX], other[RDL_CLI_DURATION_MAX];

    rdl_cli_duration_text(o->keep_ms, keep);
    if (o->max_hold_ms != 0 && o->keep_ms > o->max_hold_ms)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "--keep (%s) must be at most --max-hold (%s), after which the lock is released",
                            keep, rdl_cli_duration_text(o->max_hold_ms, other));
    if (o->keep_ms > o->max_ttl_ms)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "--keep (%s) must be at most %s (%s), the longest lease of any client of these "
                            "servers: shorten it, or give all clients --max-ttl=%s",
                            keep, rdl_cli_options_origin(o, "--max-ttl"),
                            rdl_cli_duration_text(o->max_ttl_ms, other), keep);
    return 0;
}

/* Sets the defaults of --once, and finds options that it excludes. */
static int check_once(struct rdl_cli_options *o)
{
    if (o->once == NULL && o->once_keep_ms != RDL_CLI_FOREVER)
        return refuse("--once-keep works only with --once: without it no tick is recorded");
    if (o->once == NULL && o->once_at >= 0)
        return refuse("--once-at works only with --once: without it no tick is recorded");
    o->once_at = o->once_at < 0 ? RDL_CLI_ONCE_AT_SUCCESS : o->once_at;
    if (o->once_keep_ms == RDL_CLI_FOREVER)
        o->once_keep_ms = (uint64_t)RDL_CLI_ONCE_KEEP_HOURS * RDL_CLI_HOUR_MS;
    if (o->once_keep_ms == 0 || o->once_keep_ms > (uint64_t)RDL_CLI_ONCE_KEEP_MAX_HOURS * RDL_CLI_HOUR_MS)
        return rdl_cli_fail(RDL_EXIT_USAGE, "--once-keep must be more than 0 and at most %dh (32 days)",
                            RDL_CLI_ONCE_KEEP_MAX_HOURS);
    if (o->once == NULL)
        return 0;
    if (o->n_names > 1)
        return refuse("--once does not work with several locks (-l): a tick belongs to one lock");
    if (o->keep_ms != 0)
        return refuse("--once does not work with --keep: the record of the tick keeps other hosts away");
    if (o->legacy != RDL_CLI_LEGACY_NEVER)
        return refuse("--once does not work with --legacy");
    return 0;
}

/* Returns the option that sets the length of the lease. */
static const char *ttl_word(const struct rdl_cli_options *o)
{
    if (o->max_hold_ms == o->ttl_ms)
        return "--max-hold";
    return o->is_default_ttl ? "the default --ttl" : "--ttl";
}

static uint32_t longest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A verb without --ttl has no limit by it, but the library needs a lease of four attempts. */
static void fit_lease(struct rdl_cli_options *o)
{
    const uint32_t most_ms = RDL_TTL_MAX / 4;

    o->attempt_ms = o->attempt_ms < most_ms ? o->attempt_ms : most_ms;
    o->ttl_ms = longest(o->ttl_ms, 4 * o->attempt_ms);
}

/* Refuses a password or a token that has both a file and a descriptor. A variable may name the file. */
static int check_files(struct rdl_cli_options *o)
{
    const char *file = getenv("REDLOCK_PASSWORD_FILE");
    const char *sentinel_file = getenv("REDLOCK_SENTINEL_PASSWORD_FILE");

    if (o->password_file != NULL && o->password_fd >= 0)
        return rdl_cli_fail(RDL_EXIT_USAGE, "give either --password-file or --password-fd, not both");
    if (o->token_file != NULL && o->token_fd >= 0)
        return rdl_cli_fail(RDL_EXIT_USAGE, "give either --token-file or --token-fd, not both");
    if (o->password_file == NULL && o->password_fd < 0 && file != NULL && file[0] != '\0')
        o->password_file = file;
    if (o->sentinel_password_file != NULL && !o->has_group)
        return refuse("--sentinel-password-file works only with redis-sentinel:// URLs, and there is none");
    if (o->sentinel_password_file == NULL && sentinel_file != NULL && sentinel_file[0] != '\0')
        o->sentinel_password_file = sentinel_file;
    return 0;
}

/* Writes HOST:PID. A long host is cut, never the pid; other bytes than an owner's become '_'. */
static void name_process(char out[RDL_OWNER_MAX + 1], long pid)
{
    char host[256] = "", number[24];
    struct rdl_cli_text t = {number, sizeof number, 0};

    rdl_cli_add(&t, ":%ld", pid);
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        strcpy(host, "host");
    host[RDL_OWNER_MAX - t.len] = '\0';
    for (char *at = host; *at != '\0'; at++)
        if (rdl_owner_check(at, 1) != RDL_OK)
            *at = '_';
    strcpy(stpcpy(out, host), number);
}

/* Sets the owner of what is acquired. The process of acquire ends at once, so its parent is named. */
static int set_owner(struct rdl_cli_options *o)
{
    static char process[RDL_OWNER_MAX + 1];
    const char *from = o->owner != NULL ? "--owner" : "$REDLOCK_OWNER";

    if (o->metrics_owner && o->format != RDL_CLI_FORMAT_PROMETHEUS)
        return refuse("--metrics-owner works only with --format prometheus");
    if (o->yes && o->owner == NULL)
        return refuse("--yes works only with --owner: for one lock, give --held-by");
    if (o->owner != NULL && o->held_by != NULL)
        return refuse("give either --owner or --held-by, not both");
    if ((o->verb & RDL_CLI_GETTING) == 0)
        return 0;
    if (o->owner != NULL && o->no_owner)
        return refuse("give either --owner or --no-owner, not both");
    if (o->owner != NULL && o->legacy != RDL_CLI_LEGACY_NEVER)
        return refuse("--owner does not work with --legacy: the value of the old protocol is a deadline");
    if (o->owner == NULL)
        o->owner = getenv("REDLOCK_OWNER");
    if (o->owner == NULL || (o->owner[0] == '\0' && from[0] == '$')) {
        name_process(process, (long)(o->verb == RDL_CLI_ACQUIRE ? getppid() : getpid()));
        o->owner = process;
    }
    if (o->no_owner)
        o->owner = "";
    else if (o->owner[0] == '\0' || rdl_owner_check(o->owner, strlen(o->owner)) != RDL_OK)
        return rdl_cli_fail(RDL_EXIT_USAGE, "%s: give 1 to %d letters, digits and _@%%+=:./-", from,
                            RDL_OWNER_MAX);
    return 0;
}

int rdl_cli_options_settle(struct rdl_cli_options *o)
{
    char ttl[RDL_CLI_DURATION_MAX], other[RDL_CLI_DURATION_MAX];
    uint32_t sixth;

    o->is_default_ttl = o->ttl_ms == 0;
    o->ttl_ms = o->is_default_ttl ? RDL_CLI_TTL_MS : o->ttl_ms;
    if (o->max_ttl_ms == 0) {
        o->max_ttl_ms = longest(longest(o->keep_ms, o->ttl_ms), RDL_CLI_MAX_TTL_MS);
        o->is_default_max_ttl = 1;
    }
    if (!o->has_ttl)
        fit_lease(o);
    if (o->max_hold_ms != 0 && o->max_hold_ms < RDL_CLI_TTL_MIN_MS)
        return rdl_cli_fail(RDL_EXIT_USAGE, "--max-hold must be at least %dms, the shortest ttl",
                            RDL_CLI_TTL_MIN_MS);
    if (o->max_hold_ms != 0 && o->max_hold_ms < o->ttl_ms) /* one lease, never renewed */
        o->ttl_ms = o->max_hold_ms;
    rdl_cli_duration_text(o->ttl_ms, ttl);
    sixth = o->ttl_ms / 6;
    if (o->grace_ms == 0)
        o->grace_ms = sixth < 5000 ? sixth : 5000;
    if (o->grace_ms >= o->ttl_ms / 2)
        return rdl_cli_fail(RDL_EXIT_USAGE, "--grace (%s) must be less than half of %s (%s)%s",
                            rdl_cli_duration_text(o->grace_ms, other), ttl_word(o), ttl,
                            o->max_hold_ms == o->ttl_ms ? "" : ", so that time is left to renew the lease");
    if (o->attempt_ms > o->ttl_ms / 4)
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "--attempt (%s) must be at most a quarter of %s (%s), so that a lease leaves time for "
            "several attempts",
            rdl_cli_duration_text(o->attempt_ms, other), ttl_word(o), ttl);
    if (o->has_ttl && o->ttl_ms > o->max_ttl_ms)
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "%s (%s) must be at most %s (%s), the longest lease of any client of these servers: "
            "give a shorter --ttl, or give all clients a longer --max-ttl",
            ttl_word(o), ttl, rdl_cli_options_origin(o, "--max-ttl"),
            rdl_cli_duration_text(o->max_ttl_ms, other));
    int rc = set_owner(o);
    if (rc == 0)
        rc = check_keep(o);
    if (rc == 0)
        rc = check_once(o);
    if (rc == 0 && o->n_urls == 0)
        rc = default_urls(o);
    if (rc == 0)
        rc = check_group(o);
    if (rc == 0)
        rc = check_files(o);
    if (rc == 0)
        rc = check_connect(o);
    if (rc == 0)
        rc = check_several(o);
    if (rc == 0)
        rc = check_slots(o);
    return rc == 0 ? check_legacy(o) : rc;
}

const char *rdl_cli_canary_word(const struct rdl_cli_options *o)
{
    return o->has_group ? "the check for a failover" : "--canary";
}

uint64_t rdl_cli_options_fifo_until_ms(const struct rdl_cli_options *o)
{
    uint64_t ms = RDL_CLI_FIFO_MS;

    if (o->wait_ms != RDL_CLI_FOREVER && o->wait_ms > ms)
        ms = o->wait_ms;
    return rdl_posix_now_ms() + ms;
}
