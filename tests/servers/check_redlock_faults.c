/* SPDX-License-Identifier: MIT */
/* Real servers with one kind of problem after the other: a minority costs nothing but its votes. */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "redlock/redlock_op.h"
#include "tests/fixtures/quorum.h"
#include "tests/fixtures/relay.h"
#include "tests/suite.h"

#define lock (&party.lock)

static struct party party;

static void setup(void)
{
    quorum_start(5);
    party_init(&party);
}

static void hasty(void)
{
    party.opt.lease.attempt_ms = QUORUM_HASTY_MS;
}

/* Acquire, extend, release, each with its normal result. */
static void all_works(void)
{
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    ck_assert_uint_gt(party_remaining(&party), 0);
    ck_assert_uint_ge(rdl_redlock_count(lock, RDL_VOTE_GRANTED), rdl_redlock_quorum(lock));
    ck_assert_int_ge(party_extend(&party, QUORUM_MAX_TTL), RDL_OK); /* REPAIRED, if one came late */
    ck_assert_uint_gt(party_remaining(&party), QUORUM_TTL);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    ck_assert_uint_eq(party_remaining(&party), 0);
}

static void nothing_works(void)
{
    ck_assert_int_eq(party_acquire(&party), RDL_NO_QUORUM);
    ck_assert_uint_eq(party_remaining(&party), 0);
}

/* The servers work again: none of our keys is left there, and each is used as before. */
static void all_recovers(void)
{
    party.opt.lease.attempt_ms = QUORUM_PATIENT_MS;
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
    party_connect_all(&party);
    all_works();
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), quorum_n);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), (unsigned)quorum_n);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 0);
}

/* The report on server i begins with this. */
static void is_reported(size_t i, const char *text)
{
    char line[128];

    rdl_redlock_report(lock, i, client_now(), line, sizeof line);
    ck_assert_msg(strncmp(line, text, strlen(text)) == 0, "server %zu, not '%s' but: %s", i, text, line);
}

/* ---------------------------------------------------------------- down and stalled */

/* Of five. */
static const struct {
    int down, stalled;
} minorities[] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 1}};

static void hurt_minority(int down, int stalled, int is_connected)
{
    party_init(&party);
    if (is_connected)
        party_connect_all(&party);
    quorum_hurt(0, down, live_kill);
    quorum_hurt(down, stalled, live_freeze);
    all_works();
    all_works();
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    if (down > 0)
        ck_assert_uint_ne(party.servers[0].vote, RDL_VOTE_GRANTED);
    if (stalled > 0)
        is_reported((size_t)down, is_connected ? "no reply yet" : "connected, but no reply yet");
    ck_assert_int_eq(party_release(&party), RDL_OK);
    quorum_hurt(0, down, live_restart);
    quorum_hurt(down, stalled, live_thaw);
    all_recovers();
}

/* It begins before the handle is connected, or after. */
START_TEST(two_of_five_servers_down_or_frozen_change_nothing)
{
    hurt_minority(minorities[_i].down, minorities[_i].stalled, 0);
    hurt_minority(minorities[_i].down, minorities[_i].stalled, 1);
}
END_TEST

START_TEST(with_three_of_five_down_no_client_gets_the_lock)
{
    size_t i;

    if (_i)
        party_connect_all(&party);
    quorum_hurt(0, 3, live_kill);
    nothing_works();
    nothing_works();
    for (i = 0; i < 3; i++) {
        int error = rdl_redlock_error(lock, i);
        ck_assert(error == RDL_E_CONNECT || error == RDL_E_CLOSED);
    }
    quorum_hurt(0, 3, live_restart);
    all_recovers();
}
END_TEST

START_TEST(with_three_of_five_frozen_every_request_is_undone)
{
    size_t i;

    party_connect_all(&party);
    quorum_hurt(0, 3, live_freeze);
    hasty();
    nothing_works();
    for (i = 0; i < 3; i++)
        is_reported(i, "timed out");
    nothing_works();
    rdl_redlock_drain(lock, &client_platform, client_now() + 20); /* the releases follow the SETs */
    ck_assert(!rdl_redlock_is_idle(lock));
    quorum_hurt(0, 3, live_thaw);
    all_recovers();
}
END_TEST

START_TEST(a_lease_lasts_until_its_end_if_all_servers_freeze)
{
    uint64_t until;

    party_connect_all(&party);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_drain(&party);
    until = rdl_redlock_until_ms(lock);
    quorum_hurt(0, 5, live_freeze);
    hasty();
    ck_assert_int_eq(party_extend(&party, QUORUM_TTL), RDL_UNKNOWN);
    is_reported(0, "timed out");
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), until);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, until), 0);
    ck_assert_int_eq(party_release(&party), RDL_UNKNOWN);
    ck_assert_uint_eq(party_remaining(&party), 0);
    nothing_works();
    quorum_hurt(0, 5, live_thaw);
    all_recovers();
}
END_TEST

