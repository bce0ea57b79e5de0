/* SPDX-License-Identifier: MIT */
/*
 * files.c - opening files that users name. open(2) of a FIFO blocks until its other end is open, which may be
 * never. So it is opened without blocking, and polled.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/files.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 50, OWNER_ALONE = 0600 };

static const char no_peer[] = "it is a FIFO, and no program has opened its other end in time";

/* Returns how long to wait now: 0 at the end. */
static int left_ms(uint64_t until_ms)
{
    uint64_t now = rdl_posix_now_ms();

    return now >= until_ms ? 0 : until_ms - now < POLL_MS ? (int)(until_ms - now) : POLL_MS;
}

/* Lets reads and writes block again. Returns fd, or -1. */
static int ready(int fd, const char **why)
{
    if (fd >= 0 && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0)
        return fd;
    *why = strerror(errno);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Waits for data, or for the end of a program that had none. What is no FIFO is readable at once. */
int rdl_cli_file_read(const char *path, uint64_t until_ms, const char **why)
{
    struct pollfd p = {open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), POLLIN, 0};
    int ms;

    while (p.fd >= 0 && poll(&p, 1, ms = left_ms(until_ms)) <= 0) {
        if (ms > 0)
            continue;
        close(p.fd);
        *why = no_peer;
        return -1;
    }
    return ready(p.fd, why);
}

/* A FIFO without a reader cannot be opened: ENXIO. */
int rdl_cli_file_append(const char *path, uint64_t until_ms, const char **why)
{
    int fd, ms;

    while ((fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, OWNER_ALONE)) < 0 &&
           errno == ENXIO) {
        ms = left_ms(until_ms);
        if (ms == 0) {
            *why = no_peer;
            return -1;
        }
        (void)poll(NULL, 0, ms);
    }
    return ready(fd, why);
}

ssize_t rdl_cli_file_read_all(int fd, char *text, size_t cap)
{
    size_t len = 0;

    while (len < cap) {
        ssize_t n = read(fd, text + len, cap - len);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n == 0)
            break;
        len += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)len;
}
