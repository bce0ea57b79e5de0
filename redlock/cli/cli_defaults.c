/* SPDX-License-Identifier: MIT */
/* What the command line left open, and what of it does not go together. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n"; /* $REDLOCK_URLS may have several lines, or come from a file */

/* $REDLOCK_URLS, else $REDIS_URL; NULL: neither is set. */
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
 * A variable that is set but empty is a mistake: a secret that is missing, a typo in a unit. With the default
 * server each host would lock its own.
 */
static int default_urls(struct rdl_cli_options *o)
{
    static char local[] = RDL_CLI_DEFAULT_URL;
    char *urls = urls_of_environment(o);
    int rc = 0;

    if (urls == NULL) {
        o->urls_from = NULL;
        o->is_default_server = 1;
        return rdl_cli_options_add_url(o, local);
    }
    if (urls[strspn(urls, blanks)] == '\0') {
        rdl_cli_fail(
            "%s is set, but empty: set it to the URLs of the servers, unset it, or name them with -u",
            o->urls_from);
        return RDL_EXIT_DATA;
    }
    if (strcmp(o->urls_from, "$REDIS_URL") == 0)
        return rdl_cli_options_add_url(o, urls);
    char *copy = strdup(urls);
    if (copy == NULL) {
        rdl_cli_fail("out of memory");
        return RDL_EXIT_OS;
    }
    for (char *p = strtok(copy, blanks); p != NULL && rc == 0; p = strtok(NULL, blanks))
        rc = rdl_cli_options_add_url(o, p);
    memset(copy, 0, strlen(urls));
    free(copy);
    return rc;
}

static int refuse(const char *text)
{
    rdl_cli_fail("%s", text);
    return RDL_EXIT_USAGE;
}

/* rediss:// and the connect command go together, but that the variable may be set for other command lines. */
static int check_connect(struct rdl_cli_options *o)
{
    static const char openssl[] =
        "openssl s_client -quiet -verify_return_error -verify_hostname %h -connect %h:%p";
    static struct rdl_cli_program trial;
    const char *from = "--connect-command", *why;
    size_t n = 0;

    for (size_t i = 0; i < o->n_urls; i++)
        n += rdl_cli_url_is_tls(o->urls[i]) != 0;
    if (o->connect_command != NULL && n == 0)
        return refuse("--connect-command is for servers whose URL begins with rediss://, and there is none");
    if (n == 0)
        return 0;
    if (o->connect_command == NULL) {
        from = "$REDLOCK_CONNECT_COMMAND";
        o->connect_command = getenv("REDLOCK_CONNECT_COMMAND");
    }
    if (o->connect_command == NULL) {
        rdl_cli_fail("rediss:// is TLS, which redlock leaves to a program: name one by --connect-command or "
                     "$REDLOCK_CONNECT_COMMAND, for example '%s'",
                     openssl);
        return RDL_EXIT_USAGE;
    }
    why = rdl_cli_program_make(&trial, o->connect_command, "host", 1);
    if (why == NULL)
        return 0;
    rdl_cli_fail("%s cannot be used: %s", from, why);
    return RDL_EXIT_USAGE;
}

/* A lock of the old protocol has one server and none of what needs more. */
static int check_legacy(const struct rdl_cli_options *o)
{
    int is_legacy = o->legacy != RDL_CLI_LEGACY_NEVER;

    if (!is_legacy && o->clock_error_ms != 0)
        return refuse("--clock-error is for --legacy: other locks need no wall clock");
    if (!is_legacy && o->shortest_ttl)
        return refuse("--legacy-shortest-ttl is for --legacy: locks of today are never overwritten");
    if (!is_legacy)
        return 0;
    if (o->n_urls > 1) {
        rdl_cli_fail("--legacy works on one server only, and there are %zu", o->n_urls);
        return RDL_EXIT_USAGE;
    }
    if (o->fence)
        return refuse("--fence: locks of the old protocol (--legacy) have no number");
    if (o->max_hold_ms != 0)
        return refuse("--max-hold does not go with --legacy");
    if (o->keep_ms != 0)
        return refuse("--keep does not go with --legacy");
    if (o->canary || o->guard < RDL_GUARD_IF_PERMITTED)
        return refuse("--legacy has neither restart guard nor canary");
    return 0;
}

/* A script takes several locks on one server; what stands beside a lock is not in it. */
static int check_several(const struct rdl_cli_options *o)
{
    if (o->n_names < 2 || o->verb == RDL_CLI_STATUS)
        return 0;
    if (o->verb == RDL_CLI_BREAK)
        return refuse("redlock break takes one lock: break them one by one");
    if (o->n_urls > 1) {
        rdl_cli_fail(
            "%zu locks at once need one server, and there are %zu: one script takes them, on one server; "
            "name one, or take them one inside the other, everybody in the same order: redlock run A -- "
            "redlock run B -- COMMAND",
            o->n_names, o->n_urls);
        return RDL_EXIT_USAGE;
    }
    if (o->legacy != RDL_CLI_LEGACY_NEVER)
        return refuse("--legacy: locks of the old protocol are taken one at a time, not several by -l");
    if (o->fence)
        return refuse("--fence: each lock has a number of its own, and several (-l) have none together");
    if (o->wake_hint)
        return refuse("--wake-hint: who waits for one of several locks (-l) cannot be told when it is free");
    if (o->canary)
        return refuse("--canary: several locks (-l) are taken by a script that does not look at the canary");
    return 0;
}

