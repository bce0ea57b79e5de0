/* SPDX-License-Identifier: MIT */
/* `redlock doctor` on real servers: each problem is made, found and reported with its remedy. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 3 };

static struct live_server server[N];
static struct relay relay;
static struct command a;
static int started;
static char url[N][LIVE_PATH_MAX + 40];

static void setup(void)
{
    memset(server, 0, sizeof server);
    memset(&relay, 0, sizeof relay);
    started = 0;
}

static void teardown(void)
{
    relay_stop(&relay);
    live_remove_all(server, started);
}

/* Servers without a fault: they lose no data. */
static void start(int n)
{
    for (; started < n; started++) {
        live_start(&server[started]);
        live_log(&server[started]);
        live_url(&server[started], LIVE_V4, url[started], sizeof url[started]);
    }
}

/*
 * redlock doctor --attempt 2s OPTIONS... -u URL... nightly. It waits 1 s for each reply: again if that was
 * too short, unless the test mutes the server.
 */
static int doctor(const char *const options[], const char *first, const char *second, const char *third)
{
    const char *urls[] = {first, second, third};
    int tries = 0;

    do {
        memset(&a, 0, sizeof a);
        command_add_all(&a, (const char *const[]){"doctor", "--attempt", "2s", NULL});
        command_add_all(&a, options);
        for (size_t i = 0; i < 3 && urls[i] != NULL; i++)
            command_add_all(&a, (const char *const[]){"-u", urls[i], NULL});
        command_add(&a, "nightly");
        command_run(&a);
    } while (relay.mute == NULL && strstr(a.out, "timed out") != NULL && ++tries < 3);
    return a.status;
}

static const char *const none[] = {NULL};

/* redlock run there, one attempt */
static void run_on(const char *where, const char *guard)
{
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-n", "--attempt", "2s", guard, "-u", where, "nightly",
                                              "--", "true", NULL});
    command_run(&a);
}

/* Exactly one line about server i begins like this, and there are this many findings. */
static void expect(size_t findings, const char *level, int i, const char *text)
{
    char line[400];

    snprintf(line, sizeof line, "\n%s: 127.0.0.1:%d: %s", level, server[i].port, text);
    ck_assert_msg(strstr(a.out, line) != NULL, "%s is not in:\n%s%s", line, a.out, a.err);
    ck_assert_msg(command_count(a.out, "; remedy: ") == findings, "%s", a.out);
}

START_TEST(doctor_accepts_healthy_servers_and_leaves_no_test_key)
{
    static const char *const all[] = {"--fence", "--wake-hint", "--canary", NULL};

    start(3);
    for (int i = 0; i < 3; i++)
        live_put_canary(&server[i], 1);
    ck_assert_msg(doctor(all, url[0], url[1], url[2]) == 0, "%s", a.out);
    ck_assert_str_eq(a.err, "");
    ck_assert_uint_eq(command_count(a.out, "\n"), 7);
    ck_assert_uint_eq(command_count(a.out, " ms; can release by script"), 3);
    ck_assert_uint_eq(command_count(a.out, "; can extend by script, WATCH\n"), 3);
    assert_has(
        a.out,
        "\nno problems found\nnote: these servers are on this host: other hosts do not see "
        "their locks (unless they are tunnels to common servers)\nOptional: an ACL rule with no more than "
        "redlock needs, for redis-cli (new user: add >PASSWORD):\nACL SETUSER redlock on ~nightly ");
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(live_command(&server[i], "DBSIZE"), ":1\r\n"); /* the canary */
}
END_TEST

/* What is done to a server, and what doctor reports then. */
static const struct {
    const char *commands[2];
    int status;
    const char *level, *text, *remedy;
} faults[] = {
    /* clang-format off */
    {{"CONFIG SET appendfsync everysec", "PING"}, 1, "warning",
     "appendfsync is everysec: a crash loses the locks of the last second; remedy: ", "appendfsync always"},
    {{"CONFIG SET appendfsync no", "PING"}, 1, "warning",
     "appendfsync is no: a crash loses the locks of the last 30 s or so; remedy: ", "appendfsync always"},
    {{"CONFIG SET appendonly no", "PING"}, 1, "warning",
     "it keeps nothing on disk: a restart loses all locks; ", "appendonly yes"},
    {{"CONFIG SET appendonly no", "CONFIG SET save \"60 1\""}, 1, "warning",
     "it keeps no log (appendonly no): a crash loses the locks since its last snapshot; ", "appendonly yes"},
    {{"CONFIG SET maxmemory 100mb", "CONFIG SET maxmemory-policy allkeys-lru"}, 1, "warning",
     "when its memory is full it deletes keys, including locks (maxmemory-policy allkeys-lru); ",
     "set maxmemory-policy noeviction"},
    {{"CONFIG SET maxmemory 1", "PING"}, 69, "error",
     "it grants no locks now: the server is out of memory (maxmemory): OOM ", "raise its maxmemory"},
    {{"CONFIG SET appendonly no", "REPLICAOF 127.0.0.1 1"}, 78, "error",
     "it is a replica, which grants no locks; ", "name its master, 127.0.0.1 port 1"},
    {{"ACL SETUSER default -set -pexpire", "PING"}, 77, "error", "the user lacks +set +pexpire; ",
     "paste the last line into redis-cli"},
    {{"ACL SETUSER default -evalsha", "PING"}, 1, "warning",
     "the user lacks +evalsha: locks work without, in more round trips; ",
     "paste the last line into redis-cli"},
    {{"ACL SETUSER default -getrange", "PING"}, 1, "warning",
     "the user lacks +getrange: locks work, but redlock list cannot read their keys; ",
     "paste the last line into redis-cli"},
    {{"ACL SETUSER default -eval", "PING"}, /* EVALSHA knows no script that no client may send */
     1, "warning", "the user lacks +eval: locks work without, in more round trips; ",
     "paste the last line into redis-cli"},
    {{"ACL SETUSER default -eval -evalsha", "PING"}, 1, "warning",
     "the user lacks +eval +evalsha: locks work without, in more round trips; ",
     "paste the last line into redis-cli"},
    {{"ACL SETUSER default resetkeys ~nightly", "PING"}, 1, "warning",
     "permissions were not tested: the user lacks ~nightly:doctor:*; ", "paste the last line into redis-cli"},
    {{"ACL SETUSER default resetkeys ~weekly*", "PING"}, 77, "error", "the user lacks ~nightly; ",
     "paste the last line into redis-cli"},
    /* clang-format on */
};

