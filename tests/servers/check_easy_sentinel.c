/* SPDX-License-Identifier: MIT */
/* check_easy_sentinel.c - easy.h on Sentinel groups of real processes, and with sentinels that misbehave. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net_stream.h"
#include "redlock/easy/easy_private.h"
#include "redlock/easy_thread.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/freed.h"
#include "tests/fixtures/resolver.h"
#include "tests/fixtures/sentinels.h"
#include "tests/suite.h"

enum { GROUPS = 3, MAX_TTL = 3500, PATIENT = 20000, TRIES = 20, QUESTION = 62 /* bytes of it */ };

static struct live_group groups[GROUPS];
static struct live_server plain[2];
static struct fake_server fake[2];
/* A lock, with the memory of its groups. */
static struct client {
    struct rdl_easy easy;
    struct rdl_easy_group group[GROUPS];
    struct rdl_easy_sentinel sentinel;
    struct rdl_easy_options options;
} first, second;
static struct rdl_easy_thread thread;

static void setup(void)
{
    memset(groups, 0, sizeof groups);
    memset(plain, 0, sizeof plain);
    memset(fake, 0, sizeof fake);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    tls_begin();
    resolver_begin();
}

static void teardown(void)
{
    rdl_easy_close(&first.easy);
    rdl_easy_close(&second.easy);
    for (int i = 0; i < GROUPS; i++)
        group_remove(&groups[i]);
    for (int i = 0; i < 2; i++) {
        if (plain[i].port != 0)
            live_remove(&plain[i]);
        if (fake[i].port != 0)
            fake_stop(&fake[i]);
    }
    tls_end();
}

static int try_open(struct client *c, const char *urls, unsigned flags)
{
    c->sentinel.ops = &rdl_easy_sentinel;
    c->sentinel.groups = c->group;
    c->sentinel.n = GROUPS;
    c->options.sentinel = &c->sentinel;
    /* A short quarantine needs a short lease, and so has short attempts. */
    c->options.max_ttl_ms = flags & RDL_EASY_NO_RESTART_GUARD ? RDL_TTL_DEFAULT_MS : MAX_TTL;
    c->options.flags = flags;
    return rdl_easy_open(&c->easy, urls, "nightly", &c->options);
}

static void open_with(struct client *c, const char *urls, unsigned flags)
{
    ck_assert_msg(try_open(c, urls, flags) == RDL_OK, "%s", rdl_easy_error(&c->easy));
}

static void expect(struct client *c, int rc, int wanted)
{
    ck_assert_msg(rc == wanted, "%d, not %d: %s", rc, wanted, rdl_easy_error(&c->easy));
}

static void acquire(struct client *c)
{
    expect(c, rdl_easy_acquire(&c->easy, PATIENT), RDL_OK);
}

/* On a busy machine an attempt may be too short: then there is another. */
static void acquire_within(struct client *c, uint32_t wait_ms, int wanted)
{
    int rc = RDL_NO_QUORUM;

    for (int i = 0; rc == RDL_NO_QUORUM && i < TRIES; i++)
        rc = rdl_easy_acquire(&c->easy, wait_ms);
    expect(c, rc, wanted);
}

/* The same until the lease ends. */
static void extend(struct client *c)
{
    int rc;

    do
        rc = rdl_easy_extend(&c->easy, 0);
    while (rc < 0 && rdl_easy_remaining_ms(&c->easy) > 0);
    ck_assert_msg(rc >= 0, "%d: %s", rc, rdl_easy_error(&c->easy));
}

/* An acquire ends with a majority. An extend puts the key on the others, and the next one makes it count. */
static void acquire_everywhere(struct client *c)
{
    acquire(c);
    for (int i = 0; i < GROUPS; i++)
        while (strcmp(live_command(&groups[i].server[0].live, "EXISTS nightly"), ":1\r\n") != 0)
            extend(c);
    extend(c);
}

