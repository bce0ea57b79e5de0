/* SPDX-License-Identifier: MIT */
/*
 * tls_twice_main.c - the stream of lock/examples/tls_openssl.c over several connections: tls_twice URL ca.pem
 * NAME. The second one resumes the session of the first, and the third does not find the file.
 */
#include <stdio.h>
#include <sys/socket.h>

#include "lock/examples/tls_openssl.h"
#include "lock/lock_io.h"

static struct rdl_posix_conn server;
static struct tls_openssl tls;

static void take_it(const char *when)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 2000, .retry_ms = 50};
    struct rdl_posix posix;
    struct rdl_platform platform;
    struct rdl_lock lock;
    int rc;

    rdl_posix_init(&posix, &platform);
    rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
    rc = rdl_lock_acquire(&lock, &platform);
    printf("%s: %s", when, rdl_strerror(rc));
    if (rc < 0)
        printf(": %s\n", rdl_conn_text(&server.conn));
    else
        printf(", session %s\n", SSL_session_reused(tls.ssl) ? "resumed" : "new");
    rdl_lock_release(&lock, &platform);
}

int main(int argc, char **argv)
{
    if (argc != 4 || rdl_posix_conn_init(&server, argv[1], NULL) != RDL_OK)
        return 2;
    tls.authorities = argv[2];
    tls.name = argv[3];
    server.config.stream = &tls_openssl;
    server.config.stream_ctx = &tls;
    take_it("first");
    shutdown(server.conn.fd, SHUT_RDWR);
    take_it("second");
    shutdown(server.conn.fd, SHUT_RDWR);
    tls.authorities = "/does/not/exist";
    take_it("third");
    return 0;
}
