/* SPDX-License-Identifier: MIT */
/* peer.c - a connection: its memory, and its driver, which moves bytes to and from the model server. */
#include "fuzz/api/peer.h"

#include "lock/lock.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- a connection's memory */

/* A copy in an allocation of exactly this size, with a NUL only if that is part of it. */
static char *copy(const char *text, size_t size)
{
    return memcpy(make(size), text, size);
}

/* Reads each byte that it gets. */
static void trace(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    unsigned *sum = ctx;

    must(c != NULL && len > 0 && (dir == '<' || dir == '>'));
    for (; data != NULL && len > 0; len--)
        *sum += data[len - 1];
}

void peer_make(struct peer *p, uint8_t a, uint8_t b)
{
    static const size_t room[] = {
        RDL_QUEUE_FOR(4, 128), RDL_QUEUE_FOR(1, 2),   RDL_QUEUE_FOR(2, 8) + 5, RDL_QUEUE_FOR_FENCED(1, 20),
        RDL_QUEUE_FOR(3, 128), RDL_QUEUE_FOR(1, 128), RDL_QUEUE_FOR(8, 20),    RDL_QUEUE_FOR(1, 1) - 8};
    static const uint32_t connect_ms[] = {0, 100, 2500, 7};
    static unsigned traced;

    p->conn = make(sizeof *p->conn);
    p->cfg = make(sizeof *p->cfg);
    p->endpoint = make(sizeof *p->endpoint);
    p->cfg->queue_len = room[b & 7];
    p->queue = make(p->cfg->queue_len);
    p->info = b & 32 && a & 1 ? NULL : make(sizeof *p->info);
    p->text = b & 64 ? NULL : make(RDL_TEXT_MAX);
    p->password = copy("secret", 6);
    p->name = copy("fuzz", 4);
    p->endpoint->db = world.db;
    p->endpoint->password.data = p->password;
    p->endpoint->password.len = world.has_password ? 6 : 0;
    p->endpoint->client_name.data = p->name;
    p->endpoint->client_name.len = b & 128 ? 4 : 0;
    p->cfg->endpoint = p->endpoint;
    p->cfg->methods = a & 2 ? &rdl_methods_script : &rdl_methods_all;
    if ((a & 12) == 12)
        p->cfg->methods = NULL;
    p->cfg->login = a & 16 ? NULL : &rdl_login;
    p->cfg->queue = p->queue;
    p->cfg->connect_ms = connect_ms[b >> 3 & 3];
    p->cfg->server_info = p->info;
    p->cfg->text = p->text;
    p->cfg->trace = a & 32 ? trace : NULL;
    p->cfg->trace_ctx = &traced;
    rdl_conn_init(p->conn, p->cfg);
}

void peer_free(struct peer *p)
{
    free(p->conn);
    free(p->cfg);
    free(p->endpoint);
    free(p->queue);
    free(p->info);
    free(p->text);
    free(p->password);
    free(p->name);
}

/* ---------------------------------------------------------------- a connection's driver */

int peer_is_waiting(const struct peer *p)
{
    return p->session.ticket != 0;
}

/* When its server ends that wait, by our clock. */
uint64_t peer_wakes(struct peer *p)
{
    uint64_t at = peer_is_waiting(p) ? sim_server_wakes(p->server, &p->session) : UINT64_MAX;

    return at == UINT64_MAX ? at : at <= server_ms(0) ? 0 : at - server_ms(0);
}

/* The transport has ended, or could not be opened. */
void peer_closed(struct peer *p, int error)
{
    if (p->is_up)
        sim_server_leave(p->server, &p->session);
    memset(&p->session, 0, sizeof p->session);
    p->up_len = p->down_len = 0;
    p->is_up = 0;
    rdl_conn_closed(p->conn, error);
}

int peer_opens(struct peer *p, int is_refused)
{
    if (!(rdl_conn_wants(p->conn) & RDL_WANT_OPEN))
        return 0;
    if (is_refused) {
        peer_closed(p, RDL_E_CONNECT);
        return 1;
    }
    p->is_up = 1;
    rdl_conn_opened(p->conn);
    return 1;
}

int peer_sends(struct peer *p, size_t cap, size_t most)
{
    uint8_t *chunk;
    size_t n;

    if (!(rdl_conn_wants(p->conn) & RDL_WANT_WRITE))
        return 0;
    chunk = make(cap);
    n = rdl_conn_tx(p->conn, chunk, cap);
    must(n <= cap);
    if (n > most)
        n = most;
    if (n > sizeof p->up - p->up_len)
        n = sizeof p->up - p->up_len;
    memcpy(p->up + p->up_len, chunk, n);
    p->up_len += n;
    rdl_conn_tx_done(p->conn, n);
    free(chunk);
    return n > 0;
}

/* The server executes what is in the first bytes that were sent. Replies that are not heard are lost. */
int peer_serves(struct peer *p, size_t most, int is_heard)
{
    uint8_t lost[2 * SIM_REPLY_MAX];
    struct sim_out out = {p->down + p->down_len, sizeof p->down - p->down_len, 0};
    struct sim_out none = {lost, sizeof lost, 0};
    size_t used;

    if (!p->is_up)
        return 0;
    used = sim_server_input(p->server, &p->session, p->up, most < p->up_len ? most : p->up_len,
                            server_ms(world.now), is_heard ? &out : &none);
    p->down_len += out.len;
    p->up_len -= used;
    memmove(p->up, p->up + used, p->up_len);
    return used > 0 || out.len > 0;
}

/* At most this many of the bytes that are on the way arrive, in pieces. */
int peer_receives(struct peer *p, size_t most, size_t piece)
{
    size_t done = 0;

    if (most > p->down_len)
        most = p->down_len;
    while (done < most && (rdl_conn_wants(p->conn) & RDL_WANT_READ)) {
        size_t n = most - done < piece ? most - done : piece;
        uint8_t *bytes = memcpy(make(n), p->down + done, n);

        rdl_conn_rx(p->conn, bytes, n);
        free(bytes);
        done += n;
    }
    p->down_len -= done;
    memmove(p->down, p->down + done, p->down_len);
    return done > 0;
}

static int drives_once(struct peer *p)
{
    unsigned wants = rdl_conn_wants(p->conn);
    int did;

    if (wants & RDL_WANT_CLOSE) {
        peer_closed(p, RDL_E_CLOSED);
        return 1;
    }
    if (peer_opens(p, p->is_down))
        return 1;
    did = peer_sends(p, 300, 300);
    if (!p->is_quiet)
        did |= peer_serves(p, sizeof p->up, 1);
    did |= peer_receives(p, sizeof p->down, 64);
    if (p->is_up && p->session.closing && p->down_len == 0) {
        peer_closed(p, RDL_E_CLOSED);
        did = 1;
    }
    return did;
}

int peer_drives(struct peer *p)
{
    int rounds = 0;

    while (rounds < 32 && drives_once(p))
        rounds++;
    return rounds > 0;
}

int world_drive_all(void)
{
    int did = 0;
    int i;

    for (i = 0; i < PEERS; i++)
        did |= peer_drives(&world.peer[i]);
    return did;
}

uint64_t world_tick_all(void)
{
    uint64_t next = UINT64_MAX;
    int i;

    for (i = 0; i < PEERS; i++) {
        uint64_t at = rdl_conn_tick(world.peer[i].conn, world.now);
        uint64_t woken = peer_wakes(&world.peer[i]);

        if (at < next)
            next = at;
        if (woken < next)
            next = woken;
    }
    return next;
}
