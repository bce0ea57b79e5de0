/* SPDX-License-Identifier: MIT */
/*
 * failovers_main.c - what failovers of Sentinel groups cost, counted on real processes.
 *
 *     build/failovers [N [ROW]]
 *
 * For each row of the table in redlock/doc/GUIDE.md, N failovers (100), half of them by kill -9 of the
 * master, half by SENTINEL FAILOVER. A job holds the lock when its master goes. Then one new process after
 * the other tries to get the lock. If one gets it while the job's command still runs, there were two holders.
 * The exit status is 1 if there were in a row for which the table says 0.
 */
#define _GNU_SOURCE
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fixtures/command.h"
#include "tests/fixtures/sentinels.h"
#include "tests/suite.h"

enum {
    GROUPS_MAX = 3,
    RETRY_MS = 10000,
    AFTER_MS = 3000 /* a job that still runs this long after the failover has survived it */
};

static const struct row {
    const char *name;
    int groups;
    const char *guard;
    int is_safe; /* the table says that there are never two holders */
} rows[] = {
    {"one group as the only server", 1, "if-permitted", 1},
    {"one group, without guard and canary", 1, "off", 0},
    {"three groups as three servers", 3, "if-permitted", 1},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* What is counted; the times in ms. */
struct result {
    int n, doubles, lost;
    long sum_ms, most_ms;
};

static const struct row *row;
static int n_failovers;
static struct result sum;
static struct live_group group[GROUPS_MAX];
static struct command job, next;

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* redlock run OPTION VALUE -u GROUP... lock -- sh -c SCRIPT */
static void set(struct command *c, const struct row *r, const char *option, const char *value,
                const char *script)
{
    static char urls[GROUPS_MAX][200];

    memset(c, 0, sizeof *c);
    command_add_all(c, (const char *const[]){"run", "--ttl", "1s", "--max-ttl", "1s", "--restart-guard",
                                             r->guard, option, value, NULL});
    for (int i = 0; i < r->groups; i++) {
        snprintf(urls[i], sizeof urls[i], "%s", group_url(&group[i]));
        command_add_all(c, (const char *const[]){"-u", urls[i], NULL});
    }
    command_add_all(c, (const char *const[]){"lock", "--", "sh", "-c", script, NULL});
}

static int runs(const struct command *c)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

/* One try by a new process. 1: it got the lock; 2: while the job's command ran; 0: it did not get it. */
static int try_once(const struct row *r, const char *pid)
{
    char script[80];

    snprintf(script, sizeof script, "kill -0 %s 2>/dev/null && echo two || echo one", pid);
    set(&next, r, "-w", "0", script);
    command_run(&next);
    return strstr(next.out, "two") != NULL ? 2 : strstr(next.out, "one") != NULL;
}

/* Restarts a killed master, which becomes a replica. */
static void repair(struct live_group *g, struct tls_server *old)
{
    if (old->live.pid == 0)
        live_restart(&old->live);
    group_await_complete(g);
}

static void fail_over(const struct row *r, int k)
{
    struct live_group *g = &group[k % r->groups];
    char pid[24];
    long begun_ms, retry_ms, over_ms = 0;
    int is_forced = k / r->groups % 2 != 0;
    int got = 0, old;

    set(&job, r, "-w", "30s", "echo $$ >&9; exec sleep 600");
    command_start(&job);
    snprintf(pid, sizeof pid, "%s", command_note(&job));
    while ((old = group_master(g)) < 0) /* one has not heard of the last failover yet */
        live_pause();
    begun_ms = now_ms();
    retry_ms = begun_ms + RETRY_MS;
    if (!is_forced)
        live_kill(&g->server[old].live);
    else
        group_failover(g);
    while (got == 0 && (over_ms == 0 || !runs(&job) || now_ms() < over_ms + AFTER_MS)) {
        got = try_once(r, pid);
        if (is_forced && over_ms == 0 && now_ms() > retry_ms) { /* sentinels retry only after a crash */
            group_failover(g);
            retry_ms = now_ms() + RETRY_MS;
        }
        if (over_ms == 0 && group_master(g) != old && group_master(g) >= 0)
            over_ms = now_ms();
    }
    sum.n++;
    sum.doubles += got == 2;
    if (got != 0) {
        sum.sum_ms += now_ms() - begun_ms;
        sum.most_ms = now_ms() - begun_ms > sum.most_ms ? now_ms() - begun_ms : sum.most_ms;
    }
    if (runs(&job))
        kill(job.pid, SIGTERM);
    sum.lost += command_end(&job) == 75;
    group_await_failover(g, old);
    repair(g, &g->server[old]);
}

START_TEST(run_row)
{
    for (int i = 0; i < row->groups; i++)
        group_start(&group[i]);
    for (int k = 0; k < n_failovers; k++)
        fail_over(row, k);
    printf("| %s | %d | %d | %.1f (at most %.1f) | %d |\n", row->name, sum.n, sum.doubles,
           (double)sum.sum_ms / 1000 / sum.n, (double)sum.most_ms / 1000, sum.lost);
    for (int i = 0; i < row->groups; i++)
        group_remove(&group[i]);
}
END_TEST

/* The fixtures need a runner of Check. Returns an exit status. */
static int run_in_check(void)
{
    TCase *tc = tcase_create(row->name);

    tcase_add_test(tc, run_row);
    return suite_run_here(tc) > 0 || (row->is_safe && sum.doubles > 0);
}

int main(int argc, char **argv)
{
    int failed = 0, status;

    n_failovers = argc > 1 ? atoi(argv[1]) : 100;
    printf("| servers | failovers | double holders | seconds without a lock | jobs that lost their lease |\n"
           "|---|---|---|---|---|\n");
    fflush(stdout);
    for (row = rows; row < rows + ROWS; row++)
        if ((argc < 3 || atoi(argv[2]) == row - rows + 1) && fork() == 0)
            _exit(run_in_check());
    while (wait(&status) > 0)
        failed |= status != 0;
    return failed;
}
