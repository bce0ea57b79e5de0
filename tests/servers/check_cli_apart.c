/* SPDX-License-Identifier: MIT */
/* Two hosts that do not exclude each other: what run, status and doctor report on one of them. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define OTHER "00112233445566778899aabbccddeeff00000002"

static struct live_server server[N];
static struct command a;
static struct relay relay;
static char url[N][LIVE_PATH_MAX + 40];

static void start(void)
{
    memset(&relay, 0, sizeof relay);
    for (int i = 0; i < N; i++) {
        live_start(&server[i]);
        live_log(&server[i]);
        live_url(&server[i], LIVE_V4, url[i], sizeof url[i]);
    }
}

static void stop(void)
{
    relay_stop(&relay);
    live_remove_all(server, N);
}

/* redlock VERB OPTIONS... SERVERS... nightly [-- true] */
static int redlock(const char *verb, const char *const options[], int n)
{
    memset(&a, 0, sizeof a);
    command_add(&a, verb);
    command_add_all(&a, options);
    for (int i = 0; i < n; i++)
        command_add_all(&a, (const char *const[]){"-u", url[i], NULL});
    command_add(&a, "nightly");
    if (strcmp(verb, "run") == 0)
        command_add_all(&a, (const char *const[]){"--", "true", NULL});
    return command_run(&a);
}

static void set(int i, const char *value, int life_ms)
{
    live_command(&server[i], "SET nightly %s PX %d", value, life_ms);
}

/* ---------------------------------------------------------------- --max-ttl */

static const char *const verbs[] = {"run", "status", "doctor"};
/* Several short attempts: on a busy machine one is not answered in time. */
static const char *const attempts[] = {
    "-w4", "--restart-guard=if-permitted", "--max-ttl=1s", "--ttl=1s", "--attempt=250ms", NULL};
static const char *const counted[] = {"--restart-guard=if-permitted", "--max-ttl=1s", "--attempt=5s", NULL};
static const char *const examined[] = {"--restart-guard=if-permitted", "--max-ttl=1s", "--ttl=1s", NULL};
static const char *const uncounted[] = {"--restart-guard=off", "--attempt=5s", NULL};

/* The servers are up for longer than --max-ttl and a second. */
static void age(void)
{
    live_await_uptime(&server[N - 1], 3);
}

/* A lease of 500 s: run prints a warning, and so does status. */
START_TEST(a_lease_longer_than_max_ttl_is_reported)
{
    static const char *const message[] = {
        " s left, more than --max-ttl (1s): after a restart it would count before that lease expires, and "
        "two hosts could hold the lock; give all hosts the same --max-ttl, ",
        " s left, more than --max-ttl (1s): after a restart it would count before that lease expires, and "
        "two hosts could hold the lock; remedy: give all hosts the same --max-ttl, "};
    static const char *const *const options[] = {attempts, counted, examined};
    const char *text;

    age();
    for (int i = 0; i < N; i++)
        set(i, TOKEN, 500000);
    redlock(verbs[_i], options[_i], N);
    text = _i < 2 ? a.err : a.out;
    ck_assert_msg(strstr(text, message[_i == 2]) != NULL, "%s%s", a.out, a.err);
    ck_assert_uint_eq(command_count(text, " a lease "), 1);
}
END_TEST

/* The message does not apply if the restart guard is off. A key of another program is no lease. */
START_TEST(a_long_lease_is_ignored_without_the_guard_or_a_token)
{
    set(0, TOKEN, 500000);
    ck_assert_int_eq(redlock("status", uncounted, 1), 1);
    ck_assert_str_eq(a.err, "");
    set(0, "precious", 500000);
    age();
    ck_assert_int_eq(redlock("status", counted, 1), 1);
    ck_assert_str_eq(a.err, "");
}
END_TEST

/* ---------------------------------------------------------------- local servers only */