START_TEST(doctor_reports_each_problem_with_its_remedy)
{
    start(1);
    for (size_t k = 0; k < 2; k++)
        live_command(&server[0], "%s", faults[_i].commands[k]);
    ck_assert_msg(doctor(none, url[0], NULL, NULL) == faults[_i].status, "%d: %s", a.status, a.out);
    expect(1, faults[_i].level, 0, faults[_i].text);
    ck_assert_msg(strstr(strstr(a.out, "; remedy: "), faults[_i].remedy) != NULL, "%s", a.out);
}
END_TEST

START_TEST(doctor_reports_a_cluster_node)
{
    static const char *const cluster[] = {"--cluster-enabled", "yes", NULL};

    server[0].args = cluster;
    start(1);
    ck_assert_int_eq(doctor(none, url[0], NULL, NULL), 78);
    expect(1, "error", 0,
           "it is a node of a cluster, or a proxy like Envoy; in a cluster, a key that was moved looks like "
           "one that a failover lost; remedy: use three independent servers");
}
END_TEST

START_TEST(doctor_reports_a_duplicate_server_and_an_even_number)
{
    char v6[LIVE_PATH_MAX], text[200];

    start(1);
    live_url(&server[0], LIVE_V6, v6, sizeof v6);
    ck_assert_int_eq(doctor(none, url[0], v6, NULL), 78);
    snprintf(text, sizeof text,
             "\nerror: [::1]:%d: it is the same server as 127.0.0.1:%d: it would have two votes; ",
             server[0].port, server[0].port);
    assert_has(a.out, text);
    assert_has(a.out, "\nwarning: 2 servers tolerate no more failures than 1; remedy: use an odd number\n");
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 2);
    live_command(&server[0], "ACL SETUSER default -info");
    ck_assert_int_eq(doctor(none, url[0], url[0], NULL), 78);
    assert_has(a.out, "it is the same server as");
}
END_TEST

START_TEST(doctor_reports_a_dead_server_and_checks_the_others)
{
    static struct fake_server web = {
        .trick = FAKE_ANSWERS, .text = "HTTP/1.1 400 Bad Request\r\n", .after = 1};
    char other[64];

    start(3);
    live_kill(&server[1]);
    ck_assert_int_eq(doctor(none, url[0], url[1], "redis://nowhere.invalid:1"), 69);
    expect(2, "error", 1, "cannot connect: Connection refused; remedy: check that it is running");
    assert_has(a.out, "\nerror: nowhere.invalid:1: no address: ");
    assert_has(a.out, "; can release by script");
    fake_start(&web);
    ck_assert_int_eq(doctor(none, url[0], fake_url(&web, other, sizeof other), url[2]), 76);
    assert_has(a.out, "; remedy: check that this is the server's port\n");
    fake_stop(&web);
}
END_TEST

/* It reports what it is, but does not answer a script. */
START_TEST(doctor_reports_a_server_that_stops_replying)
{
    char mute[64];

    start(1);
    relay.mute = "EVAL";
    relay_start(&relay, server[0].port, 0);
    snprintf(mute, sizeof mute, "redis://127.0.0.1:%d", relay.port);
    ck_assert_msg(doctor(none, mute, NULL, NULL) == 69, "%d: %s", a.status, a.out);
    assert_has(a.out, ": it grants no locks now: timed out; remedy: ");
}
END_TEST

START_TEST(doctor_reports_a_refused_login_without_the_password)
{
    char wrong[64];

    server[0].password = "pw";
    start(1);
    snprintf(wrong, sizeof wrong, "redis://:s3same@127.0.0.1:%d", server[0].port);
    ck_assert_int_eq(doctor(none, wrong, NULL, NULL), 77);
    assert_has(a.out, ": the login failed: WRONGPASS");
    assert_has(a.out, "; remedy: check user and password");
    assert_lacks(a.out, "s3same");
}
END_TEST

START_TEST(doctor_reports_until_when_a_new_server_does_not_count)
{
    static const char *const guard[] = {"--restart-guard=if-permitted", "--max-ttl=60m", NULL};
    unsigned up, h, m, s;
    const char *at;

    start(1);
    ck_assert_int_eq(doctor(guard, url[0], NULL, NULL), 1);
    expect(1, "warning", 0, "it started ");
    at = strstr(a.out, "it started ");
    ck_assert_msg(
        sscanf(
            at,
            "it started %u s ago, less than --max-ttl, and may have lost locks in a restart: it can be used "
            "from %2u:%2u:%2u on; remedy: wait",
            &up, &h, &m, &s) == 4,
        "%s", a.out);
}
END_TEST

/* The old protocol has no restart guard, so doctor does not recommend it. */
START_TEST(doctor_mentions_the_restart_guard_only_where_it_applies)
{
    static const char *const legacy[] = {"--restart-guard=if-permitted", "--legacy=always", NULL};
    static const char *const guard[] = {"--restart-guard=if-permitted", NULL};

    start(1);
    live_command(&server[0], "CONFIG SET appendonly no");
    ck_assert_int_eq(doctor(legacy, url[0], NULL, NULL), 1);
    expect(1, "warning", 0,
           "it keeps nothing on disk: a restart loses all locks; remedy: set appendonly yes and");
    assert_lacks(a.out, "guard");
    ck_assert_int_eq(doctor(guard, url[0], NULL, NULL), 1);
    expect(1, "warning", 0, "it started ");
    assert_has(a.out, ": a restart or a crash may lose locks; the restart guard makes that safe");
    ck_assert_int_eq(doctor(none, url[0], NULL, NULL), 1);
    expect(1, "warning", 0,
           "it keeps nothing on disk: a restart loses all locks; remedy: set appendonly yes and");
    assert_has(a.out, "or do not use --restart-guard=off");
}
END_TEST

