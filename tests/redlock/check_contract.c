/* SPDX-License-Identifier: MIT */
/*
 * What is promised of every lock, whatever its kind: plain, fenced, several at once, a redlock of one server
 * and of five. A test states one rule and runs for each kind. What is peculiar to one of them stands in its
 * own suite; where their results differ, `verdict` and the comments marked "differs" say how.
 */
#include <check.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/subject.h"

enum { TTL = SUBJECT_TTL, DRIFT = SUBJECT_DRIFT, ATTEMPT = SUBJECT_ATTEMPT };
enum { START = 1000, END = START + TTL - DRIFT };

static uint64_t now;

/* Runs for each kind, with so many cases each. */
static int begin(int i)
{
    now = START;
    subject_init((enum subject_kind)(i % KINDS), now);
    return i / KINDS;
}

static int begin_held(int i)
{
    int which = begin(i);

    subject_hold(&now);
    ck_assert_uint_eq(now, START);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    return which;
}

/* An operation that has begun, to those that are hit, in this mood of theirs. */
static int run_in(enum subject_mood mood, int rc)
{
    subject_serve(now);
    if (mood == SUBJECT_MUTE)
        subject_befall(SUBJECT_DOWN);
    return subject_run(rc, &now);
}

/* A result of one lock, and what N servers say instead of it: differs. */
static int verdict(int of_one, int of_many)
{
    return subject_is_redlock() ? of_many : of_one;
}

/* All well again: none of our keys is left, and nothing is owed. */
static void nothing_is_left(void)
{
    subject_settle(now);
    ck_assert_uint_eq(subject_keys(now), 0);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
}

/* It is like any other handle: it can have the lock, and let go of it. */
static void can_be_used(void)
{
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    subject_settle(now);
    ck_assert(subject_keys_are(subject_token(), now));
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}

/* ---------------------------------------------------------------- acquire: validity */

/* A clock that was just switched on, one that no longer fits into 32 bits, or into a signed one. */
static const uint64_t times[] = {1,
                                 START,
                                 UINT32_MAX - 5000u,
                                 UINT32_MAX,
                                 (uint64_t)UINT32_MAX * 3,
                                 UINT64_MAX / 4,
                                 (uint64_t)INT64_MAX - TTL,
                                 (uint64_t)INT64_MAX + 1,
                                 (uint64_t)INT64_MAX + TTL};
enum { TIMES = sizeof times / sizeof times[0] };

START_TEST(validity_runs_from_before_the_first_send_less_the_drift)
{
    uint64_t t1 = times[_i / KINDS];

    subject_init((enum subject_kind)(_i % KINDS), t1);
    ck_assert_int_eq(subject_acquire_begin(t1), RDL_PENDING);
    ck_assert_uint_eq(subject_remaining_ms(t1), 0);
    subject_serve(t1 + 6);
    ck_assert_int_eq(subject_step(t1 + 7), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(t1 + 7), TTL - DRIFT - 7);
    ck_assert_uint_eq(subject_remaining_ms(t1 + TTL - DRIFT - 1), 1);
    ck_assert_uint_eq(subject_remaining_ms(t1 + TTL - DRIFT), 0);
    ck_assert_uint_eq(subject_remaining_ms(t1 + 5 * TTL), 0);
}
END_TEST

START_TEST(granted_one_millisecond_before_the_end_is_held)
{
    uint64_t t1 = times[_i / KINDS];

    subject_init((enum subject_kind)(_i % KINDS), t1);
    subject_acquire_begin(t1);
    subject_serve(t1);
    now = t1 + TTL - DRIFT - 1;
    ck_assert_int_eq(subject_step(now), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(now), 1);
    subject_settle(now);
    ck_assert_uint_eq(subject_keys(now), subject_all_keys());
}
END_TEST

START_TEST(granted_at_the_end_is_expired_and_given_back)
{
    uint64_t t1 = times[_i / KINDS];

    subject_init((enum subject_kind)(_i % KINDS), t1);
    subject_acquire_begin(t1);
    subject_serve(t1);
    ck_assert_int_eq(subject_step(t1 + TTL - DRIFT), RDL_EXPIRED);
    ck_assert_uint_eq(subject_remaining_ms(t1), 0);
    now = t1 + TTL - DRIFT;
    ck_assert_uint_eq(subject_keys(now), subject_all_keys());
    nothing_is_left();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

/* A slow connection must not eat the lease: the attempt begins when it can be sent. */
START_TEST(validity_does_not_run_while_it_connects)
{
    now = START;
    subject_init_closed((enum subject_kind)_i, now);
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    ck_assert_uint_eq(subject_wake_ms(), now + RDL_CONNECT_MS);
    now += 900;
    subject_serve(now);
    ck_assert_int_eq(subject_run(subject_step(now), &now), RDL_OK);
    ck_assert_uint_eq(now, START + 900);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
}
END_TEST

START_TEST(what_it_holds_is_its_token_on_every_server)
{
    begin_held(_i);
    ck_assert(subject_keys_are(subject_token(), now));
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    subject_settle(now);
    ck_assert(subject_keys_are(subject_token(), now));
}
END_TEST

/* ---------------------------------------------------------------- acquire: refused */

START_TEST(a_refusal_is_busy_and_leaves_nothing_behind)
{
    begin(_i);
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_BUSY);
    ck_assert_uint_eq(now, START);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    nothing_is_left();
    ck_assert_uint_eq(subject_stolen(now), subject.hit);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

/* Without a wait, or without a pause. */
START_TEST(one_attempt_means_one)
{
    uint64_t sent;
    int which = begin(_i);

    subject_patient(which ? 0 : 60000);
    if (!which)
        subject.opt.lease.retry_ms = 0;
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_BUSY);
    subject_settle(now);
    sent = subject_commands();
    for (; now < START + 2 * TTL; now += 500) {
        ck_assert_int_eq(subject_step(now), RDL_BUSY);
        subject_serve(now);
    }
    ck_assert_uint_eq(subject_commands(), sent);
    nothing_is_left();
}
END_TEST

START_TEST(who_waits_has_it_when_the_holder_is_gone)
{
    begin(_i);
    subject_patient(RDL_WAIT_FOREVER);
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_uint_gt(now, START + SUBJECT_THEFT);
    ck_assert_uint_le(now, START + SUBJECT_THEFT + 2);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
}
END_TEST

/* Busy; without an answer; into the silence; without a connection. */
static const enum subject_mood troubles[] = {SUBJECT_UP, SUBJECT_FROZEN, SUBJECT_DEAF, SUBJECT_DOWN};
enum { TROUBLES = sizeof troubles / sizeof troubles[0] };

