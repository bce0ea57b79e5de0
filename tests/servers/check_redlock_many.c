/* SPDX-License-Identifier: MIT */
/*
 * Many locks over the same connections: those that find no queue space wait for it; a thousand over five real
 * ones.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "redlock/redlock_private.h"
#include "tests/fixtures/fleet.h"
#include "tests/fixtures/quorum.h"
#include "tests/suite.h"

/* ---------------------------------------------------------------- no queue space */

/* Requests of others fill the queue of server i. */
static void fill(size_t i)
{
    const struct rdl_command other = {&rdl_op_release, {"other", 5}, {"v", 1}, {NULL, 0}, UINT64_MAX, 0};
    int n;

    for (n = 0; rdl_conn_submit(&fleet.s[i].conn, NULL, &other) == RDL_OK; n++)
        ck_assert_int_lt(n, 1000);
    ck_assert_int_gt(n, 0);
    rdl_conn_set_timeout(&fleet.s[i].conn, 60000); /* and they have a long timeout */
}

static void fill_all(void)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        fill(i);
}

static void step_and_serve(uint64_t now)
{
    fleet_serve_all(now);
    rdl_redlock_step(&fleet.lock, now);
    fleet_serve_all(now);
}

static void hold(size_t n, uint64_t now)
{
    fleet_init(n, now);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    step_and_serve(now);
    ck_assert_uint_eq(fleet_keys(now), n);
}

START_TEST(a_release_waits_for_queue_space)
{
    uint64_t now = 1000;

    hold(3, now);
    fill_all();
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(&fleet.lock, now), &now), RDL_OK);
    step_and_serve(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/*
 * Held on three servers, all frozen with full queues: all three releases are pending when their time is up.
 */
static void release_without_room(uint64_t *now)
{
    hold(3, *now);
    fill_all();
    fleet_befall("fff", *now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(&fleet.lock, *now), now), RDL_UNKNOWN);
}

START_TEST(a_release_that_found_no_queue_space_is_sent_later)
{
    uint64_t now = 1000;
    size_t i;

    release_without_room(&now);
    for (i = 0; i < 3; i++)
        fleet.mood[i] = MOOD_UP;
    fleet_serve_all(now);
    for (i = 0; i < 3; i++) { /* the others' requests are done, ours are not */
        ck_assert(rdl_conn_is_idle(&fleet.s[i].conn));
        ck_assert(!rdl_redlock_is_idle(&fleet.lock));
    }
    step_and_serve(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert(rdl_redlock_is_idle(&fleet.lock));
}
END_TEST

START_TEST(a_release_stays_pending_until_the_key_expires)
{
    uint64_t now = 1000;

    release_without_room(&now);
    rdl_redlock_step(&fleet.lock, 1000 + FLEET_TTL - 1);
    ck_assert_uint_eq(rdl_votes_count(&fleet.lock, rdl_is_unreleased), 3);
    rdl_redlock_step(&fleet.lock, 1000 + FLEET_TTL);
    ck_assert_uint_eq(rdl_votes_count(&fleet.lock, rdl_is_unreleased), 0);
}
END_TEST

/* Two grant, three refuse; by then others have filled the queues of the two. Their space was reserved. */
START_TEST(a_failed_attempt_has_queue_space_for_its_releases)
{
    uint64_t now = 1000;
    size_t i;
    int rc;

    fleet_init(5, now);
    fleet.opt.lease.wait_ms = 20000;
    fleet.opt.lease.retry_ms = 50;
    for (i = 2; i < 5; i++)
        fleet_command(i, "SET k other PX 2000\r\n", now);
    rc = fleet_acquire(now);
    for (i = 0; i < 2; i++) {
        fleet_serve(i, now);
        rc = rdl_redlock_step(&fleet.lock, now);
        fill(i);
        fleet.mood[i] = MOOD_FROZEN;
    }
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(&fleet.lock, now), RDL_PENDING);
    ck_assert_uint_eq(fleet_keys(now), 5);
    ck_assert_uint_eq(rdl_votes_count(&fleet.lock, rdl_is_unreleased), 0);
    for (i = 0; i < 2; i++)
        fleet.mood[i] = MOOD_UP;
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 3);
    ck_assert_int_eq(fleet_run(rc, &now), RDL_OK);
}
END_TEST

