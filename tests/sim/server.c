/* SPDX-License-Identifier: MIT */
/* The model server's keys and the commands on them. */
#include "tests/sim/server.h"

#include <string.h>

static const struct sim_arg nothing = {NULL, 0};

/* ---------------------------------------------------------------- keys */

void sim_key_touch(struct sim_server *s, struct sim_key *k, uint64_t now_ms)
{
    (void)now_ms;
    k->stamp = ++s->stamp;
}

void sim_key_delete(struct sim_server *s, struct sim_key *k, uint64_t now_ms)
{
    (void)s;
    (void)now_ms;
    k->used = 0;
}

struct sim_key *sim_server_find(struct sim_server *s, unsigned db, struct sim_arg key, uint64_t now_ms)
{
    for (uint32_t i = 0; i < s->keys; i++) {
        struct sim_key *k = &s->key[i];
        if (!k->used || k->db != db || k->key_len != key.len || memcmp(k->key, key.data, key.len) != 0)
            continue;
        if (k->expire_ms == 0 || now_ms <= k->expire_ms)
            return k;
        k->used = 0; /* lazy, as in Redis: gone once now is *past* the expiry */
        return NULL;
    }
    return NULL;
}

struct sim_key *sim_key_create(struct sim_call *c, struct sim_arg key)
{
    struct sim_server *s = c->server;
    uint32_t i = 0;
    while (i < s->keys && s->key[i].used && (s->key[i].expire_ms == 0 || c->now_ms <= s->key[i].expire_ms))
        i++;
    if (i == SIM_KEYS || key.len > SIM_KEY_MAX)
        return NULL;
    if (i == s->keys)
        s->keys++;
    struct sim_key *k = &s->key[i];
    k->used = 1;
    k->is_list = k->items = 0;
    k->db = c->session->db;
    k->key_len = (uint8_t)key.len;
    k->expire_ms = 0;
    k->value_len = 0;
    memcpy(k->key, key.data, key.len);
    return k;
}

void sim_server_flush(struct sim_server *s)
{
    s->keys = 0;
}

void sim_server_evict(struct sim_server *s)
{
    for (uint32_t i = 0; i < s->keys; i++)
        s->key[i].used = s->key[i].used && s->key[i].expire_ms == 0;
}

void sim_server_save(const struct sim_server *s, struct sim_disk *disk)
{
    disk->keys = s->keys;
    memcpy(disk->key, s->key, s->keys * sizeof s->key[0]);
}

void sim_server_load(struct sim_server *s, const struct sim_disk *disk)
{
    s->keys = disk->keys;
    memcpy(s->key, disk->key, disk->keys * sizeof disk->key[0]);
    for (uint32_t i = 0; i < s->keys; i++)
        s->key[i].stamp = ++s->stamp; /* a client that watches the key learns that it changed */
}

struct sim_arg sim_value_of(const struct sim_key *k)
{
    return k ? (struct sim_arg){k->value, k->value_len} : nothing;
}

void sim_note(const struct sim_call *c, enum sim_deed deed, struct sim_arg key, struct sim_arg value,
              struct sim_arg held, int64_t number)
{
    if (!c->server->note)
        return;
    if (c->in_exec && !c->script) /* it compared before, and WATCH ensured that nothing has changed since */
        value = held;
    struct sim_note n = {deed,    key,    c->script ? c->script_arg : value, held, c->script, number,
                         c->argc, nothing};
    if (deed == SIM_SCRIPT_DONE && c->script && c->argc > 1)
        n.second = c->argv[1];
    c->server->note(c->server->note_ctx, &n);
}

/* ---------------------------------------------------------------- commands */

struct sim_key *sim_key_at(struct sim_call *c, int i)
{
    return sim_server_find(c->server, c->session->db, c->argv[i], c->now_ms);
}

static int64_t left_ms(const struct sim_key *k, uint64_t now_ms)
{
    return k->expire_ms == 0 ? -1 : (int64_t)(k->expire_ms - now_ms);
}

