/* SPDX-License-Identifier: MIT */
/*
 * Problems that do not prevent the lock or the wait: reported once, without -v. Real servers with ACL users.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 3 };

static struct live_server server[N];
static struct command a;
static char url[N][64], urls[256];

static void start(void)
{
    for (int i = 0; i < N; i++) {
        live_start(&server[i]);
        snprintf(url[i], sizeof url[i], "redis://lk:@127.0.0.1:%d", server[i].port);
    }
}

static void stop(void)
{
    live_remove_all(server, N);
}

/* On all servers the user lk gets these rights, and n of them are used as that user. */
static void set_user(struct command *c, const char *rules, const char *const options[], int n,
                     const char *script)
{
    memset(c, 0, sizeof *c);
    command_add(c, "run");
    command_add_all(c, options);
    for (int i = 0; i < N; i++)
        live_command(&server[i], "ACL SETUSER lk reset on >secret %s", rules);
    snprintf(urls, sizeof urls, "REDLOCK_URLS=%s %s %s", url[0], n > 1 ? url[1] : "", n > 2 ? url[2] : "");
    command_setenv(c, urls);
    command_setenv(c, "REDLOCK_PASSWORD=secret");
    command_add(c, "nightly");
    command_add(c, "-c");
    command_add(c, script);
}

/* The text after "127.0.0.1:PORT" in the messages; is it a warning? */
static size_t warned(const struct command *c, int i, const char *after)
{
    char text[128];

    ck_assert_uint_eq(command_count(c->err, "redlock: warning: "), command_count(c->err, "redlock: "));
    snprintf(text, sizeof text, "127.0.0.1:%d%s", server[i].port, after);
    return command_count(c->err, text);
}

static const char hold[] = "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done";
static const char *const patient[] = {"--attempt=5s", NULL};
static const char all[] = "~* +@all";

/* ---------------------------------------------------------------- INFO */

static const char *const permitted[] = {"-q", "--restart-guard=if-permitted", "--attempt=5s", NULL};
static const char *const off[] = {"--restart-guard=off", "--attempt=5s", NULL};

START_TEST(servers_that_refuse_info_are_named_once_with_advice)
{
    char where[32];

    set_user(&a, "~* +@all -info", permitted, 1 + 2 * _i, hold);
    command_start(&a);
    for (int i = 0; i < 1 + 2 * _i; i++) { /* a server that replies late is named late */
        snprintf(where, sizeof where, "127.0.0.1:%d", server[i].port);
        command_await_err(&a, where);
    }
    ck_assert_str_eq(command_note(&a), "in");
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    for (int i = 0; i < 1 + 2 * _i; i++)
        ck_assert_uint_eq(warned(&a, i, ""), 1);
    assert_has(a.err, "redlock: warning: INFO is refused by 127.0.0.1:");
    assert_has(a.err, "; grant the user +info, or give --restart-guard=off\n");
}
END_TEST

START_TEST(info_is_not_mentioned_if_it_is_unneeded_or_permitted)
{
    set_user(&a, _i == 0 ? "~* +@all -info" : all, off, N, "sleep 0.1");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.err, "");
}
END_TEST

static struct relay relay;

static void stop_relay(void)
{
    relay_stop(&relay);
    stop();
}

static const struct {
    const char *info, *verbosity, *guard;
    int servers;
    const char *level, *err; /* before and after the server's name; NULL: INFO is not mentioned */
} shown[] = {
    {"$12\r\nrole:master\n\r\n", "-q", "--restart-guard=if-permitted", 1, "warning: ",
     " shows no uptime, so redlock does not notice a restart: give --restart-guard=off if a restart loses no "
     "data\n"},
    {"$23\r\nuptime_in_seconds:9000\n\r\n", "-v", "--restart-guard=off", 2, "",
     " shows no run_id, so redlock does not notice if a server is listed twice\n"},
    {"$23\r\nuptime_in_seconds:9000\n\r\n", "-v", "--restart-guard=if-permitted", 1, NULL, NULL},
};

/* Server 0 is reached through a relay that hides some of its INFO. */
START_TEST(missing_info_fields_are_reported)
{
    char put[100], err[200];
    struct live_server all_of_them[N];

    snprintf(put, sizeof put, "*2\r\n$4\r\nECHO\r\n%s", shown[_i].info);
    memset(&relay, 0, sizeof relay);
    relay.find = "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n";
    relay.put = put;
    relay.is_stubborn = 1;
    relay_start(&relay, server[0].port, 0);
    memcpy(all_of_them, server, sizeof server);
    all_of_them[0].port = relay.port;
    command_set(&a, (const char *const[]){shown[_i].verbosity, "--attempt=2s", shown[_i].guard, NULL},
                all_of_them, (unsigned)shown[_i].servers, "nightly", "sleep 0.1");
    ck_assert_int_eq(command_run(&a), 0);
    if (shown[_i].err == NULL) {
        assert_lacks(a.err, "INFO");
        return;
    }
    snprintf(err, sizeof err, "redlock: %sINFO on 127.0.0.1:%d%s", shown[_i].level, relay.port,
             shown[_i].err);
    assert_has(a.err, err);
    assert_lacks(a.err, "INFO is refused");
}
END_TEST

