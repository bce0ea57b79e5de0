/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_blocking.c - programs that use only the blocking calls, and step nothing between operations:
 * the key gets to the server that answers last, and to no other.
 *
 * Rules R8 and R29.
 */
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 1000, STEP_MS = RDL_QUIET_MS, LAST = 2, SERVERS = 3 };

/* The last server answers after the call: its replies are read by the next call that reads first. */
static struct {
    uint64_t now_ms;
    unsigned polls, for_reading;
    int puts_back; /* the last call sent a SET to the last server */
} driver;

static void take_output(void)
{
    driver.puts_back |= strstr(scripted_sent(&fleet.s[LAST]), "\r\nSET\r\n") != NULL;
}

static uint32_t replies(void)
{
    uint32_t n = 0;
    size_t i;

    for (i = 0; i < SERVERS; i++)
        n += rdl_conn_replies(&fleet.s[i].conn);
    return n;
}

static int poll_fleet(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    uint32_t before = replies();
    unsigned is_first;
    size_t i;

    (void)ctx, (void)conns, (void)n, (void)flags;
    is_first = driver.polls++ == 0 && until_ms == 0;
    driver.for_reading += is_first;
    for (i = 0; i < SERVERS; i++)
        if (i != LAST || is_first)
            fleet_serve(i, driver.now_ms);
    take_output();
    if (replies() == before && until_ms > driver.now_ms)
        driver.now_ms = until_ms;
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_fleet, scripted_clock, scripted_random, &driver.now_ms};

static int call(enum rdl_action action)
{
    int rc;

    driver.now_ms += STEP_MS;
    driver.polls = driver.for_reading = 0;
    take_output();
    driver.puts_back = 0;
    if (action == RDL_EXTEND)
        rc = rdl_redlock_extend(lock, &platform, FLEET_TTL);
    else
        rc = action == RDL_RELEASE ? rdl_redlock_release(lock, &platform)
                                   : rdl_redlock_acquire(lock, &platform);
    take_output();
    return rc;
}

static void arrive(void)
{
    driver.now_ms += STEP_MS;
    fleet_serve_all(driver.now_ms);
}

/* Held by the first two. The last one has lost the key, or is in its handshake. */
static void hold(enum rdl_conn_phase state)
{
    memset(&driver, 0, sizeof driver);
    driver.now_ms = NOW;
    fleet_init(SERVERS, NOW);
    if (state != RDL_CONN_READY)
        scripted_break(&fleet.s[LAST]);
    if (state == RDL_CONN_HANDSHAKE)
        scripted_open(&fleet.s[LAST], NOW);
    driver.polls = 1; /* the last server is in its handshake until the call is over */
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_OK);
    if (state == RDL_CONN_READY) {
        fleet_serve_all(driver.now_ms);
        fleet_delete(LAST, driver.now_ms);
    }
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 2);
    driver.now_ms += FLEET_ATTEMPT; /* the acquire's time is over */
}

static const enum rdl_conn_phase states[] = {RDL_CONN_READY, RDL_CONN_HANDSHAKE};

START_TEST(two_extends_put_the_key_on_the_last_server)
{
    hold(states[_i]);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(!driver.puts_back);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(driver.puts_back);
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 2); /* the call did not wait for it */
    arrive();
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 3);
}
END_TEST

START_TEST(an_extend_within_the_attempt_completes_the_acquire)
{
    hold(RDL_CONN_HANDSHAKE);
    driver.now_ms -= FLEET_ATTEMPT;
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(driver.puts_back);
}
END_TEST

/* It counts from the extend on that a majority has confirmed without it. */
START_TEST(the_lease_goes_on_with_the_last_server)
{
    hold(RDL_CONN_HANDSHAKE);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_uint_eq(fleet.servers[LAST].certainty, CERTAINTY_GONE);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_uint_eq(fleet.servers[LAST].certainty, CERTAINTY_CONTINUOUS);
}
END_TEST

/* It has room for the key alone. The next extend also reaches that server. */
START_TEST(the_smallest_queue_has_room_for_it)
{
    hold(RDL_CONN_HANDSHAKE);
    fleet.s[LAST].cfg.queue_len = RDL_QUEUE_FOR(1, 1);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_uint_eq(rdl_conn_waiting(&fleet.s[LAST].conn), 1);
    arrive();
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 3);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_int_eq(rdl_redlock_error(lock, LAST), RDL_OK);
}
END_TEST

