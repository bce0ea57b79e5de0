/* SPDX-License-Identifier: MIT */
/* The old SETNX protocol on real servers: complete ones, limited ones, and together with other clients. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lock/lock_io.h"
#include "tests/sim/any_lock.h"
#include "tests/fixtures/client.h"
#include "tests/suite.h"

enum { TTL = 20000, CHILDREN = 4, ROUNDS = 15 };

static struct live_server server;
static struct client client, other;
static struct rdl_lock_legacy lock, second;
static struct rdl_lock plain;
static struct rdl_lock_options opt;

static const char *const whole[] = {NULL};
static const char *const no_eval[] = {LIVE_WITHOUT_SCRIPTS, NULL};
static const char *const no_pttl[] = {LIVE_WITHOUT_SCRIPTS, LIVE_WITHOUT("PTTL"), NULL};
static const char *const no_multi[] = {LIVE_WITHOUT_SCRIPTS, LIVE_WITHOUT("MULTI"), NULL};
static const char *const no_watch[] = {LIVE_WITHOUT_SCRIPTS, LIVE_WITHOUT("WATCH"), NULL};
static const char *const no_set[] = {LIVE_WITHOUT("SET"), NULL};
static const char *const no_time[] = {LIVE_WITHOUT("TIME"), NULL};
static const char *const old[] = {LIVE_WITHOUT_SCRIPTS, LIVE_WITHOUT("PTTL"), LIVE_WITHOUT("TIME"), NULL};
static const char *const *const kinds[] = {whole, no_eval, no_pttl, no_multi, no_watch, no_set, no_time, old};
enum { KINDS = sizeof kinds / sizeof kinds[0], COMPARING = 3 };

static long server_s(void);

static void begin(const char *const *args)
{
    memset(&server, 0, sizeof server);
    client_pair(&server, args, &client, &other);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    opt.attempt_ms = 4000;
    rdl_lock_init_legacy(&lock, &opt, &client.conn, "k", 1, RDL_LEGACY);
    rdl_lock_init(&plain, &opt, &other.conn, "k", 1);
    rdl_lock_set_clock(&lock, (uint32_t)server_s(), 1000, client_now()); /* for those that refuse TIME */
}

static void setup(void)
{
    begin(whole);
}

static void teardown(void)
{
    live_remove(&server);
}

/* TIME is renamed on some; they run on this host. */
static long server_s(void)
{
    const char *reply = live_command(&server, "TIME");

    if (reply[0] == '-')
        return (long)time(NULL);
    return strtol(strstr(reply, "$10\r\n") + 5, NULL, 10);
}

static void put(long value)
{
    const char *reply = live_command(&server, "GETSET k %ld", value);

    ck_assert_int_eq(reply[0], '$');
}

static long get(void)
{
    const char *reply = live_command(&server, "GET k");

    return reply[1] == '-' ? 0 : strtol(strchr(reply, '\n') + 1, NULL, 10);
}

/* ---------------------------------------------------------------- every kind of server */

START_TEST(a_legacy_lock_works_on_every_kind_of_server)
{
    long before_s;

    begin(kinds[_i]);
    before_s = server_s();
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_ge(get(), before_s + TTL / 1000 - 1);
    ck_assert_int_le(get(), server_s() + TTL / 1000 + 8);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(get(), 0);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(an_expired_legacy_lease_is_recovered_on_every_server)
{
    begin(kinds[_i]);
    put(server_s() - 100);
    live_command(&server, "EXPIRE k 1000"); /* another program's expiry: it must not end our lease */
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_RECOVERED);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&lock.lock, client_now()), 0);
    ck_assert_int_gt(get(), server_s());
    ck_assert_str_eq(live_command(&server, "TTL k"), ":-1\r\n");
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(a_live_legacy_lease_is_busy_on_every_server)
{
    char reply[64];

    begin(kinds[_i]);
    put(server_s() + 100);
    snprintf(reply, sizeof reply, "%s", live_command(&server, "GET k"));
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_BUSY);
    ck_assert_int_gt(rdl_lock_holder_ms(&lock.lock), 90000);
    ck_assert_int_lt(rdl_lock_holder_ms(&lock.lock), 110000);
    ck_assert_str_eq(live_command(&server, "GET k"), reply);
}
END_TEST

