/* SPDX-License-Identifier: MIT */
/* check_redlock.c - acquiring on N servers: quorum, validity, pending releases. Rule R24. */
#include <string.h>

#include "redlock/redlock_private.h"
#include "lock/lock_op.h"
#include "redlock/redlock_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

#define lock (&fleet.lock)

static unsigned bits(unsigned mask)
{
    unsigned n = 0;

    for (; mask != 0; mask >>= 1)
        n += mask & 1;
    return n;
}

/* Servers in the mask are free, the others are held by another client; they reply one after another. */
static void try_mask(unsigned n, unsigned mask)
{
    unsigned quorum = n / 2 + 1;
    unsigned yes = 0;
    unsigned no = 0;
    int rc;
    unsigned i;

    fleet_init(n, 1000);
    for (i = 0; i < n; i++)
        if (!(mask >> i & 1))
            fleet_steal(i, 1000);
    rc = fleet_acquire(1000);
    for (i = 0; i < n; i++) {
        ck_assert_int_eq(rc, RDL_PENDING); /* neither too early nor too late */
        fleet_serve(i, 1000);
        rc = rdl_redlock_step(lock, 1000);
        yes += mask >> i & 1;
        no += !(mask >> i & 1);
        if (yes == quorum || no > n - quorum)
            break;
    }
    ck_assert_int_eq(rc, bits(mask) >= quorum ? RDL_OK : RDL_BUSY);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, 1000), rc == RDL_OK ? FLEET_TTL - FLEET_DRIFT : 0);
    fleet_serve_all(1001);
    rdl_redlock_step(lock, 1001);
    fleet_serve_all(1001);
    ck_assert_uint_eq(fleet_keys(1001), rc == RDL_OK ? n : n - bits(mask));
    ck_assert(rdl_redlock_is_idle(lock));
}

START_TEST(only_a_majority_of_the_configured_servers_decides)
{
    unsigned n = (unsigned)_i;
    unsigned mask;

    for (mask = 0; mask < 1u << n; mask++)
        try_mask(n, mask);
}
END_TEST

START_TEST(the_quorum_is_more_than_half)
{
    static const unsigned quorums[] = {0, 1, 2, 2, 3, 3, 4, 4};

    fleet_init((size_t)_i, 1000);
    ck_assert_uint_eq(rdl_redlock_quorum(lock), quorums[_i]);
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    fleet_init(1, 1000);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000), RDL_OK); /* nothing was begun yet */
    rdl_redlock_init(lock, &fleet.opt, _i ? fleet.servers : NULL, _i ? 8 : 0, "k", 1);
    ck_assert_int_eq(fleet_acquire(1000), RDL_E_CONFIG);
    ck_assert_str_eq(rdl_redlock_config_fault(&fleet.opt, NULL, _i ? 8 : 0),
                     "a lock must have 1 to 7 servers");
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, "k", _i ? 0 : 129);
    ck_assert_int_eq(fleet_acquire(1000), RDL_E_NAME);
    ck_assert_ptr_null(rdl_redlock_config_fault(&fleet.opt, fleet.servers, 1));
    fleet.s[0].cfg.server_info = NULL;
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, "k", 1);
    ck_assert_int_eq(fleet_acquire(1000), RDL_E_CONFIG);
    ck_assert_str_eq(rdl_redlock_config_fault(&fleet.opt, fleet.servers, 1),
                     "rdl_conn_config.server_info is not set");
    fleet.s[0].cfg.server_info = &fleet.s[0].server_info;
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, "k", 1);
    fleet.opt.lease.ttl_ms = _i ? 1 : UINT32_MAX;
    ck_assert_int_eq(fleet_acquire(1000), RDL_E_TTL);
    fleet.opt.lease.ttl_ms = FLEET_TTL;
    fleet.opt.guard = _i ? UINT8_MAX : RDL_GUARD_OFF + 1;
    ck_assert_int_eq(fleet_acquire(1000), RDL_E_CONFIG);
    ck_assert_str_eq(rdl_redlock_config_fault(&fleet.opt, fleet.servers, 1),
                     "rdl_redlock_options.guard is invalid");
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

