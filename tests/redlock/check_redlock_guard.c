/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_guard.c - the restart guard: which votes count, from when on, and what a caller sees.
 * Rule R26.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 10000000, QUARANTINE = FLEET_TTL + 1000 };

static void guarded(size_t n, enum rdl_guard guard)
{
    fleet_guarded(n, guard, NOW);
}

static const enum rdl_guard guards[] = {RDL_GUARD_STRICT, RDL_GUARD_REQUIRED, RDL_GUARD_IF_PERMITTED};

START_TEST(restarted_server_counts_after_the_quarantine)
{
    uint64_t now = NOW;

    guarded(1, guards[_i]);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_run(rdl_redlock_release_begin(lock, now), &now);
    fleet_restart(0, NOW);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW + QUARANTINE);
    now = NOW + QUARANTINE - 1;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_E_QUARANTINE);
    ck_assert_uint_eq(fleet_keys(now), 0);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
}
END_TEST

/* Two of three restarted. They count QUARANTINE later: a wait that ends before that changes nothing. */
START_TEST(acquire_does_not_wait_for_a_quarantine_that_outlasts_it)
{
    const uint32_t left = QUARANTINE - 1; /* until they count */
    const uint32_t waits[] = {left - 1, left, left + RDL_RETRY_CAP_MS};
    uint64_t now = NOW + 1;

    guarded(3, RDL_GUARD_IF_PERMITTED);
    fleet.opt.lease.retry_ms = 50;
    fleet_restart(0, NOW);
    fleet_restart(2, NOW);
    fleet.opt.lease.wait_ms = waits[_i];
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), _i == 2 ? RDL_OK : RDL_E_QUARANTINE);
    ck_assert(_i == 2 ? now >= NOW + QUARANTINE : now == NOW + 1);
}
END_TEST

/* Three of five restarted, two of them a second later. */
START_TEST(acquire_waits_if_enough_servers_count_in_time)
{
    uint64_t now = NOW + 1000;

    guarded(5, RDL_GUARD_IF_PERMITTED);
    fleet_restart(0, NOW);
    fleet_restart(1, now);
    fleet_restart(2, now);
    fleet.opt.lease.retry_ms = 50;
    fleet.opt.lease.wait_ms = QUARANTINE - 1000 + RDL_RETRY_CAP_MS;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_lt(now, NOW + 1000 + QUARANTINE);
}
END_TEST

START_TEST(max_ttl_is_rounded_up_to_seconds)
{
    guarded(1, RDL_GUARD_REQUIRED);
    fleet_restart(0, NOW);
    fleet.opt.max_ttl_ms = 10001;
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW + 12000);
    fleet.opt.max_ttl_ms = 999000;
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW + 1000000);
}
END_TEST

START_TEST(restarted_server_counts_at_once_with_the_guard_off)
{
    uint64_t now = NOW + 1;

    guarded(1, RDL_GUARD_OFF);
    fleet_restart(0, NOW);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
}
END_TEST

/* A holds 0, 1, 2 of five; 2 forgets. 2, 3 and 4 grant it to B, and B still does not hold the lock. */
START_TEST(server_that_forgot_a_lease_does_not_grant_it_twice)
{
    uint64_t now = NOW;
    size_t i;

    guarded(5, _i ? RDL_GUARD_OFF : RDL_GUARD_REQUIRED);
    for (i = 0; i < 2; i++)
        fleet_command(i, "SET k other PX 9000\r\n", now);
    fleet_restart(2, now);
    now += 100;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), _i ? RDL_OK : RDL_BUSY);
}
END_TEST

/* Server i restarts and the lock is acquired, also there. Returns the time. */
static uint64_t hold_with_one_that_restarted(size_t i)
{
    uint64_t now = NOW + 1;

    fleet_restart(i, NOW);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    return now;
}

