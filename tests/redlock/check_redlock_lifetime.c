/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_lifetime.c - how long a redlock's memory is in use: until the call that ends the operation,
 * or the lease, has returned. It is freed then, while replies are still pending; the sanitizers catch any
 * later write.
 *
 * Rule R23.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_hint.h"
#include "net/net_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

enum { NOW = 10000000, SERVERS = 5 };

/* What a program allocates for one lock. */
struct memory {
    struct rdl_redlock lock;
    struct rdl_server servers[SERVERS];
    struct rdl_canary canaries[SERVERS];
    struct rdl_hint hint;
};

static struct memory *m;
static struct scripted hints; /* the second connection to the first server */
static uint64_t now;

/* Reused as it was left. */
static void init(const char *name)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        m->servers[i].conn = &fleet.s[i].conn;
    rdl_redlock_init(&m->lock, &fleet.opt, m->servers, fleet.n, name, 1);
}

/* Each server has a canary that is as old as itself. */
static void begin(void)
{
    char command[128];
    size_t i;

    now = NOW;
    fleet_guarded(SERVERS, RDL_GUARD_OFF, now);
    for (i = 0; i < SERVERS; i++) {
        snprintf(command, sizeof command,
                 "*3\r\n$3\r\nSET\r\n$10\r\n" RDL_CANARY_KEY "\r\n$21\r\n%.16s 6400\r\n",
                 fleet.s[i].model.run_id);
        fleet_command(i, command, now);
    }
    scripted_init(&hints);
    m = malloc(sizeof *m);
    ck_assert_ptr_nonnull(m);
    memset(m, 0x5a, sizeof *m);
    init("k");
    rdl_redlock_set_canary(&m->lock, m->canaries);
    rdl_hint_init(&m->hint, &hints.conn);
    rdl_redlock_set_hint(&m->lock, &m->hint);
}

static int run(int rc)
{
    int rounds;

    for (rounds = 0; rc == RDL_PENDING && rounds < 20; rounds++) {
        fleet_serve_all(now);
        rc = rdl_redlock_step(&m->lock, now);
        if (rounds > 3)
            now = rdl_redlock_wake_ms(&m->lock) > now ? rdl_redlock_wake_ms(&m->lock) : now;
    }
    ck_assert_int_ne(rc, RDL_PENDING);
    return rc;
}

static int acquire(void)
{
    return run(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now));
}

/* The last server is frozen: its replies come later. */
static void hold(void)
{
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(&m->lock, now);
    fleet.mood[SERVERS - 1] = MOOD_FROZEN;
}

static int released(void)
{
    hold();
    return run(rdl_redlock_release_begin(&m->lock, now));
}

static int cancelled(void)
{
    hold();
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_PENDING);
    fleet_serve_all(now);
    rdl_redlock_cancel(&m->lock);
    return RDL_OK;
}

static int cancelled_in_an_acquire(void)
{
    fleet.mood[SERVERS - 1] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_PENDING);
    fleet_serve_all(now);
    rdl_redlock_cancel(&m->lock);
    return RDL_OK;
}

static int refused(void)
{
    size_t i;

    fleet.mood[SERVERS - 1] = MOOD_FROZEN;
    for (i = 0; i < SERVERS - 1; i++)
        fleet_steal(i, now);
    return acquire();
}

/* All have granted it, and their canaries are missing. */
static int granted_in_quarantine(void)
{
    size_t i;

    fleet.mood[SERVERS - 1] = MOOD_FROZEN;
    for (i = 0; i < SERVERS - 1; i++)
        fleet_command(i, "DEL " RDL_CANARY_KEY "\r\n", now);
    return acquire();
}

static int lost(void)
{
    size_t i;

    hold();
    for (i = 0; i < SERVERS - 1; i++)
        fleet_steal(i, now);
    return run(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now));
}

/* The lease was never released; an extend finds that it has expired. */
static int lost_by_time(void)
{
    hold();
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_PENDING);
    now += FLEET_TTL;
    return run(RDL_PENDING);
}

/* Two have it as it was restored, two are another client's: of five that is no majority without a gap. */
static int held_with_a_gap(void)
{
    hold();
    fleet.mood[SERVERS - 1] = MOOD_UP;
    fleet_delete(3, now);
    fleet_delete(4, now);
    ck_assert_int_eq(run(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now)), RDL_REPAIRED);
    fleet_steal(1, now);
    fleet_steal(2, now);
    now += 1000;
    return run(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now));
}

static int adopted_and_released(void)
{
    char hex[RDL_TOKEN_TEXT_MAX];

    hold();
    rdl_redlock_token(&m->lock, hex);
    ck_assert_int_eq(rdl_redlock_adopt(&m->lock, hex, strlen(hex)), RDL_OK);
    return run(rdl_redlock_release_begin(&m->lock, now));
}

