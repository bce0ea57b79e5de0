/* SPDX-License-Identifier: MIT */
/* check_net_posix_errors.c - the socket driver where system calls fail, and below another stream. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "net/net_stream.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;
static struct fake_server fake;
static struct client client;
static char url[256];

static void setup(void)
{
    client_setup();
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
}

static void teardown(void)
{
    live_remove(&server);
}

/* The pending request was never sent. */
static void check_unsent(int error, int err)
{
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_UNSENT);
    ck_assert_int_eq(client.req.error, error);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), err);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}

/* ---------------------------------------------------------------- connecting */

START_TEST(a_host_without_a_resource_is_a_system_error)
{
    static const int missing[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM, EBADF};

    refuse_call(SYS_socket, (unsigned)missing[_i]);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_SYSTEM, missing[_i]);
}
END_TEST

START_TEST(a_socket_that_may_not_be_made_is_a_failed_connection)
{
    refuse_call(SYS_socket, EAFNOSUPPORT);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_CONNECT, EAFNOSUPPORT);
}
END_TEST

/* The system refuses a link-local address without a zone (EINVAL). No host has this one. */
START_TEST(an_ipv6_address_is_used_with_its_zone)
{
    client_init(&client, "redis://[fe80::1]:1");
    client.endpoint.scope = if_nametoindex("lo");
    client.cfg.connect_ms = 200;
    client_submit(&client, &rdl_op_acquire, "a");
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_UNSENT);
    ck_assert_int_ne(rdl_posix_errno(&client.conn), EINVAL);
}
END_TEST

/* The system connects in the background; the socket is watched, and not connected anew. */
START_TEST(a_connect_that_a_signal_ends_goes_on)
{
    refuse_call(SYS_connect, EINTR);
    client_submit(&client, &rdl_op_acquire, "a");
    client_step(&client, client_now());
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
    ck_assert_int_ge(rdl_posix_fd(&client.conn), 0);
}
END_TEST

/* Of a unix socket it means a full backlog. */
START_TEST(no_port_left_to_connect_from_is_a_failed_connection)
{
    refuse_call(SYS_connect, EAGAIN);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_CONNECT, EAGAIN);
}
END_TEST

/* The reason is only read if there is no connection. */
START_TEST(a_connection_whose_result_cannot_be_read_has_failed)
{
    live_kill(&server);
    refuse_call(SYS_getsockopt, ENOBUFS);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_SYSTEM, ENOBUFS);
}
END_TEST

START_TEST(a_socket_whose_own_address_is_unknown_is_used)
{
    refuse_call(SYS_getsockname, ENOBUFS);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
}
END_TEST

START_TEST(a_given_socket_may_still_be_connecting)
{
    fake.trick = FAKE_BLACK_HOLE;
    fake_start(&fake);
    client_init(&client, fake_url(&fake, url, sizeof url));
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, socket(AF_INET, SOCK_STREAM, 0));
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
    fake_stop(&fake);
}
END_TEST

/* A connected socket whose peer has ended the connection with a reset. */
static int reset_socket(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct linger at_once = {1, 0};
    socklen_t len = sizeof a;
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0), peer;

    ck_assert_int_eq(bind(listener, (struct sockaddr *)&a, len) | listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&a, &len), 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, len), 0);
    peer = accept(listener, NULL, NULL);
    ck_assert_int_eq(setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close(peer);
    close(listener);
    return fd;
}

START_TEST(a_given_socket_that_was_reset_is_a_failed_connection)
{
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, reset_socket());
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CONNECT);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), ECONNRESET);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}
END_TEST

START_TEST(a_closed_conn_waits_for_no_event)
{
    ck_assert_int_eq(rdl_posix_events(&client.conn), 0);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_posix_events(&client.conn), POLLIN);
    rdl_posix_close(&client.conn);
    ck_assert_int_eq(rdl_posix_events(&client.conn), 0);
}
END_TEST

/* ---------------------------------------------------------------- sending and receiving */

START_TEST(without_room_to_send_a_request_waits)
{
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    refuse_call(SYS_sendto, EAGAIN);
    client_submit(&client, &rdl_op_extend, "a");
    client_step(&client, client_now());
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_READY);
}
END_TEST

