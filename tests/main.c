/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the suites, check_*.c below tests/: all of them, or those named on the command line.
 *
 *     build/check [-l] [-v] [-j N] [-r FILE] [SUITE | FOLDER/]...
 *
 * FOLDER/ is all suites of tests/FOLDER/. -l lists the suites, -v names every test, -j runs N suites at a
 * time, -r writes "PASSED FAILED" to FILE.
 * At the end it says which suites took longer than LONG_S, the SLOWEST tests, and once more what failed.
 * tests/suites.inc lists the suites. They start in its order.
 * Each test runs in a process of its own (CK_FORK=no for a debugger) and is ended after CK_DEFAULT_TIMEOUT
 * seconds (60), or what its case says, times CK_TIMEOUT_MULTIPLIER (10). A suite after which a process
 * that it started still runs has failed.
 * The exit status is 0 if something ran and all of it passed.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/suite.h"

static const struct {
    const char *folder, *name;
    Suite *(*make)(void);
} suites[] = {
#define SUITE(folder, name) {#folder "/", #name, suite_##name},
#include "tests/suites.inc"
#undef SUITE
};

enum { SUITES = sizeof suites / sizeof suites[0], LONG_S = 5, SLOWEST = 10, NAME = 120, GONE_MS = 10000 };
static const double PRINTED_S = 0.05; /* quicker tests are not printed */

struct sum {
    int run, failed;
};

/* How long a suite took, or one test of it. */
struct took {
    double seconds;
    int is_suite;
    char name[NAME];
};

/* What the workers share, each a file without a name, and its position with it. */
static FILE *failures, *times;

/* Built with AddressSanitizer, no search for leaks at the end of each test: the library allocates nothing,
 * what a test allocates ends with its process, and the searches would take as long as the tests. The command
 * is a program of its own: it is searched. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static int usage(void)
{
    fputs("usage: check [-l] [-v] [-j N] [-r FILE] [SUITE | FOLDER/]...\n", stderr);
    return 64;
}

static int list(void)
{
    for (size_t i = 0; i < SUITES; i++)
        puts(suites[i].name);
    return 0;
}

/* A pipe of this process alone: what a test starts does not get it, and cannot keep it open. */
static int own_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
                   fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0
               ? 0
               : -1;
}

static int is_named(size_t i, const char *word)
{
    return strcmp(suites[i].name, word) == 0 || strcmp(suites[i].folder, word) == 0;
}

/* The suites to run, as numbers, in a pipe: whoever is free takes the next one. -1: no pipe. */
static int queue(char **names, int n)
{
    int ends[2];
    if (own_pipe(ends) != 0)
        return -1;
    for (size_t i = 0; i < SUITES; i++) {
        unsigned char number = (unsigned char)i;
        int wanted = n == 0;
        for (int k = 0; k < n; k++)
            wanted |= is_named(i, names[k]);
        if (wanted && write(ends[1], &number, 1) != 1)
            return -1;
    }
    close(ends[1]);
    return ends[0];
}

static int is_suite(const char *word)
{
    for (size_t i = 0; i < SUITES; i++)
        if (is_named(i, word))
            return 1;
    fprintf(stderr, "check: no suite %s (-l lists them)\n", word);
    return 0;
}

static void note_time(const struct took *took)
{
    fwrite(took, sizeof *took, 1, times);
    fflush(times); /* whole: the workers write in turn */
}

/* A failure names the test where it is known: not if what comes before all tests of a case fails. */
static void note_failure(TestResult *r, const char *test)
{
    fprintf(failures, "%s:%d: %s: %s%s%s\n", tr_lfile(r), tr_lno(r), tr_tcname(r), test, *test ? ": " : "",
            tr_msg(r));
    fflush(failures);
}

/* What stands between these in the line, or nothing. */
static int between(const char *line, const char *before, const char *after, char *out, size_t cap)
{
    const char *from = strstr(line, before), *to;
    if (from == NULL)
        return 0;
    from += strlen(before);
    to = strstr(from, after);
    snprintf(out, cap, "%.*s", to ? (int)(to - from) : 0, from);
    return to != NULL;
}

/* The end of a path. */
static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One test as Check's XML tells it; seconds without its fixture, below 0 if it did not come to its end. */
struct result_in_xml {
    char at[256], test[NAME - 40], round[16], seconds[32];
};

static int read_result(FILE *xml, struct result_in_xml *t)
{
    char line[4096];
    memset(t, 0, sizeof *t);
    while (fgets(line, sizeof line, xml) != NULL) {
        between(line, "<fn>", "</fn>", t->at, sizeof t->at);
        between(line, "<id>", "</id>", t->test, sizeof t->test);
        between(line, "<iteration>", "</iteration>", t->round, sizeof t->round);
        if (between(line, "<duration>", "</duration>", t->seconds, sizeof t->seconds) && t->test[0])
            return 1;
    }
    return 0;
}

/*
 * Only the XML has a test's name and time, in the order of the results. It lacks what failed before all tests
 * of a case.
 */
