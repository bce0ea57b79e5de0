/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_need.c - when a blocking call polls: never to wait for more replies than can change its
 * outcome, and before it begins only for what would count as missing.
 *
 * All fates of up to five servers are tried. Every server is as good as the others, so this covers all orders
 * of their replies, too.
 */
#include <check.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"

#define lock (&fleet.lock)

enum { NOW = 1000, MANY = 7 };

/* u up, s another client has the key, g the key is gone, e an error reply, x the connection ends */
static const char fates[] = "usgex";

static int begin(int action, uint64_t now_ms)
{
    if (action == RDL_ACQUIRE)
        return fleet_acquire(now_ms);
    return action == RDL_EXTEND ? rdl_redlock_extend_begin(lock, FLEET_TTL, now_ms)
                                : rdl_redlock_release_begin(lock, now_ms);
}

static void befall(size_t i, char fate, uint64_t now_ms)
{
    char text[] = "......x";

    if (fate == 'x') {
        fleet_down(i);
        return;
    }
    text[i] = fate == 'u' ? '.' : fate;
    text[i + 1] = '\0';
    fleet_befall(text, now_ms);
    fleet_serve(i, now_ms);
}

static unsigned unsent(void)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < fleet.n; i++)
        n += (rdl_conn_wants(&fleet.s[i].conn) & RDL_WANT_WRITE) != 0;
    return n;
}

static void hold(size_t n, int is_fenced)
{
    uint64_t now_ms = NOW;

    fleet_init(n, NOW);
    fleet.opt.fencing = is_fenced ? &rdl_fencing : NULL;
    ck_assert_int_eq(fleet_run(fleet_acquire(NOW), &now_ms), RDL_OK);
    fleet_serve_all(now_ms);
    rdl_redlock_step(lock, now_ms);
}

/* The number of waits, with the fate of each server in `which`, a number to the base of all fates. */
static unsigned waits_of(int action, size_t n, unsigned which)
{
    unsigned need, waits = 0;
    size_t i;
    int rc = begin(action, NOW + 10);

    ck_assert_uint_eq(unsent(), n);
    for (i = 0; i < n; i++)
        scripted_sent(&fleet.s[i]);
    need = rdl_redlock_need(lock);
    for (i = 0; i < n && rc == RDL_PENDING; i++, which /= sizeof fates - 1) {
        int state = lock->state;
        ck_assert_uint_ge(need, 1);
        ck_assert_uint_le(need, n - i);
        befall(i, fates[which % (sizeof fates - 1)], NOW + 20);
        rc = rdl_redlock_step(lock, NOW + 20);
        if (--need > 0) {
            ck_assert_int_eq(rc, RDL_PENDING);
            ck_assert_int_eq(lock->state, state);
            ck_assert_uint_eq(unsent(), 0);
            continue;
        }
        need = rdl_redlock_need(lock);
        waits++;
    }
    return waits;
}

static const struct {
    int action, is_fenced;
} operations[] = {{RDL_ACQUIRE, 0}, {RDL_ACQUIRE, 1}, {RDL_EXTEND, 0},
                  {RDL_EXTEND, 1},  {RDL_RELEASE, 0}, {RDL_RELEASE, 1}};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void prepare(int operation, size_t n)
{
    if (operations[operation].action != RDL_ACQUIRE) {
        hold(n, operations[operation].is_fenced);
        return;
    }
    fleet_init(n, NOW);
    fleet.opt.fencing = operations[operation].is_fenced ? &rdl_fencing : NULL;
}

START_TEST(fewer_replies_never_end_an_operation)
{
    unsigned most = 1, which;
    size_t n, i;

    for (n = 1; n <= 5; n++) {
        for (i = 0, most = 1; i < n; i++)
            most *= sizeof fates - 1;
        for (which = 0; which < most; which++) {
            prepare(_i, n);
            waits_of(operations[_i].action, n, which);
        }
    }
}
END_TEST

START_TEST(a_majority_that_agrees_is_waited_for_once)
{
    prepare(_i, MANY);
    ck_assert_uint_eq(waits_of(operations[_i].action, MANY, 0), 1);
}
END_TEST

