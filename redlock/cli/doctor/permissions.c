/* SPDX-License-Identifier: MIT */
/*
 * The permissions that a user needs for the options, and no more: commands, and patterns of keys. The line
 * that grants them, and the names of missing ones, come from the same two tables.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/doctor/permissions.h"
#include "redlock/cli/doctor/checks.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    PX = RDL_CLI_NEED_PX,
    FENCE = RDL_CLI_NEED_FENCE,
    HINT = RDL_CLI_NEED_HINT,
    CANARY = RDL_CLI_NEED_CANARY,
    LEGACY = RDL_CLI_NEED_LEGACY,
    INFO = RDL_CLI_NEED_INFO,
    DB = RDL_CLI_NEED_DB,
    SEVERAL = RDL_CLI_NEED_SEVERAL,
    SLOTS = RDL_CLI_NEED_SLOTS,
    TIME = RDL_CLI_NEED_TIME,
    ONCE = RDL_CLI_NEED_ONCE,
    LOCK = PX | LEGACY
};

#define ROW(name, word, needs) {word, needs},
static const struct {
    const char *word;
    unsigned needs; /* if any of these is needed */
} rights[] = {RDL_CLI_EACH_RIGHT(ROW)};

/* In the order of enum rdl_cli_key; the last row is that of all other locks. */
static const struct row {
    const char *suffix; /* for a key that belongs to the lock; NULL: none */
    int is_trial;
    unsigned needs;
} rows[] = {
    {NULL, 0, LOCK | SEVERAL}, {NULL, 1, LOCK | SEVERAL}, {":fence", 0, FENCE},
    {":fence", 1, FENCE},      {":wake", 0, HINT},        {":wake", 1, HINT},
    {NULL, 0, CANARY},         {RDL_CLI_ONCE, 0, ONCE},   {NULL, 0, SEVERAL},
};

static const struct row *row_of(enum rdl_cli_key key)
{
    return &rows[key < RDL_CLI_KEY_OTHER ? key : RDL_CLI_KEY_OTHER];
}

const char *rdl_cli_name_of(const struct rdl_cli_options *o, enum rdl_cli_key key)
{
    size_t k = key < RDL_CLI_KEY_OTHER ? 0 : 1 + (size_t)(key - RDL_CLI_KEY_OTHER);

    return o->n_names > 0 ? o->names[k] : RDL_CLI_NO_LOCK;
}

unsigned rdl_cli_needs(const struct rdl_cli_options *o, const struct rdl_cli_servers *s)
{
    unsigned needs = o->legacy == RDL_CLI_LEGACY_ALWAYS ? LEGACY : o->n_names > 1 ? SEVERAL : PX;

    needs |= (o->fence ? FENCE : 0u) | (o->wake_hint ? HINT : 0u) | (o->canary ? CANARY : 0u);
    needs |= o->once != NULL ? ONCE : 0u;
    needs |= o->slots != 0 ? SLOTS : 0u;
    needs |= (needs & LEGACY) && o->clock_error_ms == 0 ? TIME : 0u;
    if (o->guard != RDL_GUARD_OFF && o->legacy == RDL_CLI_LEGACY_NEVER)
        needs |= INFO;
    for (size_t i = 0; i < s->n; i++)
        needs |= s->endpoint[i].db != 0 ? DB : 0u;
    return needs;
}

static unsigned rights_for(unsigned needs)
{
    unsigned all = 0;

    for (int k = 0; k < RDL_CLI_RIGHTS; k++)
        all |= (rights[k].needs & needs) != 0 ? 1u << k : 0u;
    return all;
}

const char *const rdl_cli_method_words[RDL_CLI_METHODS] = {"script", "DELEX", "DELIFEQ", "WATCH", "DEL"};

