/* SPDX-License-Identifier: MIT */
/* --once: a command succeeds once for each tick, on however many hosts. Real servers. Rule R39. */
#define _POSIX_C_SOURCE 200809L
#include "net/net.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3, QUORUM = 2, HOUR_MS = 3600000 };

#define LEASE "--ttl=8s", "--attempt=2s"
#define ONCE  LEASE, "--once=T1"
#define KEY   "{nightly}:once:T1"
/* A lease that the test waits for; one with time for a slow test. */
#define BRIEF   "--ttl=5s", "--attempt=1250ms", "--once=T1"
#define PATIENT "--ttl=20s", "--attempt=5s", "--once=T1"
/* The user may use the lock but not, or only read, the record. */
#define NO_RECORD   "ACL SETUSER default resetkeys ~nightly"
#define ONLY_READ   "ACL SETUSER default resetkeys ~nightly %%R~" KEY
#define ALL_ALLOWED "ACL SETUSER default ~*"

static struct live_server server[N];
static struct command a, b;

static void setup(void)
{
    memset(server, 0, sizeof server);
    live_start_all(server, N);
}

static void teardown(void)
{
    live_remove_all(server, N);
}

static void start(struct command *c, const char *const options[], const char *script)
{
    command_set(c, options, server, N, "nightly", script);
    command_start(c);
}

static int run(struct command *c, const char *const options[], const char *script)
{
    start(c, options, script);
    return command_end(c);
}

/* The same tick on another host. */
static int run_again(void)
{
    return run(&b, (const char *const[]){ONCE, "-w", "10s", NULL}, "echo ran");
}

static int count_keys(const char *key)
{
    char command[60];
    int n = 0;

    snprintf(command, sizeof command, "EXISTS %s", key);
    for (int i = 0; i < N; i++)
        n += server[i].pid != 0 && strcmp(live_command(&server[i], "%s", command), ":1\r\n") == 0;
    return n;
}

static void command_all(const char *command)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "%s", command);
}

static long left_ms(int i)
{
    return strtol(live_command(&server[i], "PTTL " KEY) + 1, NULL, 10);
}

/* ---------------------------------------------------------------- once */

START_TEST(a_tick_that_succeeded_is_not_run_again)
{
    ck_assert_int_eq(run(&a, (const char *const[]){ONCE, NULL}, "echo ran"), 0);
    ck_assert_str_eq(a.out, "ran\n");
    ck_assert_str_eq(a.err, "");
    ck_assert_int_eq(count_keys(KEY), N);
    ck_assert_int_eq(count_keys("nightly"), 0);
    for (int i = 0; i < N; i++)
        ck_assert(left_ms(i) > 24L * HOUR_MS && left_ms(i) <= 25L * HOUR_MS);
    ck_assert_int_eq(run_again(), 0);
    ck_assert_str_eq(b.out, "");
    ck_assert_str_eq(b.err, "");
    ck_assert_int_eq(count_keys("nightly"), 0);
    ck_assert_int_eq(run(&b, (const char *const[]){LEASE, "--once=T2", NULL}, "echo ran"), 0);
    ck_assert_str_eq(b.out, "ran\n");
}
END_TEST

/* The value names the holder as REDLOCK_ID and its owner do; its token could release the lock. */
START_TEST(the_record_has_the_holders_id_and_owner_and_no_token)
{
    static const char *const owners[] = {"--owner=web-3", "--no-owner"};
    char value[40];
    int len = _i == 0 ? 19 : 13;

    ck_assert_int_eq(run(&a, (const char *const[]){ONCE, owners[_i], NULL}, "echo once $REDLOCK_ID web-3"),
                     0);
    snprintf(value, sizeof value, "$%d\r\n%.*s\r\n", len, len, a.out);
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "GET " KEY), value);
}
END_TEST