/* There is one attempt, but no reply says that the lock was lost. */
static void release(struct client *c)
{
    int rc = rdl_easy_release(&c->easy);

    ck_assert_msg(rc == RDL_OK || rc == RDL_UNKNOWN, "%d: %s", rc, rdl_easy_error(&c->easy));
}

static void expect_error(const struct client *c, const char *part)
{
    ck_assert_msg(strstr(rdl_easy_error(&c->easy), part) != NULL, "\"%s\" is not in \"%s\"", part,
                  rdl_easy_error(&c->easy));
}

/* ---------------------------------------------------------------- failovers */

static const struct {
    struct live_group options;
    void (*begin)(struct live_group *g);
} failovers[] = {
    {{.replicas = 2, .sentinels = 3}, group_kill_master},
    {{.replicas = 1, .sentinels = 1, .password = "servers", .sentinel_password = "sentinels"},
     group_freeze_master},
    {{.replicas = 1, .sentinels = 1}, group_failover},
    {{.replicas = 1, .sentinels = 1}, group_cut_off_master},
};

/* Wait until server 0 is a replica. It is not asked: a sentinel that demotes it cuts its connections. */
static void await_demotion(struct live_group *g, int master)
{
    char text[40];

    snprintf(text, sizeof text, "port=%d,state=online", group_port(g, &g->server[0]));
    live_await(&g->server[master].live, "INFO replication", text);
}

/* The replica lacks the lock. The first client may work until its lease is over. */
START_TEST(after_a_failover_no_new_client_gets_the_lock_while_it_may_be_held)
{
    struct live_group *g = &groups[0];
    char where[60];
    int now, rc;

    *g = failovers[_i].options;
    first.options.password = second.options.password = g->password;
    first.sentinel.password = second.sentinel.password = g->sentinel_password;
    group_start(g);
    open_with(&first, group_url(g), 0);
    acquire(&first);
    failovers[_i].begin(g);
    now = group_await_failover(g, 0);
    live_command(&g->server[now].live, "DEL nightly");
    open_with(&second, group_url(g), 0);
    acquire_within(&second, 0, RDL_E_QUARANTINE);
    snprintf(where, sizeof where, "mymaster (127.0.0.1:%d): ", g->server[now].live.port);
    expect_error(&second, where);
    expect_error(&second, "the server may have lost locks in a restart or a failover");
    acquire(&second);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&first.easy), 0);
    if (g->server[0].live.is_frozen)
        live_thaw(&g->server[0].live);
    if (failovers[_i].begin == group_cut_off_master)
        group_reach_master(g);
    if (g->server[0].live.pid != 0) /* until it is a replica, it serves those that are still connected */
        await_demotion(g, now);
    rc = rdl_easy_acquire(&first.easy, 0); /* new to it, the server is in quarantine again */
    ck_assert(rc < 0 || rdl_easy_remaining_ms(&second.easy) == 0);
    (void)rdl_easy_release(&second.easy);
    if (rc < 0)
        acquire(&first);
}
END_TEST

START_TEST(a_thread_loses_the_lease_of_one_group_in_a_failover)
{
    struct live_group *g = &groups[0];

    g->sentinels = g->replicas = 1;
    group_start(g);
    open_with(&first, group_url(g), RDL_EASY_FENCE);
    for (int i = 0; i < 2; i++) {
        acquire(&first);
        ck_assert_int_eq(rdl_easy_start_thread(&first.easy, &thread, 10), RDL_OK);
        if (i == 1)
            break;
        group_kill_master(g);
        group_await_failover(g, 0);
        while (rdl_easy_remaining_ms(&first.easy) > 0)
            live_pause();
    }
    release(&first);
}
END_TEST

