/* SPDX-License-Identifier: MIT */
/*
 * check_net_posix_stdin.c - the drivers in a program that was started without standard input, output or
 * error.
 * The next descriptor is then 0, 1 or 2. A connection never gets it, or the program would print to the
 * server.
 * One that the program gives works like any other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "net/net_posix_process.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum { HOUR_MS = 3600 * 1000, N_CLOSED = 4 };

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

/* Which of the three are closed. */
static const int closed[N_CLOSED][3] = {{0}, {1}, {2}, {0, 1, 2}};

START_TEST(no_connection_is_standard_input_output_or_error)
{
    const int *fds = closed[_i / 2];

    client_init(&client, live_url(&server, _i % 2 ? LIVE_UNIX : LIVE_V4, url, sizeof url));
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    ck_assert_int_ge(rdl_posix_fd(&client.conn), 3);
    ck_assert_int_eq(fcntl(rdl_posix_fd(&client.conn), F_GETFD), FD_CLOEXEC);
    for (int i = 0; i < 3; i++)
        ck_assert(is_closed(fds[i]));
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "a"), RDL_ANSWER_YES);
}
END_TEST

/* From now on this process opens no descriptor from first on. */
static void limit_descriptors(int first)
{
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = (rlim_t)first;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Descriptor 0 is free, but is no substitute. */
START_TEST(without_another_descriptor_the_host_lacks_one)
{
    limit_descriptors(3);
    client_submit(&client, &rdl_op_acquire, "a");
    client_step(&client, client_now());
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), EMFILE);
    ck_assert(is_closed(0));
}
END_TEST

START_TEST(no_end_of_a_pipe_is_standard_input_output_or_error)
{
    int ends[2];
    char byte = 0;

    for (int i = 0; i < _i; i++)
        close(i);
    ck_assert_int_eq(rdl_posix_pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_ge(ends[i], 3);
        ck_assert_int_eq(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
    }
    for (int i = 0; i < _i; i++)
        ck_assert(is_closed(i));
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'x');
}
END_TEST

/* There is room for none of its ends, or for one. */
START_TEST(a_pipe_without_descriptors_leaves_none_open)
{
    int ends[2], next = fcntl(2, F_DUPFD, 3);

    close(1);
    close(next);
    limit_descriptors(next + _i);
    ck_assert_int_eq(rdl_posix_pipe(ends), -1);
    ck_assert_int_eq(errno, EMFILE);
    ck_assert(is_closed(0) && is_closed(1) && is_closed(next));
}
END_TEST

START_TEST(descriptor_0_that_is_given_is_a_connection)
{
    int fd = live_connect(&server);

    ck_assert_int_eq(fd, 0);
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, fd);
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), 0);
    rdl_posix_close(&client.conn);
    ck_assert(is_closed(0));
}
END_TEST

/* The first one is not connected yet. */
START_TEST(descriptor_0_is_closed_when_another_socket_is_given)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_eq(fd, 0);
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, fd);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), 0);
    rdl_posix_opened(&client.conn, fcntl(live_connect(&server), F_DUPFD, 10));
    ck_assert(is_closed(0));
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
        ck_assert_int_eq(
            client_platform.poll(client_platform.ctx, conns, 1, client_now() + HOUR_MS, RDL_POLL_CAN_WAKE),
            RDL_E_INTERRUPTED);
}
END_TEST

/* It is closed, and poll(2) would report that at once. */
START_TEST(a_conn_that_waits_for_nothing_does_not_watch_descriptor_0)
{
    uint64_t until_ms = client_now() + 100;

    ck_assert_int_eq(rdl_posix_events(&client.conn), 0);
    client_platform.poll(client_platform.ctx, (struct rdl_conn *[]){&client.conn}, 1, until_ms, 0);
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

Suite *suite_net_posix_stdin(void)
{
    Suite *suite = suite_create("net_posix_stdin");
    TCase *tc = suite_case(suite, "stdin", setup, teardown);

    tcase_add_loop_test(tc, no_connection_is_standard_input_output_or_error, 0, 2 * N_CLOSED);
    tcase_add_test(tc, without_another_descriptor_the_host_lacks_one);
    tcase_add_loop_test(tc, no_end_of_a_pipe_is_standard_input_output_or_error, 0, 4);
    tcase_add_loop_test(tc, a_pipe_without_descriptors_leaves_none_open, 0, 2);
    tcase_add_test(tc, descriptor_0_that_is_given_is_a_connection);
    tcase_add_test(tc, descriptor_0_is_closed_when_another_socket_is_given);
    tcase_add_test(tc, wake_fd_may_be_descriptor_0);
    tcase_add_test(tc, a_conn_that_waits_for_nothing_does_not_watch_descriptor_0);
    tcase_add_test(tc, dev_urandom_may_have_descriptor_0);
    return suite;
}
