/* SPDX-License-Identifier: MIT */
/*
 * bench_floor.c - acquire + release on five servers, ours against floor.c: the client's CPU time and its
 * system calls. Everything runs on one CPU; rounds of the two are interleaved.
 *
 * The floor sends the same bytes as ours: its texts are cut from a trace.
 */
#define _GNU_SOURCE
#include "tests/bench/bench_live.h"
#include "tests/bench/count_calls.h"
#include "tests/bench/floor.h"
#include "tests/bench/measure.h"
#include "tests/fixtures/quorum.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SERVERS = 5, ROUNDS = 41, CYCLES = 500, WARM_UP = 500 };

static struct party party;
static struct floor floor5;

/* ---------------------------------------------------------------- the two */

static void ours(void)
{
    if (party_acquire(&party) != RDL_OK || party_release(&party) != RDL_OK)
        ck_abort_msg("a cycle failed");
}

static void theirs(void)
{
    if (floor_cycle(&floor5) != 0)
        ck_abort_msg("the floor's cycle failed");
}

/* The bytes to server 0 while ours runs once: first the acquire, then the release. */
static struct floor_text *text;

static void take_text(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    (void)ctx;
    (void)c;
    if (dir != '>' || text == NULL || data == NULL)
        return;
    if (text->len + len > sizeof text->bytes)
        ck_abort_msg("a request is longer than thought");
    memcpy(text->bytes + text->len, data, len);
    text->len += len;
}

static void cut(struct floor_text *t, int lines)
{
    char token[RDL_TOKEN_TEXT_MAX];
    const char *at;

    rdl_redlock_token(&party.lock, token);
    at = memmem(t->bytes, t->len, token, RDL_VALUE_MAX);
    if (at == NULL)
        ck_abort_msg("no token in what was sent");
    t->token_at = (size_t)(at - t->bytes);
    t->lines = lines;
}

static void copy_texts(void)
{
    party.clients[0].cfg.trace = take_text;
    text = &floor5.acquire;
    if (party_acquire(&party) != RDL_OK)
        ck_abort_msg("cannot acquire");
    cut(&floor5.acquire, 2); /* +OK, and the PTTL after it */
    text = &floor5.release;
    if (party_release(&party) != RDL_OK)
        ck_abort_msg("cannot release");
    cut(&floor5.release, 1);
    text = NULL;
    party.clients[0].cfg.trace = NULL;
    party_drain(&party);
}

/* ---------------------------------------------------------------- rounds */

struct figures {
    double cpu_us, p50_us, p99_us, calls;
};

static void settle(void)
{
    usleep(2000); /* the stragglers */
}

static struct figures play(void (*cycle)(void))
{
    static double took[CYCLES];
    struct figures f;
    double cpu;

    settle();
    calls_made = 0;
    cpu = bench_clock_us(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < CYCLES; i++) {
        double begun = bench_clock_us(CLOCK_MONOTONIC);
        cycle();
        took[i] = bench_clock_us(CLOCK_MONOTONIC) - begun;
    }
    f.cpu_us = (bench_clock_us(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)CYCLES;
    f.calls = (double)calls_made / (double)CYCLES;
    bench_sort(took, CYCLES);
    f.p50_us = took[CYCLES / 2];
    f.p99_us = took[CYCLES * 99 / 100];
    return f;
}

static void print_row(const char *what, double *floors, double *ourses)
{
    double ratios[ROUNDS];

    for (int r = 0; r < ROUNDS; r++)
        ratios[r] = ourses[r] / floors[r];
    printf("%-24s %9.1f %9.1f", what, bench_median(floors, ROUNDS), bench_median(ourses, ROUNDS));
    printf(" %8.3f\n", bench_median(ratios, ROUNDS));
}

static void compare(void)
{
    static double v[4][2][ROUNDS];

    for (int i = 0; i < WARM_UP; i++) {
        ours();
        theirs();
    }
    for (int r = 0; r < ROUNDS; r++) {
        for (int k = 0; k < 2; k++) {
            int is_ours = (k + r) % 2;
            struct figures f = play(is_ours ? ours : theirs);
            v[0][is_ours][r] = f.cpu_us;
            v[1][is_ours][r] = f.p50_us;
            v[2][is_ours][r] = f.p99_us;
            v[3][is_ours][r] = f.calls;
        }
    }
    printf("%d rounds of %d cycles of acquire + release, N = 5, one CPU\n", ROUNDS, CYCLES);
    printf("%-24s %9s %9s %8s\n", "median", "floor", "ours", "ratio");
    print_row("client CPU, us", v[0][0], v[0][1]);
    print_row("p50, us", v[1][0], v[1][1]);
    print_row("p99, us", v[2][0], v[2][1]);
    print_row("system calls", v[3][0], v[3][1]);
}

START_TEST(measure)
{
    int ports[SERVERS];

    quorum_start(SERVERS);
    for (int i = 0; i < SERVERS; i++)
        ports[i] = quorum_live[i].port;
    party_init(&party);
    party_connect_all(&party);
    ours(); /* from now on the servers know the script */
    party_drain(&party);
    copy_texts();
    if (floor_open(&floor5, ports, SERVERS) != 0)
        ck_abort_msg("cannot connect");
    compare();
    floor_close(&floor5);
    quorum_stop();
}
END_TEST

int main(void)
{
    return bench_stay_on_one_cpu() != 0 ? 1 : bench_run(measure);
}
