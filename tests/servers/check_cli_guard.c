/* SPDX-License-Identifier: MIT */
/* The command and its coordinator's features: restart guard, fencing token, --max-hold. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"
#include "tests/fixtures/fleet.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { N = 3 };

static struct live_server server[N];
static struct command a, b;

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

START_TEST(restarted_servers_do_not_count_and_are_reported)
{
    command_set(
        &a, (const char *const[]){"-n", "--attempt=5s", "--max-ttl", "60s", "--restart-guard=required", NULL},
        server, N, "nightly", "echo ran");
    ck_assert_int_eq(command_run(&a), 69);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, " of 3 servers started less than --max-ttl (60s) ago "
                      "and may have lost locks in a restart; a majority can be used in ");
    assert_has(a.err, " s. Until then, add --restart-guard=off if they are new. Always add "
                      "it if they lose nothing in a restart\n");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* Each server that is missing is named with its own reason. */
START_TEST(a_dead_server_is_named_beside_young_ones)
{
    char dead[80];

    live_kill(&server[0]);
    command_set(&a, (const char *const[]){"-n", "--attempt=5s", "--max-ttl", "60s", NULL}, server, N,
                "nightly", "echo ran");
    command_setenv(&a, "REDLOCK_RESTART_GUARD=if-permitted");
    ck_assert_int_eq(command_run(&a), 69);
    snprintf(dead, sizeof dead, " in a restart; 127.0.0.1:%d: cannot connect: Connection refused; ",
             server[0].port);
    assert_has(a.err, " of 3 servers started less than --max-ttl (60s) ago");
    assert_has(a.err, dead);
    assert_lacks(a.err, " in 0 s");
}
END_TEST

/* One server is not "too many". -v prints what each server did, even if the lock was not granted. */
START_TEST(one_restarted_server_is_reported_as_one)
{
    static const char advice[] = ". Until then, add --restart-guard=off if it is new. Always add it if it "
                                 "loses nothing in a restart\n";
    unsigned up_s, wait_s;
    const char *message;
    int len = 0;

    live_await_uptime(&server[0], 2);
    command_set(
        &a, (const char *const[]){"-nv", "--attempt=5s", "--max-ttl=60s", "--restart-guard=required", NULL},
        server, 1, "nightly", ":");
    ck_assert_int_eq(command_run(&a), 69);
    message = strstr(a.err, "redlock: no lock: ");
    ck_assert_ptr_nonnull(message);
    ck_assert_int_eq(sscanf(message,
                            "redlock: no lock: the server started %u s ago, less than --max-ttl (60s), and "
                            "may have lost locks in a restart; it can be used in %u s%n",
                            &up_s, &wait_s, &len),
                     2);
    ck_assert_uint_ge(up_s, 1); /* INFO has whole seconds */
    ck_assert_uint_le(up_s + wait_s, 61);
    ck_assert_uint_ge(up_s + wait_s, 60);
    ck_assert_int_eq(strncmp(message + len, advice, sizeof advice - 1), 0);
    assert_has(a.err, ": restarted too recently to be used for another ");
}
END_TEST

START_TEST(run_reports_the_quarantine_and_then_gets_the_lock)
{
    command_set(&a, (const char *const[]){"--ttl", "4s", "--attempt", "1s", NULL}, server, N, "nightly",
                "echo ran");
    command_setenv(&a, "REDLOCK_RESTART_GUARD=if-permitted");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "ran\n");
    assert_has(a.err, "; a majority can be used in ");
}
END_TEST

/* The servers have just started, so they do not count for a minute: a wait of 20 s is not even begun. */
START_TEST(a_wait_that_is_shorter_than_the_quarantine_ends_at_once)
{
    command_set(&a, (const char *const[]){"-w", "20", "--max-ttl", "60s", "--attempt", "1s", NULL}, server, N,
                "nightly", "echo ran");
    command_setenv(&a, "REDLOCK_RESTART_GUARD=if-permitted");
    ck_assert_int_eq(command_run(&a), 69);
    ck_assert_str_eq(a.out, "");
    ck_assert_ptr_eq(strstr(a.err, "waiting"), NULL);
    assert_has(a.err, " of 3 servers started less than");
    assert_has(a.err, "; a majority can be used in ");
}
END_TEST