/* Before the first byte of a connection, and after it. */
START_TEST(the_reason_why_sending_failed_is_kept)
{
    if (_i)
        ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    refuse_call(SYS_sendto, EPIPE);
    client_submit(&client, &rdl_op_extend, "a");
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CLOSED);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), EPIPE);
}
END_TEST

START_TEST(a_socket_that_the_program_made_nonblocking_is_polled)
{
    struct rdl_conn *conns[] = {&client.conn};

    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    live_freeze(&server);
    client_submit(&client, &rdl_op_extend, "a");
    client_step(&client, client_now());
    ck_assert_int_eq(fcntl(rdl_posix_fd(&client.conn), F_SETFL, O_NONBLOCK), 0);
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 1, client_now() + 300, 0), RDL_OK);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
    live_thaw(&server);
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_YES);
}
END_TEST

/* Or the device has an end. A C library that needs no system call (glibc 2.41) has them all the same. */
START_TEST(random_numbers_that_cannot_be_read_are_an_error)
{
    int expected = calls_for_random() ? RDL_E_RANDOM : RDL_OK;
    char bytes[16];

    refuse_call(SYS_getrandom, ENOSYS);
    refuse_call(SYS_read, _i ? EIO : 0);
    ck_assert_int_eq(rdl_posix_random(bytes, sizeof bytes), expected);
}
END_TEST

/* ---------------------------------------------------------------- below another stream */

/* The driver itself as the stream of the configuration: it is called as by a stream on top of it. */
static void setup_upper(void)
{
    setup();
    client.cfg.stream = &rdl_posix_stream;
}

START_TEST(a_stream_on_top_of_sockets_works)
{
    int fds = live_count_fds();

    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    ck_assert(fcntl(rdl_posix_fd(&client.conn), F_GETFL) & O_NONBLOCK); /* the stream must not wait */
    live_kill(&server);
    client_wait_state(&client, RDL_CONN_CLOSED);
    live_restart(&server);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "a"), RDL_ANSWER_ABSENT);
    rdl_posix_close(&client.conn);
    ck_assert_int_eq(live_count_fds(), fds);
}
END_TEST

/* The stream itself opens, once the socket is connected. */
START_TEST(a_stream_gets_the_given_socket)
{
    int fd = live_connect(&server);

    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, fd);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), fd);
}
END_TEST

START_TEST(a_stream_learns_that_sending_failed)
{
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    refuse_call(SYS_sendto, EPIPE);
    client_submit(&client, &rdl_op_extend, "a");
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), EPIPE);
}
END_TEST

Suite *suite_net_posix_errors(void)
{
    Suite *suite = suite_create("net_posix_errors");
    TCase *tc = suite_case(suite, "errors", setup, teardown);
    TCase *below = suite_case(suite, "below", setup_upper, teardown);

    tcase_add_loop_test(tc, a_host_without_a_resource_is_a_system_error, 0, 5);
    tcase_add_test(tc, a_socket_that_may_not_be_made_is_a_failed_connection);
    tcase_add_test(tc, an_ipv6_address_is_used_with_its_zone);
    tcase_add_test(tc, a_connect_that_a_signal_ends_goes_on);
    tcase_add_test(tc, no_port_left_to_connect_from_is_a_failed_connection);
    tcase_add_test(tc, a_connection_whose_result_cannot_be_read_has_failed);
    tcase_add_test(tc, a_socket_whose_own_address_is_unknown_is_used);
    tcase_add_test(tc, a_given_socket_may_still_be_connecting);
    tcase_add_test(tc, a_given_socket_that_was_reset_is_a_failed_connection);
    tcase_add_test(tc, a_closed_conn_waits_for_no_event);
    tcase_add_test(tc, a_socket_that_the_program_made_nonblocking_is_polled);
    tcase_add_loop_test(tc, random_numbers_that_cannot_be_read_are_an_error, 0, 2);
    tcase_add_test(below, a_stream_on_top_of_sockets_works);
    tcase_add_test(below, a_stream_gets_the_given_socket);
    tcase_add_test(below, a_stream_learns_that_sending_failed);
    tc = suite_case(suite, "sockets alone", setup, teardown);
    tcase_set_tags(tc, "sockets");
    tcase_add_test(tc, without_room_to_send_a_request_waits);
    tcase_add_loop_test(tc, the_reason_why_sending_failed_is_kept, 0, 2);
    return suite;
}
