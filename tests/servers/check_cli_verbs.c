/* SPDX-License-Identifier: MIT */
/* The verbs for scripts: acquire, extend, release. Real servers. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 3, TOKEN = 42 /* 40 digits, "@o" */ };

static struct live_server server[N];
static struct command a, b;
static char file[64]; /* for a token; it does not exist */

static void setup(void)
{
    setenv("REDLOCK_OWNER", "o", 1);
    memset(server, 0, sizeof server);
    live_start_all(server, N);
    snprintf(file, sizeof file, "build/token.%ld", (long)getpid());
    unlink(file);
}

static void teardown(void)
{
    live_remove_all(server, N);
    unlink(file);
}

/* redlock VERB OPTIONS... on the first n servers, for "nightly". */
static void set(struct command *c, const char *verb, const char *const options[], size_t n)
{
    memset(c, 0, sizeof *c);
    command_add(c, verb);
    command_add_all(c, options);
    command_add_servers(c, server, n);
    command_add(c, "nightly");
}

static int run(struct command *c, const char *verb, const char *const options[])
{
    set(c, verb, options, N);
    return command_run(c);
}

static const char *const none[] = {NULL}, *const patient[] = {"--attempt=5s", NULL};

/* "REDLOCK_TOKEN=" and the token that a printed. */
static const char *token_of(const struct command *c)
{
    static char entry[64];

    ck_assert_uint_ge(strspn(c->out, "0123456789abcdef"), TOKEN - 2);
    snprintf(entry, sizeof entry, "REDLOCK_TOKEN=%.*s", TOKEN, c->out);
    return entry;
}

/* The same with the token of a. */
static int run_with_token(struct command *c, const char *verb, const char *const options[])
{
    set(c, verb, options, N);
    command_setenv(c, token_of(&a));
    return command_run(c);
}

static void assert_key_is(const char *value)
{
    char reply[80] = "$-1\r\n";

    if (value != NULL)
        snprintf(reply, sizeof reply, "$%zu\r\n%s\r\n", strlen(value), value);
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "GET nightly"), reply);
}

static long left_ms(int i)
{
    return strtol(live_command(&server[i], "PTTL nightly") + 1, NULL, 10);
}

/* Connections other than the test's own. */
static long connections(void)
{
    return strtol(strstr(live_command(&server[0], "INFO stats"), "total_connections_received:") + 27, NULL,
                  10);
}

/* ---------------------------------------------------------------- acquire */

START_TEST(acquire_prints_a_token_and_leaves_a_lease_everywhere)
{
    char value[TOKEN + 1];

    ck_assert_int_eq(
        run(&a, "acquire", (const char *const[]){"--ttl=60s", "--max-ttl=60s", "--attempt=5s", NULL}), 0);
    ck_assert_str_eq(a.err, "");
    ck_assert_uint_eq(strlen(a.out), TOKEN + 1);
    ck_assert_int_eq(a.out[TOKEN], '\n');
    memcpy(value, a.out, TOKEN);
    value[TOKEN] = '\0';
    assert_key_is(value);
    for (int i = 0; i < N; i++)
        ck_assert(left_ms(i) > 30000 && left_ms(i) <= 60000);
}
END_TEST

START_TEST(acquire_also_reaches_servers_slower_than_the_majority)
{
    live_freeze(&server[1]);
    set(&a, "acquire", (const char *const[]){"--attempt=5s", "-v", NULL}, N);
    command_start(&a);
    command_await_err(&a, "acquired after");
    live_thaw(&server[1]);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_str_eq(live_command(&server[1], "EXISTS nightly"), ":1\r\n");
}
END_TEST

/* Which servers did what. A release ends with the majority, and need not wait for the others. */
static void assert_each_reported(const struct command *c, int is_release)
{
    unsigned done = (unsigned)command_count(c->err, ": confirmed in ");
    unsigned others = is_release ? (unsigned)command_count(c->err, ": not waited for") : 0;

    ck_assert_msg(done > N / 2 && done + others == N, "%s", c->err);
}

/* A server that is still connecting when the majority is done. */
START_TEST(a_server_slow_to_connect_is_extended_and_released_too)
{
    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--attempt=5s", NULL}), 0);
    for (int verb = 0; verb < 2; verb++) {
        live_freeze(&server[1]);
        set(&b, verb == 0 ? "extend" : "release",
            (const char *const[]){"--attempt=5s", "--trace", "-v", NULL}, N);
        command_setenv(&b, token_of(&a));
        command_start(&b);
        command_await_times(&b, "# Server", 2); /* the others are connected */
        live_thaw(&server[1]);
        ck_assert_int_eq(command_end(&b), 0);
        assert_each_reported(&b, verb == 1);
    }
    assert_key_is(NULL);
}
END_TEST

START_TEST(the_fencing_token_follows_the_token_after_a_space)
{
    unsigned long long first, second;

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--fence", NULL}), 0);
    ck_assert_int_eq(sscanf(a.out + TOKEN, " %llu\n", &first), 1);
    ck_assert_int_eq(a.out[TOKEN], ' ');
    ck_assert_int_eq(run_with_token(&b, "release", patient), 0);
    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--fence", NULL}), 0);
    ck_assert_int_eq(sscanf(a.out + TOKEN, " %llu\n", &second), 1);
    ck_assert(second > first);
}
END_TEST

