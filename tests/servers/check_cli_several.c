/* SPDX-License-Identifier: MIT */
/* Several locks as one (-l): all of them or none, on one server. Real servers. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3, TOKEN = 42 /* 40 digits, "@o" */ };

#define BOTH       "-l", "anna", "-l", "berta"
#define WORDS      "-l anna -l berta"
#define LEASE      "--ttl=8s", "--attempt=2s"
#define LONG_LEASE "--ttl=60s", "--max-ttl=60s", "--attempt=5s" /* other commands run meanwhile */

static struct live_server server[N];
static struct command a, b;
static char file[64]; /* for a token; it does not exist */

static void setup(void)
{
    setenv("REDLOCK_OWNER", "o", 1);
    memset(server, 0, sizeof server);
    live_start_all(server, N);
    snprintf(file, sizeof file, "build/several.%ld", (long)getpid());
    unlink(file);
}

static void teardown(void)
{
    live_remove_all(server, N);
    unlink(file);
}

/* redlock VERB -u SERVER ARGS..., of the first n servers. */
static void set(struct command *c, const char *verb, int n, const char *const args[])
{
    memset(c, 0, sizeof *c);
    command_add(c, verb);
    command_add_servers(c, server, (size_t)n);
    command_add_all(c, args);
}

static int run(struct command *c, const char *verb, const char *const args[])
{
    set(c, verb, 1, args);
    return command_run(c);
}

/* SCRIPT in bash: $R is the command, $REDLOCK_URLS the first server. */
static int run_script(const char *script)
{
    static char full[2000];

    snprintf(full, sizeof full, "R=$RDL_COMMAND; %s", script);
    command_set_script(&a, server, 1, full);
    return command_run(&a);
}

static long number(const char *command)
{
    return strtol(live_command(&server[0], "%s", command) + 1, NULL, 10);
}

static void assert_both_have(const char *value)
{
    char reply[80];

    snprintf(reply, sizeof reply, "$%d\r\n%.*s\r\n", TOKEN, TOKEN, value);
    ck_assert_str_eq(live_command(&server[0], "GET anna"), reply);
    ck_assert_str_eq(live_command(&server[0], "GET berta"), reply);
    ck_assert_int_eq(number("DBSIZE"), 2);
}

/* ---------------------------------------------------------------- all of them or none */

START_TEST(run_holds_several_locks_by_one_token)
{
    char value[80];

    set(&a, "run", 1, (const char *const[]){LEASE, BOTH, "-c", "echo in >&9; exec sleep 60", NULL});
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    snprintf(value, sizeof value, "%s", strstr(live_command(&server[0], "GET anna"), "\r\n") + 2);
    assert_both_have(value);
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 143);
    ck_assert_str_eq(a.err, "");
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(run_takes_no_lock_if_one_of_several_is_held)
{
    static const char *const held[] = {"anna", "berta"};

    live_command(&server[0], "SET %s somebody PX 100000", held[_i]);
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "-n", BOTH, "echo", "ran", NULL}), 1);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, "redlock: one of " WORDS " is held by another client; its lease expires in ");
    ck_assert_int_eq(number("DBSIZE"), 1);
    live_command(&server[0], "PERSIST %s", held[_i]);
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "-n", BOTH, "echo", "ran", NULL}), 1);
    assert_has(a.err, "redlock: warning: one of " WORDS " on 127.0.0.1:");
    assert_has(a.err, " never expires: ");
    live_command(&server[0], "DEL %s", held[_i]);
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "-n", BOTH, "echo", "ran", NULL}), 0);
    ck_assert_str_eq(a.out, "ran\n");
}
END_TEST

START_TEST(losing_one_lock_stops_the_command_and_releases_the_rest)
{
    static const char *const ends[] = {"DEL berta", "SET berta somebody"};

    set(&a, "run", 1, (const char *const[]){LEASE, BOTH, "-c", "echo in >&9; exec sleep 60", NULL});
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    live_command(&server[0], "%s", ends[_i]);
    ck_assert_int_eq(command_end(&a), 75);
    assert_has(a.err, "redlock: " WORDS " is lost: ");
    assert_has(a.err, _i == 0 ? ": the key does not exist" : ": held by another client");
    ck_assert_int_eq(number("EXISTS anna"), 0);
    ck_assert_int_eq(number("DBSIZE"), _i);
}
END_TEST

