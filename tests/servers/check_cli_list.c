/* SPDX-License-Identifier: MIT */
/* `redlock list` on real servers: the locks under a prefix, no other keys, and the warnings about gaps. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3, OTHERS = 5000 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define ID    "98f34076"

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

/* redlock list OPTIONS... SERVERS... PREFIX */
static int list(const char *const options[], const char *prefix)
{
    memset(&a, 0, sizeof a);
    command_add(&a, "list");
    command_add_all(&a, options);
    command_add_servers(&a, server, N);
    if (prefix != NULL)
        command_add(&a, prefix);
    return command_run(&a);
}

static const char *const off[] = {"--restart-guard=off", "--attempt=10s", "--wait=300s", NULL};
static const char *const legacy[] = {"--restart-guard=off", "--attempt=10s", "--legacy", NULL};
static const char *const guarded[] = {"--restart-guard=if-permitted", "--attempt=10s", "--max-ttl=60m", NULL};
static const char *const quiet[] = {"--restart-guard=off", "--attempt=10s", "-q", NULL};
static const char *const hasty[] = {"--restart-guard=off", "--wait=0", NULL};

/* On the first n servers. */
static void set(int n, const char *name, const char *value)
{
    for (int i = 0; i < n; i++)
        live_command(&server[i], "SET \"%s\" %s PX 600000", name, value);
}

/* The names it printed, each followed by a space. */
static const char *names(void)
{
    static char out[1000];
    size_t n = 0;

    out[0] = '\0';
    for (const char *p = a.out; *p != '\0'; p += strcspn(p, "\n") + 1) {
        const char *end = strstr(p, ": ");
        ck_assert_ptr_nonnull(end);
        n += (size_t)snprintf(out + n, sizeof out - n, "%.*s ", (int)(end - p), p);
    }
    return out;
}

static void expect(int status, const char *what)
{
    ck_assert_msg(a.status == status && strcmp(names(), what) == 0, "%d: %s%s", a.status, a.out, a.err);
}

/* All keys that the command leaves on servers, and keys of other programs. */
START_TEST(list_prints_locks_and_no_other_keys)
{
    command_set_script(&a, server, N,
                       "acquire() { $RDL_COMMAND acquire --attempt=5s --restart-guard=off \"$@\" || exit; };"
                       " $RDL_COMMAND run --ttl=500ms --canary --restart-guard=off x true;"
                       " for lock in b a '{t}x' 'c d'; do acquire --ttl=5m --fence \"$lock\"; done");
    ck_assert_int_eq(command_run(&a), 0);
    set(N, "foreign", "worker-7");
    set(N, "old", "1795000000.25");
    set(N, "{old}:fence", "1795000000");
    for (int i = 0; i < N; i++) {
        live_command(&server[i], "LPUSH {a}:wake 1");
        /* A command that ends with a majority may leave one server without a canary, or without a counter. */
        live_command(&server[i], "SETNX rdl:canary \"00c0ffee12345678 1795000000\"");
        live_command(&server[i], "HSET hash field " TOKEN);
        live_command(&server[i], "SETNX {a}:fence 1");
    }
    list(off, NULL);
    ck_assert_str_eq(a.err, "");
    expect(1, "a b c d {t}x ");
    list(legacy, "");
    expect(1, "a b c d old {t}x ");
    assert_has(a.out, " on 3 of 3, by the old protocol\n");
    assert_has(a.out, "a: held by ");
    assert_has(a.out, " s unless renewed\n");
}
END_TEST

START_TEST(list_finds_every_lock_among_5000_other_keys)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i],
                     "EVAL \"for i = 1, %d do redis.call('SET', KEYS[1] .. i, i) end for i = 100, 199 do "
                     "redis.call('SET', 'lock' .. i, ARGV[1]) end\" 1 lock- " TOKEN,
                     OTHERS);
    list(off, "lock");
    ck_assert_str_eq(a.err, "");
    ck_assert_int_eq(a.status, 1);
    ck_assert_uint_eq(command_count(a.out, ": held by " ID " on 3 of 3, never expires"), 100);
    ck_assert_uint_eq(command_count(a.out, "\n"), 100);
    list(off, "lock-");
    expect(0, "");
}
END_TEST