START_TEST(a_name_with_a_brace_keeps_its_own_tag)
{
    command_set(&a, (const char *const[]){ONCE, NULL}, server, N, "{x}y", ":");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_int_eq(count_keys("{x}y:once:T1"), N);
}
END_TEST

START_TEST(the_longest_name_and_tick_fit)
{
    char name[129], tick[80] = "--once=", key[260];

    memset(name, 'n', 128);
    name[128] = '\0';
    memset(tick + 7, '~', 64);
    tick[7 + 64] = '\0';
    command_set(&a, (const char *const[]){LEASE, tick, NULL}, server, N, name, ":");
    ck_assert_int_eq(command_run(&a), 0);
    snprintf(key, sizeof key, "EXISTS {%s}:once:%s", name, tick + 7);
    ck_assert_str_eq(live_command(&server[0], "%s", key), ":1\r\n");
}
END_TEST

START_TEST(verbose_and_json_say_that_the_tick_is_done)
{
    ck_assert_int_eq(run(&a, (const char *const[]){ONCE, NULL}, ":"), 0);
    ck_assert_int_eq(run(&b, (const char *const[]){ONCE, "-v", "--log=json", "--log-fd=1", NULL}, ":"), 0);
    assert_has(b.err, "redlock: nightly: tick T1 is already done (127.0.0.1:");
    assert_has(b.err, " has \"once ");
    assert_has(b.out, "{\"event\":\"already_done\",");
    assert_has(b.out, ",\"tick\":\"T1\"}");
    assert_has(b.out, "{\"event\":\"released\",");
    assert_lacks(b.out, "child_exit");
}
END_TEST

START_TEST(a_command_that_did_not_succeed_is_not_recorded)
{
    static const struct {
        const char *script;
        int status;
    } ends[] = {{"exit 3", 3}, {"kill -TERM $$", 143}, {"exit 127", 127}, {"sleep 60", 124}};
    const char *const options[] = {ONCE, ends[_i].status == 124 ? "--max-hold=1s" : "--max-hold=60s", NULL};
    const char *const short_lease[] = {ONCE, "--max-hold=8s", "--grace=3900ms", NULL};

    ck_assert_int_eq(run(&a, ends[_i].status == 124 ? short_lease : options, ends[_i].script),
                     ends[_i].status);
    ck_assert_int_eq(count_keys(KEY), 0);
    ck_assert_int_eq(run_again(), 0);
    ck_assert_str_eq(b.out, "ran\n");
}
END_TEST

