/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { N = 5 };

static struct live_server server[N];
static struct command a, b;

static const char *const at_once[] = {"-n", "--attempt", "5s", NULL}; /* on a busy machine too */
static const char hold[] = "trap 'echo out >&9; exit 0' USR1; echo in >&9; while :; do sleep 0.01; done";

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

static void start_holder(void)
{
    command_set(&a, at_once, server, N, "nightly", hold);
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
}

static void end_holder(void)
{
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
}

START_TEST(the_second_waits_and_then_runs)
{
    start_holder();
    command_set(&b, (const char *const[]){"-v", NULL}, server, N, "nightly", "echo in >&9");
    command_start(&b);
    command_await_err(&b, "held by another client; waiting");
    ck_assert_int_eq(command_is_silent(&b), 1);
    end_holder();
    ck_assert_str_eq(command_note(&b), "in");
    ck_assert_int_eq(command_end(&b), 0);
}
END_TEST

START_TEST(a_conflict_exits_with_1_or_the_given_status)
{
    start_holder();
    command_set(&b, at_once, server, N, "nightly", "echo never");
    ck_assert_int_eq(command_run(&b), 1);
    assert_has(b.err, "nightly is held by another client");
    ck_assert_str_eq(b.out, "");
    command_set(&b, (const char *const[]){"-q", "-w", "0.2", "-E", "75", "--attempt", "5s", NULL}, server, N,
                "nightly", "echo never");
    ck_assert_int_eq(command_run(&b), 75);
    ck_assert_str_eq(b.err, "");
    command_set(&b, (const char *const[]){"-n", "-E", "0", "--attempt", "5s", NULL}, server, N, "nightly",
                "echo never");
    ck_assert_int_eq(command_run(&b), 0);
    ck_assert_str_eq(b.out, "");
    command_set(&b, at_once, server, N, "weekly", "exit 0");
    ck_assert_int_eq(command_run(&b), 0);
    end_holder();
}
END_TEST

START_TEST(a_signal_ends_the_wait_and_leaves_no_key)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    start_holder();
    for (int i = 0; i < 4; i++) {
        command_set(&b, (const char *const[]){"-v", NULL}, server, N, "nightly", "echo never");
        command_start(&b);
        command_await_err(&b, "waiting");
        kill(b.pid, signals[i]);
        ck_assert_int_eq(command_end(&b), 128 + signals[i]);
    }
    end_holder();
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(two_of_five_servers_may_be_down)
{
    live_kill(&server[0]);
    live_kill(&server[3]);
    command_set(&a, at_once, server, N, "nightly", "exit 7");
    ck_assert_int_eq(command_run(&a), 7);
    ck_assert_str_eq(a.err, "");
    live_restart(&server[0]);
    live_freeze(&server[0]); /* down by another cause */
    command_set(&a, at_once, server, N, "nightly", "exit 7");
    ck_assert_int_eq(command_run(&a), 7);
    live_thaw(&server[0]);
}
END_TEST

static void where(const struct live_server *s, char out[32])
{
    snprintf(out, 32, "127.0.0.1:%d: ", s->port);
}

START_TEST(three_of_five_servers_down_fail_with_69_and_are_named)
{
    char name[32];
    for (int i = 0; i < 3; i++)
        live_kill(&server[i]);
    command_set(&a, (const char *const[]){"-w", "1", NULL}, server, N, "nightly", "echo never");
    ck_assert_int_eq(command_run(&a), 69);
    for (int i = 0; i < N; i++) {
        where(&server[i], name);
        ck_assert_msg((strstr(a.err, name) != NULL) == (i < 3), "%s: %s", name, a.err);
    }
    ck_assert_ptr_eq(strchr(a.err, '\n'), a.err + strlen(a.err) - 1);
    command_set(&a, at_once, server, N, "nightly", "echo never");
    ck_assert_int_eq(command_run(&a), 69);
}
END_TEST

/* Two of five are down: the other three refuse, in any order. */
START_TEST(a_held_lock_is_a_conflict_while_a_minority_is_down)
{
    start_holder();
    for (int i = 0; i < N; i++) /* it holds the lock when a majority has the key */
        live_await(&server[i], "EXISTS nightly", ":1\r\n");
    live_kill(&server[4]);
    if (_i)
        live_kill(&server[3]);
    for (int i = 0; i < 20; i++) {
        command_set(&b, at_once, server, N, "nightly", "echo never");
        ck_assert_int_eq(command_run(&b), 1);
    }
    command_set(&b, (const char *const[]){"-w", "0.7", "--attempt", "5s", NULL}, server, N, "nightly",
                "echo never");
    ck_assert_int_eq(command_run(&b), 1);
    end_holder();
}
END_TEST

