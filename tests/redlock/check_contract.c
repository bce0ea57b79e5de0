/* SPDX-License-Identifier: MIT */
/*
 * check_contract.c - the rules for every kind of lock: plain, fenced, several at once, a redlock of one
 * server and of five. A test states one rule and runs for each kind. Each kind has its own suite for its own
 * rules; where results differ, `verdict` and the comments marked "differs" say how.
 *
 * Rules R1, R2, R3, R5, R6, R8, R9 and R14.
 */
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/subject.h"
#include "tests/suite.h"

enum { TTL = SUBJECT_TTL, DRIFT = SUBJECT_DRIFT, ATTEMPT = SUBJECT_ATTEMPT };
enum { START = 1000, END = START + TTL - DRIFT };

static uint64_t now;

/* Runs for each kind, with n cases each; returns the case. */
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

/* Runs an operation that has begun, with the hit servers in this mood. */
static int run_in(enum subject_mood mood, int rc)
{
    subject_serve(now);
    if (mood == SUBJECT_MUTE)
        subject_befall(SUBJECT_DOWN);
    return subject_run(rc, &now);
}

/* differs: the result of one server, and that of N servers. */
static int verdict(int of_one, int of_many)
{
    return subject_is_redlock() ? of_many : of_one;
}

/* With healthy servers, none of our keys is left and no release is pending. */
static void nothing_is_left(void)
{
    subject_settle(now);
    ck_assert_uint_eq(subject_keys(now), 0);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
}

/* It works like any other handle: it acquires the lock and releases it. */
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

/*
 * A clock that was just switched on, one that no longer fits 32 bits, one that no longer fits a signed
 * number.
 */
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

START_TEST(grant_one_millisecond_before_the_end_is_held)
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

START_TEST(grant_at_the_end_is_expired_and_released)
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

/* A slow connection does not shorten the lease: the attempt begins when it can be sent. */
START_TEST(validity_does_not_run_while_connecting)
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

START_TEST(every_server_has_the_token_of_the_holder)
{
    begin_held(_i);
    ck_assert(subject_keys_are(subject_token(), now));
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    subject_settle(now);
    ck_assert(subject_keys_are(subject_token(), now));
}
END_TEST

/* ---------------------------------------------------------------- acquire: refused */

START_TEST(refused_acquire_is_busy_and_leaves_nothing)
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
START_TEST(single_attempt_is_not_repeated)
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

START_TEST(waiting_acquire_succeeds_when_the_holder_is_gone)
{
    begin(_i);
    subject_patient(RDL_WAIT_FOREVER);
    subject_steal(now);
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_uint_gt(now, START + SUBJECT_THEFT);
    ck_assert_uint_le(now, START + SUBJECT_THEFT + 52); /* clients that wait for it spread over 50 ms */
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
}
END_TEST

/* Busy; no reply; a connection that swallows everything; no connection. */
static const enum subject_mood troubles[] = {SUBJECT_UP, SUBJECT_FROZEN, SUBJECT_DEAF, SUBJECT_DOWN};
enum { TROUBLES = sizeof troubles / sizeof troubles[0] };

START_TEST(wait_ends_after_wait_ms)
{
    int which = begin(_i);
    int rc;

    subject_patient(4000);
    subject_befall(troubles[which]);
    if (which == 0)
        subject_steal(now);
    rc = subject_acquire(&now);
    ck_assert_uint_eq(now, START + 4000);
    /* differs: one server reports the last failure */
    if (which == 0) {
        ck_assert_int_eq(rc, RDL_BUSY);
        ck_assert_uint_gt(subject_attempt(), 8);
        ck_assert_uint_lt(subject_attempt(), 60);
    } else {
        ck_assert_int_eq(rc, verdict(which == 3 ? RDL_E_CONNECT : RDL_E_TIMEOUT, RDL_NO_QUORUM));
    }
    if (which != 2) /* a deaf server may still execute the SET: the release stays pending */
        nothing_is_left();
}
END_TEST

START_TEST(deadline_keeps_the_result_of_the_last_full_attempt)
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