START_TEST(a_pending_release_does_not_prolong_the_wait)
{
    uint64_t now = 1000, late;

    release_without_room(&now);
    fleet.opt.lease.wait_ms = 3;
    fleet.opt.lease.retry_ms = 20;
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(&fleet.lock), now + 3);
    late = now + (_i ? 3 : 12); /* a client that wakes late has its one attempt too */
    ck_assert_int_eq(rdl_redlock_step(&fleet.lock, late), RDL_PENDING);
    ck_assert_uint_eq(rdl_redlock_wake_ms(&fleet.lock), late + FLEET_ATTEMPT);
    ck_assert_int_eq(rdl_redlock_step(&fleet.lock, late + FLEET_ATTEMPT), RDL_NO_QUORUM);
}
END_TEST

/* ---------------------------------------------------------------- a thousand */

enum { LOCKS = 1000, TURNS = 5, NAME = 5, BATCH = 50, LONG_MS = 600000 };
enum { CHECK_HEAP = 1024 }; /* bytes that Check itself keeps: each assertion allocates its place */

static struct party party; /* its connections carry them all */

static struct one {
    struct rdl_redlock lock;
    struct rdl_server servers[5];
    char name[NAME + 1];
    int is_held;
    int turns;
    int doing; /* enum rdl_action, while it is in progress; -1 */
} all[LOCKS];

static unsigned in_flight[3]; /* by enum rdl_action */
static uint32_t seed = 1;
static unsigned mixes; /* how often all three were in progress at once */

static void setup(void)
{
    int i, k;

    quorum_start(5);
    party_init(&party);
    party.opt.max_ttl_ms = party.opt.lease.ttl_ms = LONG_MS; /* a busy machine is no reason to lose one */
    party.opt.lease.wait_ms = LONG_MS;
    party.opt.lease.attempt_ms = LONG_MS / 4; /* nor to stop waiting for a reply */
    party.opt.lease.retry_ms = 5;
    for (i = 0; i < LOCKS; i++) {
        struct one *l = &all[i];
        snprintf(l->name, sizeof l->name, "l%04d", i);
        for (k = 0; k < 5; k++)
            l->servers[k].conn = &party.clients[k].conn;
        rdl_redlock_init(&l->lock, &party.opt, l->servers, 5, l->name, NAME);
        l->doing = -1;
    }
    party_connect_all(&party);
}

static int begin(struct one *l, uint64_t now)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    if (!l->is_held) {
        l->doing = RDL_ACQUIRE;
        rdl_posix_random(entropy, sizeof entropy);
        return rdl_redlock_acquire_begin(&l->lock, entropy, now);
    }
    l->doing = rdl_random(&seed) % 2 == 0 ? RDL_EXTEND : RDL_RELEASE;
    return l->doing == RDL_EXTEND ? rdl_redlock_extend_begin(&l->lock, LONG_MS, now)
                                  : rdl_redlock_release_begin(&l->lock, now);
}

/* 0: it did what it should. No other client wants these locks, so nothing may be refused. */
static int turn(struct one *l, uint64_t now)
{
    int is_busy = l->doing >= 0;
    int rc = is_busy ? rdl_redlock_step(&l->lock, now) : RDL_OK;

    if (rc == RDL_PENDING)
        return 1;
    ck_assert_msg(rc == RDL_OK || rc == RDL_REPAIRED, "%s, doing %d: %s", l->name, l->doing,
                  rdl_strerror(rc));
    if (is_busy) {
        in_flight[l->doing]--;
        l->is_held = l->doing != RDL_RELEASE;
        l->doing = -1;
        l->turns++;
    }
    if (l->turns >= TURNS) {
        rdl_redlock_step(&l->lock, now); /* its stragglers */
        return 0;
    }
    ck_assert_int_eq(begin(l, now), RDL_PENDING);
    in_flight[l->doing]++;
    return 1;
}

static void poll_all(uint64_t until)
{
    struct rdl_conn *conns[5];
    int i;

    for (i = 0; i < 5; i++)
        conns[i] = &party.clients[i].conn;
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 5, until, 0), RDL_OK);
}

