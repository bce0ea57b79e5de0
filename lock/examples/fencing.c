/* SPDX-License-Identifier: MIT */
/*
 * fencing.c - why a lock needs a fencing token: a holder slept too long, and the store refuses its write.
 *
 *     make && build/examples/lock/fencing redis://127.0.0.1:6379
 *
 * prints:
 *
 *     Berta writes with 1764256200001: done
 *     Anna writes with 1764256200000: refused
 *     the store holds what Berta wrote
 */
#include <stdio.h>
#include <time.h>

#include "lock/lock_fenced.h"
#include "lock/lock_io.h"

/* What the lock protects. It knows nothing about locks. It refuses tokens below the greatest it has seen. */
struct store {
    uint64_t greatest;
    const char *content;
};

static void store_write(struct store *s, uint64_t number, const char *content)
{
    int is_late = number < s->greatest;

    printf("%s writes with %llu: %s\n", content, (unsigned long long)number, is_late ? "refused" : "done");
    if (is_late)
        return;
    s->greatest = number;
    s->content = content;
}

/* Holds the lock for a moment. Returns its fencing token, or 0 if it was not acquired. */
static uint64_t hold(struct rdl_lock_fenced *fenced, const struct rdl_platform *platform)
{
    uint64_t number;
    int rc;

    /* Tokens then grow even if the server loses its data. */
    rdl_lock_set_min_fence(fenced, (uint64_t)time(NULL) * 1000);
    rc = rdl_lock_acquire(&fenced->lock, platform);
    if (rc < 0) {
        fprintf(stderr, "no lock: %s\n", rdl_strerror(rc));
        return 0;
    }
    number = rdl_lock_fence(fenced);
    rdl_lock_release(&fenced->lock, platform);
    return number;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    struct store store = {0, "nothing"};
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock_fenced fenced;
    uint64_t anna;
    uint64_t berta;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: fencing redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_posix_init(&posix, &platform);
    rdl_lock_init_fenced(&fenced, &opt, &server.conn, RDL_NAME("store"));
    anna = hold(&fenced, &platform); /* Anna falls asleep, and the lease ends */
    berta = hold(&fenced, &platform);
    if (anna == 0 || berta == 0)
        return 1;
    store_write(&store, berta, "Berta");
    store_write(&store, anna, "Anna"); /* awake again, and Anna goes on as if it lasted */
    printf("the store holds what %s wrote\n", store.content);
    return 0;
}
