/* SPDX-License-Identifier: MIT */
/*
 * port_calls.c - the calls that send and receive, in place of libc's: their rare results, which a system may
 * return but seldom does in a test.
 */
#define _DEFAULT_SOURCE /* syscall; with _GNU_SOURCE a sockaddr would be a union */
#include "tests/port/port.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int port_is_hard, port_is_narrow;

/* -1 and errno: it fails this time. Else how many of len bytes it transfers. */
static long hard(size_t len)
{
    static unsigned call;

    if (!port_is_hard || len == 0)
        return (long)len;
    call++;
    if (call % 11 == 0) {
        errno = EINTR;
        return -1;
    }
    if (call % 5 == 0) {
        errno = EAGAIN;
        return -1;
    }
    return call % 7 + 1 < len ? (long)(call % 7 + 1) : (long)len;
}

/* Few bytes are in flight, in small segments: a system that sends by other calls also takes parts. */
int connect(int fd, const struct sockaddr *to, socklen_t size)
{
    const int least = 1, segment = 300;

    if (port_is_narrow) {
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof least);
        setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    }
    return (int)syscall(SYS_connect, fd, to, size);
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t size)
{
    long n = hard(len);

    return n < 0 ? -1 : syscall(SYS_sendto, fd, data, n, flags, to, size);
}

ssize_t send(int fd, const void *data, size_t len, int flags)
{
    return sendto(fd, data, len, flags, NULL, 0);
}

ssize_t write(int fd, const void *data, size_t len)
{
    long n = hard(len);

    return n < 0 ? -1 : syscall(SYS_write, fd, data, n);
}

ssize_t recvfrom(int fd, void *restrict data, size_t len, int flags, struct sockaddr *restrict from,
                 socklen_t *restrict size)
{
    long n = hard(len);

    return n < 0 ? -1 : syscall(SYS_recvfrom, fd, data, n, flags, from, size);
}

ssize_t recv(int fd, void *data, size_t len, int flags)
{
    return recvfrom(fd, data, len, flags, NULL, NULL);
}

ssize_t read(int fd, void *data, size_t len)
{
    long n = hard(len);

    return n < 0 ? -1 : syscall(SYS_read, fd, data, n);
}