/* Fencing tokens and hints need scripts, several locks scripts or MSETEX. */
int rdl_cli_is_scriptless(const struct rdl_cli_checks *x, unsigned needs)
{
    return (x->unknown & RIGHT(EVAL)) != 0 && (x->unknown & BY_WATCH) == 0 && (needs & (FENCE | HINT)) == 0 &&
           ((needs & SEVERAL) == 0 || x->extends != 0);
}

unsigned rdl_cli_rights_on(const struct rdl_cli_checks *x, unsigned needs)
{
    unsigned all = rights_for(needs);

    if (!rdl_cli_is_scriptless(x, needs))
        return all;
    all = (all & ~BY_EVAL) | BY_WATCH;
    if (needs & SEVERAL) {
        all &= ~(RIGHT(PSETEX) | RIGHT(PEXPIRE) | RIGHT(DEL));
        all |= RIGHT(MGET) | RIGHT(MSETEX) | (x->releases & RDL_CLI_BY_DELEX ? RIGHT(DELEX) : RIGHT(DELIFEQ));
    }
    return all;
}

static unsigned keys_for(const struct rdl_cli_options *o, unsigned needs)
{
    int n_others = o->n_names > 1 ? (int)o->n_names - 1 : 0;
    unsigned all = 0;

    for (int k = 0; k < RDL_CLI_KEY_OTHER + n_others; k++)
        all |= (row_of((enum rdl_cli_key)k)->needs & needs) != 0 ? 1u << k : 0u;
    return all;
}

void rdl_cli_key(enum rdl_cli_key key, const char *lock, const char *trial, char *out, size_t cap)
{
    const struct row *row = row_of(key);
    const char *name = row->is_trial ? trial : lock;
    char suffix[sizeof RDL_CLI_ONCE + RDL_CLI_TRIAL_MAX + 1];

    if (key == RDL_CLI_KEY_TICK) {
        snprintf(suffix, sizeof suffix, RDL_CLI_ONCE "%s", trial + strlen(lock));
        rdl_cli_side_key(lock, suffix, out, cap);
    } else if (key == RDL_CLI_KEY_CANARY)
        snprintf(out, cap, "%s", RDL_CANARY_KEY);
    else if (row->suffix != NULL)
        rdl_cli_side_key(name, row->suffix, out, cap);
    else
        snprintf(out, cap, "%s", name);
}

/* ---------------------------------------------------------------- words of an ACL */

/* Adds a word for redis-cli, quoted if necessary. */
static void add_word(struct rdl_cli_text *t, const char *word, size_t len)
{
    static const char plain[] = "~*{}:+-_.@/,=<>()|!#$%^&[]?\\";
    int is_plain = len > 0;

    for (size_t i = 0; i < len; i++)
        is_plain =
            is_plain && (isalnum((unsigned char)word[i]) || strchr(plain, word[i]) != NULL) && word[i] != 0;
    rdl_cli_add(t, is_plain ? " " : " \"");
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)word[i];
        if (!is_plain && (byte < ' ' || byte > '~'))
            rdl_cli_add(t, "\\x%02x", byte);
        else
            rdl_cli_add(t, "%s%c", !is_plain && (byte == '"' || byte == '\\') ? "\\" : "", byte);
    }
    rdl_cli_add(t, is_plain ? "" : "\"");
}

/* Writes a pattern that matches a name. An ACL rule may contain no space, so the pattern has a ? there. */
static void escape(const char *name, char out[RDL_CLI_PATTERN_MAX])
{
    for (; *name != '\0'; name++) {
        if (strchr("*?[\\", *name) != NULL)
            *out++ = '\\';
        *out++ = isspace((unsigned char)*name) ? '?' : *name;
    }
    *out = '\0';
}