START_TEST(doctor_reports_a_missing_info_right_if_the_guard_needs_it)
{
    static const char *const guards[] = {"--restart-guard=if-permitted", "--restart-guard=required",
                                         "--restart-guard=off"};
    static const int status[] = {1, 77, 0};

    start(1);
    live_command(&server[0], "ACL SETUSER default -info");
    ck_assert_int_eq(doctor((const char *const[]){guards[_i], NULL}, url[0], NULL, NULL), status[_i]);
    ck_assert_int_eq(strstr(a.out, "the user lacks +info") != NULL, status[_i] != 0);
    ck_assert_int_eq(strstr(a.out, " +info\n") != NULL, status[_i] != 0); /* the line that grants it */
}
END_TEST

START_TEST(doctor_reports_a_key_that_is_not_a_canary)
{
    start(1);
    live_command(&server[0], "%s", _i ? "SETRANGE rdl:canary 70 x" : "LPUSH rdl:canary 1");
    ck_assert_int_eq(doctor((const char *const[]){"--canary", NULL}, url[0], NULL, NULL), 78);
    assert_has(a.out, ": it has a key rdl:canary that is not a canary (another type, or a long string): with "
                      "--canary the server is never used; remedy: find out which program wrote that key, "
                      "then DEL it\n");
}
END_TEST

/* None, one of another run, a new one. */
START_TEST(a_canary_that_makes_the_next_run_wait_is_reported)
{
    static const char *const with_canary[] = {"--canary", "--restart-guard=if-permitted", NULL};
    static const char none_yet[] =
        ": it has no canary, because it is new to --canary or has lost its data: the "
        "next run with --canary makes one, and the server can be used 31 s later; remedy: "
        "take a lock with --canary before you need it: redlock run --canary -n LOCK true\n";

    start(1);
    if (_i == 1)
        live_command(&server[0], "SET rdl:canary \"0123456789abcdef 1\"");
    if (_i == 2)
        live_put_canary(&server[0], (long)time(NULL) - 1);
    ck_assert_int_eq(doctor(with_canary, url[0], NULL, NULL), 1);
    assert_has(a.out, _i < 2 ? none_yet : ": its canary was made ");
    (void)doctor(none, url[0], NULL, NULL);
    assert_lacks(a.out, "canary");
}
END_TEST

/* It has no lease that could end. */
START_TEST(a_key_that_another_program_wrote_is_reported)
{
    start(1);
    live_command(&server[0], "%s", _i ? "LPUSH nightly 1" : "SET nightly hello");
    ck_assert_int_eq(doctor(none, url[0], NULL, NULL), 1);
    expect(1, "warning", 0,
           _i ? "its key nightly is not a string, so not a lock: another program wrote it; remedy: DEL it if "
                "nothing needs it\n"
              : "its key nightly never expires: another program or an old client wrote it; remedy: DEL it if "
                "nothing needs it\n");
}
END_TEST

START_TEST(doctor_reports_a_renamed_command)
{
    static const char *const renamed[] = {LIVE_WITHOUT("pexpire"), NULL};

    server[0].args = renamed;
    start(1);
    ck_assert_int_eq(doctor(none, url[0], NULL, NULL), 78);
    expect(1, "error", 0,
           "it does not support +pexpire: they were renamed or disabled, or the server is too old; ");
    assert_has(a.out, "; cannot extend\n");
}
END_TEST

/* A lock that cannot be released is not reported as a missing hint. */
START_TEST(doctor_reports_a_renamed_command_with_a_wake_hint)
{
    static const char *const hint[] = {"--wake-hint", NULL};
    static const char *const names[] = {"set", "get", "del"};
    const char *const renamed[] = {LIVE_WITHOUT(names[_i]), NULL};
    char text[120];

    server[0].args = renamed;
    start(1);
    ck_assert_msg(doctor(hint, url[0], NULL, NULL) == 78, "%d: %s", a.status, a.out);
    snprintf(text, sizeof text,
             "it does not support +%s: they were renamed or disabled, or the server is too old; ", names[_i]);
    expect(1, "error", 0, text);
}
END_TEST

/* A script with the error text of Valkey 9.1. */
#define DATABASE "$68\r\nreturn redis.error_reply('NOPERM No permissions to access database')\r\n"

/* From now on server 1 is reached through a relay that replaces these bytes; returns its URL. */
static const char *through_relay(const char *find, const char *put)
{
    static char other[64];

    relay.find = find;
    relay.put = put;
    relay.is_stubborn = 1;
    relay_start(&relay, server[1].port, 0);
    snprintf(other, sizeof other, "redis://127.0.0.1:%d", relay.port);
    return other;
}

/* A server that keeps nothing on disk, and has run for long. */
START_TEST(what_the_restart_guard_makes_safe_is_a_note)
{
    static const char what[] = "not every lock is kept on disk (appendonly, appendfsync) by 127.0.0.1:",
                      safe[] =
                          ": a restart or a crash may lose locks; the restart guard makes that safe; if a "
                          "client uses --restart-guard=off, or has no guard, set appendonly yes and "
                          "appendfsync always";
    const char *const options[] = {"--restart-guard=required", _i ? "--json" : "-v", NULL};
    const char *other;
    char text[500];

    start(2);
    live_command(&server[1], "CONFIG SET appendonly no");
    other =
        through_relay("*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n",
                      "*2\r\n$4\r\nECHO\r\n$47\r\nredis_version:7.0.15\r\nuptime_in_seconds:900\r\n\r\n\r\n");
    ck_assert_msg(doctor(options, other, NULL, NULL) == 0, "%d: %s%s", a.status, a.out, a.err);
    snprintf(text, sizeof text, "\nno problems found\nnote: %s%d%s\nnote: these servers ", what, relay.port,
             safe);
    if (_i)
        snprintf(text, sizeof text,
                 ",\"findings\":[{\"id\":\"persistence\",\"status\":0,\"server\":null,\"what\":\"%s%d: ",
                 what, relay.port);
    assert_has(a.out, _i ? "{\"status\":0," : text);
    assert_has(a.out, text);
}
END_TEST

START_TEST(doctor_reports_a_missing_run_id_of_several_servers)
{
    const char *other;

    start(3);
    other = through_relay("*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n",
                          "*2\r\n$4\r\nECHO\r\n$24\r\nuptime_in_seconds:9000\r\n\r\n");
    ck_assert_msg(doctor(none, url[0], other, url[2]) == 1, "%d: %s", a.status, a.out);
    assert_has(a.out, ": INFO shows no run_id, so redlock cannot check whether the server is listed "
                      "twice; remedy: check that each URL ");
    ck_assert_msg(doctor(none, other, NULL, NULL) == 0, "%d: %s", a.status, a.out);
}
END_TEST

