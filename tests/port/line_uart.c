/* SPDX-License-Identifier: MIT */
/* line_uart.c - the driver of lock/examples/firmware/ for check-line: its UART is a socket here. */
#define _GNU_SOURCE
#include "lock/examples/firmware/board.h"
#include "tests/port/port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int line = -1;

/* ---------------------------------------------------------------- the board */

extern const uint8_t serial[8];
const uint8_t serial[8] = {1};
const uint32_t ticks_per_ms = 1;
static uint32_t boots;

uint32_t tick(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint32_t)t.tv_sec * 1000 + (uint32_t)(t.tv_nsec / 1000000);
}

int uart_put(uint8_t byte)
{
    return send(line, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

int uart_get(uint8_t *byte)
{
    return recv(line, byte, 1, MSG_DONTWAIT) == 1;
}

uint32_t store_read(const char *name)
{
    (void)name;
    return boots;
}

void store_write(const char *name, uint32_t number)
{
    (void)name;
    boots = number;
}

void halt(int status)
{
    _exit(status);
}

/* ---------------------------------------------------------------- the driver under test */

static void connect_line(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    line = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(line, (const struct sockaddr *)(const void *)&address, sizeof address) != 0)
        _exit(2);
}

static int one_turn(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    uint8_t chunk[16];
    const struct rdl_stream stream = {&line_stream, NULL, chunk, sizeof chunk};
    struct pollfd p = {.events = POLLIN};

    (void)ctx;
    (void)n;
    (void)until_ms;
    (void)flags;
    if (line < 0)
        connect_line(conns[0]->cfg->endpoint->port);
    p.fd = line;
    poll(&p, 1, 1);
    rdl_stream_run(conns[0], &stream);
    return RDL_OK;
}

static uint64_t now_ms(void *ctx)
{
    (void)ctx;
    return clock_ms();
}

void port_driver(struct rdl_platform *platform)
{
    unique_start();
    platform->poll = one_turn;
    platform->now_ms = now_ms;
}