START_TEST(those_that_refuse_are_waited_for_together)
{
    size_t i;

    fleet_init(5, NOW);
    fleet_befall("sssss", NOW);
    fleet_acquire(NOW);
    ck_assert_uint_eq(rdl_redlock_need(lock), 3); /* the first two cannot prevent a majority */
    fleet_serve(0, NOW);
    rdl_redlock_step(lock, NOW);
    ck_assert_uint_eq(rdl_redlock_need(lock), 2);
    for (i = 1; i < 3; i++)
        fleet_serve(i, NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_BUSY);
}
END_TEST

/* An adopted token is confirmed by a majority, whatever is known of the time before. */
START_TEST(an_adopted_token_waits_for_a_majority)
{
    char token[RDL_TOKEN_TEXT_MAX];

    hold(5, 0);
    rdl_redlock_token(lock, token);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 5, "k", 1);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token, RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, NOW), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_need(lock), 3);
    fleet_serve(0, NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_need(lock), 2);
    fleet_serve(1, NOW);
    fleet_serve(2, NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_ADOPTED);
}
END_TEST

START_TEST(a_release_waits_for_a_majority_whatever_else_fails)
{
    hold(5, 0);
    fleet_down(0);
    rdl_redlock_step(lock, NOW);
    fleet_serve(0, NOW); /* refused: it pauses */
    fleet_steal(1, NOW);
    rdl_redlock_release_begin(lock, NOW);
    ck_assert_uint_eq(rdl_redlock_need(lock), 3);
    fleet_serve(1, NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_need(lock), 2);
}
END_TEST

START_TEST(only_votes_are_waited_for_together)
{
    fleet_init(5, NOW);
    fleet_acquire(NOW);
    ck_assert_uint_eq(rdl_redlock_need(lock), 3);
    for (lock->state = REDLOCK_IDLE; lock->state <= REDLOCK_PAUSE; lock->state++)
        ck_assert_uint_eq(rdl_redlock_need(lock), lock->state == REDLOCK_ASKED ? 3 : 1);
}
END_TEST

static struct rdl_canary canaries[5];

START_TEST(every_reply_is_waited_for_alone)
{
    struct scripted *last = &fleet.s[4];

    fleet_init(5, NOW);
    if (_i == 0) { /* a canary's reply decides what a vote is worth */
        rdl_redlock_set_canary(lock, canaries);
    } else if (_i <= 2) { /* it gets its request when it is open */
        fleet_down(4);
        rdl_conn_tick(&last->conn, NOW); /* it pauses */
        rdl_conn_tick(&last->conn, NOW + 3000);
        if (_i == 2)
            rdl_conn_opened(&last->conn);
    } else { /* its request is sent when its queue has room */
        last->cfg.queue_len = (size_t)2 * RDL_REQUEST_SIZE(1 + RDL_VALUE_MAX);
        rdl_conn_submit(&last->conn, NULL,
                        &(const struct rdl_command){.op = &rdl_op_release,
                                                    .name = {"k", 1},
                                                    .value = {token_hex(1), RDL_VALUE_MAX},
                                                    .until_ms = NOW + 1000});
    }
    fleet_acquire(NOW);
    ck_assert_int_eq(fleet.servers[4].error, _i < 3 ? RDL_OK : RDL_E_FULL);
    ck_assert_int_eq(lock->state, REDLOCK_ASKED);
    ck_assert_uint_eq(rdl_redlock_need(lock), 1);
}
END_TEST

/* Several clients split the votes: the next attempt asks one server alone first. */
START_TEST(a_probe_server_is_waited_for_alone)
{
    fleet_init(5, NOW);
    fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = 1000;
    fleet_befall("sssss", NOW);
    fleet_acquire(NOW);
    fleet_serve_all(NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_need(lock), 1);
    ck_assert_int_eq(rdl_redlock_step(lock, rdl_redlock_wake_ms(lock)), RDL_PENDING);
    ck_assert_uint_ne(lock->probe_server, 0);
    ck_assert_uint_eq(rdl_redlock_need(lock), 1);
}
END_TEST

/* ---------------------------------------------------------------- the blocking functions */

static struct {
    unsigned all, for_reading; /* polls */
    uint64_t now_ms;
    size_t next; /* the replies arrive in the order of the requests */
} driver;

