/* SPDX-License-Identifier: MIT */
/* The blocking calls for one server, with a real one. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock_hint.h"
#include "lock/lock_io.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;
static struct client client;
static struct rdl_lock lock;
static struct rdl_lock_options opt;
static char url[256];

static void setup(void)
{
    client_setup();
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = 20000;
    opt.attempt_ms = 5000; /* for a busy machine */
    rdl_lock_init(&lock, &opt, &client.conn, "nightly", 7);
}

static void teardown(void)
{
    live_remove(&server);
}

static uint32_t remaining_ms(void)
{
    return rdl_lock_remaining_ms(&lock, rdl_now(&client_platform));
}

START_TEST(one_server_grants_extends_and_releases)
{
    char other[64];

    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_uint_gt(remaining_ms(), 0);
    ck_assert_uint_le(remaining_ms(), 20000 - 202);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":1\r\n");
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 60000), RDL_OK);
    ck_assert_uint_gt(remaining_ms(), 50000);
    ck_assert_uint_le(remaining_ms(), 60000 - 602);
    ck_assert_int_gt(atoi(live_command(&server, "PTTL nightly") + 1), 50000);
    ck_assert_int_le(atoi(live_command(&server, "PTTL nightly") + 1), 60000);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_uint_eq(remaining_ms(), 0);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK); /* the method is known now */
    strcpy(other, live_command(&server, "GET nightly"));
    ck_assert_int_eq(strncmp(other, "$40\r\n", 5), 0);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
    ck_assert(rdl_conn_is_idle(&client.conn));
}
END_TEST

START_TEST(another_clients_lock_is_busy_and_reports_its_time)
{
    live_command(&server, "SET nightly other PX 50000");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_BUSY);
    ck_assert_int_gt(rdl_lock_holder_ms(&lock), 0);
    ck_assert_int_le(rdl_lock_holder_ms(&lock), 50000);
    live_command(&server, "SET nightly other");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&lock), -1);
    ck_assert_str_eq(live_command(&server, "GET nightly"), "$5\r\nother\r\n");
}
END_TEST

START_TEST(a_lock_released_in_time_is_acquired)
{
    live_command(&server, "SET nightly other PX 60");
    opt.wait_ms = 15000;
    opt.retry_ms = 5;
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(a_release_reports_what_it_found)
{
    static const char *const before[] = {"DEL nightly", "SET nightly other", "LPUSH list 1"};
    static const int results[] = {RDL_EXPIRED, RDL_LOST, RDL_LOST};

    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    live_command(&server, "%s", before[_i]);
    if (_i == 2)
        live_command(&server, "RENAME list nightly");
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), results[_i]);
    if (_i > 0)
        ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":1\r\n");
}
END_TEST

/* The holder worked for longer than a second, by its clock. */
static uint64_t a_second_later(void *ctx)
{
    return client_platform.now_ms(ctx) + 1001;
}

/*
 * The server was killed meanwhile and is back without its data, and another client may have the lock. The
 * release finds the connection closed before it is sent, so its first reply counts.
 */
START_TEST(a_release_after_long_work_reads_first)
{
    struct rdl_platform later = client_platform;

    later.now_ms = a_second_later;
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    live_kill(&server);
    live_restart(&server);
    if (_i)
        live_command(&server, "SET nightly other");
    ck_assert_int_eq(rdl_lock_release(&lock, &later), _i ? RDL_LOST : RDL_EXPIRED);
}
END_TEST

START_TEST(an_extend_reports_what_it_found)
{
    static const char *const before[] = {"DEL nightly", "SET nightly other", "LPUSH list 1"};

    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    live_command(&server, "%s", before[_i]);
    if (_i == 2)
        live_command(&server, "RENAME list nightly");
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 30000), RDL_LOST);
    ck_assert_uint_eq(remaining_ms(), 0);
}
END_TEST

