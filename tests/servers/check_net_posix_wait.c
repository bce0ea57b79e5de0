/* SPDX-License-Identifier: MIT */
/* check_net_posix_wait.c - how long the socket driver waits, and what ends a wait. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct client client;

/* A request to a peer that will never reply. */
static void wait_for_nothing(int is_unix)
{
    client_meet(&client, FAKE_SILENT, NULL, 0, is_unix);
    client_submit(&client, &rdl_op_acquire, "a");
    while (rdl_conn_wants(&client.conn) != RDL_WANT_READ)
        client_step(&client, client_now() + CLIENT_TIMEOUT_MS);
}

START_TEST(poll_without_connections_waits_until_its_deadline)
{
    uint64_t until_ms = client_now() + 250; /* more than two slices */

    ck_assert_int_eq(client_platform.poll(client_platform.ctx, NULL, 0, until_ms, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_uint_ge(client_now(), until_ms);
}
END_TEST

/* A reply ends a wait whose timer is set, and a timer that has expired ends no later wait. */
START_TEST(a_timer_changes_no_end_of_a_poll)
{
    int ends[2], i;

    client_set_timer_fd(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
    ck_assert_int_eq(pipe(ends), 0);
    client_set_wake_fd(ends[0]);
    for (i = 0; i < 3; i++) {
        uint64_t until_ms = client_now() + 250;
        ck_assert_int_eq(client_platform.poll(client_platform.ctx, NULL, 0, until_ms, RDL_POLL_CAN_WAKE),
                         RDL_OK);
        ck_assert_uint_ge(client_now(), until_ms);
    }
    if (fork() == 0) {
        poll(NULL, 0, 250);
        (void)!write(ends[1], "", 1);
        _exit(0);
    }
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, NULL, 0, client_now() + CLIENT_TIMEOUT_MS,
                                          RDL_POLL_CAN_WAKE),
                     RDL_E_INTERRUPTED);
}
END_TEST

/* The system takes the time, and the timer never fires: the timeout of poll ends the wait a little later. */
START_TEST(a_timer_that_never_fires_loses_no_deadline)
{
    uint64_t until_ms = client_now() + 250;

    client_set_timer_fd(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
    refuse_call(SYS_timerfd_settime, 0);
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, NULL, 0, until_ms, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_uint_ge(client_now(), until_ms);
}
END_TEST

/* 25 days are more than a timeout of poll can be. */
START_TEST(a_long_wait_with_a_timer_can_be_woken_up)
{
    const uint64_t far_ms = (uint64_t)25 * 24 * 3600 * 1000;
    int ends[2];

    client_set_timer_fd(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
    ck_assert_int_eq(pipe(ends), 0);
    client_set_wake_fd(ends[0]);
    if (live_fork() == 0) {
        poll(NULL, 0, 250); /* more than a slice */
        _exit(write(ends[1], "", 1) == 1 ? 0 : 1);
    }
    ck_assert_int_eq(
        client_platform.poll(client_platform.ctx, NULL, 0, client_now() + far_ms, RDL_POLL_CAN_WAKE),
        RDL_E_INTERRUPTED);
}
END_TEST

START_TEST(poll_waits_for_an_idle_peer_until_its_deadline)
{
    uint64_t until_ms;

    wait_for_nothing(_i);
    until_ms = client_now() + 250;
    client_step(&client, until_ms);
    ck_assert_uint_ge(client_now(), until_ms);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
}
END_TEST

START_TEST(poll_with_a_past_deadline_returns_at_once)
{
    wait_for_nothing(_i);
    client_step(&client, 0);
    client_step(&client, client_now());
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
}
END_TEST

/*
 * A poll that has a connection to close returns at once. One that has bytes to send need not. A connection
 * that may be closed at the next turn was read by then.
 */
START_TEST(a_stalled_connection_is_always_read)
{
    struct live_server server = {0};
    struct client busy;
    struct rdl_conn *const conns[] = {&busy.conn, &client.conn};
    struct pollfd p = {.events = POLLIN};

    client_pair(&server, NULL, &client, &busy);
    ck_assert_int_eq(client_ask(&busy, &rdl_op_acquire, "b"), RDL_ANSWER_YES);
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
    rdl_conn_set_timeout(&client.conn, 1);
    client_submit(&client, &rdl_op_extend, "a");
    rdl_conn_tick(&client.conn, 1);
    rdl_posix_ready(&client.conn, 0);
    p.fd = rdl_posix_fd(&client.conn);
    ck_assert_int_eq(poll(&p, 1, CLIENT_TIMEOUT_MS), 1);
    rdl_conn_tick(&client.conn, 2);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_STALLED);
    if (_i == 0)
        client_submit(&busy, &rdl_op_extend, "b");
    else
        rdl_conn_shut(&busy.conn, RDL_E_CLOSED);
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 2, client_now() + CLIENT_TIMEOUT_MS,
                                          RDL_POLL_CAN_WAKE),
                     RDL_OK);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_YES);
    live_remove(&server);
}
END_TEST

/* A request that was refused before is completed without a byte: its waiter gets the result at once. */
START_TEST(a_request_completed_without_a_byte_ends_a_poll)
{
    static const char *const no_scripts[] = {LIVE_WITHOUT_SCRIPTS, NULL};
    struct live_server server = {.args = no_scripts};
    char url[LIVE_PATH_MAX + 16];

    live_start(&server);
    client_init(&client, live_url(&server, _i ? LIVE_UNIX : LIVE_V4, url, sizeof url));
    ck_assert_int_eq(client_ask(&client, &rdl_op_acquire_fenced, "a"), RDL_ANSWER_ERROR);
    client_submit(&client, &rdl_op_acquire_fenced, "a");
    client_step(&client, UINT64_MAX); /* without end, otherwise */
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_ERROR);
    ck_assert_int_eq(client.req.error, RDL_E_UNSUPPORTED);
    live_remove(&server);
}
END_TEST

