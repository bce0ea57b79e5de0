/* SPDX-License-Identifier: MIT */
/*
 * check_lock_again.c - a release that failed for now: it stays pending, its handle can try it again, and the
 * lease is over.
 *
 * Rules R10 and R14.
 */
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_legacy.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 10000, ATTEMPT = 250, PAUSE_MS = 256 };

#define BUSY "-BUSY Redis is busy running a script\r\n"

static struct scripted s;
static struct rdl_lock l;
static const struct rdl_lock_options opt = {.ttl_ms = TTL, .attempt_ms = ATTEMPT};

static void hold(void)
{
    scripted_init(&s);
    scripted_open(&s, NOW);
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
}

static int release(const char *reply, uint64_t now)
{
    ck_assert_int_eq(rdl_lock_release_begin(&l, now), RDL_PENDING);
    scripted_sent(&s);
    if (reply != NULL)
        scripted_reply(&s, reply);
    return rdl_lock_step(&l, reply != NULL ? now : now + ATTEMPT);
}

static void failed(void)
{
    hold();
    ck_assert_int_eq(release(BUSY, NOW), RDL_E_TRY_LATER);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, NOW), 0);
    ck_assert(!rdl_conn_is_idle(&s.conn));
}

START_TEST(failed_release_can_be_retried)
{
    failed();
    ck_assert_int_eq(rdl_lock_release_begin(&l, NOW), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
    scripted_reply(&s, _i ? BUSY : ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), _i ? RDL_E_TRY_LATER : RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, NOW), _i ? RDL_PENDING : RDL_EXPIRED);
}
END_TEST

START_TEST(unanswered_release_can_be_retried)
{
    hold();
    ck_assert_int_eq(release(NULL, NOW), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_release_begin(&l, NOW + ATTEMPT), RDL_PENDING);
    scripted_reply(&s, ":1\r\n");
    ck_assert_str_eq(scripted_sent(&s), wire_release_sha("k", entropy_token(1)));
    scripted_reply(&s,
                   ":-1\r\n"); /* the first one did it, or the server lost the key: one server cannot tell */
    ck_assert_int_eq(rdl_lock_step(&l, NOW + ATTEMPT), RDL_UNKNOWN);
}
END_TEST

/* The pending release is sent as well, and then the handle's release finds nothing. */
START_TEST(release_done_meanwhile_is_not_lost)
{
    static const char *const replies[] = {":-1\r\n", ":0\r\n"};

    failed();
    rdl_conn_tick(&s.conn, NOW + PAUSE_MS);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(release(replies[_i % 2], _i < 2 ? NOW + PAUSE_MS : NOW + TTL), _i < 2    ? RDL_UNKNOWN
                                                                                    : _i == 2 ? RDL_EXPIRED
                                                                                              : RDL_LOST);
}
END_TEST

START_TEST(next_acquire_sends_the_pending_release_first)
{
    static const struct rdl_lock_options other = {.ttl_ms = TTL, .attempt_ms = ATTEMPT};

    failed();
    l.opt = &other;
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_join(wire_release_text("k", entropy_token(1)),
                                                  wire_acquire("k", entropy_token(2), TTL), NULL));
    scripted_reply(&s, ":1\r\n+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
    ck_assert_int_eq(release(":1\r\n", NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_acquire("k", entropy_token(3), TTL)); /* once */
}
END_TEST

START_TEST(lock_with_a_pending_release_is_not_extended)
{
    failed();
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, NOW), RDL_LOST);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* The expiry of an adopted key is unknown: a release is sent again for the ttl of the options. */
START_TEST(adopted_lock_release_is_retried_for_one_ttl)
{
    uint64_t now = NOW;
    unsigned n;

    hold();
    ck_assert_int_eq(rdl_lock_adopt(&l, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    rdl_conn_tick(&s.conn, now);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(release(BUSY, now), RDL_E_TRY_LATER);
    for (n = 0; !rdl_conn_is_idle(&s.conn) && n < 100; n++) {
        now = rdl_conn_tick(&s.conn, now);
        rdl_conn_tick(&s.conn, now);
        if (scripted_sent(&s)[0] != '\0')
            scripted_reply(&s, BUSY);
    }
    ck_assert_uint_gt(now, NOW + TTL - 2 * PAUSE_MS);
    ck_assert_uint_lt(now, NOW + TTL + 3 * PAUSE_MS);
}
END_TEST

/* Whole numbers do not identify a holder: a later value may be the next holder's. */
START_TEST(whole_number_deadline_is_released_once)
{
    static struct rdl_lock_legacy legacy;

    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
    rdl_lock_init_legacy(&legacy, &opt, &s.conn, "k", 1, _i ? RDL_LEGACY : RDL_LEGACY_INTEGER);
    ck_assert_int_eq(rdl_lock_acquire_begin(&legacy.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_serve(&s, NOW);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock, NOW), RDL_PENDING);
    scripted_serve(&s, NOW);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock, NOW), RDL_OK);
    s.model.busy = 1;
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock, NOW), RDL_PENDING);
    scripted_serve(&s, NOW);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock, NOW), RDL_E_TRY_LATER);
    ck_assert_int_eq(rdl_conn_is_idle(&s.conn), !_i);
    s.model.busy = 0;
    ck_assert_int_eq(rdl_lock_release_begin(&legacy.lock, NOW),
                     RDL_PENDING); /* its handle can send it again */
    scripted_serve(&s, NOW);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock, NOW), RDL_OK);
}
END_TEST

Suite *suite_lock_again(void)
{
    Suite *suite = suite_create("lock_again");
    TCase *tc = suite_case(suite, "again", NULL, NULL);

    tcase_add_loop_test(tc, failed_release_can_be_retried, 0, 2);
    tcase_add_test(tc, unanswered_release_can_be_retried);
    tcase_add_loop_test(tc, release_done_meanwhile_is_not_lost, 0, 4);
    tcase_add_test(tc, next_acquire_sends_the_pending_release_first);
    tcase_add_test(tc, lock_with_a_pending_release_is_not_extended);
    tcase_add_test(tc, adopted_lock_release_is_retried_for_one_ttl);
    tcase_add_loop_test(tc, whole_number_deadline_is_released_once, 0, 2);
    return suite;
}
