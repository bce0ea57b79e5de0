/* SPDX-License-Identifier: MIT */
/*
 * check_lock.c - acquiring on one server: the cases of this kind, with replies in exact bytes.
 * check_contract.c tests what all kinds have in common.
 *
 * Rules R7, R9 and R12.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000, DRIFT = 102, ATTEMPT = 250 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_open(&s, 1000);
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

static int acquire(uint64_t now_ms)
{
    return rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);
}

/* ---------------------------------------------------------------- a release that is not waited for */

/* With the script's text the first time, then with its hash. */
START_TEST(the_release_of_a_canceled_lock_is_sent_before_the_next_acquire)
{
    static const char *(*const release[])(const char *, const char *) = {wire_release_text, wire_release_sha};

    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1001), RDL_OK);
    for (int i = 0; i < 2; i++) {
        unsigned held = (unsigned)i + 1; /* acquires so far, each with a token of its own */
        rdl_lock_cancel(&l);
        ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 1001), 0);
        ck_assert_int_eq(rdl_lock_step(&l, 1001), RDL_EXPIRED);
        ck_assert_int_eq(rdl_lock_is_idle(&l), 0);
        ck_assert_int_eq(acquire(1002), RDL_PENDING);
        ck_assert_str_eq(scripted_sent(&s), wire_join(release[i]("k", entropy_token(held)),
                                                      wire_acquire("k", entropy_token(held + 1), TTL), NULL));
        scripted_reply(&s, ":1\r\n+OK\r\n:10000\r\n");
        ck_assert_int_eq(rdl_lock_step(&l, 1003), RDL_OK);
    }
}
END_TEST

/* The caller does not learn that the lease had ended: the result is the same, and no key of another goes. */
START_TEST(a_canceled_lock_does_not_report_what_its_release_found)
{
    scripted_model(&s, 1000);
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_lock_step(&l, 1001), RDL_OK);
    if (_i == 1) {
        scripted_other(&s, "DEL k\r\n", 1002);
        scripted_other(&s, "SET k theirs\r\n", 1002);
    }
    rdl_lock_cancel(&l);
    scripted_serve(&s, 1003);
    ck_assert_int_eq(rdl_lock_step(&l, 1003), RDL_EXPIRED);
    ck_assert_int_eq(rdl_lock_is_idle(&l), 1);
    ck_assert_int_eq(scripted_has_key(&s, "k", 1003), _i);
}
END_TEST

static const uint64_t times[] = {
    1, 1000, UINT32_MAX - 5000u, UINT32_MAX, (uint64_t)UINT32_MAX * 3, UINT64_MAX / 4};

/* ---------------------------------------------------------------- acquire */

START_TEST(validity_ends_at_first_send_plus_ttl_minus_drift)
{
    uint64_t t1 = times[_i];

    ck_assert_int_eq(acquire(t1), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(1), TTL));
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, t1), 0);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, t1 + 7), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, t1 + 7), TTL - DRIFT - 7);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, t1 + TTL - DRIFT - 1), 1);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, t1 + TTL - DRIFT), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, t1 + 5 * TTL), 0);
}
END_TEST

START_TEST(slow_connect_does_not_shorten_the_lease)
{
    scripted_break(&s);
    scripted_init(&s);
    s.endpoint.db = 3;
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 1000 + RDL_CONNECT_MS);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, 1900), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 2500), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2500 + TTL / 4); /* replies may take as long */
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 2501), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 2501), TTL - DRIFT - 1);
}
END_TEST

START_TEST(busy_reports_the_holders_remaining_time)
{
    static const char *const pttls[] = {":1234\r\n", ":-1\r\n", ":-2\r\n", "-NOPERM x\r\n"};
    static const int64_t left[] = {1234, -1, -2, -2};

    acquire(1000);
    scripted_sent(&s);
    scripted_reply(&s, "$-1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1001), RDL_PENDING);
    scripted_reply(&s, pttls[_i]);
    ck_assert_int_eq(rdl_lock_step(&l, 1002), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&l), left[_i]);
    ck_assert_int_eq(rdl_lock_error(&l), RDL_OK);
    ck_assert_str_eq(scripted_sent(&s), ""); /* certainly not ours: nothing to release */
}
END_TEST