/* Another client has the lock; or the lease was not renewed, and redlock stopped the command in time. */
START_TEST(a_command_that_lost_the_lease_is_not_recorded)
{
    const char *const options[] = {BRIEF, NULL};

    start(&a, options, "trap 'exit 0' TERM; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    if (_i == 0)
        command_all("SET nightly other PX 60000");
    for (int i = 1; i < N && _i == 1; i++)
        live_freeze(&server[i]);
    ck_assert_int_eq(command_end(&a), 75);
    for (int i = 1; i < N && _i == 1; i++)
        live_thaw(&server[i]);
    ck_assert_int_eq(count_keys(KEY), 0);
}
END_TEST

/* ---------------------------------------------------------------- reading */

/* And the others get it, for the rest of its time. */
START_TEST(one_server_with_the_record_is_enough)
{
    live_command(&server[_i], "SET " KEY " \"once 01234567\" PX 7200000");
    ck_assert_int_eq(run_again(), 0);
    ck_assert_str_eq(b.out, "");
    for (int i = 0; i < N; i++) {
        ck_assert_str_eq(live_command(&server[i], "GET " KEY), "$13\r\nonce 01234567\r\n");
        ck_assert(left_ms(i) > HOUR_MS && left_ms(i) <= 2L * HOUR_MS);
    }
}
END_TEST

START_TEST(the_slowest_server_may_say_done)
{
    live_command(&server[2], "SET " KEY " \"once 01234567\" PX 7200000");
    live_freeze(&server[2]);
    start(&a, (const char *const[]){PATIENT, "-v", NULL}, "echo ran");
    command_await_err(&a, "redlock: nightly acquired after ");
    live_thaw(&server[2]);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_str_eq(a.out, "");
}
END_TEST

/* The other servers count when they are older than the longest ttl and 1 s. */
#define NO_INFO  "ACL SETUSER default -info"
#define REQUIRED "--restart-guard=required", "--ttl=4s", "--max-ttl=4s", "--attempt=1s", "--once=T1"

START_TEST(a_server_without_a_vote_may_say_done)
{
    live_command(&server[2], NO_INFO);
    live_command(&server[2], "SET " KEY " \"once 01234567\" PX 7200000");
    ck_assert_int_eq(run(&a, (const char *const[]){REQUIRED, NULL}, "echo ran"), 0);
    ck_assert_str_eq(a.out, "");
}
END_TEST

START_TEST(a_server_without_a_vote_cannot_say_open)
{
    live_command(&server[1], NO_RECORD);
    live_command(&server[2], NO_INFO);
    ck_assert_int_eq(run(&a, (const char *const[]){REQUIRED, "-w8s", NULL}, "echo ran"), 69);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, ": it has no vote");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(without_a_majority_that_replies_nothing_runs)
{
    char where[40];

    live_kill(&server[2]);
    live_command(&server[1], NO_RECORD);
    ck_assert_int_eq(run(&a, (const char *const[]){ONCE, "-w", "4s", NULL}, "echo ran"), 69);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err,
               "redlock: nightly: it is unknown whether tick T1 is done, so the command was not run: ");
    snprintf(where, sizeof where, "127.0.0.1:%d: ", server[1].port);
    assert_has(a.err, where);
    ck_assert_int_eq(count_keys("nightly"), 0);
    ck_assert_int_eq(count_keys(KEY), 0);
}
END_TEST

START_TEST(a_majority_that_may_not_read_the_record_is_77)
{
    live_command(&server[0], NO_RECORD);
    live_command(&server[1], NO_RECORD);
    ck_assert_int_eq(run(&a, (const char *const[]){ONCE, NULL}, "echo ran"), 77);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, "NOPERM");
    ck_assert_int_eq(count_keys("nightly"), 0);
}
END_TEST

START_TEST(the_lease_is_renewed_while_the_tick_is_read)
{
    const char *const options[] = {BRIEF, "-w60s", "-v", NULL};

    live_kill(&server[2]);
    live_command(&server[1], NO_RECORD);
    start(&a, options, "echo ran");
    command_await_times(&a, "redlock: nightly renewed\n", 3);
    live_command(&server[1], ALL_ALLOWED);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_str_eq(a.out, "ran\n");
    ck_assert_int_eq(count_keys(KEY), QUORUM);
}
END_TEST

START_TEST(a_signal_while_the_tick_is_read_releases_the_lock)
{
    const char *const options[] = {BRIEF, "-w60s", "-v", NULL};

    live_kill(&server[2]);
    live_command(&server[1], NO_RECORD);
    start(&a, options, "echo ran");
    command_await_err(&a, "redlock: nightly renewed\n");
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 143);
    ck_assert_str_eq(a.out, "");
    ck_assert_int_eq(count_keys("nightly"), 0);
}
END_TEST

/* ---------------------------------------------------------------- recording */

static void start_and_forbid_records(const char *const options[])
{
    start(&a, options, "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    live_command(&server[0], NO_RECORD);
    live_command(&server[1], NO_RECORD);
    kill(a.pid, SIGUSR1);
}

START_TEST(success_without_a_majority_that_records_is_75)
{
    start_and_forbid_records((const char *const[]){ONCE, "--log=json", "--log-fd=1", NULL});
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "redlock: nightly: the command succeeded, but tick T1 is recorded by 1 of 3 servers, ");
    assert_has(a.err, "another host may run it again\n");
    assert_has(a.out, "{\"event\":\"not_recorded\",");
    ck_assert_int_eq(count_keys("nightly"), 0);
}
END_TEST

