/* SPDX-License-Identifier: MIT */
/*
 * Messages and traces. Who writes them has a command to stop in time, so nothing here waits for a reader:
 * what a full pipe or a halted terminal does not take is kept and written later, and what does not fit there
 * is counted and told. Standard error is shared with the command and with whoever started us, so its flags
 * are not changed (O_NONBLOCK would be theirs as well): a write is made when there is room, and a timer ends
 * it should somebody else have taken the room in between.
 */
#define _XOPEN_SOURCE 700
#include "redlock/cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT = 16384,
    AT_ONCE = 4096, /* what a pipe with room takes whole, and no line is longer */
    STUCK_US = 2000
};

/* What is still to be written to fd. */
struct backlog {
    int fd;
    size_t len;
    unsigned long lost; /* lines, behind text */
    char text[KEPT];
};

static int loudness = RDL_CLI_NORMAL;
static struct backlog backlogs[2]; /* standard error, and the trace's file */

void rdl_cli_loudness(int level)
{
    loudness = level;
}

int rdl_cli_is_verbose(void)
{
    return loudness >= RDL_CLI_VERBOSE;
}

/* ---------------------------------------------------------------- writing */

static void on_alarm(int sig)
{
    (void)sig;
}

/* write(), but for STUCK_US at most. An alarm that somebody set before goes on. */
static ssize_t write_briefly(int fd, const char *text, size_t len)
{
    const struct itimerval soon = {{0, STUCK_US}, {0, STUCK_US}};
    struct itimerval timer;
    struct sigaction act, before;

    memset(&act, 0, sizeof act);
    act.sa_handler = on_alarm;
    sigaction(SIGALRM, &act, &before);
    setitimer(ITIMER_REAL, &soon, &timer);
    ssize_t n = write(fd, text, len);
    int saved = errno;
    setitimer(ITIMER_REAL, &timer, NULL);
    sigaction(SIGALRM, &before, NULL);
    errno = saved;
    return n;
}

/* How much of it is done with. Its failure has nowhere to be told. */
static size_t write_some(int fd, const char *text, size_t len)
{
    struct pollfd p = {fd, POLLOUT, 0};

    if (poll(&p, 1, 0) <= 0)
        return 0;
    ssize_t n = write_briefly(fd, text, len);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : len;
    return (size_t)n;
}

/* Whole lines, as many as can be written at once. */
static size_t next_lines(const char *text, size_t len)
{
    if (len <= AT_ONCE)
        return len;
    len = AT_ONCE;
    while (len > 1 && text[len - 1] != '\n')
        len--;
    return len;
}

static void drain(struct backlog *b)
{
    while (b->len > 0) {
        size_t n = write_some(b->fd, b->text, next_lines(b->text, b->len));
        if (n == 0)
            return;
        b->len -= n;
        memmove(b->text, b->text + n, b->len);
        if (b->len == 0 && b->lost > 0) {
            b->len = (size_t)snprintf(b->text, sizeof b->text,
                                      "redlock: warning: %lu more lines were not written: nobody read this\n",
                                      b->lost);
            b->lost = 0;
        }
    }
}

void rdl_cli_put(int fd, const char *line, size_t len)
{
    struct backlog *b = &backlogs[fd != STDERR_FILENO];

    b->fd = fd;
    drain(b);
    if (b->len == 0) {
        size_t n = write_some(fd, line, len);
        line += n;
        len -= n;
    }
    if (b->lost > 0 || len > sizeof b->text - b->len) {
        b->lost++;
        return;
    }
    memcpy(b->text + b->len, line, len);
    b->len += len;
}

static size_t left(void)
{
    drain(&backlogs[0]);
    drain(&backlogs[1]);
    return backlogs[0].len + backlogs[1].len;
}

int rdl_cli_flush(uint32_t patience_ms)
{
    const struct timespec pause = {0, 10000000};
    uint64_t until_ms = rdl_posix_now_ms() + patience_ms;

    while (left() > 0 && rdl_posix_now_ms() < until_ms)
        nanosleep(&pause, NULL);
    return backlogs[0].len + backlogs[1].len > 0;
}

void rdl_cli_forget_kept(void)
{
    backlogs[0].len = backlogs[1].len = 0;
    backlogs[0].lost = backlogs[1].lost = 0;
}

/* ---------------------------------------------------------------- messages */

/* One write for a whole line: processes may share the terminal. */
RDL_CLI_PRINTF(2, 0)
static void say(const char *prefix, const char *format, va_list args)
{
    char line[2048];
    size_t head = strlen(prefix);
    int saved = errno;

    memcpy(line, prefix, head);
    int n = vsnprintf(line + head, sizeof line - head - 1, format, args);
    if (n < 0)
        return;
    size_t len = strlen(line);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 127)
            line[i] = '?';
    line[len] = '\n';
    rdl_cli_put(STDERR_FILENO, line, len + 1);
    errno = saved;
}

void rdl_cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("redlock: ", format, args);
    va_end(args);
}

void rdl_cli_warn(const char *format, ...)
{
    va_list args;
    if (loudness < RDL_CLI_NORMAL)
        return;
    va_start(args, format);
    say("redlock: warning: ", format, args);
    va_end(args);
}

void rdl_cli_tell(const char *format, ...)
{
    va_list args;
    if (loudness < RDL_CLI_NORMAL)
        return;
    va_start(args, format);
    say("redlock: ", format, args);
    va_end(args);
}

void rdl_cli_note(const char *format, ...)
{
    va_list args;
    if (loudness < RDL_CLI_VERBOSE)
        return;
    va_start(args, format);
    say("redlock: ", format, args);
    va_end(args);
}

/* ---------------------------------------------------------------- what was asked for */

int rdl_cli_print(const char *text)
{
    return fputs(text, stdout) < 0 || fflush(stdout) != 0 ? RDL_EXIT_OS : 0;
}
