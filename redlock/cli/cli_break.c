/* SPDX-License-Identifier: MIT */
/*
 * `redlock break`: delete a lock whose holder is gone. That very value, wherever it still stands, and never
 * another: who took the lock meanwhile keeps it.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Servers where the value stands. */
static unsigned standing(const struct rdl_cli_look *l, uint32_t id)
{
    unsigned n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += l->seen[i].what == RDL_CLI_SEEN_KEY && l->seen[i].id == id;
    return n;
}

static unsigned answered(const struct rdl_cli_look *l)
{
    unsigned n = 0;

    for (size_t i = 0; i < l->servers->n; i++)
        n += l->seen[i].what != RDL_CLI_SEEN_NOTHING;
    return n;
}

/* Has it what cannot be compared, and so is not deleted? */
static int is_odd(const struct rdl_cli_look *l, const struct rdl_cli_verdict *v)
{
    size_t keys = 0, odd = 0;

    for (size_t i = 0; i < l->servers->n; i++) {
        keys += l->seen[i].what == RDL_CLI_SEEN_KEY;
        odd += l->seen[i].what == RDL_CLI_SEEN_ODD;
    }
    return v->is_odd || (odd > 0 && keys == 0);
}

static int refuse_odd(const struct rdl_cli_look *l)
{
    char where[RDL_CLI_WHERE_MAX];
    size_t i = 0;

    while (l->seen[i].what != RDL_CLI_SEEN_ODD)
        i++;
    rdl_cli_servers_where(l->servers, i, where);
    rdl_cli_fail("%s at %s is %s, so no lock: delete it by hand if it is to go", l->o->lock, where,
                 rdl_cli_seen_odd(&l->seen[i]));
    return RDL_EXIT_DATA;
}

static int says_yes(const char *lock, uint32_t id)
{
    char line[8] = "";

    fprintf(stderr, "redlock: delete %s of %08" PRIx32 "? Only if its holder is gone [y/N] ", lock, id);
    fflush(stderr);
    if (fgets(line, sizeof line, stdin) == NULL)
        return 0;
    return strcmp(line, "y\n") == 0 || strcmp(line, "yes\n") == 0;
}

/* Whose it is to be: by --held-by, or asked for on a terminal. 0 or an exit status, the reason said. */
static int choose(const struct rdl_cli_look *l, const struct rdl_cli_verdict *v, uint32_t *id)
{
    const struct rdl_cli_options *o = l->o;

    if (o->held_by != NULL) {
        *id = (uint32_t)strtoul(o->held_by, NULL, 16);
        if (standing(l, *id) > 0 || v->on == 0)
            return 0;
        if (is_odd(l, v))
            return refuse_odd(l);
        rdl_cli_fail("%s is not held by %s any more: it is left as it is", o->lock, o->held_by);
        return RDL_EXIT_CONFLICT;
    }
    if (v->on == 0) {
        rdl_cli_tell("nobody holds %s: there is nothing to break", o->lock);
        return answered(l) >= v->quorum ? 0 : RDL_EXIT_UNAVAILABLE;
    }
    if (is_odd(l, v))
        return refuse_odd(l);
    if (v->what != RDL_CLI_HELD) {
        rdl_cli_fail("%s is not held by one on a majority: say whose keys are to go, by --held-by ID",
                     o->lock);
        return RDL_EXIT_USAGE;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        rdl_cli_fail("there is no terminal to ask on: say --held-by %08" PRIx32 " if its holder is gone",
                     v->id);
        return RDL_EXIT_USAGE;
    }
    *id = v->id;
    if (says_yes(o->lock, v->id))
        return 0;
    rdl_cli_tell("%s is left as it is", o->lock);
    return RDL_EXIT_CONFLICT;
}

/* Gone from so many servers that its holder cannot have a majority again by putting it back on the others. */
static int judge(const struct rdl_cli_look *l, uint32_t id, int is_changed)
{
    unsigned n = (unsigned)l->servers->n, needed = n - n / 2;
    unsigned gone = answered(l) - standing(l, id);

    if (is_changed) {
        rdl_cli_fail("%s changed while it was broken: redlock status %s", l->o->lock, l->o->lock);
        return RDL_EXIT_CONFLICT;
    }
    if (gone < needed) {
        rdl_cli_fail("%s of %08" PRIx32
                     " is gone from %u of %u servers, and %u are needed: its holder may have "
                     "it still",
                     l->o->lock, id, gone, n, needed);
        return RDL_EXIT_UNAVAILABLE;
    }
    rdl_cli_tell("%s of %08" PRIx32
                 " is gone from %u of %u servers; should its holder live, it hears that at "
                 "its next renewal",
                 l->o->lock, id, gone, n);
    return 0;
}

static int break_it(struct rdl_cli_look *l)
{
    const char *name = l->o->lock;
    struct rdl_cli_verdict v;
    uint32_t id = 0;

    rdl_cli_look_at(l, name);
    rdl_cli_look_verdict(l, &v);
    int rc = rdl_cli_look_show(l, &v, name);
    if (rc == 0)
        rc = choose(l, &v, &id);
    if (rc != 0 || id == 0)
        return rc;
    int is_changed = rdl_cli_look_break(l, name, id);
    rdl_cli_look_at(l, name);
    return judge(l, id, is_changed);
}

int rdl_cli_break(int argc, char **argv)
{
    static struct rdl_cli_options options;
    static struct rdl_cli_look look;
    int rc;

    if (!rdl_cli_options_read(&options, RDL_CLI_BREAK, argc, argv, &rc))
        return rc;
    rc = rdl_cli_look_begin(&look, &options);
    return rc == 0 ? break_it(&look) : rc;
}
