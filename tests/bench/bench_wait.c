/* SPDX-License-Identifier: MIT */
/*
 * bench_wait.c SOCKET - K clients, a process each, want one lock: waiting with the wake hint against polling.
 *
 * Rounds of both kinds are interleaved, so that other load on the host affects both. Printed are medians of
 * the rounds: acquisitions per second, fairness (Jain: 1 is equal shares), the longest wait; for each
 * acquisition the commands that were sent and those that the server executed, in scripts, too; last the ratio
 * to polling.
 */
#define _DEFAULT_SOURCE
#include "lock/lock_hint.h"
#include "lock/lock_io.h"
#include "net/net_op.h"
#include "tests/bench/measure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS_MAX = 64, ROUNDS = 3, ROUND_MS = 2000, SETTLE_MS = 300, TTL_MS = 10000, WAYS = 3 };

static const struct way {
    const char *name;
    uint32_t retry_ms;
    int has_hint;
} ways[WAYS] = {
    {"poll 50 ms doubling to 500", 50, 0}, {"poll 1 ms doubling to 500", 1, 0}, {"wake hint", 50, 1}};

static const struct load {
    unsigned clients, hold_us, think_us;
    unsigned strangers; /* of the clients: they do not use this library, and retry every 20 to 40 ms */
} loads[] = {{8, 0, 0, 0},        {64, 0, 0, 0},       {8, 1000, 1000, 0}, {64, 1000, 1000, 0},
             {5, 1000, 1000, 4},  {5, 5000, 5000, 4},  {2, 5000, 5000, 1}, {8, 5000, 5000, 4},
             {16, 5000, 5000, 8}, {64, 5000, 5000, 32}};

/* Shared by the processes. */
struct board {
    atomic_int go, stop, inside, violations;
    unsigned count[CLIENTS_MAX];
    unsigned sent[CLIENTS_MAX];
    double longest_ms[CLIENTS_MAX];
};

struct figures {
    double rate, jain, longest_ms, sent, commands, share;
};

static struct board *board;
static const char *path; /* of the server's unix socket */
static char url[256];

static double now(void)
{
    return bench_clock_us(CLOCK_MONOTONIC) / 1e3;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_wait: %s\n", what);
    exit(1);
}

/* ---------------------------------------------------------------- a client */

struct line {
    struct rdl_endpoint endpoint;
    struct rdl_conn_config config;
    struct rdl_conn conn;
    char text[256];
    uint64_t queue[2048 / 8];
};

static void connect_to(struct line *l)
{
    if (rdl_url_parse(&l->endpoint, url, l->text, sizeof l->text, NULL) != RDL_OK)
        fail("that is no URL");
    l->config.endpoint = &l->endpoint;
    l->config.methods = &rdl_methods_all;
    l->config.login = &rdl_login;
    l->config.queue = l->queue;
    l->config.queue_len = sizeof l->queue;
    rdl_conn_init(&l->conn, &l->config);
}

static void rest(unsigned us)
{
    if (us > 0)
        usleep(us);
}

static void work(unsigned i, const struct load *load)
{
    if (atomic_fetch_add(&board->inside, 1) != 0)
        atomic_fetch_add(&board->violations, 1);
    rest(load->hold_us);
    board->count[i] += atomic_load(&board->go) != 0;
    atomic_fetch_sub(&board->inside, 1);
}

static void client(unsigned i, const struct way *way, const struct load *load)
{
    static struct line first, second;
    const int is_stranger = i < load->strangers;
    const struct rdl_lock_options opt = {.ttl_ms = TTL_MS,
                                         .wait_ms = is_stranger ? 0 : ROUND_MS,
                                         .retry_ms = way->retry_ms,
                                         .attempt_ms = 1000};
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock lock;
    struct rdl_hint hint;

    srandom(i + 1);
    connect_to(&first);
    connect_to(&second);
    rdl_posix_init(&posix, &platform);
    rdl_lock_init(&lock, &opt, &first.conn, "bench", 5);
    rdl_hint_init(&hint, &second.conn);
    if (way->has_hint && !is_stranger)
        rdl_lock_set_hint(&lock, &hint);
    while (!atomic_load(&board->stop)) {
        const uint32_t replies = rdl_conn_replies(&first.conn) + rdl_conn_replies(&second.conn);
        double begun = now(), waited;
        if (rdl_lock_acquire(&lock, &platform) < 0) {
            rest(is_stranger ? 20000 + (unsigned)random() % 20000 : 0);
            continue;
        }
        waited = now() - begun;
        if (atomic_load(&board->go) && waited > board->longest_ms[i])
            board->longest_ms[i] = waited;
        work(i, load);
        rdl_lock_release(&lock, &platform);
        if (atomic_load(&board->go))
            board->sent[i] += rdl_conn_replies(&first.conn) + rdl_conn_replies(&second.conn) - replies;
        rest(load->think_us > 0 ? (unsigned)random() % (2 * load->think_us) : 0);
    }
    _exit(0);
}

