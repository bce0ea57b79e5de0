/* SPDX-License-Identifier: MIT */
/* tls_openssl.c - TLS with OpenSSL, a stream on top of the sockets; see tls_openssl.h. */
#include "lock/examples/tls_openssl.h"

#include <openssl/err.h>
#include <stdio.h>
#include <string.h>

static int bio_write(BIO *bio, const char *bytes, int len)
{
    int n = rdl_posix_stream.send(NULL, BIO_get_data(bio), (const uint8_t *)bytes, (size_t)len);

    BIO_clear_retry_flags(bio);
    if (n == 0)
        BIO_set_retry_write(bio);
    return n > 0 ? n : -1;
}

static int bio_read(BIO *bio, char *buf, int cap)
{
    int n = rdl_posix_stream.recv(NULL, BIO_get_data(bio), (uint8_t *)buf, (size_t)cap);

    BIO_clear_retry_flags(bio);
    if (n == 0)
        BIO_set_retry_read(bio);
    return n > 0 ? n : -1;
}

static long bio_ctrl(BIO *bio, int what, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return what == BIO_CTRL_FLUSH;
}

/* Reads the files. Returns the one that cannot be used, or NULL. */
static const char *load(const struct tls_openssl *t, SSL_CTX *ctx)
{
    if (SSL_CTX_load_verify_locations(ctx, t->authorities, NULL) != 1)
        return t->authorities;
    if (t->cert != NULL && SSL_CTX_use_certificate_chain_file(ctx, t->cert) != 1)
        return t->cert;
    return t->cert == NULL || SSL_CTX_use_PrivateKey_file(ctx, t->key, SSL_FILETYPE_PEM) == 1 ? NULL : t->key;
}

/* Returns 1 if all is ready for SSL_connect. */
static int prepare(struct tls_openssl *t, struct rdl_conn *c)
{
    const char *name = t->name != NULL ? t->name : c->cfg->endpoint->host;
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    BIO *bio = NULL;

    t->socket = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "conn");
    if (t->socket != NULL && BIO_meth_set_write(t->socket, bio_write) == 1 &&
        BIO_meth_set_read(t->socket, bio_read) == 1 && BIO_meth_set_ctrl(t->socket, bio_ctrl) == 1)
        bio = BIO_new(t->socket);
    if (ctx != NULL && bio != NULL && (t->unusable = load(t, ctx)) == NULL)
        t->ssl = SSL_new(ctx);
    SSL_CTX_free(ctx); /* the SSL keeps it */
    if (t->ssl == NULL) {
        BIO_free(bio);
        return 0;
    }
    BIO_set_data(bio, c);
    BIO_set_init(bio, 1);
    SSL_set_bio(t->ssl, bio, bio);
    SSL_set_verify(t->ssl, SSL_VERIFY_PEER, NULL);
    SSL_set_min_proto_version(t->ssl, TLS1_2_VERSION);
    SSL_set_mode(t->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_session(t->ssl, t->session);
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->ssl), name) == 1 ||
           (SSL_set1_host(t->ssl, name) == 1 && SSL_set_tlsext_host_name(t->ssl, name) == 1);
}

/* The result of a call of OpenSSL: n, 0: not now, or an error, in words unless it is the socket's. */
static int result(const struct tls_openssl *t, struct rdl_conn *c, int n)
{
    int what = t->ssl != NULL ? SSL_get_error(t->ssl, n) : SSL_ERROR_SSL;
    long verdict = t->ssl != NULL ? SSL_get_verify_result(t->ssl) : X509_V_OK;
    unsigned long code = ERR_get_error();
    const char *why =
        ERR_GET_LIB(code) == ERR_LIB_SYS ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
    char text[300];

    if (n > 0 || what == SSL_ERROR_WANT_READ || what == SSL_ERROR_WANT_WRITE)
        return n > 0 ? n : 0;
    if (verdict != X509_V_OK)
        why = X509_verify_cert_error_string(verdict);
    else if (code == 0)
        return RDL_E_CLOSED;
    snprintf(text, sizeof text, "%s%s%s", t->unusable != NULL ? t->unusable : "",
             t->unusable != NULL ? ": " : "", why != NULL ? why : "OpenSSL gives no reason");
    rdl_conn_set_text(c, text);
    return RDL_E_TLS;
}

static int tls_open(void *ctx, struct rdl_conn *c)
{
    struct tls_openssl *t = ctx;
    int rc = t->ssl == NULL ? rdl_posix_stream.open(NULL, c) : RDL_STREAM_READY;

    ERR_clear_error();
    if (rc != RDL_STREAM_READY)
        return rc;
    rc = result(t, c, t->ssl != NULL || prepare(t, c) ? SSL_connect(t->ssl) : 0);
    if (rc == 0)
        return SSL_want_write(t->ssl) ? RDL_STREAM_WAIT_WRITE : RDL_STREAM_WAIT_READ;
    return rc > 0 ? RDL_STREAM_READY : rc;
}

static int tls_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    struct tls_openssl *t = ctx;
    int n;

    ERR_clear_error();
    n = result(t, c, SSL_write(t->ssl, bytes, (int)len));
    return n == 0 && SSL_want_read(t->ssl) ? RDL_STREAM_READ_FIRST : n;
}

static int tls_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct tls_openssl *t = ctx;

    ERR_clear_error();
    return result(t, c, SSL_read(t->ssl, buf, (int)cap));
}

static void tls_close(void *ctx, struct rdl_conn *c)
{
    struct tls_openssl *t = ctx;

    if (t->ssl != NULL && SSL_is_init_finished(t->ssl)) {
        SSL_SESSION_free(t->session);
        t->session = SSL_get1_session(t->ssl);
        SSL_set_shutdown(t->ssl, SSL_SENT_SHUTDOWN); /* else the session could not be resumed */
    }
    SSL_free(t->ssl);
    BIO_meth_free(t->socket);
    t->ssl = NULL;
    t->socket = NULL;
    rdl_posix_stream.close(NULL, c);
}

const struct rdl_stream_ops tls_openssl = {tls_open, tls_send, tls_recv, tls_close};
