/* SPDX-License-Identifier: MIT */
/* What follows the options on the command line: the names of locks, and the command. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/operands.h"
#include "lock/lock_multi.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/urls.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"
#include "redlock/redlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rdl_cli_side_key(const char *name, const char *suffix, char *out, size_t cap)
{
    struct rdl_bytes text = {name, strlen(name)};
    size_t room = cap - strlen("{}") - strlen(suffix) - 1;

    if (text.len > room)
        text.len = room;
    out[rdl_side_key(out, text, suffix)] = '\0';
}

void rdl_cli_slot_name(const char *name, unsigned slot, char out[RDL_CLI_SLOT_MAX])
{
    rdl_cli_side_key(name, "#", out, RDL_CLI_SLOT_MAX - 2);
    snprintf(out + strlen(out), 4, "%u", slot & 0xff);
}

static int check_name(const struct rdl_cli_options *o, const char *name)
{
    if (rdl_cli_url_is_one(name)) { /* its password would become a key, and the lock's name the command */
        return rdl_cli_misuse(o->verb, "the lock name looks like the URL of a server: give -u before a URL");
    }
    size_t len = strlen(name);
    if (len == 0 || len > RDL_NAME_MAX)
        return rdl_cli_fail(RDL_EXIT_DATA, "the lock name has %lu bytes: it must have 1 to %d",
                            (unsigned long)len, RDL_NAME_MAX);
    if (strcmp(name, RDL_CANARY_KEY) == 0)
        return rdl_cli_fail(RDL_EXIT_DATA,
                            "%s is the key of --canary and cannot be a lock name: choose another",
                            RDL_CANARY_KEY);
    return 0;
}

/* Blanks, quotes and what a shell leaves of a variable: people do not see them, or paste them by mistake. */
static const char *const edges[] = {" ",
                                    "'",
                                    "\"",
                                    "`",
                                    "$",
                                    "\xc2\xa0",
                                    "\xef\xbb\xbf",
                                    "\xe2\x80\x98",
                                    "\xe2\x80\x99",
                                    "\xe2\x80\x9c",
                                    "\xe2\x80\x9d"};

static int is_edge(const char *name, int is_end)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        size_t n = strlen(edges[i]);
        if (len >= n && memcmp(is_end ? name + len - n : name, edges[i], n) == 0)
            return 1;
    }
    return is_end && len >= 2 && strcmp(name + len - 2, "${") == 0;
}

/* Returns why two hosts could use different names that look the same; NULL: they do not. */
static const char *name_fault(const char *name)
{
    for (const char *at = name; *at != '\0'; at += rdl_cli_char_len(at))
        if (rdl_cli_acting_len(at) > 0)
            return "has a control character";
    if (is_edge(name, 0))
        return "begins with a space, a quote, a $ or a byte order mark";
    return is_edge(name, 1) ? "ends with a space, a quote, a $ or a byte order mark" : NULL;
}

static int check_look(const struct rdl_cli_options *o, const char *name)
{
    const char *fault = name_fault(name);
    char shown[6 * RDL_NAME_MAX + 3] = "";
    struct rdl_cli_text t = {shown, sizeof shown, 0};

    if (fault == NULL || o->any_name)
        return 0;
    rdl_cli_add_name(&t, name);
    if ((o->verb & RDL_CLI_GETTING) == 0) {
        rdl_cli_print_warning("the lock name %s %s: a name that looks the same is another lock", shown,
                              fault);
        return 0;
    }
    return rdl_cli_fail(
        RDL_EXIT_DATA,
        "the lock name %s %s: another host may use a name that looks the same, and both would "
        "hold a lock; correct the name, or give --any-name",
        shown, fault);
}

static void check_prefix(const char *prefix)
{
    const char *fault = name_fault(prefix);
    char shown[6 * RDL_NAME_MAX + 3] = "";
    struct rdl_cli_text t = {shown, sizeof shown, 0};

    if (fault == NULL)
        return;
    rdl_cli_add_name(&t, prefix);
    rdl_cli_print_warning("the prefix %s %s: lock names that look the same do not match", shown, fault);
}

