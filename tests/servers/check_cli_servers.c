/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/output/messages.h"
#include "redlock/cli/verbs/verbs.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3 };

#define NO_HOST "redis://nowhere.invalid" /* in this program that name fails without a name server */

static struct live_server server[N];
static struct command c;
static char url[N + 1][LIVE_PATH_MAX + 32];

static void start(void)
{
    for (int i = 0; i < N; i++) {
        live_start(&server[i]);
        live_url(&server[i], LIVE_V4, url[i], sizeof url[i]);
    }
}

static void stop(void)
{
    live_remove_all(server, N);
}

/* As main() does it. */
static int redlock(int argc, char **argv)
{
    static const struct {
        const char *word;
        int (*obey)(int argc, char **argv);
    } verbs[] = {{"run", rdl_cli_run},         {"acquire", rdl_cli_acquire}, {"extend", rdl_cli_extend},
                 {"release", rdl_cli_release}, {"hold", rdl_cli_hold},       {"status", rdl_cli_status},
                 {"list", rdl_cli_list}};
    int in[2], i = 0;

    if (pipe(in) != 0 || dup2(in[0], STDIN_FILENO) < 0) /* it does not end before the test */
        return 127;
    while (strcmp(argv[1], verbs[i].word) != 0)
        i++;
    int status = verbs[i].obey(argc - 2, argv + 2);
    rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
    return status;
}

static int run(const char *a, const char *b, const char *third)
{
    const char *urls[] = {a, b, third};
    int is_host_unknown = strcmp(a, NO_HOST) == 0 || (b != NULL && strcmp(b, NO_HOST) == 0);
    memset(&c, 0, sizeof c);
    c.inside = is_host_unknown ? redlock : NULL;
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", NULL});
    for (int i = 0; i < 3 && urls[i] != NULL; i++)
        command_add_all(&c, (const char *const[]){"-u", urls[i], NULL});
    command_add_all(&c, (const char *const[]){"nightly", "true", NULL});
    return command_run(&c);
}

START_TEST(an_unknown_host_fails_with_68_and_is_named)
{
    ck_assert_int_eq(run(NO_HOST, NULL, NULL), 68);
    assert_has(c.err, "no address for nowhere.invalid");
    ck_assert_int_eq(run(NO_HOST, url[0], NO_HOST ":2"), 68);
}
END_TEST

START_TEST(an_unknown_host_fails_with_68_for_every_verb)
{
    static const char *const verbs[] = {"acquire", "extend", "release", "hold", "status", "list"};

    memset(&c, 0, sizeof c);
    c.inside = redlock;
    command_setenv(&c, "REDLOCK_TOKEN=0123456789012345678901234567890123456789");
    command_add_all(&c, (const char *const[]){verbs[_i], "-u", NO_HOST, "nightly", NULL});
    ck_assert_int_eq(command_run(&c), 68);
    ck_assert_str_eq(c.out, "");
}
END_TEST

START_TEST(one_unknown_host_of_three_counts_as_down)
{
    ck_assert_int_eq(run(url[0], NO_HOST, url[1]), 0);
    assert_has(c.err, "; counted as down (1 of 3 servers)");
    live_kill(&server[1]);
    ck_assert_int_eq(run(url[0], NO_HOST, url[1]), 69);
    assert_has(c.err, "no address");
}
END_TEST

START_TEST(a_name_connects_to_the_address_that_listens)
{
    static const char *const v4_only[] = {"--bind", "127.0.0.1", NULL};
    struct live_server s = {.args = v4_only};
    live_start(&s);
    snprintf(url[N], sizeof url[N], "redis://localhost:%d", s.port);
    ck_assert_int_eq(run(url[N], NULL, NULL), 0);
    ck_assert_str_eq(c.err, "");
    live_remove(&s);
}
END_TEST

START_TEST(every_kind_of_address_works)
{
    char v6[64], path[LIVE_PATH_MAX + 32], db[LIVE_PATH_MAX + 40];
    live_url(&server[1], LIVE_V6, v6, sizeof v6);
    live_url(&server[2], LIVE_UNIX, path, sizeof path);
    snprintf(db, sizeof db, "%s/3", url[0]);
    snprintf(v6 + strlen(v6), sizeof v6 - strlen(v6), "/3");
    snprintf(path + strlen(path), sizeof path - strlen(path), "?db=3");
    ck_assert_int_eq(run(db, v6, path), 0);
    ck_assert_str_eq(c.err, "");
}
END_TEST

