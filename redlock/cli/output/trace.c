/* SPDX-License-Identifier: MIT */
/*
 * --trace: 12.345678 #2 > "*6\r\n$3\r\nSET\r\n..." - all bytes, as in C. It never shows a password, even if
 * a server repeats it, or if it arrives in pieces.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/trace.h"
#include "redlock/cli/output/exit.h"
#include "redlock/cli/output/files.h"
#include "redlock/cli/output/messages.h"
#include "redlock/redlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int trace_fd = -1;
static struct timespec begun;

static int head(char *line, size_t cap, size_t server, char dir)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t us = (int64_t)(now.tv_sec - begun.tv_sec) * 1000000 + (now.tv_nsec - begun.tv_nsec) / 1000;
    int is_sentinel = server > RDL_SERVERS_MAX; /* of the server with this number */
    size_t number = is_sentinel ? server - RDL_SERVERS_MAX : server + 1;

    return snprintf(line, cap, "%" PRId64 ".%06d #%lu%s %c ", us / 1000000, (int)(us % 1000000),
                    (unsigned long)number, is_sentinel ? "s" : "", dir);
}

/* Writes a byte as in a C string, at most 4 characters. Octal, so that a digit after it is not part of it. */
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

/* ---------------------------------------------------------------- passwords */

enum { CHUNK = 4096 };

static uint16_t border[RDL_CLI_SECRET_MAX + 1];
static uint8_t hidden[CHUNK]; /* 1: this byte of the next piece is not shown */
/* How many bytes of the password the last bytes were, on each conn, sent and received. */
static size_t matched[2 * RDL_SERVERS_MAX + 1][2];

/* Returns how many bytes of the word match after this byte, if k matched before it. */
static size_t follow(const uint8_t *word, size_t k, uint8_t byte)
{
    while (word[k] != byte) {
        if (k == 0)
            return 0;
        k = border[k];
    }
    return k + 1;
}

/* Knuth-Morris-Pratt: border[k] is the length of the longest proper prefix that is a suffix of k bytes. */
static void find_borders(const uint8_t *word, size_t len)
{
    border[0] = border[1] = 0;
    for (size_t i = 1; i < len; i++)
        border[i + 1] = (uint16_t)follow(word, border[i], word[i]);
}

/*
 * Marks every occurrence of the password, and at the end of the piece what may be its beginning, because the
 * rest may come with the next piece. k is as in matched; returns the new one.
 */
static size_t mark(struct rdl_bytes password, size_t k, const uint8_t *data, size_t len)
{
    const uint8_t *word = password.data;

    memset(hidden, 0, len);
    if (password.len == 0)
        return 0;
    find_borders(word, password.len);
    for (size_t i = 0; i < len; i++) {
        k = follow(word, k, data[i]);
        size_t n = k == password.len || i + 1 == len ? k : 0;
        n = n < i + 1 ? n : i + 1;
        memset(hidden + i + 1 - n, 1, n);
        if (k == password.len)
            k = border[k];
    }
    return k;
}

/* ---------------------------------------------------------------- lines */

static size_t redacted(char *out, size_t cap, size_t len)
{
    return (size_t)snprintf(out, cap, "<redacted %zu byte%s>", len, len == 1 ? "" : "s");
}

/* Adds "..." or <redacted N bytes>, with a space between them. Returns where the line is full. */
static size_t show(char *line, size_t *n, size_t cap, const uint8_t *data, size_t i, size_t len)
{
    while (i < len && *n + 64 < cap) {
        size_t from = i;
        if (hidden[i]) {
            while (i < len && hidden[i])
                i++;
            *n += redacted(line + *n, cap - *n, i - from);
        } else {
            line[(*n)++] = '"';
            while (i < len && !hidden[i] && *n + 8 < cap)
                *n += escape(line + *n, data[i++]);
            line[(*n)++] = '"';
        }
        line[(*n)++] = ' ';
    }
    line[*n - 1] = '\n';
    return i;
}

void rdl_cli_trace_bytes(size_t server, struct rdl_bytes password, char dir, const uint8_t *data, size_t len)
{
    size_t *k = &matched[server][dir == '<'];
    char line[4096];

    if (data == NULL) {
        *k = 0; /* the next connection may have another password */
        size_t n = (size_t)head(line, sizeof line, server, dir);
        n += redacted(line + n, sizeof line - n, len);
        line[n++] = '\n';
        rdl_cli_put(trace_fd, line, n);
        return;
    }
    while (len > 0) { /* a long piece becomes several lines */
        size_t chunk = len < CHUNK ? len : CHUNK, i = 0;
        *k = mark(password, *k, data, chunk);
        while (i < chunk) {
            size_t n = (size_t)head(line, sizeof line, server, dir);
            i = show(line, &n, sizeof line, data, i, chunk);
            rdl_cli_put(trace_fd, line, n);
        }
        data += chunk;
        len -= chunk;
    }
}

int rdl_cli_trace_open(const char *file, uint64_t until_ms)
{
    const char *why = NULL;
    struct stat st;

    trace_fd = file[0] == '\0' ? STDERR_FILENO : rdl_cli_file_append(file, until_ms, &why);
    if (trace_fd < 0)
        return rdl_cli_fail(RDL_EXIT_OS, "cannot write the trace to %s: %s", file, why);
    if (file[0] != '\0' && fstat(trace_fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (st.st_mode & (S_IRGRP | S_IROTH)) != 0)
        return rdl_cli_fail(RDL_EXIT_CANTCREAT,
                            "other users can read the trace file %s, which shows tokens: chmod 600 it", file);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    return 0;
}
