/* SPDX-License-Identifier: MIT */
/* check_redlock_report.c - the line about each server for people. */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static char line[128];

static const char *report(size_t i)
{
    size_t len = rdl_redlock_report(lock, i, 1000, line, sizeof line);

    ck_assert_uint_eq(len, strlen(line));
    return line;
}

START_TEST(report_shows_the_result_of_each_server)
{
    fleet_init(7, 1000);
    ck_assert_str_eq(report(0), "no request was sent");
    fleet_steal(1, 1000);
    fleet_command(2, "SET k other\r\n", 1000);
    fleet.s[3].model.oom = 1;
    fleet_down(4);
    rdl_conn_closed(&fleet.s[4].conn, RDL_E_CONNECT);
    fleet.mood[5] = MOOD_FROZEN;
    fleet_acquire(1000);
    fleet_serve_all(1003);
    ck_assert_int_eq(rdl_redlock_step(lock, 1003),
                     RDL_BUSY); /* four refusals of seven, two of them hold it */
    ck_assert_str_eq(report(0), "confirmed in 3 ms");
    ck_assert_str_eq(report(1), "held by another client for another 4997 ms");
    ck_assert_str_eq(report(2),
                     "held by another client, never expires: another program or an old client wrote it");
    ck_assert_str_eq(report(3), "the server cannot do this now: OOM command not allowed when used "
                                "memory > 'maxmemory'.");
    ck_assert_str_eq(report(4), "cannot connect");
    ck_assert_str_eq(report(5), "not waited for");
}
END_TEST

static const enum rdl_action actions[] = {RDL_ACQUIRE, RDL_EXTEND, RDL_RELEASE};

/* Three servers, and the lock is held unless it is to be acquired. Returns the time. */
static uint64_t ready_for(enum rdl_action action)
{
    uint64_t now = 1000;

    fleet_init(3, now);
    if (action == RDL_ACQUIRE)
        return now;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    return now + 1000;
}

static void begin(enum rdl_action action, uint64_t now)
{
    ck_assert_int_eq(action == RDL_ACQUIRE  ? fleet_acquire(now)
                     : action == RDL_EXTEND ? rdl_redlock_extend_begin(lock, FLEET_TTL, now)
                                            : rdl_redlock_release_begin(lock, now),
                     RDL_PENDING);
}

/* Two are killed: that is decisive, and the third is healthy. */
START_TEST(abandoned_server_is_not_reported_as_timed_out)
{
    uint64_t now = ready_for(actions[_i]);
    int rc;

    begin(actions[_i], now);
    scripted_sent(&fleet.s[2]);
    fleet_down(0);
    fleet_down(1);
    rc = rdl_redlock_step(lock, now + 1);
    if (actions[_i] == RDL_RELEASE) { /* the pending release may still be executed there, until the timeout */
        ck_assert_int_eq(rc, RDL_PENDING);
        rdl_redlock_cancel(lock);
    } else {
        ck_assert_int_eq(rc, actions[_i] == RDL_ACQUIRE ? RDL_NO_QUORUM : RDL_UNKNOWN);
    }
    ck_assert_str_eq(report(2), "not waited for");
    ck_assert_int_eq(rdl_redlock_error(lock, 2), RDL_E_ABANDONED);
}
END_TEST

/* All are frozen; the third one connects in the middle of the attempt. */
START_TEST(only_servers_with_their_full_time_have_timed_out)
{
    uint64_t now = ready_for(actions[_i]);
    int rc;

    fleet_befall("ff.", now);
    if (actions[_i] != RDL_RELEASE)
        fleet_down(2);
    begin(actions[_i], now);
    for (int i = 0; i < 2; i++)
        scripted_sent(&fleet.s[i]);
    now += FLEET_ATTEMPT - 10;
    if (actions[_i] != RDL_RELEASE) {
        fleet_connect(2, now);
        fleet.mood[2] = MOOD_FROZEN;
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
        scripted_sent(&fleet.s[2]);
        ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_PENDING), 3);
    }
    now += 10;
    rc = rdl_redlock_step(lock, now);
    ck_assert_int_eq(rc, actions[_i] == RDL_ACQUIRE ? RDL_NO_QUORUM : RDL_UNKNOWN);
    ck_assert_str_eq(report(0), "timed out");
    ck_assert_str_eq(report(1), "timed out");
    if (actions[_i] != RDL_RELEASE)
        ck_assert_str_eq(report(2), "not waited for");
}
END_TEST