/* Lua, or else WATCH: only without both an extend is refused, and the lease continues. */
START_TEST(a_legacy_extend_moves_the_deadline_if_it_can_compare)
{
    long before_s;

    begin(kinds[_i]);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    before_s = server_s();
    if (kinds[_i] == no_multi || kinds[_i] == no_watch || kinds[_i] == no_set) {
        ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, 60000), RDL_E_UNSUPPORTED);
        ck_assert_int_lt(get(), server_s() + TTL / 1000 + 8);
        ck_assert_uint_gt(rdl_lock_remaining_ms(&lock.lock, client_now()), 0);
    } else {
        ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, 60000), RDL_OK);
        ck_assert_int_ge(get(), before_s + 59);
        ck_assert_uint_gt(rdl_lock_remaining_ms(&lock.lock, client_now()), TTL);
    }
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(get(), 0);
}
END_TEST

/* Edge 12: GETSET is deprecated since 6.2 but still exists; it is sent only if there is no other method. */
START_TEST(getset_is_sent_only_if_no_method_can_compare)
{
    int is_needed = kinds[_i] == no_multi || kinds[_i] == no_watch || kinds[_i] == no_set;
    const char *stats;

    begin(kinds[_i]);
    put(server_s() - 100);
    live_command(&server, "CONFIG RESETSTAT");
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_RECOVERED);
    stats = live_command(&server, "INFO commandstats");
    ck_assert_int_eq(strstr(stats, "cmdstat_getset") != NULL, is_needed);
}
END_TEST

/* WATCH also compares on servers before 2.6, which know no PTTL: no GETSET there. */
START_TEST(a_takeover_with_watch_overwrites_nothing)
{
    begin(_i ? old : no_pttl);
    put(server_s() - 100);
    live_command(&server, "CONFIG RESETSTAT");
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_RECOVERED);
    ck_assert_ptr_nonnull(strstr(live_command(&server, "INFO commandstats"), "cmdstat_watch"));
    ck_assert_ptr_null(strstr(live_command(&server, "INFO commandstats"), "cmdstat_getset"));
}
END_TEST

START_TEST(a_legacy_lock_needs_server_time_or_a_clock)
{
    begin(no_time);
    rdl_lock_init_legacy(&lock, &opt, &client.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_E_UNSUPPORTED);
    ck_assert_int_eq(get(), 0);
}
END_TEST

/* ---------------------------------------------------------------- values of the key */

/* Edge 8: it has no ttl, because peers know none; only a client that wants it takes it over. */
START_TEST(a_dead_holders_key_stays_until_another_client_takes_it)
{
    rdl_lock_init_legacy(&second, &opt, &other.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(rdl_lock_acquire(&second.lock, &client_platform), RDL_OK);
    ck_assert_str_eq(live_command(&server, "TTL k"), ":-1\r\n");
    client_die(&other); /* the holder dies, and its time passes */
    put(server_s() - 100);
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":1\r\n");
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_RECOVERED);
    ck_assert_str_eq(live_command(&server, "TTL k"), ":-1\r\n");
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
}
END_TEST

START_TEST(a_legacy_release_leaves_another_clients_value)
{
    begin(kinds[_i]);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    put(1999999999);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_LOST);
    ck_assert_int_eq(get(), 1999999999);
    live_command(&server, "DEL k");
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    live_command(&server, "DEL k");
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_EXPIRED);
}
END_TEST

/*
 * A waiter's value stays, or is deleted if no client has a shorter ttl: compared and deleted by every method.
 */
START_TEST(only_the_shortest_ttl_deletes_a_waiters_value)
{
    begin(kinds[_i / 2]);
    if (_i & 1)
        rdl_lock_init_legacy(&lock, &opt, &client.conn, "k", 1, RDL_LEGACY_SHORTEST);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    put(server_s() + 100);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), _i & 1 ? RDL_REMOVED : RDL_OVERWRITTEN);
    ck_assert_int_eq(get() == 0, _i & 1);
    ck_assert(_i & 1 || rdl_lock_holder_ms(&lock.lock) > 90000);
}
END_TEST

START_TEST(a_value_that_is_not_a_legacy_lock_is_foreign)
{
    static const char *const before[] = {"SET k locked", "LPUSH k 1", "HSET k f 1", "SET k 1700000000000",
                                         "SET k \"\""};

    live_command(&server, "%s", before[_i]);
    opt.wait_ms = 15000; /* waiting does not help */
    opt.retry_ms = 1;
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_E_FOREIGN_VALUE);
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":1\r\n");
}
END_TEST

START_TEST(two_locks_of_the_same_second_are_distinguished)
{
    rdl_lock_init_legacy(&second, &opt, &other.conn, "k", 1, RDL_LEGACY);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&second.lock, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_release(&second.lock, &client_platform),
                     RDL_EXPIRED); /* never its own: nothing is sent */
    ck_assert_int_ne(get(), 0);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
}
END_TEST

