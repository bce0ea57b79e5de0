/* SPDX-License-Identifier: MIT */
/*
 * demo [--standin] - eight processes, one file, one lock on five servers, one of which is killed during the
 * run. Exit status 0: no update was lost. Writes only below the directory of its program.
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "tests/demo/demo.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    VICTIM = 2,
    KILL_AFTER = HOLDS / 8,         /* updates */
    DOWN_US = (TTL_MS + 100) * 1000 /* longer than any lease that it lost: see the README on restarts */
};

static struct servers servers;
static volatile sig_atomic_t interrupted;
static char work_dir[PATH_LEN];
static char file[PATH_LEN + 16];

int64_t demo_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void demo_sleep_us(int64_t us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static void write_zero(void)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, "00000000\n", 9) != 9 || close(fd) != 0) {
        perror(file);
        exit(1);
    }
}

static int read_total(void)
{
    char number[16] = "";
    FILE *f = fopen(file, "r");
    if (f == NULL)
        return -1;
    const char *line = fgets(number, sizeof number, f);
    fclose(f);
    return line == NULL ? -1 : (int)strtol(line, NULL, 10);
}

static void start_workers(struct board *b, pid_t pid[WORKERS], int locked)
{
    write_zero();
    b->start_us = demo_now_us();
    for (int w = 0; w < WORKERS; w++) {
        pid[w] = demo_fork();
        if (pid[w] == 0)
            _exit(demo_work(b, &servers, w, locked, file));
    }
}

/* The number still running; *failed counts those that failed. */
static int still_working(pid_t pid[WORKERS], int *failed)
{
    int n = 0, status = 0;
    for (int w = 0; w < WORKERS; w++) {
        if (pid[w] > 0 && waitpid(pid[w], &status, WNOHANG) == pid[w]) {
            *failed += status != 0;
            pid[w] = 0;
        }
        n += pid[w] > 0;
    }
    return interrupted ? 0 : n;
}

/* With the lock, and with a server that dies and restarts. Returns the number of failed processes. */
static int run_locked(struct board *b, struct story *t)
{
    pid_t pid[WORKERS];
    int failed = 0;

    start_workers(b, pid, 1);
    while (still_working(pid, &failed) > 0) {
        int64_t now = demo_now_us() - b->start_us;
        if (t->killed_us == 0 && b->updates >= KILL_AFTER) {
            t->killed_us = demo_now_us() - b->start_us;
            demo_server_kill(&servers, VICTIM);
        } else if (t->killed_us != 0 && t->back_us == 0 && now > t->killed_us + DOWN_US) {
            if (demo_server_start(&servers, VICTIM) == 0)
                t->back_us = demo_now_us() - b->start_us;
        }
        demo_sleep_us(2000);
    }
    t->end_us = demo_now_us() - b->start_us;
    return failed;
}

static int run_unlocked(struct board *b)
{
    pid_t pid[WORKERS];
    int failed = 0;

    start_workers(b, pid, 0);
    while (still_working(pid, &failed) > 0)
        demo_sleep_us(2000);
    return failed;
}

static void report(const struct board *b, const struct story *t, int overlaps)
{
    int64_t sum = 0, most = 0;
    for (int i = 0; i < HOLDS; i++) {
        int64_t waited = b->hold[i].got_us - b->hold[i].requested_us;
        sum += waited;
        most = waited > most ? waited : most;
    }
    double s = (double)t->end_us / 1e6;
    printf("\n  with the lock      %d of %d updates", t->with, HOLDS);
    printf("   (%.1f s, %.0f a second; waited %.0f ms on average, %.0f ms at most)\n", s, (double)HOLDS / s,
           (double)sum / (double)HOLDS / 1000, (double)most / 1000);
    printf("  without the lock   %d of %d updates: %d lost\n", t->without, HOLDS, HOLDS - t->without);
    printf("  %s\n\n",
           overlaps == 0 ? "At no time did two processes hold the lock." : "TWO PROCESSES HELD THE LOCK.");
}

static void clean_up(void)
{
    char path[PATH_LEN + 32];

    demo_servers_kill(&servers);
    for (int i = 1; i <= SERVERS; i++) {
        snprintf(path, sizeof path, "%s/%d/dump.rdb", work_dir, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/%d", work_dir, i);
        rmdir(path);
    }
    unlink(file);
    rmdir(work_dir);
}

/* The processes that are still at work die with us. */
static void on_signal(int sig)
{
    interrupted = sig;
}

static int demo(struct board *b, const char *program_dir, int use_standin)
{
    struct story t = {.victim = VICTIM};
    char svg[PATH_LEN + 16];

    if (demo_servers_start(&servers, work_dir, program_dir, use_standin) != 0)
        return 1;
    printf("\n  %d processes, %d updates of one file each, one lock on %d servers\n  server: %s", WORKERS,
           ROUNDS, SERVERS, servers.what);
    printf("; ports");
    for (int i = 0; i < SERVERS; i++)
        printf(" %d", servers.port[i]);
    puts("");
    fflush(stdout); /* or every process prints it */
    int failed = run_locked(b, &t);
    t.with = read_total();
    failed += run_unlocked(b);
    t.without = read_total();
    if (interrupted)
        return 128 + interrupted;
    int overlaps = demo_overlaps(b);
    demo_picture(b, &t);
    snprintf(svg, sizeof svg, "%s/demo.svg", program_dir);
    if (demo_svg(b, &t, svg) != 0) {
        perror(svg);
        return 1;
    }
    report(b, &t, overlaps);
    printf("  The picture of this run: %s\n\n", svg);
    return failed == 0 && t.with == HOLDS && overlaps == 0 && t.back_us != 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    char program_dir[PATH_LEN];
    const char *slash = strrchr(argv[0], '/');
    int use_standin = argc > 1 && strcmp(argv[1], "--standin") == 0;

    setvbuf(stdout, NULL, _IOFBF, 65536);
    snprintf(program_dir, sizeof program_dir, "%.*s", slash ? (int)(slash - argv[0]) : 1,
             slash ? argv[0] : ".");
    if (snprintf(work_dir, sizeof work_dir, "%s/demo.XXXXXX", program_dir) >= (int)sizeof work_dir ||
        mkdtemp(work_dir) == NULL) {
        perror("demo: a directory to work in");
        return 1;
    }
    snprintf(file, sizeof file, "%s/shared", work_dir);
    struct board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) {
        perror("demo: mmap");
        return 1;
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    int rc = demo(b, program_dir, use_standin);
    fflush(stdout);
    clean_up();
    return rc;
}