START_TEST(server_in_quarantine_gets_every_request)
{
    uint64_t now;

    guarded(5, RDL_GUARD_REQUIRED);
    now = hold_with_one_that_restarted(4);
    ck_assert_uint_eq(fleet_keys(now), 5);
    ck_assert(!fleet.servers[4].counts);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* Granted in quarantine; an extend afterwards makes the vote count, not earlier. */
START_TEST(grant_in_quarantine_counts_after_a_later_extend)
{
    uint64_t now;

    guarded(3, RDL_GUARD_REQUIRED);
    fleet.opt.max_ttl_ms = FLEET_TTL;
    (void)hold_with_one_that_restarted(2);
    now = NOW + 9000;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    fleet.mood[0] = MOOD_FROZEN;
    now = NOW + QUARANTINE - 1;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
}
END_TEST

/* Its yes is neither a vote nor a refusal: a slower server may still complete the majority. */
START_TEST(extend_waits_for_servers_that_count)
{
    uint64_t now;

    guarded(3, RDL_GUARD_REQUIRED);
    (void)hold_with_one_that_restarted(2);
    now = NOW + 4000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve(2, now);
    fleet_serve(0, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve(1, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
}
END_TEST

/* Server 0 is another run than before, and reports an uptime of an hour. */
static void long_up(void)
{
    fleet_restart(0, NOW);
    fleet.s[0].conn.cfg->server_info->uptime_s = 3600;
    fleet.s[0].conn.cfg->server_info->has &= (uint8_t)~RDL_INFO_TIMESTAMP;
}

/*
 * Its wall clock steps ahead by an hour after the start: its uptime is wrong for clients that did not see it
 * before.
 */
START_TEST(stepped_server_clock_misleads_all_guards_but_strict)
{
    uint64_t now = NOW + 4000;

    guarded(1, guards[_i]);
    long_up();
    fleet.s[0].conn.cfg->server_info->is_other = 0;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now),
                     guards[_i] == RDL_GUARD_STRICT ? RDL_E_QUARANTINE : RDL_OK);
}
END_TEST

/* Its address now leads to another server, which does not know the leases of the first one. */
START_TEST(new_server_counts_max_ttl_after_the_first_reply)
{
    uint64_t now = NOW + 4000;

    guarded(1, guards[_i]);
    long_up();
    rdl_conn_tick(&fleet.s[0].conn, NOW);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW + QUARANTINE);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_E_QUARANTINE);
    fleet_down(0); /* the next connection changes nothing */
    fleet_up(0);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
}
END_TEST

START_TEST(guard_decides_if_info_is_forbidden)
{
    static const int results[] = {[RDL_GUARD_IF_PERMITTED] = RDL_OK,
                                  [RDL_GUARD_REQUIRED] = RDL_NO_QUORUM,
                                  [RDL_GUARD_STRICT] = RDL_NO_QUORUM,
                                  [RDL_GUARD_OFF] = RDL_OK};
    uint64_t now = NOW;

    guarded(1, RDL_GUARD_OFF);
    fleet.opt.guard = (uint8_t)_i;
    fleet.s[0].conn.cfg->server_info->has = RDL_INFO_TIMESTAMP; /* the replies were NOPERM */
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), results[_i]);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), results[_i] ? RDL_E_PERM : RDL_OK);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), results[_i] ? UINT64_MAX : 0);
}
END_TEST

START_TEST(server_behind_two_addresses_has_one_vote)
{
    uint64_t now = NOW;

    guarded(3, RDL_GUARD_REQUIRED);
    fleet.s[2].conn.cfg->server_info->run = fleet.s[0].conn.cfg->server_info->run;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 2);
    ck_assert_int_eq(rdl_redlock_error(lock, 2), RDL_E_DUPLICATE);
    fleet_run(rdl_redlock_release_begin(lock, now), &now);
    fleet.s[1].conn.cfg->server_info->run = fleet.s[0].conn.cfg->server_info->run;
    fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = 1000;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM); /* at once: waiting does not help */
    ck_assert_uint_eq(now, NOW);
}
END_TEST

/*
 * One server behind 0 and 2, each connected only while the other is not; and 1 stalls. That server confirms
 * the lease or reports that it lost the key; the one that was behind 2 had it.
 */
START_TEST(one_vote_behind_two_addresses_with_one_of_them_away)
{
    uint64_t now = NOW;

    guarded(3, RDL_GUARD_REQUIRED);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    memcpy(fleet.s[2].model.run_id, fleet.s[0].model.run_id, sizeof fleet.s[2].model.run_id);
    fleet_down(2);
    fleet.mood[1] = MOOD_FROZEN;
    if (_i)
        fleet_delete(0, now);
    now += 4000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve(0, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_count(lock, _i ? RDL_VOTE_ABSENT : RDL_VOTE_GRANTED), 1);
    fleet_down(0);
    fleet_up(2);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_redlock_error(lock, 2), RDL_E_DUPLICATE);
}
END_TEST