START_TEST(acquire_of_a_held_lock_exits_with_the_conflict_status)
{
    ck_assert_int_eq(run(&a, "acquire", none), 0);
    ck_assert_int_eq(run(&b, "acquire", (const char *const[]){"-n", "--attempt=5s", NULL}), 1);
    ck_assert_str_eq(b.out, "");
    assert_has(b.err, "redlock: nightly is held by another client; its lease expires in ");
    ck_assert_int_eq(run(&b, "acquire", (const char *const[]){"-nq", "--attempt=5s", "-E", "7", NULL}), 7);
    ck_assert_str_eq(b.err, "");
}
END_TEST

START_TEST(the_token_file_is_private_and_nothing_is_printed)
{
    struct stat st;

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--token-file", file, "--fence", NULL}), 0);
    ck_assert_str_eq(a.out, "");
    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    const char *const by_file[] = {"--attempt=5s", "--token-file", file, NULL};
    ck_assert_int_eq(run(&b, "extend", by_file), 0);
    ck_assert_int_eq(run(&b, "release", by_file), 0);
    ck_assert_str_eq(b.err, "");
    assert_key_is(NULL);
}
END_TEST

/* As another tool may have written them. */
START_TEST(digits_of_a_token_in_upper_case_are_the_same)
{
    char entry[64];

    ck_assert_int_eq(run(&a, "acquire", none), 0);
    snprintf(entry, sizeof entry, "%s", token_of(&a));
    for (char *at = strchr(entry, '='); *at != '@'; at++)
        *at = (char)toupper((unsigned char)*at);
    set(&b, "release", patient, N);
    command_setenv(&b, entry);
    ck_assert_int_eq(command_run(&b), 0);
    ck_assert_str_eq(b.err, "");
    assert_key_is(NULL);
}
END_TEST

START_TEST(an_existing_token_file_fails_with_73_before_any_request)
{
    char text[300];
    long before;

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--token-file", file, NULL}), 0);
    before = connections();
    ck_assert_int_eq(run(&b, "acquire", (const char *const[]){"--token-file", file, NULL}), 73);
    snprintf(text, sizeof text,
             "redlock: cannot create the token file %s: it exists; if its token may hold a lock, release "
             "that (redlock release --token-file FILE LOCK), then delete the file\n",
             file);
    ck_assert_str_eq(b.err, text);
    ck_assert_int_eq(connections(), before + 1);
}
END_TEST

static void wait_and_be_killed(void)
{
    set(&b, "acquire", (const char *const[]){"--token-file", file, "-v", NULL}, N);
    command_start(&b);
    command_await_err(&b, "waiting");
    ck_assert_int_eq(access(file, F_OK), 0); /* before any request */
    kill(b.pid, SIGTERM);
    ck_assert_int_eq(command_end(&b), 128 + SIGTERM);
}

START_TEST(a_failed_acquire_leaves_no_token_file)
{
    ck_assert_int_eq(run(&a, "acquire", none), 0);
    if (_i == 0)
        ck_assert_int_eq(
            run(&b, "acquire", (const char *const[]){"-n", "--attempt=5s", "--token-file", file, NULL}), 1);
    else
        wait_and_be_killed();
    ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

/* ---------------------------------------------------------------- a token that cannot be written */

static const struct {
    const char *script, *text;
} unwritable[] = {
    {"\"$RDL_COMMAND\" acquire --attempt=5s -v nightly >/dev/full",
     "redlock: cannot write the token to standard output (No space left on device): releasing nightly\n"},
    {"exec 6> >(exit); wait $!; \"$RDL_COMMAND\" acquire --attempt=5s -v nightly >&6",
     "redlock: cannot write the token to standard output (Broken pipe): releasing nightly\n"},
    {"\"$RDL_COMMAND\" acquire --attempt=5s -v nightly >&-",
     "redlock: cannot write the token to standard output (Bad file descriptor): releasing nightly\n"},
    {"exec 6> >(exit); wait $!; exec 7<> <(:); \"$RDL_COMMAND\" hold --attempt=5s -v nightly <&7 >&6",
     "redlock: cannot write the token to standard output (Broken pipe): releasing nightly\n"},
};

START_TEST(a_token_file_on_a_full_disk_leaves_no_file_and_no_lock)
{
    char script[200], text[200];

    snprintf(script, sizeof script,
             "(ulimit -f 0; exec \"$RDL_COMMAND\" acquire -v --token-file %s nightly 2>&1) | cat; exit "
             "${PIPESTATUS[0]}",
             file);
    command_set_script(&a, server, N, script);
    ck_assert_int_eq(command_run(&a), 73);
    snprintf(text, sizeof text, "redlock: cannot write the token to %s (File too large): releasing nightly\n",
             file);
    assert_has(a.out, text);
    ck_assert_int_ne(access(file, F_OK), 0);
    assert_key_is(NULL);
}
END_TEST

START_TEST(a_lock_is_released_with_73_if_its_token_is_not_written)
{
    command_set_script(&a, server, N, unwritable[_i].script);
    ck_assert_int_eq(command_run(&a), 73);
    assert_has(a.err, unwritable[_i].text);
    assert_has(a.err, "redlock: nightly released\n");
    assert_key_is(NULL);
}
END_TEST

/* ---------------------------------------------------------------- extend, release */

/* Another process with another address of the servers: all it has is the token. */
START_TEST(extend_and_release_need_only_the_token)
{
    char urls[N][LIVE_PATH_MAX];

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--ttl=20s", "--attempt=5s", NULL}), 0);
    for (int verb = 0; verb < 2; verb++) {
        memset(&b, 0, sizeof b);
        command_add_all(&b, verb == 0
                                ? (const char *const[]){"extend", "-v", "--ttl=60s", "--attempt=5s", NULL}
                                : (const char *const[]){"release", "-v", "--attempt=10s", NULL});
        for (int i = 0; i < N; i++)
            command_add_all(&b, (const char *const[]){
                                    "-u", live_url(&server[i], LIVE_V6, urls[i], sizeof urls[i]), NULL});
        command_add(&b, "nightly");
        command_setenv(&b, token_of(&a));
        ck_assert_int_eq(command_run(&b), 0);
        ck_assert_str_eq(b.out, "");
        assert_has(b.err, verb == 0 ? "redlock: nightly extended: it lasts for at least 5"
                                    : "redlock: nightly released\n");
        assert_each_reported(&b, verb == 1);
        assert_lacks(b.err, token_of(&a) + 14); /* no message has the digits */
        for (int i = 0; i < N && verb == 0; i++)
            ck_assert_int_gt(left_ms(i), 30000);
    }
    assert_key_is(NULL);
}
END_TEST

START_TEST(a_token_may_come_from_a_descriptor)
{
    command_set_script(&a, server, N,
                       "token=$(\"$RDL_COMMAND\" acquire --attempt=5s --fence nightly) && "
                       "\"$RDL_COMMAND\" extend --attempt=5s --token-fd 7 nightly 7<<<\"$token\" && "
                       "\"$RDL_COMMAND\" release --attempt=5s --token-fd 0 nightly <<<\"$token\"");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.err, "");
    assert_key_is(NULL);
}
END_TEST