/* One attempt, including connecting; its duration is tested where time is an argument. */
START_TEST(n_makes_one_attempt_on_a_frozen_majority)
{
    char name[32];

    for (int i = 0; i < 3; i++)
        live_freeze(&server[i]);
    command_set(&a, at_once, server, N, "nightly", "echo never");
    ck_assert_int_eq(command_run(&a), 69);
    for (int i = 0; i < 3; i++)
        live_thaw(&server[i]);
    for (int i = 0; i < N; i++) {
        where(&server[i], name);
        ck_assert_msg((strstr(a.err, name) != NULL) == (i < 3), "%s: %s", name, a.err);
    }
}
END_TEST

/* Connecting takes several round trips, and then comes the lock's: together longer than an attempt. */
START_TEST(n_gives_a_slow_server_time_to_connect)
{
    struct relay far = {0};
    char url[40];

    relay_start(&far, server[0].port, 2600);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d/3", far.port);
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-v", "-n", "--attempt", "5s", "-u", url, "nightly",
                                              "-c", "exit 7", NULL});
    ck_assert_int_eq(command_run(&a), 7);
    relay_stop(&far);
}
END_TEST

START_TEST(run_waits_for_a_majority_that_comes_back)
{
    for (int i = 0; i < 3; i++)
        live_kill(&server[i]);
    command_set(&a, (const char *const[]){"-w", "30", NULL}, server, N, "nightly", "echo in >&9");
    command_start(&a);
    live_restart(&server[1]);
    ck_assert_str_eq(command_note(&a), "in");
    ck_assert_int_eq(command_end(&a), 0);
}
END_TEST

START_TEST(a_frozen_majority_fails_with_69)
{
    for (int i = 0; i < 3; i++)
        live_freeze(&server[i]);
    command_set(&a, (const char *const[]){"-w", "0.5", NULL}, server, N, "nightly", "echo never");
    ck_assert_int_eq(command_run(&a), 69);
    for (int i = 0; i < 3; i++)
        live_thaw(&server[i]);
}
END_TEST

START_TEST(a_key_without_expiry_is_reported_as_not_a_lock)
{
    live_command(&server[0], "SET nightly something");
    command_set(&a, at_once, server, 1, "nightly", "echo never");
    ck_assert_int_eq(command_run(&a), 1);
    assert_has(a.err, "never expires");
}
END_TEST

START_TEST(a_user_without_pttl_learns_that_the_lock_is_held)
{
    live_command(&server[0], "SET nightly something PX 60000");
    live_command(&server[0], "ACL SETUSER default -pttl");
    command_set(&a, at_once, server, 1, "nightly", "echo never");
    ck_assert_int_eq(command_run(&a), 1);
    ck_assert_str_eq(a.err, "redlock: nightly is held by another client\n");
}
END_TEST

/* Advice is printed only if nothing listens. */
START_TEST(an_unreachable_server_is_reported_in_the_systems_words)
{
    static const struct {
        const char *url, *text;
    } cases[] = {
        {"unix:///nowhere/at/all", "no lock: /nowhere/at/all: cannot connect: No such file or directory\n"},
        {"unix:///dev/null/no", "no lock: /dev/null/no: cannot connect: Not a directory\n"},
        {"redis://127.0.0.1:1",
         ": 127.0.0.1:1: cannot connect: Connection refused (is the server running?)\n"},
        {"unix:///etc/passwd",
         ": /etc/passwd: cannot connect: Connection refused (is the server running?)\n"},
    };
    static const char *const modes[] = {"--legacy=never", "--legacy=always"};

    for (size_t i = 0; i < 8; i++) {
        memset(&a, 0, sizeof a);
        command_add_all(&a, (const char *const[]){"run", "-n", "--attempt=5s", modes[i / 4], "-u",
                                                  cases[i % 4].url, "L", "true", NULL});
        ck_assert_int_eq(command_run(&a), 69);
        assert_has(a.err, cases[i % 4].text);
    }
}
END_TEST