/* The script cache is emptied in between: the next script is sent whole again. */
START_TEST(a_flushed_script_is_no_error)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 30000), RDL_OK);
    live_command(&server, "SCRIPT FLUSH");
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 40000), RDL_OK);
    live_command(&server, "SCRIPT FLUSH");
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
}
END_TEST

/*
 * While frozen it gets the SET and then the release; after the thaw it does both, although no caller waits
 * any more.
 */
START_TEST(a_frozen_server_is_unknown_and_keeps_no_key_after_thawing)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    opt.attempt_ms = 30;
    live_freeze(&server);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_error(&lock), RDL_E_TIMEOUT);
    ck_assert_uint_eq(rdl_conn_wants(&client.conn), RDL_WANT_READ); /* nothing is unsent */
    live_thaw(&server);
    client_wait_state(&client, RDL_CONN_READY);
    while (!rdl_conn_is_idle(&client.conn))
        client_step(&client, client_now() + 1000);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(a_dead_server_is_reported)
{
    live_kill(&server);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_E_CONNECT);
}
END_TEST

START_TEST(a_server_that_comes_back_is_used_again)
{
    int rc;

    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    live_kill(&server);
    live_restart(&server);
    rc = rdl_lock_extend(&lock, &client_platform, 30000);
    /* LOST: the restart took longer than the pause before a connect. */
    ck_assert_msg(rc == RDL_UNKNOWN || rc == RDL_LOST, "%d", rc);
    rdl_lock_cancel(&lock);
    opt.wait_ms = 15000;
    opt.retry_ms = 5;
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(a_server_without_memory_still_releases)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    live_command(&server, "CONFIG SET maxmemory 1");
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 30000), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_E_TRY_LATER);
    ck_assert_int_eq(strncmp(rdl_conn_text(&client.conn), "OOM command not allowed", 23), 0);
}
END_TEST

/* ---------------------------------------------------------------- a release that is not waited for */

/* It is sent with the next acquire, or by a drain that does not wait; the server then has no key of ours. */
START_TEST(a_release_that_is_not_waited_for_is_done)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    for (int i = 0; i < 3; i++) {
        rdl_lock_cancel(&lock);
        ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    }
    rdl_lock_cancel(&lock);
    ck_assert_uint_ne(rdl_conn_wants(&client.conn) & RDL_WANT_WRITE, 0);
    (void)rdl_lock_drain(&lock, &client_platform, 1);
    ck_assert_uint_eq(rdl_conn_wants(&client.conn) & RDL_WANT_WRITE, 0);
    ck_assert_int_eq(rdl_lock_drain(&lock, &client_platform, UINT64_MAX), RDL_OK);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- a host with problems */

START_TEST(acquire_fails_without_entropy)
{
    struct rdl_platform platform = client_net_without_random();

    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_E_RANDOM);
    ck_assert(rdl_conn_is_idle(&client.conn));
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_CLOSED);
}
END_TEST

START_TEST(a_failed_poll_is_reported_and_leaves_no_key)
{
    struct rdl_platform platform = client_net_without_poll();

    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &platform), RDL_E_SYSTEM);
    while (!rdl_conn_is_idle(&client.conn)) /* the release stays pending */
        client_step(&client, client_now() + 1000);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* It waited for a hint until its deadline. A request that is still waited for would take the next hint. */
START_TEST(acquire_that_ends_busy_closes_its_hint_connection)
{
    struct client second;
    struct rdl_hint hint;

    client_init(&second, url);
    client_wait_state(&second, RDL_CONN_READY);
    rdl_hint_init(&hint, &second.conn);
    rdl_lock_set_hint(&lock, &hint);
    live_command(&server, "SET nightly other");
    opt.wait_ms = 100;
    opt.retry_ms = 1;
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_BUSY);
    if (rdl_conn_state(&second.conn) == RDL_CONN_READY) /* on a busy machine the server ends the wait first */
        ck_assert(rdl_conn_is_idle(&second.conn));
    else
        ck_assert_int_eq(rdl_conn_state(&second.conn), RDL_CONN_CLOSED);
    ck_assert_int_eq(rdl_conn_state(&client.conn), RDL_CONN_READY);
}
END_TEST

