/* SPDX-License-Identifier: MIT */
/*
 * `redlock break`: deletes a lock whose holder is gone. It deletes that very value, on every server that
 * still has it, and never another. A client that took the lock in the meantime keeps it. With --owner it does
 * so for all locks that this holder has.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/servers.h"
#include "redlock/cli/verbs/search.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/cli/verbs/verbs.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum {
    GO = -1,      /* no exit status yet: delete the lock */
    KEPT_MS = 100 /* a terminal that accepts nothing now is tried again */
};

/* Counts the servers that have the value. */
static unsigned standing(const struct rdl_cli_query *l, uint32_t id)
{
    unsigned n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += l->seen[i].what == RDL_CLI_SEEN_KEY && l->seen[i].id == id;
    return n;
}

static unsigned count(const struct rdl_cli_query *l, enum rdl_cli_what what)
{
    unsigned n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += l->seen[i].what == what;
    return n;
}

/* ---------------------------------------------------------------- asking */

/* Returns 1 to ask again, because we were stopped. Other signals end the process. */
static int obey(void)
{
    int was_stopped = 0;

    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next()) {
        if (sig == SIGTSTP)
            raise(SIGSTOP);
        else if (rdl_cli_signals_ends(sig))
            rdl_cli_signals_die(sig);
        was_stopped |= sig == SIGTSTP || sig == SIGCONT;
    }
    return was_stopped;
}

/* Asks. What was typed before is no answer. */
static void ask(const char *question)
{
    tcflush(STDIN_FILENO, TCIFLUSH);
    rdl_cli_ask("%s [y/N] ", question);
}

static int has_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static int read_yes(void)
{
    char line[8];
    ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);

    line[n > 0 ? n : 0] = '\0';
    return strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0;
}

static int says_yes(const struct rdl_cli_query *l, const char *question)
{
    struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {l->posix.wake_fd, POLLIN, 0}};

    ask(question);
    for (;;) {
        fds[0].revents = 0;
        (void)poll(fds, 2, rdl_cli_flush(0) ? KEPT_MS : -1);
        if (obey())
            ask(question);
        else if (fds[0].revents != 0)
            return read_yes();
    }
}

/* ---------------------------------------------------------------- choosing the holder */

/* Returns 1 if the lock is held only by values that cannot be compared, and so are not deleted. */
static int is_odd(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v)
{
    return v->is_odd || (count(l, RDL_CLI_SEEN_ODD) > 0 && count(l, RDL_CLI_SEEN_KEY) == 0);
}

static int refuse_odd(const struct rdl_cli_query *l)
{
    size_t i = 0;

    while (l->seen[i].what != RDL_CLI_SEEN_ODD)
        i++;
    return rdl_cli_fail(RDL_EXIT_DATA, "%s on %s is %s, not a lock: %s", l->o->lock,
                        rdl_cli_where(l->servers, i), rdl_cli_seen_odd(&l->seen[i]),
                        rdl_cli_name_is_counter(l->o->lock) ? rdl_cli_counter_remedy
                                                            : "if nothing needs it, delete it by hand");
}

/* Prints that this holder has no lock. */
static int refuse_other(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v)
{
    const struct rdl_cli_options *o = l->o;

    if (v->what == RDL_CLI_FREE) {
        rdl_cli_print_info("%s is not held: there is nothing to break", o->lock);
        return 0;
    }
    if (is_odd(l, v))
        return refuse_odd(l);
    if (v->what == RDL_CLI_UNKNOWN)
        return rdl_cli_fail(
            rdl_cli_query_status(l),
            "nothing was deleted: it is unknown whether %s is held, because too few servers replied "
            "or have a vote; check them with redlock doctor",
            o->lock);
    return rdl_cli_fail(RDL_EXIT_CONFLICT, "%s is not held by %s: nothing was deleted", o->lock, o->held_by);
}

/* Chooses the holder by --held-by, or asks on a terminal. Returns GO, or an exit status after the reason. */
static int choose(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, uint32_t *id)
{
    const struct rdl_cli_options *o = l->o;
    char question[RDL_NAME_MAX + RDL_OWNER_MAX + 80];
    struct rdl_cli_text t = {question, sizeof question, 0};

    *id = o->held_by != NULL ? (uint32_t)strtoul(o->held_by, NULL, 16) : v->id;
    if (o->held_by != NULL ? standing(l, *id) == 0 : count(l, RDL_CLI_SEEN_KEY) == 0 || is_odd(l, v))
        return refuse_other(l, v);
    if (o->held_by != NULL)
        return GO;
    if (v->what != RDL_CLI_HELD)
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "no client holds %s on a majority of the servers: say whose keys to delete by --held-by ID",
            o->lock);
    if (!has_terminal())
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "cannot ask without a terminal: give --held-by %08" PRIx32 " if the holder is gone", v->id);
    rdl_cli_add(&t, "delete %s, held by ", o->lock);
    rdl_cli_add_holder(&t, v->id, v->owner);
    rdl_cli_add(&t, "? Only if that client is gone");
    if (says_yes(l, question))
        return GO;
    rdl_cli_print_info("%s was not deleted", o->lock);
    return RDL_EXIT_CONFLICT;
}

