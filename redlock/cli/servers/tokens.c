/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes tokens. A process with the token may release the lock. So the token is never part of a
 * message and never an argument, and only its owner may read a file with it.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/tokens.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/redlock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Token with its owner, space, fence or names of locks, line end. */
enum { MORE_MAX = 1 + RDL_CLI_LOCKS_MAX, LINE_MAX_LEN = RDL_TOKEN_TEXT_MAX + MORE_MAX + 2 };

static const char *file; /* created for the token, which it does not have yet */
static int file_fd = -1;

/* Explains an empty token file. */
static const char unfinished[] =
    "it exists but is empty: the redlock acquire that created it was killed, or is still waiting for "
    "the lock; delete the file if it is not waiting";

/* ---------------------------------------------------------------- reading */

/* Returns the bytes of the token and its owner, with which a text begins; 0: it does not. */
static size_t token_len(const char *text)
{
    size_t n = strspn(text, "0123456789abcdefABCDEF"), len = strcspn(text, " ");

    return n == RDL_VALUE_MAX && rdl_owner_token_len(text, len) == RDL_VALUE_MAX ? len : 0;
}

/*
 * Returns 1 for what acquire wrote: the token and its owner; after a space the fencing token (with --fence)
 * or the names of several locks, which are not split here; a line end.
 */
static int is_line(const char *text, size_t len)
{
    size_t n = token_len(text);

    if (n == 0)
        return 0;
    if (n == len || strncmp(text + n, " -l ", 4) == 0)
        return 1;
    n += text[n] == ' ';
    n += strspn(text + n, "0123456789");
    return n == len && text[n - 1] != ' ';
}

/*
 * Checks that the names are the same. An extend with fewer locks would let the rest run out. With more, it
 * would report that all are lost, and release them.
 */
static int check_locks(const char *words, const char *from, const struct rdl_cli_options *o)
{
    if (words[0] != '-' || strcmp(words, o->lock) == 0)
        return 0;
    return rdl_cli_fail(RDL_EXIT_DATA, "the token in %s is for %s together, not for %s: name the same locks",
                        from, words, o->lock);
}

/* Reads the token from text, which is NUL-terminated. */
static int take(char *text, const char *from, const struct rdl_cli_options *o, char token[RDL_TOKEN_TEXT_MAX])
{
    size_t len = strlen(text);

    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = '\0';
    if (!is_line(text, len)) {
        const char *fault = rdl_cli_line_fault(text, len);
        return rdl_cli_fail(
            RDL_EXIT_DATA, "%s contains no token: %s", from,
            fault != NULL ? fault : "it must be what redlock acquire printed: 40 hex digits and the owner");
    }
    size_t n = token_len(text);
    snprintf(token, RDL_TOKEN_TEXT_MAX, "%.*s", (int)n, text);
    for (size_t i = 0; i < RDL_VALUE_MAX; i++) /* the key has lower-case letters */
        token[i] = (char)tolower((unsigned char)text[i]);
    return len > n ? check_locks(text + n + 1, from, o) : 0;
}

static int take_fd(int fd, const char *from, const struct rdl_cli_options *o, char token[RDL_TOKEN_TEXT_MAX])
{
    char text[LINE_MAX_LEN + 2] = "";
    ssize_t len = rdl_cli_file_read_all(fd, text, sizeof text - 1); /* too long for a token */

    if (len < 0 || (len == 0 && o->token_file != NULL))
        return rdl_cli_fail(RDL_EXIT_NOINPUT, "cannot read the token from %s: %s", from,
                            len < 0 ? strerror(errno) : unfinished);
    if (len == 0)
        return rdl_cli_fail(RDL_EXIT_NOINPUT,
                            "%s is empty: it must contain the token that redlock acquire printed", from);
    if (strlen(text) < (size_t)len)
        text[0] = '\0'; /* a file with a NUL byte is no token file */
    return take(text, from, o, token);
}