START_TEST(two_of_five_paused_servers_change_nothing)
{
    int i;

    party_connect_all(&party);
    for (i = 0; i < 2; i++)
        live_command(&quorum_live[i], "CLIENT PAUSE 60000 WRITE");
    all_works();
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    is_reported(0, "no reply yet");
    ck_assert_int_eq(party_release(&party), RDL_OK);
    for (i = 0; i < 2; i++)
        live_command(&quorum_live[i], "CLIENT UNPAUSE");
    all_recovers();
}
END_TEST

/* ---------------------------------------------------------------- one server with a problem */

START_TEST(a_server_30_ms_late_is_not_waited_for_but_votes)
{
    struct relay relay = {0};
    uint64_t begun_ms;
    char url[64];

    relay_start(&relay, quorum_live[4].port, 30);
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", relay.port);
    party_move(&party, 4, url);
    party_connect_all(&party);
    all_works();
    begun_ms = client_now();
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_drain(&party);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 5);
    ck_assert_uint_ge(party.servers[4].took_ms, 29); /* whole ms at both ends */
    ck_assert_uint_le(party.servers[4].took_ms, client_now() - begun_ms);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    all_recovers();
    relay_stop(&relay);
}
END_TEST

/* Server 0 cannot be reached, or not with this URL. */
static struct fake_server fake;

START_TEST(a_server_without_connections_costs_one_vote)
{
    char url[256];

    fake.trick = _i ? FAKE_BLACK_HOLE : FAKE_REFUSES;
    fake_start(&fake);
    party_move(&party, 0, fake_url(&fake, url, sizeof url));
    party.clients[0].cfg.connect_ms = CLIENT_TIMEOUT_MS; /* it still connects, even on a busy machine */
    all_works();
    all_works();
    is_reported(0, _i ? "not connected yet" : "cannot connect");
    fake_stop(&fake);
}
END_TEST

START_TEST(one_wrong_password_costs_one_vote)
{
    live_kill(&quorum_live[0]);
    quorum_live[0].password = "s3cret";
    live_restart(&quorum_live[0]);
    all_works();
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_hear(&party, 0);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_AUTH);
    is_reported(0, "the login failed");
    ck_assert_int_eq(party_release(&party), RDL_OK);
    live_command(&quorum_live[0], "CONFIG SET requirepass \"\"");
    quorum_live[0].password = NULL;
    all_recovers();
}
END_TEST

/* Before it is connected, or after. */
START_TEST(one_replica_costs_one_vote)
{
    if (_i)
        party_connect_all(&party);
    live_command(&quorum_live[0], "REPLICAOF 127.0.0.1 1");
    all_works();
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_hear(&party, 0);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_READONLY);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    live_command(&quorum_live[0], "REPLICAOF NO ONE");
    all_recovers();
}
END_TEST

START_TEST(one_server_without_memory_costs_one_vote)
{
    party_connect_all(&party);
    live_command(&quorum_live[0], "CONFIG SET maxmemory 1");
    all_works();
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_hear(&party, 0);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_TRY_LATER);
    is_reported(0, "the server cannot do this now: OOM ");
    ck_assert_int_eq(quorum_keys(), 4);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    live_command(&quorum_live[0], "CONFIG SET maxmemory 0");
    all_recovers();
}
END_TEST

START_TEST(a_server_that_was_flushed_is_repaired)
{
    party_connect_all(&party);
    ck_assert_int_eq(party_acquire(&party), RDL_OK);
    party_drain(&party);
    live_command(&quorum_live[0], "FLUSHALL");
    ck_assert_int_eq(quorum_keys(), 4);
    ck_assert_int_ge(party_extend(&party, QUORUM_TTL), RDL_OK);
    party_drain(&party);
    ck_assert_int_eq(quorum_keys(), 5);
    ck_assert_int_eq(party_release(&party), RDL_OK);
    all_recovers();
}
END_TEST

Suite *suite_redlock_faults(void)
{
    Suite *suite = suite_create("redlock_faults");
    TCase *tc = suite_case(suite, "faults", setup, quorum_stop);

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, two_of_five_servers_down_or_frozen_change_nothing, 0,
                        sizeof minorities / sizeof minorities[0]);
    tcase_add_loop_test(tc, with_three_of_five_down_no_client_gets_the_lock, 0, 2);
    tcase_add_test(tc, with_three_of_five_frozen_every_request_is_undone);
    tcase_add_test(tc, a_lease_lasts_until_its_end_if_all_servers_freeze);
    tcase_add_test(tc, two_of_five_paused_servers_change_nothing);
    tcase_add_test(tc, a_server_30_ms_late_is_not_waited_for_but_votes);
    tcase_add_loop_test(tc, a_server_without_connections_costs_one_vote, 0, 2);
    tcase_add_test(tc, one_wrong_password_costs_one_vote);
    tcase_add_loop_test(tc, one_replica_costs_one_vote, 0, 2);
    tcase_add_test(tc, one_server_without_memory_costs_one_vote);
    tcase_add_test(tc, a_server_that_was_flushed_is_repaired);
    return suite;
}
