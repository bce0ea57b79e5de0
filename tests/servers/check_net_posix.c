/* SPDX-License-Identifier: MIT */
/* check_net_posix.c - the socket driver with servers that work as they should. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;
static struct client client;
static char url[256];

static void setup(void)
{
    client_setup();
    live_start(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

/* ---------------------------------------------------------------- requests over each kind of socket */

START_TEST(a_lock_works_over_each_kind_of_socket)
{
    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "nightly"), RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":1\r\n");
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "nightly"), RDL_ANSWER_NO);
    ck_assert_int_eq(client_ask(&client, &rdl_op_extend, "nightly"), RDL_ANSWER_YES);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "nightly"), RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(the_url_selects_the_database_over_each_kind_of_socket)
{
    live_url(&server, (enum live_method)_i, url, sizeof url);
    strcat(url, _i == LIVE_UNIX ? "?db=5" : "/5");
    client_init(&client, url);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "nightly"), RDL_ANSWER_YES);
    ck_assert_ptr_nonnull(strstr(live_command(&server, "INFO keyspace"), "db5:keys=1"));
}
END_TEST

START_TEST(a_restarted_server_is_found_again)
{
    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    live_kill(&server);
    client_wait_state(&client, RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CLOSED);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
    live_restart(&server);
    client_wait_state(&client, RDL_CONN_READY);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
}
END_TEST

/* ---------------------------------------------------------------- many */

enum { CONNS_MAX = 64 };

static struct client many[CONNS_MAX + 1];
static struct rdl_conn *conns[CONNS_MAX + 1];

START_TEST(one_poll_serves_64_connections)
{
    uint64_t end_ms = client_now() + CLIENT_TIMEOUT_MS;
    int open = CONNS_MAX;
    int i;

    live_url(&server, (enum live_method)_i, url, sizeof url);
    for (i = 0; i < CONNS_MAX; i++) {
        char name[16];
        client_init(&many[i], url);
        conns[i] = &many[i].conn;
        snprintf(name, sizeof name, "lock-%d", i);
        client_submit(&many[i], &rdl_op_acquire, name);
    }
    while (open > 0) {
        ck_assert_uint_lt(client_now(), end_ms);
        for (i = 0; i < CONNS_MAX; i++)
            rdl_conn_tick(conns[i], client_now());
        ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, CONNS_MAX, end_ms, 0), RDL_OK);
        for (open = 0, i = 0; i < CONNS_MAX; i++)
            open += many[i].req.answer == RDL_ANSWER_NONE;
    }
    for (i = 0; i < CONNS_MAX; i++)
        ck_assert_int_eq(many[i].req.answer, RDL_ANSWER_YES);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":64\r\n");
}
END_TEST

START_TEST(more_connections_than_one_poll_takes_are_refused)
{
    int i;

    live_url(&server, LIVE_V4, url, sizeof url);
    for (i = 0; i <= CONNS_MAX; i++) {
        client_init(&many[i], url);
        conns[i] = &many[i].conn;
    }
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, CONNS_MAX + 1, 0, 0), RDL_E_SYSTEM);
}
END_TEST

/* ---------------------------------------------------------------- a peer that does not read */

enum { PENDING = 5000, BIG_QUEUE = 1 << 20 };

static uint64_t big_queue[BIG_QUEUE / 8];

/* A release without a caller; sent as EVAL with its whole script, so that pieces are cut anywhere. */
static void queue_release(int i)
{
    char name[16];
    struct rdl_command cmd = {.op = &rdl_op_release,
                              .value = {client.token, sizeof client.token},
                              .until_ms = UINT64_MAX,
                              .ttl_ms = 1};

    snprintf(name, sizeof name, "lock-%d", i);
    cmd.name.data = name;
    cmd.name.len = strlen(name);
    ck_assert_int_eq(rdl_conn_submit(&client.conn, NULL, &cmd), RDL_OK);
}

/* Set the keys of all locks directly, with the client's token, for the releases to find. */
static void plant_locks(void)
{
    live_command(&server, "EVAL \"for i=0,%d do redis.call('SET','lock-'..i,'%.*s') end\" 0", PENDING - 1,
                 RDL_VALUE_MAX, client.token);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":5000\r\n");
}