/* One of three groups fails over. */
START_TEST(a_majority_of_groups_keeps_the_lock_in_a_failover)
{
    char urls[600] = "";

    for (int i = 0; i < GROUPS; i++) {
        groups[i].sentinels = groups[i].replicas = 1;
        group_start(&groups[i]);
        strcat(strcat(urls, group_url(&groups[i])), " ");
    }
    open_with(&first, urls, RDL_EASY_WAKE_HINT);
    acquire_everywhere(&first);
    group_kill_master(&groups[0]);
    do {
        extend(&first);
        live_pause();
    } while (group_master(&groups[0]) == 0);
    open_with(&second, urls, RDL_EASY_WAKE_HINT);
    ck_assert_int_lt(rdl_easy_acquire(&second.easy, 0), 0);
    extend(&first);
    release(&first);
    acquire(&second);
}
END_TEST

/* A waiter's connection of its own leads to the new master, too. The guard is off, so it need not wait. */
START_TEST(a_wake_hint_comes_from_the_new_master)
{
    struct live_group *g = &groups[0];
    int now;

    g->replicas = g->sentinels = 1;
    group_start(g);
    open_with(&first, group_url(g), RDL_EASY_WAKE_HINT | RDL_EASY_NO_RESTART_GUARD);
    open_with(&second, group_url(g), RDL_EASY_WAKE_HINT | RDL_EASY_NO_RESTART_GUARD);
    for (int i = 0; i < 2; i++) {
        acquire(&first);
        now = group_master(g);
        live_command(&g->server[now].live, "RPUSH {nightly}:wake 1"); /* a BLPOP with a reply is counted */
        do /* on a busy machine the hint's connection may not be there in time */
            acquire_within(&second, 500, RDL_BUSY);
        while (strstr(live_command(&g->server[now].live, "INFO commandstats"), "cmdstat_blpop") == NULL);
        ck_assert_int_eq(second.easy.hint_conn.endpoint.port, g->server[now].live.port);
        release(&first);
        if (i == 0) {
            group_failover(g);
            group_await_failover(g, 0);
            await_demotion(g, group_master(g));
        }
    }
}
END_TEST

/* ---------------------------------------------------------------- sentinels */

START_TEST(sentinels_may_be_down_while_one_replies_or_none_is_needed)
{
    struct live_group *g = &groups[0];
    int rc = RDL_NO_QUORUM;

    g->replicas = 1;
    group_start(g);
    open_with(&first, group_url(g), RDL_EASY_NO_RESTART_GUARD);
    acquire(&first);
    live_freeze(&g->sentinel[0].live);
    live_kill(&g->sentinel[1].live);
    open_with(&second, group_url(g), RDL_EASY_NO_RESTART_GUARD);
    for (int i = 0; rc == RDL_NO_QUORUM && i < TRIES; i++) {
        extend(&first); /* on a busy machine the tries take longer than a lease */
        rc = rdl_easy_acquire(&second.easy, 0);
    }
    expect(&second, rc, RDL_BUSY);
    rdl_easy_close(&second.easy);
    live_kill(&g->sentinel[2].live);
    extend(&first);
    open_with(&second, group_url(g), RDL_EASY_NO_RESTART_GUARD);
    expect(&second, rdl_easy_acquire(&second.easy, 0), RDL_NO_QUORUM);
    expect_error(&second, "the server gave no useful reply (mymaster: sentinel 127.0.0.1:");
    expect_error(&second, "Check the group's URL, and that its sentinels run and can be reached");
    release(&first);
    live_thaw(&g->sentinel[0].live);
    acquire(&second);
}
END_TEST

/* ---------------------------------------------------------------- one server, whose sentinel is a fake */

/* redis-sentinel://HOST:PORT/mymaster of a sentinel that names this host and server 0. */
static const char *name_it(const char *host, const char *named)
{
    static char url[100], text[400];

    snprintf(text, sizeof text, "*2\r\n$%d\r\n%s\r\n$%d\r\n%d\r\n", (int)strlen(named), named,
             snprintf(NULL, 0, "%d", plain[0].port), plain[0].port);
    fake[0].trick = FAKE_ANSWERS;
    fake[0].text = text;
    fake[0].after = QUESTION;
    fake_start(&fake[0]);
    snprintf(url, sizeof url, "redis-sentinel://%s:%d/mymaster", host, fake[0].port);
    return url;
}