/* ---------------------------------------------------------------- everything together */

/* Returns 0 if it is gone on so many servers that its holder cannot get a majority by putting it back. */
static int break_status(const struct rdl_cli_query *l, uint32_t id, int is_changed, const char *why)
{
    unsigned n = (unsigned)l->servers->n, needed = n - n / 2;
    unsigned gone = n - count(l, RDL_CLI_SEEN_NOTHING) - standing(l, id);

    if (is_changed)
        return rdl_cli_fail(RDL_EXIT_CONFLICT, "%s changed while it was being deleted: see redlock status %s",
                            l->o->lock, l->o->lock);
    if (gone < needed)
        return rdl_cli_fail(rdl_cli_query_status(l),
                            "%s, held by %08" PRIx32
                            ", is gone from %u of %u servers (%u needed): that client may still hold it; %s",
                            l->o->lock, id, gone, n, needed, why[0] != '\0' ? why : "try again");
    rdl_cli_print_info(
        "%s, held by %08" PRIx32
        ", is gone from %u of %u servers; if that client is alive, it learns at its next renewal "
        "that the lock is lost",
        l->o->lock, id, gone, n);
    return 0;
}

static const char *refusal_advice(int error, const char *said)
{
    return error == RDL_E_PERM || error == RDL_E_UNSUPPORTED ? "redlock doctor prints what the user needs"
                                                             : rdl_cli_refusal_advice(said);
}

/* Writes why a server refused to delete the key, and what to do: the first that did; "": none did. */
static void add_refusal(const struct rdl_cli_query *l, char *out, size_t cap)
{
    char why[400];

    out[0] = '\0';
    for (size_t i = 0; i < l->servers->n && out[0] == '\0'; i++) {
        if (l->req[i].answer != RDL_ANSWER_ERROR)
            continue;
        rdl_cli_query_error(l, i, why, sizeof why);
        snprintf(out, cap, "%s did not delete it (%s): %s", rdl_cli_where(l->servers, i), why,
                 refusal_advice(l->seen[i].error, why));
    }
}

static int break_it(struct rdl_cli_query *l)
{
    char why[RDL_CLI_WHERE_MAX + 520];
    const char *name = l->o->lock;
    struct rdl_cli_verdict v;
    uint32_t id;

    if (rdl_cli_name_is_tick(name))
        return rdl_cli_fail(RDL_EXIT_DATA,
                            "%s is the record of a tick (--once), not a lock: to let the tick run again, DEL "
                            "it on all servers",
                            name);
    rdl_cli_query_at(l, name);
    rdl_cli_query_verdict(l, &v);
    int rc = rdl_cli_query_show(l, &v, name);
    if (rc != 0)
        return rc;
    rc = choose(l, &v, &id);
    if (rc != GO)
        return rc;
    if (l->o->held_by == NULL)
        rdl_cli_query_connect(l); /* the user may have taken hours to answer */
    int is_changed = rdl_cli_query_break(l, name, id);
    add_refusal(l, why, sizeof why);
    rdl_cli_query_at(l, name);
    return break_status(l, id, is_changed, why);
}

/* ---------------------------------------------------------------- all locks of an owner */

/* A value that was listed, and is deleted. */
struct doomed {
    const char *name;
    struct rdl_cli_seen seen;
};

static struct doomed *all;
static size_t n_all;

/* Adds a value, once for each lock. Returns 0: no memory. */
static int add_doomed(const char *name, const struct rdl_cli_seen *seen)
{
    if (n_all > 0 && all[n_all - 1].name == name && rdl_cli_seen_is_same(&all[n_all - 1].seen, seen))
        return 1;
    if (n_all % 64 == 0) {
        struct doomed *more = realloc(all, (n_all + 64) * sizeof *all);
        if (more == NULL)
            return 0;
        all = more;
    }
    all[n_all++] = (struct doomed){name, *seen};
    return 1;
}

