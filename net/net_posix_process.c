/* SPDX-License-Identifier: MIT */
/* net_posix_process.c - what belongs to the process: descriptors. */
#define _POSIX_C_SOURCE 200809L
#ifdef __linux__
#define _DEFAULT_SOURCE /* syscall */
#endif
#include "net/net_posix_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#ifndef FD_CLOEXEC /* the system has no exec then, and this fails without effect */
#define FD_CLOEXEC 0
#define F_SETFD    (-1)
#endif

enum { FIRST = 3 }; /* after standard input, output and error */

/* ---------------------------------------------------------------- descriptors */

#if defined(ESP_PLATFORM) || defined(__ZEPHYR__)
/* Their sockets have other numbers, and cannot be copied. */
int rdl_posix_off_stdio(int fd)
{
    return fd;
}
#else
static int copy_of(int fd)
{
#ifdef F_DUPFD_CLOEXEC
    return fcntl(fd, F_DUPFD_CLOEXEC, FIRST);
#else
    int copy = fcntl(fd, F_DUPFD, FIRST);
    (void)fcntl(copy, F_SETFD, FD_CLOEXEC);
    return copy;
#endif
}

int rdl_posix_off_stdio(int fd)
{
    int copy;

    if (fd < 0 || fd >= FIRST)
        return fd;
    copy = copy_of(fd);
    close(fd);
    if (copy < 0)
        errno = EMFILE; /* EINVAL, if the process may have no descriptor from FIRST on */
    return copy;
}

static int open_pipe(int fd[2])
{
#ifdef SYS_pipe2
    return (int)syscall(SYS_pipe2, fd, O_CLOEXEC);
#else
    if (pipe(fd) != 0)
        return -1;
    (void)fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

int rdl_posix_pipe(int fd[2])
{
    int i;

    if (open_pipe(fd) != 0)
        return -1;
    for (i = 0; i < 2; i++) {
        fd[i] = rdl_posix_off_stdio(fd[i]);
        if (fd[i] < 0) {
            close(fd[1 - i]);
            return -1;
        }
    }
    return 0;
}
#endif

int rdl_posix_socket(int family)
{
#if defined(SOCK_NONBLOCK) && defined(SOCK_CLOEXEC)
    return rdl_posix_off_stdio(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
#else
    int fd = rdl_posix_off_stdio(socket(family, SOCK_STREAM, 0));
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
#endif
}
