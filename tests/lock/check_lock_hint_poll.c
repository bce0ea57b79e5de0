/* SPDX-License-Identifier: MIT */
/*
 * check_lock_hint_poll.c - a client that waits with a hint beside clients that send none: it polls, until a
 * hint comes.
 *
 * Rule R32.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_hint.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { CAP = RDL_HINT_CAP_MS, FIRST = RDL_HINT_FIRST_MS, RETRY = 50, NOW = 1000 };

#define CAME      "*2\r\n$8\r\n{k}:wake\r\n$1\r\n1\r\n"
#define NONE_CAME "*-1\r\n"

static struct scripted s, second;
static struct rdl_lock l;
static struct rdl_hint hint;
static struct rdl_lock_options opt;
static uint64_t now;

static void setup(void)
{
    scripted_init(&s);
    scripted_init(&second);
    opt = (struct rdl_lock_options){.wait_ms = RDL_WAIT_FOREVER, .retry_ms = RETRY};
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
    rdl_hint_init(&hint, &second.conn);
    rdl_lock_set_hint(&l, &hint);
    now = NOW;
    scripted_open(&s, now);
    scripted_open(&second, now);
}

/* The attempt that was sent is refused: the key in the way expires at ends_ms. Returns the pause. */
static uint64_t refused(uint64_t ends_ms)
{
    char pttl[32];

    snprintf(pttl, sizeof pttl, ":%u\r\n", (unsigned)(ends_ms - now));
    if (strstr(scripted_sent(&s), "PTTL") == NULL)
        pttl[0] = '\0';
    scripted_reply(&s, "$-1\r\n");
    scripted_reply(&s, pttl);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
    return rdl_lock_wake_ms(&l) - now;
}

static uint64_t acquire(uint64_t ends_ms)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), now), RDL_PENDING);
    return refused(ends_ms);
}

/* The wait ends without a hint, and the next attempt is sent. */
static void no_hint(void)
{
    ck_assert_ptr_nonnull(strstr(scripted_sent(&second), "BLPOP"));
    now = rdl_lock_wake_ms(&l);
    scripted_reply(&second, NONE_CAME);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
}

/* A hint comes after this time, and the next attempt is sent. */
static void hint_comes(uint64_t ms)
{
    ck_assert_ptr_nonnull(strstr(scripted_sent(&second), "BLPOP"));
    now += ms;
    scripted_reply(&second, CAME);
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
}

/* The attempt that was sent takes the lock, which is then released. */
static void granted_and_released(void)
{
    int has_pttl = strstr(scripted_sent(&s), "PTTL") != NULL;

    scripted_reply(&s, has_pttl ? "+OK\r\n:30000\r\n" : "+OK\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
    ck_assert_int_eq(rdl_conn_state(&second.conn), RDL_CONN_READY);
    rdl_lock_release_begin(&l, now);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, now), RDL_OK);
}

/* The lock changes hands without a hint: from then on the client polls. The last pause exceeds 10 ms. */
static void strangers_come(void)
{
    unsigned i;

    ck_assert_uint_eq(acquire(now + 30000), FIRST);
    no_hint();
    ck_assert_uint_le(refused(now + 30000), 2 * RETRY);
    no_hint();
    ck_assert_uint_le(refused(now + 60000), 2 * RETRY);
    for (i = 0; i == 0 || rdl_lock_wake_ms(&l) - now <= 10; i++) {
        no_hint();
        ck_assert_uint_le(refused(now + 30000 + 30000 * (i & 1)), RETRY);
    }
}

START_TEST(client_beside_strangers_polls)
{
    unsigned i;

    strangers_come();
    for (i = 0; i < 100; i++) {
        no_hint();
        ck_assert_uint_le(refused(now + 30000 + 100 * i), RETRY);
    }
    no_hint();
    granted_and_released();
    ck_assert_uint_le(acquire(now + 30000), RETRY);
}
END_TEST

START_TEST(client_that_polls_backs_off_while_nobody_releases)
{
    uint64_t ends_ms, longest_ms = 0;
    unsigned i;

    strangers_come();
    ends_ms = now + 60000;
    for (i = 0; i < 50; i++) {
        no_hint();
        if (refused(ends_ms) > longest_ms)
            longest_ms = rdl_lock_wake_ms(&l) - now;
    }
    ck_assert_uint_gt(longest_ms, RDL_RETRY_CAP_MS / 2);
    ck_assert_uint_le(longest_ms, RDL_RETRY_CAP_MS);
}
END_TEST

/* The same holder: other clients may all use the hint. */
START_TEST(lock_that_is_held_for_long_is_polled_for_a_short_time)
{
    const uint64_t ends_ms = now + 60000;
    uint64_t pause_ms = acquire(ends_ms);
    unsigned i;

    for (i = 0; i < 20 && pause_ms != CAP; i++) {
        no_hint();
        pause_ms = refused(ends_ms);
    }
    ck_assert_uint_lt(i, 20);
    ck_assert_uint_lt(now, NOW + 2 * CAP);
    for (i = 0; i < 20; i++) {
        no_hint();
        ck_assert_uint_eq(refused(ends_ms), CAP);
    }
    no_hint();
    ck_assert_uint_eq(refused(ends_ms + 1000), CAP);
    no_hint();
    ck_assert_uint_le(refused(ends_ms + 2000), RETRY); /* now it has changed hands */
}
END_TEST