/* Next to a server of another host that is down: there is a majority. */
START_TEST(one_local_server_among_remote_ones_is_reported)
{
    static const char own[] = "on this host, unless it is a tunnel: other hosts reach a different "
                              "server at this address, so two hosts may each get a majority; ";
    static const char remedy[] = "give an address that is the same for all hosts\n";
    char text[400];

    snprintf(url[2], sizeof url[2], "redis://192.0.2.1:1");
    redlock(verbs[_i], (const char *const[]){"--restart-guard=off", "--attempt=1s", NULL}, N);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "warning: 127.0.0.1:%d%s is %s%s%s", server[i].port, _i < 2 ? "" : ": it",
                 own, _i < 2 ? "" : "remedy: ", remedy);
        ck_assert_msg(strstr(_i < 2 ? a.err : a.out, text) != NULL, "%s%s", a.out, a.err);
    }
    ck_assert_uint_eq(command_count(a.err, "on this host"), _i < 2 ? 2 : 0);
}
END_TEST

/* They could let two clients hold the lock, so -q hides none of them. */
START_TEST(no_risk_of_two_holders_is_hidden_by_q)
{
    static const char *const texts[] = {
        " is on this host, unless it is a tunnel: ", " s left, more than --max-ttl (1s): ",
        "--keep (60s) is longer than 30s: give all clients --max-ttl=60s"};

    if (_i == 0) {
        snprintf(url[2], sizeof url[2], "redis://192.0.2.1:1");
        redlock("run", (const char *const[]){"-qn", "--restart-guard=off", "--attempt=1s", NULL}, N);
    } else if (_i == 1) {
        age();
        for (int i = 0; i < N; i++)
            set(i, TOKEN, 500000);
        redlock(
            "run",
            (const char *const[]){"-qw4", "--restart-guard=if-permitted", "--max-ttl=1s", "--ttl=1s", NULL},
            N);
    } else {
        redlock("run", (const char *const[]){"-qn", "--restart-guard=off", "--keep=1m", NULL}, N);
    }
    assert_has(a.err, texts[_i]);
}
END_TEST

START_TEST(local_servers_are_reported_by_doctor_and_with_v)
{
    static const char message[] = " is on this host: other hosts do not see its locks (unless it is a "
                                  "tunnel to a common server)\n";

    live_url(&server[1], LIVE_UNIX, url[1], sizeof url[1]);
    live_url(&server[2], LIVE_V6, url[2], sizeof url[2]);
    redlock(verbs[_i], uncounted, N);
    ck_assert_str_eq(a.err, "");
    redlock(verbs[_i], (const char *const[]){"--restart-guard=off", "-v", NULL}, N);
    if (_i < 2)
        ck_assert_msg(command_count(a.err, message) == N, "%s", a.err);
    else
        assert_has(a.out,
                   "\nnote: these servers are on this host: other hosts do not see their locks (unless "
                   "they are tunnels to common servers)\n");
}
END_TEST

/* ---------------------------------------------------------------- other servers */

START_TEST(two_holders_are_in_the_verdict_and_in_a_warning)
{
    char text[300];

    set(0, TOKEN, 20000);
    set(1, OTHER, 20000);
    set(2, OTHER, 20000);
    ck_assert_int_eq(redlock(verbs[1 + _i], uncounted, N), 1);
    snprintf(text, sizeof text,
             "warning: %snightly has two holders, 97f33ee3 and 98f34076: if this persists and neither is "
             "still acquiring it, two hosts use different servers and both hold the lock; %sgive all hosts "
             "the same list\n",
             "", _i == 0 ? "" : "remedy: ");
    ck_assert_msg(strstr(_i == 0 ? a.err : a.out, text) != NULL, "%s%s", a.out, a.err);
    if (_i == 0)
        assert_has(a.out, " unless renewed; 98f34076 has it on 1\n");
}
END_TEST

START_TEST(a_split_names_both_holders)
{
    set(0, TOKEN, 20000);
    set(1, OTHER, 20000);
    ck_assert_int_eq(redlock("status", uncounted, N), 1);
    assert_has(a.out, "\nnightly: split: no client holds it on 2 of 3 (98f34076 has it on 1, 97f33ee3 has it "
                      "on 1)\n");
    command_set_script(&a, server, N,
                       "$RDL_COMMAND status --attempt 5s --json nightly 2>/dev/null | "
                       "jq -r '.locks[0].other | .id, .on'");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "97f33ee3\n1\n");
}
END_TEST

