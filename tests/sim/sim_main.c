/* SPDX-License-Identifier: MIT */
/*
 * sim - runs seeds, one or many.
 *
 *     sim 1:1000              these seeds; the summary is the last line
 *     sim 17 trace=1          one seed, one line per state change
 *     sim 17 faults=tail,cut  with these classes of faults only (also: none, inside, outside)
 *     sim 1:10 hash=1         one line per seed: what happened, as a number
 *     sim 17 plot=FILE.svg    the picture of a run
 *     sim scenarios [TEXT]    the directed ones (those whose name contains TEXT); trace=1, plot=FILE.svg
 *     more: clients=N servers=N ttl=MS single=0|1 keep-going=1
 *
 * A seed that violates is shrunk to the fewest classes of faults and printed as a timeline. Exit status
 * 1 if there was a violation.
 */
#define _POSIX_C_SOURCE 200809L
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
static uint64_t ran;

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

static void print_faults(uint32_t faults)
{
    const char *sep = "";
    if (faults == 0)
        printf("none");
    for (unsigned f = 0; f < FAULT_CLASSES; f++)
        if (faults & FAULT_BIT(f)) {
            printf("%s%s", sep, fault_name(f));
            sep = ",";
        }
}

static void print_world(const struct world *w)
{
    printf("seed %llu: %d clients x %d locks, %d servers%s, ttl %u ms, guard=%u%s, faults=",
           (unsigned long long)w->opt.seed, w->clients, w->handles, w->servers,
           w->is_single ? " (lock/ on the first)" : "", w->ttl_ms, w->guard,
           w->has_canary ? " and canary" : "");
    print_faults(w->faults);
    putchar('\n');
}

/* Switch classes of faults off, one by one, as long as the same oracle still complains. */
static uint32_t shrink(struct options o, uint32_t faults, const char *oracle)
{
    for (unsigned f = 0; f < FAULT_CLASSES; f++) {
        if (!(faults & FAULT_BIT(f)))
            continue;
        o.faults = faults & ~FAULT_BIT(f);
        o.trace = 0;
        struct world *w = world_make(&o);
        if (world_live(w) && strcmp(w->violation, oracle) == 0)
            faults = (uint32_t)o.faults;
    }
    return faults;
}

static void report(const struct world *w)
{
    struct options o = w->opt;
    const char *oracle = w->violation;
    printf("VIOLATION ");
    print_world(w);
    printf("  %s: %s (at %llu us)\n", oracle, w->violation_text, (unsigned long long)w->violation_at);
    o.faults = shrink(o, w->faults, oracle);
    o.trace = 1;
    printf("shrunk to faults=");
    print_faults((uint32_t)o.faults);
    printf("; its timeline:\n");
    struct world *again = world_make(&o);
    print_world(again);
    world_live(again);
}

static uint32_t parse_faults(const char *text)
{
    uint32_t bits = 0;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *p = strtok(copy, ","); p; p = strtok(NULL, ",")) {
        unsigned f = 0;
        while (f < FAULT_CLASSES && strcmp(p, fault_name(f)) != 0)
            f++;
        if (strcmp(p, "inside") == 0)
            bits |= FAULTS_INSIDE;
        else if (strcmp(p, "outside") == 0)
            bits |= FAULTS_OUTSIDE;
        else if (f < FAULT_CLASSES)
            bits |= FAULT_BIT(f);
        else if (strcmp(p, "none") != 0) {
            fprintf(stderr, "sim: no such fault: %s\n", p);
            exit(64);
        }
    }
    return bits;
}

static void parse(struct job *j, const char *arg)
{
    const char *value = strchr(arg, '=');
    char *rest;
    if (!value) {
        j->from = j->to = strtoull(arg, &rest, 10);
        if (*rest == ':')
            j->to = strtoull(rest + 1, NULL, 10);
        return;
    }
    value++;
    if (strncmp(arg, "faults=", 7) == 0)
        j->options.faults = parse_faults(value);
    else if (strncmp(arg, "clients=", 8) == 0)
        j->options.clients = atoi(value);
    else if (strncmp(arg, "servers=", 8) == 0)
        j->options.servers = atoi(value);
    else if (strncmp(arg, "ttl=", 4) == 0)
        j->options.ttl_ms = atoi(value);
    else if (strncmp(arg, "single=", 7) == 0)
        j->options.is_single = atoi(value);
    else if (strncmp(arg, "guard=", 6) == 0)
        j->options.guard = atoi(value);
    else if (strncmp(arg, "trace=", 6) == 0)
        j->options.trace = atoi(value);
    else if (strncmp(arg, "hash=", 5) == 0)
        j->hashes = atoi(value);
    else if (strncmp(arg, "keep-going=", 11) == 0)
        j->keep_going = atoi(value);
    else if (strncmp(arg, "plot=", 5) == 0) {
        j->plot = value;
        j->options.is_plotted = 1;
    } else if (strncmp(arg, "quiet=", 6) == 0)
        j->quiet = atoi(value);
    else {
        fprintf(stderr, "sim: what is %s?\n", arg);
        exit(64);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t run(const struct job *j)
{
    uint64_t violations = 0;
    for (uint64_t seed = j->from; seed <= j->to; seed++) {
        struct options o = j->options;
        o.seed = seed;
        struct world *w = world_make(&o);
        if (j->from == j->to && !j->hashes)
            print_world(w);
        int bad = world_live(w);
        if (j->plot) {
            char title[32];
            snprintf(title, sizeof title, "seed %llu", (unsigned long long)seed);
            if (plot_write(w, title, j->plot) != 0)
                exit(1);
        }
        sum(&w->counts);
        ran++;
        if (j->hashes)
            printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)w->hash);
        if (!bad)
            continue;
        violations++;
        if (j->quiet || (j->keep_going && violations > 1))
            printf("VIOLATION seed %llu %s: %s\n", (unsigned long long)seed, w->violation, w->violation_text);
        else
            report(w);
        if (!j->keep_going)
            break;
    }
    return violations;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "scenarios") == 0) {
        const char *text = NULL;
        for (int i = 2; i < argc; i++) {
            if (strcmp(argv[i], "trace=1") == 0)
                scene_trace = 1;
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
    uint64_t violations = run(&j);
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
