/* SPDX-License-Identifier: MIT */
/*
 * check_lock_legacy_lost.c - the old SETNX protocol when a reply gets lost: an extend without a reply leaves
 * two possible values in the key, both ours. It runs against the model server, so the key itself counts.
 *
 * Rule R35.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_commands.h"
#include "lock/lock_legacy.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 30000, ATTEMPT = 1000 };

static const uint64_t START = 1700000000000u;

static struct scripted s;
static struct rdl_lock_legacy l;
static struct rdl_lock_options opt;
static uint64_t now;
static int is_new; /* nothing was sent on this connection yet */

/* By what compares: scripts, or WATCH. */
static const struct sim_features kinds[] = {{.version = "7.0.15"}, {.version = "7.0.15", .no_scripts = 1}};

static void begin(int variant)
{
    now = START;
    opt = (struct rdl_lock_options){.ttl_ms = TTL, .attempt_ms = ATTEMPT};
    scripted_init(&s);
    scripted_model(&s, now);
    s.model.features = &kinds[variant >> 1 & 1];
    scripted_open(&s, now);
    rdl_lock_init_legacy(&l, &opt, &s.conn, "k", 1, variant & 1 ? RDL_LEGACY_INTEGER : RDL_LEGACY);
}

/* The server executes and answers everything until the operation is over. */
static int served(int rc)
{
    int i;

    for (i = 0; i < 20 && rc == RDL_PENDING; i++) {
        scripted_serve(&s, now);
        rc = rdl_lock_step(&l.lock, now);
    }
    return rc;
}

static int acquire(void)
{
    return served(rdl_lock_acquire_begin(&l.lock, entropy_bytes(), now));
}

static int extend(void)
{
    return served(rdl_lock_extend_begin(&l.lock, TTL, now));
}

static int release(void)
{
    return served(rdl_lock_release_begin(&l.lock, now));
}

static int is_there(void)
{
    return scripted_has_key(&s, "k", now);
}

/* Another client's key. */
static void put(const char *value)
{
    struct sim_session by_hand = {0};
    uint8_t reply[SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};
    char command[64];
    int n = snprintf(command, sizeof command, "SET k %s\r\n", value);

    sim_server_input(&s.model, &by_hand, (const uint8_t *)command, (size_t)n, now, &out);
}

/* Executes what was sent, and delivers the replies or not. */
static int one_round(int is_delivered)
{
    uint8_t replies[2 * SIM_REPLY_MAX];
    struct sim_out out = {replies, sizeof replies, 0};

    scripted_sent(&s);
    s.served += sim_server_input(&s.model, &s.session, (const uint8_t *)s.out + s.served, s.len - s.served,
                                 now, &out);
    if (is_delivered)
        scripted_feed(&s, (const char *)replies, out.len);
    return rdl_lock_step(&l.lock, now);
}

/*
 * The number of rounds of an extend: one by script; two by WATCH, and one more on a new connection. The last
 * reply gets lost with the connection, and its request may not have been executed. more: extra rounds before
 * that, to settle an earlier loss.
 */
static void lose_extend(int variant, int more)
{
    int rounds = (variant & 2 ? (is_new ? 3 : 2) : 1) + more;
    int is_done = variant & 4;
    int i, rc;

    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, now), RDL_PENDING);
    for (i = 1; i < rounds; i++)
        ck_assert_int_eq(one_round(1), RDL_PENDING);
    if (is_done)
        one_round(0);
    else
        scripted_sent(&s);
    scripted_break(&s);
    rc = rdl_lock_step(&l.lock, now);
    scripted_open(&s, now += 10);
    is_new = rc != RDL_PENDING;
    if (rc == RDL_PENDING) /* only a DISCARD has no reply */
        rc = served(rc);
    ck_assert_int_eq(rc, i == 3 && variant == (variant | 6) ? RDL_OK : RDL_UNKNOWN);
}

/* The lock is held and the extend method is known: the next reply is the one that gets lost. */
static void hold(int variant)
{
    begin(variant);
    ck_assert_int_eq(acquire(), RDL_OK);
    now += 5000;
    ck_assert_int_eq(extend(), RDL_OK);
    now += 5000;
    is_new = 0;
}

/* The bits of a variant: whole numbers, by WATCH, executed. */
enum { VARIANTS = 8 };