/* ---------------------------------------------------------------- mixed fleets */

START_TEST(plain_and_legacy_locks_exclude_each_other)
{
    ck_assert_int_eq(rdl_lock_acquire(&plain, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_BUSY);
    ck_assert_int_gt(rdl_lock_holder_ms(&lock.lock), 0); /* a token with a ttl: busy for that long */
    ck_assert_int_le(rdl_lock_holder_ms(&lock.lock), TTL);
    ck_assert_int_eq(rdl_lock_release(&plain, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&plain, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&plain), -1); /* no expiry */
}
END_TEST

START_TEST(a_plain_lock_does_not_take_over_an_expired_legacy_lease)
{
    put(server_s() - 100);
    ck_assert_int_eq(rdl_lock_acquire(&plain, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&plain), -1);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_RECOVERED);
}
END_TEST

START_TEST(a_legacy_lock_is_granted_after_a_plain_lease_ends)
{
    ck_assert_int_eq(rdl_lock_acquire(&plain, &client_platform), RDL_OK);
    live_command(&server, "PEXPIRE k 50");
    opt.wait_ms = 15000;
    opt.retry_ms = 5;
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_OK);
}
END_TEST

static int letters(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 0xfe, len); /* most tokens begin with fewer digits than a deadline has */
    return RDL_OK;
}

/*
 * Why plain locks and the historic recipe do not mix: it reads a token as a number, mostly a small one. We
 * can show it but not prevent it; our lock sees that it is gone.
 */
START_TEST(a_historic_peer_steals_a_plain_lock)
{
    struct rdl_platform platform = client_platform;
    char mine[64];
    long now_s;

    platform.random = letters;
    ck_assert_int_eq(rdl_lock_acquire(&plain, &platform), RDL_OK);
    now_s = server_s();
    ck_assert_str_eq(live_command(&server, "SETNX k %ld", now_s + 11), ":0\r\n");
    snprintf(mine, sizeof mine, "%s", live_command(&server, "GET k"));
    ck_assert_int_lt(strtol(strchr(mine, '\n') + 1, NULL, 10), now_s);         /* atoi: long past */
    ck_assert_str_eq(live_command(&server, "GETSET k %ld", now_s + 11), mine); /* it believes it has won */
    ck_assert_uint_gt(rdl_lock_remaining_ms(&plain, client_now()), 0);         /* so do we */
    ck_assert_int_eq(rdl_lock_extend(&plain, &client_platform, TTL), RDL_LOST);
}
END_TEST

/* Takes turns with the others; only one may hold the lock. */
static void child(enum any_mode mode)
{
    union any_lock own;
    char url[256];
    int i;

    live_url(&server, LIVE_V4, url, sizeof url);
    client_setup(); /* a driver of this process */
    client_init(&client, url);
    opt.wait_ms = 50000;
    opt.retry_ms = 1;
    any_lock_init(&own, mode, &opt, &client.conn, "k", 1);
    for (i = 0; i < ROUNDS; i++) {
        if (rdl_lock_acquire(&own.lock, &client_platform) < 0)
            _exit(2);
        if (strcmp(live_command(&server, "INCR inside"), ":1\r\n") != 0)
            _exit(3);
        live_command(&server, "DECR inside");
        if (rdl_lock_release(&own.lock, &client_platform) != RDL_OK)
            _exit(4);
    }
    _exit(0);
}

