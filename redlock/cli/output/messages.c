/* SPDX-License-Identifier: MIT */
/*
 * Messages and traces. redlock has a command to stop in time, so nothing here waits for a reader. What a
 * full pipe or a halted terminal does not accept is kept and written later. What does not fit there is
 * counted, and the count is printed.
 *
 * Standard error is shared with the command and with the parent process, so its flags are not changed:
 * O_NONBLOCK would affect them, too. A write is made when there is room. A timer ends it, in case another
 * process has used the room in between.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/messages.h"
#include "redlock/cli/output/exit.h"
#include "redlock/cli/output/json.h"
#include "redlock/cli/output/log.h"
#include "redlock/cli/output/text.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT = 16384,
    AT_ONCE = 4096, /* a pipe with room accepts this whole, and no line is longer */
    STUCK_US = 2000,
    FILES = 3,
    SHOWN_MAX = 250 /* bytes of a line that is overwritten; it must not fill a terminal's width */
};

/* Output that still has to be written to fd. */
struct backlog {
    int fd, is_used;
    size_t len;
    unsigned long lost;    /* number of dropped lines after text */
    unsigned long refused; /* lines that the system would not write, as on a full disk */
    int why;
    char text[KEPT];
};

static int verbosity = RDL_CLI_NORMAL;
static struct backlog backlogs[FILES]; /* standard error, the trace's file, the log's */

void rdl_cli_set_verbosity(int level)
{
    verbosity = level;
}

int rdl_cli_is_quiet(void)
{
    return verbosity == RDL_CLI_QUIET;
}

int rdl_cli_is_verbose(void)
{
    return verbosity >= RDL_CLI_VERBOSE;
}

int rdl_cli_is_very_verbose(void)
{
    return verbosity >= RDL_CLI_VERY_VERBOSE;
}

/* Returns 1 if messages to fd are events: in a JSON log every line is an object. */
static int is_logged(int fd)
{
    return fd == rdl_cli_log_fd() && rdl_cli_log_is_json();
}

/* Writes an event "message". Returns its length. */
static size_t message(char *line, size_t cap, const char *level, const char *text)
{
    struct rdl_cli_json j;

    rdl_cli_log_begin(&j, line, cap, "message");
    rdl_cli_json_string(&j, "level", level);
    rdl_cli_json_string(&j, "text", text);
    rdl_cli_log_end(&j);
    return j.text.len;
}

/* ---------------------------------------------------------------- writing */

static void on_alarm(int sig)
{
    (void)sig;
}

/* Writes, for STUCK_US at most. An alarm that was set before is kept. */
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

/* Counts lines that could not be written. If the reader closed the pipe, they are not counted. */
static void count_refused(struct backlog *b, const char *text, size_t len)
{
    if (errno == EPIPE)
        return;
    b->why = errno;
    for (size_t i = 0; i < len; i++)
        b->refused += text[i] == '\n';
}

/* Returns how many bytes are done. */
static size_t write_some(struct backlog *b, const char *text, size_t len)
{
    struct pollfd p = {b->fd, POLLOUT, 0};

    if (poll(&p, 1, 0) <= 0)
        return 0;
    ssize_t n = write_briefly(b->fd, text, len);
    if (n >= 0)
        return (size_t)n;
    if (errno == EINTR || errno == EAGAIN)
        return 0;
    count_refused(b, text, len);
    return len;
}

/* Returns the length of as many whole lines as can be written at once. */
static size_t next_lines(const char *text, size_t len)
{
    if (len <= AT_ONCE)
        return len;
    len = AT_ONCE;
    while (len > 1 && text[len - 1] != '\n')
        len--;
    return len;
}

static void print_lost(struct backlog *b)
{
    char text[100];

    snprintf(text, sizeof text, "%lu lines were dropped because nothing was reading them", b->lost);
    if (is_logged(b->fd))
        b->len = message(b->text, sizeof b->text, "warning", text);
    else
        b->len = (size_t)snprintf(b->text, sizeof b->text, "redlock: warning: %s\n", text);
    b->lost = 0;
}

static void drain(struct backlog *b)
{
    while (b->len > 0) {
        size_t n = write_some(b, b->text, next_lines(b->text, b->len));
        if (n == 0)
            return;
        b->len -= n;
        memmove(b->text, b->text + n, b->len);
        if (b->len == 0 && b->lost > 0)
            print_lost(b);
    }
}

static struct backlog *backlog_of(int fd)
{
    struct backlog *b = backlogs;

    while (b->is_used && b->fd != fd && b < backlogs + FILES - 1)
        b++;
    b->fd = fd;
    b->is_used = 1;
    return b;
}