START_TEST(queued_bytes_are_sent_when_a_frozen_server_thaws)
{
    const int tiny = 1;
    uint64_t end_ms;
    int i;

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    client.cfg.queue = big_queue;
    client.cfg.queue_len = sizeof big_queue;
    client_wait_state(&client, RDL_CONN_READY);
    plant_locks();
    ck_assert_int_eq(setsockopt(rdl_posix_fd(&client.conn), SOL_SOCKET, SO_SNDBUF, &tiny, sizeof tiny), 0);
    live_freeze(&server);
    for (i = 0; i < PENDING; i++)
        queue_release(i);
    for (i = 0; i < PENDING; i++)
        client_step(&client, 0);
    ck_assert_msg(rdl_conn_wants(&client.conn) & RDL_WANT_WRITE, "all was sent: not what is to be tested");
    ck_assert_int_eq(rdl_posix_events(&client.conn), POLLIN | POLLOUT);
    live_thaw(&server);
    end_ms = client_now() + 2 * CLIENT_TIMEOUT_MS;
    while (!rdl_conn_is_idle(&client.conn)) {
        ck_assert_uint_lt(client_now(), end_ms);
        client_step(&client, end_ms);
    }
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_READY);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- descriptors */

static int option_of(int fd, int level, int name)
{
    socklen_t len = sizeof(int);
    int value = 0;

    ck_assert_int_eq(getsockopt(fd, level, name, &value, &len), 0);
    return value;
}

/* Also if nothing is sent for hours: a hint is waited for, a lock is held. */
START_TEST(a_vanished_peer_is_noticed_within_half_a_minute)
{
    int fd;

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    client_wait_state(&client, RDL_CONN_READY);
    fd = rdl_posix_fd(&client.conn);
    ck_assert_int_ne(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
#ifdef __linux__
    ck_assert_int_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 15);
    ck_assert_int_eq(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 5);
    ck_assert_int_eq(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 30000);
#endif
}
END_TEST

START_TEST(the_socket_is_close_on_exec_nonblocking_and_nodelay)
{
    socklen_t len = sizeof(int);
    int on = 0;
    int fd;

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    client_wait_state(&client, RDL_CONN_READY);
    fd = rdl_posix_fd(&client.conn);
    ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    if (_i == LIVE_UNIX)
        return;
    ck_assert_int_eq(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &len), 0);
    ck_assert_int_eq(on, 1);
}
END_TEST

START_TEST(closed_connections_leave_no_descriptor)
{
    int before = live_count_fds();
    int i;

    live_url(&server, (enum live_method)_i, url, sizeof url);
    for (i = 0; i < 20; i++) {
        client_init(&client, url);
        ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), i == 0 ? RDL_ANSWER_YES : RDL_ANSWER_NO);
        ck_assert_int_eq(live_count_fds(), before + 1);
        rdl_conn_shut(&client.conn, RDL_OK);
        client_wait_state(&client, RDL_CONN_CLOSED);
        ck_assert_int_eq(live_count_fds(), before);
        ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
    }
}
END_TEST

START_TEST(a_child_may_close_its_copy_of_the_socket)
{
    int status = -1;
    pid_t pid;

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    pid = live_fork();
    if (pid == 0) {
        int fd = rdl_posix_fd(&client.conn);
        _exit(close(fd) == 0 && fcntl(fd, F_GETFD) < 0 && errno == EBADF ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "a"), RDL_ANSWER_YES);
}
END_TEST

/* ---------------------------------------------------------------- a custom event loop */

START_TEST(the_driver_works_in_a_custom_event_loop)
{
    struct pollfd p = {-1, 0, 0};

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    client_submit(&client, &rdl_op_acquire, "a");
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_ready(&client.conn, 0);
    while (client.req.answer == RDL_ANSWER_NONE) {
        p.fd = rdl_posix_fd(&client.conn);
        p.events = rdl_posix_events(&client.conn);
        ck_assert_int_ge(p.fd, 0);
        ck_assert_int_ne(p.events, 0);
        ck_assert_int_eq(poll(&p, 1, CLIENT_TIMEOUT_MS), 1);
        rdl_posix_ready(&client.conn, p.revents);
    }
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(rdl_posix_events(&client.conn), POLLIN);
}
END_TEST