START_TEST(list_reports_more_keys_than_it_can_check)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i],
                     "EVAL \"for i = 1, 11000 do redis.call('SET', KEYS[1] .. i, i) end\" 1 other-");
    ck_assert_int_eq(list(hasty, "other-"), 69);
    ck_assert_str_eq(a.out, "");
    assert_has(a.err, "redlock: the list may be incomplete: time ran out; ");
    ck_assert_int_eq(list(off, "other-1"), 0); /* 2112 of them */
    live_command(&server[0], "SET other-x " TOKEN);
    ck_assert_int_eq(list(off, "other-"), 69);
    ck_assert_str_eq(
        a.err,
        "redlock: the list may be incomplete: more than 10000 keys have this prefix; give a longer one\n");
}
END_TEST

/* A prefix, and which of the names begin with it. */
static const struct {
    const char *prefix, *names;
} prefixes[] = {
    {"a*", "a*b "}, {"a?", "a?b "},  {"[", "[ab] "}, {"a\\", "a\\b "}, {"a", "a*b a?b a\\b ab "},
    {"ab", "ab "},  {"[a", "[ab] "}, {"x", ""},
};

START_TEST(list_takes_a_prefix_literally)
{
    static const char *const all[] = {"a*b", "a?b", "ab", "[ab]", "a\\\\b"};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        set(N, all[i], TOKEN);
    list(off, prefixes[_i].prefix);
    ck_assert_str_eq(a.err, "");
    expect(prefixes[_i].names[0] != '\0', prefixes[_i].names);
}
END_TEST

/* A lock that is on the last two only is found there; the other is the remains of a crash. */
START_TEST(list_collects_names_from_all_servers)
{
    live_command(&server[1], "SET late " TOKEN " PX 600000");
    live_command(&server[2], "SET late " TOKEN " PX 600000");
    live_command(&server[2], "SET rest " TOKEN " PX 600000");
    list(off, "");
    expect(1, "late rest ");
    assert_has(a.out, "late: held by " ID " on 2 of 3, expires in ");
    assert_has(a.out, "\nrest: free\n");
    list(off, "rest");
    expect(0, "rest ");
    list((const char *const[]){"--restart-guard=off", "--attempt=10s", "-v", NULL}, "rest");
    ck_assert_uint_eq(command_count(a.out, "\n"), N + 1);
}
END_TEST

START_TEST(list_needs_a_majority_or_fails_with_69)
{
    char text[120];

    set(N, "nightly", TOKEN);
    live_kill(&server[0]);
    list(off, "");
    expect(1, "nightly ");
    snprintf(text, sizeof text,
             "redlock: warning: 127.0.0.1:%d was not searched: cannot connect: Connection refused\n",
             server[0].port);
    ck_assert_str_eq(a.err, text);
    list(quiet, "x");
    expect(0, "");
    ck_assert_str_eq(a.err, "");
    live_kill(&server[2]);
    list(off, "x");
    expect(69, "");
    assert_has(
        a.err,
        "redlock: the list may be incomplete: 1 of 3 servers were searched, which is not a majority\n");
    list(quiet, "");
    expect(69, "nightly ");
    ck_assert_str_eq(a.out, "nightly: unknown: 2 of 3 servers did not reply\n");
}
END_TEST

START_TEST(list_warns_that_restarted_servers_may_have_lost_locks)
{
    list(guarded, "");
    expect(69, "");
    ck_assert_str_eq(
        a.err, "redlock: the list may be incomplete: 3 of 3 servers started less than --max-ttl ago and "
               "may have lost locks\n");
}
END_TEST

