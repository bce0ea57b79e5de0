/* SPDX-License-Identifier: MIT */
/* How a world is printed, and how one that violates is reduced before its timeline is printed. */
#include "tests/sim/sim.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- which world it is */

static void print_faults(uint64_t faults)
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

/* Faults that the clients' protection against restarts or lost data is meant to cover. */
uint64_t faults_outside(const struct world *w)
{
    uint32_t helps = w->guard != RDL_GUARD_OFF ? FAULT_BIT(FAULT_RESTART) : 0;
    if (w->has_canary)
        helps |= FAULT_BIT(FAULT_FLUSH) | (w->is_unnamed ? 0 : FAULT_BIT(FAULT_PROMOTE));
    return w->faults & FAULTS_OUTSIDE & ~helps;
}

static void print_outside(const struct world *w)
{
    uint64_t outside = faults_outside(w);
    if (outside != 0) {
        printf(" (outside the assumptions: ");
        print_faults(outside);
        putchar(')');
    }
}

void report_world(const struct world *w)
{
    printf("seed %llu: %d clients x %d locks, %d servers%s%s, ttl %u ms, guard=%u%s, faults=",
           (unsigned long long)w->opt.seed, w->clients, w->handles, w->servers,
           w->is_single ? " (lock/ on the first)" : "", w->is_unnamed ? " without a run_id" : "", w->ttl_ms,
           w->guard + 1u, w->has_canary ? " and canary" : "");
    print_faults(w->faults);
    print_outside(w);
    putchar('\n');
}

static void print_number(const char *name, int value, int is_given)
{
    if (is_given)
        printf(" %s=%d", name, value);
}

/* The options that make this world again. */
static void print_options(const struct options *o)
{
    const char *sep = " without=";
    printf("%llu", (unsigned long long)o->seed);
    if (o->faults >= 0) {
        printf(" faults=");
        print_faults((uint64_t)o->faults);
    }
    print_number("clients", o->clients, o->clients > 0);
    print_number("servers", o->servers, o->servers > 0);
    print_number("ttl", o->ttl_ms, o->ttl_ms > 0);
    print_number("single", o->is_single, o->is_single >= 0);
    print_number("guard", o->guard, o->guard > 0);
    print_number("unnamed", 1, o->is_unnamed);
    print_number("misuse", 1, o->has_misuse);
    print_number("chunk", o->chunk, o->chunk > 0);
    print_number("roomy", 1, o->is_roomy);
    print_number("blocking", 1, o->is_blocking);
    print_number("slots", o->slots, o->slots > 0);
    print_number("planted", 1, o->is_planted);
    if (o->idle != 0)
        printf(" idle=%x", (unsigned)o->idle);
    for (int n = 0; n < FAULTS; n++)
        if (o->left_out[n]) {
            printf("%s%d", sep, n);
            sep = ",";
        }
    for (unsigned i = 0; i < o->forks; i++)
        printf("%s%llu:%llu", i == 0 ? " path=" : ",", (unsigned long long)o->path[i].events,
               (unsigned long long)o->path[i].number);
}

void report_line(const struct world *w)
{
    printf("VIOLATION seed %llu %s: %s", (unsigned long long)w->opt.seed, w->violation, w->violation_text);
    print_outside(w);
    putchar('\n');
    if (w->opt.forks == 0)
        return;
    printf("again: sim ");
    print_options(&w->opt);
    printf(" trace=1\n");
}

/* ---------------------------------------------------------------- cutting down */

/* Does it still violate, and does the same oracle report it? */
static int still(const struct options *o, const char *oracle)
{
    struct world *w = world_make(o);
    return world_live(w) && strcmp(w->violation, oracle) == 0;
}

static int drop_classes(struct options *o, const char *oracle)
{
    int dropped = 0;
    for (unsigned f = 0; f < FAULT_CLASSES; f++) {
        struct options less = *o;
        less.faults &= ~(int64_t)FAULT_BIT(f);
        if (less.faults == o->faults || !still(&less, oracle))
            continue;
        *o = less;
        dropped = 1;
    }
    return dropped;
}

/* Their beginning, their end, the data that is kept: one fault is several entries of the plan. */
static void leave_out(struct options *o, const struct planned *plan, int len, int n)
{
    for (int k = 0; k < len; k++)
        if (plan[k].fault == plan[n].fault && plan[k].server == plan[n].server &&
            plan[k].until == plan[n].until)
            o->left_out[k] = 1;
}

static void drop_single_faults(struct options *o, const char *oracle)
{
    static struct planned plan[FAULTS];
    struct world *w = world_make(o);
    int len = w->planned_len;
    memcpy(plan, w->planned, sizeof plan);
    for (int n = 0; n < len; n++) {
        struct options less = *o;
        if (o->left_out[n])
            continue;
        leave_out(&less, plan, len, n);
        if (still(&less, oracle))
            *o = less;
    }
}

static void drop_clients(struct options *o, const char *oracle)
{
    struct options less = *o;
    less.clients = world_make(o)->clients;
    while (--less.clients > 0)
        if (still(&less, oracle))
            *o = less;
}

static void drop_users(struct options *o, const char *oracle)
{
    const struct world *w = world_make(o);
    int clients = w->clients, handles = w->handles;
    for (int c = 0; c < clients; c++)
        for (int i = 0; i < handles; i++) {
            struct options less = *o;
            less.idle |= 1u << (c * HANDLES_MAX + i);
            if (still(&less, oracle))
                *o = less;
        }
}

/* Its timeline. The place where a schedule branches off is a number of events, so nothing can be left out. */
static void report_branch(const struct world *w)
{
    struct options o = w->opt;
    report_line(w);
    o.trace = 1;
    o.branches = 0;
    struct world *again = world_make(&o);
    report_world(again);
    world_live(again);
}

void report_violation(const struct world *w)
{
    struct options o = w->opt;
    const char *oracle = w->violation;
    if (o.forks > 0) {
        report_branch(w);
        return;
    }
    printf("VIOLATION ");
    report_world(w);
    printf("  %s: %s (at %llu us)\n", oracle, w->violation_text, (unsigned long long)w->violation_at);
    o.faults = (int64_t)w->faults;
    o.trace = o.is_plotted = o.branches = 0;
    while (drop_classes(&o, oracle)) {
    }
    drop_clients(&o, oracle);
    drop_users(&o, oracle);
    drop_single_faults(&o, oracle);
    printf("cut down to: sim ");
    print_options(&o);
    putchar('\n');
    o.trace = 1;
    struct world *again = world_make(&o);
    report_world(again);
    world_live(again);
}
