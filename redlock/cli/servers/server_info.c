/* SPDX-License-Identifier: MIT */
/*
 * Reads more of the server info that the restart guard requests:
 *
 * A Sentinel that is listed instead of the servers that it watches. It knows none of a lock's commands. The
 * error for SET does not say why, and because of the guard redlock may wait for it.
 *
 * A clock that differs much from this host's, by which timers start jobs.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/server_info.h"
#include "lock/lock_op.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/redlock.h"
#include "redlock/redlock_op.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct rdl_conn_checks *guard[RDL_SERVERS_MAX];
static const struct rdl_conn *conns;
static struct {
    struct rdl_cli_info_line line;
    int is_sentinel, has_clock;
    int64_t ahead_ms; /* how far its clock is ahead of this host's */
} heard[RDL_SERVERS_MAX];

int rdl_cli_info_clock(const char *line, int64_t *ahead_ms)
{
    static const char name[] = "server_time_usec:";
    struct timespec now;
    uint64_t wall_ms;
    int64_t us;

    if (strncmp(line, name, sizeof name - 1) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    us = strtoll(line + sizeof name - 1, NULL, 10);
    wall_ms = rdl_cli_wall_ms(now.tv_sec, now.tv_nsec);
    *ahead_ms = us / 1000 - (int64_t)wall_ms;
    return us > 0;
}

int rdl_cli_info_add(struct rdl_cli_info_line *line, uint8_t byte)
{
    if (byte == '\n') {
        line->text[line->len] = '\0';
        line->len = 0;
        return 1;
    }
    if (byte != '\r' && line->len < sizeof line->text - 1)
        line->text[line->len++] = (char)byte;
    return 0;
}

static void take_line(size_t i)
{
    heard[i].is_sentinel |= strcmp(heard[i].line.text, "redis_mode:sentinel") == 0;
    heard[i].has_clock |= rdl_cli_info_clock(heard[i].line.text, &heard[i].ahead_ms);
}

static int take(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t i = (size_t)(c - conns);

    for (size_t k = 0; c->reply_kind == RDL_RESP_BULK && c->state == RDL_CONN_HANDSHAKE && k < ev->len; k++)
        if (rdl_cli_info_add(&heard[i].line, ev->data[k]))
            take_line(i);
    return guard[i]->take(c, ev);
}

static int info_on_reply(struct rdl_conn *c)
{
    if (!heard[c - conns].is_sentinel)
        return guard[c - conns]->on_reply(c);
    rdl_conn_set_text(c, rdl_cli_sentinel);
    return RDL_E_UNSUPPORTED;
}

const char rdl_cli_sentinel[] = "this is a Sentinel: name the servers it watches";

int rdl_cli_info_ahead(size_t i, int64_t *ahead_ms)
{
    *ahead_ms = heard[i].ahead_ms;
    return heard[i].has_clock;
}

int rdl_cli_info_is_sentinel(size_t i)
{
    return heard[i].is_sentinel;
}

void rdl_cli_info_watch(struct rdl_cli_servers *s)
{
    static struct rdl_conn_checks watched;

    conns = s->conn;
    watched = *s->conn[0].checks;
    watched.take = take;
    watched.on_reply = info_on_reply;
    for (size_t i = 0; i < s->n; i++) {
        guard[i] = s->conn[i].checks;
        s->conn[i].checks = &watched;
    }
}