static const struct {
    const char *reply;
    int code;
} errors[] = {
    {"-OOM command not allowed when used memory > 'maxmemory'.\r\n", RDL_E_TRY_LATER},
    {"-LOADING Redis is loading the dataset in memory\r\n", RDL_E_TRY_LATER},
    {"-READONLY You can't write against a read only replica.\r\n", RDL_E_READONLY},
    {"-NOAUTH Authentication required.\r\n", RDL_E_AUTH},
    {"-NOPERM x\r\n", RDL_E_PERM},
    {"-MOVED 3999 127.0.0.1:6381\r\n", RDL_E_CLUSTER},
    {"-BUSY Redis is busy running a script.\r\n", RDL_E_TRY_LATER},
    {"-MISCONF Redis is\r\n", RDL_E_TRY_LATER},
    {"-WRONGTYPE x\r\n", RDL_E_WRONGTYPE},
    {"-ERR what\r\n", RDL_E_SERVER},
};

START_TEST(server_error_is_not_busy)
{
    acquire(1000);
    scripted_sent(&s);
    scripted_reply(&s, errors[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&l, 1001), errors[_i].code);
    ck_assert_int_eq(rdl_lock_error(&l), errors[_i].code);
    ck_assert_int_eq(strncmp(rdl_conn_text(&s.conn), errors[_i].reply + 1, 4), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 1001), 0);
}
END_TEST

START_TEST(acquire_on_a_shut_conn_fails)
{
    rdl_conn_shut(&s.conn, RDL_OK);
    if (_i > 0)
        scripted_close_failed(&s);
    ck_assert_int_ne(acquire(1000), RDL_OK);
    if (_i == 0)
        scripted_close_failed(&s);
    ck_assert_int_ne(rdl_lock_step(&l, 1001), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 1001), 0);
}
END_TEST

START_TEST(acquire_with_a_full_queue_fails)
{
    struct rdl_command other = {&rdl_op_extend, {"other", 5}, {"v", 1}, {NULL, 0}, 60000, 30000};
    struct rdl_req reqs[120];
    int i;

    memset(reqs, 0, sizeof reqs);
    for (i = 0; rdl_conn_submit(&s.conn, &reqs[i], &other) == RDL_OK; i++)
        ck_assert_int_lt(i, 119);
    ck_assert_int_eq(acquire(1000), RDL_E_FULL);
}
END_TEST

static void fill_with_others(void)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};

    while (rdl_conn_submit(&s.conn, NULL, &other) == RDL_OK) {
    }
}

static void hold(void)
{
    scripted_model(&s, 1000);
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_lock_step(&l, 1000), RDL_OK);
    fill_with_others();
}

/* Waiting may free room, so a caller with time left waits for it, until its own deadline. */
START_TEST(acquire_waits_for_room_in_the_queue)
{
    uint64_t now = 1000;

    opt.wait_ms = 60;
    opt.retry_ms = 10;
    scripted_model(&s, now);
    fill_with_others();
    ck_assert_int_eq(acquire(now), RDL_PENDING);
    ck_assert_uint_le(rdl_lock_wake_ms(&l), now + 10);
    if (_i == 0) {
        ck_assert_int_eq(rdl_lock_step(&l, now + 60), RDL_E_FULL);
        ck_assert(rdl_lock_wake_ms(&l) == UINT64_MAX);
    } else {
        scripted_serve(&s, now);
        now = rdl_lock_wake_ms(&l);
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
        scripted_serve(&s, now);
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
    }
    scripted_serve(&s, now);
    ck_assert_int_eq(scripted_has_key(&s, "k", now), _i);
}
END_TEST