START_TEST(extend_and_release_of_a_lost_lock_exit_with_1)
{
    static const char *const verbs[] = {"extend", "release"}, *const done[] = {"extended", "released"};
    char text[120];

    ck_assert_int_eq(run(&a, "acquire", none), 0);
    for (int i = 0; i < N; i++)
        live_command(&server[i], _i < 2 ? "DEL nightly" : "SET nightly other");
    ck_assert_int_eq(run_with_token(&b, verbs[_i % 2], patient), 1);
    snprintf(text, sizeof text,
             "redlock: nightly is not %s: this token does not hold it, or holds it no longer (127.0.0.1:",
             done[_i % 2]);
    ck_assert_msg(strncmp(b.err, text, strlen(text)) == 0, "%s", b.err);
    assert_has(b.err, _i < 2 ? ": the key does not exist" : ": held by another client");
    assert_key_is(_i < 2 ? NULL : "other");
    ck_assert_int_eq(run_with_token(&b, verbs[_i % 2], (const char *const[]){"-q", "--attempt=5s", NULL}), 1);
    ck_assert_str_eq(b.err, "");
}
END_TEST

START_TEST(extend_and_release_work_with_a_minority_down)
{
    ck_assert_int_eq(run(&a, "acquire", patient), 0); /* on all three: it waits for the slowest */
    live_kill(&server[_i]);
    ck_assert_int_eq(run_with_token(&b, "extend", patient), 0);
    ck_assert_int_eq(run_with_token(&b, "release", patient), 0);
    for (int i = 0; i < N; i++)
        if (i != _i)
            ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* They have just started, but a release needs no vote: the guard is not the reason, and no advice. */
START_TEST(a_refused_release_names_its_own_reason)
{
    ck_assert_int_eq(run(&a, "acquire", none), 0);
    for (int i = 0; i < N; i++)
        live_command(&server[i], "ACL SETUSER default -eval -evalsha -watch");
    ck_assert_int_eq(run_with_token(&b, "release", patient), 77);
    assert_has(b.err, "redlock: cannot release nightly: 2 of 3 servers are needed: ");
    assert_has(b.err, "NOPERM");
    assert_lacks(b.err, "restart");
    ck_assert_int_eq(run_with_token(&b, "extend", patient), 77);
    assert_lacks(b.err, "Redis 2.6.12");
}
END_TEST

/* SET NX PX, which Redis has since 2.6.12, has set the lock. DELEX and DELIFEQ release, too. */
START_TEST(extend_and_release_without_eval_and_watch_say_so)
{
    static const char *const bare[] = {LIVE_WITHOUT_SCRIPTS, LIVE_WITHOUT("WATCH"), NULL};

    teardown();
    for (int i = 0; i < N; i++)
        server[i].args = bare;
    live_start_all(server, N);
    if (strstr(live_command(&server[0], "DELEX"), "unknown") == NULL ||
        strstr(live_command(&server[0], "DELIFEQ"), "unknown") == NULL)
        return;
    ck_assert_int_eq(run(&a, "acquire", patient), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(run_with_token(&b, i == 0 ? "extend" : "release", patient), 69);
        assert_has(b.err, i == 0 ? "redlock: cannot extend nightly: 2 of 3 servers are needed: "
                                 : "redlock: cannot release nightly: 2 of 3 servers are needed: ");
        assert_has(b.err,
                   " (the server must run EVAL, or WATCH and what belongs to it: redlock doctor prints "
                   "what it lacks)\n");
        assert_lacks(b.err, "2.6.12");
    }
}
END_TEST

/* Too young to count: they were started for this test. */
START_TEST(extend_reports_servers_in_quarantine)
{
    static const char *const guarded[] = {"--restart-guard=if-permitted", "--attempt=5s", NULL};

    ck_assert_int_eq(run(&a, "acquire", none), 0);
    ck_assert_int_eq(run_with_token(&b, "extend", guarded), 69);
    assert_has(b.err, " of 3 servers started less than "
                      "--max-ttl (30s) ago and may have lost locks in a restart; a majority can be used in ");
    assert_has(b.err, " s. Until then, add --restart-guard=off if they are new. Always add "
                      "it if they lose nothing in a restart\n");
    ck_assert_int_eq(run_with_token(&b, "release", patient), 0); /* it needs no vote to delete our own key */
}
END_TEST

START_TEST(extend_and_release_fail_with_69_without_a_majority)
{
    static const char *const verbs[] = {"extend", "release"};
    char text[120];

    ck_assert_int_eq(run(&a, "acquire", none), 0);
    live_kill(&server[1]);
    live_kill(&server[2]);
    ck_assert_int_eq(run_with_token(&b, verbs[_i], none), 69);
    snprintf(text, sizeof text,
             "redlock: cannot %s nightly: 2 of 3 servers are needed: 127.0.0.1:", verbs[_i]);
    ck_assert_msg(strncmp(b.err, text, strlen(text)) == 0, "%s", b.err);
    ck_assert_uint_eq(command_count(b.err, ": cannot connect: Connection refused"), 2);
    assert_has(b.err, " (are the servers running?)\n");
}
END_TEST

/* It is in the middle of its requests. */
START_TEST(a_signal_ends_extend_and_leaves_the_lease_unchanged)
{
    char value[TOKEN + 1];

    ck_assert_int_eq(run(&a, "acquire", (const char *const[]){"--attempt=5s", NULL}), 0);
    memcpy(value, a.out, TOKEN);
    value[TOKEN] = '\0';
    set(&b, "extend", (const char *const[]){"--attempt=5s", "--trace", NULL}, N);
    command_setenv(&b, token_of(&a));
    live_freeze(&server[1]);
    live_freeze(&server[2]);
    command_start(&b);
    command_await_err(&b, "INFO");
    kill(b.pid, SIGTERM);
    ck_assert_int_eq(command_end(&b), 128 + SIGTERM);
    live_thaw(&server[1]);
    live_thaw(&server[2]);
    assert_key_is(value);
}
END_TEST

START_TEST(a_refused_password_fails_with_77_for_acquire)
{
    ck_assert_int_eq(run(&a, "acquire", none), 0);
    for (int i = 0; i < N; i++)
        live_command(&server[i], "ACL SETUSER default resetpass >secret");
    ck_assert_int_eq(run_with_token(&b, _i ? "release" : "extend", none), 77);
}
END_TEST

START_TEST(release_wakes_a_client_that_waits_with_a_hint)
{
    static const char *const hinted[] = {"--wake-hint", "--ttl=60s", "-v", NULL};

    ck_assert_int_eq(run(&a, "acquire", hinted), 0);
    set(&b, "acquire", hinted, N);
    command_start(&b);
    live_await(&server[0], "INFO clients", "blocked_clients:1\r\n");
    struct command c;
    memset(&c, 0, sizeof c);
    ck_assert_int_eq(
        run_with_token(&c, "release", (const char *const[]){"--wake-hint", "--attempt=5s", NULL}), 0);
    ck_assert_int_eq(command_end(&b), 0);
    ck_assert_uint_ge(strspn(b.out, "0123456789abcdef"), TOKEN - 2);
}
END_TEST

/* ---------------------------------------------------------------- far away */

START_TEST(script_verbs_work_with_far_servers_by_default)
{
    static struct relay relay[N];
    static char urls[256];
    size_t len = (size_t)snprintf(urls, sizeof urls, "REDLOCK_URLS=");

    memset(relay, 0, sizeof relay);
    for (int i = 0; i < N; i++) {
        relay_start(&relay[i], server[i].port, 1000);
        len += (size_t)snprintf(urls + len, sizeof urls - len, "redis://127.0.0.1:%d ", relay[i].port);
    }
    memset(&a, 0, sizeof a);
    a.program = "/bin/bash";
    command_add_all(&a, (const char *const[]){"-c",
                                              "export REDLOCK_TOKEN=$(\"$RDL_COMMAND\" acquire nightly) && "
                                              "\"$RDL_COMMAND\" extend nightly && "
                                              "\"$RDL_COMMAND\" release nightly",
                                              NULL});
    command_setenv(&a, urls);
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.err, "");
    for (int i = 0; i < N; i++)
        relay_stop(&relay[i]);
    assert_key_is(NULL);
}
END_TEST