START_TEST(doctor_reports_a_proxy_without_info_if_the_guard_needs_it)
{
    static const char *const guards[][2] = {{"--restart-guard=if-permitted"}, {"--restart-guard=required"}};
    const char *other;

    start(2);
    other = through_relay("*2\r\n$4\r\nINFO\r\n", "*4\r\n$4\r\nEVAL\r\n$57\r\nreturn redis.error_reply('ERR "
                                                  "unsupported command: info')\r\n$1\r\n0\r\n");
    ck_assert_msg(doctor(guards[_i], other, NULL, NULL) == (_i ? 78 : 1), "%d: %s", a.status, a.out);
    assert_has(a.out, ": it does not reply to INFO, like some proxies: ");
    assert_lacks(a.out, "the user lacks");
}
END_TEST

/* twemproxy: twitter/twemproxy src/proto/nc_redis.c:1323-1325, src/nc_core.c:336-340 at 60aaf855ba2e. */
START_TEST(doctor_reports_a_proxy_that_hangs_up_on_info)
{
    static struct fake_server proxy = {.trick = FAKE_CLOSES, .after = 1};
    char other[64];

    fake_start(&proxy);
    ck_assert_int_eq(doctor(none, fake_url(&proxy, other, sizeof other), NULL, NULL), 69);
    assert_has(a.out, ": the connection was closed before the reply to INFO (is it a "
                      "proxy?)");
    assert_has(a.out, "; remedy: check the port; if it uses TLS, its URL must begin with rediss://; if it is "
                      "a proxy, connect to the server itself\n");
    fake_stop(&proxy);
}
END_TEST

/*
 * INFO server as each product writes it: the lines that matter here, in their order, with values of ours.
 * Where a text is from: repository, path, lines and commit.
 */
static const struct {
    const char *info;
    const char *name;
    int has_run_id;
    int has_acl;
} products[] = {
    /* Snapchat/KeyDB src/server.cpp:5644-5667, :5695 at 603ebb27fb82 */
    {"# Server\r\nredis_version:6.3.4\r\nredis_mode:standalone\r\nrun_id:7\r\nuptime_in_seconds:9000\r\n"
     "availability_zone:\r\nfeatures:cluster_mget\r\n",
     "keydb 6.3.4", 1, 1},
    /* dragonflydb/dragonfly src/server/server_family.cc:2669-2703, :282 at f8eca6d0b05c */
    {"# Server\r\nredis_version:7.4.0\r\ndragonfly_version:1.2.3\r\nredis_mode:standalone\r\n"
     "uptime_in_seconds:9000\r\nexecutable:dragonfly\r\n",
     "dragonfly 1.2.3", 0, 1},
    /* microsoft/garnet libs/server/Metrics/Info/GarnetInfoMetrics.cs:58-71 at e508a41620f1 */
    {"# Server\r\ngarnet_version:1.2.3\r\nserver_name:garnet\r\nuptime_in_seconds:9000\r\nrun_id:7\r\n"
     "redis_version:7.4.3\r\nredis_mode:standalone\r\n",
     "garnet 1.2.3", 1, 1},
    /* apache/kvrocks src/server/server.cc:970-989, src/server/server.h:58 at 5fccd57c66bc */
    {"# Server\r\nversion:2.9.0\r\nkvrocks_version:2.9.0\r\nredis_version:4.0.0\r\ngit_sha1:7\r\n"
     "kvrocks_git_sha1:7\r\nredis_mode:standalone\r\nkvrocks_mode:standalone\r\nuptime_in_seconds:9000\r\n",
     "kvrocks 2.9.0", 0, 0},
};

static const char *answering_info(const char *info)
{
    static char put[600]; /* borrowed by the relay */

    snprintf(put, sizeof put, "*2\r\n$4\r\nECHO\r\n$%zu\r\n%s\r\n", strlen(info), info);
    return through_relay("*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n", put);
}

START_TEST(doctor_and_status_name_the_product)
{
    const char *other;
    char text[100], version[16], product[16];

    start(3);
    other = answering_info(products[_i].info);
    doctor(none, url[0], other, url[2]);
    snprintf(text, sizeof text, "127.0.0.1:%d: %s, master, up 2 hours, ", relay.port, products[_i].name);
    assert_has(a.out, text);
    ck_assert_int_eq(strstr(a.out, ": INFO shows no run_id, ") == NULL, products[_i].has_run_id);
    doctor(none, other, NULL, NULL);
    ck_assert_int_eq(strstr(a.out, "\nACL SETUSER ") != NULL, products[_i].has_acl);
    memset(&a, 0, sizeof a);
    command_add_all(&a,
                    (const char *const[]){"status", "--json", "--attempt=10s", "-u", other, "nightly", NULL});
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_int_eq(sscanf(products[_i].name, "%15s %15s", product, version), 2);
    snprintf(text, sizeof text, "\"product\":\"%s\",\"version\":\"%s\"", product, version);
    assert_has(a.out, text);
}
END_TEST

/* Garnet without --lua refuses EVAL and EVALSHA: libs/host/defaults.conf:213-217 at e508a41620f1. */
START_TEST(doctor_warns_of_garnet_only_if_it_runs_scripts)
{
    static const char *const renamed[] = {LIVE_WITHOUT_SCRIPTS, NULL};

    server[1].args = _i ? renamed : NULL;
    start(2);
    ck_assert_int_eq(doctor(none, answering_info(products[2].info), NULL, NULL), 1);
    ck_assert_uint_eq(command_count(a.out, ": Garnet runs scripts, which are atomic only with "
                                           "--lua-transaction-mode: without, two clients may hold a lock; "
                                           "remedy: make sure that it has --lua-transaction-mode, or start "
                                           "it without --lua\n"),
                      _i == 0);
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 1);
}
END_TEST

