/* SPDX-License-Identifier: MIT */
/* lwip_driver.c - the stream over lwIP (lock/examples/loops/lwip.c) for check-port. */
#define _POSIX_C_SOURCE 200809L
#include "lock/examples/loops/lwip.h"
#include "tests/port/port.h"
#include "tests/port/slirp.h"

#include <string.h>

/* To the board 127.0.0.1 is the board itself. */
static void lead_to_this_machine(const struct rdl_conn *conn)
{
    static const uint8_t here[] = {10, 0, 2, 2};
    struct rdl_endpoint *to = (struct rdl_endpoint *)conn->cfg->endpoint;

    memcpy(to->ip, here, sizeof here);
}

/* The conns of check-port have no stream_ctx. */
static struct lwip_link *link_of(const struct rdl_conn *conn)
{
    static struct {
        const struct rdl_conn *conn;
        struct lwip_link link;
    } links[8];
    size_t i = 0;

    while (links[i].conn != NULL && links[i].conn != conn)
        i++;
    links[i].conn = conn;
    return &links[i].link;
}

static int poll_all(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    uint64_t now_ms = rdl_posix_now_ms();
    uint64_t wait_ms = until_ms > now_ms ? until_ms - now_ms : 0;

    (void)ctx;
    (void)flags;
    for (size_t i = 0; i < n; i++) {
        uint8_t chunk[256];
        const struct rdl_stream stream = {&lwip_stream, link_of(conns[i]), chunk, sizeof chunk};

        lead_to_this_machine(conns[i]);
        if (rdl_stream_run(conns[i], &stream))
            wait_ms = 0;
    }
    board_turn(wait_ms < 1000 ? (uint32_t)wait_ms : 1000);
    return RDL_OK;
}

static uint64_t now_ms(void *ctx)
{
    (void)ctx;
    return rdl_posix_now_ms();
}

static int fill(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    return rdl_posix_random(buf, len);
}

void port_driver(struct rdl_platform *platform)
{
    board_begin();
    platform->poll = poll_all;
    platform->now_ms = now_ms;
    platform->random = fill;
    platform->ctx = NULL;
}
