/* SPDX-License-Identifier: MIT */
/* check_net_posix_calls.c - the cost of a request: its system calls, counted from outside. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum { CYCLES = 30, WAYS = LIVE_UNIX + 1 };

static struct live_server server;
static struct client client;

static void setup(void)
{
    client_setup();
    live_start(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

/* One request and its reply. No ck_assert: it writes to a pipe. */
static void ask(const struct rdl_op *op)
{
    const struct rdl_command cmd = {
        .name = {"a", 1},
        .value = {client.token, sizeof client.token},
        .until_ms = UINT64_MAX,
        .ttl_ms = 60000,
        .op = op,
    };
    struct rdl_conn *conns[] = {&client.conn};

    (void)rdl_conn_submit(&client.conn, &client.req, &cmd);
    while (client.req.answer == RDL_ANSWER_NONE) {
        rdl_conn_tick(&client.conn, client_now());
        (void)client_platform.poll(client_platform.ctx, conns, 1, client_now() + CLIENT_TIMEOUT_MS,
                                   RDL_POLL_CAN_WAKE);
    }
    if (client.req.answer != RDL_ANSWER_YES)
        _exit(1);
}

static void wait_until(uint64_t until_ms)
{
    struct rdl_conn *conns[] = {&client.conn};

    (void)client_platform.poll(client_platform.ctx, conns, 1, until_ms, RDL_POLL_CAN_WAKE);
}

/* ---------------------------------------------------------------- system calls */

static void lock_cycles(void)
{
    int i;

    ask(&rdl_op_acquire);
    ask(&rdl_op_release); /* from now on the server knows the script */
    for (i = 0; i < CYCLES; i++) {
        calls_mark();
        ask(&rdl_op_acquire);
        ask(&rdl_op_release);
        calls_mark();
    }
}

static void meet(int way)
{
    char url[256];

    client_init(&client, live_url(&server, (enum live_method)way, url, sizeof url));
}

/* The driver also watches a descriptor for signals, so it cannot wait in recv. */
static void watch_signals(void)
{
    int ends[2];

    if (pipe(ends) != 0)
        _exit(1);
    client_set_wake_fd(ends[0]);
}

static void watched_cycles(void)
{
    watch_signals();
    lock_cycles();
}

static const struct {
    void (*cycles)(void);
    const char *cycle;
} costs[] = {{lock_cycles, "|srsr|"}, {watched_cycles, "|sprspr|"}};

/*
 * Whether this is a forked child costs no call. A cycle may wait for more than one slice on a busy machine,
 * so
 * not every cycle need be perfect.
 */
START_TEST(a_lock_cycle_costs_two_sends_and_two_receives)
{
    const char *calls;

    meet(_i % WAYS);
    calls = calls_of(costs[_i / WAYS].cycles);
    ck_assert(costs[_i / WAYS].cycles != watched_cycles || calls_in_recv == 0);
    ck_assert_msg(strstr(calls, costs[_i / WAYS].cycle) != NULL, "%s", calls);
    calls = strchr(calls, '|');
    ck_assert_msg(strspn(calls, costs[_i / WAYS].cycle) == strlen(calls), "%s", calls);
}
END_TEST

static void first_release(void)
{
    ask(&rdl_op_acquire);
    calls_mark();
    ask(&rdl_op_release);
    calls_mark();
}

START_TEST(a_script_and_its_arguments_are_one_call)
{
    const char *calls;
    int tries = 0;

    meet(_i);
    do /* a busy machine may wait for more than one slice */
        calls = calls_of(first_release);
    while (strstr(calls, "|sr|") == NULL && ++tries < 10);
    ck_assert_msg(strstr(calls, "|sr|") != NULL, "%s", calls);
}
END_TEST

static void long_wait(void)
{
    ask(&rdl_op_acquire);
    calls_mark();
    wait_until(client_now() + 450);
    calls_mark();
}

/* poll and recv sleep through a suspend, a lease does not; a socket waits 50 ms. */
START_TEST(no_wait_with_a_deadline_is_longer_than_100_ms)
{
    const char *calls;
    int tries = 0;

    meet(_i);
    do { /* a busy machine may come too late out of a call */
        if (tries > 0)
            live_command(&server, "DEL a");
        calls = strchr(calls_of(long_wait), '|');
    } while ((strlen(calls) < 5 || strchr(calls, 'p') == NULL) && ++tries < 5);
    ck_assert_msg(strspn(calls, "|rp") == strlen(calls) && strlen(calls) >= 5, "%s", calls);
    ck_assert_msg(strlen(calls) <= 20, "%s", calls); /* nor much shorter than 50 */
    ck_assert_ptr_nonnull(strchr(calls, 'p')); /* without a result, if a busy machine came late out of recv */
    ck_assert_int_le(calls_longest_ms, 100);
    ck_assert_int_eq(calls_is_endless, 0);
}
END_TEST

enum { WAIT_MS = 2000 };

static void wait_with_timer(void)
{
    watch_signals();
    ask(&rdl_op_acquire);
    calls_mark();
    wait_until(client_now() + WAIT_MS);
    calls_mark();
}

/*
 * The timer ends the second poll: that has a longer timeout of its own, after which the driver would poll
 * once more. A busy machine may come late out of the first one, so the wait is long.
 */
START_TEST(a_long_wait_with_a_timer_is_two_polls)
{
    if (_i == WAYS) /* and the timer gets descriptor 0 */
        close(0);
    client_set_timer_fd(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
    meet(_i % WAYS);
    ck_assert_str_eq(strchr(calls_of(wait_with_timer), '|'), "|ptp|");
    ck_assert_int_gt(calls_longest_ms, 200);
}
END_TEST

/* A descriptor that is no timer: as without one. */
START_TEST(a_timer_that_cannot_be_set_is_not_waited_for)
{
    const char *calls;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    client_set_timer_fd(ends[0]);
    meet(_i);
    calls = strchr(calls_of(wait_with_timer), '|');
    ck_assert_msg(strncmp(calls, "|ptpt", 5) == 0 && calls[strlen(calls) - 2] == 'p', "%s", calls);
    ck_assert_int_le(calls_longest_ms, 100);
}
END_TEST

static void endless_wait(void)
{
    ask(&rdl_op_acquire);
    calls_mark();
    wait_until(UINT64_MAX);
    calls_mark();
}

START_TEST(a_poll_without_a_deadline_does_not_wake_up_idly)
{
    const char *calls;
    int fds[2];

    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    client_set_wake_fd(fds[0]);
    meet(_i);
    calls = strchr(calls_of(endless_wait), '|');
    ck_assert_str_eq(calls, "|p|");
    ck_assert_int_eq(calls_is_endless, 1);
}
END_TEST

Suite *suite_net_posix_calls(void)
{
    Suite *suite = suite_create("net_posix_calls");
    TCase *tc = suite_case(suite, "calls", setup, teardown);

    tcase_add_loop_test(tc, a_lock_cycle_costs_two_sends_and_two_receives, 0, 2 * WAYS);
    tcase_add_loop_test(tc, a_script_and_its_arguments_are_one_call, 0, WAYS);
    tcase_add_loop_test(tc, no_wait_with_a_deadline_is_longer_than_100_ms, 0, WAYS);
    tcase_add_loop_test(tc, a_long_wait_with_a_timer_is_two_polls, 0, WAYS + 1);
    tcase_add_loop_test(tc, a_timer_that_cannot_be_set_is_not_waited_for, 0, WAYS);
    tcase_add_loop_test(tc, a_poll_without_a_deadline_does_not_wake_up_idly, 0, WAYS);
    return suite;
}