/* ---------------------------------------------------------------- acquire: no reply */

START_TEST(unanswered_acquire_is_not_held_and_is_released)
{
    int is_applied = begin(_i); /* executed at once, with a late reply */

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

/* The server executed it, and the connection ended before the reply: the next one starts with the release. */
START_TEST(pending_release_goes_first_on_a_new_connection)
{
    int is_again = begin(_i); /* the next acquire is sent there as well */

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

/* And no longer: then the key has expired. */
START_TEST(release_is_pending_until_the_key_expires)
{
    int is_over = begin(_i);
    uint64_t commands;

    subject.hit = subject.n;
    subject_befall(SUBJECT_FROZEN);
    ck_assert_int_eq(subject_acquire_begin(now), RDL_PENDING);
    subject_serve(now);
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_eq(subject_run(subject_step(now), &now), verdict(RDL_UNKNOWN, RDL_NO_QUORUM));
    subject_serve(now); /* one attempt to connect is refused: it pauses */
    now = START + TTL + (uint64_t)is_over;
    commands = subject_commands();
    subject_settle(now);
    ck_assert(subject_is_idle());
    commands += subject.login_commands;
    if (is_over)
        ck_assert_uint_eq(subject_commands(), commands);
    else
        ck_assert_uint_gt(subject_commands(), commands);
}
END_TEST

START_TEST(unsent_acquire_needs_no_release)
{
    int breaks = begin(_i);
    uint64_t commands = subject_commands();

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
    ck_assert_uint_eq(subject_commands(), commands);
}
END_TEST

/* ---------------------------------------------------------------- acquire: tokens, arguments */

START_TEST(every_attempt_has_its_own_token)
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
            subject_cancel(); /* another acquire never reuses an earlier token, either */
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
    {1, 1, RDL_E_TTL},
    {1, 4 * ATTEMPT - 1, RDL_E_TTL},
    {1, RDL_TTL_MAX + 1u, RDL_E_TTL},
    {1, UINT32_MAX, RDL_E_TTL},
};
enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

START_TEST(bad_name_or_ttl_is_refused_before_any_request)
{
    static const char name[RDL_NAME_MAX + 300];
    int which = begin(_i);
    uint64_t commands = subject_commands();

    subject_rename(name, arguments[which].name_len);
    subject.opt.lease.ttl_ms = arguments[which].ttl_ms;
    ck_assert_int_eq(subject_acquire_begin(now), arguments[which].result);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    if (subject_is_redlock()) /* differs: before its first step a redlock reports 0, at once */
        subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), commands);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

/* ---------------------------------------------------------------- extend */

START_TEST(extend_counts_from_before_its_send)
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

START_TEST(extend_never_shortens_the_lease)
{
    begin_held(_i);
    now = 1500;
    ck_assert_int_eq(subject_extend(2000, &now), RDL_OK);
    ck_assert_uint_ge(subject_remaining_ms(now), END - now);
    ck_assert_uint_le(subject_remaining_ms(now), START + TTL - now); /* nor longer than the key */
    subject_settle(now);
    ck_assert_uint_eq(subject_keys(START + TTL - 1), subject_all_keys());
    ck_assert_int_eq(subject_extend_begin(0, now), RDL_E_TTL);
    ck_assert_uint_ge(subject_remaining_ms(now), END - now);
}
END_TEST

/* The key lives for the longer ttl: a release stays pending for that time, over any number of connections. */
START_TEST(short_extend_does_not_shorten_a_pending_release)
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

START_TEST(extend_with_a_bad_ttl_changes_nothing)
{
    static const uint32_t bad[] = {0, 1, 4 * ATTEMPT - 1, RDL_TTL_MAX + 1u, UINT32_MAX};
    int which = begin_held(_i);
    uint64_t commands = subject_commands();

    ck_assert_int_eq(subject_extend_begin(bad[which], 2000), RDL_E_TTL);
    ck_assert_uint_eq(subject_remaining_ms(2000), END - 2000);
    ck_assert(subject_is_idle());
    subject_settle(2000);
    ck_assert_uint_eq(subject_commands(), commands);
}
END_TEST