/* Before the first operation, all votes count. */
START_TEST(longest_name_and_all_servers_are_accepted)
{
    static const char name[RDL_NAME_MAX + 1] = "k";
    size_t i;

    fleet_init(RDL_SERVERS_MAX, 1000);
    ck_assert_int_eq(rdl_redlock_init(lock, &fleet.opt, fleet.servers, fleet.n, name, RDL_NAME_MAX), RDL_OK);
    for (i = 0; i < fleet.n; i++)
        ck_assert_uint_eq(fleet.servers[i].counts, 1);
    ck_assert_int_eq(rdl_redlock_init(lock, &fleet.opt, fleet.servers, fleet.n, name, sizeof name),
                     RDL_E_NAME);
}
END_TEST

/* A plain lock has opened the connection: it is unknown since when the server is up. */
START_TEST(open_connection_without_checks_is_refused)
{
    uint64_t now = 1000;

    fleet_init(3, now);
    scripted_init(&fleet.s[1]);
    scripted_model(&fleet.s[1], now);
    scripted_open(&fleet.s[1], now);
    if (_i == 1) { /* a reply on it is overdue */
        fleet.s[1].conn.state = RDL_CONN_STALLED;
    }
    ck_assert_int_eq(rdl_guard_conn(&fleet.s[1].conn), RDL_E_CONFIG);
    ck_assert_ptr_nonnull(strstr(rdl_redlock_config_fault(&fleet.opt, fleet.servers, 3), "(rdl_guard_conn)"));
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 3, "k", 1);
    ck_assert_int_eq(fleet_acquire(now), RDL_E_CONFIG);
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, now), RDL_EXPIRED);
    scripted_break(&fleet.s[1]);
    ck_assert_int_eq(rdl_guard_conn(&fleet.s[1].conn), RDL_OK);
    rdl_redlock_init(lock, &fleet.opt, fleet.servers, 3, "k", 1);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_int_eq(rdl_guard_conn(&fleet.s[0].conn), RDL_OK); /* a second call does no harm */
}
END_TEST

START_TEST(all_servers_get_the_same_token_at_once)
{
    size_t i;

    fleet_init(5, 1000);
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING);
    for (i = 0; i < 5; i++)
        ck_assert_str_eq(scripted_sent(&fleet.s[i]), wire_acquire("k", entropy_token(1), FLEET_TTL));
}
END_TEST

/* ---------------------------------------------------------------- validity */

START_TEST(late_connect_does_not_move_the_start_of_validity)
{
    fleet_init(3, 1000);
    fleet.mood[1] = MOOD_FROZEN;
    fleet_down(2);
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING); /* two are ready: the attempt begins */
    fleet_up(2);
    fleet_serve_all(1100);
    ck_assert_int_eq(rdl_redlock_step(lock, 1100), RDL_PENDING);
    fleet_serve_all(1100); /* connected */
    ck_assert_int_eq(rdl_redlock_step(lock, 1105), RDL_PENDING);
    fleet_serve_all(1105); /* the request */
    ck_assert_int_eq(rdl_redlock_step(lock, 1110), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 1000 + FLEET_TTL - FLEET_DRIFT);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, 1110), FLEET_TTL - FLEET_DRIFT - 110);
}
END_TEST

START_TEST(attempt_begins_when_a_majority_is_connected)
{
    size_t i;

    fleet_init(5, 1000);
    for (i = 0; i < 5; i++)
        rdl_conn_closed(&fleet.s[i].conn, RDL_E_CLOSED);
    for (i = 0; i < 5; i++) { /* the next connection is tried at once */
        scripted_init(&fleet.s[i]);
        scripted_model(&fleet.s[i], 1000);
    }
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING);
    fleet_serve(0, 1100);
    fleet_serve(1, 1100);
    ck_assert_int_eq(rdl_redlock_step(lock, 1100), RDL_PENDING);
    ck_assert_uint_eq(fleet.s[0].len, 0);
    fleet_serve(4, 1700);
    ck_assert_int_eq(rdl_redlock_step(lock, 1700), RDL_PENDING);
    fleet_serve_all(1700);
    ck_assert_int_eq(rdl_redlock_step(lock, 1700), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), 1700 + FLEET_TTL - FLEET_DRIFT);
}
END_TEST

