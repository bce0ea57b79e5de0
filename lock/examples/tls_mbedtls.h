/* SPDX-License-Identifier: MIT */
/*
 * tls_mbedtls.h - TLS with Mbed TLS 2.28 or 3, a stream on top of the sockets. Copy it with tls_mbedtls.c.
 *
 * It checks the server's certificate and name before it sends a byte, including the password. It reads the
 * files at each connect, because they may have been replaced. A reconnect resumes the last session. close
 * sends nothing: in a child after fork the connection is the parent's.
 *
 * Mbed TLS 2.28 compares host names only, no addresses. It speaks TLS 1.2.
 *
 * On a board without sockets, use the functions of your own stream instead of rdl_posix_stream's, and a
 * random source of your own.
 */
#ifndef TLS_MBEDTLS_H
#define TLS_MBEDTLS_H

#include <mbedtls/ssl.h>

#include "net/net_stream.h"

/* The TLS of one connection: its ctx. The program sets the names of the files; the rest is 0 at first. */
struct tls_mbedtls {
    const char *authorities; /* the certificates of the trusted authorities, a PEM file */
    const char *cert, *key;  /* the client's certificate and its key, PEM files; NULL: none */
    const char *name;        /* the host name in the server's certificate; NULL: the endpoint's host */
    const char *unusable;    /* the file that is the reason; NULL: none */
    int is_begun;            /* the next five are in use */
    mbedtls_ssl_config config;
    mbedtls_ssl_context ssl;
    mbedtls_x509_crt trusted, own;
    mbedtls_pk_context own_key;
    int has_session;
    mbedtls_ssl_session session; /* of the last connection */
    size_t unsent;               /* bytes of an mbedtls_ssl_write that waits, which must be repeated alike */
};

extern const struct rdl_stream_ops tls_mbedtls;

#endif
