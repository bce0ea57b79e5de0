/* SPDX-License-Identifier: MIT */
/* The command on Sentinel groups of real processes: masters that fail, passwords, TLS, names. */
#define _GNU_SOURCE
#include "tests/fixtures/command.h"
#include "tests/fixtures/sentinels.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct live_group group;
static struct live_server plain[2];
static struct command a, b;
static int is_guarded; /* the commands have the restart guard, and so the canary */

static void setup(void)
{
    memset(&group, 0, sizeof group);
    memset(plain, 0, sizeof plain);
    is_guarded = 0;
    setenv("REDLOCK_MAX_TTL", "3s", 1);
    tls_begin();
}

static void teardown(void)
{
    live_remove_all(plain, 2);
    group_remove(&group);
    tls_end();
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* redlock VERB OPTIONS... -u GROUP, with short leases */
static void set(struct command *c, const char *verb, const char *const options[])
{
    memset(c, 0, sizeof *c);
    command_setenv(c, is_guarded ? "REDLOCK_RESTART_GUARD=if-permitted" : "REDLOCK_RESTART_GUARD=off");
    command_add(c, verb);
    if (strcmp(verb, "status") != 0 && strcmp(verb, "list") != 0 && strcmp(verb, "release") != 0)
        command_add_all(c, OPTIONS("--ttl", "3s", "--attempt", "750ms"));
    command_add_all(c, OPTIONS("-u", group_url(&group)));
    command_add_all(c, options);
}

static const char *const none[] = {NULL};
static const char *const run_it[] = {"nightly", "--", "echo", "done", NULL};

static int run(const char *const options[], const char *const rest[])
{
    set(&a, "run", options);
    command_add_all(&a, rest);
    return command_run(&a);
}

/* A lock was taken before, so the canary is as old as this process needs it. */
static void start_used(void)
{
    is_guarded = 1;
    group_start(&group);
    ck_assert_msg(run(none, run_it) == 0, "%s", a.err);
}

/* "mymaster (127.0.0.1:PORT)", valid until the next. */
static const char *named(int server)
{
    static char text[60];

    snprintf(text, sizeof text, "mymaster (127.0.0.1:%d)", group_port(&group, &group.server[server]));
    return text;
}

/* ---------------------------------------------------------------- verbs */

static const struct {
    const char *const *args;
    const char *out;
} verbs[] = {
    {OPTIONS("status", "--attempt=10s", "nightly"), ": free (redis "},
    {OPTIONS("list", "x"), ""},
    {OPTIONS("doctor", "nightly"), "; a Sentinel group: 3 sentinels, quorum 2, replicas: 2"},
    {OPTIONS("doctor", "--json", "nightly"),
     "\"sentinel\":{\"name\":\"mymaster\",\"sentinels\":3,\"quorum\":2,"},
    {OPTIONS("doctor", "--restart-guard=required", "nightly"),
     "after a failover no client gets a lock of mymaster for 4s, and a command that"},
};

START_TEST(every_verb_works_on_a_group)
{
    char file[LIVE_PATH_MAX + 20];

    group_start(&group);
    snprintf(file, sizeof file, "%s/token", group.server[0].live.dir);
    for (size_t i = 0; i < COUNT(verbs); i++) {
        set(&a, verbs[i].args[0], verbs[i].args + 1);
        command_run(&a);
        ck_assert_msg(strstr(a.out, verbs[i].out) != NULL, "no %s in %s%s", verbs[i].out, a.out, a.err);
        ck_assert_msg(i == 1 || strstr(a.out, named(0)) != NULL, "%s", a.out);
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const three[] = {"acquire", "extend", "release"};
        set(&a, three[i], OPTIONS("--token-file", file));
        command_add_all(&a, OPTIONS("nightly"));
        ck_assert_msg(command_run(&a) == 0, "%s: %s", three[i], a.err);
    }
}
END_TEST

/* ---------------------------------------------------------------- failovers */

/* The old master grants locks until a sentinel demotes it, if the failover was requested. */
static void (*const failures[])(struct live_group *g) = {group_kill_master, group_freeze_master,
                                                         group_cut_off_master, group_failover};

/* The job on the group alone is stopped, before a new process gets the lock. */
START_TEST(after_a_failover_a_new_process_waits)
{
    char script[60];
    int now;

    start_used();
    set(&b, "run", none);
    command_add_all(&b, OPTIONS("nightly", "--", "sh", "-c", "echo $$ >&9; exec sleep 60"));
    command_start(&b);
    snprintf(script, sizeof script, "kill -0 %s && echo two || echo one", command_note(&b));
    failures[_i](&group);
    now = group_await_failover(&group, 0);
    ck_assert_int_eq(run(OPTIONS("-w", "20s"), OPTIONS("nightly", "--", "sh", "-c", script)), 0);
    ck_assert_str_eq(a.out, "one\n");
    assert_has(a.err, named(now));
    assert_has(a.err, " is new, was restarted or had a failover less than --max-ttl (3s) ago");
    ck_assert_int_eq(command_end(&b), 75);
    assert_has(b.err, "nightly is lost: ");
}
END_TEST

/* Two servers of three keep the lease; when the promoted replica counts again, it gets the key back. */
START_TEST(one_group_of_three_fails_over_and_the_job_goes_on)
{
    char url[2][40];

    is_guarded = 1;
    group_start(&group);
    live_start_all(plain, 2);
    set(&b, "run", OPTIONS("-v"));
    for (int i = 0; i < 2; i++)
        command_add_all(&b, OPTIONS("-u", live_url(&plain[i], LIVE_V4, url[i], sizeof url[i])));
    command_add_all(&b, OPTIONS("nightly", "--", "sh", "-c", "echo on >&9; exec sleep 60"));
    command_start(&b);
    ck_assert_str_eq(command_note(&b), "on");
    for (int i = 0; i < 2; i++) /* a key that came late counts after the next renewal */
        live_await(&plain[i], "EXISTS nightly", ":1\r\n");
    command_await_times(&b, "nightly renewed", command_times(&b, "nightly renewed") + 1);
    group_failover(&group); /* the old master runs on, as a replica */
    live_await(&group.server[group_await_failover(&group, 0)].live, "PTTL nightly", ":2");
    ck_assert_int_eq(kill(b.pid, 0), 0);
    live_command(&plain[0], "PING");
    ck_assert_int_eq(kill(b.pid, SIGTERM), 0);
    ck_assert_int_eq(command_end(&b), 128 + SIGTERM);
}
END_TEST

/* ---------------------------------------------------------------- without the guard */

START_TEST(without_the_guard_there_is_a_warning_also_with_q)
{
    group_start(&group);
    ck_assert_int_eq(run(OPTIONS("-q", "-n", "--restart-guard=off"), run_it), 0);
    assert_has(a.err,
               "--restart-guard=off with the Sentinel group mymaster: after a failover a second client");
    set(&a, "doctor", OPTIONS("--restart-guard=off", "nightly"));
    ck_assert_int_eq(command_run(&a), 1);
    assert_has(a.out, "a failover may lose locks: a second client may then get the lock");
}
END_TEST

/* Without the role, it may be a replica. */
START_TEST(a_user_without_info_cannot_use_a_group)
{
    group.sentinels = 1;
    group.replicas = 1;
    group_start(&group);
    live_command(&group.server[0].live, "ACL SETUSER default -info");
    for (is_guarded = 0; is_guarded < 2; is_guarded++) {
        ck_assert_int_eq(run(OPTIONS("-n"), run_it), 77);
        assert_has(a.err, "a Sentinel group needs info");
    }
}
END_TEST

/* ---------------------------------------------------------------- passwords */

static const char *write_file(const char *name, const char *text)
{
    static char path[2][LIVE_PATH_MAX + 20];
    static int which;
    FILE *f;

    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", group.server[0].live.dir, name);
    f = fopen(path[which], "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
    return path[which];
}

/* An inner redlock finds the servers and the files, and gets no password from its environment. */
START_TEST(the_command_finds_the_group_but_no_password)
{
    static const char inner[] =
        "env | grep RED; $RDL_COMMAND run -n --ttl 3s --attempt 750ms other -- echo inner";
    char url[300];
    const char *file;

    group.password = "servers";
    group.sentinel_password = "sentinels";
    group_start(&group);
    setenv("REDLOCK_PASSWORD_FILE", write_file("password", "servers"), 1);
    set(&a, "run", none);
    command_add_all(&a, OPTIONS("nightly", "--", "sh", "-c", inner));
    command_setenv(&a, "REDLOCK_SENTINEL_PASSWORD=sentinels");
    ck_assert_int_eq(command_run(&a), 77); /* the inner one does not know it */
    assert_lacks(a.out, "sentinels");
    snprintf(url, sizeof url, "REDLOCK_URLS=%s\n", group_url(&group));
    assert_has(a.out, url);
    file = write_file("sentinel", "sentinels");
    set(&a, "run", OPTIONS("--sentinel-password-file", file));
    command_add_all(&a, OPTIONS("nightly", "--", "sh", "-c", inner));
    ck_assert_msg(command_run(&a) == 0, "%s", a.err);
    assert_has(a.out, "\ninner\n");
    assert_has(a.out, "REDLOCK_SENTINEL_PASSWORD_FILE=/");
    set(&a, "run", OPTIONS("-n", "--trace"));
    command_add_all(&a, run_it);
    command_setenv(&a, "REDLOCK_SENTINEL_PASSWORD=wrong-one");
    ck_assert_int_eq(command_run(&a), 77);
    assert_has(a.err, "no lock: mymaster: sentinel 127.0.0.1:");
    assert_lacks(a.err, "wrong-one");
    unsetenv("REDLOCK_PASSWORD_FILE");
}
END_TEST

/* ---------------------------------------------------------------- TLS */

/* Sentinels name addresses, so -verify_ip checks the certificate. */
START_TEST(tls_leads_to_sentinels_and_servers)
{
    char text[400], url[300];

    group.has_tls = 1;
    group.replicas = 1;
    group.sentinels = 1;
    group_start(&group);
    snprintf(text, sizeof text,
             "openssl s_client -quiet -verify_return_error -CAfile %s -verify_ip %%h -connect %%h:%%p",
             tls_authority());
    ck_assert_msg(run(OPTIONS("--connect-command", text), run_it) == 0, "%s", a.err);
    snprintf(url, sizeof url, "rediss-sentinel://127.0.0.1:%d/mymaster?sentinel-tls=no",
             group.sentinel[0].live.port);
    memset(&a, 0, sizeof a);
    command_add_all(&a, OPTIONS("run", "--ttl", "3s", "--attempt", "750ms"));
    command_add_all(&a, OPTIONS("--connect-command", text, "-u", url));
    command_add_all(&a, OPTIONS("nightly", "--", "sh", "-c", "echo $REDLOCK_URLS"));
    ck_assert_msg(command_run(&a) == 0, "%s", a.err);
    assert_has(a.out, url);
}
END_TEST

/* ---------------------------------------------------------------- names */

START_TEST(a_master_that_is_named_by_host_is_resolved)
{
    struct live_server *s = &group.sentinel[0].live;

    group.sentinels = 1;
    group.replicas = 1;
    group_start(&group);
    live_command(s, "SENTINEL CONFIG SET resolve-hostnames yes");
    live_command(s, "SENTINEL CONFIG SET announce-hostnames yes");
    live_command(s, "SENTINEL REMOVE mymaster");
    live_command(s, "SENTINEL MONITOR mymaster localhost %d 1", group.server[0].live.port);
    assert_has(live_command(s, "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster"), "localhost");
    ck_assert_msg(run(OPTIONS("--wake-hint"), run_it) == 0, "%s", a.err);
    set(&a, "status", OPTIONS("--attempt=10s", "nightly"));
    ck_assert_int_eq(command_run(&a), 0);
    assert_has(a.out, "mymaster (localhost:");
}
END_TEST

/* ---------------------------------------------------------------- mistakes */

static const struct {
    const char *args[8];
    int status;
    const char *err;
} mistakes[] = {
    {{"-u", "redis-sentinel://127.0.0.1"}, 65, "the group's name is missing"},
    {{"-u", "redis-sentinel://127.0.0.1,/g"}, 65, "a sentinel is missing before or after a comma"},
    {{"-u", "redis-sentinel://a,b,c,d,e,f/g"}, 65, "a group has at most 5 sentinels"},
    {{"-u", "redis-sentinel://a/g?sentinel-tls=no"}, 65, "only ?sentinel-tls=no may follow"},
    {{"-u", "redis-sentinel://127.0.0.1:1/g", "-u", "redis-sentinel://127.0.0.1:1,127.0.0.1:2/g"},
     65,
     "are the same server, which would have two votes"},
    {{"-u", "redis-sentinel://127.0.0.1:1/g", "--legacy=always"},
     64,
     "--legacy does not work with a Sentinel"},
    {{"-u", "redis-sentinel://127.0.0.1:1/g", "-l", "a", "-l", "b"},
     64,
     "several locks (-l) do not work with a"},
    {{"-u", "redis://127.0.0.1:1", "--sentinel-password-file", "x"}, 64, "there is none"},
    {{"-u", "redis-sentinel://127.0.0.1:1/g", "--sentinel-password-file", "/nowhere/x"}, 66, "/nowhere/x: "},
    {{"-n", "-u", "redis-sentinel://127.0.0.1:1/g"}, 69, "no lock: g: sentinel 127.0.0.1:1: cannot connect"},
};

START_TEST(a_mistake_is_explained)
{
    memset(&a, 0, sizeof a);
    unsetenv("REDLOCK_MAX_TTL");
    command_add(&a, "run");
    command_add_all(&a, mistakes[_i].args);
    command_add_all(&a, strstr(mistakes[_i].err, "-l)") != NULL ? run_it + 1 : run_it);
    ck_assert_msg(command_run(&a) == mistakes[_i].status, "%d: %s", a.status, a.err);
    assert_has(a.err, mistakes[_i].err);
}
END_TEST

START_TEST(a_group_that_no_sentinel_knows_ends_the_wait)
{
    group.sentinels = 1;
    group.replicas = 1;
    group_start(&group);
    live_command(&group.sentinel[0].live, "SENTINEL REMOVE mymaster");
    ck_assert_int_eq(run(OPTIONS("--trace"), run_it), 69);
    assert_has(a.err, "#1s > "); /* how often they are asked: tests/redlock/check_sentinel_steps.c */
    assert_has(a.err, ": does not know mymaster");
    set(&a, "doctor", none);
    ck_assert_int_eq(command_run(&a), 69);
    assert_has(a.out, "mymaster: its sentinel 127.0.0.1:");
    assert_has(a.out, " gives no answer: ");
}
END_TEST

Suite *suite_cli_sentinel(void)
{
    Suite *suite = suite_create("cli_sentinel");
    TCase *tc = suite_case(suite, "group", setup, teardown);

    tcase_add_test(tc, every_verb_works_on_a_group);
    tcase_add_loop_test(tc, after_a_failover_a_new_process_waits, 0, COUNT(failures));
    tcase_add_test(tc, one_group_of_three_fails_over_and_the_job_goes_on);
    tcase_add_test(tc, without_the_guard_there_is_a_warning_also_with_q);
    tcase_add_test(tc, a_user_without_info_cannot_use_a_group);
    tcase_add_test(tc, the_command_finds_the_group_but_no_password);
    tcase_add_test(tc, tls_leads_to_sentinels_and_servers);
    tcase_add_test(tc, a_master_that_is_named_by_host_is_resolved);
    tcase_add_loop_test(tc, a_mistake_is_explained, 0, COUNT(mistakes));
    tcase_add_test(tc, a_group_that_no_sentinel_knows_ends_the_wait);
    return suite;
}