/* ---------------------------------------------------------------- bad input */

#define T40 "0123456789012345678901234567890123456789"
#define UNFINISHED                                                                                           \
    "it exists but is empty: the redlock acquire that created it was killed, or is still waiting for the "   \
    "lock; delete the file if it is not waiting"

/* The line that follows a syntax error, but no error in a value. */
#define USAGE(verb, rest) "\nusage: redlock " verb " [options]" rest "   (redlock " verb " --help)"
#define USAGE_OF_ALL      "\nusage: redlock VERB [options] [LOCK...]   (redlock --help)"

/* Scripts: $R is the command, $F a file of this mode. No request is sent. */
static const struct {
    const char *script;
    int status;
    const char *text; /* %s: the file */
} bad[] = {
    {"$R release nightly", 64,
     "no token: give the one that redlock acquire printed by --token-file, --token-fd or $REDLOCK_TOKEN"},
    {"$R release nightly " T40, 64,
     "a token on the command line can be read by every user of this host: give it by --token-file, "
     "--token-fd or $REDLOCK_TOKEN"},
    {"$R extend --token " T40 " nightly", 64,
     "a token on the command line can be read by every user of this host: give it by --token-file, "
     "--token-fd or $REDLOCK_TOKEN"},
    {"$R extend --token-file $F --token-fd 7 nightly", 64,
     "give either --token-file or --token-fd, not both"},
    {"REDLOCK_TOKEN=0123 $R release nightly", 65,
     "$REDLOCK_TOKEN contains no token: it must be what redlock acquire printed: 40 hex digits and the "
     "owner"},
    {"REDLOCK_TOKEN=" T40 "0 $R extend nightly", 65,
     "$REDLOCK_TOKEN contains no token: it must be what redlock acquire printed: 40 hex digits and the "
     "owner"},
    {"REDLOCK_TOKEN='" T40 " ' $R extend nightly", 65,
     "$REDLOCK_TOKEN contains no token: it must be what redlock acquire printed: 40 hex digits and the "
     "owner"},
    {"REDLOCK_TOKEN='" T40 " 12a' $R extend nightly", 65,
     "$REDLOCK_TOKEN contains no token: it must be what redlock acquire printed: 40 hex digits and the "
     "owner"},
    {"(umask 077; echo precious >$F); $R release --token-file $F nightly", 65,
     "%s contains no token: it must be what redlock acquire printed: 40 hex digits and the owner"},
    {"(umask 077; printf '\\357\\273\\277" T40 "\\n' >$F); $R release --token-file $F nightly", 65,
     "%s contains no token: it begins with a byte order mark (BOM): save it as plain text without one"},
    {"(umask 077; printf '" T40 "\\n" T40 "\\n' >$F); $R release --token-file $F nightly", 65,
     "%s contains no token: it has a second line: leave one"},
    {"(umask 077; : >$F); $R release --token-file $F nightly", 66,
     "cannot read the token from %s: " UNFINISHED},
    {"(umask 077; : >$F); $R acquire --token-file $F nightly", 73,
     "cannot create the token file %s: " UNFINISHED},
    {"(umask 027; echo " T40 " >$F); $R release --token-file $F nightly", 66,
     "other users can read the token file %s, and could release the lock: chmod 600 it"},
    {"$R extend --token-file $F nightly", 66, "cannot open the token file %s: No such file or directory"},
    {"$R extend --token-fd 17 nightly 17>&-", 66,
     "cannot read the token from --token-fd: Bad file descriptor"},
    {"$R extend --token-fd 0 nightly </dev/null", 66,
     "--token-fd is empty: it must contain the token that redlock acquire printed"},
    {"$R release --token-fd " T40 " nightly", 64,
     "--token-fd: give the number of an open descriptor, from 0 to 1048576"},
    {"$R status --password-fd=s3same nightly", 64,
     "--password-fd: give the number of an open descriptor, from 0 to 1048576"},
    {"$R acquire", 64, "no lock name" USAGE("acquire", " LOCK")},
    {"$R acquire nightly weekly", 64,
     "redlock acquire takes one lock: unexpected extra argument" USAGE("acquire", " LOCK")},
    {"$R acquire nightly -n", 64, "options must come before the lock name" USAGE("acquire", " LOCK")},
    {"$R release --ttl 5s nightly", 64,
     "--ttl is not an option of redlock release" USAGE("release", " LOCK")},
    {"$R acquire --token-fd 3 nightly", 64,
     "--token-fd is not an option of redlock acquire" USAGE("acquire", " LOCK")},
    {"$R acquire -c true nightly", 64,
     "--command is not an option of redlock acquire" USAGE("acquire", " LOCK")},
    {"$R acquire --token-file /nowhere/at/all nightly", 73,
     "cannot create the token file /nowhere/at/all: No such file or directory"},
    {"$R status", 64, "no lock name" USAGE("status", " LOCK...")},
    {"$R status redis://a", 64,
     "the lock name looks like the URL of a server: give -u before a URL" USAGE("status", " LOCK...")},
    {"$R status a ''", 65, "the lock name has 0 bytes: it must have 1 to 128"},
    {"$R status --ttl=5s a", 64, "--ttl is not an option of redlock status" USAGE("status", " LOCK...")},
    {"$R status --held-by=98f34076 a", 64,
     "--held-by is not an option of redlock status" USAGE("status", " LOCK...")},
    {"$R break", 64, "no lock name" USAGE("break", " LOCK")},
    {"$R break --held-by 98F34076 a", 64,
     "--held-by: give the 8 hex digits that redlock status prints for the holder"},
    {"$R break --held-by=1 a", 64,
     "--held-by: give the 8 hex digits that redlock status prints for the holder"},
    {"$R break a b", 64, "redlock break takes one lock: unexpected extra argument" USAGE("break", " LOCK")},
    {"$R list a b", 64,
     "redlock list takes one prefix: unexpected extra argument" USAGE("list", " [PREFIX]")},
    {"$R list a --json", 64, "options must come before the prefix" USAGE("list", " [PREFIX]")},
    {"$R list redis://user:secret@host", 64,
     "the prefix looks like the URL of a server: give -u before a URL" USAGE("list", " [PREFIX]")},
    {"$R list " T40 T40 T40 "012345678", 65, "the prefix has 129 bytes: a lock name has at most 128"},
    {"$R list --legacy=always", 64, "--legacy takes no value" USAGE("list", " [PREFIX]")},
    {"$R list --held-by 01234567", 64,
     "--held-by is not an option of redlock list" USAGE("list", " [PREFIX]")},
    {"$R list --wait soon", 64, "--wait soon: give seconds, or a number and ms, s, m or h (30, 1.5s, 500ms)"},
    {"$R status --wait 5 a", 64, "--wait is not an option of redlock status" USAGE("status", " LOCK...")},
    {"$R status --legacy a", 64, "--legacy is not an option of redlock status" USAGE("status", " LOCK...")},
    {"$R run --legacy", 64, "--legacy needs a value" USAGE("run", " LOCK -- COMMAND [ARG...]")},
    {"$R run --tll=secret nightly true", 64,
     "unknown option --tll: did you mean --ttl?" USAGE("run", " LOCK -- COMMAND [ARG...]")},
    {"$R status --tll=secret nightly", 64, "unknown option --tll" USAGE("status", " LOCK...")},
    {"$R release --tokn=secret nightly", 64, "unknown option --tokn" USAGE("release", " LOCK")},
    {"$R status --jsno nightly", 64,
     "unknown option --jsno: did you mean --json?" USAGE("status", " LOCK...")},
    {"$R run -x nightly true", 64, "unknown option -x" USAGE("run", " LOCK -- COMMAND [ARG...]")},
    {"$R run nightly --ttl=5s true", 64,
     "--ttl: options must come before the lock name, and a command that begins with '-' after --" USAGE(
         "run", " LOCK -- COMMAND [ARG...]")},
    {"$R run -c true nightly -c true", 64,
     "-c is given twice, before and after the lock name" USAGE("run", " LOCK -- COMMAND [ARG...]")},
    {"$R run nightly -c", 64,
     "-c needs a value: the command, as one string" USAGE("run", " LOCK -- COMMAND [ARG...]")},
    {"$R run -c true nightly true", 64,
     "-c takes the whole command as one string: unexpected extra argument" USAGE(
         "run", " LOCK -- COMMAND [ARG...]")},
    {"$R run", 64, "no lock name and no command" USAGE("run", " LOCK -- COMMAND [ARG...]")},
    {"$R run user:secret@host", 64,
     "no command after the lock name: redlock run [options] LOCK -- COMMAND" USAGE(
         "run", " LOCK -- COMMAND [ARG...]")},
    {"$R", 64, "no verb: for example, redlock run LOCK -- COMMAND" USAGE_OF_ALL},
    {"$R lst", 64, "unknown verb: did you mean redlock list?" USAGE_OF_ALL},
    {"$R relase nightly", 64, "unknown verb: did you mean redlock release?" USAGE_OF_ALL},
    {"$R aquire nightly", 64, "unknown verb: did you mean redlock acquire?" USAGE_OF_ALL},
    {"$R completion", 64, "redlock completion takes the name of a shell: bash, zsh or fish" USAGE_OF_ALL},
    {"$R completion tcsh", 64,
     "redlock completion takes the name of a shell: bash, zsh or fish" USAGE_OF_ALL},
    {"$R completion fish zsh", 64,
     "redlock completion takes the name of a shell: bash, zsh or fish" USAGE_OF_ALL},
    {"$R redis://user:secret@host", 64,
     "unknown verb: give run, acquire, extend, release, hold, status, list, break or doctor" USAGE_OF_ALL},
    {"$R doctor a b", 64,
     "redlock doctor takes one lock: unexpected extra argument" USAGE("doctor", " [LOCK]")},
    {"$R doctor -n", 64, "--nonblock is not an option of redlock doctor" USAGE("doctor", " [LOCK]")},
    {"$R doctor " T40 T40 "012345678901234567890123456789012", 65,
     "the lock name has 113 bytes, and the key that doctor tests has 16 more: together they must have at "
     "most "
     "128"},
};

