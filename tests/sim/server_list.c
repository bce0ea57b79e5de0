/* SPDX-License-Identifier: MIT */
/* The model server's lists, and the clients that wait for an element: BLPOP. */
#include "tests/sim/server.h"

#include <string.h>

static const char wrong_type[] = "WRONGTYPE Operation against a key holding the wrong kind of value";

static void cmd_type(struct sim_call *c)
{
    const struct sim_key *k = sim_key_at(c, 1);
    sim_out_text(c->out, !k ? "+none\r\n" : k->is_list ? "+list\r\n" : "+string\r\n");
}

/* ---------------------------------------------------------------- elements, each behind its length */

static int insert(struct sim_key *k, struct sim_arg element, int at_head)
{
    size_t need = element.len + 1;
    if (element.len > UINT8_MAX || need > (size_t)(SIM_VALUE_MAX - k->value_len))
        return 0;
    uint8_t *at = k->value + (at_head ? 0 : k->value_len);
    memmove(at + need, at, (size_t)(k->value + k->value_len - at));
    *at = (uint8_t)element.len;
    memcpy(at + 1, element.data, element.len);
    k->value_len = (uint8_t)(k->value_len + need);
    k->items++;
    return 1;
}

/* Take the first element; an empty list is deleted. */
static size_t take(struct sim_server *s, struct sim_key *k, uint8_t to[SIM_VALUE_MAX], uint64_t now_ms)
{
    size_t len = k->value[0];
    memcpy(to, k->value + 1, len);
    k->value_len = (uint8_t)(k->value_len - len - 1);
    memmove(k->value, k->value + 1 + len, k->value_len);
    if (--k->items == 0)
        sim_key_delete(s, k, now_ms);
    else
        sim_key_touch(s, k, now_ms);
    return len;
}

static void push(struct sim_call *c, int at_head)
{
    struct sim_key *k = sim_key_at(c, 1);
    if (k && !k->is_list) {
        sim_out_error(c->out, "%s", wrong_type);
        return;
    }
    if (!k && (k = sim_key_create(c, c->argv[1])) != NULL)
        k->is_list = 1;
    int fits = k != NULL;
    for (int i = 2; fits && i < c->argc; i++)
        fits = insert(k, c->argv[i], at_head);
    if (!fits) {
        sim_out_error(c->out, "ERR a list too long for this model");
        return;
    }
    sim_key_touch(c->server, k, c->now_ms);
    c->server->is_pushed = 1;
    sim_out_int(c->out, k->items);
}

static void cmd_lpush(struct sim_call *c)
{
    push(c, 1);
}

static void cmd_rpush(struct sim_call *c)
{
    push(c, 0);
}

static void cmd_llen(struct sim_call *c)
{
    const struct sim_key *k = sim_key_at(c, 1);
    if (k && !k->is_list)
        sim_out_error(c->out, "%s", wrong_type);
    else
        sim_out_int(c->out, k ? k->items : 0);
}

/* ---------------------------------------------------------------- waiting */

/* Seconds, with a fraction from 6.0 on, in ms. Returns 0 after an error reply if they are invalid. */
static int timeout_of(struct sim_call *c, struct sim_arg a, uint64_t *ms)
{
    int is_whole = c->server->features->whole_timeouts, is_negative = a.len > 1 && a.data[0] == '-';
    uint64_t scale = 1000, digits = 0;
    size_t i = (size_t)is_negative;
    *ms = 0;
    for (; i < a.len && a.data[i] >= '0' && a.data[i] <= '9' && digits < 12; i++, digits++)
        *ms = *ms * 10 + (uint64_t)(a.data[i] - '0') * 1000;
    if (!is_whole && digits > 0 && i < a.len && a.data[i] == '.')
        for (i++; i < a.len && a.data[i] >= '0' && a.data[i] <= '9'; i++)
            *ms += (uint64_t)(a.data[i] - '0') * (scale /= 10);
    if (i < a.len || digits == 0)
        sim_out_error(c->out, "ERR timeout is not %s or out of range", is_whole ? "an integer" : "a float");
    else if (is_negative && *ms > 0)
        sim_out_error(c->out, "ERR timeout is negative");
    else
        return 1;
    return 0;
}

