/* SPDX-License-Identifier: MIT */
/* check_net_posix_bad.c - the socket driver with peers that fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct client client;

/* The pending request was never sent, for this reason, and the socket is gone. */
static void check_unsent(int error)
{
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_UNSENT);
    ck_assert_int_eq(client.req.error, error);
    ck_assert_int_eq(rdl_conn_error(&client.conn), error);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}

/* More sockets than this process may watch: the host reports an error, and no call waits for ever. */
START_TEST(a_poll_that_the_host_refuses_is_reported)
{
    struct rlimit many, few;
    struct rdl_conn *conns[] = {&client.conn, &client.conn};
    int rc;

    client_meet(&client, FAKE_CLOSES, NULL, 1, 0);
    client_wait_state(&client, RDL_CONN_READY);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &many), 0);
    few = many;
    few.rlim_cur = 1;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    rc = client_platform.poll(client_platform.ctx, conns, 2, client_now() + CLIENT_TIMEOUT_MS, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &many), 0);
    ck_assert_int_eq(rc, RDL_E_SYSTEM);
}
END_TEST

/* ---------------------------------------------------------------- no connection */

START_TEST(a_refused_connection_is_reported)
{
    client_meet(&client, FAKE_REFUSES, NULL, 0, _i);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_CONNECT);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), ECONNREFUSED);
}
END_TEST

START_TEST(a_missing_unix_socket_is_reported)
{
    client_init(&client, "unix:///nowhere/at/all");
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_CONNECT);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), ENOENT);
}
END_TEST

/* Broadcast: the socket may not. (root does not see the permissions of a unix socket.) */
START_TEST(a_forbidden_address_is_reported)
{
    client_init(&client, "redis://255.255.255.255");
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_CONNECT);
    ck_assert_msg(rdl_posix_errno(&client.conn) == EACCES || rdl_posix_errno(&client.conn) == ENETUNREACH,
                  "%d", rdl_posix_errno(&client.conn));
}
END_TEST

/* The error of the last connection does not apply to this one, or to this end. */
START_TEST(a_system_error_is_cleared_by_the_next_connection)
{
    client_meet(&client, FAKE_SILENT, NULL, 0, 0);
    client.conn.sys_error = ECONNREFUSED;
    client_wait_state(&client, RDL_CONN_READY);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), 0);
    client.conn.sys_error = ECONNREFUSED;
    rdl_conn_shut(&client.conn, RDL_E_TIMEOUT);
    client_wait_state(&client, RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), 0);
    client_init(&client, "redis://localhost");
    client.conn.sys_error = ECONNREFUSED;
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_NO_ADDRESS);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), 0);
}
END_TEST

START_TEST(a_name_without_an_address_has_an_error_of_its_own)
{
    client_init(&client, "redis://localhost");
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_NO_ADDRESS);
    ck_assert_int_eq(rdl_is_permanent(RDL_E_NO_ADDRESS), 0);
}
END_TEST

START_TEST(a_socket_path_that_is_too_long_is_refused)
{
    char path[109]; /* one byte more than sun_path has with its NUL */

    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    client_init(&client, "unix:///s");
    client.endpoint.host = path;
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_URL);
}
END_TEST

START_TEST(running_out_of_descriptors_is_a_system_error)
{
    struct rlimit limit;
    rlim_t before;

    client_init(&client, "redis://127.0.0.1");
    client_submit(&client, &rdl_op_acquire, "a");
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    before = limit.rlim_cur;
    limit.rlim_cur = 0;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    client_step(&client, client_now());
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    check_unsent(RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), EMFILE);
}
END_TEST

START_TEST(connecting_into_a_black_hole_ends_at_connect_ms)
{
    uint64_t start_ms = client_now();

    client_meet(&client, FAKE_BLACK_HOLE, NULL, 0, 0);
    client.cfg.connect_ms = 250;
    client_step(&client, client_now());
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
    ck_assert_int_ge(rdl_posix_fd(&client.conn), 0);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unsent(RDL_E_TIMEOUT);
    ck_assert_uint_ge(client_now(), start_ms + 250);
}
END_TEST

