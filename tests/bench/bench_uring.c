/* SPDX-License-Identifier: MIT */
/*
 * bench_uring.c - acquire + release over sockets and over io_uring, on one server and on five, waited for
 * and not waited for: the client's CPU time, the time of a cycle, and system calls. Everything runs on one
 * CPU; rounds of all variants are interleaved. Where io_uring is refused, it says so and measures the
 * others.
 */
#define _GNU_SOURCE
#include "net/net_uring.h"
#include "tests/bench/bench_live.h"
#include "tests/bench/count_calls.h"
#include "tests/bench/measure.h"
#include "tests/fixtures/quorum.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 41, CYCLES = 300, SERVERS = 5, QUORUM = 3 };

/* ---------------------------------------------------------------- the variants */

static struct rdl_posix sockets;
static struct rdl_uring uring;
static struct rdl_platform over_sockets, over_uring, over_uring_three;

/* The caller needs a majority. */
static int poll_three(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                      int can_wake)
{
    return over_uring.poll(ctx, conns, n, until_ms, n >= QUORUM ? QUORUM : need, can_wake);
}

static struct variant {
    const char *name;
    struct rdl_platform *platform;
    int is_five, is_canceled;
    struct party party;
    struct client client;
    struct rdl_lock_options opt;
    struct rdl_lock lock;
    double cpu_us[ROUNDS], p50_us[ROUNDS], calls[ROUNDS];
} variants[] = {
    {.name = "1 server, sockets", .platform = &over_sockets},
    {.name = "1 server, sockets, release not waited for", .platform = &over_sockets, .is_canceled = 1},
    {.name = "1 server, io_uring", .platform = &over_uring},
    {.name = "1 server, io_uring, release not waited for", .platform = &over_uring, .is_canceled = 1},
    {.name = "5 servers, sockets", .platform = &over_sockets, .is_five = 1},
    {.name = "5 servers, io_uring", .platform = &over_uring, .is_five = 1},
    {.name = "5 servers, io_uring, waits for 3 replies", .platform = &over_uring_three, .is_five = 1},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void begin(struct variant *v)
{
    char url[256];

    client_platform = *v->platform;
    if (v->is_five) {
        party_init(&v->party);
        party_connect_all(&v->party);
        return;
    }
    v->opt.ttl_ms = QUORUM_TTL;
    v->opt.attempt_ms = QUORUM_PATIENT_MS;
    client_init(&v->client, live_url(&quorum_live[0], LIVE_V4, url, sizeof url));
    rdl_lock_init(&v->lock, &v->opt, &v->client.conn, v->name, strlen(v->name));
}

static void cycle(struct variant *v)
{
    int rc;

    if (v->is_five) {
        rc = party_acquire(&v->party);
        if (rc == RDL_OK)
            rc = party_release(&v->party);
    } else {
        rc = rdl_lock_acquire(&v->lock, &client_platform);
        if (rc == RDL_OK && v->is_canceled)
            rdl_lock_cancel(&v->lock);
        else if (rc == RDL_OK)
            rc = rdl_lock_release(&v->lock, &client_platform);
    }
    if (rc != RDL_OK)
        ck_abort_msg("%s: a cycle failed: %d", v->name, rc);
}

/* ---------------------------------------------------------------- rounds */

static void play(struct variant *v, int round)
{
    static double took[CYCLES];
    double cpu_us;

    client_platform = *v->platform;
    for (int i = 0; i < CYCLES / 10; i++)
        cycle(v);
    usleep(2000);
    calls_made = 0;
    cpu_us = bench_clock_us(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < CYCLES; i++) {
        double begun_us = bench_clock_us(CLOCK_MONOTONIC);
        cycle(v);
        took[i] = bench_clock_us(CLOCK_MONOTONIC) - begun_us;
    }
    v->cpu_us[round] = (bench_clock_us(CLOCK_PROCESS_CPUTIME_ID) - cpu_us) / (double)CYCLES;
    v->calls[round] = (double)calls_made / (double)CYCLES;
    v->p50_us[round] = bench_median(took, CYCLES);
    if (!v->is_five) /* another variant takes its turn: nothing is pending */
        ck_assert_int_eq(rdl_lock_drain(&v->lock, &client_platform, UINT64_MAX), RDL_OK);
    else
        party_drain(&v->party);
}

/* Ratios are of the same round, to the first variant with as many servers. */
static void print_row(struct variant *v)
{
    const struct variant *base = v->is_five ? &variants[4] : &variants[0];
    double cpu[ROUNDS], p50[ROUNDS];

    for (int r = 0; r < ROUNDS; r++) {
        cpu[r] = v->cpu_us[r] / base->cpu_us[r];
        p50[r] = v->p50_us[r] / base->p50_us[r];
    }
    printf("%-44s %8.2f %8.2f %7.2f", v->name, bench_median(cpu, ROUNDS), bench_median(p50, ROUNDS),
           bench_median(v->calls, ROUNDS));
}

static void print_all(void)
{
    printf("%d rounds of %d cycles of acquire + release, one CPU, medians; CPU and p50 to the first\n",
           ROUNDS, CYCLES);
    printf("%-44s %8s %8s %7s %8s %8s\n", "", "CPU", "p50", "calls", "CPU, us", "p50, us");
    for (int i = VARIANTS - 1; i >= 0; i--) { /* the bases last, because bench_median() sorts */
        struct variant *v = &variants[i];
        if (v->calls[0] <= 0)
            continue;
        print_row(v);
        printf(" %8.1f %8.1f\n", bench_median(v->cpu_us, ROUNDS), bench_median(v->p50_us, ROUNDS));
    }
}

START_TEST(measure)
{
    const char *why;
    int has_uring;

    client_setup();
    rdl_posix_init(&sockets, &over_sockets);
    has_uring = rdl_uring_init(&uring, &over_uring, &why) == RDL_OK;
    if (!has_uring)
        printf("NOT MEASURED: %s\n", why);
    over_uring_three = over_uring;
    over_uring_three.poll = poll_three;
    quorum_start(SERVERS);
    for (int i = 0; i < VARIANTS; i++)
        if (has_uring || variants[i].platform == &over_sockets)
            begin(&variants[i]);
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < VARIANTS; k++) {
            struct variant *v = &variants[(k + r) % VARIANTS];
            if (has_uring || v->platform == &over_sockets)
                play(v, r);
        }
    print_all();
    quorum_stop();
}
END_TEST

int main(void)
{
    return bench_stay_on_one_cpu() != 0 ? 1 : bench_run(measure);
}