/* Until the first n have it: the command starts when a majority has it. */
static void await_key(int n)
{
    for (int i = 0; i < n; i++)
        live_await(&server[i], "EXISTS nightly", ":1\r\n");
}

/* A holds two of three; one of them restarts without its data. B, which asks then, must wait. */
START_TEST(a_server_that_lost_its_data_grants_no_second_lock)
{
    const char *const off[] = {"-n", "--attempt=5s", "--max-ttl", "60s", NULL};
    const char *const guarded[] = {"-n", "--attempt=5s", "--max-ttl", "60s", "--restart-guard=required",
                                   NULL};
    int status;

    live_kill(&server[2]);
    command_set(&a, off, server, N, "nightly",
                "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    await_key(2);
    kill(a.pid, SIGSTOP); /* it sends nothing any more, and nothing to the third when that is back */
    ck_assert_int_eq(waitpid(a.pid, &status, WUNTRACED), a.pid);
    live_kill(&server[1]);
    live_restart(&server[1]);
    live_restart(&server[2]);
    command_set(&b, _i ? off : guarded, server, N, "nightly", "echo ran");
    command_run(&b);
    ck_assert_int_eq(b.status, _i ? 0 : 69);
    kill(a.pid, SIGCONT);
    kill(a.pid, SIGUSR1);
    command_end(&a);
}
END_TEST

enum { GUARD_NOW = 10000000 };

static uint64_t guard_now(void *ctx)
{
    (void)ctx;
    return GUARD_NOW;
}

/* Each server has had its canary since 1970. */
static void put_canaries(void)
{
    for (int i = 0; i < N; i++)
        live_put_canary(&server[i], 1);
}

/* A holds it on three servers; two of them are emptied. */
START_TEST(emptied_servers_grant_no_second_lock)
{
    const char *const plain[] = {"-n", "--attempt=5s", NULL};
    const char *const canary[] = {"-n", "--attempt=5s", "--canary", NULL};

    put_canaries();
    command_set(&a, canary, server, N, "nightly",
                "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    await_key(N); /* it sends nothing any more */
    live_command(&server[1], "FLUSHALL");
    live_command(&server[2], "FLUSHALL");
    command_set(&b, _i ? plain : canary, server, N, "nightly", "echo ran");
    command_run(&b);
    if (_i == 0) /* held, or too few servers count: this depends on the order of the replies */
        ck_assert(b.status == 1 || b.status == 69);
    else
        ck_assert_int_eq(b.status, 0);
    kill(a.pid, SIGUSR1);
    command_end(&a);
}
END_TEST

static const char *const foreign[] = {"LPUSH rdl:canary 1", "SETRANGE rdl:canary 70 x"};

/* Without -w: the wait would never end, because nothing replaces that key. */
START_TEST(an_invalid_canary_is_reported_and_ends_the_wait)
{
    char text[200];

    put_canaries();
    for (int i = 1; i < N; i++) {
        live_command(&server[i], "DEL rdl:canary");
        live_command(&server[i], "%s", foreign[_i]);
    }
    command_set(&a, (const char *const[]){"--attempt=5s", "--canary", NULL}, server, N, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&a), 69);
    ck_assert_str_eq(a.out, "");
    for (int i = 1; i < N; i++) {
        snprintf(
            text, sizeof text,
            "redlock: warning: 127.0.0.1:%d has a key rdl:canary that is not a canary (another type, or "
            "a long string): with --canary the server is never used; find out which program wrote that key",
            server[i].port);
        ck_assert_uint_eq(command_count(a.err, text), 1);
    }
    assert_has(a.err, "redlock: no lock: on too many servers another program uses the key "
                      "rdl:canary, which redlock does not replace\n");
}
END_TEST

START_TEST(a_minority_without_a_canary_does_no_harm)
{
    put_canaries();
    live_command(&server[2], "DEL rdl:canary");
    live_command(&server[2], "%s", foreign[_i]);
    command_set(&a, (const char *const[]){"--attempt=5s", "--canary", NULL}, server, N, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "ran\n");
}
END_TEST

/* A short text is replaced like the canary of another run, so it ends by itself. */
START_TEST(a_stale_canary_is_not_called_foreign)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET rdl:canary \"%s\"",
                     _i ? "0123456789abcdef0123456789abcdef01234567" : "");
    command_set(&a, (const char *const[]){"-n", "--attempt=5s", "--canary", NULL}, server, N, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, "started, or their key rdl:canary was made, less than --max-ttl (30s) "
                      "ago and may have lost locks; a majority can be used in ");
    assert_lacks(a.err, "is not a canary");
}
END_TEST