static void reply_value(struct sim_call *c, const struct sim_key *k)
{
    if (k && k->is_list)
        sim_out_error(c->out, "WRONGTYPE Operation against a key holding the wrong kind of value");
    else
        sim_out_bulk(c->out, k ? k->value : NULL, k ? k->value_len : 0);
}

static void cmd_get(struct sim_call *c)
{
    reply_value(c, sim_key_at(c, 1));
}

/* A key of another type is as good as none. */
static void cmd_mget(struct sim_call *c)
{
    int found = 0;
    sim_out_text(c->out, "*");
    sim_out_digits(c->out, (uint64_t)c->argc - 1);
    sim_out_text(c->out, "\r\n");
    for (int i = 1; i < c->argc; i++) {
        struct sim_key *k = sim_key_at(c, i);
        found += k && !k->is_list;
        reply_value(c, k && !k->is_list ? k : NULL);
    }
    if (c->session->watched)
        sim_note(c, SIM_KEYS_FOUND, c->argv[1], nothing, nothing, found);
}

/* The options of a SET. */
struct set {
    int nx, xx, get, expires, keeps;
    int64_t ttl_ms;
};

static void bad_expire(struct sim_call *c, const char *name)
{
    if (c->server->features->texts == SIM_REDIS6)
        sim_out_error(c->out, "ERR invalid expire time in %s", name);
    else
        sim_out_error(c->out, "ERR invalid expire time in '%s' command", name);
}

/* Returns 1, or 0 after an error reply. */
static int set_options(struct sim_call *c, struct set *o)
{
    int64_t unit = 0;
    struct sim_arg time = nothing;
    for (int i = 3; i < c->argc; i++) {
        struct sim_arg a = c->argv[i];
        if (sim_arg_is(a, "NX") && !o->xx) {
            o->nx = 1;
        } else if (sim_arg_is(a, "XX") && !o->nx) {
            o->xx = 1;
        } else if (sim_arg_is(a, "GET") && c->server->features->texts != SIM_REDIS6) {
            o->get = 1;
        } else if (sim_arg_is(a, "KEEPTTL") && unit == 0) {
            o->keeps = 1;
        } else if ((sim_arg_is(a, "PX") || sim_arg_is(a, "EX")) && unit == 0 && !o->keeps &&
                   i + 1 < c->argc) {
            unit = sim_arg_is(a, "PX") ? 1 : 1000;
            time = c->argv[++i];
        } else {
            sim_out_error(c->out, "ERR syntax error");
            return 0;
        }
    }
    o->expires = unit != 0;
    if (!o->expires)
        return 1;
    if (!sim_arg_int(time, &o->ttl_ms)) {
        sim_out_error(c->out, "ERR value is not an integer or out of range");
        return 0;
    }
    if (o->ttl_ms <= 0 || o->ttl_ms > (INT64_MAX - (int64_t)c->now_ms) / unit) {
        bad_expire(c, "set");
        return 0;
    }
    o->ttl_ms *= unit;
    return 1;
}

static void write_value(struct sim_call *c, struct sim_key *k, struct sim_arg value, uint64_t expire_ms)
{
    k->is_list = k->items = 0;
    k->expire_ms = expire_ms;
    k->value_len = (uint8_t)(value.len < SIM_VALUE_MAX ? value.len : SIM_VALUE_MAX);
    memcpy(k->value, value.data, k->value_len);
    sim_key_touch(c->server, k, c->now_ms);
}

int sim_key_is(const struct sim_key *k, struct sim_arg value)
{
    return k && k->value_len == value.len && memcmp(k->value, value.data, value.len) == 0;
}

static uint64_t expiry(const struct sim_call *c, const struct sim_key *k, const struct set *o)
{
    if (o->keeps)
        return k->expire_ms;
    return o->expires ? c->now_ms + (uint64_t)o->ttl_ms : 0;
}

