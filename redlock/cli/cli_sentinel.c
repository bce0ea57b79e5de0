/* SPDX-License-Identifier: MIT */
/*
 * A Sentinel that was named instead of the servers that it watches. It knows none of a lock's commands: the
 * error for SET does not say why, and the restart guard may have it waited for. So what it answers to the
 * guard's questions is read here, too.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/cli.h"
#include "redlock/redlock_op.h"

#include <string.h>

static const char line_of_sentinel[] = "redis_mode:sentinel";

static const struct rdl_preflight *guard;
static const struct rdl_conn *conns;
static struct {
    char line[sizeof line_of_sentinel + 1]; /* of INFO; of a longer one its beginning */
    size_t len;
    int is_sentinel;
} heard[RDL_SERVERS_MAX];

static void take_line(size_t i)
{
    heard[i].line[heard[i].len] = '\0';
    heard[i].is_sentinel |= strcmp(heard[i].line, line_of_sentinel) == 0;
    heard[i].len = 0;
}

static int take(struct rdl_conn *c, const struct rdl_resp_event *ev)
{
    size_t i = (size_t)(c - conns);

    for (size_t k = 0; c->reply_kind == RDL_RESP_BULK && c->state == RDL_CONN_HANDSHAKE && k < ev->len; k++) {
        char byte = (char)ev->data[k];
        if (byte == '\n')
            take_line(i);
        else if (byte != '\r' && heard[i].len < sizeof heard[i].line - 1)
            heard[i].line[heard[i].len++] = byte;
    }
    return guard->take(c, ev);
}

static int judge(struct rdl_conn *c)
{
    if (!heard[c - conns].is_sentinel)
        return guard->judge(c);
    rdl_conn_say(c, rdl_cli_sentinel);
    return RDL_E_UNSUPPORTED;
}

const char rdl_cli_sentinel[] = "this is a Sentinel: name the servers it watches";

int rdl_cli_sentinel_is(size_t i)
{
    return heard[i].is_sentinel;
}

void rdl_cli_sentinel_watch(struct rdl_cli_servers *s)
{
    static struct rdl_preflight watched;

    conns = s->conn;
    guard = s->conn[0].preflight;
    watched = *guard;
    watched.take = take;
    watched.judge = judge;
    for (size_t i = 0; i < s->n; i++)
        s->conn[i].preflight = &watched;
}