/* One server behind 0 and 2; held over 1 and 2 while the server behind 0 was unknown; 0 is back now. */
static uint64_t held_before_the_first_address_is_back(void)
{
    char key[64];
    char token[RDL_TOKEN_TEXT_MAX] = "";
    uint64_t now = NOW;

    guarded(3, RDL_GUARD_REQUIRED);
    memcpy(fleet.s[0].model.run_id, fleet.s[2].model.run_id, sizeof fleet.s[0].model.run_id);
    fleet_down(0);
    fleet.s[0].conn.cfg->server_info->run = 0;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    rdl_redlock_token(lock, token);
    snprintf(key, sizeof key, "SET k %s PX %d\r\n", token, FLEET_TTL);
    fleet_command(0, key, now); /* as it is on 2 */
    fleet_up(0);
    return now;
}

START_TEST(lease_continues_over_the_address_that_granted_it)
{
    uint64_t now = held_before_the_first_address_is_back();

    while (rdl_conn_state(&fleet.s[0].conn) != RDL_CONN_READY) {
        fleet_serve_all(++now);
        rdl_redlock_step(lock, now); /* a server that logs in this early gets the request */
    }
    ck_assert_uint_lt(now, NOW + FLEET_ATTEMPT);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    for (int i = 0; i < 4; i++) {
        now += FLEET_TTL / 3;
        ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
        ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_DUPLICATE);
    }
}
END_TEST

/* Here 0 logs in during the extend, and 1 stalls. The same for an adopted lock. */
START_TEST(request_is_not_repeated_over_another_address)
{
    uint64_t now = held_before_the_first_address_is_back() + 1000;
    char token[RDL_TOKEN_TEXT_MAX];

    rdl_redlock_token(lock, token);
    if (_i == 1)
        ck_assert_int_eq(rdl_redlock_adopt(lock, token, strlen(token)), RDL_OK);
    fleet.mood[1] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve(2, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 1);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_DUPLICATE);
}
END_TEST

/* One server behind 0 and 2. Its vote of this operation counts, whatever was before. */
START_TEST(request_was_sent_over_the_address_that_counts)
{
    guarded(3, RDL_GUARD_REQUIRED);
    fleet.s[2].conn.cfg->server_info->run = fleet.s[0].conn.cfg->server_info->run;
    fleet.servers[0].certainty = CERTAINTY_CONTINUOUS;
    fleet.servers[2].vote = RDL_VOTE_PENDING;
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), UINT64_MAX);
    ck_assert_uint_lt(rdl_redlock_counts_at(lock, 2), NOW);
}
END_TEST

/* By its policy, and only if its memory has a limit. */
START_TEST(server_that_may_evict_is_reported)
{
    guarded(1, RDL_GUARD_REQUIRED);
    fleet.s[0].server_info.has = RDL_INFO_RUN | RDL_INFO_UPTIME | RDL_INFO_TIMESTAMP;
    if (_i & 1)
        fleet.s[0].server_info.has |= RDL_INFO_BOUNDED;
    if (_i & 2)
        fleet.s[0].server_info.has |= RDL_INFO_EVICTS;
    ck_assert_int_eq(rdl_redlock_may_evict(lock, 0), _i == 3);
}
END_TEST

/* One server counts, one will soon, and one is still connecting. */
START_TEST(acquire_is_sent_when_a_quarantine_ends)
{
    uint64_t now = NOW + QUARANTINE - 100;

    guarded(3, RDL_GUARD_REQUIRED);
    fleet.opt.lease.wait_ms = 20000;
    fleet.opt.lease.retry_ms = 50;
    fleet_restart(1, NOW);
    fleet_down(2);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[2].conn), RDL_CONN_OPENING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock), NOW + QUARANTINE);
    now = NOW + QUARANTINE;
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve(0, now);
    fleet_serve(1, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
}
END_TEST

/* Its quarantine, if it has one, begins with this acquire, and not when that of the others is over. */
START_TEST(quarantine_waits_for_a_server_that_connects)
{
    guarded(3, RDL_GUARD_REQUIRED);
    fleet_restart(0, NOW);
    fleet_restart(1, NOW);
    fleet_down(2);
    ck_assert_int_eq(fleet_acquire(NOW + 10), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[2].conn), RDL_CONN_OPENING);
    if (_i == 0) {
        fleet_up(2);
        fleet_serve(2, NOW + 10);
        ck_assert_int_eq(rdl_redlock_step(lock, NOW + 10), RDL_E_QUARANTINE);
    } else {
        ck_assert_int_eq(rdl_redlock_step(lock, NOW + 10 + RDL_CONNECT_MS - 1), RDL_PENDING);
        ck_assert_int_eq(rdl_redlock_step(lock, NOW + 10 + RDL_CONNECT_MS), RDL_E_QUARANTINE);
    }
}
END_TEST

