/* SPDX-License-Identifier: MIT */
/* net_posix_process.c - what belongs to the process: whether it is a forked child, and descriptors. */
#define _POSIX_C_SOURCE 200809L
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise, syscall */
#endif
#include "net/net_posix_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

#ifndef FD_CLOEXEC /* the system has no exec then, and this fails without effect */
#define FD_CLOEXEC 0
#define F_SETFD    (-1)
#endif

/* ---------------------------------------------------------------- the mark of a process */

#if defined(ESP_PLATFORM) || defined(__ZEPHYR__)
uint32_t rdl_posix_process(void)
{
    return 0;
}
#elif defined(MADV_WIPEONFORK)
/*
 * The mark is in memory that is empty in a child after fork. A process number would need a system call, and
 * in a new PID namespace a child may have its parent's. A process and those it descends from count their
 * marks, so no two of them have the same.
 */
static uint32_t *page;     /* NULL: none yet; MAP_FAILED: the system has none, and the mark is the number */
static uint32_t last_mark; /* of this process and those it descends from */

/* Returns the memory, or MAP_FAILED. An emulator may ignore all advice and report success: -1 is none. */
static void *make_page(void)
{
    void *p = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return p;
    if (madvise(p, sizeof *page, -1) != 0 && madvise(p, sizeof *page, MADV_WIPEONFORK) == 0)
        return p;
    munmap(p, sizeof *page);
    return MAP_FAILED;
}

/* Another thread may do the same. */
static uint32_t *get_page(void)
{
    uint32_t *p = __atomic_load_n(&page, __ATOMIC_ACQUIRE);
    uint32_t *mine;

    if (p != NULL)
        return p;
    mine = make_page();
    if (__atomic_compare_exchange_n(&page, &p, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return mine;
    if (mine != MAP_FAILED)
        munmap(mine, sizeof *page);
    return p;
}

uint32_t rdl_posix_process(void)
{
    uint32_t *p = get_page();
    uint32_t mark, next;

    if (p == MAP_FAILED)
        return (uint32_t)getpid();
    mark = __atomic_load_n(p, __ATOMIC_RELAXED);
    if (mark != 0)
        return mark;
    next = __atomic_add_fetch(&last_mark, 1, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n(p, &mark, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? next : mark;
}
#else
uint32_t rdl_posix_process(void)
{
    return (uint32_t)getpid();
}
#endif

/* ---------------------------------------------------------------- descriptors */

enum { FIRST = 3 }; /* after standard input, output and error */

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
