/* SPDX-License-Identifier: MIT */
/*
 * The table of options. To add an option: a row here, in the place that it has in the manual, and a member of
 * struct rdl_cli_options. Then its item in redlock.1, which tests/servers/check_cli_manual.c compares with
 * the row. --help and the completion scripts need nothing. If its default is not 0, or if it excludes another
 * option: defaults.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/operands.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/urls.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"
#include "redlock/slots.h"

#include <string.h>

/* ---------------------------------------------------------------- options that do more than to store */

int rdl_cli_options_add_url(struct rdl_cli_options *o, char *url)
{
    if (o->n_urls == RDL_SERVERS_MAX)
        return rdl_cli_fail(RDL_EXIT_USAGE, "more than %d URLs%s%s: a lock lives on 1 to %d servers",
                            RDL_SERVERS_MAX, o->urls_from != NULL ? " in " : "",
                            o->urls_from != NULL ? o->urls_from : "", RDL_SERVERS_MAX);
    char *copy = strdup(url);
    if (copy == NULL)
        return rdl_cli_fail(RDL_EXIT_OS, "out of memory");
    copy[rdl_cli_line_len(copy, strlen(copy))] = '\0';
    o->urls[o->n_urls++] = copy;
    return 0;
}

static int take_url(struct rdl_cli_options *o, char *url)
{
    static int warned;
    int is_secret = !rdl_cli_url_is_user_alone(url);
    int rc = rdl_cli_options_add_url(o, url);
    if (rdl_cli_url_hide_password(url) && is_secret && !warned) {
        warned = 1;
        rdl_cli_print_warning(
            "a password on the command line can be seen by every user of this host for a moment; "
            "use $REDLOCK_PASSWORD, --password-file or --password-fd");
    }
    return rc;
}

static int take_name(struct rdl_cli_options *o, char *name)
{
    return rdl_cli_operands_add_lock(o, name);
}

static int take_token(struct rdl_cli_options *o, char *token)
{
    (void)o;
    return rdl_cli_refuse_token(token);
}

static int take_slots(struct rdl_cli_options *o, char *text)
{
    if (rdl_cli_number(text, RDL_SLOTS_MAX, &o->slots) == 0 && o->slots >= 2)
        return 0;
    return rdl_cli_fail(RDL_EXIT_USAGE, "--slots %s: give a number from 2 to %d", text, RDL_SLOTS_MAX);
}

static int take_id(struct rdl_cli_options *o, char *text)
{
    if (strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "--held-by: give the 8 hex digits that redlock status prints for the holder");
    o->held_by = text;
    return 0;
}

static int take_tick(struct rdl_cli_options *o, char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] < '!' || text[i] > '~')
            len = 0;
    if (len == 0 || len > RDL_CLI_TICK_MAX)
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "--once: the tick must have 1 to %d printable characters and no space, such as "
                            "$(date -u +%%F); in a crontab write \\%%F",
                            RDL_CLI_TICK_MAX);
    o->once = text;
    return 0;
}

static int do_not_wait(struct rdl_cli_options *o, char *none)
{
    (void)none;
    o->wait_ms = 0;
    return 0;
}

static int be_verbose(struct rdl_cli_options *o, char *none)
{
    (void)o;
    (void)none;
    rdl_cli_set_verbosity(rdl_cli_is_verbose() ? RDL_CLI_VERY_VERBOSE : RDL_CLI_VERBOSE);
    return 0;
}

static int be_quiet(struct rdl_cli_options *o, char *none)
{
    (void)o;
    (void)none;
    rdl_cli_set_verbosity(RDL_CLI_QUIET);
    return 0;
}

/* ---------------------------------------------------------------- the options */

