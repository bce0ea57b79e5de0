/* SPDX-License-Identifier: MIT */
/*
 * At most N at a time (--slots): real servers and processes. The library's part is in
 * tests/redlock/check_slots.c, and all faults in tests/sim.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3, SLOTS = 5, CLIENTS = 15, ROUNDS = 50 };

#define LEASE  "--ttl=8s", "--attempt=2s", "--restart-guard=off"
#define STATUS "--restart-guard=off", "--attempt=5s"

static struct live_server server[N];
static struct command a, b;
static char file[64];

/* They lose nothing if they are killed. */
static const char *const log_all[] = {"--appendonly", "yes", "--appendfsync", "always", NULL};

static void setup(void)
{
    memset(server, 0, sizeof server);
    for (int i = 0; i < N; i++)
        server[i].args = log_all;
    live_start_all(server, N);
    snprintf(file, sizeof file, "build/slots.%ld", (long)getpid());
    unlink(file);
}

static void teardown(void)
{
    live_remove_all(server, N);
    unlink(file);
}

/* redlock VERB -u SERVER ARGS... */
static void set(struct command *c, const char *verb, const char *const args[])
{
    memset(c, 0, sizeof *c);
    command_add(c, verb);
    command_add_servers(c, server, N);
    command_add_all(c, args);
}

static int run(struct command *c, const char *verb, const char *const args[])
{
    set(c, verb, args);
    return command_run(c);
}

/* Another client holds this slot on all servers. */
static void hold(unsigned slot)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET {jobs}#%u 0123456789abcdef0123456789abcdef01234567 PX 100000", slot);
}

#define TELL "echo \"$REDLOCK_SLOT $REDLOCK_LOCK\""

/* ---------------------------------------------------------------- run */

START_TEST(run_takes_the_free_slot_and_names_it)
{
    hold(0);
    hold(2);
    ck_assert_int_eq(
        run(&a, "run", (const char *const[]){LEASE, "-n", "--slots=3", "jobs", "-c", TELL, NULL}), 0);
    ck_assert_str_eq(a.out, "1 {jobs}#1\n");
    ck_assert_str_eq(a.err, "");
    ck_assert_str_eq(live_command(&server[0], "EXISTS {jobs}#1"), ":0\r\n");
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "jobs", "-c", TELL, NULL}), 0);
    ck_assert_str_eq(a.out, " jobs\n"); /* LOCK itself is another lock */
}
END_TEST

START_TEST(if_all_slots_are_held_it_is_a_conflict)
{
    hold(0);
    hold(1);
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "-n", "--slots=2", "jobs", "true", NULL}),
                     1);
    ck_assert_str_eq(a.err, "redlock: all 2 slots of jobs are held by other clients\n");
    ck_assert_int_eq(
        run(&a, "run", (const char *const[]){LEASE, "-q", "-E0", "-w1", "--slots=2", "jobs", "true", NULL}),
        0);
    ck_assert_str_eq(a.err, "");
}
END_TEST

START_TEST(a_waiting_run_takes_the_slot_that_is_released)
{
    hold(0);
    set(&a, "run",
        (const char *const[]){LEASE, "--slots=2", "jobs", "-c", "echo in >&9; exec sleep 60", NULL});
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    set(&b, "run", (const char *const[]){LEASE, "-v", "--slots=2", "jobs", "-c", TELL, NULL});
    command_start(&b);
    command_await_err(&b, "a slot of jobs");
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 143);
    ck_assert_int_eq(command_end(&b), 0);
    ck_assert_str_eq(b.out, "1 {jobs}#1\n");
    assert_has(b.err, "redlock: slot 1 of jobs acquired after ");
    assert_has(b.err, "redlock: {jobs}#1 released");
}
END_TEST

/* The inner one takes another slot, and waits for no one. */
START_TEST(a_run_inside_a_slot_takes_another_slot)
{
    char inner[240];

    snprintf(inner, sizeof inner,
             TELL "; exec \"$RDL_COMMAND\" run -w5 --attempt=2s --restart-guard=off --slots=2 jobs -- sh -c '"
                  "echo \"$REDLOCK_SLOT\"; exec env -u REDLOCK_SLOT true'");
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "--slots=2", "jobs", "-c", inner, NULL}), 0);
    ck_assert(strcmp(a.out, "0 {jobs}#0\n1\n") == 0 || strcmp(a.out, "1 {jobs}#1\n0\n") == 0);
}
END_TEST