/* Each run finds the directory gone: the other run has left. */
START_TEST(locks_named_in_another_order_do_not_deadlock)
{
    ck_assert_int_eq(
        run_script("D=build/several.dir.$$; R=\"$R run -w 60 --attempt=5s\"; for k in 1 2 3 4 5 6; do"
                   " $R -l anna -l berta -- sh -c \"mkdir $D && sleep 0.01 && rmdir $D\" & x=$!;"
                   " $R -l berta -l anna -- sh -c \"mkdir $D && sleep 0.01 && rmdir $D\" & y=$!;"
                   " wait $x && wait $y || exit; done"),
        0);
    assert_lacks(a.err, "warning"); /* on a busy machine one may print that it waits */
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(each_of_several_locks_excludes_other_clients)
{
    set(&a, "run", 1, (const char *const[]){LEASE, BOTH, "-c", "echo in >&9; exec sleep 60", NULL});
    command_start(&a);
    ck_assert_str_eq(command_note(&a), "in");
    ck_assert_int_eq(run(&b, "run", (const char *const[]){LEASE, "-nq", "anna", "true", NULL}), 1);
    ck_assert_int_eq(
        run(&b, "run", (const char *const[]){LEASE, "-nq", "-l", "carl", "-l", "berta", "true", NULL}), 1);
    ck_assert_int_eq(
        run(&b, "run", (const char *const[]){LEASE, "-nq", "-l", "carl", "-l", "dora", "true", NULL}), 0);
    kill(a.pid, SIGTERM);
    command_end(&a);
}
END_TEST

/* ---------------------------------------------------------------- options of a hold */

START_TEST(keep_applies_to_all_of_several_locks)
{
    ck_assert_int_eq(
        run(&a, "run", (const char *const[]){LEASE, "--keep=60s", "--max-ttl=60s", BOTH, "true", NULL}), 0);
    ck_assert_str_eq(a.err, "");
    ck_assert_int_gt(number("PTTL anna"), 30000);
    ck_assert_int_gt(number("PTTL berta"), 30000);
}
END_TEST

START_TEST(max_hold_applies_to_several_locks)
{
    set(&a, "run", 1,
        (const char *const[]){"--ttl=8s", "--grace=3900ms", "--attempt=2s", "--max-hold=9s", BOTH, "-c",
                              "while :; do sleep 0.01; done", NULL});
    ck_assert_int_eq(command_run(&a), 124);
    assert_has(a.err, "redlock: " WORDS " has reached --max-hold (");
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

/* On one server, as with plain locks: no key stays, and the time until it counts is printed. */
START_TEST(a_restarted_server_does_not_count_for_several_locks)
{
    static const char *const guards[] = {"--restart-guard=if-permitted", "--restart-guard=required",
                                         "--restart-guard=strict"};

    ck_assert_int_eq(
        run(&a, "run",
            (const char *const[]){LEASE, "-nv", "--max-ttl=60s", guards[_i], BOTH, "echo", "ran", NULL}),
        69);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, _i < 2 ? "redlock: no lock: the server started "
                             : "redlock: no lock: the server was first seen ");
    assert_has(a.err, ": restarted too recently to be used for another ");
    live_await(&server[0], "DBSIZE", ":0\r\n");
}
END_TEST

START_TEST(run_waits_for_a_restarted_server_without_requests)
{
    ck_assert_int_eq(
        run(&a, "run",
            (const char *const[]){LEASE, "--restart-guard=strict", "--trace", BOTH, "echo", "ran", NULL}),
        0);
    ck_assert_str_eq(a.out, "ran\n");
    assert_has(a.err, " and may have lost locks in a restart; it can be used in ");
    /* the first attempt, which cannot know yet, and its release; the one that counts, and its release */
    ck_assert_uint_eq(command_count(a.err, " > \"*7\\r\\n$4\\r\\nEVAL\\r\\n"), 1);
    ck_assert_uint_eq(command_count(a.err, " > \"*7\\r\\n$7\\r\\nEVALSHA\\r\\n"), 1);
}
END_TEST

START_TEST(a_server_without_info_does_not_count_if_required)
{
    live_command(&server[0], "ACL SETUSER default -info");
    ck_assert_int_eq(
        run(&a, "run",
            (const char *const[]){LEASE, "-n", "--restart-guard=required", BOTH, "echo", "ran", NULL}),
        77);
    /* Redis 8 has a longer text, and its end is cut. */
    assert_has(a.err, "to run the 'info' ");
    ck_assert_int_eq(
        run(&a, "run",
            (const char *const[]){LEASE, "-n", "--restart-guard=if-permitted", BOTH, "echo", "ran", NULL}),
        0);
    assert_has(a.err, "redlock: warning: INFO is refused by 127.0.0.1:");
}
END_TEST

START_TEST(several_locks_warn_of_a_server_that_may_evict)
{
    live_command(&server[0], "CONFIG SET maxmemory 1gb");
    live_command(&server[0], "CONFIG SET maxmemory-policy allkeys-lru");
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, BOTH, "true", NULL}), 0);
    assert_has(a.err, " may delete locks when its memory is full: ");
}
END_TEST

