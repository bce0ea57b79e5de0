/* SPDX-License-Identifier: MIT */
/*
 * tls_openssl.h - TLS with OpenSSL, a stream on top of the sockets. Copy it with tls_openssl.c.
 *
 * It checks the server's certificate and name before it sends a byte, including the password. It reads the
 * files at each connect, because they may have been replaced. A reconnect resumes the last session: the
 * certificate was checked before. close sends nothing: in a child after fork the connection is the parent's.
 */
#ifndef TLS_OPENSSL_H
#define TLS_OPENSSL_H

#include <openssl/ssl.h>

#include "net/net_stream.h"

/* The TLS of one connection: its ctx. The program sets the names of the files; the rest is 0 at first. */
struct tls_openssl {
    const char *authorities; /* the certificates of the trusted authorities, a PEM file */
    const char *cert, *key;  /* the client's certificate and its key, PEM files; NULL: none */
    const char *name;        /* the name or address in the server's certificate; NULL: the endpoint's host */
    SSL_SESSION *session; /* of the last connection; free it with SSL_SESSION_free if you no longer need it */
    SSL *ssl;             /* NULL: there is no connection */
    BIO_METHOD *socket;
    const char *unusable; /* the file that is the reason; NULL: none */
};

extern const struct rdl_stream_ops tls_openssl;

#endif
