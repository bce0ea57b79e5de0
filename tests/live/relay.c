/* SPDX-License-Identifier: MIT */
/* relay.c - a line to a server that is not what it should be; see relay.h. */
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

static int dial(const char *from, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in own = {.sin_family = AF_INET};
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    own.sin_addr.s_addr = from != NULL ? inet_addr(from) : htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (const struct sockaddr *)(const void *)&own, sizeof own) != 0 ||
        connect(fd, (const struct sockaddr *)(const void *)&a, sizeof a) != 0)
        _exit(1);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* 0 when that side has hung up. */
static int pass_on(int from, int to)
{
    static char buf[65536]; /* all that came while it was late */
    ssize_t n = recv(from, buf, sizeof buf, 0);

    return n > 0 && send(to, buf, (size_t)n, MSG_NOSIGNAL) == n;
}

/* The same, with r->put in the place of r->find, once; in one piece, as it came. */
static int pass_on_spoilt(struct relay *r, int from, int to)
{
    char buf[8192];
    ssize_t n = recv(from, buf, sizeof buf / 2, 0);
    char *at = n > 0 && r->find != NULL ? memmem(buf, (size_t)n, r->find, strlen(r->find)) : NULL;

    if (at != NULL) {
        size_t found = strlen(r->find);
        size_t put = strlen(r->put);
        memmove(at + put, at + found, (size_t)(buf + n - at) - found);
        memcpy(at, r->put, put);
        n = n - (ssize_t)found + (ssize_t)put;
        r->find = NULL;
    }
    return n > 0 && send(to, buf, (size_t)n, MSG_NOSIGNAL) == n;
}

/* Does the client send what r->mute says? What it sent stays where it is: TCP has acknowledged it. */
static int goes_mute(struct relay *r, int client)
{
    char buf[4096];
    ssize_t n = r->mute != NULL ? recv(client, buf, sizeof buf, MSG_PEEK) : 0;

    if (n <= 0 || memmem(buf, (size_t)n, r->mute, strlen(r->mute)) == NULL)
        return 0;
    r->mute = NULL;
    return 1;
}

/*
 * What the server said before it hung up is passed on, whatever the client still sends. 1: it went mute, and
 * is left as it is.
 */
static int lead(struct relay *r, int client, int server, int delay_ms)
{
    const struct timespec delay = {delay_ms / 1000, delay_ms % 1000 * 1000000L};
    struct pollfd fds[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    int is_open = 1;

    while (is_open && poll(fds, 2, -1) > 0) {
        if (fds[1].revents != 0) {
            nanosleep(&delay, NULL);
            is_open = pass_on(server, client);
        }
        if (is_open && fds[0].revents != 0 && goes_mute(r, client))
            return 1;
        if (is_open && fds[0].revents != 0 && !pass_on_spoilt(r, client, server)) {
            shutdown(server, SHUT_WR);
            fds[0].fd = -1;
        }
    }
    return 0;
}

static void serve(struct relay *r, int listener, int port, int delay_ms)
{
    for (;;) {
        int client = accept(listener, NULL, NULL);
        int server = dial(r->from, port);
        if (lead(r, client, server, delay_ms))
            continue;
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
        serve(r, listener, port, delay_ms);
    close(listener);
}

void relay_stop(struct relay *r)
{
    kill(r->pid, SIGKILL);
    live_reap(r->pid);
}