static void add_key(struct rdl_cli_text *t, enum rdl_cli_key key, const char *lock)
{
    char escaped[RDL_CLI_PATTERN_MAX], trial[RDL_CLI_PATTERN_MAX + RDL_CLI_TRIAL_MAX];
    char word[sizeof trial + 16] = "~";

    if (row_of(key)->is_trial && row_of(key)->suffix != NULL && strchr(lock, '}') != NULL)
        return; /* the pattern of its lock matches it, too */
    escape(lock, escaped);
    snprintf(trial, sizeof trial, "%s%s*", escaped, key == RDL_CLI_KEY_TICK ? "" : RDL_CLI_TRIAL);
    rdl_cli_key(key, escaped, trial, word + 1, sizeof word - 1);
    add_word(t, word, strlen(word));
}

/* Adds the pattern of all slots, whose first one is the lock, and of its test key. */
static void add_slots(struct rdl_cli_text *t, const char *first)
{
    char word[RDL_CLI_PATTERN_MAX + 1] = "~";

    escape(first, word + 1);
    word[strlen(word) - 1] = '*';
    add_word(t, word, strlen(word));
}

void rdl_cli_permissions_words(struct rdl_cli_text *t, const struct rdl_cli_options *o,
                               unsigned wanted_rights, unsigned wanted_keys)
{
    const unsigned of_slots = o->slots != 0 ? 1u << RDL_CLI_KEY_LOCK | 1u << RDL_CLI_KEY_TRIAL : 0;

    if (wanted_keys & of_slots)
        add_slots(t, rdl_cli_name_of(o, RDL_CLI_KEY_LOCK));
    for (int k = 0; k < RDL_CLI_KEYS; k++)
        if (wanted_keys & ~of_slots & 1u << k)
            add_key(t, (enum rdl_cli_key)k, rdl_cli_name_of(o, (enum rdl_cli_key)k));
    for (int k = 0; k < RDL_CLI_RIGHTS; k++)
        if (wanted_rights & 1u << k)
            rdl_cli_add(t, " +%s", rights[k].word);
}

/* Adds the databases, only for servers that know the rule. */
static void add_databases(struct rdl_cli_text *t, const struct rdl_cli_servers *s,
                          const struct rdl_cli_checks checks[RDL_SERVERS_MAX])
{
    for (size_t i = 0; i < s->n; i++) {
        size_t k = 0;
        while (k < i && !(checks[k].is_db_refused && s->endpoint[k].db == s->endpoint[i].db))
            k++;
        if (checks[i].is_db_refused && k == i)
            rdl_cli_add(t, " db=%u", (unsigned)s->endpoint[i].db);
    }
}

/* ACLs exist since Redis 6. */
int rdl_cli_permissions_is_known(const struct rdl_cli_query *l,
                                 const struct rdl_cli_checks checks[RDL_SERVERS_MAX])
{
    size_t there = 0, old = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        const struct rdl_cli_host *h = &l->host[i];
        there += checks[i].is_there != 0;
        old += checks[i].is_there && (h->is_ancient || (h->redis_major > 0 && h->redis_major < 6));
    }
    return there == 0 || old < there;
}

void rdl_cli_permissions_line(struct rdl_cli_text *t, const struct rdl_cli_options *o,
                              const struct rdl_cli_servers *s,
                              const struct rdl_cli_checks checks[RDL_SERVERS_MAX])
{
    struct rdl_bytes user = {"redlock", 7};
    unsigned needs = rdl_cli_needs(o, s), wanted = 0;

    for (size_t i = s->n; i-- > 0;) {
        if (s->endpoint[i].user.len > 0)
            user = s->endpoint[i].user;
        if (checks[i].is_tried)
            wanted |= rdl_cli_rights_on(&checks[i], needs);
    }
    if (wanted == 0)
        wanted = rights_for(needs);
    rdl_cli_add(t, "ACL SETUSER");
    add_word(t, user.data, user.len);
    rdl_cli_add(t, " on");
    if (o->lock == NULL)
        rdl_cli_add(t, " ~*");
    rdl_cli_permissions_words(t, o, wanted, o->lock != NULL ? keys_for(o, needs) : 0);
    add_databases(t, s, checks);
    rdl_cli_mark_cut(t);
}
