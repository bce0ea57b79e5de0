/* SPDX-License-Identifier: MIT */
/* count_calls.c - counts system calls by the linker's --wrap. */
#define _GNU_SOURCE
#include "tests/bench/count_calls.h"

#include <poll.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

unsigned long calls_made;

ssize_t __real_send(int fd, const void *buf, size_t len, int flags);
ssize_t __real_recv(int fd, void *buf, size_t len, int flags);
int __real_poll(struct pollfd *fds, nfds_t n, int ms);
ssize_t __real_getrandom(void *buf, size_t len, unsigned flags);
pid_t __real_getpid(void);
long __real_syscall(long number, ...);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
ssize_t __wrap_getrandom(void *buf, size_t len, unsigned flags);
pid_t __wrap_getpid(void);
long __wrap_syscall(long number, ...);

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
    calls_made++;
    return __real_send(fd, buf, len, flags);
}

ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags)
{
    calls_made++;
    return __real_recv(fd, buf, len, flags);
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
    calls_made++;
    return __real_poll(fds, n, ms);
}

ssize_t __wrap_getrandom(void *buf, size_t len, unsigned flags)
{
    calls_made++;
    return __real_getrandom(buf, len, flags);
}

pid_t __wrap_getpid(void)
{
    calls_made++;
    return __real_getpid();
}

long __wrap_syscall(long number, ...)
{
    va_list args;
    long a[6];

    calls_made++;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
