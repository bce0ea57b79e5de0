/* SPDX-License-Identifier: MIT */
/*
 * The command line. It has a parser of its own. getopt_long accepts abbreviations, which new options would
 * make ambiguous, and repeats "--password=..." in its error messages.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/numbers.h"
#include "redlock/cli/options/operands.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/urls.h"
#include "redlock/cli/output/output.h"
#include "redlock/redlock.h"

#include <stdlib.h>
#include <string.h>

enum id {
    OPT_URL,
    OPT_CONNECT,
    OPT_LOCK,
    OPT_TTL,
    OPT_WAIT,
    OPT_NOWAIT,
    OPT_CONFLICT,
    OPT_GRACE,
    OPT_ATTEMPT,
    OPT_MAX_TTL,
    OPT_MAX_HOLD,
    OPT_KEEP,
    OPT_GUARD,
    OPT_LEGACY,
    OPT_SHORTEST_TTL,
    OPT_CLOCK_ERROR,
    OPT_FENCE,
    OPT_WAKE_HINT,
    OPT_CANARY,
    OPT_ANY_ADDRESS,
    OPT_COMMAND,
    OPT_VERBOSE,
    OPT_QUIET,
    OPT_TRACE,
    OPT_LOG,
    OPT_LOG_FD,
    OPT_PASSWORD_FILE,
    OPT_PASSWORD_FD,
    OPT_TOKEN,
    OPT_TOKEN_FILE,
    OPT_TOKEN_FD,
    OPT_JSON,
    OPT_WITH_LEGACY,
    OPT_HELD_BY,
    OPT_HELP
};

enum takes { NOTHING, VALUE, MAYBE }; /* MAYBE: --name or --name=value */

/* The verbs that accept an option. */
enum {
    RUN = RDL_CLI_RUN,
    HOLDING = RDL_CLI_RUN | RDL_CLI_HOLD,
    GETTING = HOLDING | RDL_CLI_ACQUIRE,
    LEASING = GETTING | RDL_CLI_EXTEND,
    WITH_TTL = LEASING | RDL_CLI_DOCTOR,
    HINTING = GETTING | RDL_CLI_RELEASE,
    ADOPTING = RDL_CLI_EXTEND | RDL_CLI_RELEASE,
    LIST = RDL_CLI_LIST,
    DOCTOR = RDL_CLI_DOCTOR,
    LOOKING = RDL_CLI_STATUS | RDL_CLI_BREAK | LIST,
    GUARDING = LEASING | LOOKING | DOCTOR,
    ALL = GUARDING | RDL_CLI_RELEASE,
    NAMING = ALL & ~LIST
};

struct option {
    char letter; /* 0: none */
    const char *word;
    enum id id;
    enum takes takes;
    unsigned verbs;
};