START_TEST(bad_input_gets_its_own_message_and_sends_nothing)
{
    char script[400], text[400], line[420], name[80];
    long before = connections();

    snprintf(script, sizeof script, "R=$RDL_COMMAND F=%s; %s", file, bad[_i].script);
    command_set_script(&a, server, N, script);
    ck_assert_int_eq(command_run(&a), bad[_i].status);
    const char *hole = strstr(bad[_i].text, "%s");
    snprintf(name, sizeof name, "%s", hole != NULL ? file : "");
    snprintf(text, sizeof text, "%.*s%s%s", hole != NULL ? (int)(hole - bad[_i].text) : 1000, bad[_i].text,
             name, hole != NULL ? hole + 2 : "");
    snprintf(line, sizeof line, "redlock: %s\n", text);
    ck_assert_str_eq(a.err, line);
    ck_assert_str_eq(a.out, "");
    ck_assert_int_eq(connections(), before + 1);
}
END_TEST

/* Every verb reports problems with the servers like run. */
START_TEST(unusable_servers_have_one_exit_status_for_all_verbs)
{
    static const char *const verbs[] = {
        "acquire -w3", "extend", "release", "hold -w3", "status", "list", "break --held-by 12345678"};
    static struct fake_server web = {
        .trick = FAKE_CLOSES, .text = "HTTP/1.1 400 Bad Request\r\n", .after = 1};
    char foreign[64], refuses[64];
    const struct {
        const char *url;
        int status;
    } servers[] = {{"redis://127.0.0.1:port", 65}, {"redis://127.0.0.1:1", 69}, {foreign, 76}, {refuses, 77}};

    fake_start(&web);
    fake_url(&web, foreign, sizeof foreign);
    snprintf(refuses, sizeof refuses, "redis://:wrong@127.0.0.1:%d", server[0].port);
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
        char full[300];
        snprintf(full, sizeof full, "REDLOCK_TOKEN=" T40 " \"$RDL_COMMAND\" %s -u %s nightly < <(sleep 5)",
                 verbs[_i], servers[i].url);
        command_set_script(&a, server, N, full);
        ck_assert_msg(command_run(&a) == servers[i].status, "%s: %d: %s", full, a.status, a.err);
        ck_assert_int_eq(a.out[0] != '\0', _i >= 4 && _i != 5 && servers[i].status != 65);
    }
    fake_stop(&web);
}
END_TEST