/* A loop that reports no event, because its timer was first: the next tick may end the connection. */
START_TEST(a_custom_event_loop_reads_what_a_stalled_connection_has_received)
{
    struct pollfd p = {-1, POLLIN, 0};

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    client_wait_state(&client, RDL_CONN_READY);
    live_freeze(&server);
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_set_timeout(&client.conn, 5000);
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_ready(&client.conn, 0);
    rdl_conn_tick(&client.conn, client_now());
    rdl_conn_tick(&client.conn, client_now() + 10000);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_STALLED);
    live_thaw(&server);
    p.fd = rdl_posix_fd(&client.conn);
    ck_assert_int_eq(poll(&p, 1, CLIENT_TIMEOUT_MS), 1);
    rdl_posix_ready(&client.conn, 0);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_READY);
}
END_TEST

/* ---------------------------------------------------------------- a socket opened by the caller */

START_TEST(a_socket_opened_by_the_caller_is_used_and_closed)
{
    int before = live_count_fds();

    client_init(&client, "redis://nobody-resolved-this");
    for (int i = 0; i < 3; i++) {
        int fd = live_connect(&server);
        client_submit(&client, i == 0 ? &rdl_op_acquire : &rdl_op_extend, "a");
        while (rdl_conn_state(&client.conn) != RDL_CONN_OPENING)
            rdl_conn_tick(&client.conn, client_now());
        rdl_posix_opened(&client.conn, fd);
        ck_assert_int_eq(client_wait(&client), RDL_ANSWER_YES);
        ck_assert_int_eq(rdl_posix_fd(&client.conn), fd);
        ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        rdl_conn_shut(&client.conn, RDL_OK);
        client_wait_state(&client, RDL_CONN_CLOSED);
        ck_assert_int_eq(live_count_fds(), before);
    }
}
END_TEST

START_TEST(an_unwanted_socket_is_closed)
{
    int before = live_count_fds();

    client_init(&client, live_url(&server, (enum live_method)_i, url, sizeof url));
    rdl_posix_opened(&client.conn, live_connect(&server)); /* closed, and not requested */
    ck_assert_int_eq(live_count_fds(), before);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    rdl_posix_opened(&client.conn, live_connect(&server)); /* it has one */
    ck_assert_int_eq(live_count_fds(), before + 1);
    ck_assert_int_eq(client_ask(&client, &rdl_op_release, "a"), RDL_ANSWER_YES);
}
END_TEST

START_TEST(a_given_socket_replaces_a_pending_connect)
{
    int before = live_count_fds(), fd;

    client_init(&client, "redis://192.0.2.1:6379"); /* no server answers there */
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_ready(&client.conn, 0);
    if (rdl_conn_state(&client.conn) ==
        RDL_CONN_CLOSED) { /* this host has no route there: the connect fails at once */
        ck_assert_int_eq(live_count_fds(), before);
        while (rdl_conn_state(&client.conn) != RDL_CONN_OPENING)
            rdl_conn_tick(&client.conn, client_now());
    }
    fd = live_connect(&server);
    rdl_posix_opened(&client.conn, fd);
    ck_assert_int_eq(client_wait(&client), RDL_ANSWER_YES);
    ck_assert_int_eq(live_count_fds(), before + 1);
}
END_TEST

START_TEST(a_descriptor_that_is_no_socket_fails_at_the_first_byte)
{
    int fd = open("/dev/null", O_RDWR);

    client_init(&client, "redis://nobody-resolved-this");
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&client.conn, client_now());
    rdl_posix_opened(&client.conn, fd);
    rdl_posix_ready(&client.conn, 0);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CLOSED);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), ENOTSOCK);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}
END_TEST

/* ---------------------------------------------------------------- clock and random numbers */

