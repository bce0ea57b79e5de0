/* SPDX-License-Identifier: MIT */
/* The blocking calls for N servers, with five real ones: killed, frozen, started again. */
#include <check.h>
#include <string.h>

#include "redlock/redlock.h"
#include "tests/live/client.h"
#include "tests/live/servers.h"

enum { N = 5, TTL = 20000, MAX_TTL = 60000, PATIENT_MS = 5000, HASTY_MS = 100 };

static struct live_server live[N];
static struct client clients[N];
static struct rdl_server servers[N];
static struct rdl_redlock lock;
static struct rdl_redlock_options opt;

static void setup(void)
{
    static char url[256];
    int i;

    client_setup();
    memset(&opt, 0, sizeof opt);
    opt.lease.ttl_ms = TTL;
    opt.max_ttl_ms = MAX_TTL;
    opt.guard = RDL_GUARD_OFF;
    opt.lease.attempt_ms = PATIENT_MS; /* a busy machine is no reason */
    for (i = 0; i < N; i++) {
        live_start(&live[i]);
        client_init(&clients[i], live_url(&live[i], LIVE_V4, url, sizeof url));
        servers[i].conn = &clients[i].conn;
    }
    rdl_redlock_init(&lock, &opt, servers, N, "nightly", 7);
}

static void teardown(void)
{
    int i;

    for (i = 0; i < N; i++)
        live_remove(&live[i]);
}

static uint64_t now_ms(void)
{
    return client_net.now_ms(client_net.ctx);
}

static int acquire(void)
{
    return rdl_redlock_acquire(&lock, &client_net);
}

static int release(void)
{
    return rdl_redlock_release(&lock, &client_net);
}

/* Everything that is owed has been done. */
static void drain(void)
{
    ck_assert_int_eq(rdl_redlock_drain(&lock, &client_net, now_ms() + CLIENT_PATIENCE_MS), RDL_OK);
    ck_assert(rdl_redlock_is_idle(&lock));
}

/* How many of the running servers have the key. */
static int keys(void)
{
    int n = 0;
    int i;

    for (i = 0; i < N; i++)
        n += live[i].pid > 0 && strcmp(live_command(&live[i], "EXISTS nightly"), ":1\r\n") == 0;
    return n;
}

static void hurt(int n, void (*how)(struct live_server *s))
{
    int i;

    for (i = 0; i < n; i++)
        how(&live[i]);
}

