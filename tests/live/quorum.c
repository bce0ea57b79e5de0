/* SPDX-License-Identifier: MIT */
/* quorum.c - a lock on up to seven real servers; see quorum.h. */
#include "tests/live/quorum.h"

#include <check.h>
#include <string.h>

struct live_server quorum_live[RDL_SERVERS_MAX];
int quorum_n;

/* ---------------------------------------------------------------- the servers */

void quorum_start(int n)
{
    client_setup();
    quorum_n = n;
    quorum_hurt(0, n, live_start);
}

void quorum_stop(void)
{
    quorum_hurt(0, quorum_n, live_remove);
}

void quorum_hurt(int from, int n, void (*how)(struct live_server *s))
{
    int i;

    ck_assert_int_le(from + n, quorum_n);
    for (i = from; i < from + n; i++)
        how(&quorum_live[i]);
}

int quorum_keys(void)
{
    int n = 0;
    int i;

    for (i = 0; i < quorum_n; i++)
        n += quorum_live[i].pid > 0 && strcmp(live_command(&quorum_live[i], "EXISTS nightly"), ":1\r\n") == 0;
    return n;
}

/* ---------------------------------------------------------------- a handle */

void party_init(struct party *p)
{
    const struct rdl_redlock_options once = {
        .lease = {.ttl_ms = QUORUM_TTL, .attempt_ms = QUORUM_PATIENT_MS},
        .max_ttl_ms = QUORUM_MAX_TTL,
        .guard = RDL_GUARD_OFF,
    };
    static char url[256];
    int i;

    memset(p, 0, sizeof *p);
    p->opt = once;
    for (i = 0; i < quorum_n; i++) {
        client_init(&p->clients[i], live_url(&quorum_live[i], LIVE_V4, url, sizeof url));
        p->servers[i].conn = &p->clients[i].conn;
    }
    rdl_redlock_init(&p->lock, &p->opt, p->servers, (size_t)quorum_n, "nightly", 7);
}

void party_move(struct party *p, int i, const char *url)
{
    client_init(&p->clients[i], url);
    rdl_redlock_init(&p->lock, &p->opt, p->servers, (size_t)quorum_n, "nightly", 7);
}

void party_connect(struct party *p, int i)
{
    if (rdl_conn_state(&p->clients[i].conn) != RDL_CONN_READY)
        client_wait_state(&p->clients[i], RDL_CONN_READY);
}

void party_connect_all(struct party *p)
{
    int i;

    for (i = 0; i < quorum_n; i++)
        party_connect(p, i);
}

int party_acquire(struct party *p)
{
    return rdl_redlock_acquire(&p->lock, &client_net);
}

int party_extend(struct party *p, uint32_t ttl_ms)
{
    return rdl_redlock_extend(&p->lock, &client_net, ttl_ms);
}

int party_release(struct party *p)
{
    return rdl_redlock_release(&p->lock, &client_net);
}

uint32_t party_remaining(const struct party *p)
{
    return rdl_redlock_remaining_ms(&p->lock, client_now());
}

void party_hear(struct party *p, int i)
{
    uint64_t end_ms = client_now() + CLIENT_PATIENCE_MS;
    const struct rdl_server *s = &p->servers[i];

    rdl_redlock_step(&p->lock, client_now());
    while (s->vote == RDL_VOTE_PENDING ||
           (s->vote == RDL_VOTE_NONE && rdl_redlock_error(&p->lock, (size_t)i) == RDL_OK)) {
        ck_assert_msg(client_now() < end_ms, "server %d says nothing", i);
        client_step(&p->clients[i], client_now() + 1);
        rdl_redlock_step(&p->lock, client_now());
    }
}

void party_drain(struct party *p)
{
    ck_assert_int_eq(rdl_redlock_drain(&p->lock, &client_net, client_now() + CLIENT_PATIENCE_MS), RDL_OK);
}