START_TEST(doctor_warns_of_a_msetex_that_ignores_permissions)
{
    static const char *const versions[] = {"8.4.0", "8.4.3", "8.4.4", "8.4.30", "8.3.0"};
    char info[160];

    start(2);
    snprintf(
        info, sizeof info,
        "# Server\r\nredis_version:%s\r\nredis_mode:standalone\r\nrun_id:7\r\nuptime_in_seconds:9000\r\n",
        versions[_i]);
    doctor(none, answering_info(info), NULL, NULL);
    ck_assert_uint_eq(command_count(a.out,
                                    ": its MSETEX ignores key permissions: a user can write keys that it "
                                    "may not, also locks; remedy: use Redis 8.4.4 or newer, or take MSETEX "
                                    "from all users\n"),
                      _i < 2);
}
END_TEST

/* Dragonfly with cache_mode: dragonflydb/dragonfly src/server/server_family.cc:2738-2778 at f8eca6d0b05c. */
START_TEST(doctor_warns_of_a_cache_that_deletes_keys)
{
    relay.also_find = "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n";
    relay.also_put = "*2\r\n$4\r\nECHO\r\n$59\r\n"
                     "maxmemory:99\r\ncache_mode:cache\r\nmaxmemory_policy:eviction\r\n\r\n";
    start(2);
    ck_assert_int_eq(doctor(none, answering_info(products[1].info), NULL, NULL), 1);
    assert_has(a.out,
               ": when its memory is full it deletes keys, including locks (maxmemory-policy eviction)");
}
END_TEST

/* Envoy: source/extensions/filters/network/redis_proxy/info_command_handler.cc at 3872cd739604. */
START_TEST(doctor_reports_a_proxy_that_answers_info_as_a_cluster)
{
    const char *other;

    start(2);
    other = answering_info("# Server\r\nredis_mode:cluster\r\nrun_id:7\r\nuptime_in_seconds:9000\r\n");
    ck_assert_int_eq(doctor(none, other, NULL, NULL), 78);
    assert_has(a.out,
               ": it is a node of a cluster, or a proxy like Envoy; in a cluster, a key that was moved looks "
               "like one that a failover lost; remedy: use three independent servers (cluster-enabled no), "
               "without a proxy\n");
    run_on(other, "--restart-guard=if-permitted");
    ck_assert_int_eq(a.status, 69);
    assert_has(a.err,
               ": the server is a cluster node: cluster mode is on (in a cluster, a key that was moved "
               "looks like one that a failover lost: use three independent servers)\n");
}
END_TEST

/* KeyDB with active-replica yes: Snapchat/KeyDB src/server.cpp:6096-6098 at 603ebb27fb82. */
START_TEST(an_active_replica_is_refused_by_doctor_and_by_run)
{
    const char *other;

    start(2);
    other =
        through_relay("*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n",
                      "*2\r\n$4\r\nECHO\r\n$45\r\nrole:active-replica\r\nmaster_host:192.0.2.1\r\n\r\n\r\n");
    ck_assert_msg(doctor(none, other, NULL, NULL) == 78, "%d: %s", a.status, a.out);
    assert_has(a.out, ", active-replica, up ");
    assert_has(a.out, ": it is an active replica (KeyDB): it and its master write to each "
                      "other, so both may grant a lock; remedy: use standalone servers "
                      "(replicaof no one)\n");
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 1);
    run_on(other, "--restart-guard=off");
    ck_assert_int_eq(a.status, 69);
    assert_has(a.err, "use its master\n");
}
END_TEST

static const char *const at_sentinel[] = {
    "status --attempt=5s nightly",           "list --attempt=5s",           "run -w 5 nightly -- true",
    "run -w 5 -l nightly -l weekly -- true", "acquire -w 5 nightly",        "hold -w 5 nightly </dev/zero",
    "extend --attempt=5s nightly",           "release --attempt=5s nightly"};

static void start_sentinel(const char *verb)
{
    static char script[300]; /* borrowed */

    server[0].is_sentinel = 1;
    live_start(&server[started++]);
    snprintf(script, sizeof script, "export REDLOCK_TOKEN=$(printf %%040d 7); $RDL_COMMAND %s 2>&1", verb);
    command_set_script(&a, server, 1, script);
}

START_TEST(every_other_verb_reports_a_sentinel)
{
    start_sentinel(at_sentinel[_i]);
    ck_assert_msg(command_run(&a) == 69, "%d: %s", a.status, a.out);
    assert_has(a.out, "this is a Sentinel: name the servers it watches");
    assert_lacks(a.out, "2.6.12");
}
END_TEST

START_TEST(doctor_reports_a_sentinel)
{
    start_sentinel("doctor --attempt 2s --restart-guard off nightly");
    ck_assert_msg(command_run(&a) == 78, "%d: %s", a.status, a.out);
    assert_has(a.out, ", sentinel, up ");
    expect(1, "error", 0,
           "it is a Sentinel, which holds no locks; remedy: name the servers that it watches\n");
}
END_TEST

/*
 * Plain locks need no scripts: the ACL line grants the commands that they use instead. A fencing token needs
 * scripts.
 */
START_TEST(doctor_accepts_a_server_without_scripts)
{
    static const char *const renamed[] = {LIVE_WITHOUT_SCRIPTS, NULL};
    static const char *const fence[] = {"--fence", NULL};

    server[0].args = renamed;
    start(1);
    ck_assert_int_eq(doctor(none, url[0], NULL, NULL), 1);
    expect(1, "warning", 0, "it runs no scripts: locks work without, in more round trips; ");
    assert_has(a.out, "; can release by WATCH; can extend by WATCH\n");
    assert_has(a.out, "\nACL SETUSER redlock on ~nightly ~nightly:doctor:* +set +get "
                      "+getrange +del +watch +multi +exec +discard +pttl +pexpire\n");
    live_command(&server[0], "ACL SETUSER lk on >pw ~nightly ~nightly:doctor:* +set +get +getrange +del "
                             "+multi +exec +discard +pttl +pexpire");
    snprintf(url[1], sizeof url[1], "redis://lk:pw@127.0.0.1:%d", server[0].port);
    ck_assert_int_eq(doctor(none, url[1], NULL, NULL), 77);
    expect(2, "error", 0, "the user lacks +watch +multi +exec +discard; ");
    ck_assert_int_eq(doctor(fence, url[0], NULL, NULL), 78);
    expect(1, "error", 0,
           "it does not support +eval +evalsha: they were renamed or disabled, or the server is too old; ");
}
END_TEST