/* As sentinels with resolve-hostnames do. The name is resolved when a client acquires. */
START_TEST(a_master_may_be_named_by_its_host_name)
{
    live_start(&plain[0]);
    open_with(&first, name_it("127.0.0.1", "a.test"), RDL_EASY_NO_RESTART_GUARD | RDL_EASY_WAKE_HINT);
    expect(&first, rdl_easy_acquire(&first.easy, 0), RDL_NO_QUORUM);
    expect_error(&first, "mymaster (a.test:");
    expect_error(&first, "no address: ");
    resolver_set("a.test", "127.0.0.9", plain[0].port); /* where no server listens */
    ck_assert_int_eq(rdl_easy_acquire(&first.easy, 0), RDL_NO_QUORUM);
    resolver_set("a.test", "127.0.0.1", plain[0].port); /* it moves, and keeps its name */
    acquire(&first);
    rdl_easy_close(&first.easy);
    fake_stop(&fake[0]);
    open_with(&first, name_it("127.0.0.1", "a.test"), RDL_EASY_NO_RESTART_GUARD | RDL_EASY_RESOLVE_ONCE);
    expect(&first, rdl_easy_acquire(&first.easy, 0), RDL_NO_QUORUM);
    expect_error(&first, "a sentinel named it, and RDL_EASY_RESOLVE_ONCE is set");
}
END_TEST

START_TEST(a_sentinel_may_get_an_address_later_and_another_one)
{
    live_start(&plain[0]);
    open_with(&first, name_it("a.test", "127.0.0.1"), RDL_EASY_NO_RESTART_GUARD);
    expect(&first, rdl_easy_acquire(&first.easy, 0), RDL_NO_QUORUM);
    expect_error(&first, "mymaster: sentinel a.test:");
    resolver_set("a.test", "127.0.0.9", fake[0].port);
    expect(&first, rdl_easy_acquire(&first.easy, 0), RDL_NO_QUORUM);
    resolver_set("a.test", "127.0.0.1", fake[0].port);
    acquire(&first);
}
END_TEST

/* Without INFO nothing shows that it is not a replica. */
START_TEST(a_group_needs_info_even_if_the_guard_is_off)
{
    live_start(&plain[0]);
    live_command(&plain[0], "ACL SETUSER default -info");
    open_with(&first, name_it("127.0.0.1", "127.0.0.1"), _i ? RDL_EASY_NO_RESTART_GUARD : 0);
    ck_assert_int_lt(rdl_easy_acquire(&first.easy, PATIENT), 0);
    expect_error(&first, "NOPERM");
    ck_assert_str_eq(live_command(&plain[0], "DBSIZE"), ":0\r\n");
}
END_TEST

START_TEST(a_replica_that_a_sentinel_names_gives_no_vote)
{
    live_start_all(plain, 2);
    live_command(&plain[0], "REPLICAOF 127.0.0.1 %d", plain[1].port);
    open_with(&first, name_it("127.0.0.1", "127.0.0.1"), RDL_EASY_NO_RESTART_GUARD);
    expect(&first, rdl_easy_acquire(&first.easy, 3000), RDL_NO_QUORUM);
    expect_error(&first, "use its master");
    live_command(&plain[0], "REPLICAOF NO ONE");
    acquire(&first);
}
END_TEST

/* The group is one of three servers, and its sentinel never replies. */
START_TEST(a_group_does_not_hold_up_the_other_servers)
{
    char urls[300], url[2][LIVE_PATH_MAX + 16];

    live_start_all(plain, 2);
    fake[0].trick = FAKE_SILENT;
    fake_start(&fake[0]);
    snprintf(urls, sizeof urls, "%s redis-sentinel://127.0.0.1:%d/mymaster %s",
             live_url(&plain[0], LIVE_V4, url[0], sizeof url[0]), fake[0].port,
             live_url(&plain[1], LIVE_V4, url[1], sizeof url[1]));
    open_with(&first, urls, RDL_EASY_NO_RESTART_GUARD);
    first.easy.opt.lease.attempt_ms = 1500; /* on a busy machine the first server must reply to each one */
    for (int i = 0; i < 3; i++) {
        acquire_within(&first, 0, RDL_OK);
        release(&first);
    }
    live_kill(&plain[1]);
    ck_assert_int_lt(rdl_easy_acquire(&first.easy, 3000), 0);
    expect_error(&first, "2 of 3 servers gave no useful reply (mymaster: sentinel 127.0.0.1:");
}
END_TEST

