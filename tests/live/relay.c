/* SPDX-License-Identifier: MIT */
/* relay.c - a long line to a server; see relay.h. */
#define _GNU_SOURCE
#include "tests/live/relay.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/servers.h"

static int dial(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (const struct sockaddr *)(const void *)&a, sizeof a) != 0)
        _exit(1);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* 0 when that side has hung up. */
static int pass_on(int from, int to)
{
    char buf[4096];
    ssize_t n = recv(from, buf, sizeof buf, 0);

    return n > 0 && send(to, buf, (size_t)n, MSG_NOSIGNAL) == n;
}

static void lead(int client, int server, int delay_ms)
{
    const struct timespec delay = {0, delay_ms * 1000000L};
    struct pollfd fds[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    int is_open = 1;

    while (is_open && poll(fds, 2, -1) > 0) {
        if (fds[0].revents != 0)
            is_open = pass_on(client, server);
        if (is_open && fds[1].revents != 0) {
            nanosleep(&delay, NULL);
            is_open = pass_on(server, client);
        }
    }
}

static void serve(int listener, int port, int delay_ms)
{
    for (;;) {
        int client = accept(listener, NULL, NULL);
        int server = dial(port);
        lead(client, server, delay_ms);
        close(client);
        close(server);
    }
}

void relay_start(struct relay *r, int port, int delay_ms)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof a;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(bind(listener, (const struct sockaddr *)(const void *)&a, len), 0);
    ck_assert_int_eq(listen(listener, 8), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)(void *)&a, &len), 0);
    r->port = ntohs(a.sin_port);
    r->pid = live_fork();
    if (r->pid == 0)
        serve(listener, port, delay_ms);
    close(listener);
}

void relay_stop(struct relay *r)
{
    kill(r->pid, SIGKILL);
    live_reap(r->pid);
}