/* The system reports it at once, where TCP would wait. */
START_TEST(a_full_backlog_of_a_unix_socket_is_waited_for)
{
    int before, i, accepted;

    client_meet(&client, FAKE_BLACK_HOLE, NULL, 0, 1);
    client.cfg.connect_ms = CLIENT_TIMEOUT_MS; /* to count the descriptors takes long on a busy machine */
    before = live_count_fds();
    client_submit(&client, &rdl_op_acquire, "a");
    for (i = 0; i < 5; i++) {
        client_step(&client, client_now() + CLIENT_TIMEOUT_MS); /* no longer than until the next try */
        ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
        ck_assert_int_eq(live_count_fds(), before);
    }
    accepted = accept(client_fake.fds[0], NULL, NULL); /* there is space again */
    client_wait_state(&client, RDL_CONN_READY);
    close(accepted);
}
END_TEST

/* The conn is not the first, and the other has nothing to do. */
START_TEST(a_full_backlog_is_tried_again_before_the_end_of_the_wait)
{
    static struct client other;
    struct rdl_conn *conns[] = {&other.conn, &client.conn};
    uint64_t until_ms = client_now() + CLIENT_TIMEOUT_MS;

    client_meet(&client, FAKE_BLACK_HOLE, NULL, 0, 1);
    client_init(&other, "redis://127.0.0.1:1");
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 2, until_ms, 0), RDL_OK);
    ck_assert_uint_lt(client_now(), until_ms);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
}
END_TEST

START_TEST(a_closed_conn_does_not_shorten_a_wait)
{
    struct rdl_conn *conns[] = {&client.conn};
    uint64_t until_ms = client_now() + 150;

    client_init(&client, "redis://127.0.0.1:1");
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 1, until_ms, 0), RDL_OK);
    ck_assert_uint_ge(client_now(), until_ms);
}
END_TEST

START_TEST(a_full_backlog_of_a_unix_socket_ends_at_connect_ms)
{
    uint64_t start_ms = client_now();
    unsigned steps = 0;

    client_meet(&client, FAKE_BLACK_HOLE, NULL, 0, 1);
    client.cfg.connect_ms = 250;
    client_submit(&client, &rdl_op_acquire, "a");
    while (client.req.answer == RDL_ANSWER_NONE) {
        client_step(&client, UINT64_MAX);
        steps++;
    }
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(client.req.error, RDL_E_TIMEOUT);
    ck_assert_uint_ge(client_now(), start_ms + 250);
    ck_assert_uint_le(steps, (client_now() - start_ms) / 5 + 10); /* it sleeps between two tries */
}
END_TEST

/* What a poll reported for another socket that had the same number. */
START_TEST(an_event_while_connecting_does_not_open_the_connection)
{
    static const short events[] = {POLLOUT, POLLIN, POLLERR, POLLHUP, POLLIN | POLLOUT | POLLHUP};
    size_t i;

    client_meet(&client, FAKE_BLACK_HOLE, NULL, 0, 0);
    client_submit(&client, &rdl_op_acquire, "a");
    client_step(&client, client_now());
    for (i = 0; i < sizeof events / sizeof events[0]; i++) {
        rdl_posix_ready(&client.conn, events[i]);
        ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_OPENING);
    }
}
END_TEST

/* The system may connect a socket to itself if nothing listens on a local port and it chooses that port. */
static int socket_to_itself(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

START_TEST(a_socket_connected_to_itself_is_refused)
{
    int before = live_count_fds();

    client_init(&client, "redis://127.0.0.1");
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, socket_to_itself());
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CONNECT);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), ECONNREFUSED);
    ck_assert_int_eq(live_count_fds(), before);
}
END_TEST

START_TEST(failed_connections_leave_no_descriptor)
{
    char url[256];
    int before;
    int i;

    client_meet(&client, FAKE_REFUSES, NULL, 0, _i);
    before = live_count_fds();
    for (i = 0; i < 20; i++) {
        client_init(&client, fake_url(&client_fake, url, sizeof url));
        client_submit(&client, &rdl_op_acquire, "a");
        check_unsent(RDL_E_CONNECT);
        ck_assert_int_eq(live_count_fds(), before);
    }
}
END_TEST

/* ---------------------------------------------------------------- unusual replies */