/* ---------------------------------------------------------------- streams */

/* Sockets that count how often each ctx opened one. */
static int counted_open(void *ctx, struct rdl_conn *c)
{
    ++*(int *)ctx;
    return rdl_posix_stream.open(NULL, c);
}

static int counted_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    (void)ctx;
    return rdl_posix_stream.send(NULL, c, bytes, len);
}

static int counted_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    (void)ctx;
    return rdl_posix_stream.recv(NULL, c, buf, cap);
}

static void counted_close(void *ctx, struct rdl_conn *c)
{
    (void)ctx;
    rdl_posix_stream.close(NULL, c);
}

static const struct rdl_stream_ops counted = {counted_open, counted_send, counted_recv, counted_close};

/* A stream gets the address of a master that was named by a host name, as sockets do. */
START_TEST(tls_is_to_the_servers_and_to_sentinels_unless_the_url_says_no)
{
    int opened[RDL_EASY_STREAMS + GROUPS] = {0};
    char url[200];

    live_start(&plain[0]);
    resolver_set("a.test", "127.0.0.1", plain[0].port);
    snprintf(url, sizeof url, "rediss%s%s", name_it("127.0.0.1", "a.test") + strlen("redis"),
             _i ? "?sentinel-tls=no" : "");
    first.options.stream = &counted;
    first.options.stream_ctxs = opened;
    first.options.stream_ctx_size = sizeof opened[0];
    open_with(&first, url, RDL_EASY_NO_RESTART_GUARD);
    acquire(&first);
    rdl_easy_close(&first.easy);
    for (int i = 0; i < (int)COUNT(opened); i++)
        ck_assert_int_eq(opened[i] > 0, i == 0 || (i == RDL_EASY_STREAMS && _i == 0));
}
END_TEST

/* ---------------------------------------------------------------- set-up and memory */

#define GROUP "redis-sentinel://127.0.0.1:1/g"

static const struct {
    const char *urls;
    int rc;
    const char *why;
} refused[] = {
    {"redis-sentinel://127.0.0.1:1", RDL_E_URL,
     "URL 1: the group's name is missing: redis-sentinel://host1,host2/NAME"},
    {"foo-sentinel://127.0.0.1/g", RDL_E_URL, "URL 1: a group's URL begins with redis-sentinel://"},
    {"redis://127.0.0.1 " GROUP "/x", RDL_E_URL, "URL 2: "},
    {"rediss-sentinel://127.0.0.1:1/g", RDL_E_TLS,
     "URL 1: it requests TLS, so set stream in struct rdl_easy_options"},
    {GROUP " " GROUP " " GROUP " " GROUP, RDL_E_CONFIG,
     "URL 4: it is one Sentinel group more than n in struct rdl_easy_sentinel"},
};

/* The same memory can be used again at once. */
START_TEST(a_url_of_a_group_that_is_refused_has_its_reason)
{
    ck_assert_int_eq(try_open(&first, refused[_i].urls, 0), refused[_i].rc);
    expect_error(&first, refused[_i].why);
    rdl_easy_close(&first.easy);
    open_with(&first, GROUP "\t" GROUP "\n" GROUP " redis://127.0.0.1:1", 0);
    ck_assert_uint_eq(first.sentinel.used, 3);
    ck_assert(first.easy.options.flags & RDL_EASY_CANARY);
    open_with(&first, GROUP, RDL_EASY_NO_RESTART_GUARD);
    ck_assert((first.easy.options.flags & RDL_EASY_CANARY) == 0);
}
END_TEST

