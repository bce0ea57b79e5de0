/* SPDX-License-Identifier: MIT */
/* `redlock status` on real servers: its lines per server, its verdict, and that it changes nothing. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define OTHER "00112233445566778899aabbccddeeff00000002"
#define ID    "98f34076"

static struct live_server server[N];
static struct command a;

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

/* redlock status OPTIONS... SERVERS... LOCKS... */
static int status(const char *const options[], size_t n, const char *const locks[])
{
    memset(&a, 0, sizeof a);
    command_add(&a, "status");
    command_add_all(&a, options);
    command_add_servers(&a, server, n);
    command_add_all(&a, locks);
    return command_run(&a);
}

static const char *const off[] = {"--restart-guard=off", "--attempt=10s", NULL};
static const char *const nightly[] = {"nightly", NULL};

/* What it prints about server i, from the colon after its address on. */
static const char *text_of(int i)
{
    char where[64];
    const char *at;

    snprintf(where, sizeof where, "nightly at 127.0.0.1:%d: ", server[i].port);
    at = strstr(a.out, where);
    ck_assert_msg(at != NULL, "%s is not in: %s%s", where, a.out, a.err);
    return at + strlen(where);
}

static void expect(const char *text, const char *from)
{
    ck_assert_msg(strncmp(text, from, strlen(from)) == 0, "%s is not in: %s%s", from, a.out, a.err);
}

static const char *verdict(void)
{
    const char *at = strstr(a.out, "nightly: ");

    ck_assert_msg(at != NULL, "no verdict: %s%s", a.out, a.err);
    return at + strlen("nightly: ");
}

START_TEST(status_prints_a_line_per_server_and_a_verdict)
{
    unsigned left = 0;
    char rest[64] = "";

    for (int i = 0; i < 2; i++)
        live_command(&server[i], "SET nightly " TOKEN " PX 600000");
    ck_assert_int_eq(status(off, N, nightly), 1);
    ck_assert_uint_eq(command_count(a.out, "\n"), 4);
    expect(text_of(0), "held by " ID ", ");
    ck_assert_int_eq(
        sscanf(text_of(1), "held by " ID ", expires in %u.%*u s (redis %*[0-9.], %63[^,]", &left, rest), 2);
    ck_assert_uint_le(left, 600);
    ck_assert_str_eq(rest, "master");
    expect(text_of(2), "free (redis ");
    expect(verdict(), "held by " ID " on 2 of 3, expires in ");
    ck_assert_ptr_nonnull(strstr(verdict(), " s unless renewed\n"));
    ck_assert_str_eq(a.err, "");
}
END_TEST

/* The keys on the first two servers, their description and the verdict; the third server has none. */
static const struct {
    const char *set[2];
    const char *message, *verdict;
    int status;
} keys[] = {
    /* clang-format off */
    {{"SET nightly " TOKEN, "SET nightly " TOKEN}, "held by " ID ", never expires", "held by " ID
     " on 2 of 3, never expires: another program or an old client wrote it; DEL it if nothing needs it\n", 1},
    {{"SET nightly 1795000000.25", "SET nightly 1795000000.25"},
     "old protocol: held by 7642c982 until 1795000000.25 (Unix time)",
     "held by 7642c982 on 2 of 3, by the old protocol\n", 1},
    {{"SET nightly worker-7 PX 600000", "SET nightly worker-7 PX 600000"},
     "the value is not a redlock token (id 6df928bb), ", "held by 6df928bb on 2 of 3, expires in ", 1},
    {{"SET nightly \"\" PX 600000", "PING"}, "the value is not a redlock token (id 811c9dc5), ", "free\n", 0},
    {{"LPUSH nightly 1", "PING"}, "not a string, so not a lock, never expires", "free\n", 0},
    {{"LPUSH nightly 1", "LPUSH nightly 2"}, "not a string, so not a lock, never expires",
     "taken by a key that is not a lock on 2 of 3, never expires; DEL it if nothing needs it\n", 1},
    {{"SETRANGE nightly 127 x", "PING"}, "the value is not a redlock token (id ", "free\n", 0},
    {{"SETRANGE nightly 128 x", "PING"}, "a string of more than 128 bytes, so not a lock, never expires",
     "free\n", 0},
    {{"SET nightly " TOKEN " PX 600000", "SET nightly " OTHER " PX 600000"}, "held by " ID ", ",
     "split: no client holds it on 2 of 3 (" ID " has it on 1, 97f33ee3 has it on 1)\n", 1},
    {{"SET nightly " TOKEN " PX 600000", "PING"}, "held by " ID ", ", "free\n", 0},
    /* clang-format on */
};

