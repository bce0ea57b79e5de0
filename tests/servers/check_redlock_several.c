/* SPDX-License-Identifier: MIT */
/*
 * Several servers, any number of them; several clients with split votes, or with a server that lost its data.
 */
#include <string.h>

#include "redlock/redlock_op.h"
#include "tests/fixtures/quorum.h"
#include "tests/suite.h"

static struct party parties[2];
#define one (&parties[0])

/* ---------------------------------------------------------------- N servers */

static const int counts[] = {1, 2, 3, 4, 5, 7};

static void cycle(int expected)
{
    ck_assert_int_eq(party_acquire(one), expected);
    if (expected != RDL_OK)
        return;
    ck_assert_int_ge(party_extend(one, QUORUM_TTL), RDL_OK);
    ck_assert_int_eq(party_release(one), RDL_OK);
}

/* The largest number that may be down, and one more; killed or frozen. */
START_TEST(any_minority_of_n_servers_may_be_down)
{
    int n = counts[_i / 2];
    int is_frozen = _i % 2;
    int spare = n - (n / 2 + 1);

    quorum_start(n);
    party_init(one);
    party_connect_all(one);
    cycle(RDL_OK);
    quorum_hurt(0, spare, is_frozen ? live_freeze : live_kill);
    cycle(RDL_OK);
    quorum_hurt(spare, 1, is_frozen ? live_freeze : live_kill);
    one->opt.lease.attempt_ms = QUORUM_HASTY_MS;
    cycle(RDL_NO_QUORUM);
    quorum_hurt(0, spare + 1, is_frozen ? live_thaw : live_restart);
    one->opt.lease.attempt_ms = QUORUM_PATIENT_MS;
    party_connect_all(one);
    party_drain(one);
    ck_assert_int_eq(quorum_keys(), 0);
    cycle(RDL_OK);
    party_drain(one);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

/* ---------------------------------------------------------------- split votes */

enum { ROUNDS = 8 };

/* Their SETs go to these servers now, and the replies are there. */
static void send_half(struct party *p, int from, int n)
{
    int i;

    for (i = from; i < from + n; i++)
        rdl_posix_ready(&p->clients[i].conn, 0);
    for (i = from; i < from + n; i++) {
        while (p->servers[i].req.answer == RDL_ANSWER_NONE)
            client_step(&p->clients[i], client_now() + CLIENT_TIMEOUT_MS);
    }
}

/* Do what both want, once. */
static void poll_both(void)
{
    struct rdl_conn *conns[2 * RDL_SERVERS_MAX];
    uint64_t until = UINT64_MAX;
    size_t n = 0;
    int k, i;

    for (k = 0; k < 2; k++) {
        for (i = 0; i < quorum_n; i++)
            conns[n++] = &parties[k].clients[i].conn;
        if (rdl_redlock_wake_ms(&parties[k].lock) < until)
            until = rdl_redlock_wake_ms(&parties[k].lock);
    }
    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, n, until, 0), RDL_OK);
}

static int begin(struct party *p)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    ck_assert_int_eq(client_platform.random(client_platform.ctx, entropy, sizeof entropy), RDL_OK);
    return rdl_redlock_acquire_begin(&p->lock, entropy, client_now());
}

/* Until each has had it once, never both. */
static void both_get_it_in_turn(void)
{
    int done[2] = {0, 0};
    int k;

    while (!done[0] || !done[1]) {
        poll_both();
        for (k = 0; k < 2; k++) {
            int rc = rdl_redlock_step(&parties[k].lock, client_now());
            if (done[k] || rc == RDL_PENDING)
                continue;
            ck_assert_int_eq(rc, RDL_OK);
            ck_assert_uint_eq(party_remaining(&parties[1 - k]), 0);
            ck_assert_int_eq(party_release(&parties[k]), RDL_OK);
            done[k] = 1;
        }
    }
}