/* Another host uses one of the three servers. Its key lives longer than any that a crash left. */
START_TEST(run_reports_a_rival_on_one_server_at_the_third_renewal)
{
    set(0, TOKEN, 600000);
    memset(&a, 0, sizeof a);
    command_set(&a, (const char *const[]){"-q", "--restart-guard=off", "--ttl=4s", "--attempt=1s", NULL},
                server, N, "nightly", "trap 'exit 0' USR1; while :; do sleep 0.01; done");
    command_start(&a);
    command_await_err(&a, "nightly has been held by another client on 127.0.0.1:");
    command_await_err(&a,
                      " for 3 renewals of this lease: a host with another list of servers may hold it, too; "
                      "give all hosts the same list\n");
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    /* On a busy host a renewal may fail. Its message names that client, too. */
    ck_assert_uint_eq(command_count(a.err, "has been held by another client"), 1);
}
END_TEST

/* ---------------------------------------------------------------- this host's clock */

/* Change the time of server 0 on the way, so that this host's clock seems to be wrong. */
static void move_clock(const char *find, const char *script)
{
    static char put[300];

    snprintf(put, sizeof put, "*3\r\n$4\r\nEVAL\r\n$%zu\r\n%s\r\n$1\r\n0\r\n", strlen(script), script);
    relay.find = find;
    relay.put = put;
    relay.is_stubborn = 1;
    relay_start(&relay, server[0].port, 0);
    snprintf(url[0], sizeof url[0], "redis://127.0.0.1:%d", relay.port);
}

/* By TIME in doctor, by INFO elsewhere. A late reply adds to the 300 s. */
START_TEST(a_local_clock_that_is_minutes_off_is_reported)
{
    static const char time[] = "*1\r\n$4\r\nTIME\r\n", info[] = "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n";
    static const char by_time[] = "local t=redis.call('TIME')return{string.format('%.0f',t[1]-300),t[2]}";
    static const char by_info[] =
        "local t=redis.call('TIME')return "
        "redis.call('INFO','server')..string.format('server_time_usec:%.0f\\r\\n',(t[1]-300)*1e6+t[2])";
    static const char message[] = "s clock is 30", why[] = " s ahead of that of 127.0.0.1:",
                      then[] = ": a job that several hosts start by their clocks may run twice; ";
    const char *text;

    move_clock(_i == 2 ? time : info, _i == 2 ? by_time : by_info);
    ck_assert_int_eq(redlock(verbs[_i], uncounted, 1), _i == 2);
    text = _i == 2 ? a.out : a.err;
    ck_assert_msg(command_count(text, message) == 1, "%s%s", a.out, a.err);
    assert_has(text, why);
    assert_has(text, then);
    assert_has(text, "clocks (NTP), or make --keep longer than the difference\n");
}
END_TEST

Suite *suite_cli_apart(void)
{
    Suite *suite = suite_create("cli_apart");
    TCase *tc = suite_case(suite, "cli_apart", start, stop);

    tcase_add_loop_test(tc, a_lease_longer_than_max_ttl_is_reported, 0, 3);
    tcase_add_test(tc, a_long_lease_is_ignored_without_the_guard_or_a_token);
    tcase_add_loop_test(tc, one_local_server_among_remote_ones_is_reported, 0, 3);
    tcase_add_loop_test(tc, no_risk_of_two_holders_is_hidden_by_q, 0, 3);
    tcase_add_loop_test(tc, local_servers_are_reported_by_doctor_and_with_v, 0, 3);
    tcase_add_loop_test(tc, a_local_clock_that_is_minutes_off_is_reported, 0, 3);
    tcase_add_loop_test(tc, two_holders_are_in_the_verdict_and_in_a_warning, 0, 2);
    tcase_add_test(tc, a_split_names_both_holders);
    tcase_add_test(tc, run_reports_a_rival_on_one_server_at_the_third_renewal);
    return suite;
}
