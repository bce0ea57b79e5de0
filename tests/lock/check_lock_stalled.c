/* SPDX-License-Identifier: MIT */
/*
 * check_lock_stalled.c - one lock on one server whose connection stalls while a new one would work: what it
 * reports, and that little is sent on it. check_contract.c tests for all kinds that the next connection
 * works.
 *
 * Rules R15 and R17.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 10000, ATTEMPT = 250, START = 1000 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_lock_options opt;
static uint64_t now;

static void setup(void)
{
    now = START;
    scripted_init(&s);
    scripted_model(&s, now);
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
    scripted_open(&s, now);
}

static int acquire(void)
{
    return rdl_lock_acquire_begin(&l, entropy_bytes(), now);
}

/*
 * Steps at the wake-up times until it ends; the server swallows what is sent, and closed connections may
 * reopen.
 */
static int run(int rc)
{
    while (rc == RDL_PENDING) {
        scripted_sent(&s);
        if (rdl_conn_wants(&s.conn) & RDL_WANT_CLOSE)
            scripted_close_failed(&s);
        else
            now = rdl_lock_wake_ms(&l);
        rc = rdl_lock_step(&l, now);
        if (rdl_conn_wants(&s.conn) & RDL_WANT_OPEN)
            break;
    }
    scripted_sent(&s);
    return rc;
}

static void hold(void)
{
    int rc = acquire();

    scripted_serve(&s, now);
    ck_assert_int_eq(rc, RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
}

START_TEST(waiting_on_a_stalled_connection_reports_a_timeout)
{
    opt.wait_ms = 5000;
    opt.retry_ms = 50;
    ck_assert_int_eq(run(acquire()), RDL_E_TIMEOUT);
    ck_assert_uint_eq(now, START + 5000);
    ck_assert_uint_eq(rdl_conn_waiting(&s.conn), 2); /* one SET and its release */
    ck_assert_uint_eq(l.token.bytes[RDL_TOKEN_LEN - 1], 1);
}
END_TEST

/* Again and again, for longer than the queue could hold. */
START_TEST(single_attempts_do_not_fill_a_stalled_queue)
{
    int i;

    ck_assert_int_eq(run(acquire()), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_error(&l), RDL_E_TIMEOUT);
    for (i = 0; i < 1000 && now < START + TTL - 10; i++) {
        now += 9;
        ck_assert_int_eq(run(acquire()), RDL_E_TIMEOUT);
    }
    ck_assert_int_eq(i, 1000);
    ck_assert_uint_eq(rdl_conn_waiting(&s.conn), 2);
}
END_TEST

START_TEST(connection_that_answers_again_is_used_again)
{
    int rc;

    opt.wait_ms = 5000;
    opt.retry_ms = 50;
    rc = acquire();
    while (rdl_conn_state(&s.conn) != RDL_CONN_STALLED) {
        scripted_sent(&s);
        now = rdl_lock_wake_ms(&l);
        rc = rdl_lock_step(&l, now);
    }
    scripted_serve(&s, now); /* it was only slow: SET, then its release */
    while (rc == RDL_PENDING) {
        now = rdl_lock_wake_ms(&l);
        rc = rdl_lock_step(&l, now);
        scripted_serve(&s, now);
        rc = rc == RDL_PENDING ? rdl_lock_step(&l, now) : rc;
    }
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert_uint_lt(now, START + 2 * ATTEMPT + RDL_RETRY_CAP_MS);
}
END_TEST

/* Another lock's SET keeps the connection: an extend is not sent there, and fails at once. */
START_TEST(extend_on_a_stalled_connection_fails_with_timeout)
{
    struct rdl_lock other;

    hold();
    rdl_lock_init(&other, &opt, &s.conn, "other", 5);
    ck_assert_int_eq(rdl_lock_acquire_begin(&other, entropy_bytes(), now), RDL_PENDING);
    scripted_sent(&s);
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_step(&other, now), RDL_UNKNOWN);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_uint_gt(rdl_lock_remaining_ms(&l, now), 0);
}
END_TEST

/* The next connection, opened by a perfect driver. */
static void reopen(void)
{
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT);
    memset(&s.session, 0, sizeof s.session);
    s.served = s.len;
    scripted_open(&s, now);
}

/*
 * When the first extend fails, LEFT remains. With half of LEFT left the connection is kept; with less it is
 * aborted for the lease, and the other lock's release uses the next one. A second stalled connection is kept
 * for half of the time that is left then.
 */