static void note_tests(SRunner *runner, const char *suite, FILE *xml)
{
    TestResult **results = srunner_results(runner);
    int n = srunner_ntests_run(runner), is_missing = 0;
    struct result_in_xml result;
    for (int k = 0; k < n; k++) {
        char at[256];
        struct took took = {0, 0, ""};
        if (!is_missing && !read_result(xml, &result))
            memset(&result, 0, sizeof result);
        snprintf(at, sizeof at, "%s:%d", last_of(tr_lfile(results[k])), tr_lno(results[k]));
        is_missing = strcmp(at, result.at) != 0; /* the XML's next entry is about a later result */
        snprintf(took.name, sizeof took.name, "%s: %s[%s]", suite, result.test, result.round);
        took.seconds = strtod(result.seconds, NULL);
        if (!is_missing)
            note_time(&took);
        if (tr_rtype(results[k]) != CK_PASS)
            note_failure(results[k], is_missing ? "" : result.test);
    }
    free(results);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Every process that a suite starts inherits the writing end of a pipe: it ends when all of them have gone.
 * One that was killed may need a while for that. */
static int nobody_is_left(int ends[2], const char *suite)
{
    struct pollfd end = {ends[0], POLLIN, 0};
    close(ends[1]);
    int is_over = poll(&end, 1, GONE_MS) == 1;
    close(ends[0]);
    if (!is_over) {
        fprintf(failures, "%s: a process that a test started still runs\n", suite);
        fflush(failures);
    }
    return is_over;
}

static struct sum run_queue(int todo, enum print_output mode)
{
    struct sum sum = {0, 0};
    unsigned char i;
    while (read(todo, &i, 1) == 1) {
        SRunner *runner = srunner_create(suites[i].make());
        struct took all = {now(), 1, ""};
        FILE *xml = tmpfile();
        int alive[2];
        char path[32];
        if (xml == NULL || pipe(alive) != 0) {
            perror("check");
            exit(EXIT_FAILURE); /* a worker's end is noticed */
        }
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(xml)); /* by a name, so that no file is left */
        srunner_set_xml(runner, path);
        srunner_run_all(runner, mode);
        all.seconds = now() - all.seconds;
        snprintf(all.name, sizeof all.name, "%s", suites[i].name);
        note_time(&all);
        sum.run += srunner_ntests_run(runner);
        sum.failed += srunner_ntests_failed(runner) + !nobody_is_left(alive, suites[i].name);
        note_tests(runner, suites[i].name, xml);
        srunner_free(runner);
        fclose(xml);
        fflush(stdout);
    }
    return sum;
}

/* A worker that ends before it reports its sum counts as a failure. */
static struct sum run_workers(int todo, enum print_output mode, int workers)
{
    struct sum all = {0, 0}, one;
    int sums[2], status;
    if (own_pipe(sums) != 0)
        return all;
    fflush(stdout);
    for (int k = 0; k < workers; k++) {
        if (fork() != 0)
            continue;
        one = run_queue(todo, mode);
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

static int slowest_first(const void *a, const void *b)
{
    double x = ((const struct took *)a)->seconds, y = ((const struct took *)b)->seconds;
    return (x < y) - (x > y);
}

/* The suites that take longer than LONG_S, then the slowest tests. */
static void tell_times(void)
{
    long bytes = ftell(times);
    size_t n = bytes > 0 ? (size_t)bytes / sizeof(struct took) : 0, lines = 0, tests = 0;
    struct took *all = calloc(n + 1, sizeof *all);
    if (all == NULL)
        return;
    rewind(times);
    n = fread(all, sizeof *all, n, times);
    qsort(all, n, sizeof *all, slowest_first);
    for (int is_suite = 1; is_suite >= 0; is_suite--) {
        for (size_t i = 0; i < n; i++) {
            if (all[i].is_suite != is_suite || all[i].seconds < (is_suite ? (double)LONG_S : PRINTED_S) ||
                (!is_suite && ++tests > SLOWEST))
                continue;
            if (lines++ == 0)
                printf("\nsuites above %d s, and the slowest tests without their fixtures:\n", LONG_S);
            printf("%7.1f s  %s\n", all[i].seconds, all[i].name);
        }
    }
    free(all);
}

static void repeat_failures(void)
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
    /* A test that hangs is ended; one that is slow on a busy machine is not: some take 17 s. */
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    setenv("CK_TIMEOUT_MULTIPLIER", "10", 0);
    int todo = queue(argv + optind, argc - optind);
    if (todo < 0)
        return EXIT_FAILURE;
    failures = tmpfile();
    times = tmpfile();
    if (failures == NULL || times == NULL) {
        perror("tmpfile");
        return EXIT_FAILURE;
    }
    struct sum sum = workers > 1 ? run_workers(todo, mode, workers) : run_queue(todo, mode);
    tell_times();
    if (sum.failed > 0)
        printf("\n%d of %d failed:\n", sum.failed, sum.run);
    repeat_failures();
    if (results != NULL && report(results, sum) != 0)
        return EXIT_FAILURE;
    return sum.run > 0 && sum.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