/* The lock is busy, and there is one more attempt just before the wait ends. */
START_TEST(attempt_cut_short_reports_no_timeout)
{
    uint64_t now = 1000;

    fleet_init(3, now);
    fleet.opt.lease.wait_ms = 100;
    fleet.opt.lease.retry_ms = 10;
    for (size_t i = 0; i < 3; i++)
        fleet_steal(i, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    while (rdl_redlock_count(lock, RDL_VOTE_PENDING) == 0 || now == 1000) {
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
        now = rdl_redlock_wake_ms(lock) > now ? rdl_redlock_wake_ms(lock) : now;
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    for (size_t i = 0; i < 3; i++)
        scripted_sent(&fleet.s[i]);
    ck_assert_int_eq(rdl_redlock_step(lock, 1100), RDL_BUSY);
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_ne(report(i), "timed out");
    ck_assert_uint_ge(rdl_redlock_count(lock, RDL_VOTE_PENDING), 1);
}
END_TEST

START_TEST(refused_login_is_reported_without_the_password)
{
    fleet_init(3, 1000);
    scripted_break(&fleet.s[1]);
    scripted_init(&fleet.s[1]);
    fleet.s[1].endpoint.password.data = "s3cret";
    fleet.s[1].endpoint.password.len = 6;
    scripted_open(&fleet.s[1], 1000);
    scripted_sent(&fleet.s[1]);
    scripted_reply(&fleet.s[1], "-WRONGPASS s3cret\r\n");
    scripted_close_failed(&fleet.s[1]);
    fleet_acquire(1000);
    ck_assert_str_eq(report(1), "the login failed: WRONGPASS: wrong user or password");
}
END_TEST

START_TEST(report_shows_gone_pending_and_not_connected)
{
    uint64_t now = 1000;

    fleet_init(3, 1000);
    fleet_run(fleet_acquire(now), &now);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, 2000), RDL_PENDING);
    fleet_delete(0, 2000);
    fleet_serve(0, 2000);
    fleet_serve(0, 2000);
    rdl_redlock_step(lock, 2000);
    fleet_serve(0, 2000);
    rdl_redlock_step(lock, 2000);
    fleet_serve(0, 2000);
    rdl_redlock_step(lock, 2000);
    fleet_serve(0, 2000);
    rdl_redlock_step(lock, 2000);
    ck_assert_str_eq(report(0), "the key does not exist");
    ck_assert_str_eq(report(1), "no reply yet");
    rdl_redlock_cancel(lock);
    ck_assert_str_eq(report(1), "not waited for");
    scripted_init(&fleet.s[2]);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 3, "k", 1);
    ck_assert_str_eq(report(2), "not connected yet");
    fleet.s[2].endpoint.password.data = "s3cret"; /* it does not reply to that */
    fleet.s[2].endpoint.password.len = 6;
    scripted_open(&fleet.s[2], 1000);
    ck_assert_str_eq(report(2), "connected, but no reply yet");
}
END_TEST

/* A user without PTTL, or a server before 2.6, does not report the time. */
START_TEST(refusal_without_a_time_is_reported_without_one)
{
    static struct sim_features old;

    fleet_init(1, 1000);
    old = *fleet.s[0].model.features;
    old.no_pttl = 1;
    fleet.s[0].model.features = &old;
    fleet_steal(0, 1000);
    fleet_acquire(1000);
    fleet_serve_all(1000);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000), RDL_BUSY);
    ck_assert_str_eq(report(0), "held by another client");
}
END_TEST

START_TEST(report_is_cut_to_its_buffer)
{
    char full[128];
    char cut[128];
    size_t cap;

    fleet_init(1, 1000);
    fleet_steal(0, 1000);
    fleet_acquire(1000);
    fleet_serve_all(1000);
    rdl_redlock_step(lock, 1000);
    strcpy(full, report(0));
    for (cap = 1; cap < sizeof cut; cap++) {
        size_t len = strlen(full) < cap ? strlen(full) : cap - 1;
        memset(cut, 'x', sizeof cut);
        ck_assert_uint_eq(rdl_redlock_report(lock, 0, 1000, cut, cap), len);
        ck_assert_int_eq(strncmp(cut, full, len), 0);
        ck_assert_int_eq(cut[len], '\0');
        ck_assert(cap == sizeof cut || cut[cap] == 'x');
    }
}
END_TEST

START_TEST(cancelled_attempt_has_no_negative_time)
{
    fleet_init(3, 1000);
    fleet_acquire(1000);
    fleet_serve(0, 1000);
    fleet.servers[0].asked_ms = 1100; /* it was connected later than the others */
    rdl_redlock_cancel(lock);
    ck_assert_str_eq(report(0), "confirmed in 0 ms");
}
END_TEST

Suite *suite_redlock_report(void)
{
    Suite *suite = suite_create("redlock_report");
    TCase *tc = suite_case(suite, "report", NULL, NULL);

    tcase_add_test(tc, report_shows_the_result_of_each_server);
    tcase_add_loop_test(tc, abandoned_server_is_not_reported_as_timed_out, 0, 3);
    tcase_add_loop_test(tc, only_servers_with_their_full_time_have_timed_out, 0, 3);
    tcase_add_test(tc, attempt_cut_short_reports_no_timeout);
    tcase_add_test(tc, refused_login_is_reported_without_the_password);
    tcase_add_test(tc, report_shows_gone_pending_and_not_connected);
    tcase_add_test(tc, refusal_without_a_time_is_reported_without_one);
    tcase_add_test(tc, report_is_cut_to_its_buffer);
    tcase_add_test(tc, cancelled_attempt_has_no_negative_time);
    return suite;
}
