/* SPDX-License-Identifier: MIT */
/*
 * small_chunks.c - your own stream, which moves 16 bytes at a time.
 *
 *     make && build/examples/lock/small_chunks redis://127.0.0.1:6379
 *
 * prints:
 *
 *     acquire: done
 *     release: done, in chunks of 16 bytes; 472 bytes for the connection
 *
 * It works as on a board with a serial line, without a buffer for a command. Here a socket is used in place
 * of the line. The stream is the example of net/PORTING.md.
 */
/* ---------------------------------------------------------------- the stream */
#define _POSIX_C_SOURCE 200809L
#include "net/net_stream.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Not 0, 1 or 2: if the program was started without them, printf would write to the server. */
static int line_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (fd >= 0)
        close(fd);
    return copy;
}

static int line_open(void *ctx, struct rdl_conn *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(c->cfg->endpoint->port)};

    (void)ctx;
    memcpy(&to.sin_addr, c->cfg->endpoint->ip, sizeof to.sin_addr);
    if (c->fd < 0) /* it begins */
        c->fd = line_socket();
    if (c->fd < 0 || fcntl(c->fd, F_SETFL, O_NONBLOCK) != 0)
        return RDL_E_SYSTEM;
    if (connect(c->fd, (const struct sockaddr *)&to, sizeof to) == 0 || errno == EISCONN)
        return RDL_STREAM_READY;
    return errno == EINPROGRESS || errno == EALREADY ? RDL_STREAM_WAIT_WRITE : RDL_E_CONNECT;
}

/* The number of bytes of a send or recv. */
static int line_moved(ssize_t n)
{
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : RDL_E_CLOSED;
    return (int)n;
}

static int line_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    (void)ctx;
    return line_moved(send(c->fd, bytes, len, MSG_NOSIGNAL));
}

static int line_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    ssize_t n = recv(c->fd, buf, cap, 0);

    (void)ctx;
    return n == 0 ? RDL_E_CLOSED : line_moved(n); /* 0 bytes are the end */
}

static void line_close(void *ctx, struct rdl_conn *c)
{
    (void)ctx;
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

static const struct rdl_stream_ops line = {line_open, line_send, line_recv, line_close};

/* ---------------------------------------------------------------- the program */
#include <poll.h>
#include <stdio.h>

#include "lock/lock_io.h"

enum { CHUNK = 16, NAME_LEN = 7 };

static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(1, NAME_LEN) / 8];
static const struct rdl_conn_config config = {.endpoint = &endpoint,
                                              .methods = &rdl_methods_script,
                                              .queue = queue,
                                              .queue_len = sizeof queue,
                                              .stream = &line};
static struct rdl_conn conn;

/* Does what the connection wants. If there is nothing to do, waits for the line until until_ms at most. */
static void drive(uint64_t until_ms)
{
    uint8_t chunk[CHUNK];
    uint64_t now_ms = rdl_posix_now_ms();
    struct pollfd p = {.events = POLLIN};

    if (rdl_stream_drive(&conn, chunk, sizeof chunk) || until_ms <= now_ms)
        return;
    p.fd = conn.fd;
    if (rdl_conn_wants(&conn) & (RDL_WANT_OPEN | RDL_WANT_WRITE))
        p.events |= POLLOUT;
    poll(&p, 1, (int)(until_ms - now_ms));
}

static int finish(struct rdl_lock *lock, int rc)
{
    while (rc == RDL_PENDING) {
        uint64_t now_ms = rdl_posix_now_ms();
        uint64_t wake_ms = rdl_lock_wake_ms(lock);

        drive(wake_ms < now_ms + 100 ? wake_ms : now_ms + 100);
        rc = rdl_lock_step(lock, rdl_posix_now_ms());
    }
    return rc;
}

int main(int argc, char **argv)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    static char text[RDL_POSIX_URL_MAX];
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_lock lock;
    int rc;

    if (argc != 2 || rdl_url_parse(&endpoint, argv[1], text, sizeof text, NULL) != RDL_OK ||
        endpoint.family != RDL_INET) {
        fprintf(stderr, "usage: small_chunks redis://ADDRESS:PORT\n");
        return 2;
    }
    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &opt, &conn, "nightly", NAME_LEN);
    rc = rdl_posix_random(entropy, sizeof entropy);
    if (rc == RDL_OK)
        rc = finish(&lock, rdl_lock_acquire_begin(&lock, entropy, rdl_posix_now_ms()));
    printf("acquire: %s\n", rdl_strerror(rc));
    if (rc < 0)
        return 1;
    rc = finish(&lock, rdl_lock_release_begin(&lock, rdl_posix_now_ms()));
    printf("release: %s, in chunks of %d bytes; %zu bytes for the connection\n", rdl_strerror(rc), CHUNK,
           sizeof conn + sizeof queue);
    return rc < 0;
}
