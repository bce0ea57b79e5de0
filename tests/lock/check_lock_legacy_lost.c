/* SPDX-License-Identifier: MIT */
/*
 * The old SETNX protocol when an answer gets lost: an extend without one leaves two values that may stand in
 * the key, and both are ours. With the model server, so that what is in the key is what counts.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/fixtures/scripted.h"

enum { TTL = 30000, ATTEMPT = 1000 };

static const uint64_t START = 1700000000000u;

static struct scripted s;
static struct rdl_lock_legacy l;
static struct rdl_lock_options opt;
static uint64_t now;
static int is_new; /* nothing was asked yet on this connection */

/* By what it compares: scripts, or WATCH. */
static const struct sim_features kinds[] = {{.version = "7.0.15"}, {.version = "7.0.15", .no_scripts = 1}};

static void begin(int way)
{
    const struct rdl_lock_options once = {.ttl_ms = TTL, .attempt_ms = ATTEMPT};

    now = START;
    opt = once;
    scripted_init(&s);
    scripted_model(&s, now);
    s.model.features = &kinds[way >> 1 & 1];
    scripted_open(&s, now);
    rdl_lock_init_legacy(&l, &opt, &s.conn, "k", 1, way & 1 ? RDL_LEGACY_INTEGER : RDL_LEGACY);
}

/* The server does all it was sent, and answers, until the operation is over. */
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

/* A key of somebody who is not in this test. */
static void put(const char *value)
{
    struct sim_session by_hand = {0};
    uint8_t reply[SIM_REPLY_MAX];
    struct sim_out out = {reply, sizeof reply, 0};
    char command[64];
    int n = snprintf(command, sizeof command, "SET k %s\r\n", value);

    sim_server_input(&s.model, &by_hand, (const uint8_t *)command, (size_t)n, now, &out);
}

/* What was sent is done, and answered or not. */
static int one_round(int is_heard)
{
    uint8_t replies[2 * SIM_REPLY_MAX];
    struct sim_out out = {replies, sizeof replies, 0};

    scripted_sent(&s);
    s.served += sim_server_input(&s.model, &s.session, (const uint8_t *)s.out + s.served, s.len - s.served,
                                 now, &out);
    if (is_heard)
        scripted_feed(&s, (const char *)replies, out.len);
    return rdl_lock_step(&l.lock, now);
}

/*
 * An extend goes to and fro this often: by script once; by WATCH twice, and once more where a connection is
 * new. The last answer gets lost with the connection, and maybe what it answers was never done. more: so
 * often it goes to and fro before that, to settle what was lost before.
 */
static void lose_extend(int way, int more)
{
    int rounds = (way & 2 ? (is_new ? 3 : 2) : 1) + more;
    int is_done = way & 4;
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
    if (rc == RDL_PENDING) /* only a DISCARD was not answered */
        rc = served(rc);
    ck_assert_int_eq(rc, i == 3 && way == (way | 6) ? RDL_OK : RDL_UNKNOWN);
}

/* Held, and the way to extend is known: the next answer is the one that gets lost. */
static void hold(int way)
{
    begin(way);
    ck_assert_int_eq(acquire(), RDL_OK);
    now += 5000;
    ck_assert_int_eq(extend(), RDL_OK);
    now += 5000;
    is_new = 0;
}

/* Bits of a way: whole numbers, by WATCH, done. */
enum { WAYS = 8 };

