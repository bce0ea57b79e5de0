/* SPDX-License-Identifier: MIT */
/*
 * performance.c - a lock acquired and released on one and on five servers, plain and fenced: for callgrind.
 *
 * There is no socket and no clock. The servers are scripted and reply at once, but each poll reads only as
 * many of them as the caller needs. Only the instructions of CYCLES are counted; some cycles before warm up.
 */
#include "lock/lock_fenced.h"
#include "redlock/redlock.h"

#include <stdio.h>
#include <string.h>

#if defined __has_include /* the linters read this file also where valgrind is not installed */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(text)
#endif

enum { SERVERS = 5, CYCLES = 100, WARM = 10, CHUNK = 1024, NOW_MS = 1000000 };

static const char name[] = "lock:orders:0017"; /* 16 bytes */

/* ---------------------------------------------------------------- servers */

struct server {
    struct rdl_conn conn;
    struct rdl_conn_config config;
    struct rdl_server_info info;
    uint64_t queue[RDL_QUEUE_FOR(2, sizeof name - 1) / 8];
    struct rdl_bytes replies[2]; /* that were not read yet */
    char run[128];
};

static struct server servers[SERVERS];
static struct rdl_endpoint endpoint;
static struct rdl_bytes reply; /* to each request of the operation */

/* Each server is another run. */
static struct rdl_bytes info_of(struct server *s)
{
    int len = snprintf(s->run, sizeof s->run,
                       "$73\r\nrun_id:%x123456789012345678901234567890123456789\r\nuptime_in_seconds:4000\r\n"
                       "\r\n$0\r\n\r\n$0\r\n\r\n",
                       (unsigned)(s - servers));
    struct rdl_bytes info = {s->run, (size_t)len};

    return info;
}

static void send_all(struct server *s)
{
    uint8_t chunk[CHUNK];
    int is_login = rdl_conn_state(&s->conn) == RDL_CONN_HANDSHAKE;

    rdl_conn_tx_done(&s->conn, rdl_conn_tx(&s->conn, chunk, sizeof chunk));
    s->replies[s->replies[0].len > 0] = is_login ? info_of(s) : reply;
}

static size_t read_all(struct server *s)
{
    size_t n = 0;

    for (; n < 2 && s->replies[n].len > 0; n++) {
        struct rdl_bytes bytes = s->replies[n];
        s->replies[n].len = 0;
        rdl_conn_rx(&s->conn, bytes.data, bytes.len);
    }
    return n > 0;
}

static int poll_servers(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    size_t did = 0;
    size_t i;

    (void)ctx;
    (void)flags;
    for (i = 0; i < n; i++) {
        if (rdl_conn_wants(conns[i]) & RDL_WANT_OPEN)
            rdl_conn_opened(conns[i]);
        if (rdl_conn_wants(conns[i]) & RDL_WANT_WRITE)
            send_all((struct server *)conns[i]); /* the conn is its first member */
    }
    for (i = 0; i < n; i++) /* all replies have arrived */
        did += read_all((struct server *)conns[i]);
    return did > 0 || until_ms == 0 ? RDL_OK : RDL_E_SYSTEM; /* it would wait for ever */
}

static uint64_t now_ms(void *ctx)
{
    (void)ctx;
    return NOW_MS;
}

static int same_bytes(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 7, len);
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_servers, now_ms, same_bytes, NULL};

/* ---------------------------------------------------------------- rows */

static struct rdl_lock plain;
static struct rdl_lock_fenced fenced;
static struct rdl_redlock redlock, redlock_fenced;
static struct rdl_server votes[SERVERS], votes_fenced[SERVERS];

#define REPLY(text)                                                                                          \
    {                                                                                                        \
        text, sizeof(text) - 1                                                                               \
    }
static const struct rdl_bytes deleted = REPLY(":1\r\n");

static int cycle_lock(struct rdl_lock *l, struct rdl_bytes grant)
{
    int rc;

    reply = grant;
    rc = rdl_lock_acquire(l, &platform);
    reply = deleted;
    return rc == RDL_OK ? rdl_lock_release(l, &platform) : rc;
}

static int cycle_redlock(struct rdl_redlock *r, struct rdl_bytes grant)
{
    int rc;

    reply = grant;
    rc = rdl_redlock_acquire(r, &platform);
    reply = deleted;
    return rc == RDL_OK ? rdl_redlock_release(r, &platform) : rc;
}

static int cycle(int row)
{
    static const struct rdl_bytes set = REPLY("+OK\r\n:30000\r\n"), script = REPLY("*2\r\n:1\r\n:123456\r\n");

    switch (row) {
    case 0:
        return cycle_lock(&plain, set);
    case 1:
        return cycle_lock(&fenced.lock, script);
    case 2:
        return cycle_redlock(&redlock, set);
    default:
        return cycle_redlock(&redlock_fenced, script);
    }
}

static void set_up(void)
{
    static const struct rdl_lock_options one = {.ttl_ms = 30000, .wait_ms = 5000, .retry_ms = 50};
    static const struct rdl_redlock_options five = {
        .lease = {.ttl_ms = 30000, .wait_ms = 5000, .retry_ms = 50},
        .max_ttl_ms = 30000,
        .guard = RDL_GUARD_OFF};
    static struct rdl_redlock_options five_fenced;
    size_t i;

    for (i = 0; i < SERVERS; i++) {
        struct server *s = &servers[i];
        s->config.endpoint = &endpoint;
        s->config.methods = &rdl_methods_script;
        s->config.queue = s->queue;
        s->config.queue_len = sizeof s->queue;
        s->config.server_info = &s->info;
        rdl_conn_init(&s->conn, &s->config);
        votes[i].conn = votes_fenced[i].conn = &s->conn;
    }
    five_fenced = five;
    five_fenced.fencing = &rdl_fencing;
    rdl_lock_init(&plain, &one, &servers[0].conn, name, sizeof name - 1);
    rdl_lock_init_fenced(&fenced, &one, &servers[0].conn, name, sizeof name - 1);
    rdl_redlock_init(&redlock, &five, votes, SERVERS, name, sizeof name - 1);
    rdl_redlock_init(&redlock_fenced, &five_fenced, votes_fenced, SERVERS, name, sizeof name - 1);
}

int main(void)
{
    static const char *const rows[] = {"lock", "lock-fenced", "redlock", "redlock-fenced"};
    int rc = RDL_OK;
    int row;
    int i;

    set_up();
    for (row = 0; row < 4 && rc == RDL_OK; row++) {
        for (i = 0; i < WARM && rc == RDL_OK; i++)
            rc = cycle(row);
        CALLGRIND_TOGGLE_COLLECT;
        for (i = 0; i < CYCLES && rc == RDL_OK; i++)
            rc = cycle(row);
        CALLGRIND_TOGGLE_COLLECT;
        CALLGRIND_DUMP_STATS_AT(rows[row]);
        printf("%s %d: %s\n", rows[row], CYCLES, rdl_strerror(rc));
    }
    return rc != RDL_OK;
}
