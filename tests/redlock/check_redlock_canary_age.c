/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_canary_age.c - what the checks of a canary change, and what a failed one does not.
 *
 * Rule R28.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_commands.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 10000000, QUARANTINE = FLEET_TTL + 1000 };

static struct rdl_canary canaries[RDL_SERVERS_MAX];
static uint64_t now;

/* One server, which has had this canary since then, by its own clock. */
static void begin(enum rdl_guard guard, uint64_t since_ms)
{
    char command[128];

    now = NOW;
    fleet_guarded(1, guard, now);
    rdl_redlock_set_canary(lock, canaries);
    snprintf(command, sizeof command, "*3\r\n$3\r\nSET\r\n$10\r\n" RDL_CANARY_KEY "\r\n$%d\r\n%.16s %u\r\n",
             17 + snprintf(NULL, 0, "%u", (unsigned)(since_ms / 1000)), fleet.s[0].model.run_id,
             (unsigned)(since_ms / 1000));
    fleet_command(0, command, now);
}

static int acquire(void)
{
    return fleet_run(fleet_acquire(now), &now);
}

static int extend(void)
{
    return fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now);
}

static void features(struct sim_features *f)
{
    *f = *fleet.s[0].model.features;
    fleet.s[0].model.features = f;
}

START_TEST(fenced_grant_and_its_canary_take_one_round_trip)
{
    begin(RDL_GUARD_REQUIRED, NOW - 60000);
    fleet.opt.fencing = &rdl_fencing;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    scripted_serve_round(&fleet.s[0], now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
}
END_TEST

/* The server's clock has whole seconds. A check late in a second takes the canary for younger. */
START_TEST(earliest_time_of_a_canary_counts)
{
    begin(RDL_GUARD_REQUIRED, NOW - QUARANTINE);
    now = NOW + (_i ? 0 : 900);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), now);
    now = NOW + (_i ? 900 : 1000);
    ck_assert_int_eq(extend(), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), NOW);
}
END_TEST

START_TEST(server_counts_until_its_canary_is_checked)
{
    fleet_init(1, 1000);
    fleet.opt.guard = RDL_GUARD_OFF;
    rdl_redlock_set_canary(lock, canaries);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), 0);
}
END_TEST

/* GET is refused, or its reply is lost. */
START_TEST(failed_check_does_not_change_what_is_known)
{
    struct sim_features f;

    begin(RDL_GUARD_IF_PERMITTED, NOW - 60000);
    ck_assert_int_eq(acquire(), RDL_OK);
    features(&f);
    if (_i == 0)
        f.denied = " time ";
    else
        fleet.s[0].model.busy = 1;
    ck_assert_int_eq(extend(), _i ? RDL_UNKNOWN : RDL_OK);
    ck_assert_uint_le(rdl_redlock_counts_at(lock, 0), NOW - 60000 + QUARANTINE);
}
END_TEST

static const struct {
    const char *reply; /* to GET and TIME */
    enum rdl_vote vote;
    int error;
} unreadable[] = {
    {"-NOPERM x\r\n-NOPERM x\r\n", RDL_VOTE_GRANTED, RDL_OK},
    {"-ERR unknown command 'GET'\r\n-ERR unknown command 'TIME'\r\n", RDL_VOTE_GRANTED, RDL_OK},
    {"-LOADING x\r\n-LOADING x\r\n", RDL_VOTE_ERROR, RDL_E_TRY_LATER},
    {"-WRONGTYPE x\r\n*2\r\n$5\r\n10000\r\n$1\r\n0\r\n", RDL_VOTE_ERROR, RDL_E_WRONGTYPE},
    {"", RDL_VOTE_UNKNOWN, RDL_E_CLOSED}, /* the connection ends */
};

START_TEST(refused_check_is_no_vote_unless_it_is_forbidden_for_good)
{
    begin(RDL_GUARD_IF_PERMITTED, NOW - 60000);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    scripted_sent(&fleet.s[0]);
    scripted_reply(&fleet.s[0], "+OK\r\n:10000\r\n");
    scripted_reply(&fleet.s[0], unreadable[_i].reply);
    if (unreadable[_i].vote == RDL_VOTE_UNKNOWN)
        scripted_break(&fleet.s[0]);
    ck_assert_int_eq(rdl_redlock_step(lock, now), _i < 2 ? RDL_OK : RDL_NO_QUORUM);
    ck_assert_int_eq(fleet.servers[0].vote, unreadable[_i].vote);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), unreadable[_i].error);
}
END_TEST

static const char *const strangers[] = {
    "RPUSH " RDL_CANARY_KEY " x\r\n", "SET " RDL_CANARY_KEY " 01234567890123456789012345678901234567890\r\n"};