static void put(int fd, const char *line, size_t len)
{
    struct backlog *b = backlog_of(fd);

    drain(b);
    if (b->len == 0) {
        size_t n = write_some(b, line, len);
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

/* ---------------------------------------------------------------- the line that is overwritten */

static size_t shown; /* its length; 0: none */

void rdl_cli_unshow(void)
{
    char blank[SHOWN_MAX + 2];
    size_t n = shown;

    if (n == 0)
        return;
    shown = 0;
    memset(blank, ' ', sizeof blank);
    blank[0] = blank[n + 1] = '\r';
    put(STDERR_FILENO, blank, n + 2);
}

void rdl_cli_put(int fd, const char *line, size_t len)
{
    if (fd == STDERR_FILENO)
        rdl_cli_unshow();
    put(fd, line, len);
}

/* Returns where to cut a text of n bytes, so that no UTF-8 character is split. */
static size_t cut(const char *text, size_t n)
{
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* Replaces what acts on a terminal. text is NUL-terminated, but may be longer than len. */
static void make_printable(char *text, size_t len)
{
    for (size_t i = 0, step; i < len; i += step) {
        size_t n = rdl_cli_acting_len(text + i);
        step = rdl_cli_char_len(text + i);
        memset(text + i, '?', n < len - i ? n : len - i);
    }
}

/* Not on a terminal that accepts nothing now: the line would be kept, and be old when it is read. */
void rdl_cli_show(const char *text, size_t columns)
{
    char line[SHOWN_MAX + 2] = "\rredlock: ";
    struct backlog *b = backlog_of(STDERR_FILENO);
    size_t most = columns < SHOWN_MAX ? columns : SHOWN_MAX, before = shown;

    drain(b);
    if (verbosity < RDL_CLI_NORMAL || b->len > 0 || is_logged(STDERR_FILENO))
        return;
    strncat(line, text, SHOWN_MAX - strlen(line));
    size_t n = strlen(line + 1);
    n = n > most ? cut(line + 1, most) : n;
    make_printable(line + 1, n);
    shown = n > before ? n : before;
    memset(line + 1 + n, ' ', shown - n); /* the rest of the previous one */
    put(STDERR_FILENO, line, 1 + shown);
    shown = n;
}

static size_t left(void)
{
    size_t n = 0;

    for (struct backlog *b = backlogs; b < backlogs + FILES; b++) {
        drain(b);
        n += b->len;
    }
    return n;
}

int rdl_cli_flush(uint32_t reply_timeout_ms)
{
    const struct timespec pause = {0, 10000000};
    uint64_t until_ms = rdl_posix_now_ms() + reply_timeout_ms;
    size_t n = left();

    for (; n > 0 && rdl_posix_now_ms() < until_ms; n = left())
        nanosleep(&pause, NULL);
    return n > 0;
}

void rdl_cli_forget_kept(void)
{
    shown = 0;
    for (struct backlog *b = backlogs; b < backlogs + FILES; b++)
        b->len = b->lost = b->refused = 0;
}

/* ---------------------------------------------------------------- messages */

/* Writes a whole line at once, because processes may share the terminal. */
static void put_message(const char *prefix, const char *text)
{
    char line[2048 + 40];
    int n = snprintf(line, sizeof line, "%s%s\n", prefix, text);

    rdl_cli_put(STDERR_FILENO, line, (size_t)n);
}

static void put_event(const char *level, const char *text)
{
    static char line[RDL_CLI_LOG_MAX];

    rdl_cli_put(STDERR_FILENO, line, message(line, sizeof line, level, text));
}

void rdl_cli_log_put(struct rdl_cli_json *j)
{
    rdl_cli_log_end(j);
    rdl_cli_put(rdl_cli_log_fd(), j->text.out, j->text.len);
}

static void put_text(const char *prefix, const char *level, char *text)
{
    make_printable(text, strlen(text));
    if (is_logged(STDERR_FILENO))
        put_event(level, text);
    else
        put_message(prefix, text);
}

/* In the order of enum rdl_cli_message. */
static const struct {
    const char *prefix, *level;
    int least; /* verbosity */
} kinds[] = {{"redlock: ", "error", RDL_CLI_QUIET},
             {"redlock: warning: ", "warning", RDL_CLI_NORMAL},
             {"redlock: warning: ", "warning", RDL_CLI_QUIET},
             {"redlock: ", "info", RDL_CLI_NORMAL},
             {"redlock: ", "info", RDL_CLI_VERBOSE}};

void rdl_cli_vsay(enum rdl_cli_message kind, const char *format, va_list args)
{
    char text[2048];
    int saved = errno;

    if (verbosity < kinds[kind].least || vsnprintf(text, sizeof text, format, args) < 0)
        return;
    put_text(kinds[kind].prefix, kinds[kind].level, text);
    errno = saved;
}

void rdl_cli_say(enum rdl_cli_message kind, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rdl_cli_vsay(kind, format, args);
    va_end(args);
}

int rdl_cli_fail(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rdl_cli_vsay(RDL_CLI_ERROR, format, args);
    va_end(args);
    return status;
}

void rdl_cli_ask(const char *format, ...)
{
    char text[1024] = "redlock: ";
    size_t len = strlen(text);
    va_list args;

    va_start(args, format);
    int n = vsnprintf(text + len, sizeof text - len, format, args);
    va_end(args);
    if (n < 0)
        return;
    make_printable(text, strlen(text));
    rdl_cli_put(STDERR_FILENO, text, strlen(text));
}

void rdl_cli_print_usage(char *line)
{
    put_text("", "info", line);
}

/* Prints how many lines could not be written; if those were messages, there is no place to print it. */
static void print_refused(void)
{
    for (struct backlog *b = backlogs; b < backlogs + FILES; b++) {
        if (b->fd != STDERR_FILENO && b->refused > 0)
            rdl_cli_print_warning("%lu lines of the %s could not be written: %s", b->refused,
                                  b->fd == rdl_cli_log_fd() ? "log" : "trace", strerror(b->why));
        b->refused = 0;
    }
}

void rdl_cli_last_words(void)
{
    rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
    print_refused();
    rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
}

/* ---------------------------------------------------------------- results */

/* Ends the process as if it did not ignore SIGPIPE: the reader closed the pipe. */
static void end_by_closed_pipe(void)
{
    rdl_cli_last_words();
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int rdl_cli_print(const char *text)
{
    static int is_warned;

    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
        return 0;
    if (errno == EPIPE)
        end_by_closed_pipe();
    if (!is_warned)
        rdl_cli_print_error("cannot write to standard output: %s", strerror(errno));
    is_warned = 1;
    return RDL_EXIT_OS;
}

int rdl_cli_print_line(char *text)
{
    make_printable(text, strlen(text));
    int rc = rdl_cli_print(text);
    return rc == 0 ? rdl_cli_print("\n") : rc;
}
