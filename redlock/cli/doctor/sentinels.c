/* SPDX-License-Identifier: MIT */
/* sentinels.c - asks each sentinel of a group how many sentinels, votes and replicas the group has. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/doctor/sentinels.h"
#include "lock/lock_line.h"
#include "lock/lock_op.h"
#include "redlock/cli/process/process.h"
#include "redlock/easy/sentinel_commands.h"

#include <stdlib.h>
#include <string.h>

enum { REPLY_MS = 1000 };

static struct rdl_cli_sentinel *answer;
static char word[32]; /* the string that is being read */
static size_t word_len;
static char name[32]; /* the last of those with an even number */

/* ---------------------------------------------------------------- the reply: names and values in turn */

static void take_value(const char *value)
{
    unsigned long number = strtoul(value, NULL, 10);

    if (strcmp(name, "quorum") == 0)
        answer->quorum = number;
    else if (strcmp(name, "num-slaves") == 0)
        answer->replicas = number;
    else if (strcmp(name, "num-other-sentinels") == 0)
        answer->others = number;
}

static void info_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    (void)r;
    if (ev->kind != RDL_RESP_BULK || c->reply_kind != RDL_RESP_ARRAY)
        return;
    if (ev->first)
        word_len = 0;
    for (size_t k = 0; k < ev->len && word_len < sizeof word - 1; k++)
        word[word_len++] = (char)ev->data[k];
    word[word_len] = '\0';
    if (!ev->last)
        return;
    if (c->reply_items == 0)
        memcpy(name, word, sizeof name);
    else
        take_value(word);
    c->reply_items = !c->reply_items;
}

static int info_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    r->verdict = RDL_ANSWER_YES;
    return RDL_OK;
}

static const struct rdl_method info_method = {
    .commands = RDL_COMMANDS(rdl_wire_sentinel_master), .on_reply = info_on_reply, .take = info_take};
static const struct rdl_op info = {.methods = RDL_METHOD(&info_method)};

/* ---------------------------------------------------------------- the question */

static uint64_t now_ms(const struct rdl_cli_query *l)
{
    return rdl_now(&l->platform);
}

/* Services the connection until the request is answered, or until the connection is closed. */
static void service(struct rdl_cli_query *l, struct rdl_conn *c, const struct rdl_req *req, uint64_t until_ms)
{
    while (now_ms(l) < until_ms && (req->is_queued || (rdl_conn_wants(c) & RDL_WANT_CLOSE))) {
        uint64_t at_ms = rdl_conn_tick(c, now_ms(l));
        (void)l->platform.poll(l->platform.ctx, &c, 1, at_ms < until_ms ? at_ms : until_ms,
                               RDL_POLL_CAN_WAKE);
        rdl_cli_signals_obey();
    }
}

static void ask_one(struct rdl_cli_query *l, struct rdl_sentinel *g, size_t k, struct rdl_cli_sentinel *s)
{
    struct rdl_command cmd;
    struct rdl_req req;
    struct rdl_line line;
    int error;

    memset(&req, 0, sizeof req);
    memset(&cmd, 0, sizeof cmd);
    cmd.op = &info;
    cmd.name = (struct rdl_bytes){g->name, strlen(g->name)};
    *g->at = g->list[k];
    answer = s;
    rdl_conn_end_pause(g->conn);
    if (rdl_conn_submit(g->conn, &req, &cmd) == RDL_OK)
        service(l, g->conn, &req, now_ms(l) + REPLY_MS);
    error = req.error;
    rdl_conn_abandon(g->conn, &req);
    s->replies = req.answer == RDL_ANSWER_YES;
    if (!s->replies) {
        rdl_line_begin(&line, s->why, sizeof s->why);
        rdl_line_add_error(&line, g->conn, error != RDL_OK ? error : RDL_E_TIMEOUT);
    }
    rdl_conn_shut(g->conn, RDL_OK);
    service(l, g->conn, &req, now_ms(l) + REPLY_MS);
}

void rdl_cli_ask_sentinels(struct rdl_cli_query *l, size_t i, struct rdl_cli_sentinels *s)
{
    struct rdl_sentinel *g = l->servers->group[i];

    memset(s, 0, sizeof *s);
    if (g == NULL)
        return;
    s->n = g->n;
    for (size_t k = 0; k < g->n; k++) {
        ask_one(l, g, k, &s->at[k]);
        if (s->first == NULL && s->at[k].replies)
            s->first = &s->at[k];
    }
}
