/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_far.c - N servers, all or some of them distant: how long an operation waits for a majority.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static uint64_t now;

/* Server i took ms[i] to connect; the ttl is 30 s. */
static void connected_in(size_t n, const uint32_t ms[])
{
    uint32_t most_ms = 0;
    size_t i;

    fleet_init(n, 1000);
    fleet.opt.lease.ttl_ms = fleet.opt.max_ttl_ms = 30000;
    for (i = 0; i < n; i++) {
        rdl_conn_tick(&fleet.s[i].conn, 1000 + ms[i]);
        most_ms = ms[i] > most_ms ? ms[i] : most_ms;
    }
    now = 1000 + most_ms;
}

/* Everything that was sent is executed after half a round trip, and its reply arrives after one. */
static int deliver(uint32_t trip_ms)
{
    now += trip_ms;
    fleet_serve_all(now - trip_ms / 2);
    return rdl_redlock_step(lock, now);
}

static const struct {
    size_t n;
    uint32_t connected_in[5], attempt;
} distances[] = {
    {1, {0}, 250},
    {1, {260}, 783},
    {1, {1000}, 3003},
    {1, {60000}, 6000}, /* not serviced: a login lasts 2 s at most */
    {2, {0, 260}, 783},
    {3, {0, 0, 1000}, 250},
    {3, {0, 1000, 260}, 783},
    {4, {1000, 0, 260, 0}, 783},
    {5, {260, 260, 260, 260, 260}, 783},
    {5, {1000, 1000, 1000, 1000, 1000}, 3003},
    {5, {0, 0, 0, 0, 1000}, 250},
    {5, {1000, 0, 0, 0, 0}, 250},
    {5, {0, 1000, 0, 1000, 0}, 250},
    {5, {0, 1000, 400, 1000, 0}, 1203},
    {5, {1000, 1000, 300, 260, 0}, 903},
};

START_TEST(attempt_is_three_round_trips_to_the_nearest_majority)
{
    connected_in(distances[_i].n, distances[_i].connected_in);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, distances[_i].attempt);
    fleet.opt.lease.attempt_ms = 40;
    rdl_redlock_cancel(lock);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, 40);
}
END_TEST

static const uint32_t trips[] = {260, 1000};

static void all_far(size_t n, uint32_t trip_ms)
{
    const uint32_t ms[5] = {trip_ms, trip_ms, trip_ms, trip_ms, trip_ms};

    connected_in(n, ms);
}

START_TEST(redlock_works_over_any_round_trip)
{
    uint32_t ms = trips[_i / 2];

    all_far(_i % 2 ? 5 : 1, ms);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, 30000, now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, 3 * (ms + 1));
    ck_assert_int_eq(rdl_redlock_step(lock, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_OK);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + ms - 1), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_OK);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* Closes all connections; the next ones have a login. */
static void cut_all(size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        fleet.s[i].endpoint.db = 3;
        fleet_down(i);
        fleet_up(i);
        rdl_conn_tick(&fleet.s[i].conn, now);
    }
    now += 2000; /* the pause after that is over */
}

/* From the first connection on, with a login; with one attempt or with a wait. */
START_TEST(redlock_works_over_any_login)
{
    uint32_t ms = trips[_i % 2];
    size_t n = _i / 2 % 2 ? 3 : 1;
    int rc, trip;

    connected_in(n, (const uint32_t[3]){0, 0, 0});
    fleet.opt.lease.wait_ms = _i / 4 ? 20000 : 0;
    cut_all(n);
    rc = fleet_acquire(now);
    for (trip = 0; trip < 6 && rc == RDL_PENDING; trip++)
        rc = deliver(ms);
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert_int_ge(trip, 2); /* its login, and its SET */
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), n);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, now), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_OK);
}
END_TEST

/* A handle of a lock that another process acquired on n servers; nothing is connected yet. */
static void adopt(size_t n, uint32_t connect_ms)
{
    char token[RDL_TOKEN_TEXT_MAX];
    size_t i;

    connected_in(n, (const uint32_t[5]){0});
    cut_all(n);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    rdl_redlock_token(lock, token);
    for (i = 0; i < n; i++) {
        fleet.s[i].cfg.connect_ms = connect_ms;
        fleet_down(i);
        fleet_up(i);
    }
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, n, "k", 1);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, strlen(token)), RDL_OK);
}

static int begin(enum rdl_action op)
{
    return op == RDL_EXTEND ? rdl_redlock_extend_begin(lock, 30000, now)
                            : rdl_redlock_release_begin(lock, now);
}

/*
 * A round trip passes: a connection opens, or what was sent is executed after half of it and gets its reply.
 */
