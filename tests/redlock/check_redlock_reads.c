/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_reads.c - when a blocking call reads before it begins: if a reply is overdue, or after a time
 * in which a connection may have ended.
 *
 * Rule R8.
 */
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

enum { NOW = 1000 };

static struct {
    unsigned for_reading; /* polls */
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

/* Returns after the first reply. */
static int poll_fleet(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    size_t i, did = 0;

    (void)ctx, (void)conns, (void)n, (void)flags;
    driver.for_reading += until_ms == 0;
    for (i = 0; i < fleet.n; i++)
        scripted_sent(&fleet.s[i]);
    for (i = 0; i < fleet.n && (did == 0 || until_ms == 0); i++)
        did += read_next();
    return RDL_OK;
}

static const struct rdl_platform platform = {poll_fleet, scripted_clock, scripted_random, &driver.now_ms};

static void hold_blocking(void)
{
    fleet_init(5, NOW);
    lock->sent_ms = NOW; /* not the first use */
    memset(&driver, 0, sizeof driver);
    driver.now_ms = NOW;
    ck_assert_int_eq(rdl_redlock_acquire(lock, &platform), RDL_OK);
}

START_TEST(an_overdue_reply_is_read_first)
{
    hold_blocking();
    driver.now_ms += FLEET_ATTEMPT - 1;
    lock->sent_ms = driver.now_ms;
    ck_assert_int_eq(rdl_redlock_extend(lock, &platform, FLEET_TTL), RDL_OK);
    ck_assert_uint_eq(driver.for_reading, 0);
    driver.now_ms += FLEET_ATTEMPT;
    lock->sent_ms = driver.now_ms;
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

Suite *suite_redlock_reads(void)
{
    Suite *s = suite_create("redlock_reads");
    TCase *tc = suite_case(s, "reads", NULL, NULL);

    tcase_add_test(tc, an_overdue_reply_is_read_first);
    tcase_add_test(tc, a_call_after_a_quiet_time_reads_first);
    return s;
}
