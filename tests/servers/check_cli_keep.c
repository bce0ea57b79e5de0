/* SPDX-License-Identifier: MIT */
/* --keep: the lock is held for some time although its command has ended. Real servers. */
#define _POSIX_C_SOURCE 200809L
#include "net/net.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3, QUORUM = 2, KEEP_MS = 60000, TICKS = 20 };

#define LEASE "--ttl=8s", "--attempt=2s"
#define KEEP  LEASE, "--keep=60s", "--max-ttl=60s"

static struct live_server server[N];
static struct command a, b;
static uint64_t begun_ms;

static void setup(void)
{
    setenv("REDLOCK_OWNER", "o", 1);
    memset(server, 0, sizeof server);
    live_start_all(server, N);
}

static void teardown(void)
{
    live_remove_all(server, N);
}

static void start(struct command *c, const char *const options[], const char *script)
{
    begun_ms = rdl_posix_now_ms();
    command_set(c, options, server, N, "nightly", script);
    command_start(c);
}

static int run(struct command *c, const char *const options[], const char *script)
{
    start(c, options, script);
    return command_end(c);
}

/*
 * On a majority the key lives at least until KEEP_MS after the request, which came after begun_ms. The time
 * since then counts, so it does not matter how long the command, or this test, took.
 */
static void assert_kept(void)
{
    int kept = 0;

    for (int i = 0; i < N; i++) {
        long left_ms = strtol(live_command(&server[i], "PTTL nightly") + 1, NULL, 10);
        kept += left_ms > 0 && rdl_posix_now_ms() - begun_ms + (uint64_t)left_ms >= KEEP_MS;
    }
    ck_assert_int_ge(kept, QUORUM);
}

static void assert_free(void)
{
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}

/* The keep time is over on the servers. */
static void end_keep(void)
{
    for (int i = 0; i < N; i++) {
        live_command(&server[i], "PEXPIRE nightly 1");
        live_await(&server[i], "EXISTS nightly", ":0");
    }
}

/* ---------------------------------------------------------------- run */

START_TEST(keep_holds_the_lock_however_the_command_ends)
{
    static const struct {
        const char *script;
        int status;
    } ends[] = {{":", 0}, {"exit 3", 3}, {"kill -TERM $$", 143}, {"kill -INT $$", 130}, {"exit 127", 127}};

    ck_assert_int_eq(run(&a, (const char *const[]){KEEP, NULL}, ends[_i].script), ends[_i].status);
    ck_assert_str_eq(a.err, "");
    assert_kept();
    ck_assert_int_eq(run(&b, (const char *const[]){KEEP, "-n", NULL}, "echo ran"), 1);
    ck_assert_int_eq(run(&b, (const char *const[]){KEEP, "-nq", "-E7", NULL}, "echo ran"), 7);
    ck_assert_str_eq(b.out, "");
}
END_TEST

START_TEST(a_signal_ends_the_command_but_not_keep)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    start(&a, (const char *const[]){KEEP, NULL}, "echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    kill(a.pid, signals[_i]);
    ck_assert_int_eq(command_end(&a), 128 + signals[_i]);
    assert_kept();
}
END_TEST

START_TEST(keep_prints_its_remaining_time_with_v)
{
    const char *message;
    char *end;

    ck_assert_int_eq(run(&a, (const char *const[]){KEEP, "-v", NULL}, ":"), 0);
    message = strstr(a.err, "redlock: the command has ended: nightly is kept for another ");
    ck_assert_ptr_nonnull(message);
    double left_s = strtod(strstr(message, "another ") + strlen("another "), &end);
    ck_assert(left_s > 0 && left_s <= 60);
    ck_assert_str_eq(end, " s\n");
    assert_lacks(a.err, "released");
}
END_TEST

/*
 * Two hosts start the same job each minute, and their clocks differ. The first host's job is over when the
 * second host starts: the lock alone does not close that gap. The next minute comes when the keep time is
 * over on the servers, and then the other host is first. The only clock is that of the servers, for the 60 s
 * of the keep.
 */