START_TEST(lease_aborts_a_stalled_connection_at_half_time)
{
    enum { LEFT = TTL - 102 - ATTEMPT };
    struct rdl_lock other;
    const char *sent;

    hold();
    rdl_lock_init(&other, &opt, &s.conn, "other", 5);
    ck_assert_int_eq(rdl_lock_acquire_begin(&other, token_bytes(7), now), RDL_PENDING);
    scripted_sent(&s);
    s.served = s.len;
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_step(&other, now), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
    now += LEFT - LEFT / 2;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    now++;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    reopen();
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING); /* it is open: the attempt begins */
    sent = scripted_sent(&s);
    ck_assert_ptr_nonnull(strstr(sent, rdl_script_release.text));
    ck_assert_ptr_nonnull(strstr(sent, rdl_script_extend.text));
    if (_i) {
        scripted_serve(&s, now);
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
        ck_assert_uint_eq(rdl_lock_remaining_ms(&l, now), TTL - 102);
        return;
    }
    ck_assert_int_eq(rdl_lock_acquire_begin(&other, token_bytes(8), now), RDL_PENDING);
    scripted_sent(&s);
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_UNKNOWN);
    now++;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
}
END_TEST

/* The lock with the short timeout sends first, and the replies take longer than it waits. */
START_TEST(short_timeout_does_not_cut_a_longer_one)
{
    const struct rdl_lock_options short_timeout = {.ttl_ms = 1000, .attempt_ms = 50};
    struct rdl_lock other;

    hold();
    rdl_lock_init(&other, &short_timeout, &s.conn, "other", 5);
    ck_assert_int_eq(rdl_lock_adopt(&other, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&other, 1000, now), RDL_PENDING);
    now += 10;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    scripted_sent(&s);
    now += ATTEMPT - 20;
    ck_assert_int_eq(rdl_lock_step(&other, now), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    scripted_serve(&s, now);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
}
END_TEST

/*
 * The other lock waits for an extend, which keeps no connection: only its longer timeout would keep this one.
 */
START_TEST(lease_in_danger_ignores_another_locks_longer_timeout)
{
    const struct rdl_lock_options long_timeout = {.ttl_ms = 60000, .attempt_ms = 9000};
    struct rdl_lock other;

    hold();
    rdl_lock_init(&other, &long_timeout, &s.conn, "other", 5);
    ck_assert_int_eq(rdl_lock_adopt(&other, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&other, 60000, now), RDL_PENDING);
    scripted_sent(&s);
    s.served = s.len;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    scripted_sent(&s);
    s.served = s.len;
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_UNKNOWN);
    now += TTL / 4;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY); /* there is time */
    scripted_sent(&s);
    s.served = s.len;
    now += TTL / 4;
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_UNKNOWN);
    rdl_lock_extend_begin(&l, TTL, now);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    if (_i) { /* a byte, and another stall: half of the time that is left then */
        scripted_reply(&s, ":");
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
        now += rdl_lock_remaining_ms(&l, now) / 2 + 1;
        rdl_lock_step(&l, now);
        rdl_lock_extend_begin(&l, TTL, now);
        scripted_sent(&s);
        s.served = s.len;
        now += ATTEMPT;
        rdl_lock_step(&l, now);
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    }
    now++;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_PENDING);
    reopen();
    rdl_lock_step(&l, now);
    scripted_serve(&s, now);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
}
END_TEST

/* An adopted lock is not held yet: an earlier lease's failure is no reason to abort a connection. */
START_TEST(adopted_lock_aborts_no_stalled_connection)
{
    struct rdl_lock other;

    hold();
    rdl_lock_init(&other, &opt, &s.conn, "other", 5);
    ck_assert_int_eq(rdl_lock_acquire_begin(&other, token_bytes(7), now), RDL_PENDING);
    scripted_sent(&s);
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_step(&other, now), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_lock_adopt(&l, token_hex(9), RDL_VALUE_MAX), RDL_OK);
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, now), RDL_E_TIMEOUT);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
}
END_TEST

Suite *suite_lock_stalled(void)
{
    Suite *suite = suite_create("lock_stalled");
    TCase *tc = suite_case(suite, "stalled", setup, NULL);

    tcase_add_test(tc, waiting_on_a_stalled_connection_reports_a_timeout);
    tcase_add_test(tc, single_attempts_do_not_fill_a_stalled_queue);
    tcase_add_test(tc, connection_that_answers_again_is_used_again);
    tcase_add_test(tc, extend_on_a_stalled_connection_fails_with_timeout);
    tcase_add_loop_test(tc, lease_aborts_a_stalled_connection_at_half_time, 0, 2);
    tcase_add_test(tc, short_timeout_does_not_cut_a_longer_one);
    tcase_add_loop_test(tc, lease_in_danger_ignores_another_locks_longer_timeout, 0, 2);
    tcase_add_test(tc, adopted_lock_aborts_no_stalled_connection);
    return suite;
}