START_TEST(one_server_under_two_urls_fails_with_65)
{
    char again[LIVE_PATH_MAX + 40];
    snprintf(again, sizeof again, "%s/5", url[0]);
    ck_assert_int_eq(run(url[0], url[1], again), 65);
    assert_has(c.err, "number 1 and number 3");
    ck_assert_int_eq(run("unix:///nosuch/a", "unix:///nosuch/b", "unix:///nosuch/b?db=1"), 65);
    assert_has(c.err, "number 2 and number 3");
}
END_TEST

START_TEST(a_bad_url_fails_with_65_and_is_not_printed)
{
    static const char *const bad[] = {"",
                                      "http://h",
                                      "redis://",
                                      "redis://s3same@h",
                                      "redis://:s3same@h:x",
                                      "redis://:s3same@h:70000",
                                      "redis://:s3same@h/x",
                                      "unix://relative"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(run(bad[i], NULL, NULL) == 65, "\"%s\": %d", bad[i], c.status);
        assert_lacks(c.err, "s3same");
        assert_has(c.err, "redlock: -u number 1: ");
    }
}
END_TEST

/* The input is never printed: each of these URLs holds a password. */
START_TEST(a_mistake_in_a_url_is_explained_with_an_example)
{
#define IN_QUOTES "redlock: -u number 1: the URL is in quotes: remove them ("
#define NO_SCHEME "redlock: -u number 1: the URL must begin with redis:// ("
#define COMMA                                                                                                \
    "redlock: -u number 1: a comma separates URLs: use spaces in $REDLOCK_URLS, and a -u for each on the "   \
    "command line ("
#define BRACKETS "redlock: -u number 1: put the IPv6 address in brackets: [2001:db8::1] ("
    static const char *const cases[][2] = {
        {"'redis://:s3same@h'", IN_QUOTES},
        {"\"redis://:s3same@h\"", IN_QUOTES},
        {"redis://:s3same@h\"", IN_QUOTES},
        {"\xe2\x80\x9credis://:s3same@h\xe2\x80\x9d", IN_QUOTES},
        {"s3same:6379", NO_SCHEME},
        {"s3same", NO_SCHEME},
        {":s3same@h:6379", NO_SCHEME},
        {"tcp://:s3same@h:6379", "redlock: -u number 1: the URL must begin with redis://, not with tcp:// ("},
        {"redis://:s3same@h,redis://:s3same@i", COMMA},
        {"redis://:s3same@h:6379,valkeys://i", COMMA},
        {"redis://:s3same@::1", BRACKETS},
        {"redis://:s3same@::1:6379/2", BRACKETS},
        {"redis://2001:db8::53a", BRACKETS},
        {"::1", BRACKETS},
        {"redis://:s3same@h,i,k:6379",
         "redlock: -u number 1: the host is neither an IPv4 address nor a host"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_int_eq(run(cases[i][0], NULL, NULL), 65);
        ck_assert_msg(strstr(c.err, cases[i][1]) != NULL, "%s: %s", cases[i][0], c.err);
        assert_lacks(c.err, "s3same");
    }
}
END_TEST

/* As other clients of Valkey write them. */
START_TEST(valkey_urls_mean_the_same_as_redis_urls)
{
    /* With a socket as its input bash reads ~/.bashrc, as if rshd had started it: that may take long. */
    static const char relay[] = "bash --norc -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & cat >&3'";
    char valkey[64], valkeys[64];

    snprintf(valkey, sizeof valkey, "valkey://127.0.0.1:%d/0", server[0].port);
    snprintf(valkeys, sizeof valkeys, "valkeys://127.0.0.1:%d", server[1].port);
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "--attempt=5s", "--connect-command", relay, "-u", valkey,
                                              "-u", valkeys, "nightly", "true", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, "");
    ck_assert_int_eq(run(valkeys, NULL, NULL), 64); /* --connect-command is missing */
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "valkey://:s3same@h", "true", NULL});
    ck_assert_int_eq(command_run(&c), 64);
    assert_has(c.err, "looks like the URL of a server");
}
END_TEST