START_TEST(two_hosts_whose_clocks_differ_run_a_job_once_each_tick)
{
    const char *const options[] = {"-n", KEEP, NULL};
    const char job[] = "sleep 0.01; echo ran >&9";
    int runs = 0;

    for (int tick = 0; tick < TICKS; tick++) {
        struct command *first = tick % 2 == 0 ? &a : &b, *second = tick % 2 == 0 ? &b : &a;
        ck_assert_int_eq(run(first, options, job), 0);
        ck_assert_int_eq(run(second, options, job), 1);
        runs += command_last_note(first) != NULL;
        runs += command_last_note(second) != NULL;
        close(first->note_fd);
        close(second->note_fd);
        end_keep();
    }
    ck_assert_int_eq(runs, TICKS);
}
END_TEST

START_TEST(a_kept_lock_expires_by_itself)
{
    ck_assert_int_eq(run(&a, (const char *const[]){"--ttl=5s", "--attempt=1s", "--keep=5s", NULL}, ":"), 0);
    for (int i = 0; i < N; i++)
        live_await(&server[i], "EXISTS nightly", ":0");
    ck_assert_int_eq(run(&b, (const char *const[]){"-n", LEASE, NULL}, ":"), 0);
}
END_TEST

START_TEST(a_command_that_outlives_keep_releases_the_lock)
{
    ck_assert_int_eq(run(&a, (const char *const[]){LEASE, "--keep=500ms", "-v", NULL}, "sleep 0.6"), 0);
    assert_has(a.err, "redlock: nightly released\n");
    assert_free();
}
END_TEST

START_TEST(a_command_that_cannot_start_releases_a_kept_lock)
{
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", KEEP, NULL});
    command_add_servers(&a, server, N);
    command_add_all(
        &a, (const char *const[]){"nightly", "--", _i == 0 ? "no-such-program" : "/etc/passwd", NULL});
    ck_assert_int_eq(command_run(&a), 127 - _i);
    assert_free();
}
END_TEST

static const struct {
    const char *options[3], *message;
} refused[] = {
    {{"--keep=1m", "--max-ttl=30s", NULL},
     "redlock: --keep (60s) must be at most --max-ttl (30s), the longest lease of any client of these "
     "servers: shorten it, or give all clients --max-ttl=60s\n"},
    {{"--keep=1m", "--max-hold=30s", NULL},
     "redlock: --keep (60s) must be at most --max-hold (30s), after which the lock is released\n"},
    {{"--keep=1m", "--legacy=always", NULL}, "redlock: --keep does not work with --legacy\n"},
};

START_TEST(keep_refuses_conflicting_options_with_advice)
{
    command_set(&a, refused[_i].options, server, 1, "nightly", "echo ran");
    ck_assert_int_eq(command_run(&a), 64);
    ck_assert_str_eq(a.err, refused[_i].message);
    ck_assert_str_eq(a.out, "");
}
END_TEST

/* ---------------------------------------------------------------- renewals */

/* A renewal would come 0.2 s after the start, and another one, if one were due. */
START_TEST(keep_sends_no_renewal_while_more_than_a_ttl_is_left)
{
    const char *const options[] = {"--ttl=600ms", "--keep=60s", "--attempt=150ms", "-v", NULL};

    ck_assert_int_eq(run(&a, options, "sleep 1"), 0);
    assert_has(a.err, "nightly acquired");
    assert_lacks(a.err, "renewed");
    assert_kept();
}
END_TEST

/* A renewal extends it by a ttl, which is longer than what was left of the keep. */
START_TEST(keep_renews_the_lock_of_a_longer_command)
{
    const char *const options[] = {LEASE, "--keep=9s", "-v", NULL};

    start(&a, options, "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    command_await_err(&a, "redlock: nightly renewed\n");
    for (int i = 0; i < N; i++) /* requests that were not sent yet will be */
        live_await(&server[i], "PTTL nightly", ":7");
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    assert_lacks(a.err, "lost");
}
END_TEST

/* ---------------------------------------------------------------- the same as without --keep */

START_TEST(a_lost_lease_is_75_with_keep)
{
    const char *const options[] = {LEASE, "--keep=8s", NULL};

    start(&a, options, "echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET nightly other PX 60000");
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "redlock: nightly is lost: ");
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "GET nightly"), "$5\r\nother\r\n");
}
END_TEST

