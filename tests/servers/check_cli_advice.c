/* SPDX-License-Identifier: MIT */
/* What doctor, status, list and break advise: it follows from the words of the server that refuses. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define ID    "98f34076"

static struct live_server server;
static struct fake_server fake;
static struct command a;
static int held_fd; /* a connection to the server; 0: none */
static char url[LIVE_PATH_MAX + 40];

static void setup(void)
{
    memset(&server, 0, sizeof server);
    memset(&fake, 0, sizeof fake);
    held_fd = 0;
}

static void teardown(void)
{
    if (held_fd != 0)
        close(held_fd);
    live_remove(&server);
}

static void start(void)
{
    live_start(&server);
    live_log(&server);
    live_url(&server, LIVE_V4, url, sizeof url);
}

/* redlock VERB --restart-guard=off OPTIONS... -u URL LOCK */
static int run(const char *verb, const char *const options[], const char *where, const char *lock)
{
    int tries = 0;

    do { /* doctor waits 1 s for each reply: again if that was too short */
        memset(&a, 0, sizeof a);
        command_add_all(&a, (const char *const[]){verb, "--restart-guard=off", NULL});
        command_add_all(&a, options);
        command_add_all(&a, (const char *const[]){"-u", where, lock, NULL});
        command_run(&a);
    } while (strstr(a.out, "timed out") != NULL && ++tries < 3);
    return a.status;
}

static const char *const none[] = {NULL}, *const json[] = {"--json", NULL};

/* ---------------------------------------------------------------- servers that refuse */

