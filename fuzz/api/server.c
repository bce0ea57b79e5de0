/* SPDX-License-Identifier: MIT */
/* server.c - what happens to a server, and what arrives from it although it did not send it. */
#include "fuzz/api/peer.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- what a server sends */

/* Bytes that the server did not send. */
void server_forge(struct peer *p, const void *bytes, size_t len)
{
    if (!p->is_up || len > sizeof p->down - p->down_len)
        return;
    memcpy(p->down + p->down_len, bytes, len);
    p->down_len += len;
}

void server_word(struct peer *p, uint8_t which)
{
    static const char *const words[] = {
        "+OK\r\n",
        "$-1\r\n",
        "*-1\r\n",
        ":0\r\n",
        ":1\r\n",
        ":-1\r\n",
        ":-2\r\n",
        "+QUEUED\r\n",
        "*1\r\n:1\r\n",
        "*2\r\n:1\r\n:7\r\n",
        "*0\r\n",
        ":10000\r\n",
        "*2\r\n:0\r\n:500\r\n",
        "$3\r\nabc\r\n",
        "$10\r\n1700000000\r\n",
        "_\r\n",
        "#t\r\n",
        "$0\r\n\r\n",
        "+PONG\r\n",
        ":9223372036854775807\r\n",
        "*1\r\n:0\r\n",
        "*2\r\n$10\r\n1700000000\r\n$6\r\n123456\r\n",
        "*2\r\n:1\r\n:9007199254740991\r\n",
        "HTTP/1.1 503 \r\n",
        "$28\r\nrole:slave\r\nuptime_in_seco\r\n\r\n",
        "$57\r\nrun_id:0123456789abcdef0123456789abcdef01234567\r\nother:1\r\n\r\n",
    };
    const char *word = words[which % (sizeof words / sizeof words[0])];

    world_lies();
    server_forge(p, word, strlen(word));
}

/* The server refuses the next command: it does not execute it. A transaction is then aborted. */
void server_refuse(struct peer *p, uint8_t which)
{
    static const char *const errors[] = {
        "-NOSCRIPT No matching script. Please use EVAL.\r\n",
        "-ERR unknown command 'X', with args beginning with: \r\n",
        "-NOPERM this user has no permissions to run the 'x' command or its subcommand\r\n",
        "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n",
        "-READONLY You can't write against a read only replica.\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n",
        "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        "-MISCONF Redis is configured to save RDB snapshots, but it cannot persist on disk.\r\n",
        "-MOVED 3999 127.0.0.1:6381\r\n",
        "-CLUSTERDOWN Hash slot not served\r\n",
        "-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
        "-NOAUTH Authentication required.\r\n",
        "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
        "-ERR syntax error\r\n",
        "-ERR something else entirely\r\n",
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
        "-NOREPLICAS Not enough good replicas to write.\r\n",
        "-EXECABORT Transaction discarded because of previous errors.\r\n",
        "-ERR max number of clients reached\r\n",
        "-ERR This instance has cluster support disabled\r\n",
        "-CROSSSLOT Keys in request don't hash to the same slot\r\n",
        "-ERR INFO is not supported\r\n",
        "-ERR DB index is out of range\r\n",
        "-ERR value is not an integer or out of range\r\n",
    };
    const char *error = errors[which % (sizeof errors / sizeof errors[0])];
    struct sim_arg argv[SIM_ARGS];
    const char *why;
    int argc;
    long used = sim_request_parse(p->up, p->up_len, argv, &argc, &why);

    if (used <= 0 || peer_is_waiting(p))
        return;
    if (p->session.in_multi)
        p->session.is_spoilt = 1;
    p->up_len -= (size_t)used;
    memmove(p->up, p->up + used, p->up_len);
    server_forge(p, error, strlen(error));
}

/* ---------------------------------------------------------------- what happens to a server */

void server_condition(struct sim_server *s, uint8_t which)
{
    uint8_t *const conditions[] = {&s->readonly, &s->loading, &s->oom, &s->busy, &s->misconf, &s->is_unnamed};
    static const char *const infos[] = {NULL, "ERR unknown command 'INFO'", "ERR INFO is not here",
                                        "NOPERM this user has no permissions to run the 'info' command"};
    size_t n = sizeof conditions / sizeof conditions[0];

    if (which % (n + 1) == n)
        s->info_error = infos[which / (n + 1) % 4];
    else
        *conditions[which % (n + 1)] ^= 1;
}

void server_be_well(struct peer *p)
{
    struct sim_server *s = p->server;

    s->readonly = s->loading = s->oom = s->busy = s->misconf = 0;
    s->info_error = NULL;
    p->is_down = p->is_quiet = 0;
}

void server_restart(struct sim_server *s, uint8_t how)
{
    int i;

    if (how % 4 != 0) /* it loses data, or seems to */
        world_lies();
    if (how % 4 == 2) {
        sim_server_flush(s);
        return;
    }
    if (how % 4 == 3) {
        sim_server_evict(s);
        return;
    }
    for (i = 0; i < PEERS; i++)
        if (world.peer[i].server == s && world.peer[i].is_up)
            peer_closed(&world.peer[i], RDL_E_CLOSED);
    sim_server_restart(s, ++world.entropies, server_ms(world.now), how % 4 == 0);
}

/*
 * Another client's command, over a connection of its own. A lock's keys are then not what our clients made
 * them, unless it keeps the rules. Legacy locks are not judged by their keys.
 */
void server_other(struct sim_server *s, struct record r)
{
    static const char *const keys[] = {"a",         "b",         "job{1}",     "x}y",
                                       "A",         "B",         "JOB{1}",     "{a}:fence",
                                       "{b}:fence", "{1}:fence", "{a}:wake",   "job{1}:fence",
                                       "x}y:fence", "{A}:wake",  "rdl:canary", "X}y"};
    static const struct {
        const char *name, *more;
        uint8_t has_time; /* a Unix time goes before the rest */
    } commands[] = {{"SET", " other NX PX 5000", 0},
                    {"SCRIPT FLUSH", "", 0},
                    {"DEL", "", 0},
                    {"SET", " other", 0},
                    {"SET", " other PX 300", 0},
                    {"GETSET", ".123456789", 1},
                    {"SETNX", "", 1},
                    {"SETNX", ".000000001", 1},
                    {"PEXPIRE", " 40", 0},
                    {"RPUSH", " x", 0},
                    {"SET", " 9007199254740990", 0}};
    struct sim_session session = {.is_authed = 1};
    uint8_t reply[2 * SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};
    const char *key = keys[r.b & 15];
    unsigned which = r.a % (sizeof commands / sizeof commands[0]);
    unsigned long long at_s = server_ms(world.now) / 1000 + (r.b >> 4);
    char line[128];
    int n = snprintf(line, sizeof line, "%s %s", commands[which].name, which == 1 ? "" : key);

    if (commands[which].has_time)
        n += snprintf(line + n, sizeof line - (size_t)n, " %llu", at_s - 7);
    n += snprintf(line + n, sizeof line - (size_t)n, "%s\r\n", commands[which].more);

    session.db = (uint8_t)world.db;
    if (which > 1 && (key[0] < 'A' || key[0] > 'Z'))
        world_lies();
    (void)sim_server_input(s, &session, (const uint8_t *)line, (size_t)n, server_ms(world.now), &out);
}