/* The names are those of flock(1), where it has the option. */
static const struct option table[] = {
    {'u', "url", OPT_URL, VALUE, ALL},
    {0, "connect-command", OPT_CONNECT, VALUE, ALL},
    {'l', "lock", OPT_LOCK, VALUE, NAMING},
    {0, "ttl", OPT_TTL, VALUE, WITH_TTL},
    {'w', "wait", OPT_WAIT, VALUE, GETTING | LIST},
    {'w', "timeout", OPT_WAIT, VALUE, GETTING | LIST},
    {'n', "nonblock", OPT_NOWAIT, NOTHING, GETTING},
    {'n', "nb", OPT_NOWAIT, NOTHING, GETTING},
    {'E', "conflict-exit-code", OPT_CONFLICT, VALUE, GETTING},
    {0, "grace", OPT_GRACE, VALUE, HOLDING},
    {0, "attempt", OPT_ATTEMPT, VALUE, ALL},
    {0, "max-ttl", OPT_MAX_TTL, VALUE, GUARDING},
    {0, "max-hold", OPT_MAX_HOLD, VALUE, RUN},
    {0, "keep", OPT_KEEP, VALUE, HOLDING},
    {0, "restart-guard", OPT_GUARD, VALUE, GUARDING},
    {0, "legacy", OPT_LEGACY, VALUE, RUN | DOCTOR},
    {0, "legacy", OPT_WITH_LEGACY, NOTHING, LIST}, /* another option */
    {0, "legacy-shortest-ttl", OPT_SHORTEST_TTL, NOTHING, RUN},
    {0, "clock-error", OPT_CLOCK_ERROR, VALUE, RUN | DOCTOR},
    {0, "fence", OPT_FENCE, NOTHING, GETTING | DOCTOR},
    {0, "wake-hint", OPT_WAKE_HINT, NOTHING, HINTING | DOCTOR},
    {0, "canary", OPT_CANARY, NOTHING, LEASING | DOCTOR},
    {0, "any-address", OPT_ANY_ADDRESS, NOTHING, ALL},
    {'c', "command", OPT_COMMAND, VALUE, RUN},
    {'v', "verbose", OPT_VERBOSE, NOTHING, ALL},
    {'q', "quiet", OPT_QUIET, NOTHING, ALL},
    {0, "trace", OPT_TRACE, MAYBE, ALL},
    {0, "log", OPT_LOG, VALUE, GETTING | ADOPTING},
    {0, "log-fd", OPT_LOG_FD, VALUE, GETTING | ADOPTING},
    {0, "password-file", OPT_PASSWORD_FILE, VALUE, ALL},
    {0, "password-fd", OPT_PASSWORD_FD, VALUE, ALL},
    {0, "token", OPT_TOKEN, VALUE, ADOPTING},
    {0, "token-file", OPT_TOKEN_FILE, VALUE, ADOPTING | RDL_CLI_ACQUIRE},
    {0, "token-fd", OPT_TOKEN_FD, VALUE, ADOPTING},
    {0, "json", OPT_JSON, NOTHING, RDL_CLI_STATUS | LIST | DOCTOR},
    {0, "held-by", OPT_HELD_BY, VALUE, RDL_CLI_BREAK},
    {'h', "help", OPT_HELP, NOTHING, ALL},
};

enum { TABLE_LEN = sizeof table / sizeof table[0], FD_MAX = 1048576 };

int rdl_cli_options_add_url(struct rdl_cli_options *o, char *url)
{
    if (o->n_urls == RDL_SERVERS_MAX) {
        rdl_cli_print_error("more than %d URLs%s%s: a lock lives on 1 to %d servers", RDL_SERVERS_MAX,
                            o->urls_from != NULL ? " in " : "", o->urls_from != NULL ? o->urls_from : "",
                            RDL_SERVERS_MAX);
        return RDL_EXIT_USAGE;
    }
    char *copy = strdup(url);
    if (copy == NULL) {
        rdl_cli_print_error("out of memory");
        return RDL_EXIT_OS;
    }
    copy[rdl_cli_line_len(copy, strlen(copy))] = '\0';
    o->urls[o->n_urls++] = copy;
    return 0;
}

/* Returns 1 for "redis://user:@host": the password comes from another source. */
static int is_user_alone(const char *url)
{
    const char *login = strstr(url, "://");
    const char *colon = login != NULL ? strchr(login + 3, ':') : NULL;
    return colon != NULL && colon + 1 == strrchr(url, '@');
}

static int take_url(struct rdl_cli_options *o, char *url)
{
    static int warned;
    int is_secret = !is_user_alone(url);
    int rc = rdl_cli_options_add_url(o, url);
    if (rdl_cli_url_hide_password(url) && is_secret && !warned) {
        warned = 1;
        rdl_cli_print_warning(
            "a password on the command line can be seen by every user of this host for a moment; "
            "use $REDLOCK_PASSWORD, --password-file or --password-fd");
    }
    return rc;
}

static int take_server(struct rdl_cli_options *o, enum id id, char *text)
{
    if (id == OPT_URL)
        return take_url(o, text);
    o->connect_command = text;
    return 0;
}

static int take_duration(const char *word, const char *text, uint64_t least_ms, uint64_t most_ms,
                         uint64_t *ms)
{
    if (rdl_cli_duration(text, UINT64_MAX, ms) != 0)
        rdl_cli_print_error("--%s %s: give seconds, or a number and ms, s, m or h (30, 1.5s, 500ms)", word,
                            text);
    else if (*ms < least_ms)
        rdl_cli_print_error("--%s %s is too short: give at least %lums", word, text, (unsigned long)least_ms);
    else if (*ms > most_ms)
        rdl_cli_print_error("--%s %s is too long: give at most %lus", word, text,
                            (unsigned long)(most_ms / 1000));
    else
        return 0;
    return RDL_EXIT_USAGE;
}