/* The server may still have the key: its clock is slow, as the drift allows. */
START_TEST(extend_never_revives_an_expired_lease)
{
    uint64_t commands;

    begin_held(_i);
    commands = subject_commands();
    now = END;
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_LOST);
    ck_assert_uint_eq(subject_remaining_ms(now - 100), 0);
    subject_settle(now);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    ck_assert_uint_eq(subject_keys(now), 0); /* released, and not extended */
    ck_assert_uint_gt(subject_commands(), commands);
    ck_assert_int_eq(subject_release(&now), RDL_EXPIRED);
    nothing_is_left();
}
END_TEST

START_TEST(extend_confirmed_too_late_is_lost_and_released)
{
    static const uint64_t late[] = {0, 1, 5000};
    int which = begin_held(_i);

    ck_assert_int_eq(subject_extend_begin(TTL, END - 1), RDL_PENDING);
    subject_serve(END - 1);
    now = END + late[which];
    ck_assert_int_eq(subject_step(now), RDL_LOST);
    ck_assert_uint_eq(subject_remaining_ms(END - 100), 0);
    ck_assert_uint_eq(subject_keys(now), subject_all_keys()); /* it was extended */
    nothing_is_left();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

START_TEST(extend_is_lost_if_the_key_is_taken_or_gone)
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
    nothing_is_left(); /* the keys that are still ours are released */
    ck_assert_uint_eq(subject_stolen(now), is_stolen ? subject.hit : 0);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
}
END_TEST

/* Frozen; the reply is lost with the connection; the connection swallows it; no connection. */
static const enum subject_mood no_replies[] = {SUBJECT_FROZEN, SUBJECT_MUTE, SUBJECT_DEAF, SUBJECT_DOWN};
enum { NO_REPLIES = sizeof no_replies / sizeof no_replies[0] };

START_TEST(unanswered_extend_leaves_the_lease_unchanged)
{
    enum subject_mood mood = no_replies[begin_held(_i)];

    now = 4000;
    subject_befall(mood);
    /* differs: one server reports why it could not be reached */
    ck_assert_int_eq(run_in(mood, subject_extend_begin(2 * TTL, now)),
                     mood == SUBJECT_DOWN ? verdict(RDL_E_CONNECT, RDL_UNKNOWN) : RDL_UNKNOWN);
    ck_assert_uint_le(now, 4000 + ATTEMPT);
    if (mood == SUBJECT_FROZEN || mood == SUBJECT_DEAF)
        ck_assert_uint_eq(now, 4000 + ATTEMPT);
    ck_assert_uint_eq(subject_remaining_ms(now), END - now);
    subject_settle(now); /* a reply that arrives now makes the lease no longer */
    ck_assert_uint_eq(subject_remaining_ms(now), END - now);
    now += 1000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    ck_assert_uint_ge(subject_remaining_ms(now), TTL - DRIFT);
}
END_TEST

/* The key that it left would block its own holder for that long ttl. */
START_TEST(lease_after_an_unanswered_extend_blocks_no_acquire)
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