/* The key lives as long as the others, also if this extend is a shorter one. */
START_TEST(a_key_that_is_put_back_lives_as_long_as_the_others)
{
    hold(RDL_CONN_READY);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    driver.polls = 0;
    driver.now_ms += STEP_MS;
    ck_assert_int_eq(rdl_redlock_extend(lock, &platform, FLEET_TTL / 2), RDL_OK);
    arrive();
    driver.now_ms = rdl_redlock_until_ms(lock);
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 3);
}
END_TEST

START_TEST(a_release_puts_nothing_back)
{
    hold(RDL_CONN_READY);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_int_eq(call(RDL_RELEASE), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 0);
    ck_assert(!driver.puts_back);
}
END_TEST

/* The replies to an acquire cannot say that the key is gone. */
START_TEST(only_late_replies_to_an_extend_are_read_first)
{
    hold(RDL_CONN_READY);
    driver.now_ms -= FLEET_ATTEMPT;
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 0);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 1);
}
END_TEST

START_TEST(an_unconfirmed_extend_puts_nothing_back)
{
    hold(RDL_CONN_READY);
    fleet.mood[0] = MOOD_FROZEN;
    ck_assert_int_eq(call(RDL_EXTEND), RDL_UNKNOWN);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_UNKNOWN);
    ck_assert(!driver.puts_back);
    fleet.mood[0] = MOOD_UP;
    arrive();
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 2);
}
END_TEST

/* The extend that adopts it confirms it. What a later one reports as gone, the next one puts back. */
START_TEST(an_adopted_token_is_put_back_after_the_next_extend)
{
    char token[RDL_TOKEN_TEXT_MAX];

    hold(RDL_CONN_READY);
    rdl_redlock_token(lock, token);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, SERVERS, "k", 1);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_ADOPTED);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(!driver.puts_back);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(driver.puts_back);
}
END_TEST

START_TEST(another_clients_key_stays)
{
    hold(RDL_CONN_READY);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    arrive();
    fleet_steal(LAST, driver.now_ms);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    arrive();
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 3);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(!driver.puts_back);
    ck_assert_int_eq(call(RDL_RELEASE), RDL_OK);
    arrive();
    ck_assert_uint_eq(fleet_keys(driver.now_ms), 1);
}
END_TEST

/* ---------------------------------------------------------------- connections that have ended */

/* Two conns were refused, and pause. Returns the later end. */
static uint64_t pause_two(void)
{
    uint64_t end = 0;
    size_t i;

    memset(&driver, 0, sizeof driver);
    driver.now_ms = NOW;
    fleet_init(SERVERS, NOW);
    for (i = 0; i < LAST; i++) {
        uint64_t at;
        fleet_down(i);
        rdl_conn_tick(&fleet.s[i].conn, NOW + 5000); /* it opens */
        rdl_conn_closed(&fleet.s[i].conn, RDL_E_CONNECT);
        at = rdl_conn_tick(&fleet.s[i].conn, NOW + 5000);
        ck_assert_int_eq(rdl_conn_state(&fleet.s[i].conn), RDL_CONN_CLOSED);
        end = at > end ? at : end;
    }
    return end;
}

START_TEST(one_attempt_waits_for_the_rest_of_the_pauses)
{
    uint64_t end = pause_two();

    ck_assert_int_eq(fleet_acquire(NOW + 5001), RDL_PENDING);
    ck_assert_uint_le(rdl_redlock_wake_ms(lock), end);
    ck_assert_int_eq(rdl_redlock_step(lock, end), RDL_PENDING);
    if (_i == 0) {
        fleet_up(0);
        fleet_serve(0, end);
        ck_assert_int_eq(rdl_redlock_step(lock, end), RDL_PENDING);
        fleet_serve_all(end);
        ck_assert_int_eq(rdl_redlock_step(lock, end), RDL_OK);
    } else { /* it has tried to connect */
        fleet_serve_all(end);
        ck_assert_int_eq(rdl_redlock_step(lock, end), RDL_NO_QUORUM);
    }
}
END_TEST