static int take_time(const char *word, const char *text, uint32_t least_ms, uint32_t *out)
{
    uint64_t ms;
    int rc = take_duration(word, text, least_ms, RDL_TTL_MAX, &ms);

    if (rc == 0)
        *out = (uint32_t)ms;
    return rc;
}

static uint32_t *time_of(struct rdl_cli_options *o, enum id id)
{
    if (id == OPT_GRACE)
        return &o->grace_ms;
    if (id == OPT_ATTEMPT)
        return &o->attempt_ms;
    if (id == OPT_MAX_TTL)
        return &o->max_ttl_ms;
    if (id == OPT_MAX_HOLD)
        return &o->max_hold_ms;
    return id == OPT_KEEP ? &o->keep_ms : &o->clock_error_ms;
}

static int take_number(const char *word, const char *text, int max, int *out)
{
    if (rdl_cli_number(text, max, out) == 0)
        return 0;
    rdl_cli_print_error("--%s %s: give a number from 0 to %d", word, text, max);
    return RDL_EXIT_USAGE;
}

static const char *const guards[] = {"strict", "required", "if-permitted", "off", NULL}; /* enum rdl_guard */
static const char *const logs[] = {"text", "json", NULL};                /* enum rdl_cli_log */
static const char *const legacies[] = {"never", "auto", "always", NULL}; /* enum rdl_cli_legacy */

/* Sets *out to first for the first of words, to first + 1 for the second, and so on. */
static int take_word(const char *option, const char *text, const char *const words[], int first, int *out)
{
    char all[80];
    struct rdl_cli_text t = {all, sizeof all, 0};

    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = first + i;
            return 0;
        }
    }
    for (int i = 0; words[i] != NULL; i++)
        rdl_cli_add(&t, "%s%s", i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ", words[i]);
    rdl_cli_print_error("%s %s: give %s", option, text, all);
    return RDL_EXIT_USAGE;
}

static int take_id(struct rdl_cli_options *o, const char *text)
{
    if (strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8) {
        rdl_cli_print_error("--held-by: give the 8 hex digits that redlock status prints for the holder");
        return RDL_EXIT_USAGE;
    }
    o->held_by = text;
    return 0;
}

/* Sets an option that is on or off. */
static int switch_on(struct rdl_cli_options *o, enum id id)
{
    if (id == OPT_NOWAIT)
        o->wait_ms = 0;
    else if (id == OPT_VERBOSE)
        rdl_cli_set_verbosity(rdl_cli_is_verbose() ? RDL_CLI_VERY_VERBOSE : RDL_CLI_VERBOSE);
    else if (id == OPT_QUIET)
        rdl_cli_set_verbosity(RDL_CLI_QUIET);
    else if (id == OPT_SHORTEST_TTL)
        o->shortest_ttl = 1;
    else if (id == OPT_FENCE)
        o->fence = 1;
    else if (id == OPT_WAKE_HINT)
        o->wake_hint = 1;
    else if (id == OPT_CANARY)
        o->canary = 1;
    else if (id == OPT_ANY_ADDRESS)
        o->any_address = 1;
    else if (id == OPT_JSON)
        o->json = 1;
    else if (id == OPT_WITH_LEGACY)
        o->with_legacy = 1;
    else
        o->help = 1;
    return 0;
}

/*
 * Users may give the secret instead of a number, so the text is not repeated, and is erased from the
 * arguments.
 */
static int take_descriptor(const char *word, char *text, int *out)
{
    if (rdl_cli_number(text, FD_MAX, out) == 0)
        return 0;
    memset(text, '*', strlen(text));
    rdl_cli_print_error("--%s: give the number of an open descriptor, from 0 to %d", word, FD_MAX);
    return RDL_EXIT_USAGE;
}