/* ---------------------------------------------------------------- a permanent failure of a minority */

/* The last of three servers fails; the others grant it. */
static const struct {
    const char *command; /* for that server */
    const char *text;
} failing[] = {
    {"ACL SETUSER lk resetpass >other", "WRONGPASS"},
    {"ACL SETUSER lk -set", ": the user lacks permission for a command or a key (ACL): NOPERM "},
    {"REPLICAOF 127.0.0.1 1", "use its master"},
    {NULL, ": another address leads to the same server\n"},
};

/* Until the key's remaining time has grown. */
static void await_renewal(void)
{
    const struct timespec pause = {0, 20000000};
    long last, next = 0;

    do {
        last = next;
        nanosleep(&pause, NULL);
        next = strtol(live_command(&server[0], "PTTL nightly") + 1, NULL, 10);
    } while (last <= 0 || next <= last);
}

/* And the lease is renewed. */
START_TEST(a_permanent_failure_of_one_server_is_reported_once)
{
    static const char *const renewed[] = {"--ttl=8s", "--attempt=2s", NULL};

    if (failing[_i].command == NULL) /* listed twice */
        snprintf(url[N - 1], sizeof url[N - 1], "redis://lk:@[::1]:%d", server[0].port);
    set_user(&a, all, renewed, N, hold);
    if (failing[_i].command != NULL)
        live_command(&server[N - 1], "%s", failing[_i].command);
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    command_await_err(&a, failing[_i].text);
    await_renewal();
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_msg(command_count(a.err, "a server is not used for nightly") == 1, "%s", a.err);
    ck_assert_msg(command_count(a.err, "redlock: ") == 1, "%s", a.err);
    if (failing[_i].command != NULL)
        ck_assert_uint_eq(warned(&a, N - 1, ": "), 1);
}
END_TEST

START_TEST(a_server_that_is_down_is_no_warning)
{
    set_user(&a, all, patient, N, "sleep 0.3");
    live_kill(&server[N - 1]);
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.err, "");
}
END_TEST

START_TEST(a_waiting_run_reports_a_permanent_failure_too)
{
    live_command(&server[0], "SET nightly other PX 60000");
    live_command(&server[1], "SET nightly other PX 60000");
    set_user(&a, all, patient, N, "echo in >&9");
    live_command(&server[N - 1], "ACL SETUSER lk resetpass >other");
    command_start(&a);
    command_await_err(&a, "WRONGPASS");
    ck_assert(command_is_silent(&a));
    live_command(&server[0], "DEL nightly");
    live_command(&server[1], "DEL nightly");
    ck_assert_str_eq(command_note(&a), "in");
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_uint_eq(command_count(a.err, "redlock: warning: "), 1); /* plus a progress line */
    ck_assert_uint_eq(command_count(a.err, "WRONGPASS"), 1);
}
END_TEST

/* ---------------------------------------------------------------- a key without expiry */

START_TEST(a_key_without_expiry_is_reported_once_and_at_once)
{
    live_command(&server[0], "SET nightly other");
    set_user(&a, all, (const char *const[]){"-w", _i == 0 ? "0" : "2.5", "--attempt=5s", NULL}, 1, ":");
    command_start(&a);
    command_await_err(&a, "never expires");
    ck_assert_int_eq(command_end(&a), 1);
    ck_assert_uint_eq(command_count(a.err, "redlock: warning: nightly on 127.0.0.1:"), 1);
    ck_assert_uint_eq(command_count(a.err, "never expires"), 1);
    assert_has(a.err, "; DEL it if nothing needs it\n");
    assert_has(a.err, "redlock: nightly is held by another client\n");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$5\r\nother\r\n");
}
END_TEST

/* ---------------------------------------------------------------- keys next to the lock */

static const char *const side[][5] = {
    {"-n", "--attempt=5s", "--fence", NULL},
    {"-n", "--attempt=5s", "--canary", NULL},
    {"-n", "--attempt=5s", "--canary", "--restart-guard=if-permitted",
     NULL}, /* the option needs it all the same */
};

