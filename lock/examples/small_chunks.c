/* SPDX-License-Identifier: MIT */
/*
 * small_chunks.c - your own driver, which moves 16 bytes at a time: small_chunks redis://127.0.0.1:6379
 *
 * It works as on a board with a serial line, without a buffer for a command. Bytes to send are put into the
 * chunk piece by piece, and received bytes are passed on as they arrive. Here a socket is used in place of
 * the line.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lock/lock_io.h"

enum { CHUNK = 16, NAME_LEN = 7 };

static struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(1, NAME_LEN) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint, .methods = &rdl_methods_script, .queue = queue, .queue_len = sizeof queue};
static struct rdl_conn conn;
static int line = -1;
static unsigned chunks;

/* ---------------------------------------------------------------- the driver */

/* Ends the connection. Pending releases go over the next one. */
static void hang_up(int error)
{
    if (line >= 0)
        close(line);
    line = -1;
    rdl_conn_closed(&conn, error);
}

static void dial(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(endpoint.port)};

    memcpy(&to.sin_addr, endpoint.ip, sizeof to.sin_addr);
    line = socket(AF_INET, SOCK_STREAM, 0);
    if (line >= 0 && connect(line, (const struct sockaddr *)&to, sizeof to) == 0)
        rdl_conn_opened(&conn);
    else
        hang_up(RDL_E_CONNECT);
}

/* Sends a chunk. The connection produces again later what the line did not accept. */
static void transmit(void)
{
    uint8_t chunk[CHUNK];
    size_t n = rdl_conn_tx(&conn, chunk, sizeof chunk);
    ssize_t sent;

    if (n == 0)
        return;
    sent = send(line, chunk, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    rdl_conn_tx_done(&conn, sent > 0 ? (size_t)sent : 0);
    chunks++;
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        hang_up(RDL_E_CLOSED);
}

static void receive(void)
{
    uint8_t chunk[CHUNK];
    ssize_t n = recv(line, chunk, sizeof chunk, MSG_DONTWAIT);

    if (n > 0)
        rdl_conn_rx(&conn, chunk, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        hang_up(RDL_E_CLOSED);
}

/* Does what the connection wants, once. Waits for the line until until_ms at most. */
static void drive(uint64_t until_ms)
{
    uint64_t now_ms = rdl_posix_now_ms();
    unsigned wants = rdl_conn_wants(&conn);
    struct pollfd p = {line, POLLIN, 0};

    if (wants & RDL_WANT_CLOSE) {
        hang_up(rdl_conn_error(&conn));
    } else if (wants & RDL_WANT_OPEN) {
        dial();
    } else if (wants & RDL_WANT_WRITE) {
        transmit();
    } else if (wants & RDL_WANT_READ) {
        if (poll(&p, 1, until_ms > now_ms ? (int)(until_ms - now_ms) : 0) > 0)
            receive();
    } else if (until_ms > now_ms) {
        poll(NULL, 0, (int)(until_ms - now_ms)); /* pause before the next attempt to connect */
    }
}

/* ---------------------------------------------------------------- the program */

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
    printf("release: %s, in %u chunks of %d bytes; %zu bytes for the connection\n", rdl_strerror(rc), chunks,
           CHUNK, sizeof conn + sizeof queue);
    return rc < 0;
}