static void cmd_set(struct sim_call *c)
{
    struct set o = {0, 0, 0, 0, 0, 0};
    if (c->server->features->no_set_options && c->argc > 3) {
        sim_out_error(c->out, "ERR wrong number of arguments for 'set' command");
        return;
    }
    if (!set_options(c, &o))
        return;
    struct sim_key *k = sim_key_at(c, 1);
    uint8_t old[SIM_VALUE_MAX];
    struct sim_arg held = sim_value_of(k);
    if (held.len > 0)
        memcpy(old, held.data, held.len);
    held.data = old;
    if (o.get)
        reply_value(c, k);
    if (o.get && k && k->is_list)
        return;
    if ((o.nx && k) || (o.xx && !k)) {
        if (!o.get)
            sim_out_text(c->out, "$-1\r\n");
        sim_note(c, SIM_SET_REFUSED, c->argv[1], c->argv[2], held, k ? left_ms(k, c->now_ms) : -2);
        return;
    }
    if (!k)
        k = sim_key_create(c, c->argv[1]);
    if (!k) {
        sim_out_error(c->out, "OOM command not allowed when used memory > 'maxmemory'.");
        return;
    }
    write_value(c, k, c->argv[2], expiry(c, k, &o));
    if (!o.get)
        sim_out_text(c->out, "+OK\r\n");
    sim_note(c, SIM_SET_GRANTED, c->argv[1], c->argv[2], held, o.expires ? o.ttl_ms : -1);
}

static void cmd_setnx(struct sim_call *c)
{
    struct sim_key *k = sim_key_at(c, 1);
    int granted = !k && (k = sim_key_create(c, c->argv[1])) != NULL;
    if (granted)
        write_value(c, k, c->argv[2], 0);
    sim_out_int(c->out, granted);
    sim_note(c, granted ? SIM_SET_GRANTED : SIM_SET_REFUSED, c->argv[1], c->argv[2],
             granted ? nothing : sim_value_of(k), -1);
}

static void cmd_getset(struct sim_call *c)
{
    struct sim_key *k = sim_key_at(c, 1);
    reply_value(c, k);
    if (k && k->is_list)
        return;
    if (!k)
        k = sim_key_create(c, c->argv[1]);
    if (!k)
        return;
    sim_note(c, SIM_SET_GRANTED, c->argv[1], c->argv[2], sim_value_of(k), -1);
    write_value(c, k, c->argv[2], 0);
}

static void cmd_psetex(struct sim_call *c)
{
    struct sim_arg argv[] = {c->argv[0], c->argv[1], c->argv[3], {(const uint8_t *)"PX", 2}, c->argv[2]};
    struct sim_call as_set = *c;
    int64_t ms;
    if (sim_arg_int(c->argv[2], &ms) && (ms <= 0 || ms > INT64_MAX - (int64_t)c->now_ms)) {
        bad_expire(c, "psetex");
        return;
    }
    as_set.argv = argv;
    as_set.argc = 5;
    cmd_set(&as_set);
}

static void cmd_exists(struct sim_call *c)
{
    int n = 0;
    for (int i = 1; i < c->argc; i++)
        n += sim_key_at(c, i) != NULL;
    sim_out_int(c->out, n);
}

static void cmd_pttl(struct sim_call *c)
{
    struct sim_key *k = sim_key_at(c, 1);
    sim_out_int(c->out, k ? left_ms(k, c->now_ms) : -2);
    if (c->in_exec && k)
        sim_note(c, SIM_PTTL_QUERIED, c->argv[1], nothing, sim_value_of(k), left_ms(k, c->now_ms));
}

static void cmd_pexpire(struct sim_call *c)
{
    int64_t ms;
    struct sim_key *k = sim_key_at(c, 1);
    if (!sim_arg_int(c->argv[2], &ms)) {
        sim_out_error(c->out, "ERR value is not an integer or out of range");
        return;
    }
    if (ms > INT64_MAX - (int64_t)c->now_ms) {
        bad_expire(c, "pexpire");
        return;
    }
    sim_out_int(c->out, k != NULL);
    if (!k)
        return;
    enum sim_deed deed = ms <= 0 ? SIM_DELETED : SIM_EXPIRE_SET;
    if (ms > 0 && ms < left_ms(k, c->now_ms))
        deed = SIM_SHORTENED;
    sim_note(c, deed, c->argv[1], nothing, sim_value_of(k), ms);
    if (c->in_exec) { /* for a lock an extension */
        struct sim_call noted = *c;
        noted.argc = 2;
        sim_note(&noted, SIM_SCRIPT_DONE, c->argv[1], nothing, sim_value_of(k), 1);
    }
    if (ms <= 0) {
        sim_key_delete(c->server, k, c->now_ms);
        return;
    }
    k->expire_ms = c->now_ms + (uint64_t)ms;
    sim_key_touch(c->server, k, c->now_ms);
}