START_TEST(five_servers_grant_extend_and_let_go)
{
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(&lock, now_ms()), 0);
    drain();
    ck_assert_int_ge(keys(), 3); /* who connects after a majority has granted it is not asked any more, */
    for (int i = 0; keys() < 5; i++) {
        ck_assert_int_lt(i, 100);
        ck_assert_int_ge(rdl_redlock_extend(&lock, &client_net, MAX_TTL), RDL_OK); /* but by an extend */
        drain();
    }
    ck_assert_int_ge(rdl_redlock_extend(&lock, &client_net, MAX_TTL), RDL_OK);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(&lock, now_ms()), TTL);
    ck_assert_int_eq(release(), RDL_OK);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(with_two_killed_or_frozen_all_goes_on)
{
    ck_assert_int_eq(acquire(), RDL_OK); /* connected to all */
    ck_assert_int_eq(release(), RDL_OK);
    drain();
    hurt(2, _i ? live_freeze : live_kill);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend(&lock, &client_net, TTL), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    hurt(2, _i ? live_thaw : live_restart);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(with_three_frozen_there_is_no_quorum_and_no_key_after_the_thaw)
{
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    drain();
    hurt(3, live_freeze);
    opt.lease.attempt_ms = HASTY_MS;
    ck_assert_int_eq(acquire(), RDL_NO_QUORUM);
    rdl_redlock_drain(&lock, &client_net, now_ms() + 50); /* what is owed goes out, and is not answered */
    ck_assert(!rdl_redlock_is_idle(&lock));
    hurt(3, live_thaw);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(with_three_killed_there_is_no_quorum_and_no_key_on_the_others)
{
    if (_i) {
        ck_assert_int_eq(acquire(), RDL_OK);
        ck_assert_int_eq(release(), RDL_OK);
        drain();
    }
    hurt(3, live_kill);
    ck_assert_int_eq(acquire(), RDL_NO_QUORUM);
    hurt(3, live_restart);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(while_it_is_held_three_that_freeze_leave_the_lease_as_it_is)
{
    uint64_t until;

    ck_assert_int_eq(acquire(), RDL_OK);
    drain();
    until = rdl_redlock_until_ms(&lock);
    hurt(3, live_freeze);
    opt.lease.attempt_ms = HASTY_MS;
    ck_assert_int_eq(rdl_redlock_extend(&lock, &client_net, TTL), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_redlock_until_ms(&lock), until);
    ck_assert_int_eq(release(), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(&lock, now_ms()), 0);
    hurt(3, live_thaw);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(servers_that_are_started_again_are_used_again)
{
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    drain();
    hurt(3, live_kill);
    ck_assert_int_eq(acquire(), RDL_NO_QUORUM);
    hurt(3, live_restart);
    opt.lease.wait_ms = CLIENT_PATIENCE_MS;
    opt.lease.retry_ms = 5;
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(somebody_elses_lock_is_busy_and_stays_his)
{
    int i;

    for (i = 1; i < 4; i++)
        live_command(&live[i], "SET nightly other PX 60000");
    ck_assert_int_eq(acquire(), RDL_BUSY);
    drain();
    ck_assert_int_eq(keys(), 3);
    ck_assert_str_eq(live_command(&live[2], "GET nightly"), "$5\r\nother\r\n");
}
END_TEST

START_TEST(a_majority_that_lost_its_memory_is_lost)
{
    int i;

    ck_assert_int_eq(acquire(), RDL_OK);
    drain();
    for (i = 0; i < 3; i++)
        live_command(&live[i], "FLUSHALL");
    ck_assert_int_eq(_i ? rdl_redlock_extend(&lock, &client_net, TTL) : release(),
                     _i ? RDL_LOST : RDL_EXPIRED);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

/* ---------------------------------------------------------------- a host in trouble */

static int no_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 0, len);
    return RDL_E_RANDOM;
}

static int no_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms)
{
    (void)ctx;
    (void)conns;
    (void)n;
    (void)until_ms;
    return RDL_E_SYSTEM;
}

START_TEST(without_random_numbers_there_is_no_lock)
{
    struct rdl_net net = client_net;

    net.random = no_random;
    ck_assert_int_eq(rdl_redlock_acquire(&lock, &net), RDL_E_RANDOM);
    ck_assert(rdl_redlock_is_idle(&lock));
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(a_host_that_refuses_to_wait_is_said_and_nothing_is_left)
{
    struct rdl_net net = client_net;

    net.poll = no_poll;
    ck_assert_int_eq(rdl_redlock_acquire(&lock, &net), RDL_E_SYSTEM);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(rdl_redlock_release(&lock, &net), RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_redlock_drain(&lock, &net, now_ms() + 1000), RDL_E_SYSTEM);
    drain();
    ck_assert_int_eq(keys(), 0);
}
END_TEST

START_TEST(drain_ends_at_its_bound)
{
    ck_assert_int_eq(acquire(), RDL_OK);
    hurt(1, live_freeze);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert_int_eq(rdl_redlock_drain(&lock, &client_net, now_ms()), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_redlock_drain(&lock, &client_net, now_ms() + 30), RDL_E_TIMEOUT);
    hurt(1, live_thaw);
    drain();
}
END_TEST

Suite *suite_redlock_io(void);

Suite *suite_redlock_io(void)
{
    Suite *suite = suite_create("redlock_io");
    TCase *tc = tcase_create("io");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, five_servers_grant_extend_and_let_go);
    tcase_add_loop_test(tc, with_two_killed_or_frozen_all_goes_on, 0, 2);
    tcase_add_test(tc, with_three_frozen_there_is_no_quorum_and_no_key_after_the_thaw);
    tcase_add_loop_test(tc, with_three_killed_there_is_no_quorum_and_no_key_on_the_others, 0, 2);
    tcase_add_test(tc, while_it_is_held_three_that_freeze_leave_the_lease_as_it_is);
    tcase_add_test(tc, servers_that_are_started_again_are_used_again);
    tcase_add_test(tc, somebody_elses_lock_is_busy_and_stays_his);
    tcase_add_loop_test(tc, a_majority_that_lost_its_memory_is_lost, 0, 2);
    tcase_add_test(tc, without_random_numbers_there_is_no_lock);
    tcase_add_test(tc, a_host_that_refuses_to_wait_is_said_and_nothing_is_left);
    tcase_add_test(tc, drain_ends_at_its_bound);
    suite_add_tcase(suite, tc);
    return suite;
}
