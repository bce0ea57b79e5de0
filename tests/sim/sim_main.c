/* SPDX-License-Identifier: MIT */
/*
 * sim - runs seeds, one or many.
 *
 *     sim 1:1000              these seeds; the summary is the last line
 *     sim 17 trace=1          one seed, one line per state change
 *     sim 17 faults=tail,cut  with these classes of faults only (also: none, inside, outside)
 *     sim 1:10 hash=1         one line per seed: a hash of all events
 *     sim 17 plot=FILE.svg    the picture of a run
 *     sim scenarios [TEXT]    the directed ones (those whose name contains TEXT); trace=1, plot=FILE.svg;
 *                           first=1: end with the first that fails
 *     more: clients=N servers=N ttl=MS single=0|1 guard=1..4 (enum rdl_guard + 1)
 *           unnamed=1         no server shows a run_id
 *           misuse=1          some classes of misuse are drawn, too (faults=misuse: all of them)
 *           chunk=N           N bytes are sent and read at a time
 *           roomy=1           no queue is small: how much fits into one depends on the size of a pointer
 *           blocking=1        locks over N servers, whose programs use only the blocking calls
 *           slots=N           all locks are N slots of one name
 *           without=N,N...    leave out these entries of the plan of faults
 *           idle=BITS         (hexadecimal, 3 to a client) locks that no user wants
 *           branch=N          after each seed N schedules that go on from rare states (sim_branch.c)
 *           path=N:N,N:N...   after N events go on with other random numbers, which come from the second N
 *           planted=1         a fault for the simulator itself to find (sim_planted.c)
 *           keep-going=1      continue after a violation; quiet=1: a line for each
 *
 * A seed that violates is reduced to the fewest classes of faults, clients and single faults with which the
 * same oracle reports a violation. Then its timeline is printed. Exit status: 0; 1: a violation; 64: bad
 * usage.
 */
#include "tests/sim/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct job {
    uint64_t from, to;
    struct options options;
    int hashes, keep_going, quiet;
    const char *plot;
};

static struct counts total;
static uint64_t ran, violations;

static void sum(const struct counts *c)
{
    total.events += c->events;
    total.acquired += c->acquired;
    total.busy += c->busy;
    total.no_quorum += c->no_quorum;
    total.expired += c->expired;
    total.extended += c->extended;
    total.released += c->released;
    total.commands += c->commands;
    total.lost += c->lost;
    total.unknown += c->unknown;
    total.adopted += c->adopted;
    total.hinted += c->hinted;
}

static void misused(const char *what, const char *arg)
{
    fprintf(stderr, "sim: %s%s\n", what, arg);
    exit(64);
}

static int64_t parse_faults(const char *text)
{
    uint64_t bits = 0;
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = strtok(copy, ","); p; p = strtok(NULL, ",")) {
        unsigned f = 0;
        while (f < FAULT_CLASSES && strcmp(p, fault_name(f)) != 0)
            f++;
        if (strcmp(p, "inside") == 0)
            bits |= FAULTS_INSIDE;
        else if (strcmp(p, "outside") == 0)
            bits |= FAULTS_OUTSIDE;
        else if (strcmp(p, "misuse") == 0)
            bits |= FAULTS_MISUSE;
        else if (f < FAULT_CLASSES)
            bits |= FAULT_BIT(f);
        else if (strcmp(p, "none") != 0) {
            misused("no such fault: ", p);
        }
    }
    return (int64_t)bits;
}

static void parse_without(struct options *o, const char *text)
{
    while (*text) {
        char *rest;
        unsigned long n = strtoul(text, &rest, 10);
        if (rest == text || n >= FAULTS)
            break;
        o->left_out[n] = 1;
        text = *rest == ',' ? rest + 1 : rest;
    }
    if (*text)
        misused("without=", text);
}

static void parse_path(struct options *o, const char *text)
{
    while (*text && o->forks < FORKS) {
        char *rest;
        struct fork *f = &o->path[o->forks++];
        f->events = strtoull(text, &rest, 10);
        if (*rest != ':')
            break;
        text = rest + 1;
        f->number = strtoull(text, &rest, 10);
        if (rest == text)
            break;
        text = *rest == ',' ? rest + 1 : rest;
    }
    if (*text)
        misused("path=", text);
}