/* What a user may do, and the result; only the last one can see which locks there are. */
static const struct {
    const char *may;
    int status;
    const char *err;
} users[] = {
    {"+getrange +pttl", 77,
     "0 of 1 servers were searched, which is not a majority (the user needs +scan +getrange +pttl)\n"},
    {"+scan", 77, "nightly could not be checked: cannot be read: grant +getrange\n"},
    {"+scan +get +pttl", 77, "nightly could not be checked: cannot be read: grant +getrange\n"},
    {"+scan +strlen +get +pttl", 1, NULL},
    {"+scan +getrange +pttl", 1, NULL},
};

START_TEST(list_needs_only_scan_getrange_and_pttl)
{
    char url[256];

    live_command(&server[0], "ACL SETUSER eve on >secret ~* %s", users[_i].may);
    live_command(&server[0], "SET nightly " TOKEN " PX 600000");
    snprintf(url, sizeof url, "REDLOCK_URLS=redis://eve:secret@127.0.0.1:%d", server[0].port);
    command_add_all(&a, (const char *const[]){"list", "--attempt=10s", NULL});
    command_setenv(&a, url);
    ck_assert_int_eq(command_run(&a), users[_i].status);
    assert_lacks(a.err, "secret");
    assert_has(a.err, users[_i].err != NULL ? users[_i].err : "");
    if (users[_i].err == NULL)
        expect(1, "nightly ");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$40\r\n" TOKEN "\r\n");
    ck_assert_int_ne(live_command(&server[0], "PTTL nightly")[1], '-');
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":1\r\n");
}
END_TEST

static long bytes_sent(struct live_server *s)
{
    const char *at = strstr(live_command(s, "INFO stats"), "total_net_output_bytes:");

    ck_assert_ptr_nonnull(at);
    return strtol(at + strlen("total_net_output_bytes:"), NULL, 10);
}

enum { LARGE_KEYS = 100, KEY_BYTES = 4096, CONNECTION_BYTES = 16384 /* INFO, the names */ };

START_TEST(list_transfers_at_most_4_kb_of_a_large_value)
{
    long before;

    set(N, "other-lock", TOKEN);
    live_command(&server[0],
                 "EVAL \"for i = 1, %d do redis.call('SETRANGE', KEYS[1] .. i, 200000, 'x') end\" 1 other-",
                 LARGE_KEYS);
    before = bytes_sent(&server[0]);
    list(off, "other");
    ck_assert_str_eq(a.err, "");
    expect(1, "other-lock ");
    ck_assert_int_lt(bytes_sent(&server[0]) - before, LARGE_KEYS * KEY_BYTES + CONNECTION_BYTES);
}
END_TEST

/* As before Redis 2.8. */
START_TEST(list_reports_a_server_without_scan)
{
    static const char *const args[] = {LIVE_WITHOUT("SCAN"), NULL};
    struct live_server bare = {.args = args};

    live_start(&bare);
    command_add_all(&a, (const char *const[]){"list", "--restart-guard=off", "--attempt=10s", NULL});
    command_add_servers(&a, &bare, 1);
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err, " was not searched: the server does not support the command: ERR unknown command '");
    live_remove(&bare);
}
END_TEST

/* Bytes that would move the cursor, or that no argument can hold. */
START_TEST(list_prints_strange_names_safely)
{
    char longest[200];

    set(N, "a\\x1b[2Jb\\n", TOKEN);
    list(off, "a");
    ck_assert_int_eq(a.status, 1);
    ck_assert_ptr_eq(strstr(a.out, "a?[2Jb?: held by " ID), a.out);
    ck_assert_str_eq(a.err, "");
    set(N, "d\\xc2\\x9b2Je\\xe2\\x80\\xaef", TOKEN); /* CSI, and from here on from right to left */
    list(off, "d");
    ck_assert_ptr_eq(strstr(a.out, "d??2Je???f: held by " ID), a.out);
    memset(longest, 'l', sizeof longest);
    longest[129] = '\0';
    set(N, longest, TOKEN);
    list(off, "l");
    ck_assert_str_eq(a.err, "");
    expect(0, "");
    longest[128] = '\0';
    set(N, longest, TOKEN);
    ck_assert_int_eq(list(off, "l"), 1);
    set(1, "n\\x00l", TOKEN);
    ck_assert_int_eq(list(off, "n"), 69);
    ck_assert_str_eq(
        a.err, "redlock: the list may be incomplete: some names have a NUL byte and cannot be checked\n");
    set(N, "nightly", TOKEN); /* a gap hides no lock that is held */
    ck_assert_int_eq(list(off, "n"), 1);
    assert_has(a.err, "the list may be incomplete: ");
    live_command(&server[1],
                 "EVAL \"for i = 1, 11000 do redis.call('SET', KEYS[1] .. i, i) end\" 1 nightly-");
    ck_assert_int_eq(list(off, "nightly"), 1);
    assert_has(a.err, "more than 10000 keys");
}
END_TEST