/* From a file that set a variable, or from an editor. */
START_TEST(one_line_end_after_a_url_is_ignored)
{
    static const char *const ends[] = {"\n", "\r\n"}, *const bad[] = {"\n\n", "\r\n\r\n", "\t\n", " "};
    char text[LIVE_PATH_MAX + 40], variable[LIVE_PATH_MAX + 60];

    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s", url[0], ends[i]);
        ck_assert_msg(run(text, NULL, NULL) == 0, "%s", c.err);
        memset(&c, 0, sizeof c);
        snprintf(variable, sizeof variable, "REDIS_URL=%s", text);
        command_setenv(&c, variable);
        command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "nightly", "true", NULL});
        ck_assert_msg(command_run(&c) == 0, "%s", c.err);
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s%s", url[0], bad[i]);
        ck_assert_int_eq(run(text, NULL, NULL), 65);
    }
}
END_TEST

START_TEST(a_bad_url_is_reported_with_its_source)
{
    static const struct {
        const char *variable, *text;
    } cases[] = {
        {"REDIS_URL=redis://", "redlock: $REDIS_URL: the host is missing ("},
        {"REDLOCK_URLS=redis://", "redlock: $REDLOCK_URLS: the host is missing ("},
        {"REDLOCK_URLS=redis://127.0.0.1 redis://:@h", "redlock: $REDLOCK_URLS number 2: only a : "},
        {"REDLOCK_URLS=redis://127.0.0.1 redis://127.0.0.1/2",
         "redlock: $REDLOCK_URLS number 1 and number 2 are the same server"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&c, 0, sizeof c);
        command_setenv(&c, cases[i].variable);
        command_add_all(&c, (const char *const[]){"run", "-n", "nightly", "true", NULL});
        ck_assert_int_eq(command_run(&c), 65);
        assert_has(c.err, cases[i].text);
    }
}
END_TEST

START_TEST(an_empty_url_variable_fails_with_65)
{
    static const struct {
        const char *urls, *url, *text;
    } cases[] = {
        {"REDLOCK_URLS=", NULL, "redlock: $REDLOCK_URLS is set but empty: "},
        {"REDLOCK_URLS= \t\n", NULL, "redlock: $REDLOCK_URLS is set but empty: "},
        {"REDLOCK_URLS=", "REDIS_URL=redis://127.0.0.1:1", "redlock: $REDLOCK_URLS is set but empty: "},
        {NULL, "REDIS_URL=", "redlock: $REDIS_URL is set but empty: "},
        {NULL, "REDIS_URL= \r\n", "redlock: $REDIS_URL is set but empty: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int named = 0; named < 2; named++) {
            memset(&c, 0, sizeof c);
            if (cases[i].urls != NULL)
                command_setenv(&c, cases[i].urls);
            if (cases[i].url != NULL)
                command_setenv(&c, cases[i].url);
            command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", NULL});
            if (named)
                command_add_all(&c, (const char *const[]){"-u", url[0], NULL});
            command_add_all(&c, (const char *const[]){"nightly", "true", NULL});
            ck_assert_int_eq(command_run(&c), named ? 0 : 65);
            ck_assert_msg((strstr(c.err, cases[i].text) != NULL) == !named, "%s", c.err);
        }
}
END_TEST

static const char local_warning[] =
    "redlock: warning: no server was named (-u, $REDLOCK_URLS, $REDIS_URL): using "
    "127.0.0.1:6379, so the lock holds on this host only; ";

/* A run sets $REDLOCK_URLS for its command: without it, an inner lock would be on another server. */
START_TEST(the_default_server_is_refused_inside_a_run)
{
    memset(&c, 0, sizeof c);
    command_setenv(&c, "REDLOCK_LOCK=outer");
    command_add_all(&c, (const char *const[]){"run", "-n", "inner", "true", NULL});
    ck_assert_int_eq(command_run(&c), 65);
    assert_has(c.err, "redlock: no server is named inside `redlock run outer`, which sets ");
}
END_TEST

/* Other hosts have another server at this address. -u says that this is meant. */
START_TEST(a_variable_that_names_this_host_alone_is_a_warning)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost", "0.0.0.0", "[::1]"};
    char variable[2][80], where[80];
    int port = server[0].port;

    for (int i = 0; i < COUNT(hosts); i++) {
        snprintf(variable[0], sizeof variable[0], "REDIS_URL=redis://%s:%d", hosts[i], port);
        snprintf(variable[1], sizeof variable[1], "REDLOCK_URLS=redis://%s:%d", hosts[i], port);
        for (int k = 0; k < 4; k++) {
            snprintf(where, sizeof where,
                     "warning: %s names this host alone (%s:%d): other hosts do not see its ",
                     k < 2 ? "$REDIS_URL" : "$REDLOCK_URLS", hosts[i], port);
            memset(&c, 0, sizeof c);
            c.is_own_host_shown = 1;
            command_setenv(&c, variable[k / 2]);
            command_add_all(&c, (const char *const[]){"run", k % 2 == 0 ? "-n" : "-qn", "--attempt=5s",
                                                      "nightly", "true", NULL});
            ck_assert_msg(command_run(&c) == 0, "%s", c.err);
            ck_assert_msg((strstr(c.err, where) != NULL) == (k < 3), "%s: %s", where, c.err);
        }
    }
    ck_assert_int_eq(run(url[0], NULL, NULL), 0);
    assert_lacks(c.err, "this host");
}
END_TEST