/* The next acquire ends an expired lease, also if it is refused at once. */
static int refused_after_a_lease(void)
{
    hold();
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_PENDING);
    fleet.mood[SERVERS - 2] = fleet.mood[SERVERS - 3] = MOOD_FROZEN;
    ck_assert_int_eq(run(RDL_PENDING), RDL_UNKNOWN);
    fleet.opt.lease.ttl_ms = 1;
    return rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now + 2 * FLEET_TTL);
}

static int serve(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    (void)ctx, (void)conns, (void)n, (void)until_ms, (void)flags;
    fleet_serve_all(now);
    return RDL_OK;
}

static int no_bytes(void *ctx, void *buf, size_t len)
{
    (void)ctx, (void)buf, (void)len;
    return RDL_E_RANDOM;
}

/* The same if it gets no random bytes. */
static int without_random_bytes_after_a_lease(void)
{
    const struct rdl_platform platform = {serve, scripted_clock, no_bytes, &now};

    hold();
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_PENDING);
    fleet.mood[SERVERS - 2] = fleet.mood[SERVERS - 3] = MOOD_FROZEN;
    ck_assert_int_eq(run(RDL_PENDING), RDL_UNKNOWN);
    now += 2 * FLEET_TTL;
    return rdl_redlock_acquire(&m->lock, &platform);
}

static const struct {
    int (*end)(void);
    int result;
} ends[] = {{released, RDL_OK},
            {cancelled, RDL_OK},
            {cancelled_in_an_acquire, RDL_OK},
            {refused, RDL_BUSY},
            {granted_in_quarantine, RDL_E_QUARANTINE},
            {lost, RDL_LOST},
            {lost_by_time, RDL_LOST},
            {held_with_a_gap, RDL_E_GAP},
            {adopted_and_released, RDL_OK},
            {refused_after_a_lease, RDL_E_TTL},
            {without_random_bytes_after_a_lease, RDL_E_RANDOM}};

START_TEST(nothing_refers_to_a_redlock_after_its_last_call)
{
    size_t i;

    begin();
    ck_assert_int_eq(ends[_i].end(), ends[_i].result);
    for (i = 0; i < SERVERS; i++) {
        ck_assert(!rdl_conn_refers_to(&fleet.s[i].conn, m, sizeof *m));
        ck_assert_uint_eq(fleet.s[i].conn.reserved, 0);
    }
    ck_assert(!rdl_conn_refers_to(&hints.conn, m, sizeof *m));
    free(m);
    for (i = 0; i < SERVERS; i++)
        fleet.mood[i] = MOOD_UP;
    fleet_serve_all(now);
    fleet_serve_all(now);
    for (i = 0; i < SERVERS; i++)
        ck_assert(rdl_conn_is_idle(&fleet.s[i].conn));
    ck_assert_uint_eq(fleet_keys(now + 5001), 0); /* the releases were sent without it */
}
END_TEST

/*
 * The next job in the same memory: another client holds the majority, and the last server has not replied yet
 * that it deleted the earlier job's key.
 */
START_TEST(reply_to_an_old_release_is_not_a_grant)
{
    begin();
    ck_assert_int_eq(released(), RDL_OK);
    init("b");
    fleet_command(0, "SET b other PX 50000\r\n", now);
    fleet_command(1, "SET b other PX 50000\r\n", now);
    fleet_command(4, "SET b other PX 50000\r\n", now);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_PENDING);
    fleet.mood[SERVERS - 1] = MOOD_UP;
    ck_assert_int_eq(run(RDL_PENDING), RDL_BUSY);
    free(m);
}
END_TEST

/* ---------------------------------------------------------------- servers[] of two redlocks */

static struct rdl_redlock other; /* with the same servers[], or some of them */

/* The redlock that was set up last has the servers, and works. */
static void works(struct rdl_redlock *lock)
{
    unsigned keys = fleet_keys(now);
    int rc = rdl_redlock_acquire_begin(lock, entropy_bytes(), now);

    fleet_serve_all(now);
    rc = rc == RDL_PENDING ? rdl_redlock_step(lock, now) : rc;
    ck_assert_int_eq(rc, RDL_OK);
    fleet_serve_all(now);
    rc = rdl_redlock_release_begin(lock, now);
    fleet_serve_all(now);
    ck_assert_int_eq(rc == RDL_PENDING ? rdl_redlock_step(lock, now) : rc, RDL_OK);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), keys);
}