START_TEST(next_extend_settles_an_unanswered_one)
{
    int i;

    hold(_i);
    for (i = 0; i < 4; i++) { /* however often, there are at most two values */
        lose_extend(_i, i < 2 || (_i & 6) == 6 ? 0 : _i & 2 ? 2 : 1);
        now += 1000;
    }
    ck_assert_int_eq(extend(), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, now), TTL - 302);
    now += 20000;
    ck_assert_int_eq(extend(), RDL_OK);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert(!is_there());
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(release_settles_an_unanswered_extend)
{
    hold(_i);
    lose_extend(_i, 0);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert(!is_there());
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/*
 * No caller waits for the reply: both releases are pending. With whole numbers only the known value is
 * released.
 */
START_TEST(cancel_releases_both_values_of_an_unanswered_extend)
{
    hold(_i);
    lose_extend(_i, 0);
    rdl_lock_cancel(&l.lock);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(is_there(), (_i & 5) == 5);
}
END_TEST

/* The same while the extend, or the release of the first of the two values, is in flight. */
START_TEST(cancel_in_flight_releases_both_values)
{
    hold(_i);
    if (_i & 4)
        lose_extend(_i | 4, 0);
    ck_assert_int_eq(_i & 4 ? rdl_lock_release_begin(&l.lock, now) : rdl_lock_extend_begin(&l.lock, TTL, now),
                     RDL_PENDING);
    scripted_serve_mute(&s, now);
    rdl_lock_cancel(&l.lock);
    scripted_break(&s);
    scripted_open(&s, now += 10);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    ck_assert(!is_there());
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The lease expired here, and the server has the unconfirmed value: it does not block our own acquire. */
START_TEST(unconfirmed_value_does_not_block_our_next_acquire)
{
    hold(_i << 1);
    now += 15000;
    lose_extend(_i << 1 | 4, 0);
    now += 14000;
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, now), 0);
    ck_assert(is_there());
    ck_assert_int_eq(acquire(), RDL_OK);
}
END_TEST

/* A refused extend was not executed: there is nothing to settle. */
/* Closed earlier, a server that thaws would write it for a lock that was given up. */
START_TEST(stalled_extend_keeps_its_connection_for_a_ttl)
{
    uint64_t sent_ms;

    hold(_i);
    sent_ms = now;
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, now), RDL_PENDING);
    scripted_sent(&s);
    now += ATTEMPT;
    ck_assert_int_eq(rdl_lock_step(&l.lock, now), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_STALLED);
    ck_assert_uint_eq(rdl_conn_tick(&s.conn, now + 1), sent_ms + TTL);
}
END_TEST

START_TEST(refused_extend_leaves_one_value)
{
    hold(_i);
    s.model.loading = 1;
    ck_assert_int_eq(extend(), RDL_E_TRY_LATER);
    s.model.loading = 0;
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, now), RDL_PENDING);
    ck_assert_int_eq(one_round(1), RDL_OK);
}
END_TEST

/* It is settled after the end of the lease: the lease is not extended. */
START_TEST(extend_settled_too_late_is_lost_and_released)
{
    hold(4);
    lose_extend(4, 0);
    now = START + 5000 + TTL - 302 - 10;
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, now), RDL_PENDING);
    now += 10;
    ck_assert_int_eq(one_round(1), RDL_LOST);
    ck_assert_ptr_null(strstr(scripted_sent(&s), rdl_script_replace.sha));
    scripted_serve(&s, now);
    ck_assert(!is_there());
}
END_TEST

/* The lease expired and was released, or not: neither of the two values is left. */
START_TEST(new_lease_has_one_value)
{
    hold(_i >> 1);
    lose_extend(_i >> 1 | 4, 0);
    now += 2 * TTL;
    if (_i & 1)
        ck_assert_int_eq(release(), RDL_EXPIRED);
    ck_assert_int_ge(acquire(), RDL_OK);
    now += 1000;
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, now), RDL_PENDING);
    ck_assert_int_eq(one_round(1), RDL_OK);
}
END_TEST

/* Another client's value is neither of the two. */
START_TEST(third_value_means_the_lock_is_lost)
{
    hold(_i >> 1);
    lose_extend(_i >> 1, 0);
    put("1700000099");
    ck_assert_int_lt(_i & 1 ? extend() : release(), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l.lock, now), 0);
    scripted_serve(&s, now);
    ck_assert(is_there());
}
END_TEST

START_TEST(missing_key_is_gone_whichever_value_it_had)
{
    struct sim_session by_hand = {0};
    uint8_t reply[SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};

    hold(0);
    lose_extend(4, 0);
    sim_server_input(&s.model, &by_hand, (const uint8_t *)"DEL k\r\n", 7, now, &out);
    ck_assert_int_eq(_i ? extend() : release(), _i ? RDL_LOST : RDL_EXPIRED);
    scripted_serve(&s, now);
    ck_assert(!is_there());
}
END_TEST