/* Nothing replaces it, so waiting helps as little as with any other permanent error. */
START_TEST(key_of_another_program_is_reported_and_ends_the_wait)
{
    char line[128];

    begin(RDL_GUARD_REQUIRED, NOW - 60000);
    fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = 1000;
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    fleet_command(0, strangers[_i], now);
    ck_assert_int_eq(acquire(), RDL_NO_QUORUM);
    ck_assert_uint_eq(now, NOW);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_WRONGTYPE);
    rdl_redlock_report(lock, 0, now, line, sizeof line);
    ck_assert_str_eq(line,
                     "a key of the lock, or rdl:canary, holds another program's value: rdl:canary is another "
                     "program's: delete it");
    fleet_serve_all(now);
    ck_assert(scripted_has_key(&fleet.s[0], RDL_CANARY_KEY, now));
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    fleet.opt.lease.wait_ms = 0;
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    fleet_serve_all(now);
    now += QUARANTINE;
    ck_assert_int_eq(acquire(), RDL_OK);
}
END_TEST

/* An acquire whose check finds a canary of this run from this second, which is the server's present one. */
static int acquire_finds(unsigned clock_s)
{
    char reply[128];
    int rc;

    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    scripted_sent(&fleet.s[0]);
    snprintf(reply, sizeof reply, "+OK\r\n:10000\r\n$21\r\n%.16s %04u\r\n*2\r\n$4\r\n%04u\r\n$1\r\n0\r\n",
             fleet.s[0].model.run_id, clock_s, clock_s);
    scripted_reply(&fleet.s[0], reply);
    rc = rdl_redlock_step(lock, now);
    scripted_sent(&fleet.s[0]);
    if (rc != RDL_OK)
        scripted_reply(&fleet.s[0], ":1\r\n"); /* to the release */
    fleet.s[0].served = fleet.s[0].len;
    return rc;
}

/* The server's clock was set back, its data was lost, and another client created a canary. */
START_TEST(canary_with_an_earlier_time_is_another_one)
{
    begin(RDL_GUARD_REQUIRED, 9940000);
    ck_assert_int_eq(acquire_finds(9940), RDL_E_QUARANTINE);
    now += QUARANTINE;
    ck_assert_int_eq(acquire_finds(9940 - (unsigned)_i), _i ? RDL_E_QUARANTINE : RDL_OK);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), _i ? now + QUARANTINE : now);
}
END_TEST

/* The same after this client had a canary created, at 10000 or a second later. */
START_TEST(created_canary_is_not_from_before_its_check)
{
    begin(RDL_GUARD_REQUIRED, NOW - 60000);
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    now += QUARANTINE;
    ck_assert_int_eq(acquire_finds(9999), RDL_E_QUARANTINE);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), now + QUARANTINE);
}
END_TEST

/* Without a run_id any canary is accepted, also one that was written before the restart. */
START_TEST(canary_does_not_end_the_quarantine_of_a_restart)
{
    begin(RDL_GUARD_REQUIRED, NOW - 60000);
    fleet.s[0].server_info.has &= (uint8_t)~RDL_INFO_RUN;
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet.s[0].server_info.up_ms = NOW - 2000;
    ck_assert_int_eq(extend(), RDL_UNKNOWN);
    ck_assert_int_eq(fleet.servers[0].vote, RDL_VOTE_GRANTED);
    ck_assert(!fleet.servers[0].counts);
}
END_TEST

START_TEST(missing_canary_costs_one_request)
{
    uint64_t commands;

    begin(RDL_GUARD_REQUIRED, NOW - 60000);
    fleet_command(0, "DEL " RDL_CANARY_KEY "\r\n", now);
    commands = fleet.s[0].model.commands;
    ck_assert_int_eq(acquire(), RDL_E_QUARANTINE);
    fleet_serve_all(now);
    /* SET, PTTL, GET, TIME; a script with TIME and SETNX; a release with GET and DEL */
    ck_assert_uint_eq(fleet.s[0].model.commands - commands, 4 + 3 + 3);
}
END_TEST

Suite *suite_redlock_canary_age(void)
{
    Suite *suite = suite_create("redlock_canary_age");
    TCase *tc = suite_case(suite, "age", NULL, NULL);

    tcase_add_test(tc, fenced_grant_and_its_canary_take_one_round_trip);
    tcase_add_loop_test(tc, earliest_time_of_a_canary_counts, 0, 2);
    tcase_add_test(tc, server_counts_until_its_canary_is_checked);
    tcase_add_loop_test(tc, failed_check_does_not_change_what_is_known, 0, 2);
    tcase_add_loop_test(tc, refused_check_is_no_vote_unless_it_is_forbidden_for_good, 0,
                        sizeof unreadable / sizeof unreadable[0]);
    tcase_add_loop_test(tc, key_of_another_program_is_reported_and_ends_the_wait, 0, 2);
    tcase_add_loop_test(tc, canary_with_an_earlier_time_is_another_one, 0, 2);
    tcase_add_test(tc, created_canary_is_not_from_before_its_check);
    tcase_add_test(tc, canary_does_not_end_the_quarantine_of_a_restart);
    tcase_add_test(tc, missing_canary_costs_one_request);
    return suite;
}
