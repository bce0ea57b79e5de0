/* SPDX-License-Identifier: MIT */
/*
 * easy.c - a lock in four calls. On one server, or on three without another line:
 *
 *     cc -I. redlock/examples/easy.c build/libredlock.a -o easy
 *     ./easy 'redis://a redis://b redis://c'
 *     work for 3 s, the lease lasts for 9 s
 *     released
 */
#include <stdio.h>
#include <unistd.h>

#include "redlock/easy.h"

static struct rdl_easy lock;

static int fail(void)
{
    fprintf(stderr, "%s\n", rdl_easy_error(&lock));
    rdl_easy_close(&lock);
    return 1;
}

int main(int argc, char **argv)
{
    int pieces = 3;

    if (argc < 2) {
        fprintf(stderr, "usage: easy 'URL ...' [new]\n");
        return 2;
    }
    if (rdl_easy_open(&lock, argv[1], "nightly") < 0)
        return fail();
    if (argc > 2) /* servers in their first 31 s count only with this flag: see easy.h */
        rdl_easy_set_flags(&lock, RDL_EASY_NO_RESTART_GUARD);
    if (rdl_easy_lock(&lock, 10000, 5000) < 0) /* for 10 s; wait for up to 5 s */
        return fail();
    printf("work for %d s, the lease lasts for %u s\n", pieces,
           (unsigned)rdl_easy_remaining_ms(&lock) / 1000);
    while (pieces > 0 && rdl_easy_remaining_ms(&lock) > 1500) { /* a piece takes 1 s */
        sleep(1);
        pieces--;
        rdl_easy_renew(&lock, 10000); /* if it fails, remaining_ms reports less and less */
    }
    if (rdl_easy_unlock(&lock) < 0)
        return fail();
    printf("released\n");
    rdl_easy_close(&lock);
    return pieces > 0;
}
