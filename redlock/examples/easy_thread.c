/* SPDX-License-Identifier: MIT */
/*
 * easy_thread.c - a thread renews the lock while the program works. Each URL is redis://HOST:PORT.
 *
 *     make && build/examples/redlock/easy_thread 'URL URL URL' new
 *
 * prints:
 *
 *     locked
 *     worked for 5 s with a lease of 3 s
 *
 * The work here is a sleep that ends early when the lock is lost. Work that cannot watch a descriptor asks
 * rdl_easy_remaining_ms() instead, from any thread. Without the word "new", a server that has just started is
 * refused, with a text that says why.
 */
#include <poll.h>
#include <stdio.h>

#include "redlock/easy_thread.h"

enum { TTL_MS = 3000, GRACE_MS = 500, WORK_MS = 5000 };

static struct rdl_easy lock;
static struct rdl_easy_thread thread;

static int fail(int status)
{
    fprintf(stderr, "%s\n", rdl_easy_error(&lock));
    rdl_easy_close(&lock);
    return status;
}

int main(int argc, char **argv)
{
    struct rdl_easy_options options = {.ttl_ms = TTL_MS};
    struct pollfd lost = {.events = POLLIN};
    int is_lost;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: easy_thread 'URL ...' [new]\n");
        return 2;
    }
    if (argc == 3)
        options.flags = RDL_EASY_NO_RESTART_GUARD;
    if (rdl_easy_open(&lock, argv[1], "nightly", &options) < 0)
        return fail(2);
    if (rdl_easy_acquire(&lock, 5000) < 0 || rdl_easy_start_thread(&lock, &thread, GRACE_MS) < 0)
        return fail(1);
    printf("locked\n");
    fflush(stdout);
    lost.fd = rdl_easy_lost_fd(&thread);
    is_lost = poll(&lost, 1, WORK_MS) > 0;
    if (is_lost)
        printf("stopped: the lock cannot be renewed; it lasts for another %d ms\n", GRACE_MS);
    if (rdl_easy_release(&lock) < 0)
        return fail(1);
    if (!is_lost)
        printf("worked for %d s with a lease of %d s\n", WORK_MS / 1000, TTL_MS / 1000);
    rdl_easy_close(&lock);
    return is_lost;
}
