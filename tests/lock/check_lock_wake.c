/* SPDX-License-Identifier: MIT */
/*
 * check_lock_wake.c - the blocking calls and a driver that is woken from outside: what ends, what continues,
 * and what is left.
 */
#include <check.h>
#include <string.h>

#include "lock/lock_io.h"
#include "tests/fixtures/scripted.h"

enum { TTL = 10000, NEVER = 1000 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;
static uint64_t now;
static int polls, wakes_from; /* from that poll on, if it can be woken */
static int serves_from;       /* the server does nothing before that poll */
static int result;            /* of a poll that is woken */

static int poll_once(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                     int can_wake)
{
    (void)ctx, (void)conns;
    ck_assert_uint_ge(need, 1);
    ck_assert_uint_le(need, n);
    polls++;
    if (polls >= wakes_from && (can_wake || result == RDL_E_SYSTEM))
        return result;
    if (polls >= serves_from) {
        if (rdl_conn_wants(&s.conn) & (RDL_WANT_WRITE | RDL_WANT_OPEN))
            until_ms = 0;
        scripted_serve(&s, now);
    } else {
        scripted_sent(&s);
        until_ms = 0;
    }
    now = until_ms > now && until_ms != UINT64_MAX ? until_ms : now;
    return RDL_OK;
}

static uint64_t now_ms(void *ctx)
{
    (void)ctx;
    return now;
}

static int fill(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 7, len);
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_once, now_ms, fill, NULL};

static void setup(void)
{
    const struct rdl_lock_options waits = {.ttl_ms = TTL, .wait_ms = 5000, .retry_ms = 50};

    now = 100000;
    polls = serves_from = 0;
    wakes_from = NEVER;
    result = RDL_E_INTERRUPTED;
    opt = waits;
    scripted_init(&s);
    scripted_model(&s, now);
    scripted_open(&s, now);
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
}

START_TEST(waiting_acquire_ends_when_woken)
{
    scripted_other(&s, "SET k other PX 60000\r\n", now);
    wakes_from = _i;
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_E_INTERRUPTED);
    ck_assert_uint_lt(now, 105000);
    scripted_serve(&s, now);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, now), 0);
    ck_assert(scripted_has_key(&s, "k", now)); /* the other client's */
}
END_TEST

/* Its SET is sent and has no reply: the release reached the driver before the call returned. */
START_TEST(woken_acquire_passes_its_release_to_the_driver)
{
    result = _i ? RDL_E_SYSTEM : RDL_E_INTERRUPTED;
    wakes_from = serves_from = 3; /* the first reads what came before, the second sends */
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), result);
    if (_i == 1)
        return; /* a failing driver takes nothing */
    ck_assert(!scripted_has_key(&s, "k", now));
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The usual clean-up after SIGTERM. */
START_TEST(wake_does_not_end_extend_or_release)
{
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_OK);
    wakes_from = 0;
    ck_assert_int_eq(rdl_lock_extend(&l, &platform, TTL), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&l, &platform), RDL_OK);
    ck_assert(!scripted_has_key(&s, "k", now));
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_E_INTERRUPTED); /* still readable */
}
END_TEST

START_TEST(text_of_interrupted_names_wake_fd)
{
    ck_assert_str_eq(rdl_strerror(RDL_E_INTERRUPTED), "interrupted (rdl_posix.wake_fd)");
    ck_assert(!rdl_is_permanent(RDL_E_INTERRUPTED));
}
END_TEST

Suite *suite_lock_wake(void);

Suite *suite_lock_wake(void)
{
    Suite *suite = suite_create("lock_wake");
    TCase *tc = tcase_create("wake");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, waiting_acquire_ends_when_woken, 0, 12);
    tcase_add_loop_test(tc, woken_acquire_passes_its_release_to_the_driver, 0, 2);
    tcase_add_test(tc, wake_does_not_end_extend_or_release);
    tcase_add_test(tc, text_of_interrupted_names_wake_fd);
    suite_add_tcase(suite, tc);
    return suite;
}