/* ---------------------------------------------------------------- the other servers */

START_TEST(late_grant_of_a_success_is_kept_and_counted)
{
    fleet_init(5, 1000);
    fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    fleet_acquire(1000);
    fleet_serve_all(1000);
    ck_assert_int_eq(rdl_redlock_step(lock, 1003), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 3);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_PENDING), 2);
    fleet.mood[3] = MOOD_UP;
    fleet_serve_all(2000);
    ck_assert_int_eq(rdl_redlock_step(lock, 2000), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 4);
    ck_assert_str_eq(scripted_sent(&fleet.s[3]), "");
    ck_assert_uint_eq(fleet_keys(2000), 4);
    ck_assert(!rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(failed_attempt_is_released_only_where_it_may_be_held)
{
    size_t i;

    fleet_init(5, 1000);
    fleet_steal(1, 1000);
    fleet_steal(2, 1000);
    fleet_steal(3, 1000);
    fleet.mood[4] = MOOD_FROZEN;
    fleet_acquire(1000);
    fleet_serve_all(1000);
    for (i = 0; i < 5; i++)
        scripted_sent(&fleet.s[i]);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000), RDL_BUSY);
    ck_assert_str_eq(scripted_sent(&fleet.s[0]), wire_release_text("k", entropy_token(1)));
    ck_assert_str_eq(scripted_sent(&fleet.s[1]), "");
    ck_assert_str_eq(scripted_sent(&fleet.s[2]), "");
    ck_assert_str_eq(scripted_sent(&fleet.s[3]), "");
    ck_assert_str_eq(scripted_sent(&fleet.s[4]), wire_release_text("k", entropy_token(1)));
    fleet.mood[4] = MOOD_UP; /* it thaws: SET, and then the release */
    fleet_serve_all(1500);
    ck_assert_uint_eq(fleet_keys(1500), 3);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(lost_server_is_released_on_its_next_connection)
{
    uint64_t now;

    fleet_init(3, 1000);
    fleet.mood[1] = fleet.mood[2] = MOOD_FROZEN;
    fleet_acquire(1000);
    fleet_serve_all(1000);
    scripted_serve_mute(&fleet.s[1], 1000); /* it was executed there */
    fleet_down(1);
    ck_assert_int_eq(rdl_redlock_step(lock, 1010), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000 + FLEET_ATTEMPT), RDL_NO_QUORUM);
    ck_assert(scripted_has_key(&fleet.s[1], "k", 1300));
    fleet_up(1);
    fleet.mood[2] = MOOD_UP;
    for (now = 1300; now < 5000; now += 500) { /* aborted, closed, paused, opened */
        rdl_redlock_step(lock, now);
        fleet_serve_all(now);
    }
    ck_assert_uint_eq(fleet_keys(now), 0);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

/* The TROUBLES that a server may have; one more value means that another client holds the lock there. */
enum { TROUBLES = 7 };

static void trouble(size_t i, int which)
{
    struct sim_server *model = &fleet.s[i].model;

    switch (which) {
    case 0:
        fleet_down(i);
        break;
    case 1:
        fleet.mood[i] = MOOD_FROZEN;
        break;
    case 2:
        model->oom = 1;
        break;
    case 3:
        model->readonly = 1;
        break;
    case 4:
        model->loading = 1;
        break;
    case 5:
        model->busy = 1;
        break;
    case 6:
        model->misconf = 1;
        break;
    default:
        fleet_steal(i, 1000);
        break;
    }
}

START_TEST(failing_minority_costs_nothing)
{
    fleet_init(3, 1000);
    trouble(1, _i);
    fleet_acquire(1000);
    fleet_serve_all(1000);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 2);
}
END_TEST

