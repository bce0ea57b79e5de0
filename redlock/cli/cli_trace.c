/* SPDX-License-Identifier: MIT */
/* --trace: 12.345678 #2 > "*6\r\n$3\r\nSET\r\n..." - all bytes, as in C; never a password. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int trace_fd = -1;
static struct timespec begun;

static int head(char *line, size_t cap, const struct rdl_cli_servers *s, const struct rdl_conn *c, char dir)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t us = (int64_t)(now.tv_sec - begun.tv_sec) * 1000000 + (now.tv_nsec - begun.tv_nsec) / 1000;
    return snprintf(line, cap, "%" PRId64 ".%06d #%d %c ", us / 1000000, (int)(us % 1000000),
                    (int)(c - s->conn) + 1, dir);
}

/* One byte as in a C string; octal, so that a digit behind it cannot be taken for part of it. At most 4. */
static size_t escape(char *out, uint8_t byte)
{
    static const char plain[] = "\r\n\t\"\\", letter[] = "rnt\"\\";
    const char *p = byte == 0 ? NULL : strchr(plain, byte);

    if (p != NULL) {
        out[0] = '\\';
        out[1] = letter[p - plain];
        return 2;
    }
    if (byte >= ' ' && byte < 127) {
        out[0] = (char)byte;
        return 1;
    }
    out[0] = '\\';
    out[1] = (char)('0' + (byte >> 6));
    out[2] = (char)('0' + (byte >> 3 & 7));
    out[3] = (char)('0' + (byte & 7));
    return 4;
}

static void on_bytes(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    const struct rdl_cli_servers *s = ctx;
    char line[4096];
    size_t i = 0;

    if (data == NULL) {
        int n = head(line, sizeof line, s, c, dir);
        n += snprintf(line + n, sizeof line - (size_t)n, "<redacted %zu bytes>\n", len);
        rdl_cli_put(trace_fd, line, (size_t)n);
        return;
    }
    do { /* a long piece becomes several lines */
        size_t n = (size_t)head(line, sizeof line, s, c, dir);
        line[n++] = '"';
        while (i < len && n + 8 < sizeof line)
            n += escape(line + n, data[i++]);
        line[n++] = '"';
        line[n++] = '\n';
        rdl_cli_put(trace_fd, line, n);
    } while (i < len);
}

int rdl_cli_trace_open(struct rdl_cli_servers *s, const char *file)
{
    trace_fd = file == NULL ? STDERR_FILENO : open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (trace_fd < 0) {
        rdl_cli_fail("cannot write the trace to %s: %s", file, strerror(errno));
        return RDL_EXIT_OS;
    }
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (size_t i = 0; i < s->n; i++) {
        s->config[i].trace = on_bytes;
        s->config[i].trace_ctx = s;
    }
    return 0;
}