START_TEST(release_deletes_our_key_and_ends_the_lease_at_once)
{
    begin_held(_i);
    now = 2000;
    ck_assert_int_eq(subject_release_begin(now), RDL_PENDING);
    ck_assert_uint_eq(subject_remaining_ms(now), 0); /* from here on, whatever the result is */
    ck_assert_int_eq(subject_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(now, 2000);
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(release_never_deletes_another_holders_key)
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

START_TEST(unanswered_release_is_unknown_and_done_later)
{
    enum subject_mood mood = no_replies[begin_held(_i)];

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

START_TEST(lock_that_is_not_held_is_not_released)
{
    uint64_t commands;

    begin(_i);
    commands = subject_commands();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_commands(), commands);
    can_be_used();
    commands = subject_commands();
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_LOST);
    nothing_is_left();
    ck_assert_uint_eq(subject_commands(), commands);
}
END_TEST

/* The key has expired; or a server whose clock stood still has it yet. */
START_TEST(expired_lease_is_still_released)
{
    int is_slow = begin_held(_i);

    now = START + 2 * TTL;
    if (is_slow)
        subject_plant(subject_token(), TTL, now);
    ck_assert_int_eq(subject_release(&now), is_slow ? RDL_OK : RDL_EXPIRED);
    nothing_is_left();
}
END_TEST

START_TEST(expired_lease_is_released_before_the_next_acquire)
{
    begin_held(_i);
    now = START + 3 * TTL;
    subject_plant(subject_token(), TTL, now); /* servers whose clock stood still */
    can_be_used();
}
END_TEST

/*
 * It was sent, and the connection ended before the reply. The next one finds what was expected; but only a
 * redlock checks whether the same run of the server replies.
 */
static const struct {
    enum subject_mood mood; /* MUTE: it was executed; FROZEN: it was not */
    int is_stolen;          /* another client holds the key since */
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

START_TEST(repeated_release_is_done_if_the_same_run_replies)
{
    int which = begin_held(_i);
    int result = release_again(which);

    ck_assert_int_eq(result, verdict(repeats[which].of_one, repeats[which].of_many));
    ck_assert_int_eq(subject_cause(), result == RDL_UNKNOWN ? RDL_E_CLOSED : RDL_OK);
    ck_assert(subject_is_idle() || subject_is_redlock()); /* nothing is pending */
    ck_assert_uint_eq(now, repeats[which].found_ms);
    nothing_is_left();
    ck_assert_uint_eq(subject_stolen(now), repeats[which].is_stolen ? subject.hit : 0);
}
END_TEST

/* Only the client that acquired an adopted lock knows when its key expires. */
START_TEST(repeated_release_of_an_adopted_lock_reports_the_key)
{
    int is_stolen = begin_held(_i);

    ck_assert_int_eq(subject_adopt(subject_token(), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(release_again(is_stolen), is_stolen ? RDL_LOST : RDL_EXPIRED);
    nothing_is_left();
}
END_TEST

START_TEST(release_unanswered_on_two_connections_is_unknown)
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

/* The moment at which the lock is abandoned. */
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

START_TEST(cancel_in_every_state_leaves_no_key)
{
    enum place place = (enum place)(_i / KINDS / 4);
    int is_freed = _i / KINDS % 2;                            /* its memory is used for something else */
    int breaks = _i / KINDS / 2 % 2 != 0 || place == APPLIED; /* the connection ends at that moment */

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
        memset(&subject.handle[0], 0xee, sizeof subject.handle[0]); /* any later use of it crashes */
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

/* Another client, whose token we know, holds it on all servers for ten minutes. */
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

START_TEST(adopting_extend_counts_from_its_send)
{
    begin_elsewhere(_i);
    adopt();
    now = 2000;
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_PENDING);
    subject_serve(2004);
    ck_assert_int_eq(subject_step(2005), RDL_ADOPTED);
    ck_assert_uint_eq(subject_remaining_ms(2005), TTL - DRIFT - 5);
    ck_assert_uint_eq(subject_keys(START + 599999), subject_all_keys()); /* nor shortened */
    now = 3000;
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK); /* from now on like any other */
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}
END_TEST

START_TEST(adopted_lock_can_be_released_without_an_extend)
{
    begin_elsewhere(_i);
    adopt();
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    ck_assert_uint_eq(now, START);
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(adopt_sends_nothing)
{
    uint64_t commands;

    now = _i / KINDS ? START : 0; /* the clock of a device that was just switched on */
    subject_init((enum subject_kind)(_i % KINDS), now);
    commands = subject_commands();
    adopt();
    if (!subject_is_redlock())
        ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    now += 1;
    subject_step(now);
    ck_assert(subject_is_idle());
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), commands);
}
END_TEST

/* Held; held until it expired; during an extend. The key is not left to its ttl. */
START_TEST(adopt_releases_the_lock_held_before)
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

START_TEST(adopting_the_held_token_releases_nothing)
{
    uint64_t commands;

    begin_held(_i);
    commands = subject_commands();
    ck_assert_int_eq(subject_adopt(subject_token(), RDL_VALUE_MAX), RDL_OK);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), commands);
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

START_TEST(adopting_an_invalid_token_changes_nothing)
{
    const char *text;
    uint64_t commands;
    int which = begin(_i);

    text = no_tokens[which];
    ck_assert_int_eq(subject_adopt(text, strlen(text)), RDL_E_TOKEN);
    ck_assert_int_eq(subject_release_begin(now), RDL_EXPIRED);
    ck_assert_int_eq(subject_extend_begin(TTL, now), RDL_LOST);
    subject_hold(&now);
    commands = subject_commands();
    ck_assert_int_eq(subject_adopt(text, strlen(text)), RDL_E_TOKEN);
    ck_assert(subject_keys_are(subject_token(), now));
    ck_assert_uint_eq(subject_remaining_ms(now), TTL - DRIFT);
    subject_settle(now);
    ck_assert_uint_eq(subject_commands(), commands);
}
END_TEST

START_TEST(adopted_token_that_is_gone_is_reported)
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

START_TEST(unanswered_adopting_extend_can_be_repeated)
{
    enum subject_mood mood = no_replies[begin_elsewhere(_i)];

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

START_TEST(reply_after_the_ttl_adopts_nothing)
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
 * Only the client that acquired the lock knows when its key expires. The release comes from a release, from a
 * cancel, or follows an extend that succeeded, got no reply, or was too late.
 */
START_TEST(release_of_an_adopted_lock_stays_pending)
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

START_TEST(adopt_ignores_the_earlier_use_of_the_handle)
{
    int is_extended = begin(_i);

    can_be_used();
    now += 60000;
    subject_plant(token_hex(7), 600000, now);
    adopt();
    if (is_extended) {
        ck_assert_int_eq(subject_extend(2000, &now), RDL_ADOPTED);
        ck_assert_uint_eq(subject_remaining_ms(now), 2000 - 22); /* not more than the requested ttl */
    }
    subject_befall(SUBJECT_DOWN);
    ck_assert_int_eq(subject_release(&now), RDL_UNKNOWN);
    subject_serve(now);
    now += 60000;
    nothing_is_left();
}
END_TEST

START_TEST(token_can_be_handed_over_and_taken_back)
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

/* ---------------------------------------------------------------- wake-up times */

/* A pending release of the old token would delete the new key. */
START_TEST(repeated_entropy_makes_no_earlier_token)
{
    int is_adopted = begin_held(_i);
    const char *token = subject_token();

    ck_assert_int_eq(subject_release(&now), RDL_OK);
    if (is_adopted) {
        subject_turn(1);
        ck_assert_int_eq(subject_adopt(token, RDL_VALUE_MAX), RDL_OK);
        ck_assert_int_eq(subject_release(&now), RDL_EXPIRED);
    }
    subject.begins--; /* the next entropy is that of the earlier token */
    ck_assert_int_eq(subject_acquire(&now), RDL_OK);
    ck_assert_int_eq(memcmp(subject_token(), token, RDL_ENTROPY_LEN * 2), 0);
    ck_assert_str_ne(subject_token(), token);
}
END_TEST

START_TEST(wake_time_is_in_the_future_only_while_waiting)
{
    enum subject_mood mood = troubles[begin(_i)];
    int rc;
    int i;

    if (mood == SUBJECT_UP)
        subject_steal(now);
    if (subject_is_redlock()) /* differs: before its first step a redlock reports 0, at once */
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
        rc = subject_step(now); /* it sees what the driver did with the connection */
        if (rc != RDL_PENDING)
            break;
        ck_assert_uint_gt(subject_wake_ms(), now);
        ck_assert_uint_le(subject_wake_ms(), START + 2000);
        now = subject_wake_ms();
    }
    ck_assert_uint_le(now, START + 2000);
    if (mood == SUBJECT_DEAF)
        return; /* differs: a redlock with pending releases still wakes for its connections */
    nothing_is_left();
    subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
    now += SUBJECT_THEFT;
    can_be_used();
    subject_step(now);
    ck_assert_uint_eq(subject_wake_ms(), UINT64_MAX);
}
END_TEST

/* ---------------------------------------------------------------- replies of servers */

START_TEST(forgotten_scripts_are_sent_again)
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

/* A missing permission is remembered for the life of the connection: a new one starts afresh. */
static void recover(void)
{
    refuse(REFUSALS);
    subject.hit = subject.n;
    subject_befall(SUBJECT_DOWN);
    subject_settle(now);
}

static const int refusals[REFUSALS] = {RDL_E_READONLY,  RDL_E_TRY_LATER, RDL_E_TRY_LATER,
                                       RDL_E_TRY_LATER, RDL_E_TRY_LATER, RDL_E_PERM};

START_TEST(server_that_replies_with_an_error_grants_nothing)
{
    enum refusal which = (enum refusal)begin(_i);

    refuse(which);
    ck_assert_int_eq(subject_acquire(&now), verdict(refusals[which], RDL_NO_QUORUM));
    ck_assert_uint_eq(now, START);
    ck_assert_uint_eq(subject_remaining_ms(now), 0);
    recover();
    nothing_is_left();
    can_be_used();
}
END_TEST

START_TEST(extend_refused_by_an_error_leaves_the_lease_unchanged)
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
    recover();
    ck_assert_int_eq(subject_extend(TTL, &now), RDL_OK);
    ck_assert_int_eq(subject_release(&now), RDL_OK);
    nothing_is_left();
}
END_TEST

