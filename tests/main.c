/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the suites, check_*.c below tests/: all of them, or those named on the command line.
 *
 *     build/check [-l] [-v] [-j N] [-r FILE] [SUITE...]
 *
 * -l lists the suites, -v names every test, -j runs N suites at a time, -r writes "PASSED FAILED" to FILE.
 * What failed is said once more at the end.
 * Each test runs in a process of its own (CK_FORK=no for a debugger) and is ended after CK_DEFAULT_TIMEOUT
 * seconds, 60 if unset. The exit status is 0 if something ran and all of it passed.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUITE(name) Suite *suite_##name(void);
#include "suites.inc"
#undef SUITE

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
#define SUITE(name) {#name, suite_##name},
#include "suites.inc"
#undef SUITE
};

enum { SUITES = sizeof suites / sizeof suites[0] };

struct sum {
    int run, failed;
};

static int usage(void)
{
    fputs("usage: check [-l] [-v] [-j N] [-r FILE] [SUITE...]\n", stderr);
    return 64;
}

static int list(void)
{
    for (size_t i = 0; i < SUITES; i++)
        puts(suites[i].name);
    return 0;
}

/* The suites to run, as numbers, in a pipe: whoever is free takes the next one. -1: no pipe. */
static int queue(char **names, int n)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    for (size_t i = 0; i < SUITES; i++) {
        unsigned char number = (unsigned char)i;
        int wanted = n == 0;
        for (int k = 0; k < n; k++)
            wanted |= strcmp(suites[i].name, names[k]) == 0;
        if (wanted && write(ends[1], &number, 1) != 1)
            return -1;
    }
    close(ends[1]);
    return ends[0];
}

static int is_suite(const char *name)
{
    for (size_t i = 0; i < SUITES; i++)
        if (strcmp(suites[i].name, name) == 0)
            return 1;
    fprintf(stderr, "check: no suite %s (-l lists them)\n", name);
    return 0;
}

static void note_failures(SRunner *runner, FILE *failures)
{
    int n = srunner_ntests_failed(runner);
    TestResult **results = srunner_failures(runner);
    for (int k = 0; k < n; k++)
        fprintf(failures, "%s:%d: %s: %s\n", tr_lfile(results[k]), tr_lno(results[k]), tr_tcname(results[k]),
                tr_msg(results[k]));
    free(results);
    fflush(failures); /* the workers share the file, and its position */
}

static struct sum run_queue(int todo, enum print_output mode, FILE *failures)
{
    struct sum sum = {0, 0};
    unsigned char i;
    while (read(todo, &i, 1) == 1) {
        SRunner *runner = srunner_create(suites[i].make());
        srunner_run_all(runner, mode);
        sum.run += srunner_ntests_run(runner);
        sum.failed += srunner_ntests_failed(runner);
        note_failures(runner, failures);
        srunner_free(runner);
        fflush(stdout);
    }
    return sum;
}

/* A worker that does not live to tell its sum counts as a failure. */
static struct sum run_workers(int todo, enum print_output mode, FILE *failures, int workers)
{
    struct sum all = {0, 0}, one;
    int sums[2], status;
    if (pipe(sums) != 0)
        return all;
    fflush(stdout);
    for (int k = 0; k < workers; k++) {
        if (fork() != 0)
            continue;
        one = run_queue(todo, mode, failures);
        exit(write(sums[1], &one, sizeof one) == sizeof one ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(sums[1]);
    while (wait(&status) > 0)
        all.failed += status != 0;
    while (read(sums[0], &one, sizeof one) == sizeof one) {
        all.run += one.run;
        all.failed += one.failed;
    }
    close(sums[0]);
    return all;
}

static void repeat(FILE *failures)
{
    rewind(failures);
    for (int c = fgetc(failures); c != EOF; c = fgetc(failures))
        putchar(c);
    fflush(stdout);
}

static int report(const char *path, struct sum sum)
{
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        return -1;
    }
    fprintf(f, "%d %d\n", sum.run - sum.failed, sum.failed);
    return fclose(f);
}

/* A run in the background may inherit SIGINT and SIGQUIT as ignored, and every command it starts with it:
 * a shell cannot trap a signal that was ignored before it (POSIX 2.11). */
static void heed_signals(void)
{
    static const int all[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2};
    sigset_t none;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        signal(all[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int argc, char **argv)
{
    enum print_output mode = CK_NORMAL;
    const char *results = NULL;
    int workers = 1, opt;
    while ((opt = getopt(argc, argv, "lvj:r:")) != -1) {
        if (opt == 'l')
            return list();
        if (opt == 'v')
            mode = CK_VERBOSE;
        else if (opt == 'j')
            workers = atoi(optarg);
        else if (opt == 'r')
            results = optarg;
        else
            return usage();
    }
    for (int k = optind; k < argc; k++)
        if (!is_suite(argv[k]))
            return EXIT_FAILURE;
    heed_signals();
    /* A test that hangs is ended; on a busy machine a slow one is not. */
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    int todo = queue(argv + optind, argc - optind);
    if (todo < 0)
        return EXIT_FAILURE;
    FILE *failures = tmpfile();
    if (failures == NULL) {
        perror("tmpfile");
        return EXIT_FAILURE;
    }
    struct sum sum =
        workers > 1 ? run_workers(todo, mode, failures, workers) : run_queue(todo, mode, failures);
    if (sum.failed > 0)
        printf("\n%d of %d failed:\n", sum.failed, sum.run);
    repeat(failures);
    if (results != NULL && report(results, sum) != 0)
        return EXIT_FAILURE;
    return sum.run > 0 && sum.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
