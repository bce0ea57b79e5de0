/* SPDX-License-Identifier: MIT */
/*
 * Tokens, read and written. Whoever has the token may release the lock: it is never part of a message, never
 * an argument, and a file of it is its owner's alone.
 */
#define _POSIX_C_SOURCE 200809L
#include "lock/lock_lease.h"
#include "redlock/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_LEN = RDL_VALUE_MAX + 1 + RDL_DEC64_MAX + 2 }; /* token, blank, fence, line end */

static const char *file; /* that was made for the token, and does not have it yet */
static int file_fd = -1;

/* ---------------------------------------------------------------- reading */

/* What acquire wrote: the token, with --fence a blank and the number, a line end. */
static int is_line(const char *text, size_t len)
{
    size_t n = 0;

    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    while (n < len && strchr("0123456789abcdefABCDEF", text[n]) != NULL)
        n++;
    if (n != RDL_VALUE_MAX)
        return 0;
    if (n < len && text[n] == ' ')
        n++;
    while (n < len && text[n] >= '0' && text[n] <= '9')
        n++;
    return n == len && text[n - 1] != ' ';
}

static int take(const char *text, size_t len, const char *from, char token[RDL_VALUE_MAX])
{
    if (!is_line(text, len)) {
        rdl_cli_fail("%s holds no token: that is 40 hex digits, as redlock acquire prints them", from);
        return RDL_EXIT_DATA;
    }
    memcpy(token, text, RDL_VALUE_MAX);
    return 0;
}

/* 0: too long for one is as much as is read of it. */
static ssize_t read_all(int fd, char *text, size_t cap)
{
    size_t len = 0;

    while (len < cap) {
        ssize_t n = read(fd, text + len, cap - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

static int take_fd(int fd, const char *from, char token[RDL_VALUE_MAX])
{
    char text[LINE_MAX_LEN + 1] = "";
    ssize_t len = read_all(fd, text, sizeof text);

    if (len < 0) {
        rdl_cli_fail("cannot read the token from %s: %s", from, strerror(errno));
        return RDL_EXIT_NOINPUT;
    }
    if (len == 0) {
        rdl_cli_fail("%s is empty: no token", from);
        return RDL_EXIT_NOINPUT;
    }
    return take(text, (size_t)len, from, token);
}

static int take_file(const char *path, char token[RDL_VALUE_MAX])
{
    struct stat st;
    int rc = RDL_EXIT_NOINPUT, fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        rdl_cli_fail("cannot open the token file %s: %s", path, strerror(errno));
    else if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRGRP | S_IROTH)) != 0)
        rdl_cli_fail("other users can read the token file %s, and whoever has the token may release the lock "
                     "(chmod 600 it)",
                     path);
    else
        rc = take_fd(fd, path, token);
    if (fd >= 0)
        close(fd);
    return rc;
}

int rdl_cli_token_read(const struct rdl_cli_options *o, char token[RDL_VALUE_MAX])
{
    const char *value = getenv("REDLOCK_TOKEN");

    if (o->token_file != NULL)
        return take_file(o->token_file, token);
    if (o->token_fd >= 0)
        return take_fd(o->token_fd, "--token-fd", token);
    if (value != NULL && value[0] != '\0')
        return take(value, strlen(value), "$REDLOCK_TOKEN", token);
    rdl_cli_fail("no token: give what redlock acquire printed by --token-file, --token-fd or $REDLOCK_TOKEN");
    return RDL_EXIT_USAGE;
}

/* ---------------------------------------------------------------- writing */

int rdl_cli_token_create(const char *path)
{
    file_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file_fd < 0) {
        rdl_cli_fail("cannot make the token file %s: %s", path,
                     errno == EEXIST ? "it exists; is the lock in it still held?" : strerror(errno));
        return RDL_EXIT_CANTCREAT;
    }
    file = path;
    rdl_cli_signals_last_act(rdl_cli_token_drop);
    return 0;
}

void rdl_cli_token_drop(void)
{
    if (file != NULL)
        unlink(file);
    file = NULL;
}

/* 0, or -1 with errno. A pipe that is full has until until_ms. */
static int write_line(int fd, const char *line, size_t len, uint64_t until_ms)
{
    struct pollfd p = {fd, POLLOUT, 0};

    while (len > 0) {
        uint64_t now = rdl_posix_now_ms();
        int n = now < until_ms ? poll(&p, 1, until_ms - now < 1000 ? (int)(until_ms - now) : 1000) : -2;
        if (n == -2) {
            errno = ETIMEDOUT;
            return -1;
        }
        if (n <= 0)
            continue;
        ssize_t done = write(fd, line, len);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        line += done > 0 ? done : 0;
        len -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int rdl_cli_token_write(const char token[RDL_VALUE_MAX], uint64_t fence, uint64_t until_ms, const char *lock)
{
    char line[LINE_MAX_LEN + 1], number[RDL_DEC64_MAX + 2] = "";
    int fd = file != NULL ? file_fd : STDOUT_FILENO;

    if (fence != 0)
        snprintf(number, sizeof number, " %" PRIu64, fence);
    int len = snprintf(line, sizeof line, "%.*s%s\n", RDL_VALUE_MAX, token, number);
    int rc = write_line(fd, line, (size_t)len, until_ms);
    if (rc == 0 && file != NULL)
        rc = close(file_fd);
    if (rc != 0) {
        rdl_cli_fail("cannot write the token to %s (%s): releasing %s",
                     file != NULL ? file : "standard output",
                     errno == ETIMEDOUT ? "nobody read it in time" : strerror(errno), lock);
        rdl_cli_token_drop();
        return RDL_EXIT_CANTCREAT;
    }
    file = NULL;
    return 0;
}