/* The lease is renewed until then. */
START_TEST(a_record_is_tried_until_a_majority_confirms)
{
    const char *const options[] = {BRIEF, "-v", NULL};

    live_kill(&server[2]);
    start(&a, options, "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    live_command(&server[1], NO_RECORD);
    kill(a.pid, SIGUSR1);
    live_await(&server[0], "EXISTS " KEY, ":1");
    int renewals = command_times(&a, "redlock: nightly renewed\n");
    command_await_times(&a, "redlock: nightly renewed\n", renewals + 2);
    live_command(&server[1], ALL_ALLOWED);
    ck_assert_int_eq(command_end(&a), 0);
    assert_has(a.err, "redlock: nightly: tick T1 is recorded by 2 of 3 servers\n");
    ck_assert_int_eq(count_keys(KEY), QUORUM);
}
END_TEST

START_TEST(a_signal_ends_a_record_that_no_majority_confirms)
{
    live_kill(&server[2]);
    start(&a, (const char *const[]){ONCE, NULL},
          "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    live_command(&server[1], NO_RECORD);
    kill(a.pid, SIGUSR1);
    live_await(&server[0], "EXISTS " KEY, ":1");
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "tick T1 is recorded by 1 of 3 servers");
    ck_assert_int_eq(count_keys("nightly"), 0);
}
END_TEST

/* The one case in which a job that must succeed once succeeds twice. */
START_TEST(a_host_killed_before_the_record_lets_the_tick_run_again)
{
    const char *const options[] = {BRIEF, "--log=text", NULL};

    start(&a, options, "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    command_all("CONFIG SET maxmemory 1"); /* a temporary error, so it tries on */
    kill(a.pid, SIGUSR1);
    command_await_err(&a, "child_exit");
    kill(a.pid, SIGKILL);
    ck_assert_int_eq(command_end(&a), 137);
    command_all("CONFIG SET maxmemory 0");
    ck_assert_int_eq(count_keys(KEY), 0);
    ck_assert_int_eq(run_again(), 0);
    ck_assert_str_eq(b.out, "ran\n");
}
END_TEST

START_TEST(the_record_lives_for_once_keep)
{
    const char *const options[] = {ONCE, "--once-keep=768h", NULL};

    ck_assert_int_eq(run(&a, options, ":"), 0);
    for (int i = 0; i < N; i++)
        ck_assert(left_ms(i) > 767L * HOUR_MS && left_ms(i) <= 768L * HOUR_MS);
}
END_TEST

START_TEST(a_slow_server_is_recorded_within_one_attempt)
{
    start(&a, (const char *const[]){PATIENT, NULL},
          "trap 'exit 0' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    live_freeze(&server[2]);
    kill(a.pid, SIGUSR1);
    live_await(&server[0], "EXISTS " KEY, ":1");
    live_thaw(&server[2]);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_int_eq(count_keys(KEY), N);
}
END_TEST

/* ---------------------------------------------------------------- at start */

#define AT_START ONCE, "--once-at=start"

START_TEST(once_at_start_is_recorded_before_the_command)
{
    start(&a, (const char *const[]){AT_START, NULL},
          "trap 'exit 3' USR1; echo in >&9; while :; do sleep 0.01; done");
    ck_assert_str_eq(command_note(&a), "in");
    ck_assert_int_ge(count_keys(KEY), QUORUM);
    kill(a.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&a), 3);
    ck_assert_int_eq(run(&b, (const char *const[]){AT_START, NULL}, "echo ran"), 0);
    ck_assert_str_eq(b.out, "");
}
END_TEST

START_TEST(once_at_start_without_a_majority_runs_nothing)
{
    live_command(&server[1], ONLY_READ);
    live_kill(&server[2]);
    ck_assert_int_eq(run(&a, (const char *const[]){AT_START, "-n", NULL}, "echo ran"), 69);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err,
               "redlock: nightly: no majority of the servers recorded tick T1, so the command was not ");
    assert_has(a.err, "the tick may be lost");
    ck_assert_int_eq(count_keys("nightly"), 0);
}
END_TEST

/* ---------------------------------------------------------------- other verbs, and options */

START_TEST(list_and_break_leave_ticks_out)
{
    ck_assert_int_eq(run(&a, (const char *const[]){ONCE, NULL}, ":"), 0);
    command_set_script(&b, server, N,
                       "\"$RDL_COMMAND\" list --attempt=10s --json; "
                       "exec \"$RDL_COMMAND\" break --restart-guard=off '" KEY "'");
    ck_assert_int_eq(command_run(&b), 65);
    ck_assert_str_eq(b.out, "{\"locks\":[],\"complete\":true}\n");
    ck_assert_str_eq(b.err,
                     "redlock: " KEY " is the record of a tick (--once), not a lock: to let the tick run "
                     "again, DEL it on all servers\n");
    ck_assert_int_eq(count_keys(KEY), N);
}
END_TEST

static void status_of(const char *options)
{
    char script[200];

    snprintf(script, sizeof script, "exec \"$RDL_COMMAND\" status --attempt=10s %s", options);
    command_set_script(&b, server, N, script);
    command_run(&b);
}

START_TEST(status_shows_a_tick_on_each_server)
{
    char line[120];

    status_of("--once T1 nightly");
    ck_assert_int_eq(b.status, 0);
    assert_has(b.out, "\nnightly, tick T1: open\n");
    live_command(&server[0], "SET " KEY " \"once 01234567\" PX 7200000");
    live_command(&server[1], "SET " KEY " \"once 01234567\"");
    status_of("--once T1 nightly");
    ck_assert_int_eq(b.status, 1);
    snprintf(line, sizeof line,
             "nightly, tick T1 at 127.0.0.1:%d: done (once 01234567), remembered for 1.9 h (",
             server[0].port);
    assert_has(b.out, line);
    assert_has(b.out, ": done (once 01234567), remembered for ever (");
    snprintf(line, sizeof line, "nightly, tick T1 at 127.0.0.1:%d: open (", server[2].port);
    assert_has(b.out, line);
    assert_has(b.out, "\nnightly, tick T1: done, recorded by 2 of 3\n");
    ck_assert_int_eq(count_keys(KEY), QUORUM); /* it writes nothing */
}
END_TEST

START_TEST(status_of_a_tick_is_unknown_without_a_majority)
{
    live_command(&server[0], "RPUSH " KEY " x");
    live_command(&server[1], NO_RECORD);
    status_of("--once T1 nightly");
    ck_assert_int_eq(b.status, 69);
    assert_has(b.out, ": not a string, so not a record (");
    assert_has(b.out, "\nnightly, tick T1: unknown: no majority of the servers replied and has a vote\n");
}
END_TEST

START_TEST(status_of_a_tick_in_json)
{
    live_command(&server[0], "SET " KEY " \"once 01234567\" PX 7200000");
    live_command(&server[1], NO_RECORD);
    live_command(&server[2], "RPUSH " KEY " x");
    status_of("--json --once T1 nightly berta | jq -c '.locks[] | [.lock, .tick, .verdict, .on, .of, "
              "[.servers[] | .tick, .value]]'");
    ck_assert_str_eq(
        b.out, "[\"nightly\",\"T1\",\"done\",1,3,[\"done\",\"once 01234567\",null,null,\"foreign\",null]]\n"
               "[\"berta\",\"T1\",\"open\",0,3,[\"open\",null,null,null,\"open\",null]]\n");
}
END_TEST

#define TICK_RULE                                                                                            \
    "redlock: --once: the tick must have 1 to 64 printable characters and no space, such as $(date -u "      \
    "+%F); "                                                                                                 \
    "in a crontab write \\%F\n"

static const struct {
    const char *options[4], *message;
} refused[] = {
    {{"--once=", NULL}, TICK_RULE},
    {{"--once=a b", NULL}, TICK_RULE},
    {{"--once=\xc3\xa4", NULL}, TICK_RULE},
    {{"--once=0123456789012345678901234567890123456789012345678901234567890123x", NULL}, TICK_RULE},
    {{"--once=T", "--keep=1s", NULL},
     "redlock: --once does not work with --keep: the record of the tick keeps other hosts away\n"},
    {{"--once=T", "--legacy=always", NULL}, "redlock: --once does not work with --legacy\n"},
    {{"--once=T", "-lx", "-ly", NULL},
     "redlock: --once does not work with several locks (-l): a tick belongs to one lock\n"},
    {{"--once=T", "--once-keep=769h", NULL},
     "redlock: --once-keep must be more than 0 and at most 768h (32 days)\n"},
    {{"--once=T", "--once-keep=0", NULL},
     "redlock: --once-keep must be more than 0 and at most 768h (32 days)\n"},
    {{"--once-keep=1h", NULL},
     "redlock: --once-keep works only with --once: without it no tick is recorded\n"},
    {{"--once-at=start", NULL},
     "redlock: --once-at works only with --once: without it no tick is recorded\n"},
    {{"--once=T", "--once-at=end", NULL}, "redlock: --once-at end: give success or start\n"},
};

START_TEST(once_refuses_conflicting_options)
{
    memset(&a, 0, sizeof a);
    command_add(&a, "run");
    command_add_servers(&a, server, 1);
    command_add_all(&a, refused[_i].options);
    if (strstr(refused[_i].message, "-l") == NULL || strstr(refused[_i].message, "--legacy") != NULL)
        command_add(&a, "nightly");
    command_add_all(&a, (const char *const[]){"--", "echo", "ran", NULL});
    ck_assert_int_eq(command_run(&a), 64);
    ck_assert_str_eq(a.err, refused[_i].message);
    ck_assert_str_eq(a.out, "");
}
END_TEST

/* ------------------------------------------------------- ticks on five hosts, times divided by 40 */

/*
 * For each tick, five hosts start at different times. In half of the ticks the host that works is killed at a
 * random instant. In the others a server loses its data after all three had the record. A tick may have two
 * successes only if a host that had worked was killed before it recorded that, or reports that it could not.
 */
enum { HOSTS = 5, APART_MS = 1000, TICKS_EACH = 5, BATCHES = 4, RANDOM_SEED = 77 };

struct host {
    struct command command;
    char script[200], tick[24];
    uint64_t start_ms;
    int is_started, is_killed, is_ended;
};

static struct host hosts[HOSTS];
static char journal[64]; /* what the jobs did: "start HOST PID" or "work HOST" */
static unsigned seed;

static uint64_t below(unsigned n)
{
    seed = seed * 1103515245u + 12345u;
    return seed / 65536u % n;
}

/* Reads the journal. Returns how often a line begins with this word; host -1: of any host. */
static int count_lines(const char *word, int host, pid_t *last)
{
    char line[80], found[8];
    FILE *f = fopen(journal, "r");
    int n = 0, by;
    long pid;

    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "%7s %d %ld", found, &by, &pid) < 2 || strcmp(found, word) != 0 ||
            (host >= 0 && by != host))
            continue;
        n++;
        if (last != NULL)
            *last = (pid_t)pid;
    }
    if (f != NULL)
        fclose(f);
    return n;
}

