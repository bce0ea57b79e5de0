/* SPDX-License-Identifier: MIT */
/*
 * check_lock_wake.c - the blocking calls over a driver of the test: one that is woken from outside (what
 * ends, what continues, and what is left), and one that reads late.
 */
#include <string.h>

#include "lock/lock_io.h"
#include "net/net_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000, NEVER = 1000 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;
static uint64_t now;
static int polls, wakes_from; /* from that poll on, if it can be woken */
static int serves_from;       /* the server does nothing before that poll */
static int result;            /* of a poll that is woken */
static int is_deaf;           /* the connection swallows everything; the next one works */

/* The next connection, opened by a perfect driver. */
static void open_again(void)
{
    is_deaf = 0;
    memset(&s.session, 0, sizeof s.session);
    s.served = s.len;
    rdl_conn_opened(&s.conn);
}

/* Closes and opens a deaf connection; otherwise takes what it sends, and waits. */
static void drive_deaf(uint64_t until_ms)
{
    unsigned wants = rdl_conn_wants(&s.conn);

    if (wants & RDL_WANT_CLOSE) {
        scripted_close_failed(&s);
    } else if (wants & RDL_WANT_OPEN) {
        open_again();
    } else {
        scripted_sent(&s);
        s.served = s.len;
        now = until_ms > now ? until_ms : now;
    }
}

static int poll_once(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns;
    ck_assert_uint_eq(n, 1);
    polls++;
    if (is_deaf) {
        ck_assert(!(flags & RDL_POLL_CAN_WAKE)); /* only an acquire may be interrupted */
        drive_deaf(until_ms);
        return RDL_OK;
    }
    if (polls >= wakes_from && ((flags & RDL_POLL_CAN_WAKE) || result == RDL_E_SYSTEM))
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

static const struct rdl_platform platform = {poll_once, scripted_clock, scripted_random, &now};

static void setup(void)
{
    now = 100000;
    polls = serves_from = is_deaf = 0;
    wakes_from = NEVER;
    result = RDL_E_INTERRUPTED;
    opt = (struct rdl_lock_options){.ttl_ms = TTL, .wait_ms = 5000, .retry_ms = 50};
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

/* It may have ended since another lock used it, but a call of another lock keeps it from being quiet. */
START_TEST(connection_is_read_first_after_a_quiet_time)
{
    struct rdl_lock other;

    rdl_lock_init(&other, &opt, &s.conn, "o", 1);
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_OK);
    now += RDL_QUIET_MS;
    polls = 0;
    ck_assert_int_eq(rdl_lock_acquire(&other, &platform), RDL_OK);
    ck_assert_int_eq(polls, 1);
    now += RDL_QUIET_MS;
    ck_assert_int_eq(rdl_lock_release(&l, &platform), RDL_OK);
    ck_assert_int_eq(polls, 2);
    now += RDL_QUIET_MS + 1;
    ck_assert_int_eq(rdl_lock_release(&other, &platform), RDL_OK);
    ck_assert_int_eq(polls, 4);
}
END_TEST

/* A lock that is held, and an extend that had no reply in time: the connection is stalled. */
static void hold_on_a_stalled_connection(void)
{
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_OK);
    is_deaf = 1;
    ck_assert_int_eq(rdl_lock_extend(&l, &platform, TTL), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
}

START_TEST(blocking_call_replaces_a_stalled_connection)
{
    hold_on_a_stalled_connection();
    ck_assert_int_eq(_i ? rdl_lock_extend(&l, &platform, TTL) : rdl_lock_release(&l, &platform), RDL_OK);
    ck_assert(!is_deaf);
}
END_TEST

/* The reply arrived long ago. */
START_TEST(lock_drain_reads_before_it_checks_timeouts)
{
    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    scripted_sent(&s);
    now += TTL / 4;
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_UNKNOWN);
    now += 1000;
    ck_assert_int_eq(rdl_lock_drain(&l, &platform, now + 1000), RDL_OK);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

/* The server is silent. First it reads what has arrived; then it waits no longer than it may. */
START_TEST(lock_drain_ends_in_time)
{
    const uint64_t until = now + 100;

    ck_assert_int_eq(rdl_lock_acquire(&l, &platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, now), RDL_PENDING);
    rdl_lock_cancel(&l);
    is_deaf = 1;
    polls = 0;
    ck_assert_int_eq(rdl_lock_drain(&l, &platform, until), RDL_E_TIMEOUT);
    ck_assert_uint_eq(now, until);
    ck_assert_int_eq(polls, 2);
}
END_TEST

START_TEST(text_of_interrupted_names_wake_fd)
{
    ck_assert_str_eq(rdl_strerror(RDL_E_INTERRUPTED), "interrupted (rdl_posix.wake_fd)");
    ck_assert(!rdl_is_permanent(RDL_E_INTERRUPTED));
}
END_TEST

Suite *suite_lock_wake(void)
{
    Suite *suite = suite_create("lock_wake");
    TCase *tc = suite_case(suite, "wake", setup, NULL);

    tcase_add_loop_test(tc, waiting_acquire_ends_when_woken, 0, 12);
    tcase_add_loop_test(tc, woken_acquire_passes_its_release_to_the_driver, 0, 2);
    tcase_add_test(tc, wake_does_not_end_extend_or_release);
    tcase_add_test(tc, text_of_interrupted_names_wake_fd);
    tcase_add_test(tc, connection_is_read_first_after_a_quiet_time);
    tcase_add_loop_test(tc, blocking_call_replaces_a_stalled_connection, 0, 2);
    tcase_add_test(tc, lock_drain_reads_before_it_checks_timeouts);
    tcase_add_test(tc, lock_drain_ends_in_time);
    return suite;
}