/* The command renews a lease when a third of its ttl has passed. */
START_TEST(holder_that_renews_is_no_stranger)
{
    uint64_t ends_ms = now + 30000;
    uint64_t pause_ms = acquire(ends_ms);
    unsigned i;

    for (i = 0; i < 100; i++) {
        no_hint();
        if (ends_ms - now < 20000)
            ends_ms = now + 30000;
        pause_ms = refused(ends_ms);
    }
    ck_assert_uint_gt(now, NOW + 3 * 10000);
    ck_assert_uint_eq(pause_ms, CAP);
}
END_TEST

START_TEST(holder_that_dies_is_no_stranger)
{
    const uint64_t ends_ms = now + FIRST + 2 * RETRY + 1;

    acquire(ends_ms);
    while (now <= ends_ms) {
        no_hint();
        refused(now <= ends_ms ? ends_ms : now + 30000);
    }
    ck_assert_uint_eq(hint.is_polling, 0);
}
END_TEST

START_TEST(hint_ends_the_polling)
{
    strangers_come();
    hint_comes(10);
    ck_assert_uint_gt(refused(now + 30000), 4 * RETRY);
    hint_comes(10);
    granted_and_released();
    ck_assert_uint_gt(acquire(now + 30000), RETRY);
}
END_TEST

/* For example an element of our own release. */
START_TEST(hint_that_was_there_before_does_not_end_the_polling)
{
    strangers_come();
    no_hint();
    granted_and_released();
    acquire(now + 30000);
    hint_comes(1);
    ck_assert_uint_le(refused(now + 30000), RETRY);
    hint_comes(1);
    granted_and_released();
    ck_assert_uint_le(acquire(now + 30000), RETRY);
}
END_TEST

START_TEST(lock_without_a_hint_is_as_good_as_a_change_of_hands)
{
    acquire(now + 30000);
    no_hint();
    granted_and_released();
    ck_assert_uint_le(acquire(now + 30000), RETRY);
    hint_comes(10);
    granted_and_released();
    ck_assert_uint_gt(acquire(now + 30000), RETRY);
}
END_TEST

/* Where a hint takes two seconds, as many clients wait, the next one may take twice as long. */
START_TEST(client_waits_as_long_as_hints_take_before_it_polls)
{
    const uint64_t ends_ms = now + 60000;
    unsigned i;

    acquire(ends_ms);
    while (now < NOW + 2 * CAP) {
        no_hint();
        refused(ends_ms);
    }
    hint_comes(10);
    granted_and_released();
    ck_assert_uint_eq(acquire(now + 30000), CAP);
    for (i = 0; i < 6; i++) {
        no_hint();
        ck_assert_uint_eq(refused(now + 20000 + 10000 * (i & 1)), CAP);
    }
}
END_TEST

/* A client with an open wait takes a hint of another one, and has to close the connection. */
START_TEST(server_ends_the_wait_of_a_client_that_polls_before_the_pause_ends)
{
    uint64_t pause_ms;
    unsigned ms;
    const char *sent;

    strangers_come();
    do {
        no_hint();
        pause_ms = refused(now + 30000);
        sent = strstr(scripted_sent(&second), "\r\n0.0");
        now = rdl_lock_wake_ms(&l);
        scripted_reply(&second, NONE_CAME);
        ck_assert_int_eq(rdl_lock_step(&l, now), RDL_PENDING);
        refused(now + 60000);
    } while (pause_ms <= 10 || pause_ms >= 100 || sent == NULL);
    ck_assert_int_eq(sscanf(sent, "\r\n0.%u", &ms), 1);
    ck_assert_uint_lt(ms, pause_ms);
    ck_assert_uint_ge(ms + 5, pause_ms);
}
END_TEST

Suite *suite_lock_hint_poll(void)
{
    Suite *suite = suite_create("lock_hint_poll");
    TCase *tc = suite_case(suite, "lock_hint_poll", setup, NULL);

    tcase_add_test(tc, client_beside_strangers_polls);
    tcase_add_test(tc, client_that_polls_backs_off_while_nobody_releases);
    tcase_add_test(tc, lock_that_is_held_for_long_is_polled_for_a_short_time);
    tcase_add_test(tc, holder_that_renews_is_no_stranger);
    tcase_add_test(tc, holder_that_dies_is_no_stranger);
    tcase_add_test(tc, hint_ends_the_polling);
    tcase_add_test(tc, hint_that_was_there_before_does_not_end_the_polling);
    tcase_add_test(tc, lock_without_a_hint_is_as_good_as_a_change_of_hands);
    tcase_add_test(tc, client_waits_as_long_as_hints_take_before_it_polls);
    tcase_add_test(tc, server_ends_the_wait_of_a_client_that_polls_before_the_pause_ends);
    return suite;
}
