/* SPDX-License-Identifier: MIT */
/*
 * The blocking calls for N servers, with five real ones; check_redlock_faults.c tests servers with problems.
 */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lock/lock_hint.h"
#include "tests/fixtures/quorum.h"
#include "tests/suite.h"

#define lock (&party.lock)

static struct party party;

static void setup(void)
{
    quorum_start(5);
    party_init(&party);
}

START_TEST(five_servers_grant_extend_and_release)
{
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_uint_gt(party_remaining(&party), 0);
    party_drain(&party);
    ck_assert_int_ge(quorum_keys(), 3);
    for (int i = 0; quorum_keys() < 5; i++) {
        ck_assert_int_lt(i, 100);
        ck_assert_int_ge(party_extend(&party, QUORUM_MAX_TTL), RDL_OK); /* late ones are extended, too */
        party_drain(&party);
    }
    ck_assert_int_ge(party_extend(&party, QUORUM_MAX_TTL), RDL_OK);
    ck_assert_uint_gt(party_remaining(&party), QUORUM_TTL);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

START_TEST(restarted_servers_are_used_again)
{
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
    quorum_hurt(0, 3, live_kill);
    ck_assert_int_eq(party_acquire(&party), RDL_NO_QUORUM);
    quorum_hurt(0, 3, live_restart);
    party.opt.lease.wait_ms = CLIENT_TIMEOUT_MS;
    party.opt.lease.retry_ms = 5;
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

START_TEST(another_clients_lock_is_busy_and_stays_unchanged)
{
    int i;

    for (i = 1; i < 4; i++)
        live_command(&quorum_live[i], "SET nightly other PX 60000");
    ck_assert_int_eq(party_acquire(&party), RDL_BUSY);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 3);
    ck_assert_str_eq(live_command(&quorum_live[2], "GET nightly"), "$5\r\nother\r\n");
}
END_TEST

START_TEST(a_lock_is_lost_if_a_majority_lost_its_data)
{
    int i;

    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_drain(&party);
    while (quorum_keys() < 5) { /* a server that connected late gets its key from the next extend */
        ck_assert_int_ge(party_extend(&party, QUORUM_TTL), RDL_OK);
        party_drain(&party);
    }
    for (i = 0; i < 3; i++)
        live_command(&quorum_live[i], "FLUSHALL");
    ck_assert_int_eq(_i ? party_extend(&party, QUORUM_TTL) : party_release(&party),
                     _i ? RDL_LOST : RDL_EXPIRED);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

static uint64_t a_second_later(void *ctx)
{
    return client_platform.now_ms(ctx) + 1001;
}

/* A majority was killed while the holder worked, is back without data, and refuses INFO. */
START_TEST(a_majority_release_after_long_work_reads_first)
{
    struct rdl_platform later = client_platform;
    int i;

    later.now_ms = a_second_later;
    for (i = 0; i < 5; i++)
        live_command(&quorum_live[i], "ACL SETUSER default -info");
    party_connect_all(&party); /* all five have it then */
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_drain(&party);
    quorum_hurt(0, 3, live_kill);
    quorum_hurt(0, 3, live_restart);
    for (i = 0; i < 3; i++) {
        live_command(&quorum_live[i], "ACL SETUSER default -info");
        if (_i)
            live_command(&quorum_live[i], "SET nightly other");
    }
    ck_assert_int_eq(rdl_redlock_release(lock, &later), _i ? RDL_LOST : RDL_EXPIRED);
}
END_TEST

/* ---------------------------------------------------------------- a host with problems */

START_TEST(a_majority_acquire_fails_without_entropy)
{
    struct rdl_platform platform = client_net_without_random();

    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_E_RANDOM);
    ck_assert(rdl_redlock_is_idle(lock));
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

START_TEST(a_failed_poll_leaves_no_key_on_any_server)
{
    struct rdl_platform platform = client_net_without_poll();

    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_E_SYSTEM);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_int_eq(rdl_redlock_release(lock, &platform), RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_redlock_drain(lock, &platform, client_now() + 1000), RDL_E_SYSTEM);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

/* Two of three are another client's: the grant of the third is released. */
START_TEST(an_interrupted_acquire_leaves_no_key)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    client_set_wake_fd(ends[0]);
    party.opt.lease.wait_ms = RDL_WAIT_FOREVER;
    party.opt.lease.retry_ms = 50;
    rdl_redlock_init(lock, &party.opt, party.servers, 3, "nightly", 7);
    for (int i = 0; i < 2; i++)
        live_command(&quorum_live[i], "SET nightly other PX 60000");
    if (live_fork() == 0) {
        struct timespec some = {0, 200000000};
        nanosleep(&some, NULL);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    ck_assert_int_eq(rdl_redlock_acquire(lock, &client_platform), RDL_E_INTERRUPTED);
    ck_assert_int_eq(rdl_redlock_drain(lock, &client_platform, client_now() + CLIENT_TIMEOUT_MS), RDL_OK);
    ck_assert_int_eq(quorum_keys(), 2);
    ck_assert_str_eq(live_command(&quorum_live[2], "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(drain_ends_at_its_deadline)
{
    party_connect_all(&party);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    quorum_hurt(0, 1, live_freeze);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    ck_assert_int_eq(rdl_redlock_drain(lock, &client_platform, client_now()), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_redlock_drain(lock, &client_platform, client_now() + 30), RDL_E_TIMEOUT);
    quorum_hurt(0, 1, live_thaw);
    party_drain(&party);
}
END_TEST

START_TEST(drain_reads_the_last_reply)
{
    party_connect_all(&party);
    quorum_hurt(0, 1, live_freeze);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    quorum_hurt(0, 1, live_thaw);
    ck_assert_int_eq(rdl_redlock_drain(lock, &client_platform, client_now() + CLIENT_TIMEOUT_MS), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 5);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
}
END_TEST

/* It closes the connection of a wait that is no longer needed. */
/* A lock that waits for this time, with a hint; another client has it for a while. */
static struct client second;

static void meet_holder(uint32_t wait_ms, int holder_ttl_ms)
{
    static struct rdl_hint hint;
    static char url[256];

    party.opt.lease.wait_ms = wait_ms;
    party.opt.lease.retry_ms = 50;
    client_init(&second, live_url(&quorum_live[0], LIVE_V4, url, sizeof url));
    rdl_hint_init(&hint, &second.conn);
    rdl_redlock_set_hint(lock, &hint);
    client_wait_state(&second, RDL_CONN_READY);
    party_connect_all(&party);
    for (int i = 0; i < 5; i++)
        live_command(&quorum_live[i], "SET nightly other PX %d", holder_ttl_ms);
}

/* The time is over as soon as the server reports a blocked client: it does not end the wait itself. */
static uint64_t ahead_ms;

static int poll_until_blocked(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                              unsigned flags)
{
    if (strstr(live_command(&quorum_live[0], "INFO clients"), "\nblocked_clients:1") != NULL)
        ahead_ms = party.opt.lease.wait_ms;
    return client_platform.poll(ctx, conns, n, until_ms == 0 ? 0 : client_now() + 20, flags);
}

static uint64_t now_ahead(void *ctx)
{
    return client_platform.now_ms(ctx) + ahead_ms;
}

/* The connection it waited on would take the hint from a client that still waits. */
START_TEST(an_acquire_that_times_out_closes_its_hint_connection)
{
    struct rdl_platform platform = client_platform;

    platform.poll = poll_until_blocked;
    platform.now_ms = now_ahead;
    ahead_ms = 0;
    meet_holder(30000, 60000);
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_BUSY);
    ck_assert_uint_ne(ahead_ms, 0);
    ck_assert_int_ne(rdl_conn_state(&second.conn), RDL_CONN_READY);
    ck_assert_int_eq(rdl_conn_wants(&second.conn) & RDL_WANT_CLOSE, 0);
}
END_TEST

START_TEST(a_blocking_acquire_waits_with_a_hint)
{
    meet_holder(CLIENT_TIMEOUT_MS, 200);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_int_eq(rdl_conn_wants(&second.conn) & RDL_WANT_CLOSE, 0);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
    for (int i = 0; i < 5; i++) { /* nothing of ours; the other's last one may have a moment left */
        const char *left = live_command(&quorum_live[i], "GET nightly");
        ck_assert_msg(strcmp(left, "$-1\r\n") == 0 || strcmp(left, "$5\r\nother\r\n") == 0, "%d: %s", i,
                      left);
    }
}
END_TEST

START_TEST(a_hint_that_only_wakes_others_needs_no_connection)
{
    static struct rdl_hint hint;

    rdl_hint_init(&hint, NULL);
    rdl_redlock_set_hint(lock, &hint);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

Suite *suite_redlock_io(void)
{
    Suite *suite = suite_create("redlock_io");
    TCase *tc = suite_case(suite, "io", setup, quorum_stop);

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, five_servers_grant_extend_and_release);
    tcase_add_test(tc, restarted_servers_are_used_again);
    tcase_add_test(tc, another_clients_lock_is_busy_and_stays_unchanged);
    tcase_add_loop_test(tc, a_lock_is_lost_if_a_majority_lost_its_data, 0, 2);
    tcase_add_loop_test(tc, a_majority_release_after_long_work_reads_first, 0, 2);
    tcase_add_test(tc, a_majority_acquire_fails_without_entropy);
    tcase_add_test(tc, a_failed_poll_leaves_no_key_on_any_server);
    tcase_add_test(tc, an_interrupted_acquire_leaves_no_key);
    tcase_add_test(tc, drain_ends_at_its_deadline);
    tcase_add_test(tc, drain_reads_the_last_reply);
    tcase_add_test(tc, an_acquire_that_times_out_closes_its_hint_connection);
    tcase_add_test(tc, a_blocking_acquire_waits_with_a_hint);
    tcase_add_test(tc, a_hint_that_only_wakes_others_needs_no_connection);
    return suite;
}