/* Two of four each; or two of five, and one is down. */
START_TEST(two_clients_with_split_votes_get_the_lock_in_turn)
{
    int round, k;

    quorum_start(4 + _i);
    if (_i)
        quorum_hurt(4, 1, live_kill);
    for (k = 0; k < 2; k++) {
        party_init(&parties[k]);
        parties[k].opt.lease.wait_ms = QUORUM_TTL;
        parties[k].opt.lease.retry_ms = 2;
        for (int i = 0; i < 4; i++)
            party_connect(&parties[k], i);
    }
    for (round = 0; round < ROUNDS; round++) {
        ck_assert_int_eq(begin(&parties[0]), RDL_PENDING);
        ck_assert_int_eq(begin(&parties[1]), RDL_PENDING);
        send_half(&parties[0], 0, 2);
        send_half(&parties[1], 2, 2);
        send_half(&parties[0], 2, 2);
        send_half(&parties[1], 0, 2);
        for (k = 0; k < 2; k++) { /* no client has it: each has two, and is refused by two */
            ck_assert_int_eq(rdl_redlock_step(&parties[k].lock, client_now()), RDL_PENDING);
            ck_assert(parties[k].lock.tries == 1 || _i);
        }
        both_get_it_in_turn();
        party_drain(&parties[0]); /* a release ends with a majority, and a key may be left */
        party_drain(&parties[1]);
    }
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

/* ---------------------------------------------------------------- a server that lost its data */

static uint64_t ahead_ms; /* the second client's clock */

static uint64_t later(void *ctx)
{
    return client_platform.now_ms(ctx) + ahead_ms;
}

static int poll_later(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    if (until_ms != UINT64_MAX)
        until_ms = until_ms > ahead_ms ? until_ms - ahead_ms : 0;
    return client_platform.poll(ctx, conns, n, until_ms, flags);
}

/* Until p is connected to another run of server i than this one, and knows it. */
static void meet_again(struct party *p, int i, uint64_t run, const struct rdl_platform *platform)
{
    struct rdl_conn *conns[] = {&p->clients[i].conn};

    while (rdl_guard_server_info(conns[0]) == NULL || rdl_guard_server_info(conns[0])->run == run) {
        ck_assert_int_eq(platform->poll(platform->ctx, conns, 1, later(platform->ctx) + 10, 0), RDL_OK);
        rdl_redlock_step(&p->lock, later(platform->ctx));
    }
}

/*
 * A reaches two of three servers, and both grant. One of them comes back without its data. B has known all
 * three for longer than any lease; a majority of them grants, and yet B may not have the lock.
 */
START_TEST(a_server_restarted_without_data_grants_no_second_lease)
{
    struct party *a = &parties[0];
    struct party *b = &parties[1];
    struct rdl_platform platform;
    uint64_t run;
    int granted, released;

    quorum_start(3);
    platform = client_platform;
    platform.now_ms = later;
    platform.poll = poll_later;
    party_init(a);
    party_move(a, 2, "redis://127.0.0.1:1");
    party_init(b);
    b->opt.guard = (uint8_t)_i;
    party_connect_all(b);
    rdl_redlock_step(&b->lock, client_now()); /* now it has met them */
    run = rdl_guard_server_info(&b->clients[1].conn)->run;
    ahead_ms = QUORUM_MAX_TTL + 2000;
    ck_assert_int_eq(party_acquire(a), RDL_OK);
    ck_assert_int_eq(rdl_redlock_acquire(&b->lock, &platform), RDL_BUSY); /* all count, and two refuse */
    ck_assert_uint_eq(rdl_redlock_count(&b->lock, RDL_VOTE_DENIED), 2);
    live_kill(&quorum_live[1]);
    live_restart(&quorum_live[1]);
    meet_again(b, 1, run, &platform);
    granted = rdl_redlock_acquire(&b->lock, &platform);
    ck_assert_int_eq(granted == RDL_OK, _i == RDL_GUARD_OFF);
    ck_assert_uint_gt(party_remaining(a), 0); /* with the guard off both have it */
    ck_assert_int_eq(b->servers[1].counts, _i == RDL_GUARD_OFF);
    rdl_redlock_cancel(&b->lock);
    rdl_redlock_drain(&b->lock, &platform, later(platform.ctx) + CLIENT_TIMEOUT_MS);
    ck_assert_int_eq(quorum_keys(), 1);
    /* One of its two has lost its data. If the other replies first, a majority no longer has the lock. */
    released = party_release(a);
    ck_assert(released == RDL_EXPIRED || released == RDL_OK);
    party_drain(a);
    ck_assert_int_eq(quorum_keys(), 0);
}
END_TEST

Suite *suite_redlock_several(void)
{
    Suite *suite = suite_create("redlock_several");
    TCase *tc = suite_case(suite, "several", NULL, quorum_stop);

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, any_minority_of_n_servers_may_be_down, 0,
                        2 * (int)(sizeof counts / sizeof counts[0]));
    tcase_add_loop_test(tc, two_clients_with_split_votes_get_the_lock_in_turn, 0, 2);
    tcase_add_loop_test(tc, a_server_restarted_without_data_grants_no_second_lease, RDL_GUARD_IF_PERMITTED,
                        RDL_GUARD_OFF + 1);
    return suite;
}