START_TEST(waiting_is_bounded_by_wait_ms)
{
    int which = begin(_i);
    int rc;

    subject_patient(4000);
    subject_befall(troubles[which]);
    if (which == 0)
        subject_steal(now);
    rc = subject_acquire(&now);
    ck_assert_uint_eq(now, START + 4000);
    /* differs: of one server the last thing that went wrong is told */
    if (which == 0) {
        ck_assert_int_eq(rc, RDL_BUSY);
        ck_assert_uint_gt(subject_attempt(), 8);
    } else {
        ck_assert_int_eq(rc, verdict(which == 3 ? RDL_E_CONNECT : RDL_E_TIMEOUT, RDL_NO_QUORUM));
    }
    if (which != 2) /* where it is deaf, its SET may still come: what is owed waits */
        nothing_is_left();
}
END_TEST

START_TEST(an_attempt_cut_short_by_the_deadline_keeps_what_the_one_before_it_learned)
{
    begin(_i);
    subject_patient(200);
    subject.opt.lease.retry_ms = 1;
    subject_steal(now);
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    subject_serve(now);
    ck_assert_int_eq(subject_step(now), RDL_PENDING);
    subject_befall(SUBJECT_FROZEN);
    now = subject_wake_ms();
    ck_assert_uint_le(now, START + 2);
    ck_assert_int_eq(subject_step(now), RDL_PENDING);
    subject_serve(now);
    ck_assert_uint_eq(subject_wake_ms(), START + 200);
    ck_assert_int_eq(subject_step(START + 199), RDL_PENDING);
    ck_assert_int_eq(subject_step(START + 200), RDL_BUSY); /* not UNKNOWN: it had no time */
    ck_assert_int_eq(subject_cause(), RDL_OK);
    now = START + 200;
    nothing_is_left();
}
END_TEST

/* ---------------------------------------------------------------- acquire: no answer */

START_TEST(no_answer_is_not_held_and_what_was_sent_is_released_behind_it)
{
    int is_applied = begin(_i); /* it was done at once, and only the answer is late */

    subject_befall(SUBJECT_FROZEN);
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    subject_serve(now);
    ck_assert_int_eq(subject_step(START + ATTEMPT - 1), RDL_PENDING);
    now = START + ATTEMPT;
    ck_assert_int_eq(subject_step(now), verdict(RDL_UNKNOWN, RDL_NO_QUORUM));
    ck_assert_int_eq(subject_cause(), verdict(RDL_E_TIMEOUT, RDL_OK));
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    ck_assert(!subject_is_idle());
    if (is_applied)
        now = START + TTL - 1;
    nothing_is_left();
    can_be_used();
}
END_TEST

/* The server did it, and the connection ended before it said so: the next begins with the release. */
START_TEST(what_is_owed_goes_first_on_the_next_connection)
{
    int is_again = begin(_i); /* the next acquire is asked there as well */

    subject_befall(SUBJECT_MUTE);
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    subject_serve(now);
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_eq(subject_run(subject_step(now), &now), verdict(RDL_UNKNOWN, RDL_NO_QUORUM));
    ck_assert_int_eq(subject_cause(), verdict(RDL_E_CLOSED, RDL_OK));
    ck_assert_uint_le(now, START + ATTEMPT);
    ck_assert_uint_gt(subject_keys(now), 0);
    if (!is_again) {
        nothing_is_left();
        return;
    }
    subject_befall(SUBJECT_UP);
    subject_patient(2000);
    ck_assert_int_eq(subject_acquire(&now), RDL_OK); /* its own old key would refuse it */
    ck_assert_uint_le(now, START + 1000);
    subject_settle(now);
    ck_assert(subject_keys_are(subject_token(), now));
}
END_TEST

/* And no longer: then the key has ended by itself. */
START_TEST(a_release_is_owed_until_the_key_ends_by_itself)
{
    int is_over = begin(_i);
    uint64_t asked;
    size_t i;

    subject.hit = subject.n;
    subject_befall(SUBJECT_FROZEN);
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    subject_serve(now);
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_eq(subject_run(subject_step(now), &now), verdict(RDL_UNKNOWN, RDL_NO_QUORUM));
    subject_serve(now); /* one attempt to connect is refused: it pauses */
    now = START + TTL + (uint64_t)is_over;
    asked = subject_commands();
    for (i = 0; i < subject.n; i++)
        rdl_conn_tick(&subject.s[i].conn, now - 100);
    subject_settle(now);
    ck_assert(subject_is_idle());
    asked += subject.preflight;
    if (is_over)
        ck_assert_uint_eq(subject_commands(), asked);
    else
        ck_assert_uint_gt(subject_commands(), asked);
}
END_TEST

START_TEST(what_was_never_sent_needs_no_release)
{
    int breaks = begin(_i);
    uint64_t asked = subject_commands();

    subject.hit = subject.n;
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    if (breaks) {
        subject_befall(SUBJECT_DOWN);
        ck_assert_int_eq(subject_step(now), verdict(RDL_E_CLOSED, RDL_NO_QUORUM));
    } else {
        now += ATTEMPT;
        ck_assert_int_eq(subject_step(now), verdict(RDL_E_TIMEOUT, RDL_NO_QUORUM));
    }
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_commands(), asked);
}
END_TEST

/* ---------------------------------------------------------------- acquire: tokens, arguments */

START_TEST(every_attempt_has_a_token_of_its_own)
{
    char seen[12][RDL_VALUE_MAX];
    int n = 0;
    int i;
    int rc;

    begin(_i);
    subject_patient(RDL_WAIT_FOREVER);
    subject_steal(now);
    rc = subject_acquire_begin(now);
    while (n < 12 && rc == RDL_PENDING) {
        const char *token = subject_token();
        for (i = 0; i < n && memcmp(seen[i], token, RDL_VALUE_MAX) != 0; i++) {
        }
        if (i == n)
            memcpy(seen[n++], token, RDL_VALUE_MAX);
        ck_assert_int_eq(i, n - 1); /* the last one, or a new one */
        if (n == 6 && subject_stolen(now) > 0) {
            subject_cancel(); /* nor does another acquire have one that was used before */
            rc = subject_acquire_begin(now);
            subject_settle(now);
            subject_steal(now);
            continue;
        }
        subject_serve(now);
        rc = subject_step(now);
        now = subject_wake_ms() != UINT64_MAX ? subject_wake_ms() : now;
    }
    ck_assert_int_ge(n, 8);
    if (rc == RDL_OK)
        ck_assert(subject_keys_are(subject_token(), now));
}
END_TEST

