/* SPDX-License-Identifier: MIT */
/* measure.h - the clock and the median of benchmarks. Needs _POSIX_C_SOURCE. */
#ifndef RDL_BENCH_MEASURE_H
#define RDL_BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

static inline double bench_clock_us(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int bench_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static inline void bench_sort(double *v, size_t n)
{
    qsort(v, n, sizeof *v, bench_ascending);
}

/* Sorts them, too. */
static inline double bench_median(double *v, size_t n)
{
    bench_sort(v, n);
    return v[n / 2];
}

#endif