static int print_doomed(const struct rdl_cli_query *l, const struct doomed *d)
{
    char line[RDL_NAME_MAX + RDL_OWNER_MAX + 120], owner[RDL_OWNER_MAX + 1];
    struct rdl_cli_text t = {line, sizeof line, 0};

    rdl_cli_seen_owner(&d->seen, owner);
    rdl_cli_add(&t, "%s: held by ", d->name);
    rdl_cli_add_holder(&t, d->seen.id, owner);
    rdl_cli_add(&t, " on %u of %zu", standing(l, d->seen.id), l->servers->n);
    if (d->seen.pttl_ms >= 0) {
        rdl_cli_add(&t, ", expires in ");
        rdl_cli_add_seconds(&t, (uint64_t)d->seen.pttl_ms);
    } else {
        rdl_cli_add(&t, ", never expires");
    }
    return rdl_cli_print_line(line);
}

/* Finds the values and prints them. Returns 0 or an exit status. */
static int find_all(struct rdl_cli_query *l, struct rdl_cli_gaps *g)
{
    rdl_cli_search(l, g);
    for (const char *name; (name = rdl_cli_search_next(l, g)) != NULL;)
        for (size_t i = 0; i < l->servers->n; i++) {
            size_t before = n_all;
            if (!rdl_cli_owner_matches(l, i))
                continue;
            if (!add_doomed(name, &l->seen[i]))
                return rdl_cli_fail(RDL_EXIT_OS, "out of memory");
            if (n_all > before && print_doomed(l, &all[before]) != 0)
                return RDL_EXIT_OS;
        }
    return 0;
}

static int may_delete(const struct rdl_cli_query *l)
{
    char question[120];

    if (l->o->yes)
        return GO;
    if (!has_terminal())
        return rdl_cli_fail(RDL_EXIT_USAGE,
                            "cannot ask without a terminal: give --yes if the holders are gone");
    snprintf(question, sizeof question, "delete %s? Only if their holders are gone",
             n_all == 1 ? "this lock" : "these locks");
    if (says_yes(l, question))
        return GO;
    rdl_cli_print_info("nothing was deleted");
    return RDL_EXIT_CONFLICT;
}

/*
 * Deletes this value from all servers. Returns 1 if it is gone from so many that its holder cannot get a
 * majority by putting it back; else *why is the reason.
 */
static int delete_one(struct rdl_cli_query *l, const struct doomed *d, char *why, size_t cap)
{
    size_t n = l->servers->n, gone = 0;

    for (size_t i = 0; i < n; i++)
        l->seen[i] = d->seen;
    (void)rdl_cli_query_break(l, d->name, d->seen.id);
    for (size_t i = 0; i < n; i++) {
        uint8_t answer = l->req[i].answer;
        gone += answer == RDL_ANSWER_YES || answer == RDL_ANSWER_NO || answer == RDL_ANSWER_ABSENT;
    }
    if (gone >= n - n / 2)
        return 1;
    if (why[0] == '\0')
        add_refusal(l, why, cap);
    if (why[0] == '\0')
        snprintf(why, cap, "too few servers replied");
    return 0;
}

static int delete_all(struct rdl_cli_query *l)
{
    char why[RDL_CLI_WHERE_MAX + 520] = "";
    size_t gone = 0;

    rdl_cli_query_connect(l); /* the user may have taken hours to answer */
    l->until_ms = UINT64_MAX;
    for (size_t k = 0; k < n_all; k++)
        gone += delete_one(l, &all[k], why, sizeof why) != 0;
    if (gone < n_all)
        return rdl_cli_fail(RDL_EXIT_UNAVAILABLE, "%zu of %zu locks are gone, and the others may remain: %s",
                            gone, n_all, why);
    rdl_cli_print_info(
        "%zu lock%s gone; a holder that is alive learns at its next renewal that the lock is lost", gone,
        gone == 1 ? " is" : "s are");
    return 0;
}

static int break_all(struct rdl_cli_query *l)
{
    struct rdl_cli_gaps gaps = {0, ""};
    int rc = find_all(l, &gaps);

    if (rc == 0 && gaps.status != 0)
        rdl_cli_print_error("the list may be incomplete, so some locks may remain: %s", gaps.why);
    if (rc == 0 && n_all == 0 && gaps.status == 0)
        rdl_cli_print_info("no lock has an owner like \"%s\": there is nothing to break", l->o->owner);
    if (rc == 0 && n_all > 0) {
        rc = may_delete(l);
        rc = rc == GO ? delete_all(l) : rc;
    }
    free(all);
    return rc == 0 && gaps.status != 0 ? RDL_EXIT_UNAVAILABLE : rc;
}

static int break_one_or_all(struct rdl_cli_query *l)
{
    return l->o->owner != NULL ? break_all(l) : break_it(l);
}

int rdl_cli_break(int argc, char **argv)
{
    return rdl_cli_look(RDL_CLI_BREAK, argc, argv, break_one_or_all);
}
