/* SPDX-License-Identifier: MIT */
/*
 * The progress of a wait. On our terminal, it is a line that is overwritten each second and leaves no trace.
 * Elsewhere (a log, a pipe, a background job) it is a line at the start and one each minute. A wait of less
 * than 1 s prints nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/progress.h"
#include "redlock/cli/output/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FIRST_MS = 1000, SECOND_MS = 1000, MINUTE_MS = 60000, COLUMNS = 80, TIME_MAX = 64 };

/* ---------------------------------------------------------------- words */

/* Writes a time: "42 s", "2 min 5 s", "3 h 20 min". */
static void put_time(char out[TIME_MAX], uint64_t s)
{
    if (s < 100)
        snprintf(out, TIME_MAX, "%" PRIu64 " s", s);
    else if (s < 6000)
        snprintf(out, TIME_MAX, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
    else
        snprintf(out, TIME_MAX, "%" PRIu64 " h %" PRIu64 " min", s / 3600, s / 60 % 60);
}

void rdl_cli_progress_text(const struct rdl_cli_progress *p, int is_short, char out[RDL_CLI_PROGRESS_MAX])
{
    char so_far[TIME_MAX], left[TIME_MAX] = "", lives[TIME_MAX] = "";
    const char *why = p->is_held || p->why == NULL ? "" : p->why;

    put_time(so_far, p->waited_ms / 1000);
    if (p->left_ms != RDL_CLI_FOREVER)
        put_time(left, (p->left_ms + 999) / 1000);
    if (p->key_ms > 0)
        put_time(lives, ((uint64_t)p->key_ms + 999) / 1000);
    snprintf(out, RDL_CLI_PROGRESS_MAX, "%s%s%s: %s so far%s%s%s%s%s%s%s%s",
             is_short     ? "waiting for "
             : p->is_held ? p->one_of
                          : "no lock on ",
             p->lock,
             is_short     ? ""
             : p->is_held ? " is held by another client; waiting"
                          : " yet; waiting",
             so_far, left[0] != '\0' ? ", " : "", left, left[0] != '\0' ? " left" : "",
             lives[0] != '\0' ? "; its lease expires in " : "", lives,
             lives[0] != '\0' ? " unless renewed" : "", why[0] != '\0' ? "; " : "", why);
}

/* ---------------------------------------------------------------- place and time */

/*
 * Returns 1 for our terminal. In the background, an overwritten line would mix with another program's output.
 */
static int is_terminal(void)
{
    static enum { UNKNOWN, NONE, TERMINAL } standard_error;

    if (standard_error == UNKNOWN)
        standard_error = isatty(STDERR_FILENO) ? TERMINAL : NONE;
    return standard_error == TERMINAL && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static size_t columns(void)
{
    struct winsize w;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : COLUMNS;
}

/* After which time of waiting the next line is due, elsewhere and on a terminal. */
static uint64_t due_ms[2] = {FIRST_MS, FIRST_MS};

uint64_t rdl_cli_progress_due_ms(void)
{
    return due_ms[is_terminal()];
}

void rdl_cli_progress_show(const struct rdl_cli_progress *p)
{
    char text[RDL_CLI_PROGRESS_MAX];
    int is_short = is_terminal();

    if (p->waited_ms < due_ms[is_short])
        return;
    due_ms[is_short] = p->waited_ms + (is_short ? SECOND_MS : MINUTE_MS);
    if (p->left_ms < SECOND_MS) /* the result follows at once */
        return;
    rdl_cli_progress_text(p, is_short, text);
    if (is_short)
        rdl_cli_show(text, columns() - 1); /* after the last column some terminals begin a new line */
    else
        rdl_cli_print_info("%s", text);
}