START_TEST(failing_majority_is_no_quorum_and_leaves_no_key)
{
    uint64_t now = 1000;

    fleet_init(3, 1000);
    trouble(1, _i);
    trouble(2, _i);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
    ck_assert_uint_le(now, 1000 + FLEET_ATTEMPT + (_i == 0 ? RDL_CONNECT_MS : 0));
    fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

/* Server 2 is frozen, with its queue full of other requests; on server 1 another client holds the lock. */
static void fill_queue(struct rdl_req *reqs, int most)
{
    struct rdl_command other = {&rdl_op_extend, {"other", 5}, {"v", 1}, {NULL, 0}, 60000, 30000};
    int i;

    fleet_init(3, 1000);
    fleet.mood[2] = MOOD_FROZEN;
    for (i = 0; i < most && rdl_conn_submit(&fleet.s[2].conn, &reqs[i], &other) == RDL_OK; i++) {
    }
    ck_assert_int_eq(i == most, most == 64);
    fleet_steal(1, 1000);
    ck_assert_int_eq(fleet_acquire(1000), RDL_PENDING);
    fleet_serve_all(1000);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000), RDL_PENDING); /* it may have the vote that decides */
    ck_assert_int_eq(fleet.servers[2].error, RDL_E_FULL);
}

START_TEST(server_with_a_full_queue_is_skipped)
{
    static struct rdl_req reqs[120];

    fill_queue(reqs, _i ? 64 : 120);
    ck_assert_int_eq(rdl_redlock_step(lock, 1000 + FLEET_ATTEMPT), RDL_BUSY);
    ck_assert_uint_eq(fleet.servers[2].vote, RDL_VOTE_NONE);
}
END_TEST

START_TEST(server_that_frees_its_queue_in_time_is_used)
{
    static struct rdl_req reqs[120];

    fill_queue(reqs, _i ? 64 : 120);
    fleet.mood[2] = MOOD_UP;
    fleet_serve(2, 1100);
    ck_assert_int_eq(rdl_redlock_step(lock, 1100), RDL_PENDING);
    fleet_serve(2, 1100);
    ck_assert_int_eq(rdl_redlock_step(lock, 1100), RDL_OK);
}
END_TEST

static size_t chosen;

/* Returns the chosen one of its conns. */
static struct rdl_conn *acquire_with(const uint8_t *entropy)
{
    fleet_init(3, 1000);
    ck_assert_int_eq(rdl_redlock_acquire_begin(lock, entropy, 1000), RDL_PENDING);
    return &fleet.s[chosen].conn;
}

/* Two programs lose the same server in the same ms. The bytes of two boards may differ in a single one. */
START_TEST(acquire_makes_the_pauses_of_its_connections_random)
{
    chosen = (size_t)_i % 3;
    ck_assert_int_gt(scripted_pauses_that_differ(acquire_with, _i), 10);
}
END_TEST

Suite *suite_redlock(void)
{
    Suite *suite = suite_create("redlock");
    TCase *tc = suite_case(suite, "acquire", NULL, NULL);

    tcase_add_loop_test(tc, only_a_majority_of_the_configured_servers_decides, 1, 8);
    tcase_add_loop_test(tc, the_quorum_is_more_than_half, 1, 8);
    tcase_add_loop_test(tc, invalid_arguments_are_refused, 0, 2);
    tcase_add_test(tc, longest_name_and_all_servers_are_accepted);
    tcase_add_loop_test(tc, open_connection_without_checks_is_refused, 0, 2);
    tcase_add_test(tc, all_servers_get_the_same_token_at_once);
    tcase_add_test(tc, late_connect_does_not_move_the_start_of_validity);
    tcase_add_test(tc, attempt_begins_when_a_majority_is_connected);
    tcase_add_test(tc, late_grant_of_a_success_is_kept_and_counted);
    tcase_add_test(tc, failed_attempt_is_released_only_where_it_may_be_held);
    tcase_add_test(tc, lost_server_is_released_on_its_next_connection);
    tcase_add_loop_test(tc, failing_minority_costs_nothing, 0, TROUBLES + 1);
    tcase_add_loop_test(tc, failing_majority_is_no_quorum_and_leaves_no_key, 0, TROUBLES);
    tcase_add_loop_test(tc, server_with_a_full_queue_is_skipped, 0, 2);
    tcase_add_loop_test(tc, server_that_frees_its_queue_in_time_is_used, 0, 2);
    tcase_add_loop_test(tc, acquire_makes_the_pauses_of_its_connections_random, 0, RDL_ENTROPY_LEN);
    return suite;
}