/* ---------------------------------------------------------------- a connection that stalls */

START_TEST(single_attempts_on_a_stalled_connection_are_bounded)
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

START_TEST(connection_after_a_stall_acquires_the_lock)
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
    tcase_add_loop_test(tc, grant_one_millisecond_before_the_end_is_held, 0, KINDS * TIMES);
    tcase_add_loop_test(tc, grant_at_the_end_is_expired_and_released, 0, KINDS * TIMES);
    tcase_add_loop_test(tc, validity_does_not_run_while_connecting, 0, KINDS);
    tcase_add_loop_test(tc, every_server_has_the_token_of_the_holder, 0, KINDS);
    tcase_add_loop_test(tc, refused_acquire_is_busy_and_leaves_nothing, 0, KINDS);
    tcase_add_loop_test(tc, single_attempt_is_not_repeated, 0, KINDS * 2);
    tcase_add_loop_test(tc, waiting_acquire_succeeds_when_the_holder_is_gone, 0, KINDS);
    tcase_add_loop_test(tc, wait_ends_after_wait_ms, 0, KINDS * TROUBLES);
    tcase_add_loop_test(tc, deadline_keeps_the_result_of_the_last_full_attempt, 0, KINDS);
    tcase_add_loop_test(tc, unanswered_acquire_is_not_held_and_is_released, 0, KINDS * 2);
    tcase_add_loop_test(tc, pending_release_goes_first_on_a_new_connection, 0, KINDS * 2);
    tcase_add_loop_test(tc, release_is_pending_until_the_key_expires, 0, KINDS * 2);
    tcase_add_loop_test(tc, unsent_acquire_needs_no_release, 0, KINDS * 2);
    tcase_add_loop_test(tc, every_attempt_has_its_own_token, 0, KINDS);
    tcase_add_loop_test(tc, bad_name_or_ttl_is_refused_before_any_request, 0, KINDS * ARGUMENTS);
}