START_TEST(the_log_has_the_slot)
{
    hold(1);
    ck_assert_int_eq(
        run(&a, "run", (const char *const[]){LEASE, "--log=json", "--slots=2", "jobs", "true", NULL}), 0);
    assert_has(a.err, "{\"event\":\"acquired\"");
    assert_has(a.err, "\"lock\":\"jobs\"");
    assert_has(a.err, "\"slot\":0");
}
END_TEST

static const struct {
    const char *const args[6];
    int status;
    const char *text;
} refused[] = {
    {{"--slots=1", "jobs", "true"}, 64, "--slots 1: give a number from 2 to 64"},
    {{"--slots=65", "jobs", "true"}, 64, "--slots 65: give a number from 2 to 64"},
    {{"--slots=two", "jobs", "true"}, 64, "--slots two: give a number from 2 to 64"},
    {{"--slots=2", "--fence", "jobs", "true"}, 64, "--slots does not work with --fence: "},
    {{"--slots=2", "--once=today", "jobs", "true"}, 64, "--slots does not work with --once: "},
    {{"--slots=2", "--keep=5s", "jobs", "true"}, 64, "--slots does not work with --keep"},
    {{"--slots=2", "--wake-hint", "jobs", "true"}, 64, "--slots does not work with --wake-hint: "},
    {{"--slots=2", "--legacy=auto", "jobs", "true"}, 64, "--slots does not work with --legacy"},
    {{"--slots=2", "-la", "-lb", "true"}, 64, "--slots works with one lock: "},
    {{"--slots=2",
      "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
      "012345678901234567890123",
      "true"},
     65,
     "the lock name has 124 bytes: with --slots it must have at most 123"},
};

START_TEST(slots_exclude_what_belongs_to_one_lock)
{
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-uredis://127.0.0.1", NULL});
    command_add_all(&a, refused[_i].args);
    ck_assert_int_eq(command_run(&a), refused[_i].status);
    assert_has(a.err, refused[_i].text);
}
END_TEST

/* ---------------------------------------------------------------- status, doctor */

START_TEST(status_counts_the_slots_that_are_held)
{
    ck_assert_int_eq(run(&a, "status", (const char *const[]){STATUS, "--slots=3", "jobs", NULL}), 0);
    ck_assert_str_eq(a.out, "jobs: 0 of 3 slots held\n");
    hold(0);
    hold(2);
    ck_assert_int_eq(run(&a, "status", (const char *const[]){STATUS, "--slots=3", "jobs", NULL}), 0);
    assert_has(a.out, "{jobs}#0: held by ");
    assert_lacks(a.out, "{jobs}#1");
    assert_has(a.out, "{jobs}#2: held by ");
    assert_has(a.out, "jobs: 2 of 3 slots held\n");
    ck_assert_str_eq(a.err, "");
    hold(1);
    ck_assert_int_eq(run(&a, "status", (const char *const[]){STATUS, "--slots=3", "jobs", NULL}), 1);
    assert_has(a.out, "jobs: 3 of 3 slots held\n");
    ck_assert_int_eq(run(&a, "status", (const char *const[]){STATUS, "--json", "--slots=2", "jobs", NULL}),
                     1);
    assert_has(a.out, "{\"locks\":[{\"lock\":\"{jobs}#0\",\"verdict\":\"held\"");
    assert_has(a.out, ",{\"lock\":\"{jobs}#1\"");
    live_stop(&server[1]);
    live_stop(&server[2]);
    ck_assert_int_eq(run(&a, "status", (const char *const[]){"--slots=3", "jobs", NULL}), 69);
    assert_has(a.out, "jobs: 0 of 3 slots held, 3 unknown\n");
}
END_TEST

