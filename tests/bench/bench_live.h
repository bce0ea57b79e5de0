/* SPDX-License-Identifier: MIT */
/* bench_live.h - a benchmark with the tests' fixtures, which need Check as the runner. Needs _GNU_SOURCE. */
#ifndef RDL_BENCH_LIVE_H
#define RDL_BENCH_LIVE_H

#include <check.h>
#include <sched.h>
#include <stdio.h>

/* This process and those it starts; 0, or -1. */
static inline int bench_stay_on_one_cpu(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        return 0;
    perror("cannot stay on one CPU");
    return -1;
}

/* Run it in this process, without a time limit; the exit status. */
static inline int bench_run(const TTest *measure)
{
    Suite *suite = suite_create("bench");
    TCase *tc = tcase_create("bench");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, measure);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    if (failed)
        srunner_print(runner, CK_NORMAL);
    srunner_free(runner);
    return failed != 0;
}

#endif
