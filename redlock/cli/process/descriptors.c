/* SPDX-License-Identifier: MIT */
/* Pipes, and the descriptors that a helper process closes. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>

long syscall(long number, ...); /* unistd.h has it, but not for POSIX alone */
#endif

static int set_flags(int fd, int flags)
{
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return -1;
    return (flags & O_NONBLOCK) != 0 ? fcntl(fd, F_SETFL, O_NONBLOCK) : 0;
}

int rdl_cli_process_pipe(int fd[2], int flags)
{
#ifdef SYS_pipe2
    if (syscall(SYS_pipe2, fd, O_CLOEXEC | flags) == 0)
        return 0;
    if (errno != ENOSYS)
        return -1;
#endif
    if (pipe(fd) != 0)
        return -1;
    if (set_flags(fd[0], flags) == 0 && set_flags(fd[1], flags) == 0)
        return 0;
    close(fd[0]);
    close(fd[1]);
    return -1;
}

/* Closes all possible descriptors from this one on, but fd. */
static void close_each_but(int from, int fd)
{
    struct rlimit files;
    int most = 65536;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < (rlim_t)most)
        most = (int)files.rlim_cur;
    for (int i = from; i < most; i++)
        if (i != fd)
            close(i);
}

/* Closes the open descriptors, until the list has none to close. Returns 0 if the system has no such list. */
static int close_listed_but(int from, int fd, const char *list)
{
    int open[64], n = 1;

    while (n > 0) {
        DIR *dir = opendir(list);
        if (dir == NULL)
            return 0;
        n = 0;
        for (struct dirent *d = readdir(dir); d != NULL && n < (int)(sizeof open / sizeof open[0]);
             d = readdir(dir)) {
            int i = d->d_name[0] >= '0' && d->d_name[0] <= '9' ? (int)strtol(d->d_name, NULL, 10) : -1;
            if (i >= from && i != fd && i != dirfd(dir))
                open[n++] = i;
        }
        closedir(dir);
        for (int i = 0; i < n; i++)
            close(open[i]);
    }
    return 1;
}

/* Closes all in two calls. Returns 0 if the system cannot. */
static int close_ranges_but(int from, int fd)
{
#ifdef SYS_close_range
    if (fd > from && syscall(SYS_close_range, (unsigned)from, (unsigned)fd - 1, 0) != 0)
        return 0;
    return syscall(SYS_close_range, fd >= from ? (unsigned)fd + 1 : (unsigned)from, ~0U, 0) == 0;
#else
    (void)from, (void)fd;
    return 0;
#endif
}

static void close_all_but(int from, int fd)
{
#ifdef __linux__
    static const char list[] = "/proc/self/fd"; /* on other systems /dev/fd may list only the first three */
#else
    static const char list[] = "";
#endif
    if (!close_ranges_but(from, fd) && !close_listed_but(from, fd, list))
        close_each_but(from, fd);
}

void rdl_cli_process_holds_only(int fd)
{
    close_all_but(0, fd);
}

void rdl_cli_process_holds_stdio(void)
{
    close_all_but(STDERR_FILENO + 1, -1);
}