START_TEST(wait_longer_than_the_quarantine_gets_the_lock)
{
    uint64_t now = NOW + 4000;

    guarded(3, RDL_GUARD_REQUIRED);
    fleet.opt.lease.wait_ms = 20000;
    fleet.opt.lease.retry_ms = 50;
    fleet_restart(0, NOW);
    fleet_restart(1, NOW);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_ge(now, NOW + QUARANTINE);
    ck_assert_uint_lt(now, NOW + QUARANTINE + RDL_RETRY_CAP_MS);
}
END_TEST

static void expect_report(uint64_t now, const char *text)
{
    char line[128];

    rdl_redlock_report(lock, 2, now, line, sizeof line);
    ck_assert_str_eq(line, text);
}

START_TEST(report_shows_the_quarantine_and_its_end)
{
    uint64_t now;

    guarded(3, RDL_GUARD_REQUIRED);
    now = hold_with_one_that_restarted(2);
    expect_report(now, "confirmed in 0 ms, but restarted too recently to be used for another 10999 ms");
    expect_report(NOW + QUARANTINE,
                  "confirmed in 0 ms, but restarted too recently to be used"); /* at that time it did not */
    ck_assert(!rdl_redlock_may_evict(lock, 2));
    fleet_run(rdl_redlock_release_begin(lock, now), &now);
    fleet_restart(1, now);
    fleet_restart(2, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_E_QUARANTINE);
    expect_report(now, "restarted too recently to be used for another 11000 ms");
}
END_TEST

/* It is unknown what is at that address now. */
START_TEST(report_of_a_lost_server_has_no_end_of_the_quarantine)
{
    uint64_t now;

    guarded(3, RDL_GUARD_REQUIRED);
    now = hold_with_one_that_restarted(2);
    fleet_down(2);
    expect_report(now, "confirmed in 0 ms, but restarted too recently to be used");
}
END_TEST

Suite *suite_redlock_guard(void)
{
    Suite *suite = suite_create("redlock_guard");
    TCase *tc = suite_case(suite, "guard", NULL, NULL);

    tcase_add_loop_test(tc, restarted_server_counts_after_the_quarantine, 0, 3);
    tcase_add_loop_test(tc, acquire_does_not_wait_for_a_quarantine_that_outlasts_it, 0, 3);
    tcase_add_test(tc, request_was_sent_over_the_address_that_counts);
    tcase_add_loop_test(tc, server_that_may_evict_is_reported, 0, 4);
    tcase_add_test(tc, acquire_waits_if_enough_servers_count_in_time);
    tcase_add_test(tc, max_ttl_is_rounded_up_to_seconds);
    tcase_add_test(tc, restarted_server_counts_at_once_with_the_guard_off);
    tcase_add_loop_test(tc, server_that_forgot_a_lease_does_not_grant_it_twice, 0, 2);
    tcase_add_test(tc, server_in_quarantine_gets_every_request);
    tcase_add_test(tc, grant_in_quarantine_counts_after_a_later_extend);
    tcase_add_test(tc, extend_waits_for_servers_that_count);
    tcase_add_loop_test(tc, stepped_server_clock_misleads_all_guards_but_strict, 0, 3);
    tcase_add_loop_test(tc, new_server_counts_max_ttl_after_the_first_reply, 0, 3);
    tcase_add_loop_test(tc, guard_decides_if_info_is_forbidden, 0, 4);
    tcase_add_test(tc, server_behind_two_addresses_has_one_vote);
    tcase_add_loop_test(tc, one_vote_behind_two_addresses_with_one_of_them_away, 0, 2);
    tcase_add_test(tc, lease_continues_over_the_address_that_granted_it);
    tcase_add_loop_test(tc, request_is_not_repeated_over_another_address, 0, 2);
    tcase_add_test(tc, acquire_is_sent_when_a_quarantine_ends);
    tcase_add_loop_test(tc, quarantine_waits_for_a_server_that_connects, 0, 2);
    tcase_add_test(tc, wait_longer_than_the_quarantine_gets_the_lock);
    tcase_add_test(tc, report_shows_the_quarantine_and_its_end);
    tcase_add_test(tc, report_of_a_lost_server_has_no_end_of_the_quarantine);
    return suite;
}