/* Other hosts reach another server there, so two may each get a majority. */
START_TEST(an_address_of_this_host_in_a_list_is_a_warning)
{
    static const char *const hosts[] = {"127.0.0.1", "0.0.0.0", "[::1]", "[::]"};
    char urls[120], text[120];

    for (int i = 0; i < COUNT(hosts); i++) {
        snprintf(urls, sizeof urls, "REDLOCK_URLS=redis://192.0.2.1:1 redis://%s:1 redis://192.0.2.2:1",
                 hosts[i]);
        memset(&c, 0, sizeof c);
        command_setenv(&c, urls);
        command_add_all(&c, (const char *const[]){"run", "-qn", "--attempt=1s", "nightly", "true", NULL});
        ck_assert_int_eq(command_run(&c), 69);
        snprintf(text, sizeof text,
                 "redlock: warning: %s:1 is on this host, unless it is a tunnel: other hosts reach a "
                 "different server at this address, ",
                 hosts[i]);
        assert_has(c.err, text);
        ck_assert_uint_eq(command_count(c.err, " is on this host"), 1);
    }
}
END_TEST

/* The database is part of where a lock is. */
START_TEST(messages_name_the_database)
{
    char second[LIVE_PATH_MAX + 60], text[LIVE_PATH_MAX + 80];

    for (int i = 0; i < 2; i++) {
        if (i == 0)
            snprintf(second, sizeof second, "redis://127.0.0.1:%d/1", server[0].port);
        else
            snprintf(second, sizeof second, "unix://%s?db=1", server[0].socket);
        memset(&c, 0, sizeof c);
        command_add_all(&c, (const char *const[]){"status", "--attempt=10s", "-u", second, "nightly", NULL});
        ck_assert_int_eq(command_run(&c), 0);
        snprintf(text, sizeof text, "nightly at %s: free (",
                 second + (i == 0 ? strlen("redis://") : strlen("unix://")));
        ck_assert_msg(strncmp(c.out, text, strlen(text)) == 0, "%s", c.out);
    }
}
END_TEST

/* The doctor prints them on standard output, in lines and as JSON. */
START_TEST(every_verb_reports_different_databases)
{
    static const char *const verbs[][3] = {{"run", "nightly", "true"},
                                           {"status", "nightly"},
                                           {"list"},
                                           {"break", "nightly"},
                                           {"doctor"},
                                           {"doctor"}};
    static const char text[] = "the URLs of the servers have different databases (0 and 1): a lock is in the "
                               "database that its URL names";
    char second[60];

    snprintf(second, sizeof second, "redis://127.0.0.1:%d/1", server[1].port);
    for (int i = 0; i < 6; i++) {
        int is_doctor = i >= 4;
        memset(&c, 0, sizeof c);
        command_add_all(&c, (const char *const[]){verbs[i][0], "--attempt=5s", "-u", url[0], "-u", second,
                                                  i == 5 ? "--json" : verbs[i][1], verbs[i][2], NULL});
        command_run(&c);
        ck_assert_msg(strstr(is_doctor ? c.out : c.err, text) != NULL, "%s: %s%s", verbs[i][0], c.out, c.err);
        if (is_doctor)
            assert_lacks(c.err, text);
    }
    assert_has(c.out, "\"id\":\"databases\",\"status\":1,");
}
END_TEST