static void plan_tick(int tick, const char *at)
{
    uint64_t now_ms = rdl_posix_now_ms();

    unlink(journal);
    for (int i = 0; i < HOSTS; i++) {
        struct host *h = &hosts[i];
        const char *const options[] = {"-q", "-E0",   "-w60s", "--ttl=2s", "--attempt=500ms",
                                       at,   h->tick, NULL};
        memset(h, 0, sizeof *h);
        snprintf(h->tick, sizeof h->tick, "--once=T%d", tick);
        snprintf(h->script, sizeof h->script, "echo start %d $PPID >>%s; sleep 0.%03u; echo work %d >>%s", i,
                 journal, (unsigned)below(200), i, journal);
        h->start_ms = now_ms + (i == 0 ? 0 : below(APART_MS));
        command_set(&h->command, options, server, N, "job", h->script);
    }
}

/* Starts the hosts whose time has come. Returns when the next one starts; 0: all have. */
static uint64_t start_hosts(void)
{
    uint64_t now_ms = rdl_posix_now_ms(), next_ms = 0;

    for (int i = 0; i < HOSTS; i++) {
        struct host *h = &hosts[i];
        if (!h->is_started && now_ms >= h->start_ms) {
            command_start(&h->command);
            h->is_started = 1;
        }
        if (!h->is_started && (next_ms == 0 || h->start_ms < next_ms))
            next_ms = h->start_ms;
    }
    return next_ms;
}