/* The pending request was sent, and its connection ended for this reason. */
static void check_unknown(int error)
{
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(client.req.error, error);
    client_wait_closed(&client);
    ck_assert_int_eq(rdl_conn_error(&client.conn), error);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}

START_TEST(a_reply_that_arrives_byte_by_byte_is_one_reply)
{
    client_meet(&client, FAKE_DRIPS, "+OK\r\n:60000\r\n", 1, _i);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
}
END_TEST

START_TEST(a_web_server_is_a_syntax_error)
{
    client_meet(&client, FAKE_ANSWERS, "HTTP/1.1 400 Bad Request\r\nServer: none\r\n\r\n", 1, _i);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unknown(RDL_E_SYNTAX);
}
END_TEST

/* As an ingress without backends: there may be a server the next time. */
START_TEST(a_load_balancer_without_a_backend_is_a_temporary_error)
{
    static const char *const lines[] = {"HTTP/1.1 502 Bad Gateway", "HTTP/1.0 503 Service Unavailable",
                                        "HTTP/1.1 504 Gateway Timeout"};
    char text[100];

    snprintf(text, sizeof text, "%s\r\nContent-Length: 0\r\n\r\n", lines[_i]);
    client_meet(&client, FAKE_CLOSES, text, 1, 0);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unknown(RDL_E_TRY_LATER);
    ck_assert_str_eq(rdl_conn_text(&client.conn), lines[_i]);
}
END_TEST

static void arrives(int fd, const char *bytes)
{
    ck_assert_int_eq(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    rdl_posix_ready(&client.conn, POLLIN);
}

START_TEST(http_inside_a_reply_is_not_a_load_balancer)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    client_init(&client, "redis://127.0.0.1");
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, pair[0]);
    arrives(pair[1], "$12\r\n");
    arrives(pair[1], "HTTP/1.1 503");
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_READY);
    close(pair[1]);
}
END_TEST

START_TEST(other_http_replies_are_syntax_errors)
{
    static const char *const lines[] = {
        "HTTP/1.1 500 Internal Server Error\r\n", "HTTP/1.1 501 Not Implemented\r\n",
        "HTTP/1.1 505 HTTP Version Not Supported\r\n", "HTTP/1.1 50", "HTTP/2.0 503 Service Unavailable\r\n"};

    client_meet(&client, FAKE_CLOSES, lines[_i], 1, 0);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unknown(RDL_E_SYNTAX);
}
END_TEST

START_TEST(an_unexpected_reply_closes_the_connection)
{
    client_meet(&client, FAKE_GREETS, ":1\r\n", 0, _i);
    client_wait_state(&client, RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_UNEXPECTED);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}
END_TEST

START_TEST(a_connection_closed_before_the_reply_is_unknown)
{
    client_meet(&client, FAKE_CLOSES, NULL, 1, _i);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unknown(RDL_E_CLOSED);
}
END_TEST

START_TEST(a_connection_closed_within_the_reply_is_unknown)
{
    client_meet(&client, FAKE_CLOSES, "+OK\r\n:600", 1, _i);
    client_submit(&client, &rdl_op_acquire, "a");
    client_wait(&client);
    ck_assert_int_ne(client.req.answer, RDL_ANSWER_NO);
    client_wait_closed(&client);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CLOSED);
}
END_TEST

START_TEST(a_connection_that_is_reset_is_unknown)
{
    client_meet(&client, FAKE_RESETS, NULL, 1, 0);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unknown(RDL_E_CLOSED);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), ECONNRESET);
}
END_TEST

/* SIGPIPE has its default action here: it would kill the test. */
START_TEST(sending_to_a_closed_peer_raises_no_signal)
{
    client_meet(&client, _i == 2 ? FAKE_RESETS : FAKE_CLOSES, NULL, 0, _i == 1);
    client_wait_state(&client, RDL_CONN_READY);
    client_wait_hangup(&client);
    client_submit(&client, &rdl_op_acquire, "a");
    check_unknown(RDL_E_CLOSED);
}
END_TEST

