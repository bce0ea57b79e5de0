/* SPDX-License-Identifier: MIT */
/*
 * check_lock_cost.c - what an acquire of one lock cost: SETs, refusals, time. It runs against the model
 * server.
 */

#include "tests/sim/any_lock.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000 };

static struct scripted s;
static union any_lock own;
static struct rdl_lock *const l = &own.lock;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_model(&s, 0);
    opt = (struct rdl_lock_options){.ttl_ms = TTL, .wait_ms = RDL_WAIT_FOREVER, .retry_ms = 50};
    rdl_lock_init(l, &opt, &s.conn, "k", 1);
}

static void assert_cost(unsigned sets, unsigned busy, uint32_t took_ms)
{
    struct rdl_stats cost = rdl_lock_stats(l);

    ck_assert_uint_eq(cost.attempts, sets);
    ck_assert_uint_eq(cost.refused, busy);
    ck_assert_uint_eq(cost.took_ms, took_ms);
}

/* The pending attempt is refused and the next one is sent. Returns the time of that. */
static uint64_t refused(uint64_t now)
{
    s.len = s.seen = s.served = 0;
    scripted_sent(&s);
    scripted_reply(&s, "$-1\r\n:5000\r\n");
    ck_assert_int_eq(rdl_lock_step(l, now), RDL_PENDING);
    now = rdl_lock_wake_ms(l);
    ck_assert_int_eq(rdl_lock_step(l, now), RDL_PENDING);
    return now;
}

static void granted(uint64_t now)
{
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(l, now), RDL_OK);
}

/* Time crosses 2^32: the low 32 bits at the start are greater than those at the end. */
START_TEST(cost_is_counted_from_begin_to_the_last_step)
{
    uint64_t begun = _i ? 1000 : UINT32_MAX - 10, now;

    scripted_open(&s, begun);
    assert_cost(0, 0, 0);
    ck_assert_int_eq(rdl_lock_acquire_begin(l, entropy_bytes(), begun), RDL_PENDING);
    assert_cost(1, 0, 0);
    now = refused(refused(begun));
    assert_cost(3, 2, (uint32_t)(now - begun));
    granted(now + 7);
    assert_cost(3, 2, (uint32_t)(now + 7 - begun));
}
END_TEST

START_TEST(cost_stays_unchanged_until_the_next_acquire)
{
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_lock_acquire_begin(l, entropy_bytes(), 1000), RDL_PENDING);
    scripted_serve(&s, 1003);
    ck_assert_int_eq(rdl_lock_step(l, 1003), RDL_OK);
    rdl_lock_step(l, 1500);
    ck_assert_int_eq(rdl_lock_extend_begin(l, TTL, 2000), RDL_PENDING);
    scripted_serve(&s, 2001);
    ck_assert_int_eq(rdl_lock_step(l, 2001), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(l, 3000), RDL_PENDING);
    scripted_serve(&s, 3001);
    ck_assert_int_eq(rdl_lock_step(l, 3001), RDL_OK);
    assert_cost(1, 0, 3);
    ck_assert_int_eq(rdl_lock_acquire_begin(l, entropy_bytes(), 4000), RDL_PENDING);
    assert_cost(1, 0, 0);
}
END_TEST

/* Connecting is part of the wait, and it sends no SET. */
START_TEST(unreachable_server_costs_time_and_no_set)
{
    opt.wait_ms = 100; /* a black hole: it keeps connecting */
    ck_assert_int_eq(rdl_lock_acquire_begin(l, entropy_bytes(), 1000), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(l, 1100), RDL_E_TIMEOUT);
    assert_cost(0, 0, 100);
}
END_TEST

START_TEST(missing_reply_is_not_a_refusal)
{
    opt.retry_ms = 0;
    scripted_open(&s, 1000);
    rdl_lock_acquire_begin(l, entropy_bytes(), 1000);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(l, 1250), RDL_UNKNOWN);
    assert_cost(1, 0, 250);
}
END_TEST

START_TEST(acquire_with_invalid_options_is_not_counted)
{
    scripted_open(&s, 1000);
    rdl_lock_acquire_begin(l, entropy_bytes(), 1000);
    granted(1003);
    rdl_lock_cancel(l);
    opt.ttl_ms = 1;
    ck_assert_int_eq(rdl_lock_acquire_begin(l, entropy_bytes(), 2000), RDL_E_TTL);
    assert_cost(1, 0, 3);
}
END_TEST

START_TEST(cost_counters_stop_at_65535)
{
    uint64_t now = 1000;

    scripted_open(&s, 1000);
    rdl_lock_acquire_begin(l, entropy_bytes(), 1000);
    l->attempts = l->refused = UINT16_MAX - 1;
    now = refused(now);
    assert_cost(UINT16_MAX, UINT16_MAX, (uint32_t)(now - 1000));
    now = refused(now);
    assert_cost(UINT16_MAX, UINT16_MAX, (uint32_t)(now - 1000));
}
END_TEST

/* A script is one SET; an attempt of the old protocol is one SET, too, whatever it sends. */
START_TEST(attempt_counts_as_one_set_in_every_mode)
{
    const enum any_mode modes[] = {MODE_PLAIN, MODE_FENCED, MODE_LEGACY};

    scripted_open(&s, 1000);
    any_lock_init(&own, modes[_i], &opt, &s.conn, "k", 1);
    int rc = rdl_lock_acquire_begin(l, entropy_bytes(), 1000);
    while (rc == RDL_PENDING) {
        scripted_serve(&s, 1000);
        rc = rdl_lock_step(l, 1000);
    }
    ck_assert_int_eq(rc, RDL_OK);
    assert_cost(1, 0, 0);
}
END_TEST

Suite *suite_lock_cost(void)
{
    Suite *suite = suite_create("lock_cost");
    TCase *tc = suite_case(suite, "all", setup, NULL);

    tcase_add_loop_test(tc, cost_is_counted_from_begin_to_the_last_step, 0, 2);
    tcase_add_test(tc, cost_stays_unchanged_until_the_next_acquire);
    tcase_add_test(tc, unreachable_server_costs_time_and_no_set);
    tcase_add_test(tc, missing_reply_is_not_a_refusal);
    tcase_add_test(tc, acquire_with_invalid_options_is_not_counted);
    tcase_add_test(tc, cost_counters_stop_at_65535);
    tcase_add_loop_test(tc, attempt_counts_as_one_set_in_every_mode, 0, 3);
    return suite;
}