/* Kills the redlock that has started a job, a random time after the start. */
static void kill_the_first(uint64_t *at_ms)
{
    pid_t winner = 0;

    if (*at_ms == 0 && count_lines("start", -1, &winner) > 0)
        *at_ms = rdl_posix_now_ms() + below(230);
    if (*at_ms == 0 || rdl_posix_now_ms() < *at_ms)
        return;
    *at_ms = UINT64_MAX;
    count_lines("start", -1, &winner);
    for (int i = 0; i < HOSTS; i++) {
        if (hosts[i].command.pid == winner && kill(winner, SIGKILL) == 0)
            hosts[i].is_killed = 1;
    }
}

static void lose_data(const char *key, int *is_lost)
{
    if (*is_lost || count_keys(key) < N)
        return;
    live_command(&server[below(N)], "FLUSHALL");
    *is_lost = 1;
}

/* Returns the successes of the tick. *excused: a host worked, and could not record it. */
static int run_tick(int tick, const char *at, int *excused)
{
    char key[40];
    uint64_t kill_ms = tick % 2 == 0 ? 0 : UINT64_MAX;
    int is_lost = tick % 2 == 0, is_killed = 0;

    snprintf(key, sizeof key, "{job}:once:T%d", tick);
    plan_tick(tick, at);
    while (start_hosts() != 0) {
        kill_the_first(&kill_ms);
        lose_data(key, &is_lost);
        poll(NULL, 0, 1);
    }
    *excused = 0;
    for (int i = 0; i < HOSTS; i++) {
        int status = command_end(&hosts[i].command);
        close(hosts[i].command.note_fd);
        ck_assert_msg(status == 0 || status == 75 || hosts[i].is_killed, "%d: %s", status,
                      hosts[i].command.err);
        *excused += status != 0 && count_lines("work", i, NULL) > 0;
        is_killed += hosts[i].is_killed;
    }
    if (getenv("RDL_TICKS") != NULL)
        printf("%5d  %-17s %s%s  starts %d  successes %d%s\n", tick, at, is_killed ? "killed" : "      ",
               tick % 2 != 0 && is_lost ? " data lost" : "          ", count_lines("start", -1, NULL),
               count_lines("work", -1, NULL), *excused ? "  (one without a record)" : "");
    return count_lines("work", -1, NULL);
}

