/* SPDX-License-Identifier: MIT */
/* bench_live.h - a benchmark on the tests' fixtures, which want to be run by Check. */
#ifndef RDL_BENCH_LIVE_H
#define RDL_BENCH_LIVE_H

#include <check.h>

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