START_TEST(status_names_what_each_key_is)
{
    for (int i = 0; i < 2; i++)
        live_command(&server[i], "%s", keys[_i].set[i]);
    ck_assert_int_eq(status(off, N, nightly), keys[_i].status);
    expect(text_of(0), keys[_i].message);
    expect(verdict(), keys[_i].verdict);
}
END_TEST

START_TEST(too_few_replies_decide_nothing)
{
    live_kill(&server[1]);
    ck_assert_int_eq(status(off, N, nightly), 0);
    expect(text_of(1), "cannot connect: Connection refused\n");
    live_command(&server[0], "SET nightly " TOKEN " PX 600000");
    ck_assert_int_eq(status(off, N, nightly), 69);
    expect(verdict(), "unknown: 1 of 3 servers did not reply\n");
}
END_TEST

/* In whole seconds, as run prints them, with the option whose value makes the difference. */
START_TEST(restarted_servers_decide_nothing)
{
    unsigned long seconds = 0;
    char max_ttl[8] = "";

    ck_assert_int_eq(
        status((const char *const[]){"--max-ttl=60m", "--restart-guard=if-permitted", "--attempt=10s", NULL},
               N, nightly),
        69);
    ck_assert_int_eq(sscanf(text_of(0),
                            "free (redis %*[^;]; restart guard: usable in %lu s, by --max-ttl %7[^)])",
                            &seconds, max_ttl),
                     2);
    ck_assert_str_eq(max_ttl, "1h");
    ck_assert_uint_gt(seconds, 0);
    expect(verdict(),
           "unknown: 3 of 3 servers started less than --max-ttl ago and may have lost the lock in a restart "
           "(--restart-guard=off uses them)\n");
}
END_TEST

/*
 * The holder's server is down, and another has become a replica of an empty one. Two say that the lock is
 * free, and it is held.
 */
START_TEST(a_replica_has_no_vote_for_any_reading_verb)
{
    static const char *const verbs[] = {"status", "list", "break"};

    live_command(&server[1], "REPLICAOF 127.0.0.1 %d", server[2].port);
    live_kill(&server[0]);
    for (size_t v = 0; v < 3; v++) {
        memset(&a, 0, sizeof a);
        command_add(&a, verbs[v]);
        command_add_all(&a, off);
        command_add_servers(&a, server, N);
        command_add(&a, "nightly");
        ck_assert_msg(command_run(&a) == 69, "%s: %d: %s%s", verbs[v], a.status, a.out, a.err);
        ck_assert_msg(
            strstr(v == 1 ? a.err : a.out,
                   v == 1
                       ? "1 of 3 servers have no vote (a replica, a cluster node, or INFO is refused)"
                       : "nightly: unknown: 1 of 3 servers did not reply, 1 of 3 servers have no vote (") !=
                NULL,
            "%s: %s%s", verbs[v], a.out, a.err);
    }
}
END_TEST

/* It serves the keys of its slots, and has moved this one, perhaps. */
START_TEST(a_cluster_node_has_no_vote_for_any_reading_verb)
{
    static const char *const cluster[] = {"--cluster-enabled", "yes", "--cluster-require-full-coverage", "no",
                                          NULL};
    static const char *const verbs[][2] = {{"status", NULL}, {"list", NULL}, {"list", "--legacy"}};

    live_remove(&server[0]); /* live_restart has one port, and another program may have its bus port */
    server[0].args = cluster;
    live_start(&server[0]);
    live_command(&server[0], "CLUSTER ADDSLOTS %ld",
                 strtol(live_command(&server[0], "CLUSTER KEYSLOT nightly") + 1, NULL, 10));
    live_await(&server[0], "GET nightly", "$-1");
    for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++) {
        memset(&a, 0, sizeof a);
        command_add(&a, verbs[v][0]);
        command_add_all(&a, off);
        if (verbs[v][1] != NULL)
            command_add(&a, verbs[v][1]);
        command_add_servers(&a, server, 1);
        command_add(&a, "nightly");
        ck_assert_msg(command_run(&a) == 69, "%s: %d: %s%s", verbs[v][0], a.status, a.out, a.err);
        if (v == 0)
            expect(verdict(), "unknown: 1 of 1 servers have no vote (a replica, a cluster node, ");
        else
            assert_has(a.err,
                       "the list may be incomplete: 1 of 1 servers have no vote (a replica, a cluster ");
    }
}
END_TEST

