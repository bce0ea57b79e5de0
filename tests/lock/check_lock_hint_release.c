/* SPDX-License-Identifier: MIT */
/*
 * check_lock_hint_release.c - a lock with a hint notifies waiters when it is released; one without a hint
 * does not.
 *
 * Rule R32.
 */
#include <string.h>

#include "lock/lock.h"
#include "lock/lock_commands.h"
#include "lock/lock_hint.h"
#include "tests/fixtures/scripted.h"
#include "tests/sim/any_lock.h"
#include "tests/suite.h"

enum { NOW = 1000 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_hint hint;
static const struct rdl_lock_options opt = {.ttl_ms = 10000};

static void setup(void)
{
    scripted_init(&s);
    rdl_lock_init(&l, &opt, &s.conn, "k", 1);
    rdl_hint_init(&hint, NULL);
    rdl_lock_set_hint(&l, &hint);
    scripted_open(&s, NOW);
}

START_TEST(release_and_pending_release_send_the_hint)
{
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
    if (_i == 0)
        ck_assert_int_eq(rdl_lock_release_begin(&l, NOW), RDL_PENDING);
    else
        rdl_lock_cancel(&l);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release_hint.text));
    scripted_reply(&s, ":1\r\n");
    if (_i == 0)
        ck_assert_int_eq(rdl_lock_step(&l, NOW), RDL_OK);
}
END_TEST

START_TEST(release_without_a_hint_notifies_no_client)
{
    rdl_lock_set_hint(&l, NULL);
    rdl_lock_acquire_begin(&l, entropy_bytes(), NOW);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    rdl_lock_step(&l, NOW);
    rdl_lock_release_begin(&l, NOW);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release.text));
}
END_TEST

/*
 * The server may have executed it before the error: then a plain release finds no key. Another client may
 * write the value of a legacy lock again, so that one is not repeated.
 */
START_TEST(hint_release_after_an_unknown_error_is_repeated_unless_legacy)
{
    static union any_lock own;
    int rc;
    int i;

    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
    any_lock_init(&own, _i ? MODE_LEGACY : MODE_PLAIN, &opt, &s.conn, "k", 1);
    rdl_lock_set_hint(&own.lock, &hint);
    rc = rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW);
    for (i = 0; rc == RDL_PENDING && i < 3; i++) {
        scripted_serve(&s, NOW);
        rc = rdl_lock_step(&own.lock, NOW);
    }
    ck_assert_int_eq(rc, RDL_OK);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_release_begin(&own.lock, NOW), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release_hint.text));
    scripted_reply(&s, "-ERR something else\r\n");
    ck_assert_int_eq(strstr(scripted_sent(&s), rdl_script_release.text) != NULL, !_i);
    ck_assert_int_eq(rdl_lock_step(&own.lock, NOW), _i ? RDL_E_SERVER : RDL_PENDING);
}
END_TEST

/* Over a cut: the server may not have executed it. */
START_TEST(hint_release_that_was_cut_is_sent_again)
{
    static union any_lock own;

    any_lock_init(&own, _i ? MODE_LEGACY : MODE_PLAIN, &opt, &s.conn, "k", 1);
    rdl_lock_set_hint(&own.lock, &hint);
    ck_assert_int_eq(rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW), RDL_PENDING);
    scripted_sent(&s);
    if (_i) {
        scripted_reply(&s, "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n");
        ck_assert_int_eq(rdl_lock_step(&own.lock, NOW), RDL_PENDING);
        scripted_sent(&s);
        scripted_reply(&s, ":1\r\n:-1\r\n$1\r\nx\r\n");
    } else {
        scripted_reply(&s, "+OK\r\n:10000\r\n");
    }
    ck_assert_int_eq(rdl_lock_step(&own.lock, NOW), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&own.lock, NOW), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release_hint.text));
    scripted_break(&s);
    scripted_open(&s, NOW);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), rdl_script_release_hint.text));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&own.lock, NOW), RDL_OK);
}
END_TEST

Suite *suite_lock_hint_release(void)
{
    Suite *suite = suite_create("lock_hint_release");
    TCase *tc = suite_case(suite, "lock_hint_release", setup, NULL);

    tcase_add_loop_test(tc, release_and_pending_release_send_the_hint, 0, 2);
    tcase_add_test(tc, release_without_a_hint_notifies_no_client);
    tcase_add_loop_test(tc, hint_release_after_an_unknown_error_is_repeated_unless_legacy, 0, 2);
    tcase_add_loop_test(tc, hint_release_that_was_cut_is_sent_again, 0, 2);
    return suite;
}
