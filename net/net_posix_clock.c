/* SPDX-License-Identifier: MIT */
/* net_posix_clock.c - the system's clock and random numbers. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "net/net.h"

#if defined(ESP_PLATFORM)
#include <esp_random.h>
#elif defined(__ZEPHYR__)
#include <zephyr/random/random.h>
#endif

/* getrandom(2) came with glibc 2.25 and musl 1.1.20 */
#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif
#endif
#ifndef GRND_NONBLOCK
#define GRND_NONBLOCK            0
#define getrandom(p, len, flags) (errno = ENOSYS, (ssize_t)-1)
#endif

uint64_t rdl_posix_now_ms(void)
{
    struct timespec t;
    int rc = -1;

#ifdef CLOCK_BOOTTIME
    rc = clock_gettime(CLOCK_BOOTTIME, &t);
#endif
    if (rc != 0)
        rc = clock_gettime(CLOCK_MONOTONIC, &t);
    RDL_ASSERT(rc == 0);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

#if defined(ESP_PLATFORM)
int rdl_posix_random(void *buf, size_t len)
{
    esp_fill_random(buf, len); /* random while the radio, or another source of noise, is on */
    return RDL_OK;
}
#elif defined(__ZEPHYR__)
int rdl_posix_random(void *buf, size_t len)
{
    return sys_csrand_get(buf, len) == 0 ? RDL_OK : RDL_E_RANDOM;
}
#else
/*
 * A kernel without getrandom has the file. Without entropy (EAGAIN, just booted) it has no source. No bytes
 * are kept for the next call: after a fork or a VM snapshot two programs would have the same.
 */
int rdl_posix_random(void *buf, size_t len)
{
    uint8_t *p = buf;
    int fd = -1;

    while (len > 0) {
        ssize_t n = fd < 0 ? getrandom(p, len, GRND_NONBLOCK) : read(fd, p, len);
        if (n > 0) {
            p += n;
            len -= (size_t)n;
        } else if (fd < 0 && errno != EINTR && errno != EAGAIN) {
            fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
            if (fd < 0)
                break;
        } else if (n == 0 || errno != EINTR) {
            break;
        }
    }
    if (fd >= 0)
        close(fd);
    return len == 0 ? RDL_OK : RDL_E_RANDOM;
}
#endif