/* ---------------------------------------------------------------- a round */

static double commands_so_far(void)
{
    char line[512];
    double n = -1;

    snprintf(line, sizeof line, "redis-cli -s %s INFO stats", path);
    FILE *f = popen(line, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        (void)sscanf(line, "total_commands_processed:%lf", &n);
    if (f == NULL || pclose(f) != 0 || n < 0)
        fail("redis-cli does not report how many commands there were");
    return n;
}

static struct figures evaluate(const struct load *load, double ms, double commands)
{
    struct figures f = {0, 0, 0, 0, 0, 0};
    double sum = 0, squares = 0, sent = 0;

    for (unsigned i = 0; i < load->clients; i++) {
        f.share += i < load->strangers ? 0 : board->count[i];
        sum += board->count[i];
        sent += board->sent[i];
        squares += (double)board->count[i] * board->count[i];
        if (board->longest_ms[i] > f.longest_ms)
            f.longest_ms = board->longest_ms[i];
    }
    f.rate = sum / ms * 1e3;
    f.jain = squares > 0 ? sum * sum / load->clients / squares : 0;
    f.share = sum > 0 ? 100 * f.share / sum : 0;
    f.sent = sum > 0 ? sent / sum : 0;
    f.commands = sum > 0 ? commands / sum : 0;
    return f;
}

static struct figures play(const struct way *way, const struct load *load)
{
    struct figures f;
    double begun, commands;

    memset(board, 0, sizeof *board);
    for (unsigned i = 0; i < load->clients; i++) {
        pid_t pid = fork();
        if (pid < 0)
            fail("fork");
        if (pid == 0)
            client(i, way, load);
    }
    usleep(SETTLE_MS * 1000);
    commands = commands_so_far();
    begun = now();
    atomic_store(&board->go, 1);
    usleep(ROUND_MS * 1000);
    atomic_store(&board->go, 0);
    f = evaluate(load, now() - begun, commands_so_far() - commands);
    atomic_store(&board->stop, 1);
    while (wait(NULL) > 0) {
    }
    if (atomic_load(&board->violations) != 0)
        fail("two clients held the lock at once");
    return f;
}

/* ---------------------------------------------------------------- all of it */

static double median(double a, double b, double c)
{
    double v[3] = {a, b, c};

    return bench_median(v, 3);
}

static void compare(const struct load *load)
{
    struct figures f[WAYS][ROUNDS];
    double polling = 0;

    for (int r = 0; r < ROUNDS; r++) {
        for (int w = 0; w < WAYS; w++)
            f[w][r] = play(&ways[w], load);
    }
    printf("\n%u clients, hold %u us, think 0..%u us\n", load->clients, load->hold_us, 2 * load->think_us);
    printf("%-28s %8s %6s %10s %6s %9s %6s\n", "", "acq/s", "jain", "longest ms", "sent", "executed",
           "ratio");
    for (int w = 0; w < WAYS; w++) {
        double rate = median(f[w][0].rate, f[w][1].rate, f[w][2].rate);
        if (w == 0)
            polling = rate;
        printf("%-28s %8.0f %6.3f %10.1f %6.2f %9.1f %7.1f %6.2f\n", ways[w].name, rate,
               median(f[w][0].jain, f[w][1].jain, f[w][2].jain),
               median(f[w][0].longest_ms, f[w][1].longest_ms, f[w][2].longest_ms),
               median(f[w][0].sent, f[w][1].sent, f[w][2].sent),
               median(f[w][0].commands, f[w][1].commands, f[w][2].commands),
               median(f[w][0].share, f[w][1].share, f[w][2].share), rate / polling);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: bench_wait SOCKET");
    path = argv[1];
    snprintf(url, sizeof url, "unix://%s", path);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        fail("mmap");
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        compare(&loads[i]);
    return 0;
}
