/* SPDX-License-Identifier: MIT */
/* WATCH, MULTI, EXEC, DISCARD of the model server. One WATCH at a time. */
#include "tests/sim/server.h"

#include <string.h>

static uint32_t stamp_of(struct sim_call *c, const struct sim_watched *w)
{
    struct sim_arg key = {w->key, w->len};
    const struct sim_key *k = sim_server_find(c->server, c->session->db, key, c->now_ms);
    return k ? k->stamp : 0;
}

static int has_changed(struct sim_call *c)
{
    const struct sim_session *s = c->session;
    for (int i = 0; i < s->watched; i++)
        if (stamp_of(c, &s->watch[i]) != s->watch[i].stamp)
            return 1;
    return 0;
}

/* Redis has a text for each command, Valkey one for all. */
static void not_in_multi(struct sim_call *c, const char *name, const char *redis)
{
    enum sim_texts texts = c->server->features->texts;
    if (texts == SIM_VALKEY9)
        sim_out_error(c->out, "ERR Command '%s' not allowed inside a transaction", name);
    else
        sim_out_error(c->out, "%s",
                      texts == SIM_VALKEY8 ? "ERR Command not allowed inside a transaction" : redis);
}

static void cmd_watch(struct sim_call *c)
{
    struct sim_session *s = c->session;
    if (s->in_multi) {
        not_in_multi(c, "watch", "ERR WATCH inside MULTI is not allowed");
        return;
    }
    if (c->argc > 1 + SIM_WATCHED_MAX || s->watched) {
        sim_out_error(c->out, "ERR this model watches eight keys");
        return;
    }
    for (int i = 1; i < c->argc; i++) {
        struct sim_watched *w = &s->watch[s->watched++];
        w->len = (uint8_t)(c->argv[i].len < SIM_KEY_MAX ? c->argv[i].len : SIM_KEY_MAX);
        memcpy(w->key, c->argv[i].data, w->len);
        w->stamp = stamp_of(c, w);
    }
    sim_out_text(c->out, "+OK\r\n");
}

static void forget(struct sim_session *s)
{
    s->in_multi = s->is_spoilt = s->watched = s->queued = 0;
    s->queue_len = 0;
}

static void cmd_unwatch(struct sim_call *c)
{
    c->session->watched = 0;
    sim_out_text(c->out, "+OK\r\n");
}

static void cmd_multi(struct sim_call *c)
{
    if (c->session->in_multi) {
        not_in_multi(c, "multi", "ERR MULTI calls can not be nested");
        return;
    }
    c->session->in_multi = 1;
    sim_out_text(c->out, "+OK\r\n");
}

static void cmd_discard(struct sim_call *c)
{
    if (!c->session->in_multi) {
        sim_out_error(c->out, "ERR DISCARD without MULTI");
        return;
    }
    forget(c->session);
    sim_out_text(c->out, "+OK\r\n");
}

int sim_multi_queue(struct sim_session *s, const struct sim_arg *argv, int argc)
{
    size_t need = 1;
    for (int i = 0; i < argc; i++)
        need += 2 + argv[i].len;
    if (need > (size_t)(SIM_QUEUE_MAX - s->queue_len))
        return 0;
    uint8_t *p = s->queue + s->queue_len;
    *p++ = (uint8_t)argc;
    for (int i = 0; i < argc; i++) {
        *p++ = (uint8_t)(argv[i].len >> 8);
        *p++ = (uint8_t)argv[i].len;
        memcpy(p, argv[i].data, argv[i].len);
        p += argv[i].len;
    }
    s->queue_len = (uint16_t)(s->queue_len + need);
    s->queued++;
    return 1;
}

static const uint8_t *run_queued(struct sim_call *c, const uint8_t *p)
{
    struct sim_arg argv[SIM_ARGS];
    struct sim_call inner = *c;
    inner.argv = argv;
    inner.argc = *p++;
    inner.in_exec = 1;
    for (int i = 0; i < inner.argc; i++) {
        argv[i].len = (size_t)p[0] << 8 | p[1];
        argv[i].data = p + 2;
        p += 2 + argv[i].len;
    }
    sim_command(&inner);
    return p;
}

static void cmd_exec(struct sim_call *c)
{
    struct sim_session *s = c->session;
    if (!s->in_multi) {
        sim_out_error(c->out, "ERR EXEC without MULTI");
    } else if (s->is_spoilt) {
        sim_out_error(c->out, "EXECABORT Transaction discarded because of previous errors.");
        forget(s);
    } else if (has_changed(c)) {
        sim_out_text(c->out, "*-1\r\n");
        forget(s);
    } else {
        const uint8_t *p = s->queue;
        const char head[] = {'*', (char)('0' + s->queued), '\r', '\n', '\0'};
        int n = s->queued;
        sim_out_text(c->out, head);
        s->in_multi = s->queued = s->watched = 0;
        s->queue_len = 0;
        while (n-- > 0)
            p = run_queued(c, p);
    }
}

const struct sim_entry sim_multi_commands[] = {
    {"watch", -2, SIM_NOT_QUEUED | SIM_KEYED, cmd_watch},
    {"unwatch", 1, 0, cmd_unwatch},
    {"multi", 1, SIM_NOT_QUEUED, cmd_multi},
    {"exec", 1, SIM_NOT_QUEUED, cmd_exec},
    {"discard", 1, SIM_NOT_QUEUED, cmd_discard},
    {NULL, 0, 0, NULL},
};