static int round_trip(uint32_t trip_ms)
{
    size_t i;

    now += trip_ms;
    for (i = 0; i < fleet.n; i++) {
        struct scripted *s = &fleet.s[i];
        if (rdl_conn_wants(&s->conn) & RDL_WANT_OPEN) {
            memset(&s->session, 0, sizeof s->session);
            rdl_conn_opened(&s->conn);
        } else {
            scripted_serve_round(s, now - trip_ms / 2);
        }
    }
    return rdl_redlock_step(lock, now);
}

START_TEST(adopted_redlock_works_over_any_round_trip)
{
    enum rdl_action op = _i % 2 ? RDL_RELEASE : RDL_EXTEND;
    uint32_t ms = trips[_i / 2 % 2];
    int rc, trip;

    adopt(_i / 4 ? 5 : 1, 5000);
    rc = begin(op);
    for (trip = 0; trip < 6 && rc == RDL_PENDING; trip++)
        rc = round_trip(ms);
    ck_assert_int_eq(rc, op == RDL_EXTEND ? RDL_ADOPTED : RDL_OK);
    ck_assert_int_ge(trip, 3); /* connect, login, request */
    if (op == RDL_EXTEND)      /* from the send, a round trip ago */
        ck_assert_uint_eq(rdl_redlock_until_ms(lock), now - ms + 30000 - 302);
}
END_TEST

/* A majority that refuses connections is not worth the wait for a connection. */
START_TEST(adopted_lock_does_not_wait_for_refused_connections)
{
    int is_majority = _i / 2;

    adopt(3, 5000);
    fleet.mood[0] = MOOD_DOWN;
    fleet.mood[1] = is_majority ? MOOD_DOWN : MOOD_FROZEN;
    fleet.mood[2] = is_majority ? MOOD_UP : MOOD_FROZEN;
    ck_assert_int_eq(begin(_i % 2 ? RDL_RELEASE : RDL_EXTEND), RDL_PENDING);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    if (_i % 2 && is_majority)
        ck_assert_int_eq(rdl_redlock_step(lock, now + 250), RDL_UNKNOWN);
    else
        ck_assert_int_eq(rdl_redlock_step(lock, now + 4999), is_majority ? RDL_UNKNOWN : RDL_PENDING);
}
END_TEST

/* An extend beyond max_hold_ms is refused, although it was short enough when the wait began. */
START_TEST(delayed_extend_respects_max_hold_ms)
{
    connected_in(1, (const uint32_t[1]){0});
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet.opt.max_hold_ms = 30000 + 1000;
    fleet_down(0);
    fleet_up(0);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, 30000, now + 1000), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 1001), RDL_E_CAP);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), now + 30000 - 302);
}
END_TEST

/* The operation does not wait for it; but its reply is not overdue, and its connection stays open. */
START_TEST(slow_minority_is_not_stalled)
{
    static const uint32_t ms[5] = {0, 0, 0, 0, 1000};
    size_t i;
    int op;

    connected_in(5, ms);
    for (op = 0; op < 3; op++) {
        int rc = op == 0   ? fleet_acquire(now)
                 : op == 1 ? rdl_redlock_extend_begin(lock, 30000, now)
                           : rdl_redlock_release_begin(lock, now);
        ck_assert_int_eq(rc, RDL_PENDING);
        for (i = 0; i < 4; i++)
            fleet_serve(i, now);
        rdl_redlock_step(lock, now + 250);
        rdl_redlock_step(lock, now + 999);
        ck_assert_int_eq(rdl_conn_state(&fleet.s[4].conn), RDL_CONN_READY);
        now += 1000;
        fleet_serve(4, now);
        rdl_redlock_step(lock, now);
    }
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* Nor does a nearby server stall early: all have the time of the attempt. */
START_TEST(nearby_server_has_the_time_of_the_attempt)
{
    static const uint32_t ms[3] = {0, 1000, 1000};

    connected_in(3, ms);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(deliver(1000), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, 30000, now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 3002), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[0].conn), RDL_CONN_READY);
    now += 3003;
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_UNKNOWN);
    ck_assert_int_ne(rdl_conn_state(&fleet.s[0].conn), RDL_CONN_READY);
}
END_TEST

/* The nearest two are gone: the others are a majority, and it is distant. */
START_TEST(missing_servers_do_not_shorten_the_attempt)
{
    static const uint32_t ms[5] = {0, 0, 300, 260, 1000};

    connected_in(5, ms);
    fleet_down(0);
    fleet_down(1);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_uint_eq(lock->wake_ms - now, 3003);
}
END_TEST

