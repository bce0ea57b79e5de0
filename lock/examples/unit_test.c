/* SPDX-License-Identifier: MIT */
/*
 * unit_test.c - how to test a program that takes locks, without a server and without waiting:
 *
 *     make && build/examples/lock/unit_test
 *
 * prints:
 *
 *     the_job_runs_with_the_lock: ok
 *     the_job_does_not_run_without_the_lock: ok
 *     a_job_that_takes_too_long_is_reported: ok
 *     a_server_that_does_not_reply_is_reported: ok
 *
 * The functions that block use a struct rdl_platform: three functions that you can replace. Here they are a
 * server that gives the replies that the test wants, a clock that only the test moves, and bytes that are
 * always the same.
 *
 * To test with real sockets, start redlock-standin (`make install-standin`), a server for tests, or
 * redis-server. With its URL the first test runs there, too:
 *
 *     redlock-standin 6400 &
 *     build/examples/lock/unit_test redis://127.0.0.1:6400
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_io.h"

/* ---------------------------------------------------------------- the program that is tested */

enum outcome { DONE, NOT_OURS, NO_SERVER, TOO_LATE };

/* Runs the job under the lock. TOO_LATE: the lease ended first, so another client may have worked, too. */
static enum outcome run_job(struct rdl_lock *lock, const struct rdl_platform *platform, void (*job)(void))
{
    int rc = rdl_lock_acquire(lock, platform);
    int is_in_time;

    if (rc < 0)
        return rc == RDL_BUSY ? NOT_OURS : NO_SERVER;
    job();
    is_in_time = rdl_lock_remaining_ms(lock, rdl_now(platform)) > 0;
    (void)rdl_lock_release(lock, platform); /* otherwise it expires */
    return is_in_time ? DONE : TOO_LATE;
}

/* ---------------------------------------------------------------- a platform for tests */

static struct fake {
    uint64_t now_ms;
    int is_held;   /* by another client */
    int is_silent; /* the server replies to nothing */
    char sent[2048];
    size_t sent_len;
} fake;

/* The reply to each command that an acquire and a release send. */
static void reply_to(struct rdl_conn *c, const char *command)
{
    const char *reply = "-ERR unknown command\r\n";

    if (strstr(command, "\r\nSET\r\n") != NULL)
        reply = fake.is_held ? "$-1\r\n" : "+OK\r\n";
    else if (strstr(command, "\r\nPTTL\r\n") != NULL)
        reply = ":10000\r\n"; /* ms that are left of the key */
    else if (strstr(command, "\r\nEVAL\r\n") != NULL)
        reply = ":1\r\n"; /* released */
    rdl_conn_rx(c, (const uint8_t *)reply, strlen(reply));
}

/* Replies to what was sent. A command begins with '*' at the start of a line. */
static void reply_to_all(struct rdl_conn *c)
{
    char *command = fake.sent;

    fake.sent[fake.sent_len] = '\0';
    while (command != NULL && *command != '\0') {
        char *next = strstr(command, "\r\n*");
        if (next != NULL)
            next[1] = '\0'; /* ends this command */
        reply_to(c, command);
        command = next == NULL ? NULL : next + 2;
    }
    fake.sent_len = 0;
}

/* Does what the connection wants. If there is nothing to do, time passes. */
static int fake_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    struct rdl_conn *c = conns[0];
    unsigned wants = rdl_conn_wants(c);

    (void)ctx, (void)n, (void)flags;
    if (wants & RDL_WANT_OPEN) {
        rdl_conn_opened(c);
    } else if (wants & RDL_WANT_CLOSE) {
        rdl_conn_closed(c, rdl_conn_error(c));
    } else if (wants & RDL_WANT_WRITE) {
        size_t room = sizeof fake.sent - 1 - fake.sent_len;
        size_t len = rdl_conn_tx(c, (uint8_t *)fake.sent + fake.sent_len, room);
        fake.sent_len += len;
        rdl_conn_tx_done(c, len);
    } else if (fake.sent_len > 0 && !fake.is_silent) {
        reply_to_all(c);
    } else if (until_ms > fake.now_ms) {
        fake.now_ms = until_ms;
    }
    return RDL_OK;
}

static uint64_t fake_now_ms(void *ctx)
{
    (void)ctx;
    return fake.now_ms;
}

static int fake_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 7, len);
    return RDL_OK;
}

static const struct rdl_platform fake_platform = {fake_poll, fake_now_ms, fake_random, NULL};

/* ---------------------------------------------------------------- the tests */

static struct rdl_posix_conn server;
static struct rdl_lock lock;
static int n_jobs;

static void job(void)
{
    n_jobs++;
}

static void long_job(void)
{
    n_jobs++;
    fake.now_ms += 60000;
}

/* Without a URL the connection leads to an address that nothing connects to. */
static int begin(const char *url)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 2000, .retry_ms = 50};

    memset(&fake, 0, sizeof fake);
    fake.now_ms = 1000;
    n_jobs = 0;
    if (rdl_posix_conn_init(&server, url, NULL) != RDL_OK)
        return -1;
    return rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
}

static int failures;

static void check(const char *test, int is_right)
{
    printf("%s: %s\n", test, is_right ? "ok" : "FAILED");
    failures += !is_right;
}

static void test_without_server(void)
{
    static const char nowhere[] = "redis://127.0.0.1:1";

    begin(nowhere);
    check("the_job_runs_with_the_lock", run_job(&lock, &fake_platform, job) == DONE && n_jobs == 1);
    begin(nowhere);
    fake.is_held = 1;
    check("the_job_does_not_run_without_the_lock",
          run_job(&lock, &fake_platform, job) == NOT_OURS && n_jobs == 0);
    begin(nowhere);
    check("a_job_that_takes_too_long_is_reported",
          run_job(&lock, &fake_platform, long_job) == TOO_LATE && n_jobs == 1);
    begin(nowhere);
    fake.is_silent = 1;
    check("a_server_that_does_not_reply_is_reported",
          run_job(&lock, &fake_platform, job) == NO_SERVER && n_jobs == 0);
}

static int test_with_server(const char *url)
{
    struct rdl_posix posix;
    struct rdl_platform platform;

    if (begin(url) != RDL_OK) {
        fprintf(stderr, "usage: unit_test [redis://ADDRESS:PORT]\n");
        return 2;
    }
    rdl_posix_init(&posix, &platform);
    check("the_job_runs_with_a_real_server", run_job(&lock, &platform, job) == DONE && n_jobs == 1);
    return 0;
}

int main(int argc, char **argv)
{
    test_without_server();
    if (argc > 1 && test_with_server(argv[1]) != 0)
        return 2;
    return failures > 0;
}