static const struct {
    size_t name_len;
    uint32_t ttl_ms;
    int result;
} arguments[] = {
    {0, TTL, RDL_E_NAME},
    {RDL_NAME_MAX + 1, TTL, RDL_E_NAME},
    {256, TTL, RDL_E_NAME}, /* would be 0 in a byte */
    {257, TTL, RDL_E_NAME},
    {1, 0, RDL_E_TTL},
    {1, 1, RDL_E_TTL},
    {1, 4 * ATTEMPT - 1, RDL_E_TTL},
    {1, RDL_TTL_MAX + 1u, RDL_E_TTL},
    {1, UINT32_MAX, RDL_E_TTL},
};
enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

START_TEST(a_bad_name_or_ttl_is_told_before_anything_is_sent)
{
    static const char name[RDL_NAME_MAX + 300];
    int which = begin(_i);
    uint64_t asked = subject_commands();

    subject_rename(name, arguments[which].name_len);
    subject.opt.lease.ttl_ms = arguments[which].ttl_ms;
    ck_assert_int_eq(subject_acquire_begin(now), arguments[which].result);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    if (subject_is_redlock()) /* differs: one that never stepped says 0, at once */
        subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), asked);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

/* ---------------------------------------------------------------- extend */

START_TEST(an_extend_counts_from_before_its_own_send)
{
    begin_held(_i);
    ck_assert_int_eq(subject_extend_begin(TTL, 4000), RDL_PENDING);
    subject_serve(4040);
    ck_assert_int_eq(subject_step(4050), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(4050), TTL - DRIFT - 50);
    subject_settle(4050);
    ck_assert_uint_eq(subject_keys(4000 + TTL - 1), subject_all_keys());
}
END_TEST

START_TEST(an_extend_never_shortens)
{
    begin_held(_i);
    now = 1500;
    ck_assert_int_eq(subject_extend(2000, &now), RDL_OK);
    ck_assert_uint_ge(subject_remaining_ms(now), END - now);
    ck_assert_uint_le(subject_remaining_ms(now), START + TTL - now); /* nor believed longer than the key */
    subject_settle(now);
    ck_assert_uint_eq(subject_keys(START + TTL - 1), subject_all_keys());
    ck_assert_int_eq(subject_extend_begin(0, now), RDL_E_TTL);
    ck_assert_uint_ge(subject_remaining_ms(now), END - now);
}
END_TEST

/* The key lives for the longer ttl: a release is owed so long, over as many connections as it takes. */
START_TEST(a_short_extend_does_not_shorten_what_is_owed)
{
    begin_held(_i);
    now = 1500;
    ck_assert_int_eq(subject_extend(2000, &now), RDL_OK);
    subject_settle(now);
    now = 1600;
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_eq(subject_release(&now), RDL_UNKNOWN);
    now = START + TTL - 1;
    ck_assert_uint_gt(subject_keys(now), 0);
    nothing_is_left();
}
END_TEST

START_TEST(a_bad_ttl_to_extend_changes_nothing)
{
    static const uint32_t bad[] = {0, 1, 4 * ATTEMPT - 1, RDL_TTL_MAX + 1u, UINT32_MAX};
    int which = begin_held(_i);
    uint64_t asked = subject_commands();

    ck_assert_int_eq(subject_extend_begin(bad[which], 2000), RDL_E_TTL);
    ck_assert_uint_eq(subject_remaining_ms(2000), END - 2000);
    ck_assert(subject_is_idle());
    subject_settle(2000);
    ck_assert_uint_eq(subject_commands(), asked);
}
END_TEST

/* The server's key may still be there: its clock is slow by what the drift allows. */
START_TEST(an_extend_never_revives_a_lease_that_is_over)
{
    uint64_t asked;

    begin_held(_i);
    asked = subject_commands();
    now = END;
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_LOST);
    ck_assert_uint_eq(subject_remaining_ms(now - 100), 0);
    subject_settle(now);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    ck_assert_uint_eq(subject_keys(now), 0); /* released, and not lengthened */
    ck_assert_uint_gt(subject_commands(), asked);
    ck_assert_int_eq(subject_release(&now), RDL_EXPIRED);
    nothing_is_left();
}
END_TEST