START_TEST(status_warns_of_a_host_with_more_slots)
{
    hold(3);
    ck_assert_int_eq(run(&a, "status", (const char *const[]){STATUS, "--slots=2", "jobs", NULL}), 0);
    ck_assert_str_eq(a.out, "jobs: 0 of 2 slots held\n");
    ck_assert_str_eq(a.err, "redlock: warning: 1 of the slots from 2 on are held: another host uses a larger "
                            "--slots for jobs; give all hosts the same number\n");
}
END_TEST

/* check_cli_rights.c tries it. */
START_TEST(the_acl_line_of_the_doctor_covers_all_slots)
{
    (void)run(&a, "doctor", (const char *const[]){"--restart-guard=off", "--slots=2", "jobs", NULL});
    assert_has(a.out, "\nACL SETUSER redlock on ~{jobs}#* +set ");
    assert_has(a.out, " +mget\n");
}
END_TEST

/* ---------------------------------------------------------------- never more than N */

/*
 * Each client cannot reach one of three servers. Meanwhile servers are killed, and come back with their data;
 * others stop for a moment. The file gets a + when a command begins, and a - when it ends.
 */
START_TEST(no_more_than_n_run_if_each_client_lacks_a_server)
{
    static char script[2400];
    const char *rounds = getenv("RDL_SLOT_ROUNDS");
    int depth = 0, deepest = 0, n = 0, c;

    snprintf(
        script, sizeof script,
        "client() { urls=; k=0; for u in $REDLOCK_URLS; do [ $k -ne $(($1 %% 3)) ] || u=redis://127.0.0.1:1\n"
        " urls=\"$urls -u $u\"; k=$((k + 1)); done; i=0; while [ $i -lt %s ]; do\n"
        " \"$RDL_COMMAND\" run -q -n -E 0 --ttl=8s --max-ttl=8s --attempt=500ms --slots=%d $urls jobs -- sh "
        "-c "
        "'echo + >>%s; sleep .02; echo - >>%s'; i=$((i + 1)); done; }\n"
        "for c in $(seq %d); do client $c 2>/dev/null & pids=\"$pids $!\"; done\n"
        "wait $pids",
        rounds != NULL ? rounds : "50", SLOTS, file, file, CLIENTS);
    command_set_script(&a, server, N, script);
    command_start(&a);
    for (int i = 0; i < N; i++) {
        poll(NULL, 0, 700);
        live_kill(&server[i]);
        live_restart(&server[i]);
        poll(NULL, 0, 700);
        live_freeze(&server[(i + 1) % N]);
        poll(NULL, 0, 300);
        live_thaw(&server[(i + 1) % N]);
    }
    ck_assert_int_eq(command_end(&a), 0);
    FILE *f = fopen(file, "r");
    ck_assert_ptr_nonnull(f);
    while ((c = fgetc(f)) != EOF) {
        depth += (c == '+') - (c == '-');
        n += c == '+';
        deepest = depth > deepest ? depth : deepest;
    }
    fclose(f);
    ck_assert_int_le(deepest, SLOTS);
    ck_assert_int_ge(n, ROUNDS);
}
END_TEST

Suite *suite_cli_slots(void)
{
    Suite *suite = suite_create("cli_slots");
    TCase *tc = suite_case(suite, "slots", setup, teardown);

    tcase_add_test(tc, run_takes_the_free_slot_and_names_it);
    tcase_add_test(tc, if_all_slots_are_held_it_is_a_conflict);
    tcase_add_test(tc, a_waiting_run_takes_the_slot_that_is_released);
    tcase_add_test(tc, a_run_inside_a_slot_takes_another_slot);
    tcase_add_test(tc, the_log_has_the_slot);
    tcase_add_test(tc, status_counts_the_slots_that_are_held);
    tcase_add_test(tc, status_warns_of_a_host_with_more_slots);
    tcase_add_test(tc, the_acl_line_of_the_doctor_covers_all_slots);
    tcase_add_test(tc, no_more_than_n_run_if_each_client_lacks_a_server);
    tc = suite_case(suite, "usage", NULL, NULL);
    tcase_add_loop_test(tc, slots_exclude_what_belongs_to_one_lock, 0, sizeof refused / sizeof refused[0]);
    return suite;
}
