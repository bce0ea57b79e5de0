/* SPDX-License-Identifier: MIT */
/*
 * The command with servers that are far away: each reply takes longer than an attempt does by default. Here
 * it takes 260 ms to 1 s; redlock_far and lock_far try the rest in virtual time.
 */
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

static struct live_server server[N];
static struct relay relay[N];
static char url[N][64];
static struct command c;
static int started;

static void setup(void)
{
    memset(server, 0, sizeof server);
    memset(relay, 0, sizeof relay);
    started = 0;
}

static void teardown(void)
{
    for (int i = 0; i < started; i++) {
        relay_stop(&relay[i]);
        live_remove(&server[i]);
    }
}

static void start(int n, int has_password, int trip_ms)
{
    for (; started < n; started++) {
        int i = started;
        server[i].password = has_password ? "pw" : NULL;
        live_start(&server[i]);
        relay_start(&relay[i], server[i].port, trip_ms);
        snprintf(url[i], sizeof url[i], "redis://127.0.0.1:%d", relay[i].port);
    }
}

static void run(const char *const options[], const char *script)
{
    memset(&c, 0, sizeof c);
    command_add(&c, "run");
    command_add_all(&c, options);
    for (int i = 0; i < started; i++)
        command_add_all(&c, (const char *const[]){"-u", url[i], NULL});
    command_add_all(&c, (const char *const[]){"nightly", "-c", script, NULL});
    if (server[0].password != NULL)
        command_setenv(&c, "REDLOCK_PASSWORD=pw");
    command_run(&c);
}

/* It gets its lock, its command runs with it, there is no error and no key is left. */
static void assert_runs(const char *const options[], const char *script)
{
    run(options, script);
    ck_assert_msg(c.status == 0, "%d: %s", c.status, c.err);
    ck_assert_str_eq(c.err, "");
    ck_assert_str_eq(c.out, "ran\n");
    for (int i = 0; i < started; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}

static const struct {
    int servers, has_password, trip_ms;
} cases[] = {{N, 0, 500}, {1, 1, 1000}};

START_TEST(run_acquires_over_any_round_trip)
{
    start(cases[_i].servers, cases[_i].has_password, cases[_i].trip_ms);
    assert_runs((const char *const[]){NULL}, "echo ran");
}
END_TEST

START_TEST(run_renews_over_any_round_trip)
{
    start(1, 0, 500);
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "--ttl", "8s", "-v", "-u", url[0], "nightly", "-c",
                                              "trap 'exit 3' USR1; echo in >&9; while :; do sleep 0.01; done",
                                              NULL});
    command_start(&c);
    command_note(&c);
    command_await_err(&c, "nightly renewed");
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 3);
    assert_lacks(c.err, "not renewed");
}
END_TEST

START_TEST(one_attempt_lasts_up_to_the_given_time)
{
    start(1, 0, 1000);
    assert_runs((const char *const[]){"-n", "--attempt", "5s", NULL}, "echo ran");
}
END_TEST

/* No option says how far it is. A busy host may have too little time for a trip: again. */
START_TEST(one_attempt_allows_three_round_trips_of_260_ms)
{
    int tries = 0;

    start(N, 1, 260);
    do {
        for (int i = 0; i < N; i++)
            live_command(&server[i], "DEL nightly");
        run((const char *const[]){"-n", NULL}, "echo ran");
    } while ((c.status != 0 || strstr(c.err, "not confirmed") != NULL) && ++tries < 5);
    ck_assert_msg(c.status == 0, "%d: %s", c.status, c.err);
    ck_assert_str_eq(c.err, "");
    ck_assert_str_eq(c.out, "ran\n");
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

static const struct {
    const char *options[6], *text;
} too_far[] = {
    {{"-n", NULL}, " (no reply within 0.5 s; if the network is that slow, give --attempt 1.0s)\n"},
    {{"-n", "--attempt=1700ms", NULL}, " s, an attempt waits only 1.70 s: give --attempt "},
    {{"-w5", "--ttl=2s", NULL}, " s, an attempt waits only 0.50 s: give --attempt "},
};

static double number_after(const char *words)
{
    const char *at = strstr(c.err, words);

    ck_assert_msg(at != NULL, "%s", c.err);
    return strtod(at + strlen(words), NULL);
}

/* The advice fits the measured round trip, which is 1 s at least. */
START_TEST(an_attempt_shorter_than_the_round_trip_is_reported)
{
    start(N, 0, _i == 1 ? 2500 : 1000); /* with -n, the login has two attempts' time for each trip */
    memset(&c, 0, sizeof c);
    command_add(&c, "run");
    command_add_all(&c, too_far[_i].options);
    for (int i = 0; i < started; i++)
        command_add_all(&c, (const char *const[]){"-u", url[i], NULL});
    command_add_all(&c, (const char *const[]){"nightly", "true", NULL});
    ck_assert_int_eq(command_run(&c), 69);
    assert_has(c.err, too_far[_i].text);
    ck_assert_int_eq(strstr(c.err, " --ttl ") != NULL, _i == 2);
    if (_i == 0)
        return;
    double trip_s = number_after(" (a round trip took ");
    ck_assert_double_ge(trip_s, 1);
    ck_assert_double_ge(number_after("give --attempt "), 2 * trip_s - 0.02); /* it is printed in hundredths */
    if (_i == 2)
        ck_assert_double_ge(number_after(" --ttl "), 8 * trip_s - 0.08);
}
END_TEST

Suite *suite_cli_far(void)
{
    Suite *s = suite_create("cli_far");
    TCase *t = suite_case(s, "far servers", setup, teardown);
    tcase_add_loop_test(t, run_acquires_over_any_round_trip, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(t, run_renews_over_any_round_trip);
    tcase_add_test(t, one_attempt_lasts_up_to_the_given_time);
    tcase_add_test(t, one_attempt_allows_three_round_trips_of_260_ms);
    tcase_add_loop_test(t, an_attempt_shorter_than_the_round_trip_is_reported, 0,
                        sizeof too_far / sizeof too_far[0]);
    return s;
}