/*
 * The server is old enough for the restart guard: only the canary delays the lock. The wait is shorter than
 * that; an attempt that is not answered in time is repeated.
 */
START_TEST(one_server_reports_a_new_canary_as_the_reason)
{
    static const char advice[] = " s. --restart-guard=off does not shorten this\n";
    unsigned made_s, wait_s;
    const char *message;
    int len = 0;

    live_await_uptime(&server[0], 6);
    command_set(&a,
                (const char *const[]){"-w3.5", "--ttl=4s", "--max-ttl=4s", "--attempt=1s", "--canary", NULL},
                server, 1, "nightly", "echo ran");
    command_setenv(&a, "REDLOCK_RESTART_GUARD=if-permitted");
    ck_assert_int_eq(command_run(&a), 69);
    message = strstr(a.err, "redlock: no lock: the key rdl:canary was made ");
    ck_assert_msg(message != NULL, "%s", a.err);
    ck_assert_int_eq(sscanf(message,
                            "redlock: no lock: the key rdl:canary was made %u s ago, less than --max-ttl "
                            "(4s), because --canary is new there or the data was lost; it can be used in "
                            "%u%n",
                            &made_s, &wait_s, &len),
                     2);
    ck_assert_uint_ge(made_s + wait_s, 4);
    ck_assert_uint_le(made_s + wait_s, 5);
    ck_assert_int_eq(strncmp(message + len, advice, sizeof advice - 1), 0);
}
END_TEST

START_TEST(a_newly_made_canary_is_reported)
{
    static const char message[] =
        " of 3 servers started, or their key rdl:canary was made, less than --max-ttl "
        "(30s) ago and may have lost locks; a majority can be used in ";
    char *end, *at;

    command_set(&a, (const char *const[]){"-n", "--attempt=5s", "--canary", NULL}, server, N, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&a), 69);
    at = strstr(a.err, message);
    ck_assert_msg(at != NULL, "%s", a.err);
    ck_assert_int_gt(strtol(at + sizeof message - 1, &end, 10), 0);
    ck_assert_int_le(strtol(at + sizeof message - 1, &end, 10), 31);
    ck_assert_str_eq(end, " s. --restart-guard=off does not shorten this\n");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(a_ttl_above_max_ttl_is_refused)
{
    command_set(&a, (const char *const[]){"--ttl", "10s", "--max-ttl", "9s", NULL}, server, N, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&a), 64);
    assert_has(a.err, "--ttl (10s) must be at most --max-ttl (9s)");
    command_set(&a, (const char *const[]){"--max-ttl", "10s", NULL}, server, N, "nightly", "echo ran");
    ck_assert_int_eq(command_run(&a), 64);
    assert_has(a.err, "redlock: the default --ttl (30s) must be at most --max-ttl (10s)");
    command_set(&a, (const char *const[]){"--max-hold", "2s", "--grace", "1s", NULL}, server, N, "nightly",
                "echo ran");
    ck_assert_int_eq(command_run(&a), 64);
    assert_has(a.err, "--grace (1s) must be less than half of --max-hold (2s)\n");
}
END_TEST

