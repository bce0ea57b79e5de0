/* SPDX-License-Identifier: MIT */
/*
 * tls_twice_main.c - the stream of lock/examples/tls_openssl.c over several connections: tls_twice URL ca.pem
 * NAME. The second one resumes the session of the first, and the third does not find the file.
 */
#define main example_main
int example_main(int argc, char **argv);
#include "lock/examples/tls_openssl.c" /* NOLINT(bugprone-suspicious-include): its stream is static */
#undef main
#include <sys/socket.h>

static struct rdl_posix_conn server;
static struct tls tls;

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
        printf(": %s\n", why_not(&server.conn));
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
    server.config.stream = &tls_stream;
    server.config.stream_ctx = &tls;
    take_it("first");
    shutdown(server.conn.fd, SHUT_RDWR);
    take_it("second");
    shutdown(server.conn.fd, SHUT_RDWR);
    tls.authorities = "/does/not/exist";
    take_it("third");
    return 0;
}