START_TEST(an_extend_answered_after_the_old_end_is_lost_and_given_back)
{
    static const uint64_t late[] = {0, 1, 5000};
    int which = begin_held(_i);

    ck_assert_int_eq(subject_extend_begin(TTL, END - 1), RDL_PENDING);
    subject_serve(END - 1);
    now = END + late[which];
    ck_assert_int_eq(subject_step(now), RDL_LOST);
    ck_assert_uint_eq(subject_remaining_ms(END - 100), 0);
    ck_assert_uint_eq(subject_keys(now), subject_all_keys()); /* it was lengthened */
    nothing_is_left();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

START_TEST(an_extend_is_lost_when_somebody_else_has_it_or_it_is_gone)
{
    int is_stolen = begin_held(_i);

    now = 4000;
    if (is_stolen)
        subject_steal(now);
    else
        subject_forget(now);
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_LOST);
    ck_assert_uint_eq(now, 4000);
    ck_assert_uint_eq(subject_remaining_ms(START + 1), 0);
    nothing_is_left(); /* where it stood still it is given back */
    ck_assert_uint_eq(subject_stolen(now), is_stolen ? subject.hit : 0);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

/* Frozen; the answer is lost with the connection; the connection swallowed it. */
static const enum subject_mood silences[] = {SUBJECT_FROZEN, SUBJECT_MUTE, SUBJECT_DEAF, SUBJECT_DOWN};
enum { SILENCES = sizeof silences / sizeof silences[0] };

START_TEST(an_extend_without_an_answer_leaves_the_lease_as_it_was)
{
    enum subject_mood mood = silences[begin_held(_i)];

    now = 4000;
    subject_befall(mood);
    /* differs: of one server it is told why it could not even be asked */
    ck_assert_int_eq(run_in(mood, subject_extend_begin(2 * TTL, now)),
                     mood == SUBJECT_DOWN ? verdict(RDL_E_CONNECT, RDL_UNKNOWN) : RDL_UNKNOWN);
    ck_assert_uint_le(now, 4000 + ATTEMPT);
    if (mood == SUBJECT_FROZEN || mood == SUBJECT_DEAF)
        ck_assert_uint_eq(now, 4000 + ATTEMPT);
    ck_assert_uint_eq(subject_remaining_ms(now), END - now);
    subject_settle(now); /* an answer that comes now makes nobody believe more */
    ck_assert_uint_eq(subject_remaining_ms(now), END - now);
    now += 1000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    ck_assert_uint_ge(subject_remaining_ms(now), TTL - DRIFT);
}
END_TEST

/* What it left behind would be in the way of its own holder for that long ttl. */
START_TEST(a_lease_that_ran_out_behind_an_unanswered_extend_is_not_in_the_method)
{
    begin_held(_i);
    now = 2000;
    subject_befall(SUBJECT_MUTE);
    ck_assert_int_eq(subject_extend_begin(6 * TTL, now), RDL_PENDING);
    subject_serve(now);
    ck_assert_int_eq(subject_step(2000 + ATTEMPT), RDL_UNKNOWN);
    subject_befall(SUBJECT_DOWN);
    now = END + 1000;
    ck_assert_uint_gt(subject_keys(now), 0);
    subject_befall(SUBJECT_UP);
    can_be_used();
}
END_TEST

/* ---------------------------------------------------------------- release */

START_TEST(a_release_deletes_what_is_ours_and_ends_the_lease_at_once)
{
    begin_held(_i);
    now = 2000;
    ck_assert_int_eq(subject_release_begin(now), RDL_PENDING);
    ck_assert_uint_eq(subject_remaining_ms(now), 0); /* from here on, whatever comes */
    ck_assert_int_eq(subject_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(now, 2000);
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(a_release_tells_gone_from_somebody_elses_and_deletes_ours_alone)
{
    int is_stolen = begin_held(_i);

    now = 2000;
    if (is_stolen)
        subject_steal(now);
    else
        subject_forget(now);
    ck_assert_int_eq(subject_release(&now), is_stolen ? RDL_LOST : RDL_EXPIRED);
    ck_assert_uint_eq(now, 2000);
    nothing_is_left();
    ck_assert_uint_eq(subject_stolen(now), is_stolen ? subject.hit : 0);
}
END_TEST

START_TEST(a_release_without_an_answer_is_unknown_and_done_later)
{
    enum subject_mood mood = silences[begin_held(_i)];

    now = 2000;
    subject_befall(mood);
    ck_assert_int_eq(run_in(mood, subject_release_begin(now)), RDL_UNKNOWN);
    ck_assert_uint_le(now, 2000 + ATTEMPT);
    if (mood == SUBJECT_FROZEN || mood == SUBJECT_DEAF) {
        ck_assert_uint_eq(now, 2000 + ATTEMPT);
        ck_assert_int_eq(subject_cause(), verdict(RDL_E_TIMEOUT, RDL_OK));
    }
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    ck_assert(!subject_is_idle());
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(what_is_not_held_is_not_released)
{
    uint64_t asked;

    begin(_i);
    asked = subject_commands();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_commands(), asked);
    can_be_used();
    asked = subject_commands();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_LOST);
    nothing_is_left();
    ck_assert_uint_eq(subject_commands(), asked);
}
END_TEST

/* The key has ended; or a server whose clock stood still has it yet. */
START_TEST(a_lease_that_ran_out_is_still_released)
{
    int is_slow = begin_held(_i);

    now = START + 2 * TTL;
    if (is_slow)
        subject_plant(subject_token(), TTL, now);
    ck_assert_int_eq(subject_release(&now), is_slow ? RDL_OK : RDL_EXPIRED);
    nothing_is_left();
}
END_TEST

START_TEST(a_lease_that_ran_out_is_given_back_before_the_next_is_asked_for)
{
    begin_held(_i);
    now = START + 3 * TTL;
    subject_plant(subject_token(), TTL, now); /* servers whose clock stood still */
    can_be_used();
}
END_TEST

/*
 * It was sent, and the connection ended before the answer. What the next one finds is as was expected; but
 * only a redlock asks whether it is the same run of the server that answers.
 */
static const struct {
    enum subject_mood mood; /* MUTE: it was done; FROZEN: it was not */
    int is_stolen;          /* somebody else has it since */
    uint64_t at_ms, found_ms;
    int of_one, of_many;
} repeats[] = {
    {SUBJECT_MUTE, 0, 4000, 4000, RDL_UNKNOWN, RDL_OK},
    {SUBJECT_MUTE, 1, 4000, 4000, RDL_UNKNOWN, RDL_OK},
    {SUBJECT_FROZEN, 0, 4000, 4000, RDL_OK, RDL_OK},
    {SUBJECT_MUTE, 0, END - 2, END - 1, RDL_UNKNOWN, RDL_OK},
    {SUBJECT_MUTE, 0, END - 1, END, RDL_EXPIRED, RDL_EXPIRED}, /* too late to be sure */
    {SUBJECT_MUTE, 1, END - 1, END, RDL_LOST, RDL_LOST},
};
enum { REPEATS = sizeof repeats / sizeof repeats[0] };

static int release_again(int which)
{
    subject.hit = subject.n;
    now = repeats[which].at_ms;
    subject_befall(repeats[which].mood);
    ck_assert_int_eq(subject_release_begin(now), RDL_PENDING);
    subject_serve(now);
    subject_befall(SUBJECT_DOWN);
    if (repeats[which].is_stolen)
        subject_steal(now);
    subject_befall(SUBJECT_UP);
    ck_assert_int_eq(subject_step(now), RDL_PENDING);
    now = repeats[which].found_ms;
    return subject_run(RDL_PENDING, &now);
}

START_TEST(a_release_that_is_sent_again_is_done_where_the_same_run_answers)
{
    int which = begin_held(_i);
    int result = release_again(which);

    ck_assert_int_eq(result, verdict(repeats[which].of_one, repeats[which].of_many));
    ck_assert_int_eq(subject_cause(), result == RDL_UNKNOWN ? RDL_E_CLOSED : RDL_OK);
    ck_assert(subject_is_idle() || subject_is_redlock()); /* nothing is owed */
    ck_assert_uint_eq(now, repeats[which].found_ms);
    nothing_is_left();
    ck_assert_uint_eq(subject_stolen(now), repeats[which].is_stolen ? subject.hit : 0);
}
END_TEST

/* When its key ends only he knows who took it. */
START_TEST(a_release_of_an_adopted_lock_that_is_sent_again_tells_what_it_finds)
{
    int is_stolen = begin_held(_i);

    ck_assert_int_eq(subject_adopt(subject_token(), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(release_again(is_stolen), is_stolen ? RDL_LOST : RDL_EXPIRED);
    nothing_is_left();
}
END_TEST

START_TEST(a_release_without_an_answer_over_the_next_connection_either_is_unknown)
{
    begin_held(_i);
    subject.hit = subject.n;
    now = 4000;
    subject_befall(SUBJECT_MUTE);
    ck_assert_int_eq(subject_release_begin(now), RDL_PENDING);
    subject_serve(now);
    subject_befall(SUBJECT_DOWN);
    subject_befall(SUBJECT_FROZEN);
    ck_assert_int_eq(subject_run(subject_step(now), &now), RDL_UNKNOWN);
    ck_assert_uint_eq(now, 4000 + ATTEMPT);
    nothing_is_left();
}
END_TEST

/* ---------------------------------------------------------------- cancel */

/* Where in its life the lock is given up. */
enum place {
    FRESH,
    CONNECTING,
    UNSENT,
    SENT,
    APPLIED,
    ANSWERED,
    PAUSING,
    HELD,
    EXTENDING,
    EXTEND_SENT,
    EXTENDED,
    RELEASING,
    RELEASE_SENT,
    RELEASED,
    ADOPTED,
    PLACES
};

static void go_to_acquired(enum place place)
{
    if (place == FRESH)
        return;
    if (place == PAUSING)
        subject_steal(now);
    if (place == SENT || place == APPLIED)
        subject_befall(place == SENT ? SUBJECT_FROZEN : SUBJECT_MUTE);
    subject_acquire_begin(now);
    if (place == CONNECTING || place == UNSENT)
        return;
    subject_serve(now);
    if (place == SENT || place == APPLIED || place == ANSWERED)
        return;
    ck_assert_int_eq(subject_step(now), place == PAUSING ? RDL_PENDING : RDL_OK);
}

static void go_to(enum place place)
{
    go_to_acquired(place);
    if (place <= HELD)
        return;
    now += 1000;
    if (place == EXTENDING || place == EXTEND_SENT || place == EXTENDED)
        subject_extend_begin(TTL, now);
    if (place == RELEASING || place == RELEASE_SENT || place == RELEASED)
        subject_release_begin(now);
    if (place == ADOPTED) {
        subject_settle(now);
        subject_adopt(subject_token(), RDL_VALUE_MAX);
    }
    if (place != EXTENDING && place != RELEASING)
        subject_serve(now);
    if (place == EXTENDED || place == RELEASED)
        ck_assert_int_eq(subject_step(now), RDL_OK);
}

START_TEST(cancel_in_every_state_leaves_no_key_and_the_handle_may_be_used_again)
{
    enum place place = (enum place)(_i / KINDS / 4);
    int is_freed = _i / KINDS % 2;                            /* its memory is used for something else */
    int breaks = _i / KINDS / 2 % 2 != 0 || place == APPLIED; /* the connection dies at that moment */

    if (place == CONNECTING) {
        now = START;
        subject_init_closed((enum subject_kind)(_i % KINDS), now);
    } else {
        begin(_i);
    }
    subject_patient(5000);
    go_to(place);
    if (breaks)
        subject_befall(SUBJECT_DOWN);
    subject_cancel();
    ck_assert_uint_eq(subject_remaining_ms(START + 1), 0);
    if (is_freed) {
        memset(&subject.handle[0], 0xee, sizeof subject.handle[0]); /* whoever still uses it, dies of it */
        subject_turn(1);
    } else {
        ck_assert_int_eq(subject_step(now), RDL_EXPIRED);
    }
    nothing_is_left();
    if (place == PAUSING)
        now += SUBJECT_THEFT + 1;
    can_be_used();
}
END_TEST

/* ---------------------------------------------------------------- a token from elsewhere */

/* Somebody, of whom we know the token, has it on all servers for ten minutes. */
static int begin_elsewhere(int i)
{
    int which = begin(i);

    subject_plant(token_hex(7), 600000, now);
    return which;
}

static void adopt(void)
{
    ck_assert_int_eq(subject_adopt(token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    ck_assert_str_eq(subject_token(), token_hex(7));
}

START_TEST(an_extend_adopts_and_validity_counts_from_its_send)
{
    begin_elsewhere(_i);
    adopt();
    now = 2000;
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_PENDING);
    subject_serve(2004);
    ck_assert_int_eq(subject_step(2005), RDL_ADOPTED);
    ck_assert_uint_eq(subject_remaining_ms(2005), TTL - DRIFT - 5);
    ck_assert_uint_eq(subject_keys(START + 599999), subject_all_keys()); /* not shortened either */
    now = 3000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK); /* from now on like any other */
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}
END_TEST

START_TEST(an_adopted_lock_is_released_at_once)
{
    begin_elsewhere(_i);
    adopt();
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    ck_assert_uint_eq(now, START);
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(nothing_is_sent_for_an_adopted_lock_until_it_is_extended_or_released)
{
    uint64_t asked;

    now = _i / KINDS ? START : 0; /* the clock of a device that was just switched on */
    subject_init((enum subject_kind)(_i % KINDS), now);
    asked = subject_commands();
    adopt();
    if (!subject_is_redlock())
        ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    now += 1;
    subject_step(now);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), asked);
}
END_TEST

/* Held; held until it ran out; an extend is out still. What stands there is not left to its ttl. */
START_TEST(what_was_held_is_given_back_when_another_token_is_adopted)
{
    const char *mine;
    uint32_t remaining_ms;
    int which = begin_held(_i);

    if (which == 1) {
        now = START + 2 * TTL;
        subject_plant(subject_token(), TTL, now); /* servers whose clock stood still */
    }
    if (which == 2) {
        subject_befall(SUBJECT_FROZEN);
        ck_assert_int_eq(subject_extend(6 * TTL, &now), RDL_UNKNOWN);
    }
    ck_assert_uint_gt(subject_keys(now), 0);
    mine = subject_token();
    remaining_ms = subject_remaining_ms(now);
    ck_assert_int_eq(subject_adopt("nonsense", 8), RDL_E_TOKEN); /* all is as it was */
    ck_assert_str_eq(subject_token(), mine);
    ck_assert_uint_eq(subject_remaining_ms(now), remaining_ms);
    ck_assert_int_eq(remaining_ms > 0, which != 1);
    adopt();
    subject_settle(now);
    ck_assert_uint_eq(subject_keys(now), 0);
    subject_plant(token_hex(7), 60000, now);
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_ADOPTED);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}
END_TEST

START_TEST(who_adopts_what_he_holds_gives_nothing_back)
{
    uint64_t asked;

    begin_held(_i);
    asked = subject_commands();
    ck_assert_int_eq(subject_adopt(subject_token(), RDL_VALUE_MAX), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), asked);
    ck_assert_uint_eq(subject_keys(now), subject_all_keys());
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_ADOPTED);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}
END_TEST