static uint64_t boottime_ms(void)
{
    struct timespec t;

    ck_assert_int_eq(clock_gettime(CLOCK_BOOTTIME, &t), 0);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

START_TEST(the_clock_counts_from_boot_and_through_suspends)
{
    uint64_t before = boottime_ms();
    uint64_t now = rdl_posix_now_ms();

    ck_assert_uint_le(before, now);
    ck_assert_uint_le(now, boottime_ms());
}
END_TEST

static int is_random(const uint8_t *p, size_t n)
{
    int seen[256] = {0};
    size_t i;

    for (i = 0; i < n; i++)
        seen[p[i]]++;
    for (i = 0; i < 256; i++) /* expected: 256; the odds of a miss are negligible */
        if (seen[i] < 100 || seen[i] > 500)
            return 0;
    return 1;
}

static uint8_t random_bytes[65536];

START_TEST(random_bytes_fill_the_whole_buffer)
{
    uint8_t guard[3] = {1, 2, 3};

    ck_assert_int_eq(rdl_posix_random(random_bytes, sizeof random_bytes), RDL_OK);
    ck_assert(is_random(random_bytes, sizeof random_bytes));
    ck_assert_int_eq(rdl_posix_random(guard + 1, 0), RDL_OK);
    ck_assert(guard[0] == 1 && guard[1] == 2 && guard[2] == 3);
}
END_TEST

START_TEST(without_getrandom_the_random_device_is_used)
{
    int before = live_count_fds();

    refuse_call(SYS_getrandom, ENOSYS);
    ck_assert_int_eq(rdl_posix_random(random_bytes, sizeof random_bytes), RDL_OK);
    ck_assert(is_random(random_bytes, sizeof random_bytes));
    ck_assert_int_eq(live_count_fds(), before);
}
END_TEST

START_TEST(missing_entropy_is_an_error_and_not_a_weak_token)
{
    refuse_call(SYS_getrandom, EAGAIN);
    ck_assert_int_eq(rdl_posix_random(random_bytes, 16), RDL_E_RANDOM);
}
END_TEST

START_TEST(a_missing_random_source_is_an_error)
{
    struct rlimit limit;
    rlim_t before;

    refuse_call(SYS_getrandom, ENOSYS);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    before = limit.rlim_cur;
    limit.rlim_cur = 0;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(rdl_posix_random(random_bytes, 16), RDL_E_RANDOM);
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}
END_TEST

Suite *suite_net_posix(void)
{
    const int ways = LIVE_UNIX + 1; /* loop tests get an enum live_method */
    Suite *suite = suite_create("net_posix");
    TCase *live = suite_case(suite, "live", setup, teardown);
    TCase *host = suite_case(suite, "host", client_setup, NULL);

    tcase_set_timeout(live, 120);
    tcase_add_loop_test(live, a_lock_works_over_each_kind_of_socket, 0, ways);
    tcase_add_loop_test(live, the_url_selects_the_database_over_each_kind_of_socket, 0, ways);
    tcase_add_loop_test(live, a_restarted_server_is_found_again, 0, ways);
    tcase_add_loop_test(live, one_poll_serves_64_connections, 0, ways);
    tcase_add_test(live, more_connections_than_one_poll_takes_are_refused);
    tcase_add_loop_test(live, queued_bytes_are_sent_when_a_frozen_server_thaws, 0, ways);
    tcase_add_loop_test(live, the_socket_is_close_on_exec_nonblocking_and_nodelay, 0, ways);
    tcase_add_loop_test(live, a_vanished_peer_is_noticed_within_half_a_minute, LIVE_V4, LIVE_UNIX);
    tcase_add_loop_test(live, closed_connections_leave_no_descriptor, 0, ways);
    tcase_add_loop_test(live, a_child_may_close_its_copy_of_the_socket, 0, ways);
    tcase_add_loop_test(live, the_driver_works_in_a_custom_event_loop, 0, ways);
    tcase_add_loop_test(live, a_custom_event_loop_reads_what_a_stalled_connection_has_received, 0, ways);
    tcase_add_test(live, a_socket_opened_by_the_caller_is_used_and_closed);
    tcase_add_loop_test(live, an_unwanted_socket_is_closed, 0, ways);
    tcase_add_test(live, a_given_socket_replaces_a_pending_connect);
    tcase_add_test(live, a_descriptor_that_is_no_socket_fails_at_the_first_byte);
    tcase_add_test(host, the_clock_counts_from_boot_and_through_suspends);
    tcase_add_test(host, random_bytes_fill_the_whole_buffer);
    tcase_add_test(host, without_getrandom_the_random_device_is_used);
    tcase_add_test(host, missing_entropy_is_an_error_and_not_a_weak_token);
    tcase_add_test(host, a_missing_random_source_is_an_error);
    return suite;
}