/* ---------------------------------------------------------------- output that cannot be written */

static const char *const asking[] = {"status nightly",    "status --json nightly",
                                     "list --attempt=5s", "list --json --attempt=5s",
                                     "doctor nightly",    "doctor --json nightly",
                                     "--version",         "--help",
                                     "run --help",        "help doctor"};
enum { ASKING = sizeof asking / sizeof asking[0] };

START_TEST(output_to_a_full_disk_is_an_error)
{
    char script[200];

    snprintf(script, sizeof script, "exec \"$RDL_COMMAND\" %s >/dev/full", asking[_i]);
    command_set_script(&a, server, 1, script);
    live_command(&server[0], "SET nightly 0123456789012345678901234567890123456789 PX 60000");
    ck_assert_int_eq(command_run(&a), 71);
    ck_assert_str_eq(a.err, "redlock: cannot write to standard output: No space left on device\n");
}
END_TEST

/* A pipe that nothing reads any more, like that of head(1). */
START_TEST(a_closed_output_pipe_ends_a_verb_by_sigpipe)
{
    char script[300];

    snprintf(script, sizeof script,
             "d=$(mktemp -d); mkfifo $d/pipe; exec 8<>$d/pipe; exec 7>$d/pipe; exec 8<&-; rm -r $d; "
             "exec \"$RDL_COMMAND\" %s >&7",
             asking[_i]);
    command_set_script(&a, server, 1, script);
    live_command(&server[0], "SET nightly 0123456789012345678901234567890123456789 PX 60000");
    ck_assert_int_eq(command_run(&a), 128 + SIGPIPE);
    ck_assert_str_eq(a.err, "");
}
END_TEST

