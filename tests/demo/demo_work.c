/* SPDX-License-Identifier: MIT */
/* One of the eight processes: all the code that a lock on five servers needs. */
#define _POSIX_C_SOURCE 200809L
#include "tests/demo/demo.h"

#include "redlock/redlock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char name[] = "demo";
static const struct rdl_redlock_options opt = {.lease = {.ttl_ms = TTL_MS, .wait_ms = 5000, .retry_ms = 2},
                                               .max_ttl_ms = TTL_MS,
                                               .guard = RDL_GUARD_OFF};

static struct rdl_endpoint endpoint[SERVERS];
static struct rdl_conn_config config[SERVERS];
static struct rdl_conn conn[SERVERS];
static struct rdl_server server[SERVERS];
static uint64_t queue[SERVERS][1024 / 8];
static struct rdl_server_info server_info[SERVERS];
static char text[SERVERS][64];

static int set_up(struct rdl_redlock *lock, const struct servers *s)
{
    for (int i = 0; i < SERVERS; i++) {
        char url[64];
        snprintf(url, sizeof url, "redis://127.0.0.1:%d", s->port[i]);
        if (rdl_url_parse(&endpoint[i], url, text[i], sizeof text[i], NULL) != RDL_OK)
            return 1;
        config[i] = (struct rdl_conn_config){.endpoint = &endpoint[i],
                                             .methods = &rdl_methods_all,
                                             .login = &rdl_login,
                                             .queue = queue[i],
                                             .queue_len = sizeof queue[i],
                                             .server_info = &server_info[i]};
        rdl_conn_init(&conn[i], &config[i]);
        server[i].conn = &conn[i];
    }
    rdl_redlock_init(lock, &opt, server, SERVERS, name, strlen(name));
    return 0;
}

/* Read, think, write: the update that is lost when two do it at the same time. */
static int update(const char *file)
{
    char number[32] = "";
    int fd = open(file, O_RDWR);

    if (fd < 0 || pread(fd, number, sizeof number - 1, 0) < 0)
        return 1;
    long value = strtol(number, NULL, 10);
    demo_sleep_us(WORK_US);
    snprintf(number, sizeof number, "%08ld\n", value + 1);
    ssize_t n = pwrite(fd, number, 9, 0);
    close(fd);
    return n != 9;
}

static int locked_round(struct board *b, struct rdl_redlock *lock, const struct rdl_platform *platform,
                        struct hold *h, const char *file)
{
    int rc = 0;

    h->requested_us = demo_now_us() - b->start_us;
    while (rc == 0 && rdl_redlock_acquire(lock, platform) != RDL_OK) /* no quorum at the moment: wait on */
        rc = demo_now_us() - b->start_us - h->requested_us > 20000000;
    if (rc != 0) {
        fprintf(stderr, "demo: no lock for 20 s\n");
        return rc;
    }
    h->got_us = demo_now_us() - b->start_us;
    rc = update(file);
    h->done_us = demo_now_us() - b->start_us;
    rdl_redlock_release(lock, platform);
    return rc;
}

/* A process's work between two updates. No two do the same at the same time. */
static void rest(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    demo_sleep_us(REST_US / 2 + *seed / 65536u % REST_US);
}

int demo_work(struct board *b, const struct servers *s, int worker, int locked, const char *file)
{
    struct rdl_redlock lock;
    struct rdl_posix posix;
    struct rdl_platform platform;
    unsigned seed = (unsigned)worker + 1;
    int rc = set_up(&lock, s);

    rdl_posix_init(&posix, &platform);
    for (int i = 0; i < ROUNDS && rc == 0; i++) {
        struct hold *h = &b->hold[worker * ROUNDS + i];
        h->worker = worker;
        rc = locked ? locked_round(b, &lock, &platform, h, file) : update(file);
        if (locked)
            __sync_fetch_and_add(&b->updates, 1);
        rest(&seed);
    }
    rdl_redlock_drain(&lock, &platform, rdl_now(&platform) + 100);
    return rc;
}
