/* SPDX-License-Identifier: MIT */
/*
 * The locks that are held, as metrics in the text format of Prometheus. The lines of one metric follow each
 * other there, so what was read is kept until all of it is known. No two lines have the same labels: a reader
 * of such a text would refuse all of it.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/metrics.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/servers/query.h"
#include "redlock/cli/servers/query_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A character of a name has three bytes at most in a label, and its bytes two digits each. */
enum { LABELS_MAX = 5 * RDL_NAME_MAX + RDL_OWNER_MAX + 48, SERVER_MAX = 3 * RDL_CLI_WHERE_MAX + 16 };

/* A lock that is held. */
struct held {
    const char *name;
    char owner[RDL_OWNER_MAX + 1]; /* "": none, or not requested */
    uint64_t ends_ms;              /* UINT64_MAX: never */
    unsigned char votes[RDL_SERVERS_MAX];
};

static struct held all[RDL_CLI_NAMES_MAX];
static size_t n_all;
static int is_complete;

/* ---------------------------------------------------------------- what is held */

/* Returns 1 if the server counts, and has the holder's value. */
static int is_vote(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, size_t i)
{
    const struct rdl_cli_seen *s = &l->seen[i];
    int is_holders = v->is_odd ? s->what == RDL_CLI_SEEN_ODD : s->what == RDL_CLI_SEEN_KEY && s->id == v->id;

    return is_holders && rdl_cli_query_standing(l, i) == RDL_CLI_VOTES;
}

void rdl_cli_metrics_add(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name)
{
    if (v->what != RDL_CLI_HELD)
        return;
    struct held *h = &all[n_all++];
    h->name = name;
    snprintf(h->owner, sizeof h->owner, "%s", l->o->metrics_owner ? v->owner : "");
    h->ends_ms = v->ends_ms;
    for (size_t i = 0; i < l->servers->n; i++)
        h->votes[i] = (unsigned char)is_vote(l, v, i);
}

/* ---------------------------------------------------------------- labels */

/* Adds the labels of a lock. A name that cannot be shown unchanged is also given in hex. */
static void add_lock(struct rdl_cli_text *t, const struct held *h)
{
    rdl_cli_add(t, "lock=\"");
    int is_changed = rdl_cli_add_label_value(t, h->name);
    rdl_cli_add(t, is_changed ? "\",lock_hex=\"" : "\"");
    for (const char *s = h->name; is_changed && *s != '\0'; s++)
        rdl_cli_add(t, "%02x%s", (unsigned char)*s, s[1] == '\0' ? "\"" : "");
}

/* No two servers have the same label: two URLs of one server are refused. */
static void add_server(struct rdl_cli_text *t, const struct rdl_cli_query *l, size_t i)
{
    rdl_cli_add(t, "server=\"");
    rdl_cli_add_label_value(t, rdl_cli_where(l->servers, i));
    rdl_cli_add(t, "\"");
}

/* ---------------------------------------------------------------- metrics */

/* Prints a line; labels may be "". */
static int put(const char *name, const char *labels, const char *value)
{
    char line[LABELS_MAX + SERVER_MAX + 120];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_add(&t, labels[0] != '\0' ? "%s{%s} %s\n" : "%s%s %s\n", name, labels, value);
    return rdl_cli_print(line);
}

static int put_held(const char *name, const struct rdl_cli_query *l)
{
    int rc = 0;

    (void)l;
    for (size_t k = 0; k < n_all && rc == 0; k++) {
        char labels[LABELS_MAX];
        struct rdl_cli_text t = {labels, sizeof labels, 0};
        add_lock(&t, &all[k]);
        if (all[k].owner[0] != '\0') /* it has no byte that a label quotes */
            rdl_cli_add(&t, ",owner=\"%s\"", all[k].owner);
        rc = put(name, labels, "1");
    }
    return rc;
}

