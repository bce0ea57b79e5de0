/* SPDX-License-Identifier: MIT */
/*
 * `redlock break`: deletes a lock whose holder is gone. It deletes that very value, on every server that
 * still has it, and never another. A client that took the lock in the meantime keeps it.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/servers.h"
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

/* ---------------------------------------------------------------- the query */

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
static void ask(const char *lock, const struct rdl_cli_verdict *v)
{
    char holder[RDL_OWNER_MAX + 16];
    struct rdl_cli_text t = {holder, sizeof holder, 0};

    rdl_cli_add_holder(&t, v->id, v->owner);
    tcflush(STDIN_FILENO, TCIFLUSH);
    rdl_cli_ask("delete %s, held by %s? Only if that client is gone [y/N] ", lock, holder);
}

static int read_yes(void)
{
    char line[8];
    ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);

    line[n > 0 ? n : 0] = '\0';
    return strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0;
}

static int says_yes(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v)
{
    struct pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {l->posix.wake_fd, POLLIN, 0}};

    ask(l->o->lock, v);
    for (;;) {
        fds[0].revents = 0;
        (void)poll(fds, 2, rdl_cli_flush(0) ? KEPT_MS : -1);
        if (obey())
            ask(l->o->lock, v);
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
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return rdl_cli_fail(
            RDL_EXIT_USAGE,
            "cannot ask without a terminal: give --held-by %08" PRIx32 " if the holder is gone", v->id);
    if (says_yes(l, v))
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

int rdl_cli_break(int argc, char **argv)
{
    return rdl_cli_look(RDL_CLI_BREAK, argc, argv, break_it);
}
