/* SPDX-License-Identifier: MIT */
/* check_lock_used.c - a lock that was used before: what an operation left behind changes no later one. */
#include <string.h>

#include "lock/lock.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 100000, TTL = 10000, ATTEMPT = 250, LATER = NOW + TTL - 50 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;

static void setup(void)
{
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    scripted_init(&s);
    scripted_open(&s, NOW);
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

static int acquire(const char *reply, uint64_t now)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, reply);
    return rdl_lock_step(&l, now);
}

START_TEST(holders_time_is_that_of_the_last_acquire)
{
    ck_assert_int_eq(acquire("$-1\r\n:1234\r\n", NOW), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&l), 1234);
    ck_assert_int_eq(acquire("+OK\r\n:10000\r\n", NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_holder_ms(&l), -2);
}
END_TEST

/* Before the connection is there, nothing of the new acquire has been asked. */
START_TEST(error_is_that_of_the_last_operation)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + ATTEMPT), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_error(&l), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW + ATTEMPT), RDL_E_TIMEOUT);
    ck_assert_int_eq(l.cause, RDL_OK);
}
END_TEST

/* Such a result is the caller's fault. No server was asked. */
START_TEST(bad_option_is_no_error_of_the_server)
{
    ck_assert_int_eq(rdl_lock_init(&l, &opt, &s.conn, "", 0), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_error(&l), RDL_OK);
}
END_TEST

/* The lease has ended, the key not yet. */
START_TEST(expired_lease_is_released_by_the_next_acquire_alone)
{
    ck_assert_int_eq(acquire("+OK\r\n:10000\r\n", NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), LATER), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_until_ms(&l), 0);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_release_text("k", entropy_token(1)),
                                                  wire_acquire("k", entropy_token(2), TTL), NULL));
    scripted_reply(&s, ":-1\r\n$-1\r\n:-1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, LATER), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), LATER), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(3), TTL));
}
END_TEST

/* Another lock's request keeps the connection stalled. An extend that fails first aborts nothing. */
START_TEST(failed_extend_of_an_earlier_lease_does_not_count)
{
    struct rdl_lock other;
    int lease;

    rdl_lock_init(&other, &opt, &s.conn, "other", 5);
    for (lease = 0; lease < 2; lease++) {
        uint64_t now = NOW + (uint64_t)lease * 2 * TTL;
        scripted_init(&s);
        scripted_open(&s, now);
        ck_assert_int_eq(acquire("+OK\r\n:10000\r\n", now), RDL_OK);
        ck_assert_int_eq(rdl_lock_acquire_begin(&other, token_bytes(7), now), RDL_PENDING);
        scripted_sent(&s);
        ck_assert_int_eq(rdl_lock_step(&other, now + ATTEMPT), RDL_UNKNOWN);
        now += lease == 0 ? ATTEMPT : TTL * 2 / 3; /* later: less than half of the first lease is left */
        ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
        rdl_lock_cancel(&other);
        rdl_lock_cancel(&l);
    }
}
END_TEST

/* A lease of a minute was the last one of this handle; the adopted one has the ttl of the extend. */
START_TEST(ttl_of_an_earlier_lease_is_not_adopted)
{
    uint64_t now = NOW;

    ck_assert_int_eq(acquire("+OK\r\n:10000\r\n", NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, 60000, NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_adopt(&l, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    rdl_conn_tick(&s.conn, NOW);
    ck_assert_str_ne(scripted_sent(&s), ""); /* the release of the first */
    scripted_reply(&s, ":1\r\n");
    if (_i == 0) {
        ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL / 2, NOW), RDL_PENDING);
        ck_assert_str_eq(scripted_sent(&s), wire_extend_sha("k", token_hex(7), TTL / 2));
        return;
    }
    ck_assert_int_eq(rdl_lock_release_begin(&l, NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "-BUSY Redis is busy running a script\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_E_TRY_LATER);
    while (!rdl_conn_is_idle(&s.conn)) { /* it is retried for the ttl of the options */
        now = rdl_conn_tick(&s.conn, now);
        rdl_conn_tick(&s.conn, now);
        if (scripted_sent(&s)[0] != '\0')
            scripted_reply(&s, "-BUSY Redis is busy running a script\r\n");
        ck_assert_uint_lt(now, NOW + TTL + 1000);
    }
}
END_TEST

static void released(void)
{
    ck_assert_int_eq(acquire("+OK\r\n:10000\r\n", NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
}

static void pausing(void)
{
    opt.wait_ms = TTL;
    opt.retry_ms = 50;
    ck_assert_int_eq(acquire("$-1\r\n:-1\r\n", NOW), RDL_PENDING);
}

START_TEST(cancel_releases_nothing_that_cannot_be_held)
{
    static void (*const before[])(void) = {released, pausing};

    before[_i]();
    rdl_lock_cancel(&l);
    rdl_conn_tick(&s.conn, NOW);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* The connection has an earlier timeout, of another lock. A step before the reply changes nothing. */
START_TEST(attempt_lasts_as_long_whenever_it_steps)
{
    struct rdl_lock other;

    rdl_lock_init(&other, &opt, &s.conn, "other", 5);
    ck_assert_int_eq(rdl_lock_acquire_begin(&other, token_bytes(7), NOW), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW + 100), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 101), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), NOW + 100 + ATTEMPT);
}
END_TEST

Suite *suite_lock_used(void)
{
    Suite *suite = suite_create("lock_used");
    TCase *tc = suite_case(suite, "used", setup, NULL);

    tcase_add_test(tc, holders_time_is_that_of_the_last_acquire);
    tcase_add_test(tc, error_is_that_of_the_last_operation);
    tcase_add_test(tc, bad_option_is_no_error_of_the_server);
    tcase_add_test(tc, expired_lease_is_released_by_the_next_acquire_alone);
    tcase_add_test(tc, failed_extend_of_an_earlier_lease_does_not_count);
    tcase_add_loop_test(tc, ttl_of_an_earlier_lease_is_not_adopted, 0, 2);
    tcase_add_loop_test(tc, cancel_releases_nothing_that_cannot_be_held, 0, 2);
    tcase_add_test(tc, attempt_lasts_as_long_whenever_it_steps);
    return suite;
}