static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
    (void)signal;
    signals++;
}

/* A signal every so many ms (0: no more), and no system call that is restarted after it. */
static void storm(int every_ms)
{
    const struct itimerval timer = {{0, every_ms * 1000}, {0, every_ms * 1000}};
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/*
 * A poll that restarted its wait after each signal would never end. With a distant deadline it waits in recv,
 * and a signal must interrupt that; without a deadline it waits in poll(2).
 */
START_TEST(signals_do_not_extend_a_deadline)
{
    const uint64_t hour_ms = 3600 * 1000;
    int polls = 0;

    alarm(0); /* Check's own use of the timer */
    wait_for_nothing(_i & 1);
    storm(_i & 2 ? 20 : 1);
    do { /* a signal ends the call: its handler may have set what the caller checks */
        client_step(&client, _i & 2 ? client_now() + hour_ms : UINT64_MAX);
    } while (++polls <= 5);
    while (signals <= 10) {
        uint64_t until_ms = client_now() + 30;
        while (client_now() < until_ms)
            client_step(&client, until_ms);
    }
    storm(0);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
}
END_TEST

START_TEST(signals_do_not_extend_connecting)
{
    client_meet(&client, FAKE_BLACK_HOLE, NULL, 0, _i);
    client.cfg.connect_ms = 300;
    client_submit(&client, &rdl_op_acquire, "a");
    storm(1);
    client_wait(&client);
    storm(0);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_UNSENT);
    ck_assert_int_eq(client.req.error, RDL_E_TIMEOUT);
}
END_TEST

START_TEST(signals_lose_no_bytes_and_no_connection)
{
    int i;

    client_meet(&client, FAKE_DRIPS, "+OK\r\n:60000\r\n", 1, _i);
    storm(1);
    for (i = 0; i < 100; i++) {
        ck_assert_int_eq(client_ask(&client, &rdl_op_acquire, "a"), RDL_ANSWER_YES);
        rdl_conn_shut(&client.conn, RDL_OK);
        client_wait_state(&client, RDL_CONN_CLOSED);
        ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CLOSED);
    }
    storm(0);
}
END_TEST

START_TEST(wake_fd_ends_a_poll_without_a_limit)
{
    struct rdl_conn *conns[] = {&client.conn};
    int fds[2];

    wait_for_nothing(_i);
    ck_assert_int_eq(pipe(fds), 0);
    client_set_wake_fd(fds[0]);
    if (live_fork() == 0)
        _exit(write(fds[1], "x", 1) == 1 ? 0 : 1);
    for (int i = 0; i < 2; i++) /* the second time it is still readable */
        ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 1, UINT64_MAX, RDL_POLL_CAN_WAKE),
                         RDL_E_INTERRUPTED);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
}
END_TEST

START_TEST(wake_fd_does_not_end_a_poll_that_ignores_it)
{
    struct rdl_conn *conns[] = {&client.conn};
    uint64_t until_ms;
    int fds[2];

    wait_for_nothing(_i);
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    client_set_wake_fd(fds[0]);
    until_ms = client_now() + 250;
    while (client_now() < until_ms) /* nothing else came: it returns as often as recv waits */
        ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 1, until_ms, 0), RDL_OK);
    ck_assert_uint_ge(client_now(), until_ms);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
}
END_TEST

START_TEST(a_closed_wake_fd_is_an_error)
{
    struct rdl_conn *conns[] = {&client.conn};
    int fds[2];

    wait_for_nothing(_i);
    ck_assert_int_eq(pipe(fds), 0);
    close(fds[0]);
    client_set_wake_fd(fds[0]);
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 1, UINT64_MAX, RDL_POLL_CAN_WAKE),
                     RDL_E_SYSTEM);
}
END_TEST

Suite *suite_net_posix_wait(void)
{
    Suite *suite = suite_create("net_posix_wait");
    TCase *tc = suite_case(suite, "waiting", client_setup, client_part); /* loops: 0 TCP, 1 a unix socket */

    tcase_add_test(tc, poll_without_connections_waits_until_its_deadline);
    tcase_add_test(tc, a_timer_changes_no_end_of_a_poll);
    tcase_add_test(tc, a_timer_that_never_fires_loses_no_deadline);
    tcase_add_test(tc, a_long_wait_with_a_timer_can_be_woken_up);
    tcase_add_loop_test(tc, poll_waits_for_an_idle_peer_until_its_deadline, 0, 2);
    tcase_add_loop_test(tc, poll_with_a_past_deadline_returns_at_once, 0, 2);
    tcase_add_loop_test(tc, a_request_completed_without_a_byte_ends_a_poll, 0, 2);
    tcase_add_loop_test(tc, a_stalled_connection_is_always_read, 0, 2);
    tcase_add_loop_test(tc, signals_do_not_extend_a_deadline, 0, 4);
    tcase_add_loop_test(tc, signals_do_not_extend_connecting, 0, 2);
    tcase_add_loop_test(tc, signals_lose_no_bytes_and_no_connection, 0, 2);
    tcase_add_loop_test(tc, wake_fd_ends_a_poll_without_a_limit, 0, 2);
    tcase_add_loop_test(tc, wake_fd_does_not_end_a_poll_that_ignores_it, 0, 2);
    tcase_add_loop_test(tc, a_closed_wake_fd_is_an_error, 0, 2);
    return suite;
}
