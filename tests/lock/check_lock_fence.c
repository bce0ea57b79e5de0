/* SPDX-License-Identifier: MIT */
/*
 * check_lock_fence.c - the fencing token of one lock: its least value, and when there is none.
 *
 * Rule R31. tests/servers/check_lock_fenced.c tests it on a real server.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_fenced.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { NOW = 1000, TTL = 10000 };

static struct scripted s;
static struct rdl_lock_fenced lock;
static struct rdl_lock_options opt;

static void setup(void)
{
    opt = (struct rdl_lock_options){.ttl_ms = TTL};
    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
    rdl_lock_init_fenced(&lock, &opt, &s.conn, "k", 1);
}

static int run(int rc)
{
    int i;

    for (i = 0; rc == RDL_PENDING && i < 5; i++) {
        scripted_serve(&s, NOW);
        rc = rdl_lock_step(&lock.lock, NOW);
    }
    return rc;
}

static void acquire(void)
{
    ck_assert_int_eq(run(rdl_lock_acquire_begin(&lock.lock, entropy_bytes(), NOW)), RDL_OK);
}

static void release(void)
{
    ck_assert_int_eq(run(rdl_lock_release_begin(&lock.lock, NOW)), RDL_OK);
}

/* The server loses its counter after each holder. */
START_TEST(min_fence_is_exact_but_no_token_is_given_twice)
{
    rdl_lock_set_min_fence(&lock, 41);
    acquire();
    ck_assert_uint_eq(rdl_lock_fence(&lock), 41);
    release();
    scripted_other(&s, "DEL {k}:fence\r\n", NOW);
    rdl_lock_set_min_fence(&lock, 40 + (uint64_t)_i);
    acquire();
    ck_assert_uint_eq(rdl_lock_fence(&lock), _i == 3 ? 43 : 42);
}
END_TEST

/* There is no fencing token to renew: WATCH extends it, as it does a plain lock. */
START_TEST(extend_of_an_adopted_lease_needs_no_scripts)
{
    static const struct sim_features no_scripts = {.version = "7.0.15", .no_scripts = 1};
    char command[100];

    s.model.features = &no_scripts;
    snprintf(command, sizeof command, "SET k %s PX 5000\r\n", token_hex(7));
    scripted_other(&s, command, NOW);
    ck_assert_int_eq(rdl_lock_adopt(&lock.lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(run(rdl_lock_extend_begin(&lock.lock, TTL, NOW)), RDL_ADOPTED);
    ck_assert(!scripted_has_key(&s, "{k}:fence", NOW));
    release();
}
END_TEST

START_TEST(fencing_token_is_0_unless_this_handle_acquired_the_lease)
{
    char token[RDL_TOKEN_TEXT_MAX];

    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    acquire();
    ck_assert_uint_eq(rdl_lock_fence(&lock), 1);
    rdl_lock_token(&lock.lock, token);
    ck_assert_int_eq(rdl_lock_adopt(&lock.lock, token, strlen(token)), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_int_eq(run(rdl_lock_extend_begin(&lock.lock, TTL, NOW)), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    release();
    acquire();
    ck_assert_uint_eq(rdl_lock_fence(&lock), 2);
    release();
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
}
END_TEST

/* The server lost its counter. */
START_TEST(extend_stores_the_first_fencing_token_again)
{
    acquire();
    ck_assert_uint_eq(rdl_lock_fence(&lock), 1);
    scripted_other(&s, "DEL {k}:fence\r\n", NOW);
    ck_assert_int_eq(run(rdl_lock_extend_begin(&lock.lock, TTL, NOW)), RDL_OK);
    ck_assert_int_ne(scripted_has_key(&s, "{k}:fence", NOW), 0);
}
END_TEST

/* It has no fencing token. But a counter that expires must outlive it. */
START_TEST(adopted_lease_prolongs_a_counter_that_expires)
{
    char token[RDL_TOKEN_TEXT_MAX];

    opt.fence_expiry_ms = (uint32_t)_i;
    acquire();
    scripted_sent(&s);
    rdl_lock_token(&lock.lock, token);
    ck_assert_int_eq(rdl_lock_adopt(&lock.lock, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&lock.lock, 2 * TTL, NOW), RDL_PENDING);
    ck_assert_int_eq(strstr(scripted_sent(&s), "{k}:fence") != NULL, _i > 0);
    ck_assert_int_eq(run(RDL_PENDING), RDL_ADOPTED);
    ck_assert_int_ne(scripted_has_key(&s, "{k}:fence", NOW + 2 * TTL), 0);
}
END_TEST

Suite *suite_lock_fence(void)
{
    Suite *suite = suite_create("lock_fence");
    TCase *tc = suite_case(suite, "fence", setup, NULL);

    tcase_add_loop_test(tc, min_fence_is_exact_but_no_token_is_given_twice, 0, 4);
    tcase_add_test(tc, fencing_token_is_0_unless_this_handle_acquired_the_lease);
    tcase_add_test(tc, extend_stores_the_first_fencing_token_again);
    tcase_add_loop_test(tc, adopted_lease_prolongs_a_counter_that_expires, 0, 2);
    tcase_add_test(tc, extend_of_an_adopted_lease_needs_no_scripts);
    return suite;
}
