/* SPDX-License-Identifier: MIT */
/* check_redlock_hint.c - waiting for a majority with a hint from the first server. Rule R32. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_hint.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)
#define CAME "*2\r\n$8\r\n{k}:wake\r\n$1\r\n1\r\n"

static struct scripted second;
static struct rdl_hint hint;
static uint64_t now;

static void begin(size_t n)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.lease.wait_ms = 5000;
    fleet.opt.lease.retry_ms = 50;
    scripted_init(&second);
    scripted_open(&second, now);
    rdl_hint_init(&hint, &second.conn);
    hint.patience_ms = 600000; /* hints have come: it does not poll */
    rdl_redlock_set_hint(lock, &hint);
}

/* Another client holds servers first to last; the lock is refused and pauses. */
static void refused(size_t first, size_t last)
{
    for (; first <= last; first++)
        fleet_steal(first, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve_all(now);
}

static const char *waits(void)
{
    return strstr(scripted_sent(&second), "BLPOP");
}

START_TEST(hint_wait_is_on_the_first_server_up_to_a_cap)
{
    begin(5);
    if (_i == 1)
        now += 4500; /* the keys were set before */
    for (size_t i = 0; i < 3; i++)
        fleet_steal(i, 1000);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    ck_assert_ptr_nonnull(waits());
    ck_assert_uint_eq(rdl_redlock_wake_ms(lock) - now, _i == 1 ? 501 : RDL_HINT_CAP_MS);
}
END_TEST

START_TEST(hint_wait_ends_at_the_deadline)
{
    begin(3);
    fleet.opt.lease.wait_ms = 300;
    refused(0, 2);
    ck_assert_ptr_nonnull(strstr(waits(), "0.300"));
}
END_TEST

START_TEST(hint_ends_the_pause_of_a_redlock)
{
    begin(5);
    refused(0, 2);
    ck_assert_ptr_nonnull(waits());
    ck_assert_int_eq(rdl_redlock_step(lock, now + 20), RDL_PENDING);
    for (size_t i = 0; i < 3; i++)
        fleet_delete(i, now);
    scripted_reply(&second, CAME);
    now += 30;
    ck_assert_int_eq(fleet_run(rdl_redlock_step(lock, now), &now), RDL_OK);
    ck_assert_uint_eq(now, 1030);
    ck_assert(!hint.req.is_queued);
    ck_assert_int_eq(rdl_conn_state(&second.conn), RDL_CONN_READY);
}
END_TEST

/* Several servers: the vote of the first one, which decides where the next attempt begins, needs the PTTL. */
START_TEST(attempt_before_a_hint_sends_no_pttl_on_one_server)
{
    const char *sent;

    begin(_i == 0 ? 1 : 3);
    fleet_steal(0, now);
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    sent = scripted_sent(&fleet.s[0]);
    ck_assert_ptr_nonnull(strstr(sent, "SET"));
    ck_assert_int_eq(strstr(sent, "PTTL") != NULL, _i);
}
END_TEST

/* A client that was woken and lost again is not worse off: its next pause is as short as the first one. */
START_TEST(hints_do_not_make_later_pauses_longer)
{
    int i;

    begin(3);
    refused(0, 2);
    for (i = 0; i < 5; i++) {
        ck_assert_ptr_nonnull(waits());
        scripted_reply(&second, CAME);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING); /* it tries again, and is refused */
        fleet_serve_all(now);
        if (i == 4)
            scripted_break(&second);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
        fleet_serve_all(now);
    }
    ck_assert_uint_le(rdl_redlock_wake_ms(lock) - now, 2 * 50);
}
END_TEST

/* The client was next in line, and another one was faster: it is not to blame for that. */
START_TEST(backoff_begins_again_after_a_hint)
{
    uint64_t longest = 0;

    for (uint32_t seed = 1; seed <= 100; seed++) {
        begin(5);
        refused(0, 2);
        lock->seed = seed * 2654435761u;
        for (size_t i = 0; i < 2; i++) {
            fleet_delete(i, now);
            fleet_steal(3 + i, now);
        }
        scripted_reply(&second, CAME);
        for (int round = 0; round < 4; round++) {
            ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
            fleet_serve_all(now);
        }
        ck_assert_uint_eq(rdl_redlock_stats(lock).refused, 2);
        if (rdl_redlock_wake_ms(lock) - now > longest)
            longest = rdl_redlock_wake_ms(lock) - now;
    }
    ck_assert_uint_gt(longest, 50); /* one doubling */
    ck_assert_uint_le(longest, 100);
}
END_TEST

/* The holder may not have its key there, so there would be no hint. */
START_TEST(pause_is_normal_if_the_first_server_did_not_refuse)
{
    begin(5);
    refused(2, 4);
    ck_assert_ptr_null(waits());
    ck_assert_uint_lt(rdl_redlock_wake_ms(lock), now + 100);
}
END_TEST

START_TEST(release_sends_a_hint_only_on_the_first_server)
{
    begin(3);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(scripted_has_key(&fleet.s[i], "{k}:wake", now) != 0, i == 0);
}
END_TEST

START_TEST(cancelled_redlock_wait_consumes_no_hint)
{
    begin(3);
    refused(0, 2);
    ck_assert_ptr_nonnull(waits());
    if (_i == 0) {
        rdl_redlock_cancel(lock);
    } else {
        now += 5000;
        fleet_steal(0, now);
        fleet_steal(1, now);
        fleet_run(RDL_PENDING, &now);
        ck_assert_int_eq(lock->result, RDL_BUSY);
    }
    ck_assert_int_eq(scripted_close_failed(&second), RDL_E_TIMEOUT);
    ck_assert(!hint.req.is_queued);
}
END_TEST

START_TEST(redlock_pauses_are_normal_without_a_hint_connection)
{
    begin(3);
    if (_i == 0)
        rdl_hint_init(&hint, NULL);
    else
        scripted_break(&second);
    refused(0, 2);
    ck_assert_uint_lt(rdl_redlock_wake_ms(lock), now + 100);
    for (size_t i = 0; i < 3; i++)
        fleet_delete(i, now);
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
}
END_TEST

Suite *suite_redlock_hint(void)
{
    Suite *suite = suite_create("redlock_hint");
    TCase *tc = suite_case(suite, "hint", NULL, NULL);

    tcase_add_loop_test(tc, hint_wait_is_on_the_first_server_up_to_a_cap, 0, 2);
    tcase_add_test(tc, hint_wait_ends_at_the_deadline);
    tcase_add_test(tc, hint_ends_the_pause_of_a_redlock);
    tcase_add_loop_test(tc, attempt_before_a_hint_sends_no_pttl_on_one_server, 0, 2);
    tcase_add_test(tc, hints_do_not_make_later_pauses_longer);
    tcase_add_test(tc, backoff_begins_again_after_a_hint);
    tcase_add_test(tc, pause_is_normal_if_the_first_server_did_not_refuse);
    tcase_add_test(tc, release_sends_a_hint_only_on_the_first_server);
    tcase_add_loop_test(tc, cancelled_redlock_wait_consumes_no_hint, 0, 2);
    tcase_add_loop_test(tc, redlock_pauses_are_normal_without_a_hint_connection, 0, 2);
    return suite;
}