START_TEST(several_locks_need_scripts)
{
    static const char *const args[] = {LIVE_WITHOUT("EVAL"), NULL};
    char message[160];

    live_kill(&server[0]);
    server[0].args = args;
    live_restart(&server[0]);
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, BOTH, "true", NULL}), 69);
    snprintf(message, sizeof message,
             "redlock: several locks (-l): several locks at once need scripts or MSETEX, which the server "
             "refuses: "
             "127.0.0.1:%d\n",
             server[0].port);
    ck_assert_str_eq(a.err, message);
}
END_TEST

/* ---------------------------------------------------------------- words for later commands */

START_TEST(redlock_lock_names_all_locks_and_works_for_status)
{
    ck_assert_int_eq(run_script("export R; $R run -l berta -l anna -c 'echo \"$REDLOCK_LOCK\";"
                                " $R status --attempt=5s $REDLOCK_LOCK; echo $REDLOCK_ID'"),
                     0);
    ck_assert_int_eq(strncmp(a.out, WORDS "\n", sizeof WORDS), 0);
    const char *id = a.out + strlen(a.out) - 9;
    char line[80];
    for (int k = 0; k < 2; k++) {
        snprintf(line, sizeof line, "\n%s: held by o (%.8s) on 1 of 1, expires in ",
                 k == 0 ? "anna" : "berta", id);
        ck_assert_msg(strstr(a.out, line) != NULL, "%s in %s", line, a.out);
    }
}
END_TEST

START_TEST(special_lock_names_are_quoted_for_the_shell)
{
    static const char quoted[] = "-l '*' -l 'a  b' -l 'it'\\''s' -l '{so}c-1'\n";

    ck_assert_int_eq(run_script("export R; $R run -l \"it's\" -l 'a  b' -l '*' -l '{so}c-1' -c '"
                                "echo \"$REDLOCK_LOCK\"; eval \"$R status --attempt=5s $REDLOCK_LOCK\"; :'"),
                     0);
    ck_assert_int_eq(strncmp(a.out, quoted, strlen(quoted)), 0);
    ck_assert_uint_eq(command_count(a.out, ": held by "), 8);
}
END_TEST