static int take_file(const struct rdl_cli_options *o, char token[RDL_TOKEN_TEXT_MAX])
{
    const char *path = o->token_file, *why;
    struct stat st;
    int rc = RDL_EXIT_NOINPUT, fd = rdl_cli_file_read(path, rdl_cli_options_fifo_until_ms(o), &why);

    if (fd < 0)
        rdl_cli_print_error("cannot open the token file %s: %s", path, why);
    else if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRGRP | S_IROTH)) != 0)
        rdl_cli_print_error(
            "other users can read the token file %s, and could release the lock: chmod 600 it", path);
    else
        rc = take_fd(fd, path, o, token);
    if (fd >= 0)
        close(fd);
    return rc;
}

int rdl_cli_token_read(const struct rdl_cli_options *o, char token[RDL_TOKEN_TEXT_MAX])
{
    const char *value = getenv("REDLOCK_TOKEN");
    char text[LINE_MAX_LEN + 2];

    if (o->token_file != NULL)
        return take_file(o, token);
    if (o->token_fd >= 0)
        return take_fd(o->token_fd, "--token-fd", o, token);
    if (value != NULL && value[0] != '\0') {
        snprintf(text, sizeof text, "%s", value); /* a text that is cut here is no token anyway */
        return take(text, "$REDLOCK_TOKEN", o, token);
    }
    return rdl_cli_fail(
        RDL_EXIT_USAGE,
        "no token: give the one that redlock acquire printed by --token-file, --token-fd or $REDLOCK_TOKEN");
}

/* ---------------------------------------------------------------- writing */

static const char *why_it_exists(const char *path)
{
    struct stat st;

    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
        return unfinished;
    return "it exists; if its token may hold a lock, release that (redlock release --token-file FILE LOCK), "
           "then "
           "delete the file";
}

int rdl_cli_token_create(const char *path)
{
    file_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file_fd < 0)
        return rdl_cli_fail(RDL_EXIT_CANTCREAT, "cannot create the token file %s: %s", path,
                            errno == EEXIST ? why_it_exists(path) : strerror(errno));
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

/* Returns 0, a signal that came, or -1 with errno. A full pipe has until until_ms. */
static int write_line(int fd, const char *line, size_t len, uint64_t until_ms)
{
    struct pollfd p[2] = {{fd, POLLOUT, 0}, {rdl_cli_signals_fd(), POLLIN, 0}};

    while (len > 0) {
        uint64_t now = rdl_posix_now_ms(), left_ms = now < until_ms ? until_ms - now : 0;
        if (left_ms == 0) {
            errno = ETIMEDOUT;
            return -1;
        }
        if (poll(p, 2, left_ms < 1000 ? (int)left_ms : 1000) < 0 || p[0].revents == 0) {
            int sig = rdl_cli_signals_next_end(); /* the token is not handed over yet */
            if (sig != 0)
                return sig;
            continue;
        }
        ssize_t done = write(fd, line, len);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        line += done > 0 ? done : 0;
        len -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int rdl_cli_token_write(const char token[RDL_TOKEN_TEXT_MAX], uint64_t fence, uint64_t until_ms,
                        const struct rdl_cli_options *o)
{
    char line[LINE_MAX_LEN + 1], more[MORE_MAX + 1] = "";
    int fd = file != NULL ? file_fd : STDOUT_FILENO;

    if (fence != 0)
        snprintf(more, sizeof more, " %" PRIu64, fence);
    else if (o->n_names > 1)
        snprintf(more, sizeof more, " %s", o->lock);
    int len = snprintf(line, sizeof line, "%s%s\n", token, more);
    int rc = write_line(fd, line, (size_t)len, until_ms);
    if (rc == 0 && file != NULL)
        rc = close(file_fd);
    if (rc > 0) {
        rdl_cli_print_info("signal %d came before the token was written: releasing %s", rc, o->lock);
        rdl_cli_token_drop();
        return 128 + rc;
    }
    if (rc != 0) {
        rdl_cli_print_error("cannot write the token to %s (%s): releasing %s",
                            file != NULL ? file : "standard output",
                            errno == ETIMEDOUT ? "it was not read in time" : strerror(errno), o->lock);
        rdl_cli_token_drop();
        return RDL_EXIT_CANTCREAT;
    }
    file = NULL;
    return 0;
}