START_TEST(the_last_message_before_the_server_hangs_up_is_kept)
{
    client_meet(&client, FAKE_CLOSES, "-ERR max number of clients reached\r\n", 0, _i);
    client_wait_state(&client, RDL_CONN_READY);
    client_wait_hangup(&client);
    client_submit(&client, &rdl_op_acquire, "a");
    client_wait(&client);
    ck_assert_str_eq(rdl_conn_text(&client.conn), "ERR max number of clients reached");
}
END_TEST

static size_t received;

static void count_received(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    (void)ctx;
    (void)c;
    (void)data;
    received += dir == '<' ? len : 0;
}

START_TEST(a_peer_that_never_stops_sending_does_not_block_others)
{
    static char flood[65536] = "$500000000\r\n";
    int i;

    memset(flood + strlen(flood), 'x', sizeof flood - 1 - strlen(flood));
    client_meet(&client, FAKE_FLOODS, flood, 1, _i);
    client.cfg.trace = count_received;
    client_submit(&client, &rdl_op_acquire, "a");
    client_step(&client, client_now());
    for (i = 0; i < 1000; i++) {
        received = 0;
        client_step(&client, client_now() + CLIENT_TIMEOUT_MS);
        ck_assert_uint_le(received, 16 * 4096);
    }
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_READY);
}
END_TEST

Suite *suite_net_posix_bad(void)
{
    Suite *suite = suite_create("net_posix_bad");
    TCase *tc = suite_case(suite, "peers", client_setup, client_part);

    tcase_add_loop_test(tc, a_refused_connection_is_reported, 0, 2); /* loops: 0 TCP, 1 a unix socket */
    tcase_add_test(tc, a_missing_unix_socket_is_reported);
    tcase_add_test(tc, a_forbidden_address_is_reported);
    tcase_add_test(tc, a_system_error_is_cleared_by_the_next_connection);
    tcase_add_test(tc, a_name_without_an_address_has_an_error_of_its_own);
    tcase_add_test(tc, a_socket_path_that_is_too_long_is_refused);
    tcase_add_test(tc, running_out_of_descriptors_is_a_system_error);
    tcase_add_test(tc, connecting_into_a_black_hole_ends_at_connect_ms);
    tcase_add_test(tc, a_full_backlog_of_a_unix_socket_is_waited_for);
    tcase_add_test(tc, a_full_backlog_is_tried_again_before_the_end_of_the_wait);
    tcase_add_test(tc, a_closed_conn_does_not_shorten_a_wait);
    tcase_add_test(tc, a_full_backlog_of_a_unix_socket_ends_at_connect_ms);
    tcase_add_test(tc, an_event_while_connecting_does_not_open_the_connection);
    tcase_add_test(tc, a_socket_connected_to_itself_is_refused);
    tcase_add_loop_test(tc, failed_connections_leave_no_descriptor, 0, 2);
    tcase_add_loop_test(tc, a_reply_that_arrives_byte_by_byte_is_one_reply, 0, 2);
    tcase_add_loop_test(tc, a_web_server_is_a_syntax_error, 0, 2);
    tcase_add_loop_test(tc, a_load_balancer_without_a_backend_is_a_temporary_error, 0, 3);
    tcase_add_test(tc, http_inside_a_reply_is_not_a_load_balancer);
    tcase_add_loop_test(tc, other_http_replies_are_syntax_errors, 0, 5);
    tcase_add_loop_test(tc, an_unexpected_reply_closes_the_connection, 0, 2);
    tcase_add_loop_test(tc, a_connection_closed_before_the_reply_is_unknown, 0, 2);
    tcase_add_loop_test(tc, a_connection_closed_within_the_reply_is_unknown, 0, 2);
    tcase_add_test(tc, a_connection_that_is_reset_is_unknown);
    tcase_add_loop_test(tc, sending_to_a_closed_peer_raises_no_signal, 0, 3);
    tcase_add_loop_test(tc, the_last_message_before_the_server_hangs_up_is_kept, 0, 2);
    tcase_add_loop_test(tc, a_peer_that_never_stops_sending_does_not_block_others, 0, 2);
    tc = suite_case(suite, "sockets alone", client_setup, client_part);
    tcase_set_tags(tc, "sockets");
    tcase_add_test(tc, a_poll_that_the_host_refuses_is_reported);
    return suite;
}