static void reply_element(struct sim_out *o, struct sim_arg key, const uint8_t *data, size_t len)
{
    sim_out_text(o, "*2\r\n");
    sim_out_bulk(o, key.data, key.len);
    sim_out_bulk(o, data, len);
}

static void block(struct sim_call *c, uint64_t timeout_ms)
{
    struct sim_server *s = c->server;
    struct sim_arg key = c->argv[1];
    if (s->waiters == SIM_WAITERS || key.len > SIM_KEY_MAX || c->argc != 3) {
        sim_out_error(c->out, "ERR this model has no room for one more who waits, or for several keys");
        return;
    }
    struct sim_waiter *w = &s->waiter[s->waiters++];
    w->ticket = c->session->ticket = ++s->tickets;
    w->until_ms = timeout_ms ? c->now_ms + timeout_ms : UINT64_MAX;
    w->is_served = 0;
    w->db = c->session->db;
    w->key_len = (uint8_t)key.len;
    memcpy(w->key, key.data, key.len);
}

static void cmd_blpop(struct sim_call *c)
{
    uint64_t ms;
    uint8_t element[SIM_VALUE_MAX];
    if (c->script) {
        sim_out_error(c->out, "ERR This Redis command is not allowed from script");
        return;
    }
    if (!timeout_of(c, c->argv[c->argc - 1], &ms))
        return;
    for (int i = 1; i < c->argc - 1; i++) {
        struct sim_key *k = sim_key_at(c, i);
        if (!k)
            continue;
        if (!k->is_list) {
            sim_out_error(c->out, "%s", wrong_type);
            return;
        }
        size_t len = take(c->server, k, element, c->now_ms);
        reply_element(c->out, c->argv[i], element, len);
        return;
    }
    if (c->in_exec)
        sim_out_text(c->out, "*-1\r\n");
    else
        block(c, ms);
}

void sim_server_serve(struct sim_server *s, uint64_t now_ms)
{
    s->is_pushed = 0;
    for (int i = 0; i < s->waiters; i++) {
        struct sim_waiter *w = &s->waiter[i];
        if (w->is_served || now_ms >= w->until_ms)
            continue;
        struct sim_key *k = sim_server_find(s, w->db, (struct sim_arg){w->key, w->key_len}, now_ms);
        if (!k || !k->is_list)
            continue;
        w->value_len = (uint8_t)take(s, k, w->value, now_ms);
        w->is_served = 1;
    }
}

static struct sim_waiter *waiter_of(struct sim_server *s, const struct sim_session *c)
{
    for (int i = 0; i < s->waiters && c->ticket != 0; i++)
        if (s->waiter[i].ticket == c->ticket)
            return &s->waiter[i];
    return NULL;
}

void sim_server_leave(struct sim_server *s, struct sim_session *c)
{
    struct sim_waiter *w = waiter_of(s, c);
    c->ticket = 0;
    if (!w)
        return;
    s->waiters--;
    memmove(w, w + 1, (size_t)(s->waiter + s->waiters - w) * sizeof *w);
}

uint64_t sim_server_wakes(struct sim_server *s, const struct sim_session *c)
{
    const struct sim_waiter *w = waiter_of(s, c);
    return !w || w->is_served ? 0 : w->until_ms;
}

int sim_server_unblock(struct sim_server *s, struct sim_session *c, uint64_t now_ms, struct sim_out *out)
{
    const struct sim_waiter *w = waiter_of(s, c);
    if (w && !w->is_served && now_ms < w->until_ms)
        return 0;
    if (w && w->is_served)
        reply_element(out, (struct sim_arg){w->key, w->key_len}, w->value, w->value_len);
    else if (w)
        sim_out_text(out, "*-1\r\n");
    sim_server_leave(s, c);
    return 1;
}

const struct sim_entry sim_list_commands[] = {
    {"type", 2, SIM_KEYED, cmd_type},
    {"lpush", -3, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_KEYED, cmd_lpush},
    {"rpush", -3, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_KEYED, cmd_rpush},
    {"llen", 2, SIM_KEYED, cmd_llen},
    {"blpop", -3, SIM_WRITES | SIM_KEYED, cmd_blpop},
    {NULL, 0, 0, NULL},
};