START_TEST(a_token_file_names_all_locks_for_later_steps)
{
    char line[200];
    FILE *f;

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){LONG_LEASE, "--token-file", file, BOTH, NULL}),
                     0);
    f = fopen(file, "re");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    fclose(f);
    ck_assert_str_eq(line + TOKEN, " " WORDS "\n");
    assert_both_have(line);
    live_command(&server[0], "PEXPIRE berta 25000");
    ck_assert_int_eq(run(&a, "extend",
                         (const char *const[]){"--ttl=60s", "--attempt=2s", "-v", "--token-file", file, "-l",
                                               "berta", "-l", "anna", NULL}),
                     0);
    assert_has(a.err, "redlock: " WORDS " extended: ");
    ck_assert_int_gt(number("PTTL berta"), 30000);
    assert_both_have(line);
    ck_assert_int_eq(
        run(&a, "release", (const char *const[]){"-v", "--attempt=5s", "--token-file", file, BOTH, NULL}), 0);
    assert_has(a.err, "redlock: " WORDS " released\n");
    ck_assert_int_eq(number("DBSIZE"), 0);
    ck_assert_int_eq(
        run(&a, "release", (const char *const[]){"--attempt=5s", "--token-file", file, BOTH, NULL}), 1);
    assert_has(a.err,
               "redlock: " WORDS " is not released: this token does not hold it, or holds it no longer");
}
END_TEST

/* Some of the names would extend only a part of the locks; another name would lose all of them. */
START_TEST(a_token_of_several_locks_needs_all_their_names)
{
    static const char *const wrong[][6] = {
        {"anna"}, {"-l", "anna"}, {"-l", "anna", "-l", "carl"}, {"-l", "anna", "-l", "berta", "-l", "carl"}};
    static const char *const named[] = {"anna", "anna", "-l anna -l carl", WORDS " -l carl"};
    char message[200], token[TOKEN + 1], entry[120];

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){LEASE, BOTH, NULL}), 0);
    snprintf(token, sizeof token, "%.*s", TOKEN, a.out);
    snprintf(entry, sizeof entry, "REDLOCK_TOKEN=%.100s", a.out);
    snprintf(message, sizeof message,
             "redlock: the token in $REDLOCK_TOKEN is for " WORDS
             " together, not for %s: name the same locks\n",
             named[_i]);
    for (int k = 0; k < 2; k++) {
        memset(&b, 0, sizeof b);
        command_add(&b, k == 0 ? "extend" : "release");
        command_add_servers(&b, server, 1);
        for (int i = 0; i < 6 && wrong[_i][i] != NULL; i++)
            command_add(&b, wrong[_i][i]);
        command_setenv(&b, entry);
        ck_assert_int_eq(command_run(&b), 65);
        ck_assert_str_eq(b.err, message);
    }
    assert_both_have(token);
}
END_TEST

START_TEST(a_token_without_its_locks_is_valid)
{
    ck_assert_int_eq(run_script("W='--attempt=5s -l anna -l berta'; T=$($R acquire $W);"
                                " export REDLOCK_TOKEN=${T%% *}; $R extend $W && $R release $W"),
                     0);
    ck_assert_str_eq(a.err, "");
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(hold_prints_and_holds_several_locks)
{
    ck_assert_int_eq(run_script("coproc $R hold -l anna -l berta; read -r token words <&\"${COPROC[0]}\";"
                                " echo \"$words\"; $R status --attempt=5s $words | grep -c '1 of 1';"
                                " p=$COPROC_PID;"
                                " eval \"exec ${COPROC[1]}>&-\"; wait $p"),
                     0);
    ck_assert_str_eq(a.out, WORDS "\n2\n");
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(the_log_names_several_locks_as_words_and_as_an_array)
{
    static const char head[] = ",\"lock\":\"" WORDS "\",\"locks\":[\"anna\",\"berta\"],\"id\":\"";

    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "-n", "--log=json", BOTH, "true", NULL}), 0);
    ck_assert_uint_eq(command_count(a.err, head), 3); /* acquired, child_exit, released */
    ck_assert_uint_eq(command_count(a.err, "\n"), 3);
    ck_assert_int_eq(run(&a, "run", (const char *const[]){LEASE, "-n", "--log=text", BOTH, "true", NULL}), 0);
    ck_assert_uint_eq(command_count(a.err, " lock=\"" WORDS "\" id=\""), 3);
    ck_assert_int_eq(
        run(&a, "run", (const char *const[]){LEASE, "-n", "--log=json", "-l", "anna", "true", NULL}), 0);
    ck_assert_uint_eq(command_count(a.err, ",\"lock\":\"anna\",\"id\":\""), 3);
}
END_TEST

