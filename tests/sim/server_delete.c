/* SPDX-License-Identifier: MIT */
/* The model server's methods of deleting keys. */
#include "tests/sim/server.h"

static const struct sim_arg nothing = {NULL, 0};

static void cmd_del(struct sim_call *c)
{
    int n = 0;
    for (int i = 1; i < c->argc; i++) {
        struct sim_key *k = sim_key_at(c, i);
        if (!k)
            continue;
        sim_note(c, SIM_DELETED, c->argv[i], nothing, sim_value_of(k), -2);
        sim_key_delete(c->server, k, c->now_ms);
        n++;
    }
    sim_out_int(c->out, n);
}

/* DELEX key IFEQ value, DELIFEQ key value */
static void delete_if(struct sim_call *c, struct sim_arg value, const char *wrong_type)
{
    struct sim_key *k = sim_key_at(c, 1);
    int is_ours = sim_key_is(k, value);
    if (k && k->is_list) {
        sim_out_error(c->out, "%s", wrong_type);
        return;
    }
    sim_out_int(c->out, is_ours);
    if (!is_ours)
        return;
    sim_note(c, SIM_DELETED, c->argv[1], value, sim_value_of(k), -2);
    sim_key_delete(c->server, k, c->now_ms);
}

static void cmd_delex(struct sim_call *c)
{
    if (c->argc != 4)
        sim_out_error(c->out, "ERR wrong number of arguments for 'delex' command");
    else if (!sim_arg_is(c->argv[2], "IFEQ"))
        sim_out_error(c->out, "ERR syntax error");
    else
        delete_if(c, c->argv[3], "ERR Key should be of string type if conditions are specified");
}

static void cmd_delifeq(struct sim_call *c)
{
    delete_if(c, c->argv[2], "WRONGTYPE Operation against a key holding the wrong kind of value");
}

static void cmd_flushall(struct sim_call *c)
{
    sim_server_flush(c->server);
    sim_out_text(c->out, "+OK\r\n");
}

const struct sim_entry sim_delete_commands[] = {
    {"del", -2, SIM_WRITES | SIM_KEYED, cmd_del},
    {"delex", -2, SIM_WRITES | SIM_DELEX | SIM_KEYED, cmd_delex},
    {"delifeq", 3, SIM_WRITES | SIM_DELIFEQ | SIM_KEYED, cmd_delifeq},
    {"flushall", -1, SIM_WRITES, cmd_flushall},
    {NULL, 0, 0, NULL},
};