/* Sets where the password and the token come from. */
static int take_secret(struct rdl_cli_options *o, const struct option *opt, char *text)
{
    if (opt->id == OPT_PASSWORD_FILE)
        o->password_file = text;
    else if (opt->id == OPT_TOKEN_FILE)
        o->token_file = text;
    else if (opt->id == OPT_PASSWORD_FD)
        return take_descriptor(opt->word, text, &o->password_fd);
    else if (opt->id == OPT_TOKEN_FD)
        return take_descriptor(opt->word, text, &o->token_fd);
    else
        return rdl_cli_refuse_token(text);
    return 0;
}

static int take_trace(struct rdl_cli_options *o, const char *file)
{
    o->trace = 1;
    o->trace_file = file;
    return 0;
}

/* Sets an option. value is NULL only if the option needs none. */
static int take(struct rdl_cli_options *o, const struct option *opt, char *value)
{
    static char nothing[1];
    char *text = value != NULL ? value : nothing;

    switch (opt->id) {
    case OPT_URL:
    case OPT_CONNECT:
        return take_server(o, opt->id, text);
    case OPT_LOCK:
        return rdl_cli_operands_add_lock(o, text);
    case OPT_TTL:
        return take_time(opt->word, text, RDL_CLI_TTL_MIN_MS, &o->ttl_ms);
    case OPT_WAIT:
        return take_duration(opt->word, text, 0, RDL_CLI_FOREVER - 1, &o->wait_ms);
    case OPT_CONFLICT:
        return take_number(opt->word, text, 255, &o->conflict_status);
    case OPT_GRACE:
    case OPT_ATTEMPT:
    case OPT_MAX_TTL:
    case OPT_MAX_HOLD:
    case OPT_KEEP:
    case OPT_CLOCK_ERROR:
        return take_time(opt->word, text, 1, time_of(o, opt->id));
    case OPT_GUARD:
        return take_word("--restart-guard", text, guards, RDL_GUARD_STRICT, &o->guard);
    case OPT_LEGACY:
        return take_word("--legacy", text, legacies, RDL_CLI_LEGACY_NEVER, &o->legacy);
    case OPT_COMMAND:
        return rdl_cli_operands_set_shell(o, text);
    case OPT_TRACE:
        return take_trace(o, value);
    case OPT_LOG:
        return take_word("--log", text, logs, RDL_CLI_LOG_TEXT, &o->log);
    case OPT_LOG_FD:
        return take_number(opt->word, text, FD_MAX, &o->log_fd);
    case OPT_PASSWORD_FILE:
    case OPT_PASSWORD_FD:
    case OPT_TOKEN:
    case OPT_TOKEN_FILE:
    case OPT_TOKEN_FD:
        return take_secret(o, opt, text);
    case OPT_HELD_BY:
        return take_id(o, text);
    case OPT_NOWAIT:
    case OPT_VERBOSE:
    case OPT_QUIET:
    case OPT_SHORTEST_TTL:
    case OPT_FENCE:
    case OPT_WAKE_HINT:
    case OPT_CANARY:
    case OPT_ANY_ADDRESS:
    case OPT_JSON:
    case OPT_WITH_LEGACY:
    case OPT_HELP:
        break;
    }
    return switch_on(o, opt->id);
}

static int needs_value(const struct rdl_cli_options *o, const struct option *opt)
{
    rdl_cli_print_error("--%s needs a value", opt->word);
    return rdl_cli_usage(o->verb);
}

/* Returns the option of this verb with a similar name, or NULL; never --token, which is always refused. */
static const char *similar(unsigned verb, const char *word, size_t len)
{
    const char *nearest = NULL;
    size_t least = (size_t)-1;

    for (size_t k = 0; k < TABLE_LEN; k++) {
        size_t d = rdl_cli_distance(word, len, table[k].word);
        if ((table[k].verbs & verb) && table[k].id != OPT_TOKEN && d < least &&
            d <= (strlen(table[k].word) + 2) / 3) {
            least = d;
            nearest = table[k].word;
        }
    }
    return nearest;
}

/* Prints only the option's name: the text after '=' may be a secret. */
static int unknown(const struct rdl_cli_options *o, const char *name, size_t len)
{
    const char *word = name[1] == '-' ? similar(o->verb, name + 2, len - 2) : NULL;

    if (word != NULL)
        rdl_cli_print_error("unknown option %.*s: did you mean --%s?", (int)len, name, word);
    else
        rdl_cli_print_error("unknown option %.*s", (int)len, name);
    return rdl_cli_usage(o->verb);
}

