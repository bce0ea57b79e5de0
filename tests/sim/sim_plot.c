/* SPDX-License-Identifier: MIT */
/*
 * The picture of a run, as SVG. Each client has a lane: when it counts on the first lock, when it is stopped
 * or dead. Each server has a lane: whose key it holds, when it is down or frozen. Below them are the faults,
 * each from its beginning to its end.
 */
#include "tests/sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { STEP_MS = 4, SAMPLES = 3200, LANES = CLIENTS_MAX + SERVERS_MAX, LANE_H = 26, LEFT = 60, WIDTH = 1200 };
enum { ROWS_MAX = 10, ROW_H = 11, LETTER_W = 5 /* approximate width in the faults' names */ };

/* The state of a lane: 0 nothing, 1 + client: that client's key, and these. */
enum { DOWN = 20, FROZEN, STOPPED, FOREIGN };

static uint8_t sample[LANES][SAMPLES], quarantine[LANES][SAMPLES];
static uint64_t next_us;
static int samples;

static const char *colour(uint8_t what)
{
    static const char *const clients[] = {"#4878a8", "#d08040", "#58a058", "#9060a8", "#b0a030", "#50a0a8"};
    if (what >= 1 && what <= CLIENTS_MAX)
        return clients[what - 1];
    return what == DOWN ? "#303030" : what == FROZEN ? "#b8d0e8" : what == STOPPED ? "#d8d8d8" : "#f0a0a0";
}

static uint8_t of_client(struct world *w, int c)
{
    const struct client *k = &w->client[c];
    if (k->is_dead)
        return DOWN;
    for (int i = 0; i < w->handles; i++)
        if (k->handle[i].name == 0 && handle_remaining_ms(&k->handle[i], clock_ms(&k->clock, w->now)) > 0)
            return (uint8_t)(1 + c);
    return k->paused_until > w->now ? STOPPED : 0;
}

static uint8_t of_server(struct world *w, int s)
{
    struct host *h = &w->host[s];
    struct sim_arg name = {(const uint8_t *)lock_name(0), strlen(lock_name(0))};
    if (h->is_down)
        return DOWN;
    if (h->is_frozen)
        return FROZEN;
    struct sim_key *k = sim_server_find(&h->model, 0, name, clock_ms(&h->clock, w->now));
    struct token *t =
        k && k->value_len == 2 * RDL_TOKEN_LEN ? token_find(w, (const char *)k->value, 0) : NULL;
    return t ? (uint8_t)(1 + t->setter) : k ? FOREIGN : 0;
}

/* It restarted so recently that the guard does not count it. */
static uint8_t is_quarantined(struct world *w, int s)
{
    const struct host *h = &w->host[s];
    uint64_t up_ms = clock_ms(&h->clock, w->now) - h->model.start_ms;
    return !h->is_down && w->guard != RDL_GUARD_OFF && up_ms < (w->max_ttl_ms / 1000 + 1) * 1000ull;
}

static void bars(FILE *f, const uint8_t *row, int n, int y, int height, int is_quarantine)
{
    double scale = (double)WIDTH / n;
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && row[to] == row[from]; to++) {
        }
        if (row[from] != 0)
            fprintf(f, "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'/>\n",
                    (double)LEFT + from * scale, y, (to - from) * scale, height,
                    is_quarantine ? "#f0b000" : colour(row[from]));
    }
}

static void lane(FILE *f, const struct world *w, int i, int n)
{
    int y = 30 + i * LANE_H + (i >= w->clients ? 12 : 0);
    fprintf(f, "<text x='4' y='%d'>%s %d</text><rect x='%d' y='%d' width='%d' height='20' fill='#f6f6f6'/>\n",
            y + 15, i < w->clients ? "client" : "server", i < w->clients ? i : i - w->clients, LEFT, y,
            WIDTH);
    bars(f, sample[i], n, y, 20, 0);
    bars(f, quarantine[i], n, y + 17, 3, 1);
}

/* ---------------------------------------------------------------- faults */

static int is_seen(const struct world *w, int n)
{
    const struct planned *p = &w->planned[n];
    return !p->is_end && !p->is_save && !w->opt.left_out[n] && p->at < w->now;
}

/* The next fault to begin after entry `last` of the plan (-1: the first); -1: there is none. */
static int next_fault(const struct world *w, int last)
{
    const struct planned *before = last < 0 ? NULL : &w->planned[last];
    int next = -1;
    for (int n = 0; n < w->planned_len; n++) {
        const struct planned *p = &w->planned[n];
        int is_later = !before || p->at > before->at || (p->at == before->at && n > last);
        if (is_seen(w, n) && is_later && (next < 0 || p->at < w->planned[next].at))
            next = n;
    }
    return next;
}

