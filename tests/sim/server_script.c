/* SPDX-License-Identifier: MIT */
/* EVAL, EVALSHA and SCRIPT of the model server. */
#include "tests/sim/server.h"

#include <string.h>

enum { MEMO = 16 };

/* The tokens of a text do not depend on the caller, so each text is read once per process. */
static const struct sim_script *read_script(struct sim_arg text)
{
    static struct sim_script memo[MEMO];
    static unsigned used;
    for (unsigned i = 0; i < used && i < MEMO; i++)
        if (memo[i].len == text.len && memcmp(memo[i].text, text.data, text.len) == 0)
            return &memo[i];
    if (text.len > SIM_SCRIPT_MAX || used == MEMO)
        return NULL;
    struct sim_script *k = &memo[used];
    k->len = (uint16_t)text.len;
    memcpy(k->text, text.data, text.len);
    if (!sim_lua_read(k))
        return NULL;
    sim_sha1_hex(text.data, text.len, k->sha);
    used++;
    return k;
}

static const struct sim_script *by_sha(struct sim_server *s, struct sim_arg sha)
{
    for (int i = 0; i < s->scripts; i++)
        if (sha.len == 40 &&
            (memcmp(sha.data, s->script[i]->sha, 40) == 0 || sim_arg_is(sha, s->script[i]->sha)))
            return s->script[i];
    return NULL;
}

static const struct sim_script *load(struct sim_server *s, struct sim_arg text)
{
    const struct sim_script *k = read_script(text);
    for (int i = 0; i < s->scripts; i++)
        if (s->script[i] == k)
            return k;
    if (!k)
        return NULL;
    if (s->scripts == SIM_SCRIPTS) { /* a full script cache forgets the oldest */
        s->scripts--;
        for (int i = 0; i < s->scripts; i++)
            s->script[i] = s->script[i + 1];
    }
    s->script[s->scripts++] = k;
    return k;
}

/* argv: EVAL|EVALSHA, text or sha, number of keys, keys, arguments */
static int split(struct sim_call *c, int *nkeys)
{
    int64_t n;
    if (!sim_arg_int(c->argv[2], &n)) {
        sim_out_error(c->out, "ERR value is not an integer or out of range");
        return 0;
    }
    if (n > c->argc - 3) {
        sim_out_error(c->out, "ERR Number of keys can't be greater than number of args");
        return 0;
    }
    if (n < 0) {
        sim_out_error(c->out, "ERR Number of keys can't be negative");
        return 0;
    }
    *nkeys = (int)n;
    return 1;
}

static void run(struct sim_call *c, const struct sim_script *k, int nkeys)
{
    const struct sim_arg *keys = c->argv + 3;
    sim_lua_run(c, k, keys, nkeys, keys + nkeys, c->argc - 3 - nkeys);
}

static void cmd_eval(struct sim_call *c)
{
    int nkeys;
    if (!split(c, &nkeys))
        return;
    const struct sim_script *k = load(c->server, c->argv[1]);
    if (!k)
        sim_out_error(c->out, "ERR script too much for this model");
    else
        run(c, k, nkeys);
}

static void cmd_evalsha(struct sim_call *c)
{
    int nkeys;
    if (!split(c, &nkeys))
        return;
    const struct sim_script *k = by_sha(c->server, c->argv[1]);
    if (!k)
        sim_out_error(c->out, "NOSCRIPT No matching script.%s",
                      c->server->features->texts >= SIM_VALKEY8 ? "" : " Please use EVAL.");
    else
        run(c, k, nkeys);
}

static void cmd_script(struct sim_call *c)
{
    if (sim_arg_is(c->argv[1], "LOAD") && c->argc == 3) {
        const struct sim_script *k = load(c->server, c->argv[2]);
        if (!k)
            sim_out_error(c->out, "ERR script too much for this model");
        else
            sim_out_bulk(c->out, k->sha, 40);
    } else if (sim_arg_is(c->argv[1], "FLUSH")) {
        c->server->scripts = 0;
        sim_out_text(c->out, "+OK\r\n");
    } else if (sim_arg_is(c->argv[1], "EXISTS") && c->argc == 3) {
        sim_out_text(c->out, "*1\r\n");
        sim_out_int(c->out, by_sha(c->server, c->argv[2]) != NULL);
    } else {
        sim_out_error(c->out, "ERR unknown subcommand '%.*s'. Try SCRIPT HELP.", (int)c->argv[1].len,
                      (const char *)c->argv[1].data);
    }
}

const struct sim_entry sim_script_commands[] = {
    {"eval", -3, SIM_SCRIPTING, cmd_eval},
    {"evalsha", -3, SIM_SCRIPTING, cmd_evalsha},
    {"script", -2, SIM_SCRIPTING, cmd_script},
    {NULL, 0, 0, NULL},
};
