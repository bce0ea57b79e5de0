/* SPDX-License-Identifier: MIT */
/*
 * bench_faults.c - acquire + release on five servers, some of them with faults, compared with all of them
 * well.
 *
 * Everything runs on one CPU. Two handles take turns in the same run: one has five healthy servers. The other
 * has one or two faulty ones instead of as many of them. A sixth and a seventh server can be stalled without
 * an effect on the first handle.
 */
#define _GNU_SOURCE
#include "lock/lock_lease.h"
#include "tests/bench/bench_live.h"
#include "tests/bench/measure.h"
#include "tests/fixtures/quorum.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { N = 5, ROUNDS = 21, CYCLES = 300, LONG = 20000, FAILURES = 20 };

static struct party well, ill;
static struct fake_server fakes[2];

static const char *const names[] = {"stalled", "refusing", "black-holed"};
enum kind { STALLED, REFUSING, SWALLOWED };

/* ---------------------------------------------------------------- figures */

struct times {
    double us[ROUNDS * CYCLES];
    int n;
    int acquired;
};

static double percentile(struct times *t, int percent)
{
    bench_sort(t->us, (size_t)t->n);
    return t->us[t->n * percent / 100];
}

/* Exact, where statm is some pages late. */
static long rss_kb(void)
{
    FILE *f = fopen("/proc/self/smaps_rollup", "re");
    char line[256];
    long kb = -1;

    while (f != NULL && kb < 0 && fgets(line, sizeof line, f) != NULL)
        (void)sscanf(line, "Rss: %ld", &kb);
    if (f != NULL)
        fclose(f);
    return kb;
}

/* ---------------------------------------------------------------- the two handles */

static int cycle(struct party *p)
{
    int rc = party_acquire(p);

    if (rc == RDL_OK)
        party_release(p);
    return rc == RDL_OK;
}

static void play(struct party *p, struct times *t)
{
    usleep(2000); /* the other one's stragglers */
    for (int i = 0; i < CYCLES; i++) {
        double begun = bench_clock_us(CLOCK_MONOTONIC);
        t->acquired += cycle(p);
        t->us[t->n++] = bench_clock_us(CLOCK_MONOTONIC) - begun;
    }
}

/* A handle on five servers, the first n of them at another address, or faulty. */
static void set_up(struct party *p, enum kind kind, int n)
{
    char url[256];

    quorum_n = N;
    party_init(p);
    p->opt.lease.attempt_ms = 0; /* as it is by default: 250 ms */
    for (int i = 0; i < n; i++) {
        fakes[i].trick = kind == REFUSING ? FAKE_REFUSES : FAKE_BLACK_HOLE;
        if (kind == STALLED)
            live_url(&quorum_live[N + i], LIVE_V4, url, sizeof url);
        else
            fake_start(&fakes[i]), fake_url(&fakes[i], url, sizeof url);
        party_move(p, i, url);
    }
    for (int i = kind == STALLED ? 0 : n; i < N; i++)
        party_connect(p, i);
    for (int i = 0; i < CYCLES; i++)
        cycle(p);
}

static void hurt(int n, void (*how)(struct live_server *s))
{
    for (int i = 0; i < n; i++)
        how(&quorum_live[N + i]);
}

/* Leftovers of a lock when all are well again. */
static int orphans(struct party *p, enum kind kind, int n)
{
    if (kind == STALLED)
        hurt(n, live_thaw);
    party_drain(p);
    party_drain(&well);
    quorum_n = N + 2;
    return quorum_keys();
}

/* ---------------------------------------------------------------- the rows */

static void compare(enum kind kind, int n)
{
    static struct times healthy, hurting;
    double p50, p99;

    healthy.n = healthy.acquired = hurting.n = hurting.acquired = 0;
    set_up(&well, STALLED, 0);
    set_up(&ill, kind, n);
    if (kind == STALLED)
        hurt(n, live_freeze);
    for (int r = 0; r < ROUNDS; r++) {
        play(r % 2 ? &well : &ill, r % 2 ? &healthy : &hurting);
        play(r % 2 ? &ill : &well, r % 2 ? &hurting : &healthy);
    }
    p50 = percentile(&healthy, 50);
    p99 = percentile(&healthy, 99);
    printf("%d of 5 %-12s %8.1f %8.1f %8.1f %8.1f %8.3f %8.3f %9.2f %%", n, names[kind], p50, p99,
           percentile(&hurting, 50), percentile(&hurting, 99), percentile(&hurting, 50) / p50,
           percentile(&hurting, 99) / p99, 100.0 * hurting.acquired / hurting.n);
    printf(" %8d\n", orphans(&ill, kind, n));
    for (int i = 0; i < n && kind != STALLED; i++)
        fake_stop(&fakes[i]);
}

static void run_long(void)
{
    long before, after;
    int acquired = 0;

    set_up(&well, STALLED, 0);
    set_up(&ill, STALLED, 2);
    hurt(2, live_freeze);
    for (int i = 0; i < CYCLES; i++)
        cycle(&ill);
    (void)rss_kb();
    before = rss_kb();
    for (int i = 0; i < LONG; i++)
        acquired += cycle(&ill);
    after = rss_kb();
    printf("2 of 5 stalled, %d cycles: %d acquired, memory %ld KB before, %ld KB after, %d orphans\n", LONG,
           acquired, before, after, orphans(&ill, STALLED, 2));
}

/* Three stalled: the sixth, the seventh and one of the five. How long after the attempt's end is it known? */
static void fail_in_time(void)
{
    double late_ms[FAILURES];
    int definite = 0;

    set_up(&ill, STALLED, 2);
    hurt(2, live_freeze);
    live_freeze(&quorum_live[2]);
    for (int i = 0; i < FAILURES; i++) {
        double begun = bench_clock_us(CLOCK_MONOTONIC);
        definite += party_acquire(&ill) == RDL_NO_QUORUM;
        late_ms[i] = (bench_clock_us(CLOCK_MONOTONIC) - begun) / 1e3 - rdl_attempt_ms(&ill.opt.lease);
    }
    live_thaw(&quorum_live[2]);
    bench_sort(late_ms, FAILURES);
    printf(
        "3 of 5 stalled: %d of %d say no quorum, %.1f ms after the attempt's %u ms (median; slowest %.1f), "
        "%d orphans\n",
        definite, FAILURES, late_ms[FAILURES / 2], (unsigned)rdl_attempt_ms(&ill.opt.lease),
        late_ms[FAILURES - 1], orphans(&ill, STALLED, 2));
}

START_TEST(measure)
{
    quorum_start(N + 2);
    printf("%d rounds of %d cycles of acquire + release, one CPU, us\n", ROUNDS, CYCLES);
    printf("%-19s %8s %8s %8s %8s %8s %8s %11s %8s\n", "", "well p50", "p99", "ill p50", "p99", "p50 x",
           "p99 x", "acquired", "orphans");
    for (int kind = STALLED; kind <= SWALLOWED; kind++) {
        compare((enum kind)kind, 1);
        compare((enum kind)kind, 2);
    }
    run_long();
    fail_in_time();
    quorum_stop();
}
END_TEST

int main(void)
{
    return bench_stay_on_one_cpu() != 0 ? 1 : bench_run(measure);
}
