/* SPDX-License-Identifier: MIT */
/*
 * tls_mbedtls.c - TLS with Mbed TLS, a stream on top of the sockets:
 *
 *     tls_mbedtls redis://127.0.0.1:6379 ca.pem localhost
 *
 * The file has the certificates of the trusted authorities; it is read at each connect. The name is the one
 * that the server's certificate must have. Both are checked before any byte is sent to the server, including
 * the password. A reconnect resumes the last session.
 *
 * On a board without sockets, use the functions of your own stream instead of rdl_posix_stream's, and a
 * random source of your own.
 */
#include <mbedtls/error.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock_io.h"
#include "net/net_stream.h"

/* The TLS of one connection: its stream_ctx. */
struct tls {
    const char *authorities, *name; /* set by the program; the rest is 0 at first */
    struct rdl_conn *conn;
    int is_begun; /* the next three are in use */
    mbedtls_ssl_config config;
    mbedtls_ssl_context ssl;
    mbedtls_x509_crt trusted;
    int has_session;
    mbedtls_ssl_session session; /* of the last connection */
    size_t unsent;               /* bytes of an mbedtls_ssl_write that waits, which must be repeated alike */
    int socket_error;            /* RDL_OK: there was none */
};

/* ---------------------------------------------------------------- the socket, as Mbed TLS sees it */

static int moved(struct tls *t, int n, int wait)
{
    if (n < 0)
        t->socket_error = n;
    return n > 0 ? n : n == 0 ? wait : MBEDTLS_ERR_SSL_CONN_EOF;
}

static int socket_send(void *ctx, const unsigned char *bytes, size_t len)
{
    struct tls *t = ctx;

    return moved(t, rdl_posix_stream.send(NULL, t->conn, bytes, len), MBEDTLS_ERR_SSL_WANT_WRITE);
}

static int socket_recv(void *ctx, unsigned char *buf, size_t cap)
{
    struct tls *t = ctx;

    return moved(t, rdl_posix_stream.recv(NULL, t->conn, buf, cap), MBEDTLS_ERR_SSL_WANT_READ);
}

