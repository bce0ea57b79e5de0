/* SPDX-License-Identifier: MIT */
/*
 * easy.c - a lock in four calls, on one server or on three. Each URL is redis://HOST:PORT.
 *
 *     make && build/examples/redlock/easy 'URL URL URL' new
 *
 * prints:
 *
 *     work for 3 s; the lock lasts for 9 s
 *     released
 *
 * Without the word "new", a server that has just started is refused, with a text that says why.
 */
#include <stdio.h>
#include <unistd.h>

#include "redlock/easy.h"

static int fail(struct rdl_easy *lock, int status)
{
    fprintf(stderr, "%s\n", rdl_easy_error(lock));
    rdl_easy_close(lock);
    return status;
}

int main(int argc, char **argv)
{
    static struct rdl_easy lock;
    struct rdl_easy_options options = {.ttl_ms = 10000}; /* a lease of 10 s */
    int pieces = 3;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: easy 'URL ...' [new]\n");
        return 2;
    }
    if (argc == 3)
        options.flags = RDL_EASY_NO_RESTART_GUARD;
    if (rdl_easy_open(&lock, argv[1], "nightly", &options) < 0)
        return fail(&lock, 2);
    if (rdl_easy_acquire(&lock, 5000) < 0) /* wait for up to 5 s */
        return fail(&lock, 1);
    printf("work for %d s; the lock lasts for %u s\n", pieces, (unsigned)rdl_easy_remaining_ms(&lock) / 1000);
    while (pieces > 0 && rdl_easy_remaining_ms(&lock) > 1500) { /* a piece takes 1 s */
        sleep(1);
        pieces--;
        rdl_easy_extend(&lock, 0); /* for 10 s again; if it fails, less time remains */
    }
    if (rdl_easy_release(&lock) < 0)
        return fail(&lock, 1);
    printf("released\n");
    rdl_easy_close(&lock);
    return pieces > 0;
}
