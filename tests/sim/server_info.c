/* SPDX-License-Identifier: MIT */
/*
 * INFO of the model server: real names in the real order. Long sections have only the lines that clients
 * read.
 */
#include "tests/sim/server.h"

static void field(struct sim_out *o, const char *head, const char *value)
{
    sim_out_text(o, head);
    sim_out_text(o, value);
}

static void number(struct sim_out *o, const char *head, uint64_t value)
{
    sim_out_text(o, head);
    sim_out_digits(o, value);
}

static void server_section(const struct sim_call *c, struct sim_out *o)
{
    const struct sim_server *s = c->server;
    /* The difference of two clocks in whole seconds, computed as a server does. */
    uint64_t up = c->now_ms < s->start_ms ? 0 : c->now_ms / 1000 - s->start_ms / 1000;
    field(o, "# Server\r\nredis_version:", s->features->version);
    field(o, "\r\nredis_git_sha1:00000000\r\nredis_git_dirty:0\r\nredis_build_id:0\r\nredis_mode:",
          s->features->is_cluster ? "cluster" : "standalone");
    field(o,
          "\r\nos:Linux\r\narch_bits:64\r\nmonotonic_clock:POSIX clock_gettime\r\n"
          "multiplexing_api:epoll\r\natomicvar_api:c11-builtin\r\ngcc_version:12.2.0\r\nprocess_id:1\r\n"
          "process_supervised:no",
          "");
    field(o, s->is_unnamed ? "" : "\r\nrun_id:", s->is_unnamed ? "" : s->run_id);
    number(o, "\r\ntcp_port:", s->port);
    number(o, "\r\nserver_time_usec:", c->now_ms * 1000);
    number(o, "\r\nuptime_in_seconds:", up);
    number(o, "\r\nuptime_in_days:", up / 86400);
    number(o, "\r\nhz:10\r\nconfigured_hz:10\r\nlru_clock:", c->now_ms / 1000 & 0xffffff);
    sim_out_text(o, "\r\nexecutable:/redis-server\r\nconfig_file:\r\nio_threads_active:0\r\n");
}

static void memory_section(const struct sim_call *c, struct sim_out *o)
{
    const char *policy = c->server->features->policy;
    field(o, "# Memory\r\nused_memory:939296\r\nused_memory_human:917.28K\r\nmaxmemory:",
          policy ? "67108864" : "0");
    field(o, "\r\nmaxmemory_human:", policy ? "64.00M" : "0B");
    field(o, "\r\nmaxmemory_policy:", policy ? policy : "noeviction");
    sim_out_text(o, "\r\nmem_allocator:jemalloc-5.3.0\r\n");
}

static void persistence_section(const struct sim_call *c, struct sim_out *o)
{
    number(o, "# Persistence\r\nloading:", c->server->loading);
    sim_out_text(o, "\r\nasync_loading:0\r\n");
}

static void replication_section(const struct sim_call *c, struct sim_out *o)
{
    int is_replica = c->server->readonly || c->server->is_replica;
    sim_out_text(o, is_replica
                        ? "# Replication\r\nrole:slave\r\nmaster_host:127.0.0.1\r\nmaster_port:6379\r\n"
                          "master_link_status:up\r\n"
                        : "# Replication\r\nrole:master\r\n");
    field(o, "connected_slaves:0\r\nmaster_failover_state:no-failover\r\nmaster_replid:", c->server->run_id);
    sim_out_text(o, "\r\nmaster_repl_offset:0\r\n");
}

static void cluster_section(const struct sim_call *c, struct sim_out *o)
{
    number(o, "# Cluster\r\ncluster_enabled:", c->server->features->is_cluster);
    sim_out_text(o, "\r\n");
}

/* In the order in which a server writes them, whatever the order of the request. */
static const struct section {
    const char *name;
    void (*write)(const struct sim_call *c, struct sim_out *o);
} sections[] = {{"server", server_section},
                {"memory", memory_section},
                {"persistence", persistence_section},
                {"replication", replication_section},
                {"cluster", cluster_section}};

static int is_wanted(const struct sim_call *c, const char *name)
{
    for (int i = 1; i < c->argc; i++)
        if (sim_arg_is(c->argv[i], name) || sim_arg_is(c->argv[i], "all") ||
            sim_arg_is(c->argv[i], "default") || sim_arg_is(c->argv[i], "everything"))
            return 1;
    return c->argc == 1;
}

void sim_info(struct sim_call *c)
{
    uint8_t text[SIM_REPLY_MAX];
    struct sim_out o = {text, sizeof text, 0};
    if (c->server->info_error) {
        sim_out_error(c->out, "%s", c->server->info_error);
        return;
    }
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (!is_wanted(c, sections[i].name))
            continue;
        if (o.len > 0)
            sim_out_text(&o, "\r\n");
        sections[i].write(c, &o);
    }
    sim_out_bulk(c->out, text, o.len);
}
