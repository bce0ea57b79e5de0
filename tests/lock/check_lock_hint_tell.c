/* SPDX-License-Identifier: MIT */
/* A lock with a hint tells others when it is free; one without does not. */
#include <check.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/fixtures/scripted.h"

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

START_TEST(a_release_tells_and_so_does_one_that_is_owed)
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

START_TEST(without_a_hint_a_release_tells_nobody)
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

Suite *suite_lock_hint_tell(void);
Suite *suite_lock_hint_tell(void)
{
    Suite *suite = suite_create("lock_hint_tell");
    TCase *tc = tcase_create("lock_hint_tell");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, a_release_tells_and_so_does_one_that_is_owed, 0, 2);
    tcase_add_test(tc, without_a_hint_a_release_tells_nobody);
    suite_add_tcase(suite, tc);
    return suite;
}
