/* SPDX-License-Identifier: MIT */
/* tls_mbedtls.c - TLS with Mbed TLS, a stream on top of the sockets; see tls_mbedtls.h. */
#include "lock/examples/tls_mbedtls.h"

#include <mbedtls/error.h>
#include <mbedtls/version.h>
#include <stdio.h>
#include <string.h>

#if MBEDTLS_VERSION_MAJOR < 3 /* these functions of version 3 are other ones there */
#define mbedtls_pk_parse_keyfile(key, path, password, random, ctx)                                           \
    mbedtls_pk_parse_keyfile(key, path, password)
#define mbedtls_ssl_conf_min_tls_version(config, tls1_2) mbedtls_ssl_conf_min_version(config, 3, 3)
#define mbedtls_ssl_conf_max_tls_version(config, tls1_2) mbedtls_ssl_conf_max_version(config, 3, 3)
#endif

/* The result of socket_send and socket_recv. */
static int moved(int n, int not_now)
{
    return n > 0 ? n : n == 0 ? not_now : MBEDTLS_ERR_SSL_CONN_EOF;
}

static int socket_send(void *c, const unsigned char *bytes, size_t len)
{
    return moved(rdl_posix_stream.send(NULL, c, bytes, len), MBEDTLS_ERR_SSL_WANT_WRITE);
}

static int socket_recv(void *c, unsigned char *buf, size_t cap)
{
    return moved(rdl_posix_stream.recv(NULL, c, buf, cap), MBEDTLS_ERR_SSL_WANT_READ);
}

static int draw(void *ctx, unsigned char *buf, size_t len)
{
    (void)ctx;
    return rdl_posix_random(buf, len) == RDL_OK ? 0 : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

/* Reads the files. Returns 0, or the error of Mbed TLS, with the file that cannot be used in t->unusable. */
static int load(struct tls_mbedtls *t)
{
    int rc;

    t->unusable = t->authorities;
    rc = mbedtls_x509_crt_parse_file(&t->trusted, t->authorities);
    if (rc == 0 && t->cert != NULL) {
        t->unusable = t->cert;
        rc = mbedtls_x509_crt_parse_file(&t->own, t->cert);
    }
    if (rc == 0 && t->cert != NULL) {
        t->unusable = t->key;
        rc = mbedtls_pk_parse_keyfile(&t->own_key, t->key, NULL, draw, NULL);
    }
    if (rc == 0)
        t->unusable = NULL;
    return rc;
}

/* Returns 0, or the error of Mbed TLS. */
static int prepare(struct tls_mbedtls *t, struct rdl_conn *c)
{
    int rc;

    t->is_begun = 1;
    t->unsent = 0;
    mbedtls_ssl_init(&t->ssl);
    mbedtls_ssl_config_init(&t->config);
    mbedtls_x509_crt_init(&t->trusted);
    mbedtls_x509_crt_init(&t->own);
    mbedtls_pk_init(&t->own_key);
    mbedtls_ssl_conf_ca_chain(&t->config, &t->trusted, NULL);
    mbedtls_ssl_conf_rng(&t->config, draw, NULL);
    mbedtls_ssl_set_bio(&t->ssl, c, socket_send, socket_recv, NULL);
    if ((rc = load(t)) != 0 ||
        (t->cert != NULL && (rc = mbedtls_ssl_conf_own_cert(&t->config, &t->own, &t->own_key)) != 0) ||
        (rc = mbedtls_ssl_config_defaults(&t->config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                          MBEDTLS_SSL_PRESET_DEFAULT)) != 0)
        return rc;
    mbedtls_ssl_conf_authmode(&t->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_min_tls_version(&t->config, MBEDTLS_SSL_VERSION_TLS1_2);
    mbedtls_ssl_conf_max_tls_version(&t->config,
                                     MBEDTLS_SSL_VERSION_TLS1_2); /* 1.3 needs PSA, and more code */
    if ((rc = mbedtls_ssl_setup(&t->ssl, &t->config)) != 0 ||
        (rc = mbedtls_ssl_set_hostname(&t->ssl, t->name != NULL ? t->name : c->cfg->endpoint->host)) != 0)
        return rc;
    return t->has_session ? mbedtls_ssl_set_session(&t->ssl, &t->session) : 0;
}

/* The result of a call of Mbed TLS: n, 0: not now, or an error, in words unless the socket ended. */
static int result(struct tls_mbedtls *t, struct rdl_conn *c, int n)
{
    char why[160], text[300];

    if (n > 0 || n == MBEDTLS_ERR_SSL_WANT_READ || n == MBEDTLS_ERR_SSL_WANT_WRITE)
        return n > 0 ? n : 0;
    if (n == 0 || n == MBEDTLS_ERR_SSL_CONN_EOF || n == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
        return RDL_E_CLOSED;
    if (n == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED)
        mbedtls_x509_crt_verify_info(why, sizeof why, "", mbedtls_ssl_get_verify_result(&t->ssl));
    else
        mbedtls_strerror(n, why, sizeof why);
    why[strcspn(why, "\n")] = '\0';
    snprintf(text, sizeof text, "%s%s%s", t->unusable != NULL ? t->unusable : "",
             t->unusable != NULL ? ": " : "", why);
    rdl_conn_set_text(c, text);
    return RDL_E_TLS;
}

static int tls_open(void *ctx, struct rdl_conn *c)
{
    struct tls_mbedtls *t = ctx;
    int rc = t->is_begun ? RDL_STREAM_READY : rdl_posix_stream.open(NULL, c);

    if (rc != RDL_STREAM_READY)
        return rc;
    if (t->is_begun || (rc = prepare(t, c)) == 0)
        rc = mbedtls_ssl_handshake(&t->ssl);
    if (rc == MBEDTLS_ERR_SSL_WANT_READ || rc == MBEDTLS_ERR_SSL_WANT_WRITE)
        return rc == MBEDTLS_ERR_SSL_WANT_READ ? RDL_STREAM_WAIT_READ : RDL_STREAM_WAIT_WRITE;
    if (rc != 0)
        return result(t, c, rc < 0 ? rc : MBEDTLS_ERR_X509_INVALID_FORMAT); /* above 0: of a file's text */
    mbedtls_ssl_session_free(&t->session); /* it is all 0 then, as a new one */
    t->has_session = mbedtls_ssl_get_session(&t->ssl, &t->session) == 0;
    return RDL_STREAM_READY;
}

static int tls_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    struct tls_mbedtls *t = ctx;
    int rc, n;

    if (t->unsent > 0)
        len = t->unsent;
    rc = mbedtls_ssl_write(&t->ssl, bytes, len);
    n = result(t, c, rc);
    t->unsent = n == 0 ? len : 0;
    return rc == MBEDTLS_ERR_SSL_WANT_READ ? RDL_STREAM_READ_FIRST : n;
}

static int tls_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    struct tls_mbedtls *t = ctx;

    return result(t, c, mbedtls_ssl_read(&t->ssl, buf, cap));
}

static void tls_close(void *ctx, struct rdl_conn *c)
{
    struct tls_mbedtls *t = ctx;

    if (t->is_begun) {
        mbedtls_ssl_free(&t->ssl);
        mbedtls_ssl_config_free(&t->config);
        mbedtls_x509_crt_free(&t->trusted);
        mbedtls_x509_crt_free(&t->own);
        mbedtls_pk_free(&t->own_key);
    }
    t->is_begun = 0;
    rdl_posix_stream.close(NULL, c);
}

const struct rdl_stream_ops tls_mbedtls = {tls_open, tls_send, tls_recv, tls_close};
