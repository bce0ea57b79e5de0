/* SPDX-License-Identifier: MIT */
/* The run as text: who held the lock when, and the server that was down for a while. */
#define _POSIX_C_SOURCE 200809L
#include "tests/demo/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 66, ZOOM_US = 132000 };

struct ink {
    const char *share[9]; /* of a column's time */
    const char *up, *down, *gone, *back, *held, *waits;
};

static const struct ink blocks = {
    {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"},
    "\u2500",
    "\u2716",
    " ",
    "\u25b6",
    "\u2588",
    "\u00b7"};
static const struct ink ascii = {{" ", ".", ".", ":", ":", "+", "+", "#", "#"}, "-", "X", " ", ">", "#", "."};

static const struct ink *choose(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;

    for (int i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
        value = getenv(names[i]);
    if (value == NULL)
        return &ascii;
    return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL ? &blocks : &ascii;
}

static int64_t shared(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t from = a > c ? a : c, to = b < d ? b : d;
    return to > from ? to - from : 0;
}

/* How much of [from, to) this worker held (or, with waiting, wanted) the lock, in us. */
static int64_t time_of(const struct board *b, int worker, int waiting, int64_t from, int64_t to)
{
    int64_t sum = 0;
    for (int i = worker * ROUNDS; i < (worker + 1) * ROUNDS; i++) {
        const struct hold *h = &b->hold[i];
        if (h->done_us != 0)
            sum += waiting ? shared(h->requested_us, h->got_us, from, to)
                           : shared(h->got_us, h->done_us, from, to);
    }
    return sum;
}

static void server_row(const struct ink *ink, const struct story *t, int i)
{
    printf("  server %d   ", i + 1);
    for (int c = 0; c < COLUMNS; c++) {
        int64_t from = t->end_us * c / COLUMNS, to = t->end_us * (c + 1) / COLUMNS;
        int is_killed = i == t->victim && t->killed_us < to;
        int is_back = t->back_us != 0 && t->back_us < to;
        if (!is_killed || (is_back && t->back_us < from))
            fputs(ink->up, stdout);
        else if (is_back)
            fputs(ink->back, stdout);
        else
            fputs(t->killed_us >= from ? ink->down : ink->gone, stdout);
    }
    if (i == t->victim)
        printf("  killed at %.1f s", (double)t->killed_us / 1e6);
    if (i == t->victim && t->back_us != 0)
        printf(", back at %.1f s", (double)t->back_us / 1e6);
    puts("");
}

static int64_t column_of(const struct board *b, const struct story *t, int w, int c)
{
    return time_of(b, w, 0, t->end_us * c / COLUMNS, t->end_us * (c + 1) / COLUMNS);
}

/* The highest mark is the longest time that a process held the lock within one column. */
static void worker_rows(const struct board *b, const struct ink *ink, const struct story *t)
{
    int64_t most = 1;
    for (int w = 0; w < WORKERS; w++)
        for (int c = 0; c < COLUMNS; c++)
            most = column_of(b, t, w, c) > most ? column_of(b, t, w, c) : most;
    for (int w = 0; w < WORKERS; w++) {
        printf("  process %c  ", 'A' + w);
        for (int c = 0; c < COLUMNS; c++)
            fputs(ink->share[(column_of(b, t, w, c) * 8 + most - 1) / most], stdout);
        puts("");
    }
}

static void scale(int64_t from_us, int64_t len_us, int digits, const char *unit, double unit_us)
{
    printf("             ");
    for (int i = 0; i < 3; i++) {
        int64_t at_us = from_us + len_us * i / 3;
        printf("%-*.*f", COLUMNS / 3 - (i == 2 ? 3 : 0), digits, (double)at_us / unit_us);
    }
    printf("%.*f %s\n", digits, (double)(from_us + len_us) / unit_us, unit);
}

/* A short period, at a scale that shows single holds. */
static void zoom(const struct board *b, const struct ink *ink, const struct story *t)
{
    int64_t start = t->killed_us > ZOOM_US / 4 ? t->killed_us - ZOOM_US / 4 : 0;

    printf("\n  The moment server %d died, %d ms a column: %s holds the lock, %s waits for it\n\n",
           t->victim + 1, ZOOM_US / COLUMNS / 1000, ink->held, ink->waits);
    for (int w = 0; w < WORKERS; w++) {
        printf("  process %c  ", 'A' + w);
        for (int c = 0; c < COLUMNS; c++) {
            int64_t from = start + ZOOM_US * c / COLUMNS, to = start + ZOOM_US * (c + 1) / COLUMNS;
            int64_t held = time_of(b, w, 0, from, to), waits = time_of(b, w, 1, from, to);
            fputs(held * 2 >= to - from ? ink->held : waits > 0 ? ink->waits : " ", stdout);
        }
        puts("");
    }
    scale(start, ZOOM_US, 0, "ms", 1e3);
}

void demo_picture(const struct board *b, const struct story *t)
{
    const struct ink *ink = choose();

    printf("\n  Which servers were up, and who held the lock when (the higher, the longer)\n\n");
    for (int i = 0; i < SERVERS; i++)
        server_row(ink, t, i);
    worker_rows(b, ink, t);
    scale(0, t->end_us, 1, "s", 1e6);
    zoom(b, ink, t);
}

int demo_overlaps(const struct board *b)
{
    int n = 0;
    for (int i = 0; i < HOLDS; i++)
        for (int k = 0; k < i; k++)
            n += shared(b->hold[i].got_us, b->hold[i].done_us, b->hold[k].got_us, b->hold[k].done_us) > 0;
    return n;
}