/* The first value was not there and the release of the second got no reply: it stays pending. */
START_TEST(unanswered_release_keeps_both_values_pending)
{
    hold(_i);
    lose_extend(_i | 4, 0);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, now), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l.lock, now), RDL_PENDING);
    ck_assert_int_eq(rdl_lock_step(&l.lock, now += ATTEMPT), RDL_UNKNOWN);
    scripted_open(&s, now += 10);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    scripted_serve(&s, now);
    ck_assert(rdl_conn_is_idle(&s.conn));
    ck_assert_int_eq(is_there(), _i & 1);
}
END_TEST

/*
 * The same, but on the next connection neither value is there: the release was done the first time, and the
 * key is gone or the next holder's. With whole numbers the second value may be the next holder's, so it is
 * not released. Nothing stays pending.
 */
START_TEST(repeated_release_of_two_values_spares_the_next_holder)
{
    int is_taken = _i < 2;

    hold(_i & 1);
    lose_extend(_i & 1, 0);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, now), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l.lock, now), RDL_PENDING);
    if (is_taken)
        put("1700000099.000000001");
    else
        scripted_other(&s, "DEL k\r\n", now);
    scripted_open(&s, now);
    ck_assert_int_eq(served(RDL_PENDING), RDL_UNKNOWN);
    ck_assert_int_eq(is_there(), is_taken);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* Whoever has the lock now may have got it when our lease had ended. */
START_TEST(repeated_release_after_the_lease_is_certain)
{
    hold(0);
    now = rdl_lock_until_ms(&l.lock) - 100;
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, now), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l.lock, now), RDL_PENDING);
    put("1700000099.000000001");
    now += 200;
    scripted_open(&s, now);
    ck_assert_int_eq(served(RDL_PENDING), RDL_LOST);
}
END_TEST

/* The next holder wrote the same whole number as our second value. */
START_TEST(repeated_release_does_not_try_a_second_whole_number)
{
    char second[32];

    hold(1);
    lose_extend(1, 0);
    snprintf(second, sizeof second, "%.*s", (int)l.other_len, (const char *)l.other);
    ck_assert_int_eq(rdl_lock_release_begin(&l.lock, now), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l.lock, now), RDL_PENDING);
    put(second);
    scripted_open(&s, now);
    ck_assert_int_eq(served(RDL_PENDING), RDL_UNKNOWN);
    ck_assert(is_there());
}
END_TEST

/* Whole numbers: near the end of the lease the second value might be the next holder's. */
START_TEST(whole_number_is_released_only_while_it_must_be_ours)
{
    hold(1);
    lose_extend(4, 0);
    now = START + 5000 + TTL - 302 - 2 * ATTEMPT - (_i ? 0 : 1);
    ck_assert_int_eq(release() == RDL_OK, !_i);
    ck_assert_int_eq(is_there(), _i);
}
END_TEST

Suite *suite_lock_legacy_lost(void)
{
    Suite *suite = suite_create("lock_legacy_lost");
    TCase *tc = suite_case(suite, "two values", NULL, NULL);

    tcase_add_loop_test(tc, next_extend_settles_an_unanswered_one, 0, VARIANTS);
    tcase_add_loop_test(tc, release_settles_an_unanswered_extend, 0, VARIANTS);
    tcase_add_loop_test(tc, cancel_releases_both_values_of_an_unanswered_extend, 0, VARIANTS);
    tcase_add_loop_test(tc, cancel_in_flight_releases_both_values, 0, 1);
    tcase_add_loop_test(tc, cancel_in_flight_releases_both_values, 4, 5);
    tcase_add_loop_test(tc, unconfirmed_value_does_not_block_our_next_acquire, 0, 2);
    tcase_add_loop_test(tc, refused_extend_leaves_one_value, 0, 2);
    tcase_add_test(tc, extend_settled_too_late_is_lost_and_released);
    tcase_add_loop_test(tc, new_lease_has_one_value, 0, 4);
    tcase_add_loop_test(tc, third_value_means_the_lock_is_lost, 0, 16);
    tcase_add_loop_test(tc, missing_key_is_gone_whichever_value_it_had, 0, 2);
    tcase_add_loop_test(tc, unanswered_release_keeps_both_values_pending, 0, 4);
    tcase_add_loop_test(tc, repeated_release_of_two_values_spares_the_next_holder, 0, 4);
    tcase_add_test(tc, repeated_release_does_not_try_a_second_whole_number);
    tcase_add_loop_test(tc, whole_number_is_released_only_while_it_must_be_ours, 0, 2);
    tcase_add_test(tc, repeated_release_after_the_lease_is_certain);
    tcase_add_loop_test(tc, stalled_extend_keeps_its_connection_for_a_ttl, 0, 2);
    return suite;
}
