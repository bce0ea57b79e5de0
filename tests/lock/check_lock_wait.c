/* SPDX-License-Identifier: MIT */
/*
 * check_lock_wait.c - one lock on one server: retries against the model server. check_contract.c tests what
 * all kinds have in common.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_lease.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000, ATTEMPT = 250 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;

static void setup(void)
{
    scripted_init(&s);
    scripted_model(&s, 0);
    opt = (struct rdl_lock_options){.ttl_ms = TTL, .wait_ms = 5000, .retry_ms = 50};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

static int acquire(uint64_t now_ms)
{
    return rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);
}

/* Answers the current attempt; returns how long the lock pauses then (0: it does not pause). */
static uint64_t pause_after(const char *reply, uint64_t now_ms)
{
    scripted_reply(&s, reply);
    if (rdl_lock_step(&l, now_ms) != RDL_PENDING)
        return 0;
    return rdl_lock_wake_ms(&l) - now_ms;
}

START_TEST(lock_uses_a_new_token_for_every_attempt)
{
    uint64_t now = 1000;
    unsigned attempt;

    opt.wait_ms = RDL_WAIT_FOREVER;
    scripted_open(&s, 1000);
    acquire(now);
    for (attempt = 1; attempt <= 300; attempt++) {
        s.len = s.seen = s.served = 0;
        ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(attempt), TTL));
        now += pause_after("$-1\r\n:5000\r\n", now);
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    }
}
END_TEST

START_TEST(pauses_have_full_jitter_and_double_up_to_a_cap)
{
    uint64_t now = 1000;
    uint64_t longest = 0;
    uint64_t sum = 0;
    unsigned i;

    opt.wait_ms = RDL_WAIT_FOREVER;
    scripted_open(&s, 1000);
    acquire(now);
    for (i = 0; i < 200; i++) {
        uint64_t most = i < 4 ? 50u << i : RDL_RETRY_CAP_MS;
        uint64_t ms;
        s.len = s.seen = s.served = 0;
        scripted_sent(&s);
        ms = pause_after("$-1\r\n:-1\r\n", now);
        ck_assert_uint_ge(ms, 1);
        ck_assert_uint_le(ms, most);
        longest = ms > longest ? ms : longest;
        sum += ms;
        ck_assert_int_eq(rdl_lock_step(&l, now + ms - 1), RDL_PENDING);
        ck_assert_str_eq(scripted_sent(&s), ""); /* not a moment early */
        now += ms;
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    }
    ck_assert_uint_gt(longest, RDL_RETRY_CAP_MS * 9 / 10);
    ck_assert_uint_gt(sum / 200, RDL_RETRY_CAP_MS / 3);
    ck_assert_uint_lt(sum / 200, RDL_RETRY_CAP_MS * 2 / 3);
}
END_TEST

/* Clients that wait for the end of one key must not all try in the same millisecond. */
START_TEST(pause_ends_at_a_random_time_soon_after_the_holders)
{
    const uint64_t holder_ms = _i ? 3 : 0;
    uint64_t shortest = UINT64_MAX, longest = 0;
    int i;

    opt.retry_ms = 500;
    for (i = 0; i < 200; i++) {
        uint64_t ms;
        scripted_init(&s);
        scripted_open(&s, 1000);
        rdl_lock_init(&l, &opt, &s.conn, "k", 1);
        acquire(1000);
        l.seed = ((unsigned)i + 1) * 2654435761u;
        scripted_sent(&s);
        ms = pause_after(_i ? "$-1\r\n:3\r\n" : "$-1\r\n:0\r\n", 1000);
        shortest = ms < shortest ? ms : shortest;
        longest = ms > longest ? ms : longest;
    }
    ck_assert_uint_le(shortest, holder_ms + 4);
    ck_assert_uint_gt(longest, holder_ms + 45);
    ck_assert_uint_le(longest, holder_ms + 50);
}
END_TEST

/* Sends the next attempt, which is refused: the key expires at ends_ms. Returns the pause. */
static uint64_t refused_until(uint64_t ends_ms, uint64_t now)
{
    char reply[40];

    s.len = s.seen = s.served = 0;
    scripted_sent(&s);
    snprintf(reply, sizeof reply, "$-1\r\n:%u\r\n", (unsigned)(ends_ms - now));
    return pause_after(reply, now);
}

/* Refuses `n` attempts. The key of each has the ttl of a new one, or of one that is never renewed. */
static uint64_t longest_pause(unsigned n, int is_handed_over, uint64_t *now)
{
    const uint64_t ends_ms = *now + 9000000;
    uint64_t longest = 0;

    while (n-- > 0) {
        uint64_t ms = refused_until(is_handed_over ? *now + TTL : ends_ms, *now);
        longest = ms > longest ? ms : longest;
        *now += ms;
        ck_assert_int_eq(rdl_lock_step(&l, *now), RDL_PENDING);
    }
    return longest;
}

