/* SPDX-License-Identifier: MIT */
/* floor.c - the least possible work; see floor.h. */
#define _GNU_SOURCE
#include "tests/bench/floor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int floor_open(struct floor *f, const int *ports, int n)
{
    const int on = 1;

    memset(f->token, '0', sizeof f->token);
    f->n = n;
    for (int i = 0; i < n; i++) {
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)ports[i])};
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (fd < 0 || connect(fd, (const struct sockaddr *)(const void *)&a, sizeof a) != 0)
            return -1;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        f->fds[i].fd = fd;
        f->fds[i].events = POLLIN;
        f->pending[i] = 0;
    }
    return 0;
}

void floor_close(struct floor *f)
{
    for (int i = 0; i < f->n; i++)
        close(f->fds[i].fd);
}

/* A token that was not used before: one up, in hex. */
static void next_token(struct floor *f)
{
    int i = FLOOR_TOKEN;

    while (--i >= 0) {
        f->token[i] = f->token[i] == '9' ? 'a' : f->token[i] == 'f' ? '0' : (char)(f->token[i] + 1);
        if (f->token[i] != '0')
            break;
    }
}

/* The number of servers that have answered all requests. */
static int take(struct floor *f)
{
    char buf[256];
    int answered = 0;

    for (int i = 0; i < f->n; i++) {
        if (f->fds[i].revents != 0) {
            ssize_t n = recv(f->fds[i].fd, buf, sizeof buf, f->n > 1 ? MSG_DONTWAIT : 0);
            if (n <= 0)
                return -1;
            for (const char *at = buf; (at = memchr(at, '\n', (size_t)(buf + n - at))) != NULL; at++)
                f->pending[i]--;
        }
        answered += f->pending[i] == 0;
    }
    return answered;
}

static int ask(struct floor *f, struct floor_text *t)
{
    int answered = 0;

    memcpy(t->bytes + t->token_at, f->token, sizeof f->token);
    for (int i = 0; i < f->n; i++) {
        if (send(f->fds[i].fd, t->bytes, t->len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)t->len)
            return -1;
        f->pending[i] += t->lines;
    }
    f->fds[0].revents = POLLIN; /* one server: recv waits */
    while (answered >= 0 && answered <= f->n / 2) {
        if (f->n > 1 && poll(f->fds, (nfds_t)f->n, 1000) <= 0)
            return -1;
        answered = take(f);
    }
    return answered < 0 ? -1 : 0;
}

int floor_cycle(struct floor *f)
{
    next_token(f);
    if (ask(f, &f->acquire) != 0)
        return -1;
    return ask(f, &f->release);
}
