/* SPDX-License-Identifier: MIT */
/*
 * check_lock_hint_acquire.c - which attempts request the holder's time (PTTL), and which leave it out because
 * a hint will end the wait.
 *
 * Rule R32.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_hint.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { CAP = RDL_HINT_CAP_MS, LONGER = CAP + 1, NOW = 1000 };
/* A client to which hints have come waits for the next for minutes, before it polls. */
enum { HINTS_COME = 600000 };

#define TAKEN     "$-1\r\n"
#define CAME      "*2\r\n$8\r\n{k}:wake\r\n$1\r\n1\r\n"
#define NONE_CAME "*-1\r\n"

static struct scripted s, second;
static struct rdl_lock l;
static struct rdl_hint hint;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_init(&second);
    opt = (struct rdl_lock_options){.ttl_ms = LONGER, .wait_ms = 60000, .retry_ms = 50};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
    rdl_hint_init(&hint, &second.conn);
    hint.patience_ms = HINTS_COME;
    rdl_lock_set_hint(&l, &hint);
    scripted_open(&s, NOW);
    scripted_open(&second, NOW);
}

/* Checks the attempt that is sent now: the SET alone, or with a PTTL. */
static void check_sent(unsigned token, int has_pttl)
{
    uint32_t ttl_ms = opt.ttl_ms != 0 ? opt.ttl_ms : RDL_TTL_DEFAULT_MS;
    const char *want = has_pttl ? wire_acquire("k", entropy_token(token), ttl_ms)
                                : wire_set_nx("k", entropy_token(token), ttl_ms);

    ck_assert_str_eq(scripted_sent(&s), want);
}

/* The first attempt sends the SET alone and is refused: the lock waits for a hint. */
static void refused(void)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    check_sent(1, 0);
    scripted_reply(&s, TAKEN);
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING);
    ck_assert_str_ne(scripted_sent(&second), "");
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), NOW + CAP);
    ck_assert_int_eq((int)rdl_lock_holder_ms(&l), -2);
}

/* A hint comes, but another client is faster: the second attempt sends the SET alone and is refused. */
static void refused_after_a_hint(void)
{
    refused();
    scripted_reply(&second, CAME);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 7), RDL_PENDING);
    check_sent(2, 0);
    scripted_reply(&s, TAKEN);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 7), RDL_PENDING);
}

START_TEST(lock_that_is_handed_over_costs_four_requests)
{
    opt.ttl_ms = _i ? LONGER : 0;
    refused(); /* SET, BLPOP */
    scripted_reply(&second, CAME);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 7), RDL_PENDING);
    check_sent(2, 0);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 8), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, NOW + 9), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "EVAL"));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 9), RDL_OK);
    ck_assert_str_eq(scripted_sent(&second), "");
}
END_TEST

START_TEST(impossible_reply_to_the_set_alone_grants_nothing)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    check_sent(1, 0);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_conn_error(&s.conn), RDL_E_UNEXPECTED);
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING); /* it tries again, as it waits */
    ck_assert_str_eq(scripted_sent(&second), "");
}
END_TEST

START_TEST(hint_that_did_not_bring_the_lock_is_no_reason_for_a_pttl)
{
    refused_after_a_hint();
    ck_assert_str_ne(scripted_sent(&second), "");
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), NOW + 7 + CAP);
}
END_TEST

/* The server ends the wait, or is late: the holder may have died, so its time is requested. */
START_TEST(wait_without_a_hint_requests_the_holders_time)
{
    refused();
    if (_i == 0)
        scripted_reply(&second, NONE_CAME);
    ck_assert_int_eq(rdl_lock_step(&l, NOW + CAP), RDL_PENDING);
    check_sent(2, 1);
    if (_i == 1)
        scripted_reply(&second, NONE_CAME);
    scripted_reply(&s, TAKEN ":249\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW + CAP), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), NOW + CAP + 250);
    ck_assert_int_eq((int)rdl_lock_holder_ms(&l), 249);
}
END_TEST

/* One hint is no reason to leave out the PTTL after a later wait without a hint. */
START_TEST(wait_without_a_hint_after_a_hint_requests_the_holders_time)
{
    refused_after_a_hint();
    ck_assert_int_eq(rdl_lock_step(&l, NOW + 7 + CAP), RDL_PENDING);
    check_sent(3, 1);
}
END_TEST

enum way { SHORT_TTL, SHORT_WAIT, ONE_ATTEMPT, ONLY_WAKES, NOT_CONNECTED, WAYS };

START_TEST(attempt_that_no_hint_follows_requests_the_holders_time)
{
    switch ((enum way)_i) {
    case SHORT_TTL:
        opt.ttl_ms = CAP;
        break;
    case SHORT_WAIT: /* BUSY at its end reports the time */
        opt.wait_ms = CAP;
        break;
    case ONE_ATTEMPT:
        opt.retry_ms = 0;
        break;
    case ONLY_WAKES:
        rdl_hint_init(&hint, NULL);
        break;
    case NOT_CONNECTED:
        scripted_break(&second);
        break;
    case WAYS:
        break;
    }
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    check_sent(1, 1);
}
END_TEST

START_TEST(refused_wait_is_no_reason_to_leave_out_the_pttl)
{
    static const char noperm[] = "-NOPERM this user has no permissions to run the 'blpop' command\r\n";

    refused();
    scripted_reply(&second, noperm);
    scripted_sent(&second); /* whole seconds */
    scripted_reply(&second, noperm);
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING);
    check_sent(2, 1);
    scripted_reply(&s, TAKEN ":5000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_PENDING);
    rdl_lock_cancel(&l);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    check_sent(3, 1);
}
END_TEST

Suite *suite_lock_hint_acquire(void)
{
    Suite *suite = suite_create("lock_hint_acquire");
    TCase *tc = suite_case(suite, "lock_hint_acquire", setup, NULL);

    tcase_add_loop_test(tc, lock_that_is_handed_over_costs_four_requests, 0, 2);
    tcase_add_test(tc, impossible_reply_to_the_set_alone_grants_nothing);
    tcase_add_test(tc, hint_that_did_not_bring_the_lock_is_no_reason_for_a_pttl);
    tcase_add_loop_test(tc, wait_without_a_hint_requests_the_holders_time, 0, 2);
    tcase_add_test(tc, wait_without_a_hint_after_a_hint_requests_the_holders_time);
    tcase_add_loop_test(tc, attempt_that_no_hint_follows_requests_the_holders_time, 0, WAYS);
    tcase_add_test(tc, refused_wait_is_no_reason_to_leave_out_the_pttl);
    return suite;
}
