/* SPDX-License-Identifier: MIT */
/* client.c - one conn over the POSIX driver; see client.h. */
#define _GNU_SOURCE
#include "tests/live/client.h"

#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct rdl_posix client_posix;
struct rdl_net client_net;

void client_setup(void)
{
    rdl_posix_init(&client_posix, &client_net);
}

uint64_t client_now(void)
{
    return client_net.now_ms(client_net.ctx);
}

void client_init(struct client *k, const char *url)
{
    uint8_t entropy[RDL_TOKEN_LEN];
    char hex[RDL_VALUE_MAX + 1];
    size_t i;

    const char *why;

    memset(k, 0, sizeof *k);
    ck_assert_msg(rdl_url_parse(&k->endpoint, url, k->text, sizeof k->text, &why) == RDL_OK, "%s: %s", url,
                  why);
    k->cfg.endpoint = &k->endpoint;
    k->cfg.queue = k->queue;
    k->cfg.queue_len = sizeof k->queue;
    k->cfg.tx = k->tx;
    k->cfg.tx_len = sizeof k->tx;
    k->cfg.rx = k->rx;
    k->cfg.rx_len = sizeof k->rx;
    rdl_conn_init(&k->conn, &k->cfg);
    ck_assert_int_eq(client_net.random(client_net.ctx, entropy, sizeof entropy), RDL_OK);
    for (i = 0; i < sizeof entropy; i++)
        snprintf(hex + 2 * i, 3, "%02x", entropy[i]);
    memcpy(k->token, hex, sizeof k->token);
}

void client_pair(struct live_server *s, const char *const *args, struct client *a, struct client *b)
{
    char url[256];

    client_setup();
    s->args = args;
    live_start(s);
    live_url(s, LIVE_V4, url, sizeof url);
    client_init(a, url);
    client_init(b, url);
}

static int no_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 0, len);
    return RDL_E_RANDOM;
}

static int no_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms)
{
    (void)ctx;
    (void)conns;
    (void)n;
    (void)until_ms;
    return RDL_E_SYSTEM;
}

struct rdl_net client_net_without_random(void)
{
    struct rdl_net net = client_net;

    net.random = no_random;
    return net;
}

struct rdl_net client_net_without_poll(void)
{
    struct rdl_net net = client_net;

    net.poll = no_poll;
    return net;
}

void client_meet(struct client *k, struct fake_server *f, enum fake_trick trick, const char *text,
                 size_t after, int is_unix)
{
    char url[256];

    memset(f, 0, sizeof *f);
    f->trick = trick;
    f->text = text;
    f->after = after;
    f->is_unix = is_unix;
    fake_start(f);
    client_init(k, fake_url(f, url, sizeof url));
}

void client_submit(struct client *k, const struct rdl_op *op, const char *name)
{
    const struct rdl_command cmd = {
        .name = {name, strlen(name)},
        .value = {k->token, sizeof k->token},
        .until_ms = client_now() + 60000,
        .ttl_ms = 60000,
        .op = op,
    };

    ck_assert_int_eq(rdl_conn_submit(&k->conn, &k->req, &cmd), RDL_OK);
}

void client_step(struct client *k, uint64_t until_ms)
{
    struct rdl_conn *conns[] = {&k->conn};
    uint64_t wake_ms = rdl_conn_upkeep(&k->conn, client_now());

    if (wake_ms < until_ms)
        until_ms = wake_ms;
    ck_assert_int_eq(client_net.poll(client_net.ctx, conns, 1, until_ms), RDL_OK);
}

enum rdl_answer client_wait(struct client *k)
{
    uint64_t end_ms = client_now() + CLIENT_PATIENCE_MS;

    while (k->req.answer == RDL_ANSWER_NONE) {
        ck_assert_msg(client_now() < end_ms, "no answer");
        client_step(k, end_ms);
    }
    return (enum rdl_answer)k->req.answer;
}

enum rdl_answer client_ask(struct client *k, const struct rdl_op *op, const char *name)
{
    client_submit(k, op, name);
    return client_wait(k);
}

void client_wait_state(struct client *k, enum rdl_conn_state state)
{
    uint64_t end_ms = client_now() + CLIENT_PATIENCE_MS;

    do {
        ck_assert_msg(client_now() < end_ms, "state %d, not %d", k->conn.state, state);
        client_step(k, end_ms);
    } while (rdl_conn_state(&k->conn) != state);
}

void client_wait_hangup(const struct client *k)
{
    struct pollfd p = {rdl_posix_fd(&k->conn), POLLRDHUP, 0};

    ck_assert_int_eq(poll(&p, 1, CLIENT_PATIENCE_MS), 1);
}
