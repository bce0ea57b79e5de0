/* SPDX-License-Identifier: MIT */
/*
 * tls_openssl.c - a driver for TLS with OpenSSL: tls_openssl redis://127.0.0.1:6379 ca.pem localhost
 *
 * The file has the certificates of the trusted authorities. The name is the one that the server's certificate
 * must have. Both are checked before any byte is sent to the server, including the password.
 *
 * To use it in a program, copy everything above main, and call tls_driver instead of rdl_posix_init. OpenSSL
 * uses write(2), so ignore SIGPIPE.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lock/lock_io.h"

enum { CONNS = 8, CHUNK = 1024, READS = 16 };

/* The TLS state of a connection that is not closed; its transport points here. */
struct link {
    SSL *ssl; /* NULL: this one is free */
    int fd;
    short events; /* what OpenSSL waits for in addition to the conn's wants */
};

struct tls {
    SSL_CTX *ctx;
    const char *name; /* in the certificate */
    struct link links[CONNS];
    char why[128]; /* why a connection could not be opened; "" when one is open */
};

/* ---------------------------------------------------------------- opening and closing */

static void end(struct rdl_conn *c, int error)
{
    struct link *l = c->transport;

    if (l != NULL) {
        SSL_free(l->ssl);
        close(l->fd);
        memset(l, 0, sizeof *l);
    }
    c->transport = NULL;
    rdl_conn_closed(c, error);
}

/* Stores why the handshake failed, as the certificate's check, OpenSSL or the system reports it. */
static void tell_why(struct tls *t, const struct link *l, int err)
{
    long verdict = SSL_get_verify_result(l->ssl);
    unsigned long code = ERR_get_error();
    const char *why = err != 0 ? strerror(err) : "the connection ended";

    if (verdict != X509_V_OK)
        why = X509_verify_cert_error_string(verdict);
    else if (code != 0)
        why = ERR_reason_error_string(code);
    snprintf(t->why, sizeof t->why, "%s", why != NULL ? why : "OpenSSL does not say why");
}

/* Sets the name, or the address, that the certificate must have. */
static int set_name(SSL *ssl, const char *name)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1)
        return 1;
    ERR_clear_error();
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static int connect_to(const struct rdl_endpoint *ep)
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

static void start(struct tls *t, struct rdl_conn *c)
{
    struct link *l = NULL;

    for (int i = 0; i < CONNS && l == NULL; i++)
        if (t->links[i].ssl == NULL)
            l = &t->links[i];
    if (l == NULL || c->cfg->endpoint->family != RDL_INET || (l->ssl = SSL_new(t->ctx)) == NULL) {
        rdl_conn_closed(c, RDL_E_SYSTEM);
        return;
    }
    l->fd = connect_to(c->cfg->endpoint);
    l->events = POLLOUT;
    c->transport = l;
    if (l->fd < 0) {
        tell_why(t, l, errno);
        end(c, RDL_E_CONNECT);
    } else if (!set_name(l->ssl, t->name) || SSL_set_fd(l->ssl, l->fd) != 1) {
        end(c, RDL_E_SYSTEM);
    }
}

/* ---------------------------------------------------------------- bytes */

