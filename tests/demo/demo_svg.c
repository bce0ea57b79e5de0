/* SPDX-License-Identifier: MIT */
/*
 * The run as an SVG picture: all of it, and below that the moment at which the server dies. Every element has
 * a class, and the number of elements of each class does not depend on the run (picture.sh). The colours are
 * legible on a light and on a dark background, which the picture does not set.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/demo/demo.h"

#include <stdio.h>

enum {
    WIDTH = 860,
    LEFT = 84, /* the start of the time axis */
    RIGHT = WIDTH - 16,
    ROW = 17, /* height of a row */
    ROWS = SERVERS + WORKERS,
    ALL_TOP = 48, /* first row of the whole run */
    MOMENT_TOP = ALL_TOP + ROWS * ROW + 70,
    LEGEND_Y = MOMENT_TOP + ROWS * ROW + 44,
    RESULT_Y = LEGEND_Y + 28,
    HEIGHT = RESULT_Y + 10,
    MOMENT_US = 132000,
    MOST_TICKS = 8
};

static const char style[] = "text { font: 12px system-ui, sans-serif; fill: #76808c }\n"
                            ".title { font-weight: bold }\n"
                            ".tick { text-anchor: middle }\n"
                            "path { fill: none }\n"
                            ".grid { stroke: #76808c; stroke-opacity: .35 }\n"
                            ".event { stroke: #e5484d; stroke-dasharray: 2 3 }\n"
                            ".up { stroke: #2da44e; stroke-width: 5 }\n"
                            ".down { stroke: #e5484d; stroke-width: 5; stroke-dasharray: 2 4 }\n"
                            ".held { stroke: #3b82f6; stroke-width: 13 }\n"
                            ".waits { stroke: #c98a1b; stroke-width: 2 }\n";

/* A part of the run, and its place in the picture. */
struct view {
    FILE *f;
    int64_t from_us;
    int64_t to_us;
    int top;
};

static double x_of(const struct view *v, int64_t us)
{
    return LEFT + (double)(RIGHT - LEFT) * (double)(us - v->from_us) / (double)(v->to_us - v->from_us);
}

static int y_of(const struct view *v, int row)
{
    return v->top + row * ROW + ROW / 2;
}

/* A piece of a path: a row's line from one time to another, as far as it is visible. */
static void put_line(const struct view *v, int row, int64_t from_us, int64_t to_us)
{
    int64_t from = from_us > v->from_us ? from_us : v->from_us;
    int64_t to = to_us < v->to_us ? to_us : v->to_us;

    if (from < to)
        fprintf(v->f, "M%.1f %dh%.1f", x_of(v, from), y_of(v, row), x_of(v, to) - x_of(v, from));
}

static void put_label(const struct view *v, int row, const char *what, int name)
{
    fprintf(v->f, "<text class='label' x='8' y='%d'>%s %c</text>\n", y_of(v, row) + 4, what, name);
}

static void put_server(const struct view *v, const struct story *t, int i)
{
    int64_t killed_us = i == t->victim ? t->killed_us : t->end_us;
    int64_t back_us = i == t->victim && t->back_us != 0 ? t->back_us : t->end_us;

    put_label(v, i, "server", '1' + i);
    fputs("<path class='up' d='", v->f);
    put_line(v, i, 0, killed_us);
    put_line(v, i, back_us, t->end_us);
    fputs("'/>\n", v->f);
    if (i != t->victim)
        return;
    fputs("<path class='down' d='", v->f);
    put_line(v, i, killed_us, back_us);
    fputs("'/>\n", v->f);
}

static void put_worker(const struct view *v, const struct board *b, int w)
{
    const struct hold *hold = &b->hold[w * ROUNDS];

    put_label(v, SERVERS + w, "process", 'A' + w);
    fputs("<path class='waits' d='", v->f);
    for (int i = 0; i < ROUNDS; i++)
        put_line(v, SERVERS + w, hold[i].requested_us, hold[i].got_us);
    fputs("'/>\n<path class='held' d='", v->f);
    for (int i = 0; i < ROUNDS; i++)
        put_line(v, SERVERS + w, hold[i].got_us, hold[i].done_us);
    fputs("'/>\n", v->f);
}

/* The least round step, in us, that makes no more than MOST_TICKS of them. */
static int64_t tick_step(int64_t length_us)
{
    static const int times[] = {1, 2, 5};
    int64_t unit = 10000;

    for (int i = 0;; i = (i + 1) % 3) {
        if (length_us / (unit * times[i]) <= MOST_TICKS)
            return unit * times[i];
        if (i == 2)
            unit *= 10;
    }
}

