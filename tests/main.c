/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the suites of tests/check_*.c: all of them, or those named on the command line.
 *
 *     build/check [-l] [-v] [-r FILE] [SUITE...]
 *
 * -l lists the suites, -v names every test, -r writes "PASSED FAILED" to FILE. Each test runs in a process
 * of its own (CK_FORK=no for a debugger) and is ended after CK_DEFAULT_TIMEOUT seconds, 60 if unset. The
 * exit status is 0 if something ran and all of it passed.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int usage(void)
{
    fputs("usage: check [-l] [-v] [-r FILE] [SUITE...]\n", stderr);
    return 64;
}

static int list(void)
{
    for (size_t i = 0; i < SUITES; i++)
        puts(suites[i].name);
    return 0;
}

static void add(SRunner **runner, Suite *suite)
{
    if (*runner == NULL)
        *runner = srunner_create(suite);
    else
        srunner_add_suite(*runner, suite);
}

/* NULL if a name is not that of a suite, or if there is none at all. */
static SRunner *collect(char **names, int n)
{
    SRunner *runner = NULL;
    for (size_t i = 0; n == 0 && i < SUITES; i++)
        add(&runner, suites[i].make());
    for (int k = 0; k < n; k++) {
        size_t i = 0;
        while (i < SUITES && strcmp(suites[i].name, names[k]) != 0)
            i++;
        if (i == SUITES) {
            fprintf(stderr, "check: no suite %s (-l lists them)\n", names[k]);
            return NULL;
        }
        add(&runner, suites[i].make());
    }
    return runner;
}

static int report(const char *path, int run, int failed)
{
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        return -1;
    }
    fprintf(f, "%d %d\n", run - failed, failed);
    return fclose(f);
}

int main(int argc, char **argv)
{
    enum print_output mode = CK_NORMAL;
    const char *results = NULL;
    int opt;
    while ((opt = getopt(argc, argv, "lvr:")) != -1) {
        if (opt == 'l')
            return list();
        if (opt == 'v')
            mode = CK_VERBOSE;
        else if (opt == 'r')
            results = optarg;
        else
            return usage();
    }
    /* A test that hangs is ended; on a busy machine a slow one is not. */
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    SRunner *runner = collect(argv + optind, argc - optind);
    if (runner == NULL)
        return EXIT_FAILURE;
    srunner_run_all(runner, mode);
    int run = srunner_ntests_run(runner);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (results != NULL && report(results, run, failed) != 0)
        return EXIT_FAILURE;
    return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