START_TEST(the_command_gets_a_growing_fencing_token)
{
    unsigned long long last = 0;

    for (int i = 0; i < 3; i++) {
        command_set(&a, (const char *const[]){"--fence", NULL}, server, N, "nightly", "echo $REDLOCK_FENCE");
        command_setenv(&a, "REDLOCK_FENCE=7"); /* of a lock around this one */
        ck_assert_int_eq(command_run(&a), 0);
        ck_assert_uint_gt(strtoull(a.out, NULL, 10), last);
        last = strtoull(a.out, NULL, 10);
    }
    ck_assert_uint_gt(last, 1700000000000ull); /* not below the wall clock */
    command_set(&a, (const char *const[]){NULL}, server, N, "nightly", "echo ${REDLOCK_FENCE-none}");
    command_setenv(&a, "REDLOCK_FENCE=7");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "none\n");
}
END_TEST

/* A long grace: whatever else this machine does, the command is stopped before the lease ends. */
#define MAX_HOLD "--ttl=8s", "--attempt=2s", "--max-hold=8s", "--grace=3900ms"

START_TEST(max_hold_stops_the_command_with_124)
{
    command_set(&a, (const char *const[]){MAX_HOLD, NULL}, server, N, "nightly",
                "while :; do sleep 0.01; done");
    ck_assert_msg(command_run(&a) == 124, "%d: %s", a.status, a.err); /* not lost: it was to be stopped */
    ck_assert_str_eq(a.err, "redlock: nightly has reached --max-hold (8s): stopping the command\n");
    command_set(&a, (const char *const[]){MAX_HOLD, "-v", NULL}, server, N, "nightly",
                "trap 'exit 0' TERM; while :; do sleep 0.01; done");
    ck_assert_int_eq(command_run(&a), 124); /* whatever the command's exit status is */
    assert_has(a.err, "nightly released");
    assert_has(a.err, "nightly is not renewed any more, because of --max-hold\n");
    command_set(&a, (const char *const[]){MAX_HOLD, NULL}, server, N, "nightly", "exit 3");
    ck_assert_int_eq(command_run(&a), 3);
    ck_assert_str_eq(a.err, "");
}
END_TEST

/* redlock is stopped when a renewal would be due, and continues in the grace period. */
START_TEST(max_hold_is_reached_without_a_renewal)
{
    command_set(&a, (const char *const[]){MAX_HOLD, NULL}, server, N, "nightly",
                "kill -STOP $PPID; sleep 4.2; kill -CONT $PPID; exec sleep 60");
    ck_assert_msg(command_run(&a) == 124, "%d: %s", a.status, a.err);
    ck_assert_str_eq(a.err, "redlock: nightly has reached --max-hold (8s): stopping the command\n");
}
END_TEST

/* Then it is the lease, which is not renewed. */
START_TEST(max_hold_may_be_shorter_than_the_ttl)
{
    command_set(
        &a, (const char *const[]){"--ttl=60s", "--attempt=2s", "--max-hold=8s", "--grace=3900ms", "-v", NULL},
        server, N, "nightly", "echo $REDLOCK_TTL_MS; while :; do sleep 0.01; done");
    ck_assert_int_eq(command_run(&a), 124);
    ck_assert_str_eq(a.out, "8000\n");
    assert_has(a.err, "redlock: nightly has reached --max-hold (8s): stopping the command\n");
    assert_lacks(a.err, "nightly renewed");
    assert_lacks(a.err, "lost");
}
END_TEST

START_TEST(verbose_reports_what_each_server_did)
{
    live_kill(&server[2]);
    command_set(&a, (const char *const[]){"-v", NULL}, server, N, "nightly", ":");
    ck_assert_int_eq(command_run(&a), 0);
    assert_has(a.err, ": confirmed in ");
    assert_has(a.err, "connect");
}
END_TEST

START_TEST(the_required_guard_fails_with_77_without_info)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "ACL SETUSER default -info");
    command_set(&a, (const char *const[]){"-n", "--attempt=5s", "--restart-guard=required", NULL}, server,
                1 + 2 * (unsigned)_i, "nightly", ":");
    ck_assert_int_eq(command_run(&a), 77);
    assert_has(a.err, " (check the user's permissions)\n");
    assert_has(a.err, ": the user lacks permission for a command or a key (ACL)");
}
END_TEST