/* The result of a call to OpenSSL: 1 progress; 0 it must wait; -1 the connection has ended. */
static int outcome(struct link *l, int rc)
{
    l->events = 0;
    if (rc > 0)
        return 1;
    switch (SSL_get_error(l->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
        l->events = POLLIN;
        return 0;
    case SSL_ERROR_WANT_WRITE:
        l->events = POLLOUT;
        return 0;
    default:
        return -1;
    }
}

/* Continues the handshake; its first calls also wait for the connection. */
static int shake_hands(struct tls *t, struct rdl_conn *c)
{
    struct link *l = c->transport;
    int did;

    ERR_clear_error();
    errno = 0;
    did = outcome(l, SSL_connect(l->ssl));
    if (did < 0) {
        tell_why(t, l, errno);
        end(c, RDL_E_CONNECT);
    } else if (did > 0) {
        t->why[0] = '\0';
        rdl_conn_opened(c);
    }
    return did != 0;
}

static int receive(struct rdl_conn *c)
{
    struct link *l = c->transport;
    uint8_t bytes[CHUNK];
    int did = 0;

    for (int i = 0; i < READS && c->transport != NULL && (rdl_conn_wants(c) & RDL_WANT_READ); i++) {
        ERR_clear_error();
        int n = SSL_read(l->ssl, bytes, sizeof bytes);
        int rc = outcome(l, n);
        if (rc == 0)
            return did;
        did = 1;
        if (rc > 0)
            rdl_conn_rx(c, bytes, (size_t)n);
        else
            end(c, RDL_E_CLOSED);
    }
    return did;
}

/* If OpenSSL accepts nothing, it needs the same bytes again; the connection produces the same. */
static int transmit(struct rdl_conn *c)
{
    struct link *l = c->transport;
    uint8_t bytes[CHUNK];
    int did = 0;

    while (c->transport != NULL && (rdl_conn_wants(c) & RDL_WANT_WRITE)) {
        size_t len = rdl_conn_tx(c, bytes, sizeof bytes);
        if (len == 0)
            return did;
        ERR_clear_error();
        int n = SSL_write(l->ssl, bytes, (int)len);
        int rc = outcome(l, n);
        if (rc < 0 && receive(c) && c->transport == NULL) /* the server may have sent the reason */
            return 1;
        if (rc < 0)
            end(c, RDL_E_CLOSED);
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

    if ((before & RDL_WANT_OPEN) && c->transport == NULL)
        start(t, c);
    if ((rdl_conn_wants(c) & RDL_WANT_OPEN) && c->transport != NULL)
        did = shake_hands(t, c);
    if (rdl_conn_wants(c) & RDL_WANT_READ)
        did |= receive(c);
    if (rdl_conn_wants(c) & RDL_WANT_WRITE)
        did |= transmit(c);
    if (rdl_conn_wants(c) & RDL_WANT_CLOSE)
        end(c, rdl_conn_error(c));
    return did || rdl_conn_wants(c) != before;
}

/* ---------------------------------------------------------------- struct rdl_platform */

static int tls_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                    int can_wake)
{
    struct pollfd fds[CONNS] = {{0}};
    uint64_t now_ms;
    int did = 0;

    (void)need;
    (void)can_wake;
    if (n > CONNS)
        return RDL_E_SYSTEM;
    for (size_t i = 0; i < n; i++)
        did |= advance(ctx, conns[i]);
    if (did)
        return RDL_OK;
    for (size_t i = 0; i < n; i++) {
        const struct link *l = conns[i]->transport;
        fds[i].fd = l != NULL ? l->fd : -1;
        if (l != NULL)
            fds[i].events = (short)(l->events | ((rdl_conn_wants(conns[i]) & RDL_WANT_READ) ? POLLIN : 0));
    }
    now_ms = rdl_posix_now_ms();
    now_ms = until_ms > now_ms ? until_ms - now_ms : 0;
    if (poll(fds, (nfds_t)n, now_ms < 100 ? (int)now_ms : 100) < 0 && errno != EINTR)
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

/* Returns 0, or -1 if the file cannot be read. *platform refers to *t. */
static int tls_driver(struct tls *t, struct rdl_platform *platform, const char *authorities, const char *name)
{
    *platform = (struct rdl_platform){.poll = tls_poll, .now_ms = tls_now_ms, .random = tls_random, .ctx = t};
    t->name = name;
    t->ctx = SSL_CTX_new(TLS_client_method());
    if (t->ctx == NULL || SSL_CTX_load_verify_locations(t->ctx, authorities, NULL) != 1)
        return -1;
    SSL_CTX_set_verify(t->ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION);
    SSL_CTX_set_mode(t->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return 0;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 2000, .retry_ms = 50};
    static struct tls tls;
    struct rdl_lock lock;
    struct rdl_platform platform;
    int rc;

    signal(SIGPIPE, SIG_IGN);
    if (argc != 4 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK ||
        tls_driver(&tls, &platform, argv[2], argv[3]) != 0) {
        fprintf(stderr, "usage: tls_openssl redis://ADDRESS:PORT AUTHORITIES.pem NAME\n");
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
