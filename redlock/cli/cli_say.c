/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int loudness = RDL_CLI_NORMAL;

void rdl_cli_loudness(int level)
{
    loudness = level;
}

int rdl_cli_is_verbose(void)
{
    return loudness >= RDL_CLI_VERBOSE;
}

/* One write for a whole line: processes may share the terminal. Its failure has nowhere to be told. */
static void put(const char *line, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, line, len);
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            line += n;
            len -= (size_t)n;
        }
    }
}

RDL_CLI_PRINTF(1, 0)
static void say(const char *format, va_list args)
{
    static const char prefix[] = "redlock: ";
    char line[2048];
    size_t head = sizeof prefix - 1;
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
    put(line, len + 1);
    errno = saved;
}

void rdl_cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

void rdl_cli_warn(const char *format, ...)
{
    va_list args;
    if (loudness < RDL_CLI_NORMAL)
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

void rdl_cli_note(const char *format, ...)
{
    va_list args;
    if (loudness < RDL_CLI_VERBOSE)
        return;
    va_start(args, format);
    say(format, args);
    va_end(args);
}