static int put_remaining(const char *name, const struct rdl_cli_query *l)
{
    int rc = 0;

    (void)l;
    for (size_t k = 0; k < n_all && rc == 0; k++) {
        uint64_t ms = all[k].ends_ms;
        char labels[LABELS_MAX], seconds[32];
        struct rdl_cli_text t = {labels, sizeof labels, 0}, s = {seconds, sizeof seconds, 0};
        add_lock(&t, &all[k]);
        rdl_cli_add(&s, "%" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
        rc = put(name, labels, ms == UINT64_MAX ? "+Inf" : seconds);
    }
    return rc;
}

/* Returns the length of a slot's name without its number; 0: it is not a slot's. */
static size_t slot_prefix(const char *name)
{
    const char *mark = strrchr(name, '#');
    size_t digits = mark != NULL ? strspn(mark + 1, "0123456789") : 0;

    if (digits < 1 || digits > 2 || mark[1 + digits] != '\0' ||
        memchr(name, '{', (size_t)(mark - name)) == NULL)
        return 0;
    return (size_t)(mark - name);
}

/* Prints how many slots of a name are held. The braces that its slots add are not shown. */
static int put_slots_of(const char *name, const char *slot, size_t len, unsigned held)
{
    int is_added = slot[0] == '{' && slot[len - 1] == '}' && strchr(slot + 1, '{') == NULL;
    char lock[RDL_NAME_MAX + 1], labels[LABELS_MAX], number[16];
    const struct held one = {.name = lock};
    struct rdl_cli_text t = {labels, sizeof labels, 0}, n = {number, sizeof number, 0};

    snprintf(lock, sizeof lock, "%.*s", (int)len - 2 * is_added, slot + is_added);
    add_lock(&t, &one);
    rdl_cli_add(&n, "%u", held);
    return put(name, labels, number);
}

/* The names are sorted, so the slots of one name follow each other, but for other names in between. */
static int put_slots(const char *name, const struct rdl_cli_query *l)
{
    const char *slot = NULL;
    size_t len = 0;
    unsigned held = 0;
    int rc = 0;

    (void)l;
    for (size_t k = 0; k < n_all && rc == 0; k++) {
        size_t n = slot_prefix(all[k].name);
        if (n == 0)
            continue;
        if (held > 0 && (n != len || memcmp(slot, all[k].name, n) != 0)) {
            rc = put_slots_of(name, slot, len, held);
            held = 0;
        }
        slot = all[k].name;
        len = n;
        held++;
    }
    return rc == 0 && held > 0 ? put_slots_of(name, slot, len, held) : rc;
}

static int put_votes(const char *name, const struct rdl_cli_query *l)
{
    size_t n = l->servers->n;
    int rc = 0;

    for (size_t k = 0; k < n_all * n && rc == 0; k++) {
        char labels[LABELS_MAX + SERVER_MAX];
        struct rdl_cli_text t = {labels, sizeof labels, 0};
        add_lock(&t, &all[k / n]);
        rdl_cli_add(&t, ",");
        add_server(&t, l, k % n);
        rc = put(name, labels, all[k / n].votes[k % n] ? "1" : "0");
    }
    return rc;
}

static int put_servers(const char *name, const struct rdl_cli_query *l)
{
    int rc = 0;

    for (size_t i = 0; i < l->servers->n && rc == 0; i++) {
        int is_usable = l->searched[i] && rdl_cli_query_standing(l, i) == RDL_CLI_VOTES;
        char labels[SERVER_MAX];
        struct rdl_cli_text t = {labels, sizeof labels, 0};
        add_server(&t, l, i);
        rc = put(name, labels, is_usable ? "1" : "0");
    }
    return rc;
}

static int put_time(const char *name, const struct rdl_cli_query *l)
{
    char number[32];
    struct rdl_cli_text t = {number, sizeof number, 0};

    (void)l;
    rdl_cli_add(&t, "%lld", (long long)time(NULL));
    return put(name, "", number);
}

static int put_complete(const char *name, const struct rdl_cli_query *l)
{
    (void)l;
    return put(name, "", is_complete ? "1" : "0");
}

static const struct {
    const char *name, *help;
    int (*put)(const char *name, const struct rdl_cli_query *l);
} metrics[] = {
    {"redlock_lock_held", "1: a client holds the lock. A free lock has no line.", put_held},
    {"redlock_lock_remaining_seconds", "Time until the lock expires unless it is renewed.", put_remaining},
    {"redlock_slots_held", "How many slots of the lock are held.", put_slots},
    {"redlock_lock_vote", "1: the server has the holder's key, and its vote counts.", put_votes},
    {"redlock_server_usable", "1: the server was searched, and its vote counts.", put_servers},
    {"redlock_list_timestamp_seconds", "When the servers were read, in Unix time.", put_time},
    {"redlock_list_complete", "1: all held locks are listed. 0: some may be missing.", put_complete},
};

int rdl_cli_metrics_print(const struct rdl_cli_query *l, int complete)
{
    int rc = 0;

    is_complete = complete;
    for (size_t k = 0; k < sizeof metrics / sizeof metrics[0] && rc == 0; k++) {
        char text[400];
        struct rdl_cli_text t = {text, sizeof text, 0};
        rdl_cli_add(&t, "# HELP %s %s\n# TYPE %s gauge\n", metrics[k].name, metrics[k].help, metrics[k].name);
        rc = rdl_cli_print(text);
        rc = rc == 0 ? metrics[k].put(metrics[k].name, l) : rc;
    }
    return rc;
}