static size_t read_next(void)
{
    struct scripted *s = &fleet.s[driver.next];
    uint32_t before = rdl_conn_replies(&s->conn);

    fleet_serve(driver.next, driver.now_ms);
    driver.next = (driver.next + 1) % fleet.n;
    return rdl_conn_replies(&s->conn) != before;
}

/* A driver that waits for as many as it may. */
static int poll_fleet(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                      int can_wake)
{
    size_t i;

    (void)ctx;
    (void)conns;
    (void)can_wake;
    ck_assert_uint_ge(need, 1);
    ck_assert_uint_le(need, n);
    driver.all++;
    driver.for_reading += until_ms == 0;
    for (i = 0; i < fleet.n; i++)
        scripted_sent(&fleet.s[i]);
    for (i = 0; i < fleet.n && (need > 0 || until_ms == 0); i++)
        need -= read_next() && until_ms > 0;
    return RDL_OK;
}

static uint64_t fleet_now(void *ctx)
{
    (void)ctx;
    return driver.now_ms;
}

static int fleet_random(void *ctx, void *buf, size_t len)
{
    (void)ctx;
    memset(buf, 1, len);
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_fleet, fleet_now, fleet_random, NULL};

static void hold_blocking(void)
{
    fleet_init(5, NOW);
    memset(&driver, 0, sizeof driver);
    driver.now_ms = NOW;
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_OK);
}

/* The last two replies are read with those of the next operation. */
START_TEST(a_blocking_call_waits_once)
{
    hold_blocking();
    ck_assert_uint_eq(driver.all, 1);
    ck_assert_int_eq(rdl_redlock_extend(lock, &platform, FLEET_TTL), RDL_OK);
    ck_assert_uint_eq(driver.all, 2);
    ck_assert_int_eq(rdl_redlock_release(lock, &platform), RDL_OK);
    ck_assert_uint_eq(driver.all, 3);
    ck_assert_uint_eq(driver.for_reading, 0);
}
END_TEST

START_TEST(an_overdue_reply_is_read_first)
{
    hold_blocking();
    driver.now_ms += FLEET_ATTEMPT - 1;
    ck_assert_int_eq(rdl_redlock_extend(lock, &platform, FLEET_TTL), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 0);
    driver.now_ms += FLEET_ATTEMPT;
    ck_assert_int_eq(rdl_redlock_release(lock, &platform), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 1);
    ck_assert_uint_eq(rdl_votes_count_conns(lock, RDL_CONN_STALLED), 0);
}
END_TEST

/* A connection may have closed since. */
START_TEST(a_call_after_a_quiet_time_reads_first)
{
    hold_blocking();
    fleet_serve_all(NOW);
    driver.now_ms += RDL_QUIET_MS;
    ck_assert_int_eq(rdl_redlock_extend(lock, &platform, FLEET_TTL), RDL_OK);
    fleet_serve_all(driver.now_ms);
    ck_assert_uint_eq(driver.for_reading, 0);
    driver.now_ms += RDL_QUIET_MS + 1;
    ck_assert_int_eq(rdl_redlock_release(lock, &platform), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 1);
}
END_TEST

Suite *suite_redlock_need(void);

Suite *suite_redlock_need(void)
{
    Suite *s = suite_create("redlock_need");
    TCase *tc = tcase_create("need");

    tcase_add_loop_test(tc, fewer_replies_never_end_an_operation, 0, OPERATIONS);
    tcase_add_loop_test(tc, a_majority_that_agrees_is_waited_for_once, 0, OPERATIONS);
    tcase_add_test(tc, those_that_refuse_are_waited_for_together);
    tcase_add_test(tc, an_adopted_token_waits_for_a_majority);
    tcase_add_test(tc, a_release_waits_for_a_majority_whatever_else_fails);
    tcase_add_test(tc, only_votes_are_waited_for_together);
    tcase_add_loop_test(tc, every_reply_is_waited_for_alone, 0, 4);
    tcase_add_test(tc, a_probe_server_is_waited_for_alone);
    tcase_add_test(tc, a_blocking_call_waits_once);
    tcase_add_test(tc, an_overdue_reply_is_read_first);
    tcase_add_test(tc, a_call_after_a_quiet_time_reads_first);
    suite_add_tcase(s, tc);
    return s;
}