START_TEST(a_group_needs_its_code)
{
    ck_assert_int_eq(rdl_easy_open(&first.easy, GROUP, "nightly", NULL), RDL_E_URL);
    expect_error(&first, "URL 1: it is a Sentinel group, so set sentinel in struct rdl_easy_options");
}
END_TEST

/* Even if the sentinel was being asked. */
START_TEST(after_close_the_memory_of_groups_is_the_callers)
{
    live_start(&plain[0]);
    for (int i = 0; i < 2; i++) {
        reused(&first.group, sizeof first.group);
        reused(&first.sentinel, sizeof first.sentinel);
        memset(&first.sentinel, 0, sizeof first.sentinel);
        open_with(&first, i == 0 ? GROUP : name_it("127.0.0.1", "127.0.0.1"), RDL_EASY_NO_RESTART_GUARD);
        if (i == 0)
            ck_assert_int_lt(rdl_easy_acquire(&first.easy, 0), 0);
        else
            acquire(&first);
        rdl_easy_close(&first.easy);
        freed(&first.group, sizeof first.group);
        freed(&first.sentinel, sizeof first.sentinel);
        rdl_easy_close(&first.easy);
        ck_assert_int_eq(rdl_easy_acquire(&first.easy, 0), RDL_E_CONFIG);
    }
    reused(&first.group, sizeof first.group);
    reused(&first.sentinel, sizeof first.sentinel);
}
END_TEST

START_TEST(a_forked_child_that_closes_leaves_the_parents_lock)
{
    int status;
    pid_t child;

    live_start(&plain[0]);
    open_with(&first, name_it("127.0.0.1", "127.0.0.1"), RDL_EASY_NO_RESTART_GUARD);
    acquire(&first);
    child = live_fork();
    if (child == 0) {
        rdl_easy_close(&first.easy);
        _exit(0);
    }
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    extend(&first);
    release(&first);
    live_command(&plain[0], "CLIENT KILL TYPE normal"); /* the next connection needs the sentinel */
    acquire(&first);
}
END_TEST

Suite *suite_easy_failover(void)
{
    Suite *suite = suite_create("easy_failover");
    TCase *tc = suite_case(suite, "easy_failover", setup, teardown);

    tcase_add_loop_test(tc, after_a_failover_no_new_client_gets_the_lock_while_it_may_be_held, 0,
                        COUNT(failovers));
    return suite;
}

Suite *suite_easy_sentinel(void)
{
    Suite *suite = suite_create("easy_sentinel");
    TCase *tc = suite_case(suite, "easy_sentinel", setup, teardown);

    tcase_add_test(tc, a_thread_loses_the_lease_of_one_group_in_a_failover);
    tcase_add_test(tc, a_majority_of_groups_keeps_the_lock_in_a_failover);
    tcase_add_test(tc, a_wake_hint_comes_from_the_new_master);
    tcase_add_test(tc, sentinels_may_be_down_while_one_replies_or_none_is_needed);
    tcase_add_test(tc, a_master_may_be_named_by_its_host_name);
    tcase_add_test(tc, a_sentinel_may_get_an_address_later_and_another_one);
    tcase_add_loop_test(tc, a_group_needs_info_even_if_the_guard_is_off, 0, 2);
    tcase_add_test(tc, a_replica_that_a_sentinel_names_gives_no_vote);
    tcase_add_test(tc, a_group_does_not_hold_up_the_other_servers);
    tcase_add_loop_test(tc, tls_is_to_the_servers_and_to_sentinels_unless_the_url_says_no, 0, 2);
    tcase_add_loop_test(tc, a_url_of_a_group_that_is_refused_has_its_reason, 0, COUNT(refused));
    tcase_add_test(tc, a_group_needs_its_code);
    tcase_add_test(tc, after_close_the_memory_of_groups_is_the_callers);
    tcase_add_test(tc, a_forked_child_that_closes_leaves_the_parents_lock);
    return suite;
}