/* The lease is as long as that at first: whoever waits for a server to forget no lock has to know of it. */
static int check_keep(const struct rdl_cli_options *o)
{
    char keep[RDL_CLI_DURATION_MAX], other[RDL_CLI_DURATION_MAX];

    rdl_cli_duration_text(o->keep_ms, keep);
    if (o->max_hold_ms != 0 && o->keep_ms > o->max_hold_ms) {
        rdl_cli_fail("--keep (%s) is above --max-hold (%s), after which the lock is released: make "
                     "--max-hold the longer one",
                     keep, rdl_cli_duration_text(o->max_hold_ms, other));
        return RDL_EXIT_USAGE;
    }
    if (o->keep_ms > o->max_ttl_ms) {
        rdl_cli_fail("--keep (%s) is above --max-ttl (%s), the longest lease of all who share these "
                     "servers: give all of them a --max-ttl of %s or more, or keep the lock for less",
                     keep, rdl_cli_duration_text(o->max_ttl_ms, other), keep);
        return RDL_EXIT_USAGE;
    }
    return 0;
}

/* What the length of the lease is from. */
static const char *ttl_word(const struct rdl_cli_options *o)
{
    return o->max_hold_ms == o->ttl_ms ? "--max-hold" : "--ttl";
}

static uint32_t longest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A verb without --ttl is not limited by one: the library wants a lease of four attempts. */
static void fit_lease(struct rdl_cli_options *o)
{
    const uint32_t most_ms = RDL_TTL_MAX / 4;

    o->attempt_ms = o->attempt_ms < most_ms ? o->attempt_ms : most_ms;
    o->ttl_ms = longest(o->ttl_ms, 4 * o->attempt_ms);
}

int rdl_cli_options_settle(struct rdl_cli_options *o)
{
    char ttl[RDL_CLI_DURATION_MAX], other[RDL_CLI_DURATION_MAX];
    uint32_t sixth;

    if (o->max_ttl_ms == 0) {
        o->max_ttl_ms = longest(longest(o->keep_ms, o->ttl_ms), RDL_CLI_MAX_TTL_MS);
        o->is_default_max_ttl = 1;
    }
    if (!o->has_ttl)
        fit_lease(o);
    if (o->max_hold_ms != 0 && o->max_hold_ms < RDL_CLI_TTL_MIN_MS) {
        rdl_cli_fail("--max-hold is below %dms, the shortest ttl", RDL_CLI_TTL_MIN_MS);
        return RDL_EXIT_USAGE;
    }
    if (o->max_hold_ms != 0 && o->max_hold_ms < o->ttl_ms) /* one lease that is not renewed */
        o->ttl_ms = o->max_hold_ms;
    rdl_cli_duration_text(o->ttl_ms, ttl);
    sixth = o->ttl_ms / 6;
    if (o->grace_ms == 0)
        o->grace_ms = sixth < 5000 ? sixth : 5000;
    if (o->grace_ms >= o->ttl_ms / 2) {
        rdl_cli_fail("--grace must be less than half of %s (%s): the lease is renewed in the other half",
                     ttl_word(o), ttl);
        return RDL_EXIT_USAGE;
    }
    if (o->attempt_ms > o->ttl_ms / 4) {
        rdl_cli_fail("--attempt (%s) is above a quarter of %s (%s): a lease has to last for some",
                     rdl_cli_duration_text(o->attempt_ms, other), ttl_word(o), ttl);
        return RDL_EXIT_USAGE;
    }
    if (o->has_ttl && o->ttl_ms > o->max_ttl_ms) {
        rdl_cli_fail("--ttl (%s) is above --max-ttl (%s), the longest ttl that all who share these servers "
                     "may use",
                     ttl, rdl_cli_duration_text(o->max_ttl_ms, other));
        return RDL_EXIT_USAGE;
    }
    if (o->password_file != NULL && o->password_fd >= 0) {
        rdl_cli_fail("--password-file and --password-fd do not go together");
        return RDL_EXIT_USAGE;
    }
    if (o->token_file != NULL && o->token_fd >= 0) {
        rdl_cli_fail("--token-file and --token-fd do not go together");
        return RDL_EXIT_USAGE;
    }
    int rc = check_keep(o);
    if (rc == 0 && o->n_urls == 0)
        rc = default_urls(o);
    if (rc == 0)
        rc = check_connect(o);
    if (rc == 0)
        rc = check_several(o);
    return rc == 0 ? check_legacy(o) : rc;
}