/* Sends it over a connection that stays open. */
static void send_and_stay(const char *text)
{
    held_fd = live_connect(&server);
    ck_assert_int_eq(write(held_fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void keep_busy(void)
{
    live_command(&server, "CONFIG SET lua-time-limit 1");
    send_and_stay("EVAL \"while true do end\" 0\r\n");
    live_await(&server, "PING", "-BUSY ");
}

static void use_all_connections(void)
{
    send_and_stay("CONFIG SET maxclients 1\r\n");
    live_await(&server, "PING", "max number of clients");
}

static void fill_memory(void)
{
    live_command(&server, "CONFIG SET maxmemory 1");
}

/* The snapshot cannot be renamed to the name of a folder. */
static void lose_disk(void)
{
    char path[LIVE_PATH_MAX + 16];

    live_command(&server, "CONFIG SET save \"3600 1\"");
    snprintf(path, sizeof path, "%s/dump.rdb", server.dir);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    live_command(&server, "BGSAVE");
    live_await(&server, "INFO persistence", "rdb_last_bgsave_status:err");
    ck_assert_int_eq(rmdir(path), 0);
}

static void lose_replicas(void)
{
    live_command(&server, "CONFIG SET min-replicas-to-write 1");
}

static const struct {
    void (*begin)(void);
    const char *what, *remedy;
} faults[] = {
    {keep_busy, "the server is busy running a script: BUSY ",
     "wait until the script ends, or end it by SCRIPT KILL"},
    {use_all_connections, "the server replied with an error: ERR max number of clients",
     "close connections to it, or raise its maxclients"},
    {fill_memory, "the server is out of memory (maxmemory): OOM ",
     "raise its maxmemory, or delete what fills it"},
    {lose_disk, "the server cannot save its data and refuses writes: MISCONF ",
     "repair what its log says about saving, such as a full disk"},
    {lose_replicas, "the server replied with an error: NOREPLICAS ",
     "connect its replicas again, or set min-replicas-to-write 0"},
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

/* Over TCP and over a unix socket. A server without memory can still release. */
START_TEST(doctor_advises_what_the_servers_words_say)
{
    char what[200], remedy[200];

    start();
    faults[_i % FAULTS].begin();
    live_url(&server, _i < FAULTS ? LIVE_V4 : LIVE_UNIX, url, sizeof url);
    ck_assert_int_eq(run("doctor", none, url, "nightly"), 69);
    snprintf(what, sizeof what, ": it grants no locks now: %s", faults[_i % FAULTS].what);
    snprintf(remedy, sizeof remedy, "; remedy: %s\n", faults[_i % FAULTS].remedy);
    assert_has(a.out, what);
    assert_has(a.out, remedy);
    assert_lacks(a.out, "cannot release");
    ck_assert_uint_eq(command_count(a.out, "; remedy: "), 1);
    ck_assert_int_eq(run("doctor", json, url, "nightly"), 69);
    snprintf(remedy, sizeof remedy, "\"remedy\":\"%s\"", faults[_i % FAULTS].remedy);
    assert_has(a.out, "\"id\":\"refused\"");
    assert_has(a.out, remedy);
    assert_lacks(a.out, "\"releases\"");
    assert_lacks(a.out, "\"extends\"");
}
END_TEST

/* What is hard to bring about in a real server. */
static const struct {
    const char *reply;
    int status;
    const char *remedy;
} refusals[] = {
    {"-LOADING Redis is loading the dataset in memory\r\n", 69, "wait until it has loaded its data"},
    {"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n", 69,
     "it is a replica: name its master"},
    {"-BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.\r\n", 69,
     "wait until the function ends, or end it by FUNCTION KILL"},
    {"-BUSY Redis is busy running a module command.\r\n", 69, "wait until that command ends"},
    {"-CLUSTERDOWN Hash slot not served\r\n", 69, "use standalone servers (cluster-enabled no)"},
    {"-ERR upstream failure\r\n", 69, "see its log"},
    {"-DENIED Redis is running in protected mode because protected mode is enabled\r\n", 77,
     "set a password there; without one it accepts only its own host"},
};

START_TEST(doctor_never_says_that_a_server_which_replied_is_down)
{
    char where[64], remedy[120], replies[400] = "";

    for (int k = 0; k < 3; k++) /* to CLIENT SETNAME, and to INFO */
        strcat(replies, refusals[_i].reply);
    fake.trick = FAKE_ANSWERS;
    fake.text = replies;
    fake.after = 1;
    fake_start(&fake);
    ck_assert_int_eq(run("doctor", none, fake_url(&fake, where, sizeof where), "nightly"),
                     refusals[_i].status);
    snprintf(remedy, sizeof remedy, "; remedy: %s\n", refusals[_i].remedy);
    assert_has(a.out, remedy);
    fake_stop(&fake);
}
END_TEST

START_TEST(doctor_knows_a_cluster_node_by_its_databases)
{
    static const char *const cluster[] = {"--cluster-enabled", "yes", NULL};

    server.args = cluster;
    live_start(&server);
    live_url(&server, LIVE_V4, url, sizeof url);
    strcat(url, "/1");
    ck_assert_int_eq(run("doctor", none, url, "nightly"), 78);
    assert_has(a.out,
               ": it is a node of a cluster, or a proxy like Envoy; in a cluster, a key that was moved "
               "looks like one that a failover lost; remedy: use three independent ");
    assert_lacks(a.out, "number of a database");
}
END_TEST

/* Only a missing permission is the user's. */
START_TEST(break_advises_what_the_servers_words_say)
{
    static const char *const id[] = {"--attempt=10s", "--held-by", ID, NULL};

    start();
    live_command(&server, "SET nightly " TOKEN " PX 600000");
    if (_i == 0)
        lose_disk();
    else
        live_command(&server, "ACL SETUSER default -del");
    ck_assert_int_eq(run("break", id, url, "nightly"), 69);
    assert_has(a.err, _i == 0 ? "): repair what its log says about saving, such as a full disk\n"
                              : "): redlock doctor prints what the user needs\n");
}
END_TEST

/* A refused login, and a refused SCAN. */
START_TEST(list_advises_what_the_servers_words_say)
{
    static const char *const patient[] = {"--attempt=10s", NULL};

    start();
    live_command(&server, "%s", _i == 0 ? "CONFIG SET requirepass secret" : "ACL SETUSER default -scan");
    ck_assert_int_eq(run("list", patient, url, "nig"), 77);
    assert_has(a.err, _i == 0
                          ? "which is not a majority (the server needs a password: set $REDLOCK_PASSWORD, or "
                          : "which is not a majority (the user needs +scan +getrange +pttl)\n");
    ck_assert_uint_eq(command_count(a.err, "+scan"), (size_t)_i);
}
END_TEST

/* ---------------------------------------------------------------- keys of a wrong type */

#define COUNTER                                                                                              \
    "; remedy: find out which program wrote it, then SET it to a number above all tokens that were used\n"

static const struct {
    const char *command, *options[5];
    int status;
    const char *what;
} keys[] = {
    /* clang-format off */
    {"LPUSH {nightly}:fence 1", {"--fence"}, 78,
     ": its key {nightly}:fence is not a number, which --fence needs: no client gets the lock" COUNTER},
    {"SET {nightly}:fence 12x", {"--fence"}, 78,
     ": its key {nightly}:fence is not a number, which --fence needs: no client gets the lock" COUNTER},
    {"SET {nightly}:fence 9007199254740991", {"--fence"}, 0, ""},
    {"LPUSH {nightly}:fence 1", {NULL}, 0, ""},
    {"SET {nightly}:wake 1", {"--wake-hint"}, 1,
     ": its key {nightly}:wake is not a list, which --wake-hint needs: no client is woken; remedy: find out "
     "which program wrote it, then DEL it\n"},
    {"SADD {nightly}:wake 1", {"--wake-hint"}, 1, ": its key {nightly}:wake is not a list, "},
    {"RPUSH {nightly}:wake 1", {"--wake-hint"}, 0, ""},
    {"LPUSH nightly 1", {"--legacy=always"}, 78, ": its key nightly is not a string, which a lock is: "},
    {"SADD weekly 1", {"-l", "weekly", "-l", "nightly"}, 78,
     ": its key weekly is not a string, which a lock is: no client gets the lock; remedy: find out which "
     "program wrote it, then DEL it\n"},
    /* clang-format on */
};

START_TEST(doctor_names_a_key_of_a_wrong_type)
{
    const char *options[7] = {NULL};
    size_t n = 0;

    start();
    live_command(&server, "%s", keys[_i].command);
    for (; n < 5 && keys[_i].options[n] != NULL; n++)
        options[n] = keys[_i].options[n];
    const char *lock = n == 4 ? NULL : "nightly";
    ck_assert_msg(run("doctor", options, url, lock) == keys[_i].status, "%d: %s%s", a.status, a.out, a.err);
    assert_has(a.out, keys[_i].what);
    ck_assert_uint_eq(command_count(a.out, "its key "), keys[_i].status != 0);
    options[n] = "--json";
    ck_assert_int_eq(run("doctor", options, url, lock), keys[_i].status);
    ck_assert_uint_eq(command_count(a.out, "\"id\":\"key\""), keys[_i].status != 0);
}
END_TEST

START_TEST(run_names_the_keys_that_fence_needs)
{
    static const char *const fence[] = {"-n", "--attempt=5s", "--fence", NULL};

    start();
    live_command(&server, "LPUSH {nightly}:fence 1");
    memset(&a, 0, sizeof a);
    command_set(&a, fence, &server, 1, "nightly", "true");
    command_setenv(&a, "REDLOCK_RESTART_GUARD=off");
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.err,
               " (--fence needs strings at nightly and {nightly}:fence: redlock doctor --fence says which "
               "one is not)\n");
}
END_TEST

/* A later token would be smaller than one that a resource has seen. */
START_TEST(no_verb_advises_to_delete_a_fencing_counter)
{
    static const char *const commands[] = {"SET {nightly}:fence 41", "SET {nightly}:fence 1795000000",
                                           "LPUSH {nightly}:fence 1"};
    static const char *const verbs[] = {"status", "break", "doctor", "run"};

    start();
    live_command(&server, "%s", commands[_i % 3]);
    memset(&a, 0, sizeof a);
    command_add_all(
        &a, (const char *const[]){verbs[_i / 3], "--restart-guard=off", "--attempt=5s", "-u", url, NULL});
    if (_i / 3 == 3)
        command_add_all(&a, (const char *const[]){"-n", "{nightly}:fence", "true", NULL});
    else
        command_add(&a, "{nightly}:fence");
    command_run(&a);
    assert_lacks(a.out, "DEL it");
    assert_lacks(a.err, "DEL it");
    assert_lacks(a.err, "delete it");
    if (_i / 3 == 0)
        ck_assert_int_eq(a.status, 1);
    if (_i == 0 || _i == 2)
        assert_has(a.out, ", never expires: it is a fencing counter, which must stay\n");
}
END_TEST

Suite *suite_cli_advice(void)
{
    Suite *suite = suite_create("cli_advice");
    TCase *tc = suite_case(suite, "cli_advice", setup, teardown);

    tcase_add_loop_test(tc, doctor_advises_what_the_servers_words_say, 0, 2 * FAULTS);
    tcase_add_loop_test(tc, doctor_never_says_that_a_server_which_replied_is_down, 0, COUNT(refusals));
    tcase_add_test(tc, doctor_knows_a_cluster_node_by_its_databases);
    tcase_add_loop_test(tc, break_advises_what_the_servers_words_say, 0, 2);
    tcase_add_loop_test(tc, list_advises_what_the_servers_words_say, 0, 2);
    tcase_add_loop_test(tc, doctor_names_a_key_of_a_wrong_type, 0, COUNT(keys));
    tcase_add_test(tc, run_names_the_keys_that_fence_needs);
    tcase_add_loop_test(tc, no_verb_advises_to_delete_a_fencing_counter, 0, 12);
    return suite;
}