/* As for run: only with a guard that needs INFO. */
START_TEST(a_server_that_refuses_info_votes_as_for_run)
{
    static const char *const guards[] = {"off", "if-permitted", "required", "strict"};
    char url[80], option[40];

    live_command(&server[0], "ACL SETUSER eve on >pw ~* +@all -info");
    snprintf(url, sizeof url, "redis://eve:pw@127.0.0.1:%d", server[0].port);
    for (size_t g = 0; g < 4; g++) {
        snprintf(option, sizeof option, "--restart-guard=%s", guards[g]);
        memset(&a, 0, sizeof a);
        command_add_all(&a,
                        (const char *const[]){"status", "--attempt=10s", option, "-u", url, "nightly", NULL});
        ck_assert_msg(command_run(&a) == (g < 2 ? 0 : 69), "%s: %d: %s", guards[g], a.status, a.out);
        expect(verdict(), g < 2 ? "free" : "unknown: 1 of 1 servers have no vote (");
    }
}
END_TEST

START_TEST(one_held_lock_of_several_sets_the_exit_status)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET weekly " TOKEN " PX 600000");
    ck_assert_int_eq(status(off, N, (const char *const[]){"nightly", "weekly", "yearly", NULL}), 1);
    expect(verdict(), "free\n");
    assert_has(a.out, "weekly: held by " ID " on 3 of 3");
    assert_has(a.out, "\nyearly: free\n");
}
END_TEST

/* redlock status nightly, on the first server, as a user with only these rights. */
static int status_with(const char *rights)
{
    char url[256];

    live_command(&server[0], "ACL SETUSER eve on >secret ~* %s", rights);
    snprintf(url, sizeof url, "redis://eve:secret@127.0.0.1:%d", server[0].port);
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"status", "--attempt=10s", "-u", url, "nightly", NULL});
    return command_run(&a);
}

static const char *const enough[] = {"+getrange +pttl", "+strlen +get +pttl", "+get +pttl"};

/* Such a user may only read, and status does nothing else. */
START_TEST(status_needs_only_getrange_or_get_and_pttl)
{
    ck_assert_int_eq(status_with(enough[_i]), 0);
    expect(text_of(0), "free\n"); /* and nothing about the server */
    live_command(&server[0], "SET nightly \"\" PX 600000");
    ck_assert_int_eq(status_with(enough[_i]), 1);
    expect(text_of(0), "the value is not a redlock token (id 811c9dc5), ");
    live_command(&server[0], "SET nightly " TOKEN " PX 600000");
    ck_assert_int_eq(status_with(enough[_i]), 1);
    expect(text_of(0), "held by " ID ", expires in ");
    ck_assert_str_eq(live_command(&server[0], "GET nightly"), "$40\r\n" TOKEN "\r\n");
    ck_assert_int_ne(live_command(&server[0], "PTTL nightly")[1], '-');
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":1\r\n");
}
END_TEST

/* The server sends neither value, so no other client waits for that. */
START_TEST(status_does_not_read_a_long_value)
{
    live_command(&server[0], "SETRANGE nightly 1000000 x");
    live_command(&server[0], "PEXPIRE nightly 600000");
    ck_assert_int_eq(status_with(enough[_i]), 1);
    expect(text_of(0), "a string of more than 128 bytes, so not a lock, expires in ");
    ck_assert_ptr_null(strstr(live_command(&server[0], "INFO commandstats"), "cmdstat_get:"));
    live_command(&server[0], "DEL nightly");
    live_command(&server[0], "LPUSH nightly 1");
    ck_assert_int_eq(status_with(enough[_i]), 1);
    expect(text_of(0), "not a string, so not a lock, never expires\n");
}
END_TEST