START_TEST(only_refused_connections_get_advice_to_start_servers)
{
    live_command(&server[0], "CONFIG SET maxmemory 1");
    command_set(&a, at_once, server, 1, "nightly", "true");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, "no lock: 127.0.0.1:");
    assert_has(a.err, "out of memory");
    live_kill(&server[1]);
    command_set(&a, at_once, server, 3, "nightly", "true");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, "2 of 3 servers are needed: ");
    assert_has(a.err, ": cannot connect: Connection refused");
    live_command(&server[0], "CONFIG SET maxmemory 0");
    command_set(&a, at_once, server, 2, "nightly", "true");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, ": cannot connect: Connection refused (is the server running?)\n");
    live_kill(&server[0]);
    command_set(&a, at_once, server, 2, "nightly", "true");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, ": cannot connect: Connection refused (are the servers running?)\n");
}
END_TEST

/* ---------------------------------------------------------------- servers that are not Redis */

static int run_against(const char *text, size_t good)
{
    struct fake_server f = {.trick = FAKE_CLOSES, .text = text, .after = 10};
    char url[64];
    fake_start(&f);
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-w", "0.5", "--attempt", "5s", "-u",
                                              fake_url(&f, url, sizeof url), NULL});
    command_add_servers(&a, server, good);
    command_add_all(&a, (const char *const[]){"nightly", "true", NULL});
    command_run(&a);
    fake_stop(&f);
    return a.status;
}

START_TEST(a_server_that_speaks_http_fails_with_76)
{
    static const char http[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    ck_assert_int_eq(run_against(http, 0), 76);
    assert_has(a.err, "RESP2");
    ck_assert_int_eq(run_against(http, 1), 76);
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n"); /* its grant is released */
    ck_assert_int_eq(run_against(http, 2), 0);
}
END_TEST

START_TEST(run_waits_for_a_load_balancer_without_a_backend)
{
    ck_assert_int_eq(run_against("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n", 0), 69);
    assert_has(a.err, "redlock: no lock after ");
    assert_has(a.err, ": a load balancer has no server: HTTP/1.1 503 Service Unavailable "
                      "(a load balancer or proxy replied: check the server behind it)\n");
}
END_TEST

START_TEST(a_server_that_sends_nothing_fails_with_69)
{
    ck_assert_int_eq(run_against("", 0), 69);
    ck_assert_int_eq(run_against("-LOADING Redis is loading the dataset in memory\r\n", 0), 69);
    ck_assert_int_eq(run_against("-OOM command not allowed\r\n", 1), 69);
}
END_TEST

START_TEST(server_text_cannot_control_the_terminal)
{
    ck_assert_int_eq(run_against("-OOM \033[2J\007pwned\r\n-OOM \033[2J\007pwned\r\n", 0), 69);
    ck_assert_ptr_null(strchr(a.err, '\033'));
    ck_assert_ptr_null(strchr(a.err, '\007'));
}
END_TEST

Suite *suite_cli_wait(void)
{
    Suite *s = suite_create("cli_wait");
    TCase *t = suite_case(s, "five servers", start, stop);
    tcase_add_test(t, a_conflict_exits_with_1_or_the_given_status);
    tcase_add_test(t, two_of_five_servers_may_be_down);
    tcase_add_test(t, three_of_five_servers_down_fail_with_69_and_are_named);
    tcase_add_loop_test(t, a_held_lock_is_a_conflict_while_a_minority_is_down, 0, 2);
    tcase_add_test(t, n_makes_one_attempt_on_a_frozen_majority);
    tcase_add_test(t, n_gives_a_slow_server_time_to_connect);
    tcase_add_test(t, a_frozen_majority_fails_with_69);
    tcase_add_test(t, a_user_without_pttl_learns_that_the_lock_is_held);
    tcase_add_test(t, an_unreachable_server_is_reported_in_the_systems_words);
    tcase_add_test(t, only_refused_connections_get_advice_to_start_servers);
    tcase_add_test(t, a_key_without_expiry_is_reported_as_not_a_lock);
    tcase_add_test(t, a_server_that_speaks_http_fails_with_76);
    tcase_add_test(t, run_waits_for_a_load_balancer_without_a_backend);
    tcase_add_test(t, a_server_that_sends_nothing_fails_with_69);
    tcase_add_test(t, server_text_cannot_control_the_terminal);
    return s;
}

Suite *suite_cli_wait_long(void)
{
    Suite *s = suite_create("cli_wait_long");
    TCase *t = suite_case(s, "five servers", start, stop);
    tcase_add_test(t, the_second_waits_and_then_runs);
    tcase_add_test(t, a_signal_ends_the_wait_and_leaves_no_key);
    tcase_add_test(t, run_waits_for_a_majority_that_comes_back);
    return s;
}