static void put_axis(const struct view *v)
{
    int64_t step = tick_step(v->to_us - v->from_us);
    int64_t first = (v->from_us + step - 1) / step * step;
    int bottom = v->top + ROWS * ROW + 3;

    fputs("<path class='grid' d='", v->f);
    for (int64_t at = first; at <= v->to_us; at += step)
        fprintf(v->f, "M%.1f %dV%d", x_of(v, at), v->top, bottom);
    fputs("'/>\n", v->f);
    for (int64_t at = first; at <= v->to_us; at += step)
        fprintf(v->f, "<text class='tick' x='%.1f' y='%d'>%.*f</text>\n", x_of(v, at), bottom + 13,
                step < 1000000 ? 2 : 0, (double)at / 1e6);
    fprintf(v->f, "<text class='unit' x='8' y='%d'>seconds</text>\n", bottom + 13);
}

/* The server's death, across all rows. */
static void put_death(const struct view *v, const struct story *t)
{
    fprintf(v->f, "<path class='event' d='M%.1f %dV%d'/>\n", x_of(v, t->killed_us), v->top,
            v->top + ROWS * ROW);
}

static void put_view(const struct view *v, const struct board *b, const struct story *t, const char *title)
{
    fprintf(v->f, "<text class='title' x='%d' y='%d'>%s</text>\n", LEFT, v->top - 12, title);
    put_axis(v);
    for (int i = 0; i < SERVERS; i++)
        put_server(v, t, i);
    for (int w = 0; w < WORKERS; w++)
        put_worker(v, b, w);
    put_death(v, t);
}

/* The legend of the lines: below both parts. */
static void put_legend(FILE *f)
{
    static const char *const entry[][2] = {{"up", "server is up"},
                                           {"down", "server is down"},
                                           {"held", "process holds the lock"},
                                           {"waits", "process waits for it"}};
    for (int i = 0; i < 4; i++) {
        int x = LEFT + i * 190;
        fprintf(f, "<path class='%s' d='M%d %dh24'/>\n", entry[i][0], x, LEGEND_Y);
        fprintf(f, "<text class='legend' x='%d' y='%d'>%s</text>\n", x + 32, LEGEND_Y + 4, entry[i][1]);
    }
}

static void put_result(FILE *f, const struct story *t)
{
    fprintf(f,
            "<text class='result' x='%d' y='%d'>With the lock: %d of %d updates. Without the lock: %d of "
            "%d.</text>\n",
            LEFT, RESULT_Y, t->with, HOLDS, t->without, HOLDS);
}

static void put_head(FILE *f, const struct story *t)
{
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' role='img' "
            "aria-labelledby='title desc'>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fputs("<!-- SPDX-License-Identifier: MIT -->\n<!-- Written by make session: not edited by hand. -->\n",
          f);
    fprintf(f,
            "<title id='title'>%d processes share one lock on %d servers while one server is down</title>\n",
            WORKERS, SERVERS);
    fprintf(f,
            "<desc id='desc'>A timeline. Server %d is killed at %.1f s and is back at %.1f s. Processes A to "
            "%c hold the lock one after the other, %d times each. A second timeline shows the "
            "moment of the kill, where each hold is visible.</desc>\n",
            t->victim + 1, (double)t->killed_us / 1e6, (double)t->back_us / 1e6, 'A' + WORKERS - 1, ROUNDS);
    fprintf(f, "<style>\n%s</style>\n", style);
}

int demo_svg(const struct board *b, const struct story *t, const char *path)
{
    char title[128];
    FILE *f = fopen(path, "w");

    if (f == NULL)
        return -1;
    put_head(f, t);
    struct view all = {f, 0, t->end_us, ALL_TOP};
    snprintf(title, sizeof title, "Server %d is killed at %.1f s and is back at %.1f s", t->victim + 1,
             (double)t->killed_us / 1e6, (double)t->back_us / 1e6);
    put_view(&all, b, t, title);
    int64_t start_us = t->killed_us > MOMENT_US / 4 ? t->killed_us - MOMENT_US / 4 : 0;
    struct view moment = {f, start_us, start_us + MOMENT_US, MOMENT_TOP};
    snprintf(title, sizeof title, "The moment at which server %d dies", t->victim + 1);
    put_view(&moment, b, t, title);
    put_legend(f);
    put_result(f, t);
    fputs("</svg>\n", f);
    int is_bad = ferror(f);
    return fclose(f) != 0 || is_bad ? -1 : 0;
}