/* What an inner redlock reads has no password, keeps the user, and leads to the same servers. */
START_TEST(the_command_gets_the_urls_of_the_servers)
{
    char socket[LIVE_PATH_MAX + 60], six[80], all[LIVE_PATH_MAX + 200];

    snprintf(socket, sizeof socket, "unix://%s?db=2", server[0].socket);
    snprintf(six, sizeof six, "valkey://default:@[::1]:%d/2", server[1].port);
    snprintf(all, sizeof all, "unix://%s?db=2 redis://default:@[::1]:%d/2\n", server[0].socket,
             server[1].port);
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "-u", socket, "-u", six, "nightly",
                                              "-c", "echo $REDLOCK_URLS", NULL});
    ck_assert_msg(command_run(&c) == 0, "%s", c.err);
    ck_assert_str_eq(c.out, all);
}
END_TEST

/* Whether a server listens there or not. */
START_TEST(the_default_server_is_a_warning_even_with_q)
{
    static const char *const verbs[] = {"run", "acquire", "hold"};

    for (size_t i = 0; i < 3; i++) {
        memset(&c, 0, sizeof c);
        command_add_all(&c, (const char *const[]){verbs[i], "-nq", "--log=text", "--log-fd=2",
                                                  "no-such-lock-1", i == 0 ? "true" : NULL, NULL});
        command_run(&c);
        ck_assert_msg(strstr(c.err, local_warning) != NULL, "%s: %s", verbs[i], c.err);
        ck_assert_msg(strstr(c.err, " default_server lock=\"no-such-lock-1\" where=\"127.0.0.1:6379\"\n") !=
                          NULL,
                      "%s: %s", verbs[i], c.err);
    }
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-n", "-u", "redis://127.0.0.1:6379", "no-such-lock-1",
                                              "true", NULL});
    command_run(&c);
    assert_lacks(c.err, "no server was named");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"status", "no-such-lock-1", NULL});
    command_run(&c);
    assert_lacks(c.err, "no server was named");
}
END_TEST

/*
 * Another client may hold a lease of 30 s: a restarted server counts only after that, even if our own is
 * short.
 */
START_TEST(a_short_ttl_does_not_shorten_the_default_max_ttl)
{
    static const struct {
        const char *ttl, *keep;
        unsigned least, most;
    } cases[] = {{"--ttl=4s", NULL, 28, 31}, {"--ttl=1m", NULL, 58, 61}, {"--ttl=4s", "--keep=40s", 38, 41}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char words[] = "it can be used in ";
        memset(&c, 0, sizeof c);
        command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=1s", "--restart-guard=strict", "-u",
                                                  url[0], cases[i].ttl, NULL});
        if (cases[i].keep != NULL)
            command_add_all(&c, (const char *const[]){cases[i].keep, NULL});
        command_add_all(&c, (const char *const[]){"nightly", "true", NULL});
        ck_assert_int_eq(command_run(&c), 69);
        const char *at = strstr(c.err, words);
        ck_assert_msg(at != NULL, "%s", c.err);
        unsigned long seconds = strtoul(at + sizeof words - 1, NULL, 10);
        ck_assert_msg(seconds >= cases[i].least && seconds <= cases[i].most, "%s", c.err);
    }
}
END_TEST

START_TEST(a_lease_above_the_default_max_ttl_is_a_warning)
{
    static const struct {
        const char *option, *max_ttl, *text;
    } cases[] = {
        {"--ttl=1m", NULL, "redlock: warning: --ttl (60s) is longer than 30s: give all clients --max-ttl="},
        {"--keep=2m", NULL, "redlock: warning: --keep (2m) is longer than 30s: give all clients --max-ttl="},
        {"--ttl=1m", "--max-ttl=1m", NULL},
        {"--ttl=30s", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&c, 0, sizeof c);
        command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "--restart-guard=off", "-u",
                                                  url[0], cases[i].option, NULL});
        if (cases[i].max_ttl != NULL)
            command_add_all(&c, (const char *const[]){cases[i].max_ttl, NULL});
        command_add_all(&c, (const char *const[]){i == 1 ? "kept" : "nightly", "true", NULL});
        ck_assert_int_eq(command_run(&c), 0);
        if (cases[i].text != NULL)
            assert_has(c.err, cases[i].text);
        else
            ck_assert_str_eq(c.err, "");
    }
}
END_TEST