START_TEST(an_extend_without_an_answer_is_made_good_by_the_next)
{
    int i;

    hold(_i);
    for (i = 0; i < 4; i++) { /* however often, that leaves no more than two values */
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

START_TEST(an_extend_without_an_answer_is_released)
{
    hold(_i);
    lose_extend(_i, 0);
    ck_assert_int_eq(release(), RDL_OK);
    ck_assert(!is_there());
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* Nobody waits for the answer: both are owed. Of whole numbers only the one that was known. */
START_TEST(an_extend_without_an_answer_is_given_back)
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

/* The same while the extend, or the release of the first of the two values, is on its way. */
START_TEST(who_gives_up_midway_gives_back_both)
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

/* The lease ran out here, and the server has the value that was not confirmed: it is not in our own way. */
START_TEST(the_next_acquire_is_not_kept_out_by_what_was_not_confirmed)
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

/* What was refused was not done: there is nothing to settle. */
START_TEST(an_extend_that_was_refused_leaves_one_value)
{
    hold(_i);
    s.model.loading = 1;
    ck_assert_int_eq(extend(), RDL_E_LOADING);
    s.model.loading = 0;
    ck_assert_int_eq(rdl_lock_extend_begin(&l.lock, TTL, now), RDL_PENDING);
    ck_assert_int_eq(one_round(1), RDL_OK);
}
END_TEST

/* Settled when the lease is over: it is not lengthened any more. */
START_TEST(what_is_settled_too_late_is_lost_and_given_back)
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

/* The lease ran out and was released, or not: of the two values nothing is left. */
START_TEST(a_new_lease_has_one_value)
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

/* Another's value is neither of the two. */
START_TEST(what_is_neither_of_the_two_values_is_lost)
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

START_TEST(what_is_gone_is_gone_however_many_values_it_may_have_had)
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

/* The first of the two was not there and the second was not answered: it stays owed. */
START_TEST(a_release_that_is_not_answered_owes_both)
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
 * The same, and over the next connection neither of the two is there: it was done the first time, and the
 * value is the next holder's, or nothing is there. Of whole numbers the second may be his, so it is not asked
 * for. Nothing stays owed.
 */
START_TEST(a_release_of_two_values_that_is_sent_again_leaves_the_next_holder_alone)
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

/* Whole numbers: near the end of the lease the second might be that of who comes next. */
START_TEST(a_whole_number_is_released_only_while_nobody_else_can_have_it)
{
    hold(1);
    lose_extend(4, 0);
    now = START + 5000 + TTL - 302 - 2 * ATTEMPT - (_i ? 0 : 1);
    ck_assert_int_eq(release() == RDL_OK, !_i);
    ck_assert_int_eq(is_there(), _i);
}
END_TEST

Suite *suite_lock_legacy_lost(void);

Suite *suite_lock_legacy_lost(void)
{
    Suite *suite = suite_create("lock_legacy_lost");
    TCase *tc = tcase_create("two values");

    tcase_add_loop_test(tc, an_extend_without_an_answer_is_made_good_by_the_next, 0, WAYS);
    tcase_add_loop_test(tc, an_extend_without_an_answer_is_released, 0, WAYS);
    tcase_add_loop_test(tc, an_extend_without_an_answer_is_given_back, 0, WAYS);
    tcase_add_loop_test(tc, who_gives_up_midway_gives_back_both, 0, 1);
    tcase_add_loop_test(tc, who_gives_up_midway_gives_back_both, 4, 5);
    tcase_add_loop_test(tc, the_next_acquire_is_not_kept_out_by_what_was_not_confirmed, 0, 2);
    tcase_add_loop_test(tc, an_extend_that_was_refused_leaves_one_value, 0, 2);
    tcase_add_test(tc, what_is_settled_too_late_is_lost_and_given_back);
    tcase_add_loop_test(tc, a_new_lease_has_one_value, 0, 4);
    tcase_add_loop_test(tc, what_is_neither_of_the_two_values_is_lost, 0, 16);
    tcase_add_loop_test(tc, what_is_gone_is_gone_however_many_values_it_may_have_had, 0, 2);
    tcase_add_loop_test(tc, a_release_that_is_not_answered_owes_both, 0, 4);
    tcase_add_loop_test(tc, a_release_of_two_values_that_is_sent_again_leaves_the_next_holder_alone, 0, 4);
    tcase_add_loop_test(tc, a_whole_number_is_released_only_while_nobody_else_can_have_it, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
