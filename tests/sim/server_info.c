/* SPDX-License-Identifier: MIT */
/* INFO of the model server: real names in the real order; of long sections the lines somebody reads. */
#include "tests/sim/server.h"

#include <stdio.h>
#include <string.h>

enum { SECTION_MAX = 768 };

static size_t server_section(const struct sim_call *c, char *to)
{
    const struct sim_server *s = c->server;
    /* The difference of two clocks cut to seconds, as the server has it. */
    unsigned long long up = c->now_ms < s->start_ms ? 0 : c->now_ms / 1000 - s->start_ms / 1000;
    return (size_t)snprintf(
        to, SECTION_MAX,
        "# Server\r\nredis_version:%s\r\nredis_git_sha1:00000000\r\nredis_git_dirty:0\r\n"
        "redis_build_id:0\r\nredis_mode:%s\r\nos:Linux\r\narch_bits:64\r\n"
        "monotonic_clock:POSIX clock_gettime\r\nmultiplexing_api:epoll\r\natomicvar_api:c11-builtin\r\n"
        "gcc_version:12.2.0\r\nprocess_id:1\r\nprocess_supervised:no\r\nrun_id:%s\r\ntcp_port:%u\r\n"
        "server_time_usec:%llu\r\nuptime_in_seconds:%llu\r\nuptime_in_days:%llu\r\nhz:10\r\n"
        "configured_hz:10\r\nlru_clock:%llu\r\nexecutable:/redis-server\r\nconfig_file:\r\n"
        "io_threads_active:0\r\n",
        s->features->version, s->features->is_cluster ? "cluster" : "standalone", s->run_id, s->port,
        (unsigned long long)c->now_ms * 1000, up, up / 86400,
        (unsigned long long)c->now_ms / 1000 & 0xffffff);
}

static size_t memory_section(const struct sim_call *c, char *to)
{
    const char *policy = c->server->features->policy;
    return (size_t)snprintf(to, SECTION_MAX,
                            "# Memory\r\nused_memory:939296\r\nused_memory_human:917.28K\r\nmaxmemory:%s\r\n"
                            "maxmemory_human:%s\r\nmaxmemory_policy:%s\r\nmem_allocator:jemalloc-5.3.0\r\n",
                            policy ? "67108864" : "0", policy ? "64.00M" : "0B",
                            policy ? policy : "noeviction");
}

static size_t persistence_section(const struct sim_call *c, char *to)
{
    return (size_t)snprintf(to, SECTION_MAX, "# Persistence\r\nloading:%d\r\nasync_loading:0\r\n",
                            c->server->loading);
}

static size_t replication_section(const struct sim_call *c, char *to)
{
    const char *role = c->server->readonly || c->server->is_replica
                           ? "role:slave\r\nmaster_host:127.0.0.1\r\nmaster_port:6379\r\n"
                             "master_link_status:up\r\n"
                           : "role:master\r\n";
    return (size_t)snprintf(to, SECTION_MAX,
                            "# Replication\r\n%sconnected_slaves:0\r\nmaster_failover_state:no-failover\r\n"
                            "master_replid:%s\r\nmaster_repl_offset:0\r\n",
                            role, c->server->run_id);
}

static size_t cluster_section(const struct sim_call *c, char *to)
{
    return (size_t)snprintf(to, SECTION_MAX, "# Cluster\r\ncluster_enabled:%d\r\n",
                            c->server->features->is_cluster);
}

/* In the order in which a server writes them, whatever the order of asking. */
static const struct section {
    const char *name;
    size_t (*write)(const struct sim_call *c, char *to);
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
    char text[SIM_REPLY_MAX];
    size_t len = 0;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (!is_wanted(c, sections[i].name))
            continue;
        if (len > 0) {
            memcpy(text + len, "\r\n", 2);
            len += 2;
        }
        len += sections[i].write(c, text + len);
    }
    sim_out_bulk(c->out, text, len);
}
