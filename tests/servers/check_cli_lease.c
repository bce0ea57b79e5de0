/* SPDX-License-Identifier: MIT */
/* Kinds of leases: the options --fence, --legacy and --wake-hint, with the command and real servers. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 3 };

static struct live_server server[N];
static struct command a, b;
static size_t n_servers; /* that a and b use */

static const char hold[] = "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done";
static const char print_fence[] = "echo ${REDLOCK_FENCE-none} >&9";

static void begin(const char *const *args)
{
    memset(server, 0, sizeof server);
    for (int i = 0; i < N; i++) {
        server[i].args = args;
        live_start(&server[i]);
    }
}

static void setup(void)
{
    n_servers = 1;
    begin(NULL);
}

static void teardown(void)
{
    live_remove_all(server, N);
}

/* redlock run OPTIONS... on n servers, to its end. */
static int run(struct command *c, const char *const options[], size_t n, const char *script)
{
    memset(c, 0, sizeof *c);
    command_set(c, options, server, n, "nightly", script);
    return command_run(c);
}

static void start(struct command *c, const char *const options[], const char *script)
{
    memset(c, 0, sizeof *c);
    command_set(c, options, server, n_servers, "nightly", script);
    command_start(c);
}

/* The same for a command that writes a line, which is returned. */
static const char *run_for_note(const char *const options[], size_t n, const char *script)
{
    static char line[64];

    memset(&a, 0, sizeof a);
    command_set(&a, options, server, n, "nightly", script);
    command_setenv(&a, "REDLOCK_FENCE=7");
    command_start(&a);
    snprintf(line, sizeof line, "%s", command_note(&a));
    ck_assert_int_eq(command_end(&a), 0);
    close(a.note_fd); /* with several runs one would become the next one's COMMAND_NOTE_FD */
    return line;
}

static void start_holder(const char *const options[])
{
    start(&a, options, hold);
    ck_assert_str_eq(command_note(&a), "in");
}

static void end_holder(void)
{
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 0);
}

static long number(const char *command)
{
    return strtol(live_command(&server[0], "%s", command) + 1, NULL, 10);
}

static void await_blocked(int n)
{
    char text[32];

    snprintf(text, sizeof text, "\nblocked_clients:%d\r", n);
    live_await(&server[0], "INFO clients", text);
}

/* ---------------------------------------------------------------- --fence */

static const char *const fence[] = {"--fence", NULL};
static const char *const fence_and_hint[] = {"--fence", "--wake-hint", NULL};
static const char *const no_options[] = {NULL};

static const struct {
    const char *const *options;
    size_t n;
} fenced[] = {{fence, 1}, {fence, N}, {fence_and_hint, 1}};

START_TEST(every_holder_gets_a_greater_fencing_token)
{
    unsigned long long last = 0;

    for (int i = 0; i < 3; i++) {
        unsigned long long n =
            strtoull(run_for_note(fenced[_i].options, fenced[_i].n, print_fence), NULL, 10);
        ck_assert_uint_gt(n, last);
        ck_assert_uint_gt(n, 1600000000000u); /* the wall clock is its lower bound */
        last = n;
    }
}
END_TEST

static uint64_t wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* With a hint one acquire waits for long, so as to keep its place in the queue. */
START_TEST(a_fencing_token_is_as_recent_as_its_grant)
{
    static const char *const patient[] = {"--fence", "--wake-hint", "-w", "40", NULL};
    const struct timespec pause = {0, 20000000};
    uint64_t waiting_ms, number_ms;

    live_command(&server[0], "SET nightly other PX 60000");
    start(&a, patient, print_fence);
    await_blocked(1);
    nanosleep(&pause, NULL); /* its clock may be this coarse */
    waiting_ms = wall_ms();
    live_command(&server[0], "DEL nightly");
    live_command(&server[0], "RPUSH {nightly}:wake 1");
    number_ms = strtoull(command_note(&a), NULL, 10);
    ck_assert_uint_ge(number_ms, waiting_ms);
    ck_assert_uint_le(number_ms, wall_ms());
    ck_assert_int_eq(command_end(&a), 0);
}
END_TEST

START_TEST(without_fence_the_command_sees_no_fencing_token)
{
    ck_assert_str_eq(run_for_note(no_options, 1, print_fence), "none");
}
END_TEST

