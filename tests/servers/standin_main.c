/* SPDX-License-Identifier: MIT */
/*
 * standin - the model server behind sockets, for a machine without redis-server. `make install-standin`
 * installs it as redlock-standin, with redlock-standin.1.
 *
 *     standin [PORT [PASSWORD]]     PORT 0, the default: the kernel chooses
 *
 * Listens on 127.0.0.1, prints the port as its first line and serves until it is killed. It keeps its
 * few keys in memory and knows only what a lock needs: for demonstrations and tests.
 */
#define _POSIX_C_SOURCE 200809L
#include "resp/resp.h"
#include "tests/sim/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 256, IN = SIM_COMMAND_MAX + 64, OUT = 4 * SIM_REPLY_MAX };

struct client {
    int fd;
    struct sim_session session;
    size_t in_len;
    struct sim_out out;
    uint8_t in[IN];
    uint8_t reply[OUT];
};

static struct client clients[CLIENTS];
static int n_clients;
static struct sim_server server;

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int listen_on(uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t len = sizeof a;
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&a, len) < 0 || listen(fd, 64) < 0 ||
        getsockname(fd, (struct sockaddr *)&a, &len) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
        perror("redlock-standin");
        exit(1);
    }
    server.port = ntohs(a.sin_port);
    return fd;
}

static void welcome(int listener)
{
    static const char full[] = "-ERR max number of clients reached\r\n";
    int on = 1;
    int fd = accept(listener, NULL, NULL);
    if (fd < 0)
        return;
    if (n_clients == CLIENTS) {
        ssize_t sent = write(fd, full, sizeof full - 1);
        (void)sent; /* it is closed whether the text arrived or not */
        close(fd);
        return;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct client *c = &clients[n_clients++];
    c->fd = fd;
    memset(&c->session, 0, sizeof c->session);
    c->in_len = 0;
    c->out = (struct sim_out){c->reply, sizeof c->reply, 0};
}

static int flush(struct client *c)
{
    if (c->out.len == 0)
        return 1;
    ssize_t n = write(c->fd, c->reply, c->out.len);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    c->out.len -= (size_t)n;
    memmove(c->reply, c->reply + n, c->out.len);
    return 1;
}

/* Read, run, write; 0 when the connection is over. */
static int serve(struct client *c, short events)
{
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        ssize_t n = read(c->fd, c->in + c->in_len, sizeof c->in - c->in_len);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return 0;
        if (n > 0)
            c->in_len += (size_t)n;
    }
    size_t used;
    do { /* a request that waited for output space continues once the replies are out */
        used = sim_server_input(&server, &c->session, c->in, c->in_len, now_ms(), &c->out);
        c->in_len -= used;
        memmove(c->in, c->in + used, c->in_len);
        if (!flush(c))
            return 0;
    } while (used > 0 && c->in_len > 0 && c->out.len == 0);
    return !c->session.closing || c->out.len > 0;
}

/* How long poll may wait, in ms: until the first client that waits in BLPOP is due. */
static int poll_timeout_ms(void)
{
    uint64_t now = now_ms(), least = UINT64_MAX;
    for (int i = 0; i < n_clients; i++) {
        uint64_t wakes = sim_server_wakes(&server, &clients[i].session);
        if (clients[i].session.ticket != 0 && wakes < least)
            least = wakes;
    }
    if (least == UINT64_MAX)
        return -1;
    return least <= now ? 0 : least - now < 60000 ? (int)(least - now) : 60000;
}

static int is_due(const struct client *c)
{
    return c->session.ticket != 0 && sim_server_wakes(&server, &c->session) <= now_ms();
}

static void serve_all(int listener)
{
    static struct pollfd p[CLIENTS + 1];
    p[0] = (struct pollfd){listener, POLLIN, 0};
    for (int i = 0; i < n_clients; i++) {
        short want = clients[i].in_len < sizeof clients[i].in ? POLLIN : 0;
        p[i + 1] = (struct pollfd){clients[i].fd, clients[i].out.len > 0 ? want | POLLOUT : want, 0};
    }
    int polled = n_clients;
    if (poll(p, (nfds_t)polled + 1, poll_timeout_ms()) < 0)
        return;
    for (int i = polled - 1; i >= 0; i--) {
        if ((p[i + 1].revents == 0 && !is_due(&clients[i])) || serve(&clients[i], p[i + 1].revents))
            continue;
        close(clients[i].fd);
        sim_server_leave(&server, &clients[i].session);
        clients[i] = clients[--n_clients];
        clients[i].out.buf = clients[i].reply;
    }
    if (p[0].revents)
        welcome(listener);
}

static const char usage[] = "usage: redlock-standin [PORT [PASSWORD]]\n";
static const char help[] =
    "\n"
    "A server for tests of programs that take locks with libredlock or redlock. It listens on\n"
    "127.0.0.1, prints its port and serves until it is killed. It behaves as Redis 7.0 does, but\n"
    "knows only the commands that a lock needs, and forgets everything when it ends.\n"
    "\n"
    "  PORT      the port; 0, the default: the system chooses a free one\n"
    "  PASSWORD  clients must give it; by default there is none\n"
    "\n"
    "For example:\n"
    "  redlock-standin 6400 &\n"
    "  redlock run --url redis://127.0.0.1:6400 --restart-guard off nightly -- echo works\n"
    "\n"
    "It is not for production: use Redis or Valkey there. More: man redlock-standin\n";

/* Reads a port: digits only. -1: it is none. */
static long read_port(const char *text)
{
    char *end;
    long port = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && port <= 65535 ? port : -1;
}

int main(int argc, char **argv)
{
    static struct sim_features features = {.version = "7.0.15"};
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return printf("%s%s", usage, help) < 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts("redlock-standin " RDL_VERSION) < 0;
    long port = argc > 1 ? read_port(argv[1]) : 0;
    if (argc > 3 || port < 0) {
        fprintf(stderr, "%s", usage);
        return 64;
    }
    if (argc > 2)
        features.password = argv[2];
    signal(SIGPIPE, SIG_IGN);
    uint64_t now = now_ms();
    sim_server_start(&server, &features, now ^ (uint64_t)getpid() << 32, now);
    int listener = listen_on((uint16_t)port);
    printf("%u\n", server.port);
    fflush(stdout);
    for (;;)
        serve_all(listener);
}