enum {
    RUN = RDL_CLI_RUN,
    ACQUIRE = RDL_CLI_ACQUIRE,
    EXTEND = RDL_CLI_EXTEND,
    RELEASE = RDL_CLI_RELEASE,
    HOLD = RDL_CLI_HOLD,
    STATUS = RDL_CLI_STATUS,
    BREAK = RDL_CLI_BREAK,
    LIST = RDL_CLI_LIST,
    DOCTOR = RDL_CLI_DOCTOR,
    GETTING = RDL_CLI_GETTING,
    ADOPTING = EXTEND | RELEASE,
    LEASING = GETTING | EXTEND,
    LOGGING = LEASING | RELEASE,
    GUARDING = LEASING | STATUS | BREAK | LIST | DOCTOR,
    ALL = RDL_CLI_ALL,
    FD_MAX = 1048576
};

const char *const rdl_cli_group_words[RDL_CLI_GROUPS] = {
    "Servers", "Locks and tokens", "Timeouts (TIME is 30, 1.5s, 500ms, 2m or 1h)", "Safety", "Output"};

#define KIND(name, member) .kind = RDL_CLI_##name, .at = offsetof(struct rdl_cli_options, member)
#define CALL(function)     .kind = RDL_CLI_CALL, .call = (function)

/* The names are those of flock(1), where it has the option. */
const struct rdl_cli_option rdl_cli_option_table[] = {
    /* clang-format off */
    {.letter = 'u', .word = "url", .metavar = "URL", CALL(take_url), .common = ALL, .group = RDL_CLI_SERVERS,
     .texts = {{ALL, "use server redis://[[user]:password@]host[:port][/db] or "
                     "unix://[[user]:password@]/path, or Sentinel group "
                     "redis-sentinel://host1,host2/NAME, up to 7 times"}},
     .brief = "use server redis://[[user]:password@]host[:port][/db] or "
              "unix://[[user]:password@]/path, up to 7 times",
     .source = "$REDLOCK_URLS, $REDIS_URL, redis://127.0.0.1:6379"},
    {.word = "connect-command", .metavar = "TEXT", KIND(TEXT, connect_command), .group = RDL_CLI_SERVERS,
     .texts = {{ALL, "connect to rediss:// servers (TLS) through this program; %h is the host, %p the port"}},
     .source = "$REDLOCK_CONNECT_COMMAND"},
    {.word = "any-address", KIND(FLAG, any_address), .group = RDL_CLI_SERVERS,
     .texts = {{ALL, "accept a host name that has several addresses; use the first that answers"}}},
    {.word = "password-file", .metavar = "FILE", KIND(TEXT, password_file), .group = RDL_CLI_SERVERS,
     .texts = {{ALL, "read the password of all servers from FILE"}},
     .source = "$REDLOCK_PASSWORD_FILE, $REDLOCK_PASSWORD or $REDISCLI_AUTH"},
    {.word = "password-fd", .metavar = "N", KIND(DESCRIPTOR, password_fd), .limit = FD_MAX,
     .group = RDL_CLI_SERVERS, .texts = {{ALL, "read the password from the open descriptor N"}}},
    {.word = "sentinel-password-file", .metavar = "FILE", KIND(TEXT, sentinel_password_file),
     .group = RDL_CLI_SERVERS, .texts = {{ALL, "read the password of all sentinels from FILE"}},
     .source = "$REDLOCK_SENTINEL_PASSWORD_FILE or $REDLOCK_SENTINEL_PASSWORD"},

    {.letter = 'l', .word = "lock", .metavar = "LOCK", CALL(take_name), .group = RDL_CLI_LOCKS,
     .texts = {{ALL & ~(LIST | BREAK),
                "name the lock by an option; repeat for several locks, held all or none, on one server"},
               {BREAK, "name the lock by an option"}}},
    {.word = "any-name", KIND(FLAG, any_name), .group = RDL_CLI_LOCKS,
     .texts = {{GETTING, "accept a lock name with control characters, or a space, quote or $ at an end"}}},
    {.letter = 'c', .word = "command", .metavar = "STRING", CALL(rdl_cli_operands_set_shell), .common = RUN,
     .group = RDL_CLI_LOCKS, .texts = {{RUN, "run STRING with /bin/sh -c; may also follow LOCK"}}},
    {.word = "once", .metavar = "TICK", CALL(take_tick), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{RUN, "run COMMAND only if it has not succeeded for TICK yet"},
               {STATUS, "show whether TICK is done, on each server"},
               {DOCTOR, "check what --once needs; TICK may be any"}}},
    {.word = "once-keep", .metavar = "TIME", KIND(LONG_MS, once_keep_ms), .group = RDL_CLI_LOCKS,
     .texts = {{RUN, "remember for TIME (25h) that TICK is done; at most 768h, which is 32 days"}}},
    {.word = "once-at", .metavar = "WHEN", .choices = "success start", KIND(CHOICE, once_at),
     .limit = RDL_CLI_ONCE_AT_SUCCESS, .group = RDL_CLI_LOCKS,
     .texts = {{RUN, "record TICK at the command's success (the default) or at its start: then it never "
                     "runs twice, but a crash loses the tick"}}},
    {.word = "fence", KIND(FLAG, fence), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{RUN, "get a fencing token, in $REDLOCK_FENCE"},
               {ACQUIRE | HOLD, "get a fencing token, and print it after the token"},
               {DOCTOR, "check what fencing tokens need"}}},
    {.word = "owner", .metavar = "TEXT", KIND(TEXT, owner), .group = RDL_CLI_LOCKS,
     .texts = {{GETTING, "show TEXT as the holder in status and list (HOST:PID); 1 to 40 letters, digits and "
                         "_@%+=:./-"}},
     .source = "$REDLOCK_OWNER"},
    {.word = "owner", .metavar = "GLOB", KIND(TEXT, owner), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{LIST, "list only locks whose owner matches GLOB, as in 'web-3:*'"},
               {BREAK, "delete all locks whose owner matches GLOB, as in 'web-3:*', after asking"}}},
    {.word = "yes", KIND(FLAG, yes), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{BREAK, "with --owner, delete without asking"}}},
    {.word = "no-owner", KIND(FLAG, no_owner), .group = RDL_CLI_LOCKS,
     .texts = {{GETTING, "do not write who holds the lock"}}},
    {.word = "slots", .metavar = "N", CALL(take_slots), .common = STATUS | DOCTOR, .group = RDL_CLI_LOCKS,
     .texts = {{RUN, "let at most N clients hold the lock at a time; all clients must use the same N"},
               {STATUS, "show which of the N slots are held"},
               {DOCTOR, "check what slots need"}}},
    {.word = "token", .metavar = "TOKEN", CALL(take_token), .group = RDL_CLI_HIDDEN,
     .texts = {{ADOPTING, ""}}},
    {.word = "token-file", .metavar = "FILE", KIND(TEXT, token_file), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{ACQUIRE, "write the token to a new FILE; release does not delete it"},
               {ADOPTING, "read the token from FILE, and keep FILE; by default from $REDLOCK_TOKEN"}}},
    {.word = "token-fd", .metavar = "N", KIND(DESCRIPTOR, token_fd), .limit = FD_MAX, .common = ALL,
     .group = RDL_CLI_LOCKS, .texts = {{ADOPTING, "read the token from the open descriptor N"}}},
    {.word = "held-by", .metavar = "ID", CALL(take_id), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{BREAK, "delete the lock of this holder, as status printed it, without asking"}}},
    {.word = "legacy", KIND(FLAG, with_legacy), .common = ALL, .group = RDL_CLI_LOCKS,
     .texts = {{LIST, "also list locks of the old SETNX protocol"}}},

    {.letter = 'w', .word = "wait", .alias = "timeout", .metavar = "TIME", KIND(LONG_MS, wait_ms),
     .common = ALL, .group = RDL_CLI_TIMEOUTS,
     .texts = {{GETTING, "wait at most TIME; no limit by default"}, {LIST, "search for at most TIME (60s)"}}},
    {.letter = 'n', .word = "nonblock", .alias = "nb", CALL(do_not_wait), .common = ALL,
     .group = RDL_CLI_TIMEOUTS, .texts = {{GETTING, "do not wait for the lock"}}},
    {.letter = 'E', .word = "conflict-exit-code", .metavar = "N", KIND(NUMBER, conflict_status), .limit = 255,
     .group = RDL_CLI_TIMEOUTS, .texts = {{GETTING, "exit with N if another client holds the lock (1)"}}},
    {.word = "ttl", .metavar = "TIME", KIND(MS, ttl_ms), .limit = RDL_CLI_TTL_MIN_MS, .common = LEASING,
     .group = RDL_CLI_TIMEOUTS,
     .texts = {{RUN | HOLD | DOCTOR, "let the lease expire after TIME (30s) if not renewed"},
               {ACQUIRE | EXTEND, "let the lease expire after TIME (30s); redlock extend renews it"}}},
    {.word = "attempt", .metavar = "TIME", KIND(MS, attempt_ms), .limit = 1, .group = RDL_CLI_TIMEOUTS,
     .texts = {{ALL, "wait at most TIME for the replies to one attempt; at most a quarter of the ttl. By "
                     "default 1/20 of the ttl (5 to 250 ms) or, if longer, three round trips"}}},
    {.word = "grace", .metavar = "TIME", KIND(MS, grace_ms), .limit = 1, .group = RDL_CLI_TIMEOUTS,
     .texts = {{RUN, "if the lease cannot be renewed, stop the command this long before it expires (a sixth "
                     "of the ttl, at most 5s)"},
               {HOLD, "if the lease cannot be renewed, exit this long before it expires (a sixth of the ttl, "
                      "at most 5s)"}}},
    {.word = "max-hold", .metavar = "TIME", KIND(MS, max_hold_ms), .limit = 1, .common = ALL,
     .group = RDL_CLI_TIMEOUTS, .texts = {{RUN, "stop the command after at most TIME"}}},
    {.word = "keep", .metavar = "TIME", KIND(MS, keep_ms), .limit = 1, .group = RDL_CLI_TIMEOUTS,
     .texts = {{RUN, "keep the lock for at least TIME, even if the command ends earlier"},
               {HOLD, "keep the lock for at least TIME, even if standard input is closed earlier"}}},

    {.word = "max-ttl", .metavar = "TIME", KIND(MS, max_ttl_ms), .limit = 1, .group = RDL_CLI_SAFETY,
     .texts = {{GUARDING, "give the longest ttl of all clients (30s); a restarted server is not used for "
                          "this time and 1 s"}},
     .source = "$REDLOCK_MAX_TTL"},
    {.word = "restart-guard", .metavar = "WHEN", .choices = "if-permitted required strict off",
     KIND(CHOICE, guard), .limit = RDL_GUARD_IF_PERMITTED, .common = ALL, .group = RDL_CLI_SAFETY,
     .texts = {{GUARDING,
                "do not use a server in its first 31 s (--max-ttl + 1 s): it may have lost locks in a "
                "restart. if-permitted (the default): use a server that refuses INFO, whose age is unknown; "
                "required: do not use it; strict: wait 31 s from when this process first saw a server; off: "
                "do not wait"}},
     .brief = "off: also use a server that started less than 31 s ago (--max-ttl + 1 s) and may have lost "
              "locks",
     .source = "$REDLOCK_RESTART_GUARD"},
    {.word = "canary", .metavar = "HOW", .choices = "off on", .is_optional = 1, KIND(CHOICE, canary),
     .group = RDL_CLI_SAFETY,
     .texts = {{LEASING | DOCTOR, "notice if a server loses its data without a restart (FLUSHALL); HOW is on "
                                  "(if not given) or off"}},
     .source = "$REDLOCK_CANARY"},
    {.word = "wake-hint", KIND(FLAG, wake_hint), .group = RDL_CLI_SAFETY,
     .texts = {{GETTING | DOCTOR, "wait without polling: a client that releases the lock notifies the next; "
                                  "use it on all clients"},
               {RELEASE, "notify clients that wait with this option"}}},
    {.word = "legacy", .metavar = "WHEN", .choices = "never auto always", KIND(CHOICE, legacy),
     .limit = RDL_CLI_LEGACY_NEVER, .group = RDL_CLI_SAFETY,
     .texts = {{RUN | DOCTOR, "use the old protocol, SETNX: never (the default), auto or always"}}},
    {.word = "legacy-shortest-ttl", KIND(FLAG, shortest_ttl), .group = RDL_CLI_SAFETY,
     .texts = {{RUN, "assume that old clients use at least this client's ttl, and delete only their own "
                     "locks"}}},
    {.word = "clock-error", .metavar = "TIME", KIND(MS, clock_error_ms), .limit = 1, .group = RDL_CLI_SAFETY,
     .texts = {{RUN | DOCTOR, "assume that the clients' clocks differ by at most TIME; for servers before "
                              "Redis 2.6"}}},

    {.letter = 'v', .word = "verbose", CALL(be_verbose), .common = ALL, .group = RDL_CLI_OUTPUT,
     .texts = {{ALL, "print what happens, and what each server did"}}},
    {.letter = 'q', .word = "quiet", CALL(be_quiet), .common = ALL, .group = RDL_CLI_OUTPUT,
     .texts = {{ALL, "print only results, errors, and risks of two holders"}}},
    {.word = "json", KIND(FLAG, format), .common = ALL, .group = RDL_CLI_OUTPUT, /* RDL_CLI_FORMAT_JSON */
     .texts = {{STATUS | LIST | DOCTOR, "print one JSON object instead of lines"}}},
    {.word = "format", .metavar = "HOW", .choices = "text json prometheus", KIND(CHOICE, format),
     .limit = RDL_CLI_FORMAT_TEXT, .common = ALL, .group = RDL_CLI_OUTPUT,
     .texts = {{LIST, "print lines (text), one JSON object (json), or metrics (prometheus)"}}},
    {.word = "metrics-owner", KIND(FLAG, metrics_owner), .group = RDL_CLI_OUTPUT,
     .texts = {{LIST, "with --format prometheus, label each held lock with its owner"}}},
    {.word = "log", .metavar = "HOW", .choices = "text json", KIND(CHOICE, log), .limit = RDL_CLI_LOG_TEXT,
     .group = RDL_CLI_OUTPUT,
     .texts = {{LOGGING, "write a line for each event; HOW is text or json; -vv also logs renewals"}}},
    {.word = "log-fd", .metavar = "N", KIND(NUMBER, log_fd), .limit = FD_MAX, .group = RDL_CLI_OUTPUT,
     .texts = {{LOGGING, "write the log to the open descriptor N"}}},
    {.word = "trace", .metavar = "FILE", .is_optional = 1, KIND(TEXT, trace_file), .group = RDL_CLI_OUTPUT,
     .texts = {{ALL, "write every byte sent and received, without passwords"}}},
    {.letter = 'h', .word = "help", .metavar = "[all]", KIND(FLAG, help), .group = RDL_CLI_OUTPUT,
     .texts = {{ALL, "print the most used options, or all of them"}}},
    /* clang-format on */
};

const size_t rdl_cli_option_rows = sizeof rdl_cli_option_table / sizeof rdl_cli_option_table[0];

const char *rdl_cli_option_text(const struct rdl_cli_option *opt, unsigned verbs)
{
    for (size_t k = 0; k < RDL_CLI_TEXTS; k++)
        if (opt->texts[k].verbs & verbs)
            return opt->texts[k].text;
    return NULL;
}