/* Within connect_ms, that of the conns with the longest. */
START_TEST(wait_for_pauses_ends_with_the_time_to_connect)
{
    uint64_t end = pause_two();

    ck_assert_int_eq(fleet_acquire(end - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, end), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, end - 1 + RDL_CONNECT_MS - 1), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, end - 1 + RDL_CONNECT_MS), RDL_NO_QUORUM);
}
END_TEST

/* ---------------------------------------------------------------- round trips */

/* The last server's handshake ends between two calls, and the second one reads that. */
START_TEST(late_login_is_no_round_trip)
{
    struct rdl_conn *last = &fleet.s[LAST].conn;

    hold(RDL_CONN_HANDSHAKE);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(last->rtt_is_bound);
    ck_assert_uint_gt(last->rtt_ms, FLEET_ATTEMPT);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    ck_assert(last->rtt_is_bound); /* no call has waited for its replies */
    fleet_serve_all(driver.now_ms);
    driver.now_ms += STEP_MS;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, driver.now_ms), RDL_PENDING);
    fleet_serve(LAST, driver.now_ms);
    ck_assert_int_eq(rdl_redlock_step(lock, driver.now_ms + 30), RDL_PENDING);
    ck_assert_uint_eq(last->rtt_ms, 31);
    ck_assert(!last->rtt_is_bound);
}
END_TEST

/* The reply, too, may be read late: a time above the bound contains a pause. The next one replaces it. */
START_TEST(late_reply_is_no_round_trip)
{
    struct rdl_conn *last = &fleet.s[LAST].conn;
    uint32_t bound_ms;

    hold(RDL_CONN_HANDSHAKE);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    fleet_serve_all(driver.now_ms);
    bound_ms = last->rtt_ms;
    driver.now_ms += STEP_MS;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, driver.now_ms), RDL_PENDING);
    fleet_serve(LAST, driver.now_ms);
    driver.now_ms += bound_ms;
    rdl_redlock_step(lock, driver.now_ms);
    ck_assert_uint_eq(last->rtt_ms, bound_ms);
}
END_TEST

/* Only the reply to a request in this operation is measured. */
START_TEST(reply_between_operations_is_no_round_trip)
{
    struct rdl_conn *last = &fleet.s[LAST].conn;

    hold(RDL_CONN_HANDSHAKE);
    ck_assert_int_eq(call(RDL_EXTEND), RDL_OK);
    arrive();
    rdl_redlock_step(lock, driver.now_ms);
    ck_assert(fleet.servers[LAST].is_repair); /* it reported that the key is gone */
    ck_assert(last->rtt_is_bound);
}
END_TEST

Suite *suite_redlock_blocking(void)
{
    Suite *s = suite_create("redlock_blocking");
    TCase *tc = suite_case(s, "blocking", NULL, NULL);

    tcase_add_loop_test(tc, two_extends_put_the_key_on_the_last_server, 0, 2);
    tcase_add_test(tc, an_extend_within_the_attempt_completes_the_acquire);
    tcase_add_test(tc, the_lease_goes_on_with_the_last_server);
    tcase_add_test(tc, the_smallest_queue_has_room_for_it);
    tcase_add_test(tc, a_key_that_is_put_back_lives_as_long_as_the_others);
    tcase_add_test(tc, a_release_puts_nothing_back);
    tcase_add_test(tc, only_late_replies_to_an_extend_are_read_first);
    tcase_add_test(tc, an_unconfirmed_extend_puts_nothing_back);
    tcase_add_test(tc, an_adopted_token_is_put_back_after_the_next_extend);
    tcase_add_test(tc, another_clients_key_stays);
    tcase_add_loop_test(tc, one_attempt_waits_for_the_rest_of_the_pauses, 0, 2);
    tcase_add_test(tc, wait_for_pauses_ends_with_the_time_to_connect);
    tcase_add_test(tc, late_login_is_no_round_trip);
    tcase_add_test(tc, late_reply_is_no_round_trip);
    tcase_add_test(tc, reply_between_operations_is_no_round_trip);
    return s;
}