START_TEST(servers_shared_with_another_redlock_are_an_error)
{
    struct rdl_server before[SERVERS];

    begin();
    rdl_redlock_init(&other, &fleet.opt, m->servers, SERVERS - (size_t)_i, "b", 1);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&other, entropy_bytes(), now), RDL_PENDING);
    memcpy(before, m->servers, sizeof before);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_E_SHARED);
    ck_assert_mem_eq(m->servers, before, sizeof before);
    rdl_redlock_cancel(&other);
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
    works(&other);
    free(m);
}
END_TEST

START_TEST(one_server_shared_with_another_redlock_is_an_error)
{
    begin();
    fleet.n = 1;
    init("k");
    rdl_redlock_init(&other, &fleet.opt, m->servers, 1, "b", 1);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_E_SHARED);
    works(&other);
    free(m);
}
END_TEST

/* The next call may be any that needs a handle without an operation. */
START_TEST(cancel_ends_an_operation_on_servers_taken_by_another)
{
    size_t i;

    begin();
    fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = 5000;
    for (i = 0; i < SERVERS; i++)
        fleet_steal(i, now);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(&m->lock, now), RDL_PENDING); /* a pause: no server is used */
    rdl_redlock_init(&other, &fleet.opt, m->servers, SERVERS, "b", 1);
    rdl_redlock_cancel(&m->lock);
    rdl_redlock_set_hint(&m->lock, NULL);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_E_SHARED);
    free(m);
}
END_TEST

/* A held lease is neither extended nor released, and no call says that it was. */
START_TEST(lease_on_servers_taken_by_another_can_only_expire)
{
    char hex[RDL_TOKEN_TEXT_MAX];

    begin();
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(&m->lock, now);
    rdl_redlock_token(&m->lock, hex);
    rdl_redlock_init(&other, &fleet.opt, m->servers, SERVERS - (size_t)_i, "b", 1);
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_E_SHARED);
    ck_assert_int_eq(rdl_redlock_adopt(&m->lock, hex, strlen(hex)), RDL_E_SHARED);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&other, entropy_bytes(), now), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(&m->lock, now),
                     RDL_E_SHARED); /* and it takes no reply to the other one */
    rdl_redlock_cancel(&other);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(&m->lock, now), 0);
    if (_i == 0)
        ck_assert_int_eq(rdl_redlock_release_begin(&m->lock, now), RDL_E_SHARED);
    else
        rdl_redlock_cancel(&m->lock);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(&m->lock, now), 0);
    ck_assert_uint_eq(rdl_redlock_until_ms(&m->lock), 0);
    fleet_serve_all(now);
    works(&other);
    ck_assert_uint_eq(fleet_keys(now), SERVERS);
    free(m);
}
END_TEST

/* A canary's reply is missing, or the hint waits. The other redlock has the servers, but not those. */
static void lacks_a_canary(void)
{
    size_t i;

    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_PENDING);
    for (i = 0; i < SERVERS - 1; i++)
        fleet_serve(i, now);
    ck_assert(scripted_serve_before(&fleet.s[SERVERS - 1], "GET", now));
    ck_assert_int_eq(rdl_redlock_step(&m->lock, now), RDL_OK);
    ck_assert(rdl_conn_refers_to(&fleet.s[SERVERS - 1].conn, m->canaries, sizeof m->canaries));
}

static void waits_with_a_hint(void)
{
    size_t i;

    fleet.opt.lease.wait_ms = fleet.opt.lease.retry_ms = 5000;
    for (i = 0; i < SERVERS; i++)
        fleet_steal(i, now);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_PENDING);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(&m->lock, now), RDL_PENDING);
    ck_assert(rdl_conn_refers_to(&hints.conn, &m->hint, sizeof m->hint));
}

static const struct {
    void (*begin)(void);
    enum { CANCEL, RELEASE, STEP } end;
} uses[] = {{lacks_a_canary, CANCEL},
            {lacks_a_canary, RELEASE},
            {waits_with_a_hint, CANCEL},
            {waits_with_a_hint, STEP}};

START_TEST(nothing_refers_to_a_redlock_whose_servers_were_taken_after_its_last_call)
{
    struct rdl_redlock copy;
    size_t i;

    begin();
    scripted_open(&hints, now);
    fleet_serve_all(now);
    uses[_i].begin();
    memcpy(&copy, &m->lock, sizeof copy);
    rdl_redlock_init(&other, &fleet.opt, m->servers, SERVERS, "b", 1);
    rdl_redlock_cancel(&copy); /* it holds nothing, and ends nothing of the original */
    ck_assert(rdl_conn_refers_to(&fleet.s[SERVERS - 1].conn, m, sizeof *m) ||
              rdl_conn_refers_to(&hints.conn, m, sizeof *m));
    if (uses[_i].end == CANCEL)
        rdl_redlock_cancel(&m->lock);
    else
        ck_assert_int_eq(uses[_i].end == STEP ? rdl_redlock_step(&m->lock, now)
                                              : rdl_redlock_release_begin(&m->lock, now),
                         RDL_E_SHARED);
    for (i = 0; i < SERVERS; i++) {
        ck_assert(!rdl_conn_refers_to(&fleet.s[i].conn, m, sizeof *m));
        ck_assert_uint_eq(fleet.s[i].conn.reserved, 0);
    }
    ck_assert(!rdl_conn_refers_to(&hints.conn, m, sizeof *m));
    free(m);
    fleet_serve_all(now);
}
END_TEST