/* Other clients, which pause for a short time, would get a lock that is held for short times. */
START_TEST(pauses_stay_short_while_the_lock_changes_hands)
{
    uint64_t now = 1000, longest;

    opt.wait_ms = RDL_WAIT_FOREVER;
    scripted_open(&s, now);
    acquire(now);
    longest = longest_pause(200, 1, &now);
    ck_assert_uint_gt(longest, 40);
    ck_assert_uint_le(longest, 100); /* a pause of 2 ms does not show a new holder */
}
END_TEST

START_TEST(pauses_are_short_again_when_a_lock_held_for_long_changes_hands)
{
    uint64_t now = 1000;

    opt.wait_ms = RDL_WAIT_FOREVER;
    scripted_open(&s, now);
    acquire(now);
    ck_assert_uint_gt(longest_pause(300, 0, &now), RDL_RETRY_CAP_MS * 9 / 10);
    ck_assert_uint_le(longest_pause(1, 1, &now), 50);
    ck_assert_uint_le(longest_pause(100, 1, &now), 100); /* a pause of 2 ms does not show a new holder */
}
END_TEST

/* 49.7 days: the end of the key is beyond 32 bits, so a later one cannot be told from it. */
START_TEST(key_that_expires_in_49_days_shows_no_new_holder)
{
    uint64_t now = 1000, longest = 0;

    opt.wait_ms = RDL_WAIT_FOREVER;
    scripted_open(&s, now);
    acquire(now);
    for (int i = 0; i < 300; i++) {
        uint64_t ms;
        s.len = s.seen = s.served = 0;
        scripted_sent(&s);
        ms = pause_after("$-1\r\n:4294967295\r\n", now);
        longest = ms > longest ? ms : longest;
        now += ms;
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    }
    ck_assert_uint_gt(longest, RDL_RETRY_CAP_MS * 9 / 10);
}
END_TEST

/* The replies about one key differ by the network's jitter. */
START_TEST(same_holder_has_changed_only_by_more_than_a_round_trip)
{
    uint32_t ends_ms = 0xfffffff0u;

    ck_assert(!rdl_has_changed_hands(&ends_ms, 0x40, 10, 0xffffffbcu)); /* 12 later, after the wrap */
    ck_assert_uint_eq(ends_ms, 0xfffffffcu);
    ck_assert(!rdl_has_changed_hands(&ends_ms, 0x34, 10, 0xffffffbcu)); /* 12 sooner */
    ck_assert(rdl_has_changed_hands(&ends_ms, 0x41, 10, 0xffffffbcu));
    ck_assert(rdl_has_changed_hands(&ends_ms, 0x34, 10, 0xffffffbcu));
    ck_assert(rdl_has_changed_hands(&ends_ms, 0x74, 10, 0xffffffbcu));
    ck_assert_uint_eq(ends_ms, 0x30);
}
END_TEST