/* Options with a numeric value, and its range. */
static int *number_of(struct job *j, const char *name, size_t len, int *least, int *most)
{
    const struct {
        const char *name;
        int *value, least, most;
    } known[] = {{"clients", &j->options.clients, 1, CLIENTS_MAX},
                 {"servers", &j->options.servers, 1, SERVERS_MAX},
                 {"ttl", &j->options.ttl_ms, 50, 5000},
                 {"single", &j->options.is_single, 0, 1},
                 {"guard", &j->options.guard, 1, 4},
                 {"unnamed", &j->options.is_unnamed, 0, 1},
                 {"misuse", &j->options.has_misuse, 0, 1},
                 {"chunk", &j->options.chunk, 1, RX_BYTES},
                 {"roomy", &j->options.is_roomy, 0, 1},
                 {"blocking", &j->options.is_blocking, 0, 1},
                 {"slots", &j->options.slots, 1, SLOTS_MAX},
                 {"branch", &j->options.branches, 1, 1000000},
                 {"planted", &j->options.is_planted, 0, 1},
                 {"trace", &j->options.trace, 0, 1},
                 {"hash", &j->hashes, 0, 1},
                 {"keep-going", &j->keep_going, 0, 1},
                 {"quiet", &j->quiet, 0, 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == len && strncmp(name, known[i].name, len) == 0) {
            *least = known[i].least;
            *most = known[i].most;
            return known[i].value;
        }
    return NULL;
}

static void parse_seeds(struct job *j, const char *arg)
{
    char *rest;
    j->from = j->to = strtoull(arg, &rest, 10);
    if (rest != arg && *rest == ':')
        j->to = strtoull(rest + 1, &rest, 10);
    if (rest == arg || *rest || j->to < j->from)
        misused("no seeds: ", arg);
}

static void parse(struct job *j, const char *arg)
{
    const char *value = strchr(arg, '=');
    int least = 0, most = 0;
    if (!value) {
        parse_seeds(j, arg);
        return;
    }
    int *number = number_of(j, arg, (size_t)(value++ - arg), &least, &most);
    if (strncmp(arg, "faults=", 7) == 0) {
        j->options.faults = parse_faults(value);
    } else if (strncmp(arg, "without=", 8) == 0) {
        parse_without(&j->options, value);
    } else if (strncmp(arg, "path=", 5) == 0) {
        parse_path(&j->options, value);
    } else if (strncmp(arg, "idle=", 5) == 0) {
        j->options.idle = (uint32_t)strtoul(value, NULL, 16);
    } else if (strncmp(arg, "plot=", 5) == 0) {
        j->plot = value;
        j->options.is_plotted = 1;
    } else if (number && atoi(value) >= least && atoi(value) <= most) {
        *number = atoi(value);
    } else {
        misused("what is ", arg);
    }
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Returns 1 if it violates. */
static int live(const struct job *j, const struct options *o)
{
    struct world *w = world_make(o);
    if (j->from == j->to && !j->hashes && o->branches == 0)
        report_world(w);
    int bad = world_live(w);
    if (j->plot) {
        char title[32];
        snprintf(title, sizeof title, "seed %llu", (unsigned long long)o->seed);
        if (plot_write(w, title, j->plot) != 0)
            exit(1);
    }
    sum(&w->counts);
    ran++;
    if (j->hashes)
        printf("%llu %016llx\n", (unsigned long long)o->seed, (unsigned long long)w->hash);
    if (bad && (j->quiet || (j->keep_going && violations > 0)))
        report_line(w);
    else if (bad)
        report_violation(w);
    violations += (unsigned)bad;
    return bad && !j->keep_going;
}

static void run(const struct job *j)
{
    struct options o = j->options, branch;
    branch_begin(j->from);
    for (o.seed = j->from; o.seed <= j->to; o.seed++) {
        if (live(j, &o))
            return;
        for (int n = 0; n < o.branches && branch_next(&branch); n++)
            if (live(j, &branch))
                return;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "scenarios") == 0) {
        const char *text = NULL;
        for (int i = 2; i < argc; i++) {
            if (strcmp(argv[i], "trace=1") == 0)
                scene_trace = 1;
            else if (strcmp(argv[i], "first=1") == 0)
                scene_first = 1;
            else if (strncmp(argv[i], "plot=", 5) == 0)
                scene_plot = argv[i] + 5;
            else
                text = argv[i];
        }
        return scenarios_run(text) != 0;
    }
    struct job j = {1, 1000, options_default, 0, 0, 0, NULL};
    for (int i = 1; i < argc; i++)
        parse(&j, argv[i]);
    double start = seconds();
    run(&j);
    double took = seconds() - start, n = (double)ran;
    if (!j.hashes)
        printf("%llu acquired, %llu busy, %llu no quorum, %llu expired, %llu unknown, %llu extended, %llu "
               "released, "
               "%llu lost, %llu adopted, %llu hints taken\n%.0f schedules of %llu virtual seconds in %.1f s: "
               "%.0f/s, %.0f events and %.0f "
               "commands each; "
               "%llu violations\n",
               (unsigned long long)total.acquired, (unsigned long long)total.busy,
               (unsigned long long)total.no_quorum, (unsigned long long)total.expired,
               (unsigned long long)total.unknown, (unsigned long long)total.extended,
               (unsigned long long)total.released, (unsigned long long)total.lost,
               (unsigned long long)total.adopted, (unsigned long long)total.hinted, n,
               (unsigned long long)(j.options.end_us / SECOND), took, n / took, (double)total.events / n,
               (double)total.commands / n, (unsigned long long)violations);
    return violations != 0;
}