/* What a user may do, and the message. */
static const struct {
    const char *rights, *message;
} blind[] = {{"+pttl", "cannot be read: grant +getrange\n"},
             {"+strlen +pttl", "cannot be read: grant +getrange\n"},
             {"+getrange +strlen +get", "the user lacks permission for a command or a key (ACL): NOPERM"},
             {"+getrange +pttl resetkeys", "the user lacks permission for a command or a key (ACL): NOPERM"}};

START_TEST(status_reports_a_missing_permission)
{
    live_command(&server[0], "SET nightly " TOKEN " PX 600000");
    ck_assert_int_eq(status_with(blind[_i].rights), 77);
    expect(text_of(0), blind[_i].message);
    expect(verdict(), "unknown: 1 of 1 servers gave no usable reply\n");
    assert_lacks(a.out, "secret");
}
END_TEST

/* No id: the field still had the id of another lock. */
START_TEST(a_key_that_is_not_a_lock_has_no_id_in_json)
{
    for (int i = 0; i < 2; i++) {
        live_command(&server[i], "SET nightly " TOKEN " PX 600000");
        live_command(&server[i], "LPUSH odd 1");
    }
    command_set_script(&a, server, N,
                       "$RDL_COMMAND status --attempt=10s --json nightly odd |"
                       " jq -r '.locks[1] | .verdict, .id, .on, (.servers[0] | .key, .id)'");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "held\nnull\n2\nforeign\nnull\n");
}
END_TEST

START_TEST(status_prints_one_json_object)
{
    for (int i = 0; i < 2; i++)
        live_command(&server[i], "SET nightly " TOKEN " PX 600000");
    command_set_script(
        &a, server, N,
        "$RDL_COMMAND status --attempt=10s --json nightly 'a \"b\"\\c' |"
        " jq -r '.locks[] | .lock, .verdict, .id, .on, .quorum, (.servers[] | .key), .servers[0].role'");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "nightly\nheld\n" ID "\n2\n2\ntoken\ntoken\nfree\nmaster\n"
                            "a \"b\"\\c\nfree\nnull\nnull\n2\nfree\nfree\nfree\nmaster\n");
}
END_TEST

/* A server may give itself any name. */
START_TEST(status_prints_valid_json_for_any_server_reply)
{
    static struct relay relay = {.find = "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n",
                                 .put = "*2\r\n$4\r\nECHO\r\n$19\r\nredis_version:7\"\\\r\n\r\n",
                                 .is_stubborn = 1};
    char script[200];

    relay_start(&relay, server[0].port, 0);
    snprintf(script, sizeof script,
             "$RDL_COMMAND status -u redis://127.0.0.1:%d --attempt=10s --json nightly |"
             " jq -r '.locks[0].servers[0].version'",
             relay.port);
    command_set_script(&a, server, 1, script);
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "7\"\\\n");
    relay_stop(&relay);
}
END_TEST

Suite *suite_cli_status(void)
{
    Suite *suite = suite_create("cli_status");
    TCase *tc = suite_case(suite, "cli_status", start, stop);

    tcase_add_test(tc, status_prints_a_line_per_server_and_a_verdict);
    tcase_add_loop_test(tc, status_names_what_each_key_is, 0, sizeof keys / sizeof keys[0]);
    tcase_add_test(tc, too_few_replies_decide_nothing);
    tcase_add_test(tc, restarted_servers_decide_nothing);
    tcase_add_test(tc, a_replica_has_no_vote_for_any_reading_verb);
    tcase_add_test(tc, a_cluster_node_has_no_vote_for_any_reading_verb);
    tcase_add_test(tc, a_server_that_refuses_info_votes_as_for_run);
    tcase_add_test(tc, one_held_lock_of_several_sets_the_exit_status);
    tcase_add_loop_test(tc, status_needs_only_getrange_or_get_and_pttl, 0, sizeof enough / sizeof enough[0]);
    tcase_add_loop_test(tc, status_does_not_read_a_long_value, 0, 2);
    tcase_add_loop_test(tc, status_reports_a_missing_permission, 0, sizeof blind / sizeof blind[0]);
    tcase_add_test(tc, a_key_that_is_not_a_lock_has_no_id_in_json);
    tcase_add_test(tc, status_prints_one_json_object);
    tcase_add_test(tc, status_prints_valid_json_for_any_server_reply);
    return suite;
}