/* Checks how the names look, when all options are known. */
static int check_looks(const struct rdl_cli_options *o)
{
    int rc = 0;

    if (o->n_names == 0 && o->n_looked_at == 0 && o->lock != NULL)
        check_prefix(o->lock);

    for (size_t k = 0; k < o->n_names && rc == 0; k++)
        rc = check_look(o, o->names[k]);
    for (size_t k = 0; o->n_names == 0 && k < o->n_looked_at && rc == 0; k++)
        rc = check_look(o, o->looked_at[k]);
    return rc;
}

/* Returns the length of the option's name: what follows may be a secret, as in "-uURL". */
static int option_len(const char *word)
{
    return word[1] == '-' ? (int)strcspn(word, "=") : 2;
}

int rdl_cli_operands_check_word(const struct rdl_cli_options *o, const char *word)
{
    if (word[0] != '-')
        return 0;
    if (strcmp(word, "--") == 0)
        return rdl_cli_misuse(o->verb, "no lock name before --: redlock run [options] LOCK -- COMMAND; put a "
                                       "variable in quotes, so that an empty one is noticed");
    return rdl_cli_misuse(o->verb,
                          "%.*s is not a lock name: options must come before the lock name; for a lock of "
                          "this name, give --lock=NAME",
                          option_len(word), word);
}

/* Checks several locks: their names must differ, and fit into one request. */
static int check_together(const struct rdl_cli_options *o, const char *name)
{
    size_t n = o->n_names + 1, len = strlen(name);

    if (n > RDL_MULTI_MAX)
        return rdl_cli_fail(RDL_EXIT_USAGE, "-l %s is one lock too many: give at most %d", name,
                            RDL_MULTI_MAX);
    for (size_t k = 0; k < o->n_names; k++) {
        len += strlen(o->names[k]);
        if (strcmp(o->names[k], name) == 0)
            return rdl_cli_fail(RDL_EXIT_USAGE, "-l %s is given twice: name each lock once", name);
    }
    if (n == 1 || len <= RDL_NAME_MAX - n)
        return 0;
    return rdl_cli_fail(
        RDL_EXIT_DATA,
        "-l %s: the names of these %lu locks have %lu bytes together: they must have at most %lu", name,
        (unsigned long)n, (unsigned long)len, (unsigned long)(RDL_NAME_MAX - n));
}

int rdl_cli_operands_add_lock(struct rdl_cli_options *o, const char *name)
{
    int rc = check_name(o, name);

    if (rc == 0)
        rc = check_together(o, name);
    if (rc == 0)
        o->names[o->n_names++] = name;
    return rc;
}

int rdl_cli_operands_set_shell(struct rdl_cli_options *o, char *string)
{
    static char sh[] = "/bin/sh", c[] = "-c";
    o->shell[0] = sh;
    o->shell[1] = c;
    o->shell[2] = string;
    o->shell[3] = NULL;
    o->command = o->shell;
    return 0;
}

/*
 * Refuses a token as an argument: all users see arguments, and any process with the token can release the
 * lock.
 */