/* ---------------------------------------------------------------- a run inside a run */

static const struct {
    const char *outer, *inner, *message;
} nests[] = {
    {"-l anna -l berta", "berta", "redlock: berta is held by the `redlock run` that started this"},
    {"anna", "-l anna -l berta",
     "redlock: one of -l anna -l berta is held by the `redlock run` that started this"},
    {"-l anna -l 'b c'", "-l dora -l 'b c'",
     "redlock: one of -l 'b c' -l dora is held by the `redlock run` that"},
};

START_TEST(a_nested_run_of_one_of_several_locks_is_refused)
{
    char script[300];

    snprintf(script, sizeof script, "export R; $R run %s -- sh -c \"\\$R run -w 60 %s -- true\"",
             nests[_i].outer, nests[_i].inner);
    ck_assert_int_eq(run_script(script), 1);
    assert_has(a.err, nests[_i].message);
}
END_TEST

START_TEST(a_name_with_the_same_beginning_is_another_lock)
{
    ck_assert_int_eq(
        run_script("export R; $R run -l anna -l berta -- sh -c '$R run -n --attempt=5s ann -- true"
                   " && $R run -n --attempt=5s -l ann -l bert -- echo in'"),
        0);
    ck_assert_str_eq(a.out, "in\n");
}
END_TEST

/*
 * The outer run's id is unknown: a command that wants one of its names gets a warning, and no other command
 * does.
 */
START_TEST(without_an_id_only_a_shared_name_is_a_warning)
{
    static const char warning[] = "redlock: warning: this runs inside `redlock run " WORDS
                                  "` ($REDLOCK_LOCK): with the same servers it waits";

    live_command(&server[0], "MSET ann x bert x berta x");
    ck_assert_int_eq(run_script("export REDLOCK_LOCK='" WORDS "'; $R run -n --attempt=5s ann true;"
                                " $R run -n --attempt=5s -l ann -l bert true"),
                     1);
    assert_lacks(a.err, "this runs inside");
    ck_assert_int_eq(
        run_script("export REDLOCK_LOCK='" WORDS "'; $R run -n --attempt=5s -l berta -l carl true"), 1);
    assert_has(a.err, warning);
}
END_TEST

/* ---------------------------------------------------------------- the command line */

START_TEST(one_l_option_is_an_ordinary_lock)
{
    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){LONG_LEASE, "-l", "anna", NULL}), 0);
    ck_assert_uint_eq(strlen(a.out), TOKEN + 1);
    set(&b, "run", N,
        (const char *const[]){LEASE, "--fence", "--lock=berta", "-c", "echo $REDLOCK_LOCK", NULL});
    ck_assert_int_eq(command_run(&b), 0);
    ck_assert_str_eq(b.out, "berta\n");
    ck_assert_int_eq(run(&b, "status", (const char *const[]){"--attempt=5s", "-l", "anna", NULL}), 1);
    assert_has(b.out, "\nanna: held by ");
}
END_TEST

START_TEST(after_l_the_first_word_is_the_command)
{
    static const char *const ways[][6] = {
        {"echo", "ran"}, {"--", "echo", "ran"}, {"-c", "echo ran"}, {"--", "sh", "-c", "echo ran"}};

    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", BOTH, NULL});
    command_add_servers(&a, server, 1);
    for (int i = 0; i < 6 && ways[_i][i] != NULL; i++)
        command_add(&a, ways[_i][i]);
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "ran\n");
}
END_TEST

/* As after LOCK. */
START_TEST(a_command_that_begins_with_a_dash_follows_two_dashes)
{
    ck_assert_int_eq(run_script("$R run --attempt=5s -l anna -l berta -- -x"), 127);
    ck_assert_str_eq(
        a.err, "redlock: cannot run the command -x (the lock is -l anna -l berta): command not found\n");
    ck_assert_int_eq(run_script("$R acquire -l anna -l berta --"), 0);
}
END_TEST

#define NAME60 "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
#define NAME66 NAME60 "mmmmmm"
#define NAME51 "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"