#define OWN_KEY "ACL SETUSER eve resetkeys ~nightly"

/* What server i may do or becomes, and why the list may be incomplete: with 77 for what is refused. */
static const struct {
    const char *command[N], *why;
} gaps[] = {
    {{NULL, "ACL SETUSER eve -scan", "ACL SETUSER eve -scan"},
     "1 of 3 servers were searched, which is not a majority (the user needs +scan "},
    {{NULL, "ACL SETUSER eve -scan", "REPLICAOF 127.0.0.1 1"}, "1 of 3 servers have no vote ("},
    {{OWN_KEY, OWN_KEY, OWN_KEY}, "other could not be checked: "},
};

START_TEST(a_gap_in_the_list_hides_no_held_lock)
{
    char urls[200] = "REDLOCK_URLS=";

    set(N, "nightly", TOKEN);
    set(N, "other", TOKEN);
    for (int i = 0; i < N; i++) {
        live_command(&server[i], "ACL SETUSER eve on >secret ~* +@all");
        if (gaps[_i].command[i] != NULL)
            live_command(&server[i], "%s", gaps[_i].command[i]);
        snprintf(urls + strlen(urls), sizeof urls - strlen(urls), " redis://eve:secret@127.0.0.1:%d",
                 server[i].port);
    }
    memset(&a, 0, sizeof a);
    command_add(&a, "list");
    command_add_all(&a, off);
    command_setenv(&a, urls);
    ck_assert_msg(command_run(&a) == 1, "%d: %s%s", a.status, a.out, a.err);
    assert_has(a.out, "nightly: held by " ID " on ");
    assert_has(a.err, "the list may be incomplete: ");
    assert_has(a.err, gaps[_i].why);
}
END_TEST

/* It accepts the connection, and sends nothing. */
START_TEST(list_skips_a_server_that_sends_nothing)
{
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "lock%02d", i);
        set(N, name, TOKEN);
    }
    live_freeze(&server[1]);
    list((const char *const[]){"--restart-guard=off", "--attempt=2s", NULL}, "lock");
    live_thaw(&server[1]);
    ck_assert_int_eq(a.status, 1);
    ck_assert_uint_eq(command_count(a.out, ": held by " ID " on 2 of 3, expires in "), 20);
    ck_assert_uint_eq(command_count(a.err, " was not searched: timed out\n"), 1);
}
END_TEST

/* A server that is frozen from the start: the wait for a connection would be longer. */
START_TEST(list_takes_no_longer_than_wait)
{
    static const char *const brief[] = {"--restart-guard=off", "--attempt=20s", "--wait=1", NULL};

    memset(&a, 0, sizeof a);
    live_freeze(&server[0]);
    command_add(&a, "list");
    command_add_all(&a, brief);
    command_add_servers(&a, server, 1);
    ck_assert_int_eq(command_run(&a), 69);
    live_thaw(&server[0]);
    ck_assert_str_eq(a.out, "");
    ck_assert_str_eq(a.err,
                     "redlock: the list may be incomplete: time ran out; give a longer prefix or --wait\n");
}
END_TEST