START_TEST(a_forbidden_fence_or_canary_key_fails_with_77)
{
    set_user(&a, _i % 3 == 2 ? "~nightly +@all -info" : "~nightly +@all", side[_i % 3], _i < 3 ? 1 : N,
             "echo ran");
    ck_assert_int_eq(command_run(&a), 77);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, "the key ");
    assert_has(a.err, _i % 3 == 0 ? "{nightly}:fence)" : "rdl:canary)");
    assert_lacks(a.err, "fencing needs scripts");
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(a_minority_that_canary_cannot_watch_is_reported)
{
    set_user(&a, all,
             (const char *const[]){"-q", "--canary", "--restart-guard=if-permitted", "--ttl=8s",
                                   "--max-ttl=8s", "--attempt=2s", NULL},
             N, hold);
    live_command(&server[1], "ACL SETUSER lk resetkeys ~nightly");
    command_start(&a);
    command_await_err(&a, "--canary does not watch "); /* at the latest when it is needed for a renewal */
    ck_assert_str_eq(command_note(&a), "in");
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_uint_eq(command_count(a.err, "--canary does not watch "), 1);
    assert_has(a.err, ": the user may not get and set the key rdl:canary there\n");
}
END_TEST

/* ---------------------------------------------------------------- a server that loses the key */

START_TEST(a_lock_that_was_gone_at_the_release_is_reported)
{
    command_set(&a, (const char *const[]){"-q", "--ttl=30s", "--attempt=5s", NULL}, server, 1, "nightly",
                hold);
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    live_command(&server[0], "DEL nightly");
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    assert_has(a.err, "redlock: warning: nightly was gone from a majority of the servers before it was "
                      "released: another client may have held it at the same time (");
}
END_TEST

/* ---------------------------------------------------------------- users that may acquire but not release */

static const struct {
    const char *rules, *words, *message;
} giving[] = {
    {"~* +set +pttl +info", "the user may not release or extend the lock on 127.0.0.1:", "'watch'"},
    {"~* +@all -eval -evalsha -multi", "the user may not release or extend the lock", "'multi'"},
    {"~* +@all -get", "the user may not release or extend the lock", "'get'"},
    {"~* +set +pttl +eval +evalsha", "the user may not release or extend the lock", "'watch'"},
    {"~* +set +pttl +evalsha +script +get +del +pexpire", /* EVALSHA is not enough */
     "the user may not release or extend the lock", "'watch'"},
    {all, NULL, NULL},
    {"~* +@all -info", NULL, NULL},
    {"~* +set +pttl +eval +evalsha +get +del +pexpire", NULL, NULL}, /* the rights that the message lists */
    {"~* +@all -@scripting", NULL, NULL},                            /* there is another method */
};

START_TEST(run_warns_first_if_the_user_may_not_release_or_extend)
{
    set_user(&a, giving[_i].rules, patient, _i % 2 ? N : 1, "echo in >&9; read -r x </dev/zero");
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    const char *err = command_err_so_far(&a);
    if (giving[_i].words == NULL) {
        ck_assert_str_eq(err, "");
    } else {
        assert_has(err, giving[_i].words);
        assert_has(err, giving[_i].message);
        assert_has(err, "; grant +eval +evalsha +get +del +pttl +pexpire (");
    }
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 128 + SIGTERM);
    ck_assert(giving[_i].words != NULL || a.err[0] == '\0');
    if (giving[_i].words == NULL)
        ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* The probe cannot see this: scripts are permitted, but not their commands. */
START_TEST(a_refused_release_is_reported_with_its_reason)
{
    set_user(&a, "~* +@all -del", patient, _i == 0 ? 1 : N, ":");
    ck_assert_int_eq(command_run(&a), 0);
    assert_has(a.err, "redlock: warning: nightly could not be released (127.0.0.1:");
    assert_has(a.err, ": the user lacks permission for a command or a key (ACL): NOPERM ");
    assert_has(a.err, "'del'");
    assert_lacks(a.err, "no reply");
}
END_TEST

Suite *suite_cli_warn(void)
{
    Suite *suite = suite_create("cli_warn");
    TCase *tc = suite_case(suite, "three servers", start, stop);

    tcase_add_loop_test(tc, servers_that_refuse_info_are_named_once_with_advice, 0, 2);
    tcase_add_loop_test(tc, info_is_not_mentioned_if_it_is_unneeded_or_permitted, 0, 2);
    tcase_add_loop_test(tc, a_permanent_failure_of_one_server_is_reported_once, 0, COUNT(failing));
    tcase_add_test(tc, a_server_that_is_down_is_no_warning);
    tcase_add_test(tc, a_waiting_run_reports_a_permanent_failure_too);
    tcase_add_loop_test(tc, a_key_without_expiry_is_reported_once_and_at_once, 0, 2);
    tcase_add_loop_test(tc, a_forbidden_fence_or_canary_key_fails_with_77, 0, 6);
    tcase_add_test(tc, a_minority_that_canary_cannot_watch_is_reported);
    tcase_add_test(tc, a_lock_that_was_gone_at_the_release_is_reported);
    tcase_add_loop_test(tc, run_warns_first_if_the_user_may_not_release_or_extend, 0, COUNT(giving));
    tcase_add_loop_test(tc, a_refused_release_is_reported_with_its_reason, 0, 2);
    tc = suite_case(suite, "a relay", start, stop_relay);
    tcase_add_loop_test(tc, missing_info_fields_are_reported, 0, sizeof shown / sizeof shown[0]);
    return suite;
}