static const struct {
    int n_servers;
    const char *args;
    int status;
    const char *message;
} refused[] = {
    {3, "run -l anna -l berta -- true", 64,
     "2 locks at once need a single server, and 3 are named: name one, or nest the locks, in the same order "
     "on all hosts: redlock run A -- redlock run B -- COMMAND"},
    {2, "acquire -l anna -l berta -l carl", 64, "3 locks at once need a single server, and 2 are named: "},
    {1, "run -l anna -l berta --fence -- true", 64,
     "--fence does not work with several locks (-l): each lock has its own fencing token"},
    {1, "run -l anna -l berta --wake-hint -- true", 64,
     "--wake-hint does not work with several locks (-l): clients that wait for one of them could not be "
     "notified"},
    {1, "run -l anna -l berta --canary -- true", 64,
     "--canary does not work with several locks (-l): the script that takes them does not check the canary"},
    {1, "run -l anna -l berta --legacy auto -- true", 64,
     "--legacy does not work with several locks (-l): take them one at a time"},
    {1, "break -l anna -l berta", 64, "redlock break takes one lock: break several one by one"},
    {2, "doctor -l anna -l berta", 64, "2 locks at once need a single server, and 2 are named: "},
    {1, "doctor -l b -l a" NAME60 NAME51, 65,
     "the lock name has 112 bytes, and the key that doctor tests has 16 more: together they must have at "
     "most "
     "127"},
    {1, "run -l anna berta -- true", 64,
     "unexpected extra argument: with -l, give every lock by -l\nusage: redlock "},
    {1, "acquire -l anna berta", 64,
     "unexpected extra argument: with -l, give every lock by -l\nusage: redlock "},
    {1, "list -l anna", 64, "--lock is not an option of redlock list\nusage: redlock list "},
    {1, "run -l anna -l berta", 64,
     "no command after the lock name: redlock run [options] LOCK -- COMMAND\nusage: redlock "
     "run "},
    {1, "acquire -l", 64, "--lock needs a value\nusage: redlock acquire "},
    {1, "acquire -l anna -l berta -l anna", 64, "-l anna is given twice: name each lock once"},
    {1, "acquire -l a -l b -l c -l d -l e -l f -l g -l h -l i", 64,
     "-l i is one lock too many: give at most 8"},
    {1, "acquire -l anna -l ''", 65, "the lock name has 0 bytes: it must have 1 to 128"},
    {1, "acquire -l anna -l rdl:canary", 65,
     "rdl:canary is the key of --canary and cannot be a lock name: choose another"},
    {1, "acquire -l redis://x -l anna", 64,
     "the lock name looks like the URL of a server: give -u before a URL\nusage: redlock acquire "},
    {1, "acquire -l " NAME60 " -l a -l " NAME66, 65,
     "-l " NAME66 ": the names of these 3 locks have 127 bytes together: they must have at most 125"},
};

START_TEST(invalid_uses_of_l_are_refused_with_a_reason)
{
    char script[600], message[600];

    snprintf(script, sizeof script, "R=$RDL_COMMAND; $R %s", refused[_i].args);
    command_set_script(&a, server, (size_t)refused[_i].n_servers, script);
    ck_assert_int_eq(command_run(&a), refused[_i].status);
    snprintf(message, sizeof message, "redlock: %s", refused[_i].message);
    ck_assert_msg(strncmp(a.err, message, strlen(message)) == 0, "%s", a.err);
    ck_assert_str_eq(a.out, "");
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

/* check_cli_rights.c tests that the line is enough and has no unneeded right. */
START_TEST(the_acl_line_covers_several_locks_and_their_scripts)
{
    static const char line[] =
        "\nACL SETUSER redlock on ~anna ~anna:doctor:* ~berta +get +getrange +del +eval +evalsha "
        "+pttl +pexpire +psetex\n";

    live_log(&server[0]);
    ck_assert_int_eq(run(&a, "doctor", (const char *const[]){"--attempt=2s", BOTH, NULL}), 0);
    assert_has(a.out, "; can release by script; can extend by script\nno problems found\n");
    assert_has(a.out, line);
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(a_forbidden_key_among_several_is_reported)
{
    live_command(&server[0], "ACL SETUSER default resetkeys ~anna");
    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){LEASE, BOTH, NULL}), 77);
    assert_has(a.err, " (check the user's permissions; several locks need eval, evalsha, "
                      "psetex and the key of each)\n");
    ck_assert_int_eq(run(&a, "doctor", (const char *const[]){"--attempt=2s", BOTH, NULL}), 77);
    assert_has(a.out, ": the user lacks ~berta; remedy: ");
}
END_TEST