/* A server that is far away, and a server with another clock. */
START_TEST(doctor_reports_a_round_trip_too_long_for_an_attempt)
{
    char far[64];

    start(1);
    relay_start(&relay, server[0].port, 150);
    snprintf(far, sizeof far, "redis://127.0.0.1:%d", relay.port);
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"doctor", "--attempt", "200ms", "-u", far, "nightly", NULL});
    ck_assert_msg(command_run(&a) == 1, "%d: %s%s", a.status, a.out, a.err);
    assert_has(a.out, ": a round trip takes 0.");
    ck_assert_msg(
        strstr(a.out, " s, an attempt waits 0.20 s: some attempts will time out; remedy: give --attempt ") !=
            NULL,
        "%s", a.out);
}
END_TEST

START_TEST(doctor_reports_a_clock_that_differs_from_the_others)
{
    char off[64], text[120];

    start(3);
    relay.find = "*1\r\n$4\r\nTIME\r\n";
    relay.put =
        "*3\r\n$4\r\nEVAL\r\n$67\r\nlocal t=redis.call('TIME')return{string.format('%.0f',t[1]-9),t[2]}\r\n"
        "$1\r\n0\r\n";
    relay.is_stubborn = 1;
    relay_start(&relay, server[1].port, 0);
    snprintf(off, sizeof off, "redis://127.0.0.1:%d", relay.port);
    ck_assert_msg(doctor(none, url[0], off, url[2]) == 1, "%d: %s", a.status, a.out);
    snprintf(text, sizeof text, "\nwarning: 127.0.0.1:%d: its clock is ", relay.port);
    assert_has(a.out, text);
    assert_has(a.out, " s behind that of 127.0.0.1:");
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 1);
}
END_TEST

/* It does not move, and the others are not measured by it. */
START_TEST(doctor_reports_a_stopped_clock)
{
    static const char *const puts[] = {"$29\r\nreturn{'1700000000','123456'}\r\n",
                                       "$56\r\nlocal t=redis.call('TIME')return{t[1],string.rep('0',6)}\r\n"};
    char put[120], text[120];

    start(3);
    snprintf(put, sizeof put, "*3\r\n$4\r\nEVAL\r\n%s$1\r\n0\r\n", puts[_i]);
    ck_assert_msg(doctor(none, url[0], through_relay("*1\r\n$4\r\nTIME\r\n", put), url[2]) == !_i, "%d: %s",
                  a.status, a.out);
    snprintf(
        text, sizeof text,
        "\nwarning: 127.0.0.1:%d: its clock has stopped: locks on it never expire; remedy: ", relay.port);
    ck_assert_msg((strstr(a.out, text) != NULL) == !_i, "%s", a.out);
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), !_i);
}
END_TEST

/* The restart guard treats it as a server that has just started. */
START_TEST(a_negative_uptime_is_reported_and_does_not_count)
{
    static const char *const guard[] = {"--restart-guard=if-permitted", NULL};
    const char *other;

    start(2);
    other =
        through_relay("*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n",
                      "*2\r\n$4\r\nECHO\r\n$46\r\nredis_version:7.0.15\r\nuptime_in_seconds:-5\r\n\r\n\r\n");
    ck_assert_msg(doctor(guard, other, NULL, NULL) == 1, "%d: %s", a.status, a.out);
    ck_assert_msg(strstr(a.out, "redis 7.0.15, master, up -5 s (its clock was set back), round trip ") !=
                      NULL,
                  "%s", a.out);
    assert_has(a.out, ": its uptime is negative, because its clock was set back: each run waits "
                      "31 s for it, as after a restart; remedy: restart it ");
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 1);
    memset(&a, 0, sizeof a);
    command_add_all(&a,
                    (const char *const[]){"status", guard[0], "--attempt=10s", "-u", other, "nightly", NULL});
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.out, ": free (redis 7.0.15, master, up -5 s (its clock was set back); restart "
                      "guard: usable in 31 s, by --max-ttl 30s)\n");
    run_on(other, guard[0]);
    ck_assert_int_eq(a.status, 69);
    ck_assert_msg(
        strstr(a.err, ": the server started 0 s ago, less than --max-ttl (30s), and may have lost locks ") !=
            NULL,
        "%s", a.err);
}
END_TEST

/* ACLs of Valkey 9.1: the refusal comes at SELECT or, if the user may not use 0, at the first command. */
START_TEST(doctor_reports_and_grants_a_forbidden_database)
{
    static const char *const finds[] = {"*2\r\n$6\r\nSELECT\r\n", "*6\r\n$3\r\nSET\r\n"};
    static const char *const puts[] = {"*4\r\n$4\r\nEVAL\r\n" DATABASE "$1\r\n0\r\n",
                                       "*8\r\n$4\r\nEVAL\r\n" DATABASE "$1\r\n0\r\n"};
    char where[80], text[120];

    start(2);
    snprintf(where, sizeof where, "%s%s", through_relay(finds[_i], puts[_i]), _i ? "" : "/3");
    ck_assert_msg(doctor(none, where, NULL, NULL) == 77, "%d: %s", a.status, a.out);
    snprintf(text, sizeof text,
             ": the user may not use database %d; remedy: paste the last line into redis-cli", _i ? 0 : 3);
    assert_has(a.out, text);
    ck_assert_uint_eq(command_count(a.out, "the user "), 1);
    assert_has(a.out, _i ? " +pexpire db=0\n" : " +pexpire +select db=3\n");
    run_on(where, "--restart-guard=off");
    ck_assert_int_eq(a.status, 77);
    snprintf(text, sizeof text, " (the user may not use database %d: grant db=%d)\n", _i ? 0 : 3, _i ? 0 : 3);
    assert_has(a.err, text);
}
END_TEST

/*
 * Redis 2.4 as a lock sees it: SET takes no options, INFO no section, and newer commands are unknown. Ancient
 * is 2.0, which has no WATCH either.
 */
