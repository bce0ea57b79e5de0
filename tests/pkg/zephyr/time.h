/* SPDX-License-Identifier: MIT */
/* time.h - the clock that Zephyr adds to the C library's. */
#pragma once
#include_next <time.h>

#define CLOCK_MONOTONIC ((clockid_t)1)

int clock_gettime(clockid_t clock, struct timespec *time);