static const char *const no_tokens[] = {
    "",
    "0",
    "nonsense",
    "00112233445566778899aabbccddeeff0000000",   /* one too few */
    "00112233445566778899aabbccddeeff000000011", /* one too many */
    "00112233445566778899AABBCCDDEEFF00000001",  /* the server would not find it */
    "00112233445566778899aabbccddeeff0000000g",
    "00112233445566778899aabbccddeeff0000000 ",
    "-0112233445566778899aabbccddeeff00000001",
};
enum { NO_TOKENS = sizeof no_tokens / sizeof no_tokens[0] };

START_TEST(what_is_no_token_changes_nothing)
{
    const char *text;
    uint64_t asked;
    int which = begin(_i);

    text = no_tokens[which];
    ck_assert_int_eq(subject_adopt(text, strlen(text)), RDL_E_TOKEN);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_LOST);
    subject_hold(&now);
    asked = subject_commands();
    ck_assert_int_eq(subject_adopt(text, strlen(text)), RDL_E_TOKEN);
    ck_assert(subject_keys_are(subject_token(), now));
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), asked);
}
END_TEST

START_TEST(an_adopted_token_that_stands_no_more_is_told)
{
    int which = begin_elsewhere(_i);
    int is_stolen = which % 2;

    if (is_stolen)
        subject_steal(now);
    else
        subject_forget(now);
    adopt();
    if (which / 2) {
        ck_assert_int_eq(subject_release(&now), is_stolen ? RDL_LOST : RDL_EXPIRED);
    } else {
        ck_assert_int_eq(subject_extend(TTL, &now), RDL_LOST);
        ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    }
    nothing_is_left();
    ck_assert_uint_eq(subject_stolen(now), is_stolen ? subject.hit : 0);
}
END_TEST