/* The lease stays: any call may follow. */
START_TEST(extend_on_servers_taken_by_another_ends)
{
    size_t i;

    begin();
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(&m->lock, now);
    for (i = 0; i < SERVERS; i++)
        fleet_down(i);
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_PENDING);
    rdl_redlock_init(&other, &fleet.opt, m->servers, SERVERS, "b", 1);
    ck_assert_int_eq(rdl_redlock_step(&m->lock, now), RDL_E_SHARED);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(&m->lock, now), 0);
    ck_assert_int_eq(rdl_redlock_extend_begin(&m->lock, FLEET_TTL, now), RDL_E_SHARED);
    rdl_redlock_cancel(&m->lock);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(&m->lock, now), 0);
    free(m);
}
END_TEST

/* Between operations it is plain memory. */
START_TEST(redlock_may_be_moved_in_memory)
{
    begin();
    ck_assert_int_eq(released(), RDL_OK);
    fleet.mood[SERVERS - 1] = MOOD_UP;
    fleet_serve_all(now);
    memcpy(&other, &m->lock, sizeof other);
    memset(&m->lock, 0x5a, sizeof m->lock);
    works(&other);
    free(m);
}
END_TEST

/* ---------------------------------------------------------------- too early */

static void pending(void)
{
    begin();
    ck_assert_int_eq(rdl_redlock_acquire_begin(&m->lock, entropy_bytes(), now), RDL_PENDING);
}

START_TEST(init_of_a_pending_redlock_aborts)
{
    pending();
    init("b");
}
END_TEST

START_TEST(init_of_canaries_in_use_aborts)
{
    static struct rdl_server servers[SERVERS];
    size_t i;

    pending();
    for (i = 0; i < SERVERS; i++)
        servers[i].conn = &fleet.s[i].conn;
    rdl_redlock_init(&other, &fleet.opt, servers, SERVERS, "b", 1);
    rdl_redlock_set_canary(&other, m->canaries);
}
END_TEST

/* Only the last server still has a request that refers to them. */
START_TEST(init_of_canaries_in_use_by_one_server_aborts)
{
    begin();
    fleet_serve_all(now);
    lacks_a_canary();
    rdl_redlock_init(&other, &fleet.opt, m->servers, SERVERS, "b", 1);
    rdl_redlock_set_canary(&other, m->canaries);
}
END_TEST

Suite *suite_redlock_lifetime(void)
{
    Suite *suite = suite_create("redlock_lifetime");
    TCase *tc = suite_case(suite, "lifetime", NULL, NULL);
    TCase *asserted = suite_case(suite, "assertions", NULL, NULL);

    tcase_add_loop_test(tc, nothing_refers_to_a_redlock_after_its_last_call, 0,
                        (int)(sizeof ends / sizeof ends[0]));
    tcase_add_test(tc, reply_to_an_old_release_is_not_a_grant);
    tcase_add_loop_test(tc, servers_shared_with_another_redlock_are_an_error, 0, 3);
    tcase_add_test(tc, one_server_shared_with_another_redlock_is_an_error);
    tcase_add_loop_test(tc, lease_on_servers_taken_by_another_can_only_expire, 0, 3);
    tcase_add_test(tc, cancel_ends_an_operation_on_servers_taken_by_another);
    tcase_add_loop_test(tc, nothing_refers_to_a_redlock_whose_servers_were_taken_after_its_last_call, 0,
                        (int)(sizeof uses / sizeof uses[0]));
    tcase_add_test(tc, extend_on_servers_taken_by_another_ends);
    tcase_add_test(tc, redlock_may_be_moved_in_memory);
    tcase_set_tags(asserted, "assertions");
    tcase_add_test_raise_signal(asserted, init_of_a_pending_redlock_aborts, SIGABRT);
    tcase_add_test_raise_signal(asserted, init_of_canaries_in_use_aborts, SIGABRT);
    tcase_add_test_raise_signal(asserted, init_of_canaries_in_use_by_one_server_aborts, SIGABRT);
    return suite;
}
