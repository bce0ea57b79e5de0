/* SPDX-License-Identifier: MIT */
/*
 * tls_mbedtls.c - a driver for TLS with Mbed TLS, for one connection: tls_mbedtls redis://127.0.0.1:6379
 * ca.pem localhost
 *
 * The file has the certificates of the trusted authorities. The name is the one that the server's certificate
 * must have. Both are checked before any byte is sent to the server, including the password.
 *
 * To use it in a program, copy everything above main, and call tls_driver instead of rdl_posix_init. On a
 * board without sockets, replace line_open, line_send, line_receive and the wait in tls_poll.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lock/lock_io.h"

enum { CHUNK = 512, READS = 16 };

struct tls {
    mbedtls_ssl_config config;
    mbedtls_ssl_context ssl;
    mbedtls_x509_crt authorities;
    mbedtls_entropy_context entropy;
    mbedtls_ctr_drbg_context drbg;
    const char *name; /* in the certificate */
    int fd;
    short events;  /* what Mbed TLS waits for in addition to the conn's wants */
    char why[160]; /* why it could not be opened; "" when it is open */
};

/* ---------------------------------------------------------------- the line */

/* Returns -1 if it cannot be opened. Until it is open, it neither sends nor receives. */
static int line_open(const struct rdl_endpoint *ep)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(ep->port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    memcpy(&to.sin_addr, ep->ip, sizeof to.sin_addr);
    if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
        (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int line_send(void *ctx, const unsigned char *data, size_t len)
{
    const struct tls *t = ctx;
    ssize_t n = send(t->fd, data, len, MSG_NOSIGNAL);

    if (n >= 0)
        return (int)n;
    return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

static int line_receive(void *ctx, unsigned char *data, size_t len)
{
    const struct tls *t = ctx;
    ssize_t n = recv(t->fd, data, len, 0);

    if (n >= 0)
        return (int)n;
    return errno == EAGAIN || errno == EINTR ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

/* ---------------------------------------------------------------- opening and closing */

static void end(struct tls *t, struct rdl_conn *c, int error)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
    mbedtls_ssl_session_reset(&t->ssl);
    rdl_conn_closed(c, error);
}

/* Stores why the handshake failed, as the certificate's check, the system or Mbed TLS reports it. */
static void tell_why(struct tls *t, int rc, int err)
{
    uint32_t verdict = mbedtls_ssl_get_verify_result(&t->ssl);

    if (rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
        mbedtls_x509_crt_verify_info(t->why, sizeof t->why, "", verdict);
    else if (err != 0)
        snprintf(t->why, sizeof t->why, "%s", strerror(err));
    else
        mbedtls_strerror(rc, t->why, sizeof t->why);
    t->why[strcspn(t->why, "\n")] = '\0';
}

static void start(struct tls *t, struct rdl_conn *c)
{
    if (c->cfg->endpoint->family != RDL_INET) {
        end(t, c, RDL_E_SYSTEM);
        return;
    }
    t->fd = line_open(c->cfg->endpoint);
    if (t->fd < 0) {
        tell_why(t, 0, errno);
        end(t, c, RDL_E_CONNECT);
    } else if (mbedtls_ssl_set_hostname(&t->ssl, t->name) != 0) {
        end(t, c, RDL_E_SYSTEM);
    }
}

/* ---------------------------------------------------------------- bytes */

/* The result of a call to Mbed TLS: 1 progress; 0 it must wait; -1 the connection has ended. */
static int outcome(struct tls *t, int rc, int least)
{
    t->events = 0;
    if (rc >= least)
        return 1;
    if (rc == MBEDTLS_ERR_SSL_WANT_READ)
        t->events = POLLIN;
    if (rc == MBEDTLS_ERR_SSL_WANT_WRITE)
        t->events = POLLOUT;
    return t->events != 0 ? 0 : -1;
}

/* Continues the handshake; its first calls also wait for the connection. */
static int shake_hands(struct tls *t, struct rdl_conn *c)
{
    int rc, did;

    errno = 0;
    rc = mbedtls_ssl_handshake(&t->ssl);
    did = outcome(t, rc, 0);
    if (did < 0) {
        tell_why(t, rc, rc == MBEDTLS_ERR_SSL_INTERNAL_ERROR ? errno : 0);
        end(t, c, RDL_E_CONNECT);
    } else if (did > 0) {
        t->why[0] = '\0';
        rdl_conn_opened(c);
    }
    return did != 0;
}

static int receive(struct tls *t, struct rdl_conn *c)
{
    uint8_t bytes[CHUNK];
    int did = 0;

    for (int i = 0; i < READS && (rdl_conn_wants(c) & RDL_WANT_READ); i++) {
        int n = mbedtls_ssl_read(&t->ssl, bytes, sizeof bytes);
        int rc = outcome(t, n, 1);
        if (rc == 0)
            return did;
        did = 1;
        if (rc > 0)
            rdl_conn_rx(c, bytes, (size_t)n);
        else
            end(t, c, RDL_E_CLOSED);
    }
    return did;
}

/* If Mbed TLS accepts nothing, it needs the same bytes again; the connection produces the same. */
static int transmit(struct tls *t, struct rdl_conn *c)
{
    uint8_t bytes[CHUNK];
    int did = 0;

    while (rdl_conn_wants(c) & RDL_WANT_WRITE) {
        size_t len = rdl_conn_tx(c, bytes, sizeof bytes);
        if (len == 0)
            return did;
        int n = mbedtls_ssl_write(&t->ssl, bytes, len);
        int rc = outcome(t, n, 1);
        if (rc < 0 && receive(t, c) && t->fd < 0) /* the server may have sent the reason */
            return 1;
        if (rc < 0)
            end(t, c, RDL_E_CLOSED);
        if (rc <= 0)
            return rc < 0 || did;
        rdl_conn_tx_done(c, (size_t)n);
        did = 1;
    }
    return did;
}

static int advance(struct tls *t, struct rdl_conn *c)
{
    unsigned before = rdl_conn_wants(c);
    int did = 0;

    if ((before & RDL_WANT_OPEN) && t->fd < 0)
        start(t, c);
    if ((rdl_conn_wants(c) & RDL_WANT_OPEN) && t->fd >= 0)
        did = shake_hands(t, c);
    if (rdl_conn_wants(c) & RDL_WANT_READ)
        did |= receive(t, c);
    if (rdl_conn_wants(c) & RDL_WANT_WRITE)
        did |= transmit(t, c);
    if (rdl_conn_wants(c) & RDL_WANT_CLOSE)
        end(t, c, rdl_conn_error(c));
    return did || rdl_conn_wants(c) != before;
}

/* ---------------------------------------------------------------- struct rdl_platform */

static int tls_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                    int can_wake)
{
    struct tls *t = ctx;
    struct pollfd line = {.fd = -1};
    uint64_t now_ms;

    (void)need; /* there is only one connection */
    (void)can_wake;
    if (n != 1)
        return RDL_E_SYSTEM;
    if (advance(t, conns[0]))
        return RDL_OK;
    now_ms = rdl_posix_now_ms();
    now_ms = until_ms > now_ms ? until_ms - now_ms : 0;
    line.fd = t->fd;
    line.events = (short)(t->events | ((rdl_conn_wants(conns[0]) & RDL_WANT_READ) ? POLLIN : 0));
    if (poll(&line, 1, now_ms < 100 ? (int)now_ms : 100) < 0 && errno != EINTR)
        return RDL_E_SYSTEM;
    return RDL_OK;
}

static uint64_t tls_now_ms(void *ctx)
{
    (void)ctx;
    return rdl_posix_now_ms();
}

static int tls_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    return rdl_posix_random(buf, len);
}

/* Returns 0, or an error of Mbed TLS: unreadable file, no entropy. *platform refers to *t. */
static int tls_driver(struct tls *t, struct rdl_platform *platform, const char *authorities, const char *name)
{
    int rc;

    *platform = (struct rdl_platform){.poll = tls_poll, .now_ms = tls_now_ms, .random = tls_random, .ctx = t};
    t->name = name;
    t->fd = -1;
    mbedtls_ssl_init(&t->ssl);
    mbedtls_ssl_config_init(&t->config);
    mbedtls_x509_crt_init(&t->authorities);
    mbedtls_entropy_init(&t->entropy);
    mbedtls_ctr_drbg_init(&t->drbg);
    rc = mbedtls_x509_crt_parse_file(&t->authorities, authorities);
    if (rc == 0)
        rc = mbedtls_ctr_drbg_seed(&t->drbg, mbedtls_entropy_func, &t->entropy, NULL, 0);
    if (rc == 0)
        rc = mbedtls_ssl_config_defaults(&t->config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT);
    mbedtls_ssl_conf_authmode(&t->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&t->config, &t->authorities, NULL);
    mbedtls_ssl_conf_rng(&t->config, mbedtls_ctr_drbg_random, &t->drbg);
    if (rc == 0)
        rc = mbedtls_ssl_setup(&t->ssl, &t->config);
    mbedtls_ssl_set_bio(&t->ssl, t, line_send, line_receive, NULL);
    return rc;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 2000, .retry_ms = 50};
    static struct tls tls;
    struct rdl_lock lock;
    struct rdl_platform platform;
    int rc;

    if (argc != 4 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK ||
        tls_driver(&tls, &platform, argv[2], argv[3]) != 0) {
        fprintf(stderr, "usage: tls_mbedtls redis://ADDRESS:PORT AUTHORITIES.pem NAME\n");
        return 2;
    }
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    rc = rdl_lock_acquire(&lock, &platform);
    printf("acquire: %s%s%s\n", rdl_strerror(rc), tls.why[0] != '\0' ? ": " : "", tls.why);
    if (rc >= 0) {
        rc = rdl_lock_extend(&lock, &platform, 20000);
        printf("extend: %s\n", rdl_strerror(rc));
        rc = rdl_lock_release(&lock, &platform);
        printf("release: %s\n", rdl_strerror(rc));
    }
    return rc < 0;
}
