/* SPDX-License-Identifier: MIT */
/*
 * tls_openssl.c - TLS with OpenSSL, a stream on top of the sockets:
 *
 *     tls_openssl redis://127.0.0.1:6379 ca.pem localhost
 *
 * The file has the certificates of the trusted authorities; it is read at each connect. The name is the one
 * that the server's certificate must have. Both are checked before any byte is sent to the server, including
 * the password. A reconnect resumes the last session, which needs no certificate: it was checked before.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock_io.h"
#include "net/net_stream.h"

/* The TLS of one connection: its stream_ctx. */
struct tls {
    const char *authorities, *name; /* set by the program; the rest is 0 at first */
    struct rdl_conn *conn;
    SSL *ssl;             /* NULL: the socket is not connected */
    SSL_SESSION *session; /* of the last connection; NULL: none */
    int socket_error;     /* RDL_OK: there was none */
};

/* ---------------------------------------------------------------- the socket, as OpenSSL sees it */

static int moved(BIO *bio, int n, int retry)
{
    struct tls *t = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    if (n > 0)
        return n;
    if (n == 0)
        BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    t->socket_error = n;
    return -1;
}

static int bio_write(BIO *bio, const char *bytes, int len)
{
    struct tls *t = BIO_get_data(bio);

    return moved(bio, rdl_posix_stream.send(NULL, t->conn, (const uint8_t *)bytes, (size_t)len),
                 BIO_FLAGS_WRITE);
}

static int bio_read(BIO *bio, char *buf, int cap)
{
    struct tls *t = BIO_get_data(bio);

    return moved(bio, rdl_posix_stream.recv(NULL, t->conn, (uint8_t *)buf, (size_t)cap), BIO_FLAGS_READ);
}

static long bio_ctrl(BIO *bio, int what, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH;
}

static BIO *make_bio(struct tls *t)
{
    static BIO_METHOD *method;
    BIO *bio;

    if (method == NULL &&
        (method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "conn")) != NULL) {
        BIO_meth_set_write(method, bio_write);
        BIO_meth_set_read(method, bio_read);
        BIO_meth_set_ctrl(method, bio_ctrl);
    }
    bio = method != NULL ? BIO_new(method) : NULL;
    if (bio != NULL) {
        BIO_set_data(bio, t);
        BIO_set_init(bio, 1);
    }
    return bio;
}

/* ---------------------------------------------------------------- the stream */

/* Sets the name, or the address, that the certificate must have. */
static int set_name(SSL *ssl, const char *name)
{
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1)
        return 1;
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

/* Returns why it failed: the certificate's check, OpenSSL, or the socket (rdl_posix_errno). */
static int failed(struct tls *t)
{
    long verdict = t->ssl != NULL ? SSL_get_verify_result(t->ssl) : X509_V_OK;
    unsigned long code = ERR_get_error();
    const char *why =
        ERR_GET_LIB(code) == ERR_LIB_SYS ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);

    if (verdict != X509_V_OK)
        why = X509_verify_cert_error_string(verdict);
    else if (t->socket_error != RDL_OK)
        return t->socket_error;
    rdl_conn_set_text(t->conn, why != NULL ? why : "OpenSSL does not say why");
    return RDL_E_TLS;
}

/* Reads the files again, because they may have been replaced: certificates expire. */
static int prepare(struct tls *t)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    BIO *bio = make_bio(t);

    if (ctx != NULL && bio != NULL && SSL_CTX_load_verify_locations(ctx, t->authorities, NULL) == 1) {
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
        SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        t->ssl = SSL_new(ctx);
    }
    SSL_CTX_free(ctx); /* the SSL keeps it */
    if (t->ssl == NULL) {
        BIO_free(bio);
        return -1;
    }
    SSL_set_bio(t->ssl, bio, bio);
    if (t->session != NULL)
        SSL_set_session(t->ssl, t->session);
    return set_name(t->ssl, t->name) ? 0 : -1;
}

static int tls_open(void *ctx, struct rdl_conn *c)
{
    struct tls *t = ctx;
    int rc = RDL_STREAM_READY;

    if (t->ssl == NULL) {
        t->conn = c;
        t->socket_error = RDL_OK;
        rc = rdl_posix_stream.open(NULL, c);
    }
    if (rc != RDL_STREAM_READY)
        return rc;
    ERR_clear_error();
    if (t->ssl == NULL && prepare(t) != 0)
        return failed(t);
    rc = SSL_connect(t->ssl);
    if (rc == 1)
        return RDL_STREAM_READY;
    switch (SSL_get_error(t->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
        return RDL_STREAM_WAIT_READ;
    case SSL_ERROR_WANT_WRITE:
        return RDL_STREAM_WAIT_WRITE;
    default:
        return failed(t);
    }
}

/* The result of SSL_read and SSL_write: bytes, 0: not now, or that the connection has ended. */
static int result(struct tls *t, int n)
{
    int why = n > 0 ? SSL_ERROR_NONE : SSL_get_error(t->ssl, n);

    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
        return 0;
    return n > 0 ? n : RDL_E_CLOSED;
}

static int tls_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    struct tls *t = ctx;

    (void)c;
    ERR_clear_error();
    return result(t, SSL_write(t->ssl, bytes, (int)len));
}

static int tls_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct tls *t = ctx;

    (void)c;
    ERR_clear_error();
    return result(t, SSL_read(t->ssl, buf, (int)cap));
}

/* Nothing is sent: in a child after fork the connection is still the parent's. */
static void tls_close(void *ctx, struct rdl_conn *c)
{
    struct tls *t = ctx;

    if (t->ssl != NULL && SSL_is_init_finished(t->ssl)) {
        SSL_SESSION_free(t->session);
        t->session = SSL_get1_session(t->ssl);
        SSL_set_shutdown(t->ssl,
                         SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); /* else it could not be resumed */
    }
    SSL_free(t->ssl);
    t->ssl = NULL;
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
        fprintf(stderr, "usage: tls_openssl redis://ADDRESS:PORT AUTHORITIES.pem NAME\n");
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