int rdl_cli_refuse_token(char *token)
{
    memset(token, '*', strlen(token));
    return rdl_cli_fail(RDL_EXIT_USAGE,
                        "a token on the command line can be read by every user of this host: give it by "
                        "--token-file, --token-fd or $REDLOCK_TOKEN");
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the names: in another order they are the same locks. */
static void name_locks(struct rdl_cli_options *o)
{
    static char words[RDL_CLI_LOCKS_MAX];
    struct rdl_cli_text t = {words, sizeof words, 0};

    if (o->n_names == 1)
        o->lock = o->names[0];
    if (o->n_names < 2)
        return;
    qsort(o->names, o->n_names, sizeof o->names[0], by_bytes);
    for (size_t k = 0; k < o->n_names; k++)
        rdl_cli_add_lock(&t, o->names[k]);
    o->lock = words;
}

/* Reads what follows LOCK: "-- CMD...", "CMD...", or flock's "-c string". */
static int take_command(struct rdl_cli_options *o, int argc, char **argv, int i)
{
    int is_shell = i < argc && (strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "--command") == 0);

    if (is_shell && o->command != NULL)
        return rdl_cli_misuse(o->verb, "-c is given twice, before and after the lock name");
    if (is_shell && i + 1 == argc)
        return rdl_cli_misuse(o->verb, "-c needs a value: the command, as one string");
    if (is_shell) {
        rdl_cli_operands_set_shell(o, argv[i + 1]);
        i += 2;
    } else if (i < argc && strcmp(argv[i], "--") == 0) {
        i++;
    } else if (i < argc && argv[i][0] == '-') {
        return rdl_cli_misuse(
            o->verb,
            "%.*s: options must come before the lock name, and a command that begins with '-' after --",
            option_len(argv[i]), argv[i]);
    }
    if (o->command != NULL) {
        if (i == argc)
            return 0;
        return rdl_cli_misuse(o->verb, "-c takes the whole command as one string: unexpected extra argument");
    }
    if (i >= argc) { /* the name is not printed: it may be a URL without its -u */
        return rdl_cli_misuse(o->verb,
                              "no command after the lock name: redlock run [options] LOCK -- COMMAND");
    }
    o->command = argv + i;
    return 0;
}

/* Returns 1 for 40 hex digits, as acquire prints them. */
static int looks_like_token(const char *word)
{
    return strlen(word) >= RDL_VALUE_MAX && strspn(word, "0123456789abcdefABCDEF") >= RDL_VALUE_MAX;
}

/* Refuses what follows LOCK, for verbs without a command. */
static int take_nothing(const struct rdl_cli_options *o, int argc, char **argv, int i)
{
    if (i >= argc)
        return 0;
    if (looks_like_token(argv[i]))
        return rdl_cli_refuse_token(argv[i]);
    if (argv[i][0] == '-')
        return rdl_cli_misuse(o->verb, "options must come before the lock name");
    return rdl_cli_misuse(o->verb, "redlock %s takes one lock: unexpected extra argument",
                          rdl_cli_verb_word(o->verb));
}

/* Reads the prefix of the names of locks; without one, all locks are listed. */
static int take_prefix(struct rdl_cli_options *o, int argc, char **argv, int i)
{
    o->lock = i < argc ? argv[i] : "";
    size_t len = strlen(o->lock);
    if (len > RDL_NAME_MAX)
        return rdl_cli_fail(RDL_EXIT_DATA, "the prefix has %lu bytes: a lock name has at most %d",
                            (unsigned long)len, RDL_NAME_MAX);
    if (rdl_cli_url_is_one(o->lock))
        return rdl_cli_misuse(o->verb, "the prefix looks like the URL of a server: give -u before a URL");
    if (i + 1 >= argc)
        return 0;
    if (argv[i + 1][0] == '-')
        return rdl_cli_misuse(o->verb, "options must come before the prefix");
    return rdl_cli_misuse(o->verb, "redlock %s takes one prefix: unexpected extra argument",
                          o->verb == RDL_CLI_BREAK ? "break --owner" : "list");
}

/* Returns how much longer than a lock's name the name of its second key is. */
static size_t more_beside(const char *name, const char *suffix)
{
    char key[RDL_NAME_MAX + 16];

    rdl_cli_side_key(name, suffix, key, sizeof key);
    return strlen(key) - strlen(name);
}

/*
 * Checks that the test key's name, and those of the keys that belong to it, fit. With several locks, each
 * name takes one more byte for its length.
 */