/* Otherwise the key would stay until its ttl expires. */
START_TEST(release_waits_for_room_in_a_full_queue)
{
    hold();
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2000 + RDL_QUEUE_RETRY_MS);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT - 1), RDL_PENDING);
    if (_i == 0) {
        ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), RDL_E_FULL);
        return;
    }
    scripted_serve(&s, 2100);
    if (_i == 1)
        rdl_lock_cancel(&l);
    else
        ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), RDL_PENDING);
    scripted_serve(&s, 2100);
    scripted_serve(&s, 2100);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), _i == 1 ? RDL_EXPIRED : RDL_OK);
    ck_assert(!scripted_has_key(&s, "k", 2100));
}
END_TEST

START_TEST(waiting_for_room_does_not_prolong_a_release)
{
    hold();
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    scripted_serve(&s, 2100);
    ck_assert_int_eq(rdl_lock_step(&l, 2100), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2000 + ATTEMPT);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), RDL_UNKNOWN);
    scripted_serve(&s, 2300);
    ck_assert(!scripted_has_key(&s, "k", 2300));
}
END_TEST

/* On a slow line +OK arrives before the reply to the PTTL after the SET: its record needs room until then. */
START_TEST(extend_directly_after_the_grant_waits_for_room)
{
    s.cfg.queue_len = RDL_QUEUE_FOR(1, 1);
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1000), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, 1010), RDL_PENDING);
    ck_assert_uint_le(rdl_lock_wake_ms(&l), 1010 + RDL_QUEUE_RETRY_MS);
    ck_assert_int_eq(rdl_lock_step(&l, 1010 + ATTEMPT - 1), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), "");
    if (_i == 0) {
        ck_assert_int_eq(rdl_lock_step(&l, 1010 + ATTEMPT), RDL_E_TIMEOUT); /* that reply is overdue */
        return;
    }
    scripted_reply(&s, ":10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1010 + ATTEMPT), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "PEXPIRE"));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1010 + ATTEMPT), RDL_OK);
    ck_assert_uint_eq(rdl_lock_until_ms(&l), 1010 + ATTEMPT + TTL - DRIFT);
}
END_TEST

static struct rdl_conn *acquire_with(const uint8_t *entropy)
{
    setup();
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy, 1000), RDL_PENDING);
    return &s.conn;
}

/* Two programs lose the same server in the same ms. The bytes of two boards may differ in a single one. */
START_TEST(acquire_makes_the_pauses_of_its_connection_random)
{
    ck_assert_int_gt(scripted_pauses_that_differ(acquire_with, _i), 10);
}
END_TEST

Suite *suite_lock(void)
{
    Suite *suite = suite_create("lock");
    TCase *tc = suite_case(suite, "lock", setup, NULL);

    tcase_add_test(tc, the_release_of_a_canceled_lock_is_sent_before_the_next_acquire);
    tcase_add_loop_test(tc, a_canceled_lock_does_not_report_what_its_release_found, 0, 2);
    tcase_add_loop_test(tc, validity_ends_at_first_send_plus_ttl_minus_drift, 0, 6);
    tcase_add_test(tc, slow_connect_does_not_shorten_the_lease);
    tcase_add_loop_test(tc, busy_reports_the_holders_remaining_time, 0, 4);
    tcase_add_loop_test(tc, server_error_is_not_busy, 0, sizeof errors / sizeof errors[0]);
    tcase_add_loop_test(tc, acquire_on_a_shut_conn_fails, 0, 2);
    tcase_add_test(tc, acquire_with_a_full_queue_fails);
    tcase_add_loop_test(tc, acquire_waits_for_room_in_the_queue, 0, 2);
    tcase_add_loop_test(tc, release_waits_for_room_in_a_full_queue, 0, 3);
    tcase_add_test(tc, waiting_for_room_does_not_prolong_a_release);
    tcase_add_loop_test(tc, extend_directly_after_the_grant_waits_for_room, 0, 2);
    tcase_add_loop_test(tc, acquire_makes_the_pauses_of_its_connection_random, 0, RDL_ENTROPY_LEN);
    return suite;
}