START_TEST(verbose_reports_which_server_refused)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET nightly other PX 60000");
    command_set(&a, (const char *const[]){"-v", "-n", "--attempt=5s", NULL}, server, N, "nightly", ":");
    ck_assert_int_eq(command_run(&a), 1);
    assert_has(a.err, ": held by another client for another ");
}
END_TEST

/*
 * Two of three have to count. One does, one is in quarantine, one is down: the server that is down has no
 * effect on the time.
 */
START_TEST(the_quarantine_ignores_servers_that_are_down)
{
    static struct rdl_cli_servers servers;
    static struct rdl_cli_lock l;

    fleet_guarded(N, RDL_GUARD_IF_PERMITTED, GUARD_NOW);
    fleet_restart(1, GUARD_NOW);
    fleet_down(2);
    servers.n = N;
    l.servers = &servers;
    l.redlock = fleet.lock;
    l.platform.now_ms = guard_now;
    ck_assert_uint_eq(rdl_cli_lock_quarantine_ms(&l), FLEET_TTL + 1000);
}
END_TEST

START_TEST(run_warns_of_a_server_that_may_evict)
{
    live_command(&server[1], "CONFIG SET maxmemory 1000000000");
    live_command(&server[1], "CONFIG SET maxmemory-policy allkeys-lru");
    command_set(&a, (const char *const[]){"-q", NULL}, server, N, "nightly", ":");
    live_kill(&server[2]); /* so the lock is not granted without a reply of that one */
    ck_assert_int_eq(command_run(&a), 0);
    assert_has(a.err, "may delete locks when its memory is full");
}
END_TEST

START_TEST(an_invalid_restart_guard_is_refused_with_the_choices)
{
    command_set(&a, (const char *const[]){"--restart-guard=maybe", NULL}, server, N, "nightly", ":");
    ck_assert_int_eq(command_run(&a), 64);
    assert_has(a.err, "give if-permitted, required, strict or off");
}
END_TEST

Suite *suite_cli_guard(void)
{
    Suite *suite = suite_create("cli_guard");
    TCase *tc = suite_case(suite, "three servers", start, stop);

    tcase_add_test(tc, restarted_servers_do_not_count_and_are_reported);
    tcase_add_test(tc, one_restarted_server_is_reported_as_one);
    tcase_add_test(tc, a_dead_server_is_named_beside_young_ones);
    tcase_add_test(tc, run_reports_the_quarantine_and_then_gets_the_lock);
    tcase_add_test(tc, a_wait_that_is_shorter_than_the_quarantine_ends_at_once);
    tcase_add_loop_test(tc, a_server_that_lost_its_data_grants_no_second_lock, 0, 2);
    tcase_add_loop_test(tc, emptied_servers_grant_no_second_lock, 0, 2);
    tcase_add_loop_test(tc, an_invalid_canary_is_reported_and_ends_the_wait, 0, 2);
    tcase_add_loop_test(tc, a_minority_without_a_canary_does_no_harm, 0, 2);
    tcase_add_loop_test(tc, a_stale_canary_is_not_called_foreign, 0, 2);
    tcase_add_test(tc, a_newly_made_canary_is_reported);
    tcase_add_test(tc, one_server_reports_a_new_canary_as_the_reason);
    tcase_add_test(tc, a_ttl_above_max_ttl_is_refused);
    tcase_add_test(tc, the_command_gets_a_growing_fencing_token);
    tcase_add_test(tc, max_hold_stops_the_command_with_124);
    tcase_add_test(tc, max_hold_is_reached_without_a_renewal);
    tcase_add_test(tc, max_hold_may_be_shorter_than_the_ttl);
    tcase_add_test(tc, verbose_reports_what_each_server_did);
    tcase_add_loop_test(tc, the_required_guard_fails_with_77_without_info, 0, 2);
    tcase_add_test(tc, verbose_reports_which_server_refused);
    tcase_add_test(tc, the_quarantine_ignores_servers_that_are_down);
    tcase_add_test(tc, run_warns_of_a_server_that_may_evict);
    tcase_add_test(tc, an_invalid_restart_guard_is_refused_with_the_choices);
    return suite;
}