START_TEST(max_hold_is_124_and_releases_a_kept_lock)
{
    const char *const options[] = {LEASE, "--max-hold=8s", "--grace=3900ms", "--keep=8s", "-v", NULL};

    ck_assert_int_eq(run(&a, options, "while :; do sleep 0.01; done"), 124);
    assert_has(a.err, "redlock: nightly released\n");
    assert_lacks(a.err, "kept");
}
END_TEST

/* ---------------------------------------------------------------- hold */

/* As a coprocess; fd 9 gets its token some time after the grant. SIGUSR1: its input ends; SIGUSR2: TERM. */
static void start_hold(struct command *c, const char *options)
{
    static char script[512]; /* borrowed by the command */

    begun_ms = rdl_posix_now_ms();
    snprintf(script, sizeof script,
             "coproc exec \"$RDL_COMMAND\" hold %s nightly; pid=$COPROC_PID; exec 6<&${COPROC[0]} "
             "7>&${COPROC[1]}; eval \"exec ${COPROC[0]}<&- ${COPROC[1]}>&-\"; trap 'exec 7>&-' USR1; "
             "trap 'kill $pid' USR2; read -r token <&6; sleep 0.01; echo $token >&9; "
             "while wait $pid; s=$?; [ $s -gt 128 ]; do :; done; exit $s",
             options);
    command_set_script(c, server, N, script);
    command_start(c);
}

/* And its token works for the remaining time. */
START_TEST(hold_leaves_a_kept_lock_at_its_end)
{
    char entry[80];

    start_hold(&a, "--ttl=8s --attempt=2s --keep=60s -v");
    snprintf(entry, sizeof entry, "REDLOCK_TOKEN=%.42s", command_note(&a));
    kill(a.pid, _i == 0 ? SIGUSR1 : SIGUSR2);
    ck_assert_int_eq(command_end(&a), 0);
    assert_has(a.err, _i == 0 ? "redlock: standard input is closed: nightly is kept for"
                              : "redlock: a signal came: nightly is kept for");
    assert_kept();
    command_set_script(&b, server, N, "\"$RDL_COMMAND\" release --attempt=2s nightly");
    command_setenv(&b, entry);
    ck_assert_int_eq(command_run(&b), 0);
    assert_free();
}
END_TEST

START_TEST(hold_releases_the_lock_after_the_time_of_keep)
{
    start_hold(&a, "--ttl=8s --attempt=2s --keep=1ms -v");
    command_note(&a);
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
    assert_has(a.err, "redlock: standard input is closed: releasing nightly\n");
    assert_free();
}
END_TEST

Suite *suite_cli_keep(void)
{
    Suite *suite = suite_create("cli_keep");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_add_loop_test(tc, keep_holds_the_lock_however_the_command_ends, 0, 5);
    tcase_add_loop_test(tc, a_signal_ends_the_command_but_not_keep, 0, 3);
    tcase_add_test(tc, keep_prints_its_remaining_time_with_v);
    tcase_add_test(tc, two_hosts_whose_clocks_differ_run_a_job_once_each_tick);
    tcase_add_test(tc, a_kept_lock_expires_by_itself);
    tcase_add_test(tc, a_command_that_outlives_keep_releases_the_lock);
    tcase_add_loop_test(tc, a_command_that_cannot_start_releases_a_kept_lock, 0, 2);
    tcase_add_loop_test(tc, keep_refuses_conflicting_options_with_advice, 0, COUNT(refused));
    tcase_add_test(tc, keep_sends_no_renewal_while_more_than_a_ttl_is_left);
    tcase_add_test(tc, keep_renews_the_lock_of_a_longer_command);
    tcase_add_test(tc, a_lost_lease_is_75_with_keep);
    tcase_add_test(tc, max_hold_is_124_and_releases_a_kept_lock);
    tcase_add_loop_test(tc, hold_leaves_a_kept_lock_at_its_end, 0, 2);
    tcase_add_test(tc, hold_releases_the_lock_after_the_time_of_keep);
    return suite;
}