static void cycles(void)
{
    int i;

    for (i = 0; i < 20; i++) {
        if (i > 0) /* by then the server knows the script */
            calls_mark();
        if (rdl_lock_acquire(&lock, &client_platform) != RDL_OK ||
            rdl_lock_release(&lock, &client_platform) != RDL_OK)
            _exit(1);
    }
    calls_mark();
}

static void watched_cycles(void)
{
    int ends[2];

    if (pipe(ends) != 0)
        _exit(1);
    client_set_wake_fd(ends[0]);
    cycles();
}

static int pipe_ends[2];

static void note_signal(int sig)
{
    (void)sig;
    (void)!write(pipe_ends[1], "x", 1);
}

/* SIGTERM while the lock is held: the release works; an acquire after that is not waited for. */
START_TEST(a_signal_pipe_ends_an_acquire_but_not_a_release)
{
    ck_assert_int_eq(pipe(pipe_ends), 0);
    ck_assert(signal(SIGTERM, note_signal) != SIG_ERR);
    client_set_wake_fd(pipe_ends[0]);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    raise(SIGTERM);
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 20000), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
    live_command(&server, "SET nightly other PX 60000");
    opt.wait_ms = RDL_WAIT_FOREVER;
    opt.retry_ms = 500;
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_E_INTERRUPTED);
    ck_assert_str_eq(live_command(&server, "GET nightly"), "$5\r\nother\r\n");
}
END_TEST

/* A random number; send and recv, twice; and a poll if there is more to watch than the one connection. */
START_TEST(acquire_and_release_cost_two_round_trips)
{
    static const char *const cycles_with[2][2] = {{"|srsr|", "|gsrsr|"}, {"|sprsr|", "|gsprsr|"}};
    const char *cycle = cycles_with[_i][calls_for_random()];
    const char *calls = strchr(calls_of(_i ? watched_cycles : cycles), '|');

    ck_assert_msg(strstr(calls, cycle) != NULL, "%s", calls);
    /* a busy machine may wait twice, once or so, or let 20 ms pass, after which a call polls first */
    ck_assert_msg(strspn(calls, "|gsrp") == strlen(calls), "%s", calls);
}
END_TEST

Suite *suite_lock_io(void)
{
    Suite *suite = suite_create("lock_io");
    TCase *tc = suite_case(suite, "io", setup, teardown);

    tcase_add_test(tc, one_server_grants_extends_and_releases);
    tcase_add_test(tc, another_clients_lock_is_busy_and_reports_its_time);
    tcase_add_test(tc, a_lock_released_in_time_is_acquired);
    tcase_add_test(tc, a_signal_pipe_ends_an_acquire_but_not_a_release);
    tcase_add_loop_test(tc, a_release_reports_what_it_found, 0, 3);
    tcase_add_loop_test(tc, a_release_after_long_work_reads_first, 0, 2);
    tcase_add_loop_test(tc, an_extend_reports_what_it_found, 0, 3);
    tcase_add_test(tc, a_flushed_script_is_no_error);
    tcase_add_test(tc, a_frozen_server_is_unknown_and_keeps_no_key_after_thawing);
    tcase_add_test(tc, a_dead_server_is_reported);
    tcase_add_test(tc, a_server_that_comes_back_is_used_again);
    tcase_add_test(tc, a_server_without_memory_still_releases);
    tcase_add_test(tc, a_release_that_is_not_waited_for_is_done);
    tcase_add_test(tc, acquire_fails_without_entropy);
    tcase_add_test(tc, a_failed_poll_is_reported_and_leaves_no_key);
    tcase_add_test(tc, acquire_that_ends_busy_closes_its_hint_connection);
    tc = suite_case(suite, "sockets alone", setup, teardown);
    tcase_set_tags(tc, "sockets");
    tcase_add_loop_test(tc, acquire_and_release_cost_two_round_trips, 0, 2);
    return suite;
}