START_TEST(unwritten_lines_of_log_and_trace_are_counted)
{
    static const char *const options[] = {"--log=json --log-fd 8", "--trace=/dev/full --restart-guard=off"};
    char script[200], message[100];
    unsigned n = 0;

    snprintf(script, sizeof script,
             "exec 8>/dev/full; exec \"$RDL_COMMAND\" run --attempt=5s %s nightly true", options[_i]);
    command_set_script(&a, server, 1, script);
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_int_eq(sscanf(a.err, "redlock: warning: %u lines", &n), 1);
    ck_assert_uint_ge(n, 3); /* acquired, child_exit, released; of a trace as many as there are */
    ck_assert(_i == 1 || n == 3);
    snprintf(message, sizeof message, "redlock: warning: %u lines of the %s could not be written: %s\n", n,
             _i == 0 ? "log" : "trace", strerror(ENOSPC));
    ck_assert_str_eq(a.err, message);
}
END_TEST

/* Nothing reads the token, and acquire would wait for it until the lease ends. */
START_TEST(a_signal_ends_acquire_while_its_output_is_blocked)
{
    static const char *const verbs[] = {"acquire", "hold"};
    char script[400];

    snprintf(
        script, sizeof script,
        "d=$(mktemp -d); mkfifo $d/pipe $d/input; exec 8<>$d/pipe 7<>$d/input; rm -r $d; "
        "dd if=/dev/zero of=/proc/self/fd/8 oflag=nonblock bs=4096 2>/dev/null; exec \"$RDL_COMMAND\" %s "
        "-v --ttl=5m --max-ttl=5m nightly >&8 <&7",
        verbs[_i]);
    command_set_script(&a, server, 1, script);
    command_start(&a);
    command_await_err(&a, "nightly acquired after "); /* before that a signal ends it without a message */
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 128 + SIGTERM);
    assert_has(a.err, "redlock: signal 15 came before the token was written: releasing nightly\n");
    ck_assert_str_eq(live_command(&server[0], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* It cannot recover while the command runs. The pipe for signals takes two. */
START_TEST(running_out_of_descriptors_fails_with_71_at_once)
{
    static const char *const verbs[] = {"run -w 5m nightly true", "acquire nightly", "status nightly",
                                        "list nightly", "doctor nightly"};
    char script[200];

    snprintf(script, sizeof script,
             "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- 10>&- 11>&-; ulimit -n 5; exec \"$RDL_COMMAND\" %s",
             verbs[_i]);
    command_set_script(&a, server, 1, script);
    ck_assert_msg(command_run(&a) == 71, "%d: %s%s", a.status, a.out, a.err);
    ck_assert_ptr_nonnull(
        strstr(_i < 2 || _i == 3 ? a.err : a.out, _i < 2    ? " (too few file descriptors: raise ulimit -n)\n"
                                                  : _i == 4 ? "Too many open files; remedy: raise ulimit -n\n"
                                                            : "Too many open files\n"));
}
END_TEST

/* ---------------------------------------------------------------- many at once */

/* The holder makes a directory, which no other client can make at the same time. */
START_TEST(of_200_concurrent_clients_only_one_holds_the_lock)
{
    char script[600];

    snprintf(
        script, sizeof script,
        "one() { for i in 1 2 3 4 5 6 7 8 9 10; do"
        "   t=$(\"$RDL_COMMAND\" acquire -q --wake-hint --attempt 5s nightly) || { echo failed; return; };"
        "   mkdir %s || echo two are inside; rmdir %s;"
        "   REDLOCK_TOKEN=$t \"$RDL_COMMAND\" release --wake-hint --attempt 5s nightly || echo not "
        "released; echo done;"
        " done; };"
        " for k in $(seq 20); do one & done; wait",
        file, file);
    command_set_script(&a, server, N, script);
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.err, "");
    ck_assert_uint_eq(command_count(a.out, "done\n"), 200);
    ck_assert_uint_eq(strlen(a.out), 200 * strlen("done\n"));
    assert_key_is(NULL);
}
END_TEST

Suite *suite_cli_verbs(void)
{
    Suite *suite = suite_create("cli_verbs");
    TCase *tc = suite_case(suite, "cli_verbs", setup, teardown);

    tcase_add_test(tc, acquire_prints_a_token_and_leaves_a_lease_everywhere);
    tcase_add_test(tc, acquire_also_reaches_servers_slower_than_the_majority);
    tcase_add_test(tc, a_server_slow_to_connect_is_extended_and_released_too);
    tcase_add_test(tc, the_fencing_token_follows_the_token_after_a_space);
    tcase_add_test(tc, acquire_of_a_held_lock_exits_with_the_conflict_status);
    tcase_add_test(tc, the_token_file_is_private_and_nothing_is_printed);
    tcase_add_test(tc, digits_of_a_token_in_upper_case_are_the_same);
    tcase_add_test(tc, an_existing_token_file_fails_with_73_before_any_request);
    tcase_add_loop_test(tc, a_failed_acquire_leaves_no_token_file, 0, 2);
    tcase_add_loop_test(tc, a_lock_is_released_with_73_if_its_token_is_not_written, 0, COUNT(unwritable));
    tcase_add_test(tc, extend_and_release_need_only_the_token);
    tcase_add_test(tc, a_token_may_come_from_a_descriptor);
    tcase_add_loop_test(tc, extend_and_release_of_a_lost_lock_exit_with_1, 0, 4);
    tcase_add_loop_test(tc, extend_and_release_work_with_a_minority_down, 0, N);
    tcase_add_test(tc, extend_reports_servers_in_quarantine);
    tcase_add_test(tc, a_refused_release_names_its_own_reason);
    tcase_add_test(tc, extend_and_release_without_eval_and_watch_say_so);
    tcase_add_loop_test(tc, extend_and_release_fail_with_69_without_a_majority, 0, 2);
    tcase_add_test(tc, a_token_file_on_a_full_disk_leaves_no_file_and_no_lock);
    tcase_add_test(tc, a_signal_ends_extend_and_leaves_the_lease_unchanged);
    tcase_add_loop_test(tc, a_refused_password_fails_with_77_for_acquire, 0, 2);
    tcase_add_test(tc, release_wakes_a_client_that_waits_with_a_hint);
    tcase_add_loop_test(tc, bad_input_gets_its_own_message_and_sends_nothing, 0, COUNT(bad));
    tcase_add_loop_test(tc, unusable_servers_have_one_exit_status_for_all_verbs, 0, 7);
    tcase_add_loop_test(tc, output_to_a_full_disk_is_an_error, 0, ASKING);
    tcase_add_loop_test(tc, a_closed_output_pipe_ends_a_verb_by_sigpipe, 0, ASKING);
    tcase_add_loop_test(tc, unwritten_lines_of_log_and_trace_are_counted, 0, 2);
    tcase_add_loop_test(tc, a_signal_ends_acquire_while_its_output_is_blocked, 0, 2);
    tcase_add_loop_test(tc, running_out_of_descriptors_fails_with_71_at_once, 0, 5);
    return suite;
}

Suite *suite_cli_verbs_crowd(void)
{
    Suite *suite = suite_create("cli_verbs_crowd");
    TCase *tc = suite_case(suite, "cli_verbs_crowd", setup, teardown);

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, script_verbs_work_with_far_servers_by_default);
    tcase_add_test(tc, of_200_concurrent_clients_only_one_holds_the_lock);
    return suite;
}