START_TEST(plain_and_legacy_clients_never_hold_a_lock_together)
{
    static const enum any_mode modes[CHILDREN] = {MODE_PLAIN, MODE_LEGACY, MODE_PLAIN, MODE_LEGACY_INTEGER};
    pid_t pids[CHILDREN];
    int i;

    for (i = 0; i < CHILDREN; i++) {
        pids[i] = live_fork();
        if (pids[i] == 0)
            child(modes[i]);
    }
    for (i = 0; i < CHILDREN; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- peers that work like redis-py 2.9 */

/* A missing value counts as 1, long past. */
static double peer_value(const char *reply)
{
    return reply[1] == '-' ? 1 : strtod(strchr(reply, '\n') + 1, NULL);
}

/*
 * SETNX; otherwise, if the value has passed, GETSET, which overwrites any client that came in between. 0: no.
 */
static double peer_try(int is_endless)
{
    long now_s = server_s(), until_s = now_s + TTL / 1000;
    double mine = is_endless ? 2147483649.0 : (double)until_s;

    if (strcmp(live_command(&server, "SETNX k %.1f", mine), ":1\r\n") == 0)
        return mine;
    if (peer_value(live_command(&server, "GET k")) >= (double)now_s)
        return 0;
    return peer_value(live_command(&server, "GETSET k %.1f", mine)) < (double)now_s ? mine : 0;
}

static void peer(int is_endless)
{
    double mine;
    int i;

    for (i = 0; i < ROUNDS; i++) {
        while ((mine = peer_try(is_endless)) == 0) {
        }
        if (strcmp(live_command(&server, "INCR inside"), ":1\r\n") != 0)
            _exit(3);
        live_command(&server, "DECR inside");
        if (peer_value(live_command(&server, "GET k")) >= mine)
            live_command(&server, "DEL k");
    }
    _exit(0);
}

static void shortest(void)
{
    char url[256];
    int i;

    live_url(&server, LIVE_V4, url, sizeof url);
    client_setup(); /* a driver of this process */
    client_init(&client, url);
    opt.wait_ms = 50000;
    opt.retry_ms = 1;
    rdl_lock_init_legacy(&lock, &opt, &client.conn, "k", 1, RDL_LEGACY_SHORTEST);
    for (i = 0; i < ROUNDS; i++) {
        int rc;
        if (rdl_lock_acquire(&lock.lock, &client_platform) < 0)
            _exit(2);
        if (strcmp(live_command(&server, "INCR inside"), ":1\r\n") != 0)
            _exit(3);
        live_command(&server, "DECR inside");
        rc = rdl_lock_release(&lock.lock, &client_platform);
        if (rc != RDL_OK && rc != RDL_REMOVED)
            _exit(4);
    }
    _exit(0);
}

/* Every client gets its turn, one at a time, and no value is left. */
START_TEST(overwriting_peers_and_the_shortest_ttl_take_turns)
{
    pid_t pids[CHILDREN];
    int i;

    for (i = 0; i < CHILDREN; i++) {
        pids[i] = live_fork();
        if (pids[i] == 0 && i % 2 == 0)
            shortest();
        if (pids[i] == 0)
            peer(_i);
    }
    for (i = 0; i < CHILDREN; i++) {
        int status = -1;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_str_eq(live_command(&server, "EXISTS k"), ":0\r\n");
}
END_TEST

Suite *suite_lock_legacy_edges(void)
{
    Suite *suite = suite_create("lock_legacy_edges");
    TCase *poor = suite_case(suite, "kinds", NULL, teardown);
    TCase *tc = suite_case(suite, "values", setup, teardown);

    tcase_add_loop_test(poor, a_legacy_lock_works_on_every_kind_of_server, 0, KINDS);
    tcase_add_loop_test(poor, an_expired_legacy_lease_is_recovered_on_every_server, 0, KINDS);
    tcase_add_loop_test(poor, a_live_legacy_lease_is_busy_on_every_server, 0, KINDS);
    tcase_add_loop_test(poor, a_legacy_extend_moves_the_deadline_if_it_can_compare, 0, KINDS);
    tcase_add_loop_test(poor, getset_is_sent_only_if_no_method_can_compare, 0, KINDS);
    tcase_add_loop_test(poor, a_takeover_with_watch_overwrites_nothing, 0, 2);
    tcase_add_test(poor, a_legacy_lock_needs_server_time_or_a_clock);
    tcase_add_loop_test(poor, a_legacy_release_leaves_another_clients_value, 0, COMPARING);
    tcase_add_loop_test(poor, only_the_shortest_ttl_deletes_a_waiters_value, 0, 2 * COMPARING);
    tcase_add_test(tc, a_dead_holders_key_stays_until_another_client_takes_it);
    tcase_add_loop_test(tc, a_value_that_is_not_a_legacy_lock_is_foreign, 0, 5);
    tcase_add_test(tc, two_locks_of_the_same_second_are_distinguished);
    tcase_add_test(tc, plain_and_legacy_locks_exclude_each_other);
    tcase_add_test(tc, a_plain_lock_does_not_take_over_an_expired_legacy_lease);
    tcase_add_test(tc, a_legacy_lock_is_granted_after_a_plain_lease_ends);
    tcase_add_test(tc, a_historic_peer_steals_a_plain_lock);
    tcase_add_test(tc, plain_and_legacy_clients_never_hold_a_lock_together);
    tcase_add_loop_test(tc, overwriting_peers_and_the_shortest_ttl_take_turns, 0, 2);
    return suite;
}