/* Nor do servers in quarantine. */
START_TEST(servers_in_quarantine_do_not_shorten_the_attempt)
{
    static const uint32_t ms[5] = {0, 0, 300, 260, 1000};
    size_t i;

    connected_in(5, ms);
    fleet.opt.guard = RDL_GUARD_REQUIRED;
    for (i = 0; i < 5; i++) {
        struct rdl_server_info *f = fleet.s[i].conn.cfg->server_info;
        f->up_ms = i < 2 ? (int64_t)now : (int64_t)now - 3600000;
    }
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_uint_eq(lock->wake_ms - now, 3003);
}
END_TEST

/* The step after the votes has the time of an attempt as well. */
START_TEST(fencing_token_is_raised_over_any_round_trip)
{
    uint32_t ms = trips[_i];

    all_far(3, ms);
    fleet.opt.fencing = &rdl_fencing;
    fleet_command(1, "SET {k}:fence 10\r\n", now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, 3 * (ms + 1));
    while (rdl_redlock_step(lock, now) == RDL_PENDING && now < 20000)
        (void)deliver(ms);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_fence(lock), 11);
}
END_TEST

START_TEST(repair_works_over_any_round_trip)
{
    uint32_t ms = trips[_i];

    all_far(3, ms);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_OK);
    fleet_delete(0, now);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, 30000, now), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, 3 * (ms + 1));
    ck_assert_int_eq(deliver(ms), RDL_REPAIRED);
}
END_TEST

/* The attempt on the probe server, and then on the others. */
START_TEST(probe_server_and_the_others_each_have_an_attempt)
{
    uint32_t ms = trips[_i];
    size_t i;

    all_far(3, ms);
    fleet.opt.lease.wait_ms = RDL_WAIT_FOREVER;
    fleet.opt.lease.retry_ms = 50;
    for (i = 0; i < 3; i++)
        fleet_steal(i, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_PENDING);
    for (i = 0; i < 3; i++)
        fleet_delete(i, now);
    now = rdl_redlock_wake_ms(lock);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_uint_eq(lock->probe_server, 1);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, 3 * (ms + 1));
    ck_assert_int_eq(deliver(ms), RDL_PENDING);
    ck_assert_uint_eq(lock->probe_server, 0);
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, 3 * (ms + 1));
    ck_assert_int_eq(deliver(ms), RDL_OK);
}
END_TEST

/*
 * All connections ended. Their round trips are known, so an extend has the time to connect again, to log in
 * and to be answered.
 */
START_TEST(lost_connections_do_not_shorten_the_attempt)
{
    uint32_t ms = trips[_i / 2];
    size_t n = _i % 2 ? 3 : 1;
    size_t i;
    int rc, trip;

    all_far(n, ms);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_int_eq(deliver(ms), RDL_OK);
    for (i = 0; i < n; i++) {
        fleet.s[i].cfg.connect_ms = 5000;
        fleet_down(i);
        fleet_up(i);
    }
    rc = rdl_redlock_extend_begin(lock, 30000, now);
    for (trip = 0; trip < 3 && rc == RDL_PENDING; trip++)
        rc = round_trip(ms);
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert_int_eq(trip, 3); /* connect, connection checks, request */
}
END_TEST

Suite *suite_redlock_far(void)
{
    Suite *suite = suite_create("redlock_far");
    TCase *tc = suite_case(suite, "N servers", NULL, NULL);

    tcase_add_loop_test(tc, attempt_is_three_round_trips_to_the_nearest_majority, 0,
                        sizeof distances / sizeof distances[0]);
    tcase_add_loop_test(tc, redlock_works_over_any_round_trip, 0, 4);
    tcase_add_loop_test(tc, redlock_works_over_any_login, 0, 8);
    tcase_add_loop_test(tc, adopted_redlock_works_over_any_round_trip, 0, 8);
    tcase_add_loop_test(tc, adopted_lock_does_not_wait_for_refused_connections, 0, 4);
    tcase_add_test(tc, delayed_extend_respects_max_hold_ms);
    tcase_add_test(tc, slow_minority_is_not_stalled);
    tcase_add_test(tc, nearby_server_has_the_time_of_the_attempt);
    tcase_add_test(tc, missing_servers_do_not_shorten_the_attempt);
    tcase_add_test(tc, servers_in_quarantine_do_not_shorten_the_attempt);
    tcase_add_loop_test(tc, fencing_token_is_raised_over_any_round_trip, 0, 2);
    tcase_add_loop_test(tc, repair_works_over_any_round_trip, 0, 2);
    tcase_add_loop_test(tc, probe_server_and_the_others_each_have_an_attempt, 0, 2);
    tcase_add_loop_test(tc, lost_connections_do_not_shorten_the_attempt, 0, 4);
    return suite;
}
