/* SPDX-License-Identifier: MIT */
/*
 * easy_tls.c - a lock over TLS, with OpenSSL, on one server or on three:
 *
 *     cc -I. redlock/examples/easy_tls.c lock/examples/tls_openssl.c build/libredlock.a \
 *         -lssl -lcrypto -o easy_tls
 *     ./easy_tls 'rediss://a:6380 rediss://b:6380 rediss://c:6380' ca.pem
 *
 * prints:
 *
 *     the lock lasts for 29 s
 *     released
 *
 * ca.pem has the certificates of the trusted authorities. Each server's certificate must have the host of its
 * URL. A server that has just started is refused, with a text that says why. Then add the argument: new
 */
#include <stdio.h>

#include "lock/examples/tls_openssl.h"
#include "redlock/easy.h"

static int fail(struct rdl_easy *lock, int status)
{
    fprintf(stderr, "%s\n", rdl_easy_error(lock));
    rdl_easy_close(lock);
    return status;
}

int main(int argc, char **argv)
{
    static struct rdl_easy lock;
    static struct tls_openssl tls[RDL_EASY_STREAMS];
    struct rdl_easy_options options = {
        .stream = &tls_openssl, .stream_ctxs = tls, .stream_ctx_size = sizeof tls[0]};

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: easy_tls 'URL ...' AUTHORITIES.pem [new]\n");
        return 2;
    }
    for (int i = 0; i < RDL_EASY_STREAMS; i++)
        tls[i].authorities = argv[2];
    if (argc == 4)
        options.flags = RDL_EASY_NO_RESTART_GUARD;
    if (rdl_easy_open(&lock, argv[1], "nightly", &options) < 0)
        return fail(&lock, 2);
    if (rdl_easy_acquire(&lock, 5000) < 0) /* wait for up to 5 s */
        return fail(&lock, 1);
    printf("the lock lasts for %u s\n", (unsigned)rdl_easy_remaining_ms(&lock) / 1000);
    if (rdl_easy_release(&lock) < 0)
        return fail(&lock, 1);
    printf("released\n");
    rdl_easy_close(&lock);
    return 0;
}
