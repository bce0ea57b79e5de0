/* SPDX-License-Identifier: MIT */
/*
 * contender.c - a host that contends with the boards for the lock: contender URL, in the folder of the files
 * "number" and "goal" (lock/examples/firmware/app.c). It prints how often it wrote the number.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lock/lock_io.h"

enum { TTL_MS = 3000, SPARE_MS = 2000, WORK_MS = 10, REST_MS = 40 }; /* the first two as in app.c */

static const struct rdl_lock_options options = {.ttl_ms = TTL_MS, .wait_ms = 200, .retry_ms = 10};

static uint32_t read_number(const char *name)
{
    uint32_t number = 0;
    int fd = open(name, O_RDONLY);

    if (fd < 0 || read(fd, &number, sizeof number) != (ssize_t)sizeof number)
        number = 0;
    if (fd >= 0)
        close(fd);
    return number;
}

static int write_number(const char *name, uint32_t number)
{
    int fd = open(name, O_WRONLY);
    int ok = fd >= 0 && write(fd, &number, sizeof number) == (ssize_t)sizeof number;

    if (fd >= 0)
        close(fd);
    return ok;
}

static void wait_ms(long ms)
{
    const struct timespec some = {0, ms * 1000000};

    nanosleep(&some, NULL);
}

/* 1: written; 0: the lease could not be extended, or the goal is reached; -1: it cannot be written. */
static int update(struct rdl_lock *lock, const struct rdl_platform *platform)
{
    uint32_t number = read_number("number");

    wait_ms(WORK_MS);
    if (number >= read_number("goal") || rdl_lock_extend(lock, platform, TTL_MS) != RDL_OK)
        return 0;
    if (rdl_lock_remaining_ms(lock, rdl_now(platform)) < SPARE_MS)
        return 0;
    return write_number("number", number + 1) ? 1 : -1;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock lock;
    int updates = 0;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: contender redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_posix_init(&posix, &platform);
    rdl_lock_init(&lock, &options, &server.conn, "board", 5);
    while (read_number("number") < read_number("goal")) {
        if (rdl_lock_acquire(&lock, &platform) == RDL_OK) {
            int written = update(&lock, &platform);
            if (written < 0)
                return perror("number"), 1;
            updates += written;
            rdl_lock_release(&lock, &platform);
        }
        wait_ms(REST_MS);
    }
    printf("updates %d\n", updates);
    return 0;
}
