/* SPDX-License-Identifier: MIT */
/* A process beside us, made by fork alone: what it has of ours, and lets go. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* All descriptors that there may be. */
static void close_each_but(int fd)
{
    struct rlimit files;
    int most = 65536;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < (rlim_t)most)
        most = (int)files.rlim_cur;
    for (int i = 0; i < most; i++)
        if (i != fd)
            close(i);
}

/* Those that are open, until the list names none to close. 0: the system has no such list. */
static int close_listed_but(int fd, const char *list)
{
    int open[64], n = 1;

    while (n > 0) {
        DIR *dir = opendir(list);
        if (dir == NULL)
            return 0;
        n = 0;
        for (struct dirent *d = readdir(dir); d != NULL && n < (int)(sizeof open / sizeof open[0]);
             d = readdir(dir)) {
            int i = d->d_name[0] >= '0' && d->d_name[0] <= '9' ? (int)strtol(d->d_name, NULL, 10) : fd;
            if (i != fd && i != dirfd(dir))
                open[n++] = i;
        }
        closedir(dir);
        for (int i = 0; i < n; i++)
            close(open[i]);
    }
    return 1;
}

void rdl_cli_process_holds_only(int fd)
{
#ifdef __linux__
    static const char list[] = "/proc/self/fd"; /* elsewhere /dev/fd may name but the first three */
#else
    static const char list[] = "";
#endif
    if (!close_listed_but(fd, list))
        close_each_but(fd);
}