/* RDL_TICKS: how many in all; each is then printed. */
static int ticks_each(void)
{
    const char *wanted = getenv("RDL_TICKS");

    return wanted != NULL ? atoi(wanted) / BATCHES : TICKS_EACH;
}

static void begin_ticks(int batch)
{
    snprintf(journal, sizeof journal, "build/once.%ld", (long)getpid());
    seed = RANDOM_SEED + (unsigned)batch;
}

START_TEST(each_tick_has_one_success_on_five_hosts)
{
    int excused;

    begin_ticks(_i);
    for (int tick = _i * ticks_each(); tick < (_i + 1) * ticks_each(); tick++) {
        int successes = run_tick(tick, "--once-at=success", &excused);
        ck_assert_int_ge(successes, 1);
        ck_assert_int_le(successes, 1 + excused);
    }
    unlink(journal);
}
END_TEST

START_TEST(with_once_at_start_no_tick_runs_twice)
{
    int excused;

    begin_ticks(_i);
    for (int tick = _i * ticks_each(); tick < (_i + 1) * ticks_each(); tick++) {
        ck_assert_int_le(run_tick(tick, "--once-at=start", &excused), 1);
        ck_assert_int_le(count_lines("start", -1, NULL), 1);
    }
    unlink(journal);
}
END_TEST