static void add_held(TCase *tc)
{
    tcase_add_loop_test(tc, extend_counts_from_before_its_send, 0, KINDS);
    tcase_add_loop_test(tc, extend_never_shortens_the_lease, 0, KINDS);
    tcase_add_loop_test(tc, short_extend_does_not_shorten_a_pending_release, 0, KINDS);
    tcase_add_loop_test(tc, extend_with_a_bad_ttl_changes_nothing, 0, KINDS * 5);
    tcase_add_loop_test(tc, extend_never_revives_an_expired_lease, 0, KINDS);
    tcase_add_loop_test(tc, extend_confirmed_too_late_is_lost_and_released, 0, KINDS * 3);
    tcase_add_loop_test(tc, extend_is_lost_if_the_key_is_taken_or_gone, 0, KINDS * 2);
    tcase_add_loop_test(tc, unanswered_extend_leaves_the_lease_unchanged, 0, KINDS * NO_REPLIES);
    tcase_add_loop_test(tc, lease_after_an_unanswered_extend_blocks_no_acquire, 0, KINDS);
    tcase_add_loop_test(tc, release_deletes_our_key_and_ends_the_lease_at_once, 0, KINDS);
    tcase_add_loop_test(tc, release_never_deletes_another_holders_key, 0, KINDS * 2);
    tcase_add_loop_test(tc, unanswered_release_is_unknown_and_done_later, 0, KINDS * NO_REPLIES);
    tcase_add_loop_test(tc, lock_that_is_not_held_is_not_released, 0, KINDS);
    tcase_add_loop_test(tc, expired_lease_is_still_released, 0, KINDS * 2);
    tcase_add_loop_test(tc, expired_lease_is_released_before_the_next_acquire, 0, KINDS);
    tcase_add_loop_test(tc, repeated_release_is_done_if_the_same_run_replies, 0, KINDS * REPEATS);
    tcase_add_loop_test(tc, repeated_release_of_an_adopted_lock_reports_the_key, 0, KINDS * 2);
    tcase_add_loop_test(tc, release_unanswered_on_two_connections_is_unknown, 0, KINDS);
    tcase_add_loop_test(tc, cancel_in_every_state_leaves_no_key, 0, (int)KINDS * (int)PLACES * 4);
}

