/* SPDX-License-Identifier: MIT */
/*
 * check_net_posix_stdin.c - the drivers in a program that has closed its standard input. The next descriptor
 * is then 0, and it works like any other.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"

enum { HOUR_MS = 3600 * 1000 };

static struct live_server server;
static struct client client;
static char url[256];

static void setup(void)
{
    client_setup();
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
    close(0);
}

static void teardown(void)
{
    live_remove(&server);
}

static int is_closed(int fd)
{
    return fcntl(fd, F_GETFD) == -1 && errno == EBADF;
}

START_TEST(a_connection_may_have_descriptor_0)
{
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), 0);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "a"), RDL_ANSWER_YES);
    rdl_posix_close(&client.conn);
    ck_assert(is_closed(0));
}
END_TEST

START_TEST(descriptor_0_is_closed_when_a_socket_is_given)
{
    struct fake_server fake = {.trick = FAKE_BLACK_HOLE};
    int saved = dup(STDERR_FILENO); /* descriptor 0 is in use while the fake server starts */

    ck_assert_int_eq(saved, 0);
    fake_start(&fake);
    client_init(&client, fake_url(&fake, url, sizeof url));
    close(saved);
    client_submit(&client, &rdl_op_acquire, "a");
    client_step(&client, client_now());
    ck_assert_int_eq(rdl_posix_fd(&client.conn), 0);
    rdl_posix_opened(&client.conn, fcntl(live_connect(&server), F_DUPFD, 10));
    ck_assert(is_closed(0));
    fake_stop(&fake);
}
END_TEST

/* The byte is never read, so the second poll ends, too. */
START_TEST(wake_fd_may_be_descriptor_0)
{
    struct rdl_conn *conns[] = {&client.conn};
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(ends[0], 0);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    client_set_wake_fd(0);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 1, client_now() + HOUR_MS, 1, 1),
                         RDL_E_INTERRUPTED);
}
END_TEST

/* It is closed, and poll(2) would report that at once. */
START_TEST(a_conn_that_waits_for_nothing_does_not_watch_descriptor_0)
{
    uint64_t until_ms = client_now() + 100;

    ck_assert_int_eq(rdl_posix_events(&client.conn), 0);
    client_platform.poll(client_platform.ctx, (struct rdl_conn *[]){&client.conn}, 1, until_ms, 1, 0);
    ck_assert_uint_ge(client_now(), until_ms);
}
END_TEST

/* Without getrandom the bytes come from this file. Where getrandom is no system call, no file is opened. */
START_TEST(dev_urandom_may_have_descriptor_0)
{
    char bytes[16];

    refuse_call(SYS_getrandom, ENOSYS);
    ck_assert_int_eq(rdl_posix_random(bytes, sizeof bytes), RDL_OK);
    ck_assert(is_closed(0));
}
END_TEST

Suite *suite_net_posix_stdin(void);

Suite *suite_net_posix_stdin(void)
{
    Suite *suite = suite_create("net_posix_stdin");
    TCase *tc = tcase_create("stdin");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_connection_may_have_descriptor_0);
    tcase_add_test(tc, descriptor_0_is_closed_when_a_socket_is_given);
    tcase_add_test(tc, wake_fd_may_be_descriptor_0);
    tcase_add_test(tc, a_conn_that_waits_for_nothing_does_not_watch_descriptor_0);
    tcase_add_test(tc, dev_urandom_may_have_descriptor_0);
    suite_add_tcase(suite, tc);
    return suite;
}
