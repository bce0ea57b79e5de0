/* SPDX-License-Identifier: MIT */
/*
 * step_clock.c - preloaded into a server, whose wall clock then differs from the host's by the number of
 * seconds that is written in the file $RDL_STEP_FILE. Its monotonic clock is the host's.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long stepped_s(void)
{
    const char *path = getenv("RDL_STEP_FILE");
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    char text[24] = "";

    if (file == NULL)
        return 0;
    fgets(text, sizeof text, file);
    fclose(file);
    return strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    int result = (int)syscall(SYS_clock_gettime, clock, at);

    if (result == 0 && clock == CLOCK_REALTIME)
        at->tv_sec += stepped_s();
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