/* The fault and what it affects. */
static void label(const struct planned *p, char *text, size_t size)
{
    static const uint64_t of_a_link = FAULT_BIT(FAULT_STALL) | FAULT_BIT(FAULT_HALF);
    static const uint64_t of_a_client = FAULT_BIT(FAULT_PAUSE) | FAULT_BIT(FAULT_KILL) |
                                        FAULT_BIT(FAULT_ADOPT) | FAULT_BIT(FAULT_WALL) |
                                        FAULT_BIT(FAULT_STEP_CLIENT);
    const char *name = fault_name(p->fault);
    if (p->fault == FAULT_PARTITION || p->fault == FAULT_HINT)
        snprintf(text, size, "%s", name);
    else if (of_a_link & FAULT_BIT(p->fault))
        snprintf(text, size, "%s c%u-s%u", name, p->client, p->server);
    else if (of_a_client & FAULT_BIT(p->fault))
        snprintf(text, size, "%s c%u", name, p->client);
    else
        snprintf(text, size, "%s s%u", name, p->server);
}

/* An instantaneous fault has an end in the plan, too. */
static uint64_t end_of(const struct planned *p)
{
    static const uint64_t lasting =
        FAULT_BIT(FAULT_STALL) | FAULT_BIT(FAULT_PARTITION) | FAULT_BIT(FAULT_REFUSE) |
        FAULT_BIT(FAULT_CRASH) | FAULT_BIT(FAULT_REBOOT) | FAULT_BIT(FAULT_EVERYSEC) |
        FAULT_BIT(FAULT_RESTART) | FAULT_BIT(FAULT_FREEZE) | FAULT_BIT(FAULT_PAUSE) | FAULT_BIT(FAULT_KILL) |
        FAULT_BIT(FAULT_ADOPT) | FAULT_BIT(FAULT_ERRORS);
    return lasting & FAULT_BIT(p->fault) ? p->until : p->at;
}

/* In as few rows as keep their names apart; f NULL: only count the rows. */
static int draw_faults(FILE *f, const struct world *w, int y, double us_wide)
{
    double end[ROWS_MAX] = {0};
    int rows = 0;
    for (int n = next_fault(w, -1); n >= 0; n = next_fault(w, n)) {
        const struct planned *p = &w->planned[n];
        char text[32];
        double from = (double)LEFT + (double)p->at * us_wide, to = (double)LEFT + (double)end_of(p) * us_wide;
        int row = 0;
        while (row < ROWS_MAX - 1 && end[row] > from)
            row++;
        label(p, text, sizeof text);
        to = to < from + 2 ? from + 2 : to;
        end[row] = from + (double)LETTER_W * (double)strlen(text) + 8;
        end[row] = end[row] < to + 4 ? to + 4 : end[row];
        rows = rows > row ? rows : row + 1;
        if (f)
            fprintf(f,
                    "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='#e8a0a0'/>"
                    "<text x='%.1f' y='%d' font-size='9'>%s</text>\n",
                    from, y + row * ROW_H, to - from, ROW_H - 2, from + 2, y + row * ROW_H + 8, text);
    }
    return rows;
}

/* ---------------------------------------------------------------- all of it */

static void draw(FILE *f, const struct world *w, const char *title, int n)
{
    double us_wide = n > 0 ? (double)WIDTH / (n * STEP_MS * 1000.0) : 0;
    int lanes = w->clients + w->servers, below = 42 + lanes * LANE_H;
    int rows = draw_faults(NULL, w, below, us_wide), height = 60 + lanes * LANE_H + 12 + rows * ROW_H;
    fprintf(f,
            "<!-- SPDX-License-Identifier: MIT -->\n"
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
            "font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
            LEFT + WIDTH + 20, height);
    fprintf(f,
            "<text x='%d' y='18'>%s: who believes that he holds \"%s\" (clients), whose key it is (servers); "
            "black: down, pale blue: frozen, grey: stopped, yellow: quarantine%s%s</text>\n",
            LEFT, title, lock_name(0), w->violation ? "; VIOLATION: " : "", w->violation ? w->violation : "");
    for (int i = 0; i < lanes; i++)
        lane(f, w, i, n);
    if (rows > 0)
        fprintf(f, "<text x='4' y='%d'>faults</text>\n", below + 9);
    draw_faults(f, w, below, us_wide);
    for (int ms = 0; n > 0 && ms <= n * STEP_MS; ms += 1000)
        fprintf(f, "<text x='%d' y='%d' fill='#606060'>%d s</text>\n", LEFT + ms * WIDTH / (n * STEP_MS),
                height - 8, ms / 1000);
    if (w->violation)
        fprintf(f, "<rect x='%.1f' y='22' width='2' height='%d' fill='red'/>\n",
                (double)LEFT + (double)w->violation_at / 1000 * (double)WIDTH / (n * STEP_MS), height - 50);
    fprintf(f, "</svg>\n");
}

void plot_sample(struct world *w)
{
    if (w->now == 0)
        next_us = (uint64_t)(samples = 0);
    for (; next_us <= w->now && samples < SAMPLES; samples++, next_us += STEP_MS * MS) {
        for (int c = 0; c < w->clients; c++)
            sample[c][samples] = of_client(w, c);
        for (int s = 0; s < w->servers; s++) {
            sample[w->clients + s][samples] = of_server(w, s);
            quarantine[w->clients + s][samples] = is_quarantined(w, s);
        }
    }
}

int plot_write(const struct world *w, const char *title, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        return 1;
    }
    draw(f, w, title, samples);
    return fclose(f) != 0;
}