START_TEST(frozen_server_gets_one_attempt_and_its_release)
{
    uint64_t now = 1000;
    int rc;

    scripted_open(&s, 1000);
    rc = acquire(now);
    while (rc == RDL_PENDING) {
        now = rdl_lock_wake_ms(&l);
        ck_assert_uint_le(now, 6000);
        scripted_sent(&s);
        rc = rdl_lock_step(&l, now);
    }
    ck_assert_int_eq(rc, RDL_E_TIMEOUT);
    scripted_serve(&s, now); /* it thaws: SET, PTTL, EVAL with GET and DEL in it */
    ck_assert_uint_eq(s.model.commands, 5);
    ck_assert(!scripted_has_key(&s, "k", now));
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(permanent_error_ends_the_wait)
{
    static const char *const replies[] = {"-NOAUTH x\r\n", "-NOPERM x\r\n", "-MOVED 1 x\r\n",
                                          "-WRONGTYPE x\r\n"};
    static const int codes[] = {RDL_E_AUTH, RDL_E_PERM, RDL_E_CLUSTER, RDL_E_WRONGTYPE};

    scripted_open(&s, 1000);
    acquire(1000);
    scripted_sent(&s);
    scripted_reply(&s, replies[_i]);
    ck_assert_int_eq(rdl_lock_step(&l, 1001), codes[_i]);
}
END_TEST

START_TEST(acquire_waits_out_a_temporary_error)
{
    static const char *const replies[] = {"-LOADING x\r\n-LOADING x\r\n", "-OOM x\r\n:-2\r\n",
                                          "-BUSY x\r\n-BUSY x\r\n", "-READONLY x\r\n"};
    int rc = RDL_PENDING;
    size_t replayed;
    uint64_t now;
    int i;

    scripted_open(&s, 1000);
    acquire(1000);
    scripted_sent(&s);
    replayed = s.len; /* the test has answered this much itself */
    ck_assert_uint_ge(pause_after(replies[_i], 1001), 1);
    if (rdl_conn_state(&s.conn) == RDL_CONN_FAILED)
        scripted_close_failed(&s);
    for (i = 0; i < 5 && rc == RDL_PENDING; i++) { /* pauses of the lock and of the conn */
        now = rdl_lock_wake_ms(&l);
        rdl_lock_step(&l, now);
        rdl_conn_opened(&s.conn);
        rdl_lock_step(&l, now);
        s.served = s.served < replayed ? replayed : s.served;
        scripted_serve(&s, now);
        rc = rdl_lock_step(&l, now);
    }
    ck_assert_int_eq(rc, RDL_OK);
}
END_TEST

START_TEST(server_that_comes_back_in_time_is_used)
{
    uint64_t now = 1000;
    int rc = acquire(now);

    while (now < 3500) { /* it refuses */
        ck_assert_int_eq(rc, RDL_PENDING);
        if (rdl_conn_wants(&s.conn) == RDL_WANT_OPEN)
            rdl_conn_closed(&s.conn, RDL_E_CONNECT);
        else
            now = rdl_lock_wake_ms(&l);
        rc = rdl_lock_step(&l, now);
    }
    while (rc == RDL_PENDING) {
        rdl_conn_opened(&s.conn);
        scripted_serve(&s, now);
        rc = rdl_lock_step(&l, now);
        if (rc == RDL_PENDING && rdl_conn_state(&s.conn) == RDL_CONN_CLOSED)
            now = rdl_lock_wake_ms(&l);
    }
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert(scripted_has_key(&s, "k", now));
}
END_TEST

START_TEST(connecting_ends_with_the_wait)
{
    opt.wait_ms = 300;
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 1300);
    ck_assert_int_eq(rdl_lock_step(&l, 1299), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, 1300), RDL_E_TIMEOUT);
}
END_TEST

START_TEST(single_attempt_reports_a_refused_connection_at_once)
{
    opt.retry_ms = 0;
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(rdl_lock_step(&l, 1000), RDL_E_CONNECT);
}
END_TEST

/* Otherwise a short wait would never get a reply. The 257th attempt, too, ends with the wait. */
START_TEST(only_the_first_attempt_may_take_longer_than_the_wait)
{
    uint64_t now = 1000;
    int i;

    opt.wait_ms = _i == 0 ? 100 : 10000000;
    scripted_open(&s, 1000);
    ck_assert_int_eq(acquire(now), RDL_PENDING);
    if (_i == 0) {
        ck_assert_uint_eq(rdl_lock_wake_ms(&l), 1000 + RDL_ATTEMPT_MAX_MS);
        scripted_serve(&s, 1200);
        ck_assert_int_eq(rdl_lock_step(&l, 1200), RDL_OK);
        return;
    }
    for (i = 0; i < 256; i++) {
        s.len = s.seen = s.served = 0;
        scripted_sent(&s);
        now += pause_after("$-1\r\n:-1\r\n", now);
        if (i < 255)
            ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    }
    ck_assert_int_eq(rdl_lock_step(&l, 1000 + 10000000 - 7), RDL_PENDING);
    ck_assert_str_ne(scripted_sent(&s), "");
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 1000 + 10000000);
}
END_TEST

Suite *suite_lock_wait(void)
{
    Suite *suite = suite_create("lock_wait");
    TCase *tc = suite_case(suite, "wait", setup, NULL);

    tcase_add_test(tc, lock_uses_a_new_token_for_every_attempt);
    tcase_add_test(tc, pauses_have_full_jitter_and_double_up_to_a_cap);
    tcase_add_loop_test(tc, pause_ends_at_a_random_time_soon_after_the_holders, 0, 2);
    tcase_add_test(tc, pauses_stay_short_while_the_lock_changes_hands);
    tcase_add_test(tc, key_that_expires_in_49_days_shows_no_new_holder);
    tcase_add_test(tc, pauses_are_short_again_when_a_lock_held_for_long_changes_hands);
    tcase_add_test(tc, same_holder_has_changed_only_by_more_than_a_round_trip);
    tcase_add_test(tc, frozen_server_gets_one_attempt_and_its_release);
    tcase_add_loop_test(tc, permanent_error_ends_the_wait, 0, 4);
    tcase_add_loop_test(tc, acquire_waits_out_a_temporary_error, 0, 4);
    tcase_add_test(tc, server_that_comes_back_in_time_is_used);
    tcase_add_test(tc, connecting_ends_with_the_wait);
    tcase_add_test(tc, single_attempt_reports_a_refused_connection_at_once);
    tcase_add_loop_test(tc, only_the_first_attempt_may_take_longer_than_the_wait, 0, 2);
    return suite;
}
