/* SPDX-License-Identifier: MIT */
/*
 * calls.c - which functions of the library one acquire calls, on a connection that is open: calls URL.
 *
 * The library is compiled with -finstrument-functions, this file is not. It prints the number of calls and
 * the greatest depth, then the address of each function that was called.
 */
#include "lock/lock_io.h"

#include <stdio.h>

enum { FUNCTIONS_MAX = 1000 };

static void *functions[FUNCTIONS_MAX];
static size_t count;
static unsigned long calls;
static int is_counting, depth, deepest;

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    size_t i = 0;

    (void)caller;
    if (!is_counting)
        return;
    calls++;
    depth++;
    if (depth > deepest)
        deepest = depth;
    while (i < count && functions[i] != function)
        i++;
    if (i == count && count < FUNCTIONS_MAX)
        functions[count++] = function;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    depth -= is_counting;
}

int main(int argc, char **argv)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000};
    static struct rdl_posix_conn server;
    struct rdl_platform platform;
    struct rdl_posix posix;
    struct rdl_lock lock;
    int rc = RDL_E_URL;

    if (argc == 2)
        rc = rdl_posix_conn_init(&server, argv[1], NULL);
    if (rc == RDL_OK) {
        rdl_posix_init(&posix, &platform);
        rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("calls"));
        rc = rdl_lock_acquire(&lock, &platform); /* the first one connects */
    }
    if (rc == RDL_OK)
        rc = rdl_lock_release(&lock, &platform);
    if (rc == RDL_OK) {
        is_counting = 1;
        rc = rdl_lock_acquire(&lock, &platform);
        is_counting = 0;
        rdl_lock_release(&lock, &platform);
    }
    if (rc != RDL_OK) {
        fprintf(stderr, "calls: %s\n", rdl_strerror(rc));
        return 1;
    }
    printf("calls %lu, depth %d\n", calls, deepest);
    for (size_t i = 0; i < count; i++)
        printf("%p\n", functions[i]);
    return 0;
}