static void add_adopted(TCase *tc)
{
    tcase_add_loop_test(tc, adopting_extend_counts_from_its_send, 0, KINDS);
    tcase_add_loop_test(tc, adopted_lock_can_be_released_without_an_extend, 0, KINDS);
    tcase_add_loop_test(tc, adopt_sends_nothing, 0, KINDS * 2);
    tcase_add_loop_test(tc, adopt_releases_the_lock_held_before, 0, KINDS * 3);
    tcase_add_loop_test(tc, adopting_the_held_token_releases_nothing, 0, KINDS);
    tcase_add_loop_test(tc, adopting_an_invalid_token_changes_nothing, 0, KINDS * NO_TOKENS);
    tcase_add_loop_test(tc, adopted_token_that_is_gone_is_reported, 0, KINDS * 4);
    tcase_add_loop_test(tc, unanswered_adopting_extend_can_be_repeated, 0, KINDS * NO_REPLIES);
    tcase_add_loop_test(tc, reply_after_the_ttl_adopts_nothing, 0, KINDS * 2);
    tcase_add_loop_test(tc, release_of_an_adopted_lock_stays_pending, 0, KINDS * 5);
    tcase_add_loop_test(tc, adopt_ignores_the_earlier_use_of_the_handle, 0, KINDS * 2);
    tcase_add_loop_test(tc, token_can_be_handed_over_and_taken_back, 0, KINDS);
    tcase_add_loop_test(tc, repeated_entropy_makes_no_earlier_token, 0, 2 * KINDS);
}

static void add_servers(TCase *tc)
{
    tcase_add_loop_test(tc, wake_time_is_in_the_future_only_while_waiting, 0, KINDS * TROUBLES);
    tcase_add_loop_test(tc, forgotten_scripts_are_sent_again, 0, KINDS);
    tcase_add_loop_test(tc, server_that_replies_with_an_error_grants_nothing, 0, (int)KINDS * (int)REFUSALS);
    tcase_add_loop_test(tc, extend_refused_by_an_error_leaves_the_lease_unchanged, 0,
                        (int)KINDS * (int)REFUSALS);
    tcase_add_loop_test(tc, single_attempts_on_a_stalled_connection_are_bounded, 0, KINDS);
    tcase_add_loop_test(tc, connection_after_a_stall_acquires_the_lock, 0, KINDS);
}

Suite *suite_contract(void)
{
    Suite *suite = suite_create("contract");
    TCase *tc = suite_case(suite, "contract", NULL, NULL);

    add_acquire(tc);
    add_held(tc);
    add_adopted(tc);
    add_servers(tc);
    return suite;
}
