/* SPDX-License-Identifier: MIT */
/*
 * tls_program.c - a lock over TLS, with OpenSSL or with Mbed TLS:
 *
 *     cc -I. lock/examples/tls_program.c lock/examples/tls_openssl.c build/libredlock.a \
 *         -lssl -lcrypto -o tls
 *     cc -I. -DUSE_MBEDTLS lock/examples/tls_program.c lock/examples/tls_mbedtls.c build/libredlock.a \
 *         -lmbedtls -lmbedx509 -lmbedcrypto -o tls
 *     ./tls redis://127.0.0.1:6380 ca.pem localhost
 *
 * The last argument is the name in the server's certificate. Without it, the certificate must have the
 * address of the URL. Two more files may follow: the client's certificate and its key.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_io.h"

#ifdef USE_MBEDTLS
#include "lock/examples/tls_mbedtls.h"
static struct tls_mbedtls tls;
static const struct rdl_stream_ops *const stream = &tls_mbedtls;
#else
#include "lock/examples/tls_openssl.h"
static struct tls_openssl tls;
static const struct rdl_stream_ops *const stream = &tls_openssl;
#endif

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
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock lock;
    int rc;

    if (argc < 3 || argc > 6 || argc == 5 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK) {
        fprintf(stderr, "usage: tls redis://ADDRESS:PORT AUTHORITIES.pem [NAME [CERTIFICATE.pem KEY.pem]]\n");
        return 2;
    }
    tls.authorities = argv[2];
    tls.name = argc > 3 ? argv[3] : NULL;
    tls.cert = argc == 6 ? argv[4] : NULL;
    tls.key = argc == 6 ? argv[5] : NULL;
    server.config.stream = stream;
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