START_TEST(eight_names_fill_a_request)
{
    ck_assert_int_eq(run(&a, "run",
                         (const char *const[]){LEASE,
                                               "-l",
                                               "a23456789012345",
                                               "-l",
                                               "b23456789012345",
                                               "-l",
                                               "c23456789012345",
                                               "-l",
                                               "d23456789012345",
                                               "-l",
                                               "e23456789012345",
                                               "-l",
                                               "f23456789012345",
                                               "-l",
                                               "g23456789012345",
                                               "-l",
                                               "h23456789012345",
                                               "-c",
                                               "echo ran",
                                               NULL}),
                     0);
    ck_assert_str_eq(a.out, "ran\n");
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tc = suite_case(suite, name, setup, teardown);

    tcase_set_timeout(tc, 60);
    return tc;
}

Suite *suite_cli_several(void)
{
    Suite *suite = suite_create("cli_several");
    TCase *tc = add_case(suite, "held"), *words = add_case(suite, "words"), *line = add_case(suite, "line");

    tcase_add_test(tc, run_holds_several_locks_by_one_token);
    tcase_add_loop_test(tc, run_takes_no_lock_if_one_of_several_is_held, 0, 2);
    tcase_add_loop_test(tc, losing_one_lock_stops_the_command_and_releases_the_rest, 0, 2);
    tcase_add_test(tc, locks_named_in_another_order_do_not_deadlock);
    tcase_add_test(tc, each_of_several_locks_excludes_other_clients);
    tcase_add_test(tc, keep_applies_to_all_of_several_locks);
    tcase_add_test(tc, max_hold_applies_to_several_locks);
    tcase_add_loop_test(tc, a_restarted_server_does_not_count_for_several_locks, 0, 3);
    tcase_add_test(tc, run_waits_for_a_restarted_server_without_requests);
    tcase_add_test(tc, a_server_without_info_does_not_count_if_required);
    tcase_add_test(tc, several_locks_warn_of_a_server_that_may_evict);
    tcase_add_test(tc, several_locks_need_scripts);
    tcase_add_test(words, redlock_lock_names_all_locks_and_works_for_status);
    tcase_add_test(words, special_lock_names_are_quoted_for_the_shell);
    tcase_add_test(words, a_token_file_names_all_locks_for_later_steps);
    tcase_add_loop_test(words, a_token_of_several_locks_needs_all_their_names, 0, 4);
    tcase_add_test(words, a_token_without_its_locks_is_valid);
    tcase_add_test(words, hold_prints_and_holds_several_locks);
    tcase_add_test(words, the_log_names_several_locks_as_words_and_as_an_array);
    tcase_add_loop_test(words, a_nested_run_of_one_of_several_locks_is_refused, 0, COUNT(nests));
    tcase_add_test(words, a_name_with_the_same_beginning_is_another_lock);
    tcase_add_test(words, without_an_id_only_a_shared_name_is_a_warning);
    tcase_add_test(line, one_l_option_is_an_ordinary_lock);
    tcase_add_loop_test(line, after_l_the_first_word_is_the_command, 0, 4);
    tcase_add_test(line, a_command_that_begins_with_a_dash_follows_two_dashes);
    tcase_add_loop_test(line, invalid_uses_of_l_are_refused_with_a_reason, 0, COUNT(refused));
    tcase_add_test(line, the_acl_line_covers_several_locks_and_their_scripts);
    tcase_add_test(line, a_forbidden_key_among_several_is_reported);
    tcase_add_test(line, eight_names_fill_a_request);
    return suite;
}