/* Checks that the verb accepts the option. */
static int check_verb(const struct rdl_cli_options *o, const struct option *opt)
{
    if (opt->verbs & o->verb)
        return 0;
    rdl_cli_print_error("--%s is not an option of redlock %s", opt->word, rdl_cli_verb_word(o->verb));
    return rdl_cli_usage(o->verb);
}

/* Returns this verb's option, or another verb's with this name; NULL: there is none. */
static const struct option *option_of(unsigned verb, const char *word, size_t len)
{
    const struct option *found = NULL;

    for (size_t k = 0; k < TABLE_LEN; k++)
        if (strlen(table[k].word) == len && memcmp(table[k].word, word, len) == 0 &&
            (found == NULL || (table[k].verbs & verb)))
            found = &table[k];
    return found;
}

static int long_option(struct rdl_cli_options *o, char **argv, int *i)
{
    char *arg = argv[*i];
    size_t len = strcspn(arg + 2, "=");
    char *value = arg[2 + len] == '=' ? arg + 2 + len + 1 : NULL;
    const struct option *opt = option_of(o->verb, arg + 2, len);

    if (opt == NULL)
        return unknown(o, arg, 2 + len);
    if (check_verb(o, opt) != 0)
        return RDL_EXIT_USAGE;
    if (opt->takes == NOTHING && value != NULL) {
        rdl_cli_print_error("--%s takes no value", opt->word);
        return rdl_cli_usage(o->verb);
    }
    if (opt->takes == VALUE && value == NULL) {
        value = argv[*i + 1];
        if (value == NULL)
            return needs_value(o, opt);
        (*i)++;
    }
    return take(o, opt, value);
}

/* Reads "-n", "-qn", "-w5", "-w 5", "-qw5". */
static int short_options(struct rdl_cli_options *o, char **argv, int *i)
{
    for (char *p = argv[*i] + 1; *p != '\0'; p++) {
        const struct option *opt = NULL;
        for (size_t k = 0; k < TABLE_LEN && opt == NULL; k++)
            if (table[k].letter == *p)
                opt = &table[k];
        if (opt == NULL) {
            char name[3] = {'-', *p, 0};
            return unknown(o, name, 2);
        }
        if (check_verb(o, opt) != 0)
            return RDL_EXIT_USAGE;
        char *value = NULL;
        if (opt->takes == VALUE) {
            value = p[1] != '\0' ? p + 1 : argv[++*i];
            if (value == NULL)
                return needs_value(o, opt);
        }
        int rc = take(o, opt, value);
        if (rc != 0 || value != NULL)
            return rc;
    }
    return 0;
}

/* Prints help. word is the argument after --help, or NULL. Other options are ignored. */
static int take_help(struct rdl_cli_options *o, const char *word)
{
    o->help_all = word != NULL && strcmp(word, "all") == 0;
    if (word == NULL || o->help_all || word[0] == '-')
        return 0;
    rdl_cli_print_error("--help: give nothing or \"all\" after it");
    return rdl_cli_usage(o->verb);
}

int rdl_cli_options_parse(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv)
{
    const char *guard = getenv("REDLOCK_RESTART_GUARD");
    int rc = 0, i = 0;

    memset(o, 0, sizeof *o);
    o->verb = verb;
    o->token_fd = -1;
    o->wait_ms = RDL_CLI_FOREVER;
    o->has_ttl = (verb & WITH_TTL) != 0;
    o->conflict_status = RDL_EXIT_CONFLICT;
    o->password_fd = -1;
    o->log_fd = -1;
    o->guard = RDL_GUARD_IF_PERMITTED;
    if (guard != NULL && guard[0] != '\0')
        rc = take_word("$REDLOCK_RESTART_GUARD", guard, guards, RDL_GUARD_STRICT, &o->guard);
    for (; rc == 0 && i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i += o->n_names == 0 || verb != RDL_CLI_RUN; /* otherwise it belongs to the command */
            break;
        }
        rc = argv[i][1] == '-' ? long_option(o, argv, &i) : short_options(o, argv, &i);
        if (o->help)
            return take_help(o, argv[i + 1]);
    }
    return rc == 0 ? rdl_cli_operands_take(o, argc, argv, i) : rc;
}