START_TEST(an_adopting_extend_without_an_answer_leaves_it_to_be_adopted)
{
    enum subject_mood mood = silences[begin_elsewhere(_i)];

    adopt();
    subject_befall(mood);
    ck_assert_int_eq(run_in(mood, subject_extend_begin(TTL, now)),
                     mood == SUBJECT_DOWN ? verdict(RDL_E_CONNECT, RDL_UNKNOWN) : RDL_UNKNOWN);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    subject_settle(now);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    now += 1000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_ADOPTED);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
}
END_TEST

START_TEST(an_answer_that_comes_after_the_ttl_adopts_nothing)
{
    int is_in_time = begin_elsewhere(_i);

    adopt();
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_PENDING);
    subject_serve(now);
    now = END - (uint64_t)is_in_time;
    ck_assert_int_eq(subject_step(now), is_in_time ? RDL_ADOPTED : RDL_LOST);
    ck_assert_uint_eq(subject_remaining_ms(now), (unsigned)is_in_time);
    if (is_in_time)
        return;
    nothing_is_left();
    can_be_used();
}
END_TEST

/*
 * How long its key lives only he knows who took it. By a release; by a cancel; behind an extend that was
 * answered, that was not, and that was too late.
 */
START_TEST(what_is_owed_to_an_adopted_lock_stays_owed)
{
    int which = begin_elsewhere(_i);

    adopt();
    if (which == 2)
        ck_assert_int_eq(subject_extend(TTL, &now), RDL_ADOPTED);
    if (which == 3) {
        subject_befall(SUBJECT_FROZEN);
        ck_assert_int_eq(run_in(SUBJECT_MUTE, subject_extend_begin(TTL, now)), RDL_UNKNOWN);
    }
    if (which == 4) {
        ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_PENDING);
        subject_serve(now);
        now += TTL;
        ck_assert_int_eq(subject_step(now), RDL_LOST);
    }
    subject_befall(SUBJECT_DOWN);
    if (which == 1)
        subject_cancel();
    else
        ck_assert_int_eq(subject_release(&now), which == 4 ? RDL_EXPIRED : RDL_UNKNOWN);
    subject_serve(now);
    now += 6 * TTL;
    ck_assert_uint_gt(subject_keys(now), 0);
    nothing_is_left();
}
END_TEST

START_TEST(a_handle_that_was_used_before_knows_nothing_of_what_it_adopts)
{
    int is_extended = begin(_i);

    can_be_used();
    now += 60000;
    subject_plant(token_hex(7), 600000, now);
    adopt();
    if (is_extended) {
        ck_assert_int_eq(subject_extend(2000, &now), RDL_ADOPTED);
        ck_assert_uint_eq(subject_remaining_ms(now), 2000 - 22); /* no more is asked for than was said */
    }
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_eq(subject_release(&now), RDL_UNKNOWN);
    subject_serve(now);
    now += 60000;
    nothing_is_left();
}
END_TEST

START_TEST(a_token_is_handed_on_and_taken_back)
{
    const char *token;

    begin_held(_i);
    token = subject_token();
    subject_turn(1);
    ck_assert_int_eq(subject_adopt(token, RDL_VALUE_MAX), RDL_OK);
    now = 3000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_ADOPTED);
    ck_assert_str_eq(subject_token(), token);
    subject_turn(0);
    ck_assert_int_eq(subject_adopt(token, RDL_VALUE_MAX), RDL_OK);
    now = 5000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_ADOPTED);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    subject_turn(1);
    ck_assert_int_eq(subject_release(&now), RDL_EXPIRED); /* it sees that it is gone */
    nothing_is_left();
}
END_TEST

/* ---------------------------------------------------------------- when it wants to be woken */

/* A release that is still owed to the old one would take the new one away. */
START_TEST(the_same_bytes_once_more_make_no_token_that_the_handle_had_or_adopted)
{
    int is_adopted = begin_held(_i);
    const char *token = subject_token();

    ck_assert_int_eq(subject_release(&now), RDL_OK);
    if (is_adopted) {
        subject_turn(1);
        ck_assert_int_eq(subject_adopt(token, RDL_VALUE_MAX), RDL_OK);
        ck_assert_int_eq(subject_release(&now), RDL_EXPIRED);
    }
    subject.begins--; /* what it is given next is what that token was made of */
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_int_eq(memcmp(subject_token(), token, RDL_ENTROPY_LEN * 2), 0);
    ck_assert_str_ne(subject_token(), token);
}
END_TEST