START_TEST(client_list_shows_verb_host_and_pid)
{
    char host[256] = "", name[300];

    live_command(&server[0], "SET nightly somebody PX 600000");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"acquire", "-u", url[0], "nightly", NULL});
    command_start(&c);
    ck_assert_int_eq(gethostname(host, sizeof host - 1), 0);
    snprintf(name, sizeof name, " name=redlock:acquire:%s:%d ", host, (int)c.pid);
    live_await(&server[0], "CLIENT LIST", name);
    kill(c.pid, SIGTERM);
    command_end(&c);
}
END_TEST

/* The refusal changes nothing, and the name takes no extra round trip: it is sent together with INFO. */
START_TEST(a_user_without_client_setname_gets_the_lock)
{
    char user[80];
    const char *at;

    live_command(&server[0], "ACL SETUSER eve on >secret ~* +@all -client");
    snprintf(user, sizeof user, "REDLOCK_URLS=redis://eve:secret@127.0.0.1:%d", server[0].port);
    memset(&c, 0, sizeof c);
    command_setenv(&c, user);
    command_add_all(
        &c, (const char *const[]){"run", "-n", "--attempt=5s", "--trace", "nightly", "echo", "done", NULL});
    ck_assert_msg(command_run(&c) == 0, "%s", c.err);
    ck_assert_str_eq(c.out, "done\n");
    assert_lacks(c.err, "warning");
    at = strstr(c.err, "\\r\\nSETNAME\\r\\n");
    ck_assert_msg(at != NULL, "%s", c.err);
    assert_has(at, "\\r\\nINFO\\r\\n");
    ck_assert(strstr(at, "\\r\\nINFO\\r\\n") < strchr(at, '\n'));
}
END_TEST

/* There is no INFO, so the name would take a round trip. */
START_TEST(the_old_protocol_sets_no_client_name)
{
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "--legacy=always", "--trace", "-u",
                                              url[0], "nightly", "true", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    assert_lacks(c.err, "SETNAME");
}
END_TEST

START_TEST(all_bad_urls_are_reported)
{
    ck_assert_int_eq(run("redis://", url[0], "unix://"), 65);
    assert_has(c.err, "redlock: -u number 1: ");
    assert_lacks(c.err, "number 2");
    assert_has(c.err, "redlock: -u number 3: ");
}
END_TEST

Suite *suite_cli_servers(void)
{
    Suite *s = suite_create("cli_servers");
    TCase *t = suite_case(s, "three servers", start, stop);
    tcase_add_test(t, an_unknown_host_fails_with_68_and_is_named);
    tcase_add_loop_test(t, an_unknown_host_fails_with_68_for_every_verb, 0, 6);
    tcase_add_test(t, one_unknown_host_of_three_counts_as_down);
    tcase_add_test(t, a_name_connects_to_the_address_that_listens);
    tcase_add_test(t, every_kind_of_address_works);
    tcase_add_test(t, one_server_under_two_urls_fails_with_65);
    tcase_add_test(t, a_bad_url_fails_with_65_and_is_not_printed);
    tcase_add_test(t, a_mistake_in_a_url_is_explained_with_an_example);
    tcase_add_test(t, valkey_urls_mean_the_same_as_redis_urls);
    tcase_add_test(t, one_line_end_after_a_url_is_ignored);
    tcase_add_test(t, a_bad_url_is_reported_with_its_source);
    tcase_add_test(t, client_list_shows_verb_host_and_pid);
    tcase_add_test(t, a_user_without_client_setname_gets_the_lock);
    tcase_add_test(t, the_old_protocol_sets_no_client_name);
    tcase_add_test(t, all_bad_urls_are_reported);
    tcase_add_test(t, an_empty_url_variable_fails_with_65);
    tcase_add_test(t, the_default_server_is_a_warning_even_with_q);
    tcase_add_test(t, the_default_server_is_refused_inside_a_run);
    tcase_add_test(t, a_variable_that_names_this_host_alone_is_a_warning);
    tcase_add_test(t, an_address_of_this_host_in_a_list_is_a_warning);
    tcase_add_test(t, messages_name_the_database);
    tcase_add_test(t, every_verb_reports_different_databases);
    tcase_add_test(t, the_command_gets_the_urls_of_the_servers);
    tcase_add_test(t, a_short_ttl_does_not_shorten_the_default_max_ttl);
    tcase_add_test(t, a_lease_above_the_default_max_ttl_is_a_warning);
    return s;
}