/* MSETEX numkeys key value ... NX|XX PX ms: all keys or none. Returns their number; 0: a syntax error. */
static int msetex_keys(const struct sim_call *c, int *is_nx)
{
    int64_t n;
    if (!sim_arg_int(c->argv[1], &n) || n < 1 || c->argc != 2 + 2 * n + 3)
        return 0;
    *is_nx = sim_arg_is(c->argv[2 + 2 * n], "NX");
    return (*is_nx || sim_arg_is(c->argv[2 + 2 * n], "XX")) && sim_arg_is(c->argv[3 + 2 * n], "PX") ? (int)n
                                                                                                    : 0;
}

/* The values of XX are those that the keys have, compared before EXEC: it extends locks. */
static void cmd_msetex(struct sim_call *c)
{
    struct sim_call noted = *c; /* with the value that it sets, in EXEC too */
    int64_t ms = 0;
    int is_nx = 0, n = msetex_keys(c, &is_nx);
    if (n == 0) {
        sim_out_error(c->out, "ERR syntax error");
        return;
    }
    if (!sim_arg_int(c->argv[c->argc - 1], &ms)) {
        sim_out_error(c->out, "ERR value is not an integer or out of range");
        return;
    }
    if (ms <= 0 || ms > INT64_MAX - (int64_t)c->now_ms) {
        bad_expire(c, "msetex");
        return;
    }
    noted.in_exec = 0;
    for (int i = 0; i < n; i++)
        if ((sim_key_at(c, 2 + 2 * i) == NULL) != is_nx) {
            sim_out_int(c->out, 0);
            if (is_nx)
                sim_note(&noted, SIM_SET_REFUSED, c->argv[2 + 2 * i], c->argv[3 + 2 * i], nothing, ms);
            return;
        }
    for (int i = 0; i < n; i++) {
        struct sim_arg key = c->argv[2 + 2 * i], value = c->argv[3 + 2 * i];
        struct sim_key *k = is_nx ? sim_key_create(c, key) : sim_key_at(c, 2 + 2 * i);
        if (!k)
            continue;
        if (is_nx)
            sim_note(&noted, SIM_SET_GRANTED, key, value, nothing, ms);
        else
            sim_note(&noted, ms < left_ms(k, c->now_ms) ? SIM_SHORTENED : SIM_EXPIRE_SET, key, value,
                     sim_value_of(k), ms);
        write_value(c, k, value, c->now_ms + (uint64_t)ms);
        noted.argc = 2;
        if (!is_nx)
            sim_note(&noted, SIM_SCRIPT_DONE, key, value, sim_value_of(k), 1);
        noted.argc = c->argc;
    }
    sim_out_int(c->out, 1);
}

const struct sim_entry sim_key_commands[] = {
    {"set", -3, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_KEYED, cmd_set},
    {"setnx", 3, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_KEYED, cmd_setnx},
    {"getset", 3, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_KEYED, cmd_getset},
    {"psetex", 4, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_KEYED, cmd_psetex},
    {"get", 2, SIM_KEYED, cmd_get},
    {"mget", -2, SIM_KEYED, cmd_mget},
    {"msetex", -4, SIM_WRITES | SIM_NEEDS_MEMORY | SIM_MSETEX, cmd_msetex},
    {"exists", -2, SIM_KEYED, cmd_exists},
    {"pttl", 2, SIM_KEYED, cmd_pttl},
    {"pexpire", 3, SIM_WRITES | SIM_KEYED, cmd_pexpire},
    {NULL, 0, 0, NULL},
};