START_TEST(when_it_wakes_is_never_in_the_past_while_it_waits_and_never_when_it_does_not)
{
    enum subject_mood mood = troubles[begin(_i)];
    int rc;
    int i;

    if (mood == SUBJECT_UP)
        subject_steal(now);
    if (subject_is_redlock()) /* differs: one that never stepped says 0, at once */
        subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    subject_patient(2000);
    subject_befall(mood);
    rc = subject_acquire_begin(now);
    for (i = 0; rc == RDL_PENDING; i++) {
        ck_assert_int_lt(i, 1000);
        subject_serve(now);
        rc = subject_step(now);
        if (rc != RDL_PENDING)
            break;
        subject_serve(now);
        rc = subject_step(now); /* what the driver did about the connection is seen */
        if (rc != RDL_PENDING)
            break;
        ck_assert_uint_gt(subject_wake_ms(), now);
        ck_assert_uint_le(subject_wake_ms(), START + 2000);
        now = subject_wake_ms();
    }
    ck_assert_uint_le(now, START + 2000);
    if (mood == SUBJECT_DEAF)
        return; /* differs: a redlock that is owed something goes on to wake for its connections */
    nothing_is_left();
    subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    now += SUBJECT_THEFT;
    can_be_used();
    subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
}
END_TEST

/* ---------------------------------------------------------------- what servers say */

START_TEST(a_server_that_forgot_the_scripts_is_told_them_again)
{
    size_t i;

    begin_held(_i);
    for (i = 0; i < subject.n; i++)
        scripted_other(&subject.s[i], "SCRIPT FLUSH\r\n", now);
    now = 2000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    subject_settle(now);
    for (i = 0; i < subject.n; i++)
        scripted_other(&subject.s[i], "SCRIPT FLUSH\r\n", now);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
    for (i = 0; i < subject.n; i++)
        scripted_other(&subject.s[i], "SCRIPT FLUSH\r\n", now);
    can_be_used();
}
END_TEST

enum refusal { READONLY, OOM, LOADING, BUSY, MISCONF, NOPERM, REFUSALS };

static void refuse(enum refusal refusal)
{
    size_t i;

    subject.features.denied = refusal == NOPERM ? " set get pttl eval evalsha watch multi " : NULL;
    for (i = 0; i < subject.hit; i++) {
        struct sim_server *model = &subject.s[i].model;
        model->readonly = refusal == READONLY;
        model->oom = refusal == OOM;
        model->loading = refusal == LOADING;
        model->busy = refusal == BUSY;
        model->misconf = refusal == MISCONF;
    }
}

/* What was refused for want of a right is remembered for the connection's life: a new one begins anew. */
static void relent(void)
{
    refuse(REFUSALS);
    subject.hit = subject.n;
    subject_befall(SUBJECT_DOWN);
    subject_settle(now);
}

static const int refusals[REFUSALS] = {RDL_E_READONLY,  RDL_E_OOM,     RDL_E_LOADING,
                                       RDL_E_SCRIPTING, RDL_E_MISCONF, RDL_E_PERM};