static int draw(void *ctx, unsigned char *buf, size_t len)
{
    (void)ctx;
    return rdl_posix_random(buf, len) == RDL_OK ? 0 : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

/* ---------------------------------------------------------------- the stream */

/* Returns why it failed: the certificate's check, Mbed TLS, or the socket (rdl_posix_errno). */
static int failed(struct tls *t, int rc)
{
    char why[160];

    if (rc == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
        mbedtls_x509_crt_verify_info(why, sizeof why, "", mbedtls_ssl_get_verify_result(&t->ssl));
    else if (t->socket_error != RDL_OK)
        return t->socket_error;
    else
        mbedtls_strerror(rc, why, sizeof why);
    why[strcspn(why, "\n")] = '\0';
    rdl_conn_set_text(t->conn, why);
    return RDL_E_TLS;
}

/* Reads the file again, because it may have been replaced: certificates expire. */
static int prepare(struct tls *t)
{
    int rc;

    t->is_begun = 1;
    mbedtls_ssl_init(&t->ssl);
    mbedtls_ssl_config_init(&t->config);
    mbedtls_x509_crt_init(&t->trusted);
    rc = mbedtls_x509_crt_parse_file(&t->trusted, t->authorities);
    if (rc == 0)
        rc = mbedtls_ssl_config_defaults(&t->config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT);
    mbedtls_ssl_conf_authmode(&t->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&t->config, &t->trusted, NULL);
    mbedtls_ssl_conf_rng(&t->config, draw, NULL);
    if (rc == 0)
        rc = mbedtls_ssl_setup(&t->ssl, &t->config);
    if (rc == 0)
        rc = mbedtls_ssl_set_hostname(&t->ssl, t->name);
    if (rc == 0 && t->has_session)
        rc = mbedtls_ssl_set_session(&t->ssl, &t->session);
    mbedtls_ssl_set_bio(&t->ssl, t, socket_send, socket_recv, NULL);
    return rc;
}

/* Keeps the session for the next connection. */
static void keep_session(struct tls *t)
{
    if (t->has_session)
        mbedtls_ssl_session_free(&t->session);
    mbedtls_ssl_session_init(&t->session);
    t->has_session = mbedtls_ssl_get_session(&t->ssl, &t->session) == 0;
}

static int tls_open(void *ctx, struct rdl_conn *c)
{
    struct tls *t = ctx;
    int rc = t->is_begun ? RDL_STREAM_READY : rdl_posix_stream.open(NULL, c);

    if (rc != RDL_STREAM_READY)
        return rc;
    if (!t->is_begun) {
        t->conn = c;
        t->unsent = 0;
        t->socket_error = RDL_OK;
        rc = prepare(t);
    }
    if (rc == 0)
        rc = mbedtls_ssl_handshake(&t->ssl);
    if (rc == MBEDTLS_ERR_SSL_WANT_READ)
        return RDL_STREAM_WAIT_READ;
    if (rc == MBEDTLS_ERR_SSL_WANT_WRITE)
        return RDL_STREAM_WAIT_WRITE;
    if (rc != 0)
        return failed(t, rc);
    keep_session(t);
    return RDL_STREAM_READY;
}

/* The result of a read or a write: bytes, 0: not now, or that the connection has ended. */
static int result(int n)
{
    if (n == MBEDTLS_ERR_SSL_WANT_READ || n == MBEDTLS_ERR_SSL_WANT_WRITE)
        return 0;
    return n > 0 ? n : RDL_E_CLOSED;
}

static int tls_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    struct tls *t = ctx;
    int n;

    (void)c;
    if (t->unsent > 0)
        len = t->unsent;
    n = result(mbedtls_ssl_write(&t->ssl, bytes, len));
    t->unsent = n == 0 ? len : 0;
    return n;
}

static int tls_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct tls *t = ctx;

    (void)c;
    return result(mbedtls_ssl_read(&t->ssl, buf, cap));
}

/* Nothing is sent: in a child after fork the connection is still the parent's. */
static void tls_close(void *ctx, struct rdl_conn *c)
{
    struct tls *t = ctx;

    if (t->is_begun) {
        mbedtls_ssl_free(&t->ssl);
        mbedtls_ssl_config_free(&t->config);
        mbedtls_x509_crt_free(&t->trusted);
    }
    t->is_begun = 0;
    rdl_posix_stream.close(NULL, c);
}

static const struct rdl_stream_ops tls_stream = {tls_open, tls_send, tls_recv, tls_close};

/* ---------------------------------------------------------------- the program */

/* Returns why there is no connection; "" if there is one. */
static const char *why_not(const struct rdl_conn *c)
{
    if (rdl_conn_error(c) == RDL_E_TLS)
        return rdl_conn_text(c);
    return rdl_posix_errno(c) != 0 ? strerror(rdl_posix_errno(c)) : "";
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn server;
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 2000, .retry_ms = 50};
    static struct tls tls;
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock lock;
    int rc;

    if (argc != 4 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: tls_mbedtls redis://ADDRESS:PORT AUTHORITIES.pem NAME\n");
        return 2;
    }
    tls.authorities = argv[2];
    tls.name = argv[3];
    server.config.stream = &tls_stream;
    server.config.stream_ctx = &tls;
    rdl_posix_init(&posix, &platform);
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    rc = rdl_lock_acquire(&lock, &platform);
    printf("acquire: %s%s%s\n", rdl_strerror(rc), rc < 0 ? ": " : "", rc < 0 ? why_not(&server.conn) : "");
    if (rc >= 0) {
        rc = rdl_lock_extend(&lock, &platform, 20000);
        printf("extend: %s\n", rdl_strerror(rc));
        rc = rdl_lock_release(&lock, &platform);
        printf("release: %s\n", rdl_strerror(rc));
    }
    return rc < 0;
}