Suite *suite_cli_once(void)
{
    Suite *suite = suite_create("cli_once");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_add_test(tc, a_tick_that_succeeded_is_not_run_again);
    tcase_add_loop_test(tc, the_record_has_the_holders_id_and_owner_and_no_token, 0, 2);
    tcase_add_test(tc, a_name_with_a_brace_keeps_its_own_tag);
    tcase_add_test(tc, the_longest_name_and_tick_fit);
    tcase_add_test(tc, verbose_and_json_say_that_the_tick_is_done);
    tcase_add_loop_test(tc, a_command_that_did_not_succeed_is_not_recorded, 0, 4);
    tcase_add_loop_test(tc, a_command_that_lost_the_lease_is_not_recorded, 0, 2);
    tcase_add_loop_test(tc, one_server_with_the_record_is_enough, 0, N);
    tcase_add_test(tc, the_slowest_server_may_say_done);
    tcase_add_test(tc, a_server_without_a_vote_may_say_done);
    tcase_add_test(tc, a_server_without_a_vote_cannot_say_open);
    tcase_add_test(tc, without_a_majority_that_replies_nothing_runs);
    tcase_add_test(tc, a_majority_that_may_not_read_the_record_is_77);
    tcase_add_test(tc, the_lease_is_renewed_while_the_tick_is_read);
    tcase_add_test(tc, a_signal_while_the_tick_is_read_releases_the_lock);
    tcase_add_test(tc, success_without_a_majority_that_records_is_75);
    tcase_add_test(tc, a_record_is_tried_until_a_majority_confirms);
    tcase_add_test(tc, a_signal_ends_a_record_that_no_majority_confirms);
    tcase_add_test(tc, a_host_killed_before_the_record_lets_the_tick_run_again);
    tcase_add_test(tc, the_record_lives_for_once_keep);
    tcase_add_test(tc, a_slow_server_is_recorded_within_one_attempt);
    tcase_add_test(tc, once_at_start_is_recorded_before_the_command);
    tcase_add_test(tc, once_at_start_without_a_majority_runs_nothing);
    tcase_add_test(tc, list_and_break_leave_ticks_out);
    tcase_add_test(tc, status_shows_a_tick_on_each_server);
    tcase_add_test(tc, status_of_a_tick_is_unknown_without_a_majority);
    tcase_add_test(tc, status_of_a_tick_in_json);
    tcase_add_loop_test(tc, once_refuses_conflicting_options, 0, COUNT(refused));
    return suite;
}

Suite *suite_cli_once_ticks(void)
{
    Suite *suite = suite_create("cli_once_ticks");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_set_timeout(tc, 60 + 2 * ticks_each());
    tcase_add_loop_test(tc, each_tick_has_one_success_on_five_hosts, 0, BATCHES);
    tcase_add_loop_test(tc, with_once_at_start_no_tick_runs_twice, 0, BATCHES);
    return suite;
}