static int check_patient(const struct rdl_cli_options *o)
{
    size_t len = strlen(o->names[0]), more = RDL_CLI_TRIAL_MAX;
    int most = RDL_NAME_MAX - (o->n_names > 1);

    if (o->fence || o->once != NULL) /* their suffixes are longer, and equally long */
        more += more_beside(o->names[0], ":fence");
    else if (o->wake_hint)
        more += more_beside(o->names[0], ":wake");
    if (len + more <= (size_t)most)
        return 0;
    return rdl_cli_fail(
        RDL_EXIT_DATA,
        "the lock name has %lu bytes, and the key that doctor tests has %lu more: together they must "
        "have at most %d",
        (unsigned long)len, (unsigned long)more, most);
}

/* Reads the remaining arguments as locks. */
static int take_locks(struct rdl_cli_options *o, int argc, char **argv, int i)
{
    int rc = 0;

    o->looked_at = (const char *const *)argv + i;
    o->n_looked_at = (size_t)(argc - i);
    for (; i < argc && rc == 0; i++) {
        rc = rdl_cli_operands_check_word(o, argv[i]);
        if (rc == 0)
            rc = check_name(o, argv[i]);
    }
    return rc;
}

/* Reads the rest. If -l named the locks there is no LOCK: the command follows, or nothing. */
static int take_rest(struct rdl_cli_options *o, enum rdl_cli_takes takes, int argc, char **argv, int i)
{
    int is_followed = i < argc && argv[i][0] != '-' && i + 1 < argc && strcmp(argv[i + 1], "--") == 0;

    name_locks(o);
    if (takes == RDL_CLI_TAKES_LOCKS) {
        o->looked_at = o->names;
        o->n_looked_at = o->n_names;
    }
    if (takes == RDL_CLI_TAKES_COMMAND && !is_followed)
        return take_command(o, argc, argv, i);
    if (i < argc && looks_like_token(argv[i]))
        return rdl_cli_refuse_token(argv[i]);
    if (i < argc)
        return rdl_cli_misuse(o->verb, "unexpected extra argument: with -l, give every lock by -l");
    return takes == RDL_CLI_TAKES_LOCK_OR_NONE ? check_patient(o) : 0;
}

static int take_all(struct rdl_cli_options *o, int argc, char **argv, int i)
{
    enum rdl_cli_takes takes = rdl_cli_verb_row(o->verb)->takes;
    int rc;

    if (takes == RDL_CLI_TAKES_PREFIX || (o->verb == RDL_CLI_BREAK && o->owner != NULL && o->n_names == 0))
        return take_prefix(o, argc, argv, i);
    if (o->verb == RDL_CLI_BREAK && o->owner != NULL)
        return rdl_cli_misuse(o->verb, "--owner searches for locks: give a prefix of their names, not -l");
    if (o->n_names > 0)
        return take_rest(o, takes, argc, argv, i);
    if (i >= argc && takes == RDL_CLI_TAKES_LOCK_OR_NONE)
        return 0;
    if (i >= argc)
        return rdl_cli_misuse(o->verb, "no lock name%s",
                              takes == RDL_CLI_TAKES_COMMAND ? " and no command" : "");
    if (takes == RDL_CLI_TAKES_LOCKS)
        return take_locks(o, argc, argv, i);
    rc = rdl_cli_operands_check_word(o, argv[i]);
    if (rc == 0)
        rc = rdl_cli_operands_add_lock(o, argv[i]);
    name_locks(o);
    if (rc == 0 && takes == RDL_CLI_TAKES_LOCK_OR_NONE)
        rc = check_patient(o);
    if (rc != 0)
        return rc;
    return takes == RDL_CLI_TAKES_COMMAND ? take_command(o, argc, argv, i + 1)
                                          : take_nothing(o, argc, argv, i + 1);
}

int rdl_cli_operands_take(struct rdl_cli_options *o, int argc, char **argv, int i)
{
    int rc = take_all(o, argc, argv, i);

    return rc == 0 ? check_looks(o) : rc;
}