START_TEST(a_server_that_refuses_by_an_error_grants_nothing)
{
    enum refusal which = (enum refusal)begin(_i);

    refuse(which);
    ck_assert_int_eq(subject_acquire(&now), verdict(refusals[which], RDL_NO_QUORUM));
    ck_assert_uint_eq(now, START);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    relent();
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(an_extend_that_is_refused_by_an_error_leaves_the_lease_as_it_was)
{
    enum refusal which = (enum refusal)begin_held(_i);

    now = 2000;
    refuse(which);
    if (which == OOM) { /* it needs no more memory */
        ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
        return;
    }
    ck_assert_int_eq(subject_extend(TTL, &now), verdict(refusals[which], RDL_UNKNOWN));
    ck_assert_uint_le(now, 2000 + ATTEMPT);
    ck_assert_uint_eq(subject_remaining_ms(now), END - now);
    relent();
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}
END_TEST

/* ---------------------------------------------------------------- a connection that goes silent */

START_TEST(single_attempts_into_the_silence_are_bounded_and_nothing_piles_up)
{
    size_t i;
    int n;

    begin(_i);
    subject_befall(SUBJECT_DEAF);
    ck_assert_int_eq(subject_acquire(&now), verdict(RDL_UNKNOWN, RDL_NO_QUORUM));
    ck_assert_uint_eq(now, START + ATTEMPT);
    for (n = 0; n < 4; n++) {
        uint64_t begun = now;
        ck_assert_int_eq(subject_acquire(&now), verdict(RDL_E_TIMEOUT, RDL_NO_QUORUM));
        ck_assert_uint_le(now, begun + RDL_CONNECT_MS);
        for (i = 0; i < subject.hit; i++)
            ck_assert_uint_le(rdl_conn_waiting(&subject.s[i].conn), 2); /* one SET and its release */
        now += 9;
    }
}
END_TEST

START_TEST(when_the_key_is_gone_the_connection_after_a_silent_one_brings_the_lock)
{
    begin(_i);
    subject_patient(RDL_WAIT_FOREVER);
    subject_befall(SUBJECT_DEAF);
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_uint_ge(now, START + TTL); /* the first SET may have been executed late */
    ck_assert_uint_le(now, START + TTL + 3 * RDL_RETRY_CAP_MS);
    subject_settle(now);
    ck_assert(subject_is_idle());
    ck_assert(subject_keys_are(subject_token(), now));
}
END_TEST

static void add_acquire(TCase *tc)
{
    tcase_add_loop_test(tc, validity_runs_from_before_the_first_send_less_the_drift, 0, KINDS * TIMES);
    tcase_add_loop_test(tc, granted_one_millisecond_before_the_end_is_held, 0, KINDS * TIMES);
    tcase_add_loop_test(tc, granted_at_the_end_is_expired_and_given_back, 0, KINDS * TIMES);
    tcase_add_loop_test(tc, validity_does_not_run_while_it_connects, 0, KINDS);
    tcase_add_loop_test(tc, what_it_holds_is_its_token_on_every_server, 0, KINDS);
    tcase_add_loop_test(tc, a_refusal_is_busy_and_leaves_nothing_behind, 0, KINDS);
    tcase_add_loop_test(tc, one_attempt_means_one, 0, KINDS * 2);
    tcase_add_loop_test(tc, who_waits_has_it_when_the_holder_is_gone, 0, KINDS);
    tcase_add_loop_test(tc, waiting_is_bounded_by_wait_ms, 0, KINDS * TROUBLES);
    tcase_add_loop_test(tc, an_attempt_cut_short_by_the_deadline_keeps_what_the_one_before_it_learned, 0,
                        KINDS);
    tcase_add_loop_test(tc, no_answer_is_not_held_and_what_was_sent_is_released_behind_it, 0, KINDS * 2);
    tcase_add_loop_test(tc, what_is_owed_goes_first_on_the_next_connection, 0, KINDS * 2);
    tcase_add_loop_test(tc, a_release_is_owed_until_the_key_ends_by_itself, 0, KINDS * 2);
    tcase_add_loop_test(tc, what_was_never_sent_needs_no_release, 0, KINDS * 2);
    tcase_add_loop_test(tc, every_attempt_has_a_token_of_its_own, 0, KINDS);
    tcase_add_loop_test(tc, a_bad_name_or_ttl_is_told_before_anything_is_sent, 0, KINDS * ARGUMENTS);
}

static void add_held(TCase *tc)
{
    tcase_add_loop_test(tc, an_extend_counts_from_before_its_own_send, 0, KINDS);
    tcase_add_loop_test(tc, an_extend_never_shortens, 0, KINDS);
    tcase_add_loop_test(tc, a_short_extend_does_not_shorten_what_is_owed, 0, KINDS);
    tcase_add_loop_test(tc, a_bad_ttl_to_extend_changes_nothing, 0, KINDS * 5);
    tcase_add_loop_test(tc, an_extend_never_revives_a_lease_that_is_over, 0, KINDS);
    tcase_add_loop_test(tc, an_extend_answered_after_the_old_end_is_lost_and_given_back, 0, KINDS * 3);
    tcase_add_loop_test(tc, an_extend_is_lost_when_somebody_else_has_it_or_it_is_gone, 0, KINDS * 2);
    tcase_add_loop_test(tc, an_extend_without_an_answer_leaves_the_lease_as_it_was, 0, KINDS * SILENCES);
    tcase_add_loop_test(tc, a_lease_that_ran_out_behind_an_unanswered_extend_is_not_in_the_method, 0, KINDS);
    tcase_add_loop_test(tc, a_release_deletes_what_is_ours_and_ends_the_lease_at_once, 0, KINDS);
    tcase_add_loop_test(tc, a_release_tells_gone_from_somebody_elses_and_deletes_ours_alone, 0, KINDS * 2);
    tcase_add_loop_test(tc, a_release_without_an_answer_is_unknown_and_done_later, 0, KINDS * SILENCES);
    tcase_add_loop_test(tc, what_is_not_held_is_not_released, 0, KINDS);
    tcase_add_loop_test(tc, a_lease_that_ran_out_is_still_released, 0, KINDS * 2);
    tcase_add_loop_test(tc, a_lease_that_ran_out_is_given_back_before_the_next_is_asked_for, 0, KINDS);
    tcase_add_loop_test(tc, a_release_that_is_sent_again_is_done_where_the_same_run_answers, 0,
                        KINDS * REPEATS);
    tcase_add_loop_test(tc, a_release_of_an_adopted_lock_that_is_sent_again_tells_what_it_finds, 0,
                        KINDS * 2);
    tcase_add_loop_test(tc, a_release_without_an_answer_over_the_next_connection_either_is_unknown, 0, KINDS);
    tcase_add_loop_test(tc, cancel_in_every_state_leaves_no_key_and_the_handle_may_be_used_again, 0,
                        (int)KINDS * (int)PLACES * 4);
}

static void add_adopted(TCase *tc)
{
    tcase_add_loop_test(tc, an_extend_adopts_and_validity_counts_from_its_send, 0, KINDS);
    tcase_add_loop_test(tc, an_adopted_lock_is_released_at_once, 0, KINDS);
    tcase_add_loop_test(tc, nothing_is_sent_for_an_adopted_lock_until_it_is_extended_or_released, 0,
                        KINDS * 2);
    tcase_add_loop_test(tc, what_was_held_is_given_back_when_another_token_is_adopted, 0, KINDS * 3);
    tcase_add_loop_test(tc, who_adopts_what_he_holds_gives_nothing_back, 0, KINDS);
    tcase_add_loop_test(tc, what_is_no_token_changes_nothing, 0, KINDS * NO_TOKENS);
    tcase_add_loop_test(tc, an_adopted_token_that_stands_no_more_is_told, 0, KINDS * 4);
    tcase_add_loop_test(tc, an_adopting_extend_without_an_answer_leaves_it_to_be_adopted, 0,
                        KINDS * SILENCES);
    tcase_add_loop_test(tc, an_answer_that_comes_after_the_ttl_adopts_nothing, 0, KINDS * 2);
    tcase_add_loop_test(tc, what_is_owed_to_an_adopted_lock_stays_owed, 0, KINDS * 5);
    tcase_add_loop_test(tc, a_handle_that_was_used_before_knows_nothing_of_what_it_adopts, 0, KINDS * 2);
    tcase_add_loop_test(tc, a_token_is_handed_on_and_taken_back, 0, KINDS);
    tcase_add_loop_test(tc, the_same_bytes_once_more_make_no_token_that_the_handle_had_or_adopted, 0,
                        2 * KINDS);
}

static void add_servers(TCase *tc)
{
    tcase_add_loop_test(tc, when_it_wakes_is_never_in_the_past_while_it_waits_and_never_when_it_does_not, 0,
                        KINDS * TROUBLES);
    tcase_add_loop_test(tc, a_server_that_forgot_the_scripts_is_told_them_again, 0, KINDS);
    tcase_add_loop_test(tc, a_server_that_refuses_by_an_error_grants_nothing, 0, (int)KINDS * (int)REFUSALS);
    tcase_add_loop_test(tc, an_extend_that_is_refused_by_an_error_leaves_the_lease_as_it_was, 0,
                        (int)KINDS * (int)REFUSALS);
    tcase_add_loop_test(tc, single_attempts_into_the_silence_are_bounded_and_nothing_piles_up, 0, KINDS);
    tcase_add_loop_test(tc, when_the_key_is_gone_the_connection_after_a_silent_one_brings_the_lock, 0, KINDS);
}

Suite *suite_contract(void);

Suite *suite_contract(void)
{
    Suite *suite = suite_create("contract");
    TCase *tc = tcase_create("contract");

    add_acquire(tc);
    add_held(tc);
    add_adopted(tc);
    add_servers(tc);
    suite_add_tcase(suite, tc);
    return suite;
}