static const char *start_old(int is_ancient)
{
#define OLD                                                                                                  \
    "--rename-command", "EVAL", "hidden", LIVE_WITHOUT("EVALSHA"), LIVE_WITHOUT("PTTL"), LIVE_WITHOUT("TIME")
    static const char *const old[] = {OLD, NULL};
    static const char *const ancient[] = {OLD, LIVE_WITHOUT("WATCH"), NULL};

    server[1].args = is_ancient ? ancient : old;
    start(2);
    relay.also_find = "*6\r\n$3\r\nSET\r\n";
    relay.also_put = "*6\r\n$3\r\nOLD\r\n";
    return through_relay(
        "*2\r\n$4\r\nINFO\r\n",
        "*4\r\n$6\r\nhidden\r\n$76\r\nreturn redis.error_reply(\"ERR wrong number of arguments for "
        "'info' command\")\r\n$1\r\n0\r\n");
}

static const char *const old_protocol[] = {"--legacy=always", "--legacy=auto"};

START_TEST(redis_before_2_6_works_with_the_old_protocol)
{
    const char *const options[] = {"--restart-guard=if-permitted", old_protocol[_i], "--clock-error=2s",
                                   NULL};
    const char *other = start_old(0);
    char text[500];

    ck_assert_msg(doctor(options, other, NULL, NULL) == 1, "%d: %s%s", a.status, a.out, a.err);
    snprintf(text, sizeof text,
             "127.0.0.1:%d: redis before 2.6; can release by WATCH; can extend by WATCH\n"
             "warning: 127.0.0.1:%d: it runs no scripts: locks work without, in more round trips; remedy: "
             "none; but --fence and --wake-hint need a server that runs scripts, several locks at once "
             "scripts or MSETEX\n"
             "note: these servers are on this host: other hosts do not see their locks (unless they are "
             "tunnels to common servers)\n"
             "no ACL rule: before Redis 6 every user may do everything\n",
             relay.port, relay.port);
    ck_assert_str_eq(a.out, text);
    ck_assert_str_eq(live_command(&server[1], "DBSIZE"), ":0\r\n");
}
END_TEST

START_TEST(a_server_without_time_needs_clock_error)
{
    const char *const options[] = {"--restart-guard=if-permitted", old_protocol[_i], NULL};

    ck_assert_msg(doctor(options, start_old(0), NULL, NULL) == 78, "%d: %s%s", a.status, a.out, a.err);
    ck_assert_msg(
        strstr(a.out,
               ": it does not support TIME, which the old protocol needs; remedy: give --clock-error, ") !=
            NULL,
        "%s", a.out);
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 2);
}
END_TEST

START_TEST(doctor_warns_that_redis_before_2_2_cannot_renew)
{
    const char *const options[] = {"--restart-guard=if-permitted", old_protocol[_i], "--clock-error=2s",
                                   NULL};

    ck_assert_msg(doctor(options, start_old(1), NULL, NULL) == 1, "%d: %s%s", a.status, a.out, a.err);
    assert_has(a.out, ": redis before 2.6; can release by DEL; cannot extend\n");
    assert_has(a.out, ": it supports neither scripts (since Redis 2.6) nor WATCH (since 2.2), so "
                      "no lease can be renewed: the command is stopped after one --ttl (30s); "
                      "remedy: give a --ttl that is long enough for the command\n");
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 1);
}
END_TEST

/* A server that reports its version, and is too old for ACL users. */
START_TEST(redis_before_6_gets_no_acl_line)
{
    const char *other;

    start(2);
    other =
        through_relay("*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n",
                      "*2\r\n$4\r\nECHO\r\n$47\r\nredis_version:5.0.14\r\nuptime_in_seconds:900\r\n\r\n\r\n");
    ck_assert_msg(doctor(none, other, NULL, NULL) == 0, "%d: %s", a.status, a.out);
    assert_has(a.out, "no problems found\nnote: these servers are on this host: other hosts do not see "
                      "their locks (unless they are tunnels to common servers)\nno ACL rule: before Redis "
                      "6 every user may do everything\n");
    ck_assert_msg(doctor(none, other, url[0], NULL) == 1, "%d: %s", a.status, a.out);
    assert_has(a.out, "\nACL SETUSER ");
    ck_assert_int_eq(doctor((const char *const[]){"--json", NULL}, other, NULL, NULL), 0);
    assert_has(a.out, ",\"acl\":null}\n");
}
END_TEST

START_TEST(doctor_mentions_forbidden_checks_only_with_v)
{
    static const char *const v[] = {"-v", NULL};

    start(1);
    live_command(&server[0], "ACL SETUSER default -config");
    ck_assert_int_eq(doctor(none, url[0], NULL, NULL), 0);
    ck_assert_str_eq(a.err, "");
    ck_assert_int_eq(doctor(v, url[0], NULL, NULL), 0);
    assert_has(a.err, ": appendfsync was not checked: the user may not run CONFIG GET\n");
}
END_TEST

/* All test keys are named after the lock: the longest is that of its fencing token, or of its hint. */
START_TEST(a_name_too_long_to_test_fails_with_65_and_leaves_no_key)
{
    static const struct {
        const char *options;
        int most, more; /* bytes of the name, and of the key next to it */
    } cases[] = {{"", 112, 16},
                 {"--wake-hint", 105, 23},
                 {"--fence", 104, 24},
                 {"--fence --wake-hint", 104, 24},
                 {"--once T1", 104, 24}};
    char script[200], message[160];

    start(1);
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        snprintf(script, sizeof script, "$RDL_COMMAND doctor --attempt 2s %s $(printf %%0%dd 7)",
                 cases[_i].options, cases[_i].most + is_longer);
        command_set_script(&a, server, 1, script);
        ck_assert_msg(command_run(&a) == (is_longer ? 65 : 0), "%d: %s%s", a.status, a.out, a.err);
        ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
    }
    snprintf(
        message, sizeof message,
        "redlock: the lock name has %d bytes, and the key that doctor tests has %d more: together they must "
        "have at most 128\n",
        cases[_i].most + 1, cases[_i].more);
    ck_assert_str_eq(a.err, message);
}
END_TEST

