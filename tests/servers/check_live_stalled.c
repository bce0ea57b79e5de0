/* SPDX-License-Identifier: MIT */
/*
 * Connections that swallow all bytes from some moment on, while new ones work. Real servers with a relay that
 * acts like a firewall that forgot its connections.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock_io.h"
#include "lock/lock_op.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

/* Well below the tests' limit: a wait that ends is reported. */
enum { WAIT_MS = 30000 };

static struct live_server server;
static struct relay relay;
static struct client client;
static struct rdl_lock lock;
static struct rdl_lock_options opt;
static char url[64];

static void setup(void)
{
    memset(&relay, 0, sizeof relay);
    client_setup();
    live_start(&server);
}

static void teardown(void)
{
    relay_stop(&relay);
    live_remove(&server);
}

/* A lock whose connection goes mute when it sends this. */
static void begin(const char *mute, uint32_t ttl_ms, uint32_t attempt_ms)
{
    relay.mute = mute;
    relay_start(&relay, server.port, 0);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", relay.port);
    opt = (struct rdl_lock_options){
        .ttl_ms = ttl_ms, .wait_ms = WAIT_MS, .retry_ms = 20, .attempt_ms = attempt_ms};
    client_init(&client, url);
    rdl_lock_init(&lock, &opt, &client.conn, "k", 1);
}

static const char *exists(void)
{
    return live_command(&server, "EXISTS k");
}

START_TEST(a_waiting_acquire_uses_the_next_connection)
{
    begin("SET", 4000, 1000);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_str_eq(exists(), ":1\r\n");
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_str_eq(exists(), ":0\r\n");
}
END_TEST

START_TEST(an_extend_after_a_swallowed_one_saves_the_lease)
{
    begin("EVAL", 60000, 2000);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 60000), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 60000), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_str_eq(exists(), ":0\r\n");
}
END_TEST

START_TEST(a_swallowed_release_is_sent_on_the_next_connection)
{
    uint64_t end_ms;

    begin("EVAL", 60000, 300);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_UNKNOWN);
    end_ms = client_now() + CLIENT_TIMEOUT_MS;
    while (!rdl_conn_is_idle(&client.conn)) {
        ck_assert_uint_lt(client_now(), end_ms);
        client_step(&client, end_ms);
    }
    ck_assert_str_eq(exists(), ":0\r\n");
}
END_TEST

/* The first renewal, after 3 s, is swallowed. */
START_TEST(a_command_survives_a_swallowed_renewal)
{
    static struct command run;
    const char *args[] = {"run", "--ttl", "9s", "-u", url, "nightly", "-c", "sleep 11; exit 3", NULL};

    begin("EVAL", 1000, 0);
    memset(&run, 0, sizeof run);
    command_add_all(&run, args);
    ck_assert_int_eq(command_run(&run), 3);
    assert_has(run.err, "nightly was not renewed");
    assert_has(run.err, "nightly renewed");
    assert_lacks(run.err, "queue");
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- the relay itself */

START_TEST(the_relay_serves_several_clients)
{
    static struct client more[3];
    int i;

    begin("no such word", 1000, 0);
    for (i = 0; i < 3; i++) {
        client_init(&more[i], url);
        ck_assert_int_eq(client_ask(&more[i], &rdl_op_time, "k"), RDL_ANSWER_YES);
    }
    for (i = 0; i < 3; i++)
        ck_assert_int_eq(client_ask(&more[i], &rdl_op_time, "k"), RDL_ANSWER_YES);
}
END_TEST

/* Otherwise it would wait until its limit, without a reason. */
START_TEST(a_relay_that_cannot_reach_the_server_fails_its_test)
{
    begin("no such word", 1000, 0);
    live_kill(&server);
    client_wait_state(&client, RDL_CONN_READY); /* to the relay */
    for (;;)
        pause();
}
END_TEST

Suite *suite_live_stalled(void)
{
    Suite *suite = suite_create("live_stalled");
    TCase *tc = suite_case(suite, "connections that stall", setup, teardown);
    TCase *self = suite_case(suite, "the relay", setup, teardown);

    tcase_add_test(tc, a_waiting_acquire_uses_the_next_connection);
    tcase_add_test(tc, an_extend_after_a_swallowed_one_saves_the_lease);
    tcase_add_test(tc, a_swallowed_release_is_sent_on_the_next_connection);
    tcase_add_test(tc, a_command_survives_a_swallowed_renewal);
    tcase_add_test(self, the_relay_serves_several_clients);
    tcase_add_exit_test(self, a_relay_that_cannot_reach_the_server_fails_its_test, 1);
    return suite;
}