/* Each does its turns; it begins the next when it has done the last, and does not wait for the others. */
static void run_all(void)
{
    uint64_t until = 0;
    int left = 1;
    int first, i;

    for (first = 0; left > 0; first++) { /* the first one has queue space: another one each time */
        uint64_t now = client_now();
        left = 0;
        until = UINT64_MAX;
        for (i = 0; i < LOCKS; i++) {
            struct one *l = &all[(first + i) % LOCKS];
            uint64_t wake;
            left += turn(l, now);
            wake = rdl_redlock_wake_ms(&l->lock);
            if (wake < until)
                until = wake;
        }
        mixes += in_flight[RDL_ACQUIRE] > 0 && in_flight[RDL_EXTEND] > 0 && in_flight[RDL_RELEASE] > 0;
        if (left > 0)
            poll_all(until);
    }
}

static void drain_all(void)
{
    int idle = 0;

    while (idle < LOCKS) {
        uint64_t now = client_now();
        int i;
        idle = 0;
        for (i = 0; i < LOCKS; i++) {
            rdl_redlock_step(&all[i].lock, now);
            idle += rdl_redlock_is_idle(&all[i].lock);
        }
        poll_all(now + 10);
    }
}

/* The servers' own data on locks [from, from + BATCH): a held lock has our token, and no other client's. */
static void count_keys(int server, int from, int votes[LOCKS])
{
    char line[16 + BATCH * (NAME + 1)] = "MGET";
    char token[RDL_TOKEN_TEXT_MAX] = "";
    const char *at;
    int i;

    for (i = from; i < from + BATCH; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", all[i].name);
    at = live_command(&quorum_live[server], "%s", line);
    for (i = from; i < from + BATCH; i++) {
        at = strchr(at, '$');
        ck_assert_ptr_nonnull(at);
        if (*++at == '-')
            continue;
        rdl_redlock_token(&all[i].lock, token);
        at = strchr(at, '\n') + 1;
        ck_assert_msg(all[i].is_held && strncmp(at, token, RDL_VALUE_MAX) == 0, "%s on %d", all[i].name,
                      server);
        votes[i]++;
    }
}

static void expect_on_servers(void)
{
    static int votes[LOCKS];
    int i, k;

    for (k = 0; k < 5; k++)
        for (i = 0; i < LOCKS; i += BATCH)
            count_keys(k, i, votes);
    for (i = 0; i < LOCKS; i++)
        ck_assert_int_ge(votes[i], all[i].is_held ? 3 : 0);
}

START_TEST(a_thousand_locks_share_five_connections)
{
    size_t memory;
    int i;

    while (all[0].turns < TURNS - 1) { /* memory of assertions stays cached, and so counts */
        (void)turn(&all[0], client_now());
        poll_all(rdl_redlock_wake_ms(&all[0].lock));
    }
    memory = mallinfo2().uordblks;
    run_all();
    ck_assert_uint_lt(mallinfo2().uordblks, memory + CHECK_HEAP);
    ck_assert_uint_gt(mixes, 10);
    drain_all();
    expect_on_servers();
    for (i = 0; i < LOCKS; i++)
        rdl_redlock_cancel(&all[i].lock);
    drain_all();
    for (i = 0; i < 5; i++)
        ck_assert_str_eq(live_command(&quorum_live[i], "DBSIZE"), ":0\r\n");
}
END_TEST

Suite *suite_redlock_many(void)
{
    Suite *suite = suite_create("redlock_many");
    TCase *room = suite_case(suite, "queue space", NULL, NULL);
    TCase *tc = suite_case(suite, "many", setup, quorum_stop);

    tcase_add_test(room, a_release_waits_for_queue_space);
    tcase_add_test(room, a_release_that_found_no_queue_space_is_sent_later);
    tcase_add_test(room, a_release_stays_pending_until_the_key_expires);
    tcase_add_test(room, a_failed_attempt_has_queue_space_for_its_releases);
    tcase_add_loop_test(room, a_pending_release_does_not_prolong_the_wait, 0, 2);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_thousand_locks_share_five_connections);
    return suite;
}