/* Each byte of such a name takes four there. */
START_TEST(the_longest_acl_line_is_complete)
{
    static const char script[] =
        "n=$(printf '%0104d' 0 | tr 0 '\\001'); d=\"$RDL_COMMAND doctor --attempt 2s --fence --wake-hint\"; "
        "$d \"$n\" | tail -n 1 >$$.text; $d --json \"$n\" | jq -r .acl >$$.json; cat $$.text; cmp $$.text "
        "$$.json; "
        "rm $$.text $$.json";

    start(1);
    command_set_script(&a, server, 1, script);
    ck_assert_msg(command_run(&a) == 0, "%s%s", a.out, a.err);
    ck_assert_uint_gt(strlen(a.out), 2048);
    assert_has(a.out, " +set +get +getrange +del +eval +evalsha +pttl +pexpire +psetex +type "
                      "+rpush +blpop\n");
}
END_TEST

/* A user name that is too long for any line. */
START_TEST(a_cut_acl_line_is_marked)
{
    static const char script[] = "u=$(printf '%05000d' 0 | sed 's/0/%01/g'); set -- $REDLOCK_URLS; export "
                                 "REDIS_URL=redis://$u:x@${1#redis://}; "
                                 "unset REDLOCK_URLS; $RDL_COMMAND doctor --attempt 2s L | tail -c 11";

    start(1);
    command_set_script(&a, server, 1, script);
    command_run(&a);
    ck_assert_str_eq(a.out, " ... (cut)\n");
}
END_TEST

START_TEST(doctor_prints_one_json_object)
{
    start(2);
    live_command(&server[1], "REPLICAOF 127.0.0.1 1");
    command_set_script(&a, server, 2,
                       "$RDL_COMMAND doctor --attempt 2s --json 'a \"b\\c' | jq -r '.status, (.servers[] |"
                       " .answers, .role, .releases[0]?), (.findings[] | .id, .status), .acl'");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_str_eq(a.out, "78\ntrue\nmaster\nscript\ntrue\nslave\nnull\nreplica\n78\neven\n1\n"
                            "ACL SETUSER redlock on \"~a?\\\"b\\\\\\\\c\" \"~a?\\\"b\\\\\\\\c:doctor:*\" "
                            "+set +get +getrange +del +eval +evalsha +pttl +pexpire\n");
}
END_TEST

Suite *suite_cli_doctor(void)
{
    Suite *suite = suite_create("cli_doctor");
    TCase *tc = suite_case(suite, "cli_doctor", setup, teardown);

    tcase_add_test(tc, doctor_accepts_healthy_servers_and_leaves_no_test_key);
    tcase_add_loop_test(tc, doctor_reports_each_problem_with_its_remedy, 0, COUNT(faults));
    tcase_add_test(tc, doctor_reports_a_cluster_node);
    tcase_add_test(tc, doctor_reports_a_duplicate_server_and_an_even_number);
    tcase_add_test(tc, doctor_reports_a_dead_server_and_checks_the_others);
    tcase_add_test(tc, doctor_reports_a_server_that_stops_replying);
    tcase_add_test(tc, doctor_reports_a_refused_login_without_the_password);
    tcase_add_test(tc, doctor_reports_until_when_a_new_server_does_not_count);
    tcase_add_test(tc, doctor_mentions_the_restart_guard_only_where_it_applies);
    tcase_add_loop_test(tc, doctor_reports_a_missing_info_right_if_the_guard_needs_it, 0, 3);
    tcase_add_loop_test(tc, what_the_restart_guard_makes_safe_is_a_note, 0, 2);
    tcase_add_test(tc, doctor_reports_a_missing_run_id_of_several_servers);
    tcase_add_loop_test(tc, doctor_reports_a_proxy_without_info_if_the_guard_needs_it, 0, 2);
    tcase_add_test(tc, doctor_reports_a_proxy_that_hangs_up_on_info);
    tcase_add_loop_test(tc, doctor_reports_a_key_that_is_not_a_canary, 0, 2);
    tcase_add_loop_test(tc, a_key_that_another_program_wrote_is_reported, 0, 2);
    tcase_add_loop_test(tc, a_canary_that_makes_the_next_run_wait_is_reported, 0, 3);
    tcase_add_test(tc, doctor_reports_a_renamed_command);
    tcase_add_loop_test(tc, doctor_reports_a_renamed_command_with_a_wake_hint, 0, 3);
    tcase_add_loop_test(tc, doctor_and_status_name_the_product, 0, COUNT(products));
    tcase_add_loop_test(tc, doctor_warns_of_garnet_only_if_it_runs_scripts, 0, 2);
    tcase_add_loop_test(tc, doctor_warns_of_a_msetex_that_ignores_permissions, 0, 5);
    tcase_add_test(tc, doctor_warns_of_a_cache_that_deletes_keys);
    tcase_add_test(tc, doctor_reports_a_proxy_that_answers_info_as_a_cluster);
    tcase_add_test(tc, an_active_replica_is_refused_by_doctor_and_by_run);
    tcase_add_test(tc, doctor_reports_a_sentinel);
    tcase_add_loop_test(tc, every_other_verb_reports_a_sentinel, 0, COUNT(at_sentinel));
    tcase_add_test(tc, doctor_accepts_a_server_without_scripts);
    tcase_add_test(tc, doctor_reports_a_round_trip_too_long_for_an_attempt);
    tcase_add_test(tc, doctor_reports_a_clock_that_differs_from_the_others);
    tcase_add_loop_test(tc, doctor_reports_a_stopped_clock, 0, 2);
    tcase_add_test(tc, a_negative_uptime_is_reported_and_does_not_count);
    tcase_add_loop_test(tc, doctor_reports_and_grants_a_forbidden_database, 0, 2);
    tcase_add_loop_test(tc, redis_before_2_6_works_with_the_old_protocol, 0, 2);
    tcase_add_loop_test(tc, a_server_without_time_needs_clock_error, 0, 2);
    tcase_add_loop_test(tc, doctor_warns_that_redis_before_2_2_cannot_renew, 0, 2);
    tcase_add_test(tc, redis_before_6_gets_no_acl_line);
    tcase_add_test(tc, doctor_mentions_forbidden_checks_only_with_v);
    tcase_add_loop_test(tc, a_name_too_long_to_test_fails_with_65_and_leaves_no_key, 0, 5);
    tcase_add_test(tc, the_longest_acl_line_is_complete);
    tcase_add_test(tc, a_cut_acl_line_is_marked);
    tcase_add_test(tc, doctor_prints_one_json_object);
    return suite;
}