/* In the middle of 2000 names: there is no time to wait for it with each of them. */
START_TEST(list_does_not_query_a_stalled_server_again)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "EVAL \"for i = 1, 2000 do redis.call('SET', KEYS[1] .. i, i) end "
                                 "redis.call('SET', KEYS[1] .. 'z', ARGV[1])\" 1 lock " TOKEN);
    command_add_all(&a,
                    (const char *const[]){"list", "--restart-guard=off", "--attempt=3s", "--wait=50s", NULL});
    command_add_servers(&a, server, N);
    command_start(&a);
    live_await(&server[1], "INFO commandstats", "cmdstat_pttl:");
    live_freeze(&server[1]);
    ck_assert_int_eq(command_end(&a), 1);
    live_thaw(&server[1]);
    ck_assert_str_eq(a.err, "");
    expect(1, "lockz ");
}
END_TEST

START_TEST(list_prints_one_json_object)
{
    set(2, "b", TOKEN);
    set(N, "a\\\"", TOKEN);
    command_set_script(
        &a, server, N,
        "list() { $RDL_COMMAND list --attempt=10s --json \"$@\"; };"
        " list --restart-guard=off | jq -r '.locks[] | .lock, .verdict, .id, .on, (.servers[] | .key)';"
        " list --restart-guard=off b | jq .complete;"
        " list --restart-guard=off x | jq -c .;"
        " list --max-ttl=60m --restart-guard=if-permitted x 2>/dev/null | jq -c .");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "a\"\nheld\n" ID "\n3\ntoken\ntoken\ntoken\n"
                            "b\nheld\n" ID "\n2\ntoken\ntoken\nfree\n"
                            "true\n{\"locks\":[],\"complete\":true}\n{\"locks\":[],\"complete\":false}\n");
}
END_TEST

START_TEST(list_prints_a_lock_held_by_run)
{
    command_set_script(&b, server, N,
                       "$RDL_COMMAND run --restart-guard=off --ttl=60s --attempt=5s nightly"
                       " $RDL_COMMAND list --attempt=5s night");
    ck_assert_int_eq(command_run(&b), 1);
    ck_assert_ptr_eq(strstr(b.out, "nightly: held by "), b.out);
    memset(&b, 0, sizeof b);
    command_set_script(&b, server, N, "$RDL_COMMAND list --attempt=5s night");
    ck_assert_int_eq(command_run(&b), 0);
    ck_assert_str_eq(b.out, "");
}
END_TEST

Suite *suite_cli_list(void)
{
    Suite *suite = suite_create("cli_list");
    TCase *tc = suite_case(suite, "cli_list", start, stop);

    tcase_add_test(tc, list_prints_locks_and_no_other_keys);
    tcase_add_test(tc, list_finds_every_lock_among_5000_other_keys);
    tcase_add_test(tc, list_reports_more_keys_than_it_can_check);
    tcase_add_loop_test(tc, list_takes_a_prefix_literally, 0, COUNT(prefixes));
    tcase_add_test(tc, list_collects_names_from_all_servers);
    tcase_add_test(tc, list_needs_a_majority_or_fails_with_69);
    tcase_add_test(tc, list_warns_that_restarted_servers_may_have_lost_locks);
    tcase_add_loop_test(tc, list_needs_only_scan_getrange_and_pttl, 0, COUNT(users));
    tcase_add_test(tc, list_transfers_at_most_4_kb_of_a_large_value);
    tcase_add_test(tc, list_reports_a_server_without_scan);
    tcase_add_test(tc, list_prints_strange_names_safely);
    tcase_add_loop_test(tc, a_gap_in_the_list_hides_no_held_lock, 0, COUNT(gaps));
    tcase_add_test(tc, list_skips_a_server_that_sends_nothing);
    tcase_add_test(tc, list_takes_no_longer_than_wait);
    tcase_add_test(tc, list_does_not_query_a_stalled_server_again);
    tcase_add_test(tc, list_prints_one_json_object);
    tcase_add_test(tc, list_prints_a_lock_held_by_run);
    return suite;
}