START_TEST(a_server_without_scripts_refuses_fence)
{
    static const char *const no_scripts[] = {LIVE_WITHOUT_SCRIPTS, NULL};

    teardown();
    begin(no_scripts);
    ck_assert_int_eq(run(&a, fenced[_i].options, fenced[_i].n, "echo it ran >&2"), 69);
    assert_has(a.err, "redlock: --fence: fencing tokens need scripts, which the server refuses: 127.0.0.1:");
    assert_lacks(a.err, "it ran");
}
END_TEST

/* The key and the server are named, and only that key is left. */
START_TEST(an_exhausted_fencing_token_is_reported_with_its_key)
{
    for (size_t i = 0; i < fenced[_i].n; i++)
        live_command(&server[i], "SET {nightly}:fence 9007199254740991");
    ck_assert_int_eq(run(&a, fenced[_i].options, fenced[_i].n, "echo it ran >&2"), 69);
    assert_has(a.err, "redlock: --fence: the number in the key {nightly}:fence has reached its "
                      "limit (2^53 - 1): 127.0.0.1:");
    assert_lacks(a.err, "it ran");
    for (size_t i = 0; i < fenced[_i].n; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* The full reason of the failure, in the words of Redis 7 with any version. */
START_TEST(a_failed_script_is_reported_with_its_reason)
{
    live_command(&server[0], "CONFIG SET maxmemory 1");
    ck_assert_int_eq(run(&a, (const char *const[]){"--fence", "-n", "--attempt=5s", NULL}, 1, ":"), 69);
    assert_has(a.err, ": the server is out of memory (maxmemory): OOM command not allowed when used "
                      "memory > 'maxmemory'.\n");
}
END_TEST

/* ---------------------------------------------------------------- --legacy */

/* One attempt, long enough for a busy machine. */
static const char *const always[] = {"--legacy=always", "-n", "--attempt=5s", NULL};
static const char *const automatic[] = {"--legacy=auto", "-n", "--attempt=5s", NULL};
static const char *const at_once[] = {"-n", "--attempt=5s", NULL};

START_TEST(legacy_locks_use_the_old_protocol)
{
    start_holder(always);
    ck_assert_int_eq(number("PTTL nightly"), -1);
    ck_assert_int_eq(live_command(&server[0], "GET nightly")[0], '$');
    ck_assert_int_eq(run(&b, always, 1, "true"), 1);
    ck_assert_int_eq(run(&b, at_once, 1, "true"), 1); /* nor does a plain lock get it */
    end_holder();
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

START_TEST(an_expired_legacy_lock_is_taken_over)
{
    live_command(&server[0], "SET nightly 1000000000");
    ck_assert_str_eq(
        run_for_note((const char *const[]){"--legacy=always", "--attempt=5s", "-v", NULL}, 1, "echo in >&9"),
        "in");
    assert_has(a.err, "taken over from a client whose lease had expired");
    ck_assert_ptr_eq(strstr(strstr(a.err, "taken over") + 1, "taken over"), NULL); /* printed once */
}
END_TEST

START_TEST(a_key_that_is_not_a_legacy_lock_is_not_taken_over)
{
    live_command(&server[0], "SET nightly precious");
    ck_assert_int_eq(run(&a, always, 1, "true"), 1);
    assert_has(a.err, " never expires, and is not a lock of the old protocol: ");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$8\r\nprecious\r\n");
}
END_TEST

START_TEST(legacy_reports_a_frozen_server)
{
    live_freeze(&server[0]);
    ck_assert_int_eq(run(&a, (const char *const[]){"--legacy=always", "-n", NULL}, 1, "true"), 69);
    assert_has(a.err, " (no reply within 0.5 s; ");
    assert_lacks(a.err, "running");
    live_thaw(&server[0]);
}
END_TEST

START_TEST(legacy_reports_what_holds_the_key)
{
    static const char *const loudly[] = {"--legacy=always", "-n", "--attempt=5s", "-v", NULL};

    start_holder(always);
    ck_assert_int_eq(run(&b, loudly, 1, "true"), 1);
    assert_has(b.err, ": held by another client for another ");
    assert_lacks(b.err, "done");
    end_holder();
    live_command(&server[0], "SET nightly precious");
    ck_assert_int_eq(run(&b, loudly, 1, "true"), 1);
    assert_has(b.err, ": the key holds a value that is not a lock of this kind");
}
END_TEST

/* redis-py's lock without a timeout. */
START_TEST(legacy_waits_for_a_holder_without_a_timeout)
{
    static const char *const loudly[] = {"--legacy=always", "-n", "--attempt=5s", "-v", NULL};

    live_command(&server[0], "SET nightly 2147483649.0");
    ck_assert_int_eq(run(&a, loudly, 1, "true"), 1);
    assert_has(a.err, " is held by another client without a timeout: ");
    assert_has(a.err, ": held by another client without a timeout");
    assert_lacks(a.err, "not a lock");
    start(&a, (const char *const[]){"--legacy=always", "-v", NULL}, "echo in >&9");
    command_await_err(&a, "waiting");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$12\r\n2147483649.0\r\n");
    live_command(&server[0], "DEL nightly");
    ck_assert_str_eq(command_note(&a), "in");
    ck_assert_int_eq(command_end(&a), 0);
}
END_TEST

/* redis-py waits: its GETSET comes just after the lock was taken. without_end: it has no timeout. */
static void waiter_overwrites(int without_end)
{
    long now_s = strtol(strstr(live_command(&server[0], "TIME"), "$10\r\n") + 5, NULL, 10);
    const char *was = live_command(&server[0], "GETSET nightly %ld.0", without_end ? 2147483649 : now_s + 60);

    ck_assert_int_eq(was[0], '$');
}

START_TEST(a_waiters_overwrite_stays_and_is_reported)
{
    start_holder(always);
    waiter_overwrites(_i);
    end_holder();
    assert_has(a.err, _i ? "is released, but its key never expires: "
                         : "is released, but its key stays for another ");
    assert_has(a.err, "a waiting client overwrote it");
    assert_has(a.err, "--legacy-shortest-ttl");
    assert_lacks(a.err, "at the same time"); /* no other client has held it */
    ck_assert_int_eq(number("EXISTS nightly"), 1);
}
END_TEST

/*
 * A client that counts in milliseconds takes our seconds for a time long past. It is no waiter: it holds the
 * lock.
 */
START_TEST(a_value_in_milliseconds_is_another_holder)
{
    start_holder(
        (const char *const[]){"--legacy=always", "--attempt=5s", _i ? "--legacy-shortest-ttl" : NULL, NULL});
    live_command(&server[0], "GETSET nightly 1700000000000");
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "nightly is lost: another client held it");
    assert_lacks(a.err, "waiting client");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$13\r\n1700000000000\r\n");
}
END_TEST

START_TEST(legacy_shortest_ttl_deletes_a_waiters_value)
{
    start_holder(
        (const char *const[]){"--legacy=always", "--legacy-shortest-ttl", "--attempt=5s", "-v", NULL});
    waiter_overwrites(_i);
    end_holder();
    assert_has(a.err, "a waiting client had overwritten nightly: its value was deleted");
    assert_has(a.err, "nightly released");
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

/* It cannot be renewed: it ends by itself, but not earlier; or at once, if the value may be a holder's. */
START_TEST(an_overwritten_legacy_lock_is_not_renewed)
{
    static const char *const options[][5] = {
        {"--ttl=8s", "--attempt=2s", "--legacy=always", "--legacy-shortest-ttl", NULL},
        {"--ttl=8s", "--attempt=2s", "--legacy=always", NULL}};
    static const char *const texts[] = {"a waiting client overwrote it: it can only expire",
                                        "has the value of a later holder, or of a waiting client"};

    start_holder(options[_i]);
    waiter_overwrites(1);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "nightly was not renewed (");
    assert_has(a.err, texts[_i]);
    ck_assert_int_eq(number("EXISTS nightly"), 1);
}
END_TEST

START_TEST(legacy_needs_clock_error_without_server_time)
{
    static const char *const no_time[] = {LIVE_WITHOUT("TIME"), NULL};

    teardown();
    begin(no_time);
    ck_assert_int_eq(run(&a, always, 1, "true"), 69);
    assert_has(a.err,
               "it does not report its time (give --clock-error: how far this host's clock may be off)");
    ck_assert_int_eq(run(&a,
                         (const char *const[]){"--legacy=always", "--clock-error=2s", "--attempt=5s", NULL},
                         1, "true"),
                     0);
    ck_assert_str_eq(a.err, "");
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

/* Redis 2.4: neither SET NX PX nor TIME. */
START_TEST(legacy_auto_accepts_clock_error)
{
    static const char *const old[] = {LIVE_WITHOUT("TIME"), LIVE_WITHOUT("SET"), NULL};

    teardown();
    begin(old);
    ck_assert_int_eq(run(&a, automatic, 1, "true"), 69);
    assert_has(a.err, "give --clock-error");
    start_holder((const char *const[]){"--legacy=auto", "--clock-error=2s", "--ttl=20s", NULL});
    ck_assert_int_eq(number("PTTL nightly"), -1);
    end_holder();
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

/* Servers before 2.2. A script (2.6) or WATCH can compare. */
START_TEST(run_warns_first_if_a_legacy_lock_cannot_be_renewed)
{
    static const char *const no_watch[] = {LIVE_WITHOUT_SCRIPTS, LIVE_WITHOUT("WATCH"), NULL};
    static const char *const no_eval[] = {LIVE_WITHOUT_SCRIPTS, NULL};
    char text[300];

    teardown();
    begin(_i ? no_eval : no_watch);
    start_holder(always);
    snprintf(
        text, sizeof text,
        "redlock: warning: 127.0.0.1:%d supports neither scripts (since Redis 2.6) nor WATCH (since 2.2), so "
        "no lease can be renewed: the command is stopped after one --ttl (30s); give a --ttl that is long "
        "enough for the command\n",
        server[0].port);
    ck_assert_str_eq(command_err_so_far(&a), _i ? "" : text);
    end_holder();
    ck_assert_uint_eq(command_count(a.err, "redlock: "), _i ? 0 : 1);
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

/* The server has it, but the user may not use it. */
START_TEST(run_warns_first_if_the_user_may_not_renew)
{
    live_command(&server[0], "ACL SETUSER default -eval -evalsha -watch");
    start_holder(always);
    ck_assert_ptr_nonnull(
        strstr(command_err_so_far(&a), "redlock: warning: the user may not extend the lock on 127.0.0.1:"));
    assert_has(a.err, ": it expires after one ttl; grant +eval +evalsha +get +set (NOPERM ");
    live_command(&server[0], "ACL SETUSER default +@all");
    end_holder();
}
END_TEST

START_TEST(run_reports_what_an_old_server_lacks)
{
    static const char *const no_set[] = {LIVE_WITHOUT("SET"), NULL};

    teardown();
    begin(no_set);
    ck_assert_int_eq(run(&a, at_once, _i ? N : 1, "true"), 69);
    assert_has(a.err, "Redis 2.6.12 or newer");
    ck_assert_int_eq(strstr(a.err, "--legacy auto supports") != NULL, !_i); /* on one server only */
}
END_TEST

/* Only run has --legacy. */
START_TEST(verbs_without_legacy_point_to_run)
{
    static const char *const no_set[] = {LIVE_WITHOUT("SET"), NULL};

    teardown();
    begin(no_set);
    memset(&a, 0, sizeof a);
    command_add(&a, "acquire");
    command_add_all(&a, at_once);
    command_add_servers(&a, server, 1);
    command_add(&a, "nightly");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, " is needed; redlock run --legacy auto supports older ones)\n");
}
END_TEST

START_TEST(a_single_lock_may_use_a_wake_hint)
{
    ck_assert_int_eq(
        run(&a, (const char *const[]){"--legacy=auto", "--wake-hint", "--attempt=5s", NULL}, 1, "true"), 0);
    ck_assert_str_eq(a.err, "");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(legacy_auto_uses_the_new_protocol_if_supported)
{
    start_holder(automatic);
    ck_assert_int_gt(number("PTTL nightly"), 0);
    end_holder();
}
END_TEST

START_TEST(legacy_auto_uses_the_old_protocol_on_old_servers)
{
    static const char *const no_set[] = {LIVE_WITHOUT("SET"), NULL};

    teardown();
    begin(no_set);
    start_holder(automatic);
    ck_assert_int_eq(number("PTTL nightly"), -1);
    ck_assert_int_eq(run(&b, automatic, 1, "true"), 1);
    end_holder();
    ck_assert_int_eq(number("EXISTS nightly"), 0);
    ck_assert_int_eq(run(&b, at_once, 1, "true"), 69); /* redlock does not do that by itself */
}
END_TEST

/* ---------------------------------------------------------------- --wake-hint */

static const char *const hint[] = {"--wake-hint", NULL};

START_TEST(a_waiter_blocks_on_the_first_server_until_the_hint)
{
    n_servers = _i == 0 ? 1 : N;
    start_holder(hint);
    start(&b, hint, "echo in >&9");
    await_blocked(1);
    end_holder();
    ck_assert_str_eq(command_note(&b), "in");
    ck_assert_int_eq(command_end(&b), 0);
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

START_TEST(a_hint_waiter_also_waits_for_a_holder_without_hints)
{
    start_holder(no_options);
    start(&b, hint, "echo in >&9");
    await_blocked(1);
    end_holder();
    ck_assert_str_eq(command_note(&b), "in");
    ck_assert_int_eq(command_end(&b), 0);
}
END_TEST

START_TEST(a_signal_ends_the_wait_for_a_hint)
{
    start_holder(hint);
    start(&b, hint, "true");
    await_blocked(1);
    kill(b.pid, SIGTERM);
    ck_assert_int_eq(command_end(&b), 128 + SIGTERM);
    await_blocked(0);
    end_holder();
}
END_TEST

START_TEST(a_wait_for_a_hint_is_limited)
{
    start_holder(hint);
    ck_assert_int_eq(
        run(&b, (const char *const[]){"--wake-hint", "-w", "0.3", "--attempt=5s", NULL}, 1, "true"), 1);
    assert_has(b.err, "is held by another client"); /* the limit may cut off the reply that has the expiry */
    end_holder();
}
END_TEST

START_TEST(wake_hint_reports_a_dead_server)
{
    live_kill(&server[0]);
    ck_assert_int_eq(run(&b, (const char *const[]){"--wake-hint", "-w", "0.2", NULL}, 1, "true"), 69);
    assert_has(b.err, "no lock after ");
    assert_has(b.err, " (is the server running?)\n");
}
END_TEST

/* ---------------------------------------------------------------- all kinds */

/* No stall of a busy machine ends the lease. Without their first option they print less. */
static const char *const kinds[][5] = {{"-v", "--ttl=8s", "--attempt=2s", "--wake-hint", NULL},
                                       {"-v", "--ttl=8s", "--attempt=2s", "--legacy=always", NULL},
                                       {"-v", "--ttl=8s", "--attempt=2s", "--fence", NULL}};

static const char *const slow_kinds[][3] = {{"--ttl=12s", NULL}, {"--ttl=12s", "--legacy=always", NULL}};

START_TEST(every_kind_of_lease_is_renewed_during_the_command)
{
    start_holder(kinds[_i]);
    command_await_times(&a, "nightly renewed", 4); /* longer than a lease lasts */
    ck_assert_int_eq(number("EXISTS nightly"), 1);
    end_holder();
    assert_lacks(a.err, "not renewed");
}
END_TEST

/* A renewal without a reply did not happen; its possible effect does not hinder the next one. */
START_TEST(a_renewal_without_a_reply_is_reported_and_retried)
{
    char message[100];

    start_holder(slow_kinds[_i]);
    live_freeze(&server[0]);
    snprintf(message, sizeof message, "nightly was not renewed: 127.0.0.1:%d: timed out\n", server[0].port);
    command_await_err(&a, message); /* in both modes */
    live_thaw(&server[0]);
    command_await_err(&a, "nightly renewed");
    end_holder();
    assert_lacks(a.err, "is lost");
    ck_assert_int_eq(number("EXISTS nightly"), 0);
}
END_TEST

START_TEST(a_server_that_stays_frozen_ends_the_command)
{
    start_holder(kinds[_i] + 1);
    live_freeze(&server[0]);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "nightly was not renewed: ");
    assert_lacks(a.err, "nightly renewed");
    live_thaw(&server[0]);
}
END_TEST

START_TEST(a_deleted_lock_ends_the_command)
{
    start_holder(kinds[_i] + 1);
    live_command(&server[0], "DEL nightly");
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "is lost");
}
END_TEST

static const struct {
    const char *options[4];
    size_t n;
    const char *text;
} mistakes[] = {
    {{"--legacy=always", NULL}, 2, "--legacy works with one server only, and 2 are named"},
    {{"--legacy=auto", NULL}, 3, "--legacy works with one server only, and 3 are named"},
    {{"--legacy=always", "--canary", NULL},
     1,
     "--canary does not work with --legacy: leave it out, or give --canary=off"},
    {{"--legacy=auto", "--max-hold=5m", NULL}, 1, "--max-hold does not work with --legacy"},
    {{"--legacy=always", "--fence", NULL}, 1, "the old protocol has no fencing token"},
    {{"--clock-error=2s", NULL}, 1, "--clock-error works only with --legacy"},
    {{"--legacy=always", "--clock-error=2d", NULL},
     1,
     "--clock-error 2d: give seconds, or a number and ms, s, m or h (30, 1.5s, 500ms)"},
    {{"--legacy-shortest-ttl", NULL}, 1, "--legacy-shortest-ttl works only with --legacy"},
    {{"--legacy=sometimes", NULL}, 1, "give never, auto or always"},
    {{"--fence=1", NULL}, 1, "--fence takes no value"},
};

START_TEST(conflicting_lease_options_are_reported)
{
    ck_assert_int_eq(run(&a, mistakes[_i].options, mistakes[_i].n, "true"), 64);
    assert_has(a.err, mistakes[_i].text);
}
END_TEST

START_TEST(legacy_never_is_the_default)
{
    ck_assert_int_eq(run(&a, (const char *const[]){"--legacy=never", NULL}, N, "true"), 0);
}
END_TEST

Suite *suite_cli_lease(void)
{
    Suite *suite = suite_create("cli_lease");
    TCase *tc = suite_case(suite, "cli_lease", setup, teardown);

    tcase_add_loop_test(tc, every_holder_gets_a_greater_fencing_token, 0, 3);
    tcase_add_test(tc, a_fencing_token_is_as_recent_as_its_grant);
    tcase_add_test(tc, without_fence_the_command_sees_no_fencing_token);
    tcase_add_loop_test(tc, a_server_without_scripts_refuses_fence, 0, 3);
    tcase_add_loop_test(tc, an_exhausted_fencing_token_is_reported_with_its_key, 0, 3);
    tcase_add_test(tc, a_failed_script_is_reported_with_its_reason);
    tcase_add_test(tc, legacy_locks_use_the_old_protocol);
    tcase_add_test(tc, an_expired_legacy_lock_is_taken_over);
    tcase_add_test(tc, a_key_that_is_not_a_legacy_lock_is_not_taken_over);
    tcase_add_test(tc, legacy_reports_a_frozen_server);
    tcase_add_test(tc, legacy_reports_what_holds_the_key);
    tcase_add_test(tc, legacy_waits_for_a_holder_without_a_timeout);
    tcase_add_loop_test(tc, a_waiters_overwrite_stays_and_is_reported, 0, 2);
    tcase_add_loop_test(tc, legacy_shortest_ttl_deletes_a_waiters_value, 0, 2);
    tcase_add_test(tc, legacy_needs_clock_error_without_server_time);
    tcase_add_test(tc, legacy_auto_accepts_clock_error);
    tcase_add_loop_test(tc, run_warns_first_if_a_legacy_lock_cannot_be_renewed, 0, 2);
    tcase_add_test(tc, run_warns_first_if_the_user_may_not_renew);
    tcase_add_loop_test(tc, run_reports_what_an_old_server_lacks, 0, 2);
    tcase_add_test(tc, verbs_without_legacy_point_to_run);
    tcase_add_test(tc, a_single_lock_may_use_a_wake_hint);
    tcase_add_test(tc, legacy_auto_uses_the_new_protocol_if_supported);
    tcase_add_test(tc, legacy_auto_uses_the_old_protocol_on_old_servers);
    tcase_add_loop_test(tc, a_waiter_blocks_on_the_first_server_until_the_hint, 0, 2);
    tcase_add_test(tc, a_hint_waiter_also_waits_for_a_holder_without_hints);
    tcase_add_test(tc, a_signal_ends_the_wait_for_a_hint);
    tcase_add_test(tc, a_wait_for_a_hint_is_limited);
    tcase_add_test(tc, wake_hint_reports_a_dead_server);
    tcase_add_loop_test(tc, conflicting_lease_options_are_reported, 0, COUNT(mistakes));
    tcase_add_test(tc, legacy_never_is_the_default);
    return suite;
}

Suite *suite_cli_lease_renewed(void)
{
    Suite *suite = suite_create("cli_lease_renewed");
    TCase *tc = suite_case(suite, "cli_lease_renewed", setup, teardown);

    tcase_add_loop_test(tc, every_kind_of_lease_is_renewed_during_the_command, 0, 3);
    tcase_add_loop_test(tc, a_renewal_without_a_reply_is_reported_and_retried, 0, 2);
    return suite;
}

Suite *suite_cli_lease_lost(void)
{
    Suite *suite = suite_create("cli_lease_lost");
    TCase *tc = suite_case(suite, "cli_lease_lost", setup, teardown);

    tcase_add_loop_test(tc, a_value_in_milliseconds_is_another_holder, 0, 2);
    tcase_add_loop_test(tc, an_overwritten_legacy_lock_is_not_renewed, 0, 2);
    tcase_add_loop_test(tc, a_server_that_stays_frozen_ends_the_command, 0, 3);
    tcase_add_loop_test(tc, a_deleted_lock_ends_the_command, 0, 3);
    return suite;
}
