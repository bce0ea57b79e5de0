/* SPDX-License-Identifier: MIT */
/* drive.c - the protocol of `make bench`; see drive.h. */
#define _GNU_SOURCE
#include "tests/bench/drive.h"
#include "tests/bench/measure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITERS_MAX = 128, WAITS_MAX = 1 << 17 };

static const struct drive *drive;
static struct drive_options options;

/* ---------------------------------------------------------------- helpers of clients */

void drive_key(const struct drive_options *opt, size_t i, char out[DRIVE_KEY_MAX + 24])
{
    if (i == 0)
        snprintf(out, DRIVE_KEY_MAX + 24, "%s", opt->key);
    else
        snprintf(out, DRIVE_KEY_MAX + 24, "%s:%zu", opt->key, i);
}

void drive_token(char out[DRIVE_TOKEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[DRIVE_TOKEN / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        abort();
    for (size_t i = 0; i < sizeof bytes; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[DRIVE_TOKEN] = '\0';
}

/* ---------------------------------------------------------------- cycles */

static double cpu_us(int who)
{
    struct rusage u;

    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* CYCLES MS: cycles of lock 0, for MS at most. */
static void run(size_t cycles, double ms)
{
    double *took = calloc(cycles + 1, sizeof *took);
    double cpu = cpu_us(RUSAGE_SELF), start = bench_clock_us(CLOCK_MONOTONIC), at = start;
    size_t n = 0, failed = 0;

    if (took == NULL)
        abort();
    while (n < cycles && at - start < ms * 1e3) {
        double begun = at;
        if (!drive->acquire(0) || !drive->release(0))
            failed++;
        at = bench_clock_us(CLOCK_MONOTONIC);
        took[n++] = at - begun;
    }
    cpu = cpu_us(RUSAGE_SELF) - cpu;
    bench_sort(took, n);
    printf("{\"cycles\":%zu,\"failed\":%zu,\"cpu_us\":%.3f,\"wall_us\":%.3f,"
           "\"p50_us\":%.3f,\"p99_us\":%.3f,\"max_us\":%.3f}\n",
           n, failed, cpu, at - start, took[n / 2], took[n * 99 / 100], n > 0 ? took[n - 1] : 0.0);
    free(took);
}

/* COUNT: all locks are acquired, and then released. */
static void run_locks(size_t count)
{
    double start = bench_clock_us(CLOCK_MONOTONIC), middle, cpu = cpu_us(RUSAGE_SELF);
    size_t failed = 0;

    for (size_t i = 0; i < count; i++)
        failed += !drive->acquire(i);
    middle = bench_clock_us(CLOCK_MONOTONIC);
    for (size_t i = 0; i < count; i++)
        failed += !drive->release(i);
    printf("{\"locks\":%zu,\"failed\":%zu,\"acquire_us\":%.3f,\"release_us\":%.3f,\"cpu_us\":%.3f}\n", count,
           failed, middle - start, bench_clock_us(CLOCK_MONOTONIC) - middle, cpu_us(RUSAGE_SELF) - cpu);
}

/* What a system call costs that does nothing. */
static void run_empty(size_t count)
{
    double start = bench_clock_us(CLOCK_MONOTONIC);

    for (size_t i = 0; i < count; i++)
        (void)syscall(SYS_getppid);
    printf("{\"us\":%.5f}\n", (bench_clock_us(CLOCK_MONOTONIC) - start) / (double)count);
}

/* ---------------------------------------------------------------- contention */

/* Shared by the processes. */
struct board {
    unsigned count[WAITERS_MAX];
    atomic_uint failed, waits;
    double wait_ms[WAITS_MAX];
};

static struct board *board;

struct contest {
    unsigned hold_us;
    double start_ms, end_ms; /* on the wall clock */
};

static double wall_ms(void)
{
    return bench_clock_us(CLOCK_REALTIME) / 1e3;
}

static void note(double ms)
{
    unsigned at = atomic_fetch_add(&board->waits, 1);

    if (at < WAITS_MAX)
        board->wait_ms[at] = ms;
}

static void pause_us(unsigned us)
{
    if (us > 0)
        usleep(us);
}

static void wait_and_hold(unsigned self, const struct contest *c)
{
    srandom(self + (unsigned)getpid());
    if (drive->open(&options) != 0)
        _exit(1);
    while (wall_ms() < c->end_ms) {
        double begun = wall_ms(), now;
        int acquired = drive->acquire(0);
        while (!acquired && wall_ms() < c->end_ms) {
            atomic_fetch_add(&board->failed, 1);
            acquired = drive->acquire(0);
        }
        now = wall_ms();
        if (now >= c->start_ms && begun < c->end_ms)
            note((now < c->end_ms ? now : c->end_ms) - begun);
        if (!acquired)
            break;
        board->count[self] += now >= c->start_ms && now < c->end_ms;
        pause_us(c->hold_us);
        (void)drive->release(0);
        pause_us(c->hold_us > 0 ? (unsigned)random() % (2 * c->hold_us) : 0);
    }
    _exit(0);
}

static void report(unsigned waiters, double cpu)
{
    double sum = 0, squares = 0;
    size_t n = atomic_load(&board->waits) < WAITS_MAX ? atomic_load(&board->waits) : WAITS_MAX;

    for (unsigned i = 0; i < waiters; i++) {
        sum += board->count[i];
        squares += (double)board->count[i] * board->count[i];
    }
    bench_sort(board->wait_ms, n);
    printf("{\"acquired\":%.0f,\"failed\":%u,\"jain\":%.4f,\"cpu_us\":%.0f,"
           "\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"longest_ms\":%.3f}\n",
           sum, atomic_load(&board->failed), squares > 0 ? sum * sum / waiters / squares : 0, cpu,
           board->wait_ms[n / 2], board->wait_ms[n * 99 / 100], n > 0 ? board->wait_ms[n - 1] : 0);
}

/* Each waiter is a process. */
static void contend(unsigned waiters, const struct contest *c)
{
    double cpu = cpu_us(RUSAGE_CHILDREN);

    memset(board, 0, sizeof *board);
    options.is_waiting = 1;
    fflush(stdout);
    for (unsigned i = 0; i < waiters; i++) {
        pid_t pid = fork();
        if (pid < 0)
            abort();
        if (pid == 0)
            wait_and_hold(i, c);
    }
    while (wait(NULL) > 0) {
    }
    options.is_waiting = 0;
    report(waiters, cpu_us(RUSAGE_CHILDREN) - cpu);
}

/* ---------------------------------------------------------------- the protocol */

static int execute(const char *line)
{
    struct contest c;
    unsigned waiters;
    size_t count;
    double ms;

    if (sscanf(line, "open %63s %zu", options.key, &options.locks) == 2) {
        if (drive->open(&options) != 0)
            return -1;
        printf("{}\n");
    } else if (sscanf(line, "run %zu %lf", &count, &ms) == 2) {
        run(count, ms);
    } else if (sscanf(line, "locks %zu", &count) == 1 && count <= options.locks) {
        run_locks(count);
    } else if (sscanf(line, "empty %zu", &count) == 1) {
        run_empty(count);
    } else if (sscanf(line, "contend %63s %u %u %lf %lf", options.key, &waiters, &c.hold_us, &c.start_ms,
                      &c.end_ms) == 5 &&
               waiters <= WAITERS_MAX) {
        options.locks = 1;
        contend(waiters, &c);
    } else {
        return -1;
    }
    fflush(stdout);
    return 0;
}

int drive_main(const struct drive *client, int argc, char **argv)
{
    char line[256];

    drive = client;
    for (int i = 0; i < argc && i < DRIVE_SERVERS_MAX; i++)
        options.ports[options.n++] = (int)strtol(argv[i], NULL, 10);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (execute(line) != 0) {
            fprintf(stderr, "failed: %s", line);
            return 1;
        }
    }
    return 0;
}
